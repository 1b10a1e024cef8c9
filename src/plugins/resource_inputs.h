/*
 * resource_inputs.h - what the resource scorers look at: for each configured resource that counts
 * for a class, its columns and the class's request.
 *
 * Source: spec/plugins.md 4.8 "Scoring inputs", 4.9.
 */
#ifndef MST_PLUGINS_RESOURCE_INPUTS_H
#define MST_PLUGINS_RESOURCE_INPUTS_H

#include "framework/plugin.h"
#include "framework/plugin_args.h"

struct mst_resource_input {
    uint32_t column;
    int32_t weight;
    int64_t request;
};

struct mst_resource_inputs {
    struct mst_resource_input *v;
    uint32_t n;
    bool any_request; /* some configured resource is requested, whether it counts or not */
};

/*
 * `amounts` is the class's score_amounts or balance_amounts. Left out are scalars that the class
 * does not request and names that are no column. O(resources * amounts); columns are made as
 * needed.
 */
void mst_resource_inputs_make(struct mst_nodes *nodes, const struct mst_resource_weight *resources,
                              uint32_t resource_count, const struct mst_amount *amounts,
                              uint32_t amount_count, struct mst_arena *arena,
                              struct mst_resource_inputs *out);

/*
 * True when every allocatable and every sum used + request of the block is in [0, limit), limit
 * being a power of two: then the scorers may divide in floating point.
 */
bool mst_resource_block_small(const int64_t *allocatable, const int64_t *used, int64_t request,
                              uint32_t n, int64_t limit);

#endif
