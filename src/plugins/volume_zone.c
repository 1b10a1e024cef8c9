/*
 * VolumeZone - refuses nodes outside of the zone or region that a bound volume's labels name.
 * Reads: claims, volumes, storage classes; four label columns.
 * Requeue on: storage class with delayed binding added, node added or relabelled, claim of the pod
 *             added or changed, volume added or its zone labels changed.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumezone/volume_zone.go
 */
#include "cluster/volumes.h"
#include "plugins/registry.h"

enum { ZONE_KEYS = 4 };

/* Beta keys first; the entry two further on is the key's successor. */
static const char *const zone_keys[ZONE_KEYS] = {
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
};
static uint32_t successor(uint32_t key)
{
    return key < 2 ? key + 2 : key;
}

struct zone_demand {
    uint32_t key; /* index of zone_keys */
    mst_sym_list values;
};

struct zone_state {
    MST_LIST(struct zone_demand) demands;
};

/* "a__b" as a set; false when some part is empty. A label's value has no spaces to trim. */
static bool split_zones(const struct mst_view *view, struct mst_str text, struct mst_arena *arena,
                        mst_sym_list *out)
{
    mst_sym *values = MST_NEW_N(arena, mst_sym, text.n / 2 + 1);
    uint32_t n = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.n; i++) {
        const bool end = i == text.n;
        const bool separator = !end && i + 1 < text.n && text.p[i] == '_' && text.p[i + 1] == '_';
        if (!end && !separator)
            continue;
        const struct mst_str part = { text.p + begin, i - begin };
        if (!part.n)
            return false;
        values[n++] = mst_sym_of(view->syms, part);
        begin = i + 2;
        i += separator;
    }
    *out = (mst_sym_list){ values, n };
    return true;
}

/* The zone labels of a volume, in the order of zone_keys; bad ones are left out. */
static uint32_t demands_of(const struct mst_view *view, const struct mst_meta *pv,
                           struct mst_arena *arena, struct zone_demand out[ZONE_KEYS])
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < ZONE_KEYS; k++) {
        const mst_sym value = mst_labels_get(pv->labels, mst_sym_of_text(view->syms, zone_keys[k]));
        out[n].key = k;
        if (value != MST_SYM_NONE &&
            split_zones(view, mst_sym_str(view->syms, value), arena, &out[n].values))
            n++;
    }
    return n;
}

/* ---- PreFilter ---- */

static struct mst_str not_found(struct mst_arena *arena, const char *what, struct mst_str name)
{
    return mst_arena_printf(arena, "%s \"%.*s\" not found", what, MST_ARG(name));
}

/* Why a claim without a volume is refused; absent: it waits for its first consumer. */
static struct mst_str unbound(const struct mst_view *view, const struct mst_pvc *pvc,
                              struct mst_arena *arena)
{
    const mst_sym name = mst_pvc_class(view->cluster, pvc);
    if (name == MST_SYM_EMPTY)
        return MST_STR("PersistentVolumeClaim had no pv name and storageClass name");
    const struct mst_storage_class *class = mst_volumes_class(view->cluster, name);
    const struct mst_str text = mst_sym_str(view->syms, name);
    if (!class)
        return not_found(arena, "storageclass.storage.k8s.io", text);
    if (class->binding_mode == MST_SYM_NONE)
        return mst_arena_printf(arena, "VolumeBindingMode not set for StorageClass \"%.*s\"",
                                MST_ARG(text));
    if (mst_str_is(mst_sym_str(view->syms, class->binding_mode), "WaitForFirstConsumer"))
        return MST_STR_NONE;
    return MST_STR("PersistentVolume had no name");
}

/* Adds what the claim's volume demands; returns why the pod is refused, or an absent span. */
static struct mst_str add_claim(const struct mst_view *view, const struct mst_pod_volume *v,
                                struct mst_arena *arena, struct zone_state *state)
{
    if (!v->claim_name.n)
        return MST_STR("PersistentVolumeClaim had no name");
    const struct mst_stored *stored = mst_volumes_get(view->cluster, MST_VOL_PVC, v->claim_key);
    if (!stored)
        return not_found(arena, "persistentvolumeclaim", v->claim_name);
    const struct mst_pvc *pvc = &stored->object.u.pvc;
    if (!pvc->volume_name.n)
        return unbound(view, pvc, arena);
    const struct mst_stored *pv = mst_volumes_get(view->cluster, MST_VOL_PV, pvc->volume_name);
    if (!pv)
        return not_found(arena, "persistentvolume", pvc->volume_name);
    struct zone_demand found[ZONE_KEYS];
    const uint32_t n = demands_of(view, &pv->object.u.meta, arena, found);
    for (uint32_t i = 0; i < n; i++)
        state->demands.v[state->demands.n++] = found[i];
    return MST_STR_NONE;
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
    struct zone_state *state = MST_NEW(arena, struct zone_state);
    state->demands.v = MST_NEW_N(arena, struct zone_demand, ZONE_KEYS * volumes->list.n);
    for (uint32_t i = 0; i < volumes->list.n; i++) {
        if (volumes->list.v[i].source != MST_VOLUME_PVC)
            continue;
        const struct mst_str why = add_claim(view, &volumes->list.v[i], arena, state);
        if (why.p) {
            *out = (struct mst_pre_filter){ .code = MST_UNRESOLVABLE, .reason = why };
            return;
        }
    }
    if (state->demands.n)
        *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

static uint64_t generation(const struct mst_view *view, const struct mst_class *klass)
{
    const struct mst_pod_volumes *volumes = mst_cluster_volumes(view->cluster, klass->volumes);
    return volumes && volumes->claim_count ? mst_volumes_generation(view->cluster) : 0;
}

/* ---- Filter ---- */

static bool has_zone(mst_sym *const column[ZONE_KEYS], uint32_t row,
                     const struct zone_demand *demand)
{
    mst_sym value = column[demand->key][row];
    if (value == MST_SYM_NONE)
        value = column[successor(demand->key)][row];
    for (uint32_t i = 0; value != MST_SYM_NONE && i < demand->values.n; i++)
        if (demand->values.v[i] == value)
            return true;
    return false;
}

static bool row_fits(mst_sym *const column[ZONE_KEYS], uint32_t row, const struct zone_state *state)
{
    bool any = false;
    for (uint32_t k = 0; k < ZONE_KEYS; k++)
        any |= column[k][row] != MST_SYM_NONE;
    if (!any)
        return true; /* a cluster of one zone need not say so */
    for (uint32_t i = 0; i < state->demands.n; i++)
        if (!has_zone(column, row, &state->demands.v[i]))
            return false;
    return true;
}

static void filter(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    mst_assert(state);
    mst_sym *column[ZONE_KEYS];
    for (uint32_t k = 0; k < ZONE_KEYS; k++)
        column[k] =
            (mst_sym *)(uintptr_t)mst_nodes_label(view->nodes,
                                                  mst_sym_of_text(view->syms, zone_keys[k]));
    for (uint32_t row = begin; row < end; row++)
        if (verdict[row] == MST_VERDICT_OK && !row_fits(column, row, state))
            verdict[row] = reject | MST_VERDICT_UNRESOLVABLE | 1;
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    (void)verdict;
    mst_reason_add(out, MST_STR("node(s) had no available volume zone"));
}

/* ---- hints ---- */

static mst_hint class_added(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    (void)klass;
    const mst_sym mode = event->object->u.storage_class.binding_mode;
    return mst_str_is(mst_sym_str(view->syms, mode), "WaitForFirstConsumer") ? MST_HINT_QUEUE
                                                                             : MST_HINT_SKIP;
}

static mst_hint claim_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                              const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    return mst_volumes_use(want, &event->object->u.meta, false) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

/* Every value of `b` is one of `a`. */
static bool covers(const mst_sym_list *a, const mst_sym_list *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        bool found = false;
        for (uint32_t j = 0; j < a->n && !found; j++)
            found = a->v[j] == b->v[i];
        if (!found)
            return false;
    }
    return true;
}

static mst_hint pv_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                           const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    (void)klass;
    if (!event->old_object)
        return MST_HINT_QUEUE;
    const struct mst_meta *before = &event->old_object->u.meta, *now = &event->object->u.meta;
    MST_AUTO(mst_arena) arena = { 0 };
    struct zone_demand old[ZONE_KEYS], new[ZONE_KEYS];
    const uint32_t old_n = demands_of(view, before, &arena, old);
    const uint32_t new_n = demands_of(view, now, &arena, new);
    bool same = old_n == new_n;
    for (uint32_t i = 0; same && i < old_n; i++)
        same = old[i].key == new[i].key &&covers(&old[i].values, &new[i].values) &&
               covers(&new[i].values, &old[i].values);
    return same ? MST_HINT_SKIP : MST_HINT_QUEUE;
}

static const struct mst_event_registration events[] = {
    { MST_ON_STORAGE_CLASS, MST_ACT_ADD, class_added },
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL, NULL },
    { MST_ON_PVC, MST_ACT_ADD | MST_ACT_UPDATE, claim_changed },
    { MST_ON_PV, MST_ACT_ADD | MST_ACT_UPDATE, pv_changed },
};

const struct mst_plugin mst_plugin_volume_zone = {
    .name = "VolumeZone",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_VOLUMES,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .generation = generation,
    .events = events,
    .event_count = MST_COUNT(events),
};
