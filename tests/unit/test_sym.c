/*
 * test_sym.c - the symbol table against a list searched from its start.
 */
#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/sym.h"
#include "hash_collisions.h"
#include "tap.h"

static void test_fixed_ids(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    t_int(t, mst_syms_count(syms), 2);
    t_int(t, mst_sym_of(syms, MST_STR_NONE), MST_SYM_NONE);
    t_int(t, mst_sym_of(syms, MST_STR("")), MST_SYM_EMPTY);
    t_int(t, mst_sym_of_text(syms, NULL), MST_SYM_NONE);
    t_ok(t, mst_sym_str(syms, MST_SYM_NONE).p == NULL);
    t_str(t, mst_sym_str(syms, MST_SYM_EMPTY), "");
    mst_syms_free(syms);
    mst_syms_free(NULL);
}

static void test_ids_count_up_in_order_of_first_use(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    t_int(t, mst_sym_of_text(syms, "zone"), 2);
    t_int(t, mst_sym_of_text(syms, "rack"), 3);
    t_int(t, mst_sym_of_text(syms, "zone"), 2);
    t_int(t, mst_sym_of_text(syms, "host"), 4);
    t_int(t, mst_syms_count(syms), 5);
    mst_syms_free(syms);
}

static void test_find_adds_nothing(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    t_int(t, mst_sym_find(syms, MST_STR("zone")), MST_SYM_NONE);
    t_int(t, mst_sym_find(syms, MST_STR_NONE), MST_SYM_NONE);
    t_int(t, mst_sym_find(syms, MST_STR("")), MST_SYM_EMPTY);
    t_int(t, mst_syms_count(syms), 2);
    mst_sym zone = mst_sym_of_text(syms, "zone");
    t_int(t, mst_sym_find(syms, MST_STR("zone")), zone);
    t_int(t, mst_sym_find(syms, MST_STR("zon")), MST_SYM_NONE);
    mst_syms_free(syms);
}

static void test_text_with_nul_is_its_own(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    mst_sym a = mst_sym_of(syms, MST_STR("a")), ab = mst_sym_of(syms, MST_STR("a\0b"));
    t_ok(t, a != ab);
    t_int(t, mst_sym_str(syms, ab).n, 3);
    t_int(t, mst_sym_find(syms, MST_STR("a\0b")), ab);
    mst_syms_free(syms);
}

/* Every length has a way of its own to be compared; each must see a change of any one byte. */
static void test_every_length_and_byte_counts(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    char text[41];
    uint32_t expected = 2;
    for (size_t n = 1; n < sizeof(text); n++) {
        memset(text, 'x', sizeof(text));
        mst_sym plain = mst_sym_of(syms, (struct mst_str){ text, n });
        t_int(t, plain, expected++);
        for (size_t i = 0; i < n; i++) {
            text[i] = 'y';
            t_int(t, mst_sym_of(syms, (struct mst_str){ text, n }), expected++);
            text[i] = 'x';
        }
        t_int(t, mst_sym_of(syms, (struct mst_str){ text, n }), plain);
    }
    mst_syms_free(syms);
}

static void test_text_does_not_move_when_growing(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    mst_sym first = mst_sym_of_text(syms, "first");
    const char *p = mst_sym_str(syms, first).p;
    struct mst_arena arena = { 0 };
    for (uint32_t i = 0; i < 100000; i++)
        (void)mst_sym_of(syms, mst_arena_printf(&arena, "node-%u", i));
    t_int(t, mst_syms_count(syms), 100003);
    t_ok(t, mst_sym_str(syms, first).p == p);
    t_int(t, p[5], 0);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 100000; i++)
        wrong += mst_sym_find(syms, mst_arena_printf(&arena, "node-%u", i)) != i + 3;
    t_int(t, wrong, 0);
    mst_arena_done(&arena);
    mst_syms_free(syms);
}

static void test_equal_hashes_are_told_apart(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(collisions); i++) {
        t_case(t, collisions[i].name);
        struct mst_str a = mst_str_of(collisions[i].a), b = mst_str_of(collisions[i].b);
        t_int(t, (uint32_t)mst_hash(a.p, a.n), (uint32_t)mst_hash(b.p, b.n));
        struct mst_syms *syms = mst_syms_new();
        mst_sym sym = mst_sym_of(syms, a);
        t_int(t, mst_sym_find(syms, b), MST_SYM_NONE);
        t_int(t, mst_sym_of(syms, b), sym + 1);
        t_int(t, mst_sym_of(syms, a), sym);
        t_str(t, mst_sym_str(syms, sym + 1), collisions[i].b);
        mst_syms_free(syms);
    }
}

static void test_random_against_list(struct mst_test *t)
{
    enum { LIST_MAX = 600, STEPS = 20000 };
    static char list[LIST_MAX][8];
    uint32_t list_n = 0;
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    struct mst_syms *syms = mst_syms_new();
    for (int step = 0; step < STEPS; step++) {
        char text[8] = "";
        size_t n = 1 + mst_rng_below(&rng, 4);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('a' + mst_rng_below(&rng, 4));
        uint32_t at = 0;
        while (at < list_n && strcmp(list[at], text) != 0)
            at++;
        if (at == list_n)
            memcpy(list[list_n++], text, sizeof(text));
        t_int(t, mst_sym_of_text(syms, text), at + 2);
        t_str(t, mst_sym_str(syms, at + 2), text);
    }
    t_int(t, list_n, 4 + 16 + 64 + 256);
    mst_syms_free(syms);
}

MST_TEST_MAIN(T(test_fixed_ids), T(test_ids_count_up_in_order_of_first_use),
              T(test_find_adds_nothing), T(test_text_with_nul_is_its_own),
              T(test_every_length_and_byte_counts), T(test_text_does_not_move_when_growing),
              T(test_equal_hashes_are_told_apart), T(test_random_against_list))
