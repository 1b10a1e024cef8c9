/*
 * small_file.h - files of configuration and credentials, read whole.
 */
#ifndef MST_SMALL_FILE_H
#define MST_SMALL_FILE_H

#include "base/err.h"
#include "base/mem.h"

enum { MST_SMALL_FILE_BYTES_MAX = 16 << 20 };

/*
 * Appends the file's bytes to `out`.
 *
 * Errors   MST_EIO, MST_ELIMIT, with the path in the text.
 */
mst_rc mst_small_file_read(struct mst_str path, struct mst_buf *out, struct mst_err *err)
    MST_WARN_UNUSED;
/*
 * The same of a pipe or a terminal as well (/dev/stdin, what a shell's <(...) stands for), waiting
 * for its end: for what is read once, before anything else goes on.
 */
mst_rc mst_small_file_read_waiting(struct mst_str path, struct mst_buf *out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
