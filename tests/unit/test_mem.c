/*
 * test_mem.c - heap, arenas, growing arrays, byte buffers.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "tap.h"

static void test_calloc_zeroes(struct mst_test *t)
{
    unsigned char *p = mst_calloc(1000, 3);
    unsigned sum = 0;
    for (size_t i = 0; i < 3000; i++)
        sum += p[i];
    t_int(t, sum, 0);
    mst_free(p);
    void *empty = mst_calloc(0, 8);
    t_ok(t, empty != NULL);
    mst_free(empty);
    mst_free(NULL);
}

static void test_realloc_keeps_contents(struct mst_test *t)
{
    char *p = mst_realloc(NULL, 4, 1);
    memcpy(p, "abc", 4);
    p = mst_realloc(p, 100000, 2);
    t_text(t, p, "abc");
    p = mst_realloc(p, 4, 1);
    t_text(t, p, "abc");
    mst_free(p);
}

static void test_arena_aligns_and_separates(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    enum { COUNT = 2000 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    bool aligned = true;
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = mst_rng_below(&rng, i % 50 == 0 ? 100000 : 200);
        blocks[i] = mst_arena_alloc(&arena, sizes[i]);
        aligned &= (uintptr_t)blocks[i] % 16 == 0;
        memset(blocks[i], (int)(i % 251), sizes[i]);
    }
    t_bool(t, aligned, true);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            wrong += blocks[i][k] != i % 251;
    t_int(t, wrong, 0);
    mst_arena_done(&arena);
    t_ok(t, arena.chunk == NULL && arena.bytes == 0);
}

static void test_arena_of_size_0_is_valid(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    void *a = mst_arena_alloc(&arena, 0), *b = mst_arena_alloc(&arena, 0);
    t_ok(t, a != NULL && b != NULL && a != b);
    t_ok(t, mst_arena_zalloc(&arena, 0, 8) != NULL);
    mst_arena_done(&arena);
}

static void test_arena_large_request_keeps_the_free_part(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    char *small = mst_arena_alloc(&arena, 16);
    char *large = mst_arena_alloc(&arena, 10 << 20);
    char *next = mst_arena_alloc(&arena, 16);
    large[0] = large[(10 << 20) - 1] = 1;
    t_int(t, next - small, 16);
    mst_arena_done(&arena);
}

static void test_arena_reset_reuses_memory(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    mst_arena_reset(&arena);
    t_ok(t, arena.chunk == NULL);
    for (int i = 0; i < 1000; i++)
        (void)!mst_arena_alloc(&arena, 1000);
    t_int(t, arena.bytes, 1000 * 1008);
    mst_arena_reset(&arena);
    t_int(t, arena.bytes, 0);
    void *first = mst_arena_alloc(&arena, 100);
    mst_arena_reset(&arena);
    t_ok(t, mst_arena_alloc(&arena, 100) == first);
    /* What is kept is the largest chunk, wherever in the list it stood. */
    (void)!mst_arena_alloc(&arena, 5 << 20);
    (void)!mst_arena_alloc(&arena, 100);
    mst_arena_reset(&arena);
    t_ok(t, arena.end - arena.at >= 5 << 20);
    mst_arena_done(&arena);
}

static void test_arena_zalloc_zeroes_used_memory(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    memset(mst_arena_alloc(&arena, 2000), 0xff, 2000);
    mst_arena_reset(&arena);
    unsigned char *p = MST_NEW_N(&arena, unsigned char, 2000);
    unsigned sum = 0;
    for (size_t i = 0; i < 2000; i++)
        sum += p[i];
    t_int(t, sum, 0);
    mst_arena_done(&arena);
}

static void test_arena_str(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    char source[] = "text";
    struct mst_str copy = mst_arena_str(&arena, mst_str_of(source));
    source[0] = 'X';
    t_str(t, copy, "text");
    t_int(t, copy.p[copy.n], 0);
    t_ok(t, mst_arena_str(&arena, MST_STR_NONE).p == NULL);
    t_str(t, mst_arena_str(&arena, MST_STR("")), "");
    mst_arena_done(&arena);
}

static void test_arena_printf(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    t_str(t, mst_arena_printf(&arena, "%d/%s", 17, "nodes"), "17/nodes");
    t_str(t, mst_arena_printf(&arena, "%s", ""), "");
    t_int(t, mst_arena_printf(&arena, "%*s", 100000, "x").n, 100000);
    mst_arena_done(&arena);
}

static void test_vec_grows_and_keeps(struct mst_test *t)
{
    MST_VEC(uint64_t) v = { 0 };
    for (uint64_t i = 0; i < 10000; i++)
        mst_vec_push(&v, i * i);
    t_int(t, v.n, 10000);
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < v.n; i++)
        wrong += v.v[i] != (uint64_t)i * i;
    t_int(t, wrong, 0);
    mst_vec_done(&v);
    t_ok(t, v.v == NULL && v.n == 0 && v.cap == 0);
}

static void test_vec_of_structs_and_reserve(struct mst_test *t)
{
    struct point {
        int x, y;
    };
    MST_VEC(struct point) v = { 0 };
    mst_vec_reserve(&v, 100);
    t_ok(t, v.cap >= 100);
    struct point *before = v.v;
    for (int i = 0; i < 100; i++)
        mst_vec_push(&v, (struct point){ .x = i, .y = -i });
    t_ok(t, v.v == before);
    t_int(t, v.v[99].y, -99);
    mst_vec_done(&v);
}

static void test_buf_appends(struct mst_test *t)
{
    MST_AUTO(mst_buf) buf = { 0 };
    t_str(t, mst_buf_span(&buf), "");
    mst_buf_add(&buf, NULL, 0);
    mst_buf_text(&buf, "a");
    mst_buf_char(&buf, 'b');
    mst_buf_str(&buf, MST_STR("cd"));
    mst_buf_str(&buf, MST_STR_NONE);
    mst_buf_printf(&buf, "%d", 42);
    t_str(t, mst_buf_span(&buf), "abcd42");
    mst_buf_done(&buf);
    t_int(t, buf.n, 0);
}

static void test_buf_printf_at_every_fill(struct mst_test *t)
{
    /* The text must be whole whether it fits, fits but for its NUL, or does not fit. */
    for (size_t fill = 0; fill < 200; fill++) {
        MST_AUTO(mst_buf) buf = { 0 };
        for (size_t i = 0; i < fill; i++)
            mst_buf_char(&buf, '.');
        mst_buf_printf(&buf, "%s", "0123456789");
        struct mst_str tail = { buf.p + fill, buf.n - fill };
        t_str(t, tail, "0123456789");
    }
}

MST_TEST_MAIN(T(test_calloc_zeroes), T(test_realloc_keeps_contents),
              T(test_arena_aligns_and_separates), T(test_arena_of_size_0_is_valid),
              T(test_arena_large_request_keeps_the_free_part), T(test_arena_reset_reuses_memory),
              T(test_arena_zalloc_zeroes_used_memory), T(test_arena_str), T(test_arena_printf),
              T(test_vec_grows_and_keeps), T(test_vec_of_structs_and_reserve), T(test_buf_appends),
              T(test_buf_printf_at_every_fill))
