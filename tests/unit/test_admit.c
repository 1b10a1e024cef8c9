/* test_admit.c - what admission fills in, drops and refuses. */
#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

struct setup {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_api api;
    struct mst_object *object;
    bool ok;
};

static bool keep(void *ctx, struct mst_object *object)
{
    ((struct setup *)ctx)->object = object;
    return true;
}

/* Two classes, and "dear" is the global default when the name says so. */
static bool lookup(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    struct setup *s = ctx;
    bool never = mst_str_is(name, "never");
    if (!never && !mst_str_is(name, "dear") && !(name.n == 0 && s->api.claims))
        return false;
    out->value = never ? -5 : 100;
    out->name = never ? MST_STR("never") : MST_STR("dear");
    out->preemption_policy = mst_sym_of_text(s->api.syms, never ? "Never" : "PreemptLowerPriority");
    return true;
}

static void admit(struct mst_test *t, struct setup *s, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    s->api.syms = mst_syms_new();
    s->api.arena = &s->arena;
    s->api.diags = &s->diags;
    mst_yaml_init(&reader, mst_str_of(yaml));
    if (mst_yaml_next(&reader, &s->arena, &s->diags, &doc) == MST_OK)
        mst_api_decode(&s->api, doc, keep, s);
    t_int(t, s->diags.list.n, 0);
    if (!s->object)
        return;
    mst_api_default(&s->api, s->object);
    s->ok = mst_api_admit(&s->api, s->object, lookup, s);
    t_bool(t, s->ok, s->diags.error_count == 0);
}

static void done(struct setup *s)
{
    mst_syms_free(s->api.syms);
    mst_diags_done(&s->diags);
    mst_arena_done(&s->arena);
}

#define POD(spec) "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " spec "}"
#define GROUP(spec)                                                                                \
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: " spec "}"
#define COMPOSITE(spec)                                                                            \
    "{apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, metadata: {name: c}, "      \
    "spec: " spec "}"

static void test_admit_priority(struct mst_test *t)
{
    static const struct {
        const char *yaml;
        bool default_class, gate, upstream;
        int64_t priority;
        const char *error, *policy; /* policy "" is none */
    } cases[] = {
        { POD("{}"), false, false, false, 0, NULL, "PreemptLowerPriority" },
        { POD("{}"), true, false, false, 100, NULL, "PreemptLowerPriority" },
        { POD("{priorityClassName: never}"), true, false, false, -5, NULL, "Never" },
        { POD("{priorityClassName: system-node-critical}"), false, false, false, 2000001000, NULL,
          "PreemptLowerPriority" },
        { POD("{priorityClassName: gone}"), false, false, false, 0,
          "no PriorityClass with name gone was found", NULL },
        { POD("{priority: 0}"), false, false, false, 0, NULL, "PreemptLowerPriority" },
        { POD("{priority: 7}"), false, false, false, 0,
          "the integer value of priority (7) must not be provided in pod spec; priority admission "
          "controller computed 0 from the given PriorityClass name",
          NULL },
        { POD("{priorityClassName: never, preemptionPolicy: PreemptLowerPriority}"), false, false,
          false, 0,
          "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod "
          "spec; "
          "priority admission controller computed Never from the given PriorityClass name",
          NULL },
        { GROUP("{priority: 7}"), false, true, false, 0,
          "priority set in the pod group (7) must match the priority computed (0) based on the "
          "priority "
          "class set in the spec",
          NULL },
        { COMPOSITE("{priority: 7}"), false, true, false, 0,
          "priority set in the composite pod group (7) must match the priority computed (0) based "
          "on the "
          "priority class set in the spec",
          NULL },
        { GROUP("{priorityClassName: never}"), false, true, false, -5, NULL, "Never" },
        /* the trap of 1.37: the decode default is there before the class is looked at */
        { GROUP("{priorityClassName: never}"), false, true, true, 0,
          "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod "
          "group "
          "spec; priority admission controller computed Never from the given PriorityClass name",
          NULL },
        { GROUP("{priorityClassName: never}"), false, false, false, -5, NULL, "" },
        { GROUP("{}"), false, true, false, 0, NULL, "PreemptLowerPriority" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s = { .api = { .claims = cases[i].default_class,
                                    .upstream = cases[i].upstream,
                                    .preemption_policy = cases[i].gate } };
        t_case(t, cases[i].yaml);
        admit(t, &s, cases[i].yaml);
        t_bool(t, s.ok, cases[i].error == NULL);
        bool pod = s.object->kind == MST_KIND_POD;
        struct mst_opt_int priority =
            pod ? s.object->u.pod.spec.priority : s.object->u.group.spec.priority;
        mst_sym policy =
            pod ? s.object->u.pod.spec.preemption_policy : s.object->u.group.spec.preemption_policy;
        if (cases[i].error) {
            t_str(t, s.diags.list.n ? s.diags.list.v[0].text : MST_STR("?"), cases[i].error);
        } else {
            t_ok(t, priority.set);
            t_int(t, priority.value, cases[i].priority);
            struct mst_str text = mst_sym_str(s.api.syms, policy);
            t_str(t, text.p ? text : MST_STR(""), cases[i].policy);
        }
        done(&s);
    }
}

static void test_admit_pod(struct mst_test *t)
{
    struct setup s = { 0 };
    admit(t, &s,
          "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: x}}, spec: "
          "{schedulingGates: "
          "[{name: a}], topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [none, "
          "app]}, "
          "{matchLabelKeys: [app]}], affinity: {podAntiAffinity: {"
          "requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {q: r}}, "
          "mismatchLabelKeys: [app]}]}}}}");
    const struct mst_pod *pod = &s.object->u.pod;
    t_str(t, mst_sym_str(s.api.syms, pod->meta.namespace_), "default");
    t_int(t, pod->meta.generation, 1);
    t_str(t, mst_sym_str(s.api.syms, pod->status.phase), "Pending");
    t_int(t, pod->status.conditions.n, 1);
    t_str(t, pod->status.conditions.v[0].reason, "SchedulingGated");
    const mst_requirements *spread = &pod->spec.spread.v[0].label_selector.match_expressions;
    t_int(t, spread->n, 1);
    t_int(t, spread->v[0].op, MST_OP_IN);
    t_str(t, mst_sym_str(s.api.syms, spread->v[0].values.v[0]), "x");
    t_int(t, pod->spec.spread.v[1].label_selector.match_expressions.n, 0);
    const mst_requirements *anti =
        &pod->spec.pod_anti_affinity.required.v[0].label_selector.match_expressions;
    t_int(t, anti->n, 1);
    t_int(t, anti->v[0].op, MST_OP_NOT_IN);
    done(&s);
}

static void test_admit_keeps_status(struct mst_test *t)
{
    struct setup s = { 0 };
    admit(t, &s,
          "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, generation: 4}, spec: "
          "{schedulingGates: [{name: a}]}, status: {phase: Running, conditions: [{type: "
          "PodScheduled, status: 'True'}]}}");
    const struct mst_pod *pod = &s.object->u.pod;
    t_str(t, mst_sym_str(s.api.syms, pod->meta.namespace_), "ns");
    t_int(t, pod->meta.generation, 4);
    t_str(t, mst_sym_str(s.api.syms, pod->status.phase), "Running");
    t_int(t, pod->status.conditions.n, 1);
    t_str(t, pod->status.conditions.v[0].status, "True");
    done(&s);
}

static void test_admit_drops_what_is_gated(struct mst_test *t)
{
    static const char group[] =
        GROUP("{parentCompositePodGroupName: up, schedulingConstraints: {topology: [{key: zone}]}, "
              "resourceClaims: [{name: c}], preemptionPolicy: PreemptLowerPriority}");
    for (int on = 0; on < 2; on++) {
        struct setup s = {
            .api = { .composite = on, .topology = on, .claims = on, .preemption_policy = on }
        };
        t_case(t, on ? "gates on" : "gates off");
        admit(t, &s, group);
        const struct mst_group_spec *spec = &s.object->u.group.spec;
        t_bool(t, spec->parent.p != NULL, on);
        t_bool(t, spec->constraints_set, on);
        t_int(t, spec->topology_keys.n, on);
        t_int(t, spec->claims.n, on);
        t_bool(t, spec->preemption_policy != MST_SYM_NONE, on);
        t_int(t, s.object->u.meta.finalizers.n, 1);
        t_str(t, s.object->u.meta.finalizers.v[0], "scheduling.k8s.io/podgroup-protection");
        done(&s);
    }
}

static void test_admit_composite(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct setup s = { .api = { .composite = true, .upstream = upstream } };
        admit(t, &s, COMPOSITE("{schedulingConstraints: {topology: [{key: zone}]}}"));
        t_int(t, s.object->u.meta.finalizers.n, !upstream);
        t_bool(t, s.object->u.group.spec.constraints_set, true);
        done(&s);
    }
}

static void test_admit_workload_without_composites(struct mst_test *t)
{
    struct setup s = { 0 };
    admit(t, &s,
          "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, spec: {podGroupTemplates: "
          "[{name: a}, {name: b}], compositePodGroupTemplates: [{name: c, podGroupTemplates: "
          "[{name: d}]}]}}");
    t_int(t, s.object->u.workload.templates.n, 2);
    done(&s);
}

static void test_admit_small_kinds(struct mst_test *t)
{
    struct setup ns = { 0 };
    admit(t, &ns, "{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {a: b}}}");
    t_int(t, ns.object->u.meta.labels.n, 2);
    t_str(t, mst_sym_str(ns.api.syms, ns.object->u.meta.labels.v[1].value), "team");
    t_int(t, ns.object->u.meta.namespace_, MST_SYM_NONE);
    done(&ns);
    struct setup second = { .api = { .claims = true } };
    admit(t, &second,
          "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: b}, "
          "value: 1, globalDefault: true}");
    t_bool(t, second.ok, false);
    t_str(t, second.diags.list.v[0].text,
          "PriorityClass dear is already marked as default. Only one default can exist");
    t_str(t, second.diags.list.v[0].object, "PriorityClass b");
    done(&second);
}

MST_TEST_MAIN(T(test_admit_priority), T(test_admit_pod), T(test_admit_keeps_status),
              T(test_admit_drops_what_is_gated), T(test_admit_composite),
              T(test_admit_workload_without_composites), T(test_admit_small_kinds))
