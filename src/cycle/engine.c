/*
 * engine.c - life of an engine, its steps, and what is shared by all cycles.
 *
 * Invariants: time never goes back; at most one entity is attempted per step; outside of a call no
 *             transaction is open.
 */
#include "cycle/engine_internal.h"

enum { HELD_BATCH = 256 };

static mst_rc make_frameworks(struct mst_engine *engine, struct mst_err *err)
{
    engine->frameworks = mst_calloc(engine->config->profiles.n, sizeof(*engine->frameworks));
    for (uint32_t i = 0; i < engine->config->profiles.n; i++) {
        mst_rc rc =
            mst_framework_init(&engine->frameworks[i], &engine->cluster, engine->config, i, err);
        if (rc)
            return rc;
        engine->framework_count++;
    }
    return MST_OK;
}

struct mst_engine *mst_engine_new(const struct mst_engine_options *options, struct mst_err *err)
{
    struct mst_engine *engine = mst_calloc(1, sizeof(*engine));
    engine->config = options->config;
    engine->syms = options->syms;
    engine->log = options->log;
    engine->stats = options->stats;
    engine->marks = options->marks;
    engine->random_ties = options->random_ties;
    mst_rng_init(&engine->rng, options->seed);
    mst_cluster_init(&engine->cluster, engine->syms);
    engine->cluster.groups_enabled = engine->config->gates.on[MST_GATE_GenericWorkload];
    engine->cluster.ports_as_set = engine->config->upstream;
    engine->cluster.assumes_for_good = engine->config->upstream;
    engine->cluster.fit_scores_whole_pod = !engine->config->upstream;
    engine->cluster.scheduled_is_final = !engine->config->upstream;
    mst_evals_init(&engine->evals, MST_EVAL_BUDGET);
    mst_asks_init(&engine->asks, engine->config);
    if (engine->config->extenders.n)
        engine->evals.asks = &engine->asks;
    engine->dry_cache = mst_dry_cache_new();
    engine->now_ns = INT64_MIN;
    engine->held_poll_ns = INT64_MAX;
    engine->out = &engine->left;
    if (make_frameworks(engine, err)) {
        mst_engine_free(engine);
        return NULL;
    }
    mst_engine_batches_init(engine);
    engine->queue = mst_queue_new(&(struct mst_queue_options){
        .cluster = &engine->cluster,
        .frameworks = engine->frameworks,
        .framework_count = engine->framework_count,
        .config = engine->config,
        .unpops = engine->config->extenders.n > 0,
        .stats = engine->stats ? &engine->stats->queue : NULL,
        .marks = engine->marks,
    });
    return engine;
}

void mst_engine_free(struct mst_engine *engine)
{
    if (!engine)
        return;
    mst_queue_free(engine->queue);
    mst_evals_done(&engine->evals);
    mst_engine_batches_done(engine);
    mst_asks_done(&engine->asks);
    for (uint32_t i = 0; i < engine->framework_count; i++)
        mst_framework_done(&engine->frameworks[i]);
    mst_free(engine->frameworks);
    mst_cluster_done(&engine->cluster);
    for (uint32_t i = 0; i < engine->binds.n; i++)
        mst_free((void *)engine->binds.v[i].uid.p);
    mst_vec_done(&engine->binds);
    for (uint32_t i = 0; i < engine->held.n; i++)
        mst_free(engine->held.v[i].reservation);
    mst_vec_done(&engine->held);
    mst_vec_done(&engine->freed);
    mst_evictions_done(engine);
    mst_dry_cache_free(engine->dry_cache);
    mst_effects_done(&engine->left);
    mst_arena_done(&engine->arena);
    mst_free(engine);
}

/* ---- steps ---- */

/* Members held for a while learn why (profile muster, scheduling.md 1.3). */
static void tell_held(struct mst_engine *engine)
{
    struct mst_held held[HELD_BATCH];
    uint32_t n;
    do {
        n = mst_queue_held(engine->queue, engine->now_ns, &engine->arena, held, HELD_BATCH);
        for (uint32_t i = 0; i < n; i++)
            mst_effect_pod_status(engine, held[i].pod, "NotReadyForScheduling", held[i].text,
                                  MST_NNN_KEEP, MST_SYM_NONE);
        mst_arena_reset(&engine->arena);
    } while (n == HELD_BATCH);
}

static void emit_attempt(struct mst_engine *engine, const struct mst_popped *popped)
{
    struct mst_effect *e =
        mst_effect_add(engine, MST_EFFECT_ATTEMPT,
                       popped->group ? MST_KIND_POD_GROUP : MST_KIND_POD, popped->id);
    e->attempt = popped->attempt;
    if (!popped->group)
        return;
    struct mst_str *pods = MST_NEW_N(&engine->out->arena, struct mst_str, popped->pod_count);
    for (uint32_t i = 0; i < popped->pod_count; i++)
        pods[i] = mst_engine_pod_key(engine, &engine->out->arena, popped->pods[i]);
    e->pods.v = pods;
    e->pods.n = popped->pod_count;
}

/*
 * What the API server tells everybody once the cycle's patches have arrived. A pod that has got its
 * node by then has taken the room that it was promised, or other room: nothing is free by that.
 */
static void tell_freed(struct mst_engine *engine)
{
    for (uint32_t i = 0; i < engine->freed.n; i++)
        if (!engine->cluster.pods.v[engine->freed.v[i]].assumed)
            mst_engine_nomination_freed(engine, engine->freed.v[i]);
    engine->freed.n = 0;
}

void mst_engine_find_ghosts(struct mst_engine *engine)
{
    struct mst_cluster *c = &engine->cluster;
    if (!engine->config->upstream || !c->nominated_pod_count)
        return;
    for (uint32_t row = 0; row < c->nodes.count; row++) {
        uint32_t pod = mst_cluster_nominated_first(c, row);
        for (; pod != MST_ROW_NONE; pod = c->pods.v[pod].nominated_next) {
            bool gated;
            mst_store store = mst_queue_store_of(engine->queue, pod, &gated);
            c->pods.v[pod].ghost = store == MST_STORE_POPPED || store == MST_STORE_NONE;
        }
    }
}

/* What an attempt changes before it is known whether extenders must answer first. */
struct beginning {
    uint32_t effects, next_start;
    uint64_t effect_count;
    struct mst_rng rng;
};

/* As if the attempt had not begun. */
static void take_back(struct mst_engine *engine, const struct beginning *b)
{
    mst_assert(engine->freed.n == 0);
    mst_assert(engine->cluster.txn_depth == 0);
    mst_queue_unpop(engine->queue);
    engine->out->list.n = b->effects;
    engine->effect_count = b->effect_count;
    engine->evals.next_start = b->next_start;
    engine->rng = b->rng;
    engine->cycle--;
}

static bool attempt(struct mst_engine *engine)
{
    struct mst_popped popped;
    const struct beginning b = { engine->out->list.n, engine->evals.next_start,
                                 engine->effect_count, engine->rng };
    if (engine->asks.open || !mst_queue_pop(engine->queue, engine->now_ns, &popped))
        return false;
    engine->cycle++;
    emit_attempt(engine, &popped);
    mst_engine_find_ghosts(engine);
    if (engine->evals.asks)
        mst_engine_begin_asks(engine, popped.group, popped.id, popped.pod_count, false);
    const bool over = popped.group ? mst_engine_group_cycle(engine, &popped)
                                   : mst_engine_pod_cycle(engine, &popped);
    if (over) {
        mst_count_cycle(engine, popped.group);
        mst_asks_end(&engine->asks);
        tell_freed(engine);
    } else {
        take_back(engine, &b);
        mst_engine_send_asks(engine);
    }
    mst_arena_reset(&engine->arena);
    return over;
}

/* Hands out what events left behind: the lists change places. */
static void take_left(struct mst_engine *engine, struct mst_effects *out)
{
    out->list.n = 0;
    mst_arena_reset(&out->arena);
    struct mst_effects empty = *out;
    *out = engine->left;
    engine->left = empty;
}

static void advance(struct mst_engine *engine, int64_t now_ns)
{
    mst_assert(now_ns >= engine->now_ns);
    engine->now_ns = now_ns;
}

/* All that a step does but for the attempt; effects go to `out` from here on. */
static void begin_step(struct mst_engine *engine, int64_t now_ns, struct mst_effects *out)
{
    advance(engine, now_ns);
    take_left(engine, out);
    engine->out = out;
    if (!engine->begun && !engine->config->upstream)
        mst_engine_take_over(engine);
    engine->begun = true;
    mst_queue_tick(engine->queue, now_ns);
    tell_held(engine);
    mst_engine_poll_held(engine);
    mst_evictions_retry(engine);
    mst_awaited_poll(engine);
}

bool mst_engine_step(struct mst_engine *engine, int64_t now_ns, struct mst_effects *out)
{
    begin_step(engine, now_ns, out);
    bool tried = attempt(engine);
    engine->out = &engine->left;
    return tried || out->list.n > 0;
}

void mst_engine_flush(struct mst_engine *engine, int64_t now_ns, struct mst_effects *out)
{
    begin_step(engine, now_ns, out);
    engine->out = &engine->left;
}

bool mst_engine_has_left(const struct mst_engine *engine)
{
    return engine->left.list.n > 0;
}

int64_t mst_engine_deadline(const struct mst_engine *engine, int64_t now_ns)
{
    if (engine->left.list.n)
        return now_ns;
    int64_t deadline_ns = MST_MIN(engine->held_poll_ns, mst_evictions_deadline(engine));
    const int64_t awaited_ns = mst_awaited_deadline(engine);
    deadline_ns = MST_MIN(deadline_ns, awaited_ns);
    return MST_MIN(mst_queue_deadline(engine->queue, now_ns), deadline_ns);
}

bool mst_engine_waits(const struct mst_engine *engine)
{
    return engine->asks.open > 0;
}

uint32_t mst_engine_cycles(const struct mst_engine *engine)
{
    return engine->cycle;
}

/* ---- shared by cycles ---- */

struct mst_str mst_engine_pod_key(const struct mst_engine *engine, struct mst_arena *arena,
                                  uint32_t pod)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    struct mst_str ns = mst_sym_str(engine->syms, p->ns);
    char *text = mst_arena_alloc(arena, ns.n + 1 + p->name.n + 1);
    if (ns.n)
        memcpy(text, ns.p, ns.n);
    text[ns.n] = '/';
    memcpy(text + ns.n + 1, p->name.p, p->name.n + 1);
    return (struct mst_str){ text, ns.n + 1 + p->name.n };
}

struct mst_rng *mst_engine_ties(struct mst_engine *engine)
{
    return engine->random_ties ? &engine->rng : NULL;
}

bool mst_engine_skip_deleting(struct mst_engine *engine, uint32_t pod)
{
    if (!engine->cluster.pods.v[pod].deleting)
        return false;
    struct mst_str key = mst_engine_pod_key(engine, &engine->arena, pod);
    mst_effect_event(engine, pod, true, "FailedScheduling", "Scheduling",
                     mst_arena_printf(&engine->arena, "skip schedule deleting pod: %.*s",
                                      MST_ARG(key)));
    mst_queue_pod_scheduled(engine->queue, pod);
    return true;
}

void mst_engine_fail_pod(struct mst_engine *engine, uint32_t pod, bool member,
                         const struct mst_failure *failure)
{
    bool gated;
    const bool late = mst_queue_store_of(engine->queue, pod, &gated) == MST_STORE_NONE;
    mst_count_failed(engine, pod, failure->error, late);
    if (member)
        mst_queue_member_failed(engine->queue, pod, failure->slots, 0, engine->now_ns);
    else
        mst_queue_pod_failed(engine->queue, pod, failure->slots, 0, engine->now_ns);
    if (failure->nominated == MST_NNN_CLEAR)
        mst_cluster_nominate(&engine->cluster, pod, MST_SYM_NONE);
    else if (failure->nominated == MST_NNN_SET)
        mst_cluster_nominate(&engine->cluster, pod, failure->node);
    mst_effect_event(engine, pod, true, "FailedScheduling", "Scheduling", failure->message);
    mst_effect_pod_status(engine, pod, failure->error ? "SchedulerError" : "Unschedulable",
                          failure->message, failure->nominated, failure->node);
}

/* ---- views ---- */

struct mst_cluster *mst_engine_cluster(struct mst_engine *engine)
{
    return &engine->cluster;
}

struct mst_queue *mst_engine_queue(struct mst_engine *engine)
{
    return engine->queue;
}

const struct mst_framework *mst_engine_framework(const struct mst_engine *engine, uint32_t profile)
{
    mst_assert(profile < engine->framework_count);
    return &engine->frameworks[profile];
}

void mst_engine_check(struct mst_engine *engine)
{
    mst_assert(engine->cluster.txn_depth == 0);
    mst_cluster_check(&engine->cluster);
    mst_queue_check(engine->queue);
    for (uint32_t i = 0; i < engine->cluster.pods.n; i++) {
        const struct mst_pod_row *p = &engine->cluster.pods.v[i];
        if (!p->live)
            continue;
        bool gated;
        mst_store store = mst_queue_store_of(engine->queue, i, &gated);
        bool placed = p->assigned || p->assumed;
        mst_assert(placed == (store == MST_STORE_NONE) || p->deleting);
        mst_assert(store != MST_STORE_POPPED);
    }
}
