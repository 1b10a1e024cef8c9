/*
 * log.c - log lines as klog text or as the JSON that Kubernetes' components write.
 *
 * Invariants: one call of the sink per line; a line ends in exactly one newline; values cannot
 *             break out of their place (text is quoted as Go's strconv.Quote does, JSON is escaped
 *             and valid UTF-8 whatever came in).
 * Differs:    times are UTC, and the thread id of klog's header is always 1: both would make the
 *             same run print different bytes. A value of several lines is quoted like any other;
 *             klog prints it over several lines, which no reader of single lines can follow.
 * Source:     k8s.io/klog v2 textlogger and internal/serialize; k8s.io/component-base/logs/json.
 */
#include "base/log.h"

#include "base/mem.h"

#include <inttypes.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)

struct civil {
    uint32_t month, day, hour, minute, second, micro;
};

/*
 * Month and day of a day counted from 1970-01-01, in the Gregorian calendar. Years are taken to
 * begin in March, which puts the leap day last and makes the lengths of months a linear formula.
 */
static void month_and_day(int64_t days, struct civil *out)
{
    const int64_t era_days = 146097; /* of 400 years */
    int64_t since_march_0000 = days + 719468;
    int64_t era =
        (since_march_0000 >= 0 ? since_march_0000 : since_march_0000 - era_days + 1) / era_days;
    int64_t day_of_era = since_march_0000 - era * era_days;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    out->day = (uint32_t)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    out->month = (uint32_t)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
}

static struct civil civil_of(int64_t now_ns)
{
    int64_t ns = now_ns % NS_PER_SECOND, seconds = now_ns / NS_PER_SECOND;
    if (ns < 0) {
        ns += NS_PER_SECOND;
        seconds--;
    }
    int64_t second_of_day = seconds % SECONDS_PER_DAY, days = seconds / SECONDS_PER_DAY;
    if (second_of_day < 0) {
        second_of_day += SECONDS_PER_DAY;
        days--;
    }
    struct civil civil = {
        .hour = (uint32_t)(second_of_day / 3600),
        .minute = (uint32_t)(second_of_day / 60 % 60),
        .second = (uint32_t)(second_of_day % 60),
        .micro = (uint32_t)(ns / 1000),
    };
    month_and_day(days, &civil);
    return civil;
}

/*
 * The length of the valid UTF-8 sequence at s.p[0], and its code point; 0 for an invalid one
 * (overlong, surrogate, past U+10FFFF, cut short).
 */
static size_t utf8_decode(struct mst_str s, uint32_t *out)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char c = (unsigned char)s.p[0];
    if (c < 0x80) {
        *out = c;
        return 1;
    }
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || s.n < n)
        return 0;
    uint32_t code = c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)s.p[i] & 0x3f);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *out = code;
    return n;
}

/* Code points from U+0080 on that do not show, or change how their neighbours show. */
static bool is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        { 0x80, 0xa0 },        { 0xad, 0xad },     { 0x1680, 0x1680 }, { 0x180e, 0x180e },
        { 0x2000, 0x200f },    { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
        { 0xe000, 0xf8ff },    { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
        { 0xe0000, 0x10ffff },
    };
    for (size_t i = 0; i < MST_COUNT(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* The letter of a two-character escape for c, or 0. */
static char short_escape(uint32_t c, mst_log_format format)
{
    static const char text_letters[] = "abtnvfr"; /* from 0x07 on */
    if (c == '"' || c == '\\')
        return (char)c;
    if (c < 0x07 || c > 0x0d)
        return 0;
    if (format == MST_LOG_JSON && (c == 0x07 || c == 0x0b))
        return 0;
    return text_letters[c - 0x07];
}

static void add_escaped_byte(struct mst_buf *line, unsigned char byte, mst_log_format format)
{
    if (format == MST_LOG_JSON)
        mst_buf_text(line, "\\ufffd");
    else
        mst_buf_printf(line, "\\x%02x", byte);
}

static void add_code(struct mst_buf *line, uint32_t code, struct mst_str bytes,
                     mst_log_format format)
{
    char letter = short_escape(code, format);
    if (letter) {
        mst_buf_char(line, '\\');
        mst_buf_char(line, letter);
    } else if (code < 0x20 || (code == 0x7f && format == MST_LOG_TEXT)) {
        mst_buf_printf(line, format == MST_LOG_JSON ? "\\u%04x" : "\\x%02x", code);
    } else if (format == MST_LOG_TEXT && code >= 0x80 && is_hidden(code)) {
        mst_buf_printf(line, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
    } else {
        mst_buf_str(line, bytes);
    }
}

static void add_quoted(struct mst_buf *line, struct mst_str s, mst_log_format format)
{
    mst_buf_char(line, '"');
    while (s.n > 0) {
        uint32_t code = 0;
        size_t n = utf8_decode(s, &code);
        if (n == 0)
            add_escaped_byte(line, (unsigned char)s.p[0], format);
        else
            add_code(line, code, (struct mst_str){ s.p, n }, format);
        n = MST_MAX(n, 1);
        s = (struct mst_str){ s.p + n, s.n - n };
    }
    mst_buf_char(line, '"');
}

static void add_value(struct mst_buf *line, const struct mst_log_pair *pair, mst_log_format format)
{
    switch (pair->type) {
    case MST_PAIR_STR:
        if (pair->str.p)
            add_quoted(line, pair->str, format);
        else
            mst_buf_text(line, "null");
        return;
    case MST_PAIR_INT: mst_buf_printf(line, "%" PRId64, pair->num); return;
    case MST_PAIR_BOOL: mst_buf_text(line, pair->num ? "true" : "false"); return;
    }
}

struct record {
    int64_t now_ns;
    mst_severity severity;
    int verbosity;
    const char *file; /* without its directories */
    int line;
    const char *message;
    const struct mst_log_pair *pairs;
    size_t pair_count;
};

static void add_text_line(struct mst_buf *line, const struct record *r)
{
    static const char letters[] = {
        [MST_LOG_INFO] = 'I', [MST_LOG_WARNING] = 'W', [MST_LOG_ERROR] = 'E'
    };
    struct civil c = civil_of(r->now_ns);
    mst_buf_printf(line, "%c%02u%02u %02u:%02u:%02u.%06u %7d %s:%d] ", letters[r->severity],
                   c.month, c.day, c.hour, c.minute, c.second, c.micro, 1, r->file, r->line);
    add_quoted(line, mst_str_of(r->message), MST_LOG_TEXT);
    for (size_t i = 0; i < r->pair_count; i++) {
        mst_buf_printf(line, " %s=", r->pairs[i].key);
        add_value(line, &r->pairs[i], MST_LOG_TEXT);
    }
    mst_buf_char(line, '\n');
}

/* Upstream's "ts" is in milliseconds with a fraction; three digits of it reach the microsecond. */
static void add_json_line(struct mst_buf *line, const struct record *r)
{
    int64_t micros = r->now_ns / 1000;
    mst_buf_printf(line, "{\"ts\":%s%" PRId64 ".%03d,\"caller\":\"%s:%d\",\"msg\":",
                   micros < 0 ? "-" : "", (micros < 0 ? -micros : micros) / 1000,
                   (int)((micros < 0 ? -micros : micros) % 1000), r->file, r->line);
    add_quoted(line, mst_str_of(r->message), MST_LOG_JSON);
    /* Upstream marks information by its verbosity and errors by the lack of one. */
    if (r->severity != MST_LOG_ERROR)
        mst_buf_printf(line, ",\"v\":%d", r->verbosity);
    for (size_t i = 0; i < r->pair_count; i++) {
        mst_buf_char(line, ',');
        add_quoted(line, mst_str_of(r->pairs[i].key), MST_LOG_JSON);
        mst_buf_char(line, ':');
        add_value(line, &r->pairs[i], MST_LOG_JSON);
    }
    mst_buf_text(line, "}\n");
}

static void write_record(const struct mst_log *log, struct record *r)
{
    const char *slash = strrchr(r->file, '/');
    r->file = slash ? slash + 1 : r->file;
    r->now_ns = log->clock ? log->clock(log->ctx) : 0;
    MST_AUTO(mst_buf) line = { 0 };
    switch (log->format) {
    case MST_LOG_TEXT: add_text_line(&line, r); break;
    case MST_LOG_JSON: add_json_line(&line, r); break;
    }
    log->write(log->ctx, line.p, line.n);
}

void mst_log_line(const struct mst_log *log, mst_severity severity, const char *file, int line,
                  const char *message, const struct mst_log_pair *pairs, size_t pair_count)
{
    if (!log)
        return;
    struct record r = { .severity = severity,
                        .file = file,
                        .line = line,
                        .message = message,
                        .pairs = pairs,
                        .pair_count = pair_count };
    write_record(log, &r);
}

void mst_log_info_line(const struct mst_log *log, int verbosity, const char *file, int line,
                       const char *message, const struct mst_log_pair *pairs, size_t pair_count)
{
    if (!log)
        return;
    struct record r = { .severity = MST_LOG_INFO,
                        .verbosity = verbosity,
                        .file = file,
                        .line = line,
                        .message = message,
                        .pairs = pairs,
                        .pair_count = pair_count };
    write_record(log, &r);
}
