/*
 * eval.h - the verdict cache: what the plugins say of one pod class, on every node.
 *
 * A class is asked about all rows once; after that only about rows that changed. The best node
 * comes from an indexed heap once a class is asked again and again, from a scan before that.
 *
 * Owns:       compiled plugin states, verdicts, scores, heaps, within a budget of bytes; the class
 * used least recently goes first. A class seen for the first time does not enter the cache.
 * Borrows:    the frameworks and their cluster.
 * Invariants: what mst_eval_of returns is exactly what a fresh computation would give.
 */
#ifndef MST_EVAL_H
#define MST_EVAL_H

#include "base/heap.h"
#include "base/rng.h"
#include "framework/framework.h"
#include "framework/marks.h"

enum { MST_NORMALIZED_MAX = 16 }; /* score plugins of one profile that need normalising */

/* A score plugin whose raw scores are kept: its final score depends on the feasible set. */
struct mst_normalized {
    uint32_t slot;
    int64_t *raw;    /* [row] */
    int64_t max;     /* over feasible rows, at least 0 */
    uint32_t at_max; /* feasible rows with raw == max; 0 when max is 0 */
};

/* A score plugin that counts pods: its scores of the pick at hand. */
struct mst_domain_score {
    uint32_t slot;
    bool scored; /* it did not skip this pick */
    int64_t *normalized;
};

enum { MST_DOMAIN_SCORES_MAX = 8 };

struct mst_asks;
struct mst_evals;
struct mst_frame;
/* Verdicts with nominated pods added, of one compilation, priority and group. */
struct mst_kept_verdicts {
    uint64_t *stamp; /* [row]: the row's when it was asked, 0: not asked */
    mst_verdict *verdict;
    uint32_t cap;
    uint64_t compiled;
    int32_t priority;
    uint32_t group;
};
struct mst_batch_ask;

struct mst_eval {
    const struct mst_framework *fw;
    struct mst_evals *owner;
    uint32_t class_id;
    uint64_t class_serial;
    struct mst_arena arena;

    /* PreFilter: one answer for all nodes, or per-plugin states */
    mst_code pre_code; /* MST_SUCCESS, or a rejection or error that holds for every node */
    uint32_t pre_slot;
    bool pre_score_failed;     /* the error came from PreScore */
    struct mst_str pre_reason; /* reasons of the rejection */
    uint64_t skipped;          /* slots whose Filter is skipped */
    uint64_t restricting;      /* slots that named nodes */
    bool restricted;
    mst_sym_list names; /* the intersection, sorted by symbol */
    /* During a pick: who rejected the nominated node. Upstream names it among those that restrict.
     */
    uint64_t also_restricting;
    mst_strs more_reasons; /* during a pick: of nodes that only an extender knows */

    void *filter_state[MST_SLOTS_MAX], *score_state[MST_SLOTS_MAX];
    uint8_t filters[MST_SLOTS_MAX], adders[MST_SLOTS_MAX]; /* adders: no normaliser */
    uint32_t filter_count, adder_count, normalized_count;
    struct mst_normalized normalized[MST_NORMALIZED_MAX];
    bool uniform[MST_SLOTS_MAX];
    int64_t uniform_raw[MST_SLOTS_MAX];
    int64_t constant; /* what uniform plugins add to every node */
    uint64_t scored;  /* slots that score (not skipped) */

    /* Plugins that count pods (eval_domain.c) */
    uint64_t counting;  /* slots that follow rows */
    uint64_t skips_now; /* of those, the ones whose Filter skips the pick at hand */
    bool skips_kept;    /* skips_now is not asked for anew (a dry run after the pick) */
    uint8_t domain_filters[MST_SLOTS_MAX];
    uint32_t domain_filter_count;
    bool may_err;                        /* some Filter that is asked may fail */
    bool filters_after_domain;           /* some node-local Filter comes after one of them */
    uint8_t filter_place[MST_SLOTS_MAX]; /* [slot]: place in the order of Filter plugins */
    struct mst_domain_score domain_scores[MST_DOMAIN_SCORES_MAX];
    uint32_t domain_score_count;
    struct mst_frame *frame; /* not NULL: verdict and total are those of one pick */

    uint32_t cap;
    mst_verdict *verdict; /* [row] */
    int64_t *base;        /* constant + weighted scores of the adders */
    int64_t *total;       /* base + weighted normalised scores; == base when there are none */
    uint32_t feasible_count;

    /* What the plugins' states and the arrays reflect: another value means compiling anew. */
    uint64_t set_generation, image_generation;
    uint64_t plugin_generation; /* mst_eval_generation */
    struct mst_arena renewed;   /* states made by mst_eval_dry_renew, of an eval of its own */
    uint32_t taint_set_count;
    uint64_t compiled;  /* number of the compilation, never given twice */
    uint64_t change_at; /* changes of rows that the arrays have seen */
    struct mst_kept_verdicts with_nominated;
    uint32_t picks; /* since the last full scan */
    bool heap_valid;
    struct mst_heap heap; /* feasible rows, best first */
    uint64_t last_used;
    size_t bytes;
};

/*
 * A preference of nodes that comes before all scores: of the feasible ones only the lowest are
 * scored. A nominated node that takes the pod is not compared.
 *
 * compare  <0: row a comes before row b, 0: neither does. A total preorder.
 * placed   a pod has got its place on the row; the preference may change.
 */
struct mst_ranker {
    void *ctx;
    int (*compare)(void *ctx, uint32_t a, uint32_t b);
    void (*placed)(void *ctx, uint32_t row);
};

struct mst_evals {
    struct mst_asks *asks;           /* borrowed; NULL: there are no extenders */
    const struct mst_ranker *ranker; /* borrowed; NULL: scores decide alone */
    /* Borrowed, of the pick at hand: of points, of single plugins; NULL: nobody measures. */
    const struct mst_marks *marks, *plugin_marks;
    MST_VEC(struct mst_eval *) by_class; /* NULL: not cached */
    MST_VEC(uint64_t) seen;              /* serial of the class that used the id last */
    struct mst_eval *probation;          /* for classes seen once */
    MST_VEC(struct mst_eval *) cached;
    size_t bytes, budget;
    uint64_t clock, compilations;
    MST_VEC(int64_t) scratch, tops;
    /* the arrays of a pick in which plugins that count pods have a say */
    MST_VEC(mst_verdict) frame_verdict, kept;
    MST_VEC(int64_t) frame_total; /* without the plugins that count pods */
    MST_VEC(int64_t) frame_sum;   /* with them */
    MST_VEC(int64_t) frame_score[MST_DOMAIN_SCORES_MAX];
    uint32_t next_start;             /* rotation of node sampling (scheduling.md 3.3) */
    MST_VEC(uint32_t) list_order;    /* of all rows */
    MST_VEC(uint32_t) candidates;    /* of the pick at hand */
    const struct mst_batch_ask *ask; /* of the pick at hand; NULL: it is no part of a batch */
    uint64_t list_order_generation;
};

#define MST_EVAL_BUDGET ((size_t)256 << 20)

void mst_evals_init(struct mst_evals *evals, size_t budget);
void mst_evals_done(struct mst_evals *evals);

/* The up-to-date evaluation of a pod's class. Valid until the next call. */
struct mst_eval *mst_eval_of(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod);

/* The cached arrays while those of one pick take their place. */
struct mst_frame {
    mst_verdict *verdict;
    int64_t *total;
    uint32_t feasible_count;
    bool heap_valid;
    bool rescored;
    int64_t max[MST_NORMALIZED_MAX];
    uint32_t at_max[MST_NORMALIZED_MAX];
};
/*
 * Between open and close the arrays say what all plugins say now, those that count pods included;
 * totals are right after mst_eval_rescore. Nothing is copied when no such plugin has a say.
 */
void mst_eval_open(struct mst_eval *eval, struct mst_frame *frame);
/* The same; with `always` the arrays are those of one pick in any case, and may be written to. */
void mst_eval_open_for(struct mst_eval *eval, bool always, struct mst_frame *frame);
void mst_eval_rescore(struct mst_eval *eval);
void mst_eval_close(struct mst_eval *eval, const struct mst_frame *frame);

/* What an extender said of a node (extender_call.h). */
struct mst_ext_failed;
typedef MST_LIST(struct mst_ext_failed) mst_extender_words;

/* mst_nodes_list_order of all rows, kept; valid until nodes change. */
const uint32_t *mst_evals_list_order(struct mst_evals *evals, struct mst_nodes *nodes);

/* Where a pod would go, or why nowhere. */
struct mst_pick {
    /*
     * MST_SUCCESS, MST_UNSCHEDULABLE, MST_UNRESOLVABLE, MST_ERROR; MST_WAIT: extenders have to
     * answer first, and nothing else means anything.
     */
    mst_code code;
    uint32_t node;            /* row on success */
    uint32_t feasible;        /* nodes that would take it */
    uint64_t slots;           /* plugins that rejected it somewhere */
    uint64_t skips;           /* plugins that count pods and skipped this pick */
    struct mst_str message;   /* of a failure: upstream's FitError text, in the arena given */
    bool by_extender;         /* extenders rejected the last of the nodes */
    mst_extender_words words; /* what they said of which node, in the arena given */
    /* Of a failure after the filters: what they said of each row, in the arena given. */
    const mst_verdict *verdict;
    /* Good until the evals are asked again; NULL where nobody looked at the nodes. */
    struct mst_eval *eval;
};

/*
 * The single-pod algorithm of scheduling.md 3 on all nodes: nominated node first, filters with
 * nominated pods, scores, tie-break by lowest name or by `rng` when it is not NULL; extenders that
 * care for the pod are asked through evals->asks (extender.h).
 * Leaves no trace in the cluster. O(changed rows * log n) for a warm class, O(rows) for a new one.
 */
void mst_eval_pick(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod,
                   struct mst_rng *rng, struct mst_arena *arena, struct mst_pick *out);

/*
 * The same as a part of opportunistic batching (batch.h): a hint is tried right after the nominated
 * node, and what the pod leaves behind is stored. `ask` NULL: mst_eval_pick.
 */
void mst_eval_pick_batched(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod,
                           struct mst_rng *rng, const struct mst_batch_ask *ask,
                           struct mst_arena *arena, struct mst_pick *out);

/* Rows whose verdict was replaced for one pod, and what it was. */
struct mst_forced {
    uint32_t row;
    mst_verdict was;
};
typedef MST_VEC(struct mst_forced) mst_forced_rows;
/* Lets the pods nominated to a node count against `pod` there, until restored. */
void mst_eval_apply_nominated(struct mst_eval *eval, uint32_t pod, mst_forced_rows *out);
/* Those of the plugins that count pods which have a say in the pick at hand. */
uint64_t mst_eval_domain_filters(const struct mst_eval *eval);
void mst_eval_restore(struct mst_eval *eval, mst_forced_rows *rows);

/*
 * The class of a pod compiled for questions about single rows, outside of the cache; no row has
 * been looked at, but plugins that count pods have. Freed by the caller. O(plugins), with such
 * plugins O(rows).
 */
struct mst_eval *mst_eval_single(struct mst_evals *evals, const struct mst_framework *fw,
                                 uint32_t pod);
void mst_eval_free(struct mst_eval *eval);

/*
 * A dry run looks at single rows while it moves pods about, in a transaction that it takes back.
 *
 * begin        the pick is over; plugins that skip for the cluster as it is go on skipping.
 * renew        something that is not on a node has been set aside.
 * row_changed  pods of the row changed, or changed back: counters follow.
 * end          everything is as it was, and each row that changed was reported again.
 */
void mst_eval_dry_begin(struct mst_eval *eval);
/*
 * Assumptions about volumes have changed: plugins that look at such things compile their states
 * anew. Who skips and what PreFilter answers stays. Nothing when they have not changed.
 */
void mst_eval_dry_renew(struct mst_eval *eval);
void mst_eval_dry_row_changed(struct mst_eval *eval, uint32_t row);
void mst_eval_dry_end(struct mst_eval *eval);

/* False for a row that PreFilter left out. */
bool mst_eval_allows(const struct mst_eval *eval, uint32_t row);
/* The Filter plugins' verdict with the nominated pods that count against this pod (plugins.md 2.2).
 */
mst_verdict mst_eval_verdict(struct mst_eval *eval, uint32_t pod, uint32_t row);
/*
 * What the Filter plugins say of the row as it is, whether or not PreFilter left it out; of those
 * that count pods only `slots` are asked.
 */
mst_verdict mst_eval_row_verdict(struct mst_eval *eval, uint64_t slots, uint32_t row);
/* The same of one Filter plugin alone; MST_VERDICT_OK of one that skips. Between open and close. */
mst_verdict mst_eval_plugin_verdict(struct mst_eval *eval, uint32_t slot, uint32_t row);
/* Whether the plugin failed instead of answering. */
bool mst_eval_is_error(const struct mst_eval *eval, mst_verdict verdict);
/* How many pods of the class the row takes at most, as it is; INT64_MAX: nobody says. */
int64_t mst_eval_room(const struct mst_eval *eval, uint32_t row);
/* The plugin's words for a verdict. */
void mst_eval_reasons(const struct mst_eval *eval, uint32_t row, mst_verdict verdict,
                      struct mst_reasons *out);
/* A failure as the attempt that ends with it says it. */
struct mst_str mst_eval_error_text(const struct mst_eval *eval, uint32_t row, mst_verdict verdict,
                                   struct mst_arena *arena);
/* The name that the oracle gives the rejecting plugin. */
const char *mst_eval_rejecter(const struct mst_eval *eval, mst_verdict verdict);
/* Nodes per reason, in order of first appearance. */
struct mst_reason_counts {
    struct mst_map map;
    struct mst_arena *arena; /* for what mst_fit_text makes */
};
void mst_reason_count(struct mst_reason_counts *counts, struct mst_str reason, uint64_t nodes);
/* "0/N nodes are available: COUNT REASON, ...", sorted as text. Ends the counts. */
struct mst_str mst_fit_text(struct mst_reason_counts *counts, uint32_t node_count);
/* Upstream's FitError for the verdicts as they stand; ret_slots gets who rejected. */
struct mst_str mst_eval_message(struct mst_eval *eval, struct mst_arena *arena,
                                uint64_t *ret_slots);
/* Score of one plugin on a feasible row: raw, normalised over the feasible rows. False: skipped. */
bool mst_eval_score(struct mst_eval *eval, uint32_t slot, uint32_t row, int64_t *ret_raw,
                    int64_t *ret_normalized);

#endif
