/* Fields, and messages inside of messages whose length needs one byte or more. */
#include "codec/proto.h"
#include "codec/proto_writer.h"
#include "tap.h"

static void test_fields(struct mst_test *t)
{
    static const char want[] = "\x0a\x01"
                               "a"
                               "\x82\x01\x02"
                               "bc";
    MST_AUTO(mst_buf) out = { 0 };
    mst_proto_put_str(&out, 1, MST_STR("a"));
    mst_proto_put_str(&out, 2, MST_STR_NONE);
    mst_proto_put_str(&out, 16, MST_STR("bc"));
    t_ok(t, mst_str_eq(mst_buf_span(&out), (struct mst_str){ want, sizeof(want) - 1 }));
}

/* The one field of a message that must be bytes. */
static struct mst_str only_field(struct mst_test *t, struct mst_str message, uint32_t number)
{
    struct mst_proto in = mst_proto_of(message);
    t_ok(t, mst_proto_next(&in) && in.type == MST_WIRE_BYTES);
    t_int(t, in.number, number);
    const struct mst_str bytes = in.bytes;
    t_ok(t, !mst_proto_next(&in) && !in.bad);
    return bytes;
}

static void test_nested(struct mst_test *t)
{
    static const size_t lengths[] = { 0, 1, 120, 127, 128, 16384 };
    for (size_t i = 0; i < MST_COUNT(lengths); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_buf) out = { 0 };
        t_case(t, i ? "text" : "nothing");
        for (size_t n = 0; n < lengths[i]; n++)
            mst_buf_char(&text, (char)('a' + n % 26));
        const size_t outer = mst_proto_begin(&out, 3);
        const size_t inner = mst_proto_begin(&out, 4);
        mst_proto_put_str(&out, 5, mst_buf_span(&text));
        mst_proto_end(&out, inner);
        mst_proto_end(&out, outer);
        const struct mst_str got = only_field(t, only_field(t, mst_buf_span(&out), 3), 4);
        if (lengths[i])
            t_ok(t, mst_str_eq(only_field(t, got, 5), mst_buf_span(&text)));
        else
            t_int(t, (int64_t)got.n, 0);
    }
}

MST_TEST_MAIN(T(test_fields), T(test_nested))
