/*
 * VolumeRestrictions - refuses nodes where a pod uses the same disk in a way that disks do not
 * allow, and all nodes while another pod uses a ReadWriteOncePod claim of the pod.
 * Reads: the class's volumes, the volumes of pods on the rows that have some, claims, how many
 *        placed pods use a claim.
 * Requeue on: a pod deleted that used a disk or claim of the pod, node added, claim added.
 * Source: kubernetes v1.37
 *         pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go
 */
#include "cluster/volumes.h"
#include "plugins/registry.h"

enum { DISK_CONFLICT = 1, CLAIM_IN_USE = 2 };

struct restrictions_state {
    const struct mst_pod_volumes *volumes;
    bool inline_sources; /* some volume is of a kind that the table of conflicts knows */
    MST_LIST(const struct mst_pod_volume *) claims; /* ReadWriteOncePod */
    /* During a dry run of profile upstream: claims in use when it began, and where it begins. */
    bool dry;
    uint32_t dry_uses, dry_undo;
};

static bool is_restricted(mst_volume_source source)
{
    return source == MST_VOLUME_GCE_PD || source == MST_VOLUME_AWS_EBS ||
           source == MST_VOLUME_RBD || source == MST_VOLUME_ISCSI;
}

static bool share_monitor(const struct mst_pod_volume *a, const struct mst_pod_volume *b)
{
    for (uint32_t i = 0; i < a->rbd_monitors.n; i++)
        for (uint32_t j = 0; j < b->rbd_monitors.n; j++)
            if (a->rbd_monitors.v[i] == b->rbd_monitors.v[j])
                return true;
    return false;
}

static bool disks_conflict(const struct mst_pod_volume *want, const struct mst_pod_volume *used)
{
    if (want->source != used->source || !is_restricted(want->source) || want->id != used->id)
        return false;
    if (want->source == MST_VOLUME_AWS_EBS)
        return true;
    if (want->read_only && used->read_only)
        return false;
    return want->source != MST_VOLUME_RBD ||
           (want->rbd_pool == used->rbd_pool && share_monitor(want, used));
}

static bool lists_conflict(const struct mst_pod_volumes *want, const struct mst_pod_volumes *used)
{
    for (uint32_t i = 0; i < want->list.n; i++)
        for (uint32_t j = 0; j < used->list.n; j++)
            if (disks_conflict(&want->list.v[i], &used->list.v[j]))
                return true;
    return false;
}

/* ---- PreFilter ---- */

static bool is_once_per_pod(const struct mst_view *view, const struct mst_pvc *pvc)
{
    for (uint32_t i = 0; i < pvc->access_modes.n; i++)
        if (mst_str_is(mst_sym_str(view->syms, pvc->access_modes.v[i]), "ReadWriteOncePod"))
            return true;
    return false;
}

/* Collects the claims of which only one pod may use each; the first missing claim ends it. */
static const struct mst_pod_volume *collect_claims(const struct mst_view *view,
                                                   struct restrictions_state *state)
{
    for (uint32_t i = 0; i < state->volumes->list.n; i++) {
        const struct mst_pod_volume *v = &state->volumes->list.v[i];
        state->inline_sources |= is_restricted(v->source);
        if (v->source != MST_VOLUME_PVC)
            continue;
        const struct mst_stored *pvc = mst_volumes_get(view->cluster, MST_VOL_PVC, v->claim_key);
        if (!pvc)
            return v;
        if (is_once_per_pod(view, &pvc->object.u.pvc))
            state->claims.v[state->claims.n++] = v;
    }
    return NULL;
}

static uint32_t claims_in_use(const struct mst_cluster *cluster,
                              const struct restrictions_state *state)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < state->claims.n; i++)
        n += mst_claim_uses(cluster, state->claims.v[i]->claim_key) > 0;
    return n;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    if (!volumes)
        return;
    struct restrictions_state *state = MST_NEW(arena, struct restrictions_state);
    state->volumes = volumes;
    state->claims.v = MST_NEW_N(arena, const struct mst_pod_volume *, volumes->list.n);
    const struct mst_pod_volume *missing = collect_claims(view, state);
    if (missing) {
        *out = (struct mst_pre_filter){
            .code = MST_UNRESOLVABLE,
            .reason = mst_arena_printf(arena, "persistentvolumeclaim \"%.*s\" not found",
                                       MST_ARG(missing->claim_name)),
        };
        return;
    }
    /* Upstream skips on the first glance; profile muster looks again where pods are nominated. */
    const bool skip = view->upstream ? !claims_in_use(view->cluster, state) : !state->claims.n;
    if (state->inline_sources || !skip)
        *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

/* Whether a claim is in use is the same for every node: when that changes, a class is asked anew.
 */
static uint64_t generation(const struct mst_view *view, const struct mst_class *klass)
{
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    if (!volumes)
        return 0;
    uint64_t in_use = 0;
    for (uint32_t i = 0; i < volumes->list.n && !in_use; i++)
        if (volumes->list.v[i].source == MST_VOLUME_PVC)
            in_use = mst_claim_uses(view->cluster, volumes->list.v[i].claim_key) > 0;
    return mst_volumes_generation(view->cluster) << 1 | in_use;
}

/* ---- Filter ---- */

static bool row_conflicts(const struct mst_cluster *cluster, uint32_t row,
                          const struct restrictions_state *state)
{
    if (!state->inline_sources || !cluster->nodes.volume_pod_count[row])
        return false;
    for (uint32_t pod = cluster->nodes.first_pod[row]; pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next) {
        const struct mst_pod_volumes *used =
            mst_cluster_volumes(cluster, cluster->pods.v[pod].volumes);
        if (used && lists_conflict(state->volumes, used))
            return true;
    }
    return false;
}

/* How many volumes name a claim like one of ours, in whatever namespace. */
static uint32_t namesakes(const struct restrictions_state *state,
                          const struct mst_pod_volumes *used)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < used->list.n; j++)
        for (uint32_t i = 0; i < state->claims.n; i++)
            if (used->list.v[j].source == MST_VOLUME_PVC &&
                mst_str_eq(used->list.v[j].claim_name, state->claims.v[i]->claim_name)) {
                n++;
                break;
            }
    return n;
}

/*
 * Profile upstream in a dry run: a pod that leaves or comes counts by the bare names of its claims.
 */
static bool dry_in_use(const struct mst_cluster *cluster, const struct restrictions_state *state)
{
    int64_t uses = state->dry_uses;
    for (uint32_t i = state->dry_undo; i < cluster->undo.n; i++) {
        const struct mst_undo *move = &cluster->undo.v[i];
        const struct mst_pod_volumes *used =
            mst_cluster_volumes(cluster, cluster->pods.v[move->pod].volumes);
        if (used && move->kind == MST_UNDO_PLACE)
            uses += namesakes(state, used);
        else if (used && move->kind == MST_UNDO_UNPLACE)
            uses -= namesakes(state, used);
    }
    return uses > 0;
}

static void dry_begin(const struct mst_view *view, void *state_)
{
    struct restrictions_state *state = state_;
    state->dry = true;
    state->dry_uses = claims_in_use(view->cluster, state);
    state->dry_undo = view->cluster->undo.n;
}

static void dry_end(void *state_)
{
    struct restrictions_state *state = state_;
    state->dry = false;
}

/*
 * Profile upstream: a nominated pod that is tried on the row counts by the bare name of its claims,
 * whatever its namespace.
 */
static bool nominated_namesake(const struct mst_view *view, uint32_t row,
                               const struct restrictions_state *state)
{
    const struct mst_cluster *cluster = view->cluster;
    if (!view->upstream || !state->claims.n || !cluster->nodes.nominated_count[row])
        return false;
    for (uint32_t pod = cluster->nodes.first_pod[row]; pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next) {
        const struct mst_pod_row *p = &cluster->pods.v[pod];
        const struct mst_pod_volumes *used = mst_cluster_volumes(cluster, p->volumes);
        if (used && !p->assigned && !p->assumed && p->nominated == cluster->nodes.name[row] &&
            namesakes(state, used))
            return true;
    }
    return false;
}

static void filter(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    const struct restrictions_state *state = state_;
    mst_assert(state);
    const bool in_use =
        state->dry ? dry_in_use(view->cluster, state) : claims_in_use(view->cluster, state) > 0;
    for (uint32_t row = begin; row < end; row++) {
        if (verdict[row] != MST_VERDICT_OK)
            continue;
        if (row_conflicts(view->cluster, row, state))
            verdict[row] = reject | DISK_CONFLICT;
        else if (in_use || (!state->dry && nominated_namesake(view, row, state)))
            verdict[row] = reject | CLAIM_IN_USE;
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    if ((verdict & MST_VERDICT_DETAIL) == DISK_CONFLICT)
        mst_reason_add(out, MST_STR("node(s) had no available disk"));
    else
        mst_reason_add(out, MST_STR("node(s) unavailable due to PersistentVolumeClaim with "
                                    "ReadWriteOncePod access mode already in-use by another pod"));
}

/* ---- hints ---- */

static bool share_claim(const struct mst_pod_volumes *a, const struct mst_pod_volumes *b)
{
    for (uint32_t i = 0; i < a->list.n; i++)
        for (uint32_t j = 0; j < b->list.n; j++)
            if (a->list.v[i].source == MST_VOLUME_PVC && b->list.v[j].source == MST_VOLUME_PVC &&
                mst_str_eq(a->list.v[i].claim_key, b->list.v[j].claim_key))
                return true;
    return false;
}

static mst_hint pod_deleted(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    mst_assert(event->pod != MST_ROW_NONE);
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    const struct mst_pod_volumes *gone =
        mst_cluster_volumes(view->cluster, view->cluster->pods.v[event->pod].volumes);
    if (!want || !gone || want->ns != gone->ns)
        return MST_HINT_SKIP;
    return lists_conflict(want, gone) || share_claim(want, gone) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint claim_added(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    return mst_volumes_use(want, &event->object->u.meta, false) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, pod_deleted },
    { MST_ON_NODE, MST_ACT_ADD, NULL },
    { MST_ON_PVC, MST_ACT_ADD, claim_added },
};

const struct mst_plugin mst_plugin_volume_restrictions = {
    .name = "VolumeRestrictions",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_VOLUMES,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .dry_begin = dry_begin,
    .dry_end = dry_end,
    .generation = generation,
    .events = events,
    .event_count = MST_COUNT(events),
};
