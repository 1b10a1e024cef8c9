/*
 * affinity.h - what pods say about other pods, and who is meant: labels of pods, labels of
 * namespaces, (anti-)affinity terms, spread constraints, the selectors that own pods by default.
 *
 * Labels of pods and whole (anti-)affinities are stored once per distinct value; a pod row has two
 * ids. "Does this term mean that pod" is then a question about two ids, asked once per pair.
 *
 * Owns:       label ids, affinity ids (freed with their last reference), namespaces, default
 * selectors. Invariants: id 0 of an affinity is "says nothing"; an id is reused only after its last
 * reference is gone and `serial` tells the lives apart; `namespace_generation` moves with every
 * change of a namespace's labels, `selector_generation` with every change of a Service,
 *             ReplicationController, ReplicaSet or StatefulSet.
 * Source:     spec/plugins.md 3.4, 4.11, 4.12.
 */
#ifndef MST_AFFINITY_H
#define MST_AFFINITY_H

#include "cluster/cluster.h"

/* A pod's namespace and labels (sorted by key). */
struct mst_pod_labels {
    mst_sym ns;
    struct mst_label_set set;
    uint32_t refs;
    uint64_t serial;
};

/* spec.affinity.podAffinity and podAntiAffinity, deep copies. */
struct mst_affinity {
    struct mst_pod_affinity affinity, anti;
    mst_sym ns; /* of the owner: what an empty list of namespaces means */
    uint32_t refs;
    uint64_t serial;
    struct mst_arena arena;
};

static inline const struct mst_pod_labels *mst_cluster_labels(const struct mst_cluster *c,
                                                              uint32_t id)
{
    return c->pod_labels.v[id];
}
static inline const struct mst_affinity *mst_cluster_affinity(const struct mst_cluster *c,
                                                              uint32_t id)
{
    return id ? c->affinities.v[id] : NULL;
}

/* Ids of a pod's labels and affinity, made when new, each with one reference added. */
uint32_t mst_labels_of(struct mst_cluster *cluster, const struct mst_pod *pod);
void mst_labels_ref(struct mst_cluster *cluster, uint32_t id);
void mst_labels_unref(struct mst_cluster *cluster, uint32_t id);
uint32_t mst_affinity_of(struct mst_cluster *cluster, const struct mst_pod *pod);
void mst_affinity_ref(struct mst_cluster *cluster, uint32_t id);
void mst_affinity_unref(struct mst_cluster *cluster, uint32_t id);

/*
 * True if the term means a pod with these labels. `owner_ns`: where the term's pod lives. A label
 * selector that is nil matches nothing; invalid requirements match nothing (*ret_bad, may be NULL).
 */
bool mst_term_means(const struct mst_cluster *cluster, const struct mst_pod_affinity_term *term,
                    mst_sym owner_ns, uint32_t labels_id, bool *ret_bad);
/*
 * As mst_term_means, for a term of the pod that is being placed: upstream looks up such a term's
 * namespace selector among the namespaces that exist, so that a pod in a namespace without an
 * object is not meant, unless the selector is empty. Terms of pods that are there ask the
 * namespace's labels alone.
 */
bool mst_own_term_means(const struct mst_cluster *cluster, const struct mst_pod_affinity_term *term,
                        mst_sym owner_ns, uint32_t labels_id, bool *ret_bad);
/* True if the selector matches the labels (namespace not considered). */
bool mst_selector_means(const struct mst_cluster *cluster,
                        const struct mst_label_selector *selector, uint32_t labels_id);

/* Namespaces: labels by name; unknown ones have none. */
void mst_cluster_namespace_set(struct mst_cluster *cluster, const struct mst_namespace *ns);
void mst_cluster_namespace_remove(struct mst_cluster *cluster, mst_sym name);
mst_labels mst_cluster_namespace_labels(const struct mst_cluster *cluster, mst_sym name);
/* The object exists. */
bool mst_cluster_namespace_known(const struct mst_cluster *cluster, mst_sym name);

/*
 * Services, ReplicationControllers, ReplicaSets, StatefulSets: what PodTopologySpread's default
 * constraints select by.
 */
void mst_cluster_selector_set(struct mst_cluster *cluster, const struct mst_object *object);
void mst_cluster_selector_remove(struct mst_cluster *cluster, const struct mst_object *object);
/*
 * The default selector of a pod: the union of what selects it (plugins.md 4.11). `set` false:
 * nothing does. Allocated in `arena`.
 */
void mst_default_selector(struct mst_cluster *cluster, const struct mst_pod *pod,
                          struct mst_arena *arena, struct mst_label_selector *out);

#endif
