/*
 * choice.c - which of two sets of victims is better, and what a set costs in disruption budgets.
 *
 * Source: spec/preemption.md 12.1.
 */
#include "base/sort.h"
#include "cluster/budgets.h"
#include "preempt/preempt_internal.h"

void mst_note_unproven(const struct mst_preempt *x, struct mst_preemption *out)
{
    if (out->proven || x->fw->view.upstream || !x->fw->preemption.improve)
        return;
    out->message =
        mst_arena_printf(x->arena, "%.*s (the best that was found within the search budget)",
                         MST_ARG(out->message));
}

/*
 * Charges the set's pods only, the least important first, so that what a budget allows is used up
 * by those who matter least.
 */
uint32_t mst_choice_violations(const struct mst_preempt *x, const struct mst_units *units,
                               const bool *evicted)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    if (!c->budgets || !c->budgets->list.n)
        return 0;
    int64_t *left = MST_NEW_N(x->arena, int64_t, c->budgets->list.n);
    for (uint32_t i = 0; i < c->budgets->list.n; i++)
        left[i] = c->budgets->list.v[i].allowed;
    uint32_t violations = 0;
    for (uint32_t i = units->n; i-- > 0;)
        for (uint32_t k = 0; evicted[i] && k < units->v[i].n; k++)
            if (!c->pods.v[units->v[i].pods[k]].deleting)
                violations += mst_budgets_charge(x, MST_AS_MUSTER, units->v[i].pods[k], left);
    return violations;
}

static bool counts(const struct mst_preempt *x, const struct mst_choice *choice, uint32_t unit)
{
    return choice->evicted[unit] && !mst_unit_leaves(x, &choice->units->v[unit]);
}

static int by_importance(const struct mst_preempt *x, const struct mst_choice *a,
                         const struct mst_choice *b)
{
    for (uint32_t i = 0; i < a->units->n; i++) {
        bool gone_a = counts(x, a, i), gone_b = counts(x, b, i);
        if (gone_a != gone_b)
            return gone_a ? 1 : -1;
    }
    return 0;
}

/* ---- smallest ---- */

static uint32_t live_pods(const struct mst_preempt *x, const struct mst_unit *unit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < unit->n; i++)
        n += !x->fw->view.cluster->pods.v[unit->pods[i]].deleting;
    return n;
}

/* Evicted pods per priority, the highest first: units are sorted by it. */
static int compare_levels(const struct mst_preempt *x, const struct mst_choice *a,
                          const struct mst_choice *b)
{
    int64_t difference = 0;
    for (uint32_t i = 0; i < a->units->n; i++) {
        const struct mst_unit *unit = &a->units->v[i];
        if (i && unit->priority != unit[-1].priority && difference)
            break;
        difference += (int64_t)live_pods(x, unit) * (a->evicted[i] - b->evicted[i]);
    }
    return (difference > 0) - (difference < 0);
}

static int compare_counts(const struct mst_preempt *x, const struct mst_choice *a,
                          const struct mst_choice *b)
{
    int64_t groups = 0, units = 0;
    for (uint32_t i = 0; i < a->units->n; i++) {
        int difference = counts(x, a, i) - counts(x, b, i);
        groups += a->units->v[i].group != MST_ROW_NONE ? difference : 0;
        units += difference;
    }
    return groups ? (groups > 0) - (groups < 0) : (units > 0) - (units < 0);
}

static int compare_starts(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t sorted_starts(const struct mst_preempt *x, const struct mst_choice *choice,
                              int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < choice->units->n; i++)
        if (counts(x, choice, i))
            out[n++] = choice->units->v[i].start_ns;
    mst_sort(out, n, sizeof(*out), compare_starts, NULL);
    return n;
}

/* Those that ran the longest first: the later they started, the better. */
static int by_starts(const struct mst_preempt *x, const struct mst_choice *a,
                     const struct mst_choice *b)
{
    int64_t *u = MST_NEW_N(x->arena, int64_t, a->units->n);
    int64_t *v = MST_NEW_N(x->arena, int64_t, a->units->n);
    uint32_t n = sorted_starts(x, a, u), m = sorted_starts(x, b, v);
    for (uint32_t i = 0; i < n && i < m; i++)
        if (u[i] != v[i])
            return u[i] > v[i] ? -1 : 1;
    return 0;
}

static uint32_t sorted_uids(const struct mst_preempt *x, const struct mst_choice *choice,
                            struct mst_str *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < choice->units->n; i++)
        if (counts(x, choice, i))
            out[n++] = mst_unit_uid(x, &choice->units->v[i]);
    mst_sort_strs(out, n);
    return n;
}

static int by_uids(const struct mst_preempt *x, const struct mst_choice *a,
                   const struct mst_choice *b)
{
    struct mst_str *u = MST_NEW_N(x->arena, struct mst_str, a->units->n);
    struct mst_str *v = MST_NEW_N(x->arena, struct mst_str, a->units->n);
    uint32_t n = sorted_uids(x, a, u), m = sorted_uids(x, b, v);
    for (uint32_t i = 0; i < n && i < m; i++) {
        int c = mst_str_cmp(u[i], v[i]);
        if (c)
            return c;
    }
    return 0;
}

int mst_choice_compare(const struct mst_preempt *x, mst_victim_order order,
                       const struct mst_choice *a, const struct mst_choice *b)
{
    if (a->violations != b->violations)
        return a->violations < b->violations ? -1 : 1;
    if (order == MST_ORDER_IMPORTANCE)
        return by_importance(x, a, b);
    int c = compare_levels(x, a, b);
    if (!c)
        c = compare_counts(x, a, b);
    if (!c)
        c = by_starts(x, a, b);
    return c ? c : by_uids(x, a, b);
}
