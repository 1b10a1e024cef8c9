/* The table of subcommands: complete, findable, with help that names every flag. */
#include "cli/command.h"

#include "tap.h"

static void test_commands_are_complete(struct mst_test *t)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    t_ok(t, count >= 5);
    for (uint32_t i = 0; i < count; i++) {
        const struct mst_command *c = commands[i];
        MST_AUTO(mst_buf) help = { 0 };
        t_case(t, c->name);
        t_ok(t, mst_command_find(c->name) == c);
        t_ok(t, c->summary && c->usage && c->examples && c->run);
        mst_help_print(c, &help);
        mst_buf_char(&help, 0);
        for (uint32_t f = 0; f < c->flag_count; f++) {
            MST_AUTO(mst_buf) name = { 0 };
            mst_buf_printf(&name, "--%s", c->flags[f].name);
            mst_buf_char(&name, 0);
            t_ok(t, strstr(help.p, name.p) != NULL);
            t_ok(t, !c->flags[f].values || c->flags[f].arg);
            for (uint32_t g = 0; g < f; g++) {
                t_ok(t, strcmp(c->flags[g].name, c->flags[f].name) != 0);
                t_ok(t, !c->flags[f].letter || c->flags[g].letter != c->flags[f].letter);
            }
        }
    }
    t_ok(t, mst_command_find("simulat") == NULL);
    MST_AUTO(mst_buf) overview = { 0 };
    mst_help_print(NULL, &overview);
    mst_buf_char(&overview, 0);
    for (uint32_t i = 0; i < count; i++)
        t_ok(t, strstr(overview.p, commands[i]->name) != NULL);
}

static void test_nearest(struct mst_test *t)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "simulat", "simulate" }, { "sim", "simulate" }, { "explian", "explain" },
        { "hlep", NULL },          { "", NULL },          { "xxxxxxx", NULL },
        { "helpp", "help" },       { "EXPLAIN", NULL },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_str near = mst_nearest("simulate|explain|help", cases[i].text);
        t_case(t, cases[i].text);
        t_bool(t, near.p != NULL, cases[i].want != NULL);
        if (cases[i].want)
            t_str(t, near, cases[i].want);
    }
    t_ok(t, !mst_nearest("", "a").n);
    t_ok(t, mst_is_alternative("a|bc|d", "bc"));
    t_ok(t, !mst_is_alternative("a|bc|d", "b"));
    t_ok(t, !mst_is_alternative("a|bc|d", "a|bc"));
}

MST_TEST_MAIN(T(test_commands_are_complete), T(test_nearest))
