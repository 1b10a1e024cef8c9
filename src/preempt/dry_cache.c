/*
 * dry_cache.c - what dry runs answered for pods of one class and priority, node by node.
 *
 * Thousands of alike pods that find no room ask about the same nodes; between two of them a node or
 * two have changed. An answer is good while the row's stamp stands.
 *
 * Owns:       copies of the answers, for the class and priority asked last.
 * Invariants: kept are only answers that nothing but the row's own pods, nominations and budgets
 *             decide: no groups on the node, no counters, no volumes, every start time known, and
 *             nothing left open by the budget of steps.
 */
#include "cluster/budgets.h"
#include "preempt/preempt_internal.h"

#define BYTES_MAX ((size_t)64 << 20)

struct entry {
    uint64_t stamp; /* 0: nothing */
    const struct mst_dry_run *run;
    bool helps; /* the run's, beside the stamp: most rows are only passed by */
};

struct mst_dry_cache {
    struct mst_arena arena;
    uint64_t compiled, budgets; /* of the evaluation and the budgets that the answers are about */
    int32_t priority;
    MST_VEC(struct entry) rows;
};

struct mst_dry_cache *mst_dry_cache_new(void)
{
    return mst_calloc(1, sizeof(struct mst_dry_cache));
}

void mst_dry_cache_free(struct mst_dry_cache *cache)
{
    if (!cache)
        return;
    mst_arena_done(&cache->arena);
    mst_vec_done(&cache->rows);
    mst_free(cache);
}

bool mst_dry_cache_begin(struct mst_dry_cache *cache, const struct mst_preempt *x,
                         const struct mst_eval *eval, uint32_t pod)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    if (eval->counting || mst_cluster_class(c, eval->class_id)->volumes)
        return false;
    uint64_t budgets = c->budgets ? c->budgets->generation : 0;
    int32_t priority = c->pods.v[pod].priority;
    bool same = cache->compiled == eval->compiled && cache->budgets == budgets &&
                cache->priority == priority && cache->rows.n == c->nodes.count &&
                cache->arena.bytes < BYTES_MAX;
    if (same)
        return true;
    cache->compiled = eval->compiled;
    cache->budgets = budgets;
    cache->priority = priority;
    mst_arena_reset(&cache->arena);
    cache->rows.n = 0;
    mst_vec_reserve(&cache->rows, MST_MAX(1u, c->nodes.count));
    cache->rows.n = c->nodes.count;
    memset(cache->rows.v, 0, cache->rows.n * sizeof(*cache->rows.v));
    return true;
}

/* The pod's own nomination does not count for it, but for others. */
static bool is_nominated_here(const struct mst_cluster *c, uint32_t pod, uint32_t row)
{
    return c->pods.v[pod].nominated == c->nodes.name[row];
}

const struct mst_dry_run *mst_dry_cache_get(const struct mst_dry_cache *cache,
                                            const struct mst_preempt *x, uint32_t pod, uint32_t row,
                                            bool *ret_helps)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    const struct entry *e = &cache->rows.v[row];
    bool good = e->stamp == c->nodes.stamp[row] && !is_nominated_here(c, pod, row);
    *ret_helps = e->helps;
    return good ? e->run : NULL;
}

static void *copy(struct mst_arena *arena, const void *from, size_t bytes)
{
    void *to = mst_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

const struct mst_dry_run *mst_dry_cache_put(struct mst_dry_cache *cache,
                                            const struct mst_preempt *x, uint32_t pod, uint32_t row,
                                            const struct mst_dry_run *run)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    if (!run->lasting || !run->proven || is_nominated_here(c, pod, row))
        return run;
    struct mst_arena *arena = &cache->arena;
    struct mst_dry_run *kept = copy(arena, run, sizeof(*run));
    kept->victims.pods = copy(arena, run->victims.pods, run->victims.n * sizeof(uint32_t));
    kept->units = copy(arena, run->units, run->unit_count * sizeof(*run->units));
    for (uint32_t i = 0; i < run->unit_count; i++) {
        struct mst_unit *unit = &kept->units[i];
        unit->pods = copy(arena, unit->pods, unit->n * sizeof(uint32_t));
        unit->rows = copy(arena, unit->rows, unit->n * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < run->reasons.n; i++)
        kept->reasons.v[i] = mst_arena_str(arena, run->reasons.v[i]);
    kept->reasons.arena = NULL;
    cache->rows.v[row] = (struct entry){ c->nodes.stamp[row], kept, run->code == MST_SUCCESS };
    return kept;
}
