/*
 * volumes_internal.h - what volumes.c and volumes_copy.c share.
 */
#ifndef MST_VOLUMES_INTERNAL_H
#define MST_VOLUMES_INTERNAL_H

#include "cluster/volumes.h"

/* One heap block with the object and everything it points to; free with mst_free. */
struct mst_stored *mst_stored_copy(const struct mst_object *object, struct mst_str key);

/* Annotations of storage objects that decide something. */
#define MST_ANN_BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define MST_ANN_BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define MST_ANN_SELECTED_NODE "volume.kubernetes.io/selected-node"
#define MST_ANN_BETA_CLASS "volume.beta.kubernetes.io/storage-class"
#define MST_ANN_MIGRATED "storage.alpha.kubernetes.io/migrated-plugins"

#endif
