/* test_copy.c - copies say the same after the original is gone; keys tell every field apart. */
#include "cluster/copy.h"
#include "cluster_objects.h"
#include "tap.h"

/* Each line differs from all others in one thing that decides. */
static const char *const specs[] = {
    "",
    "affinity: {nodeAffinity: {}}",
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    "[{matchExpressions: [{key: a, operator: In, values: [x, z]}]}]}}}",
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    "[{matchFields: [{key: a, operator: In, values: [x, z]}]}]}}}",
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    "[{matchExpressions: [{key: a, operator: Odd, values: [x, z]}]}]}}}",
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 2, "
    "preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}",
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 3, "
    "preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}",
    "affinity: {podAffinity: {}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: u}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "labelSelector: {}}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "namespaceSelector: {}}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "labelSelector: {matchLabels: {a: x}}}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "labelSelector: {matchExpressions: [{key: a, operator: In, values: [x]}]}}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "namespaces: [a, b]}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "matchLabelKeys: [a]}]}}",
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, "
    "mismatchLabelKeys: [a]}]}}",
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
    "podAffinityTerm: {topologyKey: t}}]}}",
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 2, "
    "podAffinityTerm: {topologyKey: t}}]}}",
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "t}]}}",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule}]",
    "topologySpreadConstraints: [{maxSkew: 2, topologyKey: t, whenUnsatisfiable: DoNotSchedule}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: u, whenUnsatisfiable: DoNotSchedule}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: ScheduleAnyway}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule, "
    "minDomains: 1}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule, "
    "nodeAffinityPolicy: Honor}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule, "
    "nodeTaintsPolicy: Honor}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule, "
    "matchLabelKeys: [a]}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule, "
    "labelSelector: {}}]",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule}, "
    "{maxSkew: 1, topologyKey: t, whenUnsatisfiable: DoNotSchedule}]",
};

static void put_all(struct mst_buf *key, const struct mst_pod_spec *spec)
{
    mst_put_node_affinity(key, &spec->node_affinity);
    mst_put_pod_affinity(key, &spec->pod_affinity);
    mst_put_pod_affinity(key, &spec->pod_anti_affinity);
    mst_put_spread(key, spec->spread.v, spec->spread.n);
}

/* The spec of one text, decoded with symbols that all share. */
static struct mst_objects *decode(struct mst_test *t, struct mst_syms *syms, size_t i)
{
    struct mst_objects *o = objects_new("");
    o->api.syms = syms;
    t_case(t, specs[i]);
    (void)objects_only(o, mst_arena_printf(&o->arena,
                                           "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                                           "{%s}}",
                                           specs[i])
                              .p);
    return o;
}

static void test_copies_outlive(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    for (size_t i = 0; i < MST_COUNT(specs); i++) {
        struct mst_objects *o = decode(t, syms, i);
        MST_AUTO(mst_buf) before = { 0 };
        MST_AUTO(mst_buf) after = { 0 };
        struct mst_arena arena = { 0 };
        const struct mst_pod_spec *spec = &o->last->u.pod.spec;
        put_all(&before, spec);
        struct mst_pod_spec copy = {
            .node_affinity = mst_copy_node_affinity(&arena, &spec->node_affinity),
            .pod_affinity = mst_copy_pod_affinity(&arena, &spec->pod_affinity),
            .pod_anti_affinity = mst_copy_pod_affinity(&arena, &spec->pod_anti_affinity),
        };
        copy.spread.v = mst_copy_spread(&arena, spec->spread.v, spec->spread.n);
        copy.spread.n = spec->spread.n;
        objects_free(o); /* whatever the copy still borrows is gone now */
        put_all(&after, &copy);
        t_ok(t, mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
        mst_arena_done(&arena);
    }
    mst_syms_free(syms);
}

static void test_keys_tell_apart(struct mst_test *t)
{
    struct mst_syms *syms = mst_syms_new();
    struct mst_map seen = { 0 };
    for (size_t i = 0; i < MST_COUNT(specs); i++) {
        struct mst_objects *o = decode(t, syms, i);
        MST_AUTO(mst_buf) key = { 0 };
        put_all(&key, &o->last->u.pod.spec);
        t_bool(t, mst_map_set(&seen, mst_buf_span(&key), i), true);
        objects_free(o);
    }
    mst_map_done(&seen);
    mst_syms_free(syms);
}

static void test_lists_and_labels(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    mst_sym syms[] = { 3, 4 };
    struct mst_label labels[] = { { 3, 4 }, { 5, 6 } };
    mst_sym_list list = mst_copy_syms(&arena, (mst_sym_list){ syms, 2 });
    mst_labels copy = mst_copy_labels(&arena, (mst_labels){ labels, 2 });
    syms[1] = 9;
    labels[1].value = 9;
    t_int(t, list.n, 2);
    t_int(t, list.v[1], 4);
    t_int(t, copy.v[1].value, 6);
    t_int(t, mst_copy_syms(&arena, (mst_sym_list){ NULL, 0 }).n, 0);
    t_int(t, mst_copy_labels(&arena, (mst_labels){ NULL, 0 }).n, 0);
    /* Two lists in a row do not run into each other. */
    MST_AUTO(mst_buf) a = { 0 };
    MST_AUTO(mst_buf) b = { 0 };
    mst_put_syms(&a, (mst_sym_list){ syms, 2 });
    mst_put_syms(&a, (mst_sym_list){ syms, 1 });
    mst_put_syms(&b, (mst_sym_list){ syms, 1 });
    mst_put_syms(&b, (mst_sym_list){ syms, 2 });
    t_ok(t, !mst_str_eq(mst_buf_span(&a), mst_buf_span(&b)));
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_copies_outlive), T(test_keys_tell_apart), T(test_lists_and_labels))
