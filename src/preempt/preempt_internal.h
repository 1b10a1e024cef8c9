/*
 * preempt_internal.h - what the files of the search share: units, their order, their budgets.
 */
#ifndef MST_PREEMPT_INTERNAL_H
#define MST_PREEMPT_INTERNAL_H

#include "preempt/preempt.h"

typedef enum { MST_UNIT_POD = 1, MST_UNIT_GROUP = 2 } mst_unit_rank;

/* What is evicted as one, or not at all. */
struct mst_unit {
    int32_t priority;
    mst_unit_rank rank;
    uint32_t group;        /* row when it is a whole group, else MST_ROW_NONE */
    uint32_t *pods, *rows; /* rows: where each is, MST_ROW_NONE: on an unknown node */
    uint32_t n;
    int64_t start_ns; /* the earliest of its pods */
    uint32_t violations;
};
struct mst_units {
    struct mst_unit *v;
    uint32_t n;
    mst_sym unknown_node; /* a pod of some unit is on a node that we do not know */
};

/*
 * The units with a pod on `row` (MST_ROW_NONE: on any node), in upstream's order of enumeration.
 * Those with a priority of `below` or more are left out, but count for unknown_node.
 */
void mst_units_find(const struct mst_preempt *x, uint32_t row, int32_t below,
                    struct mst_units *out);
/* Most important first. */
void mst_units_sort(const struct mst_preempt *x, struct mst_unit *v, uint32_t n);
/*
 * Charges disruption budgets in order, notes each unit's violations and moves the violating units
 * to the front, keeping the order. Returns how many there are.
 */
uint32_t mst_units_charge(const struct mst_preempt *x, struct mst_units *units);
/* The pods of units as victims. */
void mst_units_victims(const struct mst_preempt *x, const struct mst_unit *v, uint32_t n,
                       uint32_t node, struct mst_victims *out);

/* Its own priority, or that of the group it is a member of. */
int32_t mst_unit_priority(const struct mst_cluster *cluster, uint32_t pod);
int64_t mst_start_ns(const struct mst_preempt *x, uint32_t pod);

/* Moves a unit's pods off their nodes, and back; the counters of `eval` follow (NULL: nobody's). */
void mst_unit_take(const struct mst_preempt *x, struct mst_eval *eval, const struct mst_unit *unit);
void mst_unit_give_back(const struct mst_preempt *x, struct mst_eval *eval,
                        const struct mst_unit *unit);

/* ---- one node (dry_run.c) ---- */

struct mst_dry_run {
    mst_code code; /* MST_SUCCESS: `victims`, at least one; else `reasons` */
    struct mst_victims victims;
    struct mst_reasons reasons;
};
/*
 * Could the pod have the row if others went? `eval` is the pod's, in a dry run
 * (mst_eval_dry_begin). Leaves no trace in the cluster. O(units of the row * plugins).
 */
void mst_dry_run(const struct mst_preempt *x, struct mst_eval *eval, uint32_t pod, uint32_t row,
                 struct mst_dry_run *out);

#endif
