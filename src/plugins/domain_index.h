/*
 * domain_index.h - the rows by the value of one label key, as small dense numbers.
 *
 * Counters by domain are then plain arrays, and a row finds its counter with one look-up.
 *
 * Owns:       arrays in the arena it was given; they double, so the arena holds at most twice them.
 * Invariants: number 0 means "without the label"; a number is free once its last row left it and is
 *             given to the next new value. Whoever keeps counters by number takes a row's share out
 *             before the row moves, so a number that becomes free has zero counters.
 */
#ifndef MST_DOMAIN_INDEX_H
#define MST_DOMAIN_INDEX_H

#include "cluster/nodes.h"

enum { MST_DOMAIN_NONE = 0 };

struct mst_domain_index {
    struct mst_arena *arena;
    mst_sym key;
    uint32_t *of_row;    /* [row] */
    uint32_t count, cap; /* numbers are below count; arrays by number hold cap */
    mst_sym *value;      /* [number], MST_SYM_NONE when free */
    uint32_t *rows;      /* [number] rows in it, holds included */
    uint32_t *next_free; /* [number] */
    uint32_t first_free; /* MST_DOMAIN_NONE: none */
    uint32_t *slots;     /* hash of values: number, MST_DOMAIN_NONE where free */
    uint32_t slot_count; /* a power of two, at least twice cap */
};

/* All rows start without the label. */
void mst_domain_index_init(struct mst_domain_index *index, struct mst_arena *arena, mst_sym key,
                           uint32_t row_count);
/* Moves the row to the domain of `value` (MST_SYM_NONE: none). Returns the domain. O(1). */
uint32_t mst_domain_index_move(struct mst_domain_index *index, uint32_t row, mst_sym value);
/* The domain of a value, which then exists even without rows. */
uint32_t mst_domain_index_hold(struct mst_domain_index *index, mst_sym value);

/* A larger copy of an array, zeroed behind the old elements. */
void *mst_arena_grow(struct mst_arena *arena, const void *old, uint32_t old_n, uint32_t new_n,
                     size_t size);

#endif
