/*
 * doc.h - a JSON value that can be changed: what a manifest becomes when the server fills things
 * in.
 *
 * Owns:       nothing; values live in the arena they were made in, text where it came from.
 * Invariants: keys of an object are unique and keep their order; new keys go to the end.
 */
#ifndef MST_DOC_H
#define MST_DOC_H

#include "codec/json.h"

struct mst_doc {
    mst_value_type type;
    struct mst_str text; /* MST_NUMBER, MST_STRING */
    struct mst_str key;  /* in an object */
    struct mst_doc *first, *last, *next;
};

/* A copy of a tape. No recursion; depth is limited by the tape's readers. */
struct mst_doc *mst_doc_of(struct mst_arena *arena, const struct mst_value *value);
struct mst_doc *mst_doc_new(struct mst_arena *arena, mst_value_type type);

/* NULL when there is none, or `object` is no object. */
struct mst_doc *mst_doc_get(const struct mst_doc *object, const char *key);
/* The member, made as an empty value of that type when it is absent, null or of another type. */
struct mst_doc *mst_doc_make(struct mst_arena *arena, struct mst_doc *object, struct mst_str key,
                             mst_value_type type);
void mst_doc_remove(struct mst_doc *object, const char *key);
/* Empties an array or object. */
void mst_doc_clear(struct mst_doc *container);
/* Adds an empty value to an array. */
struct mst_doc *mst_doc_append(struct mst_arena *arena, struct mst_doc *array, mst_value_type type);

/* Set or replace one member. */
void mst_doc_set_str(struct mst_arena *arena, struct mst_doc *object, const char *key,
                     struct mst_str text);
void mst_doc_set_int(struct mst_arena *arena, struct mst_doc *object, const char *key,
                     int64_t number);

/* No recursion. Fails never; nesting deeper than MST_DEPTH_MAX is asserted. */
void mst_doc_write(const struct mst_doc *doc, struct mst_json_writer *w);

#endif
