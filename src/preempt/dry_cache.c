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

struct mst_dry_cache *mst_dry_cache_new(void)
{
    return mst_calloc(1, sizeof(struct mst_dry_cache));
}

static void free_columns(struct mst_dry_cache *cache)
{
    mst_free(cache->state);
    mst_free(cache->stamp);
    mst_free(cache->run);
    mst_free(cache->cost);
}

void mst_dry_cache_free(struct mst_dry_cache *cache)
{
    if (!cache)
        return;
    mst_arena_done(&cache->arena);
    free_columns(cache);
    mst_free(cache);
}

static void forget_all(struct mst_dry_cache *cache, uint32_t rows)
{
    mst_arena_reset(&cache->arena);
    if (rows > cache->cap) {
        free_columns(cache);
        cache->cap = rows;
        cache->state = mst_calloc(rows, sizeof(*cache->state));
        cache->stamp = mst_calloc(rows, sizeof(*cache->stamp));
        cache->run = mst_calloc(rows, sizeof(*cache->run));
        cache->cost = mst_calloc(rows, sizeof(*cache->cost));
    }
    cache->rows = rows;
    memset(cache->state, MST_DRY_UNKNOWN, rows * sizeof(*cache->state));
}

static void forget_changed(struct mst_dry_cache *cache, const struct mst_nodes *nodes)
{
    for (uint32_t row = mst_nodes_next_stale(nodes, cache->stamp, 0); row < nodes->count;
         row = mst_nodes_next_stale(nodes, cache->stamp, row + 1)) {
        cache->state[row] = MST_DRY_UNKNOWN;
        cache->stamp[row] = nodes->stamp[row];
    }
}

/* The pod's own nomination does not count for it, but for others. */
static uint32_t own_row(const struct mst_cluster *c, uint32_t pod)
{
    mst_sym name = c->pods.v[pod].nominated;
    return name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&c->nodes, name);
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
                cache->priority == priority && cache->rows == c->nodes.count &&
                cache->arena.bytes < BYTES_MAX;
    if (!same) {
        cache->compiled = eval->compiled;
        cache->budgets = budgets;
        cache->priority = priority;
        forget_all(cache, c->nodes.count);
    }
    forget_changed(cache, &c->nodes);
    if (own_row(c, pod) != MST_ROW_NONE)
        cache->state[own_row(c, pod)] = MST_DRY_UNKNOWN;
    return true;
}

static void *copy(struct mst_arena *arena, const void *from, size_t bytes)
{
    void *to = mst_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

void mst_dry_cache_put(struct mst_dry_cache *cache, const struct mst_preempt *x, uint32_t pod,
                       uint32_t row, const struct mst_dry_run *run, const struct mst_run_cost *cost)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    if (!run->lasting || !run->proven || own_row(c, pod) == row)
        return;
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
    cache->run[row] = kept;
    cache->state[row] = MST_DRY_REFUSED;
    if (!cost)
        return;
    cache->cost[row] = *cost;
    cache->state[row] = run->victims.violations ? MST_DRY_VIOLATING : MST_DRY_CLEAN;
}
