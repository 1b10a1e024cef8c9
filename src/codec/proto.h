/*
 * proto.h - protobuf messages: a reader of their fields, and tables by which a message becomes the
 * tape that its JSON would give.
 *
 * Owns:       nothing: text points into the message, or into the arena where it had to be made.
 * Invariants: nothing is read outside the bytes given; what a table does not name is skipped
 *             without a look inside; groups (wire types 3 and 4) are refused.
 * Not here:   which messages there are (api/proto_tables.h).
 * Source:     protobuf encoding guide; proto2 as written by Go's generated marshallers.
 */
#ifndef MST_PROTO_H
#define MST_PROTO_H

#include "codec/tape.h"

/* ---- fields ---- */

typedef enum {
    MST_WIRE_VARINT = 0,
    MST_WIRE_FIXED64 = 1,
    MST_WIRE_BYTES = 2,
    MST_WIRE_FIXED32 = 5,
} mst_wire_type;

/*
 * A place in a message and the field read last. `while (mst_proto_next(&in))` walks the fields;
 * afterwards `in.bad` says whether that was the end or an error, and why.
 */
struct mst_proto {
    const char *at, *end;
    uint32_t number;      /* of the field read last */
    mst_wire_type type;   /* of its value */
    uint64_t varint;      /* the value of a VARINT */
    struct mst_str bytes; /* the value of BYTES */
    const char *bad;      /* what is wrong, or NULL */
};

static inline struct mst_proto mst_proto_of(struct mst_str message)
{
    const char *p = message.p ? message.p : "";
    return (struct mst_proto){ .at = p, .end = p + message.n };
}
bool mst_proto_next(struct mst_proto *in);

/* ---- tables ---- */

/* What a value is on the wire and in JSON. */
typedef enum {
    MST_PROTO_STRING,
    MST_PROTO_BOOL,
    MST_PROTO_INT32,
    MST_PROTO_INT64,
    MST_PROTO_MESSAGE,    /* an object, by the table `sub` */
    MST_PROTO_INLINE,     /* a message whose fields belong to the object around it */
    MST_PROTO_AMOUNT,     /* {1: text}: a string, "0" when there is no text */
    MST_PROTO_TIME,       /* {1: seconds since 1970}: RFC 3339 in UTC; an empty message is null */
    MST_PROTO_INT_OR_STR, /* {1: kind, 2: int32, 3: text}: a number, or a string if kind is 1 */
} mst_proto_shape;

typedef enum {
    MST_PROTO_ONE,
    MST_PROTO_LIST, /* repeated: an array */
    MST_PROTO_MAP,  /* repeated {1: key, 2: value}: an object */
} mst_proto_many;

struct mst_proto_message;
struct mst_proto_field {
    const char *name; /* in JSON; NULL: no such row */
    const struct mst_proto_message *sub;
    uint8_t name_n;
    uint8_t shape;  /* mst_proto_shape */
    uint8_t many;   /* mst_proto_many */
    bool omit_zero; /* zero, false, "" and an empty message are left out */
};

/* The row of field number n is rows[n]; at most MST_PROTO_ROWS_MAX. */
struct mst_proto_message {
    const char *name; /* for errors */
    const struct mst_proto_field *rows;
    uint32_t row_count;
};

enum {
    MST_PROTO_ROWS_MAX = 64,
    /* Messages inside each other: with the arrays between them within MST_DEPTH_MAX of a tape. */
    MST_PROTO_DEPTH_MAX = MST_DEPTH_MAX / 2,
};

/* A member that the root object gets before all others. */
struct mst_proto_member {
    const char *key;
    struct mst_str value;
};

/*
 * A message as the tape of the JSON object that it stands for. Values have no line and column.
 *
 * first    `first_count` members that come before those of the message.
 * out      the root, in `arena`; untouched on failure. Text points into `bytes`, which must outlive
 *          it; text that is no UTF-8 is copied with U+FFFD for each wrong byte, as Go's JSON does.
 * Errors   MST_EDECODE, MST_ELIMIT: "MESSAGE, byte N: what".
 * Differs  fields that are there twice are refused where protobuf would merge them (repeated ones:
 *          with others in between); no API server writes such. Repeated keys of a map are not
 *          refused: the last one counts.
 * Cost     one pass over what is kept, O(1) for each field that is not.
 */
mst_rc mst_proto_tape(const struct mst_proto_message *message, struct mst_str bytes,
                      const struct mst_proto_member *first, uint32_t first_count,
                      struct mst_arena *arena, const struct mst_value **out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
