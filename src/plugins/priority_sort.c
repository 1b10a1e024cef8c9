/*
 * PrioritySort - entities leave the queue by priority, then by the time they entered it.
 * Reads: nothing here: the order itself is the queue's.  Requeue on: nothing, it rejects no pod.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/queuesort/priority_sort.go
 */
#include "plugins/registry.h"

const struct mst_plugin mst_plugin_priority_sort = {
    .name = "PrioritySort",
    .points = MST_POINT_QUEUE_SORT,
    .reads = MST_READS_NODE,
};
