/* What the engine marks: which samples an attempt has, and that marks change nothing. */
#include "cycle/engine_internal.h"
#include "engine_helper.h"
#include "mark_recorder.h"
#include "tap.h"

struct world {
    struct host *h;
    struct mark_recorder r;
};

static void start_with(struct world *w, bool upstream, const char *config)
{
    mark_recorder_init(&w->r);
    w->h = host_with(upstream, config, NULL);
    mst_engine_free(w->h->engine);
    w->h->marks = &w->r.marks;
    host_start(w->h);
}

static void start(struct world *w, bool upstream)
{
    start_with(w, upstream, NULL);
}

static void stop(struct world *w)
{
    host_free(w->h);
    mark_recorder_done(&w->r);
}

struct want {
    const char *words;
    uint32_t count;
};

static void wants(struct mst_test *t, const struct world *w, const struct want *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t_case(t, want[i].words);
        t_int(t, mark_count(&w->r, want[i].words), want[i].count);
    }
    t_case(t, NULL);
}
#define WANTS(t, w, ...)                                                                           \
    wants((t), (w), (const struct want[]){ __VA_ARGS__ },                                          \
          MST_COUNT(((const struct want[]){ __VA_ARGS__ })))

static void forget(struct world *w)
{
    w->r.log.n = 0;
}

static void test_a_pod_that_is_bound(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_node(w.h, "n2", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    host_run(w.h);
    WANTS(t, &w, { "pre-enqueue Success ran", 1 }, { "pre-filter Success ran", 1 },
          { "filter Success ran", 1 }, { "pre-score Success ran", 1 }, { "score Success ran", 1 },
          { "reserve Success ran", 1 }, { "permit Success", 1 }, { "pre-flight Skip ran", 1 },
          { "post-bind Success", 1 }, { "post-filter", 0 }, { "unreserve", 0 }, { "sign", 0 },
          { "store", 0 }, { "node-hint", 0 });
    stop(&w);
}

/* kube-scheduler scores nothing where there is no choice. */
static void test_one_feasible_node_is_not_scored(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_node(w.h, "n2", "cpu: 1", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
    host_run(w.h);
    t_ok(t, host_saw(w.h, "bind default/a n1"));
    WANTS(t, &w, { "filter Success ran", 1 }, { "pre-score", 0 }, { "score", 0 });
    stop(&w);
}

/* The class is compiled twice, then it has a place of its own: what is known takes no time. */
static void test_a_known_class_is_not_filtered_again(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_node(w.h, "n2", "cpu: 4", NULL);
    for (int i = 0; i < 2; i++) {
        host_add(w.h, (struct host_pod_spec){ .name = i ? "b" : "a", .cpu = "1" });
        host_run(w.h);
    }
    forget(&w);
    host_add(w.h, (struct host_pod_spec){ .name = "c", .cpu = "1" });
    host_run(w.h);
    /* Of nodes only the one that changed is looked at; plugins that count pods begin anew. */
    WANTS(t, &w, { "pre-filter Success", 1 }, { "filter Success ran", 1 },
          { "pre-score Success", 1 }, { "score Success ran", 1 });
    forget(&w);
    w.h->binds = HOST_BINDS_HANG; /* nothing changes between the two attempts of "d" */
    host_add(w.h, (struct host_pod_spec){ .name = "d", .cpu = "9" });
    host_run(w.h);
    WANTS(t, &w, { "pre-filter Success", 1 }, { "filter Success ran", 1 }, { "score", 0 });
    stop(&w);
}

static void test_a_pod_that_fits_nowhere(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 1", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
    host_run(w.h);
    WANTS(t, &w, { "filter Success ran", 1 }, { "post-filter Unschedulable ran", 1 },
          { "preemption pod Unschedulable ran", 1 }, { "reserve", 0 }, { "permit", 0 });
    forget(&w);
    host_wait(w.h, 20);
    host_node(w.h, "n2", "cpu: 1", NULL);
    WANTS(t, &w, { "hint NodeResourcesFit NodeAdd no ran", 1 }, { "event NodeAdd ran", 1 });
    host_node(w.h, "n3", "cpu: 2", NULL);
    WANTS(t, &w, { "hint NodeResourcesFit NodeAdd yes ran", 1 }, { "event NodeAdd ran", 2 });
    stop(&w);
}

static void test_pre_filter_says_no(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_apply(w.h, "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\nspec:\n"
                    "  containers: [{name: c, image: i}]\n"
                    "  volumes: [{name: v, persistentVolumeClaim: {claimName: none}}]\n");
    host_run(w.h);
    WANTS(t, &w, { "pre-filter UnschedulableAndUnresolvable ran", 1 }, { "filter", 0 },
          { "pre-score", 0 });
    stop(&w);
}

static void test_a_nominated_node_takes_the_pod(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 2", NULL);
    host_node(w.h, "n2", "cpu: 2", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "l1", .cpu = "2" });
    host_add(w.h, (struct host_pod_spec){ .name = "l2", .cpu = "2" });
    host_run(w.h);
    host_add(w.h, (struct host_pod_spec){ .name = "high", .cpu = "2", .priority = 9 });
    host_run(w.h);
    WANTS(t, &w, { "post-filter Success ran", 1 }, { "preemption pod Success ran", 1 });
    forget(&w);
    host_remove(w.h, MST_KIND_POD, host_saw(w.h, "evict default/l1*") ? "l1" : "l2");
    host_wait(w.h, 20);
    WANTS(t, &w, { "event AssignedPodDelete ran", 1 }, { "filter Success ran", 1 }, { "score", 0 },
          { "reserve Success ran", 1 });
    stop(&w);
}

static void test_groups(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 2", NULL);
    host_gang(w.h, "g", 3, NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1", .group = "g" });
    host_add(w.h, (struct host_pod_spec){ .name = "b", .cpu = "1", .group = "g" });
    host_add(w.h, (struct host_pod_spec){ .name = "c", .cpu = "1", .group = "g" });
    host_run(w.h);
    /* Two find a place and give it back; the search for victims tries the group once more. */
    t_ok(t, mark_count(&w.r, "reserve Success ran") >= 2);
    WANTS(t, &w, { "unreserve Success ran", 2 },
          { "group-post-filter UnschedulableAndUnresolvable ran", 1 },
          { "preemption group UnschedulableAndUnresolvable ran", 1 }, { "permit", 0 },
          { "post-filter", 0 }, { "event scheduling.k8s.io/PodGroupAdd ran", 1 });
    t_ok(t, mark_count(&w.r, "feasible Wait ran") >= 1);
    t_ok(t, mark_count(&w.r, "feasible Unschedulable ran") >= 1);
    forget(&w);
    host_wait(w.h, 60);
    host_node(w.h, "n2", "cpu: 2", NULL);
    host_wait(w.h, 60);
    t_ok(t, host_saw(w.h, "bind default/a*"));
    WANTS(t, &w, { "permit Success", 3 }, { "post-bind Success", 3 });
    t_ok(t, mark_count(&w.r, "feasible Success ran") >= 1);
    stop(&w);
}

/* Profile upstream: all but the one that completes the quorum wait at Permit. */
static void test_permit_waits(struct mst_test *t)
{
    struct world w;
    start(&w, true);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_gang(w.h, "g", 2, NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1", .group = "g" });
    host_add(w.h, (struct host_pod_spec){ .name = "b", .cpu = "1", .group = "g" });
    host_run(w.h);
    WANTS(t, &w, { "permit Wait", 1 }, { "permit Success", 1 });
    stop(&w);
}

static void test_a_failed_bind(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    w.h->binds = HOST_BINDS_HANG;
    host_run(w.h);
    host_answer(w.h, w.h->last_bind.id, "conflict");
    WANTS(t, &w, { "unreserve Success ran", 1 }, { "post-bind", 0 });
    stop(&w);
}

static void test_events(struct mst_test *t)
{
    struct world w;
    start(&w, false);
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    host_run(w.h); /* the bind is confirmed by an update with a node */
    WANTS(t, &w, { "event UnscheduledPodAdd ran", 1 }, { "event AssignedPodAdd ran", 1 },
          { "event UnscheduledPodDelete ran", 1 });
    forget(&w);
    host_get(w.h, MST_KIND_NODE, "n1")->u.node.unschedulable = true;
    host_update(w.h, MST_KIND_NODE, "n1");
    host_apply(w.h, "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {x: z}}\n"
                    "status: {allocatable: {cpu: 8, pods: 110}}\n");
    WANTS(t, &w, { "event NodeUpdateNodeLabel ran", 1 },
          { "event NodeUpdateNodeAllocatable ran", 1 });
    host_get(w.h, MST_KIND_POD, "a")->u.pod.meta.generation++;
    host_update(w.h, MST_KIND_POD, "a");
    WANTS(t, &w, { "event AssignedPodUpdate ran", 1 });
    host_remove(w.h, MST_KIND_POD, "a");
    WANTS(t, &w, { "event AssignedPodDelete ran", 1 });
    host_add(w.h, (struct host_pod_spec){ .name = "b", .cpu = "99" });
    host_run(w.h);
    forget(&w); /* its patched status came back as an update */
    host_update(w.h, MST_KIND_POD, "b");
    host_remove(w.h, MST_KIND_POD, "b");
    host_remove(w.h, MST_KIND_NODE, "n1");
    host_apply(w.h, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n"
                    "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}\n");
    WANTS(t, &w, { "event UnscheduledPodUpdate ran", 1 }, { "event UnscheduledPodDelete ran", 1 },
          { "event NodeDelete ran", 1 }, { "event PersistentVolumeAdd ran", 1 });
    stop(&w);
}

/* The tenth attempt has samples of single plugins, those before have none. */
static void test_plugins_in_one_attempt_of_ten(struct mst_test *t)
{
    struct world w;
    char name[16];
    start(&w, false);
    host_node(w.h, "n1", "cpu: 99", NULL);
    host_node(w.h, "n2", "cpu: 99", NULL);
    for (int i = 1; i <= 10; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        host_add(w.h, (struct host_pod_spec){ .name = name, .cpu = i == 10 ? "2" : "1" });
        forget(&w);
        host_run(w.h);
        if (i < 10)
            t_int(t, mark_count(&w.r, "plugin filter") + mark_count(&w.r, "plugin score"), 0);
    }
    t_int(t, mst_engine_cycles(w.h->engine), 10);
    WANTS(t, &w, { "plugin filter NodeResourcesFit Success ran", 1 },
          { "plugin pre-filter NodeResourcesFit Success ran", 1 },
          { "plugin pre-filter NodePorts Skip ran", 1 },
          { "plugin score NodeResourcesFit Success ran", 1 });
    stop(&w);
}

static void test_pre_enqueue_of_plugins(struct mst_test *t)
{
    struct world w;
    char name[16];
    start(&w, false);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        host_add(w.h, (struct host_pod_spec){ .name = name, .cpu = "1" });
    }
    WANTS(t, &w, { "pre-enqueue Success ran", 20 },
          { "plugin pre-enqueue SchedulingGates Success ran", 2 });
    stop(&w);
}

static void test_batching(struct mst_test *t)
{
    /* The default set without default spread constraints: pods can be signed. */
    static const char config[] =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n"
        "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: PodTopologySpreadArgs\n"
        "      defaultingType: List\n";
    struct world w;
    char name[16];
    start_with(&w, true, config);
    for (int i = 1; i <= 4; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        host_node(w.h, name, "cpu: 3", NULL);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        host_add(w.h, (struct host_pod_spec){ .name = name, .cpu = "1" });
    }
    host_run(w.h);
    WANTS(t, &w, { "sign Success ran", 3 }, { "node-hint no ran", 1 }, { "node-hint yes ran", 2 },
          { "rescore ran", 2 }, { "store ran", 3 }, { "score", 1 }, { "filter", 3 });
    stop(&w);
}

/* An attempt that extenders have to answer first has no sample of what it will do again. */
static const char *answer_later(struct host *h, const struct mst_effect *e)
{
    *(uint64_t *)h->extend_ctx = e->id;
    return NULL;
}

static void test_extenders_answer_first(struct mst_test *t)
{
    static const char config[] =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "extenders:\n- {urlPrefix: 'http://x/', filterVerb: filter, nodeCacheCapable: true}\n";
    struct world w;
    uint64_t call = 0;
    start_with(&w, false, config);
    w.h->extend = answer_later;
    w.h->extend_ctx = &call;
    host_node(w.h, "n1", "cpu: 4", NULL);
    host_node(w.h, "n2", "cpu: 4", NULL);
    host_add(w.h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    host_run(w.h);
    WANTS(t, &w, { "pre-filter", 0 }, { "filter", 0 });
    host_answer_call(w.h, call, "{\"NodeNames\":[\"n1\",\"n2\"]}");
    host_run(w.h);
    WANTS(t, &w, { "pre-filter Success", 1 }, { "filter Success", 1 }, { "score Success ran", 1 });
    stop(&w);
}

/* ---- marks change nothing ---- */

static void drive(struct host *h, uint64_t seed)
{
    struct mst_rng rng;
    char name[16];
    mst_rng_init(&rng, seed);
    for (uint32_t i = 0; i < 120; i++) {
        const uint64_t kind = mst_rng_below(&rng, 10);
        snprintf(name, sizeof(name), "x%u", i);
        if (kind < 2)
            host_node(h, name, mst_rng_below(&rng, 2) ? "cpu: 2" : "cpu: 4", NULL);
        else if (kind == 2)
            host_gang(h, name, (int)mst_rng_below(&rng, 4), NULL);
        if (kind == 2)
            for (int k = 0; k < 3; k++)
                host_add(h, (struct host_pod_spec){
                                .name = mst_arena_printf(&h->arena, "%s-%d", name, k).p,
                                .cpu = "1",
                                .group = name });
        else if (kind > 2)
            host_add(h, (struct host_pod_spec){ .name = name,
                                                .cpu = mst_rng_below(&rng, 2) ? "1" : "2",
                                                .priority = (int)mst_rng_below(&rng, 3) });
        if (!h->config.upstream) /* where a gang whose binds all fail is tried without a pause */
            h->binds = mst_rng_below(&rng, 8) ? HOST_BINDS_WORK : HOST_BINDS_FAIL;
        host_wait(h, (int64_t)mst_rng_below(&rng, 3));
    }
    h->binds = HOST_BINDS_WORK;
    host_wait(h, 400);
}

static void test_marks_change_nothing(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct world w;
        const bool upstream = seed % 2 == 0;
        start(&w, upstream);
        struct host *h = host_new(upstream);
        drive(w.h, seed);
        drive(h, seed);
        t_ok(t, w.r.log.n > 1000);
        t_int(t, host_log(w.h).n, host_log(h).n);
        t_ok(t, mst_str_eq(host_log(w.h), host_log(h)));
        host_free(h);
        stop(&w);
    }
}

MST_TEST_MAIN(T(test_a_pod_that_is_bound), T(test_one_feasible_node_is_not_scored),
              T(test_a_known_class_is_not_filtered_again), T(test_a_pod_that_fits_nowhere),
              T(test_pre_filter_says_no), T(test_a_nominated_node_takes_the_pod), T(test_groups),
              T(test_permit_waits), T(test_a_failed_bind), T(test_events),
              T(test_plugins_in_one_attempt_of_ten), T(test_pre_enqueue_of_plugins),
              T(test_batching), T(test_extenders_answer_first), T(test_marks_change_nothing))
