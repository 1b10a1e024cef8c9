/*
 * test_queue_random.c - the queue beside its naive twin (tests/queue_twin.h), on random events.
 *
 * Both see the same cluster and the same calls; after each call the place of every pod, its gating,
 * attempts and times, and the order of pops must be the same.
 */
#include "queue_twin.h"
#include "tap.h"

#include "base/rng.h"

#include <inttypes.h>

enum { STEPS = 3000, SEEDS = 3 };

/* ---- comparing ---- */

static void compare(struct mst_test *t, struct twin *x, uint64_t seed, uint32_t step)
{
    mst_queue_check(x->w->queue);
    for (uint32_t i = 0; i < PODS; i++) {
        const struct twin_pod *p = &x->pods[i];
        const struct twin_entity *e = entity_of(x, i);
        mst_store want = p->at == MST_AT_INCOMPLETE ? MST_STORE_INCOMPLETE
                         : p->at == MST_AT_PENDING  ? MST_STORE_PENDING
                         : p->at == MST_AT_POPPED   ? MST_STORE_POPPED
                         : p->at == MST_AT_ENTITY   ? e->store
                                                    : MST_STORE_NONE;
        bool in = p->at == MST_AT_ENTITY, want_gated = in && e->gated, got_gated;
        mst_store got = mst_queue_store_of(x->w->queue, i, &got_gated);
        bool off = want == MST_STORE_BACKOFF || want == MST_STORE_ERROR_BACKOFF;
        int64_t want_end = off ? mst_q_floor_second(e->backoff) + SEC(1) : INT64_MAX;
        bool same = got == want && got_gated == want_gated &&
                    mst_queue_backoff_end(x->w->queue, i) == want_end;
        if (p->present)
            same &= mst_queue_attempts(x->w->queue, false, i) == p->attempts &&
                    mst_queue_since(x->w->queue, i) == p->initial;
        if (in && p->group != MST_ROW_NONE)
            same &= mst_queue_attempts(x->w->queue, true, p->group) == e->attempts;
        if (!same)
            t_fail(t, "seed %" PRIu64 " step %u pod %u: store %d want %d, gated %d want %d", seed,
                   step, i, (int)got, (int)want, got_gated, want_gated);
    }
    t_ok(t, true);
}

/* Held members, each by looking: what is told must be what the twin would tell. */
static void compare_held(struct mst_test *t, struct twin *x, uint64_t seed, uint32_t step)
{
    struct mst_held held[PODS];
    struct world *w = x->w;
    uint32_t n = mst_queue_held(w->queue, w->now, &w->arena, held, PODS);
    bool told[PODS] = { false };
    for (uint32_t i = 0; i < n; i++)
        told[held[i].pod] = true;
    for (uint32_t i = 0; i < PODS; i++) {
        struct twin_pod *p = &x->pods[i];
        bool due =
            !w->config.upstream && p->present && p->hold != MST_Q_NEVER &&
            p->group != MST_ROW_NONE && w->now - p->hold >= SEC(MST_HELD_S) &&
            row_of(x, i)->gates.n == 0 &&
            (p->at == MST_AT_INCOMPLETE || (p->at == MST_AT_ENTITY && entity_of(x, i)->gated));
        struct mst_str text = mst_queue_gate_text(w->queue, i, &w->arena);
        due = due && text.p != NULL;
        uint64_t hash = text.p ? mst_hash(text.p, text.n) : 0;
        if (due && (!p->told_set || p->told != hash)) {
            if (!told[i])
                t_fail(t, "seed %" PRIu64 " step %u pod %u: not told", seed, step, i);
            p->told = hash;
            p->told_set = true;
        } else if (told[i]) {
            t_fail(t, "seed %" PRIu64 " step %u pod %u: told too much", seed, step, i);
        }
    }
    t_ok(t, true);
}

/* ---- random worlds ---- */

struct sim {
    struct world w;
    struct twin twin;
    struct mst_rng rng;
    uint32_t names; /* pods made so far */
    uint64_t seed;
    struct mst_test *t;
};

static const char *const group_names[] = { "g0", "g1", "g2", "g3" };
static const char *const kinds[] = { "k0", "k1", "k2" };

static uint32_t below(struct sim *s, uint32_t bound)
{
    return (uint32_t)mst_rng_below(&s->rng, bound);
}

/* A pod that is known, or MST_ROW_NONE. */
static uint32_t some_pod(struct sim *s)
{
    uint32_t from = below(s, PODS);
    for (uint32_t i = 0; i < PODS; i++)
        if (s->twin.pods[(from + i) % PODS].present)
            return (from + i) % PODS;
    return MST_ROW_NONE;
}

static void event(struct sim *s, struct mst_cluster_event e)
{
    mst_queue_event(s->w.queue, &e, s->w.now);
    twin_event(&s->twin, &e);
}

static void do_add(struct sim *s)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < PODS; i++)
        present += s->twin.pods[i].present;
    if (present == PODS)
        return;
    char name[16];
    (void)snprintf(name, sizeof(name), "p%u", s->names++);
    struct pod_spec spec = { .name = name,
                             .kind = kinds[below(s, 3)],
                             .profile = below(s, 2),
                             .priority = (int32_t)below(s, 3),
                             .gates = below(s, 6) ? NULL : "wait",
                             .group = below(s, 3) ? group_names[below(s, 4)] : NULL };
    uint32_t pod = cluster_add(&s->w, spec);
    mst_queue_pod_added(s->w.queue, pod, s->w.now);
    twin_pod_added(&s->twin, pod);
    event(s, pod_event(MST_ON_UNSCHEDULED_POD, MST_ACT_ADD, pod));
}

static void do_remove(struct sim *s)
{
    uint32_t pod = some_pod(s);
    if (pod == MST_ROW_NONE)
        return;
    mst_queue_pod_removed(s->w.queue, pod, s->w.now);
    twin_pod_removed(&s->twin, pod);
    mst_cluster_pod_remove(&s->w.cluster, pod);
    event(s, kind_event(MST_ON_ASSIGNED_POD, MST_ACT_DELETE, kind_of(&s->w, kinds[below(s, 3)])));
}

static void do_update(struct sim *s)
{
    uint32_t pod = some_pod(s);
    if (pod == MST_ROW_NONE)
        return;
    struct mst_cluster_event events[2] = {
        pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, pod),
        pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_SCALE_DOWN, pod),
    };
    uint32_t n = below(s, 3);
    if (below(s, 2) && s->w.cluster.pods.v[pod].gates.n) {
        mst_free((char *)s->w.cluster.pods.v[pod].gates.p);
        s->w.cluster.pods.v[pod].gates = MST_STR_NONE;
        events[0].actions = MST_ACT_UPDATE_POD_GATES_ELIMINATED;
        n = MST_MAX(n, 1u);
    }
    mst_queue_pod_updated(s->w.queue, pod, events, n, s->w.now);
    twin_pod_updated(&s->twin, pod, events, n);
}

static void do_group(struct sim *s)
{
    struct group_spec spec = { .name = group_names[below(s, 4)],
                               .min_count = below(s, 5),
                               .priority = (int32_t)below(s, 3),
                               .composite = below(s, 12) == 0,
                               .parent = below(s, 12) == 0 ? "above" : NULL };
    uint32_t row = mst_cluster_group(&s->w.cluster, s->w.ns, mst_str_of(spec.name));
    bool known = row != MST_ROW_NONE && s->w.cluster.groups.v[row].known;
    if (known && below(s, 4) == 0) {
        mst_cluster_group_remove(&s->w.cluster, row);
        mst_queue_group_removed(s->w.queue, row, s->w.now);
        twin_group_changed(&s->twin, row);
        return;
    }
    int64_t old = known ? s->w.cluster.groups.v[row].min_count : -1;
    row = cluster_group(&s->w, spec);
    if (known)
        mst_queue_group_updated(s->w.queue, row, s->w.now);
    else
        mst_queue_group_added(s->w.queue, row, s->w.now);
    twin_group_changed(&s->twin, row);
    struct mst_cluster_event e = event_of(MST_ON_POD_GROUP, known ? MST_ACT_UPDATE : MST_ACT_ADD);
    e.group = row;
    e.old_min_count = old;
    e.new_min_count = s->w.cluster.groups.v[row].min_count;
    event(s, e);
}

static void do_event(struct sim *s)
{
    static const struct {
        mst_event_resource resource;
        uint32_t actions;
    } some[] = {
        { MST_ON_NODE, MST_ACT_ADD },
        { MST_ON_NODE, MST_ACT_UPDATE_NODE_ALLOCATABLE },
        { MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT },
        { MST_ON_NODE, MST_ACT_UPDATE_NODE_LABEL },
        { MST_ON_ASSIGNED_POD, MST_ACT_DELETE },
        { MST_ON_WILDCARD, MST_ACT_ALL },
    };
    uint32_t i = below(s, MST_COUNT(some) * 2) % MST_COUNT(some);
    if (some[i].resource == MST_ON_WILDCARD && below(s, 4))
        return;
    event(s, kind_event(some[i].resource, some[i].actions, kind_of(&s->w, kinds[below(s, 3)])));
}

static uint64_t some_slots(struct sim *s)
{
    static const uint64_t sets[] = { 0, BIT(SLOT_FIT), BIT(SLOT_TAINT), BIT(SLOT_DEAF),
                                     BIT(SLOT_FIT) | BIT(SLOT_TAINT) };
    return sets[below(s, MST_COUNT(sets))];
}

static void fail_pod(struct sim *s, uint32_t pod, bool member)
{
    uint64_t bad = some_slots(s), pending = below(s, 5) ? 0 : BIT(SLOT_PEND);
    if (member)
        mst_queue_member_failed(s->w.queue, pod, bad, pending, s->w.now);
    else
        mst_queue_pod_failed(s->w.queue, pod, bad, pending, s->w.now);
    twin_failed(&s->twin, pod, bad, pending);
}

static void do_cycle(struct sim *s, uint32_t step)
{
    struct mst_popped popped = { 0 };
    bool got = mst_queue_pop(s->w.queue, s->w.now, &popped);
    bool want = twin_pop(&s->twin);
    if (got != want)
        t_fail(s->t, "seed %" PRIu64 " step %u: pop %d want %d", s->seed, step, got, want);
    if (!got || !want)
        return;
    bool same = popped.pod_count == s->twin.order_n &&
                popped.group == is_group(&s->twin, s->twin.popped) &&
                popped.attempt == s->twin.popped->attempts;
    for (uint32_t i = 0; same && i < popped.pod_count; i++)
        same = popped.pods[i] == s->twin.order[i];
    if (!same)
        t_fail(s->t, "seed %" PRIu64 " step %u: popped %u, not the same", s->seed, step, popped.id);
    compare(s->t, &s->twin, s->seed, step);
    mst_group_end end = (mst_group_end)below(s, 3);
    uint32_t order[PODS], n = popped.pod_count;
    memcpy(order, popped.pods, n * sizeof(*order));
    for (uint32_t i = 0; i < n; i++) {
        if (end == MST_GROUP_SUCCESS && below(s, 3)) {
            mst_queue_pod_scheduled(s->w.queue, order[i]);
            twin_scheduled(&s->twin, order[i]);
        } else {
            fail_pod(s, order[i], popped.group);
        }
    }
    if (popped.group) {
        mst_queue_group_done(s->w.queue, popped.id, end, s->w.now);
        twin_group_done(&s->twin, popped.id, end);
    }
}

/* The binding of a pod that was scheduled before fails. */
static void do_bind_failure(struct sim *s)
{
    uint32_t pod = some_pod(s);
    if (pod != MST_ROW_NONE && s->twin.pods[pod].at == MST_AT_NONE)
        fail_pod(s, pod, true);
}

static void advance(struct sim *s)
{
    static const int64_t steps[] = { 0,      1,       1000000, 750000000, SEC(1),
                                     SEC(3), SEC(11), SEC(40), SEC(301) };
    s->w.now += steps[below(s, 8 + (below(s, 8) == 0))];
    mst_queue_tick(s->w.queue, s->w.now);
    twin_tick(&s->twin);
}

static void step_once(struct sim *s, uint32_t step)
{
    switch (below(s, 12)) {
    case 0:
    case 1: do_add(s); break;
    case 2: do_remove(s); break;
    case 3: do_update(s); break;
    case 4: do_group(s); break;
    case 5: do_event(s); break;
    case 6: do_bind_failure(s); break;
    case 7: advance(s); break;
    case 8: compare_held(s->t, &s->twin, s->seed, step); break;
    default: do_cycle(s, step); break;
    }
}

static void run(struct mst_test *t, bool upstream, bool pops_backoff)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct sim *s = mst_calloc(1, sizeof(*s));
        s->seed = seed;
        s->t = t;
        world_init(&s->w, upstream);
        s->w.config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = pops_backoff;
        s->twin.w = &s->w;
        s->twin.next_flush = T0 + SEC(30);
        for (uint32_t i = 0; i < PODS; i++)
            s->twin.pods[i].group = MST_ROW_NONE;
        mst_queue_tick(s->w.queue, T0);
        mst_rng_init(&s->rng, seed);
        for (uint32_t step = 0; step < STEPS && t->failures == 0; step++) {
            step_once(s, step);
            compare(t, &s->twin, seed, step);
            if (step % 64 == 0)
                mst_arena_reset(&s->w.arena);
        }
        world_done(&s->w);
        mst_free(s);
    }
}

static void test_random_muster(struct mst_test *t)
{
    run(t, false, true);
}

static void test_random_upstream(struct mst_test *t)
{
    run(t, true, true);
}

static void test_random_muster_backoff_not_popped(struct mst_test *t)
{
    run(t, false, false);
}

static void test_random_upstream_backoff_not_popped(struct mst_test *t)
{
    run(t, true, false);
}

MST_TEST_MAIN(T(test_random_muster), T(test_random_upstream),
              T(test_random_muster_backoff_not_popped), T(test_random_upstream_backoff_not_popped))
