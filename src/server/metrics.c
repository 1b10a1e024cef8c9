/*
 * metrics.c - the series of each family, by label values, and how they are printed.
 *
 * Source: prometheus client_golang and common/expfmt (text_create.go): what a scraper of
 *         kube-scheduler sees, to the byte, but for the help.
 */
#include "server/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/sort.h"

enum { KEY_BYTES_MAX = 512 };

struct mst_series {
    const struct mst_metric_family *family;
    const double *bounds; /* of the family */
    double value;         /* a histogram's sum */
    uint64_t count;       /* of a histogram */
    uint64_t *buckets;    /* not cumulative; one more for +Inf */
    struct mst_str labels[MST_METRIC_LABELS_MAX];
};

struct family {
    const struct mst_metric_family *what;
    uint32_t label_count;
    uint8_t order[MST_METRIC_LABELS_MAX]; /* labels by name: the order that they are printed in */
    const double *bounds;
    double *own_bounds;    /* what `bounds` is, unless it is the table's */
    struct mst_map by_key; /* to struct mst_series * */
};

struct mst_metrics {
    uint32_t count;
    struct family *families;
    uint32_t *by_name;
};

/* ---- families ---- */

static int compare_families(const void *a, const void *b, void *ctx)
{
    const struct mst_metrics *metrics = ctx;
    return strcmp(metrics->families[*(const uint32_t *)a].what->name,
                  metrics->families[*(const uint32_t *)b].what->name);
}

static int compare_labels(const void *a, const void *b, void *ctx)
{
    const struct mst_metric_family *what = ctx;
    return strcmp(what->labels[*(const uint8_t *)a], what->labels[*(const uint8_t *)b]);
}

static void family_init(struct family *family, const struct mst_metric_family *what)
{
    family->what = what;
    while (family->label_count < MST_METRIC_LABELS_MAX && what->labels[family->label_count]) {
        family->order[family->label_count] = (uint8_t)family->label_count;
        family->label_count++;
    }
    mst_sort(family->order, family->label_count, 1, compare_labels,
             (struct mst_metric_family *)(uintptr_t)what);
    if (what->type != MST_HISTOGRAM)
        return;
    mst_assert(what->bucket_count);
    family->bounds = what->bounds;
    if (family->bounds)
        return;
    mst_assert(what->bucket_start > 0 && what->bucket_factor > 1);
    family->own_bounds = mst_calloc(what->bucket_count, sizeof(*family->own_bounds));
    double bound = what->bucket_start;
    for (uint32_t i = 0; i < what->bucket_count; i++, bound *= what->bucket_factor)
        family->own_bounds[i] = bound;
    family->bounds = family->own_bounds;
}

/* Without labels there is one series from the start, which says 0. */
static void make_lone_series(struct mst_metrics *metrics)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        if (!metrics->families[i].label_count && !metrics->families[i].what->when_used)
            (void)mst_metrics_series(metrics, i, NULL);
}

struct mst_metrics *mst_metrics_new(const struct mst_metric_family *families, uint32_t count)
{
    struct mst_metrics *metrics = mst_calloc(1, sizeof(*metrics));
    metrics->count = count;
    metrics->families = mst_calloc(count + 1, sizeof(*metrics->families));
    metrics->by_name = mst_calloc(count + 1, sizeof(*metrics->by_name));
    for (uint32_t i = 0; i < count; i++) {
        family_init(&metrics->families[i], &families[i]);
        metrics->by_name[i] = i;
    }
    mst_sort(metrics->by_name, count, sizeof(*metrics->by_name), compare_families, metrics);
    make_lone_series(metrics);
    return metrics;
}

static void series_free(struct mst_series *series)
{
    for (uint32_t i = 0; i < MST_METRIC_LABELS_MAX; i++)
        mst_free((char *)(uintptr_t)series->labels[i].p);
    mst_free(series->buckets);
    mst_free(series);
}

static struct mst_series *series_of(const struct mst_map_entry *entry)
{
    return (struct mst_series *)(uintptr_t)entry->value;
}

static void drop_all(struct mst_metrics *metrics)
{
    for (uint32_t i = 0; i < metrics->count; i++) {
        const struct mst_map_entry *entry;
        struct mst_map *map = &metrics->families[i].by_key;
        for (uint32_t at = 0; mst_map_next(map, &at, &entry);)
            series_free(series_of(entry));
        mst_map_clear(map);
    }
}

void mst_metrics_reset(struct mst_metrics *metrics)
{
    drop_all(metrics);
    make_lone_series(metrics);
}

void mst_metrics_free(struct mst_metrics *metrics)
{
    if (!metrics)
        return;
    drop_all(metrics);
    for (uint32_t i = 0; i < metrics->count; i++) {
        mst_map_done(&metrics->families[i].by_key);
        mst_free(metrics->families[i].own_bounds);
    }
    mst_free(metrics->families);
    mst_free(metrics->by_name);
    mst_free(metrics);
}

/* ---- series ---- */

static struct mst_series *series_new(const struct family *family, const struct mst_str *values)
{
    struct mst_series *series = mst_calloc(1, sizeof(*series));
    series->family = family->what;
    series->bounds = family->bounds;
    if (family->what->type == MST_HISTOGRAM)
        series->buckets = mst_calloc(family->what->bucket_count + 1, sizeof(*series->buckets));
    for (uint32_t i = 0; i < family->label_count; i++) {
        char *copy = mst_calloc(values[i].n + 1, 1);
        memcpy(copy, values[i].n ? values[i].p : "", values[i].n);
        series->labels[i] = (struct mst_str){ copy, values[i].n };
    }
    return series;
}

/* Where the values end is said before them. On the stack unless they are long. */
static struct mst_str key_of(const struct family *family, const struct mst_str *values, char *space,
                             struct mst_buf *large)
{
    size_t n = 0;
    for (uint32_t i = 0; i < family->label_count; i++)
        n += sizeof(uint32_t) + values[i].n;
    if (n > KEY_BYTES_MAX) {
        mst_buf_reserve(large, n);
        space = large->p;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < family->label_count; i++) {
        const uint32_t length = (uint32_t)values[i].n;
        memcpy(space + at, &length, sizeof(length));
        at += sizeof(length);
        memcpy(space + at, length ? values[i].p : "", length);
        at += length;
    }
    return (struct mst_str){ space, n };
}

struct mst_series *mst_metrics_series(struct mst_metrics *metrics, uint32_t family_i,
                                      const struct mst_str *label_values)
{
    mst_assert(family_i < metrics->count);
    struct family *family = &metrics->families[family_i];
    MST_AUTO(mst_buf) large = { 0 };
    char space[KEY_BYTES_MAX];
    uint64_t found;
    const struct mst_str key = key_of(family, label_values, space, &large);
    if (mst_map_get(&family->by_key, key, &found))
        return (struct mst_series *)(uintptr_t)found;
    struct mst_series *series = series_new(family, label_values);
    (void)mst_map_set(&family->by_key, key, (uintptr_t)series);
    return series;
}

void mst_series_add(struct mst_series *series, double delta)
{
    mst_assert(series->family->type == MST_GAUGE ||
               (series->family->type == MST_COUNTER && delta >= 0));
    series->value += delta;
}

void mst_series_set(struct mst_series *series, double value)
{
    mst_assert(series->family->type != MST_HISTOGRAM);
    series->value = value;
}

void mst_series_observe(struct mst_series *series, double value)
{
    mst_series_observe_n(series, value, 1);
}

void mst_series_observe_n(struct mst_series *series, double value, uint64_t times)
{
    mst_assert(series->family->type == MST_HISTOGRAM);
    const uint32_t count = series->family->bucket_count;
    uint32_t i = 0;
    while (i < count && !(value <= series->bounds[i]))
        i++;
    series->buckets[i] += times;
    series->count += times;
    series->value += value * (double)times;
}

/* ---- text ---- */

/* As Go's strconv.FormatFloat(value, 'g', -1, 64), with Prometheus' names for what is no number. */
void mst_metrics_print_number(struct mst_buf *out, double value)
{
    enum { DIGITS_MAX = 17, EXPONENT_MIN = -4, EXPONENT_MAX = 5 };
    char text[40];
    if (isnan(value) || isinf(value)) {
        mst_buf_text(out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
        return;
    }
    if (value == 0) {
        mst_buf_char(out, '0'); /* also -0 */
        return;
    }
    int digits = 1;
    snprintf(text, sizeof(text), "%.0e", value);
    while (strtod(text, NULL) != value && digits < DIGITS_MAX)
        snprintf(text, sizeof(text), "%.*e", digits++, value);
    const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent < EXPONENT_MIN || exponent > EXPONENT_MAX)
        mst_buf_text(out, text);
    else
        mst_buf_printf(out, "%.*f", MST_MAX(digits - 1 - exponent, 0), value);
}

/* In runs: nearly always there is nothing to escape. */
static void print_escaped(struct mst_buf *out, struct mst_str text, bool quotes)
{
    size_t begin = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (c != '\\' && c != '\n' && !(quotes && c == '"'))
            continue;
        mst_buf_add(out, text.p + begin, i - begin);
        mst_buf_char(out, '\\');
        mst_buf_char(out, c == '\n' ? 'n' : c);
        begin = i + 1;
    }
    if (begin < text.n)
        mst_buf_add(out, text.p + begin, text.n - begin);
}

void mst_metrics_print_value(struct mst_buf *out, struct mst_str value)
{
    print_escaped(out, value, true);
}

/* `bound`: the label le, or NULL. */
static void print_sample(struct mst_buf *out, const struct family *family,
                         const struct mst_series *series, const char *suffix, const double *bound,
                         double value)
{
    char before = '{';
    mst_buf_text(out, family->what->name);
    mst_buf_text(out, suffix);
    for (uint32_t i = 0; i < family->label_count; i++) {
        mst_buf_char(out, before);
        before = ',';
        mst_buf_text(out, family->what->labels[family->order[i]]);
        mst_buf_text(out, "=\"");
        print_escaped(out, series->labels[family->order[i]], true);
        mst_buf_char(out, '"');
    }
    if (bound) {
        mst_buf_char(out, before);
        before = ',';
        mst_buf_text(out, "le=\"");
        mst_metrics_print_number(out, *bound);
        mst_buf_char(out, '"');
    }
    mst_buf_text(out, before == ',' ? "} " : " ");
    mst_metrics_print_number(out, value);
    mst_buf_char(out, '\n');
}

static void print_series(struct mst_buf *out, const struct family *family,
                         const struct mst_series *series)
{
    const double infinity = (double)INFINITY;
    if (family->what->type != MST_HISTOGRAM) {
        print_sample(out, family, series, "", NULL, series->value);
        return;
    }
    uint64_t below = 0;
    for (uint32_t i = 0; i < family->what->bucket_count; i++) {
        below += series->buckets[i];
        print_sample(out, family, series, "_bucket", &family->bounds[i], (double)below);
    }
    print_sample(out, family, series, "_bucket", &infinity, (double)series->count);
    print_sample(out, family, series, "_sum", NULL, series->value);
    print_sample(out, family, series, "_count", NULL, (double)series->count);
}

static int compare_series(const void *a, const void *b, void *ctx)
{
    const struct family *family = ctx;
    const struct mst_series *x = *(struct mst_series *const *)a,
                            *y = *(struct mst_series *const *)b;
    int order = 0;
    for (uint32_t i = 0; i < family->label_count && !order; i++)
        order = mst_str_cmp(x->labels[family->order[i]], y->labels[family->order[i]]);
    return order;
}

static void print_family(struct mst_buf *out, struct family *family)
{
    static const char *const types[] = {
        [MST_COUNTER] = "counter",
        [MST_GAUGE] = "gauge",
        [MST_HISTOGRAM] = "histogram",
    };
    const struct mst_metric_family *what = family->what;
    const struct mst_map_entry *entry;
    MST_VEC(struct mst_series *) sorted = { 0 };
    for (uint32_t at = 0; mst_map_next(&family->by_key, &at, &entry);)
        mst_vec_push(&sorted, series_of(entry));
    mst_sort(sorted.v, sorted.n, sizeof(*sorted.v), compare_series, family);
    if (sorted.n) {
        mst_buf_printf(out, "# HELP %s ", what->name);
        if (what->stability)
            mst_buf_printf(out, "[%s] ", what->stability);
        print_escaped(out, mst_str_of(what->help), false);
        mst_buf_printf(out, "\n# TYPE %s %s\n", what->name, types[what->type]);
    }
    for (uint32_t i = 0; i < sorted.n; i++)
        print_series(out, family, sorted.v[i]);
    mst_vec_done(&sorted);
}

void mst_metrics_print(const struct mst_metrics *metrics, struct mst_buf *out)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        print_family(out, &metrics->families[metrics->by_name[i]]);
}
