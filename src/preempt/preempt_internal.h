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
    mst_unit_rank rank, upstream_rank; /* upstream ranks a lone pod of a group as a group */
    uint32_t group;                    /* row when it is a whole group, else MST_ROW_NONE */
    uint32_t *pods, *rows;             /* rows: where each is, MST_ROW_NONE: on an unknown node */
    uint32_t n;
    int64_t start_ns; /* the earliest of its pods */
    /* gangFirst: the group of a pod that goes alone, or MST_ROW_NONE; the earliest start there */
    uint32_t gang;
    int64_t gang_start_ns;
    uint32_t violations;
};
struct mst_units {
    struct mst_unit *v;
    uint32_t n;
    mst_sym unknown_node; /* a pod of some unit is on a node that we do not know */
    bool lasting; /* what they are follows from the row's pods alone, whatever the time is */
};

/*
 * The units with a pod on `row` (MST_ROW_NONE: on any node), in upstream's order of enumeration.
 * Those with a priority of `below` or more are left out, but count for unknown_node.
 */
void mst_units_find(const struct mst_preempt *x, uint32_t row, int32_t below,
                    struct mst_units *out);
/*
 * How v1.37.2 orders and charges, or how profile muster does: there a lone pod of a group ranks as
 * a pod, the smallest UID breaks ties, and budgets mean what policy/v1 says.
 */
typedef enum { MST_AS_UPSTREAM, MST_AS_MUSTER } mst_manner;
static inline mst_manner mst_manner_of(const struct mst_preempt *x)
{
    return x->fw->view.upstream ? MST_AS_UPSTREAM : MST_AS_MUSTER;
}
/* Most important first. */
int mst_unit_compare(const struct mst_preempt *x, mst_manner manner, const struct mst_unit *a,
                     const struct mst_unit *b);
void mst_units_sort(const struct mst_preempt *x, mst_manner manner, struct mst_unit *v, uint32_t n);
/*
 * Charges disruption budgets in order, notes each unit's violations and moves the violating units
 * to the front, keeping the order. Returns how many there are.
 */
uint32_t mst_units_charge(const struct mst_preempt *x, mst_manner manner, struct mst_units *units);
/* Charges every budget that covers the pod, up to the first with nothing left: then true. */
bool mst_budgets_charge(const struct mst_preempt *x, mst_manner manner, uint32_t pod,
                        int64_t *left);
/* The smallest UID of its pods. */
struct mst_str mst_unit_uid(const struct mst_preempt *x, const struct mst_unit *unit);
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

/* ---- places of several pods at once (seats.c) ---- */

struct mst_seat {
    struct mst_assignment a;
    struct mst_eval *eval; /* of its class, shared */
    bool local;            /* its filters read nothing but the node */
    uint32_t mark;         /* of its transaction, while it is placed and not local */
};
/*
 * Pods that shall run together, and where. They are not on the nodes but while a question is
 * answered; units come and go between the questions.
 */
struct mst_seats {
    const struct mst_preempt *x;
    const struct mst_group_placer *placer;
    struct mst_seat *v; /* in scheduling order */
    uint32_t n;
    MST_VEC(struct mst_eval *) evals; /* one per class; the first `lent` are somebody else's */
    uint32_t lent;
    bool all_local;
    uint32_t *first,
        *next; /* by row: the first seat there, and the next after each; NULL: n <= 1 */
};
void mst_seats_begin(struct mst_seats *s, const struct mst_preempt *x,
                     const struct mst_group_placer *placer);
/* An evaluation of some pods' class, in a dry run, instead of making one. */
void mst_seats_lend(struct mst_seats *s, struct mst_eval *eval);
/* The pod's class is compiled now, whatever changes before mst_seats_set. */
void mst_seats_know(struct mst_seats *s, uint32_t pod);
/* The pods and their rows; the order is that of scheduling. */
void mst_seats_set(struct mst_seats *s, const struct mst_assignment *v, uint32_t n);
/* Other rows for the same pods, [seat]. */
void mst_seats_move(struct mst_seats *s, const uint32_t *rows);
void mst_seats_done(struct mst_seats *s);
/* The units' pods have moved in some other way: counters follow. */
void mst_seats_follow(struct mst_seats *s, const struct mst_units *units);
/* A unit's pods leave their nodes, or come back. */
void mst_seats_take(struct mst_seats *s, const struct mst_unit *unit);
void mst_seats_give_back(struct mst_seats *s, const struct mst_unit *unit);
/* Do the seats still hold now that the unit is back (NULL: whatever changed)? */
bool mst_seats_hold(struct mst_seats *s, const struct mst_unit *unit);

typedef enum { MST_SEATS_FOUND, MST_SEATS_NONE, MST_SEATS_UNKNOWN } mst_seats_answer;
/*
 * Looks for other rows for the same pods on the cluster as it is, all of them or none: exact, by
 * backtracking, as long as *steps lasts (a step is one pod asked about one row). What was found is
 * what the seats are then; otherwise they stay. Filters must be monotone for MST_SEATS_NONE to be a
 * proof.
 */
mst_seats_answer mst_seats_find(struct mst_seats *s, int64_t *steps);

/* ---- where a group should rather go (rank.c), profile muster ---- */

struct mst_ranking;
/* Before anybody is placed. `units` are those that may go; they stay as they are. */
struct mst_ranking *mst_ranking_of(const struct mst_preempt *x, const struct mst_units *units);
/* For mst_evals.ranker; mst_rank_take_back undoes its `placed`. */
const struct mst_ranker *mst_ranking_ranker(const struct mst_ranking *r);
void mst_rank_take_back(struct mst_ranking *r, uint32_t row);

/* ---- the better choice (improve.c), profile muster ---- */

/* Which of two sets of victims is better; see spec/preemption.md 12.1. */
typedef enum { MST_ORDER_IMPORTANCE, MST_ORDER_SMALLEST } mst_victim_order;

/* Sets of units, as indices into one list sorted by importance. */
struct mst_choice {
    const struct mst_units *units;
    bool *evicted;       /* [unit] */
    uint32_t violations; /* of budgets, charged on this set alone */
};
/* <0: a is better. Units that are leaving anyway count nothing. */
int mst_choice_compare(const struct mst_preempt *x, mst_victim_order order,
                       const struct mst_choice *a, const struct mst_choice *b);
uint32_t mst_choice_violations(const struct mst_preempt *x, const struct mst_units *units,
                               const bool *evicted);
/* Profile muster: says in the message when the search ended before its proof. */
void mst_note_unproven(const struct mst_preempt *x, struct mst_preemption *out);
/* All its pods are on their way out. */
bool mst_unit_leaves(const struct mst_preempt *x, const struct mst_unit *unit);

/*
 * The best set of units to evict, so that the seats hold, or the best found in *steps.
 *
 * units    sorted by importance; all of them have left (mst_seats_take), and the seats hold.
 * movable  the seats may move to other rows.
 * out      evicted[] is filled in; the seats are those of this choice.
 * On return the kept units are back. Returns true if nothing better exists (for monotone filters).
 */
bool mst_improve(struct mst_seats *seats, const struct mst_units *units, mst_victim_order order,
                 bool movable, int64_t *steps, struct mst_choice *out);

/* ---- one node (dry_run.c) ---- */

/* Units come back in order where the seats still hold; returns the others in `victims`. */
uint32_t mst_reprieve(struct mst_seats *seats, const struct mst_units *units,
                      struct mst_unit *victims);
/*
 * Profile muster's choice: mst_improve, or upstream's where that is better and the best one is not
 * proven. Returns whether it is. `units` are sorted, all gone before; the seats hold.
 */
bool mst_choose_better(struct mst_seats *seats, struct mst_units *units, bool movable,
                       int64_t *steps, struct mst_unit *victims, uint32_t *ret_n,
                       uint32_t *ret_violations);

struct mst_dry_run {
    /*
     * MST_SUCCESS: `victims`, at least one, or none where extenders may still name some; else
     * `reasons`.
     */
    mst_code code;
    struct mst_victims victims;
    struct mst_unit *units; /* the same as units, by importance; without those that leave anyway */
    uint32_t unit_count;
    struct mst_reasons reasons;
    bool lasting; /* follows from the row's own pods and nominations, and from budgets */
    bool proven; /* nothing better on this node; always true for profile upstream, which asks not */
};
/*
 * Could the pod have the row if others went? The only seat is the pod's, its evaluation in a dry
 * run (mst_eval_dry_begin). Leaves no trace in the cluster. O(units of the row * plugins).
 *
 * steps    for looking for a better choice than the first one (improve.c), profile muster
 */
void mst_dry_run(const struct mst_preempt *x, struct mst_seats *seats, uint32_t row, int64_t *steps,
                 struct mst_dry_run *out);
/* Does the pod fit on the row once these units are gone? Leaves no trace either. */
bool mst_dry_fits(const struct mst_preempt *x, struct mst_seats *seats, uint32_t row,
                  const struct mst_units *units);

/* ---- what extenders say (extenders.c) ---- */

struct mst_dry_runs {
    struct mst_dry_run *v;
    uint32_t n;
};
/* Whether some extender that preempts cares for the pod. */
bool mst_preempt_extended(const struct mst_preempt *x, uint32_t pod);
/*
 * Lets these extenders judge the candidates, one after the other, while the dry run lasts.
 *
 * runs     nodes where the pod would fit, each once; replaced by what is left of them
 * Returns  MST_SUCCESS; MST_WAIT: an answer is not there yet, and nothing has happened; MST_ERROR
 *          with a text in the arena.
 */
mst_code mst_preempt_ask(const struct mst_preempt *x, struct mst_seats *seats, uint32_t pod,
                         struct mst_dry_runs *runs, struct mst_str *ret_error);

/* ---- which node (node_choice.c) ---- */

/* What candidates are compared by first, the smaller the better, in this order. */
struct mst_run_cost {
    int64_t v[5];
};
struct mst_candidate {
    const struct mst_dry_run *run;
    const struct mst_run_cost *cost;
};
/* Of a run with victims. */
struct mst_run_cost mst_run_cost_of(const struct mst_preempt *x, const struct mst_dry_run *run);
/* The best of n > 0, of equal ones the lowest name. */
const struct mst_dry_run *mst_cheapest(const struct mst_preempt *x, const struct mst_candidate *v,
                                       uint32_t n);

/* ---- answers of dry runs that last (dry_cache.c) ---- */

typedef enum {
    MST_DRY_UNKNOWN,
    MST_DRY_REFUSED,
    MST_DRY_CLEAN,    /* a candidate that violates no budget */
    MST_DRY_VIOLATING /* a candidate that does */
} mst_dry_state;

/* Read by the search while it lasts; changed by begin and put alone. */
struct mst_dry_cache {
    struct mst_arena arena;
    uint64_t compiled, budgets; /* of the evaluation and the budgets that the answers are about */
    int32_t priority;
    uint32_t rows, cap;
    uint8_t *state;                 /* [row], mst_dry_state */
    uint64_t *stamp;                /* [row]: the row's when its state was last looked at */
    const struct mst_dry_run **run; /* [row], unless unknown */
    struct mst_run_cost *cost;      /* [row], of candidates */
};

/*
 * False: nothing can be kept for this class. Forgets what is about another class or priority, and
 * the rows that have changed since; about the node that the pod is nominated to nothing is known.
 */
bool mst_dry_cache_begin(struct mst_dry_cache *cache, const struct mst_preempt *x,
                         const struct mst_eval *eval, uint32_t pod);
/* Keeps a copy if the answer lasts; `cost` is NULL unless it is a candidate. */
void mst_dry_cache_put(struct mst_dry_cache *cache, const struct mst_preempt *x, uint32_t pod,
                       uint32_t row, const struct mst_dry_run *run,
                       const struct mst_run_cost *cost);

#endif
