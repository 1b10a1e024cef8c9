/*
 * stream.h - what an API server answers to a list and to a watch, as objects, one at a time, in
 * JSON or protobuf.
 *
 * Owns:       a watch reader: the bytes of the event that is not complete yet.
 * Invariants: every object is decoded and defaulted; an object that cannot be decoded costs itself:
 *             it is NULL, its tape is there, and api->diags says why. An error of a reader means
 *             that the list or the stream cannot go on; every later call repeats it.
 * Not here:   connections, retries, what became of the objects (client/reflector.h).
 * Source:     kubernetes v1.37 apimachinery pkg/runtime/serializer/streaming, pkg/util/framer,
 *             meta/v1 WatchEvent; client-go tools/cache for the marks of bookmarks.
 */
#ifndef MST_STREAM_H
#define MST_STREAM_H

#include "api/api.h"
#include "api/proto.h"

typedef enum { MST_ENCODING_JSON, MST_ENCODING_PROTO } mst_encoding;

/* What to send as Accept. */
#define MST_ACCEPT_JSON "application/json"
#define MST_ACCEPT_PROTO "application/vnd.kubernetes.protobuf,application/json"

/* From a Content-Type, parameters (";stream=watch") aside; false when it is neither of the two. */
bool mst_encoding_of(struct mst_str content_type, mst_encoding *out);

/*
 * A single document of either encoding (an object, a Status) as a tape in `arena`. Points into
 * `body`.
 */
mst_rc mst_document_parse(mst_encoding encoding, struct mst_str body, struct mst_arena *arena,
                          const struct mst_value **out, struct mst_err *err) MST_WARN_UNUSED;

/* A metav1.Status: why an API server refused, or why a watch ends. */
struct mst_status_answer {
    int64_t code;                   /* 410 for "too old resource version"; 0: not said */
    struct mst_str reason, message; /* "Expired", ...; absent when not said */
    int64_t retry_after_s;          /* 0: not said */
};
/* False when the tape is no Status. Text points into the document. */
bool mst_status_answer_of(const struct mst_value *tape, struct mst_status_answer *out);

/* ---- lists ---- */

/*
 *     struct mst_list_reader list;
 *     rc = mst_list_open(&list, MST_ENCODING_PROTO, body, &arena, &err);
 *     while (rc == MST_OK && (rc = mst_list_next(&list, &api, &item, &err)) == MST_OK) {
 *         ...
 *         mst_arena_reset(api.arena);
 *     }
 *     ok = rc == MST_ENOTFOUND;
 *
 * The metadata is complete when mst_list_next has said MST_ENOTFOUND; what an API server sends has
 * it in front, so it is there from the beginning.
 */
struct mst_list_reader {
    struct mst_str resource_version; /* absent when the list has none */
    struct mst_str continue_;        /* absent on the last page */
    int64_t remaining;               /* items on later pages, -1: unknown */
    struct mst_str api_version;      /* of the items; absent when unknown */
    struct mst_str kind;
    uint32_t item_count; /* so far */
    /* the rest is the reader's */
    mst_encoding encoding;
    struct mst_proto_list proto;
    struct mst_json js;
    struct mst_arena *arena;
    bool in_items;
    mst_rc end; /* what every later call says; MST_OK: not at the end */
    struct mst_err err;
};

struct mst_list_item {
    const struct mst_value *tape;    /* in api->arena; for the name of what could not be decoded */
    const struct mst_object *object; /* decoded and defaulted, or NULL */
};

/*
 * Reads up to the first item.
 *
 * body     the whole answer; must outlive the reader and the objects. At most
 *          MST_DOCUMENT_BYTES_MAX.
 * arena    takes the reader's few texts; must not be the one of `api` if that is reset between
 *          items.
 * Errors   MST_EDECODE: no list. MST_ELIMIT.
 */
mst_rc mst_list_open(struct mst_list_reader *list, mst_encoding encoding, struct mst_str body,
                     struct mst_arena *arena, struct mst_err *err) MST_WARN_UNUSED;
/*
 * The next item, in api->arena, which may be reset once the item is done with.
 *
 * Returns  MST_OK; MST_ENOTFOUND behind the last item; else the list is broken from here on.
 */
mst_rc mst_list_next(struct mst_list_reader *list, struct mst_api *api, struct mst_list_item *out,
                     struct mst_err *err) MST_WARN_UNUSED;

/* ---- watches ---- */

typedef enum {
    MST_WATCH_ADDED,
    MST_WATCH_MODIFIED,
    MST_WATCH_DELETED,
    MST_WATCH_BOOKMARK,
    MST_WATCH_ERROR,
} mst_watch_type;

struct mst_watch_event {
    mst_watch_type type;
    const struct mst_value *tape; /* of the object; a Status for ERROR */
    /* decoded and defaulted; NULL for BOOKMARK and ERROR, and when it cannot be decoded */
    const struct mst_object *object;
    struct mst_str resource_version; /* of the object or the bookmark; absent: not said */
    bool initial_end;                /* a BOOKMARK: all that there was at first has been sent */
    struct mst_status_answer answer; /* of an ERROR */
};

enum { MST_WATCH_EVENT_BYTES_MAX = 16 << 20 };

/*
 *     mst_watch_init(&watch, MST_ENCODING_PROTO);
 *     mst_watch_feed(&watch, bytes);               as they come
 *     while ((rc = mst_watch_next(&watch, &api, &event, &err)) == MST_OK) {
 *         ...
 *         mst_arena_reset(api.arena);
 *     }
 *     if (rc != MST_ENOTFOUND) the stream is broken, watch again
 */
struct mst_watch_reader {
    mst_encoding encoding;
    struct mst_buf buf;
    size_t at;      /* what is before has been given out */
    size_t scanned; /* JSON: what has been looked at, from `at` */
    uint32_t depth; /* JSON: open brackets there */
    bool in_string, escaped;
    struct mst_err err; /* rc MST_OK: none yet */
};

void mst_watch_init(struct mst_watch_reader *watch, mst_encoding encoding);
void mst_watch_done(struct mst_watch_reader *watch);
/* Copies the bytes. Invalidates what the last event points to. */
void mst_watch_feed(struct mst_watch_reader *watch, struct mst_str bytes);
/*
 * The next complete event. It points into the reader until the next call of mst_watch_feed, and
 * into api->arena.
 *
 * Returns  MST_OK; MST_ENOTFOUND: feed more; MST_EDECODE, MST_ELIMIT: the stream is broken.
 */
mst_rc mst_watch_next(struct mst_watch_reader *watch, struct mst_api *api,
                      struct mst_watch_event *out, struct mst_err *err) MST_WARN_UNUSED;
/* Bytes of an event that is not complete: more than 0 at the end of a stream is a lost event. */
size_t mst_watch_pending(const struct mst_watch_reader *watch);

#endif
