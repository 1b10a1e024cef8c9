/*
 * quantity.c - resource.Quantity: a 128-bit count of nano-units, its text in and out.
 *
 * Invariants: parsing is exact for everything that fits; what is finer than a nano-unit rounds away
 *             from zero; what is larger saturates and says so.
 * Source:     spec/api.md 15; kubernetes v1.37 apimachinery pkg/api/resource/{quantity,suffix}.go.
 */
#include "api/quantity.h"

#include <limits.h>

#define NANO_MAX ((mst_nano)(((unsigned __int128)1 << 127) - 1))
#define UNIT ((mst_nano)1000000000)
/* Digits that upstream's fast path takes; only texts on that path can be kept as they came. */
#define FAST_DECIMAL_DIGITS 18
#define FAST_BINARY_DIGITS 14

static const char *const format_wrong = "quantities must match the regular expression "
                                        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/* The pieces of a quantity's text. Leading zeros of `num` are gone. */
struct pieces {
    bool negative;
    bool any_digit; /* before the suffix, zeros included */
    struct mst_str num, denom, suffix;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_suffix_letter(char c)
{
    return c != '\0' && strchr("eEinumkKMGTP", c) != NULL;
}

/* False when the text does not have the shape of a quantity. */
static bool split(struct mst_str text, struct pieces *out)
{
    const char *at = text.p, *end = text.p + text.n;
    struct pieces s = { .num = { at, 0 }, .denom = { at, 0 } };
    if (at < end && (*at == '-' || *at == '+'))
        s.negative = *at++ == '-';
    const char *digits = at;
    while (at < end && *at == '0')
        at++;
    s.num.p = at;
    while (at < end && is_digit(*at))
        at++;
    s.num.n = (size_t)(at - s.num.p);
    s.any_digit = at > digits;
    if (at < end && *at == '.') {
        s.denom.p = ++at;
        while (at < end && is_digit(*at))
            at++;
        s.denom.n = (size_t)(at - s.denom.p);
        s.any_digit |= s.denom.n > 0;
    }
    s.suffix.p = at;
    while (at < end && is_suffix_letter(*at))
        at++;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    while (at < end && is_digit(*at))
        at++;
    s.suffix.n = (size_t)(at - s.suffix.p);
    if (at < end)
        return false;
    *out = s;
    return true;
}

/* "e5", "E-3": Go parses an int64 and then truncates it to 32 bits. */
static bool suffix_exponent(struct mst_str suffix, int32_t *ret_exponent)
{
    if (suffix.n < 2 || (suffix.p[0] != 'e' && suffix.p[0] != 'E'))
        return false;
    size_t i = 1;
    bool negative = suffix.p[i] == '-';
    if (suffix.p[i] == '-' || suffix.p[i] == '+')
        i++;
    if (i == suffix.n)
        return false;
    uint64_t value = 0;
    for (; i < suffix.n; i++) {
        if (!is_digit(suffix.p[i]))
            return false;
        uint64_t digit = (uint64_t)(suffix.p[i] - '0');
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (value > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *ret_exponent = (int32_t)(uint32_t)(negative ? 0 - value : value);
    return true;
}

/* Exponent of ten, or of two when *ret_format is MST_BINARY_SI. */
static bool suffix_interpret(struct mst_str suffix, int32_t *ret_exponent,
                             mst_quantity_format *ret_format)
{
    static const char decimal[] = "num kMGTPE";
    static const char binary[] = "KMGTPE";
    *ret_format = MST_DECIMAL_SI;
    if (suffix.n == 0) {
        *ret_exponent = 0;
        return true;
    }
    if (suffix.n == 1) {
        const char *found = suffix.p[0] == ' ' ? NULL : memchr(decimal, suffix.p[0], 10);
        if (!found)
            return false;
        *ret_exponent = ((int32_t)(found - decimal) - 3) * 3;
        return true;
    }
    if (suffix.n == 2 && suffix.p[1] == 'i') {
        const char *found = memchr(binary, suffix.p[0], 6);
        if (!found)
            return false;
        *ret_format = MST_BINARY_SI;
        *ret_exponent = ((int32_t)(found - binary) + 1) * 10;
        return true;
    }
    *ret_format = MST_DECIMAL_EXPONENT;
    return suffix_exponent(suffix, ret_exponent);
}

/* value * 10 + digit; NANO_MAX once it would be more. */
static mst_nano push_digit(mst_nano value, int digit)
{
    mst_nano next;
    if (__builtin_mul_overflow(value, (mst_nano)10, &next) ||
        __builtin_add_overflow(next, (mst_nano)digit, &next))
        return NANO_MAX;
    return next;
}

static char digit_at(const struct pieces *s, size_t i)
{
    return i < s->num.n ? s->num.p[i] : s->denom.p[i - s->num.n];
}

/* The magnitude of num.denom * 10^exponent in nano-units, rounded up. */
static mst_nano decimal_magnitude(const struct pieces *s, int32_t exponent)
{
    size_t digit_count = s->num.n + s->denom.n;
    int64_t keep = (int64_t)s->num.n + exponent + 9; /* leading digits that reach a nano-unit */
    mst_nano value = 0;
    bool rest = false;
    for (size_t i = 0; i < digit_count; i++) {
        int digit = digit_at(s, i) - '0';
        if ((int64_t)i < keep)
            value = push_digit(value, digit);
        else
            rest |= digit != 0;
    }
    for (int64_t i = (int64_t)digit_count; i < keep && value != 0 && value != NANO_MAX; i++)
        value = push_digit(value, 0);
    return rest && value != NANO_MAX ? value + 1 : value;
}

/* The magnitude of num.denom * 2^exponent in nano-units, rounded up, at most 2^63-1 units. */
static mst_nano binary_magnitude(const struct pieces *s, int32_t exponent)
{
    const mst_nano cap = (mst_nano)INT64_MAX * UNIT;
    mst_nano whole = 0;
    for (size_t i = 0; i < s->num.n; i++)
        whole = push_digit(whole, s->num.p[i] - '0');
    if (whole > (mst_nano)INT64_MAX)
        return cap;
    /* Horner from the last digit; flooring at each step is exact, `rest` tells what was cut off. */
    const mst_nano scale = ((mst_nano)1 << exponent) * UNIT;
    mst_nano fraction = 0;
    bool rest = false;
    for (size_t i = s->denom.n; i > 0; i--) {
        mst_nano sum = (mst_nano)(s->denom.p[i - 1] - '0') * scale + fraction;
        rest |= sum % 10 != 0;
        fraction = sum / 10;
    }
    mst_nano value;
    if (__builtin_mul_overflow(whole, scale, &value) ||
        __builtin_add_overflow(value, fraction + (rest ? 1 : 0), &value))
        return cap;
    return MST_MIN(value, cap);
}

/*
 * Whether upstream's fast path takes the text (its int64 mantissa with a scale of at least 10^-9).
 */
static bool is_fast(const struct pieces *s, mst_quantity_format format, int32_t exponent)
{
    size_t num_n = s->num.n ? s->num.n : 1; /* upstream writes an absent number as "0" */
    if (format == MST_BINARY_SI) {
        if (s->denom.n > 0 || num_n + (size_t)(exponent * 3 / 10) > FAST_BINARY_DIGITS)
            return false;
        int64_t product, num = 0;
        for (size_t i = 0; i < s->num.n; i++)
            num = num * 10 + (s->num.p[i] - '0');
        return !__builtin_mul_overflow(num, (int64_t)1 << exponent, &product);
    }
    return num_n + s->denom.n <= FAST_DECIMAL_DIGITS &&
           (int64_t)exponent - (int64_t)s->denom.n >= -9;
}

/*
 * Whether upstream remembers a text of the fast path as "already canonical" although it may not be.
 */
static bool is_kept(const struct pieces *s, mst_quantity_format format, int32_t exponent)
{
    if (format == MST_BINARY_SI)
        return s->num.n > 0 && (((s->num.n > 2 ? (s->num.p[s->num.n - 3] - '0') * 100 : 0) +
                                 (s->num.n > 1 ? (s->num.p[s->num.n - 2] - '0') * 10 : 0) +
                                 (s->num.p[s->num.n - 1] - '0')) &
                                7) != 0;
    size_t digit_count = s->num.n + s->denom.n;
    if (s->num.n == 0 || ((int64_t)exponent - (int64_t)s->denom.n) % 3 != 0)
        return false;
    return digit_count < 3 || digit_at(s, digit_count - 1) != '0' ||
           digit_at(s, digit_count - 2) != '0' || digit_at(s, digit_count - 3) != '0';
}

mst_rc mst_quantity_parse(struct mst_str text, struct mst_quantity *out, struct mst_err *err)
{
    struct pieces s;
    if (text.n == 0 || !split(text, &s))
        return mst_fail(err, MST_EDECODE, "%s", format_wrong);
    struct mst_quantity q = { 0 };
    int32_t exponent;
    if (!suffix_interpret(s.suffix, &exponent, &q.format))
        return mst_fail(err, MST_EDECODE, "unable to parse quantity's suffix");
    if (is_fast(&s, q.format, exponent)) {
        if (is_kept(&s, q.format, exponent))
            q.kept = text;
    } else if (!s.any_digit) {
        return mst_fail(err, MST_EDECODE, "unable to parse numeric part of quantity");
    }
    if (q.format == MST_BINARY_SI) {
        q.nano = binary_magnitude(&s, exponent);
        if (q.nano > 0 && q.nano < UNIT)
            q.format = MST_DECIMAL_SI;
    } else {
        q.nano = decimal_magnitude(&s, exponent);
        q.saturated = q.nano == NANO_MAX;
    }
    if (s.negative)
        q.nano = -q.nano;
    *out = q;
    return MST_OK;
}

/* Decimal digits of `value` with its sign before `end`; returns where they begin. */
static char *put_nano(char *end, mst_nano value)
{
    unsigned __int128 magnitude = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    char *at = end;
    do {
        *--at = (char)('0' + (int)(magnitude % 10));
        magnitude /= 10;
    } while (magnitude);
    if (value < 0)
        *--at = '-';
    return at;
}

static struct mst_str decimal_text(mst_nano nano, mst_quantity_format format,
                                   struct mst_arena *arena)
{
    static const char *const suffixes[] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };
    int exponent = -9;
    while (nano % 1000 == 0) {
        nano /= 1000;
        exponent += 3;
    }
    char digits[48];
    char *begin = put_nano(digits + sizeof(digits), nano);
    int n = (int)(digits + sizeof(digits) - begin);
    if (format == MST_DECIMAL_EXPONENT && exponent != 0)
        return mst_arena_printf(arena, "%.*se%d", n, begin, exponent);
    /* Upstream prints no suffix at all beyond its table. */
    const char *suffix =
        format == MST_DECIMAL_SI && exponent <= 18 ? suffixes[exponent / 3 + 3] : "";
    return mst_arena_printf(arena, "%.*s%s", n, begin, suffix);
}

static struct mst_str binary_text(mst_nano whole, struct mst_arena *arena)
{
    static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
    size_t power = 0;
    while (whole % 1024 == 0) {
        whole /= 1024;
        power++;
    }
    char digits[48];
    char *begin = put_nano(digits + sizeof(digits), whole);
    return mst_arena_printf(arena, "%.*s%s", (int)(digits + sizeof(digits) - begin), begin,
                            power < MST_COUNT(suffixes) ? suffixes[power] : "");
}

struct mst_str mst_quantity_text(const struct mst_quantity *q, struct mst_arena *arena)
{
    if (q->kept.p)
        return mst_arena_str(arena, q->kept);
    if (q->nano == 0)
        return MST_STR("0");
    bool small = q->nano > -1024 * UNIT && q->nano < 1024 * UNIT;
    if (q->format != MST_BINARY_SI)
        return decimal_text(q->nano, q->format, arena);
    if (small || q->nano % UNIT != 0)
        return decimal_text(q->nano, MST_DECIMAL_SI, arena);
    return binary_text(q->nano / UNIT, arena);
}

/* nano / per, away from zero, within int64. */
static int64_t round_away(mst_nano nano, mst_nano per)
{
    mst_nano value = nano / per;
    if (nano % per != 0)
        value += nano > 0 ? 1 : -1;
    if (value > INT64_MAX)
        return INT64_MAX;
    return value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

int64_t mst_quantity_value(const struct mst_quantity *q)
{
    return round_away(q->nano, UNIT);
}

int64_t mst_quantity_milli(const struct mst_quantity *q)
{
    return round_away(q->nano, UNIT / 1000);
}

double mst_quantity_approximate(const struct mst_quantity *q)
{
    /* A text has the largest unit of these that leaves no fraction. */
    static const struct {
        int64_t nano;
        double unit;
    } units[] = { { 1000000000, 1 }, { 1000000, 1e-3 }, { 1000, 1e-6 }, { 1, 1e-9 } };
    size_t i = 0;
    while (q->nano % units[i].nano)
        i++;
    const mst_nano digits = q->nano / units[i].nano; /* exactly */
    return (double)digits * units[i].unit;
}

int mst_quantity_cmp(const struct mst_quantity *a, const struct mst_quantity *b)
{
    return (a->nano > b->nano) - (a->nano < b->nano);
}

static void add_nano(struct mst_quantity *a, const struct mst_quantity *b, mst_nano nano)
{
    if (a->nano == 0)
        a->format = b->format;
    a->kept = MST_STR_NONE;
    if (__builtin_add_overflow(a->nano, nano, &a->nano)) {
        a->nano = nano > 0 ? NANO_MAX : -NANO_MAX;
        a->saturated = true;
    }
    a->saturated |= b->saturated;
}

void mst_quantity_add(struct mst_quantity *a, const struct mst_quantity *b)
{
    add_nano(a, b, b->nano);
}

void mst_quantity_sub(struct mst_quantity *a, const struct mst_quantity *b)
{
    add_nano(a, b, -b->nano);
}
