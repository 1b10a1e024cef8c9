/*
 * cmd_status.c - muster status: how PodGroups and pods stand in a cluster or in manifests.
 */
#include <stdio.h>

#include "cli/output.h"
#include "cli/setup.h"
#include "cli/status.h"

static int print(struct mst_status_list *list, const struct mst_args *args, int64_t now_s)
{
    const char *format = mst_args_text(args, "output", "table");
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_buf) json = { 0 };
    struct mst_err err;
    if (strcmp(format, "json") == 0) {
        mst_status_json(list, now_s, &out);
    } else if (strcmp(format, "yaml") == 0) {
        mst_status_json(list, now_s, &json);
        if (mst_output_yaml(mst_buf_span(&json), &out, &err)) {
            fprintf(stderr, "muster status: %s\n", err.text);
            return MST_EXIT_FAILED;
        }
    } else {
        mst_status_print(list, now_s, strcmp(format, "wide") == 0, mst_colours_wanted(), &out);
    }
    const int code = mst_print(&out);
    return code ? code : list->pending ? MST_EXIT_PENDING : MST_EXIT_OK;
}

static int run(const struct mst_args *args)
{
    struct mst_setup setup;
    const struct mst_setup_words words = { .level = -1 };
    if (!mst_scope_check(args))
        return MST_EXIT_BAD_INPUT;
    int code =
        mst_setup_read(&setup, &words) ? mst_setup_load(&setup, args, true) : MST_EXIT_BAD_INPUT;
    if (!code) {
        struct mst_status_list list = { 0 };
        const struct mst_scope scope = mst_scope_of(&setup.live, args);
        mst_status_collect(&list, &setup.scenario, &scope);
        code = print(&list, args, mst_setup_now(&setup));
        mst_status_done(&list);
    }
    mst_setup_done(&setup);
    return code;
}

static const struct mst_flag flags[] = {
    MST_NAMESPACE_FLAGS,
    MST_FILENAME_FLAG,
    MST_LIVE_FLAGS,
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "table|wide|json|yaml",
      .help = "what to print (default table); wide adds priority, workload and nodes" },
};

const struct mst_command mst_command_status = {
    .name = "status",
    .summary = "how the PodGroups of a cluster stand, and which pods wait",
    .usage = "[-n NAMESPACE|-A] [flags]",
    .about =
        "One line per PodGroup: how many members it has, how many have a node and run, and in\n"
        "one word how it stands. Then the pods without a group that wait for a node. What\n"
        "the objects say is counted; nothing is attempted (see muster explain).\n"
        "\n"
        "  Running        every member runs\n"
        "  Scheduled      every member has a node\n"
        "  Partial        enough members have a node, others wait\n"
        "  Degraded       some members have a node, but fewer than minCount\n"
        "  Unschedulable  the scheduler found no place\n"
        "  Error          the scheduler's attempt failed\n"
        "  Incomplete     fewer than minCount members are there\n"
        "  Gated          scheduling gates hold every member that waits\n"
        "  Pending        not attempted yet\n"
        "  Empty          no pod names the group\n"
        "  Missing        pods name the group, but it is not there\n"
        "  Terminating    it is being deleted\n"
        "\n"
        "Exit code 0: nothing waits for a node. 3: something does. 2: bad input. 1: the\n"
        "cluster does not answer, or does not allow it.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .examples = "  muster status\n"
                "  muster status -A -o wide\n"
                "  muster status -f snapshot.yaml -o json\n",
    .plugin = true,
    .run = run,
};
