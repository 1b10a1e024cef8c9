/*
 * writer_overlay.c - objects as they will be once what waits is written.
 *
 * A patch may wait for seconds. An update that comes meanwhile, for whatever reason, still says
 * what was true before; taken as it is, the engine would forget what it wanted said, and believe
 * the object to say what it is about to say no more.
 *
 * Source: kubernetes v1.37 pkg/scheduler/backend/api_dispatcher (SyncObject).
 */
#include "client/writer_internal.h"

static void set_condition(mst_conditions *conditions, const struct mst_condition *condition,
                          struct mst_arena *arena)
{
    struct mst_condition *v = MST_NEW_N(arena, struct mst_condition, conditions->n + 1);
    uint32_t at = conditions->n;
    for (uint32_t i = 0; i < conditions->n; i++) {
        v[i] = conditions->v[i];
        if (mst_str_eq(v[i].type, condition->type))
            at = i;
    }
    v[at] = *condition;
    *conditions = (mst_conditions){ v, MST_MAX(conditions->n, at + 1) };
}

static void apply(const struct mst_effect *effect, struct mst_syms *syms, struct mst_object *object,
                  struct mst_arena *arena)
{
    const bool is_pod = object->kind == MST_KIND_POD;
    if (effect->condition_set)
        set_condition(is_pod ? &object->u.pod.status.conditions : &object->u.group.conditions,
                      &effect->condition, arena);
    if (effect->nominated_set)
        object->u.pod.status.nominated_node_name =
            effect->nominated.n ? mst_sym_of(syms, effect->nominated) : (mst_sym)MST_SYM_NONE;
}

/* A pod that has its node says more than any patch; what is being written of it is old. */
static bool takes_patches(const struct mst_object *object)
{
    return object->kind == MST_KIND_POD_GROUP ||
           (object->kind == MST_KIND_POD && object->u.pod.spec.node_name == MST_SYM_NONE);
}

const struct mst_object *mst_queues_overlay(struct mst_queues *queues, struct mst_syms *syms,
                                            const struct mst_object *object,
                                            struct mst_object *room, struct mst_arena *arena)
{
    const struct mst_meta *meta = &object->u.meta;
    const struct mst_object *newest = object;
    if (!takes_patches(object))
        return object;
    const struct mst_queue *queue =
        mst_queues_get(queues, object->kind, mst_sym_str(syms, meta->namespace_), meta->name);
    for (const struct mst_work *work = queue ? queue->first : NULL; work; work = work->next) {
        if (!mst_work_is_status(work) || !mst_str_eq(work->effect.uid, meta->uid))
            continue;
        if (newest != room)
            *room = *object;
        apply(&work->effect, syms, room, arena);
        newest = room;
    }
    return newest;
}
