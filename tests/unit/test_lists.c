/* test_lists.c - the order of the pods on a node: a slice whose holes its last element fills. */
#include "base/rng.h"
#include "cluster_objects.h"
#include "tap.h"

enum { PODS = 9 };

/* kube-scheduler's NodeInfo.Pods. */
struct slice {
    uint32_t v[PODS], n;
};

static void slice_remove(struct slice *s, uint32_t pod)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i] == pod) {
            s->v[i] = s->v[--s->n];
            return;
        }
}

static void expect_order(struct mst_test *t, struct mst_objects *o, const struct slice *s)
{
    uint32_t pod = o->cluster.nodes.first_pod[0];
    for (uint32_t i = s->n; i-- > 0; pod = o->cluster.pods.v[pod].node_next)
        t_int(t, pod, s->v[i]);
    t_int(t, pod, MST_ROW_NONE);
}

static struct mst_objects *make(uint32_t pods[PODS])
{
    struct mst_objects *o = objects_new("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
    for (uint32_t i = 0; i < PODS; i++) {
        char text[200];
        snprintf(text, sizeof(text),
                 "{apiVersion: v1, kind: Pod, metadata: {name: p%u}, spec: {containers: [{name: "
                 "c}]}}",
                 i);
        objects_apply(o, text);
        snprintf(text, sizeof(text), "p%u", i);
        pods[i] = objects_row(o, text);
    }
    return o;
}

static void test_random_changes_and_undo(struct mst_test *t)
{
    uint32_t pods[PODS];
    struct mst_objects *o = make(pods);
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    struct slice now = { .n = 0 }, before[3];
    uint32_t marks[3], depth = 0;
    for (uint32_t step = 0; step < 3000; step++) {
        uint32_t pod = pods[mst_rng_below(&rng, PODS)];
        uint64_t what = mst_rng_below(&rng, 10);
        if (what < 7) {
            if (o->cluster.pods.v[pod].node == MST_ROW_NONE) {
                mst_cluster_place(&o->cluster, pod, 0);
                now.v[now.n++] = pod;
            } else {
                mst_cluster_unplace(&o->cluster, pod);
                slice_remove(&now, pod);
            }
        } else if (what == 7 && depth < 3) {
            before[depth] = now;
            marks[depth++] = mst_txn_begin(&o->cluster);
        } else if (depth && what == 8) {
            mst_txn_rollback(&o->cluster, marks[--depth]);
            now = before[depth];
        } else if (depth) {
            mst_txn_commit(&o->cluster, marks[--depth]);
        }
        expect_order(t, o, &now);
    }
    while (depth)
        mst_txn_rollback(&o->cluster, marks[--depth]);
    mst_cluster_check(&o->cluster);
    objects_free(o);
}

static void test_order_survives_the_node(struct mst_test *t)
{
    uint32_t pods[PODS];
    struct mst_objects *o = make(pods);
    struct slice now = { .n = 0 };
    for (uint32_t i = 0; i < 4; i++) {
        mst_cluster_place(&o->cluster, pods[i], 0);
        mst_cluster_assume(&o->cluster, pods[i]);
        now.v[now.n++] = pods[i];
    }
    mst_cluster_node_remove(&o->cluster, mst_sym_of_text(o->syms, "n1"));
    t_int(t, o->cluster.nodes.count, 0);
    objects_apply(o, "{apiVersion: v1, kind: Node, metadata: {name: n1}}");
    expect_order(t, o, &now);
    objects_free(o);
}

static void test_an_updated_pod_is_the_newest(struct mst_test *t)
{
    uint32_t pods[PODS];
    struct mst_objects *o = make(pods);
    for (uint32_t i = 0; i < 4; i++) {
        mst_cluster_place(&o->cluster, pods[i], 0);
        mst_cluster_assume(&o->cluster, pods[i]);
    }
    objects_apply(o, "{apiVersion: v1, kind: Pod, metadata: {name: p1}, spec: {nodeName: n1, "
                     "containers: [{name: c}]}}");
    expect_order(t, o, &(struct slice){ .v = { pods[0], pods[3], pods[2], pods[1] }, .n = 4 });
    objects_free(o);
}

MST_TEST_MAIN(T(test_random_changes_and_undo), T(test_order_survives_the_node),
              T(test_an_updated_pod_is_the_newest))
