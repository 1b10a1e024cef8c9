/*
 * volume_binding_reserve.c - what a pod's claims get is assumed, written, and waited for.
 *
 * Differs: a claim that lost all its annotations is "provisioning failed" like one that lost the
 *          selected node only; upstream has words of its own for it.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding/binder.go
 *         (AssumePodVolumes, bindAPIUpdate, checkBindings), staging component-helpers
 *         storage/volume (GetBindVolumeToClaim)
 */
#include "plugins/volume_binding_internal.h"

#define BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define SELECTED_NODE "volume.kubernetes.io/selected-node"
#define SECOND_NS ((int64_t)1000000000)

/* ---- Reserve ---- */

static struct mst_write pv_write(const struct mst_view *view, const struct mst_static_binding *b)
{
    const struct mst_pv *object = &b->pv->object.u.pv;
    const struct mst_meta *pv = &b->pv->object.u.meta, *claim = &b->pvc->object.u.meta;
    const struct mst_claim_ref ref = mst_pv_claim(b->pv);
    const bool prebound = mst_claim_ref_is(&ref, claim);
    return (struct mst_write){
        .kind = MST_KIND_PV,
        .key = b->pv->key,
        .name = pv->name,
        .uid = pv->uid,
        .claim_ns = claim->namespace_,
        .claim_name = claim->name,
        .claim_uid = claim->uid,
        .claim_ref = !prebound || !ref.uid.n,
        .claim_new = !ref.set,
        .claim_version = object->claim_api_version != mst_sym_of_text(view->syms, "v1"),
        .claim_kind = object->claim_kind != mst_sym_of_text(view->syms, "PersistentVolumeClaim"),
        .by_controller = !prebound && !mst_meta_annotation(pv, BY_CONTROLLER).p,
    };
}

static struct mst_write pvc_write(const struct mst_view *view, const struct mst_stored *pvc,
                                  mst_sym node)
{
    const struct mst_meta *meta = &pvc->object.u.meta;
    const struct mst_str selected = mst_meta_annotation(meta, SELECTED_NODE);
    return (struct mst_write){
        .kind = MST_KIND_PVC,
        .key = pvc->key,
        .ns = meta->namespace_,
        .name = meta->name,
        .uid = meta->uid,
        .node = node,
        .node_new = !selected.p || !mst_str_eq(selected, mst_sym_str(view->syms, node)),
    };
}

static struct mst_str move_text(char **at, struct mst_str s)
{
    if (!s.p)
        return s;
    char *to = *at;
    if (s.n)
        memcpy(to, s.p, s.n);
    *at += s.n + 1;
    return (struct mst_str){ to, s.n };
}

/* One block with the writes and their texts. */
static struct mst_reservation *make(const struct mst_write *writes, uint32_t n, int64_t timeout_ns)
{
    size_t bytes = sizeof(struct mst_reservation) + n * sizeof(*writes);
    for (uint32_t i = 0; i < n; i++)
        bytes += writes[i].key.n + writes[i].name.n + writes[i].uid.n + writes[i].claim_name.n +
                 writes[i].claim_uid.n + 5;
    struct mst_reservation *r = mst_calloc(bytes, 1);
    r->timeout_ns = timeout_ns;
    r->writes.v = (struct mst_write *)(r + 1);
    r->writes.n = n;
    char *text = (char *)(r->writes.v + n);
    for (uint32_t i = 0; i < n; i++) {
        struct mst_write w = writes[i];
        w.key = move_text(&text, w.key);
        w.name = move_text(&text, w.name);
        w.uid = move_text(&text, w.uid);
        w.claim_name = move_text(&text, w.claim_name);
        w.claim_uid = move_text(&text, w.claim_uid);
        r->writes.v[i] = w;
    }
    return r;
}

static void assume(const struct mst_view *view, const struct mst_node_volumes *found,
                   const struct mst_write *writes, mst_sym node)
{
    for (uint32_t i = 0; i < found->bindings.n; i++) {
        const struct mst_static_binding *b = &found->bindings.v[i];
        mst_volumes_assume_claim(view->cluster, b->pv, b->pvc, writes[i].by_controller);
    }
    for (uint32_t i = 0; i < found->provisions.n; i++)
        mst_volumes_assume_node(view->cluster, found->provisions.v[i].pvc, node);
}

static int64_t timeout_of(const struct mst_binding_instance *instance)
{
    const int64_t s = instance->args.bind_timeout_s;
    return s > INT64_MAX / SECOND_NS ? INT64_MAX : s * SECOND_NS;
}

/*
 * Two volumes of a pod can name one claim. Profile upstream writes it twice, fails on its own
 * write, and finds the claim bound when it tries again.
 */
static bool is_provisioned_before(const struct mst_node_volumes *found, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (found->provisions.v[k].pvc == found->provisions.v[i].pvc)
            return true;
    return false;
}

struct mst_reservation *mst_binding_reserve(const struct mst_view *view, const void *instance,
                                            uint32_t pod, uint32_t row, struct mst_arena *scratch)
{
    const struct mst_pod_volumes *volumes =
        mst_cluster_volumes(view->cluster, view->cluster->pods.v[pod].volumes);
    if (!volumes || !volumes->claim_count)
        return NULL;
    struct mst_binding_state *state = mst_binding_compile(view, volumes, scratch);
    if (!state->delayed.n)
        return NULL; /* all bound */
    const struct mst_node_volumes *found = mst_binding_find(view, state, row);
    const uint32_t n = found->bindings.n + found->provisions.n;
    if (!n)
        return NULL;
    struct mst_write *writes = MST_NEW_N(scratch, struct mst_write, n);
    for (uint32_t i = 0; i < found->bindings.n; i++)
        writes[i] = pv_write(view, &found->bindings.v[i]);
    uint32_t count = found->bindings.n;
    for (uint32_t i = 0; i < found->provisions.n; i++) {
        const bool stale = is_provisioned_before(found, i);
        if (stale && !view->upstream)
            continue;
        writes[count] = pvc_write(view, found->provisions.v[i].pvc, view->nodes->name[row]);
        writes[count++].stale = stale;
    }
    struct mst_reservation *reservation = make(writes, count, timeout_of(instance));
    assume(view, found, writes, view->nodes->name[row]);
    return reservation;
}

void mst_binding_unreserve(const struct mst_view *view, const void *instance,
                           struct mst_reservation *reservation, bool revert)
{
    (void)instance;
    for (uint32_t i = 0; revert && i < reservation->writes.n; i++) {
        const struct mst_write *w = &reservation->writes.v[i];
        mst_volumes_restore(view->cluster, w->kind == MST_KIND_PV ? MST_VOL_PV : MST_VOL_PVC,
                            w->key);
    }
    mst_free(reservation);
}

/* ---- PreBind ---- */

/* Whether the node of the pod can use the volume. */
static bool usable(const struct mst_view *view, const struct mst_pv *pv, mst_sym node,
                   struct mst_arena *arena)
{
    const uint32_t row = mst_nodes_row(view->nodes, node);
    if (row == MST_ROW_NONE)
        return false;
    struct mst_node_selector required = pv->required;
    const struct mst_migrated *plugin = mst_migrated_pv(pv);
    if (plugin && mst_migrated_on_node(mst_volumes_csi_node(view->cluster, node), plugin))
        required = mst_migrated_affinity(view->syms, pv, arena);
    const struct mst_reach reach = mst_reach_of_selector(view, &required, arena);
    return mst_reaches(view->nodes, &reach, row);
}

static mst_code no(struct mst_str *ret_reason, struct mst_str reason)
{
    *ret_reason = reason;
    return MST_ERROR;
}

static mst_code check_usable(const struct mst_view *view, const struct mst_stored *pv, mst_sym node,
                             struct mst_arena *arena, struct mst_str *ret_reason)
{
    if (usable(view, &pv->object.u.pv, node, arena))
        return MST_SUCCESS;
    return no(ret_reason,
              mst_arena_printf(arena,
                               "pv \"%.*s\" node affinity doesn't match node \"%.*s\": "
                               "no matching NodeSelectorTerms",
                               MST_ARG(pv->key), MST_ARG(mst_sym_str(view->syms, node))));
}

static mst_code check_pv(const struct mst_view *view, const struct mst_write *w, mst_sym node,
                         struct mst_arena *arena, struct mst_str *ret_reason)
{
    const struct mst_stored *pv = mst_volumes_get(view->cluster, MST_VOL_PV, w->key);
    const struct mst_str claim_key =
        mst_arena_printf(arena, "%.*s/%.*s", MST_ARG(mst_sym_str(view->syms, w->claim_ns)),
                         MST_ARG(w->claim_name));
    const struct mst_stored *pvc = mst_volumes_get(view->cluster, MST_VOL_PVC, claim_key);
    if (!pv || !pvc)
        return no(ret_reason,
                  mst_arena_printf(arena, "failed to check binding: %s \"%.*s\" not found",
                                   pv ? "persistentvolumeclaims" : "persistentvolumes",
                                   MST_ARG(pv ? claim_key : w->key)));
    if (pv->assumption.on)
        return MST_WAIT; /* our own write has not come back */
    const mst_code code = check_usable(view, pv, node, arena, ret_reason);
    if (code != MST_SUCCESS)
        return code;
    if (!pv->object.u.pv.claim_set || !pv->object.u.pv.claim_uid.n)
        return no(ret_reason,
                  mst_arena_printf(arena, "ClaimRef got reset for pv \"%.*s\"", MST_ARG(w->name)));
    return mst_pvc_fully_bound(&pvc->object.u.pvc) ? MST_SUCCESS : MST_WAIT;
}

static mst_code check_pvc(const struct mst_view *view, const struct mst_write *w, mst_sym node,
                          struct mst_arena *arena, struct mst_str *ret_reason)
{
    const struct mst_stored *pvc = mst_volumes_get(view->cluster, MST_VOL_PVC, w->key);
    if (!pvc)
        return no(ret_reason, mst_arena_printf(arena,
                                               "failed to check provisioning pvc: "
                                               "persistentvolumeclaims \"%.*s\" not found",
                                               MST_ARG(w->key)));
    if (pvc->assumption.on)
        return MST_WAIT;
    const struct mst_pvc *object = &pvc->object.u.pvc;
    if (mst_pvc_selected_node(view->cluster, pvc) != node)
        return no(ret_reason, mst_arena_printf(arena, "provisioning failed for PVC \"%.*s\"",
                                               MST_ARG(w->name)));
    if (object->volume_name.n) {
        const struct mst_stored *pv =
            mst_volumes_get(view->cluster, MST_VOL_PV, object->volume_name);
        if (!pv)
            return MST_WAIT; /* it may still be on its way */
        const mst_code code = check_usable(view, pv, node, arena, ret_reason);
        if (code != MST_SUCCESS)
            return code;
    }
    return mst_pvc_fully_bound(object) ? MST_SUCCESS : MST_WAIT;
}

mst_code mst_binding_done(const struct mst_view *view, const void *instance,
                          const struct mst_reservation *reservation, uint32_t pod,
                          struct mst_arena *arena, struct mst_str *ret_reason)
{
    (void)instance;
    const mst_sym node = view->cluster->pods.v[pod].node_name;
    if (mst_nodes_row(view->nodes, node) == MST_ROW_NONE)
        return no(ret_reason,
                  mst_arena_printf(arena, "failed to get node \"%.*s\": node \"%.*s\" not found",
                                   MST_ARG(mst_sym_str(view->syms, node)),
                                   MST_ARG(mst_sym_str(view->syms, node))));
    for (uint32_t i = 0; i < reservation->writes.n; i++) {
        const struct mst_write *w = &reservation->writes.v[i];
        const mst_code code = w->kind == MST_KIND_PV ? check_pv(view, w, node, arena, ret_reason)
                                                     : check_pvc(view, w, node, arena, ret_reason);
        if (code != MST_SUCCESS)
            return code;
    }
    return MST_SUCCESS;
}
