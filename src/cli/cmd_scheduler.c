/*
 * cmd_scheduler.c - muster scheduler: kube-scheduler's command line, and what it comes to.
 *
 * Source: spec/plugins.md 7; kubernetes v1.37 cmd/kube-scheduler/app/options.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/scheduler_flags.h"
#include "cli/serving_flags.h"
#include "cli/setup.h"
#include "daemon/clock.h"
#include "daemon/process.h"
#include "sim/clock.h"

struct starting {
    const struct mst_args *args;
    struct mst_setup setup;
    struct mst_connection connection;
    struct mst_serving_setup serving;
    struct mst_recorder recorder;
    FILE *record;
    double qps;
    int64_t burst;
    struct mst_buf kubeconfig; /* path, with a zero behind it */
};

static int64_t wall_clock(void *ctx)
{
    (void)ctx;
    return mst_wall_now();
}

/* ---- the configuration ---- */

static bool whole_seconds(const struct starting *x, const char *flag, int64_t *ret_s)
{
    int64_t ns = *ret_s * MST_NS_PER_S;
    if (!mst_args_duration(x->args, flag, &ns))
        return false;
    *ret_s = ns / MST_NS_PER_S;
    if (ns > 0 && ns % MST_NS_PER_S == 0)
        return true;
    mst_usage_error(x->args->command, "flag --%s: a duration of whole seconds above zero is needed",
                    flag);
    return false;
}

static void set_text(const struct starting *x, const char *flag, struct mst_str *out)
{
    const char *value = mst_args_text(x->args, flag, NULL);
    if (value)
        *out = mst_str_of(value);
}

/* Flags of leader election count over the file. */
static bool override_election(struct starting *x)
{
    struct mst_cfg_leader_election *e = &x->setup.config.leader;
    e->elect = mst_args_bool(x->args, "leader-elect", e->elect);
    set_text(x, "leader-elect-resource-lock", &e->lock);
    set_text(x, "leader-elect-resource-name", &e->name);
    set_text(x, "leader-elect-resource-namespace", &e->ns);
    if (!mst_args_duration(x->args, "leader-elect-lease-duration", &e->lease_ns) ||
        !mst_args_duration(x->args, "leader-elect-renew-deadline", &e->renew_ns) ||
        !mst_args_duration(x->args, "leader-elect-retry-period", &e->retry_ns))
        return false;
    const char *wrong = !e->elect                        ? NULL
                        : !mst_str_is(e->lock, "leases") ? "resource-lock: must be leases"
                        : e->retry_ns <= 0 || e->renew_ns <= 0
                            ? "renew-deadline, --leader-elect-retry-period: must be above zero"
                        : e->lease_ns <= e->renew_ns ? "lease-duration: must be greater than "
                                                       "the renew deadline"
                                                     : NULL;
    if (wrong)
        mst_usage_error(x->args->command, "flag --leader-elect-%s", wrong);
    return !wrong;
}

/* What only counts without a file. A limit is a decimal number; none: 50, and 100 at once. */
static bool read_limits(struct starting *x)
{
    const struct mst_cfg_client_connection *client = &x->setup.config.client;
    const bool from_file = mst_args_has(x->args, "config");
    const char *flag = mst_args_text(x->args, "kube-api-qps", "50");
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_str(&text, from_file ? client->qps : mst_str_of(flag));
    mst_buf_char(&text, 0);
    char *end;
    x->qps = strtod(text.p, &end);
    x->burst = from_file ? client->burst : 100;
    if (*end || end == text.p) {
        mst_usage_error(x->args->command, "flag --kube-api-qps: invalid value \"%s\"", text.p);
        return false;
    }
    return from_file || mst_args_number(x->args, "kube-api-burst", 0, INT32_MAX, &x->burst);
}

/* "1.36" or "v1.36": what v1.37 can emulate. */
static bool read_emulated(const struct starting *x, uint32_t *ret_minor)
{
    const char *text = mst_args_text(x->args, "emulated-version", NULL);
    char wanted[16];
    *ret_minor = 0;
    if (!text)
        return true;
    for (uint32_t minor = MST_GATES_OLDEST_MINOR; minor <= MST_GATES_MINOR; minor++) {
        (void)snprintf(wanted, sizeof(wanted), "1.%u", minor);
        if (strcmp(text + (text[0] == 'v'), wanted) == 0)
            *ret_minor = minor;
    }
    if (!*ret_minor)
        mst_usage_error(x->args->command,
                        "flag --emulated-version: %s cannot be emulated; allowed: 1.%d to 1.%d",
                        text, MST_GATES_OLDEST_MINOR, MST_GATES_MINOR);
    return *ret_minor != 0;
}

static bool configure(struct starting *x)
{
    int64_t level = 0;
    uint32_t minor;
    if (!mst_args_number(x->args, "v", 0, 10, &level) || !read_emulated(x, &minor))
        return false;
    const struct mst_setup_words words = {
        .upstream = strcmp(mst_args_text(x->args, "profile", "muster"), "upstream") == 0,
        .minor = minor,
        .gates = mst_args_text(x->args, "feature-gates", NULL),
        .config = mst_args_text(x->args, "config", NULL),
        .level = level,
        .json_log = strcmp(mst_args_text(x->args, "logging-format", "text"), "json") == 0,
    };
    if (!mst_setup_read(&x->setup, &words))
        return false;
    x->setup.log.clock = wall_clock;
    x->setup.random_ties = mst_args_has(x->args, "seed");
    return mst_args_number(x->args, "seed", 0, INT64_MAX, &x->setup.seed) && override_election(x) &&
           read_limits(x) &&
           whole_seconds(x, "pod-max-in-unschedulable-pods-duration",
                         &x->setup.config.unschedulable_timeout_s);
}

/* ---- connecting ---- */

/* A file's kubeconfig before the flag's: with --config the flag is deprecated. */
static bool connect_to(struct starting *x)
{
    struct mst_err err;
    const struct mst_str in_file = x->setup.config.client.kubeconfig;
    const char *flag = mst_args_text(x->args, "kubeconfig", "");
    mst_buf_str(&x->kubeconfig, in_file.n ? in_file : mst_str_of(flag));
    mst_buf_char(&x->kubeconfig, 0);
    const struct mst_connection_options options = {
        .kubeconfig = x->kubeconfig.p[0] ? x->kubeconfig.p : NULL,
        .master = mst_args_text(x->args, "master", NULL),
    };
    if (mst_connection_load(&options, &x->connection, &err) == MST_OK)
        return true;
    fprintf(stderr, "muster scheduler: %s\n", err.text);
    return false;
}

static bool begin_recording(struct starting *x)
{
    const char *path = mst_args_text(x->args, "record", NULL);
    if (!path)
        return true;
    x->record = fopen(path, "we");
    if (!x->record) {
        fprintf(stderr, "muster scheduler: flag --record: %s cannot be written\n", path);
        return false;
    }
    const struct mst_recording_head head = {
        .upstream = x->setup.config.upstream,
        .gates = &x->setup.config.gates,
        .config = x->setup.config_text.p ? mst_buf_span(&x->setup.config_text) : MST_STR_NONE,
        .random_ties = x->setup.random_ties,
        .seed = (uint64_t)x->setup.seed,
    };
    mst_recorder_begin(&x->recorder, x->record, path, x->setup.syms, &head);
    return true;
}

static int end_recording(struct starting *x, int code)
{
    struct mst_err err;
    if (!x->record)
        return code;
    if (mst_recorder_end(&x->recorder, &err)) {
        fprintf(stderr, "muster scheduler: %s\n", err.text);
        code = MST_EXIT_FAILED;
    }
    mst_recorder_done(&x->recorder);
    fclose(x->record);
    return code;
}

/* ---- the command ---- */

static int write_config(struct starting *x, const char *path)
{
    struct mst_err err;
    MST_AUTO(mst_buf) text = { 0 };
    mst_rc rc = mst_config_write_yaml(&x->setup.config, &text, &err);
    FILE *file = rc ? NULL : fopen(path, "we");
    bool ok = file && fwrite(text.p, 1, text.n, file) == text.n;
    if (file)
        ok &= fclose(file) == 0;
    if (ok)
        return MST_EXIT_OK;
    fprintf(stderr, "muster scheduler: flag --write-config-to: %s\n",
            rc ? err.text : "the file cannot be written");
    return MST_EXIT_FAILED;
}

static int schedule(struct starting *x)
{
    if (!connect_to(x) || !begin_recording(x))
        return MST_EXIT_FAILED;
    const struct mst_process_options options = {
        .connection = &x->connection,
        .syms = x->setup.syms,
        .config = &x->setup.config,
        .registry = &x->setup.registry,
        .log = mst_setup_log(&x->setup),
        .qps = x->qps,
        .burst = (int32_t)x->burst,
        .dry_run = mst_args_bool(x->args, "dry-run", false),
        .random_ties = x->setup.random_ties,
        .seed = (uint64_t)x->setup.seed,
        .recorder = x->record ? &x->recorder : NULL,
        .serving = x->serving.flags,
        .build = { MST_VERSION, MST_COMMIT, MST_COMPILER },
        .explain = mst_serving_explain,
    };
    return end_recording(x, mst_process_run(&options));
}

static int run(const struct mst_args *args)
{
    struct starting x = { .args = args };
    const char *to = mst_args_text(args, "write-config-to", NULL);
    int code = MST_EXIT_BAD_INPUT;
    mst_scheduler_flags_warn(args);
    if (configure(&x) && mst_serving_flags_read(args, &x.serving))
        code = to ? write_config(&x, to) : schedule(&x);
    mst_serving_setup_done(&x.serving);
    mst_connection_done(&x.connection);
    mst_buf_done(&x.kubeconfig);
    mst_setup_done(&x.setup);
    return code;
}

const struct mst_command mst_command_scheduler = {
    .name = "scheduler",
    .summary = "schedule the pods of a cluster, in kube-scheduler's place or beside it",
    .usage = "[flags]",
    .about =
        "Follows a kube-apiserver and schedules the pods that name one of its profiles. The flags\n"
        "and the configuration are kube-scheduler's: `muster --kubeconfig=...` without a\n"
        "subcommand, and this program under the name kube-scheduler, do the same.\n"
        "\n"
        "With --dry-run nothing is written: decisions are logged and compared with those of\n"
        "the scheduler that runs.\n"
        "\n"
        "SIGTERM: no new decision, what was decided is carried out, the lease is given back.\n"
        "\n"
        "Exit code 0: ended by a signal. 1: the lease was lost, or there is no connection to\n"
        "be had. 2: bad flags or configuration.",
    .flags = mst_scheduler_flags,
    .flag_count = MST_SCHEDULER_FLAG_COUNT,
    .examples = "  muster scheduler --kubeconfig ~/.kube/config --leader-elect=false\n"
                "  muster scheduler --config /etc/muster/scheduler.yaml -v 2\n"
                "  muster scheduler --kubeconfig admin.conf --dry-run -v 1\n"
                "  muster scheduler --config scheduler.yaml --write-config-to effective.yaml\n",
    .run = run,
};
