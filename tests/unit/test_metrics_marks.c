/*
 * Histograms of what the engine marks: the stopwatches against a clock that the test moves, each
 * family's labels, and an engine whose clock goes on by a microsecond whenever it is read.
 */
#include "daemon/metrics_marks.h"

#include <stdlib.h>

#include "metrics_helper.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define BIT(part) (UINT32_C(1) << (part))

static int64_t read_clock(void *ctx)
{
    struct world *w = ctx;
    w->now_ns += w->tick_ns;
    return w->now_ns;
}

static void start(struct world *w, bool upstream, const char *config)
{
    world_init(w, upstream, config);
    mst_sched_metrics_set_clock(w->m, read_clock, w);
    w->marks = mst_sched_metrics_marks(w->m);
    w->h->marks = w->marks;
    host_start(w->h);
}

/* The value of a series, -1: there is none. */
static double value(const struct world *w, const char *series)
{
    char begin[300];
    snprintf(begin, sizeof(begin), "\nscheduler_%s ", series);
    const char *at = strstr(w->text.p, begin);
    return at ? strtod(at + strlen(begin), NULL) : -1;
}

#define POINT(kind, point, status)                                                                 \
    "framework_extension_point_duration_seconds_" kind "{extension_point=\"" point                 \
    "\",profile=\"default-scheduler\",status=\"" status "\"}"

/* ---- stopwatches ---- */

static void sample(struct world *w, mst_part part, struct mst_sample labels)
{
    w->marks->sample(w->marks->ctx, part, &labels);
}

static void test_stopwatches(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    void *ctx = w.marks->ctx;
    w.marks->zero(ctx, BIT(MST_PART_FILTER) | BIT(MST_PART_SCORE));
    w.marks->go(ctx, MST_PART_FILTER);
    w.now_ns += 3 * MS;
    w.marks->halt(ctx, MST_PART_FILTER);
    w.marks->halt(ctx, MST_PART_FILTER); /* it stands still already */
    w.now_ns += 70 * MS;                 /* is nobody's */
    w.marks->go(ctx, MST_PART_SCORE);
    w.marks->go(ctx, MST_PART_FILTER); /* goes on; both run */
    w.now_ns += 2 * MS;
    sample(&w, MST_PART_FILTER, (struct mst_sample){ .code = MST_SUCCESS });
    w.now_ns += 1 * MS;
    sample(&w, MST_PART_SCORE, (struct mst_sample){ .code = MST_SUCCESS });
    print(&w);
    want(t, &w, POINT("sum", "Filter", "Success") " 0.005");
    want(t, &w, POINT("count", "Filter", "Success") " 1");
    want(t, &w, POINT("sum", "Score", "Success") " 0.003");
    /* What was shown is forgotten with zero only. */
    sample(&w, MST_PART_FILTER, (struct mst_sample){ .code = MST_ERROR });
    w.marks->zero(ctx, BIT(MST_PART_FILTER));
    sample(&w, MST_PART_FILTER, (struct mst_sample){ .code = MST_SUCCESS });
    print(&w);
    want(t, &w, POINT("sum", "Filter", "Error") " 0.005");
    want(t, &w, POINT("sum", "Filter", "Success") " 0.005");
    want(t, &w, POINT("count", "Filter", "Success") " 2");
    stop(&w);
}

/* ---- families ---- */

static const struct {
    const char *name;
    mst_part part;
    struct mst_sample labels;
    const char *series; /* without scheduler_, _count inside */
} families[] = {
    { "a plugin",
      MST_PART_PLUGIN,
      { .point = MST_PART_NORMALIZE, .plugin = "PodTopologySpread", .code = MST_SUCCESS },
      "plugin_execution_duration_seconds_count{extension_point=\"ScoreExtensionNormalize\","
      "plugin=\"PodTopologySpread\",status=\"Success\"}" },
    { "a hint that helps",
      MST_PART_QUEUE_HINT,
      { .plugin = "NodeAffinity", .event = "NodeAdd", .yes = true },
      "queueing_hint_execution_duration_seconds_count{event=\"NodeAdd\",hint=\"Queue\","
      "plugin=\"NodeAffinity\"}" },
    { "a hint that does not",
      MST_PART_QUEUE_HINT,
      { .plugin = "NodeAffinity", .event = "NodeAdd" },
      "queueing_hint_execution_duration_seconds_count{event=\"NodeAdd\",hint=\"QueueSkip\","
      "plugin=\"NodeAffinity\"}" },
    { "another event",
      MST_PART_QUEUE_HINT,
      { .plugin = "NodeAffinity", .event = "NodeUpdateNodeLabel" },
      "queueing_hint_execution_duration_seconds_count{event=\"NodeUpdateNodeLabel\","
      "hint=\"QueueSkip\",plugin=\"NodeAffinity\"}" },
    { "an event",
      MST_PART_EVENT,
      { .event = "AssignedPodDelete" },
      "event_handling_duration_seconds_count{event=\"AssignedPodDelete\"}" },
    { "preemption for a pod",
      MST_PART_PREEMPTION,
      { .code = MST_SUCCESS },
      "preemption_evaluation_duration_seconds_count{preemptor=\"pod\",result=\"Success\"}" },
    { "preemption for a group",
      MST_PART_PREEMPTION,
      { .code = MST_UNSCHEDULABLE, .group = true },
      "preemption_evaluation_duration_seconds_count{preemptor=\"podgroup\","
      "result=\"Unschedulable\"}" },
    { "a node hint",
      MST_PART_NODE_HINT,
      { .yes = true },
      "get_node_hint_duration_seconds_count{hinted=\"hint\",profile=\"default-scheduler\"}" },
    { "no node hint",
      MST_PART_NODE_HINT,
      { .yes = false },
      "get_node_hint_duration_seconds_count{hinted=\"no_hint\",profile=\"default-scheduler\"}" },
    { "rescoring",
      MST_PART_RESCORE,
      { .profile = 0 },
      "batch_rescore_duration_seconds_count{profile=\"default-scheduler\"}" },
    { "storing",
      MST_PART_STORE,
      { .profile = 0 },
      "store_schedule_results_duration_seconds_count{profile=\"default-scheduler\"}" },
};

static void test_labels(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    for (size_t i = 0; i < MST_COUNT(families); i++)
        for (int twice = 0; twice < 2; twice++)
            sample(&w, families[i].part, families[i].labels);
    print(&w);
    for (size_t i = 0; i < MST_COUNT(families); i++) {
        t_case(t, families[i].name);
        t_ok(t, value(&w, families[i].series) == 2);
    }
    t_case(t, NULL);
    /* Of families that upstream_metrics.h does not know. */
    want(t, &w,
         "queueing_hint_execution_duration_seconds_bucket{event=\"NodeAdd\",hint=\"Queue\","
         "plugin=\"NodeAffinity\",le=\"0.02216837820053101\"} 2");
    want(t, &w,
         "batch_rescore_duration_seconds_bucket{profile=\"default-scheduler\",le=\"0.02048\"} 2");
    stop(&w);
}

/* Every extension point has a name of its own. */
static void test_points_have_names(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    for (uint32_t part = 0; part < MST_PART_POINTS; part++)
        sample(&w, (mst_part)part, (struct mst_sample){ .code = MST_PENDING });
    print(&w);
    uint32_t n = 0;
    for (const char *at = w.text.p; (at = strstr(at, "status=\"Pending\"} 0\n")); at++)
        n++;
    t_int(t, n, MST_PART_POINTS); /* the sums */
    want(t, &w, POINT("count", "PodGroupPostFilter", "Pending") " 1");
    want(t, &w, POINT("count", "PreBindPreFlight", "Pending") " 1");
    stop(&w);
}

/* A point that one plugin does alone is a sample of the plugin, too. */
static void test_a_point_of_one_plugin(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    w.marks->zero(w.marks->ctx, BIT(MST_PART_POST_FILTER));
    w.marks->go(w.marks->ctx, MST_PART_POST_FILTER);
    w.now_ns += 4 * MS;
    sample(&w, MST_PART_POST_FILTER,
           (struct mst_sample){ .code = MST_SUCCESS, .plugin = "DefaultPreemption" });
    print(&w);
    want(t, &w, POINT("sum", "PostFilter", "Success") " 0.004");
    want(t, &w,
         "plugin_execution_duration_seconds_sum{extension_point=\"PostFilter\","
         "plugin=\"DefaultPreemption\",status=\"Success\"} 0.004");
    stop(&w);
}

static void test_reset(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    const struct mst_sample hint = { .plugin = "NodeAffinity", .event = "NodeAdd" };
    for (int i = 0; i < 2; i++) {
        sample(&w, MST_PART_FILTER, (struct mst_sample){ .code = MST_SUCCESS });
        sample(&w, MST_PART_QUEUE_HINT, hint);
        print(&w);
        want(t, &w, POINT("count", "Filter", "Success") " 1");
        want(t, &w,
             "queueing_hint_execution_duration_seconds_count{event=\"NodeAdd\","
             "hint=\"QueueSkip\",plugin=\"NodeAffinity\"} 1");
        mst_sched_metrics_reset(w.m);
    }
    print(&w);
    t_ok(t, value(&w, POINT("count", "Filter", "Success")) < 0);
    stop(&w);
}

/* ---- an engine ---- */

static void test_an_attempt(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_node(w.h, "n2", "cpu: 4", NULL);
    w.tick_ns = US;
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    w.h->binds = HOST_BINDS_HANG;
    host_run(w.h);
    print(&w);
    want(t, &w, "goroutines{operation=\"binding\"} 1");
    want(t, &w, POINT("count", "PreBind", "Success") " 1");
    want(t, &w, POINT("sum", "PreBind", "Success") " 0");
    t_ok(t, value(&w, POINT("count", "Bind", "Success")) < 0);
    w.h->now += 2 * HOST_SECOND;
    host_answer(w.h, w.h->last_bind.id, NULL);
    host_run(w.h);
    print(&w);
    want(t, &w, "goroutines{operation=\"binding\"} 0");
    want(t, &w, POINT("sum", "Bind", "Success") " 2");
    want(t, &w, POINT("count", "PostBind", "Success") " 1");
    want(t, &w, POINT("count", "Permit", "Success") " 1");
    want(t, &w, POINT("count", "Reserve", "Success") " 1");
    want(t, &w, POINT("count", "PreBindPreFlight", "Skip") " 1");
    want(t, &w, POINT("count", "PreEnqueue", "Success") " 1");
    t_ok(t, value(&w, POINT("sum", "PreFilter", "Success")) >= 1e-6);
    t_ok(t, value(&w, POINT("sum", "Filter", "Success")) >= 1e-6);
    t_ok(t, value(&w, POINT("sum", "PreScore", "Success")) >= 1e-6);
    t_ok(t, value(&w, POINT("sum", "Score", "Success")) >= 1e-6);
    t_ok(t, value(&w, "event_handling_duration_seconds_sum{event=\"UnscheduledPodAdd\"}") >= 1e-6);
    stop(&w);
}

static void test_a_bind_that_fails(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    w.h->binds = HOST_BINDS_HANG;
    host_run(w.h);
    w.h->now += HOST_SECOND / 2;
    host_answer(w.h, w.h->last_bind.id, "conflict");
    print(&w);
    want(t, &w, POINT("sum", "Bind", "Error") " 0.5");
    want(t, &w, POINT("count", "Unreserve", "Success") " 1");
    t_ok(t, value(&w, POINT("count", "PostBind", "Success")) < 0);
    want(t, &w, "goroutines{operation=\"binding\"} 0");
    stop(&w);
}

/* The tenth attempt tells of its plugin at Bind. */
static void test_the_binder_as_a_plugin(struct mst_test *t)
{
    struct world w;
    char name[16];
    start(&w, false, NULL);
    host_node(w.h, "n1", "cpu: 99", NULL);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        host_add(w.h, (struct host_pod_spec){ .name = name, .cpu = "1" });
    }
    host_run(w.h);
    print(&w);
    want(t, &w, POINT("count", "Bind", "Success") " 20");
    want(t, &w,
         "plugin_execution_duration_seconds_count{extension_point=\"Bind\","
         "plugin=\"DefaultBinder\",status=\"Success\"} 2");
    stop(&w);
}

static void test_preemption_takes_the_search(struct mst_test *t)
{
    struct world w;
    start(&w, false, NULL);
    host_node(w.h, "n1", "cpu: 2", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "low", .cpu = "2" });
    host_run(w.h);
    w.tick_ns = US;
    host_add(w.h, (struct host_pod_spec){ .name = "high", .cpu = "2", .priority = 9 });
    host_run(w.h);
    print(&w);
    want(t, &w, POINT("count", "PostFilter", "Success") " 1");
    want(t, &w,
         "preemption_evaluation_duration_seconds_count{preemptor=\"pod\",result=\"Success\"} 1");
    t_ok(t, value(&w, POINT("sum", "PostFilter", "Success")) >= 1e-6);
    stop(&w);
}

static void test_gates(struct mst_test *t)
{
    struct host *h = host_with(true, NULL, "GenericWorkload=false");
    struct mst_sched_metrics *m = mst_sched_metrics_new(&h->config);
    const struct mst_marks *marks = mst_sched_metrics_marks(m);
    MST_AUTO(mst_buf) text = { 0 };
    marks->sample(marks->ctx, MST_PART_PREEMPTION, &(struct mst_sample){ .code = MST_SUCCESS });
    mst_sched_metrics_print(m, h->engine, &text);
    mst_buf_char(&text, '\0');
    t_ok(t, !strstr(text.p, "preemption_evaluation"));
    mst_sched_metrics_free(m);
    host_free(h);
}

MST_TEST_MAIN(T(test_stopwatches), T(test_labels), T(test_points_have_names),
              T(test_a_point_of_one_plugin), T(test_reset), T(test_an_attempt),
              T(test_a_bind_that_fails), T(test_the_binder_as_a_plugin),
              T(test_preemption_takes_the_search), T(test_gates))
