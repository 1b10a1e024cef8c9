/* One attempt for a lone pod: scheduling.md 2.1, 2.7, 4.5, 4.6. */
#include "engine_helper.h"
#include "tap.h"

static void test_pod_cycle_binds_to_the_best_node(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4, memory: 8Gi", NULL);
    host_node(h, "n2", "cpu: 8, memory: 16Gi", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_str(t, host_log(h),
          "try default/a #1\n"
          "bind default/a n2\n"
          "event default/a Scheduled: Successfully assigned default/a to n2\n");
    t_bool(t, mst_engine_cluster(h->engine)->pods.v[host_pod(h, "a")].assigned, true);
    host_free(h);
}

static void test_pod_cycle_says_why_it_fits_nowhere(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        host_node(h, "n1", "cpu: 1", NULL);
        host_node(h, "n2", "cpu: 1", "unschedulable: true");
        host_node(h, "n3", "cpu: 1", NULL);
        host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
        host_run(h);
        t_str(t, host_log(h),
              "try default/a #1\n"
              "event default/a FailedScheduling: 0/3 nodes are available: 1 node(s) were "
              "unschedulable, 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 "
              "Preemption is not helpful for scheduling.\n"
              "pod default/a Unschedulable: 0/3 nodes are available: 1 node(s) were unschedulable, "
              "2 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not "
              "helpful for scheduling.\n");
        t_int(t, host_store(h, "a", NULL), MST_STORE_UNSCHEDULABLE);
        /* The same answer again is told with an event, but not patched again. */
        host_forget(h);
        host_node(h, "n4", "cpu: 1, memory: 1", NULL);
        host_remove(h, MST_KIND_NODE, "n4");
        host_wait(h, 400);
        t_ok(t, host_saw(h, "event default/a FailedScheduling: *"));
        t_bool(t, host_saw(h, "pod default/a*"), false);
        host_free(h);
    }
}

static void test_pod_cycle_without_nodes(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_add(h, (struct host_pod_spec){ .name = "a", .status = "nominatedNodeName: n9" });
    host_run(h);
    t_str(t, host_log(h),
          "try default/a #1\n"
          "event default/a FailedScheduling: no nodes available to schedule pods\n"
          "pod default/a Unschedulable: no nodes available to schedule pods "
          "nominated []\n");
    /* Nobody can be named, so it is tried again after a backoff. */
    t_int(t, host_store(h, "a", NULL), MST_STORE_ERROR_BACKOFF);
    host_node(h, "n1", "cpu: 4", NULL);
    host_wait(h, 3);
    t_ok(t, host_saw(h, "bind default/a n1"));
    host_free(h);
}

static void test_pod_cycle_skips_a_deleted_pod(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_delete(h, "a");
    host_run(h);
    t_str(t, host_log(h),
          "try default/a #1\nevent default/a FailedScheduling: skip schedule deleting "
          "pod: default/a\n");
    t_int(t, host_store(h, "a", NULL), MST_STORE_NONE);
    host_remove(h, MST_KIND_POD, "a");
    t_int(t, host_pod(h, "a"), MST_ROW_NONE);
    host_free(h);
}

/*
 * The nominated node is taken although another one scores higher; another's nomination holds room.
 */
static void test_pod_cycle_nominations(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "big", "cpu: 8", NULL);
    host_node(h, "small", "cpu: 2", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .status = "nominatedNodeName: small" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a small"));
    /* b waits behind its gate and holds the whole of big against equal priority, not higher. */
    host_add(h, (struct host_pod_spec){ .name = "b",
                                        .cpu = "8",
                                        .priority = 5,
                                        .more = "schedulingGates: [{name: g}]",
                                        .status = "nominatedNodeName: big" });
    host_add(h, (struct host_pod_spec){ .name = "low", .cpu = "3", .priority = 5 });
    host_run(h);
    t_ok(t,
         host_saw(h, "event default/low FailedScheduling: 0/2 nodes are available: 2 Insufficient "
                     "cpu. preemption: 0/2 nodes are available: 1 No preemption victims found for "
                     "incoming pod, 1 Preemption is not helpful for scheduling."));
    host_add(h, (struct host_pod_spec){ .name = "high", .cpu = "3", .priority = 6 });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/high big"));
    /* Once the nomination is gone the other one gets its room, without waiting for a flush. */
    host_get(h, MST_KIND_POD, "b")->u.pod.status.nominated_node_name = MST_SYM_NONE;
    host_update(h, MST_KIND_POD, "b");
    host_wait(h, 2);
    t_ok(t, host_saw(h, "bind default/low big"));
    host_free(h);
}

/* Nobody's going can help: a rejected pod's nomination is cleared (4.6). */
static void test_pod_cycle_failure_clears_the_nomination(struct mst_test *t)
{
    struct host *h = host_new(true);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h,
             (struct host_pod_spec){ .name = "a", .cpu = "2", .status = "nominatedNodeName: n1" });
    host_run(h);
    t_ok(t, host_saw(h, "pod default/a Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. "
                        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
                        "scheduling. nominated []"));
    t_int(t, mst_engine_cluster(h->engine)->nominated_pod_count, 0);
    host_free(h);
}

static void test_pod_cycle_bind_failure_is_retried(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        h->binds = HOST_BINDS_FAIL;
        host_node(h, "n1", "cpu: 1", NULL);
        host_add(h, (struct host_pod_spec){ .name = "a" });
        host_run(h);
        t_str(
            t, host_log(h),
            "try default/a #1\nbind default/a n1\n"
            "event default/a FailedScheduling: running Bind plugin \"DefaultBinder\": the server "
            "said no\n"
            "pod default/a SchedulerError: running Bind plugin \"DefaultBinder\": the server said "
            "no\n");
        t_int(t, host_store(h, "a", NULL), MST_STORE_ERROR_BACKOFF);
        t_int(t, mst_engine_cluster(h->engine)->nodes.pod_count[0], 0);
        h->binds = HOST_BINDS_WORK;
        host_wait(h, 3);
        t_ok(t, host_saw(h, "try default/a #2"));
        t_ok(t, host_saw(h, "event default/a Scheduled: Successfully assigned default/a to n1"));
        host_free(h);
    }
}

/* What was taken by a bind that then fails goes to whoever waits for it. */
static void test_pod_cycle_bind_failure_frees_the_room(struct mst_test *t)
{
    struct host *h = host_new(false);
    h->binds = HOST_BINDS_HANG;
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_run(h);
    t_int(t, host_store(h, "b", NULL), MST_STORE_UNSCHEDULABLE);
    host_answer(h, h->last_bind.id, "no");
    h->binds = HOST_BINDS_WORK;
    host_run(h);
    t_ok(t, host_saw(h, "bind default/b n1"));
    host_free(h);
}

static void test_pod_cycle_unsupported_stays_pending(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "a", .more = "resourceClaims: [{name: d, resourceClaimName: c}]" });
    host_wait(h, 60);
    t_ok(t, host_saw(h, "pod default/a Unschedulable: 0/1 nodes are available: this version of "
                        "muster does not support resource claims; the pod stays pending. *"));
    t_bool(t, host_saw(h, "bind *"), false);
    host_free(h);
}

/* What a pod demands of other pods and of volumes is judged by their plugins. */
static void test_pod_cycle_demands_are_judged(struct mst_test *t)
{
    static const struct {
        const char *name, *spec, *text;
    } cases[] = {
        { "affinity to nobody",
          "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}]}}",
          "0/1 nodes are available: 1 node(s) didn't match pod affinity rules." },
        { "spread over a missing label",
          "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
          "DoNotSchedule, labelSelector: {matchLabels: {a: b}}}]",
          "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints "
          "(missing required label)." },
        { "claim that does not exist",
          "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]",
          "0/1 nodes are available: persistentvolumeclaim \"c\" not found." },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_new(false);
        t_case(t, cases[i].name);
        host_node(h, "n1", "cpu: 4", NULL);
        host_add(h, (struct host_pod_spec){ .name = "a", .more = cases[i].spec });
        host_wait(h, 60);
        t_ok(t, host_saw(h, mst_arena_printf(&h->arena, "pod default/a Unschedulable: %s *",
                                             cases[i].text)
                                .p));
        t_bool(t, host_saw(h, "bind *"), false);
        host_free(h);
    }
}

/* A preference or ScheduleAnyway may be left unjudged: it never decides whether. */
static void test_pod_cycle_soft_wishes_do_not_hold(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "a",
                    .more = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                            "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: "
                            "{a: b}}}]" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1"));
    host_free(h);
}

MST_TEST_MAIN(T(test_pod_cycle_binds_to_the_best_node), T(test_pod_cycle_says_why_it_fits_nowhere),
              T(test_pod_cycle_without_nodes), T(test_pod_cycle_skips_a_deleted_pod),
              T(test_pod_cycle_nominations), T(test_pod_cycle_failure_clears_the_nomination),
              T(test_pod_cycle_bind_failure_is_retried),
              T(test_pod_cycle_bind_failure_frees_the_room),
              T(test_pod_cycle_unsupported_stays_pending), T(test_pod_cycle_demands_are_judged),
              T(test_pod_cycle_soft_wishes_do_not_hold))
