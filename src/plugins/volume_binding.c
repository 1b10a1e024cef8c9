/*
 * VolumeBinding - keeps pods to nodes where their claims' volumes can be used, found or made, and
 * prefers nodes whose free volumes the claims fill best.
 * Reads: claims, volumes, storage classes, CSI drivers, capacities; label columns, node names,
 *        CSINodes.
 * Requeue on: storage class added or its topologies changed, claim of the pod added or changed,
 *             volume added or changed, node added or relabelled, CSINode added, capacity added or
 *             larger.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding/volume_binding.go
 */
#include "plugins/volume_binding_internal.h"

/* ---- arguments ---- */

static void done(void *instance_)
{
    struct mst_binding_instance *instance = instance_;
    mst_arena_done(&instance->arena);
    mst_free(instance);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct mst_binding_instance *instance = mst_calloc(1, sizeof(*instance));
    struct mst_args_run run;
    mst_args_begin(&run, view->syms, view->gates, &instance->arena);
    mst_args_volume_binding(&run.reader, args, &instance->args);
    mst_rc rc = mst_args_end(&run, err);
    if (rc) {
        done(instance);
        return rc;
    }
    instance->scores = view->gates->on[MST_GATE_StorageCapacityScoring];
    *ret_instance = instance;
    return MST_OK;
}

/* ---- PreFilter ---- */

/* Why the claim behind a volume cannot be used by this pod now; absent: it can. */
static struct mst_str refusal(const struct mst_view *view, const struct mst_pod_volumes *volumes,
                              const struct mst_pod_volume *v, struct mst_arena *arena)
{
    const bool ephemeral = v->source == MST_VOLUME_EPHEMERAL;
    const struct mst_stored *stored = mst_volumes_get(view->cluster, MST_VOL_PVC, v->claim_key);
    if (!stored && ephemeral)
        return mst_arena_printf(arena,
                                "waiting for ephemeral volume controller to create the "
                                "persistentvolumeclaim \"%.*s\"",
                                MST_ARG(v->claim_name));
    if (!stored)
        return mst_arena_printf(arena, "persistentvolumeclaim \"%.*s\" not found",
                                MST_ARG(v->claim_name));
    const struct mst_pvc *pvc = &stored->object.u.pvc;
    if (mst_str_is(mst_sym_str(view->syms, pvc->phase), "Lost"))
        return mst_arena_printf(arena,
                                "persistentvolumeclaim \"%.*s\" bound to non-existent "
                                "persistentvolume \"%.*s\"",
                                MST_ARG(v->claim_name), MST_ARG(pvc->volume_name));
    if (pvc->meta.deleted.set)
        return mst_arena_printf(arena, "persistentvolumeclaim \"%.*s\" is being deleted",
                                MST_ARG(v->claim_name));
    return mst_pvc_not_owner(view->cluster, pvc, volumes, v, arena);
}

typedef enum { CLAIM_BOUND, CLAIM_DELAYED, CLAIM_IMMEDIATE, CLAIM_ERROR } claim_kind;

static claim_kind kind_of(const struct mst_view *view, const struct mst_pvc *pvc)
{
    if (mst_pvc_fully_bound(pvc))
        return CLAIM_BOUND;
    const mst_sym name = mst_pvc_class(view->cluster, pvc);
    const struct mst_storage_class *class =
        name == MST_SYM_EMPTY ? NULL : mst_volumes_class(view->cluster, name);
    if (!class)
        return CLAIM_IMMEDIATE;
    if (class->binding_mode == MST_SYM_NONE)
        return CLAIM_ERROR;
    const bool waits =
        mst_str_is(mst_sym_str(view->syms, class->binding_mode), "WaitForFirstConsumer");
    return waits && !pvc->volume_name.n ? CLAIM_DELAYED : CLAIM_IMMEDIATE;
}

/* Looks at all claims; true: the answer is in `out`. */
static bool is_refused(const struct mst_view *view, const struct mst_pod_volumes *volumes,
                       struct mst_arena *arena, struct mst_pre_filter *out)
{
    *out = (struct mst_pre_filter){ .code = MST_UNRESOLVABLE };
    for (uint32_t i = 0; i < volumes->list.n; i++) {
        if (!volumes->list.v[i].claim_key.p)
            continue;
        out->reason = refusal(view, volumes, &volumes->list.v[i], arena);
        if (out->reason.p)
            return true;
    }
    bool immediate = false;
    for (uint32_t i = 0; i < volumes->list.n; i++) {
        if (!volumes->list.v[i].claim_key.p)
            continue;
        const struct mst_stored *stored =
            mst_volumes_get(view->cluster, MST_VOL_PVC, volumes->list.v[i].claim_key);
        const struct mst_pvc *pvc = &stored->object.u.pvc;
        const claim_kind kind = kind_of(view, pvc);
        immediate |= kind == CLAIM_IMMEDIATE;
        if (kind != CLAIM_ERROR)
            continue;
        const struct mst_str class = mst_sym_str(view->syms, mst_pvc_class(view->cluster, pvc));
        out->code = MST_ERROR;
        out->reason = mst_arena_printf(arena, "VolumeBindingMode not set for StorageClass \"%.*s\"",
                                       MST_ARG(class));
        return true;
    }
    out->reason = MST_STR("pod has unbound immediate PersistentVolumeClaims");
    return immediate;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    if (!volumes || !volumes->claim_count) {
        *out = (struct mst_pre_filter){ .code = MST_SKIP };
        return;
    }
    if (is_refused(view, volumes, arena, out))
        return;
    *out = (struct mst_pre_filter){
        .code = MST_SUCCESS,
        .state = mst_binding_compile(view, volumes, arena),
    };
}

static uint64_t generation(const struct mst_view *view, const struct mst_class *klass)
{
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    return volumes && volumes->claim_count ? mst_volumes_generation(view->cluster) : 0;
}

/* ---- Filter ---- */

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    mst_assert(state);
    for (uint32_t row = begin; row < end; row++) {
        if (verdict[row] != MST_VERDICT_OK)
            continue;
        const uint32_t reasons = mst_binding_find(view, state, row)->reasons;
        if (reasons & MST_BINDING_ERROR)
            verdict[row] = reject | MST_VERDICT_UNRESOLVABLE | MST_VERDICT_ERROR;
        else if (reasons)
            verdict[row] = reject | MST_VERDICT_UNRESOLVABLE | reasons;
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    static const char *const texts[] = {
        "node(s) didn't match PersistentVolume's node affinity",
        "node(s) didn't find available persistent volumes to bind",
        "node(s) did not have enough free storage",
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    };
    (void)instance;
    if ((verdict & MST_VERDICT_ERROR) == MST_VERDICT_ERROR) {
        mst_reason_add(out, mst_binding_error(view, state, row));
        return;
    }
    for (size_t i = 0; i < MST_COUNT(texts); i++)
        if (verdict >> i & 1)
            mst_reason_add(out, mst_str_of(texts[i]));
}

/* ---- Score ---- */

static void pre_score(const struct mst_view *view, const void *instance_,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    const struct mst_binding_instance *instance = instance_;
    *out = (struct mst_pre_score){ .code = MST_SKIP };
    if (!instance->scores)
        return;
    *out = (struct mst_pre_score){ .code = MST_SUCCESS, .uniform = true };
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    struct mst_pre_filter refused;
    if (!volumes || !volumes->claim_count || is_refused(view, volumes, arena, &refused))
        return;
    struct mst_binding_state *state = mst_binding_compile(view, volumes, arena);
    out->uniform = !state->delayed.n;
    out->state = state;
}

static void score(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    struct mst_binding_state *state = state_;
    for (uint32_t row = begin; row < end; row++)
        raw[row] = state && state->delayed.n
                       ? mst_binding_score(view, instance, mst_binding_find(view, state, row))
                       : 0;
}

const struct mst_plugin mst_plugin_volume_binding = {
    .name = "VolumeBinding",
    .errs = true,
    .points = MST_POINT_RESERVE | MST_POINT_PRE_BIND,
    .default_weight = 1,
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_VOLUMES,
    .init = init,
    .done = done,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .pre_score = pre_score,
    .score = score,
    .generation = generation,
    .reserve = mst_binding_reserve,
    .unreserve = mst_binding_unreserve,
    .pre_bind_done = mst_binding_done,
    .events = mst_binding_events,
    .event_count = MST_BINDING_EVENT_COUNT,
};
