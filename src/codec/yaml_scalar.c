/*
 * yaml_scalar.c - what a plain scalar means, by the rules that sigs.k8s.io/yaml applies.
 *
 * Those are go-yaml v2's (resolve.go), not YAML 1.2's:
 *
 *   null    (empty) ~ null Null NULL
 *   true    y Y yes Yes YES true True TRUE on On ON
 *   false   n N no No NO false False FALSE off Off OFF
 *   int     after all '_' are dropped: [+-]? then decimal, 0x hex, 0b binary, 0o or 0 octal, that
 *           fits int64, or without a sign uint64
 *   float   [-+]?(.digits | digits[.digits])(e[+-]digits)? after all '_' are dropped, if it is
 *           finite as a double; so an int that is too large, and "08", become floats. One that
 *           starts with '.' may have no '_' and no sign
 *   special .inf .Inf .INF with + or -, .nan .NaN .NAN
 *
 * Differs: a key that is a float or above INT64_MAX is its JSON text (there: float32 digits, and an
 *          error); `!!float` takes ints above INT64_MAX; a list or mapping as a key is always an
 *          error; 0b-1 is a string (there -1, by accident).
 *
 * All else is a string; "tRUE", "nULL", "1:30" and times too. Base 60 was dropped there. Floats
 * come out the way Go's JSON encoder writes them: 1e3 and 1000.0 are both 1000.
 */
#include "codec/base64.h"
#include "codec/json.h"
#include "codec/yaml_internal.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *text;
    mst_plain_kind kind;
} words[] = {
    { "~", MST_PLAIN_NULL },           { "null", MST_PLAIN_NULL },
    { "Null", MST_PLAIN_NULL },        { "NULL", MST_PLAIN_NULL },
    { "y", MST_PLAIN_TRUE },           { "Y", MST_PLAIN_TRUE },
    { "yes", MST_PLAIN_TRUE },         { "Yes", MST_PLAIN_TRUE },
    { "YES", MST_PLAIN_TRUE },         { "true", MST_PLAIN_TRUE },
    { "True", MST_PLAIN_TRUE },        { "TRUE", MST_PLAIN_TRUE },
    { "on", MST_PLAIN_TRUE },          { "On", MST_PLAIN_TRUE },
    { "ON", MST_PLAIN_TRUE },          { "n", MST_PLAIN_FALSE },
    { "N", MST_PLAIN_FALSE },          { "no", MST_PLAIN_FALSE },
    { "No", MST_PLAIN_FALSE },         { "NO", MST_PLAIN_FALSE },
    { "false", MST_PLAIN_FALSE },      { "False", MST_PLAIN_FALSE },
    { "FALSE", MST_PLAIN_FALSE },      { "off", MST_PLAIN_FALSE },
    { "Off", MST_PLAIN_FALSE },        { "OFF", MST_PLAIN_FALSE },
    { ".nan", MST_PLAIN_NOT_FINITE },  { ".NaN", MST_PLAIN_NOT_FINITE },
    { ".NAN", MST_PLAIN_NOT_FINITE },  { ".inf", MST_PLAIN_NOT_FINITE },
    { ".Inf", MST_PLAIN_NOT_FINITE },  { ".INF", MST_PLAIN_NOT_FINITE },
    { "+.inf", MST_PLAIN_NOT_FINITE }, { "+.Inf", MST_PLAIN_NOT_FINITE },
    { "+.INF", MST_PLAIN_NOT_FINITE }, { "-.inf", MST_PLAIN_NOT_FINITE },
    { "-.Inf", MST_PLAIN_NOT_FINITE }, { "-.INF", MST_PLAIN_NOT_FINITE },
};
enum { WORD_MAX = 5 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

static void put_unsigned(struct mst_plain *out, bool negative, uint64_t value)
{
    char text[24];
    char *end = text + sizeof(text), *p = end;
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    if (negative)
        *--p = '-';
    out->n = (uint32_t)(end - p);
    memcpy(out->number, p, out->n);
}

/* Go's strconv.ParseInt(text, 0, 64), then ParseUint. `text` is NUL-terminated, without '_'. */
static bool resolve_int(const char *text, struct mst_plain *out)
{
    const char *p = text;
    bool negative = *p == '-', sign = negative || *p == '+';
    p += sign;
    unsigned base = 10;
    if (p[0] == '0' && p[1]) {
        char letter = (char)(p[1] | 0x20);
        base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
        p += letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1;
    }
    if (!*p)
        return false;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : sign ? (uint64_t)INT64_MAX : UINT64_MAX;
    uint64_t sum = 0;
    for (; *p; p++) {
        unsigned digit = (unsigned)digit_value(*p);
        if (digit >= base || sum > (limit - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    put_unsigned(out, negative && sum, sum);
    out->kind = MST_PLAIN_INT;
    return true;
}

static bool is_float(const char *p)
{
    p += *p == '-' || *p == '+';
    const char *whole = p;
    while (is_digit(*p))
        p++;
    bool has_whole = p > whole;
    if (*p == '.') {
        p++;
        const char *fraction = p;
        while (is_digit(*p))
            p++;
        if (!has_whole && p == fraction)
            return false;
    } else if (!has_whole) {
        return false;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return false;
        while (is_digit(*p))
            p++;
    }
    return *p == 0;
}

static bool resolve_float(const char *text, struct mst_plain *out)
{
    if (!is_float(text))
        return false;
    double value = strtod(text, NULL);
    if (!isfinite(value))
        return false;
    out->n = mst_number_format(value, out->number);
    out->kind = MST_PLAIN_FLOAT;
    return true;
}

/* Whether only bytes occur that a number may have; a cheap no for names and times. */
static bool may_be_number(struct mst_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (digit_value(c) == 99 && c != '.' && c != '_' && c != '+' && c != '-' &&
            (c | 0x20) != 'x' && (c | 0x20) != 'o')
            return false;
    }
    return true;
}

static void resolve_number(struct mst_str s, struct mst_plain *out)
{
    char small[64];
    char *text = s.n < sizeof(small) ? small : mst_calloc(s.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_' || s.p[0] == '.')
            text[n++] = s.p[i];
    text[n] = 0;
    if (s.p[0] == '.' || !resolve_int(text, out))
        resolve_float(text, out);
    if (text != small)
        mst_free(text);
}

void mst_plain_resolve(struct mst_str text, struct mst_plain *out)
{
    out->kind = MST_PLAIN_STRING;
    out->n = 0;
    if (text.n == 0) {
        out->kind = MST_PLAIN_NULL;
        return;
    }
    char first = text.p[0];
    if (text.n <= WORD_MAX && memchr("~nNyYtToOfF.+-", first, 14)) {
        for (size_t i = 0; i < MST_COUNT(words); i++) {
            if (words[i].text[0] == first && mst_str_is(text, words[i].text)) {
                out->kind = words[i].kind;
                return;
            }
        }
    }
    if ((is_digit(first) || first == '+' || first == '-' || first == '.') && may_be_number(text))
        resolve_number(text, out);
}

bool mst_plain_looks_dated(struct mst_str text)
{
    size_t digits = 0, colons = 0;
    for (size_t i = 0; i < text.n; i++) {
        digits += is_digit(text.p[i]);
        colons += text.p[i] == ':';
    }
    if (digits == 0 || !(is_digit(text.p[0]) || text.p[0] == '+' || text.p[0] == '-'))
        return false;
    bool dated = text.n > 5 && text.p[4] == '-' && is_digit(text.p[5]);
    return dated || colons > 0;
}

bool mst_base64_text(struct mst_str text, struct mst_arena *arena, struct mst_str *out)
{
    MST_AUTO(mst_buf) dense = { 0 };
    MST_AUTO(mst_buf) bytes = { 0 };
    MST_AUTO(mst_buf) clean = { 0 };
    size_t at;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ' && text.p[i] != '\t')
            mst_buf_char(&dense, text.p[i]);
    if (!mst_base64_decode(mst_buf_span(&dense), &bytes, &at))
        return false;
    mst_utf8_clean(mst_buf_span(&bytes), &clean);
    *out = mst_arena_str(arena, mst_buf_span(&clean));
    return true;
}
