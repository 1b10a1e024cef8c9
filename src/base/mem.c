/*
 * mem.c - the heap, arenas, and the growing array and byte buffer made on the heap.
 *
 * Owns:       every chunk of an arena, until mst_arena_done.
 * Invariants: `at` and `end` of an arena are multiples of 16; the newest chunk is the one that is
 *             being filled, requests too large for the next chunk sit behind it in the list.
 */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MST_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum {
    ALIGN = 16,
    CHUNK_MIN = 4096,
    CHUNK_MAX = 1 << 20,
    VEC_MIN = 8,
    BUF_MIN = 64,
};

struct mst_arena_chunk {
    struct mst_arena_chunk *next;
    size_t bytes; /* with this header */
};
_Static_assert(sizeof(struct mst_arena_chunk) == ALIGN, "what follows the header is aligned");

static _Noreturn void out_of_memory(size_t bytes)
{
    (void)fprintf(stderr, "out of memory: %zu bytes wanted\n", bytes);
    abort();
}

void *mst_calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    mst_assert(!__builtin_mul_overflow(count, size, &bytes));
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *mst_realloc(void *old, size_t count, size_t size)
{
    size_t bytes = 0;
    mst_assert(!__builtin_mul_overflow(count, size, &bytes));
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void mst_free(void *ptr)
{
    free(ptr);
}

/* A chunk of `bytes` in all, its free part poisoned where that is checked. */
static struct mst_arena_chunk *chunk_new(size_t bytes)
{
    struct mst_arena_chunk *chunk = mst_realloc(NULL, 1, bytes);
    *chunk = (struct mst_arena_chunk){ .bytes = bytes };
    POISON(chunk + 1, bytes - sizeof(*chunk));
    return chunk;
}

static void chunk_free(struct mst_arena_chunk *chunk)
{
    UNPOISON(chunk, chunk->bytes);
    mst_free(chunk);
}

void mst_arena_done(struct mst_arena *arena)
{
    for (struct mst_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk_free(chunk);
    }
    *arena = (struct mst_arena){ 0 };
}

void mst_arena_reset(struct mst_arena *arena)
{
    struct mst_arena_chunk *keep = arena->chunk;
    for (struct mst_arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->next)
        if (chunk->bytes > keep->bytes)
            keep = chunk;
    for (struct mst_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        if (chunk != keep)
            chunk_free(chunk);
    }
    *arena = (struct mst_arena){ .chunk = keep };
    if (!keep)
        return;
    keep->next = NULL;
    arena->at = (char *)(keep + 1);
    arena->end = (char *)keep + keep->bytes;
    POISON(arena->at, keep->bytes - sizeof(*keep));
}

/* Makes a chunk that holds `rounded` bytes and returns them; the rest of it is free. */
static void *alloc_in_new_chunk(struct mst_arena *arena, size_t rounded)
{
    size_t need = rounded + sizeof(struct mst_arena_chunk);
    size_t next_bytes = CHUNK_MIN;
    if (arena->chunk)
        next_bytes = MST_MIN(MST_MAX(2 * arena->chunk->bytes, CHUNK_MIN), (size_t)CHUNK_MAX);
    if (need > next_bytes && arena->chunk) {
        /* Behind the newest chunk, whose free part stays in use. */
        struct mst_arena_chunk *own = chunk_new(need);
        own->next = arena->chunk->next;
        arena->chunk->next = own;
        return own + 1;
    }
    struct mst_arena_chunk *chunk = chunk_new(MST_MAX(need, next_bytes));
    chunk->next = arena->chunk;
    arena->chunk = chunk;
    arena->at = (char *)(chunk + 1) + rounded;
    arena->end = (char *)chunk + chunk->bytes;
    return chunk + 1;
}

void *mst_arena_alloc_slow_(struct mst_arena *arena, size_t size)
{
    mst_assert(size <= PTRDIFF_MAX - CHUNK_MAX);
    size_t rounded = (MST_MAX(size, 1) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    arena->bytes += rounded;
    void *p = arena->at;
    if (rounded <= (size_t)(arena->end - arena->at))
        arena->at += rounded;
    else
        p = alloc_in_new_chunk(arena, rounded);
    UNPOISON(p, size);
    return p;
}

void *mst_arena_zalloc(struct mst_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    mst_assert(!__builtin_mul_overflow(count, size, &bytes));
    return memset(mst_arena_alloc(arena, bytes), 0, bytes);
}

struct mst_str mst_arena_str(struct mst_arena *arena, struct mst_str s)
{
    if (!s.p)
        return MST_STR_NONE;
    mst_assert(s.n < PTRDIFF_MAX);
    char *copy = mst_arena_alloc(arena, s.n + 1);
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (struct mst_str){ copy, s.n };
}

struct mst_str mst_arena_printf(struct mst_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    mst_assert(n >= 0);
    char *text = mst_arena_alloc(arena, (size_t)n + 1);
    (void)vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return (struct mst_str){ text, (size_t)n };
}

void mst_vec_reserve_(void *v, uint32_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return;
    mst_assert(want <= UINT32_MAX);
    size_t grown = MST_MAX(MST_MAX(want, 2 * (size_t)*cap), VEC_MIN);
    grown = MST_MIN(grown, UINT32_MAX);
    /* Through memcpy: the caller's pointer has a type of its own, and aliasing rules hold here. */
    void *old = NULL;
    memcpy(&old, v, sizeof(old));
    void *new = mst_realloc(old, grown, size);
    memcpy(v, &new, sizeof(new));
    *cap = (uint32_t)grown;
}

void mst_buf_done(struct mst_buf *buf)
{
    mst_free(buf->p);
    *buf = (struct mst_buf){ 0 };
}

void mst_buf_reserve(struct mst_buf *buf, size_t n)
{
    if (n <= buf->cap - buf->n)
        return;
    mst_assert(n <= PTRDIFF_MAX - buf->n);
    buf->cap = MST_MAX(MST_MAX(buf->n + n, 2 * buf->cap), BUF_MIN);
    buf->p = mst_realloc(buf->p, buf->cap, 1);
}

void mst_buf_add(struct mst_buf *buf, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    mst_buf_reserve(buf, n);
    memcpy(buf->p + buf->n, bytes, n);
    buf->n += n;
}

void mst_buf_str(struct mst_buf *buf, struct mst_str s)
{
    mst_buf_add(buf, s.p, s.n);
}

void mst_buf_text(struct mst_buf *buf, const char *text)
{
    mst_buf_add(buf, text, strlen(text));
}

void mst_buf_printf(struct mst_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    /* Most texts fit into what is free already; the rest is formatted a second time. */
    size_t room = buf->cap - buf->n;
    int n = vsnprintf(room ? buf->p + buf->n : NULL, room, format, args);
    va_end(args);
    mst_assert(n >= 0);
    if ((size_t)n >= room) {
        mst_buf_reserve(buf, (size_t)n + 1);
        (void)vsnprintf(buf->p + buf->n, (size_t)n + 1, format, again);
    }
    va_end(again);
    buf->n += (size_t)n;
}
