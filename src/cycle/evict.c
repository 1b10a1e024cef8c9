/*
 * evict.c - carries out a preemption: victims are evicted, all but the last at once, then the last.
 *
 * While that is under way the preemptor is registered (cluster/preemptors.h), and PreEnqueue holds
 * it; so it can neither evict for the same room twice nor miss the moment when its last victim
 * goes.
 *
 * Owns:       the evictions that are under way.
 * Invariants: the last victim's eviction is sent only after all others succeeded; a preemptor whose
 *             evictions failed is tried again at once.
 * Source:     spec/preemption.md 8; kubernetes v1.37
 *             pkg/scheduler/framework/preemption/executor.go
 */
#include "cluster/preemptors.h"
#include "cycle/evict_internal.h"

static struct mst_str uid_of(const struct mst_engine *engine, const struct mst_preemptor *p)
{
    return p->group ? engine->cluster.groups.v[p->row].uid : engine->cluster.pods.v[p->row].uid;
}

static uint32_t live_count(const struct mst_engine *engine, const struct mst_victims *victims)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < victims->n; i++)
        n += !engine->cluster.pods.v[victims->pods[i]].deleting;
    return n;
}

static bool is_async(const struct mst_engine *engine)
{
    return engine->config->gates.on[MST_GATE_SchedulerAsyncPreemption];
}

void mst_engine_evict_begin(struct mst_engine *engine, const struct mst_preemptor *p,
                            const struct mst_preemption *preemption)
{
    bool any = live_count(engine, &preemption->victims) > 0;
    mst_eviction_await(engine, p, preemption);
    if (is_async(engine) && any)
        mst_preemptor_begin(&engine->cluster, uid_of(engine, p));
    if (is_async(engine))
        return;
    if (any)
        mst_eviction_sync_begin(engine, p, preemption);
    mst_eviction_clear_lower(engine, p, preemption); /* also when all victims leave anyway */
}

static uint32_t unit_of(const struct mst_cluster *c, uint32_t pod)
{
    uint32_t group = c->pods.v[pod].group;
    return group != MST_ROW_NONE && c->groups.v[group].disrupted_whole ? group
                                                                       : (uint32_t)MST_ROW_NONE;
}

/* What is said about every victim. */
static void set_texts(const struct mst_engine *engine, struct mst_eviction *e)
{
    const char *type = e->group ? "podgroup" : "pod";
    e->note = mst_arena_printf(&e->arena, "Preempted by %s %.*s on node %.*s", type,
                               MST_ARG(e->uid), MST_ARG(e->target));
    e->related = mst_arena_printf(&e->arena, "%s %.*s/%.*s", e->group ? "PodGroup" : "Pod",
                                  MST_ARG(mst_sym_str(engine->syms, e->ns)), MST_ARG(e->name));
    e->why = mst_arena_printf(&e->arena, "%.*s: preempting to accommodate a higher priority %s",
                              MST_ARG(engine->frameworks[e->profile].scheduler_name), type);
}

/* The objects of groups that go as a whole; the pods of one follow each other. */
static void mark_groups(struct mst_engine *engine, const struct mst_eviction *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (e->victims[i].unit != MST_ROW_NONE &&
            (!i || e->victims[i - 1].unit != e->victims[i].unit))
            mst_effect_group_disrupted(engine, e->victims[i].unit, e->why);
}

struct mst_eviction_victim mst_eviction_victim_of(const struct mst_engine *engine,
                                                  struct mst_eviction *e, uint32_t pod)
{
    const struct mst_pod_row *v = &engine->cluster.pods.v[pod];
    return (struct mst_eviction_victim){ .ns = v->ns,
                                         .name = mst_arena_str(&e->arena, v->name),
                                         .uid = mst_arena_str(&e->arena, v->uid),
                                         .pod = pod,
                                         .unit = unit_of(&engine->cluster, pod) };
}

struct mst_eviction *mst_eviction_new(struct mst_engine *engine, const struct mst_preemptor *p,
                                      const struct mst_preemption *preemption)
{
    const struct mst_cluster *c = &engine->cluster;
    struct mst_eviction *e = mst_calloc(1, sizeof(*e));
    e->group = p->group;
    e->began_ns = engine->now_ns;
    e->row = p->row;
    e->profile = p->fw->profile;
    e->ns = p->group ? c->groups.v[p->row].ns : c->pods.v[p->row].ns;
    e->name =
        mst_arena_str(&e->arena, p->group ? c->groups.v[p->row].name : c->pods.v[p->row].name);
    e->uid = mst_arena_str(&e->arena, uid_of(engine, p));
    uint32_t node = preemption->victims.node;
    e->target =
        node == MST_ROW_NONE ? MST_STR("cluster") : mst_sym_str(engine->syms, c->nodes.name[node]);
    e->victims = MST_NEW_N(&e->arena, struct mst_eviction_victim, preemption->victims.n);
    for (uint32_t i = 0; i < preemption->victims.n; i++) {
        uint32_t pod = preemption->victims.pods[i];
        if (!c->pods.v[pod].deleting) /* else on its way already */
            e->victims[e->n++] = mst_eviction_victim_of(engine, e, pod);
    }
    set_texts(engine, e);
    mst_eviction_promises(engine, e, preemption);
    mst_vec_push(&engine->evictions, e);
    if (!engine->config->upstream)
        mark_groups(engine, e);
    return e;
}

static void free_eviction(struct mst_eviction *e)
{
    mst_arena_done(&e->arena);
    mst_free(e);
}

void mst_evictions_done(struct mst_engine *engine)
{
    for (uint32_t i = 0; i < engine->evictions.n; i++)
        free_eviction(engine->evictions.v[i]);
    mst_vec_done(&engine->evictions);
}

/* ---- what is sent ---- */

static struct mst_str keep(struct mst_engine *engine, struct mst_str s)
{
    return mst_arena_str(&engine->out->arena, s);
}

static struct mst_effect *add_effect(struct mst_engine *engine, mst_effect_kind kind,
                                     const struct mst_eviction_victim *v)
{
    mst_vec_push(&engine->out->list, (struct mst_effect){ .id = ++engine->effect_count,
                                                          .cycle = engine->cycle,
                                                          .kind = kind,
                                                          .object_kind = MST_KIND_POD,
                                                          .ns = mst_sym_str(engine->syms, v->ns),
                                                          .name = keep(engine, v->name),
                                                          .uid = keep(engine, v->uid) });
    return &engine->out->list.v[engine->out->list.n - 1];
}

/* "Preempted", about the victim; upstream cannot refer to a pod as the reason, muster does. */
static void tell(struct mst_engine *engine, const struct mst_eviction *e,
                 const struct mst_eviction_victim *v, bool in_memory)
{
    struct mst_effect *event = add_effect(engine, MST_EFFECT_EVENT, v);
    event->type = MST_STR("Normal");
    event->reason = MST_STR("Preempted");
    event->action = MST_STR("Preempting");
    event->note = in_memory ? mst_arena_printf(&engine->out->arena,
                                               "%.*s (in kube-scheduler memory).", MST_ARG(e->note))
                            : keep(engine, e->note);
    if (e->group || !engine->config->upstream)
        event->related = keep(engine, e->related);
}

/* The DisruptionTarget that the pod shall have, unless it says just that. */
static void set_condition(struct mst_engine *engine, const struct mst_eviction *e,
                          const struct mst_eviction_victim *v, struct mst_effect *effect)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[v->pod];
    const struct mst_cond next = {
        .status = MST_STR("True"),
        .reason = MST_STR("PreemptionByScheduler"),
        .message = e->why,
        .observed_generation = p->generation,
        .last_transition = mst_str_is(p->disruption.status, "True") ? p->disruption.last_transition
                                                                    : mst_effect_time(engine),
    };
    if (mst_str_eq(p->disruption.status, next.status) &&
        mst_str_eq(p->disruption.reason, next.reason) &&
        mst_str_eq(p->disruption.message, next.message))
        return;
    effect->condition_set = true;
    effect->before = mst_effect_condition(engine, "DisruptionTarget", &p->disruption);
    effect->condition = mst_effect_condition(engine, "DisruptionTarget", &next);
}

/*
 * One victim's turn. Those that need no call are dealt with at once; their ids keep the list
 * ascending.
 */
void mst_eviction_send(struct mst_engine *engine, struct mst_eviction *e)
{
    struct mst_eviction_victim *v = &e->victims[e->sent++];
    bool last = e->sent == e->n;
    if (last && !e->sync && !e->rest)
        mst_preemptor_last(&engine->cluster, e->uid, v->ns, v->name);
    bool went = !mst_eviction_same_pod(engine, v);
    bool in_memory =
        !went && mst_engine_cancel_bind(engine, v->pod, MST_STR("preempted by DefaultPreemption"));
    if (in_memory)
        tell(engine, e, v, true);
    if (went || in_memory) {
        v->effect_id = engine->effect_count;
        v->gone = true;
        e->silent_end |= last && !e->sync;
        e->answered++;
        return;
    }
    struct mst_effect *effect = add_effect(engine, MST_EFFECT_EVICT, v);
    v->effect_id = effect->id;
    set_condition(engine, e, v, effect);
}

/* ---- the end ---- */

static void forget(struct mst_engine *engine, const struct mst_eviction *e)
{
    for (uint32_t i = 0; i < engine->evictions.n; i++) {
        if (engine->evictions.v[i] != e)
            continue;
        engine->evictions.n--;
        memmove(&engine->evictions.v[i], &engine->evictions.v[i + 1],
                (engine->evictions.n - i) * sizeof(*engine->evictions.v));
        return;
    }
}

static void finish(struct mst_engine *engine, struct mst_eviction *e)
{
    mst_count_eviction(engine, e->group, e->failed, e->began_ns);
    if (!e->sync)
        mst_preemptor_end(&engine->cluster, e->uid);
    bool lives = mst_eviction_preemptor_lives(engine, e);
    if (e->sync && e->failed && lives)
        mst_eviction_sync_failed(engine, e);
    else if ((e->failed || e->silent_end) && lives)
        mst_queue_activate(engine->queue, e->group, e->row, engine->now_ns);
    if (e->failed && !engine->config->upstream && mst_eviction_keep_rest(engine, e))
        return;
    forget(engine, e);
    free_eviction(e);
}

void mst_eviction_settle(struct mst_engine *engine, struct mst_eviction *e)
{
    if (e->answered < e->sent)
        return;
    if (!e->rest) {
        finish(engine, e);
    } else if (!mst_eviction_rest_answered(engine, e)) {
        forget(engine, e);
        free_eviction(e);
    }
}

/* Sends what may be sent: the last victim's turn comes when all others are dealt with. */
static void advance(struct mst_engine *engine, struct mst_eviction *e)
{
    while (!e->failed && e->sent < e->n) {
        bool last = e->sent == e->n - 1;
        if (last && e->answered < e->sent)
            return;
        if (last && mst_eviction_spares_last(engine, e)) {
            e->silent_end = true;
            break;
        }
        mst_eviction_send(engine, e);
    }
    mst_eviction_settle(engine, e);
}

/* The victim among those sent; ids ascend. NULL: none of this eviction's. */
static struct mst_eviction_victim *find_in(const struct mst_eviction *e, uint64_t effect_id)
{
    uint32_t lo = 0, hi = e->sent;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (e->victims[mid].effect_id < effect_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < e->sent && e->victims[lo].effect_id == effect_id ? &e->victims[lo] : NULL;
}

bool mst_engine_evict_answered(struct mst_engine *engine, const struct mst_event *event)
{
    struct mst_eviction *e = NULL;
    struct mst_eviction_victim *v = NULL;
    for (uint32_t i = 0; i < engine->evictions.n && !v; i++) {
        e = engine->evictions.v[i];
        v = find_in(e, event->effect_id);
    }
    if (!v)
        return false;
    bool failed = event->kind == MST_EVENT_EFFECT_FAILED;
    if (!failed && !event->gone)
        tell(engine, e, v, false);
    /* Nothing will tell of a victim that was gone before; upstream waits for another event then. */
    if (event->gone && v == &e->victims[e->n - 1] && !engine->config->upstream && !e->sync)
        e->silent_end = true;
    if (failed && !e->failed)
        e->error = mst_arena_str(&e->arena, event->reason.n ? event->reason : MST_STR("failed"));
    e->failed |= failed;
    v->gone |= !failed;
    e->answered++;
    if (e->sync || e->rest)
        mst_eviction_settle(engine, e);
    else
        advance(engine, e);
    return true;
}

/* ---- the beginning ---- */

/* Pods of lower priority that were promised the node look for another one. */
static void clear_lower(struct mst_engine *engine, uint32_t node, int32_t priority)
{
    struct mst_cluster *c = &engine->cluster;
    uint32_t pod = mst_cluster_nominated_first(c, node), next;
    for (; pod != MST_ROW_NONE; pod = next) {
        next = c->pods.v[pod].nominated_next;
        if (c->pods.v[pod].priority >= priority || c->pods.v[pod].status_nominated == MST_SYM_NONE)
            continue;
        mst_cluster_nominate(c, pod, MST_SYM_NONE);
        mst_effect_nominate(engine, pod, MST_SYM_NONE);
    }
}

void mst_eviction_clear_lower(struct mst_engine *engine, const struct mst_preemptor *p,
                              const struct mst_preemption *preemption)
{
    const struct mst_cluster *c = &engine->cluster;
    if (!p->group) {
        clear_lower(engine, preemption->victims.node, c->pods.v[p->row].priority);
        return;
    }
    if (engine->config->upstream)
        return; /* it looks for them on a node named "cluster" */
    for (uint32_t i = 0; i < preemption->nomination_count; i++)
        if (preemption->nominations[i].node != MST_ROW_NONE)
            clear_lower(engine, preemption->nominations[i].node, c->groups.v[p->row].priority);
}

void mst_engine_evict(struct mst_engine *engine, const struct mst_preemptor *p,
                      const struct mst_preemption *preemption)
{
    mst_count_victims(engine, p->group, &preemption->victims);
    if (!live_count(engine, &preemption->victims))
        return;
    if (!is_async(engine)) {
        mst_eviction_sync_rest(engine);
        return;
    }
    mst_eviction_clear_lower(engine, p, preemption);
    advance(engine, mst_eviction_new(engine, p, preemption));
}
