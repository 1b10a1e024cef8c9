/*
 * err.h - errors with text: what went wrong in the world, said once, prefixed on the way up.
 */
#ifndef MST_ERR_H
#define MST_ERR_H

#include "base/base.h"

/* Lives on the caller's stack; no allocation, nothing to free; truncation is marked "...". */
struct mst_err {
    mst_rc rc;
    char text[500];
};

/* Sets err (may be NULL) and returns rc, for `return mst_fail(err, MST_EINVAL, "...")`. */
mst_rc mst_fail(struct mst_err *err, mst_rc rc, const char *format, ...) MST_PRINTF(3, 4);
/* Prefixes "<text>: " and returns err->rc (MST_EINVAL if err is NULL). */
mst_rc mst_wrap(struct mst_err *err, const char *format, ...) MST_PRINTF(2, 3);

#endif
