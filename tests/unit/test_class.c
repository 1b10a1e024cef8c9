/* Pod classes: what makes two pods one class, and the life of a class. */
#include "cluster_rows.h"
#include "tap.h"

static void pod(struct rows *r, const char *name, const char *spec)
{
    rows_apply(r, mst_arena_printf(&r->arena,
                                   "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {%s}}",
                                   name, spec)
                      .p);
}

#define PLAIN "containers: [{name: c, image: i}]"
#define WITH(more) "containers: [{name: c, image: i}], " more
#define REQUIRED(expression)                                                                       \
    WITH("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "              \
         "{nodeSelectorTerms: [{matchExpressions: [" expression "]}]}}}")
#define PREFERRED(weight)                                                                          \
    WITH("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "             \
         "[{weight: " weight ", preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}")

static void test_class_same_or_not(struct mst_test *t)
{
    static const struct {
        const char *name, *a, *b;
        bool same;
    } cases[] = {
        { "equal", PLAIN, PLAIN, true },
        { "priority does not place", PLAIN, WITH("priority: 5"), true },
        { "container names do not", PLAIN, "containers: [{name: d, image: i}]", true },
        { "image", PLAIN, "containers: [{name: c, image: k}]", false },
        { "image tag latest", PLAIN, "containers: [{name: c, image: \"i:latest\"}]", true },
        { "a port of the registry is no tag", "containers: [{name: c, image: \"h:5000/i\"}]",
          "containers: [{name: c, image: \"h:5000/i:latest\"}]", true },
        { "request", PLAIN, "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]",
          false },
        { "same request written differently",
          "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]",
          "containers: [{name: c, image: i, resources: {requests: {cpu: 1000m}}}]", true },
        { "host port", PLAIN,
          "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 1}]}]", false },
        { "toleration", PLAIN, WITH("tolerations: [{key: a, operator: Exists}]"), false },
        { "toleration seconds do not place",
          WITH(
              "tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 1}]"),
          WITH(
              "tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 2}]"),
          true },
        { "node selector", PLAIN, WITH("nodeSelector: {a: x}"), false },
        { "value of the selector", WITH("nodeSelector: {a: x}"), WITH("nodeSelector: {a: z}"),
          false },
        { "operator", REQUIRED("{key: a, operator: Exists}"),
          REQUIRED("{key: a, operator: DoesNotExist}"), false },
        { "values", REQUIRED("{key: a, operator: In, values: [x]}"),
          REQUIRED("{key: a, operator: In, values: [x, z]}"), false },
        { "preferred weight", PREFERRED("1"), PREFERRED("2"), false },
        { "what only a missing plugin judges", PLAIN,
          WITH("volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]"), false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rows *r = rows_new("");
        t_case(t, cases[i].name);
        pod(r, "a", cases[i].a);
        pod(r, "b", cases[i].b);
        t_bool(t, rows_pod_row(r, "a")->class_id == rows_pod_row(r, "b")->class_id, cases[i].same);
        rows_free(r);
    }
}

static void test_class_profile_is_part_of_it(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", PLAIN);
    r->profile = 1;
    pod(r, "b", PLAIN);
    t_ok(t, rows_pod_row(r, "a")->class_id != rows_pod_row(r, "b")->class_id);
    t_int(t, rows_class(r, "b")->profile, 1);
    rows_free(r);
}

static void test_class_needs(struct mst_test *t)
{
    static const struct {
        const char *name, *spec;
        uint32_t needs;
    } cases[] = {
        { "nothing", PLAIN, 0 },
        { "config map", WITH("volumes: [{name: v, configMap: {name: x}}]"), 0 },
        { "claim", WITH("volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]"),
          MST_NEEDS_VOLUMES },
        { "anti-affinity",
          WITH("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
               "[{topologyKey: zone}]}}"),
          MST_NEEDS_POD_AFFINITY },
        { "preferred affinity",
          WITH("affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
               "[{weight: 1, "
               "podAffinityTerm: {topologyKey: zone}}]}}"),
          0 },
        { "hard spread",
          WITH("topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
               "DoNotSchedule}]"),
          MST_NEEDS_SPREAD },
        { "soft spread",
          WITH("topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
               "ScheduleAnyway}]"),
          0 },
        { "device claims", WITH("resourceClaims: [{name: r, resourceClaimName: x}]"),
          MST_NEEDS_CLAIMS },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rows *r = rows_new("");
        t_case(t, cases[i].name);
        pod(r, "a", cases[i].spec);
        t_int(t, rows_class(r, "a")->needs, cases[i].needs);
        rows_free(r);
    }
}

/* A class outlives its document, its pods (for a while), and comes back with the same id. */
static void test_class_idle_and_found_again(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", REQUIRED("{key: a, operator: In, values: [x, z]}"));
    uint32_t id = rows_pod_row(r, "a")->class_id;
    uint64_t serial = rows_class(r, "a")->serial;
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "a"));
    mst_arena_reset(&r->arena);
    t_int(t, mst_cluster_class(&r->cluster, id)->refs, 0);
    pod(r, "b", REQUIRED("{key: a, operator: In, values: [x, z]}"));
    t_int(t, rows_pod_row(r, "b")->class_id, id);
    t_int(t, rows_class(r, "b")->serial, serial);
    t_int(t, rows_class(r, "b")->node_affinity.required.terms.v[0].match_expressions.v[0].values.n,
          2);
    rows_free(r);
}

/* Thousands of classes that come and go: ids are used again, with another serial. */
static void test_class_ids_are_reused(struct mst_test *t)
{
    struct rows *r = rows_new("");
    uint64_t serial = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        struct mst_container c = { .name = MST_STR("c"), .image = rows_sym(r, "i") };
        struct mst_resource cpu = { rows_sym(r, "cpu"), { .nano = (mst_nano)(i + 1) * 1000000 } };
        struct mst_pod p = { .spec.containers = { &c, 1 } };
        c.resources.requests.v = &cpu;
        c.resources.requests.n = 1;
        p.meta.name = MST_STR("p");
        p.meta.namespace_ = rows_sym(r, "default");
        uint32_t row = mst_cluster_pod_add(&r->cluster, &p, 0);
        const struct mst_class *class = rows_class(r, "p");
        t_ok(t, class->serial > serial);
        serial = class->serial;
        t_int(t, mst_cluster_usage(&r->cluster, class->usage)->amounts.v[0].amount, i + 1);
        mst_cluster_pod_remove(&r->cluster, row);
    }
    t_ok(t, r->cluster.classes.n < 1100);
    t_ok(t, r->cluster.idle_classes.n < 3000);
    rows_free(r);
}

/* An assigned pod needs no class; an update can change a waiting pod's. */
static void test_class_follows_the_pod(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", PLAIN);
    uint32_t before = rows_pod_row(r, "a")->class_id;
    pod(r, "a", WITH("tolerations: [{operator: Exists}]"));
    t_ok(t, rows_pod_row(r, "a")->class_id != before);
    t_int(t, mst_cluster_class(&r->cluster, before)->refs, 0);
    pod(r, "a", WITH("nodeName: n1"));
    t_int(t, rows_pod_row(r, "a")->class_id, UINT32_MAX);
    rows_free(r);
}

MST_TEST_MAIN(T(test_class_same_or_not), T(test_class_profile_is_part_of_it), T(test_class_needs),
              T(test_class_idle_and_found_again), T(test_class_ids_are_reused),
              T(test_class_follows_the_pod))
