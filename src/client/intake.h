/*
 * intake.h - bytes of a list or a watch, as they come, to objects, one after another.
 *
 * Owns:       the bytes of the item at hand, the arena it is decoded in.
 * Invariants: one item is in memory at a time, however long the list is; an item that was cut off
 *             is not passed on; an object that cannot be decoded is passed on by name. JSON and
 *             protobuf are told apart by their first byte, whatever was asked for.
 * Not here:   what the items mean for what is known (reflector_tell.c).
 */
#ifndef MST_INTAKE_H
#define MST_INTAKE_H

#include "client/known.h"
#include "client/list_split.h"

typedef enum {
    MST_ITEM_SET, /* ADDED, MODIFIED, an item of a list */
    MST_ITEM_DELETED,
    MST_ITEM_BOOKMARK,
    MST_ITEM_ERROR,
} mst_item_type;

/* Borrowed for the call. */
struct mst_item {
    mst_item_type type;
    struct mst_known_id id;
    struct mst_str version;          /* resourceVersion */
    const struct mst_object *object; /* SET: decoded and defaulted; NULL when it is bad */
    struct mst_str problem;          /* why it is bad */
    bool initial_end;                /* BOOKMARK: the first list is complete */
    struct mst_status_answer answer; /* ERROR */
};

/* What a list says of itself. */
struct mst_list_head {
    struct mst_str version, next; /* `continue` */
};

struct mst_intake_options {
    const struct mst_api *api;
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
    bool watch_begun; /* its encoding is known */
    struct mst_list_split split;
    struct mst_watch_reader watch;
};

void mst_intake_init(struct mst_intake *intake, const struct mst_intake_options *options);
void mst_intake_done(struct mst_intake *intake);
/* A body begins: of a list, or of a watch. */
void mst_intake_begin(struct mst_intake *intake, bool is_list);

/*
 * Takes bytes. *ret_more is false when an item was told and answered with "stop"; the rest of the
 * bytes is dropped then.
 *
 * Errors   MST_EDECODE, MST_ELIMIT: the body cannot be read any further.
 */
mst_rc mst_intake_feed(struct mst_intake *intake, struct mst_str bytes, bool *ret_more,
                       struct mst_err *err) MST_WARN_UNUSED;
/*
 * The body of a list is over. `out` is valid until the next call.
 *
 * Errors   MST_EDECODE: it is cut off, or no list.
 */
mst_rc mst_intake_end(struct mst_intake *intake, struct mst_list_head *out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
