/*
 * backoff.c - exponential delays; the host's monotonic clock.
 */
#include "client/backoff.h"

#include <time.h>

/* A delay of `step_ms` before jitter, which adds up to as much again. */
static int64_t wait_for(struct mst_backoff *b, struct mst_rng *rng, int64_t now_ms, int64_t step_ms)
{
    const int64_t delay_ms = step_ms + (int64_t)mst_rng_below(rng, (uint64_t)step_ms);
    b->until_ms = now_ms + delay_ms;
    return delay_ms;
}

static void begin(struct mst_backoff *b, int64_t now_ms)
{
    mst_assert(b->min_ms > 0 && b->max_ms >= b->min_ms);
    if (b->next_ms == 0 || now_ms - b->until_ms > b->reset_ms)
        b->next_ms = b->min_ms;
}

int64_t mst_backoff_next(struct mst_backoff *b, struct mst_rng *rng, int64_t now_ms)
{
    begin(b, now_ms);
    const int64_t step_ms = b->next_ms;
    b->next_ms = MST_MIN(step_ms * 2, b->max_ms);
    return wait_for(b, rng, now_ms, step_ms);
}

int64_t mst_backoff_short(struct mst_backoff *b, struct mst_rng *rng, int64_t now_ms,
                          int64_t most_ms)
{
    mst_assert(most_ms > 1);
    begin(b, now_ms);
    const int64_t limit_ms = MST_MIN(b->max_ms, most_ms / 2);
    const int64_t step_ms = MST_MIN(b->next_ms, limit_ms);
    b->next_ms = MST_MAX(b->next_ms, MST_MIN(step_ms * 2, limit_ms));
    return wait_for(b, rng, now_ms, step_ms);
}

int64_t mst_monotonic_ms(void)
{
    struct timespec now;
    const int rc = clock_gettime(CLOCK_MONOTONIC, &now);
    mst_assert(rc == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
