/*
 * test_bitset.c - the bitset against an array of bool.
 */
#include "base/bitset.h"
#include "base/rng.h"
#include "tap.h"

static void test_empty_set(struct mst_test *t)
{
    struct mst_bitset set = { 0 };
    t_bool(t, mst_bitset_has(&set, 0), false);
    t_int(t, mst_bitset_count(&set), 0);
    t_int(t, mst_bitset_next(&set, 0), 0);
    t_int(t, mst_bitset_next(&set, 5), 0);
    mst_bitset_clear(&set);
    mst_bitset_resize(&set, 0);
    mst_bitset_done(&set);
}

static void test_edges_of_words(struct mst_test *t)
{
    static const uint32_t members[] = { 0, 63, 64, 127, 128, 199 };
    struct mst_bitset set = { 0 };
    mst_bitset_resize(&set, 200);
    for (size_t i = 0; i < MST_COUNT(members); i++)
        mst_bitset_add(&set, members[i]);
    t_int(t, mst_bitset_count(&set), MST_COUNT(members));
    uint32_t at = mst_bitset_next(&set, 0);
    for (size_t i = 0; i < MST_COUNT(members); i++) {
        t_int(t, at, members[i]);
        at = mst_bitset_next(&set, at + 1);
    }
    t_int(t, at, 200);
    t_bool(t, mst_bitset_has(&set, 200), false);
    mst_bitset_done(&set);
}

static void test_shrinking_forgets(struct mst_test *t)
{
    static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 100 };
    for (size_t i = 0; i < MST_COUNT(sizes); i++) {
        struct mst_bitset set = { 0 };
        mst_bitset_resize(&set, 130);
        for (uint32_t k = 0; k < 130; k++)
            mst_bitset_add(&set, k);
        mst_bitset_resize(&set, sizes[i]);
        t_int(t, mst_bitset_count(&set), sizes[i]);
        mst_bitset_resize(&set, 300);
        t_int(t, mst_bitset_count(&set), sizes[i]);
        t_int(t, mst_bitset_next(&set, sizes[i]), 300);
        mst_bitset_done(&set);
    }
}

static void test_random_against_bools(struct mst_test *t)
{
    enum { SIZE = 333 };
    bool twin[SIZE] = { false };
    struct mst_bitset set = { 0 };
    mst_bitset_resize(&set, SIZE);
    struct mst_rng rng;
    mst_rng_init(&rng, 2);
    for (int step = 0; step < 5000; step++) {
        uint32_t i = (uint32_t)mst_rng_below(&rng, SIZE);
        twin[i] = mst_rng_below(&rng, 4) == 0;
        if (twin[i])
            mst_bitset_add(&set, i);
        else
            mst_bitset_remove(&set, i);
        uint32_t count = 0, from = (uint32_t)mst_rng_below(&rng, SIZE), next = from;
        for (uint32_t k = 0; k < SIZE; k++)
            count += twin[k];
        while (next < SIZE && !twin[next])
            next++;
        t_int(t, mst_bitset_count(&set), count);
        t_int(t, mst_bitset_next(&set, from), next);
        t_bool(t, mst_bitset_has(&set, from), twin[from]);
    }
    mst_bitset_clear(&set);
    t_int(t, mst_bitset_count(&set), 0);
    mst_bitset_done(&set);
}

MST_TEST_MAIN(T(test_empty_set), T(test_edges_of_words), T(test_shrinking_forgets),
              T(test_random_against_bools))
