/*
 * queue_cycle.c - out of the queue and back: pop, members that come back, the end of a cycle.
 *
 * Owns:       which entity is popped.
 * Invariants: at most one entity is popped. While a group is, its member array is what the cycle
 *             reads and does not change; members that come back or arrive wait in `pending`, and
 *             mst_queue_group_done makes the next entity of them. So a big group is taken apart and
 *             put together in O(n log n), whatever the order in which its members come back.
 * Source:     spec/scheduling.md 1.4, 1.8.
 */
#include "base/sort.h"
#include "queue/queue_internal.h"

/* ---- pop ---- */

/* A new attempt: what rejected or gated the last one is forgotten. */
static void begin_attempt(struct mst_entity *e)
{
    e->attempts++;
    e->unschedulable = e->pending = 0;
    e->gate_slot = MST_Q_NO_SLOT;
    e->gate_pod = MST_ROW_NONE;
}

static void pop_member(struct mst_queue *queue, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    mst_assert(p->at == MST_AT_ENTITY);
    p->at = MST_AT_POPPED;
    p->told = 0; /* the attempt may write another condition over the notice */
}

static void keep_before(struct mst_queue *queue, uint32_t id)
{
    struct mst_q_popped *before = &queue->before;
    const struct mst_entity *e = mst_q_entity(queue, id);
    before->store = e->store;
    before->e = *e;
    before->members.n = 0;
    if (!mst_q_is_group(id)) {
        mst_vec_push(&before->members, queue->pods.v[id / 2]);
        return;
    }
    const struct mst_q_group *group = &queue->groups.v[id / 2];
    before->any_unschedulable = group->any_unschedulable;
    before->any_pending = group->any_pending;
    for (uint32_t i = 0; i < group->members.n; i++)
        mst_vec_push(&before->members, queue->pods.v[mst_q_member(&group->members, i)]);
}

bool mst_queue_pop(struct mst_queue *queue, int64_t now_ns, struct mst_popped *out)
{
    mst_assert(queue->popped == MST_Q_NONE);
    struct mst_heap *heap = &queue->active;
    if (heap->count == 0 && mst_q_pops_backoff(queue))
        heap = &queue->backoff;
    if (heap->count == 0)
        return false;
    uint32_t id = mst_heap_top(heap);
    struct mst_entity *e = mst_q_entity(queue, id);
    if (queue->o.unpops)
        keep_before(queue, id);
    mst_q_leave(queue, id);
    e->store = MST_STORE_POPPED;
    queue->popped = id;
    begin_attempt(e);
    if (e->initial_ns == MST_Q_NEVER)
        e->initial_ns = now_ns;
    if (!mst_q_is_group(id)) {
        pop_member(queue, id / 2);
        queue->popped_pod = id / 2;
        *out = (struct mst_popped){
            .id = id / 2, .attempt = e->attempts, .pods = &queue->popped_pod, .pod_count = 1
        };
        return true;
    }
    struct mst_q_group *group = &queue->groups.v[id / 2];
    group->any_unschedulable = group->any_pending = 0;
    for (uint32_t i = 0; i < group->members.n; i++) {
        uint32_t pod = mst_q_member(&group->members, i);
        begin_attempt(&queue->pods.v[pod].e);
        pop_member(queue, pod);
    }
    *out = (struct mst_popped){ .group = true,
                                .id = id / 2,
                                .attempt = e->attempts,
                                .pods = group->members.v + group->members.begin,
                                .pod_count = group->members.n };
    return true;
}

void mst_queue_unpop(struct mst_queue *queue)
{
    const uint32_t id = queue->popped;
    const struct mst_q_popped *before = &queue->before;
    mst_assert(queue->o.unpops);
    mst_assert(id != MST_Q_NONE);
    queue->popped = MST_Q_NONE;
    if (mst_q_is_group(id)) {
        struct mst_q_group *group = &queue->groups.v[id / 2];
        mst_assert(group->members.n == before->members.n);
        group->any_unschedulable = before->any_unschedulable;
        group->any_pending = before->any_pending;
        for (uint32_t i = 0; i < group->members.n; i++)
            queue->pods.v[mst_q_member(&group->members, i)] = before->members.v[i];
    } else {
        queue->pods.v[id / 2] = before->members.v[0];
    }
    struct mst_entity *e = mst_q_entity(queue, id);
    *e = before->e;
    e->store = MST_STORE_NONE;
    mst_q_cause(queue, NULL);
    mst_q_enter_heap(queue, id, (mst_store)before->store);
}

/* ---- looking ---- */

static int compare_ready(const void *a, const void *b, void *ctx)
{
    return mst_q_active_before(ctx, *(const uint32_t *)a, *(const uint32_t *)b) ? -1 : 1;
}

uint32_t mst_queue_ready(const struct mst_queue *queue, struct mst_arena *arena,
                         struct mst_waiting **out)
{
    const struct mst_heap *heap = &queue->active;
    uint32_t *ids = MST_NEW_N(arena, uint32_t, heap->count);
    struct mst_waiting *list = MST_NEW_N(arena, struct mst_waiting, heap->count);
    if (heap->count)
        memcpy(ids, heap->ids, heap->count * sizeof(*ids));
    mst_sort(ids, heap->count, sizeof(*ids), compare_ready, (void *)queue);
    for (uint32_t i = 0; i < heap->count; i++)
        list[i] = (struct mst_waiting){ .group = mst_q_is_group(ids[i]), .id = ids[i] / 2 };
    *out = list;
    return heap->count;
}

bool mst_queue_look(const struct mst_queue *queue, bool group, const uint32_t *id,
                    struct mst_popped *out)
{
    if (*id >= (group ? queue->groups.n : queue->pods.n))
        return false;
    if (!group) {
        const struct mst_q_pod *p = &queue->pods.v[*id];
        *out = (struct mst_popped){
            .id = *id, .attempt = p->e.attempts + 1, .pods = id, .pod_count = 1
        };
        return p->group == MST_ROW_NONE && p->at == MST_AT_ENTITY;
    }
    const struct mst_q_group *g = &queue->groups.v[*id];
    *out = (struct mst_popped){ .group = true,
                                .id = *id,
                                .attempt = g->e.attempts + 1,
                                .pods = g->members.v + g->members.begin,
                                .pod_count = g->members.n };
    return g->members.n > 0;
}

/* ---- pods come back ---- */

/* Counters, time and blame of a pod that was tried in vain. */
static void note_failure(struct mst_queue *queue, uint32_t pod, uint64_t unschedulable,
                         uint64_t pending, int64_t now_ns)
{
    struct mst_entity *e = &queue->pods.v[pod].e;
    if (unschedulable == 0 && pending == 0) {
        e->errors_count++;
    } else {
        e->unschedulable_count++;
        e->errors_count = 0;
    }
    e->unschedulable = unschedulable;
    e->pending = pending;
    e->backoff_ns = MST_Q_NEVER;
    e->flush_ns = MST_Q_NEVER;
    mst_q_stamp(queue, e, now_ns);
}

void mst_queue_pod_failed(struct mst_queue *queue, uint32_t pod, uint64_t unschedulable_slots,
                          uint64_t pending_slots, int64_t now_ns)
{
    mst_assert(pod < queue->pods.n);
    struct mst_q_pod *p = &queue->pods.v[pod];
    if (p->group != MST_ROW_NONE) {
        mst_queue_member_failed(queue, pod, unschedulable_slots, pending_slots, now_ns);
        return;
    }
    mst_assert(p->at == MST_AT_POPPED || p->at == MST_AT_NONE);
    uint32_t id = mst_q_pod_id(pod);
    if (p->at == MST_AT_POPPED)
        queue->popped = MST_Q_NONE;
    p->e.store = MST_STORE_NONE;
    p->at = MST_AT_ENTITY;
    note_failure(queue, pod, unschedulable_slots, pending_slots, now_ns);
    mst_q_cause(queue, "ScheduleAttemptFailure");
    if (unschedulable_slots == 0 && pending_slots == 0)
        mst_q_requeue_as(queue, id, MST_REQUEUE_AFTER_BACKOFF, now_ns);
    else
        mst_q_enter_unschedulable(queue, id);
}

/*
 * The pod's group was handed back or dropped and nothing of it is queued: the pod alone is the
 * group's next entity (scheduling.md 1.8, last paragraphs). Upstream starts it without backoff and
 * so retries a lasting failure as fast as it can; here only the first retry is at once in profile
 * upstream, and none in profile muster.
 */
static void retry_alone(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    uint32_t group = queue->pods.v[pod].group;
    struct mst_q_group *g = &queue->groups.v[group];
    uint32_t errors = queue->pods.v[pod].e.errors_count;
    mst_q_new_group_entity(queue, group, pod);
    mst_q_join(queue, group, pod);
    g->e.errors_count = queue->o.config->upstream && errors <= 1 ? 0 : errors;
    mst_q_requeue(queue, mst_q_group_id(group), MST_REQUEUE_AFTER_BACKOFF, now_ns);
}

/*
 * The pod joined members that are about to be tried. Each attempt that places it is a success, and
 * then the group waits for nothing: upstream tries a binding that always fails as fast as it can,
 * as long as some member fits nowhere. Profile muster lets the group back off by the pod.
 */
static void delay_rest(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    const struct mst_q_pod *p = &queue->pods.v[pod];
    uint32_t id = mst_q_group_id(p->group);
    struct mst_entity *e = &queue->groups.v[p->group].e;
    if (queue->o.config->upstream || e->store != MST_STORE_ACTIVE ||
        p->e.errors_count <= e->errors_count)
        return;
    mst_q_leave(queue, id);
    e->errors_count = p->e.errors_count;
    e->backoff_ns = MST_Q_NEVER;
    mst_q_stamp(queue, e, now_ns);
    mst_q_requeue_as(queue, id, MST_REQUEUE_AFTER_BACKOFF, now_ns);
}

void mst_queue_member_failed(struct mst_queue *queue, uint32_t pod, uint64_t unschedulable_slots,
                             uint64_t pending_slots, int64_t now_ns)
{
    mst_assert(pod < queue->pods.n);
    struct mst_q_pod *p = &queue->pods.v[pod];
    if (p->group == MST_ROW_NONE) {
        mst_queue_pod_failed(queue, pod, unschedulable_slots, pending_slots, now_ns);
        return;
    }
    mst_assert(p->at == MST_AT_POPPED || p->at == MST_AT_NONE);
    p->returned = p->at == MST_AT_POPPED;
    p->at = MST_AT_NONE;
    note_failure(queue, pod, unschedulable_slots, pending_slots, now_ns);
    mst_q_cause(queue, "ScheduleAttemptFailure");
    if (p->returned)
        p->e.errors_count = 0; /* counts failures after submission: what the group backs off by */
    bool fresh = mst_q_resolvable(queue, p->group) && queue->popped != mst_q_group_id(p->group) &&
                 queue->groups.v[p->group].e.store == MST_STORE_NONE;
    if (fresh) {
        retry_alone(queue, pod, now_ns);
        return;
    }
    mst_q_add_member(queue, pod, now_ns);
    delay_rest(queue, pod, now_ns);
}

void mst_queue_pod_scheduled(struct mst_queue *queue, uint32_t pod)
{
    mst_assert(pod < queue->pods.n);
    struct mst_q_pod *p = &queue->pods.v[pod];
    mst_assert(p->at == MST_AT_POPPED);
    p->at = MST_AT_NONE;
    if (p->group != MST_ROW_NONE)
        return; /* the group stays popped until mst_queue_group_done */
    p->e.store = MST_STORE_NONE;
    queue->popped = MST_Q_NONE;
}

/* ---- the end of a group's cycle ---- */

/* The table of scheduling.md 1.8. `had`: some popped member came back. */
static void settle(struct mst_queue *queue, struct mst_entity *e, mst_group_end end, bool had,
                   int64_t now_ns)
{
    e->backoff_ns = MST_Q_NEVER;
    e->flush_ns = MST_Q_NEVER;
    switch (end) {
    case MST_GROUP_SUCCESS:
        e->unschedulable_count = e->errors_count = 0;
        if (!had)
            mst_q_stamp(queue, e, now_ns);
        break;
    case MST_GROUP_REJECTED:
        e->unschedulable_count++;
        e->errors_count = 0;
        mst_q_stamp(queue, e, now_ns);
        break;
    case MST_GROUP_ERROR:
        e->errors_count++;
        mst_q_stamp(queue, e, now_ns);
        break;
    }
}

void mst_queue_group_done(struct mst_queue *queue, uint32_t group, mst_group_end end,
                          int64_t now_ns)
{
    uint32_t id = mst_q_group_id(group);
    mst_assert(queue->popped == id);
    struct mst_q_group *g = &queue->groups.v[group];
    for (uint32_t i = 0; i < g->members.n; i++)
        mst_assert(queue->pods.v[mst_q_member(&g->members, i)].at != MST_AT_POPPED);
    queue->popped = MST_Q_NONE;
    g->e.store = MST_STORE_NONE;
    uint32_t n = g->pending.n;
    if (n == 0) {
        mst_q_drop_group_entity(queue, group);
        return;
    }
    bool had = false;
    for (uint32_t i = 0; i < n; i++) {
        struct mst_q_pod *p = &queue->pods.v[g->pending.v[i]];
        p->at = MST_AT_ENTITY;
        had |= p->returned;
        p->returned = false;
        g->any_unschedulable |= p->e.unschedulable;
        g->any_pending |= p->e.pending;
    }
    mst_q_members_fill(queue, &g->members, g->pending.v, n);
    mst_vec_done(&g->pending);
    /* Priority of the object as it is now: it may have been replaced since the pop. */
    g->e.priority = queue->o.cluster->groups.v[group].priority;
    settle(queue, &g->e, end, had, now_ns);
    mst_q_cause(queue, "ScheduleAttemptFailure");
    mst_q_requeue(queue, id, end == MST_GROUP_SUCCESS ? MST_REQUEUE_NOW : MST_REQUEUE_AFTER_BACKOFF,
                  now_ns);
}
