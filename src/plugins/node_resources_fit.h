/*
 * node_resources_fit.h - the scoring half of NodeResourcesFit, for its plugin and its tests.
 */
#ifndef MST_PLUGINS_NODE_RESOURCES_FIT_H
#define MST_PLUGINS_NODE_RESOURCES_FIT_H

#include "plugins/resource_inputs.h"

/* raw[row] for each row in [begin, end). O(rows * inputs), no allocation. */
void mst_fit_score(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                   const struct mst_resource_inputs *inputs, uint32_t begin, uint32_t end,
                   int64_t *raw);

#endif
