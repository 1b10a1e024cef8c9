/*
 * group_try.c - the members of a group placed one after another, as far as they go.
 *
 * Works on the open transaction of the caller and only looks and places: no effect, no queue.
 * Source: spec/scheduling.md 2.4, 4.2.
 */
#include "cycle/engine_internal.h"

struct mst_group_try mst_group_try_of(struct mst_engine *engine, const struct mst_popped *popped)
{
    struct mst_group_try t = {
        .group = popped->id,
        .fw = &engine->frameworks[engine->cluster.pods.v[popped->pods[0]].profile],
        .members = MST_NEW_N(&engine->arena, struct mst_member, popped->pod_count),
        .member_count = popped->pod_count,
    };
    for (uint32_t i = 0; i < popped->pod_count; i++)
        t.members[i].pod = popped->pods[i];
    return t;
}

void mst_group_leave_out_deleting(const struct mst_engine *engine, struct mst_group_try *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->member_count; i++)
        if (!engine->cluster.pods.v[t->members[i].pod].deleting)
            t->members[kept++] = t->members[i];
    t->member_count = kept;
}

/* True if the loop goes on. */
static bool ask_feasible(struct mst_engine *engine, struct mst_group_try *t, uint32_t remaining)
{
    struct mst_status status;
    struct mst_progress progress = { .scheduled = t->scheduled_before + t->placed,
                                     .remaining = remaining };
    mst_mark_begin(engine->marks, MST_PART_PLACEMENT_FEASIBLE);
    mst_framework_feasible(t->fw, t->group, progress, &engine->arena, &status);
    mst_engine_mark(engine, MST_PART_PLACEMENT_FEASIBLE, t->fw, status.code,
                    t->fw->gang_slot == MST_ROW_NONE
                        ? NULL
                        : mst_framework_slot_name(t->fw, t->fw->gang_slot));
    t->text = status.reason;
    switch (status.code) {
    case MST_SUCCESS:
    case MST_WAIT: t->code = status.code; return true;
    case MST_UNSCHEDULABLE: t->code = MST_UNSCHEDULABLE; return false;
    case MST_ERROR:
        t->text = mst_arena_printf(&engine->arena,
                                   "failed to evaluate placement feasibility: running "
                                   "PlacementFeasible plugin: %.*s",
                                   MST_ARG(status.reason));
        break;
    case MST_UNRESOLVABLE:
    case MST_SKIP:
    case MST_PENDING:
        t->text = mst_arena_printf(&engine->arena,
                                   "failed to evaluate placement feasibility: unexpected status "
                                   "from PlacementFeasible plugin: %s",
                                   mst_code_name(status.code));
        break;
    }
    t->code = MST_ERROR;
    return false;
}

/* False: extenders have to answer first. */
static bool try_member(struct mst_engine *engine, struct mst_group_try *t, struct mst_member *m)
{
    mst_engine_pick(engine, t->fw, m->pod, &m->pick);
    if (m->pick.code == MST_WAIT)
        return false;
    if (m->pick.code != MST_SUCCESS) {
        m->state = MST_MEMBER_REJECTED;
        return true;
    }
    m->state = MST_MEMBER_PLACED;
    t->placed++;
    mst_cluster_nominate(&engine->cluster, m->pod, MST_SYM_NONE);
    mst_cluster_place(&engine->cluster, m->pod, m->pick.node);
    mst_mark_begin(engine->marks, MST_PART_RESERVE);
    mst_engine_reserve(engine, t->fw, m->pod);
    mst_engine_mark(engine, MST_PART_RESERVE, t->fw, MST_SUCCESS, NULL);
    const struct mst_ranker *ranker = engine->evals.ranker;
    if (ranker)
        ranker->placed(ranker->ctx, m->pick.node);
    return true;
}

void mst_group_try(struct mst_engine *engine, struct mst_group_try *t)
{
    mst_assert(engine->cluster.txn_depth > 0);
    t->scheduled_before = engine->cluster.groups.v[t->group].scheduled_count;
    if (!ask_feasible(engine, t, t->member_count)) {
        t->refused_early = true;
        return;
    }
    for (uint32_t i = 0; i < t->member_count; i++) {
        struct mst_member *m = &t->members[i];
        t->waits = !try_member(engine, t, m);
        if (t->waits)
            return;
        if (m->pick.code == MST_ERROR) {
            t->code = MST_ERROR;
            t->text = mst_arena_printf(&engine->arena,
                                       "failed to schedule other pod from a pod group: %.*s",
                                       MST_ARG(m->pick.message));
            return;
        }
        if (!ask_feasible(engine, t, t->member_count - i - 1))
            return;
    }
    if (t->code == MST_WAIT)
        t->code = MST_UNSCHEDULABLE;
    t->nothing_new = t->code == MST_SUCCESS && t->placed == 0;
    if (t->nothing_new)
        t->code = MST_UNSCHEDULABLE;
}

/* ---- texts ---- */

#define GENERAL "pod group is unschedulable"

static struct mst_str join(struct mst_arena *arena, struct mst_str a, struct mst_str b)
{
    return mst_arena_printf(arena, "%.*s, %.*s", MST_ARG(a), MST_ARG(b));
}

/*
 * Profile upstream: the pieces as v1.37.2 strings them together. F, the text of the preemption
 * hook, is appended even when it is empty: a trailing ", ".
 */
static void texts_upstream(const struct mst_group_try *t, bool placements, struct mst_arena *arena,
                           struct mst_group_texts *out)
{
    const struct mst_str g = MST_STR(GENERAL);
    struct mst_str core; /* what a member gets that nobody looked at */
    if (t->nothing_new) {
        core = g;
    } else if (placements) {
        struct mst_str first = t->refused_early ? g : t->text;
        core = join(arena, g,
                    mst_arena_printf(arena,
                                     "0/1 placements are available, first placement status: %.*s",
                                     MST_ARG(first)));
    } else {
        core = t->refused_early ? join(arena, g, t->text) : t->text;
    }
    out->untried = core;
    out->condition = join(arena, core, t->post);
    out->placed = t->evicting ? out->condition : join(arena, g, out->condition);
}

/* Profile muster: the same pieces, each at most once, and always with the count. */
static void texts_muster(const struct mst_group_try *t, bool placements, struct mst_arena *arena,
                         struct mst_group_texts *out)
{
    const struct mst_str g = MST_STR(GENERAL);
    struct mst_str core = g;
    if (!t->nothing_new && placements)
        core = join(arena, g,
                    mst_arena_printf(arena,
                                     "0/1 placements are available, first placement status: %.*s",
                                     MST_ARG(t->text)));
    else if (!t->nothing_new)
        core = t->refused_early ? join(arena, g, t->text) : t->text;
    out->untried = core;
    out->condition = t->post.n ? join(arena, core, t->post) : core;
    bool general = t->evicting || t->nothing_new || placements || t->refused_early;
    out->placed = general ? out->condition : join(arena, g, out->condition);
}

void mst_group_texts_of(const struct mst_engine *engine, const struct mst_group_try *t,
                        struct mst_arena *arena, struct mst_group_texts *out)
{
    bool placements = engine->config->gates.on[MST_GATE_TopologyAwareWorkloadScheduling];
    if (engine->config->upstream)
        texts_upstream(t, placements, arena, out);
    else
        texts_muster(t, placements, arena, out);
}
