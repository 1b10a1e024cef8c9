/*
 * schema.c - the fields that many kinds share, and which schema belongs to which kind.
 *
 * Source: kubernetes v1.37 staging k8s.io/apimachinery meta/v1, k8s.io/api core/v1.
 */
#include "api/schema_fields.h"

const struct mst_schema mst_schema_empty = { NULL, 0, 0, NULL };

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
SHARED(meta, mst_meta, NULL);

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
SHARED(condition, mst_condition, NULL);

/* ---- selectors ---- */

static const struct mst_field requirement_fields[] = {
    FIELD(SYM, mst_requirement, key, "key"),
    HOOK(mst_requirement, op, mst_decode_op, "operator"),
    FIELD(SYMS, mst_requirement, values, "values"),
};
SHARED(requirement, mst_requirement, NULL);

static void init_label_selector(void *base)
{
    ((struct mst_label_selector *)base)->set = true;
}
static const struct mst_field label_selector_fields[] = {
    FIELD(LABELS, mst_label_selector, match_labels, "matchLabels"),
    LIST(mst_label_selector, match_expressions, mst_schema_requirement, "matchExpressions"),
};
SHARED(label_selector, mst_label_selector, init_label_selector);

static const struct mst_field node_term_fields[] = {
    LIST(mst_node_selector_term, match_expressions, mst_schema_requirement, "matchExpressions"),
    LIST(mst_node_selector_term, match_fields, mst_schema_requirement, "matchFields"),
};
SHARED(node_term, mst_node_selector_term, NULL);

static void init_node_selector(void *base)
{
    ((struct mst_node_selector *)base)->set = true;
}
static const struct mst_field node_selector_fields[] = {
    LIST(mst_node_selector, terms, mst_schema_node_term, "nodeSelectorTerms"),
};
SHARED(node_selector, mst_node_selector, init_node_selector);

const struct mst_schema *mst_schema_of(mst_kind kind)
{
    static const struct mst_schema *const roots[MST_KIND_COUNT] = {
        [MST_KIND_POD] = &mst_schema_pod,
        [MST_KIND_NODE] = &mst_schema_node,
        [MST_KIND_NAMESPACE] = &mst_schema_namespace,
        [MST_KIND_POD_GROUP] = &mst_schema_pod_group,
        [MST_KIND_COMPOSITE_POD_GROUP] = &mst_schema_composite,
        [MST_KIND_WORKLOAD] = &mst_schema_workload,
        [MST_KIND_PRIORITY_CLASS] = &mst_schema_priority_class,
        [MST_KIND_PDB] = &mst_schema_pdb,
        [MST_KIND_PV] = &mst_schema_pv,
        [MST_KIND_PVC] = &mst_schema_pvc,
        [MST_KIND_STORAGE_CLASS] = &mst_schema_storage_class,
        [MST_KIND_CSI_NODE] = &mst_schema_csi_node,
        [MST_KIND_CSI_DRIVER] = &mst_schema_csi_driver,
        [MST_KIND_CSI_STORAGE_CAPACITY] = &mst_schema_csi_storage_capacity,
        [MST_KIND_VOLUME_ATTACHMENT] = &mst_schema_volume_attachment,
        [MST_KIND_SERVICE] = &mst_schema_service,
        [MST_KIND_REPLICATION_CONTROLLER] = &mst_schema_replication_controller,
        [MST_KIND_REPLICA_SET] = &mst_schema_replica_set,
        [MST_KIND_STATEFUL_SET] = &mst_schema_stateful_set,
    };
    mst_assert((uint32_t)kind < MST_KIND_COUNT);
    return roots[kind];
}
