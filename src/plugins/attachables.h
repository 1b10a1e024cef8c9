/*
 * attachables.h - volumes as their drivers count them: what pods use, what is attached to a node.
 *
 * Two volumes are one if driver and handle are the same, whatever names lead to them; volumes of
 * drivers that once were part of Kubernetes go by the names of their CSI drivers, and a claim that
 * has no volume yet stands for the one that it will get.
 *
 * Owns:       nothing.
 * Source:     spec/plugins.md 4.13, spec/preemption.md 11; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/nodevolumelimits/csi.go
 */
#ifndef MST_PLUGINS_ATTACHABLES_H
#define MST_PLUGINS_ATTACHABLES_H

#include "cluster/volumes.h"
#include "framework/plugin.h"

struct mst_attachable {
    mst_sym driver;
    bool unbound;           /* `handle` is the key of a claim without a volume */
    bool translated;        /* counts only on nodes with a CSINode */
    bool must_be_installed; /* wanted ones: the driver asks for it */
    struct mst_str handle;
    uint64_t hash;
};

/* Distinct volumes. */
struct mst_attachables {
    struct mst_attachable *v;
    uint32_t n, cap;
    struct mst_arena *arena; /* where the list grows */
};

bool mst_attachables_have(const struct mst_attachables *list, const struct mst_attachable *volume);
/* Unless it is there already. */
void mst_attachables_add(struct mst_attachables *list, const struct mst_attachable *volume);

/* What driver and handle say alone. */
static inline struct mst_attachable mst_attachable_named(mst_sym driver, struct mst_str handle)
{
    return (struct mst_attachable){
        .driver = driver,
        .handle = handle,
        .hash = mst_hash_mix(mst_hash(handle.p, handle.n), driver),
    };
}
/* Some driver may count it. */
bool mst_is_attachable(const struct mst_pod_volume *volume);
/*
 * Volume i of the list. False: nothing to count. A claim that does not exist sets *ret_missing, one
 * that an ephemeral volume may not use *ret_error. Texts are the store's or in `arena`.
 */
bool mst_attachable_of(const struct mst_view *view, const struct mst_pod_volumes *volumes,
                       uint32_t i, struct mst_arena *arena, struct mst_attachable *out,
                       bool *ret_missing, struct mst_str *ret_error);
/*
 * Adds all that the pod's volumes count as, with texts that are the store's or in `arena`; returns
 * the first error, absent: none.
 */
struct mst_str mst_attachables_of_pod(const struct mst_view *view, uint32_t pod,
                                      struct mst_arena *arena, struct mst_attachables *out);
/* What an attachment counts as. False: nobody counts it. */
bool mst_attachable_attached(const struct mst_view *view, const struct mst_stored *attachment,
                             struct mst_attachable *out);

#endif
