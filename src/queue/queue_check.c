/*
 * queue_check.c - views of single pods, and the invariants of the whole queue.
 *
 * Not here: why a pod is held (queue_held.c), when it leaves backoff (queue_event.c).
 */
#include "queue/queue_internal.h"

mst_store mst_queue_store_of(const struct mst_queue *queue, uint32_t pod, bool *ret_gated)
{
    if (ret_gated)
        *ret_gated = false;
    if (pod >= queue->pods.n)
        return MST_STORE_NONE;
    switch ((mst_q_at)queue->pods.v[pod].at) {
    case MST_AT_NONE: return MST_STORE_NONE;
    case MST_AT_INCOMPLETE: return MST_STORE_INCOMPLETE;
    case MST_AT_PENDING: return MST_STORE_PENDING;
    case MST_AT_POPPED: return MST_STORE_POPPED;
    case MST_AT_ENTITY: break;
    }
    const struct mst_entity *e = mst_q_entity(queue, mst_q_id_of(queue, pod));
    if (ret_gated)
        *ret_gated = e->gated;
    return (mst_store)e->store;
}

int64_t mst_queue_since(const struct mst_queue *queue, uint32_t pod)
{
    return pod < queue->pods.n ? queue->pods.v[pod].e.initial_ns : MST_Q_NEVER;
}

uint32_t mst_queue_attempts(const struct mst_queue *queue, bool group, uint32_t id)
{
    if (group)
        return id < queue->groups.n ? queue->groups.v[id].e.attempts : 0;
    return id < queue->pods.n ? queue->pods.v[id].e.attempts : 0;
}

/* ---- invariants ---- */

static void check_store(const struct mst_queue *queue, uint32_t id)
{
    const struct mst_entity *e = mst_q_entity(queue, id);
    mst_assert(mst_heap_has(&queue->active, id) == (e->store == MST_STORE_ACTIVE));
    mst_assert(mst_heap_has(&queue->backoff, id) == (e->store == MST_STORE_BACKOFF));
    mst_assert(mst_heap_has(&queue->error_backoff, id) == (e->store == MST_STORE_ERROR_BACKOFF));
    mst_assert((e->store == MST_STORE_POPPED) == (queue->popped == id));
    if (e->gated)
        mst_assert(e->store == MST_STORE_UNSCHEDULABLE);
    if (e->gated)
        mst_assert(e->gate_slot != MST_Q_NO_SLOT);
    if (e->store == MST_STORE_BACKOFF || e->store == MST_STORE_ERROR_BACKOFF)
        mst_assert(e->backoff_ns != MST_Q_NEVER);
    if (e->store == MST_STORE_ACTIVE)
        mst_assert(e->initial_ns != MST_Q_NEVER);
}

static void check_pod(const struct mst_queue *queue, uint32_t pod)
{
    const struct mst_q_pod *p = &queue->pods.v[pod];
    uint32_t id = mst_q_pod_id(pod);
    bool lone = p->group == MST_ROW_NONE;
    check_store(queue, id);
    switch ((mst_q_at)p->at) {
    case MST_AT_NONE: mst_assert(p->e.store == MST_STORE_NONE); break;
    case MST_AT_ENTITY:
        mst_assert(mst_q_entity(queue, mst_q_id_of(queue, pod))->store != MST_STORE_NONE);
        break;
    case MST_AT_POPPED: mst_assert(queue->popped == mst_q_id_of(queue, pod)); break;
    case MST_AT_INCOMPLETE:
        mst_assert(!lone && queue->groups.v[p->group].incomplete.v[p->list_i] == pod);
        break;
    case MST_AT_PENDING:
        mst_assert(!lone && queue->groups.v[p->group].pending.v[p->list_i] == pod);
        break;
    }
    if (!lone)
        mst_assert(p->e.store == MST_STORE_NONE);
    bool held = !lone && !queue->o.config->upstream &&
                (p->at == MST_AT_INCOMPLETE ||
                 (p->at == MST_AT_ENTITY && queue->groups.v[p->group].e.gated));
    mst_assert(held == (p->hold_ns != MST_Q_NEVER));
}

static void check_group(const struct mst_queue *queue, uint32_t group)
{
    const struct mst_q_group *g = &queue->groups.v[group];
    uint32_t id = mst_q_group_id(group);
    check_store(queue, id);
    mst_assert((g->e.store == MST_STORE_NONE) == (g->members.n == 0));
    mst_assert(g->e.unschedulable == 0 && g->e.pending == 0);
    mst_assert(g->pending.n == 0 || g->e.store == MST_STORE_POPPED);
    if (g->e.store == MST_STORE_NONE || g->e.store == MST_STORE_POPPED)
        return;
    mst_assert(mst_q_resolvable(queue, group));
    mst_assert(g->incomplete.n == 0);
    mst_assert(g->e.store != MST_STORE_UNSCHEDULABLE || g->e.gated);
    mst_assert(g->e.store != MST_STORE_BACKOFF);
    bool gate_found = g->e.gate_pod == MST_ROW_NONE;
    for (uint32_t i = 0; i < g->members.n; i++) {
        uint32_t pod = mst_q_member(&g->members, i);
        const struct mst_q_pod *p = &queue->pods.v[pod];
        mst_assert(p->at == MST_AT_ENTITY && p->group == group);
        mst_assert((p->e.unschedulable & ~g->any_unschedulable) == 0);
        mst_assert((p->e.pending & ~g->any_pending) == 0);
        gate_found |= pod == g->e.gate_pod;
        if (i > 0)
            mst_assert(mst_q_member_before(queue, mst_q_member(&g->members, i - 1), pod));
    }
    mst_assert(gate_found);
}

static void check_heap(const struct mst_heap *heap)
{
    for (uint32_t i = 1; i < heap->count; i++)
        mst_assert(heap->before(heap->ctx, heap->ids[(i - 1) / 2], heap->ids[i]));
}

void mst_queue_check(const struct mst_queue *queue)
{
    uint32_t unschedulable = 0;
    uint64_t placed = 0, listed = 0;
    for (uint32_t i = 0; i < queue->pods.n; i++) {
        check_pod(queue, i);
        unschedulable += queue->pods.v[i].e.store == MST_STORE_UNSCHEDULABLE;
        mst_q_at at = (mst_q_at)queue->pods.v[i].at;
        bool member = queue->pods.v[i].group != MST_ROW_NONE;
        placed +=
            member && (at == MST_AT_ENTITY || at == MST_AT_INCOMPLETE || at == MST_AT_PENDING);
    }
    for (uint32_t i = 0; i < queue->groups.n; i++) {
        const struct mst_q_group *g = &queue->groups.v[i];
        check_group(queue, i);
        unschedulable += g->e.store == MST_STORE_UNSCHEDULABLE;
        listed += g->incomplete.n + g->pending.n;
        listed += g->e.store == MST_STORE_POPPED ? 0 : g->members.n;
    }
    mst_assert(placed == listed);
    check_heap(&queue->active);
    check_heap(&queue->backoff);
    check_heap(&queue->error_backoff);
    uint32_t walked = 0, prev = MST_Q_NONE;
    for (uint32_t id = queue->unschedulable_head; id != MST_Q_NONE;) {
        const struct mst_entity *e = mst_q_entity(queue, id);
        mst_assert(e->store == MST_STORE_UNSCHEDULABLE && e->prev == prev);
        mst_assert(MST_MAX(e->since_ns, e->flush_ns) >= queue->unschedulable_oldest_ns);
        prev = id;
        id = e->next;
        walked++;
    }
    mst_assert(prev == queue->unschedulable_tail);
    mst_assert(walked == unschedulable && walked == queue->unschedulable_count);
}
