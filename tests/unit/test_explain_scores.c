/* What every plugin says of one pod on every node. */
#include "engine_helper.h"
#include "tap.h"

static const struct mst_node_answer *of(const struct mst_pod_answer *a, const char *node)
{
    for (uint32_t i = 0; i < a->nodes.n; i++)
        if (mst_str_is(a->nodes.v[i].node, node))
            return &a->nodes.v[i];
    return NULL;
}

static void test_explain_scores_sum_up(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n2", "cpu: 8, memory: 8Gi", NULL);
    host_node(h, "n1", "cpu: 4, memory: 8Gi", "taints: [{key: a, effect: PreferNoSchedule}]");
    host_node(h, "n3", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "2" });
    struct mst_pod_answer a;
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.pre_filter, MST_SUCCESS);
    t_int(t, a.nodes.n, 3);
    t_str(t, a.nodes.v[0].node, "n1");
    t_str(t, a.nodes.v[2].node, "n3");
    t_int(t, a.feasible.n, 2);
    t_int(t, a.best.n, 1);
    t_str(t, a.best.v[0], "n2");
    t_str(t, a.host, "n2");
    for (uint32_t i = 0; i < 2; i++) {
        const struct mst_node_answer *n = &a.nodes.v[i];
        int64_t sum = 0;
        t_int(t, n->first.code, MST_SUCCESS);
        for (uint32_t k = 0; k < n->scores.n; k++) {
            sum += n->scores.v[k].weighted;
            t_ok(t, k == 0 || mst_str_cmp(n->scores.v[k - 1].plugin, n->scores.v[k].plugin) < 0);
        }
        t_int(t, sum, n->total);
    }
    /* One untolerated preference: raw 1 of at most 1, the reversed score 0, weight 3. */
    const struct mst_node_answer *n1 = of(&a, "n1");
    const struct mst_score_entry *taint = NULL;
    for (uint32_t k = 0; k < n1->scores.n; k++)
        if (mst_str_is(n1->scores.v[k].plugin, "TaintToleration"))
            taint = &n1->scores.v[k];
    t_ok(t, taint && taint->raw == 1 && taint->normalized == 0 && taint->weighted == 0);
    const struct mst_node_answer *n3 = of(&a, "n3");
    t_int(t, n3->first.code, MST_UNRESOLVABLE); /* an empty one would not do either */
    t_str(t, n3->first.plugin, "NodeResourcesFit");
    t_int(t, n3->first.reasons.n, 1);
    t_str(t, n3->first.reasons.v[0], "Insufficient cpu");
    host_free(h);
}

static void test_explain_scores_of_a_gated_pod(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "p", .cpu = "2", .more = "schedulingGates: [{name: x}]" });
    struct mst_pod_answer a;
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.pre_enqueue_count, 1);
    t_str(t, a.pre_enqueue_plugin[0], "SchedulingGates");
    t_str(t, a.pre_enqueue[0].reason, "waiting for scheduling gates: [x]");
    t_bool(t, a.host.p == NULL, true);
    t_str(t, a.reason, "Unschedulable");
    t_str(t, a.message,
          "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
          "Preemption is not helpful for scheduling.");
    t_int(t, a.post_filter, MST_UNSCHEDULABLE);
    t_str(t, a.post_plugin, "DefaultPreemption");
    t_str(t, a.post_reason,
          "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    t_ok(t, a.nominates && !a.nominated.n);
    host_free(h);
}

/* A pod of a kind that is refused for all nodes at once. */
static void test_explain_scores_refused_everywhere(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "p",
                    .more = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]" });
    struct mst_pod_answer a;
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.pre_filter, MST_UNRESOLVABLE);
    t_int(t, a.pre_filter_reasons.n, 1);
    t_int(t, a.feasible.n, 0);
    t_int(t, a.best.n, 0);
    t_int(t, a.nodes.v[0].first.code, MST_UNRESOLVABLE);
    host_free(h);
}

static void test_explain_scores_ties_and_nothing(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_add(h, (struct host_pod_spec){ .name = "p" });
    struct mst_pod_answer a;
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.nodes.n, 0);
    t_str(t, a.message, "no nodes available to schedule pods");
    host_node(h, "n2", "cpu: 4", NULL);
    host_node(h, "n1", "cpu: 4", NULL);
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.best.n, 2);
    t_str(t, a.host, "n1");
    host_free(h);
}

/* The first plugin decides; the others are asked when somebody wants to know. */
static void test_explain_scores_of_all_plugins(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", "unschedulable: true");
    host_node(h, "n2", "cpu: 8", NULL);
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "2" });
    struct mst_pod_answer a;
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), false, &h->arena, &a, &h->out);
    t_int(t, a.nodes.v[0].all.n, 0);
    (void)mst_explain_scores(h->engine, host_pod(h, "p"), true, &h->arena, &a, &h->out);
    t_str(t, a.nodes.v[0].first.plugin, "NodeUnschedulable");
    t_int(t, a.nodes.v[0].all.n, 2);
    t_str(t, a.nodes.v[0].all.v[0].plugin, "NodeUnschedulable");
    t_str(t, a.nodes.v[0].all.v[1].plugin, "NodeResourcesFit");
    t_int(t, a.nodes.v[0].all.v[1].code, MST_UNRESOLVABLE);
    t_str(t, a.nodes.v[0].all.v[1].reasons.v[0], "Insufficient cpu");
    t_int(t, a.nodes.v[1].all.n, 0);
    t_str(t, a.host, "n2"); /* asking changed nothing */
    host_free(h);
}

MST_TEST_MAIN(T(test_explain_scores_of_all_plugins), T(test_explain_scores_sum_up),
              T(test_explain_scores_of_a_gated_pod), T(test_explain_scores_refused_everywhere),
              T(test_explain_scores_ties_and_nothing))
