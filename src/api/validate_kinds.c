/*
 * validate_kinds.c - the small ones: Node, PriorityClass, PodDisruptionBudget.
 *
 * Source: spec/api.md 10.1, 10.2, 13; kubernetes v1.37
 * pkg/apis/{core,scheduling,policy}/validation.
 */
#include "api/validate_internal.h"

/* ---- Node ---- */

/* The taint as upstream's internal type prints, for the one error that shows it. */
static struct mst_str taint_json(struct mst_validator *v, const struct mst_taint *taint, uint32_t i)
{
    const struct mst_value *list =
        mst_value_get(mst_value_get(v->object->source, "spec"), "taints");
    const struct mst_value *at =
        list && list->type == MST_ARRAY && i < list->n ? mst_value_first(list) : NULL;
    for (uint32_t k = 0; at && k < i; k++)
        at = mst_value_next(at);
    const struct mst_value *added = at ? mst_value_get(at, "timeAdded") : NULL;
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "Key");
    mst_jw_str(&w, mst_v_sym(v, taint->key));
    mst_jw_key(&w, "Value");
    mst_jw_str(&w, mst_v_sym(v, taint->value));
    mst_jw_key(&w, "Effect");
    mst_jw_str(&w, mst_v_sym(v, taint->effect));
    mst_jw_key(&w, "TimeAdded");
    if (added)
        mst_jw_value(&w, added);
    else
        mst_jw_null(&w);
    mst_jw_object_end(&w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static void validate_taints(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_node *node)
{
    for (uint32_t i = 0; i < node->taints.n; i++) {
        const struct mst_taint *taint = &node->taints.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        mst_v_name(v, &MST_AT(&at, "key"), MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES,
                   mst_v_sym(v, taint->key));
        mst_v_name_joined(v, &MST_AT(&at, "value"), MST_NAME_LABEL_VALUE,
                          mst_v_sym(v, taint->value));
        if (taint->effect == MST_SYM_EMPTY)
            mst_v_required(v, &MST_AT(&at, "effect"), NULL);
        else
            mst_validate_taint_effect(v, &MST_AT(&at, "effect"), taint->effect);
        bool again = false;
        for (uint32_t k = 0; k < i && !again; k++)
            again =
                node->taints.v[k].key == taint->key && node->taints.v[k].effect == taint->effect;
        if (again)
            mst_v_duplicate(v, &at, taint_json(v, taint, i),
                            "taints must be unique by key and effect pair");
    }
}

static void validate_amounts(struct mst_validator *v, const struct mst_path *path,
                             const mst_resources *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        struct mst_str name = mst_v_sym(v, list->v[i].name);
        /* Upstream's path has the name as a field, not as a key. */
        const struct mst_path at = { .up = path, .name = mst_arena_str(v->api->arena, name).p };
        mst_validate_quantity(v, &at, &list->v[i]);
    }
}

void mst_validate_node(struct mst_validator *v, const struct mst_node *node)
{
    const struct mst_path meta = MST_AT(NULL, "metadata"), status = MST_AT(NULL, "status");
    mst_validate_meta(v, &node->meta, MST_NAME_SUBDOMAIN, false);
    /* Sic: upstream reports taints under "metadata". */
    validate_taints(v, &MST_AT(&meta, "taints"), node);
    validate_amounts(v, &MST_AT(&status, "capacity"), &node->capacity);
    validate_amounts(v, &MST_AT(&status, "allocatable"), &node->allocatable);
}

/* ---- PriorityClass ---- */

static void validate_system_class(struct mst_validator *v, const struct mst_priority_class *class)
{
    static const struct {
        const char *name;
        int64_t value;
    } known[] = {
        { "system-node-critical", 2000001000 },
        { "system-cluster-critical", 2000000000 },
    };
    struct mst_arena *arena = v->api->arena;
    struct mst_str why = mst_arena_printf(arena, "%.*s is not a known system priority class",
                                          MST_ARG(class->meta.name));
    for (size_t i = 0; i < MST_COUNT(known); i++) {
        if (!mst_str_is(class->meta.name, known[i].name))
            continue;
        if (class->value == known[i].value && !class->global_default)
            return;
        why = class->value != known[i].value
                  ? mst_arena_printf(arena, "value of %s PriorityClass must be %lld", known[i].name,
                                     (long long)known[i].value)
                  : mst_arena_printf(arena, "globalDefault of %s PriorityClass must be false",
                                     known[i].name);
    }
    const struct mst_path meta = MST_AT(NULL, "metadata");
    struct mst_str text = mst_arena_printf(arena,
                                           "priority class names with 'system-' prefix are "
                                           "reserved for system use only. error: %.*s",
                                           MST_ARG(why));
    mst_v_forbidden(v, &MST_AT(&meta, "name"), text.p);
}

void mst_validate_priority_class(struct mst_validator *v, const struct mst_priority_class *class)
{
    enum { USER_MAX = 1000000000 };
    mst_validate_meta(v, &class->meta, MST_NAME_SUBDOMAIN, false);
    if (mst_str_has_prefix(class->meta.name, "system-"))
        validate_system_class(v, class);
    else if (class->value > USER_MAX)
        mst_v_forbidden(v, &MST_AT(NULL, "value"),
                        "maximum allowed value of a user defined priority is 1000000000");
    mst_validate_preemption_policy(v, &MST_AT(NULL, "preemptionPolicy"), class->preemption_policy);
}

/* ---- PodDisruptionBudget ---- */

static void put_int_or_str(struct mst_json_writer *w, const struct mst_int_or_str *value)
{
    if (!value->set)
        mst_jw_null(w);
    else if (value->is_str)
        mst_jw_str(w, value->text);
    else
        mst_jw_int(w, value->num);
}

/* "5" or "\"50%\"" */
static struct mst_str shown(struct mst_validator *v, const struct mst_int_or_str *value)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    put_int_or_str(&w, value);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

/* The spec as upstream's internal type prints. */
static struct mst_str spec_json(struct mst_validator *v, const struct mst_pdb *pdb)
{
    const struct mst_value *spec = mst_value_get(v->object->source, "spec");
    const struct mst_value *selector = mst_value_get(spec, "selector");
    const struct mst_value *policy = mst_value_get(spec, "unhealthyPodEvictionPolicy");
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "MinAvailable");
    put_int_or_str(&w, &pdb->min_available);
    mst_jw_key(&w, "Selector");
    if (selector)
        mst_jw_value(&w, selector);
    else
        mst_jw_null(&w);
    mst_jw_key(&w, "MaxUnavailable");
    put_int_or_str(&w, &pdb->max_unavailable);
    mst_jw_key(&w, "UnhealthyPodEvictionPolicy");
    if (policy)
        mst_jw_value(&w, policy);
    else
        mst_jw_null(&w);
    mst_jw_object_end(&w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

/* The number before a "%", -1 when the text is no percentage; beyond four digits it stays large. */
static int64_t percent_of(struct mst_str text)
{
    int64_t value = 0;
    if (text.n < 2 || text.p[text.n - 1] != '%')
        return -1;
    for (size_t i = 0; i + 1 < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return -1;
        value = MST_MIN(value * 10 + (text.p[i] - '0'), 10000);
    }
    return value;
}

static void validate_amount(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_int_or_str *value)
{
    if (!value->set)
        return;
    if (!value->is_str) {
        if (value->num < 0)
            mst_v_invalid_int(v, path, value->num, "must be greater than or equal to 0");
        return;
    }
    int64_t percent = percent_of(value->text);
    if (percent < 0)
        mst_v_invalid(v, path, shown(v, value),
                      "a valid percent string must be a numeric string followed by an ending '%' "
                      "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
    if (percent > 100)
        mst_v_invalid(v, path, shown(v, value), "must not be greater than 100%");
}

void mst_validate_pdb(struct mst_validator *v, const struct mst_pdb *pdb)
{
    const struct mst_path spec = MST_AT(NULL, "spec");
    if (pdb->min_available.set && pdb->max_unavailable.set)
        mst_v_invalid(v, &spec, spec_json(v, pdb),
                      "minAvailable and maxUnavailable cannot be both set");
    validate_amount(v, &MST_AT(&spec, "minAvailable"), &pdb->min_available);
    validate_amount(v, &MST_AT(&spec, "maxUnavailable"), &pdb->max_unavailable);
    mst_validate_label_selector(v, &MST_AT(&spec, "selector"), &pdb->selector);
    /* Budgets have no rules of their own for metadata; the generic ones come last. */
    if (v->error_count == 0)
        mst_validate_meta(v, &pdb->meta, MST_NAME_PATH_SEGMENT, true);
}
