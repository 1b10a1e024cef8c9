/*
 * validate_selectors.c - selectors, affinity, spreading, tolerations.
 *
 * Source: spec/api.md 12.1, 16; kubernetes v1.37 pkg/apis/core/validation/validation.go,
 * apimachinery
 *         pkg/apis/meta/v1/validation.
 */
#include "api/validate_internal.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void validate_key(struct mst_validator *v, const struct mst_path *path, mst_sym key)
{
    mst_v_name(v, path, MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, mst_v_sym(v, key));
}

static void validate_values(struct mst_validator *v, const struct mst_path *path,
                            const mst_sym_list *values)
{
    for (uint32_t i = 0; i < values->n; i++)
        mst_v_name(v, &MST_AT_I(path, i), MST_NAME_LABEL_VALUE, MST_LENGTH_IN_BYTES,
                   mst_v_sym(v, values->v[i]));
}

/* How many values an operator takes. `numbers`: Gt and Lt are operators here. */
static void validate_operator(struct mst_validator *v, const struct mst_path *path,
                              const struct mst_requirement *r, bool numbers)
{
    const struct mst_path values = MST_AT(path, "values");
    switch (r->op) {
    case MST_OP_IN:
    case MST_OP_NOT_IN:
        if (r->values.n == 0)
            mst_v_required(v, &values, "must be specified when `operator` is 'In' or 'NotIn'");
        return;
    case MST_OP_EXISTS:
    case MST_OP_DOES_NOT_EXIST:
        if (r->values.n > 0)
            mst_v_forbidden(v, &values,
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        return;
    case MST_OP_GT:
    case MST_OP_LT:
        if (!numbers)
            break;
        if (r->values.n != 1)
            mst_v_required(v, &values,
                           "must be specified single value when `operator` is 'Lt' or 'Gt'");
        return;
    case MST_OP_INVALID: break;
    }
    mst_v_invalid_str(v, &MST_AT(path, "operator"), r->op_text, "not a valid selector operator");
}

void mst_validate_label_selector(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_label_selector *selector)
{
    const struct mst_path list = MST_AT(path, "matchExpressions");
    mst_validate_labels(v, &MST_AT(path, "matchLabels"), selector->match_labels);
    for (uint32_t i = 0; i < selector->match_expressions.n; i++) {
        const struct mst_requirement *r = &selector->match_expressions.v[i];
        const struct mst_path at = MST_AT_I(&list, i);
        validate_operator(v, &at, r, false);
        validate_key(v, &MST_AT(&at, "key"), r->key);
        validate_values(v, &MST_AT(&at, "values"), &r->values);
    }
}

/* ---- node affinity ---- */

static void validate_field_requirement(struct mst_validator *v, const struct mst_path *path,
                                       const struct mst_requirement *r)
{
    const struct mst_path values = MST_AT(path, "values");
    if (r->op != MST_OP_IN && r->op != MST_OP_NOT_IN)
        mst_v_invalid_str(v, &MST_AT(path, "operator"), r->op_text,
                          "not a valid selector operator");
    else if (r->values.n != 1)
        mst_v_required(v, &values,
                       "must be only one value when `operator` is 'In' or 'NotIn' for "
                       "node field selector");
    struct mst_str key = mst_v_sym(v, r->key);
    if (!mst_str_is(key, "metadata.name")) {
        mst_v_invalid_str(v, &MST_AT(path, "key"), key, "not a valid field selector key");
        return;
    }
    for (uint32_t i = 0; i < r->values.n; i++)
        mst_v_name(v, &MST_AT_I(&values, i), MST_NAME_SUBDOMAIN, MST_LENGTH_IN_CHARACTERS,
                   mst_v_sym(v, r->values.v[i]));
}

static void validate_node_term(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_node_selector_term *term, bool any_value)
{
    const struct mst_path expressions = MST_AT(path, "matchExpressions");
    const struct mst_path fields = MST_AT(path, "matchFields");
    for (uint32_t i = 0; i < term->match_expressions.n; i++) {
        const struct mst_requirement *r = &term->match_expressions.v[i];
        const struct mst_path at = MST_AT_I(&expressions, i);
        validate_operator(v, &at, r, true);
        validate_key(v, &MST_AT(&at, "key"), r->key);
        if (!any_value)
            validate_values(v, &MST_AT(&at, "values"), &r->values);
    }
    for (uint32_t i = 0; i < term->match_fields.n; i++)
        validate_field_requirement(v, &MST_AT_I(&fields, i), &term->match_fields.v[i]);
}

static void validate_weight(struct mst_validator *v, const struct mst_path *path, int64_t weight)
{
    if (weight <= 0 || weight > 100)
        mst_v_invalid_int(v, &MST_AT(path, "weight"), weight, "must be in the range 1-100");
}

static void validate_node_affinity(struct mst_validator *v, const struct mst_path *path,
                                   const struct mst_node_affinity *affinity)
{
    const struct mst_path required = MST_AT(path, REQUIRED), preferred = MST_AT(path, PREFERRED);
    const struct mst_path terms = MST_AT(&required, "nodeSelectorTerms");
    if (affinity->required.set && affinity->required.terms.n == 0)
        mst_v_required(v, &terms, "must have at least one node selector term");
    for (uint32_t i = 0; i < affinity->required.terms.n; i++)
        validate_node_term(v, &MST_AT_I(&terms, i), &affinity->required.terms.v[i], false);
    for (uint32_t i = 0; i < affinity->preferred.n; i++) {
        const struct mst_path at = MST_AT_I(&preferred, i);
        validate_weight(v, &at, affinity->preferred.v[i].weight);
        validate_node_term(v, &MST_AT(&at, "preference"), &affinity->preferred.v[i].preference,
                           true);
    }
}

/* ---- pod affinity and spreading ---- */

static bool lists(const mst_sym_list *list, mst_sym key)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == key)
            return true;
    return false;
}

static void validate_keys(struct mst_validator *v, const struct mst_path *path,
                          const mst_sym_list *keys, const struct mst_label_selector *selector)
{
    if (keys->n > 0 && !selector->set)
        mst_v_forbidden(v, path, "must not be specified when labelSelector is not set");
    for (uint32_t i = 0; i < keys->n && selector->set; i++)
        validate_key(v, &MST_AT_I(path, i), keys->v[i]);
}

/* matchLabelKeys were merged into the selector on creation; what was there before must differ. */
static void validate_match_keys(struct mst_validator *v, const struct mst_path *path,
                                const mst_sym_list *match, const mst_sym_list *mismatch,
                                const struct mst_label_selector *selector)
{
    const struct mst_path match_path = MST_AT(path, "matchLabelKeys");
    validate_keys(v, &match_path, match, selector);
    validate_keys(v, &MST_AT(path, "mismatchLabelKeys"), mismatch, selector);
    for (uint32_t i = 0; i < selector->match_expressions.n; i++) {
        mst_sym key = selector->match_expressions.v[i].key;
        bool before = mst_labels_get(selector->match_labels, key) != MST_SYM_NONE;
        for (uint32_t k = 0; k < i; k++)
            before |= selector->match_expressions.v[k].key == key;
        for (uint32_t k = match->n; k > 0 && before; k--) {
            if (match->v[k - 1] != key)
                continue;
            mst_v_invalid_str(v, &MST_AT_I(path, k - 1), mst_v_sym(v, key),
                              "exists in both matchLabelKeys and labelSelector");
            break;
        }
    }
    for (uint32_t i = 0; i < match->n; i++)
        if (lists(mismatch, match->v[i]))
            mst_v_invalid_str(v, &MST_AT_I(&match_path, i), mst_v_sym(v, match->v[i]),
                              "exists in both matchLabelKeys and mismatchLabelKeys");
}

static void validate_affinity_term(struct mst_validator *v, const struct mst_path *path,
                                   const struct mst_pod_affinity_term *term)
{
    mst_validate_label_selector(v, &MST_AT(path, "labelSelector"), &term->label_selector);
    mst_validate_label_selector(v, &MST_AT(path, "namespaceSelector"), &term->namespace_selector);
    for (uint32_t i = 0; i < term->namespaces.n; i++)
        mst_v_name(v, &MST_AT(path, "namespace"), MST_NAME_LABEL, MST_LENGTH_IN_CHARACTERS,
                   mst_v_sym(v, term->namespaces.v[i]));
    validate_match_keys(v, path, &term->match_label_keys, &term->mismatch_label_keys,
                        &term->label_selector);
    if (mst_v_sym(v, term->topology_key).n == 0)
        mst_v_required(v, &MST_AT(path, "topologyKey"), "can not be empty");
    validate_key(v, &MST_AT(path, "topologyKey"), term->topology_key);
}

static void validate_pod_affinity(struct mst_validator *v, const struct mst_path *path,
                                  const struct mst_pod_affinity *affinity)
{
    const struct mst_path required = MST_AT(path, REQUIRED), preferred = MST_AT(path, PREFERRED);
    for (uint32_t i = 0; i < affinity->required.n; i++)
        validate_affinity_term(v, &MST_AT_I(&required, i), &affinity->required.v[i]);
    for (uint32_t i = 0; i < affinity->preferred.n; i++) {
        const struct mst_path at = MST_AT_I(&preferred, i);
        validate_weight(v, &at, affinity->preferred.v[i].weight);
        validate_affinity_term(v, &MST_AT(&at, "podAffinityTerm"), &affinity->preferred.v[i].term);
    }
}

void mst_validate_affinity(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_pod_spec *spec)
{
    validate_node_affinity(v, &MST_AT(path, "nodeAffinity"), &spec->node_affinity);
    validate_pod_affinity(v, &MST_AT(path, "podAffinity"), &spec->pod_affinity);
    validate_pod_affinity(v, &MST_AT(path, "podAntiAffinity"), &spec->pod_anti_affinity);
}

static void validate_inclusion(struct mst_validator *v, const struct mst_path *path, mst_sym policy)
{
    struct mst_str text = mst_v_sym(v, policy);
    if (policy != MST_SYM_NONE && !mst_str_is(text, "Honor") && !mst_str_is(text, "Ignore"))
        mst_v_unsupported(v, path, text, "\"Honor\", \"Ignore\"");
}

static void validate_min_domains(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_spread_constraint *c)
{
    struct mst_str action = mst_v_sym(v, c->when_unsatisfiable);
    if (!c->min_domains.set)
        return;
    if (c->min_domains.value <= 0)
        mst_v_invalid_int(v, path, c->min_domains.value, "must be greater than zero");
    if (mst_str_is(action, "DoNotSchedule"))
        return;
    struct mst_str detail =
        mst_arena_printf(v->api->arena,
                         "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not %.*s",
                         MST_ARG(action));
    mst_v_invalid_int(v, path, c->min_domains.value, detail.p);
}

/* The same key and action further down the list. */
static void validate_no_repeat(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_pod_spec *spec, uint32_t i)
{
    const struct mst_spread_constraint *c = &spec->spread.v[i];
    for (uint32_t k = i + 1; k < spec->spread.n; k++) {
        const struct mst_spread_constraint *other = &spec->spread.v[k];
        if (c->topology_key != other->topology_key ||
            c->when_unsatisfiable != other->when_unsatisfiable)
            continue;
        mst_v_duplicate_str(v, &MST_AT(path, "{topologyKey, whenUnsatisfiable}"),
                            mst_arena_printf(v->api->arena, "{%.*s, %.*s}",
                                             MST_ARG(mst_v_sym(v, c->topology_key)),
                                             MST_ARG(mst_v_sym(v, c->when_unsatisfiable))));
        return;
    }
}

void mst_validate_spread(struct mst_validator *v, const struct mst_path *path,
                         const struct mst_pod_spec *spec)
{
    static const mst_sym_list none = { NULL, 0 };
    for (uint32_t i = 0; i < spec->spread.n; i++) {
        const struct mst_spread_constraint *c = &spec->spread.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        struct mst_str action = mst_v_sym(v, c->when_unsatisfiable);
        if (c->max_skew <= 0)
            mst_v_invalid_int(v, &MST_AT(&at, "maxSkew"), c->max_skew, "must be greater than zero");
        if (mst_v_sym(v, c->topology_key).n == 0)
            mst_v_required(v, &MST_AT(&at, "topologyKey"), "can not be empty");
        if (!mst_str_is(action, "DoNotSchedule") && !mst_str_is(action, "ScheduleAnyway"))
            mst_v_unsupported(v, &MST_AT(&at, "whenUnsatisfiable"), action,
                              "\"DoNotSchedule\", \"ScheduleAnyway\"");
        validate_no_repeat(v, &at, spec, i);
        validate_min_domains(v, &MST_AT(&at, "minDomains"), c);
        validate_inclusion(v, &MST_AT(&at, "nodeAffinityPolicy"), c->node_affinity_policy);
        validate_inclusion(v, &MST_AT(&at, "nodeTaintsPolicy"), c->node_taints_policy);
        validate_match_keys(v, &at, &c->match_label_keys, &none, &c->label_selector);
        mst_validate_label_selector(v, &MST_AT(&at, "labelSelector"), &c->label_selector);
    }
}

/* ---- tolerations ---- */

void mst_validate_taint_effect(struct mst_validator *v, const struct mst_path *path, mst_sym effect)
{
    struct mst_str text = mst_v_sym(v, effect);
    if (!mst_str_is(text, "NoSchedule") && !mst_str_is(text, "PreferNoSchedule") &&
        !mst_str_is(text, "NoExecute"))
        mst_v_unsupported(v, path, text, "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"");
}

static void validate_toleration_number(struct mst_validator *v, const struct mst_path *path,
                                       struct mst_str value)
{
    int64_t number;
    if (!mst_str_is_decimal(value))
        mst_v_invalid_str(v, path, value,
                          value.n ? "must be a valid decimal integer in canonical form"
                                  : "must be non-empty");
    if (mst_str_int64(value, &number))
        return;
    const char *why = mst_str_is_decimal(value) ? "value out of range" : "invalid syntax";
    struct mst_arena *arena = v->api->arena;
    const struct mst_str text = mst_arena_printf(arena, "strconv.ParseInt: parsing %.*s: %s",
                                                 MST_ARG(mst_go_quote(arena, value)), why);
    mst_v_invalid_str(v, path, value, text.p);
}

static void validate_toleration_operator(struct mst_validator *v, const struct mst_path *parent,
                                         struct mst_str op, struct mst_str value)
{
    const struct mst_path at = MST_AT(parent, "operator"), *path = &at;
    if (op.n == 0 || mst_str_is(op, "Equal")) {
        mst_v_name_joined(v, path, MST_NAME_LABEL_VALUE, value);
    } else if (mst_str_is(op, "Exists")) {
        if (value.n > 0)
            mst_v_invalid_str(v, path, value, "value must be empty when `operator` is 'Exists'");
    } else if (mst_str_is(op, "Lt") || mst_str_is(op, "Gt")) {
        if (v->api->comparison)
            validate_toleration_number(v, &MST_AT(parent, "value"), value);
        else
            mst_v_unsupported(v, path, op, "\"Equal\", \"Exists\", \"Lt\", \"Gt\"");
    } else {
        mst_v_unsupported(v, path, op, "\"Equal\", \"Exists\"");
    }
}

void mst_validate_tolerations(struct mst_validator *v, const struct mst_path *path,
                              const struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < spec->tolerations.n; i++) {
        const struct mst_toleration *t = &spec->tolerations.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        struct mst_str key = mst_v_sym(v, t->key), op = mst_v_sym(v, t->op);
        struct mst_str effect = mst_v_sym(v, t->effect);
        if (key.n > 0)
            mst_v_name(v, &MST_AT(&at, "key"), MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, key);
        if (key.n == 0 && !mst_str_is(op, "Exists"))
            mst_v_invalid_str(
                v, &MST_AT(&at, "operator"), op,
                "operator must be Exists when `key` is empty, which means \"match all "
                "values and all keys\"");
        if (t->seconds.set && !mst_str_is(effect, "NoExecute"))
            mst_v_invalid_str(v, &MST_AT(&at, "effect"), effect,
                              "effect must be 'NoExecute' when `tolerationSeconds` is set");
        validate_toleration_operator(v, &at, op, mst_v_sym(v, t->value));
        if (effect.n > 0)
            mst_validate_taint_effect(v, &MST_AT(&at, "effect"), t->effect);
    }
}
