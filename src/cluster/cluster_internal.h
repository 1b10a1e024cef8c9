/*
 * cluster_internal.h - what the files of the cluster share.
 */
#ifndef MST_CLUSTER_INTERNAL_H
#define MST_CLUSTER_INTERNAL_H

#include "cluster/cluster.h"

/* class.c, usage.c */
void mst_classes_done(struct mst_cluster *cluster);
void mst_usages_done(struct mst_cluster *cluster);
/* The pod's request as amounts > 0, ascending by column, in cluster->scratch. Returns how many. */
uint32_t mst_amounts_of(struct mst_cluster *cluster, const struct mst_pod *pod,
                        uint32_t request_mode, struct mst_amount **out);

/* groups.c: the row of a group by name, made (unknown) when new; membership of a pod. */
uint32_t mst_group_row_of(struct mst_cluster *cluster, mst_sym ns, struct mst_str name);
void mst_group_join(struct mst_cluster *cluster, uint32_t group, uint32_t pod);
void mst_group_leave(struct mst_cluster *cluster, uint32_t pod);
void mst_groups_done(struct mst_cluster *cluster);

/* lists.c: which pods are on a row, nominated to a name, assigned to an unknown name. */
void mst_list_push(struct mst_cluster *cluster, uint32_t *head, uint32_t pod);
void mst_list_remove(struct mst_cluster *cluster, uint32_t *head, uint32_t pod);
/* Puts a removed pod back between the neighbours that it had. */
void mst_list_restore(struct mst_cluster *cluster, uint32_t *head, uint32_t pod, uint32_t prev,
                      uint32_t next);
void mst_nominated_push(struct mst_cluster *cluster, uint32_t *head, uint32_t pod);
void mst_nominated_remove(struct mst_cluster *cluster, uint32_t *head, uint32_t pod);
void mst_nominated_restore(struct mst_cluster *cluster, uint32_t *head, uint32_t pod, uint32_t prev,
                           uint32_t next);
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
