/*
 * volumes.h - storage objects by name, and what pods say about volumes.
 *
 * PersistentVolumes and claims can be looked at through an assumption: a binding that was decided
 * but not yet written, as kube-scheduler's assume caches keep it.
 *
 * Owns:       deep copies of the objects; the volume lists of pods, hash-consed.
 * Invariants: tables are sorted by key, so walking one is walking by name; `generation` moves with
 *             every change of an object or an assumption, and comes back when a transaction takes
 *             assumptions back; an object that was replaced or removed can still be read until the
 *             next change. Id 0 of a volume list is "no volumes".
 * Source:     spec/plugins.md 3.3, 4.13-4.16; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go
 */
#ifndef MST_VOLUMES_H
#define MST_VOLUMES_H

#include "cluster/cluster.h"

/* ---- what a pod says ---- */

struct mst_pod_volume {
    mst_volume_source source;
    bool read_only;
    mst_sym id;       /* pdName, volumeID, iqn, rbd image, diskURI, driver */
    mst_sym rbd_pool; /* of azureDisk: kind */
    mst_sym_list rbd_monitors;
    /* claims, of ephemeral volumes too: "ns/name", and the name in it; else absent */
    struct mst_str claim_key, claim_name;
};

/* Sources that no storage plugin looks at are left out. */
struct mst_pod_volumes {
    mst_sym ns;
    /* whose ephemeral volumes these are; absent without ephemeral volumes */
    struct mst_str owner_name, owner_uid;
    MST_LIST(struct mst_pod_volume) list; /* in the pod's order */
    uint32_t claim_count;
    uint32_t refs;
    struct mst_str key; /* what makes two lists one */
};

/* The id of a pod's volumes, made when new, with one reference added. 0: none. */
uint32_t mst_volumes_of(struct mst_cluster *cluster, const struct mst_pod *pod);
void mst_volumes_ref(struct mst_cluster *cluster, uint32_t id);
void mst_volumes_unref(struct mst_cluster *cluster, uint32_t id);
/* NULL for id 0. */
const struct mst_pod_volumes *mst_cluster_volumes(const struct mst_cluster *cluster, uint32_t id);
/* Does one of them use this claim: by its name, or, with `ephemeral`, as its own, too? NULL: no. */
bool mst_volumes_use(const struct mst_pod_volumes *volumes, const struct mst_meta *claim,
                     bool ephemeral);

/*
 * Volumes of pods on nodes that use the claim "ns/name" through
 * spec.volumes[].persistentVolumeClaim. Follows every placement, tentative ones too.
 */
uint32_t mst_claim_uses(const struct mst_cluster *cluster, struct mst_str claim_key);
/* A pod with these volumes came to a node (+1) or left it (-1). */
void mst_claims_count(struct mst_cluster *cluster, uint32_t id, int by);

/* ---- objects ---- */

typedef enum {
    MST_VOL_PV,
    MST_VOL_PVC,
    MST_VOL_CLASS,
    MST_VOL_CSI_NODE,
    MST_VOL_CSI_DRIVER,
    MST_VOL_CAPACITY,
    MST_VOL_ATTACHMENT,
    MST_VOL_KINDS
} mst_vol_kind;

/* A claim that a PersistentVolume points to. */
struct mst_claim_ref {
    bool set;
    mst_sym ns;
    struct mst_str name, uid;
};

struct mst_assumption {
    bool on;
    struct mst_claim_ref claim; /* of a volume; text is heap */
    bool by_controller;         /* the assumption adds the annotation bound-by-controller */
    mst_sym node;               /* of a claim */
};

struct mst_stored {
    struct mst_str key; /* "name" or "ns/name" */
    struct mst_assumption assumption;
    struct mst_stored *next_of_node; /* attachments of one node */
    struct mst_object object;        /* cut off behind the member of its kind */
};

/* True for the kinds that live here. */
bool mst_volumes_kind(mst_kind kind, mst_vol_kind *ret_kind);

/*
 * Takes the object's new version. An assumption about it ends, unless the resourceVersion is the
 * one that was assumed. ret_old: the version before, NULL when it is new; valid until the next
 * change.
 */
const struct mst_stored *mst_volumes_set(struct mst_cluster *cluster,
                                         const struct mst_object *object,
                                         const struct mst_object **ret_old);
/* The removed object, NULL when it was not known; valid until the next change. */
const struct mst_object *mst_volumes_remove(struct mst_cluster *cluster,
                                            const struct mst_object *object);

/* The object of that key, or NULL. O(1). */
const struct mst_stored *mst_volumes_get(const struct mst_cluster *cluster, mst_vol_kind kind,
                                         struct mst_str key);
/* How many objects of a kind there are. */
uint32_t mst_volumes_count(const struct mst_cluster *cluster, mst_vol_kind kind);
/* By key, bytewise. */
const struct mst_stored *mst_volumes_at(const struct mst_cluster *cluster, mst_vol_kind kind,
                                        uint32_t i);
/* First attachment of a node, then ->next_of_node. */
const struct mst_stored *mst_volumes_attached(const struct mst_cluster *cluster, mst_sym node);
uint64_t mst_volumes_generation(const struct mst_cluster *cluster);

/* Shorthands; NULL when there is no such object. */
const struct mst_storage_class *mst_volumes_class(const struct mst_cluster *cluster, mst_sym name);
const struct mst_csi_node *mst_volumes_csi_node(const struct mst_cluster *cluster, mst_sym node);
const struct mst_csi_driver *mst_volumes_csi_driver(const struct mst_cluster *cluster,
                                                    mst_sym driver);

/* ---- reading through assumptions ---- */

struct mst_claim_ref mst_pv_claim(const struct mst_stored *pv);
/* The node that provisioning was told to use; MST_SYM_NONE: none. */
mst_sym mst_pvc_selected_node(const struct mst_cluster *cluster, const struct mst_stored *pvc);

/* The value of an annotation, absent when there is none. */
struct mst_str mst_meta_annotation(const struct mst_meta *meta, const char *key);
/* The storage class: the beta annotation before the field; MST_SYM_EMPTY: "". */
mst_sym mst_pvc_class(const struct mst_cluster *cluster, const struct mst_pvc *pvc);
mst_sym mst_pv_class(const struct mst_cluster *cluster, const struct mst_pv *pv);
/* volumeName and the annotation pv.kubernetes.io/bind-completed. */
bool mst_pvc_fully_bound(const struct mst_pvc *pvc);
/* Why the claim of an ephemeral volume is not for the pod; absent: it is, or is not ephemeral. */
struct mst_str mst_pvc_not_owner(const struct mst_cluster *cluster, const struct mst_pvc *pvc,
                                 const struct mst_pod_volumes *volumes,
                                 const struct mst_pod_volume *volume, struct mst_arena *arena);
/* The amount "storage" of a list; zero when absent (*ret_set, may be NULL). */
struct mst_quantity mst_storage_amount(const struct mst_cluster *cluster, const mst_resources *list,
                                       bool *ret_set);

/* ---- assumptions ---- */

/*
 * Until the next version of the object, or mst_volumes_restore. Inside a transaction both can be
 * taken back: an assumption of before comes back with everything it said (not in profile upstream,
 * see assumes_for_good).
 */
void mst_volumes_assume_claim(struct mst_cluster *cluster, const struct mst_stored *pv,
                              const struct mst_stored *pvc, bool by_controller);
void mst_volumes_assume_node(struct mst_cluster *cluster, const struct mst_stored *pvc,
                             mst_sym node);
/* Back to what the API says. Nothing happens when nothing is assumed. */
void mst_volumes_restore(struct mst_cluster *cluster, mst_vol_kind kind, struct mst_str key);

void mst_volumes_init(struct mst_cluster *cluster);
void mst_volumes_done(struct mst_cluster *cluster);

#endif
