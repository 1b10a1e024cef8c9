/*
 * pod_topology_spread_hint.c - which events may help a pod that PodTopologySpread rejected.
 *
 * Source: spec/plugins.md 4.11 "Hints"; kubernetes v1.37
 *         pkg/scheduler/framework/plugins/podtopologyspread/plugin.go
 */
#include "plugins/pod_topology_spread_internal.h"

/* The DoNotSchedule constraints of the waiting pod. */
struct constraints {
    struct mst_arena arena;
    struct spread_constraint *v;
    uint32_t n;
};

static void constraints_done(struct constraints *c)
{
    mst_arena_done(&c->arena);
}

static void read_constraints(const struct mst_view *view, const void *instance,
                             const struct mst_class *klass, struct constraints *out)
{
    out->v = MST_NEW_N(&out->arena, struct spread_constraint, mst_spread_room(instance, klass));
    out->n = mst_spread_constraints(view, instance, klass, "DoNotSchedule", out->v);
}

/* Some constraint means one of the two label sets but not the other. */
static bool relabelled(const struct mst_view *view, const struct mst_class *klass,
                       const struct constraints *c, const struct mst_cluster_event *event)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (mst_spread_matches(view, klass, &c->v[i], event->old_labels) !=
            mst_spread_matches(view, klass, &c->v[i], event->new_labels))
            return true;
    return false;
}

static mst_hint assigned_pod_changed(const struct mst_view *view, const void *instance,
                                     uint32_t pod, const struct mst_class *klass,
                                     const struct mst_cluster_event *event)
{
    const struct mst_pod_row *other = &view->cluster->pods.v[event->pod];
    if (other->ns != view->cluster->pods.v[pod].ns)
        return MST_HINT_SKIP;
    MST_AUTO(constraints) c = { 0 };
    read_constraints(view, instance, klass, &c);
    if (event->actions & MST_ACT_UPDATE_POD_LABEL)
        return relabelled(view, klass, &c, event) ? MST_HINT_QUEUE : MST_HINT_SKIP;
    for (uint32_t i = 0; i < c.n; i++)
        if (mst_spread_matches(view, klass, &c.v[i], other->labels))
            return MST_HINT_QUEUE;
    return MST_HINT_SKIP;
}

static mst_hint own_pod_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                                const struct mst_class *klass,
                                const struct mst_cluster_event *event)
{
    (void)pod;
    MST_AUTO(constraints) c = { 0 };
    read_constraints(view, instance, klass, &c);
    for (uint32_t i = 0; event->actions & MST_ACT_UPDATE_POD_TOLERATION && i < c.n; i++)
        if (c.v[i].honor_taints)
            return MST_HINT_QUEUE;
    if (!(event->actions & MST_ACT_UPDATE_POD_LABEL))
        return MST_HINT_SKIP;
    return relabelled(view, klass, &c, event) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_sym label_of(const struct mst_node_facts *node, mst_sym key)
{
    return mst_labels_get((mst_labels){ (struct mst_label *)node->labels.v, node->labels.n }, key);
}

static bool has_all(const struct mst_node_facts *node, const struct constraints *c)
{
    for (uint32_t i = 0; node && i < c->n; i++)
        if (label_of(node, c->v[i].from->topology_key) == MST_SYM_NONE)
            return false;
    return node != NULL;
}

static bool same_taints(struct mst_taint_set a, struct mst_taint_set b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.v, b.v, a.n * sizeof(*a.v)) == 0);
}

static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)pod;
    const struct mst_node_facts *from = event->old_node, *to = event->new_node;
    MST_AUTO(constraints) c = { 0 };
    read_constraints(view, instance, klass, &c);
    const bool had = has_all(from, &c), has = has_all(to, &c);
    if (had != has)
        return MST_HINT_QUEUE;
    if (!had || !from || !to)
        return MST_HINT_SKIP;
    for (uint32_t i = 0; i < c.n; i++)
        if (label_of(from, c.v[i].from->topology_key) != label_of(to, c.v[i].from->topology_key))
            return MST_HINT_QUEUE;
    return same_taints(from->taints, to->taints) ? MST_HINT_SKIP : MST_HINT_QUEUE;
}

const struct mst_event_registration mst_spread_events[MST_SPREAD_EVENT_COUNT] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_ADD | MST_ACT_UPDATE_POD_LABEL | MST_ACT_DELETE,
      assigned_pod_changed },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_TOLERATION | MST_ACT_UPDATE_POD_LABEL,
      own_pod_changed },
    { MST_ON_NODE,
      MST_ACT_ADD | MST_ACT_DELETE | MST_ACT_UPDATE_NODE_LABEL | MST_ACT_UPDATE_NODE_TAINT,
      node_changed },
};
