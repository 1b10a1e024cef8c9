/* Rows of nodes: columns, dense removal, the log of changes. */
#include "cluster_rows.h"
#include "tap.h"

static void node(struct rows *r, const char *name, const char *allocatable)
{
    rows_apply(r, mst_arena_printf(&r->arena,
                                   "{apiVersion: v1, kind: Node, metadata: {name: %s}, status: "
                                   "{allocatable: {%s}}}",
                                   name, allocatable)
                      .p);
}

static int64_t allocatable(struct rows *r, const char *name, const char *resource)
{
    uint32_t column = mst_nodes_resource_find(&r->cluster.nodes, rows_sym(r, resource));
    return column == MST_RES_NONE ? -1 : r->cluster.nodes.allocatable[column][rows_node(r, name)];
}

static void test_nodes_amounts(struct mst_test *t)
{
    struct rows *r =
        rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: "
                 "{cpu: 1500m, memory: 1Ki, ephemeral-storage: 2k, pods: 7, "
                 "example.com/gpu: 4, hugepages-2Mi: 8Mi}}}");
    t_int(t, allocatable(r, "n1", "cpu"), 1500);
    t_int(t, allocatable(r, "n1", "memory"), 1024);
    t_int(t, allocatable(r, "n1", "ephemeral-storage"), 2000);
    t_int(t, allocatable(r, "n1", "example.com/gpu"), 4);
    t_int(t, allocatable(r, "n1", "hugepages-2Mi"), 8 << 20);
    t_int(t, allocatable(r, "n1", "pods"), -1); /* a column of its own kind */
    t_int(t, r->cluster.nodes.pods_allowed[0], 7);
    /* What the new object does not name is gone. */
    node(r, "n1", "cpu: 2");
    t_int(t, allocatable(r, "n1", "cpu"), 2000);
    t_int(t, allocatable(r, "n1", "memory"), 0);
    t_int(t, allocatable(r, "n1", "example.com/gpu"), 0);
    t_int(t, r->cluster.nodes.pods_allowed[0], 0);
    rows_free(r);
}

/* Without allocatable, capacity counts. */
static void test_nodes_capacity_stands_in(struct mst_test *t)
{
    struct rows *r =
        rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: "
                 "{cpu: 3, pods: 5}}}");
    t_int(t, allocatable(r, "n1", "cpu"), 3000);
    t_int(t, r->cluster.nodes.pods_allowed[0], 5);
    rows_free(r);
}

static void test_nodes_removal_moves_the_last_row(struct mst_test *t)
{
    struct rows *r = rows_new("");
    struct mst_nodes *n = &r->cluster.nodes;
    node(r, "a", "cpu: 1");
    node(r, "b", "cpu: 2");
    node(r, "c", "cpu: 3, example.com/gpu: 1");
    rows_apply(r,
               "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: c, containers: "
               "[{name: c, resources: {requests: {cpu: 500m}}}]}}");
    uint64_t generation = n->set_generation;
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "a"));
    t_int(t, n->count, 2);
    t_int(t, rows_node(r, "a"), MST_ROW_NONE);
    t_int(t, rows_node(r, "c"), 0);
    t_int(t, rows_node(r, "b"), 1);
    t_int(t, allocatable(r, "c", "cpu"), 3000);
    t_int(t, n->requested[MST_RES_CPU][0], 500);
    t_int(t, rows_pod_row(r, "p")->node, 0);
    t_ok(t, n->set_generation > generation);
    mst_cluster_check(&r->cluster);
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "b")); /* the last one: nothing moves */
    t_int(t, rows_node(r, "c"), 0);
    /* A row that is used again starts empty. */
    node(r, "d", "cpu: 1");
    t_int(t, n->pod_count[rows_node(r, "d")], 0);
    t_int(t, allocatable(r, "d", "example.com/gpu"), 0);
    rows_free(r);
}

static void test_nodes_many_rows_grow(struct mst_test *t)
{
    struct rows *r = rows_new("");
    for (uint32_t i = 0; i < 200; i++)
        node(r, mst_arena_printf(&r->arena, "n%u", i).p, "cpu: 1, example.com/x: 3");
    t_int(t, r->cluster.nodes.count, 200);
    t_int(t, allocatable(r, "n199", "example.com/x"), 3);
    t_int(t, allocatable(r, "n0", "example.com/x"), 3);
    for (uint32_t i = 0; i < 200; i += 2)
        mst_cluster_node_remove(&r->cluster, rows_sym(r, mst_arena_printf(&r->arena, "n%u", i).p));
    t_int(t, r->cluster.nodes.count, 100);
    for (uint32_t i = 1; i < 200; i += 2)
        t_ok(t, rows_node(r, mst_arena_printf(&r->arena, "n%u", i).p) < 100);
    rows_free(r);
}

static void test_nodes_changes_are_logged(struct mst_test *t)
{
    struct rows *r = rows_new("");
    struct mst_nodes *n = &r->cluster.nodes;
    node(r, "a", "cpu: 1");
    uint64_t from = mst_nodes_change_end(n);
    mst_nodes_touch(n, 0);
    t_int(t, mst_nodes_change_end(n) - from, 1);
    t_int(t, n->changes.v[from - n->change_first], 0);
    /* The log forgets, its numbers go on. */
    for (uint32_t i = 0; i < 10000; i++)
        mst_nodes_touch(n, 0);
    t_int(t, mst_nodes_change_end(n) - from, 10001);
    t_ok(t, n->change_first > from);
    t_ok(t, n->changes.n < 10000);
    rows_free(r);
}

/* Names beyond the table share its last column, which no node offers. */
static void test_nodes_too_many_resources(struct mst_test *t)
{
    struct rows *r = rows_new("");
    struct mst_nodes *n = &r->cluster.nodes;
    uint32_t column = 0;
    for (uint32_t i = 0; i < MST_RES_MAX + 10; i++)
        column = mst_nodes_resource(n, rows_sym(r, mst_arena_printf(&r->arena, "e.com/%u", i).p));
    t_int(t, column, MST_RES_MAX - 1);
    t_int(t, n->resource_count, MST_RES_MAX);
    node(r, "a", mst_arena_printf(&r->arena, "e.com/1: 5, e.com/%u: 5", MST_RES_MAX + 9).p);
    t_int(t, n->allocatable[MST_RES_MAX - 1][0], 0);
    t_int(t, allocatable(r, "a", "e.com/1"), 5);
    t_int(t, mst_nodes_resource(n, rows_sym(r, "pods")), MST_RES_NONE);
    rows_free(r);
}

static void test_nodes_facts(struct mst_test *t)
{
    struct rows *r =
        rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {b: x, a: w}}, "
                 "spec: {unschedulable: true, taints: [{key: k, effect: NoExecute}]}, "
                 "status: {allocatable: {cpu: 2, pods: 3}}}");
    int64_t amounts[MST_RES_MAX];
    struct mst_node_facts facts;
    mst_nodes_facts(&r->cluster.nodes, 0, amounts, &facts);
    t_str(t, mst_sym_str(r->syms, facts.name), "n1");
    t_bool(t, facts.unschedulable, true);
    t_int(t, facts.pods_allowed, 3);
    t_int(t, facts.labels.n, 2);
    t_int(t, facts.taints.n, 1);
    t_int(t, facts.allocatable[MST_RES_CPU], 2000);
    rows_free(r);
}

/* Rows are found one by one and in blocks, wherever in the block they are. */
static void test_stale_rows_are_found(struct mst_test *t)
{
    enum { ROWS = 200 };
    struct rows *r = rows_new("");
    for (uint32_t i = 0; i < ROWS; i++)
        node(r, mst_arena_printf(&r->arena, "n%u", i).p, "cpu: 1");
    struct mst_nodes *n = &r->cluster.nodes;
    uint64_t seen[ROWS];
    memcpy(seen, n->stamp, sizeof(seen));
    t_int(t, mst_nodes_next_stale(n, seen, 0), ROWS);
    static const uint32_t changed[] = { 0, 1, 63, 64, 127, 190, 199 };
    for (size_t i = 0; i < MST_COUNT(changed); i++)
        mst_nodes_restamp(n, changed[i]);
    uint32_t row = mst_nodes_next_stale(n, seen, 0);
    for (size_t i = 0; i < MST_COUNT(changed); i++) {
        t_int(t, row, changed[i]);
        row = mst_nodes_next_stale(n, seen, row + 1);
    }
    t_int(t, row, ROWS);
    rows_free(r);
}

MST_TEST_MAIN(T(test_nodes_amounts), T(test_nodes_capacity_stands_in),
              T(test_nodes_removal_moves_the_last_row), T(test_nodes_many_rows_grow),
              T(test_nodes_changes_are_logged), T(test_nodes_too_many_resources),
              T(test_nodes_facts), T(test_stale_rows_are_found))
