/*
 * volume_binding_hint.c - which changes of storage objects may help a pod that VolumeBinding
 * refused.
 *
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding/volume_binding.go
 *         (EventsToRegister)
 */
#include "plugins/volume_binding_internal.h"

static bool same_requirements(const mst_requirements *a, const mst_requirements *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct mst_requirement *x = &a->v[i], *y = &b->v[i];
        if (x->key != y->key || x->values.n != y->values.n ||
            (x->values.n && memcmp(x->values.v, y->values.v, x->values.n * sizeof(mst_sym)) != 0))
            return false;
    }
    return true;
}

static mst_hint class_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                              const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    if (!event->old_object)
        return MST_HINT_QUEUE;
    const struct mst_storage_class *was = &event->old_object->u.storage_class;
    const struct mst_storage_class *now = &event->object->u.storage_class;
    bool same = was->allowed_topologies.n == now->allowed_topologies.n;
    for (uint32_t i = 0; same && i < now->allowed_topologies.n; i++)
        same = same_requirements(&was->allowed_topologies.v[i].expressions,
                                 &now->allowed_topologies.v[i].expressions);
    return same ? MST_HINT_SKIP : MST_HINT_QUEUE;
}

static mst_hint claim_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                              const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    return mst_volumes_use(want, &event->object->u.meta, true) ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_hint csi_node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                                 const struct mst_class *klass,
                                 const struct mst_cluster_event *event)
{
    static const char key[] = "storage.alpha.kubernetes.io/migrated-plugins";
    (void)view;
    (void)instance;
    (void)pod;
    (void)klass;
    if (!event->old_object)
        return MST_HINT_QUEUE;
    const struct mst_str was = mst_meta_annotation(&event->old_object->u.meta, key);
    const struct mst_str now = mst_meta_annotation(&event->object->u.meta, key);
    return mst_str_eq(was, now) ? MST_HINT_SKIP : MST_HINT_QUEUE;
}

static bool tracks_capacity(const struct mst_object *driver)
{
    const struct mst_opt_bool *field = &driver->u.csi_driver.storage_capacity;
    return field->set && field->value;
}

static mst_hint driver_updated(const struct mst_view *view, const void *instance, uint32_t pod,
                               const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_pod_volumes *want = mst_cluster_volumes(view->cluster, klass->volumes);
    if (!event->old_object || !tracks_capacity(event->old_object) || tracks_capacity(event->object))
        return MST_HINT_SKIP;
    for (uint32_t i = 0; want && i < want->list.n; i++)
        if (want->list.v[i].source == MST_VOLUME_CSI &&
            mst_str_eq(mst_sym_str(view->syms, want->list.v[i].id), event->object->u.meta.name))
            return MST_HINT_QUEUE;
    return MST_HINT_SKIP;
}

static mst_hint capacity_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                                 const struct mst_class *klass,
                                 const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    (void)klass;
    if (!event->old_object)
        return MST_HINT_QUEUE;
    const struct mst_quantity *was = mst_capacity_limit(&event->old_object->u.csi_storage_capacity);
    const struct mst_quantity *now = mst_capacity_limit(&event->object->u.csi_storage_capacity);
    if (!now)
        return MST_HINT_SKIP;
    const bool larger = !was || (view->upstream ? mst_quantity_value(now) > mst_quantity_value(was)
                                                : mst_quantity_cmp(now, was) > 0);
    return larger ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

const struct mst_event_registration mst_binding_events[MST_BINDING_EVENT_COUNT] = {
    { MST_ON_STORAGE_CLASS, MST_ACT_ADD | MST_ACT_UPDATE, class_changed },
    { MST_ON_PVC, MST_ACT_ADD | MST_ACT_UPDATE, claim_changed },
    { MST_ON_PV, MST_ACT_ADD | MST_ACT_UPDATE, NULL },
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL, NULL },
    { MST_ON_CSI_NODE, MST_ACT_ADD | MST_ACT_UPDATE, csi_node_changed },
    { MST_ON_CSI_DRIVER, MST_ACT_UPDATE, driver_updated },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_ACT_ADD | MST_ACT_UPDATE, capacity_changed },
};
