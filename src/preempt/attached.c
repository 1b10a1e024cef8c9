/*
 * attached.c - is what victims left behind still attached, and does the preemptor wait for it?
 *
 * Source:     spec/preemption.md 11 (After eviction).
 */
#include "plugins/attachables.h"
#include "preempt/preempt_internal.h"

static bool is_attached(const struct mst_view *view, mst_sym node, const struct mst_attachable *a)
{
    const struct mst_attachables one = { .v = (struct mst_attachable *)a, .n = 1 };
    for (const struct mst_stored *s = mst_volumes_attached(view->cluster, node); s;
         s = s->next_of_node) {
        struct mst_attachable other;
        if (mst_attachable_attached(view, s, &other) && mst_attachables_have(&one, &other))
            return true;
    }
    return false;
}

/* Somebody who stays uses it, so it stays attached. */
static bool is_used(const struct mst_view *view, uint32_t row, const struct mst_attachable *a)
{
    const struct mst_cluster *c = view->cluster;
    bool used = false;
    for (uint32_t pod = c->nodes.first_pod[row]; pod != MST_ROW_NONE && !used;
         pod = c->pods.v[pod].node_next) {
        MST_AUTO(mst_arena) scratch = { 0 };
        struct mst_attachables list = { .arena = &scratch };
        if (!c->pods.v[pod].volumes || c->pods.v[pod].deleting)
            continue;
        (void)mst_attachables_of_pod(view, pod, &scratch, &list);
        used = mst_attachables_have(&list, a);
    }
    return used;
}

bool mst_awaited_is_attached(const struct mst_view *view, const struct mst_awaited_volume *volume)
{
    const uint32_t row = mst_nodes_row(view->nodes, volume->node);
    const struct mst_attachable a = mst_attachable_named(volume->driver, volume->handle);
    return row != MST_ROW_NONE && is_attached(view, volume->node, &a) && !is_used(view, row, &a);
}

bool mst_awaits_volumes(const struct mst_view *view, struct mst_str uid, mst_sym node)
{
    const struct mst_awaited *awaited = mst_awaited_find(view->cluster, uid);
    for (uint32_t i = 0; awaited && i < awaited->volumes.n; i++)
        if (awaited->volumes.v[i].node == node &&
            mst_awaited_is_attached(view, &awaited->volumes.v[i]))
            return true;
    return false;
}
