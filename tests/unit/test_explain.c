/* The record of why something is pending: scheduling.md, plus what would change it. */
#include "engine_helper.h"
#include "tap.h"

static void explain(struct host *h, const char *pod, const char *group, struct mst_explanation *out)
{
    MST_AUTO(mst_buf) before = { 0 }, after = { 0 };
    mst_cluster_dump(mst_engine_cluster(h->engine), &before);
    (void)mst_explain(h->engine, group != NULL, group ? host_group(h, group) : host_pod(h, pod),
                      h->now, &h->arena, out, &h->out);
    mst_cluster_dump(mst_engine_cluster(h->engine), &after);
    mst_assert(mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
    mst_engine_check(h->engine);
}

static void test_explain_lone_pod(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "b", "cpu: 1", NULL);
    host_node(h, "a", "cpu: 1", NULL);
    host_node(h, "c", "cpu: 8", "unschedulable: true");
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "1500m" });
    host_run(h);
    struct mst_explanation e;
    explain(h, "p", NULL, &e);
    t_bool(t, e.group, false);
    t_str(t, e.name, "p");
    t_int(t, e.min_count, 1);
    t_int(t, e.members, 1);
    t_int(t, e.queued, 1);
    t_int(t, e.would_fit, 0);
    t_bool(t, e.feasible, false);
    t_str(t, e.state, "unschedulable until something changes");
    t_str(t, e.message,
          "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: "
          "0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
    t_int(t, e.classes.n, 1);
    const struct mst_class_explanation *c = &e.classes.v[0];
    t_str(t, c->request, "cpu 1500m");
    t_int(t, c->node_count, 3);
    t_int(t, c->feasible, 0);
    t_int(t, c->room, 0);
    t_int(t, c->reasons.n, 2);
    t_str(t, c->reasons.v[0].reason, "Insufficient cpu");
    t_str(t, c->reasons.v[0].plugin, "NodeResourcesFit");
    t_int(t, c->reasons.v[0].nodes.n, 2);
    t_str(t, c->reasons.v[0].nodes.v[0], "a"); /* by name */
    t_str(t, c->reasons.v[1].reason, "node(s) were unschedulable");
    t_bool(t, c->reasons.v[1].unresolvable, true);
    host_free(h);
}

static void test_explain_gang(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 5", NULL);
    host_gang(h, "g", 3, NULL);
    for (const char *const *name = (const char *const[]){ "a", "b", "c", NULL }; *name; name++)
        host_add(h, (struct host_pod_spec){ .name = *name, .group = "g", .cpu = "2" });
    host_run(h);
    struct mst_explanation e;
    explain(h, NULL, "g", &e);
    t_bool(t, e.group, true);
    t_int(t, e.policy, MST_POLICY_GANG);
    t_int(t, e.min_count, 3);
    t_int(t, e.queued, 3);
    t_int(t, e.would_fit, 2);
    t_bool(t, e.feasible, false);
    t_str(t, e.state, "unschedulable, in backoff for another 2s");
    t_int(t, e.classes.n, 1);
    t_int(t, e.classes.v[0].placed, 2);
    t_int(t, e.classes.v[0].pods.n, 3);
    t_int(t, e.classes.v[0].room, 2);
    t_str(t, e.classes.v[0].message, "0/1 nodes are available: 1 Insufficient cpu.");
    host_free(h);
}

static void test_explain_states(struct mst_test *t)
{
    struct host *h = host_new(false);
    struct mst_explanation e;
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    explain(h, NULL, "g", &e);
    t_str(t, e.state, "waiting for pods's pod group \"g\" to appear in scheduling queue");
    host_gang(h, "g", 2, NULL);
    explain(h, NULL, "g", &e);
    t_str(t, e.state, "waiting for minCount pods from a gang to appear in scheduling queue");
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    explain(h, NULL, "g", &e);
    t_str(t, e.state, "ready to be tried");
    host_node(h, "n1", "cpu: 2", NULL);
    explain(h, NULL, "g", &e);
    t_bool(t, e.feasible, true);
    t_int(t, e.fixes.v[0].kind, MST_FIX_NOTHING_NEEDED);
    host_run(h);
    explain(h, NULL, "g", &e);
    t_str(t, e.state, "scheduled");
    t_int(t, e.scheduled, 2);
    t_int(t, e.queued, 0);
    host_gang(h, "empty", 2, NULL);
    explain(h, NULL, "empty", &e);
    t_str(t, e.state, "has no pods");
    host_free(h);
}

/* Two classes in one group are told apart. */
static void test_explain_classes(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){ .name = "big", .group = "g", .cpu = "9" });
    host_add(h, (struct host_pod_spec){ .name = "small", .group = "g", .cpu = "1" });
    host_run(h);
    struct mst_explanation e;
    explain(h, NULL, "g", &e);
    t_int(t, e.classes.n, 2);
    t_int(t, e.would_fit, 1);
    t_int(t, e.classes.v[0].placed + e.classes.v[1].placed, 1);
    uint32_t small = e.classes.v[0].placed ? 0 : 1;
    t_int(t, e.classes.v[small].room, 4);
    t_int(t, e.classes.v[1 - small].room, 0);
    host_free(h);
}

static void test_explain_unsupported(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "p",
                    .more = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]" });
    host_run(h);
    struct mst_explanation e;
    explain(h, "p", NULL, &e);
    t_bool(t, e.feasible, false);
    t_int(t, e.classes.v[0].feasible, 0);
    t_int(t, e.classes.v[0].reasons.n, 0);
    t_int(t, e.fixes.n, 0); /* no change of the cluster helps */
    host_free(h);
}

MST_TEST_MAIN(T(test_explain_lone_pod), T(test_explain_gang), T(test_explain_states),
              T(test_explain_classes), T(test_explain_unsupported))
