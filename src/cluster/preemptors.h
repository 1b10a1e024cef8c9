/*
 * preemptors.h - pods and groups whose victims are being evicted right now.
 *
 * From the decision until the last eviction call has been answered a preemptor must not be tried
 * again: it would evict a second time for the same place. It may be tried once the last victim is
 * seen to go, even before the answer.
 *
 * Owns:       the records, by UID of the preemptor (a pod or a group).
 * Source:     spec/preemption.md 8; kubernetes v1.37 pkg/scheduler/framework/preemption/executor.go
 *             (isRunningPreemption).
 */
#ifndef MST_PREEMPTORS_H
#define MST_PREEMPTORS_H

#include "cluster/cluster.h"

/* Registers; no effect when it is registered already. */
void mst_preemptor_begin(struct mst_cluster *cluster, struct mst_str uid);
/* Only this victim is left: "ns/name" by parts. */
void mst_preemptor_last(struct mst_cluster *cluster, struct mst_str uid, mst_sym ns,
                        struct mst_str name);
void mst_preemptor_end(struct mst_cluster *cluster, struct mst_str uid);
/* It must wait. O(1) when nobody preempts. */
bool mst_preemptor_waits(const struct mst_cluster *cluster, struct mst_str uid);
void mst_preemptors_done(struct mst_cluster *cluster);

#endif
