/*
 * sort.c - a bottom-up merge sort: short runs by insertion, then merges between two buffers.
 *
 * Invariants: of equal elements the left one is taken first, everywhere; that is what makes the
 *             sort stable. Runs that are in order already are copied, not merged, so sorted input
 *             costs O(n) compares.
 */
#include "base/sort.h"

#include "base/mem.h"

enum { RUN = 8, SCRATCH = 256 };

struct sorter {
    mst_compare *compare;
    void *ctx;
    char *scratch; /* room for one element */
};

/*
 * Always inlined, with `size` a constant for the sizes that matter, so that moving an element is a
 * load and a store and not a call.
 */
#define SORT_INLINE static inline __attribute__((always_inline))

SORT_INLINE void sort_run(const struct sorter *s, char *v, size_t count, size_t size)
{
    for (size_t i = 1; i < count; i++) {
        if (s->compare(v + (i - 1) * size, v + i * size, s->ctx) <= 0)
            continue;
        memcpy(s->scratch, v + i * size, size);
        size_t to = i;
        do {
            memcpy(v + to * size, v + (to - 1) * size, size);
            to--;
        } while (to > 0 && s->compare(v + (to - 1) * size, s->scratch, s->ctx) > 0);
        memcpy(v + to * size, s->scratch, size);
    }
}

/* Merges from[0..mid) and from[mid..count), both in order, into `to`. */
SORT_INLINE void merge(const struct sorter *s, char *to, const char *from, size_t mid, size_t count,
                       size_t size)
{
    const char *a = from, *a_end = from + mid * size, *b = a_end, *b_end = from + count * size;
    if (a == a_end || b == b_end || s->compare(b - size, b, s->ctx) <= 0) {
        memcpy(to, from, count * size);
        return;
    }
    while (a != a_end && b != b_end) {
        bool left = s->compare(a, b, s->ctx) <= 0;
        memcpy(to, left ? a : b, size);
        to += size;
        a += left ? size : 0;
        b += left ? 0 : size;
    }
    memcpy(to, a, (size_t)(a_end - a));
    memcpy(to + (a_end - a), b, (size_t)(b_end - b));
}

SORT_INLINE void merge_sort(const struct sorter *s, char *v, char *other, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i += RUN)
        sort_run(s, v + i * size, MST_MIN((size_t)RUN, count - i), size);
    char *from = v, *to = other;
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t n = MST_MIN(2 * width, count - i);
            merge(s, to + i * size, from + i * size, MST_MIN(width, n), n, size);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, count * size);
}

void mst_sort(void *base, size_t count, size_t size, mst_compare *compare, void *ctx)
{
    mst_assert(size > 0);
    if (count < 2)
        return;
    mst_assert(count <= PTRDIFF_MAX / 2 / size);
    _Alignas(16) char fixed[SCRATCH];
    char *scratch = size <= sizeof(fixed) ? fixed : mst_realloc(NULL, 1, size);
    char *other = count > RUN ? mst_realloc(NULL, count, size) : NULL;
    struct sorter s = { .compare = compare, .ctx = ctx, .scratch = scratch };
    switch (size) {
    case 4: merge_sort(&s, base, other, count, 4); break;
    case 8: merge_sort(&s, base, other, count, 8); break;
    case 16: merge_sort(&s, base, other, count, 16); break;
    default: merge_sort(&s, base, other, count, size); break;
    }
    mst_free(other);
    if (scratch != fixed)
        mst_free(scratch);
}

static int compare_strs(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

void mst_sort_strs(struct mst_str *v, size_t count)
{
    mst_sort(v, count, sizeof(*v), compare_strs, NULL);
}
