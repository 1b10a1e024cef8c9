/*
 * dry_run.c - one node: everybody who may go goes, then as many as possible come back.
 *
 * Upstream's order of coming back: units that violate a budget first, in both lists the most
 * important first. Profile muster looks for the best set instead (improve.c); where it cannot prove
 * that it has it, it takes upstream's if that is better.
 *
 * Invariants: a unit comes back whole or not at all.
 * Source:     spec/preemption.md 5; kubernetes v1.37 defaultpreemption (SelectVictimsOnNode).
 */
#include "preempt/preempt_internal.h"

static void say(struct mst_dry_run *out, mst_code code, struct mst_str reason)
{
    out->code = code;
    mst_reason_add(&out->reasons, reason);
}

/*
 * Upstream cannot look at a unit that has a pod on a node it does not know; profile muster takes
 * such a pod as a victim like the others that happens to free nothing.
 */
static bool refuse_unknown(const struct mst_preempt *x, mst_sym node, struct mst_dry_run *out)
{
    if (node == MST_SYM_NONE || !x->fw->view.upstream)
        return false;
    struct mst_str name = mst_sym_str(x->fw->view.syms, node);
    say(out, MST_ERROR,
        mst_arena_printf(x->arena,
                         "failed to get node info for node \"%.*s\" from snapshot: nodeinfo not "
                         "found for node name \"%.*s\"",
                         MST_ARG(name), MST_ARG(name)));
    return true;
}

/* With everybody gone the pod must fit, or this node is none. */
static bool fits_when_all_gone(struct mst_seats *seats, uint32_t row, const struct mst_units *units,
                               struct mst_dry_run *out)
{
    struct mst_eval *eval = seats->v[0].eval;
    for (uint32_t i = 0; i < units->n; i++)
        mst_seats_take(seats, &units->v[i]);
    mst_verdict verdict = mst_eval_verdict(eval, seats->v[0].a.pod, row);
    if (verdict == MST_VERDICT_OK)
        return true;
    if (seats->x->fw->view.upstream && mst_eval_is_error(eval, verdict)) {
        say(out, MST_ERROR, mst_eval_error_text(eval, row, verdict, seats->x->arena));
        return false;
    }
    out->code = verdict & MST_VERDICT_UNRESOLVABLE ? MST_UNRESOLVABLE : MST_UNSCHEDULABLE;
    mst_eval_reasons(eval, row, verdict, &out->reasons);
    return false;
}

uint32_t mst_reprieve(struct mst_seats *seats, const struct mst_units *units,
                      struct mst_unit *victims)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < units->n; i++) {
        mst_seats_give_back(seats, &units->v[i]);
        if (mst_seats_hold(seats, &units->v[i]))
            continue;
        mst_seats_take(seats, &units->v[i]);
        victims[n++] = units->v[i];
    }
    return n;
}

/* Upstream's choice. All units are gone before and, but for those kept, after. */
static uint32_t choose_as_upstream(const struct mst_preempt *x, struct mst_seats *seats,
                                   struct mst_units *units, struct mst_unit *victims)
{
    mst_units_sort(x, MST_AS_UPSTREAM, units->v, units->n);
    uint32_t violating = mst_units_charge(x, MST_AS_UPSTREAM, units);
    uint32_t n = mst_reprieve(seats, units, victims);
    if (violating && violating < units->n)
        mst_units_sort(x, MST_AS_UPSTREAM, victims, n);
    return n;
}

/* What upstream would evict, as a choice among the units in muster's order. */
static void choice_as_upstream(struct mst_seats *seats, const struct mst_units *units,
                               struct mst_choice *out)
{
    const struct mst_preempt *x = seats->x;
    struct mst_units copy = { .v = MST_NEW_N(x->arena, struct mst_unit, units->n), .n = units->n };
    struct mst_unit *victims = MST_NEW_N(x->arena, struct mst_unit, units->n);
    if (units->n)
        memcpy(copy.v, units->v, units->n * sizeof(*copy.v));
    uint32_t n = choose_as_upstream(x, seats, &copy, victims);
    *out = (struct mst_choice){ .units = units, .evicted = MST_NEW_N(x->arena, bool, units->n) };
    for (uint32_t i = 0; i < units->n; i++)
        for (uint32_t k = 0; k < n; k++)
            out->evicted[i] |= victims[k].pods == units->v[i].pods;
    out->violations = mst_choice_violations(x, units, out->evicted);
}

static uint32_t collect(const struct mst_choice *choice, struct mst_unit *victims)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < choice->units->n; i++)
        if (choice->evicted[i])
            victims[n++] = choice->units->v[i];
    return n;
}

bool mst_choose_better(struct mst_seats *seats, struct mst_units *units, bool movable,
                       int64_t *steps, struct mst_unit *victims, uint32_t *ret_n,
                       uint32_t *ret_violations)
{
    const struct mst_preempt *x = seats->x;
    const struct mst_preemption_args *args = &x->fw->preemption;
    mst_victim_order order = args->smallest ? MST_ORDER_SMALLEST : MST_ORDER_IMPORTANCE;
    uint32_t *rows = MST_NEW_N(x->arena, uint32_t, seats->n);
    for (uint32_t i = 0; i < seats->n; i++)
        rows[i] = seats->v[i].a.node;
    mst_units_sort(x, MST_AS_MUSTER, units->v, units->n);
    struct mst_choice best, other;
    bool proven = mst_improve(seats, units, order, movable, steps, &best);
    if (!proven) {
        uint32_t *better_rows = MST_NEW_N(x->arena, uint32_t, seats->n);
        for (uint32_t i = 0; i < seats->n; i++)
            better_rows[i] = seats->v[i].a.node;
        for (uint32_t i = 0; i < units->n; i++)
            if (!best.evicted[i])
                mst_seats_take(seats, &units->v[i]);
        mst_seats_move(seats, rows);
        choice_as_upstream(seats, units, &other);
        if (mst_choice_compare(x, order, &other, &best) < 0)
            best = other;
        else
            mst_seats_move(seats, better_rows);
    }
    *ret_n = collect(&best, victims);
    *ret_violations = best.violations;
    return proven;
}

/* Those that do not leave anyway: what choices between nodes are compared by. */
static void keep_live(const struct mst_preempt *x, const struct mst_unit *victims, uint32_t n,
                      struct mst_dry_run *out)
{
    out->units = MST_NEW_N(x->arena, struct mst_unit, n);
    for (uint32_t i = 0; i < n; i++)
        if (!mst_unit_leaves(x, &victims[i]))
            out->units[out->unit_count++] = victims[i];
}

static void choose(const struct mst_preempt *x, struct mst_seats *seats, uint32_t row,
                   struct mst_units *units, int64_t *steps, struct mst_dry_run *out)
{
    if (!fits_when_all_gone(seats, row, units, out))
        return;
    struct mst_unit *victims = MST_NEW_N(x->arena, struct mst_unit, units->n);
    uint32_t n, violations = 0;
    bool better = !x->fw->view.upstream && x->fw->preemption.improve;
    mst_seats_move(seats, &row);
    if (better)
        out->proven = mst_choose_better(seats, units, false, steps, victims, &n, &violations);
    else
        n = choose_as_upstream(x, seats, units, victims);
    mst_units_victims(x, victims, n, row, &out->victims);
    if (better)
        out->victims.violations = violations;
    keep_live(x, victims, n, out);
    if (n)
        return;
    struct mst_str name = mst_sym_str(x->fw->view.syms, x->fw->view.nodes->name[row]);
    if (x->fw->view.upstream)
        say(out, MST_ERROR,
            mst_arena_printf(x->arena, "expected at least one victim pod on node \"%.*s\"",
                             MST_ARG(name)));
    else
        say(out, mst_preempt_extended(x, seats->v[0].a.pod) ? MST_SUCCESS : MST_UNRESOLVABLE,
            MST_STR("No preemption victims found for incoming pod"));
}

/* Counters that followed the pods about see them where they were again. */
static void follow_back(struct mst_eval *eval, const struct mst_units *units)
{
    for (uint32_t i = 0; eval->counting && i < units->n; i++)
        for (uint32_t k = 0; k < units->v[i].n; k++)
            if (units->v[i].rows[k] != MST_ROW_NONE)
                mst_eval_dry_row_changed(eval, units->v[i].rows[k]);
}

bool mst_dry_fits(const struct mst_preempt *x, struct mst_seats *seats, uint32_t row,
                  const struct mst_units *units)
{
    struct mst_cluster *c = x->fw->view.cluster;
    struct mst_dry_run ignored = { .reasons = { .arena = x->arena } };
    uint64_t change = mst_nodes_change_end(&c->nodes);
    uint32_t mark = mst_txn_begin(c);
    bool fits = fits_when_all_gone(seats, row, units, &ignored);
    mst_txn_rollback(c, mark);
    mst_nodes_forget_changes(&c->nodes, change);
    follow_back(seats->v[0].eval, units);
    return fits;
}

void mst_dry_run(const struct mst_preempt *x, struct mst_seats *seats, uint32_t row, int64_t *steps,
                 struct mst_dry_run *out)
{
    struct mst_cluster *c = x->fw->view.cluster;
    struct mst_units units;
    *out = (struct mst_dry_run){ .code = MST_SUCCESS,
                                 .proven = true,
                                 .reasons = { .arena = x->arena } };
    mst_units_find(x, row, c->pods.v[seats->v[0].a.pod].priority, &units);
    out->lasting = units.lasting;
    if (refuse_unknown(x, units.unknown_node, out))
        return;
    if (!units.n) {
        say(out, MST_UNRESOLVABLE, MST_STR("No preemption victims found for incoming pod"));
        return;
    }
    uint64_t change = mst_nodes_change_end(&c->nodes), stamp = c->nodes.stamp[row];
    uint32_t mark = mst_txn_begin(c);
    choose(x, seats, row, &units, steps, out);
    mst_txn_rollback(c, mark);
    mst_nodes_forget_changes(&c->nodes, change);
    if (units.lasting)
        c->nodes.stamp[row] = stamp; /* nobody was moved elsewhere */
    follow_back(seats->v[0].eval, &units);
}
