/*
 * yaml_write.c - a tape as block-style YAML, through libyaml's emitter.
 *
 * Owns:       the emitter while it writes.
 * Invariants: what is written reads back as the same value, but for numbers, which read back in
 *             their canonical form. Strings are plain where that is safe, literal blocks when they
 *             have several lines (as kubectl prints them), else quoted.
 */
#include "codec/yaml.h"

#include "codec/yaml_internal.h"

#include <yaml.h>

struct writer {
    yaml_emitter_t emitter;
    struct mst_buf *out;
    struct mst_err *err;
};

static int write_bytes(void *ctx, unsigned char *bytes, size_t n)
{
    mst_buf_add(ctx, bytes, n);
    return 1;
}

/* `made` is what libyaml's event constructor returned. */
static mst_rc emit(struct writer *w, yaml_event_t *event, int made)
{
    if (!made)
        return mst_fail(w->err, MST_EDECODE, "write YAML: a string is not UTF-8");
    if (!yaml_emitter_emit(&w->emitter, event))
        return mst_fail(w->err, MST_EINVAL, "write YAML: %s",
                        w->emitter.problem ? w->emitter.problem : "the emitter failed");
    return MST_OK;
}

static mst_rc emit_scalar(struct writer *w, struct mst_str text, yaml_scalar_style_t style)
{
    yaml_event_t event;
    int made = yaml_scalar_event_initialize(&event, NULL, NULL,
                                            (const yaml_char_t *)(text.n ? text.p : ""),
                                            (int)text.n, 1, 1, style);
    return emit(w, &event, made);
}

/*
 * Whether a literal block keeps the text as it is: several lines, no line break but \n, nothing
 * that needs an escape, and no blank at the start that an indentation indicator would have to
 * explain.
 */
static bool fits_literal(struct mst_str s)
{
    if (s.p[0] == ' ' || s.p[0] == '\n')
        return false;
    bool has_break = false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n')
            has_break = true;
        else if (c < ' ' || c == 0x7F)
            return false;
        /* U+0085, U+2028 and U+2029 are line breaks in YAML 1.1. */
        if (c == 0xC2 && i + 1 < s.n && (unsigned char)s.p[i + 1] == 0x85)
            return false;
        if (c == 0xE2 && i + 2 < s.n && (unsigned char)s.p[i + 1] == 0x80 &&
            ((unsigned char)s.p[i + 2] & ~1) == 0xA8)
            return false;
    }
    return has_break;
}

static yaml_scalar_style_t style_of(struct mst_str s, bool block_allowed)
{
    struct mst_plain plain;
    if (s.n && block_allowed && fits_literal(s))
        return YAML_LITERAL_SCALAR_STYLE;
    mst_plain_resolve(s, &plain);
    if (plain.kind != MST_PLAIN_STRING || mst_plain_looks_dated(s) || mst_str_is(s, "<<") ||
        mst_str_is(s, "=") || memchr(s.p, '\n', s.n))
        return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    return YAML_PLAIN_SCALAR_STYLE; /* the emitter quotes what plain cannot hold */
}

/* A JSON number that no double can hold would read back as a string. */
static mst_rc emit_number(struct writer *w, struct mst_str text)
{
    struct mst_plain plain;
    mst_plain_resolve(text, &plain);
    if (plain.kind != MST_PLAIN_INT && plain.kind != MST_PLAIN_FLOAT) {
        struct mst_str shown = mst_clip(text);
        return mst_fail(w->err, MST_EINVAL, "write YAML: number %.*s is out of range",
                        MST_ARG(shown));
    }
    return emit_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

static mst_rc emit_value(struct writer *w, const struct mst_value *v, bool root)
{
    yaml_event_t event;
    int made;
    switch ((mst_value_type)v->type) {
    case MST_NULL: return emit_scalar(w, MST_STR("null"), YAML_PLAIN_SCALAR_STYLE);
    case MST_FALSE: return emit_scalar(w, MST_STR("false"), YAML_PLAIN_SCALAR_STYLE);
    case MST_TRUE: return emit_scalar(w, MST_STR("true"), YAML_PLAIN_SCALAR_STYLE);
    case MST_NUMBER: return emit_number(w, mst_value_str(v));
    case MST_STRING: return emit_scalar(w, mst_value_str(v), style_of(mst_value_str(v), !root));
    case MST_ARRAY:
        made =
            yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE);
        return emit(w, &event, made);
    case MST_OBJECT:
        made = yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
        return emit(w, &event, made);
    }
    return MST_OK;
}

static mst_rc emit_close(struct writer *w, const struct mst_value *v)
{
    yaml_event_t event;
    int made = v->type == MST_OBJECT ? yaml_mapping_end_event_initialize(&event)
                                     : yaml_sequence_end_event_initialize(&event);
    return emit(w, &event, made);
}

static mst_rc emit_tree(struct writer *w, const struct mst_value *root)
{
    struct mst_walk walk;
    mst_walk_init(&walk, root);
    const struct mst_value *v;
    mst_rc rc = MST_OK;
    for (mst_walk_step step; !rc && (step = mst_walk_next(&walk, &v)) != MST_WALK_DONE;) {
        if (step == MST_WALK_KEY)
            rc = emit_scalar(w, mst_value_str(v), style_of(mst_value_str(v), false));
        else if (step == MST_WALK_VALUE)
            rc = emit_value(w, v, v == root);
        else
            rc = emit_close(w, v);
    }
    return rc;
}

static mst_rc emit_document(struct writer *w, const struct mst_value *root)
{
    yaml_event_t event;
    int made = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    mst_rc rc = emit(w, &event, made);
    if (!rc) {
        made = yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
        rc = emit(w, &event, made);
    }
    if (!rc)
        rc = emit_tree(w, root);
    if (!rc) {
        made = yaml_document_end_event_initialize(&event, 1);
        rc = emit(w, &event, made);
    }
    if (!rc) {
        made = yaml_stream_end_event_initialize(&event);
        rc = emit(w, &event, made);
    }
    return rc;
}

mst_rc mst_yaml_write(const struct mst_value *value, struct mst_buf *out, struct mst_err *err)
{
    struct writer w = { .out = out, .err = err };
    size_t before = out->n;
    if (!yaml_emitter_initialize(&w.emitter))
        return mst_fail(err, MST_ELIMIT, "write YAML: out of memory");
    yaml_emitter_set_output(&w.emitter, write_bytes, out);
    yaml_emitter_set_unicode(&w.emitter, 1);
    yaml_emitter_set_width(&w.emitter, -1); /* never folds a line */
    mst_rc rc = emit_document(&w, value);
    yaml_emitter_delete(&w.emitter);
    /*
     * Once it has written a block scalar with "+", libyaml ends the document with "...". That is of
     * no use behind a container, whose text cannot have such a line, and kubectl prints none.
     */
    if (!rc && value->type >= MST_ARRAY && out->n - before > 5 &&
        memcmp(out->p + out->n - 5, "\n...\n", 5) == 0)
        out->n -= 4;
    if (rc)
        out->n = before;
    return rc;
}
