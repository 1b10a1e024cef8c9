/* Evictions from the decision to the last victim's going, and everything that may go wrong. */
#include "engine_helper.h"
#include "tap.h"

#define ROOM "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement "
#define MARK " DisruptionTarget: default-scheduler: preempting to accommodate a higher priority "

/* n1 with room for n pods, full of victims v0.. of priority 0, the oldest first. */
static struct host *full(bool upstream, int n)
{
    struct host *h = host_new(upstream);
    host_node(h, "n1", mst_arena_printf(&h->arena, "cpu: %d", n).p, NULL);
    for (int i = 0; i < n; i++)
        host_add(h,
                 (struct host_pod_spec){
                     .name = mst_arena_printf(&h->arena, "v%d", i).p,
                     .more = "nodeName: n1",
                     .status =
                         mst_arena_printf(&h->arena, "startTime: '2020-01-01T00:00:0%dZ'", i).p });
    return h;
}

static void want(struct host *h, const char *cpu)
{
    host_add(h, (struct host_pod_spec){ .name = "high", .priority = 9, .cpu = cpu });
}

static bool is_gated(struct host *h, const char *pod)
{
    bool gated = false;
    return host_store(h, pod, &gated) == MST_STORE_UNSCHEDULABLE && gated;
}

/* All but the last at once; the last one when those are on their way; then nobody holds it back. */
static void test_the_last_victim_goes_last(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 3);
        want(h, "3");
        host_step(h);
        t_str(t, host_log(h),
              "try default/high #1\n"
              "event default/high FailedScheduling: " ROOM "for pod on node n1, preempting 3 "
              "victims\n"
              "pod default/high Unschedulable: " ROOM "for pod on node n1, preempting 3 victims "
              "nominated [n1]\n"
              "evict default/v0" MARK "pod\n"
              "evict default/v1" MARK "pod\n");
        host_forget(h);
        host_run(h);
        t_str(t, host_log(h),
              "event default/v0 Preempted: Preempted by pod uid-5 on node n1\n"
              "event default/v1 Preempted: Preempted by pod uid-5 on node n1\n"
              "evict default/v2" MARK "pod\n"
              "event default/v2 Preempted: Preempted by pod uid-5 on node n1\n");
        host_forget(h);
        host_remove(h, MST_KIND_POD, "v0");
        host_remove(h, MST_KIND_POD, "v1");
        host_wait(h, 3);
        t_bool(t, host_saw(h, "bind *"), false);
        host_remove(h, MST_KIND_POD, "v2");
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/high n1"));
        host_free(h);
    }
}

static void test_one_victim_is_the_last(struct mst_test *t)
{
    struct host *h = full(true, 1);
    want(h, "1");
    host_step(h);
    t_ok(t, host_saw(h, "evict default/v0" MARK "pod"));
    host_free(h);
}

/* While a victim's eviction is not answered its preemptor is held, whatever else happens. */
static void test_pre_enqueue_holds_the_preemptor(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 2);
        h->evictions = HOST_BINDS_HANG;
        want(h, "2");
        host_run(h);
        uint64_t first = h->last_eviction;
        t_bool(t, host_saw(h, "evict default/v1*"), false);
        host_forget(h);
        host_node(h, "n2", "cpu: 4", NULL);
        host_wait(h, 20);
        t_bool(t, host_saw(h, "try default/high*"), false);
        t_ok(t, is_gated(h, "high"));
        host_answer(h, first, NULL);
        host_run(h);
        t_ok(t, host_saw(h, "evict default/v1*"));
        /* The last one is on its way: the watch says so before the answer comes. */
        host_delete(h, "v1");
        host_remove(h, MST_KIND_POD, "v1");
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/high n2"));
        host_answer(h, h->last_eviction, NULL);
        host_run(h);
        host_free(h);
    }
}

/* One eviction fails: the last one is not sent, and the preemptor decides anew at once. */
static void test_a_failure_activates(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 3);
        h->evictions = HOST_BINDS_FAIL;
        want(h, "3");
        host_step(h);
        t_ok(t, host_saw(h, "evict default/v1*"));
        host_forget(h);
        h->evictions = HOST_BINDS_WORK;
        host_run(h);
        t_bool(t, host_saw(h, "event default/v0 Preempted*"), true);
        t_ok(t, host_saw(h, "try default/high #2"));
        t_ok(t, host_saw(h, "evict default/v2*"));
        host_free(h);
    }
}

/* The failed eviction is that of the last victim; the others are on their way. */
static void test_the_last_one_fails(struct mst_test *t)
{
    struct host *h = full(false, 2);
    want(h, "2");
    host_step(h);
    h->evictions = HOST_BINDS_FAIL;
    host_forget(h);
    host_step(h);
    t_ok(t, host_saw(h, "evict default/v1" MARK "pod"));
    h->evictions = HOST_BINDS_WORK;
    host_run(h);
    /* v0 is leaving the promised node: nobody else has to go yet. */
    t_ok(t, host_saw(h, "try default/high #2"));
    t_ok(t, host_saw(h, "*not eligible due to a terminating pod on the nominated node.") ||
                memmem(h->log.p, h->log.n, "not eligible due to a terminating pod", 37) != NULL);
    host_free(h);
}

/* A last victim that is gone before its turn: nothing will tell of it. */
static void test_the_last_victim_is_gone(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 2);
        h->evictions = HOST_BINDS_HANG;
        want(h, "2");
        host_run(h);
        host_remove(h, MST_KIND_POD, "v1");
        host_remove(h, MST_KIND_POD, "v0");
        host_run(h);
        host_forget(h);
        host_answer(h, h->last_eviction, NULL);
        host_wait(h, 1);
        t_bool(t, host_saw(h, "evict default/v1*"), false);
        t_ok(t, host_saw(h, "bind default/high n1"));
        host_free(h);
    }
}

/*
 * The API says that the last victim is gone although the watch has not: profile muster tries again
 * at once, upstream waits for an event.
 */
static void test_gone_by_the_answer(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 1);
        h->evictions = HOST_BINDS_HANG;
        want(h, "1");
        host_run(h);
        host_forget(h);
        struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                                   .effect_id = h->last_eviction,
                                   .gone = true };
        mst_engine_event(h->engine, &event, h->now);
        host_run(h);
        t_bool(t, host_saw(h, "event default/v0 Preempted*"), false);
        t_bool(t, host_saw(h, "try default/high #2"), !upstream);
        host_free(h);
    }
}

/* The namesake that comes after a victim is somebody else and stays. */
static void test_a_recreated_victim_stays(struct mst_test *t)
{
    struct host *h = full(false, 2);
    h->evictions = HOST_BINDS_HANG;
    want(h, "2");
    host_run(h);
    uint64_t first = h->last_eviction;
    host_remove(h, MST_KIND_POD, "v1");
    host_add(h, (struct host_pod_spec){ .name = "v1", .priority = 20, .more = "nodeName: n1" });
    host_forget(h);
    host_answer(h, first, NULL);
    host_run(h);
    t_bool(t, host_saw(h, "evict default/v1*"), false);
    host_free(h);
}

/* Pods of lower priority lose their promise of the node; equal ones and other nodes do not. */
static void test_lower_nominations_are_cleared(struct mst_test *t)
{
    struct host *h = full(true, 2);
    host_node(h, "n2", "cpu: 1", NULL);
    static const struct {
        const char *name, *node;
        int priority;
    } waiting[] = { { "low", "n1", 3 }, { "equal", "n1", 9 }, { "elsewhere", "n2", 3 } };
    for (size_t i = 0; i < MST_COUNT(waiting); i++)
        host_add(h,
                 (struct host_pod_spec){
                     .name = waiting[i].name,
                     .cpu = "0",
                     .priority = waiting[i].priority,
                     .more = "schedulingGates: [{name: g}]",
                     .status =
                         mst_arena_printf(&h->arena, "nominatedNodeName: %s", waiting[i].node).p });
    want(h, "2");
    host_run(h);
    t_ok(t, host_saw(h, "evict default/v0*"));
    t_ok(t, host_saw(h, "pod default/low nominated []"));
    t_bool(t, host_saw(h, "pod default/equal nominated*"), false);
    t_bool(t, host_saw(h, "pod default/elsewhere nominated*"), false);
    host_free(h);
}

/* A group's room is on many nodes; upstream looks for promises of one called "cluster". */
static void test_lower_nominations_of_a_group(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 2);
        host_add(h, (struct host_pod_spec){ .name = "low",
                                            .cpu = "0",
                                            .priority = 3,
                                            .more = "schedulingGates: [{name: g}]",
                                            .status = "nominatedNodeName: n1" });
        host_gang(h, "g", 2, "priorityClassName: p9");
        host_add(h, (struct host_pod_spec){ .name = "a", .group = "g", .priority = 9 });
        host_add(h, (struct host_pod_spec){ .name = "b", .group = "g", .priority = 9 });
        host_step(h);
        t_ok(t, host_saw(h, "evict default/v0" MARK "podgroup"));
        t_bool(t, host_saw(h, "pod default/low nominated []"), !upstream);
        host_run(h);
        t_ok(t, host_saw(h, "event default/v1 Preempted: Preempted by podgroup uid-*"));
        t_ok(t, is_gated(h, "a") == is_gated(h, "b"));
        host_remove(h, MST_KIND_POD, "v0");
        host_remove(h, MST_KIND_POD, "v1");
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/a n1"));
        t_ok(t, host_saw(h, "bind default/b n1"));
        host_free(h);
    }
}

/* Nothing is patched that is there already, but the pod is deleted. */
static void test_the_same_condition_is_not_sent_again(struct mst_test *t)
{
    struct host *h = host_new(true);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "v0",
                    .more = "nodeName: n1",
                    .status = "conditions: [{type: DisruptionTarget, status: 'True', reason: "
                              "PreemptionByScheduler, message: 'default-scheduler: preempting to "
                              "accommodate a higher priority pod'}]" });
    want(h, "1");
    host_step(h);
    t_ok(t, host_saw(h, "evict default/v0"));
    host_free(h);
}

/* Victims that are leaving already need no call; nobody is held back for them. */
static void test_leaving_victims_are_left_alone(struct mst_test *t)
{
    struct host *h = full(true, 2);
    host_delete(h, "v0");
    host_delete(h, "v1");
    want(h, "2");
    host_run(h);
    t_ok(t, host_saw(h, "pod default/high Unschedulable: *"));
    t_bool(t, host_saw(h, "evict *"), false);
    t_bool(t, is_gated(h, "high"), false);
    host_remove(h, MST_KIND_POD, "v0");
    host_remove(h, MST_KIND_POD, "v1");
    host_wait(h, 12);
    t_ok(t, host_saw(h, "bind default/high n1"));
    host_free(h);
}

/* The preemptor is deleted meanwhile: upstream goes on; muster lets the last victim live. */
static void test_the_preemptor_goes(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 2);
        h->evictions = HOST_BINDS_HANG;
        want(h, "2");
        host_run(h);
        host_remove(h, MST_KIND_POD, "high");
        host_forget(h);
        host_answer(h, h->last_eviction, NULL);
        host_run(h);
        t_bool(t, host_saw(h, "evict default/v1*"), upstream);
        if (upstream)
            host_answer(h, h->last_eviction, "no");
        host_run(h);
        t_bool(t, host_saw(h, "try *"), false);
        host_free(h);
    }
}

/* The node grows before the last victim's turn: with the others gone there is room without it. */
static void test_the_last_victim_may_live(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 3);
        h->evictions = HOST_BINDS_HANG;
        want(h, "3");
        host_run(h);
        const uint64_t second = h->last_eviction;
        t_ok(t, host_saw(h, "evict default/v1*"));
        host_node(h, "n1", "cpu: 4", NULL);
        host_delete(h, "v0");
        host_delete(h, "v1");
        host_answer(h, second - 1, NULL);
        host_answer(h, second, NULL);
        host_run(h);
        t_bool(t, host_saw(h, "evict default/v2*"), upstream);
        if (upstream)
            host_answer(h, h->last_eviction, NULL);
        else
            t_bool(t, is_gated(h, "high"), false);
        host_remove(h, MST_KIND_POD, "v0");
        host_remove(h, MST_KIND_POD, "v1");
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/high n1"));
        host_free(h);
    }
}

/* Who made room is named; upstream cannot refer to a pod. */
static void test_related(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full(upstream, 1);
        want(h, "1");
        bool seen = false;
        while (host_step(h))
            for (uint32_t i = 0; i < h->out.list.n; i++) {
                const struct mst_effect *e = &h->out.list.v[i];
                if (e->kind != MST_EFFECT_EVENT || !mst_str_is(e->reason, "Preempted"))
                    continue;
                seen = true;
                t_str(t, e->type, "Normal");
                t_str(t, e->action, "Preempting");
                t_text(t, e->related.n ? "Pod default/high" : "",
                       upstream ? "" : "Pod default/high");
            }
        t_ok(t, seen);
        host_free(h);
    }
}

/* ---- gate SchedulerAsyncPreemption off ---- */

static struct host *full_sync(bool upstream, int n)
{
    struct host *h = host_with(upstream, NULL, "SchedulerAsyncPreemption=false");
    host_node(h, "n1", mst_arena_printf(&h->arena, "cpu: %d", n).p, NULL);
    for (int i = 0; i < n; i++)
        host_add(h,
                 (struct host_pod_spec){
                     .name = mst_arena_printf(&h->arena, "v%d", i).p,
                     .more = "nodeName: n1",
                     .status =
                         mst_arena_printf(&h->arena, "startTime: '2020-01-01T00:00:0%dZ'", i).p });
    return h;
}

/* Everybody goes at once, before a word is said about the preemptor. */
static void test_sync_evicts_within_the_attempt(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full_sync(upstream, 2);
        want(h, "2");
        host_step(h);
        t_str(t, host_log(h),
              "try default/high #1\n"
              "evict default/v0" MARK "pod\n"
              "evict default/v1" MARK "pod\n"
              "event default/high FailedScheduling: " ROOM "for pod on node n1, preempting 2 "
              "victims\n"
              "pod default/high Unschedulable: " ROOM "for pod on node n1, preempting 2 victims "
              "nominated [n1]\n");
        host_forget(h);
        host_run(h);
        t_str(t, host_log(h),
              "event default/v0 Preempted: Preempted by pod uid-4 on node n1\n"
              "event default/v1 Preempted: Preempted by pod uid-4 on node n1\n");
        host_remove(h, MST_KIND_POD, "v0");
        host_remove(h, MST_KIND_POD, "v1");
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/high n1"));
        host_free(h);
    }
}

/* Nothing holds the preemptor while answers are out: another node is taken at once. */
static void test_sync_holds_nobody(struct mst_test *t)
{
    struct host *h = full_sync(true, 2);
    h->evictions = HOST_BINDS_HANG;
    want(h, "2");
    host_run(h);
    host_node(h, "n2", "cpu: 4", NULL);
    host_wait(h, 20);
    t_ok(t, host_saw(h, "bind default/high n2"));
    host_free(h);
}

/* The promise and the words are taken back; profile muster tries again at once. */
static void test_sync_failure(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full_sync(upstream, 2);
        h->evictions = HOST_BINDS_FAIL;
        want(h, "2");
        host_step(h);
        host_forget(h);
        host_step(h);
        t_ok(t, host_saw(h, "pod default/high Unschedulable: 0/1 nodes are available: 1 "
                            "Insufficient cpu. preemption: the server said no nominated []"));
        h->evictions = HOST_BINDS_WORK;
        host_run(h);
        t_ok(t, upstream || host_saw(h, "try default/high #2"));
        host_free(h);
    }
}

static void test_sync_failure_of_a_group(struct mst_test *t)
{
    struct host *h = full_sync(true, 2);
    host_gang(h, "g", 2, "priorityClassName: p9");
    for (int i = 0; i < 2; i++)
        host_add(h, (struct host_pod_spec){ .name = i ? "b" : "a", .group = "g", .priority = 9 });
    h->evictions = HOST_BINDS_FAIL;
    host_step(h);
    t_ok(t, host_saw(h, "evict default/v1*"));
    host_forget(h);
    host_step(h);
    t_ok(t, host_saw(h, "pod default/b SchedulerError: error in \"DefaultPreemption\" "
                        "PodGroupPostFilter plugins: pod group preemption: *"));
    t_ok(t, host_saw(h, "group default/g False SchedulerError: error in*"));
    host_free(h);
}

/* ---- units ---- */

/* n1 full of the three pods of a group that goes as a whole. */
static struct host *full_unit(bool upstream)
{
    struct host *h = host_new(upstream);
    host_node(h, "n1", "cpu: 3", NULL);
    host_gang(h, "job", 3, "disruptionMode: {all: {}}");
    for (int i = 0; i < 3; i++)
        host_add(h, (struct host_pod_spec){ .name = mst_arena_printf(&h->arena, "v%d", i).p,
                                            .group = "job",
                                            .more = "nodeName: n1" });
    return h;
}

/* The object says why its pods go, before they do; when it runs again it says so, too. */
static void test_the_group_is_marked(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full_unit(upstream);
        want(h, "3");
        host_step(h);
        t_bool(t,
               host_saw(h, "group default/job True PreemptionByScheduler: default-scheduler: "
                           "preempting to accommodate a higher priority pod"),
               !upstream);
        const char *log = mst_arena_str(&h->arena, host_log(h)).p,
                   *mark = strstr(log, "PreemptionByScheduler");
        t_ok(t, upstream || mark < strstr(log, "evict default/v0"));
        host_run(h);
        for (int i = 0; i < 3; i++)
            host_remove(h, MST_KIND_POD, mst_arena_printf(&h->arena, "v%d", i).p);
        host_wait(h, 12);
        host_forget(h);
        host_node(h, "n2", "cpu: 3", NULL);
        for (int i = 0; i < 3; i++)
            host_add(h, (struct host_pod_spec){ .name = mst_arena_printf(&h->arena, "w%d", i).p,
                                                .group = "job" });
        host_wait(h, 12);
        t_ok(t, host_saw(h, "bind default/w2 n2"));
        t_bool(t, host_saw(h, "group default/job False Scheduled: "), !upstream);
        host_free(h);
    }
}

/* Pods of no whole group have no object to mark. */
static void test_lone_pods_mark_nothing(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_gang(h, "job", 1, NULL);
    host_add(h, (struct host_pod_spec){ .name = "v0", .group = "job", .more = "nodeName: n1" });
    want(h, "1");
    host_run(h);
    t_ok(t, host_saw(h, "evict default/v0*"));
    t_bool(t, host_saw(h, "group default/job True PreemptionByScheduler*"), false);
    host_free(h);
}

/* The first of three went, the second did not: it and the third follow, whoever needs it. */
static void break_unit(struct host *h)
{
    h->evictions = HOST_BINDS_HANG;
    want(h, "3");
    host_run(h);
    const uint64_t second = h->last_eviction;
    host_delete(h, "v0");
    host_answer(h, second - 1, NULL);
    host_remove(h, MST_KIND_POD, "high");
    host_answer(h, second, "the server said no");
    host_run(h);
    host_forget(h);
}

static void test_a_broken_unit_goes_on(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = full_unit(upstream);
        break_unit(h);
        h->evictions = HOST_BINDS_FAIL;
        host_wait(h, 1);
        t_bool(t, host_saw(h, "evict default/v1*"), !upstream);
        t_bool(t, host_saw(h, "evict default/v2*"), !upstream);
        t_bool(t, host_saw(h, "evict default/v0*"), false);
        host_forget(h);
        host_wait(h, 1); /* the pause has doubled */
        t_bool(t, host_saw(h, "evict *"), false);
        h->evictions = HOST_BINDS_WORK;
        host_wait(h, 2);
        t_bool(t, host_saw(h, "event default/v1 Preempted*"), !upstream);
        t_bool(t, host_saw(h, "event default/v2 Preempted*"), !upstream);
        host_forget(h);
        host_wait(h, 100);
        t_bool(t, host_saw(h, "evict *"), false); /* and that was all */
        host_free(h);
    }
}

/* Those that went by themselves, or left the group's rule, are not evicted. */
static void test_a_broken_unit_heals(struct mst_test *t)
{
    struct host *h = full_unit(false);
    break_unit(h);
    host_remove(h, MST_KIND_POD, "v1");
    host_gang(h, "job", 3, "disruptionMode: {single: {}}");
    host_wait(h, 100);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

/* A unit of which nobody went stays as it is until somebody needs its room. */
static void test_a_whole_unit_stays(struct mst_test *t)
{
    struct host *h = full_unit(false);
    h->evictions = HOST_BINDS_HANG;
    want(h, "3");
    host_run(h);
    const uint64_t second = h->last_eviction;
    host_remove(h, MST_KIND_POD, "high");
    host_answer(h, second - 1, "no");
    host_answer(h, second, "no");
    host_forget(h);
    host_wait(h, 100);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

MST_TEST_MAIN(T(test_the_last_victim_goes_last), T(test_one_victim_is_the_last),
              T(test_pre_enqueue_holds_the_preemptor), T(test_a_failure_activates),
              T(test_the_last_one_fails), T(test_the_last_victim_is_gone),
              T(test_gone_by_the_answer), T(test_a_recreated_victim_stays),
              T(test_lower_nominations_are_cleared), T(test_lower_nominations_of_a_group),
              T(test_the_same_condition_is_not_sent_again), T(test_leaving_victims_are_left_alone),
              T(test_the_preemptor_goes), T(test_the_last_victim_may_live), T(test_related),
              T(test_sync_evicts_within_the_attempt), T(test_sync_holds_nobody),
              T(test_sync_failure), T(test_sync_failure_of_a_group), T(test_the_group_is_marked),
              T(test_lone_pods_mark_nothing), T(test_a_broken_unit_goes_on),
              T(test_a_broken_unit_heals), T(test_a_whole_unit_stays))
