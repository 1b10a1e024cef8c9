/*
 * yaml.c - a stream of YAML or JSON documents, each as a tape made of libyaml's events.
 *
 * Owns:       while a document is read: libyaml's parser, the growing tape, copies of anchored
 *             values.
 * Invariants: a value's entries are relative (span), so a copy of an anchored value is a value.
 *             Copies of anchored values are counted against MST_YAML_EXPANSION_MAX before they are
 *             made, and an alias may not nest deeper than MST_DEPTH_MAX, so an alias bomb is a
 *             quick error.
 * Not here:   where a document ends (yaml_split.c), what a plain scalar means (yaml_scalar.c),
 *             merge keys (yaml_merge.c).
 */
#include "codec/yaml.h"

#include "base/map.h"
#include "codec/yaml_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

struct anchor {
    struct mst_value *values;
    uint32_t count;  /* of values; 0 while the anchored value is not complete */
    uint32_t height; /* levels of containers in it */
};

enum { NO_ANCHOR = UINT32_MAX };

struct open {
    uint32_t at;    /* of the container on the tape */
    uint32_t count; /* of its members or elements so far */
    uint32_t height;
    uint32_t anchor;
    bool object, key_next, has_merge;
};

struct loader {
    yaml_parser_t parser;
    struct mst_arena *arena;
    struct mst_diags *diags;
    struct mst_str text;
    /* Place of the last event: libyaml counts characters, we count bytes. Moves forward only. */
    const char *at, *line_begin;
    size_t at_chars;
    uint32_t line, first_line;
    MST_VEC(struct mst_value) tape;
    struct open open[MST_DEPTH_MAX];
    uint32_t depth;
    struct mst_map anchor_names; /* -> index in anchors */
    MST_VEC(struct anchor) anchors;
    struct mst_arena copies;
    uint32_t expanded; /* entries copied because of anchors and aliases */
    bool empty;        /* the root is nothing at all */
    mst_rc rc;
};

/* Always false, for `return fail(...)`. */
__attribute__((format(printf, 3, 4))) static bool fail(struct loader *l, mst_rc rc,
                                                       const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mst_diag_add_at(l->diags, MST_DIAG_ERROR, l->line, mst_col(l->line_begin, l->at), "%s", text);
    l->rc = rc;
    return false;
}

static void step_byte(struct loader *l)
{
    if (*l->at++ == '\n') {
        l->line++;
        l->line_begin = l->at;
    }
}

/* Moves the place to a character of libyaml's. Marks of successive events do not decrease. */
static void move_to(struct loader *l, size_t chars)
{
    const char *end = l->text.p + l->text.n;
    while (l->at_chars < chars && l->at < end) {
        step_byte(l);
        while (l->at < end && ((unsigned char)*l->at & 0xC0) == 0x80)
            l->at++;
        l->at_chars++;
    }
}

static void move_to_byte(struct loader *l, size_t offset)
{
    l->at = l->line_begin = l->text.p;
    l->line = l->first_line;
    while (l->at < l->text.p + MST_MIN(offset, l->text.n))
        step_byte(l);
}

/* Says libyaml's reason, with the place it is about. */
static bool fail_syntax(struct loader *l)
{
    const yaml_parser_t *p = &l->parser;
    const char *problem = p->problem ? p->problem : "it cannot be read";
    if (p->error == YAML_MEMORY_ERROR)
        return fail(l, MST_ELIMIT, "out of memory");
    if (p->error == YAML_READER_ERROR) {
        move_to_byte(l, p->problem_offset);
        return fail(l, MST_EDECODE, "%s (byte 0x%02x)", problem, (unsigned)p->problem_value & 0xFF);
    }
    move_to(l, p->problem_mark.index);
    if (!p->context)
        return fail(l, MST_EDECODE, "%s", problem);
    if (p->context_mark.line == p->problem_mark.line)
        return fail(l, MST_EDECODE, "%s (%s)", problem, p->context);
    return fail(l, MST_EDECODE, "%s (%s that begins in line %zu)", problem, p->context,
                p->context_mark.line + l->first_line);
}

static struct mst_value *push(struct loader *l, mst_value_type type)
{
    struct mst_value v = {
        .span = 1,
        .line = l->line,
        .col = mst_col(l->line_begin, l->at) & MST_COL_MAX,
        .type = (uint8_t)type,
    };
    mst_vec_push(&l->tape, v);
    return &l->tape.v[l->tape.n - 1];
}

/* The text in the source when it stands there letter by letter, else a copy. */
static struct mst_str keep_text(struct loader *l, struct mst_str text)
{
    const char *end = l->text.p + l->text.n;
    for (size_t quote = 0; quote < 2; quote++)
        if ((size_t)(end - l->at) >= text.n + quote && memcmp(l->at + quote, text.p, text.n) == 0)
            return (struct mst_str){ l->at + quote, text.n };
    return mst_arena_str(l->arena, text);
}

static void push_text(struct loader *l, mst_value_type type, struct mst_str text)
{
    struct mst_value *v = push(l, type);
    v->p = text.p;
    v->n = (uint32_t)text.n;
}

static bool count_copies(struct loader *l, uint32_t count)
{
    if (count > MST_YAML_EXPANSION_MAX - l->expanded)
        return fail(l, MST_ELIMIT, "anchors and aliases expand to more than %d values",
                    MST_YAML_EXPANSION_MAX);
    l->expanded += count;
    return true;
}

/* A new anchor of that name; an older one is hidden from here on. */
static uint32_t begin_anchor(struct loader *l, const yaml_char_t *name)
{
    if (!name)
        return NO_ANCHOR;
    mst_map_set(&l->anchor_names, mst_str_of((const char *)name), l->anchors.n);
    mst_vec_push(&l->anchors, (struct anchor){ 0 });
    return l->anchors.n - 1;
}

static bool end_anchor(struct loader *l, uint32_t anchor_i, uint32_t at, uint32_t height)
{
    if (anchor_i == NO_ANCHOR)
        return true;
    uint32_t count = l->tape.v[at].span;
    if (!count_copies(l, count))
        return false;
    struct anchor *anchor = &l->anchors.v[anchor_i];
    anchor->values = mst_arena_alloc(&l->copies, count * sizeof(*anchor->values));
    memcpy(anchor->values, l->tape.v + at, count * sizeof(*anchor->values));
    anchor->count = count;
    anchor->height = height;
    return true;
}

/* A key or value is complete; `height` levels of containers are in it. */
static void end_value(struct loader *l, uint32_t height)
{
    if (l->depth == 0)
        return;
    struct open *open = &l->open[l->depth - 1];
    open->height = MST_MAX(open->height, height);
    if (!open->object || !open->key_next)
        open->count++;
    open->key_next = open->object && !open->key_next;
}

static bool at_key(const struct loader *l)
{
    return l->depth && l->open[l->depth - 1].key_next;
}

static bool is_tag(const char *tag, const char *name)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    return strncmp(tag, prefix, sizeof(prefix) - 1) == 0 &&
           strcmp(tag + sizeof(prefix) - 1, name) == 0;
}

/* Whether what the scalar means and what its tag says agree; a float may be written as an int. */
static bool tag_agrees(const char *tag, mst_plain_kind kind)
{
    switch (kind) {
    case MST_PLAIN_NULL: return is_tag(tag, "null");
    case MST_PLAIN_TRUE:
    case MST_PLAIN_FALSE: return is_tag(tag, "bool");
    case MST_PLAIN_INT: return is_tag(tag, "int") || is_tag(tag, "float");
    case MST_PLAIN_FLOAT:
    case MST_PLAIN_NOT_FINITE: return is_tag(tag, "float");
    case MST_PLAIN_STRING: break;
    }
    return false;
}

static bool is_scalar_tag(const char *tag)
{
    static const char *const names[] = { "null", "bool", "int", "float" };
    for (size_t i = 0; i < MST_COUNT(names); i++)
        if (is_tag(tag, names[i]))
            return true;
    return false;
}

/* What a scalar with an explicit tag means; *text changes for !!binary. */
static bool resolve_tagged(struct loader *l, const char *tag, struct mst_str *text,
                           struct mst_plain *plain)
{
    plain->kind = MST_PLAIN_STRING;
    if (is_tag(tag, "str") || is_tag(tag, "timestamp") || strcmp(tag, "!") == 0)
        return true;
    struct mst_str shown = mst_clip(*text);
    if (is_tag(tag, "binary")) {
        if (mst_base64_text(*text, l->arena, text))
            return true;
        return fail(l, MST_EDECODE, "!!binary \"%.*s\" is not base64", MST_ARG(shown));
    }
    if (!is_scalar_tag(tag)) {
        struct mst_str shown_tag = mst_clip(mst_str_of(tag));
        return fail(l, MST_EDECODE, "unknown tag \"%.*s\"", MST_ARG(shown_tag));
    }
    mst_plain_resolve(*text, plain);
    if (!tag_agrees(tag, plain->kind))
        return fail(l, MST_EDECODE, "\"%.*s\" is no %s", MST_ARG(shown), strrchr(tag, ':') + 1);
    return true;
}

static bool push_key(struct loader *l, const struct mst_plain *plain, struct mst_str text)
{
    switch (plain->kind) {
    case MST_PLAIN_NULL: return fail(l, MST_EDECODE, "a key must not be null");
    case MST_PLAIN_TRUE: push_text(l, MST_STRING, MST_STR("true")); return true;
    case MST_PLAIN_FALSE: push_text(l, MST_STRING, MST_STR("false")); return true;
    case MST_PLAIN_INT:
    case MST_PLAIN_FLOAT:
    case MST_PLAIN_NOT_FINITE:
    case MST_PLAIN_STRING: push_text(l, MST_STRING, text); return true;
    }
    return false;
}

static bool push_scalar(struct loader *l, const struct mst_plain *plain, struct mst_str text)
{
    struct mst_str shown = mst_clip(text);
    switch (plain->kind) {
    case MST_PLAIN_NULL: push(l, MST_NULL); return true;
    case MST_PLAIN_TRUE: push(l, MST_TRUE); return true;
    case MST_PLAIN_FALSE: push(l, MST_FALSE); return true;
    case MST_PLAIN_INT:
    case MST_PLAIN_FLOAT: push_text(l, MST_NUMBER, text); return true;
    case MST_PLAIN_NOT_FINITE:
        return fail(l, MST_EDECODE, "%.*s is no number that JSON can hold", MST_ARG(shown));
    case MST_PLAIN_STRING: push_text(l, MST_STRING, text); return true;
    }
    return false;
}

static bool is_merge_key(const struct loader *l, const yaml_event_t *event, struct mst_str text)
{
    const char *tag = (const char *)event->data.scalar.tag;
    return at_key(l) && mst_str_is(text, "<<") &&
           (tag ? is_tag(tag, "merge") : event->data.scalar.plain_implicit != 0);
}

static bool on_scalar(struct loader *l, const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;
    struct mst_str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    uint32_t anchor = begin_anchor(l, event->data.scalar.anchor);
    uint32_t at = l->tape.n;
    if (is_merge_key(l, event, text)) {
        push_text(l, MST_MERGE_KEY, MST_STR("<<"));
        l->open[l->depth - 1].has_merge = true;
        end_value(l, 0);
        return true;
    }
    struct mst_plain plain = { .kind = MST_PLAIN_STRING };
    if (tag) {
        if (!resolve_tagged(l, tag, &text, &plain))
            return false;
    } else if (event->data.scalar.plain_implicit) {
        mst_plain_resolve(text, &plain);
        l->empty = l->depth == 0 && text.n == 0;
    }
    if (plain.kind == MST_PLAIN_INT || plain.kind == MST_PLAIN_FLOAT)
        text = (struct mst_str){ plain.number, plain.n };
    text = keep_text(l, text);
    if (!(at_key(l) ? push_key(l, &plain, text) : push_scalar(l, &plain, text)))
        return false;
    if (!end_anchor(l, anchor, at, 0))
        return false;
    end_value(l, 0);
    return true;
}

static bool on_alias(struct loader *l, const yaml_event_t *event)
{
    struct mst_str name = mst_str_of((const char *)event->data.alias.anchor);
    struct mst_str shown = mst_clip(name);
    uint64_t anchor_i;
    if (!mst_map_get(&l->anchor_names, name, &anchor_i))
        return fail(l, MST_EDECODE, "unknown anchor \"%.*s\"", MST_ARG(shown));
    const struct anchor *anchor = &l->anchors.v[anchor_i];
    if (anchor->count == 0)
        return fail(l, MST_EDECODE, "anchor \"%.*s\" contains itself", MST_ARG(shown));
    if (l->depth + anchor->height > MST_DEPTH_MAX)
        return fail(l, MST_ELIMIT, "nested deeper than %d levels", MST_DEPTH_MAX);
    if (!count_copies(l, anchor->count))
        return false;
    uint32_t at = l->tape.n;
    mst_vec_reserve(&l->tape, at + anchor->count);
    struct mst_value *copy = l->tape.v + at;
    memcpy(copy, anchor->values, anchor->count * sizeof(*copy));
    l->tape.n += anchor->count;
    if (at_key(l) && copy->type != MST_STRING) {
        static const char *const words[] = { [MST_FALSE] = "false", [MST_TRUE] = "true" };
        if (copy->type >= MST_ARRAY || copy->type == MST_NULL)
            return fail(l, MST_EDECODE, "a key must not be %s",
                        copy->type == MST_NULL ? "null" : "a list or a mapping");
        if (copy->type != MST_NUMBER) {
            copy->p = words[copy->type];
            copy->n = (uint32_t)strlen(copy->p);
        }
        copy->type = MST_STRING;
    }
    end_value(l, anchor->height);
    return true;
}

static bool on_begin(struct loader *l, mst_value_type type, const yaml_char_t *tag_name,
                     const yaml_char_t *anchor_name)
{
    const char *tag = (const char *)tag_name;
    if (at_key(l))
        return fail(l, MST_EDECODE, "a key must not be a list or a mapping");
    if (tag && strcmp(tag, "!") != 0 && !is_tag(tag, type == MST_OBJECT ? "map" : "seq")) {
        struct mst_str shown = mst_clip(mst_str_of(tag));
        return fail(l, MST_EDECODE, "unknown tag \"%.*s\" for a %s", MST_ARG(shown),
                    type == MST_OBJECT ? "mapping" : "list");
    }
    if (l->depth >= MST_DEPTH_MAX)
        return fail(l, MST_ELIMIT, "nested deeper than %d levels", MST_DEPTH_MAX);
    bool object = type == MST_OBJECT;
    l->open[l->depth++] = (struct open){
        .at = l->tape.n,
        .anchor = begin_anchor(l, anchor_name),
        .object = object,
        .key_next = object,
    };
    push(l, type);
    return true;
}

static bool on_end(struct loader *l)
{
    mst_assert(l->depth > 0);
    const struct open *open = &l->open[--l->depth];
    struct mst_value *container = &l->tape.v[open->at];
    container->n = open->count;
    container->span = l->tape.n - open->at;
    if (open->has_merge) {
        const struct mst_value *bad = mst_yaml_merge(container);
        if (bad) {
            l->rc = MST_EDECODE;
            mst_diag_add(l->diags, MST_DIAG_ERROR, bad,
                         "a merge key (<<) needs a mapping or a list of mappings, not a %s",
                         mst_value_type_name(bad));
            return false;
        }
    }
    if (open->object)
        mst_tape_dedup(container, l->diags);
    l->tape.n = open->at + container->span;
    if (!end_anchor(l, open->anchor, open->at, open->height + 1))
        return false;
    end_value(l, open->height + 1);
    return true;
}

/* False when the document is bad or the stream has ended (l->rc tells which). */
static bool on_event(struct loader *l, const yaml_event_t *event)
{
    move_to(l, event->start_mark.index);
    switch (event->type) {
    case YAML_SCALAR_EVENT: return on_scalar(l, event);
    case YAML_ALIAS_EVENT: return on_alias(l, event);
    case YAML_MAPPING_START_EVENT:
        return on_begin(l, MST_OBJECT, event->data.mapping_start.tag,
                        event->data.mapping_start.anchor);
    case YAML_SEQUENCE_START_EVENT:
        return on_begin(l, MST_ARRAY, event->data.sequence_start.tag,
                        event->data.sequence_start.anchor);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT: return on_end(l);
    case YAML_DOCUMENT_START_EVENT:
        if (l->tape.n)
            return fail(l, MST_EDECODE, "a second document needs a line that starts with \"---\"");
        return true;
    case YAML_STREAM_END_EVENT: return false;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT: return true;
    }
    return true;
}

static void read_events(struct loader *l)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&l->parser, &event)) {
            fail_syntax(l);
            return;
        }
        more = on_event(l, &event);
        yaml_event_delete(&event);
    }
}

static mst_rc load_yaml(struct loader *l, const struct mst_value **out)
{
    if (!yaml_parser_initialize(&l->parser))
        return fail(l, MST_ELIMIT, "out of memory"), l->rc;
    yaml_parser_set_encoding(&l->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&l->parser, (const unsigned char *)l->text.p, l->text.n);
    read_events(l);
    yaml_parser_delete(&l->parser);
    if (l->rc == MST_OK && (l->tape.n == 0 || l->empty))
        l->rc = MST_ENOTFOUND;
    if (l->rc == MST_OK) {
        struct mst_value *copy = mst_arena_alloc(l->arena, l->tape.n * sizeof(*copy));
        memcpy(copy, l->tape.v, l->tape.n * sizeof(*copy));
        *out = copy;
    }
    mst_vec_done(&l->tape);
    mst_vec_done(&l->anchors);
    mst_map_done(&l->anchor_names);
    mst_arena_done(&l->copies);
    return l->rc;
}

/* Reads a document that starts with '{' as JSON; false when it is none (nothing was reported). */
static bool load_json(const struct loader *l, const struct mst_value **out)
{
    const char *p = l->text.p, *end = p + l->text.n;
    uint32_t line = l->first_line;
    const char *line_begin = p;
    for (bool marker_seen = false; p < end; p++) {
        if (*p == '\n') {
            line++;
            line_begin = p + 1;
        } else if (!marker_seen && end - p > 3 && memcmp(p, "---", 3) == 0 && p == line_begin) {
            marker_seen = true;
            p += 2;
        } else if (*p != ' ' && *p != '\t' && *p != '\r') {
            break;
        }
    }
    if (p == end || *p != '{')
        return false;
    /* Columns count from the start of the line, so the text must begin with it. */
    const char *from = line_begin;
    if (memchr(from, '-', (size_t)(p - from)))
        return false;
    uint32_t kept = l->diags->list.n;
    struct mst_str text = { from, (size_t)(end - from) };
    if (mst_json_parse_from(text, line, l->arena, l->diags, out, NULL) == MST_OK)
        return true;
    l->diags->list.n = kept;
    return false;
}

void mst_yaml_init(struct mst_yaml_reader *reader, struct mst_str text)
{
    *reader = (struct mst_yaml_reader){ .rest = text, .line = 1 };
}

mst_rc mst_yaml_next(struct mst_yaml_reader *reader, struct mst_arena *arena,
                     struct mst_diags *diags, const struct mst_value **out)
{
    while (reader->rest.n) {
        struct loader l = { .arena = arena, .diags = diags };
        l.text = mst_yaml_take(reader, &l.first_line);
        l.line = l.first_line;
        l.at = l.line_begin = l.text.p;
        if (l.text.n == 0)
            continue;
        if (l.text.n > MST_DOCUMENT_BYTES_MAX) {
            fail(&l, MST_ELIMIT, "the document is larger than %zu MiB",
                 MST_DOCUMENT_BYTES_MAX >> 20);
            return l.rc;
        }
        if (load_json(&l, out))
            return MST_OK;
        mst_rc rc = load_yaml(&l, out);
        if (rc != MST_ENOTFOUND)
            return rc;
    }
    return MST_ENOTFOUND;
}
