/* What Go 1.26's json.Decoder says; the texts were printed by it. */
#include "framework/go_json.h"
#include "tap.h"

static const struct {
    const char *text, *error; /* NULL: none */
} texts[] = {
    { "", "EOF" },
    { "  ", "EOF" },
    { "{", "unexpected EOF" },
    { "[1,", "unexpected EOF" },
    { "x", "invalid character 'x' looking for beginning of value" },
    { "{x", "invalid character 'x' looking for beginning of object key string" },
    { "{\"a\" 1}", "invalid character '1' after object key" },
    { "{\"a\":1 x", "invalid character 'x' after object key:value pair" },
    { "[1 2]", "invalid character '2' after array element" },
    { "tru", "unexpected EOF" },
    { "trux", "invalid character 'x' in literal true (expecting 'e')" },
    { "\"a", "unexpected EOF" },
    { "\"\x01\"", "invalid character '\\x01' in string literal" },
    { "\"\\q\"", "invalid character 'q' in string escape code" },
    { "\"\\u12x4\"", "invalid character 'x' in \\u hexadecimal character escape" },
    { "-", "unexpected EOF" },
    { "-x", "invalid character 'x' in numeric literal" },
    { "1.", "unexpected EOF" },
    { "1.x", "invalid character 'x' after decimal point in numeric literal" },
    { "1e", "unexpected EOF" },
    { "1ex", "invalid character 'x' in exponent of numeric literal" },
    { "1e+x", "invalid character 'x' in exponent of numeric literal" },
    { "\x80", "invalid character '\\u0080' looking for beginning of value" },
    { "\xe4", "invalid character '\xc3\xa4' looking for beginning of value" },
    { "\xa0", "invalid character '\\u00a0' looking for beginning of value" },
    { "\xad", "invalid character '\\u00ad' looking for beginning of value" },
    { "'", "invalid character '\\'' looking for beginning of value" },
    { "\"", "unexpected EOF" },
    { "\\", "invalid character '\\\\' looking for beginning of value" },
    { "[}", "invalid character '}' looking for beginning of value" },
    { "{,", "invalid character ',' looking for beginning of object key string" },
    { "<html>", "invalid character '<' looking for beginning of value" },
    { "{\"a\":}", "invalid character '}' looking for beginning of value" },
    { "[1,]", "invalid character ']' looking for beginning of value" },
    { "nul ", "invalid character ' ' in literal null (expecting 'l')" },
    { "[\"a\",'b']", "invalid character '\\'' looking for beginning of value" },
    { "\x7f", "invalid character '\\x7f' looking for beginning of value" },
    { "{\"a\":1,}", "invalid character '}' looking for beginning of object key string" },
    { "[-]", "invalid character ']' in numeric literal" },
    { "{} x", NULL },
    { "01", NULL },
    { " [{\"a\":[]},{}, -0.5e-3 ]", NULL },
    { "\"\\u00e4\\n\"", NULL },
};

static void test_go_json_texts(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(texts); i++) {
        struct mst_arena arena = { 0 };
        const struct mst_value *root = NULL;
        struct mst_str error = MST_STR_NONE;
        t_case(t, texts[i].text);
        t_bool(t, mst_go_json_read(mst_str_of(texts[i].text), &arena, &root, &error),
               !texts[i].error);
        t_bool(t, root != NULL, !texts[i].error);
        if (texts[i].error)
            t_str(t, error, texts[i].error);
        mst_arena_done(&arena);
    }
}

static void test_go_json_nul(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    const struct mst_value *root;
    struct mst_str error;
    t_bool(t, mst_go_json_read((struct mst_str){ "\n\0", 2 }, &arena, &root, &error), false);
    t_str(t, error, "invalid character '\\x00' looking for beginning of value");
    mst_arena_done(&arena);
}

static void test_go_json_depth(struct mst_test *t)
{
    MST_AUTO(mst_buf) deep = { 0 };
    struct mst_arena arena = { 0 };
    const struct mst_value *root;
    struct mst_str error;
    for (int i = 0; i < 10001; i++)
        mst_buf_char(&deep, '[');
    t_bool(t, mst_go_json_read(mst_buf_span(&deep), &arena, &root, &error), false);
    t_str(t, error, "exceeded max depth");
    mst_arena_done(&arena);
}

static void test_go_json_keys(struct mst_test *t)
{
    const struct mst_value key = { .p = "NoDenames", .n = 9, .span = 1, .type = MST_STRING };
    t_ok(t, mst_go_json_key_is(&key, "NodeNames"));
    t_ok(t, !mst_go_json_key_is(&key, "NodeName"));
    t_ok(t, !mst_go_json_key_is(&key, "Nodename_"));
}

MST_TEST_MAIN(T(test_go_json_texts), T(test_go_json_nul), T(test_go_json_depth),
              T(test_go_json_keys))
