/*
 * nodes_internal.h - what the files of nodes share.
 */
#ifndef MST_NODES_INTERNAL_H
#define MST_NODES_INTERNAL_H

#include "cluster/nodes.h"

/* nodes_sets.c: the id of a list of taints or labels, made when new. Labels need not be sorted. */
uint32_t mst_nodes_intern_features(struct mst_nodes *nodes, const mst_sym_list *features);
uint32_t mst_nodes_intern_taints(struct mst_nodes *nodes, const struct mst_taint *v, uint32_t n);
/* Gives the row its label set and fills the label columns. */
void mst_nodes_set_labels(struct mst_nodes *nodes, uint32_t row, const mst_labels *labels);
void mst_nodes_sets_done(struct mst_nodes *nodes);

/* nodes_images.c: takes over the node's images; forgets a row's. */
void mst_nodes_set_images(struct mst_nodes *nodes, uint32_t row, const struct mst_node *node);
void mst_nodes_drop_images(struct mst_nodes *nodes, uint32_t row);
void mst_nodes_images_done(struct mst_nodes *nodes);

/* nodes_percent.c: computes the row's derived columns. */
void mst_nodes_derive(struct mst_nodes *nodes, uint32_t row);

/* nodes_order.c */
void mst_nodes_order_done(struct mst_nodes *nodes);

#endif
