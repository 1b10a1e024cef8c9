/*
 * list_split.h - cuts a list, as its bytes come, into lists of one item each.
 *
 * An API server may answer with everything it has in one body, whatever limit it was asked for.
 * Cut like this, a list costs the memory of its largest item.
 *
 * Owns:       the bytes of the item at hand, and of what is around the items (the envelope).
 * Invariants: the items come in their order; each is passed on as a document that readers of lists
 *             understand; the envelope without its items is one as well.
 * Not here:   reading the items (api/stream.h).
 * Source:     spec/api.md 11.1, 11.2.
 */
#ifndef MST_LIST_SPLIT_H
#define MST_LIST_SPLIT_H

#include "api/stream.h"

enum {
    MST_SPLIT_ITEM_BYTES_MAX = 16 << 20, /* etcd takes 1.5 MiB; defaults add little */
    MST_SPLIT_ENVELOPE_BYTES_MAX = 1 << 20,
};

/* A field of a message that is being read, of which only those with a length are expected. */
typedef enum { MST_SPLIT_TAG, MST_SPLIT_LENGTH, MST_SPLIT_BYTES } mst_split_part;

struct mst_list_split {
    bool begun;
    mst_encoding encoding;
    /* what JSON items are, which need not say so themselves */
    const char *kind;
    struct mst_str api_version;
    struct mst_buf item;     /* a list of the item at hand, as far as it came */
    struct mst_buf envelope; /* JSON: the list but for its items; protobuf: ListMeta */
    bool in_item;
    /* JSON */
    uint32_t depth;
    bool in_string, escaped, in_items;
    /* protobuf */
    uint32_t prefix_n;  /* bytes of "k8s\0" that came */
    bool in_list;       /* inside the list, not the runtime.Unknown around it */
    uint64_t list_left; /* bytes of the list that are still to come */
    mst_split_part part;
    uint64_t varint; /* of the tag or the length, so far */
    uint32_t varint_n;
    uint64_t tag, left;       /* the field, and bytes of it that are still to come */
    struct mst_buf type_meta; /* of the runtime.Unknown */
    bool had_list;
};

void mst_list_split_done(struct mst_list_split *split);
/* A new list. `kind` is static ("Pod"), `api_version` borrowed. */
void mst_list_split_begin(struct mst_list_split *split, const char *kind,
                          struct mst_str api_version);
/*
 * Takes bytes until an item is complete or there are no more: they are cut off `bytes`.
 *
 * ret_item   a list of one item, until the next call; absent: the bytes are used up.
 * Errors     MST_EDECODE, MST_ELIMIT: this cannot be read.
 */
mst_rc mst_list_split_next(struct mst_list_split *split, struct mst_str *bytes,
                           struct mst_str *ret_item, struct mst_err *err) MST_WARN_UNUSED;
/*
 * There are no more bytes: the list without its items, until the next call.
 *
 * Errors   MST_EDECODE: it was cut off.
 */
mst_rc mst_list_split_end(struct mst_list_split *split, struct mst_str *ret_envelope,
                          struct mst_err *err) MST_WARN_UNUSED;

#endif
