/*
 * evict_rest.c - a unit of which some pods are gone and others could not be evicted.
 *
 * A half-evicted group is of no use to anybody. Its other pods go, too, once evictions work again,
 * whether or not the preemptor still needs their room.
 *
 * Invariants: profile muster alone; only pods that are still of the group and not on their way out.
 * Not here:   which units were broken before the process was started (takeover.c).
 * Source:     spec/preemption.md 8, 14.
 */
#include "cycle/evict_internal.h"

#define PAUSE_NS INT64_C(1000000000)
#define PAUSE_MAX_NS (60 * PAUSE_NS)

static bool is_over(const struct mst_engine *engine, const struct mst_eviction_victim *v)
{
    const struct mst_cluster *c = &engine->cluster;
    if (v->gone || !mst_eviction_same_pod(engine, v) || c->pods.v[v->pod].deleting)
        return true;
    const struct mst_group_row *g = &c->groups.v[v->unit];
    return c->pods.v[v->pod].group != v->unit || !g->known || !g->disrupted_whole;
}

static bool is_broken(const struct mst_eviction *e, uint32_t unit)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (e->victims[i].unit == unit && e->victims[i].gone)
            return true;
    return false;
}

/* Leaves those that have to go yet; the next try is after a pause. */
static bool wait_with(struct mst_engine *engine, struct mst_eviction *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (!is_over(engine, &e->victims[i]))
            e->victims[kept++] = e->victims[i];
    e->n = kept;
    e->sent = e->answered = 0;
    e->retry_ns = engine->now_ns + e->pause_ns;
    return kept > 0;
}

struct mst_eviction *mst_eviction_rest_new(struct mst_engine *engine, struct mst_str why,
                                           uint32_t n)
{
    struct mst_eviction *e = mst_calloc(1, sizeof(*e));
    e->rest = true;
    e->retry_ns = engine->now_ns;
    e->pause_ns = PAUSE_NS / 2; /* doubled for the second try */
    e->note = MST_STR("Preempted with the other pods of its group");
    e->why = mst_arena_str(&e->arena, why);
    e->victims = MST_NEW_N(&e->arena, struct mst_eviction_victim, n);
    mst_vec_push(&engine->evictions, e);
    return e;
}

bool mst_eviction_keep_rest(struct mst_engine *engine, struct mst_eviction *e)
{
    struct mst_eviction_victim *left = MST_NEW_N(&e->arena, struct mst_eviction_victim, e->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->victims[i].unit != MST_ROW_NONE && is_broken(e, e->victims[i].unit))
            left[n++] = e->victims[i];
    e->victims = left;
    e->n = n;
    e->rest = true;
    e->pause_ns = PAUSE_NS;
    return wait_with(engine, e);
}

bool mst_eviction_rest_answered(struct mst_engine *engine, struct mst_eviction *e)
{
    e->pause_ns = MST_MIN(2 * e->pause_ns, PAUSE_MAX_NS);
    return wait_with(engine, e);
}

static bool is_waiting(const struct mst_eviction *e)
{
    return e->rest && !e->sent;
}

/* The oldest whose time has come. */
static struct mst_eviction *due(const struct mst_engine *engine)
{
    for (uint32_t i = 0; i < engine->evictions.n; i++)
        if (is_waiting(engine->evictions.v[i]) &&
            engine->evictions.v[i]->retry_ns <= engine->now_ns)
            return engine->evictions.v[i];
    return NULL;
}

void mst_evictions_retry(struct mst_engine *engine)
{
    struct mst_eviction *e;
    while ((e = due(engine)) != NULL) {
        if (!wait_with(engine, e)) { /* meanwhile the others went by themselves */
            mst_eviction_settle(engine, e);
            continue;
        }
        while (e->sent < e->n)
            mst_eviction_send(engine, e);
        mst_eviction_settle(engine, e);
    }
}

int64_t mst_evictions_deadline(const struct mst_engine *engine)
{
    int64_t deadline_ns = INT64_MAX;
    for (uint32_t i = 0; i < engine->evictions.n; i++)
        if (is_waiting(engine->evictions.v[i]))
            deadline_ns = MST_MIN(deadline_ns, engine->evictions.v[i]->retry_ns);
    return deadline_ns;
}
