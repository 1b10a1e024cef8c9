/*
 * output.h - what several commands print alike: objects and answers as JSON or YAML, ages.
 */
#ifndef MST_OUTPUT_H
#define MST_OUTPUT_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Appends what one JSON text says as YAML.
 *
 * Errors   of reading it: a text of our own is too large.
 */
mst_rc mst_output_yaml(struct mst_str json, struct mst_buf *out, struct mst_err *err)
    MST_WARN_UNUSED;

/* How old something is, in one unit: "45s", "12m", "5h", "3d". Negative ages are 0s. */
void mst_output_age(int64_t seconds, struct mst_buf *out);

#endif
