/*
 * hash_internal.h - what the symbol table and the map share: the hash, and comparing short keys.
 *
 * Both sit on the decoding path, where a key is a dozen bytes: a call into libc for each compare
 * costs as much as the rest of the look-up, so short ones are compared in place.
 */
#ifndef MST_HASH_INTERNAL_H
#define MST_HASH_INTERNAL_H

#include "base/base.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* XXH3 with seed 0. */
static inline uint64_t hash_bytes(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

static inline uint64_t load_8(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t load_4(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

/* Equality of n bytes; two overlapping loads cover any length from 4 to 16. */
static inline bool bytes_equal(const char *a, const char *b, size_t n)
{
    if (n > 16)
        return memcmp(a, b, n) == 0;
    if (n >= 8)
        return load_8(a) == load_8(b) && load_8(a + n - 8) == load_8(b + n - 8);
    if (n >= 4)
        return load_4(a) == load_4(b) && load_4(a + n - 4) == load_4(b + n - 4);
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

#endif
