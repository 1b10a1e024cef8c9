/*
 * groups.c - rows of pod groups and who belongs to them.
 *
 * Owns:       the rows' text. A row lives while its object or a member does: members may come
 * first. Invariants: all_count is the length of the member list; scheduled_count counts its members
 * that are assigned or assumed (kept by cluster.c through mst_group_join/leave and assume/forget).
 */
#include "cluster/cluster_internal.h"

uint32_t mst_cluster_group(const struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    uint64_t id;
    /* The scratch arena is not part of the state. */
    struct mst_str key = mst_key_of((struct mst_cluster *)cluster, ns, name);
    return mst_map_get(&cluster->group_ids, key, &id) ? (uint32_t)id : MST_ROW_NONE;
}

uint32_t mst_group_row_of(struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    uint32_t row = mst_cluster_group(cluster, ns, name);
    if (row != MST_ROW_NONE)
        return row;
    struct mst_group_row fresh = {
        .live = true,
        .ns = ns,
        .name = mst_text_copy(name),
        .first_pod = MST_ROW_NONE,
        .last_pod = MST_ROW_NONE,
    };
    if (cluster->free_groups.n) {
        row = cluster->free_groups.v[--cluster->free_groups.n];
        cluster->groups.v[row] = fresh;
    } else {
        row = cluster->groups.n;
        mst_vec_push(&cluster->groups, fresh);
    }
    mst_map_set(&cluster->group_ids, mst_key_of(cluster, ns, name), row);
    return row;
}

static void forget_object(struct mst_group_row *g)
{
    mst_text_free(&g->uid);
    mst_text_free(&g->parent);
    mst_free(g->topology_keys.v);
    mst_cond_free(&g->initially_scheduled);
    mst_cond_free(&g->disruption);
    g->topology_keys = (mst_sym_list){ 0 };
    g->known = g->composite = false;
    g->policy = MST_POLICY_UNSET;
    g->min_count = 0;
    g->priority = 0;
    g->preemption_policy = MST_SYM_NONE;
    g->disrupted_whole = false;
}

static void drop_if_unused(struct mst_cluster *cluster, uint32_t row)
{
    struct mst_group_row *g = &cluster->groups.v[row];
    if (g->known || g->first_pod != MST_ROW_NONE)
        return;
    mst_map_delete(&cluster->group_ids, mst_key_of(cluster, g->ns, g->name));
    mst_text_free(&g->name);
    *g = (struct mst_group_row){ 0 };
    mst_vec_push(&cluster->free_groups, row);
}

uint32_t mst_cluster_group_set(struct mst_cluster *cluster, const struct mst_pod_group *group)
{
    mst_arena_reset(&cluster->scratch);
    uint32_t row = mst_group_row_of(cluster, group->meta.namespace_, group->meta.name);
    struct mst_group_row *g = &cluster->groups.v[row];
    const struct mst_group_spec *spec = &group->spec;
    g->known = true;
    g->composite = group->composite;
    g->policy = spec->policy;
    g->min_count = spec->policy == MST_POLICY_GANG ? spec->min_count : 1;
    g->priority = spec->priority.set ? (int32_t)spec->priority.value : 0;
    g->preemption_policy = spec->preemption_policy;
    g->disrupted_whole = spec->disruption == MST_DISRUPT_ALL;
    g->generation = group->meta.generation;
    g->created = group->meta.created;
    mst_text_set(&g->uid, group->meta.uid);
    mst_text_set(&g->parent, spec->parent);
    g->topology_keys.v =
        mst_realloc(g->topology_keys.v, MST_MAX(1u, spec->topology_keys.n), sizeof(mst_sym));
    g->topology_keys.n = spec->topology_keys.n;
    for (uint32_t i = 0; i < spec->topology_keys.n; i++)
        g->topology_keys.v[i] = spec->topology_keys.v[i];
    if (!cluster->scheduled_is_final || !mst_str_is(g->initially_scheduled.status, "True"))
        mst_cond_set(&g->initially_scheduled, &group->conditions, "PodGroupInitiallyScheduled");
    mst_cond_set(&g->disruption, &group->conditions, "DisruptionTarget");
    return row;
}

void mst_cluster_group_condition(struct mst_cluster *cluster, uint32_t row,
                                 const struct mst_cond *condition)
{
    mst_cond_copy(&cluster->groups.v[row].initially_scheduled, condition);
}

void mst_cluster_group_disruption(struct mst_cluster *cluster, uint32_t row,
                                  const struct mst_cond *condition)
{
    mst_cond_copy(&cluster->groups.v[row].disruption, condition);
}

void mst_cluster_group_remove(struct mst_cluster *cluster, uint32_t row)
{
    mst_arena_reset(&cluster->scratch);
    forget_object(&cluster->groups.v[row]);
    drop_if_unused(cluster, row);
}

void mst_group_join(struct mst_cluster *cluster, uint32_t group, uint32_t pod)
{
    struct mst_group_row *g = &cluster->groups.v[group];
    struct mst_pod_row *p = &cluster->pods.v[pod];
    p->group = group;
    p->group_prev = g->last_pod;
    p->group_next = MST_ROW_NONE;
    if (g->last_pod == MST_ROW_NONE)
        g->first_pod = pod;
    else
        cluster->pods.v[g->last_pod].group_next = pod;
    g->last_pod = pod;
    g->all_count++;
    g->scheduled_count += p->assigned || p->assumed;
}

void mst_group_leave(struct mst_cluster *cluster, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    uint32_t row = p->group;
    if (row == MST_ROW_NONE)
        return;
    struct mst_group_row *g = &cluster->groups.v[row];
    *(p->group_prev == MST_ROW_NONE ? &g->first_pod : &cluster->pods.v[p->group_prev].group_next) =
        p->group_next;
    *(p->group_next == MST_ROW_NONE ? &g->last_pod : &cluster->pods.v[p->group_next].group_prev) =
        p->group_prev;
    p->group = p->group_prev = p->group_next = MST_ROW_NONE;
    g->all_count--;
    g->scheduled_count -= p->assigned || p->assumed;
    drop_if_unused(cluster, row);
}

void mst_groups_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->groups.n; i++) {
        if (!cluster->groups.v[i].live)
            continue;
        forget_object(&cluster->groups.v[i]);
        mst_text_free(&cluster->groups.v[i].name);
    }
    mst_vec_done(&cluster->groups);
    mst_vec_done(&cluster->free_groups);
    mst_map_done(&cluster->group_ids);
}
