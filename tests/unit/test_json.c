/*
 * test_json.c - the JSON readers: tables, the pull reader against the tape, both against jansson.
 */
#include "codec/json.h"
#include "random_json.h"
#include "tap.h"

#include <jansson.h>
#include <stdlib.h>

static mst_rc parse(const char *text, struct mst_arena *arena, const struct mst_value **out,
                    struct mst_err *err)
{
    return mst_json_parse(mst_str_of(text), NULL, arena, NULL, out, err);
}

/* Runs the pull reader to its end. */
static bool pull_accepts(struct mst_str text, struct mst_arena *arena, struct mst_err *err)
{
    struct mst_json js;
    mst_json_init(&js, text, arena);
    mst_token token;
    do
        token = mst_json_next(&js);
    while (token != MST_TOKEN_END && token != MST_TOKEN_ERROR);
    *err = js.err;
    return token == MST_TOKEN_END;
}

static bool skip_accepts(struct mst_str text, struct mst_arena *arena)
{
    struct mst_json js;
    mst_json_init(&js, text, arena);
    return mst_json_skip(&js) && mst_json_next(&js) == MST_TOKEN_END;
}

static const struct {
    const char *name, *text, *error; /* NULL: accepted */
} grammar[] = {
    { "null", "null", NULL },
    { "space around", " \t\r\n true \n", NULL },
    { "empty object", "{}", NULL },
    { "empty array with space", "[ ]", NULL },
    { "nested", "{\"a\":[1,{\"b\":null}]}", NULL },
    { "numbers", "[0,-0,1.5,1e5,1E+5,-1.25e-3,10]", NULL },
    { "escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", NULL },
    { "DEL is no control character", "\"\x7F\"", NULL },
    { "lone high surrogate", "\"\\ud800\"", NULL },
    { "nothing", "", "line 1, column 1: expected a value, found the end of the text" },
    { "only space", "  \n ", "line 2, column 2: expected a value, found the end of the text" },
    { "leading zero", "[01]", "line 1, column 2: a number must not start with 0" },
    { "plus", "+1", "line 1, column 1: expected a value, found '+'" },
    { "only minus", "-", "line 1, column 2: expected a digit, found the end of the text" },
    { "minus and letter", "-a", "line 1, column 2: expected a digit, found 'a'" },
    { "point without digits", "1.",
      "line 1, column 3: expected a digit after '.', found the end of the text" },
    { "point first", ".5", "line 1, column 1: expected a value, found '.'" },
    { "exponent without digits", "1e+]",
      "line 1, column 4: expected a digit in the exponent, found ']'" },
    { "NaN", "NaN", "line 1, column 1: expected a value, found 'N'" },
    { "Infinity", "-Infinity", "line 1, column 2: expected a digit, found 'I'" },
    { "trailing comma in array", "[1,]", "line 1, column 4: expected a value, found ']'" },
    { "trailing comma in object", "{\"a\":1,}",
      "line 1, column 8: expected a key in double quotes, found '}'" },
    { "comma first", "[,1]", "line 1, column 2: expected a value, found ','" },
    { "missing comma", "[1 2]", "line 1, column 4: expected ',' or ']', found '2'" },
    { "missing colon", "{\"a\" 1}", "line 1, column 6: expected ':', found '1'" },
    { "missing value", "{\"a\":}", "line 1, column 6: expected a value, found '}'" },
    { "key without quotes", "{a:1}",
      "line 1, column 2: expected a key in double quotes, found 'a'" },
    { "wrong bracket", "[1}", "line 1, column 3: expected ',' or ']', found '}'" },
    { "wrong brace", "{\"a\":1]", "line 1, column 7: expected ',' or '}', found ']'" },
    { "open object", "{\"a\":1",
      "line 1, column 7: expected ',' or '}', found the end of the text" },
    { "open array", "[", "line 1, column 2: expected a value, found the end of the text" },
    { "two values", "1 2", "line 1, column 3: expected the end of the text, found '2'" },
    { "comment", "// x\n1", "line 1, column 1: expected a value, found '/'" },
    { "single quotes", "'a'", "line 1, column 1: expected a value, found '''" },
    { "truncated literal", "tru", "line 1, column 1: expected a value, found 't'" },
    { "literal with tail", "nulls", "line 1, column 5: expected the end of the text, found 's'" },
    { "upper-case literal", "True", "line 1, column 1: expected a value, found 'T'" },
    { "open string", "[\"abc", "line 1, column 2: the string is not closed" },
    { "open string after backslash", "\"abc\\", "line 1, column 5: invalid escape in a string" },
    { "unknown escape", "\"\\x41\"", "line 1, column 2: invalid escape in a string" },
    { "short \\u", "\"\\u12\"", "line 1, column 2: \\u needs four hexadecimal digits" },
    { "bad \\u", "\"\\u12g4\"", "line 1, column 2: \\u needs four hexadecimal digits" },
    { "newline in string", "\"a\nb\"", "line 1, column 3: control character 0x0a in a string" },
    { "tab in string", "\"\t\"", "line 1, column 2: control character 0x09 in a string" },
    { "overlong UTF-8", "\"\xC0\x80\"", "line 1, column 2: invalid UTF-8 (byte 0xc0)" },
    { "UTF-8 surrogate", "\"\xED\xA0\x80\"", "line 1, column 2: invalid UTF-8 (byte 0xed)" },
    { "UTF-8 above U+10FFFF", "\"\xF4\x90\x80\x80\"",
      "line 1, column 2: invalid UTF-8 (byte 0xf4)" },
    { "lone continuation", "\"a\x80\"", "line 1, column 3: invalid UTF-8 (byte 0x80)" },
    { "cut UTF-8", "\"\xE2\x82", "line 1, column 2: invalid UTF-8 (byte 0xe2)" },
    { "byte order mark", "\xEF\xBB\xBF{}", "line 1, column 1: expected a value, found byte 0xef" },
    { "no-break space",
      "\xC2\xA0"
      "1",
      "line 1, column 1: expected a value, found byte 0xc2" },
    { "place on a later line", "{\n  \"a\": 1,\n  \"b\" 2\n}",
      "line 3, column 7: expected ':', found '2'" },
};

static void test_grammar(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(grammar); i++) {
        t_case(t, grammar[i].name);
        MST_AUTO(mst_arena) arena = { 0 };
        const struct mst_value *root = NULL;
        struct mst_err err = { 0 }, pull_err;
        mst_rc rc = parse(grammar[i].text, &arena, &root, &err);
        bool pulled = pull_accepts(mst_str_of(grammar[i].text), &arena, &pull_err);
        t_bool(t, skip_accepts(mst_str_of(grammar[i].text), &arena), pulled);
        if (grammar[i].error) {
            t_int(t, rc, MST_EDECODE);
            t_text(t, err.text, grammar[i].error);
            t_ok(t, root == NULL);
            t_bool(t, pulled, false);
            t_text(t, pull_err.text, grammar[i].error);
        } else {
            t_int(t, rc, MST_OK);
            t_bool(t, pulled, true);
        }
    }
}

static const struct {
    const char *text;
    struct mst_str want;
} strings[] = {
    { "\"\"", { "", 0 } },
    { "\"plain\"", { "plain", 5 } },
    { "\"a\\nb\\t\\\"\\\\\\/\\b\\f\\r\"", { "a\nb\t\"\\/\b\f\r", 10 } },
    { "\"\\u0000x\"", { "\0x", 2 } },
    { "\"\\u00E9\\u20ac\"", { "\xC3\xA9\xE2\x82\xAC", 5 } },
    { "\"\\ud83d\\uDE00\"", { "\xF0\x9F\x98\x80", 4 } },
    { "\"\\ud800\"", { "\xEF\xBF\xBD", 3 } },
    { "\"\\udc00\\ud800\"", { "\xEF\xBF\xBD\xEF\xBF\xBD", 6 } },
    { "\"\\ud800\\u0041\"",
      { "\xEF\xBF\xBD"
        "A",
        4 } },
    { "\"\\ud800\\ud83d\\ude00\"", { "\xEF\xBF\xBD\xF0\x9F\x98\x80", 7 } },
    { "\"\\ud800\\n\"", { "\xEF\xBF\xBD\n", 4 } },
    { "\"0123456789abcdef0123456789\\n\"", { "0123456789abcdef0123456789\n", 27 } },
    { "\"0123456789abcd\xC3\xA9 and more than sixteen\"",
      { "0123456789abcd\xC3\xA9 and more than sixteen", 38 } },
};

static void test_strings(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(strings); i++) {
        t_case(t, strings[i].text);
        MST_AUTO(mst_arena) arena = { 0 };
        const struct mst_value *root = NULL;
        struct mst_err err;
        t_int(t, parse(strings[i].text, &arena, &root, &err), MST_OK);
        if (!root)
            continue;
        t_int(t, root->type, MST_STRING);
        t_ok(t, mst_str_eq(mst_value_str(root), strings[i].want));
        struct mst_json js;
        mst_json_init(&js, mst_str_of(strings[i].text), &arena);
        t_int(t, mst_json_next(&js), MST_TOKEN_STRING);
        t_ok(t, mst_str_eq(js.text, strings[i].want));
    }
}

/* A special byte at every offset of a string of every length: each path of the block scan. */
static void test_strings_at_every_offset(struct mst_test *t)
{
    static const char *const specials[] = { "\\n", "\xC3\xA9", "\x01", "" };
    for (size_t n = 0; n < 50; n++) {
        for (size_t at = 0; at <= n; at++) {
            for (size_t s = 0; s < MST_COUNT(specials); s++) {
                MST_AUTO(mst_arena) arena = { 0 };
                MST_AUTO(mst_buf) text = { 0 };
                mst_buf_char(&text, '"');
                for (size_t i = 0; i < n; i++) {
                    if (i == at)
                        mst_buf_text(&text, specials[s]);
                    mst_buf_char(&text, 'x');
                }
                mst_buf_char(&text, '"');
                bool bad = specials[s][0] == 1 && at < n;
                /* An exact copy, so that a sanitizer sees any byte read too far. */
                char *exact = mst_calloc(text.n, 1);
                memcpy(exact, text.p, text.n);
                const struct mst_value *root = NULL;
                mst_rc rc = mst_json_parse((struct mst_str){ exact, text.n }, NULL, &arena, NULL,
                                           &root, NULL);
                t_int(t, rc, bad ? MST_EDECODE : MST_OK);
                size_t extra = at == n ? 0 : s == 0 ? 1 : strlen(specials[s]);
                if (rc == MST_OK)
                    t_int(t, root->n, n + extra);
                mst_free(exact);
            }
        }
    }
}

static void test_tape_shape(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root = NULL;
    struct mst_err err;
    t_int(t, parse("{\n  \"a\": [1, \"x\", {}],\n  \"b\": true\n}", &arena, &root, &err), MST_OK);
    static const struct {
        mst_value_type type;
        uint32_t n, span, line, col;
    } want[] = {
        { MST_OBJECT, 2, 8, 1, 1 }, { MST_STRING, 1, 1, 2, 3 },  { MST_ARRAY, 3, 4, 2, 8 },
        { MST_NUMBER, 1, 1, 2, 9 }, { MST_STRING, 1, 1, 2, 12 }, { MST_OBJECT, 0, 1, 2, 17 },
        { MST_STRING, 1, 1, 3, 3 }, { MST_TRUE, 0, 1, 3, 8 },
    };
    for (size_t i = 0; root && i < MST_COUNT(want); i++) {
        t_int(t, root[i].type, want[i].type);
        t_int(t, root[i].n, want[i].n);
        t_int(t, root[i].span, want[i].span);
        t_int(t, root[i].line, want[i].line);
        t_int(t, root[i].col, want[i].col);
    }
    _Static_assert(sizeof(struct mst_value) == 24, "the tape is as dense as promised");
}

static void test_tape_grows(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_char(&text, '[');
    for (int i = 0; i < 100000; i++)
        mst_buf_text(&text, i ? ",1" : "1");
    mst_buf_char(&text, ']');
    const struct mst_value *root = NULL;
    t_int(t, mst_json_parse(mst_buf_span(&text), NULL, &arena, NULL, &root, NULL), MST_OK);
    t_int(t, root->n, 100000);
    t_int(t, root->span, 100001);
    t_int(t, root[100000].col, 200000);
}

static void test_depth(struct mst_test *t)
{
    for (uint32_t limit = 0; limit <= 4; limit += 2) {
        uint32_t allowed = limit ? limit : MST_DEPTH_MAX;
        for (uint32_t depth = allowed; depth <= allowed + 1; depth++) {
            MST_AUTO(mst_arena) arena = { 0 };
            MST_AUTO(mst_buf) text = { 0 };
            for (uint32_t i = 0; i < depth; i++)
                mst_buf_text(&text, i % 2 ? "{\"a\":" : "[");
            mst_buf_text(&text, "1");
            for (uint32_t i = depth; i-- > 0;)
                mst_buf_text(&text, i % 2 ? "}" : "]");
            const struct mst_value *root = NULL;
            struct mst_err err = { 0 };
            mst_rc rc = mst_json_parse(mst_buf_span(&text),
                                       &(struct mst_json_options){ .depth_max = limit }, &arena,
                                       NULL, &root, &err);
            t_int(t, rc, depth > allowed ? MST_ELIMIT : MST_OK);
            if (limit)
                continue;
            t_bool(t, pull_accepts(mst_buf_span(&text), &arena, &err), depth == allowed);
            t_bool(t, skip_accepts(mst_buf_span(&text), &arena), depth == allowed);
        }
    }
}

static void test_size_limit(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root = NULL;
    struct mst_err err = { 0 };
    /* Never read: the size alone is refused. */
    struct mst_str text = { "1", MST_DOCUMENT_BYTES_MAX + 1 };
    t_int(t, mst_json_parse(text, NULL, &arena, NULL, &root, &err), MST_ELIMIT);
    t_bool(t, pull_accepts(text, &arena, &err), false);
    t_int(t, err.rc, MST_ELIMIT);
}

static void test_duplicate_keys(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    const struct mst_value *root = NULL;
    struct mst_str text = MST_STR(
        "{\"a\": {\"z\": 1}, \"b\": 2,\n \"a\": [1, 2], \"c\": {\"d\": 1, \"d\": 2}, \"a\": 3}");
    t_int(t, mst_json_parse(text, NULL, &arena, &diags, &root, NULL), MST_OK);
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_json_writer w = { .out = &out };
    mst_jw_value(&w, root);
    t_str(t, mst_buf_span(&out), "{\"a\":3,\"b\":2,\"c\":{\"d\":2}}");
    t_int(t, root->n, 3);
    t_int(t, root->span, 9);
    t_int(t, diags.list.n, 3);
    t_int(t, diags.error_count, 0);
    t_str(t, diags.list.v[0].text, "duplicate key \"d\", the last one is used");
    t_int(t, diags.list.v[1].line, 2);
    t_int(t, diags.list.v[1].col, 2);
}

static void test_pull_tokens(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_json js;
    mst_json_init(&js, MST_STR("{\"a\\n\": [1, null],\n \"b\": {}, \"c\": \"s\"}"), &arena);
    static const struct {
        mst_token token;
        const char *text;
        uint32_t line, col;
    } want[] = {
        { MST_TOKEN_OBJECT_BEGIN, NULL, 1, 1 }, { MST_TOKEN_KEY, "a\n", 1, 2 },
        { MST_TOKEN_ARRAY_BEGIN, NULL, 1, 9 },  { MST_TOKEN_NUMBER, "1", 1, 10 },
        { MST_TOKEN_NULL, NULL, 1, 13 },        { MST_TOKEN_ARRAY_END, NULL, 0, 0 },
        { MST_TOKEN_KEY, "b", 2, 2 },           { MST_TOKEN_OBJECT_BEGIN, NULL, 2, 7 },
        { MST_TOKEN_OBJECT_END, NULL, 0, 0 },   { MST_TOKEN_KEY, "c", 2, 11 },
        { MST_TOKEN_STRING, "s", 2, 16 },       { MST_TOKEN_OBJECT_END, NULL, 0, 0 },
        { MST_TOKEN_END, NULL, 0, 0 },          { MST_TOKEN_END, NULL, 0, 0 },
    };
    for (size_t i = 0; i < MST_COUNT(want); i++) {
        t_int(t, mst_json_next(&js), want[i].token);
        if (want[i].text)
            t_str(t, js.text, want[i].text);
        if (want[i].line) {
            t_int(t, js.token_line, want[i].line);
            t_int(t, js.token_col, want[i].col);
        }
    }
}

static void test_pull_skip(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_json js;
    mst_json_init(&js, MST_STR("{\"a\": {\"x\": [1, {\"\\n\": 2}]}, \"b\": [[], 3], \"c\": 4}"),
                  &arena);
    t_int(t, mst_json_next(&js), MST_TOKEN_OBJECT_BEGIN);
    t_int(t, mst_json_next(&js), MST_TOKEN_KEY);
    t_bool(t, mst_json_skip(&js), true);
    t_int(t, mst_json_next(&js), MST_TOKEN_KEY);
    t_str(t, js.text, "b");
    t_int(t, mst_json_next(&js), MST_TOKEN_ARRAY_BEGIN);
    t_bool(t, mst_json_skip(&js), true);
    t_int(t, mst_json_next(&js), MST_TOKEN_KEY);
    t_str(t, js.text, "c");
    t_bool(t, mst_json_skip(&js), true);
    t_int(t, mst_json_next(&js), MST_TOKEN_OBJECT_END);
    t_int(t, mst_json_next(&js), MST_TOKEN_END);
    t_int(t, arena.bytes, 0); /* skipping decodes nothing */
}

/* The tape as tokens, for comparison with the pull reader. */
static bool same_tokens(const struct mst_value *root, struct mst_str text, struct mst_arena *arena)
{
    struct mst_json js;
    mst_json_init(&js, text, arena);
    for (const struct mst_value *v = root; v < mst_value_next(root);) {
        mst_token token = mst_json_next(&js);
        if (token == MST_TOKEN_OBJECT_END || token == MST_TOKEN_ARRAY_END)
            continue;
        static const mst_value_type types[] = {
            [MST_TOKEN_OBJECT_BEGIN] = MST_OBJECT, [MST_TOKEN_ARRAY_BEGIN] = MST_ARRAY,
            [MST_TOKEN_KEY] = MST_STRING,          [MST_TOKEN_STRING] = MST_STRING,
            [MST_TOKEN_NUMBER] = MST_NUMBER,       [MST_TOKEN_TRUE] = MST_TRUE,
            [MST_TOKEN_FALSE] = MST_FALSE,         [MST_TOKEN_NULL] = MST_NULL,
        };
        if (token <= MST_TOKEN_ERROR || types[token] != (mst_value_type)v->type)
            return false;
        if (v->line != js.token_line || v->col != js.token_col)
            return false;
        if ((v->type == MST_STRING || v->type == MST_NUMBER) &&
            !mst_str_eq(mst_value_str(v), js.text))
            return false;
        v++;
    }
    return true;
}

/* Values are equal; numbers within what jansson keeps of them. */
static bool same_as_jansson(const struct mst_value *v, const json_t *peer)
{
    char number[64];
    size_t i;
    switch ((mst_value_type)v->type) {
    case MST_NULL: return json_is_null(peer);
    case MST_FALSE: return json_is_false(peer);
    case MST_TRUE: return json_is_true(peer);
    case MST_NUMBER:
        if (v->n >= sizeof(number))
            return json_is_number(peer);
        memcpy(number, v->p, v->n);
        number[v->n] = 0;
        if (json_is_integer(peer))
            return strtoll(number, NULL, 10) == json_integer_value(peer);
        return json_is_real(peer) && strtod(number, NULL) == json_real_value(peer);
    case MST_STRING:
        return json_is_string(peer) && json_string_length(peer) == v->n &&
               memcmp(json_string_value(peer), v->p, v->n) == 0;
    case MST_ARRAY:
        if (!json_is_array(peer) || json_array_size(peer) != v->n)
            return false;
        i = 0;
        MST_EACH_ELEMENT (element, v)
            /* tidy: allow recursion: both readers bound the depth */
            if (!same_as_jansson(element, json_array_get(peer, i++)))
                return false;
        return true;
    case MST_OBJECT:
        if (!json_is_object(peer) || json_object_size(peer) != v->n)
            return false;
        MST_EACH_MEMBER (key, v)
            /* tidy: allow recursion: both readers bound the depth */
            if (!same_as_jansson(key + 1, json_object_getn(peer, key->p, key->n)))
                return false;
        return true;
    }
    return false;
}

/*
 * Where jansson refuses what we accept: a key with U+0000, an escaped surrogate without its partner
 * (U+FFFD here, as in Go), a number that its types cannot hold. It accepts nothing that we refuse,
 * but for depth, and for a NUL byte outside a string, which it takes for the end of the text.
 */
static bool is_known_difference(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_null_byte_in_key || code == json_error_numeric_overflow ||
           strstr(error->text, "invalid Unicode");
}

static void check_text(struct mst_test *t, struct mst_str text, bool repeats)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root = NULL;
    struct mst_err err, pull_err;
    /* An exact copy on the heap, so that a sanitizer sees any byte read too far. */
    char *exact = mst_calloc(text.n + 1, 1);
    memcpy(exact, text.p, text.n);
    text.p = mst_realloc(exact, text.n ? text.n : 1, 1);
    mst_rc rc = mst_json_parse(text, NULL, &arena, NULL, &root, &err);
    bool pulled = pull_accepts(text, &arena, &pull_err);
    if (pulled != (rc == MST_OK))
        t_fail(t, "tape and pull reader disagree on '%.*s'", MST_ARG(text));
    if (rc != MST_OK)
        t_text(t, err.text, pull_err.text);
    if (skip_accepts(text, &arena) != pulled)
        t_fail(t, "skip disagrees on '%.*s'", MST_ARG(text));
    json_error_t error;
    json_t *peer = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (rc == MST_OK && !repeats && !same_tokens(root, text, &arena))
        t_fail(t, "tokens differ on '%.*s'", MST_ARG(text));
    if (rc == MST_OK && !peer && !is_known_difference(&error))
        t_fail(t, "jansson refuses '%.*s': %s", MST_ARG(text), error.text);
    if (rc == MST_EDECODE && peer && !memchr(text.p, 0, text.n))
        t_fail(t, "jansson accepts '%.*s', not we: %s", MST_ARG(text), err.text);
    if (rc == MST_OK && peer && !same_as_jansson(root, peer))
        t_fail(t, "values differ from jansson's on '%.*s'", MST_ARG(text));
    t_ok(t, rc == MST_OK || rc == MST_EDECODE);
    json_decref(peer);
    mst_free((char *)text.p);
}

static void test_random_valid(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    for (int i = 0; i < 3000; i++) {
        MST_AUTO(mst_buf) text = { 0 };
        bool repeats = i % 2;
        random_value(&rng, &text, 5, repeats);
        MST_AUTO(mst_arena) arena = { 0 };
        const struct mst_value *root;
        struct mst_err err;
        if (mst_json_parse(mst_buf_span(&text), NULL, &arena, NULL, &root, &err))
            t_fail(t, "%s in '%.*s'", err.text, MST_ARG(mst_buf_span(&text)));
        check_text(t, mst_buf_span(&text), repeats);
    }
}

static void test_random_mutated(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 2);
    for (int i = 0; i < 20000; i++) {
        MST_AUTO(mst_buf) text = { 0 };
        random_value(&rng, &text, 3, true);
        random_mutation(&rng, &text);
        check_text(t, mst_buf_span(&text), true);
    }
}

/* All texts of up to four bytes over a small alphabet. */
static void test_exhaustive_short(struct mst_test *t)
{
    static const char alphabet[] = "{}[]\",:01-.en \\u";
    const uint32_t letters = sizeof(alphabet) - 1;
    char text[4];
    for (uint32_t n = 0, total = 1; n <= sizeof(text); n++, total *= letters) {
        for (uint32_t code = 0; code < total; code++) {
            for (uint32_t i = 0, rest = code; i < n; i++, rest /= letters)
                text[i] = alphabet[rest % letters];
            check_text(t, (struct mst_str){ text, n }, true);
        }
    }
}

MST_TEST_MAIN(T(test_grammar), T(test_strings), T(test_strings_at_every_offset), T(test_tape_shape),
              T(test_tape_grows), T(test_depth), T(test_size_limit), T(test_duplicate_keys),
              T(test_pull_tokens), T(test_pull_skip), T(test_random_valid), T(test_random_mutated),
              T(test_exhaustive_short))
