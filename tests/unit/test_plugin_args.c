/* pluginConfig's args: values and defaults of the plugins that are here, refusals of all. */
#include "codec/yaml.h"
#include "framework/plugin_args.h"
#include "tap.h"

struct fixture {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_gates gates;
    struct mst_args_reader reader;
    struct mst_buf text;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){ .syms = mst_syms_new() };
    mst_gates_default(&f->gates, false);
    f->reader = (struct mst_args_reader){ .syms = f->syms,
                                          .arena = &f->arena,
                                          .diags = &f->diags,
                                          .gates = &f->gates,
                                          .path = MST_STR("args") };
}

static void end(struct fixture *f)
{
    mst_arena_done(&f->arena);
    mst_diags_done(&f->diags);
    mst_buf_done(&f->text);
    mst_syms_free(f->syms);
}

static const struct mst_value *value_of(struct fixture *f, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *v = NULL;
    mst_yaml_init(&reader, mst_str_of(yaml));
    mst_assert(mst_yaml_next(&reader, &f->arena, &f->diags, &v) == MST_OK);
    return v;
}

static struct mst_str said(struct fixture *f)
{
    f->text.n = 0;
    for (uint32_t i = 0; i < f->diags.list.n; i++)
        mst_buf_printf(&f->text, "%.*s\n", MST_ARG(f->diags.list.v[i].text));
    return mst_buf_span(&f->text);
}

static void test_args_fit_defaults(struct mst_test *t)
{
    static const char *const texts[] = {
        NULL, "{}", "{scoringStrategy: null}",
        "{scoringStrategy: {type: LeastAllocated, resources: []}}"
    };
    for (size_t i = 0; i < MST_COUNT(texts); i++) {
        struct fixture f;
        struct mst_fit_args args;
        begin(&f);
        mst_args_fit(&f.reader, texts[i] ? value_of(&f, texts[i]) : NULL, &args);
        t_str(t, said(&f), "");
        t_int(t, args.strategy, MST_LEAST_ALLOCATED);
        t_int(t, args.resources.n, 2);
        t_str(t, mst_sym_str(f.syms, args.resources.v[0].name), "cpu");
        t_str(t, mst_sym_str(f.syms, args.resources.v[1].name), "memory");
        t_int(t, args.resources.v[1].weight, 1);
        t_int(t, args.ignored_resources.n + args.ignored_groups.n, 0);
        end(&f);
    }
}

static void test_args_fit_values(struct mst_test *t)
{
    struct fixture f;
    struct mst_fit_args args;
    begin(&f);
    mst_args_fit(&f.reader,
                 value_of(&f,
                          "{ignoredResources: [a.b/c], ignoredResourceGroups: [x.y], "
                          "scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: "
                          "cpu, weight: 7}, {name: a.b/c}], requestedToCapacityRatio: {shape: "
                          "[{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}}"),
                 &args);
    t_str(t, said(&f), "");
    t_int(t, args.strategy, MST_REQUESTED_TO_CAPACITY_RATIO);
    t_int(t, args.resources.v[0].weight, 7);
    t_int(t, args.resources.v[1].weight, 1);
    t_int(t, args.shape.n, 2);
    t_int(t, args.shape.v[1].score, 10);
    t_str(t, mst_sym_str(f.syms, args.ignored_resources.v[0]), "a.b/c");
    t_str(t, mst_sym_str(f.syms, args.ignored_groups.v[0]), "x.y");
    end(&f);
}

#define FIT "NodeResourcesFit"
#define SPREAD "PodTopologySpread"
static const struct {
    const char *plugin, *args, *errors;
} checks[] = {
    { FIT, "{kind: NodeResourcesFitArgs, apiVersion: kubescheduler.config.k8s.io/v1}", "" },
    { FIT, "{kind: NodeAffinityArgs}",
      "args for plugin NodeResourcesFit were not of type "
      "NodeResourcesFitArgs.kubescheduler.config.k8s.io, got "
      "NodeAffinityArgs.kubescheduler.config.k8s.io\n" },
    { FIT, "{apiVersion: kubescheduler.config.k8s.io/v1beta3}",
      "no kind \"NodeResourcesFitArgs\" is registered for version "
      "\"kubescheduler.config.k8s.io/v1beta3\"\n" },
    { FIT, "[]", "args: expected object, got array\n" },
    { FIT, "{more: 1, scoringStrategy: {type: MostAllocated, less: 1}}",
      "strict decoding error: unknown field \"args.more\"\n"
      "strict decoding error: unknown field \"args.scoringStrategy.less\"\n" },
    { FIT, "{scoringStrategy: {}}",
      "args.scoringStrategy.type: Unsupported value: \"\": supported values: \"LeastAllocated\", "
      "\"MostAllocated\", \"RequestedToCapacityRatio\"\n" },
    { FIT,
      "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 101}, {name: m, "
      "weight: -1}, {name: ok, weight: 100}]}}",
      "args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in "
      "valid range (0, 100]\n"
      "args.scoringStrategy.resources[1].weight: Invalid value: -1: resource weight of m not in "
      "valid "
      "range (0, 100]\n" },
    { FIT, "{scoringStrategy: {type: RequestedToCapacityRatio}}",
      "args.scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type "
      "is "
      "RequestedToCapacityRatio\n" },
    { FIT, "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {}}}",
      "args.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point "
      "must be "
      "specified\n" },
    { FIT, "{scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {shape: []}}}",
      "args.scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
      "RequestedToCapacityRatio\n" },
    { FIT,
      "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: "
      "[{utilization: -1, score: 11}, {utilization: 101, score: -1}, {utilization: 101}]}}}",
      "args.scoringStrategy.requestedToCapacityRatio.shape[2].utilization: Invalid value: 101: "
      "values "
      "must be sorted in increasing order\n"
      "args.scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: -1: not "
      "in "
      "valid range [0, 100]\n"
      "args.scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in "
      "valid "
      "range [0, 10]\n"
      "args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 101: not "
      "in "
      "valid range [0, 100]\n"
      "args.scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: -1: not in "
      "valid "
      "range [0, 10]\n"
      "args.scoringStrategy.requestedToCapacityRatio.shape[2].utilization: Invalid value: 101: not "
      "in "
      "valid range [0, 100]\n" },
    { FIT, "{ignoredResourceGroups: [a/b]}",
      "args.ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain "
      "'/'\n" },
    { FIT, "{ignoredResources: [1]}", "args.ignoredResources: expected string, got number\n" },
    { "NodeResourcesBalancedAllocation", "{resources: [{name: cpu}, {name: cpu, weight: 2}]}",
      "args.resources[1].name: Duplicate value: \"cpu\"\n"
      "args.resources[1].weight: Invalid value: 2: must be 1\n" },
    { "NodeAffinity",
      "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
      "preference: {matchFields: [{key: metadata.name, operator: Exists}]}}]}}",
      "args.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0]."
      "operator: "
      "Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\"\n" },
    { "NodeAffinity",
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Near, values: [b], "
      "other: 1}]}]}}}",
      "strict decoding error: unknown field \"args.addedAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
      "other\"\n"
      "args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
      "matchExpressions[0].operator: Unsupported value: \"Near\": supported values: "
      "\"DoesNotExist\", "
      "\"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"\n" },
    { "DefaultPreemption", "{minCandidateNodesPercentage: 5, minCandidateNodesAbsolute: 0}", "" },
    { "DefaultPreemption", "{minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}",
      "args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]\n"
      "args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)\n" },
    { "DefaultPreemption", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
      "args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
      "minCandidateNodesAbsolute\n"
      "args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as "
      "minCandidateNodesPercentage\n" },
    { "InterPodAffinity", "{hardPodAffinityWeight: 100, ignorePreferredTermsOfExistingPods: true}",
      "" },
    { "InterPodAffinity", "{hardPodAffinityWeight: 101, ignorePreferredTermsOfExistingPods: 3}",
      "args.ignorePreferredTermsOfExistingPods: expected boolean, got number\n"
      "args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]\n" },
    { SPREAD, "{defaultingType: List}", "" },
    { SPREAD, "{defaultingType: Other}",
      "args.defaultingType: Unsupported value: \"Other\": supported values: \"System\", "
      "\"List\"\n" },
    { SPREAD,
      "{defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
      "args.defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty\n" },
    { SPREAD,
      "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, "
      "whenUnsatisfiable: ScheduleAnyway}, {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: "
      "ScheduleAnyway, labelSelector: {}}, {maxSkew: 1}, {maxSkew: 1, topologyKey: z, "
      "whenUnsatisfiable: Perhaps}]}",
      "args.defaultConstraints[1].maxSkew: Invalid value: 0: not in valid range (0, inf)\n"
      "args.defaultConstraints[1].labelSelector: Forbidden: constraint must not define a selector, "
      "as "
      "they deduced for each pod\n"
      "args.defaultConstraints[1]: Duplicate value: \"{zone, ScheduleAnyway}\"\n"
      "args.defaultConstraints[2].topologyKey: Required value: can not be empty\n"
      "args.defaultConstraints[2].whenUnsatisfiable: Required value: can not be empty\n"
      "args.defaultConstraints[3].whenUnsatisfiable: Unsupported value: \"Perhaps\": supported "
      "values: "
      "\"DoNotSchedule\", \"ScheduleAnyway\"\n" },
    { "VolumeBinding", "{bindTimeoutSeconds: 0, shape: [{utilization: 0, score: 10}]}", "" },
    { "VolumeBinding", "{bindTimeoutSeconds: -1, shape: [{utilization: 1}, {utilization: 1}]}",
      "args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a "
      "negative "
      "value\n"
      "args.shape[1].utilization: Invalid value: 1: values must be sorted in increasing order\n" },
    { "DynamicResources", "{filterTimeout: 0s, bindingTimeout: 1s}", "" },
    { "DynamicResources", "{filterTimeout: -1.5s, bindingTimeout: 999ms}",
      "args.filterTimeout: Invalid value: \"-1.5s\": must be zero or positive\n"
      "args.bindingTimeout: Invalid value: \"999ms\": must be at least 1 second\n" },
};

static void test_args_checks(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(checks); i++) {
        struct fixture f;
        begin(&f);
        t_case(t, checks[i].args);
        t_bool(t, mst_args_known(mst_str_of(checks[i].plugin)), true);
        mst_args_check(&f.reader, mst_str_of(checks[i].plugin), value_of(&f, checks[i].args));
        t_str(t, said(&f), checks[i].errors);
        end(&f);
    }
}

static void test_args_shape_needs_its_gate(struct mst_test *t)
{
    struct fixture f;
    begin(&f);
    f.gates.on[MST_GATE_StorageCapacityScoring] = false;
    mst_args_check(&f.reader, MST_STR("VolumeBinding"),
                   value_of(&f, "{shape: [{utilization: 0, score: 10}]}"));
    t_str(
        t, said(&f),
        "args.shape: Invalid value: [{\"utilization\":0,\"score\":10}]: unexpected field `shape`, "
        "remove it or turn on the feature gate StorageCapacityScoring\n");
    end(&f);
}

static void test_args_only_of_plugins_that_have_some(struct mst_test *t)
{
    t_bool(t, mst_args_known(MST_STR("NodeName")), false);
    t_bool(t, mst_args_known(MST_STR("GangScheduling")), false);
    t_bool(t, mst_args_known(MST_STR("NodeResourcesFitArgs")), false);
}

MST_TEST_MAIN(T(test_args_fit_defaults), T(test_args_fit_values), T(test_args_checks),
              T(test_args_shape_needs_its_gate), T(test_args_only_of_plugins_that_have_some))
