/*
 * awaited.h - volumes that victims leave attached, and who waits for them to be detached.
 *
 * A pod is gone long before its volumes are detached from the node. Until then the preemptor still
 * lacks the room that was made for it; it must not evict once more, and nobody less important may
 * use such a volume there, which would keep it attached.
 *
 * Owns:       the records, by UID of the preemptor (a pod or a group), with their texts.
 * Invariants: a preemptor has at most one record; a row's stamp moves with every change of what is
 *             awaited there.
 * Not here:   whether a volume is still attached (preempt/attached.c), when a wait ends
 *             (cycle/evict_awaited.c).
 * Source:     spec/preemption.md 11 (After eviction).
 */
#ifndef MST_AWAITED_H
#define MST_AWAITED_H

#include "cluster/cluster.h"

struct mst_awaited_volume {
    mst_sym node, driver;
    struct mst_str handle; /* heap */
};
struct mst_awaited_victim {
    uint32_t pod;
    struct mst_str uid; /* heap: the row may be somebody else's by then */
};
struct mst_awaited {
    struct mst_str uid; /* heap */
    bool group;
    uint32_t row; /* of the preemptor */
    MST_VEC(struct mst_awaited_volume) volumes;
    MST_VEC(struct mst_awaited_victim) victims; /* those that use the volumes */
    bool leaving;                               /* some victim is on its way out */
    int64_t deadline_ns;                        /* the wait is over then, unless some victim is */
};
struct mst_awaits {
    struct mst_map by_uid;              /* -> struct mst_awaited * */
    MST_VEC(struct mst_awaited *) list; /* oldest first */
};

/* A new record without volumes, instead of one that the preemptor may have. */
struct mst_awaited *mst_awaited_begin(struct mst_cluster *cluster, bool group, uint32_t row);
void mst_awaited_add_volume(struct mst_cluster *cluster, struct mst_awaited *awaited, mst_sym node,
                            mst_sym driver, struct mst_str handle);
void mst_awaited_add_victim(const struct mst_cluster *cluster, struct mst_awaited *awaited,
                            uint32_t pod);
/* Some victim is still on its node; with `leaving`, on its way out. */
bool mst_awaited_has_victims(const struct mst_cluster *cluster, const struct mst_awaited *awaited,
                             bool leaving);

/* The pod goes for somebody who awaits its volumes. O(all victims). */
bool mst_awaited_is_victim(const struct mst_cluster *cluster, uint32_t pod);

/* NULL: it waits for nothing. O(1). */
const struct mst_awaited *mst_awaited_find(const struct mst_cluster *cluster, struct mst_str uid);
/* The record of the pod, or of its group. */
const struct mst_awaited *mst_awaited_of_pod(const struct mst_cluster *cluster, uint32_t pod);
/* Nothing happens when there is no record. */
void mst_awaited_end(struct mst_cluster *cluster, struct mst_str uid);
void mst_awaited_done(struct mst_cluster *cluster);

#endif
