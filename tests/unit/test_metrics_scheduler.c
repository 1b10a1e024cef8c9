/*
 * kube-scheduler's metrics: what an engine that is driven through a scenario counts, as it is
 * printed. tests/engine_helper.h answers binds and evictions at once, so engine time stands still
 * unless a test moves it.
 */
#include "metrics_helper.h"

/* The default set without default spread constraints: pods can be signed. */
static const char signs[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n"
    "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: PodTopologySpreadArgs\n"
    "      defaultingType: List\n";

/* With a configuration: profile upstream. */
static void start(struct world *w, const char *upstream)
{
    world_init(w, upstream, upstream);
    host_start(w->h);
}

static void want_none(struct mst_test *t, struct world *w, const char *name)
{
    if (strstr(w->text.p, name))
        t_fail(t, "there is a %s", name);
    else
        t_ok(t, true);
}

static void test_scheduled_pods(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    w.h->binds = HOST_BINDS_HANG;
    host_run(w.h);
    print(&w);
    want(t, &w, "cache_size{type=\"assumed_pods\"} 1");
    want(t, &w, "scheduling_algorithm_duration_seconds_bucket{le=\"0.004\"} 1");
    want(t, &w, "scheduling_algorithm_duration_seconds_sum 0.003");
    want_none(t, &w, "schedule_attempts_total{"); /* not before it is bound */
    w.h->now += 2 * HOST_SECOND;
    host_answer(w.h, w.h->last_bind.id, NULL);
    host_run(w.h);
    print(&w);
    want(t, &w, "schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1");
    want(t, &w,
         "scheduling_attempt_duration_seconds_sum{profile=\"default-scheduler\","
         "result=\"scheduled\"} 2");
    want(t, &w, "pod_scheduling_attempts_sum 1");
    want(t, &w, "pod_scheduling_sli_duration_seconds_sum{attempts=\"1\"} 2");
    want(t, &w, "queue_incoming_pods_total{event=\"UnscheduledPodAdd\",queue=\"active\"} 1");
    want(t, &w,
         "queue_incoming_entities_total{event=\"UnscheduledPodAdd\",queue=\"active\","
         "type=\"pod\"} 1");
    want(t, &w, "cache_size{type=\"nodes\"} 1");
    want(t, &w, "cache_size{type=\"pods\"} 1");
    want(t, &w, "pending_pods{queue=\"active\"} 0");
    want(t, &w, "pod_scheduled_after_flush_total 0");
    stop(&w);
}

static void test_a_failed_bind_is_an_error(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    w.h->binds = HOST_BINDS_HANG;
    host_run(w.h);
    w.h->now += HOST_SECOND / 2;
    host_answer(w.h, w.h->last_bind.id, "conflict");
    print(&w);
    want(t, &w, "schedule_attempts_total{profile=\"default-scheduler\",result=\"error\"} 1");
    want(t, &w,
         "scheduling_attempt_duration_seconds_sum{profile=\"default-scheduler\","
         "result=\"error\"} 0.5");
    want(t, &w, "queue_incoming_pods_total{event=\"ScheduleAttemptFailure\",queue=\"backoff\"} 1");
    want(t, &w, "pending_pods{queue=\"backoff\"} 1");
    want_none(t, &w, "queue=\"backoff\",type=\"pod\"} 1\nscheduler_queue_incoming_pods");
    stop(&w);
}

/* Rejected, woken by a node that is too small still, then by one that is not. */
static void test_unschedulable_pods(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    host_node(w.h, "n1", "cpu: 1", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
    host_run(w.h);
    print(&w);
    want(t, &w,
         "schedule_attempts_total{profile=\"default-scheduler\",result=\"unschedulable\"} 1");
    want(t, &w,
         "scheduling_attempt_duration_seconds_sum{profile=\"default-scheduler\","
         "result=\"unschedulable\"} 0.003");
    want(t, &w, "unschedulable_pods{plugin=\"NodeResourcesFit\",profile=\"default-scheduler\"} 1");
    want(t, &w, "pending_pods{queue=\"unschedulable\"} 1");
    want(t, &w, "queued_entities{queue=\"unschedulable\",type=\"pod\"} 1");
    want(t, &w,
         "queue_incoming_pods_total{event=\"ScheduleAttemptFailure\",queue=\"unschedulable\"} 1");
    want_none(t, &w, "event=\"ScheduleAttemptFailure\",queue=\"unschedulable\",type");
    want(t, &w, "preemption_attempts_total 1");
    host_wait(w.h, 20);
    host_node(w.h, "n2", "cpu: 2", NULL);
    host_run(w.h);
    print(&w);
    want(t, &w, "queue_incoming_pods_total{event=\"NodeAdd\",queue=\"active\"} 1");
    want(t, &w, "queue_incoming_entities_total{event=\"NodeAdd\",queue=\"active\",type=\"pod\"} 1");
    want(t, &w, "pod_scheduling_attempts_sum 2");
    want(t, &w, "pod_scheduling_sli_duration_seconds_count{attempts=\"2\"} 1");
    want(t, &w, "unschedulable_pods{plugin=\"NodeResourcesFit\",profile=\"default-scheduler\"} 0");
    want(t, &w, "pending_pods{queue=\"unschedulable\"} 0");
    stop(&w);
}

static void test_gated_pods_and_groups(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "early", .group = "later", .cpu = "1" });
    host_gang(w.h, "g", 3, NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .group = "g", .cpu = "1" });
    host_add(w.h, (struct host_pod_spec){ .name = "b", .group = "g", .cpu = "1" });
    host_run(w.h);
    print(&w);
    want(t, &w, "pending_pods{queue=\"incomplete\"} 1");
    want(t, &w, "pending_pods{queue=\"gated\"} 2");
    want(t, &w, "queued_entities{queue=\"gated\",type=\"podgroup\"} 1");
    host_add(w.h, (struct host_pod_spec){ .name = "c", .group = "g", .cpu = "1" });
    host_run(w.h);
    print(&w);
    want(t, &w,
         "podgroup_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1");
    want(t, &w, "podgroup_scheduling_algorithm_duration_seconds_count 1");
    want(t, &w, "schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 3");
    want(t, &w, "pending_pods{queue=\"gated\"} 0");
    want(t, &w, "pod_scheduling_attempts_count 3");
    stop(&w);
}

static void test_preemption(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    host_node(w.h, "n1", "cpu: 2", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "low1", .cpu = "1" });
    host_add(w.h, (struct host_pod_spec){ .name = "low2", .cpu = "1" });
    host_run(w.h);
    host_add(w.h, (struct host_pod_spec){ .name = "high", .cpu = "2", .priority = 9 });
    host_run(w.h);
    print(&w);
    want(t, &w, "preemption_attempts_total 1");
    want(t, &w, "preemption_victims_sum 2");
    want(t, &w, "preemption_victims_count 1");
    want(t, &w, "preemption_goroutines_execution_total{result=\"success\"} 1");
    want(t, &w,
         "preemption_execution_duration_seconds_count{preemptor=\"pod\",result=\"success\"} 1");
    host_gang(w.h, "g", 2, "priorityClassName: p20");
    host_add(w.h, (struct host_pod_spec){ .name = "m1", .cpu = "3", .group = "g", .priority = 20 });
    host_add(w.h, (struct host_pod_spec){ .name = "m2", .cpu = "3", .group = "g", .priority = 20 });
    host_run(w.h);
    print(&w);
    want(t, &w, "workload_preemption_attempts_total{result=\"Unschedulable\"} 1");
    want(t, &w,
         "podgroup_schedule_attempts_total{profile=\"default-scheduler\","
         "result=\"unschedulable\"} 1");
    stop(&w);
}

static void test_batching(struct mst_test *t)
{
    struct world w;
    start(&w, signs);
    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        host_node(w.h, name, "cpu: 2", NULL);
    }
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        host_add(w.h, (struct host_pod_spec){ .name = name, .cpu = "2" });
    }
    host_run(w.h);
    print(&w);
    want(t, &w, "batch_attempts_total{profile=\"default-scheduler\",result=\"no_hint\"} 1");
    want(t, &w, "batch_attempts_total{profile=\"default-scheduler\",result=\"hint_used\"} 2");
    print(&w); /* nothing is counted twice */
    want(t, &w, "batch_attempts_total{profile=\"default-scheduler\",result=\"hint_used\"} 2");
    stop(&w);
}

static void test_reset(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    mst_sched_metrics_reset(w.m);
    print(&w);
    want(t, &w, "pending_pods{queue=\"gated\"} 0");
    stop(&w);
}

static void test_gates(struct mst_test *t)
{
    struct host *h = host_with(true, NULL, "GenericWorkload=false,SchedulerAsyncPreemption=false");
    struct mst_sched_metrics *m = mst_sched_metrics_new(&h->config);
    MST_AUTO(mst_buf) text = { 0 };
    mst_sched_metrics_print(m, h->engine, &text);
    mst_buf_char(&text, '\0');
    t_ok(t, !strstr(text.p, "podgroup_scheduling"));
    t_ok(t, !strstr(text.p, "workload_preemption"));
    t_ok(t, strstr(text.p, "scheduler_preemption_victims_count 0"));
    mst_sched_metrics_free(m);
    host_free(h);
}

/* An engine that counts does what one that does not count does. */
static void test_counting_changes_nothing(struct mst_test *t)
{
    struct world w;
    start(&w, NULL);
    struct host *h = host_new(false);
    struct host *both[] = { w.h, h };
    for (size_t i = 0; i < MST_COUNT(both); i++) {
        host_node(both[i], "n1", "cpu: 3", NULL);
        host_gang(both[i], "g", 2, NULL);
        host_add(both[i], (struct host_pod_spec){ .name = "a", .cpu = "2", .group = "g" });
        host_add(both[i], (struct host_pod_spec){ .name = "b", .cpu = "2", .group = "g" });
        host_add(both[i], (struct host_pod_spec){ .name = "c", .cpu = "1" });
        host_wait(both[i], 100);
        host_node(both[i], "n2", "cpu: 3", NULL);
        host_run(both[i]);
    }
    MST_AUTO(mst_buf) other = { 0 };
    mst_buf_str(&other, host_log(h));
    mst_buf_char(&other, '\0');
    t_str(t, host_log(w.h), other.p);
    host_free(h);
    stop(&w);
}

MST_TEST_MAIN(T(test_scheduled_pods), T(test_a_failed_bind_is_an_error), T(test_unschedulable_pods),
              T(test_gated_pods_and_groups), T(test_preemption), T(test_batching), T(test_reset),
              T(test_gates), T(test_counting_changes_nothing))
