/*
 * reflector.h - the objects of one resource, followed: listed, watched, listed again when the watch
 * cannot go on, told as changes.
 *
 * Owns:       the key, UID and resourceVersion of every object there is (for the difference after
 *             a new list), the request under way, backoff.
 * Invariants: what was told, applied in order, is the state of the server at one of its versions,
 *             but while a list is under way, whose items are told as they come (each object is at
 *             one of its versions then, and never at an older one than before, unless the server
 *             has lost its newest versions); a new list tells what differs and no more; nothing is
 *             told twice for one version.
 * Source:     kubernetes v1.37 client-go tools/cache (reflector.go), spec/api.md on watches.
 */
#ifndef MST_REFLECTOR_H
#define MST_REFLECTOR_H

#include "api/api.h"
#include "client/client.h"

struct mst_reflector;

struct mst_reflector_options {
    struct event_base *loop;
    struct mst_client *client;
    struct mst_api *api; /* gates and symbols; its arena and diags are replaced per object */
    const struct mst_log *log;
    mst_kind kind;
    const char *path;       /* "/api/v1/pods" */
    const char *query;      /* further parameters, "fieldSelector=..."; NULL: none */
    bool protobuf;          /* ask for protobuf first; JSON is understood all the same */
    bool optional;          /* 404 (and 403) count as "no objects"; looked for again at times */
    bool watch_list;        /* stream the first list (sendInitialEvents); falls back to pages */
    uint32_t page;          /* objects per page of a list; 0: 500 */
    int64_t backoff_min_ms; /* 0: 800 */
    int64_t backoff_max_ms; /* 0: 30,000 */
    uint64_t seed;          /* of the jitter */
    /*
     * An object is new or changed. Borrowed for the call, decoded and defaulted. `old` bytes are
     * not kept: who needs them keeps the object.
     */
    void (*set)(void *ctx, const struct mst_object *object);
    /* An object is gone; kind, namespace, name and UID are filled in, the rest is not. */
    void (*gone)(void *ctx, const struct mst_object *object);
    /* The first list is told whole (also: an optional resource is not served). Once. */
    void (*synced)(void *ctx);
    void *ctx;
};

/* Starts with the loop. Bad objects cost themselves: logged with their name, then left out. */
struct mst_reflector *mst_reflector_new(const struct mst_reflector_options *options);
void mst_reflector_free(struct mst_reflector *reflector);

/* Has `synced` been told? It stays true. */
bool mst_reflector_has_synced(const struct mst_reflector *reflector);
/* Is the resource served? Known once synced; an optional one may come and go. */
bool mst_reflector_served(const struct mst_reflector *reflector);
/* Objects known now. */
uint32_t mst_reflector_count(const struct mst_reflector *reflector);

/* Since the start. `lists` counts pages, `watches` initial streams too; bytes are of bodies. */
struct mst_reflector_stats {
    uint64_t lists, watches, events, bookmarks, bytes, bad_objects;
};
struct mst_reflector_stats mst_reflector_stats_of(const struct mst_reflector *reflector);

#endif
