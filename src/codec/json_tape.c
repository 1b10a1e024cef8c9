/*
 * json_tape.c - a JSON text as a tape, in one pass.
 *
 * Owns:       nothing; the tape and decoded strings are in the caller's arena.
 * Invariants: `open[depth - 1]` is the innermost open container; its `n` and `span` are set, and
 *             its keys made unique, when it closes. Accepts exactly what the pull reader accepts.
 * Not here:   the bytes (json_scan.h).
 */
#include "codec/json.h"

#include "codec/json_scan.h"
#include "codec/yaml_internal.h"

struct builder {
    struct mst_json js; /* only its place, text and error are used */
    struct mst_value *tape;
    uint32_t n, cap;
    uint32_t depth, depth_max;
    struct open {
        uint32_t at;    /* index of the container on the tape */
        uint32_t count; /* of its members or elements so far */
        char closer;    /* '}' or ']' */
    } open[MST_DEPTH_MAX];
    struct mst_diags *diags;
    size_t bytes_max; /* for the first guess of the tape's size; 0: all there are */
    bool part;        /* what is behind the value is not looked at */
};

/* A realistic list has an entry per ten bytes; denser texts make the tape grow. */
enum { BYTES_PER_ENTRY = 8, ENTRIES_MIN = 16 };

__attribute__((noinline)) static void grow(struct builder *b)
{
    struct mst_value *tape = mst_arena_alloc(b->js.arena, (size_t)b->cap * 2 * sizeof(*tape));
    memcpy(tape, b->tape, b->n * sizeof(*tape));
    b->tape = tape;
    b->cap *= 2;
}

static inline struct mst_value *push(struct builder *b, const char *p, mst_value_type type)
{
    if (MST_UNLIKELY(b->n == b->cap))
        grow(b);
    struct mst_value *v = &b->tape[b->n++];
    v->span = 1;
    v->line = b->js.line;
    v->col = mst_col(b->js.line_begin, p) & MST_COL_MAX;
    v->type = (uint8_t)type;
    return v;
}

static inline void push_text(struct builder *b, const char *p, mst_value_type type)
{
    struct mst_value *v = push(b, p, type);
    v->p = b->js.text.p;
    v->n = (uint32_t)b->js.text.n;
}

static inline void push_word(struct builder *b, const char *p, mst_value_type type)
{
    struct mst_value *v = push(b, p, type);
    v->p = NULL;
    v->n = 0;
}

/* p is at where a key must be; returns the place of its value. */
static inline const char *read_key(struct builder *b, const char *p)
{
    struct mst_json *js = &b->js;
    if (MST_UNLIKELY(mst_json_peek(js, p) != '"'))
        return mst_json_expected(js, p, "a key in double quotes");
    const char *q = mst_json_string(js, p + 1, true);
    if (MST_UNLIKELY(!q))
        return NULL;
    push_text(b, p, MST_STRING);
    q = mst_json_space(js, q);
    if (MST_UNLIKELY(mst_json_peek(js, q) != ':'))
        return mst_json_expected(js, q, "':'");
    return mst_json_space(js, q + 1);
}

static inline const char *read_scalar(struct builder *b, const char *p, char c)
{
    struct mst_json *js = &b->js;
    const char *q;
    if (c == '"') {
        q = mst_json_string(js, p + 1, true);
        if (MST_LIKELY(q))
            push_text(b, p, MST_STRING);
    } else if (mst_json_is_digit(c) || c == '-') {
        q = mst_json_number(js, p);
        if (MST_LIKELY(q))
            push_text(b, p, MST_NUMBER);
    } else if (c == 't') {
        q = mst_json_literal(js, p, "true", 4);
        push_word(b, p, MST_TRUE);
    } else if (c == 'f') {
        q = mst_json_literal(js, p, "false", 5);
        push_word(b, p, MST_FALSE);
    } else if (c == 'n') {
        q = mst_json_literal(js, p, "null", 4);
        push_word(b, p, MST_NULL);
    } else {
        q = mst_json_expected(js, p, "a value");
    }
    return q;
}

static inline const char *open_container(struct builder *b, const char *p, mst_value_type type)
{
    if (MST_UNLIKELY(b->depth >= b->depth_max))
        return mst_json_error(&b->js, p, MST_ELIMIT, "nested deeper than %u levels", b->depth_max);
    /* In ASCII a bracket closes two behind its opening. */
    b->open[b->depth++] = (struct open){ .at = b->n, .closer = (char)(*p + 2) };
    push_word(b, p, type);
    return mst_json_space(&b->js, p + 1);
}

static inline void close_container(struct builder *b)
{
    const struct open *open = &b->open[--b->depth];
    struct mst_value *v = &b->tape[open->at];
    v->n = open->count;
    v->span = b->n - open->at;
    if (open->closer == '}' && open->count > 1) {
        mst_tape_dedup(v, b->diags);
        b->n = open->at + v->span;
    }
}

/*
 * p is behind a value: closes what ends here. Returns the place of the next key or value, or the
 * end of the text with depth 0, or NULL.
 */
static inline const char *after_value(struct builder *b, const char *p)
{
    struct mst_json *js = &b->js;
    while (b->depth) {
        p = mst_json_space(js, p);
        char c = mst_json_peek(js, p), closer = b->open[b->depth - 1].closer;
        if (c == ',')
            return mst_json_space(js, p + 1);
        if (MST_UNLIKELY(c != closer))
            return mst_json_expected(js, p, closer == '}' ? "',' or '}'" : "',' or ']'");
        close_container(b);
        p++;
    }
    if (b->part)
        return p;
    p = mst_json_space(js, p);
    return p == js->end ? p : mst_json_expected(js, p, "the end of the text");
}

/* Leaves js->at behind the value. */
static bool build(struct builder *b)
{
    struct mst_json *js = &b->js;
    const char *p = mst_json_space(js, js->at);
    do {
        if (b->depth) {
            struct open *open = &b->open[b->depth - 1];
            open->count++;
            if (open->closer == '}') {
                p = read_key(b, p);
                if (MST_UNLIKELY(!p))
                    return false;
            }
        }
        char c = mst_json_peek(js, p);
        if (c == '{' || c == '[') {
            p = open_container(b, p, c == '{' ? MST_OBJECT : MST_ARRAY);
            if (MST_UNLIKELY(!p))
                return false;
            if (mst_json_peek(js, p) != c + 2) /* not empty */
                continue;
        } else {
            p = read_scalar(b, p, c);
            if (MST_UNLIKELY(!p))
                return false;
        }
        p = after_value(b, p);
        if (MST_UNLIKELY(!p))
            return false;
    } while (b->depth);
    js->at = p;
    return true;
}

static mst_rc parse(struct builder *b, const struct mst_value **out, struct mst_err *err)
{
    struct mst_json *js = &b->js;
    if (js->err.rc == MST_OK) {
        size_t bytes = (size_t)(js->end - js->at);
        if (b->bytes_max)
            bytes = MST_MIN(bytes, b->bytes_max);
        b->cap = (uint32_t)(bytes / BYTES_PER_ENTRY) + ENTRIES_MIN;
        b->tape = mst_arena_alloc(js->arena, b->cap * sizeof(*b->tape));
        if (build(b)) {
            *out = b->tape;
            return MST_OK;
        }
    }
    if (err)
        *err = js->err;
    return js->err.rc;
}

mst_rc mst_json_parse(struct mst_str text, const struct mst_json_options *options,
                      struct mst_arena *arena, struct mst_diags *diags,
                      const struct mst_value **out, struct mst_err *err)
{
    struct builder b = { .diags = diags, .depth_max = MST_DEPTH_MAX };
    mst_json_init(&b.js, text, arena);
    if (options && options->depth_max)
        b.depth_max = MST_MIN(options->depth_max, (uint32_t)MST_DEPTH_MAX);
    return parse(&b, out, err);
}

mst_rc mst_json_parse_from(struct mst_str text, uint32_t line, struct mst_arena *arena,
                           struct mst_diags *diags, const struct mst_value **out,
                           struct mst_err *err)
{
    struct builder b = { .diags = diags, .depth_max = MST_DEPTH_MAX };
    mst_json_init(&b.js, text, arena);
    b.js.line = line;
    return parse(&b, out, err);
}

/* What the value most likely takes: its size is not known, so the tape starts small and grows. */
enum { PART_BYTES_MAX = 4096 };

mst_rc mst_json_value(struct mst_json *js, struct mst_arena *arena, struct mst_diags *diags,
                      const struct mst_value **out, struct mst_err *err)
{
    mst_assert(js->state != MST_JSON_AFTER);
    struct builder b = { .js = *js, .diags = diags, .depth_max = js->depth_max, .part = true };
    if (js->state == MST_JSON_FIRST) { /* back to the bracket, which is one byte */
        js->depth--;
        b.js.at--;
    }
    b.depth_max -= js->depth;
    b.js.arena = arena;
    b.bytes_max = PART_BYTES_MAX;
    const mst_rc rc = parse(&b, out, err);
    js->at = b.js.at;
    js->line = b.js.line;
    js->line_begin = b.js.line_begin;
    js->err = b.js.err;
    js->state = rc ? MST_JSON_ERROR : MST_JSON_AFTER;
    return rc;
}
