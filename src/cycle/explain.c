/*
 * explain.c - why something is pending: one trial on a transaction, put into a record.
 *
 * Invariants: the transaction is rolled back, the rotation of nodes and the generator of ties are
 * put back: looking never changes a later decision.
 */
#include "cycle/explain_internal.h"

#include "base/sort.h"

enum { ROOM_MAX = 100000 };

/* ---- who waits ---- */

static void collect(struct mst_trial *t)
{
    const struct mst_cluster *c = &t->engine->cluster;
    uint32_t pod = t->group ? c->groups.v[t->id].first_pod : t->id;
    uint32_t n = t->group ? c->groups.v[t->id].all_count : 1;
    t->members = MST_NEW_N(t->arena, struct mst_member, n);
    while (pod != MST_ROW_NONE) {
        const struct mst_pod_row *p = &c->pods.v[pod];
        if (!p->assigned && !p->assumed && !p->deleting && p->class_id != UINT32_MAX)
            t->members[t->member_count++].pod = pod;
        pod = t->group ? p->group_next : MST_ROW_NONE;
    }
    if (t->member_count)
        t->fw = &t->engine->frameworks[c->pods.v[t->members[0].pod].profile];
}

static int compare_members(const void *a, const void *b, void *ctx)
{
    const struct mst_cluster *c = ctx;
    int32_t x = c->pods.v[((const struct mst_member *)a)->pod].priority;
    int32_t y = c->pods.v[((const struct mst_member *)b)->pod].priority;
    return (x < y) - (x > y); /* stable: arrival decides */
}

/*
 * Places what fits, in order. A class that was refused once is not asked again: the trial only
 * fills nodes up.
 */
static void place_all(struct mst_trial *t)
{
    struct mst_engine *engine = t->engine;
    uint32_t *refused = MST_NEW_N(t->arena, uint32_t, t->member_count);
    uint32_t refused_count = 0;
    for (uint32_t i = 0; i < t->member_count; i++) {
        struct mst_member *m = &t->members[i];
        uint32_t class_id = engine->cluster.pods.v[m->pod].class_id, at = 0;
        while (at < refused_count &&
               engine->cluster.pods.v[t->members[refused[at]].pod].class_id != class_id)
            at++;
        if (at < refused_count) {
            m->state = MST_MEMBER_REJECTED;
            m->pick = t->members[refused[at]].pick;
            continue;
        }
        mst_eval_pick(&engine->evals, t->fw, m->pod, NULL, t->arena, &m->pick);
        if (m->pick.code == MST_WAIT)
            return; /* the trial will be made again */
        if (m->pick.code == MST_SUCCESS) {
            m->state = MST_MEMBER_PLACED;
            t->placed++;
            mst_cluster_nominate(&engine->cluster, m->pod, MST_SYM_NONE);
            mst_cluster_place(&engine->cluster, m->pod, m->pick.node);
            mst_engine_reserve(engine, t->fw, m->pod);
        } else {
            m->state = MST_MEMBER_REJECTED;
            refused[refused_count++] = i;
        }
    }
}

/* ---- per class ---- */

struct mst_str mst_amount_text(const struct mst_trial *t, uint32_t resource, int64_t amount)
{
    struct mst_quantity q = { .nano = (mst_nano)amount * 1000000000 };
    if (resource == MST_RES_CPU)
        q.nano = (mst_nano)amount * 1000000;
    if (resource == MST_RES_MEMORY || resource == MST_RES_EPHEMERAL)
        q.format = MST_BINARY_SI;
    return mst_quantity_text(&q, t->arena);
}

static struct mst_str request_text(const struct mst_trial *t, const struct mst_class *class)
{
    const struct mst_cluster *c = &t->engine->cluster;
    const struct mst_usage *u = mst_cluster_usage(c, class->usage);
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < u->amounts.n; i++) {
        uint32_t r = u->amounts.v[i].resource;
        struct mst_str name = mst_sym_str(c->syms, c->nodes.resource_name[r]);
        struct mst_str amount = mst_amount_text(t, r, u->amounts.v[i].amount);
        text = mst_arena_printf(t->arena, "%.*s%s%.*s %.*s", MST_ARG(text), i ? ", " : "",
                                MST_ARG(name), MST_ARG(amount));
    }
    return text.n ? text : MST_STR("nothing");
}

/* How many pods of the class the row takes on top of what is there, all filters passed. */
static int64_t row_room(const struct mst_nodes *nodes, const struct mst_usage *u, uint32_t row)
{
    int64_t room = nodes->pods_allowed[row] - nodes->pod_count[row];
    for (uint32_t i = 0; i < u->amounts.n; i++) {
        uint32_t r = u->amounts.v[i].resource;
        int64_t free = nodes->allocatable[r][row] - nodes->requested[r][row];
        room = MST_MIN(room, free / u->amounts.v[i].amount);
    }
    return u->ports.n ? MST_MIN(room, 1) : room;
}

static uint32_t class_room(const struct mst_trial *t, struct mst_eval *eval)
{
    const struct mst_cluster *c = &t->engine->cluster;
    const struct mst_usage *u = mst_cluster_usage(c, mst_cluster_class(c, eval->class_id)->usage);
    int64_t room = 0;
    if (eval->pre_code != MST_SUCCESS)
        return 0;
    for (uint32_t row = 0; row < c->nodes.count && room < ROOM_MAX; row++)
        if (eval->verdict[row] == MST_VERDICT_OK)
            room += row_room(&c->nodes, u, row);
    return (uint32_t)MST_MIN(room, ROOM_MAX);
}

static struct mst_reason_nodes *reason_entry(struct mst_class_explanation *ce,
                                             struct mst_str reason, const char *plugin,
                                             uint32_t max, struct mst_arena *arena)
{
    for (uint32_t i = 0; i < ce->reasons.n; i++)
        if (mst_str_eq(ce->reasons.v[i].reason, reason))
            return &ce->reasons.v[i];
    struct mst_reason_nodes *grown = MST_NEW_N(arena, struct mst_reason_nodes, ce->reasons.n + 1);
    for (uint32_t i = 0; i < ce->reasons.n; i++)
        grown[i] = ce->reasons.v[i];
    ce->reasons.v = grown;
    struct mst_reason_nodes *r = &grown[ce->reasons.n++];
    *r = (struct mst_reason_nodes){
        .reason = reason,
        .plugin = mst_str_of(plugin),
        .unresolvable = true,
        .nodes = { MST_NEW_N(arena, struct mst_str, max), 0 },
    };
    return r;
}

static int compare_reasons(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    const struct mst_reason_nodes *x = a, *y = b;
    if (x->nodes.n != y->nodes.n)
        return x->nodes.n > y->nodes.n ? -1 : 1;
    return mst_str_cmp(x->reason, y->reason);
}

/* Which nodes say no, and why, in order of their names; a reason has room for `max` of them. */
static void fill_reasons(const struct mst_trial *t, struct mst_eval *eval, uint32_t max,
                         struct mst_class_explanation *ce)
{
    struct mst_nodes *nodes = &t->engine->cluster.nodes;
    uint32_t *row_at = MST_NEW_N(t->arena, uint32_t, nodes->count);
    const uint32_t *rank = mst_nodes_rank(nodes);
    for (uint32_t row = 0; row < nodes->count; row++)
        row_at[rank[row]] = row;
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t row = row_at[i];
        mst_verdict v = eval->verdict[row];
        if (v == MST_VERDICT_OK)
            continue;
        struct mst_reasons reasons = { .arena = t->arena };
        mst_eval_reasons(eval, row, v, &reasons);
        for (uint32_t k = 0; k < reasons.n; k++) {
            struct mst_reason_nodes *r =
                reason_entry(ce, reasons.v[k], mst_eval_rejecter(eval, v), max, t->arena);
            r->nodes.v[r->nodes.n++] = mst_sym_str(nodes->syms, nodes->name[row]);
            r->unresolvable &= (v & MST_VERDICT_UNRESOLVABLE) != 0;
        }
    }
    mst_sort(ce->reasons.v, ce->reasons.n, sizeof(*ce->reasons.v), compare_reasons, NULL);
}

/* The same for what extenders said; they are asked only about nodes that plugins let pass. */
static void add_words(const struct mst_trial *t, const struct mst_pick *pick, uint32_t max,
                      struct mst_class_explanation *ce)
{
    for (uint32_t i = 0; i < pick->words.n; i++) {
        const struct mst_ext_failed *f = &pick->words.v[i];
        struct mst_reason_nodes *r = reason_entry(ce, f->text, "Extender", max, t->arena);
        r->nodes.v[r->nodes.n++] = f->node;
        r->unresolvable &= f->unresolvable;
    }
    mst_sort(ce->reasons.v, ce->reasons.n, sizeof(*ce->reasons.v), compare_reasons, NULL);
}

static void fill_class(const struct mst_trial *t, uint32_t class_id,
                       struct mst_class_explanation *ce)
{
    const struct mst_cluster *c = &t->engine->cluster;
    *ce = (struct mst_class_explanation){
        .pods = { MST_NEW_N(t->arena, struct mst_str, t->member_count), 0 },
        .node_count = c->nodes.count,
        .request = request_text(t, mst_cluster_class(c, class_id)),
    };
    uint32_t example = MST_ROW_NONE;
    const struct mst_pick *refused = NULL;
    for (uint32_t i = 0; i < t->member_count; i++) {
        const struct mst_member *m = &t->members[i];
        if (c->pods.v[m->pod].class_id != class_id)
            continue;
        example = m->pod;
        ce->pods.v[ce->pods.n++] = mst_engine_pod_key(t->engine, t->arena, m->pod);
        ce->placed += m->state == MST_MEMBER_PLACED;
        if (m->state == MST_MEMBER_REJECTED && !ce->message.p) {
            ce->message = m->pick.message;
            refused = &m->pick;
        }
    }
    const uint32_t max = c->nodes.count + (refused ? refused->words.n : 0);
    struct mst_eval *eval = mst_eval_of(&t->engine->evals, t->fw, example);
    struct mst_frame frame;
    mst_eval_open(eval, &frame);
    ce->feasible = eval->pre_code == MST_SUCCESS ? eval->feasible_count : 0;
    if (ce->message.p && eval->pre_code == MST_SUCCESS)
        fill_reasons(t, eval, max, ce);
    mst_eval_close(eval, &frame);
    if (refused && refused->by_extender) {
        ce->feasible = 0;
        add_words(t, refused, max, ce);
    }
}

/* The first member of each class, in order. Returns how many. */
static uint32_t distinct_classes(const struct mst_trial *t, uint32_t *first)
{
    const struct mst_cluster *c = &t->engine->cluster;
    struct mst_map seen = { 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->member_count; i++) {
        uint32_t class_id = c->pods.v[t->members[i].pod].class_id;
        if (mst_map_set(&seen, (struct mst_str){ (const char *)&class_id, sizeof(class_id) }, 0))
            first[n++] = t->members[i].pod;
    }
    mst_map_done(&seen);
    return n;
}

/* ---- the record ---- */

static void begin(struct mst_trial *t, struct mst_explanation *out)
{
    const struct mst_cluster *c = &t->engine->cluster;
    *out = (struct mst_explanation){ .group = t->group };
    if (t->group) {
        const struct mst_group_row *g = &c->groups.v[t->id];
        out->ns = mst_sym_str(c->syms, g->ns);
        out->name = g->name;
        out->policy = g->policy;
        out->members = g->all_count;
        out->scheduled = g->scheduled_count;
        t->min_count = g->policy == MST_POLICY_GANG ? g->min_count : 1;
    } else {
        const struct mst_pod_row *p = &c->pods.v[t->id];
        out->ns = mst_sym_str(c->syms, p->ns);
        out->name = p->name;
        out->members = 1;
        out->scheduled = p->assigned || p->assumed;
        t->min_count = 1;
    }
    out->min_count = t->min_count;
    t->scheduled = out->scheduled;
    out->queued = t->member_count;
}

static struct mst_str state_text(const struct mst_trial *t, const struct mst_explanation *out,
                                 int64_t now_ns)
{
    struct mst_queue *queue = t->engine->queue;
    if (!t->member_count)
        return out->scheduled ? MST_STR("scheduled") : MST_STR("has no pods");
    uint32_t pod = t->members[0].pod;
    for (uint32_t i = 0; i < t->member_count; i++) {
        struct mst_str held = mst_queue_gate_text(queue, t->members[i].pod, t->arena);
        if (held.p)
            return held;
    }
    bool gated;
    mst_store store = mst_queue_store_of(queue, pod, &gated);
    if (store == MST_STORE_ACTIVE)
        return MST_STR("ready to be tried");
    if (store != MST_STORE_BACKOFF && store != MST_STORE_ERROR_BACKOFF)
        return MST_STR("unschedulable until something changes");
    int64_t end = mst_queue_backoff_end(queue, pod);
    int64_t left_s = end == INT64_MAX ? 0 : MST_MAX((end - now_ns + 999999999) / 1000000000, 0);
    return mst_arena_printf(t->arena, "unschedulable, in backoff for another %llds",
                            (long long)left_s);
}

static struct mst_str message_text(const struct mst_trial *t, const struct mst_explanation *out)
{
    const struct mst_cluster *c = &t->engine->cluster;
    const struct mst_cond *cond =
        t->group ? &c->groups.v[t->id].initially_scheduled : &c->pods.v[t->id].scheduled;
    if (cond->message.n)
        return cond->message;
    return out->classes.n ? out->classes.v[0].message : MST_STR_NONE;
}

/* Takes back what was set aside for members; in no profile do others lose anything by a look. */
static void end_trial(struct mst_trial *t, uint32_t mark, bool assumes_for_good)
{
    for (uint32_t i = t->member_count; i-- > 0;)
        mst_engine_unreserve(t->engine, t->members[i].pod, true);
    mst_txn_rollback(&t->engine->cluster, mark);
    t->engine->cluster.assumes_for_good = assumes_for_good;
}

static void run_trial(struct mst_trial *t, struct mst_explanation *out)
{
    struct mst_engine *engine = t->engine;
    mst_sort(t->members, t->member_count, sizeof(*t->members), compare_members, &engine->cluster);
    uint32_t *first = MST_NEW_N(t->arena, uint32_t, t->member_count);
    uint32_t n = distinct_classes(t, first);
    out->classes.v = MST_NEW_N(t->arena, struct mst_class_explanation, n);
    out->classes.n = n;
    uint32_t *room = MST_NEW_N(t->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        room[i] = class_room(t, mst_eval_of(&engine->evals, t->fw, first[i]));
    const bool assumes_for_good = engine->cluster.assumes_for_good;
    engine->cluster.assumes_for_good = false;
    uint32_t mark = mst_txn_begin(&engine->cluster);
    place_all(t);
    out->would_fit = t->placed;
    for (uint32_t i = 0; i < n; i++) {
        fill_class(t, engine->cluster.pods.v[first[i]].class_id, &out->classes.v[i]);
        out->classes.v[i].room = room[i];
    }
    out->feasible = t->placed > 0 && t->scheduled + t->placed >= t->min_count;
    mst_explain_fixes(t, out);
    end_trial(t, mark, assumes_for_good);
}

bool mst_explain(struct mst_engine *engine, bool group, uint32_t id, int64_t now_ns,
                 struct mst_arena *arena, struct mst_explanation *out, struct mst_effects *calls)
{
    struct mst_trial t = { .engine = engine, .group = group, .id = id, .arena = arena };
    uint32_t start = engine->evals.next_start;
    collect(&t);
    begin(&t, out);
    mst_engine_look(engine, group, id, t.member_count);
    if (t.member_count)
        run_trial(&t, out);
    else
        mst_explain_fixes(&t, out);
    out->state = state_text(&t, out, now_ns);
    out->message = message_text(&t, out);
    engine->evals.next_start = start;
    return mst_engine_looked(engine, calls);
}
