/*
 * volumes_internal.h - what the files about storage objects share, and what transactions need.
 */
#ifndef MST_VOLUMES_INTERNAL_H
#define MST_VOLUMES_INTERNAL_H

#include "cluster/volumes.h"

/* One heap block with the object and everything it points to; free with mst_free. */
struct mst_stored *mst_stored_copy(const struct mst_object *object, struct mst_str key);

struct mst_volume_table {
    struct mst_map by_key; /* -> struct mst_stored * */
    MST_VEC(struct mst_stored *) sorted;
};

/* What an assumption made in a transaction has replaced. */
struct mst_assumed_before {
    struct mst_stored *stored;
    struct mst_assumption assumption; /* owns its texts */
    uint64_t generation;
};

struct mst_volume_store {
    struct mst_volume_table tables[MST_VOL_KINDS];
    struct mst_map attached; /* node's name -> first attachment */
    struct mst_stored *gone;
    uint64_t generation, generations;          /* generations: given so far */
    MST_VEC(struct mst_assumed_before) before; /* one per MST_UNDO_ASSUMPTION of the undo log */
};

static inline void mst_volumes_changed(struct mst_volume_store *store)
{
    store->generation = ++store->generations;
}
void mst_assumption_drop(struct mst_assumption *assumption);

/* Takes the newest assumption of the open transactions back; or keeps all of them for good. */
void mst_volumes_undo(struct mst_cluster *cluster);
void mst_volumes_keep(struct mst_cluster *cluster);

/* Annotations of storage objects that decide something. */
#define MST_ANN_BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define MST_ANN_BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define MST_ANN_SELECTED_NODE "volume.kubernetes.io/selected-node"
#define MST_ANN_BETA_CLASS "volume.beta.kubernetes.io/storage-class"
#define MST_ANN_MIGRATED "storage.alpha.kubernetes.io/migrated-plugins"

#endif
