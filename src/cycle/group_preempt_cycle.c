/*
 * group_preempt_cycle.c - a group that was rejected looks for victims.
 *
 * Runs the group's own algorithm again on the emptied cluster (preempt/ asks for it) and turns the
 * answer into texts and nominations; the evictions themselves are evict.c's.
 *
 * Source: spec/preemption.md 3, 6, 7; kubernetes v1.37 pkg/scheduler/schedule_one_podgroup.go.
 */
#include "cycle/engine_internal.h"

/*
 * Upstream leaves the nomination of a member that was not placed; muster only where it still may
 * come true.
 */
static bool keeps_nomination(const struct mst_engine *engine, uint32_t pod)
{
    return engine->cluster.nodes.count &&
           (engine->config->upstream || engine->cluster.pods.v[pod].never_preempts);
}

void mst_group_nominations(const struct mst_engine *engine, struct mst_group_try *t)
{
    for (uint32_t i = 0; i < t->member_count; i++) {
        struct mst_member *m = &t->members[i];
        bool keeps = m->state != MST_MEMBER_PLACED && keeps_nomination(engine, m->pod);
        m->nominated = keeps ? MST_NNN_KEEP : MST_NNN_CLEAR;
    }
}

/* ---- the algorithm on another cluster ---- */

static void place(void *ctx, struct mst_trial_placement *out)
{
    struct mst_placing *rerun = ctx;
    struct mst_engine *engine = rerun->engine;
    struct mst_group_try t = {
        .group = rerun->t->group,
        .fw = rerun->t->fw,
        .members = MST_NEW_N(&engine->arena, struct mst_member, rerun->t->member_count),
        .member_count = rerun->t->member_count,
    };
    for (uint32_t i = 0; i < t.member_count; i++)
        t.members[i].pod = rerun->t->members[i].pod;
    mst_nodes_hide_images(&engine->cluster.nodes, engine->config->upstream);
    mst_group_try(engine, &t);
    mst_nodes_hide_images(&engine->cluster.nodes, false);
    out->code = t.waits ? MST_WAIT : t.code;
    out->text = t.text;
    if (t.code == MST_UNSCHEDULABLE) {
        struct mst_group_texts texts;
        mst_group_texts_of(engine, &t, &engine->arena, &texts);
        out->text = texts.untried;
    }
    out->v = MST_NEW_N(&engine->arena, struct mst_assignment, t.member_count);
    for (uint32_t i = 0; i < t.member_count; i++)
        if (t.members[i].state == MST_MEMBER_PLACED)
            out->v[out->n++] = (struct mst_assignment){ .pod = t.members[i].pod,
                                                        .node = t.members[i].pick.node,
                                                        .skips = t.members[i].pick.skips };
}

static void reserve(void *ctx, uint32_t pod)
{
    struct mst_placing *rerun = ctx;
    mst_engine_reserve(rerun->engine, rerun->fw, pod);
}

static void unreserve(void *ctx, uint32_t pod)
{
    struct mst_placing *rerun = ctx;
    mst_engine_unreserve(rerun->engine, pod, true);
}

struct mst_group_placer mst_engine_placer(struct mst_placing *placing)
{
    return (struct mst_group_placer){
        .ctx = placing, .place = place, .reserve = reserve, .unreserve = unreserve
    };
}

/* ---- the answer ---- */

bool mst_group_never_preempts(const struct mst_engine *engine, const struct mst_group_try *t)
{
    const struct mst_group_row *g = &engine->cluster.groups.v[t->group];
    bool gate = engine->config->gates.on[MST_GATE_PodGroupPreemptionPolicy];
    bool of_group = engine->config->upstream ? gate : g->preemption_policy != MST_SYM_NONE;
    if (of_group)
        return g->preemption_policy != MST_SYM_NONE &&
               mst_str_is(mst_sym_str(engine->syms, g->preemption_policy), "Never");
    for (uint32_t i = 0; i < t->member_count; i++)
        if (engine->cluster.pods.v[t->members[i].pod].never_preempts)
            return true;
    return false;
}

static struct mst_member *member_of(struct mst_group_try *t, uint32_t pod)
{
    for (uint32_t i = 0; i < t->member_count; i++)
        if (t->members[i].pod == pod)
            return &t->members[i];
    mst_assert(!"a nomination for a stranger");
    return NULL;
}

/* Nominations come in the order of the members, with gaps. */
static void take_seats(struct mst_engine *engine, struct mst_group_try *t,
                       const struct mst_preemption *p)
{
    for (uint32_t i = 0; i < t->member_count; i++)
        t->members[i].nominated = MST_NNN_KEEP;
    for (uint32_t i = 0; i < p->nomination_count; i++) {
        uint32_t node = p->nominations[i].node;
        struct mst_member *m = member_of(t, p->nominations[i].pod);
        m->nominated = node == MST_ROW_NONE ? MST_NNN_CLEAR : MST_NNN_SET;
        if (node != MST_ROW_NONE)
            m->seat = engine->cluster.nodes.name[node];
    }
}

/* Too few pods exist: evicting cannot help (profile muster, spec/preemption.md 14). */
static bool is_pointless(const struct mst_engine *engine, const struct mst_group_try *t)
{
    return !engine->config->upstream && t->refused_early;
}

void mst_group_look_for_victims(struct mst_engine *engine, struct mst_group_try *t,
                                struct mst_preemption *out)
{
    if (t->fw->preempts_groups == MST_ROW_NONE || is_pointless(engine, t))
        return;
    struct mst_placing placing = { .engine = engine, .fw = t->fw, .t = t };
    const struct mst_group_placer placer = mst_engine_placer(&placing);
    uint32_t *pods = MST_NEW_N(&engine->arena, uint32_t, t->member_count);
    for (uint32_t i = 0; i < t->member_count; i++)
        pods[i] = t->members[i].pod;
    const struct mst_preempting_group group = {
        .group = t->group,
        .pods = pods,
        .pod_count = t->member_count,
        .never = !t->asks_what_if && mst_group_never_preempts(engine, t),
        .placer = &placer,
    };
    struct mst_preempt x = mst_engine_preempt(engine, t->fw);
    mst_mark_begin(engine->marks, MST_PART_GROUP_POST_FILTER);
    mst_mark_begin(engine->marks, MST_PART_PREEMPTION);
    mst_preempt_group(&x, &group, out);
    if (out->code == MST_WAIT) { /* extenders have to say where the members would go */
        t->waits = true;
        return;
    }
    mst_engine_mark_preemption(engine, true, out->code);
    mst_engine_mark(engine, MST_PART_GROUP_POST_FILTER, t->fw, out->code,
                    mst_framework_slot_name(t->fw, t->fw->preempts_groups));
    t->post = mst_arena_printf(&engine->arena, "pod group preemption: %.*s", MST_ARG(out->message));
    if (out->code == MST_ERROR) {
        t->code = MST_ERROR;
        t->text =
            mst_arena_printf(&engine->arena, "error in \"%s\" PodGroupPostFilter plugins: %.*s",
                             mst_framework_slot_name(t->fw, t->fw->preempts_groups),
                             MST_ARG(t->post));
    }
    t->evicting = out->code == MST_SUCCESS;
    if (t->evicting)
        take_seats(engine, t, out);
}
