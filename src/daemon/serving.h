/*
 * serving.h - the scheduler's HTTPS port: who may ask, and what is answered.
 *
 * Owns:       server, access checks, the registry of metrics and what it is fed from.
 * Invariants: until the scheduler is there, /readyz says so and the rest works all the same.
 * Source:     spec/scheduling.md 5, 5.1; spec/plugins.md 7 (flags).
 */
#ifndef MST_SERVING_H
#define MST_SERVING_H

#include "client/lease.h"
#include "cycle/stats.h"
#include "daemon/authn.h"
#include "daemon/metrics_component.h"
#include "daemon/scheduler.h"

struct mst_serving;

/* What the command line says about it. */
struct mst_serving_flags {
    const char *address;
    int port; /* 0: nothing is served, metrics are kept for nobody; negative: any free one */
    const char *cert_file, *key_file, *client_ca_file, *proxy_ca_file;
    const char *min_version, *ciphers;
    /* for reviews; NULL: the scheduler's own */
    const struct mst_connection *review_connection;
    mst_strs always_allow_paths;
    int64_t token_ttl_ms, allowed_ttl_ms, denied_ttl_ms;
    bool skip_lookup, strict_lookup;
    struct mst_front_proxy proxy;
};

struct mst_serving_options {
    struct event_base *loop;
    struct mst_client *client;
    const struct mst_config *config;
    const struct mst_log *log;
    struct mst_serving_flags flags;
    struct mst_build build;
    /*
     * Appends why a pod or a group is pending, as JSON or text, and returns an HTTP status. `kind`
     * is "pods", "podgroups", or absent for whatever is there.
     */
    int (*explain)(void *ctx, struct mst_engine *engine, int64_t now_ns, struct mst_str kind,
                   struct mst_str ns, struct mst_str name, bool json, struct mst_buf *out);
    /* strict_lookup: the cluster's authentication configuration could not be read. */
    void (*failed)(void *ctx, struct mst_str problem);
    void *ctx;
};

mst_rc mst_serving_new(const struct mst_serving_options *options, struct mst_serving **out,
                       struct mst_err *err) MST_WARN_UNUSED;
void mst_serving_free(struct mst_serving *serving);

/* 0: nothing is served. */
int mst_serving_port(const struct mst_serving *serving);
/* Where the engine counts; lives as long as `serving`. */
struct mst_stats *mst_serving_stats(struct mst_serving *serving);
/* The clock of what the engine marks, or NULL: nobody will ask. */
const struct mst_marks *mst_serving_marks(const struct mst_serving *serving);
/* A request of a client to the API server, a run of its exec plug-in: for mst_client_options. */
void mst_serving_seen(struct mst_serving *serving, const struct mst_request_seen *seen);
void mst_serving_plugin_ended(struct mst_serving *serving, const struct mst_exec_end *end);
/* Takes over what was counted in a step of this length. */
void mst_serving_stepped(struct mst_serving *serving, const struct mst_engine *engine,
                         int64_t took_ns);
/* From now on answers are about these; NULL: not there (any more). */
void mst_serving_show(struct mst_serving *serving, struct mst_scheduler *scheduler,
                      const struct mst_lease *lease);
/* /readyz fails: the process is about to end. */
void mst_serving_ending(struct mst_serving *serving);

#endif
