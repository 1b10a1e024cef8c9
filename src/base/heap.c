/*
 * heap.c - the indexed binary heap.
 *
 * Owns:       the heap array and the id -> position table.
 * Invariants: ids[place[id] - 1] == id for every id in the heap; no child comes before its parent.
 */
#include "base/heap.h"

enum { PLACES_MIN = 16 };

void mst_heap_done(struct mst_heap *heap)
{
    mst_free(heap->ids);
    mst_free(heap->place);
    *heap = (struct mst_heap){ .before = heap->before, .ctx = heap->ctx };
}

void mst_heap_clear(struct mst_heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++)
        heap->place[heap->ids[i]] = 0;
    heap->count = 0;
}

bool mst_heap_has(const struct mst_heap *heap, uint32_t id)
{
    return id < heap->place_cap && heap->place[id] != 0;
}

static inline void put_at(struct mst_heap *heap, uint32_t at, uint32_t id)
{
    heap->ids[at] = id;
    heap->place[id] = at + 1;
}

/* Moves the hole at `at` up until id fits into it. */
static void sift_up(struct mst_heap *heap, uint32_t at, uint32_t id)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        if (!heap->before(heap->ctx, id, heap->ids[parent]))
            break;
        put_at(heap, at, heap->ids[parent]);
        at = parent;
    }
    put_at(heap, at, id);
}

/* Moves the hole at `at` down until id fits into it. */
static void sift_down(struct mst_heap *heap, uint32_t at, uint32_t id)
{
    for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            heap->before(heap->ctx, heap->ids[child + 1], heap->ids[child]))
            child++;
        if (!heap->before(heap->ctx, heap->ids[child], id))
            break;
        put_at(heap, at, heap->ids[child]);
    }
    put_at(heap, at, id);
}

/* id into the hole at `at`, wherever it belongs from there. */
static void sift(struct mst_heap *heap, uint32_t at, uint32_t id)
{
    if (at > 0 && heap->before(heap->ctx, id, heap->ids[(at - 1) / 2]))
        sift_up(heap, at, id);
    else
        sift_down(heap, at, id);
}

/* Room for one more id, and for `id` in the table of positions. */
static void reserve(struct mst_heap *heap, uint32_t id)
{
    mst_vec_reserve_(&heap->ids, &heap->cap, (size_t)heap->count + 1, sizeof(*heap->ids));
    if (id < heap->place_cap)
        return;
    mst_assert(id < UINT32_MAX / 2);
    uint32_t cap = MST_MAX(MST_MAX(id + 1, 2 * heap->place_cap), PLACES_MIN);
    heap->place = mst_realloc(heap->place, cap, sizeof(*heap->place));
    memset(heap->place + heap->place_cap, 0, (cap - heap->place_cap) * sizeof(*heap->place));
    heap->place_cap = cap;
}

void mst_heap_put(struct mst_heap *heap, uint32_t id)
{
    mst_assert(heap->before);
    if (mst_heap_has(heap, id)) {
        sift(heap, heap->place[id] - 1, id);
        return;
    }
    reserve(heap, id);
    sift_up(heap, heap->count++, id);
}

bool mst_heap_remove(struct mst_heap *heap, uint32_t id)
{
    if (!mst_heap_has(heap, id))
        return false;
    uint32_t at = heap->place[id] - 1;
    heap->place[id] = 0;
    uint32_t last = heap->ids[--heap->count];
    if (last != id)
        sift(heap, at, last);
    return true;
}

uint32_t mst_heap_top(const struct mst_heap *heap)
{
    mst_assert(heap->count > 0);
    return heap->ids[0];
}

uint32_t mst_heap_pop(struct mst_heap *heap)
{
    uint32_t id = mst_heap_top(heap);
    heap->place[id] = 0;
    uint32_t last = heap->ids[--heap->count];
    if (heap->count > 0)
        sift_down(heap, 0, last);
    return id;
}

void mst_heap_build(struct mst_heap *heap, const uint32_t *ids, uint32_t count)
{
    mst_assert(heap->before);
    mst_heap_clear(heap);
    for (uint32_t i = 0; i < count; i++) {
        mst_assert(!mst_heap_has(heap, ids[i]));
        reserve(heap, ids[i]);
        put_at(heap, heap->count++, ids[i]);
    }
    for (uint32_t at = count / 2; at-- > 0;)
        sift_down(heap, at, heap->ids[at]);
}
