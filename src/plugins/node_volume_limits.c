/*
 * NodeVolumeLimits - refuses nodes that could not attach the pod's volumes besides those they have.
 * Reads: the class's volumes, claims, volumes, storage classes, CSI drivers; per row its CSINode,
 *        its attachments, the volumes of its pods.
 * Requeue on: CSINode added or a limit of it raised, pod with volumes deleted, claim of the pod
 *             added, attachment deleted.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodevolumelimits/csi.go
 *
 * Differs: profile muster counts no attachments that a preemption in question would end, and keeps
 *          pods from volumes that victims leave behind for a more important pod
 *          (spec/preemption.md 11).
 */
#include "cluster/awaited.h"
#include "plugins/attachables.h"
#include "plugins/csi_translate.h"
#include "plugins/registry.h"

enum { CLAIM_MISSING = 1, DRIVER_MISSING = 2, TOO_MANY = 3, DETAIL_BITS = 2 };

struct limits_state {
    const struct mst_pod_volumes *volumes;
    const struct mst_pod_volume *missing; /* its claim does not exist */
    struct mst_str error;                 /* present: a claim is somebody else's */
    struct mst_attachables wanted;
    struct mst_arena *arena; /* of the class; for texts of translated volumes */
    /* Of the row at hand, reused: what counts there, what pods that were taken off it use, and what
     * victims have left behind for somebody who is nominated there. */
    struct mst_attachables attached, away, left;
};

/* ---- PreFilter ---- */

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
    state->wanted.arena = state->attached.arena = state->away.arena = state->left.arena =
        state->arena;
    for (uint32_t i = 0; i < volumes->list.n && !state->missing && !state->error.p; i++) {
        struct mst_attachable a;
        bool missing = false;
        const bool counts =
            mst_attachable_of(view, volumes, i, state->arena, &a, &missing, &state->error);
        if (missing)
            state->missing = &volumes->list.v[i];
        if (!counts)
            continue;
        a.must_be_installed = wants_installed(view, a.driver);
        mst_attachables_add(&state->wanted, &a);
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
        any |= mst_is_attachable(&volumes->list.v[i]);
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

/* What the node's pods use; the oldest pod's error, if there is one. */
static struct mst_str collect_of_pods(const struct mst_view *view, struct limits_state *state,
                                      uint32_t row, struct mst_arena *scratch)
{
    struct mst_str oldest = MST_STR_NONE;
    if (!view->nodes->volume_pod_count[row])
        return oldest;
    for (uint32_t pod = view->nodes->first_pod[row]; pod != MST_ROW_NONE;
         pod = view->cluster->pods.v[pod].node_next) {
        const struct mst_str first = mst_attachables_of_pod(view, pod, scratch, &state->attached);
        oldest = first.p ? first : oldest; /* the list has the newest first */
    }
    return oldest;
}

/*
 * What pods use that a simulation has taken off the node: they are gone there, and so is what is
 * attached for them alone. Profile upstream goes on counting it.
 */
static void collect_of_away(const struct mst_view *view, struct limits_state *state, uint32_t row,
                            struct mst_arena *scratch)
{
    if (view->upstream)
        return;
    for (uint32_t pod = view->nodes->first_away[row]; pod != MST_ROW_NONE;
         pod = view->cluster->pods.v[pod].away_next)
        (void)mst_attachables_of_pod(view, pod, scratch, &state->away);
}

/* What else is attached to the node, as the attach controller says. */
static void collect_attachments(const struct mst_view *view, struct limits_state *state,
                                mst_sym node)
{
    for (const struct mst_stored *s = mst_volumes_attached(view->cluster, node); s;
         s = s->next_of_node) {
        struct mst_attachable a;
        if (mst_attachable_attached(view, s, &a) && !mst_attachables_have(&state->away, &a))
            mst_attachables_add(&state->attached, &a);
    }
}

/* What the pod's victims leave behind on the node; true if there is anything. */
static bool add_left(struct limits_state *state, const struct mst_awaited *awaited, mst_sym node)
{
    const uint32_t before = state->left.n;
    for (uint32_t i = 0; i < awaited->volumes.n; i++) {
        const struct mst_awaited_volume *v = &awaited->volumes.v[i];
        const struct mst_attachable a = mst_attachable_named(v->driver, v->handle);
        if (v->node == node)
            mst_attachables_add(&state->left, &a);
    }
    return state->left.n > before;
}

/*
 * What victims leave behind for pods that count as nominated to the node: it is on its way off the
 * node, and a pod that uses it would keep it there. What somebody who stays uses is not.
 */
static void collect_left(const struct mst_view *view, struct limits_state *state, uint32_t row,
                         struct mst_arena *scratch)
{
    const struct mst_cluster *cluster = view->cluster;
    if (!cluster->awaited || !view->nodes->nominated_count[row])
        return;
    const mst_sym node = view->nodes->name[row];
    struct mst_attachables staying = { .arena = scratch };
    bool any = false;
    for (uint32_t pod = view->nodes->first_pod[row]; pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next) {
        const struct mst_awaited *awaited = mst_awaited_of_pod(cluster, pod);
        if (awaited && cluster->pods.v[pod].nominated == node)
            any |= add_left(state, awaited, node);
    }
    for (uint32_t pod = view->nodes->first_pod[row]; any && pod != MST_ROW_NONE;
         pod = cluster->pods.v[pod].node_next)
        if (!cluster->pods.v[pod].deleting && !mst_awaited_is_victim(cluster, pod))
            (void)mst_attachables_of_pod(view, pod, scratch, &staying);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->left.n; i++)
        if (!mst_attachables_have(&staying, &state->left.v[i]))
            state->left.v[kept++] = state->left.v[i];
    state->left.n = kept;
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

/* The lists of one node, for one driver. in_pods: how many of `attached` are volumes of pods. */
struct counting {
    const struct limits_state *state;
    mst_sym driver;
    int64_t limit;
    uint32_t in_pods;
    bool without_left; /* as if what victims leave behind were gone */
};

static bool is_left(const struct counting *c, const struct mst_attachable *volume)
{
    return c->without_left && mst_attachables_have(&c->state->left, volume);
}

static bool exceeds(const struct mst_view *view, const struct counting *c)
{
    const struct mst_attachables *attached = &c->state->attached, *wanted = &c->state->wanted;
    /* Profile upstream counts a wanted volume that is attached already, but to no pod, twice. */
    const struct mst_attachables seen = { .v = attached->v,
                                          .n = view->upstream ? c->in_pods : attached->n };
    int64_t count = 0, fresh = 0;
    for (uint32_t i = 0; i < attached->n; i++)
        count += attached->v[i].driver == c->driver && !is_left(c, &attached->v[i]);
    for (uint32_t i = 0; i < wanted->n; i++)
        fresh += wanted->v[i].driver == c->driver &&
                 (is_left(c, &wanted->v[i]) || !mst_attachables_have(&seen, &wanted->v[i]));
    return fresh > 0 && count + fresh > c->limit;
}

static bool driver_is_full(const struct mst_view *view, const struct limits_state *state,
                           const struct mst_csi_node *node, mst_sym driver, uint32_t in_pods)
{
    struct counting c = { .state = state, .driver = driver, .in_pods = in_pods };
    if (!limit_of(node, driver, &c.limit))
        return false;
    const bool full = exceeds(view, &c);
    c.without_left = state->left.n > 0;
    return full || (c.without_left && exceeds(view, &c));
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
        const struct mst_attachable *w = &state->wanted.v[i];
        if (w->must_be_installed && (node || !w->translated) && !is_installed(node, w->driver))
            return DRIVER_MISSING | i << DETAIL_BITS;
    }
    bool limited = false;
    for (uint32_t i = 0; node && i < node->drivers.n; i++)
        limited |= node->drivers.v[i].count.set;
    if (!limited)
        return 0;
    state->attached.n = state->away.n = state->left.n = 0;
    *ret_error = collect_of_pods(view, state, row, arena);
    if (ret_error->p)
        return MST_VERDICT_ERROR | MST_VERDICT_UNRESOLVABLE;
    const uint32_t in_pods = state->attached.n;
    collect_of_away(view, state, row, arena);
    collect_attachments(view, state, name);
    collect_left(view, state, row, arena);
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
        struct limits_state again = *state; /* the lists of the row may grow elsewhere */
        struct mst_str error;
        const struct mst_attachables none = { .arena = out->arena };
        again.arena = out->arena;
        again.attached = again.away = again.left = none;
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
        if (mst_is_attachable(&gone->list.v[i]))
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
        /* Upstream forgets claims of ephemeral volumes. */
        const bool claim = view->upstream ? want->list.v[i].source == MST_VOLUME_PVC
                                          : want->list.v[i].claim_key.p != NULL;
        if (claim || (plugin && mst_str_is(attacher, plugin->driver)))
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
