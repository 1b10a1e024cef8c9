/*
 * batch.h - opportunistic batching (KEP-5598): the nodes that one pod did not take, as first tries
 * for the next pod of the same signature.
 *
 * A batch belongs to one profile. What it remembers may be out of date: the hint is only the node
 * that is tried first, but if that node takes the pod, nobody else is asked. Profile upstream has
 * it, because it can be seen; profile muster does not.
 *
 * Owns:       the list of nodes by name with their scores.
 * Invariants: nothing here changes what a pod's own evaluation says of a node.
 * Source:     kubernetes v1.37 pkg/scheduler/framework/runtime/batch.go; spec/scheduling.md 3.7.
 */
#ifndef MST_BATCH_H
#define MST_BATCH_H

#include "framework/eval.h"
#include "framework/signature.h"

/* Why a list could not be used, or none was made. */
typedef enum {
    MST_BATCH_USABLE,
    MST_BATCH_POD_FAILED,
    MST_BATCH_POD_SKIPPED,
    MST_BATCH_POD_NOMINATED,
    MST_BATCH_NODE_MISSING,
    MST_BATCH_EMPTY_LIST,
    MST_BATCH_EXPIRED,
    MST_BATCH_POD_INCOMPATIBLE,
    MST_BATCH_POD_NOT_BATCHABLE,
    MST_BATCH_FLUSH_COUNT,
} mst_batch_flush;

/* For metrics, since the beginning; nothing reads it here. */
struct mst_batch_counts {
    uint64_t no_hint, hint_used, hint_not_used, rescores;
    uint64_t flushed[MST_BATCH_FLUSH_COUNT];
};

struct mst_batch {
    struct mst_batch_counts counts;
    /* the list; live only together with a signature */
    struct mst_signature signature;
    int64_t created_ns;
    uint32_t width; /* raw scores per node: Score plugins of the profile */
    mst_sym hinted; /* what the pod at hand was given */
    MST_VEC(mst_sym) names;
    MST_VEC(int64_t) totals;
    MST_VEC(int64_t) raws; /* [entry * width + place in the order of Score plugins] */
    /* the last pod that found a node */
    bool chosen;
    uint32_t cycle;
    mst_sym node;
    /* of a call */
    MST_VEC(uint32_t) rows;
    MST_VEC(mst_verdict) verdict;
    MST_VEC(int64_t) column;
};

void mst_batch_done(struct mst_batch *batch);

/* One pod that asks: what mst_eval_pick_batched needs to know. */
struct mst_batch_ask {
    struct mst_batch *batch;
    struct mst_signature signature; /* of the pod */
    uint32_t cycle;                 /* number of the attempt; members of one group share it */
    int64_t now_ns;
    bool groups; /* gate GenericWorkload: such a shared number counts as following */
};

/*
 * The node to try first, taken from the list; MST_SYM_NONE: no hint. A nominated pod gets
 * none. The evaluation is the asking pod's, opened; PreFilter let it pass.
 */
mst_sym mst_batch_hint(const struct mst_batch_ask *ask, struct mst_eval *eval, uint32_t pod,
                       struct mst_rng *rng);
/* The pod got `row`, the best of all that are feasible as the evaluation stands: the others are the
 * list. */
void mst_batch_store(const struct mst_batch_ask *ask, struct mst_eval *eval, uint32_t row);
/* The pod got this node. `list`: what is remembered of the others still holds. */
void mst_batch_chose(const struct mst_batch_ask *ask, mst_sym node, bool list);

#endif
