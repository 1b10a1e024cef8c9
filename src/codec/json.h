/*
 * json.h - JSON in and out: a pull reader, the tape made with it, and a writer.
 */
#ifndef MST_JSON_H
#define MST_JSON_H

#include "codec/tape.h"

struct mst_json_options {
    uint32_t depth_max; /* 0 = MST_DEPTH_MAX */
};

/*
 * Reads exactly one JSON value with white space around it into a tape.
 *
 * text     must outlive the tape: values point into it. At most MST_DOCUMENT_BYTES_MAX.
 * diags    takes a warning for each duplicate key ("duplicate key "x", the last one is used"); may
 *          be NULL.
 * out      the root value, in `arena`; untouched on failure.
 * Errors   MST_EDECODE or MST_ELIMIT, text "line L, column C: what".
 * Cost     one pass. The tape is made in `arena` at 3 bytes per byte of text, which is enough for
 *          what API servers send and is not copied; denser texts double it until it fits.
 */
mst_rc mst_json_parse(struct mst_str text, const struct mst_json_options *options,
                      struct mst_arena *arena, struct mst_diags *diags,
                      const struct mst_value **out, struct mst_err *err) MST_WARN_UNUSED;

/*
 * The pull reader, for streams that need no tape (watch frames, skipping what we do not need).
 * `mst_json_next` gives one token after another; inside an object the key is its own token.
 */
typedef enum {
    MST_TOKEN_END, /* the value is complete and only white space follows */
    MST_TOKEN_ERROR,
    MST_TOKEN_OBJECT_BEGIN,
    MST_TOKEN_OBJECT_END,
    MST_TOKEN_ARRAY_BEGIN,
    MST_TOKEN_ARRAY_END,
    MST_TOKEN_KEY,
    MST_TOKEN_STRING,
    MST_TOKEN_NUMBER,
    MST_TOKEN_TRUE,
    MST_TOKEN_FALSE,
    MST_TOKEN_NULL,
} mst_token;

struct mst_json {
    const char *at, *end, *begin, *line_begin;
    uint32_t line;
    uint32_t depth, depth_max;
    uint64_t in_object[MST_DEPTH_MAX / 64]; /* a bit per open container */
    uint8_t state;                          /* what may come next */
    struct mst_arena *arena;                /* where escaped strings are decoded */
    struct mst_str text;                    /* of the last KEY, STRING or NUMBER */
    uint32_t token_line, token_col;
    struct mst_err err;
};

void mst_json_init(struct mst_json *js, struct mst_str text, struct mst_arena *arena);
mst_token mst_json_next(struct mst_json *js);
/* After KEY or any *_BEGIN: skips the value, checking it as it goes. False on error. */
bool mst_json_skip(struct mst_json *js);
/*
 * After KEY: its value as a tape; after any *_BEGIN: the whole container. The reader goes on behind
 * it. `arena` takes the tape and decoded strings; diags and err as in mst_json_parse.
 */
mst_rc mst_json_value(struct mst_json *js, struct mst_arena *arena, struct mst_diags *diags,
                      const struct mst_value **out, struct mst_err *err) MST_WARN_UNUSED;

/*
 * Writer. `indent` 0 is compact, else that many spaces per level. Commas, colons and line ends are
 * the writer's; calls must be well-formed (asserted). Text is escaped as Go's encoder does without
 * HTML escaping; invalid UTF-8 becomes U+FFFD.
 */
struct mst_json_writer {
    struct mst_buf *out;
    uint32_t indent;
    uint32_t depth;
    bool need_comma, after_key;
};

void mst_jw_object_begin(struct mst_json_writer *w);
void mst_jw_object_end(struct mst_json_writer *w);
void mst_jw_array_begin(struct mst_json_writer *w);
void mst_jw_array_end(struct mst_json_writer *w);
void mst_jw_key(struct mst_json_writer *w, const char *key);
void mst_jw_key_str(struct mst_json_writer *w, struct mst_str key);
void mst_jw_str(struct mst_json_writer *w, struct mst_str value);
void mst_jw_text(struct mst_json_writer *w, const char *value);
void mst_jw_int(struct mst_json_writer *w, int64_t value);
void mst_jw_double(struct mst_json_writer *w, double value);
void mst_jw_bool(struct mst_json_writer *w, bool value);
void mst_jw_null(struct mst_json_writer *w);
void mst_jw_value(struct mst_json_writer *w,
                  const struct mst_value *value); /* a whole tape value */

/* Appends a text with every byte that does not belong to valid UTF-8 replaced by U+FFFD. */
void mst_utf8_clean(struct mst_str text, struct mst_buf *out);

#endif
