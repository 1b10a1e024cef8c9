/* Topology domains: the nodes by the value of one label. */
#include "cluster_rows.h"
#include "tap.h"

static void test_domains_by_value(struct mst_test *t)
{
    struct rows *r = rows_new("");
    static const char *const zones[] = { "zone: b", "zone: a",    "",
                                         "zone: b", "zone: \"\"", "zone: a10" };
    for (uint32_t i = 0; i < MST_COUNT(zones); i++)
        rows_apply(r, mst_arena_printf(&r->arena,
                                       "{apiVersion: v1, kind: Node, metadata: {name: n%u, "
                                       "labels: {%s}}}",
                                       i, zones[i])
                          .p);
    struct mst_domains d;
    mst_cluster_domains(&r->cluster, rows_sym(r, "zone"), &r->arena, &d);
    static const struct {
        const char *value;
        uint32_t n, first;
    } want[] = { { "", 1, 4 }, { "a", 1, 1 }, { "a10", 1, 5 }, { "b", 2, 0 } };
    t_int(t, d.count, MST_COUNT(want));
    for (uint32_t i = 0; i < d.count; i++) {
        t_case(t, want[i].value);
        t_str(t, mst_sym_str(r->syms, d.value[i]), want[i].value);
        t_int(t, d.begin[i + 1] - d.begin[i], want[i].n);
        t_int(t, d.rows[d.begin[i]], want[i].first);
        for (uint32_t k = d.begin[i]; k < d.begin[i + 1]; k++) {
            t_int(t, d.domain_of[d.rows[k]], i);
            t_ok(t, k == d.begin[i] || d.rows[k - 1] < d.rows[k]);
        }
    }
    t_int(t, d.domain_of[2], MST_ROW_NONE); /* no label, no domain */
    t_int(t, d.set_generation, r->cluster.nodes.set_generation);
    rows_free(r);
}

static void test_domains_of_a_key_nobody_has(struct mst_test *t)
{
    struct rows *r = rows_new("{apiVersion: v1, kind: Node, metadata: {name: n0}}");
    struct mst_domains d;
    mst_cluster_domains(&r->cluster, rows_sym(r, "rack"), &r->arena, &d);
    t_int(t, d.count, 0);
    t_int(t, d.begin[0], 0);
    t_int(t, d.domain_of[0], MST_ROW_NONE);
    rows_free(r);
    r = rows_new("");
    mst_cluster_domains(&r->cluster, rows_sym(r, "rack"), &r->arena, &d);
    t_int(t, d.count, 0);
    rows_free(r);
}

MST_TEST_MAIN(T(test_domains_by_value), T(test_domains_of_a_key_nobody_has))
