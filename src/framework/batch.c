/*
 * batch.c - opportunistic batching: what a pod leaves behind for the next one, and what of it can
 * be used.
 */
#include "framework/batch.h"

#include "framework/eval_internal.h"

#define AGE_MAX_NS INT64_C(500000000)

void mst_batch_done(struct mst_batch *batch)
{
    mst_vec_done(&batch->names);
    mst_vec_done(&batch->totals);
    mst_vec_done(&batch->raws);
    mst_vec_done(&batch->rows);
    mst_vec_done(&batch->verdict);
    mst_vec_done(&batch->column);
    *batch = (struct mst_batch){ 0 };
}

static void forget(struct mst_batch *batch)
{
    batch->names.n = batch->totals.n = batch->raws.n = 0;
}

/* ---- raw scores ---- */

/*
 * Raw scores of a plugin that scores this pod, for rows [begin, end) into column[row]. Plugins that
 * count pods must have been asked pre_score_pick for the candidates at hand.
 */
static void raw_scores(const struct mst_eval *eval, uint32_t slot, uint32_t begin, uint32_t end,
                       int64_t *column)
{
    const struct mst_slot *s = &eval->fw->slots[slot];
    bool counts = eval->counting >> slot & 1;
    if (eval->uniform[slot] && !counts) {
        for (uint32_t row = begin; row < end; row++)
            column[row] = eval->uniform_raw[slot];
        return;
    }
    s->plugin->score(&eval->fw->view, s->instance,
                     counts ? eval->filter_state[slot] : eval->score_state[slot], begin, end,
                     column);
}

/* The Score plugins that have a say in the pick at hand. */
static uint64_t scoring_now(const struct mst_eval *eval)
{
    uint64_t now = eval->scored & ~eval->counting;
    for (uint32_t i = 0; i < eval->domain_score_count; i++)
        if (eval->frame && eval->domain_scores[i].scored)
            now |= (uint64_t)1 << eval->domain_scores[i].slot;
    return now;
}

static void add_entry(struct mst_batch *batch, mst_sym name, int64_t total)
{
    mst_vec_push(&batch->names, name);
    mst_vec_push(&batch->totals, total);
    mst_vec_reserve(&batch->raws, (size_t)batch->names.n * batch->width);
    for (uint32_t k = 0; k < batch->width; k++)
        batch->raws.v[batch->raws.n++] = 0;
}

void mst_batch_store(const struct mst_batch_ask *ask, struct mst_eval *eval, uint32_t row)
{
    struct mst_batch *batch = ask->batch;
    const struct mst_nodes *nodes = eval->fw->view.nodes;
    forget(batch);
    if (!mst_signature_set(ask->signature))
        return;
    batch->signature = ask->signature;
    batch->created_ns = ask->now_ns;
    batch->width = eval->fw->score_count;
    batch->rows.n = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (eval->verdict[i] != MST_VERDICT_OK || i == row)
            continue;
        add_entry(batch, nodes->name[i], eval->total[i]);
        mst_vec_push(&batch->rows, i);
    }
    const uint64_t now = scoring_now(eval);
    mst_vec_reserve(&batch->column, MST_MAX(1u, nodes->count));
    for (uint32_t k = 0; k < batch->width; k++) {
        uint32_t slot = eval->fw->score[k];
        if (!(now >> slot & 1))
            continue;
        raw_scores(eval, slot, 0, nodes->count, batch->column.v);
        for (uint32_t i = 0; i < batch->names.n; i++)
            batch->raws.v[i * batch->width + k] = batch->column.v[batch->rows.v[i]];
    }
}

void mst_batch_chose(const struct mst_batch_ask *ask, mst_sym node, bool list)
{
    struct mst_batch_counts *counts = &ask->batch->counts;
    const bool hinted = ask->batch->hinted != MST_SYM_NONE, used = ask->batch->hinted == node;
    counts->hint_used += hinted && used;
    counts->hint_not_used += hinted && !used;
    if (!used && !list)
        counts->flushed[MST_BATCH_EMPTY_LIST]++;
    else if (!used && !mst_signature_set(ask->signature))
        counts->flushed[MST_BATCH_POD_NOT_BATCHABLE]++;
    ask->batch->hinted = MST_SYM_NONE;
    if (!list)
        forget(ask->batch);
    ask->batch->chosen = true;
    ask->batch->cycle = ask->cycle;
    ask->batch->node = node;
}

/* ---- a hint ---- */

static mst_batch_flush judge(const struct mst_batch_ask *ask, const struct mst_cluster *cluster,
                             uint32_t pod)
{
    const struct mst_batch *b = ask->batch;
    if (ask->cycle != b->cycle + 1 && !(ask->groups && ask->cycle == b->cycle))
        return MST_BATCH_POD_SKIPPED;
    if (!b->chosen)
        return MST_BATCH_POD_FAILED;
    if (cluster->pods.v[pod].status_nominated != MST_SYM_NONE)
        return MST_BATCH_POD_NOMINATED;
    if (!mst_signature_set(ask->signature) || !mst_signature_eq(ask->signature, b->signature))
        return MST_BATCH_POD_INCOMPATIBLE;
    return ask->now_ns - b->created_ns <= AGE_MAX_NS ? MST_BATCH_USABLE : MST_BATCH_EXPIRED;
}

/* The rows of all entries; false when one of the nodes is gone. */
static bool find_rows(struct mst_batch *batch, const struct mst_nodes *nodes)
{
    batch->rows.n = 0;
    for (uint32_t i = 0; i < batch->names.n; i++) {
        uint32_t row = mst_nodes_row(nodes, batch->names.v[i]);
        if (row == MST_ROW_NONE)
            return false;
        mst_vec_push(&batch->rows, row);
    }
    return true;
}

/* The candidates as verdicts of rows, for plugins that count pods; returns who scores. */
static uint64_t ask_pre_scores(struct mst_batch *batch, const struct mst_eval *eval)
{
    const struct mst_framework *fw = eval->fw;
    const uint32_t count = fw->view.nodes->count;
    uint64_t now = eval->scored & ~eval->counting;
    if (!eval->domain_score_count)
        return now;
    mst_vec_reserve(&batch->verdict, MST_MAX(1u, count));
    for (uint32_t row = 0; row < count; row++)
        batch->verdict.v[row] = MST_VERDICT_UNRESOLVABLE;
    for (uint32_t i = 0; i < batch->rows.n; i++)
        batch->verdict.v[batch->rows.v[i]] = MST_VERDICT_OK;
    for (uint32_t i = 0; i < eval->domain_score_count; i++) {
        uint32_t slot = eval->domain_scores[i].slot;
        const struct mst_slot *s = &fw->slots[slot];
        if (!s->plugin->pre_score_pick ||
            s->plugin->pre_score_pick(&fw->view, s->instance, eval->filter_state[slot],
                                      batch->verdict.v, batch->rows.n) != MST_SKIP)
            now |= (uint64_t)1 << slot;
    }
    return now;
}

/* column[row] of the candidates becomes the plugin's normalised score. */
static void normalize(struct mst_batch *batch, const struct mst_eval *eval, uint32_t slot)
{
    const struct mst_slot *s = &eval->fw->slots[slot];
    int64_t *column = batch->column.v;
    if (eval->counting >> slot & 1) {
        if (s->plugin->normalize_pick)
            s->plugin->normalize_pick(&eval->fw->view, s->instance, eval->filter_state[slot],
                                      batch->verdict.v, column);
        return;
    }
    if (s->plugin->normalize == MST_NORMALIZE_NONE)
        return;
    int64_t max = 0;
    for (uint32_t i = 0; i < batch->rows.n; i++)
        max = MST_MAX(max, column[batch->rows.v[i]]);
    for (uint32_t i = 0; i < batch->rows.n; i++) {
        uint32_t row = batch->rows.v[i];
        column[row] = mst_normalized_score(s->plugin->normalize, column[row], max);
    }
}

/*
 * The node chosen last would take one more: it competes again with scores of now, beside the scores
 * that the others had. False when the list can no longer be used.
 */
static bool rescore(struct mst_batch *batch, struct mst_eval *eval, uint32_t last)
{
    const struct mst_framework *fw = eval->fw;
    if (!find_rows(batch, fw->view.nodes))
        return false;
    add_entry(batch, fw->view.nodes->name[last], 0);
    mst_vec_push(&batch->rows, last);
    const uint64_t now = ask_pre_scores(batch, eval);
    const uint32_t n = batch->names.n;
    mst_vec_reserve(&batch->column, MST_MAX(1u, fw->view.nodes->count));
    for (uint32_t i = 0; i < n; i++)
        batch->totals.v[i] = 0;
    for (uint32_t k = 0; k < batch->width; k++) {
        uint32_t slot = fw->score[k];
        if (!(now >> slot & 1))
            continue;
        int64_t *column = batch->column.v;
        raw_scores(eval, slot, last, last + 1, column);
        batch->raws.v[(n - 1) * batch->width + k] = column[last];
        memset(column, 0, fw->view.nodes->count * sizeof(*column));
        for (uint32_t i = 0; i < n; i++)
            column[batch->rows.v[i]] = batch->raws.v[i * batch->width + k];
        normalize(batch, eval, slot);
        for (uint32_t i = 0; i < n; i++)
            batch->totals.v[i] += fw->slots[slot].weight * column[batch->rows.v[i]];
    }
    return true;
}

static bool rescore_marked(struct mst_batch *batch, struct mst_eval *eval, uint32_t last)
{
    const struct mst_marks *marks = eval->owner->marks;
    mst_mark_begin(marks, MST_PART_RESCORE);
    const bool usable = rescore(batch, eval, last);
    mst_mark_sample(marks, MST_PART_RESCORE, &(struct mst_sample){ .profile = eval->fw->profile });
    return usable;
}

/* Takes the best entry out: of equal ones the lowest name, or one by lot. */
static mst_sym pop(struct mst_batch *batch, const struct mst_syms *syms, struct mst_rng *rng)
{
    uint32_t best = 0;
    uint64_t ties = 1;
    for (uint32_t i = 1; i < batch->names.n; i++) {
        if (batch->totals.v[i] < batch->totals.v[best])
            continue;
        bool tie = batch->totals.v[i] == batch->totals.v[best];
        ties = tie ? ties + 1 : 1;
        if (!tie || (rng ? mst_rng_below(rng, ties) == 0
                         : mst_str_cmp(mst_sym_str(syms, batch->names.v[i]),
                                       mst_sym_str(syms, batch->names.v[best])) < 0))
            best = i;
    }
    const uint32_t last = batch->names.n - 1, width = batch->width;
    mst_sym name = batch->names.v[best];
    batch->names.v[best] = batch->names.v[last];
    batch->totals.v[best] = batch->totals.v[last];
    for (uint32_t k = 0; k < width; k++)
        batch->raws.v[best * width + k] = batch->raws.v[last * width + k];
    batch->names.n = batch->totals.n = last;
    batch->raws.n = last * width;
    return name;
}

static mst_sym find_hint(const struct mst_batch_ask *ask, struct mst_eval *eval, uint32_t pod,
                         struct mst_rng *rng)
{
    struct mst_batch *batch = ask->batch;
    const struct mst_view *view = &eval->fw->view;
    if (!batch->names.n)
        return MST_SYM_NONE;
    const mst_batch_flush flush = judge(ask, view->cluster, pod);
    batch->counts.flushed[flush]++;
    if (flush != MST_BATCH_USABLE)
        return MST_SYM_NONE;
    uint32_t last = mst_nodes_row(view->nodes, batch->node);
    if (last == MST_ROW_NONE) {
        batch->counts.flushed[MST_BATCH_NODE_MISSING]++;
        return MST_SYM_NONE;
    }
    /* Nominated pods are not asked about here, as upstream has it. */
    mst_verdict verdict = mst_eval_row_verdict(eval, mst_eval_domain_filters(eval), last);
    batch->counts.rescores += verdict == MST_VERDICT_OK;
    if (verdict == MST_VERDICT_OK && !rescore_marked(batch, eval, last)) {
        batch->counts.flushed[MST_BATCH_NODE_MISSING]++;
        return MST_SYM_NONE;
    }
    return pop(batch, view->syms, rng);
}

mst_sym mst_batch_hint(const struct mst_batch_ask *ask, struct mst_eval *eval, uint32_t pod,
                       struct mst_rng *rng)
{
    const struct mst_marks *marks = eval->owner->marks;
    mst_mark_begin(marks, MST_PART_NODE_HINT);
    ask->batch->hinted = find_hint(ask, eval, pod, rng);
    mst_mark_sample(marks, MST_PART_NODE_HINT,
                    &(struct mst_sample){ .profile = eval->fw->profile,
                                          .yes = ask->batch->hinted != MST_SYM_NONE });
    ask->batch->counts.no_hint += ask->batch->hinted == MST_SYM_NONE;
    return ask->batch->hinted;
}
