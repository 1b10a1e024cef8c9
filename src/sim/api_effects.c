/*
 * api_effects.c - what the scheduler wants done to the objects: bindings and status patches.
 *
 * Source: kubernetes v1.37 pkg/registry/core/pod/storage (assignPod), spec/scheduling.md 2.7, 4.7.
 */
#include "sim/apiserver_internal.h"

static void copy_text(struct mst_apiserver *server, struct mst_str *to, struct mst_str from)
{
    if (!mst_str_eq(*to, from))
        *to = mst_arena_str(&server->arena, from);
}

/* The condition of a type, appended when there is none. */
static struct mst_condition *condition_of(struct mst_apiserver *server, mst_conditions *list,
                                          struct mst_str type)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (mst_str_eq(list->v[i].type, type))
            return &list->v[i];
    struct mst_condition *grown =
        mst_arena_zalloc(&server->arena, list->n + 1, sizeof(struct mst_condition));
    if (list->n)
        memcpy(grown, list->v, list->n * sizeof(*grown));
    grown[list->n].type = mst_arena_str(&server->arena, type);
    list->v = grown;
    return &list->v[list->n++];
}

static void patch_condition(struct mst_apiserver *server, mst_conditions *list,
                            const struct mst_condition *to)
{
    struct mst_condition *c = condition_of(server, list, to->type);
    copy_text(server, &c->status, to->status);
    copy_text(server, &c->reason, to->reason);
    copy_text(server, &c->message, to->message);
    c->observed_generation = to->observed_generation;
    c->last_transition = to->last_transition;
}

/* On binding the server itself says PodScheduled=True, at the end of the list. */
static void say_scheduled(struct mst_apiserver *server, struct mst_pod *pod)
{
    mst_conditions *list = &pod->status.conditions;
    struct mst_condition *fresh =
        mst_arena_zalloc(&server->arena, list->n + 1, sizeof(struct mst_condition));
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (!mst_str_is(list->v[i].type, "PodScheduled"))
            fresh[n++] = list->v[i];
    fresh[n++] =
        (struct mst_condition){ .type = MST_STR("PodScheduled"),
                                .status = MST_STR("True"),
                                .last_transition = { .unix_s = server->clock->now_ns / MST_NS_PER_S,
                                                     .set = true } };
    list->v = fresh;
    list->n = n;
}

/* Why the binding is refused, or an absent span. */
static struct mst_str refusal(struct mst_apiserver *server, struct mst_served *served,
                              const struct mst_effect *effect)
{
    struct mst_arena *arena = &server->arena;
    if (!served || !served->live)
        return mst_arena_printf(arena, "pods \"%.*s\" not found", MST_ARG(effect->name));
    struct mst_pod *pod = &served->object.u.pod;
    if (effect->uid.n && !mst_str_eq(effect->uid, pod->meta.uid))
        return mst_arena_printf(arena,
                                "Operation cannot be fulfilled on pods/binding \"%.*s\": "
                                "Precondition failed: UID in precondition: %.*s, UID in object "
                                "meta: %.*s",
                                MST_ARG(effect->name), MST_ARG(effect->uid),
                                MST_ARG(pod->meta.uid));
    if (pod->meta.deleted.set || served->bound_ns != MST_NEVER || pod->spec.scheduling_gates.n)
        return mst_arena_printf(arena,
                                "Operation cannot be fulfilled on pods/binding \"%.*s\": pod %.*s "
                                "cannot be bound",
                                MST_ARG(effect->name), MST_ARG(effect->name));
    uint32_t to_fail = server->scenario->docs.v[served->doc].fail_binds;
    if (served->binds_failed < to_fail) {
        served->binds_failed++;
        return mst_arena_printf(arena, "simulated failure %u of %u of binding pod \"%.*s\"",
                                served->binds_failed, to_fail, MST_ARG(effect->name));
    }
    return MST_STR_NONE;
}

void mst_apiserver_bind(struct mst_apiserver *server, const struct mst_effect *effect,
                        struct mst_str *ret_error)
{
    struct mst_served *served = mst_apiserver_find(server, MST_KIND_POD, effect->ns, effect->name);
    *ret_error = refusal(server, served, effect);
    server->change_count++;
    if (ret_error->n)
        return;
    struct mst_pod *pod = &served->object.u.pod;
    pod->spec.node_name = mst_sym_of(server->syms, effect->node);
    pod->status.nominated_node_name = MST_SYM_NONE;
    say_scheduled(server, pod);
    mst_apiserver_started(server, served);
    mst_apiserver_publish(server, served); /* the watch is faster than the answer */
}

static void bind(struct mst_apiserver *server, const struct mst_effect *effect,
                 struct mst_str *ret_error)
{
    struct mst_event answer = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = effect->id };
    mst_apiserver_bind(server, effect, ret_error);
    if (ret_error->n) {
        answer.kind = MST_EVENT_EFFECT_FAILED;
        answer.reason = *ret_error;
    }
    server->watcher(server->watcher_ctx, &answer);
}

static void patch(struct mst_apiserver *server, const struct mst_effect *effect,
                  struct mst_str *ret_error)
{
    struct mst_served *served =
        mst_apiserver_find(server, effect->object_kind, effect->ns, effect->name);
    if (!served || !served->live ||
        (effect->uid.n && !mst_str_eq(effect->uid, served->object.u.meta.uid))) {
        *ret_error = MST_STR("not found"); /* the scheduler only logs it */
        return;
    }
    bool is_pod = served->object.kind == MST_KIND_POD;
    mst_conditions *list =
        is_pod ? &served->object.u.pod.status.conditions : &served->object.u.group.conditions;
    if (effect->condition_set)
        patch_condition(server, list, &effect->condition);
    if (effect->nominated_set && is_pod)
        served->object.u.pod.status.nominated_node_name =
            effect->nominated.n ? mst_sym_of(server->syms, effect->nominated) : MST_SYM_NONE;
    mst_apiserver_publish(server, served);
}

/* The victim of a preemption: marked, then deleted, unless it is gone or another one by now. */
static void evict(struct mst_apiserver *server, const struct mst_effect *effect)
{
    struct mst_served *served = mst_apiserver_find(server, MST_KIND_POD, effect->ns, effect->name);
    struct mst_event answer = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = effect->id };
    answer.gone = !served || !served->live || !mst_str_eq(effect->uid, served->object.u.meta.uid);
    if (!answer.gone) {
        if (effect->condition_set) {
            patch_condition(server, &served->object.u.pod.status.conditions, &effect->condition);
            mst_apiserver_publish(server, served);
        }
        mst_apiserver_delete(server, served);
    }
    server->watcher(server->watcher_ctx, &answer);
}

/* Counts attempts at what reports list: the entity, and the members that took part. */
static void note_attempt(struct mst_apiserver *server, const struct mst_effect *effect)
{
    struct mst_served *served =
        mst_apiserver_find(server, effect->object_kind, effect->ns, effect->name);
    if (served)
        served->attempts++;
    for (uint32_t i = 0; i < effect->pods.n; i++) {
        struct mst_str key = effect->pods.v[i];
        const char *slash = memchr(key.p, '/', key.n);
        mst_assert(slash);
        size_t n = (size_t)(slash - key.p);
        served = mst_apiserver_find(server, MST_KIND_POD, (struct mst_str){ key.p, n },
                                    (struct mst_str){ slash + 1, key.n - n - 1 });
        if (served)
            served->attempts++;
    }
}

void mst_apiserver_effect(struct mst_apiserver *server, const struct mst_effect *effect,
                          struct mst_str *ret_error)
{
    *ret_error = MST_STR_NONE;
    switch (effect->kind) {
    case MST_EFFECT_BIND: bind(server, effect, ret_error); break;
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS: patch(server, effect, ret_error); break;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: mst_apiserver_volume_effect(server, effect, ret_error); break;
    case MST_EFFECT_EVICT: evict(server, effect); break;
    case MST_EFFECT_ATTEMPT: note_attempt(server, effect); break;
    case MST_EFFECT_EXTENDER:     /* not the API server's */
    case MST_EFFECT_EVENT: break; /* for people; nothing changes */
    }
}
