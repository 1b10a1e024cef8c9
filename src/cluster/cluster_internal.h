/*
 * cluster_internal.h - what the files of the cluster share.
 */
#ifndef MST_CLUSTER_INTERNAL_H
#define MST_CLUSTER_INTERNAL_H

#include "cluster/affinity.h"

/* class.c, usage.c */
void mst_classes_done(struct mst_cluster *cluster);
/* Gives a waiting pod the class that fits the labels and selectors of today. The pod must have one.
 */
void mst_class_renew(struct mst_cluster *cluster, uint32_t pod);
void mst_usages_done(struct mst_cluster *cluster);
/* The pod's request as amounts > 0, ascending by column, in cluster->scratch. Returns how many. */
uint32_t mst_amounts_of(struct mst_cluster *cluster, const struct mst_pod *pod,
                        uint32_t request_mode, struct mst_amount **out);

/* affinity.c: the id of labels, sorted in place; with one reference added. */
uint32_t mst_labels_intern(struct mst_cluster *cluster, mst_sym ns, mst_labels labels);
void mst_affinities_done(struct mst_cluster *cluster);
void mst_namespaces_done(struct mst_cluster *cluster);

/* label_keys.c */
/* Notes what the pod's or object's selectors mention; may renew classes of waiting pods. */
void mst_keys_of_pod(struct mst_cluster *cluster, const struct mst_pod *pod);
void mst_keys_of_selector(struct mst_cluster *cluster, const struct mst_label_selector *selector);
/* From now on classes tell labels apart; renews all classes of waiting pods the first time. */
void mst_cluster_pods_matter(struct mst_cluster *cluster);
/* The id of those of the labels that some selector mentions, with one reference added. */
uint32_t mst_labels_mentioned(struct mst_cluster *cluster, mst_sym ns, mst_labels labels);
void mst_label_keys_done(struct mst_cluster *cluster);

/* affinity_selectors.c */
/* What ties a pod to the objects that select it by default. */
struct mst_pod_ties {
    mst_sym ns;
    mst_labels labels;
    mst_kind controller;
    struct mst_str controller_name;
};
/* The kind of the controller if it is one that selects, MST_KIND_UNKNOWN otherwise. */
mst_kind mst_controller_of(const struct mst_pod *pod, struct mst_str *ret_name);
void mst_default_selector_for(const struct mst_cluster *cluster, const struct mst_pod_ties *pod,
                              struct mst_arena *arena, struct mst_label_selector *out);
static inline struct mst_pod_ties mst_pod_ties_of(const struct mst_cluster *cluster, uint32_t pod)
{
    const struct mst_pod_row *p = &cluster->pods.v[pod];
    const struct mst_pod_labels *labels = cluster->pod_labels.v[p->labels];
    return (struct mst_pod_ties){
        .ns = p->ns,
        .labels = { (struct mst_label *)labels->set.v, labels->set.n },
        .controller = p->controller,
        .controller_name = p->controller_name,
    };
}
void mst_selectors_done(struct mst_cluster *cluster);

/* txn.c: what the pod asks for, or whether it counts, is another where it is nominated. */
void mst_cluster_nominee_changed(struct mst_cluster *cluster, uint32_t pod);

/* groups.c: the row of a group by name, made (unknown) when new; membership of a pod. */
uint32_t mst_group_row_of(struct mst_cluster *cluster, mst_sym ns, struct mst_str name);
void mst_group_join(struct mst_cluster *cluster, uint32_t group, uint32_t pod);
void mst_group_leave(struct mst_cluster *cluster, uint32_t pod);
void mst_groups_done(struct mst_cluster *cluster);

/* volumes_pods.c */
void mst_pod_volumes_done(struct mst_cluster *cluster);

/* lists.c: which pods are on a row, nominated to a name, assigned to an unknown name. */
typedef enum { MST_PODS_ON_NODE, MST_PODS_NOMINATED, MST_PODS_AWAY } mst_pod_list;
void mst_list_push(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod);
/* ret_gap (may be NULL) gets what mst_list_restore needs to undo it. */
void mst_list_remove(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod,
                     struct mst_gap *ret_gap);
/* Puts a removed pod back where it was; all that happened to the list since is undone before. */
void mst_list_restore(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod,
                      const struct mst_gap *gap);
/* The head that belongs to a node's name; valid until the next call. */
uint32_t *mst_unknown_head(struct mst_cluster *cluster, mst_sym node);
uint32_t *mst_nominated_head(struct mst_cluster *cluster, mst_sym node);

/* text.c: heap copies of spans that a row owns. */
struct mst_str mst_text_copy(struct mst_str s);
void mst_text_free(struct mst_str *s);
/* Replaces *to by a copy of s when it differs. */
void mst_text_set(struct mst_str *to, struct mst_str s);
void mst_cond_set(struct mst_cond *to, const mst_conditions *conditions, const char *type);
void mst_cond_copy(struct mst_cond *to, const struct mst_cond *from);
void mst_cond_free(struct mst_cond *cond);
/* "ns/name" in cluster->scratch. */
struct mst_str mst_key_of(struct mst_cluster *cluster, mst_sym ns, struct mst_str name);

#endif
