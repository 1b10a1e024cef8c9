/*
 * test_score_range.c - the range of scores against the obvious loop.
 */
#include "plugins/score_range.h"

#include "base/rng.h"
#include "tests/tap.h"

enum { ROWS_MAX = 41, ROUNDS = 2000 };

static struct mst_score_range obvious(const mst_verdict *verdict, const int64_t *raw, int64_t floor,
                                      uint32_t n)
{
    struct mst_score_range range = { INT64_MAX, floor };
    for (uint32_t i = 0; i < n; i++) {
        if (verdict[i] != MST_VERDICT_OK)
            continue;
        range.min = raw[i] < range.min ? raw[i] : range.min;
        range.max = raw[i] > range.max ? raw[i] : range.max;
    }
    return range;
}

static void test_score_range_random(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        mst_verdict verdict[ROWS_MAX];
        int64_t raw[ROWS_MAX];
        uint32_t n = (uint32_t)mst_rng_below(&rng, ROWS_MAX + 1);
        for (uint32_t i = 0; i < n; i++) {
            verdict[i] = mst_rng_below(&rng, 3) ? MST_VERDICT_OK : MST_VERDICT_UNRESOLVABLE | i;
            raw[i] = mst_rng_below(&rng, 9) ? (int64_t)mst_rng_below(&rng, 200) - 100
                                            : (int64_t)mst_rng_next(&rng);
        }
        int64_t floor = round % 2 ? 0 : INT64_MIN;
        struct mst_score_range want = obvious(verdict, raw, floor, n);
        struct mst_score_range got = mst_score_range_of(verdict, raw, floor, n);
        t_int(t, got.min, want.min);
        t_int(t, got.max, want.max);
    }
}

static void test_score_range_nothing_feasible(struct mst_test *t)
{
    const mst_verdict verdict[] = { 7, 7, 7, 7, 7 };
    const int64_t raw[] = { 1, 2, 3, 4, 5 };
    struct mst_score_range got = mst_score_range_of(verdict, raw, 0, MST_COUNT(raw));
    t_ok(t, got.min == INT64_MAX && got.max == 0);
}

MST_TEST_MAIN(T(test_score_range_random), T(test_score_range_nothing_feasible))
