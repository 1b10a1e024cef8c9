/* test_text.c - paths and quoting as upstream prints them. */
#include "api/api_internal.h"
#include "tap.h"

static void test_path_text(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    const struct mst_path spec = MST_AT(NULL, "spec"), list = MST_AT(&spec, "containers");
    const struct mst_path at = MST_AT_I(&list, 12), limits = MST_AT(&at, "limits");
    t_str(t, mst_path_text(&arena, NULL), "");
    t_str(t, mst_path_text(&arena, &spec), "spec");
    t_str(t, mst_path_text(&arena, &at), "spec.containers[12]");
    t_str(t, mst_path_text(&arena, &MST_AT_KEY(&limits, MST_STR("a.b/c"))),
          "spec.containers[12].limits[a.b/c]");
    t_str(t, mst_path_text(&arena, &MST_AT_KEY(&limits, MST_STR(""))),
          "spec.containers[12].limits[]");
    mst_arena_done(&arena);
}

static void test_go_quote(struct mst_test *t)
{
    static const struct {
        struct mst_str in;
        const char *want;
    } cases[] = {
        { { "", 0 }, "\"\"" },
        { { NULL, 0 }, "\"\"" },
        { { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
        { { "\a\b\f\n\r\t\v", 7 }, "\"\\a\\b\\f\\n\\r\\t\\v\"" },
        { { "\0\x01\x7f", 3 }, "\"\\x00\\x01\\x7f\"" },
        { { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
          "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { { "\xc2\x85\xc2\xa0", 4 }, "\"\\u0085\\u00a0\"" },
        { { "\xff\xc3\xed\xa0\x80", 5 }, "\"\\xff\\xc3\\xed\\xa0\\x80\"" },
        { { "\xe2\x82", 2 }, "\"\\xe2\\x82\"" },
    };
    struct mst_arena arena = { 0 };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].want);
        t_str(t, mst_go_quote(&arena, cases[i].in), cases[i].want);
    }
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_path_text), T(test_go_quote))
