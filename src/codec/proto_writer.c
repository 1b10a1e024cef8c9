/*
 * proto_writer.c - keys, lengths, bytes.
 */
#include "codec/proto_writer.h"

#include "codec/proto.h"

enum { VARINT_BYTES_MAX = 10, TYPE_BITS = 3 };

/* How many bytes of `bytes` are used. */
static size_t print_varint(uint64_t value, char bytes[VARINT_BYTES_MAX])
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    return n;
}

static void put_varint(struct mst_buf *out, uint64_t value)
{
    char bytes[VARINT_BYTES_MAX];
    mst_buf_add(out, bytes, print_varint(value, bytes));
}

static void put_key(struct mst_buf *out, uint32_t number)
{
    put_varint(out, (uint64_t)number << TYPE_BITS | MST_WIRE_BYTES);
}

void mst_proto_put_str(struct mst_buf *out, uint32_t number, struct mst_str value)
{
    if (!value.n)
        return;
    put_key(out, number);
    put_varint(out, value.n);
    mst_buf_str(out, value);
}

size_t mst_proto_begin(struct mst_buf *out, uint32_t number)
{
    put_key(out, number);
    return out->n;
}

void mst_proto_end(struct mst_buf *out, size_t mark)
{
    char bytes[VARINT_BYTES_MAX];
    const size_t message_n = out->n - mark, n = print_varint(message_n, bytes);
    mst_buf_add(out, bytes, n); /* room */
    memmove(out->p + mark + n, out->p + mark, message_n);
    memcpy(out->p + mark, bytes, n);
}
