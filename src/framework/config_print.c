/*
 * config_print.c - a configuration as a document that says everything: defaults filled in, plugins
 * listed point by point.
 *
 * Owns:       nothing.
 * Invariants: reading what is written, under the same profile and gates, gives the same
 *             configuration, and writing that gives the same text.
 * Not here:   YAML, files, the table (cli/cmd_config.c).
 * Source:     spec/plugins.md 6; kubernetes v1.37 pkg/scheduler/apis/config/v1/defaults.go.
 */
#include "codec/yaml.h"
#include "framework/config_internal.h"

#define VERSION "kubescheduler.config.k8s.io/v1"

struct printing {
    const struct mst_config *config;
    struct mst_arena *arena;
    struct mst_json_writer *w;
};

/* ---- members ---- */

/* A member that is there and not null. */
static const struct mst_value *given(const struct mst_value *v, const char *key)
{
    const struct mst_value *member = mst_value_get(v, key);
    return member && member->type != MST_NULL ? member : NULL;
}

static int64_t int_of(const struct mst_value *v, const char *key, int64_t otherwise)
{
    const struct mst_value *member = given(v, key);
    int64_t value = otherwise;
    if (member)
        (void)mst_value_int(member, &value);
    return value;
}

static void put_text(const struct printing *p, const char *key, struct mst_str text)
{
    mst_jw_key(p->w, key);
    mst_jw_str(p->w, text);
}

static void put_int(const struct printing *p, const char *key, int64_t value)
{
    mst_jw_key(p->w, key);
    mst_jw_int(p->w, value);
}

static void put_bool(const struct printing *p, const char *key, bool value)
{
    mst_jw_key(p->w, key);
    mst_jw_bool(p->w, value);
}

static void put_duration(const struct printing *p, const char *key, int64_t ns)
{
    const struct mst_reading rd = { .arena = p->arena };
    const struct mst_str quoted = mst_cfg_duration_text(&rd, ns);
    put_text(p, key, (struct mst_str){ quoted.p + 1, quoted.n - 2 });
}

/* A list as it was written; an empty one has no effect and is left out. */
static void put_list(const struct printing *p, const struct mst_value *v, const char *key)
{
    const struct mst_value *list = given(v, key);
    if (!list || list->n == 0)
        return;
    mst_jw_key(p->w, key);
    mst_jw_value(p->w, list);
}

/* ---- args ---- */

typedef void args_writer(const struct printing *p, const struct mst_value *args);

static void put_resource(const struct printing *p, struct mst_str name, int64_t weight)
{
    mst_jw_object_begin(p->w);
    put_text(p, "name", name);
    put_int(p, "weight", weight);
    mst_jw_object_end(p->w);
}

/* Absent or empty: cpu and memory. A weight of 0 means 1. */
static void put_resources(const struct printing *p, const struct mst_value *v)
{
    const struct mst_value *list = given(v, "resources");
    mst_jw_key(p->w, "resources");
    mst_jw_array_begin(p->w);
    if (!list || list->n == 0) {
        put_resource(p, MST_STR("cpu"), 1);
        put_resource(p, MST_STR("memory"), 1);
    } else {
        MST_EACH_ELEMENT (e, list) {
            const struct mst_value *name = given(e, "name");
            const int64_t weight = int_of(e, "weight", 0);
            if (e->type == MST_OBJECT)
                put_resource(p, name ? mst_value_str(name) : MST_STR(""), weight ? weight : 1);
        }
    }
    mst_jw_array_end(p->w);
}

static void put_point(const struct printing *p, int64_t utilization, int64_t score)
{
    mst_jw_object_begin(p->w);
    put_int(p, "utilization", utilization);
    put_int(p, "score", score);
    mst_jw_object_end(p->w);
}

static void put_shape(const struct printing *p, const struct mst_value *list)
{
    mst_jw_key(p->w, "shape");
    mst_jw_array_begin(p->w);
    MST_EACH_ELEMENT (e, list)
        put_point(p, int_of(e, "utilization", 0), int_of(e, "score", 0));
    mst_jw_array_end(p->w);
}

static void put_preemption(const struct printing *p, const struct mst_value *args)
{
    static const char percentage[] = "minCandidateNodesPercentage";
    static const char absolute[] = "minCandidateNodesAbsolute";
    put_int(p, percentage, int_of(args, percentage, 10));
    put_int(p, absolute, int_of(args, absolute, 100));
    if (p->config->upstream)
        return;
    const struct mst_value *improve = given(args, "improve");
    const struct mst_value *policy = given(args, "victimPolicy");
    put_bool(p, "improve", !improve || improve->type == MST_TRUE);
    put_int(p, "searchBudget", int_of(args, "searchBudget", MST_SEARCH_STEPS));
    put_text(p, "victimPolicy", policy ? mst_value_str(policy) : MST_STR("Importance"));
    const struct mst_value *gang_first = given(args, "gangFirst");
    put_bool(p, "gangFirst", gang_first && gang_first->type == MST_TRUE);
}

/* The text was checked when it was read, so that here no error can come of it. */
static void put_timeout(const struct printing *p, const struct mst_value *args, const char *key,
                        int64_t otherwise_s)
{
    MST_AUTO(mst_diags) ignored = { 0 };
    const struct mst_reading rd = { .arena = p->arena, .diags = &ignored };
    int64_t ns = otherwise_s * 1000000000;
    if (args)
        (void)mst_cfg_duration(&rd, args, MST_STR_NONE, key, &ns);
    put_duration(p, key, ns);
}

static void put_dynamic_resources(const struct printing *p, const struct mst_value *args)
{
    put_timeout(p, args, "filterTimeout", 10);
    put_timeout(p, args, "bindingTimeout", 600);
}

static void put_pod_affinity(const struct printing *p, const struct mst_value *args)
{
    static const char weight[] = "hardPodAffinityWeight";
    static const char ignore[] = "ignorePreferredTermsOfExistingPods";
    const struct mst_value *flag = given(args, ignore);
    put_int(p, weight, int_of(args, weight, 1));
    put_bool(p, ignore, flag && flag->type == MST_TRUE);
}

static void put_node_affinity(const struct printing *p, const struct mst_value *args)
{
    const struct mst_value *added = given(args, "addedAffinity");
    if (!added)
        return;
    mst_jw_key(p->w, "addedAffinity");
    mst_jw_value(p->w, added);
}

static void put_fit(const struct printing *p, const struct mst_value *args)
{
    const struct mst_value *strategy = given(args, "scoringStrategy");
    const struct mst_value *ratio = given(strategy, "requestedToCapacityRatio");
    const struct mst_value *type = given(strategy, "type");
    put_list(p, args, "ignoredResources");
    put_list(p, args, "ignoredResourceGroups");
    mst_jw_key(p->w, "scoringStrategy");
    mst_jw_object_begin(p->w);
    put_text(p, "type", type ? mst_value_str(type) : MST_STR("LeastAllocated"));
    put_resources(p, strategy);
    if (ratio) {
        mst_jw_key(p->w, "requestedToCapacityRatio");
        mst_jw_object_begin(p->w);
        if (given(ratio, "shape"))
            put_shape(p, given(ratio, "shape"));
        mst_jw_object_end(p->w);
    }
    mst_jw_object_end(p->w);
}

static void put_spread(const struct printing *p, const struct mst_value *args)
{
    const struct mst_value *type = given(args, "defaultingType");
    put_list(p, args, "defaultConstraints");
    put_text(p, "defaultingType", type && type->n ? mst_value_str(type) : MST_STR("System"));
}

static void put_volume_binding(const struct printing *p, const struct mst_value *args)
{
    const struct mst_value *shape = given(args, "shape");
    put_int(p, "bindTimeoutSeconds", int_of(args, "bindTimeoutSeconds", 600));
    if (shape && shape->n) {
        put_shape(p, shape);
    } else if (p->config->gates.on[MST_GATE_StorageCapacityScoring]) {
        mst_jw_key(p->w, "shape");
        mst_jw_array_begin(p->w);
        put_point(p, 0, 10);
        put_point(p, 100, 0);
        mst_jw_array_end(p->w);
    }
}

/* In the order in which upstream adds defaults. The rows are those of plugin_args_check.c. */
static const struct {
    const char *name;
    args_writer *put;
} writers[] = {
    { "DefaultPreemption", put_preemption },
    { "DynamicResources", put_dynamic_resources },
    { "InterPodAffinity", put_pod_affinity },
    { "NodeAffinity", put_node_affinity },
    { "NodeResourcesBalancedAllocation", put_resources },
    { "NodeResourcesFit", put_fit },
    { "PodTopologySpread", put_spread },
    { "VolumeBinding", put_volume_binding },
};

static void put_args(const struct printing *p, struct mst_str name, args_writer *put,
                     const struct mst_value *args)
{
    mst_assert(mst_args_known(name));
    mst_jw_object_begin(p->w);
    put_text(p, "name", name);
    mst_jw_key(p->w, "args");
    mst_jw_object_begin(p->w);
    put_text(p, "apiVersion", MST_STR(VERSION));
    put_text(p, "kind", mst_arena_printf(p->arena, "%.*sArgs", MST_ARG(name)));
    put(p, args);
    mst_jw_object_end(p->w);
    mst_jw_object_end(p->w);
}

/* Args of plugins that no list enables have no effect and are not repeated. */
static void put_plugin_config(const struct printing *p, const struct mst_cfg_profile *profile)
{
    mst_jw_key(p->w, "pluginConfig");
    mst_jw_array_begin(p->w);
    for (size_t i = 0; i < MST_COUNT(writers); i++)
        for (uint32_t k = 0; k < profile->used.n; k++)
            if (mst_str_is(profile->used.v[k].name, writers[i].name))
                put_args(p, profile->used.v[k].name, writers[i].put, profile->used.v[k].args);
    /* A plugin of an embedder: only it knows its defaults. */
    for (uint32_t k = 0; k < profile->used.n; k++) {
        const struct mst_cfg_used *used = &profile->used.v[k];
        if (!used->args || mst_args_known(used->name) || !used->plugin || !used->plugin->init)
            continue;
        mst_jw_object_begin(p->w);
        put_text(p, "name", used->name);
        mst_jw_key(p->w, "args");
        mst_jw_value(p->w, used->args);
        mst_jw_object_end(p->w);
    }
    mst_jw_array_end(p->w);
}

/* ---- plugins ---- */

static bool runs_anywhere(const struct mst_cfg_profile *profile, struct mst_str name)
{
    for (uint32_t point = 0; point < MST_CFG_POINT_COUNT; point++)
        for (uint32_t i = 0; i < profile->named[point].n; i++)
            if (mst_str_eq(profile->named[point].v[i].name, name))
                return true;
    return false;
}

static void put_everything_disabled(const struct printing *p)
{
    mst_jw_key(p->w, "disabled");
    mst_jw_array_begin(p->w);
    mst_jw_object_begin(p->w);
    put_text(p, "name", MST_STR("*"));
    mst_jw_object_end(p->w);
    mst_jw_array_end(p->w);
}

/*
 * Nothing comes from the default set; what is built but runs nowhere (every point disables it) is
 * named there all the same. Returns whether there is such a plugin.
 */
static bool put_multi_point(const struct printing *p, const struct mst_cfg_profile *profile)
{
    bool idle = false;
    mst_jw_key(p->w, "multiPoint");
    mst_jw_object_begin(p->w);
    for (uint32_t i = 0; i < profile->used.n; i++) {
        if (runs_anywhere(profile, profile->used.v[i].name))
            continue;
        if (!idle) {
            mst_jw_key(p->w, "enabled");
            mst_jw_array_begin(p->w);
        }
        idle = true;
        mst_jw_object_begin(p->w);
        put_text(p, "name", profile->used.v[i].name);
        mst_jw_object_end(p->w);
    }
    if (idle)
        mst_jw_array_end(p->w);
    put_everything_disabled(p);
    mst_jw_object_end(p->w);
    return idle;
}

static void put_plugins(const struct printing *p, const struct mst_cfg_profile *profile)
{
    mst_jw_key(p->w, "plugins");
    mst_jw_object_begin(p->w);
    const bool idle = put_multi_point(p, profile);
    for (uint32_t point = 0; point < MST_CFG_POINT_COUNT; point++) {
        if (!idle && profile->named[point].n == 0)
            continue;
        mst_jw_key(p->w, mst_cfg_point_key((mst_cfg_point)point));
        mst_jw_object_begin(p->w);
        mst_jw_key(p->w, "enabled");
        mst_jw_array_begin(p->w);
        for (uint32_t i = 0; i < profile->named[point].n; i++) {
            mst_jw_object_begin(p->w);
            put_text(p, "name", profile->named[point].v[i].name);
            if (mst_cfg_point_scores((mst_cfg_point)point))
                put_int(p, "weight", profile->named[point].v[i].weight);
            mst_jw_object_end(p->w);
        }
        mst_jw_array_end(p->w);
        if (idle)
            put_everything_disabled(p);
        mst_jw_object_end(p->w);
    }
    mst_jw_object_end(p->w);
}

/* ---- the document ---- */

static void put_profiles(const struct printing *p)
{
    mst_jw_key(p->w, "profiles");
    mst_jw_array_begin(p->w);
    for (uint32_t i = 0; i < p->config->profiles.n; i++) {
        const struct mst_cfg_profile *profile = &p->config->profiles.v[i];
        mst_jw_object_begin(p->w);
        put_text(p, "schedulerName", profile->scheduler_name);
        if (profile->percentage_of_nodes.set)
            put_int(p, "percentageOfNodesToScore", profile->percentage_of_nodes.value);
        put_plugins(p, profile);
        put_plugin_config(p, profile);
        mst_jw_object_end(p->w);
    }
    mst_jw_array_end(p->w);
}

static void put_leader_election(const struct printing *p)
{
    const struct mst_cfg_leader_election *l = &p->config->leader;
    mst_jw_key(p->w, "leaderElection");
    mst_jw_object_begin(p->w);
    put_bool(p, "leaderElect", l->elect);
    put_duration(p, "leaseDuration", l->lease_ns);
    put_duration(p, "renewDeadline", l->renew_ns);
    put_duration(p, "retryPeriod", l->retry_ns);
    put_text(p, "resourceLock", l->lock);
    put_text(p, "resourceName", l->name);
    put_text(p, "resourceNamespace", l->ns);
    mst_jw_object_end(p->w);
}

static void put_client_connection(const struct printing *p)
{
    const struct mst_cfg_client_connection *c = &p->config->client;
    const struct mst_value qps = {
        .p = c->qps.p,
        .n = (uint32_t)c->qps.n,
        .span = 1,
        .type = MST_NUMBER,
    };
    mst_jw_key(p->w, "clientConnection");
    mst_jw_object_begin(p->w);
    put_text(p, "kubeconfig", c->kubeconfig);
    put_text(p, "acceptContentTypes", c->accept_content_types);
    put_text(p, "contentType", c->content_type);
    mst_jw_key(p->w, "qps");
    mst_jw_value(p->w, &qps);
    put_int(p, "burst", c->burst);
    mst_jw_object_end(p->w);
}

/* ---- extenders ---- */

static void put_optional(const struct printing *p, const char *key, struct mst_str text)
{
    if (text.n)
        put_text(p, key, text);
}

static void put_tls(const struct printing *p, const struct mst_cfg_tls *tls)
{
    mst_jw_key(p->w, "tlsConfig");
    mst_jw_object_begin(p->w);
    put_bool(p, "insecure", tls->insecure);
    put_optional(p, "serverName", tls->server_name);
    put_optional(p, "certFile", tls->cert_file);
    put_optional(p, "keyFile", tls->key_file);
    put_optional(p, "caFile", tls->ca_file);
    put_optional(p, "certData", tls->cert_data);
    put_optional(p, "keyData", tls->key_data);
    put_optional(p, "caData", tls->ca_data);
    mst_jw_object_end(p->w);
}

static void put_extender(const struct printing *p, const struct mst_cfg_extender *e)
{
    mst_jw_object_begin(p->w);
    put_text(p, "urlPrefix", e->url_prefix);
    for (int verb = 0; verb < MST_VERB_COUNT; verb++)
        put_optional(p, mst_cfg_verb_key((mst_extender_verb)verb), e->verbs[verb]);
    put_int(p, "weight", e->weight);
    put_bool(p, "enableHTTPS", e->https);
    if (e->tls.given)
        put_tls(p, &e->tls);
    put_duration(p, "httpTimeout", e->timeout_ns);
    put_bool(p, "nodeCacheCapable", e->node_cache);
    if (e->managed.n) {
        mst_jw_key(p->w, "managedResources");
        mst_jw_array_begin(p->w);
        for (uint32_t i = 0; i < e->managed.n; i++) {
            mst_jw_object_begin(p->w);
            put_text(p, "name", e->managed.v[i].name);
            put_bool(p, "ignoredByScheduler", e->managed.v[i].ignored);
            mst_jw_object_end(p->w);
        }
        mst_jw_array_end(p->w);
    }
    put_bool(p, "ignorable", e->ignorable);
    mst_jw_object_end(p->w);
}

static void put_extenders(const struct printing *p)
{
    if (!p->config->extenders.n)
        return;
    mst_jw_key(p->w, "extenders");
    mst_jw_array_begin(p->w);
    for (uint32_t i = 0; i < p->config->extenders.n; i++)
        put_extender(p, &p->config->extenders.v[i]);
    mst_jw_array_end(p->w);
}

/* ---- everything ---- */

void mst_config_write(const struct mst_config *config, struct mst_arena *arena,
                      struct mst_json_writer *w)
{
    const struct printing p = { config, arena, w };
    mst_jw_object_begin(w);
    put_text(&p, "apiVersion", MST_STR(VERSION));
    put_text(&p, "kind", MST_STR("KubeSchedulerConfiguration"));
    put_int(&p, "parallelism", config->parallelism);
    put_leader_election(&p);
    put_client_connection(&p);
    put_bool(&p, "enableProfiling", config->profiling);
    put_bool(&p, "enableContentionProfiling", config->contention_profiling);
    put_int(&p, "percentageOfNodesToScore",
            config->percentage_of_nodes.set ? config->percentage_of_nodes.value : 0);
    put_int(&p, "podInitialBackoffSeconds", config->initial_backoff_s);
    put_int(&p, "podMaxBackoffSeconds", config->max_backoff_s);
    put_bool(&p, "delayCacheUntilActive", config->delay_cache_until_active);
    put_profiles(&p);
    put_extenders(&p);
    mst_jw_object_end(w);
}

mst_rc mst_config_write_yaml(const struct mst_config *config, struct mst_buf *out,
                             struct mst_err *err)
{
    MST_AUTO(mst_buf) json = { 0 };
    struct mst_arena arena = { 0 };
    struct mst_json_writer w = { .out = &json };
    const struct mst_value *root;
    mst_config_write(config, &arena, &w);
    mst_rc rc = mst_json_parse(mst_buf_span(&json), NULL, &arena, NULL, &root, err);
    if (!rc)
        rc = mst_yaml_write(root, out, err);
    mst_arena_done(&arena);
    return rc;
}
