/*
 * NodeResourcesFit - refuses nodes that have not enough left for the pod, and prefers those that
 * the scoring strategy wants.
 * Reads: the class's usage and score_amounts, nodes->allocatable, requested, nonzero_*, pod_count,
 * pods_allowed.  Requeue on: pod deleted or scaled down, node added, allocatable raised.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/noderesources/fit.go
 *
 * Not here: devices that stand for extended resources, deferred resizes; both come with the plugins
 *           that own them.
 */
#include "plugins/node_resources_fit.h"
#include "base/sort.h"
#include "plugins/registry.h"
#include "plugins/vector.h"

/* Detail of a verdict: a bit per failed check, in the order of the reasons. */
enum {
    BIT_PODS = 0,
    BIT_FIXED = 1, /* cpu, memory, ephemeral-storage */
    BIT_SCALAR = BIT_FIXED + MST_RES_FIXED,
    BIT_MORE = 23, /* some scalar past the last bit: explain looks again */
};
_Static_assert(1 << BIT_MORE <= MST_VERDICT_DETAIL, "the bits fit a verdict's detail");

struct fit_instance {
    struct mst_arena arena;
    struct mst_fit_args args;
};

struct fit_check {
    uint32_t column;
    mst_sym name;
    int64_t amount; /* > 0 */
    uint32_t bit;
};

/* Fixed resources by column, then scalars by name. */
struct fit_state {
    struct fit_check *v;
    uint32_t n;
};

/* ---- instance ---- */

static void done(void *instance_)
{
    struct fit_instance *instance = instance_;
    mst_arena_done(&instance->arena);
    mst_free(instance);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct fit_instance *instance = mst_calloc(1, sizeof(*instance));
    struct mst_args_run run;
    mst_args_begin(&run, view->syms, view->gates, &instance->arena);
    mst_args_fit(&run.reader, args, &instance->args);
    mst_rc rc = mst_args_end(&run, err);
    if (rc) {
        done(instance);
        return rc;
    }
    *ret_instance = instance;
    return MST_OK;
}

/* ---- filter ---- */

static int by_name(const void *a_, const void *b_, void *ctx)
{
    const struct fit_check *a = a_, *b = b_;
    const bool a_scalar = a->column >= MST_RES_FIXED, b_scalar = b->column >= MST_RES_FIXED;
    if (!a_scalar || !b_scalar)
        return (a->column > b->column) - (a->column < b->column);
    return mst_str_cmp(mst_sym_str(ctx, a->name), mst_sym_str(ctx, b->name));
}

static bool is_ignored(const struct mst_view *view, const struct fit_instance *instance,
                       uint32_t column)
{
    if (!view->nodes->resource_extended[column])
        return false;
    const mst_sym name = view->nodes->resource_name[column];
    for (uint32_t i = 0; i < instance->args.ignored_resources.n; i++)
        if (instance->args.ignored_resources.v[i] == name)
            return true;
    const struct mst_str text = mst_sym_str(view->syms, name);
    const char *slash = memchr(text.p, '/', text.n);
    if (!slash)
        return false;
    const struct mst_str group = { text.p, (size_t)(slash - text.p) };
    for (uint32_t i = 0; i < instance->args.ignored_groups.n; i++)
        if (mst_str_eq(mst_sym_str(view->syms, instance->args.ignored_groups.v[i]), group))
            return true;
    return false;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    const struct mst_usage *usage = mst_cluster_usage(view->cluster, klass->usage);
    struct fit_state *state = MST_NEW(arena, struct fit_state);
    state->v = MST_NEW_N(arena, struct fit_check, usage->amounts.n);
    for (uint32_t i = 0; i < usage->amounts.n; i++) {
        const struct mst_amount *amount = &usage->amounts.v[i];
        if (amount->amount == 0 || is_ignored(view, instance, amount->resource))
            continue;
        state->v[state->n++] = (struct fit_check){
            .column = amount->resource,
            .name = view->nodes->resource_name[amount->resource],
            .amount = amount->amount,
        };
    }
    mst_sort(state->v, state->n, sizeof(*state->v), by_name, view->syms);
    uint32_t scalar_bit = BIT_SCALAR;
    for (uint32_t i = 0; i < state->n; i++) {
        const uint32_t column = state->v[i].column;
        state->v[i].bit = column < MST_RES_FIXED  ? BIT_FIXED + column
                          : scalar_bit < BIT_MORE ? scalar_bit++
                                                  : (uint32_t)BIT_MORE;
    }
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };
}

/* The answers are signs of differences: amounts are far from the ends of int64. */
/* True if some row of the block lacks the amount; most blocks of most clusters have room. */
MST_VECTOR
static bool some_lack(const int64_t *allocatable, const int64_t *requested, int64_t amount,
                      uint32_t n)
{
    int64_t sign = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t whole = allocatable[i] - amount;
        sign |= whole | (whole - requested[i]);
    }
    return sign < 0;
}

MST_VECTOR
static bool some_full(const uint32_t *pod_count, const int64_t *pods_allowed, uint32_t n)
{
    int64_t sign = 0;
    for (uint32_t i = 0; i < n; i++)
        sign |= pods_allowed[i] - 1 - (int64_t)pod_count[i];
    return sign < 0;
}

static bool all_fit(const struct mst_nodes *nodes, const struct fit_state *state, uint32_t at,
                    uint32_t n)
{
    if (some_full(nodes->pod_count + at, nodes->pods_allowed + at, n))
        return false;
    for (uint32_t k = 0; k < state->n; k++) {
        const struct fit_check *c = &state->v[k];
        if (some_lack(nodes->allocatable[c->column] + at, nodes->requested[c->column] + at,
                      c->amount, n))
            return false;
    }
    return true;
}

MST_VECTOR
static void check_pods(uint64_t *bits, const uint32_t *pod_count, const int64_t *pods_allowed,
                       uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bits[i] = (uint64_t)(pods_allowed[i] - (int64_t)pod_count[i] - 1) >> 63 << BIT_PODS;
}

MST_VECTOR
static void check_resource(uint64_t *bits, const int64_t *allocatable, const int64_t *requested,
                           int64_t amount, uint32_t bit, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int64_t whole = allocatable[i] - amount;
        const int64_t rest = whole - requested[i];
        /* What is larger than the node is larger than what is left, whatever the sums say. */
        bits[i] |= (uint64_t)(rest | whole) >> 63 << bit | (uint64_t)whole >> 63 << 31;
    }
}

MST_VECTOR
static void put_verdicts(const uint64_t *bits, mst_verdict reject, mst_verdict *verdict, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t mine = (uint32_t)bits[i];
        const mst_verdict no = mine ? reject | mine : MST_VERDICT_OK;
        verdict[i] = verdict[i] == MST_VERDICT_OK ? no : verdict[i];
    }
}
_Static_assert(MST_VERDICT_UNRESOLVABLE == 1u << 31, "the bit that check_resource sets");

static void filter(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    const struct mst_nodes *nodes = view->nodes;
    const struct fit_state *state = state_;
    uint64_t bits[MST_BLOCK_ROWS];
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        if (all_fit(nodes, state, at, n))
            continue;
        check_pods(bits, nodes->pod_count + at, nodes->pods_allowed + at, n);
        for (uint32_t k = 0; k < state->n; k++) {
            const struct fit_check *c = &state->v[k];
            check_resource(bits, nodes->allocatable[c->column] + at,
                           nodes->requested[c->column] + at, c->amount, c->bit, n);
        }
        put_verdicts(bits, reject, verdict + at, n);
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state_,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)instance;
    const struct fit_state *state = state_;
    if (verdict >> BIT_PODS & 1)
        mst_reason_add(out, MST_STR("Too many pods"));
    for (uint32_t k = 0; k < state->n; k++) {
        const struct fit_check *c = &state->v[k];
        bool lacks = verdict >> c->bit & 1;
        if (lacks && c->bit == BIT_MORE) /* one bit for several resources */
            lacks = c->amount > view->nodes->allocatable[c->column][row] -
                                    view->nodes->requested[c->column][row];
        if (lacks)
            mst_reason_add(out, mst_arena_printf(out->arena, "Insufficient %.*s",
                                                 MST_ARG(mst_sym_str(view->syms, c->name))));
    }
}

/* ---- score ---- */

static void pre_score(const struct mst_view *view, const void *instance_,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    const struct fit_instance *instance = instance_;
    struct mst_resource_inputs *inputs = MST_NEW(arena, struct mst_resource_inputs);
    mst_resource_inputs_make(view->nodes, instance->args.resources.v, instance->args.resources.n,
                             klass->score_amounts.v, klass->score_amounts.n, arena, inputs);
    *out = (struct mst_pre_score){
        .code = MST_SUCCESS,
        .state = inputs,
        .uniform = inputs->n == 0, /* nothing counts: 0 everywhere */
    };
}

static void score(const struct mst_view *view, const void *instance_, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    const struct fit_instance *instance = instance_;
    mst_fit_score(view->nodes, &instance->args, state, begin, end, raw);
}

/* ---- hints ---- */

static int64_t amount_of(const struct mst_usage *usage, uint32_t column)
{
    for (uint32_t i = 0; i < usage->amounts.n; i++)
        if (usage->amounts.v[i].resource == column)
            return usage->amounts.v[i].amount;
    return 0;
}

static mst_hint pod_scaled_down(const struct mst_view *view, const void *instance, uint32_t pod,
                                const struct mst_class *klass,
                                const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_usage *want = mst_cluster_usage(view->cluster, klass->usage);
    const struct mst_usage *was = mst_cluster_usage(view->cluster, event->old_usage);
    const struct mst_usage *is = mst_cluster_usage(view->cluster, event->new_usage);
    for (uint32_t i = 0; i < want->amounts.n; i++) {
        const uint32_t column = want->amounts.v[i].resource;
        if (want->amounts.v[i].amount && amount_of(was, column) > amount_of(is, column))
            return MST_HINT_QUEUE;
    }
    return MST_HINT_SKIP;
}

static int64_t allocatable_of(const struct mst_node_facts *node, uint32_t column)
{
    return column < node->resource_count ? node->allocatable[column] : 0;
}

static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_node_facts *was = event->old_node, *is = event->new_node;
    mst_assert(is);
    const struct mst_usage *want = mst_cluster_usage(view->cluster, klass->usage);
    bool fits = is->pods_allowed >= 1, rose = !was || is->pods_allowed > was->pods_allowed;
    for (uint32_t i = 0; i < want->amounts.n; i++) {
        const struct mst_amount *amount = &want->amounts.v[i];
        if (amount->amount == 0)
            continue;
        const int64_t now = allocatable_of(is, amount->resource);
        fits &= amount->amount <= now;
        rose |= was && now > allocatable_of(was, amount->resource);
    }
    return fits && rose ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_DELETE, NULL },
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_ALLOCATABLE, node_changed },
    { MST_ON_ASSIGNED_POD, MST_ACT_UPDATE_POD_SCALE_DOWN, pod_scaled_down },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_SCALE_DOWN, NULL },
};

static int64_t room(const struct mst_view *view, const void *state_, uint32_t row)
{
    const struct fit_state *state = state_;
    const struct mst_nodes *nodes = view->nodes;
    int64_t room = nodes->pods_allowed[row] - nodes->pod_count[row];
    for (uint32_t i = 0; i < state->n; i++) {
        const struct fit_check *check = &state->v[i];
        int64_t free =
            nodes->allocatable[check->column][row] - nodes->requested[check->column][row];
        room = MST_MIN(room, free / check->amount);
    }
    return MST_MAX(room, (int64_t)0);
}

const struct mst_plugin mst_plugin_node_resources_fit = {
    .name = "NodeResourcesFit",
    .points = MST_POINT_PLACEMENT_SCORE,
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_RESOURCES,
    .default_weight = 1,
    .init = init,
    .done = done,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .room = room,
    .pre_score = pre_score,
    .score = score,
    .events = events,
    .event_count = MST_COUNT(events),
};
