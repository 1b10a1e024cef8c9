/*
 * eval.c - verdicts and scores of one class as arrays, kept in step with the nodes.
 *
 * Invariants: feasible_count, the maxima and the heap describe exactly the rows whose verdict is
 * OK. A row that gains or loses the maximum of a normalised plugin changes every total, which is
 * then recomputed as a whole.
 */
#include "framework/eval_internal.h"

#include "base/vector.h"

enum {
    TABLE_MAX = 256,   /* normalised scores of raws below this are looked up */
    BLOCK_ROWS = 1024, /* rows that all plugins look at while their columns are in the cache */
};

struct mst_eval *mst_eval_new(struct mst_evals *owner)
{
    struct mst_eval *eval = mst_calloc(1, sizeof(*eval));
    eval->owner = owner;
    return eval;
}

void mst_eval_clear(struct mst_eval *eval)
{
    struct mst_eval kept = {
        .owner = eval->owner,
        .arena = eval->arena,
        .cap = eval->cap,
        .verdict = eval->verdict,
        .base = eval->base,
        .total = eval->total,
        .heap = eval->heap,
        .bytes = eval->bytes,
        .with_nominated = eval->with_nominated,
    };
    for (uint32_t i = 0; i < MST_NORMALIZED_MAX; i++)
        kept.normalized[i].raw = eval->normalized[i].raw;
    mst_arena_reset(&kept.arena);
    mst_heap_clear(&kept.heap);
    *eval = kept;
}

void mst_eval_free(struct mst_eval *eval)
{
    if (!eval)
        return;
    mst_arena_done(&eval->arena);
    mst_arena_done(&eval->renewed);
    mst_heap_done(&eval->heap);
    mst_free(eval->verdict);
    mst_free(eval->base);
    mst_free(eval->total);
    mst_free(eval->with_nominated.stamp);
    mst_free(eval->with_nominated.verdict);
    for (uint32_t i = 0; i < MST_NORMALIZED_MAX; i++)
        mst_free(eval->normalized[i].raw);
    mst_free(eval);
}

static void reserve(struct mst_eval *eval, uint32_t rows)
{
    if (rows > eval->cap) {
        eval->cap = MST_MAX(rows, MST_MAX(64u, eval->cap + eval->cap / 2));
        eval->verdict = mst_realloc(eval->verdict, eval->cap, sizeof(*eval->verdict));
        eval->base = mst_realloc(eval->base, eval->cap, sizeof(*eval->base));
        eval->total = mst_realloc(eval->total, eval->cap, sizeof(*eval->total));
        for (uint32_t i = 0; i < MST_NORMALIZED_MAX; i++) {
            mst_free(eval->normalized[i].raw);
            eval->normalized[i].raw = NULL;
        }
    }
    eval->bytes = (size_t)eval->cap * (sizeof(*eval->verdict) + 2 * sizeof(int64_t)) +
                  eval->with_nominated.cap * (sizeof(mst_verdict) + sizeof(uint64_t));
    for (uint32_t i = 0; i < MST_NORMALIZED_MAX; i++) {
        if (i < eval->normalized_count && !eval->normalized[i].raw)
            eval->normalized[i].raw = mst_calloc(eval->cap, sizeof(int64_t));
        if (eval->normalized[i].raw)
            eval->bytes += (size_t)eval->cap * sizeof(int64_t);
    }
}

bool mst_eval_allows(const struct mst_eval *eval, uint32_t row)
{
    mst_sym name = eval->fw->view.nodes->name[row];
    if (!eval->restricted)
        return true;
    uint32_t lo = 0, hi = eval->names.n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (eval->names.v[mid] < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < eval->names.n && eval->names.v[lo] == name;
}

/* Rows that PreFilter left out, before any Filter plugin is asked. */
static void restrict_rows(const struct mst_eval *eval, uint32_t begin, uint32_t end,
                          mst_verdict *verdict)
{
    if (!eval->restricted && begin < end) {
        memset(verdict + begin, 0, (end - begin) * sizeof(*verdict));
        return;
    }
    for (uint32_t row = begin; row < end; row++)
        verdict[row] = mst_eval_allows(eval, row)
                           ? MST_VERDICT_OK
                           : MST_VERDICT_UNRESOLVABLE | (MST_SLOT_PRE_FILTER_RESULT + 1)
                                                            << MST_VERDICT_SLOT_SHIFT;
}

_Static_assert(MST_VERDICT_OK == 0, "what restrict_rows clears to");

static void filter_rows_measured(struct mst_eval *eval, uint32_t begin, uint32_t end,
                                 mst_verdict *verdict)
{
    const struct mst_framework *fw = eval->fw;
    const struct mst_marks *marks = eval->owner->plugin_marks;
    for (uint32_t i = 0; i < eval->filter_count; i++) {
        uint32_t slot = eval->filters[i];
        const struct mst_slot *s = &fw->slots[slot];
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->filter(&fw->view, s->instance, eval->filter_state[slot], begin, end,
                          (slot + 1) << MST_VERDICT_SLOT_SHIFT, verdict);
        mst_mark_plugin(marks, MST_PART_FILTER, s->plugin->name, MST_SUCCESS);
    }
}

static void filter_rows(struct mst_eval *eval, uint32_t begin, uint32_t end, mst_verdict *verdict)
{
    const struct mst_framework *fw = eval->fw;
    if (eval->owner->plugin_marks) { /* one look for all: rows come one by one as well */
        filter_rows_measured(eval, begin, end, verdict);
        return;
    }
    for (uint32_t i = 0; i < eval->filter_count; i++) {
        uint32_t slot = eval->filters[i];
        const struct mst_slot *s = &fw->slots[slot];
        s->plugin->filter(&fw->view, s->instance, eval->filter_state[slot], begin, end,
                          (slot + 1) << MST_VERDICT_SLOT_SHIFT, verdict);
    }
}

/* sum[i] = start + weight * sum[i] */
MST_VECTOR
static void scale_sum(int64_t *sum, int64_t start, int64_t weight, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum[i] = start + weight * sum[i];
}

/* sum[i] += start + weight * score[i] */
MST_VECTOR
static void add_to_sum(int64_t *restrict sum, const int64_t *restrict score, int64_t start,
                       int64_t weight, uint32_t n)
{
    if (weight == 1) /* the usual weight: 64-bit products are slow in vectors */
        for (uint32_t i = 0; i < n; i++)
            sum[i] += start + score[i];
    else
        for (uint32_t i = 0; i < n; i++)
            sum[i] += start + weight * score[i];
}

static void score_rows(struct mst_eval *eval, uint32_t begin, uint32_t end)
{
    const struct mst_framework *fw = eval->fw;
    const struct mst_marks *marks = eval->owner->plugin_marks;
    /* Plugins fill by row: the block's scores, as if the array began at row 0. */
    mst_vec_reserve(&eval->owner->scratch, end - begin);
    int64_t *block = eval->owner->scratch.v, *scratch = block - begin;
    int64_t *base = eval->base;
    for (uint32_t row = begin; !eval->adder_count && row < end; row++)
        base[row] = eval->constant;
    int64_t start = eval->constant; /* until it is added, with the second plugin if it can wait */
    for (uint32_t i = 0; i < eval->adder_count; i++) {
        uint32_t slot = eval->adders[i];
        const struct mst_slot *s = &fw->slots[slot];
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->score(&fw->view, s->instance, eval->score_state[slot], begin, end,
                         i == 0 ? base : scratch);
        mst_mark_plugin(marks, MST_PART_SCORE, s->plugin->name, MST_SUCCESS);
        if (i == 0 && s->weight == 1 && eval->adder_count > 1)
            continue;
        if (i == 0)
            scale_sum(base + begin, start, s->weight, end - begin);
        else
            add_to_sum(base + begin, block, start, s->weight, end - begin);
        start = 0;
    }
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        uint32_t slot = eval->normalized[i].slot;
        const struct mst_slot *s = &fw->slots[slot];
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->score(&fw->view, s->instance, eval->score_state[slot], begin, end,
                         eval->normalized[i].raw);
        mst_mark_plugin(marks, MST_PART_SCORE, s->plugin->name, MST_SUCCESS);
    }
}

static int64_t total_of(const struct mst_eval *eval, uint32_t row)
{
    int64_t total = eval->base[row];
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        const struct mst_normalized *n = &eval->normalized[i];
        const struct mst_slot *s = &eval->fw->slots[n->slot];
        total += s->weight * mst_normalized_score(s->plugin->normalize, n->raw[row], n->max);
    }
    return total;
}

MST_VECTOR
static uint32_t count_feasible(const mst_verdict *verdict, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += verdict[i] == MST_VERDICT_OK;
    return count;
}

MST_VECTOR
static int64_t max_of_feasible(const mst_verdict *verdict, const int64_t *raw, uint32_t n)
{
    int64_t max = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t value = verdict[i] == MST_VERDICT_OK ? raw[i] : 0;
        max = value > max ? value : max;
    }
    return max;
}

MST_VECTOR
static uint32_t count_at(const mst_verdict *verdict, const int64_t *raw, int64_t max, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += (verdict[i] == MST_VERDICT_OK) & (raw[i] == max);
    return count;
}

/*
 * Raws that are all 0 or 1, the usual ones of taints: the sum of the feasible ones is their number
 * and says what the maximum is. False when some raw is another; then *ret_sum means nothing.
 */
MST_VECTOR
static bool sum_of_bits(const mst_verdict *verdict, const int64_t *raw, uint32_t n,
                        int64_t *ret_sum)
{
    int64_t sum = 0, bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        bits |= raw[i];
        sum += raw[i] & -(int64_t)(verdict[i] == MST_VERDICT_OK);
    }
    *ret_sum = sum;
    return (uint64_t)bits <= 1;
}

/* The maximum of a normalised plugin over the feasible rows. True if it is not the one before. */
static bool find_max(struct mst_eval *eval, struct mst_normalized *n)
{
    uint32_t count = eval->fw->view.nodes->count;
    int64_t max, sum;
    if (sum_of_bits(eval->verdict, n->raw, count, &sum)) {
        max = sum > 0;
        n->at_max = (uint32_t)sum;
    } else {
        max = max_of_feasible(eval->verdict, n->raw, count);
        /* How many have the maximum matters only where losing the last of them lowers it. */
        n->at_max = max ? count_at(eval->verdict, n->raw, max, count) : 0;
    }
    bool changed = max != n->max;
    n->max = max;
    return changed;
}

/* total[i] = base[i] + (zero or, where raw[i] is not 0, one); the two arrays may be one */
MST_VECTOR
static void add_one_of_two(int64_t *total, const int64_t *base, const int64_t *restrict raw,
                           int64_t zero, int64_t one, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        total[i] = base[i] + (raw[i] ? one : zero);
}

/*
 * total = from + the weighted normalised scores; `from` is base or total itself. Rows that are not
 * feasible may have raws beyond the maximum; their totals mean nothing until they become feasible,
 * which computes them anew.
 */
static void add_normalized(struct mst_eval *eval, const struct mst_normalized *n,
                           const int64_t *from)
{
    const struct mst_slot *s = &eval->fw->slots[n->slot];
    const int64_t *raw = n->raw;
    int64_t *total = eval->total;
    uint32_t count = eval->fw->view.nodes->count;
    if (n->max >= TABLE_MAX) {
        for (uint32_t row = 0; row < count; row++)
            total[row] = from[row] +
                         s->weight * mst_normalized_score(s->plugin->normalize, raw[row], n->max);
        return;
    }
    int64_t table[TABLE_MAX];
    for (int64_t i = 0; i <= n->max; i++)
        table[i] = s->weight * mst_normalized_score(s->plugin->normalize, i, n->max);
    if (n->max <= 1) {
        add_one_of_two(total, from, raw, table[0], table[n->max], count);
        return;
    }
    uint64_t last = (uint64_t)n->max;
    for (uint32_t row = 0; row < count; row++) {
        uint64_t at = (uint64_t)raw[row];
        total[row] = from[row] + table[at < last ? at : last];
    }
}

static void recompute_totals(struct mst_eval *eval)
{
    uint32_t count = eval->fw->view.nodes->count;
    if (eval->frame) /* the cached totals stay */
        eval->total = eval->owner->frame_total.v;
    if (count && !eval->normalized_count)
        memcpy(eval->total, eval->base, count * sizeof(*eval->total));
    for (uint32_t i = 0; i < eval->normalized_count; i++)
        add_normalized(eval, &eval->normalized[i], i == 0 ? eval->base : eval->total);
    eval->heap_valid = false;
}

static bool better(const void *ctx, uint32_t a, uint32_t b)
{
    const struct mst_eval *eval = ctx;
    if (eval->total[a] != eval->total[b])
        return eval->total[a] > eval->total[b];
    const uint32_t *rank = eval->fw->view.nodes->rank;
    return rank[a] < rank[b];
}

void mst_eval_build_heap(struct mst_eval *eval)
{
    uint32_t *rows = mst_calloc(MST_MAX(1u, eval->feasible_count), sizeof(*rows));
    uint32_t n = 0;
    for (uint32_t row = 0; row < eval->fw->view.nodes->count; row++)
        if (eval->verdict[row] == MST_VERDICT_OK)
            rows[n++] = row;
    mst_assert(n == eval->feasible_count);
    (void)mst_nodes_rank(eval->fw->view.nodes);
    eval->heap.before = better;
    eval->heap.ctx = eval;
    mst_heap_build(&eval->heap, rows, n);
    mst_free(rows);
    eval->heap_valid = true;
}

void mst_eval_recount(struct mst_eval *eval)
{
    eval->feasible_count = count_feasible(eval->verdict, eval->fw->view.nodes->count);
    for (uint32_t i = 0; i < eval->normalized_count; i++)
        (void)find_max(eval, &eval->normalized[i]);
    recompute_totals(eval);
}

void mst_eval_refilter(struct mst_eval *eval)
{
    uint32_t before = eval->feasible_count;
    eval->feasible_count = count_feasible(eval->verdict, eval->fw->view.nodes->count);
    bool moved = false;
    for (uint32_t i = 0; before != eval->feasible_count && i < eval->normalized_count; i++)
        moved |= find_max(eval, &eval->normalized[i]);
    if (moved)
        recompute_totals(eval);
}

void mst_eval_scan(struct mst_eval *eval)
{
    struct mst_nodes *nodes = eval->fw->view.nodes;
    const struct mst_marks *marks = eval->owner->marks;
    uint32_t count = nodes->count;
    reserve(eval, count);
    restrict_rows(eval, 0, count, eval->verdict);
    for (uint32_t at = 0; at < count; at += BLOCK_ROWS) {
        uint32_t end = MST_MIN(count, at + BLOCK_ROWS);
        mst_mark_go(marks, MST_PART_FILTER);
        filter_rows(eval, at, end, eval->verdict);
        mst_mark_halt(marks, MST_PART_FILTER);
        mst_mark_go(marks, MST_PART_SCORE);
        score_rows(eval, at, end);
        mst_mark_halt(marks, MST_PART_SCORE);
    }
    mst_mark_go(marks, MST_PART_SCORE);
    mst_eval_recount(eval);
    mst_mark_halt(marks, MST_PART_SCORE);
    mst_mark_go(marks, MST_PART_PRE_FILTER); /* pods are counted, as upstream does there */
    mst_domain_scan(eval);
    mst_mark_halt(marks, MST_PART_PRE_FILTER);
    eval->picks = 0;
    eval->change_at = mst_nodes_change_end(nodes);
}

struct mst_eval *mst_eval_single(struct mst_evals *evals, const struct mst_framework *fw,
                                 uint32_t pod)
{
    struct mst_eval *eval = mst_eval_new(evals);
    mst_eval_compile(eval, fw, fw->view.cluster->pods.v[pod].class_id);
    eval->cap = fw->view.nodes->count;
    eval->verdict = mst_calloc(MST_MAX(1u, eval->cap), sizeof(*eval->verdict));
    mst_domain_scan(eval);
    return eval;
}

/*
 * After row's verdict or raws moved from (was_ok, old_raw): keeps maxima and totals right.
 * Returns false when every total was recomputed, which leaves the heap to be rebuilt.
 */
static bool follow(struct mst_eval *eval, uint32_t row, bool was_ok, const int64_t *old_raw)
{
    bool ok = eval->verdict[row] == MST_VERDICT_OK;
    bool renormalize = false;
    for (uint32_t i = 0; i < eval->normalized_count; i++) {
        struct mst_normalized *n = &eval->normalized[i];
        if (was_ok && n->max && old_raw[i] == n->max)
            n->at_max--;
        if (ok && n->max && n->raw[row] == n->max)
            n->at_max++;
        bool higher = ok && n->raw[row] > n->max;
        if (higher || (n->at_max == 0 && n->max > 0))
            renormalize |= find_max(eval, n);
    }
    if (renormalize) {
        recompute_totals(eval);
        return false;
    }
    eval->total[row] = total_of(eval, row);
    return true;
}

static void keep_heap(struct mst_eval *eval, uint32_t row)
{
    if (!eval->heap_valid)
        return;
    if (eval->verdict[row] == MST_VERDICT_OK)
        mst_heap_put(&eval->heap, row);
    else
        mst_heap_remove(&eval->heap, row);
}

void mst_eval_update(struct mst_eval *eval, uint32_t row)
{
    bool was_ok = eval->verdict[row] == MST_VERDICT_OK;
    int64_t old_raw[MST_NORMALIZED_MAX];
    for (uint32_t i = 0; i < eval->normalized_count; i++)
        old_raw[i] = eval->normalized[i].raw[row];
    restrict_rows(eval, row, row + 1, eval->verdict);
    filter_rows(eval, row, row + 1, eval->verdict);
    score_rows(eval, row, row + 1);
    eval->feasible_count += (eval->verdict[row] == MST_VERDICT_OK) - was_ok;
    if (follow(eval, row, was_ok, old_raw))
        keep_heap(eval, row);
}

void mst_eval_force(struct mst_eval *eval, uint32_t row, mst_verdict verdict)
{
    bool was_ok = eval->verdict[row] == MST_VERDICT_OK;
    int64_t old_raw[MST_NORMALIZED_MAX];
    for (uint32_t i = 0; i < eval->normalized_count; i++)
        old_raw[i] = eval->normalized[i].raw[row];
    eval->verdict[row] = verdict;
    eval->feasible_count += (verdict == MST_VERDICT_OK) - was_ok;
    if (follow(eval, row, was_ok, old_raw))
        keep_heap(eval, row);
}

int64_t mst_eval_room(const struct mst_eval *eval, uint32_t row)
{
    int64_t room = INT64_MAX;
    for (uint32_t i = 0; i < eval->filter_count; i++) {
        uint32_t slot = eval->filters[i];
        const struct mst_plugin *plugin = eval->fw->slots[slot].plugin;
        if (!plugin->room)
            continue;
        int64_t mine = plugin->room(&eval->fw->view, eval->filter_state[slot], row);
        room = MST_MIN(room, mine);
    }
    return room;
}

mst_verdict mst_eval_row_verdict(struct mst_eval *eval, uint64_t slots, uint32_t row)
{
    mst_verdict kept = eval->verdict[row];
    eval->verdict[row] = MST_VERDICT_OK;
    filter_rows(eval, row, row + 1, eval->verdict);
    mst_domain_filter(eval, slots, row, row + 1, eval->verdict);
    mst_verdict verdict = eval->verdict[row];
    eval->verdict[row] = kept;
    return verdict;
}

mst_verdict mst_eval_plugin_verdict(struct mst_eval *eval, uint32_t slot, uint32_t row)
{
    const struct mst_framework *fw = eval->fw;
    const struct mst_slot *s = &fw->slots[slot];
    if ((eval->skipped | eval->skips_now) >> slot & 1)
        return MST_VERDICT_OK;
    mst_verdict kept = eval->verdict[row];
    eval->verdict[row] = MST_VERDICT_OK;
    s->plugin->filter(&fw->view, s->instance, eval->filter_state[slot], row, row + 1,
                      (slot + 1) << MST_VERDICT_SLOT_SHIFT, eval->verdict);
    mst_verdict verdict = eval->verdict[row];
    eval->verdict[row] = kept;
    return verdict;
}

void mst_eval_sync(struct mst_eval *eval)
{
    const struct mst_nodes *nodes = eval->fw->view.nodes;
    uint64_t end = mst_nodes_change_end(nodes);
    if (eval->change_at < nodes->change_first || end - eval->change_at > nodes->count / 2) {
        mst_eval_scan(eval);
        return;
    }
    if (eval->change_at == end)
        return;
    /* Some rows' scores as well: a mark for each would cost more than they do. */
    mst_mark_go(eval->owner->marks, MST_PART_FILTER);
    uint32_t last = MST_ROW_NONE;
    for (; eval->change_at < end; eval->change_at++) {
        uint32_t row = nodes->changes.v[eval->change_at - nodes->change_first];
        if (row != last) {
            mst_eval_update(eval, row);
            mst_domain_row(eval, row);
        }
        last = row;
    }
    mst_mark_halt(eval->owner->marks, MST_PART_FILTER);
}
