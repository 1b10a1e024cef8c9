/* Source: kubernetes v1.37 client-go util/flowcontrol/throttle_test.go, re-expressed. */
#include "client/rate.h"
#include "tap.h"

#define SECOND INT64_C(1000000000)

static void test_rate_burst_then_steady(struct mst_test *t)
{
    struct mst_rate rate;
    mst_rate_init(&rate, 10, 3, 5 * SECOND);
    for (int i = 0; i < 3; i++)
        t_int(t, mst_rate_take(&rate, 5 * SECOND), 0);
    t_int(t, mst_rate_take(&rate, 5 * SECOND), SECOND / 10 + 1);
    t_int(t, mst_rate_take(&rate, 5 * SECOND + SECOND / 10 + 1), 0);
    t_ok(t, mst_rate_take(&rate, 5 * SECOND + SECOND / 10 + 1) > 0);
    /* An hour of rest is worth a burst, no more. */
    for (int i = 0; i < 3; i++)
        t_int(t, mst_rate_take(&rate, 3600 * SECOND), 0);
    t_ok(t, mst_rate_take(&rate, 3600 * SECOND) > 0);
}

/* Whoever waits exactly as long as told gets a token, and no more than the rate in all. */
static void test_rate_waits_as_told(struct mst_test *t)
{
    struct mst_rate rate;
    int64_t now = 1;
    uint32_t taken = 0;
    mst_rate_init(&rate, 50, 1, now);
    for (int i = 0; i < 10000 && now < 10 * SECOND; i++) {
        const int64_t wait = mst_rate_take(&rate, now);
        taken += wait == 0;
        now += wait;
    }
    t_ok(t, taken >= 499 && taken <= 502);
}

static void test_rate_edges(struct mst_test *t)
{
    struct mst_rate rate;
    mst_rate_init(&rate, 0, 1, 0);
    for (int i = 0; i < 1000; i++)
        t_int(t, mst_rate_take(&rate, 0), 0); /* unlimited */
    mst_rate_init(&rate, 1, 0, 100);
    t_int(t, mst_rate_take(&rate, 100), 0);        /* a burst of none is one */
    t_int(t, mst_rate_take(&rate, 0), SECOND + 1); /* time went backwards */
    mst_rate_init(&rate, 1e-12, 1, 0);
    t_int(t, mst_rate_take(&rate, 0), 0);
    t_int(t, mst_rate_take(&rate, 0), 3600 * SECOND + 1);
}

MST_TEST_MAIN(T(test_rate_burst_then_steady), T(test_rate_waits_as_told), T(test_rate_edges))
