/*
 * test_base.c - spans, and what a failed assertion does.
 */
#include "tap.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_str_eq(struct mst_test *t)
{
    static const struct {
        const char *name, *a, *b;
        bool eq;
    } cases[] = {
        { "same", "node", "node", true },
        { "prefix", "node", "nod", false },
        { "same length", "node", "mode", false },
        { "both empty", "", "", true },
        { "absent and empty compare equal", NULL, "", true },
        { "absent and text", NULL, "x", false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_str a = mst_str_of(cases[i].a), b = mst_str_of(cases[i].b);
        t_bool(t, mst_str_eq(a, b), cases[i].eq);
        t_bool(t, mst_str_eq(b, a), cases[i].eq);
        t_bool(t, mst_str_is(a, cases[i].b), cases[i].eq);
    }
}

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

static void test_str_cmp_is_bytewise(struct mst_test *t)
{
    static const struct {
        const char *name, *a, *b;
        int order;
    } cases[] = {
        { "equal", "abc", "abc", 0 },        { "less", "abc", "abd", -1 },
        { "prefix first", "ab", "abc", -1 }, { "empty first", "", "a", -1 },
        { "absent is empty", NULL, "", 0 },  { "high bytes last", "a\xff", "az", 1 },
        { "digits by byte", "10", "9", -1 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_str a = mst_str_of(cases[i].a), b = mst_str_of(cases[i].b);
        t_int(t, sign(mst_str_cmp(a, b)), cases[i].order);
        t_int(t, sign(mst_str_cmp(b, a)), -cases[i].order);
    }
}

static void test_str_has_prefix(struct mst_test *t)
{
    t_bool(t, mst_str_has_prefix(MST_STR("kubernetes.io/hostname"), "kubernetes.io/"), true);
    t_bool(t, mst_str_has_prefix(MST_STR("kube"), "kubernetes"), false);
    t_bool(t, mst_str_has_prefix(MST_STR("kube"), ""), true);
    t_bool(t, mst_str_has_prefix(MST_STR_NONE, ""), true);
    t_bool(t, mst_str_has_prefix(MST_STR_NONE, "k"), false);
}

static void test_str_literal_may_hold_nul(struct mst_test *t)
{
    t_int(t, MST_STR("a\0b").n, 3);
    t_bool(t, mst_str_eq(MST_STR("a\0b"), MST_STR("a\0c")), false);
}

/* Runs a failing assertion in a child, gives its standard error and how it ended. */
static int assert_in_child(char *text, size_t size)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        int free_milli = -1;
        mst_assert(free_milli >= 0);
        _exit(0);
    }
    (void)close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < size - 1 && (got = read(ends[0], text + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    (void)close(ends[0]);
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
}

static void test_assert_names_condition_and_place(struct mst_test *t)
{
    char text[1000] = "";
    int status = assert_in_child(text, sizeof(text));
    t_ok(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    t_ok(t, strstr(text, "assertion failed: free_milli >= 0") != NULL);
    t_ok(t, strstr(text, "test_base.c:") != NULL);
    mst_assert(1 + 1 == 2);
}

static void test_min_max_evaluate_to_either(struct mst_test *t)
{
    t_int(t, MST_MIN(2, 3), 2);
    t_int(t, MST_MAX(2, 3), 3);
    t_int(t, MST_MIN(-1, -1), -1);
}

MST_TEST_MAIN(T(test_str_eq), T(test_str_cmp_is_bytewise), T(test_str_has_prefix),
              T(test_str_literal_may_hold_nul), T(test_assert_names_condition_and_place),
              T(test_min_max_evaluate_to_either))
