/*
 * rate.c - a token bucket: so many a second in the long run, so many at once.
 *
 * Invariants: 0 <= tokens <= burst; time that goes backwards adds nothing.
 */
#include "client/rate.h"

#define SECOND_NS 1e9
/* What rounding may take from a token that is due. */
#define TOKEN_ALMOST (1 - 1e-9)

void mst_rate_init(struct mst_rate *rate, double per_second, int32_t burst, int64_t now_ns)
{
    rate->per_second = per_second;
    rate->burst = MST_MAX(burst, 1);
    rate->tokens = rate->burst;
    rate->at_ns = now_ns;
}

static double tokens_at(const struct mst_rate *rate, int64_t now_ns)
{
    if (now_ns <= rate->at_ns)
        return rate->tokens;
    const double more = (double)(now_ns - rate->at_ns) * rate->per_second / SECOND_NS;
    return MST_MIN(rate->tokens + more, rate->burst);
}

int64_t mst_rate_wait(const struct mst_rate *rate, int64_t now_ns)
{
    if (rate->per_second <= 0)
        return 0;
    const double tokens = tokens_at(rate, now_ns);
    if (tokens >= TOKEN_ALMOST)
        return 0;
    /* Whoever asks for one a century is told to ask again in an hour. */
    const double wait_ns = (1 - tokens) / rate->per_second * SECOND_NS;
    return (int64_t)MST_MIN(wait_ns, 3600 * SECOND_NS) + 1;
}

int64_t mst_rate_take(struct mst_rate *rate, int64_t now_ns)
{
    const int64_t wait_ns = mst_rate_wait(rate, now_ns);
    if (rate->per_second <= 0)
        return wait_ns;
    rate->tokens = tokens_at(rate, now_ns);
    rate->at_ns = MST_MAX(rate->at_ns, now_ns);
    if (wait_ns == 0)
        rate->tokens = MST_MAX(rate->tokens - 1, 0.0);
    return wait_ns;
}
