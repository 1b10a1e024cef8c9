/*
 * The verdict cache against the plain algorithm: on random clusters that keep changing,
 * mst_eval_pick gives the node, the counts, the rejecting plugins and the words that asking
 * everybody about everything gives.
 */
#include "eval_helper.h"
#include "tap.h"

enum { SEEDS = 240, OPS = 150 };

static void change(struct rig *r)
{
    struct mst_cluster *c = &r->cluster;
    uint32_t i = draw(r, EVAL_PODS), node = draw(r, r->node_max);
    uint32_t row = mst_nodes_row(&c->nodes, numbered(r, "n", node));
    if (c->nodes.count && draw(r, 300) == 0) /* more than the log of changes keeps */
        for (uint32_t k = 0; k < 9000; k++)
            mst_nodes_touch(&c->nodes, draw(r, c->nodes.count));
    switch (draw(r, 8)) {
    case 0:
    case 1: /* also makes it again, with all that it is like drawn anew */ set_node(r, node); break;
    case 2:
        if (row != MST_ROW_NONE && draw(r, 3) == 0)
            mst_cluster_node_remove(c, numbered(r, "n", node));
        break;
    case 3:
    case 4:
        if (r->pods[i] == MST_ROW_NONE) {
            add_pod(r, i, draw(r, 3) ? draw(r, EVAL_KINDS) : EVAL_KINDS + draw(r, 1000));
        } else if (draw(r, 3) == 0) {
            mst_cluster_pod_remove(c, r->pods[i]);
            r->pods[i] = MST_ROW_NONE;
        }
        break;
    case 5:
        if (r->pods[i] != MST_ROW_NONE && c->pods.v[r->pods[i]].assumed)
            mst_cluster_forget(c, r->pods[i]);
        break;
    default:
        if (r->pods[i] != MST_ROW_NONE && !c->pods.v[r->pods[i]].assumed && r->nominates)
            mst_cluster_nominate(c, r->pods[i], draw(r, 3) ? 0 : numbered(r, "n", node));
        break;
    }
}

static void compare(struct mst_test *t, struct rig *r, const struct mst_pick *got,
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
    (void)r;
}

/* Not only the winner: every score that the cache has, where it describes all feasible nodes. */
static void compare_totals(struct mst_test *t, struct rig *r, uint32_t pod,
                           const struct naive *naive)
{
    if (r->cluster.nominated_pod_count || naive->pick.code != MST_SUCCESS)
        return;
    const struct mst_eval *eval = mst_eval_of(&r->evals, &r->fw, pod);
    if (naive->pick.feasible < eval->feasible_count)
        return; /* a sample */
    for (uint32_t row = 0; row < r->cluster.nodes.count; row++)
        if (naive->feasible[row])
            t_int(t, eval->total[row], r->fw.score_count ? naive->total[row] : 1);
}

/*
 * One pod judged three ways; then it takes the place, so that the next one finds another cluster.
 */
static void judge(struct mst_test *t, struct rig *r)
{
    uint32_t pod = r->pods[draw(r, EVAL_PODS)];
    if (pod == MST_ROW_NONE || r->cluster.pods.v[pod].assumed)
        return;
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
    compare(t, r, &fresh, &naive.pick);
    compare(t, r, &cached, &naive.pick);
    compare_totals(t, r, pod, &naive);
    mst_evals_done(&anew);
    if (cached.code != MST_SUCCESS || draw(r, 4) == 0)
        return;
    mst_cluster_place(&r->cluster, pod, cached.node);
    mst_cluster_assume(&r->cluster, pod);
}

static void run(struct mst_test *t, uint64_t seed, bool upstream, const char *config,
                uint32_t node_max)
{
    struct rig r;
    rig_start(&r, seed, upstream, config);
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
            judge(t, &r);
            mst_arena_reset(&r.arena);
        }
        if (t->failures) {
            t_fail(t, "seed %llu, op %u", (unsigned long long)seed, i);
            break;
        }
    }
    mst_cluster_check(&r.cluster);
    rig_stop(&r);
}

static void test_eval_twin_small_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, NULL, 1 + (uint32_t)seed % 40);
}

static const char no_scores[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- plugins: {score: {disabled: [{name: \"*\"}]}, multiPoint: {disabled: []}}\n";
static const char half[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "percentageOfNodesToScore: 50\n";
static const char most[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "percentageOfNodesToScore: 90\n";

static void test_eval_twin_without_scores(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 10 && !t->failures; seed++)
        run(t, seed, seed % 2, no_scores, 3 + (uint32_t)seed);
}

static void test_eval_twin_sampling(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 4 && !t->failures; seed++) {
        run(t, seed, true, NULL, 260);
        run(t, seed, false, half, 260);
        run(t, seed, true, most, 160);
    }
}

static void test_eval_twin_large_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 4 && !t->failures; seed++)
        run(t, seed, false, NULL, 200);
}

MST_TEST_MAIN(T(test_eval_twin_small_clusters), T(test_eval_twin_without_scores),
              T(test_eval_twin_sampling), T(test_eval_twin_large_clusters))
