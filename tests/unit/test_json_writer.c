/*
 * test_json_writer.c - JSON out: layout, escapes, numbers as Go prints them, round trips.
 */
#include "codec/json.h"
#include "random_json.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static void write_sample(struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    mst_jw_key(w, "a");
    mst_jw_array_begin(w);
    mst_jw_int(w, 1);
    mst_jw_null(w);
    mst_jw_object_begin(w);
    mst_jw_object_end(w);
    mst_jw_array_begin(w);
    mst_jw_array_end(w);
    mst_jw_array_end(w);
    mst_jw_key_str(w, MST_STR("b"));
    mst_jw_bool(w, true);
    mst_jw_key(w, "c");
    mst_jw_object_begin(w);
    mst_jw_key(w, "d");
    mst_jw_text(w, "x");
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

static void test_raw(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_json_writer w = { .out = &out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "a");
    mst_jw_raw(&w, MST_STR("{\"b\": [1]}"));
    mst_jw_key(&w, "c");
    mst_jw_raw(&w, MST_STR("2"));
    mst_jw_object_end(&w);
    t_str(t, mst_buf_span(&out), "{\"a\":{\"b\": [1]},\"c\":2}");
}

static void test_layout(struct mst_test *t)
{
    static const struct {
        const char *name;
        uint32_t indent;
        const char *want;
    } cases[] = {
        { "compact", 0, "{\"a\":[1,null,{},[]],\"b\":true,\"c\":{\"d\":\"x\"}}" },
        { "two blanks", 2,
          "{\n  \"a\": [\n    1,\n    null,\n    {},\n    []\n  ],\n  \"b\": true,\n"
          "  \"c\": {\n    \"d\": \"x\"\n  }\n}" },
        { "twenty blanks", 20,
          "{\n                    \"a\": [\n                                        1,\n"
          "                                        null,\n"
          "                                        {},\n"
          "                                        []\n                    ],\n"
          "                    \"b\": true,\n                    \"c\": {\n"
          "                                        \"d\": \"x\"\n                    }\n}" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out, .indent = cases[i].indent };
        write_sample(&w);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_escapes(struct mst_test *t)
{
    static const struct {
        struct mst_str text;
        const char *want;
    } cases[] = {
        { { "", 0 }, "\"\"" },
        { { "plain", 5 }, "\"plain\"" },
        { { "\"\\/", 3 }, "\"\\\"\\\\/\"" },
        { { "\b\f\n\r\t", 5 }, "\"\\b\\f\\n\\r\\t\"" },
        { { "\0\x01\x1F", 3 }, "\"\\u0000\\u0001\\u001f\"" },
        { { "<&>\x7F", 4 }, "\"<&>\x7F\"" },
        { { "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9 },
          "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"" },
        { { "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", 9 }, "\"\\u2028\\u2029\xE2\x80\xAA\"" },
        { { "a\xFFz", 3 }, "\"a\\ufffdz\"" },
        { { "\xE2\x82", 2 }, "\"\\ufffd\\ufffd\"" },
        { { "\xED\xA0\x80", 3 }, "\"\\ufffd\\ufffd\\ufffd\"" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].want);
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out };
        mst_jw_str(&w, cases[i].text);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_ints(struct mst_test *t)
{
    static const struct {
        int64_t value;
        const char *want;
    } cases[] = {
        { 0, "0" },
        { -1, "-1" },
        { 10, "10" },
        { INT64_MAX, "9223372036854775807" },
        { INT64_MIN, "-9223372036854775808" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out };
        mst_jw_int(&w, cases[i].value);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

/* What Go's json.Marshal gives for the same float64. */
static void test_doubles(struct mst_test *t)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        { 0.0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1.5, "-1.5" },
        { 0.1, "0.1" },
        { 100, "100" },
        { 1234.5678, "1234.5678" },
        { 0.000001, "0.000001" },
        { 0.0000001, "1e-7" },
        { 1.5e-10, "1.5e-10" },
        { 1e20, "100000000000000000000" },
        { 1e21, "1e+21" },
        { 1.25e300, "1.25e+300" },
        { 123456789012345680000.0, "123456789012345680000" },
        { 0.30000000000000004, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 5e-324, "5e-324" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 9007199254740993.0, "9007199254740992" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].want);
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out };
        mst_jw_double(&w, cases[i].value);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_random_doubles_read_back(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 3);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = mst_rng_next(&rng);
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out };
        mst_jw_double(&w, value);
        mst_buf_char(&out, 0);
        if (strtod(out.p, NULL) != value)
            t_fail(t, "%.17g written as %s", value, out.p);
        MST_AUTO(mst_arena) arena = { 0 };
        const struct mst_value *root;
        t_int(t, mst_json_parse(mst_str_of(out.p), NULL, &arena, NULL, &root, NULL), MST_OK);
    }
}

/* Text -> tape -> text is a fixed point after the first time, compact and indented. */
static void test_random_round_trip(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 4);
    for (int i = 0; i < 2000; i++) {
        MST_AUTO(mst_arena) arena = { 0 };
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_buf) compact = { 0 };
        MST_AUTO(mst_buf) indented = { 0 };
        MST_AUTO(mst_buf) again = { 0 };
        random_value(&rng, &text, 5, true);
        const struct mst_value *root = NULL, *second = NULL, *third = NULL;
        t_int(t, mst_json_parse(mst_buf_span(&text), NULL, &arena, NULL, &root, NULL), MST_OK);
        mst_jw_value(&(struct mst_json_writer){ .out = &compact }, root);
        mst_jw_value(&(struct mst_json_writer){ .out = &indented, .indent = 4 }, root);
        t_int(t, mst_json_parse(mst_buf_span(&compact), NULL, &arena, NULL, &second, NULL), MST_OK);
        t_int(t, mst_json_parse(mst_buf_span(&indented), NULL, &arena, NULL, &third, NULL), MST_OK);
        t_int(t, second->span, root->span);
        for (uint32_t v = 0; v < root->span; v++) {
            t_int(t, second[v].type, root[v].type);
            t_int(t, third[v].type, root[v].type);
            t_int(t, second[v].n, root[v].n);
            if (root[v].type == MST_STRING || root[v].type == MST_NUMBER)
                t_ok(t, mst_str_eq(mst_value_str(&second[v]), mst_value_str(&root[v])));
        }
        mst_jw_value(&(struct mst_json_writer){ .out = &again }, third);
        t_ok(t, mst_str_eq(mst_buf_span(&again), mst_buf_span(&compact)));
    }
}

MST_TEST_MAIN(T(test_layout), T(test_raw), T(test_escapes), T(test_ints), T(test_doubles),
              T(test_random_doubles_read_back), T(test_random_round_trip))
