/*
 * sim_run.h - one engine in the simulated world: events in, effects carried out, rules checked.
 *
 * The host part is an API server with its rules (a binding needs a live, unbound pod of that UID
 * that is neither gated nor being deleted), a watch that may be late, and answers that come when
 * they like.
 */
#ifndef MST_SIM_RUN_H
#define MST_SIM_RUN_H

#include <stdarg.h>
#include <stdio.h>

#include "cycle/engine.h"
#include "cycle/explain.h"
#include "plugins/registry.h"
#include "sim_world.h"

#define SIM_SECOND INT64_C(1000000000)

struct sim_bind {
    uint64_t effect_id;
    int pod, node;
    uint32_t uid, cycle;
};

/* An eviction of a pod whose group goes as a whole, and what became of it. */
struct sim_part {
    int pod, group;
    uint32_t uid, group_uid, cycle;
    bool went;
};

struct sim {
    struct sim_world world;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_engine *engine;
    struct mst_effects out;
    MST_VEC(struct sim_bind) binds;
    MST_VEC(struct sim_bind) evictions; /* not answered; pod and uid of the victim */
    MST_VEC(struct sim_part) parts;
    int preemptor; /* priority of what this step attempted, or INT32_MAX */
    int64_t now;
    uint64_t seed;
    bool random_ties;
    uint32_t cycles_before;    /* of the engines before this one */
    uint64_t first_attempt_id; /* of this engine, once there was one */
    uint64_t hash;             /* of every effect with its time */
    uint64_t effects;
    bool prying; /* look, explain, and step in between: none of it may change a decision */
    bool trace;
    bool calm; /* no randomness any more: the watch is prompt, every bind works */
    struct mst_rng pry;
    struct mst_arena pry_arena;
    uint32_t scheduled[SIM_GROUPS]; /* of the engine's group rows, before the step */
    bool failed;
    char failure[400];
};

MST_PRINTF(2, 3) static inline void sim_fail(struct sim *s, const char *format, ...)
{
    if (s->failed)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->failure, sizeof(s->failure), format, args);
    va_end(args);
    s->failed = true;
}

#define sim_trace(s, ...) ((s)->trace ? (void)printf("# " __VA_ARGS__) : (void)0)

/* ---- events ---- */

static inline void sim_send(struct sim *s, mst_event_kind kind, const struct mst_object *object)
{
    struct mst_event event = { .kind = kind, .object = object };
    mst_engine_event(s->engine, &event, s->now);
    mst_arena_reset(&s->world.event);
}

static inline void sim_send_pod(struct sim *s, int i)
{
    sim_trace(s, "  set p%d\n", i);
    s->world.pods[i].dirty = false;
    sim_send(s, MST_EVENT_SET, sim_pod_object(&s->world, i));
}

static inline void sim_send_group(struct sim *s, int i)
{
    sim_trace(s, "  set g%d\n", i);
    s->world.groups[i].dirty = false;
    sim_send(s, MST_EVENT_SET, sim_group_object(&s->world, i));
}

static inline void sim_send_node(struct sim *s, int i)
{
    sim_trace(s, "  set n%d cpu %lld z%d\n", i, (long long)s->world.nodes[i].cpu,
              s->world.nodes[i].zone);
    sim_send(s, MST_EVENT_SET, sim_node_object(&s->world, i));
}

/* The watch catches up. True if it had something to tell. */
static inline bool sim_flush(struct sim *s, int percent)
{
    bool any = false;
    for (int i = 0; i < SIM_PODS; i++)
        if (s->world.pods[i].live && s->world.pods[i].dirty && sim_chance(&s->world, percent)) {
            sim_send_pod(s, i);
            any = true;
        }
    for (int i = 0; i < SIM_GROUPS; i++)
        if (s->world.groups[i].live && s->world.groups[i].dirty && sim_chance(&s->world, percent)) {
            sim_send_group(s, i);
            any = true;
        }
    return any;
}

/* ---- rows ---- */

static inline uint32_t sim_pod_row(struct sim *s, int i)
{
    uint32_t row = mst_cluster_pod(mst_engine_cluster(s->engine), sim_sym(&s->world, "default"),
                                   sim_name(&s->world.event, 'p', i));
    return row;
}

static inline uint32_t sim_group_row(struct sim *s, int i)
{
    return mst_cluster_group(mst_engine_cluster(s->engine), sim_sym(&s->world, "default"),
                             sim_name(&s->world.event, 'g', i));
}

static inline uint32_t sim_scheduled(struct sim *s, int i)
{
    uint32_t row = sim_group_row(s, i);
    return row == MST_ROW_NONE ? 0 : mst_engine_cluster(s->engine)->groups.v[row].scheduled_count;
}

/* ---- effects ---- */

static inline void sim_hash_str(struct sim *s, struct mst_str text)
{
    s->hash = mst_hash_mix(s->hash, mst_hash(text.p ? text.p : "", text.n) + text.n);
}

static inline void sim_hash_condition(struct sim *s, const struct mst_condition *c)
{
    const struct mst_str texts[] = { c->type, c->status, c->reason, c->message };
    for (size_t i = 0; i < MST_COUNT(texts); i++)
        sim_hash_str(s, texts[i]);
    s->hash = mst_hash_mix(s->hash, (uint64_t)c->last_transition.unix_s);
}

static inline void sim_hash_effect(struct sim *s, const struct mst_effect *e)
{
    const uint64_t numbers[] = { e->id,      e->cycle,         e->kind,          e->object_kind,
                                 e->attempt, e->condition_set, e->nominated_set, (uint64_t)s->now };
    for (size_t i = 0; i < MST_COUNT(numbers); i++)
        s->hash = mst_hash_mix(s->hash, numbers[i]);
    const struct mst_str texts[] = { e->ns,   e->name,   e->uid,    e->node, e->nominated,
                                     e->type, e->reason, e->action, e->note };
    for (size_t i = 0; i < MST_COUNT(texts); i++)
        sim_hash_str(s, texts[i]);
    for (uint32_t i = 0; i < e->pods.n; i++)
        sim_hash_str(s, e->pods.v[i]);
    sim_hash_condition(s, &e->condition);
    sim_hash_condition(s, &e->before);
}

static inline struct sim_cond sim_keep_cond(struct sim *s, const struct mst_condition *c)
{
    struct mst_arena *arena = &s->world.arena;
    struct sim_cond kept = { .set = true, .c = *c };
    kept.c.type = mst_arena_str(arena, c->type);
    kept.c.status = mst_arena_str(arena, c->status);
    kept.c.reason = mst_arena_str(arena, c->reason);
    kept.c.message = mst_arena_str(arena, c->message);
    return kept;
}

/* Hard constraints between pods, against the binds before this one. */
static inline void sim_check_domains(struct sim *s, int pod, int node)
{
    int at[SIM_PODS];
    for (int i = 0; i < SIM_PODS; i++)
        at[i] = s->world.pods[i].live ? s->world.pods[i].node : SIM_NONE;
    for (uint32_t k = 0; k < s->binds.n; k++) {
        const struct sim_bind *b = &s->binds.v[k];
        if (s->world.pods[b->pod].live && s->world.pods[b->pod].uid == b->uid &&
            at[b->pod] == SIM_NONE)
            at[b->pod] = b->node;
    }
    int other = sim_excluded(&s->world, pod, node, at);
    if (other != SIM_NONE)
        sim_fail(s, "p%d on n%d and p%d on n%d exclude each other", pod, node, other, at[other]);
    if (sim_skewed(&s->world, pod, node, at))
        sim_fail(s, "p%d on n%d breaks its spread constraint", pod, node);
}

/* Rules for a bind that just went out. All seats of the step are taken by now. */
static inline void sim_check_bind(struct sim *s, const struct mst_effect *e, int pod, int node)
{
    const struct sim_pod *p = &s->world.pods[pod];
    if (!p->live || p->node != SIM_NONE || p->gated || p->deleting || p->other_scheduler)
        sim_fail(s, "p%d must not be bound", pod);
    if (!sim_welcome(&s->world, p, node))
        sim_fail(s, "p%d is not welcome on n%d", pod, node);
    if (s->world.domains)
        sim_check_domains(s, pod, node);
    const struct mst_nodes *nodes = &mst_engine_cluster(s->engine)->nodes;
    uint32_t row = mst_nodes_row(nodes, sim_node_sym(&s->world, node));
    for (uint32_t r = 0; r < MST_RES_EPHEMERAL; r++)
        if (nodes->requested[r][row] > nodes->allocatable[r][row])
            sim_fail(s, "n%d is over-committed in resource %u by bind %llu", node, r,
                     (unsigned long long)e->id);
    if (nodes->pod_count[row] > nodes->pods_allowed[row])
        sim_fail(s, "n%d has too many pods", node);
}

static inline void sim_take_pod_status(struct sim *s, const struct mst_effect *e)
{
    int i = sim_index(e->name);
    struct sim_pod *p = &s->world.pods[i];
    if (!p->live || !mst_str_eq(sim_uid(&s->world.event, p->uid), e->uid))
        return;
    if (p->node != SIM_NONE)
        return; /* the server's own True is newer */
    if (e->condition_set)
        p->cond = sim_keep_cond(s, &e->condition);
    if (e->nominated_set)
        p->nominated = e->nominated.n ? sim_index(e->nominated) : SIM_NONE;
    p->dirty = true;
}

/* Only profile muster says so, and only of groups whose pods go together. */
static inline void sim_take_disruption(struct sim *s, const struct mst_effect *e)
{
    struct sim_group *g = &s->world.groups[sim_index(e->name)];
    if (s->config.upstream)
        sim_fail(s, "profile upstream marks %.*s", MST_ARG(e->name));
    if (!g->live || !mst_str_eq(sim_uid(&s->world.event, g->uid), e->uid))
        return;
    if (!g->whole)
        sim_fail(s, "%.*s is marked, its pods go one by one", MST_ARG(e->name));
    g->disruption = sim_keep_cond(s, &e->condition);
    g->dirty = true;
}

static inline void sim_take_group_status(struct sim *s, const struct mst_effect *e)
{
    struct sim_group *g = &s->world.groups[sim_index(e->name)];
    if (!g->live || !mst_str_eq(sim_uid(&s->world.event, g->uid), e->uid))
        return;
    bool is_true = mst_str_is(e->condition.status, "True");
    if (g->was_true && !is_true)
        sim_fail(s, "condition of %.*s goes back from True", MST_ARG(e->name));
    g->was_true |= is_true;
    g->cond = sim_keep_cond(s, &e->condition);
    g->dirty = true;
}

/* What counts when somebody wants its room. */
static inline int sim_victim_priority(const struct sim_world *w, const struct sim_pod *p)
{
    bool grouped = p->group != SIM_NONE && w->groups[p->group].live;
    return grouped ? w->groups[p->group].priority : p->priority;
}

/* Rules for an eviction that just went out. */
static inline void sim_check_eviction(struct sim *s, const struct mst_effect *e, int pod)
{
    const struct sim_world *w = &s->world;
    const struct sim_pod *p = &w->pods[pod];
    /* Gate off: victims go before anything is said about the preemptor. */
    bool promised = !s->config.gates.on[MST_GATE_SchedulerAsyncPreemption];
    if (s->preemptor == INT32_MAX)
        return; /* follows from an answer; the victim, or its preemptor, may be gone by now */
    if (!p->live || !mst_str_eq(sim_uid(&s->world.event, p->uid), e->uid) || p->deleting)
        sim_fail(s, "p%d is evicted in vain", pod);
    if (sim_victim_priority(w, p) >= s->preemptor)
        sim_fail(s, "p%d goes for somebody who is not more important", pod);
    for (int i = 0; i < SIM_PODS; i++)
        promised |= w->pods[i].live && w->pods[i].node == SIM_NONE &&
                    w->pods[i].nominated != SIM_NONE && w->pods[i].priority >= s->preemptor;
    if (!promised)
        sim_fail(s, "p%d goes and nobody was promised its room", pod);
}

static inline void sim_note_attempt(struct sim *s, const struct mst_effect *e, int i)
{
    sim_trace(s, "  -> try %.*s #%u\n", MST_ARG(e->name), e->attempt);
    s->first_attempt_id = MST_MIN(s->first_attempt_id, e->id);
    s->preemptor =
        e->object_kind == MST_KIND_POD ? s->world.pods[i].priority : s->world.groups[i].priority;
}

static inline void sim_take(struct sim *s, const struct mst_effect *e)
{
    int i = sim_index(e->name);
    s->effects++;
    sim_hash_effect(s, e);
    switch (e->kind) {
    case MST_EFFECT_ATTEMPT: sim_note_attempt(s, e, i); break;
    case MST_EFFECT_EVENT:
        sim_trace(s, "  -> event %.*s %.*s\n", MST_ARG(e->name), MST_ARG(e->note));
        break;
    case MST_EFFECT_BIND:
        sim_trace(s, "  -> bind p%d %.*s\n", i, MST_ARG(e->node));
        sim_check_bind(s, e, i, sim_index(e->node));
        mst_vec_push(&s->binds, (struct sim_bind){ .effect_id = e->id,
                                                   .pod = i,
                                                   .node = sim_index(e->node),
                                                   .uid = s->world.pods[i].uid });
        break;
    case MST_EFFECT_POD_STATUS:
        sim_trace(s, "  -> pod p%d %.*s%s\n", i, MST_ARG(e->condition.message),
                  e->nominated_set ? " (nomination)" : "");
        sim_take_pod_status(s, e);
        break;
    case MST_EFFECT_GROUP_STATUS:
        sim_trace(s, "  -> group g%d %.*s %.*s\n", i, MST_ARG(e->condition.status),
                  MST_ARG(e->condition.message));
        if (mst_str_is(e->condition.type, "DisruptionTarget"))
            sim_take_disruption(s, e);
        else
            sim_take_group_status(s, e);
        break;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: sim_fail(s, "a volume changes where there are none"); break;
    case MST_EFFECT_EVICT:
        sim_trace(s, "  -> evict p%d\n", i);
        sim_check_eviction(s, e, i);
        mst_vec_push(&s->evictions, (struct sim_bind){ .effect_id = e->id,
                                                       .pod = i,
                                                       .node = SIM_NONE,
                                                       .uid = s->world.pods[i].uid,
                                                       .cycle = s->cycles_before + e->cycle });
        break;
    case MST_EFFECT_EXTENDER: sim_fail(s, "an extender is asked where there are none"); break;
    }
}

/* ---- answers ---- */

static inline bool sim_bind_refused(const struct sim_pod *p, const struct sim_bind *b)
{
    return !p->live || p->uid != b->uid || p->node != SIM_NONE || p->deleting || p->gated;
}

static inline void sim_bind_happens(struct sim_pod *p, const struct sim_bind *b)
{
    p->node = b->node;
    p->nominated = SIM_NONE;
    p->cond =
        (struct sim_cond){ .set = true,
                           .c = { .type = MST_STR("PodScheduled"), .status = MST_STR("True") } };
    p->dirty = true;
}

static inline void sim_answer(struct sim *s, uint32_t k)
{
    struct sim_bind b = s->binds.v[k];
    s->binds.v[k] = s->binds.v[--s->binds.n];
    struct sim_pod *p = &s->world.pods[b.pod];
    bool refused = sim_bind_refused(p, &b);
    bool fails = refused || (!s->calm && sim_chance(&s->world, 15));
    bool watch_first = s->calm || sim_chance(&s->world, 50);
    struct mst_event event = { .kind = MST_EVENT_EFFECT_FAILED,
                               .effect_id = b.effect_id,
                               .reason = refused ? MST_STR("conflict") : MST_STR("server error") };
    sim_trace(s, "  answer bind p%d: %s\n", b.pod, fails ? "failed" : "done");
    if (!fails) {
        event = (struct mst_event){ .kind = MST_EVENT_EFFECT_DONE, .effect_id = b.effect_id };
        sim_bind_happens(p, &b);
        if (watch_first)
            sim_send_pod(s, b.pod);
    }
    mst_engine_event(s->engine, &event, s->now);
}

static inline void sim_remove_pod(struct sim *s, int i)
{
    sim_trace(s, "  remove p%d\n", i);
    struct mst_object *o = sim_pod_object(&s->world, i);
    s->world.pods[i].live = false;
    sim_send(s, MST_EVENT_REMOVE, o);
}

static inline void sim_note_part(struct sim *s, const struct sim_bind *b, bool went)
{
    const struct sim_pod *p = &s->world.pods[b->pod];
    if (!p->live || p->uid != b->uid || p->group == SIM_NONE)
        return;
    const struct sim_group *g = &s->world.groups[p->group];
    if (g->live && g->whole)
        mst_vec_push(&s->parts, (struct sim_part){ .pod = b->pod,
                                                   .group = p->group,
                                                   .uid = b->uid,
                                                   .group_uid = g->uid,
                                                   .cycle = b->cycle,
                                                   .went = went });
}

/* Profile muster: who stayed while others of its unit went has followed them by now. */
static inline void sim_check_parts(struct sim *s)
{
    for (uint32_t i = 0; i < s->parts.n; i++) {
        const struct sim_part *a = &s->parts.v[i];
        const struct sim_pod *p = &s->world.pods[a->pod];
        const struct sim_group *g = &s->world.groups[a->group];
        bool stays = !a->went && p->live && p->uid == a->uid && !p->deleting &&
                     p->group == a->group && p->node != SIM_NONE && g->live &&
                     g->uid == a->group_uid && g->whole;
        for (uint32_t k = 0; stays && k < s->parts.n; k++)
            if (s->parts.v[k].went && s->parts.v[k].group == a->group &&
                s->parts.v[k].cycle == a->cycle)
                sim_fail(s, "p%d stays, p%d of its unit went", a->pod, s->parts.v[k].pod);
    }
}

static inline void sim_eviction_happens(const struct sim *s, struct sim_pod *p)
{
    if (!p->disrupted)
        p->disrupted_s = s->now / SIM_SECOND;
    p->deleting = p->disrupted = true;
}

static inline void sim_answer_eviction(struct sim *s, uint32_t k)
{
    struct sim_bind b = s->evictions.v[k];
    s->evictions.v[k] = s->evictions.v[--s->evictions.n];
    struct sim_pod *p = &s->world.pods[b.pod];
    struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = b.effect_id };
    event.gone = !p->live || p->uid != b.uid;
    if (!event.gone && !s->calm && sim_chance(&s->world, 15)) {
        event.kind = MST_EVENT_EFFECT_FAILED;
        event.reason = MST_STR("server error");
    }
    bool happens = !event.gone && event.kind == MST_EVENT_EFFECT_DONE;
    sim_trace(s, "  answer eviction of p%d: %s\n", b.pod, happens ? "done" : "not done");
    sim_note_part(s, &b, happens);
    if (happens) {
        sim_eviction_happens(s, p);
        sim_send_pod(s, b.pod);
    }
    mst_engine_event(s->engine, &event, s->now);
    if (happens && (s->calm || sim_chance(&s->world, 50)))
        sim_remove_pod(s, b.pod);
}

/* ---- steps ---- */

/* Looks at something at random; nothing of it may leave a trace. */
static inline void sim_pry(struct sim *s)
{
    struct mst_cluster *cluster = mst_engine_cluster(s->engine);
    bool group = mst_rng_below(&s->pry, 2);
    uint32_t n = group ? cluster->groups.n : cluster->pods.n;
    if (!n || mst_rng_below(&s->pry, 3))
        return;
    uint32_t row = (uint32_t)mst_rng_below(&s->pry, n);
    mst_arena_reset(&s->pry_arena);
    struct mst_explanation explanation;
    struct mst_pod_answer answer;
    struct mst_effects calls = { 0 };
    struct mst_preempt_answer preempt;
    if (group ? cluster->groups.v[row].live : cluster->pods.v[row].live)
        (void)mst_explain(s->engine, group, row, s->now, &s->pry_arena, &explanation, &calls);
    if (!group && cluster->pods.v[row].live && cluster->pods.v[row].class_id != UINT32_MAX)
        (void)mst_explain_scores(s->engine, row, row % 2 == 0, &s->pry_arena, &answer, &calls);
    if (group ? cluster->groups.v[row].live : cluster->pods.v[row].live)
        (void)mst_explain_preempt(s->engine, group, row, &s->pry_arena, &preempt, &calls);
    mst_effects_done(&calls);
    mst_engine_check(s->engine);
}

/* A gang moves from its quorum or above, or from below it to its quorum at least. */
static inline void sim_check_gangs(struct sim *s)
{
    for (int i = 0; i < SIM_GROUPS; i++) {
        uint32_t after = sim_scheduled(s, i);
        if (after == s->scheduled[i])
            continue;
        uint32_t row = sim_group_row(s, i);
        const struct mst_group_row *g = &mst_engine_cluster(s->engine)->groups.v[row];
        if (after < s->scheduled[i])
            sim_fail(s, "a step took members of g%d away", i);
        if (g->known && g->policy == MST_POLICY_GANG && after < g->min_count)
            sim_fail(s, "g%d has %u of %lld", i, after, (long long)g->min_count);
    }
}

static inline bool sim_step(struct sim *s)
{
    for (int i = 0; i < SIM_GROUPS; i++)
        s->scheduled[i] = sim_scheduled(s, i);
    s->preemptor = INT32_MAX;
    bool more = mst_engine_step(s->engine, s->now, &s->out);
    mst_engine_check(s->engine);
    sim_check_gangs(s);
    for (uint32_t i = 0; i < s->out.list.n; i++)
        sim_take(s, &s->out.list.v[i]);
    if (!more && s->out.list.n)
        sim_fail(s, "a step with effects says that nothing happened");
    mst_arena_reset(&s->world.event);
    bool told = sim_flush(s, s->calm ? 100 : 40);
    if (s->prying)
        sim_pry(s);
    return more || told;
}

enum { SIM_STEPS_MAX = 2000 };

static inline void sim_settle(struct sim *s)
{
    for (uint32_t n = 0; sim_step(s) && !s->failed; n++) {
        while (s->calm && s->binds.n)
            sim_answer(s, 0);
        while (s->calm && s->evictions.n)
            sim_answer_eviction(s, 0);
        if (n == SIM_STEPS_MAX)
            sim_fail(s, "does not come to rest");
    }
}

/* Nothing may happen before the engine's own deadline. */
static inline void sim_step_early(struct sim *s, int64_t until)
{
    if (until - s->now < 2)
        return;
    s->now += 1 + (int64_t)mst_rng_below(&s->pry, (uint64_t)(until - s->now - 1));
    bool more = mst_engine_step(s->engine, s->now, &s->out);
    if (more || s->out.list.n)
        sim_fail(s, "something happened before the deadline");
    for (uint32_t i = 0; i < s->out.list.n; i++)
        sim_take(s, &s->out.list.v[i]);
}

static inline void sim_wait(struct sim *s, int64_t ns)
{
    int64_t end = s->now + ns;
    sim_settle(s);
    while (s->now < end && !s->failed) {
        int64_t deadline = mst_engine_deadline(s->engine, s->now);
        int64_t next = MST_MIN(deadline, end);
        if (next <= s->now) {
            sim_fail(s, "the deadline is now, yet a step did nothing");
            return;
        }
        if (s->prying)
            sim_step_early(s, next);
        s->now = next;
        sim_settle(s);
    }
}

#endif
