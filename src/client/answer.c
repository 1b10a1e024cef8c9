/*
 * answer.c - what an API server's refusal says: a Status object in JSON or protobuf, or just text.
 *
 * Invariants: reads no byte outside the body; every loop moves on; no Status is deeper than two
 *             levels, so nothing recurses.
 * Source:     kubernetes v1.37 apimachinery runtime/serializer/protobuf (the envelope),
 *             apis/meta/v1/generated.proto (Status, StatusDetails).
 */
#include "client/answer.h"

#include "codec/json.h"

enum {
    MESSAGE_BYTES_MAX = 2000,
    STATUS_BYTES_MAX = 1 << 20, /* more is no Status that anybody means */
};

/* ---- protobuf ---- */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct field {
    uint64_t number, varint;
    struct mst_str bytes; /* present: it is of bytes */
};

static bool read_varint(struct mst_str *rest, uint64_t *out)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (!rest->n)
            return false;
        const unsigned char byte = (unsigned char)*rest->p;
        rest->p++;
        rest->n--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* The next field; false at the end and at what is no protobuf. */
static bool next_field(struct mst_str *rest, struct field *out)
{
    uint64_t key, n = 0;
    *out = (struct field){ 0 };
    if (!read_varint(rest, &key))
        return false;
    out->number = key >> 3;
    switch (key & 7) {
    case WIRE_VARINT: return read_varint(rest, &out->varint);
    case WIRE_FIXED64: n = 8; break;
    case WIRE_FIXED32: n = 4; break;
    case WIRE_BYTES:
        if (!read_varint(rest, &n))
            return false;
        break;
    default: return false;
    }
    if (n > rest->n)
        return false;
    if ((key & 7) == WIRE_BYTES)
        out->bytes = (struct mst_str){ rest->p, (size_t)n };
    rest->p += n;
    rest->n -= (size_t)n;
    return true;
}

struct found {
    struct mst_str kind, message, reason;
    int64_t retry_after_s;
};

static void read_status_proto(struct mst_str raw, struct found *out)
{
    struct field f, inner;
    while (next_field(&raw, &f)) {
        if (f.number == 3)
            out->message = f.bytes;
        else if (f.number == 4)
            out->reason = f.bytes;
        else if (f.number == 5)
            while (next_field(&f.bytes, &inner))
                if (inner.number == 5 && inner.varint && inner.varint <= INT32_MAX)
                    out->retry_after_s = (int64_t)inner.varint;
    }
}

/* runtime.Unknown: typeMeta { apiVersion, kind }, raw. */
static void read_proto(struct mst_str body, struct found *out)
{
    struct mst_str raw = MST_STR_NONE;
    struct field f, inner;
    while (next_field(&body, &f)) {
        if (f.number == 2)
            raw = f.bytes;
        if (f.number != 1)
            continue;
        while (next_field(&f.bytes, &inner))
            if (inner.number == 2)
                out->kind = inner.bytes;
    }
    if (mst_str_is(out->kind, "Status"))
        read_status_proto(raw, out);
}

/* ---- JSON ---- */

static struct mst_str text_of(const struct mst_value *object, const char *key)
{
    const struct mst_value *v = mst_value_get(object, key);
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

static void read_json(struct mst_str body, struct mst_arena *arena, struct found *out)
{
    const struct mst_json_options options = { 0 };
    const struct mst_value *root, *details, *seconds;
    struct mst_err ignored; /* then it is text */
    int64_t n;
    if (mst_json_parse(body, &options, arena, NULL, &root, &ignored))
        return;
    out->kind = text_of(root, "kind");
    out->message = text_of(root, "message");
    out->reason = text_of(root, "reason");
    details = mst_value_get(root, "details");
    seconds = details ? mst_value_get(details, "retryAfterSeconds") : NULL;
    if (seconds && mst_value_int(seconds, &n) && n > 0)
        out->retry_after_s = n;
}

/* ---- what people see ---- */

/* Whole lines, clean, not too long; empty if nothing can be shown. */
static struct mst_str presentable(struct mst_str text, struct mst_arena *arena)
{
    MST_AUTO(mst_buf) clean = { 0 };
    const bool cut = text.n > MESSAGE_BYTES_MAX;
    mst_utf8_clean((struct mst_str){ text.p, MST_MIN(text.n, (size_t)MESSAGE_BYTES_MAX) }, &clean);
    for (size_t i = 0; i < clean.n; i++)
        if ((unsigned char)clean.p[i] < ' ' || clean.p[i] == '\x7f')
            clean.p[i] = ' ';
    while (clean.n && clean.p[clean.n - 1] == ' ')
        clean.n--;
    if (cut)
        mst_buf_text(&clean, "...");
    return mst_arena_str(arena, mst_buf_span(&clean));
}

void mst_answer_read(int status, struct mst_str body, struct mst_arena *arena,
                     struct mst_answer *out)
{
    static const char magic[] = "k8s";
    struct found found = { .retry_after_s = -1 };
    const bool proto = body.n >= sizeof(magic) && memcmp(body.p, magic, sizeof(magic)) == 0;
    if (proto)
        read_proto((struct mst_str){ body.p + sizeof(magic), body.n - sizeof(magic) }, &found);
    else if (body.n && body.n <= STATUS_BYTES_MAX && body.p[0] == '{')
        read_json(body, arena, &found);
    *out = (struct mst_answer){ .retry_after_s = -1 };
    const bool is_status = mst_str_is(found.kind, "Status");
    if (is_status) {
        out->message = presentable(found.message, arena);
        out->reason = found.reason.n ? presentable(found.reason, arena) : MST_STR_NONE;
        out->retry_after_s = found.retry_after_s;
    } else if (!proto) {
        out->message = presentable(body, arena);
    }
    if (!out->message.n)
        out->message = mst_arena_printf(arena, "the server answered with HTTP status %d%s%.*s",
                                        status, out->reason.n ? ", " : "", MST_ARG(out->reason));
}
