/*
 * tape_internal.h - what the readers and writers of the codec share: UTF-8, duplicate keys,
 * numbers.
 */
#ifndef MST_TAPE_INTERNAL_H
#define MST_TAPE_INTERNAL_H

#include "codec/tape.h"

#define MST_LIKELY(x) __builtin_expect(!!(x), 1)
#define MST_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    MST_COL_MAX = (1 << 24) - 1, /* of mst_value.col */
    MST_DIAG_KEY_MAX = 80,       /* bytes of a key that a message quotes */
    MST_NUMBER_TEXT_MAX = 40,    /* bytes that mst_number_format may write */
};

static inline uint32_t mst_col(const char *line_begin, const char *p)
{
    ptrdiff_t col = p - line_begin + 1;
    return col < MST_COL_MAX ? (uint32_t)col : MST_COL_MAX;
}

/* For messages: at most MST_DIAG_KEY_MAX bytes, cut at a character. */
struct mst_str mst_clip(struct mst_str s);

/* Length of the UTF-8 sequence at p, 1 to 4; 0 if it is invalid or goes past `end`. p < end. */
static inline uint32_t mst_utf8_len(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    ptrdiff_t left = end - p;
    if (u[0] < 0x80)
        return 1;
    if (left >= 2 && u[0] >= 0xC2 && u[0] <= 0xDF)
        return (u[1] & 0xC0) == 0x80 ? 2 : 0;
    if (left >= 3 && (u[0] & 0xF0) == 0xE0) {
        unsigned char low = u[0] == 0xE0 ? 0xA0 : 0x80;  /* no overlong forms */
        unsigned char high = u[0] == 0xED ? 0x9F : 0xBF; /* no surrogates */
        return u[1] >= low && u[1] <= high && (u[2] & 0xC0) == 0x80 ? 3 : 0;
    }
    if (left >= 4 && u[0] >= 0xF0 && u[0] <= 0xF4) {
        unsigned char low = u[0] == 0xF0 ? 0x90 : 0x80;
        unsigned char high = u[0] == 0xF4 ? 0x8F : 0xBF; /* not above U+10FFFF */
        return u[1] >= low && u[1] <= high && (u[2] & 0xC0) == 0x80 && (u[3] & 0xC0) == 0x80 ? 4
                                                                                             : 0;
    }
    return 0;
}

/*
 * Appends code point `c` (not a surrogate, at most 0x10FFFF) to `out`; returns the bytes written.
 */
static inline uint32_t mst_utf8_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/*
 * Makes the keys of a complete object unique: the last value wins, in the place of the first key,
 * with a warning for each later one. Updates the object's `n` and `span`; what followed the object
 * on the tape is not moved, so the caller's end becomes object + object->span.
 *
 * diags   may be NULL.
 * Cost    O(members) expected: up to 16 members a fixed array of 16-bit hashes, above a hash set.
 *         Entries move only when there is a duplicate, so nested ones cost O(entries * depth).
 */
void mst_tape_dedup(struct mst_value *object, struct mst_diags *diags);

/*
 * A double as JSON, the way Go's encoder writes it: the shortest digits that read back as the same
 * value, an exponent below 1e-6 and from 1e21. Finite only. Returns the bytes written.
 */
uint32_t mst_number_format(double value, char out[MST_NUMBER_TEXT_MAX]);

/*
 * Depth-first iteration over a tape value without recursion, for the writers: tells when containers
 * close. A value deeper than MST_DEPTH_MAX is a bug (asserted): no reader makes one.
 */
struct mst_walk {
    const struct mst_value *at;
    uint32_t depth;
    struct {
        const struct mst_value *container, *end;
        bool key_next;
    } open[MST_DEPTH_MAX + 1];
};

typedef enum { MST_WALK_DONE, MST_WALK_KEY, MST_WALK_VALUE, MST_WALK_CLOSE } mst_walk_step;

void mst_walk_init(struct mst_walk *walk, const struct mst_value *root);
/* Containers come as VALUE when they open and as CLOSE at their end. */
mst_walk_step mst_walk_next(struct mst_walk *walk, const struct mst_value **out);

#endif
