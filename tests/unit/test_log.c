/*
 * test_log.c - log lines to the byte, in both formats.
 */
#include "base/log.h"
#include "base/mem.h"
#include "tap.h"

struct sink {
    struct mst_buf text;
    int64_t now_ns;
    uint32_t lines;
};

static void sink_write(void *ctx, const char *line, size_t n)
{
    struct sink *sink = ctx;
    mst_buf_add(&sink->text, line, n);
    sink->lines++;
}

static int64_t sink_clock(void *ctx)
{
    return ((struct sink *)ctx)->now_ns;
}

static struct mst_log log_to(struct sink *sink, mst_log_format format)
{
    return (struct mst_log){
        .level = 4, .format = format, .write = sink_write, .clock = sink_clock, .ctx = sink
    };
}

/* 2006-06-01 15:04:05 UTC. */
#define JUNE_NS INT64_C(1149174245000000000)

static void test_text_line(struct mst_test *t)
{
    struct sink sink = { .now_ns = JUNE_NS };
    struct mst_log log = log_to(&sink, MST_LOG_TEXT);
    struct mst_log_pair pairs[] = {
        MST_KSTR("pod", MST_STR("default/a")),
        MST_KINT("try", -3),
        MST_KBOOL("gang", true),
        MST_KSTR("node", MST_STR_NONE),
    };
    mst_log_line(&log, MST_LOG_INFO, "src/cycle/file.c", 12, "msg", pairs, MST_COUNT(pairs));
    t_str(t, mst_buf_span(&sink.text),
          "I0601 15:04:05.000000       1 file.c:12] \"msg\" pod=\"default/a\" try=-3 gang=true "
          "node=null\n");
    mst_buf_done(&sink.text);
}

static void test_severities(struct mst_test *t)
{
    struct sink sink = { .now_ns = JUNE_NS + 123456789 };
    struct mst_log log = log_to(&sink, MST_LOG_TEXT);
    mst_log_line(&log, MST_LOG_WARNING, "file.c", 1, "w", NULL, 0);
    mst_log_line(&log, MST_LOG_ERROR, "file.c", 2, "e", NULL, 0);
    t_str(t, mst_buf_span(&sink.text),
          "W0601 15:04:05.123456       1 file.c:1] \"w\"\n"
          "E0601 15:04:05.123456       1 file.c:2] \"e\"\n");
    mst_buf_done(&sink.text);
}

static void test_dates(struct mst_test *t)
{
    static const struct {
        const char *name;
        int64_t seconds;
        const char *want;
    } cases[] = {
        { "epoch", 0, "I0101 00:00:00" },
        { "one second before", -1, "I1231 23:59:59" },
        { "leap day 2024", 1709164800, "I0229 00:00:00" },
        { "day after it", 1709251200, "I0301 00:00:00" },
        { "no leap day in 2023", 1677628800, "I0301 00:00:00" },
        { "leap day 2000", 951782400, "I0229 00:00:00" },
        { "no leap day in 2100", 4107542400, "I0301 00:00:00" },
        { "end of 2026", 1798761599, "I1231 23:59:59" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct sink sink = { .now_ns = cases[i].seconds * 1000000000 };
        struct mst_log log = log_to(&sink, MST_LOG_TEXT);
        mst_log_line(&log, MST_LOG_INFO, "f.c", 1, "m", NULL, 0);
        t_str(t, ((struct mst_str){ sink.text.p, 14 }), cases[i].want);
        mst_buf_done(&sink.text);
    }
}

static void test_fraction_before_the_epoch(struct mst_test *t)
{
    struct sink sink = { .now_ns = -1 };
    struct mst_log log = log_to(&sink, MST_LOG_TEXT);
    mst_log_line(&log, MST_LOG_INFO, "f.c", 1, "m", NULL, 0);
    t_str(t, mst_buf_span(&sink.text), "I1231 23:59:59.999999       1 f.c:1] \"m\"\n");
    mst_buf_done(&sink.text);
}

static void test_json_line(struct mst_test *t)
{
    struct sink sink = { .now_ns = JUNE_NS + 1234567 };
    struct mst_log log = log_to(&sink, MST_LOG_JSON);
    mst_log(&log, 3, "Pod bound", MST_KSTR("pod", MST_STR("default/a")), MST_KINT("try", 2),
            MST_KBOOL("gang", false), MST_KSTR("node", MST_STR_NONE));
    struct mst_str line = mst_buf_span(&sink.text);
    static const char head[] = "{\"ts\":1149174245001.234,\"caller\":\"test_log.c:";
    t_ok(t, mst_str_has_prefix(line, head));
    const char *msg = memmem(line.p, line.n, ",\"msg\"", 6);
    t_ok(t, msg != NULL);
    if (msg)
        t_str(t, ((struct mst_str){ msg, (size_t)(line.p + line.n - msg) }),
              ",\"msg\":\"Pod bound\",\"v\":3,\"pod\":\"default/a\",\"try\":2,\"gang\":false,"
              "\"node\":null}\n");
    mst_buf_done(&sink.text);
}

static void test_json_error_has_no_verbosity(struct mst_test *t)
{
    struct sink sink = { .now_ns = -1000 };
    struct mst_log log = log_to(&sink, MST_LOG_JSON);
    mst_log_line(&log, MST_LOG_ERROR, "f.c", 7, "Gone", NULL, 0);
    t_str(t, mst_buf_span(&sink.text), "{\"ts\":-0.001,\"caller\":\"f.c:7\",\"msg\":\"Gone\"}\n");
    mst_buf_done(&sink.text);
}

static void test_quoting(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct mst_str value;
        const char *text, *json;
    } cases[] = {
        { "empty", { "", 0 }, "\"\"", "\"\"" },
        { "quote and backslash", { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\"" },
        { "line ends", { "a\nb\r\tc", 6 }, "\"a\\nb\\r\\tc\"", "\"a\\nb\\r\\tc\"" },
        { "bell, tab down", { "\a\v\b\f", 4 }, "\"\\a\\v\\b\\f\"", "\"\\u0007\\u000b\\b\\f\"" },
        { "control", { "\x01\x00\x1b", 3 }, "\"\\x01\\x00\\x1b\"", "\"\\u0001\\u0000\\u001b\"" },
        { "delete", { "\x7f", 1 }, "\"\\x7f\"", "\"\x7f\"" },
        { "two bytes", { "\xc3\xa9", 2 }, "\"\xc3\xa9\"", "\"\xc3\xa9\"" },
        { "four bytes", { "\xf0\x9f\x9a\x82", 4 }, "\"\xf0\x9f\x9a\x82\"", "\"\xf0\x9f\x9a\x82\"" },
        { "cut short", { "a\xc3", 2 }, "\"a\\xc3\"", "\"a\\ufffd\"" },
        { "overlong", { "\xc0\x80", 2 }, "\"\\xc0\\x80\"", "\"\\ufffd\\ufffd\"" },
        { "surrogate", { "\xed\xa0\x80", 3 }, "\"\\xed\\xa0\\x80\"", "\"\\ufffd\\ufffd\\ufffd\"" },
        { "past the end",
          { "\xf4\x90\x80\x80", 4 },
          "\"\\xf4\\x90\\x80\\x80\"",
          "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
        { "turns text around", { "\xe2\x80\xae", 3 }, "\"\\u202e\"", "\"\xe2\x80\xae\"" },
        { "not a letter", { "\xf3\xa0\x80\x81", 4 }, "\"\\U000e0001\"", "\"\xf3\xa0\x80\x81\"" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct sink sink = { 0 };
        struct mst_log log = log_to(&sink, MST_LOG_TEXT);
        struct mst_log_pair pair = MST_KSTR("k", cases[i].value);
        mst_log_line(&log, MST_LOG_INFO, "f.c", 1, "m", &pair, 1);
        static const char head[] = "I0101 00:00:00.000000       1 f.c:1] \"m\" k=";
        t_ok(t, mst_str_has_prefix(mst_buf_span(&sink.text), head));
        size_t n = sizeof(head) - 1;
        t_str(t, ((struct mst_str){ sink.text.p + n, sink.text.n - n - 1 }), cases[i].text);
        sink.text.n = 0;
        log.format = MST_LOG_JSON;
        mst_log_line(&log, MST_LOG_ERROR, "f.c", 1, "m", &pair, 1);
        static const char json_head[] = "{\"ts\":0.000,\"caller\":\"f.c:1\",\"msg\":\"m\",\"k\":";
        n = sizeof(json_head) - 1;
        t_ok(t, mst_str_has_prefix(mst_buf_span(&sink.text), json_head));
        t_str(t, ((struct mst_str){ sink.text.p + n, sink.text.n - n - 2 }), cases[i].json);
        mst_buf_done(&sink.text);
    }
}

static void test_level_and_null(struct mst_test *t)
{
    struct sink sink = { 0 };
    struct mst_log log = log_to(&sink, MST_LOG_TEXT);
    mst_log(&log, 4, "seen");
    mst_log(&log, 5, "not seen", MST_KINT("n", 1));
    mst_log((struct mst_log *)NULL, 0, "nowhere");
    mst_log_line(NULL, MST_LOG_ERROR, "f.c", 1, "nowhere", NULL, 0);
    t_int(t, sink.lines, 1);
    mst_buf_done(&sink.text);
}

MST_TEST_MAIN(T(test_text_line), T(test_severities), T(test_dates),
              T(test_fraction_before_the_epoch), T(test_json_line),
              T(test_json_error_has_no_verbosity), T(test_quoting), T(test_level_and_null))
