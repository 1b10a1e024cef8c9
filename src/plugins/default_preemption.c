/*
 * DefaultPreemption - keeps a preemptor out of the queue while its victims are being evicted.
 * Reads: who preempts right now (cluster/preemptors.h).  Requeue on: nothing by itself, see events.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/defaultpreemption.
 *
 * Not here: the search for victims (preempt/), which needs more than one rule's view of the
 * cluster; the framework only knows by this plugin that it is wanted, and with which arguments.
 */
#include "cluster/preemptors.h"
#include "framework/plugin_args.h"
#include "plugins/registry.h"

static void done(void *instance)
{
    mst_free(instance);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct mst_preemption_args *instance = mst_calloc(1, sizeof(*instance));
    struct mst_arena arena = { 0 };
    struct mst_args_run run;
    mst_args_begin(&run, view->syms, view->gates, &arena);
    run.reader.own_fields = !view->upstream;
    mst_args_preemption(&run.reader, args, instance);
    mst_rc rc = mst_args_end(&run, err);
    mst_arena_done(&arena);
    if (rc) {
        done(instance);
        return rc;
    }
    *ret_instance = instance;
    return MST_OK;
}

static void preemption(const void *instance, struct mst_preemption_args *out)
{
    *out = *(const struct mst_preemption_args *)instance;
}

static void pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                        struct mst_arena *arena, struct mst_status *out)
{
    (void)instance;
    (void)arena;
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    const struct mst_pod_row *p = &view->cluster->pods.v[pod];
    if (!view->gates->on[MST_GATE_SchedulerAsyncPreemption])
        return;
    if (p->group == MST_ROW_NONE) {
        if (mst_preemptor_waits(view->cluster, p->uid)) {
            out->code = MST_UNRESOLVABLE;
            out->reason = MST_STR("waiting for the preemption for this pod to be finished");
        }
        return;
    }
    const struct mst_group_row *group = &view->cluster->groups.v[p->group];
    if (group->known && mst_preemptor_waits(view->cluster, group->uid)) {
        out->code = MST_UNRESOLVABLE;
        out->reason = MST_STR("waiting for the preemption for this pod group to be finished");
    }
}

/*
 * The plugins that rejected the pod say when the victims' going helps. Registered all the same:
 * only for events of its gating plugin is a gated pod looked at again.
 */
static mst_hint victim_gone(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    (void)event;
    return MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, victim_gone },
};

const struct mst_plugin mst_plugin_default_preemption = {
    .name = "DefaultPreemption",
    .points = MST_POINT_POST_FILTER | MST_POINT_POD_GROUP_POST_FILTER,
    .reads = MST_READS_NODE,
    .init = init,
    .done = done,
    .pre_enqueue = pre_enqueue,
    .preemption = preemption,
    .events = events,
    .event_count = MST_COUNT(events),
};
