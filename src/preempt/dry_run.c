/*
 * dry_run.c - one node: everybody who may go goes, then as many as possible come back.
 *
 * Invariants: the greedy order is upstream's: units that violate a budget come back first, in both
 *             lists the most important first; a unit comes back whole or not at all.
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
static bool fits_when_all_gone(const struct mst_preempt *x, struct mst_eval *eval, uint32_t pod,
                               uint32_t row, const struct mst_units *units, struct mst_dry_run *out)
{
    for (uint32_t i = 0; i < units->n; i++)
        mst_unit_take(x, eval, &units->v[i]);
    mst_verdict verdict = mst_eval_verdict(eval, pod, row);
    if (verdict == MST_VERDICT_OK)
        return true;
    out->code = verdict & MST_VERDICT_UNRESOLVABLE ? MST_UNRESOLVABLE : MST_UNSCHEDULABLE;
    mst_eval_reasons(eval, row, verdict, &out->reasons);
    return false;
}

/* Lets units come back; returns the ones that cannot, in `victims`. */
static uint32_t reprieve(const struct mst_preempt *x, struct mst_eval *eval, uint32_t pod,
                         uint32_t row, const struct mst_units *units, struct mst_unit *victims)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < units->n; i++) {
        mst_unit_give_back(x, eval, &units->v[i]);
        if (mst_eval_verdict(eval, pod, row) == MST_VERDICT_OK)
            continue;
        mst_unit_take(x, eval, &units->v[i]);
        victims[n++] = units->v[i];
    }
    return n;
}

static void choose(const struct mst_preempt *x, struct mst_eval *eval, uint32_t pod, uint32_t row,
                   struct mst_units *units, struct mst_dry_run *out)
{
    if (!fits_when_all_gone(x, eval, pod, row, units, out))
        return;
    mst_units_sort(x, units->v, units->n);
    uint32_t violating = mst_units_charge(x, units);
    struct mst_unit *victims = MST_NEW_N(x->arena, struct mst_unit, units->n);
    uint32_t n = reprieve(x, eval, pod, row, units, victims);
    if (violating && violating < units->n)
        mst_units_sort(x, victims, n);
    mst_units_victims(x, victims, n, row, &out->victims);
    if (n)
        return;
    struct mst_str name = mst_sym_str(x->fw->view.syms, x->fw->view.nodes->name[row]);
    if (x->fw->view.upstream)
        say(out, MST_ERROR,
            mst_arena_printf(x->arena, "expected at least one victim pod on node \"%.*s\"",
                             MST_ARG(name)));
    else
        say(out, MST_UNRESOLVABLE, MST_STR("No preemption victims found for incoming pod"));
}

/* Counters that followed the pods about see them where they were again. */
static void follow_back(struct mst_eval *eval, const struct mst_units *units)
{
    for (uint32_t i = 0; eval->counting && i < units->n; i++)
        for (uint32_t k = 0; k < units->v[i].n; k++)
            if (units->v[i].rows[k] != MST_ROW_NONE)
                mst_eval_dry_row_changed(eval, units->v[i].rows[k]);
}

void mst_dry_run(const struct mst_preempt *x, struct mst_eval *eval, uint32_t pod, uint32_t row,
                 struct mst_dry_run *out)
{
    struct mst_cluster *c = x->fw->view.cluster;
    struct mst_units units;
    *out = (struct mst_dry_run){ .code = MST_SUCCESS, .reasons = { .arena = x->arena } };
    mst_units_find(x, row, c->pods.v[pod].priority, &units);
    if (refuse_unknown(x, units.unknown_node, out))
        return;
    if (!units.n) {
        say(out, MST_UNRESOLVABLE, MST_STR("No preemption victims found for incoming pod"));
        return;
    }
    uint64_t change = mst_nodes_change_end(&c->nodes);
    uint32_t mark = mst_txn_begin(c);
    choose(x, eval, pod, row, &units, out);
    mst_txn_rollback(c, mark);
    mst_nodes_forget_changes(&c->nodes, change);
    follow_back(eval, &units);
}
