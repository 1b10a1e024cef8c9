/*
 * group_preempt.c - for a group: everybody who may go goes, the group is placed, then as many as
 * possible come back.
 *
 * Invariants: the placement is made once, on the emptied cluster, and stays; a unit comes back if
 *             every placed member still passes its filters, asked in scheduling order.
 * Source:     spec/preemption.md 3, 6; kubernetes v1.37 pkg/scheduler/framework/preemption
 *             (podgrouppreemption.go).
 */
#include "preempt/preempt_internal.h"

enum { RANKED_SHARE = 4 }; /* of the steps, for the second beginning of a search */

/* ---- may it? ---- */

/*
 * A victim of before is still leaving a node that some member is nominated to, or, profile muster,
 * its volumes are.
 */
static bool is_ongoing(const struct mst_view *view, const struct mst_preempting_group *g)
{
    const struct mst_cluster *c = view->cluster;
    int32_t priority = c->groups.v[g->group].priority;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        mst_sym name = c->pods.v[g->pods[i]].status_nominated;
        uint32_t row =
            name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&c->nodes, name);
        uint32_t pod = row == MST_ROW_NONE ? (uint32_t)MST_ROW_NONE : c->nodes.first_pod[row];
        for (; pod != MST_ROW_NONE; pod = c->pods.v[pod].node_next)
            if (mst_pod_preempted(&c->pods.v[pod]) && mst_unit_priority(c, pod) < priority)
                return true;
        if (row != MST_ROW_NONE && !view->upstream &&
            mst_awaits_volumes(view, c->groups.v[g->group].uid, name))
            return true;
    }
    return false;
}

static void say(struct mst_preemption *out, mst_code code, struct mst_str message)
{
    out->code = code;
    out->message = message;
}

/* Everybody keeps the seat that was promised. */
static void keep_seats(const struct mst_preempt *x, const struct mst_preempting_group *g,
                       struct mst_preemption *out)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    struct mst_nomination *seats = MST_NEW_N(x->arena, struct mst_nomination, g->pod_count);
    for (uint32_t i = 0; i < g->pod_count; i++) {
        mst_sym name = c->pods.v[g->pods[i]].status_nominated;
        seats[i] = (struct mst_nomination){
            .pod = g->pods[i],
            .node = name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&c->nodes, name),
        };
    }
    out->ongoing = true;
    out->nominations = seats;
    out->nomination_count = g->pod_count;
    say(out, MST_SUCCESS, MST_STR("ongoing preemption on nominated nodes"));
}

/* True when there is an answer already. Upstream asks in the other order. */
static bool answer_early(const struct mst_preempt *x, const struct mst_preempting_group *g,
                         struct mst_preemption *out)
{
    bool upstream = x->fw->view.upstream;
    bool ongoing = (!g->never || !upstream) && is_ongoing(&x->fw->view, g);
    if (ongoing) {
        keep_seats(x, g, out);
        return true;
    }
    if (g->never)
        say(out, MST_UNSCHEDULABLE, MST_STR("not eligible due to preemptionPolicy=Never."));
    return g->never;
}

/* ---- the search ---- */

struct search {
    const struct mst_preempt *x;
    const struct mst_preempting_group *g;
    struct mst_units units; /* all that may go */
    struct mst_seats seats;
    struct mst_unit *victims;
    uint32_t victim_count, violations;
    bool proven;
};

static void found(struct search *s, struct mst_preemption *out)
{
    const struct mst_preempt *x = s->x;
    mst_units_sort(x, mst_manner_of(x), s->victims, s->victim_count);
    mst_units_victims(x, s->victims, s->victim_count, MST_ROW_NONE, &out->victims);
    if (!x->fw->view.upstream)
        out->victims.violations = s->violations;
    struct mst_nomination *seats = MST_NEW_N(x->arena, struct mst_nomination, s->seats.n);
    for (uint32_t i = 0; i < s->seats.n; i++)
        seats[i] = (struct mst_nomination){ s->seats.v[i].a.pod, s->seats.v[i].a.node };
    out->nominations = seats;
    out->nomination_count = s->seats.n;
    out->proven = s->proven;
    say(out, MST_SUCCESS,
        mst_arena_printf(x->arena, "found a placement for podgroup, preempting %u victims",
                         out->victims.n));
    mst_note_unproven(x, out);
}

/*
 * With the units gone: places the group and takes its pods off again. `ranking`: rather where its
 * use condemns the least; NULL: as the scores say.
 */
static void place_group(const struct search *s, struct mst_ranking *ranking,
                        struct mst_trial_placement *placed)
{
    const struct mst_preempting_group *g = s->g;
    struct mst_cluster *c = s->x->fw->view.cluster;
    uint32_t mark = mst_txn_begin(c);
    *placed = (struct mst_trial_placement){ .code = MST_ERROR };
    s->x->evals->ranker = ranking ? mst_ranking_ranker(ranking) : NULL;
    g->placer->place(g->placer->ctx, placed);
    s->x->evals->ranker = NULL;
    for (uint32_t i = g->pod_count; i-- > 0;) {
        if (ranking && c->pods.v[g->pods[i]].node != MST_ROW_NONE)
            mst_rank_take_back(ranking, c->pods.v[g->pods[i]].node);
        g->placer->unreserve(g->placer->ctx, g->pods[i]);
    }
    mst_txn_rollback(c, mark);
}

static void place_ranked(const struct search *s, struct mst_trial_placement *placed)
{
    place_group(s, mst_ranking_of(s->x, &s->units), placed);
}

static void take_all(struct search *s)
{
    for (uint32_t i = 0; i < s->units.n; i++)
        mst_seats_take(&s->seats, &s->units.v[i]);
}

/* ---- as upstream ---- */

static void search_as_upstream(struct search *s, struct mst_preemption *out)
{
    const struct mst_preempt *x = s->x;
    struct mst_trial_placement placed = { .code = MST_UNSCHEDULABLE };
    take_all(s);
    if (!x->fw->view.upstream)
        place_ranked(s, &placed);
    /* What ranking costs in scores it may cost in members: then the scores decide alone. */
    if (placed.code == MST_UNSCHEDULABLE)
        place_group(s, NULL, &placed);
    if (placed.code != MST_SUCCESS) {
        say(out, placed.code, placed.text);
        return;
    }
    mst_manner manner = mst_manner_of(x);
    mst_units_sort(x, manner, s->units.v, s->units.n);
    (void)mst_units_charge(x, manner, &s->units);
    mst_seats_set(&s->seats, placed.v, placed.n);
    s->victim_count = mst_reprieve(&s->seats, &s->units, s->victims);
    for (uint32_t i = 0; i < s->victim_count; i++)
        s->violations += s->victims[i].violations;
    s->proven = x->fw->view.upstream;
    found(s, out);
}

/* ---- profile muster ---- */

/*
 * Everything that may go, gone: where the group's own algorithm puts it; or, where that fails with
 * members that differ, any way to place them all.
 */
static bool place_somehow(struct search *s, int64_t *steps, struct mst_preemption *out)
{
    const struct mst_preempting_group *g = s->g;
    struct mst_trial_placement placed, ranked;
    place_group(s, NULL, &placed);
    if (placed.code == MST_UNSCHEDULABLE) {
        place_ranked(s, &ranked);
        placed = ranked.code == MST_SUCCESS ? ranked : placed;
    }
    if (placed.code == MST_SUCCESS) {
        mst_seats_set(&s->seats, placed.v, placed.n);
        return true;
    }
    say(out, placed.code, placed.text);
    if (placed.code != MST_UNSCHEDULABLE)
        return false;
    struct mst_assignment *all = MST_NEW_N(s->x->arena, struct mst_assignment, g->pod_count);
    for (uint32_t i = 0; i < g->pod_count; i++)
        all[i].pod = g->pods[i];
    mst_seats_set(&s->seats, all, g->pod_count);
    mst_seats_answer answer = mst_seats_find(&s->seats, steps);
    if (answer == MST_SEATS_UNKNOWN)
        out->message =
            mst_arena_printf(s->x->arena, "%.*s (not proven: the search budget is exhausted)",
                             MST_ARG(out->message));
    return answer == MST_SEATS_FOUND;
}

/* What a search from one placement came to. */
struct result {
    struct mst_unit *victims;
    uint32_t victim_count, violations;
    const struct mst_assignment *start, *seats; /* where it began, and where it ended */
    uint32_t seat_count;
    bool proven;
};

static const struct mst_assignment *seats_now(const struct search *s)
{
    struct mst_assignment *seats = MST_NEW_N(s->x->arena, struct mst_assignment, s->seats.n);
    for (uint32_t i = 0; i < s->seats.n; i++)
        seats[i] = s->seats.v[i].a;
    return seats;
}

/* All units are gone before and after. */
static struct result choose_better(struct search *s, int64_t *steps)
{
    struct mst_cluster *c = s->x->fw->view.cluster;
    struct result r = { .victims = MST_NEW_N(s->x->arena, struct mst_unit, s->units.n),
                        .start = seats_now(s),
                        .seat_count = s->seats.n };
    uint32_t mark = mst_txn_begin(c);
    r.proven = mst_choose_better(&s->seats, &s->units, true, steps, r.victims, &r.victim_count,
                                 &r.violations);
    r.seats = seats_now(s);
    mst_txn_rollback(c, mark);
    mst_seats_follow(&s->seats, &s->units);
    return r;
}

/* The victims as a choice among all units. */
static struct mst_choice choice_of(const struct search *s, const struct result *r)
{
    struct mst_choice choice = { .units = &s->units,
                                 .evicted = MST_NEW_N(s->x->arena, bool, s->units.n),
                                 .violations = r->violations };
    for (uint32_t i = 0; i < s->units.n; i++)
        for (uint32_t k = 0; k < r->victim_count; k++)
            choice.evicted[i] |= r->victims[k].pods == s->units.v[i].pods;
    return choice;
}

static bool is_better(const struct search *s, const struct result *a, const struct result *b)
{
    const struct mst_choice u = choice_of(s, a), v = choice_of(s, b);
    const bool smallest = s->x->fw->preemption.smallest;
    return mst_choice_compare(s->x, smallest ? MST_ORDER_SMALLEST : MST_ORDER_IMPORTANCE, &u, &v) <
           0;
}

static bool began_there(const struct result *r, const struct mst_trial_placement *placed)
{
    bool same = placed->n == r->seat_count;
    for (uint32_t i = 0; i < placed->n && same; i++)
        same = placed->v[i].pod == r->start[i].pod && placed->v[i].node == r->start[i].node;
    return same;
}

/*
 * A search that ended before its proof, or whose proof may not hold, depends on where it began.
 * From where the group's use condemns the least it may find something better, with a share of the
 * steps.
 */
static void try_ranked(struct search *s, struct result *best)
{
    int64_t steps = s->x->fw->preemption.search_steps / RANKED_SHARE;
    struct mst_trial_placement placed;
    place_ranked(s, &placed);
    if (placed.code != MST_SUCCESS || began_there(best, &placed))
        return;
    mst_seats_set(&s->seats, placed.v, placed.n);
    const struct result other = choose_better(s, &steps);
    const bool firmer = other.proven && !best->proven && !is_better(s, best, &other);
    if (firmer || is_better(s, &other, best))
        *best = other;
}

static void search_better(struct search *s, struct mst_preemption *out)
{
    int64_t steps = s->x->fw->preemption.search_steps;
    for (uint32_t i = 0; i < s->g->pod_count; i++)
        mst_seats_know(&s->seats, s->g->pods[i]); /* what skips only on the emptied cluster */
    take_all(s);
    if (!place_somehow(s, &steps, out))
        return;
    struct result best = choose_better(s, &steps);
    if (!best.proven || !s->seats.all_local)
        try_ranked(s, &best);
    s->victims = best.victims;
    s->victim_count = best.victim_count;
    s->violations = best.violations;
    s->proven = best.proven;
    mst_seats_set(&s->seats, best.seats, best.seat_count);
    found(s, out);
}

static void search(const struct mst_preempt *x, const struct mst_preempting_group *g,
                   const struct mst_units *units, struct mst_preemption *out)
{
    struct search s = {
        .x = x, .g = g, .units = *units, .victims = MST_NEW_N(x->arena, struct mst_unit, units->n)
    };
    mst_seats_begin(&s.seats, x, g->placer);
    if (!x->fw->view.upstream && x->fw->preemption.improve)
        search_better(&s, out);
    else
        search_as_upstream(&s, out);
    mst_seats_done(&s.seats);
}

void mst_preempt_group(const struct mst_preempt *x, const struct mst_preempting_group *g,
                       struct mst_preemption *out)
{
    struct mst_cluster *c = x->fw->view.cluster;
    *out =
        (struct mst_preemption){ .code = MST_UNSCHEDULABLE, .victims = { .node = MST_ROW_NONE } };
    struct mst_units units;
    mst_units_find(x, MST_ROW_NONE, c->groups.v[g->group].priority, &units);
    if (units.unknown_node != MST_SYM_NONE && x->fw->view.upstream) {
        struct mst_str name = mst_sym_str(c->syms, units.unknown_node);
        say(out, MST_ERROR,
            mst_arena_printf(x->arena,
                             "failed to create domain: failed to get node info for node \"%.*s\" "
                             "from snapshot: nodeinfo not found for node name \"%.*s\"",
                             MST_ARG(name), MST_ARG(name)));
        return;
    }
    if (answer_early(x, g, out))
        return;
    if (!units.n) {
        say(out, MST_UNRESOLVABLE, MST_STR("No preemption victims found for incoming preemptor"));
        return;
    }
    uint32_t mark = mst_txn_begin(c);
    search(x, g, &units, out);
    mst_txn_rollback(c, mark);
}

bool mst_preempt_fits(const struct mst_preempt *x, const struct mst_group_placer *placer,
                      const struct mst_assignment *v, uint32_t n, const uint32_t *gone,
                      uint32_t gone_count)
{
    struct mst_cluster *c = x->fw->view.cluster;
    uint32_t mark = mst_txn_begin(c);
    struct mst_seats seats;
    mst_seats_begin(&seats, x, placer);
    for (uint32_t i = 0; i < n; i++)
        mst_seats_know(&seats, v[i].pod);
    struct mst_unit all = { .pods = MST_NEW_N(x->arena, uint32_t, gone_count),
                            .rows = MST_NEW_N(x->arena, uint32_t, gone_count),
                            .n = gone_count };
    for (uint32_t i = 0; i < gone_count; i++) {
        all.pods[i] = gone[i];
        all.rows[i] = c->pods.v[gone[i]].node;
    }
    mst_seats_take(&seats, &all);
    mst_seats_set(&seats, v, n);
    bool fits = mst_seats_hold(&seats, NULL);
    mst_seats_done(&seats);
    mst_txn_rollback(c, mark);
    return fits;
}
