/*
 * queue_helper.h - a small world for tests of the queue: a cluster, fake plugins, short verbs.
 *
 * The fakes are as simple as rules can be, and pure functions of class, group and event, as the
 * queue demands of hints. A pod's "kind" is the name of its only toleration, so kinds are classes.
 */
#ifndef MST_QUEUE_HELPER_H
#define MST_QUEUE_HELPER_H

#include <stdio.h>

#include "queue/queue_internal.h"

/* Slots of every framework of the world. */
enum { SLOT_GATES, SLOT_GANG, SLOT_FIT, SLOT_TAINT, SLOT_PEND, SLOT_DEAF, SLOT_COUNT };
#define BIT(slot) (UINT64_C(1) << (slot))
#define SEC(s) ((int64_t)(s)*MST_Q_SECOND)
/* Some day in 2023, not on a whole second. */
#define T0 (INT64_C(1700000000) * MST_Q_SECOND + 250000000)
enum { KIND_ANY = -2 };

struct world {
    struct mst_syms *syms;
    struct mst_cluster cluster;
    struct mst_config config;
    struct mst_framework frameworks[2];
    struct mst_queue *queue;
    struct mst_arena arena;
    int64_t now;
    mst_sym ns;
};

/* ---- fake plugins ---- */

static void gates_pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                              struct mst_arena *arena, struct mst_status *out)
{
    (void)instance;
    const struct mst_pod_row *row = &view->cluster->pods.v[pod];
    if (row->gates.n == 0)
        return;
    out->code = MST_UNRESOLVABLE;
    out->reason =
        mst_arena_printf(arena, "waiting for scheduling gates: [%.*s]", MST_ARG(row->gates));
}

static void gang_pre_enqueue(const struct mst_view *view, const void *instance, uint32_t pod,
                             struct mst_arena *arena, struct mst_status *out)
{
    (void)instance, (void)arena;
    uint32_t group = view->cluster->pods.v[pod].group;
    if (group == MST_ROW_NONE)
        return;
    const struct mst_group_row *row = &view->cluster->groups.v[group];
    if ((int64_t)row->all_count >= row->min_count)
        return;
    out->code = MST_UNRESOLVABLE;
    out->reason = MST_STR("waiting for minCount pods from a gang to appear in scheduling queue");
}

static mst_hint hint_self(const struct mst_view *view, const void *instance, uint32_t pod,
                          const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view, (void)instance, (void)klass;
    return event->pod == pod ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint hint_same_group(const struct mst_view *view, const void *instance, uint32_t pod,
                                const struct mst_class *klass,
                                const struct mst_cluster_event *event)
{
    (void)instance, (void)klass;
    uint32_t group =
        event->pod == MST_ROW_NONE ? event->group : view->cluster->pods.v[event->pod].group;
    bool same = group != MST_ROW_NONE && group == view->cluster->pods.v[pod].group;
    return same ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint hint_lowered(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance, (void)klass;
    bool same = event->group == view->cluster->pods.v[pod].group;
    return same && event->new_min_count < event->old_min_count ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

/* Helps pods of kind event->new_min_count. */
static mst_hint hint_kind(const struct mst_view *view, const void *instance, uint32_t pod,
                          const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view, (void)instance, (void)pod;
    bool mine =
        klass->tolerations.n > 0 && (int64_t)klass->tolerations.v[0].key == event->new_min_count;
    return mine || event->new_min_count == KIND_ANY ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration gates_events[] = {
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_GATES_ELIMINATED, hint_self },
};
static const struct mst_event_registration gang_events[] = {
    { MST_ON_UNSCHEDULED_POD, MST_ACT_ADD, hint_same_group },
    { MST_ON_ASSIGNED_POD, MST_ACT_ADD, hint_same_group },
    { MST_ON_POD_GROUP, MST_ACT_ADD, hint_same_group },
    { MST_ON_POD_GROUP, MST_ACT_UPDATE, hint_lowered },
};
static const struct mst_event_registration fit_events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, hint_kind },
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_ALLOCATABLE, hint_kind },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_SCALE_DOWN, hint_self },
};
static const struct mst_event_registration taint_events[] = {
    { MST_ON_NODE, MST_ACT_UPDATE_NODE_TAINT, NULL },
};
static const struct mst_event_registration pend_events[] = {
    { MST_ON_NODE, MST_ACT_UPDATE_NODE_ALLOCATABLE, hint_kind },
};

static const struct mst_plugin fake_plugins[SLOT_COUNT] = {
    [SLOT_GATES] = { .name = "FakeGates",
                     .pre_enqueue = gates_pre_enqueue,
                     .events = gates_events,
                     .event_count = MST_COUNT(gates_events) },
    [SLOT_GANG] = { .name = "FakeGang",
                    .pre_enqueue = gang_pre_enqueue,
                    .events = gang_events,
                    .event_count = MST_COUNT(gang_events) },
    [SLOT_FIT] = { .name = "FakeFit", .events = fit_events, .event_count = MST_COUNT(fit_events) },
    [SLOT_TAINT] = { .name = "FakeTaint",
                     .events = taint_events,
                     .event_count = MST_COUNT(taint_events) },
    [SLOT_PEND] = { .name = "FakePending",
                    .events = pend_events,
                    .event_count = MST_COUNT(pend_events) },
    [SLOT_DEAF] = { .name = "FakeDeaf" },
};

/* ---- the world ---- */

static inline void world_init(struct world *w, bool upstream)
{
    *w = (struct world){ .now = T0 };
    w->syms = mst_syms_new();
    mst_cluster_init(&w->cluster, w->syms);
    w->cluster.groups_enabled = true;
    w->ns = mst_sym_of_text(w->syms, "default");
    w->config.upstream = upstream;
    w->config.initial_backoff_s = 1;
    w->config.max_backoff_s = 10;
    w->config.unschedulable_timeout_s = 300;
    w->config.gates.on[MST_GATE_SchedulerPopFromBackoffQ] = true;
    for (uint32_t i = 0; i < MST_COUNT(w->frameworks); i++) {
        struct mst_framework *fw = &w->frameworks[i];
        fw->view = (struct mst_view){ .cluster = &w->cluster,
                                      .nodes = &w->cluster.nodes,
                                      .syms = w->syms,
                                      .gates = &w->config.gates,
                                      .upstream = upstream };
        fw->profile = i;
        fw->slot_count = SLOT_COUNT;
        for (uint32_t slot = 0; slot < SLOT_COUNT; slot++)
            fw->slots[slot].plugin = &fake_plugins[slot];
        fw->pre_enqueue[0] = SLOT_GATES;
        fw->pre_enqueue[1] = SLOT_GANG;
        fw->pre_enqueue_count = 2;
    }
    struct mst_queue_options options = { .cluster = &w->cluster,
                                         .frameworks = w->frameworks,
                                         .framework_count = MST_COUNT(w->frameworks),
                                         .config = &w->config };
    w->queue = mst_queue_new(&options);
}

static inline void world_done(struct world *w)
{
    mst_queue_free(w->queue);
    mst_cluster_done(&w->cluster);
    mst_syms_free(w->syms);
    mst_arena_done(&w->arena);
}

struct pod_spec {
    const char *name, *group, *gates, *kind;
    int32_t priority;
    uint32_t profile;
};

static inline void make_pod(struct world *w, const struct pod_spec *spec, struct mst_pod *out)
{
    *out = (struct mst_pod){ 0 };
    out->meta.name = mst_arena_str(&w->arena, mst_str_of(spec->name));
    out->meta.uid = out->meta.name;
    out->meta.namespace_ = w->ns;
    out->spec.scheduler_name = mst_sym_of_text(w->syms, "default-scheduler");
    out->spec.priority = (struct mst_opt_int){ spec->priority, true };
    out->spec.group_set = spec->group != NULL;
    out->spec.group_name = mst_arena_str(&w->arena, mst_str_of(spec->group));
    if (spec->gates) {
        out->spec.scheduling_gates.v = MST_NEW(&w->arena, struct mst_str);
        out->spec.scheduling_gates.v[0] = mst_arena_str(&w->arena, mst_str_of(spec->gates));
        out->spec.scheduling_gates.n = 1;
    }
    if (spec->kind) {
        out->spec.tolerations.v = MST_NEW(&w->arena, struct mst_toleration);
        *out->spec.tolerations.v =
            (struct mst_toleration){ .key = mst_sym_of_text(w->syms, spec->kind),
                                     .op = MST_SYM_EMPTY,
                                     .value = MST_SYM_EMPTY,
                                     .effect = MST_SYM_EMPTY };
        out->spec.tolerations.n = 1;
    }
}

static inline int64_t kind_of(struct world *w, const char *kind)
{
    return (int64_t)mst_sym_of_text(w->syms, kind);
}

static inline uint32_t cluster_add(struct world *w, struct pod_spec spec)
{
    struct mst_pod pod;
    make_pod(w, &spec, &pod);
    return mst_cluster_pod_add(&w->cluster, &pod, spec.profile);
}

static inline struct mst_cluster_event event_of(mst_event_resource resource, uint32_t actions)
{
    return (struct mst_cluster_event){ .resource = resource,
                                       .actions = actions,
                                       .label = "Test",
                                       .pod = MST_ROW_NONE,
                                       .group = MST_ROW_NONE,
                                       .old_min_count = -1,
                                       .new_min_count = -1 };
}

static inline struct mst_cluster_event pod_event(mst_event_resource resource, uint32_t actions,
                                                 uint32_t pod)
{
    struct mst_cluster_event event = event_of(resource, actions);
    event.pod = pod;
    return event;
}

/* Something that helps pods of one kind (or KIND_ANY). */
static inline struct mst_cluster_event kind_event(mst_event_resource resource, uint32_t actions,
                                                  int64_t kind)
{
    struct mst_cluster_event event = event_of(resource, actions);
    event.new_min_count = kind;
    return event;
}

static inline void send(struct world *w, struct mst_cluster_event event)
{
    mst_queue_event(w->queue, &event, w->now);
}

/* As the engine does: cluster, queue, event. */
static inline uint32_t add(struct world *w, struct pod_spec spec)
{
    uint32_t row = cluster_add(w, spec);
    mst_queue_pod_added(w->queue, row, w->now);
    send(w, pod_event(MST_ON_UNSCHEDULED_POD, MST_ACT_ADD, row));
    return row;
}

static inline void remove_pod(struct world *w, uint32_t row)
{
    mst_queue_pod_removed(w->queue, row, w->now);
    mst_cluster_pod_remove(&w->cluster, row);
}

struct group_spec {
    const char *name, *parent;
    int64_t min_count; /* 0: basic */
    int32_t priority;
    bool composite;
};

static inline uint32_t cluster_group(struct world *w, struct group_spec spec)
{
    struct mst_pod_group group = { .composite = spec.composite };
    group.meta.name = group.meta.uid = mst_str_of(spec.name);
    group.meta.namespace_ = w->ns;
    group.spec.policy_set = true;
    group.spec.policy = spec.min_count ? MST_POLICY_GANG : MST_POLICY_BASIC;
    group.spec.min_count = spec.min_count;
    group.spec.priority = (struct mst_opt_int){ spec.priority, true };
    group.spec.parent = mst_str_of(spec.parent);
    return mst_cluster_group_set(&w->cluster, &group);
}

static inline uint32_t add_group(struct world *w, struct group_spec spec)
{
    uint32_t row = cluster_group(w, spec);
    mst_queue_group_added(w->queue, row, w->now);
    struct mst_cluster_event event = event_of(MST_ON_POD_GROUP, MST_ACT_ADD);
    event.group = row;
    send(w, event);
    return row;
}

static inline void update_group(struct world *w, struct group_spec spec, int64_t old_min_count)
{
    uint32_t row = cluster_group(w, spec);
    mst_queue_group_updated(w->queue, row, w->now);
    struct mst_cluster_event event = event_of(MST_ON_POD_GROUP, MST_ACT_UPDATE);
    event.group = row;
    event.old_min_count = old_min_count;
    event.new_min_count = spec.min_count;
    send(w, event);
}

static inline void remove_group(struct world *w, uint32_t row)
{
    mst_cluster_group_remove(&w->cluster, row);
    mst_queue_group_removed(w->queue, row, w->now);
}

static inline mst_store store(const struct world *w, uint32_t pod)
{
    return mst_queue_store_of(w->queue, pod, NULL);
}

static inline bool gated(const struct world *w, uint32_t pod)
{
    bool is_gated;
    (void)mst_queue_store_of(w->queue, pod, &is_gated);
    return is_gated;
}

/* The row popped, MST_ROW_NONE when nothing is ready. */
static inline uint32_t pop(struct world *w)
{
    struct mst_popped popped;
    return mst_queue_pop(w->queue, w->now, &popped) ? popped.id : (uint32_t)MST_ROW_NONE;
}

static inline void tick_at(struct world *w, int64_t now)
{
    w->now = now;
    mst_queue_tick(w->queue, now);
}

#endif
