/*
 * scheduler_rig.h - a scheduler on a loop, between reflectors and a writer that are the test's own.
 *
 * Defines mst_reflector_* and mst_writer_*, which win over those of the library. One rig at a time.
 */
#ifndef MST_SCHEDULER_RIG_H
#define MST_SCHEDULER_RIG_H

#include "daemon/scheduler.h"

#include <event2/event.h>

#include "codec/yaml.h"
#include "plugins/registry.h"

/* ---- reflectors and writer, in place of those of the library ---- */

struct mst_reflector {
    struct mst_reflector_options options;
    char path[96];
};

static struct {
    struct mst_reflector *list[32];
    uint32_t n;
} feeds; /* of the scheduler under test */

struct mst_reflector *mst_reflector_new(const struct mst_reflector_options *options)
{
    struct mst_reflector *r = mst_calloc(1, sizeof(*r));
    r->options = *options;
    mst_assert(strlen(options->path) < sizeof(r->path));
    memcpy(r->path, options->path, strlen(options->path) + 1);
    mst_assert(feeds.n < MST_COUNT(feeds.list));
    return feeds.list[feeds.n++] = r;
}

void mst_reflector_free(struct mst_reflector *r)
{
    mst_free(r);
}

uint32_t mst_reflector_count(const struct mst_reflector *r)
{
    (void)r;
    return 1;
}

struct mst_reflector_stats mst_reflector_stats_of(const struct mst_reflector *r)
{
    (void)r;
    return (struct mst_reflector_stats){ .events = 1 };
}

struct mst_writer {
    struct mst_writer_options options;
    struct mst_buf seen; /* "bind default/a n1\n" */
    uint64_t binds[64];
    uint32_t pending;                   /* binds */
    uint32_t other_work, other_pending; /* what the test says that waits besides */
};

static struct mst_writer *the_writer;

struct mst_writer *mst_writer_new(const struct mst_writer_options *options)
{
    the_writer = mst_calloc(1, sizeof(*the_writer));
    the_writer->options = *options;
    return the_writer;
}

void mst_writer_free(struct mst_writer *writer)
{
    if (writer)
        mst_buf_done(&writer->seen);
    mst_free(writer);
}

void mst_writer_effect(struct mst_writer *w, const struct mst_effect *e,
                       struct mst_str scheduler_name)
{
    if (e->kind == MST_EFFECT_BIND) {
        mst_buf_printf(&w->seen, "bind %.*s/%.*s %.*s\n", MST_ARG(e->ns), MST_ARG(e->name),
                       MST_ARG(e->node));
        mst_assert(w->pending < MST_COUNT(w->binds));
        w->binds[w->pending++] = e->id;
    } else if (e->kind == MST_EFFECT_EVENT) {
        mst_buf_printf(&w->seen, "event by %.*s\n", MST_ARG(scheduler_name));
    }
}

/* Pods named "nominated" have a patch that says so. */
const struct mst_object *mst_writer_overlay(struct mst_writer *writer, struct mst_syms *syms,
                                            const struct mst_object *object,
                                            struct mst_object *room, struct mst_arena *arena)
{
    (void)writer;
    (void)arena;
    if (object->kind != MST_KIND_POD || !mst_str_is(object->u.pod.meta.name, "nominated"))
        return object;
    *room = *object;
    room->u.pod.status.nominated_node_name = mst_sym_of_text(syms, "n1");
    return room;
}

uint32_t mst_writer_pending(const struct mst_writer *writer)
{
    return writer->pending + writer->other_work + writer->other_pending;
}

uint32_t mst_writer_work_pending(const struct mst_writer *writer)
{
    return writer->pending + writer->other_work;
}

/* ---- the rig ---- */

struct rig {
    struct event_base *loop;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_scheduler *scheduler;
    struct mst_arena arena;
    struct mst_diags diags;
    uint32_t synced, drained, steps;
};

static void on_synced(void *ctx)
{
    ((struct rig *)ctx)->synced++;
}

static void on_drained(void *ctx)
{
    ((struct rig *)ctx)->drained++;
}

static void on_stepped(void *ctx, const struct mst_engine *engine, int64_t took_ns)
{
    (void)engine;
    ((struct rig *)ctx)->steps += took_ns >= 0;
}

static inline void rig_init(struct rig *rig, const char *config, bool dry_run)
{
    struct mst_err err;
    *rig = (struct rig){ .loop = event_base_new(), .syms = mst_syms_new() };
    rig->registry = mst_plugins_registry();
    mst_gates_default(&rig->config.gates, false);
    if (config)
        (void)mst_config_read(&rig->config, &rig->registry, rig->syms, mst_str_of(config),
                              &rig->diags);
    else
        mst_config_default(&rig->config, &rig->registry);
    mst_assert(!rig->diags.error_count);
    feeds.n = 0;
    the_writer = NULL;
    const struct mst_scheduler_options options = {
        .loop = rig->loop,
        .syms = rig->syms,
        .config = &rig->config,
        .registry = &rig->registry,
        .served = { .group_version = "v1beta1", .composites = true },
        .hostname = "here",
        .dry_run = dry_run,
        .keep_amounts = true,
        .synced = on_synced,
        .drained = on_drained,
        .stepped = on_stepped,
        .ctx = rig,
    };
    const mst_rc rc = mst_scheduler_new(&options, &rig->scheduler, &err);
    mst_assert(rc == MST_OK);
}

static inline void rig_done(struct rig *rig)
{
    mst_engine_check(mst_scheduler_engine(rig->scheduler));
    mst_scheduler_free(rig->scheduler);
    mst_config_done(&rig->config);
    mst_diags_done(&rig->diags);
    mst_arena_done(&rig->arena);
    mst_syms_free(rig->syms);
    event_base_free(rig->loop);
}

static inline struct mst_reflector *feed_of(mst_kind kind)
{
    for (uint32_t i = 0; i < feeds.n; i++)
        if (feeds.list[i]->options.kind == kind)
            return feeds.list[i];
    mst_assert(!"no reflector of this kind");
    return NULL;
}

static inline bool tell(void *ctx, struct mst_object *object)
{
    const struct rig *rig = ctx;
    struct mst_reflector *r = feed_of(object->kind);
    struct mst_api api = { .syms = rig->syms, .arena = (struct mst_arena *)&rig->arena };
    mst_api_default(&api, object);
    r->options.set(r->options.ctx, object);
    return true;
}

/* Manifests as the reflectors of their kinds would tell them. */
static inline void apply(struct rig *rig, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    struct mst_api api = { .syms = rig->syms, .arena = &rig->arena, .diags = &rig->diags };
    mst_yaml_init(&reader, mst_str_of(yaml));
    while (mst_yaml_next(&reader, &rig->arena, &rig->diags, &doc) == MST_OK)
        mst_api_decode(&api, doc, tell, rig);
    mst_assert(!rig->diags.error_count);
}

static inline void sync_all(void)
{
    for (uint32_t i = 0; i < feeds.n; i++)
        feeds.list[i]->options.synced(feeds.list[i]->options.ctx);
}

/* Everything that is due, and no waiting for what is not. */
static inline void turn(struct rig *rig)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(rig->loop, EVLOOP_NONBLOCK);
}

static inline void answer_binds(void)
{
    while (the_writer->pending) {
        const struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                                         .effect_id = the_writer->binds[--the_writer->pending] };
        the_writer->options.answer(the_writer->options.ctx, &event);
    }
}

#define NODE                                                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"                                           \
    "status: {allocatable: {cpu: 4, pods: 10}}\n---\n"
#define POD_OF(name, scheduler)                                                                    \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: default, uid: u-" name "}\n" \
    "spec: {schedulerName: " scheduler ", containers: [{name: c, image: i, resources:"             \
    " {requests: {cpu: 1}}}]}\n---\n"
#define POD(name) POD_OF(name, "default-scheduler")

#endif
