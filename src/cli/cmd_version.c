/*
 * cmd_version.c - muster version.
 */
#include "cli/command.h"

static int run(const struct mst_args *args)
{
    MST_AUTO(mst_buf) out = { 0 };
    (void)args;
    mst_buf_printf(&out, "muster %s (commit %s, %s)\n", MST_VERSION, MST_COMMIT, MST_COMPILER);
    mst_buf_text(&out, "behaviour: kube-scheduler v1.37.2, profiles muster and upstream\n");
    return mst_print(&out);
}

const struct mst_command mst_command_version = {
    .name = "version",
    .summary = "which muster this is, and which kube-scheduler it is measured by",
    .usage = "",
    .examples = "  muster version\n",
    .plugin = true,
    .run = run,
};
