/*
 * fuzz_json.c - any bytes as JSON: the tape, the pull reader, skipping and the writer must agree,
 * and with jansson too where the build has it (MST_HAVE_JANSSON).
 */
#include "codec/json.h"

#ifdef MST_HAVE_JANSSON
#include <jansson.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Runs the pull reader to its end. If `root` is given, its tokens must be the tape's; `root` must
 * then come from a text without duplicate keys.
 */
static bool pull(struct mst_str text, struct mst_arena *arena, const struct mst_value *root,
                 struct mst_err *err)
{
    static const mst_value_type types[] = {
        [MST_TOKEN_OBJECT_BEGIN] = MST_OBJECT, [MST_TOKEN_ARRAY_BEGIN] = MST_ARRAY,
        [MST_TOKEN_KEY] = MST_STRING,          [MST_TOKEN_STRING] = MST_STRING,
        [MST_TOKEN_NUMBER] = MST_NUMBER,       [MST_TOKEN_TRUE] = MST_TRUE,
        [MST_TOKEN_FALSE] = MST_FALSE,         [MST_TOKEN_NULL] = MST_NULL,
    };
    struct mst_json js;
    mst_json_init(&js, text, arena);
    const struct mst_value *v = root;
    for (;;) {
        mst_token token = mst_json_next(&js);
        *err = js.err;
        if (token == MST_TOKEN_END || token == MST_TOKEN_ERROR) {
            mst_assert(!root || v == mst_value_next(root));
            return token == MST_TOKEN_END;
        }
        if (!root || token == MST_TOKEN_OBJECT_END || token == MST_TOKEN_ARRAY_END)
            continue;
        mst_assert(v < mst_value_next(root));
        mst_assert(types[token] == (mst_value_type)v->type);
        mst_assert(v->line == js.token_line);
        mst_assert(v->col == js.token_col);
        if (v->type == MST_STRING || v->type == MST_NUMBER)
            mst_assert(mst_str_eq(mst_value_str(v), js.text));
        v++;
    }
}

static void check_same(const struct mst_value *a, const struct mst_value *b)
{
    mst_assert(a->span == b->span);
    for (uint32_t i = 0; i < a->span; i++) {
        mst_assert(a[i].type == b[i].type);
        mst_assert(a[i].n == b[i].n);
        mst_assert(a[i].span == b[i].span);
        if (a[i].type == MST_STRING || a[i].type == MST_NUMBER)
            mst_assert(mst_str_eq(mst_value_str(&a[i]), mst_value_str(&b[i])));
    }
}

static void check_writer(const struct mst_value *root, struct mst_arena *arena)
{
    for (uint32_t indent = 0; indent <= 2; indent += 2) {
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out, .indent = indent };
        mst_jw_value(&w, root);
        const struct mst_value *again;
        mst_assert(mst_json_parse(mst_buf_span(&out), NULL, arena, NULL, &again, NULL) == MST_OK);
        check_same(root, again);
    }
}

#ifdef MST_HAVE_JANSSON
/* Where jansson and we differ by design; see tests/unit/test_json.c. */
static bool is_known_difference(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_null_byte_in_key || code == json_error_numeric_overflow ||
           strstr(error->text, "invalid Unicode");
}

static void check_jansson(struct mst_str text, mst_rc rc, const struct mst_value *root)
{
    json_error_t error;
    json_t *peer = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (rc == MST_OK)
        mst_assert(peer || is_known_difference(&error));
    if (rc == MST_EDECODE)
        mst_assert(!peer || memchr(text.p, 0, text.n));
    if (rc == MST_OK && peer && root->type == MST_OBJECT)
        mst_assert(json_object_size(peer) == root->n);
    if (rc == MST_OK && peer && root->type == MST_ARRAY)
        mst_assert(json_array_size(peer) == root->n);
    json_decref(peer);
}
#else
static void check_jansson(struct mst_str text, mst_rc rc, const struct mst_value *root)
{
    mst_assert(rc != MST_OK || (root && text.n > 0));
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mst_str text = { (const char *)data, size };
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    const struct mst_value *root = NULL;
    struct mst_err err = { 0 }, pull_err = { 0 };
    mst_rc rc = mst_json_parse(text, NULL, &arena, &diags, &root, &err);
    bool comparable = rc == MST_OK && diags.list.n == 0;
    bool pulled = pull(text, &arena, comparable ? root : NULL, &pull_err);
    mst_assert(pulled == (rc == MST_OK));
    mst_assert(pull_err.rc == rc);
    if (rc != MST_OK)
        mst_assert(strcmp(err.text, pull_err.text) == 0);
    struct mst_json js;
    mst_json_init(&js, text, &arena);
    mst_assert((mst_json_skip(&js) && mst_json_next(&js) == MST_TOKEN_END) == pulled);
    if (rc == MST_OK)
        check_writer(root, &arena);
    check_jansson(text, rc, root);
    return 0;
}
