/*
 * nodes.h - the nodes as columns: one array per property, one dense row per node.
 *
 * Owns:       every column, the hash-consed taint and label sets, the log of changed rows.
 * Invariants: rows are dense: deleting a node moves the last row into the gap and bumps
 *             `set_generation`, so a row number is only good while that number stands; sums of
 *             requests equal the sums over the pods on the row's list; ids of taint sets and label
 *             sets are never reused.
 * Not here:   pods, groups (cluster.h), the order in which nodes win ties (nodes_order.c).
 */
#ifndef MST_NODES_H
#define MST_NODES_H

#include "api/types.h"
#include "base/map.h"

enum { MST_ROW_NONE = UINT32_MAX };

/* Resource columns: the first three are fixed, scalars follow as they are first seen. */
enum { MST_RES_CPU, MST_RES_MEMORY, MST_RES_EPHEMERAL, MST_RES_FIXED };
/* The last column collects what comes after MST_RES_MAX - 1 names: it fits nowhere. */
enum { MST_PERCENTS = MST_RES_MEMORY + 1 }; /* columns with derived percents: cpu and memory */
enum { MST_RES_MAX = 1024, MST_RES_NONE = UINT32_MAX };

struct mst_taint_set {
    const struct mst_taint *v; /* in the node's order */
    uint32_t n;
};

/* Features of kubelets that pods can need (NodeDeclaredFeatures). */
enum {
    MST_FEATURE_RESTART_ALL = 1 << 0,     /* RestartAllContainersOnContainerExits */
    MST_FEATURE_USERNS_HOST_NET = 1 << 1, /* UserNamespacesHostNetworkSupport */
    MST_FEATURE_BIND_MOUNT = 1 << 2,      /* VolumeBindMountOptions */
};

/* status.declaredFeatures as listed, and those of the above that are among them. */
struct mst_feature_set {
    const mst_sym *v;
    uint32_t n;
    uint32_t known;
};

struct mst_label_set {
    const struct mst_label *v; /* sorted by key */
    uint32_t n;
};

/*
 * An image on a node. `bytes` is what counts: the size that was recorded when the name was first
 * seen on any node, kept while some node has it, as in kube-scheduler's cache; `own_bytes` is what
 * this node says.
 */
struct mst_node_image {
    mst_sym name;
    int64_t bytes, own_bytes;
};
struct mst_image_list {
    struct mst_node_image *v;
    uint32_t n;
};

/* The recorded size of an image name and how many nodes have it. */
struct mst_image_state {
    int64_t bytes;
    uint32_t node_count;
};

/* A label key as a column: value[row], MST_SYM_NONE where the label is absent. */
struct mst_label_column {
    mst_sym key;
    mst_sym *value;
};

/* The nodes that have an image: the sparse twin of mst_image_list. */
struct mst_image_rows {
    MST_VEC(uint32_t) rows;
    MST_VEC(int64_t) bytes;
};

struct mst_nodes {
    struct mst_syms *syms;
    uint32_t count, cap;
    uint64_t set_generation;   /* a row appeared, vanished or moved */
    uint64_t label_generation; /* some node's labels changed */
    uint64_t image_generation; /* some node's images changed */
    bool images_hidden;

    mst_sym *name;
    struct mst_str *uid; /* heap */
    uint32_t resource_count;
    mst_sym resource_name[MST_RES_MAX];
    bool resource_extended[MST_RES_MAX]; /* plugins.md 3.1 "extended" */
    int64_t *allocatable[MST_RES_MAX];   /* milli-CPU, bytes, units */
    int64_t *requested[MST_RES_MAX];
    int64_t *nonzero_cpu, *nonzero_memory; /* NonZeroRequested */
    float *percent_unit[MST_PERCENTS];     /* derived from the above: see mst_percents */
    float *percent_free[MST_PERCENTS];
    float *percent_used[MST_PERCENTS];
    int32_t *evenness;
    int64_t *pods_allowed;
    uint32_t *pod_count;
    uint32_t *port_pod_count;     /* pods on the row that hold host ports */
    uint32_t *affinity_pod_count; /* pods on the row that say something about other pods */
    uint32_t *anti_pod_count;     /* pods on the row with required anti-affinity */
    uint32_t *volume_pod_count;   /* pods on the row with volumes that matter (volumes.h) */
    uint32_t *nominated_count;    /* pods nominated here, not assumed */
    uint8_t *unschedulable;
    uint32_t *taint_set, *label_set, *feature_set;
    uint32_t *first_pod; /* newest pod on the row, MST_ROW_NONE when empty */
    /*
     * Pods with volumes that run on the row and that the open transaction has taken off it, by
     * away_next; MST_ROW_NONE: none. In no particular order.
     */
    uint32_t *first_away;
    struct mst_image_list *images;
    uint64_t *arrival; /* order of first insertion, for list order */
    /*
     * Another number whenever anything about the row changes, nominations to it included; never
     * given twice. What was worked out for a row is good while its stamp stands.
     */
    uint64_t *stamp;
    uint64_t stamps; /* given */

    MST_VEC(struct mst_taint_set) taint_sets;
    MST_VEC(struct mst_label_set) label_sets;
    MST_VEC(struct mst_feature_set) feature_sets;
    struct mst_map feature_set_ids;
    struct mst_map taint_set_ids, label_set_ids; /* bytes of the set -> id */
    struct mst_arena set_arena;
    MST_VEC(struct mst_label_column) label_columns;
    uint32_t *row_of_sym; /* symbol of a name -> row + 1 */
    uint32_t row_of_sym_cap;

    struct mst_map image_ids; /* symbol of a name -> index into image_states */
    MST_VEC(struct mst_image_state) image_states;
    MST_VEC(uint32_t) free_image_states;

    /* rows whose columns changed, oldest first; changes[0] has number change_first */
    MST_VEC(uint32_t) changes;
    uint64_t change_first;

    /* caches that are rebuilt on demand (mutable through the const accessors) */
    uint32_t *rank; /* place by name, bytewise */
    uint64_t rank_generation;
    struct mst_map image_index_ids;
    MST_VEC(struct mst_image_rows) image_index;
    uint64_t image_index_generation, image_index_set_generation;
    uint64_t arrivals;
};

/* What a hint may want to know of a node before and after a change. */
struct mst_node_facts {
    mst_sym name;
    struct mst_label_set labels;
    struct mst_taint_set taints;
    struct mst_feature_set features;
    bool unschedulable;
    int64_t pods_allowed;
    const int64_t *allocatable; /* [resource column], resource_count long */
    uint32_t resource_count;
};

void mst_nodes_init(struct mst_nodes *nodes, struct mst_syms *syms);
void mst_nodes_done(struct mst_nodes *nodes);

/* Row by name, or MST_ROW_NONE. O(1). */
uint32_t mst_nodes_row(const struct mst_nodes *nodes, mst_sym name);
/* The column of a resource, made when new (all zero); MST_RES_NONE for names that do not count. */
uint32_t mst_nodes_resource(struct mst_nodes *nodes, mst_sym name);
/* The column if it exists already. */
uint32_t mst_nodes_resource_find(const struct mst_nodes *nodes, mst_sym name);
/*
 * The column of a label key, made when new. O(rows) the first time. Stable until nodes are added.
 */
const mst_sym *mst_nodes_label(struct mst_nodes *nodes, mst_sym key);
/* One label of one row without a column. O(log labels). */
mst_sym mst_nodes_label_of(const struct mst_nodes *nodes, uint32_t row, mst_sym key);

/* Adds a row for a new name. The node starts empty. Returns the row. */
uint32_t mst_nodes_add(struct mst_nodes *nodes, const struct mst_node *node);
/* Takes the object's new properties; usage stays. */
void mst_nodes_update(struct mst_nodes *nodes, uint32_t row, const struct mst_node *node);
/*
 * Removes a row that has no pods. The last row takes its place; returns that row's old number, or
 * MST_ROW_NONE if the removed one was last. The caller renumbers what points at it.
 */
uint32_t mst_nodes_remove(struct mst_nodes *nodes, uint32_t row);

/* Fills `out`; `allocatable` must have room for MST_RES_MAX and is pointed to. */
void mst_nodes_facts(const struct mst_nodes *nodes, uint32_t row, int64_t *allocatable,
                     struct mst_node_facts *out);

/*
 * What follows from a row's cpu [MST_RES_CPU] and memory [MST_RES_MEMORY], so that scorers over all
 * rows need not divide: each percentage is the true value rounded to float, off by value / 2^24 at
 * most.
 *
 * An odd row, with an amount outside [0, 2^52) or nothing allocatable, has unit 0, free 50, used 0:
 * every percentage made of these is a whole number, which is where scorers look at amounts anyway.
 */
struct mst_percents {
    float unit[MST_PERCENTS]; /* 100 / allocatable */
    float free[MST_PERCENTS]; /* 100 (allocatable - nonzero) / allocatable, negative if overfull */
    float used[MST_PERCENTS]; /* 100 requested / allocatable */
    int32_t evenness; /* integer part of (1 - |c - m| / 2) 100, c and m the fractions requested, at
                         most 1, in doubles as upstream computes them; 0 on odd rows */
};
void mst_nodes_percents(const struct mst_nodes *nodes, uint32_t row, struct mst_percents *out);

static inline void mst_nodes_restamp(struct mst_nodes *nodes, uint32_t row)
{
    nodes->stamp[row] = ++nodes->stamps;
}

/*
 * The first row, `from` or later, whose stamp is not the one in `seen` ([row], by whoever keeps
 * answers about rows); the count of rows if all are as seen. O(rows passed), many at a time.
 */
uint32_t mst_nodes_next_stale(const struct mst_nodes *nodes, const uint64_t *seen, uint32_t from);

/*
 * Forgets the changes noted since `mark`, which mst_nodes_change_end returned then: every row is
 * as it was, and nobody has replayed them.
 */
void mst_nodes_forget_changes(struct mst_nodes *nodes, uint64_t mark);

/* Notes that a row's columns changed, and keeps the derived ones in step. O(1). */
void mst_nodes_touch(struct mst_nodes *nodes, uint32_t row);
/* The number that the next change will get; changes in [change_first, this) can be replayed. */
static inline uint64_t mst_nodes_change_end(const struct mst_nodes *nodes)
{
    return nodes->change_first + nodes->changes.n;
}

/* rank[row]: place of the row's name in bytewise order. Recomputed when the set changed. */
const uint32_t *mst_nodes_rank(struct mst_nodes *nodes);
/*
 * Rows in upstream's list order: zones round robin, arrival within a zone. Into `out` (count long).
 */
void mst_nodes_list_order(struct mst_nodes *nodes, uint32_t *out);
/*
 * Profile upstream: kube-scheduler forgets which nodes have an image while a group preempts, since
 * its copy of the cluster is the copy of a copy. No effect when no node has any.
 */
void mst_nodes_hide_images(struct mst_nodes *nodes, bool hidden);
/* The rows that have the image, or NULL when none has. Rebuilt on demand. */
const struct mst_image_rows *mst_nodes_image(struct mst_nodes *nodes, mst_sym image);

#endif
