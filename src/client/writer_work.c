/*
 * writer_work.c - one effect as the writer keeps it: with its own text, and with what was known of
 * its object when it came.
 *
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding (binder.go: volumes and
 *         claims are written as the scheduler knew them when it decided).
 */
#include "client/writer_internal.h"

void mst_work_free(struct mst_work *work)
{
    mst_buf_done(&work->problem);
    mst_free(work);
}

/* Copies the text behind the last one. */
static void move_text(struct mst_str *text, char **at)
{
    if (!text->p)
        return;
    if (text->n)
        memcpy(*at, text->p, text->n);
    text->p = *at;
    *at += text->n;
}

enum { TEXTS = 14 };

static void texts_of(struct mst_work *work, struct mst_str *ret_texts[TEXTS])
{
    struct mst_effect *e = &work->effect;
    struct mst_str *const all[TEXTS] = {
        &e->ns,
        &e->name,
        &e->uid,
        &e->node,
        &e->claim_ns,
        &e->claim_name,
        &e->claim_uid,
        &e->nominated,
        &e->condition.type,
        &e->condition.status,
        &e->condition.reason,
        &e->condition.message,
        &work->resource_version,
        &work->claim_version,
    };
    memcpy(ret_texts, all, sizeof(all));
}

static struct mst_str version_of(const struct mst_writer_options *o, mst_kind kind,
                                 struct mst_str ns, struct mst_str name, struct mst_str uid)
{
    const struct mst_object *object = o->lookup ? o->lookup(o->ctx, kind, ns, name) : NULL;
    if (!object || (uid.n && !mst_str_eq(object->u.meta.uid, uid)))
        return MST_STR_NONE;
    return object->u.meta.resource_version;
}

struct mst_work *mst_work_new(const struct mst_writer_options *options,
                              const struct mst_effect *effect)
{
    struct mst_work draft = { .effect = *effect, .stage = MST_STAGE_MAIN };
    struct mst_effect *e = &draft.effect;
    e->url = e->type = e->reason = e->action = e->note = e->related = MST_STR_NONE;
    memset(&e->pods, 0, sizeof(e->pods));
    memset(&e->before, 0, sizeof(e->before));
    if (effect->kind == MST_EFFECT_EVICT && effect->condition_set)
        draft.stage = MST_STAGE_MARK;
    if (effect->kind == MST_EFFECT_PV_UPDATE || effect->kind == MST_EFFECT_PVC_UPDATE)
        draft.resource_version =
            version_of(options, effect->object_kind, effect->ns, effect->name, effect->uid);
    if (effect->kind == MST_EFFECT_PV_UPDATE)
        draft.claim_version = version_of(options, MST_KIND_PVC, effect->claim_ns,
                                         effect->claim_name, effect->claim_uid);
    struct mst_str *texts[TEXTS];
    texts_of(&draft, texts);
    size_t bytes = 0;
    for (size_t i = 0; i < TEXTS; i++)
        bytes += texts[i]->n;
    struct mst_work *work = mst_calloc(1, sizeof(*work) + bytes);
    *work = draft;
    char *at = (char *)(work + 1);
    texts_of(work, texts);
    for (size_t i = 0; i < TEXTS; i++)
        move_text(texts[i], &at);
    return work;
}
