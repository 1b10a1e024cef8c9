/*
 * eval_internal.h - what the files of the verdict cache share.
 */
#ifndef MST_EVAL_INTERNAL_H
#define MST_EVAL_INTERNAL_H

#include "framework/eval.h"

/* eval_compile.c: asks PreFilter and PreScore, chooses who has to be asked per row. */
void mst_eval_compile(struct mst_eval *eval, const struct mst_framework *fw, uint32_t class_id);

/* Another number when some plugin wants the class compiled anew. */
uint64_t mst_eval_generation(const struct mst_framework *fw, const struct mst_class *class);

/* "node(s) didn't satisfy plugin(s) [A B]" */
struct mst_str mst_eval_restrict_reason(const struct mst_eval *eval, struct mst_arena *arena);

/* eval.c */
struct mst_eval *mst_eval_new(struct mst_evals *owner);
/* Forgets the class; keeps the memory. */
void mst_eval_clear(struct mst_eval *eval);
/* Computes every row. */
void mst_eval_scan(struct mst_eval *eval);
/* Brings the arrays up to date with the rows that changed. */
void mst_eval_sync(struct mst_eval *eval);
/* Feasible rows, maxima and totals (without plugins that count pods) from the verdicts as they are.
 */
void mst_eval_recount(struct mst_eval *eval);
/* The same in a frame whose filters have just run; totals are touched only if a maximum moved. */
void mst_eval_refilter(struct mst_eval *eval);

/* eval_domain.c */
void mst_domain_row(struct mst_eval *eval, uint32_t row); /* the row changed */
void mst_domain_scan(struct mst_eval *eval);              /* every row is new */
void mst_domain_begin(struct mst_eval *eval);
/* Filters of the given slots on a range of rows, in the configured order. */
void mst_domain_filter(struct mst_eval *eval, uint64_t slots, uint32_t begin, uint32_t end,
                       mst_verdict *verdict);
/*
 * The best row of a frame by the heap of the cached arrays; MST_ROW_NONE: the heap cannot tell, or
 * not soon enough. After mst_eval_rescore.
 */
uint32_t mst_domain_heap_best(struct mst_eval *eval);
bool mst_domain_score(const struct mst_eval *eval, uint32_t slot, uint32_t row, int64_t *ret_raw,
                      int64_t *ret_normalized);

/* Makes the row's verdict be `verdict`, with everything that follows from it. */
void mst_eval_force(struct mst_eval *eval, uint32_t row, mst_verdict verdict);
/* False for a row that PreFilter left out. */
bool mst_eval_allows(const struct mst_eval *eval, uint32_t row);
/* Recomputes one row. */
void mst_eval_update(struct mst_eval *eval, uint32_t row);
/* Score of a normalised plugin (plugins.md 3.7). */
int64_t mst_normalized_score(mst_normalize how, int64_t raw, int64_t max);
void mst_eval_build_heap(struct mst_eval *eval);

/* ---- the steps of a pick (eval_pick.c), for picks with extenders (eval_extender.c) ---- */

/*
 * The node that the status nominates, when it takes the pod. When it does not, its answer stands
 * even where PreFilter left the node out, until `forced` is restored.
 */
bool mst_pick_first(struct mst_eval *eval, uint32_t pod, mst_sym name, struct mst_pick *out,
                    mst_forced_rows *forced);
/* Lets nominated pods count against the pod everywhere, until `forced` is restored. */
void mst_pick_with_nominated(struct mst_eval *eval, uint32_t pod, mst_forced_rows *forced);
/* A copy of what the filters say now. */
const mst_verdict *mst_pick_verdicts(const struct mst_eval *eval, struct mst_arena *arena);
/* How many feasible nodes are enough, of n candidates. */
uint32_t mst_pick_wanted(const struct mst_framework *fw, uint32_t n);
/* Fills evals->candidates: the rows that PreFilter left, in list order. */
void mst_pick_candidates(struct mst_evals *evals, const struct mst_eval *eval);
/* A verdict for rows that take no part; no words are made of it. */
#define MST_VERDICT_HIDDEN (MST_VERDICT_UNRESOLVABLE | 127u << MST_VERDICT_SLOT_SHIFT)
/* The pick of a pod that some extenders (a mask) care for. The eval is open. */
void mst_pick_extended(struct mst_evals *evals, struct mst_eval *eval, uint32_t pod,
                       uint64_t extenders, struct mst_rng *rng, struct mst_arena *arena,
                       struct mst_pick *out);

#endif
