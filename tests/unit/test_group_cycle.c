/* One attempt for a PodGroup: scheduling.md 2.2-2.6, 4.2, 4.4, 4.6, 6. */
#include "engine_helper.h"
#include "tap.h"

static const char *names[] = { "a", "b", "c", "d", "e" };

/* `n` members a, b, c, ... of group g, each of `cpu`. */
static void members(struct host *h, uint32_t n, const char *cpu)
{
    for (uint32_t i = 0; i < n; i++)
        host_add(h, (struct host_pod_spec){ .name = names[i], .cpu = cpu, .group = "g" });
}

static uint32_t bound(struct host *h)
{
    uint32_t n = 0;
    struct mst_cluster *c = mst_engine_cluster(h->engine);
    for (uint32_t i = 0; i < c->pods.n; i++)
        n += c->pods.v[i].live && c->pods.v[i].assigned;
    return n;
}

static bool saw(struct host *h, const char *format, const char *text)
{
    return host_saw(h, mst_arena_printf(&h->arena, "%s%s", format, text).p);
}

static void test_group_cycle_gang_is_placed_together(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 2", NULL);
    host_node(h, "n2", "cpu: 2", NULL);
    host_gang(h, "g", 3, NULL);
    members(h, 2, "1");
    host_run(h);
    t_str(t, host_log(h), ""); /* held: the quorum is not there */
    members(h, 3, "1");
    host_run(h);
    t_str(t, host_log(h),
          "try default/g #1: default/a default/b default/c\n"
          "bind default/a n1\nbind default/b n2\nbind default/c n1\n"
          "group default/g True Scheduled: \n"
          "event default/a Scheduled: Successfully assigned default/a to n1\n"
          "event default/b Scheduled: Successfully assigned default/b to n2\n"
          "event default/c Scheduled: Successfully assigned default/c to n1\n");
    host_free(h);
}

/*
 * Profile upstream shows its Permit barrier: all but the one that completes the quorum are
 * nominated.
 */
static void test_group_cycle_upstream_permit_nominates(struct mst_test *t)
{
    struct host *h = host_new(true);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 3, NULL);
    members(h, 4, "1");
    host_step(h);
    t_str(t, host_log(h),
          "try default/g #1: default/a default/b default/c default/d\n"
          "pod default/a nominated [n1]\nbind default/a n1\n"
          "pod default/b nominated [n1]\nbind default/b n1\n"
          "bind default/c n1\nbind default/d n1\n"
          "group default/g True Scheduled: \n");
    host_run(h);
    t_int(t, bound(h), 4);
    host_free(h);
}

/*
 * The barrier's patch moves a promise from one node to the other, but the pod has its node by then:
 * nobody else is woken for the room it was promised before.
 */
static void test_group_cycle_upstream_permit_frees_nothing(struct mst_test *t)
{
    struct host *h = host_new(true);
    host_node(h, "n1", "cpu: 8", NULL);
    host_node(h, "n2", "cpu: 100m", NULL);
    host_add(h, (struct host_pod_spec){ .name = "big", .cpu = "20" });
    host_run(h);
    host_gang(h, "g", 3, NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "a", .group = "g", .status = "nominatedNodeName: n2" });
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    host_add(h, (struct host_pod_spec){ .name = "c", .group = "g" });
    host_wait(h, 12);
    t_ok(t, host_saw(h, "pod default/a nominated [n1]"));
    t_ok(t, host_saw(h, "bind default/a n1"));
    t_bool(t, host_saw(h, "try default/big #2"), false);
    host_free(h);
}

/* The texts of 4.2, row by row, both profiles, without and with placements. */
static void test_group_cycle_texts(struct mst_test *t)
{
#define CANNOT(s, r) "minCount (3) cannot be satisfied: " #s " scheduled, " #r " remaining"
#define G "pod group is unschedulable"
#define T1 "0/1 placements are available, first placement status: "
#define NO ", pod group preemption: No preemption victims found for incoming preemptor"
#define FIT "0/1 nodes are available: 1 Insufficient cpu."
    static const struct {
        const char *name;
        bool upstream;
        const char *gates;
        const char *condition, *placed, *rejected, *untried;
    } cases[] = {
        { "upstream", true, NULL, CANNOT(1, 1) NO, G ", " CANNOT(1, 1) NO, FIT, CANNOT(1, 1) },
        { "muster", false, "TopologyAwareWorkloadScheduling=false,CompositePodGroup=false",
          CANNOT(1, 1) NO, G ", " CANNOT(1, 1) NO, FIT, CANNOT(1, 1) },
        { "upstream, placements", true, "TopologyAwareWorkloadScheduling=true",
          G ", " T1 CANNOT(1, 1) NO, G ", " G ", " T1 CANNOT(1, 1) NO, FIT,
          G ", " T1 CANNOT(1, 1) },
        { "muster, placements", false, NULL, G ", " T1 CANNOT(1, 1) NO, G ", " T1 CANNOT(1, 1) NO,
          FIT, G ", " T1 CANNOT(1, 1) },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_with(cases[i].upstream, NULL, cases[i].gates);
        t_case(t, cases[i].name);
        host_node(h, "n1", "cpu: 1", NULL);
        host_gang(h, "g", 3, NULL);
        members(h, 3, "1");
        host_run(h);
        t_ok(t, saw(h, "group default/g False Unschedulable: ", cases[i].condition));
        t_ok(t, saw(h, "pod default/a Unschedulable: ", cases[i].placed));
        t_ok(t, saw(h, "pod default/b Unschedulable: ", cases[i].rejected));
        t_ok(t, saw(h, "pod default/c Unschedulable: ", cases[i].untried));
        t_ok(t, saw(h, "event default/c FailedScheduling: ", cases[i].untried));
        t_int(t, mst_engine_cluster(h->engine)->nodes.pod_count[0], 0);
        host_free(h);
    }
#undef CANNOT
#undef G
#undef T1
#undef NO
#undef FIT
}

/*
 * Members that are being deleted count for the quorum of the queue, not for that of the cycle.
 * Upstream looks for victims all the same, although nobody's going can help.
 */
static void test_group_cycle_refused_before_the_first_pod(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_with(upstream, NULL,
                                   upstream ? NULL
                                            : "TopologyAwareWorkloadScheduling="
                                              "false,CompositePodGroup=false");
        host_node(h, "n1", "cpu: 8", NULL);
        host_gang(h, "g", 3, NULL);
        members(h, 3, "1");
        host_delete(h, "b");
        host_run(h);
        const char *text =
            "pod group is unschedulable, minCount (3) cannot be satisfied: 0 scheduled, 2 "
            "remaining";
        t_ok(t,
             host_saw(h,
                      "event default/b FailedScheduling: skip schedule deleting pod: default/b"));
        t_ok(t, saw(h, "pod default/a Unschedulable: ", text));
        t_ok(t, saw(h, "group default/g False Unschedulable: ",
                    mst_arena_printf(&h->arena, "%s%s", text,
                                     upstream ? ", pod group preemption: No preemption victims "
                                                "found for incoming preemptor"
                                              : "")
                        .p));
        t_int(t, host_store(h, "b", NULL), MST_STORE_NONE);
        host_free(h);
    }
}

static void test_group_cycle_all_members_deleted(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 2, NULL);
    members(h, 2, "1");
    host_delete(h, "a");
    host_delete(h, "b");
    host_run(h);
    t_bool(t, host_saw(h, "group *"), false); /* no condition, no failure */
    t_int(t, host_store(h, "a", NULL), MST_STORE_NONE);
    host_free(h);
}

static void test_group_cycle_checks(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool upstream;
        const char *gates, *group, *second, *text;
    } cases[] = {
        { "priority", false, NULL, "priorityClassName: p5", NULL,
          "all pods in a single pod group should have the same priority as the pod group's "
          "priority, "
          "got 0 and 5" },
        { "priority, upstream", true, NULL, "priorityClassName: p5", NULL,
          "all pods in a single pod group should have the same priority as the pod group's "
          "priority, "
          "got 0 and 5" },
        { "scheduler name", false, NULL, NULL, "schedulerName: other",
          "all pods in a single pod group should have the same .spec.schedulerName set, got: "
          "\"other\" and \"default-scheduler\"" },
        { "policy among members", true, NULL, NULL, "priorityClassName: never",
          "all pods in a single pod group should have the same preemption policy, got Never and "
          "PreemptLowerPriority" },
        { "policy of the group", true, "PodGroupPreemptionPolicy=true", "priorityClassName: never",
          NULL,
          "all pods in a single pod group should have the same preemption policy as the pod "
          "group's "
          "preemption policy, got PreemptLowerPriority and Never" },
        { "policy of the group, muster", false, NULL, "priorityClassName: never", NULL,
          "all pods in a single pod group should have the same preemption policy as the pod "
          "group's "
          "preemption policy, got PreemptLowerPriority and Never" },
    };
    static const char two[] =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{schedulerName: default-scheduler}, {schedulerName: other}]\n";
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_with(cases[i].upstream, two, cases[i].gates);
        t_case(t, cases[i].name);
        host_node(h, "n1", "cpu: 8", NULL);
        host_gang(h, "g", 2, cases[i].group);
        members(h, 1, "1");
        host_add(h, (struct host_pod_spec){ .name = "b", .group = "g", .more = cases[i].second });
        host_run(h);
        t_ok(t, saw(h, "pod default/a SchedulerError: ", cases[i].text));
        t_ok(t, saw(h, "pod default/b SchedulerError: ", cases[i].text));
        t_ok(t, saw(h, "event default/b FailedScheduling: ", cases[i].text));
        t_ok(t, saw(h, "group default/g False SchedulerError: ", cases[i].text));
        t_int(t, host_store(h, "a", NULL), MST_STORE_ERROR_BACKOFF);
        t_int(t, bound(h), 0);
        host_free(h);
    }
}

/* Members that all are Never, in a group that says nothing: only upstream's gate refuses them. */
static void test_group_cycle_unset_policy_defers_to_the_pods(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_with(upstream, NULL, "PodGroupPreemptionPolicy=true");
        host_node(h, "n1", "cpu: 8", NULL);
        host_gang(h, "g", 1, NULL);
        host_get(h, MST_KIND_POD_GROUP, "g")->u.group.spec.preemption_policy = MST_SYM_NONE;
        host_update(h, MST_KIND_POD_GROUP, "g");
        host_add(h, (struct host_pod_spec){
                        .name = "a", .group = "g", .more = "priorityClassName: never" });
        host_run(h);
        t_bool(t, host_saw(h, "bind default/a n1"), !upstream);
        host_free(h);
    }
}

static void test_group_cycle_basic_group_takes_what_fits(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 2", NULL);
    host_gang(h, "g", 0, NULL);
    members(h, 3, "1");
    host_run(h);
    /*
     * Two are bound; the third is tried again at once, without backoff, and then fails the group.
     */
    t_int(t, bound(h), 2);
    t_ok(t, host_saw(h, "try default/g #1: default/a default/b default/c"));
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    t_ok(t, host_saw(h, "try default/g #2: default/c"));
    t_bool(t, host_saw(h, "group default/g False*"), false); /* never back from True */
    t_ok(t,
         host_saw(h, "pod default/c Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."));
    t_int(t, host_store(h, "c", NULL), MST_STORE_ERROR_BACKOFF);
    host_node(h, "n2", "cpu: 1", NULL);
    host_wait(h, 3);
    t_int(t, bound(h), 3);
    host_free(h);
}

static void test_group_cycle_gang_above_quorum(struct mst_test *t)
{
    struct host *h = host_new(true);
    host_node(h, "n1", "cpu: 3", NULL);
    host_gang(h, "g", 2, NULL);
    members(h, 4, "1");
    host_run(h);
    t_int(t, bound(h), 3);
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    t_ok(t, host_saw(h, "try default/g #2: default/d"));
    /* A new member of a running gang needs only its own place. */
    host_node(h, "n2", "cpu: 2", NULL);
    members(h, 5, "1");
    host_wait(h, 3);
    t_int(t, bound(h), 5);
    host_free(h);
}

static void test_group_cycle_member_order(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 9", NULL);
    host_add(h, (struct host_pod_spec){ .name = "z", .group = "g" });
    host_add(h, (struct host_pod_spec){ .name = "x", .group = "g" });
    h->now += HOST_SECOND;
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    host_gang(h, "g", 3, NULL); /* after its members */
    host_run(h);
    t_ok(t, host_saw(h, "try default/g #1: default/z default/x default/a") ||
                host_saw(h, "try default/g #1: default/x default/z default/a"));
    host_free(h);
}

static void test_group_cycle_topology_constraint_is_not_ignored(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 1, "schedulingConstraints: {topology: [{key: zone}]}");
    members(h, 1, "1");
    host_wait(h, 30);
    t_ok(t,
         host_saw(h, "group default/g False Unschedulable: this version of muster does not support "
                     "topology constraints of pod groups; the group stays pending"));
    t_ok(t,
         host_saw(h,
                  "pod default/a Unschedulable: this version of muster does not support topology "
                  "constraints of pod groups; the group stays pending"));
    t_int(t, bound(h), 0);
    host_free(h);
}

/* 4.6: a rejected member's old nomination; muster clears it unless the pod never preempts. */
static void test_group_cycle_old_nominations(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool upstream;
        const char *policy;
        bool kept;
    } cases[] = {
        { "upstream", true, NULL, true },
        { "muster", false, NULL, false },
        { "muster, Never", false, "priorityClassName: never", true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_new(cases[i].upstream);
        t_case(t, cases[i].name);
        host_node(h, "n1", "cpu: 1", NULL);
        host_gang(h, "g", 2, cases[i].policy);
        host_add(h, (struct host_pod_spec){ .name = "a", .group = "g", .more = cases[i].policy });
        host_add(h, (struct host_pod_spec){ .name = "b",
                                            .group = "g",
                                            .more = cases[i].policy,
                                            .cpu = "2",
                                            .status = "nominatedNodeName: n1" });
        host_run(h);
        mst_sym nominated =
            mst_engine_cluster(h->engine)->pods.v[host_pod(h, "b")].status_nominated;
        t_bool(t, nominated != MST_SYM_NONE, cases[i].kept);
        host_free(h);
    }
}

static void test_group_cycle_bind_failure(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        host_node(h, "n1", "cpu: 2", NULL);
        host_gang(h, "g", 2, NULL);
        members(h, 2, "1");
        h->binds = HOST_BINDS_HANG;
        host_step(h);
        uint64_t last = h->last_bind.id;
        host_bind(h, "a", "n1");
        host_answer(h, last, "broken");
        host_run(h);
        /* Nothing is rolled back: a stays, b is tried again; the condition stays True. */
        t_ok(t, host_saw(h, "pod default/b SchedulerError: running Bind plugin \"DefaultBinder\": "
                            "broken*"));
        t_bool(t, host_saw(h, "try default/g #1: default/b"), upstream);
        h->binds = HOST_BINDS_WORK;
        if (!upstream)
            t_int(t, host_store(h, "b", NULL), MST_STORE_ERROR_BACKOFF);
        else
            host_answer(h, h->last_bind.id, "broken again");
        host_wait(h, 5);
        t_int(t, bound(h), 2);
        t_bool(t, host_saw(h, "group default/g False*"), false);
        host_free(h);
    }
}

/* Attempts in vain before do not count: the first failure after submission is the first. */
static void test_group_cycle_bind_failure_after_rejections(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        host_node(h, "n1", "cpu: 1", NULL);
        host_gang(h, "g", 2, NULL);
        members(h, 2, "1");
        host_wait(h, 40);
        h->binds = HOST_BINDS_HANG;
        host_node(h, "n1", "cpu: 2", NULL);
        host_wait(h, 20);
        t_bool(t, host_saw(h, "group default/g True Scheduled: "), true);
        host_bind(h, "a", "n1");
        h->binds = HOST_BINDS_WORK;
        host_answer(h, h->last_bind.id, "broken");
        host_forget(h);
        host_run(h);
        t_bool(t, host_saw(h, "bind default/b n1"), upstream); /* at once, or after a second */
        host_wait(h, 2);
        t_int(t, bound(h), 2);
        host_free(h);
    }
}

MST_TEST_MAIN(T(test_group_cycle_gang_is_placed_together),
              T(test_group_cycle_upstream_permit_nominates),
              T(test_group_cycle_upstream_permit_frees_nothing), T(test_group_cycle_texts),
              T(test_group_cycle_refused_before_the_first_pod),
              T(test_group_cycle_all_members_deleted), T(test_group_cycle_checks),
              T(test_group_cycle_unset_policy_defers_to_the_pods),
              T(test_group_cycle_basic_group_takes_what_fits),
              T(test_group_cycle_gang_above_quorum), T(test_group_cycle_member_order),
              T(test_group_cycle_topology_constraint_is_not_ignored),
              T(test_group_cycle_old_nominations), T(test_group_cycle_bind_failure),
              T(test_group_cycle_bind_failure_after_rejections))
