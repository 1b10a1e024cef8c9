/*
 * test_queue.c - pods and groups come, change and go.
 */
#include "queue_helper.h"
#include "tap.h"

static void test_lone_pod_life(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    t_int(t, mst_queue_since(w.queue, a), T0);
    t_int(t, mst_queue_attempts(w.queue, false, a), 0);
    t_int(t, pop(&w), a);
    t_int(t, store(&w, a), MST_STORE_POPPED);
    t_int(t, mst_queue_attempts(w.queue, false, a), 1);
    mst_queue_pod_scheduled(w.queue, a);
    t_int(t, store(&w, a), MST_STORE_NONE);
    remove_pod(&w, a);
    mst_queue_pod_removed(w.queue, 1000, w.now); /* never heard of */
    t_int(t, store(&w, 1000), MST_STORE_NONE);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_gated_pod_waits_for_its_gates(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .gates = "x" });
    t_bool(t, gated(&w, a), true);
    t_int(t, mst_queue_since(w.queue, a), INT64_MIN); /* gated time does not count */
    t_int(t, pop(&w), MST_ROW_NONE);
    struct mst_cluster_event label = pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, a);
    mst_queue_pod_updated(w.queue, a, &label, 1, w.now);
    t_bool(t, gated(&w, a), true);
    mst_free((char *)w.cluster.pods.v[a].gates.p);
    w.cluster.pods.v[a].gates = MST_STR_NONE;
    mst_queue_pod_updated(w.queue, a, NULL, 0, w.now);
    t_bool(t, gated(&w, a), true);
    struct mst_cluster_event gone =
        pod_event(MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_GATES_ELIMINATED, a);
    w.now += 77;
    mst_queue_pod_updated(w.queue, a, &gone, 1, w.now);
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    t_int(t, mst_queue_since(w.queue, a), T0 + 77);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_members_before_their_group(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    w.now += SEC(1);
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g", .priority = 1 });
    t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
    t_int(t, pop(&w), MST_ROW_NONE);
    w.now += SEC(1);
    uint32_t lone = add(&w, (struct pod_spec){ .name = "lone" });
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
    t_int(t, store(&w, a), MST_STORE_ACTIVE);
    mst_queue_check(w.queue);
    /* The entity has the time of the first of its pods, so it comes before the lone pod. */
    struct mst_popped popped;
    t_ok(t, mst_queue_pop(w.queue, w.now, &popped));
    t_ok(t, popped.group && popped.id == g && popped.pod_count == 2);
    t_ok(t, popped.pods[0] == b && popped.pods[1] == a);
    mst_queue_pod_scheduled(w.queue, a);
    mst_queue_pod_scheduled(w.queue, b);
    mst_queue_group_done(w.queue, g, MST_GROUP_SUCCESS, w.now);
    t_int(t, pop(&w), lone);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_group_removed_and_readded(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = 2 });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    t_bool(t, gated(&w, a), true);
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    t_int(t, store(&w, b), MST_STORE_ACTIVE);
    t_bool(t, gated(&w, b), false);
    remove_group(&w, g);
    t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
    t_int(t, store(&w, b), MST_STORE_INCOMPLETE);
    mst_queue_check(w.queue);
    (void)add_group(&w, (struct group_spec){ .name = "g", .min_count = 3 });
    t_bool(t, gated(&w, a), true);
    remove_pod(&w, a);
    uint32_t again = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    t_bool(t, gated(&w, again), true);
    update_group(&w, (struct group_spec){ .name = "g", .min_count = 2 }, 3);
    t_int(t, store(&w, again), MST_STORE_ACTIVE);
    remove_pod(&w, again);
    remove_pod(&w, b);
    t_int(t, pop(&w), MST_ROW_NONE); /* empty entities are dropped */
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_group_removed_during_its_cycle(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    t_int(t, pop(&w), g);
    mst_queue_member_failed(w.queue, a, 0, 0, w.now);
    t_int(t, store(&w, a), MST_STORE_PENDING);
    remove_group(&w, g);
    t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
    mst_queue_member_failed(w.queue, b, 0, 0, w.now);
    t_int(t, store(&w, b), MST_STORE_INCOMPLETE);
    mst_queue_group_done(w.queue, g, MST_GROUP_ERROR, w.now);
    t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_composites_stay_incomplete(struct mst_test *t)
{
    static const struct group_spec specs[] = { { .name = "g", .composite = true },
                                               { .name = "g", .parent = "root" } };
    for (size_t i = 0; i < MST_COUNT(specs); i++) {
        struct world w;
        world_init(&w, false);
        (void)add_group(&w, specs[i]);
        uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        t_int(t, store(&w, a), MST_STORE_INCOMPLETE);
        t_str(t, mst_queue_gate_text(w.queue, a, &w.arena),
              "composite pod groups are not supported by this version of muster");
        mst_queue_check(w.queue);
        world_done(&w);
    }
}

static void test_group_priority_is_refreshed(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t lone = add(&w, (struct pod_spec){ .name = "lone", .priority = 5 });
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
    (void)add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    update_group(&w, (struct group_spec){ .name = "g", .priority = 9 }, 1);
    struct mst_popped popped;
    t_ok(t, mst_queue_pop(w.queue, w.now, &popped));
    t_ok(t, popped.group && popped.id == g);
    (void)lone;
    world_done(&w);
}

static void test_pod_priority_is_refreshed(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    w.cluster.pods.v[b].priority = 3;
    mst_queue_pod_updated(w.queue, b, NULL, 0, w.now);
    mst_queue_check(w.queue);
    t_int(t, pop(&w), b);
    mst_queue_pod_scheduled(w.queue, b);
    t_int(t, pop(&w), a);
    mst_queue_pod_scheduled(w.queue, a);
    (void)add_group(&w, (struct group_spec){ .name = "g" });
    uint32_t c = add(&w, (struct pod_spec){ .name = "c", .group = "g" });
    uint32_t d = add(&w, (struct pod_spec){ .name = "d", .group = "g" });
    w.cluster.pods.v[d].priority = 3;
    mst_queue_pod_updated(w.queue, d, NULL, 0, w.now);
    struct mst_popped popped;
    t_ok(t, mst_queue_pop(w.queue, w.now, &popped));
    t_ok(t, popped.pods[0] == d && popped.pods[1] == c);
    world_done(&w);
}

/* A member removed while it is popped, and a row that is reused at once. */
static void test_row_is_reused(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t a = add(&w, (struct pod_spec){ .name = "a" });
    t_int(t, pop(&w), a);
    remove_pod(&w, a);
    uint32_t b = add(&w, (struct pod_spec){ .name = "b" });
    t_int(t, b, a);
    t_int(t, mst_queue_attempts(w.queue, false, b), 0);
    t_int(t, pop(&w), b);
    mst_queue_pod_scheduled(w.queue, b);
    mst_queue_check(w.queue);
    world_done(&w);
}

/* What would be quadratic if members were asked or moved one by one takes no noticeable time. */
static void test_big_group_is_not_quadratic(struct mst_test *t)
{
    enum { MEMBERS = 20000 };
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world w;
        world_init(&w, upstream);
        uint32_t g = add_group(&w, (struct group_spec){ .name = "g", .min_count = MEMBERS / 2 });
        uint32_t *pods = mst_calloc(MEMBERS, sizeof(*pods));
        for (uint32_t i = 0; i < MEMBERS; i++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "p%u", i);
            pods[i] = add(&w, (struct pod_spec){ .name = name, .group = "g" });
            if (i % 1024 == 0)
                mst_arena_reset(&w.arena);
        }
        t_int(t, pop(&w), g);
        for (uint32_t i = 0; i < MEMBERS; i++)
            mst_queue_member_failed(w.queue, pods[i], BIT(SLOT_FIT), 0, w.now);
        mst_queue_group_done(w.queue, g, MST_GROUP_REJECTED, w.now);
        t_int(t, store(&w, pods[0]), MST_STORE_ERROR_BACKOFF);
        for (uint32_t i = 0; i < MEMBERS; i++)
            mst_queue_pod_removed(w.queue, pods[i], w.now);
        t_int(t, store(&w, pods[0]), MST_STORE_NONE);
        mst_queue_check(w.queue);
        mst_free(pods);
        world_done(&w);
    }
}

MST_TEST_MAIN(T(test_lone_pod_life), T(test_gated_pod_waits_for_its_gates),
              T(test_members_before_their_group), T(test_group_removed_and_readded),
              T(test_group_removed_during_its_cycle), T(test_composites_stay_incomplete),
              T(test_group_priority_is_refreshed), T(test_pod_priority_is_refreshed),
              T(test_row_is_reused), T(test_big_group_is_not_quadratic))
