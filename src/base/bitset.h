/*
 * bitset.h - a fixed-size set of small integers. Zero-initialised is the empty set of size 0.
 */
#ifndef MST_BITSET_H
#define MST_BITSET_H

#include "base/mem.h"

struct mst_bitset {
    uint64_t *words;
    uint32_t size; /* members are below this */
};

void mst_bitset_done(struct mst_bitset *set);
/* Grows (new bits clear) or shrinks. */
void mst_bitset_resize(struct mst_bitset *set, uint32_t size);
void mst_bitset_clear(struct mst_bitset *set);
uint32_t mst_bitset_count(const struct mst_bitset *set);
/* The first member at or after `from`, or `size` when there is none. */
uint32_t mst_bitset_next(const struct mst_bitset *set, uint32_t from);

static inline bool mst_bitset_has(const struct mst_bitset *set, uint32_t i)
{
    return i < set->size && (set->words[i / 64] >> (i % 64) & 1);
}
static inline void mst_bitset_add(struct mst_bitset *set, uint32_t i)
{
    mst_assert(i < set->size);
    set->words[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void mst_bitset_remove(struct mst_bitset *set, uint32_t i)
{
    mst_assert(i < set->size);
    set->words[i / 64] &= ~((uint64_t)1 << (i % 64));
}

#endif
