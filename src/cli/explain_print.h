/*
 * explain_print.h - an explanation as text for people and as JSON for programs.
 */
#ifndef MST_EXPLAIN_PRINT_H
#define MST_EXPLAIN_PRINT_H

#include "codec/json.h"
#include "cycle/explain.h"

void mst_explanation_print(const struct mst_explanation *e, bool colours, struct mst_buf *out);
void mst_explanation_json(const struct mst_explanation *e, struct mst_json_writer *w);

/*
 * The answers of every plugin for one pod, one JSON line per node and one for the pod, in the
 * format of the reference program's mode `plugins`.
 *
 * group   of the pod, absent: none. A pod without a group asks PostFilter when it fits nowhere.
 */
void mst_scores_json(struct mst_str pod, struct mst_str group, const struct mst_pod_answer *answer,
                     struct mst_buf *out);
void mst_scores_print(struct mst_str pod, const struct mst_pod_answer *answer, bool colours,
                      struct mst_buf *out);

/*
 * Who would have to go for one pod or group: one JSON line in the format of the reference program's
 * mode `preempt`, and text. The text of a gated entity says why it is held.
 */
void mst_preempt_json(const struct mst_preempt_answer *answer, struct mst_buf *out);
void mst_preempt_print(const struct mst_preempt_answer *answer, bool colours, struct mst_buf *out);

#endif
