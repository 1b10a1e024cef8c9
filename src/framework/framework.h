/*
 * framework.h - one scheduler profile at work: its plugins in order, asked for a class or a pod.
 *
 * Owns:       the plugins' instances. Borrows the cluster, the configuration, the registry.
 * Invariants: a slot is the index of a plugin in the profile's list; sets of plugins are 64-bit
 * masks of slots and mean something only together with their framework. Not here:   verdicts that
 * outlive a call (eval.h).
 */
#ifndef MST_FRAMEWORK_H
#define MST_FRAMEWORK_H

#include "framework/config.h"
#include "framework/marks.h"
#include "framework/plugin_args.h"

struct mst_slot {
    const struct mst_plugin *plugin;
    void *instance;
    int64_t weight; /* as a Score plugin; 0 when it does not score */
};

struct mst_framework {
    struct mst_view view;
    struct mst_str scheduler_name; /* the configuration's */
    uint32_t profile;              /* its index */
    uint32_t missing;              /* MST_NEEDS_* that nobody here can judge */
    int64_t percentage_of_nodes;   /* 0: adaptive */
    struct mst_slot slots[MST_SLOTS_MAX];
    uint32_t slot_count;
    /* slots in the order in which they run */
    uint8_t pre_enqueue[MST_SLOTS_MAX], pre_filter[MST_SLOTS_MAX], filter[MST_SLOTS_MAX];
    uint8_t score[MST_SLOTS_MAX], pre_score[MST_SLOTS_MAX];
    uint8_t generation[MST_SLOTS_MAX]; /* slots with that hook */
    uint32_t generation_count;
    uint32_t pre_enqueue_count, pre_filter_count, filter_count, score_count, pre_score_count;
    /* Signatures (signature.h): whether pods can have one, and who is asked. */
    bool signs, refuses_claims;
    uint64_t signing; /* slots */
    bool has_permit;  /* GangScheduling at permit: the barrier of profile upstream */
    /* Who looks for victims for a lone pod, for a group; MST_ROW_NONE: nobody. */
    uint32_t preempts_pods, preempts_groups;
    struct mst_preemption_args preemption;
    bool extenders_choose;  /* some extender filters or prioritizes: one node is not enough */
    uint32_t extender_slot; /* the pseudo plugin (extender.h), MST_ROW_NONE without extenders */
    uint32_t gang_slot; /* who answers PlacementFeasible, MST_ROW_NONE: nobody, all is feasible */
};

mst_rc mst_framework_init(struct mst_framework *fw, struct mst_cluster *cluster,
                          const struct mst_config *config, uint32_t profile, struct mst_err *err)
    MST_WARN_UNUSED;
void mst_framework_done(struct mst_framework *fw);

/* The slot of a plugin by name, or MST_ROW_NONE. */
uint32_t mst_framework_slot(const struct mst_framework *fw, const char *name);
const char *mst_framework_slot_name(const struct mst_framework *fw, uint32_t slot);

/*
 * PreEnqueue for one pod: `first_slot` (MST_ROW_NONE: none) is asked first, then the configured
 * order; the first "no" ends it. out->plugin is the slot that gated. `marks`: single plugins are
 * measured; NULL: not.
 */
void mst_framework_pre_enqueue(const struct mst_framework *fw, uint32_t pod, uint32_t first_slot,
                               const struct mst_marks *marks, struct mst_arena *arena,
                               struct mst_status *out);

/* True if the plugin registered for the event (scheduling.md 1.7 "Matching"). */
bool mst_framework_listens(const struct mst_framework *fw, uint32_t slot,
                           const struct mst_cluster_event *event);
/* The plugin's hint; MST_HINT_SKIP when it did not register for the event. */
mst_hint mst_framework_hint(const struct mst_framework *fw, uint32_t slot, uint32_t pod,
                            const struct mst_cluster_event *event);

/* PlacementFeasible for what is placed so far (scheduling.md 0.1); without a plugin: feasible. */
void mst_framework_feasible(const struct mst_framework *fw, uint32_t group,
                            struct mst_progress progress, struct mst_arena *arena,
                            struct mst_status *out);

#endif
