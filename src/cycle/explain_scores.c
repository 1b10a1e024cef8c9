/*
 * explain_scores.c - what every plugin says of one pod on every node.
 *
 * Source: the oracle's mode `plugins`; spec/plugins.md 2.
 */
#include "cycle/engine_internal.h"
#include "cycle/explain.h"

#include "base/sort.h"

static void add_str(mst_strs *list, struct mst_str s)
{
    list->v[list->n++] = s;
}

static mst_strs new_strs(struct mst_arena *arena, uint32_t max)
{
    return (mst_strs){ MST_NEW_N(arena, struct mst_str, max), 0 };
}

static void ask_pre_enqueue(const struct mst_framework *fw, uint32_t pod, struct mst_arena *arena,
                            struct mst_pod_answer *out)
{
    for (uint32_t i = 0; i < fw->pre_enqueue_count; i++) {
        uint32_t slot = fw->pre_enqueue[i];
        const struct mst_slot *s = &fw->slots[slot];
        struct mst_status status = { .code = MST_SUCCESS };
        s->plugin->pre_enqueue(&fw->view, s->instance, pod, arena, &status);
        if (status.code == MST_SUCCESS || out->pre_enqueue_count == MST_COUNT(out->pre_enqueue))
            continue;
        out->pre_enqueue_plugin[out->pre_enqueue_count] = mst_str_of(s->plugin->name);
        out->pre_enqueue[out->pre_enqueue_count++] = status;
    }
}

static void fill_scores(struct mst_eval *eval, uint32_t row, struct mst_arena *arena,
                        struct mst_node_answer *out)
{
    const struct mst_framework *fw = eval->fw;
    out->scores.v = MST_NEW_N(arena, struct mst_score_entry, fw->score_count);
    for (uint32_t i = 0; i < fw->score_count; i++) {
        uint32_t slot = fw->score[i];
        int64_t raw, normalized;
        if (!mst_eval_score(eval, slot, row, &raw, &normalized))
            continue;
        uint32_t at = out->scores.n++;
        struct mst_str name = mst_str_of(fw->slots[slot].plugin->name);
        for (; at > 0 && mst_str_cmp(out->scores.v[at - 1].plugin, name) > 0; at--)
            out->scores.v[at] = out->scores.v[at - 1];
        out->scores.v[at] = (struct mst_score_entry){
            .plugin = name,
            .raw = raw,
            .normalized = normalized,
            .weighted = normalized * fw->slots[slot].weight,
        };
    }
    out->total = eval->total[row];
}

/* `alone`: what the plugin itself says, not what the framework makes of it. */
static void fill_rejection(const struct mst_eval *eval, uint32_t row, mst_verdict verdict,
                           bool alone, struct mst_arena *arena, struct mst_rejection *out)
{
    const bool failed = eval->fw->view.upstream && mst_eval_is_error(eval, verdict);
    out->code = failed                               ? MST_ERROR
                : verdict & MST_VERDICT_UNRESOLVABLE ? MST_UNRESOLVABLE
                                                     : MST_UNSCHEDULABLE;
    out->plugin = mst_str_of(mst_eval_rejecter(eval, verdict));
    if (mst_verdict_slot(verdict) == MST_SLOT_PRE_FILTER_RESULT)
        return; /* the restriction speaks for itself */
    struct mst_reasons reasons = { .arena = arena };
    if (failed && !alone)
        mst_reason_add(&reasons, mst_eval_error_text(eval, row, verdict, arena));
    else
        mst_eval_reasons(eval, row, verdict, &reasons);
    out->reasons = new_strs(arena, reasons.n);
    for (uint32_t i = 0; i < reasons.n; i++)
        add_str(&out->reasons, reasons.v[i]);
}

/* In the order in which the framework asks. */
static void fill_all(struct mst_eval *eval, uint32_t row, struct mst_arena *arena,
                     struct mst_node_answer *out)
{
    const struct mst_framework *fw = eval->fw;
    out->all.v = MST_NEW_N(arena, struct mst_rejection, fw->filter_count);
    for (uint32_t i = 0; i < fw->filter_count; i++) {
        mst_verdict verdict = mst_eval_plugin_verdict(eval, fw->filter[i], row);
        if (verdict != MST_VERDICT_OK)
            fill_rejection(eval, row, verdict, true, arena, &out->all.v[out->all.n++]);
    }
}

static void fill_node(struct mst_eval *eval, uint32_t row, bool all, struct mst_arena *arena,
                      struct mst_pod_answer *answer, struct mst_node_answer *out)
{
    out->node = mst_sym_str(eval->fw->view.syms, eval->fw->view.nodes->name[row]);
    if (answer->pre_filter != MST_SUCCESS) {
        out->first = (struct mst_rejection){ answer->pre_filter, answer->pre_filter_plugin,
                                             answer->pre_filter_reasons };
        return;
    }
    if (all)
        fill_all(eval, row, arena, out);
    mst_verdict verdict = eval->verdict[row];
    if (verdict == MST_VERDICT_OK) {
        fill_scores(eval, row, arena, out);
        add_str(&answer->feasible, out->node);
        return;
    }
    fill_rejection(eval, row, verdict, false, arena, &out->first);
}

static void fill_pre_filter(const struct mst_eval *eval, struct mst_arena *arena,
                            struct mst_pod_answer *out)
{
    const struct mst_framework *fw = eval->fw;
    out->pre_filter = eval->pre_code;
    out->skipped_filters = new_strs(arena, fw->slot_count);
    if (eval->pre_code != MST_SUCCESS) {
        if (eval->pre_slot != MST_ROW_NONE)
            out->pre_filter_plugin = mst_str_of(mst_framework_slot_name(fw, eval->pre_slot));
        out->pre_filter_reasons = new_strs(arena, 1);
        add_str(&out->pre_filter_reasons, mst_arena_str(arena, eval->pre_reason));
        return;
    }
    for (uint32_t slot = 0; slot < fw->slot_count; slot++)
        if ((eval->skipped | eval->skips_now) >> slot & 1)
            add_str(&out->skipped_filters, mst_str_of(fw->slots[slot].plugin->name));
    mst_sort_strs(out->skipped_filters.v, out->skipped_filters.n);
}

/* All nodes that share the highest total; nodes are in order of name. */
static void find_best(struct mst_arena *arena, struct mst_pod_answer *out)
{
    int64_t top = INT64_MIN;
    out->best = new_strs(arena, out->feasible.n);
    for (uint32_t i = 0; i < out->nodes.n; i++) {
        const struct mst_node_answer *n = &out->nodes.v[i];
        if (n->first.code != MST_SUCCESS)
            continue;
        if (n->total > top)
            out->best.n = 0;
        top = MST_MAX(top, n->total);
        if (n->total == top)
            add_str(&out->best, n->node);
    }
}

/* What PostFilter makes of a pod that fits nowhere. */
static void fill_post_filter(struct mst_engine *engine, const struct mst_framework *fw,
                             uint32_t pod, const struct mst_pick *pick, struct mst_arena *arena,
                             struct mst_pod_answer *out)
{
    struct mst_pod_no no;
    out->post_filter = MST_UNSCHEDULABLE;
    if (engine->cluster.pods.v[pod].group != MST_ROW_NONE)
        return;
    mst_pod_no_of(engine, pod, fw, pick, NULL, &no);
    if (no.asked) {
        out->message = mst_arena_str(arena, no.failure.message);
        out->post_filter = no.preemption.code;
        out->post_plugin = mst_str_of(mst_framework_slot_name(fw, fw->preempts_pods));
        out->post_reason =
            mst_arena_printf(arena, "preemption: %.*s", MST_ARG(no.preemption.message));
        out->nominates = no.failure.nominated != MST_NNN_KEEP;
        if (no.failure.nominated == MST_NNN_SET)
            out->nominated = mst_sym_str(engine->syms, no.failure.node);
    }
    mst_arena_reset(&engine->arena);
}

bool mst_explain_scores(struct mst_engine *engine, uint32_t pod, bool all, struct mst_arena *arena,
                        struct mst_pod_answer *out, struct mst_effects *calls)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[pod];
    mst_assert(p->live && p->class_id != UINT32_MAX);
    const struct mst_framework *fw = &engine->frameworks[p->profile];
    struct mst_nodes *nodes = &engine->cluster.nodes;
    *out = (struct mst_pod_answer){ 0 };
    ask_pre_enqueue(fw, pod, arena, out);
    struct mst_eval *eval = mst_eval_of(&engine->evals, fw, pod);
    struct mst_frame frame;
    mst_eval_open(eval, &frame);
    fill_pre_filter(eval, arena, out);
    mst_forced_rows forced = { 0 };
    mst_eval_apply_nominated(eval, pod, &forced);
    mst_eval_rescore(eval);

    const uint32_t *rank = mst_nodes_rank(nodes);
    out->nodes.v = MST_NEW_N(arena, struct mst_node_answer, nodes->count);
    out->nodes.n = nodes->count;
    out->feasible = new_strs(arena, nodes->count);
    uint32_t *row_at = MST_NEW_N(arena, uint32_t, nodes->count);
    for (uint32_t row = 0; row < nodes->count; row++)
        row_at[rank[row]] = row;
    for (uint32_t i = 0; i < nodes->count; i++)
        fill_node(eval, row_at[i], all, arena, out, &out->nodes.v[i]);
    find_best(arena, out);
    mst_eval_restore(eval, &forced);
    mst_eval_close(eval, &frame);

    struct mst_pick pick;
    uint32_t start = engine->evals.next_start;
    mst_engine_look(engine, false, pod, 1);
    mst_eval_pick(&engine->evals, fw, pod, NULL, arena, &pick);
    engine->evals.next_start = start; /* looking leaves no trace */
    if (pick.code == MST_SUCCESS) {
        out->host = mst_sym_str(engine->syms, nodes->name[pick.node]);
    } else if (pick.code != MST_WAIT) {
        out->reason = pick.code == MST_ERROR ? MST_STR("SchedulerError") : MST_STR("Unschedulable");
        out->message = pick.message;
        fill_post_filter(engine, fw, pod, &pick, arena, out);
    }
    return mst_engine_looked(engine, calls);
}
