/*
 * scheduler.c - the engine on an event loop.
 */
#include "daemon/scheduler.h"

#include <event2/event.h>

#include "cluster/volumes.h"
#include "daemon/calls.h"
#include "daemon/clock.h"
#include "daemon/objects.h"

/* Decisions made in one turn of the loop end after this long, so that answers are taken. */
#define TURN_NS (2 * MST_NS_PER_MS)
enum {
    /*
     * Effects that may wait to be carried out before attempts pause. Decisions that nobody can
     * carry out yet are only older than they need be: what comes meanwhile could not overtake them.
     * Status patches yield to all other work, so more of them gather, one for each object.
     */
    BACKLOG_MAX = 2048,
    PENDING_MAX = 32768,
};

struct mst_scheduler {
    struct mst_scheduler_options options;
    struct mst_daemon_clock clock;
    struct mst_engine *engine;
    struct mst_effects effects;
    struct mst_feeds *feeds;
    struct mst_writer *writer;
    struct mst_shadow *shadow;
    struct mst_pod_amounts *amounts; /* NULL: not kept */
    struct mst_calls *calls;         /* NULL: no extenders */
    struct mst_objects objects;
    struct mst_arena overlays; /* see mst_writer_overlay; for one event */
    struct event *turn;        /* the next turn, at once or when the engine wants it */
    bool synced, leads, draining, drained_told;
};

int64_t mst_scheduler_now(const struct mst_scheduler *s)
{
    return mst_daemon_now(&s->clock);
}

/* ---- turns ---- */

static void wake_after(struct mst_scheduler *s, int64_t ns)
{
    const struct timeval after = { ns / MST_NS_PER_S, ns % MST_NS_PER_S / 1000 };
    const int rc = evtimer_add(s->turn, &after);
    mst_assert(rc == 0);
}

/* Something came in: the engine is looked at in the next round of the loop. */
static void wake(struct mst_scheduler *s)
{
    if (s->synced && s->leads)
        wake_after(s, 0);
}

static uint32_t pending(const struct mst_scheduler *s)
{
    return (s->writer ? mst_writer_pending(s->writer) : 0) +
           (s->calls ? mst_calls_pending(s->calls) : 0);
}

/* Without what only tells people. */
static uint32_t backlog(const struct mst_scheduler *s)
{
    return (s->writer ? mst_writer_work_pending(s->writer) : 0) +
           (s->calls ? mst_calls_pending(s->calls) : 0);
}

static bool may_attempt(const struct mst_scheduler *s)
{
    return !s->draining && backlog(s) < BACKLOG_MAX && pending(s) < PENDING_MAX;
}

/* Of the pod, or of a member of the group, that the effect is about. */
static struct mst_str scheduler_name_of(const struct mst_scheduler *s, const struct mst_effect *e)
{
    const struct mst_cluster *cluster = mst_engine_cluster(s->engine);
    const struct mst_config *config = s->options.config;
    const mst_sym ns = mst_sym_of(s->options.syms, e->ns);
    const uint32_t row = mst_cluster_pod(cluster, ns, e->name);
    const uint32_t profile = row == MST_ROW_NONE ? 0 : cluster->pods.v[row].profile;
    return config->profiles.v[profile < config->profiles.n ? profile : 0].scheduler_name;
}

static void take_effect(struct mst_scheduler *s, const struct mst_effect *e)
{
    if (e->kind == MST_EFFECT_ATTEMPT)
        return;
    if (s->shadow && e->kind != MST_EFFECT_EXTENDER)
        mst_shadow_effect(s->shadow, e);
    else if (e->call)
        mst_calls_effect(s->calls, e);
    else
        mst_writer_effect(s->writer, e, scheduler_name_of(s, e));
}

static void take_effects(struct mst_scheduler *s, int64_t began_ns)
{
    if (s->options.stepped)
        s->options.stepped(s->options.ctx, s->engine, mst_mono_now() - began_ns);
    for (uint32_t i = 0; i < s->effects.list.n; i++)
        take_effect(s, &s->effects.list.v[i]);
}

/* One step, without an attempt where none may be made. False: there was nothing to do. */
static bool step(struct mst_scheduler *s)
{
    const int64_t now_ns = mst_scheduler_now(s), began_ns = mst_mono_now();
    struct mst_recorder *recorder = s->options.recorder;
    bool any;
    if (may_attempt(s)) {
        any = mst_engine_step(s->engine, now_ns, &s->effects);
        if (recorder)
            mst_recorder_step(recorder, &s->effects, now_ns);
    } else {
        any = mst_engine_has_left(s->engine);
        mst_engine_flush(s->engine, now_ns, &s->effects);
        if (recorder)
            mst_recorder_flush(recorder, &s->effects, now_ns);
    }
    if (any)
        take_effects(s, began_ns);
    return any;
}

static void tell_drained(struct mst_scheduler *s)
{
    if (!s->draining || s->drained_told || pending(s))
        return;
    s->drained_told = true;
    if (s->options.drained)
        s->options.drained(s->options.ctx);
}

static void on_turn(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_scheduler *s = ctx;
    const int64_t began_ns = mst_mono_now();
    bool any = s->synced && s->leads;
    (void)fd;
    (void)what;
    while (any && mst_mono_now() - began_ns < TURN_NS)
        any = step(s);
    if (any) {
        wake(s);
    } else if (s->synced && s->leads && may_attempt(s)) {
        const int64_t now_ns = mst_scheduler_now(s);
        const int64_t at_ns = mst_engine_deadline(s->engine, now_ns);
        if (at_ns != INT64_MAX)
            wake_after(s, MST_MAX(at_ns - now_ns, (int64_t)0));
    }
    tell_drained(s);
}

/* ---- what comes in ---- */

static void tell_engine(struct mst_scheduler *s, const struct mst_event *event)
{
    const int64_t now_ns = mst_scheduler_now(s);
    if (s->options.recorder)
        mst_recorder_event(s->options.recorder, event, now_ns);
    mst_engine_event(s->engine, event, now_ns);
    wake(s);
}

static bool is_ours(const struct mst_scheduler *s, const struct mst_pod *pod)
{
    const struct mst_config *config = s->options.config;
    const struct mst_str name = mst_sym_str(s->options.syms, pod->spec.scheduler_name);
    for (uint32_t i = 0; i < config->profiles.n; i++)
        if (mst_str_eq(config->profiles.v[i].scheduler_name, name))
            return true;
    return false;
}

static uint32_t row_of(const struct mst_scheduler *s, const struct mst_pod *pod)
{
    return mst_cluster_pod(mst_engine_cluster(s->engine), pod->meta.namespace_, pod->meta.name);
}

/* Its amounts are known: its spec, and so its generation, has not changed, nor has its row. */
static bool has_amounts(const struct mst_scheduler *s, const struct mst_pod *pod)
{
    const uint32_t row = row_of(s, pod);
    if (row == MST_ROW_NONE || pod->meta.generation <= 0)
        return false;
    const struct mst_pod_row *known = &mst_engine_cluster(s->engine)->pods.v[row];
    return known->generation == pod->meta.generation && mst_str_eq(known->uid, pod->meta.uid);
}

/* The engine was told of the pod. */
static void keep_amounts(struct mst_scheduler *s, const struct mst_pod *pod)
{
    const uint32_t row = row_of(s, pod);
    if (row != MST_ROW_NONE)
        mst_pod_amounts_set(s->amounts, row, pod);
}

static void on_set(void *ctx, const struct mst_object *object)
{
    struct mst_scheduler *s = ctx;
    struct mst_object room;
    const struct mst_event event = {
        .kind = MST_EVENT_SET,
        .object = s->writer
                      ? mst_writer_overlay(s->writer, s->options.syms, object, &room, &s->overlays)
                      : object,
    };
    const bool keep = s->amounts && object->kind == MST_KIND_POD && !has_amounts(s, &object->u.pod);
    if (s->calls)
        mst_objects_set(&s->objects, s->options.syms, object);
    if (s->shadow && object->kind == MST_KIND_POD)
        mst_shadow_pod(s->shadow, &object->u.pod, is_ours(s, &object->u.pod));
    tell_engine(s, &event);
    if (keep)
        keep_amounts(s, &object->u.pod);
    mst_arena_reset(&s->overlays);
}

static void on_gone(void *ctx, const struct mst_object *object)
{
    struct mst_scheduler *s = ctx;
    const struct mst_event event = { .kind = MST_EVENT_REMOVE, .object = object };
    if (s->calls)
        mst_objects_gone(&s->objects, s->options.syms, object);
    if (s->shadow && object->kind == MST_KIND_POD)
        mst_shadow_pod_gone(s->shadow, object->u.meta.uid);
    tell_engine(s, &event);
}

static void on_synced(void *ctx)
{
    struct mst_scheduler *s = ctx;
    s->synced = true;
    if (s->options.synced)
        s->options.synced(s->options.ctx);
    wake(s);
}

static void on_answer(void *ctx, const struct mst_event *event)
{
    struct mst_scheduler *s = ctx;
    tell_engine(s, event);
    tell_drained(s);
}

/* Volumes are updated whole and their newest version is what counts; others are patched. */
static const struct mst_object *lookup(void *ctx, mst_kind kind, struct mst_str ns,
                                       struct mst_str name)
{
    struct mst_scheduler *s = ctx;
    mst_vol_kind volume;
    MST_AUTO(mst_buf) key = { 0 };
    if (!mst_volumes_kind(kind, &volume))
        return NULL;
    if (mst_kind_namespaced(kind))
        mst_buf_printf(&key, "%.*s/", MST_ARG(ns));
    mst_buf_str(&key, name);
    const struct mst_stored *stored =
        mst_volumes_get(mst_engine_cluster(s->engine), volume, mst_buf_span(&key));
    return stored ? &stored->object : NULL;
}

static int64_t wall_now(void *ctx)
{
    (void)ctx;
    return mst_wall_now();
}

/* ---- lifecycle ---- */

static void make_writer(struct mst_scheduler *s)
{
    MST_AUTO(mst_buf) instance = { 0 };
    mst_buf_printf(&instance, "%.*s-%s", MST_ARG(s->options.config->profiles.v[0].scheduler_name),
                   s->options.hostname);
    mst_buf_char(&instance, 0);
    const struct mst_writer_options options = {
        .loop = s->options.loop,
        .client = s->options.client,
        .log = s->options.log,
        .events_qps = s->options.events_qps,
        .instance = instance.p,
        .group_version =
            s->options.served.group_version ? s->options.served.group_version : "v1beta1",
        .seed = s->options.seed,
        .now_unix_ns = wall_now,
        .lookup = lookup,
        .answer = on_answer,
        .ctx = s,
    };
    s->writer = mst_writer_new(&options);
}

static void make_shadow(struct mst_scheduler *s)
{
    const struct mst_shadow_options options = { .loop = s->options.loop,
                                                .log = s->options.log,
                                                .syms = s->options.syms,
                                                .answer = on_answer,
                                                .ctx = s };
    s->shadow = mst_shadow_new(&options);
}

static void make_feeds(struct mst_scheduler *s)
{
    const struct mst_feeds_options options = {
        .loop = s->options.loop,
        .client = s->options.client,
        .log = s->options.log,
        .syms = s->options.syms,
        .gates = &s->options.config->gates,
        .upstream = s->options.config->upstream,
        .served = s->options.served,
        .whole = s->calls != NULL,
        .seed = s->options.seed,
        .set = on_set,
        .gone = on_gone,
        .synced = on_synced,
        .ctx = s,
    };
    s->feeds = mst_feeds_new(&options);
}

mst_rc mst_scheduler_new(const struct mst_scheduler_options *options, struct mst_scheduler **out,
                         struct mst_err *err)
{
    const struct mst_engine_options engine_options = {
        .config = options->config,
        .registry = options->registry,
        .syms = options->syms,
        .random_ties = options->random_ties,
        .seed = options->seed,
        .log = options->log,
        .stats = options->stats,
        .marks = options->marks,
    };
    struct mst_scheduler *s = mst_calloc(1, sizeof(*s));
    *s = (struct mst_scheduler){ .options = *options };
    mst_daemon_clock_init(&s->clock);
    s->engine = mst_engine_new(&engine_options, err);
    mst_rc rc = s->engine ? MST_OK : err->rc;
    if (!rc && options->config->extenders.n) {
        const struct mst_calls_options calls = { .loop = options->loop,
                                                 .config = options->config,
                                                 .objects = mst_objects_writer(&s->objects),
                                                 .answer = on_answer,
                                                 .ctx = s };
        rc = mst_calls_new(&calls, &s->calls, err);
    }
    if (rc) {
        mst_scheduler_free(s);
        return rc;
    }
    s->turn = evtimer_new(options->loop, on_turn, s);
    mst_assert(s->turn);
    if (options->dry_run)
        make_shadow(s);
    else
        make_writer(s);
    if (options->keep_amounts)
        s->amounts = mst_pod_amounts_new(options->syms);
    make_feeds(s);
    *out = s;
    return MST_OK;
}

void mst_scheduler_free(struct mst_scheduler *s)
{
    if (!s)
        return;
    mst_feeds_free(s->feeds);
    mst_writer_free(s->writer);
    mst_shadow_free(s->shadow);
    mst_pod_amounts_free(s->amounts);
    mst_calls_free(s->calls);
    mst_objects_done(&s->objects);
    if (s->turn)
        event_free(s->turn);
    mst_effects_done(&s->effects);
    mst_arena_done(&s->overlays);
    mst_engine_free(s->engine);
    mst_free(s);
}

void mst_scheduler_lead(struct mst_scheduler *s)
{
    s->leads = true;
    wake(s);
}

void mst_scheduler_drain(struct mst_scheduler *s)
{
    s->draining = true;
    wake_after(s, 0); /* says so from the loop if there is nothing to wait for */
}

bool mst_scheduler_synced(const struct mst_scheduler *s)
{
    return s->synced;
}

struct mst_engine *mst_scheduler_engine(struct mst_scheduler *s)
{
    return s->engine;
}

const struct mst_feeds *mst_scheduler_feeds(const struct mst_scheduler *s)
{
    return s->feeds;
}

const struct mst_writer *mst_scheduler_writer(const struct mst_scheduler *s)
{
    return s->writer;
}

const struct mst_shadow *mst_scheduler_shadow(const struct mst_scheduler *s)
{
    return s->shadow;
}

const struct mst_pod_amounts *mst_scheduler_amounts(const struct mst_scheduler *s)
{
    return s->amounts;
}
