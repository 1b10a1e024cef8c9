/*
 * eval_extender.c - the single-pod algorithm where HTTP extenders have a say.
 *
 * Invariants: a pick that lacks an answer leaves nothing behind but the noted questions; extenders
 *             filter one after the other on what is left, and those that prioritize are asked all
 *             at once.
 * Differs:    where the extender sends whole nodes back, upstream goes on with these objects, which
 *             have no pods and no images on them; what Score plugins then see is copied in profile
 *             upstream, while in profile muster they see the nodes as they are. Labels and taints
 *             are the cluster's in both, and a node that was not sent is an error.
 * Source:     spec/plugins.md 2.3, 2.4, scheduling.md 3.2-3.6; kubernetes v1.37
 *             pkg/scheduler/schedule_one.go (findNodesThatPassExtenders, prioritizeNodes).
 */
#include "base/map.h"
#include "framework/eval_internal.h"
#include "framework/extender.h"

enum { SCORE_SCALE = 10 }; /* from 0..10 to 0..100 */

typedef enum { GOES_ON, WAITS, FAILED } outcome;

struct extended {
    struct mst_evals *evals;
    struct mst_eval *eval;
    uint32_t pod;
    uint64_t extenders;
    struct mst_arena *arena;
    MST_VEC(uint32_t) rows; /* what is left, in the order of the search; may repeat a row */
    struct mst_map failed;  /* node -> index of `statuses`: the latest */
    MST_VEC(struct mst_ext_failed) statuses;
    struct mst_str error;
    bool emptied; /* profile upstream: what is left came back as objects, without pods */
};

static const struct mst_cfg_extender *extender_at(const struct extended *x, uint32_t i)
{
    return &x->evals->asks->config->extenders.v[i];
}

static uint32_t extender_count(const struct extended *x)
{
    return x->evals->asks->config->extenders.n;
}

/* The answer about what is left; NULL: it is not there yet. */
static const struct mst_extender_answer *ask(const struct extended *x, uint32_t extender_i,
                                             mst_extender_verb verb)
{
    const struct mst_cluster *cluster = x->eval->fw->view.cluster;
    const struct mst_pod_row *pod = &cluster->pods.v[x->pod];
    struct mst_extender_call call = {
        .extender = extender_at(x, extender_i),
        .extender_i = extender_i,
        .verb = verb,
        .pod = { mst_sym_str(cluster->syms, pod->ns), pod->name, pod->uid },
        .nodes = { MST_NEW_N(x->arena, struct mst_str, x->rows.n), x->rows.n },
    };
    for (uint32_t i = 0; i < x->rows.n; i++)
        call.nodes.v[i] = mst_sym_str(cluster->syms, cluster->nodes.name[x->rows.v[i]]);
    return mst_asks_get(x->evals->asks, &call);
}

static uint32_t row_named(const struct extended *x, struct mst_str name)
{
    const struct mst_cluster *cluster = x->eval->fw->view.cluster;
    const mst_sym sym = mst_sym_find(cluster->syms, name);
    return sym == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&cluster->nodes, sym);
}

/* ---- filter ---- */

static bool *mark_rows(const struct extended *x)
{
    bool *in = MST_NEW_N(x->arena, bool, x->eval->fw->view.nodes->count);
    for (uint32_t i = 0; i < x->rows.n; i++)
        in[x->rows.v[i]] = true;
    return in;
}

/* What is left becomes the answer's nodes. False: it names one that it was not asked about. */
static bool narrow(struct extended *x, const struct mst_cfg_extender *e,
                   const struct mst_extender_answer *answer)
{
    const bool *in = mark_rows(x);
    uint32_t *rows = MST_NEW_N(x->arena, uint32_t, answer->nodes.n);
    for (uint32_t i = 0; i < answer->nodes.n; i++) {
        const struct mst_str name = answer->nodes.v[i];
        rows[i] = row_named(x, name);
        if (rows[i] != MST_ROW_NONE && in[rows[i]])
            continue;
        x->error = mst_arena_printf(x->arena,
                                    "extender \"%.*s\" claims a filtered node \"%.*s\" which is "
                                    "not found in the input node list",
                                    MST_ARG(e->url_prefix), MST_ARG(name));
        return false;
    }
    x->rows.n = 0;
    for (uint32_t i = 0; i < answer->nodes.n; i++)
        mst_vec_push(&x->rows, rows[i]);
    return true;
}

static void keep_statuses(struct extended *x, const struct mst_extender_answer *answer)
{
    for (uint32_t i = 0; i < answer->failed.n; i++) {
        mst_map_set(&x->failed, answer->failed.v[i].node, x->statuses.n);
        mst_vec_push(&x->statuses, answer->failed.v[i]);
    }
}

static outcome filter_all(struct extended *x)
{
    for (uint32_t i = 0; i < extender_count(x) && x->rows.n; i++) {
        const struct mst_cfg_extender *e = extender_at(x, i);
        if (!(x->extenders >> i & 1) || !e->verbs[MST_VERB_FILTER].n)
            continue;
        const struct mst_extender_answer *answer = ask(x, i, MST_VERB_FILTER);
        if (!answer)
            return WAITS;
        if (answer->error.p || !narrow(x, e, answer)) {
            if (e->ignorable)
                continue;
            if (answer->error.p)
                x->error = answer->error;
            return FAILED;
        }
        keep_statuses(x, answer);
        x->emptied |= answer->objects && x->eval->fw->view.upstream; /* names do not refill them */
    }
    return GOES_ON;
}

/* ---- prioritize ---- */

/* Adds what one extender gives to the sums by row; Go's integers wrap. */
static void add_scores(const struct extended *x, const struct mst_cfg_extender *e,
                       const struct mst_extender_answer *answer, int64_t *sums)
{
    for (uint32_t i = 0; i < answer->scores.n; i++) {
        const uint32_t row = row_named(x, answer->scores.v[i].node);
        if (row == MST_ROW_NONE)
            continue;
        const uint64_t score =
            (uint64_t)answer->scores.v[i].score * (uint64_t)e->weight * SCORE_SCALE;
        sums[row] = (int64_t)((uint64_t)sums[row] + score);
    }
}

/* Errors count for nothing. */
static outcome prioritize_all(struct extended *x, int64_t *sums)
{
    outcome end = GOES_ON;
    for (uint32_t i = 0; i < extender_count(x); i++) {
        const struct mst_cfg_extender *e = extender_at(x, i);
        if (!(x->extenders >> i & 1) || !e->verbs[MST_VERB_PRIORITIZE].n)
            continue;
        const struct mst_extender_answer *answer = ask(x, i, MST_VERB_PRIORITIZE);
        if (!answer)
            end = WAITS;
        else if (!answer->error.p)
            add_scores(x, e, answer, sums);
    }
    return end;
}

/* The best of what is left; ties by lowest name, or by lot. */
static uint32_t best_of(const struct extended *x, const int64_t *sums, struct mst_rng *rng)
{
    const struct mst_eval *eval = x->eval;
    const uint32_t *rank = mst_nodes_rank(eval->fw->view.nodes);
    uint32_t best = MST_ROW_NONE;
    int64_t best_total = INT64_MIN;
    uint64_t ties = 0;
    for (uint32_t i = 0; i < x->rows.n; i++) {
        const uint32_t row = x->rows.v[i];
        const int64_t total = (int64_t)((uint64_t)eval->total[row] + (uint64_t)sums[row]);
        const bool better = best == MST_ROW_NONE || total > best_total;
        if (better)
            ties = 0;
        else if (total < best_total)
            continue;
        ties++;
        if (better || (rng ? mst_rng_below(rng, ties) == 0 : rank[row] < rank[best])) {
            best = row;
            best_total = total;
        }
    }
    return best;
}

/* ---- nodes without their pods ---- */

struct emptied {
    uint32_t mark;
    struct mst_image_list *images; /* of the rows, by index of x->rows */
};

/* Plugins that look at one node see no pods and no images there; those that count pods still do. */
static struct emptied empty_rows(struct extended *x)
{
    struct mst_cluster *cluster = x->eval->fw->view.cluster;
    struct emptied e = { .mark = mst_txn_begin(cluster),
                         .images = MST_NEW_N(x->arena, struct mst_image_list, x->rows.n) };
    for (uint32_t i = 0; i < x->rows.n; i++) {
        const uint32_t row = x->rows.v[i];
        e.images[i] = cluster->nodes.images[row];
        cluster->nodes.images[row] = (struct mst_image_list){ 0 };
        while (cluster->nodes.first_pod[row] != MST_ROW_NONE)
            mst_cluster_unplace(cluster, cluster->nodes.first_pod[row]);
        mst_eval_update(x->eval, row);
    }
    return e;
}

/* Backwards, so that a row that is there twice gets its own images back. */
static void refill_rows(struct extended *x, const struct emptied *e)
{
    struct mst_cluster *cluster = x->eval->fw->view.cluster;
    mst_txn_rollback(cluster, e->mark);
    for (uint32_t i = x->rows.n; i-- > 0;)
        cluster->nodes.images[x->rows.v[i]] = e->images[i];
    for (uint32_t i = 0; i < x->rows.n; i++)
        mst_eval_update(x->eval, x->rows.v[i]);
}

/* ---- choosing ---- */

/* Of what is left only the rows of the lowest rank stay. */
static void leave_lowest(struct extended *x)
{
    const struct mst_ranker *ranker = x->evals->ranker;
    uint32_t lowest = x->rows.v[0], kept = 0;
    for (uint32_t i = 1; i < x->rows.n; i++)
        if (ranker->compare(ranker->ctx, x->rows.v[i], lowest) < 0)
            lowest = x->rows.v[i];
    for (uint32_t i = 0; i < x->rows.n; i++)
        if (ranker->compare(ranker->ctx, x->rows.v[i], lowest) == 0)
            x->rows.v[kept++] = x->rows.v[i];
    x->rows.n = kept;
}

/* Scores run over what is left alone. */
static outcome choose(struct extended *x, struct mst_rng *rng, struct mst_pick *out)
{
    struct mst_eval *eval = x->eval;
    if (x->evals->ranker && x->rows.n)
        leave_lowest(x);
    const uint32_t count = eval->fw->view.nodes->count;
    const bool *in = mark_rows(x);
    mst_forced_rows hidden = { 0 };
    for (uint32_t row = 0; row < count; row++) {
        if (in[row] || eval->verdict[row] != MST_VERDICT_OK)
            continue;
        mst_vec_push(&hidden, (struct mst_forced){ row, MST_VERDICT_OK });
        mst_eval_force(eval, row, MST_VERDICT_HIDDEN);
    }
    struct emptied emptied;
    if (x->emptied)
        emptied = empty_rows(x);
    mst_mark_go(x->evals->marks, MST_PART_SCORE);
    mst_eval_rescore(eval);
    mst_mark_halt(x->evals->marks, MST_PART_SCORE);
    int64_t *sums = MST_NEW_N(x->arena, int64_t, count);
    const outcome end = prioritize_all(x, sums);
    if (end == GOES_ON)
        out->node = best_of(x, sums, rng);
    if (x->emptied)
        refill_rows(x, &emptied);
    mst_eval_restore(eval, &hidden);
    return end;
}

/* ---- nowhere ---- */

static void force(struct extended *x, uint32_t row, mst_verdict verdict, mst_forced_rows *forced)
{
    mst_vec_push(forced, (struct mst_forced){ row, x->eval->verdict[row] });
    mst_eval_force(x->eval, row, verdict);
}

static uint64_t rejecting_slots(const struct mst_eval *eval)
{
    uint64_t slots = eval->restricting | eval->also_restricting;
    for (uint32_t row = 0; row < eval->fw->view.nodes->count; row++) {
        const uint32_t slot = mst_verdict_slot(eval->verdict[row]);
        if (eval->verdict[row] != MST_VERDICT_OK && slot < MST_SLOTS_MAX)
            slots |= UINT64_C(1) << slot;
    }
    return slots;
}

/*
 * Nodes have the latest words of an extender, those that plugins rejected too; nodes without any
 * words of anybody count as what PreFilter says of the others, if it says something.
 */
static void explain_rows(struct extended *x, struct mst_extender_texts *texts,
                         mst_forced_rows *forced)
{
    struct mst_eval *eval = x->eval;
    const mst_verdict slot = (eval->fw->extender_slot + 1) << MST_VERDICT_SLOT_SHIFT;
    const mst_verdict silent = eval->restricted
                                   ? MST_VERDICT_UNRESOLVABLE | (MST_SLOT_PRE_FILTER_RESULT + 1u)
                                                                    << MST_VERDICT_SLOT_SHIFT
                                   : MST_VERDICT_UNRESOLVABLE | slot;
    for (uint32_t row = 0; row < eval->fw->view.nodes->count; row++)
        if (eval->verdict[row] == MST_VERDICT_OK)
            force(x, row, silent, forced);
    eval->more_reasons = (mst_strs){ MST_NEW_N(x->arena, struct mst_str, x->statuses.n), 0 };
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&x->failed, &at, &e);) {
        const struct mst_ext_failed *f = &x->statuses.v[e->value];
        const uint32_t row = row_named(x, f->node);
        if (row == MST_ROW_NONE) {
            eval->more_reasons.v[eval->more_reasons.n++] = f->text;
            continue;
        }
        mst_vec_push(&texts->list, f->text);
        force(x, row,
              slot | texts->list.n | (f->unresolvable ? (mst_verdict)MST_VERDICT_UNRESOLVABLE : 0),
              forced);
    }
}

static void explain_failure(struct extended *x, bool rejected, struct mst_pick *out)
{
    struct mst_eval *eval = x->eval;
    const uint32_t slot = eval->fw->extender_slot;
    struct mst_extender_texts texts = { 0 };
    mst_forced_rows forced = { 0 };
    uint64_t ignored;
    out->code = MST_UNSCHEDULABLE;
    out->slots = rejecting_slots(eval);
    if (rejected)
        out->slots |= UINT64_C(1) << slot;
    explain_rows(x, &texts, &forced);
    eval->filter_state[slot] = &texts;
    out->message = mst_eval_message(eval, x->arena, &ignored);
    out->verdict = mst_pick_verdicts(eval, x->arena);
    eval->filter_state[slot] = NULL;
    eval->more_reasons.n = 0;
    mst_eval_restore(eval, &forced);
    mst_vec_done(&texts.list);
    out->by_extender = rejected;
    out->words.v = MST_NEW_N(x->arena, struct mst_ext_failed, x->statuses.n);
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&x->failed, &at, &e);) {
        const struct mst_ext_failed *f = &x->statuses.v[e->value];
        out->words.v[out->words.n++] = (struct mst_ext_failed){
            .node = mst_arena_str(x->arena, f->node),
            .text = mst_arena_str(x->arena, f->text),
            .unresolvable = f->unresolvable,
        };
    }
}

/* ---- the search ---- */

/* Statuses of nodes that no plugin rejects: left by the look at the nominated node. */
static uint32_t stale_statuses(const struct extended *x)
{
    uint32_t n = 0;
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&x->failed, &at, &e);) {
        const uint32_t row = row_named(x, x->statuses.v[e->value].node);
        n += row == MST_ROW_NONE || x->eval->verdict[row] == MST_VERDICT_OK;
    }
    return n;
}

/* The feasible candidates, at most as many as are enough, and the rotation turned on. */
static void search(struct extended *x)
{
    struct mst_evals *evals = x->evals;
    mst_pick_candidates(evals, x->eval);
    const uint32_t n = evals->candidates.n, want = mst_pick_wanted(x->eval->fw, n);
    uint32_t looked = 0;
    x->rows.n = 0;
    for (; looked < n && x->rows.n < want; looked++) {
        const uint32_t row = evals->candidates.v[(evals->next_start + looked) % n];
        if (x->eval->verdict[row] == MST_VERDICT_OK)
            mst_vec_push(&x->rows, row);
    }
    evals->next_start =
        (evals->next_start + looked + stale_statuses(x)) % x->eval->fw->view.nodes->count;
}

static void search_and_choose(struct extended *x, struct mst_rng *rng, struct mst_pick *out)
{
    search(x);
    const uint32_t found = x->rows.n;
    outcome end = filter_all(x);
    out->feasible = x->rows.n;
    if (end == GOES_ON && x->rows.n == 0) {
        explain_failure(x, found > 0, out);
        return;
    }
    if (end == GOES_ON && x->rows.n == 1)
        out->node = x->rows.v[0];
    else if (end == GOES_ON)
        end = choose(x, rng, out);
    out->code = end == GOES_ON ? MST_SUCCESS : end == WAITS ? MST_WAIT : MST_ERROR;
    if (end == FAILED)
        out->message = mst_arena_str(x->arena, x->error);
}

/* True when the pick is over: the nominated node takes the pod, or extenders must answer first. */
static bool try_nominated(struct extended *x, struct mst_pick *out, mst_forced_rows *forced)
{
    if (!mst_pick_first(x->eval, x->pod, x->eval->fw->view.cluster->pods.v[x->pod].status_nominated,
                        out, forced))
        return false;
    mst_vec_push(&x->rows, out->node);
    const outcome end = filter_all(x);
    if (end == GOES_ON && x->rows.n)
        return true;
    *out = (struct mst_pick){ .node = MST_ROW_NONE };
    if (end == WAITS)
        out->code = MST_WAIT;
    return end == WAITS; /* an error here is not the pod's: all nodes are looked at */
}

void mst_pick_extended(struct mst_evals *evals, struct mst_eval *eval, uint32_t pod,
                       uint64_t extenders, struct mst_rng *rng, struct mst_arena *arena,
                       struct mst_pick *out)
{
    struct extended x = {
        .evals = evals, .eval = eval, .pod = pod, .extenders = extenders, .arena = arena
    };
    mst_forced_rows forced = { 0 };
    if (!try_nominated(&x, out, &forced)) {
        mst_pick_with_nominated(eval, pod, &forced);
        search_and_choose(&x, rng, out);
    }
    mst_eval_restore(eval, &forced);
    mst_map_done(&x.failed);
    mst_vec_done(&x.statuses);
    mst_vec_done(&x.rows);
}
