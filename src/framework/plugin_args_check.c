/*
 * plugin_args_check.c - args of plugins whose values nobody here needs yet, and the choice of the
 * checker by the plugin's name.
 *
 * Owns:       nothing.
 * Invariants: every plugin that has arguments upstream is in the table.
 * Source:     spec/plugins.md 6.4.
 */
#include "framework/config_internal.h"
#include "framework/plugin_args.h"

#define SECOND ((int64_t)1000000000)

typedef void args_checker(const struct mst_args_reader *r, const struct mst_value *args);

static struct mst_reading reading_of(const struct mst_args_reader *r)
{
    return (struct mst_reading){ .arena = r->arena, .diags = r->diags };
}

static void check_fit(const struct mst_args_reader *r, const struct mst_value *args)
{
    struct mst_fit_args out;
    mst_args_fit(r, args, &out);
}

static void check_balanced(const struct mst_args_reader *r, const struct mst_value *args)
{
    struct mst_balanced_args out;
    mst_args_balanced(r, args, &out);
}

static void check_node_affinity(const struct mst_args_reader *r, const struct mst_value *args)
{
    struct mst_node_affinity_args out;
    mst_args_node_affinity(r, args, &out);
}

static void check_preemption(const struct mst_args_reader *r, const struct mst_value *args)
{
    struct mst_preemption_args out;
    mst_args_preemption(r, args, &out);
}

static void check_pod_affinity(const struct mst_args_reader *r, const struct mst_value *args)
{
    static const char *const fields[] = { "apiVersion", "kind", "hardPodAffinityWeight",
                                          "ignorePreferredTermsOfExistingPods" };
    const struct mst_reading rd = reading_of(r);
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        return;
    int64_t weight = 1;
    bool ignore;
    (void)mst_cfg_bool(&rd, args, r->path, fields[3], &ignore);
    if (mst_cfg_int(&rd, args, r->path, fields[2], 32, &weight) && (weight < 0 || weight > 100))
        mst_cfg_invalid_int(&rd, args, mst_at_key(&rd, r->path, fields[2]), weight,
                            "not in valid range [0, 100]");
}

/* ---- PodTopologySpreadArgs ---- */

struct constraint {
    struct mst_str key, action;
};

static void check_action(const struct mst_reading *rd, const struct mst_value *at,
                         struct mst_str path, struct mst_str action)
{
    if (action.n == 0)
        mst_cfg_required(rd, at, path, "can not be empty");
    else if (!mst_str_is(action, "DoNotSchedule") && !mst_str_is(action, "ScheduleAnyway"))
        mst_cfg_error(rd, at,
                      "%.*s: Unsupported value: %.*s: supported values: \"DoNotSchedule\", "
                      "\"ScheduleAnyway\"",
                      MST_ARG(path), MST_ARG(mst_cfg_quote(rd, action)));
}

static void check_constraint(const struct mst_args_reader *r, const struct mst_value *v,
                             struct mst_str path, struct constraint *out)
{
    static const char *const fields[] = { "maxSkew",          "topologyKey",   "whenUnsatisfiable",
                                          "labelSelector",    "minDomains",    "nodeAffinityPolicy",
                                          "nodeTaintsPolicy", "matchLabelKeys" };
    const struct mst_reading rd = reading_of(r);
    *out = (struct constraint){ MST_STR(""), MST_STR("") };
    if (!mst_cfg_object(&rd, v, path, fields, MST_COUNT(fields)))
        return;
    int64_t skew = 0, domains;
    struct mst_str policy;
    (void)mst_cfg_int(&rd, v, path, "maxSkew", 32, &skew);
    (void)mst_cfg_int(&rd, v, path, "minDomains", 32, &domains);
    (void)mst_cfg_str(&rd, v, path, "topologyKey", &out->key);
    (void)mst_cfg_str(&rd, v, path, "whenUnsatisfiable", &out->action);
    (void)mst_cfg_str(&rd, v, path, "nodeAffinityPolicy", &policy);
    (void)mst_cfg_str(&rd, v, path, "nodeTaintsPolicy", &policy);
    (void)mst_cfg_list(&rd, v, path, "matchLabelKeys");
    if (skew <= 0)
        mst_cfg_invalid_int(&rd, v, mst_at_key(&rd, path, "maxSkew"), skew,
                            "not in valid range (0, inf)");
    if (out->key.n == 0)
        mst_cfg_required(&rd, v, mst_at_key(&rd, path, "topologyKey"), "can not be empty");
    else
        mst_cfg_label_key(&rd, v, mst_at_key(&rd, path, "topologyKey"), out->key);
    check_action(&rd, v, mst_at_key(&rd, path, "whenUnsatisfiable"), out->action);
    const struct mst_value *selector = mst_value_get(v, "labelSelector");
    if (selector && selector->type != MST_NULL)
        mst_cfg_error(&rd, selector,
                      "%.*s: Forbidden: constraint must not define a selector, as they deduced for "
                      "each pod",
                      MST_ARG(mst_at_key(&rd, path, "labelSelector")));
}

static void check_constraints(const struct mst_args_reader *r, const struct mst_value *list,
                              struct mst_str path)
{
    const struct mst_reading rd = reading_of(r);
    struct constraint *seen = MST_NEW_N(r->arena, struct constraint, list->n);
    uint32_t n = 0;
    MST_EACH_ELEMENT (v, list) {
        const struct mst_str at = mst_at_index(&rd, path, n);
        check_constraint(r, v, at, &seen[n]);
        for (uint32_t i = 0; i < n; i++) {
            if (!mst_str_eq(seen[i].key, seen[n].key) ||
                !mst_str_eq(seen[i].action, seen[n].action))
                continue;
            mst_cfg_error(&rd, v, "%.*s: Duplicate value: \"{%.*s, %.*s}\"", MST_ARG(at),
                          MST_ARG(seen[n].key), MST_ARG(seen[n].action));
            break;
        }
        n++;
    }
}

static void check_spread(const struct mst_args_reader *r, const struct mst_value *args)
{
    static const char *const fields[] = { "apiVersion", "kind", "defaultConstraints",
                                          "defaultingType" };
    const struct mst_reading rd = reading_of(r);
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        return;
    const struct mst_value *list = mst_cfg_list(&rd, args, r->path, "defaultConstraints");
    struct mst_str type = MST_STR("System");
    (void)mst_cfg_str(&rd, args, r->path, "defaultingType", &type);
    if (type.n == 0)
        type = MST_STR("System");
    const struct mst_str at = mst_at_key(&rd, r->path, "defaultingType");
    if (!mst_str_is(type, "System") && !mst_str_is(type, "List"))
        mst_cfg_error(&rd, args,
                      "%.*s: Unsupported value: %.*s: supported values: \"System\", \"List\"",
                      MST_ARG(at), MST_ARG(mst_cfg_quote(&rd, type)));
    else if (mst_str_is(type, "System") && list && list->n)
        mst_cfg_invalid(&rd, args, at, mst_cfg_quote(&rd, type),
                        "when .defaultConstraints are not empty");
    if (list)
        check_constraints(r, list, mst_at_key(&rd, r->path, "defaultConstraints"));
}

/* ---- VolumeBindingArgs, DynamicResourcesArgs ---- */

/* The shape's points; none where the default stands. */
static mst_shape volume_shape(const struct mst_args_reader *r, const struct mst_value *args)
{
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *shape = mst_value_get(args, "shape");
    if (!shape || shape->type == MST_NULL)
        return (mst_shape){ 0 };
    const mst_shape points = mst_args_shape(r, args, r->path);
    const struct mst_str at = mst_at_key(&rd, r->path, "shape");
    if (!r->gates->on[MST_GATE_StorageCapacityScoring]) {
        MST_AUTO(mst_buf) text = { 0 };
        struct mst_json_writer writer = { .out = &text };
        mst_jw_value(&writer, shape);
        mst_cfg_invalid(&rd, shape, at, mst_buf_span(&text),
                        "unexpected field `shape`, remove it or turn on the feature gate "
                        "StorageCapacityScoring");
    } else if (points.n) { /* an empty list means the default shape */
        mst_args_shape_check(r, shape, &points, at);
    }
    return points;
}

void mst_args_volume_binding(const struct mst_args_reader *r, const struct mst_value *args,
                             struct mst_volume_binding_args *out)
{
    static const char *const fields[] = { "apiVersion", "kind", "bindTimeoutSeconds", "shape" };
    static const struct mst_shape_point emptier_is_better[] = { { 0, 10 }, { 100, 0 } };
    const struct mst_reading rd = reading_of(r);
    *out = (struct mst_volume_binding_args){ .bind_timeout_s = 600 };
    if (args && mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields))) {
        if (mst_cfg_int(&rd, args, r->path, "bindTimeoutSeconds", 64, &out->bind_timeout_s) &&
            out->bind_timeout_s < 0)
            mst_cfg_invalid_int(&rd, args, mst_at_key(&rd, r->path, "bindTimeoutSeconds"),
                                out->bind_timeout_s,
                                "invalid BindTimeoutSeconds, should not be a negative value");
        out->shape = volume_shape(r, args);
    }
    if (!out->shape.n && r->gates->on[MST_GATE_StorageCapacityScoring]) {
        out->shape.n = MST_COUNT(emptier_is_better);
        out->shape.v = MST_NEW_N(r->arena, struct mst_shape_point, out->shape.n);
        memcpy(out->shape.v, emptier_is_better, sizeof(emptier_is_better));
    }
}

static void check_volume_binding(const struct mst_args_reader *r, const struct mst_value *args)
{
    struct mst_volume_binding_args ignored;
    mst_args_volume_binding(r, args, &ignored);
}

/* The gates of both timeouts are on by default and not among those that can be set here. */
static void check_dynamic_resources(const struct mst_args_reader *r, const struct mst_value *args)
{
    static const char *const fields[] = { "apiVersion", "kind", "filterTimeout", "bindingTimeout" };
    const struct mst_reading rd = reading_of(r);
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        return;
    int64_t ns;
    if (mst_cfg_duration(&rd, args, r->path, "filterTimeout", &ns) && ns < 0)
        mst_cfg_invalid(&rd, args, mst_at_key(&rd, r->path, "filterTimeout"),
                        mst_cfg_duration_text(&rd, ns), "must be zero or positive");
    if (mst_cfg_duration(&rd, args, r->path, "bindingTimeout", &ns) && ns < SECOND)
        mst_cfg_invalid(&rd, args, mst_at_key(&rd, r->path, "bindingTimeout"),
                        mst_cfg_duration_text(&rd, ns), "must be at least 1 second");
}

/* ---- by name ---- */

static const struct {
    const char *name;
    args_checker *check;
} checkers[] = {
    { "DefaultPreemption", check_preemption },
    { "DynamicResources", check_dynamic_resources },
    { "InterPodAffinity", check_pod_affinity },
    { "NodeAffinity", check_node_affinity },
    { "NodeResourcesBalancedAllocation", check_balanced },
    { "NodeResourcesFit", check_fit },
    { "PodTopologySpread", check_spread },
    { "VolumeBinding", check_volume_binding },
};

bool mst_args_known(struct mst_str name)
{
    for (size_t i = 0; i < MST_COUNT(checkers); i++)
        if (mst_str_is(name, checkers[i].name))
            return true;
    return false;
}

/* `kind` and `apiVersion` may be left out; if they are there, they must be right. */
static bool right_kind(const struct mst_args_reader *r, struct mst_str name,
                       const struct mst_value *args)
{
    const struct mst_reading rd = reading_of(r);
    const struct mst_str group = MST_STR("kubescheduler.config.k8s.io");
    const struct mst_str want = mst_arena_printf(r->arena, "%.*sArgs", MST_ARG(name));
    struct mst_str kind = want, version = MST_STR("kubescheduler.config.k8s.io/v1");
    (void)mst_cfg_str(&rd, args, r->path, "kind", &kind);
    (void)mst_cfg_str(&rd, args, r->path, "apiVersion", &version);
    const char *slash = memchr(version.p, '/', version.n);
    const struct mst_str got_group = { version.p, slash ? (size_t)(slash - version.p) : 0 };
    if ((kind.n && !mst_str_eq(kind, want)) || (version.n && !mst_str_eq(got_group, group))) {
        mst_cfg_error(&rd, args, "args for plugin %.*s were not of type %.*s.%.*s, got %.*s%s%.*s",
                      MST_ARG(name), MST_ARG(want), MST_ARG(group), MST_ARG(kind),
                      got_group.n ? "." : "", MST_ARG(got_group));
        return false;
    }
    if (version.n && !mst_str_is(version, "kubescheduler.config.k8s.io/v1")) {
        mst_cfg_error(&rd, args, "no kind \"%.*s\" is registered for version \"%.*s\"",
                      MST_ARG(want), MST_ARG(version));
        return false;
    }
    return true;
}

void mst_args_check(const struct mst_args_reader *r, struct mst_str name,
                    const struct mst_value *args)
{
    for (size_t i = 0; i < MST_COUNT(checkers); i++)
        if (mst_str_is(name, checkers[i].name) &&
            (!args || args->type != MST_OBJECT || right_kind(r, name, args)))
            checkers[i].check(r, args);
}
