/*
 * eval_naive.h - the single-pod algorithm as plainly as it can be written: every plugin asked for
 * every node, for every pod, every time.
 */
#ifndef MST_EVAL_NAIVE_H
#define MST_EVAL_NAIVE_H

#include "eval_rig.h"

#define NAIVE_LEFT_OUT                                                                             \
    (MST_VERDICT_UNRESOLVABLE | (MST_SLOT_PRE_FILTER_RESULT + 1u) << MST_VERDICT_SLOT_SHIFT)

struct naive {
    struct mst_pick pick;
    mst_verdict *verdict;
    int64_t *total;
    bool *feasible; /* after sampling */
    struct mst_pre_filter pre[MST_SLOTS_MAX];
    uint64_t restricting; /* slots that named nodes; and who refused the nominated node then */
    uint64_t skips;       /* slots that count pods and have nothing to say of this cluster */
};

/* Shows the plugin every node, as if it had never seen the cluster. */
static inline void naive_count(struct rig *r, struct naive *n, const struct mst_class *klass,
                               uint32_t slot)
{
    const struct mst_framework *fw = &r->fw;
    const struct mst_slot *s = &fw->slots[slot];
    n->pre[slot] = (struct mst_pre_filter){ .code = MST_SUCCESS };
    s->plugin->pre_filter(&fw->view, s->instance, klass, &r->arena, &n->pre[slot]);
    void *state = n->pre[slot].state;
    if (!s->plugin->row_changed || !state)
        return;
    for (uint32_t row = 0; row < r->cluster.nodes.count; row++)
        (void)s->plugin->row_changed(&fw->view, s->instance, state, row);
    if (s->plugin->begin_pick)
        s->plugin->begin_pick(&fw->view, s->instance, state);
}

/* The state of the cluster as it is now for the plugins that count pods. */
static inline void naive_recount(struct rig *r, struct naive *n, uint32_t pod)
{
    const struct mst_class *klass = mst_cluster_class(&r->cluster, r->cluster.pods.v[pod].class_id);
    for (uint32_t i = 0; i < r->fw.pre_filter_count; i++)
        if (r->fw.slots[r->fw.pre_filter[i]].plugin->row_changed)
            naive_count(r, n, klass, r->fw.pre_filter[i]);
}

/* What the filters say, first "no" first. */
static inline mst_verdict naive_verdict(struct rig *r, const struct naive *n, uint32_t row)
{
    const struct mst_framework *fw = &r->fw;
    mst_verdict *v = MST_NEW_N(&r->arena, mst_verdict, r->cluster.nodes.count);
    for (uint32_t i = 0; i < fw->filter_count && v[row] == MST_VERDICT_OK; i++) {
        uint32_t slot = fw->filter[i];
        const struct mst_slot *s = &fw->slots[slot];
        if ((s->plugin->pre_filter && n->pre[slot].code == MST_SKIP) || (n->skips >> slot & 1))
            continue;
        s->plugin->filter(&fw->view, s->instance, n->pre[slot].state, row, row + 1,
                          (slot + 1) << MST_VERDICT_SLOT_SHIFT, v);
    }
    return v[row];
}

/* True if some PreFilter named nodes, and not this one. */
static inline bool naive_left_out(struct rig *r, const struct naive *n, uint32_t row)
{
    const struct mst_framework *fw = &r->fw;
    for (uint32_t i = 0; i < fw->pre_filter_count; i++) {
        const struct mst_pre_filter *pre = &n->pre[fw->pre_filter[i]];
        bool named = !pre->restrict_names;
        for (uint32_t k = 0; k < pre->names.n; k++)
            named |= pre->names.v[k] == r->cluster.nodes.name[row];
        if (!named)
            return true;
    }
    return false;
}

/* With the nominated pods that count, then without. */
static inline mst_verdict naive_both(struct rig *r, struct naive *n, uint32_t pod, uint32_t row)
{
    struct mst_cluster *c = &r->cluster;
    uint32_t mark = mst_txn_begin(c), placed = 0;
    for (uint32_t i = 0; i < c->pods.n; i++) {
        const struct mst_pod_row *p = &c->pods.v[i];
        if (!p->live || i == pod || p->nominated != c->nodes.name[row] || p->node != MST_ROW_NONE ||
            p->priority < c->pods.v[pod].priority)
            continue;
        mst_cluster_place(c, i, row);
        placed++;
    }
    struct naive then = *n; /* the plugins that count pods count the nominated ones */
    if (placed)
        naive_recount(r, &then, pod);
    if (!r->config.upstream)
        then.skips = 0;
    mst_verdict with = placed ? naive_verdict(r, &then, row) : MST_VERDICT_OK;
    mst_txn_rollback(c, mark);
    return with != MST_VERDICT_OK ? with : naive_verdict(r, n, row);
}

/* A plugin that counts pods: it is shown which nodes are feasible, and normalises by itself. */
static inline void naive_add_counted(struct rig *r, struct naive *n, uint32_t slot)
{
    const struct mst_view *view = &r->fw.view;
    const struct mst_slot *s = &r->fw.slots[slot];
    void *state = n->pre[slot].state;
    uint32_t count = r->cluster.nodes.count, feasible = 0;
    mst_verdict *verdict = MST_NEW_N(&r->arena, mst_verdict, count);
    int64_t *raw = MST_NEW_N(&r->arena, int64_t, count);
    for (uint32_t row = 0; row < count; row++) {
        verdict[row] = n->feasible[row] ? MST_VERDICT_OK : NAIVE_LEFT_OUT;
        feasible += n->feasible[row];
    }
    if (s->plugin->pre_score_pick &&
        s->plugin->pre_score_pick(view, s->instance, state, verdict, feasible) == MST_SKIP)
        return;
    for (uint32_t row = 0; row < count; row++)
        s->plugin->score(view, s->instance, state, row, row + 1, raw);
    if (s->plugin->normalize_pick)
        s->plugin->normalize_pick(view, s->instance, state, verdict, raw);
    for (uint32_t row = 0; row < count; row++)
        n->total[row] += s->weight * raw[row];
}

static inline void naive_add_scores(struct rig *r, struct naive *n, const struct mst_class *klass,
                                    uint32_t slot)
{
    const struct mst_framework *fw = &r->fw;
    const struct mst_slot *s = &fw->slots[slot];
    uint32_t count = r->cluster.nodes.count;
    struct mst_pre_score pre = { .code = MST_SUCCESS };
    if (s->plugin->pre_score)
        s->plugin->pre_score(&fw->view, s->instance, klass, &r->arena, &pre);
    if (pre.code == MST_SKIP)
        return;
    mst_assert(pre.code == MST_SUCCESS);
    if (s->plugin->row_changed && n->pre[slot].state) {
        naive_add_counted(r, n, slot);
        return;
    }
    int64_t *raw = MST_NEW_N(&r->arena, int64_t, count), max = 0;
    for (uint32_t row = 0; row < count; row++) {
        s->plugin->score(&fw->view, s->instance, pre.state, row, row + 1, raw);
        if (n->feasible[row])
            max = MST_MAX(max, raw[row]);
    }
    for (uint32_t row = 0; row < count; row++) {
        int64_t score = raw[row];
        if (s->plugin->normalize != MST_NORMALIZE_NONE)
            score = max ? 100 * score / max : score;
        if (s->plugin->normalize == MST_NORMALIZE_REVERSED)
            score = max ? 100 - score : 100;
        n->total[row] += s->weight * score;
    }
}

static inline void naive_choose(struct rig *r, struct naive *n, const struct mst_class *klass)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    for (uint32_t i = 0; i < r->fw.score_count; i++)
        naive_add_scores(r, n, klass, r->fw.score[i]);
    uint32_t best = MST_ROW_NONE;
    for (uint32_t row = 0; row < nodes->count; row++) {
        if (!n->feasible[row])
            continue;
        n->pick.feasible++;
        bool wins = best == MST_ROW_NONE || n->total[row] > n->total[best] ||
                    (n->total[row] == n->total[best] &&
                     mst_str_cmp(mst_sym_str(r->syms, nodes->name[row]),
                                 mst_sym_str(r->syms, nodes->name[best])) < 0);
        best = wins ? row : best;
    }
    n->pick.node = best;
    n->pick.code = MST_SUCCESS;
}

static inline int naive_compare(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

/* The names of who named nodes, sorted. */
static inline struct mst_str naive_left_out_text(struct rig *r, const struct naive *n)
{
    struct mst_str names[MST_SLOTS_MAX], text = MST_STR("");
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < r->fw.slot_count; slot++)
        if (n->restricting >> slot & 1)
            names[count++] = mst_str_of(mst_framework_slot_name(&r->fw, slot));
    mst_sort(names, count, sizeof(*names), naive_compare, NULL);
    for (uint32_t i = 0; i < count; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s%.*s", MST_ARG(text), i ? " " : "",
                                MST_ARG(names[i]));
    return mst_arena_printf(&r->arena, "node(s) didn't satisfy plugin(s) [%.*s]", MST_ARG(text));
}

/* "0/3 nodes are available: 1 x, 2 y." */
static inline void naive_message(struct rig *r, struct naive *n)
{
    const struct mst_framework *fw = &r->fw;
    uint32_t count = r->cluster.nodes.count, line_count = 0;
    struct mst_str *seen = MST_NEW_N(&r->arena, struct mst_str, (size_t)count * MST_REASONS_MAX);
    uint32_t *times = MST_NEW_N(&r->arena, uint32_t, (size_t)count * MST_REASONS_MAX);
    for (uint32_t row = 0; row < count; row++) {
        struct mst_reasons reasons = { .arena = &r->arena };
        uint32_t slot = mst_verdict_slot(n->verdict[row]);
        if (slot == MST_SLOT_PRE_FILTER_RESULT) {
            mst_reason_add(&reasons, naive_left_out_text(r, n));
        } else {
            n->pick.slots |= UINT64_C(1) << slot;
            fw->slots[slot].plugin->explain(&fw->view, fw->slots[slot].instance, n->pre[slot].state,
                                            row, n->verdict[row], &reasons);
        }
        for (uint32_t i = 0; i < reasons.n; i++) {
            uint32_t k = 0;
            while (k < line_count && !mst_str_eq(seen[k], reasons.v[i]))
                k++;
            seen[k] = reasons.v[i];
            times[k]++;
            line_count = MST_MAX(line_count, k + 1);
        }
    }
    for (uint32_t i = 0; i < line_count; i++)
        seen[i] = mst_arena_printf(&r->arena, "%u %.*s", times[i], MST_ARG(seen[i]));
    mst_sort(seen, line_count, sizeof(*seen), naive_compare, NULL);
    struct mst_str text = mst_arena_printf(&r->arena, "0/%u nodes are available:", count);
    for (uint32_t i = 0; i < line_count; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s %.*s", MST_ARG(text), i ? "," : "",
                                MST_ARG(seen[i]));
    n->pick.message = mst_arena_printf(&r->arena, "%.*s.", MST_ARG(text));
    n->pick.slots |= n->restricting;
    n->pick.code = MST_UNSCHEDULABLE;
}

/* How many feasible nodes are enough for N candidates (scheduling.md 3.3). */
static inline uint32_t naive_enough(const struct rig *r, uint32_t candidates)
{
    int64_t percent = r->fw.percentage_of_nodes;
    if (r->fw.score_count == 0)
        return 1;
    if (candidates < 100 || (percent == 0 && !r->config.upstream))
        return candidates;
    if (percent == 0)
        percent = MST_MAX(50 - (int64_t)candidates / 125, 5);
    return (uint32_t)MST_MAX((int64_t)candidates * percent / 100, 100);
}

/* Only the first so many feasible nodes in list order from the rotation's start are kept. */
static inline void naive_sample(struct rig *r, struct naive *n)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    uint32_t *order = MST_NEW_N(&r->arena, uint32_t, nodes->count), candidates = 0;
    mst_nodes_list_order(nodes, order);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (!naive_left_out(r, n, order[i]))
            order[candidates++] = order[i];
    uint32_t enough = naive_enough(r, candidates), found = 0, looked = 0;
    for (uint32_t i = 0; i < candidates && found < enough; i++, looked++) {
        uint32_t row = order[(r->next_start + i) % candidates]; /* candidates > 0 */
        n->feasible[row] = n->verdict[row] == MST_VERDICT_OK;
        found += n->feasible[row];
    }
    r->next_start = (r->next_start + looked) % nodes->count;
}

static inline void naive_pre_filter(struct rig *r, struct naive *n, const struct mst_class *klass)
{
    const struct mst_framework *fw = &r->fw;
    for (uint32_t i = 0; i < fw->pre_filter_count; i++) {
        uint32_t slot = fw->pre_filter[i];
        const struct mst_slot *s = &fw->slots[slot];
        naive_count(r, n, klass, slot);
        mst_assert(n->pre[slot].code == MST_SUCCESS || n->pre[slot].code == MST_SKIP);
        if (s->plugin->skips_pick && n->pre[slot].state &&
            s->plugin->skips_pick(&fw->view, s->instance, n->pre[slot].state))
            n->skips |= UINT64_C(1) << slot;
        if (n->pre[slot].restrict_names)
            n->restricting |= UINT64_C(1) << slot;
    }
}

static inline void naive_pick(struct rig *r, uint32_t pod, struct naive *n)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    *n = (struct naive){ .pick = { .node = MST_ROW_NONE } };
    if (!nodes->count) {
        n->pick.code = MST_UNRESOLVABLE;
        n->pick.message = MST_STR("no nodes available to schedule pods");
        return;
    }
    const struct mst_pod_row *p = &r->cluster.pods.v[pod];
    const struct mst_class *klass = mst_cluster_class(&r->cluster, p->class_id);
    naive_pre_filter(r, n, klass);
    n->verdict = MST_NEW_N(&r->arena, mst_verdict, nodes->count);
    n->total = MST_NEW_N(&r->arena, int64_t, nodes->count);
    n->feasible = MST_NEW_N(&r->arena, bool, nodes->count);
    uint32_t first = MST_ROW_NONE; /* the nominated node is asked before all others */
    if (p->status_nominated != MST_SYM_NONE)
        first = mst_nodes_row(nodes, p->status_nominated);
    mst_verdict first_verdict = first == MST_ROW_NONE ? 1 : naive_both(r, n, pod, first);
    if (first_verdict == MST_VERDICT_OK) {
        n->pick = (struct mst_pick){ .code = MST_SUCCESS, .node = first, .feasible = 1 };
        return;
    }
    bool any = false;
    for (uint32_t row = 0; row < nodes->count; row++) {
        n->verdict[row] = row == first                ? first_verdict
                          : naive_left_out(r, n, row) ? NAIVE_LEFT_OUT
                                                      : naive_both(r, n, pod, row);
        any |= n->verdict[row] == MST_VERDICT_OK;
    }
    if (first != MST_ROW_NONE && n->restricting)
        n->restricting |= UINT64_C(1) << mst_verdict_slot(first_verdict);
    naive_sample(r, n);
    if (any)
        naive_choose(r, n, klass);
    else
        naive_message(r, n);
}

#endif
