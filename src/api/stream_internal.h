/*
 * stream_internal.h - what lists and watches share.
 */
#ifndef MST_STREAM_INTERNAL_H
#define MST_STREAM_INTERNAL_H

#include "api/api.h"

/* The text of a member; absent when there is none, or when it is empty. */
struct mst_str mst_text_member(const struct mst_value *object, const char *name);
/* For mst_api_decode: puts the object where `ctx`, a struct mst_object **, points. */
bool mst_keep_object(void *ctx, struct mst_object *object);

#endif
