/* A configuration written in full: it reads back as itself, and every default is in it. */
#include "codec/json.h"
#include "framework/config.h"
#include "framework/plugin_args.h"
#include "tap.h"

static mst_rc any_init(const struct mst_view *view, const struct mst_value *args,
                       void **ret_instance, struct mst_err *err)
{
    (void)view, (void)args, (void)ret_instance;
    return mst_fail(err, MST_EINVAL, "not to be called");
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

/* Two of the default set; every other plugin is known and lacking. */
static const struct mst_plugin fakes[] = {
    { .name = "PrioritySort", .points = MST_POINT_QUEUE_SORT },
    { .name = "NodeName", .filter = any_filter, .pre_filter = any_pre_filter },
    { .name = "OwnRule", .init = any_init, .filter = any_filter },
};
static const struct mst_plugin *const fake_list[] = { &fakes[0], &fakes[1], &fakes[2] };

struct written {
    struct mst_config config;
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_buf text;
};

/* Reads (NULL: the default) and writes. */
static void go(struct mst_test *t, struct written *x, const char *source, bool upstream,
               const char *gates)
{
    MST_AUTO(mst_diags) diags = { 0 };
    MST_AUTO(mst_buf) ignored = { 0 };
    const struct mst_registry registry = { fake_list, MST_COUNT(fake_list) };
    *x = (struct written){ .syms = mst_syms_new(), .config.upstream = upstream };
    mst_gates_default(&x->config.gates, upstream);
    t_ok(t, mst_gates_set(&x->config.gates, mst_str_of(gates), upstream, &ignored, &ignored));
    if (source)
        t_ok(t, mst_config_read(&x->config, &registry, x->syms, mst_str_of(source), &diags));
    else
        mst_config_default(&x->config, &registry);
    for (uint32_t i = 0; i < diags.list.n; i++)
        if (diags.list.v[i].level == MST_DIAG_ERROR)
            t_fail(t, "%.*s", MST_ARG(diags.list.v[i].text));
    struct mst_json_writer w = { .out = &x->text };
    mst_config_write(&x->config, &x->arena, &w);
    mst_buf_char(&x->text, 0);
}

static void done(struct written *x)
{
    mst_buf_done(&x->text);
    mst_arena_done(&x->arena);
    mst_config_done(&x->config);
    mst_syms_free(x->syms);
}

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define ARGS(name, args) HEAD "profiles:\n- pluginConfig:\n  - name: " name "\n    args: " args "\n"
#define PLUGINS(plugins) HEAD "profiles:\n- plugins: " plugins "\n"

/* ---- what is in it ---- */

static const struct {
    const char *name, *source;
    bool upstream;
    const char *gates;
    const char *want; /* in the text */
} cases[] = {
    { "an empty document", HEAD, true, "",
      "\"parallelism\":16,\"leaderElection\":{\"leaderElect\""
      ":true,\"leaseDuration\":\"15s\",\"renewDeadline\":\"10s\",\"retryPeriod\":\"2s\","
      "\"resourceLock\":\"leases\",\"resourceName\":\"kube-scheduler\",\"resourceNamespace\":"
      "\"kube-system\"},\"clientConnection\":{\"kubeconfig\":\"\",\"acceptContentTypes\":\"\","
      "\"contentType\":\"application/vnd.kubernetes.protobuf\",\"qps\":50,\"burst\":100},"
      "\"enableProfiling\":true,\"enableContentionProfiling\":true,"
      "\"percentageOfNodesToScore\":0,\"podInitialBackoffSeconds\":1,"
      "\"podMaxBackoffSeconds\":10,\"delayCacheUntilActive\":false,\"profiles\":"
      "[{\"schedulerName\":\"default-scheduler\",\"plugins\":{\"multiPoint\":{\"disabled\":"
      "[{\"name\":\"*\"}]},\"preEnqueue\":{\"enabled\":[{\"name\":\"SchedulingGates\"}" },
    { "extenders in the order of calls",
      HEAD "extenders:\n- {urlPrefix: a, ignorable: true, httpTimeout: 1500ms, tlsConfig: "
           "{serverName: s, keyData: Zg==}}\n- {urlPrefix: b, filterVerb: f, weight: 2, "
           "managedResources: [{name: a.b/c, ignoredByScheduler: false}]}\n",
      false, "",
      "\"extenders\":[{\"urlPrefix\":\"b\",\"filterVerb\":\"f\",\"weight\":2,\"enableHTTPS\":false,"
      "\"httpTimeout\":\"5s\",\"nodeCacheCapable\":false,\"managedResources\":[{\"name\":\"a.b/c\","
      "\"ignoredByScheduler\":false}],\"ignorable\":false},{\"urlPrefix\":\"a\",\"weight\":0,"
      "\"enableHTTPS\":false,\"tlsConfig\":{\"insecure\":false,\"serverName\":\"s\",\"keyData\":"
      "\"Zg==\"},\"httpTimeout\":\"1.5s\",\"nodeCacheCapable\":false,\"ignorable\":true}]" },
    { "no document", NULL, true, "",
      "\"preEnqueue\":{\"enabled\":[{\"name\":\"SchedulingGates\"}," },
    { "leader election",
      HEAD "leaderElection: {leaderElect: false, leaseDuration: 90s, renewDeadline"
           ": 0s, retryPeriod: 1500ms, resourceName: x, resourceNamespace: z}\n",
      false, "",
      "{\"leaderElect\":false,\"leaseDuration\":\"1m30s\",\"renewDeadline\":\"10s\","
      "\"retryPeriod\":\"1.5s\",\"resourceLock\":\"leases\",\"resourceName\":\"x\","
      "\"resourceNamespace\":\"z\"}" },
    { "client connection",
      HEAD "clientConnection: {kubeconfig: /k, acceptContentTypes: a, contentType"
           ": b, qps: 1.5, burst: 3}\n",
      false, "",
      "{\"kubeconfig\":\"/k\",\"acceptContentTypes\":\"a\",\"contentType\":\"b\",\"qps\":1.5,"
      "\"burst\":3}" },
    { "zeros mean the defaults", HEAD "clientConnection: {qps: 0.0, burst: 0}\n", false, "",
      "\"qps\":50,\"burst\":100" },
    { "no profiling, so none of contention", HEAD "enableProfiling: false\n", false, "",
      "\"enableProfiling\":false,\"enableContentionProfiling\":false" },
    { "contention alone", HEAD "enableProfiling: false\nenableContentionProfiling: true\n", false,
      "", "\"enableProfiling\":false,\"enableContentionProfiling\":true" },
    { "top-level numbers",
      HEAD "parallelism: 3\npercentageOfNodesToScore: 40\n"
           "podInitialBackoffSeconds: 2\npodMaxBackoffSeconds: 20\ndelayCacheUntilActive: true\n",
      false, "",
      "\"percentageOfNodesToScore\":40,\"podInitialBackoffSeconds\":2,"
      "\"podMaxBackoffSeconds\":20,\"delayCacheUntilActive\":true" },
    { "a profile's percentage, even 0", HEAD "profiles: [{percentageOfNodesToScore: 0}]\n", false,
      "", "\"schedulerName\":\"default-scheduler\",\"percentageOfNodesToScore\":0,\"plugins\"" },
    { "a weight of one's own", PLUGINS("{score: {enabled: [{name: ImageLocality, weight: 7}]}}"),
      false, "", "\"score\":{\"enabled\":[{\"name\":\"ImageLocality\",\"weight\":7}," },
    { "without a weight it is 1", PLUGINS("{multiPoint: {enabled: [{name: TaintToleration}]}}"),
      false, "", "\"score\":{\"enabled\":[{\"name\":\"TaintToleration\",\"weight\":1}," },
    { "a step that only muster needs is left out",
      PLUGINS("{preFilter: {disabled: [{name: NodeName}]}}"), true, "",
      "\"preFilter\":{\"enabled\":[{\"name\":\"NodeUnschedulable\"}," },
    { "a plugin that runs nowhere",
      PLUGINS("{preFilter: {disabled: [{name: '*'}]}, filter: {disabled: [{name: '*'}]}}"), true,
      "",
      "\"multiPoint\":{\"enabled\":[{\"name\":\"NodeName\"},{\"name\":\"NodeUnschedulable\"},"
      "{\"name\":\"NodePorts\"},{\"name\":\"VolumeRestrictions\"},{\"name\":\"NodeVolumeLimits\"},"
      "{\"name\":\"VolumeZone\"},{\"name\":\"NodeDeclaredFeatures\"},{\"name\":\"OwnRule\"}],"
      "\"disabled\":[{\"name\":\"*\"}]}" },
    { "preemption, profile upstream", ARGS("DefaultPreemption", "{minCandidateNodesAbsolute: 5}"),
      true, "", "\"minCandidateNodesPercentage\":10,\"minCandidateNodesAbsolute\":5}" },
    { "preemption, profile muster",
      ARGS("DefaultPreemption", "{minCandidateNodesAbsolute: 5, victimPolicy: Smallest}"), false,
      "",
      "\"minCandidateNodesAbsolute\":5,\"improve\":true,\"searchBudget\":20000,"
      "\"victimPolicy\":\"Smallest\",\"gangFirst\":false}" },
    { "preemption, one gang first", ARGS("DefaultPreemption", "{gangFirst: true}"), false, "",
      "\"victimPolicy\":\"Importance\",\"gangFirst\":true}" },
    { "durations", ARGS("DynamicResources", "{bindingTimeout: 90s, filterTimeout: 0s}"), false, "",
      "\"filterTimeout\":\"0s\",\"bindingTimeout\":\"1m30s\"}" },
    { "pod affinity",
      ARGS("InterPodAffinity",
           "{hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}"),
      false, "", "\"hardPodAffinityWeight\":0,\"ignorePreferredTermsOfExistingPods\":true}" },
    { "added affinity",
      ARGS("NodeAffinity", "{addedAffinity: {requiredDuringSchedulingIgnored"
                           "DuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, "
                           "operator: Exists}]}]}}}"),
      false, "",
      "\"addedAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
      "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}]}"
      "}" },
    { "resources without weight",
      ARGS("NodeResourcesBalancedAllocation", "{resources: [{name: cpu}, {name: x/y, weight: 0}]}"),
      false, "",
      "\"resources\":[{\"name\":\"cpu\",\"weight\":1},{\"name\":\"x/y\",\"weight\":1}]" },
    { "a ratio",
      ARGS("NodeResourcesFit",
           "{ignoredResources: [a/b], ignoredResourceGroups: [],"
           " scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: ["
           "{utilization: 0}, {utilization: 100, score: 10}]}}}"),
      false, "",
      "\"kind\":\"NodeResourcesFitArgs\",\"ignoredResources\":[\"a/b\"],\"scoringStrategy\":"
      "{\"type\":\"RequestedToCapacityRatio\",\"resources\":[{\"name\":\"cpu\",\"weight\":1},"
      "{\"name\":\"memory\",\"weight\":1}],\"requestedToCapacityRatio\":{\"shape\":["
      "{\"utilization\":0,\"score\":0},{\"utilization\":100,\"score\":10}]}}" },
    { "spread",
      ARGS("PodTopologySpread", "{defaultingType: List, defaultConstraints: [{maxSkew: 1,"
                                " topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]}"),
      false, "",
      "\"defaultConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\",\"whenUnsatisfiable\":"
      "\"ScheduleAnyway\"}],\"defaultingType\":\"List\"" },
    { "an empty type", ARGS("PodTopologySpread", "{defaultingType: ''}"), false, "",
      "\"kind\":\"PodTopologySpreadArgs\",\"defaultingType\":\"System\"}" },
    { "a volume's shape",
      ARGS("VolumeBinding", "{bindTimeoutSeconds: 0, shape: [{utilization: 9,"
                            " score: 1}]}"),
      false, "", "\"bindTimeoutSeconds\":0,\"shape\":[{\"utilization\":9,\"score\":1}]}" },
    { "no shape without its gate", HEAD, false, "StorageCapacityScoring=false",
      "\"kind\":\"VolumeBindingArgs\",\"bindTimeoutSeconds\":600}" },
    { "an embedder's args", ARGS("OwnRule", "{free: [1, two]}"), false, "",
      "{\"name\":\"OwnRule\",\"args\":{\"free\":[1,\"two\"]}}" },
    { "two profiles", HEAD "profiles: [{schedulerName: a}, {schedulerName: \"b\\\"\"}]\n", false,
      "", "{\"schedulerName\":\"b\\\"\",\"plugins\"" },
};

static void test_everything_is_written(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct written x;
        t_case(t, cases[i].name);
        go(t, &x, cases[i].source, cases[i].upstream, cases[i].gates);
        if (!strstr(x.text.p, cases[i].want))
            t_fail(t, "no %s in %s", cases[i].want, x.text.p);
        done(&x);
    }
}

/* ---- it reads back ---- */

static void same_profile(struct mst_test *t, const struct mst_cfg_profile *a,
                         const struct mst_cfg_profile *b)
{
    t_ok(t, mst_str_eq(a->scheduler_name, b->scheduler_name));
    t_int(t, a->missing, b->missing);
    t_int(t, a->percentage_of_nodes.set, b->percentage_of_nodes.set);
    t_int(t, a->plugin_count, b->plugin_count);
    for (uint32_t i = 0; i < a->plugin_count && i < b->plugin_count; i++)
        t_ok(t, a->plugins[i].plugin == b->plugins[i].plugin);
    t_int(t, a->used.n, b->used.n);
    for (uint32_t p = 0; p < MST_CFG_POINT_COUNT; p++) {
        t_case(t, mst_cfg_point_key((mst_cfg_point)p));
        t_int(t, a->points[p].n, b->points[p].n);
        for (uint32_t i = 0; i < a->points[p].n && i < b->points[p].n; i++) {
            t_ok(t, a->points[p].v[i].plugin == b->points[p].v[i].plugin);
            if (mst_cfg_point_scores((mst_cfg_point)p))
                t_int(t, a->points[p].v[i].weight, b->points[p].v[i].weight);
        }
        t_int(t, a->named[p].n, b->named[p].n);
    }
}

static void test_it_reads_back(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct written a, b;
        go(t, &a, cases[i].source, cases[i].upstream, cases[i].gates);
        t_case(t, cases[i].name);
        go(t, &b, a.text.p, cases[i].upstream, cases[i].gates);
        t_text(t, b.text.p, a.text.p);
        t_int(t, a.config.profiles.n, b.config.profiles.n);
        t_int(t, a.config.initial_backoff_s, b.config.initial_backoff_s);
        t_int(t, a.config.max_backoff_s, b.config.max_backoff_s);
        for (uint32_t p = 0; p < a.config.profiles.n && p < b.config.profiles.n; p++)
            same_profile(t, &a.config.profiles.v[p], &b.config.profiles.v[p]);
        done(&b);
        done(&a);
    }
}

/* ---- what a diagnostic is about ---- */

static void test_diag_path(struct mst_test *t)
{
    static const struct {
        const char *text, *want;
    } paths[] = {
        { "parallelism: Invalid value: 0: should be more", "parallelism" },
        { "profiles[1].schedulerName: Required value", "profiles[1].schedulerName" },
        { "strict decoding error: unknown field \"profiles[0].x\"", "profiles[0].x" },
        { "strict decoding error: unknown field \"", NULL },
        { "strict decoding error: key \"a\" already set in map", NULL },
        { "creating profile for scheduler name x: FilterPlugin", NULL },
        { "profilesx: no", NULL },
        { "profiles", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < MST_COUNT(paths); i++) {
        const struct mst_diag diag = { .text = mst_str_of(paths[i].text) };
        const struct mst_str path = mst_config_diag_path(&diag);
        t_case(t, paths[i].text);
        t_bool(t, path.n != 0, paths[i].want != NULL);
        if (paths[i].want)
            t_str(t, path, paths[i].want);
    }
}

MST_TEST_MAIN(T(test_everything_is_written), T(test_it_reads_back), T(test_diag_path))
