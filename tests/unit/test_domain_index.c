/*
 * test_domain_index.c - dense numbers of values against an array of values.
 */
#include "plugins/domain_index.h"

#include "base/rng.h"
#include "tap.h"

static void test_index_starts_without_labels(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_domain_index index;
    mst_domain_index_init(&index, &arena, 7, 3);
    t_int(t, index.key, 7);
    for (uint32_t row = 0; row < 3; row++)
        t_int(t, index.of_row[row], MST_DOMAIN_NONE);
    t_int(t, mst_domain_index_move(&index, 1, MST_SYM_NONE), MST_DOMAIN_NONE);
    t_int(t, index.count, 1);
    mst_arena_done(&arena);
}

static void test_index_reuses_numbers(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_domain_index index;
    mst_domain_index_init(&index, &arena, 7, 2);
    const uint32_t a = mst_domain_index_move(&index, 0, 100);
    t_int(t, mst_domain_index_move(&index, 1, 100), a);
    t_int(t, index.rows[a], 2);
    const uint32_t b = mst_domain_index_move(&index, 0, 200);
    t_ok(t, b != a);
    t_int(t, mst_domain_index_move(&index, 1, MST_SYM_NONE), MST_DOMAIN_NONE);
    t_int(t, index.value[a], MST_SYM_NONE);
    t_int(t, mst_domain_index_move(&index, 1, 300), a);
    t_int(t, index.value[a], 300);
    mst_arena_done(&arena);
}

static void test_index_holds_a_value(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_domain_index index;
    mst_domain_index_init(&index, &arena, 7, 1);
    const uint32_t held = mst_domain_index_hold(&index, MST_SYM_EMPTY);
    t_int(t, mst_domain_index_move(&index, 0, MST_SYM_EMPTY), held);
    t_int(t, mst_domain_index_move(&index, 0, 5), held + 1);
    t_int(t, index.value[held], MST_SYM_EMPTY);
    mst_arena_done(&arena);
}

static void test_random_moves_against_values(struct mst_test *t)
{
    enum { ROWS = 200, MOVES = 20000 };
    static const uint32_t value_counts[] = { 3, 50, 1000 };
    for (size_t v = 0; v < MST_COUNT(value_counts); v++) {
        struct mst_arena arena = { 0 };
        struct mst_domain_index index;
        struct mst_rng rng;
        mst_sym twin[ROWS] = { 0 };
        mst_rng_init(&rng, v);
        mst_domain_index_init(&index, &arena, 7, ROWS);
        bool right = true;
        for (uint32_t i = 0; i < MOVES; i++) {
            const uint32_t row = (uint32_t)mst_rng_below(&rng, ROWS);
            /* spread out as symbols of other labels would do */
            twin[row] = (mst_sym)mst_rng_below(&rng, value_counts[v]) * 37;
            const uint32_t d = mst_domain_index_move(&index, row, twin[row]);
            right &=
                d == index.of_row[row] && index.value[d] == twin[row] && index.count <= ROWS + 2;
        }
        for (uint32_t row = 0; row < ROWS; row++) {
            uint32_t same = 0;
            for (uint32_t other = 0; other < ROWS; other++) {
                same += twin[other] == twin[row];
                right &= (twin[other] == twin[row]) == (index.of_row[other] == index.of_row[row]);
            }
            right &= twin[row] == MST_SYM_NONE || index.rows[index.of_row[row]] == same;
        }
        t_ok(t, right);
        mst_arena_done(&arena);
    }
}

static void test_arena_grow_zeroes_the_rest(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    uint16_t *v = mst_arena_grow(&arena, NULL, 0, 2, sizeof(*v));
    t_int(t, v[1], 0);
    v[0] = 1, v[1] = 2;
    v = mst_arena_grow(&arena, v, 2, 5, sizeof(*v));
    t_int(t, v[0], 1);
    t_int(t, v[1], 2);
    t_int(t, v[2] | v[3] | v[4], 0);
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_index_starts_without_labels), T(test_index_reuses_numbers),
              T(test_index_holds_a_value), T(test_random_moves_against_values),
              T(test_arena_grow_zeroes_the_rest))
