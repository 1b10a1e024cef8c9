/*
 * NodeResourcesBalancedAllocation - prefers nodes whose resources the pod makes more evenly used.
 * Reads: class->balance_amounts, nodes->allocatable, nodes->requested.
 * Requeue on: nothing, it rejects no pod.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go
 *
 * Fractions are IEEE doubles, operation by operation as upstream computes them; the vector loop
 * only converts integers below 2^52, which is exact, and falls back to the scalar loop for the
 * rest. For cpu and memory the quicker loop over derived percents comes first (percent.h).
 */
#include <math.h>

#include "plugins/percent.h"
#include "plugins/registry.h"
#include "plugins/resource_inputs.h"
#include "plugins/vector.h"

struct balanced_instance {
    struct mst_arena arena;
    struct mst_balanced_args args;
};

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct balanced_instance *instance = mst_calloc(1, sizeof(*instance));
    struct mst_args_run run;
    mst_args_begin(&run, view->syms, view->gates, &instance->arena);
    mst_args_balanced(&run.reader, args, &instance->args);
    mst_rc rc = mst_args_end(&run, err);
    if (rc) {
        mst_arena_done(&instance->arena);
        mst_free(instance);
        return rc;
    }
    *ret_instance = instance;
    return MST_OK;
}

static void done(void *instance_)
{
    struct balanced_instance *instance = instance_;
    mst_arena_done(&instance->arena);
    mst_free(instance);
}

static void pre_score(const struct mst_view *view, const void *instance_,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    const struct balanced_instance *instance = instance_;
    struct mst_resource_inputs *inputs = MST_NEW(arena, struct mst_resource_inputs);
    mst_resource_inputs_make(view->nodes, instance->args.resources.v, instance->args.resources.n,
                             klass->balance_amounts.v, klass->balance_amounts.n, arena, inputs);
    *out = (struct mst_pre_score){ .code = MST_SKIP };
    if (!inputs->any_request)
        return;
    *out = (struct mst_pre_score){ .code = MST_SUCCESS, .state = inputs };
    if (inputs->n < 2) { /* one resource is always balanced with itself */
        out->uniform = true;
        out->uniform_score = 75;
    }
}

/*
 * Two resources: the usual case. All integers are in [0, 2^52).
 *
 * min(1, amount / alloc) is computed as min(amount, alloc) / alloc: equal, since alloc / alloc is 1
 * and rounding is monotonic; and integer conditions are what compilers turn into vector code.
 */
static inline int32_t spread_percent(int64_t a0, int64_t a1, int64_t u0, int64_t u1)
{
    const double d0 = mst_small_double(a0 + (a0 == 0));
    const double d1 = mst_small_double(a1 + (a1 == 0));
    u0 = MST_MIN(u0, a0);
    u1 = MST_MIN(u1, a1);
    const double spread = fabs((mst_small_double(u0) / d0 - mst_small_double(u1) / d1) / 2);
    return (int32_t)((1 - spread) * 100);
}

MST_VECTOR
static void two_block(const int64_t *alloc0, const int64_t *alloc1, const int64_t *used0,
                      const int64_t *used1, int64_t request0, int64_t request1, int64_t *raw,
                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int64_t a0 = alloc0[i], a1 = alloc1[i];
        /* A node without one of the two has one fraction at most: no spread, 75. */
        const bool both = (a0 != 0) & (a1 != 0);
        const int32_t without = spread_percent(a0, a1, used0[i], used1[i]);
        const int32_t with = spread_percent(a0, a1, used0[i] + request0, used1[i] + request1);
        const int32_t gain = (with - without) & -(int32_t)both;
        raw[i] = 50 + (50 + gain) / 2;
    }
}

/* cpu and memory, the default, from derived percents: see percent.h. */
struct even_pair {
    const float *used0, *used1, *unit0, *unit1;
    const int32_t *before; /* the balance without the pod */
    float request0, request1;
};

/* Returns how many rows are in doubt. */
MST_VECTOR
static uint32_t score_even_pair(const struct even_pair *pair, int64_t *restrict raw, uint32_t n)
{
    const float *used0 = pair->used0, *used1 = pair->used1;
    const float *unit0 = pair->unit0, *unit1 = pair->unit1;
    const float request0 = pair->request0, request1 = pair->request1;
    const int32_t *before = pair->before;
    uint32_t doubts = 0;
    for (uint32_t i = 0; i < n; i++) {
        const float y0 = mst_at_most_100(used0[i] + request0 * unit0[i]);
        const float y1 = mst_at_most_100(used1[i] + request1 * unit1[i]);
        const float z = 100 - fabsf(y0 - y1) * 0.5f;
        const int32_t with = (int32_t)(z - MST_PERCENT_DOUBT);
        const int32_t doubt = -(int32_t)(with != (int32_t)(z + MST_PERCENT_DOUBT));
        doubts -= (uint32_t)doubt;
        raw[i] = (50 + ((50 + with - before[i]) >> 1)) | doubt; /* 50 <= with <= 100 */
    }
    return doubts;
}

struct fraction_sum {
    const struct mst_nodes *nodes;
    const struct mst_resource_inputs *inputs;
    uint32_t row;
};

static double fraction_of(const struct fraction_sum *s, uint32_t k, bool with_pod, bool *ret_counts)
{
    const struct mst_resource_input *in = &s->inputs->v[k];
    const int64_t alloc = s->nodes->allocatable[in->column][s->row];
    const int64_t used = s->nodes->requested[in->column][s->row];
    *ret_counts = alloc != 0;
    if (alloc == 0)
        return 0;
    const int64_t amount = with_pod ? (int64_t)((uint64_t)used + (uint64_t)in->request) : used;
    const double fraction = (double)amount / (double)alloc;
    return fraction > 1 ? 1 : fraction;
}

/* The general case, in upstream's order of operations. */
static int64_t balance_of(const struct fraction_sum *s, bool with_pod)
{
    double total = 0, first = 0, second = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->inputs->n; k++) {
        bool counts;
        const double fraction = fraction_of(s, k, with_pod, &counts);
        if (!counts)
            continue;
        total += fraction;
        first = n == 0 ? fraction : first;
        second = n == 1 ? fraction : second;
        n++;
    }
    double std = 0;
    if (n == 2) {
        std = fabs((first - second) / 2);
    } else if (n > 2) {
        const double mean = total / (double)n;
        double sum = 0;
        for (uint32_t k = 0; k < s->inputs->n; k++) {
            bool counts;
            const double fraction = fraction_of(s, k, with_pod, &counts);
            if (counts)
                sum = sum + (fraction - mean) * (fraction - mean);
        }
        std = sqrt(sum / (double)n);
    }
    return (int64_t)((1 - std) * 100);
}

static void general_rows(const struct mst_nodes *nodes, const struct mst_resource_inputs *inputs,
                         uint32_t begin, uint32_t end, int64_t *raw)
{
    for (uint32_t i = begin; i < end; i++) {
        const struct fraction_sum s = { nodes, inputs, i };
        raw[i] = 50 + (50 + balance_of(&s, true) - balance_of(&s, false)) / 2;
    }
}

static void score_two(const struct mst_nodes *nodes, const struct mst_resource_inputs *inputs,
                      uint32_t at, uint32_t n, int64_t *raw)
{
    const struct mst_resource_input *in0 = &inputs->v[0], *in1 = &inputs->v[1];
    const int64_t *alloc0 = nodes->allocatable[in0->column] + at;
    const int64_t *alloc1 = nodes->allocatable[in1->column] + at;
    const int64_t *used0 = nodes->requested[in0->column] + at;
    const int64_t *used1 = nodes->requested[in1->column] + at;
    const int64_t limit = (int64_t)1 << 52;
    if (mst_resource_block_small(alloc0, used0, in0->request, n, limit) &&
        mst_resource_block_small(alloc1, used1, in1->request, n, limit))
        two_block(alloc0, alloc1, used0, used1, in0->request, in1->request, raw + at, n);
    else
        general_rows(nodes, inputs, at, at + n, raw);
}

static void score_percents(const struct mst_nodes *nodes, const struct mst_resource_inputs *inputs,
                           uint32_t at, uint32_t n, int64_t *raw)
{
    const struct even_pair pair = {
        .used0 = nodes->percent_used[MST_RES_CPU] + at,
        .used1 = nodes->percent_used[MST_RES_MEMORY] + at,
        .unit0 = nodes->percent_unit[MST_RES_CPU] + at,
        .unit1 = nodes->percent_unit[MST_RES_MEMORY] + at,
        .before = nodes->evenness + at,
        .request0 = mst_percent_request(inputs, MST_RES_CPU),
        .request1 = mst_percent_request(inputs, MST_RES_MEMORY),
    };
    const uint32_t doubts = score_even_pair(&pair, raw + at, n);
    if (doubts > MST_DOUBTS_MAX) {
        score_two(nodes, inputs, at, n, raw);
        return;
    }
    for (uint32_t i = at; doubts && i < at + n; i++)
        if (raw[i] == MST_SCORE_IN_DOUBT)
            general_rows(nodes, inputs, i, i + 1, raw);
}

static void score(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)instance;
    const struct mst_nodes *nodes = view->nodes;
    const struct mst_resource_inputs *inputs = state;
    if (inputs->n != 2) {
        general_rows(nodes, inputs, begin, end, raw);
        return;
    }
    const bool percents = mst_inputs_are_percents(inputs);
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        if (percents)
            score_percents(nodes, inputs, at, n, raw);
        else
            score_two(nodes, inputs, at, n, raw);
    }
}

const struct mst_plugin mst_plugin_node_resources_balanced_allocation = {
    .name = "NodeResourcesBalancedAllocation",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_RESOURCES,
    .default_weight = 1,
    .init = init,
    .done = done,
    .pre_score = pre_score,
    .score = score,
};
