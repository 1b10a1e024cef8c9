/* test_decode.c - documents to objects: fields, paths of errors, versions, lists. */
#include "api/api_internal.h"
#include "codec/yaml.h"
#include "tap.h"

struct decoded {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_syms *syms;
    struct mst_object *objects[8];
    uint32_t count, stop_after;
};

static bool keep(void *ctx, struct mst_object *object)
{
    struct decoded *d = ctx;
    mst_assert(d->count < MST_COUNT(d->objects));
    d->objects[d->count++] = object;
    return d->stop_after == 0 || d->count < d->stop_after;
}

static void decode(struct mst_test *t, struct decoded *d, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    d->syms = mst_syms_new();
    struct mst_api api = { .syms = d->syms, .arena = &d->arena, .diags = &d->diags };
    mst_yaml_init(&reader, mst_str_of(yaml));
    while (mst_yaml_next(&reader, &d->arena, &d->diags, &doc) == MST_OK) {
        uint32_t before = d->count;
        uint32_t n = mst_api_decode(&api, doc, keep, d);
        t_int(t, n, d->count - before);
    }
}

static void done(struct decoded *d)
{
    mst_diags_done(&d->diags);
    mst_arena_done(&d->arena);
    mst_syms_free(d->syms);
}

#define POD(spec) "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " spec "}"
#define GROUP(spec)                                                                                \
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: " spec "}"

static const struct {
    const char *yaml, *text; /* NULL: nothing to say */
    mst_diag_level level;
    uint32_t count; /* of objects */
} reports[] = {
    { POD("{priority: x}"), "spec.priority: expected integer, got string \"x\"", MST_DIAG_ERROR,
      0 },
    { POD("{priority: '1'}"), "spec.priority: expected integer, got string \"1\"", MST_DIAG_ERROR,
      0 },
    { POD("{priority: 1.5}"), "spec.priority: expected integer, got number 1.5", MST_DIAG_ERROR,
      0 },
    { POD("{priority: 3000000000}"),
      "spec.priority: expected 32-bit integer, got number 3000000000", MST_DIAG_ERROR, 0 },
    { POD("{priority: -2147483648}"), NULL, MST_DIAG_ERROR, 1 },
    { POD("{priority: null}"), NULL, MST_DIAG_ERROR, 1 },
    { POD("{hostNetwork: 'true'}"), "spec.hostNetwork: expected boolean, got string \"true\"",
      MST_DIAG_ERROR, 0 },
    { POD("{containers: {}}"), "spec.containers: expected array, got object", MST_DIAG_ERROR, 0 },
    { POD("{containers: [x]}"), "spec.containers[0]: expected object, got string \"x\"",
      MST_DIAG_ERROR, 0 },
    { POD("{containers: [{ports: [{}, {hostPort: a}]}]}"),
      "spec.containers[0].ports[1].hostPort: expected integer, got string \"a\"", MST_DIAG_ERROR,
      0 },
    { POD("{nodeSelector: {a: 5}}"), "spec.nodeSelector[a]: expected string, got number 5",
      MST_DIAG_ERROR, 0 },
    { POD("{containers: [{resources: {requests: {cpu: 2x}}}]}"),
      "spec.containers[0].resources.requests[cpu]: expected quantity, got string \"2x\": "
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      MST_DIAG_ERROR, 0 },
    { POD("{containers: [{resources: {requests: {cpu: true}}}]}"),
      "spec.containers[0].resources.requests[cpu]: expected quantity, got boolean true",
      MST_DIAG_ERROR, 0 },
    { POD("{containers: [{resources: {requests: {cpu: 2.5, memory: ' 1Gi '}}}]}"), NULL,
      MST_DIAG_ERROR, 1 },
    { POD("{shedulingGroup: {podGroupName: g}}"),
      "unknown field \"spec.shedulingGroup\"; did you mean \"schedulingGroup\"?", MST_DIAG_WARNING,
      1 },
    { POD("{containers: [{resources: {request: {}}}]}"),
      "unknown field \"spec.containers[0].resources.request\"; did you mean \"requests\"?",
      MST_DIAG_WARNING, 1 },
    { POD("{flavour: sweet}"), "unknown field \"spec.flavour\"", MST_DIAG_WARNING, 1 },
    { POD("{dnsPolicy: Default, securityContext: {anything: 1}}"), NULL, MST_DIAG_ERROR, 1 },
    { GROUP("{disruptionMode: all}"), "spec.disruptionMode: expected object, got string \"all\"",
      MST_DIAG_ERROR, 0 },
    { GROUP("{schedulingPolicy: {gang: {mincount: 3}}}"),
      "unknown field \"spec.schedulingPolicy.gang.mincount\"; did you mean \"minCount\"?",
      MST_DIAG_WARNING, 1 },
    { "{apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: yesterday}}",
      "metadata.creationTimestamp: expected RFC 3339 time, got string \"yesterday\"",
      MST_DIAG_ERROR, 0 },
    { "{apiVersion: v1}", "\"kind\" is not set", MST_DIAG_ERROR, 0 },
    { "{kind: Pod}", "\"apiVersion\" is not set", MST_DIAG_ERROR, 0 },
    { "[1]", "expected object, got array", MST_DIAG_ERROR, 0 },
    { "{apiVersion: v2, kind: Pod}", "apiVersion \"v2\" is not known for kind Pod, expected \"v1\"",
      MST_DIAG_ERROR, 0 },
    { "{apiVersion: scheduling.k8s.io/v1beta1, kind: CompositePodGroup}",
      "CompositePodGroup exists only in \"scheduling.k8s.io/v1alpha3\", not in "
      "\"scheduling.k8s.io/v1beta1\"",
      MST_DIAG_ERROR, 0 },
    { "{apiVersion: v1, kind: ConfigMap}", "kind ConfigMap (v1) is ignored", MST_DIAG_WARNING, 0 },
    { "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup}",
      "kind PodGroup (scheduling.volcano.sh/v1beta1) is ignored", MST_DIAG_WARNING, 0 },
    { "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup}",
      "kind PodGroup (scheduling.x-k8s.io/v1alpha1) is ignored", MST_DIAG_WARNING, 0 },
    { "{apiVersion: v1, kind: Nodes}",
      "kind \"Nodes\" is not known and ignored; did you mean \"Node\"?", MST_DIAG_WARNING, 0 },
};

static void test_decode_reports(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(reports); i++) {
        struct decoded d = { 0 };
        t_case(t, reports[i].yaml);
        decode(t, &d, reports[i].yaml);
        t_int(t, d.count, reports[i].count);
        t_int(t, d.diags.list.n, reports[i].text ? 1 : 0);
        if (d.diags.list.n && reports[i].text) {
            t_str(t, d.diags.list.v[0].text, reports[i].text);
            t_int(t, d.diags.list.v[0].level, reports[i].level);
        }
        done(&d);
    }
}

static void test_decode_early_versions_get_advice(struct mst_test *t)
{
    static const struct {
        const char *yaml, *contains;
    } cases[] = {
        { "{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup}",
          "instead of spec.podGroupTemplateRef" },
        { "{apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload}",
          "instead of spec.podGroups[].policy" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct decoded d = { 0 };
        t_case(t, cases[i].yaml);
        decode(t, &d, cases[i].yaml);
        t_int(t, d.diags.error_count, 1);
        struct mst_str text = d.diags.list.n ? d.diags.list.v[0].text : MST_STR("?");
        t_ok(t, memmem(text.p, text.n, cases[i].contains, strlen(cases[i].contains)) != NULL);
        t_ok(t, memmem(text.p, text.n, "scheduling.k8s.io/v1beta1", 25) != NULL);
        done(&d);
    }
}

static void test_decode_all_errors_of_an_object(struct mst_test *t)
{
    struct decoded d = { 0 };
    decode(t, &d, POD("{priority: x, hostNetwork: 1, nodeName: []}") "\n---\n" POD("{}"));
    t_int(t, d.diags.error_count, 3);
    t_int(t, d.count, 1);
    t_str(t, d.diags.list.v[0].object, "Pod p");
    done(&d);
}

static void test_decode_pod(struct mst_test *t)
{
    struct decoded d = { 0 };
    decode(t, &d,
           "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: ns\n"
           "  labels: {b: x, a: ''}\n  creationTimestamp: 2026-03-01T12:00:00.25+01:00\n"
           "  ownerReferences: [{kind: Job, name: j, uid: u, apiVersion: batch/v1, controller: "
           "true}]\n"
           "spec:\n  nodeName: ''\n  schedulingGroup: {podGroupName: g}\n  affinity: {}\n"
           "  tolerations: [{operator: Exists}]\n  schedulingGates: [{name: a}, {name: b}]\n"
           "  volumes: [{name: v, persistentVolumeClaim: {claimName: c, readOnly: true}}]\n"
           "  initContainers: [{name: i, restartPolicy: Always}]\n"
           "  containers:\n  - name: c\n    image: im\n    ports: [{hostPort: 80}]\n"
           "    resources: {limits: {cpu: 2}}\n    volumeMounts: [{bindMountOptions: []}]\n"
           "    restartPolicyRules: [{action: RestartAllContainers}]\n"
           "status: {phase: Running, conditions: [{type: T, status: 'True'}], resources: {}}\n");
    t_int(t, d.diags.list.n, 0);
    t_int(t, d.count, 1);
    const struct mst_pod *pod = &d.objects[0]->u.pod;
    t_str(t, pod->meta.name, "p");
    t_str(t, mst_sym_str(d.syms, pod->meta.namespace_), "ns");
    t_int(t, pod->meta.labels.n, 2);
    t_str(t, mst_sym_str(d.syms, pod->meta.labels.v[0].key), "b");
    t_int(t, pod->meta.labels.v[1].value, MST_SYM_EMPTY);
    t_int(t, pod->meta.created.unix_s, 1772362800);
    t_int(t, pod->meta.created.nanos, 250000000);
    t_bool(t, pod->meta.owners.v[0].controller.value, true);
    t_int(t, pod->spec.node_name, MST_SYM_NONE);
    t_bool(t, pod->spec.group_set, true);
    t_str(t, pod->spec.group_name, "g");
    t_bool(t, pod->spec.affinity_set, true);
    t_bool(t, pod->spec.node_affinity.set, false);
    t_int(t, pod->spec.tolerations.v[0].key, MST_SYM_EMPTY);
    t_str(t, pod->spec.scheduling_gates.v[1], "b");
    t_int(t, pod->spec.volumes.v[0].source, MST_VOLUME_PVC);
    t_str(t, mst_sym_str(d.syms, pod->spec.volumes.v[0].id), "c");
    t_bool(t, pod->spec.volumes.v[0].read_only, true);
    t_int(t, pod->spec.volumes.v[0].source_count, 1);
    t_str(t, mst_sym_str(d.syms, pod->spec.init_containers.v[0].restart_policy), "Always");
    const struct mst_container *c = &pod->spec.containers.v[0];
    t_int(t, c->ports.v[0].host_port, 80);
    t_int(t, c->ports.v[0].protocol, MST_SYM_EMPTY);
    t_bool(t, c->bind_mount_options, true);
    t_bool(t, c->restarts_all, true);
    t_ok(t, c->resources.set && c->resources.requests.v == NULL && c->resources.limits.n == 1);
    t_int(t, mst_quantity_milli(&c->resources.limits.v[0].quantity), 2000);
    t_ok(t, pod->status.resources_set && pod->status.resources.set && !pod->status.allocated_set);
    done(&d);
}

static void test_decode_groups(struct mst_test *t)
{
    struct decoded d = { 0 };
    decode(
        t, &d,
        GROUP(
            "{schedulingPolicy: {basic: {}, gang: {minCount: 2}}, disruptionMode: {all: {}}, "
            "schedulingConstraints: {topology: [{key: zone}]}, "
            "workloadRef: {workloadName: w, templateName: t}}") "\n---\n"
                                                                "{apiVersion: "
                                                                "scheduling.k8s.io/v1alpha3, kind: "
                                                                "CompositePodGroup, metadata: "
                                                                "{name: c}, "
                                                                "spec: {schedulingPolicy: {gang: "
                                                                "{minGroupCount: 3}}, "
                                                                "disruptionMode: {}}}\n---\n"
                                                                "{apiVersion: policy/v1, kind: "
                                                                "PodDisruptionBudget, metadata: "
                                                                "{name: b}, "
                                                                "spec: {minAvailable: 50%, "
                                                                "maxUnavailable: 1, selector: {}}, "
                                                                "status: {disruptedPods: {p: "
                                                                "2026-01-01T00:00:00Z}, "
                                                                "disruptionsAllowed: 2}}");
    t_int(t, d.diags.list.n, 0);
    t_int(t, d.count, 3);
    const struct mst_group_spec *spec = &d.objects[0]->u.group.spec;
    t_int(t, spec->policy, MST_POLICY_BOTH);
    t_int(t, spec->min_count, 2);
    t_int(t, spec->disruption, MST_DISRUPT_ALL);
    t_str(t, mst_sym_str(d.syms, spec->topology_keys.v[0]), "zone");
    t_ok(t, spec->workload_ref_set && mst_str_is(spec->workload_template, "t"));
    t_ok(t, d.objects[1]->u.group.composite && d.objects[1]->u.group.spec.min_count == 3);
    t_int(t, d.objects[1]->u.group.spec.disruption, MST_DISRUPT_EMPTY);
    const struct mst_pdb *pdb = &d.objects[2]->u.pdb;
    t_ok(t, pdb->selector.set && pdb->min_available.is_str && !pdb->max_unavailable.is_str);
    t_str(t, pdb->disrupted_pods.v[0], "p");
    t_int(t, pdb->disruptions_allowed, 2);
    done(&d);
}

static void test_decode_workload_tree(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool composite;
        uint32_t parent, depth, index;
    } want[] = {
        { "a", true, UINT32_MAX, 0, 0 }, { "b", true, UINT32_MAX, 0, 1 }, { "c", false, 0, 1, 0 },
        { "d", true, 0, 1, 0 },          { "e", false, 1, 1, 0 },         { "f", false, 3, 2, 0 },
        { "g", false, 3, 2, 1 },
    };
    struct decoded d = { 0 };
    decode(t, &d,
           "{apiVersion: scheduling.k8s.io/v1alpha3, kind: Workload, metadata: {name: w}, spec: "
           "{compositePodGroupTemplates: [{name: a, compositePodGroupTemplates: [{name: d, "
           "podGroupTemplates: [{name: f}, {name: g}]}], podGroupTemplates: [{name: c}]}, "
           "{name: b, podGroupTemplates: [{name: e}]}]}}");
    t_int(t, d.diags.list.n, 0);
    const struct mst_workload *w = &d.objects[0]->u.workload;
    t_int(t, w->templates.n, MST_COUNT(want));
    for (uint32_t i = 0; i < MST_COUNT(want) && i < w->templates.n; i++) {
        t_case(t, want[i].name);
        t_str(t, w->templates.v[i].spec.template_name, want[i].name);
        t_bool(t, w->templates.v[i].composite, want[i].composite);
        t_int(t, w->templates.v[i].parent, want[i].parent);
        t_int(t, w->templates.v[i].depth, want[i].depth);
        t_int(t, w->templates.v[i].index, want[i].index);
    }
    done(&d);
}

static void test_decode_template_errors_have_paths(struct mst_test *t)
{
    struct decoded d = { 0 };
    decode(t, &d,
           "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, spec: "
           "{compositePodGroupTemplates: "
           "[{}, {podGroupTemplates: [{priority: x}]}]}}");
    t_int(t, d.count, 0);
    t_str(t, d.diags.list.v[0].text,
          "spec.compositePodGroupTemplates[1].podGroupTemplates[0].priority: expected integer, got "
          "string \"x\"");
    t_str(t, d.diags.list.v[0].object, "Workload");
    done(&d);
}

static void test_decode_lists(struct mst_test *t)
{
    struct decoded d = { 0 };
    decode(
        t, &d,
        "{apiVersion: v1, kind: PodList, items: [{metadata: {name: a}}, {metadata: {name: b}, "
        "spec: {priority: x}}, {spec: {priority: x}}]}\n---\n"
        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: m}}, "
        "{apiVersion: v1, kind: List, items: []}, {metadata: {name: q}}]}\n---\n"
        "{apiVersion: v1, kind: SecretList, items: [{}]}\n---\n{apiVersion: v1, kind: PodList}");
    t_int(t, d.count, 2);
    t_str(t, d.objects[0]->api_version, "v1");
    t_int(t, d.objects[1]->kind, MST_KIND_NODE);
    t_int(t, d.diags.error_count, 4);
    t_int(t, d.diags.list.n, 5);
    t_str(t, d.diags.list.v[0].object, "Pod b");
    t_str(t, d.diags.list.v[1].object, "Pod items[2]");
    t_str(t, d.diags.list.v[2].text,
          "items[1]: a list inside a list is not supported, write its items directly");
    t_str(t, d.diags.list.v[3].text, "\"kind\" is not set");
    t_str(t, d.diags.list.v[4].text, "kind Secret (v1) is ignored");
    done(&d);
}

static void test_decode_stops_when_told(struct mst_test *t)
{
    struct decoded d = { .stop_after = 1 };
    decode(t, &d, "{apiVersion: v1, kind: PodList, items: [{}, {}, {}]}");
    t_int(t, d.count, 1);
    done(&d);
}

static void test_time_parse(struct mst_test *t)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t unix_s;
        int32_t nanos;
    } cases[] = {
        { "1970-01-01T00:00:00Z", true, 0, 0 },
        { "2000-02-29T23:59:59Z", true, 951868799, 0 },
        { "0001-01-01T00:00:00Z", true, -62135596800, 0 },
        { "2026-06-01T02:00:00+02:00", true, 1780272000, 0 },
        { "2026-05-31T23:30:00.123456789123-00:30", true, 1780272000, 123456789 },
        { "2023-02-29T00:00:00Z", false, 0, 0 },
        { "2024-13-01T00:00:00Z", false, 0, 0 },
        { "2024-00-01T00:00:00Z", false, 0, 0 },
        { "2024-01-01T24:00:00Z", false, 0, 0 },
        { "2024-01-01T00:00:00", false, 0, 0 },
        { "2024-01-01 00:00:00Z", false, 0, 0 },
        { "2024-01-01T00:00:00.Z", false, 0, 0 },
        { "2024-01-01T00:00:00Zx", false, 0, 0 },
        { "2024-01-01T00:00:00x00:00", false, 0, 0 },
        { "", false, 0, 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_time time = { 0 };
        t_case(t, cases[i].text);
        t_bool(t, mst_time_parse(mst_str_of(cases[i].text), &time), cases[i].ok);
        t_int(t, time.unix_s, cases[i].unix_s);
        t_int(t, time.nanos, cases[i].nanos);
        t_bool(t, time.set, cases[i].ok);
    }
}

static void test_edit_distance(struct mst_test *t)
{
    static const struct {
        const char *a, *b;
        uint32_t max, want;
    } cases[] = {
        { "", "", 3, 0 },
        { "a", "", 3, 1 },
        { "abc", "acb", 3, 1 },
        { "abc", "abd", 3, 1 },
        { "kitten", "sitting", 3, 3 },
        { "kitten", "sitting", 2, 3 },
        { "a", "abcdef", 2, 3 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].b);
        t_int(t, mst_edit_distance(mst_str_of(cases[i].a), mst_str_of(cases[i].b), cases[i].max),
              cases[i].want);
        t_int(t, mst_edit_distance(mst_str_of(cases[i].b), mst_str_of(cases[i].a), cases[i].max),
              cases[i].want);
    }
}

/* ---- what selects pods ---- */

static const struct {
    const char *yaml;
    mst_kind kind;
    bool set;
    uint32_t labels, expressions;
} selecting[] = {
    { "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {a: b}, clusterIP: "
      "None, ports: [{port: 80}]}, status: {loadBalancer: {}}}",
      MST_KIND_SERVICE, true, 1, 0 },
    { "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {}}}",
      MST_KIND_SERVICE, true, 0, 0 },
    { "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: null}}",
      MST_KIND_SERVICE, false, 0, 0 },
    { "{apiVersion: v1, kind: Service, metadata: {name: s}}", MST_KIND_SERVICE, false, 0, 0 },
    { "{apiVersion: v1, kind: ReplicationController, metadata: {name: s}, spec: {replicas: 2, "
      "selector: {a: b, c: d}, template: {spec: {}}}}",
      MST_KIND_REPLICATION_CONTROLLER, true, 2, 0 },
    { "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: s}, spec: {selector: {matchLabels: "
      "{a: b}, matchExpressions: [{key: c, operator: Exists}]}, template: {}}}",
      MST_KIND_REPLICA_SET, true, 1, 1 },
    { "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: s}, spec: {}}",
      MST_KIND_REPLICA_SET, false, 0, 0 },
    { "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {serviceName: s, "
      "selector: {}, volumeClaimTemplates: []}, status: {replicas: 1}}",
      MST_KIND_STATEFUL_SET, true, 0, 0 },
};

static void test_selecting_kinds(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(selecting); i++) {
        t_case(t, selecting[i].yaml);
        struct decoded d = { 0 };
        decode(t, &d, selecting[i].yaml);
        t_int(t, d.diags.list.n, 0);
        t_int(t, d.count, 1);
        if (d.count == 1) {
            const struct mst_workload_selector *s = &d.objects[0]->u.selector;
            t_int(t, d.objects[0]->kind, selecting[i].kind);
            t_str(t, s->meta.name, "s");
            t_bool(t, s->selector.set, selecting[i].set);
            t_int(t, s->selector.match_labels.n, selecting[i].labels);
            t_int(t, s->selector.match_expressions.n, selecting[i].expressions);
        }
        done(&d);
    }
}

static void test_selecting_kinds_bad(struct mst_test *t)
{
    static const struct {
        const char *yaml, *text;
    } bad[] = {
        { "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: [a]}}",
          "spec.selector: expected object, got array" },
        { "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: s}, spec: {selector: {app: "
          "a}}}",
          "unknown field \"spec.selector.app\"" },
        { "{apiVersion: v1, kind: StatefulSet, metadata: {name: s}}",
          "apiVersion \"v1\" is not known for kind StatefulSet, expected \"apps/v1\"" },
    };
    for (size_t i = 0; i < MST_COUNT(bad); i++) {
        t_case(t, bad[i].yaml);
        struct decoded d = { 0 };
        decode(t, &d, bad[i].yaml);
        t_int(t, d.diags.list.n, 1);
        if (d.diags.list.n == 1)
            t_str(t, d.diags.list.v[0].text, bad[i].text);
        done(&d);
    }
}

MST_TEST_MAIN(T(test_decode_reports), T(test_decode_early_versions_get_advice),
              T(test_decode_all_errors_of_an_object), T(test_decode_pod), T(test_decode_groups),
              T(test_decode_workload_tree), T(test_decode_template_errors_have_paths),
              T(test_decode_lists), T(test_decode_stops_when_told), T(test_time_parse),
              T(test_edit_distance), T(test_selecting_kinds), T(test_selecting_kinds_bad))
