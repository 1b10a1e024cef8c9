/* The verdict cache against the plain algorithm (eval_twin.h), pods that do not speak of pods. */
#include "eval_twin.h"

enum { SEEDS = 220 };

static void run(struct mst_test *t, uint64_t seed, bool upstream, const char *config,
                uint32_t node_max)
{
    const struct twin twin = {
        .seed = seed, .upstream = upstream, .config = config, .node_max = node_max
    };
    twin_run(t, &twin);
}

static void test_eval_twin_small_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, NULL, 1 + (uint32_t)seed % 40);
}

static void test_eval_twin_without_scores(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 10 && !t->failures; seed++)
        run(t, seed, seed % 2, TWIN_NO_SCORES, 3 + (uint32_t)seed);
}

static void test_eval_twin_sampling(struct mst_test *t)
{
    static const char most[] = TWIN_CONFIG "percentageOfNodesToScore: 90\n";
    for (uint64_t seed = 1; seed <= 4 && !t->failures; seed++) {
        run(t, seed, true, NULL, 260);
        run(t, seed, false, TWIN_HALF, 260);
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
