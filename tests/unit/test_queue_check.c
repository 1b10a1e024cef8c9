/*
 * test_queue_check.c - the views, and that the check of invariants sees each kind of damage.
 */
#include "queue_helper.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_views_of_unknown_rows(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    bool is_gated = true;
    t_int(t, mst_queue_store_of(w.queue, 5, &is_gated), MST_STORE_NONE);
    t_bool(t, is_gated, false);
    t_int(t, mst_queue_since(w.queue, 5), INT64_MIN);
    t_int(t, mst_queue_attempts(w.queue, false, 5), 0);
    t_int(t, mst_queue_attempts(w.queue, true, 5), 0);
    t_int(t, mst_queue_backoff_end(w.queue, 5), INT64_MAX);
    t_ok(t, !mst_queue_gate_text(w.queue, 5, &w.arena).p);
    mst_queue_check(w.queue);
    world_done(&w);
}

static void test_attempts_and_since(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t g = add_group(&w, (struct group_spec){ .name = "g" });
    uint32_t a = add(&w, (struct pod_spec){ .name = "a", .group = "g" });
    for (uint32_t i = 1; i <= 3; i++) {
        w.now += SEC(1);
        t_int(t, pop(&w), g);
        mst_queue_member_failed(w.queue, a, BIT(SLOT_FIT), 0, w.now);
        mst_queue_group_done(w.queue, g, MST_GROUP_SUCCESS, w.now);
        t_int(t, mst_queue_attempts(w.queue, true, g), i);
        t_int(t, mst_queue_attempts(w.queue, false, a), i);
        t_int(t, mst_queue_since(w.queue, a), T0);
    }
    /* The one that joins late starts at 0. */
    uint32_t b = add(&w, (struct pod_spec){ .name = "b", .group = "g" });
    t_int(t, mst_queue_attempts(w.queue, false, b), 0);
    t_int(t, mst_queue_since(w.queue, b), w.now);
    world_done(&w);
}

/* ---- damage; rows: 0 and 1 members of group 0, 2 gated, 3 incomplete, 4 lone and active ---- */

static void two_places(struct mst_queue *q)
{
    q->pods.v[4].at = MST_AT_NONE;
}
static void lost_from_heap(struct mst_queue *q)
{
    (void)mst_heap_remove(&q->active, mst_q_pod_id(4));
}
static void heap_order(struct mst_queue *q)
{
    q->pods.v[4].e.priority = 100;
}
static void member_order(struct mst_queue *q)
{
    q->pods.v[1].e.priority = 100;
}
static void foreign_member(struct mst_queue *q)
{
    q->pods.v[1].group = 1;
}
static void broken_list(struct mst_queue *q)
{
    q->unschedulable_head = MST_Q_NONE;
}
static void wrong_count(struct mst_queue *q)
{
    q->unschedulable_count++;
}
static void gated_but_active(struct mst_queue *q)
{
    q->pods.v[4].e.gated = true;
}
static void incomplete_lost(struct mst_queue *q)
{
    q->groups.v[1].incomplete.n = 0;
}
static void not_held(struct mst_queue *q)
{
    q->pods.v[3].hold_ns = MST_Q_NEVER;
}
static void popped_nobody(struct mst_queue *q)
{
    q->popped = mst_q_pod_id(4);
}

static const struct {
    const char *name;
    void (*damage)(struct mst_queue *queue);
} damages[] = {
    { "none", NULL },
    { "a queued pod that is nowhere", two_places },
    { "missing from its heap", lost_from_heap },
    { "heap out of order", heap_order },
    { "members out of order", member_order },
    { "member of another group", foreign_member },
    { "list without head", broken_list },
    { "list miscounted", wrong_count },
    { "gated and active", gated_but_active },
    { "incomplete member not listed", incomplete_lost },
    { "incomplete member not held", not_held },
    { "popped entity in a store", popped_nobody },
};

/* True if the check aborts, in a process of its own. */
static bool check_aborts(struct mst_queue *queue)
{
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)close(STDERR_FILENO);
        mst_queue_check(queue);
        _exit(0);
    }
    int status = 0;
    (void)waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_check_sees_damage(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(damages); i++) {
        t_case(t, damages[i].name);
        struct world w;
        world_init(&w, false);
        (void)add_group(&w, (struct group_spec){ .name = "g", .priority = 1 });
        (void)add(&w, (struct pod_spec){ .name = "a", .group = "g" });
        (void)add(&w, (struct pod_spec){ .name = "b", .group = "g" });
        (void)add(&w, (struct pod_spec){ .name = "c", .gates = "x" });
        (void)add(&w, (struct pod_spec){ .name = "d", .group = "absent" });
        (void)add(&w, (struct pod_spec){ .name = "e" });
        mst_queue_check(w.queue);
        if (damages[i].damage)
            damages[i].damage(w.queue);
        t_bool(t, check_aborts(w.queue), damages[i].damage != NULL);
        world_done(&w);
    }
}

MST_TEST_MAIN(T(test_views_of_unknown_rows), T(test_attempts_and_since), T(test_check_sees_damage))
