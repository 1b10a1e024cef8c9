/*
 * test_queue_held.c - what held members are told, when, and only when it is new.
 */
#include "queue_helper.h"
#include "tap.h"

#define QUORUM "waiting for minCount pods from a gang to appear in scheduling queue"
#define ABSENT "waiting for pods's pod group \"g\" to appear in scheduling queue"
#define GATES "waiting for scheduling gates: [x]"

enum { MAX = 8 };

static uint32_t held(struct world *w, struct mst_held *out)
{
    return mst_queue_held(w->queue, w->now, &w->arena, out, MAX);
}

static void test_incomplete_then_quorum(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    struct mst_held out[MAX];
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    t_str(t, mst_queue_gate_text(w.queue, a, &w.arena), ABSENT);
    t_int(t, mst_queue_deadline(w.queue, w.now), T0 + SEC(10));
    w.now = T0 + SEC(10) - 1;
    t_int(t, held(&w, out), 0);
    w.now = T0 + SEC(10);
    t_int(t, held(&w, out), 1);
    t_int(t, out[0].pod, a);
    t_str(t, out[0].text, ABSENT);
    t_int(t, held(&w, out), 0);
    t_int(t, mst_queue_deadline(w.queue, w.now), INT64_MAX);
    /* The reason changes: told at once, the pod has been held all the time. */
    (void)add_group(&w, (struct group_spec){ .name = "g", .min_count = 3 });
    t_int(t, mst_queue_deadline(w.queue, w.now), w.now);
    t_int(t, held(&w, out), 1);
    t_str(t, out[0].text, QUORUM);
    /* Another member, the same reason: nothing new for the first. */
    w.now += SEC(1);
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    t_int(t, held(&w, out), 0);
    w.now += SEC(10);
    t_int(t, held(&w, out), 1);
    t_int(t, out[0].pod, b);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_upstream_tells_nothing(struct mst_test *t)
{
    struct world w;
    world_init(&w, true);
    struct mst_held out[MAX];
    (void)add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    w.now += SEC(100);
    t_int(t, held(&w, out), 0);
    t_int(t, mst_queue_deadline(w.queue, w.now), INT64_MAX);
    world_done(&w);
}

static void test_own_gates_are_no_news(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    struct mst_held out[MAX];
    (void)add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g", .gates = "x" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    uint32_t lone = add(&w, (struct pod_spec){ .name = "lone", .gates = "x" });
    t_str(t, mst_queue_gate_text(w.queue, a, &w.arena), GATES);
    t_str(t, mst_queue_gate_text(w.queue, lone, &w.arena), GATES);
    w.now += SEC(10);
    t_int(t, held(&w, out), 1);
    t_int(t, out[0].pod, b);
    t_str(t, out[0].text, "waiting for pod \"a\" of the pod group: " GATES);
    world_done(&w);
}

static void test_no_notice_once_it_goes_on(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    struct mst_held out[MAX];
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    w.now += SEC(9);
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    t_ok(t, !mst_queue_gate_text(w.queue, a, &w.arena).p);
    w.now += SEC(9);
    t_int(t, held(&w, out), 0);
    /* Held anew: the ten seconds start again, and the attempt in between makes the text news. */
    update_group(&w, (struct group_spec){ .name = "g", .min_count = 5 }, 2);
    (void)pop(&w);
    mst_queue_member_failed(w.queue, a, BIT(SLOT_FIT), 0, w.now);
    mst_queue_member_failed(w.queue, b, BIT(SLOT_FIT), 0, w.now);
    mst_queue_group_done(w.queue, g, MST_GROUP_REJECTED, w.now);
    t_bool(t, gated(&w, a), true);
    w.now += SEC(10);
    t_int(t, held(&w, out), 2);
    remove_pod(&w, b);
    w.now += SEC(100);
    t_int(t, held(&w, out), 0);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_more_than_fit_are_told_later(struct mst_test *t)
{
    enum { PODS = 3 * MAX + 1 };
    struct world w;
    world_init(&w, false);
    struct mst_held out[MAX];
    bool told[PODS] = { false };
    for (uint32_t i = 0; i < PODS; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%u", i);
        (void)add(&w, (struct pod_spec){ .name = name, .group = "g" });
    }
    w.now += SEC(11);
    uint32_t all = 0;
    for (uint32_t n; (n = held(&w, out)) > 0; all += n)
        for (uint32_t i = 0; i < n; i++) {
            t_bool(t, told[out[i].pod], false);
            told[out[i].pod] = true;
        }
    t_int(t, all, PODS);
    t_int(t, mst_queue_deadline(w.queue, w.now), INT64_MAX);
    world_done(&w);
}

MST_TEST_MAIN(T(test_incomplete_then_quorum), T(test_upstream_tells_nothing),
              T(test_own_gates_are_no_news), T(test_no_notice_once_it_goes_on),
              T(test_more_than_fit_are_told_later))
