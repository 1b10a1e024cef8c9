/*
 * test_tap.c - the harness looks at itself: a check that fails must be seen to fail.
 */
#include "base/mem.h"
#include "tap.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void passing(struct mst_test *t)
{
    t_ok(t, true);
}

static void failing(struct mst_test *t)
{
    t_case(t, "odd");
    t_int(t, 1 + 1, 3);
    t_text(t, "a\n", "b");
    t_str(t, MST_STR_NONE, "");
    t_fail(t, "reason %d", 7);
}

static void without_checks(struct mst_test *t)
{
    (void)t;
}

static void failing_often(struct mst_test *t)
{
    for (int i = 0; i < 100; i++)
        t_bool(t, true, false);
}

static const struct mst_test_entry inner[] = { T(passing), T(failing), T(without_checks),
                                               T(failing_often) };

/* Runs the inner tests in a child with these arguments; its output, and its exit status. */
static int run(struct mst_buf *out, const char *argument)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        char *argv[] = { (char *)"inner", (char *)argument, NULL };
        int status = mst_test_main(argument ? 2 : 1, argv, inner, MST_COUNT(inner));
        (void)fflush(stdout);
        _exit(status);
    }
    (void)close(ends[1]);
    char bytes[4096];
    for (ssize_t n; (n = read(ends[0], bytes, sizeof(bytes))) > 0;)
        mst_buf_add(out, bytes, (size_t)n);
    mst_buf_char(out, '\0');
    (void)close(ends[0]);
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_plan_and_results(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    t_int(t, run(&out, NULL), 1);
    t_ok(t, strncmp(out.p, "1..4\nok 1 - passing\n", 20) == 0);
    t_ok(t, strstr(out.p, "\nnot ok 2 - failing\n") != NULL);
    t_ok(t, strstr(out.p, "\nnot ok 3 - without_checks\n") != NULL);
    t_ok(t, strstr(out.p, "\nnot ok 4 - failing_often\n") != NULL);
}

static void test_failures_show_both_values(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    t_int(t, run(&out, "failing"), 1);
    t_ok(t, strstr(out.p, "test_tap.c:") != NULL);
    t_ok(t, strstr(out.p, ": case \"odd\": 1 + 1: got 2, want 3\n") != NULL);
    t_ok(t, strstr(out.p, ": got \"a\\n\", want \"b\"\n") != NULL);
    t_ok(t, strstr(out.p, ": got (absent), want \"\"\n") != NULL);
    t_ok(t, strstr(out.p, ": reason 7\n") != NULL);
}

static void test_many_failures_are_cut(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    t_int(t, run(&out, "failing_often"), 1);
    t_ok(t, strstr(out.p, "# ... and 80 more\n") != NULL);
}

static void test_choice_of_functions(struct mst_test *t)
{
    MST_AUTO(mst_buf) one = { 0 };
    t_int(t, run(&one, "passing"), 0);
    t_text(t, one.p, "1..1\nok 1 - passing\n");
    MST_AUTO(mst_buf) list = { 0 };
    t_int(t, run(&list, "--list"), 0);
    t_text(t, list.p, "passing\nfailing\nwithout_checks\nfailing_often\n");
    MST_AUTO(mst_buf) unknown = { 0 };
    t_int(t, run(&unknown, "nonsense"), 2);
    t_ok(t, strstr(unknown.p, "nonsense") != NULL);
}

MST_TEST_MAIN(T(test_plan_and_results), T(test_failures_show_both_values),
              T(test_many_failures_are_cut), T(test_choice_of_functions))
