/*
 * explain_internal.h - what the files of the explanation share.
 */
#ifndef MST_EXPLAIN_INTERNAL_H
#define MST_EXPLAIN_INTERNAL_H

#include "cycle/engine_internal.h"
#include "cycle/explain.h"

/* One trial of everything that waits, without stopping at the first "no". */
struct mst_trial {
    struct mst_engine *engine;
    const struct mst_framework *fw;
    bool group;
    uint32_t id;
    struct mst_member *members;
    uint32_t member_count;
    uint32_t placed;
    int64_t min_count;  /* pods that must run together; 1 for a lone pod */
    uint32_t scheduled; /* of the group, before */
    struct mst_arena *arena;
};

/* How many more members must find a node. */
static inline uint32_t mst_trial_missing(const struct mst_trial *t)
{
    int64_t missing = t->min_count - t->scheduled - t->placed;
    if (missing <= 0 && t->placed == 0 && t->member_count)
        return 1; /* the quorum stands, yet nobody new would run */
    return missing > 0 ? (uint32_t)missing : 0;
}

/*
 * Appends what would help to out->fixes, cheapest first. The trial's placements must be on the open
 * transaction.
 */
void mst_explain_fixes(const struct mst_trial *t, struct mst_explanation *out);

/* Amount of a resource as people write it: "1500m", "4Gi", "8". */
struct mst_str mst_amount_text(const struct mst_trial *t, uint32_t resource, int64_t amount);

#endif
