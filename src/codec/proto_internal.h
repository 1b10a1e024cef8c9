/*
 * proto_internal.h - the bytes of protobuf: varints and fields, inline for the reader of fields and
 * the builder of tapes.
 */
#ifndef MST_PROTO_INTERNAL_H
#define MST_PROTO_INTERNAL_H

#include "codec/proto.h"
#include "codec/tape_internal.h"

/* A varint of more than one byte. NULL when it is cut off or longer than ten bytes. */
const char *mst_proto_varint_slow(const char *p, const char *end, uint64_t *out);

/* Returns the place behind the varint at p, or NULL. */
static inline const char *mst_proto_varint(const char *p, const char *end, uint64_t *out)
{
    if (MST_LIKELY(p < end && !(*p & 0x80))) {
        *out = (unsigned char)*p;
        return p + 1;
    }
    return mst_proto_varint_slow(p, end, out);
}

static inline bool mst_proto_fail(struct mst_proto *in, const char *what)
{
    in->bad = what;
    return false;
}

/* mst_proto_next, in place. */
static inline bool mst_proto_read(struct mst_proto *in)
{
    uint64_t tag, value = 0;
    if (in->at == in->end || in->bad)
        return false;
    const char *p = mst_proto_varint(in->at, in->end, &tag);
    if (MST_UNLIKELY(!p))
        return mst_proto_fail(in, "a field number that is cut off or too long");
    if (MST_UNLIKELY(tag < 8 || tag > UINT32_MAX))
        return mst_proto_fail(in, "a field number that does not exist");
    in->number = (uint32_t)tag >> 3;
    uint32_t type = (uint32_t)tag & 7;
    in->type = (mst_wire_type)type;
    if (type == MST_WIRE_VARINT || type == MST_WIRE_BYTES) {
        p = mst_proto_varint(p, in->end, &value);
        if (MST_UNLIKELY(!p))
            return mst_proto_fail(in, "a number that is cut off or too long");
        if (type == MST_WIRE_VARINT) {
            in->varint = value;
            in->at = p;
            return true;
        }
    } else if (type == MST_WIRE_FIXED64 || type == MST_WIRE_FIXED32) {
        value = type == MST_WIRE_FIXED64 ? 8 : 4;
    } else {
        return mst_proto_fail(in, "a group, which no API server sends");
    }
    if (MST_UNLIKELY(value > (uint64_t)(in->end - p)))
        return mst_proto_fail(in, "a value that is cut off");
    in->bytes = (struct mst_str){ p, (size_t)value };
    in->at = p + value;
    return true;
}

#endif
