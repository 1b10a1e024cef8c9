/*
 * effects.c - what the engine wants done, as records.
 *
 * Owns:       the numbering of effects. Invariants: an effect that changes an object's status is
 * taken over into our own rows at once, so the next decision already sees it.
 */
#include "cycle/engine_internal.h"

enum { NOTE_MAX = 1024 };

void mst_effects_done(struct mst_effects *effects)
{
    mst_vec_done(&effects->list);
    mst_arena_done(&effects->arena);
}

static struct mst_str keep(struct mst_engine *engine, struct mst_str s)
{
    return mst_arena_str(&engine->out->arena, s);
}

struct mst_effect *mst_effect_add(struct mst_engine *engine, mst_effect_kind kind,
                                  mst_kind object_kind, uint32_t row)
{
    struct mst_effect effect = {
        .id = ++engine->effect_count,
        .cycle = engine->cycle,
        .kind = kind,
        .object_kind = object_kind,
    };
    if (object_kind == MST_KIND_POD) {
        const struct mst_pod_row *p = &engine->cluster.pods.v[row];
        effect.ns = mst_sym_str(engine->syms, p->ns);
        effect.name = keep(engine, p->name);
        effect.uid = keep(engine, p->uid);
    } else {
        const struct mst_group_row *g = &engine->cluster.groups.v[row];
        effect.ns = mst_sym_str(engine->syms, g->ns);
        effect.name = keep(engine, g->name);
        effect.uid = keep(engine, g->uid);
    }
    mst_vec_push(&engine->out->list, effect);
    return &engine->out->list.v[engine->out->list.n - 1];
}

void mst_effect_event(struct mst_engine *engine, uint32_t pod, bool warning, const char *reason,
                      const char *action, struct mst_str note)
{
    struct mst_effect *e = mst_effect_add(engine, MST_EFFECT_EVENT, MST_KIND_POD, pod);
    e->type = mst_str_of(warning ? "Warning" : "Normal");
    e->reason = mst_str_of(reason);
    e->action = mst_str_of(action);
    if (note.n > NOTE_MAX)
        e->note = mst_arena_printf(&engine->out->arena, "%.*s ...", NOTE_MAX - 4, note.p);
    else
        e->note = keep(engine, note);
}

struct mst_condition mst_effect_condition(struct mst_engine *engine, const char *type,
                                          const struct mst_cond *cond)
{
    if (!cond->status.n)
        return (struct mst_condition){ 0 };
    return (struct mst_condition){
        .type = mst_str_of(type),
        .status = keep(engine, cond->status),
        .reason = keep(engine, cond->reason),
        .message = keep(engine, cond->message),
        .observed_generation = cond->observed_generation,
        .last_transition = cond->last_transition,
    };
}

struct mst_time mst_effect_time(const struct mst_engine *engine)
{
    return (struct mst_time){ .unix_s = engine->now_ns / 1000000000, .set = true };
}

/* observedGeneration does not count: nothing is sent for it alone. */
static bool same_condition(const struct mst_cond *a, const struct mst_cond *b)
{
    return mst_str_eq(a->status, b->status) && mst_str_eq(a->reason, b->reason) &&
           mst_str_eq(a->message, b->message);
}

/* Takes the nomination over; false when the API knows it as it is. */
static bool change_nomination(struct mst_engine *engine, uint32_t pod, mst_sym node)
{
    struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    if (p->status_nominated == node)
        return false;
    if (p->status_nominated != MST_SYM_NONE)
        mst_vec_push(&engine->freed, pod);
    p->status_nominated = node;
    return true;
}

void mst_effect_pod_status(struct mst_engine *engine, uint32_t pod, const char *reason,
                           struct mst_str message, mst_nnn nominated, mst_sym node)
{
    struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    bool same_status = mst_str_is(p->scheduled.status, "False");
    struct mst_cond next = {
        .status = MST_STR("False"),
        .reason = mst_str_of(reason),
        .message = message,
        .observed_generation = p->generation,
        .last_transition = same_status ? p->scheduled.last_transition : mst_effect_time(engine),
    };
    bool change = !same_condition(&p->scheduled, &next);
    node = nominated == MST_NNN_SET ? node : (mst_sym)MST_SYM_NONE;
    bool renominate = nominated != MST_NNN_KEEP && change_nomination(engine, pod, node);
    if (!change && !renominate)
        return;
    struct mst_effect *e = mst_effect_add(engine, MST_EFFECT_POD_STATUS, MST_KIND_POD, pod);
    if (change) {
        e->condition_set = true;
        e->before = mst_effect_condition(engine, "PodScheduled", &p->scheduled);
        e->condition = mst_effect_condition(engine, "PodScheduled", &next);
        mst_cluster_pod_condition(&engine->cluster, pod, &next);
    }
    e->nominated_set = renominate;
    e->nominated = node == MST_SYM_NONE ? MST_STR("") : mst_sym_str(engine->syms, node);
}

void mst_effect_nominate(struct mst_engine *engine, uint32_t pod, mst_sym node)
{
    if (!change_nomination(engine, pod, node))
        return;
    struct mst_effect *e = mst_effect_add(engine, MST_EFFECT_POD_STATUS, MST_KIND_POD, pod);
    e->nominated_set = true;
    e->nominated = node == MST_SYM_NONE ? MST_STR("") : mst_sym_str(engine->syms, node);
}

void mst_effect_group_status(struct mst_engine *engine, uint32_t group, bool scheduled,
                             const char *reason, struct mst_str message)
{
    struct mst_group_row *g = &engine->cluster.groups.v[group];
    if (!g->known || mst_str_is(g->initially_scheduled.status, "True"))
        return;
    bool same_status = !scheduled && g->initially_scheduled.status.n;
    struct mst_cond next = {
        .status = scheduled ? MST_STR("True") : MST_STR("False"),
        .reason = mst_str_of(reason),
        .message = message,
        .observed_generation = g->generation,
        .last_transition =
            same_status ? g->initially_scheduled.last_transition : mst_effect_time(engine),
    };
    if (same_condition(&g->initially_scheduled, &next))
        return;
    struct mst_effect *e =
        mst_effect_add(engine, MST_EFFECT_GROUP_STATUS, MST_KIND_POD_GROUP, group);
    e->condition_set = true;
    e->before = mst_effect_condition(engine, "PodGroupInitiallyScheduled", &g->initially_scheduled);
    e->condition = mst_effect_condition(engine, "PodGroupInitiallyScheduled", &next);
    mst_cluster_group_condition(&engine->cluster, group, &next);
}

static void patch_disruption(struct mst_engine *engine, uint32_t group, const char *status,
                             const char *reason, struct mst_str message)
{
    struct mst_group_row *g = &engine->cluster.groups.v[group];
    bool same_status = mst_str_is(g->disruption.status, status);
    struct mst_cond next = {
        .status = mst_str_of(status),
        .reason = mst_str_of(reason),
        .message = message,
        .observed_generation = g->generation,
        .last_transition = same_status ? g->disruption.last_transition : mst_effect_time(engine),
    };
    if (same_condition(&g->disruption, &next))
        return;
    struct mst_effect *e =
        mst_effect_add(engine, MST_EFFECT_GROUP_STATUS, MST_KIND_POD_GROUP, group);
    e->condition_set = true;
    e->before = mst_effect_condition(engine, "DisruptionTarget", &g->disruption);
    e->condition = mst_effect_condition(engine, "DisruptionTarget", &next);
    mst_cluster_group_disruption(&engine->cluster, group, &next);
}

void mst_effect_group_disrupted(struct mst_engine *engine, uint32_t group, struct mst_str why)
{
    if (engine->cluster.groups.v[group].known)
        patch_disruption(engine, group, "True", "PreemptionByScheduler", why);
}

void mst_effect_group_runs_again(struct mst_engine *engine, uint32_t group)
{
    if (mst_str_is(engine->cluster.groups.v[group].disruption.status, "True"))
        patch_disruption(engine, group, "False", "Scheduled", MST_STR(""));
}

void mst_engine_bind(struct mst_engine *engine, uint32_t pod)
{
    mst_cluster_assume(&engine->cluster, pod);
    mst_count_placed(engine, pod);
    mst_queue_pod_scheduled(engine->queue, pod);
    mst_awaited_changed(engine);
    if (!mst_engine_pre_bind(engine, pod))
        (void)mst_engine_send_bind(engine, pod);
}

static struct mst_effect *send_bind(struct mst_engine *engine, uint32_t pod, uint32_t extender)
{
    struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    struct mst_effect *e = mst_effect_add(engine, MST_EFFECT_BIND, MST_KIND_POD, pod);
    e->node = mst_sym_str(engine->syms, p->node_name);
    char *uid = mst_calloc(p->uid.n + 1, 1);
    if (p->uid.n)
        memcpy(uid, p->uid.p, p->uid.n);
    mst_vec_push(&engine->binds, (struct mst_bind){ .effect_id = e->id,
                                                    .pod = pod,
                                                    .profile = p->profile,
                                                    .extender = extender,
                                                    .uid = { uid, p->uid.n } });
    mst_count_bind_sent(engine, pod);
    if (extender != UINT32_MAX)
        mst_engine_bind_by_extender(engine, pod, extender, e);
    return e;
}

struct mst_effect *mst_engine_send_bind(struct mst_engine *engine, uint32_t pod)
{
    return send_bind(engine, pod,
                     mst_extender_binder(engine->config, engine->cluster.pods.v[pod].extenders));
}

struct mst_effect *mst_engine_send_plain_bind(struct mst_engine *engine, uint32_t pod)
{
    return send_bind(engine, pod, UINT32_MAX);
}
