/*
 * endpoints.h - what the scheduler answers over HTTP: health, metrics, configuration.
 *
 * /healthz /livez /readyz   "ok", or with ?verbose or on failure one line for each check;
 *                           ?exclude=NAME leaves checks out; /healthz/NAME is one check alone
 * /metrics, /metrics/slis, /metrics/resources
 *                           GET: Prometheus' text; DELETE: starts anew
 * /configz                  GET: the configuration in use, as JSON
 *
 * Not here:   who may ask (authn.h); how the answers' contents come about.
 * Source:     kubernetes v1.37 apiserver pkg/server/healthz; component-base metrics/legacyregistry,
 *             configz.
 */
#ifndef MST_ENDPOINTS_H
#define MST_ENDPOINTS_H

#include "server/https.h"

/* True: healthy. Else `why` says what is wrong, for the log and for /healthz/NAME. */
typedef bool mst_health_fn(void *ctx, struct mst_err *why);

struct mst_health_check {
    const char *name;
    mst_health_fn *check;
    void *ctx;
};

/* The checks of one endpoint, in the order in which they are shown. None: "ping" alone. */
struct mst_health {
    const struct mst_health_check *checks;
    uint32_t count;
};

/* Get the `ctx` of the endpoints. */
struct mst_metrics_page {
    void (*print)(void *ctx, struct mst_buf *out);
    void (*reset)(void *ctx);
};

/* Borrowed for as long as requests come. */
struct mst_endpoints {
    const struct mst_log *log; /* or NULL */
    struct mst_health healthz, livez, readyz;
    struct mst_metrics_page metrics, slis, resources;
    /* A check was made for all of an endpoint ("healthz"), not alone. May be NULL. */
    void (*checked)(void *ctx, const char *check, const char *endpoint, bool healthy);
    void (*configz)(void *ctx, struct mst_buf *out);
    void *ctx;
};

/* Always healthy: the process answers. */
mst_health_fn mst_health_ping;

/* Answers the request, also one for a path that is none of these (404) or a wrong method (405). */
void mst_endpoints_answer(const struct mst_endpoints *endpoints, struct mst_https_request *request);

#endif
