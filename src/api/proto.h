/*
 * proto.h - what an API server sends as application/vnd.kubernetes.protobuf: documents, lists item
 * by item, events of a watch.
 *
 * Owns:       nothing: everything points into the bytes given and into the caller's arena.
 * Invariants: a tape made here and the one of the same object's JSON decode to equal objects. What
 *             no schema reads (managed fields above all) is not on the tape.
 * Not here:   JSON, and both behind one interface (stream.h).
 * Source:     kubernetes v1.37 apimachinery pkg/runtime/serializer/protobuf, runtime.Unknown,
 *             meta/v1 WatchEvent.
 */
#ifndef MST_API_PROTO_H
#define MST_API_PROTO_H

#include "codec/tape.h"

/* "k8s\0" and a runtime.Unknown: a message and what it is. */
struct mst_proto_doc {
    struct mst_str api_version, kind;
    struct mst_str raw; /* the message */
};

/*
 * Takes the envelope off.
 *
 * Errors   MST_EDECODE: no envelope, cut off, or its content is not protobuf.
 */
mst_rc mst_proto_open(struct mst_str bytes, struct mst_proto_doc *out, struct mst_err *err)
    MST_WARN_UNUSED;

/*
 * A document as a tape, with "kind" and "apiVersion", as its JSON has them: one of the kinds that
 * muster models, a list of one, or a Status. Of any other kind only these two and the metadata.
 *
 * out      in `arena`; points into `bytes`; untouched on failure.
 * Errors   MST_EDECODE, MST_ELIMIT.
 */
mst_rc mst_proto_parse(struct mst_str bytes, struct mst_arena *arena, const struct mst_value **out,
                       struct mst_err *err) MST_WARN_UNUSED;

/* A list without a tape of the whole. */
struct mst_proto_list {
    struct mst_str api_version, kind; /* of its items */
    struct mst_str resource_version;  /* metadata; absent when it has none */
    struct mst_str continue_;         /* where the next page begins; absent on the last one */
    int64_t remaining;                /* items of the pages that follow, -1: unknown */
    const struct mst_proto_message *message; /* of an item */
    const char *at, *end;
};

/* `bytes` must be an envelope whose kind ends in "List"; its metadata is read, no item yet. */
mst_rc mst_proto_list_open(struct mst_str bytes, struct mst_proto_list *out, struct mst_err *err)
    MST_WARN_UNUSED;
/* The next item as a tape without "kind" and "apiVersion"; MST_ENOTFOUND behind the last. */
mst_rc mst_proto_list_next(struct mst_proto_list *list, struct mst_arena *arena,
                           const struct mst_value **out, struct mst_err *err) MST_WARN_UNUSED;

/* One frame of a watch, without its length: the type's text, and the object's envelope. */
struct mst_proto_event {
    struct mst_str type;
    struct mst_str object;
};
mst_rc mst_proto_event_parse(struct mst_str frame, struct mst_proto_event *out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
