/* Taint sets and label sets are stored once; label keys become columns on demand. */
#include "cluster_rows.h"
#include "tap.h"

static void node(struct rows *r, const char *name, const char *labels, const char *taints)
{
    rows_apply(r,
               mst_arena_printf(&r->arena,
                                "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {%s}}, "
                                "spec: {taints: [%s]}}",
                                name, labels, taints)
                   .p);
}

static void test_nodes_sets_are_shared(struct mst_test *t)
{
    struct rows *r = rows_new("");
    struct mst_nodes *n = &r->cluster.nodes;
    node(r, "n1", "a: x, b: w", "{key: k, effect: NoSchedule}");
    node(r, "n2", "b: w, a: x", "{key: k, effect: NoSchedule}");
    node(r, "n3", "a: x", "");
    t_int(t, n->label_set[0], n->label_set[1]); /* whatever the order of the document */
    t_int(t, n->taint_set[0], n->taint_set[1]);
    t_ok(t, n->label_set[2] != n->label_set[0]);
    t_ok(t, n->taint_set[2] != n->taint_set[0]);
    uint32_t sets = n->label_sets.n, old = n->label_set[0];
    node(r, "n1", "a: z", "");
    node(r, "n1", "a: x, b: w", "");
    t_int(t, n->label_set[0], old); /* an id keeps its meaning */
    t_int(t, n->label_sets.n, sets + 1);
    rows_free(r);
}

/* The order of taints is the node's: the first that is not tolerated is named in the reason. */
static void test_nodes_sets_taints_keep_their_order(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1", "", "{key: b, effect: NoSchedule}, {key: a, value: v, effect: NoExecute}");
    node(r, "n2", "", "{key: a, value: v, effect: NoExecute}, {key: b, effect: NoSchedule}");
    struct mst_nodes *n = &r->cluster.nodes;
    t_ok(t, n->taint_set[0] != n->taint_set[1]);
    struct mst_taint_set set = n->taint_sets.v[n->taint_set[0]];
    t_int(t, set.n, 2);
    t_str(t, mst_sym_str(r->syms, set.v[0].key), "b");
    t_str(t, mst_sym_str(r->syms, set.v[1].value), "v");
    rows_free(r);
}

static void check_column(struct mst_test *t, struct rows *r, const char *key)
{
    const mst_sym *column = mst_nodes_label(&r->cluster.nodes, rows_sym(r, key));
    for (uint32_t row = 0; row < r->cluster.nodes.count; row++)
        t_int(t, column[row], mst_nodes_label_of(&r->cluster.nodes, row, rows_sym(r, key)));
}

static void test_nodes_sets_columns_follow(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1", "zone: a", "");
    t_str(t, mst_sym_str(r->syms, mst_nodes_label(&r->cluster.nodes, rows_sym(r, "zone"))[0]), "a");
    for (uint32_t i = 2; i < 150; i++) { /* past the first growth */
        node(r, mst_arena_printf(&r->arena, "n%u", i).p, i % 3 ? "zone: b, x: \"\"" : "x: c", "");
        if (i % 40 == 0)
            check_column(t, r, "zone");
    }
    node(r, "n1", "other: a", "");
    check_column(t, r, "zone");
    t_int(t, mst_nodes_label_of(&r->cluster.nodes, rows_node(r, "n1"), rows_sym(r, "zone")),
          MST_SYM_NONE);
    /* An empty value is a value. */
    t_int(t, mst_nodes_label_of(&r->cluster.nodes, rows_node(r, "n2"), rows_sym(r, "x")),
          MST_SYM_EMPTY);
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "n1"));
    check_column(t, r, "zone");
    check_column(t, r, "x");
    check_column(t, r, "nobody has it");
    rows_free(r);
}

static void test_nodes_sets_label_generation(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "n1", "zone: a", "");
    uint64_t before = r->cluster.nodes.label_generation;
    node(r, "n1", "zone: a", "{key: k, effect: NoSchedule}");
    t_int(t, r->cluster.nodes.label_generation, before);
    node(r, "n1", "zone: b", "");
    t_ok(t, r->cluster.nodes.label_generation > before);
    rows_free(r);
}

MST_TEST_MAIN(T(test_nodes_sets_are_shared), T(test_nodes_sets_taints_keep_their_order),
              T(test_nodes_sets_columns_follow), T(test_nodes_sets_label_generation))
