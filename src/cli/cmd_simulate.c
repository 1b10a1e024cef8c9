/*
 * cmd_simulate.c - muster simulate: manifests on a virtual clock, all aboard or none.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/setup.h"
#include "cli/table.h"

enum {
    EFFECT_ATTEMPTS = 6, /* -o effects without --max-attempts: as the reference program */
    ATTEMPTS_LIMIT = 1000000000,
};

typedef enum { OUT_TABLE, OUT_WIDE, OUT_JSON, OUT_YAML, OUT_EFFECTS } output;

struct simulation {
    const struct mst_args *args;
    struct mst_setup setup;
    struct mst_extender_client *client;
    struct mst_run run;
    bool running;
    output out_format;
    int64_t late_ns; /* -o effects: of the late effects since the last attempt, -1: none yet */
    struct mst_effect_lines lines;
    struct mst_buf out;
    FILE *record;
    struct mst_recorder recorder;
    struct timespec shown; /* when progress was last shown */
    bool progress_shown;
};

static output output_of(const struct mst_args *args)
{
    static const char *const names[] = { "table", "wide", "json", "yaml", "effects" };
    const char *name = mst_args_text(args, "output", "table");
    for (size_t i = 0; i < MST_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return (output)i;
    return OUT_TABLE;
}

/* ---- while it runs ---- */

static void on_effect(void *ctx, const struct mst_effect *effect, int64_t at_ns,
                      struct mst_str error)
{
    struct simulation *s = ctx;
    const int64_t late_ns = effect->late ? at_ns : -1;
    if (effect->kind == MST_EFFECT_ATTEMPT || late_ns > s->late_ns) {
        mst_effect_lines_flush(&s->lines, &s->out);
        s->late_ns = late_ns;
    }
    mst_effect_lines_add(&s->lines, effect, at_ns, error);
}

/* A line on a terminal, at most ten times a second. Nothing of it reaches a decision or a file. */
static void on_progress(void *ctx, const struct mst_run *run)
{
    struct simulation *s = ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed_ms =
        (now.tv_sec - s->shown.tv_sec) * 1000LL + (now.tv_nsec - s->shown.tv_nsec) / 1000000;
    if (passed_ms < 100)
        return;
    s->shown = now;
    s->progress_shown = true;
    MST_AUTO(mst_buf) time = { 0 };
    mst_duration_print_short(run->clock.now_ns - MST_SIM_START_NS, &time);
    fprintf(stderr, "\r\033[K%.*s virtual, %u attempts, %u pods bound",
            MST_ARG(mst_buf_span(&time)), run->attempt_count, run->bind_count);
}

static void clear_progress(const struct simulation *s)
{
    if (s->progress_shown)
        fputs("\r\033[K", stderr);
}

/* ---- before and after ---- */

static bool open_record(struct simulation *s)
{
    const char *path = mst_args_text(s->args, "record", NULL);
    if (!path)
        return true;
    s->record = fopen(path, "we");
    if (!s->record) {
        char text[128];
        fprintf(stderr, "muster simulate: flag --record: %s: %s\n", path,
                strerror_r(errno, text, sizeof(text)));
        return false;
    }
    struct mst_recording_head head = {
        .upstream = s->setup.config.upstream,
        .gates = &s->setup.config.gates,
        .config = s->setup.config_text.p ? mst_buf_span(&s->setup.config_text) : MST_STR_NONE,
        .random_ties = s->setup.random_ties,
        .seed = (uint64_t)s->setup.seed,
    };
    mst_recorder_begin(&s->recorder, s->record, path, s->setup.syms, &head);
    return true;
}

static bool close_record(struct simulation *s)
{
    struct mst_err err;
    if (!s->record || mst_recorder_end(&s->recorder, &err) == MST_OK)
        return true;
    fprintf(stderr, "muster simulate: flag --record: %s\n", err.text);
    return false;
}

static int run_scenario(struct simulation *s)
{
    int64_t until_ns = MST_NEVER, attempts = 0;
    struct mst_err err;
    if (!mst_args_duration(s->args, "until", &until_ns) ||
        !mst_args_number(s->args, "max-attempts", 1, ATTEMPTS_LIMIT, &attempts))
        return MST_EXIT_BAD_INPUT;
    const int loaded = mst_setup_load(&s->setup, s->args, false);
    if (loaded)
        return loaded;
    if (mst_extender_client_new(&s->setup.config, &s->client, &err)) {
        fprintf(stderr, "muster simulate: %s\n", err.text);
        return MST_EXIT_BAD_INPUT;
    }
    if (!open_record(s))
        return MST_EXIT_FAILED;
    bool effects = s->out_format == OUT_EFFECTS;
    struct mst_run_options options = {
        .scenario = &s->setup.scenario,
        .config = &s->setup.config,
        .registry = &s->setup.registry,
        .log = mst_setup_log(&s->setup),
        .random_ties = s->setup.random_ties,
        .seed = (uint64_t)s->setup.seed,
        .until_ns = until_ns,
        .attempts_max = attempts  ? (uint32_t)attempts
                        : effects ? EFFECT_ATTEMPTS
                                  : 0,
        .ends_at_once = strcmp(mst_args_text(s->args, "deletions", "graceful"), "instant") == 0,
        .attempts_soft = !attempts,
        .retry_unchanged = effects || attempts,
        .send = mst_setup_send,
        .send_ctx = s->client,
        .recorder = s->record ? &s->recorder : NULL,
        .on_effect = effects ? on_effect : NULL,
        .on_progress = isatty(STDERR_FILENO) && !s->setup.logging ? on_progress : NULL,
        .ctx = s,
    };
    if (mst_run_init(&s->run, &options, &err)) {
        fprintf(stderr, "muster simulate: %s\n", err.text);
        return MST_EXIT_BAD_INPUT;
    }
    s->running = true;
    s->setup.now_ns = &s->run.clock.now_ns;
    clock_gettime(CLOCK_MONOTONIC, &s->shown);
    mst_run_go(&s->run);
    clear_progress(s);
    return close_record(s) ? MST_EXIT_OK : MST_EXIT_FAILED;
}

static int print_result(struct simulation *s)
{
    struct mst_report_options options = { .wide = s->out_format == OUT_WIDE,
                                          .colours = mst_colours_wanted(),
                                          .explain = mst_args_has(s->args, "explain") };
    struct mst_err err;
    switch (s->out_format) {
    case OUT_TABLE:
    case OUT_WIDE: mst_report_print(&s->run, &options, &s->out); break;
    case OUT_JSON: mst_report_objects_json(&s->run, &s->out); break;
    case OUT_YAML:
        if (mst_report_objects_yaml(&s->run, &s->out, &err)) {
            fprintf(stderr, "muster simulate: %s\n", err.text);
            return MST_EXIT_FAILED;
        }
        break;
    case OUT_EFFECTS:
        mst_effect_lines_flush(&s->lines, &s->out);
        mst_effects_end_print(s->run.cycle, s->run.end_ns - MST_SIM_START_NS, &s->run.leftovers,
                              &s->out);
        break;
    }
    int code = mst_print(&s->out);
    if (code)
        return code;
    return mst_report_unplaced(&s->run) ? MST_EXIT_PENDING : MST_EXIT_OK;
}

static void done(struct simulation *s)
{
    if (s->running)
        mst_run_done(&s->run);
    if (s->record) {
        mst_recorder_done(&s->recorder);
        fclose(s->record); /* what could not be written was told by mst_recorder_end */
    }
    mst_extender_client_free(s->client);
    mst_effect_lines_done(&s->lines);
    mst_buf_done(&s->out);
    mst_setup_done(&s->setup);
}

/* ---- replay ---- */

static int replay(const struct mst_args *args, const char *path)
{
    static const char *const others[] = { "filename",     "kubeconfig",    "context", "config",
                                          "profile",      "feature-gates", "seed",    "until",
                                          "max-attempts", "record",        "explain", "output",
                                          "deletions" };
    for (size_t i = 0; i < MST_COUNT(others); i++)
        if (mst_args_has(args, others[i]))
            return mst_usage_error(args->command,
                                   "flag --%s: has no meaning with --replay, which takes "
                                   "everything from the recording",
                                   others[i]);
    MST_AUTO(mst_buf) text = { 0 };
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_err err;
    if (mst_file_read(path, &text, &err)) {
        fprintf(stderr, "muster simulate: flag --replay: %s\n", err.text);
        return MST_EXIT_BAD_INPUT;
    }
    struct mst_setup setup;
    struct mst_replay result = { 0 };
    bool ok = mst_setup_init(&setup, args);
    int code = MST_EXIT_BAD_INPUT;
    if (ok && mst_replay_run(mst_buf_span(&text), &setup.registry, mst_setup_log(&setup), &result,
                             &err)) {
        fprintf(stderr, "muster simulate: flag --replay: %s: %s\n", path, err.text);
    } else if (ok) {
        if (result.same)
            mst_buf_printf(&out, "%s: same effects (%llu events, %llu steps, %llu effects)\n", path,
                           (unsigned long long)result.events, (unsigned long long)result.steps,
                           (unsigned long long)result.effects);
        else
            mst_buf_printf(&out, "%s: %.*s", path, MST_ARG(mst_buf_span(&result.difference)));
        code = mst_print(&out);
        if (!code && !result.same)
            code = MST_EXIT_FAILED;
    }
    mst_replay_done(&result);
    mst_setup_done(&setup);
    return code;
}

static int run(const struct mst_args *args)
{
    const char *path = mst_args_text(args, "replay", NULL);
    if (path)
        return replay(args, path);
    struct simulation s = { .args = args, .out_format = output_of(args) };
    if (mst_args_has(args, "explain") && s.out_format != OUT_TABLE && s.out_format != OUT_WIDE)
        return mst_usage_error(args->command, "flag --explain: needs -o table or wide");
    int code = mst_setup_init(&s.setup, args) ? run_scenario(&s) : MST_EXIT_BAD_INPUT;
    if (!code)
        code = print_result(&s);
    done(&s);
    return code;
}

static const struct mst_flag flags[] = {
    MST_SETUP_FLAGS,
    { .name = "until", .arg = "DURATION", .help = "stop at this virtual time (90s, 1h30m)" },
    { .name = "max-attempts",
      .arg = "N",
      .help = "stop when one pod or group was attempted N times; without it the run ends\n"
              "when nothing more can change (-o effects: then at 6 attempts)" },
    { .name = "deletions",
      .arg = "HOW",
      .values = "graceful|instant",
      .help = "how deleted and evicted pods go: after their grace period (graceful, the\n"
              "default) or at once (instant)" },
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "table|wide|json|yaml|effects",
      .help = "what to print (default table)" },
    { .name = "explain", .help = "also say why each entity is pending and what would change that" },
    { .name = "record",
      .arg = "FILE",
      .file = true,
      .help = "write every input of the scheduler to FILE" },
    { .name = "replay",
      .arg = "FILE",
      .file = true,
      .help = "feed a recording to a new scheduler and compare what it does" },
};

const struct mst_command mst_command_simulate = {
    .name = "simulate",
    .summary = "run manifests against the scheduler on a virtual clock",
    .usage = "-f FILE|DIR|- ...|--kubeconfig FILE [flags]",
    .about =
        "Reads nodes, pods, PodGroups and what belongs to them, lets the scheduler work on a\n"
        "virtual clock that starts at 2026-06-01T00:00:00Z, and shows what became of them.\n"
        "With --kubeconfig or --context it begins with what a cluster has; nothing is written\n"
        "there. Manifests given as well are added, or replace the object of their name.\n"
        "\n"
        "Annotations on the manifests make them a scenario:\n"
        "  simulate.muster/arrive-at: 10s   created then (a later document of the same object is\n"
        "                                   an update at its time)\n"
        "  simulate.muster/delete-at: 5m    deleted then; pods with a node get their grace period\n"
        "  simulate.muster/run-for: 30m     pods: Succeeded that long after they got a node\n"
        "  simulate.muster/fail-bind: \"2\"   pods: the first two bindings fail\n"
        "\n"
        "Exit code 0: everything that may run has a node. 3: something stays unschedulable.\n"
        "2: bad input. 1: a file could not be written, or a replay differs.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .examples =
        "  muster simulate -f examples/gang-fits\n"
        "  muster simulate -f cluster.yaml -f jobs/ --explain\n"
        "  kubectl get nodes,pods,podgroups -A -o yaml | muster simulate -f - -o wide\n"
        "  muster simulate --context prod -f more-nodes.yaml --explain\n"
        "  muster simulate -f jobs/ --record run.jsonl && muster simulate --replay run.jsonl\n",
    .plugin = true,
    .run = run,
};
