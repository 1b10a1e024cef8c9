/* What happens in the world, as the engine takes it: scheduling.md 1.2, 1.3, 1.7, 6. */
#include "engine_helper.h"
#include "tap.h"

static void member(struct host *h, const char *name)
{
    host_add(h, (struct host_pod_spec){ .name = name, .group = "g" });
}

static void test_events_members_before_their_group(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    member(h, "a");
    member(h, "b");
    host_run(h);
    t_int(t, host_store(h, "a", NULL), MST_STORE_INCOMPLETE);
    t_str(t, host_log(h), "");
    /* Both enter at once: the first attempt has them both. */
    host_gang(h, "g", 2, NULL);
    host_run(h);
    t_ok(t, host_saw(h, "try default/g #1: default/a default/b"));
    host_free(h);
}

/* Profile muster tells the owner after 10 s, once per text; upstream stays silent. */
static void test_events_held_members_are_told(struct mst_test *t)
{
    struct host *h = host_new(false);
    member(h, "a");
    host_wait(h, 9);
    t_str(t, host_log(h), "");
    host_wait(h, 2);
    t_str(t, host_log(h),
          "pod default/a NotReadyForScheduling: waiting for pods's pod group \"g\" to "
          "appear in scheduling queue\n");
    host_wait(h, 100);
    host_forget(h);
    host_gang(h, "g", 2, NULL);
    host_wait(h, 1);
    t_str(t, host_log(h),
          "pod default/a NotReadyForScheduling: waiting for minCount pods from a gang "
          "to appear in scheduling queue\n");
    host_free(h);

    h = host_new(true);
    member(h, "a");
    host_wait(h, 100);
    t_str(t, host_log(h), "");
    host_free(h);
}

/* Its own gates are no news to a member; that it waits for another one's is. */
static void test_events_gated_member_holds_the_group(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 1, NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "b", .group = "g", .more = "schedulingGates: [{name: x}, {name: w}]" });
    member(h, "a");
    host_wait(h, 20);
    t_str(t, host_log(h),
          "pod default/a NotReadyForScheduling: waiting for pod \"b\" of the pod group: "
          "waiting for scheduling gates: [x w]\n");
    bool gated;
    (void)host_store(h, "a", &gated);
    t_bool(t, gated, true);
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1"));
    t_ok(t, host_saw(h, "bind default/b n1"));
    host_free(h);
}

/*
 * When the member with the gate is deleted: muster looks again at once, upstream after its flush.
 */
static void test_events_gating_member_is_deleted(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        host_node(h, "n1", "cpu: 8", NULL);
        host_gang(h, "g", 1, NULL);
        member(h, "a");
        h->binds = HOST_BINDS_HANG;
        host_add(h, (struct host_pod_spec){
                        .name = "b", .group = "g", .more = "schedulingGates: [{name: x}]" });
        host_remove(h, MST_KIND_POD, "b");
        host_wait(h, 60);
        t_bool(t, host_saw(h, "bind default/a n1"), !upstream);
        host_wait(h, 300);
        t_ok(t, host_saw(h, "bind default/a n1"));
        host_free(h);
    }
}

static void test_events_min_count_lowered(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 3, NULL);
    member(h, "a");
    member(h, "b");
    host_wait(h, 1);
    t_str(t, host_log(h), "");
    host_gang(h, "g", 2, NULL);
    host_run(h);
    t_ok(t, host_saw(h, "try default/g #1: default/a default/b"));
    host_free(h);
}

/* Lowered while the group waits out its backoff: it is seen when the backoff ends. */
static void test_events_min_count_lowered_in_backoff(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_gang(h, "g", 2, NULL);
    member(h, "a");
    member(h, "b");
    host_run(h);
    host_gang(h, "g", 1, NULL);
    t_int(t, host_store(h, "a", NULL), MST_STORE_ERROR_BACKOFF);
    host_wait(h, 5);
    t_ok(t, host_saw(h, "bind default/a n1") || host_saw(h, "bind default/b n1"));
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    host_free(h);
}

/*
 * Raised after scheduling: nothing is evicted, the condition stays; a newcomer needs the new
 * quorum.
 */
static void test_events_min_count_raised_after_scheduling(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 1, NULL);
    member(h, "a");
    host_run(h);
    host_get(h, MST_KIND_POD_GROUP, "g")->u.group.spec.min_count = 3;
    host_update(h, MST_KIND_POD_GROUP, "g");
    host_forget(h);
    member(h, "b");
    host_wait(h, 30);
    t_bool(t, host_saw(h, "try *"), false);
    member(h, "c");
    host_run(h);
    t_ok(t, host_saw(h, "bind default/b n1"));
    t_ok(t, host_saw(h, "bind default/c n1"));
    t_bool(t, host_saw(h, "group *"), false);
    host_free(h);
}

static void test_events_group_deleted_before_a_cycle(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_gang(h, "g", 1, NULL);
    member(h, "a");
    host_remove(h, MST_KIND_POD_GROUP, "g");
    host_run(h);
    t_int(t, host_store(h, "a", NULL), MST_STORE_INCOMPLETE);
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 1, NULL);
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1"));
    host_free(h);
}

/* A group of the same name and another uid has no conditions: it can get False again. */
static void test_events_group_recreated(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_gang(h, "g", 1, NULL);
    member(h, "a");
    host_run(h);
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    host_get(h, MST_KIND_POD_GROUP, "g")->u.group.meta.uid = MST_STR("another");
    host_get(h, MST_KIND_POD_GROUP, "g")->u.group.conditions.n = 0;
    host_update(h, MST_KIND_POD_GROUP, "g");
    member(h, "b");
    host_wait(h, 2);
    t_ok(t, host_saw(h, "group default/g False Unschedulable: *"));
    host_free(h);
}

static void test_events_pod_recreated_with_another_uid(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    h->binds = HOST_BINDS_HANG;
    host_add(h, (struct host_pod_spec){ .name = "a", .uid = "one" });
    host_run(h);
    uint64_t old = h->last_bind.id;
    t_int(t, mst_engine_cluster(h->engine)->nodes.pod_count[0], 1);
    h->binds = HOST_BINDS_WORK;
    host_add(h, (struct host_pod_spec){ .name = "a", .uid = "two" });
    host_run(h);
    t_ok(t, host_saw(h, "event default/a Scheduled: Successfully assigned default/a to n1"));
    /* The answer about the first one concerns nobody any more. */
    host_forget(h);
    host_answer(h, old, "uid mismatch");
    host_run(h);
    t_str(t, host_log(h), "");
    t_bool(t, mst_engine_cluster(h->engine)->pods.v[host_pod(h, "a")].assigned, true);
    host_free(h);
}

static void test_events_other_schedulers(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 2", NULL);
    host_gang(h, "g", 2, NULL);
    host_add(h,
             (struct host_pod_spec){ .name = "a", .group = "g", .more = "schedulerName: other" });
    t_int(t, host_pod(h, "a"), MST_ROW_NONE); /* not counted at all while it waits */
    member(h, "b");
    host_wait(h, 1);
    t_bool(t, host_saw(h, "try *"), false);
    host_bind(h, "a", "n1"); /* now it is scheduled, and the others must not differ from it */
    host_run(h);
    t_ok(t,
         host_saw(h, "group default/g False SchedulerError: all pods in a single pod group should "
                     "have the same .spec.schedulerName set, got: \"other\" and "
                     "\"default-scheduler\""));
    host_add(h, (struct host_pod_spec){ .name = "lone", .cpu = "2" });
    host_run(h);
    t_ok(t,
         host_saw(h, "event default/lone FailedScheduling: 0/1 nodes are available: 1 Insufficient "
                     "cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for "
                     "incoming pod."));
    host_free(h);
}

static void test_events_bound_by_somebody_else(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
    host_run(h);
    host_bind(h, "a", "n1");
    t_int(t, host_store(h, "a", NULL), MST_STORE_NONE);
    t_int(t, mst_engine_cluster(h->engine)->nodes.requested[MST_RES_CPU][0], 2000);
    /* To another node than the one that was assumed: reality wins, and the room is given back. */
    host_node(h, "n2", "cpu: 1", NULL);
    host_node(h, "n3", "cpu: 1", "unschedulable: true");
    h->binds = HOST_BINDS_HANG;
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_run(h);
    host_add(h, (struct host_pod_spec){ .name = "c" });
    host_run(h);
    t_int(t, host_store(h, "c", NULL), MST_STORE_UNSCHEDULABLE);
    host_bind(h, "b", "n3");
    host_answer(h, h->last_bind.id, "conflict");
    h->binds = HOST_BINDS_WORK;
    host_wait(h, 2);
    t_ok(t, host_saw(h, "bind default/c n2"));
    host_free(h);
}

static void test_events_node_deleted(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    host_remove(h, MST_KIND_NODE, "n1");
    t_int(t, mst_engine_cluster(h->engine)->pods.v[host_pod(h, "a")].node, MST_ROW_NONE);
    t_bool(t, mst_engine_cluster(h->engine)->pods.v[host_pod(h, "a")].assigned, true);
    host_node(h, "n1", "cpu: 2", NULL); /* it comes back and has its pod */
    t_int(t, mst_engine_cluster(h->engine)->nodes.pod_count[0], 1);
    host_free(h);
}

static void test_events_finished_pod_frees_its_node(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_run(h);
    struct mst_object *a = host_get(h, MST_KIND_POD, "a");
    a->u.pod.status.phase = mst_sym_of_text(h->syms, "Succeeded");
    host_update(h, MST_KIND_POD, "a");
    t_int(t, host_pod(h, "a"), MST_ROW_NONE);
    host_wait(h, 2);
    t_ok(t, host_saw(h, "bind default/b n1"));
    host_free(h);
}

/* Each change of a node that makes a waiting pod fit wakes it, without the flush. */
static void test_events_node_updates_wake(struct mst_test *t)
{
    static const struct {
        const char *name, *before, *before_more, *after, *after_more;
    } cases[] = {
        { "allocatable", "cpu: 500m", NULL, "cpu: 2", NULL },
        { "uncordoned", "cpu: 2", "unschedulable: true", "cpu: 2", NULL },
        { "taint removed", "cpu: 2", "taints: [{key: a, effect: NoSchedule}]", "cpu: 2", NULL },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_new(i % 2);
        t_case(t, cases[i].name);
        host_node(h, "n1", cases[i].before, cases[i].before_more);
        host_add(h, (struct host_pod_spec){ .name = "a" });
        host_run(h);
        t_bool(t, host_saw(h, "bind *"), false);
        host_node(h, "n1", cases[i].after, cases[i].after_more);
        host_wait(h, 2);
        t_ok(t, host_saw(h, "bind default/a n1"));
        host_free(h);
    }
}

/* A group below a composite one is never tried alone: its members wait, and are told why. */
static void test_events_group_with_a_parent(struct mst_test *t)
{
    struct host *h = host_new(false);
    h->api.composite = true;
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 1, "parentCompositePodGroupName: tree");
    member(h, "a");
    host_wait(h, 20);
    t_str(t, host_log(h),
          "pod default/a NotReadyForScheduling: composite pod groups are not supported by this "
          "version of muster\n");
    t_int(t, host_store(h, "a", NULL), MST_STORE_INCOMPLETE);
    host_free(h);
}

/* Without the gate a member is a pod like any other. */
static void test_events_groups_without_the_gate(struct mst_test *t)
{
    struct host *h = host_with(true, NULL, "GenericWorkload=false");
    host_node(h, "n1", "cpu: 8", NULL);
    host_gang(h, "g", 5, NULL);
    member(h, "a");
    host_run(h);
    t_ok(t, host_saw(h, "try default/a #1"));
    t_ok(t, host_saw(h, "bind default/a n1"));
    t_int(t, host_group(h, "g"), MST_ROW_NONE);
    host_free(h);
}

/* Kinds that concern nobody, names nobody knows: nothing happens. */
static void test_events_strangers_are_ignored(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_apply(h, "{apiVersion: v1, kind: Namespace, metadata: {name: x}}");
    struct mst_object o = { .kind = MST_KIND_POD };
    o.u.meta.name = MST_STR("nobody");
    o.u.meta.namespace_ = mst_sym_of_text(h->syms, "default");
    host_send(h, MST_EVENT_REMOVE, &o);
    o.kind = MST_KIND_NODE;
    host_send(h, MST_EVENT_REMOVE, &o);
    o.kind = MST_KIND_POD_GROUP;
    host_send(h, MST_EVENT_REMOVE, &o);
    host_answer(h, 12345, "never asked");
    t_bool(t, host_step(h), false);
    t_int(t, mst_engine_deadline(h->engine, h->now), INT64_MAX);
    host_free(h);
}

MST_TEST_MAIN(T(test_events_members_before_their_group), T(test_events_held_members_are_told),
              T(test_events_gated_member_holds_the_group), T(test_events_gating_member_is_deleted),
              T(test_events_min_count_lowered), T(test_events_min_count_lowered_in_backoff),
              T(test_events_min_count_raised_after_scheduling),
              T(test_events_group_deleted_before_a_cycle), T(test_events_group_recreated),
              T(test_events_pod_recreated_with_another_uid), T(test_events_other_schedulers),
              T(test_events_bound_by_somebody_else), T(test_events_node_deleted),
              T(test_events_finished_pod_frees_its_node), T(test_events_node_updates_wake),
              T(test_events_group_with_a_parent), T(test_events_groups_without_the_gate),
              T(test_events_strangers_are_ignored))
