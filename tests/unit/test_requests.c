/* test_requests.c - the pod's effective request, by hand and by spec/plugins.md 3. */
#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

static struct mst_arena arena;
static struct mst_syms *syms;
static struct mst_pod *last;

static bool keep(void *ctx, struct mst_object *object)
{
    (void)ctx;
    last = &object->u.pod;
    return true;
}

static const struct mst_pod *pod_of(struct mst_test *t, const char *spec, const char *status)
{
    struct mst_diags diags = { 0 };
    struct mst_api api = { .syms = syms, .arena = &arena, .diags = &diags };
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    struct mst_str text =
        mst_arena_printf(&arena,
                         "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: %s, status: %s}",
                         spec, status);
    mst_yaml_init(&reader, text);
    last = NULL;
    if (mst_yaml_next(&reader, &arena, &diags, &doc) == MST_OK)
        mst_api_decode(&api, doc, keep, NULL);
    t_int(t, diags.list.n, 0);
    if (!last)
        last = MST_NEW(&arena, struct mst_pod);
    mst_diags_done(&diags);
    return last;
}

/* "cpu=1500 memory=1073741824" */
static struct mst_str shown(const mst_requests *requests)
{
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < requests->n; i++)
        text = mst_arena_printf(&arena, "%.*s%s%.*s=%lld", MST_ARG(text), i ? " " : "",
                                MST_ARG(mst_sym_str(syms, requests->v[i].name)),
                                (long long)requests->v[i].amount);
    return text;
}

#define C(list) "{containers: [" list "]}"
#define R(cpu) "{name: a, resources: {requests: {cpu: " cpu "}}}"
#define B(cpu) "{name: b, resources: {requests: {cpu: " cpu "}}}"
#define NO "{}"

static const struct {
    const char *name, *spec, *status;
    uint32_t mode;
    const char *want;
} cases[] = {
    { "nothing", C("{name: a}"), NO, 0, "" },
    { "a sum", C(R("1") "," B("500m")), NO, 0, "cpu=1500" },
    { "exact sums are rounded once", C(R("500u") "," B("500u")), NO, 0, "cpu=1" },
    { "sorted, and only what counts",
      C("{resources: {requests: {memory: 1Ki, example.com/x: 2, foo: 3, pods: 1, storage: 1, "
        "hugepages-2Mi: 4Mi, cpu: 1, ephemeral-storage: 1k, attachable-volumes-x: 1, "
        "requests.example.com/y: 1, kubernetes.io/z: 5}}}"),
      NO, 0,
      "attachable-volumes-x=1 cpu=1000 ephemeral-storage=1000 example.com/x=2 "
      "hugepages-2Mi=4194304 "
      "kubernetes.io/z=5 memory=1024" },
    { "an explicit zero stays", C("{resources: {requests: {example.com/x: 0}}}"), NO, 0,
      "example.com/x=0" },
    { "init containers peak", "{containers: [" R("1") "], initContainers: [" B("3") "," R("2") "]}",
      NO, 0, "cpu=3000" },
    { "a sidecar adds to both",
      "{containers: [" R("1") "], initContainers: [{name: s, restartPolicy: Always, resources: "
                              "{requests: {cpu: 2}}}, " B("2") "]}",
      NO, 0, "cpu=4000" },
    { "an init container before the sidecar does not see it",
      "{containers: [" R("1") "], initContainers: [" B("2") ", {name: s, restartPolicy: Always, "
                                                            "resources: {requests: {cpu: 2}}}]}",
      NO, 0, "cpu=3000" },
    { "overhead", "{overhead: {cpu: 250m, memory: 1}, containers: [" R("1") "]}", NO, 0,
      "cpu=1250 memory=1" },
    { "pod level replaces, then overhead",
      "{overhead: {cpu: 1}, resources: {requests: {cpu: 2, example.com/x: 1}}, containers: [" R(
          "5") "]}",
      NO, MST_REQUEST_POD_LEVEL, "cpu=3000" },
    { "pod level not asked for", "{resources: {requests: {cpu: 2}}, containers: [" R("5") "]}", NO,
      0, "cpu=5000" },
    { "pod level without a supported name",
      "{resources: {requests: {example.com/x: 1}}, containers: [" R("5") "]}", NO,
      MST_REQUEST_POD_LEVEL, "cpu=5000" },
    { "defaults per container", C(R("0") ",{name: b}"), NO, MST_REQUEST_DEFAULTS,
      "cpu=100 memory=419430400" },
    { "defaults of init containers and sidecars",
      "{containers: [], initContainers: [{name: s, "
      "restartPolicy: Always}, {name: i}]}",
      NO, MST_REQUEST_DEFAULTS, "cpu=200 memory=419430400" },
    { "status: the maximum is taken per pod", C(R("1") "," B("1")),
      "{containerStatuses: [{name: a, resources: {requests: {cpu: 2}}, allocatedResources: {cpu: "
      "2}}, "
      "{name: b, resources: {requests: {cpu: 500m}}, allocatedResources: {cpu: 500m}}]}",
      MST_REQUEST_STATUS, "cpu=2500" },
    { "status not asked for", C(R("1")),
      "{containerStatuses: [{name: a, allocatedResources: {cpu: 2}}]}", 0, "cpu=1000" },
    { "allocated stands in for actuated", C(R("1")),
      "{containerStatuses: [{name: a, allocatedResources: {cpu: 2}}]}", MST_REQUEST_STATUS,
      "cpu=2000" },
    { "infeasible: the spec does not count", C(R("9")),
      "{conditions: [{type: PodResizePending, reason: Infeasible}], containerStatuses: [{name: a, "
      "allocatedResources: {cpu: 2}}]}",
      MST_REQUEST_STATUS, "cpu=2000" },
    { "infeasible without status: nothing", C(R("9")),
      "{conditions: [{type: PodResizePending, reason: Infeasible}]}", MST_REQUEST_STATUS, "" },
    { "the first resize condition decides", C(R("9")),
      "{conditions: [{type: PodResizePending, reason: Deferred}, {type: PodResizePending, reason: "
      "Infeasible}], containerStatuses: [{name: a, allocatedResources: {cpu: 2}}]}",
      MST_REQUEST_STATUS, "cpu=9000" },
    { "pod-level status beats container status", C(R("1")),
      "{allocatedResources: {cpu: 3}, resources: {requests: {cpu: 2}}, containerStatuses: [{name: "
      "a, "
      "allocatedResources: {cpu: 8}}]}",
      MST_REQUEST_STATUS, "cpu=3000" },
    { "pod-level status without requests does not", C(R("1")),
      "{allocatedResources: {cpu: 3}, resources: {}, containerStatuses: [{name: a, "
      "allocatedResources: "
      "{cpu: 8}}]}",
      MST_REQUEST_STATUS, "cpu=8000" },
    { "override by the maximum of spec and status",
      "{resources: {requests: {cpu: 2}}, containers: [" R("1") "]}",
      "{allocatedResources: {cpu: 3, memory: 7}, resources: {requests: {cpu: 4}}}",
      MST_REQUEST_STATUS | MST_REQUEST_POD_LEVEL, "cpu=4000 memory=7" },
    { "override, infeasible", "{resources: {requests: {cpu: 9}}, containers: [" R("1") "]}",
      "{conditions: [{type: PodResizePending, reason: Infeasible}], allocatedResources: {cpu: 3}, "
      "resources: {requests: {cpu: 2}}}",
      MST_REQUEST_STATUS | MST_REQUEST_POD_LEVEL, "cpu=3000" },
};

static void test_requests(struct mst_test *t)
{
    syms = mst_syms_new();
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        const struct mst_pod *pod = pod_of(t, cases[i].spec, cases[i].status);
        mst_requests requests;
        mst_pod_requests(syms, pod, cases[i].mode, &arena, &requests);
        t_str(t, shown(&requests), cases[i].want);
    }
    mst_syms_free(syms);
    mst_arena_done(&arena);
}

#define L(list) "{name: a, resources: {limits: {" list "}}}"

static void test_requests_exact(struct mst_test *t)
{
    static const struct {
        const char *name, *spec, *requests, *limits;
    } exact[] = {
        { "nothing", C("{name: a}"), "", "" },
        { "not rounded, whatever the name",
          C("{name: a, resources: {requests: {cpu: 1500u, memory: 100m, foo: 1}, "
            "limits: {bar: 2}}}"),
          "cpu=1500000 memory=100000000 foo=1000000000", "bar=2000000000" },
        { "the peak of initialisation",
          "{containers: [" L("cpu: 1") "], initContainers: [{name: i, resources: {limits: "
                                       "{cpu: 3, memory: 1}}}]}",
          "", "cpu=3000000000 memory=1000000000" },
        { "overhead adds to requests, and to limits that there are",
          "{overhead: {cpu: 1, memory: 2}, containers: [{name: a, resources: {requests: {cpu: 1}, "
          "limits: {cpu: 2, memory: 0}}}]}",
          "cpu=2000000000 memory=2000000000", "cpu=3000000000 memory=0" },
        { "what is said for the pod",
          "{resources: {requests: {cpu: 4, example.com/x: 1}, limits: {cpu: 6, memory: 8, "
          "example.com/x: 9}}, containers: [{name: a, resources: {requests: {cpu: 1}, limits: "
          "{cpu: 2}}}]}",
          "cpu=4000000000", "cpu=6000000000 memory=8000000000" },
        { "limits of the pod alone", "{resources: {limits: {memory: 8}}, containers: [" R("1") "]}",
          "cpu=1000000000", "memory=8000000000" },
    };
    syms = mst_syms_new();
    for (size_t i = 0; i < MST_COUNT(exact); i++) {
        /* The status does not count: it is what the pod was promised. */
        const struct mst_pod *pod =
            pod_of(t, exact[i].spec,
                   "{containerStatuses: [{name: a, allocatedResources: {cpu: 9}, "
                   "resources: {requests: {cpu: 9}, limits: {cpu: 9}}}]}");
        t_case(t, exact[i].name);
        for (int limits = 0; limits < 2; limits++) {
            const mst_resources list = mst_pod_exact(syms, pod, limits, &arena);
            struct mst_str text = MST_STR("");
            for (uint32_t k = 0; k < list.n; k++)
                text = mst_arena_printf(&arena, "%.*s%s%.*s=%lld", MST_ARG(text), k ? " " : "",
                                        MST_ARG(mst_sym_str(syms, list.v[k].name)),
                                        (long long)list.v[k].quantity.nano);
            t_str(t, text, limits ? exact[i].limits : exact[i].requests);
        }
    }
    mst_syms_free(syms);
    mst_arena_done(&arena);
}

static void test_requests_nonzero(struct mst_test *t)
{
    static const struct {
        const char *name, *spec;
        int64_t cpu_milli, memory;
    } nonzero[] = {
        { "two empty containers", C("{name: a}, {name: b}"), 200, 419430400 },
        { "one lacks CPU", C("{name: a, resources: {requests: {memory: 5}}}"), 100, 5 },
        { "an explicit zero stays", C(R("0")), 0, 209715200 },
        { "pod level covers CPU only",
          "{resources: {requests: {cpu: 2}}, containers: [{name: a}, {name: b}]}", 2000,
          419430400 },
        { "pod level and a container's memory",
          "{resources: {requests: {cpu: 2}}, containers: [{name: a, resources: {requests: {memory: "
          "7}}}, "
          "{name: b}]}",
          2000, 7 },
        { "overhead on top", "{overhead: {cpu: 1}, containers: [{name: a}]}", 1100, 209715200 },
    };
    syms = mst_syms_new();
    for (size_t i = 0; i < MST_COUNT(nonzero); i++) {
        int64_t cpu_milli, memory;
        t_case(t, nonzero[i].name);
        mst_pod_nonzero(syms, pod_of(t, nonzero[i].spec, NO), &cpu_milli, &memory);
        t_int(t, cpu_milli, nonzero[i].cpu_milli);
        t_int(t, memory, nonzero[i].memory);
    }
    mst_syms_free(syms);
    mst_arena_done(&arena);
}

static void test_resource_classify(struct mst_test *t)
{
    static const struct {
        const char *name;
        mst_resource_class class;
    } names[] = {
        { "cpu", MST_RESOURCE_CPU },
        { "memory", MST_RESOURCE_MEMORY },
        { "ephemeral-storage", MST_RESOURCE_EPHEMERAL },
        { "pods", MST_RESOURCE_PODS },
        { "nvidia.com/gpu", MST_RESOURCE_EXTENDED },
        { "a/b/c", MST_RESOURCE_DROPPED },
        { "Upper.Case/x", MST_RESOURCE_DROPPED },
        { "requests.nvidia.com/gpu", MST_RESOURCE_DROPPED },
        { "deviceclass.resource.kubernetes.io/x", MST_RESOURCE_OTHER_SCALAR },
        { "hugepages-1Gi", MST_RESOURCE_OTHER_SCALAR },
        { "attachable-volumes-csi-x", MST_RESOURCE_OTHER_SCALAR },
        { "storage", MST_RESOURCE_DROPPED },
        { "gpu", MST_RESOURCE_DROPPED },
        { "", MST_RESOURCE_DROPPED },
    };
    for (size_t i = 0; i < MST_COUNT(names); i++) {
        t_case(t, names[i].name);
        t_int(t, mst_resource_classify(mst_str_of(names[i].name)), names[i].class);
    }
}

MST_TEST_MAIN(T(test_requests_exact), T(test_requests), T(test_requests_nonzero),
              T(test_resource_classify))
