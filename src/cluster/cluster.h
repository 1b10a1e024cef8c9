/*
 * cluster.h - what is: nodes, pods on them and waiting, groups, and changes that can be taken back.
 *
 * Owns:       rows of pods and groups with their text; classes and usages; the undo log.
 * Invariants: a pod row is on at most one node's list; a row number is reused only after the pod is
 *             gone (`uid` tells the lives apart); no node's sums are ever touched but by
 *             mst_cluster_place and mst_cluster_unplace; inside a transaction nothing else changes.
 * Not here:   who waits (queue/), what a plugin thinks of a row (framework/).
 */
#ifndef MST_CLUSTER_H
#define MST_CLUSTER_H

#include "cluster/class.h"
#include "cluster/nodes.h"

/* A condition of the one type that the scheduler writes. Absent: status has no text. */
struct mst_cond {
    struct mst_str status, reason, message; /* heap, owned by the row */
    int64_t observed_generation;
    struct mst_time last_transition;
};

struct mst_pod_row {
    bool live;
    bool assigned; /* the API has a nodeName */
    bool assumed;  /* decided, binding not confirmed */
    bool deleting; /* deletionTimestamp is set */
    bool never_preempts;
    bool known_profile; /* spec.schedulerName has a profile here */
    mst_sym ns;
    struct mst_str name, uid; /* heap */
    uint32_t class_id;        /* UINT32_MAX for assigned pods: they need no class */
    uint32_t usage;
    uint32_t profile;
    uint32_t labels;     /* id, affinity.h */
    uint32_t affinity;   /* id, 0: says nothing about other pods */
    uint32_t volumes;    /* id, volumes.h; 0: none */
    mst_kind controller; /* ReplicationController, ReplicaSet, StatefulSet, or MST_KIND_UNKNOWN */
    struct mst_str controller_name; /* heap */
    int32_t priority;
    uint32_t node;     /* row it occupies (assigned, assumed or tentative), or MST_ROW_NONE */
    mst_sym node_name; /* of the assigned or assumed node, known to us or not */
    uint32_t node_next, node_prev; /* pods of the same row, or of the same unknown node */
    uint32_t away_next, away_prev; /* see mst_nodes.first_away */
    bool away;
    uint32_t group; /* row of its group, or MST_ROW_NONE */
    uint32_t group_next, group_prev;
    mst_sym nominated;        /* in memory: the nominator's entry */
    mst_sym status_nominated; /* as in the API, as far as we know */
    uint64_t lost_ports;      /* see ports_as_set; bit i: the usage's port i */
    bool ghost; /* profile upstream: its nomination counts as an empty pod of priority 0 */
    uint32_t nominated_next, nominated_prev;
    mst_sym scheduler_name;
    uint64_t extenders;   /* which extenders care for it, a bit each; set by the engine */
    struct mst_str gates; /* heap: "a b", absent without scheduling gates */
    int64_t generation;
    struct mst_time created, start_time;
    struct mst_cond scheduled;  /* PodScheduled */
    struct mst_cond disruption; /* DisruptionTarget */
};

/* The pod is on its way out because a scheduler evicted it for somebody else. */
bool mst_pod_preempted(const struct mst_pod_row *pod);

struct mst_group_row {
    bool live;
    bool known; /* the object exists; members may come first */
    bool composite;
    mst_sym ns;
    struct mst_str name, uid; /* heap */
    mst_policy policy;
    int64_t min_count;
    int32_t priority;
    mst_sym preemption_policy;
    bool disrupted_whole;       /* disruptionMode all: its running pods are one victim */
    struct mst_str parent;      /* heap: parentCompositePodGroupName */
    mst_sym_list topology_keys; /* heap */
    int64_t generation;
    struct mst_time created;
    uint32_t first_pod, last_pod;        /* members, in order of arrival */
    uint32_t all_count;                  /* known, not terminal, with a profile here or assigned */
    uint32_t scheduled_count;            /* assigned or assumed */
    struct mst_cond initially_scheduled; /* PodGroupInitiallyScheduled */
    struct mst_cond disruption;          /* DisruptionTarget */
    bool tried_again; /* at once, because its last attempt found room without a victim */
};

struct mst_pod_labels;
struct mst_affinity;
struct mst_selector_store;
struct mst_pod_volumes;
struct mst_volume_store;
struct mst_budgets;
struct mst_preemptors;
struct mst_awaits;
struct mst_namespace_row {
    mst_sym name;
    mst_labels labels; /* heap */
    bool live;
};

typedef enum {
    MST_UNDO_PLACE,
    MST_UNDO_UNPLACE,
    MST_UNDO_NOMINATE,
    MST_UNDO_ASSUMPTION, /* of a volume or claim; what was before is kept in volumes_assume.c */
} mst_undo_kind;
/* Where a pod was in a list, and who took its place there (MST_ROW_NONE: nobody). */
struct mst_gap {
    uint32_t prev, next, filler;
};
struct mst_undo {
    mst_undo_kind kind;
    uint32_t pod, node;
    struct mst_gap gap; /* of an unplaced or no longer nominated pod */
    mst_sym nominated;  /* the nomination before */
    /* Of a placed pod: its lost_ports before, and those of its ports that were lost for others. */
    uint64_t own_lost_ports, lost_ports;
};

struct mst_cluster {
    struct mst_syms *syms;
    struct mst_nodes nodes;
    MST_VEC(struct mst_pod_row) pods;
    MST_VEC(uint32_t) free_pods;
    struct mst_map pod_ids; /* "ns/name" -> row */
    MST_VEC(struct mst_group_row) groups;
    MST_VEC(uint32_t) free_groups;
    struct mst_map group_ids; /* "ns/name" -> row */
    /* by symbol of a node name: first pod assigned to it while we do not know the node; first
     * nominated pod */
    MST_VEC(uint32_t) unknown_head;
    MST_VEC(uint32_t) nominated_head;
    uint32_t nominated_pod_count; /* pods with an entry in the nominator */
    bool groups_enabled; /* gate GenericWorkload; set after init, before the first object */
    /*
     * Profile upstream, set like groups_enabled: a node's used host ports are a set, as in
     * kube-scheduler. When one of two pods with the same port leaves, the port is lost for the
     * other: it counts as free until somebody else comes with it.
     */
    bool ports_as_set;
    /*
     * Profile upstream, set like groups_enabled: what an assumption replaces is gone for good, also
     * in a transaction, as in kube-scheduler's assume caches. Otherwise it comes back.
     */
    bool assumes_for_good;
    bool fit_scores_whole_pod; /* profile muster: Fit scores pod-level requests and resize status */
    /* Profile muster: a group that was scheduled stays so, whatever an older object still says. */
    bool scheduled_is_final;

    MST_VEC(struct mst_class *) classes; /* NULL where free */
    MST_VEC(uint32_t) free_classes;
    struct mst_map class_ids;
    uint64_t class_serial;
    MST_VEC(uint64_t)
    idle_classes; /* serial << 32 | id of classes that lost their last pod, oldest first */
    uint32_t idle_begin;
    MST_VEC(struct mst_usage *) usages;
    MST_VEC(uint32_t) free_usages;
    struct mst_map usage_ids;
    /* affinity.h */
    MST_VEC(struct mst_pod_labels *) pod_labels;
    MST_VEC(uint32_t) free_pod_labels;
    struct mst_map pod_labels_ids;
    MST_VEC(struct mst_affinity *) affinities; /* [0] is NULL */
    MST_VEC(uint32_t) free_affinities;
    struct mst_map affinity_ids;
    uint64_t labels_serial, affinity_serial;
    struct mst_map namespace_labels; /* symbol -> index into namespaces */
    MST_VEC(struct mst_namespace_row) namespaces;
    uint64_t namespace_generation, selector_generation;
    struct mst_selector_store *selectors; /* affinity_selectors.c */
    MST_VEC(uint8_t) label_keys;          /* by symbol: mentioned by some selector (label_keys.c) */
    MST_VEC(mst_sym) fresh_keys;
    /* volumes.h */
    MST_VEC(struct mst_pod_volumes *) pod_volumes; /* [0] is NULL */
    MST_VEC(uint32_t) free_pod_volumes;
    struct mst_map pod_volumes_ids;
    struct mst_map claim_uses;        /* "ns/name" -> volumes of pods on nodes that use the claim */
    struct mst_volume_store *volumes; /* volumes.c */
    struct mst_budgets *budgets;      /* budgets.h, NULL: none */
    struct mst_preemptors *preemptors; /* preemptors.h, NULL: none yet */
    struct mst_awaits *awaited;        /* awaited.h, NULL: none */
    bool
        pods_matter; /* some pod or object speaks about pods: classes tell labels apart (class.c) */
    struct mst_arena scratch; /* reset by each call that uses it */

    MST_VEC(struct mst_undo) undo;
    MST_VEC(uint32_t) txn_marks; /* of the open transactions, outermost first */
    uint32_t txn_depth;
};

void mst_cluster_init(struct mst_cluster *cluster, struct mst_syms *syms);
void mst_cluster_done(struct mst_cluster *cluster);

/* ---- nodes ---- */

/*
 * Adds the node or takes its new properties. Pods already assigned to it move in. Returns the row.
 */
uint32_t mst_cluster_node_set(struct mst_cluster *cluster, const struct mst_node *node);
/* Pods on it stay known, as pods of an unknown node. The name must be known (asserted). */
void mst_cluster_node_remove(struct mst_cluster *cluster, mst_sym name);

/* ---- pods ---- */

uint32_t mst_cluster_pod(const struct mst_cluster *cluster, mst_sym ns, struct mst_str name);
/*
 * Adds a pod that is not known yet. `profile` is the index of its scheduler profile, or UINT32_MAX.
 * An assigned pod is placed on its node. The group row is made when it is not there yet.
 * Returns the row.
 */
uint32_t mst_cluster_pod_add(struct mst_cluster *cluster, const struct mst_pod *pod,
                             uint32_t profile);
/*
 * Takes the object's new properties. An assumed pod that becomes assigned is confirmed; on another
 * node than assumed, reality wins. Class and usage are recomputed.
 */
void mst_cluster_pod_update(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod);
void mst_cluster_pod_remove(struct mst_cluster *cluster, uint32_t row);
/* Takes the pod off its node and out of its group; the row stays readable until
 * mst_cluster_pod_remove. */
void mst_cluster_pod_retire(struct mst_cluster *cluster, uint32_t row);
/* What the API will say of the pod once a patch arrives: PodScheduled, DisruptionTarget. */
void mst_cluster_pod_condition(struct mst_cluster *cluster, uint32_t row,
                               const struct mst_cond *condition);
void mst_cluster_pod_disruption(struct mst_cluster *cluster, uint32_t row,
                                const struct mst_cond *condition);

/*
 * Occupies a node for good, until confirmed or forgotten. The pod must be placed on it (asserted).
 */
void mst_cluster_assume(struct mst_cluster *cluster, uint32_t pod);
/* Takes an assumed pod off its node. */
void mst_cluster_forget(struct mst_cluster *cluster, uint32_t pod);
/* The nominator's entry; MST_SYM_NONE clears it. Can be undone inside a transaction. */
void mst_cluster_nominate(struct mst_cluster *cluster, uint32_t pod, mst_sym node_name);
/* First pod nominated to a row's node, then row->nominated_next. MST_ROW_NONE ends. */
uint32_t mst_cluster_nominated_first(const struct mst_cluster *cluster, uint32_t node);

/* ---- groups ---- */

uint32_t mst_cluster_group(const struct mst_cluster *cluster, mst_sym ns, struct mst_str name);
/* Adds or updates the object. Returns the row. */
uint32_t mst_cluster_group_set(struct mst_cluster *cluster, const struct mst_pod_group *group);
/* PodGroupInitiallyScheduled, as the API will say once a patch arrives. */
void mst_cluster_group_condition(struct mst_cluster *cluster, uint32_t row,
                                 const struct mst_cond *condition);
void mst_cluster_group_disruption(struct mst_cluster *cluster, uint32_t row,
                                  const struct mst_cond *condition);
/* Forgets the object; the row stays while members do. */
void mst_cluster_group_remove(struct mst_cluster *cluster, uint32_t row);

/* ---- classes ---- */

static inline const struct mst_class *mst_cluster_class(const struct mst_cluster *cluster,
                                                        uint32_t id)
{
    return cluster->classes.v[id];
}
static inline const struct mst_usage *mst_cluster_usage(const struct mst_cluster *cluster,
                                                        uint32_t id)
{
    return cluster->usages.v[id];
}
/* The class of a pod, made when new, with one reference added. */
uint32_t mst_class_of(struct mst_cluster *cluster, const struct mst_pod *pod, uint32_t profile);
void mst_class_unref(struct mst_cluster *cluster, uint32_t id);
uint32_t mst_usage_of(struct mst_cluster *cluster, const struct mst_pod *pod,
                      uint32_t request_mode);
void mst_usage_unref(struct mst_cluster *cluster, uint32_t id);

/* ---- transactions ---- */

/*
 * Everything placed or unplaced after this can be taken back. Transactions nest: roll back or
 * commit the innermost first (asserted). Returns a mark for mst_txn_end.
 */
uint32_t mst_txn_begin(struct mst_cluster *cluster);
/* Undoes down to the mark, newest first: every column is restored byte for byte. */
void mst_txn_rollback(struct mst_cluster *cluster, uint32_t mark);
/* Keeps the changes; the outer transaction can still undo them. */
void mst_txn_commit(struct mst_cluster *cluster, uint32_t mark);

/*
 * Puts a pod on a row: usage, counts, list. Outside of a transaction it cannot be undone but by
 * mst_cluster_unplace. The pod must not be on a node (asserted). O(resource kinds of the pod).
 */
void mst_cluster_place(struct mst_cluster *cluster, uint32_t pod, uint32_t node);
void mst_cluster_unplace(struct mst_cluster *cluster, uint32_t pod);

/* ---- topology ---- */

/* The nodes by the value of one label key. */
struct mst_domains {
    mst_sym key;
    uint64_t set_generation, change_end; /* of the nodes when it was made */
    uint32_t count;                      /* domains; nodes without the label belong to none */
    mst_sym *value;                      /* [domain], ascending bytewise */
    uint32_t *domain_of;                 /* [row], MST_ROW_NONE without label */
    uint32_t *begin; /* [count + 1]: rows of domain d are rows[begin[d]..begin[d+1]) */
    uint32_t *rows;  /* ascending within a domain */
};
/* Made afresh in `arena`. O(rows log rows). */
void mst_cluster_domains(struct mst_cluster *cluster, mst_sym key, struct mst_arena *arena,
                         struct mst_domains *out);

/* ---- checks ---- */

/* Recomputes every sum from the pods and asserts equality. O(everything); tests and simulation. */
void mst_cluster_check(const struct mst_cluster *cluster);
/* All state as bytes, for comparing before and after a rollback. */
void mst_cluster_dump(const struct mst_cluster *cluster, struct mst_buf *out);

#endif
