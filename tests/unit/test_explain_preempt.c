/* Who would have to go: lone pods, groups, policies, what is held; looking leaves no trace. */
#include "engine_helper.h"
#include "tap.h"

static void look(struct host *h, const char *pod, const char *group, struct mst_preempt_answer *out)
{
    MST_AUTO(mst_buf) before = { 0 }, after = { 0 };
    mst_cluster_dump(mst_engine_cluster(h->engine), &before);
    mst_assert(mst_explain_preempt(h->engine, group != NULL,
                                   group ? host_group(h, group) : host_pod(h, pod), &h->arena, out,
                                   &h->out));
    mst_cluster_dump(mst_engine_cluster(h->engine), &after);
    mst_assert(mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
    mst_engine_check(h->engine);
}

/* A pod that runs. */
static void runs(struct host *h, const char *name, const char *node, int priority,
                 const char *group, const char *second)
{
    host_add(h,
             (struct host_pod_spec){
                 .name = name,
                 .priority = priority,
                 .group = group,
                 .more = mst_arena_printf(&h->arena, "nodeName: %s", node).p,
                 .status =
                     mst_arena_printf(&h->arena, "startTime: '2020-01-01T00:00:%sZ'", second).p });
}

/* n1: two at 1; n2: one at 1, one at 5; n3: too small for two; n4: cordoned. */
static struct host *nodes(bool upstream)
{
    struct host *h = host_new(upstream);
    host_node(h, "n2", "cpu: 2", NULL);
    host_node(h, "n1", "cpu: 2", NULL);
    host_node(h, "n3", "cpu: 1", NULL);
    host_node(h, "n4", "cpu: 2", "unschedulable: true");
    host_node(h, "n5", "cpu: 2", NULL);
    runs(h, "a", "n1", 1, NULL, "01");
    runs(h, "b", "n1", 1, NULL, "02");
    runs(h, "c", "n2", 1, NULL, "03");
    runs(h, "d", "n2", 5, NULL, "04");
    runs(h, "e", "n5", 20, NULL, "05");
    return h;
}

static void test_a_lone_pod(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = nodes(upstream);
        struct mst_preempt_answer a;
        host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "2", .priority = 9 });
        look(h, "p", NULL, &a);
        t_ok(t, !a.group && a.priority == 9);
        t_int(t, a.result, MST_PREEMPT_PREEMPTING);
        t_str(t, a.name, "p");
        t_int(t, a.candidates.n, 2);
        t_str(t, a.candidates.v[0].node, "n1");
        t_str(t, a.candidates.v[1].node, "n2");
        t_str(t, a.chosen.node, "n1");
        t_int(t, a.chosen.pods.n, 2);
        t_str(t, a.chosen.pods.v[0].pod, "default/a");
        t_str(t, a.chosen.pods.v[1].pod, "default/b");
        t_int(t, a.chosen.pods.v[0].priority, 1);
        t_str(t, a.chosen.pods.v[0].node, "n1");
        t_int(t, a.rejected.n, 1);
        t_str(t, a.rejected.v[0].node, "n5");
        t_str(t, a.rejected.v[0].why, "No preemption victims found for incoming pod");
        t_int(t, a.hopeless.n, 2);
        t_str(t, a.hopeless.v[0].node, "n3");
        t_str(t, a.hopeless.v[0].why, "Insufficient cpu");
        t_str(t, a.hopeless.v[1].why, "node(s) were unschedulable");
        t_int(t, a.nominated.n, 1);
        t_str(t, a.nominated.v[0].pod, "default/p");
        t_str(t, a.nominated.v[0].node, "n1");
        t_int(t, a.binds.n, 0);
        t_bool(t, a.never, false);
        /* The attempt itself comes to the same. */
        host_run(h);
        t_ok(t, host_saw(h, mst_arena_printf(&h->arena, "event default/p FailedScheduling: %.*s",
                                             MST_ARG(a.message))
                                .p));
        t_ok(t, host_saw(h, "evict default/a*"));
        host_free(h);
    }
}

static void test_what_fits_evicts_nobody(struct mst_test *t)
{
    struct host *h = nodes(true);
    struct mst_preempt_answer a;
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "1", .priority = 9 });
    look(h, "p", NULL, &a);
    t_int(t, a.result, MST_PREEMPT_SCHEDULED);
    t_int(t, a.binds.n, 1);
    t_str(t, a.binds.v[0].pod, "default/p");
    t_int(t, a.candidates.n + a.rejected.n + a.nominated.n, 0);
    t_int(t, a.message.n, 0);
    host_free(h);
}

static void test_nobody_helps(struct mst_test *t)
{
    struct host *h = nodes(true);
    struct mst_preempt_answer a;
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "2" });
    look(h, "p", NULL, &a);
    t_int(t, a.result, MST_PREEMPT_UNSCHEDULABLE);
    t_int(t, a.rejected.n, 3);
    t_str(t, a.message,
          "0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient cpu. preemption: "
          "0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No preemption "
          "victims found for incoming pod.");
    host_free(h);
}

/* What would have helped is told where the policy forbids it. */
static void test_never(struct mst_test *t)
{
    struct host *h = host_new(true);
    struct mst_preempt_answer a;
    host_node(h, "n1", "cpu: 1", NULL);
    runs(h, "low", "n1", 0, NULL, "01");
    host_add(h, (struct host_pod_spec){ .name = "p", .more = "priorityClassName: never7" });
    host_add(h, (struct host_pod_spec){
                    .name = "big", .cpu = "4", .more = "priorityClassName: never7" });
    look(h, "p", NULL, &a);
    t_int(t, a.result, MST_PREEMPT_UNSCHEDULABLE);
    t_int(t, a.rejected.n, 1);
    t_str(t, a.rejected.v[0].node, "*");
    t_str(t, a.rejected.v[0].why, "not eligible due to preemptionPolicy=Never.");
    t_ok(t, a.never && a.what_if);
    t_str(t, a.allowed.node, "n1");
    t_int(t, a.allowed.pods.n, 1);
    t_str(t, a.allowed.pods.v[0].pod, "default/low");
    look(h, "big", NULL, &a);
    t_ok(t, a.never && !a.what_if);
    t_bool(t, mst_engine_cluster(h->engine)->pods.v[host_pod(h, "p")].never_preempts, true);
    host_run(h);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

/* A group whose workers run together goes together. */
static struct host *gangs(bool upstream, const char *more)
{
    struct host *h = host_new(upstream);
    host_node(h, "n1", "cpu: 2", NULL);
    host_node(h, "n2", "cpu: 2", NULL);
    host_gang(h, "job", 2, "priorityClassName: p1, disruptionMode: {all: {}}");
    runs(h, "job-0", "n1", 1, "job", "01");
    runs(h, "job-1", "n2", 1, "job", "02");
    runs(h, "w", "n1", 5, NULL, "03");
    runs(h, "x", "n2", 1, NULL, "04");
    host_gang(h, "g", 2, more);
    host_add(h, (struct host_pod_spec){ .name = "g-1", .group = "g", .priority = 9 });
    host_add(h, (struct host_pod_spec){ .name = "g-0", .group = "g", .priority = 9 });
    return h;
}

static void test_a_group(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = gangs(upstream, "priorityClassName: p9");
        struct mst_preempt_answer a;
        look(h, NULL, "g", &a);
        t_ok(t, a.group && a.priority == 9);
        t_int(t, a.result, MST_PREEMPT_PREEMPTING);
        t_str(t, a.chosen.node, "cluster");
        t_int(t, a.chosen.pods.n, 2);
        t_str(t, a.chosen.pods.v[0].pod, "default/job-0");
        t_str(t, a.chosen.pods.v[0].unit, "default/job");
        t_str(t, a.chosen.pods.v[1].node, "n2");
        t_int(t, a.chosen.group_disruptions, 1);
        t_int(t, a.candidates.n + a.rejected.n + a.hopeless.n, 0);
        t_int(t, a.nominated.n, 2);
        t_str(t, a.nominated.v[0].pod, "default/g-0");
        t_str(t, a.nominated.v[1].pod, "default/g-1");
        host_run(h);
        t_ok(t, host_saw(h, mst_arena_printf(&h->arena, "group default/g False Unschedulable: %.*s",
                                             MST_ARG(a.message))
                                .p));
        t_ok(t, host_saw(h, "evict default/job-0*") && host_saw(h, "evict default/job-1*"));
        host_free(h);
    }
}

static void test_a_group_that_never_preempts(struct mst_test *t)
{
    struct host *h = host_new(false);
    struct mst_preempt_answer a;
    host_node(h, "n1", "cpu: 1", NULL);
    runs(h, "low", "n1", 0, NULL, "01");
    host_gang(h, "g", 1, "priorityClassName: never7");
    host_add(h, (struct host_pod_spec){
                    .name = "m", .group = "g", .more = "priorityClassName: never7" });
    look(h, NULL, "g", &a);
    t_int(t, a.result, MST_PREEMPT_UNSCHEDULABLE);
    t_ok(t, a.never && a.what_if);
    t_str(t, a.allowed.pods.v[0].pod, "default/low");
    t_ok(t, a.message.n && memmem(a.message.p, a.message.n, "preemptionPolicy=Never", 22));
    host_free(h);
}

static void test_a_group_that_fits(struct mst_test *t)
{
    struct host *h = gangs(true, "priorityClassName: p9");
    struct mst_preempt_answer a;
    host_node(h, "n3", "cpu: 4", NULL);
    look(h, NULL, "g", &a);
    t_int(t, a.result, MST_PREEMPT_SCHEDULED);
    t_int(t, a.binds.n, 2);
    t_str(t, a.binds.v[0].pod, "default/g-0");
    t_str(t, a.binds.v[0].node, "n3");
    t_int(t, a.message.n, 0);
    host_free(h);
}

/* Members that break a rule are not even tried. */
static void test_a_group_that_is_refused(struct mst_test *t)
{
    struct host *h = gangs(true, "priorityClassName: p3");
    struct mst_preempt_answer a;
    look(h, NULL, "g", &a);
    t_int(t, a.result, MST_PREEMPT_UNSCHEDULABLE);
    t_str(t, a.message,
          "all pods in a single pod group should have the same priority as the pod group's "
          "priority, got 9 and 3");
    host_free(h);
}

static void test_what_is_held(struct mst_test *t)
{
    struct host *h = host_new(true);
    struct mst_preempt_answer a;
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "p", .priority = 3, .more = "schedulingGates: [{name: x}]" });
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){ .name = "m", .group = "g" });
    look(h, "p", NULL, &a);
    t_int(t, a.result, MST_PREEMPT_GATED);
    t_int(t, a.priority, 3);
    t_str(t, a.message, "waiting for scheduling gates: [x]");
    look(h, NULL, "g", &a);
    t_int(t, a.result, MST_PREEMPT_GATED);
    look(h, "m", NULL, &a);
    t_int(t, a.result, MST_PREEMPT_GATED);
    host_free(h);
}

/* ---- where the profiles differ (docs/deviations.md) ---- */

/* One of two pods goes from n1; returns which, for a preemptor that needs one CPU. */
static struct mst_str who_goes(struct host *h, struct mst_preempt_answer *a)
{
    host_add(h, (struct host_pod_spec){ .name = "p", .priority = 9 });
    look(h, "p", NULL, a);
    return a->result == MST_PREEMPT_PREEMPTING ? a->chosen.pods.v[0].pod : MST_STR("nobody");
}

static void test_equal_units_by_uid(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        struct mst_preempt_answer a;
        host_node(h, "n1", "cpu: 2", NULL);
        for (int i = 0; i < 2; i++)
            host_add(h, (struct host_pod_spec){ .name = i ? "second" : "first",
                                                .uid = i ? "a" : "b",
                                                .more = "nodeName: n1",
                                                .status = "startTime: '2020-01-01T00:00:00Z'" });
        t_str(t, who_goes(h, &a), upstream ? "default/second" : "default/first");
        host_free(h);
    }
}

static void test_a_lone_pod_of_a_group_ranks_as_a_pod(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        struct mst_preempt_answer a;
        host_node(h, "n1", "cpu: 2", NULL);
        host_gang(h, "single", 1, "priorityClassName: p1");
        runs(h, "older", "n1", 1, NULL, "01");
        runs(h, "younger", "n1", 1, "single", "02");
        t_str(t, who_goes(h, &a), upstream ? "default/older" : "default/younger");
        host_free(h);
    }
}

/* A worker of the group is on a node that nobody knows: upstream cannot look at that. */
static void test_a_unit_on_an_unknown_node(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        struct mst_preempt_answer a;
        host_node(h, "n1", "cpu: 1", NULL);
        host_gang(h, "job", 2, "priorityClassName: p1, disruptionMode: {all: {}}");
        runs(h, "job-0", "n1", 1, "job", "01");
        runs(h, "job-1", "lost", 1, "job", "02");
        t_str(t, who_goes(h, &a), upstream ? "nobody" : "default/job-0");
        t_int(t, a.chosen.pods.n, upstream ? 0 : 2);
        t_int(t, a.rejected.n, upstream);
        host_free(h);
    }
}

/* An empty selector means every pod, one without labels included. */
static void test_a_budget_for_everybody(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        struct mst_preempt_answer a;
        host_node(h, "n1", "cpu: 1", NULL);
        host_apply(h, "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, "
                      "namespace: default}\nspec: {selector: {}, minAvailable: 1}\n"
                      "status: {disruptionsAllowed: 0}\n");
        runs(h, "only", "n1", 1, NULL, "01");
        t_str(t, who_goes(h, &a), "default/only");
        t_int(t, a.chosen.violations, !upstream);
        host_free(h);
    }
}

/*
 * The victim keeps the member away by its own anti-affinity. The plugin skips on the emptied
 * cluster, and upstream goes on skipping it: the victim comes back, the group is stuck for ever.
 */
static void test_a_plugin_that_skipped_is_asked(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct host *h = host_new(upstream);
        struct mst_preempt_answer a;
        host_node(h, "n1", "cpu: 4", NULL);
        host_add(h, (struct host_pod_spec){
                        .name = "v",
                        .priority = 1,
                        .more = "nodeName: n1, affinity: {podAntiAffinity: "
                                "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                                "kubernetes.io/hostname, labelSelector: {matchLabels: {a: "
                                "b}}}]}}" });
        host_gang(h, "g", 1, "priorityClassName: p9");
        host_apply(h, "apiVersion: v1\nkind: Pod\nmetadata: {name: m, namespace: default, labels: "
                      "{a: b}}\nspec: {priorityClassName: p9, schedulingGroup: {podGroupName: g}, "
                      "containers: [{name: c, image: i}]}\n");
        look(h, NULL, "g", &a);
        t_int(t, a.result, MST_PREEMPT_PREEMPTING);
        t_int(t, a.chosen.pods.n, !upstream);
        host_free(h);
    }
}

/* Looking draws no tie from the generator and turns no rotation. */
static void test_looking_changes_nothing(struct mst_test *t)
{
    struct host *h = nodes(false), *twin = nodes(false);
    struct mst_preempt_answer a;
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        host_add(h, (struct host_pod_spec){ .name = name, .priority = 9 });
        host_add(twin, (struct host_pod_spec){ .name = name, .priority = 9 });
        look(h, name, NULL, &a);
    }
    host_run(h);
    host_run(twin);
    t_ok(t, h->log.n > 0);
    t_ok(t, mst_str_eq(host_log(h), host_log(twin)));
    host_free(h);
    host_free(twin);
}

MST_TEST_MAIN(T(test_a_lone_pod), T(test_what_fits_evicts_nobody), T(test_nobody_helps),
              T(test_never), T(test_a_group), T(test_a_group_that_never_preempts),
              T(test_a_group_that_fits), T(test_a_group_that_is_refused), T(test_what_is_held),
              T(test_equal_units_by_uid), T(test_a_lone_pod_of_a_group_ranks_as_a_pod),
              T(test_a_unit_on_an_unknown_node), T(test_a_budget_for_everybody),
              T(test_a_plugin_that_skipped_is_asked), T(test_looking_changes_nothing))
