/*
 * rate.h - a token bucket: so many a second in the long run, so many at once.
 *
 * Pure: time is the caller's. Source: kubernetes v1.37 client-go util/flowcontrol.
 */
#ifndef MST_RATE_H
#define MST_RATE_H

#include "base/base.h"

struct mst_rate {
    double per_second; /* <= 0: unlimited */
    double burst;
    double tokens;
    int64_t at_ns; /* when `tokens` was right */
};

/* Full. burst < 1 counts as 1. */
void mst_rate_init(struct mst_rate *rate, double per_second, int32_t burst, int64_t now_ns);
/*
 * Takes a token if there is one.
 *
 * Returns 0 when it did, else in how many ns (at least 1) there will be one.
 */
int64_t mst_rate_take(struct mst_rate *rate, int64_t now_ns);
/* What mst_rate_take would return; takes none. */
int64_t mst_rate_wait(const struct mst_rate *rate, int64_t now_ns);

#endif
