/*
 * awaited.c - the records of who waits for which volumes.
 */
#include "cluster/awaited.h"

#include "cluster/cluster_internal.h"

const struct mst_awaited *mst_awaited_find(const struct mst_cluster *cluster, struct mst_str uid)
{
    uint64_t value;
    if (!cluster->awaited || !mst_map_get(&cluster->awaited->by_uid, uid, &value))
        return NULL;
    return (const struct mst_awaited *)(uintptr_t)value;
}

const struct mst_awaited *mst_awaited_of_pod(const struct mst_cluster *cluster, uint32_t pod)
{
    if (!cluster->awaited)
        return NULL;
    const struct mst_pod_row *p = &cluster->pods.v[pod];
    const struct mst_awaited *own = mst_awaited_find(cluster, p->uid);
    const bool grouped = p->group != MST_ROW_NONE && cluster->groups.v[p->group].known;
    if (own || !grouped)
        return own;
    return mst_awaited_find(cluster, cluster->groups.v[p->group].uid);
}

/* Verdicts of the row that were kept are about what was awaited before. */
static void row_changed(struct mst_cluster *cluster, mst_sym node)
{
    const uint32_t row = mst_nodes_row(&cluster->nodes, node);
    if (row != MST_ROW_NONE)
        mst_nodes_restamp(&cluster->nodes, row);
}

static void free_record(struct mst_awaited *awaited)
{
    for (uint32_t i = 0; i < awaited->volumes.n; i++)
        mst_text_free(&awaited->volumes.v[i].handle);
    for (uint32_t i = 0; i < awaited->victims.n; i++)
        mst_text_free(&awaited->victims.v[i].uid);
    mst_vec_done(&awaited->volumes);
    mst_vec_done(&awaited->victims);
    mst_text_free(&awaited->uid);
    mst_free(awaited);
}

static void free_all(struct mst_cluster *cluster)
{
    mst_map_done(&cluster->awaited->by_uid);
    mst_vec_done(&cluster->awaited->list);
    mst_free(cluster->awaited);
    cluster->awaited = NULL;
}

void mst_awaited_end(struct mst_cluster *cluster, struct mst_str uid)
{
    const struct mst_awaited *gone = mst_awaited_find(cluster, uid);
    if (!gone)
        return;
    struct mst_awaits *all = cluster->awaited;
    uint32_t at = 0;
    while (all->list.v[at] != gone)
        at++;
    struct mst_awaited *record = all->list.v[at];
    all->list.n--;
    memmove(all->list.v + at, all->list.v + at + 1, (all->list.n - at) * sizeof(*all->list.v));
    (void)mst_map_delete(&all->by_uid, record->uid);
    for (uint32_t i = 0; i < record->volumes.n; i++)
        row_changed(cluster, record->volumes.v[i].node);
    free_record(record);
    if (!all->list.n)
        free_all(cluster);
}

struct mst_awaited *mst_awaited_begin(struct mst_cluster *cluster, bool group, uint32_t row)
{
    const struct mst_str uid = group ? cluster->groups.v[row].uid : cluster->pods.v[row].uid;
    mst_awaited_end(cluster, uid);
    if (!cluster->awaited)
        cluster->awaited = mst_calloc(1, sizeof(*cluster->awaited));
    struct mst_awaited *awaited = mst_calloc(1, sizeof(*awaited));
    awaited->uid = mst_text_copy(uid);
    awaited->group = group;
    awaited->row = row;
    awaited->deadline_ns = INT64_MAX;
    (void)mst_map_set(&cluster->awaited->by_uid, awaited->uid, (uint64_t)(uintptr_t)awaited);
    mst_vec_push(&cluster->awaited->list, awaited);
    return awaited;
}

void mst_awaited_add_volume(struct mst_cluster *cluster, struct mst_awaited *awaited, mst_sym node,
                            mst_sym driver, struct mst_str handle)
{
    mst_vec_push(&awaited->volumes,
                 (struct mst_awaited_volume){ node, driver, mst_text_copy(handle) });
    row_changed(cluster, node);
}

void mst_awaited_add_victim(const struct mst_cluster *cluster, struct mst_awaited *awaited,
                            uint32_t pod)
{
    mst_vec_push(&awaited->victims,
                 (struct mst_awaited_victim){ pod, mst_text_copy(cluster->pods.v[pod].uid) });
}

static bool is_there(const struct mst_cluster *cluster, const struct mst_awaited_victim *v)
{
    const struct mst_pod_row *p = &cluster->pods.v[v->pod];
    return p->live && p->node != MST_ROW_NONE && mst_str_eq(p->uid, v->uid);
}

bool mst_awaited_has_victims(const struct mst_cluster *cluster, const struct mst_awaited *awaited,
                             bool leaving)
{
    for (uint32_t i = 0; i < awaited->victims.n; i++) {
        const struct mst_awaited_victim *v = &awaited->victims.v[i];
        if (is_there(cluster, v) && (!leaving || cluster->pods.v[v->pod].deleting))
            return true;
    }
    return false;
}

bool mst_awaited_is_victim(const struct mst_cluster *cluster, uint32_t pod)
{
    for (uint32_t i = 0; cluster->awaited && i < cluster->awaited->list.n; i++) {
        const struct mst_awaited *a = cluster->awaited->list.v[i];
        for (uint32_t k = 0; k < a->victims.n; k++)
            if (a->victims.v[k].pod == pod && is_there(cluster, &a->victims.v[k]))
                return true;
    }
    return false;
}

void mst_awaited_done(struct mst_cluster *cluster)
{
    if (!cluster->awaited)
        return;
    for (uint32_t i = 0; i < cluster->awaited->list.n; i++)
        free_record(cluster->awaited->list.v[i]);
    free_all(cluster);
}
