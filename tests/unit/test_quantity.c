/* test_quantity.c - resource.Quantity against upstream's own answers, and its algebra. */
#include "api/quantity.h"
#include "base/rng.h"
#include "tap.h"

#include "unit/quantity_vectors.h"

static struct mst_quantity parse(struct mst_test *t, const char *text)
{
    struct mst_quantity q = { 0 };
    struct mst_err err;
    if (mst_quantity_parse(mst_str_of(text), &q, &err))
        t_fail(t, "%s: %s", text, err.text);
    return q;
}

static void test_quantity_vectors(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    for (size_t i = 0; i < MST_COUNT(vectors); i++) {
        t_case(t, vectors[i].in);
        struct mst_quantity q = { .nano = 77 };
        struct mst_err err;
        mst_rc rc = mst_quantity_parse(mst_str_of(vectors[i].in), &q, &err);
        if (vectors[i].error) {
            t_int(t, rc, MST_EDECODE);
            t_int(t, q.nano, 77);
            if (rc)
                t_text(t, err.text, vectors[i].error);
            continue;
        }
        t_int(t, rc, MST_OK);
        t_str(t, mst_quantity_text(&q, &arena), vectors[i].text);
        t_int(t, mst_quantity_value(&q), vectors[i].value);
        t_int(t, mst_quantity_milli(&q), vectors[i].milli);
        struct mst_quantity more = parse(t, "1500m");
        mst_quantity_add(&q, &more);
        t_str(t, mst_quantity_text(&q, &arena), vectors[i].plus_1500m);
    }
    mst_arena_done(&arena);
}

static void test_quantity_empty_is_an_error(struct mst_test *t)
{
    struct mst_quantity q;
    struct mst_err err;
    t_int(t, mst_quantity_parse(MST_STR(""), &q, &err), MST_EDECODE);
    t_text(t, err.text, FORMAT);
    t_int(t, mst_quantity_parse(MST_STR(" 1"), &q, &err), MST_EDECODE);
    t_int(t,
          mst_quantity_parse(MST_STR("1\0"
                                     "5"),
                             &q, &err),
          MST_EDECODE);
}

/* As printed by k8s.io/apimachinery v0.37.2 (AsApproximateFloat64 of the canonical text). */
static void test_quantity_approximate(struct mst_test *t)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0 },
        { "1", 1 },
        { "9m", 0.009000000000000001 },
        { "57m", 0.057 },
        { "100m", 0.1 },
        { "1500m", 1.5 },
        { "1100m", 1.1 },
        { "123456789m", 123456.789 },
        { "100M", 1e+08 },
        { "64Mi", 6.7108864e+07 },
        { "1Gi", 1.073741824e+09 },
        { "250e6", 2.5e+08 },
        { "-9m", -0.009000000000000001 },
        { "7u", 7e-06 },
        { "3n", 3.0000000000000004e-09 },
        { "9007199254740993", 9.007199254740992e+15 },
        { "1009m", 1.0090000000000001 },
    };
    struct mst_err err;
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_quantity q;
        t_case(t, cases[i].text);
        t_int(t, mst_quantity_parse(mst_str_of(cases[i].text), &q, &err), MST_OK);
        t_ok(t, mst_quantity_approximate(&q) == cases[i].value);
    }
}

static void test_quantity_saturates(struct mst_test *t)
{
    static const struct {
        const char *text;
        bool saturated;
        int64_t value, milli;
    } cases[] = {
        { "12E", false, INT64_MAX, INT64_MAX },
        { "-12E", false, INT64_MIN, INT64_MIN },
        { "1Ei", false, (int64_t)1 << 60, INT64_MAX },
        { "9Ei", false, INT64_MAX, INT64_MAX },
        { "-9Ei", false, -INT64_MAX, INT64_MIN },
        { "170141183460469231731", false, INT64_MAX, INT64_MAX },
        { "99999999999999999999999999999999999999999999999", true, INT64_MAX, INT64_MAX },
        { "1e99", true, INT64_MAX, INT64_MAX },
        { "1e2147483647", true, INT64_MAX, INT64_MAX },
        { "-1e2147483647", true, INT64_MIN, INT64_MIN },
        { "0e2147483647", false, 0, 0 },
        { "1e-2147483648", false, 1, 1 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].text);
        struct mst_quantity q = parse(t, cases[i].text);
        t_bool(t, q.saturated, cases[i].saturated);
        t_int(t, mst_quantity_value(&q), cases[i].value);
        t_int(t, mst_quantity_milli(&q), cases[i].milli);
    }
    struct mst_quantity huge = parse(t, "1e99"), sum = huge;
    mst_quantity_add(&sum, &huge);
    t_int(t, mst_quantity_cmp(&sum, &huge), 0);
    t_bool(t, sum.saturated, true);
    mst_quantity_sub(&sum, &huge);
    t_int(t, mst_quantity_sign(&sum), 0);
    t_bool(t, sum.saturated, true);
}

static void test_quantity_zero_adopts_the_format(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_quantity a = parse(t, "0"), b = parse(t, "2Gi");
    mst_quantity_add(&a, &b);
    t_str(t, mst_quantity_text(&a, &arena), "2Gi");
    struct mst_quantity c = parse(t, "0Ki"), d = parse(t, "3k");
    mst_quantity_sub(&c, &d);
    t_str(t, mst_quantity_text(&c, &arena), "-3k");
    struct mst_quantity e = parse(t, "1Gi"), f = parse(t, "1M");
    mst_quantity_add(&e, &f);
    t_str(t, mst_quantity_text(&e, &arena), "1074741824");
    mst_arena_done(&arena);
}

static void test_quantity_compares_across_formats(struct mst_test *t)
{
    static const struct {
        const char *a, *b;
        int order;
    } cases[] = {
        { "1Ki", "1024", 0 }, { "1Ki", "1k", 1 }, { "0.1", "100m", 0 }, { "-1", "1n", -1 },
        { "1e3", "1k", 0 },   { "1n", "0", 1 },   { "9Ei", "10E", -1 }, { "-0", "0", 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].a);
        struct mst_quantity a = parse(t, cases[i].a), b = parse(t, cases[i].b);
        t_int(t, mst_quantity_cmp(&a, &b), cases[i].order);
        t_int(t, mst_quantity_cmp(&b, &a), -cases[i].order);
    }
}

/* A random text that the grammar allows. */
static void random_text(struct mst_rng *rng, struct mst_buf *buf)
{
    static const char *const suffixes[] = { "",  "n",  "u",  "m",  "k",  "M",  "G",  "T",  "P",
                                            "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-5" };
    buf->n = 0;
    if (mst_rng_below(rng, 4) == 0)
        mst_buf_char(buf, "+-"[mst_rng_below(rng, 2)]);
    for (uint64_t i = 0, n = 1 + mst_rng_below(rng, 12); i < n; i++)
        mst_buf_char(buf, (char)('0' + mst_rng_below(rng, 10)));
    if (mst_rng_below(rng, 3) == 0) {
        mst_buf_char(buf, '.');
        for (uint64_t i = 0, n = mst_rng_below(rng, 14); i < n; i++)
            mst_buf_char(buf, (char)('0' + mst_rng_below(rng, 10)));
    }
    mst_buf_text(buf, suffixes[mst_rng_below(rng, MST_COUNT(suffixes))]);
}

static void test_quantity_print_parses_to_the_same(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_rng rng;
    mst_rng_init(&rng, 15);
    MST_AUTO(mst_buf) buf = { 0 };
    for (uint32_t round = 0; round < 20000; round++) {
        struct mst_quantity q, again;
        struct mst_err err;
        mst_arena_reset(&arena);
        random_text(&rng, &buf);
        if (mst_quantity_parse(mst_buf_span(&buf), &q, &err)) {
            t_fail(t, "%.*s: %s", (int)buf.n, buf.p, err.text);
            continue;
        }
        for (int canonical = 0; canonical < 2; canonical++) {
            if (canonical)
                q.kept = MST_STR_NONE;
            struct mst_str text = mst_quantity_text(&q, &arena);
            if (mst_quantity_parse(text, &again, &err)) {
                t_fail(t, "%.*s -> %.*s: %s", (int)buf.n, buf.p, MST_ARG(text), err.text);
                continue;
            }
            /* Beyond the table of suffixes upstream prints none, so such a text says less. */
            mst_nano zetta = (mst_nano)1000000000000000 * 1000000000000000;
            bool beyond = q.format == MST_DECIMAL_SI && !q.kept.p && q.nano % zetta == 0;
            if (mst_quantity_cmp(&q, &again) != 0 && !beyond)
                t_fail(t, "%.*s -> %.*s", (int)buf.n, buf.p, MST_ARG(text));
        }
    }
    t_ok(t, rng.s[0] != 0);
    mst_arena_done(&arena);
}

static void test_quantity_add_then_sub_is_nothing(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 16);
    MST_AUTO(mst_buf) x = { 0 };
    MST_AUTO(mst_buf) y = { 0 };
    for (uint32_t round = 0; round < 5000; round++) {
        struct mst_quantity a, b;
        random_text(&rng, &x);
        random_text(&rng, &y);
        if (mst_quantity_parse(mst_buf_span(&x), &a, NULL) ||
            mst_quantity_parse(mst_buf_span(&y), &b, NULL)) {
            t_fail(t, "%.*s or %.*s", (int)x.n, x.p, (int)y.n, y.p);
            continue;
        }
        struct mst_quantity sum = a;
        mst_nano exact;
        if (__builtin_add_overflow(a.nano, b.nano, &exact))
            continue;
        mst_quantity_add(&sum, &b);
        t_ok(t, sum.nano == exact);
        mst_quantity_sub(&sum, &b);
        t_ok(t, sum.nano == a.nano && sum.kept.p == NULL);
    }
}

MST_TEST_MAIN(T(test_quantity_approximate), T(test_quantity_vectors),
              T(test_quantity_empty_is_an_error), T(test_quantity_saturates),
              T(test_quantity_zero_adopts_the_format), T(test_quantity_compares_across_formats),
              T(test_quantity_print_parses_to_the_same), T(test_quantity_add_then_sub_is_nothing))
