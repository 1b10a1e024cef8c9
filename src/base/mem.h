/*
 * mem.h - the heap and arenas: the only two ways to get memory.
 *
 * Small allocations abort when memory is gone (there is no sensible way on); sizes that come from
 * input are checked against a named limit by whoever reads the input, before they get here.
 */
#ifndef MST_MEM_H
#define MST_MEM_H

#include "base/base.h"

#if defined(__SANITIZE_ADDRESS__)
#define MST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MST_ASAN 1
#endif
#endif

/* Heap, zeroed. Abort when memory is gone. count * size must not overflow (asserted). */
void *mst_calloc(size_t count, size_t size) MST_WARN_UNUSED;
/* Grows or shrinks; new bytes are NOT zeroed. */
void *mst_realloc(void *old, size_t count, size_t size) MST_WARN_UNUSED;
void mst_free(void *ptr);

/*
 * An arena: memory that is given back all at once. Zero-initialised is a valid empty arena:
 * `struct mst_arena a = { 0 };`. Chunks grow from 4 KiB to 1 MiB; larger requests get their own.
 */
struct mst_arena_chunk;
struct mst_arena {
    struct mst_arena_chunk *chunk; /* newest first */
    char *at, *end;                /* free part of the newest chunk */
    size_t bytes;                  /* handed out since init or reset, for reports */
};

void mst_arena_done(struct mst_arena *arena);
/* Forgets everything, keeps the largest chunk for reuse. */
void mst_arena_reset(struct mst_arena *arena);
/* The general case of mst_arena_alloc: a new chunk, size 0, or checked builds. */
void *mst_arena_alloc_slow_(struct mst_arena *arena, size_t size) MST_WARN_UNUSED;
/*
 * Uninitialised memory, aligned to 16. size 0 gives a valid pointer. Under AddressSanitizer a reset
 * arena is poisoned, so that stale pointers into it are caught.
 */
MST_WARN_UNUSED static inline void *mst_arena_alloc(struct mst_arena *arena, size_t size)
{
#ifndef MST_ASAN
    /* The free part is a multiple of 16, so what fits unrounded fits rounded; 0 wraps to slow. */
    if (size - 1 < (size_t)(arena->end - arena->at)) {
        size_t rounded = (size + 15) & ~(size_t)15;
        char *p = arena->at;
        arena->at += rounded;
        arena->bytes += rounded;
        return p;
    }
#endif
    return mst_arena_alloc_slow_(arena, size);
}
void *mst_arena_zalloc(struct mst_arena *arena, size_t count, size_t size) MST_WARN_UNUSED;
/* A copy with a terminating NUL that is not counted in n. An absent span stays absent. */
struct mst_str mst_arena_str(struct mst_arena *arena, struct mst_str s);
struct mst_str mst_arena_printf(struct mst_arena *arena, const char *format, ...) MST_PRINTF(2, 3);

#define MST_NEW(arena, type) ((type *)mst_arena_zalloc((arena), 1, sizeof(type)))
#define MST_NEW_N(arena, type, count) ((type *)mst_arena_zalloc((arena), (count), sizeof(type)))

/*
 * A growing array on the heap: `MST_VEC(uint32_t) rows = { 0 };`. Elements are plain data.
 * Iterate with `for (uint32_t i = 0; i < rows.n; i++) rows.v[i]`. Growth doubles.
 */
#define MST_VEC(type)                                                                              \
    struct {                                                                                       \
        type *v;                                                                                   \
        uint32_t n, cap;                                                                           \
    }

/* Makes room for `want` elements in all, at least doubling. `v` is the address of a pointer. */
void mst_vec_reserve_(void *v, uint32_t *cap, size_t want, size_t size);
#define mst_vec_reserve(vec, want)                                                                 \
    mst_vec_reserve_(&(vec)->v, &(vec)->cap, (want), sizeof(*(vec)->v))
#define mst_vec_push(vec, ...)                                                                     \
    ((vec)->n < (vec)->cap ? (void)0 : mst_vec_reserve((vec), (size_t)(vec)->n + 1),               \
     (void)((vec)->v[(vec)->n++] = (__VA_ARGS__)))
#define mst_vec_done(vec) (mst_free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

/* A growing byte buffer. Zero-initialised is valid and empty. */
struct mst_buf {
    char *p;
    size_t n, cap;
};

void mst_buf_done(struct mst_buf *buf);
void mst_buf_add(struct mst_buf *buf, const void *bytes, size_t n);
void mst_buf_str(struct mst_buf *buf, struct mst_str s);
void mst_buf_text(struct mst_buf *buf, const char *text);
/* Makes room for n more bytes, for writers that fill buf->p + buf->n themselves. */
void mst_buf_reserve(struct mst_buf *buf, size_t n);
static inline void mst_buf_char(struct mst_buf *buf, char c)
{
    if (buf->n == buf->cap)
        mst_buf_reserve(buf, 1);
    buf->p[buf->n++] = c;
}
void mst_buf_printf(struct mst_buf *buf, const char *format, ...) MST_PRINTF(2, 3);
static inline struct mst_str mst_buf_span(const struct mst_buf *buf)
{
    return (struct mst_str){ buf->p ? buf->p : "", buf->n };
}

#endif
