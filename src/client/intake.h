/*
 * intake.h - bytes of a list or a watch, as they come, to objects, one after another.
 *
 * Owns:       the bytes of the item at hand, the arena it is decoded in.
 * Invariants: one item is in memory at a time, however long the list is; an item that was cut off
 *             is not passed on; an object that cannot be decoded is passed on by name.
 * Not here:   what the items mean for what is known (reflector_tell.c).
 * Source:     spec/api.md 11.2.
 */
#ifndef MST_INTAKE_H
#define MST_INTAKE_H

#include "api/api.h"
#include "client/known.h"

typedef enum {
    MST_ITEM_SET, /* ADDED, MODIFIED, an item of a list */
    MST_ITEM_DELETED,
    MST_ITEM_BOOKMARK,
    MST_ITEM_ERROR,
    MST_ITEM_UNKNOWN, /* an event of a type that is not known */
} mst_item_type;

/* Borrowed for the call. */
struct mst_item {
    mst_item_type type;
    struct mst_known_id id;
    struct mst_str version;          /* resourceVersion */
    const struct mst_object *object; /* SET: decoded and defaulted; NULL when it is bad */
    struct mst_str problem;          /* why it is bad */
    bool initial_end;                /* BOOKMARK: the first list is complete */
    /* ERROR: a Status */
    int64_t code, retry_after_s; /* -1: not given */
    struct mst_str reason, message;
};

/* What a list says of itself. */
struct mst_list_head {
    struct mst_str version, next; /* `continue` */
};

struct mst_intake_options {
    struct mst_api *api;
    mst_kind kind;
    struct mst_str api_version;                           /* of items of a list; borrowed */
    bool (*item)(void *ctx, const struct mst_item *item); /* false: stop */
    void *ctx;
};

struct mst_intake {
    struct mst_intake_options options;
    struct mst_api api; /* the options', with the arena and diags below */
    struct mst_arena arena;
    struct mst_diags diags;
    bool is_list;
    bool stopped;
    struct mst_buf unit;     /* the item at hand */
    struct mst_buf envelope; /* of a list, without the items */
    uint32_t depth;
    bool in_string, escaped, in_items, in_item;
};

void mst_intake_init(struct mst_intake *intake, const struct mst_intake_options *options);
void mst_intake_done(struct mst_intake *intake);
/* A body begins: of a list, or of a watch. */
void mst_intake_begin(struct mst_intake *intake, bool is_list);

/*
 * Takes bytes. *ret_more is false when an item was told and answered with "stop"; nothing more is
 * passed on then.
 *
 * Errors   MST_EDECODE, MST_ELIMIT: the body cannot be read any further.
 */
mst_rc mst_intake_feed(struct mst_intake *intake, struct mst_str bytes, bool *ret_more,
                       struct mst_err *err) MST_WARN_UNUSED;
/*
 * The body of a list is over. `out` is valid until the next call.
 *
 * Errors   MST_EDECODE: it is cut off, or no list of the kind.
 */
mst_rc mst_intake_end(struct mst_intake *intake, struct mst_list_head *out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
