/*
 * go_log.c - fdlibm's logarithm with its published constants.
 *
 * x = 2^k * (1 + f), sqrt(2)/2 < 1 + f < sqrt(2); log(1 + f) from an even and an odd polynomial in
 * s = f / (2 + f). The order of operations is part of the result: compile without contraction.
 */
#include "plugins/go_log.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

double mst_go_log(double x)
{
    if (isnan(x) || (isinf(x) && x > 0))
        return x;
    if (x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    const double ln2_hi = of_bits(0x3fe62e42fee00000), ln2_lo = of_bits(0x3dea39ef35793c76);
    const double l1 = of_bits(0x3fe5555555555593), l2 = of_bits(0x3fd999999997fa04);
    const double l3 = of_bits(0x3fd2492494229359), l4 = of_bits(0x3fcc71c51d8e78af);
    const double l5 = of_bits(0x3fc7466496cb03de), l6 = of_bits(0x3fc39a09d078c69f);
    const double l7 = of_bits(0x3fc2f112df3e5244);
    int exponent;
    double fraction = frexp(x, &exponent);
    if (fraction < M_SQRT2 / 2) {
        fraction *= 2;
        exponent--;
    }
    const double f = fraction - 1, k = exponent;
    const double s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
    const double t1 = s2 * (l1 + s4 * (l3 + s4 * (l5 + s4 * l7)));
    const double t2 = s4 * (l2 + s4 * (l4 + s4 * l6));
    const double r = t1 + t2, half = 0.5 * f * f;
    return k * ln2_hi - ((half - (s * (half + r) + k * ln2_lo)) - f);
}
