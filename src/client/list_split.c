/*
 * list_split.c - finds where the items of a list begin and end, in either encoding.
 */
#include "client/list_split.h"

#define PREFIX "k8s" /* and the zero byte behind it */
enum {
    PREFIX_BYTES = sizeof(PREFIX),
    TAG_TYPE_META = 1 << 3 | 2, /* of runtime.Unknown */
    TAG_RAW = 2 << 3 | 2,
    TAG_LIST_META = 1 << 3 | 2, /* of a list */
    TAG_ITEM = 2 << 3 | 2,
    VARINT_BYTES_MAX = 10,
};

void mst_list_split_done(struct mst_list_split *s)
{
    mst_buf_done(&s->item);
    mst_buf_done(&s->envelope);
    mst_buf_done(&s->type_meta);
}

/* A buffer that one huge item made large is given back. */
static void empty(struct mst_buf *buf)
{
    enum { KEPT_BYTES_MAX = 1 << 20 };
    buf->n = 0;
    if (buf->cap > KEPT_BYTES_MAX)
        mst_buf_done(buf);
}

void mst_list_split_begin(struct mst_list_split *s, const char *kind, struct mst_str api_version)
{
    struct mst_list_split next = { .kind = kind,
                                   .api_version = api_version,
                                   .item = s->item,
                                   .envelope = s->envelope,
                                   .type_meta = s->type_meta };
    empty(&next.item);
    next.envelope.n = next.type_meta.n = 0;
    *s = next;
}

static mst_rc keep(struct mst_list_split *s, struct mst_buf *to, const char *p, size_t n,
                   struct mst_err *err)
{
    const size_t max = to == &s->item ? MST_SPLIT_ITEM_BYTES_MAX : MST_SPLIT_ENVELOPE_BYTES_MAX;
    if (n > max || to->n > max - n)
        return mst_fail(err, MST_ELIMIT, "list: %s of more than %zu bytes",
                        to == &s->item ? "an item" : "metadata", max);
    mst_buf_add(to, p, n);
    return MST_OK;
}

static void take(struct mst_str *bytes, size_t n)
{
    bytes->p += n;
    bytes->n -= n;
}

/* ---- JSON ---- */

static void begin_json_item(struct mst_list_split *s)
{
    empty(&s->item);
    mst_buf_printf(&s->item, "{\"kind\":\"%sList\",\"apiVersion\":\"%.*s\",\"items\":[", s->kind,
                   MST_ARG(s->api_version));
    s->in_item = true;
}

static size_t without_blanks(const struct mst_buf *buf, size_t n)
{
    while (n && memchr(" \t\r\n", buf->p[n - 1], 4))
        n--;
    return n;
}

/* Is the array that begins here the value of the key of that name? */
static bool follows_items(const struct mst_buf *envelope)
{
    static const char key[] = "\"items\"";
    size_t n = without_blanks(envelope, envelope->n);
    if (!n || envelope->p[n - 1] != ':')
        return false;
    n = without_blanks(envelope, n - 1);
    return n >= sizeof(key) - 1 &&
           memcmp(envelope->p + n - (sizeof(key) - 1), key, sizeof(key) - 1) == 0;
}

/* Where a string ends: behind its quote, or with the bytes. */
static size_t string_end(struct mst_list_split *s, struct mst_str bytes, size_t at)
{
    while (at < bytes.n) {
        const char c = bytes.p[at++];
        if (s->escaped) {
            s->escaped = false;
        } else if (c == '\\') {
            s->escaped = true;
        } else if (c == '"') {
            s->in_string = false;
            break;
        }
    }
    return at;
}

/*
 * The bytes of the next string, bracket, or whatever is before one; *ret_over: the item at hand
 * ends with them.
 */
static size_t json_step(struct mst_list_split *s, struct mst_str bytes, bool *ret_over)
{
    const char c = bytes.p[0];
    if (s->in_string)
        return string_end(s, bytes, 0);
    if (c == '"') {
        s->in_string = true;
        return string_end(s, bytes, 1);
    }
    if (c == '{' || c == '[') {
        if (s->depth == 1 && c == '[' && follows_items(&s->envelope))
            s->in_items = true;
        else if (s->depth == 2 && s->in_items && c == '{')
            begin_json_item(s);
        s->depth++;
        return 1;
    }
    if (c == '}' || c == ']') {
        s->depth -= s->depth > 0;
        *ret_over = s->depth == 2 && s->in_item;
        if (s->depth == 1)
            s->in_items = false;
        return 1;
    }
    size_t n = 1;
    while (n < bytes.n && !memchr("\"{}[]", bytes.p[n], 5))
        n++;
    return n;
}

static mst_rc json_next(struct mst_list_split *s, struct mst_str *bytes, struct mst_str *ret_item,
                        struct mst_err *err)
{
    while (bytes->n) {
        bool over = false;
        const char *p = bytes->p;
        const size_t n = json_step(s, *bytes, &over);
        take(bytes, n);
        /* Commas between items go where the items go, away from the envelope. */
        if (s->in_items && !s->in_item && s->depth == 2 && p[0] == ',')
            continue;
        mst_rc rc = keep(s, s->in_item ? &s->item : &s->envelope, p, n, err);
        if (rc)
            return rc;
        if (!over)
            continue;
        s->in_item = false;
        mst_buf_text(&s->item, "]}");
        *ret_item = mst_buf_span(&s->item);
        return MST_OK;
    }
    return MST_OK;
}

/* ---- protobuf ---- */

static void add_varint(struct mst_buf *out, uint64_t x)
{
    for (; x >= 128; x >>= 7)
        mst_buf_char(out, (char)(x | 128));
    mst_buf_char(out, (char)x);
}

static size_t varint_size(uint64_t x)
{
    size_t n = 1;
    for (; x >= 128; x >>= 7)
        n++;
    return n;
}

/* "k8s\0", typeMeta, and the beginning of a list of `list_n` bytes. */
static void add_head(const struct mst_list_split *s, uint64_t list_n, struct mst_buf *out)
{
    mst_buf_add(out, PREFIX, PREFIX_BYTES);
    mst_buf_char(out, TAG_TYPE_META);
    add_varint(out, s->type_meta.n);
    mst_buf_str(out, mst_buf_span(&s->type_meta));
    mst_buf_char(out, TAG_RAW);
    add_varint(out, list_n);
}

static mst_rc broken(struct mst_err *err, const char *what)
{
    return mst_fail(err, MST_EDECODE, "list: %s", what);
}

/* A field begins whose tag and length are known. */
static mst_rc begin_field(struct mst_list_split *s, struct mst_err *err)
{
    s->part = MST_SPLIT_BYTES;
    if (!s->in_list && s->tag == TAG_RAW) {
        if (s->had_list || !s->type_meta.n)
            return broken(err, "runtime.Unknown has its parts in no order");
        s->in_list = s->had_list = true;
        s->list_left = s->left;
        s->part = MST_SPLIT_TAG;
        return MST_OK;
    }
    if (s->in_list && s->left > s->list_left)
        return broken(err, "a field is longer than the list");
    if (!s->in_list || s->tag != TAG_ITEM)
        return MST_OK;
    if (s->left > MST_SPLIT_ITEM_BYTES_MAX)
        return mst_fail(err, MST_ELIMIT, "list: an item of more than %d bytes",
                        (int)MST_SPLIT_ITEM_BYTES_MAX);
    empty(&s->item);
    add_head(s, 1 + varint_size(s->left) + s->left, &s->item);
    mst_buf_char(&s->item, TAG_ITEM);
    add_varint(&s->item, s->left);
    s->in_item = true;
    return MST_OK;
}

/* One byte of a tag or a length. */
static mst_rc take_varint(struct mst_list_split *s, uint8_t byte, struct mst_err *err)
{
    if (s->varint_n == VARINT_BYTES_MAX - 1 && byte > 1)
        return broken(err, "a varint is too long");
    s->varint |= (uint64_t)(byte & 127) << (7 * s->varint_n++);
    if (byte & 128)
        return MST_OK;
    const uint64_t x = s->varint;
    s->varint = 0;
    s->varint_n = 0;
    if (s->part == MST_SPLIT_LENGTH) {
        s->left = x;
        return begin_field(s, err);
    }
    s->tag = x;
    s->part = MST_SPLIT_LENGTH;
    return (x & 7) == 2 ? MST_OK : broken(err, "a field has no length");
}

static struct mst_buf *place_of(struct mst_list_split *s)
{
    if (s->in_item)
        return &s->item;
    if (s->in_list)
        return s->tag == TAG_LIST_META ? &s->envelope : NULL;
    return s->tag == TAG_TYPE_META ? &s->type_meta : NULL;
}

/* Bytes of the field at hand, as many as there are. */
static mst_rc take_bytes(struct mst_list_split *s, struct mst_str *bytes, struct mst_err *err)
{
    const size_t n = (size_t)MST_MIN((uint64_t)bytes->n, s->left);
    struct mst_buf *to = place_of(s);
    if (to == &s->item)
        mst_buf_add(to, bytes->p, n); /* its length was looked at */
    else if (to) {
        mst_rc rc = keep(s, to, bytes->p, n, err);
        if (rc)
            return rc;
    }
    take(bytes, n);
    s->left -= n;
    if (s->in_list)
        s->list_left -= n;
    return MST_OK;
}

static mst_rc take_prefix(struct mst_list_split *s, struct mst_str *bytes, struct mst_err *err)
{
    for (; bytes->n && s->prefix_n < PREFIX_BYTES; take(bytes, 1))
        if (bytes->p[0] != PREFIX[s->prefix_n++])
            return broken(err, "neither JSON nor protobuf");
    return MST_OK;
}

static mst_rc proto_next(struct mst_list_split *s, struct mst_str *bytes, struct mst_str *ret_item,
                         struct mst_err *err)
{
    mst_rc rc = take_prefix(s, bytes, err);
    while (rc == MST_OK) {
        if (s->part == MST_SPLIT_BYTES && s->left == 0) {
            s->part = MST_SPLIT_TAG;
            if (s->in_item) {
                s->in_item = false;
                *ret_item = mst_buf_span(&s->item);
                return MST_OK;
            }
        }
        if (s->part == MST_SPLIT_TAG && s->varint_n == 0 && s->in_list && s->list_left == 0)
            s->in_list = false;
        if (!bytes->n)
            return MST_OK;
        if (s->part == MST_SPLIT_BYTES) {
            rc = take_bytes(s, bytes, err);
            continue;
        }
        if (s->in_list && s->list_left-- == 0)
            return broken(err, "a field is cut off at the end of the list");
        const uint8_t byte = (uint8_t)bytes->p[0];
        take(bytes, 1);
        rc = take_varint(s, byte, err);
    }
    return rc;
}

/* ---- both ---- */

mst_rc mst_list_split_next(struct mst_list_split *s, struct mst_str *bytes,
                           struct mst_str *ret_item, struct mst_err *err)
{
    *ret_item = MST_STR_NONE;
    if (!s->begun && bytes->n) {
        s->begun = true;
        s->encoding = bytes->p[0] == PREFIX[0] ? MST_ENCODING_PROTO : MST_ENCODING_JSON;
    }
    if (s->encoding == MST_ENCODING_PROTO)
        return proto_next(s, bytes, ret_item, err);
    return json_next(s, bytes, ret_item, err);
}

mst_rc mst_list_split_end(struct mst_list_split *s, struct mst_str *ret_envelope,
                          struct mst_err *err)
{
    if (s->encoding == MST_ENCODING_JSON) {
        *ret_envelope = mst_buf_span(&s->envelope);
        return s->in_item ? broken(err, "cut off inside an item") : MST_OK;
    }
    if (!s->had_list || s->in_list || s->part != MST_SPLIT_TAG || s->varint_n)
        return broken(err, "cut off");
    empty(&s->item);
    add_head(s, 1 + varint_size(s->envelope.n) + s->envelope.n, &s->item);
    mst_buf_char(&s->item, TAG_LIST_META);
    add_varint(&s->item, s->envelope.n);
    mst_buf_str(&s->item, mst_buf_span(&s->envelope));
    *ret_envelope = mst_buf_span(&s->item);
    return MST_OK;
}
