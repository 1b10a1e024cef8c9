/*
 * test_heap.c - the indexed heap against a scan for the least.
 */
#include "base/heap.h"
#include "base/rng.h"
#include "tap.h"

enum { IDS = 300 };
struct keys {
    int64_t key[IDS];
};

static bool before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct keys *keys = ctx;
    if (keys->key[a] != keys->key[b])
        return keys->key[a] < keys->key[b];
    return a < b;
}

static void test_pops_in_order(struct mst_test *t)
{
    struct keys keys = { .key = { 5, 3, 9, 3, 1 } };
    struct mst_heap heap = { .before = before, .ctx = &keys };
    for (uint32_t id = 0; id < 5; id++)
        mst_heap_put(&heap, id);
    static const uint32_t want[] = { 4, 1, 3, 0, 2 };
    for (size_t i = 0; i < MST_COUNT(want); i++) {
        t_int(t, mst_heap_top(&heap), want[i]);
        t_int(t, mst_heap_pop(&heap), want[i]);
    }
    t_int(t, heap.count, 0);
    mst_heap_done(&heap);
}

static void test_put_again_re_sorts(struct mst_test *t)
{
    struct keys keys = { .key = { 1, 2, 3 } };
    struct mst_heap heap = { .before = before, .ctx = &keys };
    for (uint32_t id = 0; id < 3; id++)
        mst_heap_put(&heap, id);
    keys.key[0] = 10;
    mst_heap_put(&heap, 0);
    t_int(t, heap.count, 3);
    t_int(t, mst_heap_top(&heap), 1);
    keys.key[2] = -1;
    mst_heap_put(&heap, 2);
    t_int(t, mst_heap_top(&heap), 2);
    mst_heap_done(&heap);
}

static void test_remove_and_has(struct mst_test *t)
{
    struct keys keys = { .key = { 1, 2, 3 } };
    struct mst_heap heap = { .before = before, .ctx = &keys };
    t_bool(t, mst_heap_remove(&heap, 0), false);
    t_bool(t, mst_heap_has(&heap, 4000000000u), false);
    for (uint32_t id = 0; id < 3; id++)
        mst_heap_put(&heap, id);
    t_bool(t, mst_heap_remove(&heap, 0), true);
    t_bool(t, mst_heap_remove(&heap, 0), false);
    t_bool(t, mst_heap_has(&heap, 0), false);
    t_bool(t, mst_heap_has(&heap, 2), true);
    t_bool(t, mst_heap_remove(&heap, 2), true);
    t_int(t, mst_heap_pop(&heap), 1);
    t_int(t, heap.count, 0);
    mst_heap_put(&heap, 1);
    mst_heap_clear(&heap);
    t_bool(t, mst_heap_has(&heap, 1), false);
    mst_heap_done(&heap);
}

static uint32_t least(const struct keys *keys, const bool *in)
{
    uint32_t best = IDS;
    for (uint32_t id = 0; id < IDS; id++)
        if (in[id] && (best == IDS || before(keys, id, best)))
            best = id;
    return best;
}

/* place and ids agree, and no child comes before its parent. */
static bool holds(const struct mst_heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++) {
        if (heap->place[heap->ids[i]] != i + 1)
            return false;
        if (i > 0 && heap->before(heap->ctx, heap->ids[i], heap->ids[(i - 1) / 2]))
            return false;
    }
    return true;
}

static void test_random_against_scan(struct mst_test *t)
{
    struct keys keys = { { 0 } };
    bool in[IDS] = { false };
    uint32_t count = 0;
    struct mst_heap heap = { .before = before, .ctx = &keys };
    struct mst_rng rng;
    mst_rng_init(&rng, 3);
    for (int step = 0; step < 20000; step++) {
        uint32_t id = (uint32_t)mst_rng_below(&rng, IDS);
        uint64_t what = mst_rng_below(&rng, 10);
        if (what < 5) {
            keys.key[id] = (int64_t)mst_rng_below(&rng, 50);
            mst_heap_put(&heap, id);
            count += !in[id];
            in[id] = true;
        } else if (what < 7) {
            t_bool(t, mst_heap_remove(&heap, id), in[id]);
            count -= in[id];
            in[id] = false;
        } else if (count > 0) {
            uint32_t want = least(&keys, in);
            t_int(t, mst_heap_pop(&heap), want);
            in[want] = false;
            count--;
        }
        t_int(t, heap.count, count);
        t_ok(t, holds(&heap));
    }
    mst_heap_done(&heap);
}

static void test_build_replaces_contents(struct mst_test *t)
{
    struct keys keys;
    struct mst_rng rng;
    mst_rng_init(&rng, 5);
    struct mst_heap heap = { .before = before, .ctx = &keys };
    for (uint32_t n = 0; n < 40; n++) {
        uint32_t ids[IDS];
        bool in[IDS] = { false };
        for (uint32_t id = 0; id < IDS; id++)
            keys.key[id] = (int64_t)mst_rng_below(&rng, 20);
        for (uint32_t i = 0; i < n; i++) {
            ids[i] = (i * 7 + n) % IDS;
            in[ids[i]] = true;
        }
        mst_heap_build(&heap, ids, n);
        t_int(t, heap.count, n);
        t_ok(t, holds(&heap));
        /* Leave one behind: the next build must forget it. */
        for (uint32_t i = 1; i < n; i++) {
            uint32_t want = least(&keys, in);
            t_int(t, mst_heap_pop(&heap), want);
            in[want] = false;
        }
    }
    mst_heap_build(&heap, NULL, 0);
    t_int(t, heap.count, 0);
    mst_heap_done(&heap);
}

MST_TEST_MAIN(T(test_pops_in_order), T(test_put_again_re_sorts), T(test_remove_and_has),
              T(test_random_against_scan), T(test_build_replaces_contents))
