/*
 * objects.c - pods and nodes as the API server shows them, kept for extenders, who are shown them.
 */
#include "daemon/objects.h"

#include "sim/show.h"

void mst_objects_done(struct mst_objects *objects)
{
    for (uint32_t i = 0; i < objects->texts.n; i++)
        mst_buf_done(&objects->texts.v[i]);
    mst_vec_done(&objects->texts);
    mst_vec_done(&objects->unused);
    mst_map_done(&objects->index);
}

static void put_key(struct mst_buf *key, mst_kind kind, struct mst_str ns, struct mst_str name)
{
    if (kind == MST_KIND_POD)
        mst_buf_printf(key, "P/%.*s/%.*s", MST_ARG(ns), MST_ARG(name));
    else
        mst_buf_printf(key, "N/%.*s", MST_ARG(name));
}

static bool is_kept(mst_kind kind)
{
    return kind == MST_KIND_POD || kind == MST_KIND_NODE;
}

/* The text of that key, made empty when it is new. */
static struct mst_buf *text_of(struct mst_objects *objects, struct mst_str key)
{
    uint64_t at;
    if (mst_map_get(&objects->index, key, &at))
        return &objects->texts.v[at];
    if (objects->unused.n) {
        at = objects->unused.v[--objects->unused.n];
    } else {
        at = objects->texts.n;
        mst_vec_push(&objects->texts, (struct mst_buf){ 0 });
    }
    mst_map_set(&objects->index, key, at);
    return &objects->texts.v[at];
}

void mst_objects_set(struct mst_objects *objects, struct mst_syms *syms,
                     const struct mst_object *object)
{
    if (!is_kept(object->kind))
        return;
    struct mst_arena arena = { 0 };
    MST_AUTO(mst_buf) key = { 0 };
    const struct mst_meta *meta = &object->u.meta;
    put_key(&key, object->kind, mst_sym_str(syms, meta->namespace_), meta->name);
    struct mst_buf *text = text_of(objects, mst_buf_span(&key));
    struct mst_doc *doc = mst_show_object(syms, object, &arena);
    mst_doc_remove(doc, "apiVersion");
    mst_doc_remove(doc, "kind");
    text->n = 0;
    struct mst_json_writer w = { .out = text };
    mst_doc_write(doc, &w);
    mst_arena_done(&arena);
}

void mst_objects_gone(struct mst_objects *objects, struct mst_syms *syms,
                      const struct mst_object *object)
{
    if (!is_kept(object->kind))
        return;
    MST_AUTO(mst_buf) key = { 0 };
    const struct mst_meta *meta = &object->u.meta;
    uint64_t at;
    put_key(&key, object->kind, mst_sym_str(syms, meta->namespace_), meta->name);
    if (!mst_map_get(&objects->index, mst_buf_span(&key), &at))
        return;
    mst_map_delete(&objects->index, mst_buf_span(&key));
    mst_buf_done(&objects->texts.v[at]);
    objects->texts.v[at] = (struct mst_buf){ 0 };
    mst_vec_push(&objects->unused, (uint32_t)at);
}

static void write_one(struct mst_objects *objects, mst_kind kind, struct mst_str ns,
                      struct mst_str name, struct mst_json_writer *w)
{
    MST_AUTO(mst_buf) key = { 0 };
    uint64_t at;
    put_key(&key, kind, ns, name);
    if (mst_map_get(&objects->index, mst_buf_span(&key), &at))
        mst_jw_raw(w, mst_buf_span(&objects->texts.v[at]));
    else
        mst_jw_null(w);
}

static void write_pod(void *ctx, const struct mst_ext_pod *pod, struct mst_json_writer *w)
{
    write_one(ctx, MST_KIND_POD, pod->ns, pod->name, w);
}

static void write_node(void *ctx, struct mst_str name, struct mst_json_writer *w)
{
    write_one(ctx, MST_KIND_NODE, MST_STR(""), name, w);
}

struct mst_extender_objects mst_objects_writer(struct mst_objects *objects)
{
    return (struct mst_extender_objects){ write_pod, write_node, objects };
}
