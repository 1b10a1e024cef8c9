/* Base64 as RFC 4648 has it, and what Go's decoder says of everything else. */
#include "codec/base64.h"
#include "tap.h"

static void test_base64_decodes(struct mst_test *t)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        { "", "" },
        { "Zg==", "f" },
        { "Zm8=", "fo" },
        { "Zm9v", "foo" },
        { "Zm9vYg==", "foob" },
        { "Zm9vYmE=", "fooba" },
        { "Zm9vYmFy", "foobar" },
        { "Zm\n9v\r\nYg\n=\n=\n", "foob" },
        { "+/+/", "\xfb\xff\xbf" },
        { "Zh==", "f" }, /* bits that no byte needs */
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].text);
        MST_AUTO(mst_buf) out = { 0 };
        size_t at = 0;
        mst_buf_text(&out, "x");
        t_bool(t, mst_base64_decode(mst_str_of(cases[i].text), &out, &at), true);
        t_str(t, ((struct mst_str){ out.p + 1, out.n - 1 }), cases[i].bytes);
    }
}

static void test_base64_refuses(struct mst_test *t)
{
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        { "Z", 1 },     { "Zg", 2 },    { "Zg=", 3 },   { "Z===", 1 }, { "Zg==Zg==", 4 },
        { "Zm9=v", 4 }, { "Zm 9v", 2 }, { "Zm9v=", 4 }, { "-_-_", 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].text);
        MST_AUTO(mst_buf) out = { 0 };
        size_t at = 999;
        mst_buf_text(&out, "x");
        t_bool(t, mst_base64_decode(mst_str_of(cases[i].text), &out, &at), false);
        t_int(t, at, cases[i].at);
        t_str(t, mst_buf_span(&out), "x");
    }
}

MST_TEST_MAIN(T(test_base64_decodes), T(test_base64_refuses))
