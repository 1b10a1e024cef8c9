/*
 * events.c - what happened in the world, told to the cluster and then to the queue.
 *
 * Invariants: the order of each kind is upstream's handler order (scheduling.md 1.2): added pods
 * and groups are in the cluster before the queue hears of them; a node that goes is announced
 *             before, a deleted pod has left its node and group but its row can still be read.
 * Source:     spec/scheduling.md 1.2, 1.7, 2.7; kubernetes v1.37 pkg/scheduler/eventhandlers.go.
 */
#include "cycle/engine_internal.h"

#include "api/api.h"
#include "cluster/affinity.h"
#include "cluster/budgets.h"

/* ---- pods ---- */

static bool finished(const struct mst_engine *engine, const struct mst_pod *pod)
{
    struct mst_str phase = mst_sym_str(engine->syms, pod->status.phase);
    return mst_str_is(phase, "Succeeded") || mst_str_is(phase, "Failed");
}

/* Index of the profile by schedulerName, UINT32_MAX: another scheduler's pod. */
static uint32_t profile_of(const struct mst_engine *engine, const struct mst_pod *pod)
{
    struct mst_str name = mst_sym_str(engine->syms, pod->spec.scheduler_name);
    for (uint32_t i = 0; i < engine->framework_count; i++)
        if (mst_str_eq(engine->frameworks[i].scheduler_name, name))
            return i;
    return UINT32_MAX;
}

static struct mst_cluster_event pod_event(mst_event_resource resource, uint32_t action,
                                          const char *label, uint32_t pod)
{
    return (struct mst_cluster_event){
        .resource = resource,
        .actions = action,
        .label = label,
        .pod = pod,
        .group = MST_ROW_NONE,
    };
}

void mst_engine_assigned_event(struct mst_engine *engine, uint32_t pod, uint32_t action)
{
    const char *label = action == MST_ACT_ADD      ? "AssignedPodAdd"
                        : action == MST_ACT_DELETE ? "AssignedPodDelete"
                                                   : "AssignedPodUpdate";
    struct mst_cluster_event e = pod_event(MST_ON_ASSIGNED_POD, action, label, pod);
    mst_queue_event(engine->queue, &e, engine->now_ns);
}

/*
 * Room that a nominated pod held is free for pods of at most its priority, itself included: as if
 * it had been deleted from there.
 */
void mst_engine_nomination_freed(struct mst_engine *engine, uint32_t pod)
{
    struct mst_cluster_event e =
        pod_event(MST_ON_ASSIGNED_POD, MST_ACT_DELETE, "AssignedPodDelete", pod);
    e.limited = true;
    e.priority_max = engine->cluster.pods.v[pod].priority;
    mst_queue_event(engine->queue, &e, engine->now_ns);
}

static void pod_removed(struct mst_engine *engine, uint32_t row)
{
    struct mst_pod_row *p = &engine->cluster.pods.v[row];
    bool occupied = p->assigned || p->assumed;
    bool nominated = p->nominated != MST_SYM_NONE;
    mst_engine_handles(engine, occupied ? "AssignedPodDelete" : "UnscheduledPodDelete");
    if (!occupied)
        mst_queue_pod_removed(engine->queue, row, engine->now_ns);
    mst_engine_unreserve(engine, row, true);
    mst_asks_pod_changed(&engine->asks, p->uid);
    mst_cluster_pod_retire(&engine->cluster, row);
    if (occupied)
        mst_engine_assigned_event(engine, row, MST_ACT_DELETE);
    else if (nominated)
        mst_engine_nomination_freed(engine, row);
    mst_cluster_pod_remove(&engine->cluster, row);
    mst_awaited_changed(engine);
}

static void pod_added(struct mst_engine *engine, const struct mst_pod *pod)
{
    uint32_t profile = profile_of(engine, pod);
    bool assigned = pod->spec.node_name != MST_SYM_NONE;
    if (!assigned && profile == UINT32_MAX)
        return;
    uint32_t row = mst_cluster_pod_add(&engine->cluster, pod, profile);
    mst_engine_find_extenders(engine, row, pod);
    mst_engine_handles(engine, assigned ? "AssignedPodAdd" : "UnscheduledPodAdd");
    if (assigned) {
        mst_engine_assigned_event(engine, row, MST_ACT_ADD);
        return;
    }
    mst_engine_sign(engine, row, pod);
    mst_queue_pod_added(engine->queue, row, engine->now_ns);
    struct mst_cluster_event e =
        pod_event(MST_ON_UNSCHEDULED_POD, MST_ACT_ADD, "UnscheduledPodAdd", row);
    mst_queue_event(engine->queue, &e, engine->now_ns);
}

static int64_t amount_of(const struct mst_usage *usage, uint32_t resource)
{
    for (uint32_t i = 0; i < usage->amounts.n; i++)
        if (usage->amounts.v[i].resource == resource)
            return usage->amounts.v[i].amount;
    return 0;
}

/* Bit SCALE_DOWN if some amount of `from` is smaller in `to`, SCALE_UP if some is larger. */
static uint32_t scale_actions(const struct mst_usage *from, const struct mst_usage *to)
{
    uint32_t actions = 0;
    for (uint32_t i = 0; i < from->amounts.n; i++)
        if (amount_of(to, from->amounts.v[i].resource) < from->amounts.v[i].amount)
            actions |= MST_ACT_UPDATE_POD_SCALE_DOWN;
    for (uint32_t i = 0; i < to->amounts.n; i++)
        if (amount_of(from, to->amounts.v[i].resource) < to->amounts.v[i].amount)
            actions |= MST_ACT_UPDATE_POD_SCALE_UP;
    return actions;
}

enum { POD_UPDATES = 6 };
static const struct {
    uint32_t action;
    const char *assigned, *target, *unscheduled;
} pod_updates[POD_UPDATES] = {
#define UPDATE(action, name)                                                                       \
    {                                                                                              \
        (action), "AssignedPodUpdate" name, "TargetPodUpdate" name, "UnscheduledPodUpdate" name    \
    }
    UPDATE(MST_ACT_UPDATE_POD_LABEL, "PodLabel"),
    UPDATE(MST_ACT_UPDATE_POD_SCALE_DOWN, "PodScaleDown"),
    UPDATE(MST_ACT_UPDATE_POD_SCALE_UP, "PodScaleUp"),
    UPDATE(MST_ACT_UPDATE_POD_GATES_ELIMINATED, "PodSchedulingGatesEliminated"),
    UPDATE(MST_ACT_UPDATE_POD_TOLERATION, "PodToleration"),
    UPDATE(MST_ACT_UPDATE, ""),
#undef UPDATE
};

/* What the hints compare; holds a reference to both ids. */
struct pod_before {
    uint32_t usage, labels;
    uint32_t features; /* of its class */
};

/* One event per kind of change, at least one. Returns how many. */
static uint32_t split_update(const struct mst_engine *engine, uint32_t row, uint32_t actions,
                             const struct pod_before *before,
                             struct mst_cluster_event out[POD_UPDATES])
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[row];
    mst_event_resource resource = p->assigned ? MST_ON_ASSIGNED_POD : MST_ON_TARGET_POD;
    uint32_t n = 0;
    if (!actions)
        actions = MST_ACT_UPDATE;
    for (uint32_t i = 0; i < POD_UPDATES; i++) {
        if (!(actions & pod_updates[i].action))
            continue;
        out[n] = pod_event(resource, pod_updates[i].action,
                           resource == MST_ON_ASSIGNED_POD ? pod_updates[i].assigned
                                                           : pod_updates[i].target,
                           row);
        out[n].old_usage = before->usage;
        out[n].new_usage = p->usage;
        out[n].old_labels = before->labels;
        out[n].old_features = before->features;
        out[n++].new_labels = p->labels;
    }
    return n;
}

/* The labels of the update, as upstream has them where the pod is not asked about itself. */
static void handles_update(struct mst_engine *engine, bool assigned, uint32_t actions)
{
    for (uint32_t i = 0; i < POD_UPDATES; i++)
        if (actions & pod_updates[i].action || pod_updates[i].action == MST_ACT_UPDATE)
            mst_engine_handles(engine,
                               assigned ? pod_updates[i].assigned : pod_updates[i].unscheduled);
}

static uint32_t toleration_count(const struct mst_engine *engine, uint32_t row)
{
    uint32_t class_id = engine->cluster.pods.v[row].class_id;
    return class_id == UINT32_MAX ? 0
                                  : mst_cluster_class(&engine->cluster, class_id)->tolerations.n;
}

/* The pod has a node by now: ours, confirmed, or somebody else's decision. */
static void pod_bound(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod)
{
    const struct mst_pod_row *p = &engine->cluster.pods.v[row];
    bool queued = !p->assumed;
    bool nominated_elsewhere = p->nominated != MST_SYM_NONE && p->nominated != pod->spec.node_name;
    mst_engine_handles(engine, "AssignedPodAdd");
    mst_engine_handles(engine, "UnscheduledPodDelete"); /* upstream asks its queue in any case */
    if (queued)
        mst_queue_pod_removed(engine->queue, row, engine->now_ns);
    if (nominated_elsewhere)
        mst_engine_nomination_freed(engine, row);
    mst_cluster_pod_update(&engine->cluster, row, pod);
    mst_engine_assigned_event(engine, row, MST_ACT_ADD);
}

static uint32_t features_of(const struct mst_engine *engine, uint32_t row)
{
    uint32_t class_id = engine->cluster.pods.v[row].class_id;
    return class_id == UINT32_MAX ? 0 : mst_cluster_class(&engine->cluster, class_id)->features;
}

static void pod_updated(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod)
{
    struct mst_pod_row *p = &engine->cluster.pods.v[row];
    if (!p->assigned && pod->spec.node_name != MST_SYM_NONE) {
        pod_bound(engine, row, pod);
        return;
    }
    const struct pod_before before = { p->usage, p->labels, features_of(engine, row) };
    uint32_t old_tolerations = toleration_count(engine, row);
    mst_sym old_nominated = p->status_nominated;
    bool old_gates = p->gates.n > 0, old_deleting = p->deleting;
    engine->cluster.usages.v[before.usage]->refs++;
    mst_labels_ref(&engine->cluster, before.labels);
    mst_cluster_pod_update(&engine->cluster, row, pod);
    mst_engine_find_extenders(engine, row, pod);
    p = &engine->cluster.pods.v[row];
    uint32_t actions =
        scale_actions(engine->cluster.usages.v[before.usage], engine->cluster.usages.v[p->usage]);
    if (p->labels != before.labels)
        actions |= MST_ACT_UPDATE_POD_LABEL;
    if (old_gates && !p->gates.n)
        actions |= MST_ACT_UPDATE_POD_GATES_ELIMINATED;
    if (toleration_count(engine, row) != old_tolerations)
        actions |= MST_ACT_UPDATE_POD_TOLERATION;
    struct mst_cluster_event events[POD_UPDATES];
    uint32_t n = split_update(engine, row, actions, &before, events);
    handles_update(engine, p->assigned, actions);
    if (p->assigned)
        for (uint32_t i = 0; i < n; i++)
            mst_queue_event(engine->queue, &events[i], engine->now_ns);
    else if (!p->assumed)
        mst_engine_sign(engine, row, pod);
    if (!p->assigned && !p->assumed)
        mst_queue_pod_updated(engine->queue, row, events, n, engine->now_ns);
    mst_usage_unref(&engine->cluster, before.usage);
    mst_labels_unref(&engine->cluster, before.labels);
    p = &engine->cluster.pods.v[row];
    const bool moved = p->status_nominated != old_nominated, goes = p->deleting && !old_deleting;
    if (old_nominated != MST_SYM_NONE && moved)
        mst_engine_nomination_freed(engine, row);
    if (moved || goes)
        mst_awaited_changed(engine);
}

static void set_pod(struct mst_engine *engine, const struct mst_pod *pod)
{
    uint32_t row = mst_cluster_pod(&engine->cluster, pod->meta.namespace_, pod->meta.name);
    mst_asks_pod_changed(&engine->asks, pod->meta.uid);
    if (row != MST_ROW_NONE &&
        (finished(engine, pod) || !mst_str_eq(engine->cluster.pods.v[row].uid, pod->meta.uid))) {
        pod_removed(engine, row);
        row = MST_ROW_NONE;
    }
    if (finished(engine, pod))
        return;
    if (row == MST_ROW_NONE)
        pod_added(engine, pod);
    else
        pod_updated(engine, row, pod);
}

/* ---- nodes ---- */

/* Not zeroed: mst_nodes_facts fills as many as there are columns. */
static int64_t *room_for_amounts(struct mst_engine *engine)
{
    return mst_arena_alloc(&engine->arena, MST_RES_MAX * sizeof(int64_t));
}

static struct mst_cluster_event node_event(uint32_t action, const char *label,
                                           const struct mst_node_facts *before,
                                           const struct mst_node_facts *after)
{
    return (struct mst_cluster_event){
        .resource = MST_ON_NODE,
        .actions = action,
        .label = label,
        .pod = MST_ROW_NONE,
        .group = MST_ROW_NONE,
        .old_node = before,
        .new_node = after,
    };
}

static bool same_allocatable(const struct mst_node_facts *a, const struct mst_node_facts *b)
{
    if (a->pods_allowed != b->pods_allowed)
        return false;
    for (uint32_t r = 0; r < b->resource_count; r++)
        if ((r < a->resource_count ? a->allocatable[r] : 0) != b->allocatable[r])
            return false;
    return true;
}

static void node_updated(struct mst_engine *engine, const struct mst_node_facts *before,
                         const struct mst_node_facts *after)
{
    struct mst_cluster_event events[4];
    uint32_t n = 0;
    if (!same_allocatable(before, after))
        events[n++] =
            node_event(MST_ACT_UPDATE_NODE_ALLOCATABLE, "NodeUpdateNodeAllocatable", before, after);
    if (before->labels.v != after->labels.v)
        events[n++] = node_event(MST_ACT_UPDATE_NODE_LABEL, "NodeUpdateNodeLabel", before, after);
    if (before->taints.v != after->taints.v || (before->unschedulable && !after->unschedulable))
        events[n++] = node_event(MST_ACT_UPDATE_NODE_TAINT, "NodeUpdateNodeTaint", before, after);
    if (before->features.v != after->features.v || before->features.n != after->features.n)
        events[n++] = node_event(MST_ACT_UPDATE_NODE_DECLARED_FEATURE,
                                 "NodeUpdateNodeDeclaredFeature", before, after);
    for (uint32_t i = 0; i < n; i++) {
        mst_engine_handles(engine, events[i].label);
        mst_queue_event(engine->queue, &events[i], engine->now_ns);
    }
}

static void set_node(struct mst_engine *engine, const struct mst_node *node)
{
    struct mst_nodes *nodes = &engine->cluster.nodes;
    struct mst_node_facts before, after;
    int64_t *old_amounts = room_for_amounts(engine);
    int64_t *new_amounts = room_for_amounts(engine);
    uint32_t row = mst_nodes_row(nodes, mst_sym_of(engine->syms, node->meta.name));
    bool known = row != MST_ROW_NONE;
    if (known)
        mst_nodes_facts(nodes, row, old_amounts, &before);
    row = mst_cluster_node_set(&engine->cluster, node);
    mst_nodes_facts(nodes, row, new_amounts, &after);
    if (known) {
        node_updated(engine, &before, &after);
    } else {
        struct mst_cluster_event e = node_event(MST_ACT_ADD, "NodeAdd", NULL, &after);
        mst_engine_handles(engine, e.label);
        mst_queue_event(engine->queue, &e, engine->now_ns);
    }
}

static void remove_node(struct mst_engine *engine, struct mst_str name)
{
    struct mst_nodes *nodes = &engine->cluster.nodes;
    mst_sym sym = mst_sym_of(engine->syms, name);
    uint32_t row = mst_nodes_row(nodes, sym);
    if (row == MST_ROW_NONE)
        return;
    struct mst_node_facts before;
    mst_nodes_facts(nodes, row, room_for_amounts(engine), &before);
    struct mst_cluster_event e = node_event(MST_ACT_DELETE, "NodeDelete", &before, NULL);
    mst_engine_handles(engine, e.label);
    mst_queue_event(engine->queue, &e, engine->now_ns);
    mst_cluster_node_remove(&engine->cluster, sym);
}

/* ---- groups ---- */

static void group_removed(struct mst_engine *engine, uint32_t row)
{
    mst_engine_handles(engine, "scheduling.k8s.io/PodGroupDelete");
    mst_cluster_group_remove(&engine->cluster, row);
    mst_awaited_changed(engine);
    mst_queue_group_removed(engine->queue, row, engine->now_ns);
}

static void set_group(struct mst_engine *engine, const struct mst_pod_group *group)
{
    struct mst_cluster *c = &engine->cluster;
    if (!c->groups_enabled || group->composite)
        return; /* trees: members of a group with a parent stay incomplete (queue/) */
    uint32_t row = mst_cluster_group(c, group->meta.namespace_, group->meta.name);
    bool known = row != MST_ROW_NONE && c->groups.v[row].known;
    if (known && !mst_str_eq(c->groups.v[row].uid, group->meta.uid)) {
        group_removed(engine, row);
        known = false;
    }
    int64_t old_min =
        known && c->groups.v[row].policy == MST_POLICY_GANG ? c->groups.v[row].min_count : -1;
    row = mst_cluster_group_set(c, group);
    struct mst_cluster_event e = {
        .resource = MST_ON_POD_GROUP,
        .actions = known ? MST_ACT_UPDATE : MST_ACT_ADD,
        .label = known ? "scheduling.k8s.io/PodGroupUpdate" : "scheduling.k8s.io/PodGroupAdd",
        .pod = MST_ROW_NONE,
        .group = row,
        .old_min_count = old_min,
        .new_min_count =
            c->groups.v[row].policy == MST_POLICY_GANG ? c->groups.v[row].min_count : -1,
    };
    mst_engine_handles(engine, e.label);
    if (known)
        mst_queue_group_updated(engine->queue, row, engine->now_ns);
    else
        mst_queue_group_added(engine->queue, row, engine->now_ns);
    mst_queue_event(engine->queue, &e, engine->now_ns);
}

/* ---- dispatch ---- */

static void set(struct mst_engine *engine, const struct mst_object *object)
{
    switch (object->kind) {
    case MST_KIND_POD: set_pod(engine, &object->u.pod); break;
    case MST_KIND_NODE: set_node(engine, &object->u.node); break;
    case MST_KIND_POD_GROUP:
    case MST_KIND_COMPOSITE_POD_GROUP: set_group(engine, &object->u.group); break;
    case MST_KIND_NAMESPACE: mst_cluster_namespace_set(&engine->cluster, &object->u.ns); break;
    case MST_KIND_PDB: mst_cluster_budget_set(&engine->cluster, &object->u.pdb); break;
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET: mst_cluster_selector_set(&engine->cluster, object); break;
    case MST_KIND_PV:
    case MST_KIND_PVC:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT: mst_engine_storage_set(engine, object); break;
    case MST_KIND_UNKNOWN:
    case MST_KIND_WORKLOAD:
    case MST_KIND_PRIORITY_CLASS:
    case MST_KIND_COUNT: break;
    }
}

static void remove_object(struct mst_engine *engine, const struct mst_object *object)
{
    uint32_t row;
    switch (object->kind) {
    case MST_KIND_POD:
        row = mst_cluster_pod(&engine->cluster, object->u.meta.namespace_, object->u.meta.name);
        if (row != MST_ROW_NONE)
            pod_removed(engine, row);
        break;
    case MST_KIND_NODE: remove_node(engine, object->u.meta.name); break;
    case MST_KIND_POD_GROUP:
        row = mst_cluster_group(&engine->cluster, object->u.meta.namespace_, object->u.meta.name);
        if (row != MST_ROW_NONE && engine->cluster.groups.v[row].known)
            group_removed(engine, row);
        break;
    case MST_KIND_NAMESPACE:
        mst_cluster_namespace_remove(&engine->cluster,
                                     mst_sym_of(engine->syms, object->u.meta.name));
        break;
    case MST_KIND_PDB:
        mst_cluster_budget_remove(&engine->cluster, object->u.meta.namespace_, object->u.meta.name);
        break;
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET: mst_cluster_selector_remove(&engine->cluster, object); break;
    case MST_KIND_PV:
    case MST_KIND_PVC:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT: mst_engine_storage_removed(engine, object); break;
    case MST_KIND_COMPOSITE_POD_GROUP:
    case MST_KIND_UNKNOWN:
    case MST_KIND_WORKLOAD:
    case MST_KIND_PRIORITY_CLASS:
    case MST_KIND_COUNT: break;
    }
}

void mst_engine_event(struct mst_engine *engine, const struct mst_event *event, int64_t now_ns)
{
    mst_assert(now_ns >= engine->now_ns);
    engine->now_ns = now_ns;
    mst_mark_begin(engine->marks, MST_PART_EVENT);
    switch (event->kind) {
    case MST_EVENT_SET: set(engine, event->object); break;
    case MST_EVENT_REMOVE: remove_object(engine, event->object); break;
    case MST_EVENT_EFFECT_DONE:
    case MST_EVENT_EFFECT_FAILED: mst_engine_answer(engine, event); break;
    }
    if (engine->marks)
        mst_engine_mark_handled(engine);
    mst_arena_reset(&engine->arena);
}
