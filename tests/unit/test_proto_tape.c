/*
 * test_proto_tape.c - the fields of a message, and messages as tapes by small tables.
 */
#include "codec/json.h"
#include "codec/proto.h"

#include "tap.h"

#define BYTES(literal) ((struct mst_str){ literal, sizeof(literal) - 1 })

static void test_wire_every_type(struct mst_test *t)
{
    struct mst_proto in = mst_proto_of(BYTES("\x08\x96\x01"           /* 1: 150 */
                                             "\x12\x02hi"             /* 2: "hi" */
                                             "\x19\1\2\3\4\5\6\7\x8"  /* 3: fixed64 */
                                             "\x25\1\2\3\4"           /* 4: fixed32 */
                                             "\xfa\xff\xff\xff\x0f\0" /* the largest number */
                                             "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    t_ok(t, mst_proto_next(&in) && in.number == 1 && in.type == MST_WIRE_VARINT);
    t_int(t, in.varint, 150);
    t_ok(t, mst_proto_next(&in) && in.number == 2 && in.type == MST_WIRE_BYTES);
    t_str(t, in.bytes, "hi");
    t_ok(t, mst_proto_next(&in) && in.number == 3 && in.type == MST_WIRE_FIXED64);
    t_ok(t, mst_proto_next(&in) && in.number == 4 && in.type == MST_WIRE_FIXED32);
    t_ok(t, mst_proto_next(&in) && in.bytes.n == 0);
    t_int(t, in.number, (1 << 29) - 1);
    t_ok(t, mst_proto_next(&in));
    t_int(t, in.varint, -1);
    t_ok(t, !mst_proto_next(&in) && !in.bad);
}

static void test_wire_broken(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct mst_str bytes;
        const char *bad;
    } cases[] = {
        { "no value", BYTES("\x08"), "a number that is cut off or too long" },
        { "half a number", BYTES("\x08\x80"), "a number that is cut off or too long" },
        { "a number of 65 bits", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
          "a number that is cut off or too long" },
        { "a number of eleven bytes", BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
          "a number that is cut off or too long" },
        { "half a tag", BYTES("\x88"), "a field number that is cut off or too long" },
        { "field 0", BYTES("\x02\0"), "a field number that does not exist" },
        { "a field number of 30 bits", BYTES("\x82\x80\x80\x80\x10\0"),
          "a field number that does not exist" },
        { "short text", BYTES("\x12\x03hi"), "a value that is cut off" },
        { "text of 2^64 - 1 bytes", BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01hi"),
          "a value that is cut off" },
        { "short fixed64", BYTES("\x19\1\2\3\4\5\6\7"), "a value that is cut off" },
        { "short fixed32", BYTES("\x25\1\2\3"), "a value that is cut off" },
        { "a group", BYTES("\x0b"), "a group, which no API server sends" },
        { "the end of a group", BYTES("\x0c"), "a group, which no API server sends" },
        { "type 6", BYTES("\x0e"), "a group, which no API server sends" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_proto in = mst_proto_of(cases[i].bytes);
        t_case(t, cases[i].name);
        t_ok(t, !mst_proto_next(&in));
        t_text(t, in.bad ? in.bad : "", cases[i].bad);
        t_ok(t, !mst_proto_next(&in));
    }
}

/* ---- tables ---- */

#define FIELD(number_, shape_, many_, name_) FIELD_SUB(number_, shape_, many_, name_, none)
#define FIELD_SUB(number_, shape_, many_, name_, sub_)                                             \
    [number_] = { .name = (name_),                                                                 \
                  .name_n = sizeof(name_) - 1,                                                     \
                  .shape = MST_PROTO_##shape_,                                                     \
                  .many = MST_PROTO_##many_,                                                       \
                  .sub = &(sub_) }

static const struct mst_proto_message none;
static const struct mst_proto_message thing;
static const struct mst_proto_field inner_rows[] = { FIELD(1, STRING, ONE, "x"),
                                                     FIELD(2, BOOL, ONE, "y") };
static const struct mst_proto_message inner = { "Inner", inner_rows, MST_COUNT(inner_rows) };
static const struct mst_proto_field thing_rows[] = {
    FIELD(1, STRING, ONE, "s"),
    [2] = { .name = "o", .name_n = 1, .shape = MST_PROTO_STRING, .omit_zero = true },
    FIELD(3, INT32, ONE, "i"),
    FIELD(4, INT64, ONE, "l"),
    FIELD(5, AMOUNT, ONE, "q"),
    FIELD(6, TIME, ONE, "t"),
    FIELD(7, INT_OR_STR, ONE, "p"),
    FIELD_SUB(8, MESSAGE, ONE, "m", thing),
    FIELD_SUB(9, INLINE, ONE, "", inner),
    FIELD(10, STRING, LIST, "ls"),
    FIELD_SUB(11, MESSAGE, LIST, "lm", inner),
    FIELD(12, STRING, MAP, "ms"),
    FIELD(13, AMOUNT, MAP, "mq"),
    FIELD(14, TIME, MAP, "mt"),
    [15] = { .name = "z", .name_n = 1, .shape = MST_PROTO_INT32, .omit_zero = true },
};
static const struct mst_proto_message thing = { "Thing", thing_rows, MST_COUNT(thing_rows) };

static const struct {
    const char *name;
    struct mst_str bytes;
    const char *json;
} shapes[] = {
    { "nothing", BYTES(""), "{}" },
    { "text", BYTES("\x0a\x02hi"), "{\"s\":\"hi\"}" },
    { "empty text", BYTES("\x0a\0"), "{\"s\":\"\"}" },
    { "empty text that JSON leaves out", BYTES("\x12\0\x78\0"), "{}" },
    { "wrong UTF-8",
      BYTES("\x0a\x03"
            "a\xffz"),
      "{\"s\":\"a\xEF\xBF\xBDz\"}" },
    { "right UTF-8",
      BYTES("\x0a\x0e"
            "0123456\xE2\x82\xAC"
            "789a"),
      "{\"s\":\"0123456\xE2\x82\xAC"
      "789a\"}" },
    { "numbers", BYTES("\x18\x2a\x20\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
      "{\"i\":42,\"l\":-9223372036854775808}" },
    { "the largest number", BYTES("\x20\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
      "{\"l\":9223372036854775807}" },
    { "-1 in 32 bits, as ten bytes", BYTES("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      "{\"i\":-1}" },
    { "-1 in 32 bits, as five bytes", BYTES("\x18\xff\xff\xff\xff\x0f"), "{\"i\":-1}" },
    { "zero", BYTES("\x18\0"), "{\"i\":0}" },
    { "amount",
      BYTES("\x2a\x06\x0a\x04"
            "100m"),
      "{\"q\":\"100m\"}" },
    { "amount without text", BYTES("\x2a\0"), "{\"q\":\"0\"}" },
    { "1970", BYTES("\x32\x02\x08\0"), "{\"t\":\"1970-01-01T00:00:00Z\"}" },
    { "a fraction does not count", BYTES("\x32\x08\x08\x80\xe2\xcf\xaa\x06\x10\x05"),
      "{\"t\":\"2023-11-14T22:13:20Z\"}" },
    { "no time", BYTES("\x32\0"), "{\"t\":null}" },
    { "number of two", BYTES("\x3a\x04\x08\0\x10\x32"), "{\"p\":50}" },
    { "text of two",
      BYTES("\x3a\x09\x08\x01\x10\0\x1a\x03"
            "50%"),
      "{\"p\":\"50%\"}" },
    { "message in message",
      BYTES("\x42\x05\x42\x03\x0a\x01"
            "a"),
      "{\"m\":{\"m\":{\"s\":\"a\"}}}" },
    { "inline",
      BYTES("\x0a\x01"
            "a\x4a\x05\x0a\x01"
            "b\x10\x01\x52\x01"
            "c"),
      "{\"s\":\"a\",\"x\":\"b\",\"y\":true,\"ls\":[\"c\"]}" },
    { "lists",
      BYTES("\x52\x01"
            "a\x52\0\x5a\0\x5a\x05\x0a\x01"
            "b\x10\0"),
      "{\"ls\":[\"a\",\"\"],\"lm\":[{},{\"x\":\"b\",\"y\":false}]}" },
    { "a map",
      BYTES("\x62\x06\x0a\x01"
            "k\x12\x01v\x62\x03\x0a\x01"
            "l\x62\0"),
      "{\"ms\":{\"k\":\"v\",\"l\":\"\",\"\":\"\"}}" },
    { "a key twice",
      BYTES("\x62\x06\x0a\x01"
            "k\x12\x01v\x62\x06\x0a\x01"
            "k\x12\x01w"),
      "{\"ms\":{\"k\":\"w\"}}" },
    { "maps of small messages",
      BYTES("\x6a\x08\x0a\x01"
            "k\x12\x03\x0a\x01"
            "5\x6a\x03\x0a\x01"
            "l\x72\x05\x0a\x01"
            "k\x12\0"),
      "{\"mq\":{\"k\":\"5\",\"l\":\"0\"},\"mt\":{\"k\":null}}" },
    { "out of order, with unknown fields",
      BYTES("\x18\x01\xa0\x06\x05\x0a\x01"
            "a\xaa\x06\x02\xff\xff\x20\x02"),
      "{\"i\":1,\"s\":\"a\",\"l\":2}" },
    { "unknown fields within a list",
      BYTES("\x52\x01"
            "a\xa0\x06\x05\x52\x01"
            "b"),
      "{\"ls\":[\"a\",\"b\"]}" },
};

static void test_tape_shapes(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    for (size_t i = 0; i < MST_COUNT(shapes); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        struct mst_json_writer w = { .out = &text };
        const struct mst_value *tape = NULL;
        struct mst_err err = { 0 };
        t_case(t, shapes[i].name);
        t_int(t, mst_proto_tape(&thing, shapes[i].bytes, NULL, 0, &arena, &tape, &err), MST_OK);
        t_text(t, err.text, "");
        if (tape)
            mst_jw_value(&w, tape);
        t_str(t, mst_buf_span(&text), shapes[i].json);
    }
    mst_arena_done(&arena);
}

static const struct {
    const char *name;
    struct mst_str bytes;
    const char *text;
} refused[] = {
    { "a number for text", BYTES("\x08\x01"), "Thing, byte 2: a value of the wrong type" },
    { "text for a number", BYTES("\x1a\0"), "Thing, byte 2: a value of the wrong type" },
    { "text for a list of it", BYTES("\x50\0"), "Thing, byte 2: a value of the wrong type" },
    { "twice", BYTES("\x0a\0\x0a\0"), "Thing, byte 4: a field that was there before" },
    { "a message twice", BYTES("\x42\0\x42\0"), "Thing, byte 4: a field that was there before" },
    { "a list in two pieces", BYTES("\x52\0\x0a\0\x52\0"),
      "Thing, byte 6: a field that was there before" },
    { "a year above 9999", BYTES("\x32\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
      "Thing, byte 12: a time outside of the years 0 to 9999" },
    { "a year below 0", BYTES("\x32\x0b\x08\xff\x87\xae\xb4\x98\xfe\xff\xff\xff\x01"),
      "Thing, byte 13: a time outside of the years 0 to 9999" },
    { "a broken amount", BYTES("\x2a\x02\x0a\x05"), "Thing, byte 4: a value that is cut off" },
    { "a broken map", BYTES("\x62\x01\x0a"),
      "Thing, byte 3: a number that is cut off or too "
      "long" },
    { "inside", BYTES("\x42\x04\x42\x02\x0a\x05"), "Thing, byte 4: a value that is cut off" },
    { "in a list", BYTES("\x5a\x01\x0b"), "Inner, byte 2: a group, which no API server sends" },
};

static void test_tape_refuses(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    for (size_t i = 0; i < MST_COUNT(refused); i++) {
        const struct mst_value *tape = NULL;
        struct mst_err err = { 0 };
        t_case(t, refused[i].name);
        t_int(t, mst_proto_tape(&thing, refused[i].bytes, NULL, 0, &arena, &tape, &err),
              MST_EDECODE);
        t_text(t, err.text, refused[i].text);
        t_ok(t, !tape);
    }
    mst_arena_done(&arena);
}

/* `depth` messages inside each other; built from the inside. */
static mst_rc parse_nested(struct mst_arena *arena, uint32_t depth, const struct mst_value **out,
                           struct mst_err *err)
{
    char bytes[256], *p = bytes + sizeof(bytes);
    size_t n = 0;
    for (uint32_t i = 1; i < depth; i++) {
        mst_assert(n < 128); /* one byte of length */
        *--p = (char)n;
        *--p = 0x42;
        n += 2;
    }
    char *kept = mst_arena_alloc(arena, n);
    memcpy(kept, p, n);
    return mst_proto_tape(&thing, (struct mst_str){ kept, n }, NULL, 0, arena, out, err);
}

static void test_tape_depth(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    const struct mst_value *tape = NULL;
    struct mst_err err = { 0 };
    t_int(t, parse_nested(&arena, MST_PROTO_DEPTH_MAX, &tape, &err), MST_OK);
    t_int(t, parse_nested(&arena, MST_PROTO_DEPTH_MAX + 1, &tape, &err), MST_ELIMIT);
    t_text(t, err.text, "Thing, byte 128: messages are nested too deep");
    mst_arena_done(&arena);
}

static void test_tape_grows_and_has_first_members(struct mst_test *t)
{
    enum { ELEMENTS = 5000 };
    MST_AUTO(mst_buf) bytes = { 0 };
    for (uint32_t i = 0; i < ELEMENTS; i++)
        mst_buf_add(&bytes, "\x52\0", 2);
    const struct mst_proto_member first[] = { { "kind", MST_STR("Thing") },
                                              { "apiVersion", MST_STR("v1") } };
    struct mst_arena arena = { 0 };
    const struct mst_value *tape = NULL;
    t_int(t, mst_proto_tape(&thing, mst_buf_span(&bytes), first, 2, &arena, &tape, NULL), MST_OK);
    t_int(t, tape->n, 3);
    t_str(t, mst_value_str(mst_value_get(tape, "kind")), "Thing");
    t_int(t, mst_value_get(tape, "ls")->n, ELEMENTS);
    t_int(t, tape->span, 1 + 4 + 2 + ELEMENTS);
    t_int(t, tape->line, 0);
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_wire_every_type), T(test_wire_broken), T(test_tape_shapes),
              T(test_tape_refuses), T(test_tape_depth), T(test_tape_grows_and_has_first_members))
