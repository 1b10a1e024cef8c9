/*
 * backoff.c - exponential delays; the host's monotonic clock.
 */
#include "client/backoff.h"

#include <time.h>

int64_t mst_backoff_next(struct mst_backoff *b, struct mst_rng *rng, int64_t now_ms)
{
    mst_assert(b->min_ms > 0 && b->max_ms >= b->min_ms);
    if (b->next_ms == 0 || now_ms - b->until_ms > b->reset_ms)
        b->next_ms = b->min_ms;
    const int64_t delay_ms =
        b->next_ms + (int64_t)mst_rng_below(rng, (uint64_t)b->next_ms); /* jitter factor 1 */
    b->next_ms = MST_MIN(b->next_ms * 2, b->max_ms);
    b->until_ms = now_ms + delay_ms;
    return delay_ms;
}

int64_t mst_monotonic_ms(void)
{
    struct timespec now;
    const int rc = clock_gettime(CLOCK_MONOTONIC, &now);
    mst_assert(rc == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
