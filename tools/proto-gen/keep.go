package main

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// root is a kind that muster reads, and Status, which an API server answers with when it refuses.
type root struct {
	apiVersion, kind string
	object           interface{ Marshal() ([]byte, error) }
}

var roots = []root{
	{"v1", "Pod", &corev1.Pod{}},
	{"v1", "Node", &corev1.Node{}},
	{"v1", "Namespace", &corev1.Namespace{}},
	{"scheduling.k8s.io/v1beta1", "PodGroup", &schedulingv1beta1.PodGroup{}},
	{"scheduling.k8s.io/v1alpha3", "PodGroup", &schedulingv1alpha3.PodGroup{}},
	{"scheduling.k8s.io/v1alpha3", "CompositePodGroup", &schedulingv1alpha3.CompositePodGroup{}},
	{"scheduling.k8s.io/v1beta1", "Workload", &schedulingv1beta1.Workload{}},
	{"scheduling.k8s.io/v1alpha3", "Workload", &schedulingv1alpha3.Workload{}},
	{"scheduling.k8s.io/v1", "PriorityClass", &schedulingv1.PriorityClass{}},
	{"policy/v1", "PodDisruptionBudget", &policyv1.PodDisruptionBudget{}},
	{"v1", "PersistentVolume", &corev1.PersistentVolume{}},
	{"v1", "PersistentVolumeClaim", &corev1.PersistentVolumeClaim{}},
	{"storage.k8s.io/v1", "StorageClass", &storagev1.StorageClass{}},
	{"storage.k8s.io/v1", "CSINode", &storagev1.CSINode{}},
	{"storage.k8s.io/v1", "CSIDriver", &storagev1.CSIDriver{}},
	{"storage.k8s.io/v1", "CSIStorageCapacity", &storagev1.CSIStorageCapacity{}},
	{"storage.k8s.io/v1", "VolumeAttachment", &storagev1.VolumeAttachment{}},
	{"v1", "Service", &corev1.Service{}},
	{"v1", "ReplicationController", &corev1.ReplicationController{}},
	{"apps/v1", "ReplicaSet", &appsv1.ReplicaSet{}},
	{"apps/v1", "StatefulSet", &appsv1.StatefulSet{}},
	{"v1", "Status", &metav1.Status{}},
}

// keep says which fields of a type are kept, by their JSON names; a type that is not here keeps all
// it has. What src/api/schema*.c reads must be here, and what the source of a volume holds: it is
// hashed whole (src/api/source_hash.c).
var keep = map[reflect.Type][]string{
	reflect.TypeOf(metav1.ObjectMeta{}): {"name", "generateName", "namespace", "selfLink", "uid",
		"resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"},
	reflect.TypeOf(metav1.Status{}):        {"status", "message", "reason", "details", "code"},
	reflect.TypeOf(metav1.StatusDetails{}): {"retryAfterSeconds"},

	reflect.TypeOf(corev1.PodSpec{}): {"volumes", "initContainers", "containers",
		"ephemeralContainers", "restartPolicy", "terminationGracePeriodSeconds", "nodeSelector",
		"nodeName", "hostNetwork", "affinity", "schedulerName", "tolerations", "priorityClassName",
		"priority", "preemptionPolicy", "overhead", "topologySpreadConstraints", "hostUsers",
		"schedulingGates", "resourceClaims", "resources", "schedulingGroup"},
	reflect.TypeOf(corev1.Container{}): {"name", "image", "ports", "resources", "restartPolicy",
		"restartPolicyRules", "volumeMounts"},
	reflect.TypeOf(corev1.ContainerRestartRule{}):     {"action"},
	reflect.TypeOf(corev1.VolumeMount{}):              {"bindMountOptions"},
	reflect.TypeOf(corev1.EphemeralContainer{}):       {""},
	reflect.TypeOf(corev1.EphemeralContainerCommon{}): {"volumeMounts"},
	reflect.TypeOf(corev1.ResourceClaim{}):            {"name"},
	reflect.TypeOf(corev1.PodStatus{}): {"phase", "conditions", "nominatedNodeName", "startTime",
		"initContainerStatuses", "containerStatuses", "allocatedResources", "resources"},
	reflect.TypeOf(corev1.ContainerStatus{}): {"name", "allocatedResources", "resources"},

	reflect.TypeOf(corev1.NodeSpec{}): {"unschedulable", "taints"},
	reflect.TypeOf(corev1.NodeStatus{}): {"capacity", "allocatable", "conditions", "images",
		"declaredFeatures"},
	reflect.TypeOf(corev1.NodeCondition{}): {"type", "status", "lastTransitionTime", "reason",
		"message"},
	reflect.TypeOf(corev1.Namespace{}): {"metadata"},

	reflect.TypeOf(policyv1.PodDisruptionBudgetStatus{}): {"disruptedPods", "disruptionsAllowed",
		"currentHealthy", "desiredHealthy", "expectedPods"},

	reflect.TypeOf(corev1.Service{}):                   {"metadata", "spec"},
	reflect.TypeOf(corev1.ServiceSpec{}):               {"selector"},
	reflect.TypeOf(corev1.ReplicationController{}):     {"metadata", "spec"},
	reflect.TypeOf(corev1.ReplicationControllerSpec{}): {"selector"},
	reflect.TypeOf(appsv1.ReplicaSet{}):                {"metadata", "spec"},
	reflect.TypeOf(appsv1.ReplicaSetSpec{}):            {"selector"},
	reflect.TypeOf(appsv1.StatefulSet{}):               {"metadata", "spec"},
	reflect.TypeOf(appsv1.StatefulSetSpec{}):           {"selector"},

	reflect.TypeOf(corev1.PersistentVolumeSpec{}): {"", "capacity", "accessModes", "claimRef",
		"storageClassName", "volumeMode", "nodeAffinity", "volumeAttributesClassName"},
	reflect.TypeOf(corev1.CSIPersistentVolumeSource{}):       {"driver", "volumeHandle"},
	reflect.TypeOf(corev1.HostPathVolumeSource{}):            nil, // also in pods
	reflect.TypeOf(corev1.CinderPersistentVolumeSource{}):    {"volumeID"},
	reflect.TypeOf(corev1.RBDPersistentVolumeSource{}):       {},
	reflect.TypeOf(corev1.ISCSIPersistentVolumeSource{}):     {},
	reflect.TypeOf(corev1.GlusterfsPersistentVolumeSource{}): {},
	reflect.TypeOf(corev1.CephFSPersistentVolumeSource{}):    {},
	reflect.TypeOf(corev1.FlexPersistentVolumeSource{}):      {},
	reflect.TypeOf(corev1.AzureFilePersistentVolumeSource{}): {},
	reflect.TypeOf(corev1.ScaleIOPersistentVolumeSource{}):   {},
	reflect.TypeOf(corev1.LocalVolumeSource{}):               {},
	reflect.TypeOf(corev1.StorageOSPersistentVolumeSource{}): {},
	reflect.TypeOf(corev1.PersistentVolumeStatus{}):          {"phase"},
	reflect.TypeOf(corev1.PersistentVolumeClaimStatus{}):     {"phase"},

	reflect.TypeOf(storagev1.StorageClass{}): {"metadata", "provisioner", "volumeBindingMode",
		"allowedTopologies"},
	reflect.TypeOf(storagev1.CSINode{}):       {"metadata", "spec"},
	reflect.TypeOf(storagev1.CSINodeDriver{}): {"name", "allocatable"},
	reflect.TypeOf(storagev1.CSIDriverSpec{}): {"storageCapacity",
		"preventPodSchedulingIfMissing"},
	reflect.TypeOf(storagev1.VolumeAttachment{}):       {"metadata", "spec"},
	reflect.TypeOf(storagev1.VolumeAttachmentSource{}): {"persistentVolumeName"},
}
