/*
 * test_diag.c - diagnostics: printing, ownership of text, the limit.
 */
#include "codec/tape.h"
#include "tap.h"

static void test_print(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct mst_diag diag;
        const char *want;
    } cases[] = {
        { "everything",
          { MST_DIAG_ERROR, MST_STR("a.yaml"), 3, 5, MST_STR("Pod default/a"), MST_STR("bad") },
          "a.yaml:3:5: error: Pod default/a: bad\n" },
        { "warning without object",
          { MST_DIAG_WARNING, MST_STR("-"), 3, 5, { NULL, 0 }, MST_STR("odd") },
          "-:3:5: warning: odd\n" },
        { "no column",
          { MST_DIAG_ERROR, MST_STR("a.yaml"), 3, 0, { NULL, 0 }, MST_STR("bad") },
          "a.yaml:3: error: bad\n" },
        { "no place",
          { MST_DIAG_ERROR, MST_STR("a.yaml"), 0, 0, { NULL, 0 }, MST_STR("bad") },
          "a.yaml: error: bad\n" },
        { "no file",
          { MST_DIAG_ERROR, { NULL, 0 }, 3, 5, { NULL, 0 }, MST_STR("bad") },
          "3:5: error: bad\n" },
        { "only text",
          { MST_DIAG_ERROR, { NULL, 0 }, 0, 0, { NULL, 0 }, MST_STR("bad") },
          "error: bad\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        MST_AUTO(mst_buf) out = { 0 };
        mst_diag_print(&cases[i].diag, &out);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_add_keeps_copies(struct mst_test *t)
{
    MST_AUTO(mst_diags) diags = { 0 };
    char file[] = "one.yaml", object[] = "Pod a/b";
    diags.file = mst_str_of(file);
    diags.object = mst_str_of(object);
    struct mst_value at = { .line = 7, .col = 9 };
    mst_diag_add(&diags, MST_DIAG_WARNING, &at, "%s %d", "text", 1);
    file[0] = 'X';
    object[0] = 'X';
    diags.file = MST_STR_NONE;
    diags.object = MST_STR_NONE;
    mst_diag_add(&diags, MST_DIAG_ERROR, NULL, "no place");
    mst_diag_add_at(&diags, MST_DIAG_ERROR, 4, 2, "a place");
    t_int(t, diags.list.n, 3);
    t_int(t, diags.error_count, 2);
    t_str(t, diags.list.v[0].file, "one.yaml");
    t_str(t, diags.list.v[0].object, "Pod a/b");
    t_str(t, diags.list.v[0].text, "text 1");
    t_int(t, diags.list.v[0].line, 7);
    t_int(t, diags.list.v[0].col, 9);
    t_ok(t, diags.list.v[1].file.p == NULL);
    t_ok(t, diags.list.v[1].object.p == NULL);
    t_int(t, diags.list.v[1].line, 0);
    t_int(t, diags.list.v[2].line, 4);
    t_int(t, diags.list.v[2].col, 2);
}

static void test_file_copied_once(struct mst_test *t)
{
    MST_AUTO(mst_diags) diags = { 0 };
    diags.file = MST_STR("same.yaml");
    mst_diag_add_at(&diags, MST_DIAG_ERROR, 1, 1, "a");
    mst_diag_add_at(&diags, MST_DIAG_ERROR, 2, 1, "b");
    t_ok(t, diags.list.v[0].file.p == diags.list.v[1].file.p);
    t_ok(t, diags.list.v[0].file.p != diags.file.p);
}

static void test_limit(struct mst_test *t)
{
    MST_AUTO(mst_diags) diags = { 0 };
    for (uint32_t i = 0; i < MST_DIAGS_MAX + 5; i++)
        mst_diag_add_at(&diags, i % 2 ? MST_DIAG_ERROR : MST_DIAG_WARNING, i, 1, "text");
    t_int(t, diags.list.n, MST_DIAGS_MAX);
    t_int(t, diags.error_count, (MST_DIAGS_MAX + 5) / 2);
    t_str(t, diags.list.v[MST_DIAGS_MAX - 2].text, "text");
    t_str(t, diags.list.v[MST_DIAGS_MAX - 1].text,
          "too many messages, this one and the rest are not shown");
}

static void test_long_text(struct mst_test *t)
{
    MST_AUTO(mst_diags) diags = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    for (int i = 0; i < 2000; i++)
        mst_buf_text(&text, "\xC3\xA9");
    mst_buf_char(&text, 0);
    mst_diag_add_at(&diags, MST_DIAG_ERROR, 1, 1, "%s", text.p);
    mst_diag_add_at(&diags, MST_DIAG_ERROR, 1, 1, "x%s", text.p);
    for (uint32_t i = 0; i < 2; i++) {
        struct mst_str got = diags.list.v[i].text;
        t_ok(t, got.n > 990 && got.n <= 1000);
        t_ok(t, memcmp(got.p + got.n - 3, "...", 3) == 0);
        t_int(t, (unsigned char)got.p[got.n - 4], 0xA9); /* no character is cut in half */
    }
}

MST_TEST_MAIN(T(test_print), T(test_add_keeps_copies), T(test_file_copied_once), T(test_limit),
              T(test_long_text))
