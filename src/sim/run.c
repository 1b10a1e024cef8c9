/*
 * run.c - a scenario from its first moment to its last: the engine, the API server and the clock.
 */
#include "sim/run_internal.h"

/* A pod that waits for volumes, or a retry that changes nothing, is given up after this long. */
#define HORIZON_NS (20 * 60 * MST_NS_PER_S)
enum {
    SPINS_MAX = 1000000, /* steps back to back without time moving on: a bug of ours */
    PROGRESS_EVERY = 256,
};

/* Everything that the engine is told goes through here, and so into the recording. */
static void watch(void *ctx, const struct mst_event *event)
{
    struct mst_run *run = ctx;
    if (run->options.recorder)
        mst_recorder_event(run->options.recorder, event, run->clock.now_ns);
    mst_engine_event(run->engine, event, run->clock.now_ns);
}

mst_rc mst_run_init(struct mst_run *run, const struct mst_run_options *options, struct mst_err *err)
{
    mst_assert(!options->retry_unchanged || options->attempts_max);
    mst_assert(options->send || !options->config->extenders.n);
    struct mst_engine_options engine_options = {
        .config = options->config,
        .registry = options->registry,
        .syms = options->scenario->syms,
        .random_ties = options->random_ties,
        .seed = options->seed,
        .log = options->log,
    };
    struct mst_engine *engine = mst_engine_new(&engine_options, err);
    if (!engine)
        return mst_wrap(err, "the scheduler cannot be made");
    *run = (struct mst_run){ .options = *options, .engine = engine };
    mst_clock_init(&run->clock);
    run->change_ns = run->attempt_ns = run->clock.now_ns;
    mst_apiserver_init(&run->server, options->scenario, &run->clock, watch, run);
    run->server.ends_at_once = options->ends_at_once;
    return MST_OK;
}

void mst_run_done(struct mst_run *run)
{
    mst_apiserver_done(&run->server);
    mst_engine_free(run->engine);
    mst_effects_done(&run->effects);
    mst_map_done(&run->entities);
    mst_vec_done(&run->entity_list);
    mst_leftovers_done(&run->leftovers);
}

/* ---- attempts ---- */

static struct mst_run_entity *entity_of(struct mst_run *run, const char *kind, struct mst_str ns,
                                        struct mst_str name)
{
    MST_AUTO(mst_buf) key = { 0 };
    mst_buf_printf(&key, "%s/%.*s/%.*s", kind, MST_ARG(ns), MST_ARG(name));
    uint64_t index;
    if (!mst_map_get(&run->entities, mst_buf_span(&key), &index)) {
        index = run->entity_list.n;
        mst_vec_push(&run->entity_list, (struct mst_run_entity){ .attempts = 0 });
        mst_map_set(&run->entities, mst_buf_span(&key), index);
    }
    return &run->entity_list.v[index];
}

/* Counts the attempt; returns which one of its entity it is, over the whole run. */
static uint32_t note_attempt(struct mst_run *run, const struct mst_effect *effect)
{
    struct mst_run_entity *entity =
        entity_of(run, mst_kind_name(effect->object_kind), effect->ns, effect->name);
    run->attempt_count++;
    run->cycle = effect->cycle;
    run->attempt_ns = run->clock.now_ns;
    entity->attempts++;
    entity->change_seen = run->server.change_count;
    uint32_t max = run->options.attempts_max;
    bool counts = !run->options.attempts_soft || mst_apiserver_next(&run->server) == MST_NEVER;
    if (max && entity->attempts >= max && counts)
        run->attempts_reached = true;
    return entity->attempts;
}

static void take_effect(struct mst_run *run, const struct mst_effect *effect)
{
    struct mst_str error;
    struct mst_effect shown = *effect;
    /* The scheduler forgets an entity that left its queue; people count on. */
    if (effect->kind == MST_EFFECT_ATTEMPT)
        shown.attempt = note_attempt(run, effect);
    if (effect->call)
        mst_run_call(run, effect, watch, &error);
    else
        mst_apiserver_effect(&run->server, effect, &error);
    if (effect->kind == MST_EFFECT_BIND) {
        run->bind_count += !error.n;
        run->bind_failed_count += error.n > 0;
    }
    if (run->options.on_effect)
        run->options.on_effect(run->options.ctx, &shown, run->clock.now_ns - MST_SIM_START_NS,
                               error);
}

static void take_effects(struct mst_run *run)
{
    for (uint32_t i = 0; i < run->effects.list.n; i++)
        take_effect(run, &run->effects.list.v[i]);
}

/* One step of the engine and what follows from it. False when there was nothing to do. */
static bool work(struct mst_run *run)
{
    bool any = mst_engine_step(run->engine, run->clock.now_ns, &run->effects);
    run->step_count++;
    if (run->options.recorder)
        mst_recorder_step(run->options.recorder, &run->effects, run->clock.now_ns);
    take_effects(run);
    while (mst_engine_has_left(run->engine)) {
        /* What follows from the answers belongs to the attempt, not to the next one. */
        mst_engine_flush(run->engine, run->clock.now_ns, &run->effects);
        if (run->options.recorder)
            mst_recorder_flush(run->options.recorder, &run->effects, run->clock.now_ns);
        take_effects(run);
    }
    if (any)
        mst_clock_tick(&run->clock);
    if (run->options.on_progress && run->step_count % PROGRESS_EVERY == 0)
        run->options.on_progress(run->options.ctx, run);
    return any;
}

/* ---- can anything still change? ---- */

/* True for a pod whose next attempt may end differently, or shows one more retry. */
static bool may_move(struct mst_run *run, uint32_t row)
{
    const struct mst_cluster *cluster = mst_engine_cluster(run->engine);
    const struct mst_pod_row *pod = &cluster->pods.v[row];
    bool gated = false;
    if (pod->assumed)
        return true; /* waits for its volumes: its time will run out */
    switch (mst_queue_store_of(mst_engine_queue(run->engine), row, &gated)) {
    case MST_STORE_ACTIVE:
    case MST_STORE_BACKOFF:
    case MST_STORE_ERROR_BACKOFF: break;
    case MST_STORE_UNSCHEDULABLE:
    case MST_STORE_INCOMPLETE:
    case MST_STORE_NONE:
    case MST_STORE_PENDING:
    case MST_STORE_POPPED: return false;
    }
    if (run->options.retry_unchanged)
        return true;
    const struct mst_group_row *group =
        pod->group != MST_ROW_NONE ? &cluster->groups.v[pod->group] : NULL;
    struct mst_str ns = mst_sym_str(cluster->syms, pod->ns);
    const struct mst_run_entity *entity =
        group ? entity_of(run, "PodGroup", ns, group->name) : entity_of(run, "Pod", ns, pod->name);
    return !entity->attempts || entity->change_seen != run->server.change_count;
}

/* True while a pod is held by something that it will be told about (spec/scheduling.md 1.3). */
static bool is_held(struct mst_run *run, uint32_t row)
{
    bool gated = false;
    mst_store store = mst_queue_store_of(mst_engine_queue(run->engine), row, &gated);
    return store == MST_STORE_INCOMPLETE || (store == MST_STORE_UNSCHEDULABLE && gated);
}

/* The latest time to which it is worth going although nothing of the scenario is to come. */
static int64_t worth_until(struct mst_run *run)
{
    const struct mst_cluster *cluster = mst_engine_cluster(run->engine);
    int64_t until_ns = INT64_MIN;
    bool tells = !run->options.config->upstream;
    for (uint32_t row = 0; row < cluster->pods.n; row++) {
        if (!cluster->pods.v[row].live || cluster->pods.v[row].assigned)
            continue;
        int64_t last = run->options.retry_unchanged ? run->attempt_ns : run->change_ns;
        if (may_move(run, row))
            return last + HORIZON_NS;
        if (tells && is_held(run, row))
            until_ns = run->change_ns + (MST_HELD_S + 1) * MST_NS_PER_S;
    }
    return until_ns;
}

/* ---- the loop ---- */

static int64_t until_of(const struct mst_run *run)
{
    return run->options.until_ns == MST_NEVER ? MST_NEVER
                                              : MST_SIM_START_NS + run->options.until_ns;
}

/* What the world does by now. True if it did anything. */
static bool world(struct mst_run *run)
{
    int64_t now_ns = MST_MIN(run->clock.now_ns, until_of(run));
    bool any = false;
    while (mst_apiserver_step(&run->server, now_ns))
        any = true;
    if (run->change_seen != run->server.change_count) {
        run->change_seen = run->server.change_count;
        run->change_ns = run->clock.now_ns;
    }
    return any;
}

void mst_run_load(struct mst_run *run)
{
    while (mst_apiserver_step(&run->server, MST_SIM_START_NS))
        continue;
}

/* Lets the clock run to `at_ns`; how full the cluster is meanwhile goes into the means. */
static void let_pass(struct mst_run *run, int64_t at_ns)
{
    if (run->uses_change != run->server.change_count)
        mst_uses_take(&run->uses, &mst_engine_cluster(run->engine)->nodes);
    run->uses_change = run->server.change_count;
    mst_uses_passed(&run->uses, MST_MAX(at_ns - run->clock.now_ns, (int64_t)0));
    mst_clock_advance(&run->clock, at_ns);
}

/* To the next moment at which something can happen; false when there is none worth waiting for. */
static bool wait_for_next(struct mst_run *run)
{
    int64_t due_ns = mst_apiserver_next(&run->server);
    int64_t next_ns = mst_engine_deadline(run->engine, run->clock.now_ns);
    run->end = MST_RUN_SETTLED;
    if (due_ns == MST_NEVER && (next_ns == MST_NEVER || next_ns > worth_until(run)))
        return false;
    next_ns = MST_MIN(next_ns, due_ns);
    if (next_ns > until_of(run)) {
        let_pass(run, until_of(run));
        run->end = MST_RUN_UNTIL;
        return false;
    }
    if (next_ns <= run->clock.now_ns)
        mst_clock_tick(&run->clock);
    else
        let_pass(run, next_ns);
    return true;
}

static void end(struct mst_run *run)
{
    run->end_ns = run->clock.now_ns;
    mst_uses_take(&run->uses, &mst_engine_cluster(run->engine)->nodes);
    mst_leftovers_collect(run->engine, &run->leftovers);
}

void mst_run_go(struct mst_run *run)
{
    uint32_t spins = 0;
    for (;;) {
        int64_t before_ns = run->clock.now_ns;
        bool any = world(run);
        any |= work(run);
        if (run->attempts_reached) {
            run->end = MST_RUN_ATTEMPTS;
            break;
        }
        if (!any && !wait_for_next(run))
            break;
        bool moved = run->clock.now_ns - before_ns > MST_SIM_TICK_NS;
        spins = any || moved ? 0 : spins + 1;
        mst_assert(spins < SPINS_MAX);
    }
    end(run);
}

int64_t mst_run_elapsed(const struct mst_run *run)
{
    /* Ticks count in microseconds; people and exact durations of scenarios in milliseconds. */
    return (run->end_ns - MST_SIM_START_NS) / 1000000 * 1000000;
}
