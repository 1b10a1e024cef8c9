/* What a refusal says, in JSON, protobuf and neither. */
#include "client/answer.h"
#include "tap.h"

static void test_answer_bodies(struct mst_test *t)
{
    static const struct {
        const char *name, *body, *message, *reason;
        int64_t retry_after_s;
    } cases[] = {
        { "a Status",
          "{\"kind\":\"Status\",\"message\":\"pods \\\"x\\\" not found\",\"reason\":\"NotFound\"}",
          "pods \"x\" not found", "NotFound", -1 },
        { "with details",
          "{\"kind\":\"Status\",\"message\":\"later\",\"reason\":\"TooManyRequests\","
          "\"details\":{\"retryAfterSeconds\":7}}",
          "later", "TooManyRequests", 7 },
        { "details that are wrong", "{\"kind\":\"Status\",\"message\":\"m\",\"details\":[1]}", "m",
          NULL, -1 },
        { "seconds that are wrong",
          "{\"kind\":\"Status\",\"message\":\"m\",\"details\":{\"retryAfterSeconds\":-1}}", "m",
          NULL, -1 },
        { "no message", "{\"kind\":\"Status\",\"reason\":\"Conflict\"}",
          "the server answered with HTTP status 409, Conflict", "Conflict", -1 },
        { "another object", "{\"kind\":\"Pod\"}", "{\"kind\":\"Pod\"}", NULL, -1 },
        { "truncated JSON", "{\"kind\":\"Status\",\"mess", "{\"kind\":\"Status\",\"mess", NULL,
          -1 },
        { "text", "404 page not found\n", "404 page not found", NULL, -1 },
        { "lines and controls", "a\r\nb\x01", "a  b", NULL, -1 },
        { "not UTF-8", "a\xff", "a\xef\xbf\xbd", NULL, -1 },
        { "nothing", "", "the server answered with HTTP status 409", NULL, -1 },
        { "a number", "12", "12", NULL, -1 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_arena arena = { 0 };
        struct mst_answer answer;
        t_case(t, cases[i].name);
        mst_answer_read(409, mst_str_of(cases[i].body), &arena, &answer);
        t_str(t, answer.message, cases[i].message);
        t_str(t, answer.reason, cases[i].reason);
        t_int(t, answer.retry_after_s, cases[i].retry_after_s);
        mst_arena_done(&arena);
    }
}

/* Status{status: Failure, message: "gone", reason: Expired, details{retryAfterSeconds: 300},
   code: 410} in its envelope. */
static const char proto[] = "k8s\0"
                            "\x0a\x0c\x0a\x02v1\x12\x06Status"
                            "\x12\x21\x0a\x00\x12\x07"
                            "Failure"
                            "\x1a\x04"
                            "gone"
                            "\x22\x07"
                            "Expired"
                            "\x2a\x03\x28\xac\x02"
                            "\x30\x9a\x03"
                            "\x1a\x00\x22\x00";

static void test_answer_protobuf(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_answer answer;
    const struct mst_str body = { proto, sizeof(proto) - 1 };
    mst_answer_read(410, body, &arena, &answer);
    t_str(t, answer.message, "gone");
    t_str(t, answer.reason, "Expired");
    t_int(t, answer.retry_after_s, 300);
    /* Cut anywhere, in memory of just that size: what is there is read, and no more. */
    for (size_t n = 0; n < body.n; n++) {
        char *copy = mst_calloc(n + 1, 1);
        memcpy(copy, body.p, n);
        mst_answer_read(410, (struct mst_str){ n ? copy : NULL, n }, &arena, &answer);
        t_ok(t, answer.message.n > 0);
        mst_free(copy);
    }
    mst_arena_done(&arena);
}

static void test_answer_protobuf_rubbish(struct mst_test *t)
{
    static const struct mst_str bodies[] = {
        MST_STR("k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),     /* a length of 2^64-1 */
        MST_STR("k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), /* no end of a varint */
        MST_STR("k8s\0\x0b\x0c"),                                         /* groups */
        MST_STR("k8s\0\x0a\x08\x12\x06Status\x12\x05\x1a\x7fgone"),       /* past the end */
        MST_STR("k8s\0\x0a\x08\x12\x06Status\x18\x05"),                   /* no raw */
    };
    for (size_t i = 0; i < MST_COUNT(bodies); i++) {
        struct mst_arena arena = { 0 };
        struct mst_answer answer;
        mst_answer_read(500, bodies[i], &arena, &answer);
        t_str(t, answer.message, "the server answered with HTTP status 500");
        t_int(t, answer.retry_after_s, -1);
        mst_arena_done(&arena);
    }
}

static void test_answer_long(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_answer answer;
    MST_AUTO(mst_buf) body = { 0 };
    for (int i = 0; i < 100000; i++)
        mst_buf_char(&body, 'x');
    mst_answer_read(500, mst_buf_span(&body), &arena, &answer);
    t_int(t, answer.message.n, 2003);
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_answer_bodies), T(test_answer_protobuf), T(test_answer_protobuf_rubbish),
              T(test_answer_long))
