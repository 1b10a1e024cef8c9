/*
 * test_sort.c - the merge sort against an insertion sort, with stability and cost.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
#include "tap.h"

struct counter {
    uint64_t compares;
};

static int compare_u32(const void *a, const void *b, void *ctx)
{
    struct counter *counter = ctx;
    counter->compares++;
    uint32_t x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

/*
 * Elements of `size` bytes: a key of 4 bytes, then where it stood, for as far as the size goes.
 * What comes out must be in order of key, and of place where keys are equal.
 */
static void check_size(struct mst_test *t, size_t size, size_t count, uint32_t key_max)
{
    struct mst_rng rng;
    mst_rng_init(&rng, size * 1000 + count);
    char *v = mst_calloc(count + 1, size);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t key = (uint32_t)mst_rng_below(&rng, key_max), place = (uint32_t)i;
        memcpy(v + i * size, &key, 4);
        if (size >= 8)
            memcpy(v + i * size + size - 4, &place, 4);
        sum += key;
    }
    struct counter counter = { 0 };
    mst_sort(v, count, size, compare_u32, &counter);
    bool ordered = true, stable = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t key, place, key_before = 0, place_before = 0;
        memcpy(&key, v + i * size, 4);
        memcpy(&place, v + i * size + size - 4, 4);
        sum -= key;
        if (i == 0)
            continue;
        memcpy(&key_before, v + (i - 1) * size, 4);
        memcpy(&place_before, v + i * size - 4, 4);
        ordered &= key_before <= key;
        stable &= size < 8 || key_before != key || place_before < place;
    }
    t_ok(t, ordered);
    t_ok(t, stable);
    t_int(t, sum, 0);
    mst_free(v);
}

static void test_every_count_and_size(struct mst_test *t)
{
    static const size_t sizes[] = { 4, 8, 12, 16, 24, 300 };
    for (size_t s = 0; s < MST_COUNT(sizes); s++) {
        for (size_t count = 0; count < 70; count++)
            check_size(t, sizes[s], count, 10);
        check_size(t, sizes[s], 5000, 1 << 30);
        check_size(t, sizes[s], 5000, 3);
    }
}

static void test_sorted_input_is_linear(struct mst_test *t)
{
    enum { COUNT = 100000 };
    uint32_t *v = mst_calloc(COUNT, sizeof(*v));
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = i;
    struct counter counter = { 0 };
    mst_sort(v, COUNT, sizeof(*v), compare_u32, &counter);
    t_ok(t, counter.compares < 2 * COUNT);
    mst_free(v);
}

static void test_reversed_input_is_not_quadratic(struct mst_test *t)
{
    enum { COUNT = 100000 };
    uint32_t *v = mst_calloc(COUNT, sizeof(*v));
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = COUNT - i;
    struct counter counter = { 0 };
    mst_sort(v, COUNT, sizeof(*v), compare_u32, &counter);
    t_ok(t, counter.compares < 20 * (uint64_t)COUNT);
    t_int(t, v[0], 1);
    t_int(t, v[COUNT - 1], COUNT);
    mst_free(v);
}

/* An order that contradicts itself must not lead out of the array (ASan looks on). */
static int compare_nonsense(const void *a, const void *b, void *ctx)
{
    (void)a, (void)b;
    return mst_rng_next(ctx) % 3 ? 1 : -1;
}

static void test_inconsistent_order_stays_inside(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    uint32_t v[1000], seen[1000] = { 0 };
    for (uint32_t i = 0; i < 1000; i++)
        v[i] = i;
    mst_sort(v, 1000, sizeof(v[0]), compare_nonsense, &rng);
    for (uint32_t i = 0; i < 1000; i++)
        seen[v[i] % 1000]++;
    for (uint32_t i = 0; i < 1000; i++)
        t_int(t, seen[i], 1);
}

static void test_texts(struct mst_test *t)
{
    struct mst_str v[] = { MST_STR("b"), MST_STR(""), MST_STR("ab"), MST_STR("a"), MST_STR("B") };
    static const char *const sorted[] = { "", "B", "a", "ab", "b" };
    mst_sort_strs(v, MST_COUNT(v));
    for (size_t i = 0; i < MST_COUNT(v); i++)
        t_str(t, v[i], sorted[i]);
}

MST_TEST_MAIN(T(test_texts), T(test_every_count_and_size), T(test_sorted_input_is_linear),
              T(test_reversed_input_is_not_quadratic), T(test_inconsistent_order_stays_inside))
