/*
 * schema.c - the fields of every kind: JSON name, kind of value, place in the C struct.
 *
 * Rows are in the order of upstream's Go structs, in which an API server prints them. Fields that
 * upstream has and muster does not model are rows too (SKIP): only what nobody knows is reported.
 * Source: kubernetes v1.37 staging k8s.io/api, types.go of core/v1, scheduling and policy/v1.
 */
#include "api/api_internal.h"

#define NAME(json) .name = (json), .name_n = sizeof(json) - 1
#define FIELD(kind_, tag, member, json)                                                            \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_, .offset = offsetof(struct tag, member)              \
    }
/* As FIELD, and the bool `set` becomes true when the field is there. */
#define FIELD_SET(kind_, tag, member, set, json)                                                   \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_, .offset = offsetof(struct tag, member),             \
                    .flag = offsetof(struct tag, set), .flag_op = MST_FLAG_BOOL                    \
    }
#define SKIP(json)                                                                                 \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED                                                      \
    }
#define SUB(tag, member, schema, json)                                                             \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .offset = offsetof(struct tag, member),              \
                    .sub = &(schema)                                                               \
    }
#define LIST(tag, member, schema, json)                                                            \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_LIST, .offset = offsetof(struct tag, member),                \
                    .sub = &(schema)                                                               \
    }
#define LIST_SET(tag, member, set, schema, json)                                                   \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_LIST, .offset = offsetof(struct tag, member),                \
                    .sub = &(schema), .flag = offsetof(struct tag, set), .flag_op = MST_FLAG_BOOL  \
    }
/* A JSON object whose fields live in the struct at hand. */
#define INLINE(schema, json)                                                                       \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema)                                     \
    }
#define INLINE_SET(tag, set, schema, json)                                                         \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema), .flag = offsetof(struct tag, set), \
                    .flag_op = MST_FLAG_BOOL                                                       \
    }
#define INLINE_OR(tag, bits, value_, schema, json)                                                 \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema),                                    \
                    .flag = offsetof(struct tag, bits), .flag_op = MST_FLAG_OR,                    \
                    .flag_value = (value_)                                                         \
    }
#define HOOK(tag, member, fn, json)                                                                \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_HOOK, .offset = offsetof(struct tag, member), .hook = (fn)   \
    }
#define SOURCE(source_, schema, json)                                                              \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema), .flag_op = MST_FLAG_SOURCE,        \
                    .flag_value = (source_)                                                        \
    }
#define SOURCE_SKIP(json)                                                                          \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED, .flag_op = MST_FLAG_SOURCE,                         \
                    .flag_value = MST_VOLUME_OTHER                                                 \
    }
/* An element that is a bare value inside an object, as in [{"name": "a"}]. */
#define BARE(kind_, json)                                                                          \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_                                                      \
    }

#define SCHEMA(name_, tag, init_)                                                                  \
    static const struct mst_schema name_ = { name_##_fields, MST_COUNT(name_##_fields),            \
                                             sizeof(struct tag), (init_) }
#define SCHEMA_OF(name_, type, init_)                                                              \
    static const struct mst_schema name_ = { name_##_fields, MST_COUNT(name_##_fields),            \
                                             sizeof(type), (init_) }

static const struct mst_schema empty = { NULL, 0, 0, NULL };

/* ---- metadata ---- */

static const struct mst_field owner_fields[] = {
    FIELD(STR, mst_owner, api_version, "apiVersion"),
    FIELD(STR, mst_owner, kind, "kind"),
    FIELD(STR, mst_owner, name, "name"),
    FIELD(STR, mst_owner, uid, "uid"),
    FIELD(OPT_BOOL, mst_owner, controller, "controller"),
    FIELD(OPT_BOOL, mst_owner, block_owner_deletion, "blockOwnerDeletion"),
};
SCHEMA(owner, mst_owner, NULL);

static const struct mst_field meta_fields[] = {
    FIELD(STR, mst_meta, name, "name"),
    FIELD(STR, mst_meta, generate_name, "generateName"),
    FIELD(SYM, mst_meta, namespace_, "namespace"),
    SKIP("selfLink"),
    FIELD(STR, mst_meta, uid, "uid"),
    FIELD(STR, mst_meta, resource_version, "resourceVersion"),
    FIELD(INT64, mst_meta, generation, "generation"),
    FIELD(TIME, mst_meta, created, "creationTimestamp"),
    FIELD(TIME, mst_meta, deleted, "deletionTimestamp"),
    FIELD(OPT_INT64, mst_meta, deletion_grace_s, "deletionGracePeriodSeconds"),
    FIELD(LABELS, mst_meta, labels, "labels"),
    FIELD(ANNOTATIONS, mst_meta, annotations, "annotations"),
    LIST(mst_meta, owners, owner, "ownerReferences"),
    FIELD(STRS, mst_meta, finalizers, "finalizers"),
    SKIP("managedFields"),
};
SCHEMA(meta, mst_meta, NULL);

static const struct mst_field condition_fields[] = {
    FIELD(STR, mst_condition, type, "type"),
    FIELD(INT64, mst_condition, observed_generation, "observedGeneration"),
    FIELD(STR, mst_condition, status, "status"),
    FIELD(TIME, mst_condition, last_probe, "lastProbeTime"),
    SKIP("lastHeartbeatTime"),
    FIELD(TIME, mst_condition, last_transition, "lastTransitionTime"),
    FIELD(STR, mst_condition, reason, "reason"),
    FIELD(STR, mst_condition, message, "message"),
};
SCHEMA(condition, mst_condition, NULL);

/* ---- selectors ---- */

static const struct mst_field requirement_fields[] = {
    FIELD(SYM, mst_requirement, key, "key"),
    HOOK(mst_requirement, op, mst_decode_op, "operator"),
    FIELD(SYMS, mst_requirement, values, "values"),
};
SCHEMA(requirement, mst_requirement, NULL);

static void init_label_selector(void *base)
{
    ((struct mst_label_selector *)base)->set = true;
}
static const struct mst_field label_selector_fields[] = {
    FIELD(LABELS, mst_label_selector, match_labels, "matchLabels"),
    LIST(mst_label_selector, match_expressions, requirement, "matchExpressions"),
};
SCHEMA(label_selector, mst_label_selector, init_label_selector);

static const struct mst_field node_term_fields[] = {
    LIST(mst_node_selector_term, match_expressions, requirement, "matchExpressions"),
    LIST(mst_node_selector_term, match_fields, requirement, "matchFields"),
};
SCHEMA(node_term, mst_node_selector_term, NULL);

static void init_node_selector(void *base)
{
    ((struct mst_node_selector *)base)->set = true;
}
static const struct mst_field node_selector_fields[] = {
    LIST(mst_node_selector, terms, node_term, "nodeSelectorTerms"),
};
SCHEMA(node_selector, mst_node_selector, init_node_selector);

static const struct mst_field preferred_node_fields[] = {
    FIELD(INT32, mst_preferred_node, weight, "weight"),
    SUB(mst_preferred_node, preference, node_term, "preference"),
};
SCHEMA(preferred_node, mst_preferred_node, NULL);

static void init_node_affinity(void *base)
{
    ((struct mst_node_affinity *)base)->set = true;
}
static const struct mst_field node_affinity_fields[] = {
    SUB(mst_node_affinity, required, node_selector,
        "requiredDuringSchedulingIgnoredDuringExecution"),
    LIST_SET(mst_node_affinity, preferred, preferred_set, preferred_node,
             "preferredDuringSchedulingIgnoredDuringExecution"),
};
SCHEMA(node_affinity, mst_node_affinity, init_node_affinity);

static const struct mst_field affinity_term_fields[] = {
    SUB(mst_pod_affinity_term, label_selector, label_selector, "labelSelector"),
    FIELD(SYMS, mst_pod_affinity_term, namespaces, "namespaces"),
    FIELD(SYM, mst_pod_affinity_term, topology_key, "topologyKey"),
    SUB(mst_pod_affinity_term, namespace_selector, label_selector, "namespaceSelector"),
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
    SUB(mst_spread_constraint, label_selector, label_selector, "labelSelector"),
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
static const struct mst_field azure_disk_fields[] = { VOLUME_ID("diskName"), SKIP("diskURI"),
                                                      SKIP("cachingMode"),   SKIP("fsType"),
                                                      VOLUME_READ_ONLY,      SKIP("kind") };
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
    SOURCE_SKIP("secret"),
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
    SOURCE_SKIP("configMap"),
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
    LIST(mst_pod_status, conditions, condition, "conditions"),
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

#define ROOT(tag) SKIP("kind"), SKIP("apiVersion"), SUB(tag, meta, meta, "metadata")

static const struct mst_field pod_fields[] = {
    ROOT(mst_pod),
    SUB(mst_pod, spec, pod_spec, "spec"),
    SUB(mst_pod, status, pod_status, "status"),
};
SCHEMA(pod, mst_pod, NULL);

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
    LIST(mst_node, conditions, condition, "conditions"),
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
SCHEMA(node, mst_node, NULL);

static const struct mst_field namespace_fields[] = { ROOT(mst_namespace), SKIP("spec"),
                                                     SKIP("status") };
SCHEMA(namespace, mst_namespace, NULL);

/* ---- groups: everything below spec lives in struct mst_group_spec ---- */

static const struct mst_field pod_gang_fields[] = { FIELD(INT32, mst_group_spec, min_count,
                                                          "minCount") };
SCHEMA(pod_gang, mst_group_spec, NULL);
static const struct mst_field composite_gang_fields[] = {
    FIELD(INT32, mst_group_spec, min_count, "minGroupCount"),
};
SCHEMA(composite_gang, mst_group_spec, NULL);
static const struct mst_field pod_policy_fields[] = {
    INLINE_OR(mst_group_spec, policy, MST_POLICY_BASIC, empty, "basic"),
    INLINE_OR(mst_group_spec, policy, MST_POLICY_GANG, pod_gang, "gang"),
};
SCHEMA(pod_policy, mst_group_spec, NULL);
static const struct mst_field composite_policy_fields[] = {
    INLINE_OR(mst_group_spec, policy, MST_POLICY_BASIC, empty, "basic"),
    INLINE_OR(mst_group_spec, policy, MST_POLICY_GANG, composite_gang, "gang"),
};
SCHEMA(composite_policy, mst_group_spec, NULL);
_Static_assert((MST_POLICY_BASIC | MST_POLICY_GANG) == MST_POLICY_BOTH, "policies are bits");

static const struct mst_field disruption_fields[] = {
    { NAME("single"), .kind = MST_FIELD_OBJECT, .sub = &empty, .flag_op = MST_FLAG_OR,
      .flag_value = 1 },
    { NAME("all"), .kind = MST_FIELD_OBJECT, .sub = &empty, .flag_op = MST_FLAG_OR,
      .flag_value = 2 },
};
const struct mst_schema mst_schema_disruption = { disruption_fields, MST_COUNT(disruption_fields),
                                                  sizeof(unsigned), NULL };

static const struct mst_field topology_fields[] = { BARE(SYM, "key") };
SCHEMA_OF(topology, mst_sym, NULL);
static const struct mst_field constraints_fields[] = {
    LIST(mst_group_spec, topology_keys, topology, "topology"),
};
SCHEMA(constraints, mst_group_spec, NULL);

static const struct mst_field group_claim_fields[] = {
    FIELD(STR, mst_group_claim, name, "name"),
    FIELD(STR_PTR, mst_group_claim, resource_claim_name, "resourceClaimName"),
    FIELD(STR_PTR, mst_group_claim, resource_claim_template_name, "resourceClaimTemplateName"),
};
SCHEMA(group_claim, mst_group_claim, NULL);

static const struct mst_field workload_ref_fields[] = {
    FIELD(STR, mst_group_spec, workload_name, "workloadName"),
    FIELD(STR, mst_group_spec, workload_template, "templateName"),
};
SCHEMA(workload_ref, mst_group_spec, NULL);

#define GROUP_POLICY(schema)                                                                       \
    INLINE_SET(mst_group_spec, policy_set, schema, "schedulingPolicy"),                            \
        INLINE_SET(mst_group_spec, constraints_set, constraints, "schedulingConstraints")
#define GROUP_CLAIMS LIST(mst_group_spec, claims, group_claim, "resourceClaims")
#define GROUP_PRIORITY                                                                             \
    HOOK(mst_group_spec, disruption, mst_decode_disruption, "disruptionMode"),                     \
        FIELD(STR, mst_group_spec, priority_class_name, "priorityClassName"),                      \
        FIELD(OPT_INT32, mst_group_spec, priority, "priority"),                                    \
        FIELD(SYM_PTR, mst_group_spec, preemption_policy, "preemptionPolicy")
#define GROUP_LINKS                                                                                \
    FIELD(STR_PTR, mst_group_spec, parent, "parentCompositePodGroupName"),                         \
        INLINE_SET(mst_group_spec, workload_ref_set, workload_ref, "workloadRef")

static const struct mst_field pod_group_spec_fields[] = { GROUP_LINKS, GROUP_POLICY(pod_policy),
                                                          GROUP_CLAIMS, GROUP_PRIORITY };
SCHEMA(pod_group_spec, mst_group_spec, NULL);
static const struct mst_field composite_spec_fields[] = { GROUP_LINKS,
                                                          GROUP_POLICY(composite_policy),
                                                          GROUP_PRIORITY };
SCHEMA(composite_spec, mst_group_spec, NULL);

static const struct mst_field pod_template_fields[] = {
    FIELD(STR, mst_group_spec, template_name, "name"),
    GROUP_POLICY(pod_policy),
    GROUP_CLAIMS,
    GROUP_PRIORITY,
};
const struct mst_schema mst_schema_pod_group_template = { pod_template_fields,
                                                          MST_COUNT(pod_template_fields),
                                                          sizeof(struct mst_group_spec), NULL };
/* The lists of children are walked by mst_decode_templates. */
static const struct mst_field composite_template_fields[] = {
    FIELD(STR, mst_group_spec, template_name, "name"),
    GROUP_POLICY(composite_policy),
    GROUP_PRIORITY,
    SKIP("podGroupTemplates"),
    SKIP("compositePodGroupTemplates"),
};
const struct mst_schema mst_schema_composite_template = { composite_template_fields,
                                                          MST_COUNT(composite_template_fields),
                                                          sizeof(struct mst_group_spec), NULL };

static const struct mst_field claim_status_fields[] = {
    FIELD(STR, mst_group_claim_status, name, "name"),
    FIELD(STR_PTR, mst_group_claim_status, resource_claim_name, "resourceClaimName"),
};
SCHEMA(claim_status, mst_group_claim_status, NULL);
static const struct mst_field pod_group_status_fields[] = {
    LIST(mst_pod_group, conditions, condition, "conditions"),
    LIST(mst_pod_group, claim_statuses, claim_status, "resourceClaimStatuses"),
};
SCHEMA(pod_group_status, mst_pod_group, NULL);
static const struct mst_field composite_status_fields[] = {
    LIST(mst_pod_group, conditions, condition, "conditions"),
};
SCHEMA(composite_status, mst_pod_group, NULL);
static const struct mst_field pod_group_fields[] = {
    ROOT(mst_pod_group),
    SUB(mst_pod_group, spec, pod_group_spec, "spec"),
    INLINE(pod_group_status, "status"),
};
SCHEMA(pod_group, mst_pod_group, NULL);
static const struct mst_field composite_fields[] = {
    ROOT(mst_pod_group),
    SUB(mst_pod_group, spec, composite_spec, "spec"),
    INLINE(composite_status, "status"),
};
SCHEMA(composite, mst_pod_group, NULL);

static const struct mst_field controller_ref_fields[] = {
    FIELD(STR, mst_workload, controller_group, "apiGroup"),
    FIELD(STR, mst_workload, controller_kind, "kind"),
    FIELD(STR, mst_workload, controller_name, "name"),
};
SCHEMA(controller_ref, mst_workload, NULL);
static const struct mst_field workload_spec_fields[] = {
    INLINE_SET(mst_workload, controller_ref_set, controller_ref, "controllerRef"),
    SKIP("podGroupTemplates"), /* mst_decode_templates */
    SKIP("compositePodGroupTemplates"),
};
SCHEMA(workload_spec, mst_workload, NULL);
static const struct mst_field workload_fields[] = {
    ROOT(mst_workload),
    INLINE(workload_spec, "spec"),
};
SCHEMA(workload, mst_workload, NULL);

/* ---- the rest ---- */

static const struct mst_field priority_class_fields[] = {
    ROOT(mst_priority_class),
    FIELD_SET(INT32, mst_priority_class, value, value_set, "value"),
    FIELD(BOOL, mst_priority_class, global_default, "globalDefault"),
    FIELD(STR, mst_priority_class, description, "description"),
    FIELD(SYM_PTR, mst_priority_class, preemption_policy, "preemptionPolicy"),
};
SCHEMA(priority_class, mst_priority_class, NULL);

static const struct mst_field pdb_spec_fields[] = {
    HOOK(mst_pdb, min_available, mst_decode_int_or_str, "minAvailable"),
    SUB(mst_pdb, selector, label_selector, "selector"),
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
SCHEMA(pdb, mst_pdb, NULL);

const struct mst_schema *mst_schema_of(mst_kind kind)
{
    static const struct mst_schema *const roots[MST_KIND_COUNT] = {
        [MST_KIND_POD] = &pod,
        [MST_KIND_NODE] = &node,
        [MST_KIND_NAMESPACE] = &namespace,
        [MST_KIND_POD_GROUP] = &pod_group,
        [MST_KIND_COMPOSITE_POD_GROUP] = &composite,
        [MST_KIND_WORKLOAD] = &workload,
        [MST_KIND_PRIORITY_CLASS] = &priority_class,
        [MST_KIND_PDB] = &pdb,
    };
    mst_assert((uint32_t)kind < MST_KIND_COUNT);
    return roots[kind];
}
