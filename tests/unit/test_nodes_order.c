/* Orders derived from the set of nodes: rank by name, list order by zones. */
#include "base/rng.h"
#include "cluster_rows.h"
#include "tap.h"

static void node(struct rows *r, const char *name, const char *labels)
{
    rows_apply(r,
               mst_arena_printf(&r->arena,
                                "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {%s}}}",
                                name, labels)
                   .p);
}

static void test_nodes_order_rank_is_bytewise(struct mst_test *t)
{
    struct rows *r = rows_new("");
    static const char *const names[] = { "n2", "n10", "n1", "N1", "m", "n1a" };
    for (size_t i = 0; i < MST_COUNT(names); i++)
        node(r, names[i], "");
    static const char *const sorted[] = { "N1", "m", "n1", "n10", "n1a", "n2" };
    for (uint32_t i = 0; i < MST_COUNT(sorted); i++)
        t_int(t, mst_nodes_rank(&r->cluster.nodes)[rows_node(r, sorted[i])], i);
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "m"));
    t_int(t, mst_nodes_rank(&r->cluster.nodes)[rows_node(r, "n2")], 4);
    t_int(t, mst_nodes_rank(&r->cluster.nodes)[rows_node(r, "N1")], 0);
    rows_free(r);
}

/* The ranks of random names, against counting. */
static void test_nodes_order_rank_twin(struct mst_test *t)
{
    struct rows *r = rows_new("");
    struct mst_nodes *n = &r->cluster.nodes;
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    for (uint32_t i = 0; i < 120; i++) {
        const char *name =
            mst_arena_printf(&r->arena, "x%llu", (unsigned long long)mst_rng_below(&rng, 300)).p;
        if (rows_node(r, name) == MST_ROW_NONE)
            node(r, name, "");
        else
            mst_cluster_node_remove(&r->cluster, rows_sym(r, name));
        const uint32_t *rank = mst_nodes_rank(n);
        for (uint32_t row = 0; row < n->count; row++) {
            uint32_t smaller = 0;
            for (uint32_t k = 0; k < n->count; k++)
                smaller += mst_str_cmp(mst_sym_str(r->syms, n->name[k]),
                                       mst_sym_str(r->syms, n->name[row])) < 0;
            t_int(t, rank[row], smaller);
        }
    }
    rows_free(r);
}

static struct mst_str list_order(struct rows *r)
{
    struct mst_nodes *n = &r->cluster.nodes;
    uint32_t *order = MST_NEW_N(&r->arena, uint32_t, n->count);
    mst_nodes_list_order(n, order);
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < n->count; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s%.*s", MST_ARG(text), i ? " " : "",
                                MST_ARG(mst_sym_str(r->syms, n->name[order[i]])));
    return text;
}

/* Upstream's node tree: zones take turns in order of appearance, arrival within a zone. */
static void test_nodes_order_zones_take_turns(struct mst_test *t)
{
    struct rows *r = rows_new("");
    node(r, "a1", "topology.kubernetes.io/zone: a");
    node(r, "a2", "topology.kubernetes.io/zone: a");
    node(r, "b1", "topology.kubernetes.io/zone: b");
    node(r, "none1", "");
    node(r, "a3", "topology.kubernetes.io/zone: a");
    node(r, "b2", "topology.kubernetes.io/zone: b");
    node(r, "b-old", "failure-domain.beta.kubernetes.io/zone: b");
    node(r, "other-region", "topology.kubernetes.io/zone: b, topology.kubernetes.io/region: r");
    t_str(t, list_order(r), "a1 b1 none1 other-region a2 b2 a3 b-old");
    mst_cluster_node_remove(&r->cluster, rows_sym(r, "a1"));
    t_str(t, list_order(r), "a2 b1 none1 other-region a3 b2 b-old");
    rows_free(r);
}

static void test_nodes_order_of_nothing(struct mst_test *t)
{
    struct rows *r = rows_new("");
    t_str(t, list_order(r), "");
    t_ok(t, mst_nodes_rank(&r->cluster.nodes) != NULL);
    rows_free(r);
}

MST_TEST_MAIN(T(test_nodes_order_rank_is_bytewise), T(test_nodes_order_rank_twin),
              T(test_nodes_order_zones_take_turns), T(test_nodes_order_of_nothing))
