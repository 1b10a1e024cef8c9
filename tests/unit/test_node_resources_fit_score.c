/* NodeResourcesFit: the three scoring strategies, worked values, and the naive twin. */
#include <math.h>

#include "base/rng.h"
#include "cluster_helper.h"
#include "percent_rows.h"
#include "plugins/node_resources_fit.h"
#include "plugins/registry.h"
#include "tap.h"

static const char cluster[] =
    "kind: Node\napiVersion: v1\nmetadata: {name: n1}\n"
    "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10, a.b/gpu: 4}}\n---\n"
    "kind: Node\napiVersion: v1\nmetadata: {name: cpuless}\n"
    "status: {allocatable: {memory: 8Gi, pods: 10}}\n---\n"
    "kind: Node\napiVersion: v1\nmetadata: {name: empty}\nstatus: {allocatable: {pods: 10}}\n---\n"
    "kind: Pod\napiVersion: v1\nmetadata: {name: used}\nspec: {nodeName: n1, containers: [{name: "
    "c, "
    "image: i, resources: {requests: {cpu: 1, memory: 2Gi, a.b/gpu: 1}}}]}\n---\n"
    "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, "
    "resources: {requests: {cpu: 500m, memory: 1Gi}}}]}\n---\n"
    "kind: Pod\napiVersion: v1\nmetadata: {name: bare}\nspec: {containers: [{name: c, image: i}]}\n"
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: big}\nspec: {containers: [{name: c, image: "
    "i, "
    "resources: {requests: {cpu: 5, memory: 1Gi, a.b/gpu: 1}}}]}\n";

#define RATIO "type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: ["
static const struct {
    const char *args, *pod, *node;
    int64_t score;
} worked[] = {
    { NULL, "p", "n1", 62 },      /* (62 + 62) / 2 */
    { NULL, "bare", "n1", 72 },   /* 100m and 200Mi by default: (72 + 72) / 2 */
    { NULL, "big", "n1", 31 },    /* (0 + 62) / 2 */
    { NULL, "p", "cpuless", 87 }, /* memory alone */
    { NULL, "p", "empty", 0 },
    { "{scoringStrategy: {type: MostAllocated}}", "p", "n1", 37 },
    { "{scoringStrategy: {type: MostAllocated}}", "big", "n1", 68 }, /* (100 + 37) / 2 */
    { "{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 3}, {name: "
      "memory}]}}",
      "big", "n1", 15 }, /* (3 * 0 + 62) / 4 */
    /* a scalar counts for pods that ask for it */
    { "{scoringStrategy: {type: LeastAllocated, resources: [{name: a.b/gpu}]}}", "big", "n1", 50 },
    { "{scoringStrategy: {type: LeastAllocated, resources: [{name: a.b/gpu}]}}", "p", "n1", 0 },
    { "{scoringStrategy: {type: LeastAllocated, resources: [{name: storage}, {name: cpu}]}}", "p",
      "n1", 62 },
    /* 37% used: 37 on the straight line; with scores that fall, 62 is 6.25 * 10 cut off */
    { "{scoringStrategy: {" RATIO "{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}}",
      "p", "n1", 37 },
    { "{scoringStrategy: {" RATIO "{utilization: 0, score: 10}, {utilization: 100, score: 0}]}}}",
      "p", "n1", 63 },
    /* cpu scores 0 and drops out of the weights: 37 of memory alone, not 18 */
    { "{scoringStrategy: {" RATIO "{utilization: 0, score: 0}, {utilization: 99, score: 10}, "
      "{utilization: 100, score: 0}]}}}",
      "big", "n1", 37 },
};

static void test_fit_score_worked_values(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worked); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, worked[i].args);
        t_case(t, worked[i].args ? worked[i].args : worked[i].pod);
        t_int(t, fixture_score(f, &p, worked[i].pod, worked[i].node), worked[i].score);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* The broken line of plugins.md 3.8, through a node that has 100 units. */
static void test_fit_score_broken_line(struct mst_test *t)
{
    static const int64_t used[] = { 0, 35, 70, 71, 85, 99, 100 };
    static const int64_t want[] = { 0, 40, 80, 78, 50, 22, 20 };
    static struct mst_shape_point points[] = { { 0, 0 }, { 70, 8 }, { 100, 2 } };
    struct mst_fixture *f = fixture_new("kind: Node\napiVersion: v1\nmetadata: {name: one}\n"
                                        "status: {allocatable: {cpu: 100m, pods: 1}}\n");
    const struct mst_fit_args args = { .strategy = MST_REQUESTED_TO_CAPACITY_RATIO,
                                       .shape = { points, MST_COUNT(points) } };
    for (size_t i = 0; i < MST_COUNT(used); i++) {
        struct mst_resource_input input = { MST_RES_CPU, 1, used[i] };
        const struct mst_resource_inputs inputs = { &input, 1, true };
        int64_t raw = -1;
        mst_fit_score(&f->cluster.nodes, &args, &inputs, 0, 1, &raw);
        t_int(t, raw, want[i]);
    }
    fixture_free(f);
}

/* ---- the twin ---- */

static int64_t naive(const struct mst_nodes *nodes, mst_scoring_strategy strategy,
                     const struct mst_resource_inputs *in, uint32_t row)
{
    int64_t sum = 0, weights = 0;
    for (uint32_t k = 0; k < in->n; k++) {
        const uint32_t r = in->v[k].column;
        const int64_t alloc = nodes->allocatable[r][row];
        const int64_t used = r == MST_RES_CPU      ? nodes->nonzero_cpu[row]
                             : r == MST_RES_MEMORY ? nodes->nonzero_memory[row]
                                                   : nodes->requested[r][row];
        const int64_t want = used + in->v[k].request;
        int64_t score;
        if (alloc == 0)
            continue;
        if (strategy == MST_LEAST_ALLOCATED)
            score = want > alloc ? 0 : (int64_t)((uint64_t)(alloc - want) * 100) / alloc;
        else
            score = (int64_t)((uint64_t)(want < alloc ? want : alloc) * 100) / alloc;
        sum += score * in->v[k].weight;
        weights += in->v[k].weight;
    }
    return weights ? sum / weights : 0;
}

/* Amounts where a rounded quotient could go wrong: exact percents and one unit beside them. */
static void fill(struct mst_nodes *nodes, const struct mst_resource_inputs *in, struct mst_rng *rng,
                 uint32_t bits)
{
    for (uint32_t row = 0; row < nodes->count; row++) {
        for (uint32_t k = 0; k < in->n; k++) {
            const uint32_t r = in->v[k].column;
            const uint64_t limit = (uint64_t)1 << bits;
            int64_t alloc = (int64_t)mst_rng_below(rng, limit);
            if (mst_rng_below(rng, 4) == 0)
                alloc = (int64_t)(limit - 1 - mst_rng_below(rng, 3));
            if (mst_rng_below(rng, 16) == 0)
                alloc = 0;
            const int64_t percent = (int64_t)mst_rng_below(rng, 102);
            int64_t want =
                (int64_t)((__int128)alloc * percent / 100) + (int64_t)mst_rng_below(rng, 3) - 1;
            want = MST_MAX(want, in->v[k].request);
            nodes->allocatable[r][row] = alloc;
            nodes->requested[r][row] = nodes->nonzero_cpu[row] = want - in->v[k].request;
            if (r == MST_RES_MEMORY)
                nodes->nonzero_memory[row] = want - in->v[k].request;
        }
        nodes->nonzero_cpu[row] = (int64_t)mst_rng_below(rng, (uint64_t)1 << (bits - 1));
        mst_nodes_touch(nodes, row);
    }
}

static void test_fit_score_agrees_with_naive_twin(struct mst_test *t)
{
    enum { ROWS = 600 };
    static const uint32_t bits[] = { 4, 13, 32, 40, 45, 46, 47, 53, 58 };
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < ROWS; i++)
        mst_buf_printf(&yaml,
                       "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\nstatus: "
                       "{allocatable: {a.b/gpu: 1}}\n",
                       i);
    mst_buf_char(&yaml, '\0');
    struct mst_fixture *f = fixture_new(yaml.p);
    struct mst_nodes *nodes = &f->cluster.nodes;
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    int64_t raw[ROWS];
    for (uint32_t round = 0; round < 60 * MST_COUNT(bits); round++) {
        struct mst_resource_input v[3] = { { MST_RES_CPU, 1, 0 },
                                           { MST_RES_MEMORY, 1, 0 },
                                           { MST_RES_FIXED, 1, 1 } };
        const struct mst_resource_inputs in = { v, 1 + (uint32_t)mst_rng_below(&rng, 3), true };
        for (uint32_t k = 0; k < 3; k++) {
            v[k].weight = 1 + (int32_t)mst_rng_below(&rng, 100);
            v[k].request = (int64_t)mst_rng_below(&rng, 8);
        }
        fill(nodes, &in, &rng, bits[round % MST_COUNT(bits)]);
        const struct mst_fit_args args = {
            .strategy = round & 1 ? MST_LEAST_ALLOCATED : MST_MOST_ALLOCATED,
        };
        mst_fit_score(nodes, &args, &in, 0, ROWS, raw);
        uint32_t wrong = 0;
        for (uint32_t row = 0; row < ROWS; row++)
            wrong += raw[row] != naive(nodes, args.strategy, &in, row);
        t_int(t, wrong, 0);
    }
    fixture_free(f);
}

static void test_fit_score_of_percents_agrees_with_naive_twin(struct mst_test *t)
{
    enum { ROWS = 600 };
    static const uint32_t bits[] = { 3, 7, 16, 24, 36, 45, 50 }, odd[] = { 0, 2, 20, 64 };
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < ROWS; i++)
        mst_buf_printf(&yaml, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\n", i);
    mst_buf_char(&yaml, '\0');
    struct mst_fixture *f = fixture_new(yaml.p);
    struct mst_nodes *nodes = &f->cluster.nodes;
    struct mst_rng rng;
    mst_rng_init(&rng, 12);
    int64_t raw[ROWS];
    const struct mst_fit_args args = { .strategy = MST_LEAST_ALLOCATED };
    for (uint32_t round = 0; round < 60 * MST_COUNT(bits); round++) {
        const uint32_t size = bits[round % MST_COUNT(bits)];
        const int64_t request[] = { percent_request(&rng, size), percent_request(&rng, size) };
        const int32_t weight = 1 + (int32_t)mst_rng_below(&rng, 3);
        struct mst_resource_input v[] = { { MST_RES_CPU, weight, request[0] },
                                          { MST_RES_MEMORY, weight, request[1] } };
        if (round & 1)
            v[0] = v[1], v[1] = (struct mst_resource_input){ MST_RES_CPU, weight, request[0] };
        const struct mst_resource_inputs in = { v, 2, true };
        percent_rows_fill(nodes, &rng, size, request, odd[round / 7 % MST_COUNT(odd)]);
        const uint32_t begin = (uint32_t)mst_rng_below(&rng, 5);
        mst_fit_score(nodes, &args, &in, begin, ROWS, raw);
        uint32_t wrong = 0;
        for (uint32_t row = begin; row < ROWS; row++)
            wrong += raw[row] != naive(nodes, args.strategy, &in, row);
        t_int(t, wrong, 0);
    }
    fixture_free(f);
}

MST_TEST_MAIN(T(test_fit_score_worked_values), T(test_fit_score_broken_line),
              T(test_fit_score_agrees_with_naive_twin),
              T(test_fit_score_of_percents_agrees_with_naive_twin))
