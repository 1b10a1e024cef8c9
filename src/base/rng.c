/*
 * rng.c - xoshiro256** seeded through splitmix64.
 *
 * Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators" (2018); bounded
 *         draws after Lemire, "Fast Random Integer Generation in an Interval" (2019).
 */
#include "base/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void mst_rng_init(struct mst_rng *rng, uint64_t seed)
{
    /* Four outputs of splitmix64 are never all zero, the one state that xoshiro cannot leave. */
    for (size_t i = 0; i < MST_COUNT(rng->s); i++)
        rng->s[i] = splitmix64(&seed);
}

static inline uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t mst_rng_next(struct mst_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t mst_rng_below(struct mst_rng *rng, uint64_t bound)
{
    mst_assert(bound > 0);
    /* The high word of the product is uniform once the low words that come up too often are out. */
    unsigned __int128 product = (unsigned __int128)mst_rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold)
            product = (unsigned __int128)mst_rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}
