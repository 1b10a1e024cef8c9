/*
 * engine_naive.c - the obvious scheduler loop.
 *
 * Source: spec/scheduling.md 3, plugins.md 2.
 */
#include "engine_naive.h"

struct naive {
    const struct mst_framework *fw;
    struct mst_arena arena; /* of one pod */
    bool filters[MST_SLOTS_MAX], scores[MST_SLOTS_MAX];
    void *filter_state[MST_SLOTS_MAX];
    struct mst_pre_score pre_score[MST_SLOTS_MAX];
    bool counts[MST_SLOTS_MAX]; /* the plugin counts pods, for this pod */
    uint32_t feasible_count;
    mst_verdict *verdict;        /* [row] */
    int64_t *raw[MST_SLOTS_MAX]; /* [row] */
    int64_t max[MST_SLOTS_MAX];
};

/* Shows the plugin every row. Nothing is remembered from one pod to the next. */
static void count_pods(struct naive *n, uint32_t slot)
{
    const struct mst_framework *fw = n->fw;
    const struct mst_slot *s = &fw->slots[slot];
    void *state = n->filter_state[slot];
    n->counts[slot] = s->plugin->row_changed && state;
    if (!n->counts[slot])
        return;
    for (uint32_t row = 0; row < fw->view.nodes->count; row++)
        (void)s->plugin->row_changed(&fw->view, s->instance, state, row);
    if (s->plugin->begin_pick)
        s->plugin->begin_pick(&fw->view, s->instance, state);
    if (s->plugin->skips_pick && s->plugin->skips_pick(&fw->view, s->instance, state))
        n->filters[slot] = false;
}

static void prepare(struct naive *n, uint32_t pod)
{
    const struct mst_framework *fw = n->fw;
    const struct mst_class *class =
        mst_cluster_class(fw->view.cluster, fw->view.cluster->pods.v[pod].class_id);
    mst_arena_reset(&n->arena);
    for (uint32_t i = 0; i < fw->filter_count; i++)
        n->filters[fw->filter[i]] = true;
    for (uint32_t i = 0; i < fw->pre_filter_count; i++) {
        uint32_t slot = fw->pre_filter[i];
        const struct mst_slot *s = &fw->slots[slot];
        struct mst_pre_filter answer = { .code = MST_SUCCESS };
        s->plugin->pre_filter(&fw->view, s->instance, class, &n->arena, &answer);
        mst_assert(answer.code == MST_SUCCESS || answer.code == MST_SKIP);
        mst_assert(!answer.restrict_names);
        n->filter_state[slot] = answer.state;
        n->filters[slot] = n->filters[slot] && answer.code == MST_SUCCESS;
        count_pods(n, slot);
    }
    for (uint32_t i = 0; i < fw->score_count; i++) {
        uint32_t slot = fw->score[i];
        const struct mst_slot *s = &fw->slots[slot];
        struct mst_pre_score *answer = &n->pre_score[slot];
        *answer = (struct mst_pre_score){ .code = MST_SUCCESS };
        s->plugin->pre_score(&fw->view, s->instance, class, &n->arena, answer);
        n->scores[slot] = answer->code == MST_SUCCESS;
        n->max[slot] = 0;
    }
}

/* Filters stop at the first "no"; scores of a feasible node are kept until the maxima are known. */
static void ask(struct naive *n, uint32_t row)
{
    const struct mst_framework *fw = n->fw;
    n->verdict[row] = MST_VERDICT_OK;
    for (uint32_t i = 0; i < fw->filter_count && n->verdict[row] == MST_VERDICT_OK; i++) {
        uint32_t slot = fw->filter[i];
        if (n->filters[slot])
            fw->slots[slot].plugin->filter(&fw->view, fw->slots[slot].instance,
                                           n->filter_state[slot], row, row + 1,
                                           (slot + 1) << MST_VERDICT_SLOT_SHIFT, n->verdict);
    }
    if (n->verdict[row] != MST_VERDICT_OK)
        return;
    n->feasible_count++;
    for (uint32_t i = 0; i < fw->score_count; i++) {
        uint32_t slot = fw->score[i];
        if (!n->scores[slot] || n->counts[slot])
            continue;
        if (n->pre_score[slot].uniform)
            n->raw[slot][row] = n->pre_score[slot].uniform_score;
        else
            fw->slots[slot].plugin->score(&fw->view, fw->slots[slot].instance,
                                          n->pre_score[slot].state, row, row + 1, n->raw[slot]);
        n->max[slot] = MST_MAX(n->max[slot], n->raw[slot][row]);
    }
}

/* Plugins that count pods score once it is known which rows are feasible. */
static void ask_counting(struct naive *n, uint32_t slot)
{
    const struct mst_framework *fw = n->fw;
    const struct mst_slot *s = &fw->slots[slot];
    void *state = n->filter_state[slot];
    if (s->plugin->pre_score_pick &&
        s->plugin->pre_score_pick(&fw->view, s->instance, state, n->verdict, n->feasible_count) ==
            MST_SKIP) {
        n->scores[slot] = false;
        return;
    }
    for (uint32_t row = 0; row < fw->view.nodes->count; row++)
        s->plugin->score(&fw->view, s->instance, state, row, row + 1, n->raw[slot]);
    if (s->plugin->normalize_pick)
        s->plugin->normalize_pick(&fw->view, s->instance, state, n->verdict, n->raw[slot]);
}

static int64_t normalized(mst_normalize how, int64_t raw, int64_t max)
{
    if (how == MST_NORMALIZE_NONE)
        return raw;
    int64_t score = max ? 100 * raw / max : raw;
    return how == MST_NORMALIZE_REVERSED ? 100 - score : score;
}

static int64_t total(const struct naive *n, uint32_t row)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n->fw->score_count; i++) {
        uint32_t slot = n->fw->score[i];
        const struct mst_slot *s = &n->fw->slots[slot];
        mst_normalize how = n->counts[slot] ? MST_NORMALIZE_NONE : s->plugin->normalize;
        if (n->scores[slot])
            sum += s->weight * normalized(how, n->raw[slot][row], n->max[slot]);
    }
    return sum;
}

/* The highest score, of equal ones the lowest name. */
static uint32_t pick(struct naive *n, uint32_t pod)
{
    const struct mst_nodes *nodes = n->fw->view.nodes;
    prepare(n, pod);
    n->feasible_count = 0;
    for (uint32_t row = 0; row < nodes->count; row++)
        ask(n, row);
    for (uint32_t i = 0; i < n->fw->score_count; i++)
        if (n->scores[n->fw->score[i]] && n->counts[n->fw->score[i]])
            ask_counting(n, n->fw->score[i]);
    uint32_t best = MST_ROW_NONE;
    int64_t best_total = 0;
    for (uint32_t row = 0; row < nodes->count; row++) {
        if (n->verdict[row] != MST_VERDICT_OK)
            continue;
        int64_t sum = total(n, row);
        bool wins = best == MST_ROW_NONE || sum > best_total;
        if (!wins && sum == best_total)
            wins = mst_str_cmp(mst_sym_str(nodes->syms, nodes->name[row]),
                               mst_sym_str(nodes->syms, nodes->name[best])) < 0;
        if (wins) {
            best = row;
            best_total = sum;
        }
    }
    return best;
}

void mst_naive_schedule(const struct mst_framework *fw, const uint32_t *pods, uint32_t pod_count,
                        mst_sym *out)
{
    struct mst_cluster *cluster = fw->view.cluster;
    struct naive n = { .fw = fw };
    n.verdict = mst_calloc(cluster->nodes.count, sizeof(*n.verdict));
    for (uint32_t i = 0; i < fw->score_count; i++)
        n.raw[fw->score[i]] = mst_calloc(cluster->nodes.count, sizeof(int64_t));
    uint32_t mark = mst_txn_begin(cluster);
    for (uint32_t i = 0; i < pod_count; i++) {
        uint32_t row = pick(&n, pods[i]);
        out[i] = row == MST_ROW_NONE ? (mst_sym)MST_SYM_NONE : cluster->nodes.name[row];
        if (row != MST_ROW_NONE)
            mst_cluster_place(cluster, pods[i], row);
    }
    mst_txn_rollback(cluster, mark);
    for (uint32_t i = 0; i < fw->score_count; i++)
        mst_free(n.raw[fw->score[i]]);
    mst_free(n.verdict);
    mst_arena_done(&n.arena);
}
