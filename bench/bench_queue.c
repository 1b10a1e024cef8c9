/*
 * bench_queue.c - the scheduling queue with 100,000 pods in it.
 *
 *   queue-100k        pop, fail and return of a lone pod; the peer looks at every waiting pod to
 *                     find the next one.
 *   queue-gang-100k   a gang of 100,000: members arrive one by one, are popped, come back rejected.
 */
#include <stdio.h>

#include "bench.h"

#include "base/rng.h"
#include "queue/queue.h"

enum { PODS = 100000, CYCLES = 1000, PRIORITIES = 10 };

struct scene {
    struct mst_syms *syms;
    struct mst_cluster cluster;
    struct mst_config config;
    struct mst_framework framework;
    struct mst_queue_options options;
    struct mst_queue *queue;
    int64_t now_ns;
    uint32_t group;
    uint32_t *pods;
    /* the peer's whole state */
    int64_t *waits_since;
    int64_t serial;
};

static void scene_init(struct scene *s, bool gang)
{
    *s = (struct scene){ .now_ns = INT64_C(1700000000) * 1000000000 };
    s->syms = mst_syms_new();
    mst_cluster_init(&s->cluster, s->syms);
    s->cluster.groups_enabled = true;
    s->config.initial_backoff_s = 1;
    s->config.unschedulable_timeout_s = 300;
    s->config.max_backoff_s = gang ? 10 : 0; /* 0: what failed is ready again at once */
    s->framework.view.cluster = &s->cluster;
    s->options = (struct mst_queue_options){ .cluster = &s->cluster,
                                             .frameworks = &s->framework,
                                             .framework_count = 1,
                                             .config = &s->config };
    s->pods = mst_calloc(PODS, sizeof(*s->pods));
    s->waits_since = mst_calloc(PODS, sizeof(*s->waits_since));
    mst_sym ns = mst_sym_of_text(s->syms, "default");
    struct mst_pod_group group = { 0 };
    group.meta.namespace_ = ns;
    group.meta.name = MST_STR("gang");
    if (gang)
        s->group = mst_cluster_group_set(&s->cluster, &group);
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    for (uint32_t i = 0; i < PODS; i++) {
        char name[16];
        struct mst_pod pod = { 0 };
        pod.meta.namespace_ = ns;
        pod.meta.name.p = name;
        pod.meta.name.n = (size_t)snprintf(name, sizeof(name), "pod-%u", i);
        pod.spec.priority =
            (struct mst_opt_int){ (int64_t)mst_rng_below(&rng, gang ? 1 : PRIORITIES), true };
        pod.spec.group_set = gang;
        pod.spec.group_name = gang ? MST_STR("gang") : MST_STR_NONE;
        s->pods[i] = mst_cluster_pod_add(&s->cluster, &pod, 0);
        s->waits_since[i] = s->serial++;
    }
}

static void scene_done(struct scene *s)
{
    mst_queue_free(s->queue);
    mst_cluster_done(&s->cluster);
    mst_syms_free(s->syms);
    mst_free(s->pods);
    mst_free(s->waits_since);
}

static void add_all(struct scene *s)
{
    for (uint32_t i = 0; i < PODS; i++)
        mst_queue_pod_added(s->queue, s->pods[i], s->now_ns);
}

static void pop_and_fail(void *ctx)
{
    struct scene *s = ctx;
    for (uint32_t i = 0; i < CYCLES; i++) {
        struct mst_popped popped;
        mst_assert(mst_queue_pop(s->queue, s->now_ns, &popped));
        mst_queue_pod_failed(s->queue, popped.id, 0, 0, s->now_ns);
    }
}

/* The same by looking at all: highest priority, then the longest wait. */
static void scan_and_fail(void *ctx)
{
    struct scene *s = ctx;
    for (uint32_t i = 0; i < CYCLES; i++) {
        uint32_t best = 0;
        for (uint32_t p = 1; p < PODS; p++) {
            int32_t a = s->cluster.pods.v[s->pods[p]].priority;
            int32_t b = s->cluster.pods.v[s->pods[best]].priority;
            if (a > b || (a == b && s->waits_since[p] < s->waits_since[best]))
                best = p;
        }
        s->waits_since[best] = s->serial++;
    }
}

static void bench_lone(void)
{
    struct scene s;
    scene_init(&s, false);
    s.queue = mst_queue_new(&s.options);
    add_all(&s);
    struct mst_bench_case c = { .name = "queue-100k",
                                .unit = "ns",
                                .kind = MST_BENCH_TIME,
                                .amount = CYCLES,
                                .run = pop_and_fail,
                                .peer = "naive scan",
                                .peer_run = scan_and_fail,
                                .ctx = &s };
    mst_bench_measure(&c);
    scene_done(&s);
}

static void gang_prepare(void *ctx)
{
    struct scene *s = ctx;
    mst_queue_free(s->queue);
    s->queue = mst_queue_new(&s->options);
}

static void gang_run(void *ctx)
{
    struct scene *s = ctx;
    add_all(s);
    struct mst_popped popped;
    mst_assert(mst_queue_pop(s->queue, s->now_ns, &popped));
    mst_assert(popped.pod_count == PODS);
    for (uint32_t i = 0; i < PODS; i++)
        mst_queue_member_failed(s->queue, popped.pods[i], 1, 0, s->now_ns);
    mst_queue_group_done(s->queue, s->group, MST_GROUP_REJECTED, s->now_ns);
}

static void bench_gang(void)
{
    struct scene s;
    scene_init(&s, true);
    struct mst_bench_case c = { .name = "queue-gang-100k",
                                .unit = "ns",
                                .kind = MST_BENCH_TIME,
                                .amount = PODS,
                                .run = gang_run,
                                .prepare = gang_prepare,
                                .ctx = &s };
    mst_bench_measure(&c);
    scene_done(&s);
}

MST_BENCH_MAIN(B("queue-100k", bench_lone), B("queue-gang-100k", bench_gang))
