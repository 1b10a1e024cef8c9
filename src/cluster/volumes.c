/*
 * volumes.c - the tables of storage objects.
 *
 * Owns:       the stored copies, until replaced; the last replaced one until the next change.
 * Invariants: a table's map and its sorted array have the same objects; an attachment is on the
 *             list of exactly the node it names.
 */
#include "cluster/volumes_internal.h"

static const mst_kind api_kinds[MST_VOL_KINDS] = {
    [MST_VOL_PV] = MST_KIND_PV,
    [MST_VOL_PVC] = MST_KIND_PVC,
    [MST_VOL_CLASS] = MST_KIND_STORAGE_CLASS,
    [MST_VOL_CSI_NODE] = MST_KIND_CSI_NODE,
    [MST_VOL_CSI_DRIVER] = MST_KIND_CSI_DRIVER,
    [MST_VOL_CAPACITY] = MST_KIND_CSI_STORAGE_CAPACITY,
    [MST_VOL_ATTACHMENT] = MST_KIND_VOLUME_ATTACHMENT,
};

bool mst_volumes_kind(mst_kind kind, mst_vol_kind *ret_kind)
{
    for (uint32_t i = 0; i < MST_VOL_KINDS; i++)
        if (api_kinds[i] == kind) {
            *ret_kind = (mst_vol_kind)i;
            return true;
        }
    return false;
}

void mst_volumes_init(struct mst_cluster *cluster)
{
    cluster->volumes = mst_calloc(1, sizeof(*cluster->volumes));
    cluster->volumes->generation = cluster->volumes->generations = 1;
}

/* ---- one object ---- */

static void free_stored(struct mst_stored *stored)
{
    if (!stored)
        return;
    mst_assumption_drop(&stored->assumption);
    mst_free(stored);
}

void mst_volumes_done(struct mst_cluster *cluster)
{
    struct mst_volume_store *store = cluster->volumes;
    if (!store)
        return;
    for (uint32_t k = 0; k < MST_VOL_KINDS; k++) {
        struct mst_volume_table *t = &store->tables[k];
        for (uint32_t i = 0; i < t->sorted.n; i++)
            free_stored(t->sorted.v[i]);
        mst_vec_done(&t->sorted);
        mst_map_done(&t->by_key);
    }
    mst_map_done(&store->attached);
    free_stored(store->gone);
    mst_assert(!store->before.n);
    mst_vec_done(&store->before);
    mst_free(store);
    cluster->volumes = NULL;
}

/* ---- tables ---- */

static struct mst_stored *find(const struct mst_volume_table *t, struct mst_str key)
{
    uint64_t value;
    return mst_map_get(&t->by_key, key, &value) ? (struct mst_stored *)(uintptr_t)value : NULL;
}

/* The first place whose key is not before `key`. */
static uint32_t place_of(const struct mst_volume_table *t, struct mst_str key)
{
    uint32_t lo = 0, hi = t->sorted.n;
    if (hi && mst_str_cmp(t->sorted.v[hi - 1]->key, key) < 0)
        return hi; /* lists come sorted */
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (mst_str_cmp(t->sorted.v[mid]->key, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void put(struct mst_volume_table *t, struct mst_stored *stored, bool known)
{
    const uint32_t at = place_of(t, stored->key);
    if (!known) {
        mst_vec_push(&t->sorted, NULL);
        memmove(t->sorted.v + at + 1, t->sorted.v + at,
                (t->sorted.n - 1 - at) * sizeof(*t->sorted.v));
    }
    t->sorted.v[at] = stored;
    (void)mst_map_set(&t->by_key, stored->key, (uint64_t)(uintptr_t)stored);
}

static void take(struct mst_volume_table *t, const struct mst_stored *stored)
{
    const uint32_t at = place_of(t, stored->key);
    mst_assert(at < t->sorted.n && t->sorted.v[at] == stored);
    (void)mst_map_delete(&t->by_key, stored->key);
    t->sorted.n--;
    memmove(t->sorted.v + at, t->sorted.v + at + 1, (t->sorted.n - at) * sizeof(*t->sorted.v));
}

/* ---- attachments by node ---- */

static struct mst_str node_of(const struct mst_cluster *cluster, const struct mst_stored *stored)
{
    const struct mst_str name =
        mst_sym_str(cluster->syms, stored->object.u.volume_attachment.node_name);
    return name.p ? name : MST_STR("");
}

static void attach(struct mst_cluster *cluster, struct mst_stored *stored)
{
    uint64_t first = 0;
    (void)mst_map_get(&cluster->volumes->attached, node_of(cluster, stored), &first);
    stored->next_of_node = (struct mst_stored *)(uintptr_t)first;
    (void)mst_map_set(&cluster->volumes->attached, node_of(cluster, stored),
                      (uint64_t)(uintptr_t)stored);
}

static void detach(struct mst_cluster *cluster, struct mst_stored *stored)
{
    struct mst_map *attached = &cluster->volumes->attached;
    uint64_t value = 0;
    (void)mst_map_get(attached, node_of(cluster, stored), &value);
    struct mst_stored *at = (struct mst_stored *)(uintptr_t)value;
    if (at == stored) {
        if (stored->next_of_node)
            (void)mst_map_set(attached, node_of(cluster, stored),
                              (uint64_t)(uintptr_t)stored->next_of_node);
        else
            (void)mst_map_delete(attached, node_of(cluster, stored));
        return;
    }
    while (at && at->next_of_node != stored)
        at = at->next_of_node;
    mst_assert(at);
    at->next_of_node = stored->next_of_node;
}

/* ---- changes ---- */

static struct mst_str key_of(struct mst_cluster *cluster, const struct mst_object *object)
{
    const struct mst_meta *meta = &object->u.meta;
    const struct mst_str name = meta->name.p ? meta->name : MST_STR("");
    if (!mst_kind_namespaced(object->kind))
        return name;
    const struct mst_str ns = mst_sym_str(cluster->syms, meta->namespace_);
    return mst_arena_printf(&cluster->scratch, "%.*s/%.*s", MST_ARG(ns), MST_ARG(name));
}

/* Takes `stored` out of sight; it is readable until the next change. */
static void retire(struct mst_volume_store *store, struct mst_stored *stored)
{
    free_stored(store->gone);
    store->gone = stored;
}

static void carry_assumption(struct mst_stored *to, struct mst_stored *from)
{
    if (!from->assumption.on ||
        !mst_str_eq(from->object.u.meta.resource_version, to->object.u.meta.resource_version))
        return;
    to->assumption = from->assumption;
    from->assumption = (struct mst_assumption){ 0 };
}

const struct mst_stored *mst_volumes_set(struct mst_cluster *cluster,
                                         const struct mst_object *object,
                                         const struct mst_object **ret_old)
{
    mst_vol_kind kind;
    const bool ours = mst_volumes_kind(object->kind, &kind);
    mst_assert(ours);
    mst_arena_reset(&cluster->scratch);
    struct mst_volume_store *store = cluster->volumes;
    struct mst_volume_table *t = &store->tables[kind];
    struct mst_stored *fresh = mst_stored_copy(object, key_of(cluster, object));
    struct mst_stored *old = find(t, fresh->key);
    mst_volumes_changed(store);
    if (old) {
        carry_assumption(fresh, old);
        if (kind == MST_VOL_ATTACHMENT)
            detach(cluster, old);
    }
    put(t, fresh, old != NULL);
    if (kind == MST_VOL_ATTACHMENT)
        attach(cluster, fresh);
    retire(store, old);
    *ret_old = old ? &old->object : NULL;
    return fresh;
}

const struct mst_object *mst_volumes_remove(struct mst_cluster *cluster,
                                            const struct mst_object *object)
{
    mst_vol_kind kind;
    const bool ours = mst_volumes_kind(object->kind, &kind);
    mst_assert(ours);
    mst_arena_reset(&cluster->scratch);
    struct mst_volume_store *store = cluster->volumes;
    struct mst_stored *old = find(&store->tables[kind], key_of(cluster, object));
    if (!old)
        return NULL;
    mst_volumes_changed(store);
    take(&store->tables[kind], old);
    if (kind == MST_VOL_ATTACHMENT)
        detach(cluster, old);
    retire(store, old);
    return &old->object;
}

/* ---- reading ---- */

const struct mst_stored *mst_volumes_get(const struct mst_cluster *cluster, mst_vol_kind kind,
                                         struct mst_str key)
{
    return find(&cluster->volumes->tables[kind], key);
}

uint32_t mst_volumes_count(const struct mst_cluster *cluster, mst_vol_kind kind)
{
    return cluster->volumes->tables[kind].sorted.n;
}

const struct mst_stored *mst_volumes_at(const struct mst_cluster *cluster, mst_vol_kind kind,
                                        uint32_t i)
{
    mst_assert(i < cluster->volumes->tables[kind].sorted.n);
    return cluster->volumes->tables[kind].sorted.v[i];
}

const struct mst_stored *mst_volumes_attached(const struct mst_cluster *cluster, mst_sym node)
{
    uint64_t first;
    if (!mst_map_get(&cluster->volumes->attached, mst_sym_str(cluster->syms, node), &first))
        return NULL;
    return (const struct mst_stored *)(uintptr_t)first;
}

uint64_t mst_volumes_generation(const struct mst_cluster *cluster)
{
    return cluster->volumes->generation;
}

static const struct mst_stored *by_name(const struct mst_cluster *cluster, mst_vol_kind kind,
                                        mst_sym name)
{
    const struct mst_str text = mst_sym_str(cluster->syms, name);
    return text.p ? mst_volumes_get(cluster, kind, text) : NULL;
}

const struct mst_storage_class *mst_volumes_class(const struct mst_cluster *cluster, mst_sym name)
{
    const struct mst_stored *stored = by_name(cluster, MST_VOL_CLASS, name);
    return stored ? &stored->object.u.storage_class : NULL;
}

const struct mst_csi_node *mst_volumes_csi_node(const struct mst_cluster *cluster, mst_sym node)
{
    const struct mst_stored *stored = by_name(cluster, MST_VOL_CSI_NODE, node);
    return stored ? &stored->object.u.csi_node : NULL;
}

const struct mst_csi_driver *mst_volumes_csi_driver(const struct mst_cluster *cluster,
                                                    mst_sym driver)
{
    const struct mst_stored *stored = by_name(cluster, MST_VOL_CSI_DRIVER, driver);
    return stored ? &stored->object.u.csi_driver : NULL;
}

struct mst_claim_ref mst_pv_claim(const struct mst_stored *pv)
{
    const struct mst_pv *object = &pv->object.u.pv;
    if (pv->assumption.on)
        return pv->assumption.claim;
    return (struct mst_claim_ref){ object->claim_set, object->claim_ns, object->claim_name,
                                   object->claim_uid };
}

struct mst_str mst_meta_annotation(const struct mst_meta *meta, const char *key)
{
    for (uint32_t i = 0; i < meta->annotations.n; i++)
        if (mst_str_is(meta->annotations.v[i].key, key)) {
            const struct mst_str value = meta->annotations.v[i].value;
            return value.p ? value : MST_STR("");
        }
    return MST_STR_NONE;
}

mst_sym mst_pvc_selected_node(const struct mst_cluster *cluster, const struct mst_stored *pvc)
{
    if (pvc->assumption.on)
        return pvc->assumption.node;
    return mst_sym_of(cluster->syms,
                      mst_meta_annotation(&pvc->object.u.meta, MST_ANN_SELECTED_NODE));
}

static mst_sym class_of(const struct mst_cluster *cluster, const struct mst_meta *meta,
                        mst_sym field)
{
    const struct mst_str beta = mst_meta_annotation(meta, MST_ANN_BETA_CLASS);
    if (beta.p)
        return mst_sym_of(cluster->syms, beta);
    return field == MST_SYM_NONE ? (mst_sym)MST_SYM_EMPTY : field;
}

mst_sym mst_pvc_class(const struct mst_cluster *cluster, const struct mst_pvc *pvc)
{
    return class_of(cluster, &pvc->meta, pvc->class_name);
}

mst_sym mst_pv_class(const struct mst_cluster *cluster, const struct mst_pv *pv)
{
    return class_of(cluster, &pv->meta, pv->class_name);
}

static bool owned_by(const struct mst_pvc *pvc, const struct mst_pod_volumes *volumes)
{
    for (uint32_t i = 0; i < pvc->meta.owners.n; i++) {
        const struct mst_owner *owner = &pvc->meta.owners.v[i];
        if (owner->controller.set && owner->controller.value)
            return mst_str_eq(owner->uid, volumes->owner_uid);
    }
    return false;
}

struct mst_str mst_pvc_not_owner(const struct mst_cluster *cluster, const struct mst_pvc *pvc,
                                 const struct mst_pod_volumes *volumes,
                                 const struct mst_pod_volume *volume, struct mst_arena *arena)
{
    if (volume->source != MST_VOLUME_EPHEMERAL || owned_by(pvc, volumes))
        return MST_STR_NONE;
    return mst_arena_printf(arena, "PVC %.*s was not created for pod %.*s/%.*s (pod is not owner)",
                            MST_ARG(volume->claim_key),
                            MST_ARG(mst_sym_str(cluster->syms, volumes->ns)),
                            MST_ARG(volumes->owner_name));
}

bool mst_pvc_fully_bound(const struct mst_pvc *pvc)
{
    return pvc->volume_name.n && mst_meta_annotation(&pvc->meta, MST_ANN_BIND_COMPLETED).p;
}

struct mst_quantity mst_storage_amount(const struct mst_cluster *cluster, const mst_resources *list,
                                       bool *ret_set)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (mst_str_is(mst_sym_str(cluster->syms, list->v[i].name), "storage")) {
            if (ret_set)
                *ret_set = true;
            return list->v[i].quantity;
        }
    if (ret_set)
        *ret_set = false;
    return (struct mst_quantity){ 0 };
}
