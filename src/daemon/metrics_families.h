/*
 * metrics_families.h - the families that are there, in a table.
 *
 * Names, labels and buckets are upstream's; helps are our own words.
 */
#ifndef MST_METRICS_FAMILIES_H
#define MST_METRICS_FAMILIES_H

#include "framework/gates.h"
#include "server/metrics.h"

typedef enum {
    MST_FAM_SCHEDULE_ATTEMPTS,
    MST_FAM_ATTEMPT_DURATION,
    MST_FAM_ALGORITHM_DURATION,
    MST_FAM_PREEMPTION_ATTEMPTS,
    MST_FAM_PREEMPTION_VICTIMS,
    MST_FAM_PENDING_PODS,
    MST_FAM_QUEUED_ENTITIES,
    MST_FAM_INCOMING_PODS,
    MST_FAM_INCOMING_ENTITIES,
    MST_FAM_POD_ATTEMPTS,
    MST_FAM_SLI_DURATION,
    MST_FAM_AFTER_FLUSH,
    MST_FAM_UNSCHEDULABLE_PODS,
    MST_FAM_CACHE_SIZE,
    MST_FAM_BATCH_ATTEMPTS,
    MST_FAM_BATCH_FLUSHED,
    MST_FAM_BATCH_RESCORES,
    MST_FAM_EVICTIONS, /* from here on: only with a gate */
    MST_FAM_EVICTION_DURATION,
    MST_FAM_GROUP_ATTEMPTS,
    MST_FAM_GROUP_DURATION,
    MST_FAM_GROUP_ALGORITHM,
    MST_FAM_GROUP_PREEMPTIONS,
    MST_FAM_GROUP_VICTIMS,
    MST_FAM_GROUP_DISRUPTIONS,
    MST_FAM_PREEMPTION_EXECUTION,
    MST_FAM_PDB_VIOLATIONS,
    MST_FAM_COUNT,
} mst_fam;

extern const struct mst_metric_family mst_families[MST_FAM_COUNT];
/* The gate that a family asks for, or MST_GATE_COUNT. */
mst_gate mst_family_gate(mst_fam family);

#endif
