/*
 * setup.c - what subcommands with an engine need: profile, gates, configuration, log, and the
 * objects, from manifests, a cluster or both.
 */
#include "cli/setup.h"

#include <stdio.h>

#include "cli/name_profiles.h"
#include "daemon/clock.h"
#include "plugins/registry.h"
#include "sim/clock.h"

static void log_write(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    fwrite(line, 1, n, stderr);
}

static int64_t log_clock(void *ctx)
{
    const struct mst_setup *setup = ctx;
    return setup->now_ns ? *setup->now_ns : MST_SIM_START_NS;
}

const struct mst_log *mst_setup_log(const struct mst_setup *setup)
{
    return setup->logging ? &setup->log : NULL;
}

bool mst_setup_send(void *ctx, const struct mst_extender_call *call, struct mst_str url,
                    struct mst_str body, struct mst_buf *ret_text)
{
    return mst_extender_client_send(ctx, call, url, body, ret_text);
}

void mst_diags_show(struct mst_diags *diags)
{
    MST_AUTO(mst_buf) out = { 0 };
    for (uint32_t i = 0; i < diags->list.n; i++)
        mst_diag_print(&diags->list.v[i], &out);
    if (out.n)
        fwrite(out.p, 1, out.n, stderr);
    diags->list.n = 0;
}

/* Lines of a checker, each with the flag before it. */
static void show_lines(const char *flag, const char *level, const struct mst_buf *lines)
{
    struct mst_str rest = mst_buf_span(lines);
    while (rest.n) {
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;
        if (n)
            fprintf(stderr, "muster: %s: flag --%s: %.*s\n", level, flag, (int)n, rest.p);
        n += end != NULL;
        rest.p += n;
        rest.n -= n;
    }
}

static bool read_gates(struct mst_setup *setup, const char *list, uint32_t minor)
{
    MST_AUTO(mst_buf) errors = { 0 };
    MST_AUTO(mst_buf) warnings = { 0 };
    struct mst_gates *gates = &setup->config.gates;
    mst_gates_emulate(gates, setup->config.upstream, minor ? minor : MST_GATES_MINOR);
    if (list && mst_gates_set(gates, mst_str_of(list), setup->config.upstream, &errors, &warnings))
        (void)mst_gates_check(gates, &errors);
    show_lines("feature-gates", "warning", &warnings);
    show_lines("feature-gates", "error", &errors);
    return errors.n == 0;
}

static bool read_config(struct mst_setup *setup, const char *path)
{
    struct mst_err err;
    if (!path) {
        mst_config_default(&setup->config, &setup->registry);
        return true;
    }
    if (mst_file_read(path, &setup->config_text, &err)) {
        fprintf(stderr, "muster: flag --config: %s\n", err.text);
        return false;
    }
    setup->diags.file = mst_str_of(path);
    setup->diags.object = MST_STR_NONE;
    bool ok = mst_config_read(&setup->config, &setup->registry, setup->syms,
                              mst_buf_span(&setup->config_text), &setup->diags);
    mst_diags_show(&setup->diags);
    return ok;
}

bool mst_setup_read(struct mst_setup *setup, const struct mst_setup_words *words)
{
    *setup = (struct mst_setup){ .syms = mst_syms_new(), .registry = mst_plugins_registry() };
    setup->config.upstream = words->upstream;
    setup->configured = words->config != NULL;
    setup->logging = words->level >= 0;
    setup->log = (struct mst_log){ .level = (int)words->level,
                                   .format = words->json_log ? MST_LOG_JSON : MST_LOG_TEXT,
                                   .write = log_write,
                                   .clock = log_clock,
                                   .ctx = setup };
    const bool ok = read_gates(setup, words->gates, words->minor);
    return read_config(setup, words->config) && ok;
}

bool mst_setup_init(struct mst_setup *setup, const struct mst_args *args)
{
    int64_t level = -1, seed = 0;
    *setup = (struct mst_setup){ 0 };
    if (!mst_args_number(args, "seed", 0, INT64_MAX, &seed) ||
        !mst_args_number(args, "verbosity", 0, 10, &level))
        return false;
    const struct mst_setup_words words = {
        .upstream = strcmp(mst_args_text(args, "profile", "muster"), "upstream") == 0,
        .gates = mst_args_text(args, "feature-gates", NULL),
        .config = mst_args_text(args, "config", NULL),
        .level = level,
        .json_log = strcmp(mst_args_text(args, "log-format", "text"), "json") == 0,
    };
    const bool ok = mst_setup_read(setup, &words);
    setup->random_ties = mst_args_has(args, "seed");
    setup->seed = seed;
    return ok;
}

/* What the cluster answered, ahead of what -f names. */
static int read_cluster(struct mst_setup *setup, const struct mst_args *args)
{
    uint32_t count;
    const int code = mst_live_read(&setup->live, args, mst_setup_log(setup));
    if (code)
        return code;
    const struct mst_snapshot_document *documents =
        mst_snapshot_documents(setup->live.snapshot, &count);
    for (uint32_t i = 0; i < count; i++)
        mst_files_add_served(&setup->scenario.files, documents[i].label, documents[i].text);
    return MST_EXIT_OK;
}

static int load_files(struct mst_setup *setup, const struct mst_args *args)
{
    MST_VEC(const char *) paths = { 0 };
    for (uint32_t i = 0; i < args->given.n; i++)
        if (strcmp(args->given.v[i].flag->name, "filename") == 0)
            mst_vec_push(&paths, args->given.v[i].value);
    const bool ok = mst_scenario_load(&setup->scenario, setup->syms, &setup->config.gates,
                                      setup->config.upstream, paths.v, paths.n, &setup->diags);
    const uint32_t errors = setup->diags.error_count;
    mst_diags_show(&setup->diags);
    if (errors)
        fprintf(stderr, "muster: %u error%s in the manifests, nothing was done\n", errors,
                errors == 1 ? "" : "s");
    mst_vec_done(&paths);
    return ok ? MST_EXIT_OK : MST_EXIT_BAD_INPUT;
}

int mst_setup_load(struct mst_setup *setup, const struct mst_args *args, bool by_default)
{
    const bool files = mst_args_has(args, "filename");
    const bool named = mst_args_has(args, "kubeconfig") || mst_args_has(args, "context");
    if (named || args->plugin || (!files && by_default)) {
        const int code = read_cluster(setup, args);
        if (code)
            return code;
    } else if (!files) {
        return mst_usage_error(args->command,
                               "nothing to read: name the manifests with -f FILE|DIR|-, or a "
                               "cluster with --kubeconfig FILE");
    }
    const int code = load_files(setup, args);
    if (!code && !setup->configured)
        mst_name_profiles(&setup->config, &setup->registry, &setup->scenario, &setup->config_text);
    return code;
}

int64_t mst_setup_now(const struct mst_setup *setup)
{
    int64_t now_s = MST_SIM_START_S;
    if (setup->live.read)
        return mst_wall_now() / MST_NS_PER_S;
    for (uint32_t i = 0; i < setup->scenario.docs.n; i++)
        now_s = MST_MAX(now_s, setup->scenario.docs.v[i].object.u.meta.created.unix_s);
    return now_s;
}

void mst_setup_done(struct mst_setup *setup)
{
    mst_scenario_done(&setup->scenario);
    mst_live_done(&setup->live);
    mst_config_done(&setup->config);
    mst_buf_done(&setup->config_text);
    mst_diags_done(&setup->diags);
    mst_syms_free(setup->syms);
}
