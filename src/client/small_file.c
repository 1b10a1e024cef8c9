/*
 * small_file.c - files of configuration and credentials, read whole.
 *
 * Invariants: mst_small_file_read never waits: what is no regular file (a pipe, a terminal) is
 *             refused.
 */
#include "client/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static mst_rc fail_errno(struct mst_str path, int error, struct mst_err *err)
{
    char text[128];
    return mst_fail(err, MST_EIO, "%.*s: %s", MST_ARG(path), strerror_r(error, text, sizeof(text)));
}

static mst_rc read_all(int fd, struct mst_str path, struct mst_buf *out, struct mst_err *err)
{
    const size_t begin = out->n;
    for (;;) {
        mst_buf_reserve(out, 1 << 14);
        const ssize_t n = read(fd, out->p + out->n, out->cap - out->n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(path, errno, err);
        if (n == 0)
            return MST_OK;
        out->n += (size_t)n;
        if (out->n - begin > MST_SMALL_FILE_BYTES_MAX)
            return mst_fail(err, MST_ELIMIT, "%.*s: larger than %d MiB", MST_ARG(path),
                            MST_SMALL_FILE_BYTES_MAX >> 20);
    }
}

static mst_rc read_path(struct mst_str path, bool wait, struct mst_buf *out, struct mst_err *err)
{
    MST_AUTO(mst_buf) name = { 0 };
    mst_buf_str(&name, path);
    mst_buf_char(&name, '\0');
    const int fd = open(name.p, O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK));
    if (fd < 0)
        return fail_errno(path, errno, err);
    const size_t begin = out->n;
    struct stat st;
    mst_rc rc;
    if (fstat(fd, &st))
        rc = fail_errno(path, errno, err);
    else if (!wait && !S_ISREG(st.st_mode))
        rc = mst_fail(err, MST_EIO, "%.*s: not a regular file", MST_ARG(path));
    else
        rc = read_all(fd, path, out, err);
    close(fd);
    if (rc)
        out->n = begin;
    return rc;
}

mst_rc mst_small_file_read(struct mst_str path, struct mst_buf *out, struct mst_err *err)
{
    return read_path(path, false, out, err);
}

mst_rc mst_small_file_read_waiting(struct mst_str path, struct mst_buf *out, struct mst_err *err)
{
    return read_path(path, true, out, err);
}
