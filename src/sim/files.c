/*
 * files.c - the files, directories and standard input that a person names, as texts in a fixed
 * order.
 */
#include "sim/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"

struct mst_fd {
    int fd;
};

static void mst_fd_done(struct mst_fd *fd)
{
    if (fd->fd > STDIN_FILENO)
        close(fd->fd);
}

/* What the operating system says, in a thread-safe way. */
static mst_rc fail_errno(struct mst_err *err, const char *path, int error)
{
    char text[128];
    return mst_fail(err, MST_EIO, "%s: %s", path, strerror_r(error, text, sizeof(text)));
}

static mst_rc read_all(int fd, const char *path, struct mst_buf *out, struct mst_err *err)
{
    for (;;) {
        mst_buf_reserve(out, 1 << 16);
        ssize_t n = read(fd, out->p + out->n, out->cap - out->n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, path, errno);
        if (n == 0)
            return MST_OK;
        out->n += (size_t)n;
        if (out->n > MST_DOCUMENT_BYTES_MAX)
            return mst_fail(err, MST_ELIMIT, "%s: larger than %zu MiB", path,
                            MST_DOCUMENT_BYTES_MAX >> 20);
    }
}

mst_rc mst_file_read(const char *path, struct mst_buf *out, struct mst_err *err)
{
    MST_AUTO(mst_fd) fd = { .fd = STDIN_FILENO };
    if (strcmp(path, "-") != 0)
        fd.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd.fd < 0)
        return fail_errno(err, path, errno);
    return read_all(fd.fd, path, out, err);
}

static void complain(struct mst_diags *diags, struct mst_str path, const char *text)
{
    diags->file = path;
    diags->object = MST_STR_NONE;
    mst_diag_add_at(diags, MST_DIAG_ERROR, 0, 0, "%s", text);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && memcmp(name + n - m, suffix, m) == 0;
}

static void add_file(struct mst_files *files, const char *path, struct mst_diags *diags)
{
    struct mst_str kept = mst_arena_str(&files->arena, mst_str_of(path));
    if (files->list.n >= MST_FILES_MAX) {
        complain(diags, kept, "too many files: at most 100000 are read");
        return;
    }
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_err err;
    if (mst_file_read(path, &text, &err)) {
        /* The text begins with the path, which the diagnostic says already. */
        size_t prefix = kept.n + 2;
        complain(diags, kept, strlen(err.text) > prefix ? err.text + prefix : err.text);
        return;
    }
    mst_vec_push(&files->list,
                 (struct mst_file){ .path = kept,
                                    .text = mst_arena_str(&files->arena, mst_buf_span(&text)),
                                    .json = has_suffix(path, ".json") });
}

static bool is_manifest(const char *name)
{
    return name[0] != '.' &&
           (has_suffix(name, ".yaml") || has_suffix(name, ".yml") || has_suffix(name, ".json"));
}

static int by_text(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

static void add_directory(struct mst_files *files, const char *path, struct mst_diags *diags)
{
    struct mst_str kept = mst_arena_str(&files->arena, mst_str_of(path));
    DIR *dir = opendir(path);
    if (!dir) {
        char text[128];
        complain(diags, kept, strerror_r(errno, text, sizeof(text)));
        return;
    }
    MST_VEC(struct mst_str) names = { 0 };
    size_t slash = kept.n && kept.p[kept.n - 1] == '/' ? 1 : 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (is_manifest(entry->d_name) && names.n < MST_FILES_MAX)
            mst_vec_push(&names, mst_arena_printf(&files->arena, "%.*s/%s", (int)(kept.n - slash),
                                                  kept.p, entry->d_name));
    }
    closedir(dir);
    if (!names.n)
        complain(diags, kept, "no *.yaml, *.yml or *.json in this directory");
    mst_sort(names.v, names.n, sizeof(*names.v), by_text, NULL);
    for (uint32_t i = 0; i < names.n; i++)
        add_file(files, names.v[i].p, diags);
    mst_vec_done(&names);
}

void mst_files_add(struct mst_files *files, const char *path, struct mst_diags *diags)
{
    struct stat st;
    if (strcmp(path, "-") == 0) {
        for (uint32_t i = 0; i < files->list.n; i++) {
            if (mst_str_is(files->list.v[i].path, "-")) {
                complain(diags, MST_STR("-"), "standard input can be read only once");
                return;
            }
        }
        add_file(files, path, diags);
    } else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        add_directory(files, path, diags);
    } else {
        add_file(files, path, diags);
    }
}

void mst_files_add_served(struct mst_files *files, struct mst_str label, struct mst_str json)
{
    mst_vec_push(&files->list,
                 (struct mst_file){ .path = label, .text = json, .json = true, .served = true });
}

void mst_files_done(struct mst_files *files)
{
    mst_vec_done(&files->list);
    mst_arena_done(&files->arena);
}
