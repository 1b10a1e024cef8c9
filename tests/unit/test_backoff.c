/* Delays: how they grow, that they are spread, when they begin again. */
#include "client/backoff.h"

#include "tap.h"

static void test_backoff_grows(struct mst_test *t)
{
    static const int64_t least[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000 };
    struct mst_backoff b = { .min_ms = 800, .max_ms = 30000, .reset_ms = 120000 };
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    int64_t now_ms = 5;
    bool spread = false;
    for (size_t i = 0; i < MST_COUNT(least); i++) {
        const int64_t delay_ms = mst_backoff_next(&b, &rng, now_ms);
        t_ok(t, delay_ms >= least[i] && delay_ms < 2 * least[i]);
        spread |= delay_ms != least[i];
        now_ms += delay_ms + 1000;
    }
    t_ok(t, spread);
    now_ms += 118000; /* two minutes after the end of the last delay, but for a second */
    t_ok(t, mst_backoff_next(&b, &rng, now_ms) >= 30000);
    now_ms = b.until_ms + 120001;
    t_ok(t, mst_backoff_next(&b, &rng, now_ms) < 1600);
}

static void test_backoff_short(struct mst_test *t)
{
    static const int64_t least[] = { 800, 1600, 2500, 2500 };
    struct mst_backoff b = { .min_ms = 800, .max_ms = 30000, .reset_ms = 120000 };
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    int64_t now_ms = 5;
    for (size_t i = 0; i < MST_COUNT(least); i++) {
        const int64_t delay_ms = mst_backoff_short(&b, &rng, now_ms, 5000);
        t_ok(t, delay_ms >= least[i] && delay_ms < 2 * least[i]);
        now_ms += delay_ms;
    }
    /* Other failures go on from there, and are not forgotten. */
    t_ok(t, mst_backoff_next(&b, &rng, now_ms) >= 2500);
    t_ok(t, mst_backoff_next(&b, &rng, now_ms) >= 5000);
    t_ok(t, mst_backoff_short(&b, &rng, now_ms, 5000) < 5000);
    t_ok(t, mst_backoff_next(&b, &rng, now_ms) >= 10000);
    /* Who waits less anyway goes on waiting less. */
    b = (struct mst_backoff){ .min_ms = 1, .max_ms = 4, .reset_ms = 120000 };
    for (uint32_t i = 0; i < 8; i++)
        t_ok(t, mst_backoff_short(&b, &rng, now_ms, 5000) < 8);
}

static void test_backoff_clock(struct mst_test *t)
{
    const int64_t a = mst_monotonic_ms();
    t_ok(t, a > 0 && mst_monotonic_ms() >= a);
}

MST_TEST_MAIN(T(test_backoff_grows), T(test_backoff_short), T(test_backoff_clock))
