/*
 * feeds.h - everything that the engine follows at the API server: one reflector per kind.
 *
 * Owns:       the reflectors. Borrows client, loop, log.
 * Invariants: `synced` is told once, when the first list of every kind was told whole.
 */
#ifndef MST_FEEDS_H
#define MST_FEEDS_H

#include "client/reflector.h"
#include "daemon/discover.h"
#include "framework/gates.h"

struct mst_feeds;

struct mst_feeds_options {
    struct event_base *loop;
    struct mst_client *client;
    const struct mst_log *log;
    struct mst_syms *syms;
    const struct mst_gates *gates;
    bool upstream; /* behaviour profile */
    struct mst_served_apis served;
    bool whole; /* JSON with every field: somebody else will be shown the objects */
    uint64_t seed;
    void (*set)(void *ctx, const struct mst_object *object);
    void (*gone)(void *ctx, const struct mst_object *object);
    void (*synced)(void *ctx);
    void *ctx;
};

struct mst_feeds *mst_feeds_new(const struct mst_feeds_options *options);
void mst_feeds_free(struct mst_feeds *feeds);

/* `synced` was told. */
bool mst_feeds_synced(const struct mst_feeds *feeds);
/* The kinds whose first list is not there yet, for people: "Pod, Node". */
void mst_feeds_missing(const struct mst_feeds *feeds, struct mst_buf *out);
/* Over all kinds: objects known now, bytes read since the start. */
struct mst_feeds_size {
    uint64_t objects, bytes;
};
struct mst_feeds_size mst_feeds_size_of(const struct mst_feeds *feeds);

#endif
