/*
 * test_tape.c - looking up, integers, unique keys against a naive twin, walking.
 */
#include "codec/json.h"
#include "codec/tape_internal.h"
#include "random_json.h"
#include "tap.h"

static const struct mst_value *parse(struct mst_str text, struct mst_arena *arena,
                                     struct mst_diags *diags)
{
    const struct mst_value *root = NULL;
    struct mst_err err;
    if (mst_json_parse(text, NULL, arena, diags, &root, &err))
        mst_assert_failed(err.text, __FILE__, __LINE__);
    return root;
}

static void test_get(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root =
        parse(MST_STR("{\"a\":{\"b\":[1]},\"\":2,\"ab\":3}"), &arena, NULL);
    t_int(t, mst_value_get(root, "a")->type, MST_OBJECT);
    t_int(t, mst_value_get(mst_value_get(root, "a"), "b")->type, MST_ARRAY);
    t_str(t, mst_value_str(mst_value_get(root, "")), "2");
    t_str(t, mst_value_str(mst_value_get(root, "ab")), "3");
    t_ok(t, mst_value_get(root, "b") == NULL);
    t_ok(t, mst_value_get(root, "abc") == NULL);
    t_ok(t, mst_value_get(mst_value_get(root, "ab"), "a") == NULL);
    t_ok(t, mst_value_get(NULL, "a") == NULL);
}

static void test_type_names(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root = parse(MST_STR("[null,false,true,1,\"s\",[],{}]"), &arena, NULL);
    static const char *const want[] = { "null",   "boolean", "boolean", "number",
                                        "string", "array",   "object" };
    size_t i = 0;
    MST_EACH_ELEMENT (element, root)
        t_text(t, mst_value_type_name(element), want[i++]);
    t_int(t, i, MST_COUNT(want));
}

static void test_int(struct mst_test *t)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } cases[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "42", true, 42 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "99999999999999999999", false, 0 },
        { "1.0", false, 0 },
        { "1e3", false, 0 },
        { "\"1\"", false, 0 },
        { "null", false, 0 },
        { "[]", false, 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].text);
        MST_AUTO(mst_arena) arena = { 0 };
        int64_t got = 77;
        t_bool(t, mst_value_int(parse(mst_str_of(cases[i].text), &arena, NULL), &got), cases[i].ok);
        t_int(t, got, cases[i].ok ? cases[i].want : 77);
    }
}

/* An object of `count` members whose keys are drawn from `distinct` names. */
static void make_object(struct mst_rng *rng, struct mst_buf *out, uint32_t count, uint32_t distinct)
{
    mst_buf_char(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = random_below(rng, distinct);
        /* Same length, first, middle and last byte: the quick hash cannot tell them apart. */
        mst_buf_printf(out, "%s\"k%08um%08uk\":", i ? "," : "", key, key);
        if (random_below(rng, 3))
            mst_buf_printf(out, "%u", i);
        else
            mst_buf_printf(out, "{\"x\":[%u],\"y\":1}", i);
    }
    mst_buf_char(out, '}');
}

/* The naive twin: for each key that did not occur before, the value of its last occurrence. */
static void naive_dedup(const struct mst_value *pairs, uint32_t count, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    const struct mst_value **keys = mst_calloc(count + 1, sizeof(*keys));
    uint32_t n = 0;
    for (const struct mst_value *v = mst_value_first(pairs); n < count; v = mst_value_next(v + 1))
        keys[n++] = v;
    mst_jw_object_begin(&w);
    for (uint32_t i = 0; i < n; i++) {
        bool before = false;
        uint32_t last = i;
        for (uint32_t j = 0; j < n; j++) {
            if (!mst_str_eq(mst_value_str(keys[i]), mst_value_str(keys[j])))
                continue;
            before = before || j < i;
            last = MST_MAX(last, j);
        }
        if (before)
            continue;
        mst_jw_key_str(&w, mst_value_str(keys[i]));
        mst_jw_value(&w, keys[last] + 1);
    }
    mst_jw_object_end(&w);
    mst_free(keys);
}

static void test_dedup_against_naive(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 5);
    for (int i = 0; i < 2000; i++) {
        MST_AUTO(mst_arena) arena = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_buf) array = { 0 };
        MST_AUTO(mst_buf) got = { 0 };
        MST_AUTO(mst_buf) want = { 0 };
        uint32_t count = random_below(&rng, 40);
        make_object(&rng, &text, count, 1 + random_below(&rng, 60));
        /* The same pairs as an array, where nothing is dropped. */
        for (size_t p = 0; p < text.n; p++) {
            char c = text.p[p];
            bool outer = p == 0 || p == text.n - 1;
            bool colon_of_key = c == ':' && p >= 2 && text.p[p - 2] == 'k';
            mst_buf_char(&array, outer ? (p ? ']' : '[') : colon_of_key ? ',' : c);
        }
        const struct mst_value *object = parse(mst_buf_span(&text), &arena, &diags);
        const struct mst_value *pairs = parse(mst_buf_span(&array), &arena, NULL);
        mst_jw_value(&(struct mst_json_writer){ .out = &got }, object);
        naive_dedup(pairs, count, &want);
        if (!mst_str_eq(mst_buf_span(&got), mst_buf_span(&want)))
            t_fail(t, "%.*s\n  became %.*s", MST_ARG(mst_buf_span(&text)),
                   MST_ARG(mst_buf_span(&got)));
        t_int(t, diags.list.n, count - object->n);
    }
}

/* Would take minutes if it were quadratic. */
static void test_dedup_large(struct mst_test *t)
{
    for (int same = 0; same < 2; same++) {
        MST_AUTO(mst_arena) arena = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_char(&text, '{');
        for (uint32_t i = 0; i < 300000; i++)
            mst_buf_printf(&text, "%s\"key-%u\":%u", i ? "," : "", same ? 0 : i, i);
        mst_buf_char(&text, '}');
        const struct mst_value *root = parse(mst_buf_span(&text), &arena, &diags);
        t_int(t, root->n, same ? 1 : 300000);
        t_int(t, root->span, same ? 3 : 600001);
        t_int(t, diags.list.n, same ? MST_DIAGS_MAX : 0);
        t_str(t, mst_value_str(mst_value_get(root, same ? "key-0" : "key-299999")), "299999");
    }
}

static void test_dedup_message(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_text(&text, "{\"\":1,\"\":2,");
    for (int member = 0; member < 2; member++) {
        mst_buf_text(&text, member ? ",\"" : "\"");
        for (int i = 0; i < 100; i++)
            mst_buf_text(&text, "\xC3\xA9");
        mst_buf_text(&text, "\":1");
    }
    mst_buf_char(&text, '}');
    parse(mst_buf_span(&text), &arena, &diags);
    t_int(t, diags.list.n, 2);
    t_str(t, diags.list.v[0].text, "duplicate key \"\", the last one is used");
    t_ok(t, diags.list.v[1].text.n == strlen("duplicate key \"...\", the last one is used") + 80);
}

static void test_walk(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *root = parse(MST_STR("{\"a\":[1,{}],\"b\":2}"), &arena, NULL);
    static const struct {
        mst_walk_step step;
        uint32_t at;
    } want[] = {
        { MST_WALK_VALUE, 0 }, { MST_WALK_KEY, 1 },   { MST_WALK_VALUE, 2 }, { MST_WALK_VALUE, 3 },
        { MST_WALK_VALUE, 4 }, { MST_WALK_CLOSE, 4 }, { MST_WALK_CLOSE, 2 }, { MST_WALK_KEY, 5 },
        { MST_WALK_VALUE, 6 }, { MST_WALK_CLOSE, 0 },
    };
    struct mst_walk walk;
    mst_walk_init(&walk, root);
    const struct mst_value *v;
    for (size_t i = 0; i < MST_COUNT(want); i++) {
        t_int(t, mst_walk_next(&walk, &v), want[i].step);
        t_int(t, v - root, want[i].at);
    }
    t_int(t, mst_walk_next(&walk, &v), MST_WALK_DONE);
}

MST_TEST_MAIN(T(test_get), T(test_type_names), T(test_int), T(test_dedup_against_naive),
              T(test_dedup_large), T(test_dedup_message), T(test_walk))
