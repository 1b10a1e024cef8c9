/*
 * evict_sync.c - gate SchedulerAsyncPreemption off: evictions are a part of the attempt.
 *
 * All victims are sent at once, before anything is said about the preemptor. kube-scheduler waits
 * for the answers before the attempt ends; here it ends at once, as if all would go well, and a
 * failure takes back what it said: the promise, and the condition.
 *
 * Invariants: victims that need a call come first, so that their ids ascend.
 * Source:     spec/preemption.md 8; kubernetes v1.37 pkg/scheduler/framework/preemption/executor.go
 *             (prepareCandidate), schedule_one_podgroup.go.
 */
#include "cycle/evict_internal.h"

/* Those that are given up in memory come last: the preemptor has to be in the queue by then. */
static uint32_t order_victims(struct mst_engine *engine, struct mst_eviction *e)
{
    struct mst_eviction_victim *sorted = MST_NEW_N(&e->arena, struct mst_eviction_victim, e->n);
    uint32_t n = 0, calls;
    for (uint32_t i = 0; i < e->n; i++)
        if (!mst_engine_may_cancel_bind(engine, e->victims[i].pod))
            sorted[n++] = e->victims[i];
    calls = n;
    for (uint32_t i = 0; i < e->n; i++)
        if (mst_engine_may_cancel_bind(engine, e->victims[i].pod))
            sorted[n++] = e->victims[i];
    e->victims = sorted;
    return calls;
}

void mst_eviction_sync_begin(struct mst_engine *engine, const struct mst_preemptor *p,
                             const struct mst_preemption *preemption)
{
    struct mst_eviction *e = mst_eviction_new(engine, p, preemption);
    e->sync = true;
    e->fit_text = mst_arena_str(&e->arena, p->fit_text);
    if (!e->group)
        e->nominated_before = engine->cluster.pods.v[e->row].status_nominated;
    for (uint32_t calls = order_victims(engine, e); e->sent < calls;)
        mst_eviction_send(engine, e);
}

void mst_eviction_sync_rest(struct mst_engine *engine)
{
    struct mst_eviction *e = engine->evictions.v[engine->evictions.n - 1];
    mst_assert(e->sync);
    while (e->sent < e->n)
        mst_eviction_send(engine, e);
    mst_eviction_settle(engine, e);
}

/* ---- failures ---- */

/* Upstream's lone pod keeps the nomination that it had, and its reason. */
static void fail_pod(struct mst_engine *engine, const struct mst_eviction *e)
{
    struct mst_cluster *c = &engine->cluster;
    const struct mst_pod_row *p = &c->pods.v[e->row];
    if (p->node != MST_ROW_NONE || p->status_nominated != e->promises[0].node)
        return; /* it has moved on */
    struct mst_str text = mst_arena_printf(&engine->arena, "%.*s preemption: %.*s",
                                           MST_ARG(e->fit_text), MST_ARG(e->error));
    mst_cluster_nominate(c, e->row, e->nominated_before);
    mst_effect_event(engine, e->row, true, "FailedScheduling", "Scheduling", text);
    mst_effect_pod_status(engine, e->row, "Unschedulable", text,
                          e->nominated_before == MST_SYM_NONE ? MST_NNN_CLEAR : MST_NNN_SET,
                          e->nominated_before);
}

/* The group's attempt ends with the error, and so do its members. */
static void fail_group(struct mst_engine *engine, const struct mst_eviction *e)
{
    struct mst_cluster *c = &engine->cluster;
    const struct mst_framework *fw = &engine->frameworks[e->profile];
    struct mst_str text =
        mst_arena_printf(&engine->arena,
                         "error in \"%s\" PodGroupPostFilter plugins: pod group preemption: %.*s",
                         mst_framework_slot_name(fw, fw->preempts_groups), MST_ARG(e->error));
    uint32_t next;
    for (uint32_t pod = c->groups.v[e->row].first_pod; pod != MST_ROW_NONE; pod = next) {
        next = c->pods.v[pod].group_next;
        if (c->pods.v[pod].node != MST_ROW_NONE || c->pods.v[pod].deleting ||
            c->pods.v[pod].node_name != MST_SYM_NONE)
            continue;
        mst_cluster_nominate(c, pod, MST_SYM_NONE);
        mst_effect_event(engine, pod, true, "FailedScheduling", "Scheduling", text);
        mst_effect_pod_status(engine, pod, "SchedulerError", text, MST_NNN_CLEAR, MST_SYM_NONE);
    }
    mst_effect_group_status(engine, e->row, false, "SchedulerError", text);
}

void mst_eviction_sync_failed(struct mst_engine *engine, const struct mst_eviction *e)
{
    if (e->group)
        fail_group(engine, e);
    else
        fail_pod(engine, e);
    mst_awaited_end(&engine->cluster, e->uid);
    /* Upstream's preemptor waits for a victim that did go, or for another event. */
    if (!engine->config->upstream)
        mst_queue_activate(engine->queue, e->group, e->row, engine->now_ns);
}
