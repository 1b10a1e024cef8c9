/*
 * pod_preempt.c - for one pod: which node, and who has to leave it.
 *
 * Differs:    profile muster and upstream differ in what a dry run says (dry_run.c), not here.
 * Source:     spec/preemption.md 3, 5; kubernetes v1.37 pkg/scheduler/framework/preemption
 *             (preemption.go), plugins/defaultpreemption.
 */
#include "preempt/preempt_internal.h"

/* ---- may it? ---- */

/* Somebody of lower priority is leaving the row because of a preemption. */
static bool victim_is_leaving(const struct mst_cluster *c, uint32_t row, int32_t priority)
{
    for (uint32_t i = c->nodes.first_pod[row]; i != MST_ROW_NONE; i = c->pods.v[i].node_next)
        if (mst_pod_preempted(&c->pods.v[i]) && mst_unit_priority(c, i) < priority)
            return true;
    return false;
}

bool mst_preempt_eligible(const struct mst_preempt *x, uint32_t pod, const struct mst_pick *pick,
                          struct mst_str *ret_why)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    const struct mst_pod_row *p = &c->pods.v[pod];
    if (p->never_preempts) {
        *ret_why = MST_STR("not eligible due to preemptionPolicy=Never.");
        return false;
    }
    uint32_t row = p->status_nominated == MST_SYM_NONE
                       ? (uint32_t)MST_ROW_NONE
                       : mst_nodes_row(&c->nodes, p->status_nominated);
    if (row == MST_ROW_NONE)
        return true;
    bool hopeless = pick->verdict ? (pick->verdict[row] & MST_VERDICT_UNRESOLVABLE) != 0
                                  : pick->code == MST_UNRESOLVABLE;
    if (hopeless || !victim_is_leaving(c, row, p->priority))
        return true;
    *ret_why = MST_STR("not eligible due to a terminating pod on the nominated node.");
    return false;
}

/* ---- which nodes are tried ---- */

/* Rows whose rejection evicting pods may undo, in list order. Returns how many. */
static uint32_t potential_rows(const struct mst_preempt *x, const struct mst_pick *pick,
                               uint32_t *rows)
{
    struct mst_nodes *nodes = x->fw->view.nodes;
    const uint32_t *order = mst_evals_list_order(x->evals, nodes);
    uint32_t n = 0;
    for (uint32_t i = 0; pick->verdict && i < nodes->count; i++) {
        mst_verdict v = pick->verdict[order[i]];
        if (v != MST_VERDICT_OK && !(v & MST_VERDICT_UNRESOLVABLE))
            rows[n++] = order[i];
    }
    return n;
}

static uint32_t candidates_wanted(const struct mst_framework *fw, uint32_t n)
{
    int64_t want = (int64_t)n * fw->preemption.candidates_percent / 100;
    want = MST_MAX(want, fw->preemption.candidates_min);
    return (uint32_t)MST_MIN(want, (int64_t)n);
}

/* ---- the search ---- */

struct search {
    const struct mst_preempt *x;
    struct mst_seats seats; /* the pod's, on the node at hand */
    int64_t steps;
    /* candidates without and with violations */
    MST_VEC(const struct mst_dry_run *) kind, violating;
    struct mst_dry_cache *cache; /* NULL: none for this class */
    MST_VEC(const struct mst_dry_run *) refused;
    MST_VEC(struct mst_str) errors; /* each once */
    bool refused_all;               /* by extenders */
    mst_preempt_trials *trials;
};

/* "a, b" of what one node's dry run answered. */
static struct mst_str joined(struct mst_arena *arena, const struct mst_reasons *reasons)
{
    struct mst_str all = MST_STR("");
    for (uint32_t i = 0; i < reasons->n; i++)
        all = i ? mst_arena_printf(arena, "%.*s, %.*s", MST_ARG(all), MST_ARG(reasons->v[i]))
                : reasons->v[i];
    return all;
}

static void note_error(struct search *s, struct mst_str text)
{
    for (uint32_t i = 0; i < s->errors.n; i++)
        if (mst_str_eq(s->errors.v[i], text))
            return;
    mst_vec_push(&s->errors, text);
}

/* A candidate, as long as there is room among them. */
static void note(struct search *s, const struct mst_dry_run *run, uint32_t want)
{
    if (!run->victims.violations) {
        if (s->kind.n < want)
            mst_vec_push(&s->kind, run);
    } else if (s->violating.n < want) {
        mst_vec_push(&s->violating, run);
    }
}

static const struct mst_dry_run *ask(struct search *s, uint32_t row, bool *ret_helps)
{
    uint32_t pod = s->seats.v[0].a.pod;
    const struct mst_dry_run *kept =
        s->cache ? mst_dry_cache_get(s->cache, s->x, pod, row, ret_helps) : NULL;
    if (kept)
        return kept;
    struct mst_dry_run *run = MST_NEW(s->x->arena, struct mst_dry_run);
    mst_dry_run(s->x, &s->seats, row, &s->steps, run);
    *ret_helps = run->code == MST_SUCCESS;
    return s->cache ? mst_dry_cache_put(s->cache, s->x, pod, row, run) : run;
}

/* Upstream looks at no more nodes once it has enough to choose from; people see all of them. */
static void search_rows(struct search *s, const uint32_t *rows, uint32_t n)
{
    uint32_t want = candidates_wanted(s->x->fw, n);
    bool enough = false;
    for (uint32_t i = 0; i < n && (!enough || s->trials); i++) {
        bool helps;
        const struct mst_dry_run *run = ask(s, rows[i], &helps);
        if (!enough && helps)
            note(s, run, want);
        else if (!enough)
            mst_vec_push(&s->refused, run);
        enough = s->kind.n && s->kind.n + s->violating.n >= want;
        if (s->trials)
            mst_vec_push(s->trials, (struct mst_preempt_trial){
                                        .node = rows[i],
                                        .helps = run->code == MST_SUCCESS && run->victims.n,
                                        .victims = run->victims,
                                        .why_not = joined(s->x->arena, &run->reasons) });
    }
}

/* ---- the choice ---- */

/* What candidates are compared by, the smaller the better, in this order. */
struct cost {
    int64_t violations, first_priority, sum, pods, started_ns;
};

static struct cost cost_of(const struct mst_preempt *x, const struct mst_victims *v)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    int32_t top = c->pods.v[v->pods[0]].priority;
    struct cost cost = { .violations = v->violations, .first_priority = top, .pods = v->n };
    int64_t earliest_ns = mst_start_ns(x, v->pods[0]);
    for (uint32_t i = 0; i < v->n; i++) {
        int32_t priority = c->pods.v[v->pods[i]].priority;
        int64_t start_ns = mst_start_ns(x, v->pods[i]);
        cost.sum += (int64_t)priority + ((int64_t)INT32_MAX + 1);
        if (priority > top || (priority == top && start_ns < earliest_ns))
            earliest_ns = start_ns;
        top = MST_MAX(top, priority);
    }
    cost.started_ns = earliest_ns == INT64_MIN ? INT64_MAX : -earliest_ns; /* later is better */
    return cost;
}

static int compare_costs(const struct cost *a, const struct cost *b)
{
    const int64_t x[] = { a->violations, a->first_priority, a->sum, a->pods, a->started_ns };
    const int64_t y[] = { b->violations, b->first_priority, b->sum, b->pods, b->started_ns };
    for (size_t i = 0; i < MST_COUNT(x); i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
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

static int compare_runs(const struct mst_preempt *x, const struct mst_dry_run *a,
                        const struct mst_dry_run *b)
{
    if (x->fw->view.upstream || !x->fw->preemption.improve) {
        struct cost u = cost_of(x, &a->victims), v = cost_of(x, &b->victims);
        return compare_costs(&u, &v);
    }
    return x->fw->preemption.smallest ? compare_sizes(x, a, b) : compare_sets(x, a, b);
}

/* The cheapest, of equal ones the lowest name. */
static const struct mst_dry_run *cheapest(const struct mst_preempt *x,
                                          const struct mst_dry_run *const *v, uint32_t n)
{
    const uint32_t *rank = mst_nodes_rank(x->fw->view.nodes);
    const struct mst_dry_run *best = v[0];
    for (uint32_t i = 1; i < n; i++) {
        int c = compare_runs(x, v[i], best);
        if (c < 0 || (c == 0 && rank[v[i]->victims.node] < rank[best->victims.node]))
            best = v[i];
    }
    return best;
}

static void found(const struct search *s, const struct mst_dry_run *run, struct mst_preemption *out)
{
    const struct mst_victims *best = &run->victims;
    const struct mst_view *view = &s->x->fw->view;
    out->code = MST_SUCCESS;
    out->victims = *best;
    out->message =
        mst_arena_printf(s->x->arena,
                         "found a potential placement for pod on node %.*s, preempting %u victims",
                         MST_ARG(mst_sym_str(view->syms, view->nodes->name[best->node])), best->n);
    out->proven = run->proven;
    if (!mst_preempt_extended(s->x, s->seats.v[0].a.pod)) /* else it is the extender's choice */
        mst_note_unproven(s->x, out);
}

static struct mst_str error_text(const struct search *s)
{
    struct mst_str text = s->errors.v[0];
    for (uint32_t i = 1; i < s->errors.n; i++)
        text = mst_arena_printf(s->x->arena, "%s%.*s, %.*s", i == 1 ? "[" : "", MST_ARG(text),
                                MST_ARG(s->errors.v[i]));
    return s->errors.n > 1 ? mst_arena_printf(s->x->arena, "%.*s]", MST_ARG(text)) : text;
}

static void not_found(struct search *s, struct mst_preemption *out)
{
    uint32_t nodes = s->x->fw->view.nodes->count;
    struct mst_reason_counts why_not = { .arena = s->x->arena };
    for (uint32_t i = 0; i < s->refused.n; i++) {
        const struct mst_dry_run *run = s->refused.v[i];
        for (uint32_t k = 0; k < run->reasons.n; k++)
            mst_reason_count(&why_not, run->reasons.v[k], 1);
        if (run->code == MST_ERROR)
            note_error(s, joined(s->x->arena, &run->reasons));
    }
    if (s->refused.n < nodes)
        mst_reason_count(&why_not, MST_STR("Preemption is not helpful for scheduling"),
                         nodes - s->refused.n);
    out->message = mst_fit_text(&why_not, nodes);
    out->clears_nomination = !s->errors.n;
    if (!s->errors.n)
        return;
    out->code = MST_ERROR;
    out->message = error_text(s);
}

/* What extenders make of the candidates; says in `out` when they end the search. */
static void ask_extenders(struct search *s, uint32_t pod, struct mst_preemption *out)
{
    for (uint32_t i = 0; i < s->violating.n; i++)
        mst_vec_push(&s->kind, s->violating.v[i]);
    if (!s->kind.n || !mst_preempt_extended(s->x, pod))
        return;
    struct mst_dry_runs runs = { MST_NEW_N(s->x->arena, struct mst_dry_run, s->kind.n), 0 };
    for (uint32_t i = 0; i < s->kind.n; i++)
        runs.v[runs.n++] = *s->kind.v[i];
    out->code = mst_preempt_ask(s->x, &s->seats, pod, &runs, &out->message);
    if (out->code != MST_SUCCESS)
        return;
    out->code = MST_UNSCHEDULABLE;
    s->kind.n = 0;
    for (uint32_t i = 0; i < runs.n; i++)
        mst_vec_push(&s->kind, &runs.v[i]);
    s->refused_all = !runs.n;
}

static void choose(struct search *s, struct mst_preemption *out)
{
    if (s->kind.n)
        found(s, cheapest(s->x, s->kind.v, s->kind.n), out);
    else if (s->refused_all)
        out->message = MST_STR("no candidate node for preemption");
    else
        not_found(s, out);
}

void mst_preempt_pod(const struct mst_preempt *x, uint32_t pod, const struct mst_pick *pick,
                     mst_preempt_trials *trials, struct mst_preemption *out)
{
    *out =
        (struct mst_preemption){ .code = MST_UNSCHEDULABLE, .victims = { .node = MST_ROW_NONE } };
    if (!mst_preempt_eligible(x, pod, pick, &out->message))
        return;
    struct search s = { .x = x, .steps = x->fw->preemption.search_steps, .trials = trials };
    uint32_t *rows = mst_arena_alloc(x->arena, x->fw->view.nodes->count * sizeof(*rows));
    uint32_t n = potential_rows(x, pick, rows);
    if (n) {
        mst_eval_dry_begin(pick->eval);
        mst_seats_begin(&s.seats, x, NULL);
        mst_seats_lend(&s.seats, pick->eval);
        mst_seats_set(&s.seats,
                      &(struct mst_assignment){
                          .pod = pod, .node = rows[0], .skips = pick->eval->skips_now },
                      1);
        /* What a node without victims means depends on the pod's extenders, not on its class. */
        if (x->cache && !mst_preempt_extended(x, pod) &&
            mst_dry_cache_begin(x->cache, x, pick->eval, pod))
            s.cache = x->cache;
        search_rows(&s, rows, n);
        ask_extenders(&s, pod, out);
        mst_seats_done(&s.seats);
        mst_eval_dry_end(pick->eval);
    }
    if (out->code == MST_UNSCHEDULABLE)
        choose(&s, out);
    mst_vec_done(&s.refused);
    mst_vec_done(&s.errors);
    mst_vec_done(&s.kind);
    mst_vec_done(&s.violating);
}
