/*
 * test_err.c - setting, prefixing and cutting the text of errors.
 */
#include "base/err.h"
#include "tap.h"

static void test_fail_sets_and_returns(struct mst_test *t)
{
    struct mst_err err = { 0 };
    t_int(t, mst_fail(&err, MST_EDECODE, "line %d: %s", 3, "bad"), MST_EDECODE);
    t_int(t, err.rc, MST_EDECODE);
    t_text(t, err.text, "line 3: bad");
    t_int(t, mst_fail(&err, MST_EIO, "again"), MST_EIO);
    t_text(t, err.text, "again");
    t_int(t, mst_fail(NULL, MST_ELIMIT, "nobody reads this %d", 1), MST_ELIMIT);
}

static void test_wrap_prefixes(struct mst_test *t)
{
    struct mst_err err = { 0 };
    (void)mst_fail(&err, MST_EDECODE, "nodes[17]: invalid quantity");
    t_int(t, mst_wrap(&err, "load '%s'", "a.yaml"), MST_EDECODE);
    t_text(t, err.text, "load 'a.yaml': nodes[17]: invalid quantity");
    t_int(t, err.rc, MST_EDECODE);
    t_int(t, mst_wrap(NULL, "x"), MST_EINVAL);
}

static void test_arguments_may_be_the_old_text(struct mst_test *t)
{
    struct mst_err err = { 0 };
    (void)mst_fail(&err, MST_EIO, "disk full");
    (void)mst_fail(&err, MST_EINVAL, "<%s>", err.text);
    t_text(t, err.text, "<disk full>");
    (void)mst_wrap(&err, "%s", err.text);
    t_text(t, err.text, "<disk full>: <disk full>");
}

static void test_what_is_cut_is_marked(struct mst_test *t)
{
    struct mst_err err = { 0 };
    static const struct {
        const char *name;
        int n;
        size_t want_n;
        bool cut;
    } cases[] = {
        { "fits exactly", 499, 499, false },
        { "one too many", 500, 499, true },
        { "far too many", 5000, 499, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        (void)mst_fail(&err, MST_EINVAL, "%*s", cases[i].n, "x");
        t_int(t, strlen(err.text), cases[i].want_n);
        t_bool(t, strcmp(err.text + 496, "...") == 0, cases[i].cut);
    }
    t_case(t, "a prefix pushes the end out");
    (void)mst_fail(&err, MST_EINVAL, "%*s", 499, "x");
    (void)mst_wrap(&err, "load");
    t_int(t, strlen(err.text), 499);
    t_ok(t, strncmp(err.text, "load: ", 6) == 0);
    t_text(t, err.text + 496, "...");
}

/* A two-byte character at every offset around the cut. */
static void test_cut_keeps_utf8_whole(struct mst_test *t)
{
    for (int pad = 480; pad < 500; pad++) {
        struct mst_err err = { 0 };
        (void)mst_fail(&err, MST_EINVAL, "%*s\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9%20s",
                       pad, "", "end");
        size_t n = strlen(err.text);
        t_ok(t, n <= 499 && n >= 498);
        t_text(t, err.text + n - 3, "...");
        unsigned char last = (unsigned char)err.text[n - 4];
        t_ok(t, last == ' ' || last == 0xa9);
    }
}

MST_TEST_MAIN(T(test_fail_sets_and_returns), T(test_wrap_prefixes),
              T(test_arguments_may_be_the_old_text), T(test_what_is_cut_is_marked),
              T(test_cut_keeps_utf8_whole))
