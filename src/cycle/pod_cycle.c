/*
 * pod_cycle.c - one attempt for a pod that belongs to no group.
 *
 * Source: spec/scheduling.md 2.1, 3, 4.
 */
#include "cycle/engine_internal.h"

bool mst_engine_pod_cycle(struct mst_engine *engine, const struct mst_popped *popped)
{
    uint32_t pod = popped->id;
    if (mst_engine_skip_deleting(engine, pod))
        return true;
    const struct mst_framework *fw = &engine->frameworks[engine->cluster.pods.v[pod].profile];
    struct mst_pick pick;
    mst_eval_pick(&engine->evals, fw, pod, mst_engine_ties(engine), &engine->arena, &pick);
    if (pick.code == MST_WAIT)
        return false;
    if (pick.code == MST_SUCCESS) {
        mst_cluster_place(&engine->cluster, pod, pick.node);
        mst_engine_reserve(engine, fw, pod);
        mst_engine_bind(engine, pod);
        return true;
    }
    mst_engine_fail_pod(engine, pod, false,
                        &(struct mst_failure){
                            .error = pick.code == MST_ERROR,
                            .message = pick.message,
                            .slots = pick.slots,
                            /* no PostFilter plugin ran that could keep it (scheduling.md 4.6) */
                            .nominated = MST_NNN_CLEAR,
                        });
    return true;
}
