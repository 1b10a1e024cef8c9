/*
 * reflector_tell.c - what the items of lists and watches mean for what is known, and telling it.
 *
 * Invariants: an object is told as set when it is unknown or its version is another; as gone when
 *             it is known and was deleted, replaced by one with another UID, or is missing in a
 *             list that is complete. An object that cannot be read leaves what was told of it, but
 *             one with another UID is gone all the same.
 */
#include "client/reflector_internal.h"

void mst_reflector_log(const struct mst_reflector *r, mst_severity severity, const char *message,
                       const char *problem)
{
    const struct mst_log_pair pairs[] = {
        MST_KSTR("path", mst_buf_span(&r->path)),
        MST_KSTR("err", mst_str_of(problem)),
    };
    if (r->options.log)
        mst_log_line(r->options.log, severity, __FILE__, __LINE__, message, pairs,
                     MST_COUNT(pairs));
}

static void set_version(struct mst_reflector *r, struct mst_str version)
{
    if (!version.n)
        return;
    if (!mst_str_eq(mst_buf_span(&r->version), version))
        r->progress = true;
    r->version.n = 0;
    mst_buf_str(&r->version, version);
    r->version_lost = false;
}

/* ---- telling ---- */

static void tell_gone(struct mst_reflector *r, const struct mst_known_id *id)
{
    struct mst_object object = { .kind = r->options.kind,
                                 .api_version = mst_buf_span(&r->api_version) };
    object.u.meta.name = id->name;
    object.u.meta.uid = id->uid;
    if (id->ns.n)
        object.u.meta.namespace_ = mst_sym_of(r->options.api->syms, id->ns);
    r->options.gone(r->options.ctx, &object);
}

/* The one that is known by this name is gone, with the UID it had. */
static void drop(struct mst_reflector *r, const struct mst_known_id *id)
{
    struct mst_known_id gone = *id;
    r->scratch.n = 0;
    if (!mst_known_take(&r->known, id, &r->scratch))
        return;
    gone.uid = mst_buf_span(&r->scratch);
    tell_gone(r, &gone);
}

static void sweep(struct mst_reflector *r)
{
    struct mst_known_id id;
    for (uint32_t at = 0; mst_known_sweep(&r->known, &at, &r->scratch, &id);)
        tell_gone(r, &id);
}

/* ---- items ---- */

static void report_bad(struct mst_reflector *r, const struct mst_item *item, const char *message,
                       struct mst_str problem)
{
    r->stats.bad_objects++;
    if (!r->options.log)
        return;
    const struct mst_log_pair pairs[] = {
        MST_KSTR("kind", mst_str_of(mst_kind_name(r->options.kind))),
        MST_KSTR("namespace", item->id.ns),
        MST_KSTR("name", item->id.name),
        MST_KSTR("resourceVersion", item->version),
        MST_KSTR("err", problem),
    };
    mst_log_line(r->options.log, MST_LOG_WARNING, __FILE__, __LINE__, message, pairs,
                 MST_COUNT(pairs));
}

static void take_set(struct mst_reflector *r, const struct mst_item *item)
{
    if (!item->id.name.n || !item->version.n) {
        report_bad(r, item, "An object without a name or a version is left out",
                   item->object ? MST_STR("metadata is incomplete") : item->problem);
        return;
    }
    const mst_known_verdict verdict = mst_known_look(&r->known, &item->id, item->version);
    if (verdict == MST_KNOWN_REPLACED)
        drop(r, &item->id);
    if (!item->object) {
        report_bad(r, item,
                   verdict == MST_KNOWN_NEW || verdict == MST_KNOWN_REPLACED
                       ? "An object that cannot be read is left out; correct or delete it"
                       : "A change of an object cannot be read and is left out; correct the object",
                   item->problem);
        mst_known_keep(&r->known, &item->id);
        return;
    }
    if (verdict == MST_KNOWN_SAME) {
        mst_known_keep(&r->known, &item->id);
        return;
    }
    mst_known_put(&r->known, &item->id, item->version);
    r->options.set(r->options.ctx, item->object);
}

/* A deletion of an earlier object of that name says nothing about the one that is known. */
static void take_deleted(struct mst_reflector *r, const struct mst_item *item)
{
    if (!item->id.name.n) {
        report_bad(r, item, "A deletion without a name is left out", MST_STR("no metadata.name"));
        return;
    }
    const mst_known_verdict verdict = mst_known_look(&r->known, &item->id, item->version);
    if (verdict == MST_KNOWN_SAME || verdict == MST_KNOWN_CHANGED)
        drop(r, &item->id);
}

/* Versions before the end of an initial stream are in no order. */
static void take_bookmark(struct mst_reflector *r, const struct mst_item *item)
{
    r->stats.bookmarks++;
    if (r->step == MST_REFLECT_WATCH)
        set_version(r, item->version);
    else if (item->initial_end && item->version.n)
        mst_reflector_complete(r, item->version);
}

static void take_error(struct mst_reflector *r, const struct mst_item *item)
{
    r->verdict = MST_BODY_ERROR;
    r->code = item->answer.code;
    r->retry_after_s = item->answer.retry_after_s;
    mst_fail(&r->problem, MST_EIO, "%.*s (%d %.*s)", MST_ARG(item->answer.message),
             (int)item->answer.code, MST_ARG(item->answer.reason));
}

bool mst_reflector_item(void *ctx, const struct mst_item *item)
{
    struct mst_reflector *r = ctx;
    if (r->step != MST_REFLECT_LIST)
        r->stats.events++;
    switch (item->type) {
    case MST_ITEM_SET: take_set(r, item); break;
    case MST_ITEM_DELETED: take_deleted(r, item); break;
    case MST_ITEM_BOOKMARK: take_bookmark(r, item); return true;
    case MST_ITEM_ERROR: take_error(r, item); return false;
    }
    if (r->step == MST_REFLECT_WATCH)
        set_version(r, item->version);
    return true;
}

/* ---- states ---- */

static void tell_synced(struct mst_reflector *r)
{
    if (r->synced)
        return;
    r->synced = true;
    r->options.synced(r->options.ctx);
}

void mst_reflector_complete(struct mst_reflector *r, struct mst_str version)
{
    sweep(r);
    r->step = MST_REFLECT_WATCH;
    r->complete_ms = mst_monotonic_ms();
    r->stream_refused = r->whole = false;
    r->next_page.n = 0;
    r->absent_ms = 0;
    r->served = true;
    set_version(r, version);
    mst_log(r->options.log, 2, "Caches populated", MST_KSTR("path", mst_buf_span(&r->path)),
            MST_KINT("objects", mst_known_count(&r->known)), MST_KSTR("resourceVersion", version));
    tell_synced(r);
}

void mst_reflector_absent(struct mst_reflector *r)
{
    mst_known_round(&r->known);
    sweep(r);
    r->version.n = 0;
    r->version_lost = r->served = false;
    tell_synced(r);
}
