/*
 * eval_domain.c - plugins whose answer for one node depends on pods elsewhere, within one pick.
 *
 * Node-local verdicts and scores are cached per row (eval.c). The plugins here keep counters in
 * their state, follow the rows that changed, and are asked anew for every pick. What they say is
 * worked out on a second set of arrays, a frame, which takes the place of the cached ones until the
 * pick is over. The cached totals and their heap serve a frame too, as long as it only rejects
 * rows.
 *
 * Invariants: without such a plugin, or when all of them skip the pick, no frame is opened and the
 *             cached arrays and the heap decide. The rows that a frame finds feasible are among the
 *             cached ones. The order of plugins is the configured one: a row that a later
 *             node-local plugin rejected is still asked of an earlier one here.
 * Source:     spec/plugins.md 2.2, 2.4.
 */
#include "framework/eval_internal.h"

#include "base/vector.h"

enum { WALK_MAX = 32 }; /* rows of the heap to look at before a scan is cheaper */

#define EACH_BIT(slot, mask)                                                                       \
    for (uint64_t left_ = (mask), slot = 0; left_ && (slot = (uint64_t)__builtin_ctzll(left_), 1); \
         left_ &= left_ - 1)

/* ---- following rows ---- */

/*
 * While nothing in the cluster speaks about pods no row can contribute anything. When that changes,
 * every class changes with it (cluster/label_keys.c), so no state misses what came before.
 */
static bool nothing_to_count(const struct mst_eval *eval)
{
    return !eval->counting || !eval->fw->view.cluster->pods_matter;
}

void mst_domain_row(struct mst_eval *eval, uint32_t row)
{
    const struct mst_framework *fw = eval->fw;
    if (nothing_to_count(eval))
        return;
    EACH_BIT(slot, eval->counting)
    {
        const struct mst_slot *s = &fw->slots[slot];
        (void)s->plugin->row_changed(&fw->view, s->instance, eval->filter_state[slot], row);
    }
}

void mst_domain_scan(struct mst_eval *eval)
{
    for (uint32_t row = 0; !nothing_to_count(eval) && row < eval->fw->view.nodes->count; row++)
        mst_domain_row(eval, row);
}

/* ---- one pick ---- */

void mst_domain_begin(struct mst_eval *eval)
{
    const struct mst_framework *fw = eval->fw;
    if (!eval->skips_kept)
        eval->skips_now = 0;
    EACH_BIT(slot, eval->counting)
    {
        const struct mst_slot *s = &fw->slots[slot];
        void *state = eval->filter_state[slot];
        if (s->plugin->begin_pick)
            s->plugin->begin_pick(&fw->view, s->instance, state);
        if (!eval->skips_kept && s->plugin->skips_pick &&
            s->plugin->skips_pick(&fw->view, s->instance, state))
            eval->skips_now |= (uint64_t)1 << slot;
    }
}

void mst_eval_dry_renew(struct mst_eval *eval)
{
    const struct mst_framework *fw = eval->fw;
    const struct mst_class *class = mst_cluster_class(fw->view.cluster, eval->class_id);
    const uint64_t generation = mst_eval_generation(fw, class);
    if (generation == eval->plugin_generation || eval->pre_code != MST_SUCCESS)
        return;
    mst_arena_reset(&eval->renewed);
    for (uint32_t i = 0; i < eval->filter_count; i++) {
        const uint32_t slot = eval->filters[i];
        const struct mst_slot *s = &fw->slots[slot];
        struct mst_pre_filter answer = { .code = MST_SUCCESS };
        if (!s->plugin->generation)
            continue;
        s->plugin->pre_filter(&fw->view, s->instance, class, &eval->renewed, &answer);
        mst_assert(answer.code == MST_SUCCESS); /* assumptions change neither claims nor classes */
        eval->filter_state[slot] = answer.state;
    }
    eval->plugin_generation = generation;
}

/* Tells the plugins that keep books of their own; the others see it in the rows. */
static void tell_dry(struct mst_eval *eval, bool begins)
{
    const struct mst_framework *fw = eval->fw;
    for (uint32_t i = 0; fw->view.upstream && i < fw->slot_count; i++) {
        const struct mst_plugin *plugin = fw->slots[i].plugin;
        void *state = eval->filter_state[i];
        if (!plugin->dry_begin || !state || eval->skipped >> i & 1)
            continue;
        if (begins)
            plugin->dry_begin(&fw->view, state);
        else
            plugin->dry_end(state);
    }
}

void mst_eval_dry_begin(struct mst_eval *eval)
{
    mst_assert(!eval->frame && !eval->skips_kept);
    mst_domain_begin(eval);
    eval->skips_kept = true;
    tell_dry(eval, true);
}

void mst_eval_dry_row_changed(struct mst_eval *eval, uint32_t row)
{
    if (eval->counting)
        mst_domain_row(eval, row);
}

void mst_eval_dry_end(struct mst_eval *eval)
{
    tell_dry(eval, false);
    eval->skips_kept = false;
    eval->skips_now = 0;
}

/* Rows that a plugin after `slot` rejected are open again for it. Returns true if there were any.
 */
static bool reopen_later(const struct mst_eval *eval, uint32_t slot, uint32_t begin, uint32_t end,
                         mst_verdict *verdict, mst_verdict *kept)
{
    bool any = false;
    uint8_t place = eval->filter_place[slot];
    for (uint32_t row = begin; row < end; row++) {
        kept[row - begin] = verdict[row];
        uint32_t by = mst_verdict_slot(verdict[row]);
        if (verdict[row] == MST_VERDICT_OK || by >= MST_SLOTS_MAX || eval->filter_place[by] < place)
            continue;
        verdict[row] = MST_VERDICT_OK;
        any = true;
    }
    return any;
}

void mst_domain_filter(struct mst_eval *eval, uint64_t slots, uint32_t begin, uint32_t end,
                       mst_verdict *verdict)
{
    const struct mst_framework *fw = eval->fw;
    const struct mst_marks *marks = eval->owner->plugin_marks;
    for (uint32_t i = 0; i < eval->domain_filter_count; i++) {
        uint32_t slot = eval->domain_filters[i];
        if (!(slots >> slot & 1))
            continue;
        const struct mst_slot *s = &fw->slots[slot];
        mst_verdict *kept = NULL;
        if (eval->filters_after_domain) {
            mst_vec_reserve(&eval->owner->kept, MST_MAX(1u, end - begin));
            kept = eval->owner->kept.v;
            if (!reopen_later(eval, slot, begin, end, verdict, kept))
                kept = NULL;
        }
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->filter(&fw->view, s->instance, eval->filter_state[slot], begin, end,
                          (slot + 1) << MST_VERDICT_SLOT_SHIFT, verdict);
        mst_mark_plugin(marks, MST_PART_FILTER, s->plugin->name, MST_SUCCESS);
        for (uint32_t row = begin; kept && row < end; row++)
            if (verdict[row] == MST_VERDICT_OK)
                verdict[row] = kept[row - begin];
    }
}

uint64_t mst_eval_domain_filters(const struct mst_eval *eval)
{
    return eval->counting & ~eval->skipped & ~eval->skips_now;
}

/* Does any of them score, as far as can be told before the filters? */
static bool may_score(struct mst_eval *eval)
{
    const struct mst_framework *fw = eval->fw;
    for (uint32_t i = 0; i < eval->domain_score_count; i++) {
        uint32_t slot = eval->domain_scores[i].slot;
        const struct mst_slot *s = &fw->slots[slot];
        if (!s->plugin->pre_score_pick ||
            s->plugin->pre_score_pick(&fw->view, s->instance, eval->filter_state[slot],
                                      eval->verdict, eval->feasible_count) != MST_SKIP)
            return true;
    }
    return false;
}

static void reserve_frame(struct mst_eval *eval, uint32_t rows)
{
    struct mst_evals *owner = eval->owner;
    mst_vec_reserve(&owner->frame_verdict, MST_MAX(1u, rows));
    mst_vec_reserve(&owner->frame_total, MST_MAX(1u, rows));
    mst_vec_reserve(&owner->frame_sum, MST_MAX(1u, rows));
    for (uint32_t i = 0; i < eval->domain_score_count; i++)
        mst_vec_reserve(&owner->frame_score[i], MST_MAX(1u, rows));
}

/* The arrays of one pick, and in them what the plugins that count pods reject. */
static void open_frame(struct mst_eval *eval, uint64_t filters, struct mst_frame *frame)
{
    uint32_t rows = eval->fw->view.nodes->count;
    reserve_frame(eval, rows);
    frame->verdict = eval->verdict;
    frame->total = eval->total;
    frame->feasible_count = eval->feasible_count;
    frame->heap_valid = eval->heap_valid;
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        frame->max[i] = eval->normalized[i].max;
        frame->at_max[i] = eval->normalized[i].at_max;
    }
    eval->frame = frame;
    eval->heap_valid = false;
    eval->verdict = eval->owner->frame_verdict.v;
    memcpy(eval->verdict, frame->verdict, rows * sizeof(*eval->verdict));
    for (uint32_t i = 0; i < eval->domain_score_count; i++)
        eval->domain_scores[i].scored = false;
    if (!filters)
        return;
    mst_domain_filter(eval, filters, 0, rows, eval->verdict);
    mst_eval_refilter(eval);
}

void mst_eval_open(struct mst_eval *eval, struct mst_frame *frame)
{
    mst_eval_open_for(eval, false, frame);
}

void mst_eval_open_for(struct mst_eval *eval, bool always, struct mst_frame *frame)
{
    /* Where nobody counts pods there is nothing to measure. */
    const struct mst_marks *marks = eval->counting ? eval->owner->marks : NULL;
    *frame = (struct mst_frame){ 0 };
    mst_mark_go(marks, MST_PART_PRE_FILTER);
    mst_domain_begin(eval);
    mst_mark_halt(marks, MST_PART_PRE_FILTER);
    uint64_t filters = mst_eval_domain_filters(eval);
    if (eval->pre_code != MST_SUCCESS)
        return;
    if (!always && !filters) {
        mst_mark_go(marks, MST_PART_PRE_SCORE);
        const bool scores = may_score(eval);
        mst_mark_halt(marks, MST_PART_PRE_SCORE);
        if (!scores)
            return;
    }
    mst_mark_go(marks, MST_PART_FILTER);
    open_frame(eval, filters, frame);
    mst_mark_halt(marks, MST_PART_FILTER);
}

void mst_eval_close(struct mst_eval *eval, const struct mst_frame *frame)
{
    eval->skips_now = 0;
    if (!eval->frame)
        return;
    mst_assert(eval->frame == frame);
    eval->verdict = frame->verdict;
    eval->total = frame->total;
    eval->feasible_count = frame->feasible_count;
    eval->heap_valid = frame->heap_valid;
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        eval->normalized[i].max = frame->max[i];
        eval->normalized[i].at_max = frame->at_max[i];
    }
    eval->frame = NULL;
}

/* out[i] = total[i] + weight * score[i] */
MST_VECTOR
static void add_scores(int64_t *out, const int64_t *total, const int64_t *score, int64_t weight,
                       uint32_t n)
{
    if (weight == 1)
        for (uint32_t i = 0; i < n; i++)
            out[i] = total[i] + score[i];
    else if (weight == 2) /* 64-bit products are slow in vectors */
        for (uint32_t i = 0; i < n; i++)
            out[i] = total[i] + score[i] + score[i];
    else
        for (uint32_t i = 0; i < n; i++)
            out[i] = total[i] + weight * score[i];
}

/* One domain plugin's scores over the feasible rows of the frame, added to the totals. */
static void add_score(struct mst_eval *eval, uint32_t i, uint32_t rows)
{
    const struct mst_framework *fw = eval->fw;
    struct mst_domain_score *d = &eval->domain_scores[i];
    const struct mst_slot *s = &fw->slots[d->slot];
    void *state = eval->filter_state[d->slot];
    const struct mst_marks *marks = eval->owner->plugin_marks;
    mst_code code = MST_SUCCESS;
    if (s->plugin->pre_score_pick) {
        mst_mark_begin(marks, MST_PART_PLUGIN);
        code = s->plugin->pre_score_pick(&fw->view, s->instance, state, eval->verdict,
                                         eval->feasible_count);
        mst_mark_plugin(marks, MST_PART_PRE_SCORE, s->plugin->name, code);
    }
    d->scored = code != MST_SKIP;
    if (!d->scored)
        return;
    d->normalized = eval->owner->frame_score[i].v;
    mst_mark_begin(marks, MST_PART_PLUGIN);
    s->plugin->score(&fw->view, s->instance, state, 0, rows, d->normalized);
    mst_mark_plugin(marks, MST_PART_SCORE, s->plugin->name, MST_SUCCESS);
    if (s->plugin->normalize_pick) {
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->normalize_pick(&fw->view, s->instance, state, eval->verdict, d->normalized);
        mst_mark_plugin(marks, MST_PART_NORMALIZE, s->plugin->name, MST_SUCCESS);
    }
    int64_t *sum = eval->owner->frame_sum.v;
    add_scores(sum, eval->total, d->normalized, s->weight, rows);
    eval->total = sum;
}

void mst_eval_rescore(struct mst_eval *eval)
{
    if (!eval->frame)
        return;
    if (eval->frame->rescored)
        mst_eval_recount(eval);
    eval->frame->rescored = true;
    for (uint32_t i = 0; i < eval->domain_score_count; i++)
        add_score(eval, i, eval->fw->view.nodes->count);
}

/* ---- the heap of the cached arrays ---- */

/* The heap as it is outside of the frame: of the rows that node-local plugins let pass. */
static void need_heap(struct mst_eval *eval)
{
    struct mst_frame *frame = eval->frame;
    if (frame->heap_valid)
        return;
    mst_verdict *verdict = eval->verdict;
    uint32_t feasible_count = eval->feasible_count;
    eval->verdict = frame->verdict;
    eval->feasible_count = frame->feasible_count;
    mst_eval_build_heap(eval);
    eval->verdict = verdict;
    eval->feasible_count = feasible_count;
    eval->heap_valid = false;
    frame->heap_valid = true;
}

/* The places in the heap whose parents have been looked at and refused. */
struct frontier {
    uint32_t place[WALK_MAX + 2], n;
};

static uint32_t take_best(const struct mst_heap *heap, struct frontier *f)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < f->n; i++)
        if (heap->before(heap->ctx, heap->ids[f->place[i]], heap->ids[f->place[best]]))
            best = i;
    uint32_t place = f->place[best];
    f->place[best] = f->place[--f->n];
    return place;
}

uint32_t mst_domain_heap_best(struct mst_eval *eval)
{
    if (eval->total != eval->frame->total)
        return MST_ROW_NONE; /* a plugin scored, or maxima moved: the heap has another order */
    need_heap(eval);
    const struct mst_heap *heap = &eval->heap;
    struct frontier f = { .n = heap->count > 0 };
    for (uint32_t looked = 0; f.n && looked < WALK_MAX; looked++) {
        uint32_t place = take_best(heap, &f), row = heap->ids[place];
        if (eval->verdict[row] == MST_VERDICT_OK)
            return row;
        for (uint32_t child = 2 * place + 1; child <= 2 * place + 2 && child < heap->count; child++)
            f.place[f.n++] = child;
    }
    return MST_ROW_NONE;
}

bool mst_domain_score(const struct mst_eval *eval, uint32_t slot, uint32_t row, int64_t *ret_raw,
                      int64_t *ret_normalized)
{
    const struct mst_framework *fw = eval->fw;
    for (uint32_t i = 0; eval->frame && i < eval->domain_score_count; i++) {
        const struct mst_domain_score *d = &eval->domain_scores[i];
        if (d->slot != slot || !d->scored)
            continue;
        const struct mst_slot *s = &fw->slots[slot];
        mst_vec_reserve(&eval->owner->scratch, row + 1);
        s->plugin->score(&fw->view, s->instance, eval->filter_state[slot], row, row + 1,
                         eval->owner->scratch.v);
        *ret_raw = eval->owner->scratch.v[row];
        *ret_normalized = d->normalized[row];
        return true;
    }
    return false;
}
