/*
 * cmd_config.c - muster config: what is wrong with a configuration, and what one comes to.
 */
#include <stdio.h>

#include "cli/setup.h"
#include "cli/table.h"
#include "plugins/registry.h"
#include "sim/files.h"

/* How a diagnostic about the gates names its place. */
#define GATES "--feature-gates"

struct job {
    const struct mst_args *args;
    const char *path; /* of the document; NULL: the default configuration */
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_buf text; /* the file */
    struct mst_diags diags;
    struct mst_arena arena;
    struct mst_buf out;
};

static void job_done(struct job *job)
{
    mst_buf_done(&job->out);
    mst_arena_done(&job->arena);
    mst_diags_done(&job->diags);
    mst_config_done(&job->config);
    mst_buf_done(&job->text);
    mst_syms_free(job->syms);
}

/* ---- reading ---- */

static void add_lines(struct job *job, mst_diag_level level, const struct mst_buf *lines)
{
    struct mst_str rest = mst_buf_span(lines);
    while (rest.n) {
        const char *end = memchr(rest.p, '\n', rest.n);
        const size_t n = end ? (size_t)(end - rest.p) : rest.n;
        const size_t used = n + (end != NULL);
        if (n)
            mst_diag_add_at(&job->diags, level, 0, 0, "%.*s", (int)n, rest.p);
        rest = (struct mst_str){ rest.p + used, rest.n - used };
    }
}

static void read_gates(struct job *job)
{
    MST_AUTO(mst_buf) errors = { 0 };
    MST_AUTO(mst_buf) warnings = { 0 };
    struct mst_gates *gates = &job->config.gates;
    const char *list = mst_args_text(job->args, "feature-gates", NULL);
    mst_gates_default(gates, job->config.upstream);
    if (!list)
        return;
    if (mst_gates_set(gates, mst_str_of(list), job->config.upstream, &errors, &warnings))
        (void)mst_gates_check(gates, &errors);
    job->diags.file = MST_STR(GATES);
    add_lines(job, MST_DIAG_WARNING, &warnings);
    add_lines(job, MST_DIAG_ERROR, &errors);
}

/* Everything that is wrong goes to the diagnostics. */
static void read_all(struct job *job)
{
    struct mst_err err;
    job->syms = mst_syms_new();
    job->registry = mst_plugins_registry();
    job->config.upstream = strcmp(mst_args_text(job->args, "profile", "muster"), "upstream") == 0;
    read_gates(job);
    job->diags.file = MST_STR_NONE;
    if (!job->path) {
        mst_config_default(&job->config, &job->registry);
    } else if (mst_file_read(job->path, &job->text, &err)) {
        mst_diag_add_at(&job->diags, MST_DIAG_ERROR, 0, 0, "%s", err.text);
    } else {
        job->diags.file = mst_str_of(job->path);
        (void)mst_config_read(&job->config, &job->registry, job->syms, mst_buf_span(&job->text),
                              &job->diags);
    }
}

/* ---- check ---- */

static void diags_json(const struct job *job, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out, .indent = 2 };
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < job->diags.list.n; i++) {
        const struct mst_diag *d = &job->diags.list.v[i];
        const struct mst_str path = mst_str_is(d->file, GATES) ? d->file : mst_config_diag_path(d);
        mst_jw_object_begin(&w);
        mst_jw_key(&w, "level");
        mst_jw_text(&w, d->level == MST_DIAG_ERROR ? "error" : "warning");
        mst_jw_key(&w, "line");
        mst_jw_int(&w, d->line);
        mst_jw_key(&w, "column");
        mst_jw_int(&w, d->col);
        if (path.n) {
            mst_jw_key(&w, "path");
            mst_jw_str(&w, path);
        }
        mst_jw_key(&w, "message");
        mst_jw_str(&w, d->text);
        mst_jw_object_end(&w);
    }
    mst_jw_array_end(&w);
    mst_buf_char(out, '\n');
}

static int check(struct job *job, const char *output)
{
    read_all(job);
    const uint32_t errors = job->diags.error_count;
    if (strcmp(output, "json") == 0) {
        diags_json(job, &job->out);
    } else {
        mst_diags_show(&job->diags);
        if (errors)
            fprintf(stderr, "%s: %u error%s\n", job->path, errors, errors == 1 ? "" : "s");
        else
            mst_buf_printf(&job->out, "%s: valid\n", job->path);
    }
    const int code = mst_print(&job->out);
    return code ? code : errors ? MST_EXIT_BAD_INPUT : MST_EXIT_OK;
}

/* ---- show ---- */

/* The flags without which the document would mean something else. */
static void show_flags(const struct job *job, struct mst_buf *out)
{
    const char *gates = mst_args_text(job->args, "feature-gates", NULL);
    if (!job->config.upstream && !gates)
        return;
    mst_buf_text(out, "# with");
    if (job->config.upstream)
        mst_buf_text(out, " --profile upstream");
    if (gates)
        mst_buf_text(out, " " GATES " ");
    for (const char *c = gates ? gates : ""; *c; c++)
        mst_buf_char(out, (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c);
    mst_buf_char(out, '\n');
}

static mst_rc show_yaml(struct job *job, struct mst_err *err)
{
    show_flags(job, &job->out);
    return mst_config_write_yaml(&job->config, &job->out, err);
}

static void show_json(struct job *job)
{
    struct mst_json_writer w = { .out = &job->out, .indent = 2 };
    mst_config_write(&job->config, &job->arena, &w);
    mst_buf_char(&job->out, '\n');
}

/* The weight of the plugin at the point; 0: it does not run there. */
static int64_t weight_at(const struct mst_cfg_profile *profile, mst_cfg_point point,
                         struct mst_str name)
{
    for (uint32_t i = 0; i < profile->named[point].n; i++)
        if (mst_str_eq(profile->named[point].v[i].name, name))
            return profile->named[point].v[i].weight;
    return 0;
}

static void add_row(struct mst_table *table, const struct mst_cfg_profile *profile,
                    const struct mst_cfg_used *used)
{
    MST_AUTO(mst_buf) points = { 0 };
    MST_AUTO(mst_buf) weight = { 0 };
    const int64_t scores = weight_at(profile, MST_CFG_SCORE, used->name);
    const int64_t places = weight_at(profile, MST_CFG_PLACEMENT_SCORE, used->name);
    for (uint32_t p = 0; p < MST_CFG_POINT_COUNT; p++)
        if (weight_at(profile, (mst_cfg_point)p, used->name))
            mst_buf_printf(&points, "%s%s", points.n ? "," : "",
                           mst_cfg_point_key((mst_cfg_point)p));
    if (scores || places)
        mst_buf_printf(&weight, "%lld", (long long)(scores ? scores : places));
    if (scores && places && scores != places)
        mst_buf_printf(&weight, " (placementScore %lld)", (long long)places);
    mst_table_add(table, MST_STYLE_PLAIN, used->name);
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&weight));
    mst_table_add(table, used->plugin ? MST_STYLE_GOOD : MST_STYLE_BAD,
                  mst_str_of(used->plugin ? "yes" : "no"));
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&points));
}

static void show_table(struct job *job)
{
    static const struct mst_column columns[] = {
        { .title = "PLUGIN" }, { .title = "WEIGHT" }, { .title = "HERE" }, { .title = "POINTS" }
    };
    const bool colours = mst_colours_wanted();
    for (uint32_t i = 0; i < job->config.profiles.n; i++) {
        const struct mst_cfg_profile *profile = &job->config.profiles.v[i];
        struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
        mst_buf_text(&job->out, i ? "\nprofile " : "profile ");
        mst_styled(&job->out, colours, MST_STYLE_BOLD, profile->scheduler_name);
        mst_buf_char(&job->out, '\n');
        for (uint32_t k = 0; k < profile->used.n; k++)
            add_row(&table, profile, &profile->used.v[k]);
        mst_table_print(&table, colours, &job->out);
        mst_table_done(&table);
    }
}

static int show(struct job *job, const char *output)
{
    struct mst_err err;
    read_all(job);
    const uint32_t errors = job->diags.error_count;
    mst_diags_show(&job->diags);
    if (errors)
        return MST_EXIT_BAD_INPUT;
    if (strcmp(output, "table") == 0) {
        show_table(job);
    } else if (strcmp(output, "json") == 0) {
        show_json(job);
    } else if (show_yaml(job, &err)) {
        fprintf(stderr, "muster config show: %s\n", err.text);
        return MST_EXIT_FAILED;
    }
    return mst_print(&job->out);
}

/* ---- the command ---- */

static int run(const struct mst_args *args)
{
    const char *file = args->words.n > 1 ? args->words.v[1] : NULL;
    const bool checks = args->words.n && strcmp(args->words.v[0], "check") == 0;
    const char *allowed = checks ? "text|json" : "yaml|json|table";
    const char *output = mst_args_text(args, "output", checks ? "text" : "yaml");
    if (!args->words.n)
        return mst_usage_error(args->command, "what is to be done? allowed: check, show");
    if (!mst_is_alternative(allowed, output))
        return mst_usage_error(args->command, "flag --output: %s takes %s, not %s",
                               args->words.v[0], checks ? "text or json" : "yaml, json or table",
                               output);
    if (checks && mst_args_has(args, "config"))
        return mst_usage_error(args->command, "flag --config: check takes the file as its word");
    if (checks && !file)
        return mst_usage_error(args->command, "nothing to check: name a file, or - for standard"
                                              " input");
    if (!checks && file)
        return mst_usage_error(args->command, "show takes the file with --config %s", file);
    struct job job = {
        .args = args,
        .path = checks ? file : mst_args_text(args, "config", NULL),
    };
    const int code = checks ? check(&job, output) : show(&job, output);
    job_done(&job);
    return code;
}

static const struct mst_flag flags[] = {
    { .name = "config",
      .arg = "FILE",
      .file = true,
      .help = "show: the KubeSchedulerConfiguration, - for standard input; without it,\n"
              "the default one" },
    { .name = "profile",
      .arg = "NAME",
      .values = "muster|upstream",
      .help = "behaviour: muster (default), or upstream = as kube-scheduler v1.37.2" },
    { .name = "feature-gates",
      .arg = "A=true,B=false",
      .help = "feature gates that the configuration is read under" },
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "text|json|yaml|table",
      .help = "check: text (default) or json, a list of what is wrong;\n"
              "show: yaml (default), json, or table, a row per plugin" },
};

const struct mst_command mst_command_config = {
    .name = "config",
    .summary = "check a KubeSchedulerConfiguration, or show what it comes to",
    .usage = "check FILE|- [flags]\n       muster config show [--config FILE|-] [flags]",
    .about =
        "check reads a KubeSchedulerConfiguration and says everything that is wrong with it at\n"
        "once, with file, line and column and in kube-scheduler's words, feature gates included.\n"
        "\n"
        "show prints the effective configuration: every default filled in, the plugins point by\n"
        "point, the args of every plugin that has some. The document can be read again, under\n"
        "the same profile and feature gates, and means the same.\n"
        "\n"
        "Exit code 0: valid. 2: it is not, or the command line is bad.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .positional_max = 2,
    .words = "check|show",
    .file_after = "check",
    .examples = "  muster config check scheduler.yaml\n"
                "  muster config check scheduler.yaml --profile upstream -o json\n"
                "  muster config show --config scheduler.yaml\n"
                "  muster config show -o table\n",
    .run = run,
};
