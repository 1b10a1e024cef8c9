/*
 * score_range.h - the smallest and the largest raw score over the feasible rows.
 */
#ifndef MST_SCORE_RANGE_H
#define MST_SCORE_RANGE_H

#include "framework/plugin.h"

struct mst_score_range {
    int64_t min, max;
};

/*
 * Over raw[i] where verdict[i] is MST_VERDICT_OK. `floor` is where the maximum begins, INT64_MIN or
 * what normalisation assumes; without a feasible row the answer is { INT64_MAX, floor }. O(n).
 */
struct mst_score_range mst_score_range_of(const mst_verdict *verdict, const int64_t *raw,
                                          int64_t floor, uint32_t n);

#endif
