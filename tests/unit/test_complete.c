/* What may come next, for kubectl's completion. */
#include "cli/command.h"

#include "tap.h"

static void test_complete(struct mst_test *t)
{
    static const struct {
        const char *words[4];
        int count;
        const char *want;
    } cases[] = {
        { { "st" }, 1, "status\n:4\n" },
        { { "scheduler" }, 1, ":4\n" }, /* nothing for kubectl */
        { { "status", "--all" }, 2, "--all-namespaces\n:4\n" },
        { { "status", "-o", "" }, 3, "table\nwide\njson\nyaml\n:4\n" },
        { { "status", "--output", "j" }, 3, "json\n:4\n" },
        { { "status", "-n", "" }, 3, ":4\n" },
        { { "top", "" }, 2, "nodes\ngroups\n:4\n" },
        { { "top", "groups", "--sort" }, 3, "--sort-by\n:4\n" },
        { { "explain", "-f", "" }, 3, ":0\n" },
        { { "nothing", "" }, 2, ":4\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        t_case(t, cases[i].words[cases[i].count - 1]);
        mst_complete(cases[i].count, (char *const *)cases[i].words, &out);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
    MST_AUTO(mst_buf) all = { 0 };
    mst_complete(0, NULL, &all);
    mst_buf_char(&all, 0);
    t_ok(t, strstr(all.p, "snapshot\n") && !strstr(all.p, "scheduler\n"));
}

static void test_programs(struct mst_test *t)
{
    t_ok(t, mst_program_is_plugin("/usr/bin/kubectl-muster"));
    t_ok(t, !mst_program_is_plugin("kubectl-muster/muster"));
    t_ok(t, mst_program_completes("kubectl_complete-muster"));
    t_ok(t, !mst_program_completes("muster"));
}

static void test_plugin_help(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    mst_help_plugin(&out);
    mst_buf_char(&out, 0);
    t_ok(t, strstr(out.p, "kubectl muster COMMAND"));
    t_ok(t, strstr(out.p, "  status ") && !strstr(out.p, "  scheduler "));
}

MST_TEST_MAIN(T(test_complete), T(test_programs), T(test_plugin_help))
