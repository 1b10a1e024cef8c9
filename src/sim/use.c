/*
 * use.c - how full the cluster is, now and over the whole run.
 */
#include "sim/use.h"

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

struct mst_use mst_use_of_row(const struct mst_nodes *nodes, uint32_t resource, uint32_t row)
{
    if (resource == MST_USE_PODS)
        return (struct mst_use){ .used = nodes->pod_count[row], .of = nodes->pods_allowed[row] };
    return (struct mst_use){ .used = nodes->requested[resource][row],
                             .of = nodes->allocatable[resource][row] };
}

static void take_one(struct mst_use *use, const struct mst_nodes *nodes, uint32_t resource)
{
    use->used = use->of = 0;
    for (uint32_t row = 0; row < nodes->count; row++) {
        struct mst_use one = mst_use_of_row(nodes, resource, row);
        use->used = add(use->used, one.used);
        use->of = add(use->of, one.of);
    }
    use->peak = MST_MAX(use->peak, use->used);
}

void mst_uses_take(struct mst_uses *uses, const struct mst_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->resource_count; i++)
        take_one(&uses->v[i], nodes, i);
    take_one(&uses->v[MST_USE_PODS], nodes, MST_USE_PODS);
}

void mst_uses_passed(struct mst_uses *uses, int64_t ns)
{
    int64_t ms = ns / 1000000;
    mst_assert(ns >= 0);
    for (uint32_t i = 0; i < MST_USE_COUNT; i++) {
        uses->v[i].used_time += (__int128)uses->v[i].used * ms;
        uses->v[i].of_time += (__int128)uses->v[i].of * ms;
    }
}
