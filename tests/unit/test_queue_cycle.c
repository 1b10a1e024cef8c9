/*
 * test_queue_cycle.c - pop, pods that come back, the end of a group's cycle (scheduling.md 1.4,
 * 1.8).
 */
#include "queue_helper.h"
#include "tap.h"

static void test_pod_failed_goes_where_its_blame_says(struct mst_test *t)
{
    static const struct {
        const char *name;
        uint64_t unschedulable, pending;
        mst_store want;
    } cases[] = {
        { "rejected", BIT(SLOT_FIT), 0, MST_STORE_UNSCHEDULABLE },
        { "pending", 0, BIT(SLOT_PEND), MST_STORE_UNSCHEDULABLE },
        { "error", 0, 0, MST_STORE_ERROR_BACKOFF },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct world w;
        world_init(&w, false);
        uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
        (void)pop(&w);
        mst_queue_pod_failed(w.queue, a, cases[i].unschedulable, cases[i].pending, w.now);
        t_int(t, store(&w, a), cases[i].want);
        t_bool(t, gated(&w, a), false);
        t_int(t, pop(&w), MST_ROW_NONE);
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_error_backoff_is_not_popped_early(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, a, 0, 0, w.now);
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, b, BIT(SLOT_TAINT), 0, w.now);
    send(&w, event_of(MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT));
    t_int(t, store(&w, b), MST_STORE_BACKOFF);
    t_int(t, pop(&w), b);
    mst_queue_pod_scheduled(w.queue, b);
    t_int(t, pop(&w), MST_ROW_NONE);
    world_done(&w);
}

static void test_backoff_is_popped_only_with_the_gate(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    w.config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = false;
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    (void)pop(&w);
    mst_queue_pod_failed(w.queue, b, BIT(SLOT_TAINT), 0, w.now);
    send(&w, event_of(MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT));
    t_int(t, store(&w, b), MST_STORE_BACKOFF);
    t_int(t, pop(&w), MST_ROW_NONE);
    /* Fails at .25 s, expires at 1.25 s, the flush of second 2 moves it. */
    t_int(t, mst_queue_backoff_end(w.queue, b), T0 - 250000000 + SEC(2));
    world_done(&w);
}

/* Members of a group: `fails` of 3 come back, then the cycle ends. */
static const struct {
    const char *name;
    mst_group_end end;
    uint32_t fails;
    bool newcomer;
    mst_store want;
    bool keeps_time;
} ends[] = {
    { "all bound", MST_GROUP_SUCCESS, 0, false, MST_STORE_NONE, false },
    { "partly bound", MST_GROUP_SUCCESS, 1, false, MST_STORE_ACTIVE, true },
    { "all bound, one more came", MST_GROUP_SUCCESS, 0, true, MST_STORE_ACTIVE, false },
    { "rejected", MST_GROUP_REJECTED, 3, false, MST_STORE_ERROR_BACKOFF, false },
    { "error", MST_GROUP_ERROR, 3, false, MST_STORE_ERROR_BACKOFF, false },
};

static void test_group_ends(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(ends); i++) {
        t_case(t, ends[i].name);
        struct world w;
        world_init(&w, false);
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = 1 });
        uint32_t pods[4];
        for (uint32_t p = 0; p < 3; p++)
            pods[p] = add(&w, (struct pod_spec){ .name = (const char *[]){ "a", "b", "c" }[p],
                                                 .group = "g" });
        struct mst_entity *e = mst_q_entity(w.queue, mst_q_group_id(g));
        e->unschedulable_count = e->errors_count = 2;
        t_int(t, pop(&w), g);
        w.now += SEC(5);
        if (ends[i].newcomer) {
            pods[0] = add(&w, (struct pod_spec){ .name = "d", .group = "g" });
            t_int(t, store(&w, pods[0]), MST_STORE_PENDING);
        }
        for (uint32_t p = ends[i].newcomer; p < 3; p++) {
            if (p < ends[i].fails)
                mst_queue_member_failed(w.queue, pods[p], BIT(SLOT_FIT), 0, w.now);
            else
                mst_queue_pod_scheduled(w.queue, pods[p]);
        }
        if (ends[i].newcomer)
            mst_queue_pod_scheduled(w.queue, 0);
        mst_queue_group_done(w.queue, g, ends[i].end, w.now);
        t_int(t, store(&w, pods[0]), ends[i].want);
        if (ends[i].want != MST_STORE_NONE) {
            t_int(t, e->since_ns, ends[i].keeps_time ? T0 : w.now);
            t_int(t, e->attempts, 1);
            bool ok = ends[i].end == MST_GROUP_SUCCESS;
            t_int(t, e->unschedulable_count, ok ? 0 : 2 + (ends[i].end == MST_GROUP_REJECTED));
            t_int(t, e->errors_count, ends[i].end == MST_GROUP_ERROR ? 3 : 0);
        }
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

/* The pod's entity waits so long after a failed binding, and is active at the end. */
static void backs_off(struct mst_test *t, struct world *w, uint32_t pod, int64_t wait_ns)
{
    t_int(t, store(w, pod), MST_STORE_ERROR_BACKOFF);
    int64_t end = mst_queue_backoff_end(w->queue, pod);
    t_int(t, end, mst_q_floor_second(w->now + wait_ns) + SEC(1));
    t_int(t, mst_queue_deadline(w->queue, w->now), end);
    tick_at(w, end - 1);
    t_int(t, store(w, pod), MST_STORE_ERROR_BACKOFF);
    tick_at(w, end);
    t_int(t, store(w, pod), MST_STORE_ACTIVE);
}

/* Binding fails again and again: 1, 2, 4, 8, 10 s; upstream's first retry is at once. */
static void test_bind_failures_back_off(struct mst_test *t)
{
    static const int64_t waits_s[] = { 1, 2, 4, 8, 10, 10 };
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        w.config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = false;
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        for (size_t i = 0; i < MST_COUNT(waits_s); i++) {
            t_int(t, pop(&w), g);
            mst_queue_pod_scheduled(w.queue, a);
            mst_queue_group_done(w.queue, g, MST_GROUP_SUCCESS, w.now);
            mst_queue_member_failed(w.queue, a, 0, 0, w.now);
            if (upstream && i == 0)
                t_int(t, store(&w, a), MST_STORE_ACTIVE);
            else
                backs_off(t, &w, a, SEC(waits_s[i]));
        }
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

/*
 * Two of a gang, one placed and never bound, the other without room: each attempt is a success. The
 * waits are those of one pod until 10 s x sqrt(2) caps them; upstream never waits.
 */
static void test_bind_failure_joins_the_waiting_group(struct mst_test *t)
{
    static const int64_t waits_ms[] = { 1000, 2000, 4000, 8000, 14142, 14142 };
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        w.config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = false;
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
        for (uint32_t i = 0; i < MST_COUNT(waits_ms); i++) {
            struct mst_popped popped;
            t_ok(t, mst_queue_pop(w.queue, w.now, &popped));
            t_ok(t, popped.pod_count == 2 && popped.attempt == i + 1);
            t_int(t, popped.pods[0], i ? b : a);
            mst_queue_pod_scheduled(w.queue, a);
            mst_queue_member_failed(w.queue, b, BIT(SLOT_FIT), 0, w.now);
            mst_queue_group_done(w.queue, g, MST_GROUP_SUCCESS, w.now);
            t_int(t, store(&w, b), MST_STORE_ACTIVE);
            mst_queue_member_failed(w.queue, a, 0, 0, w.now);
            mst_queue_check(w.queue);
            if (upstream)
                t_int(t, store(&w, a), MST_STORE_ACTIVE);
            else
                backs_off(t, &w, a, waits_ms[i] * 1000000);
        }
        world_done(&w);
    }
}

static void test_lone_bind_failure(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    (void)pop(&w);
    mst_queue_pod_scheduled(w.queue, a);
    t_int(t, pop(&w), b);
    mst_queue_member_failed(w.queue, a, 0, 0, w.now); /* while another pod is out */
    t_int(t, store(&w, a), MST_STORE_ERROR_BACKOFF);
    t_int(t, store(&w, b), MST_STORE_POPPED);
    mst_queue_check(w.queue);
    mst_queue_pod_scheduled(w.queue, b);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_equal_priorities_rotate(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    w.config.max_backoff_s = 0; /* backoff off: failed pods are ready at once */
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t got = pop(&w);
        t_int(t, got, i % 2 ? b : a);
        mst_queue_pod_failed(w.queue, got, 0, 0, w.now);
    }
    world_done(&w);
}

/* What is listed is what pop gives, one after another; looking takes nothing out. */
static void test_ready_is_the_order_of_pop(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t group =
        add_group(&w, (struct group_spec){ .name = "g", .min_count = 2, .priority = 5 });
    (void)add(&w, (struct pod_spec){ .name = "low", .priority = 1 });
    uint32_t m1 = add(&w, (struct pod_spec){ .name = "m1", .group = "g", .priority = 5 });
    uint32_t m2 = add(&w, (struct pod_spec){ .name = "m2", .group = "g", .priority = 5 });
    uint32_t held = add(&w, (struct pod_spec){ .name = "held", .gates = "x", .priority = 9 });
    (void)add(&w, (struct pod_spec){ .name = "high", .priority = 9 });
    (void)add(&w, (struct pod_spec){ .name = "low2", .priority = 1 });
    struct mst_waiting *list;
    uint32_t n = mst_queue_ready(w.queue, &w.arena, &list);
    t_int(t, n, 4);
    t_ok(t, list[1].group && list[1].id == group);
    struct mst_popped look, got;
    t_bool(t, mst_queue_look(w.queue, true, &group, &look), true);
    t_int(t, look.pod_count, 2);
    t_ok(t, look.pods[0] == m1 && look.pods[1] == m2);
    t_bool(t, mst_queue_look(w.queue, false, &held, &look), true);
    t_bool(t, mst_queue_look(w.queue, false, &m1, &look), false); /* its group is the entity */
    const uint32_t nobody = 1000;
    t_bool(t, mst_queue_look(w.queue, false, &nobody, &look), false);
    t_bool(t, mst_queue_look(w.queue, true, &nobody, &look), false);
    for (uint32_t i = 0; i < n; i++) {
        t_bool(t, mst_queue_look(w.queue, list[i].group, &list[i].id, &look), true);
        t_bool(t, mst_queue_pop(w.queue, w.now, &got), true);
        t_ok(t, got.group == list[i].group && got.id == list[i].id);
        t_ok(t, look.attempt == got.attempt && look.pod_count == got.pod_count);
        for (uint32_t k = 0; k < got.pod_count; k++)
            mst_queue_pod_scheduled(w.queue, got.pods[k]);
        if (got.group)
            mst_queue_group_done(w.queue, got.id, MST_GROUP_SUCCESS, w.now);
    }
    t_int(t, mst_queue_ready(w.queue, &w.arena, &list), 0);
    t_bool(t, mst_queue_look(w.queue, true, &group, &look), false);
    mst_queue_check(w.queue);
    world_done(&w);
}

MST_TEST_MAIN(T(test_pod_failed_goes_where_its_blame_says),
              T(test_error_backoff_is_not_popped_early),
              T(test_backoff_is_popped_only_with_the_gate), T(test_group_ends),
              T(test_bind_failures_back_off), T(test_bind_failure_joins_the_waiting_group),
              T(test_lone_bind_failure), T(test_equal_priorities_rotate),
              T(test_ready_is_the_order_of_pop))
