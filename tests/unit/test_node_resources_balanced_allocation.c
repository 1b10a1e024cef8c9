/* NodeResourcesBalancedAllocation: worked values, Skip, and the naive twin. */
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "cluster_helper.h"
#include "percent_rows.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, alloc)                                                                          \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nstatus: {allocatable: {" alloc   \
    "}}\n"
#define POD(name, spec, requests)                                                                  \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name "}\nspec: {" spec                     \
    "containers: [{name: c, image: i, resources: {requests: {" requests "}}}]}\n"
#define SIZE "cpu: 4, memory: 8Gi, pods: 10"

/* clang-format off */
static const char cluster[] =
    NODE("even", SIZE)
    NODE("empty", SIZE)
    NODE("memory", SIZE)
    NODE("nothing", "pods: 10")
    NODE("cpuless", "memory: 8Gi")
    NODE("gpu", SIZE ", a.b/gpu: 4")
    POD("u1", "nodeName: even, ", "cpu: 1, memory: 2Gi")
    POD("u2", "nodeName: memory, ", "cpu: 1, memory: 3Gi")
    POD("small", "", "cpu: 500m, memory: 1Gi")
    POD("lopsided", "", "cpu: 2, memory: 1Gi")
    POD("cpu", "", "cpu: 2")
    POD("over", "", "cpu: 100, memory: 100Gi")
    POD("besteffort", "", "")
    POD("other", "", "ephemeral-storage: 1Gi")
    POD("gpus", "", "cpu: 2, memory: 1Gi, a.b/gpu: 4");
/* clang-format on */

#define THREE "{resources: [{name: cpu}, {name: memory}, {name: a.b/gpu}]}"
static const struct {
    const char *args, *pod, *node;
    int64_t score;
} worked[] = {
    { NULL, "small", "even", 75 },     /* with 100, without 100 */
    { NULL, "lopsided", "empty", 65 }, /* with 81, without 100 */
    { NULL, "cpu", "memory", 69 },     /* with 81, without 93 */
    { NULL, "over", "empty", 75 },     /* fractions end at 1 */
    { NULL, "small", "nothing", 75 },
    { NULL, "lopsided", "cpuless", 75 }, /* one resource is even with itself */
    { NULL, "besteffort", "empty", FIXTURE_SKIPPED },
    { NULL, "other", "empty", FIXTURE_SKIPPED },
    { "{resources: [{name: ephemeral-storage}]}", "other", "empty", 75 },
    { "{resources: [{name: ephemeral-storage}]}", "small", "empty", FIXTURE_SKIPPED },
    /* 0.5, 0.125, 1: mean 0.5416, deviation 0.3584: with 64, without 100 */
    { THREE, "gpus", "gpu", 57 },
    { THREE, "lopsided", "gpu", 65 }, /* a scalar that is not asked for is left out */
    { THREE, "gpus", "empty", 65 },   /* and one that the node lacks */
};

static void test_balanced_worked_values(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worked); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p =
            fixture_plugin(f, &mst_plugin_node_resources_balanced_allocation, worked[i].args);
        t_case(t, worked[i].pod);
        t_int(t, fixture_score(f, &p, worked[i].pod, worked[i].node), worked[i].score);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* Upstream's steps, one row at a time. */
static int64_t naive_balance(int64_t amount0, int64_t alloc0, int64_t amount1, int64_t alloc1)
{
    double fractions[2];
    uint32_t n = 0;
    if (alloc0) {
        const double x = (double)amount0 / (double)alloc0;
        fractions[n++] = x > 1 ? 1 : x;
    }
    if (alloc1) {
        const double x = (double)amount1 / (double)alloc1;
        fractions[n++] = x > 1 ? 1 : x;
    }
    const double deviation = n == 2 ? fabs((fractions[0] - fractions[1]) / 2) : 0;
    return (int64_t)((1 - deviation) * 100);
}

static void test_balanced_agrees_with_naive_twin(struct mst_test *t)
{
    enum { ROWS = 600 };
    static const uint32_t bits[] = { 3, 12, 36, 51, 52, 60 };
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < ROWS; i++)
        mst_buf_printf(&yaml, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\n", i);
    mst_buf_text(&yaml, POD("p", "", "cpu: 300m, memory: 77"));
    mst_buf_char(&yaml, '\0');
    struct mst_fixture *f = fixture_new(yaml.p);
    struct mst_nodes *nodes = &f->cluster.nodes;
    struct fixture_plugin p =
        fixture_plugin(f, &mst_plugin_node_resources_balanced_allocation, NULL);
    struct mst_rng rng;
    mst_rng_init(&rng, 3);
    for (uint32_t round = 0; round < 20 * MST_COUNT(bits); round++) {
        const uint64_t limit = (uint64_t)1 << bits[round % MST_COUNT(bits)];
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t row = 0; row < ROWS; row++) {
                nodes->allocatable[r][row] =
                    mst_rng_below(&rng, 9) ? (int64_t)mst_rng_below(&rng, limit) : 0;
                nodes->requested[r][row] = (int64_t)mst_rng_below(&rng, limit);
            }
        }
        for (uint32_t row = 0; row < ROWS; row++)
            mst_nodes_touch(nodes, row);
        struct mst_pre_score pre;
        const int64_t *got = fixture_scores(f, &p, "p", &pre);
        uint32_t wrong = 0;
        for (uint32_t row = 0; row < ROWS; row++) {
            const int64_t a0 = nodes->allocatable[0][row], a1 = nodes->allocatable[1][row];
            const int64_t u0 = nodes->requested[0][row], u1 = nodes->requested[1][row];
            const int64_t with = naive_balance(u0 + 300, a0, u1 + 77, a1);
            const int64_t without = naive_balance(u0, a0, u1, a1);
            wrong += got[row] != 50 + (50 + with - without) / 2;
        }
        t_int(t, wrong, 0);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_balanced_percents_agree_with_naive_twin(struct mst_test *t)
{
    enum { ROWS = 600, PODS = 24 };
    static const uint32_t bits[] = { 3, 7, 16, 24, 36, 45, 50 }, odd[] = { 0, 2, 20, 64 };
    struct mst_rng rng;
    mst_rng_init(&rng, 13);
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < ROWS; i++)
        mst_buf_printf(&yaml, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\n", i);
    int64_t request[PODS][2];
    for (uint32_t i = 0; i < PODS; i++) {
        for (uint32_t k = 0; k < 2; k++)
            request[i][k] = percent_request(&rng, bits[i % MST_COUNT(bits)]);
        mst_buf_printf(&yaml, POD("p%u", "", "cpu: %lldm, memory: %lld"), i,
                       (long long)request[i][0], (long long)request[i][1]);
    }
    mst_buf_char(&yaml, '\0');
    struct mst_fixture *f = fixture_new(yaml.p);
    struct mst_nodes *nodes = &f->cluster.nodes;
    struct fixture_plugin p =
        fixture_plugin(f, &mst_plugin_node_resources_balanced_allocation, NULL);
    for (uint32_t round = 0; round < 12 * PODS; round++) {
        const uint32_t i = round % PODS;
        if (request[i][0] == 0 && request[i][1] == 0)
            continue; /* Skip */
        percent_rows_fill(nodes, &rng, bits[i % MST_COUNT(bits)], request[i],
                          odd[round / PODS % MST_COUNT(odd)]);
        char pod[16];
        snprintf(pod, sizeof(pod), "p%u", i);
        struct mst_pre_score pre;
        const int64_t *got = fixture_scores(f, &p, pod, &pre);
        uint32_t wrong = 0;
        for (uint32_t row = 0; row < ROWS; row++) {
            const int64_t a0 = nodes->allocatable[0][row], a1 = nodes->allocatable[1][row];
            const int64_t u0 = nodes->requested[0][row], u1 = nodes->requested[1][row];
            const int64_t with = naive_balance(u0 + request[i][0], a0, u1 + request[i][1], a1);
            const int64_t without = naive_balance(u0, a0, u1, a1);
            wrong += got[row] != 50 + (50 + with - without) / 2;
        }
        t_int(t, wrong, 0);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_balanced_bad_args_are_errors(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_err err = { 0 };
    const struct fixture_plugin p =
        fixture_plugin_try(f, &mst_plugin_node_resources_balanced_allocation,
                           "{resources: [{name: cpu, weight: 2}]}", &err);
    t_ok(t, p.instance == NULL);
    t_text(t, err.text, "resources[0].weight: Invalid value: 2: must be 1");
    fixture_free(f);
}

MST_TEST_MAIN(T(test_balanced_worked_values), T(test_balanced_agrees_with_naive_twin),
              T(test_balanced_percents_agree_with_naive_twin), T(test_balanced_bad_args_are_errors))
