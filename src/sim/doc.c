/*
 * doc.c - a JSON value that can be changed: a manifest while the server fills things in.
 */
#include "sim/doc.h"

struct mst_doc *mst_doc_new(struct mst_arena *arena, mst_value_type type)
{
    struct mst_doc *doc = MST_NEW(arena, struct mst_doc);
    doc->type = type;
    return doc;
}

static void link_last(struct mst_doc *container, struct mst_doc *child)
{
    if (container->last)
        container->last->next = child;
    else
        container->first = child;
    container->last = child;
}

struct mst_doc *mst_doc_of(struct mst_arena *arena, const struct mst_value *value)
{
    struct {
        struct mst_doc *doc;
        const struct mst_value *end;
    } open[MST_DEPTH_MAX + 1];
    uint32_t depth = 0;
    struct mst_doc *root = NULL;
    const struct mst_value *end = mst_value_next(value);
    for (const struct mst_value *v = value; v < end;) {
        while (depth && v >= open[depth - 1].end)
            depth--;
        struct mst_str key = MST_STR_NONE;
        if (depth && open[depth - 1].doc->type == MST_OBJECT) {
            key = mst_value_str(v);
            v++;
        }
        struct mst_doc *doc = mst_doc_new(arena, (mst_value_type)v->type);
        doc->key = key;
        if (doc->type == MST_NUMBER || doc->type == MST_STRING)
            doc->text = mst_value_str(v);
        if (depth)
            link_last(open[depth - 1].doc, doc);
        else
            root = doc;
        if (doc->type == MST_ARRAY || doc->type == MST_OBJECT) {
            mst_assert(depth < MST_COUNT(open));
            open[depth].doc = doc;
            open[depth++].end = mst_value_next(v);
        }
        v++;
    }
    return root;
}

static struct mst_doc *member(const struct mst_doc *object, struct mst_str key)
{
    if (!object || object->type != MST_OBJECT)
        return NULL;
    for (struct mst_doc *m = object->first; m; m = m->next)
        if (mst_str_eq(m->key, key))
            return m;
    return NULL;
}

struct mst_doc *mst_doc_get(const struct mst_doc *object, const char *key)
{
    return member(object, mst_str_of(key));
}

struct mst_doc *mst_doc_make(struct mst_arena *arena, struct mst_doc *object, struct mst_str key,
                             mst_value_type type)
{
    mst_assert(object->type == MST_OBJECT);
    struct mst_doc *m = member(object, key);
    if (!m) {
        m = mst_doc_new(arena, type);
        m->key = key;
        link_last(object, m);
    } else if (m->type != type) {
        m->type = type;
        m->text = MST_STR_NONE;
        m->first = m->last = NULL;
    }
    return m;
}

void mst_doc_remove(struct mst_doc *object, const char *key)
{
    struct mst_doc *before = NULL;
    for (struct mst_doc *m = object->first; m; before = m, m = m->next) {
        if (!mst_str_is(m->key, key))
            continue;
        if (before)
            before->next = m->next;
        else
            object->first = m->next;
        if (object->last == m)
            object->last = before;
        return;
    }
}

void mst_doc_clear(struct mst_doc *container)
{
    container->first = container->last = NULL;
}

struct mst_doc *mst_doc_append(struct mst_arena *arena, struct mst_doc *array, mst_value_type type)
{
    mst_assert(array->type == MST_ARRAY);
    struct mst_doc *doc = mst_doc_new(arena, type);
    link_last(array, doc);
    return doc;
}

void mst_doc_set_str(struct mst_arena *arena, struct mst_doc *object, const char *key,
                     struct mst_str text)
{
    mst_doc_make(arena, object, mst_str_of(key), MST_STRING)->text = text;
}

void mst_doc_set_int(struct mst_arena *arena, struct mst_doc *object, const char *key,
                     int64_t number)
{
    mst_doc_make(arena, object, mst_str_of(key), MST_NUMBER)->text =
        mst_arena_printf(arena, "%lld", (long long)number);
}

/* Numbers go out as they came in: a tape of one value carries the text. */
static void write_number(struct mst_str text, struct mst_json_writer *w)
{
    struct mst_value number = { .p = text.p, .n = (uint32_t)text.n, .span = 1, .type = MST_NUMBER };
    mst_jw_value(w, &number);
}

static void write_open(const struct mst_doc *doc, struct mst_json_writer *w)
{
    switch (doc->type) {
    case MST_NULL: mst_jw_null(w); break;
    case MST_FALSE: mst_jw_bool(w, false); break;
    case MST_TRUE: mst_jw_bool(w, true); break;
    case MST_NUMBER: write_number(doc->text, w); break;
    case MST_STRING: mst_jw_str(w, doc->text); break;
    case MST_ARRAY: mst_jw_array_begin(w); break;
    case MST_OBJECT: mst_jw_object_begin(w); break;
    }
}

void mst_doc_write(const struct mst_doc *doc, struct mst_json_writer *w)
{
    const struct mst_doc *open[MST_DEPTH_MAX + 1];
    const struct mst_doc *next[MST_DEPTH_MAX + 1];
    uint32_t depth = 0;
    const struct mst_doc *at = doc;
    for (;;) {
        if (at) {
            if (depth && open[depth - 1]->type == MST_OBJECT)
                mst_jw_key_str(w, at->key);
            write_open(at, w);
            if (depth)
                next[depth - 1] = at->next;
            if (at->type == MST_ARRAY || at->type == MST_OBJECT) {
                mst_assert(depth < MST_COUNT(open));
                open[depth] = at;
                next[depth++] = at->first;
            }
        } else {
            depth--;
            if (open[depth]->type == MST_OBJECT)
                mst_jw_object_end(w);
            else
                mst_jw_array_end(w);
        }
        if (!depth)
            return;
        at = next[depth - 1];
    }
}
