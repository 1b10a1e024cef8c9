/*
 * cmd_top.c - muster top: what nodes have to give and what groups take of it.
 *
 * The engine loads what is there and attempts nothing: its columns are what is shown.
 */
#include <stdio.h>

#include "cli/output.h"
#include "cli/setup.h"
#include "cli/table.h"
#include "cli/top.h"
#include "sim/run.h"

static int print(struct mst_top *top, const struct mst_args *args)
{
    const char *format = mst_args_text(args, "output", "table");
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_buf) json = { 0 };
    struct mst_err err;
    if (strcmp(format, "json") == 0) {
        mst_top_json(top, &out);
    } else if (strcmp(format, "yaml") == 0) {
        mst_top_json(top, &json);
        if (mst_output_yaml(mst_buf_span(&json), &out, &err)) {
            fprintf(stderr, "muster top: %s\n", err.text);
            return MST_EXIT_FAILED;
        }
    } else {
        mst_top_print(top, mst_colours_wanted(), &out);
    }
    return mst_print(&out);
}

static int unknown_column(const struct mst_top *top, const struct mst_args *args)
{
    MST_AUTO(mst_buf) names = { 0 };
    for (uint32_t c = 0; c < top->names.n; c++)
        mst_buf_printf(&names, ", %.*s", MST_ARG(top->names.v[c]));
    return mst_usage_error(args->command, "flag --sort-by: invalid value \"%s\"; allowed: name%.*s",
                           mst_args_text(args, "sort-by", ""), MST_ARG(mst_buf_span(&names)));
}

static int show(struct mst_setup *setup, struct mst_run *run, const struct mst_args *args)
{
    struct mst_top top = { 0 };
    const struct mst_cluster *cluster = mst_engine_cluster(run->engine);
    const struct mst_scope scope = mst_scope_of(&setup->live, args);
    mst_run_load(run);
    if (args->words.n && strcmp(args->words.v[0], "groups") == 0)
        mst_top_groups(&top, cluster, &scope);
    else
        mst_top_nodes(&top, cluster);
    const int code = mst_top_sort(&top, mst_args_text(args, "sort-by", "name"))
                         ? print(&top, args)
                         : unknown_column(&top, args);
    mst_top_done(&top);
    return code;
}

static int run(const struct mst_args *args)
{
    struct mst_setup setup;
    struct mst_run world;
    struct mst_err err;
    const struct mst_setup_words words = { .level = -1 };
    const bool groups = args->words.n && strcmp(args->words.v[0], "groups") == 0;
    const bool scoped = mst_args_has(args, "namespace") || mst_args_has(args, "all-namespaces");
    if (!groups && scoped)
        return mst_usage_error(args->command, "nodes have no namespace; did you mean top groups?");
    if (!mst_scope_check(args))
        return MST_EXIT_BAD_INPUT;
    int code =
        mst_setup_read(&setup, &words) ? mst_setup_load(&setup, args, true) : MST_EXIT_BAD_INPUT;
    const struct mst_run_options options = {
        .scenario = &setup.scenario,
        .config = &setup.config,
        .registry = &setup.registry,
        .until_ns = 0,
    };
    if (!code && mst_run_init(&world, &options, &err)) {
        fprintf(stderr, "muster top: %s\n", err.text);
        code = MST_EXIT_FAILED;
    } else if (!code) {
        code = show(&setup, &world, args);
        mst_run_done(&world);
    }
    mst_setup_done(&setup);
    return code;
}

static const struct mst_flag flags[] = {
    { .name = "sort-by",
      .arg = "NAME|RESOURCE",
      .help = "name (default), pods, cpu, memory, or any resource that has a column: nodes\n"
              "that are fuller first, groups that have more first" },
    MST_NAMESPACE_FLAGS,
    MST_FILENAME_FLAG,
    MST_LIVE_FLAGS,
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "table|json|yaml",
      .help = "what to print (default table)" },
};

const struct mst_command mst_command_top = {
    .name = "top",
    .summary = "what is requested of the nodes, by node or by PodGroup",
    .usage = "[nodes|groups] [flags]",
    .about =
        "Requests, not use: what the scheduler counts. For nodes (the default) each resource is\n"
        "shown as requested/allocatable with the share, and for extended resources such as\n"
        "GPUs how much of what is free is on one node. For groups it is what members with a\n"
        "node request/what all members request, with the share of the cluster that the former\n"
        "have.\n"
        "\n"
        "Exit code 0. 2: bad input. 1: the cluster does not answer, or does not allow it.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .positional_max = 1,
    .words = "nodes|groups",
    .examples = "  muster top\n"
                "  muster top nodes --sort-by nvidia.com/gpu\n"
                "  muster top groups -A --sort-by cpu\n"
                "  muster top -f snapshot.yaml -o json\n",
    .plugin = true,
    .run = run,
};
