/* What an earlier process began: seen in the objects at the start, and gone on with. */
#include "engine_helper.h"
#include "tap.h"

#define OURS "default-scheduler: preempting to accommodate a higher priority pod"
#define AT "2023-11-14T22:00:00Z" /* when the eviction was; the hosts start later */
#define EARLIER "2023-11-14T21:00:00Z"
#define LATER "2023-11-14T22:10:00Z"
#define MARK(why)                                                                                  \
    "conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler, "        \
    "message: '" why "', lastTransitionTime: '" AT "'}]"

/* A member of g on n1. */
#define MEMBER(name, meta, spec, status)                                                           \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name                                           \
    ", namespace: default, creationTimestamp: '" EARLIER "'" meta                                  \
    "}, spec: {schedulingGroup: {podGroupName: g}, nodeName: n1" spec                              \
    ", containers: [{name: c, image: i}]}, status: {" status "}}\n---\n"
#define BOUND(name) MEMBER(name, "", "", "")
#define GOING(name, why) MEMBER(name, ", deletionTimestamp: '" AT "'", "", MARK(why))
#define GROUP(spec, status)                                                                        \
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, namespace: "      \
    "default}, spec: {" spec "}, status: {" status "}}\n---\n"
#define GANG(n) "schedulingPolicy: {gang: {minCount: " #n "}}"
#define WHOLE(n) GANG(n) ", disruptionMode: {all: {}}"

static struct host *start(bool upstream, const char *objects)
{
    struct host *h = host_new(upstream);
    h->api.composite = true;
    host_node(h, "n1", "cpu: 9", NULL);
    host_apply(h, objects);
    return h;
}

static void test_says_that_a_group_was_scheduled(struct mst_test *t)
{
    static const struct {
        const char *name, *objects;
        bool told;
    } cases[] = {
        { "a gang with its quorum", GROUP(GANG(2), "") BOUND("a") BOUND("b"), true },
        { "a basic group", GROUP("schedulingPolicy: {basic: {}}", "") BOUND("a"), true },
        { "the object says False",
          GROUP(GANG(1), "conditions: [{type: PodGroupInitiallyScheduled, status: 'False', "
                         "reason: Unschedulable, message: x}]") BOUND("a"),
          true },
        { "the object says True",
          GROUP(GANG(1), "conditions: [{type: PodGroupInitiallyScheduled, status: 'True', "
                         "reason: Scheduled}]") BOUND("a"),
          false },
        { "too few", GROUP(GANG(2), "") BOUND("a"), false },
        { "nobody", GROUP("schedulingPolicy: {basic: {}}", ""), false },
        { "no object", BOUND("a"), false },
        { "another scheduler's", GROUP(GANG(1), "") MEMBER("a", "", ", schedulerName: x", ""),
          false },
        { "all on their way out",
          GROUP(GANG(1), "") MEMBER("a", ", deletionTimestamp: '" AT "'", "", ""), false },
        { "a part of a tree", GROUP(GANG(1) ", parentCompositePodGroupName: p", "") BOUND("a"),
          false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++)
        for (int upstream = 0; upstream < 2; upstream++) {
            struct host *h = start(upstream, cases[i].objects);
            t_case(t, cases[i].name);
            host_run(h);
            t_str(t, host_log(h),
                  cases[i].told && !upstream ? "group default/g True Scheduled: \n" : "");
            host_free(h);
        }
}

/* What is seen later is not an earlier process's. */
static void test_only_at_the_start(struct mst_test *t)
{
    struct host *h = start(false, "");
    host_run(h);
    host_apply(h, GROUP(WHOLE(2), "") BOUND("a") BOUND("b") GOING("c", OURS));
    host_wait(h, 100);
    t_str(t, host_log(h), "");
    host_free(h);
}

/* With the quorum known, a member that finds no room does not take the word back. */
static void test_success_stays(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = start(upstream, GROUP(GANG(2), "") BOUND("a") BOUND("b"));
        host_add(h, (struct host_pod_spec){ .name = "c", .cpu = "99", .group = "g" });
        host_run(h);
        t_ok(t, host_saw(h, "try default/g #1: default/c"));
        t_bool(t, host_saw(h, "group default/g False Unschedulable*"), upstream);
        host_free(h);
    }
}

/* An object from before the patch arrives after it was sent, for whatever reason it changed. */
static void test_success_outlives_an_older_object(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = start(upstream, GROUP(GANG(1), ""));
        host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
        host_run(h);
        t_ok(t, host_saw(h, "group default/g True Scheduled: "));
        host_apply(h, GROUP(GANG(1), ""));
        host_add(h, (struct host_pod_spec){ .name = "b", .cpu = "99", .group = "g" });
        host_run(h);
        t_bool(t, host_saw(h, "group default/g False Unschedulable*"), upstream);
        host_free(h);
    }
}

/* Another group of the name has its own story. */
static void test_success_goes_with_the_group(struct mst_test *t)
{
    struct host *h = start(false, GROUP(GANG(1), ""));
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    host_run(h);
    host_remove(h, MST_KIND_POD_GROUP, "g");
    host_remove(h, MST_KIND_POD, "a");
    host_forget(h);
    host_apply(h, GROUP(GANG(1), ""));
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    host_run(h);
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    host_free(h);
}

static void test_half_evicted_units(struct mst_test *t)
{
    static const struct {
        const char *name, *objects;
        bool goes; /* pod a */
    } cases[] = {
        { "one is going", GROUP(WHOLE(3), "") BOUND("a") BOUND("b") GOING("c", OURS), true },
        { "one is gone, the gang is too small", GROUP(WHOLE(3), MARK(OURS)) BOUND("a") BOUND("b"),
          true },
        { "only the group is marked", GROUP(WHOLE(2), MARK(OURS)) BOUND("a") BOUND("b"), false },
        { "marked, not deleted", GROUP(WHOLE(2), "") BOUND("b") MEMBER("a", "", "", MARK(OURS)),
          false },
        { "pods go one by one", GROUP(GANG(3), "") BOUND("a") BOUND("b") GOING("c", OURS), false },
        { "another scheduler's",
          GROUP(WHOLE(3), "") BOUND("a") BOUND("b") GOING("c", "default-scheduler2: preempting"),
          false },
        { "no words", GROUP(WHOLE(3), "") BOUND("a") BOUND("b") GOING("c", ""), false },
        { "going for another reason",
          GROUP(WHOLE(3), "") BOUND("a") MEMBER("c", ", deletionTimestamp: '" AT "'", "", ""),
          false },
        { "started since",
          GROUP(WHOLE(3), "") MEMBER("a", "", "", "startTime: '" LATER "'") GOING("c", OURS),
          false },
        { "started before",
          GROUP(WHOLE(3), "") MEMBER("a", "", "", "startTime: '" EARLIER "'") GOING("c", OURS),
          true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++)
        for (int upstream = 0; upstream < 2; upstream++) {
            struct host *h = start(upstream, cases[i].objects);
            t_case(t, cases[i].name);
            host_run(h);
            t_bool(t, host_saw(h, "evict default/a*"), cases[i].goes && !upstream);
            t_bool(t, host_saw(h, "evict default/c*"), false);
            host_free(h);
        }
}

static void test_new_pods_of_the_unit_stay(struct mst_test *t)
{
    struct host *h =
        start(false,
              GROUP(WHOLE(3), "")
                  GOING("c",
                        OURS) "{apiVersion: v1, kind: Pod,"
                              " metadata: {name: a, namespace: default, creationTimestamp: '" LATER
                              "'}, spec: {schedulingGroup: {podGroupName: g}, nodeName: "
                              "n1, containers: [{name: c, image: i}]}}\n");
    host_wait(h, 100);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

/* Marked, evicted in order, told, and tried again after a failure, with pauses that grow. */
static void test_what_is_left_follows(struct mst_test *t)
{
    struct host *h = start(false, GROUP(WHOLE(3), "") BOUND("a") BOUND("b") GOING("c", OURS));
    h->evictions = HOST_BINDS_FAIL;
    host_step(h);
    t_str(t, host_log(h),
          "group default/g True Scheduled: \n"
          "group default/g True PreemptionByScheduler: " OURS "\n"
          "evict default/a DisruptionTarget: " OURS "\n"
          "evict default/b DisruptionTarget: " OURS "\n");
    host_run(h);
    host_forget(h);
    host_wait(h, 1);
    t_ok(t, host_saw(h, "evict default/a*"));
    host_forget(h);
    host_wait(h, 1);
    t_str(t, host_log(h), "");
    h->evictions = HOST_BINDS_WORK;
    host_wait(h, 1);
    t_ok(t, host_saw(h, "event default/b Preempted: Preempted with the other pods of its group"));
    host_forget(h);
    host_wait(h, 100);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

MST_TEST_MAIN(T(test_says_that_a_group_was_scheduled), T(test_only_at_the_start),
              T(test_success_stays), T(test_success_outlives_an_older_object),
              T(test_success_goes_with_the_group), T(test_half_evicted_units),
              T(test_new_pods_of_the_unit_stay), T(test_what_is_left_follows))
