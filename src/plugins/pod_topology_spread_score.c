/*
 * pod_topology_spread_score.c - ScheduleAnyway constraints: weights, sums of parts, normalisation.
 *
 * What a row adds per constraint depends on its domain alone (but for kubernetes.io/hostname, where
 * it is the row's own count), so it is computed per domain and looked up per row.
 *
 * Source: spec/plugins.md 4.11; kubernetes v1.37
 *         pkg/scheduler/framework/plugins/podtopologyspread/scoring.go
 */
#include "plugins/go_log.h"
#include "plugins/pod_topology_spread_internal.h"
#include "plugins/score_range.h"
#include "plugins/vector.h"

enum { TABLE_MAX = 1024 };
#define INT32_BOUND 1e9 /* sums below this are rounded through int32, which vectors can do */

static double skew_part(const struct spread_constraint *c)
{
    return (double)(c->from->max_skew - 1);
}

/* Half away from zero; sums are never negative. */
static int64_t rounded(double sum)
{
    const int64_t whole = (int64_t)sum;
    return whole + (sum - (double)whole >= 0.5);
}

void mst_spread_part(struct spread_constraint *c, uint32_t domain)
{
    if (domain == MST_DOMAIN_NONE)
        return;
    c->part[domain] = (double)c->sum[domain] * c->weight + skew_part(c);
    c->whole[domain] = rounded(c->part[domain]);
}

/* ---- how many domains the feasible rows are in ---- */

static bool counts(const struct spread_phase *phase, uint32_t row)
{
    return !phase->require_all || phase->has_all[row];
}

static uint32_t domain_of(const struct spread_constraint *c, uint32_t row)
{
    const uint32_t domain = c->index.of_row[row];
    return domain == MST_DOMAIN_NONE ? c->empty_domain : domain;
}

static void leave(struct spread_phase *phase, uint32_t row, uint32_t *sizes)
{
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        if (c->by_node)
            sizes[i]--;
        else if (--c->left[domain_of(c, row)] == 0)
            sizes[i]--;
    }
}

/* sizes[i] for each constraint: all domains that rows are in, less those without a feasible row. */
static void count_domains(struct spread_phase *phase, const mst_verdict *verdict, uint32_t rows,
                          uint32_t feasible_count, uint32_t *sizes)
{
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        sizes[i] = c->by_node ? rows - phase->ignored : c->present_count;
        if (feasible_count < rows && !c->by_node)
            memcpy(c->left, c->present, c->index.count * sizeof(*c->left));
    }
    uint32_t infeasible = rows - feasible_count;
    for (uint32_t row = 0; infeasible && row < rows; row++) {
        if (verdict[row] == MST_VERDICT_OK)
            continue;
        infeasible--;
        if (counts(phase, row))
            leave(phase, row, sizes);
    }
}

void mst_spread_pre_score(const struct mst_view *view, struct spread_state *state,
                          const mst_verdict *verdict, uint32_t feasible_count)
{
    (void)view;
    struct spread_phase *phase = &state->soft;
    count_domains(phase, verdict, state->row_count, feasible_count, state->sizes);
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        if (c->weight != 0 && c->size == state->sizes[i])
            continue; /* a weight is at least ln 2 */
        c->size = state->sizes[i];
        c->weight = mst_go_log((double)c->size + 2);
        for (uint32_t d = 1; d < c->index.count; d++)
            mst_spread_part(c, d);
    }
}

/* ---- score ---- */

MST_VECTOR
static void add_parts(const double *restrict part, const uint32_t *restrict domain,
                      double *restrict sum, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum[i] += part[domain[i]];
}

/* Rows without the label add nothing. */
MST_VECTOR
static void add_counts(const uint32_t *restrict count, const uint32_t *restrict domain,
                       double weight, double skew, double *restrict sum, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const double part = mst_small_double(count[i]) * weight + skew;
        sum[i] += domain[i] != MST_DOMAIN_NONE ? part : 0.0;
    }
}

/* `rounded`, where int32 is wide enough. */
MST_VECTOR
static void round_small(const double *restrict sum, int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int32_t whole = (int32_t)sum[i];
        raw[i] = whole + (sum[i] - whole >= 0.5);
    }
}

static void round_large(const double *sum, int64_t *raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] = rounded(sum[i]);
}

/* The only constraint: what a row gets is its domain's. */
static void look_up_whole(const int64_t *restrict whole, const uint32_t *restrict domain,
                          int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] = whole[domain[i]];
}

MST_VECTOR
static void clear_ignored(const uint8_t *restrict has_all, int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] = has_all[i] ? raw[i] : 0;
}

static double sum_bound(const struct spread_phase *phase)
{
    double bound = 0;
    for (uint32_t i = 0; i < phase->n; i++)
        bound += (double)phase->v[i].total * phase->v[i].weight + skew_part(&phase->v[i]);
    return bound;
}

void mst_spread_score(struct spread_state *state, uint32_t begin, uint32_t end, int64_t *raw)
{
    const struct spread_phase *phase = &state->soft;
    if (phase->n == 1 && !phase->v[0].by_node) { /* domain 0 has 0, so ignored rows do */
        look_up_whole(phase->v[0].whole, phase->v[0].index.of_row + begin, raw + begin,
                      end - begin);
        return;
    }
    const bool small = sum_bound(phase) < INT32_BOUND;
    double sum[MST_BLOCK_ROWS];
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        memset(sum, 0, n * sizeof(*sum));
        for (uint32_t k = 0; k < phase->n; k++) {
            const struct spread_constraint *c = &phase->v[k];
            if (c->by_node)
                add_counts(c->count + at, c->index.of_row + at, c->weight, skew_part(c), sum, n);
            else
                add_parts(c->part, c->index.of_row + at, sum, n);
        }
        if (small)
            round_small(sum, raw + at, n);
        else
            round_large(sum, raw + at, n);
        if (phase->require_all && phase->ignored)
            clear_ignored(phase->has_all + at, raw + at, n);
    }
}

/* ---- normalisation ---- */

static struct mst_score_range range_of_some(const struct spread_phase *phase,
                                            const mst_verdict *verdict, const int64_t *raw,
                                            uint32_t n)
{
    struct mst_score_range range = { INT64_MAX, 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (verdict[i] != MST_VERDICT_OK || !phase->has_all[i])
            continue;
        range.min = MST_MIN(range.min, raw[i]);
        range.max = MST_MAX(range.max, raw[i]);
    }
    return range;
}

static int64_t normalized(struct mst_score_range range, int64_t raw)
{
    return range.max == 0 ? 100 : 100 * (range.max + range.min - raw) / range.max;
}

MST_VECTOR
static void look_up(const int64_t *restrict table, int64_t min, const mst_verdict *restrict verdict,
                    int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] = table[verdict[i] == MST_VERDICT_OK ? raw[i] - min : 0];
}

void mst_spread_normalize(const struct spread_state *state, const mst_verdict *verdict,
                          int64_t *raw)
{
    const struct spread_phase *phase = &state->soft;
    const uint32_t n = state->row_count;
    const bool some_ignored = phase->require_all && phase->ignored;
    const struct mst_score_range range = some_ignored ? range_of_some(phase, verdict, raw, n)
                                                      : mst_score_range_of(verdict, raw, 0, n);
    if (!some_ignored && range.min <= range.max && range.max - range.min < TABLE_MAX) {
        int64_t table[TABLE_MAX];
        for (int64_t i = 0; i <= range.max - range.min; i++)
            table[i] = normalized(range, range.min + i);
        look_up(table, range.min, verdict, raw, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (verdict[i] == MST_VERDICT_OK)
            raw[i] = phase->require_all && !phase->has_all[i] ? 0 : normalized(range, raw[i]);
}
