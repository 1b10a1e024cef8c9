/*
 * score_range.c - the smallest and the largest raw score over the feasible rows.
 *
 * Four rows at a time: compilers do not see by themselves how to mix a column of 32-bit verdicts
 * with one of 64-bit scores.
 */
#include "plugins/score_range.h"

#include "base/vector.h"

enum { QUAD = 4 };
typedef int64_t quad __attribute__((vector_size(QUAD * sizeof(int64_t))));
typedef int32_t half_quad __attribute__((vector_size(QUAD * sizeof(int32_t))));

_Static_assert(MST_VERDICT_OK == 0, "the lanes compare with zero");

MST_VECTOR
static struct mst_score_range score_range(const mst_verdict *verdict, const int64_t *raw,
                                          int64_t floor, uint32_t n)
{
    const quad top = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };
    const quad bottom = { floor, floor, floor, floor };
    quad min = top, max = bottom;
    uint32_t i = 0;
    for (; i + QUAD <= n; i += QUAD) {
        half_quad v;
        quad value;
        memcpy(&v, verdict + i, sizeof(v));
        memcpy(&value, raw + i, sizeof(value));
        const quad ok = __builtin_convertvector(v == 0, quad);
        const quad low = (value & ok) | (top & ~ok), high = (value & ok) | (bottom & ~ok);
        const quad less = low<min, more = high> max;
        min = (low & less) | (min & ~less);
        max = (high & more) | (max & ~more);
    }
    struct mst_score_range range = {
        MST_MIN(MST_MIN(min[0], min[1]), MST_MIN(min[2], min[3])),
        MST_MAX(MST_MAX(max[0], max[1]), MST_MAX(max[2], max[3])),
    };
    for (; i < n; i++) {
        if (verdict[i] != MST_VERDICT_OK)
            continue;
        range.min = MST_MIN(range.min, raw[i]);
        range.max = MST_MAX(range.max, raw[i]);
    }
    return range;
}

struct mst_score_range mst_score_range_of(const mst_verdict *verdict, const int64_t *raw,
                                          int64_t floor, uint32_t n)
{
    return score_range(verdict, raw, floor, n);
}
