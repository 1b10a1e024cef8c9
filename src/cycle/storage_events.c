/*
 * storage_events.c - volumes, claims and what drivers say: into the cluster, then to the queue.
 *
 * Source: spec/scheduling.md 1.7; kubernetes v1.37 pkg/scheduler/eventhandlers.go.
 */
#include "cluster/volumes.h"
#include "cycle/engine_internal.h"

static const struct {
    mst_event_resource resource;
    const char *add, *update, *remove;
} words[MST_VOL_KINDS] = {
#define WORDS(resource_, name)                                                                     \
    {                                                                                              \
        (resource_), name "Add", name "Update", name "Delete"                                      \
    }
    [MST_VOL_PV] = WORDS(MST_ON_PV, "PersistentVolume"),
    [MST_VOL_PVC] = WORDS(MST_ON_PVC, "PersistentVolumeClaim"),
    [MST_VOL_CLASS] = WORDS(MST_ON_STORAGE_CLASS, "storage.k8s.io/StorageClass"),
    [MST_VOL_CSI_NODE] = WORDS(MST_ON_CSI_NODE, "storage.k8s.io/CSINode"),
    [MST_VOL_CSI_DRIVER] = WORDS(MST_ON_CSI_DRIVER, "storage.k8s.io/CSIDriver"),
    [MST_VOL_CAPACITY] = WORDS(MST_ON_CSI_STORAGE_CAPACITY, "storage.k8s.io/CSIStorageCapacity"),
    [MST_VOL_ATTACHMENT] = WORDS(MST_ON_VOLUME_ATTACHMENT, "storage.k8s.io/VolumeAttachment"),
#undef WORDS
};

static void tell(struct mst_engine *engine, mst_vol_kind kind, uint32_t action,
                 const struct mst_object *now, const struct mst_object *before)
{
    const struct mst_cluster_event e = {
        .resource = words[kind].resource,
        .actions = action,
        .label = action == MST_ACT_ADD      ? words[kind].add
                 : action == MST_ACT_DELETE ? words[kind].remove
                                            : words[kind].update,
        .pod = MST_ROW_NONE,
        .group = MST_ROW_NONE,
        .object = now,
        .old_object = before,
    };
    mst_engine_handles(engine, e.label);
    mst_queue_event(engine->queue, &e, engine->now_ns);
}

void mst_engine_storage_set(struct mst_engine *engine, const struct mst_object *object)
{
    mst_vol_kind kind;
    const bool ours = mst_volumes_kind(object->kind, &kind);
    mst_assert(ours);
    const struct mst_object *before;
    const struct mst_stored *stored = mst_volumes_set(&engine->cluster, object, &before);
    tell(engine, kind, before ? MST_ACT_UPDATE : MST_ACT_ADD, &stored->object, before);
    mst_awaited_changed(engine);
}

void mst_engine_storage_removed(struct mst_engine *engine, const struct mst_object *object)
{
    mst_vol_kind kind;
    const bool ours = mst_volumes_kind(object->kind, &kind);
    mst_assert(ours);
    const struct mst_object *gone = mst_volumes_remove(&engine->cluster, object);
    if (gone)
        tell(engine, kind, MST_ACT_DELETE, gone, NULL);
    mst_awaited_changed(engine);
}
