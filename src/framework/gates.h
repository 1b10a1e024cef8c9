/*
 * gates.h - feature gates: names, defaults of both behaviour profiles, locks, dependencies.
 *
 * Source: spec/scheduling.md 5.2, spec/api.md 1.
 */
#ifndef MST_GATES_H
#define MST_GATES_H

#include "base/err.h"
#include "base/mem.h"

/* X(name, default upstream, default muster, locked) */
#define MST_GATES(X)                                                                               \
    X(GenericWorkload, false, true, false)                                                         \
    X(TopologyAwareWorkloadScheduling, false, true, false)                                         \
    X(CompositePodGroup, false, true, false)                                                       \
    X(PodGroupPreemptionPolicy, false, true, false)                                                \
    X(DRAWorkloadResourceClaims, false, true, false)                                               \
    X(WorkloadWithJob, false, true, false)                                                         \
    X(DynamicResourceAllocation, true, true, true)                                                 \
    X(NodeDeclaredFeatures, true, true, true)                                                      \
    X(OpportunisticBatching, true, true, false)                                                    \
    X(NominatedNodeNameForExpectation, true, true, false)                                          \
    X(ClearingNominatedNodeNameAfterBinding, true, true, false)                                    \
    X(SchedulerAsyncPreemption, true, true, false)                                                 \
    X(SchedulerPopFromBackoffQ, true, true, false)                                                 \
    X(SchedulerAsyncAPICalls, false, false, false)                                                 \
    X(StorageCapacityScoring, true, true, false)                                                   \
    X(VolumeLimitScaling, true, true, false)                                                       \
    X(PodLevelResources, true, true, false)                                                        \
    X(InPlacePodVerticalScaling, true, true, true)                                                 \
    X(InPlacePodLevelResourcesVerticalScaling, true, true, false)                                  \
    X(SchedulerPreQueueingHints, false, false, false)                                              \
    X(InterPodAffinityHostnameFastPath, false, false, false)                                       \
    X(InPlacePodVerticalScalingSchedulerPreemption, false, false, false)                           \
    X(TaintTolerationComparisonOperators, false, false, false)                                     \
    X(DRAExtendedResource, true, true, true)                                                       \
    X(DRANodeAllocatableResources, false, false, false)                                            \
    X(WatchListClient, true, false, false)

typedef enum {
#define X(name, upstream, muster, locked) MST_GATE_##name,
    MST_GATES(X)
#undef X
        MST_GATE_COUNT
} mst_gate;

struct mst_gates {
    bool on[MST_GATE_COUNT];
    uint32_t minor; /* of the version 1.x that is emulated; 0: this one, 1.37 */
};

enum { MST_GATES_MINOR = 37, MST_GATES_OLDEST_MINOR = 34 };

void mst_gates_default(struct mst_gates *gates, bool upstream);
/*
 * As mst_gates_default, for a version 1.`minor` that a v1.37 component can emulate: gates that came
 * later, or were not yet on or locked then, are as they were.
 */
void mst_gates_emulate(struct mst_gates *gates, bool upstream, uint32_t minor);
/*
 * Applies "A=true,B=false" (also AllAlpha, AllBeta). An unknown name is an error in profile
 * upstream and a line in `warnings` otherwise; a locked gate set to another value is an error in
 * both. All errors at once, one per line in `errors`, upstream's wording.
 */
bool mst_gates_set(struct mst_gates *gates, struct mst_str list, bool upstream,
                   struct mst_buf *errors, struct mst_buf *warnings);
/* Checks dependencies: "X is enabled, but depends on features that are disabled: [A B]". */
bool mst_gates_check(const struct mst_gates *gates, struct mst_buf *errors);
const char *mst_gate_name(mst_gate gate);
/*
 * "ALPHA", "BETA", or "" when it is finished; in the version that is emulated. One that came later
 * is at the stage that it came at.
 */
const char *mst_gate_stage(const struct mst_gates *gates, mst_gate gate);
/* A gate of Kubernetes v1.37 that concerns other components only: taken, and of no effect. */
bool mst_gate_is_of_others(struct mst_str name);

#endif
