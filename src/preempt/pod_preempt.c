/*
 * pod_preempt.c - for one pod: which node, and who has to leave it.
 *
 * Differs:    profile muster and upstream differ in what a dry run says (dry_run.c), not here.
 * Source:     spec/preemption.md 3, 5; kubernetes v1.37 pkg/scheduler/framework/preemption
 *             (preemption.go), plugins/defaultpreemption.
 */
#include "base/vector.h"
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

/*
 * Nothing but volumes that victims left attached keeps the pod off the row: evicting somebody else
 * would not bring it there sooner.
 */
static bool volumes_are_leaving(const struct mst_preempt *x, uint32_t pod,
                                const struct mst_pick *pick, uint32_t row)
{
    const struct mst_view *view = &x->fw->view;
    if (view->upstream || !view->cluster->awaited || !pick->verdict)
        return false;
    return mst_verdict_slot(pick->verdict[row]) == mst_framework_slot(x->fw, "NodeVolumeLimits") &&
           mst_awaits_volumes(view, view->cluster->pods.v[pod].uid, view->nodes->name[row]);
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
    if (hopeless)
        return true;
    if (victim_is_leaving(c, row, p->priority))
        *ret_why = MST_STR("not eligible due to a terminating pod on the nominated node.");
    else if (volumes_are_leaving(x, pod, pick, row))
        *ret_why = MST_STR("not eligible due to volumes of preempted pods that are still attached "
                           "to the nominated node.");
    else
        return true;
    return false;
}

/* ---- which nodes are tried ---- */

/* Evicting pods may undo this rejection. */
static bool may_help(mst_verdict v)
{
    return v != MST_VERDICT_OK && !(v & MST_VERDICT_UNRESOLVABLE);
}

MST_VECTOR
static uint32_t count_potential(const mst_verdict *verdict, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += (verdict[i] != MST_VERDICT_OK) & !(verdict[i] & MST_VERDICT_UNRESOLVABLE);
    return count;
}

static uint32_t candidates_wanted(const struct mst_framework *fw, uint32_t n)
{
    int64_t want = (int64_t)n * fw->preemption.candidates_percent / 100;
    want = MST_MAX(want, fw->preemption.candidates_min);
    return (uint32_t)MST_MIN(want, (int64_t)n);
}

/* ---- the search ---- */

struct refused {
    uint32_t row;
    const struct mst_dry_run *run;
};

struct search {
    const struct mst_preempt *x;
    const mst_verdict *verdict; /* [row] */
    struct mst_seats seats;     /* the pod's, on the node at hand */
    int64_t steps;
    struct mst_candidate *clean, *violating; /* `want` of each at most */
    uint32_t clean_count, violating_count, want;
    struct mst_dry_cache *cache;    /* NULL: none for this class */
    MST_VEC(struct refused) fresh;  /* refusals that were not kept before, in list order */
    MST_VEC(struct mst_str) errors; /* each once */
    bool refused_all;               /* by extenders */
    mst_preempt_trials *trials;
};

static void note_error(struct search *s, struct mst_str text)
{
    for (uint32_t i = 0; i < s->errors.n; i++)
        if (mst_str_eq(s->errors.v[i], text))
            return;
    mst_vec_push(&s->errors, text);
}

/* A candidate, as long as there is room among them. */
static void note(struct search *s, const struct mst_dry_run *run, const struct mst_run_cost *cost,
                 bool violating)
{
    struct mst_candidate candidate = { run, cost };
    if (!violating && s->clean_count < s->want)
        s->clean[s->clean_count++] = candidate;
    else if (violating && s->violating_count < s->want)
        s->violating[s->violating_count++] = candidate;
}

static bool is_enough(const struct search *s)
{
    return s->clean_count && s->clean_count + s->violating_count >= s->want;
}

static void tell_trial(struct search *s, uint32_t row, const struct mst_dry_run *run)
{
    mst_vec_push(s->trials, (struct mst_preempt_trial){
                                .node = row,
                                .helps = run->code == MST_SUCCESS && run->victims.n,
                                .victims = run->victims,
                                .why_not = mst_reasons_joined(&run->reasons, s->x->arena) });
}

/* Runs dry on a row about which nothing is kept. */
static const struct mst_dry_run *try_row(struct search *s, uint32_t row, bool enough)
{
    struct mst_dry_run *run = MST_NEW(s->x->arena, struct mst_dry_run);
    mst_dry_run(s->x, &s->seats, row, &s->steps, run);
    struct mst_run_cost *cost = NULL;
    if (run->code == MST_SUCCESS && run->victims.n) {
        cost = MST_NEW(s->x->arena, struct mst_run_cost);
        *cost = mst_run_cost_of(s->x, run);
    }
    if (s->cache)
        mst_dry_cache_put(s->cache, s->x, s->seats.v[0].a.pod, row, run, cost);
    if (!enough && run->code == MST_SUCCESS)
        note(s, run, cost, run->victims.violations > 0);
    else if (!enough)
        mst_vec_push(&s->fresh, (struct refused){ row, run });
    return run;
}

/*
 * The place in the list, `from` or later, of a row that is not known to refuse. Of the rows that
 * are passed by, nearly all do: that has to be quick.
 */
static uint32_t skip_refusing(const uint8_t *state, const uint32_t *order, uint32_t from,
                              uint32_t n)
{
    while (from < n && state[order[from]] == MST_DRY_REFUSED)
        from++;
    return from;
}

/* Upstream looks at no more nodes once it has enough to choose from; people see all of them. */
static void search_rows(struct search *s)
{
    struct mst_nodes *nodes = s->x->fw->view.nodes;
    const uint32_t *order = mst_evals_list_order(s->x->evals, nodes), n = nodes->count;
    const struct mst_dry_cache *cache = s->cache;
    bool enough = false, skips = cache && !s->trials;
    for (uint32_t i = 0; i < n && (!enough || s->trials); i++) {
        if (skips)
            i = skip_refusing(cache->state, order, i, n);
        if (i == n)
            break;
        uint32_t row = order[i];
        if (!may_help(s->verdict[row]))
            continue;
        uint8_t known = cache ? cache->state[row] : MST_DRY_UNKNOWN;
        const struct mst_dry_run *run = NULL;
        if (known == MST_DRY_UNKNOWN)
            run = try_row(s, row, enough);
        else if (known != MST_DRY_REFUSED && !enough)
            note(s, cache->run[row], &cache->cost[row], known == MST_DRY_VIOLATING);
        enough = is_enough(s);
        if (s->trials)
            tell_trial(s, row, run ? run : cache->run[row]);
    }
}

/* ---- the answer ---- */

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

/* Nobody is a candidate: every node that was tried refused. Counts why; returns how many did. */
static uint32_t count_refusals(struct search *s, struct mst_reason_counts *why_not)
{
    struct mst_nodes *nodes = s->x->fw->view.nodes;
    const uint32_t *order = mst_evals_list_order(s->x->evals, nodes);
    uint32_t n = 0;
    for (uint32_t i = 0, fresh = 0; s->verdict && i < nodes->count; i++) {
        uint32_t row = order[i];
        if (!may_help(s->verdict[row]))
            continue;
        bool is_fresh = fresh < s->fresh.n && s->fresh.v[fresh].row == row;
        const struct mst_dry_run *run = is_fresh ? s->fresh.v[fresh++].run : s->cache->run[row];
        for (uint32_t k = 0; k < run->reasons.n; k++)
            mst_reason_count(why_not, run->reasons.v[k], 1);
        if (run->code == MST_ERROR)
            note_error(s, mst_reasons_joined(&run->reasons, s->x->arena));
        n++;
    }
    return n;
}

static void not_found(struct search *s, struct mst_preemption *out)
{
    uint32_t nodes = s->x->fw->view.nodes->count;
    struct mst_reason_counts why_not = { .arena = s->x->arena };
    uint32_t refused = count_refusals(s, &why_not);
    if (refused < nodes)
        mst_reason_count(&why_not, MST_STR("Preemption is not helpful for scheduling"),
                         nodes - refused);
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
    uint32_t n = s->clean_count;
    if (!n || !mst_preempt_extended(s->x, pod))
        return;
    struct mst_dry_runs runs = { MST_NEW_N(s->x->arena, struct mst_dry_run, n), 0 };
    for (uint32_t i = 0; i < n; i++)
        runs.v[runs.n++] = *s->clean[i].run;
    out->code = mst_preempt_ask(s->x, &s->seats, pod, &runs, &out->message);
    if (out->code != MST_SUCCESS)
        return;
    out->code = MST_UNSCHEDULABLE;
    struct mst_run_cost *costs = MST_NEW_N(s->x->arena, struct mst_run_cost, runs.n);
    s->clean = MST_NEW_N(s->x->arena, struct mst_candidate, runs.n);
    for (uint32_t i = 0; i < runs.n; i++) {
        costs[i] = mst_run_cost_of(s->x, &runs.v[i]);
        s->clean[i] = (struct mst_candidate){ &runs.v[i], &costs[i] };
    }
    s->clean_count = runs.n;
    s->refused_all = !runs.n;
}

static void choose(struct search *s, struct mst_preemption *out)
{
    if (s->clean_count)
        found(s, mst_cheapest(s->x, s->clean, s->clean_count), out);
    else if (s->refused_all)
        out->message = MST_STR("no candidate node for preemption");
    else
        not_found(s, out);
}

/* With at least one node that may help. */
static void search(struct search *s, uint32_t pod, struct mst_eval *eval,
                   struct mst_preemption *out)
{
    const struct mst_preempt *x = s->x;
    mst_eval_dry_begin(eval);
    mst_seats_begin(&s->seats, x, NULL);
    mst_seats_lend(&s->seats, eval);
    mst_seats_set(&s->seats, &(struct mst_assignment){ .pod = pod, .skips = eval->skips_now }, 1);
    /* What a node without victims means depends on the pod's extenders, not on its class. */
    if (x->cache && !mst_preempt_extended(x, pod) && mst_dry_cache_begin(x->cache, x, eval, pod))
        s->cache = x->cache;
    search_rows(s);
    /* The violating ones come after the others; there is room for all. */
    for (uint32_t i = 0; i < s->violating_count; i++)
        s->clean[s->clean_count++] = s->violating[i];
    ask_extenders(s, pod, out);
    mst_seats_done(&s->seats);
    mst_eval_dry_end(eval);
}

void mst_preempt_pod(const struct mst_preempt *x, uint32_t pod, const struct mst_pick *pick,
                     mst_preempt_trials *trials, struct mst_preemption *out)
{
    *out =
        (struct mst_preemption){ .code = MST_UNSCHEDULABLE, .victims = { .node = MST_ROW_NONE } };
    if (!mst_preempt_eligible(x, pod, pick, &out->message))
        return;
    struct search s = {
        .x = x, .verdict = pick->verdict, .steps = x->fw->preemption.search_steps, .trials = trials
    };
    uint32_t n = s.verdict ? count_potential(s.verdict, x->fw->view.nodes->count) : 0;
    if (n) {
        s.want = candidates_wanted(x->fw, n);
        s.clean = mst_arena_alloc(x->arena, 2 * (size_t)s.want * sizeof(*s.clean));
        s.violating = mst_arena_alloc(x->arena, s.want * sizeof(*s.violating));
        search(&s, pod, pick->eval, out);
    }
    if (out->code == MST_UNSCHEDULABLE)
        choose(&s, out);
    mst_vec_done(&s.fresh);
    mst_vec_done(&s.errors);
}
