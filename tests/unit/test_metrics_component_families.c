/* The tables of families against what kube-scheduler serves: names, types, labels, buckets. */
#include <stdlib.h>

#include "base/sort.h"
#include "daemon/metrics_component.h"
#include "daemon/metrics_families.h"
#include "tap.h"
#include "upstream_metrics.h"

static const struct mst_metric_family *find_in(const struct mst_metric_family *families,
                                               uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

/* Printed without a registry: pod_amounts.c, and test_pod_amounts.c says that this is how. */
#define RESOURCE(name_)                                                                            \
    {                                                                                              \
        .name = name_, .stability = "STABLE", .type = MST_GAUGE, .labels = {                       \
            "namespace",                                                                           \
            "node",                                                                                \
            "pod",                                                                                 \
            "priority",                                                                            \
            "resource",                                                                            \
            "scheduler",                                                                           \
            "unit"                                                                                 \
        }                                                                                          \
    }
static const struct mst_metric_family resources[] = { RESOURCE("kube_pod_resource_limit"),
                                                      RESOURCE("kube_pod_resource_request") };

static const struct mst_metric_family *find(const char *page, const char *name)
{
    if (strcmp(page, "/metrics/slis") == 0)
        return find_in(mst_sli_families, MST_SLI_COUNT, name);
    if (strcmp(page, "/metrics/resources") == 0)
        return find_in(resources, MST_COUNT(resources), name);
    const struct mst_metric_family *found = find_in(mst_component_families, MST_CF_COUNT, name);
    return found ? found : find_in(mst_families, MST_FAM_COUNT, name);
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void same_labels(struct mst_test *t, const struct mst_metric_family *family,
                        const char *want)
{
    const char *sorted[MST_METRIC_LABELS_MAX];
    MST_AUTO(mst_buf) text = { 0 };
    uint32_t n = 0;
    while (n < MST_METRIC_LABELS_MAX && family->labels[n])
        sorted[n] = family->labels[n], n++;
    mst_sort(sorted, n, sizeof(*sorted), compare_texts, NULL);
    for (uint32_t i = 0; i < n; i++)
        mst_buf_printf(&text, "%s%s", i ? "," : "", sorted[i]);
    t_str(t, mst_buf_span(&text), want);
}

static void same_bounds(struct mst_test *t, const struct mst_metric_family *family,
                        const char *want)
{
    double bound = family->bucket_start;
    uint32_t n = 0;
    char *end = (char *)(uintptr_t)want;
    for (double value = strtod(want, &end); end != want; value = strtod(want, &end), n++) {
        t_ok(t, n < family->bucket_count);
        t_ok(t, (family->bounds ? family->bounds[n] : bound) == value);
        bound *= family->bucket_factor;
        want = end;
    }
    t_int(t, n, family->bucket_count);
}

static void test_families_are_upstreams(struct mst_test *t)
{
    static const char *const types[] = { "counter", "gauge", "histogram" };
    uint32_t have = 0;
    for (size_t i = 0; i < MST_COUNT(upstream_families); i++) {
        const struct upstream_family *want = &upstream_families[i];
        const struct mst_metric_family *got = find(want->page, want->name);
        t_case(t, want->name);
        t_bool(t, got != NULL, want->why == HAVE);
        if (!got || want->why != HAVE)
            continue;
        have++;
        t_text(t, types[got->type], want->type);
        t_text(t, got->stability ? got->stability : "", want->stability ? want->stability : "");
        same_labels(t, got, want->labels);
        if (want->bounds)
            same_bounds(t, got, want->bounds);
    }
    t_int(t, have, 50);
}

/* What dashboards and alerts of kubernetes-mixin look at is there, whatever else is not. */
static void test_dashboards_find_theirs(struct mst_test *t)
{
    static const char *const names[] = {
        "rest_client_requests_total",
        "rest_client_request_duration_seconds",
        "kubernetes_build_info",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "scheduler_scheduling_attempt_duration_seconds",
        "scheduler_scheduling_algorithm_duration_seconds",
        "scheduler_schedule_attempts_total",
        "scheduler_pending_pods",
        "scheduler_goroutines",
        "scheduler_framework_extension_point_duration_seconds",
    };
    for (size_t i = 0; i < MST_COUNT(names); i++) {
        t_case(t, names[i]);
        t_ok(t, find("/metrics", names[i]));
    }
}

static void test_helps_and_names(struct mst_test *t)
{
    for (uint32_t i = 0; i < MST_CF_COUNT; i++) {
        const struct mst_metric_family *family = &mst_component_families[i];
        t_case(t, family->name);
        t_ok(t, family->help && family->help[strlen(family->help) - 1] == '.');
        for (uint32_t k = 0; k < i; k++)
            t_ok(t, strcmp(mst_component_families[k].name, family->name) != 0);
        t_ok(t, !find_in(mst_families, MST_FAM_COUNT, family->name));
    }
}

MST_TEST_MAIN(T(test_families_are_upstreams), T(test_dashboards_find_theirs),
              T(test_helps_and_names))
