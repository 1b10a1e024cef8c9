/*
 * scheduler.h - the engine on an event loop: what the API server tells goes in, what the engine
 * wants is carried out.
 *
 * Owns:       engine, feeds, writer, calls to extenders, the shadow of a dry run.
 * Invariants: nothing is attempted before everything was listed once, nor while somebody else
 *             leads; the loop is never held longer than TURN_NS by decisions; all of the engine's
 *             input comes through here, and so into the recording.
 * Not here:   the process (process.c): signals, leader election, serving.
 */
#ifndef MST_SCHEDULER_H
#define MST_SCHEDULER_H

#include "client/writer.h"
#include "daemon/feeds.h"
#include "daemon/pod_amounts.h"
#include "daemon/shadow.h"
#include "sim/record.h"

struct mst_scheduler;

struct mst_scheduler_options {
    struct event_base *loop;
    struct mst_client *client; /* requests under the configured limit */
    struct mst_syms *syms;
    const struct mst_config *config; /* read, with its gates */
    const struct mst_registry *registry;
    const struct mst_log *log;
    struct mst_served_apis served;
    const char *hostname; /* for Events */
    bool dry_run;
    bool random_ties;
    uint64_t seed;
    double events_qps;             /* 0: the writer's default */
    struct mst_recorder *recorder; /* NULL: none */
    void (*synced)(void *ctx);     /* everything was listed once; may be NULL */
    void (*drained)(void *ctx);    /* after mst_scheduler_drain: nothing is under way any more */
    struct mst_stats *stats;       /* where the engine counts; NULL: nowhere */
    const struct mst_marks *marks; /* where it tells what it does; NULL: nowhere */
    bool keep_amounts;             /* what pods ask for, exact: mst_scheduler_amounts */
    /* After each step that did something, with how long it took; may be NULL. */
    void (*stepped)(void *ctx, const struct mst_engine *engine, int64_t took_ns);
    void *ctx;
};

/* Errors of the configuration (extenders' files, plugins that cannot be made). */
mst_rc mst_scheduler_new(const struct mst_scheduler_options *options, struct mst_scheduler **out,
                         struct mst_err *err) MST_WARN_UNUSED;
void mst_scheduler_free(struct mst_scheduler *scheduler);

/* From now on entities are attempted (once everything is listed). */
void mst_scheduler_lead(struct mst_scheduler *scheduler);
/* No further attempt; `drained` follows when what was decided is carried out. */
void mst_scheduler_drain(struct mst_scheduler *scheduler);

/* Everything was listed once. */
bool mst_scheduler_synced(const struct mst_scheduler *scheduler);
/* What it is made of; borrowed, for looking. */
struct mst_engine *mst_scheduler_engine(struct mst_scheduler *scheduler);
/* Never NULL. */
const struct mst_feeds *mst_scheduler_feeds(const struct mst_scheduler *scheduler);
/* NULL in a dry run. */
const struct mst_writer *mst_scheduler_writer(const struct mst_scheduler *scheduler);
/* NULL but in a dry run. */
const struct mst_shadow *mst_scheduler_shadow(const struct mst_scheduler *scheduler);
/* NULL unless they are kept. */
const struct mst_pod_amounts *mst_scheduler_amounts(const struct mst_scheduler *scheduler);
/* The engine's time. */
int64_t mst_scheduler_now(const struct mst_scheduler *scheduler);

#endif
