/*
 * bind_volumes.c - pods that have a place but need something written before they may be bound.
 *
 * Owns:       the reservations of placed pods, until bound or given up.
 * Invariants: a pod has at most one reservation; one that waits belongs to an assumed pod whose
 *             bind has not been sent; held_poll_ns is no later than any waiting one's next poll.
 * Source:     spec/scheduling.md 2.7, spec/plugins.md 4.15; kubernetes v1.37
 *             pkg/scheduler/schedule_one.go (bindingCycle), plugins/volumebinding/binder.go.
 */
#include "cycle/engine_internal.h"

#define POLL_NS ((int64_t)1000000000)

static struct mst_held_volumes *held_of(struct mst_engine *engine, uint32_t pod)
{
    for (uint32_t i = 0; i < engine->held.n; i++)
        if (engine->held.v[i].pod == pod)
            return &engine->held.v[i];
    return NULL;
}

static const struct mst_slot *slot_of(const struct mst_engine *engine,
                                      const struct mst_held_volumes *held)
{
    return &engine->frameworks[held->profile].slots[held->slot];
}

static const struct mst_view *view_of(const struct mst_engine *engine,
                                      const struct mst_held_volumes *held)
{
    return &engine->frameworks[held->profile].view;
}

/* ---- Reserve ---- */

void mst_engine_reserve(struct mst_engine *engine, const struct mst_framework *fw, uint32_t pod)
{
    for (uint32_t slot = 0; slot < fw->slot_count; slot++) {
        const struct mst_slot *s = &fw->slots[slot];
        if (!s->plugin->reserve)
            continue;
        struct mst_reservation *reservation =
            s->plugin->reserve(&fw->view, s->instance, pod, engine->cluster.pods.v[pod].node,
                               &engine->arena);
        if (reservation)
            mst_vec_push(&engine->held, (struct mst_held_volumes){ .pod = pod,
                                                                   .slot = slot,
                                                                   .profile = fw->profile,
                                                                   .reservation = reservation });
    }
}

void mst_engine_unreserve(struct mst_engine *engine, uint32_t pod, bool revert)
{
    struct mst_held_volumes *held = held_of(engine, pod);
    if (!held)
        return;
    const struct mst_slot *s = slot_of(engine, held);
    s->plugin->unreserve(view_of(engine, held), s->instance, held->reservation, revert);
    const uint32_t at = (uint32_t)(held - engine->held.v);
    engine->held.n--;
    memmove(held, held + 1, (engine->held.n - at) * sizeof(*held));
}

/* ---- PreBind ---- */

static struct mst_str keep(struct mst_engine *engine, struct mst_str s)
{
    return mst_arena_str(&engine->out->arena, s);
}

static uint64_t send_write(struct mst_engine *engine, const struct mst_write *write)
{
    const bool pv = write->kind == MST_KIND_PV;
    const struct mst_effect effect = {
        .id = ++engine->effect_count,
        .cycle = engine->cycle,
        .kind = pv ? MST_EFFECT_PV_UPDATE : MST_EFFECT_PVC_UPDATE,
        .object_kind = write->kind,
        .ns = mst_sym_str(engine->syms, write->ns),
        .name = keep(engine, write->name),
        .uid = keep(engine, write->uid),
        .node = mst_sym_str(engine->syms, write->node),
        .claim_ns = mst_sym_str(engine->syms, write->claim_ns),
        .claim_name = keep(engine, write->claim_name),
        .claim_uid = keep(engine, write->claim_uid),
        .claim_ref = write->claim_ref,
        .claim_new = write->claim_new,
        .claim_version = write->claim_version,
        .claim_kind = write->claim_kind,
        .by_controller = write->by_controller,
        .node_new = write->node_new,
        .stale = write->stale,
    };
    mst_vec_push(&engine->out->list, effect);
    return effect.id;
}

static int64_t later(int64_t now_ns, int64_t by_ns)
{
    return by_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + by_ns;
}

bool mst_engine_pre_bind(struct mst_engine *engine, uint32_t pod)
{
    const bool tells = engine->config->gates.on[MST_GATE_NominatedNodeNameForExpectation];
    mst_mark_begin(tells ? engine->marks : NULL, MST_PART_PRE_FLIGHT);
    struct mst_held_volumes *held = held_of(engine, pod);
    if (tells)
        mst_engine_mark(engine, MST_PART_PRE_FLIGHT,
                        &engine->frameworks[engine->cluster.pods.v[pod].profile],
                        held ? MST_SUCCESS : MST_SKIP, NULL);
    if (!held) {
        mst_count_pre_bound(engine, pod, MST_SUCCESS, NULL);
        return false;
    }
    if (tells)
        mst_effect_nominate(engine, pod, engine->cluster.pods.v[pod].node_name);
    held->waits = true;
    for (uint32_t i = 0; i < held->reservation->writes.n; i++) {
        const uint64_t id = send_write(engine, &held->reservation->writes.v[i]);
        if (i == 0)
            held->first_write = id;
        held->last_write = id;
    }
    held->poll_ns = later(engine->now_ns, POLL_NS);
    held->deadline_ns = later(engine->now_ns, held->reservation->timeout_ns);
    held->poll_ns = MST_MIN(held->poll_ns, held->deadline_ns);
    engine->held_poll_ns = MST_MIN(engine->held_poll_ns, held->poll_ns);
    return true;
}

void mst_engine_bind_failed(struct mst_engine *engine, uint32_t pod, struct mst_str message)
{
    mst_engine_assigned_event(engine, pod, MST_ACT_DELETE); /* while the row still shows it */
    if (engine->cluster.pods.v[pod].assigned) {
        mst_engine_unreserve(engine, pod, false);
        return; /* the API says it has a node, perhaps another one: reality wins */
    }
    mst_mark_begin(engine->marks, MST_PART_UNRESERVE);
    mst_engine_unreserve(engine, pod, true);
    mst_engine_mark(engine, MST_PART_UNRESERVE,
                    &engine->frameworks[engine->cluster.pods.v[pod].profile], MST_SUCCESS, NULL);
    mst_cluster_forget(&engine->cluster, pod);
    mst_engine_fail_pod(engine, pod, true,
                        &(struct mst_failure){
                            .error = true, .message = message, .nominated = MST_NNN_CLEAR });
}

static void give_up(struct mst_engine *engine, const struct mst_held_volumes *held,
                    const char *stage, struct mst_str reason)
{
    const char *name = slot_of(engine, held)->plugin->name;
    mst_count_pre_bound(engine, held->pod, MST_ERROR, name);
    mst_engine_bind_failed(engine, held->pod,
                           mst_arena_printf(&engine->arena, "running PreBind plugin \"%s\": %s%.*s",
                                            name, stage, MST_ARG(reason)));
}

bool mst_engine_may_cancel_bind(struct mst_engine *engine, uint32_t pod)
{
    const struct mst_held_volumes *held = held_of(engine, pod);
    return held && held->waits;
}

bool mst_engine_cancel_bind(struct mst_engine *engine, uint32_t pod, struct mst_str reason)
{
    if (!mst_engine_may_cancel_bind(engine, pod))
        return false;
    const struct mst_held_volumes copy = *held_of(engine, pod);
    give_up(engine, &copy, "", reason);
    return true;
}

/* One look at a waiting pod: bind it, wait on, or give it up. */
static void look_at(struct mst_engine *engine, struct mst_held_volumes *held)
{
    const struct mst_slot *s = slot_of(engine, held);
    struct mst_str reason = MST_STR_NONE;
    const mst_code code =
        s->plugin->pre_bind_done(view_of(engine, held), s->instance, held->reservation, held->pod,
                                 &engine->arena, &reason);
    if (code == MST_SUCCESS) {
        held->waits = false; /* kept until the bind is answered */
        mst_count_pre_bound(engine, held->pod, MST_SUCCESS, s->plugin->name);
        mst_engine_send_bind(engine, held->pod)->late = true;
        return;
    }
    if (code == MST_WAIT && engine->now_ns < held->deadline_ns) {
        held->poll_ns = MST_MIN(later(engine->now_ns, POLL_NS), held->deadline_ns);
        return;
    }
    if (code == MST_WAIT)
        reason = MST_STR("context deadline exceeded");
    const uint32_t first = engine->out->list.n;
    give_up(engine, held, "binding volumes: ", reason);
    for (uint32_t i = first; i < engine->out->list.n; i++)
        engine->out->list.v[i].late = true;
}

void mst_engine_poll_held(struct mst_engine *engine)
{
    if (engine->now_ns < engine->held_poll_ns)
        return;
    for (uint32_t i = 0; i < engine->held.n;) {
        const uint32_t pod = engine->held.v[i].pod;
        if (engine->held.v[i].waits && engine->held.v[i].poll_ns <= engine->now_ns)
            look_at(engine, &engine->held.v[i]);
        if (i < engine->held.n && engine->held.v[i].pod == pod)
            i++; /* else it was given up, and the next one moved here */
    }
    engine->held_poll_ns = INT64_MAX;
    for (uint32_t i = 0; i < engine->held.n; i++)
        if (engine->held.v[i].waits)
            engine->held_poll_ns = MST_MIN(engine->held_poll_ns, engine->held.v[i].poll_ns);
    mst_arena_reset(&engine->arena);
}

bool mst_engine_write_failed(struct mst_engine *engine, uint64_t effect_id, struct mst_str reason)
{
    for (uint32_t i = 0; i < engine->held.n; i++) {
        const struct mst_held_volumes held = engine->held.v[i];
        if (!held.waits || effect_id < held.first_write || effect_id > held.last_write)
            continue;
        give_up(engine, &held, "", reason);
        return true;
    }
    return false;
}
