/*
 * explain_preempt.c - who would have to go for a pod or a group, where, and why not others.
 *
 * Invariants: one attempt of the entity alone, on transactions that are rolled back; the rotation
 *             of nodes and the generator of ties are put back: looking never changes a decision.
 * Source:     the oracle's mode `preempt`; spec/preemption.md.
 */
#include "cycle/engine_internal.h"
#include "cycle/explain.h"

#include "base/sort.h"

struct look {
    struct mst_engine *engine;
    const struct mst_framework *fw;
    struct mst_arena *arena; /* of the answer; what the attempt makes is in the engine's */
    struct mst_preempt_answer *out;
};

/* ---- into the answer ---- */

static struct mst_str keep(const struct look *l, struct mst_str s)
{
    return s.p ? mst_arena_str(l->arena, s) : s;
}

static struct mst_str node_name(const struct look *l, uint32_t row)
{
    return mst_sym_str(l->engine->syms, l->engine->cluster.nodes.name[row]);
}

static mst_seats new_seats(const struct look *l, uint32_t max)
{
    return (mst_seats){ MST_NEW_N(l->arena, struct mst_seat, max), 0 };
}

static void add_seat(const struct look *l, mst_seats *seats, uint32_t pod, struct mst_str node)
{
    seats->v[seats->n++] = (struct mst_seat){
        .pod = mst_engine_pod_key(l->engine, l->arena, pod),
        .node = node,
    };
}

static int compare_seats(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(((const struct mst_seat *)a)->pod, ((const struct mst_seat *)b)->pod);
}

/* The node that it is promised by this attempt; not what it was promised before. */
static void add_nomination(const struct look *l, uint32_t pod, const struct mst_failure *failure)
{
    mst_sym before = l->engine->cluster.pods.v[pod].status_nominated;
    if (failure->nominated == MST_NNN_SET && failure->node != before)
        add_seat(l, &l->out->nominated, pod, mst_sym_str(l->engine->syms, failure->node));
}

static struct mst_evictee evictee_of(const struct look *l, uint32_t pod)
{
    const struct mst_cluster *c = &l->engine->cluster;
    const struct mst_pod_row *p = &c->pods.v[pod];
    struct mst_evictee e = {
        .pod = mst_engine_pod_key(l->engine, l->arena, pod),
        .node = p->node_name == MST_SYM_NONE ? MST_STR("") : mst_sym_str(c->syms, p->node_name),
        .priority = p->priority,
        .leaving = p->deleting,
    };
    if (p->group == MST_ROW_NONE || !c->groups.v[p->group].known)
        return e;
    const struct mst_group_row *g = &c->groups.v[p->group];
    e.priority = g->priority;
    if (g->disrupted_whole)
        e.unit = mst_arena_printf(l->arena, "%.*s/%.*s", MST_ARG(mst_sym_str(c->syms, g->ns)),
                                  MST_ARG(g->name));
    return e;
}

static struct mst_eviction_plan plan_of(const struct look *l, const struct mst_victims *victims)
{
    struct mst_eviction_plan plan = {
        .node = victims->node == MST_ROW_NONE ? MST_STR("cluster") : node_name(l, victims->node),
        .pods = { MST_NEW_N(l->arena, struct mst_evictee, victims->n), victims->n },
        .violations = victims->violations,
        .group_disruptions = l->out->group ? victims->group_disruptions : 0,
    };
    for (uint32_t i = 0; i < victims->n; i++)
        plan.pods.v[i] = evictee_of(l, victims->pods[i]);
    return plan;
}

static int compare_plans(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    const struct mst_eviction_plan *x = a, *y = b;
    return mst_str_cmp(x->node, y->node);
}

static int compare_refusals(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    const struct mst_preempt_refusal *x = a, *y = b;
    return mst_str_cmp(x->node, y->node);
}

/* ---- a lone pod ---- */

/* What every dry run answered, by name of the node. */
static void fill_trials(const struct look *l, const mst_preempt_trials *trials)
{
    struct mst_preempt_answer *out = l->out;
    out->candidates.v = MST_NEW_N(l->arena, struct mst_eviction_plan, trials->n);
    out->rejected.v = MST_NEW_N(l->arena, struct mst_preempt_refusal, trials->n);
    for (uint32_t i = 0; i < trials->n; i++) {
        const struct mst_preempt_trial *t = &trials->v[i];
        if (t->helps)
            out->candidates.v[out->candidates.n++] = plan_of(l, &t->victims);
        else
            out->rejected.v[out->rejected.n++] =
                (struct mst_preempt_refusal){ .node = node_name(l, t->node),
                                              .why = keep(l, t->why_not) };
    }
    mst_sort(out->candidates.v, out->candidates.n, sizeof(*out->candidates.v), compare_plans, NULL);
    mst_sort(out->rejected.v, out->rejected.n, sizeof(*out->rejected.v), compare_refusals, NULL);
}

/* Nodes that were not tried: nobody's going changes what they say. */
static void fill_hopeless(const struct look *l, const struct mst_pick *pick)
{
    struct mst_preempt_answer *out = l->out;
    const struct mst_nodes *nodes = &l->engine->cluster.nodes;
    out->hopeless.v = MST_NEW_N(l->arena, struct mst_preempt_refusal, nodes->count);
    for (uint32_t row = 0; pick->verdict && row < nodes->count; row++) {
        if (!(pick->verdict[row] & MST_VERDICT_UNRESOLVABLE))
            continue;
        struct mst_reasons reasons = { .arena = l->arena };
        mst_eval_reasons(pick->eval, row, pick->verdict[row], &reasons);
        out->hopeless.v[out->hopeless.n++] =
            (struct mst_preempt_refusal){ .node = node_name(l, row),
                                          .why = mst_reasons_joined(&reasons, l->arena) };
    }
    mst_sort(out->hopeless.v, out->hopeless.n, sizeof(*out->hopeless.v), compare_refusals, NULL);
}

static void refuse_everywhere(const struct look *l, struct mst_str why)
{
    l->out->rejected.v = MST_NEW(l->arena, struct mst_preempt_refusal);
    l->out->rejected.v[0] =
        (struct mst_preempt_refusal){ .node = MST_STR("*"), .why = keep(l, why) };
    l->out->rejected.n = 1;
}

/* The policy says Never: what would have come of it otherwise. */
static void ask_what_if(struct look *l, uint32_t pod, const struct mst_pick *pick)
{
    struct mst_engine *engine = l->engine;
    struct mst_preempt x = mst_engine_preempt(engine, l->fw);
    struct mst_preemption other;
    engine->cluster.pods.v[pod].never_preempts = false;
    mst_preempt_pod(&x, pod, pick, NULL, &other);
    engine->cluster.pods.v[pod].never_preempts = true;
    l->out->never = true;
    l->out->what_if = other.code == MST_SUCCESS;
    if (l->out->what_if)
        l->out->allowed = plan_of(l, &other.victims);
}

static void look_for_pod(struct look *l, uint32_t pod)
{
    struct mst_engine *engine = l->engine;
    struct mst_preempt_answer *out = l->out;
    mst_preempt_trials trials = { 0 };
    struct mst_pick pick;
    struct mst_pod_no no;
    out->nominated = new_seats(l, 1);
    out->binds = new_seats(l, 1);
    mst_eval_pick(&engine->evals, l->fw, pod, mst_engine_ties(engine), &engine->arena, &pick);
    if (pick.code == MST_WAIT)
        return;
    if (pick.code == MST_SUCCESS) {
        out->result = MST_PREEMPT_SCHEDULED;
        add_seat(l, &out->binds, pod, node_name(l, pick.node));
        return;
    }
    mst_pod_no_of(engine, pod, l->fw, &pick, &trials, &no);
    if (no.preemption.code == MST_WAIT) {
        mst_vec_done(&trials);
        return;
    }
    out->message = keep(l, no.failure.message);
    add_nomination(l, pod, &no.failure);
    fill_trials(l, &trials);
    mst_vec_done(&trials);
    if (!no.asked)
        return;
    fill_hopeless(l, &pick);
    struct mst_preempt x = mst_engine_preempt(engine, l->fw);
    struct mst_str why;
    if (!mst_preempt_eligible(&x, pod, &pick, &why))
        refuse_everywhere(l, why);
    if (engine->cluster.pods.v[pod].never_preempts)
        ask_what_if(l, pod, &pick);
    if (no.preemption.code != MST_SUCCESS)
        return;
    out->result = MST_PREEMPT_PREEMPTING;
    out->chosen = plan_of(l, &no.preemption.victims);
}

/* ---- a group ---- */

static void try_group(struct look *l, struct mst_group_try *t)
{
    struct mst_engine *engine = l->engine;
    uint32_t mark = mst_txn_begin(&engine->cluster);
    mst_group_try(engine, t);
    for (uint32_t i = t->member_count; i-- > 0;)
        mst_engine_unreserve(engine, t->members[i].pod, true);
    mst_txn_rollback(&engine->cluster, mark);
    mst_group_nominations(engine, t);
}

/* The members' words, each once, one a line: the group's condition keeps what it says. */
static struct mst_str joined_texts(const struct look *l, struct mst_str *texts, uint32_t n)
{
    struct mst_str all = MST_STR("");
    mst_sort_strs(texts, n);
    for (uint32_t i = 0; i < n; i++)
        if (texts[i].n && (i == 0 || !mst_str_eq(texts[i], texts[i - 1])))
            all = mst_arena_printf(l->arena, "%.*s%s%.*s", MST_ARG(all), all.n ? "\n" : "",
                                   MST_ARG(texts[i]));
    return all;
}

static void fill_members(struct look *l, const struct mst_group_try *t)
{
    struct mst_preempt_answer *out = l->out;
    struct mst_group_texts texts = { 0 };
    struct mst_str *said = MST_NEW_N(l->arena, struct mst_str, t->member_count);
    uint32_t n = 0;
    mst_group_texts_of(l->engine, t, l->arena, &texts);
    out->binds = new_seats(l, t->member_count);
    out->nominated = new_seats(l, t->member_count);
    for (uint32_t i = 0; i < t->member_count; i++) {
        const struct mst_member *m = &t->members[i];
        if (t->code == MST_SUCCESS && m->state == MST_MEMBER_PLACED) {
            add_seat(l, &out->binds, m->pod, node_name(l, m->pick.node));
            continue;
        }
        struct mst_failure failure = mst_group_failure_of(t, m, &texts);
        add_nomination(l, m->pod, &failure);
        said[n++] = failure.message;
    }
    mst_sort(out->binds.v, out->binds.n, sizeof(*out->binds.v), compare_seats, NULL);
    mst_sort(out->nominated.v, out->nominated.n, sizeof(*out->nominated.v), compare_seats, NULL);
    const struct mst_group_row *g = &l->engine->cluster.groups.v[t->group];
    if (mst_str_is(g->initially_scheduled.status, "True"))
        out->message = joined_texts(l, said, n);
    else if (t->code != MST_SUCCESS)
        out->message = keep(l, t->code == MST_ERROR ? t->text : texts.condition);
}

/* What a group would come to whose policy is Never. */
static void ask_what_if_group(struct look *l, const struct mst_group_try *t)
{
    struct mst_group_try other = *t;
    struct mst_preemption p = { .code = MST_UNSCHEDULABLE };
    other.asks_what_if = true;
    other.post = MST_STR_NONE;
    mst_group_look_for_victims(l->engine, &other, &p);
    l->out->never = true;
    l->out->what_if = p.code == MST_SUCCESS && !p.ongoing;
    if (l->out->what_if)
        l->out->allowed = plan_of(l, &p.victims);
}

static void look_for_group(struct look *l, const struct mst_popped *popped)
{
    struct mst_engine *engine = l->engine;
    struct mst_group_try t = mst_group_try_of(engine, popped);
    bool error;
    struct mst_str refusal = mst_group_refusal(engine, &t, &error);
    if (refusal.p) {
        l->out->message = keep(l, refusal);
        return;
    }
    mst_group_leave_out_deleting(engine, &t);
    if (!t.member_count)
        return;
    struct mst_preemption p = { .code = MST_UNSCHEDULABLE };
    try_group(l, &t);
    if (t.code == MST_UNSCHEDULABLE && !t.waits)
        mst_group_look_for_victims(engine, &t, &p);
    if (t.waits)
        return;
    fill_members(l, &t);
    if (l->out->binds.n)
        l->out->result = MST_PREEMPT_SCHEDULED;
    if (p.code == MST_SUCCESS && !p.ongoing) {
        l->out->result = MST_PREEMPT_PREEMPTING;
        l->out->chosen = plan_of(l, &p.victims);
    }
    if (t.code == MST_UNSCHEDULABLE && p.code != MST_SUCCESS &&
        mst_group_never_preempts(engine, &t))
        ask_what_if_group(l, &t);
}

/* ---- the record ---- */

/* Nominations of those whose turn it is count as upstream counts them, see find_ghosts. */
static void set_ghosts(const struct look *l, const struct mst_popped *popped, bool on)
{
    if (!l->engine->config->upstream)
        return;
    if (on)
        mst_engine_find_ghosts(l->engine);
    for (uint32_t i = 0; i < popped->pod_count; i++)
        l->engine->cluster.pods.v[popped->pods[i]].ghost = on;
}

static void begin(const struct look *l, bool group, uint32_t id)
{
    const struct mst_cluster *c = &l->engine->cluster;
    struct mst_preempt_answer *out = l->out;
    *out = (struct mst_preempt_answer){ .group = group, .result = MST_PREEMPT_UNSCHEDULABLE };
    out->ns = mst_sym_str(c->syms, group ? c->groups.v[id].ns : c->pods.v[id].ns);
    out->name = keep(l, group ? c->groups.v[id].name : c->pods.v[id].name);
    out->priority = group ? c->groups.v[id].priority : c->pods.v[id].priority;
}

bool mst_explain_preempt(struct mst_engine *engine, bool group, uint32_t id,
                         struct mst_arena *arena, struct mst_preempt_answer *out,
                         struct mst_effects *calls)
{
    struct look l = { .engine = engine, .arena = arena, .out = out };
    struct mst_popped popped;
    begin(&l, group, id);
    bool held = false;
    bool queued = mst_queue_look(engine->queue, group, &id, &popped);
    if (queued)
        (void)mst_queue_store_of(engine->queue, popped.pods[0], &held);
    if (!queued || held) {
        out->result = MST_PREEMPT_GATED;
        if (!group)
            out->message = keep(&l, mst_queue_gate_text(engine->queue, id, arena));
        return true;
    }
    uint32_t start = engine->evals.next_start;
    struct mst_rng rng = engine->rng;
    l.fw = &engine->frameworks[engine->cluster.pods.v[popped.pods[0]].profile];
    set_ghosts(&l, &popped, true);
    mst_engine_look(engine, group, id, popped.pod_count);
    if (group)
        look_for_group(&l, &popped);
    else if (!engine->cluster.pods.v[id].deleting)
        look_for_pod(&l, id);
    set_ghosts(&l, &popped, false);
    engine->rng = rng;
    engine->evals.next_start = start;
    mst_arena_reset(&engine->arena);
    return mst_engine_looked(engine, calls);
}
