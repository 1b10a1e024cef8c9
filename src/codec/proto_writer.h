/*
 * proto_writer.h - protobuf messages, field by field into a buffer.
 *
 * Owns:       nothing.
 * Invariants: a message inside of another has its length in front, which is known at its end only:
 *             what was written of it moves up by the length's bytes then. Meant for small messages.
 * Not here:   reading (proto.h).
 * Source:     protobuf encoding guide.
 */
#ifndef MST_PROTO_WRITER_H
#define MST_PROTO_WRITER_H

#include "base/mem.h"

/* A field of bytes or text; empty text is left out, as proto3 and Go's marshallers read it. */
void mst_proto_put_str(struct mst_buf *out, uint32_t number, struct mst_str value);

/* A field that is a message: its fields come between the two calls. `mark` is begin's answer. */
size_t mst_proto_begin(struct mst_buf *out, uint32_t number);
void mst_proto_end(struct mst_buf *out, size_t mark);

#endif
