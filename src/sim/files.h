/*
 * files.h - the files, directories and standard input that a person names, and what a server
 * answered with, as texts in a fixed order.
 */
#ifndef MST_FILES_H
#define MST_FILES_H

#include "codec/tape.h"

struct mst_file {
    struct mst_str path; /* as given, "DIR/NAME" for what is in a directory, "-" */
    struct mst_str text;
    bool json;   /* one JSON value; else YAML documents, or JSON documents one after another */
    bool served; /* what an API server answered with, not what a person wrote */
};

/* Zero-initialised is valid and empty. */
struct mst_files {
    MST_VEC(struct mst_file) list;
    struct mst_arena arena;
};

enum { MST_FILES_MAX = 100000 };

/*
 * Adds the texts behind `path`: a file, a directory (its *.yaml, *.yml and *.json, by name, not
 * what is below it), or "-" for standard input.
 *
 * diags    takes an error for each thing that cannot be read; what can be read is kept.
 * Limits   MST_DOCUMENT_BYTES_MAX per file, MST_FILES_MAX files.
 */
void mst_files_add(struct mst_files *files, const char *path, struct mst_diags *diags);
/*
 * Adds a JSON text that an API server answered with. Both texts are borrowed.
 *
 * label    what messages call it: "cluster/pods".
 */
void mst_files_add_served(struct mst_files *files, struct mst_str label, struct mst_str json);
void mst_files_done(struct mst_files *files);

/* One whole file (or "-") into `out`. Errors MST_EIO, MST_ELIMIT with the path in the text. */
mst_rc mst_file_read(const char *path, struct mst_buf *out, struct mst_err *err) MST_WARN_UNUSED;

#endif
