/*
 * snapshot.h - the objects of a cluster that scheduling depends on, listed once.
 *
 * Owns:       the answers of the server, the requests under way. Borrows loop and client.
 * Invariants: `done` is told once, from the loop, never from within mst_snapshot_new; each kind is
 *             whole and of one resourceVersion, but two kinds may be of different moments: a pod
 *             may name a node that is not there yet.
 * Not here:   what the objects mean; where the server is.
 */
#ifndef MST_SNAPSHOT_H
#define MST_SNAPSHOT_H

#include "client/client.h"

struct mst_snapshot;

/* One page of a list, as the server answered: a typed list in JSON. */
struct mst_snapshot_document {
    struct mst_str label; /* "cluster/pods", "cluster/pods#2" */
    struct mst_str text;
};

struct mst_snapshot_options {
    struct event_base *loop;
    struct mst_client *client;
    int64_t retry_min_ms; /* before a question is asked again; doubled each time; 0: 500 */
    /*
     * Everything is there, or `err` says why not. What was not listed since it is not served or
     * not allowed, and can be done without, is in the notes.
     */
    void (*done)(void *ctx, const struct mst_err *err);
    void (*progress)(void *ctx); /* another page is there; may be NULL */
    void *ctx;
};

struct mst_snapshot *mst_snapshot_new(const struct mst_snapshot_options *options);
void mst_snapshot_free(struct mst_snapshot *snapshot);

/* Nodes first, groups and priority classes last; pages in order. Valid while the snapshot is. */
const struct mst_snapshot_document *mst_snapshot_documents(const struct mst_snapshot *snapshot,
                                                           uint32_t *ret_count);
/* What people should know about what is missing; one line each. */
const struct mst_str *mst_snapshot_notes(const struct mst_snapshot *snapshot, uint32_t *ret_count);

struct mst_snapshot_stats {
    uint64_t objects, bytes;
    uint32_t kinds_done, kinds;
};
/* How far it is, at any time; what was dropped to begin again does not count. */
struct mst_snapshot_stats mst_snapshot_stats_of(const struct mst_snapshot *snapshot);

#endif
