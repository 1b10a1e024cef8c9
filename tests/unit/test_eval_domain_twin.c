/*
 * Plugins that count pods in the verdict cache: on random clusters whose pods speak about each
 * other and which keep changing, a cached class, a new one and asking everybody about everything
 * agree on the node, the counts, the rejecting plugins, the words and every score.
 */
#include "eval_helper.h"
#include "tap.h"

enum { SEEDS = 200, OPS = 120 };

/* ---- changes ---- */

static void set_namespace(struct rig *r)
{
    struct mst_label label = { sym(r, "team"), sym(r, draw(r, 2) ? "red" : "blue") };
    struct mst_namespace ns = { 0 };
    ns.meta.name = mst_str_of(draw(r, 2) ? "default" : "other");
    ns.meta.labels = (mst_labels){ &label, draw(r, 2) };
    mst_cluster_namespace_set(&r->cluster, &ns);
}

/* A Service that comes, changes or goes. */
static void set_service(struct rig *r)
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

static uint32_t any_kind(struct rig *r)
{
    return draw(r, 3) ? draw(r, EVAL_KINDS) : EVAL_KINDS + draw(r, 1000);
}

static void change_some_pod(struct rig *r, uint32_t i)
{
    struct mst_cluster *c = &r->cluster;
    if (r->pods[i] == MST_ROW_NONE) {
        add_pod(r, i, any_kind(r));
        return;
    }
    switch (draw(r, 4)) {
    case 0:
        mst_cluster_pod_remove(c, r->pods[i]);
        r->pods[i] = MST_ROW_NONE;
        break;
    case 1: change_pod(r, i, any_kind(r), draw(r, 6) == 0); break;
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

static void change(struct rig *r)
{
    struct mst_cluster *c = &r->cluster;
    uint32_t node = draw(r, r->node_max);
    switch (draw(r, 12)) {
    case 0: set_node(r, node); break;
    case 1:
        if (mst_nodes_row(&c->nodes, numbered(r, "n", node)) != MST_ROW_NONE && draw(r, 3) == 0)
            mst_cluster_node_remove(c, numbered(r, "n", node));
        break;
    case 2: set_namespace(r); break;
    case 3: set_service(r); break;
    case 4:
        if (c->nodes.count && draw(r, 60) == 0) /* more than the log of changes keeps */
            for (uint32_t k = 0; k < 9000; k++)
                mst_nodes_touch(&c->nodes, draw(r, c->nodes.count));
        break;
    default: change_some_pod(r, draw(r, EVAL_PODS)); break;
    }
}

/* ---- judging ---- */

static void compare(struct mst_test *t, const struct mst_pick *got, const struct mst_pick *want)
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

/* Every score, where the cache looks at the same nodes. */
static void compare_totals(struct mst_test *t, struct rig *r, uint32_t pod,
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
    for (uint32_t row = 0;
         naive->pick.feasible == eval->feasible_count && row < r->cluster.nodes.count; row++)
        if (naive->feasible[row])
            t_int(t, eval->total[row], r->fw.score_count ? naive->total[row] : 1);
    mst_eval_close(eval, &frame);
}

/* One pod judged three ways. Returns its place. */
static uint32_t judge(struct mst_test *t, struct rig *r, uint32_t pod)
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
    compare(t, &fresh, &naive.pick);
    compare(t, &cached, &naive.pick);
    compare_totals(t, r, pod, &naive);
    mst_evals_done(&anew);
    return cached.code == MST_SUCCESS ? cached.node : MST_ROW_NONE;
}

static uint32_t waiting_pod(struct rig *r)
{
    uint32_t pod = r->pods[draw(r, EVAL_PODS)];
    const struct mst_pod_row *p = pod == MST_ROW_NONE ? NULL : &r->cluster.pods.v[pod];
    return p && p->node == MST_ROW_NONE && !p->assumed ? pod : MST_ROW_NONE;
}

static void judge_and_stay(struct mst_test *t, struct rig *r)
{
    uint32_t pod = waiting_pod(r);
    uint32_t row = pod == MST_ROW_NONE ? pod : judge(t, r, pod);
    if (row == MST_ROW_NONE || draw(r, 4) == 0)
        return;
    mst_cluster_place(&r->cluster, pod, row);
    mst_cluster_assume(&r->cluster, pod);
}

/* A group's attempt: places some, perhaps takes some off, and leaves nothing behind. */
static void try_and_roll_back(struct mst_test *t, struct rig *r)
{
    uint32_t mark = mst_txn_begin(&r->cluster);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t some = r->pods[draw(r, EVAL_PODS)];
        const struct mst_pod_row *p = some == MST_ROW_NONE ? NULL : &r->cluster.pods.v[some];
        if (p && p->node != MST_ROW_NONE && !p->assumed && draw(r, 3))
            mst_cluster_unplace(&r->cluster, some);
        uint32_t pod = waiting_pod(r);
        uint32_t row = pod == MST_ROW_NONE ? pod : judge(t, r, pod);
        if (row != MST_ROW_NONE)
            mst_cluster_place(&r->cluster, pod, row);
    }
    mst_txn_rollback(&r->cluster, mark);
}

static void run(struct mst_test *t, uint64_t seed, bool upstream, const char *config,
                uint32_t node_max)
{
    struct rig r;
    rig_start(&r, seed, upstream, config);
    r.domains = true;
    r.node_max = node_max;
    for (uint32_t i = 0; i < node_max; i++)
        if (draw(&r, 8))
            set_node(&r, i);
    for (uint32_t i = 0; i < EVAL_PODS / 2; i++)
        add_pod(&r, i, draw(&r, EVAL_KINDS));
    for (uint32_t i = 0; i < OPS; i++) {
        if (draw(&r, 2))
            change(&r);
        for (uint32_t k = draw(&r, 4); k > 0; k--) {
            judge_and_stay(t, &r);
            mst_arena_reset(&r.arena);
        }
        if (draw(&r, 8) == 0)
            try_and_roll_back(t, &r);
        mst_arena_reset(&r.arena);
        if (t->failures) {
            t_fail(t, "seed %llu, op %u", (unsigned long long)seed, i);
            break;
        }
    }
    mst_cluster_check(&r.cluster);
    rig_stop(&r);
}

#define CONFIG "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

/* The plugins that count pods before all others, between them, and in the other order. */
static const char *const orders[] = {
    CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: PodTopologySpread}, "
           "{name: InterPodAffinity}]}}\n",
    CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: InterPodAffinity}, "
           "{name: TaintToleration}, {name: PodTopologySpread}]}}\n",
    CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: NodeUnschedulable}, "
           "{name: InterPodAffinity}, {name: NodeResourcesFit}]}, "
           "score: {disabled: [{name: NodeResourcesFit}]}}\n",
};

static const char weighed[] = CONFIG
    "profiles:\n- plugins: {score: {disabled: [{name: ImageLocality}, {name: InterPodAffinity}], "
    "enabled: [{name: InterPodAffinity, weight: 7}]}}\n  pluginConfig:\n"
    "  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 50, "
    "ignorePreferredTermsOfExistingPods: true}}\n"
    "  - {name: PodTopologySpread, args: {defaultingType: List, defaultConstraints: "
    "[{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}, "
    "{topologyKey: kubernetes.io/hostname, maxSkew: 2, whenUnsatisfiable: ScheduleAnyway}]}}\n";
static const char no_scores[] = CONFIG
    "profiles:\n- plugins: {score: {disabled: [{name: \"*\"}]}, multiPoint: {disabled: []}}\n";
static const char half[] = CONFIG "percentageOfNodesToScore: 50\n";

static void test_eval_domain_small_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, NULL, 1 + (uint32_t)seed % 30);
}

static void test_eval_domain_order_of_plugins(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 60 && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, orders[seed % MST_COUNT(orders)], 3 + (uint32_t)seed % 20);
}

static void test_eval_domain_arguments(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 40 && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, weighed, 3 + (uint32_t)seed % 20);
}

static void test_eval_domain_without_scores(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 10 && !t->failures; seed++)
        run(t, seed, seed % 2, no_scores, 3 + (uint32_t)seed);
}

static void test_eval_domain_sampling(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 2 && !t->failures; seed++) {
        run(t, seed, true, NULL, 260);
        run(t, seed, false, half, 260);
    }
}

static void test_eval_domain_large_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 3 && !t->failures; seed++)
        run(t, seed, false, NULL, 200);
}

MST_TEST_MAIN(T(test_eval_domain_small_clusters), T(test_eval_domain_order_of_plugins),
              T(test_eval_domain_arguments), T(test_eval_domain_without_scores),
              T(test_eval_domain_sampling), T(test_eval_domain_large_clusters))
