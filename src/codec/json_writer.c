/*
 * json_writer.c - JSON text out, and numbers the way Go prints them.
 *
 * Owns:       nothing; appends to the caller's buffer.
 * Invariants: `need_comma` is set behind a value, `after_key` behind a key; both cannot be. Text
 *             comes out as Go's encoder writes it without HTML escaping: \" \\ \b \f \n \r \t,
 *             \u00XX for the other control characters, \u2028 and \u2029, U+FFFD for each byte of
 *             invalid UTF-8.
 */
#include "codec/json.h"

#include "codec/json_scan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void new_line(struct mst_json_writer *w)
{
    if (!w->indent)
        return;
    static const char blanks[] = "                                ";
    mst_buf_char(w->out, '\n');
    size_t n = (size_t)w->indent * w->depth;
    for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
        mst_buf_add(w->out, blanks, sizeof(blanks) - 1);
    mst_buf_add(w->out, blanks, n);
}

/* Whatever has to stand in front of a key or of a value that has none. */
static void begin_item(struct mst_json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma)
        mst_buf_char(w->out, ',');
    if (w->depth)
        new_line(w);
}

static void open_container(struct mst_json_writer *w, char c)
{
    begin_item(w);
    mst_buf_char(w->out, c);
    w->depth++;
    w->need_comma = false;
}

static void close_container(struct mst_json_writer *w, char c)
{
    mst_assert(w->depth > 0);
    mst_assert(!w->after_key);
    w->depth--;
    if (w->need_comma) /* not empty */
        new_line(w);
    mst_buf_char(w->out, c);
    w->need_comma = true;
}

void mst_jw_object_begin(struct mst_json_writer *w)
{
    open_container(w, '{');
}

void mst_jw_object_end(struct mst_json_writer *w)
{
    close_container(w, '}');
}

void mst_jw_array_begin(struct mst_json_writer *w)
{
    open_container(w, '[');
}

void mst_jw_array_end(struct mst_json_writer *w)
{
    close_container(w, ']');
}

static void write_escape(struct mst_buf *out, unsigned char c)
{
    static const char letters[' '] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
    };
    static const char hex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') {
        mst_buf_add(out, (char[]){ '\\', (char)c }, 2);
    } else if (letters[c]) {
        mst_buf_add(out, (char[]){ '\\', letters[c] }, 2);
    } else {
        mst_buf_add(out, "\\u00", 4);
        mst_buf_add(out, (char[]){ hex[c >> 4], hex[c & 15] }, 2);
    }
}

/* The end of the longest run from p that is written as it stands. */
static const char *plain_run(const char *p, const char *end)
{
    for (;;) {
        p = mst_json_plain(p, end);
        if (p == end || (unsigned char)*p < 0x80)
            break;
        uint32_t n = mst_utf8_len(p, end);
        if (n == 0)
            break;
        /* U+2028 and U+2029 are E2 80 A8 and E2 80 A9. */
        if (n == 3 && memcmp(p, "\xE2\x80", 2) == 0 && ((unsigned char)p[2] & ~1) == 0xA8)
            break;
        p += n;
    }
    return p;
}

static void write_string(struct mst_buf *out, struct mst_str s)
{
    const char *p = s.p, *end = s.p + s.n;
    mst_buf_char(out, '"');
    while (p < end) {
        const char *q = plain_run(p, end);
        mst_buf_add(out, p, (size_t)(q - p));
        p = q;
        if (p == end)
            break;
        unsigned char c = (unsigned char)*p;
        if (c < 0x80) {
            write_escape(out, c);
            p++;
        } else if (mst_utf8_len(p, end)) {
            mst_buf_text(out, (unsigned char)p[2] == 0xA8 ? "\\u2028" : "\\u2029");
            p += 3;
        } else {
            mst_buf_text(out, "\\ufffd");
            p++;
        }
    }
    mst_buf_char(out, '"');
}

void mst_jw_key_str(struct mst_json_writer *w, struct mst_str key)
{
    mst_assert(w->depth > 0);
    mst_assert(!w->after_key);
    begin_item(w);
    write_string(w->out, key);
    mst_buf_char(w->out, ':');
    if (w->indent)
        mst_buf_char(w->out, ' ');
    w->after_key = true;
    w->need_comma = false;
}

void mst_jw_key(struct mst_json_writer *w, const char *key)
{
    mst_jw_key_str(w, mst_str_of(key));
}

static void write_raw(struct mst_json_writer *w, struct mst_str text)
{
    begin_item(w);
    mst_buf_str(w->out, text);
    w->need_comma = true;
}

void mst_jw_str(struct mst_json_writer *w, struct mst_str value)
{
    begin_item(w);
    write_string(w->out, value);
    w->need_comma = true;
}

void mst_jw_text(struct mst_json_writer *w, const char *value)
{
    mst_jw_str(w, mst_str_of(value));
}

void mst_jw_int(struct mst_json_writer *w, int64_t value)
{
    char text[24];
    char *end = text + sizeof(text), *p = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--p = '-';
    write_raw(w, (struct mst_str){ p, (size_t)(end - p) });
}

void mst_jw_double(struct mst_json_writer *w, double value)
{
    char text[MST_NUMBER_TEXT_MAX];
    uint32_t n = mst_number_format(value, text);
    write_raw(w, (struct mst_str){ text, n });
}

void mst_jw_bool(struct mst_json_writer *w, bool value)
{
    write_raw(w, value ? MST_STR("true") : MST_STR("false"));
}

void mst_jw_null(struct mst_json_writer *w)
{
    write_raw(w, MST_STR("null"));
}

void mst_jw_raw(struct mst_json_writer *w, struct mst_str json)
{
    write_raw(w, json);
}

static void write_value(struct mst_json_writer *w, const struct mst_value *v)
{
    switch ((mst_value_type)v->type) {
    case MST_NULL: mst_jw_null(w); break;
    case MST_FALSE:
    case MST_TRUE: mst_jw_bool(w, v->type == MST_TRUE); break;
    case MST_NUMBER: write_raw(w, mst_value_str(v)); break;
    case MST_STRING: mst_jw_str(w, mst_value_str(v)); break;
    case MST_ARRAY: mst_jw_array_begin(w); break;
    case MST_OBJECT: mst_jw_object_begin(w); break;
    }
}

void mst_jw_value(struct mst_json_writer *w, const struct mst_value *value)
{
    struct mst_walk walk;
    mst_walk_init(&walk, value);
    const struct mst_value *v;
    for (mst_walk_step step; (step = mst_walk_next(&walk, &v)) != MST_WALK_DONE;) {
        if (step == MST_WALK_KEY)
            mst_jw_key_str(w, mst_value_str(v));
        else if (step == MST_WALK_VALUE)
            write_value(w, v);
        else
            close_container(w, v->type == MST_OBJECT ? '}' : ']');
    }
}

/* The significant digits (without trailing zeros) and the decimal exponent of a positive value. */
static uint32_t shortest_digits(double value, char digits[24], int *exponent)
{
    char text[40];
    /*
     * A normal double holds 15 digits, so fewer come out as 15 with zeros; 17 identify every one.
     */
    for (int precision = value < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    uint32_t n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    *exponent = (int)strtol(p + 1, NULL, 10);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

static uint32_t put_digits(char *out, const char *digits, uint32_t n, int exponent)
{
    uint32_t at = 0;
    if (exponent < -6 || exponent >= 21) {
        out[at++] = digits[0];
        if (n > 1) {
            out[at++] = '.';
            memcpy(out + at, digits + 1, n - 1);
            at += n - 1;
        }
        return at + (uint32_t)snprintf(out + at, 8, "e%+d", exponent);
    }
    if (exponent < 0) {
        out[at++] = '0';
        out[at++] = '.';
        for (int i = -1; i > exponent; i--)
            out[at++] = '0';
        memcpy(out + at, digits, n);
        return at + n;
    }
    for (uint32_t i = 0; i < n || i <= (uint32_t)exponent; i++) {
        if (i == (uint32_t)exponent + 1)
            out[at++] = '.';
        out[at++] = i < n ? digits[i] : '0';
    }
    return at;
}

uint32_t mst_number_format(double value, char out[MST_NUMBER_TEXT_MAX])
{
    mst_assert(isfinite(value));
    uint32_t at = 0;
    if (signbit(value)) {
        out[at++] = '-';
        value = -value;
    }
    if (value == 0) {
        out[at++] = '0';
        return at;
    }
    char digits[24];
    int exponent;
    uint32_t n = shortest_digits(value, digits, &exponent);
    return at + put_digits(out + at, digits, n, exponent);
}

void mst_utf8_clean(struct mst_str text, struct mst_buf *out)
{
    for (size_t i = 0; i < text.n;) {
        const uint32_t n = mst_utf8_len(text.p + i, text.p + text.n);
        if (n)
            mst_buf_add(out, text.p + i, n);
        else
            mst_buf_text(out, "\xef\xbf\xbd");
        i += n ? n : 1;
    }
}
