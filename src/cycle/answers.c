/*
 * answers.c - what became of the engine's effects: binds above all.
 *
 * Owns:   the list of binds that are not answered.
 * Source: spec/scheduling.md 2.7; kubernetes v1.37 pkg/scheduler/schedule_one.go (bindingCycle).
 */
#include "cycle/engine_internal.h"

/* Ids grow, so the list is sorted; answers come mostly in order, so the front is taken off at
 * times. */
static bool take_bind(struct mst_engine *engine, uint64_t effect_id, struct mst_bind *out)
{
    uint32_t lo = engine->binds_begin, hi = engine->binds.n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (engine->binds.v[mid].effect_id < effect_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == engine->binds.n || engine->binds.v[lo].effect_id != effect_id ||
        engine->binds.v[lo].pod == MST_ROW_NONE)
        return false;
    *out = engine->binds.v[lo];
    engine->binds.v[lo].pod = MST_ROW_NONE;
    engine->binds.v[lo].uid = MST_STR_NONE;
    while (engine->binds_begin < engine->binds.n &&
           engine->binds.v[engine->binds_begin].pod == MST_ROW_NONE)
        engine->binds_begin++;
    if (engine->binds_begin == engine->binds.n)
        engine->binds_begin = engine->binds.n = 0;
    return true;
}

/* The row is still the pod that was bound. */
static bool same_pod(const struct mst_engine *engine, const struct mst_bind *bind)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[bind->pod];
    return p->live && mst_str_eq(p->uid, bind->uid);
}

/* "Successfully assigned ns/name to node", put together by hand: it is made for every pod. */
static struct mst_str assigned_note(struct mst_engine *engine, const struct mst_pod_row *p)
{
    const struct mst_str parts[] = {
        MST_STR("Successfully assigned "),
        mst_sym_str(engine->syms, p->ns),
        MST_STR("/"),
        p->name,
        MST_STR(" to "),
        mst_sym_str(engine->syms, p->node_name),
    };
    struct mst_str all = { NULL, 0 };
    for (size_t i = 0; i < MST_COUNT(parts); i++)
        all.n += parts[i].n;
    char *at = mst_arena_alloc(&engine->arena, all.n + 1);
    all.p = at;
    for (size_t i = 0; i < MST_COUNT(parts); i++) {
        if (parts[i].n)
            memcpy(at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    *at = '\0';
    return all;
}

static void bind_done(struct mst_engine *engine, const struct mst_bind *bind)
{
    mst_count_bound(engine, bind->pod, bind->profile);
    mst_engine_mark_idle(engine, MST_PART_POST_BIND, bind->profile, MST_SUCCESS);
    mst_engine_unreserve(engine, bind->pod, false);
    struct mst_str note = assigned_note(engine, &engine->cluster.pods.v[bind->pod]);
    mst_effect_event(engine, bind->pod, false, "Scheduled", "Binding", note);
}

/* An extender bound the pod, or could not; one that may be ignored leaves it to the API server. */
static void extender_answered(struct mst_engine *engine, const struct mst_bind *bind,
                              const struct mst_event *event)
{
    const struct mst_str error = mst_engine_bound_by_extender(engine, bind, event);
    if (!error.p)
        bind_done(engine, bind);
    else if (engine->config->extenders.v[bind->extender].ignorable)
        mst_engine_send_plain_bind(engine, bind->pod)->late = true;
    else
        mst_engine_bind_failed(engine, bind->pod, error);
}

static void api_answered(struct mst_engine *engine, const struct mst_bind *bind,
                         const struct mst_event *event)
{
    const bool done = event->kind == MST_EVENT_EFFECT_DONE;
    mst_count_bind_answered(engine, bind->pod, bind->profile, done ? MST_SUCCESS : MST_ERROR);
    if (done)
        bind_done(engine, bind);
    else
        mst_engine_bind_failed(engine, bind->pod,
                               mst_arena_printf(&engine->arena,
                                                "running Bind plugin \"DefaultBinder\": %.*s",
                                                MST_ARG(event->reason)));
}

void mst_engine_answer(struct mst_engine *engine, const struct mst_event *event)
{
    struct mst_bind bind;
    if (event->kind == MST_EVENT_EFFECT_FAILED &&
        mst_engine_write_failed(engine, event->effect_id, event->reason))
        return;
    if (mst_asks_answer(&engine->asks, event->effect_id, event->kind == MST_EVENT_EFFECT_FAILED,
                        event->kind == MST_EVENT_EFFECT_FAILED ? event->reason : event->body))
        return;
    if (mst_engine_evict_answered(engine, event) || !take_bind(engine, event->effect_id, &bind))
        return; /* patches and events need no answer */
    if (same_pod(engine, &bind)) {
        if (bind.extender != UINT32_MAX)
            extender_answered(engine, &bind, event);
        else
            api_answered(engine, &bind, event);
    }
    mst_free((void *)bind.uid.p);
}
