/*
 * clock.c - virtual time: where it starts, how it moves, how durations are read and shown.
 *
 * Source: Go's time package for the form of durations (kubectl and manifests use the same).
 */
#include "sim/clock.h"

void mst_clock_init(struct mst_clock *clock)
{
    clock->now_ns = MST_SIM_START_NS;
}

void mst_clock_advance(struct mst_clock *clock, int64_t at_ns)
{
    if (at_ns > clock->now_ns)
        clock->now_ns = at_ns;
}

void mst_clock_tick(struct mst_clock *clock)
{
    clock->now_ns += MST_SIM_TICK_NS;
}

static const struct {
    const char *name;
    int64_t ns;
} units[] = {
    { "ns", 1 },
    { "us", 1000 },
    { "\xc2\xb5s", 1000 }, /* micro sign */
    { "\xce\xbcs", 1000 }, /* greek mu */
    { "ms", 1000000 },
    { "s", MST_NS_PER_S },
    { "m", 60 * MST_NS_PER_S },
    { "h", 3600 * MST_NS_PER_S },
};

static int64_t unit_of(struct mst_str name)
{
    for (size_t i = 0; i < MST_COUNT(units); i++)
        if (mst_str_is(name, units[i].name))
            return units[i].ns;
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static mst_rc bad(struct mst_str text, const char *why, struct mst_err *err)
{
    int shown = (int)MST_MIN(text.n, 60);
    return mst_fail(err, MST_EINVAL, "\"%.*s\": %s", shown, text.p ? text.p : "", why);
}

/* One number with its unit at *at; the sum stays below twice the maximum, so nothing overflows. */
static const char *term(struct mst_str text, size_t *at, int64_t *sum)
{
    size_t i = *at, begin = i;
    __int128 whole = 0, fraction = 0, scale = 1;
    for (; i < text.n && is_digit(text.p[i]); i++)
        if (whole <= MST_DURATION_MAX_NS)
            whole = whole * 10 + (text.p[i] - '0');
    size_t digits = i - begin;
    if (i < text.n && text.p[i] == '.') {
        for (i++; i < text.n && is_digit(text.p[i]); i++, digits++) {
            if (scale < 1000000000000) {
                fraction = fraction * 10 + (text.p[i] - '0');
                scale *= 10;
            }
        }
    }
    if (digits == 0)
        return "not a duration: write it like 90s, 1h30m or 1.5s";
    size_t unit = i;
    while (i < text.n && text.p[i] != '.' && !is_digit(text.p[i]))
        i++;
    if (i == unit)
        return "missing unit: write it like 90s, 1h30m or 1.5s";
    int64_t ns = unit_of((struct mst_str){ text.p + unit, i - unit });
    if (!ns)
        return "unknown unit: the units are ns, us, ms, s, m and h";
    __int128 value = whole * ns + fraction * ns / scale;
    if (value > MST_DURATION_MAX_NS || *sum + value > MST_DURATION_MAX_NS)
        return "too long: at most a hundred years";
    *sum += (int64_t)value;
    *at = i;
    return NULL;
}

mst_rc mst_duration_parse(struct mst_str text, int64_t *ret_ns, struct mst_err *err)
{
    if (mst_str_is(text, "0")) {
        *ret_ns = 0;
        return MST_OK;
    }
    size_t at = text.n && text.p[0] == '+' ? 1 : 0;
    if (text.n && text.p[0] == '-')
        return bad(text, "must not be negative", err);
    if (at == text.n)
        return bad(text, "not a duration: write it like 90s, 1h30m or 1.5s", err);
    int64_t sum = 0;
    while (at < text.n) {
        const char *why = term(text, &at, &sum);
        if (why)
            return bad(text, why, err);
    }
    *ret_ns = sum;
    return MST_OK;
}

/* value / unit with up to `places` decimals, trailing zeros left out. */
static void print_fraction(int64_t value, int64_t unit, struct mst_buf *out)
{
    mst_buf_printf(out, "%lld", (long long)(value / unit));
    int64_t rest = value % unit;
    if (!rest)
        return;
    mst_buf_char(out, '.');
    while (rest) {
        rest *= 10;
        mst_buf_char(out, (char)('0' + rest / unit));
        rest %= unit;
    }
}

void mst_duration_print(int64_t ns, struct mst_buf *out)
{
    mst_assert(ns >= 0);
    if (ns == 0) {
        mst_buf_text(out, "0s");
    } else if (ns < MST_NS_PER_S) {
        int64_t unit = ns < 1000 ? 1 : ns < 1000000 ? 1000 : 1000000;
        print_fraction(ns, unit, out);
        mst_buf_text(out, unit == 1 ? "ns" : unit == 1000 ? "\xc2\xb5s" : "ms");
    } else {
        int64_t minutes = ns / (60 * MST_NS_PER_S);
        if (minutes >= 60)
            mst_buf_printf(out, "%lldh", (long long)(minutes / 60));
        if (minutes)
            mst_buf_printf(out, "%lldm", (long long)(minutes % 60));
        print_fraction(ns % (60 * MST_NS_PER_S), MST_NS_PER_S, out);
        mst_buf_char(out, 's');
    }
}

void mst_duration_print_short(int64_t ns, struct mst_buf *out)
{
    mst_assert(ns >= 0);
    int64_t ms = ns / 1000000, s = ms / 1000;
    if (s >= 86400) {
        mst_buf_printf(out, "%lldd", (long long)(s / 86400));
        if (s % 86400 / 3600)
            mst_buf_printf(out, "%lldh", (long long)(s % 86400 / 3600));
    } else if (s >= 3600) {
        mst_buf_printf(out, "%lldh", (long long)(s / 3600));
        if (s % 3600 / 60)
            mst_buf_printf(out, "%lldm", (long long)(s % 3600 / 60));
    } else if (s >= 60) {
        mst_buf_printf(out, "%lldm", (long long)(s / 60));
        if (s % 60)
            mst_buf_printf(out, "%llds", (long long)(s % 60));
    } else if (s >= 10 || ms % 1000 == 0) {
        mst_buf_printf(out, "%llds", (long long)s);
    } else if (s) {
        print_fraction(ms / 100 * 100, 1000, out);
        mst_buf_char(out, 's');
    } else {
        mst_buf_printf(out, "%lldms", (long long)ms);
    }
}
