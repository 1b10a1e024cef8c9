/*
 * watch_stream.c - the events of a watch, cut out of a stream that comes in any pieces.
 *
 * Owns:       the bytes that no event was made of yet.
 * Invariants: bytes before `at` are done with; bytes up to at + scanned were looked at once, so
 *             that an event that comes in n pieces costs no more than one in one piece.
 */
#include "api/stream.h"
#include "api/stream_internal.h"

enum { LENGTH_BYTES = 4 };

void mst_watch_init(struct mst_watch_reader *watch, mst_encoding encoding)
{
    *watch = (struct mst_watch_reader){ .encoding = encoding };
}

void mst_watch_done(struct mst_watch_reader *watch)
{
    mst_buf_done(&watch->buf);
}

void mst_watch_feed(struct mst_watch_reader *watch, struct mst_str bytes)
{
    struct mst_buf *buf = &watch->buf;
    if (watch->err.rc)
        return; /* nothing will be read any more */
    if (watch->at) {
        memmove(buf->p, buf->p + watch->at, buf->n - watch->at);
        buf->n -= watch->at;
        watch->at = 0;
    }
    if (bytes.n)
        mst_buf_add(buf, bytes.p, bytes.n);
}

size_t mst_watch_pending(const struct mst_watch_reader *watch)
{
    return watch->buf.n - watch->at;
}

/* ---- frames: MST_ENOTFOUND when the next is not complete ---- */

static mst_rc too_large(struct mst_watch_reader *watch)
{
    return mst_fail(&watch->err, MST_ELIMIT, "an event is larger than %d MiB",
                    MST_WATCH_EVENT_BYTES_MAX >> 20);
}

static mst_rc proto_frame(struct mst_watch_reader *watch, struct mst_str *out)
{
    const unsigned char *p = (const unsigned char *)watch->buf.p + watch->at;
    size_t left = mst_watch_pending(watch);
    if (left < LENGTH_BYTES)
        return MST_ENOTFOUND;
    size_t n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
    if (n > MST_WATCH_EVENT_BYTES_MAX)
        return too_large(watch);
    if (left - LENGTH_BYTES < n)
        return MST_ENOTFOUND;
    *out = (struct mst_str){ (const char *)p + LENGTH_BYTES, n };
    watch->at += LENGTH_BYTES + n;
    return MST_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* A JSON object: from its first bracket to where all of them are closed. */
static mst_rc json_frame(struct mst_watch_reader *watch, struct mst_str *out)
{
    while (watch->scanned == 0 && watch->at < watch->buf.n && is_space(watch->buf.p[watch->at]))
        watch->at++;
    const char *begin = watch->buf.p + watch->at;
    if (watch->at < watch->buf.n && *begin != '{')
        return mst_fail(&watch->err, MST_EDECODE, "expected an event, found byte 0x%02x",
                        (unsigned char)*begin);
    size_t left = mst_watch_pending(watch), i = watch->scanned;
    for (; i < left; i++) {
        char c = begin[i];
        if (watch->in_string) {
            watch->in_string = watch->escaped || c != '"';
            watch->escaped = !watch->escaped && c == '\\';
        } else if (c == '"') {
            watch->in_string = true;
        } else if (c == '{' || c == '[') {
            watch->depth++;
        } else if ((c == '}' || c == ']') && --watch->depth == 0) {
            *out = (struct mst_str){ begin, i + 1 };
            watch->at += i + 1;
            watch->scanned = 0;
            return MST_OK;
        }
    }
    watch->scanned = i;
    if (i > MST_WATCH_EVENT_BYTES_MAX)
        return too_large(watch);
    return MST_ENOTFOUND;
}

/* ---- events ---- */

static mst_rc json_event(struct mst_api *api, struct mst_str frame, struct mst_str *type,
                         const struct mst_value **tape, struct mst_err *err)
{
    const struct mst_value *root;
    mst_rc rc = mst_json_parse(frame, NULL, api->arena, api->diags, &root, err);
    if (rc)
        return rc;
    const struct mst_value *object = mst_value_get(root, "object");
    *type = mst_text_member(root, "type");
    if (!type->n || !object || object->type != MST_OBJECT)
        return mst_fail(err, MST_EDECODE, "WatchEvent: it has no type or no object");
    *tape = object;
    return MST_OK;
}

static mst_rc proto_event(struct mst_str frame, struct mst_arena *arena, struct mst_str *type,
                          const struct mst_value **tape, struct mst_err *err)
{
    struct mst_proto_event event;
    mst_rc rc = mst_proto_event_parse(frame, &event, err);
    if (rc)
        return rc;
    *type = event.type;
    return mst_proto_parse(event.object, arena, tape, err);
}

static mst_rc read_type(struct mst_str text, mst_watch_type *out, struct mst_err *err)
{
    static const char *const names[] = {
        [MST_WATCH_ADDED] = "ADDED",     [MST_WATCH_MODIFIED] = "MODIFIED",
        [MST_WATCH_DELETED] = "DELETED", [MST_WATCH_BOOKMARK] = "BOOKMARK",
        [MST_WATCH_ERROR] = "ERROR",
    };
    for (uint32_t i = 0; i < MST_COUNT(names); i++)
        if (mst_str_is(text, names[i])) {
            *out = (mst_watch_type)i;
            return MST_OK;
        }
    return mst_fail(err, MST_EDECODE, "WatchEvent: type \"%.*s\" is not known",
                    (int)MST_MIN(text.n, (size_t)40), text.p);
}

static mst_rc fill_event(struct mst_api *api, struct mst_watch_event *event, struct mst_err *err)
{
    const struct mst_value *meta = mst_value_get(event->tape, "metadata");
    event->resource_version = mst_text_member(meta, "resourceVersion");
    switch (event->type) {
    case MST_WATCH_ADDED:
    case MST_WATCH_MODIFIED:
    case MST_WATCH_DELETED: {
        struct mst_object *object = NULL;
        (void)mst_api_decode(api, event->tape, mst_keep_object, &object);
        if (object)
            mst_api_default(api, object);
        event->object = object;
        break;
    }
    case MST_WATCH_BOOKMARK:
        event->initial_end = mst_str_is(mst_text_member(mst_value_get(meta, "annotations"),
                                                        "k8s.io/initial-events-end"),
                                        "true");
        break;
    case MST_WATCH_ERROR:
        if (!mst_status_answer_of(event->tape, &event->answer))
            return mst_fail(err, MST_EDECODE, "WatchEvent: the object of an ERROR is no Status");
        break;
    }
    return MST_OK;
}

static mst_rc read_event(struct mst_watch_reader *watch, struct mst_api *api,
                         struct mst_watch_event *out)
{
    const bool proto = watch->encoding == MST_ENCODING_PROTO;
    struct mst_watch_event event = { 0 };
    struct mst_str frame, type;
    mst_rc rc = proto ? proto_frame(watch, &frame) : json_frame(watch, &frame);
    if (rc)
        return rc;
    if (proto)
        rc = proto_event(frame, api->arena, &type, &event.tape, &watch->err);
    else
        rc = json_event(api, frame, &type, &event.tape, &watch->err);
    if (rc == MST_OK)
        rc = read_type(type, &event.type, &watch->err);
    if (rc == MST_OK)
        rc = fill_event(api, &event, &watch->err);
    if (rc == MST_OK)
        *out = event;
    return rc;
}

mst_rc mst_watch_next(struct mst_watch_reader *watch, struct mst_api *api,
                      struct mst_watch_event *out, struct mst_err *err)
{
    mst_rc rc = watch->err.rc ? watch->err.rc : read_event(watch, api, out);
    if (rc != MST_OK && rc != MST_ENOTFOUND && err)
        *err = watch->err;
    return rc;
}
