/*
 * node_resources_fit_score.c - LeastAllocated, MostAllocated and RequestedToCapacityRatio over
 * ranges of rows.
 *
 * Owns:       nothing.
 * Invariants: the vector loops give the same integers as 64-bit division; where that is not certain
 *             (a block with amounts of 2^46 or more, a row in doubt) the plain loop runs.
 * Not here:   the filter (node_resources_fit.c).
 * Source:     spec/plugins.md 3.8, 4.8; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/noderesources/{least,most}_allocated.go,
 *             requested_to_capacity_ratio.go
 *
 * Exact division: q = p / a for integers 0 <= p <= 100 a, 1 <= a < 2^46 is the integer part of the
 * rounded double quotient. p = 100 x with x < 2^46 is below 2^53, so p and a are exact doubles. Let
 * k be the least integer above p / a; k <= 101. The rounded quotient is <= k because k is a double
 * and rounding is monotonic. It reaches k only if k - p / a is at most half the spacing of doubles
 * below 128, which is 2^-47; but k - p / a >= 1 / a > 2^-46. The weighted mean has sums below 2^24,
 * hence the same argument in single precision: spacing below 128 is 2^-17, half of it 2^-18, and
 * the sum of weights is at most 2^17.
 */
#include <math.h>

#include "plugins/node_resources_fit.h"
#include "plugins/percent.h"
#include "plugins/shape.h"
#include "plugins/vector.h"

#define EXACT_LIMIT ((int64_t)1 << 46)
enum { WEIGHT_SUM_MAX = 1 << 17 };

struct columns {
    const int64_t *allocatable, *used;
};

static struct columns input_columns(const struct mst_nodes *nodes,
                                    const struct mst_resource_input *input)
{
    const uint32_t r = input->column;
    return (struct columns){
        .allocatable = nodes->allocatable[r],
        .used = r == MST_RES_CPU      ? nodes->nonzero_cpu
                : r == MST_RES_MEMORY ? nodes->nonzero_memory
                                      : nodes->requested[r],
    };
}

/* ---- blocks ---- */

struct block {
    int32_t sum[MST_BLOCK_ROWS];     /* of weight * score */
    int32_t weights[MST_BLOCK_ROWS]; /* of the resources that count on the row */
};

MST_VECTOR
static void add_least(struct block *block, const int64_t *allocatable, const int64_t *used,
                      int64_t request, int32_t weight, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int64_t alloc = allocatable[i];
        const int64_t left = alloc - (used[i] + request);
        const int64_t free = left < 0 ? 0 : left;
        const double percent =
            mst_small_double(free) * 100 / mst_small_double(alloc + (alloc == 0));
        const int32_t counted = weight & -(int32_t)(alloc != 0);
        block->sum[i] += (int32_t)percent * counted;
        block->weights[i] += counted;
    }
}

MST_VECTOR
static void add_most(struct block *block, const int64_t *allocatable, const int64_t *used,
                     int64_t request, int32_t weight, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int64_t alloc = allocatable[i];
        const int64_t want = used[i] + request;
        const int64_t taken = want < alloc ? want : alloc;
        const double percent =
            mst_small_double(taken) * 100 / mst_small_double(alloc + (alloc == 0));
        const int32_t counted = weight & -(int32_t)(alloc != 0);
        block->sum[i] += (int32_t)percent * counted;
        block->weights[i] += counted;
    }
}

MST_VECTOR
static void put_means(const struct block *block, int64_t *raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int32_t weights = block->weights[i];
        const float mean = (float)block->sum[i] / (float)(weights + (weights == 0));
        raw[i] = (int32_t)mean;
    }
}

/* Two resources, the default: all three steps without intermediate arrays. */
struct pair {
    const int64_t *alloc0, *alloc1, *used0, *used1;
    int64_t request0, request1;
    int32_t weight0, weight1;
    bool most;
};

MST_VECTOR
static void score_pair(const struct pair *pair, int64_t *raw, uint32_t n)
{
    const int64_t *alloc0 = pair->alloc0, *alloc1 = pair->alloc1;
    const int64_t *used0 = pair->used0, *used1 = pair->used1;
    const int64_t request0 = pair->request0, request1 = pair->request1;
    const int32_t weight0 = pair->weight0, weight1 = pair->weight1;
    const int64_t most = -(int64_t)pair->most;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t a0 = alloc0[i], a1 = alloc1[i];
        const int64_t t0 = MST_MIN(used0[i] + request0, a0), t1 = MST_MIN(used1[i] + request1, a1);
        /* What is taken, or (LeastAllocated) what is left: alloc - taken. */
        const int64_t p0 = (t0 & most) | ((a0 - t0) & ~most);
        const int64_t p1 = (t1 & most) | ((a1 - t1) & ~most);
        const double d0 = mst_small_double(p0) * 100 / mst_small_double(a0 + (a0 == 0));
        const double d1 = mst_small_double(p1) * 100 / mst_small_double(a1 + (a1 == 0));
        const int32_t w0 = weight0 & -(int32_t)(a0 != 0), w1 = weight1 & -(int32_t)(a1 != 0);
        const int32_t sum = (int32_t)d0 * w0 + (int32_t)d1 * w1, weights = w0 + w1;
        raw[i] = (int32_t)((float)sum / (float)(weights + (weights == 0)));
    }
}

/* The same for LeastAllocated with equal weights, from derived percents: see percent.h. */
struct least_pair {
    const float *free0, *free1, *unit0, *unit1;
    float request0, request1;
};

/* Returns how many rows are in doubt. */
MST_VECTOR
static uint32_t score_least_pair(const struct least_pair *pair, int64_t *restrict raw, uint32_t n)
{
    const float *free0 = pair->free0, *free1 = pair->free1;
    const float *unit0 = pair->unit0, *unit1 = pair->unit1;
    const float request0 = pair->request0, request1 = pair->request1;
    uint32_t doubts = 0;
    for (uint32_t i = 0; i < n; i++) {
        const float x0 = mst_at_least_minus_half(free0[i] - request0 * unit0[i]);
        const float x1 = mst_at_least_minus_half(free1[i] - request1 * unit1[i]);
        const int32_t p0 = (int32_t)(x0 - MST_PERCENT_DOUBT);
        const int32_t p1 = (int32_t)(x1 - MST_PERCENT_DOUBT);
        const int32_t differ =
            (p0 ^ (int32_t)(x0 + MST_PERCENT_DOUBT)) | (p1 ^ (int32_t)(x1 + MST_PERCENT_DOUBT));
        const int32_t doubt = -(int32_t)(differ != 0);
        doubts -= (uint32_t)doubt;
        raw[i] = (p0 + p1) >> 1 | doubt;
    }
    return doubts;
}

/* ---- rows, one by one: any amount ---- */

/* Products wrap around as upstream's do. */
static int64_t percent_of(int64_t part, int64_t whole)
{
    return (int64_t)((uint64_t)part * 100) / whole;
}

static int64_t wrapping_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t resource_score(const struct mst_fit_args *args, int64_t alloc, int64_t want)
{
    switch (args->strategy) {
    case MST_LEAST_ALLOCATED: return want > alloc ? 0 : percent_of(alloc - want, alloc);
    case MST_MOST_ALLOCATED: return percent_of(want < alloc ? want : alloc, alloc);
    case MST_REQUESTED_TO_CAPACITY_RATIO:
        return mst_shape_at(&args->shape, want > alloc ? 100 : percent_of(want, alloc));
    }
    mst_assert(!"strategy");
    return 0;
}

static int64_t row_score(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                         const struct mst_resource_inputs *inputs, uint32_t row)
{
    const bool ratio = args->strategy == MST_REQUESTED_TO_CAPACITY_RATIO;
    int64_t sum = 0, weights = 0;
    for (uint32_t k = 0; k < inputs->n; k++) {
        const struct mst_resource_input *in = &inputs->v[k];
        const struct columns c = input_columns(nodes, in);
        if (c.allocatable[row] == 0)
            continue;
        const int64_t score =
            resource_score(args, c.allocatable[row], wrapping_sum(c.used[row], in->request));
        if (ratio && score <= 0)
            continue;
        sum += score * in->weight;
        weights += in->weight;
    }
    if (weights == 0)
        return 0;
    return ratio ? (int64_t)round((double)sum / (double)weights) : sum / weights;
}

static void score_rows(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                       const struct mst_resource_inputs *inputs, uint32_t begin, uint32_t end,
                       int64_t *raw)
{
    for (uint32_t i = begin; i < end; i++)
        raw[i] = row_score(nodes, args, inputs, i);
}

/* ---- ranges ---- */

static bool block_is_small(const struct mst_nodes *nodes, const struct mst_resource_inputs *inputs,
                           uint32_t at, uint32_t n)
{
    for (uint32_t k = 0; k < inputs->n; k++) {
        const struct columns c = input_columns(nodes, &inputs->v[k]);
        if (!mst_resource_block_small(c.allocatable + at, c.used + at, inputs->v[k].request, n,
                                      EXACT_LIMIT))
            return false;
    }
    return true;
}

static void score_block(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                        const struct mst_resource_inputs *inputs, uint32_t at, uint32_t n,
                        int64_t *raw)
{
    if (inputs->n == 2) {
        const struct mst_resource_input *in0 = &inputs->v[0], *in1 = &inputs->v[1];
        const struct columns c0 = input_columns(nodes, in0), c1 = input_columns(nodes, in1);
        const struct pair pair = {
            .alloc0 = c0.allocatable + at,
            .alloc1 = c1.allocatable + at,
            .used0 = c0.used + at,
            .used1 = c1.used + at,
            .request0 = in0->request,
            .request1 = in1->request,
            .weight0 = in0->weight,
            .weight1 = in1->weight,
            .most = args->strategy == MST_MOST_ALLOCATED,
        };
        score_pair(&pair, raw, n);
        return;
    }
    struct block block;
    memset(block.sum, 0, n * sizeof(block.sum[0]));
    memset(block.weights, 0, n * sizeof(block.weights[0]));
    for (uint32_t k = 0; k < inputs->n; k++) {
        const struct mst_resource_input *in = &inputs->v[k];
        const struct columns c = input_columns(nodes, in);
        if (args->strategy == MST_LEAST_ALLOCATED)
            add_least(&block, c.allocatable + at, c.used + at, in->request, in->weight, n);
        else
            add_most(&block, c.allocatable + at, c.used + at, in->request, in->weight, n);
    }
    put_means(&block, raw, n);
}

static void score_small_block(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                              const struct mst_resource_inputs *inputs, uint32_t at, uint32_t n,
                              int64_t *raw)
{
    if (block_is_small(nodes, inputs, at, n)) {
        score_block(nodes, args, inputs, at, n, raw + at);
        return;
    }
    score_rows(nodes, args, inputs, at, at + n, raw);
}

static void score_percents(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                           const struct mst_resource_inputs *inputs, uint32_t at, uint32_t n,
                           int64_t *raw)
{
    const struct least_pair pair = {
        .free0 = nodes->percent_free[MST_RES_CPU] + at,
        .free1 = nodes->percent_free[MST_RES_MEMORY] + at,
        .unit0 = nodes->percent_unit[MST_RES_CPU] + at,
        .unit1 = nodes->percent_unit[MST_RES_MEMORY] + at,
        .request0 = mst_percent_request(inputs, MST_RES_CPU),
        .request1 = mst_percent_request(inputs, MST_RES_MEMORY),
    };
    const uint32_t doubts = score_least_pair(&pair, raw + at, n);
    if (doubts > MST_DOUBTS_MAX) {
        score_small_block(nodes, args, inputs, at, n, raw);
        return;
    }
    for (uint32_t i = at; doubts && i < at + n; i++)
        if (raw[i] == MST_SCORE_IN_DOUBT)
            raw[i] = row_score(nodes, args, inputs, i);
}

void mst_fit_score(const struct mst_nodes *nodes, const struct mst_fit_args *args,
                   const struct mst_resource_inputs *inputs, uint32_t begin, uint32_t end,
                   int64_t *raw)
{
    int64_t weights = 0;
    for (uint32_t k = 0; k < inputs->n; k++)
        weights += inputs->v[k].weight;
    /* Sums of weight * score must stay below 2^24. */
    const bool vector = args->strategy != MST_REQUESTED_TO_CAPACITY_RATIO &&
                        weights * 100 < 1 << 24 && weights <= WEIGHT_SUM_MAX;
    const bool percents =
        vector && args->strategy == MST_LEAST_ALLOCATED && mst_inputs_are_percents(inputs);
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        if (percents)
            score_percents(nodes, args, inputs, at, n, raw);
        else if (vector)
            score_small_block(nodes, args, inputs, at, n, raw);
        else
            score_rows(nodes, args, inputs, at, at + n, raw);
    }
}
