/* KubeSchedulerConfiguration: documents, merge and expansion, args, and every refusal's words. */
#include "framework/config.h"
#include "tap.h"

/* ---- the names and points of the plugins; nothing of them is ever called here ---- */

static mst_rc any_init(const struct mst_view *view, const struct mst_value *args,
                       void **ret_instance, struct mst_err *err)
{
    (void)view, (void)args, (void)ret_instance;
    return mst_fail(err, MST_EINVAL, "not to be called");
}
static void any_pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                            struct mst_arena *arena, struct mst_status *out)
{
    (void)view, (void)instance, (void)pod, (void)arena, (void)out;
}
static void any_pre_filter(const struct mst_view *view, const void *instance,
                           const struct mst_class *klass, struct mst_arena *arena,
                           struct mst_pre_filter *out)
{
    (void)view, (void)instance, (void)klass, (void)arena, (void)out;
}
static void any_filter(const struct mst_view *view, const void *instance, void *state, uint32_t row,
                       uint32_t row_end, mst_verdict reject, mst_verdict *verdict)
{
    (void)view, (void)instance, (void)state, (void)row, (void)row_end, (void)reject, (void)verdict;
}
static void any_pre_score(const struct mst_view *view, const void *instance,
                          const struct mst_class *klass, struct mst_arena *arena,
                          struct mst_pre_score *out)
{
    (void)view, (void)instance, (void)klass, (void)arena, (void)out;
}
static void any_score(const struct mst_view *view, const void *instance, void *state, uint32_t row,
                      uint32_t row_end, int64_t *raw)
{
    (void)view, (void)instance, (void)state, (void)row, (void)row_end, (void)raw;
}

#define FILTERS .pre_filter = any_pre_filter, .filter = any_filter
#define SCORES .pre_score = any_pre_score, .score = any_score

static const struct mst_plugin fakes[] = {
    { .name = "SchedulingGates", .pre_enqueue = any_pre_enqueue },
    { .name = "PrioritySort", .points = MST_POINT_QUEUE_SORT },
    { .name = "NodeName", FILTERS },
    { .name = "NodeUnschedulable", FILTERS },
    { .name = "TaintToleration", FILTERS, SCORES },
    { .name = "NodeAffinity", .init = any_init, FILTERS, SCORES },
    { .name = "NodePorts", FILTERS },
    { .name = "NodeResourcesFit",
      .init = any_init,
      FILTERS,
      SCORES,
      .points = MST_POINT_PLACEMENT_SCORE },
    { .name = "NodeResourcesBalancedAllocation", .init = any_init, SCORES },
    { .name = "ImageLocality", SCORES },
    { .name = "DefaultBinder", .points = MST_POINT_BIND },
    { .name = "GangScheduling", .points = MST_POINT_PERMIT, .pre_enqueue = any_pre_enqueue },
    /* not upstream's: an embedder's own */
    { .name = "OwnRule",
      FILTERS,
      .score = any_score,
      .default_weight = 4,
      .gate = "GenericWorkload",
      .points = MST_POINT_RESERVE },
};
/* Without and with OwnRule. */
enum { FAKE_COUNT = MST_COUNT(fakes) - 1, FAKE_COUNT_OWN };
static const struct mst_plugin *const fake_list[] = {
    &fakes[0], &fakes[1], &fakes[2], &fakes[3],  &fakes[4],  &fakes[5],  &fakes[6],
    &fakes[7], &fakes[8], &fakes[9], &fakes[10], &fakes[11], &fakes[12],
};

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

struct read {
    struct mst_config config;
    struct mst_diags diags;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_buf text; /* of the diagnostics, or of a list of names */
    bool ok;
};

static void begin(struct read *r, bool upstream)
{
    *r = (struct read){ .syms = mst_syms_new(), .registry = { fake_list, FAKE_COUNT } };
    r->config.upstream = upstream;
    mst_gates_default(&r->config.gates, upstream);
}

static void end(struct read *r)
{
    mst_config_done(&r->config);
    mst_diags_done(&r->diags);
    mst_buf_done(&r->text);
    mst_syms_free(r->syms);
}

static void parse(struct read *r, const char *yaml)
{
    begin(r, false);
    r->ok = mst_config_read(&r->config, &r->registry, r->syms, mst_str_of(yaml), &r->diags);
}

/* The texts of all diagnostics, one per line, warnings marked. */
static struct mst_str said(struct read *r)
{
    r->text.n = 0;
    for (uint32_t i = 0; i < r->diags.list.n; i++) {
        const struct mst_diag *d = &r->diags.list.v[i];
        mst_buf_printf(&r->text, "%s%.*s\n", d->level == MST_DIAG_WARNING ? "warning: " : "",
                       MST_ARG(d->text));
    }
    return mst_buf_span(&r->text);
}

/* "A=3 B" : what runs at a point, weights of score points. */
static struct mst_str runs(struct read *r, uint32_t profile, mst_cfg_point point)
{
    const bool weighed = point == MST_CFG_SCORE || point == MST_CFG_PLACEMENT_SCORE;
    const struct mst_cfg_profile *p = &r->config.profiles.v[profile];
    r->text.n = 0;
    for (uint32_t i = 0; i < p->points[point].n; i++) {
        mst_buf_printf(&r->text, "%s%s", i ? " " : "", p->points[point].v[i].plugin->name);
        if (weighed)
            mst_buf_printf(&r->text, "=%lld", (long long)p->points[point].v[i].weight);
    }
    return mst_buf_span(&r->text);
}

/* ---- the default ---- */

static void test_config_default_profile(struct mst_test *t)
{
    struct read r;
    begin(&r, false);
    mst_config_default(&r.config, &r.registry);
    t_int(t, r.config.profiles.n, 1);
    const struct mst_cfg_profile *p = &r.config.profiles.v[0];
    t_str(t, p->scheduler_name, "default-scheduler");
    t_int(t, p->percentage_of_nodes.set, 0);
    t_int(t, p->plugin_count, 12);
    t_int(t, r.config.initial_backoff_s, 1);
    t_int(t, r.config.max_backoff_s, 10);
    t_int(t, r.config.unschedulable_timeout_s, 300);
    t_str(t, runs(&r, 0, MST_CFG_PRE_ENQUEUE), "SchedulingGates GangScheduling");
    t_str(t, runs(&r, 0, MST_CFG_QUEUE_SORT), "PrioritySort");
    t_str(t, runs(&r, 0, MST_CFG_FILTER),
          "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit");
    t_str(t, runs(&r, 0, MST_CFG_PRE_FILTER),
          "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit");
    t_str(t, runs(&r, 0, MST_CFG_SCORE),
          "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 "
          "NodeResourcesBalancedAllocation=1 ImageLocality=1");
    t_str(t, runs(&r, 0, MST_CFG_PERMIT), "GangScheduling");
    t_str(t, runs(&r, 0, MST_CFG_BIND), "DefaultBinder");
    t_str(t, runs(&r, 0, MST_CFG_PLACEMENT_SCORE), "NodeResourcesFit=1");
    t_int(t, p->missing,
          MST_NEEDS_POD_AFFINITY | MST_NEEDS_SPREAD | MST_NEEDS_VOLUMES | MST_NEEDS_CLAIMS |
              MST_NEEDS_FEATURES | MST_NEEDS_TOPOLOGY);
    end(&r);
}

static void test_config_default_set_follows_gates(struct mst_test *t)
{
    struct read r;
    begin(&r, true); /* GenericWorkload is off */
    mst_config_default(&r.config, &r.registry);
    t_str(t, runs(&r, 0, MST_CFG_PRE_ENQUEUE), "SchedulingGates");
    t_str(t, runs(&r, 0, MST_CFG_PERMIT), "");
    t_int(t, r.config.profiles.v[0].plugin_count, 11);
    end(&r);
}

/* ---- documents ---- */

static void test_config_empty_document_is_the_default(struct mst_test *t)
{
    struct read r;
    parse(&r, HEAD);
    t_bool(t, r.ok, true);
    t_str(t, said(&r), "");
    t_str(t, r.config.profiles.v[0].scheduler_name, "default-scheduler");
    t_int(t, r.config.profiles.v[0].plugin_count, 12);
    end(&r);
}

static void test_config_top_level_values(struct mst_test *t)
{
    struct read r;
    parse(&r, "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\","
              "\"kind\":\"KubeSchedulerConfiguration\",\"podInitialBackoffSeconds\":2,"
              "\"podMaxBackoffSeconds\":20,\"percentageOfNodesToScore\":50,\"parallelism\":3,"
              "\"enableProfiling\":false,\"leaderElection\":{\"leaderElect\":false,"
              "\"leaseDuration\":\"1m30.5s\"},\"clientConnection\":{\"qps\":1.5,\"burst\":0},"
              "\"profiles\":[{\"schedulerName\":\"a\",\"percentageOfNodesToScore\":0}]}");
    t_str(t, said(&r), "");
    t_bool(t, r.ok, true);
    t_int(t, r.config.initial_backoff_s, 2);
    t_int(t, r.config.max_backoff_s, 20);
    t_int(t, r.config.percentage_of_nodes.value, 50);
    t_bool(t, r.config.profiles.v[0].percentage_of_nodes.set, true);
    t_int(t, r.config.profiles.v[0].percentage_of_nodes.value, 0);
    t_str(t, r.config.profiles.v[0].scheduler_name, "a");
    end(&r);
}

static void test_config_only_node_local_plugins(struct mst_test *t)
{
    struct read r;
    parse(&r,
          HEAD "profiles:\n- schedulerName: default-scheduler\n  plugins:\n    multiPoint:\n"
               "      disabled: [{name: '*'}]\n"
               "      enabled: [{name: SchedulingGates}, {name: PrioritySort}, {name: NodeName},"
               " {name: NodeUnschedulable}, {name: TaintToleration, weight: 3},"
               " {name: NodeAffinity, weight: 2}, {name: NodePorts},"
               " {name: NodeResourcesFit, weight: 1},"
               " {name: NodeResourcesBalancedAllocation, weight: 1},"
               " {name: ImageLocality, weight: 1}, {name: GangScheduling},"
               " {name: DefaultBinder}]\n");
    t_str(t, said(&r), "");
    t_bool(t, r.ok, true);
    t_int(t, r.config.profiles.v[0].missing, 0);
    t_int(t, r.config.profiles.v[0].plugin_count, 12);
    t_str(t, runs(&r, 0, MST_CFG_SCORE),
          "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 "
          "NodeResourcesBalancedAllocation=1 ImageLocality=1");
    end(&r);
}

/* ---- merge and expansion ---- */

#define PROFILE HEAD "profiles:\n- plugins:\n"

static const struct {
    const char *name, *yaml;
    mst_cfg_point point;
    const char *runs;
} expansions[] = {
    { "a re-enabled plugin keeps its place, without weight it has 1",
      PROFILE "    multiPoint: {enabled: [{name: TaintToleration}]}\n", MST_CFG_SCORE,
      "TaintToleration=1 NodeAffinity=2 NodeResourcesFit=1 NodeResourcesBalancedAllocation=1 "
      "ImageLocality=1" },
    { "disabled and enabled: at the end",
      PROFILE "    multiPoint: {disabled: [{name: TaintToleration}], enabled: [{name: "
              "TaintToleration, weight: 7}]}\n",
      MST_CFG_SCORE,
      "NodeAffinity=2 NodeResourcesFit=1 NodeResourcesBalancedAllocation=1 ImageLocality=1 "
      "TaintToleration=7" },
    { "an override at the point comes first",
      PROFILE "    score: {enabled: [{name: ImageLocality, weight: 9}]}\n", MST_CFG_SCORE,
      "ImageLocality=9 TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 "
      "NodeResourcesBalancedAllocation=1" },
    { "left out at one point", PROFILE "    score: {disabled: [{name: NodeAffinity}]}\n",
      MST_CFG_SCORE,
      "TaintToleration=3 NodeResourcesFit=1 NodeResourcesBalancedAllocation=1 ImageLocality=1" },
    { "and still there at another", PROFILE "    score: {disabled: [{name: NodeAffinity}]}\n",
      MST_CFG_FILTER,
      "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit" },
    { "* at a point: only its own list",
      PROFILE
      "    score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 5}]}\n",
      MST_CFG_SCORE, "NodeResourcesFit=5" },
    { "disabled at the point and enabled there: an own entry",
      PROFILE "    score: {disabled: [{name: TaintToleration}], enabled: [{name: TaintToleration, "
              "weight: 4}]}\n",
      MST_CFG_SCORE,
      "NodeAffinity=2 NodeResourcesFit=1 NodeResourcesBalancedAllocation=1 ImageLocality=1 "
      "TaintToleration=4" },
    { "overrides in the point's own order",
      PROFILE "    score: {enabled: [{name: ImageLocality}, {name: TaintToleration}]}\n",
      MST_CFG_SCORE,
      "ImageLocality=1 TaintToleration=1 NodeAffinity=2 NodeResourcesFit=1 "
      "NodeResourcesBalancedAllocation=1" },
    { "own entries that multiPoint lacks come last",
      PROFILE "    multiPoint: {disabled: [{name: NodePorts}]}\n"
              "    filter: {enabled: [{name: NodePorts}]}\n",
      MST_CFG_FILTER,
      "NodeName NodeUnschedulable TaintToleration NodeAffinity NodeResourcesFit NodePorts" },
    { "whose first step goes with the second",
      PROFILE "    multiPoint: {disabled: [{name: NodePorts}]}\n"
              "    filter: {enabled: [{name: NodePorts}]}\n",
      MST_CFG_PRE_FILTER,
      "NodeName NodeUnschedulable TaintToleration NodeAffinity NodeResourcesFit NodePorts" },
};

static void test_config_expansion(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(expansions); i++) {
        struct read r;
        t_case(t, expansions[i].name);
        parse(&r, expansions[i].yaml);
        t_str(t, said(&r), "");
        if (r.ok)
            t_str(t, runs(&r, 0, expansions[i].point), expansions[i].runs);
        end(&r);
    }
}

static void test_config_missing_plugins(struct mst_test *t)
{
    static const struct {
        const char *name, *yaml;
        uint32_t missing;
    } cases[] = {
        { "two left out",
          PROFILE
          "    multiPoint: {disabled: [{name: InterPodAffinity}, {name: PodTopologySpread}]}\n",
          MST_NEEDS_VOLUMES | MST_NEEDS_CLAIMS | MST_NEEDS_FEATURES | MST_NEEDS_TOPOLOGY },
        { "scoring alone judges nothing",
          PROFILE "    multiPoint: {disabled: [{name: InterPodAffinity}]}\n"
                  "    score: {enabled: [{name: InterPodAffinity}]}\n"
                  "    preScore: {enabled: [{name: InterPodAffinity}]}\n",
          MST_NEEDS_SPREAD | MST_NEEDS_VOLUMES | MST_NEEDS_CLAIMS | MST_NEEDS_FEATURES |
              MST_NEEDS_TOPOLOGY },
        { "one volume plugin is enough",
          PROFILE
          "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
          "DefaultBinder}, {name: VolumeZone}]}\n",
          MST_NEEDS_VOLUMES },
        { "names without a bit",
          PROFILE
          "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
          "DefaultBinder}, {name: DefaultPreemption}, {name: "
          "PodGroupPodsCount}, {name: DeferredPodScheduling}]}\n",
          0 },
        { "placements, by either name",
          PROFILE
          "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
          "DefaultBinder}, {name: TopologyPlacement}]}\n",
          MST_NEEDS_TOPOLOGY },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct read r;
        t_case(t, cases[i].name);
        parse(&r, cases[i].yaml);
        t_str(t, said(&r), "");
        if (r.ok)
            t_int(t, r.config.profiles.v[0].missing, cases[i].missing);
        end(&r);
    }
}

static void test_config_args_reach_the_profile(struct mst_test *t)
{
    struct read r;
    parse(&r, HEAD "profiles:\n- pluginConfig:\n"
                   "  - name: NodeResourcesFit\n"
                   "    args: {scoringStrategy: {type: MostAllocated}}\n"
                   "  - name: NodeName\n    args: {x: 1}\n"
                   "  - name: Elsewhere\n    args: {y: 1}\n");
    t_bool(t, r.ok, true);
    t_str(
        t, said(&r),
        "warning: profiles[0].pluginConfig[1]: plugin NodeName takes no args, they have no effect\n"
        "warning: profiles[0].pluginConfig[2]: no plugin \"Elsewhere\" exists, its args have no "
        "effect\n");
    bool seen = false;
    for (uint32_t i = 0; r.ok && i < r.config.profiles.v[0].plugin_count; i++) {
        const struct mst_value *args = r.config.profiles.v[0].plugins[i].args;
        const bool fit =
            strcmp(r.config.profiles.v[0].plugins[i].plugin->name, "NodeResourcesFit") == 0;
        t_bool(t, args != NULL, fit);
        if (fit && args)
            seen = mst_value_get(args, "scoringStrategy") != NULL;
    }
    t_bool(t, seen, true);
    end(&r);
}

/* ---- errors ---- */

#define MAKING "creating profile for scheduler name default-scheduler: "

static const struct {
    const char *name, *yaml, *errors;
} refused[] = {
    { "nothing at all", "", "Object 'Kind' is missing\n" },
    { "no kind", "apiVersion: kubescheduler.config.k8s.io/v1\n", "Object 'Kind' is missing\n" },
    { "no version", "kind: KubeSchedulerConfiguration\n", "Object 'apiVersion' is missing\n" },
    { "old version",
      "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3\n",
      "no kind \"KubeSchedulerConfiguration\" is registered for version "
      "\"kubescheduler.config.k8s.io/v1beta3\"\n" },
    { "another kind of the group",
      "kind: NodeAffinityArgs\napiVersion: kubescheduler.config.k8s.io/v1\n",
      "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, "
      "Kind=NodeAffinityArgs: \n" },
    { "no object", "[1]\n", "expected object, got array\n" },
    { "unknown fields", HEAD "foo: 1\nprofiles: [{bar: 1, plugins: {filter: {baz: 1}}}]\n",
      "strict decoding error: unknown field \"foo\"\n"
      "strict decoding error: unknown field \"profiles[0].bar\"\n"
      "strict decoding error: unknown field \"profiles[0].plugins.filter.baz\"\n" },
    { "no point of that name", HEAD "profiles: [{plugins: {placementFeasible: {}}}]\n",
      "strict decoding error: unknown field \"profiles[0].plugins.placementFeasible\"\n" },
    { "wrong types", HEAD "parallelism: many\nprofiles: 3\nenableProfiling: 1\n",
      "parallelism: expected integer, got string\n"
      "enableProfiling: expected boolean, got number\n"
      "profiles: expected array, got number\n" },
    { "no int32", HEAD "parallelism: 3000000000\n",
      "parallelism: number 3000000000 is no int32\n" },
    { "numbers out of range",
      HEAD "parallelism: 0\npercentageOfNodesToScore: 101\npodInitialBackoffSeconds: 0\n"
           "podMaxBackoffSeconds: -1\nclientConnection: {burst: -1}\n"
           "profiles: [{percentageOfNodesToScore: -1}]\n",
      "clientConnection.burst: Invalid value: -1: must be non-negative\n"
      "parallelism: Invalid value: 0: should be an integer value greater than zero\n"
      "profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]\n"
      "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]\n"
      "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0\n"
      "podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to "
      "PodInitialBackoffSeconds\n" },
    { "leader election",
      HEAD "leaderElection: {leaseDuration: 5s, renewDeadline: 1h0m10s, retryPeriod: -1ms, "
           "resourceLock: endpoints}\n",
      "leaderElection.retryPeriod: Invalid value: \"-1ms\": must be greater than zero\n"
      "leaderElection.leaseDuration: Invalid value: \"1h0m10s\": must be greater than "
      "`RenewDeadline`\n"
      "leaderElection.resourceLock: Invalid value: \"endpoints\": resourceLock value must be "
      "\"leases\"\n" },
    { "no leader, no rules but syntax",
      HEAD "leaderElection: {leaderElect: false, leaseDuration: 5x}\n",
      "leaderElection.leaseDuration: time: invalid duration \"5x\"\n" },
    { "names of profiles", HEAD "profiles: [{}, {schedulerName: b}, {schedulerName: b}]\n",
      "profiles[0].schedulerName: Required value\n"
      "profiles[2].schedulerName: Duplicate value: \"profiles[1].schedulerName\"\n" },
    { "an empty name", HEAD "profiles: [{schedulerName: ''}]\n",
      "profiles[0].schedulerName: Required value\n" },
    { "unknown plugins",
      PROFILE "    filter: {enabled: [{name: Nope}]}\n    multiPoint: {enabled: [{name: Nada}]}\n",
      MAKING "FilterPlugin \"Nope\" does not exist\n" MAKING
             "PreFilterPlugin \"Nada\" does not exist\n" },
    { "unknown in disabled is fine but for syntax", PROFILE "    filter: {disabled: [{nome: x}]}\n",
      "strict decoding error: unknown field \"profiles[0].plugins.filter.disabled[0].nome\"\n" },
    { "wrong point", PROFILE "    preScore: {enabled: [{name: ImageLocality}]}\n",
      MAKING "plugin \"ImageLocality\" does not extend PreScorePlugin plugin\n" },
    { "twice at a point", PROFILE "    filter: {enabled: [{name: NodeName}, {name: NodeName}]}\n",
      MAKING "plugin \"NodeName\" already registered as \"FilterPlugin\"\n" },
    { "twice in multiPoint",
      PROFILE "    multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}\n",
      MAKING "plugin \"NodeName\" already registered as \"PreFilterPlugin\"\n" },
    { "nothing left", PROFILE "    multiPoint: {disabled: [{name: '*'}]}\n",
      MAKING "only one queue sort plugin required for profile with scheduler name "
             "\"default-scheduler\", but got 0\n" MAKING
             "at least one bind plugin is needed for profile with scheduler name "
             "\"default-scheduler\"\n" },
    { "removed plugins",
      PROFILE "    filter: {enabled: [{name: EBSLimits}]}\n    multiPoint: {enabled: [{name: "
              "CinderLimits}]}\n  pluginConfig: [{name: AzureDiskLimits}]\n",
      "profiles[0].plugins.filter.enabled[0]: Invalid value: \"EBSLimits\": was invalid in version "
      "\"kubescheduler.config.k8s.io/v1\" (KubeSchedulerConfiguration is version "
      "\"kubescheduler.config.k8s.io/v1\")\n"
      "profiles[0].pluginConfig[0]: Invalid value: \"AzureDiskLimits\": was invalid in version "
      "\"kubescheduler.config.k8s.io/v1\" (KubeSchedulerConfiguration is version "
      "\"kubescheduler.config.k8s.io/v1\")\n" MAKING
      "PreFilterPlugin \"CinderLimits\" does not exist\n" },
    { "weights below zero", PROFILE "    score: {enabled: [{name: ImageLocality, weight: -1}]}\n",
      "profiles[0].plugins.score.enabled[0].weight: Invalid value: -1: must be greater than or "
      "equal "
      "to 0\n" },
    { "queue sort differs",
      HEAD "profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {queueSort: {enabled: "
           "[{name: PrioritySort}]}}\n",
      "profiles[1].plugins.queueSort: Invalid value: {\"Enabled\":[{\"Name\":\"PrioritySort\","
      "\"Weight\":0}],\"Disabled\":null}: must be the same for all profiles\n" },
    { "two configs of one plugin",
      HEAD "profiles: [{pluginConfig: [{name: NodeAffinity}, {name: NodeAffinity}]}]\n",
      "profiles[0].pluginConfig[1]: Duplicate value: \"NodeAffinity\"\n" },
    { "extenders",
      HEAD
      "extenders:\n- {urlPrefix: 'http://x', prioritizeVerb: p, bindVerb: b, managedResources: "
      "[{name: cpu}, {name: a.b/c}]}\n- {bindVerb: b, weight: 1, managedResources: [{name: "
      "a.b/c}, {name: '-'}], tlsConfig: {insecure: 1}}\n",
      "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it\n"
      "extenders[0].managedResources[0].name: Invalid value: \"cpu\": is an invalid extended "
      "resource name\n"
      "extenders[1].tlsConfig.insecure: expected boolean, got number\n"
      "extenders[1].managedResources[0].name: Invalid value: \"a.b/c\": duplicate extender managed "
      "resource name\n"
      "extenders[1].managedResources[1].name: Invalid value: \"-\": name part must consist of "
      "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"
      "extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender can "
      "implement bind\n" },
    { "two documents", HEAD "---\n" HEAD, "a configuration is one document, here are more\n" },
};

static void test_config_refusals(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(refused); i++) {
        struct read r;
        t_case(t, refused[i].name);
        parse(&r, refused[i].yaml);
        t_bool(t, r.ok, false);
        t_str(t, said(&r), refused[i].errors);
        end(&r);
    }
}

static void test_config_duplicate_fields_are_errors(struct mst_test *t)
{
    struct read r;
    parse(&r, HEAD "parallelism: 1\nparallelism: 2\n");
    t_bool(t, r.ok, false);
    t_int(t, r.diags.error_count, 1);
    t_ok(t, r.diags.list.n == 1 &&
                mst_str_has_prefix(r.diags.list.v[0].text, "strict decoding error: "));
    t_int(t, r.diags.list.v[0].line, 4);
    end(&r);
}

static void test_config_errors_have_places(struct mst_test *t)
{
    struct read r;
    parse(&r, HEAD "profiles:\n- plugins:\n    filter:\n      enabled:\n      - name: Nope\n");
    t_bool(t, r.ok, false);
    t_int(t, r.diags.list.n, 1);
    t_int(t, r.diags.list.v[0].line, 7);
    t_int(t, r.diags.list.v[0].col, 9);
    end(&r);
}

static void test_config_plugin_of_an_embedder(struct mst_test *t)
{
    struct read r;
    begin(&r, false);
    r.registry.n = FAKE_COUNT_OWN;
    mst_config_default(&r.config, &r.registry);
    t_str(t, runs(&r, 0, MST_CFG_SCORE),
          "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 "
          "NodeResourcesBalancedAllocation=1 ImageLocality=1 OwnRule=4");
    t_str(t, runs(&r, 0, MST_CFG_RESERVE), "OwnRule");
    end(&r);
    begin(&r, true); /* its gate is off */
    r.registry.n = FAKE_COUNT_OWN;
    mst_config_default(&r.config, &r.registry);
    t_str(t, runs(&r, 0, MST_CFG_RESERVE), "");
    end(&r);
}

static void test_config_alias_is_ours_alone(struct mst_test *t)
{
    const char *yaml = PROFILE "    placementGenerate: {enabled: [{name: TopologyPlacement}]}\n";
    struct read r;
    begin(&r, true);
    r.ok = mst_config_read(&r.config, &r.registry, r.syms, mst_str_of(yaml), &r.diags);
    t_bool(t, r.ok, false);
    t_str(t, said(&r), MAKING "PlacementGeneratePlugin \"TopologyPlacement\" does not exist\n");
    end(&r);
    parse(&r, yaml);
    t_bool(t, r.ok, true);
    end(&r);
}

MST_TEST_MAIN(T(test_config_default_profile), T(test_config_default_set_follows_gates),
              T(test_config_empty_document_is_the_default), T(test_config_top_level_values),
              T(test_config_only_node_local_plugins), T(test_config_expansion),
              T(test_config_missing_plugins), T(test_config_args_reach_the_profile),
              T(test_config_refusals), T(test_config_duplicate_fields_are_errors),
              T(test_config_errors_have_places), T(test_config_plugin_of_an_embedder),
              T(test_config_alias_is_ours_alone))
