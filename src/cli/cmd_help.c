/*
 * cmd_help.c - muster help [COMMAND].
 */
#include "cli/command.h"

static int run(const struct mst_args *args)
{
    MST_AUTO(mst_buf) out = { 0 };
    const struct mst_command *command = NULL;
    if (args->words.n) {
        command = mst_command_find(args->words.v[0]);
        if (!command)
            return mst_usage_error(args->command, "unknown command \"%s\"", args->words.v[0]);
    }
    mst_help_print(command, &out);
    return mst_print(&out);
}

const struct mst_command mst_command_help = {
    .name = "help",
    .summary = "the commands, or one of them in full",
    .usage = "[COMMAND]",
    .positional_max = 1,
    .examples = "  muster help\n  muster help simulate\n",
    .plugin = true,
    .run = run,
};
