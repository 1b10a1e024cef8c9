/*
 * json_scan.h - the bytes of JSON: white space, strings, numbers, literals. Shared by the pull
 * reader and the tape builder, so that both accept the same language. Internal to the codec.
 *
 * Every function takes the place to start and returns the place behind what it read, or NULL after
 * it has put the reason into js->err. Nothing is read at or behind js->end: texts have no
 * terminator.
 */
#ifndef MST_JSON_SCAN_H
#define MST_JSON_SCAN_H

#include "codec/json.h"
#include "codec/tape_internal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* What may come next (mst_json.state). */
enum mst_json_state {
    MST_JSON_VALUE, /* a value: at the start, behind a key, behind a comma in an array */
    MST_JSON_FIRST, /* behind a '{' or '[': a member, or the end of the container */
    MST_JSON_AFTER, /* behind a value: a comma, the end of the container, or the end of the text */
    MST_JSON_ERROR,
};

/*
 * Sets js->err to "line L, column C: ..." for the place p; returns NULL. Always on the last line.
 */
const char *mst_json_error(struct mst_json *js, const char *p, mst_rc rc, const char *format, ...)
    MST_PRINTF(4, 5);
/* "expected X, found Y", Y being what stands at p. */
const char *mst_json_expected(struct mst_json *js, const char *p, const char *what);
const char *mst_json_space_slow(struct mst_json *js, const char *p);
/* `q` is the first byte of the string that is not plain; `begin` its first byte. */
const char *mst_json_string_slow(struct mst_json *js, const char *begin, const char *q,
                                 bool decode);
const char *mst_json_fraction(struct mst_json *js, const char *p);

/* 0 at the end: a NUL byte is valid nowhere outside a string either. */
static inline char mst_json_peek(const struct mst_json *js, const char *p)
{
    return MST_LIKELY(p < js->end) ? *p : 0;
}

static inline const char *mst_json_space(struct mst_json *js, const char *p)
{
    if (MST_LIKELY(p < js->end && (unsigned char)*p > ' '))
        return p;
    return mst_json_space_slow(js, p);
}

/*
 * The first byte from p that is '"', '\\', a control character or not ASCII; `end` if there is
 * none.
 */
static inline const char *mst_json_plain(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash));
        /* Signed: bytes from 0x80 are negative, so one comparison finds them and the controls. */
        stop = _mm_or_si128(stop, _mm_cmplt_epi8(v, space));
        int mask = _mm_movemask_epi8(stop);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#else
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; end - p >= 8; p += 8) {
        uint64_t v;
        memcpy(&v, p, sizeof(v));
        uint64_t quote = v ^ ones * '"', slash = v ^ ones * '\\';
        uint64_t stop = (quote - ones) | (slash - ones) | (v - ones * ' ') | v;
        if (stop & highs) /* may be a false alarm: the bytes are then looked at one by one */
            break;
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= ' ')
        p++;
    return p;
}

/* p is behind the opening quote. The text goes to js->text; with `decode` false only if plain. */
static inline const char *mst_json_string(struct mst_json *js, const char *p, bool decode)
{
    const char *q = mst_json_plain(p, js->end);
    if (MST_LIKELY(q < js->end && *q == '"')) {
        js->text = (struct mst_str){ p, (size_t)(q - p) };
        return q + 1;
    }
    return mst_json_string_slow(js, p, q, decode);
}

static inline bool mst_json_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* p is at '-' or a digit. The text goes to js->text. */
static inline const char *mst_json_number(struct mst_json *js, const char *p)
{
    const char *q = p + (*p == '-');
    char c = mst_json_peek(js, q);
    if (MST_UNLIKELY(!mst_json_is_digit(c)))
        return mst_json_expected(js, q, "a digit");
    q++;
    if (c == '0') {
        if (MST_UNLIKELY(mst_json_is_digit(mst_json_peek(js, q))))
            return mst_json_error(js, p, MST_EDECODE, "a number must not start with 0");
    } else {
        while (mst_json_is_digit(mst_json_peek(js, q)))
            q++;
    }
    c = mst_json_peek(js, q);
    if (MST_UNLIKELY(c == '.' || c == 'e' || c == 'E')) {
        q = mst_json_fraction(js, q);
        if (!q)
            return NULL;
    }
    js->text = (struct mst_str){ p, (size_t)(q - p) };
    return q;
}

/* Reads `word` (n bytes) at p; the byte after it, or NULL after noting the error. */
static inline const char *mst_json_literal(struct mst_json *js, const char *p, const char *word,
                                           size_t n)
{
    if (MST_UNLIKELY((size_t)(js->end - p) < n || memcmp(p, word, n) != 0))
        return mst_json_expected(js, p, "a value");
    return p + n;
}

#endif
