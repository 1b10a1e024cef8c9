/*
 * volume_world.h - storage objects for the engine's host: volumes of driver "d" that are attached,
 * claims, and nodes that take so many of them.
 */
#ifndef MST_VOLUME_WORLD_H
#define MST_VOLUME_WORLD_H

#include "engine_helper.h"

/* A volume "pv-NAME" and the claim NAME bound to it. */
static inline void volume_add(struct host *h, const char *name)
{
    host_apply(h,
               mst_arena_printf(
                   &h->arena,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv-%s}\nspec: {csi: "
                   "{driver: d, volumeHandle: h-%s}}\nstatus: {phase: Bound}\n---\n"
                   "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: %s, "
                   "namespace: default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n"
                   "spec: {volumeName: pv-%s}\n",
                   name, name, name, name)
                   .p);
}

/* The attach controller has attached "pv-NAME" to the node. */
static inline void volume_attach(struct host *h, const char *name, const char *node)
{
    host_apply(h, mst_arena_printf(&h->arena,
                                   "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\n"
                                   "metadata: {name: va-%s}\nspec: {attacher: d, nodeName: %s, "
                                   "source: {persistentVolumeName: pv-%s}}\n",
                                   name, node, name)
                      .p);
}

static inline void volume_detach(struct host *h, const char *name)
{
    uint64_t known;
    const struct mst_str key = host_key(h, MST_KIND_VOLUME_ATTACHMENT, MST_STR(""),
                                        mst_arena_printf(&h->arena, "va-%s", name));
    if (!mst_map_get(&h->objects, key, &known))
        host_die(h, name);
    mst_map_delete(&h->objects, key);
    host_send(h, MST_EVENT_REMOVE, (const struct mst_object *)(uintptr_t)known);
}

/* How many volumes of the driver the node takes. */
static inline void volume_limit(struct host *h, const char *node, int limit)
{
    host_apply(h, mst_arena_printf(&h->arena,
                                   "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: "
                                   "%s}\nspec: {drivers: [{name: d, nodeID: n, allocatable: "
                                   "{count: %d}}]}\n",
                                   node, limit)
                      .p);
}

/* Appended to a pod's spec. */
#define VOLUME_OF(claim) "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}]"
#define ON(node, claim) "nodeName: " node ", " VOLUME_OF(claim)

#endif
