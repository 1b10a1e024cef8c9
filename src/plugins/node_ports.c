/*
 * NodePorts - refuses nodes where a host port that the pod wants is taken.
 * Reads: the class's usage, nodes->port_pod_count, the pods of the rows that have some.
 * Requeue on: node added, pod with a port in the way deleted.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodeports/node_ports.go,
 *         pkg/scheduler/framework/types.go (HostPortInfo)
 */
#include "plugins/registry.h"

struct ports_state {
    const struct mst_usage *usage;
    mst_sym any_ip; /* 0.0.0.0 */
};

static bool port_conflicts(const struct mst_port *want, const struct mst_port *used, mst_sym any)
{
    return want->port == used->port && want->protocol == used->protocol &&
           (want->ip == any || used->ip == any || want->ip == used->ip);
}

/* `lost`: ports that do not count (cluster.h ports_as_set). */
static bool usages_conflict(const struct mst_usage *want, const struct mst_usage *used,
                            uint64_t lost, mst_sym any)
{
    for (uint32_t i = 0; i < want->ports.n; i++)
        for (uint32_t j = 0; j < used->ports.n; j++)
            if (!(j < 64 && lost >> j & 1) &&
                port_conflicts(&want->ports.v[i], &used->ports.v[j], any))
                return true;
    return false;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    const struct mst_usage *usage = mst_cluster_usage(view->cluster, klass->usage);
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    if (usage->ports.n == 0)
        return;
    struct ports_state *state = MST_NEW(arena, struct ports_state);
    state->usage = usage;
    state->any_ip = mst_sym_of_text(view->syms, "0.0.0.0");
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

static bool row_conflicts(const struct mst_cluster *cluster, uint32_t row,
                          const struct ports_state *state)
{
    for (uint32_t pod = cluster->nodes.first_pod[row]; pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next) {
        const struct mst_usage *used = mst_cluster_usage(cluster, cluster->pods.v[pod].usage);
        if (usages_conflict(state->usage, used, cluster->pods.v[pod].lost_ports, state->any_ip))
            return true;
    }
    return false;
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    mst_assert(state);
    for (uint32_t i = begin; i < end; i++)
        if (verdict[i] == MST_VERDICT_OK && view->nodes->port_pod_count[i] &&
            row_conflicts(view->cluster, i, state))
            verdict[i] = reject | 1;
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    (void)verdict;
    mst_reason_add(out, MST_STR("node(s) didn't have free ports for the requested pod ports"));
}

static mst_hint pod_deleted(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    mst_assert(event->pod != MST_ROW_NONE);
    const struct mst_pod_row *gone = &view->cluster->pods.v[event->pod];
    const bool in_the_way = usages_conflict(mst_cluster_usage(view->cluster, klass->usage),
                                            mst_cluster_usage(view->cluster, gone->usage), 0,
                                            mst_sym_of_text(view->syms, "0.0.0.0"));
    return in_the_way ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, pod_deleted },
    { MST_ON_NODE, MST_ACT_ADD, NULL },
};

const struct mst_plugin mst_plugin_node_ports = {
    .name = "NodePorts",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_PORTS,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .events = events,
    .event_count = MST_COUNT(events),
};
