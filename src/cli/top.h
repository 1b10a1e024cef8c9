/*
 * top.h - what nodes have to give and what is taken of it; what groups ask for and have.
 *
 * Owns:       rows and columns. Borrows the cluster.
 * Invariants: only resources that some node has or some pod asks for have a column; requests are
 *             the scheduler's: what it would compare with what a node has.
 */
#ifndef MST_TOP_H
#define MST_TOP_H

#include "cli/live.h"
#include "cluster/cluster.h"

enum { MST_TOP_PODS = MST_RES_MAX }; /* the column of pods */

struct mst_top_amount {
    int64_t used; /* nodes: requested by the pods on it; groups: by its members with a node */
    int64_t of;   /* nodes: allocatable; groups: requested by all members */
};

struct mst_top_row {
    struct mst_str ns, name;        /* nodes: ns absent */
    uint32_t nodes;                 /* groups: that its members are on */
    bool cordoned;                  /* nodes: spec.unschedulable */
    struct mst_top_amount *amounts; /* by column */
};

/* How whole the free room of one extended resource is, on nodes that take pods. */
struct mst_top_block {
    uint32_t column;
    int64_t free, largest;
    uint32_t node_count;    /* with something free */
    struct mst_str on_node; /* the largest block is on; the first by name */
};

struct mst_top {
    bool groups;
    struct mst_arena arena;
    MST_VEC(uint32_t) resources; /* by column: the cluster's, or MST_TOP_PODS */
    MST_VEC(struct mst_str) names;
    MST_VEC(int64_t) allocatable; /* by column: of all nodes */
    MST_VEC(struct mst_top_row) rows;
    MST_VEC(struct mst_top_block) blocks; /* nodes only */
};

void mst_top_nodes(struct mst_top *top, const struct mst_cluster *cluster);
void mst_top_groups(struct mst_top *top, const struct mst_cluster *cluster,
                    const struct mst_scope *scope);
/*
 * By name, or by a column's name: what is fuller first. False when there is no such column.
 */
bool mst_top_sort(struct mst_top *top, const char *by);
void mst_top_done(struct mst_top *top);

/* A table; of nodes with their sum and the free blocks below it. Amounts as people write them. */
void mst_top_print(struct mst_top *top, bool colours, struct mst_buf *out);
/* One JSON object with all rows; whole units: thousandths of CPU, bytes, devices. */
void mst_top_json(struct mst_top *top, struct mst_buf *out);

#endif
