/*
 * yaml.h - YAML documents into the same tape as JSON, and a tape as YAML text. Through libyaml.
 */
#ifndef MST_YAML_H
#define MST_YAML_H

#include "codec/tape.h"

/*
 * Reads one document after another from a text of YAML or JSON documents. A document that cannot be
 * read costs only itself: the next call goes on after the next line that starts with "---".
 */
struct mst_yaml_reader {
    struct mst_str rest; /* not yet read */
    uint32_t line;       /* line number of rest's first byte, from 1 */
};

void mst_yaml_init(struct mst_yaml_reader *reader, struct mst_str text);
/*
 * The next non-empty document.
 *
 * out     its root value, in `arena`; text may point into the source, which must outlive it.
 * diags   warnings (duplicate keys) and errors (syntax, limits, an alias bomb, an undefined anchor,
 *         a merge key that is no mapping), each with line and column in the whole text.
 * Returns MST_OK; MST_ENOTFOUND at the end (no diagnostic); MST_EDECODE or MST_ELIMIT when this
 *         document is bad (the reason went to diags) and the caller should call again.
 */
mst_rc mst_yaml_next(struct mst_yaml_reader *reader, struct mst_arena *arena,
                     struct mst_diags *diags, const struct mst_value **out) MST_WARN_UNUSED;

/* Writes a value as block-style YAML, members in their order, strings quoted when they need it. */
mst_rc mst_yaml_write(const struct mst_value *value, struct mst_buf *out, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
