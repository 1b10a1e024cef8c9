/*
 * volumes_assume.c - bindings that are decided but not written yet, laid over the objects.
 *
 * Owns:       the texts of assumptions; those that open transactions have replaced.
 * Invariants: store->before has one entry per MST_UNDO_ASSUMPTION of the undo log, in its order;
 *             the objects themselves stay where they are while a transaction is open.
 */
#include "cluster/cluster_internal.h"
#include "cluster/volumes_internal.h"

void mst_assumption_drop(struct mst_assumption *assumption)
{
    mst_text_free(&assumption->claim.name);
    mst_text_free(&assumption->claim.uid);
    *assumption = (struct mst_assumption){ 0 };
}

static struct mst_stored *find(const struct mst_cluster *cluster, mst_vol_kind kind,
                               struct mst_str key)
{
    uint64_t value;
    const struct mst_volume_table *t = &cluster->volumes->tables[kind];
    return mst_map_get(&t->by_key, key, &value) ? (struct mst_stored *)(uintptr_t)value : NULL;
}

static void replace(struct mst_cluster *cluster, struct mst_stored *stored,
                    struct mst_assumption next)
{
    struct mst_volume_store *store = cluster->volumes;
    if (cluster->txn_depth && !cluster->assumes_for_good) {
        mst_vec_push(&store->before,
                     (struct mst_assumed_before){ stored, stored->assumption, store->generation });
        mst_vec_push(&cluster->undo, (struct mst_undo){ .kind = MST_UNDO_ASSUMPTION });
    } else {
        mst_assumption_drop(&stored->assumption);
    }
    stored->assumption = next;
    mst_volumes_changed(store);
}

void mst_volumes_assume_claim(struct mst_cluster *cluster, const struct mst_stored *pv,
                              const struct mst_stored *pvc, bool by_controller)
{
    struct mst_stored *stored = find(cluster, MST_VOL_PV, pv->key);
    mst_assert(stored == pv);
    const struct mst_meta *meta = &pvc->object.u.meta;
    replace(cluster, stored,
            (struct mst_assumption){
                .on = true,
                .by_controller = by_controller,
                .claim = { true, meta->namespace_, mst_text_copy(meta->name),
                           mst_text_copy(meta->uid) },
            });
}

void mst_volumes_assume_node(struct mst_cluster *cluster, const struct mst_stored *pvc,
                             mst_sym node)
{
    struct mst_stored *stored = find(cluster, MST_VOL_PVC, pvc->key);
    mst_assert(stored == pvc);
    replace(cluster, stored, (struct mst_assumption){ .on = true, .node = node });
}

void mst_volumes_restore(struct mst_cluster *cluster, mst_vol_kind kind, struct mst_str key)
{
    struct mst_stored *stored = find(cluster, kind, key);
    if (stored && stored->assumption.on)
        replace(cluster, stored, (struct mst_assumption){ 0 });
}

void mst_volumes_undo(struct mst_cluster *cluster)
{
    struct mst_volume_store *store = cluster->volumes;
    mst_assert(store->before.n > 0);
    const struct mst_assumed_before *before = &store->before.v[--store->before.n];
    mst_assumption_drop(&before->stored->assumption);
    before->stored->assumption = before->assumption;
    store->generation = before->generation;
}

void mst_volumes_keep(struct mst_cluster *cluster)
{
    struct mst_volume_store *store = cluster->volumes;
    while (store->before.n)
        mst_assumption_drop(&store->before.v[--store->before.n].assumption);
}
