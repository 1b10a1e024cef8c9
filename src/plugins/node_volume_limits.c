/*
 * NodeVolumeLimits - refuses nodes that could not attach the pod's volumes besides those they have.
 * Reads: the class's volumes, claims, volumes, storage classes, CSI drivers; per row its CSINode,
 *        its attachments, the volumes of its pods.
 * Requeue on: CSINode added or a limit of it raised, pod with volumes deleted, claim of the pod
 *             added, attachment deleted.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodevolumelimits/csi.go
 *
 * Differs: an inline volume that cannot be translated is an error upstream; it is not counted here.
 */
#include "plugins/csi_translate.h"
#include "plugins/registry.h"

enum { CLAIM_MISSING = 1, DRIVER_MISSING = 2, TOO_MANY = 3, DETAIL_BITS = 2 };

/* A volume as drivers count it. */
struct attachable {
    mst_sym driver;
    bool unbound;           /* `handle` is the key of a claim without a volume */
    bool translated;        /* counts only on nodes with a CSINode */
    bool must_be_installed; /* wanted ones: the driver asks for it */
    struct mst_str handle;
    uint64_t hash;
};
typedef MST_LIST(struct attachable) attachables;

struct limits_state {
    const struct mst_pod_volumes *volumes;
    const struct mst_pod_volume *missing; /* its claim does not exist */
    struct mst_str error;                 /* present: a claim is somebody else's */
    attachables wanted;                   /* distinct */
    struct mst_arena *arena;              /* of the class; for texts of translated volumes */
    attachables attached;                 /* of the row at hand; reused */
    uint32_t attached_cap;
};

/* ---- what a volume counts as ---- */

static bool same_volume(const struct attachable *a, const struct attachable *b)
{
    return a->hash == b->hash && a->driver == b->driver && a->unbound == b->unbound &&
           mst_str_eq(a->handle, b->handle);
}

static bool has_volume(const attachables *list, const struct attachable *volume)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (same_volume(&list->v[i], volume))
            return true;
    return false;
}

static bool complete(const struct mst_view *view, struct attachable *out)
{
    if (!mst_sym_str(view->syms, out->driver).n || !out->handle.n)
        return false;
    out->hash = mst_hash_mix(mst_hash(out->handle.p, out->handle.n), out->driver);
    return true;
}

static bool of_class(const struct mst_view *view, const struct mst_pvc *pvc, struct mst_str key,
                     struct attachable *out)
{
    const struct mst_storage_class *class =
        mst_volumes_class(view->cluster, mst_pvc_class(view->cluster, pvc));
    if (!class)
        return false;
    const struct mst_migrated *plugin =
        mst_migrated_name(mst_sym_str(view->syms, class->provisioner));
    if (plugin && !plugin->on)
        return false;
    *out = (struct attachable){
        .driver = plugin ? mst_sym_of_text(view->syms, plugin->driver) : class->provisioner,
        .unbound = true,
        .translated = plugin != NULL,
        .handle = key,
    };
    return complete(view, out);
}

static bool of_pv(const struct mst_view *view, const struct mst_pv *pv, struct mst_arena *arena,
                  struct attachable *out)
{
    *out = (struct attachable){ .driver = pv->driver, .handle = pv->handle };
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
                     struct mst_arena *arena, struct attachable *out)
{
    const struct mst_pvc *pvc = &claim->object.u.pvc;
    const struct mst_stored *pv =
        pvc->volume_name.n ? mst_volumes_get(view->cluster, MST_VOL_PV, pvc->volume_name) : NULL;
    if (!pv)
        return of_class(view, pvc, claim->key, out);
    return of_pv(view, &pv->object.u.pv, arena, out);
}

static bool of_inline(const struct mst_view *view, const struct mst_pod_volume *volume,
                      struct mst_arena *arena, struct attachable *out)
{
    const struct mst_migrated *plugin = mst_migrated_inline(volume->source);
    if (!plugin || !plugin->on)
        return false;
    *out = (struct attachable){
        .driver = mst_sym_of_text(view->syms, plugin->driver),
        .translated = true,
        .handle = mst_migrated_inline_handle(view->syms, volume, arena),
    };
    return complete(view, out);
}

/*
 * False: nothing to count. A claim that does not exist sets *ret_missing, one that an ephemeral
 * volume may not use *ret_error.
 */
static bool of_volume(const struct mst_view *view, const struct mst_pod_volumes *volumes,
                      uint32_t i, struct mst_arena *arena, struct attachable *out,
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

/* ---- PreFilter ---- */

static bool is_counted(const struct mst_pod_volume *volume)
{
    return volume->claim_key.p || mst_migrated_inline(volume->source);
}

static bool wants_installed(const struct mst_view *view, mst_sym driver)
{
    if (!view->gates->on[MST_GATE_VolumeLimitScaling])
        return false;
    const struct mst_csi_driver *object = mst_volumes_csi_driver(view->cluster, driver);
    return object && object->prevent_if_missing.set && object->prevent_if_missing.value;
}

static void collect_wanted(const struct mst_view *view, struct limits_state *state)
{
    const struct mst_pod_volumes *volumes = state->volumes;
    state->wanted.v = MST_NEW_N(state->arena, struct attachable, volumes->list.n);
    for (uint32_t i = 0; i < volumes->list.n && !state->missing && !state->error.p; i++) {
        struct attachable a;
        bool missing = false;
        const bool counts = of_volume(view, volumes, i, state->arena, &a, &missing, &state->error);
        if (missing)
            state->missing = &volumes->list.v[i];
        if (!counts || has_volume(&state->wanted, &a))
            continue;
        a.must_be_installed = wants_installed(view, a.driver);
        state->wanted.v[state->wanted.n++] = a;
    }
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    bool any = false;
    for (uint32_t i = 0; volumes && i < volumes->list.n; i++)
        any |= is_counted(&volumes->list.v[i]);
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    if (!any)
        return;
    struct limits_state *state = MST_NEW(arena, struct limits_state);
    state->volumes = volumes;
    state->arena = arena;
    collect_wanted(view, state);
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

static uint64_t generation(const struct mst_view *view, const struct mst_class *klass)
{
    return klass->volumes ? mst_volumes_generation(view->cluster) : 0;
}

/* ---- Filter ---- */

static void add_attached(struct limits_state *state, const struct attachable *volume)
{
    if (has_volume(&state->attached, volume))
        return;
    if (state->attached.n == state->attached_cap) {
        const uint32_t cap = MST_MAX(32u, 2 * state->attached_cap);
        struct attachable *grown = MST_NEW_N(state->arena, struct attachable, cap);
        if (state->attached.n)
            memcpy(grown, state->attached.v, state->attached.n * sizeof(*grown));
        state->attached.v = grown;
        state->attached_cap = cap;
    }
    state->attached.v[state->attached.n++] = *volume;
}

/* What the node's pods use; the oldest pod's error, if there is one. */
static struct mst_str collect_of_pods(const struct mst_view *view, struct limits_state *state,
                                      uint32_t row, struct mst_arena *scratch)
{
    const struct mst_cluster *cluster = view->cluster;
    struct mst_str oldest = MST_STR_NONE;
    if (!view->nodes->volume_pod_count[row])
        return oldest;
    for (uint32_t pod = view->nodes->first_pod[row]; pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next) {
        const struct mst_pod_volumes *used =
            mst_cluster_volumes(cluster, cluster->pods.v[pod].volumes);
        struct mst_str first = MST_STR_NONE;
        for (uint32_t i = 0; used && i < used->list.n; i++) {
            struct attachable a;
            bool missing = false;
            struct mst_str error = MST_STR_NONE;
            if (of_volume(view, used, i, scratch, &a, &missing, &error))
                add_attached(state, &a);
            first = first.p ? first : error;
        }
        oldest = first.p ? first : oldest; /* the list has the newest first */
    }
    return oldest;
}

/* What else is attached to the node, as the attach controller says. */
static void collect_attachments(const struct mst_view *view, struct limits_state *state,
                                mst_sym node)
{
    for (const struct mst_stored *s = mst_volumes_attached(view->cluster, node); s;
         s = s->next_of_node) {
        const struct mst_volume_attachment *va = &s->object.u.volume_attachment;
        const struct mst_stored *pv = va->attacher != MST_SYM_NONE && va->pv_name.p
                                          ? mst_volumes_get(view->cluster, MST_VOL_PV, va->pv_name)
                                          : NULL;
        if (!pv || !(pv->object.u.pv.sources & MST_PV_CSI))
            continue;
        struct attachable a = { .driver = va->attacher, .handle = pv->object.u.pv.handle };
        if (!a.handle.p)
            a.handle = MST_STR("");
        a.hash = mst_hash_mix(mst_hash(a.handle.p, a.handle.n), a.driver);
        add_attached(state, &a);
    }
}

static bool limit_of(const struct mst_csi_node *node, mst_sym driver, int64_t *ret_limit)
{
    bool found = false;
    for (uint32_t i = 0; i < node->drivers.n; i++)
        if (node->drivers.v[i].name == driver && node->drivers.v[i].count.set) {
            *ret_limit = node->drivers.v[i].count.value; /* the last one of a name counts */
            found = true;
        }
    return found;
}

/* in_pods: how many of `attached` are volumes of pods; the rest is attached without a pod. */
static bool driver_is_full(const struct mst_view *view, const struct limits_state *state,
                           const struct mst_csi_node *node, mst_sym driver, uint32_t in_pods)
{
    int64_t limit, count = 0, fresh = 0;
    if (!limit_of(node, driver, &limit))
        return false;
    for (uint32_t i = 0; i < state->attached.n; i++)
        count += state->attached.v[i].driver == driver;
    /* Profile upstream counts a wanted volume that is attached already, but to no pod, twice. */
    const attachables seen = { state->attached.v, view->upstream ? in_pods : state->attached.n };
    for (uint32_t i = 0; i < state->wanted.n; i++)
        fresh += state->wanted.v[i].driver == driver && !has_volume(&seen, &state->wanted.v[i]);
    return fresh > 0 && count + fresh > limit;
}

static bool is_installed(const struct mst_csi_node *node, mst_sym driver)
{
    for (uint32_t i = 0; node && i < node->drivers.n; i++)
        if (node->drivers.v[i].name == driver)
            return true;
    return false;
}

/* 0, or the verdict's detail; words of a failure in `arena`. */
static mst_verdict judge(const struct mst_view *view, struct limits_state *state, uint32_t row,
                         struct mst_arena *arena, struct mst_str *ret_error)
{
    *ret_error = state->error;
    if (state->error.p)
        return MST_VERDICT_ERROR | MST_VERDICT_UNRESOLVABLE;
    if (state->missing)
        return CLAIM_MISSING | MST_VERDICT_UNRESOLVABLE;
    const mst_sym name = view->nodes->name[row];
    const struct mst_csi_node *node = mst_volumes_csi_node(view->cluster, name);
    for (uint32_t i = 0; i < state->wanted.n; i++) {
        const struct attachable *w = &state->wanted.v[i];
        if (w->must_be_installed && (node || !w->translated) && !is_installed(node, w->driver))
            return DRIVER_MISSING | i << DETAIL_BITS;
    }
    bool limited = false;
    for (uint32_t i = 0; node && i < node->drivers.n; i++)
        limited |= node->drivers.v[i].count.set;
    if (!limited)
        return 0;
    state->attached.n = 0;
    *ret_error = collect_of_pods(view, state, row, arena);
    if (ret_error->p)
        return MST_VERDICT_ERROR | MST_VERDICT_UNRESOLVABLE;
    const uint32_t in_pods = state->attached.n;
    collect_attachments(view, state, name);
    for (uint32_t i = 0; i < state->wanted.n; i++)
        if (driver_is_full(view, state, node, state->wanted.v[i].driver, in_pods))
            return TOO_MANY;
    return 0;
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    struct limits_state *s = state;
    if (!s || (!s->wanted.n && !s->missing && !s->error.p))
        return;
    for (uint32_t row = begin; row < end; row++) {
        if (verdict[row] != MST_VERDICT_OK)
            continue;
        MST_AUTO(mst_arena) scratch = { 0 };
        struct mst_str error;
        const mst_verdict detail = judge(view, s, row, &scratch, &error);
        if (detail)
            verdict[row] = reject | detail;
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state_,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)instance;
    const struct limits_state *state = state_;
    const uint32_t detail = verdict & MST_VERDICT_DETAIL;
    if (detail & MST_VERDICT_ERROR) {
        struct limits_state again = *state; /* the list of what is attached may grow elsewhere */
        struct mst_str error;
        again.arena = out->arena;
        again.attached_cap = again.attached.n = 0;
        (void)judge(view, &again, row, out->arena, &error);
        mst_reason_add(out, error);
        return;
    }
    switch (detail & ((1 << DETAIL_BITS) - 1)) {
    case CLAIM_MISSING:
        mst_reason_add(out, mst_arena_printf(out->arena,
                                             "looking up PVC %.*s: persistentvolumeclaim \"%.*s\" "
                                             "not found",
                                             MST_ARG(state->missing->claim_key),
                                             MST_ARG(state->missing->claim_name)));
        break;
    case DRIVER_MISSING: {
        const mst_sym driver = state->wanted.v[detail >> DETAIL_BITS].driver;
        mst_reason_add(out,
                       mst_arena_printf(out->arena, "%.*s CSI driver is not installed on the node",
                                        MST_ARG(mst_sym_str(view->syms, driver))));
        break;
    }
    default: mst_reason_add(out, MST_STR("node(s) exceed max volume count")); break;
    }
}

/* ---- hints ---- */

static mst_hint pod_deleted(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    (void)klass;
    mst_assert(event->pod != MST_ROW_NONE);
    const struct mst_pod_volumes *gone =
        mst_cluster_volumes(view->cluster, view->cluster->pods.v[event->pod].volumes);
    for (uint32_t i = 0; gone && i < gone->list.n; i++)
        if (is_counted(&gone->list.v[i]))
            return MST_HINT_QUEUE;
    return MST_HINT_SKIP;
}

static mst_hint claim_added(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    return mst_volumes_use(want, &event->object->u.meta, true) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint csi_node_updated(const struct mst_view *view, const void *instance, uint32_t pod,
                                 const struct mst_class *klass,
                                 const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    const struct mst_csi_node *now = &event->object->u.csi_node;
    for (uint32_t i = 0; i < now->drivers.n; i++) {
        const struct mst_csi_node_driver *d = &now->drivers.v[i];
        int64_t before = 0;
        if (event->old_object)
            (void)limit_of(&event->old_object->u.csi_node, d->name, &before);
        if ((d->count.set ? d->count.value : 0) > before)
            return MST_HINT_QUEUE;
    }
    return MST_HINT_SKIP;
}

static mst_hint attachment_deleted(const struct mst_view *view, const void *instance, uint32_t pod,
                                   const struct mst_class *klass,
                                   const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    const struct mst_str attacher =
        mst_sym_str(view->syms, event->object->u.volume_attachment.attacher);
    for (uint32_t i = 0; want && i < want->list.n; i++) {
        const struct mst_migrated *plugin = mst_migrated_inline(want->list.v[i].source);
        if (want->list.v[i].source == MST_VOLUME_PVC ||
            (plugin && mst_str_is(attacher, plugin->driver)))
            return MST_HINT_QUEUE;
    }
    return MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_CSI_NODE, MST_ACT_ADD, NULL },
    { MST_ON_CSI_NODE, MST_ACT_UPDATE, csi_node_updated },
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, pod_deleted },
    { MST_ON_PVC, MST_ACT_ADD, claim_added },
    { MST_ON_VOLUME_ATTACHMENT, MST_ACT_DELETE, attachment_deleted },
};

const struct mst_plugin mst_plugin_node_volume_limits = {
    .name = "NodeVolumeLimits",
    .errs = true,
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_VOLUMES,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .generation = generation,
    .events = events,
    .event_count = MST_COUNT(events),
};
