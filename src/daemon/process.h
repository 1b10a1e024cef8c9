/*
 * process.h - `muster scheduler` from its first moment to its last: connect, ask what is served,
 * follow, lead, schedule, serve, drain.
 *
 * Owns:       the event loop and everything on it.
 * Invariants: SIGTERM and SIGINT end it in order: no new decision, what was decided is carried out,
 *             the lease is given back, exit code 0. A second signal ends it at once. A lost lease
 *             ends it with 1: what was decided may be another one's business by now.
 */
#ifndef MST_PROCESS_H
#define MST_PROCESS_H

#include "client/connection.h"
#include "daemon/serving.h"

struct mst_process;

struct mst_process_options {
    const struct mst_connection *connection;
    struct mst_syms *syms;
    const struct mst_config *config;
    const struct mst_registry *registry;
    const struct mst_log *log;
    double qps;
    int32_t burst;
    double events_qps;
    bool dry_run, random_ties;
    uint64_t seed;
    struct mst_recorder *recorder;
    struct mst_serving_flags serving;
    struct mst_build build;
    /* As mst_serving_options.explain. */
    int (*explain)(void *ctx, struct mst_engine *engine, int64_t now_ns, struct mst_str kind,
                   struct mst_str ns, struct mst_str name, bool json, struct mst_buf *out);
};

/* Runs until it is told to end; returns the exit code. Errors are said to the log. */
int mst_process_run(const struct mst_process_options *options);

#endif
