/*
 * NodeDeclaredFeatures - keeps pods that need a feature of the kubelet to nodes that declare it.
 * Reads: class->features, nodes->feature_set.
 * Requeue on: node added or its declared features changed, the pod's needs changed.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodedeclaredfeatures
 */
#include "plugins/registry.h"

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)view;
    (void)instance;
    (void)arena;
    *out = (struct mst_pre_filter){
        .code = klass->features ? MST_SUCCESS : MST_SKIP,
        .state = (void *)(uintptr_t)klass,
    };
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    const struct mst_class *klass = state;
    const struct mst_nodes *nodes = view->nodes;
    for (uint32_t row = begin; klass->features && row < end; row++) {
        const uint32_t declared = nodes->feature_sets.v[nodes->feature_set[row]].known;
        if (verdict[row] == MST_VERDICT_OK && (klass->features & ~declared))
            verdict[row] = reject | MST_VERDICT_UNRESOLVABLE | 1;
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    (void)verdict;
    mst_reason_add(out, MST_STR("node(s) didn't match Pod's required features"));
}

static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    /* Sets are stored once: the same list is the same pointer, or two empty ones. */
    const bool same = event->old_node &&
                      event->old_node->features.n == event->new_node->features.n &&
                      event->old_node->features.v == event->new_node->features.v;
    return same ? MST_HINT_SKIP : MST_HINT_QUEUE;
}

/* The spec of a waiting pod changes in ways that cannot touch what it needs of a kubelet. */
static mst_hint pod_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    return klass->features != event->old_features ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_DECLARED_FEATURE, node_changed },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE, pod_changed },
};

const struct mst_plugin mst_plugin_node_declared_features = {
    .name = "NodeDeclaredFeatures",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_FEATURES,
    .gate = "NodeDeclaredFeatures",
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .events = events,
    .event_count = MST_COUNT(events),
};
