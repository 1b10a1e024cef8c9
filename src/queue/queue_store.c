/*
 * queue_store.c - the stores of entities, and the way from one to another: PreEnqueue and backoff.
 *
 * Owns:       the heaps and the list of unschedulable entities.
 * Invariants: an entity's `store` says where it is; the list is in order of insertion, and an
 *             entity that is gated again keeps its place; a group in the unschedulable store is
 *             gated; a heap's keys never change while an entity is in it.
 * Not here:   why an entity moves (queue_event.c, queue_cycle.c, queue.c).
 * Source:     spec/scheduling.md 1.3, 1.5; kubernetes v1.37 pkg/scheduler/backend/queue.
 */
#include "queue/queue_internal.h"

/* Longer backoffs than this many years are as good as forever, and no sum of times overflows. */
#define BACKOFF_LIMIT_NS (INT64_C(50) * 365 * 24 * 3600 * MST_Q_SECOND)

/* ---- order ---- */

bool mst_q_active_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct mst_entity *x = mst_q_entity(ctx, a), *y = mst_q_entity(ctx, b);
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns;
    if (x->since_serial != y->since_serial)
        return x->since_serial < y->since_serial;
    return a < b;
}

bool mst_q_backoff_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct mst_entity *x = mst_q_entity(ctx, a), *y = mst_q_entity(ctx, b);
    if (x->backoff_ns != y->backoff_ns)
        return x->backoff_ns < y->backoff_ns;
    return mst_q_active_before(ctx, a, b);
}

/* ---- backoff ---- */

/* floor(sqrt(n)). */
static int64_t square_root(unsigned __int128 n)
{
    uint64_t root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        uint64_t next = root | UINT64_C(1) << bit;
        if ((unsigned __int128)next * next <= n)
            root = next;
    }
    return (int64_t)root;
}

static int64_t seconds_to_ns(int64_t seconds)
{
    return seconds > BACKOFF_LIMIT_NS / MST_Q_SECOND ? BACKOFF_LIMIT_NS : seconds * MST_Q_SECOND;
}

/*
 * podMaxBackoff * sqrt(n) for an entity of n pods. Upstream multiplies doubles; the root here is
 * exact and rounded down, which agrees to the nanosecond short of the last bit of a double.
 */
static int64_t backoff_max(const struct mst_queue *queue, uint32_t n)
{
    int64_t max = seconds_to_ns(queue->o.config->max_backoff_s);
    if (n <= 1)
        return max;
    if (max > BACKOFF_LIMIT_NS / n)
        return BACKOFF_LIMIT_NS;
    return square_root((unsigned __int128)max * (uint64_t)max * n);
}

/* When the entity's backoff expires, from its counters; MST_Q_NEVER: no backoff. */
static int64_t backoff_expiration(const struct mst_queue *queue, uint32_t id)
{
    const struct mst_entity *e = mst_q_entity(queue, id);
    uint32_t count = e->errors_count > 0 ? e->errors_count : e->unschedulable_count;
    if (count == 0 || queue->o.config->max_backoff_s == 0)
        return MST_Q_NEVER;
    uint32_t n = mst_q_is_group(id) ? queue->groups.v[id / 2].members.n : 1;
    int64_t max = backoff_max(queue, n);
    int64_t initial = seconds_to_ns(queue->o.config->initial_backoff_s);
    uint32_t doublings = MST_MIN(count - 1, 62u);
    int64_t duration = initial > max >> doublings ? max : initial << doublings;
    int64_t end = e->since_ns + duration;
    return mst_q_pops_backoff(queue) ? mst_q_floor_second(end) : end;
}

bool mst_q_backing_off(struct mst_queue *queue, uint32_t id, int64_t now_ns)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    if (e->backoff_ns == MST_Q_NEVER)
        e->backoff_ns = backoff_expiration(queue, id);
    if (e->backoff_ns == MST_Q_NEVER)
        return false;
    return e->backoff_ns >= (mst_q_pops_backoff(queue) ? mst_q_floor_second(now_ns) : now_ns);
}

/* ---- PreEnqueue ---- */

/* Asks for one pod and keeps who gated it. True: it may enter. */
static bool pod_passes(struct mst_queue *queue, uint32_t pod)
{
    struct mst_entity *e = &queue->pods.v[pod].e;
    uint32_t first = e->gate_slot == MST_Q_NO_SLOT ? (uint32_t)MST_ROW_NONE : e->gate_slot;
    struct mst_status status = { .plugin = MST_ROW_NONE };
    mst_arena_reset(&queue->scratch);
    const struct mst_framework *fw = mst_q_framework(queue, pod);
    const struct mst_marks *marks = queue->o.marks;
    const bool plugins = marks && queue->pre_enqueues++ % MST_MARK_PLUGINS_EVERY == 0;
    mst_mark_begin(marks, MST_PART_PRE_ENQUEUE);
    mst_framework_pre_enqueue(fw, pod, first, plugins ? marks : NULL, &queue->scratch, &status);
    mst_mark_sample(marks, MST_PART_PRE_ENQUEUE,
                    &(struct mst_sample){ .profile = fw->profile, .code = status.code });
    if (status.code == MST_SUCCESS) {
        e->gate_slot = MST_Q_NO_SLOT;
        return true;
    }
    mst_assert(status.plugin < MST_SLOTS_MAX);
    e->gate_slot = (uint8_t)status.plugin;
    e->unschedulable |= UINT64_C(1) << status.plugin;
    uint32_t group = queue->pods.v[pod].group;
    if (group != MST_ROW_NONE) /* also when another member turns out to be the gate */
        queue->groups.v[group].any_unschedulable |= UINT64_C(1) << status.plugin;
    return false;
}

/*
 * The member whose "no" holds the group, or MST_ROW_NONE. Upstream asks every member and keeps the
 * plugin of the last one gated, so asking from the end until the first "no" finds the same. Profile
 * muster stops at a gated member as 1.38 does, and asks the one that gated before first.
 */
static uint32_t find_gate(struct mst_queue *queue, const struct mst_q_group *group)
{
    const struct mst_q_members *m = &group->members;
    if (queue->o.config->upstream) {
        for (uint32_t i = m->n; i-- > 0;)
            if (!pod_passes(queue, mst_q_member(m, i)))
                return mst_q_member(m, i);
        return MST_ROW_NONE;
    }
    uint32_t before = group->e.gate_pod;
    if (before != MST_ROW_NONE && !pod_passes(queue, before))
        return before;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t pod = mst_q_member(m, i);
        if (pod != before && !pod_passes(queue, pod))
            return pod;
    }
    return MST_ROW_NONE;
}

/* PreEnqueue of an entity: true when it passes, else who gates it is kept. */
static bool passes(struct mst_queue *queue, uint32_t id)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    uint32_t gate;
    if (mst_q_is_group(id))
        gate = find_gate(queue, &queue->groups.v[id / 2]);
    else
        gate = pod_passes(queue, id / 2) ? (uint32_t)MST_ROW_NONE : id / 2;
    if (gate == MST_ROW_NONE) {
        e->gate_pod = MST_ROW_NONE;
        if (mst_q_is_group(id))
            e->gate_slot = MST_Q_NO_SLOT;
        return true;
    }
    uint8_t slot = queue->pods.v[gate].e.gate_slot;
    uint32_t profile = mst_q_row(queue, gate)->profile;
    bool same = e->gate_pod == gate && e->gate_slot == slot && e->gate_profile == profile;
    e->gate_pod = gate;
    e->gate_slot = slot;
    e->gate_profile = profile;
    if (mst_q_is_group(id)) {
        struct mst_q_group *group = &queue->groups.v[id / 2];
        if (!same && e->gated)
            for (uint32_t i = 0; i < group->members.n; i++)
                mst_q_hold_changed(queue, mst_q_member(&group->members, i));
    }
    return false;
}

/* ---- stores ---- */

static void list_append(struct mst_queue *queue, uint32_t id)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    e->next = MST_Q_NONE;
    e->prev = queue->unschedulable_tail;
    if (e->prev == MST_Q_NONE)
        queue->unschedulable_head = id;
    else
        mst_q_entity(queue, e->prev)->next = id;
    queue->unschedulable_tail = id;
    queue->unschedulable_count++;
    int64_t since_ns = MST_MAX(e->since_ns, e->flush_ns);
    queue->unschedulable_oldest_ns = MST_MIN(queue->unschedulable_oldest_ns, since_ns);
}

static void list_remove(struct mst_queue *queue, uint32_t id)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    if (e->prev == MST_Q_NONE)
        queue->unschedulable_head = e->next;
    else
        mst_q_entity(queue, e->prev)->next = e->next;
    if (e->next == MST_Q_NONE)
        queue->unschedulable_tail = e->prev;
    else
        mst_q_entity(queue, e->next)->prev = e->prev;
    e->next = e->prev = MST_Q_NONE;
    mst_assert(queue->unschedulable_count > 0);
    if (--queue->unschedulable_count == 0)
        queue->unschedulable_oldest_ns = INT64_MAX;
}

static struct mst_heap *heap_of(struct mst_queue *queue, mst_store store)
{
    if (store == MST_STORE_ACTIVE)
        return &queue->active;
    return store == MST_STORE_BACKOFF ? &queue->backoff : &queue->error_backoff;
}

static bool in_heap(const struct mst_entity *e)
{
    return e->store == MST_STORE_ACTIVE || e->store == MST_STORE_BACKOFF ||
           e->store == MST_STORE_ERROR_BACKOFF;
}

/* Gated or not any more: the members of a group are held, or are not. */
static void set_gated(struct mst_queue *queue, uint32_t id, bool gated, int64_t now_ns)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    if (e->gated == gated)
        return;
    e->gated = gated;
    if (!mst_q_is_group(id))
        return;
    const struct mst_q_members *m = &queue->groups.v[id / 2].members;
    for (uint32_t i = 0; i < m->n; i++) {
        if (gated)
            mst_q_hold(queue, mst_q_member(m, i), now_ns);
        else
            mst_q_unhold(queue, mst_q_member(m, i));
    }
}

void mst_q_leave(struct mst_queue *queue, uint32_t id)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    if (in_heap(e))
        (void)mst_heap_remove(heap_of(queue, e->store), id);
    else if (e->store == MST_STORE_UNSCHEDULABLE)
        list_remove(queue, id);
    e->store = MST_STORE_NONE;
}

void mst_q_enter_heap(struct mst_queue *queue, uint32_t id, mst_store store)
{
    mst_q_leave(queue, id);
    mst_q_entity(queue, id)->store = (uint8_t)store;
    mst_heap_put(heap_of(queue, store), id);
    mst_q_count(queue, id, store);
}

static void enter_gated(struct mst_queue *queue, uint32_t id, int64_t now_ns)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    if (e->store != MST_STORE_UNSCHEDULABLE) {
        mst_q_leave(queue, id);
        e->store = MST_STORE_UNSCHEDULABLE;
        list_append(queue, id);
        mst_q_count(queue, id, MST_STORE_UNSCHEDULABLE);
    } else if (queue->named != MST_STORE_NONE) {
        mst_q_count(queue, id, MST_STORE_UNSCHEDULABLE); /* upstream takes it out and puts it in */
    }
    set_gated(queue, id, true, now_ns);
}

void mst_q_enter_unschedulable(struct mst_queue *queue, uint32_t id)
{
    struct mst_entity *e = mst_q_entity(queue, id);
    mst_assert(!e->gated);
    mst_assert(e->store == MST_STORE_NONE);
    e->store = MST_STORE_UNSCHEDULABLE;
    list_append(queue, id);
    queue->named = MST_STORE_UNSCHEDULABLE;
    mst_q_count(queue, id, MST_STORE_UNSCHEDULABLE);
    queue->named = MST_STORE_NONE;
}

static void set_initial(struct mst_entity *e, int64_t now_ns)
{
    if (e->initial_ns == MST_Q_NEVER)
        e->initial_ns = now_ns;
}

void mst_q_enter_active(struct mst_queue *queue, uint32_t id, bool ask, int64_t now_ns)
{
    if (ask && !passes(queue, id)) {
        enter_gated(queue, id, now_ns);
        return;
    }
    set_gated(queue, id, false, now_ns);
    mst_q_enter_heap(queue, id, MST_STORE_ACTIVE);
    mst_q_entity(queue, id)->passed = true;
    set_initial(mst_q_entity(queue, id), now_ns);
    if (!mst_q_is_group(id))
        return;
    const struct mst_q_members *m = &queue->groups.v[id / 2].members;
    for (uint32_t i = 0; i < m->n; i++)
        set_initial(&queue->pods.v[mst_q_member(m, i)].e, now_ns);
}

void mst_q_requeue(struct mst_queue *queue, uint32_t id, mst_requeue how, int64_t now_ns)
{
    mst_assert(how != MST_REQUEUE_SKIP);
    if (how == MST_REQUEUE_NOW || !mst_q_backing_off(queue, id, now_ns)) {
        mst_q_enter_active(queue, id, true, now_ns);
        return;
    }
    /* An entity that may be popped from backoff early has to have passed PreEnqueue before. */
    if (mst_q_pops_backoff(queue) && !passes(queue, id)) {
        enter_gated(queue, id, now_ns);
        return;
    }
    set_gated(queue, id, false, now_ns);
    struct mst_entity *e = mst_q_entity(queue, id);
    e->passed = mst_q_pops_backoff(queue);
    bool blamed = e->unschedulable != 0 || e->pending != 0;
    mst_q_enter_heap(queue, id, blamed ? MST_STORE_BACKOFF : MST_STORE_ERROR_BACKOFF);
}

void mst_q_requeue_as(struct mst_queue *queue, uint32_t id, mst_requeue how, int64_t now_ns)
{
    queue->named = how == MST_REQUEUE_NOW ? MST_STORE_ACTIVE : MST_STORE_BACKOFF;
    mst_q_requeue(queue, id, how, now_ns);
    queue->named = MST_STORE_NONE;
}

/* Upstream takes a group out and puts it in again when a member joins or leaves. */
static void count_in_place(struct mst_queue *queue, uint32_t id)
{
    const mst_store store = (mst_store)mst_q_entity(queue, id)->store;
    queue->named = store == MST_STORE_ERROR_BACKOFF ? MST_STORE_BACKOFF : store;
    mst_q_count(queue, id, store);
    queue->named = MST_STORE_NONE;
}

void mst_q_put_back(struct mst_queue *queue, uint32_t group, uint32_t joined, int64_t now_ns)
{
    uint32_t id = mst_q_group_id(group);
    struct mst_entity *e = &queue->groups.v[group].e;
    if (e->store == MST_STORE_UNSCHEDULABLE) {
        count_in_place(queue, id);
        /* Upstream leaves a group gated when the member that gated it leaves. */
        if (joined != MST_ROW_NONE)
            mst_q_hold(queue, joined, now_ns);
        else if (!queue->o.config->upstream)
            mst_q_requeue(queue, id, MST_REQUEUE_AFTER_BACKOFF, now_ns);
        return;
    }
    mst_assert(in_heap(e));
    uint32_t first = mst_q_member(&queue->groups.v[group].members, 0);
    bool pass = e->passed && pod_passes(queue, first);
    if (pass && joined != MST_ROW_NONE && joined != first)
        pass = pod_passes(queue, joined);
    if (!pass && !passes(queue, id)) {
        enter_gated(queue, id, now_ns);
        return;
    }
    e->passed = true;
    if (e->store != MST_STORE_ACTIVE && !mst_q_backing_off(queue, id, now_ns)) {
        mst_q_enter_active(queue, id, false, now_ns);
        return;
    }
    count_in_place(queue, id);
    if (e->store == MST_STORE_ACTIVE && joined != MST_ROW_NONE)
        set_initial(&queue->pods.v[joined].e, now_ns);
}
