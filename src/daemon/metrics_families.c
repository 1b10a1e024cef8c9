/*
 * metrics_families.c - kube-scheduler's families.
 *
 * Source: kubernetes v1.37 pkg/scheduler/metrics/metrics.go.
 */
#include "daemon/metrics_families.h"

/* clang-format off */
#define COUNTER(name_, stability_, help_, ...)                                                     \
    { .name = "scheduler_" name_, .stability = #stability_, .help = help_, .type = MST_COUNTER,    \
      .labels = { __VA_ARGS__ } }
#define GAUGE(name_, stability_, help_, ...)                                                       \
    { .name = "scheduler_" name_, .stability = #stability_, .help = help_, .type = MST_GAUGE,      \
      .labels = { __VA_ARGS__ } }
#define HISTOGRAM(name_, stability_, help_, start_, factor_, count_, ...)                          \
    { .name = "scheduler_" name_, .stability = #stability_, .help = help_, .type = MST_HISTOGRAM,  \
      .bucket_start = start_, .bucket_factor = factor_, .bucket_count = count_,                    \
      .labels = { __VA_ARGS__ } }

const struct mst_metric_family mst_families[MST_FAM_COUNT] = {
    [MST_FAM_SCHEDULE_ATTEMPTS] =
        COUNTER("schedule_attempts_total", STABLE,
                "Pods that were tried, by how it ended: bound, no room for now, or a failure of "
                "the scheduler or the API.", "result", "profile"),
    [MST_FAM_ATTEMPT_DURATION] =
        HISTOGRAM("scheduling_attempt_duration_seconds", STABLE,
                  "Time from the start of a pod's attempt to its end, binding included.",
                  0.001, 2, 15, "result", "profile"),
    [MST_FAM_ALGORITHM_DURATION] =
        HISTOGRAM("scheduling_algorithm_duration_seconds", BETA,
                  "Time that deciding about a single pod took.", 0.001, 2, 15, NULL),
    [MST_FAM_PREEMPTION_ATTEMPTS] =
        COUNTER("preemption_attempts_total", STABLE,
                "Searches for pods to evict in favour of a single pod.", NULL),
    [MST_FAM_PREEMPTION_VICTIMS] =
        HISTOGRAM("preemption_victims", STABLE,
                  "Pods chosen to be evicted in favour of a single pod.", 1, 2, 7, NULL),
    [MST_FAM_PENDING_PODS] =
        GAUGE("pending_pods", STABLE,
              "Pods that wait, by where: ready (active), until a time (backoff), for a change "
              "after they were tried (unschedulable) or before (gated), for their group's object "
              "(incomplete), for the end of their group's attempt (pending).", "queue"),
    [MST_FAM_QUEUED_ENTITIES] =
        GAUGE("queued_entities", ALPHA,
              "Single pods and pod groups that wait, by where.", "queue", "type"),
    [MST_FAM_INCOMING_PODS] =
        COUNTER("queue_incoming_pods_total", STABLE,
                "Pods that came into a queue, by the queue and the event that brought them.",
                "queue", "event"),
    [MST_FAM_INCOMING_ENTITIES] =
        COUNTER("queue_incoming_entities_total", ALPHA,
                "Single pods and pod groups that came into a queue, by the queue and the event "
                "that brought them.", "queue", "event", "type"),
    [MST_FAM_POD_ATTEMPTS] =
        HISTOGRAM("pod_scheduling_attempts", STABLE,
                  "Attempts that a pod needed until it was bound.", 1, 2, 5, NULL),
    [MST_FAM_SLI_DURATION] =
        HISTOGRAM("pod_scheduling_sli_duration_seconds", BETA,
                  "Time from when a pod was first ready to be tried until it was bound, by the "
                  "attempts it took.", 0.01, 2, 20, "attempts"),
    [MST_FAM_AFTER_FLUSH] =
        COUNTER("pod_scheduled_after_flush_total", ALPHA,
                "Pods that were bound after nothing but the timeout of the unschedulable queue "
                "had woken them: an event may be missing.", NULL),
    [MST_FAM_UNSCHEDULABLE_PODS] =
        GAUGE("unschedulable_pods", BETA,
              "Waiting pods by the plugin that rejected or gated them; a pod counts once for each.",
              "plugin", "profile"),
    [MST_FAM_CACHE_SIZE] =
        GAUGE("cache_size", ALPHA,
              "Nodes, pods with a node, and those of them whose binding is not confirmed.", "type"),
    [MST_FAM_BATCH_ATTEMPTS] =
        COUNTER("batch_attempts_total", ALPHA,
                "Pods that asked for the nodes of an equal pod before them, by what came of it.",
                "profile", "result"),
    [MST_FAM_BATCH_FLUSHED] =
        COUNTER("batch_cache_flushed_total", ALPHA,
                "Lists of nodes that could not be used for the next pod, by the reason.",
                "profile", "reason"),
    [MST_FAM_BATCH_RESCORES] =
        COUNTER("batch_rescore_attempts_total", ALPHA,
                "Nodes that had room for one more equal pod and were scored again.", "profile"),
    [MST_FAM_GOROUTINES] =
        GAUGE("goroutines", BETA,
              "Work that is under way beside decisions: bindings that are not answered.",
              "operation"),
    [MST_FAM_POINT_DURATION] =
        HISTOGRAM("framework_extension_point_duration_seconds", STABLE,
                  "Time that all plugins of an extension point took for a pod.",
                  0.0001, 2, 12, "extension_point", "status", "profile"),
    [MST_FAM_PLUGIN_DURATION] =
        HISTOGRAM("plugin_execution_duration_seconds", BETA,
                  "Time that a call of one plugin took, in one of ten attempts.",
                  0.00001, 1.5, 20, "plugin", "extension_point", "status"),
    [MST_FAM_HINT_DURATION] =
        HISTOGRAM("queueing_hint_execution_duration_seconds", ALPHA,
                  "Time that a plugin took to say whether an event may help a waiting pod.",
                  0.00001, 1.5, 20, "plugin", "event", "hint"),
    [MST_FAM_EVENT_DURATION] =
        HISTOGRAM("event_handling_duration_seconds", ALPHA,
                  "Time that taking in a change of the cluster took.", 0.0001, 2, 12, "event"),
    [MST_FAM_NODE_HINT_DURATION] =
        HISTOGRAM("get_node_hint_duration_seconds", ALPHA,
                  "Time that a look for the node of an equal pod before took.",
                  0.00001, 2, 12, "hinted", "profile"),
    [MST_FAM_RESCORE_DURATION] =
        HISTOGRAM("batch_rescore_duration_seconds", ALPHA,
                  "Time that scoring the node chosen last once more took.",
                  0.00001, 2, 12, "profile"),
    [MST_FAM_STORE_DURATION] =
        HISTOGRAM("store_schedule_results_duration_seconds", ALPHA,
                  "Time that keeping a pod's nodes for the next equal pod took.",
                  0.00001, 2, 12, "profile"),
    [MST_FAM_EVICTIONS] =
        COUNTER("preemption_goroutines_execution_total", ALPHA,
                "Preemptions that were carried out, by whether all evictions succeeded.",
                "result"),
    [MST_FAM_EVICTION_DURATION] =
        HISTOGRAM("preemption_goroutines_duration_seconds", ALPHA,
                  "Time that the evictions of a preemption took.", 0.01, 2, 20, "result"),
    [MST_FAM_GROUP_ATTEMPTS] =
        COUNTER("podgroup_schedule_attempts_total", ALPHA,
                "Pod groups that were tried, by how it ended.", "result", "profile"),
    [MST_FAM_GROUP_DURATION] =
        HISTOGRAM("podgroup_scheduling_attempt_duration_seconds", ALPHA,
                  "Time from the start of a pod group's attempt to its end, without binding.",
                  0.001, 2, 15, "result", "profile"),
    [MST_FAM_GROUP_ALGORITHM] =
        HISTOGRAM("podgroup_scheduling_algorithm_duration_seconds", ALPHA,
                  "Time that deciding about a pod group took.", 0.001, 2, 15, NULL),
    [MST_FAM_GROUP_PREEMPTIONS] =
        COUNTER("workload_preemption_attempts_total", ALPHA,
                "Searches for pods to evict in favour of a pod group, by how they ended.",
                "result"),
    [MST_FAM_GROUP_VICTIMS] =
        HISTOGRAM("workload_preemption_victims", ALPHA,
                  "Pods chosen to be evicted in favour of a pod group.", 1, 2, 11, NULL),
    [MST_FAM_GROUP_DISRUPTIONS] =
        HISTOGRAM("preemption_workload_disruptions", ALPHA,
                  "Pod groups, or pods of groups, that a preemption hits.", 1, 2, 11,
                  "preemptor"),
    [MST_FAM_PREEMPTION_EVALUATION] =
        HISTOGRAM("preemption_evaluation_duration_seconds", ALPHA,
                  "Time that a search for pods to evict took, without the evictions.",
                  0.001, 2, 16, "preemptor", "result"),
    [MST_FAM_PREEMPTION_EXECUTION] =
        HISTOGRAM("preemption_execution_duration_seconds", ALPHA,
                  "Time from the choice of victims until the last eviction was answered.",
                  0.001, 2, 16, "preemptor", "result"),
    [MST_FAM_PDB_VIOLATIONS] =
        COUNTER("preemption_pdb_violations_total", ALPHA,
                "Victims that a disruption budget would have protected.", "preemptor"),
};
/* clang-format on */

mst_gate mst_family_gate(mst_fam family)
{
    if (family < MST_FAM_EVICTIONS)
        return MST_GATE_COUNT;
    return family <= MST_FAM_EVICTION_DURATION ? MST_GATE_SchedulerAsyncPreemption
                                               : MST_GATE_GenericWorkload;
}
