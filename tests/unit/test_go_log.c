/*
 * test_go_log.c - bits of logarithms as Go 1.26 on amd64 prints them. (Not of subnormal numbers,
 * where its assembly errs; nobody asks for them.)
 */
#include "plugins/go_log.h"

#include <math.h>

#include "tap.h"

/* clang-format off */
static const struct { double x; uint64_t bits; } values[] = {
    { 1, 0x0000000000000000 },
    { 2, 0x3fe62e42fefa39ef },
    { 3, 0x3ff193ea7aad030a }, /* glibc: ...0b */
    { 4, 0x3ff62e42fefa39ef },
    { 5, 0x3ff9c041f7ed8d33 },
    { 6, 0x3ffcab0bfa2a2002 },
    { 7, 0x3fff2272ae325a57 },
    { 8, 0x4000a2b23f3bab73 },
    { 9, 0x400193ea7aad030b },
    { 10, 0x40026bb1bbb55516 },
    { 12, 0x4003e116bcd39e7d },
    { 20, 0x4007f7427b73e391 },
    { 52, 0x400f9c25aaaea949 },
    { 100, 0x40126bb1bbb55516 },
    { 102, 0x40127ff8df87c7bd },
    { 502, 0x4018dfd8b5b3e920 },
    { 1000, 0x401ba18a998fffa0 },
    { 1002, 0x401ba3965d405f5f },
    { 4999, 0x402108b35436f406 },
    { 5002, 0x40210901f6dc84b9 },
    { 15002, 0x40233b5c54bb9573 },
    { 100002, 0x402706a0c9b7a3ab },
    { 2147483649.0, 0x40357cd0e7046820 },
    { 0.5, 0xbfe62e42fefa39ef },
    { 0.1, 0xc0026bb1bbb55515 },
    { 1e-300, 0xc085963447f87fb5 },
    { 1.7976931348623157e308, 0x40862e42fefa39ef },
    { 0.7071067811865476, 0xbfd62e42fefa39ee },
    { 0.7071067811865475, 0xbfd62e42fefa39f1 },
    { 1.4142135623730951, 0x3fd62e42fefa39f0 },
    { 1.0000000000000002, 0x3cafffffffffffff },
    { 0.9999999999999999, 0xbca0000000000000 },
};
/* clang-format on */

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static void test_log_values(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(values); i++)
        t_int(t, bits_of(mst_go_log(values[i].x)), values[i].bits);
}

/* One number over the logarithms of 1..200000, folded with a multiplier. */
static void test_log_of_many_integers(struct mst_test *t)
{
    uint64_t fold = 0;
    for (uint32_t i = 1; i <= 200000; i++)
        fold = fold * 0x9e3779b97f4a7c15 + bits_of(mst_go_log(i));
    t_int(t, fold, 0x5150e205f789ace);
}

static void test_log_of_what_has_none(struct mst_test *t)
{
    t_ok(t, isnan(mst_go_log(-1)));
    t_ok(t, isnan(mst_go_log(NAN)));
    t_ok(t, isinf(mst_go_log(0)) && mst_go_log(0) < 0);
    t_ok(t, isinf(mst_go_log(INFINITY)) && mst_go_log(INFINITY) > 0);
    t_ok(t, isnan(mst_go_log(-INFINITY)));
}

MST_TEST_MAIN(T(test_log_values), T(test_log_of_many_integers), T(test_log_of_what_has_none))
