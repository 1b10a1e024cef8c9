/*
 * bitset.c - a fixed-size set of small integers in 64-bit words.
 *
 * Owns:       the words.
 * Invariants: bits at and above `size` are 0, so counting and searching need no masks.
 */
#include "base/bitset.h"

static uint32_t words_for(uint32_t size)
{
    return size / 64 + (size % 64 != 0);
}

void mst_bitset_done(struct mst_bitset *set)
{
    mst_free(set->words);
    *set = (struct mst_bitset){ 0 };
}

void mst_bitset_resize(struct mst_bitset *set, uint32_t size)
{
    uint32_t old_words = words_for(set->size), words = words_for(size);
    if (words != old_words)
        set->words = mst_realloc(set->words, words, sizeof(*set->words));
    if (words > old_words)
        memset(set->words + old_words, 0, (words - old_words) * sizeof(*set->words));
    if (size < set->size && size % 64 != 0)
        set->words[words - 1] &= ((uint64_t)1 << (size % 64)) - 1;
    set->size = size;
}

void mst_bitset_clear(struct mst_bitset *set)
{
    if (set->size)
        memset(set->words, 0, words_for(set->size) * sizeof(*set->words));
}

uint32_t mst_bitset_count(const struct mst_bitset *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0, n = words_for(set->size); i < n; i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}

uint32_t mst_bitset_next(const struct mst_bitset *set, uint32_t from)
{
    if (from >= set->size)
        return set->size;
    uint32_t i = from / 64, n = words_for(set->size);
    uint64_t word = set->words[i] & (~(uint64_t)0 << (from % 64));
    while (word == 0) {
        if (++i == n)
            return set->size;
        word = set->words[i];
    }
    return i * 64 + (uint32_t)__builtin_ctzll(word);
}
