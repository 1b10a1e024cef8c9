/*
 * sim_restart.h - the process dies and another one takes over: what was under way has happened or
 * not, nobody was told, and all that the next engine knows is what the API server has.
 */
#ifndef MST_SIM_RESTART_H
#define MST_SIM_RESTART_H

#include "sim_run.h"

static inline void sim_new_engine(struct sim *s)
{
    struct mst_err err;
    s->engine = mst_engine_new(&(struct mst_engine_options){ .config = &s->config,
                                                             .registry = &s->registry,
                                                             .syms = s->world.syms,
                                                             .random_ties = s->random_ties,
                                                             .seed = s->seed },
                               &err);
    mst_assert(s->engine);
}

/* Requests whose answers nobody takes. */
static inline void sim_lose_answers(struct sim *s)
{
    struct sim_world *w = &s->world;
    for (uint32_t k = 0; k < s->binds.n; k++) {
        const struct sim_bind *b = &s->binds.v[k];
        struct sim_pod *p = &w->pods[b->pod];
        const bool refused = sim_bind_refused(p, b);
        if (!refused && sim_chance(w, 50))
            sim_bind_happens(p, b);
    }
    for (uint32_t k = 0; k < s->evictions.n; k++) {
        struct sim_pod *p = &w->pods[s->evictions.v[k].pod];
        if (p->live && p->uid == s->evictions.v[k].uid && sim_chance(w, 50))
            sim_eviction_happens(s, p);
    }
    s->binds.n = s->evictions.n = 0;
}

static inline bool sim_unit_is_leaving(const struct sim_world *w, int group, int64_t *ret_since_s)
{
    *ret_since_s = INT64_MIN;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *p = &w->pods[i];
        if (p->live && p->group == group && p->deleting && p->disrupted)
            *ret_since_s = MST_MAX(*ret_since_s, p->disrupted_s);
    }
    return *ret_since_s != INT64_MIN;
}

/* Members that were there when others of their unit were evicted have to follow those. */
static inline void sim_expect_parts(struct sim *s, int group)
{
    const struct sim_world *w = &s->world;
    const struct sim_group *g = &w->groups[group];
    int64_t since_s;
    if (!g->live || !g->whole || !sim_unit_is_leaving(w, group, &since_s))
        return;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *p = &w->pods[i];
        const bool went = p->deleting && p->disrupted;
        const bool stays = p->node != SIM_NONE && !p->deleting && p->created_s < since_s;
        if (p->live && p->group == group && (went || stays))
            mst_vec_push(&s->parts, (struct sim_part){ .pod = i,
                                                       .group = group,
                                                       .uid = p->uid,
                                                       .group_uid = g->uid,
                                                       .cycle = s->cycles_before,
                                                       .went = went });
    }
}

/* The patch that says that the group was scheduled is lost, if it could be told again. */
static inline bool sim_lose_success(struct sim *s, int group)
{
    struct sim_world *w = &s->world;
    struct sim_group *g = &w->groups[group];
    int bound = 0, ours = 0;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *p = &w->pods[i];
        bound += p->live && p->group == group && p->node != SIM_NONE;
        ours += p->live && p->group == group && p->node != SIM_NONE && !p->deleting &&
                !p->other_scheduler;
    }
    if (!g->live || !g->was_true || !ours || bound < (g->gang ? g->min : 1) || sim_chance(w, 50))
        return false;
    g->cond.set = g->was_true = false;
    return true;
}

static inline void sim_tell_all(struct sim *s)
{
    struct sim_world *w = &s->world;
    for (int i = 0; i < SIM_NODES; i++)
        if (w->nodes[i].live)
            sim_send_node(s, i);
    const bool pods_first = sim_chance(w, 50);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SIM_PODS && (round == 0) == pods_first; i++)
            if (w->pods[i].live)
                sim_send_pod(s, i);
        for (int i = 0; i < SIM_GROUPS && (round == 0) != pods_first; i++)
            if (w->groups[i].live)
                sim_send_group(s, i);
    }
}

/* What the first step goes on with: units that have a reason to go, and nobody else. */
static inline void sim_check_taken_over(struct sim *s, const bool *lost)
{
    const struct sim_world *w = &s->world;
    int64_t since_s;
    for (uint32_t k = 0; k < s->evictions.n; k++) {
        const int group = w->pods[s->evictions.v[k].pod].group;
        if (s->evictions.v[k].effect_id > s->first_attempt_id)
            continue; /* decided anew */
        if (s->config.upstream || group == SIM_NONE || !w->groups[group].whole ||
            (!w->groups[group].disruption.set && !sim_unit_is_leaving(w, group, &since_s)))
            sim_fail(s, "p%d goes without a reason", s->evictions.v[k].pod);
    }
    for (int i = 0; i < SIM_GROUPS; i++)
        if (lost[i] && !s->config.upstream && !w->groups[i].was_true)
            sim_fail(s, "nobody says that g%d was scheduled", i);
}

static inline void sim_restart(struct sim *s)
{
    bool lost[SIM_GROUPS];
    sim_trace(s, "  --- the process dies ---\n");
    sim_lose_answers(s);
    s->cycles_before += mst_engine_cycles(s->engine) + 1;
    mst_engine_free(s->engine);
    sim_new_engine(s);
    s->parts.n = 0;
    for (int i = 0; i < SIM_GROUPS; i++) {
        lost[i] = sim_lose_success(s, i);
        sim_expect_parts(s, i);
    }
    sim_tell_all(s);
    s->first_attempt_id = UINT64_MAX;
    (void)sim_step(s);
    sim_check_taken_over(s, lost);
}

#endif
