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

/* ---- may it? ---- */

/* A victim of before is still leaving a node that some member is nominated to. */
static bool is_ongoing(const struct mst_cluster *c, const struct mst_preempting_group *g)
{
    int32_t priority = c->groups.v[g->group].priority;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        mst_sym name = c->pods.v[g->pods[i]].status_nominated;
        uint32_t row =
            name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&c->nodes, name);
        uint32_t pod = row == MST_ROW_NONE ? (uint32_t)MST_ROW_NONE : c->nodes.first_pod[row];
        for (; pod != MST_ROW_NONE; pod = c->pods.v[pod].node_next)
            if (mst_pod_preempted(&c->pods.v[pod]) && mst_unit_priority(c, pod) < priority)
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
    bool ongoing = (!g->never || !upstream) && is_ongoing(x->fw->view.cluster, g);
    if (ongoing) {
        keep_seats(x, g, out);
        return true;
    }
    if (g->never)
        say(out, MST_UNSCHEDULABLE, MST_STR("not eligible due to preemptionPolicy=Never."));
    return g->never;
}

/* ---- the search ---- */

struct member {
    struct mst_assignment a;
    struct mst_eval *eval; /* of its class, shared */
    bool local;            /* its filters read nothing but the node */
};

struct search {
    const struct mst_preempt *x;
    const struct mst_preempting_group *g;
    struct member *members;
    uint32_t n;
    MST_VEC(struct mst_eval *) evals; /* one per class */
    bool all_local;
    /* Members by row: first member, then next; only what a unit's rows hold has to be asked. */
    uint32_t *first, *next;
};

static bool is_local(const struct search *s, const struct member *m)
{
    const struct mst_framework *fw = s->x->fw;
    uint64_t asked = m->eval->counting & ~m->eval->skipped;
    if (fw->view.upstream)
        asked &= ~m->a.skips;
    return !asked && !mst_cluster_class(fw->view.cluster, m->eval->class_id)->volumes;
}

static struct mst_eval *eval_of(struct search *s, uint32_t pod)
{
    uint32_t class_id = s->x->fw->view.cluster->pods.v[pod].class_id;
    for (uint32_t i = 0; i < s->evals.n; i++)
        if (s->evals.v[i]->class_id == class_id)
            return s->evals.v[i];
    struct mst_eval *eval = mst_eval_single(s->x->evals, s->x->fw, pod);
    mst_eval_dry_begin(eval);
    mst_vec_push(&s->evals, eval);
    return eval;
}

static void begin(struct search *s, const struct mst_trial_placement *placed)
{
    uint32_t rows = s->x->fw->view.nodes->count;
    s->members = MST_NEW_N(s->x->arena, struct member, placed->n);
    s->n = placed->n;
    s->first = mst_arena_alloc(s->x->arena, rows * sizeof(uint32_t));
    s->next = mst_arena_alloc(s->x->arena, placed->n * sizeof(uint32_t));
    for (uint32_t row = 0; row < rows; row++)
        s->first[row] = MST_ROW_NONE;
    s->all_local = true;
    for (uint32_t i = placed->n; i-- > 0;) {
        struct member *m = &s->members[i];
        *m = (struct member){ .a = placed->v[i], .eval = eval_of(s, placed->v[i].pod) };
        m->local = is_local(s, m);
        s->all_local &= m->local;
        s->next[i] = s->first[m->a.node];
        s->first[m->a.node] = i;
    }
}

static void end(struct search *s)
{
    for (uint32_t i = 0; i < s->evals.n; i++)
        mst_eval_free(s->evals.v[i]);
    mst_vec_done(&s->evals);
}

/* Counters of every class that counts see the row. */
static void row_changed(struct search *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->evals.n; i++)
        mst_eval_dry_row_changed(s->evals.v[i], row);
}

static bool fits(const struct search *s, const struct member *m)
{
    /* Upstream goes on skipping what skipped when the cluster was empty; muster asks everybody. */
    m->eval->skips_now = s->x->fw->view.upstream ? m->a.skips : 0;
    return mst_eval_verdict(m->eval, m->a.pod, m->a.node) == MST_VERDICT_OK;
}

static void place(struct search *s, const struct member *m)
{
    mst_cluster_place(s->x->fw->view.cluster, m->a.pod, m->a.node);
    row_changed(s, m->a.node);
    if (!m->local)
        s->g->placer->reserve(s->g->placer->ctx, m->a.pod);
}

static void unplace(struct search *s, const struct member *m)
{
    if (!m->local)
        s->g->placer->unreserve(s->g->placer->ctx, m->a.pod);
    mst_cluster_unplace(s->x->fw->view.cluster, m->a.pod);
    row_changed(s, m->a.node);
}

/* All members in order, each with those before it in place. */
static bool all_fit(struct search *s)
{
    uint32_t placed = 0;
    while (placed < s->n && fits(s, &s->members[placed]))
        place(s, &s->members[placed++]);
    bool all = placed == s->n;
    while (placed > 0)
        unplace(s, &s->members[--placed]);
    return all;
}

/* The same for the members of one row: without counting plugins nothing elsewhere matters. */
static bool row_fits(struct search *s, uint32_t row)
{
    uint32_t at = s->first[row];
    while (at != MST_ROW_NONE && fits(s, &s->members[at])) {
        place(s, &s->members[at]);
        at = s->next[at];
    }
    for (uint32_t i = s->first[row]; i != at; i = s->next[i])
        unplace(s, &s->members[i]);
    return at == MST_ROW_NONE;
}

static bool stays(struct search *s, const struct mst_unit *unit)
{
    if (!s->all_local)
        return all_fit(s);
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE && !row_fits(s, unit->rows[i]))
            return false;
    return true;
}

static void give_back(struct search *s, const struct mst_unit *unit)
{
    mst_unit_give_back(s->x, NULL, unit);
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE)
            row_changed(s, unit->rows[i]);
}

static void take(struct search *s, const struct mst_unit *unit)
{
    mst_unit_take(s->x, NULL, unit);
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE)
            row_changed(s, unit->rows[i]);
}

/* Units come back in order; the ones that cannot are moved to `victims`. Returns how many. */
static uint32_t reprieve(struct search *s, const struct mst_units *units, struct mst_unit *victims)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < units->n; i++) {
        give_back(s, &units->v[i]);
        if (stays(s, &units->v[i]))
            continue;
        take(s, &units->v[i]);
        victims[n++] = units->v[i];
    }
    return n;
}

static void found(const struct mst_preempt *x, const struct mst_trial_placement *placed,
                  struct mst_unit *victims, uint32_t n, struct mst_preemption *out)
{
    mst_units_sort(x, victims, n);
    mst_units_victims(x, victims, n, MST_ROW_NONE, &out->victims);
    struct mst_nomination *seats = MST_NEW_N(x->arena, struct mst_nomination, placed->n);
    for (uint32_t i = 0; i < placed->n; i++)
        seats[i] = (struct mst_nomination){ placed->v[i].pod, placed->v[i].node };
    out->nominations = seats;
    out->nomination_count = placed->n;
    say(out, MST_SUCCESS,
        mst_arena_printf(x->arena, "found a placement for podgroup, preempting %u victims",
                         out->victims.n));
}

/* On the open transaction: places the group with all units gone and takes its pods off again. */
static bool place_on_emptied(const struct mst_preempt *x, const struct mst_preempting_group *g,
                             const struct mst_units *units, struct mst_trial_placement *placed,
                             struct mst_preemption *out)
{
    struct mst_cluster *c = x->fw->view.cluster;
    for (uint32_t i = 0; i < units->n; i++)
        mst_unit_take(x, NULL, &units->v[i]);
    uint32_t mark = mst_txn_begin(c);
    g->placer->place(g->placer->ctx, placed);
    for (uint32_t i = g->pod_count; i-- > 0;)
        g->placer->unreserve(g->placer->ctx, g->pods[i]);
    mst_txn_rollback(c, mark);
    if (placed->code != MST_SUCCESS)
        say(out, placed->code, placed->text);
    return placed->code == MST_SUCCESS;
}

static void search(const struct mst_preempt *x, const struct mst_preempting_group *g,
                   struct mst_units *units, struct mst_preemption *out)
{
    struct mst_trial_placement placed = { .code = MST_ERROR };
    if (!place_on_emptied(x, g, units, &placed, out))
        return;
    mst_units_sort(x, units->v, units->n);
    (void)mst_units_charge(x, units);
    struct search s = { .x = x, .g = g };
    begin(&s, &placed);
    struct mst_unit *victims = MST_NEW_N(x->arena, struct mst_unit, units->n);
    uint32_t n = reprieve(&s, units, victims);
    end(&s);
    found(x, &placed, victims, n, out);
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
