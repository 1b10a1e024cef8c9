/* The derived percents of rows: their values, odd rows, and that every change keeps them. */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "cluster_rows.h"
#include "percent_rows.h"
#include "tap.h"

#define NODE "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {"
#define POD(name, requests)                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: " name "}, spec: {nodeName: n1, " \
    "containers: [{name: c, image: i, resources: {requests: {" requests "}}}]}}"

static void test_percents_values(struct mst_test *t)
{
    struct rows *r = rows_new(NODE "cpu: 4, memory: 1000, pods: 9}}");
    const struct mst_nodes *nodes = &r->cluster.nodes;
    t_ok(t, nodes->percent_unit[MST_RES_CPU][0] == 0.025f);
    t_ok(t, nodes->percent_free[MST_RES_CPU][0] == 100);
    t_ok(t, nodes->percent_used[MST_RES_CPU][0] == 0);
    t_int(t, nodes->evenness[0], 100);
    rows_apply(r, POD("p", "cpu: 1, memory: 750"));
    t_ok(t, nodes->percent_free[MST_RES_CPU][0] == 75);
    t_ok(t, nodes->percent_used[MST_RES_CPU][0] == 25);
    t_ok(t, nodes->percent_used[MST_RES_MEMORY][0] == 75);
    t_int(t, nodes->evenness[0], 75); /* half the gap of 50 */
    rows_apply(r, POD("q", "cpu: 5, memory: 0"));
    t_ok(t, nodes->percent_free[MST_RES_CPU][0] == -50);
    t_ok(t, nodes->percent_used[MST_RES_CPU][0] == 150);
    t_int(t, nodes->evenness[0], 87); /* 100 against 75 */
    rows_apply(r, NODE "cpu: 8, memory: 1000, pods: 9}}");
    t_ok(t, nodes->percent_used[MST_RES_CPU][0] == 75);
    t_int(t, nodes->evenness[0], 100);
    mst_cluster_check(&r->cluster);
    rows_free(r);
}

/* As without pods, which is what the rows must say in the end. */
static void empty_row(struct mst_nodes *nodes)
{
    nodes->allocatable[0][0] = nodes->allocatable[1][0] = 1000;
    nodes->requested[0][0] = nodes->requested[1][0] = 0;
    nodes->nonzero_cpu[0] = nodes->nonzero_memory[0] = 0;
    mst_nodes_touch(nodes, 0);
}

static void test_percents_odd_rows(struct mst_test *t)
{
    static const struct {
        const char *name;
        int64_t allocatable, requested, nonzero;
        bool odd;
    } cases[] = {
        { "nothing allocatable", 0, 0, 0, true },
        { "negative sum", 10, -1, 0, true },
        { "negative nonzero", 10, 0, -1, true },
        { "2^52 allocatable", INT64_C(1) << 52, 0, 0, true },
        { "2^52 requested", 10, INT64_C(1) << 52, 0, true },
        { "2^52 nonzero", 10, 0, INT64_C(1) << 52, true },
        { "just below", (INT64_C(1) << 52) - 1, (INT64_C(1) << 52) - 1, 0, false },
        { "overfull", 1, (INT64_C(1) << 52) - 1, (INT64_C(1) << 52) - 1, false },
    };
    struct rows *r = rows_new(NODE "cpu: 4, memory: 1000}}");
    struct mst_nodes *nodes = &r->cluster.nodes;
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        for (uint32_t k = 0; k < MST_PERCENTS; k++) {
            t_case(t, cases[i].name);
            empty_row(nodes);
            nodes->allocatable[k][0] = cases[i].allocatable;
            nodes->requested[k][0] = cases[i].requested;
            *(k == MST_RES_CPU ? nodes->nonzero_cpu : nodes->nonzero_memory) = cases[i].nonzero;
            mst_nodes_touch(nodes, 0);
            for (uint32_t j = 0; j < MST_PERCENTS; j++) { /* one odd resource makes an odd row */
                t_bool(t, nodes->percent_unit[j][0] == 0, cases[i].odd);
                t_bool(t, nodes->percent_free[j][0] == 50, cases[i].odd);
            }
        }
    }
    empty_row(nodes);
    rows_free(r);
}

static bool near(float got, long double want)
{
    return fabsl((long double)got - want) <= fabsl(want) * (1 + 0x1p-20L) / 0x1p24L;
}

static void test_percents_are_true_values_rounded(struct mst_test *t)
{
    struct rows *r = rows_new(NODE "cpu: 4, memory: 1000}}");
    struct mst_nodes *nodes = &r->cluster.nodes;
    struct mst_rng rng;
    mst_rng_init(&rng, 11);
    uint32_t wrong = 0, plain = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        const uint32_t bits = 3 + (uint32_t)mst_rng_below(&rng, 48);
        const int64_t request[MST_PERCENTS] = { 0, 0 };
        percent_rows_fill(nodes, &rng, bits, request, 32);
        if (nodes->percent_unit[0][0] == 0)
            continue;
        plain++;
        for (uint32_t k = 0; k < MST_PERCENTS; k++) {
            const long double a = (long double)nodes->allocatable[k][0];
            const long double u = (long double)nodes->requested[k][0];
            const long double n = (long double)(k ? nodes->nonzero_memory : nodes->nonzero_cpu)[0];
            wrong += !near(nodes->percent_unit[k][0], 100 / a);
            wrong += !near(nodes->percent_free[k][0], (a - n) * 100 / a);
            wrong += !near(nodes->percent_used[k][0], u * 100 / a);
        }
    }
    t_int(t, wrong, 0);
    t_ok(t, plain > 15000);
    empty_row(nodes);
    rows_free(r);
}

static void test_percents_move_with_rows(struct mst_test *t)
{
    struct rows *r = rows_new(NODE "cpu: 4, memory: 1000}}\n---\n"
                                   "{apiVersion: v1, kind: Node, metadata: {name: n2}, status: "
                                   "{allocatable: {cpu: 1, memory: 10}}}");
    struct mst_nodes *nodes = &r->cluster.nodes;
    const float unit = nodes->percent_unit[MST_RES_MEMORY][1];
    t_ok(t, unit == 10);
    t_int(t, mst_nodes_remove(nodes, 0), 1);
    t_ok(t, nodes->percent_unit[MST_RES_MEMORY][0] == unit);
    t_ok(t, nodes->percent_free[MST_RES_CPU][0] == 100);
    mst_cluster_check(&r->cluster);
    rows_free(r);
}

MST_TEST_MAIN(T(test_percents_values), T(test_percents_odd_rows),
              T(test_percents_are_true_values_rounded), T(test_percents_move_with_rows))
