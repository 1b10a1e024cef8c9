/*
 * queue.c - pods and groups that come, change and go; the views of who is where.
 *
 * Owns:       the rows of the queue, and the lists of members that are in no entity: incomplete and
 *             pending.
 * Borrows:    the cluster's rows (read only) and the frameworks.
 * Invariants: a pod is in exactly one place (mst_q_at); a group with an entity is resolvable and
 *             has members; a member is incomplete only while its group is not resolvable; pending
 *             is empty unless the group is popped. mst_queue_check asserts them.
 * Not here:   stores (queue_store.c), events (queue_event.c), cycles (queue_cycle.c).
 * Source:     spec/scheduling.md 1.1, 1.2.
 */
#include "queue/queue_internal.h"

static const struct mst_entity ENTITY_NONE = {
    .initial_ns = MST_Q_NEVER,
    .backoff_ns = MST_Q_NEVER,
    .flush_ns = MST_Q_NEVER,
    .gate_slot = MST_Q_NO_SLOT,
    .gate_pod = MST_ROW_NONE,
    .next = MST_Q_NONE,
    .prev = MST_Q_NONE,
};

struct mst_queue *mst_queue_new(const struct mst_queue_options *options)
{
    mst_assert(options->cluster);
    mst_assert(options->config);
    mst_assert(options->frameworks || options->framework_count == 0);
    struct mst_queue *queue = mst_calloc(1, sizeof(*queue));
    queue->o = *options;
    queue->active = (struct mst_heap){ .before = mst_q_active_before, .ctx = queue };
    queue->backoff = (struct mst_heap){ .before = mst_q_backoff_before, .ctx = queue };
    queue->error_backoff = (struct mst_heap){ .before = mst_q_backoff_before, .ctx = queue };
    queue->unschedulable_head = queue->unschedulable_tail = MST_Q_NONE;
    queue->unschedulable_oldest_ns = INT64_MAX;
    queue->start_ns = MST_Q_NEVER;
    queue->popped = MST_Q_NONE;
    for (uint32_t i = 0; i < options->framework_count; i++)
        mst_vec_push(&queue->listening, 0);
    return queue;
}

static void group_done(struct mst_q_group *group)
{
    mst_q_members_done(&group->members);
    mst_vec_done(&group->incomplete);
    mst_vec_done(&group->pending);
}

void mst_queue_free(struct mst_queue *queue)
{
    if (!queue)
        return;
    for (uint32_t i = 0; i < queue->groups.n; i++)
        group_done(&queue->groups.v[i]);
    mst_vec_done(&queue->groups);
    mst_vec_done(&queue->pods);
    mst_heap_done(&queue->active);
    mst_heap_done(&queue->backoff);
    mst_heap_done(&queue->error_backoff);
    mst_vec_done(&queue->holds);
    mst_vec_done(&queue->again);
    mst_vec_done(&queue->scratch_ids);
    mst_vec_done(&queue->listening);
    mst_vec_done(&queue->before.members);
    mst_arena_done(&queue->scratch);
    mst_free(queue);
}

/* ---- rows ---- */

static void pod_reset(struct mst_q_pod *pod)
{
    *pod = (struct mst_q_pod){ .e = ENTITY_NONE, .group = MST_ROW_NONE, .hold_ns = MST_Q_NEVER };
}

static void want_pod(struct mst_queue *queue, uint32_t pod)
{
    mst_vec_reserve(&queue->pods, (size_t)pod + 1);
    while (queue->pods.n <= pod)
        pod_reset(&queue->pods.v[queue->pods.n++]);
}

static void want_group(struct mst_queue *queue, uint32_t group)
{
    mst_vec_reserve(&queue->groups, (size_t)group + 1);
    while (queue->groups.n <= group)
        queue->groups.v[queue->groups.n++] = (struct mst_q_group){ .e = ENTITY_NONE };
}

void mst_q_first_use(struct mst_queue *queue, int64_t now_ns)
{
    if (queue->start_ns != MST_Q_NEVER)
        return;
    queue->start_ns = now_ns;
    queue->next_flush_ns = now_ns + MST_Q_FLUSH_S * MST_Q_SECOND;
}

bool mst_q_resolvable(const struct mst_queue *queue, uint32_t group)
{
    const struct mst_group_row *row = &queue->o.cluster->groups.v[group];
    return row->live && row->known && !row->composite && row->parent.n == 0;
}

/* ---- members without an entity ---- */

void mst_q_to_incomplete(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    struct mst_q_group *group = &queue->groups.v[p->group];
    mst_assert(p->at == MST_AT_NONE);
    p->at = MST_AT_INCOMPLETE;
    p->returned = false;
    p->list_i = group->incomplete.n;
    mst_vec_push(&group->incomplete, pod);
    mst_q_hold(queue, pod, now_ns);
    mst_q_hold_changed(queue, pod);
}

void mst_q_to_pending(struct mst_queue *queue, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    struct mst_q_group *group = &queue->groups.v[p->group];
    mst_assert(p->at == MST_AT_NONE);
    p->at = MST_AT_PENDING;
    p->list_i = group->pending.n;
    mst_vec_push(&group->pending, pod);
}

/* The last one takes its place: the lists have no order. */
static void take_from_list(struct mst_queue *queue, uint32_t *list, uint32_t *count, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    mst_assert(p->list_i < *count);
    mst_assert(list[p->list_i] == pod);
    uint32_t last = list[--*count];
    list[p->list_i] = last;
    queue->pods.v[last].list_i = p->list_i;
}

/* ---- entities of groups ---- */

void mst_q_new_group_entity(struct mst_queue *queue, uint32_t group, uint32_t pod)
{
    struct mst_q_group *g = &queue->groups.v[group];
    mst_assert(g->e.store == MST_STORE_NONE);
    mst_assert(g->members.n == 0);
    const struct mst_entity *from = &queue->pods.v[pod].e;
    g->e = ENTITY_NONE;
    g->e.priority = queue->o.cluster->groups.v[group].priority;
    g->e.since_ns = from->since_ns;
    g->e.since_serial = from->since_serial;
    g->e.initial_ns = from->initial_ns;
    g->any_unschedulable = g->any_pending = 0;
}

void mst_q_drop_group_entity(struct mst_queue *queue, uint32_t group)
{
    struct mst_q_group *g = &queue->groups.v[group];
    mst_q_leave(queue, mst_q_group_id(group));
    g->e = ENTITY_NONE;
    g->any_unschedulable = g->any_pending = 0;
    mst_q_members_done(&g->members);
}

void mst_q_join(struct mst_queue *queue, uint32_t group, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    struct mst_q_group *g = &queue->groups.v[group];
    mst_assert(p->at == MST_AT_NONE);
    p->at = MST_AT_ENTITY;
    g->any_unschedulable |= p->e.unschedulable;
    g->any_pending |= p->e.pending;
    mst_q_members_insert(queue, &g->members, pod);
}

void mst_q_add_member(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    uint32_t group = queue->pods.v[pod].group;
    uint32_t id = mst_q_group_id(group);
    mst_assert(queue->pods.v[pod].at == MST_AT_NONE);
    if (!mst_q_resolvable(queue, group)) {
        mst_q_to_incomplete(queue, pod, now_ns);
        return;
    }
    if (queue->popped == id) {
        mst_q_to_pending(queue, pod);
        return;
    }
    if (queue->groups.v[group].e.store != MST_STORE_NONE) {
        mst_q_join(queue, group, pod);
        mst_q_put_back(queue, group, pod, now_ns);
        return;
    }
    mst_q_new_group_entity(queue, group, pod);
    mst_q_join(queue, group, pod);
    mst_q_enter_active(queue, id, true, now_ns);
}

/* ---- pods ---- */

void mst_queue_pod_added(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    const struct mst_pod_row *row = mst_q_row(queue, pod);
    mst_assert(row->live);
    mst_assert(row->known_profile);
    mst_assert(row->profile < queue->o.framework_count);
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, "UnscheduledPodAdd");
    want_pod(queue, pod);
    struct mst_q_pod *p = &queue->pods.v[pod];
    mst_assert(p->at == MST_AT_NONE);
    pod_reset(p);
    p->group = row->group;
    p->e.priority = row->priority;
    mst_q_stamp(queue, &p->e, now_ns);
    if (p->group != MST_ROW_NONE) {
        want_group(queue, p->group);
        mst_q_add_member(queue, pod, now_ns);
        return;
    }
    p->at = MST_AT_ENTITY;
    mst_q_enter_active(queue, mst_q_pod_id(pod), true, now_ns);
}

/* Takes a member out of its entity, which goes on without it, or ends. */
static void leave_entity(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    uint32_t group = queue->pods.v[pod].group;
    struct mst_q_group *g = &queue->groups.v[group];
    mst_q_members_remove(queue, &g->members, pod);
    queue->pods.v[pod].at = MST_AT_NONE;
    if (g->e.gate_pod == pod)
        g->e.gate_pod = MST_ROW_NONE;
    if (g->members.n == 0)
        mst_q_drop_group_entity(queue, group);
    else
        mst_q_put_back(queue, group, MST_ROW_NONE, now_ns);
}

/* Out of wherever it is; its own queueing data stay. */
static void take_out(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    struct mst_q_group *g = p->group == MST_ROW_NONE ? NULL : &queue->groups.v[p->group];
    mst_q_unhold(queue, pod);
    switch ((mst_q_at)p->at) {
    case MST_AT_NONE: break;
    case MST_AT_ENTITY:
        if (g)
            leave_entity(queue, pod, now_ns);
        else
            mst_q_leave(queue, mst_q_pod_id(pod));
        break;
    case MST_AT_INCOMPLETE: take_from_list(queue, g->incomplete.v, &g->incomplete.n, pod); break;
    case MST_AT_PENDING: take_from_list(queue, g->pending.v, &g->pending.n, pod); break;
    case MST_AT_POPPED:
        /* The group stays popped until its cycle ends; a lone pod was all there was. */
        if (!g)
            queue->popped = MST_Q_NONE;
        break;
    }
    p->at = MST_AT_NONE;
}

void mst_queue_pod_removed(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, "UnscheduledPodAdd"); /* so upstream names what a leaving member causes */
    if (pod >= queue->pods.n)
        return;
    take_out(queue, pod, now_ns);
    pod_reset(&queue->pods.v[pod]);
}

/* The keys by which the pod is sorted, taken anew from its row. */
static void refresh_pod(struct mst_queue *queue, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    int32_t priority = mst_q_row(queue, pod)->priority;
    if (priority == p->e.priority)
        return;
    if (p->at != MST_AT_ENTITY) {
        p->e.priority = priority;
    } else if (p->group != MST_ROW_NONE) {
        struct mst_q_members *members = &queue->groups.v[p->group].members;
        mst_q_members_remove(queue, members, pod);
        p->e.priority = priority;
        mst_q_members_insert(queue, members, pod);
    } else {
        p->e.priority = priority;
        uint32_t id = mst_q_pod_id(pod);
        struct mst_heap *heaps[] = { &queue->active, &queue->backoff, &queue->error_backoff };
        for (size_t i = 0; i < MST_COUNT(heaps); i++)
            if (mst_heap_has(heaps[i], id))
                mst_heap_put(heaps[i], id);
    }
}

/*
 * The text of a held member follows from its object, and what it says of the gating one from
 * that.
 */
static void text_changed(struct mst_queue *queue, uint32_t pod)
{
    mst_q_hold_changed(queue, pod);
    const struct mst_q_pod *p = &queue->pods.v[pod];
    if (p->at != MST_AT_ENTITY || p->group == MST_ROW_NONE)
        return;
    const struct mst_q_group *g = &queue->groups.v[p->group];
    if (!g->e.gated || g->e.gate_pod != pod)
        return;
    for (uint32_t i = 0; i < g->members.n; i++)
        mst_q_hold_changed(queue, mst_q_member(&g->members, i));
}

void mst_q_pod_changed(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    struct mst_q_pod *p = &queue->pods.v[pod];
    uint32_t group = mst_q_row(queue, pod)->group;
    if (group == p->group) {
        refresh_pod(queue, pod);
        text_changed(queue, pod);
        return;
    }
    /* The field is immutable in the API; other sources may do as they like. */
    take_out(queue, pod, now_ns);
    mst_queue_pod_added(queue, pod, now_ns);
}

/* ---- groups ---- */

/* The members whose group became resolvable: all at once, then PreEnqueue once. */
static void enter_incomplete(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    struct mst_q_group *g = &queue->groups.v[group];
    uint32_t n = g->incomplete.n;
    if (n == 0)
        return;
    mst_assert(g->e.store == MST_STORE_NONE || g->e.store == MST_STORE_POPPED);
    uint32_t *pods = g->incomplete.v;
    g->incomplete.n = 0;
    uint32_t first = pods[0];
    for (uint32_t i = 0; i < n; i++) {
        struct mst_q_pod *p = &queue->pods.v[pods[i]];
        p->at = MST_AT_NONE;
        if (p->e.since_serial < queue->pods.v[first].e.since_serial)
            first = pods[i];
    }
    if (queue->popped == mst_q_group_id(group)) {
        for (uint32_t i = 0; i < n; i++) {
            mst_q_unhold(queue, pods[i]);
            mst_q_to_pending(queue, pods[i]);
        }
        return;
    }
    mst_q_new_group_entity(queue, group, first);
    mst_q_members_fill(queue, &g->members, pods, n);
    for (uint32_t i = 0; i < n; i++) {
        struct mst_q_pod *p = &queue->pods.v[pods[i]];
        p->at = MST_AT_ENTITY;
        g->any_unschedulable |= p->e.unschedulable;
        g->any_pending |= p->e.pending;
    }
    mst_q_enter_active(queue, mst_q_group_id(group), true, now_ns);
    for (uint32_t i = 0; i < n; i++) {
        if (g->e.gated)
            mst_q_hold_changed(queue, pods[i]);
        else
            mst_q_unhold(queue, pods[i]);
    }
}

/* The group is not resolvable any more: queued and pending members wait for it again. */
static void leave_to_incomplete(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    struct mst_q_group *g = &queue->groups.v[group];
    while (g->pending.n > 0) {
        uint32_t pod = g->pending.v[--g->pending.n];
        queue->pods.v[pod].at = MST_AT_NONE;
        mst_q_to_incomplete(queue, pod, now_ns);
    }
    if (g->e.store == MST_STORE_NONE || g->e.store == MST_STORE_POPPED)
        return;
    for (uint32_t i = 0; i < g->members.n; i++) {
        uint32_t pod = mst_q_member(&g->members, i);
        queue->pods.v[pod].at = MST_AT_NONE;
        mst_q_to_incomplete(queue, pod, now_ns);
    }
    mst_q_drop_group_entity(queue, group);
}

static void group_lost(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    leave_to_incomplete(queue, group, now_ns);
    /* Those that were incomplete before may be so for another reason now. */
    const struct mst_q_group *g = &queue->groups.v[group];
    for (uint32_t i = 0; i < g->incomplete.n; i++)
        mst_q_hold_changed(queue, g->incomplete.v[i]);
}

void mst_queue_group_added(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    mst_queue_group_updated(queue, group, now_ns);
}

void mst_queue_group_updated(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, "UnscheduledPodAdd");
    if (group >= queue->groups.n)
        return; /* no member of it was ever here */
    struct mst_q_group *g = &queue->groups.v[group];
    if (!mst_q_resolvable(queue, group)) {
        group_lost(queue, group, now_ns);
        return;
    }
    enter_incomplete(queue, group, now_ns);
    int32_t priority = queue->o.cluster->groups.v[group].priority;
    if (g->e.store == MST_STORE_NONE || g->e.priority == priority)
        return;
    g->e.priority = priority;
    uint32_t id = mst_q_group_id(group);
    struct mst_heap *heaps[] = { &queue->active, &queue->error_backoff };
    for (size_t i = 0; i < MST_COUNT(heaps); i++)
        if (mst_heap_has(heaps[i], id))
            mst_heap_put(heaps[i], id);
}

void mst_queue_group_removed(struct mst_queue *queue, uint32_t group, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    if (group < queue->groups.n)
        group_lost(queue, group, now_ns);
}
