/* Rows of pods, and nodes coming and going under them. */
#include "base/rng.h"
#include "cluster_rows.h"
#include "tap.h"

static void node(struct rows *r, const char *name)
{
    rows_apply(r, mst_arena_printf(&r->arena,
                                   "{apiVersion: v1, kind: Node, metadata: {name: %s}, "
                                   "status: {allocatable: {cpu: 4, pods: 9}}}",
                                   name)
                      .p);
}

static void pod(struct rows *r, const char *name, const char *more, const char *status)
{
    rows_apply(
        r, mst_arena_printf(&r->arena,
                            "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: "
                            "[{name: c, resources: {requests: {cpu: 1}}}]%s}, status: {%s}}",
                            name, more, status)
               .p);
}

static int64_t used(struct rows *r, const char *name)
{
    return r->cluster.nodes.requested[MST_RES_CPU][rows_node(r, name)];
}

static void test_cluster_pods_before_their_node(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", ", nodeName: n1", "");
    pod(r, "b", ", nodeName: n1", "");
    t_int(t, rows_pod_row(r, "a")->node, MST_ROW_NONE);
    node(r, "n1");
    t_int(t, used(r, "n1"), 2000);
    t_int(t, rows_pod_row(r, "a")->node, rows_node(r, "n1"));
    t_int(t, r->cluster.nodes.first_pod[0], rows_pod(r, "b")); /* the newest first */
    rows_free(r);
}

static void test_cluster_node_goes_and_comes_back(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1");
    node(r, "n2");
    pod(r, "a", ", nodeName: n1", "");
    pod(r, "b", ", nodeName: n1", "");
    pod(r, "c", ", nodeName: n2", "");
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "n1"));
    mst_cluster_check(&r->cluster);
    t_int(t, rows_pod_row(r, "c")->node, 0);
    t_str(t, mst_sym_str(r->syms, rows_pod_row(r, "a")->node_name), "n1");
    node(r, "n1"); /* the order is as it was: the newest first */
    t_int(t, r->cluster.nodes.first_pod[rows_node(r, "n1")], rows_pod(r, "b"));
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "n1"));
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "a")); /* from the list of an unknown node */
    node(r, "n1");
    t_int(t, used(r, "n1"), 1000);
    t_int(t, used(r, "n2"), 1000);
    rows_free(r);
}

static void test_cluster_update_of_a_node_keeps_its_pods(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1");
    pod(r, "a", ", nodeName: n1", "");
    rows_apply(r, "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "
                  "500m}}}");
    t_int(t, used(r, "n1"), 1000);
    t_int(t, r->cluster.nodes.allocatable[MST_RES_CPU][0], 500);
    rows_free(r);
}

static void assume(struct rows *r, const char *name, const char *on)
{
    mst_cluster_place(&r->cluster, rows_pod(r, name), rows_node(r, on));
    mst_cluster_assume(&r->cluster, rows_pod(r, name));
}

static void test_cluster_assumption_confirmed(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1");
    pod(r, "a", "", "");
    assume(r, "a", "n1");
    pod(r, "a", "", ""); /* an update that does not know of the binding yet */
    t_bool(t, rows_pod_row(r, "a")->assumed, true);
    pod(r, "a", ", nodeName: n1", "");
    t_bool(t, rows_pod_row(r, "a")->assumed, false);
    t_bool(t, rows_pod_row(r, "a")->assigned, true);
    t_int(t, used(r, "n1"), 1000);
    rows_free(r);
}

static void test_cluster_assumption_overruled(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1");
    node(r, "n2");
    pod(r, "a", "", "");
    pod(r, "b", "", "");
    assume(r, "a", "n1");
    assume(r, "b", "n1");
    pod(r, "a", ", nodeName: n2", "");
    pod(r, "b", ", nodeName: unheard-of", "");
    t_int(t, used(r, "n1"), 0);
    t_int(t, used(r, "n2"), 1000);
    t_bool(t, rows_pod_row(r, "a")->assumed, false);
    t_int(t, rows_pod_row(r, "b")->node, MST_ROW_NONE);
    t_bool(t, rows_pod_row(r, "b")->assigned, true);
    rows_free(r);
}

static void test_cluster_nominations(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", "", "nominatedNodeName: n1"); /* before the node */
    node(r, "n1");
    t_int(t, r->cluster.nodes.nominated_count[0], 1);
    t_int(t, mst_cluster_nominated_first(&r->cluster, 0), rows_pod(r, "a"));
    pod(r, "a", "", "nominatedNodeName: n2");
    t_int(t, r->cluster.nodes.nominated_count[0], 0);
    pod(r, "a", "", "");
    t_int(t, r->cluster.nominated_pod_count, 0);
    /* Made in memory; an update that knows nothing of it leaves it. */
    mst_cluster_nominate(&r->cluster, rows_pod(r, "a"), rows_sym(r, "n1"));
    pod(r, "a", "", "");
    t_int(t, r->cluster.nodes.nominated_count[0], 1);
    pod(r, "a", ", nodeName: n1", "");
    t_int(t, r->cluster.nodes.nominated_count[0], 0);
    rows_free(r);
}

static void test_cluster_properties(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", ", priority: 7, preemptionPolicy: Never, schedulingGates: [{name: x}, {name: z}]",
        "conditions: [{type: Ready, status: \"False\"}, {type: PodScheduled, status: \"False\", "
        "reason: R, "
        "message: M}]");
    const struct mst_pod_row *p = rows_pod_row(r, "a");
    t_int(t, p->priority, 7);
    t_bool(t, p->never_preempts, true);
    t_str(t, p->gates, "x z");
    t_str(t, p->scheduled.reason, "R");
    t_str(t, p->scheduled.message, "M");
    pod(r, "a", "", "");
    t_int(t, p->priority, 0);
    t_bool(t, p->gates.p == NULL, true);
    t_bool(t, p->scheduled.status.p == NULL, true);
    rows_free(r);
}

/* A retired pod is off its node and out of its lists, and can still be read. */
static void test_cluster_retire(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1");
    pod(r, "a", ", nodeName: n1", "");
    uint32_t a = rows_pod(r, "a");
    mst_cluster_pod_retire(&r->cluster, a);
    t_int(t, used(r, "n1"), 0);
    t_str(t, rows_pod_row(r, "a")->name, "a");
    mst_cluster_pod_remove(&r->cluster, a);
    t_int(t, rows_pod(r, "a"), MST_ROW_NONE);
    pod(r, "b", "", "");
    t_int(t, rows_pod(r, "b"), a); /* the row is used again, afresh */
    t_bool(t, rows_pod_row(r, "b")->assigned, false);
    rows_free(r);
}

/* Everything in any order, checked after each change. */
static void test_cluster_at_random(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rows *r = rows_new("");
        struct mst_rng rng;
        mst_rng_init(&rng, seed);
        for (uint32_t i = 0; i < 80; i++) {
            const char *n = mst_arena_printf(&r->arena, "n%u", (unsigned)mst_rng_below(&rng, 4)).p;
            const char *p = mst_arena_printf(&r->arena, "p%u", (unsigned)mst_rng_below(&rng, 9)).p;
            uint32_t row = rows_pod(r, p);
            switch (mst_rng_below(&rng, 7)) {
            case 0: node(r, n); break;
            case 1:
                if (rows_node(r, n) != MST_ROW_NONE)
                    mst_cluster_node_remove(&r->cluster, rows_sym(r, n));
                break;
            case 2: pod(r, p, mst_arena_printf(&r->arena, ", nodeName: %s", n).p, ""); break;
            case 3:
                if (row != MST_ROW_NONE)
                    mst_cluster_pod_remove(&r->cluster, row);
                break;
            case 4:
                if (row != MST_ROW_NONE && !rows_pod_row(r, p)->assigned &&
                    !rows_pod_row(r, p)->assumed && rows_node(r, n) != MST_ROW_NONE)
                    assume(r, p, n);
                break;
            case 5:
                if (row != MST_ROW_NONE && rows_pod_row(r, p)->assumed)
                    mst_cluster_forget(&r->cluster, row);
                break;
            default:
                pod(r, p, "", mst_arena_printf(&r->arena, "nominatedNodeName: %s", n).p);
                break;
            }
            mst_cluster_check(&r->cluster);
        }
        t_ok(t, r->cluster.txn_depth == 0);
        rows_free(r);
    }
}

MST_TEST_MAIN(T(test_cluster_pods_before_their_node), T(test_cluster_node_goes_and_comes_back),
              T(test_cluster_update_of_a_node_keeps_its_pods), T(test_cluster_assumption_confirmed),
              T(test_cluster_assumption_overruled), T(test_cluster_nominations),
              T(test_cluster_properties), T(test_cluster_retire), T(test_cluster_at_random))
