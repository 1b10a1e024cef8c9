/*
 * NodeUnschedulable - refuses cordoned nodes, unless the pod tolerates the taint that goes with it.
 * Reads: class->tolerations, nodes->unschedulable.  Requeue on: node added or made schedulable
 * again, toleration added to the pod.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go
 */
#include "plugins/registry.h"

struct unschedulable_state {
    bool tolerates;
};

static bool tolerates(const struct mst_view *view, const struct mst_class *klass)
{
    const struct mst_taint taint = {
        .key = mst_sym_of_text(view->syms, "node.kubernetes.io/unschedulable"),
        .value = MST_SYM_EMPTY,
        .effect = mst_sym_of_text(view->syms, "NoSchedule"),
    };
    const bool comparison = view->gates->on[MST_GATE_TaintTolerationComparisonOperators];
    for (uint32_t i = 0; i < klass->tolerations.n; i++)
        if (mst_toleration_tolerates(view->syms, &klass->tolerations.v[i], &taint, comparison))
            return true;
    return false;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    struct unschedulable_state *state = MST_NEW(arena, struct unschedulable_state);
    state->tolerates = tolerates(view, klass);
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    if (((const struct unschedulable_state *)state)->tolerates)
        return;
    const uint8_t *first = view->nodes->unschedulable, *at = first + begin;
    const mst_verdict no = reject | 1 | MST_VERDICT_UNRESOLVABLE;
    /* Few nodes are cordoned: the bytes between them are skipped by the library's search. */
    while (at < first + end && (at = memchr(at, 1, (size_t)(first + end - at)))) {
        mst_verdict *mine = &verdict[at++ - first];
        if (*mine == MST_VERDICT_OK)
            *mine = no;
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
    mst_reason_add(out, MST_STR("node(s) were unschedulable"));
}

/* Tolerations play no part here: a pod that has the right one was not rejected by this plugin. */
static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    mst_assert(event->new_node);
    const bool was = event->old_node && !event->old_node->unschedulable;
    return !was && !event->new_node->unschedulable ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint toleration_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                                   const struct mst_class *klass,
                                   const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    (void)event;
    return tolerates(view, klass) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_TAINT, node_changed },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_TOLERATION, toleration_changed },
};

const struct mst_plugin mst_plugin_node_unschedulable = {
    .name = "NodeUnschedulable",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_TOLERATIONS,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .events = events,
    .event_count = MST_COUNT(events),
};
