/*
 * proto_tables.c - the messages of the API's protobuf, as far as muster reads them.
 *
 * Written by tools/proto-gen from the Go types of k8s.io/api v0.37.2; change that, not this.
 * Not here:   the sources of volumes (proto_volumes.c).
 */
#include "api/proto_tables.h"

/* clang-format off */
static const struct mst_proto_message m_composite_pod_group_template; /* holds itself */
static const struct mst_proto_message m_alpha_composite_pod_group_template; /* holds itself */
MESSAGE(m_volume, "Volume", ONE(1, STRING, "name"), INLINE(2, mst_message_volume_source))
MESSAGE(m_container_port, "ContainerPort", OMIT(1, STRING, "name"), OMIT(2, INT32, "hostPort"),
    ONE(3, INT32, "containerPort"), OMIT(4, STRING, "protocol"), OMIT(5, STRING, "hostIP"))
MESSAGE(m_resource_claim, "ResourceClaim", ONE(1, STRING, "name"))
MESSAGE(m_resource_requirements, "ResourceRequirements", MAP(1, AMOUNT, "limits"),
    MAP(2, AMOUNT, "requests"), SUBS(3, m_resource_claim, "claims"))
MESSAGE(m_volume_mount, "VolumeMount", LIST(8, STRING, "bindMountOptions"))
MESSAGE(m_container_restart_rule, "ContainerRestartRule", OMIT(1, STRING, "action"))
MESSAGE(m_container, "Container", ONE(1, STRING, "name"), OMIT(2, STRING, "image"),
    SUBS(6, m_container_port, "ports"), SUB(8, m_resource_requirements, "resources"),
    SUBS(9, m_volume_mount, "volumeMounts"), ONE(24, STRING, "restartPolicy"),
    SUBS(25, m_container_restart_rule, "restartPolicyRules"))
MESSAGE(m_node_selector_requirement, "NodeSelectorRequirement", ONE(1, STRING, "key"),
    ONE(2, STRING, "operator"), LIST(3, STRING, "values"))
MESSAGE(m_node_selector_term, "NodeSelectorTerm",
    SUBS(1, m_node_selector_requirement, "matchExpressions"),
    SUBS(2, m_node_selector_requirement, "matchFields"))
MESSAGE(m_node_selector, "NodeSelector", SUBS(1, m_node_selector_term, "nodeSelectorTerms"))
MESSAGE(m_preferred_scheduling_term, "PreferredSchedulingTerm", ONE(1, INT32, "weight"),
    SUB(2, m_node_selector_term, "preference"))
MESSAGE(m_node_affinity, "NodeAffinity",
    SUB(1, m_node_selector, "requiredDuringSchedulingIgnoredDuringExecution"),
    SUBS(2, m_preferred_scheduling_term, "preferredDuringSchedulingIgnoredDuringExecution"))
MESSAGE(m_pod_affinity_term, "PodAffinityTerm", SUB(1, mst_message_label_selector, "labelSelector"),
    LIST(2, STRING, "namespaces"), ONE(3, STRING, "topologyKey"),
    SUB(4, mst_message_label_selector, "namespaceSelector"), LIST(5, STRING, "matchLabelKeys"),
    LIST(6, STRING, "mismatchLabelKeys"))
MESSAGE(m_weighted_pod_affinity_term, "WeightedPodAffinityTerm", ONE(1, INT32, "weight"),
    SUB(2, m_pod_affinity_term, "podAffinityTerm"))
MESSAGE(m_pod_affinity, "PodAffinity",
    SUBS(1, m_pod_affinity_term, "requiredDuringSchedulingIgnoredDuringExecution"),
    SUBS(2, m_weighted_pod_affinity_term, "preferredDuringSchedulingIgnoredDuringExecution"))
MESSAGE(m_pod_anti_affinity, "PodAntiAffinity",
    SUBS(1, m_pod_affinity_term, "requiredDuringSchedulingIgnoredDuringExecution"),
    SUBS(2, m_weighted_pod_affinity_term, "preferredDuringSchedulingIgnoredDuringExecution"))
MESSAGE(m_affinity, "Affinity", SUB(1, m_node_affinity, "nodeAffinity"),
    SUB(2, m_pod_affinity, "podAffinity"), SUB(3, m_pod_anti_affinity, "podAntiAffinity"))
MESSAGE(m_toleration, "Toleration", OMIT(1, STRING, "key"), OMIT(2, STRING, "operator"),
    OMIT(3, STRING, "value"), OMIT(4, STRING, "effect"), ONE(5, INT64, "tolerationSeconds"))
MESSAGE(m_topology_spread_constraint, "TopologySpreadConstraint", ONE(1, INT32, "maxSkew"),
    ONE(2, STRING, "topologyKey"), ONE(3, STRING, "whenUnsatisfiable"),
    SUB(4, mst_message_label_selector, "labelSelector"), ONE(5, INT32, "minDomains"),
    ONE(6, STRING, "nodeAffinityPolicy"), ONE(7, STRING, "nodeTaintsPolicy"),
    LIST(8, STRING, "matchLabelKeys"))
MESSAGE(m_ephemeral_container_common, "EphemeralContainerCommon",
    SUBS(9, m_volume_mount, "volumeMounts"))
MESSAGE(m_ephemeral_container, "EphemeralContainer", INLINE(1, m_ephemeral_container_common))
MESSAGE(m_pod_scheduling_gate, "PodSchedulingGate", ONE(1, STRING, "name"))
MESSAGE(m_pod_resource_claim, "PodResourceClaim", ONE(1, STRING, "name"),
    ONE(3, STRING, "resourceClaimName"), ONE(4, STRING, "resourceClaimTemplateName"))
MESSAGE(m_pod_scheduling_group, "PodSchedulingGroup", ONE(1, STRING, "podGroupName"))
MESSAGE(m_pod_spec, "PodSpec", SUBS(1, m_volume, "volumes"), SUBS(2, m_container, "containers"),
    OMIT(3, STRING, "restartPolicy"), ONE(4, INT64, "terminationGracePeriodSeconds"),
    MAP(7, STRING, "nodeSelector"), OMIT(10, STRING, "nodeName"), OMIT(11, BOOL, "hostNetwork"),
    SUB(18, m_affinity, "affinity"), OMIT(19, STRING, "schedulerName"),
    SUBS(20, m_container, "initContainers"), SUBS(22, m_toleration, "tolerations"),
    OMIT(24, STRING, "priorityClassName"), ONE(25, INT32, "priority"),
    ONE(31, STRING, "preemptionPolicy"), MAP(32, AMOUNT, "overhead"),
    SUBS(33, m_topology_spread_constraint, "topologySpreadConstraints"),
    SUBS(34, m_ephemeral_container, "ephemeralContainers"), ONE(37, BOOL, "hostUsers"),
    SUBS(38, m_pod_scheduling_gate, "schedulingGates"),
    SUBS(39, m_pod_resource_claim, "resourceClaims"), SUB(40, m_resource_requirements, "resources"),
    SUB(43, m_pod_scheduling_group, "schedulingGroup"))
MESSAGE(m_pod_condition, "PodCondition", ONE(1, STRING, "type"), ONE(2, STRING, "status"),
    OMIT(3, TIME, "lastProbeTime"), OMIT(4, TIME, "lastTransitionTime"), OMIT(5, STRING, "reason"),
    OMIT(6, STRING, "message"), OMIT(7, INT64, "observedGeneration"))
MESSAGE(m_container_status, "ContainerStatus", ONE(1, STRING, "name"),
    MAP(10, AMOUNT, "allocatedResources"), SUB(11, m_resource_requirements, "resources"))
MESSAGE(m_pod_status, "PodStatus", OMIT(1, STRING, "phase"), SUBS(2, m_pod_condition, "conditions"),
    OMIT(7, TIME, "startTime"), SUBS(8, m_container_status, "containerStatuses"),
    SUBS(10, m_container_status, "initContainerStatuses"), OMIT(11, STRING, "nominatedNodeName"),
    MAP(19, AMOUNT, "allocatedResources"), SUB(20, m_resource_requirements, "resources"))
MESSAGE(m_pod, "Pod", SUB(1, mst_message_object_meta, "metadata"), SUB(2, m_pod_spec, "spec"),
    SUB(3, m_pod_status, "status"))
MESSAGE(m_taint, "Taint", ONE(1, STRING, "key"), OMIT(2, STRING, "value"), ONE(3, STRING, "effect"),
    OMIT(4, TIME, "timeAdded"))
MESSAGE(m_node_spec, "NodeSpec", OMIT(4, BOOL, "unschedulable"), SUBS(5, m_taint, "taints"))
MESSAGE(m_node_condition, "NodeCondition", ONE(1, STRING, "type"), ONE(2, STRING, "status"),
    OMIT(4, TIME, "lastTransitionTime"), OMIT(5, STRING, "reason"), OMIT(6, STRING, "message"))
MESSAGE(m_container_image, "ContainerImage", LIST(1, STRING, "names"), OMIT(2, INT64, "sizeBytes"))
MESSAGE(m_node_status, "NodeStatus", MAP(1, AMOUNT, "capacity"), MAP(2, AMOUNT, "allocatable"),
    SUBS(4, m_node_condition, "conditions"), SUBS(8, m_container_image, "images"),
    LIST(14, STRING, "declaredFeatures"))
MESSAGE(m_node, "Node", SUB(1, mst_message_object_meta, "metadata"), SUB(2, m_node_spec, "spec"),
    SUB(3, m_node_status, "status"))
MESSAGE(m_namespace, "Namespace", SUB(1, mst_message_object_meta, "metadata"))
MESSAGE(m_workload_reference, "WorkloadReference", ONE(1, STRING, "workloadName"),
    ONE(2, STRING, "templateName"))
BLANK(m_basic_scheduling_policy, "BasicSchedulingPolicy")
MESSAGE(m_gang_scheduling_policy, "GangSchedulingPolicy", ONE(1, INT32, "minCount"))
MESSAGE(m_pod_group_scheduling_policy, "PodGroupSchedulingPolicy",
    SUB(1, m_basic_scheduling_policy, "basic"), SUB(2, m_gang_scheduling_policy, "gang"))
MESSAGE(m_topology_constraint, "TopologyConstraint", ONE(1, STRING, "key"))
MESSAGE(m_pod_group_scheduling_constraints, "PodGroupSchedulingConstraints",
    SUBS(1, m_topology_constraint, "topology"))
MESSAGE(m_pod_group_resource_claim, "PodGroupResourceClaim", ONE(1, STRING, "name"),
    ONE(2, STRING, "resourceClaimName"), ONE(3, STRING, "resourceClaimTemplateName"))
BLANK(m_single_disruption_mode, "SingleDisruptionMode")
BLANK(m_all_disruption_mode, "AllDisruptionMode")
MESSAGE(m_disruption_mode, "DisruptionMode", SUB(1, m_single_disruption_mode, "single"),
    SUB(2, m_all_disruption_mode, "all"))
MESSAGE(m_pod_group_spec, "PodGroupSpec", ONE(1, STRING, "parentCompositePodGroupName"),
    SUB(2, m_workload_reference, "workloadRef"),
    SUB(3, m_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(4, m_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUBS(5, m_pod_group_resource_claim, "resourceClaims"),
    SUB(6, m_disruption_mode, "disruptionMode"), OMIT(7, STRING, "priorityClassName"),
    ONE(8, INT32, "priority"), ONE(9, STRING, "preemptionPolicy"))
MESSAGE(m_condition, "Condition", ONE(1, STRING, "type"), ONE(2, STRING, "status"),
    OMIT(3, INT64, "observedGeneration"), OMIT(4, TIME, "lastTransitionTime"),
    ONE(5, STRING, "reason"), ONE(6, STRING, "message"))
MESSAGE(m_pod_group_resource_claim_status, "PodGroupResourceClaimStatus", ONE(1, STRING, "name"),
    ONE(2, STRING, "resourceClaimName"))
MESSAGE(m_pod_group_status, "PodGroupStatus", SUBS(1, m_condition, "conditions"),
    SUBS(2, m_pod_group_resource_claim_status, "resourceClaimStatuses"))
MESSAGE(m_pod_group, "PodGroup", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_pod_group_spec, "spec"), SUB(3, m_pod_group_status, "status"))
MESSAGE(m_alpha_workload_reference, "WorkloadReference", ONE(1, STRING, "workloadName"),
    ONE(2, STRING, "templateName"))
BLANK(m_alpha_basic_scheduling_policy, "BasicSchedulingPolicy")
MESSAGE(m_alpha_gang_scheduling_policy, "GangSchedulingPolicy", ONE(1, INT32, "minCount"))
MESSAGE(m_alpha_pod_group_scheduling_policy, "PodGroupSchedulingPolicy",
    SUB(1, m_alpha_basic_scheduling_policy, "basic"),
    SUB(2, m_alpha_gang_scheduling_policy, "gang"))
MESSAGE(m_alpha_topology_constraint, "TopologyConstraint", ONE(1, STRING, "key"))
MESSAGE(m_alpha_pod_group_scheduling_constraints, "PodGroupSchedulingConstraints",
    SUBS(1, m_alpha_topology_constraint, "topology"))
MESSAGE(m_alpha_pod_group_resource_claim, "PodGroupResourceClaim", ONE(1, STRING, "name"),
    ONE(2, STRING, "resourceClaimName"), ONE(3, STRING, "resourceClaimTemplateName"))
BLANK(m_alpha_single_disruption_mode, "SingleDisruptionMode")
BLANK(m_alpha_all_disruption_mode, "AllDisruptionMode")
MESSAGE(m_alpha_disruption_mode, "DisruptionMode", SUB(1, m_alpha_single_disruption_mode, "single"),
    SUB(2, m_alpha_all_disruption_mode, "all"))
MESSAGE(m_alpha_pod_group_spec, "PodGroupSpec", ONE(1, STRING, "parentCompositePodGroupName"),
    SUB(2, m_alpha_workload_reference, "workloadRef"),
    SUB(3, m_alpha_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(4, m_alpha_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUBS(5, m_alpha_pod_group_resource_claim, "resourceClaims"),
    SUB(6, m_alpha_disruption_mode, "disruptionMode"), OMIT(7, STRING, "priorityClassName"),
    ONE(8, INT32, "priority"), ONE(9, STRING, "preemptionPolicy"))
MESSAGE(m_alpha_pod_group_resource_claim_status, "PodGroupResourceClaimStatus",
    ONE(1, STRING, "name"), ONE(2, STRING, "resourceClaimName"))
MESSAGE(m_alpha_pod_group_status, "PodGroupStatus", SUBS(1, m_condition, "conditions"),
    SUBS(2, m_alpha_pod_group_resource_claim_status, "resourceClaimStatuses"))
MESSAGE(m_alpha_pod_group, "PodGroup", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_alpha_pod_group_spec, "spec"), SUB(3, m_alpha_pod_group_status, "status"))
BLANK(m_alpha_composite_basic_scheduling_policy, "CompositeBasicSchedulingPolicy")
MESSAGE(m_alpha_composite_gang_scheduling_policy, "CompositeGangSchedulingPolicy",
    ONE(1, INT32, "minGroupCount"))
MESSAGE(m_alpha_composite_pod_group_scheduling_policy, "CompositePodGroupSchedulingPolicy",
    SUB(1, m_alpha_composite_basic_scheduling_policy, "basic"),
    SUB(2, m_alpha_composite_gang_scheduling_policy, "gang"))
MESSAGE(m_alpha_composite_pod_group_scheduling_constraints,
    "CompositePodGroupSchedulingConstraints", SUBS(1, m_alpha_topology_constraint, "topology"))
BLANK(m_alpha_single_composite_disruption_mode, "SingleCompositeDisruptionMode")
BLANK(m_alpha_all_composite_disruption_mode, "AllCompositeDisruptionMode")
MESSAGE(m_alpha_composite_disruption_mode, "CompositeDisruptionMode",
    SUB(1, m_alpha_single_composite_disruption_mode, "single"),
    SUB(2, m_alpha_all_composite_disruption_mode, "all"))
MESSAGE(m_alpha_composite_pod_group_spec, "CompositePodGroupSpec",
    ONE(1, STRING, "parentCompositePodGroupName"),
    SUB(2, m_alpha_workload_reference, "workloadRef"),
    SUB(3, m_alpha_composite_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(4, m_alpha_composite_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUB(5, m_alpha_composite_disruption_mode, "disruptionMode"),
    OMIT(6, STRING, "priorityClassName"), ONE(7, INT32, "priority"),
    ONE(8, STRING, "preemptionPolicy"))
MESSAGE(m_alpha_composite_pod_group_status, "CompositePodGroupStatus",
    SUBS(1, m_condition, "conditions"))
MESSAGE(m_alpha_composite_pod_group, "CompositePodGroup",
    SUB(1, mst_message_object_meta, "metadata"), SUB(2, m_alpha_composite_pod_group_spec, "spec"),
    SUB(3, m_alpha_composite_pod_group_status, "status"))
MESSAGE(m_typed_local_object_reference, "TypedLocalObjectReference", OMIT(1, STRING, "apiGroup"),
    ONE(2, STRING, "kind"), ONE(3, STRING, "name"))
MESSAGE(m_pod_group_template, "PodGroupTemplate", ONE(1, STRING, "name"),
    SUB(2, m_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(3, m_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUBS(4, m_pod_group_resource_claim, "resourceClaims"),
    SUB(5, m_disruption_mode, "disruptionMode"), OMIT(6, STRING, "priorityClassName"),
    ONE(7, INT32, "priority"), ONE(8, STRING, "preemptionPolicy"))
BLANK(m_composite_basic_scheduling_policy, "CompositeBasicSchedulingPolicy")
MESSAGE(m_composite_gang_scheduling_policy, "CompositeGangSchedulingPolicy",
    ONE(1, INT32, "minGroupCount"))
MESSAGE(m_composite_pod_group_scheduling_policy, "CompositePodGroupSchedulingPolicy",
    SUB(1, m_composite_basic_scheduling_policy, "basic"),
    SUB(2, m_composite_gang_scheduling_policy, "gang"))
MESSAGE(m_composite_pod_group_scheduling_constraints, "CompositePodGroupSchedulingConstraints",
    SUBS(1, m_topology_constraint, "topology"))
BLANK(m_single_composite_disruption_mode, "SingleCompositeDisruptionMode")
BLANK(m_all_composite_disruption_mode, "AllCompositeDisruptionMode")
MESSAGE(m_composite_disruption_mode, "CompositeDisruptionMode",
    SUB(1, m_single_composite_disruption_mode, "single"),
    SUB(2, m_all_composite_disruption_mode, "all"))
MESSAGE(m_composite_pod_group_template, "CompositePodGroupTemplate", ONE(1, STRING, "name"),
    SUB(2, m_composite_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(3, m_composite_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUB(4, m_composite_disruption_mode, "disruptionMode"), OMIT(5, STRING, "priorityClassName"),
    ONE(6, INT32, "priority"), ONE(7, STRING, "preemptionPolicy"),
    SUBS(8, m_pod_group_template, "podGroupTemplates"),
    SUBS(9, m_composite_pod_group_template, "compositePodGroupTemplates"))
MESSAGE(m_workload_spec, "WorkloadSpec", SUB(1, m_typed_local_object_reference, "controllerRef"),
    SUBS(2, m_pod_group_template, "podGroupTemplates"),
    SUBS(3, m_composite_pod_group_template, "compositePodGroupTemplates"))
MESSAGE(m_workload, "Workload", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_workload_spec, "spec"))
MESSAGE(m_alpha_typed_local_object_reference, "TypedLocalObjectReference",
    OMIT(1, STRING, "apiGroup"), ONE(2, STRING, "kind"), ONE(3, STRING, "name"))
MESSAGE(m_alpha_pod_group_template, "PodGroupTemplate", ONE(1, STRING, "name"),
    SUB(2, m_alpha_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(3, m_alpha_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUBS(4, m_alpha_pod_group_resource_claim, "resourceClaims"),
    SUB(5, m_alpha_disruption_mode, "disruptionMode"), OMIT(6, STRING, "priorityClassName"),
    ONE(7, INT32, "priority"), ONE(8, STRING, "preemptionPolicy"))
MESSAGE(m_alpha_composite_pod_group_template, "CompositePodGroupTemplate", ONE(1, STRING, "name"),
    SUB(2, m_alpha_composite_pod_group_scheduling_policy, "schedulingPolicy"),
    SUB(3, m_alpha_composite_pod_group_scheduling_constraints, "schedulingConstraints"),
    SUB(4, m_alpha_composite_disruption_mode, "disruptionMode"),
    OMIT(5, STRING, "priorityClassName"), ONE(6, INT32, "priority"),
    ONE(7, STRING, "preemptionPolicy"), SUBS(8, m_alpha_pod_group_template, "podGroupTemplates"),
    SUBS(9, m_alpha_composite_pod_group_template, "compositePodGroupTemplates"))
MESSAGE(m_alpha_workload_spec, "WorkloadSpec",
    SUB(1, m_alpha_typed_local_object_reference, "controllerRef"),
    SUBS(2, m_alpha_pod_group_template, "podGroupTemplates"),
    SUBS(3, m_alpha_composite_pod_group_template, "compositePodGroupTemplates"))
MESSAGE(m_alpha_workload, "Workload", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_alpha_workload_spec, "spec"))
MESSAGE(m_priority_class, "PriorityClass", SUB(1, mst_message_object_meta, "metadata"),
    ONE(2, INT32, "value"), OMIT(3, BOOL, "globalDefault"), OMIT(4, STRING, "description"),
    ONE(5, STRING, "preemptionPolicy"))
MESSAGE(m_pod_disruption_budget_spec, "PodDisruptionBudgetSpec", ONE(1, INT_OR_STR, "minAvailable"),
    SUB(2, mst_message_label_selector, "selector"), ONE(3, INT_OR_STR, "maxUnavailable"),
    ONE(4, STRING, "unhealthyPodEvictionPolicy"))
MESSAGE(m_pod_disruption_budget_status, "PodDisruptionBudgetStatus", MAP(2, TIME, "disruptedPods"),
    ONE(3, INT32, "disruptionsAllowed"), ONE(4, INT32, "currentHealthy"),
    ONE(5, INT32, "desiredHealthy"), ONE(6, INT32, "expectedPods"))
MESSAGE(m_pod_disruption_budget, "PodDisruptionBudget", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_pod_disruption_budget_spec, "spec"), SUB(3, m_pod_disruption_budget_status, "status"))
MESSAGE(m_object_reference, "ObjectReference", OMIT(1, STRING, "kind"),
    OMIT(2, STRING, "namespace"), OMIT(3, STRING, "name"), OMIT(4, STRING, "uid"),
    OMIT(5, STRING, "apiVersion"), OMIT(6, STRING, "resourceVersion"), OMIT(7, STRING, "fieldPath"))
MESSAGE(m_volume_node_affinity, "VolumeNodeAffinity", SUB(1, m_node_selector, "required"))
MESSAGE(m_persistent_volume_spec, "PersistentVolumeSpec", MAP(1, AMOUNT, "capacity"),
    INLINE(2, mst_message_persistent_volume_source), LIST(3, STRING, "accessModes"),
    SUB(4, m_object_reference, "claimRef"), OMIT(6, STRING, "storageClassName"),
    ONE(8, STRING, "volumeMode"), SUB(9, m_volume_node_affinity, "nodeAffinity"),
    ONE(10, STRING, "volumeAttributesClassName"))
MESSAGE(m_persistent_volume_status, "PersistentVolumeStatus", OMIT(1, STRING, "phase"))
MESSAGE(m_persistent_volume, "PersistentVolume", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_persistent_volume_spec, "spec"), SUB(3, m_persistent_volume_status, "status"))
MESSAGE(m_persistent_volume_claim_status, "PersistentVolumeClaimStatus", OMIT(1, STRING, "phase"))
MESSAGE(m_persistent_volume_claim, "PersistentVolumeClaim",
    SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, mst_message_persistent_volume_claim_spec, "spec"),
    SUB(3, m_persistent_volume_claim_status, "status"))
MESSAGE(m_topology_selector_label_requirement, "TopologySelectorLabelRequirement",
    ONE(1, STRING, "key"), LIST(2, STRING, "values"))
MESSAGE(m_topology_selector_term, "TopologySelectorTerm",
    SUBS(1, m_topology_selector_label_requirement, "matchLabelExpressions"))
MESSAGE(m_storage_class, "StorageClass", SUB(1, mst_message_object_meta, "metadata"),
    ONE(2, STRING, "provisioner"), ONE(7, STRING, "volumeBindingMode"),
    SUBS(8, m_topology_selector_term, "allowedTopologies"))
MESSAGE(m_volume_node_resources, "VolumeNodeResources", ONE(1, INT32, "count"))
MESSAGE(m_csi_node_driver, "CSINodeDriver", ONE(1, STRING, "name"),
    SUB(4, m_volume_node_resources, "allocatable"))
MESSAGE(m_csi_node_spec, "CSINodeSpec", SUBS(1, m_csi_node_driver, "drivers"))
MESSAGE(m_csi_node, "CSINode", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_csi_node_spec, "spec"))
MESSAGE(m_csi_driver_spec, "CSIDriverSpec", ONE(4, BOOL, "storageCapacity"),
    ONE(11, BOOL, "preventPodSchedulingIfMissing"))
MESSAGE(m_csi_driver, "CSIDriver", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_csi_driver_spec, "spec"))
MESSAGE(m_csi_storage_capacity, "CSIStorageCapacity", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, mst_message_label_selector, "nodeTopology"), ONE(3, STRING, "storageClassName"),
    ONE(4, AMOUNT, "capacity"), ONE(5, AMOUNT, "maximumVolumeSize"))
MESSAGE(m_volume_attachment_source, "VolumeAttachmentSource",
    ONE(1, STRING, "persistentVolumeName"))
MESSAGE(m_volume_attachment_spec, "VolumeAttachmentSpec", ONE(1, STRING, "attacher"),
    SUB(2, m_volume_attachment_source, "source"), ONE(3, STRING, "nodeName"))
MESSAGE(m_volume_attachment, "VolumeAttachment", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_volume_attachment_spec, "spec"))
MESSAGE(m_service_spec, "ServiceSpec", MAP(2, STRING, "selector"))
MESSAGE(m_service, "Service", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_service_spec, "spec"))
MESSAGE(m_replication_controller_spec, "ReplicationControllerSpec", MAP(2, STRING, "selector"))
MESSAGE(m_replication_controller, "ReplicationController",
    SUB(1, mst_message_object_meta, "metadata"), SUB(2, m_replication_controller_spec, "spec"))
MESSAGE(m_replica_set_spec, "ReplicaSetSpec", SUB(2, mst_message_label_selector, "selector"))
MESSAGE(m_replica_set, "ReplicaSet", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_replica_set_spec, "spec"))
MESSAGE(m_stateful_set_spec, "StatefulSetSpec", SUB(2, mst_message_label_selector, "selector"))
MESSAGE(m_stateful_set, "StatefulSet", SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, m_stateful_set_spec, "spec"))
MESSAGE(m_status_details, "StatusDetails", OMIT(5, INT32, "retryAfterSeconds"))
MESSAGE(m_status, "Status", OMIT(2, STRING, "status"), OMIT(3, STRING, "message"),
    OMIT(4, STRING, "reason"), SUB(5, m_status_details, "details"), OMIT(6, INT32, "code"))

const struct mst_proto_root mst_proto_roots[] = {
    { "v1", "Pod", &m_pod },
    { "v1", "Node", &m_node },
    { "v1", "Namespace", &m_namespace },
    { "scheduling.k8s.io/v1beta1", "PodGroup", &m_pod_group },
    { "scheduling.k8s.io/v1alpha3", "PodGroup", &m_alpha_pod_group },
    { "scheduling.k8s.io/v1alpha3", "CompositePodGroup", &m_alpha_composite_pod_group },
    { "scheduling.k8s.io/v1beta1", "Workload", &m_workload },
    { "scheduling.k8s.io/v1alpha3", "Workload", &m_alpha_workload },
    { "scheduling.k8s.io/v1", "PriorityClass", &m_priority_class },
    { "policy/v1", "PodDisruptionBudget", &m_pod_disruption_budget },
    { "v1", "PersistentVolume", &m_persistent_volume },
    { "v1", "PersistentVolumeClaim", &m_persistent_volume_claim },
    { "storage.k8s.io/v1", "StorageClass", &m_storage_class },
    { "storage.k8s.io/v1", "CSINode", &m_csi_node },
    { "storage.k8s.io/v1", "CSIDriver", &m_csi_driver },
    { "storage.k8s.io/v1", "CSIStorageCapacity", &m_csi_storage_capacity },
    { "storage.k8s.io/v1", "VolumeAttachment", &m_volume_attachment },
    { "v1", "Service", &m_service },
    { "v1", "ReplicationController", &m_replication_controller },
    { "apps/v1", "ReplicaSet", &m_replica_set },
    { "apps/v1", "StatefulSet", &m_stateful_set },
    { "v1", "Status", &m_status },
};
const uint32_t mst_proto_root_count = MST_COUNT(mst_proto_roots);
/* clang-format on */
