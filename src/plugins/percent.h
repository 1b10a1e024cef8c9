/*
 * percent.h - whole percents of many rows without a division, and the rows that need one.
 *
 * A scorer computes x, a percentage, in floats from the row's derived percents. If x - d and x + d
 * have the same integer part, d being MST_PERCENT_DOUBT, then so have the true percentage and what
 * upstream's doubles make of it, which are off by less than 1e-12; otherwise the row is in doubt
 * and its amounts are divided. That is one row in some thousands, except where requests and nodes
 * are round numbers.
 *
 * Why d = 2^-14 is enough. Let e = 2^-24, the relative error of one rounding. unit, free and used
 * are rounded once, the request once, the product once, hence P = request * 100 / allocatable comes
 * out within 3.01 e P.
 *
 * LeastAllocated: X = free - P with free <= 100, in floats x.
 *   P <= 128 and free >= -100:  |x - X| <= e (3.01 * 128 + 100 + 228) < 4.3e-5, and adding or
 *       subtracting d rounds once more, by 228 e < 1.4e-5: 5.7e-5 in all, below d = 6.1e-5.
 *   otherwise:  X <= -28 or so, and so is x: both are no more than the -1/2 that stands for them.
 * BalancedAllocation: Z = 100 - |Y0 - Y1| / 2 with Yk = min(100, used + P), in floats z.
 *   used + P <= 101:  the sum is off by e (3.01 + 1 + 1) 101 < 3.1e-5 at most, being of positive
 *       terms, and the minimum brings Yk and yk no further apart.
 *   otherwise:  both Yk and yk are 100.
 *   Half the difference of two such is off by 3.1e-5 + 50 e at most; the last difference and adding
 *   or subtracting d round by 101 e each: 4.7e-5 in all, below d.
 */
#ifndef MST_PLUGINS_PERCENT_H
#define MST_PLUGINS_PERCENT_H

#include "plugins/resource_inputs.h"
#include "plugins/vector.h"

#define MST_PERCENT_DOUBT 0x1p-14f
/* What vector loops write for a row in doubt: no score is negative. */
enum { MST_SCORE_IN_DOUBT = -1 };
/* A block with more rows in doubt is faster divided as a whole. */
enum { MST_DOUBTS_MAX = MST_BLOCK_ROWS / 8 };

/*
 * min(x, 100) for x >= 0. On the bits of the float, since compilers do not turn conditions on
 * floats into vector code: bits of floats that are not negative ascend as the floats do.
 */
static inline float mst_at_most_100(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = bits < 0x42c80000 ? bits : 0x42c80000;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/*
 * max(x, -1/2), likewise: as unsigned numbers, the bits of ever more negative floats ascend, behind
 * those of all others.
 */
static inline float mst_at_least_minus_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = bits < 0xbf000000 ? bits : 0xbf000000;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/*
 * True when the inputs are cpu and memory, in any order, with the same weight, and requests that
 * the proof above allows.
 */
static inline bool mst_inputs_are_percents(const struct mst_resource_inputs *inputs)
{
    if (inputs->n != MST_PERCENTS)
        return false;
    const struct mst_resource_input *a = &inputs->v[0], *b = &inputs->v[1];
    return (a->column ^ b->column) == (MST_RES_CPU ^ MST_RES_MEMORY) &&
           (a->column | b->column) == (MST_RES_CPU | MST_RES_MEMORY) && a->weight == b->weight &&
           ((uint64_t)a->request | (uint64_t)b->request) < (uint64_t)1 << 52;
}

/* The request for cpu (0) or memory (1) of such inputs. */
static inline float mst_percent_request(const struct mst_resource_inputs *inputs, uint32_t column)
{
    return (float)inputs->v[inputs->v[0].column != column].request;
}

#endif
