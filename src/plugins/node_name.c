/*
 * NodeName - keeps only the node that pod.spec.nodeName asks for.
 * Reads: class->node_name, nodes->name.  Requeue on: node added.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodename/node_name.go
 */
#include "plugins/registry.h"

struct node_name_state {
    mst_sym name; /* MST_SYM_NONE: any node will do */
};

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)view;
    (void)instance;
    struct node_name_state *state = MST_NEW(arena, struct node_name_state);
    state->name = klass->node_name;
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
    if (state->name == MST_SYM_NONE || state->name == MST_SYM_EMPTY)
        return;
    out->restrict_names = true;
    out->names.v = MST_NEW_N(arena, mst_sym, 1);
    out->names.v[0] = state->name;
    out->names.n = 1;
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    const mst_sym want = ((const struct node_name_state *)state)->name;
    if (want == MST_SYM_NONE || want == MST_SYM_EMPTY)
        return;
    const mst_sym *name = view->nodes->name;
    const mst_verdict no = reject | 1 | MST_VERDICT_UNRESOLVABLE;
    for (uint32_t i = begin; i < end; i++) {
        const mst_verdict before = verdict[i];
        const bool mine = (before == MST_VERDICT_OK) & (name[i] != want);
        verdict[i] = mine ? no : before;
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
    mst_reason_add(out, MST_STR("node(s) didn't match the requested node name"));
}

static const struct mst_event_registration events[] = {
    { MST_ON_NODE, MST_ACT_ADD, NULL },
};

const struct mst_plugin mst_plugin_node_name = {
    .name = "NodeName",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_NODE_NAME,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .events = events,
    .event_count = MST_COUNT(events),
};
