/*
 * yaml_internal.h - scalars and merge keys: what the YAML reader and writer share.
 */
#ifndef MST_YAML_INTERNAL_H
#define MST_YAML_INTERNAL_H

#include "codec/tape_internal.h"
#include "codec/yaml.h"

/* What an untagged plain scalar means. */
typedef enum {
    MST_PLAIN_STRING,
    MST_PLAIN_NULL,
    MST_PLAIN_TRUE,
    MST_PLAIN_FALSE,
    MST_PLAIN_INT,
    MST_PLAIN_FLOAT,
    MST_PLAIN_NOT_FINITE, /* .inf, .nan: JSON cannot say it */
} mst_plain_kind;

struct mst_plain {
    mst_plain_kind kind;
    uint32_t n; /* of INT and FLOAT: the number as canonical JSON */
    char number[MST_NUMBER_TEXT_MAX];
};

void mst_plain_resolve(struct mst_str text, struct mst_plain *out);
/*
 * A plain scalar that YAML 1.1 takes for a time or a base 60 number: read as a string, written
 * quoted.
 */
bool mst_plain_looks_dated(struct mst_str text);
/*
 * Decodes standard base64 with white space in it; bytes that are no UTF-8 become U+FFFD. False when
 * it is no base64.
 */
bool mst_base64_text(struct mst_str text, struct mst_arena *arena, struct mst_str *out);

/*
 * Takes the text of one document off the reader: up to the next line that begins one, or through a
 * line "...". What stands before the first marker (comments, directives) belongs to the document it
 * begins. Empty when only blank lines are left. `line` is the number of its first line.
 */
struct mst_str mst_yaml_take(struct mst_yaml_reader *reader, uint32_t *line);

/* A key `<<` waiting for its object to close has this type on the tape instead of MST_STRING. */
#define MST_MERGE_KEY MST_NULL

/*
 * Replaces the merge keys of a complete object by what they bring: a key that the object has itself
 * wins, then the earlier of several mappings. Duplicates among the object's own keys stay.
 *
 * Returns NULL, or the value that is neither a mapping nor a list of mappings (nothing is changed).
 * Differs: go-yaml v2 lets a merge key that comes after an explicit key overwrite it; the YAML
 *          specification of merge keys and go-yaml v3 do not, and neither do we.
 */
const struct mst_value *mst_yaml_merge(struct mst_value *object);

/* As mst_json_parse, for a text whose first line has the number `line`. */
mst_rc mst_json_parse_from(struct mst_str text, uint32_t line, struct mst_arena *arena,
                           struct mst_diags *diags, const struct mst_value **out,
                           struct mst_err *err) MST_WARN_UNUSED;

#endif
