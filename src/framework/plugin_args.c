/*
 * plugin_args.c - pluginConfig's `args`: decoded strictly, completed with the defaults, checked.
 *
 * Owns:       nothing: values live in the reader's arena.
 * Invariants: args of plugins that are not linked in are checked as strictly as the others.
 * Source:     spec/plugins.md 6.4; kubernetes v1.37 pkg/scheduler/apis/config/validation
 *             (validation_pluginargs.go), v1/defaults.go.
 */
#include "framework/plugin_args.h"

#include "api/api.h"
#include "framework/config_internal.h"

static struct mst_reading reading_of(const struct mst_args_reader *r)
{
    return (struct mst_reading){ .arena = r->arena, .diags = r->diags };
}

/* ---- parts that several args share ---- */

static mst_sym_list read_syms(const struct mst_args_reader *r, const struct mst_value *object,
                              struct mst_str path, const char *key)
{
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *list = mst_cfg_list(&rd, object, path, key);
    mst_sym_list out = { 0 };
    if (!list)
        return out;
    out.v = MST_NEW_N(r->arena, mst_sym, list->n);
    MST_EACH_ELEMENT (v, list) {
        if (v->type == MST_STRING)
            out.v[out.n++] = mst_sym_of(r->syms, mst_value_str(v));
        else
            mst_cfg_error(&rd, v, "%.*s: expected string, got %s",
                          MST_ARG(mst_at_key(&rd, path, key)), mst_value_type_name(v));
    }
    return out;
}

struct resource_list {
    struct mst_resource_weight *v;
    uint32_t n;
};

/* Absent or empty: cpu and memory, weight 1. A weight of 0 becomes 1. */
static struct resource_list read_resources(const struct mst_args_reader *r,
                                           const struct mst_value *object, struct mst_str path)
{
    static const char *const fields[] = { "name", "weight" };
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *list = object ? mst_cfg_list(&rd, object, path, "resources") : NULL;
    const struct mst_str at = mst_at_key(&rd, path, "resources");
    struct resource_list out = {
        .v = MST_NEW_N(r->arena, struct mst_resource_weight, list && list->n ? list->n : 2),
    };
    if (!list || list->n == 0) {
        out.v[out.n++] = (struct mst_resource_weight){ mst_sym_of_text(r->syms, "cpu"), 1 };
        out.v[out.n++] = (struct mst_resource_weight){ mst_sym_of_text(r->syms, "memory"), 1 };
        return out;
    }
    uint32_t i = 0;
    MST_EACH_ELEMENT (v, list) {
        const struct mst_str element = mst_at_index(&rd, at, i++);
        struct mst_str name = MST_STR("");
        int64_t weight = 0;
        if (!mst_cfg_object(&rd, v, element, fields, MST_COUNT(fields)))
            continue;
        (void)mst_cfg_str(&rd, v, element, "name", &name);
        (void)mst_cfg_int(&rd, v, element, "weight", 64, &weight);
        out.v[out.n++] =
            (struct mst_resource_weight){ mst_sym_of(r->syms, name), weight ? weight : 1 };
    }
    return out;
}

void mst_args_shape_check(const struct mst_args_reader *r, const struct mst_value *at,
                          const mst_shape *shape, struct mst_str path)
{
    const struct mst_reading rd = reading_of(r);
    if (shape->n == 0) {
        mst_cfg_required(&rd, at, path, "at least one point must be specified");
        return;
    }
    for (uint32_t i = 1; i < shape->n; i++) {
        if (shape->v[i - 1].utilization < shape->v[i].utilization)
            continue;
        mst_cfg_invalid_int(&rd, at, mst_at_key(&rd, mst_at_index(&rd, path, i), "utilization"),
                            shape->v[i].utilization, "values must be sorted in increasing order");
        break;
    }
    for (uint32_t i = 0; i < shape->n; i++) {
        const struct mst_shape_point *p = &shape->v[i];
        const struct mst_str point = mst_at_index(&rd, path, i);
        if (p->utilization < 0 || p->utilization > 100)
            mst_cfg_invalid_int(&rd, at, mst_at_key(&rd, point, "utilization"), p->utilization,
                                "not in valid range [0, 100]");
        if (p->score < 0 || p->score > 10)
            mst_cfg_invalid_int(&rd, at, mst_at_key(&rd, point, "score"), p->score,
                                "not in valid range [0, 10]");
    }
}

mst_shape mst_args_shape(const struct mst_args_reader *r, const struct mst_value *object,
                         struct mst_str path)
{
    static const char *const fields[] = { "utilization", "score" };
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *list = mst_cfg_list(&rd, object, path, "shape");
    const struct mst_str at = mst_at_key(&rd, path, "shape");
    mst_shape out = { 0 };
    if (!list)
        return out;
    out.v = MST_NEW_N(r->arena, struct mst_shape_point, list->n);
    uint32_t i = 0;
    MST_EACH_ELEMENT (v, list) {
        const struct mst_str element = mst_at_index(&rd, at, i++);
        struct mst_shape_point *p = &out.v[out.n++];
        if (!mst_cfg_object(&rd, v, element, fields, MST_COUNT(fields)))
            continue;
        (void)mst_cfg_int(&rd, v, element, "utilization", 32, &p->utilization);
        (void)mst_cfg_int(&rd, v, element, "score", 32, &p->score);
    }
    return out;
}

/* ---- NodeResourcesFitArgs ---- */

static const struct {
    const char *name;
    mst_scoring_strategy strategy;
} strategies[] = {
    { "LeastAllocated", MST_LEAST_ALLOCATED },
    { "MostAllocated", MST_MOST_ALLOCATED },
    { "RequestedToCapacityRatio", MST_REQUESTED_TO_CAPACITY_RATIO },
};

static bool read_strategy_type(const struct mst_reading *rd, const struct mst_value *v,
                               struct mst_str path, struct mst_fit_args *out)
{
    struct mst_str type = MST_STR("");
    (void)mst_cfg_str(rd, v, path, "type", &type);
    for (size_t i = 0; i < MST_COUNT(strategies); i++) {
        if (mst_str_is(type, strategies[i].name)) {
            out->strategy = strategies[i].strategy;
            return true;
        }
    }
    mst_cfg_error(rd, v,
                  "%.*s: Unsupported value: %.*s: supported values: \"LeastAllocated\", "
                  "\"MostAllocated\", \"RequestedToCapacityRatio\"",
                  MST_ARG(mst_at_key(rd, path, "type")), MST_ARG(mst_cfg_quote(rd, type)));
    return false;
}

static void read_ratio(const struct mst_args_reader *r, const struct mst_value *v,
                       struct mst_str path, bool is_ratio, struct mst_fit_args *out)
{
    static const char *const fields[] = { "shape" };
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *ratio = mst_value_get(v, "requestedToCapacityRatio");
    const struct mst_str at = mst_at_key(&rd, path, "requestedToCapacityRatio");
    if (!ratio || ratio->type == MST_NULL) {
        if (is_ratio)
            mst_cfg_required(&rd, v, at, "must be specified when type is RequestedToCapacityRatio");
        return;
    }
    if (!mst_cfg_object(&rd, ratio, at, fields, MST_COUNT(fields)))
        return;
    out->shape = mst_args_shape(r, ratio, at);
    if (is_ratio)
        mst_args_shape_check(r, ratio, &out->shape, mst_at_key(&rd, at, "shape"));
    else
        mst_cfg_error(&rd, ratio,
                      "%.*s: Forbidden: must be nil when type is not RequestedToCapacityRatio",
                      MST_ARG(at));
}

static void read_strategy(const struct mst_args_reader *r, const struct mst_value *args,
                          struct mst_fit_args *out)
{
    static const char *const fields[] = { "type", "resources", "requestedToCapacityRatio" };
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *v = args ? mst_value_get(args, "scoringStrategy") : NULL;
    const struct mst_str path = mst_at_key(&rd, r->path, "scoringStrategy");
    const bool given = mst_cfg_object(&rd, v, path, fields, MST_COUNT(fields));
    const struct resource_list resources = read_resources(r, given ? v : NULL, path);
    out->strategy = MST_LEAST_ALLOCATED;
    out->resources.v = resources.v;
    out->resources.n = resources.n;
    if (!given)
        return;
    const bool known = read_strategy_type(&rd, v, path, out);
    for (uint32_t i = 0; i < resources.n; i++) {
        const struct mst_resource_weight *w = &resources.v[i];
        if (w->weight > 0 && w->weight <= 100)
            continue;
        const struct mst_str detail =
            mst_arena_printf(r->arena, "resource weight of %.*s not in valid range (0, 100]",
                             MST_ARG(mst_sym_str(r->syms, w->name)));
        const struct mst_str at = mst_at_index(&rd, mst_at_key(&rd, path, "resources"), i);
        mst_cfg_invalid_int(&rd, v, mst_at_key(&rd, at, "weight"), w->weight, detail.p);
    }
    read_ratio(r, v, path, known && out->strategy == MST_REQUESTED_TO_CAPACITY_RATIO, out);
}

void mst_args_fit(const struct mst_args_reader *r, const struct mst_value *args,
                  struct mst_fit_args *out)
{
    static const char *const fields[] = { "apiVersion", "kind", "ignoredResources",
                                          "ignoredResourceGroups", "scoringStrategy" };
    const struct mst_reading rd = reading_of(r);
    *out = (struct mst_fit_args){ 0 };
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        args = NULL;
    if (args) {
        out->ignored_resources = read_syms(r, args, r->path, "ignoredResources");
        out->ignored_groups = read_syms(r, args, r->path, "ignoredResourceGroups");
    }
    struct mst_str path = mst_at_key(&rd, r->path, "ignoredResources");
    for (uint32_t i = 0; i < out->ignored_resources.n; i++)
        mst_cfg_label_key(&rd, args, mst_at_index(&rd, path, i),
                          mst_sym_str(r->syms, out->ignored_resources.v[i]));
    path = mst_at_key(&rd, r->path, "ignoredResourceGroups");
    for (uint32_t i = 0; i < out->ignored_groups.n; i++) {
        const struct mst_str group = mst_sym_str(r->syms, out->ignored_groups.v[i]);
        const struct mst_str at = mst_at_index(&rd, path, i);
        if (memchr(group.p, '/', group.n))
            mst_cfg_invalid(&rd, args, at, mst_cfg_quote(&rd, group),
                            "resource group name can't contain '/'");
        mst_cfg_label_key(&rd, args, at, group);
    }
    read_strategy(r, args, out);
}

/* ---- NodeResourcesBalancedAllocationArgs ---- */

void mst_args_balanced(const struct mst_args_reader *r, const struct mst_value *args,
                       struct mst_balanced_args *out)
{
    static const char *const fields[] = { "apiVersion", "kind", "resources" };
    const struct mst_reading rd = reading_of(r);
    *out = (struct mst_balanced_args){ 0 };
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        args = NULL;
    const struct resource_list resources = read_resources(r, args, r->path);
    out->resources.v = resources.v;
    out->resources.n = resources.n;
    const struct mst_str path = mst_at_key(&rd, r->path, "resources");
    for (uint32_t i = 0; i < resources.n; i++) {
        const struct mst_str at = mst_at_index(&rd, path, i);
        bool repeated = false;
        for (uint32_t j = 0; j < i && !repeated; j++)
            repeated = resources.v[j].name == resources.v[i].name;
        if (repeated)
            mst_cfg_error(&rd, args, "%.*s: Duplicate value: %.*s",
                          MST_ARG(mst_at_key(&rd, at, "name")),
                          MST_ARG(mst_cfg_quote(&rd, mst_sym_str(r->syms, resources.v[i].name))));
        if (resources.v[i].weight != 1)
            mst_cfg_invalid_int(&rd, args, mst_at_key(&rd, at, "weight"), resources.v[i].weight,
                                "must be 1");
    }
}

/* ---- DefaultPreemptionArgs ---- */

/* What profile muster adds: how the victims are chosen. */
static void read_search(const struct mst_args_reader *r, const struct mst_value *args,
                        struct mst_preemption_args *out)
{
    const struct mst_reading rd = reading_of(r);
    struct mst_str policy = MST_STR("Importance");
    out->improve = true;
    out->search_steps = MST_SEARCH_STEPS;
    if (!args)
        return;
    (void)mst_cfg_bool(&rd, args, r->path, "improve", &out->improve);
    (void)mst_cfg_int(&rd, args, r->path, "searchBudget", 64, &out->search_steps);
    (void)mst_cfg_str(&rd, args, r->path, "victimPolicy", &policy);
    (void)mst_cfg_bool(&rd, args, r->path, "gangFirst", &out->gang_first);
    if (out->search_steps < 0)
        mst_cfg_invalid_int(&rd, args, mst_at_key(&rd, r->path, "searchBudget"), out->search_steps,
                            "not in valid range [0, inf)");
    out->smallest = mst_str_is(policy, "Smallest");
    if (!out->smallest && !mst_str_is(policy, "Importance"))
        mst_cfg_error(&rd, args,
                      "%.*s: Unsupported value: %.*s: supported values: \"Importance\", "
                      "\"Smallest\"",
                      MST_ARG(mst_at_key(&rd, r->path, "victimPolicy")),
                      MST_ARG(mst_cfg_quote(&rd, policy)));
    if (out->gang_first && (out->smallest || !out->improve))
        mst_cfg_error(&rd, args,
                      "%.*s: Invalid value: true: needs victimPolicy \"Importance\" and improve",
                      MST_ARG(mst_at_key(&rd, r->path, "gangFirst")));
}

void mst_args_preemption(const struct mst_args_reader *r, const struct mst_value *args,
                         struct mst_preemption_args *out)
{
    static const char *const fields[] = { "apiVersion",
                                          "kind",
                                          "minCandidateNodesPercentage",
                                          "minCandidateNodesAbsolute",
                                          "improve",
                                          "searchBudget",
                                          "victimPolicy",
                                          "gangFirst" };
    const struct mst_reading rd = reading_of(r);
    const uint32_t known = r->own_fields ? MST_COUNT(fields) : 4;
    *out = (struct mst_preemption_args){ .candidates_percent = 10, .candidates_min = 100 };
    if (args && !mst_cfg_object(&rd, args, r->path, fields, known))
        args = NULL;
    if (args) {
        (void)mst_cfg_int(&rd, args, r->path, fields[2], 32, &out->candidates_percent);
        (void)mst_cfg_int(&rd, args, r->path, fields[3], 32, &out->candidates_min);
    }
    if (r->own_fields)
        read_search(r, args, out);
    const struct mst_str percentage_at = mst_at_key(&rd, r->path, fields[2]);
    const struct mst_str absolute_at = mst_at_key(&rd, r->path, fields[3]);
    const int64_t percentage = out->candidates_percent, absolute = out->candidates_min;
    if (percentage < 0 || percentage > 100)
        mst_cfg_invalid_int(&rd, args, percentage_at, percentage, "not in valid range [0, 100]");
    if (absolute < 0)
        mst_cfg_invalid_int(&rd, args, absolute_at, absolute, "not in valid range [0, inf)");
    if (percentage == 0 && absolute == 0) {
        mst_cfg_invalid_int(&rd, args, percentage_at, 0,
                            "cannot be zero at the same time as minCandidateNodesAbsolute");
        mst_cfg_invalid_int(&rd, args, absolute_at, 0,
                            "cannot be zero at the same time as minCandidateNodesPercentage");
    }
}

/* ---- NodeAffinityArgs ---- */

static mst_selector_op op_of(struct mst_str text)
{
    static const struct {
        const char *text;
        mst_selector_op op;
    } ops[] = {
        { "In", MST_OP_IN }, { "NotIn", MST_OP_NOT_IN },
        { "Gt", MST_OP_GT }, { "Exists", MST_OP_EXISTS },
        { "Lt", MST_OP_LT }, { "DoesNotExist", MST_OP_DOES_NOT_EXIST },
    };
    for (size_t i = 0; i < MST_COUNT(ops); i++)
        if (mst_str_is(text, ops[i].text))
            return ops[i].op;
    return MST_OP_INVALID;
}

static mst_requirements read_requirements(const struct mst_args_reader *r,
                                          const struct mst_value *term, struct mst_str path,
                                          const char *key)
{
    static const char *const fields[] = { "key", "operator", "values" };
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *list = mst_cfg_list(&rd, term, path, key);
    const struct mst_str at = mst_at_key(&rd, path, key);
    mst_requirements out = { 0 };
    if (!list)
        return out;
    out.v = MST_NEW_N(r->arena, struct mst_requirement, list->n);
    uint32_t i = 0;
    MST_EACH_ELEMENT (v, list) {
        const struct mst_str element = mst_at_index(&rd, at, i++);
        struct mst_requirement *q = &out.v[out.n++];
        struct mst_str name = MST_STR("");
        q->op_text = MST_STR("");
        if (mst_cfg_object(&rd, v, element, fields, MST_COUNT(fields))) {
            (void)mst_cfg_str(&rd, v, element, "key", &name);
            (void)mst_cfg_str(&rd, v, element, "operator", &q->op_text);
            q->values = read_syms(r, v, element, "values");
        }
        q->key = mst_sym_of(r->syms, name);
        q->op_text = mst_arena_str(r->arena, q->op_text);
        q->op = op_of(q->op_text);
    }
    return out;
}

static void read_term(const struct mst_args_reader *r, const struct mst_value *v,
                      struct mst_str path, struct mst_node_selector_term *out)
{
    static const char *const fields[] = { "matchExpressions", "matchFields" };
    const struct mst_reading rd = reading_of(r);
    if (!mst_cfg_object(&rd, v, path, fields, MST_COUNT(fields)))
        return;
    out->match_expressions = read_requirements(r, v, path, "matchExpressions");
    out->match_fields = read_requirements(r, v, path, "matchFields");
    const struct mst_str error = mst_node_term_error(r->syms, out, r->arena);
    if (error.p)
        mst_cfg_error(&rd, v, error.n && error.p[0] == '[' ? "%.*s: %.*s" : "%.*s.%.*s",
                      MST_ARG(path), MST_ARG(error));
}

static void read_required(const struct mst_args_reader *r, const struct mst_value *v,
                          struct mst_str path, struct mst_node_selector *out)
{
    static const char *const fields[] = { "nodeSelectorTerms" };
    const struct mst_reading rd = reading_of(r);
    if (!mst_cfg_object(&rd, v, path, fields, MST_COUNT(fields)))
        return;
    out->set = true;
    const struct mst_value *list = mst_cfg_list(&rd, v, path, "nodeSelectorTerms");
    const struct mst_str at = mst_at_key(&rd, path, "nodeSelectorTerms");
    if (!list)
        return;
    out->terms.v = MST_NEW_N(r->arena, struct mst_node_selector_term, list->n);
    MST_EACH_ELEMENT (term, list) {
        const uint32_t i = out->terms.n++;
        read_term(r, term, mst_at_index(&rd, at, i), &out->terms.v[i]);
    }
}

static void read_preferred(const struct mst_args_reader *r, const struct mst_value *affinity,
                           struct mst_str path, struct mst_node_affinity *out)
{
    static const char *const fields[] = { "weight", "preference" };
    static const char key[] = "preferredDuringSchedulingIgnoredDuringExecution";
    const struct mst_reading rd = reading_of(r);
    const struct mst_value *list = mst_cfg_list(&rd, affinity, path, key);
    const struct mst_str at = mst_at_key(&rd, path, key);
    if (!list)
        return;
    out->preferred_set = true;
    out->preferred.v = MST_NEW_N(r->arena, struct mst_preferred_node, list->n);
    MST_EACH_ELEMENT (v, list) {
        const uint32_t i = out->preferred.n++;
        const struct mst_str element = mst_at_index(&rd, at, i);
        struct mst_preferred_node *p = &out->preferred.v[i];
        if (!mst_cfg_object(&rd, v, element, fields, MST_COUNT(fields)))
            continue;
        (void)mst_cfg_int(&rd, v, element, "weight", 32, &p->weight);
        /* Upstream names the list's element as the place of a term's errors. */
        read_term(r, mst_value_get(v, "preference"), element, &p->preference);
    }
}

void mst_args_node_affinity(const struct mst_args_reader *r, const struct mst_value *args,
                            struct mst_node_affinity_args *out)
{
    static const char *const fields[] = { "apiVersion", "kind", "addedAffinity" };
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char *const affinity_fields[] = {
        required, "preferredDuringSchedulingIgnoredDuringExecution"
    };
    const struct mst_reading rd = reading_of(r);
    *out = (struct mst_node_affinity_args){ 0 };
    if (!mst_cfg_object(&rd, args, r->path, fields, MST_COUNT(fields)))
        return;
    const struct mst_value *v = mst_value_get(args, "addedAffinity");
    const struct mst_str path = mst_at_key(&rd, r->path, "addedAffinity");
    if (!mst_cfg_object(&rd, v, path, affinity_fields, MST_COUNT(affinity_fields)))
        return;
    out->added.set = true;
    read_required(r, mst_value_get(v, required), mst_at_key(&rd, path, required),
                  &out->added.required);
    read_preferred(r, v, path, &out->added);
}

/* ---- for a plugin's init ---- */

void mst_args_begin(struct mst_args_run *run, struct mst_syms *syms, const struct mst_gates *gates,
                    struct mst_arena *arena)
{
    *run = (struct mst_args_run){ 0 };
    run->reader = (struct mst_args_reader){
        .syms = syms, .arena = arena, .diags = &run->diags, .gates = gates
    };
}

mst_rc mst_args_end(struct mst_args_run *run, struct mst_err *err)
{
    mst_rc rc = MST_OK;
    if (run->diags.error_count)
        rc = mst_fail(err, MST_EINVAL, "%.*s", MST_ARG(run->diags.list.v[0].text));
    mst_diags_done(&run->diags);
    return rc;
}
