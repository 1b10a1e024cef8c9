/*
 * eval_internal.h - what the files of the verdict cache share.
 */
#ifndef MST_EVAL_INTERNAL_H
#define MST_EVAL_INTERNAL_H

#include "framework/eval.h"

/* eval_compile.c: asks PreFilter and PreScore, chooses who has to be asked per row. */
void mst_eval_compile(struct mst_eval *eval, const struct mst_framework *fw, uint32_t class_id);

/* "node(s) didn't satisfy plugin(s) [A B]" */
struct mst_str mst_eval_restrict_reason(const struct mst_eval *eval, struct mst_arena *arena);

/* eval.c */
struct mst_eval *mst_eval_new(struct mst_evals *owner);
void mst_eval_free(struct mst_eval *eval);
/* Forgets the class; keeps the memory. */
void mst_eval_clear(struct mst_eval *eval);
/* Computes every row. */
void mst_eval_scan(struct mst_eval *eval);
/* Brings the arrays up to date with the rows that changed. */
void mst_eval_sync(struct mst_eval *eval);
/* Makes the row's verdict be `verdict`, with everything that follows from it. */
void mst_eval_force(struct mst_eval *eval, uint32_t row, mst_verdict verdict);
/* False for a row that PreFilter left out. */
bool mst_eval_allows(const struct mst_eval *eval, uint32_t row);
/* Recomputes one row. */
void mst_eval_update(struct mst_eval *eval, uint32_t row);
/* Score of a normalised plugin (plugins.md 3.7). */
int64_t mst_normalized_score(mst_normalize how, int64_t raw, int64_t max);
void mst_eval_build_heap(struct mst_eval *eval);

#endif
