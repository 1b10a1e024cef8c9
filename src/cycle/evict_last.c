/*
 * evict_last.c - the last victim's turn has come: is its going still needed?
 *
 * Invariants: a unit goes whole; in profile upstream nobody is spared.
 * Source:     spec/preemption.md 8, 14.
 */
#include "cycle/evict_internal.h"

bool mst_eviction_same_pod(const struct mst_engine *engine, const struct mst_eviction_victim *v)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[v->pod];
    return p->live && mst_str_eq(p->uid, v->uid);
}

bool mst_eviction_preemptor_lives(const struct mst_engine *engine, const struct mst_eviction *e)
{
    const struct mst_cluster *c = &engine->cluster;
    if (e->group)
        return e->row < c->groups.n && c->groups.v[e->row].live && c->groups.v[e->row].known &&
               mst_str_eq(c->groups.v[e->row].uid, e->uid);
    return c->pods.v[e->row].live && mst_str_eq(c->pods.v[e->row].uid, e->uid);
}

void mst_eviction_promises(const struct mst_engine *engine, struct mst_eviction *e,
                           const struct mst_preemption *preemption)
{
    const struct mst_cluster *c = &engine->cluster;
    uint32_t n = e->group ? preemption->nomination_count : 1;
    e->promises = MST_NEW_N(&e->arena, struct mst_eviction_promise, n);
    if (!e->group) {
        e->promises[e->promise_count++] =
            (struct mst_eviction_promise){ e->row, c->nodes.name[preemption->victims.node] };
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_nomination *seat = &preemption->nominations[i];
        if (seat->node != MST_ROW_NONE)
            e->promises[e->promise_count++] =
                (struct mst_eviction_promise){ seat->pod, c->nodes.name[seat->node] };
    }
}

/* False: nothing can be said; a pod has gone or has found a place, or is promised another one. */
static bool read_promises(const struct mst_engine *engine, const struct mst_eviction *e,
                          struct mst_assignment *out)
{
    const struct mst_cluster *c = &engine->cluster;
    for (uint32_t i = 0; i < e->promise_count; i++) {
        const struct mst_eviction_promise *p = &e->promises[i];
        const struct mst_pod_row *row = &c->pods.v[p->pod];
        if (!row->live || row->node != MST_ROW_NONE || row->status_nominated != p->node ||
            mst_nodes_row(&c->nodes, p->node) == MST_ROW_NONE || row->extenders)
            return false; /* nobody but an extender knows what it takes room for */
        out[i] =
            (struct mst_assignment){ .pod = p->pod, .node = mst_nodes_row(&c->nodes, p->node) };
    }
    return true;
}

/* The victims whose eviction is sent make room enough, as the cluster is now. */
static bool fits_already(struct mst_engine *engine, const struct mst_eviction *e)
{
    const struct mst_cluster *c = &engine->cluster;
    struct mst_assignment *seats =
        MST_NEW_N(&engine->arena, struct mst_assignment, e->promise_count);
    uint32_t *gone = MST_NEW_N(&engine->arena, uint32_t, e->sent), n = 0;
    if (!read_promises(engine, e, seats))
        return false;
    for (uint32_t i = 0; i < e->sent; i++)
        if (mst_eviction_same_pod(engine, &e->victims[i]) &&
            c->pods.v[e->victims[i].pod].node != MST_ROW_NONE)
            gone[n++] = e->victims[i].pod;
    const struct mst_framework *fw = &engine->frameworks[e->profile];
    struct mst_preempt x = mst_engine_preempt(engine, fw);
    struct mst_placing placing = { .engine = engine, .fw = fw };
    const struct mst_group_placer placer = mst_engine_placer(&placing);
    return mst_preempt_fits(&x, &placer, seats, e->promise_count, gone, n);
}

/* Others of its unit are on their way out, or gone: a unit goes whole. */
static bool is_in_broken_unit(const struct mst_engine *engine, const struct mst_eviction *e)
{
    const struct mst_cluster *c = &engine->cluster;
    const struct mst_eviction_victim *last = &e->victims[e->n - 1];
    for (uint32_t i = 0; i < e->sent; i++)
        if (last->unit != MST_ROW_NONE && e->victims[i].unit == last->unit)
            return true;
    if (last->unit == MST_ROW_NONE || !mst_eviction_same_pod(engine, last))
        return false;
    for (uint32_t pod = c->groups.v[last->unit].first_pod; pod != MST_ROW_NONE;
         pod = c->pods.v[pod].group_next)
        if (c->pods.v[pod].deleting)
            return true;
    return false;
}

bool mst_eviction_spares_last(struct mst_engine *engine, const struct mst_eviction *e)
{
    if (engine->config->upstream || is_in_broken_unit(engine, e))
        return false;
    return !mst_eviction_preemptor_lives(engine, e) || (e->n > 1 && fits_already(engine, e));
}
