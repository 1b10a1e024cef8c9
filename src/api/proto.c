/*
 * proto.c - the envelopes around messages: runtime.Unknown, lists, events of a watch.
 *
 * Owns:       nothing.
 * Not here:   messages to tapes (codec/proto_tape.c), which messages there are (proto_tables.c).
 */
#include "api/proto.h"

#include "api/proto_tables.h"

enum { MAGIC_BYTES = 4 };
static const char magic[MAGIC_BYTES] = { 'k', '8', 's', 0 };

static mst_rc broken(struct mst_err *err, const char *what, const struct mst_proto *in)
{
    return mst_fail(err, MST_EDECODE, "%s: %s", what, in->bad);
}

/* The text of field `number`; absent when it is not there. The last one counts. */
static mst_rc find_bytes(struct mst_str message, const char *what, uint32_t number,
                         struct mst_str *out, struct mst_err *err)
{
    struct mst_proto in = mst_proto_of(message);
    struct mst_str found = MST_STR_NONE;
    while (mst_proto_next(&in))
        if (in.number == number && in.type == MST_WIRE_BYTES)
            found = in.bytes;
    if (in.bad)
        return broken(err, what, &in);
    *out = found;
    return MST_OK;
}

/* runtime.TypeMeta */
static mst_rc read_type(struct mst_str message, struct mst_proto_doc *out, struct mst_err *err)
{
    mst_rc rc = find_bytes(message, "TypeMeta", 1, &out->api_version, err);
    return rc ? rc : find_bytes(message, "TypeMeta", 2, &out->kind, err);
}

mst_rc mst_proto_open(struct mst_str bytes, struct mst_proto_doc *out, struct mst_err *err)
{
    enum { TYPE = 1, RAW, CONTENT_ENCODING, CONTENT_TYPE, FIELDS };
    struct mst_str parts[FIELDS] = { 0 };
    if (bytes.n < MAGIC_BYTES || memcmp(bytes.p, magic, MAGIC_BYTES) != 0)
        return mst_fail(err, MST_EDECODE,
                        "not a protobuf document of Kubernetes: it does not begin "
                        "with \"k8s\" and a zero byte");
    struct mst_proto in =
        mst_proto_of((struct mst_str){ bytes.p + MAGIC_BYTES, bytes.n - MAGIC_BYTES });
    while (mst_proto_next(&in))
        if (in.number < FIELDS && in.type == MST_WIRE_BYTES)
            parts[in.number] = in.bytes;
    if (in.bad)
        return broken(err, "Unknown", &in);
    if (parts[CONTENT_ENCODING].n ||
        (parts[CONTENT_TYPE].n &&
         !mst_str_has_prefix(parts[CONTENT_TYPE], "application/vnd.kubernetes.protobuf")))
        return mst_fail(err, MST_EDECODE, "Unknown: content \"%.*s\" \"%.*s\" inside of protobuf",
                        MST_ARG(parts[CONTENT_TYPE]), MST_ARG(parts[CONTENT_ENCODING]));
    struct mst_proto_doc doc = { .raw = parts[RAW] };
    mst_rc rc = read_type(parts[TYPE], &doc, err);
    if (rc)
        return rc;
    if (!doc.kind.n || !doc.api_version.n)
        return mst_fail(err, MST_EDECODE, "Unknown: it does not say its kind and apiVersion");
    if (!parts[RAW].n)
        return mst_fail(err, MST_EDECODE, "Unknown: %.*s %.*s without content",
                        MST_ARG(doc.api_version), MST_ARG(doc.kind));
    *out = doc;
    return MST_OK;
}

/* What is read of kinds that are not modelled: enough to name the object. */
static const struct mst_proto_field other_rows[] = {
    { .name = "metadata",
      .name_n = sizeof("metadata") - 1,
      .number = 1,
      .shape = MST_PROTO_MESSAGE,
      .sub = &mst_message_object_meta },
};
static const struct mst_proto_message other = { "Object", other_rows, MST_COUNT(other_rows) };

static const struct mst_proto_message *message_of(struct mst_str api_version, struct mst_str kind)
{
    for (uint32_t i = 0; i < mst_proto_root_count; i++)
        if (mst_str_is(kind, mst_proto_roots[i].kind) &&
            mst_str_is(api_version, mst_proto_roots[i].api_version))
            return mst_proto_roots[i].message;
    return &other;
}

static bool is_list_kind(struct mst_str kind)
{
    return kind.n > 4 && memcmp(kind.p + kind.n - 4, "List", 4) == 0;
}

static const struct mst_proto_field list_meta_rows[] = {
    { .name = "resourceVersion",
      .name_n = sizeof("resourceVersion") - 1,
      .number = 2,
      .shape = MST_PROTO_STRING,
      .omit_zero = true },
    { .name = "continue",
      .name_n = sizeof("continue") - 1,
      .number = 3,
      .shape = MST_PROTO_STRING,
      .omit_zero = true },
    { .name = "remainingItemCount",
      .name_n = sizeof("remainingItemCount") - 1,
      .number = 4,
      .shape = MST_PROTO_INT64 },
};
static const struct mst_proto_message list_meta = { "ListMeta", list_meta_rows,
                                                    MST_COUNT(list_meta_rows) };

mst_rc mst_proto_parse(struct mst_str bytes, struct mst_arena *arena, const struct mst_value **out,
                       struct mst_err *err)
{
    struct mst_proto_doc doc;
    mst_rc rc = mst_proto_open(bytes, &doc, err);
    if (rc)
        return rc;
    const struct mst_proto_message *message = message_of(doc.api_version, doc.kind);
    const struct mst_proto_member type[] = { { "kind", doc.kind },
                                             { "apiVersion", doc.api_version } };
    if (message != &other || !is_list_kind(doc.kind))
        return mst_proto_tape(message, doc.raw, type, MST_COUNT(type), arena, out, err);
    const struct mst_str item_kind = { doc.kind.p, doc.kind.n - 4 };
    const struct mst_proto_field rows[] = {
        { .name = "metadata",
          .name_n = sizeof("metadata") - 1,
          .number = 1,
          .shape = MST_PROTO_MESSAGE,
          .sub = &list_meta },
        { .name = "items",
          .name_n = sizeof("items") - 1,
          .number = 2,
          .shape = MST_PROTO_MESSAGE,
          .many = MST_PROTO_LIST,
          .sub = message_of(doc.api_version, item_kind) },
    };
    const struct mst_proto_message list = { "List", rows, MST_COUNT(rows) };
    return mst_proto_tape(&list, doc.raw, type, MST_COUNT(type), arena, out, err);
}

static mst_rc read_list_meta(struct mst_str message, struct mst_proto_list *list,
                             struct mst_err *err)
{
    struct mst_proto in = mst_proto_of(message);
    while (mst_proto_next(&in)) {
        if (in.number == 2 && in.type == MST_WIRE_BYTES && in.bytes.n)
            list->resource_version = in.bytes;
        else if (in.number == 3 && in.type == MST_WIRE_BYTES && in.bytes.n)
            list->continue_ = in.bytes;
        else if (in.number == 4 && in.type == MST_WIRE_VARINT)
            list->remaining = (int64_t)in.varint;
    }
    return in.bad ? broken(err, "ListMeta", &in) : MST_OK;
}

mst_rc mst_proto_list_open(struct mst_str bytes, struct mst_proto_list *out, struct mst_err *err)
{
    struct mst_proto_doc doc;
    struct mst_str meta;
    mst_rc rc = mst_proto_open(bytes, &doc, err);
    if (rc)
        return rc;
    if (!is_list_kind(doc.kind))
        return mst_fail(err, MST_EDECODE, "expected a list, got %.*s %.*s",
                        MST_ARG(doc.api_version), MST_ARG(doc.kind));
    /* Looks at the headers of all items once: it costs little and finds a body that is cut off. */
    rc = find_bytes(doc.raw, "List", 1, &meta, err);
    if (rc)
        return rc;
    struct mst_proto_list list = {
        .api_version = doc.api_version,
        .kind = { doc.kind.p, doc.kind.n - 4 },
        .remaining = -1,
        .at = doc.raw.p,
        .end = doc.raw.p + doc.raw.n,
    };
    list.message = message_of(list.api_version, list.kind);
    rc = read_list_meta(meta, &list, err);
    if (rc == MST_OK)
        *out = list;
    return rc;
}

mst_rc mst_proto_list_next(struct mst_proto_list *list, struct mst_arena *arena,
                           const struct mst_value **out, struct mst_err *err)
{
    struct mst_proto in = { .at = list->at, .end = list->end };
    while (mst_proto_next(&in)) {
        list->at = in.at;
        if (in.number == 2 && in.type == MST_WIRE_BYTES)
            return mst_proto_tape(list->message, in.bytes, NULL, 0, arena, out, err);
    }
    return in.bad ? broken(err, "List", &in) : MST_ENOTFOUND;
}

mst_rc mst_proto_event_parse(struct mst_str frame, struct mst_proto_event *out, struct mst_err *err)
{
    struct mst_proto_event event;
    mst_rc rc = find_bytes(frame, "WatchEvent", 1, &event.type, err);
    if (rc == MST_OK)
        rc = find_bytes(frame, "WatchEvent", 2, &event.object, err);
    if (rc == MST_OK)
        rc = find_bytes(event.object, "RawExtension", 1, &event.object, err);
    if (rc)
        return rc;
    if (!event.type.n || !event.object.n)
        return mst_fail(err, MST_EDECODE, "WatchEvent: it has no type or no object");
    *out = event;
    return MST_OK;
}
