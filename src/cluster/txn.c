/*
 * txn.c - pods on and off nodes, and taking that back.
 *
 * Invariants: the log holds one entry per change since the outermost begin; undoing newest first
 * finds every list as the change left it, so links and sums come back byte for byte. Sums wrap like
 * upstream's int64, which makes adding and subtracting exact inverses for any input.
 */
#include "cluster/cluster_internal.h"
#include "cluster/volumes_internal.h"

static void add_wrapping(int64_t *sum, int64_t amount)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)amount);
}

void mst_cluster_nominee_changed(struct mst_cluster *cluster, uint32_t pod)
{
    mst_sym name = cluster->pods.v[pod].nominated;
    uint32_t row =
        name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&cluster->nodes, name);
    if (row != MST_ROW_NONE)
        mst_nodes_restamp(&cluster->nodes, row);
}

/* sign +1 or -1. */
static void account(struct mst_cluster *cluster, uint32_t pod, uint32_t node, int sign)
{
    struct mst_nodes *nodes = &cluster->nodes;
    const struct mst_usage *usage = cluster->usages.v[cluster->pods.v[pod].usage];
    for (uint32_t i = 0; i < usage->amounts.n; i++)
        add_wrapping(&nodes->requested[usage->amounts.v[i].resource][node],
                     sign * usage->amounts.v[i].amount);
    add_wrapping(&nodes->nonzero_cpu[node], sign * usage->nonzero_cpu);
    add_wrapping(&nodes->nonzero_memory[node], sign * usage->nonzero_memory);
    nodes->pod_count[node] += (uint32_t)sign;
    if (usage->ports.n)
        nodes->port_pod_count[node] += (uint32_t)sign;
    const struct mst_affinity *affinity =
        mst_cluster_affinity(cluster, cluster->pods.v[pod].affinity);
    if (affinity) {
        nodes->affinity_pod_count[node] += (uint32_t)sign;
        nodes->anti_pod_count[node] += affinity->anti.required.n ? (uint32_t)sign : 0;
    }
    if (cluster->pods.v[pod].volumes) {
        nodes->volume_pod_count[node] += (uint32_t)sign;
        mst_claims_count(cluster, cluster->pods.v[pod].volumes, sign);
    }
    mst_nodes_touch(nodes, node);
    mst_cluster_nominee_changed(cluster, pod); /* who is on a node holds no place elsewhere */
}

/* ---- who is away ---- */

/* It runs somewhere as far as the world knows, but the transaction has taken it off. */
static void goes_away(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    if (!p->volumes || !(p->assigned || p->assumed))
        return;
    uint32_t home = mst_nodes_row(&cluster->nodes, p->node_name);
    mst_assert(!p->away && home != MST_ROW_NONE);
    p->away = true;
    mst_list_push(cluster, MST_PODS_AWAY, &cluster->nodes.first_away[home], pod);
}

static void comes_back(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    if (!p->away)
        return;
    uint32_t home = mst_nodes_row(&cluster->nodes, p->node_name);
    p->away = false;
    mst_list_remove(cluster, MST_PODS_AWAY, &cluster->nodes.first_away[home], pod, NULL);
}

/* ---- host ports as a set ---- */

enum { PORTS_MAX = 64 };

static uint32_t port_count(const struct mst_cluster *cluster, uint32_t pod)
{
    uint32_t n = cluster->usages.v[cluster->pods.v[pod].usage]->ports.n;
    return cluster->ports_as_set ? MST_MIN(n, (uint32_t)PORTS_MAX) : 0;
}

/*
 * Port i of the pod, which is not on the list: whether it is lost for those on the row that have
 * it, too, and, with `set`, whether it shall be.
 */
static bool port_lost(struct mst_cluster *cluster, uint32_t pod, uint32_t i, uint32_t row, bool set,
                      bool lost)
{
    const struct mst_port *want = &cluster->usages.v[cluster->pods.v[pod].usage]->ports.v[i];
    bool was = false;
    for (uint32_t at = cluster->nodes.first_pod[row]; at != MST_ROW_NONE;
         at = cluster->pods.v[at].node_next) {
        const struct mst_usage *usage = cluster->usages.v[cluster->pods.v[at].usage];
        for (uint32_t k = 0; k < port_count(cluster, at); k++) {
            const struct mst_port *port = &usage->ports.v[k];
            uint64_t bit = (uint64_t)1 << k;
            if (port->port != want->port || port->ip != want->ip ||
                port->protocol != want->protocol)
                continue;
            was |= (cluster->pods.v[at].lost_ports & bit) != 0;
            if (set)
                cluster->pods.v[at].lost_ports =
                    (cluster->pods.v[at].lost_ports & ~bit) | (lost ? bit : 0);
        }
    }
    return was;
}

/* The pod's ports are taken now. Returns those that were lost. */
static uint64_t ports_came(struct mst_cluster *cluster, uint32_t pod, uint32_t row)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < port_count(cluster, pod); i++)
        before |= (uint64_t)port_lost(cluster, pod, i, row, true, false) << i;
    cluster->pods.v[pod].lost_ports = 0;
    return before;
}

/* Its ports are lost from now on, or (undoing) as `lost` says. */
static void ports_went(struct mst_cluster *cluster, uint32_t pod, uint32_t row, uint64_t lost)
{
    for (uint32_t i = 0; i < port_count(cluster, pod); i++)
        (void)port_lost(cluster, pod, i, row, true, lost >> i & 1);
}

void mst_cluster_place(struct mst_cluster *cluster, uint32_t pod, uint32_t node)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    mst_assert(p->live && p->node == MST_ROW_NONE);
    mst_assert(node < cluster->nodes.count);
    comes_back(cluster, pod);
    p->node = node;
    uint64_t own_lost_ports = p->lost_ports;
    uint64_t lost_ports = ports_came(cluster, pod, node);
    mst_list_push(cluster, MST_PODS_ON_NODE, &cluster->nodes.first_pod[node], pod);
    account(cluster, pod, node, +1);
    if (cluster->txn_depth)
        mst_vec_push(&cluster->undo, (struct mst_undo){ .kind = MST_UNDO_PLACE,
                                                        .pod = pod,
                                                        .node = node,
                                                        .own_lost_ports = own_lost_ports,
                                                        .lost_ports = lost_ports });
}

void mst_cluster_unplace(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    mst_assert(p->live && p->node != MST_ROW_NONE);
    uint32_t node = p->node;
    struct mst_undo undo = { .kind = MST_UNDO_UNPLACE, .pod = pod, .node = node };
    mst_list_remove(cluster, MST_PODS_ON_NODE, &cluster->nodes.first_pod[node], pod, &undo.gap);
    account(cluster, pod, node, -1);
    ports_went(cluster, pod, node, UINT64_MAX);
    p->node = MST_ROW_NONE;
    if (!cluster->txn_depth)
        return;
    goes_away(cluster, pod);
    mst_vec_push(&cluster->undo, undo);
}

static void count_nominated(struct mst_cluster *cluster, mst_sym name, int by)
{
    uint32_t row = mst_nodes_row(&cluster->nodes, name);
    if (row != MST_ROW_NONE) {
        cluster->nodes.nominated_count[row] += (uint32_t)by;
        mst_nodes_restamp(&cluster->nodes, row);
    }
    cluster->nominated_pod_count += (uint32_t)by;
}

void mst_cluster_nominate(struct mst_cluster *cluster, uint32_t pod, mst_sym node_name)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    if (p->nominated == node_name)
        return;
    struct mst_undo undo = { .kind = MST_UNDO_NOMINATE, .pod = pod, .nominated = p->nominated };
    if (p->nominated != MST_SYM_NONE) {
        mst_list_remove(cluster, MST_PODS_NOMINATED, mst_nominated_head(cluster, p->nominated), pod,
                        &undo.gap);
        count_nominated(cluster, p->nominated, -1);
    }
    p->nominated = node_name;
    if (node_name != MST_SYM_NONE) {
        mst_list_push(cluster, MST_PODS_NOMINATED, mst_nominated_head(cluster, node_name), pod);
        count_nominated(cluster, node_name, +1);
    }
    if (cluster->txn_depth)
        mst_vec_push(&cluster->undo, undo);
}

uint32_t mst_cluster_nominated_first(const struct mst_cluster *cluster, uint32_t node)
{
    mst_sym name = cluster->nodes.name[node];
    return name < cluster->nominated_head.n ? cluster->nominated_head.v[name] : MST_ROW_NONE;
}

static void undo_nominate(struct mst_cluster *cluster, const struct mst_undo *u)
{
    struct mst_pod_row *p = &cluster->pods.v[u->pod];
    if (p->nominated != MST_SYM_NONE) {
        mst_list_remove(cluster, MST_PODS_NOMINATED, mst_nominated_head(cluster, p->nominated),
                        u->pod, NULL);
        count_nominated(cluster, p->nominated, -1);
    }
    p->nominated = u->nominated;
    if (u->nominated != MST_SYM_NONE) {
        mst_list_restore(cluster, MST_PODS_NOMINATED, mst_nominated_head(cluster, u->nominated),
                         u->pod, &u->gap);
        count_nominated(cluster, u->nominated, +1);
    }
}

static void undo_one(struct mst_cluster *cluster, const struct mst_undo *u)
{
    if (u->kind == MST_UNDO_ASSUMPTION) {
        mst_volumes_undo(cluster);
        return;
    }
    struct mst_pod_row *p = &cluster->pods.v[u->pod];
    switch (u->kind) {
    case MST_UNDO_PLACE:
        mst_list_remove(cluster, MST_PODS_ON_NODE, &cluster->nodes.first_pod[u->node], u->pod,
                        NULL);
        account(cluster, u->pod, u->node, -1);
        ports_went(cluster, u->pod, u->node, u->lost_ports);
        p->lost_ports = u->own_lost_ports;
        p->node = MST_ROW_NONE;
        goes_away(cluster, u->pod);
        break;
    case MST_UNDO_UNPLACE:
        comes_back(cluster, u->pod);
        ports_went(cluster, u->pod, u->node, p->lost_ports); /* as they were before it went */
        mst_list_restore(cluster, MST_PODS_ON_NODE, &cluster->nodes.first_pod[u->node], u->pod,
                         &u->gap);
        account(cluster, u->pod, u->node, +1);
        p->node = u->node;
        break;
    case MST_UNDO_NOMINATE: undo_nominate(cluster, u); break;
    case MST_UNDO_ASSUMPTION: break; /* dealt with above */
    }
}

uint32_t mst_txn_begin(struct mst_cluster *cluster)
{
    cluster->txn_depth++;
    mst_vec_push(&cluster->txn_marks, cluster->undo.n);
    return cluster->undo.n;
}

static void close_innermost(struct mst_cluster *cluster, uint32_t mark)
{
    mst_assert(cluster->txn_depth > 0);
    cluster->txn_depth--;
    mst_assert(cluster->txn_marks.v[cluster->txn_depth] == mark);
    mst_assert(mark <= cluster->undo.n);
    cluster->txn_marks.n = cluster->txn_depth;
}

void mst_txn_rollback(struct mst_cluster *cluster, uint32_t mark)
{
    close_innermost(cluster, mark);
    while (cluster->undo.n > mark)
        undo_one(cluster, &cluster->undo.v[--cluster->undo.n]);
}

void mst_txn_commit(struct mst_cluster *cluster, uint32_t mark)
{
    close_innermost(cluster, mark);
    if (cluster->txn_depth > 0)
        return;
    for (uint32_t i = 0; i < cluster->undo.n; i++)
        if (cluster->undo.v[i].kind == MST_UNDO_UNPLACE)
            comes_back(cluster, cluster->undo.v[i].pod); /* for good: nobody misses it */
    mst_volumes_keep(cluster);
    cluster->undo.n = 0;
}

void mst_cluster_assume(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    mst_assert(cluster->txn_depth == 0);
    mst_assert(p->node != MST_ROW_NONE && !p->assigned && !p->assumed);
    if (p->nominated != MST_SYM_NONE)
        mst_cluster_nominate(cluster, pod, MST_SYM_NONE);
    p->assumed = true;
    p->node_name = cluster->nodes.name[p->node];
    if (p->group != MST_ROW_NONE)
        cluster->groups.v[p->group].scheduled_count++;
}

void mst_cluster_forget(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    mst_assert(cluster->txn_depth == 0);
    mst_assert(p->assumed && !p->assigned);
    if (p->node != MST_ROW_NONE)
        mst_cluster_unplace(cluster, pod);
    else
        mst_list_remove(cluster, MST_PODS_ON_NODE, mst_unknown_head(cluster, p->node_name), pod,
                        NULL);
    p->assumed = false;
    p->node_name = MST_SYM_NONE;
    if (p->group != MST_ROW_NONE)
        cluster->groups.v[p->group].scheduled_count--;
}
