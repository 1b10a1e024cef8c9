/*
 * config_values.c - values of a configuration document, read strictly, and field errors in
 * upstream's form.
 *
 * Owns:       nothing: paths and texts are made in the reading's arena.
 * Invariants: a reader that returns false has left its output untouched; it has reported an error
 *             unless the value was absent or null.
 */
#include <stdarg.h>
#include <stdio.h>

#include "api/names.h"
#include "framework/config_internal.h"

#define NS_PER_S ((int64_t)1000000000)

/* ---- paths and errors ---- */

struct mst_str mst_at_key(const struct mst_reading *rd, struct mst_str path, const char *key)
{
    if (path.n == 0)
        return mst_arena_str(rd->arena, mst_str_of(key));
    return mst_arena_printf(rd->arena, "%.*s.%s", MST_ARG(path), key);
}

struct mst_str mst_at_index(const struct mst_reading *rd, struct mst_str path, uint32_t i)
{
    return mst_arena_printf(rd->arena, "%.*s[%u]", MST_ARG(path), i);
}

void mst_cfg_error(const struct mst_reading *rd, const struct mst_value *at, const char *format,
                   ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mst_diag_add(rd->diags, MST_DIAG_ERROR, at, "%s", text);
}

void mst_cfg_invalid(const struct mst_reading *rd, const struct mst_value *at, struct mst_str path,
                     struct mst_str value, const char *detail)
{
    mst_cfg_error(rd, at, "%.*s: Invalid value: %.*s: %s", MST_ARG(path), MST_ARG(value), detail);
}

void mst_cfg_invalid_int(const struct mst_reading *rd, const struct mst_value *at,
                         struct mst_str path, int64_t value, const char *detail)
{
    mst_cfg_error(rd, at, "%.*s: Invalid value: %lld: %s", MST_ARG(path), (long long)value, detail);
}

void mst_cfg_required(const struct mst_reading *rd, const struct mst_value *at, struct mst_str path,
                      const char *detail)
{
    mst_cfg_error(rd, at, "%.*s: Required value%s%s", MST_ARG(path), *detail ? ": " : "", detail);
}

struct mst_str mst_cfg_quote(const struct mst_reading *rd, struct mst_str text)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer writer = { .out = &buf };
    mst_jw_str(&writer, text);
    return mst_arena_str(rd->arena, mst_buf_span(&buf));
}

void mst_cfg_label_key(const struct mst_reading *rd, const struct mst_value *at,
                       struct mst_str path, struct mst_str key)
{
    const struct mst_name_texts texts =
        mst_name_check(MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, key);
    for (uint32_t i = 0; i < texts.n; i++)
        mst_cfg_invalid(rd, at, path, mst_cfg_quote(rd, key), texts.v[i]);
}

/* ---- typed members ---- */

static bool is_null(const struct mst_value *v)
{
    return !v || v->type == MST_NULL;
}

static void wrong_type(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                       const char *want)
{
    if (path.n)
        mst_cfg_error(rd, v, "%.*s: expected %s, got %s", MST_ARG(path), want,
                      mst_value_type_name(v));
    else
        mst_cfg_error(rd, v, "expected %s, got %s", want, mst_value_type_name(v));
}

bool mst_cfg_object(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                    const char *const *fields, size_t field_count)
{
    if (is_null(v))
        return false;
    if (v->type != MST_OBJECT) {
        wrong_type(rd, v, path, "object");
        return false;
    }
    MST_EACH_MEMBER (key, v) {
        bool known = false;
        for (size_t i = 0; i < field_count && !known; i++)
            known = mst_str_is(mst_value_str(key), fields[i]);
        if (!known)
            mst_cfg_error(rd, key, "strict decoding error: unknown field \"%.*s%s%.*s\"",
                          MST_ARG(path), path.n ? "." : "", MST_ARG(mst_value_str(key)));
    }
    return true;
}

const struct mst_value *mst_cfg_list(const struct mst_reading *rd, const struct mst_value *object,
                                     struct mst_str path, const char *key)
{
    const struct mst_value *v = mst_value_get(object, key);
    if (is_null(v))
        return NULL;
    if (v->type == MST_ARRAY)
        return v;
    wrong_type(rd, v, mst_at_key(rd, path, key), "array");
    return NULL;
}

bool mst_cfg_int(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                 const char *key, uint32_t bits, int64_t *out)
{
    const struct mst_value *v = mst_value_get(object, key);
    int64_t value;
    if (is_null(v))
        return false;
    const bool fits =
        mst_value_int(v, &value) && (bits == 64 || (value >= INT32_MIN && value <= INT32_MAX));
    if (!fits) {
        const struct mst_str at = mst_at_key(rd, path, key);
        if (v->type == MST_NUMBER)
            mst_cfg_error(rd, v, "%.*s: number %.*s is no int%u", MST_ARG(at),
                          MST_ARG(mst_value_str(v)), bits);
        else
            wrong_type(rd, v, at, "integer");
        return false;
    }
    *out = value;
    return true;
}

bool mst_cfg_str(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                 const char *key, struct mst_str *out)
{
    const struct mst_value *v = mst_value_get(object, key);
    if (is_null(v))
        return false;
    if (v->type != MST_STRING) {
        wrong_type(rd, v, mst_at_key(rd, path, key), "string");
        return false;
    }
    *out = mst_value_str(v);
    return true;
}

bool mst_cfg_bool(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                  const char *key, bool *out)
{
    const struct mst_value *v = mst_value_get(object, key);
    if (is_null(v))
        return false;
    if (v->type != MST_TRUE && v->type != MST_FALSE) {
        wrong_type(rd, v, mst_at_key(rd, path, key), "boolean");
        return false;
    }
    *out = v->type == MST_TRUE;
    return true;
}

void mst_cfg_number(const struct mst_reading *rd, const struct mst_value *object,
                    struct mst_str path, const char *key)
{
    const struct mst_value *v = mst_value_get(object, key);
    if (!is_null(v) && v->type != MST_NUMBER)
        wrong_type(rd, v, mst_at_key(rd, path, key), "number");
}

/* ---- durations ---- */

static bool unit_ns(struct mst_str *s, int64_t *out)
{
    static const struct {
        const char *text;
        int64_t ns;
    } units[] = {
        { "ns", 1 },       { "us", 1000 },    { "\xc2\xb5s", 1000 },  { "\xce\xbcs", 1000 },
        { "ms", 1000000 }, { "s", NS_PER_S }, { "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S },
    };
    for (size_t i = 0; i < MST_COUNT(units); i++) {
        if (!mst_str_has_prefix(*s, units[i].text))
            continue;
        const size_t n = strlen(units[i].text);
        *s = (struct mst_str){ s->p + n, s->n - n };
        *out = units[i].ns;
        return true;
    }
    return false;
}

/* One number with its unit, added to *total. Fractions below a nanosecond are cut off. */
static bool add_part(struct mst_str *s, int64_t *total)
{
    int64_t whole = 0, fraction = 0, scale = 1;
    size_t i = 0, digits = 0;
    for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++, digits++)
        if (__builtin_mul_overflow(whole, (int64_t)10, &whole) ||
            __builtin_add_overflow(whole, (int64_t)(s->p[i] - '0'), &whole))
            return false;
    if (i < s->n && s->p[i] == '.') {
        for (i++; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++, digits++) {
            if (scale >= 100000000000000)
                continue;
            fraction = fraction * 10 + (s->p[i] - '0');
            scale *= 10;
        }
    }
    *s = (struct mst_str){ s->p + i, s->n - i };
    int64_t unit, part;
    if (digits == 0 || !unit_ns(s, &unit) || __builtin_mul_overflow(whole, unit, &part))
        return false;
    const int64_t rest = (int64_t)((__int128)fraction * unit / scale);
    return !__builtin_add_overflow(part, rest, &part) &&
           !__builtin_add_overflow(*total, part, total);
}

static bool parse_duration(struct mst_str s, int64_t *out)
{
    const bool negative = s.n && s.p[0] == '-';
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = (struct mst_str){ s.p + 1, s.n - 1 };
    if (mst_str_is(s, "0")) {
        *out = 0;
        return true;
    }
    int64_t total = 0;
    if (s.n == 0)
        return false;
    while (s.n)
        if (!add_part(&s, &total))
            return false;
    *out = negative ? -total : total;
    return true;
}

bool mst_cfg_duration(const struct mst_reading *rd, const struct mst_value *object,
                      struct mst_str path, const char *key, int64_t *ret_ns)
{
    struct mst_str text;
    int64_t ns;
    if (!mst_cfg_str(rd, object, path, key, &text))
        return false;
    if (!parse_duration(text, &ns)) {
        mst_cfg_error(rd, mst_value_get(object, key), "%.*s: time: invalid duration %.*s",
                      MST_ARG(mst_at_key(rd, path, key)), MST_ARG(mst_cfg_quote(rd, text)));
        return false;
    }
    *ret_ns = ns;
    return true;
}

/* Digits of a fraction without the zeros at its end. */
static void put_fraction(struct mst_buf *buf, uint64_t value, uint64_t unit)
{
    mst_buf_printf(buf, "%llu", (unsigned long long)(value / unit));
    uint64_t rest = value % unit;
    if (rest)
        mst_buf_char(buf, '.');
    for (uint64_t scale = unit / 10; rest; scale /= 10) {
        mst_buf_char(buf, (char)('0' + rest / scale));
        rest %= scale;
    }
}

struct mst_str mst_cfg_duration_text(const struct mst_reading *rd, int64_t ns)
{
    MST_AUTO(mst_buf) buf = { 0 };
    const uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    const uint64_t second = NS_PER_S;
    mst_buf_text(&buf, ns < 0 ? "\"-" : "\"");
    if (left == 0) {
        mst_buf_text(&buf, "0s");
    } else if (left < second) {
        const uint64_t unit = left < 1000 ? 1 : left < 1000000 ? 1000 : 1000000;
        put_fraction(&buf, left, unit);
        mst_buf_text(&buf, unit == 1 ? "ns" : unit == 1000 ? "\xc2\xb5s" : "ms");
    } else {
        if (left >= 3600 * second)
            mst_buf_printf(&buf, "%lluh", (unsigned long long)(left / (3600 * second)));
        if (left >= 60 * second)
            mst_buf_printf(&buf, "%llum", (unsigned long long)(left / (60 * second) % 60));
        put_fraction(&buf, left % (60 * second), second);
        mst_buf_char(&buf, 's');
    }
    mst_buf_char(&buf, '"');
    return mst_arena_str(rd->arena, mst_buf_span(&buf));
}
