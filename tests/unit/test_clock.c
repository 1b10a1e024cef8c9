/* Virtual time, durations in Go's syntax, times as RFC 3339. */
#include "sim/clock.h"

#include "tap.h"

static void test_clock_moves_forward_only(struct mst_test *t)
{
    struct mst_clock clock;
    mst_clock_init(&clock);
    t_int(t, clock.now_ns, MST_SIM_START_NS);
    mst_clock_advance(&clock, MST_SIM_START_NS - 1);
    t_int(t, clock.now_ns, MST_SIM_START_NS);
    mst_clock_tick(&clock);
    t_int(t, clock.now_ns, MST_SIM_START_NS + MST_SIM_TICK_NS);
    mst_clock_advance(&clock, MST_SIM_START_NS + 5 * MST_NS_PER_S);
    t_int(t, clock.now_ns, MST_SIM_START_NS + 5 * MST_NS_PER_S);
}

static void test_duration_parse_valid(struct mst_test *t)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        { "0", 0 },
        { "0s", 0 },
        { "1ns", 1 },
        { "10us", 10000 },
        { "10\xc2\xb5s", 10000 },
        { "10\xce\xbcs", 10000 },
        { "250ms", 250000000 },
        { "1.5s", 1500000000 },
        { ".5s", 500000000 },
        { "1.s", 1000000000 },
        { "+5s", 5000000000 },
        { "1h30m", 5400 * MST_NS_PER_S },
        { "1m30s500ms", 90500000000 },
        { "878400h", MST_DURATION_MAX_NS },
        { "1.0000000000000001s", 1000000000 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        int64_t ns = -1;
        struct mst_err err;
        t_case(t, cases[i].text);
        t_int(t, mst_duration_parse(mst_str_of(cases[i].text), &ns, &err), MST_OK);
        t_int(t, ns, cases[i].ns);
    }
}

static void test_duration_parse_refused(struct mst_test *t)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "", "not a duration" },
        { "+", "not a duration" },
        { "5", "missing unit" },
        { "5d", "unknown unit" },
        { "1h30", "missing unit" },
        { "s", "not a duration" },
        { ".s", "not a duration" },
        { "1..5s", "missing unit" },
        { "-5s", "must not be negative" },
        { "1 s", "unknown unit" },
        { "878401h", "too long" },
        { "99999999999999999999999999999999999999999999h", "too long" },
        { "878400h1ns", "too long" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        int64_t ns = -7;
        struct mst_err err;
        t_case(t, cases[i].text);
        t_int(t, mst_duration_parse(mst_str_of(cases[i].text), &ns, &err), MST_EINVAL);
        t_int(t, ns, -7);
        t_ok(t, strstr(err.text, cases[i].why) != NULL);
    }
}

static void test_duration_print_both_forms(struct mst_test *t)
{
    static const struct {
        int64_t ns;
        const char *full, *brief;
    } cases[] = {
        { 0, "0s", "0s" },
        { 1, "1ns", "0s" },
        { 1500, "1.5\xc2\xb5s", "0s" },
        { 250000000, "250ms", "250ms" },
        { 1500000000, "1.5s", "1.5s" },
        { 12345000000, "12.345s", "12s" },
        { 90 * MST_NS_PER_S, "1m30s", "1m30s" },
        { 3600 * MST_NS_PER_S, "1h0m0s", "1h" },
        { 5400 * MST_NS_PER_S, "1h30m0s", "1h30m" },
        { 86400 * MST_NS_PER_S, "24h0m0s", "1d" },
        { 90000 * MST_NS_PER_S, "25h0m0s", "1d1h" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) full = { 0 };
        MST_AUTO(mst_buf) brief = { 0 };
        t_case(t, cases[i].full);
        mst_duration_print(cases[i].ns, &full);
        mst_duration_print_short(cases[i].ns, &brief);
        t_str(t, mst_buf_span(&full), cases[i].full);
        t_str(t, mst_buf_span(&brief), cases[i].brief);
    }
}

static void test_duration_print_parse_agree(struct mst_test *t)
{
    uint64_t x = 88172645463325252ULL;
    for (int i = 0; i < 2000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        int64_t ns = (int64_t)(x >> (x % 60)) & INT64_MAX, back = -1;
        struct mst_err err;
        MST_AUTO(mst_buf) text = { 0 };
        ns %= MST_DURATION_MAX_NS;
        mst_duration_print(ns, &text);
        t_int(t, mst_duration_parse(mst_buf_span(&text), &back, &err), MST_OK);
        t_int(t, back, ns);
    }
}

MST_TEST_MAIN(T(test_clock_moves_forward_only), T(test_duration_parse_valid),
              T(test_duration_parse_refused), T(test_duration_print_both_forms),
              T(test_duration_print_parse_agree))
