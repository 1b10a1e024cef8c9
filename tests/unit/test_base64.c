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

/* RFC 4648 10, and every byte there and back. */
static void test_base64_encodes(struct mst_test *t)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        { "", "" },
        { "f", "Zg==" },
        { "fo", "Zm8=" },
        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        mst_buf_text(&out, "x");
        mst_base64_encode(mst_str_of(cases[i].bytes), &out);
        t_str(t, ((struct mst_str){ out.p + 1, out.n - 1 }), cases[i].text);
    }
    MST_AUTO(mst_buf) bytes = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    MST_AUTO(mst_buf) back = { 0 };
    size_t at;
    for (int i = 0; i < 256; i++)
        mst_buf_char(&bytes, (char)(255 - i));
    mst_base64_encode(mst_buf_span(&bytes), &text);
    t_bool(t, mst_base64_decode(mst_buf_span(&text), &back, &at), true);
    t_ok(t, mst_str_eq(mst_buf_span(&back), mst_buf_span(&bytes)));
}

MST_TEST_MAIN(T(test_base64_decodes), T(test_base64_refuses), T(test_base64_encodes))
