/*
 * heap.h - an indexed binary heap over small integer ids, with a caller's order.
 *
 * The order must be total (equal keys cannot swap between runs): `before(ctx, a, b)` is a strict
 * order in which no two different ids are equal. Ids are below a bound that grows as needed.
 * Zero-initialise, then set `before` and `ctx`.
 */
#ifndef MST_HEAP_H
#define MST_HEAP_H

#include "base/mem.h"

typedef bool mst_heap_before(const void *ctx, uint32_t a, uint32_t b);

struct mst_heap {
    mst_heap_before *before;
    const void *ctx;
    uint32_t *ids; /* heap order */
    uint32_t count, cap;
    uint32_t *place; /* id -> position + 1 in ids, 0 = absent */
    uint32_t place_cap;
};

void mst_heap_done(struct mst_heap *heap);
void mst_heap_clear(struct mst_heap *heap);
bool mst_heap_has(const struct mst_heap *heap, uint32_t id);
/* Adds, or re-sorts an id whose key changed. O(log n). */
void mst_heap_put(struct mst_heap *heap, uint32_t id);
/* True if it was there. O(log n). */
bool mst_heap_remove(struct mst_heap *heap, uint32_t id);
/* The first id in order; count must be > 0. */
uint32_t mst_heap_top(const struct mst_heap *heap);
uint32_t mst_heap_pop(struct mst_heap *heap);
/* Replaces the contents by ids[0..count) and heapifies in O(count). */
void mst_heap_build(struct mst_heap *heap, const uint32_t *ids, uint32_t count);

#endif
