/*
 * test_queue_event.c - what wakes whom: hints, gates, timers (scheduling.md 1.6, 1.7).
 */
#include "queue_helper.h"
#include "tap.h"

/* A lone pod of kind k0 that was rejected, and one event. */
static const struct {
    const char *name;
    uint64_t unschedulable, pending;
    mst_event_resource resource;
    uint32_t actions;
    const char *kind;
    int64_t later_s;
    mst_store want;
} hints[] = {
    { "helpful, still backing off", BIT(SLOT_FIT), 0, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k0", 0,
      MST_STORE_BACKOFF },
    { "helpful, backoff is over", BIT(SLOT_FIT), 0, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k0", 3,
      MST_STORE_ACTIVE },
    { "hint says no", BIT(SLOT_FIT), 0, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k1", 3,
      MST_STORE_UNSCHEDULABLE },
    { "not registered", BIT(SLOT_FIT), 0, MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT, "k0", 3,
      MST_STORE_UNSCHEDULABLE },
    { "no hint function", BIT(SLOT_TAINT), 0, MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT, "k1", 3,
      MST_STORE_ACTIVE },
    { "nobody listens at all", BIT(SLOT_DEAF), 0, MST_ON_NODE, MST_ACT_UPDATE_NODE_CONDITION, "k0",
      3, MST_STORE_UNSCHEDULABLE },
    { "deaf plugin", BIT(SLOT_DEAF), 0, MST_ON_NODE, MST_ACT_ADD, "k0", 3,
      MST_STORE_UNSCHEDULABLE },
    { "pending skips backoff", 0, BIT(SLOT_PEND), MST_ON_NODE, MST_ACT_UPDATE_NODE_ALLOCATABLE,
      "k0", 0, MST_STORE_ACTIVE },
    { "pending beats rejected", BIT(SLOT_FIT), BIT(SLOT_PEND), MST_ON_NODE,
      MST_ACT_UPDATE_NODE_ALLOCATABLE, "k0", 0, MST_STORE_ACTIVE },
    { "wildcard", BIT(SLOT_DEAF), 0, MST_ON_WILDCARD, MST_ACT_ALL, "k1", 3, MST_STORE_ACTIVE },
};

static void test_hints_of_a_lone_pod(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(hints); i++) {
        t_case(t, hints[i].name);
        struct world w;
        world_init(&w, i % 2);
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .kind = "k0" });
        (void)pop(&w);
        mst_queue_pod_failed(w.queue, a, hints[i].unschedulable, hints[i].pending, w.now);
        w.now += SEC(hints[i].later_s);
        send(&w, kind_event(hints[i].resource, hints[i].actions, kind_of(&w, hints[i].kind)));
        t_int(t, store(&w, a), hints[i].want);
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_wildcard_for_one_pod(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t pods[2];
    for (uint32_t i = 0; i < 2; i++)
        pods[i] = add(&w, (struct pod_spec){ .name = i ? "b" : "a" });
    for (uint32_t i = 0; i < 2; i++)
        mst_queue_pod_failed(w.queue, pop(&w), BIT(SLOT_DEAF), 0, w.now);
    w.now += SEC(3);
    send(&w, pod_event(MST_ON_WILDCARD, MST_ACT_ALL, pods[1]));
    t_int(t, store(&w, pods[0]), MST_STORE_UNSCHEDULABLE);
    t_int(t, store(&w, pods[1]), MST_STORE_ACTIVE);
    world_done(&w);
}

static void test_profiles_have_slots_of_their_own(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    /* In profile 1 the slot of FakeFit holds FakeDeaf. */
    w.frameworks[1].slots[SLOT_FIT].plugin = &fake_plugins[SLOT_DEAF];
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .kind = "k0", .profile = 1 });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, a, BIT(SLOT_FIT), 0, w.now);
    w.now += SEC(3);
    send(&w, kind_event(MST_ON_NODE, MST_ACT_ADD, KIND_ANY));
    t_int(t, store(&w, a), MST_STORE_UNSCHEDULABLE);
    world_done(&w);
}

/* A group of two (kinds k0, k1) that was rejected and backs off, and one event. */
static const struct {
    const char *name;
    uint64_t slots;
    mst_group_end end;
    mst_event_resource resource;
    uint32_t actions;
    const char *kind;
    int64_t later_ms;
    bool wakes; /* in profile muster; upstream never */
} group_wakes[] = {
    { "helps the second member", BIT(SLOT_FIT), MST_GROUP_REJECTED, MST_ON_ASSIGNED_POD,
      MST_ACT_DELETE, "k1", 1000, true },
    { "too early", BIT(SLOT_FIT), MST_GROUP_REJECTED, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k1",
      999, false },
    { "helps nobody", BIT(SLOT_FIT), MST_GROUP_REJECTED, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k2",
      1000, false },
    { "no placement, node added", 0, MST_GROUP_REJECTED, MST_ON_NODE, MST_ACT_ADD, "k2", 1000,
      true },
    { "no placement, node relabelled", 0, MST_GROUP_REJECTED, MST_ON_NODE,
      MST_ACT_UPDATE_NODE_LABEL, "k2", 1000, true },
    { "no placement, pod deleted", 0, MST_GROUP_REJECTED, MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "k0",
      1000, false },
    { "error, node added", 0, MST_GROUP_ERROR, MST_ON_NODE, MST_ACT_ADD, "k0", 1000, false },
    { "wildcard", BIT(SLOT_FIT), MST_GROUP_REJECTED, MST_ON_WILDCARD, MST_ACT_ALL, "k0", 1000,
      false },
};

static void test_group_in_backoff(struct mst_test *t)
{
    for (size_t i = 0; i < 2 * MST_COUNT(group_wakes); i++) {
        size_t c = i / 2;
        bool upstream = i % 2;
        t_case(t, group_wakes[c].name);
        struct world w;
        world_init(&w, upstream);
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g", .kind = "k0" });
        uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g", .kind = "k1" });
        mst_q_entity(w.queue, mst_q_group_id(g))->unschedulable_count = 5;
        mst_q_entity(w.queue, mst_q_group_id(g))->errors_count = 5;
        (void)pop(&w);
        mst_queue_member_failed(w.queue, a, group_wakes[c].slots, 0, w.now);
        mst_queue_member_failed(w.queue, b, group_wakes[c].slots, 0, w.now);
        mst_queue_group_done(w.queue, g, group_wakes[c].end, w.now);
        t_int(t, store(&w, a), MST_STORE_ERROR_BACKOFF);
        w.now += group_wakes[c].later_ms * 1000000;
        send(&w, kind_event(group_wakes[c].resource, group_wakes[c].actions,
                            kind_of(&w, group_wakes[c].kind)));
        bool wakes = group_wakes[c].wakes && !upstream;
        t_int(t, store(&w, a), wakes ? MST_STORE_ACTIVE : MST_STORE_ERROR_BACKOFF);
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_gated_group_listens_to_its_gate_only(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
        (void)add_group(&w, (struct group_spec){ .name = "h" });
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        t_bool(t, gated(&w, a), true);
        (void)add(&w, (struct pod_spec){ .name = "x", .group = "h" }); /* not its group */
        t_bool(t, gated(&w, a), true);
        send(&w, kind_event(MST_ON_NODE, MST_ACT_ADD, KIND_ANY));
        t_bool(t, gated(&w, a), true);
        /* The state alone moves nothing; the event does. */
        (void)cluster_add(&w, (struct pod_spec){ .name = "b", .group = "g" });
        t_bool(t, gated(&w, a), true);
        struct mst_cluster_event event = event_of(MST_ON_UNSCHEDULED_POD, MST_ACT_ADD);
        event.group = g;
        send(&w, event);
        t_int(t, store(&w, a), MST_STORE_ACTIVE);
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_own_update_wakes_the_pod(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, a, BIT(SLOT_FIT), 0, w.now);
    w.now += SEC(3);
    struct mst_cluster_event events[] = {
        pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, a),
        pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_SCALE_DOWN, a),
    };
    mst_queue_pod_updated(w.queue, a, events, 1, w.now);
    t_int(t, store(&w, a), MST_STORE_UNSCHEDULABLE);
    mst_queue_pod_updated(w.queue, a, events, 2, w.now);
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    world_done(&w);
}

static void test_unschedulable_timeout(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    t_int(t, mst_queue_deadline(w.queue, w.now), INT64_MAX);
    uint32_t gate = add(&w, (struct pod_spec){ .name = "gate", .gates = "x" });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, a, BIT(SLOT_DEAF), 0, w.now);
    /* Older than 300 s: the flush at 300 s is one moment too early. */
    t_int(t, mst_queue_deadline(w.queue, w.now), T0 + SEC(330));
    tick_at(&w, T0 + SEC(300));
    t_int(t, store(&w, a), MST_STORE_UNSCHEDULABLE);
    tick_at(&w, T0 + SEC(329)); /* old enough, but a punctual host would not be called now */
    t_int(t, store(&w, a), MST_STORE_UNSCHEDULABLE);
    t_int(t, mst_queue_deadline(w.queue, w.now), T0 + SEC(330));
    tick_at(&w, T0 + SEC(330));
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    t_bool(t, gated(&w, gate), true);
    /* The gated pod was asked again and counts from the flush. */
    t_int(t, mst_queue_deadline(w.queue, w.now), T0 + SEC(660));
    mst_queue_check(w.queue);
    world_done(&w);
}

/* A late or repeated tick does what the missed ones would have done. */
static void test_late_ticks(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, a, 0, 0, w.now);
    int64_t end = mst_queue_backoff_end(w.queue, a);
    t_int(t, end, T0 - 250000000 + SEC(2));
    tick_at(&w, end - 1);
    tick_at(&w, end - 1);
    t_int(t, store(&w, a), MST_STORE_ERROR_BACKOFF);
    tick_at(&w, end + SEC(100));
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    t_int(t, mst_queue_deadline(w.queue, w.now), INT64_MAX);
    t_int(t, mst_queue_backoff_end(w.queue, a), INT64_MAX);
    world_done(&w);
}

MST_TEST_MAIN(T(test_hints_of_a_lone_pod), T(test_wildcard_for_one_pod),
              T(test_profiles_have_slots_of_their_own), T(test_group_in_backoff),
              T(test_gated_group_listens_to_its_gate_only), T(test_own_update_wakes_the_pod),
              T(test_unschedulable_timeout), T(test_late_ticks))
