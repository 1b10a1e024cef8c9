/*
 * json.c - the pull reader: one token after another, nothing kept but a bit per open container.
 *
 * Owns:       nothing; escaped strings go to the caller's arena.
 * Invariants: `state` says what may come next; after an error every call gives MST_TOKEN_ERROR.
 * Not here:   the bytes (json_scan.h) and the tape (json_tape.c).
 */
#include "codec/json.h"

#include "codec/json_scan.h"

void mst_json_init(struct mst_json *js, struct mst_str text, struct mst_arena *arena)
{
    *js = (struct mst_json){
        .at = text.p,
        .begin = text.p,
        .line_begin = text.p,
        .end = text.p + text.n,
        .line = 1,
        .depth_max = MST_DEPTH_MAX,
        .state = MST_JSON_VALUE,
        .arena = arena,
    };
    if (!text.p)
        js->at = js->begin = js->line_begin = js->end = "";
    if (text.n > MST_DOCUMENT_BYTES_MAX) {
        mst_json_error(js, js->at, MST_ELIMIT, "the text is larger than %zu MiB",
                       MST_DOCUMENT_BYTES_MAX >> 20);
        js->state = MST_JSON_ERROR;
    }
}

static inline bool in_object(const struct mst_json *js)
{
    uint32_t i = js->depth - 1;
    return js->in_object[i / 64] >> (i % 64) & 1;
}

static mst_token fail(struct mst_json *js)
{
    js->state = MST_JSON_ERROR;
    return MST_TOKEN_ERROR;
}

static inline mst_token open_container(struct mst_json *js, const char *p, bool object)
{
    if (MST_UNLIKELY(js->depth >= js->depth_max)) {
        mst_json_error(js, p, MST_ELIMIT, "nested deeper than %u levels", js->depth_max);
        return fail(js);
    }
    uint64_t bit = (uint64_t)1 << (js->depth % 64);
    if (object)
        js->in_object[js->depth / 64] |= bit;
    else
        js->in_object[js->depth / 64] &= ~bit;
    js->depth++;
    js->state = MST_JSON_FIRST;
    js->at = p + 1;
    return object ? MST_TOKEN_OBJECT_BEGIN : MST_TOKEN_ARRAY_BEGIN;
}

static inline mst_token close_container(struct mst_json *js, const char *p)
{
    mst_token token = in_object(js) ? MST_TOKEN_OBJECT_END : MST_TOKEN_ARRAY_END;
    js->depth--;
    js->state = MST_JSON_AFTER;
    js->at = p + 1;
    return token;
}

/* A key with its colon. */
static inline mst_token read_key(struct mst_json *js, const char *p, bool decode)
{
    if (MST_UNLIKELY(mst_json_peek(js, p) != '"')) {
        mst_json_expected(js, p, "a key in double quotes");
        return fail(js);
    }
    p = mst_json_string(js, p + 1, decode);
    if (MST_UNLIKELY(!p))
        return fail(js);
    p = mst_json_space(js, p);
    if (MST_UNLIKELY(mst_json_peek(js, p) != ':')) {
        mst_json_expected(js, p, "':'");
        return fail(js);
    }
    js->at = p + 1;
    js->state = MST_JSON_VALUE;
    return MST_TOKEN_KEY;
}

static inline mst_token read_value(struct mst_json *js, const char *p, bool decode)
{
    mst_token token;
    char c = mst_json_peek(js, p);
    if (c == '"') {
        p = mst_json_string(js, p + 1, decode);
        token = MST_TOKEN_STRING;
    } else if (c == '{' || c == '[') {
        return open_container(js, p, c == '{');
    } else if (mst_json_is_digit(c) || c == '-') {
        p = mst_json_number(js, p);
        token = MST_TOKEN_NUMBER;
    } else if (c == 't') {
        p = mst_json_literal(js, p, "true", 4);
        token = MST_TOKEN_TRUE;
    } else if (c == 'f') {
        p = mst_json_literal(js, p, "false", 5);
        token = MST_TOKEN_FALSE;
    } else if (c == 'n') {
        p = mst_json_literal(js, p, "null", 4);
        token = MST_TOKEN_NULL;
    } else {
        p = mst_json_expected(js, p, "a value");
        token = MST_TOKEN_ERROR;
    }
    if (MST_UNLIKELY(!p))
        return fail(js);
    js->at = p;
    js->state = MST_JSON_AFTER;
    return token;
}

static mst_token read_end(struct mst_json *js, const char *p)
{
    if (p < js->end) {
        mst_json_expected(js, p, "the end of the text");
        return fail(js);
    }
    js->at = p;
    return MST_TOKEN_END;
}

static inline mst_token next(struct mst_json *js, bool decode)
{
    if (MST_UNLIKELY(js->state == MST_JSON_ERROR))
        return MST_TOKEN_ERROR;
    const char *p = mst_json_space(js, js->at);
    bool key_next = false;
    if (js->state != MST_JSON_VALUE) {
        if (MST_UNLIKELY(js->depth == 0))
            return read_end(js, p);
        char c = mst_json_peek(js, p);
        bool object = in_object(js);
        if (c == (object ? '}' : ']'))
            return close_container(js, p);
        if (js->state == MST_JSON_AFTER) {
            if (MST_UNLIKELY(c != ',')) {
                mst_json_expected(js, p, object ? "',' or '}'" : "',' or ']'");
                return fail(js);
            }
            p = mst_json_space(js, p + 1);
        }
        key_next = object;
    }
    js->token_line = js->line;
    js->token_col = mst_col(js->line_begin, p);
    return key_next ? read_key(js, p, decode) : read_value(js, p, decode);
}

mst_token mst_json_next(struct mst_json *js)
{
    return next(js, true);
}

bool mst_json_skip(struct mst_json *js)
{
    if (js->state == MST_JSON_ERROR)
        return false;
    mst_assert(js->state == MST_JSON_VALUE || js->state == MST_JSON_FIRST);
    uint32_t depth = js->state == MST_JSON_FIRST ? js->depth - 1 : js->depth;
    do {
        if (next(js, false) == MST_TOKEN_ERROR)
            return false;
    } while (js->depth > depth);
    return true;
}
