/*
 * preempt.h - who would have to go, so that a pod or a group finds room.
 *
 * Everything here only looks: it works on transactions that it takes back, and says what it would
 * do. Carrying it out is the cycle's business (cycle/evict.c).
 *
 * Owns:       nothing; results live in the arena given.
 * Invariants: a unit (a pod, or the running pods of a group that is disrupted as a whole) goes or
 *             stays as one; nobody of a priority as high as the preemptor's goes.
 * Source:     spec/preemption.md; kubernetes v1.37 pkg/scheduler/framework/preemption.
 */
#ifndef MST_PREEMPT_H
#define MST_PREEMPT_H

#include "cluster/awaited.h"
#include "framework/eval.h"

/* What earlier searches found out, so that pods that are alike need not ask again. */
struct mst_dry_cache;
struct mst_dry_cache *mst_dry_cache_new(void);
void mst_dry_cache_free(struct mst_dry_cache *cache);

/* What a search works with. */
struct mst_preempt {
    struct mst_evals *evals;
    const struct mst_framework *fw; /* the preemptor's */
    int64_t now_ns;                 /* the start time of pods that have none */
    struct mst_arena *arena;
    struct mst_dry_cache *cache; /* NULL: none */
};

/* Who goes, in order of importance; each unit's pods by name. */
struct mst_victims {
    uint32_t node; /* row where the room is made, MST_ROW_NONE: anywhere in the cluster */
    const uint32_t *pods;
    uint32_t n;
    uint32_t violations;        /* of disruption budgets, counted as spec/preemption.md 4 does */
    uint32_t group_disruptions; /* units that are groups, or pods of groups in upstream's count */
};

struct mst_nomination {
    uint32_t pod, node;
};

struct mst_preemption {
    /*
     * MST_SUCCESS, MST_UNSCHEDULABLE, MST_UNRESOLVABLE, MST_ERROR; MST_WAIT: extenders have to
     * answer first, and nothing else means anything.
     */
    mst_code code;
    struct mst_str message; /* of PostFilter, without its prefix */
    bool clears_nomination; /* a lone pod's: preemption cannot help it */
    bool proven;            /* nobody better could go instead, as far as the order says */
    bool ongoing;           /* a group's: victims of before are still going; nobody else goes */
    struct mst_victims victims;
    /* of a group: where each pod shall go (MST_ROW_NONE: no node, its nomination ends) */
    const struct mst_nomination *nominations;
    uint32_t nomination_count;
};

/* One node's dry run, for people. */
struct mst_preempt_trial {
    uint32_t node;
    bool helps;
    struct mst_victims victims; /* when it helps */
    struct mst_str why_not;     /* when it does not */
};
typedef MST_VEC(struct mst_preempt_trial) mst_preempt_trials;

/*
 * For a lone pod that fits nowhere (spec/preemption.md 5).
 *
 * pick     the failed pick of this pod, before anything else was asked.
 * trials   NULL, or gets every dry run: then all nodes that could help are tried, however many.
 */
void mst_preempt_pod(const struct mst_preempt *x, uint32_t pod, const struct mst_pick *pick,
                     mst_preempt_trials *trials, struct mst_preemption *out);
/* False: the pod may not preempt now; *ret_why says why (spec/preemption.md 3). */
bool mst_preempt_eligible(const struct mst_preempt *x, uint32_t pod, const struct mst_pick *pick,
                          struct mst_str *ret_why);

/* Where the group's members went in a trial, in the order of scheduling. */
struct mst_assignment {
    uint32_t pod, node;
    uint64_t skips; /* mst_pick.skips */
};
struct mst_trial_placement {
    mst_code code; /* MST_SUCCESS, or why not, with the text */
    struct mst_str text;
    struct mst_assignment *v;
    uint32_t n;
};
/*
 * A group's way to be placed, on the open transaction.
 *
 * place    the whole algorithm, leaving the pods where they went; tells evals->ranker of each
 * reserve  one pod was placed: sets aside what else it needs; unreserve takes that back
 */
struct mst_group_placer {
    void *ctx;
    void (*place)(void *ctx, struct mst_trial_placement *out);
    void (*reserve)(void *ctx, uint32_t pod);
    void (*unreserve)(void *ctx, uint32_t pod);
};

struct mst_preempting_group {
    uint32_t group;
    const uint32_t *pods; /* members without a node, in scheduling order */
    uint32_t pod_count;
    bool never; /* its preemption policy is Never */
    const struct mst_group_placer *placer;
};
/*
 * Would these pods, in scheduling order, pass their filters where they are to go, if those were
 * gone? `placer` as above; it may be NULL for one pod. O(pods * plugins).
 */
bool mst_preempt_fits(const struct mst_preempt *x, const struct mst_group_placer *placer,
                      const struct mst_assignment *v, uint32_t n, const uint32_t *gone,
                      uint32_t gone_count);
/*
 * Is the volume still attached to its node, without a pod there that keeps it? O(attachments and
 * pods of the node).
 */
bool mst_awaited_is_attached(const struct mst_view *view, const struct mst_awaited_volume *volume);
/* Does the preemptor of this UID wait for volumes to be detached from the node? */
bool mst_awaits_volumes(const struct mst_view *view, struct mst_str uid, mst_sym node);

/* For a group that is unschedulable (spec/preemption.md 6). */
void mst_preempt_group(const struct mst_preempt *x, const struct mst_preempting_group *group,
                       struct mst_preemption *out);

#endif
