/*
 * intake.c - has lists cut into items and watches into events, and says of each what it is.
 */
#include "client/intake.h"

void mst_intake_init(struct mst_intake *in, const struct mst_intake_options *options)
{
    *in = (struct mst_intake){ .options = *options, .api = *options->api };
}

void mst_intake_done(struct mst_intake *in)
{
    mst_list_split_done(&in->split);
    mst_watch_done(&in->watch);
    mst_arena_done(&in->arena);
    mst_diags_done(&in->diags);
}

/* Forgets the last item. */
static void reset(struct mst_intake *in)
{
    mst_arena_reset(&in->arena);
    mst_arena_reset(&in->diags.arena);
    in->diags.list.n = 0;
    in->diags.error_count = 0;
    in->diags.object = MST_STR_NONE;
    in->api.arena = &in->arena;
    in->api.diags = &in->diags;
}

void mst_intake_begin(struct mst_intake *in, bool is_list)
{
    reset(in);
    in->is_list = is_list;
    in->watch_begun = false;
    mst_watch_done(&in->watch);
    mst_list_split_begin(&in->split, mst_kind_name(in->options.kind), in->options.api_version);
}

/* ---- items ---- */

static struct mst_str text_of(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = object ? mst_value_get(object, name) : NULL;
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR("");
}

static struct mst_str first_problem(const struct mst_intake *in)
{
    for (uint32_t i = 0; i < in->diags.list.n; i++)
        if (in->diags.list.v[i].level == MST_DIAG_ERROR)
            return in->diags.list.v[i].text;
    return in->diags.list.n ? in->diags.list.v[0].text : MST_STR("it is no object of a kind known");
}

/* Who it is comes from the tape: the object may not be there. */
static bool tell(struct mst_intake *in, struct mst_item *item, const struct mst_value *tape,
                 const struct mst_object *object)
{
    const struct mst_value *meta = mst_value_get(tape, "metadata");
    item->id.ns = text_of(meta, "namespace");
    item->id.name = text_of(meta, "name");
    item->id.uid = text_of(meta, "uid");
    item->version = text_of(meta, "resourceVersion");
    if (item->type == MST_ITEM_SET && !object)
        item->problem = first_problem(in);
    else if (item->type == MST_ITEM_SET && object->kind != in->options.kind)
        item->problem =
            mst_arena_printf(&in->arena, "expected kind %s, got %s",
                             mst_kind_name(in->options.kind), mst_kind_name(object->kind));
    else if (item->type == MST_ITEM_SET)
        item->object = object;
    return in->options.item(in->options.ctx, item);
}

static mst_rc take_item(struct mst_intake *in, struct mst_str doc, bool *ret_more,
                        struct mst_err *err)
{
    struct mst_list_reader list = { 0 };
    struct mst_list_item found = { 0 };
    mst_rc rc = mst_list_open(&list, in->split.encoding, doc, &in->arena, err);
    if (rc == MST_OK)
        rc = mst_list_next(&list, &in->api, &found, err);
    if (rc == MST_ENOTFOUND)
        rc = mst_fail(err, MST_EDECODE, "it is empty");
    if (rc)
        return mst_wrap(err, "item of a list");
    struct mst_item item = { .type = MST_ITEM_SET };
    *ret_more = tell(in, &item, found.tape, found.object);
    return MST_OK;
}

static mst_rc feed_list(struct mst_intake *in, struct mst_str bytes, bool *ret_more,
                        struct mst_err *err)
{
    mst_rc rc = MST_OK;
    while (rc == MST_OK && *ret_more) {
        struct mst_str doc;
        rc = mst_list_split_next(&in->split, &bytes, &doc, err);
        if (rc || !doc.p)
            break;
        rc = take_item(in, doc, ret_more, err);
        reset(in);
    }
    return rc;
}

/* ---- events ---- */

static bool take_event(struct mst_intake *in, const struct mst_watch_event *event)
{
    static const mst_item_type types[] = {
        [MST_WATCH_ADDED] = MST_ITEM_SET,       [MST_WATCH_MODIFIED] = MST_ITEM_SET,
        [MST_WATCH_DELETED] = MST_ITEM_DELETED, [MST_WATCH_BOOKMARK] = MST_ITEM_BOOKMARK,
        [MST_WATCH_ERROR] = MST_ITEM_ERROR,
    };
    struct mst_item item = { .type = types[event->type],
                             .initial_end = event->initial_end,
                             .answer = event->answer };
    return tell(in, &item, event->tape, event->object);
}

static mst_rc feed_watch(struct mst_intake *in, struct mst_str bytes, bool *ret_more,
                         struct mst_err *err)
{
    if (!in->watch_begun && bytes.n) {
        /* The length of a frame begins with a zero, as long as it is below 16 MiB. */
        mst_watch_init(&in->watch, bytes.p[0] == '\0' ? MST_ENCODING_PROTO : MST_ENCODING_JSON);
        in->watch_begun = true;
    }
    mst_watch_feed(&in->watch, bytes);
    while (*ret_more) {
        struct mst_watch_event event;
        mst_rc rc = mst_watch_next(&in->watch, &in->api, &event, err);
        if (rc == MST_ENOTFOUND)
            return MST_OK;
        if (rc)
            return rc;
        *ret_more = take_event(in, &event);
        reset(in);
    }
    return MST_OK;
}

/* ---- bodies ---- */

mst_rc mst_intake_feed(struct mst_intake *in, struct mst_str bytes, bool *ret_more,
                       struct mst_err *err)
{
    bool more = true;
    mst_rc rc = in->is_list ? feed_list(in, bytes, &more, err) : feed_watch(in, bytes, &more, err);
    *ret_more = !rc && more;
    return rc;
}

mst_rc mst_intake_end(struct mst_intake *in, struct mst_list_head *out, struct mst_err *err)
{
    struct mst_str envelope;
    struct mst_list_reader list = { 0 };
    struct mst_list_item none = { 0 };
    mst_assert(in->is_list);
    reset(in);
    mst_rc rc = mst_list_split_end(&in->split, &envelope, err);
    if (rc == MST_OK)
        rc = mst_list_open(&list, in->split.encoding, envelope, &in->arena, err);
    if (rc == MST_OK)
        rc = mst_list_next(&list, &in->api, &none, err);
    if (rc != MST_ENOTFOUND)
        return rc ? rc : mst_fail(err, MST_EDECODE, "list: an item is no object");
    if (!list.resource_version.n || mst_str_is(list.resource_version, "0"))
        return mst_fail(err, MST_EDECODE, "list without metadata.resourceVersion");
    *out = (struct mst_list_head){ list.resource_version, list.continue_ };
    return MST_OK;
}
