/*
 * types.h - the objects muster reads, as C structs.
 *
 * Owns:       nothing. Everything an object points to lives in the arena it was decoded into, and
 *             text may also point into the document, which must live as long.
 * Invariants: absent lists are {NULL, 0}; text that decisions compare is interned (mst_sym), text
 *             that is only shown stays a span; absent optional text is MST_SYM_NONE or an absent
 *             span.
 * Source:     spec/api.md 2, 10, 12-14.
 */
#ifndef MST_TYPES_H
#define MST_TYPES_H

#include "api/quantity.h"
#include "base/sym.h"

#define MST_LIST(type)                                                                             \
    struct {                                                                                       \
        type *v;                                                                                   \
        uint32_t n;                                                                                \
    }

/* Seconds since 1970 UTC with nanoseconds; `set` false is Go's zero time / an absent pointer. */
struct mst_time {
    int64_t unix_s;
    int32_t nanos;
    bool set;
};

/* Optional numbers and booleans. */
struct mst_opt_int {
    int64_t value;
    bool set;
};
struct mst_opt_bool {
    bool value, set;
};

struct mst_label {
    mst_sym key, value;
};
struct mst_annotation {
    struct mst_str key, value;
};
struct mst_owner {
    struct mst_str api_version, kind, name, uid;
    struct mst_opt_bool controller, block_owner_deletion;
};

typedef MST_LIST(struct mst_label) mst_labels;
typedef MST_LIST(struct mst_str) mst_strs;
typedef MST_LIST(mst_sym) mst_sym_list;

struct mst_meta {
    struct mst_str name, generate_name, uid, resource_version;
    mst_sym namespace_; /* MST_SYM_NONE for cluster-scoped kinds */
    int64_t generation;
    struct mst_time created, deleted; /* deleted: deletionTimestamp */
    struct mst_opt_int deletion_grace_s;
    mst_labels labels; /* in order of the document */
    MST_LIST(struct mst_annotation) annotations;
    MST_LIST(struct mst_owner) owners;
    mst_strs finalizers;
};

struct mst_resource {
    mst_sym name;
    struct mst_quantity quantity;
};
typedef MST_LIST(struct mst_resource) mst_resources;

/* metav1.Condition and the pod's own form in one. */
struct mst_condition {
    struct mst_str type, status, reason, message;
    struct mst_time last_probe, last_transition;
    int64_t observed_generation;
};
typedef MST_LIST(struct mst_condition) mst_conditions;

/* ---- selectors ---- */

typedef enum {
    MST_OP_INVALID, /* some other text; `op_text` has it */
    MST_OP_IN,
    MST_OP_NOT_IN,
    MST_OP_EXISTS,
    MST_OP_DOES_NOT_EXIST,
    MST_OP_GT, /* node selectors only */
    MST_OP_LT,
} mst_selector_op;

struct mst_requirement {
    mst_sym key;
    mst_selector_op op;
    struct mst_str op_text;
    mst_sym_list values;
};
typedef MST_LIST(struct mst_requirement) mst_requirements;

struct mst_label_selector {
    bool set; /* false: nil, matches nothing */
    mst_labels match_labels;
    mst_requirements match_expressions;
};

struct mst_node_selector_term {
    mst_requirements match_expressions, match_fields;
};
struct mst_node_selector {
    bool set;
    MST_LIST(struct mst_node_selector_term) terms;
};
struct mst_preferred_node {
    int64_t weight;
    struct mst_node_selector_term preference;
};
struct mst_node_affinity {
    bool set;
    struct mst_node_selector required;
    bool preferred_set; /* the list is present, even if empty */
    MST_LIST(struct mst_preferred_node) preferred;
};

struct mst_pod_affinity_term {
    struct mst_label_selector label_selector, namespace_selector;
    mst_sym_list namespaces;
    mst_sym topology_key;
    mst_sym_list match_label_keys, mismatch_label_keys;
};
struct mst_weighted_pod_affinity_term {
    int64_t weight;
    struct mst_pod_affinity_term term;
};
struct mst_pod_affinity {
    bool set;
    MST_LIST(struct mst_pod_affinity_term) required;
    MST_LIST(struct mst_weighted_pod_affinity_term) preferred;
};

struct mst_spread_constraint {
    int64_t max_skew;
    mst_sym topology_key;
    mst_sym when_unsatisfiable; /* DoNotSchedule, ScheduleAnyway */
    struct mst_label_selector label_selector;
    struct mst_opt_int min_domains;
    mst_sym node_affinity_policy, node_taints_policy; /* MST_SYM_NONE: nil */
    mst_sym_list match_label_keys;
};

/* ---- taints ---- */

struct mst_taint {
    mst_sym key, value, effect; /* an absent value is MST_SYM_EMPTY */
};
struct mst_toleration {
    mst_sym key, op, value, effect; /* absent ones are MST_SYM_EMPTY */
    struct mst_opt_int seconds;
};

/* ---- Pod ---- */

struct mst_container_port {
    struct mst_str name;
    int64_t host_port, container_port;
    mst_sym protocol, host_ip; /* absent: MST_SYM_EMPTY before defaulting */
};

struct mst_requirements_resources {
    bool set;
    mst_resources requests, limits;
    mst_strs claims;
};

struct mst_container {
    struct mst_str name;
    mst_sym image;
    mst_sym restart_policy; /* MST_SYM_NONE: nil */
    MST_LIST(struct mst_container_port) ports;
    struct mst_requirements_resources resources;
    bool restarts_all;       /* a restartPolicyRule with action RestartAllContainers */
    bool bind_mount_options; /* some volumeMount has bindMountOptions */
};

typedef enum {
    MST_VOLUME_OTHER, /* irrelevant to placement */
    MST_VOLUME_GCE_PD,
    MST_VOLUME_AWS_EBS,
    MST_VOLUME_ISCSI,
    MST_VOLUME_RBD,
    MST_VOLUME_PVC,
    MST_VOLUME_CINDER,
    MST_VOLUME_VSPHERE,
    MST_VOLUME_AZURE_DISK,
    MST_VOLUME_PORTWORX,
    MST_VOLUME_CSI,
    MST_VOLUME_EPHEMERAL,
    MST_VOLUME_IMAGE,
} mst_volume_source;

struct mst_volume {
    struct mst_str name;
    mst_volume_source source;
    uint32_t source_count; /* how many sources the document names; anything but 1 is invalid */
    /* pdName, volumeID, iqn, rbd image, claimName, driver, reference: the source's main name */
    mst_sym id;
    mst_sym rbd_pool; /* of azureDisk: kind */
    mst_sym_list rbd_monitors;
    bool read_only;
    /* all that the source says, as decoded, for mst_source_hash; NULL: made by hand */
    const struct mst_value *source_value;
    const char *source_name; /* of its field */
    bool synthetic;          /* a ConfigMap or a Secret */
};

struct mst_pod_claim {
    struct mst_str name, resource_claim_name, resource_claim_template_name;
};

struct mst_container_status {
    struct mst_str name;
    bool allocated_set, resources_set;
    mst_resources allocated;
    struct mst_requirements_resources resources;
};

struct mst_pod_spec {
    MST_LIST(struct mst_volume) volumes;
    MST_LIST(struct mst_container) containers;
    MST_LIST(struct mst_container) init_containers;
    mst_sym restart_policy;
    struct mst_opt_int termination_grace_s;
    bool node_selector_set; /* the map is present, even if empty */
    mst_labels node_selector;
    mst_sym node_name; /* MST_SYM_NONE: not assigned */
    bool host_network;
    struct mst_opt_bool host_users;
    bool affinity_set;
    struct mst_node_affinity node_affinity;
    struct mst_pod_affinity pod_affinity, pod_anti_affinity;
    mst_sym scheduler_name;
    MST_LIST(struct mst_toleration) tolerations;
    struct mst_str priority_class_name;
    struct mst_opt_int priority;
    mst_sym preemption_policy; /* MST_SYM_NONE: nil */
    bool overhead_set;
    mst_resources overhead;
    MST_LIST(struct mst_spread_constraint) spread;
    mst_strs scheduling_gates;
    MST_LIST(struct mst_pod_claim) claims;
    struct mst_requirements_resources resources; /* pod level */
    bool ephemeral_bind_mount_options; /* some ephemeral container's volumeMount has them */
    bool group_set;                    /* spec.schedulingGroup is present */
    struct mst_str group_name;         /* spec.schedulingGroup.podGroupName; absent: nil */
};

struct mst_pod_status {
    mst_sym phase;
    mst_conditions conditions;
    struct mst_time start_time;
    mst_sym nominated_node_name; /* MST_SYM_NONE: none */
    MST_LIST(struct mst_container_status) container_statuses;
    MST_LIST(struct mst_container_status) init_container_statuses;
    bool allocated_set, resources_set; /* pod level */
    mst_resources allocated;
    struct mst_requirements_resources resources;
};

struct mst_pod {
    struct mst_meta meta;
    struct mst_pod_spec spec;
    struct mst_pod_status status;
};

/* ---- Node ---- */

struct mst_image {
    mst_sym_list names;
    int64_t bytes;
};

struct mst_node {
    struct mst_meta meta;
    bool unschedulable;
    MST_LIST(struct mst_taint) taints;
    bool allocatable_set;
    mst_resources capacity, allocatable;
    mst_conditions conditions;
    MST_LIST(struct mst_image) images;
    mst_sym_list declared_features;
};

/* ---- groups ---- */

typedef enum { MST_POLICY_UNSET, MST_POLICY_BASIC, MST_POLICY_GANG, MST_POLICY_BOTH } mst_policy;
typedef enum {
    MST_DISRUPT_NIL,   /* the field is absent */
    MST_DISRUPT_EMPTY, /* {} */
    MST_DISRUPT_SINGLE,
    MST_DISRUPT_ALL,
    MST_DISRUPT_BOTH,
} mst_disruption;

struct mst_group_claim {
    struct mst_str name, resource_claim_name, resource_claim_template_name;
};

/* What PodGroup, CompositePodGroup and the templates of a Workload have in common. */
struct mst_group_spec {
    struct mst_str template_name; /* templates: `name` */
    struct mst_str parent;        /* parentCompositePodGroupName */
    bool workload_ref_set;
    struct mst_str workload_name, workload_template;
    bool policy_set;
    mst_policy policy;
    int64_t min_count; /* minCount, or minGroupCount of a composite */
    bool constraints_set;
    mst_sym_list topology_keys;
    MST_LIST(struct mst_group_claim) claims;
    mst_disruption disruption;
    struct mst_str priority_class_name;
    struct mst_opt_int priority;
    mst_sym preemption_policy; /* MST_SYM_NONE: nil */
};

struct mst_group_claim_status {
    struct mst_str name, resource_claim_name;
};

/* PodGroup and CompositePodGroup. */
struct mst_pod_group {
    struct mst_meta meta;
    bool composite;
    struct mst_group_spec spec;
    mst_conditions conditions;
    MST_LIST(struct mst_group_claim_status) claim_statuses;
};

/*
 * A template and its place in the tree of templates; children follow in the order of the document.
 */
struct mst_group_template {
    struct mst_group_spec spec;
    bool composite;
    uint32_t parent; /* index into templates, UINT32_MAX at the top */
    uint32_t depth;  /* 0 at the top */
    uint32_t index;  /* in its list: for field paths */
};

struct mst_workload {
    struct mst_meta meta;
    bool controller_ref_set;
    struct mst_str controller_group, controller_kind, controller_name;
    MST_LIST(struct mst_group_template) templates; /* parents before their children */
};

/* ---- the rest ---- */

struct mst_priority_class {
    struct mst_meta meta;
    int64_t value;
    bool value_set;
    bool global_default;
    struct mst_str description;
    mst_sym preemption_policy;
};

struct mst_namespace {
    struct mst_meta meta;
};

/*
 * Service, ReplicationController, ReplicaSet, StatefulSet: which pods they mean. The plain maps of
 * the first two are match_labels; `selector.set` is false when there is none.
 */
struct mst_workload_selector {
    struct mst_meta meta;
    struct mst_label_selector selector;
};

/* An int-or-string as it came. */
struct mst_int_or_str {
    bool set, is_str;
    int64_t num;
    struct mst_str text;
};

struct mst_pdb {
    struct mst_meta meta;
    struct mst_label_selector selector;
    struct mst_int_or_str min_available, max_unavailable;
    int64_t disruptions_allowed, current_healthy, desired_healthy, expected_pods;
    mst_strs disrupted_pods; /* names */
};

/* ---- storage ---- */

/* Sources of a PersistentVolume: the drivers that the scheduler knows by more than their name. */
enum {
    MST_PV_CSI = 1 << 0,
    MST_PV_GCE_PD = 1 << 1,
    MST_PV_AWS_EBS = 1 << 2,
    MST_PV_AZURE_DISK = 1 << 3,
    MST_PV_CINDER = 1 << 4,
    MST_PV_PORTWORX = 1 << 5,
    MST_PV_OTHER = 1 << 6,
};

struct mst_pv {
    struct mst_meta meta;
    mst_resources capacity;
    unsigned sources;         /* MST_PV_*; one bit in a valid object */
    mst_sym driver;           /* csi */
    struct mst_str handle;    /* volumeHandle, pdName, volumeID, diskURI */
    struct mst_str disk_kind; /* azureDisk.kind */
    mst_sym_list access_modes;
    bool claim_set; /* claimRef is present */
    mst_sym claim_ns, claim_kind, claim_api_version;
    struct mst_str claim_name, claim_uid;
    mst_sym class_name;                /* MST_SYM_NONE: "" */
    mst_sym volume_mode;               /* MST_SYM_NONE: nil */
    mst_sym attributes_class;          /* MST_SYM_NONE: nil or "" */
    struct mst_node_selector required; /* nodeAffinity.required */
    mst_sym phase;
};

struct mst_pvc {
    struct mst_meta meta;
    mst_sym_list access_modes;
    struct mst_label_selector selector;
    mst_resources requests;
    struct mst_str volume_name; /* absent: not bound */
    mst_sym class_name;         /* MST_SYM_NONE: nil */
    mst_sym volume_mode, attributes_class;
    mst_sym phase;
};

/* One of allowedTopologies; its expressions are all In. */
struct mst_topology_term {
    mst_requirements expressions;
};
struct mst_storage_class {
    struct mst_meta meta;
    mst_sym provisioner;
    mst_sym binding_mode; /* MST_SYM_NONE: nil */
    MST_LIST(struct mst_topology_term) allowed_topologies;
};

struct mst_csi_node_driver {
    mst_sym name;
    struct mst_opt_int count; /* allocatable.count */
};
struct mst_csi_node {
    struct mst_meta meta; /* the node's name */
    MST_LIST(struct mst_csi_node_driver) drivers;
};

struct mst_csi_driver {
    struct mst_meta meta;
    struct mst_opt_bool storage_capacity, prevent_if_missing;
};

struct mst_opt_quantity {
    struct mst_quantity value;
    bool set;
};
struct mst_csi_storage_capacity {
    struct mst_meta meta;
    struct mst_label_selector node_topology;
    mst_sym class_name;
    struct mst_opt_quantity capacity, maximum; /* maximumVolumeSize */
};

struct mst_volume_attachment {
    struct mst_meta meta;
    mst_sym attacher, node_name;
    struct mst_str pv_name; /* absent: nil */
};

typedef enum {
    MST_KIND_UNKNOWN,
    MST_KIND_POD,
    MST_KIND_NODE,
    MST_KIND_NAMESPACE,
    MST_KIND_POD_GROUP,
    MST_KIND_COMPOSITE_POD_GROUP,
    MST_KIND_WORKLOAD,
    MST_KIND_PRIORITY_CLASS,
    MST_KIND_PDB,
    MST_KIND_SERVICE,
    MST_KIND_REPLICATION_CONTROLLER,
    MST_KIND_REPLICA_SET,
    MST_KIND_STATEFUL_SET,
    MST_KIND_PV,
    MST_KIND_PVC,
    MST_KIND_STORAGE_CLASS,
    MST_KIND_CSI_NODE,
    MST_KIND_CSI_DRIVER,
    MST_KIND_CSI_STORAGE_CAPACITY,
    MST_KIND_VOLUME_ATTACHMENT,
    MST_KIND_COUNT
} mst_kind;

struct mst_object {
    mst_kind kind;
    struct mst_str api_version; /* as in the document */
    /* the document, for places and for printing fields we do not model */
    const struct mst_value *source;
    union {
        struct mst_meta meta; /* first member of each */
        struct mst_pod pod;
        struct mst_node node;
        struct mst_namespace ns;
        struct mst_pod_group group;
        struct mst_workload workload;
        struct mst_priority_class priority_class;
        struct mst_pdb pdb;
        struct mst_pv pv;
        struct mst_pvc pvc;
        struct mst_storage_class storage_class;
        struct mst_csi_node csi_node;
        struct mst_csi_driver csi_driver;
        struct mst_csi_storage_capacity csi_storage_capacity;
        struct mst_volume_attachment volume_attachment;
        struct mst_workload_selector selector;
    } u;
};

#endif
