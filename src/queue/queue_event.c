/*
 * queue_event.c - what wakes a waiting entity: events through the plugins' hints, and timers.
 *
 * Borrows:    the frameworks: who registered for what, and the hints.
 * Invariants: an event nobody registered for costs O(plugins); otherwise every unschedulable entity
 *             is looked at once, and only those whose rejectors registered run hints. A hint is a
 *             function of the pod's class, profile and group and of the event, so equal members of
 *             a group are asked once.
 * Differs:    profile muster also wakes groups in backoff (scheduling.md 1.7): their backoff grows
 *             to 10 s times the root of their size, and nothing else would end it early.
 * Source:     spec/scheduling.md 1.6, 1.7.
 */
#include "queue/queue_internal.h"

/* ---- who listens ---- */

/*
 * Fills queue->listening; true if any plugin of any profile registered, or the event is a
 * wildcard.
 */
static bool find_listeners(struct mst_queue *queue, const struct mst_cluster_event *event)
{
    bool any = event->resource == MST_ON_WILDCARD;
    for (uint32_t profile = 0; profile < queue->o.framework_count; profile++) {
        const struct mst_framework *fw = &queue->o.frameworks[profile];
        uint64_t mask = 0;
        for (uint32_t slot = 0; slot < fw->slot_count; slot++)
            if (mst_framework_listens(fw, slot, event))
                mask |= UINT64_C(1) << slot;
        queue->listening.v[profile] = mask;
        any |= mask != 0;
    }
    return any;
}

static uint64_t all_listeners(const struct mst_queue *queue)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < queue->listening.n; i++)
        all |= queue->listening.v[i];
    return all;
}

/* ---- what the event means ---- */

/* The hints of the slots that rejected the pod (step 4). */
static mst_requeue ask_hints(struct mst_queue *queue, uint32_t pod,
                             const struct mst_cluster_event *event)
{
    const struct mst_entity *e = &queue->pods.v[pod].e;
    const struct mst_framework *fw = mst_q_framework(queue, pod);
    uint64_t slots =
        (e->unschedulable | e->pending) & queue->listening.v[mst_q_row(queue, pod)->profile];
    mst_requeue best = MST_REQUEUE_SKIP;
    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        bool is_pending = e->pending >> slot & 1;
        if (best == MST_REQUEUE_AFTER_BACKOFF && !is_pending)
            continue;
        mst_mark_begin(queue->o.marks, MST_PART_QUEUE_HINT);
        const mst_hint hint = mst_framework_hint(fw, slot, pod, event);
        mst_mark_sample(queue->o.marks, MST_PART_QUEUE_HINT,
                        &(struct mst_sample){ .plugin = fw->slots[slot].plugin->name,
                                              .event = event->label,
                                              .yes = hint == MST_HINT_QUEUE });
        if (hint != MST_HINT_QUEUE)
            continue;
        if (is_pending)
            return MST_REQUEUE_NOW;
        best = MST_REQUEUE_AFTER_BACKOFF;
    }
    return best;
}

/* Step 4 for one pod by itself. */
static mst_requeue judge_pod(struct mst_queue *queue, uint32_t pod,
                             const struct mst_cluster_event *event)
{
    const struct mst_entity *e = &queue->pods.v[pod].e;
    if (e->unschedulable == 0 && e->pending == 0)
        return MST_REQUEUE_AFTER_BACKOFF;
    if (event->resource == MST_ON_WILDCARD)
        return event->pod == MST_ROW_NONE || event->pod == pod ? MST_REQUEUE_AFTER_BACKOFF
                                                               : MST_REQUEUE_SKIP;
    return ask_hints(queue, pod, event);
}

/* The best answer of the members that have rejectors; members without do not count. */
static mst_requeue judge_members(struct mst_queue *queue, const struct mst_q_group *group,
                                 const struct mst_cluster_event *event)
{
    if (((group->any_unschedulable | group->any_pending) & all_listeners(queue)) == 0)
        return MST_REQUEUE_SKIP;
    mst_requeue best = MST_REQUEUE_SKIP;
    uint32_t asked = MST_ROW_NONE;
    for (uint32_t i = 0; i < group->members.n; i++) {
        uint32_t pod = mst_q_member(&group->members, i);
        const struct mst_entity *e = &queue->pods.v[pod].e;
        if (e->unschedulable == 0 && e->pending == 0)
            continue;
        if (asked != MST_ROW_NONE && e->unschedulable == queue->pods.v[asked].e.unschedulable &&
            e->pending == queue->pods.v[asked].e.pending &&
            mst_q_row(queue, pod)->class_id == mst_q_row(queue, asked)->class_id)
            continue;
        asked = pod;
        mst_requeue answer = ask_hints(queue, pod, event);
        best = MST_MAX(best, answer);
        if (best == MST_REQUEUE_NOW || (best == MST_REQUEUE_AFTER_BACKOFF && !group->any_pending))
            break;
    }
    return best;
}

/*
 * Steps 4 and 5 for a gated group. Upstream lets a member without rejectors wake the group, 1.38
 * and profile muster do not; it makes no difference while the gating member is there, for then
 * PreEnqueue only says no again. Without it upstream's group goes on with the next matching event.
 */
static mst_requeue judge_group(struct mst_queue *queue, uint32_t group,
                               const struct mst_cluster_event *event)
{
    const struct mst_q_group *g = &queue->groups.v[group];
    if (event->resource == MST_ON_WILDCARD) {
        bool ours = event->pod == MST_ROW_NONE ||
                    (event->pod < queue->pods.n && queue->pods.v[event->pod].group == group);
        return ours ? MST_REQUEUE_AFTER_BACKOFF : MST_REQUEUE_SKIP;
    }
    mst_requeue best = MST_REQUEUE_SKIP;
    if (g->e.gate_pod == MST_ROW_NONE)
        best = MST_REQUEUE_AFTER_BACKOFF;
    else
        best = ask_hints(queue, g->e.gate_pod, event);
    if (best == MST_REQUEUE_NOW || (best == MST_REQUEUE_AFTER_BACKOFF && !g->any_pending))
        return best;
    mst_requeue members = judge_members(queue, g, event);
    return MST_MAX(best, members);
}

/* Step 3: a gated entity is looked at only for what its gating plugin registered for. */
static bool concerns_gate(const struct mst_queue *queue, const struct mst_entity *e,
                          const struct mst_cluster_event *event)
{
    if (!e->gated || event->resource == MST_ON_WILDCARD)
        return true;
    mst_assert(e->gate_slot < MST_SLOTS_MAX);
    return queue->listening.v[e->gate_profile] >> e->gate_slot & 1;
}

/* Step 2: one pod of the entity that the event may concern is enough. */
static bool passes_pre_check(struct mst_queue *queue, uint32_t id,
                             const struct mst_cluster_event *event)
{
    if (!event->limited)
        return true;
    if (!mst_q_is_group(id))
        return mst_q_row(queue, id / 2)->priority <= event->priority_max;
    const struct mst_q_group *group = &queue->groups.v[id / 2];
    for (uint32_t i = 0; i < group->members.n; i++)
        if (mst_q_row(queue, mst_q_member(&group->members, i))->priority <= event->priority_max)
            return true;
    return false;
}

static void wake_unschedulable(struct mst_queue *queue, const struct mst_cluster_event *event,
                               int64_t now_ns)
{
    for (uint32_t id = queue->unschedulable_head, next; id != MST_Q_NONE; id = next) {
        const struct mst_entity *e = mst_q_entity(queue, id);
        next = e->next;
        if (!passes_pre_check(queue, id, event) || !concerns_gate(queue, e, event))
            continue;
        mst_requeue how = mst_q_is_group(id) ? judge_group(queue, id / 2, event)
                                             : judge_pod(queue, id / 2, event);
        if (how != MST_REQUEUE_SKIP)
            mst_q_requeue_as(queue, id, how, now_ns);
    }
}

/* ---- groups in backoff (profile muster) ---- */

/* A group that no plugin rejected had no place to try: a new or relabelled node may be one. */
static bool may_make_placements(const struct mst_cluster_event *event)
{
    return event->resource == MST_ON_NODE &&
           (event->actions & (MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL)) != 0;
}

static bool wakes_group(struct mst_queue *queue, uint32_t group,
                        const struct mst_cluster_event *event, int64_t now_ns)
{
    const struct mst_q_group *g = &queue->groups.v[group];
    if (now_ns - g->e.since_ns < queue->o.config->initial_backoff_s * MST_Q_SECOND)
        return false;
    if (g->any_unschedulable == 0 && g->any_pending == 0)
        return g->e.errors_count == 0 && may_make_placements(event);
    return judge_members(queue, g, event) != MST_REQUEUE_SKIP;
}

static void wake_groups_in_backoff(struct mst_queue *queue, const struct mst_cluster_event *event,
                                   int64_t now_ns)
{
    /* The order of moves does not matter: times stay, and the active heap is in a total order. */
    queue->scratch_ids.n = 0;
    for (uint32_t i = 0; i < queue->error_backoff.count; i++) {
        uint32_t id = queue->error_backoff.ids[i];
        if (mst_q_is_group(id) && wakes_group(queue, id / 2, event, now_ns))
            mst_vec_push(&queue->scratch_ids, id);
    }
    for (uint32_t i = 0; i < queue->scratch_ids.n; i++)
        mst_q_requeue_as(queue, queue->scratch_ids.v[i], MST_REQUEUE_NOW, now_ns);
}

void mst_queue_event(struct mst_queue *queue, const struct mst_cluster_event *event, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, event->label);
    bool any = find_listeners(queue, event);
    /* Backoff first: a group that the event moves there must not be moved by it a second time. */
    if (!queue->o.config->upstream && event->resource != MST_ON_WILDCARD &&
        (any || may_make_placements(event)))
        wake_groups_in_backoff(queue, event, now_ns);
    if (any)
        wake_unschedulable(queue, event, now_ns);
}

/*
 * The pod's own update (TargetPod events). Only what waits for an event listens to it, gated or
 * not; gating registrations are not consulted. The first event that moves the entity ends it.
 */
void mst_queue_pod_updated(struct mst_queue *queue, uint32_t pod,
                           const struct mst_cluster_event *events, uint32_t event_count,
                           int64_t now_ns)
{
    if (pod >= queue->pods.n || queue->pods.v[pod].at == MST_AT_NONE)
        return;
    mst_q_cause(queue, "UnscheduledPodUpdate");
    mst_q_pod_changed(queue, pod, now_ns);
    if (queue->pods.v[pod].at != MST_AT_ENTITY)
        return;
    uint32_t id = mst_q_id_of(queue, pod);
    const struct mst_entity *e = mst_q_entity(queue, id);
    for (uint32_t i = 0; i < event_count && e->store == MST_STORE_UNSCHEDULABLE; i++) {
        (void)find_listeners(queue, &events[i]);
        mst_q_cause(queue, events[i].label);
        const struct mst_entity *own = &queue->pods.v[pod].e;
        bool blamed = own->unschedulable != 0 || own->pending != 0;
        /* 1.38 and profile muster: a member that nobody rejected does not wake its gated group. */
        if (!blamed && mst_q_is_group(id) && !queue->o.config->upstream)
            continue;
        mst_requeue how = judge_pod(queue, pod, &events[i]);
        if (how != MST_REQUEUE_SKIP)
            mst_q_requeue_as(queue, id, how, now_ns);
    }
}

void mst_queue_activate(struct mst_queue *queue, bool group, uint32_t id, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, "ForceActivate");
    if (id >= (group ? queue->groups.n : queue->pods.n))
        return;
    if (!group && queue->pods.v[id].at != MST_AT_ENTITY)
        return;
    uint32_t entity = group ? mst_q_group_id(id) : mst_q_id_of(queue, id);
    uint8_t store = mst_q_entity(queue, entity)->store;
    if (store == MST_STORE_UNSCHEDULABLE || store == MST_STORE_BACKOFF ||
        store == MST_STORE_ERROR_BACKOFF)
        mst_q_requeue(queue, entity, MST_REQUEUE_NOW, now_ns);
}

/* ---- timers ---- */

/* First whole second at which the entity is not backing off any more. */
static int64_t backoff_end(const struct mst_entity *e)
{
    return mst_q_floor_second(e->backoff_ns) + MST_Q_SECOND;
}

static void flush_backoff(struct mst_queue *queue, struct mst_heap *heap, int64_t now_ns)
{
    while (heap->count > 0) {
        uint32_t id = mst_heap_top(heap);
        if (backoff_end(mst_q_entity(queue, id)) > now_ns)
            return;
        /* With SchedulerPopFromBackoffQ it passed PreEnqueue on entering backoff. */
        mst_q_enter_active(queue, id, !mst_q_pops_backoff(queue), now_ns);
    }
}

/* From when on the unschedulable timeout counts. */
static int64_t waits_since(const struct mst_entity *e)
{
    return MST_MAX(e->since_ns, e->flush_ns);
}

/* Moves what had waited too long at `due_ns`. */
static void flush_unschedulable(struct mst_queue *queue, int64_t due_ns, int64_t now_ns)
{
    int64_t timeout_ns = queue->o.config->unschedulable_timeout_s * MST_Q_SECOND;
    for (uint32_t id = queue->unschedulable_head, next; id != MST_Q_NONE; id = next) {
        struct mst_entity *e = mst_q_entity(queue, id);
        next = e->next;
        if (due_ns - waits_since(e) <= timeout_ns)
            continue;
        e->flush_ns = now_ns;
        mst_q_requeue_as(queue, id, MST_REQUEUE_AFTER_BACKOFF, now_ns);
    }
    int64_t oldest_ns = INT64_MAX;
    for (uint32_t id = queue->unschedulable_head; id != MST_Q_NONE;
         id = mst_q_entity(queue, id)->next)
        oldest_ns = MST_MIN(oldest_ns, waits_since(mst_q_entity(queue, id)));
    queue->unschedulable_oldest_ns = oldest_ns;
}

void mst_queue_tick(struct mst_queue *queue, int64_t now_ns)
{
    mst_q_first_use(queue, now_ns);
    mst_q_cause(queue, "BackoffComplete");
    flush_backoff(queue, &queue->backoff, now_ns);
    flush_backoff(queue, &queue->error_backoff, now_ns);
    if (now_ns < queue->next_flush_ns)
        return;
    /*
     * As of the last whole period: a host that calls between the deadlines, or later than one,
     * moves nothing that a punctual host would not have moved.
     */
    mst_q_cause(queue, "UnschedulableTimeout");
    int64_t period_ns = MST_Q_FLUSH_S * MST_Q_SECOND;
    int64_t due_ns = now_ns - (now_ns - queue->start_ns) % period_ns;
    flush_unschedulable(queue, due_ns, now_ns);
    queue->next_flush_ns = due_ns + period_ns;
}

/* The first flush at which the oldest unschedulable entity can be too old. */
static int64_t unschedulable_deadline(const struct mst_queue *queue)
{
    if (queue->unschedulable_count == 0)
        return INT64_MAX;
    int64_t timeout_ns = queue->o.config->unschedulable_timeout_s * MST_Q_SECOND;
    int64_t period_ns = MST_Q_FLUSH_S * MST_Q_SECOND;
    int64_t expired_ns = queue->unschedulable_oldest_ns + timeout_ns + 1;
    if (expired_ns <= queue->next_flush_ns)
        return queue->next_flush_ns;
    int64_t periods = (expired_ns - queue->next_flush_ns + period_ns - 1) / period_ns;
    return queue->next_flush_ns + periods * period_ns;
}

int64_t mst_queue_deadline(const struct mst_queue *queue, int64_t now_ns)
{
    int64_t deadline_ns =
        MST_MIN(unschedulable_deadline(queue), mst_q_hold_deadline(queue, now_ns));
    const struct mst_heap *heaps[] = { &queue->backoff, &queue->error_backoff };
    for (size_t i = 0; i < MST_COUNT(heaps); i++)
        if (heaps[i]->count > 0)
            deadline_ns =
                MST_MIN(deadline_ns, backoff_end(mst_q_entity(queue, mst_heap_top(heaps[i]))));
    return deadline_ns;
}

int64_t mst_queue_backoff_end(const struct mst_queue *queue, uint32_t pod)
{
    if (pod >= queue->pods.n || queue->pods.v[pod].at != MST_AT_ENTITY)
        return INT64_MAX;
    const struct mst_entity *e = mst_q_entity(queue, mst_q_id_of(queue, pod));
    bool backing_off = e->store == MST_STORE_BACKOFF || e->store == MST_STORE_ERROR_BACKOFF;
    return backing_off ? backoff_end(e) : INT64_MAX;
}
