/*
 * config.c - KubeSchedulerConfiguration v1: the document and its profiles.
 *
 * Owns:       the text and the tape (config->text, config->arena), the profiles' lists.
 * Invariants: after an error the configuration holds nothing that must not be freed by
 *             mst_config_done.
 * Not here:   sections without effect (config_sections.c), extenders (config_extenders.c), plugins
 *             (config_plugins.c), args (plugin_args*.c), the document that says the same in full
 *             (config_print.c).
 * Source:     spec/plugins.md 6; kubernetes v1.37 pkg/scheduler/apis/config.
 */
#include "framework/config_internal.h"

#include "codec/yaml.h"

#define GROUP "kubescheduler.config.k8s.io"
#define VERSION GROUP "/v1"

/* Profiles of one document: a limit that no configuration comes near. */
enum { PROFILES_MAX = 1000 };

struct reader {
    struct mst_reading rd;
    struct mst_config *config;
    const struct mst_registry *registry;
    struct mst_syms *syms;
};

void mst_config_done(struct mst_config *config)
{
    for (uint32_t i = 0; i < config->profiles.n; i++)
        for (uint32_t p = 0; p < MST_CFG_POINT_COUNT; p++)
            mst_vec_done(&config->profiles.v[i].points[p]);
    mst_vec_done(&config->profiles);
    mst_arena_done(&config->arena);
    mst_buf_done(&config->text);
}

static void set_defaults(struct mst_config *config)
{
    const bool upstream = config->upstream;
    const struct mst_gates gates = config->gates;
    *config = (struct mst_config){
        .upstream = upstream,
        .gates = gates,
        .initial_backoff_s = 1,
        .max_backoff_s = 10,
        .unschedulable_timeout_s = 300,
        .parallelism = 16,
        .profiling = true,
        .contention_profiling = true,
    };
    const struct mst_reading none = { 0 };
    mst_cfg_leader_election(&none, NULL, &config->leader);
    mst_cfg_client_connection(&none, NULL, &config->client);
}

/* ---- plugin sets ---- */

static void read_entry(const struct reader *r, const struct mst_value *v, struct mst_str path,
                       struct mst_cfg_entry *out)
{
    static const char *const fields[] = { "name", "weight" };
    *out = (struct mst_cfg_entry){ .name = MST_STR(""), .at = v };
    if (!mst_cfg_object(&r->rd, v, path, fields, MST_COUNT(fields)))
        return;
    (void)mst_cfg_str(&r->rd, v, path, "name", &out->name);
    (void)mst_cfg_int(&r->rd, v, path, "weight", 32, &out->weight);
    if (out->weight < 0) {
        mst_cfg_invalid_int(&r->rd, v, mst_at_key(&r->rd, path, "weight"), out->weight,
                            "must be greater than or equal to 0");
        out->weight = 0;
    }
    /* The name under which the documentation of topology-aware scheduling speaks of it. */
    if (!r->config->upstream && mst_str_is(out->name, "TopologyPlacement"))
        out->name = MST_STR("TopologyPlacementGenerator");
}

static void read_set(const struct reader *r, const struct mst_value *v, struct mst_str path,
                     bool refuse_removed, struct mst_cfg_set *out)
{
    static const char *const fields[] = { "enabled", "disabled" };
    if (!mst_cfg_object(&r->rd, v, path, fields, MST_COUNT(fields)))
        return;
    const struct mst_value *enabled = mst_cfg_list(&r->rd, v, path, "enabled");
    const struct mst_value *disabled = mst_cfg_list(&r->rd, v, path, "disabled");
    const struct mst_str enabled_at = mst_at_key(&r->rd, path, "enabled");
    const struct mst_str disabled_at = mst_at_key(&r->rd, path, "disabled");
    out->enabled.v = MST_NEW_N(r->rd.arena, struct mst_cfg_entry, enabled ? enabled->n : 0);
    out->disabled.v = MST_NEW_N(r->rd.arena, struct mst_cfg_entry, disabled ? disabled->n : 0);
    if (enabled) {
        MST_EACH_ELEMENT (e, enabled) {
            const uint32_t i = out->enabled.n;
            const struct mst_str at = mst_at_index(&r->rd, enabled_at, i);
            struct mst_cfg_entry *entry = &out->enabled.v[i];
            read_entry(r, e, at, entry);
            if (refuse_removed && mst_cfg_plugin_removed(entry->name))
                mst_cfg_invalid(&r->rd, e, at, mst_cfg_quote(&r->rd, entry->name),
                                "was invalid in version \"" VERSION
                                "\" (KubeSchedulerConfiguration is version \"" VERSION "\")");
            else
                out->enabled.n++;
        }
    }
    if (disabled)
        MST_EACH_ELEMENT (e, disabled) {
            const uint32_t i = out->disabled.n++;
            read_entry(r, e, mst_at_index(&r->rd, disabled_at, i), &out->disabled.v[i]);
        }
}

static void read_plugins(const struct reader *r, const struct mst_value *v, struct mst_str path,
                         struct mst_cfg_raw *out)
{
    const char *fields[MST_CFG_SET_COUNT];
    for (uint32_t i = 0; i < MST_CFG_SET_COUNT; i++)
        fields[i] = mst_cfg_set_key(i);
    if (!mst_cfg_object(&r->rd, v, path, fields, MST_COUNT(fields)))
        return;
    for (uint32_t i = 0; i < MST_CFG_SET_COUNT; i++) {
        /* There a removed name is found unknown later. */
        const bool late = i == MST_CFG_MULTI_POINT || i == MST_CFG_PLACEMENT_GENERATE ||
                          i == MST_CFG_PLACEMENT_SCORE;
        read_set(r, mst_value_get(v, fields[i]), mst_at_key(&r->rd, path, fields[i]), !late,
                 &out->sets[i]);
    }
}

/* ---- pluginConfig ---- */

static void check_args(const struct reader *r, const struct mst_cfg_args *args, struct mst_str path)
{
    const bool removed = mst_cfg_plugin_removed(args->name);
    if (removed) {
        mst_cfg_invalid(&r->rd, args->at, path, mst_cfg_quote(&r->rd, args->name),
                        "was invalid in version \"" VERSION
                        "\" (KubeSchedulerConfiguration is version \"" VERSION "\")");
    } else if (mst_args_known(args->name)) {
        const struct mst_args_reader reader = {
            .syms = r->syms,
            .arena = r->rd.arena,
            .diags = r->rd.diags,
            .gates = &r->config->gates,
            .own_fields = !r->config->upstream,
            .path = mst_at_key(&r->rd, path, "args"),
        };
        mst_args_check(&reader, args->name, args->args);
    } else if (mst_cfg_plugin_known(r->registry, args->name)) {
        mst_diag_add(r->rd.diags, MST_DIAG_WARNING, args->at,
                     "%.*s: plugin %.*s takes no args, they have no effect", MST_ARG(path),
                     MST_ARG(args->name));
    } else {
        mst_diag_add(r->rd.diags, MST_DIAG_WARNING, args->at,
                     "%.*s: no plugin \"%.*s\" exists, its args have no effect", MST_ARG(path),
                     MST_ARG(args->name));
    }
}

static void read_args(const struct reader *r, const struct mst_value *list, struct mst_str path,
                      struct mst_cfg_raw *out)
{
    static const char *const fields[] = { "name", "args" };
    if (!list)
        return;
    out->args.v = MST_NEW_N(r->rd.arena, struct mst_cfg_args, list->n);
    uint32_t i = 0;
    MST_EACH_ELEMENT (v, list) {
        const struct mst_str at = mst_at_index(&r->rd, path, i++);
        struct mst_cfg_args args = { .name = MST_STR(""), .at = v };
        if (!mst_cfg_object(&r->rd, v, at, fields, MST_COUNT(fields)))
            continue;
        (void)mst_cfg_str(&r->rd, v, at, "name", &args.name);
        args.args = mst_value_get(v, "args");
        if (args.args && args.args->type == MST_NULL)
            args.args = NULL;
        bool repeated = false;
        for (uint32_t k = 0; k < out->args.n && !repeated; k++)
            repeated = mst_str_eq(out->args.v[k].name, args.name);
        if (repeated) {
            mst_cfg_error(&r->rd, v, "%.*s: Duplicate value: %.*s", MST_ARG(at),
                          MST_ARG(mst_cfg_quote(&r->rd, args.name)));
            continue;
        }
        check_args(r, &args, at);
        out->args.v[out->args.n++] = args;
    }
}

/* ---- profiles ---- */

static bool read_percentage(const struct reader *r, const struct mst_value *v, struct mst_str path,
                            struct mst_opt_int *out)
{
    static const char key[] = "percentageOfNodesToScore";
    out->set = mst_cfg_int(&r->rd, v, path, key, 32, &out->value);
    if (!out->set || (out->value >= 0 && out->value <= 100))
        return true;
    mst_cfg_invalid_int(&r->rd, mst_value_get(v, key), mst_at_key(&r->rd, path, key), out->value,
                        "not in valid range [0-100]");
    return false;
}

static void read_profile(const struct reader *r, const struct mst_value *v, uint32_t i,
                         struct mst_cfg_raw *out)
{
    static const char *const fields[] = { "schedulerName", "percentageOfNodesToScore", "plugins",
                                          "pluginConfig" };
    *out = (struct mst_cfg_raw){
        .path = mst_at_index(&r->rd, MST_STR("profiles"), i),
        .at = v,
    };
    if (!mst_cfg_object(&r->rd, v, out->path, fields, MST_COUNT(fields)))
        return;
    out->name_set = mst_cfg_str(&r->rd, v, out->path, "schedulerName", &out->name);
    (void)read_percentage(r, v, out->path, &out->percentage);
    read_plugins(r, mst_value_get(v, "plugins"), mst_at_key(&r->rd, out->path, "plugins"), out);
    read_args(r, mst_cfg_list(&r->rd, v, out->path, "pluginConfig"),
              mst_at_key(&r->rd, out->path, "pluginConfig"), out);
}

static void check_names(const struct reader *r, const struct mst_cfg_raw *raws, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_str at = mst_at_key(&r->rd, raws[i].path, "schedulerName");
        if (raws[i].name.n == 0)
            mst_cfg_required(&r->rd, raws[i].at, at, "");
        for (uint32_t k = i; k-- > 0;) {
            if (!mst_str_eq(raws[i].name, raws[k].name))
                continue;
            mst_cfg_error(&r->rd, raws[i].at, "%.*s: Duplicate value: \"%.*s.schedulerName\"",
                          MST_ARG(at), MST_ARG(raws[k].path));
            break;
        }
    }
}

/* A set as upstream prints it: the Go struct as JSON. */
static struct mst_str set_text(const struct reader *r, const struct mst_cfg_set *set)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_object_begin(&w);
    for (int part = 0; part < 2; part++) {
        const struct mst_cfg_entry *v = part == 0 ? set->enabled.v : set->disabled.v;
        const uint32_t n = part == 0 ? set->enabled.n : set->disabled.n;
        mst_jw_key(&w, part == 0 ? "Enabled" : "Disabled");
        if (n == 0) {
            mst_jw_null(&w);
            continue;
        }
        mst_jw_array_begin(&w);
        for (uint32_t i = 0; i < n; i++) {
            mst_jw_object_begin(&w);
            mst_jw_key(&w, "Name");
            mst_jw_str(&w, v[i].name);
            mst_jw_key(&w, "Weight");
            mst_jw_int(&w, v[i].weight);
            mst_jw_object_end(&w);
        }
        mst_jw_array_end(&w);
    }
    mst_jw_object_end(&w);
    return mst_arena_str(r->rd.arena, mst_buf_span(&buf));
}

/* The args that a profile gives a plugin, as text to compare and print; absent: none. */
static struct mst_str args_text(const struct reader *r, const struct mst_cfg_raw *raw,
                                struct mst_str name)
{
    for (uint32_t i = 0; i < raw->args.n; i++) {
        if (!mst_str_eq(raw->args.v[i].name, name) || !raw->args.v[i].args)
            continue;
        MST_AUTO(mst_buf) buf = { 0 };
        struct mst_json_writer w = { .out = &buf };
        mst_jw_value(&w, raw->args.v[i].args);
        return mst_arena_str(r->rd.arena, mst_buf_span(&buf));
    }
    return MST_STR_NONE;
}

/* All profiles share one queue, so they must agree on its order. */
static void check_queue_sort(const struct reader *r, const struct mst_cfg_raw *raws, uint32_t n)
{
    const struct mst_cfg_set *first = &raws[0].sets[MST_CFG_QUEUE_SORT];
    if (first->enabled.n > 1)
        mst_cfg_invalid_int(&r->rd, raws[0].at,
                            mst_at_key(&r->rd, raws[0].path, "plugins.queueSort.Enabled"),
                            first->enabled.n, "only one queue sort plugin can be enabled");
    const struct mst_str canon = set_text(r, first);
    const struct mst_str name = first->enabled.n ? first->enabled.v[0].name : MST_STR_NONE;
    for (uint32_t i = 1; i < n; i++) {
        const struct mst_str text = set_text(r, &raws[i].sets[MST_CFG_QUEUE_SORT]);
        if (!mst_str_eq(canon, text))
            mst_cfg_invalid(&r->rd, raws[i].at,
                            mst_at_key(&r->rd, raws[i].path, "plugins.queueSort"), text,
                            "must be the same for all profiles");
        const struct mst_str args = args_text(r, &raws[i], name);
        if (name.n && args.p && !mst_str_eq(args, args_text(r, &raws[0], name)))
            mst_cfg_invalid(&r->rd, raws[i].at,
                            mst_at_key(&r->rd, raws[i].path, "pluginConfig.args"), args,
                            "queueSort must be the same for all profiles");
    }
}

/* The same once more for what multiPoint brought in. */
static void check_common_sort(const struct reader *r, const struct mst_cfg_raw *raws)
{
    const struct mst_config *config = r->config;
    const struct mst_plugin *first = config->profiles.v[0].points[MST_CFG_QUEUE_SORT].v[0].plugin;
    const struct mst_str first_name = mst_str_of(first->name);
    for (uint32_t i = 1; i < config->profiles.n; i++) {
        const struct mst_cfg_profile *p = &config->profiles.v[i];
        const struct mst_plugin *sort = p->points[MST_CFG_QUEUE_SORT].v[0].plugin;
        if (sort != first)
            mst_cfg_error(&r->rd, raws[i].at,
                          "different queue sort plugins for profile \"%.*s\": \"%s\", first: "
                          "\"%s\"",
                          MST_ARG(p->scheduler_name), sort->name, first->name);
        else if (!mst_str_eq(args_text(r, &raws[i], first_name),
                             args_text(r, &raws[0], first_name)))
            mst_cfg_error(&r->rd, raws[i].at,
                          "different queue sort plugin args for profile \"%.*s\"",
                          MST_ARG(p->scheduler_name));
    }
}

static void build_profiles(const struct reader *r, struct mst_cfg_raw *raws, uint32_t n)
{
    if (n == 1 && !raws[0].name_set)
        raws[0].name = MST_STR("default-scheduler");
    for (uint32_t i = 0; i < n; i++)
        mst_cfg_merge(r->config, r->registry, r->rd.arena, &raws[i]);
    check_names(r, raws, n);
    check_queue_sort(r, raws, n);
    mst_vec_reserve(&r->config->profiles, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_vec_push(&r->config->profiles, (struct mst_cfg_profile){
                                               .scheduler_name = raws[i].name,
                                               .percentage_of_nodes = raws[i].percentage,
                                           });
        mst_cfg_expand(&r->rd, r->registry, &raws[i], &r->config->profiles.v[i]);
    }
    if (r->rd.diags->error_count == 0)
        check_common_sort(r, raws);
}

/* The profiles as they were written; NULL when there are too many. */
static const struct mst_cfg_raw *read_profiles(const struct reader *r, const struct mst_value *root)
{
    const struct mst_value *list = mst_cfg_list(&r->rd, root, MST_STR_NONE, "profiles");
    const uint32_t given = list ? list->n : 0;
    if (given > PROFILES_MAX) {
        mst_cfg_error(&r->rd, list, "profiles: Too many: %u: must have at most %u items", given,
                      (unsigned)PROFILES_MAX);
        return NULL;
    }
    const uint32_t n = given ? given : 1;
    struct mst_cfg_raw *raws = MST_NEW_N(r->rd.arena, struct mst_cfg_raw, n);
    raws[0].at = root;
    raws[0].path = MST_STR("profiles[0]");
    uint32_t i = 0;
    if (list)
        MST_EACH_ELEMENT (v, list) {
            read_profile(r, v, i, &raws[i]);
            i++;
        }
    build_profiles(r, raws, n);
    return raws;
}

void mst_config_default(struct mst_config *config, const struct mst_registry *registry)
{
    set_defaults(config);
    MST_AUTO(mst_diags) diags = { 0 };
    const struct reader r = {
        .rd = { .arena = &config->arena, .diags = &diags },
        .config = config,
        .registry = registry,
    };
    struct mst_cfg_raw *raw = MST_NEW(&config->arena, struct mst_cfg_raw);
    raw->path = MST_STR("profiles[0]");
    build_profiles(&r, raw, 1);
    mst_assert(diags.error_count == 0);
}

/* ---- the document ---- */

static bool check_kind(const struct reader *r, const struct mst_value *root)
{
    struct mst_str kind = MST_STR(""), version = MST_STR("");
    if (root->type != MST_OBJECT) {
        mst_cfg_error(&r->rd, root, "expected object, got %s", mst_value_type_name(root));
        return false;
    }
    (void)mst_cfg_str(&r->rd, root, MST_STR_NONE, "kind", &kind);
    (void)mst_cfg_str(&r->rd, root, MST_STR_NONE, "apiVersion", &version);
    if (kind.n == 0)
        mst_cfg_error(&r->rd, root, "Object 'Kind' is missing");
    else if (version.n == 0)
        mst_cfg_error(&r->rd, root, "Object 'apiVersion' is missing");
    else if (mst_str_is(version, VERSION) && mst_str_is(kind, "KubeSchedulerConfiguration"))
        return true;
    else if (mst_str_is(version, VERSION) && kind.n > 4 &&
             mst_args_known((struct mst_str){ kind.p, kind.n - 4 }) &&
             memcmp(kind.p + kind.n - 4, "Args", 4) == 0)
        mst_cfg_error(&r->rd, root,
                      "couldn't decode as KubeSchedulerConfiguration, got " VERSION ", Kind=%.*s: ",
                      MST_ARG(kind));
    else
        mst_cfg_error(&r->rd, root, "no kind \"%.*s\" is registered for version \"%.*s\"",
                      MST_ARG(kind), MST_ARG(version));
    return false;
}

static void read_backoff(const struct reader *r, const struct mst_value *root)
{
    static const char initial[] = "podInitialBackoffSeconds", max[] = "podMaxBackoffSeconds";
    struct mst_config *config = r->config;
    (void)mst_cfg_int(&r->rd, root, MST_STR_NONE, initial, 64, &config->initial_backoff_s);
    (void)mst_cfg_int(&r->rd, root, MST_STR_NONE, max, 64, &config->max_backoff_s);
    if (config->initial_backoff_s <= 0)
        mst_cfg_invalid_int(&r->rd, mst_value_get(root, initial), mst_str_of(initial),
                            config->initial_backoff_s, "must be greater than 0");
    const struct mst_value *max_at = mst_value_get(root, max);
    if (config->max_backoff_s < config->initial_backoff_s)
        mst_cfg_invalid_int(&r->rd, max_at ? max_at : root, mst_str_of(max), config->max_backoff_s,
                            "must be greater than or equal to PodInitialBackoffSeconds");
}

static const char *const root_fields[] = {
    "apiVersion",
    "kind",
    "parallelism",
    "leaderElection",
    "clientConnection",
    "enableProfiling",
    "enableContentionProfiling",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "profiles",
    "extenders",
    "delayCacheUntilActive",
};

static void read_root(const struct reader *r, const struct mst_value *root)
{
    const struct mst_str top = MST_STR_NONE;
    struct mst_config *config = r->config;
    const uint32_t errors = r->rd.diags->error_count;
    (void)mst_cfg_object(&r->rd, root, top, root_fields, MST_COUNT(root_fields));
    mst_cfg_client_connection(&r->rd, mst_value_get(root, "clientConnection"), &config->client);
    mst_cfg_leader_election(&r->rd, mst_value_get(root, "leaderElection"), &config->leader);
    (void)mst_cfg_int(&r->rd, root, top, "parallelism", 32, &config->parallelism);
    if (config->parallelism <= 0)
        mst_cfg_invalid_int(&r->rd, mst_value_get(root, "parallelism"), MST_STR("parallelism"),
                            config->parallelism, "should be an integer value greater than zero");
    (void)mst_cfg_bool(&r->rd, root, top, "enableProfiling", &config->profiling);
    /* Unless it is said, contention is profiled if anything is. */
    config->contention_profiling = config->profiling;
    (void)mst_cfg_bool(&r->rd, root, top, "enableContentionProfiling",
                       &config->contention_profiling);
    (void)mst_cfg_bool(&r->rd, root, top, "delayCacheUntilActive",
                       &config->delay_cache_until_active);
    const struct mst_cfg_raw *raws = read_profiles(r, root);
    (void)read_percentage(r, root, top, &r->config->percentage_of_nodes);
    read_backoff(r, root);
    const struct mst_value *extenders = mst_cfg_list(&r->rd, root, top, "extenders");
    if (extenders)
        mst_cfg_extenders(&r->rd, extenders, config);
    if (r->rd.diags->error_count == errors)
        mst_cfg_ignore_managed(&r->rd, config, raws);
}

/*
 * What the reader of documents found. A repeated key, of which it only warns, is an error here, in
 * the words that upstream has for it in YAML and in JSON.
 */
static void add_found(const struct reader *r, const struct mst_diag *d)
{
    static const char repeated[] = "duplicate key \"", last[] = ", the last one is used";
    const struct mst_str source = mst_buf_span(&r->config->text);
    size_t blank = 0;
    while (blank < source.n && strchr(" \t\r\n", source.p[blank]))
        blank++;
    const bool json = blank < source.n && source.p[blank] == '{';
    const size_t cut = sizeof("duplicate key ") - 1 + sizeof(last) - 1;
    if (d->level == MST_DIAG_WARNING && mst_str_has_prefix(d->text, repeated) && d->text.n > cut) {
        const struct mst_str key = { d->text.p + sizeof("duplicate key ") - 1, d->text.n - cut };
        mst_diag_add_at(r->rd.diags, MST_DIAG_ERROR, d->line, d->col,
                        json ? "strict decoding error: duplicate field %.*s"
                             : "strict decoding error: key %.*s already set in map",
                        MST_ARG(key));
    } else {
        mst_diag_add_at(r->rd.diags, MST_DIAG_ERROR, d->line, d->col, "%s%.*s",
                        d->level == MST_DIAG_WARNING ? "strict decoding error: " : "",
                        MST_ARG(d->text));
    }
}

/* The one document of the text. */
static const struct mst_value *parse(const struct reader *r)
{
    struct mst_yaml_reader yaml;
    const struct mst_value *root = NULL, *second = NULL;
    MST_AUTO(mst_diags) found = { 0 };
    mst_yaml_init(&yaml, mst_buf_span(&r->config->text));
    mst_rc rc = mst_yaml_next(&yaml, r->rd.arena, &found, &root);
    for (uint32_t i = 0; i < found.list.n; i++)
        add_found(r, &found.list.v[i]);
    if (rc == MST_ENOTFOUND)
        mst_diag_add_at(r->rd.diags, MST_DIAG_ERROR, 1, 1, "Object 'Kind' is missing");
    if (rc)
        return NULL;
    MST_AUTO(mst_diags) ignored = { 0 };
    rc = mst_yaml_next(&yaml, r->rd.arena, &ignored, &second);
    if (rc != MST_ENOTFOUND)
        mst_diag_add(r->rd.diags, MST_DIAG_ERROR, rc ? root : second,
                     "a configuration is one document, here are more");
    return root;
}

bool mst_config_read(struct mst_config *config, const struct mst_registry *registry,
                     struct mst_syms *syms, struct mst_str text, struct mst_diags *diags)
{
    set_defaults(config);
    mst_buf_str(&config->text, text);
    const uint32_t errors = diags->error_count;
    const struct reader r = {
        .rd = { .arena = &config->arena, .diags = diags },
        .config = config,
        .registry = registry,
        .syms = syms,
    };
    const struct mst_value *root = parse(&r);
    if (root && check_kind(&r, root))
        read_root(&r, root);
    return diags->error_count == errors;
}

/* ---- what a diagnostic is about ---- */

/* The longest beginning that looks like a field path: "profiles[0].plugins.score". */
static struct mst_str path_prefix(struct mst_str text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789.[]_-";
    size_t n = 0;
    while (n < text.n && memchr(letters, text.p[n], sizeof(letters) - 1))
        n++;
    return (struct mst_str){ text.p, n };
}

struct mst_str mst_config_diag_path(const struct mst_diag *diag)
{
    static const char unknown[] = "strict decoding error: unknown field \"";
    struct mst_str text = diag->text;
    if (mst_str_has_prefix(text, unknown)) {
        const size_t skip = sizeof(unknown) - 1;
        const size_t rest = text.n - skip;
        const size_t n = rest && text.p[text.n - 1] == '"' ? rest - 1 : rest;
        return (struct mst_str){ text.p + skip, n };
    }
    const struct mst_str path = path_prefix(text);
    if (path.n == text.n || text.p[path.n] != ':')
        return MST_STR_NONE;
    size_t first = 0;
    while (first < path.n && path.p[first] != '.' && path.p[first] != '[')
        first++;
    for (size_t i = 0; i < MST_COUNT(root_fields); i++)
        if (mst_str_is((struct mst_str){ path.p, first }, root_fields[i]))
            return path;
    return MST_STR_NONE;
}
