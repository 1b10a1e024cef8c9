/*
 * bench_engine.c - the engine alone: how many pods it decides in a second.
 *
 * Timed is what a host does once the world is known: mst_engine_step until nothing is left, each
 * bind answered at once. <name>-feed is the time before: mst_engine_event for every node, group and
 * pod, with the making of those objects. All nodes are evaluated for every pod, with the default
 * configuration. The peer is a plain loop over the same plugins (engine_naive.h) for the first pods
 * of the same workload; it must come to the same nodes.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cycle/engine.h"
#include "engine_load.h"
#include "engine_naive.h"
#include "plugins/registry.h"

enum { NOW_NS = 1000000000, RUNS_MAX = 11, SAMPLE_MAX = 256 };

struct world {
    struct mst_load load;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_engine *engine;
    struct mst_effects effects;
    uint32_t pods_to_feed, bound;
};

struct plan {
    const char *name;
    struct mst_load_shape shape;
    uint32_t runs, sample;
    bool as_time; /* milliseconds for all instead of pods per second */
};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_engine: %s\n", what);
    exit(1);
}

static void world_init(struct world *w, const struct mst_load_shape *shape, uint32_t pods_to_feed)
{
    *w = (struct world){ .syms = mst_syms_new(), .pods_to_feed = pods_to_feed };
    w->registry = mst_plugins_registry();
    mst_gates_default(&w->config.gates, false);
    mst_config_default(&w->config, &w->registry);
    struct mst_err err;
    w->engine = mst_engine_new(&(struct mst_engine_options){ .config = &w->config,
                                                             .registry = &w->registry,
                                                             .syms = w->syms },
                               &err);
    check(w->engine, "the engine cannot be made");
    mst_load_init(&w->load, w->syms, shape);
    w->load.scheduler_name = mst_sym_of(w->syms, w->config.profiles.v[0].scheduler_name);
}

static void world_done(struct world *w)
{
    mst_engine_free(w->engine);
    mst_effects_done(&w->effects);
    mst_config_done(&w->config);
    mst_syms_free(w->syms);
}

static void tell(struct world *w, const struct mst_object *object)
{
    struct mst_event event = { .kind = MST_EVENT_SET, .object = object };
    mst_engine_event(w->engine, &event, NOW_NS);
}

static void feed(void *ctx)
{
    struct world *w = ctx;
    for (uint32_t i = 0; i < w->load.shape.node_count; i++)
        tell(w, mst_load_node(&w->load, i));
    for (uint32_t i = 0; i < mst_load_group_count(&w->load); i++)
        tell(w, mst_load_group(&w->load, i));
    for (uint32_t i = 0; i < w->pods_to_feed; i++)
        tell(w, mst_load_pod(&w->load, i));
}

static void schedule(void *ctx)
{
    struct world *w = ctx;
    while (mst_engine_step(w->engine, NOW_NS, &w->effects)) {
        for (uint32_t i = 0; i < w->effects.list.n; i++) {
            if (w->effects.list.v[i].kind != MST_EFFECT_BIND)
                continue;
            struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                                       .effect_id = w->effects.list.v[i].id };
            mst_engine_event(w->engine, &event, NOW_NS);
            w->bound++;
        }
    }
}

/* ---- the peer ---- */

struct peer {
    struct world world;
    uint32_t pods[SAMPLE_MAX], pod_count;
    mst_sym nodes[SAMPLE_MAX];
};

static void peer_run(void *ctx)
{
    struct peer *p = ctx;
    mst_naive_schedule(mst_engine_framework(p->world.engine, 0), p->pods, p->pod_count, p->nodes);
}

static void peer_init(struct peer *p, const struct plan *plan)
{
    check(plan->sample <= SAMPLE_MAX, "sample too large");
    world_init(&p->world, &plan->shape, plan->sample);
    feed(&p->world);
    p->pod_count = plan->sample;
    for (uint32_t i = 0; i < plan->sample; i++)
        p->pods[i] = i; /* rows are given in order of arrival */
}

/* The engine's first decisions are the plain loop's. */
static void compare(const struct peer *p, const struct world *w)
{
    const struct mst_cluster *cluster = mst_engine_cluster(w->engine);
    for (uint32_t i = 0; i < p->pod_count; i++) {
        struct mst_str ours = mst_sym_str(w->syms, cluster->pods.v[i].node_name);
        struct mst_str theirs = mst_sym_str(p->world.syms, p->nodes[i]);
        if (mst_str_eq(ours, theirs))
            continue;
        fprintf(stderr, "bench_engine: pod %u: engine %.*s, plain loop %.*s\n", i, MST_ARG(ours),
                MST_ARG(theirs));
        exit(1);
    }
}

/* ---- measuring ---- */

struct figures {
    double schedule[RUNS_MAX], feed[RUNS_MAX], peer[RUNS_MAX];
};

static void one_run(const struct plan *plan, uint32_t run, struct peer *peer, struct figures *out)
{
    double pods = plan->shape.pod_count;
    struct world w;
    world_init(&w, &plan->shape, plan->shape.pod_count);
    double objects = plan->shape.node_count + mst_load_group_count(&w.load) + pods;
    out->feed[run] = objects / mst_bench_time(feed, &w);
    double seconds = mst_bench_time(schedule, &w);
    out->schedule[run] = plan->as_time ? seconds * 1e3 : pods / seconds;
    check(w.bound == plan->shape.pod_count, "not every pod was bound");
    if (peer) {
        seconds = mst_bench_time(peer_run, peer) / peer->pod_count;
        out->peer[run] = plan->as_time ? seconds * pods * 1e3 : 1 / seconds;
        compare(peer, &w);
    }
    world_done(&w);
    malloc_trim(0); /* the next run starts like this one */
}

static void report(const struct plan *plan, struct figures *f)
{
    struct mst_bench_case c = {
        .name = plan->name,
        .unit = plan->as_time ? "ms" : "pods/s",
        .kind = plan->as_time ? MST_BENCH_TIME : MST_BENCH_RATE,
        .peer = "plain loop",
    };
    mst_bench_report(&c, f->schedule, plan->runs, f->peer, plan->runs);
    char name[64];
    snprintf(name, sizeof(name), "%s-feed", plan->name);
    c = (struct mst_bench_case){ .name = name, .unit = "objects/s", .kind = MST_BENCH_RATE };
    mst_bench_report(&c, f->feed, plan->runs, NULL, 0);
}

static void bench(const struct plan *plan)
{
    mst_assert(plan->runs <= RUNS_MAX);
    struct figures figures;
    if (mst_bench_reduced()) {
        one_run(plan, 0, NULL, &figures);
        return;
    }
    struct peer *peer = mst_calloc(1, sizeof(*peer));
    peer_init(peer, plan);
    one_run(plan, 0, peer, &figures); /* to warm up */
    for (uint32_t run = 0; run < plan->runs; run++)
        one_run(plan, run, peer, &figures);
    report(plan, &figures);
    world_done(&peer->world);
    mst_free(peer);
}

/* ---- the workloads ---- */

static void basic(void)
{
    struct plan plan = {
        .name = "basic-5k",
        .shape = { .node_count = 5000, .pod_count = 50000, .class_count = 4 },
        .runs = 11,
        .sample = 100,
    };
    if (mst_bench_reduced())
        plan.shape.node_count = 500, plan.shape.pod_count = 5000;
    bench(&plan);
}

static void gang_small(void)
{
    struct plan plan = {
        .name = "gang-small-5k",
        .shape = { .node_count = 5000, .pod_count = 9000, .gang_size = 3, .class_count = 4 },
        .runs = 11,
        .sample = 99,
    };
    if (mst_bench_reduced())
        plan.shape.node_count = 500, plan.shape.pod_count = 3000;
    bench(&plan);
}

static void gang_big(void)
{
    struct plan plan = {
        .name = "gang-big-5k",
        .shape = { .node_count = 5000,
                   .pod_count = 5000,
                   .gang_size = 5000,
                   .class_count = 1,
                   .gpu = true },
        .runs = 11,
        .sample = 100,
        .as_time = true,
    };
    if (mst_bench_reduced())
        plan.shape.node_count = plan.shape.pod_count = plan.shape.gang_size = 1000;
    bench(&plan);
}

static void distinct(void)
{
    struct plan plan = {
        .name = "distinct-5k",
        .shape = { .node_count = 5000, .pod_count = 10000, .distinct = true },
        .runs = 11,
        .sample = 100,
    };
    if (mst_bench_reduced())
        plan.shape.node_count = 500, plan.shape.pod_count = 1000;
    bench(&plan);
}

static void huge(void)
{
    struct plan plan = {
        .name = "huge-100k",
        .shape = { .node_count = 100000,
                   .pod_count = 1000000,
                   .gang_size = 1000,
                   .class_count = 8 },
        .runs = 3,
        .sample = 10,
    };
    if (mst_bench_reduced())
        plan.shape.node_count = 2000, plan.shape.pod_count = 4000;
    bench(&plan);
}

MST_BENCH_MAIN(B("basic-5k", basic), B("gang-small-5k", gang_small), B("gang-big-5k", gang_big),
               B("distinct-5k", distinct), B("huge-100k", huge))
