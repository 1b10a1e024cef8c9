/*
 * node_choice.c - of the nodes where evictions help one is chosen: whose victims cost the least.
 *
 * Differs:    profile upstream adds up what kube-scheduler does; profile muster compares the sets
 *             of victims, unless `improve` is off.
 * Invariants: costs decide like the full comparison as far as they go; where they are equal it has
 *             the last word, and then the node's name.
 * Source:     spec/preemption.md 5, 12.1; kubernetes v1.37 pickOneNodeForPreemption.
 */
#include "preempt/preempt_internal.h"

static int64_t later_is_better(int64_t start_ns)
{
    return start_ns == INT64_MIN ? INT64_MAX : -start_ns;
}

static struct mst_run_cost cost_as_upstream(const struct mst_preempt *x,
                                            const struct mst_victims *v)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    int32_t top = c->pods.v[v->pods[0]].priority;
    int64_t sum = 0, earliest_ns = mst_start_ns(x, v->pods[0]), first = top;
    for (uint32_t i = 0; i < v->n; i++) {
        int32_t priority = c->pods.v[v->pods[i]].priority;
        int64_t start_ns = mst_start_ns(x, v->pods[i]);
        sum += (int64_t)priority + ((int64_t)INT32_MAX + 1);
        if (priority > top || (priority == top && start_ns < earliest_ns))
            earliest_ns = start_ns;
        top = MST_MAX(top, priority);
    }
    return (
        struct mst_run_cost){ { v->violations, first, sum, v->n, later_is_better(earliest_ns) } };
}

static bool compares_sets(const struct mst_preempt *x)
{
    return !x->fw->view.upstream && x->fw->preemption.improve;
}

/* The budgets and the most important unit: mostly they decide, and no unit has to be looked at. */
static struct mst_run_cost cost_as_muster(const struct mst_preempt *x,
                                          const struct mst_dry_run *run)
{
    struct mst_run_cost cost = { { run->victims.violations } };
    if (x->fw->preemption.smallest)
        return cost;
    if (!run->unit_count) {
        cost.v[1] = INT64_MIN; /* nobody new goes */
        return cost;
    }
    const struct mst_unit *first = &run->units[0];
    cost.v[1] = first->priority;
    cost.v[2] = first->rank;
    cost.v[3] = first->n;
    cost.v[4] = later_is_better(first->gang_start_ns);
    return cost;
}

struct mst_run_cost mst_run_cost_of(const struct mst_preempt *x, const struct mst_dry_run *run)
{
    return compares_sets(x) ? cost_as_muster(x, run) : cost_as_upstream(x, &run->victims);
}

static int compare_costs(const struct mst_run_cost *a, const struct mst_run_cost *b)
{
    for (size_t i = 0; i < MST_COUNT(a->v); i++)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

/*
 * Profile muster: the sets in order of importance, side by side; at the first difference the one
 * that spares the more important unit is better.
 */
static int compare_sets(const struct mst_preempt *x, const struct mst_dry_run *a,
                        const struct mst_dry_run *b)
{
    if (a->victims.violations != b->victims.violations)
        return a->victims.violations < b->victims.violations ? -1 : 1;
    for (uint32_t i = 0; i < a->unit_count && i < b->unit_count; i++) {
        if (a->units[i].pods[0] == b->units[i].pods[0])
            continue;
        int c = mst_unit_compare(x, MST_AS_MUSTER, &a->units[i], &b->units[i]);
        return c < 0 ? 1 : -1;
    }
    return (a->unit_count > b->unit_count) - (a->unit_count < b->unit_count);
}

/* Profile muster with victimPolicy Smallest: both sets as choices among all their units. */
static int compare_sizes(const struct mst_preempt *x, const struct mst_dry_run *a,
                         const struct mst_dry_run *b)
{
    uint32_t n = a->unit_count + b->unit_count, kept = 0;
    struct mst_units all = { .v = MST_NEW_N(x->arena, struct mst_unit, n) };
    for (uint32_t i = 0; i < n; i++)
        all.v[i] = i < a->unit_count ? a->units[i] : b->units[i - a->unit_count];
    mst_units_sort(x, MST_AS_MUSTER, all.v, n);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || all.v[kept - 1].pods[0] != all.v[i].pods[0])
            all.v[kept++] = all.v[i];
    all.n = kept;
    struct mst_choice u = { &all, MST_NEW_N(x->arena, bool, kept), a->victims.violations };
    struct mst_choice v = { &all, MST_NEW_N(x->arena, bool, kept), b->victims.violations };
    for (uint32_t k = 0; k < kept; k++) {
        for (uint32_t i = 0; i < a->unit_count; i++)
            u.evicted[k] |= a->units[i].pods[0] == all.v[k].pods[0];
        for (uint32_t i = 0; i < b->unit_count; i++)
            v.evicted[k] |= b->units[i].pods[0] == all.v[k].pods[0];
    }
    return mst_choice_compare(x, MST_ORDER_SMALLEST, &u, &v);
}

static int compare(const struct mst_preempt *x, const struct mst_candidate *a,
                   const struct mst_candidate *b)
{
    int c = compare_costs(a->cost, b->cost);
    if (c || !compares_sets(x))
        return c;
    return x->fw->preemption.smallest ? compare_sizes(x, a->run, b->run)
                                      : compare_sets(x, a->run, b->run);
}

const struct mst_dry_run *mst_cheapest(const struct mst_preempt *x, const struct mst_candidate *v,
                                       uint32_t n)
{
    const uint32_t *rank = mst_nodes_rank(x->fw->view.nodes);
    const struct mst_candidate *best = &v[0];
    for (uint32_t i = 1; i < n; i++) {
        int c = compare(x, &v[i], best);
        if (c < 0 || (c == 0 && rank[v[i].run->victims.node] < rank[best->run->victims.node]))
            best = &v[i];
    }
    return best->run;
}
