/*
 * test_rng.c - the generator against published values, and what bounded draws promise.
 */
#include "base/rng.h"
#include "tap.h"

static void test_xoshiro_reference(struct mst_test *t)
{
    /* First outputs from the state {1, 2, 3, 4}. */
    static const uint64_t want[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct mst_rng rng = { { 1, 2, 3, 4 } };
    for (size_t i = 0; i < MST_COUNT(want); i++)
        t_ok(t, mst_rng_next(&rng) == want[i]);
}

static void test_seed_is_spread_by_splitmix(struct mst_test *t)
{
    /* The first outputs of splitmix64 for the seed 1234567. */
    static const uint64_t want[] = {
        UINT64_C(6457827717110365317),
        UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431),
    };
    struct mst_rng rng;
    mst_rng_init(&rng, 1234567);
    for (size_t i = 0; i < MST_COUNT(want); i++)
        t_ok(t, rng.s[i] == want[i]);
    mst_rng_init(&rng, 0);
    t_ok(t, (rng.s[0] | rng.s[1] | rng.s[2] | rng.s[3]) != 0);
}

static void test_same_seed_same_numbers(struct mst_test *t)
{
    struct mst_rng a, b, c;
    mst_rng_init(&a, 42);
    mst_rng_init(&b, 42);
    mst_rng_init(&c, 43);
    bool same = true, other = false;
    for (int i = 0; i < 100; i++) {
        uint64_t x = mst_rng_next(&a);
        same &= x == mst_rng_next(&b);
        other |= x != mst_rng_next(&c);
    }
    t_bool(t, same, true);
    t_bool(t, other, true);
}

static void test_below_stays_below(struct mst_test *t)
{
    static const uint64_t bounds[] = { 1, 2, 3, 10, UINT64_C(1) << 32, UINT64_MAX };
    struct mst_rng rng;
    mst_rng_init(&rng, 9);
    for (size_t b = 0; b < MST_COUNT(bounds); b++) {
        bool below = true;
        for (int i = 0; i < 1000; i++)
            below &= mst_rng_below(&rng, bounds[b]) < bounds[b];
        t_bool(t, below, true);
    }
}

static void test_below_is_uniform(struct mst_test *t)
{
    enum { BOUND = 7, DRAWS = 700000 };
    uint32_t count[BOUND] = { 0 };
    struct mst_rng rng;
    mst_rng_init(&rng, 17);
    for (int i = 0; i < DRAWS; i++)
        count[mst_rng_below(&rng, BOUND)]++;
    /* Five standard deviations of a binomial count: sqrt(700000 * 1/7 * 6/7) = 293. */
    for (int i = 0; i < BOUND; i++)
        t_ok(t, count[i] > DRAWS / BOUND - 1465 && count[i] < DRAWS / BOUND + 1465);
}

/* 3/4 of the range: without rejection the low third of values would come up twice as often. */
static void test_below_rejects_bias_of_large_bounds(struct mst_test *t)
{
    const uint64_t bound = UINT64_C(3) << 62;
    enum { DRAWS = 90000 };
    uint32_t low = 0;
    struct mst_rng rng;
    mst_rng_init(&rng, 23);
    for (int i = 0; i < DRAWS; i++)
        low += mst_rng_below(&rng, bound) % 3 == 0;
    t_ok(t, low > DRAWS / 3 - 710 && low < DRAWS / 3 + 710);
}

MST_TEST_MAIN(T(test_xoshiro_reference), T(test_seed_is_spread_by_splitmix),
              T(test_same_seed_same_numbers), T(test_below_stays_below), T(test_below_is_uniform),
              T(test_below_rejects_bias_of_large_bounds))
