/*
 * pod_amounts.h - what pods ask for and may use at most, exact, for /metrics/resources.
 *
 * The engine rounds requests and keeps no limits; this is beside it, by the rows of its pods, and
 * only where somebody may ask. Pods of one shape share one entry: a pod costs a pointer.
 *
 * Invariants: what is said of a row that is no longer live is never shown.
 * Source:     kubernetes v1.37 pkg/scheduler/metrics/resources/resources.go.
 */
#ifndef MST_POD_AMOUNTS_H
#define MST_POD_AMOUNTS_H

#include "cluster/cluster.h"

struct mst_pod_amounts;

/* `syms` is the cluster's, and outlives this. */
struct mst_pod_amounts *mst_pod_amounts_new(struct mst_syms *syms);
void mst_pod_amounts_free(struct mst_pod_amounts *amounts);

/* The pod of this row is, or has become, this one. O(resource names of the pod). */
void mst_pod_amounts_set(struct mst_pod_amounts *amounts, uint32_t row, const struct mst_pod *pod);
/* Different entries, for tests. */
uint32_t mst_pod_amounts_count(const struct mst_pod_amounts *amounts);

/*
 * kube_pod_resource_request and kube_pod_resource_limit of all pods, in Prometheus' text, in the
 * order of the rows. O(pods).
 */
void mst_pod_amounts_print(const struct mst_pod_amounts *amounts, const struct mst_cluster *cluster,
                           struct mst_buf *out);

#endif
