/*
 * tape.h - a parsed JSON or YAML document as one flat array of values, and what is wrong with it.
 *
 * A container is followed by its contents: an array by its elements, an object by key, value, key,
 * value (keys are MST_STRING values). `span` counts the entries of a value with all its contents,
 * so the next sibling of v is v + v->span, and anything can be skipped in O(1).
 *
 * Owns:       nothing: text points into the source, or into the arena where escapes were decoded.
 * Invariants: duplicate keys are gone (the last one won, in the place of the first); strings are
 *             valid UTF-8; numbers follow JSON's grammar (YAML's plain scalars are resolved by the
 *             rules of the YAML 1.1 core schema that sigs.k8s.io/yaml applies).
 */
#ifndef MST_TAPE_H
#define MST_TAPE_H

#include "base/err.h"
#include "base/mem.h"

typedef enum {
    MST_NULL,
    MST_FALSE,
    MST_TRUE,
    MST_NUMBER, /* `p`, `n`: its text */
    MST_STRING, /* `p`, `n`: its text, escapes decoded */
    MST_ARRAY,  /* `n`: number of elements */
    MST_OBJECT, /* `n`: number of members */
} mst_value_type;

struct mst_value {
    const char *p;
    uint32_t n;
    uint32_t span;
    uint32_t line;     /* from 1 */
    uint32_t col : 24; /* from 1, in bytes; larger ones saturate */
    uint32_t type : 8; /* mst_value_type */
};

static inline struct mst_str mst_value_str(const struct mst_value *v)
{
    return (struct mst_str){ v->p, v->n };
}
static inline const struct mst_value *mst_value_next(const struct mst_value *v)
{
    return v + v->span;
}
/* First element of an array, first key of an object; equal to mst_value_next(v) when empty. */
static inline const struct mst_value *mst_value_first(const struct mst_value *v)
{
    return v + 1;
}
#define MST_EACH_ELEMENT(element, array)                                                           \
    for (const struct mst_value *element = mst_value_first(array);                                 \
         element < mst_value_next(array); element = mst_value_next(element))
/* `key` walks the keys; the value is key + 1. */
#define MST_EACH_MEMBER(key, object)                                                               \
    for (const struct mst_value *key = mst_value_first(object); key < mst_value_next(object);      \
         key = mst_value_next(key + 1))

/* The member's value, or NULL when v is no object or has no such member. */
const struct mst_value *mst_value_get(const struct mst_value *v, const char *key);
/* "object", "array", "string", "number", "boolean", "null". */
const char *mst_value_type_name(const struct mst_value *v);
/*
 * Whole numbers in int64; false for anything else (a fraction, an exponent, overflow, no number).
 */
bool mst_value_int(const struct mst_value *v, int64_t *out);

/* Limits of every reader; 0 in the options means these. */
enum {
    MST_DEPTH_MAX = 128,
    MST_YAML_EXPANSION_MAX = 1 << 20, /* entries that one document may have once aliases expand */
};
#define MST_DOCUMENT_BYTES_MAX ((size_t)256 << 20)

/* What a reader has to say about a place. Errors cost the object; warnings cost nothing. */
typedef enum { MST_DIAG_WARNING, MST_DIAG_ERROR } mst_diag_level;

struct mst_diag {
    mst_diag_level level;
    struct mst_str file;   /* as given by the user; "-" is standard input */
    uint32_t line, col;    /* from 1; 0 = unknown */
    struct mst_str object; /* "Pod default/a", or absent when there is none yet */
    struct mst_str text;
};

/* A list of diagnostics with their text. Zero-initialised is valid and empty. */
struct mst_diags {
    struct mst_arena arena;
    MST_VEC(struct mst_diag) list;
    uint32_t error_count;
    struct mst_str file;   /* where the next ones are; set by whoever opens a file */
    struct mst_str object; /* which object the next ones are about */
};

enum { MST_DIAGS_MAX = 10000 }; /* more are counted, not kept; the last kept one says so */

void mst_diags_done(struct mst_diags *diags);
void mst_diag_add(struct mst_diags *diags, mst_diag_level level, const struct mst_value *at,
                  const char *format, ...) MST_PRINTF(4, 5);
void mst_diag_add_at(struct mst_diags *diags, mst_diag_level level, uint32_t line, uint32_t col,
                     const char *format, ...) MST_PRINTF(5, 6);
/* "FILE:LINE:COL: error: OBJECT: TEXT\n"; parts that are unknown are left out. */
void mst_diag_print(const struct mst_diag *diag, struct mst_buf *out);

#endif
