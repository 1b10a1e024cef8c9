/*
 * GangScheduling - a gang starts only when enough of its pods are known, and is placed only when
 * enough of them find a node.
 * Reads: the pod's group row.  Requeue on: a pod of the group added or assigned, the group
 * added, its minCount lowered.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go
 *
 * Not here: Permit (the cycle counts the quorum once after submission), groups with a parent.
 */
#include "plugins/registry.h"

static const struct mst_group_row *group_of(const struct mst_view *view, uint32_t pod)
{
    const uint32_t group = view->cluster->pods.v[pod].group;
    return group == MST_ROW_NONE ? NULL : &view->cluster->groups.v[group];
}

/*
 * Upstream words it differently when it would look for a tree. Profile muster keeps the sentence
 * that says what is waited for.
 */
static struct mst_str unknown_group_text(const struct mst_view *view,
                                         const struct mst_group_row *group, struct mst_arena *arena)
{
    if (view->upstream && view->gates->on[MST_GATE_CompositePodGroup])
        return mst_arena_printf(arena,
                                "failed to build hierarchy snapshot: pod group object not found in "
                                "state for podgroup/%.*s/%.*s",
                                MST_ARG(mst_sym_str(view->syms, group->ns)), MST_ARG(group->name));
    return mst_arena_printf(arena,
                            "waiting for pods's pod group \"%.*s\" to appear in scheduling queue",
                            MST_ARG(group->name));
}

static void pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                        struct mst_arena *arena, struct mst_status *out)
{
    (void)instance;
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    const struct mst_group_row *group = group_of(view, pod);
    if (!group)
        return;
    if (!group->known) {
        out->code = MST_UNRESOLVABLE;
        out->reason = unknown_group_text(view, group, arena);
        return;
    }
    if (group->policy == MST_POLICY_GANG && (int64_t)group->all_count < group->min_count) {
        out->code = MST_UNRESOLVABLE;
        out->reason =
            MST_STR("waiting for minCount pods from a gang to appear in scheduling queue");
    }
}

static void placement_feasible(const struct mst_view *view, const void *instance, uint32_t group,
                               struct mst_progress progress, struct mst_arena *arena,
                               struct mst_status *out)
{
    (void)instance;
    const struct mst_group_row *row = &view->cluster->groups.v[group];
    const int64_t min = row->policy == MST_POLICY_GANG ? row->min_count : 1;
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    if (progress.scheduled >= min)
        return;
    const bool reachable = (int64_t)progress.scheduled + progress.remaining >= min;
    out->code = reachable ? MST_WAIT : MST_UNSCHEDULABLE;
    out->reason =
        mst_arena_printf(arena, "minCount (%lld) %s: %u scheduled, %u remaining", (long long)min,
                         reachable ? "is not yet satisfied" : "cannot be satisfied",
                         progress.scheduled, progress.remaining);
}

static mst_hint pod_added(const struct mst_view *view, const void *instance, uint32_t pod,
                          const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)klass;
    mst_assert(event->pod != MST_ROW_NONE);
    const uint32_t group = view->cluster->pods.v[pod].group;
    const bool same = group != MST_ROW_NONE && view->cluster->pods.v[event->pod].group == group;
    return same ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint group_added(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)klass;
    const uint32_t group = view->cluster->pods.v[pod].group;
    return group != MST_ROW_NONE && event->group == group ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint group_updated(const struct mst_view *view, const void *instance, uint32_t pod,
                              const struct mst_class *klass, const struct mst_cluster_event *event)
{
    if (group_added(view, instance, pod, klass, event) == MST_HINT_SKIP)
        return MST_HINT_SKIP;
    const bool gangs = event->old_min_count >= 0 && event->new_min_count >= 0;
    return gangs && event->new_min_count < event->old_min_count ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_UNSCHEDULED_POD, MST_ACT_ADD, pod_added },
    { MST_ON_ASSIGNED_POD, MST_ACT_ADD, pod_added },
    { MST_ON_POD_GROUP, MST_ACT_ADD, group_added },
    { MST_ON_POD_GROUP, MST_ACT_UPDATE, group_updated },
};

const struct mst_plugin mst_plugin_gang_scheduling = {
    .name = "GangScheduling",
    .points = MST_POINT_PERMIT,
    .reads = MST_READS_NODE,
    .gate = "GenericWorkload",
    .pre_enqueue = pre_enqueue,
    .placement_feasible = placement_feasible,
    .events = events,
    .event_count = MST_COUNT(events),
};
