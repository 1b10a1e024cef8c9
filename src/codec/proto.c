/*
 * proto.c - the fields of a protobuf message, one after another.
 *
 * Owns:       nothing.
 * Not here:   what the fields mean (proto_tape.c).
 */
#include "codec/proto_internal.h"

enum { VARINT_BYTES_MAX = 10 };

const char *mst_proto_varint_slow(const char *p, const char *end, uint64_t *out)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < VARINT_BYTES_MAX && p + i < end; i++) {
        uint64_t byte = (unsigned char)p[i];
        if (i == VARINT_BYTES_MAX - 1 && byte > 1)
            return NULL; /* more than 64 bits */
        value |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *out = value;
            return p + i + 1;
        }
    }
    return NULL;
}

bool mst_proto_next(struct mst_proto *in)
{
    return mst_proto_read(in);
}
