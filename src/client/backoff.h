/*
 * backoff.h - how long to wait before the next try: twice as long each time, with jitter, and from
 * the start again after a time without trouble.
 *
 * Source: kubernetes v1.37 client-go tools/cache/reflector.go, apimachinery util/wait (DelayFunc).
 */
#ifndef MST_BACKOFF_H
#define MST_BACKOFF_H

#include "base/rng.h"

struct mst_backoff {
    int64_t min_ms, max_ms; /* of a delay before jitter, which adds up to as much again */
    int64_t reset_ms;       /* so long without a delay, and the next one is the first */
    int64_t next_ms;        /* 0: min_ms */
    int64_t until_ms;       /* when the last delay was over */
};

/* The delay before a try after one that failed at `now_ms`, of a clock that only goes forward. */
int64_t mst_backoff_next(struct mst_backoff *backoff, struct mst_rng *rng, int64_t now_ms);

/*
 * The same for a failure that costs nobody anything: it waits no longer than `most_ms`, jitter
 * included, and what other failures wait does not grow beyond that because of it.
 */
int64_t mst_backoff_short(struct mst_backoff *backoff, struct mst_rng *rng, int64_t now_ms,
                          int64_t most_ms);

/* The monotonic clock. */
int64_t mst_monotonic_ms(void);

#endif
