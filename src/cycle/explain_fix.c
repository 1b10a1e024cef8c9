/*
 * explain_fix.c - the smallest change that would let a pending group or pod run.
 *
 * Tried on the transaction of the trial: a node like an existing one is that very node with its
 * pods taken off, so every plugin judges it as it would judge the real new node (its host name
 * aside).
 */
#include "cycle/explain_internal.h"

enum { FIXES_MAX = 8, SHAPES_MAX = 32, NEW_NODES_MAX = 100000 };

static struct mst_fix *add(struct mst_explanation *out, struct mst_fix fix)
{
    if (out->fixes.n == FIXES_MAX)
        return NULL;
    out->fixes.v[out->fixes.n] = fix;
    return &out->fixes.v[out->fixes.n++];
}

/* ---- things that have to exist or go first ---- */

static void fix_existence(const struct mst_trial *t, struct mst_explanation *out)
{
    const struct mst_group_row *g = &t->engine->cluster.groups.v[t->id];
    if (!g->known) {
        add(out,
            (struct mst_fix){ .kind = MST_FIX_GATES,
                              .text = mst_arena_printf(t->arena, "create the PodGroup %.*s/%.*s",
                                                       MST_ARG(out->ns), MST_ARG(out->name)) });
        return;
    }
    if (out->members < t->min_count) {
        uint32_t missing = (uint32_t)(t->min_count - out->members);
        add(out, (struct mst_fix){
                     .kind = MST_FIX_MEMBERS,
                     .count = missing,
                     .text = mst_arena_printf(
                         t->arena, "create %u more pod%s of the group (it has %u of %lld)", missing,
                         missing == 1 ? "" : "s", out->members, (long long)t->min_count) });
    }
}

static void fix_gates(const struct mst_trial *t, struct mst_explanation *out)
{
    const struct mst_cluster *c = &t->engine->cluster;
    uint32_t gated = 0, example = MST_ROW_NONE;
    for (uint32_t i = 0; i < t->member_count; i++)
        if (c->pods.v[t->members[i].pod].gates.n) {
            example = gated++ ? example : t->members[i].pod;
        }
    if (!gated)
        return;
    struct mst_str key = mst_engine_pod_key(t->engine, t->arena, example);
    struct mst_str gates = c->pods.v[example].gates;
    struct mst_str text =
        gated == 1
            ? mst_arena_printf(t->arena, "remove the scheduling gates of %.*s: %.*s", MST_ARG(key),
                               MST_ARG(gates))
            : mst_arena_printf(t->arena, "remove the scheduling gates of %u pods (%.*s: %.*s, ...)",
                               gated, MST_ARG(key), MST_ARG(gates));
    add(out, (struct mst_fix){ .kind = MST_FIX_GATES, .count = gated, .text = text });
}

/* Members that break a rule are refused before anybody looks for room. True if they are. */
static bool fix_rules(const struct mst_trial *t, struct mst_explanation *out)
{
    struct mst_group_try members = {
        .group = t->id, .fw = t->fw, .members = t->members, .member_count = t->member_count
    };
    bool error;
    struct mst_str text = mst_group_refusal(t->engine, &members, &error);
    if (!text.p || !error)
        return false;
    out->feasible = false;
    add(out, (struct mst_fix){ .kind = MST_FIX_GATES,
                               .text = mst_arena_printf(t->arena, "make the members agree: %.*s",
                                                        MST_ARG(text)) });
    return true;
}

static void fix_min_count(const struct mst_trial *t, struct mst_explanation *out)
{
    uint32_t could = t->scheduled + t->placed;
    if (out->policy != MST_POLICY_GANG || !t->placed || could >= t->min_count ||
        out->members < t->min_count)
        return;
    add(out, (struct mst_fix){ .kind = MST_FIX_MIN_COUNT,
                               .count = could,
                               .text = mst_arena_printf(t->arena, "lower minCount from %lld to %u",
                                                        (long long)t->min_count, could) });
}

/* ---- free a resource ---- */

/* What one more pod of this usage lacks on the row; 0 resources: something else is wrong. */
static uint32_t shortages(const struct mst_nodes *nodes, const struct mst_usage *u, uint32_t row,
                          uint32_t *ret_resource, int64_t *ret_amount)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->amounts.n; i++) {
        uint32_t r = u->amounts.v[i].resource;
        int64_t lack =
            u->amounts.v[i].amount - (nodes->allocatable[r][row] - nodes->requested[r][row]);
        if (lack <= 0)
            continue;
        n++;
        *ret_resource = r;
        *ret_amount = lack;
    }
    return n;
}

/* The node that lacks the smallest share of one resource and nothing else. */
static void fix_free(const struct mst_trial *t, const struct mst_member *m,
                     struct mst_explanation *out)
{
    struct mst_cluster *c = &t->engine->cluster;
    struct mst_eval *eval = mst_eval_of(&t->engine->evals, t->fw, m->pod);
    const struct mst_usage *u = mst_cluster_usage(c, mst_cluster_class(c, eval->class_id)->usage);
    uint32_t fit = mst_framework_slot(t->fw, "NodeResourcesFit");
    const uint32_t *rank = mst_nodes_rank(&c->nodes);
    uint32_t best = MST_ROW_NONE, best_resource = 0;
    int64_t best_amount = 0;
    double best_share = 0;
    for (uint32_t row = 0; row < c->nodes.count && eval->pre_code == MST_SUCCESS; row++) {
        mst_verdict v = eval->verdict[row];
        uint32_t resource;
        int64_t amount;
        if (v == MST_VERDICT_OK || v & MST_VERDICT_UNRESOLVABLE || mst_verdict_slot(v) != fit ||
            c->nodes.pods_allowed[row] <= c->nodes.pod_count[row] ||
            shortages(&c->nodes, u, row, &resource, &amount) != 1)
            continue;
        double share = (double)amount / (double)MST_MAX(c->nodes.allocatable[resource][row], 1);
        if (best != MST_ROW_NONE &&
            (share > best_share || (share == best_share && rank[row] > rank[best])))
            continue;
        best = row;
        best_resource = resource;
        best_amount = amount;
        best_share = share;
    }
    if (best == MST_ROW_NONE)
        return;
    struct mst_str name = mst_sym_str(c->syms, c->nodes.resource_name[best_resource]);
    struct mst_str node = mst_sym_str(c->syms, c->nodes.name[best]);
    struct mst_str amount = mst_amount_text(t, best_resource, best_amount);
    add(out, (struct mst_fix){ .kind = MST_FIX_FREE,
                               .count = 1,
                               .node = node,
                               .resource = name,
                               .amount = best_amount,
                               .text = mst_arena_printf(t->arena, "free %.*s %.*s on node %.*s",
                                                        MST_ARG(amount), MST_ARG(name),
                                                        MST_ARG(node)) });
}

/* ---- add nodes ---- */

static bool same_shape(const struct mst_nodes *nodes, uint32_t a, uint32_t b, mst_sym hostname)
{
    if (nodes->taint_set[a] != nodes->taint_set[b] ||
        nodes->unschedulable[a] != nodes->unschedulable[b] ||
        nodes->pods_allowed[a] != nodes->pods_allowed[b])
        return false;
    for (uint32_t r = 0; r < nodes->resource_count; r++)
        if (nodes->allocatable[r][a] != nodes->allocatable[r][b])
            return false;
    struct mst_label_set x = nodes->label_sets.v[nodes->label_set[a]];
    struct mst_label_set y = nodes->label_sets.v[nodes->label_set[b]];
    if (x.n != y.n)
        return false;
    for (uint32_t i = 0; i < x.n; i++)
        if (x.v[i].key != y.v[i].key || (x.v[i].value != y.v[i].value && x.v[i].key != hostname))
            return false;
    return true;
}

/* One row of each shape, lowest names first. */
static uint32_t find_shapes(struct mst_cluster *c, struct mst_arena *arena, uint32_t *out)
{
    const uint32_t *rank = mst_nodes_rank(&c->nodes);
    mst_sym hostname = mst_sym_of_text(c->syms, "kubernetes.io/hostname");
    uint32_t *row_at = MST_NEW_N(arena, uint32_t, c->nodes.count);
    for (uint32_t row = 0; row < c->nodes.count; row++)
        row_at[rank[row]] = row;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nodes.count && n < SHAPES_MAX; i++) {
        uint32_t k = 0;
        while (k < n && !same_shape(&c->nodes, out[k], row_at[i], hostname))
            k++;
        if (k == n)
            out[n++] = row_at[i];
    }
    return n;
}

static void empty_row(struct mst_cluster *c, uint32_t row)
{
    while (c->nodes.first_pod[row] != MST_ROW_NONE)
        mst_cluster_unplace(c, c->nodes.first_pod[row]);
}

static bool takes(const struct mst_trial *t, uint32_t pod, uint32_t row)
{
    struct mst_eval *eval = mst_eval_of(&t->engine->evals, t->fw, pod);
    return eval->pre_code == MST_SUCCESS && mst_eval_allows(eval, row) &&
           mst_eval_verdict(eval, pod, row) == MST_VERDICT_OK;
}

/* How many empty nodes like `row` the missing members need; 0: none of them would do. */
static uint32_t nodes_needed(const struct mst_trial *t, uint32_t row, uint32_t missing)
{
    struct mst_cluster *c = &t->engine->cluster;
    uint32_t nodes = 1, placed = 0;
    uint32_t mark = mst_txn_begin(c);
    empty_row(c, row);
    for (uint32_t i = 0; i < t->member_count && placed < missing; i++) {
        if (t->members[i].state != MST_MEMBER_REJECTED)
            continue;
        uint32_t pod = t->members[i].pod;
        if (!takes(t, pod, row)) {
            if (c->nodes.first_pod[row] == MST_ROW_NONE || nodes == NEW_NODES_MAX)
                continue; /* not even an empty one takes it */
            empty_row(c, row);
            nodes++;
            if (!takes(t, pod, row))
                continue;
        }
        mst_cluster_place(c, pod, row);
        mst_engine_reserve(t->engine, t->fw, pod);
        placed++;
    }
    for (uint32_t i = t->member_count; i-- > 0;)
        if (t->members[i].state == MST_MEMBER_REJECTED)
            mst_engine_unreserve(t->engine, t->members[i].pod, true);
    mst_txn_rollback(c, mark);
    return placed >= missing ? nodes : 0;
}

static void fix_nodes(const struct mst_trial *t, uint32_t missing, struct mst_explanation *out)
{
    struct mst_cluster *c = &t->engine->cluster;
    uint32_t shapes[SHAPES_MAX];
    uint32_t n = find_shapes(c, t->arena, shapes);
    uint32_t best = MST_ROW_NONE, best_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = nodes_needed(t, shapes[i], missing);
        if (count && (best == MST_ROW_NONE || count < best_count)) {
            best = shapes[i];
            best_count = count;
        }
    }
    if (best == MST_ROW_NONE)
        return;
    struct mst_str node = mst_sym_str(c->syms, c->nodes.name[best]);
    add(out,
        (struct mst_fix){ .kind = MST_FIX_NODES,
                          .count = best_count,
                          .node = node,
                          .text = mst_arena_printf(t->arena, "add %u node%s like %.*s", best_count,
                                                   best_count == 1 ? "" : "s", MST_ARG(node)) });
}

void mst_explain_fixes(const struct mst_trial *t, struct mst_explanation *out)
{
    out->fixes.v = MST_NEW_N(t->arena, struct mst_fix, FIXES_MAX);
    if (t->group)
        fix_existence(t, out);
    if (t->group && t->member_count && fix_rules(t, out))
        return;
    fix_gates(t, out);
    uint32_t missing = mst_trial_missing(t);
    const struct mst_member *refused = NULL;
    for (uint32_t i = 0; i < t->member_count && !refused; i++)
        if (t->members[i].state == MST_MEMBER_REJECTED)
            refused = &t->members[i];
    /* What an extender would say of a changed cluster nobody knows. */
    if (missing && refused && !refused->pick.by_extender) {
        if (missing == 1)
            fix_free(t, refused, out);
        fix_min_count(t, out);
        fix_nodes(t, missing, out);
    }
    if (!out->fixes.n && out->feasible)
        add(out, (struct mst_fix){ .kind = MST_FIX_NOTHING_NEEDED,
                                   .text = MST_STR("nothing: the next attempt would succeed") });
}
