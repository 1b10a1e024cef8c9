/*
 * percent_rows.h - amounts of cpu and memory that scorers by percent (plugins/percent.h) might get
 * wrong: whole percents, one unit beside them, nothing allocatable, overfull, huge, negative.
 */
#ifndef MST_TESTS_PERCENT_ROWS_H
#define MST_TESTS_PERCENT_ROWS_H

#include "base/rng.h"
#include "cluster/nodes.h"

static inline int64_t percent_random(struct mst_rng *rng, uint32_t bits)
{
    return (int64_t)mst_rng_below(rng, (uint64_t)1 << bits);
}

/* An allocatable of up to `bits` bits; half of them round numbers. */
static inline int64_t percent_allocatable(struct mst_rng *rng, uint32_t bits)
{
    const int64_t any = 1 + percent_random(rng, bits);
    const int64_t hundreds = any / 100 * 100;
    return mst_rng_below(rng, 2) && hundreds ? hundreds : any;
}

/* What is used so that with the request a whole percentage is, or just is not, taken. */
static inline int64_t percent_used(struct mst_rng *rng, int64_t alloc, int64_t request)
{
    const int64_t percent = (int64_t)mst_rng_below(rng, 104);
    const int64_t taken = (int64_t)((__int128)alloc * percent / 100);
    const int64_t used = taken - request + (int64_t)mst_rng_below(rng, 3) - 1;
    return MST_MAX(used, 0);
}

/*
 * Fills the first two resources of every row. odd_of_64: how many rows in 64 are of the kinds
 * above; the others are random.
 */
static inline void percent_rows_fill(struct mst_nodes *nodes, struct mst_rng *rng, uint32_t bits,
                                     const int64_t *request, uint32_t odd_of_64)
{
    for (uint32_t row = 0; row < nodes->count; row++) {
        const bool odd = mst_rng_below(rng, 64) < odd_of_64;
        for (uint32_t r = 0; r < MST_PERCENTS; r++) {
            int64_t alloc = percent_allocatable(rng, bits);
            int64_t used = (int64_t)mst_rng_below(rng, (uint64_t)alloc);
            if (odd) {
                used = percent_used(rng, alloc, request[r]);
                const uint64_t kind = mst_rng_below(rng, 40);
                alloc = kind == 0 ? 0 : kind == 1 ? (INT64_C(1) << 52) - 1 : alloc;
                used = kind == 2 ? -1 - percent_random(rng, 20) : kind == 3 ? alloc * 2 : used;
                used = kind == 4 ? INT64_C(1) << 54 : kind == 5 ? 0 : used;
            }
            nodes->allocatable[r][row] = alloc;
            nodes->requested[r][row] = used;
            /* The sums of NonZeroRequested are never less, but nothing may depend on that. */
            *(r == MST_RES_CPU ? &nodes->nonzero_cpu[row] : &nodes->nonzero_memory[row]) =
                odd && mst_rng_below(rng, 8) == 0 ? 0 : used;
        }
        mst_nodes_touch(nodes, row);
    }
}

/* Requests to go with rows of that size, now and then larger than any of them. */
static inline int64_t percent_request(struct mst_rng *rng, uint32_t bits)
{
    switch (mst_rng_below(rng, 6)) {
    case 0: return 0;
    case 1: return percent_random(rng, 3);
    case 2: return percent_random(rng, bits);
    case 3: return INT64_C(1) << mst_rng_below(rng, 54);
    default: return percent_random(rng, bits) / 20;
    }
}

#endif
