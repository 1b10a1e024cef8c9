/*
 * metrics_component.h - the metrics that every component of Kubernetes has: its requests to the API
 * server, its process, its version, its feature gates, whether it leads, and its health checks.
 *
 * Names, labels, buckets and stability are upstream's; helps are our own words. What only a Go
 * program has (go_*, rest_client_transport_*, workqueue_*) is not there.
 *
 * Owns:       two registries: that of /metrics and that of /metrics/slis.
 * Invariants: what is a fact and no count (versions, gates, the process, who leads) is the same
 *             after a reset. Differs: upstream forgets versions and gates until it is restarted.
 * Source:     kubernetes v1.37 component-base metrics/prometheus/{restclient,version,feature,slis,
 *             compatversion,clientgo/leaderelection}; client-go rest/request.go; prometheus
 *             client_golang process_collector.go.
 */
#ifndef MST_METRICS_COMPONENT_H
#define MST_METRICS_COMPONENT_H

#include "client/client.h"
#include "framework/gates.h"
#include "server/metrics.h"

typedef enum {
    MST_CF_REQUESTS,
    MST_CF_REQUEST_DURATION,
    MST_CF_REQUEST_SIZE,
    MST_CF_RESPONSE_SIZE,
    MST_CF_LIMITER_DURATION,
    MST_CF_PLUGIN_CALLS,
    MST_CF_CPU,
    MST_CF_RESIDENT,
    MST_CF_VIRTUAL,
    MST_CF_VIRTUAL_MAX,
    MST_CF_FILES,
    MST_CF_FILES_MAX,
    MST_CF_START,
    MST_CF_RECEIVED,
    MST_CF_SENT,
    MST_CF_BUILD,
    MST_CF_MUSTER_BUILD,
    MST_CF_VERSION,
    MST_CF_FEATURE,
    MST_CF_LEADS,
    MST_CF_SLOW_RENEWALS,
    MST_CF_COUNT,
} mst_component_fam;

typedef enum { MST_SLI_CHECK, MST_SLI_CHECKS, MST_SLI_START, MST_SLI_COUNT } mst_sli_fam;

extern const struct mst_metric_family mst_component_families[MST_CF_COUNT];
extern const struct mst_metric_family mst_sli_families[MST_SLI_COUNT];

/* Of muster itself, not of the Kubernetes that it stands in for; static text, NULL: not said. */
struct mst_build {
    const char *version, *commit, *compiler;
};

/* Who leads; `name` absent: there is no election. */
struct mst_leading {
    struct mst_str name;
    bool leads;
    uint64_t slow_renewals;
};

struct mst_component_metrics;

struct mst_component_metrics *mst_component_metrics_new(const struct mst_gates *gates,
                                                        struct mst_build build);
void mst_component_metrics_free(struct mst_component_metrics *m);

/* A request to an API server: mst_client_options.seen. */
void mst_component_metrics_request(struct mst_component_metrics *m,
                                   const struct mst_request_seen *seen);
/* An exec plug-in ended: mst_client_options.plugin_ended. */
void mst_component_metrics_plugin(struct mst_component_metrics *m, const struct mst_exec_end *end);
/* A health check was made: "leaderElection" of "healthz". */
void mst_component_metrics_check(struct mst_component_metrics *m, const char *check,
                                 const char *endpoint, bool healthy);

/* Looks at the process and prints. `proc` is "/proc", but for tests. */
void mst_component_metrics_print(struct mst_component_metrics *m, const struct mst_leading *leading,
                                 const char *proc, struct mst_buf *out);
void mst_component_metrics_reset(struct mst_component_metrics *m);
/* The same for /metrics/slis. */
void mst_component_slis_print(struct mst_component_metrics *m, const char *proc,
                              struct mst_buf *out);
void mst_component_slis_reset(struct mst_component_metrics *m);

#endif
