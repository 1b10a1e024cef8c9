/*
 * use.h - how full the cluster is, now and over the whole run.
 *
 * Owns:       one sum per resource. Invariants: a resource is a column of the nodes, or
 * MST_USE_PODS.
 */
#ifndef MST_USE_H
#define MST_USE_H

#include "cluster/nodes.h"

enum { MST_USE_PODS = MST_RES_MAX, MST_USE_COUNT };

struct mst_use {
    int64_t used, of;            /* now; saturating */
    int64_t peak;                /* largest `used` */
    __int128 used_time, of_time; /* integrals over time, in units times milliseconds */
};

/* Zero-initialised is valid. */
struct mst_uses {
    struct mst_use v[MST_USE_COUNT];
};

/* One node's share. */
struct mst_use mst_use_of_row(const struct mst_nodes *nodes, uint32_t resource, uint32_t row);
/* Takes the sums as they are now. O(nodes x resources). */
void mst_uses_take(struct mst_uses *uses, const struct mst_nodes *nodes);
/* What was taken last held for this long. */
void mst_uses_passed(struct mst_uses *uses, int64_t ns);

#endif
