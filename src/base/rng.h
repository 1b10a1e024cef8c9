/*
 * rng.h - a seeded generator (xoshiro256**), the same numbers on every machine.
 */
#ifndef MST_RNG_H
#define MST_RNG_H

#include "base/base.h"

struct mst_rng {
    uint64_t s[4];
};

void mst_rng_init(struct mst_rng *rng, uint64_t seed);
uint64_t mst_rng_next(struct mst_rng *rng);
/* Uniform in [0, bound), without bias; bound > 0. */
uint64_t mst_rng_below(struct mst_rng *rng, uint64_t bound);

#endif
