/*
 * check.c - is the cluster consistent, and is it byte for byte what it was? For tests.
 */
#include "cluster/cluster_internal.h"
#include "cluster/volumes.h"

struct sums {
    int64_t *requested; /* [resource * count + row] */
    int64_t *cpu, *memory;
    uint32_t *pods, *ports, *nominated, *affinity, *anti, *volumes;
};

static void add(int64_t *sum, int64_t amount)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)amount);
}

static void sum_pod(const struct mst_cluster *cluster, const struct mst_pod_row *p, struct sums *s)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    if (p->nominated != MST_SYM_NONE) {
        uint32_t row = mst_nodes_row(nodes, p->nominated);
        if (row != MST_ROW_NONE)
            s->nominated[row]++;
    }
    if (p->node == MST_ROW_NONE)
        return;
    const struct mst_usage *u = cluster->usages.v[p->usage];
    for (uint32_t i = 0; i < u->amounts.n; i++)
        add(&s->requested[u->amounts.v[i].resource * nodes->count + p->node],
            u->amounts.v[i].amount);
    add(&s->cpu[p->node], u->nonzero_cpu);
    add(&s->memory[p->node], u->nonzero_memory);
    s->pods[p->node]++;
    s->ports[p->node] += u->ports.n > 0;
    s->volumes[p->node] += p->volumes != 0;
    s->affinity[p->node] += p->affinity != 0;
    s->anti[p->node] += p->affinity && cluster->affinities.v[p->affinity]->anti.required.n;
}

static void check_groups(const struct mst_cluster *cluster)
{
    for (uint32_t g = 0; g < cluster->groups.n; g++) {
        const struct mst_group_row *group = &cluster->groups.v[g];
        uint32_t all = 0, scheduled = 0;
        if (!group->live)
            continue;
        for (uint32_t i = group->first_pod; i != MST_ROW_NONE; i = cluster->pods.v[i].group_next) {
            const struct mst_pod_row *p = &cluster->pods.v[i];
            mst_assert(p->live && p->group == g);
            all++;
            scheduled += p->assigned || p->assumed;
        }
        mst_assert(all == group->all_count);
        mst_assert(scheduled == group->scheduled_count);
    }
}

/* Labels and affinities have at least the references of pods and classes; others may hold more. */
static void check_references(const struct mst_cluster *cluster, struct mst_arena *arena)
{
    uint32_t *labels = MST_NEW_N(arena, uint32_t, cluster->pod_labels.n);
    uint32_t *affinities = MST_NEW_N(arena, uint32_t, cluster->affinities.n + 1);
    for (uint32_t i = 0; i < cluster->pods.n; i++)
        if (cluster->pods.v[i].live) {
            labels[cluster->pods.v[i].labels]++;
            affinities[cluster->pods.v[i].affinity]++;
        }
    for (uint32_t i = 0; i < cluster->classes.n; i++) {
        const struct mst_class *c = cluster->classes.v[i];
        if (!c)
            continue;
        affinities[c->affinity]++;
        if (c->labels != UINT32_MAX)
            labels[c->labels]++;
    }
    for (uint32_t i = 0; i < cluster->pod_labels.n; i++)
        mst_assert(cluster->pod_labels.v[i] ? cluster->pod_labels.v[i]->refs >= labels[i]
                                            : labels[i] == 0);
    for (uint32_t i = 1; i < cluster->affinities.n; i++)
        mst_assert(cluster->affinities.v[i] ? cluster->affinities.v[i]->refs >= affinities[i]
                                            : affinities[i] == 0);
}

static void check_lists(const struct mst_cluster *cluster)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    for (uint32_t row = 0; row < nodes->count; row++) {
        uint32_t n = 0, prev = MST_ROW_NONE;
        for (uint32_t i = nodes->first_pod[row]; i != MST_ROW_NONE;
             i = cluster->pods.v[i].node_next) {
            mst_assert(cluster->pods.v[i].node == row && cluster->pods.v[i].node_prev == prev);
            prev = i;
            n++;
        }
        mst_assert(n == nodes->pod_count[row]);
    }
}

/* On the list of its node is exactly who runs there, has volumes and was taken off. */
static void check_away(const struct mst_cluster *cluster)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    uint32_t listed = 0, away = 0;
    for (uint32_t row = 0; row < nodes->count; row++)
        for (uint32_t i = nodes->first_away[row]; i != MST_ROW_NONE;
             i = cluster->pods.v[i].away_next) {
            const struct mst_pod_row *p = &cluster->pods.v[i];
            mst_assert(p->live && p->away && p->volumes && p->node == MST_ROW_NONE);
            mst_assert(p->node_name == nodes->name[row] && cluster->txn_depth > 0);
            listed++;
        }
    for (uint32_t i = 0; i < cluster->pods.n; i++)
        away += cluster->pods.v[i].live && cluster->pods.v[i].away;
    mst_assert(listed == away);
}

/* What is derived is what the row's columns say now. */
static void check_derived(const struct mst_nodes *nodes, uint32_t row)
{
    struct mst_percents now;
    mst_nodes_percents(nodes, row, &now);
    for (uint32_t k = 0; k < MST_PERCENTS; k++) {
        mst_assert(nodes->percent_unit[k][row] == now.unit[k]);
        mst_assert(nodes->percent_free[k][row] == now.free[k]);
        mst_assert(nodes->percent_used[k][row] == now.used[k]);
    }
    mst_assert(nodes->evenness[row] == now.evenness);
}

void mst_cluster_check(const struct mst_cluster *cluster)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    struct mst_arena arena = { 0 };
    uint32_t n = nodes->count;
    struct sums s = {
        MST_NEW_N(&arena, int64_t, (size_t)n * nodes->resource_count),
        MST_NEW_N(&arena, int64_t, n),
        MST_NEW_N(&arena, int64_t, n),
        MST_NEW_N(&arena, uint32_t, n),
        MST_NEW_N(&arena, uint32_t, n),
        MST_NEW_N(&arena, uint32_t, n),
        MST_NEW_N(&arena, uint32_t, n),
        MST_NEW_N(&arena, uint32_t, n),
        MST_NEW_N(&arena, uint32_t, n), /* volumes */
    };
    uint32_t live = 0;
    for (uint32_t i = 0; i < cluster->pods.n; i++)
        if (cluster->pods.v[i].live) {
            sum_pod(cluster, &cluster->pods.v[i], &s);
            live++;
        }
    mst_assert(live == mst_map_count(&cluster->pod_ids));
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t r = 0; r < nodes->resource_count; r++)
            mst_assert(nodes->requested[r][row] == s.requested[r * n + row]);
        mst_assert(nodes->nonzero_cpu[row] == s.cpu[row]);
        mst_assert(nodes->nonzero_memory[row] == s.memory[row]);
        mst_assert(nodes->pod_count[row] == s.pods[row]);
        mst_assert(nodes->port_pod_count[row] == s.ports[row]);
        mst_assert(nodes->nominated_count[row] == s.nominated[row]);
        mst_assert(nodes->affinity_pod_count[row] == s.affinity[row]);
        mst_assert(nodes->volume_pod_count[row] == s.volumes[row]);
        mst_assert(nodes->anti_pod_count[row] == s.anti[row]);
        mst_assert(mst_nodes_row(nodes, nodes->name[row]) == row);
        check_derived(nodes, row);
    }
    check_lists(cluster);
    check_away(cluster);
    check_groups(cluster);
    check_references(cluster, &arena);
    mst_arena_done(&arena);
}

/* The lists that have somebody: how far the table has grown is not part of the state. */
static void dump_heads(struct mst_buf *out, const uint32_t *heads, uint32_t n)
{
    for (uint32_t sym = 0; sym < n; sym++)
        if (heads[sym] != MST_ROW_NONE) {
            mst_buf_add(out, &sym, sizeof(sym));
            mst_buf_add(out, &heads[sym], sizeof(*heads));
        }
}

static void dump_assumptions(const struct mst_cluster *cluster, struct mst_buf *out)
{
    static const mst_vol_kind kinds[] = { MST_VOL_PV, MST_VOL_PVC };
    for (size_t k = 0; k < MST_COUNT(kinds); k++)
        for (uint32_t i = 0; i < mst_volumes_count(cluster, kinds[k]); i++) {
            const struct mst_assumption *a = &mst_volumes_at(cluster, kinds[k], i)->assumption;
            const uint32_t facts[] = { a->on, a->by_controller, a->node, a->claim.set,
                                       a->claim.ns };
            mst_buf_add(out, facts, sizeof(facts));
            mst_buf_str(out, a->claim.name);
            mst_buf_str(out, a->claim.uid);
        }
}

void mst_cluster_dump(const struct mst_cluster *cluster, struct mst_buf *out)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    size_t n = nodes->count;
    for (uint32_t r = 0; r < nodes->resource_count; r++) {
        mst_buf_add(out, nodes->allocatable[r], n * sizeof(int64_t));
        mst_buf_add(out, nodes->requested[r], n * sizeof(int64_t));
    }
    mst_buf_add(out, nodes->nonzero_cpu, n * sizeof(int64_t));
    mst_buf_add(out, nodes->nonzero_memory, n * sizeof(int64_t));
    for (uint32_t k = 0; k < MST_PERCENTS; k++) {
        mst_buf_add(out, nodes->percent_unit[k], n * sizeof(float));
        mst_buf_add(out, nodes->percent_free[k], n * sizeof(float));
        mst_buf_add(out, nodes->percent_used[k], n * sizeof(float));
    }
    mst_buf_add(out, nodes->evenness, n * sizeof(int32_t));
    mst_buf_add(out, nodes->pod_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->port_pod_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->volume_pod_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->affinity_pod_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->anti_pod_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->nominated_count, n * sizeof(uint32_t));
    mst_buf_add(out, nodes->first_pod, n * sizeof(uint32_t));
    for (uint32_t i = 0; i < cluster->pods.n; i++) {
        const struct mst_pod_row *p = &cluster->pods.v[i];
        const uint32_t links[] = { p->live,           p->assigned,  p->assumed,
                                   p->node,           p->node_name, p->node_next,
                                   p->node_prev,      p->nominated, p->nominated_next,
                                   p->nominated_prev, p->group,     p->group_next,
                                   p->group_prev,     p->usage,     p->labels,
                                   p->affinity };
        mst_buf_add(out, links, sizeof(links));
        if (p->node != MST_ROW_NONE)
            mst_buf_add(out, &p->lost_ports, sizeof(p->lost_ports));
    }
    dump_assumptions(cluster, out);
    dump_heads(out, cluster->nominated_head.v, cluster->nominated_head.n);
    dump_heads(out, cluster->unknown_head.v, cluster->unknown_head.n);
    mst_buf_add(out, &cluster->nominated_pod_count, sizeof(cluster->nominated_pod_count));
    mst_buf_add(out, &cluster->txn_depth, sizeof(cluster->txn_depth));
    for (uint32_t g = 0; g < cluster->groups.n; g++) {
        mst_buf_add(out, &cluster->groups.v[g].all_count, sizeof(uint32_t));
        mst_buf_add(out, &cluster->groups.v[g].scheduled_count, sizeof(uint32_t));
    }
}
