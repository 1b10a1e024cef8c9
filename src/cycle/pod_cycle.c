/*
 * pod_cycle.c - one attempt for a pod that belongs to no group.
 *
 * Source: spec/scheduling.md 2.1, 3, 4.
 */
#include "cycle/engine_internal.h"

struct mst_preempt mst_engine_preempt(struct mst_engine *engine, const struct mst_framework *fw)
{
    return (struct mst_preempt){ .evals = &engine->evals,
                                 .fw = fw,
                                 .now_ns = engine->now_ns,
                                 .arena = &engine->arena,
                                 .cache = engine->dry_cache };
}

/* PostFilter: victims for a pod that fits nowhere; says in `failure` what became of it. */
static void look_for_victims(struct mst_engine *engine, uint32_t pod,
                             const struct mst_framework *fw, const struct mst_pick *pick,
                             struct mst_pod_no *out)
{
    struct mst_preempt x = mst_engine_preempt(engine, fw);
    struct mst_failure *failure = &out->failure;
    mst_mark_begin(engine->marks, MST_PART_POST_FILTER);
    mst_mark_begin(engine->marks, MST_PART_PREEMPTION);
    mst_preempt_pod(&x, pod, pick, out->trials, &out->preemption);
    if (out->preemption.code == MST_WAIT)
        return;
    mst_engine_mark_preemption(engine, false, out->preemption.code);
    mst_engine_mark(engine, MST_PART_POST_FILTER, fw, out->preemption.code,
                    mst_framework_slot_name(fw, fw->preempts_pods));
    if (out->preemption.message.n)
        failure->message =
            mst_arena_printf(&engine->arena, "%.*s preemption: %.*s", MST_ARG(failure->message),
                             MST_ARG(out->preemption.message));
    failure->nominated = out->preemption.clears_nomination ? MST_NNN_CLEAR : MST_NNN_KEEP;
    if (out->preemption.code != MST_SUCCESS)
        return;
    failure->nominated = MST_NNN_SET;
    failure->node = engine->cluster.nodes.name[out->preemption.victims.node];
}

void mst_pod_no_of(struct mst_engine *engine, uint32_t pod, const struct mst_framework *fw,
                   const struct mst_pick *pick, mst_preempt_trials *trials, struct mst_pod_no *out)
{
    *out = (struct mst_pod_no){
        .failure = {
            .error = pick->code == MST_ERROR,
            .message = pick->message,
            .slots = pick->slots,
            .nominated = MST_NNN_CLEAR, /* unless a PostFilter plugin keeps it (4.6) */
        },
        .preemption = { .code = MST_UNSCHEDULABLE },
        .trials = trials,
    };
    out->asked = !out->failure.error && pick->eval && fw->preempts_pods != MST_ROW_NONE;
    if (out->asked)
        look_for_victims(engine, pod, fw, pick, out);
}

/* False: extenders that preempt have to answer first, and nothing has happened yet. */
static bool fail(struct mst_engine *engine, uint32_t pod, const struct mst_framework *fw,
                 const struct mst_pick *pick)
{
    struct mst_pod_no no;
    struct mst_preemptor preemptor = { .row = pod, .fw = fw, .fit_text = pick->message };
    mst_pod_no_of(engine, pod, fw, pick, NULL, &no);
    if (no.preemption.code == MST_WAIT)
        return false;
    if (no.asked)
        mst_count_preemption(engine, false, no.preemption.code);
    if (no.preemption.code == MST_SUCCESS)
        mst_engine_evict_begin(engine, &preemptor, &no.preemption);
    mst_engine_fail_pod(engine, pod, false, &no.failure);
    if (no.preemption.code == MST_SUCCESS)
        mst_engine_evict(engine, &preemptor, &no.preemption);
    return true;
}

bool mst_engine_pod_cycle(struct mst_engine *engine, const struct mst_popped *popped)
{
    uint32_t pod = popped->id;
    if (mst_engine_skip_deleting(engine, pod))
        return true;
    const struct mst_framework *fw = &engine->frameworks[engine->cluster.pods.v[pod].profile];
    struct mst_pick pick;
    mst_engine_pick(engine, fw, pod, &pick);
    if (pick.code == MST_WAIT)
        return false;
    if (pick.code == MST_SUCCESS) {
        mst_cluster_place(&engine->cluster, pod, pick.node);
        mst_mark_begin(engine->marks, MST_PART_RESERVE);
        mst_engine_reserve(engine, fw, pod);
        mst_engine_mark(engine, MST_PART_RESERVE, fw, MST_SUCCESS, NULL);
        mst_engine_mark_idle(engine, MST_PART_PERMIT, fw->profile, MST_SUCCESS);
        mst_engine_bind(engine, pod);
        return true;
    }
    return fail(engine, pod, fw, &pick);
}
