/*
 * extenders.c - HTTP extenders that preempt look at the candidates before one is chosen.
 *
 * One after the other gets the victims by node and answers with the nodes that stay and who has to
 * go there; what it answers replaces what was found.
 *
 * Invariants: an answer that is not there yet leaves nothing behind but the noted question; in
 *             profile muster everybody who goes is less important than the pod, units go whole,
 *             and the pod fits once they are gone.
 * Differs:    profile muster looks for the named pods in the whole cluster, completes units,
 *             refuses victims that do not make room, and also asks about nodes where nobody would
 *             have to go; profile upstream takes any pod of the node. Both name a pod once, however
 *             often the answer does.
 * Source:     spec/preemption.md 5 (P6), 9; kubernetes v1.37 framework/preemption (callExtenders),
 *             pkg/scheduler/extender.go (ProcessPreemption).
 */
#include "framework/extender.h"
#include "preempt/preempt_internal.h"

/* One extender's turn. */
struct turn {
    const struct mst_preempt *x;
    struct mst_seats *seats;
    uint32_t pod;
    const struct mst_cfg_extender *extender;
    struct mst_dry_runs *sent;
    struct mst_str error; /* absent: none */
};

static bool is_asked(const struct mst_preempt *x, uint32_t pod, uint32_t i)
{
    return x->fw->view.cluster->pods.v[pod].extenders >> i & 1 &&
           x->evals->asks->config->extenders.v[i].verbs[MST_VERB_PREEMPT].n;
}

bool mst_preempt_extended(const struct mst_preempt *x, uint32_t pod)
{
    for (uint32_t i = 0; x->evals->asks && i < x->evals->asks->config->extenders.n; i++)
        if (is_asked(x, pod, i))
            return true;
    return false;
}

/* ---- the question ---- */

static struct mst_ext_pod pod_named(const struct mst_cluster *c, uint32_t pod)
{
    const struct mst_pod_row *p = &c->pods.v[pod];
    return (struct mst_ext_pod){ mst_sym_str(c->syms, p->ns), p->name, p->uid };
}

static const struct mst_extender_answer *ask(const struct turn *t, uint32_t extender_i)
{
    const struct mst_cluster *c = t->x->fw->view.cluster;
    struct mst_extender_call call = {
        .extender = t->extender,
        .extender_i = extender_i,
        .verb = MST_VERB_PREEMPT,
        .pod = pod_named(c, t->pod),
        .victims = { MST_NEW_N(t->x->arena, struct mst_ext_victims, t->sent->n), t->sent->n },
    };
    for (uint32_t i = 0; i < t->sent->n; i++) {
        const struct mst_victims *from = &t->sent->v[i].victims;
        struct mst_ext_victims *to = &call.victims.v[i];
        to->node = mst_sym_str(c->syms, c->nodes.name[from->node]);
        to->pdb_violations = from->violations;
        to->pods.v = MST_NEW_N(t->x->arena, struct mst_ext_pod, from->n);
        for (uint32_t k = 0; k < from->n; k++)
            to->pods.v[to->pods.n++] = pod_named(c, from->pods[k]);
    }
    return mst_asks_get(t->x->evals->asks, &call);
}

/* ---- whom it names ---- */

static void refuse_pod(struct turn *t, const struct mst_ext_kept *kept, struct mst_str uid,
                       const char *why)
{
    t->error =
        mst_arena_printf(t->x->arena,
                         "extender: %.*s claims to preempt pod (UID: &{%.*s}) on node: "
                         "%.*s, but %s",
                         MST_ARG(t->extender->url_prefix), MST_ARG(uid), MST_ARG(kept->node), why);
}

static uint32_t pod_on_row(const struct mst_cluster *c, uint32_t row, struct mst_str uid)
{
    uint32_t pod = c->nodes.first_pod[row];
    while (pod != MST_ROW_NONE && !mst_str_eq(c->pods.v[pod].uid, uid))
        pod = c->pods.v[pod].node_next;
    return pod;
}

static uint32_t pod_anywhere(const struct mst_cluster *c, struct mst_str uid)
{
    for (uint32_t row = 0; row < c->nodes.count; row++) {
        const uint32_t pod = pod_on_row(c, row, uid);
        if (pod != MST_ROW_NONE)
            return pod;
    }
    return MST_ROW_NONE;
}

/* Profile upstream: pods of the node, in the answer's order. */
static bool name_pods(struct turn *t, const struct mst_ext_kept *kept, struct mst_dry_run *run)
{
    const struct mst_cluster *c = t->x->fw->view.cluster;
    uint32_t *pods = MST_NEW_N(t->x->arena, uint32_t, kept->uids.n);
    for (uint32_t i = 0; i < kept->uids.n; i++) {
        const uint32_t pod = pod_on_row(c, run->victims.node, kept->uids.v[i]);
        if (pod == MST_ROW_NONE) {
            refuse_pod(t, kept, kept->uids.v[i], "the pod is not found on that node");
            return false;
        }
        bool known = false;
        for (uint32_t k = 0; k < run->victims.n; k++)
            known |= pods[k] == pod;
        if (!known)
            pods[run->victims.n++] = pod;
    }
    run->victims.pods = pods;
    return true;
}

static const struct mst_unit *unit_with(const struct mst_cluster *c, const struct mst_units *units,
                                        struct mst_str uid)
{
    for (uint32_t i = 0; i < units->n; i++)
        for (uint32_t k = 0; k < units->v[i].n; k++)
            if (mst_str_eq(c->pods.v[units->v[i].pods[k]].uid, uid))
                return &units->v[i];
    return NULL;
}

/* Profile muster: whole units, by importance. */
static bool name_units(struct turn *t, const struct mst_ext_kept *kept, struct mst_dry_run *run)
{
    const struct mst_preempt *x = t->x;
    const struct mst_cluster *c = x->fw->view.cluster;
    const uint32_t row = run->victims.node;
    const int32_t below = c->pods.v[t->pod].priority;
    struct mst_units here, there;
    struct mst_units all = { .v = MST_NEW_N(x->arena, struct mst_unit, kept->uids.n) };
    mst_units_find(x, row, below, &here);
    for (uint32_t i = 0; i < kept->uids.n; i++) {
        const struct mst_str uid = kept->uids.v[i];
        const struct mst_unit *unit = unit_with(c, &here, uid);
        const uint32_t pod = unit ? unit->pods[0] : pod_anywhere(c, uid);
        if (pod == MST_ROW_NONE) {
            refuse_pod(t, kept, uid, "the pod is not found on any node");
            return false;
        }
        if (!unit) {
            mst_units_find(x, c->pods.v[pod].node, below, &there);
            unit = unit_with(c, &there, uid);
        }
        if (!unit) {
            refuse_pod(t, kept, uid, "its priority is not lower");
            return false;
        }
        if (!unit_with(c, &all, uid))
            all.v[all.n++] = *unit;
    }
    mst_units_sort(x, MST_AS_MUSTER, all.v, all.n);
    if (all.n && !mst_dry_fits(x, t->seats, row, &all)) {
        t->error = mst_arena_printf(x->arena,
                                    "extender: %.*s claims that the pod fits on node: %.*s without "
                                    "its victims, but it does not",
                                    MST_ARG(t->extender->url_prefix), MST_ARG(kept->node));
        return false;
    }
    mst_units_victims(x, all.v, all.n, row, &run->victims);
    run->units = MST_NEW_N(x->arena, struct mst_unit, all.n);
    for (uint32_t i = 0; i < all.n; i++)
        if (!mst_unit_leaves(x, &all.v[i]))
            run->units[run->unit_count++] = all.v[i];
    return true;
}

/* ---- the answer ---- */

static uint32_t clamp_violations(int64_t n)
{
    return (uint32_t)MST_MIN(MST_MAX(n, 0), (int64_t)UINT32_MAX);
}

/* It leaves the node's victims as they are. */
static bool repeats(const struct turn *t, const struct mst_ext_kept *kept,
                    const struct mst_victims *sent)
{
    const struct mst_cluster *c = t->x->fw->view.cluster;
    if (kept->uids.n != sent->n || kept->pdb_violations != sent->violations)
        return false;
    for (uint32_t i = 0; i < sent->n; i++)
        if (!mst_str_eq(kept->uids.v[i], c->pods.v[sent->pods[i]].uid))
            return false;
    return true;
}

static const struct mst_dry_run *run_on(const struct mst_dry_runs *runs, uint32_t row)
{
    for (uint32_t i = 0; i < runs->n; i++)
        if (runs->v[i].victims.node == row)
            return &runs->v[i];
    return NULL;
}

/* One node of the answer as a candidate. False: it makes no sense. */
static bool take_node(struct turn *t, const struct mst_ext_kept *kept, uint32_t row,
                      struct mst_dry_run *out)
{
    const bool upstream = t->x->fw->view.upstream;
    const struct mst_dry_run *sent = run_on(t->sent, row);
    if (!upstream && sent && repeats(t, kept, &sent->victims)) {
        *out = *sent;
        return true;
    }
    *out = (struct mst_dry_run){
        .code = MST_SUCCESS,
        .victims = { .node = row },
        .proven = upstream,
    };
    if (!(upstream ? name_pods(t, kept, out) : name_units(t, kept, out)))
        return false;
    out->victims.violations = clamp_violations(kept->pdb_violations);
    return true;
}

/* The answer as candidates, each node once: of keys that repeat the reader keeps the last. */
static bool take_answer(struct turn *t, const struct mst_extender_answer *answer,
                        struct mst_dry_runs *out)
{
    const struct mst_cluster *c = t->x->fw->view.cluster;
    *out = (struct mst_dry_runs){ MST_NEW_N(t->x->arena, struct mst_dry_run, answer->kept.n), 0 };
    for (uint32_t i = 0; i < answer->kept.n; i++) {
        const struct mst_str name = answer->kept.v[i].node;
        const mst_sym sym = mst_sym_find(c->syms, name);
        const uint32_t row =
            sym == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&c->nodes, sym);
        if (row == MST_ROW_NONE) {
            t->error = mst_arena_printf(t->x->arena, "nodeinfo not found for node name \"%.*s\"",
                                        MST_ARG(name));
            return false;
        }
        if (!take_node(t, &answer->kept.v[i], row, &out->v[out->n++]))
            return false;
    }
    return true;
}

/*
 * A node that had victims and comes back without any is no candidate for an ignorable extender, an
 * error of any other; one that was sent without victims waits for the next extender.
 */
static bool drop_emptied(struct turn *t, struct mst_dry_runs *runs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < runs->n; i++) {
        const uint32_t row = runs->v[i].victims.node;
        const struct mst_dry_run *sent = run_on(t->sent, row);
        if (runs->v[i].victims.n || (sent && !sent->victims.n)) {
            runs->v[kept++] = runs->v[i];
            continue;
        }
        if (t->extender->ignorable)
            continue;
        const struct mst_view *view = &t->x->fw->view;
        t->error =
            mst_arena_printf(t->x->arena, "expected at least one victim pod on node \"%.*s\"",
                             MST_ARG(mst_sym_str(view->syms, view->nodes->name[row])));
        return false;
    }
    runs->n = kept;
    return true;
}

mst_code mst_preempt_ask(const struct mst_preempt *x, struct mst_seats *seats, uint32_t pod,
                         struct mst_dry_runs *runs, struct mst_str *ret_error)
{
    struct turn t = { .x = x, .seats = seats, .pod = pod, .sent = runs };
    for (uint32_t i = 0; i < x->evals->asks->config->extenders.n && runs->n; i++) {
        if (!is_asked(x, pod, i))
            continue;
        struct mst_dry_runs answered;
        t.extender = &x->evals->asks->config->extenders.v[i];
        t.error = MST_STR_NONE;
        const struct mst_extender_answer *answer = ask(&t, i);
        if (!answer)
            return MST_WAIT;
        if (answer->error.p)
            t.error = answer->error;
        const bool usable = !t.error.p && take_answer(&t, answer, &answered);
        if (!usable && t.extender->ignorable)
            continue;
        if (!usable || !drop_emptied(&t, &answered)) {
            *ret_error = mst_arena_str(x->arena, t.error);
            return MST_ERROR;
        }
        *runs = answered;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < runs->n; i++)
        if (runs->v[i].victims.n)
            runs->v[kept++] = runs->v[i];
    runs->n = kept;
    return MST_SUCCESS;
}
