/*
 * resource_inputs.c - columns and requests of the resources that a scorer is configured with.
 *
 * Owns:       nothing: lists are made in the caller's arena.
 * Invariants: inputs come in the order of the configuration.
 * Not here:   the formulas (node_resources_fit.c, node_resources_balanced_allocation.c).
 */
#include "plugins/resource_inputs.h"
#include "plugins/vector.h"

void mst_resource_inputs_make(struct mst_nodes *nodes, const struct mst_resource_weight *resources,
                              uint32_t resource_count, const struct mst_amount *amounts,
                              uint32_t amount_count, struct mst_arena *arena,
                              struct mst_resource_inputs *out)
{
    *out = (struct mst_resource_inputs){
        .v = MST_NEW_N(arena, struct mst_resource_input, resource_count),
    };
    for (uint32_t i = 0; i < resource_count; i++) {
        const uint32_t column = mst_nodes_resource(nodes, resources[i].name);
        if (column == MST_RES_NONE)
            continue;
        int64_t request = 0;
        for (uint32_t j = 0; j < amount_count; j++)
            if (amounts[j].resource == column)
                request = amounts[j].amount;
        out->any_request |= request != 0;
        if (column >= MST_RES_FIXED && request == 0)
            continue;
        out->v[out->n++] = (struct mst_resource_input){
            .column = column,
            .weight = (int32_t)resources[i].weight,
            .request = request,
        };
    }
}

MST_VECTOR
static uint64_t bits_of_block(const int64_t *allocatable, const int64_t *used, int64_t request,
                              uint32_t n)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits |=
            (uint64_t)allocatable[i] | (uint64_t)used[i] | ((uint64_t)used[i] + (uint64_t)request);
    return bits;
}

bool mst_resource_block_small(const int64_t *allocatable, const int64_t *used, int64_t request,
                              uint32_t n, int64_t limit)
{
    return bits_of_block(allocatable, used, request, n) < (uint64_t)limit;
}
