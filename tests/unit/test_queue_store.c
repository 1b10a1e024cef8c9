/*
 * test_queue_store.c - order of the active store, backoff arithmetic, PreEnqueue of entities.
 */
#include "queue_helper.h"
#include "tap.h"

static void test_active_order(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" }); /* same instant: after a */
    w.now += 5;
    uint32_t c = add(&w, (struct pod_spec){ .name = "c", .priority = 7 });
    uint32_t d = add(&w, (struct pod_spec){ .name = "d", .priority = -7 });
    w.now -= 5;
    uint32_t group = add_group(&w, (struct group_spec){ .name = "g", .priority = 7 });
    uint32_t m = add(&w, (struct pod_spec){ .name = "m", .group = "g", .priority = -100 });
    t_int(t, store(&w, m), MST_STORE_ACTIVE);
    struct mst_popped popped;
    t_ok(t, mst_queue_pop(w.queue, w.now, &popped));
    t_ok(t, popped.group && popped.id == group && popped.attempt == 1);
    t_ok(t, popped.pod_count == 1 && popped.pods[0] == m);
    mst_queue_pod_scheduled(w.queue, m);
    mst_queue_group_done(w.queue, group, MST_GROUP_SUCCESS, w.now);
    const uint32_t order[] = { c, a, b, d };
    for (size_t i = 0; i < MST_COUNT(order); i++) {
        t_int(t, pop(&w), order[i]);
        mst_queue_pod_scheduled(w.queue, order[i]);
    }
    t_int(t, pop(&w), MST_ROW_NONE);
    mst_queue_check(w.queue);
    world_done(&w);
}

static const struct {
    const char *name;
    uint32_t unschedulable, errors, members;
    int64_t initial_s, max_s;
    bool floored;
    int64_t want_ns; /* after the time of the entity; -1: no backoff */
} backoffs[] = {
    { "never failed", 0, 0, 1, 1, 10, true, -1 },
    { "first, floored", 1, 0, 1, 1, 10, true, 750000000 },
    { "first, exact", 1, 0, 1, 1, 10, false, 1000000000 },
    { "second", 2, 0, 1, 1, 10, false, 2000000000 },
    { "fourth", 4, 0, 1, 1, 10, false, 8000000000 },
    { "fifth is capped", 5, 0, 1, 1, 10, false, 10000000000 },
    { "the hundredth too", 100, 0, 1, 1, 10, false, 10000000000 },
    { "errors count before rejections", 5, 1, 1, 1, 10, false, 1000000000 },
    { "initial above max", 1, 0, 1, 20, 10, false, 10000000000 },
    { "max 0 disables", 9, 0, 1, 1, 0, true, -1 },
    { "initial 0", 3, 0, 1, 0, 10, false, 0 },
    { "four members double the cap", 6, 0, 4, 1, 10, false, 20000000000 },
    { "two members: times the root of 2", 9, 0, 2, 1, 10, false, 14142135623 },
    { "fifth of four members is not capped", 5, 0, 4, 1, 10, false, 16000000000 },
    { "three members, floored", 9, 0, 3, 1, 10, true, 16750000000 }, /* 17.320508075 + 0.25 */
};

static void test_backoff_duration(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(backoffs); i++) {
        t_case(t, backoffs[i].name);
        struct world w;
        world_init(&w, false);
        w.config.initial_backoff_s = backoffs[i].initial_s;
        w.config.max_backoff_s = backoffs[i].max_s;
        w.config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = backoffs[i].floored;
        uint32_t group = add_group(&w, (struct group_spec){ .name = "g" });
        for (uint32_t m = 0; m < backoffs[i].members; m++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "m%u", m);
            (void)add(&w, (struct pod_spec){ .name = name, .group = "g" });
        }
        uint32_t id = mst_q_group_id(group);
        struct mst_entity *e = mst_q_entity(w.queue, id);
        e->unschedulable_count = backoffs[i].unschedulable;
        e->errors_count = backoffs[i].errors;
        bool off = mst_q_backing_off(w.queue, id, w.now);
        if (backoffs[i].want_ns < 0) {
            t_bool(t, off, false);
            t_int(t, e->backoff_ns, MST_Q_NEVER);
        } else {
            t_bool(t, off, true);
            t_int(t, e->backoff_ns - T0, backoffs[i].want_ns);
            /* Equality still waits. */
            int64_t end = e->backoff_ns;
            t_bool(t, mst_q_backing_off(w.queue, id, end), true);
            t_bool(t, mst_q_backing_off(w.queue, id, end + SEC(1)), false);
            t_bool(t, mst_q_backing_off(w.queue, id, end + 1), backoffs[i].floored);
        }
        world_done(&w);
    }
}

static void test_backoff_is_computed_once(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t group = add_group(&w, (struct group_spec){ .name = "g" });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    for (uint32_t i = 0; i < 8; i++) {
        w.now += SEC(2000);
        mst_queue_tick(w.queue, w.now);
        t_int(t, pop(&w), group);
        mst_queue_member_failed(w.queue, a, BIT(SLOT_FIT), 0, w.now);
        mst_queue_group_done(w.queue, group, MST_GROUP_REJECTED, w.now);
    }
    int64_t end = mst_queue_backoff_end(w.queue, a);
    for (uint32_t i = 0; i < 8; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "late%u", i);
        (void)add(&w, (struct pod_spec){ .name = name, .group = "g" });
    }
    t_int(t, mst_queue_backoff_end(w.queue, a), end);
    t_int(t, end, mst_q_floor_second(w.now + SEC(10)) + SEC(1));
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_floor_second(struct mst_test *t)
{
    static const struct {
        int64_t ns, want;
    } cases[] = { { 0, 0 },
                  { 999999999, 0 },
                  { 1000000000, 1000000000 },
                  { -1, -1000000000 },
                  { -1000000000, -1000000000 },
                  { -1000000001, -2000000000 } };
    for (size_t i = 0; i < MST_COUNT(cases); i++)
        t_int(t, mst_q_floor_second(cases[i].ns), cases[i].want);
}

/* One gated member gates all; whose plugin the entity keeps depends on the profile. */
static void test_gate_of_group(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        uint32_t group = add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        t_bool(t, gated(&w, a), true);
        uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g", .gates = "x" });
        t_bool(t, gated(&w, a), true);
        t_bool(t, gated(&w, b), true);
        const struct mst_entity *e = mst_q_entity(w.queue, mst_q_group_id(group));
        t_int(t, e->gate_pod, b);
        t_int(t, e->gate_slot, SLOT_GATES);
        /* A third member does not help, the gates do not listen to it. */
        uint32_t c = add(&w, (struct pod_spec){ .name = "c", .group = "g" });
        t_bool(t, gated(&w, c), true);
        mst_queue_check(w.queue);
        remove_pod(&w, b);
        t_bool(t, gated(&w, a), upstream); /* Differs: muster asks again */
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_gate_last_member_upstream_first_muster(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g", .gates = "x" });
        uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
        uint32_t c = add(&w, (struct pod_spec){ .name = "c", .group = "g" });
        t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
        t_int(t, store(&w, b), MST_STORE_INCOMPLETE);
        uint32_t group = add_group(&w, (struct group_spec){ .name = "g", .min_count = 5 });
        const struct mst_entity *e = mst_q_entity(w.queue, mst_q_group_id(group));
        t_bool(t, e->gated, true);
        t_int(t, e->gate_pod, upstream ? c : a);
        t_int(t, e->gate_slot, upstream ? SLOT_GANG : SLOT_GATES);
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

/* An active group is asked again when a member joins or leaves, not when minCount changes. */
static void test_raised_min_count_gates_at_next_change(struct mst_test *t)
{
    struct world w;
    world_init(&w, true);
    (void)add_group(&w, (struct group_spec){ .name = "g", .min_count = 1 });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    update_group(&w, (struct group_spec){ .name = "g", .min_count = 4 }, 1);
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    remove_pod(&w, b);
    t_bool(t, gated(&w, a), true);
    update_group(&w, (struct group_spec){ .name = "g", .min_count = 1 }, 4);
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    mst_queue_check(w.queue);
    world_done(&w);
}

MST_TEST_MAIN(T(test_active_order), T(test_backoff_duration), T(test_backoff_is_computed_once),
              T(test_floor_second), T(test_gate_of_group),
              T(test_gate_last_member_upstream_first_muster),
              T(test_raised_min_count_gates_at_next_change))
