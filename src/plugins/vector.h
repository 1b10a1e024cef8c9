/*
 * vector.h - what the loops over columns share: block size, and conversions that the compiler
 * can turn into vector code.
 */
#ifndef MST_PLUGINS_VECTOR_H
#define MST_PLUGINS_VECTOR_H

#include "base/vector.h"

/* Rows per block: intermediate arrays of a block stay in the first-level cache. */
enum { MST_BLOCK_ROWS = 256 };

/* x as a double for 0 <= x < 2^52, exactly: the bits of 2^52 + x, less 2^52. */
static inline double mst_small_double(int64_t x)
{
    const uint64_t bits = (uint64_t)x | 0x4330000000000000u;
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d - 0x1p52;
}

#endif
