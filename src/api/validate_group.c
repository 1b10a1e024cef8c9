/*
 * validate_group.c - PodGroup, CompositePodGroup and the fields they share with templates.
 *
 * Source: spec/api.md 2.1-2.4, 4.3-4.5; kubernetes v1.37 pkg/apis/scheduling/validation and the
 *         generated validation of scheduling.k8s.io/v1beta1 and v1alpha3.
 */
#include "api/validate_internal.h"

enum { CLAIMS_MAX = 4, TOPOLOGY_MAX = 1, PRIORITY_MAX = 1000000000 };

/* A required name: empty is "Required value", anything else must follow the rule. */
static void required_name(struct mst_validator *v, const struct mst_path *path, mst_name_rule rule,
                          struct mst_str text)
{
    if (text.n == 0)
        mst_v_required(v, path, NULL);
    else
        mst_v_name(v, path, rule, MST_LENGTH_IN_BYTES, text);
}

static void validate_links(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_group_spec *spec, bool composite)
{
    const struct mst_path ref = MST_AT(path, "workloadRef");
    if (spec->parent.p && !composite && !v->api->composite)
        mst_v_forbidden(v, &MST_AT(path, "parentCompositePodGroupName"), NULL);
    else if (spec->parent.p)
        mst_v_name(v, &MST_AT(path, "parentCompositePodGroupName"), MST_NAME_SUBDOMAIN,
                   MST_LENGTH_IN_BYTES, spec->parent);
    if (spec->workload_ref_set) {
        required_name(v, &MST_AT(&ref, "workloadName"), MST_NAME_SUBDOMAIN, spec->workload_name);
        required_name(v, &MST_AT(&ref, "templateName"), MST_NAME_LABEL, spec->workload_template);
    } else if (composite) {
        mst_v_required(v, &ref, NULL);
    }
}

static void validate_policy(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_group_spec *spec, bool composite)
{
    switch (spec->policy) {
    case MST_POLICY_UNSET:
        mst_v_invalid_str(v, path, MST_STR(""), "must specify one of: `basic`, `gang`");
        return;
    case MST_POLICY_BOTH:
        mst_v_invalid_str(v, path, MST_STR("{basic, gang}"),
                          "must specify exactly one of: `basic`, `gang`");
        break;
    case MST_POLICY_BASIC: return;
    case MST_POLICY_GANG: break;
    }
    const struct mst_path gang = MST_AT(path, "gang");
    const struct mst_path count = MST_AT(&gang, composite ? "minGroupCount" : "minCount");
    if (spec->min_count == 0)
        mst_v_required(v, &count, NULL);
    else if (spec->min_count < 0)
        mst_v_invalid_int(v, &count, spec->min_count, "must be greater than or equal to 1");
}

static void validate_constraints(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_group_spec *spec, bool composite)
{
    if (!spec->constraints_set)
        return;
    if (!composite && !v->api->topology) {
        mst_v_forbidden(v, path, NULL);
        return;
    }
    const struct mst_path topology = MST_AT(path, "topology");
    if (spec->topology_keys.n > TOPOLOGY_MAX) {
        mst_v_too_many(v, &topology, spec->topology_keys.n, TOPOLOGY_MAX);
        return;
    }
    for (uint32_t i = 0; i < spec->topology_keys.n; i++)
        required_name(v, &MST_AT(&MST_AT_I(&topology, i), "key"), MST_NAME_LABEL_KEY,
                      mst_v_sym(v, spec->topology_keys.v[i]));
}

static struct mst_str claim_json(struct mst_validator *v, const struct mst_group_claim *claim)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "name");
    mst_jw_str(&w, claim->name.p ? claim->name : MST_STR(""));
    if (claim->resource_claim_name.p) {
        mst_jw_key(&w, "resourceClaimName");
        mst_jw_str(&w, claim->resource_claim_name);
    }
    if (claim->resource_claim_template_name.p) {
        mst_jw_key(&w, "resourceClaimTemplateName");
        mst_jw_str(&w, claim->resource_claim_template_name);
    }
    mst_jw_object_end(&w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static void validate_claim(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_group_claim *claim)
{
    bool name = claim->resource_claim_name.p, template = claim->resource_claim_template_name.p;
    if (!name && !template)
        mst_v_invalid_str(v, path, MST_STR(""),
                          "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    if (name && template)
        mst_v_invalid_str(
            v, path, MST_STR("{resourceClaimName, resourceClaimTemplateName}"),
            "must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`");
    required_name(v, &MST_AT(path, "name"), MST_NAME_LABEL, claim->name);
    if (name)
        mst_v_name(v, &MST_AT(path, "resourceClaimName"), MST_NAME_SUBDOMAIN, MST_LENGTH_IN_BYTES,
                   claim->resource_claim_name);
    if (template)
        mst_v_name(v, &MST_AT(path, "resourceClaimTemplateName"), MST_NAME_SUBDOMAIN,
                   MST_LENGTH_IN_BYTES, claim->resource_claim_template_name);
}

static void validate_claims(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_group_spec *spec)
{
    uint32_t n = spec->claims.n;
    if (n > CLAIMS_MAX) {
        mst_v_too_many(v, path, n, CLAIMS_MAX);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= mst_str_eq(spec->claims.v[i].name, spec->claims.v[k].name);
        if (again)
            mst_v_duplicate(v, &MST_AT_I(path, i), claim_json(v, &spec->claims.v[i]), NULL);
    }
    for (uint32_t i = 0; i < n; i++)
        validate_claim(v, &MST_AT_I(path, i), &spec->claims.v[i]);
}

static void validate_disruption(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_group_spec *spec, bool template)
{
    switch (spec->disruption) {
    case MST_DISRUPT_NIL:
        if (!template)
            mst_v_required(v, path, NULL);
        break;
    case MST_DISRUPT_EMPTY:
        mst_v_invalid_str(v, path, MST_STR(""), "must specify one of: `single`, `all`");
        break;
    case MST_DISRUPT_BOTH:
        mst_v_invalid_str(v, path, MST_STR("{single, all}"),
                          "must specify exactly one of: `single`, `all`");
        break;
    case MST_DISRUPT_SINGLE:
    case MST_DISRUPT_ALL: break;
    }
}

static void validate_policy_name(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_group_spec *spec)
{
    if (spec->preemption_policy == MST_SYM_NONE)
        return;
    struct mst_str text = mst_v_sym(v, spec->preemption_policy);
    if (!v->api->preemption_policy)
        mst_v_forbidden(v, path, NULL);
    else if (!mst_str_is(text, "PreemptLowerPriority") && !mst_str_is(text, "Never"))
        mst_v_unsupported(v, path, text, "\"Never\", \"PreemptLowerPriority\"");
}

void mst_validate_group_spec(struct mst_validator *v, const struct mst_path *path,
                             const struct mst_group_spec *spec, bool composite, bool template)
{
    if (template)
        required_name(v, &MST_AT(path, "name"), MST_NAME_LABEL, spec->template_name);
    else
        validate_links(v, path, spec, composite);
    validate_policy(v, &MST_AT(path, "schedulingPolicy"), spec, composite);
    validate_constraints(v, &MST_AT(path, "schedulingConstraints"), spec, composite);
    if (!composite)
        validate_claims(v, &MST_AT(path, "resourceClaims"), spec);
    validate_disruption(v, &MST_AT(path, "disruptionMode"), spec, template);
    if (spec->priority_class_name.n > 0)
        mst_v_name(v, &MST_AT(path, "priorityClassName"), MST_NAME_SUBDOMAIN, MST_LENGTH_IN_BYTES,
                   spec->priority_class_name);
    if (spec->priority.set && spec->priority.value > PRIORITY_MAX)
        mst_v_invalid_int(v, &MST_AT(path, "priority"), spec->priority.value,
                          "must be less than or equal to 1000000000");
    validate_policy_name(v, &MST_AT(path, "preemptionPolicy"), spec);
}

void mst_validate_group(struct mst_validator *v, const struct mst_pod_group *group)
{
    const struct mst_path spec = MST_AT(NULL, "spec");
    mst_validate_meta(v, &group->meta, MST_NAME_SUBDOMAIN, true);
    if (!group->composite && group->spec.parent.p && !group->spec.workload_ref_set)
        mst_v_required(v, &MST_AT(&spec, "workloadRef"),
                       "must be set when parentCompositePodGroupName is set");
    mst_validate_group_spec(v, &spec, &group->spec, group->composite, false);
}
