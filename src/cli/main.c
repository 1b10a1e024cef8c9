/*
 * main.c - finds the subcommand and runs it.
 */
#include <signal.h>
#include <stdio.h>

#include "cli/command.h"

static int unknown_command(const char *name)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    MST_AUTO(mst_buf) names = { 0 };
    for (uint32_t i = 0; i < count; i++)
        mst_buf_printf(&names, "%s%s", i ? "|" : "", commands[i]->name);
    mst_buf_char(&names, 0);
    struct mst_str near = mst_nearest(names.p, name);
    fprintf(stderr, "muster: unknown command \"%s\"", name);
    if (near.n)
        fprintf(stderr, "; did you mean %.*s?", MST_ARG(near));
    fprintf(stderr, "\nmuster help lists the commands\n");
    return MST_EXIT_BAD_INPUT;
}

static int run(const struct mst_command *command, int argc, char *const *argv, bool plugin)
{
    struct mst_args args = { .plugin = plugin };
    MST_AUTO(mst_buf) errors = { 0 };
    MST_AUTO(mst_buf) help = { 0 };
    int code;
    bool ok = mst_args_parse(command, argc, argv, &args, &errors);
    if (args.help) {
        mst_help_print(command, &help);
        code = mst_print(&help);
    } else if (!ok) {
        code = mst_usage_errors(command, mst_buf_span(&errors));
    } else {
        code = command->run(&args);
    }
    mst_args_done(&args);
    return code;
}

/* Nothing but the program's name, or a word that asks for the overview. */
static bool is_help(int argc, char *const *argv)
{
    return argc < 2 ||
           (argc == 2 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                          strcmp(argv[1], "-h") == 0));
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error of the write, which says what was not written. */
    signal(SIGPIPE, SIG_IGN);
    const bool plugin = mst_program_is_plugin(argv[0]);
    MST_AUTO(mst_buf) help = { 0 };
    if (mst_program_completes(argv[0])) {
        mst_complete(argc - 1, argv + 1, &help);
        return mst_print(&help);
    }
    if (plugin && is_help(argc, argv)) {
        mst_help_plugin(&help);
        return mst_print(&help);
    }
    if (argc < 2) {
        mst_help_print(NULL, &help);
        fwrite(help.p, 1, help.n, stderr);
        return MST_EXIT_BAD_INPUT;
    }
    const char *name = argv[1];
    const struct mst_command *command = mst_command_of_program(argv[0]);
    if (command)
        return run(command, argc - 1, argv + 1, false);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    /* kube-scheduler has no subcommands: what has only flags is meant for it. */
    if (name[0] == '-' && name[1] && !plugin)
        return run(mst_command_find("scheduler"), argc - 1, argv + 1, false);
    command = mst_command_find(name);
    return command ? run(command, argc - 2, argv + 2, plugin) : unknown_command(name);
}
