/*
 * The registry of metrics, and its text as Prometheus' Go client prints it. Numbers are what Go's
 * strconv.FormatFloat(f, 'g', -1, 64) gave for them.
 */
#include "server/metrics.h"

#include <math.h>

#include "tap.h"

enum { ATTEMPTS, DEPTH, LENGTH, LONE, FAMILY_COUNT };

static const struct mst_metric_family families[] = {
    [ATTEMPTS] = { "m_attempts_total", "How many\\ of them,\nby result.", "STABLE", MST_COUNTER,
                   .labels = { "result", "profile" } },
    [DEPTH] = { "m_depth", "Depth.", "ALPHA", MST_GAUGE, .labels = { "queue" } },
    [LENGTH] = { "m_length", "Length.", "BETA", MST_HISTOGRAM, .labels = { "kind" },
                 .bucket_start = 0.001, .bucket_factor = 2, .bucket_count = 3 },
    [LONE] = { "a_lone", "No labels.", "ALPHA", MST_HISTOGRAM, .bucket_start = 1,
               .bucket_factor = 10, .bucket_count = 1 },
};

static struct mst_metrics *new_metrics(void)
{
    return mst_metrics_new(families, FAMILY_COUNT);
}

static struct mst_series *series(struct mst_metrics *m, uint32_t family, const char *a,
                                 const char *b)
{
    const struct mst_str values[] = { mst_str_of(a), mst_str_of(b) };
    return mst_metrics_series(m, family, values);
}

static void printed(struct mst_test *t, const struct mst_metrics *m, const char *want)
{
    MST_AUTO(mst_buf) out = { 0 };
    mst_metrics_print(m, &out);
    t_str(t, mst_buf_span(&out), want);
}

#define LONE_EMPTY                                                                                 \
    "# HELP a_lone [ALPHA] No labels.\n# TYPE a_lone histogram\n"                                  \
    "a_lone_bucket{le=\"1\"} 0\na_lone_bucket{le=\"+Inf\"} 0\na_lone_sum 0\na_lone_count 0\n"

static void test_print_nothing_used(struct mst_test *t)
{
    struct mst_metrics *m = new_metrics();
    printed(t, m, LONE_EMPTY);
    mst_metrics_free(m);
    mst_metrics_free(NULL);
}

static void test_print_all(struct mst_test *t)
{
    struct mst_metrics *m = new_metrics();
    mst_series_add(series(m, ATTEMPTS, "scheduled", "b"), 2);
    mst_series_add(series(m, ATTEMPTS, "error", "b"), 1);
    mst_series_add(series(m, ATTEMPTS, "scheduled", "a\"\\\n"), 1);
    mst_series_add(series(m, ATTEMPTS, "scheduled", "b"), 1);
    mst_series_set(series(m, DEPTH, "active", NULL), 7);
    mst_series_add(series(m, DEPTH, "active", NULL), -9.5);
    mst_series_observe(series(m, LENGTH, "x", NULL), 0.002);
    mst_series_observe(series(m, LENGTH, "x", NULL), 0.0021);
    mst_series_observe_n(series(m, LENGTH, "x", NULL), 5, 3);
    printed(t, m,
            LONE_EMPTY "# HELP m_attempts_total [STABLE] How many\\\\ of them,\\nby result.\n"
                       "# TYPE m_attempts_total counter\n"
                       "m_attempts_total{profile=\"a\\\"\\\\\\n\",result=\"scheduled\"} 1\n"
                       "m_attempts_total{profile=\"b\",result=\"error\"} 1\n"
                       "m_attempts_total{profile=\"b\",result=\"scheduled\"} 3\n"
                       "# HELP m_depth [ALPHA] Depth.\n# TYPE m_depth gauge\n"
                       "m_depth{queue=\"active\"} -2.5\n"
                       "# HELP m_length [BETA] Length.\n# TYPE m_length histogram\n"
                       "m_length_bucket{kind=\"x\",le=\"0.001\"} 0\n"
                       "m_length_bucket{kind=\"x\",le=\"0.002\"} 1\n"
                       "m_length_bucket{kind=\"x\",le=\"0.004\"} 2\n"
                       "m_length_bucket{kind=\"x\",le=\"+Inf\"} 5\n"
                       "m_length_sum{kind=\"x\"} 15.0041\n"
                       "m_length_count{kind=\"x\"} 5\n");
    mst_metrics_reset(m);
    printed(t, m, LONE_EMPTY);
    mst_metrics_free(m);
}

static void test_numbers(struct mst_test *t)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 1, "1" },
        { -1, "-1" },
        { 0.1, "0.1" },
        { -0.0, "0" },
        { 100000, "100000" },
        { 999999, "999999" },
        { 1000000, "1e+06" },
        { 123456, "123456" },
        { 1234567, "1.234567e+06" },
        { 12345678.5, "1.23456785e+07" },
        { 1e20, "1e+20" },
        { 0.0001, "0.0001" },
        { 0.00001, "1e-05" },
        { 0.00001 * 1.5, "1.5000000000000002e-05" },
        { 0.015187500000000001, "0.015187500000000001" },
        { 16.384, "16.384" },
        { 123456789012345678.0, "1.2345678901234568e+17" },
        { (double)INFINITY, "+Inf" },
        { -(double)INFINITY, "-Inf" },
        { (double)NAN, "NaN" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        MST_AUTO(mst_buf) want = { 0 };
        struct mst_metrics *m = mst_metrics_new(&families[DEPTH], 1);
        mst_series_set(series(m, 0, "q", NULL), cases[i].value);
        mst_metrics_print(m, &out);
        mst_buf_printf(&want,
                       "# HELP m_depth [ALPHA] Depth.\n# TYPE m_depth gauge\n"
                       "m_depth{queue=\"q\"} %s\n%c",
                       cases[i].text, '\0');
        t_case(t, cases[i].text);
        t_str(t, mst_buf_span(&out), want.p);
        mst_metrics_free(m);
    }
}

/* Bounds that are given, no stability, no series before one is used, counters of the kernel's. */
static void test_as_others_print(struct mst_test *t)
{
    static const double bounds[] = { 0.5, 64 };
    static const struct mst_metric_family others[] = {
        { "o_size", "Size.", "ALPHA", MST_HISTOGRAM, .labels = { "verb" }, .bounds = bounds,
          .bucket_count = MST_COUNT(bounds) },
        { "o_cpu_total", "Time.", NULL, MST_COUNTER, .when_used = true },
    };
    struct mst_metrics *m = mst_metrics_new(others, MST_COUNT(others));
    printed(t, m, "");
    mst_series_set(mst_metrics_series(m, 1, NULL), 2.5);
    mst_series_observe(series(m, 0, "GET", NULL), 64);
    printed(t, m,
            "# HELP o_cpu_total Time.\n# TYPE o_cpu_total counter\no_cpu_total 2.5\n"
            "# HELP o_size [ALPHA] Size.\n# TYPE o_size histogram\n"
            "o_size_bucket{verb=\"GET\",le=\"0.5\"} 0\no_size_bucket{verb=\"GET\",le=\"64\"} 1\n"
            "o_size_bucket{verb=\"GET\",le=\"+Inf\"} 1\no_size_sum{verb=\"GET\"} 64\n"
            "o_size_count{verb=\"GET\"} 1\n");
    mst_metrics_reset(m);
    printed(t, m, "");
    mst_metrics_free(m);
}

/* Values that would be the same when written one after the other, and values of any length. */
static void test_series_are_told_apart(struct mst_test *t)
{
    static char text[2000];
    memset(text, 'x', sizeof(text) - 1);
    struct mst_metrics *m = new_metrics();
    struct mst_series *a = series(m, ATTEMPTS, "ab", "c"), *b = series(m, ATTEMPTS, "a", "bc");
    struct mst_series *c = series(m, ATTEMPTS, text, ""), *d = series(m, ATTEMPTS, "", text);
    t_ok(t, a != b && c != d);
    t_ok(t, a == series(m, ATTEMPTS, "ab", "c"));
    t_ok(t, d == series(m, ATTEMPTS, "", text));
    mst_metrics_free(m);
}

MST_TEST_MAIN(T(test_print_nothing_used), T(test_print_all), T(test_numbers),
              T(test_as_others_print), T(test_series_are_told_apart))
