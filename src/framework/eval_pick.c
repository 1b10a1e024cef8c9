/*
 * eval_pick.c - the single-pod algorithm: which node, or why none.
 *
 * Source: spec/scheduling.md 3, plugins.md 2.2-2.4.
 */
#include "framework/eval_internal.h"

#include "base/vector.h"
#include "framework/batch.h"

enum { NOMINATED_FEW = 16, PICKS_BEFORE_HEAP = 2, SAMPLE_MIN = 100, SCAN_ROWS = 128 };

/* Both loops choose by masks: of loads under conditions compilers do not make vector code. */
MST_VECTOR
static int64_t best_total(const mst_verdict *verdict, const int64_t *total, uint32_t n)
{
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t other = -(int64_t)(verdict[i] != MST_VERDICT_OK);
        const int64_t value = (total[i] & ~other) | (INT64_MIN & other);
        best = value > best ? value : best;
    }
    return best;
}

/* The lowest rank of the feasible rows with that total; UINT32_MAX: there are none. */
MST_VECTOR
static uint32_t lowest_rank(const mst_verdict *verdict, const int64_t *total, const uint32_t *rank,
                            int64_t wanted, uint32_t n)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t other = (uint32_t)(total[i] != wanted) | (verdict[i] != MST_VERDICT_OK);
        const uint32_t mine = rank[i] | -other;
        lowest = mine < lowest ? mine : lowest;
    }
    return lowest;
}

/*
 * The best of all rows, of equal ones the lowest name. First the best of every block, then ranks in
 * the blocks that have the best of all.
 */
static uint32_t scan_lowest(struct mst_evals *evals, const struct mst_eval *eval,
                            const uint32_t *rank)
{
    uint32_t count = eval->fw->view.nodes->count;
    mst_vec_reserve(&evals->tops, count / SCAN_ROWS + 1);
    int64_t *tops = evals->tops.v, max = INT64_MIN;
    for (uint32_t at = 0; at < count; at += SCAN_ROWS) {
        uint32_t n = MST_MIN(count - at, (uint32_t)SCAN_ROWS);
        int64_t top = best_total(eval->verdict + at, eval->total + at, n);
        tops[at / SCAN_ROWS] = top;
        max = MST_MAX(max, top);
    }
    uint32_t lowest = UINT32_MAX, begin = 0, end = 0; /* of the block that has it */
    for (uint32_t at = 0; at < count && max != INT64_MIN; at += SCAN_ROWS) {
        if (tops[at / SCAN_ROWS] != max)
            continue;
        uint32_t n = MST_MIN(count - at, (uint32_t)SCAN_ROWS);
        uint32_t mine = lowest_rank(eval->verdict + at, eval->total + at, rank + at, max, n);
        if (mine > lowest)
            continue;
        lowest = mine;
        begin = at;
        end = at + n;
    }
    for (uint32_t row = begin; row < end; row++)
        if (rank[row] == lowest)
            return row;
    return MST_ROW_NONE;
}

/* The same with equal ones drawn by lot, one draw per tie as the scan meets it. */
static uint32_t scan_drawn(const struct mst_eval *eval, struct mst_rng *rng)
{
    uint32_t best = MST_ROW_NONE;
    uint64_t ties = 0;
    for (uint32_t row = 0; row < eval->fw->view.nodes->count; row++) {
        if (eval->verdict[row] != MST_VERDICT_OK)
            continue;
        if (best == MST_ROW_NONE || eval->total[row] > eval->total[best]) {
            best = row;
            ties = 1;
        } else if (eval->total[row] == eval->total[best] && mst_rng_below(rng, ++ties) == 0) {
            best = row;
        }
    }
    return best;
}

static uint32_t scan_best(const struct mst_eval *eval, struct mst_rng *rng)
{
    return rng ? scan_drawn(eval, rng)
               : scan_lowest(eval->owner, eval, mst_nodes_rank(eval->fw->view.nodes));
}

static uint32_t best_row(struct mst_eval *eval, struct mst_rng *rng)
{
    if (eval->frame) {
        mst_eval_rescore(eval);
        bool warm = !rng && ++eval->picks >= PICKS_BEFORE_HEAP;
        uint32_t row = warm ? mst_domain_heap_best(eval) : MST_ROW_NONE;
        return row != MST_ROW_NONE ? row : scan_best(eval, rng);
    }
    if (rng || ++eval->picks < PICKS_BEFORE_HEAP)
        return scan_best(eval, rng);
    if (!eval->heap_valid)
        mst_eval_build_heap(eval);
    return mst_heap_top(&eval->heap);
}

/* ---- sampling: how many feasible nodes are enough (scheduling.md 3.3) ---- */

uint32_t mst_pick_wanted(const struct mst_framework *fw, uint32_t n)
{
    if (fw->score_count == 0 && !fw->extenders_choose)
        return 1; /* one is as good as another */
    if (n < SAMPLE_MIN)
        return n;
    int64_t percent = fw->percentage_of_nodes;
    if (percent == 0 && !fw->view.upstream)
        return n; /* looking at every node costs us next to nothing */
    if (percent == 0)
        percent = MST_MAX(50 - (int64_t)n / 125, 5);
    if (percent >= 100)
        return n;
    return (uint32_t)MST_MAX((int64_t)n * percent / 100, SAMPLE_MIN);
}

const uint32_t *mst_evals_list_order(struct mst_evals *evals, struct mst_nodes *nodes)
{
    uint64_t generation = nodes->set_generation + nodes->label_generation; /* neither goes back */
    if (evals->list_order_generation != generation) {
        mst_vec_reserve(&evals->list_order, MST_MAX(1u, nodes->count));
        mst_nodes_list_order(nodes, evals->list_order.v);
        evals->list_order_generation = generation;
    }
    return evals->list_order.v;
}

/* The rows that PreFilter left, in list order; all of them when it named none. */
void mst_pick_candidates(struct mst_evals *evals, const struct mst_eval *eval)
{
    struct mst_nodes *nodes = eval->fw->view.nodes;
    const uint32_t *order = mst_evals_list_order(evals, nodes);
    evals->candidates.n = 0;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (mst_eval_allows(eval, order[i]))
            mst_vec_push(&evals->candidates, order[i]);
}

/* The row was chosen among the verdicts and totals as they stand; scoring is over. */
static void tell_batch(const struct mst_evals *evals, struct mst_eval *eval, uint32_t row)
{
    mst_mark_halt(evals->marks, MST_PART_SCORE);
    if (!evals->ask)
        return;
    mst_mark_go(evals->marks, MST_PART_STORE);
    mst_batch_store(evals->ask, eval, row);
    mst_mark_halt(evals->marks, MST_PART_STORE);
}

/*
 * Feasible rows beyond the first `want` candidates count as not looked at: normalisation and the
 * choice run over the sample alone. Returns how many candidates were looked at.
 */
static uint32_t pick_sampled(struct mst_evals *evals, struct mst_eval *eval, uint32_t want,
                             struct mst_rng *rng, struct mst_pick *out)
{
    mst_forced_rows hidden = { 0 };
    uint32_t n = evals->candidates.n, found = 0, looked = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = evals->candidates.v[(evals->next_start + i) % n];
        looked += found < want;
        if (eval->verdict[row] != MST_VERDICT_OK)
            continue;
        if (found++ < want)
            continue;
        mst_vec_push(&hidden, (struct mst_forced){ row, MST_VERDICT_OK });
        mst_eval_force(eval, row, MST_VERDICT_HIDDEN);
    }
    out->feasible = eval->feasible_count;
    mst_mark_go(evals->marks, MST_PART_SCORE);
    mst_eval_rescore(eval);
    out->node = scan_best(eval, rng);
    tell_batch(evals, eval, out->node);
    mst_eval_restore(eval, &hidden);
    return looked;
}

/* ---- a Filter plugin that fails ---- */

static bool any_error(const struct mst_eval *eval)
{
    for (uint32_t row = 0; row < eval->fw->view.nodes->count; row++)
        if (eval->verdict[row] & MST_VERDICT_ERROR && mst_eval_is_error(eval, eval->verdict[row]))
            return true;
    return false;
}

struct mst_str mst_eval_error_text(const struct mst_eval *eval, uint32_t row, mst_verdict verdict,
                                   struct mst_arena *arena)
{
    struct mst_reasons reasons = { .arena = arena };
    mst_eval_reasons(eval, row, verdict, &reasons);
    return mst_arena_printf(arena, "running \"%s\" filter plugin: %.*s",
                            mst_eval_rejecter(eval, verdict), MST_ARG(reasons.v[0]));
}

/*
 * Profile upstream: looking at the nodes in order, a plugin fails before enough nodes are found.
 * The first failure ends the attempt, whatever the other nodes said.
 */
static bool fails(struct mst_evals *evals, struct mst_eval *eval, struct mst_arena *arena,
                  struct mst_pick *out)
{
    const struct mst_framework *fw = eval->fw;
    if (!fw->view.upstream || !eval->may_err || !any_error(eval))
        return false;
    mst_pick_candidates(evals, eval);
    const uint32_t n = evals->candidates.n, want = mst_pick_wanted(fw, n);
    for (uint32_t i = 0, found = 0; i < n && found <= want; i++) {
        const uint32_t row = evals->candidates.v[(evals->next_start + i) % n];
        found += eval->verdict[row] == MST_VERDICT_OK;
        if (!mst_eval_is_error(eval, eval->verdict[row]))
            continue;
        out->code = MST_ERROR;
        out->feasible = 0;
        out->message = mst_eval_error_text(eval, row, eval->verdict[row], arena);
        evals->next_start = (evals->next_start + i) % fw->view.nodes->count;
        return true;
    }
    return false;
}

static void choose_of_all(struct mst_evals *evals, struct mst_eval *eval, struct mst_rng *rng,
                          struct mst_pick *out)
{
    mst_mark_go(evals->marks, MST_PART_SCORE);
    out->node = best_row(eval, rng);
    tell_batch(evals, eval, out->node);
}

/* Chooses among the feasible rows, if there are any, and turns the rotation on. */
static void choose(struct mst_evals *evals, struct mst_eval *eval, struct mst_rng *rng,
                   struct mst_pick *out)
{
    const struct mst_framework *fw = eval->fw;
    uint32_t count = fw->view.nodes->count;
    bool all = !eval->restricted && mst_pick_wanted(fw, count) >= count;
    out->feasible = eval->feasible_count;
    if (all) { /* a whole turn of the rotation */
        if (out->feasible)
            choose_of_all(evals, eval, rng, out);
        evals->next_start %= count;
        return;
    }
    mst_pick_candidates(evals, eval);
    uint32_t looked = evals->candidates.n, want = mst_pick_wanted(fw, looked);
    if (out->feasible && want < looked)
        looked = pick_sampled(evals, eval, want, rng, out);
    else if (out->feasible)
        choose_of_all(evals, eval, rng, out);
    evals->next_start = (evals->next_start + looked) % count;
}

/*
 * The node that the status nominates, or that a batch hints at: if it takes the pod, nobody else is
 * asked (3.2). If it does not, its answer stands even where PreFilter left the node out.
 */
bool mst_pick_first(struct mst_eval *eval, uint32_t pod, mst_sym name, struct mst_pick *out,
                    mst_forced_rows *forced)
{
    const struct mst_cluster *cluster = eval->fw->view.cluster;
    if (name == MST_SYM_NONE || eval->pre_code != MST_SUCCESS)
        return false;
    uint32_t row = mst_nodes_row(&cluster->nodes, name);
    if (row == MST_ROW_NONE)
        return false;
    mst_mark_go(eval->owner->marks, MST_PART_FILTER);
    mst_verdict verdict = mst_eval_verdict(eval, pod, row);
    mst_mark_halt(eval->owner->marks, MST_PART_FILTER);
    if (verdict == MST_VERDICT_OK) {
        out->code = MST_SUCCESS;
        out->node = row;
        out->feasible = 1;
        return true;
    }
    if (eval->restricted && !(eval->fw->view.upstream && mst_eval_is_error(eval, verdict))) {
        mst_vec_push(forced, (struct mst_forced){ row, eval->verdict[row] });
        mst_eval_force(eval, row, verdict);
        eval->also_restricting = (uint64_t)1 << mst_verdict_slot(verdict);
    }
    return false;
}

void mst_pick_with_nominated(struct mst_eval *eval, uint32_t pod, mst_forced_rows *forced)
{
    if (!eval->fw->view.cluster->nominated_pod_count)
        return;
    mst_mark_go(eval->owner->marks, MST_PART_FILTER);
    mst_eval_apply_nominated(eval, pod, forced);
    mst_mark_halt(eval->owner->marks, MST_PART_FILTER);
}

const mst_verdict *mst_pick_verdicts(const struct mst_eval *eval, struct mst_arena *arena)
{
    uint32_t rows = eval->fw->view.nodes->count;
    mst_verdict *verdict = mst_arena_alloc(arena, rows * sizeof(*verdict));
    memcpy(verdict, eval->verdict, rows * sizeof(*verdict));
    return verdict;
}

/* Of the feasible rows only those of the lowest rank are left. The eval has a frame. */
static void leave_lowest(struct mst_evals *evals, struct mst_eval *eval)
{
    const struct mst_ranker *ranker = evals->ranker;
    const uint32_t count = eval->fw->view.nodes->count;
    uint32_t lowest = MST_ROW_NONE;
    mst_assert(eval->frame);
    for (uint32_t row = 0; row < count; row++)
        if (eval->verdict[row] == MST_VERDICT_OK &&
            (lowest == MST_ROW_NONE || ranker->compare(ranker->ctx, row, lowest) < 0))
            lowest = row;
    for (uint32_t row = 0; row < count; row++)
        if (eval->verdict[row] == MST_VERDICT_OK && ranker->compare(ranker->ctx, row, lowest) != 0)
            eval->verdict[row] = MST_VERDICT_HIDDEN;
    mst_eval_refilter(eval);
}

static void pick_any(struct mst_evals *evals, struct mst_eval *eval, struct mst_rng *rng,
                     struct mst_arena *arena, struct mst_pick *out)
{
    if (eval->pre_code == MST_SUCCESS && fails(evals, eval, arena, out))
        return;
    if (eval->pre_code == MST_SUCCESS && evals->ranker && eval->feasible_count)
        leave_lowest(evals, eval);
    if (eval->pre_code == MST_SUCCESS)
        choose(evals, eval, rng, out);
    if (out->feasible) {
        out->code = MST_SUCCESS;
        return;
    }
    out->code = eval->pre_code == MST_SUCCESS ? MST_UNSCHEDULABLE : eval->pre_code;
    if (out->code == MST_ERROR) {
        out->message = mst_arena_str(arena, eval->pre_reason);
        return;
    }
    out->message = mst_eval_message(eval, arena, &out->slots);
    if (eval->pre_code == MST_SUCCESS)
        out->verdict = mst_pick_verdicts(eval, arena);
}

/* ---- marks ---- */

#define BIT(part) (UINT32_C(1) << (part))
enum {
    PICK_PARTS = BIT(MST_PART_PRE_FILTER) | BIT(MST_PART_FILTER) | BIT(MST_PART_PRE_SCORE) |
                 BIT(MST_PART_SCORE) | BIT(MST_PART_STORE),
};

static void tell_point(const struct mst_evals *evals, const struct mst_eval *eval, mst_part point,
                       mst_code code)
{
    mst_mark_sample(evals->marks, point,
                    &(struct mst_sample){ .profile = eval->fw->profile, .code = code });
}

/*
 * A pod has a sample of each point that kube-scheduler would have run for it. PreScore and Score
 * need a choice, and somebody who scores.
 */
static void tell_points(const struct mst_evals *evals, const struct mst_eval *eval, bool extenders,
                        const struct mst_pick *out)
{
    if (!evals->marks || out->code == MST_WAIT)
        return;
    const struct mst_framework *fw = eval->fw;
    const bool passed = eval->pre_code == MST_SUCCESS || eval->pre_score_failed;
    tell_point(evals, eval, MST_PART_PRE_FILTER, passed ? MST_SUCCESS : eval->pre_code);
    if (!passed)
        return;
    const bool failed = out->code == MST_ERROR && eval->pre_code == MST_SUCCESS && !extenders;
    tell_point(evals, eval, MST_PART_FILTER, failed ? MST_ERROR : MST_SUCCESS);
    if (eval->pre_score_failed)
        tell_point(evals, eval, MST_PART_PRE_SCORE, MST_ERROR);
    if (out->code != MST_SUCCESS || out->feasible < 2 ||
        (!fw->score_count && fw->extender_slot == MST_ROW_NONE))
        return;
    tell_point(evals, eval, MST_PART_PRE_SCORE, MST_SUCCESS);
    tell_point(evals, eval, MST_PART_SCORE, MST_SUCCESS);
}

static void tell_chosen(const struct mst_evals *evals, const struct mst_eval *eval,
                        const struct mst_batch_ask *ask, mst_sym node, bool list)
{
    mst_mark_go(evals->marks, MST_PART_STORE);
    mst_batch_chose(ask, node, list);
    tell_point(evals, eval, MST_PART_STORE, MST_SUCCESS);
}

/* ---- a pick ---- */

void mst_eval_pick(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod,
                   struct mst_rng *rng, struct mst_arena *arena, struct mst_pick *out)
{
    mst_eval_pick_batched(evals, fw, pod, rng, NULL, arena, out);
}

void mst_eval_pick_batched(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod,
                           struct mst_rng *rng, const struct mst_batch_ask *ask,
                           struct mst_arena *arena, struct mst_pick *out)
{
    *out = (struct mst_pick){ .node = MST_ROW_NONE };
    struct mst_cluster *cluster = fw->view.cluster;
    if (!cluster->nodes.count) {
        out->code = MST_UNRESOLVABLE;
        out->message = MST_STR("no nodes available to schedule pods");
        return;
    }
    mst_mark_zero(evals->marks, PICK_PARTS);
    struct mst_eval *eval = mst_eval_of(evals, fw, pod);
    struct mst_frame frame;
    mst_forced_rows forced = { 0 };
    mst_eval_open_for(eval, cluster->nominated_pod_count > NOMINATED_FEW || evals->ranker, &frame);
    const uint64_t extenders = evals->asks ? cluster->pods.v[pod].extenders : 0;
    mst_sym first = cluster->pods.v[pod].status_nominated, hint = MST_SYM_NONE;
    if (ask)
        ask->batch->hinted = MST_SYM_NONE;
    if (ask && eval->pre_code == MST_SUCCESS)
        hint = mst_batch_hint(ask, eval, pod, rng);
    if (first == MST_SYM_NONE)
        first = hint;
    evals->ask = ask;
    bool fast = false;
    if (extenders && eval->pre_code == MST_SUCCESS) {
        mst_pick_extended(evals, eval, pod, extenders, rng, arena, out);
    } else if (!(fast = mst_pick_first(eval, pod, first, out, &forced))) {
        mst_pick_with_nominated(eval, pod, &forced);
        pick_any(evals, eval, rng, arena, out);
    }
    mst_eval_restore(eval, &forced);
    tell_points(evals, eval, extenders != 0, out);
    out->skips = eval->skips_now;
    out->eval = eval;
    mst_eval_close(eval, &frame);
    eval->also_restricting = 0;
    evals->ask = NULL;
    if (ask && out->code == MST_SUCCESS)
        tell_chosen(evals, eval, ask, cluster->nodes.name[out->node],
                    fast ? hint != MST_SYM_NONE : out->feasible > 1);
}

bool mst_eval_score(struct mst_eval *eval, uint32_t slot, uint32_t row, int64_t *ret_raw,
                    int64_t *ret_normalized)
{
    if (!(eval->scored >> slot & 1))
        return false;
    if (eval->counting >> slot & 1)
        return mst_domain_score(eval, slot, row, ret_raw, ret_normalized);
    const struct mst_slot *s = &eval->fw->slots[slot];
    if (eval->uniform[slot]) {
        *ret_raw = eval->uniform_raw[slot];
        *ret_normalized =
            s->plugin->normalize == MST_NORMALIZE_NONE
                ? *ret_raw
                : mst_normalized_score(s->plugin->normalize, *ret_raw, MST_MAX(*ret_raw, 0));
        return true;
    }
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        const struct mst_normalized *n = &eval->normalized[i];
        if (n->slot != slot)
            continue;
        *ret_raw = n->raw[row];
        *ret_normalized = mst_normalized_score(s->plugin->normalize, n->raw[row], n->max);
        return true;
    }
    mst_vec_reserve(&eval->owner->scratch, row + 1);
    int64_t *raw = eval->owner->scratch.v;
    s->plugin->score(&eval->fw->view, s->instance, eval->score_state[slot], row, row + 1, raw);
    *ret_raw = *ret_normalized = raw[row];
    return true;
}
