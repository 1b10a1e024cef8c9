/*
 * go_json.c - JSON from a peer, taken as Go's decoder takes it.
 *
 * Invariants: the scanner finds the end of the first value or says what Go would say; only then the
 *             tape is made, so the two never disagree about what is valid, but for limits of ours.
 */
#include "framework/go_json.h"

enum { DEPTH_MAX = 10000 }; /* Go's; the tape's own limit is lower and is told in its words */

struct scan {
    const char *at, *end;
    struct mst_arena *arena;
    struct mst_str error; /* absent: none so far */
};

/* ---- errors ---- */

/* The character as Go quotes a byte that it takes for a code point. */
static struct mst_str quoted(struct mst_arena *arena, unsigned char c)
{
    static const char *const names[] = {
        ['\a'] = "\\a", ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",
        ['\v'] = "\\v", ['\f'] = "\\f", ['\r'] = "\\r"
    };
    if (c == '\'')
        return MST_STR("'\\''");
    if (c == '\\')
        return MST_STR("'\\\\'");
    if (c < MST_COUNT(names) && names[c])
        return mst_arena_printf(arena, "'%s'", names[c]);
    if (c < 0x20 || c == 0x7f)
        return mst_arena_printf(arena, "'\\x%02x'", c);
    if (c < 0x80)
        return mst_arena_printf(arena, "'%c'", c);
    if (c < 0xa1 || c == 0xad)
        return mst_arena_printf(arena, "'\\u%04x'", c);
    return mst_arena_printf(arena, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

static bool fail(struct scan *s, const char *context)
{
    if (s->at == s->end)
        s->error = MST_STR("unexpected EOF");
    else
        s->error = mst_arena_printf(s->arena, "invalid character %.*s %s",
                                    MST_ARG(quoted(s->arena, (unsigned char)*s->at)), context);
    return false;
}

/* ---- scanner ---- */

static bool is(const struct scan *s, char c)
{
    return s->at < s->end && *s->at == c;
}

static bool is_digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static void skip_space(struct scan *s)
{
    while (is(s, ' ') || is(s, '\t') || is(s, '\r') || is(s, '\n'))
        s->at++;
}

static void skip_digits(struct scan *s)
{
    while (is_digit(s))
        s->at++;
}

static bool scan_escape(struct scan *s)
{
    if (s->at < s->end && *s->at && strchr("bfnrt\\/\"", *s->at)) {
        s->at++;
        return true;
    }
    if (!is(s, 'u'))
        return fail(s, "in string escape code");
    s->at++;
    for (int i = 0; i < 4; i++, s->at++)
        if (s->at == s->end || !*s->at || !strchr("0123456789abcdefABCDEF", *s->at))
            return fail(s, "in \\u hexadecimal character escape");
    return true;
}

/* After the opening quote. */
static bool scan_string(struct scan *s)
{
    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < 0x20)
            return fail(s, "in string literal");
        if (*s->at++ == '\\' && !scan_escape(s))
            return false;
    }
    if (s->at == s->end)
        return fail(s, "");
    s->at++;
    return true;
}

static bool scan_number(struct scan *s)
{
    if (is(s, '-'))
        s->at++;
    if (!is_digit(s))
        return fail(s, "in numeric literal");
    if (is(s, '0'))
        s->at++;
    else
        skip_digits(s);
    if (is(s, '.')) {
        s->at++;
        if (!is_digit(s))
            return fail(s, "after decimal point in numeric literal");
        skip_digits(s);
    }
    if (is(s, 'e') || is(s, 'E')) {
        s->at++;
        if (is(s, '+') || is(s, '-'))
            s->at++;
        if (!is_digit(s))
            return fail(s, "in exponent of numeric literal");
        skip_digits(s);
    }
    return true;
}

static bool scan_literal(struct scan *s, const char *word)
{
    for (const char *w = word; *w; w++, s->at++) {
        if (is(s, *w))
            continue;
        const struct mst_str context =
            mst_arena_printf(s->arena, "in literal %s (expecting '%c')", word, *w);
        return fail(s, context.p);
    }
    return true;
}

/* A value that is no container. */
static bool scan_scalar(struct scan *s)
{
    if (is(s, '"')) {
        s->at++;
        return scan_string(s);
    }
    if (is(s, 't'))
        return scan_literal(s, "true");
    if (is(s, 'f'))
        return scan_literal(s, "false");
    if (is(s, 'n'))
        return scan_literal(s, "null");
    if (is(s, '-') || is_digit(s))
        return scan_number(s);
    return fail(s, "looking for beginning of value");
}

/* A key and its colon. */
static bool scan_key(struct scan *s)
{
    skip_space(s);
    if (!is(s, '"'))
        return fail(s, "looking for beginning of object key string");
    s->at++;
    if (!scan_string(s))
        return false;
    skip_space(s);
    if (!is(s, ':'))
        return fail(s, "after object key");
    s->at++;
    return true;
}

/* After the beginning of a container; *ret_empty: it has ended. */
static bool enter(struct scan *s, bool object, bool *ret_empty)
{
    skip_space(s);
    *ret_empty = is(s, object ? '}' : ']');
    if (*ret_empty)
        s->at++;
    return *ret_empty || !object || scan_key(s);
}

/* After a value inside of a container: its end, or up to the next value. */
static bool go_on(struct scan *s, bool object, bool *ret_end)
{
    skip_space(s);
    *ret_end = is(s, object ? '}' : ']');
    if (!*ret_end && !is(s, ','))
        return fail(s, object ? "after object key:value pair" : "after array element");
    s->at++;
    return *ret_end || !object || scan_key(s);
}

/* The first value. No recursion: a byte per open container. */
static bool scan_value(struct scan *s)
{
    MST_AUTO(mst_buf) open = { 0 };
    for (;;) {
        bool ended = true;
        skip_space(s);
        if (is(s, '{') || is(s, '[')) {
            const bool object = is(s, '{');
            s->at++;
            if (open.n == DEPTH_MAX) {
                s->error = MST_STR("exceeded max depth");
                return false;
            }
            mst_buf_char(&open, (char)object);
            if (!enter(s, object, &ended))
                return false;
            open.n -= ended;
        } else if (!scan_scalar(s)) {
            return false;
        }
        while (ended && open.n) {
            if (!go_on(s, open.p[open.n - 1], &ended))
                return false;
            open.n -= ended;
        }
        if (ended)
            return true;
    }
}

bool mst_go_json_read(struct mst_str text, struct mst_arena *arena, const struct mst_value **out,
                      struct mst_str *ret_error)
{
    struct scan s = { .arena = arena };
    s.at = text.n ? text.p : "";
    s.end = s.at + text.n;
    skip_space(&s);
    if (s.at == s.end) {
        *ret_error = MST_STR("EOF");
        return false;
    }
    if (!scan_value(&s)) {
        *ret_error = s.error;
        return false;
    }
    struct mst_err err;
    const struct mst_str first = { text.p, (size_t)(s.at - text.p) };
    if (mst_json_parse(first, NULL, arena, NULL, out, &err)) {
        *ret_error = mst_arena_str(arena, mst_str_of(err.text));
        return false;
    }
    return true;
}

/* ---- types ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool mst_go_json_key_is(const struct mst_value *key, const char *field)
{
    if (key->n != strlen(field))
        return false;
    for (uint32_t i = 0; i < key->n; i++)
        if (lower(key->p[i]) != lower(field[i]))
            return false;
    return true;
}

struct mst_str mst_go_json_type_error(struct mst_arena *arena, const struct mst_value *v,
                                      const char *field, const char *type)
{
    const char *what = mst_value_type_name(v);
    struct mst_str name = mst_str_of(what);
    if (v->type == MST_TRUE || v->type == MST_FALSE)
        name = MST_STR("bool");
    if (v->type == MST_NUMBER && strcmp(type, "int64") == 0)
        name = mst_arena_printf(arena, "number %.*s", MST_ARG(mst_value_str(v)));
    return mst_arena_printf(arena, "json: cannot unmarshal %.*s into Go %s%s of type %s",
                            MST_ARG(name), field ? "struct field " : "value", field ? field : "",
                            type);
}
