/*
 * SchedulingGates - keeps a pod out of the queue while it has scheduling gates.
 * Reads: pod->gates.  Requeue on: the pod's last gate removed.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go
 */
#include "plugins/registry.h"

static void pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                        struct mst_arena *arena, struct mst_status *out)
{
    (void)instance;
    const struct mst_str gates = view->cluster->pods.v[pod].gates;
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    if (!gates.p)
        return;
    out->code = MST_UNRESOLVABLE;
    out->reason = mst_arena_printf(arena, "waiting for scheduling gates: [%.*s]", MST_ARG(gates));
}

static const struct mst_event_registration events[] = {
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_GATES_ELIMINATED, NULL },
};

const struct mst_plugin mst_plugin_scheduling_gates = {
    .name = "SchedulingGates",
    .reads = MST_READS_NODE,
    .pre_enqueue = pre_enqueue,
    .events = events,
    .event_count = MST_COUNT(events),
};
