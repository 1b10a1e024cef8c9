/*
 * metrics_component_families.c - the families of every component, in a table.
 */
#include "daemon/metrics_component.h"

static const double duration_bounds[] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60 };
static const double size_bounds[] = { 64,    256,    512,     1024,    4096,    16384,
                                      65536, 262144, 1048576, 4194304, 16777216 };

/* clang-format off */
#define FAMILY(type_, name_, stability_, help_, ...)                                               \
    { .name = name_, .stability = stability_, .help = help_, .type = type_,                        \
      .labels = { __VA_ARGS__ }, .when_used = true }
#define HISTOGRAM(name_, bounds_, help_, ...)                                                      \
    { .name = name_, .stability = "ALPHA", .help = help_, .type = MST_HISTOGRAM,                   \
      .labels = { __VA_ARGS__ }, .bounds = bounds_, .bucket_count = MST_COUNT(bounds_) }
#define PROCESS(type_, name_, help_)                                                               \
    { .name = "process_" name_, .help = help_, .type = type_, .when_used = true }

const struct mst_metric_family mst_component_families[MST_CF_COUNT] = {
    [MST_CF_REQUESTS] =
        FAMILY(MST_COUNTER, "rest_client_requests_total", "ALPHA",
               "Requests to the API server, by the status of the answer, or <error> without one.",
               "code", "method", "host"),
    [MST_CF_REQUEST_DURATION] =
        HISTOGRAM("rest_client_request_duration_seconds", duration_bounds,
                  "Time that requests took, what the rate limit held them back for included; "
                  "without watches.", "verb", "host"),
    [MST_CF_REQUEST_SIZE] =
        HISTOGRAM("rest_client_request_size_bytes", size_bounds,
                  "Size of the bodies of requests, without watches.", "verb", "host"),
    [MST_CF_RESPONSE_SIZE] =
        HISTOGRAM("rest_client_response_size_bytes", size_bounds,
                  "Size of the bodies of answers, unpacked, without watches.", "verb", "host"),
    [MST_CF_LIMITER_DURATION] =
        HISTOGRAM("rest_client_rate_limiter_duration_seconds", duration_bounds,
                  "Time that the rate limit (clientConnection.qps and burst) held requests back.",
                  "verb", "host"),
    [MST_CF_PLUGIN_CALLS] =
        FAMILY(MST_COUNTER, "rest_client_exec_plugin_call_total", "ALPHA",
               "Runs of the exec plug-in that has the credentials, by how they ended.",
               "code", "call_status"),
    [MST_CF_CPU] = PROCESS(MST_COUNTER, "cpu_seconds_total",
                           "Processor time, of the program and of the kernel for it."),
    [MST_CF_RESIDENT] = PROCESS(MST_GAUGE, "resident_memory_bytes", "Memory in use."),
    [MST_CF_VIRTUAL] = PROCESS(MST_GAUGE, "virtual_memory_bytes", "Address space in use."),
    [MST_CF_VIRTUAL_MAX] =
        PROCESS(MST_GAUGE, "virtual_memory_max_bytes", "Limit of the address space."),
    [MST_CF_FILES] = PROCESS(MST_GAUGE, "open_fds", "Open file descriptors."),
    [MST_CF_FILES_MAX] = PROCESS(MST_GAUGE, "max_fds", "Limit of open file descriptors."),
    [MST_CF_START] =
        PROCESS(MST_GAUGE, "start_time_seconds", "When the process started, in Unix time."),
    [MST_CF_RECEIVED] =
        PROCESS(MST_COUNTER, "network_receive_bytes_total",
                "Bytes that came over the network, of the process' network namespace."),
    [MST_CF_SENT] =
        PROCESS(MST_COUNTER, "network_transmit_bytes_total",
                "Bytes that went over the network, of the process' network namespace."),
    [MST_CF_BUILD] =
        FAMILY(MST_GAUGE, "kubernetes_build_info", "BETA",
               "1; the labels say which Kubernetes it stands in for. See also muster_build_info.",
               "major", "minor", "git_version", "git_commit", "git_tree_state", "build_date",
               "go_version", "compiler", "platform"),
    [MST_CF_MUSTER_BUILD] =
        FAMILY(MST_GAUGE, "muster_build_info", "ALPHA", "1; the labels say which muster it is.",
               "version", "commit", "compiler"),
    [MST_CF_VERSION] =
        FAMILY(MST_GAUGE, "version_info", "ALPHA",
               "1; the labels say which Kubernetes it stands in for, and which is emulated.",
               "component", "binary", "emulation", "min_compat"),
    [MST_CF_FEATURE] =
        FAMILY(MST_GAUGE, "kubernetes_feature_enabled", "BETA",
               "Whether a feature gate that concerns the scheduler is on.", "name", "stage"),
    [MST_CF_LEADS] =
        FAMILY(MST_GAUGE, "leader_election_master_status", "ALPHA",
               "Whether it leads: 1, or waits: 0, by the name of the Lease.", "name"),
    [MST_CF_SLOW_RENEWALS] =
        FAMILY(MST_COUNTER, "leader_election_slowpath_total", "ALPHA",
               "Renewals of the Lease that had to read it first.", "name"),
};

const struct mst_metric_family mst_sli_families[MST_SLI_COUNT] = {
    [MST_SLI_CHECK] =
        FAMILY(MST_GAUGE, "kubernetes_healthcheck", "STABLE",
               "Whether a health check was passed when it was made last.", "name", "type"),
    [MST_SLI_CHECKS] =
        FAMILY(MST_COUNTER, "kubernetes_healthchecks_total", "STABLE",
               "Health checks that were made, by how they ended.", "name", "type", "status"),
    [MST_SLI_START] =
        FAMILY(MST_GAUGE, "process_start_time_seconds", "ALPHA",
               "When the process started, in Unix time."),
};
/* clang-format on */
