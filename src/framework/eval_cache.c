/*
 * eval_cache.c - which classes are worth remembering.
 *
 * A class that is asked for the first time is computed in one shared place: ten thousand pods that
 * all differ then touch the same small memory. From the second time on it has a place of its own,
 * until the budget is used up and it is the one not asked for the longest.
 */
#include "framework/eval_internal.h"

void mst_evals_init(struct mst_evals *evals, size_t budget)
{
    *evals = (struct mst_evals){ .budget = budget };
    evals->probation = mst_eval_new(evals);
}

void mst_evals_done(struct mst_evals *evals)
{
    for (uint32_t i = 0; i < evals->cached.n; i++)
        mst_eval_free(evals->cached.v[i]);
    mst_eval_free(evals->probation);
    mst_vec_done(&evals->cached);
    mst_vec_done(&evals->by_class);
    mst_vec_done(&evals->seen);
    mst_vec_done(&evals->scratch);
    mst_vec_done(&evals->tops);
    mst_vec_done(&evals->list_order);
    mst_vec_done(&evals->candidates);
    mst_vec_done(&evals->frame_verdict);
    mst_vec_done(&evals->kept);
    mst_vec_done(&evals->frame_total);
    mst_vec_done(&evals->frame_sum);
    for (uint32_t i = 0; i < MST_DOMAIN_SCORES_MAX; i++)
        mst_vec_done(&evals->frame_score[i]);
    *evals = (struct mst_evals){ 0 };
}

static void know_class(struct mst_evals *evals, uint32_t class_id)
{
    while (evals->by_class.n <= class_id) {
        mst_vec_push(&evals->by_class, NULL);
        mst_vec_push(&evals->seen, 0);
    }
}

/* Takes the place of whoever was asked least recently. */
static struct mst_eval *recycle(struct mst_evals *evals)
{
    struct mst_eval *oldest = evals->cached.v[0];
    for (uint32_t i = 1; i < evals->cached.n; i++)
        if (evals->cached.v[i]->last_used < oldest->last_used)
            oldest = evals->cached.v[i];
    evals->by_class.v[oldest->class_id] = NULL;
    mst_eval_clear(oldest);
    return oldest;
}

static struct mst_eval *place_for(struct mst_evals *evals, uint32_t class_id)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < evals->cached.n; i++)
        bytes += evals->cached.v[i]->bytes + evals->cached.v[i]->arena.bytes;
    evals->bytes = bytes;
    struct mst_eval *eval;
    if (bytes >= evals->budget && evals->cached.n > 1) {
        eval = recycle(evals);
    } else {
        eval = mst_eval_new(evals);
        mst_vec_push(&evals->cached, eval);
    }
    evals->by_class.v[class_id] = eval;
    return eval;
}

static bool current(const struct mst_eval *eval, const struct mst_framework *fw, uint32_t class_id,
                    uint64_t serial)
{
    const struct mst_nodes *nodes = fw->view.nodes;
    return eval->fw == fw && eval->class_id == class_id && eval->class_serial == serial &&
           eval->set_generation == nodes->set_generation &&
           eval->image_generation == nodes->image_generation &&
           eval->taint_set_count == nodes->taint_sets.n &&
           eval->plugin_generation ==
               mst_eval_generation(fw, mst_cluster_class(fw->view.cluster, class_id));
}

struct mst_eval *mst_eval_of(struct mst_evals *evals, const struct mst_framework *fw, uint32_t pod)
{
    const struct mst_cluster *cluster = fw->view.cluster;
    uint32_t class_id = cluster->pods.v[pod].class_id;
    uint64_t serial = mst_cluster_class(cluster, class_id)->serial;
    know_class(evals, class_id);
    struct mst_eval *eval = evals->by_class.v[class_id];
    if (!eval && evals->seen.v[class_id] == serial)
        eval = place_for(evals, class_id);
    else if (!eval)
        eval = evals->probation;
    evals->seen.v[class_id] = serial;
    if (current(eval, fw, class_id, serial)) {
        mst_eval_sync(eval);
    } else {
        mst_eval_clear(eval);
        mst_eval_compile(eval, fw, class_id);
        mst_eval_scan(eval);
    }
    eval->last_used = ++evals->clock;
    return eval;
}
