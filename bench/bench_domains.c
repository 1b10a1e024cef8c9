/*
 * bench_domains.c - the engine alone with pods that speak about pods: affinity and spreading.
 *
 * Timed is mst_engine_step until nothing is left, each bind answered at once, for the measured
 * pods; nodes and the pods before are there already. All nodes are evaluated for every pod, with
 * the default configuration. The peer is a plain loop over the same plugins (engine_naive.h),
 * which counts all pods anew for each pod; it gets the first of the measured pods and must come to
 * the same nodes.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cycle/engine.h"
#include "domain_load.h"
#include "engine_naive.h"
#include "plugins/registry.h"

enum { NOW_NS = 1000000000, RUNS = 11, SAMPLE = 60 };

struct world {
    struct mst_domain_load load;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_engine *engine;
    struct mst_effects effects;
    uint32_t bound;
};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_domains: %s\n", what);
    exit(1);
}

static void tell(struct world *w, const struct mst_object *object)
{
    struct mst_event event = { .kind = MST_EVENT_SET, .object = object };
    mst_engine_event(w->engine, &event, NOW_NS);
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

static void feed_pods(struct world *w, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        tell(w, mst_domain_pod(&w->load, i));
}

/* A cluster with the pods before in their places, `waiting` of the measured ones in the queue. */
static void world_init(struct world *w, const struct mst_domain_shape *shape, uint32_t waiting)
{
    *w = (struct world){ .syms = mst_syms_new() };
    w->registry = mst_plugins_registry();
    mst_gates_default(&w->config.gates, false);
    mst_config_default(&w->config, &w->registry);
    struct mst_err err;
    w->engine = mst_engine_new(&(struct mst_engine_options){ .config = &w->config,
                                                             .registry = &w->registry,
                                                             .syms = w->syms },
                               &err);
    check(w->engine, "the engine cannot be made");
    mst_domain_load_init(&w->load, w->syms, shape);
    w->load.scheduler_name = mst_sym_of(w->syms, w->config.profiles.v[0].scheduler_name);
    for (uint32_t i = 0; i <= shape->namespace_count; i++)
        tell(w, mst_domain_namespace(&w->load, i));
    if (shape->kind == MST_DOMAIN_SPREAD_LISTS)
        tell(w, mst_domain_service(&w->load));
    for (uint32_t i = 0; i < shape->node_count; i++)
        tell(w, mst_domain_node(&w->load, i));
    feed_pods(w, 0, shape->before_count);
    schedule(w);
    check(w->bound == shape->before_count, "not every pod before was bound");
    feed_pods(w, shape->before_count, shape->before_count + waiting);
}

static void world_done(struct world *w)
{
    mst_engine_free(w->engine);
    mst_effects_done(&w->effects);
    mst_config_done(&w->config);
    mst_syms_free(w->syms);
}

/* ---- the peer ---- */

struct peer {
    struct world world;
    uint32_t pods[SAMPLE];
    mst_sym nodes[SAMPLE];
};

static void peer_run(void *ctx)
{
    struct peer *p = ctx;
    mst_naive_schedule(mst_engine_framework(p->world.engine, 0), p->pods, SAMPLE, p->nodes);
}

static void peer_init(struct peer *p, const struct mst_domain_shape *shape)
{
    world_init(&p->world, shape, SAMPLE);
    for (uint32_t i = 0; i < SAMPLE; i++)
        p->pods[i] = shape->before_count + i; /* rows are given in order of arrival */
}

/* The engine's first decisions are the plain loop's. */
static void compare(const struct peer *p, const struct world *w)
{
    const struct mst_cluster *cluster = mst_engine_cluster(w->engine);
    for (uint32_t i = 0; i < SAMPLE; i++) {
        struct mst_str ours = mst_sym_str(w->syms, cluster->pods.v[p->pods[i]].node_name);
        struct mst_str theirs = mst_sym_str(p->world.syms, p->nodes[i]);
        if (mst_str_eq(ours, theirs))
            continue;
        fprintf(stderr, "bench_domains: pod %u: engine %.*s, plain loop %.*s\n", i, MST_ARG(ours),
                MST_ARG(theirs));
        exit(1);
    }
}

/* ---- measuring ---- */

static double one_run(const struct mst_domain_shape *shape, const struct peer *peer)
{
    struct world w;
    world_init(&w, shape, shape->measured_count);
    double seconds = mst_bench_time(schedule, &w);
    check(w.bound == mst_domain_pod_count(shape), "not every pod was bound");
    if (peer)
        compare(peer, &w);
    world_done(&w);
    malloc_trim(0); /* the next run starts like this one */
    return shape->measured_count / seconds;
}

static void bench(const char *name, struct mst_domain_shape shape)
{
    if (mst_bench_reduced()) {
        shape.before_count /= 10;
        shape.measured_count /= 10;
        (void)one_run(&shape, NULL);
        return;
    }
    double ours[RUNS], theirs[RUNS];
    struct peer *peer = mst_calloc(1, sizeof(*peer));
    peer_init(peer, &shape);
    peer_run(peer);
    (void)one_run(&shape, peer); /* to warm up */
    for (uint32_t run = 0; run < RUNS; run++) {
        ours[run] = one_run(&shape, peer);
        theirs[run] = SAMPLE / mst_bench_time(peer_run, peer);
    }
    struct mst_bench_case c = {
        .name = name, .unit = "pods/s", .kind = MST_BENCH_RATE, .peer = "plain loop"
    };
    mst_bench_report(&c, ours, RUNS, theirs, RUNS);
    world_done(&peer->world);
    mst_free(peer);
}

/* ---- the workloads ---- */

/* The last pod finds one node left. */
static void anti_affinity(void)
{
    bench("anti-affinity-5k", (struct mst_domain_shape){ .kind = MST_DOMAIN_ANTI,
                                                         .node_count = 6000,
                                                         .zone_count = 3,
                                                         .before_count = 1000,
                                                         .measured_count = 5000,
                                                         .namespace_count = 1 });
}

static void with_before(const char *name, mst_domain_kind kind, uint32_t zone_count)
{
    bench(name, (struct mst_domain_shape){ .kind = kind,
                                           .node_count = 5000,
                                           .zone_count = zone_count,
                                           .before_count = 5000,
                                           .measured_count = 5000,
                                           .namespace_count = 1 });
}

static void affinity(void)
{
    with_before("affinity-5k", MST_DOMAIN_AFFINITY, 1);
}

static void preferred(void)
{
    with_before("preferred-5k", MST_DOMAIN_PREFERRED, 3);
}

static void spread(void)
{
    with_before("spread-5k", MST_DOMAIN_SPREAD, 3);
}

static void spread_soft(void)
{
    with_before("spread-soft-5k", MST_DOMAIN_SPREAD_SOFT, 3);
}

static void spread_default(void)
{
    with_before("spread-default-5k", MST_DOMAIN_SPREAD_LISTS, 3);
}

static void ns_selector(void)
{
    bench("ns-selector-6k", (struct mst_domain_shape){ .kind = MST_DOMAIN_NS_SELECTOR,
                                                       .node_count = 6000,
                                                       .zone_count = 3,
                                                       .before_count = 4000,
                                                       .measured_count = 1000,
                                                       .namespace_count = 100 });
}

MST_BENCH_MAIN(B("anti-affinity-5k", anti_affinity), B("affinity-5k", affinity),
               B("preferred-5k", preferred), B("spread-5k", spread),
               B("spread-soft-5k", spread_soft), B("spread-default-5k", spread_default),
               B("ns-selector-6k", ns_selector))
