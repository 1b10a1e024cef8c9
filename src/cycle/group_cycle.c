/*
 * group_cycle.c - one attempt for a PodGroup: check it, try its members together, take all or
 * nothing.
 *
 * Invariants: the members are placed on one transaction that is either committed whole (quorum met)
 *             or rolled back whole.
 * Source:     spec/scheduling.md 2.2, 2.4-2.6.
 */
#include "cycle/engine_internal.h"

/* ---- checks before the first pod (2.2) ---- */

static struct mst_str policy_text(const struct mst_engine *engine, mst_sym policy)
{
    return policy == MST_SYM_NONE ? MST_STR("PreemptLowerPriority")
                                  : mst_sym_str(engine->syms, policy);
}

struct reference {
    uint32_t first; /* the pod that the others are compared with */
    bool never;     /* expected preemption policy */
    bool of_group;  /* it is the group's own */
};

static struct reference reference_of(const struct mst_engine *engine, uint32_t group,
                                     uint32_t first)
{
    const struct mst_group_row *g = &engine->cluster.groups.v[group];
    struct reference ref = { .first = first,
                             .never = engine->cluster.pods.v[first].never_preempts };
    bool gate = engine->config->gates.on[MST_GATE_PodGroupPreemptionPolicy];
    /* muster follows the group's policy whenever it has one, upstream exactly when the gate is on.
     */
    ref.of_group = engine->config->upstream ? gate : g->preemption_policy != MST_SYM_NONE;
    if (ref.of_group)
        ref.never = mst_str_is(policy_text(engine, g->preemption_policy), "Never");
    return ref;
}

static const char *never_text(bool never)
{
    return never ? "Never" : "PreemptLowerPriority";
}

/* The text of the first rule that the pod breaks, or an absent span. */
static struct mst_str check_member(struct mst_engine *engine, uint32_t group, uint32_t pod,
                                   const struct reference *ref)
{
    const struct mst_cluster *c = &engine->cluster;
    const struct mst_pod_row *p = &c->pods.v[pod], *first = &c->pods.v[ref->first];
    if (p->scheduler_name != first->scheduler_name)
        return mst_arena_printf(&engine->arena,
                                "all pods in a single pod group should have the same "
                                ".spec.schedulerName set, got: \"%.*s\" and \"%.*s\"",
                                MST_ARG(mst_sym_str(engine->syms, p->scheduler_name)),
                                MST_ARG(mst_sym_str(engine->syms, first->scheduler_name)));
    if (p->priority != c->groups.v[group].priority)
        return mst_arena_printf(
            &engine->arena,
            "all pods in a single pod group should have the same priority as the "
            "pod group's priority, got %d and %d",
            p->priority, c->groups.v[group].priority);
    if (p->never_preempts != ref->never)
        return mst_arena_printf(&engine->arena,
                                "all pods in a single pod group should have the same preemption "
                                "policy%s, got %s and %s",
                                ref->of_group ? " as the pod group's preemption policy" : "",
                                never_text(p->never_preempts), never_text(ref->never));
    return MST_STR_NONE;
}

static struct mst_str check_members(struct mst_engine *engine, const struct mst_group_try *t)
{
    struct reference ref = reference_of(engine, t->group, t->members[0].pod);
    for (uint32_t i = 0; i < t->member_count; i++) {
        struct mst_str text = check_member(engine, t->group, t->members[i].pod, &ref);
        if (text.p)
            return text;
    }
    const struct mst_cluster *c = &engine->cluster;
    uint32_t pod = c->groups.v[t->group].first_pod;
    for (; pod != MST_ROW_NONE; pod = c->pods.v[pod].group_next) {
        if (!c->pods.v[pod].assigned && !c->pods.v[pod].assumed)
            continue;
        struct mst_str text = check_member(engine, t->group, pod, &ref);
        if (text.p)
            return text;
    }
    return MST_STR_NONE;
}

/* A constraint that nobody here can judge keeps the group pending: it is never ignored. */
static struct mst_str refuse_unsupported(const struct mst_engine *engine, uint32_t group,
                                         const struct mst_framework *fw)
{
    const struct mst_group_row *g = &engine->cluster.groups.v[group];
    if (g->topology_keys.n && (fw->missing & MST_NEEDS_TOPOLOGY) &&
        engine->config->gates.on[MST_GATE_TopologyAwareWorkloadScheduling])
        return MST_STR(
            "this version of muster does not support topology constraints of pod groups; "
            "the group stays pending");
    return MST_STR_NONE;
}

struct mst_str mst_group_refusal(struct mst_engine *engine, const struct mst_group_try *t,
                                 bool *ret_error)
{
    struct mst_str text = check_members(engine, t);
    *ret_error = text.p != NULL;
    return text.p ? text : refuse_unsupported(engine, t->group, t->fw);
}

/* Every member and the group get the same words; nothing was tried. */
static void refuse_all(struct mst_engine *engine, const struct mst_group_try *t, bool error,
                       struct mst_str text)
{
    for (uint32_t i = 0; i < t->member_count; i++)
        mst_engine_fail_pod(engine, t->members[i].pod, true,
                            &(struct mst_failure){
                                .error = error, .message = text, .nominated = MST_NNN_CLEAR });
    mst_effect_group_status(engine, t->group, false, error ? "SchedulerError" : "Unschedulable",
                            text);
    mst_queue_group_done(engine->queue, t->group, error ? MST_GROUP_ERROR : MST_GROUP_REJECTED,
                         engine->now_ns);
}

/* ---- submit (2.6) ---- */

/*
 * Profile upstream has a Permit barrier: all members below the quorum but the one that completes it
 * wait for a moment, which shows as a nomination of their node before the bind. No member can be
 * stopped between here and the quorum, so no wait outlives the cycle.
 */
static uint32_t permit_waiters(const struct mst_engine *engine, const struct mst_group_try *t)
{
    const struct mst_group_row *g = &engine->cluster.groups.v[t->group];
    if (!engine->config->upstream || !t->fw->has_permit || g->policy != MST_POLICY_GANG ||
        !engine->config->gates.on[MST_GATE_NominatedNodeNameForExpectation])
        return 0;
    int64_t before_last = g->min_count - t->scheduled_before - 1;
    return before_last > 0 ? (uint32_t)before_last : 0;
}

struct mst_failure mst_group_failure_of(const struct mst_group_try *t, const struct mst_member *m,
                                        const struct mst_group_texts *texts)
{
    bool own_error = m->state == MST_MEMBER_REJECTED && m->pick.code == MST_ERROR;
    struct mst_failure failure = {
        .error = t->code == MST_ERROR || own_error,
        .nominated = m->nominated,
        .node = m->seat,
    };
    if (m->state == MST_MEMBER_REJECTED)
        failure.slots = m->pick.slots;
    if (m->state == MST_MEMBER_REJECTED && (t->code != MST_ERROR || own_error))
        failure.message = m->pick.message;
    else if (t->code == MST_ERROR)
        failure.message = t->text;
    else
        failure.message = m->state == MST_MEMBER_PLACED ? texts->placed : texts->untried;
    if (failure.error)
        failure.nominated = MST_NNN_CLEAR;
    return failure;
}

static void fail_member(struct mst_engine *engine, const struct mst_group_try *t,
                        const struct mst_member *m, const struct mst_group_texts *texts)
{
    struct mst_failure failure = mst_group_failure_of(t, m, texts);
    mst_engine_fail_pod(engine, m->pod, true, &failure);
}

static void submit_success(struct mst_engine *engine, const struct mst_group_try *t)
{
    engine->cluster.groups.v[t->group].tried_again = false;
    mst_count_group(engine, t->fw->profile, MST_RESULT_SCHEDULED);
    uint32_t waiters = permit_waiters(engine, t);
    for (uint32_t i = 0; i < t->member_count; i++) {
        const struct mst_member *m = &t->members[i];
        if (m->state != MST_MEMBER_PLACED) {
            fail_member(engine, t, m, NULL);
            continue;
        }
        mst_engine_mark_idle(engine, MST_PART_PERMIT, t->fw->profile,
                             waiters ? MST_WAIT : MST_SUCCESS);
        if (waiters) {
            waiters--;
            uint32_t node = engine->cluster.pods.v[m->pod].node;
            mst_effect_nominate(engine, m->pod, engine->cluster.nodes.name[node]);
        }
        mst_engine_bind(engine, m->pod);
    }
    const struct mst_group_row *g = &engine->cluster.groups.v[t->group];
    mst_assert(g->policy != MST_POLICY_GANG || t->fw->gang_slot == MST_ROW_NONE ||
               g->scheduled_count >= g->min_count);
    mst_effect_group_status(engine, t->group, true, "Scheduled", MST_STR(""));
    if (!engine->config->upstream)
        mst_effect_group_runs_again(engine, t->group);
    mst_queue_group_done(engine->queue, t->group, MST_GROUP_SUCCESS, engine->now_ns);
}

/*
 * The search for victims found places for all, and nobody has to go: no event will tell. Profile
 * muster tries again at once, but not twice in a row; upstream leaves the group in its backoff.
 */
static void try_again(struct mst_engine *engine, const struct mst_group_try *t,
                      const struct mst_preemption *preemption)
{
    struct mst_group_row *g = &engine->cluster.groups.v[t->group];
    bool room = t->evicting && !preemption->ongoing && !preemption->victims.n;
    g->tried_again = room && !g->tried_again && !engine->config->upstream;
    if (g->tried_again)
        mst_queue_activate(engine->queue, true, t->group, engine->now_ns);
}

static void submit_failure(struct mst_engine *engine, struct mst_group_try *t,
                           const struct mst_preemption *preemption)
{
    const struct mst_preemptor preemptor = { .group = true, .row = t->group, .fw = t->fw };
    if (t->post.n) /* somebody looked for victims */
        mst_count_preemption(engine, true, preemption->code);
    mst_count_group(engine, t->fw->profile,
                    t->code == MST_ERROR ? MST_RESULT_ERROR
                    : t->evicting        ? MST_RESULT_WAITING
                                         : MST_RESULT_UNSCHEDULABLE);
    if (t->evicting)
        mst_engine_evict_begin(engine, &preemptor, preemption);
    struct mst_group_texts texts;
    mst_group_texts_of(engine, t, &engine->arena, &texts);
    bool error = t->code == MST_ERROR;
    for (uint32_t i = 0; i < t->member_count; i++)
        fail_member(engine, t, &t->members[i], &texts);
    mst_effect_group_status(engine, t->group, false, error ? "SchedulerError" : "Unschedulable",
                            error ? t->text : texts.condition);
    /* An error of the hook comes after the queue has made up its mind. */
    mst_queue_group_done(engine->queue, t->group,
                         error && !t->post.n ? MST_GROUP_ERROR : MST_GROUP_REJECTED,
                         engine->now_ns);
    if (t->evicting)
        mst_engine_evict(engine, &preemptor, preemption);
    try_again(engine, t, preemption);
}

/* Commits the trial if it succeeded, else takes it back. */
static void try_members(struct mst_engine *engine, struct mst_group_try *t)
{
    uint32_t mark = mst_txn_begin(&engine->cluster);
    mst_group_try(engine, t);
    if (t->code == MST_SUCCESS && !t->waits) {
        mst_txn_commit(&engine->cluster, mark);
        return;
    }
    for (uint32_t i = t->member_count; i-- > 0;) {
        mst_mark_begin(engine->marks, MST_PART_UNRESERVE);
        mst_engine_unreserve(engine, t->members[i].pod, true);
        if (t->members[i].state == MST_MEMBER_PLACED)
            mst_engine_mark(engine, MST_PART_UNRESERVE, t->fw, MST_SUCCESS, NULL);
    }
    mst_txn_rollback(&engine->cluster, mark);
}

static void submit(struct mst_engine *engine, struct mst_group_try *t,
                   const struct mst_preemption *preemption)
{
    if (!t->member_count)
        mst_queue_group_done(engine->queue, t->group, MST_GROUP_SUCCESS, engine->now_ns);
    else if (t->code == MST_SUCCESS)
        submit_success(engine, t);
    else
        submit_failure(engine, t, preemption);
}

bool mst_engine_group_cycle(struct mst_engine *engine, const struct mst_popped *popped)
{
    mst_assert(popped->pod_count > 0 && engine->cluster.groups.v[popped->id].known);
    struct mst_group_try t = mst_group_try_of(engine, popped);
    bool error;
    struct mst_str text = mst_group_refusal(engine, &t, &error);
    if (text.p) {
        refuse_all(engine, &t, error, text);
        return true;
    }
    mst_group_leave_out_deleting(engine, &t);
    struct mst_preemption preemption = { .code = MST_UNSCHEDULABLE };
    if (t.member_count)
        try_members(engine, &t);
    mst_group_nominations(engine, &t);
    if (!t.waits && t.member_count && t.code == MST_UNSCHEDULABLE)
        mst_group_look_for_victims(engine, &t, &preemption);
    if (t.waits)
        return false; /* nothing may have happened yet */
    for (uint32_t i = 0; i < popped->pod_count; i++)
        (void)mst_engine_skip_deleting(engine, popped->pods[i]);
    submit(engine, &t, &preemption);
    return true;
}
