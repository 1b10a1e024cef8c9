/*
 * schema_store.c - the fields of nodes, namespaces, and the small kinds that say something about
 * pods.
 *
 * Source: kubernetes v1.37 staging k8s.io/api, types.go of core/v1, apps/v1, scheduling, policy/v1.
 */
#include "api/schema_fields.h"

/* ---- Node ---- */

static void init_taint(void *base)
{
    struct mst_taint *taint = base;
    taint->key = taint->value = taint->effect = MST_SYM_EMPTY;
}
static const struct mst_field taint_fields[] = {
    FIELD(SYM, mst_taint, key, "key"),
    FIELD(SYM, mst_taint, value, "value"),
    FIELD(SYM, mst_taint, effect, "effect"),
    SKIP("timeAdded"),
};
SCHEMA(taint, mst_taint, init_taint);

static const struct mst_field image_fields[] = {
    FIELD(SYMS, mst_image, names, "names"),
    FIELD(INT64, mst_image, bytes, "sizeBytes"),
};
SCHEMA(image, mst_image, NULL);

static const struct mst_field node_spec_fields[] = {
    SKIP("podCIDR"),
    SKIP("podCIDRs"),
    SKIP("providerID"),
    FIELD(BOOL, mst_node, unschedulable, "unschedulable"),
    LIST(mst_node, taints, taint, "taints"),
    SKIP("configSource"),
    SKIP("externalID"),
    SKIP("podPreemptionPolicy"),
};
SCHEMA(node_spec, mst_node, NULL);

static const struct mst_field node_status_fields[] = {
    FIELD(RESOURCES, mst_node, capacity, "capacity"),
    FIELD_SET(RESOURCES, mst_node, allocatable, allocatable_set, "allocatable"),
    SKIP("phase"),
    LIST(mst_node, conditions, mst_schema_condition, "conditions"),
    SKIP("addresses"),
    SKIP("daemonEndpoints"),
    SKIP("nodeInfo"),
    LIST(mst_node, images, image, "images"),
    SKIP("volumesInUse"),
    SKIP("volumesAttached"),
    SKIP("config"),
    SKIP("runtimeHandlers"),
    SKIP("features"),
    FIELD(SYMS, mst_node, declared_features, "declaredFeatures"),
};
SCHEMA(node_status, mst_node, NULL);

static const struct mst_field node_fields[] = {
    ROOT(mst_node),
    INLINE(node_spec, "spec"),
    INLINE(node_status, "status"),
};
SHARED(node, mst_node, NULL);

static const struct mst_field namespace_fields[] = { ROOT(mst_namespace), SKIP("spec"),
                                                     SKIP("status") };
SHARED(namespace, mst_namespace, NULL);

/* ---- priorities and budgets ---- */

static const struct mst_field priority_class_fields[] = {
    ROOT(mst_priority_class),
    FIELD_SET(INT32, mst_priority_class, value, value_set, "value"),
    FIELD(BOOL, mst_priority_class, global_default, "globalDefault"),
    FIELD(STR, mst_priority_class, description, "description"),
    FIELD(SYM_PTR, mst_priority_class, preemption_policy, "preemptionPolicy"),
};
SHARED(priority_class, mst_priority_class, NULL);

static const struct mst_field pdb_spec_fields[] = {
    HOOK(mst_pdb, min_available, mst_decode_int_or_str, "minAvailable"),
    SUB(mst_pdb, selector, mst_schema_label_selector, "selector"),
    HOOK(mst_pdb, max_unavailable, mst_decode_int_or_str, "maxUnavailable"),
    SKIP("unhealthyPodEvictionPolicy"),
};
SCHEMA(pdb_spec, mst_pdb, NULL);
static const struct mst_field pdb_status_fields[] = {
    SKIP("observedGeneration"),
    FIELD(KEYS, mst_pdb, disrupted_pods, "disruptedPods"),
    FIELD(INT32, mst_pdb, disruptions_allowed, "disruptionsAllowed"),
    FIELD(INT32, mst_pdb, current_healthy, "currentHealthy"),
    FIELD(INT32, mst_pdb, desired_healthy, "desiredHealthy"),
    FIELD(INT32, mst_pdb, expected_pods, "expectedPods"),
    SKIP("conditions"),
};
SCHEMA(pdb_status, mst_pdb, NULL);
static const struct mst_field pdb_fields[] = {
    ROOT(mst_pdb),
    INLINE(pdb_spec, "spec"),
    INLINE(pdb_status, "status"),
};
SHARED(pdb, mst_pdb, NULL);

/* ---- what selects pods by default: all four kinds in one struct ---- */

static const struct mst_field service_spec_fields[] = {
    SKIP("ports"),
    FIELD_SET(LABELS, mst_workload_selector, selector.match_labels, selector.set, "selector"),
    SKIP("clusterIP"),
    SKIP("clusterIPs"),
    SKIP("type"),
    SKIP("externalIPs"),
    SKIP("sessionAffinity"),
    SKIP("loadBalancerIP"),
    SKIP("loadBalancerSourceRanges"),
    SKIP("externalName"),
    SKIP("externalTrafficPolicy"),
    SKIP("healthCheckNodePort"),
    SKIP("publishNotReadyAddresses"),
    SKIP("sessionAffinityConfig"),
    SKIP("topologyKeys"),
    SKIP("ipFamily"),
    SKIP("ipFamilies"),
    SKIP("ipFamilyPolicy"),
    SKIP("allocateLoadBalancerNodePorts"),
    SKIP("loadBalancerClass"),
    SKIP("internalTrafficPolicy"),
    SKIP("trafficDistribution"),
};
SCHEMA(service_spec, mst_workload_selector, NULL);
static const struct mst_field service_fields[] = { ROOT(mst_workload_selector),
                                                   INLINE(service_spec, "spec"), SKIP("status") };
SHARED(service, mst_workload_selector, NULL);

static const struct mst_field replication_controller_spec_fields[] = {
    SKIP("replicas"),
    SKIP("minReadySeconds"),
    FIELD_SET(LABELS, mst_workload_selector, selector.match_labels, selector.set, "selector"),
    SKIP("template"),
};
SCHEMA(replication_controller_spec, mst_workload_selector, NULL);
static const struct mst_field replication_controller_fields[] = {
    ROOT(mst_workload_selector),
    INLINE(replication_controller_spec, "spec"),
    SKIP("status"),
};
SHARED(replication_controller, mst_workload_selector, NULL);

static const struct mst_field replica_set_spec_fields[] = {
    SKIP("replicas"),
    SKIP("minReadySeconds"),
    SUB(mst_workload_selector, selector, mst_schema_label_selector, "selector"),
    SKIP("template"),
};
SCHEMA(replica_set_spec, mst_workload_selector, NULL);
static const struct mst_field replica_set_fields[] = {
    ROOT(mst_workload_selector),
    INLINE(replica_set_spec, "spec"),
    SKIP("status"),
};
SHARED(replica_set, mst_workload_selector, NULL);

static const struct mst_field stateful_set_spec_fields[] = {
    SKIP("replicas"),
    SUB(mst_workload_selector, selector, mst_schema_label_selector, "selector"),
    SKIP("template"),
    SKIP("volumeClaimTemplates"),
    SKIP("serviceName"),
    SKIP("podManagementPolicy"),
    SKIP("updateStrategy"),
    SKIP("revisionHistoryLimit"),
    SKIP("minReadySeconds"),
    SKIP("persistentVolumeClaimRetentionPolicy"),
    SKIP("ordinals"),
};
SCHEMA(stateful_set_spec, mst_workload_selector, NULL);
static const struct mst_field stateful_set_fields[] = {
    ROOT(mst_workload_selector),
    INLINE(stateful_set_spec, "spec"),
    SKIP("status"),
};
SHARED(stateful_set, mst_workload_selector, NULL);
