/*
 * preemptors.c - who waits for evictions of its own to be under way.
 */
#include "cluster/preemptors.h"

#include "cluster/cluster_internal.h"

struct preemptor {
    mst_sym ns;
    struct mst_str name; /* heap; of the last victim, absent until it is its turn */
};

struct mst_preemptors {
    struct mst_map by_uid; /* -> index into list */
    MST_VEC(struct preemptor) list;
    MST_VEC(uint32_t) free;
};

void mst_preemptor_begin(struct mst_cluster *cluster, struct mst_str uid)
{
    if (!cluster->preemptors)
        cluster->preemptors = mst_calloc(1, sizeof(*cluster->preemptors));
    struct mst_preemptors *all = cluster->preemptors;
    if (mst_map_has(&all->by_uid, uid))
        return;
    uint32_t at = all->list.n;
    if (all->free.n)
        at = all->free.v[--all->free.n];
    else
        mst_vec_push(&all->list, (struct preemptor){ .ns = MST_SYM_NONE });
    mst_map_set(&all->by_uid, uid, at);
}

static struct preemptor *find(const struct mst_cluster *cluster, struct mst_str uid)
{
    uint64_t at;
    if (!cluster->preemptors || !mst_map_get(&cluster->preemptors->by_uid, uid, &at))
        return NULL;
    return &cluster->preemptors->list.v[at];
}

void mst_preemptor_last(struct mst_cluster *cluster, struct mst_str uid, mst_sym ns,
                        struct mst_str name)
{
    struct preemptor *p = find(cluster, uid);
    if (!p)
        return;
    p->ns = ns;
    mst_text_set(&p->name, name);
}

void mst_preemptor_end(struct mst_cluster *cluster, struct mst_str uid)
{
    struct preemptor *p = find(cluster, uid);
    if (!p)
        return;
    struct mst_preemptors *all = cluster->preemptors;
    mst_text_free(&p->name);
    mst_vec_push(&all->free, (uint32_t)(p - all->list.v));
    mst_map_delete(&all->by_uid, uid);
}

bool mst_preemptor_waits(const struct mst_cluster *cluster, struct mst_str uid)
{
    if (!cluster->preemptors || !mst_map_count(&cluster->preemptors->by_uid))
        return false;
    const struct preemptor *p = find(cluster, uid);
    if (!p)
        return false;
    if (!p->name.p)
        return true;
    uint32_t row = mst_cluster_pod(cluster, p->ns, p->name);
    if (row == MST_ROW_NONE)
        return false;
    const struct mst_pod_row *victim = &cluster->pods.v[row];
    return !victim->deleting && victim->node_name != MST_SYM_NONE; /* no node: on its way out */
}

void mst_preemptors_done(struct mst_cluster *cluster)
{
    struct mst_preemptors *all = cluster->preemptors;
    if (!all)
        return;
    for (uint32_t i = 0; i < all->list.n; i++)
        mst_text_free(&all->list.v[i].name);
    mst_map_done(&all->by_uid);
    mst_vec_done(&all->list);
    mst_vec_done(&all->free);
    mst_free(all);
    cluster->preemptors = NULL;
}
