/* Victims are gone, their volumes are still attached: who waits, for what, and how long. */
#include "cluster/awaited.h"
#include "tap.h"
#include "volume_world.h"

#define AWAITS "not eligible due to volumes of preempted pods that are still attached"

/* n1 takes two volumes and has two: a of "low", c of "other", which matters more. */
static struct host *full(bool upstream, const char *gates)
{
    struct host *h = host_with(upstream, NULL, gates);
    host_node(h, "n1", "cpu: 100", NULL);
    volume_limit(h, "n1", 2);
    static const char *const names[] = { "a", "b", "c" };
    for (size_t i = 0; i < MST_COUNT(names); i++)
        volume_add(h, names[i]);
    host_add(h, (struct host_pod_spec){ .name = "low", .priority = 1, .more = ON("n1", "a") });
    host_add(h, (struct host_pod_spec){ .name = "other", .priority = 2, .more = ON("n1", "c") });
    volume_attach(h, "a", "n1");
    volume_attach(h, "c", "n1");
    return h;
}

static void want(struct host *h)
{
    host_add(h, (struct host_pod_spec){ .name = "high", .priority = 9, .more = VOLUME_OF("b") });
    host_run(h);
}

/* The victim has gone, its volume is still attached. */
static struct host *lingering(void)
{
    struct host *h = full(false, NULL);
    want(h);
    host_remove(h, MST_KIND_POD, "low");
    host_wait(h, 5);
    return h;
}

static bool is_awaiting(struct host *h)
{
    return mst_engine_cluster(h->engine)->awaited != NULL;
}

static bool said(struct host *h, const char *text)
{
    mst_buf_char(&h->log, '\0');
    h->log.n--;
    return strstr(h->log.p, text) != NULL;
}

/* ---- the wait ---- */

static void test_nobody_else_goes(struct mst_test *t)
{
    struct host *h = lingering();
    t_ok(t, host_saw(h, "evict default/low*"));
    t_bool(t, host_saw(h, "evict default/other*"), false);
    t_ok(t, said(h, AWAITS));
    t_bool(t, is_awaiting(h), true);
    t_str(t,
          mst_sym_str(h->syms, host_get(h, MST_KIND_POD, "high")->u.pod.status.nominated_node_name),
          "n1");
    host_free(h);
}

static void test_detaching_wakes(struct mst_test *t)
{
    struct host *h = lingering();
    host_wait(h, 30); /* out of backoff */
    host_forget(h);
    volume_detach(h, "a");
    host_run(h);
    t_ok(t, host_saw(h, "bind default/high n1"));
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

/* Without attachments there is nothing to wait for. */
static void test_nothing_was_attached(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    volume_detach(h, "a");
    volume_detach(h, "c");
    want(h);
    t_ok(t, host_saw(h, "evict default/low*"));
    host_remove(h, MST_KIND_POD, "low");
    t_bool(t, is_awaiting(h), false);
    host_wait(h, 5);
    t_ok(t, host_saw(h, "bind default/high n1"));
    host_free(h);
}

/* Attached only while the victim was leaving: it is waited for all the same. */
static void test_attached_late(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    volume_detach(h, "a");
    want(h);
    volume_attach(h, "a", "n1");
    host_remove(h, MST_KIND_POD, "low");
    host_wait(h, 5);
    t_bool(t, host_saw(h, "evict default/other*"), false);
    volume_detach(h, "a");
    host_wait(h, 5);
    t_ok(t, host_saw(h, "bind default/high n1"));
    host_free(h);
}

/* Kubernetes detaches by force after six minutes; whatever does not go then does not go. */
static void test_the_wait_is_bounded(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    want(h);
    host_wait(h, 1000); /* the victim takes its time */
    t_bool(t, host_saw(h, "evict default/other*"), false);
    host_remove(h, MST_KIND_POD, "low");
    host_wait(h, 359);
    t_bool(t, host_saw(h, "evict default/other*"), false);
    host_wait(h, 2);
    t_ok(t, host_saw(h, "evict default/other*"));
    host_free(h);
}

/*
 * Two victims; the eviction of the last one fails, so it stays. The wait for what the first one has
 * left is as bounded as ever.
 */
static void test_a_failed_eviction_is_bounded(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    volume_add(h, "d");
    host_add(h, (struct host_pod_spec){ .name = "high",
                                        .priority = 9,
                                        .more = "volumes: [{name: v, persistentVolumeClaim: "
                                                "{claimName: b}}, {name: w, "
                                                "persistentVolumeClaim: {claimName: d}}]" });
    (void)host_step(h);
    t_ok(t, host_saw(h, "evict default/other*"));
    h->evictions = HOST_BINDS_FAIL;
    host_run(h);
    t_ok(t, host_saw(h, "evict default/low*"));
    h->evictions = HOST_BINDS_WORK;
    host_wait(h, 1000);
    host_remove(h, MST_KIND_POD, "other");
    host_forget(h);
    host_wait(h, 359);
    t_bool(t, is_awaiting(h), true);
    host_wait(h, 2);
    t_bool(t, is_awaiting(h), false);
    t_bool(t, host_saw(h, "evict*"), false); /* what is left there would still be too much */
    volume_detach(h, "c");
    host_wait(h, 30);
    t_ok(t, host_saw(h, "evict default/low*"));
    host_free(h);
}

/* Evictions that are part of the attempt fail: there is no promise, and nothing to wait for. */
static void test_a_failed_attempt_waits_for_nothing(struct mst_test *t)
{
    for (int fails = 0; fails < 2; fails++) {
        struct host *h = full(false, "SchedulerAsyncPreemption=false");
        h->evictions = fails ? HOST_BINDS_FAIL : HOST_BINDS_WORK;
        host_add(h,
                 (struct host_pod_spec){ .name = "high", .priority = 9, .more = VOLUME_OF("b") });
        (void)host_step(h);
        t_ok(t, host_saw(h, "evict default/low*"));
        t_bool(t, is_awaiting(h), !fails);
        host_free(h);
    }
}

static void test_upstream_does_not_preempt_for_volumes(struct mst_test *t)
{
    struct host *h = full(true, NULL);
    want(h);
    t_bool(t, host_saw(h, "evict*"), false);
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

/* ---- what ends it ---- */

static void test_the_preemptor_goes(struct mst_test *t)
{
    struct host *h = lingering();
    host_remove(h, MST_KIND_POD, "high");
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

/* A more important pod uses the volume: it will not be detached. */
static void test_somebody_else_keeps_it(struct mst_test *t)
{
    struct host *h = lingering();
    host_forget(h);
    host_add(h, (struct host_pod_spec){ .name = "top", .priority = 10, .more = VOLUME_OF("a") });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/top n1"));
    t_bool(t, is_awaiting(h), false);
    host_wait(h, 400);
    t_ok(t, host_saw(h, "evict default/other*"));
    host_free(h);
}

static void test_nominated_elsewhere(struct mst_test *t)
{
    struct host *h = lingering();
    host_get(h, MST_KIND_POD, "high")->u.pod.status.nominated_node_name =
        mst_sym_of_text(h->syms, "n9");
    host_update(h, MST_KIND_POD, "high");
    volume_attach(h, "b", "n9"); /* whatever happens to volumes next */
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

static void test_volumes_of_no_interest(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    host_node(h, "n1", "cpu: 2", NULL);
    host_add(h, (struct host_pod_spec){ .name = "high", .priority = 9 }); /* wants cpu alone */
    host_run(h);
    t_ok(t, host_saw(h, "evict default/low*"));
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

/* ---- who may use it meanwhile ---- */

/* The victim's controller makes it again: with its volume it would stay for ever. */
static void test_the_room_is_hidden(struct mst_test *t)
{
    static const struct {
        int priority;
        bool binds;
    } cases[] = { { 1, false }, { 9, false }, { 10, true } };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = lingering();
        host_forget(h);
        host_add(h, (struct host_pod_spec){
                        .name = "again", .priority = cases[i].priority, .more = VOLUME_OF("a") });
        host_wait(h, 5);
        t_case(t, cases[i].priority == 10 ? "higher" : cases[i].priority == 9 ? "equal" : "lower");
        t_bool(t, host_saw(h, "bind default/again n1"), cases[i].binds);
        host_free(h);
    }
}

/* The same while the victim has not gone yet. */
static void test_the_room_is_hidden_before(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    want(h);
    host_add(h, (struct host_pod_spec){ .name = "again", .priority = 1, .more = VOLUME_OF("a") });
    host_run(h);
    t_bool(t, host_saw(h, "bind*"), false);
    host_free(h);
}

/* As soon as nothing is awaited any more, what was kept about the node is not true any more. */
static void test_the_room_is_shown_again(struct mst_test *t)
{
    struct host *h = lingering();
    host_add(h, (struct host_pod_spec){ .name = "again", .priority = 1, .more = VOLUME_OF("a") });
    host_wait(h, 5);
    host_remove(h, MST_KIND_POD, "high");
    host_wait(h, 20);
    t_ok(t, host_saw(h, "bind default/again n1"));
    host_free(h);
}

/* ---- groups ---- */

static void test_a_group_waits(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    host_gang(h, "g", 1, "priorityClassName: p9");
    host_add(h, (struct host_pod_spec){
                    .name = "high", .group = "g", .priority = 9, .more = VOLUME_OF("b") });
    host_run(h);
    t_ok(t, host_saw(h, "evict default/low*"));
    host_remove(h, MST_KIND_POD, "low");
    host_wait(h, 5);
    t_ok(t, said(h, "ongoing preemption on nominated nodes"));
    t_bool(t, host_saw(h, "evict default/other*"), false);
    host_add(h, (struct host_pod_spec){ .name = "again", .priority = 1, .more = VOLUME_OF("a") });
    host_wait(h, 30);
    t_bool(t, host_saw(h, "bind*"), false);
    volume_detach(h, "a");
    host_wait(h, 1);
    t_ok(t, host_saw(h, "bind default/high n1"));
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

static void test_a_group_goes(struct mst_test *t)
{
    struct host *h = full(false, NULL);
    host_gang(h, "g", 1, "priorityClassName: p9");
    host_add(h, (struct host_pod_spec){
                    .name = "high", .group = "g", .priority = 9, .more = VOLUME_OF("b") });
    host_run(h);
    t_bool(t, is_awaiting(h), true);
    host_remove(h, MST_KIND_POD_GROUP, "g");
    t_bool(t, is_awaiting(h), false);
    host_free(h);
}

MST_TEST_MAIN(T(test_nobody_else_goes), T(test_detaching_wakes), T(test_nothing_was_attached),
              T(test_attached_late), T(test_the_wait_is_bounded),
              T(test_a_failed_eviction_is_bounded), T(test_a_failed_attempt_waits_for_nothing),
              T(test_upstream_does_not_preempt_for_volumes), T(test_the_preemptor_goes),
              T(test_somebody_else_keeps_it), T(test_nominated_elsewhere),
              T(test_volumes_of_no_interest), T(test_the_room_is_hidden),
              T(test_the_room_is_hidden_before), T(test_the_room_is_shown_again),
              T(test_a_group_waits), T(test_a_group_goes))
