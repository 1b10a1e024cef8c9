/*
 * extender_calls.c - the engine's side of HTTP extenders: questions become effects, answers come
 * back as events.
 *
 * Invariants: while a question is open nothing is attempted; a bind by an extender is like any
 *             other bind, the pod is assumed until it is answered.
 * Source:     spec/plugins.md 6.5; kubernetes v1.37 schedule_one.go (extendersBinding).
 */
#include "cycle/engine_internal.h"

void mst_engine_begin_asks(struct mst_engine *engine, bool group, uint32_t id, uint32_t pod_count,
                           bool look)
{
    const struct mst_cluster *c = &engine->cluster;
    const struct mst_str uid = group ? c->groups.v[id].uid : c->pods.v[id].uid;
    const uint64_t who = (uint64_t)id << 2 | (uint64_t)group << 1 | look;
    const uint64_t owner = mst_hash_mix(mst_hash(uid.n ? uid.p : "", uid.n), who);
    mst_asks_begin(&engine->asks, owner | 1, pod_count);
}

static const struct mst_extender_call *keep_call(struct mst_engine *engine,
                                                 const struct mst_extender_call *call)
{
    struct mst_extender_call *kept = MST_NEW(&engine->out->arena, struct mst_extender_call);
    mst_extender_call_copy(&engine->out->arena, call, kept);
    return kept;
}

void mst_engine_send_asks(struct mst_engine *engine)
{
    struct mst_ask *ask;
    while ((ask = mst_asks_unsent(&engine->asks)) != NULL) {
        struct mst_arena *arena = &engine->out->arena;
        ask->id = ++engine->effect_count;
        mst_vec_push(&engine->out->list,
                     (struct mst_effect){ .id = ask->id,
                                          .cycle = engine->cycle + 1, /* of the attempt to come */
                                          .kind = MST_EFFECT_EXTENDER,
                                          .object_kind = MST_KIND_POD,
                                          .ns = mst_arena_str(arena, ask->call.pod.ns),
                                          .name = mst_arena_str(arena, ask->call.pod.name),
                                          .uid = mst_arena_str(arena, ask->call.pod.uid),
                                          .call = keep_call(engine, &ask->call),
                                          .url = mst_extender_url(&ask->call, arena) });
    }
}

void mst_engine_look(struct mst_engine *engine, bool group, uint32_t id, uint32_t pod_count)
{
    if (engine->evals.asks)
        mst_engine_begin_asks(engine, group, id, pod_count, true);
}

bool mst_engine_looked(struct mst_engine *engine, struct mst_effects *calls)
{
    calls->list.n = 0;
    mst_arena_reset(&calls->arena);
    if (!engine->asks.open) {
        mst_asks_end(&engine->asks);
        return true;
    }
    struct mst_effects *out = engine->out;
    engine->out = calls;
    mst_engine_send_asks(engine);
    engine->out = out;
    return false;
}

/* ---- bind ---- */

static struct mst_extender_call bind_call(const struct mst_engine *engine, uint32_t extender,
                                          struct mst_str *node)
{
    return (struct mst_extender_call){ .extender = &engine->config->extenders.v[extender],
                                       .extender_i = extender,
                                       .verb = MST_VERB_BIND,
                                       .nodes = { node, 1 } };
}

void mst_engine_bind_by_extender(struct mst_engine *engine, uint32_t pod, uint32_t extender,
                                 struct mst_effect *effect)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    struct mst_extender_call call = bind_call(engine, extender, &effect->node);
    call.pod = (struct mst_ext_pod){ mst_sym_str(engine->syms, p->ns), p->name, p->uid };
    effect->call = keep_call(engine, &call);
    effect->url = mst_extender_url(&call, &engine->out->arena);
}

struct mst_str mst_engine_bound_by_extender(struct mst_engine *engine, const struct mst_bind *bind,
                                            const struct mst_event *event)
{
    if (event->kind == MST_EVENT_EFFECT_FAILED)
        return mst_arena_str(&engine->arena, event->reason.n ? event->reason : MST_STR("failed"));
    struct mst_str node = MST_STR("");
    const struct mst_extender_call call = bind_call(engine, bind->extender, &node);
    struct mst_extender_answer answer;
    mst_extender_read(&call, event->body, &engine->arena, &answer);
    return answer.error;
}

void mst_engine_find_extenders(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod)
{
    if (engine->config->extenders.n)
        engine->cluster.pods.v[row].extenders = mst_extenders_of(engine->config, engine->syms, pod);
}
