/* binding_world.h - words for the objects and the verdicts of VolumeBinding. */
#ifndef MST_BINDING_WORLD_H
#define MST_BINDING_WORLD_H

#include "plugins/registry.h"
#include "storage_helper.h"

#define ZONE "topology.kubernetes.io/zone"
#define IN_ZONE(z)                                                                                 \
    "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " ZONE                \
    ", operator: In, values: [" z "]}]}]}}, "
#define AFFINITY "node(s) didn't match PersistentVolume's node affinity"
#define NO_VOLUME "node(s) didn't find available persistent volumes to bind"
#define NO_SPACE "node(s) did not have enough free storage"
#define NO_PV "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
#define WANTS(size) "accessModes: [ReadWriteOnce], resources: {requests: {storage: " size "}}, "
#define HAS(size) "accessModes: [ReadWriteOnce], capacity: {storage: " size "}, local: {path: /d}, "

#endif
