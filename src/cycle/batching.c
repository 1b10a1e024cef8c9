/*
 * batching.c - which pods take part in opportunistic batching.
 *
 * Profile upstream only: a hint never gives a better node than a look at all of them does, and that
 * look costs next to nothing here (docs/deviations.md).
 *
 * Source: spec/scheduling.md 3.7, plugins.md 5.
 */
#include "cycle/engine_internal.h"

void mst_engine_batches_init(struct mst_engine *engine)
{
    bool any = false;
    for (uint32_t i = 0; i < engine->framework_count; i++)
        any |= engine->frameworks[i].signs;
    if (engine->config->upstream && any)
        engine->batches = mst_calloc(engine->framework_count, sizeof(*engine->batches));
}

void mst_engine_batches_done(struct mst_engine *engine)
{
    for (uint32_t i = 0; engine->batches && i < engine->framework_count; i++)
        mst_batch_done(&engine->batches[i]);
    mst_free(engine->batches);
    mst_vec_done(&engine->signatures);
}

void mst_engine_sign(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod)
{
    if (!engine->batches)
        return;
    while (engine->signatures.n <= row)
        mst_vec_push(&engine->signatures, (struct mst_signature){ 0 });
    const struct mst_framework *fw = &engine->frameworks[engine->cluster.pods.v[row].profile];
    mst_mark_begin(engine->marks, MST_PART_SIGN);
    engine->signatures.v[row] = mst_sign_pod(fw, row, pod, &engine->cluster.scratch);
    mst_engine_mark(engine, MST_PART_SIGN, fw, MST_SUCCESS, NULL);
}

static void pick(struct mst_engine *engine, const struct mst_framework *fw, uint32_t pod,
                 struct mst_pick *out)
{
    struct mst_rng *ties = mst_engine_ties(engine);
    if (!engine->batches) {
        mst_eval_pick_batched(&engine->evals, fw, pod, ties, NULL, &engine->arena, out);
        return;
    }
    const struct mst_batch_ask ask = {
        .batch = &engine->batches[fw->profile],
        .signature = engine->signatures.v[pod],
        .cycle = engine->cycle,
        .now_ns = engine->now_ns,
        .groups = engine->config->gates.on[MST_GATE_GenericWorkload],
    };
    mst_eval_pick_batched(&engine->evals, fw, pod, ties, &ask, &engine->arena, out);
}

void mst_engine_pick(struct mst_engine *engine, const struct mst_framework *fw, uint32_t pod,
                     struct mst_pick *out)
{
    engine->evals.marks = engine->marks;
    engine->evals.plugin_marks = mst_engine_plugin_marks(engine);
    pick(engine, fw, pod, out);
    engine->evals.marks = engine->evals.plugin_marks = NULL;
}
