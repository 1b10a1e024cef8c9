/*
 * nodes_percent.c - the derived columns: cpu and memory of a row in percent.
 *
 * Owns:       nothing: nodes.c has the memory.
 * Invariants: a pure function of the row's integer columns, so that undoing a change of those and
 *             deriving again brings every byte back.
 * Not here:   what scorers make of it (plugins/percent.h).
 */
#include <math.h>

#include "cluster/nodes_internal.h"

/* Amounts below are exact as doubles, and so are sums of two of them. */
#define AMOUNT_LIMIT ((uint64_t)1 << 52)

struct amounts {
    int64_t allocatable, requested, nonzero;
};

static bool is_plain(const struct amounts *a)
{
    const uint64_t bits = (uint64_t)a->allocatable | (uint64_t)a->requested | (uint64_t)a->nonzero;
    return a->allocatable != 0 && bits < AMOUNT_LIMIT;
}

void mst_nodes_percents(const struct mst_nodes *nodes, uint32_t row, struct mst_percents *out)
{
    const struct amounts amounts[MST_PERCENTS] = {
        [MST_RES_CPU] = { nodes->allocatable[MST_RES_CPU][row], nodes->requested[MST_RES_CPU][row],
                          nodes->nonzero_cpu[row] },
        [MST_RES_MEMORY] = { nodes->allocatable[MST_RES_MEMORY][row],
                             nodes->requested[MST_RES_MEMORY][row], nodes->nonzero_memory[row] },
    };
    *out = (struct mst_percents){ .free = { 50, 50 } };
    if (!is_plain(&amounts[MST_RES_CPU]) || !is_plain(&amounts[MST_RES_MEMORY]))
        return;
    double fraction[MST_PERCENTS];
    for (uint32_t k = 0; k < MST_PERCENTS; k++) {
        const double allocatable = (double)amounts[k].allocatable;
        const double unit = 100 / allocatable;
        fraction[k] = (double)amounts[k].requested / allocatable;
        out->unit[k] = (float)unit;
        out->free[k] = (float)((double)(amounts[k].allocatable - amounts[k].nonzero) * unit);
        out->used[k] = (float)(fraction[k] * 100);
        fraction[k] = fraction[k] > 1 ? 1 : fraction[k];
    }
    const double spread = fabs((fraction[MST_RES_CPU] - fraction[MST_RES_MEMORY]) / 2);
    out->evenness = (int32_t)((1 - spread) * 100);
}

void mst_nodes_derive(struct mst_nodes *nodes, uint32_t row)
{
    struct mst_percents percents;
    mst_nodes_percents(nodes, row, &percents);
    for (uint32_t k = 0; k < MST_PERCENTS; k++) {
        nodes->percent_unit[k][row] = percents.unit[k];
        nodes->percent_free[k][row] = percents.free[k];
        nodes->percent_used[k][row] = percents.used[k];
    }
    nodes->evenness[row] = percents.evenness;
}
