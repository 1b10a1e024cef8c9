/*
 * schema_groups.c - the fields of PodGroup, CompositePodGroup and Workload.
 *
 * Source: kubernetes v1.37 staging k8s.io/api, scheduling types.go.
 */
#include "api/schema_fields.h"

/* ---- groups: everything below spec lives in struct mst_group_spec ---- */

static const struct mst_field pod_gang_fields[] = { FIELD(INT32, mst_group_spec, min_count,
                                                          "minCount") };
SCHEMA(pod_gang, mst_group_spec, NULL);
static const struct mst_field composite_gang_fields[] = {
    FIELD(INT32, mst_group_spec, min_count, "minGroupCount"),
};
SCHEMA(composite_gang, mst_group_spec, NULL);
static const struct mst_field pod_policy_fields[] = {
    INLINE_OR(mst_group_spec, policy, MST_POLICY_BASIC, mst_schema_empty, "basic"),
    INLINE_OR(mst_group_spec, policy, MST_POLICY_GANG, pod_gang, "gang"),
};
SCHEMA(pod_policy, mst_group_spec, NULL);
static const struct mst_field composite_policy_fields[] = {
    INLINE_OR(mst_group_spec, policy, MST_POLICY_BASIC, mst_schema_empty, "basic"),
    INLINE_OR(mst_group_spec, policy, MST_POLICY_GANG, composite_gang, "gang"),
};
SCHEMA(composite_policy, mst_group_spec, NULL);
_Static_assert((MST_POLICY_BASIC | MST_POLICY_GANG) == MST_POLICY_BOTH, "policies are bits");

static const struct mst_field disruption_fields[] = {
    { NAME("single"), .kind = MST_FIELD_OBJECT, .sub = &mst_schema_empty, .flag_op = MST_FLAG_OR,
      .flag_value = 1 },
    { NAME("all"), .kind = MST_FIELD_OBJECT, .sub = &mst_schema_empty, .flag_op = MST_FLAG_OR,
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
    LIST(mst_pod_group, conditions, mst_schema_condition, "conditions"),
    LIST(mst_pod_group, claim_statuses, claim_status, "resourceClaimStatuses"),
};
SCHEMA(pod_group_status, mst_pod_group, NULL);
static const struct mst_field composite_status_fields[] = {
    LIST(mst_pod_group, conditions, mst_schema_condition, "conditions"),
};
SCHEMA(composite_status, mst_pod_group, NULL);
static const struct mst_field pod_group_fields[] = {
    ROOT(mst_pod_group),
    SUB(mst_pod_group, spec, pod_group_spec, "spec"),
    INLINE(pod_group_status, "status"),
};
SHARED(pod_group, mst_pod_group, NULL);
static const struct mst_field composite_fields[] = {
    ROOT(mst_pod_group),
    SUB(mst_pod_group, spec, composite_spec, "spec"),
    INLINE(composite_status, "status"),
};
SHARED(composite, mst_pod_group, NULL);

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
SHARED(workload, mst_workload, NULL);
