/*
 * schema_pod.c - the fields of a pod.
 *
 * Source: kubernetes v1.37 staging k8s.io/api, core/v1 types.go.
 */
#include "api/schema_fields.h"

/* ---- affinity, spreading, tolerations ---- */

static const struct mst_field preferred_node_fields[] = {
    FIELD(INT32, mst_preferred_node, weight, "weight"),
    SUB(mst_preferred_node, preference, mst_schema_node_term, "preference"),
};
SCHEMA(preferred_node, mst_preferred_node, NULL);

static void init_node_affinity(void *base)
{
    ((struct mst_node_affinity *)base)->set = true;
}
static const struct mst_field node_affinity_fields[] = {
    SUB(mst_node_affinity, required, mst_schema_node_selector,
        "requiredDuringSchedulingIgnoredDuringExecution"),
    LIST_SET(mst_node_affinity, preferred, preferred_set, preferred_node,
             "preferredDuringSchedulingIgnoredDuringExecution"),
};
SCHEMA(node_affinity, mst_node_affinity, init_node_affinity);

static const struct mst_field affinity_term_fields[] = {
    SUB(mst_pod_affinity_term, label_selector, mst_schema_label_selector, "labelSelector"),
    FIELD(SYMS, mst_pod_affinity_term, namespaces, "namespaces"),
    FIELD(SYM, mst_pod_affinity_term, topology_key, "topologyKey"),
    SUB(mst_pod_affinity_term, namespace_selector, mst_schema_label_selector, "namespaceSelector"),
    FIELD(SYMS, mst_pod_affinity_term, match_label_keys, "matchLabelKeys"),
    FIELD(SYMS, mst_pod_affinity_term, mismatch_label_keys, "mismatchLabelKeys"),
};
SCHEMA(affinity_term, mst_pod_affinity_term, NULL);

static const struct mst_field weighted_term_fields[] = {
    FIELD(INT32, mst_weighted_pod_affinity_term, weight, "weight"),
    SUB(mst_weighted_pod_affinity_term, term, affinity_term, "podAffinityTerm"),
};
SCHEMA(weighted_term, mst_weighted_pod_affinity_term, NULL);

static void init_pod_affinity(void *base)
{
    ((struct mst_pod_affinity *)base)->set = true;
}
static const struct mst_field pod_affinity_fields[] = {
    LIST(mst_pod_affinity, required, affinity_term,
         "requiredDuringSchedulingIgnoredDuringExecution"),
    LIST(mst_pod_affinity, preferred, weighted_term,
         "preferredDuringSchedulingIgnoredDuringExecution"),
};
SCHEMA(pod_affinity, mst_pod_affinity, init_pod_affinity);

static const struct mst_field affinity_fields[] = {
    /* of struct mst_pod_spec */
    SUB(mst_pod_spec, node_affinity, node_affinity, "nodeAffinity"),
    SUB(mst_pod_spec, pod_affinity, pod_affinity, "podAffinity"),
    SUB(mst_pod_spec, pod_anti_affinity, pod_affinity, "podAntiAffinity"),
};
SCHEMA(affinity, mst_pod_spec, NULL);

static const struct mst_field spread_fields[] = {
    FIELD(INT32, mst_spread_constraint, max_skew, "maxSkew"),
    FIELD(SYM, mst_spread_constraint, topology_key, "topologyKey"),
    FIELD(SYM, mst_spread_constraint, when_unsatisfiable, "whenUnsatisfiable"),
    SUB(mst_spread_constraint, label_selector, mst_schema_label_selector, "labelSelector"),
    FIELD(OPT_INT32, mst_spread_constraint, min_domains, "minDomains"),
    FIELD(SYM_PTR, mst_spread_constraint, node_affinity_policy, "nodeAffinityPolicy"),
    FIELD(SYM_PTR, mst_spread_constraint, node_taints_policy, "nodeTaintsPolicy"),
    FIELD(SYMS, mst_spread_constraint, match_label_keys, "matchLabelKeys"),
};
SCHEMA(spread, mst_spread_constraint, NULL);

static void init_toleration(void *base)
{
    struct mst_toleration *t = base;
    t->key = t->op = t->value = t->effect = MST_SYM_EMPTY;
}
static const struct mst_field toleration_fields[] = {
    FIELD(SYM, mst_toleration, key, "key"),
    FIELD(SYM, mst_toleration, op, "operator"),
    FIELD(SYM, mst_toleration, value, "value"),
    FIELD(SYM, mst_toleration, effect, "effect"),
    FIELD(OPT_INT64, mst_toleration, seconds, "tolerationSeconds"),
};
SCHEMA(toleration, mst_toleration, init_toleration);

/* ---- containers ---- */

static void init_port(void *base)
{
    struct mst_container_port *port = base;
    port->protocol = port->host_ip = MST_SYM_EMPTY;
}
static const struct mst_field port_fields[] = {
    FIELD(STR, mst_container_port, name, "name"),
    FIELD(INT32, mst_container_port, host_port, "hostPort"),
    FIELD(INT32, mst_container_port, container_port, "containerPort"),
    FIELD(SYM, mst_container_port, protocol, "protocol"),
    FIELD(SYM, mst_container_port, host_ip, "hostIP"),
};
SCHEMA(port, mst_container_port, init_port);

static const struct mst_field claim_name_fields[] = { BARE(STR, "name"), SKIP("request") };
SCHEMA(claim_name, mst_str, NULL);

static void init_resources(void *base)
{
    ((struct mst_requirements_resources *)base)->set = true;
}
static const struct mst_field resources_fields[] = {
    FIELD(RESOURCES, mst_requirements_resources, limits, "limits"),
    FIELD(RESOURCES, mst_requirements_resources, requests, "requests"),
    LIST(mst_requirements_resources, claims, claim_name, "claims"),
};
SCHEMA(resources, mst_requirements_resources, init_resources);

static const struct mst_field container_fields[] = {
    FIELD(STR, mst_container, name, "name"),
    FIELD(SYM, mst_container, image, "image"),
    SKIP("command"),
    SKIP("args"),
    SKIP("workingDir"),
    LIST(mst_container, ports, port, "ports"),
    SKIP("envFrom"),
    SKIP("env"),
    SUB(mst_container, resources, resources, "resources"),
    SKIP("resizePolicy"),
    FIELD(SYM_PTR, mst_container, restart_policy, "restartPolicy"),
    HOOK(mst_container, restarts_all, mst_decode_restart_rules, "restartPolicyRules"),
    HOOK(mst_container, bind_mount_options, mst_decode_mounts, "volumeMounts"),
    SKIP("volumeDevices"),
    SKIP("livenessProbe"),
    SKIP("readinessProbe"),
    SKIP("startupProbe"),
    SKIP("lifecycle"),
    SKIP("terminationMessagePath"),
    SKIP("terminationMessagePolicy"),
    SKIP("imagePullPolicy"),
    SKIP("securityContext"),
    SKIP("stdin"),
    SKIP("stdinOnce"),
    SKIP("tty"),
};
SCHEMA(container, mst_container, NULL);

/* ---- volumes: a source's fields live in struct mst_volume ---- */

#define VOLUME_ID(json) FIELD(SYM, mst_volume, id, json)
#define VOLUME_READ_ONLY FIELD(BOOL, mst_volume, read_only, "readOnly")

static const struct mst_field gce_pd_fields[] = { VOLUME_ID("pdName"), SKIP("fsType"),
                                                  SKIP("partition"), VOLUME_READ_ONLY };
SCHEMA(gce_pd, mst_volume, NULL);
static const struct mst_field aws_ebs_fields[] = { VOLUME_ID("volumeID"), SKIP("fsType"),
                                                   SKIP("partition"), VOLUME_READ_ONLY };
SCHEMA(aws_ebs, mst_volume, NULL);
static const struct mst_field iscsi_fields[] = {
    SKIP("targetPortal"),    VOLUME_ID("iqn"),  SKIP("lun"),           SKIP("iscsiInterface"),
    SKIP("fsType"),          VOLUME_READ_ONLY,  SKIP("portals"),       SKIP("chapAuthDiscovery"),
    SKIP("chapAuthSession"), SKIP("secretRef"), SKIP("initiatorName"),
};
SCHEMA(iscsi, mst_volume, NULL);
static const struct mst_field rbd_fields[] = {
    FIELD(SYMS, mst_volume, rbd_monitors, "monitors"),
    VOLUME_ID("image"),
    SKIP("fsType"),
    FIELD(SYM, mst_volume, rbd_pool, "pool"),
    SKIP("user"),
    SKIP("keyring"),
    SKIP("secretRef"),
    VOLUME_READ_ONLY,
};
SCHEMA(rbd, mst_volume, NULL);
static const struct mst_field pvc_fields[] = { VOLUME_ID("claimName"), VOLUME_READ_ONLY };
SCHEMA(pvc, mst_volume, NULL);
static const struct mst_field cinder_fields[] = { VOLUME_ID("volumeID"), SKIP("fsType"),
                                                  VOLUME_READ_ONLY, SKIP("secretRef") };
SCHEMA(cinder, mst_volume, NULL);
static const struct mst_field vsphere_fields[] = { VOLUME_ID("volumePath"), SKIP("fsType"),
                                                   SKIP("storagePolicyName"),
                                                   SKIP("storagePolicyID") };
SCHEMA(vsphere, mst_volume, NULL);
static const struct mst_field azure_disk_fields[] = {
    SKIP("diskName"), VOLUME_ID("diskURI"), SKIP("cachingMode"),
    SKIP("fsType"),   VOLUME_READ_ONLY,     FIELD(SYM, mst_volume, rbd_pool, "kind")
};
SCHEMA(azure_disk, mst_volume, NULL);
static const struct mst_field portworx_fields[] = { VOLUME_ID("volumeID"), SKIP("fsType"),
                                                    VOLUME_READ_ONLY };
SCHEMA(portworx, mst_volume, NULL);
static const struct mst_field csi_fields[] = { VOLUME_ID("driver"), VOLUME_READ_ONLY,
                                               SKIP("fsType"), SKIP("volumeAttributes"),
                                               SKIP("nodePublishSecretRef") };
SCHEMA(csi, mst_volume, NULL);
static const struct mst_field ephemeral_fields[] = { SKIP("volumeClaimTemplate") };
SCHEMA(ephemeral, mst_volume, NULL);
static const struct mst_field image_source_fields[] = { VOLUME_ID("reference"),
                                                        SKIP("pullPolicy") };
SCHEMA(image_source, mst_volume, NULL);

static const struct mst_field volume_fields[] = {
    FIELD(STR, mst_volume, name, "name"),
    SOURCE_SKIP("hostPath"),
    SOURCE_SKIP("emptyDir"),
    SOURCE(MST_VOLUME_GCE_PD, gce_pd, "gcePersistentDisk"),
    SOURCE(MST_VOLUME_AWS_EBS, aws_ebs, "awsElasticBlockStore"),
    SOURCE_SKIP("gitRepo"),
    SOURCE_SYNTHETIC("secret"),
    SOURCE_SKIP("nfs"),
    SOURCE(MST_VOLUME_ISCSI, iscsi, "iscsi"),
    SOURCE_SKIP("glusterfs"),
    SOURCE(MST_VOLUME_PVC, pvc, "persistentVolumeClaim"),
    SOURCE(MST_VOLUME_RBD, rbd, "rbd"),
    SOURCE_SKIP("flexVolume"),
    SOURCE(MST_VOLUME_CINDER, cinder, "cinder"),
    SOURCE_SKIP("cephfs"),
    SOURCE_SKIP("flocker"),
    SOURCE_SKIP("downwardAPI"),
    SOURCE_SKIP("fc"),
    SOURCE_SKIP("azureFile"),
    SOURCE_SYNTHETIC("configMap"),
    SOURCE(MST_VOLUME_VSPHERE, vsphere, "vsphereVolume"),
    SOURCE_SKIP("quobyte"),
    SOURCE(MST_VOLUME_AZURE_DISK, azure_disk, "azureDisk"),
    SOURCE_SKIP("photonPersistentDisk"),
    SOURCE_SKIP("projected"),
    SOURCE(MST_VOLUME_PORTWORX, portworx, "portworxVolume"),
    SOURCE_SKIP("scaleIO"),
    SOURCE_SKIP("storageos"),
    SOURCE(MST_VOLUME_CSI, csi, "csi"),
    SOURCE(MST_VOLUME_EPHEMERAL, ephemeral, "ephemeral"),
    SOURCE(MST_VOLUME_IMAGE, image_source, "image"),
};
SCHEMA(volume, mst_volume, NULL);

/* ---- Pod ---- */

static const struct mst_field gate_fields[] = { BARE(STR, "name") };
SCHEMA(gate, mst_str, NULL);

static const struct mst_field pod_claim_fields[] = {
    FIELD(STR, mst_pod_claim, name, "name"),
    FIELD(STR_PTR, mst_pod_claim, resource_claim_name, "resourceClaimName"),
    FIELD(STR_PTR, mst_pod_claim, resource_claim_template_name, "resourceClaimTemplateName"),
};
SCHEMA(pod_claim, mst_pod_claim, NULL);

static const struct mst_field scheduling_group_fields[] = {
    FIELD(STR_PTR, mst_pod_spec, group_name, "podGroupName"),
};
SCHEMA(scheduling_group, mst_pod_spec, NULL);

static const struct mst_field pod_spec_fields[] = {
    LIST(mst_pod_spec, volumes, volume, "volumes"),
    LIST(mst_pod_spec, init_containers, container, "initContainers"),
    LIST(mst_pod_spec, containers, container, "containers"),
    HOOK(mst_pod_spec, ephemeral_bind_mount_options, mst_decode_ephemeral, "ephemeralContainers"),
    FIELD(SYM, mst_pod_spec, restart_policy, "restartPolicy"),
    FIELD(OPT_INT64, mst_pod_spec, termination_grace_s, "terminationGracePeriodSeconds"),
    SKIP("activeDeadlineSeconds"),
    SKIP("dnsPolicy"),
    FIELD_SET(LABELS, mst_pod_spec, node_selector, node_selector_set, "nodeSelector"),
    SKIP("serviceAccountName"),
    SKIP("serviceAccount"),
    SKIP("automountServiceAccountToken"),
    FIELD(SYM, mst_pod_spec, node_name, "nodeName"),
    FIELD(BOOL, mst_pod_spec, host_network, "hostNetwork"),
    SKIP("hostPID"),
    SKIP("hostIPC"),
    SKIP("shareProcessNamespace"),
    SKIP("securityContext"),
    SKIP("imagePullSecrets"),
    SKIP("hostname"),
    SKIP("subdomain"),
    INLINE_SET(mst_pod_spec, affinity_set, affinity, "affinity"),
    FIELD(SYM, mst_pod_spec, scheduler_name, "schedulerName"),
    LIST(mst_pod_spec, tolerations, toleration, "tolerations"),
    SKIP("hostAliases"),
    FIELD(STR, mst_pod_spec, priority_class_name, "priorityClassName"),
    FIELD(OPT_INT32, mst_pod_spec, priority, "priority"),
    SKIP("dnsConfig"),
    SKIP("readinessGates"),
    SKIP("runtimeClassName"),
    SKIP("enableServiceLinks"),
    FIELD(SYM_PTR, mst_pod_spec, preemption_policy, "preemptionPolicy"),
    FIELD_SET(RESOURCES, mst_pod_spec, overhead, overhead_set, "overhead"),
    LIST(mst_pod_spec, spread, spread, "topologySpreadConstraints"),
    SKIP("setHostnameAsFQDN"),
    SKIP("os"),
    FIELD(OPT_BOOL, mst_pod_spec, host_users, "hostUsers"),
    LIST(mst_pod_spec, scheduling_gates, gate, "schedulingGates"),
    LIST(mst_pod_spec, claims, pod_claim, "resourceClaims"),
    SUB(mst_pod_spec, resources, resources, "resources"),
    SKIP("hostnameOverride"),
    INLINE_SET(mst_pod_spec, group_set, scheduling_group, "schedulingGroup"),
    SKIP("evictionResponders"),
};
SCHEMA(pod_spec, mst_pod_spec, NULL);

static const struct mst_field container_status_fields[] = {
    FIELD(STR, mst_container_status, name, "name"),
    SKIP("state"),
    SKIP("lastState"),
    SKIP("ready"),
    SKIP("restartCount"),
    SKIP("image"),
    SKIP("imageID"),
    SKIP("containerID"),
    SKIP("started"),
    FIELD_SET(RESOURCES, mst_container_status, allocated, allocated_set, "allocatedResources"),
    { NAME("resources"), .kind = MST_FIELD_OBJECT, .sub = &resources,
      .offset = offsetof(struct mst_container_status, resources),
      .flag = offsetof(struct mst_container_status, resources_set), .flag_op = MST_FLAG_BOOL },
    SKIP("volumeMounts"),
    SKIP("user"),
    SKIP("allocatedResourcesStatus"),
    SKIP("stopSignal"),
};
SCHEMA(container_status, mst_container_status, NULL);

static const struct mst_field pod_status_fields[] = {
    SKIP("observedGeneration"),
    FIELD(SYM, mst_pod_status, phase, "phase"),
    LIST(mst_pod_status, conditions, mst_schema_condition, "conditions"),
    SKIP("message"),
    SKIP("reason"),
    FIELD(SYM, mst_pod_status, nominated_node_name, "nominatedNodeName"),
    SKIP("hostIP"),
    SKIP("hostIPs"),
    SKIP("podIP"),
    SKIP("podIPs"),
    FIELD(TIME, mst_pod_status, start_time, "startTime"),
    LIST(mst_pod_status, init_container_statuses, container_status, "initContainerStatuses"),
    LIST(mst_pod_status, container_statuses, container_status, "containerStatuses"),
    SKIP("qosClass"),
    SKIP("ephemeralContainerStatuses"),
    SKIP("resize"),
    SKIP("resourceClaimStatuses"),
    SKIP("extendedResourceClaimStatus"),
    FIELD_SET(RESOURCES, mst_pod_status, allocated, allocated_set, "allocatedResources"),
    { NAME("resources"), .kind = MST_FIELD_OBJECT, .sub = &resources,
      .offset = offsetof(struct mst_pod_status, resources),
      .flag = offsetof(struct mst_pod_status, resources_set), .flag_op = MST_FLAG_BOOL },
    SKIP("nodeAllocatableResourceClaimStatuses"),
    SKIP("volumeHealth"),
};
SCHEMA(pod_status, mst_pod_status, NULL);

static const struct mst_field pod_fields[] = {
    ROOT(mst_pod),
    SUB(mst_pod, spec, pod_spec, "spec"),
    SUB(mst_pod, status, pod_status, "status"),
};
SHARED(pod, mst_pod, NULL);
