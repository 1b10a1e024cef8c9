/*
 * base.h - the words every other file uses: result codes, spans, assertions, small helpers.
 *
 * Not here: memory (mem.h), symbols (sym.h), errors with text (err.h).
 */
#ifndef MST_BASE_H
#define MST_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What became of a call that can fail because of the world. 0 is success. */
typedef enum {
    MST_OK = 0,
    MST_EINVAL,    /* well-formed input that the rules refuse */
    MST_EDECODE,   /* input that is not well-formed */
    MST_ELIMIT,    /* a named limit was reached */
    MST_ENOTFOUND, /* the thing named does not exist */
    MST_EEXIST,    /* the thing named exists already */
    MST_EIO,       /* the operating system refused */
} mst_rc;

#define MST_WARN_UNUSED __attribute__((warn_unused_result))
#define MST_PRINTF(format_i, args_i) __attribute__((format(printf, format_i, args_i)))

/* A span of bytes somebody else owns. Not terminated. {NULL, 0} is "absent", {"", 0} is empty. */
struct mst_str {
    const char *p;
    size_t n;
};

#define MST_STR(literal) ((struct mst_str){ "" literal, sizeof(literal) - 1 })
#define MST_STR_NONE ((struct mst_str){ NULL, 0 })
/* For printf("%.*s"). */
#define MST_ARG(s) (int)(s).n, (s).p

static inline struct mst_str mst_str_of(const char *text)
{
    return (struct mst_str){ text, text ? strlen(text) : 0 };
}

static inline bool mst_str_eq(struct mst_str a, struct mst_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool mst_str_is(struct mst_str a, const char *text)
{
    return mst_str_eq(a, mst_str_of(text));
}

/* Bytewise order, a prefix before what it begins: the order of Go's strings. */
static inline int mst_str_cmp(struct mst_str a, struct mst_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool mst_str_has_prefix(struct mst_str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

#define MST_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MST_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MST_MAX(a, b) ((a) > (b) ? (a) : (b))
/* Nanoseconds, which all durations and times are in. */
#define MST_NS_PER_S INT64_C(1000000000)
#define MST_NS_PER_MS INT64_C(1000000)
/* `MST_AUTO(mst_buf) b = { 0 };` calls mst_buf_done(&b) when b goes out of scope. */
#define MST_AUTO(tag) __attribute__((cleanup(tag##_done))) struct tag

/* Prints the failed condition with its place and aborts. Never returns. */
_Noreturn void mst_assert_failed(const char *condition, const char *file, int line);

/* A bug of ours, never bad input. Stays on in release builds. */
#define mst_assert(condition)                                                                      \
    ((condition) ? (void)0 : mst_assert_failed(#condition, __FILE__, __LINE__))

/* O(n) or worse: only in builds with MST_SLOW_ASSERTS (debug, sanitizers, simulation tests). */
#ifdef MST_SLOW_ASSERTS
#define mst_assert_slow(condition) mst_assert(condition)
#else
#define mst_assert_slow(condition) ((void)sizeof(condition))
#endif

#endif
