/*
 * bench_preempt.c - the engine alone when there is no room: victims for pods and for gangs.
 *
 * Every node is full with ten pods of low priority; whoever comes needs a whole node, or a tenth of
 * one. Timed are engine steps; the host answers evictions at once, outside of the time where single
 * attempts are measured. The default configuration, profile muster.
 *
 * The peer decides the same by asking every plugin anew for every node and every pod that might
 * stay (nothing is kept between questions), for the first preemptors only. Of a gang each member is
 * asked whenever a victim comes back, as kube-scheduler does; its peer does not place the gang.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cycle/engine.h"
#include "plugins/registry.h"
#include "preempt/preempt.h"

enum { NOW_NS = 1000000000, RUNS = 11, PER_NODE = 10, TEXT = 32, PEER_NODES = 20 };
#define WHOLE INT64_C(1000000000)

struct shape {
    uint32_t node_count;
    uint32_t preemptor_count; /* pods */
    uint32_t gang_size;       /* 0: lone pods */
    int64_t cpu;              /* of a preemptor; a node has PER_NODE cores, a victim one */
};

struct world {
    struct shape shape;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_engine *engine;
    struct mst_effects effects;
    struct mst_object object;
    char name[TEXT], uid[TEXT], group[TEXT];
    struct mst_resource resources[3];
    struct mst_container container;
    uint32_t bound, evicted;
    double *seconds; /* of each attempt that evicted somebody */
    uint32_t attempts;
};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_preempt: %s\n", what);
    exit(1);
}

static void tell(struct world *w, mst_event_kind kind, const struct mst_object *object)
{
    struct mst_event event = { .kind = kind, .object = object };
    mst_engine_event(w->engine, &event, NOW_NS);
}

/* ---- objects ---- */

static struct mst_str text(char *to, const char *prefix, uint32_t i)
{
    snprintf(to, TEXT, "%s%06u", prefix, i);
    return mst_str_of(to);
}

static void add_node(struct world *w, uint32_t i)
{
    w->object = (struct mst_object){ .kind = MST_KIND_NODE };
    struct mst_node *node = &w->object.u.node;
    w->resources[0] = (struct mst_resource){ mst_sym_of_text(w->syms, "cpu"),
                                             { .nano = (mst_nano)PER_NODE * WHOLE } };
    w->resources[1] = (struct mst_resource){ mst_sym_of_text(w->syms, "memory"),
                                             { .nano = (mst_nano)(1 << 30) * 64 * WHOLE } };
    w->resources[2] = (struct mst_resource){ mst_sym_of_text(w->syms, "pods"),
                                             { .nano = (mst_nano)110 * WHOLE } };
    node->meta.name = text(w->name, "node-", i);
    node->meta.uid = text(w->uid, "n", i);
    node->allocatable_set = true;
    node->allocatable.v = w->resources;
    node->allocatable.n = 3;
    tell(w, MST_EVENT_SET, &w->object);
}

static void add_pod(struct world *w, const char *prefix, uint32_t i, int64_t cpu, bool victim)
{
    w->object = (struct mst_object){ .kind = MST_KIND_POD };
    struct mst_pod *pod = &w->object.u.pod;
    w->resources[0] =
        (struct mst_resource){ mst_sym_of_text(w->syms, "cpu"), { .nano = (mst_nano)cpu * WHOLE } };
    w->container = (struct mst_container){ .name = MST_STR("c") };
    w->container.resources.requests.v = w->resources;
    w->container.resources.requests.n = 1;
    pod->meta.namespace_ = mst_sym_of_text(w->syms, "default");
    pod->meta.name = text(w->name, prefix, i);
    pod->meta.uid = text(w->uid, prefix, i);
    pod->spec.scheduler_name = mst_sym_of(w->syms, w->config.profiles.v[0].scheduler_name);
    pod->spec.containers.v = &w->container;
    pod->spec.containers.n = 1;
    pod->spec.priority = (struct mst_opt_int){ .value = victim ? i % 3 : 100, .set = true };
    if (victim) {
        char node[TEXT];
        pod->spec.node_name = mst_sym_of(w->syms, text(node, "node-", i / PER_NODE));
        pod->status.start_time = (struct mst_time){ .unix_s = i * 7919 % 100003, .set = true };
    } else if (w->shape.gang_size) {
        pod->spec.group_set = true;
        pod->spec.group_name = text(w->group, "gang-", i / w->shape.gang_size);
    }
    tell(w, MST_EVENT_SET, &w->object);
}

static void add_gang(struct world *w, uint32_t i)
{
    w->object = (struct mst_object){ .kind = MST_KIND_POD_GROUP };
    struct mst_pod_group *group = &w->object.u.group;
    group->meta.namespace_ = mst_sym_of_text(w->syms, "default");
    group->meta.name = text(w->name, "gang-", i);
    group->meta.uid = text(w->uid, "g", i);
    group->spec.policy = MST_POLICY_GANG;
    group->spec.min_count = w->shape.gang_size;
    group->spec.priority = (struct mst_opt_int){ .value = 100, .set = true };
    group->spec.disruption = MST_DISRUPT_SINGLE;
    tell(w, MST_EVENT_SET, &w->object);
}

static void world_init(struct world *w, const struct shape *shape)
{
    *w = (struct world){ .shape = *shape, .syms = mst_syms_new() };
    w->registry = mst_plugins_registry();
    mst_gates_default(&w->config.gates, false);
    mst_config_default(&w->config, &w->registry);
    struct mst_err err;
    w->engine = mst_engine_new(&(struct mst_engine_options){ .config = &w->config,
                                                             .registry = &w->registry,
                                                             .syms = w->syms },
                               &err);
    check(w->engine, "the engine cannot be made");
    for (uint32_t i = 0; i < shape->node_count; i++)
        add_node(w, i);
    for (uint32_t i = 0; i < shape->node_count * PER_NODE; i++)
        add_pod(w, "victim-", i, 1, true);
    for (uint32_t i = 0; shape->gang_size && i < shape->preemptor_count / shape->gang_size; i++)
        add_gang(w, i);
    for (uint32_t i = 0; i < shape->preemptor_count; i++)
        add_pod(w, "pod-", i, shape->cpu, false);
    w->seconds = mst_calloc(shape->preemptor_count, sizeof(double));
}

static void world_done(struct world *w)
{
    mst_free(w->seconds);
    mst_engine_free(w->engine);
    mst_effects_done(&w->effects);
    mst_config_done(&w->config);
    mst_syms_free(w->syms);
}

/* ---- the host ---- */

/* Victims go at once. */
static void answer(struct world *w, const struct mst_effect *effect)
{
    struct mst_event done = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = effect->id };
    if (effect->kind == MST_EFFECT_EVICT) {
        w->object = (struct mst_object){ .kind = MST_KIND_POD };
        w->object.u.meta.namespace_ = mst_sym_of(w->syms, effect->ns);
        w->object.u.meta.name = effect->name;
        tell(w, MST_EVENT_REMOVE, &w->object);
        w->evicted++;
    } else if (effect->kind == MST_EFFECT_BIND) {
        w->bound++;
    } else {
        return;
    }
    mst_engine_event(w->engine, &done, NOW_NS);
}

static void answer_all(struct world *w)
{
    for (;;) {
        for (uint32_t i = 0; i < w->effects.list.n; i++)
            answer(w, &w->effects.list.v[i]);
        if (!mst_engine_has_left(w->engine))
            return;
        mst_engine_flush(w->engine, NOW_NS, &w->effects);
    }
}

static void step(void *ctx)
{
    struct world *w = ctx;
    (void)mst_engine_step(w->engine, NOW_NS, &w->effects);
}

/* Everything, answers included. */
static void run_all(void *ctx)
{
    struct world *w = ctx;
    while (w->bound < w->shape.preemptor_count && mst_engine_step(w->engine, NOW_NS, &w->effects))
        answer_all(w);
}

/* One attempt after another; the time of those that evict somebody is kept. */
static void run_attempts(struct world *w)
{
    for (;;) {
        double seconds = mst_bench_time(step, w);
        uint32_t before = w->evicted;
        bool any = w->effects.list.n > 0;
        answer_all(w);
        if (w->evicted > before)
            w->seconds[w->attempts++] = seconds;
        if (!any)
            return;
    }
}

/* ---- the peer ---- */

/* One question for a lone pod, one per member for a gang. */
static bool all_stay(struct mst_evals *evals, const struct mst_framework *fw, const struct world *w,
                     uint32_t pod, uint32_t row)
{
    bool stay = true;
    for (uint32_t i = 0; i < MST_MAX(w->shape.gang_size, 1u); i++) {
        struct mst_eval *eval = mst_eval_single(evals, fw, pod);
        stay &= mst_eval_verdict(eval, pod, row) == MST_VERDICT_OK;
        mst_eval_free(eval);
    }
    return stay;
}

/*
 * One preemptor, the first nodes: everybody of a node away, then one by one back, with a fresh
 * evaluation of all plugins for each question.
 */
static void peer(void *ctx)
{
    struct world *w = ctx;
    struct mst_cluster *c = mst_engine_cluster(w->engine);
    struct mst_evals evals;
    uint32_t pod = mst_cluster_pod(c, mst_sym_of_text(w->syms, "default"), MST_STR("pod-000000"));
    const struct mst_framework *fw = mst_engine_framework(w->engine, 0);
    mst_evals_init(&evals, 1);
    for (uint32_t row = 0; row < MST_MIN(c->nodes.count, (uint32_t)PEER_NODES); row++) {
        uint32_t mark = mst_txn_begin(c), pods[PER_NODE], n = 0;
        while (c->nodes.first_pod[row] != MST_ROW_NONE) {
            pods[n++] = c->nodes.first_pod[row];
            mst_cluster_unplace(c, pods[n - 1]);
        }
        while (n > 0) {
            mst_cluster_place(c, pods[--n], row);
            if (!all_stay(&evals, fw, w, pod, row))
                mst_cluster_unplace(c, pods[n]);
        }
        mst_txn_rollback(c, mark);
    }
    mst_evals_done(&evals);
}

/* Seconds that the peer would take for one attempt over all nodes it would have to look at. */
static double peer_attempt(struct world *w)
{
    return mst_bench_time(peer, w) * w->shape.node_count / PEER_NODES;
}

/* ---- measuring ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of one attempt: the median of a run, and its worst in a hundred. */
static void attempts(const char *name, struct shape shape)
{
    if (mst_bench_reduced())
        shape.preemptor_count = shape.gang_size ? shape.gang_size : 10;
    double median[RUNS], worst[RUNS], theirs[RUNS];
    uint32_t runs = mst_bench_reduced() ? 1 : RUNS;
    for (uint32_t run = 0; run < runs; run++) {
        struct world w;
        world_init(&w, &shape);
        theirs[run] = mst_bench_reduced() ? 0 : peer_attempt(&w) * 1e3;
        run_attempts(&w);
        check(w.attempts > 0, "nobody was evicted");
        qsort(w.seconds, w.attempts, sizeof(double), ascending);
        median[run] = w.seconds[w.attempts / 2] * 1e3;
        worst[run] = w.seconds[(w.attempts * 99 - 1) / 100] * 1e3;
        world_done(&w);
        malloc_trim(0);
    }
    if (mst_bench_reduced())
        return;
    char tail[TEXT * 2];
    snprintf(tail, sizeof(tail), "%s-p99", name);
    struct mst_bench_case c = {
        .name = name, .unit = "ms", .kind = MST_BENCH_TIME, .peer = "nothing kept"
    };
    mst_bench_report(&c, median, RUNS, theirs, RUNS);
    c.name = tail;
    mst_bench_report(&c, worst, RUNS, theirs, RUNS);
}

static void gang_of_100(void)
{
    attempts("wap-100", (struct shape){ 100, 100, 100, PER_NODE });
}

static void ten_gangs(void)
{
    attempts("wap-10x10", (struct shape){ 100, 100, 10, PER_NODE });
}

static void pods_1k(void)
{
    attempts("pod-preempt-1k", (struct shape){ 1000, 100, 0, PER_NODE });
}

static void pods_5k(void)
{
    struct shape shape = { 5000, mst_bench_reduced() ? 50 : 5000, 0, PER_NODE };
    double ours[RUNS], theirs[RUNS];
    uint32_t runs = mst_bench_reduced() ? 1 : RUNS;
    for (uint32_t run = 0; run < runs; run++) {
        struct world w;
        world_init(&w, &shape);
        theirs[run] = mst_bench_reduced() ? 0 : 1 / peer_attempt(&w);
        ours[run] = shape.preemptor_count / mst_bench_time(run_all, &w);
        check(w.bound == shape.preemptor_count, "not every preemptor was bound");
        world_done(&w);
        malloc_trim(0);
    }
    struct mst_bench_case c = {
        .name = "preempt-5k", .unit = "pods/s", .kind = MST_BENCH_RATE, .peer = "nothing kept"
    };
    if (!mst_bench_reduced())
        mst_bench_report(&c, ours, RUNS, theirs, RUNS);
}

MST_BENCH_MAIN(B("wap-100", gang_of_100), B("wap-10x10", ten_gangs), B("pod-preempt-1k", pods_1k),
               B("preempt-5k", pods_5k))
