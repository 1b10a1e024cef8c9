/*
 * metrics.h - counters, gauges and histograms, printed in the Prometheus text format.
 *
 * Families are declared once, in a table; a series is made by its label values when it is first
 * used, that of a family without labels from the start unless the family says `when_used`. A family
 * without series is not printed.
 * Printing is deterministic: families by name, series by the values of their labels, these by name.
 *
 * Cost: an observation is a lookup of the label values and an addition; mst_series once and then
 * mst_series_add where it is hot.
 */
#ifndef MST_METRICS_H
#define MST_METRICS_H

#include "base/mem.h"

typedef enum { MST_COUNTER, MST_GAUGE, MST_HISTOGRAM } mst_metric_type;

enum { MST_METRIC_LABELS_MAX = 9 };

struct mst_metric_family {
    const char *name;      /* "scheduler_schedule_attempts_total" */
    const char *help;      /* without the stability, which is printed before it */
    const char *stability; /* "STABLE", "BETA", "ALPHA"; NULL: none is printed */
    mst_metric_type type;
    const char *labels[MST_METRIC_LABELS_MAX]; /* NULL-terminated if fewer */
    /* histograms: the bounds, or E(start, factor, count) */
    const double *bounds; /* static; rising */
    double bucket_start, bucket_factor;
    uint32_t bucket_count;
    bool when_used; /* no series before it is asked for */
};

struct mst_metrics;
struct mst_series;

/* `families` is static and outlives the registry. Names are unique. */
struct mst_metrics *mst_metrics_new(const struct mst_metric_family *families, uint32_t count);
void mst_metrics_free(struct mst_metrics *metrics);

/* Label values of one series, as many as its family has labels. */
struct mst_label_values {
    struct mst_str v[MST_METRIC_LABELS_MAX];
};
#define MST_LABEL_VALUES(...) ((struct mst_label_values){ { __VA_ARGS__ } })

/*
 * The series of these label values (as many as the family has labels), made if need be. Valid until
 * the registry is reset.
 */
struct mst_series *mst_metrics_series(struct mst_metrics *metrics, uint32_t family,
                                      const struct mst_str *label_values);
/* Asserted: what the family's type can do; counters never go down. */
void mst_series_add(struct mst_series *series, double delta); /* counters, gauges */
/* Gauges, and counters that are kept elsewhere (by the kernel, say). */
void mst_series_set(struct mst_series *series, double value);
void mst_series_observe(struct mst_series *series, double value); /* histograms */
void mst_series_observe_n(struct mst_series *series, double value, uint64_t times);

/* Drops every series, and makes those without labels anew. Pointers to series become invalid. */
void mst_metrics_reset(struct mst_metrics *metrics);
/* Appends the text format, version 0.0.4. */
void mst_metrics_print(const struct mst_metrics *metrics, struct mst_buf *out);

/* For what is printed without a registry: the value of a label, without quotes; and a number. */
void mst_metrics_print_value(struct mst_buf *out, struct mst_str value);
void mst_metrics_print_number(struct mst_buf *out, double value);

#endif
