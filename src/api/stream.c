/*
 * stream.c - the items of a list, in either encoding; documents and Status answers.
 *
 * Owns:       nothing.
 * Invariants: once `end` is set, nothing is read any more.
 * Not here:   watches (watch_stream.c), protobuf (proto.c), JSON (codec/json.c).
 */
#include "api/stream.h"

#include "api/stream_internal.h"

/* ---- documents ---- */

bool mst_encoding_of(struct mst_str content_type, mst_encoding *out)
{
    const char *end = content_type.n ? memchr(content_type.p, ';', content_type.n) : NULL;
    struct mst_str name = { content_type.p, end ? (size_t)(end - content_type.p) : content_type.n };
    while (name.n && name.p[name.n - 1] == ' ')
        name.n--;
    if (mst_str_is(name, "application/json"))
        *out = MST_ENCODING_JSON;
    else if (mst_str_is(name, "application/vnd.kubernetes.protobuf"))
        *out = MST_ENCODING_PROTO;
    else
        return false;
    return true;
}

mst_rc mst_document_parse(mst_encoding encoding, struct mst_str body, struct mst_arena *arena,
                          const struct mst_value **out, struct mst_err *err)
{
    if (encoding == MST_ENCODING_PROTO)
        return mst_proto_parse(body, arena, out, err);
    return mst_json_parse(body, NULL, arena, NULL, out, err);
}

struct mst_str mst_text_member(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = mst_value_get(object, name);
    return v && v->type == MST_STRING && v->n ? mst_value_str(v) : MST_STR_NONE;
}

static int64_t int_member(const struct mst_value *object, const char *name, int64_t absent)
{
    const struct mst_value *v = mst_value_get(object, name);
    int64_t value;
    return v && mst_value_int(v, &value) ? value : absent;
}

bool mst_status_answer_of(const struct mst_value *tape, struct mst_status_answer *out)
{
    if (!mst_str_is(mst_text_member(tape, "kind"), "Status"))
        return false;
    *out = (struct mst_status_answer){
        .code = int_member(tape, "code", 0),
        .reason = mst_text_member(tape, "reason"),
        .message = mst_text_member(tape, "message"),
        .retry_after_s = int_member(mst_value_get(tape, "details"), "retryAfterSeconds", 0),
    };
    return true;
}

bool mst_keep_object(void *ctx, struct mst_object *object)
{
    *(struct mst_object **)ctx = object;
    return true;
}

/* ---- lists ---- */

static mst_rc finish(struct mst_list_reader *list, mst_rc rc, struct mst_err *err)
{
    list->end = rc;
    if (rc != MST_ENOTFOUND && err)
        *err = list->err;
    return rc;
}

static mst_rc json_broken(struct mst_list_reader *list, const char *what)
{
    if (list->js.err.rc)
        list->err = list->js.err;
    else
        (void)mst_fail(&list->err, MST_EDECODE, "line %u, column %u: %s", list->js.token_line,
                       list->js.token_col, what);
    return list->err.rc;
}

static mst_rc json_text(struct mst_list_reader *list, struct mst_str *out)
{
    if (mst_json_next(&list->js) != MST_TOKEN_STRING)
        return json_broken(list, "expected a string");
    *out = list->js.text;
    return MST_OK;
}

static mst_rc json_metadata(struct mst_list_reader *list)
{
    const struct mst_value *meta;
    mst_rc rc = mst_json_value(&list->js, list->arena, NULL, &meta, &list->err);
    if (rc)
        return rc;
    list->resource_version = mst_text_member(meta, "resourceVersion");
    list->continue_ = mst_text_member(meta, "continue");
    list->remaining = int_member(meta, "remainingItemCount", -1);
    return MST_OK;
}

static mst_rc json_items(struct mst_list_reader *list)
{
    mst_token token = mst_json_next(&list->js);
    if (token != MST_TOKEN_ARRAY_BEGIN && token != MST_TOKEN_NULL)
        return json_broken(list, "expected the array of items");
    list->in_items = token == MST_TOKEN_ARRAY_BEGIN;
    return MST_OK;
}

/* Members of the list up to its items or its end, which is MST_ENOTFOUND. */
static mst_rc json_members(struct mst_list_reader *list)
{
    struct mst_json *js = &list->js;
    mst_rc rc = MST_OK;
    while (rc == MST_OK && !list->in_items) {
        mst_token token = mst_json_next(js);
        if (token == MST_TOKEN_OBJECT_END)
            return mst_json_next(js) == MST_TOKEN_END ? MST_ENOTFOUND : json_broken(list, "");
        if (token != MST_TOKEN_KEY)
            return json_broken(list, "expected a member of the list");
        if (mst_str_is(js->text, "kind"))
            rc = json_text(list, &list->kind);
        else if (mst_str_is(js->text, "apiVersion"))
            rc = json_text(list, &list->api_version);
        else if (mst_str_is(js->text, "metadata"))
            rc = json_metadata(list);
        else if (mst_str_is(js->text, "items"))
            rc = json_items(list);
        else if (!mst_json_skip(js))
            rc = json_broken(list, "");
    }
    return rc;
}

static mst_rc json_open(struct mst_list_reader *list, struct mst_str body)
{
    enum { SUFFIX_BYTES = sizeof("List") - 1 };
    mst_json_init(&list->js, body, list->arena);
    if (mst_json_next(&list->js) != MST_TOKEN_OBJECT_BEGIN)
        return json_broken(list, "expected a list");
    mst_rc rc = json_members(list);
    struct mst_str *kind = &list->kind;
    if (rc != MST_OK && rc != MST_ENOTFOUND)
        return rc;
    if (!kind->n && list->in_items)
        return rc; /* it may be behind the items, which then say what they are */
    if (kind->n < SUFFIX_BYTES || memcmp(kind->p + kind->n - SUFFIX_BYTES, "List", 4) != 0)
        return mst_fail(&list->err, MST_EDECODE, "expected a list, got %.*s",
                        kind->n ? (int)kind->n : 7, kind->n ? kind->p : "nothing");
    kind->n -= SUFFIX_BYTES;
    return rc;
}

static mst_rc proto_open(struct mst_list_reader *list, struct mst_str body)
{
    mst_rc rc = mst_proto_list_open(body, &list->proto, &list->err);
    if (rc)
        return rc;
    list->resource_version = list->proto.resource_version;
    list->continue_ = list->proto.continue_;
    list->remaining = list->proto.remaining;
    list->api_version = list->proto.api_version;
    list->kind = list->proto.kind;
    return MST_OK;
}

mst_rc mst_list_open(struct mst_list_reader *list, mst_encoding encoding, struct mst_str body,
                     struct mst_arena *arena, struct mst_err *err)
{
    *list = (struct mst_list_reader){ .remaining = -1, .encoding = encoding, .arena = arena };
    mst_rc rc = encoding == MST_ENCODING_PROTO ? proto_open(list, body) : json_open(list, body);
    if (rc == MST_OK)
        return MST_OK;
    (void)finish(list, rc, err);
    return rc == MST_ENOTFOUND ? MST_OK : rc; /* no item at all is no error */
}

static mst_rc json_next(struct mst_list_reader *list, struct mst_api *api,
                        const struct mst_value **out)
{
    if (!list->in_items)
        return json_members(list);
    mst_token token = mst_json_next(&list->js);
    if (token == MST_TOKEN_ARRAY_END) {
        list->in_items = false;
        mst_rc rc = json_members(list);
        return rc ? rc : json_broken(list, "a list has its items once");
    }
    if (token != MST_TOKEN_OBJECT_BEGIN)
        return json_broken(list, "expected an item");
    return mst_json_value(&list->js, api->arena, api->diags, out, &list->err);
}

mst_rc mst_list_next(struct mst_list_reader *list, struct mst_api *api, struct mst_list_item *out,
                     struct mst_err *err)
{
    if (list->end)
        return finish(list, list->end, err);
    const struct mst_value *tape = NULL;
    mst_rc rc = list->encoding == MST_ENCODING_PROTO
                    ? mst_proto_list_next(&list->proto, api->arena, &tape, &list->err)
                    : json_next(list, api, &tape);
    if (rc)
        return finish(list, rc, err);
    struct mst_object *object = NULL;
    (void)mst_api_decode_item(api, tape, list->api_version, list->kind, list->item_count,
                              mst_keep_object, &object);
    if (object)
        mst_api_default(api, object);
    list->item_count++;
    *out = (struct mst_list_item){ tape, object };
    return MST_OK;
}
