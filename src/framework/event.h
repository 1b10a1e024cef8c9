/*
 * event.h - cluster events as plugins see them: what changed, and whether that may help a pod.
 *
 * Source: spec/scheduling.md 1.7; kubernetes v1.37 staging kube-scheduler framework/types.go.
 */
#ifndef MST_FW_EVENT_H
#define MST_FW_EVENT_H

#include "cluster/cluster.h"

typedef enum {
    MST_ON_ASSIGNED_POD, /* a pod that holds room on a node; deleted: it was assigned, assumed or
                            nominated */
    MST_ON_UNSCHEDULED_POD,
    MST_ON_TARGET_POD, /* the waiting pod itself */
    MST_ON_NODE,
    MST_ON_POD_GROUP,
    MST_ON_COMPOSITE_POD_GROUP,
    MST_ON_PV,
    MST_ON_PVC,
    MST_ON_STORAGE_CLASS,
    MST_ON_CSI_NODE,
    MST_ON_CSI_DRIVER,
    MST_ON_CSI_STORAGE_CAPACITY,
    MST_ON_VOLUME_ATTACHMENT,
    MST_ON_WILDCARD, /* `*`: always passes */
    MST_ON_COUNT
} mst_event_resource;

/* Action bits, in upstream's numeric order: an event is matched only by registrations >= it. */
enum {
    MST_ACT_ADD = 1 << 0,
    MST_ACT_DELETE = 1 << 1,
    MST_ACT_UPDATE_NODE_ALLOCATABLE = 1 << 2,
    MST_ACT_UPDATE_NODE_LABEL = 1 << 3,
    MST_ACT_UPDATE_NODE_TAINT = 1 << 4,
    MST_ACT_UPDATE_NODE_CONDITION = 1 << 5,
    MST_ACT_UPDATE_NODE_ANNOTATION = 1 << 6,
    MST_ACT_UPDATE_NODE_DECLARED_FEATURE = 1 << 7,
    MST_ACT_UPDATE_POD_LABEL = 1 << 8,
    MST_ACT_UPDATE_POD_SCALE_DOWN = 1 << 9,
    MST_ACT_UPDATE_POD_SCALE_UP = 1 << 10,
    MST_ACT_UPDATE_POD_TOLERATION = 1 << 11,
    MST_ACT_UPDATE_POD_GATES_ELIMINATED = 1 << 12,
    MST_ACT_UPDATE = 1 << 13, /* anything else, and registrations for every update */
    MST_ACT_ALL = (1 << 14) - 1,
};

struct mst_cluster_event {
    mst_event_resource resource;
    uint32_t actions;  /* one bit, or several of one update */
    const char *label; /* "NodeAdd", "AssignedPodDelete", "UnschedulableTimeout", ... */
    uint32_t pod;      /* assigned, unscheduled, target: its row (still live), else MST_ROW_NONE */
    uint32_t group;    /* PodGroup events: its row */
    int64_t old_min_count, new_min_count;             /* PodGroup update; -1 where not a gang */
    const struct mst_node_facts *old_node, *new_node; /* NULL: added; deleted, only then */
    bool limited; /* only entities with a pod of at most this priority are looked at */
    int32_t priority_max;
    /* scale-down of an assigned or target pod: usage ids before and after */
    uint32_t old_usage, new_usage;
    /* label updates of an assigned or target pod: label ids before and after */
    uint32_t old_labels, new_labels;
    /* storage kinds: rows of the volume store, what the hint needs to know about the object */
    uint32_t old_features;           /* TargetPod updates: what the pod needed of kubelets before */
    const struct mst_object *object; /* the new version, or the deleted one */
    const struct mst_object *old_object; /* the version before; NULL: added or deleted */
};

#endif
