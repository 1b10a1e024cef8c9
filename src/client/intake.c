/*
 * intake.c - splits JSON into items and decodes them.
 *
 * A list is cut as it comes: what belongs to an element of `items` goes to the item at hand, all
 * else to the envelope, which is read when the list is over. A watch is cut at the ends of lines,
 * which JSON has nowhere inside a string.
 */
#include "client/intake.h"

enum {
    ITEM_BYTES_MAX = 16 << 20, /* etcd takes 1.5 MiB; conversion and defaults do not grow it much */
    ENVELOPE_BYTES_MAX = 1 << 20,
};

/* ---- life ---- */

void mst_intake_init(struct mst_intake *in, const struct mst_intake_options *options)
{
    *in = (struct mst_intake){ .options = *options, .api = *options->api };
}

void mst_intake_done(struct mst_intake *in)
{
    mst_buf_done(&in->unit);
    mst_buf_done(&in->envelope);
    mst_arena_done(&in->arena);
    mst_diags_done(&in->diags);
}

/* Forgets the last item. A buffer that one huge item made large is given back. */
static void reset(struct mst_intake *in)
{
    enum { KEPT_BYTES_MAX = 1 << 20 };
    in->unit.n = 0;
    if (in->unit.cap > KEPT_BYTES_MAX)
        mst_buf_done(&in->unit);
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
    in->stopped = false;
    in->envelope.n = 0;
    in->depth = 0;
    in->in_string = in->escaped = in->in_items = in->in_item = false;
}

/* ---- from a tape ---- */

static struct mst_str text_of(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = object ? mst_value_get(object, name) : NULL;
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR("");
}

static int64_t int_of(const struct mst_value *object, const char *name, int64_t otherwise)
{
    const struct mst_value *v = object ? mst_value_get(object, name) : NULL;
    int64_t x;
    return v && mst_value_int(v, &x) ? x : otherwise;
}

static void read_meta(const struct mst_value *object, struct mst_item *item)
{
    const struct mst_value *meta = mst_value_get(object, "metadata");
    item->id.ns = text_of(meta, "namespace");
    item->id.name = text_of(meta, "name");
    item->id.uid = text_of(meta, "uid");
    item->version = text_of(meta, "resourceVersion");
    const struct mst_value *notes = meta ? mst_value_get(meta, "annotations") : NULL;
    item->initial_end = mst_str_is(text_of(notes, "k8s.io/initial-events-end"), "true");
}

static void read_status(const struct mst_value *object, struct mst_item *item)
{
    item->code = int_of(object, "code", 0);
    item->reason = text_of(object, "reason");
    item->message = text_of(object, "message");
    item->retry_after_s = int_of(mst_value_get(object, "details"), "retryAfterSeconds", -1);
}

static bool keep_object(void *ctx, struct mst_object *object)
{
    const struct mst_object **out = ctx;
    *out = object;
    return false;
}

static struct mst_str first_problem(const struct mst_intake *in)
{
    for (uint32_t i = 0; i < in->diags.list.n; i++)
        if (in->diags.list.v[i].level == MST_DIAG_ERROR)
            return in->diags.list.v[i].text;
    return in->diags.list.n ? in->diags.list.v[0].text : MST_STR("not an object");
}

/* `doc` is the object, or a list of it alone. */
static void decode(struct mst_intake *in, const struct mst_value *doc, struct mst_item *item)
{
    struct mst_object *object = NULL;
    in->diags.list.n = 0; /* duplicate keys */
    mst_api_decode(&in->api, doc, keep_object, &object);
    if (!object) {
        item->problem = first_problem(in);
    } else if (object->kind != in->options.kind) {
        item->problem =
            mst_arena_printf(&in->arena, "expected kind %s, got %s",
                             mst_kind_name(in->options.kind), mst_kind_name(object->kind));
    } else {
        mst_api_default(&in->api, object);
        item->object = object;
    }
}

static void tell(struct mst_intake *in, const struct mst_item *item)
{
    in->stopped = !in->options.item(in->options.ctx, item);
}

/* ---- watches ---- */

static mst_item_type type_of(struct mst_str type)
{
    if (mst_str_is(type, "ADDED") || mst_str_is(type, "MODIFIED"))
        return MST_ITEM_SET;
    if (mst_str_is(type, "DELETED"))
        return MST_ITEM_DELETED;
    if (mst_str_is(type, "BOOKMARK"))
        return MST_ITEM_BOOKMARK;
    return mst_str_is(type, "ERROR") ? MST_ITEM_ERROR : MST_ITEM_UNKNOWN;
}

static mst_rc take_event(struct mst_intake *in, struct mst_err *err)
{
    const struct mst_value *doc;
    mst_rc rc = mst_json_parse(mst_buf_span(&in->unit), NULL, &in->arena, &in->diags, &doc, err);
    if (rc)
        return mst_wrap(err, "watch event");
    const struct mst_value *object = mst_value_get(doc, "object");
    if (!object || object->type != MST_OBJECT)
        return mst_fail(err, MST_EDECODE, "watch event without an object");
    struct mst_item item = { .type = type_of(text_of(doc, "type")), .retry_after_s = -1 };
    read_meta(object, &item);
    if (item.type == MST_ITEM_ERROR)
        read_status(object, &item);
    if (item.type == MST_ITEM_UNKNOWN)
        item.problem = text_of(doc, "type");
    if (item.type == MST_ITEM_SET)
        decode(in, object, &item);
    tell(in, &item);
    return MST_OK;
}

static bool is_blank(struct mst_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!memchr(" \t\r", s.p[i], 3))
            return false;
    return true;
}

static mst_rc feed_watch(struct mst_intake *in, struct mst_str bytes, struct mst_err *err)
{
    while (bytes.n && !in->stopped) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        const size_t n = end ? (size_t)(end - bytes.p) : bytes.n;
        if (in->unit.n + n > ITEM_BYTES_MAX)
            return mst_fail(err, MST_ELIMIT, "watch event of more than %d bytes", ITEM_BYTES_MAX);
        mst_buf_add(&in->unit, bytes.p, n);
        if (!end)
            return MST_OK;
        bytes.p += n + 1;
        bytes.n -= n + 1;
        mst_rc rc = is_blank(mst_buf_span(&in->unit)) ? MST_OK : take_event(in, err);
        reset(in);
        if (rc)
            return rc;
    }
    return MST_OK;
}

/* ---- lists ---- */

/* An item need not say what it is, so it is read as a list of its own. */
static void begin_item(struct mst_intake *in)
{
    in->unit.n = 0;
    mst_buf_printf(&in->unit, "{\"kind\":\"%sList\",\"apiVersion\":\"%.*s\",\"items\":[",
                   mst_kind_name(in->options.kind), MST_ARG(in->options.api_version));
    in->in_item = true;
}

static mst_rc take_item(struct mst_intake *in, struct mst_err *err)
{
    const struct mst_value *doc;
    in->in_item = false;
    mst_buf_text(&in->unit, "]}");
    mst_rc rc = mst_json_parse(mst_buf_span(&in->unit), NULL, &in->arena, &in->diags, &doc, err);
    if (rc)
        return mst_wrap(err, "item of a list");
    const struct mst_value *items = mst_value_get(doc, "items");
    mst_assert(items && items->type == MST_ARRAY && items->n == 1);
    struct mst_item item = { .type = MST_ITEM_SET, .retry_after_s = -1 };
    read_meta(mst_value_first(items), &item);
    decode(in, doc, &item);
    tell(in, &item);
    return MST_OK;
}

/* Is the array that begins here the value of a key of that name? */
static bool follows_items(const struct mst_buf *envelope)
{
    static const char key[] = "\"items\"";
    size_t n = envelope->n;
    while (n && memchr(" \t\r\n", envelope->p[n - 1], 4))
        n--;
    if (!n || envelope->p[n - 1] != ':')
        return false;
    n--;
    while (n && memchr(" \t\r\n", envelope->p[n - 1], 4))
        n--;
    return n >= sizeof(key) - 1 &&
           memcmp(envelope->p + n - (sizeof(key) - 1), key, sizeof(key) - 1) == 0;
}

/* Where a string ends: after the quote, or at the end of the bytes. */
static size_t string_end(struct mst_intake *in, struct mst_str bytes, size_t at)
{
    while (at < bytes.n) {
        const char c = bytes.p[at++];
        if (in->escaped) {
            in->escaped = false;
        } else if (c == '\\') {
            in->escaped = true;
        } else if (c == '"') {
            in->in_string = false;
            break;
        }
    }
    return at;
}

/*
 * Takes the bytes up to the next quote or bracket outside strings, or one string or bracket, and
 * says how many that were.
 */
static size_t step(struct mst_intake *in, struct mst_str bytes, bool *ret_item_over)
{
    const char c = bytes.p[0];
    if (in->in_string)
        return string_end(in, bytes, 0);
    if (c == '"') {
        in->in_string = true;
        return string_end(in, bytes, 1);
    }
    if (c == '{' || c == '[') {
        if (in->depth == 1 && c == '[' && follows_items(&in->envelope))
            in->in_items = true;
        else if (in->depth == 2 && in->in_items && c == '{')
            begin_item(in);
        in->depth++;
        return 1;
    }
    if (c == '}' || c == ']') {
        in->depth -= in->depth > 0;
        *ret_item_over = in->depth == 2 && in->in_item;
        if (in->depth == 1)
            in->in_items = false;
        return 1;
    }
    size_t n = 1;
    while (n < bytes.n && !memchr("\"{}[]", bytes.p[n], 5))
        n++;
    return n;
}

static mst_rc feed_list(struct mst_intake *in, struct mst_str bytes, struct mst_err *err)
{
    while (bytes.n && !in->stopped) {
        bool item_over = false;
        const size_t n = step(in, bytes, &item_over);
        const bool between = in->depth == 2 && in->in_items && !in->in_item && bytes.p[0] == ',';
        struct mst_buf *to = in->in_item ? &in->unit : &in->envelope;
        if (to->n + n > (in->in_item ? ITEM_BYTES_MAX : ENVELOPE_BYTES_MAX))
            return mst_fail(err, MST_ELIMIT,
                            "item of a list, or what is around the items, is "
                            "larger than muster reads (16 MiB, 1 MiB)");
        if (!between)
            mst_buf_add(to, bytes.p, n);
        bytes.p += n;
        bytes.n -= n;
        if (!item_over)
            continue;
        mst_rc rc = take_item(in, err);
        reset(in);
        if (rc)
            return rc;
    }
    return MST_OK;
}

mst_rc mst_intake_feed(struct mst_intake *in, struct mst_str bytes, bool *ret_more,
                       struct mst_err *err)
{
    mst_rc rc = in->is_list ? feed_list(in, bytes, err) : feed_watch(in, bytes, err);
    *ret_more = !rc && !in->stopped;
    return rc;
}

mst_rc mst_intake_end(struct mst_intake *in, struct mst_list_head *out, struct mst_err *err)
{
    const struct mst_value *doc;
    mst_assert(in->is_list);
    reset(in);
    mst_rc rc =
        mst_json_parse(mst_buf_span(&in->envelope), NULL, &in->arena, &in->diags, &doc, err);
    if (rc)
        return mst_wrap(err, "list");
    const struct mst_value *meta = mst_value_get(doc, "metadata");
    const struct mst_str version = text_of(meta, "resourceVersion");
    if (!version.n || mst_str_is(version, "0"))
        return mst_fail(err, MST_EDECODE, "list without metadata.resourceVersion");
    *out = (struct mst_list_head){ version, text_of(meta, "continue") };
    return MST_OK;
}
