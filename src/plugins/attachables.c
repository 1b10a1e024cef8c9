/*
 * attachables.c - what a pod's volume, or an attachment, counts as.
 *
 * Differs: an inline volume that cannot be translated is an error upstream; it is not counted here.
 */
#include "plugins/attachables.h"

#include "plugins/csi_translate.h"

static bool same_volume(const struct mst_attachable *a, const struct mst_attachable *b)
{
    return a->hash == b->hash && a->driver == b->driver && a->unbound == b->unbound &&
           mst_str_eq(a->handle, b->handle);
}

bool mst_attachables_have(const struct mst_attachables *list, const struct mst_attachable *volume)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (same_volume(&list->v[i], volume))
            return true;
    return false;
}

void mst_attachables_add(struct mst_attachables *list, const struct mst_attachable *volume)
{
    if (mst_attachables_have(list, volume))
        return;
    if (list->n == list->cap) {
        const uint32_t cap = MST_MAX(32u, 2 * list->cap);
        struct mst_attachable *grown = MST_NEW_N(list->arena, struct mst_attachable, cap);
        if (list->n)
            memcpy(grown, list->v, list->n * sizeof(*grown));
        list->v = grown;
        list->cap = cap;
    }
    list->v[list->n++] = *volume;
}

static bool complete(const struct mst_view *view, struct mst_attachable *out)
{
    if (!mst_sym_str(view->syms, out->driver).n || !out->handle.n)
        return false;
    out->hash = mst_hash_mix(mst_hash(out->handle.p, out->handle.n), out->driver);
    return true;
}

static bool of_class(const struct mst_view *view, const struct mst_pvc *pvc, struct mst_str key,
                     struct mst_attachable *out)
{
    const struct mst_storage_class *class =
        mst_volumes_class(view->cluster, mst_pvc_class(view->cluster, pvc));
    if (!class)
        return false;
    const struct mst_migrated *plugin =
        mst_migrated_name(mst_sym_str(view->syms, class->provisioner));
    if (plugin && !plugin->on)
        return false;
    *out = (struct mst_attachable){
        .driver = plugin ? mst_sym_of_text(view->syms, plugin->driver) : class->provisioner,
        .unbound = true,
        .translated = plugin != NULL,
        .handle = key,
    };
    return complete(view, out);
}

static bool of_pv(const struct mst_view *view, const struct mst_pv *pv, struct mst_arena *arena,
                  struct mst_attachable *out)
{
    *out = (struct mst_attachable){ .driver = pv->driver, .handle = pv->handle };
    if (!(pv->sources & MST_PV_CSI)) {
        const struct mst_migrated *plugin = mst_migrated_pv(pv);
        if (!plugin || !plugin->on)
            return false;
        out->driver = mst_sym_of_text(view->syms, plugin->driver);
        out->handle = mst_migrated_pv_handle(view->syms, pv, arena);
        out->translated = true;
    }
    return complete(view, out);
}

static bool of_claim(const struct mst_view *view, const struct mst_stored *claim,
                     struct mst_arena *arena, struct mst_attachable *out)
{
    const struct mst_pvc *pvc = &claim->object.u.pvc;
    const struct mst_stored *pv =
        pvc->volume_name.n ? mst_volumes_get(view->cluster, MST_VOL_PV, pvc->volume_name) : NULL;
    if (!pv)
        return of_class(view, pvc, claim->key, out);
    return of_pv(view, &pv->object.u.pv, arena, out);
}

static bool of_inline(const struct mst_view *view, const struct mst_pod_volume *volume,
                      struct mst_arena *arena, struct mst_attachable *out)
{
    const struct mst_migrated *plugin = mst_migrated_inline(volume->source);
    if (!plugin || !plugin->on)
        return false;
    *out = (struct mst_attachable){
        .driver = mst_sym_of_text(view->syms, plugin->driver),
        .translated = true,
        .handle = mst_migrated_inline_handle(view->syms, volume, arena),
    };
    return complete(view, out);
}

bool mst_is_attachable(const struct mst_pod_volume *volume)
{
    return volume->claim_key.p || mst_migrated_inline(volume->source);
}

bool mst_attachable_of(const struct mst_view *view, const struct mst_pod_volumes *volumes,
                       uint32_t i, struct mst_arena *arena, struct mst_attachable *out,
                       bool *ret_missing, struct mst_str *ret_error)
{
    const struct mst_pod_volume *volume = &volumes->list.v[i];
    if (!volume->claim_key.p)
        return of_inline(view, volume, arena, out);
    const struct mst_stored *claim = mst_volumes_get(view->cluster, MST_VOL_PVC, volume->claim_key);
    *ret_missing = !claim;
    if (!claim)
        return false;
    *ret_error = mst_pvc_not_owner(view->cluster, &claim->object.u.pvc, volumes, volume, arena);
    return !ret_error->p && of_claim(view, claim, arena, out);
}

struct mst_str mst_attachables_of_pod(const struct mst_view *view, uint32_t pod,
                                      struct mst_arena *arena, struct mst_attachables *out)
{
    const struct mst_cluster *cluster = view->cluster;
    const struct mst_pod_volumes *used = mst_cluster_volumes(cluster, cluster->pods.v[pod].volumes);
    struct mst_str first = MST_STR_NONE;
    for (uint32_t i = 0; used && i < used->list.n; i++) {
        struct mst_attachable a;
        bool missing = false;
        struct mst_str error = MST_STR_NONE;
        if (mst_attachable_of(view, used, i, arena, &a, &missing, &error))
            mst_attachables_add(out, &a);
        first = first.p ? first : error;
    }
    return first;
}

bool mst_attachable_attached(const struct mst_view *view, const struct mst_stored *attachment,
                             struct mst_attachable *out)
{
    const struct mst_volume_attachment *va = &attachment->object.u.volume_attachment;
    const struct mst_stored *pv = va->attacher != MST_SYM_NONE && va->pv_name.p
                                      ? mst_volumes_get(view->cluster, MST_VOL_PV, va->pv_name)
                                      : NULL;
    if (!pv || !(pv->object.u.pv.sources & MST_PV_CSI))
        return false;
    const struct mst_str handle = pv->object.u.pv.handle;
    *out = mst_attachable_named(va->attacher, handle.p ? handle : MST_STR(""));
    return true;
}
