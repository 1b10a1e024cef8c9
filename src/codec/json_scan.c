/*
 * json_scan.c - the rare paths of scanning JSON: white space runs, escapes, fractions, errors.
 *
 * Source: RFC 8259; what is lenient there is strict here (UTF-8 is checked). A surrogate escape
 *         without its partner becomes U+FFFD, as in Go's encoding/json.
 */
#include "codec/json_scan.h"

#include <stdarg.h>
#include <stdio.h>

const char *mst_json_error(struct mst_json *js, const char *p, mst_rc rc, const char *format, ...)
{
    char text[sizeof(js->err.text) / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    js->err.rc = mst_fail(&js->err, rc, "line %u, column %zu: %s", js->line,
                          (size_t)(p - js->line_begin) + 1, text);
    return NULL;
}

const char *mst_json_expected(struct mst_json *js, const char *p, const char *what)
{
    if (p >= js->end)
        return mst_json_error(js, p, MST_EDECODE, "expected %s, found the end of the text", what);
    unsigned char c = (unsigned char)*p;
    if (c > ' ' && c < 0x7F)
        return mst_json_error(js, p, MST_EDECODE, "expected %s, found '%c'", what, c);
    return mst_json_error(js, p, MST_EDECODE, "expected %s, found byte 0x%02x", what, c);
}

static const char *skip_blanks(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i space = _mm_set1_epi8(' ');
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        unsigned other = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, space)) ^ 0xFFFF;
        if (other)
            return p + __builtin_ctz(other);
    }
#endif
    while (p < end && *p == ' ')
        p++;
    return p;
}

const char *mst_json_space_slow(struct mst_json *js, const char *p)
{
    const char *end = js->end;
    while (p < end) {
        switch (*p) {
        case '\n':
            js->line++;
            js->line_begin = p + 1;
            p = skip_blanks(p + 1, end);
            break;
        case ' ':
        case '\t':
        case '\r': p++; break;
        default: return p;
        }
    }
    return p;
}

const char *mst_json_fraction(struct mst_json *js, const char *p)
{
    if (*p == '.') {
        p++;
        if (!mst_json_is_digit(mst_json_peek(js, p)))
            return mst_json_expected(js, p, "a digit after '.'");
        while (mst_json_is_digit(mst_json_peek(js, p)))
            p++;
    }
    char c = mst_json_peek(js, p);
    if (c == 'e' || c == 'E') {
        p++;
        c = mst_json_peek(js, p);
        if (c == '+' || c == '-')
            p++;
        if (!mst_json_is_digit(mst_json_peek(js, p)))
            return mst_json_expected(js, p, "a digit in the exponent");
        while (mst_json_is_digit(mst_json_peek(js, p)))
            p++;
    }
    return p;
}

/* The value of four hex digits, or -1. */
static int32_t hex4(const char *p, const char *end)
{
    if (end - p < 4)
        return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i], lower = (char)(c | 0x20);
        int32_t digit;
        if (mst_json_is_digit(c))
            digit = c - '0';
        else if (lower >= 'a' && lower <= 'f')
            digit = lower - 'a' + 10;
        else
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* What a one-letter escape stands for; 0 if there is no such escape. */
static char escape_of(char letter)
{
    switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

static const char *check_escape(struct mst_json *js, const char *p)
{
    char letter = mst_json_peek(js, p + 1);
    if (letter == 'u') {
        if (hex4(p + 2, js->end) < 0)
            return mst_json_error(js, p, MST_EDECODE, "\\u needs four hexadecimal digits");
        return p + 6;
    }
    if (!escape_of(letter))
        return mst_json_error(js, p, MST_EDECODE, "invalid escape in a string");
    return p + 2;
}

/* Checks a string from q on; returns the place of its closing quote. */
static const char *check_string(struct mst_json *js, const char *begin, const char *q,
                                bool *escaped)
{
    for (;;) {
        if (q >= js->end)
            return mst_json_error(js, begin - 1, MST_EDECODE, "the string is not closed");
        unsigned char c = (unsigned char)*q;
        if (c == '"')
            return q;
        if (c == '\\') {
            *escaped = true;
            q = check_escape(js, q);
            if (!q)
                return NULL;
        } else if (c < ' ') {
            return mst_json_error(js, q, MST_EDECODE, "control character 0x%02x in a string", c);
        } else {
            uint32_t n = mst_utf8_len(q, js->end);
            if (n == 0)
                return mst_json_error(js, q, MST_EDECODE, "invalid UTF-8 (byte 0x%02x)", c);
            q += n;
        }
        if (q < js->end && (signed char)*q >= ' ')
            q = mst_json_plain(q, js->end);
    }
}

/* Decodes one checked escape at p; advances *out. */
static const char *decode_escape(const char *p, const char *end, char **out)
{
    if (p[1] != 'u') {
        *(*out)++ = escape_of(p[1]);
        return p + 2;
    }
    uint32_t c = (uint32_t)hex4(p + 2, end);
    p += 6;
    if (c >= 0xD800 && c <= 0xDFFF) {
        int32_t low =
            c < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
            p += 6;
        } else {
            c = 0xFFFD;
        }
    }
    *out += mst_utf8_put(*out, c);
    return p;
}

const char *mst_json_string_slow(struct mst_json *js, const char *begin, const char *q, bool decode)
{
    bool escaped = false;
    const char *end = check_string(js, begin, q, &escaped);
    if (!end)
        return NULL;
    js->text = (struct mst_str){ begin, (size_t)(end - begin) };
    if (!escaped || !decode)
        return end + 1;
    /* No escape is shorter than what it stands for: \u + 4 digits give at most 3 bytes. */
    char *text = mst_arena_alloc(js->arena, (size_t)(end - begin) + 1);
    char *out = text;
    for (const char *p = begin; p < end;) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t run = (size_t)((slash ? slash : end) - p);
        memcpy(out, p, run);
        out += run;
        p = slash ? decode_escape(slash, end, &out) : end;
    }
    *out = 0;
    js->text = (struct mst_str){ text, (size_t)(out - text) };
    return end + 1;
}
