/*
 * PodTopologySpread - keeps the pods that a selector means evenly spread over the domains of a
 * topology key: DoNotSchedule constraints filter, ScheduleAnyway constraints score.
 * Reads: class->spread, default_selector, labels, node selector, tolerations; namespaces, labels
 * and deletion of the pods on each node; the label columns of topology keys, nodes->taint_set.
 * Requeue on: pods that come, go or change labels; nodes that come, go or change labels or taints.
 * Source: spec/plugins.md 4.11; kubernetes v1.37
 *         pkg/scheduler/framework/plugins/podtopologyspread/plugin.go, filtering.go
 *
 * Differs: the minimum over the domains is exact in both profiles. Upstream keeps the two smallest
 * counts only, which tells a difference when several domains change at once: with group victims.
 */
#include "plugins/pod_topology_spread_internal.h"
#include "plugins/registry.h"
#include "plugins/vector.h"

#include "framework/plugin_args.h"

/* ---- instance ---- */

static void done(void *instance_)
{
    struct spread_instance *instance = instance_;
    mst_arena_done(&instance->arena);
    mst_free(instance);
}

static void take_system(struct mst_syms *syms, struct spread_instance *instance)
{
    const mst_sym anyway = mst_sym_of_text(syms, "ScheduleAnyway");
    instance->system = true;
    instance->defaults.v = MST_NEW_N(&instance->arena, struct mst_spread_constraint, 2);
    instance->defaults.n = 2;
    instance->defaults.v[0] = (struct mst_spread_constraint){
        .max_skew = 3,
        .topology_key = mst_sym_of_text(syms, "kubernetes.io/hostname"),
        .when_unsatisfiable = anyway,
    };
    instance->defaults.v[1] = (struct mst_spread_constraint){
        .max_skew = 5,
        .topology_key = mst_sym_of_text(syms, "topology.kubernetes.io/zone"),
        .when_unsatisfiable = anyway,
    };
}

static mst_sym sym_at(struct mst_syms *syms, const struct mst_value *v, const char *key)
{
    const struct mst_value *text = mst_value_get(v, key);
    return text && text->type == MST_STRING ? mst_sym_of(syms, mst_value_str(text)) : MST_SYM_NONE;
}

/* The values were checked: what is there has the right type. */
static void take_constraint(struct mst_syms *syms, const struct mst_value *v,
                            struct mst_spread_constraint *out)
{
    *out = (struct mst_spread_constraint){
        .topology_key = sym_at(syms, v, "topologyKey"),
        .when_unsatisfiable = sym_at(syms, v, "whenUnsatisfiable"),
        .node_affinity_policy = sym_at(syms, v, "nodeAffinityPolicy"),
        .node_taints_policy = sym_at(syms, v, "nodeTaintsPolicy"),
    };
    (void)mst_value_int(mst_value_get(v, "maxSkew"), &out->max_skew);
    const struct mst_value *domains = mst_value_get(v, "minDomains");
    out->min_domains.set = domains && mst_value_int(domains, &out->min_domains.value);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    if (args) {
        MST_AUTO(mst_arena) arena = { 0 };
        struct mst_args_run run;
        mst_args_begin(&run, view->syms, view->gates, &arena);
        mst_args_check(&run.reader, MST_STR("PodTopologySpread"), args);
        mst_rc rc = mst_args_end(&run, err);
        if (rc)
            return rc;
    }
    struct spread_instance *instance = mst_calloc(1, sizeof(*instance));
    const struct mst_value *type = args ? mst_value_get(args, "defaultingType") : NULL;
    const struct mst_value *list = args ? mst_value_get(args, "defaultConstraints") : NULL;
    if (!type || type->type != MST_STRING || !mst_str_is(mst_value_str(type), "List")) {
        take_system(view->syms, instance);
    } else if (list && list->type == MST_ARRAY) {
        instance->defaults.v = MST_NEW_N(&instance->arena, struct mst_spread_constraint, list->n);
        MST_EACH_ELEMENT (v, list)
            take_constraint(view->syms, v, &instance->defaults.v[instance->defaults.n++]);
    }
    *ret_instance = instance;
    return MST_OK;
}

/* ---- pre_filter ---- */

/* The action's first selector that cannot be parsed, of the pod's own constraints. */
static bool bad_selector(const struct mst_view *view, const struct mst_class *klass,
                         const char *action)
{
    const mst_sym wanted = mst_sym_of_text(view->syms, action);
    for (uint32_t i = 0; i < klass->spread.n; i++) {
        bool bad;
        (void)mst_label_selector_matches(&klass->spread.v[i].label_selector, (mst_labels){ 0 },
                                         &bad);
        if (bad && klass->spread.v[i].when_unsatisfiable == wanted)
            return true;
    }
    return false;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    if (bad_selector(view, klass, "DoNotSchedule")) {
        *out = (struct mst_pre_filter){
            .code = MST_ERROR,
            .reason = MST_STR("get constraints from pod: obtaining pod's hard topology spread "
                              "constraints: invalid label selector"),
        };
        return;
    }
    struct spread_state *state = mst_spread_state_new(view, instance, klass, arena);
    out->state = state;
    if (state && state->hard.n)
        out->code = MST_SUCCESS;
}

static bool row_changed(const struct mst_view *view, const void *instance, void *state,
                        uint32_t row)
{
    (void)instance;
    return state && mst_spread_row_changed(view, state, row);
}

MST_VECTOR
static uint32_t smallest(const uint32_t *sum, const uint32_t *eligible_rows, uint32_t n)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t value = eligible_rows[i] ? sum[i] : UINT32_MAX;
        min = value < min ? value : min;
    }
    return min;
}

static void find_bound(struct spread_constraint *c)
{
    const struct mst_opt_int *domains = &c->from->min_domains;
    const int64_t wanted = domains->set ? domains->value : 1;
    c->min = 0;
    if (c->domain_count > 0 && (int64_t)c->domain_count >= wanted)
        c->min = smallest(c->sum, c->eligible_rows, c->index.count);
    c->min_stale = false;
    const int64_t bound = c->from->max_skew - c->self + c->min;
    if (bound == c->bound)
        return;
    c->bound = bound;
    for (uint32_t d = 1; d < c->index.count; d++)
        c->verdict[d] = c->sum[d] > bound ? SPREAD_SKEW : SPREAD_OK;
}

static void begin_pick(const struct mst_view *view, const void *instance, void *state_)
{
    (void)view;
    (void)instance;
    struct spread_state *state = state_;
    for (uint32_t i = 0; state && i < state->hard.n; i++)
        if (state->hard.v[i].min_stale)
            find_bound(&state->hard.v[i]);
}

/* ---- filter ---- */

MST_VECTOR
static void apply(const uint32_t *restrict table, const uint32_t *restrict domain,
                  const mst_verdict *restrict answer, mst_verdict *restrict verdict, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const mst_verdict mine = answer[table[domain[i]]];
        verdict[i] = verdict[i] == MST_VERDICT_OK ? mine : verdict[i];
    }
}

static void filter(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)view;
    (void)instance;
    const struct spread_state *state = state_;
    const mst_verdict answer[] = {
        [SPREAD_OK] = MST_VERDICT_OK,
        [SPREAD_NO_LABEL] = reject | SPREAD_NO_LABEL | MST_VERDICT_UNRESOLVABLE,
        [SPREAD_SKEW] = reject | SPREAD_SKEW,
    };
    for (uint32_t i = 0; state && i < state->hard.n; i++)
        apply(state->hard.v[i].verdict, state->hard.v[i].index.of_row + begin, answer,
              verdict + begin, end - begin);
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    mst_reason_add(out, (verdict & MST_VERDICT_DETAIL) == SPREAD_NO_LABEL
                            ? MST_STR("node(s) didn't match pod topology spread constraints "
                                      "(missing required label)")
                            : MST_STR("node(s) didn't match pod topology spread constraints"));
}

/* ---- score ---- */

static void pre_score(const struct mst_view *view, const void *instance,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    *out = (struct mst_pre_score){ .code = MST_SKIP };
    if (bad_selector(view, klass, "ScheduleAnyway")) {
        *out = (struct mst_pre_score){
            .code = MST_ERROR,
            .reason = MST_STR("calculating preScoreState: obtaining pod's soft topology spread "
                              "constraints: invalid label selector"),
        };
        return;
    }
    struct spread_constraint *soft =
        MST_NEW_N(arena, struct spread_constraint, mst_spread_room(instance, klass));
    if (mst_spread_constraints(view, instance, klass, "ScheduleAnyway", soft))
        out->code = MST_SUCCESS;
}

static mst_code pre_score_pick(const struct mst_view *view, const void *instance, void *state_,
                               const mst_verdict *verdict, uint32_t feasible_count)
{
    (void)instance;
    struct spread_state *state = state_;
    if (!state || state->soft.n == 0)
        return MST_SKIP;
    mst_spread_pre_score(view, state, verdict, feasible_count);
    return MST_SUCCESS;
}

static void score(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)view;
    (void)instance;
    if (state)
        mst_spread_score(state, begin, end, raw);
    else
        memset(raw + begin, 0, (end - begin) * sizeof(*raw));
}

static void normalize_pick(const struct mst_view *view, const void *instance, void *state,
                           const mst_verdict *verdict, int64_t *raw)
{
    (void)view;
    (void)instance;
    if (state)
        mst_spread_normalize(state, verdict, raw);
}

/* Defaults count although they may not select anything for this pod, as upstream has it. */
static uint32_t sign(const void *instance_, const struct mst_pod *pod)
{
    const struct spread_instance *instance = instance_;
    return pod->spec.spread.n || instance->defaults.n ? 0 : MST_SIGNS_NOTHING;
}

const struct mst_plugin mst_plugin_pod_topology_spread = {
    .name = "PodTopologySpread",
    .reads = MST_READS_DOMAIN,
    .signs = MST_SIGNS_NOTHING,
    .sign = sign,
    .default_weight = 2,
    .init = init,
    .done = done,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .pre_score = pre_score,
    .score = score,
    .row_changed = row_changed,
    .begin_pick = begin_pick,
    .pre_score_pick = pre_score_pick,
    .normalize_pick = normalize_pick,
    .events = mst_spread_events,
    .event_count = MST_SPREAD_EVENT_COUNT,
};
