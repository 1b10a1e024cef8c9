/*
 * class.h - pod classes: all that decides where a pod may go, hash-consed.
 *
 * Ten thousand pods of one job differ in name only; they share one class, and every per-node answer
 * is asked once per class. A usage is the part that a running pod takes from its node; pods of one
 * class usually share one usage too, but in-place resize can tell them apart.
 *
 * Owns:       deep copies of everything a class points to.
 * Invariants: equal inputs, equal id; ids are reused only after the last reference is gone and
 *             `serial` tells the lives apart.
 */
#ifndef MST_CLASS_H
#define MST_CLASS_H

#include "api/api.h"
#include "cluster/nodes.h"

struct mst_amount {
    uint32_t resource; /* column */
    int64_t amount;    /* > 0 */
};

struct mst_port {
    mst_sym protocol, ip; /* defaults filled in: TCP, 0.0.0.0 */
    int64_t port;
};

struct mst_usage {
    MST_LIST(struct mst_amount) amounts; /* ascending by column; zero amounts are left out */
    int64_t nonzero_cpu, nonzero_memory;
    MST_LIST(struct mst_port) ports;
    uint32_t refs;
};

/* What a pod asks for that only a certain plugin can judge (framework/config.h `missing`). */
enum {
    MST_NEEDS_POD_AFFINITY = 1 << 0, /* required (anti-)affinity among pods: InterPodAffinity */
    MST_NEEDS_SPREAD = 1 << 1,       /* a DoNotSchedule constraint: PodTopologySpread */
    MST_NEEDS_VOLUMES = 1 << 2,      /* claims or restricted sources: the volume plugins */
    MST_NEEDS_CLAIMS = 1 << 3,       /* resource claims: DynamicResources */
    MST_NEEDS_FEATURES = 1 << 4,     /* declared node features: NodeDeclaredFeatures */
    MST_NEEDS_TOPOLOGY = 1 << 5,     /* of a group, never of a class: TopologyPlacementGenerator */
};

struct mst_class {
    uint32_t id;
    uint32_t needs; /* MST_NEEDS_* */
    uint32_t refs;
    uint64_t serial; /* unique over the life of the cluster */
    struct mst_arena arena;
    uint32_t usage;   /* in spec mode: what Fit compares */
    uint32_t profile; /* index of the scheduler profile */
    mst_sym node_name;

    bool scalar_key; /* the request names a scalar, even with amount 0 */
    /* Scoring views of the request: Fit's (defaults in) and Balanced's (status, no defaults). */
    MST_LIST(struct mst_amount) score_amounts, balance_amounts;

    MST_LIST(struct mst_toleration) tolerations;
    bool node_selector_set;
    mst_labels node_selector;
    struct mst_node_affinity node_affinity;
    /*
     * What pods say about each other. `labels` and `affinity` hold a reference; while nothing in
     * the cluster speaks about pods (cluster->pods_matter) labels is UINT32_MAX for everybody, so
     * that pods that differ in labels alone share a class. Of the labels only those stay whose key
     * some selector in the cluster mentions (label_keys.c): every selector gets the same answer as
     * for all of them.
     */
    uint32_t labels, affinity;
    MST_LIST(struct mst_spread_constraint) spread; /* deep copies, the pod's own */
    struct mst_label_selector default_selector;    /* for default spread constraints */
    mst_sym_list
        images; /* of init containers, containers, image volumes; normalised names, in order */
    uint32_t volumes;     /* id, volumes.h; 0: none */
    uint32_t features;    /* MST_FEATURE_* that the node must declare */
    uint32_t image_slots; /* init containers + containers + image volumes */
};

/* "nginx" means "nginx:latest": the last ':' is not after the last '/'. */
bool mst_image_lacks_tag(struct mst_str image);

#endif
