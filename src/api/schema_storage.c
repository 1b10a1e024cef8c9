/*
 * schema_storage.c - the fields of volumes, claims, storage classes and what CSI drivers say of
 * nodes.
 *
 * Source: kubernetes v1.37 staging k8s.io/api, types.go of core/v1 and storage/v1; spec/api.md 14.
 */
#include "api/schema_fields.h"

/* ---- amounts outside of a resource list ---- */

static void decode_amount(struct mst_decoder *d, const struct mst_field *field,
                          const struct mst_path *path, const struct mst_value *value, void *base)
{
    struct mst_opt_quantity *out = (struct mst_opt_quantity *)((char *)base + field->offset);
    if (value->type != MST_STRING && value->type != MST_NUMBER) {
        mst_decode_wrong_type(d, path, "quantity", value);
        return;
    }
    struct mst_err err = { 0 };
    struct mst_quantity quantity;
    if (mst_quantity_parse(mst_value_str(value), &quantity, &err)) {
        struct mst_arena *arena = &d->api->diags->arena;
        struct mst_str shown = mst_go_quote(arena, mst_value_str(value));
        mst_decode_report(d, MST_DIAG_ERROR, path, value,
                          mst_arena_printf(arena, "expected quantity, got %s %.*s: %s",
                                           mst_value_type_name(value), MST_ARG(shown), err.text));
        return;
    }
    *out = (struct mst_opt_quantity){ quantity, true };
}

/* ---- PersistentVolume ---- */

static const struct mst_field pv_csi_fields[] = {
    FIELD(SYM, mst_pv, driver, "driver"),
    FIELD(STR, mst_pv, handle, "volumeHandle"),
    SKIP("readOnly"),
    SKIP("fsType"),
    SKIP("volumeAttributes"),
    SKIP("controllerPublishSecretRef"),
    SKIP("nodeStageSecretRef"),
    SKIP("nodePublishSecretRef"),
    SKIP("controllerExpandSecretRef"),
    SKIP("nodeExpandSecretRef"),
};
SCHEMA(pv_csi, mst_pv, NULL);
static const struct mst_field pv_gce_pd_fields[] = { FIELD(STR, mst_pv, handle, "pdName"),
                                                     SKIP("fsType"), SKIP("partition"),
                                                     SKIP("readOnly") };
SCHEMA(pv_gce_pd, mst_pv, NULL);
/* awsElasticBlockStore, cinder, portworxVolume */
static const struct mst_field pv_volume_id_fields[] = { FIELD(STR, mst_pv, handle, "volumeID"),
                                                        SKIP("fsType"), SKIP("partition"),
                                                        SKIP("readOnly"), SKIP("secretRef") };
SCHEMA(pv_volume_id, mst_pv, NULL);
static const struct mst_field pv_azure_disk_fields[] = {
    SKIP("diskName"), FIELD(STR, mst_pv, handle, "diskURI"), SKIP("cachingMode"), SKIP("fsType"),
    SKIP("readOnly"), FIELD(STR, mst_pv, disk_kind, "kind"),
};
SCHEMA(pv_azure_disk, mst_pv, NULL);

static const struct mst_field claim_ref_fields[] = {
    FIELD(SYM, mst_pv, claim_kind, "kind"),
    FIELD(SYM, mst_pv, claim_ns, "namespace"),
    FIELD(STR, mst_pv, claim_name, "name"),
    FIELD(STR, mst_pv, claim_uid, "uid"),
    FIELD(SYM, mst_pv, claim_api_version, "apiVersion"),
    SKIP("resourceVersion"),
    SKIP("fieldPath"),
};
SCHEMA(claim_ref, mst_pv, NULL);

static const struct mst_field pv_affinity_fields[] = {
    SUB(mst_pv, required, mst_schema_node_selector, "required"),
};
SCHEMA(pv_affinity, mst_pv, NULL);

#define PV_SOURCE(bit_, schema, json) INLINE_OR(mst_pv, sources, bit_, schema, json)
/* A source that the scheduler looks at only to know that there is one. */
#define PV_OTHER(json)                                                                             \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED, .flag = offsetof(struct mst_pv, sources),           \
                    .flag_op = MST_FLAG_OR, .flag_value = MST_PV_OTHER                             \
    }
static const struct mst_field pv_spec_fields[] = {
    FIELD(RESOURCES, mst_pv, capacity, "capacity"),
    PV_SOURCE(MST_PV_GCE_PD, pv_gce_pd, "gcePersistentDisk"),
    PV_SOURCE(MST_PV_AWS_EBS, pv_volume_id, "awsElasticBlockStore"),
    PV_OTHER("hostPath"),
    PV_OTHER("glusterfs"),
    PV_OTHER("nfs"),
    PV_OTHER("rbd"),
    PV_OTHER("iscsi"),
    PV_SOURCE(MST_PV_CINDER, pv_volume_id, "cinder"),
    PV_OTHER("cephfs"),
    PV_OTHER("fc"),
    PV_OTHER("flocker"),
    PV_OTHER("flexVolume"),
    PV_OTHER("azureFile"),
    PV_OTHER("vsphereVolume"),
    PV_OTHER("quobyte"),
    PV_SOURCE(MST_PV_AZURE_DISK, pv_azure_disk, "azureDisk"),
    PV_OTHER("photonPersistentDisk"),
    PV_SOURCE(MST_PV_PORTWORX, pv_volume_id, "portworxVolume"),
    PV_OTHER("scaleIO"),
    PV_OTHER("local"),
    PV_OTHER("storageos"),
    PV_SOURCE(MST_PV_CSI, pv_csi, "csi"),
    FIELD(SYMS, mst_pv, access_modes, "accessModes"),
    INLINE_SET(mst_pv, claim_set, claim_ref, "claimRef"),
    SKIP("persistentVolumeReclaimPolicy"),
    FIELD(SYM, mst_pv, class_name, "storageClassName"),
    SKIP("mountOptions"),
    FIELD(SYM_PTR, mst_pv, volume_mode, "volumeMode"),
    INLINE(pv_affinity, "nodeAffinity"),
    FIELD(SYM, mst_pv, attributes_class, "volumeAttributesClassName"),
};
SCHEMA(pv_spec, mst_pv, NULL);
static const struct mst_field pv_status_fields[] = {
    FIELD(SYM, mst_pv, phase, "phase"),
    SKIP("message"),
    SKIP("reason"),
    SKIP("lastPhaseTransitionTime"),
};
SCHEMA(pv_status, mst_pv, NULL);
static const struct mst_field pv_fields[] = { ROOT(mst_pv), INLINE(pv_spec, "spec"),
                                              INLINE(pv_status, "status") };
SHARED(pv, mst_pv, NULL);

/* ---- PersistentVolumeClaim ---- */

static const struct mst_field pvc_resources_fields[] = {
    SKIP("limits"),
    FIELD(RESOURCES, mst_pvc, requests, "requests"),
};
SCHEMA(pvc_resources, mst_pvc, NULL);
static const struct mst_field pvc_spec_fields[] = {
    FIELD(SYMS, mst_pvc, access_modes, "accessModes"),
    SUB(mst_pvc, selector, mst_schema_label_selector, "selector"),
    INLINE(pvc_resources, "resources"),
    FIELD(STR, mst_pvc, volume_name, "volumeName"),
    FIELD(SYM_PTR, mst_pvc, class_name, "storageClassName"),
    FIELD(SYM_PTR, mst_pvc, volume_mode, "volumeMode"),
    SKIP("dataSource"),
    SKIP("dataSourceRef"),
    FIELD(SYM, mst_pvc, attributes_class, "volumeAttributesClassName"),
};
SCHEMA(pvc_spec, mst_pvc, NULL);
static const struct mst_field pvc_status_fields[] = {
    FIELD(SYM, mst_pvc, phase, "phase"),
    SKIP("accessModes"),
    SKIP("capacity"),
    SKIP("conditions"),
    SKIP("allocatedResources"),
    SKIP("allocatedResourceStatuses"),
    SKIP("currentVolumeAttributesClassName"),
    SKIP("modifyVolumeStatus"),
    SKIP("healthStatus"),
};
SCHEMA(pvc_status, mst_pvc, NULL);
static const struct mst_field pvc_fields[] = { ROOT(mst_pvc), INLINE(pvc_spec, "spec"),
                                               INLINE(pvc_status, "status") };
SHARED(pvc, mst_pvc, NULL);

/* ---- StorageClass ---- */

static void init_topology_requirement(void *base)
{
    ((struct mst_requirement *)base)->op = MST_OP_IN;
}
static const struct mst_field topology_requirement_fields[] = {
    FIELD(SYM, mst_requirement, key, "key"),
    FIELD(SYMS, mst_requirement, values, "values"),
};
SCHEMA(topology_requirement, mst_requirement, init_topology_requirement);
static const struct mst_field topology_term_fields[] = {
    LIST(mst_topology_term, expressions, topology_requirement, "matchLabelExpressions"),
};
SCHEMA(topology_term, mst_topology_term, NULL);
static const struct mst_field storage_class_fields[] = {
    ROOT(mst_storage_class),
    FIELD(SYM, mst_storage_class, provisioner, "provisioner"),
    SKIP("parameters"),
    SKIP("reclaimPolicy"),
    SKIP("mountOptions"),
    SKIP("allowVolumeExpansion"),
    FIELD(SYM_PTR, mst_storage_class, binding_mode, "volumeBindingMode"),
    LIST(mst_storage_class, allowed_topologies, topology_term, "allowedTopologies"),
};
SHARED(storage_class, mst_storage_class, NULL);

/* ---- what drivers say ---- */

static const struct mst_field csi_allocatable_fields[] = {
    FIELD(OPT_INT32, mst_csi_node_driver, count, "count"),
};
SCHEMA(csi_allocatable, mst_csi_node_driver, NULL);
static const struct mst_field csi_node_driver_fields[] = {
    FIELD(SYM, mst_csi_node_driver, name, "name"),
    SKIP("nodeID"),
    SKIP("topologyKeys"),
    INLINE(csi_allocatable, "allocatable"),
};
SCHEMA(csi_node_driver, mst_csi_node_driver, NULL);
static const struct mst_field csi_node_spec_fields[] = {
    LIST(mst_csi_node, drivers, csi_node_driver, "drivers"),
};
SCHEMA(csi_node_spec, mst_csi_node, NULL);
static const struct mst_field csi_node_fields[] = { ROOT(mst_csi_node),
                                                    INLINE(csi_node_spec, "spec"), SKIP("status") };
SHARED(csi_node, mst_csi_node, NULL);

static const struct mst_field csi_driver_spec_fields[] = {
    SKIP("attachRequired"),
    SKIP("podInfoOnMount"),
    SKIP("volumeLifecycleModes"),
    FIELD(OPT_BOOL, mst_csi_driver, storage_capacity, "storageCapacity"),
    SKIP("fsGroupPolicy"),
    SKIP("tokenRequests"),
    SKIP("requiresRepublish"),
    SKIP("seLinuxMount"),
    SKIP("nodeAllocatableUpdatePeriodSeconds"),
    SKIP("serviceAccountTokenInSecrets"),
    FIELD(OPT_BOOL, mst_csi_driver, prevent_if_missing, "preventPodSchedulingIfMissing"),
};
SCHEMA(csi_driver_spec, mst_csi_driver, NULL);
static const struct mst_field csi_driver_fields[] = { ROOT(mst_csi_driver),
                                                      INLINE(csi_driver_spec, "spec") };
SHARED(csi_driver, mst_csi_driver, NULL);

static const struct mst_field csi_storage_capacity_fields[] = {
    ROOT(mst_csi_storage_capacity),
    SUB(mst_csi_storage_capacity, node_topology, mst_schema_label_selector, "nodeTopology"),
    FIELD(SYM, mst_csi_storage_capacity, class_name, "storageClassName"),
    HOOK(mst_csi_storage_capacity, capacity, decode_amount, "capacity"),
    HOOK(mst_csi_storage_capacity, maximum, decode_amount, "maximumVolumeSize"),
};
SHARED(csi_storage_capacity, mst_csi_storage_capacity, NULL);

static const struct mst_field attachment_source_fields[] = {
    FIELD(STR_PTR, mst_volume_attachment, pv_name, "persistentVolumeName"),
    SKIP("inlineVolumeSpec"),
};
SCHEMA(attachment_source, mst_volume_attachment, NULL);
static const struct mst_field attachment_spec_fields[] = {
    FIELD(SYM, mst_volume_attachment, attacher, "attacher"),
    INLINE(attachment_source, "source"),
    FIELD(SYM, mst_volume_attachment, node_name, "nodeName"),
};
SCHEMA(attachment_spec, mst_volume_attachment, NULL);
static const struct mst_field volume_attachment_fields[] = {
    ROOT(mst_volume_attachment),
    INLINE(attachment_spec, "spec"),
    SKIP("status"),
};
SHARED(volume_attachment, mst_volume_attachment, NULL);
