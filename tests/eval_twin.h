/*
 * eval_twin.h - the verdict cache against the plain algorithm: on a random cluster that keeps
 * changing, a class that is cached, one that is new and asking everybody about everything agree on
 * the node, the counts, the rejecting plugins, the words and every score.
 */
#ifndef MST_EVAL_TWIN_H
#define MST_EVAL_TWIN_H

#include "eval_naive.h"
#include "tap.h"

#define TWIN_CONFIG "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define TWIN_NO_SCORES                                                                             \
    TWIN_CONFIG                                                                                    \
    "profiles:\n- plugins: {score: {disabled: [{name: \"*\"}]}, multiPoint: {disabled: []}}\n"
#define TWIN_HALF TWIN_CONFIG "percentageOfNodesToScore: 50\n"

struct twin {
    uint64_t seed;
    bool upstream, domains; /* domains: pods speak about pods */
    const char *config;     /* NULL: the default one */
    uint32_t node_max;
};

enum { TWIN_OPS = 130 };

/* ---- changes ---- */

static inline void twin_set_namespace(struct rig *r)
{
    struct mst_label label = { sym(r, "team"), sym(r, draw(r, 2) ? "red" : "blue") };
    struct mst_namespace ns = { 0 };
    ns.meta.name = mst_str_of(draw(r, 2) ? "default" : "other");
    ns.meta.labels = (mst_labels){ &label, draw(r, 2) };
    mst_cluster_namespace_set(&r->cluster, &ns);
}

/* A Service that comes, changes or goes. */
static inline void twin_set_service(struct rig *r)
{
    struct mst_label label = { sym(r, "app"), numbered(r, "a", draw(r, 4)) };
    struct mst_object service = { .kind = MST_KIND_SERVICE };
    service.u.selector.meta.name = MST_STR("s");
    service.u.selector.meta.namespace_ = sym(r, draw(r, 2) ? "default" : "other");
    service.u.selector.selector.set = true;
    service.u.selector.selector.match_labels = (mst_labels){ &label, 1 };
    if (draw(r, 3))
        mst_cluster_selector_set(&r->cluster, &service);
    else
        mst_cluster_selector_remove(&r->cluster, &service);
}

static inline uint32_t twin_kind(struct rig *r)
{
    return draw(r, 3) ? draw(r, EVAL_KINDS) : EVAL_KINDS + draw(r, 1000);
}

static inline void twin_change_pod(struct rig *r, uint32_t i)
{
    struct mst_cluster *c = &r->cluster;
    if (r->pods[i] == MST_ROW_NONE) {
        add_pod(r, i, twin_kind(r));
        return;
    }
    switch (draw(r, 4)) {
    case 0:
        mst_cluster_pod_remove(c, r->pods[i]);
        r->pods[i] = MST_ROW_NONE;
        break;
    case 1: change_pod(r, i, twin_kind(r), draw(r, 6) == 0); break;
    case 2:
        if (c->pods.v[r->pods[i]].assumed)
            mst_cluster_forget(c, r->pods[i]);
        break;
    default:
        if (!c->pods.v[r->pods[i]].assumed && r->nominates)
            mst_cluster_nominate(c, r->pods[i],
                                 draw(r, 3) ? numbered(r, "n", draw(r, r->node_max)) : 0);
        break;
    }
}

static inline void twin_change(struct rig *r)
{
    struct mst_cluster *c = &r->cluster;
    uint32_t node = draw(r, r->node_max);
    switch (draw(r, 12)) {
    case 0:
    case 1: /* also makes it again, with all that it is like drawn anew */ set_node(r, node); break;
    case 2:
        if (mst_nodes_row(&c->nodes, numbered(r, "n", node)) != MST_ROW_NONE && draw(r, 3) == 0)
            mst_cluster_node_remove(c, numbered(r, "n", node));
        break;
    case 3: twin_set_namespace(r); break;
    case 4: twin_set_service(r); break;
    case 5:
        if (c->nodes.count && draw(r, 60) == 0) /* more than the log of changes keeps */
            for (uint32_t k = 0; k < 9000; k++)
                mst_nodes_touch(&c->nodes, draw(r, c->nodes.count));
        break;
    default: twin_change_pod(r, draw(r, EVAL_PODS)); break;
    }
}

/* ---- judging ---- */

static inline void twin_compare(struct mst_test *t, const struct mst_pick *got,
                                const struct mst_pick *want)
{
    t_int(t, got->code, want->code);
    t_int(t, got->node, want->node);
    t_int(t, got->feasible, want->feasible);
    if (want->code == MST_SUCCESS)
        return;
    t_int(t, got->slots, want->slots);
    t_check_(t, mst_str_eq(got->message, want->message), __FILE__, __LINE__,
             "message \"%.*s\", want \"%.*s\"", MST_ARG(got->message), MST_ARG(want->message));
}

/* Not only the winner: every score that the cache has, where it describes all feasible nodes. */
static inline void twin_compare_totals(struct mst_test *t, struct rig *r, uint32_t pod,
                                       const struct naive *naive)
{
    if (r->cluster.nominated_pod_count || naive->pick.code != MST_SUCCESS)
        return;
    struct mst_eval *eval = mst_eval_of(&r->evals, &r->fw, pod);
    struct mst_frame frame;
    mst_eval_open(eval, &frame);
    mst_eval_rescore(eval);
    if (draw(r, 4) == 0)
        mst_eval_rescore(eval); /* changes nothing */
    const bool sampled = naive->pick.feasible != eval->feasible_count;
    for (uint32_t row = 0; !sampled && row < r->cluster.nodes.count; row++)
        if (naive->feasible[row])
            t_int(t, eval->total[row], r->fw.score_count ? naive->total[row] : 1);
    mst_eval_close(eval, &frame);
}

/* One pod judged three ways. Returns its place. */
static inline uint32_t twin_judge(struct mst_test *t, struct rig *r, uint32_t pod)
{
    struct naive naive;
    struct mst_pick cached, fresh;
    struct mst_evals anew;
    mst_evals_init(&anew, MST_EVAL_BUDGET);
    anew.next_start = r->evals.next_start;
    MST_AUTO(mst_buf) before = { 0 }, after = { 0 };
    mst_cluster_dump(&r->cluster, &before);
    mst_eval_pick(&anew, &r->fw, pod, NULL, &r->arena, &fresh);
    mst_eval_pick(&r->evals, &r->fw, pod, NULL, &r->arena, &cached);
    mst_cluster_dump(&r->cluster, &after);
    naive_pick(r, pod, &naive);
    t_ok(t, mst_str_eq(mst_buf_span(&before), mst_buf_span(&after))); /* leaves no trace */
    twin_compare(t, &fresh, &naive.pick);
    twin_compare(t, &cached, &naive.pick);
    twin_compare_totals(t, r, pod, &naive);
    mst_evals_done(&anew);
    return cached.code == MST_SUCCESS ? cached.node : MST_ROW_NONE;
}

static inline uint32_t twin_waiting_pod(struct rig *r)
{
    uint32_t pod = r->pods[draw(r, EVAL_PODS)];
    const struct mst_pod_row *p = pod == MST_ROW_NONE ? NULL : &r->cluster.pods.v[pod];
    return p && p->node == MST_ROW_NONE && !p->assumed ? pod : MST_ROW_NONE;
}

/* The pod takes the place, so that the next one finds another cluster. */
static inline void twin_judge_and_stay(struct mst_test *t, struct rig *r)
{
    uint32_t pod = twin_waiting_pod(r);
    uint32_t row = pod == MST_ROW_NONE ? pod : twin_judge(t, r, pod);
    if (row == MST_ROW_NONE || draw(r, 4) == 0)
        return;
    mst_cluster_place(&r->cluster, pod, row);
    mst_cluster_assume(&r->cluster, pod);
}

/* A group's attempt: places some, perhaps takes some off, and leaves nothing behind. */
static inline void twin_try_and_roll_back(struct mst_test *t, struct rig *r)
{
    uint32_t mark = mst_txn_begin(&r->cluster);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t some = r->pods[draw(r, EVAL_PODS)];
        const struct mst_pod_row *p = some == MST_ROW_NONE ? NULL : &r->cluster.pods.v[some];
        if (p && p->node != MST_ROW_NONE && !p->assumed && draw(r, 3))
            mst_cluster_unplace(&r->cluster, some);
        uint32_t pod = twin_waiting_pod(r);
        uint32_t row = pod == MST_ROW_NONE ? pod : twin_judge(t, r, pod);
        if (row != MST_ROW_NONE)
            mst_cluster_place(&r->cluster, pod, row);
    }
    mst_txn_rollback(&r->cluster, mark);
}

/* ---- one cluster ---- */

static inline void twin_run(struct mst_test *t, const struct twin *twin)
{
    struct rig r;
    rig_start(&r, twin->seed, twin->upstream, twin->config);
    r.domains = twin->domains;
    r.node_max = twin->node_max;
    for (uint32_t i = 0; i < r.node_max; i++)
        if (draw(&r, 8))
            set_node(&r, i);
    for (uint32_t i = 0; i < EVAL_PODS / 2; i++)
        add_pod(&r, i, draw(&r, EVAL_KINDS));
    for (uint32_t i = 0; i < TWIN_OPS; i++) {
        if (draw(&r, 2))
            twin_change(&r);
        for (uint32_t k = draw(&r, 4); k > 0; k--) {
            twin_judge_and_stay(t, &r);
            mst_arena_reset(&r.arena);
        }
        if (draw(&r, 8) == 0)
            twin_try_and_roll_back(t, &r);
        mst_arena_reset(&r.arena);
        if (t->failures) {
            t_fail(t, "seed %llu, op %u", (unsigned long long)twin->seed, i);
            break;
        }
    }
    mst_cluster_check(&r.cluster);
    rig_stop(&r);
}

#endif
