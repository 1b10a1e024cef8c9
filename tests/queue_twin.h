/*
 * queue_twin.h - the naive twin of the queue: spec/scheduling.md 1 written down as plainly as it
 * goes.
 *
 * No heaps, no lists, no early stops: every member is asked by PreEnqueue every time, every hint is
 * asked, and what comes next is found by looking at everything. It is called beside the real one
 * and reads the same cluster, time and configuration from its world. One file includes it.
 */
#ifndef MST_QUEUE_TWIN_H
#define MST_QUEUE_TWIN_H

#include "queue_helper.h"

enum { PODS = 40, GROUPS = 8 };

struct twin_pod {
    bool present, told_set;
    mst_q_at at;
    uint32_t group, gate_slot;
    int32_t priority;
    int64_t since, initial, hold;
    uint64_t serial, bad, pending, told;
    uint32_t attempts, rejections, errors;
    bool returned;
};

struct twin_entity {
    mst_store store;
    bool gated;
    int64_t since, initial, backoff, flush;
    uint64_t serial;
    uint32_t attempts, rejections, errors, gate_slot, gate_profile, gate_pod;
};

struct twin {
    struct world *w;
    struct twin_pod pods[PODS];
    struct twin_entity lone[PODS], group[GROUPS];
    uint64_t serial;
    int64_t next_flush;
    struct twin_entity *popped;
    uint32_t order[PODS], order_n;
};

/* ---- looking at everything ---- */

static const struct mst_pod_row *row_of(const struct twin *x, uint32_t pod)
{
    return &x->w->cluster.pods.v[pod];
}

static struct twin_entity *entity_of(struct twin *x, uint32_t pod)
{
    uint32_t group = x->pods[pod].group;
    return group == MST_ROW_NONE ? &x->lone[pod] : &x->group[group];
}

static bool is_group(const struct twin *x, const struct twin_entity *e)
{
    return e >= x->group && e < x->group + GROUPS;
}

static bool belongs(struct twin *x, const struct twin_entity *e, uint32_t pod)
{
    return x->pods[pod].at == MST_AT_ENTITY && entity_of(x, pod) == e;
}

static bool member_less(const struct twin *x, uint32_t a, uint32_t b)
{
    const struct twin_pod *p = &x->pods[a], *q = &x->pods[b];
    if (p->priority != q->priority)
        return p->priority > q->priority;
    if (p->attempts != q->attempts)
        return p->attempts > q->attempts;
    if (p->since != q->since)
        return p->since < q->since;
    return p->serial < q->serial;
}

/* The members in scheduling order, by selection. */
static uint32_t members_of(struct twin *x, const struct twin_entity *e, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < PODS; i++)
        if (belongs(x, e, i))
            out[n++] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (member_less(x, out[j], out[i])) {
                uint32_t swap = out[i];
                out[i] = out[j];
                out[j] = swap;
            }
    return n;
}

static int32_t priority_of(const struct twin *x, const struct twin_entity *e)
{
    return is_group(x, e) ? x->w->cluster.groups.v[e - x->group].priority
                          : row_of(x, (uint32_t)(e - x->lone))->priority;
}

static bool active_less(const struct twin *x, const struct twin_entity *a,
                        const struct twin_entity *b)
{
    int32_t p = priority_of(x, a), q = priority_of(x, b);
    if (p != q)
        return p > q;
    return a->since != b->since ? a->since < b->since : a->serial < b->serial;
}

static bool resolvable(const struct twin *x, uint32_t group)
{
    const struct mst_group_row *row = &x->w->cluster.groups.v[group];
    return row->known && !row->composite && row->parent.n == 0;
}

/* ---- the rules ---- */

static bool backing_off(struct twin *x, struct twin_entity *e)
{
    uint32_t count = e->errors ? e->errors : e->rejections;
    bool floored = x->w->config.gates.on[MST_GATE_SchedulerPopFromBackoffQ];
    if (count == 0)
        return false;
    if (e->backoff == MST_Q_NEVER) {
        uint32_t members[PODS];
        uint32_t n = members_of(x, e, members);
        /* For the sizes at hand: floor of 10^10 * sqrt(n), by counting up. */
        int64_t max = SEC(10);
        while (n > 1 && (__int128)(max + 1000) * (max + 1000) <= (__int128)n * SEC(10) * SEC(10))
            max += 1000;
        while (n > 1 && (__int128)(max + 1) * (max + 1) <= (__int128)n * SEC(10) * SEC(10))
            max++;
        int64_t duration = SEC(1);
        for (uint32_t i = 1; i < count && duration < max; i++)
            duration *= 2;
        /* The cap compares whole doublings of the maximum, see 1.5. */
        if (count > 1 && SEC(1) > max >> MST_MIN(count - 1, 62u))
            duration = max;
        e->backoff = e->since + duration;
        if (floored)
            e->backoff = mst_q_floor_second(e->backoff);
    }
    return e->backoff >= (floored ? mst_q_floor_second(x->w->now) : x->w->now);
}

static bool pod_passes(struct twin *x, uint32_t pod)
{
    struct twin_pod *p = &x->pods[pod];
    struct mst_status status;
    mst_framework_pre_enqueue(&x->w->frameworks[row_of(x, pod)->profile], pod, p->gate_slot, NULL,
                              &x->w->arena, &status);
    p->gate_slot = status.code == MST_SUCCESS ? (uint32_t)MST_ROW_NONE : status.plugin;
    if (status.code != MST_SUCCESS)
        p->bad |= BIT(status.plugin);
    return status.code == MST_SUCCESS;
}

/* Upstream: every member, the last one gated counts. Muster: the former one, then the first. */
static bool passes(struct twin *x, struct twin_entity *e)
{
    uint32_t members[PODS];
    uint32_t n = members_of(x, e, members), gate = MST_ROW_NONE;
    if (x->w->config.upstream) {
        for (uint32_t i = 0; i < n; i++)
            gate = pod_passes(x, members[i]) ? gate : members[i];
    } else {
        if (e->gate_pod != MST_ROW_NONE && !pod_passes(x, e->gate_pod))
            gate = e->gate_pod;
        for (uint32_t i = 0; i < n && gate == MST_ROW_NONE; i++)
            gate = pod_passes(x, members[i]) ? gate : members[i];
    }
    e->gate_pod = gate;
    if (gate == MST_ROW_NONE)
        return true;
    e->gate_slot = x->pods[gate].gate_slot;
    e->gate_profile = row_of(x, gate)->profile;
    return false;
}

static void set_place(struct twin *x, struct twin_entity *e, mst_store place, bool is_gated)
{
    e->store = place;
    e->gated = is_gated;
    for (uint32_t i = 0; i < PODS; i++) {
        struct twin_pod *p = &x->pods[i];
        if (!belongs(x, e, i))
            continue;
        if (place == MST_STORE_ACTIVE && p->initial == MST_Q_NEVER)
            p->initial = x->w->now;
        if (!is_group(x, e))
            continue;
        if (!is_gated)
            p->hold = MST_Q_NEVER;
        else if (p->hold == MST_Q_NEVER)
            p->hold = x->w->now;
    }
    if (place == MST_STORE_ACTIVE && e->initial == MST_Q_NEVER)
        e->initial = x->w->now;
}

static void to_active(struct twin *x, struct twin_entity *e, bool ask)
{
    bool pass = !ask || passes(x, e);
    set_place(x, e, pass ? MST_STORE_ACTIVE : MST_STORE_UNSCHEDULABLE, !pass);
}

static void requeue(struct twin *x, struct twin_entity *e, mst_requeue how)
{
    if (how == MST_REQUEUE_NOW || !backing_off(x, e)) {
        to_active(x, e, true);
        return;
    }
    if (x->w->config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] && !passes(x, e)) {
        set_place(x, e, MST_STORE_UNSCHEDULABLE, true);
        return;
    }
    const struct twin_pod *p = &x->pods[is_group(x, e) ? 0 : e - x->lone];
    bool error = is_group(x, e) || (p->bad | p->pending) == 0;
    set_place(x, e, error ? MST_STORE_ERROR_BACKOFF : MST_STORE_BACKOFF, false);
}

/* A member joined or left: everybody is asked again. */
static void put_back(struct twin *x, struct twin_entity *e, bool joined)
{
    if (e->store == MST_STORE_UNSCHEDULABLE) {
        if (joined)
            set_place(x, e, e->store, true);
        else if (!x->w->config.upstream)
            requeue(x, e, MST_REQUEUE_AFTER_BACKOFF);
    } else if (!passes(x, e)) {
        set_place(x, e, MST_STORE_UNSCHEDULABLE, true);
    } else if (e->store == MST_STORE_ACTIVE || !backing_off(x, e)) {
        to_active(x, e, false);
    }
}

/* ---- coming and going ---- */

static void new_entity(struct twin_entity *e, const struct twin_pod *from)
{
    *e = (struct twin_entity){ .since = from->since,
                               .serial = from->serial,
                               .initial = from->initial,
                               .backoff = MST_Q_NEVER,
                               .flush = MST_Q_NEVER,
                               .gate_pod = MST_ROW_NONE };
}

static void to_incomplete(struct twin *x, uint32_t pod)
{
    x->pods[pod].at = MST_AT_INCOMPLETE;
    if (x->pods[pod].hold == MST_Q_NEVER)
        x->pods[pod].hold = x->w->now;
}

static void add_member(struct twin *x, uint32_t pod)
{
    struct twin_pod *p = &x->pods[pod];
    struct twin_entity *e = &x->group[p->group];
    if (!resolvable(x, p->group)) {
        to_incomplete(x, pod);
    } else if (x->popped == e) {
        p->at = MST_AT_PENDING;
    } else {
        bool fresh = e->store == MST_STORE_NONE;
        if (fresh)
            new_entity(e, p);
        p->at = MST_AT_ENTITY;
        if (fresh)
            to_active(x, e, true);
        else
            put_back(x, e, true);
    }
}

static void twin_pod_added(struct twin *x, uint32_t pod)
{
    const struct mst_pod_row *row = row_of(x, pod);
    x->pods[pod] = (struct twin_pod){ .present = true,
                                      .group = row->group,
                                      .gate_slot = MST_ROW_NONE,
                                      .priority = row->priority,
                                      .since = x->w->now,
                                      .serial = ++x->serial,
                                      .initial = MST_Q_NEVER,
                                      .hold = MST_Q_NEVER };
    if (row->group != MST_ROW_NONE) {
        add_member(x, pod);
        return;
    }
    x->pods[pod].at = MST_AT_ENTITY;
    new_entity(&x->lone[pod], &x->pods[pod]);
    to_active(x, &x->lone[pod], true);
}

static void twin_pod_removed(struct twin *x, uint32_t pod)
{
    struct twin_entity *e = entity_of(x, pod);
    mst_q_at at = x->pods[pod].at;
    x->pods[pod] = (struct twin_pod){ .group = MST_ROW_NONE };
    if (at != MST_AT_ENTITY)
        return;
    uint32_t members[PODS];
    if (e->gate_pod == pod)
        e->gate_pod = MST_ROW_NONE;
    if (members_of(x, e, members) == 0)
        *e = (struct twin_entity){ 0 };
    else
        put_back(x, e, false);
}

static void twin_group_changed(struct twin *x, uint32_t group)
{
    struct twin_entity *e = &x->group[group];
    bool entity = e->store != MST_STORE_NONE;
    bool now = resolvable(x, group);
    if (now) {
        uint32_t first = MST_ROW_NONE;
        for (uint32_t i = 0; i < PODS; i++)
            if (x->pods[i].present && x->pods[i].group == group &&
                x->pods[i].at == MST_AT_INCOMPLETE &&
                (first == MST_ROW_NONE || x->pods[i].serial < x->pods[first].serial))
                first = i;
        if (first == MST_ROW_NONE)
            return;
        new_entity(e, &x->pods[first]);
    }
    for (uint32_t i = 0; i < PODS; i++) {
        if (!x->pods[i].present || x->pods[i].group != group)
            continue;
        if (now && x->pods[i].at == MST_AT_INCOMPLETE)
            x->pods[i].at = MST_AT_ENTITY;
        else if (!now && entity && x->pods[i].at == MST_AT_ENTITY)
            to_incomplete(x, i);
    }
    if (now)
        to_active(x, e, true);
    else
        *e = (struct twin_entity){ 0 };
}

/* ---- events ---- */

static bool listens(const struct twin *x, uint32_t profile, uint32_t slot,
                    const struct mst_cluster_event *event)
{
    return mst_framework_listens(&x->w->frameworks[profile], slot, event);
}

/* Step 4 for one pod; `rejectors_only`: a pod without rejectors does not answer. */
static mst_requeue judge(const struct twin *x, uint32_t pod, const struct mst_cluster_event *event,
                         bool rejectors_only)
{
    const struct twin_pod *p = &x->pods[pod];
    mst_requeue best = MST_REQUEUE_SKIP;
    if ((p->bad | p->pending) == 0)
        return rejectors_only ? MST_REQUEUE_SKIP : MST_REQUEUE_AFTER_BACKOFF;
    for (uint32_t slot = 0; slot < SLOT_COUNT; slot++) {
        if (((p->bad | p->pending) & BIT(slot)) == 0)
            continue;
        if (mst_framework_hint(&x->w->frameworks[row_of(x, pod)->profile], slot, pod, event) !=
            MST_HINT_QUEUE)
            continue;
        bool now = (p->pending & BIT(slot)) != 0;
        best = MST_MAX(best, now ? MST_REQUEUE_NOW : MST_REQUEUE_AFTER_BACKOFF);
    }
    return best;
}

static void twin_event_for(struct twin *x, struct twin_entity *e,
                           const struct mst_cluster_event *event)
{
    bool upstream = x->w->config.upstream, wildcard = event->resource == MST_ON_WILDCARD;
    uint32_t members[PODS];
    uint32_t n = members_of(x, e, members);
    mst_requeue best = MST_REQUEUE_SKIP;
    bool blamed = false;
    for (uint32_t i = 0; i < n; i++) {
        blamed |= (x->pods[members[i]].bad | x->pods[members[i]].pending) != 0;
        bool strict = is_group(x, e) && (!upstream || e->store != MST_STORE_UNSCHEDULABLE);
        mst_requeue how = judge(x, members[i], event, strict);
        best = MST_MAX(best, wildcard ? MST_REQUEUE_AFTER_BACKOFF : how);
    }
    if (e->store == MST_STORE_UNSCHEDULABLE) {
        if (e->gated && !wildcard && !listens(x, e->gate_profile, e->gate_slot, event))
            return;
        if (best != MST_REQUEUE_SKIP)
            requeue(x, e, best);
    } else if (e->store == MST_STORE_ERROR_BACKOFF && is_group(x, e) && !upstream && !wildcard &&
               x->w->now - e->since >= SEC(1)) {
        bool room = !blamed && e->errors == 0 && event->resource == MST_ON_NODE &&
                    (event->actions & (MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL));
        if (best != MST_REQUEUE_SKIP || room)
            requeue(x, e, MST_REQUEUE_NOW);
    }
}

static void twin_event(struct twin *x, const struct mst_cluster_event *event)
{
    for (uint32_t i = 0; i < PODS; i++)
        twin_event_for(x, &x->lone[i], event);
    for (uint32_t i = 0; i < GROUPS; i++)
        twin_event_for(x, &x->group[i], event);
}

static void twin_pod_updated(struct twin *x, uint32_t pod, const struct mst_cluster_event *events,
                             uint32_t n)
{
    struct twin_entity *e = entity_of(x, pod);
    for (uint32_t i = 0; i < n; i++) {
        if (x->pods[pod].at != MST_AT_ENTITY || e->store != MST_STORE_UNSCHEDULABLE)
            return;
        mst_requeue how = judge(x, pod, &events[i], is_group(x, e) && !x->w->config.upstream);
        if (how != MST_REQUEUE_SKIP)
            requeue(x, e, how);
    }
}

/* `due`: the last whole period of the flush, however late the call is. */
static void tick_entity(struct twin *x, struct twin_entity *e, bool flush, int64_t due)
{
    int64_t now = x->w->now;
    if (e->store == MST_STORE_BACKOFF || e->store == MST_STORE_ERROR_BACKOFF) {
        /* Some whole second up to now lies after the expiration. */
        if (e->backoff < mst_q_floor_second(now))
            to_active(x, e, !x->w->config.gates.on[MST_GATE_SchedulerPopFromBackoffQ]);
    } else if (flush && e->store == MST_STORE_UNSCHEDULABLE &&
               due - MST_MAX(e->since, e->flush) > SEC(300)) {
        e->flush = now;
        requeue(x, e, MST_REQUEUE_AFTER_BACKOFF);
    }
}

static void twin_tick(struct twin *x)
{
    bool flush = x->w->now >= x->next_flush;
    while (x->next_flush <= x->w->now)
        x->next_flush += SEC(30);
    int64_t due = x->next_flush - SEC(30);
    for (uint32_t i = 0; i < PODS; i++)
        tick_entity(x, &x->lone[i], flush, due);
    for (uint32_t i = 0; i < GROUPS; i++)
        tick_entity(x, &x->group[i], flush, due);
}

/* ---- cycles ---- */

static bool twin_pop(struct twin *x)
{
    struct twin_entity *best = NULL;
    for (uint32_t i = 0; i < PODS + GROUPS; i++) {
        struct twin_entity *e = i < PODS ? &x->lone[i] : &x->group[i - PODS];
        if (e->store == MST_STORE_ACTIVE && (!best || active_less(x, e, best)))
            best = e;
    }
    for (uint32_t i = 0; i < PODS && (!best || best->store == MST_STORE_BACKOFF); i++) {
        struct twin_entity *e = &x->lone[i];
        if (e->store != MST_STORE_BACKOFF ||
            !x->w->config.gates.on[MST_GATE_SchedulerPopFromBackoffQ])
            continue;
        if (!best || e->backoff < best->backoff ||
            (e->backoff == best->backoff && active_less(x, e, best)))
            best = e;
    }
    if (!best)
        return false;
    x->order_n = members_of(x, best, x->order);
    x->popped = best;
    best->store = MST_STORE_POPPED;
    best->attempts++;
    best->gate_pod = MST_ROW_NONE;
    for (uint32_t i = 0; i < x->order_n; i++) {
        struct twin_pod *p = &x->pods[x->order[i]];
        p->at = MST_AT_POPPED;
        p->attempts++;
        p->bad = p->pending = 0;
        p->gate_slot = MST_ROW_NONE;
        p->told_set = false;
    }
    return true;
}

static void twin_failed(struct twin *x, uint32_t pod, uint64_t bad, uint64_t pending)
{
    struct twin_pod *p = &x->pods[pod];
    struct twin_entity *e = entity_of(x, pod);
    p->errors = (bad | pending) ? 0 : p->errors + 1;
    p->rejections += (bad | pending) ? 1 : 0;
    p->bad = bad;
    p->pending = pending;
    p->since = x->w->now;
    p->serial = ++x->serial;
    p->returned = p->at == MST_AT_POPPED;
    if (p->group != MST_ROW_NONE) {
        if (p->returned)
            p->errors = 0;
        bool fresh = resolvable(x, p->group) && x->popped != e && e->store == MST_STORE_NONE;
        if (!fresh) {
            add_member(x, pod);
            if (!x->w->config.upstream && e->store == MST_STORE_ACTIVE && p->errors > e->errors) {
                e->errors = p->errors;
                e->backoff = MST_Q_NEVER;
                e->since = x->w->now;
                e->serial = ++x->serial;
                requeue(x, e, MST_REQUEUE_AFTER_BACKOFF);
            }
            return;
        }
        new_entity(e, p);
        p->at = MST_AT_ENTITY;
        e->errors = x->w->config.upstream && p->errors == 1 ? 0 : p->errors;
        requeue(x, e, MST_REQUEUE_AFTER_BACKOFF);
        return;
    }
    if (x->popped == e)
        x->popped = NULL;
    uint32_t attempts = e->attempts;
    int64_t initial = p->initial;
    new_entity(e, p);
    e->attempts = attempts;
    e->initial = initial;
    e->errors = p->errors;
    e->rejections = p->rejections;
    p->at = MST_AT_ENTITY;
    if (bad | pending)
        set_place(x, e, MST_STORE_UNSCHEDULABLE, false);
    else
        requeue(x, e, MST_REQUEUE_AFTER_BACKOFF);
}

static void twin_scheduled(struct twin *x, uint32_t pod)
{
    x->pods[pod].at = MST_AT_NONE;
    if (x->pods[pod].group == MST_ROW_NONE) {
        x->lone[pod].store = MST_STORE_NONE;
        x->popped = NULL;
    }
}

static void twin_group_done(struct twin *x, uint32_t group, mst_group_end end)
{
    struct twin_entity *e = &x->group[group];
    bool any = false, had = false;
    x->popped = NULL;
    for (uint32_t i = 0; i < PODS; i++) {
        struct twin_pod *p = &x->pods[i];
        if (!p->present || p->group != group || p->at != MST_AT_PENDING)
            continue;
        any = true;
        had |= p->returned;
        p->at = MST_AT_ENTITY;
    }
    e->store = MST_STORE_NONE;
    if (!any) {
        *e = (struct twin_entity){ 0 };
        return;
    }
    e->backoff = e->flush = MST_Q_NEVER;
    if (end != MST_GROUP_SUCCESS || !had) {
        e->since = x->w->now;
        e->serial = ++x->serial;
    }
    e->errors = end == MST_GROUP_ERROR ? e->errors + 1 : 0;
    if (end == MST_GROUP_REJECTED)
        e->rejections++;
    if (end == MST_GROUP_SUCCESS)
        e->rejections = 0;
    requeue(x, e, end == MST_GROUP_SUCCESS ? MST_REQUEUE_NOW : MST_REQUEUE_AFTER_BACKOFF);
}

#endif
