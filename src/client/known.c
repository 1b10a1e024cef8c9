/*
 * known.c - the table of known objects: a map from key to row, and rows of which some are spare.
 */
#include "client/known.h"

enum { UUID_TEXT = 36 };

/* ---- UIDs and versions ---- */

static int nibble(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

static bool is_dash(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/* Only lower case, so that the text can be had back as it was. */
static bool pack(struct mst_str uid, uint8_t out[16])
{
    if (uid.n != UUID_TEXT)
        return false;
    uint32_t n = 0;
    for (size_t i = 0; i < UUID_TEXT; i++) {
        if (is_dash(i)) {
            if (uid.p[i] != '-')
                return false;
            continue;
        }
        const int x = nibble(uid.p[i]);
        if (x < 0)
            return false;
        if (n % 2 == 0)
            out[n / 2] = (uint8_t)(x << 4);
        else
            out[n / 2] |= (uint8_t)x;
        n++;
    }
    return true;
}

static void unpack(const struct mst_known_uid *uid, struct mst_buf *out)
{
    if (uid->text) {
        mst_buf_text(out, uid->text);
        return;
    }
    uint32_t n = 0;
    for (size_t i = 0; i < UUID_TEXT; i++) {
        if (is_dash(i)) {
            mst_buf_char(out, '-');
            continue;
        }
        const uint8_t byte = uid->bytes[n / 2];
        mst_buf_char(out, "0123456789abcdef"[n % 2 ? byte & 15 : byte >> 4]);
        n++;
    }
}

static void uid_set(struct mst_known_uid *out, struct mst_str uid)
{
    *out = (struct mst_known_uid){ 0 };
    if (pack(uid, out->bytes))
        return;
    out->text = mst_calloc(uid.n + 1, 1);
    if (uid.n)
        memcpy(out->text, uid.p, uid.n);
}

static void uid_done(struct mst_known_uid *uid)
{
    mst_free(uid->text);
    uid->text = NULL;
}

static bool uid_is(const struct mst_known_uid *uid, struct mst_str text)
{
    uint8_t bytes[16];
    if (uid->text)
        return mst_str_is(text, uid->text);
    return pack(text, bytes) && memcmp(bytes, uid->bytes, sizeof(bytes)) == 0;
}

/* Numbers stand for themselves. Anything else is hashed, into the half where numbers are not. */
uint64_t mst_known_version(struct mst_str rv)
{
    enum { DIGITS_MAX = 18 };
    bool number = rv.n && rv.n <= DIGITS_MAX && rv.p[0] != '0';
    uint64_t x = 0;
    for (size_t i = 0; number && i < rv.n; i++) {
        number = rv.p[i] >= '0' && rv.p[i] <= '9';
        x = x * 10 + (uint64_t)(rv.p[i] - '0');
    }
    return number ? x : mst_hash(rv.p, rv.n) | UINT64_C(1) << 63;
}

/* ---- the table ---- */

void mst_known_done(struct mst_known *known)
{
    for (uint32_t i = 0; i < known->rows.n; i++)
        uid_done(&known->rows.v[i].uid);
    mst_map_done(&known->rows_by_key);
    mst_vec_done(&known->rows);
    mst_vec_done(&known->spare);
    mst_buf_done(&known->key);
    *known = (struct mst_known){ 0 };
}

uint32_t mst_known_count(const struct mst_known *known)
{
    return mst_map_count(&known->rows_by_key);
}

/* A namespace holds no slash. */
static struct mst_str key_of(struct mst_known *known, const struct mst_known_id *id)
{
    known->key.n = 0;
    if (id->ns.n) {
        mst_buf_str(&known->key, id->ns);
        mst_buf_char(&known->key, '/');
    }
    mst_buf_str(&known->key, id->name);
    return mst_buf_span(&known->key);
}

static struct mst_known_row *find(struct mst_known *known, const struct mst_known_id *id)
{
    uint64_t row;
    if (!mst_map_get(&known->rows_by_key, key_of(known, id), &row))
        return NULL;
    mst_assert(row < known->rows.n);
    return &known->rows.v[row];
}

mst_known_verdict mst_known_look(struct mst_known *known, const struct mst_known_id *id,
                                 struct mst_str resource_version)
{
    const struct mst_known_row *row = find(known, id);
    if (!row)
        return MST_KNOWN_NEW;
    if (!uid_is(&row->uid, id->uid))
        return MST_KNOWN_REPLACED;
    return row->version == mst_known_version(resource_version) ? MST_KNOWN_SAME : MST_KNOWN_CHANGED;
}

void mst_known_put(struct mst_known *known, const struct mst_known_id *id,
                   struct mst_str resource_version)
{
    struct mst_known_row *row = find(known, id);
    if (!row) {
        uint32_t i = known->rows.n;
        if (known->spare.n)
            i = known->spare.v[--known->spare.n];
        else
            mst_vec_push(&known->rows, (struct mst_known_row){ 0 });
        mst_map_set(&known->rows_by_key, mst_buf_span(&known->key), i);
        row = &known->rows.v[i];
        uid_set(&row->uid, id->uid);
    } else if (!uid_is(&row->uid, id->uid)) {
        uid_done(&row->uid);
        uid_set(&row->uid, id->uid);
    }
    row->version = mst_known_version(resource_version);
    row->round = known->round;
}

void mst_known_keep(struct mst_known *known, const struct mst_known_id *id)
{
    struct mst_known_row *row = find(known, id);
    if (row)
        row->round = known->round;
}

/* The entry must leave the map as well. */
static void drop_row(struct mst_known *known, uint32_t i, struct mst_buf *ret_uid)
{
    struct mst_known_row *row = &known->rows.v[i];
    unpack(&row->uid, ret_uid);
    uid_done(&row->uid);
    mst_vec_push(&known->spare, i);
}

bool mst_known_take(struct mst_known *known, const struct mst_known_id *id, struct mst_buf *ret_uid)
{
    const struct mst_known_row *row = find(known, id);
    if (!row)
        return false;
    drop_row(known, (uint32_t)(row - known->rows.v), ret_uid);
    mst_map_delete(&known->rows_by_key, mst_buf_span(&known->key));
    return true;
}

/* ---- rounds ---- */

void mst_known_round(struct mst_known *known)
{
    known->round++;
}

bool mst_known_sweep(struct mst_known *known, uint32_t *at, struct mst_buf *text,
                     struct mst_known_id *out)
{
    const struct mst_map_entry *entry;
    while (mst_map_next(&known->rows_by_key, at, &entry)) {
        const uint32_t i = (uint32_t)entry->value;
        if (known->rows.v[i].round == known->round)
            continue;
        const struct mst_str key = { entry->key, entry->key_n };
        text->n = 0;
        mst_buf_str(text, key);
        drop_row(known, i, text);
        mst_map_delete(&known->rows_by_key, (struct mst_str){ text->p, key.n });
        const char *slash = memchr(text->p, '/', key.n);
        const size_t ns_n = slash ? (size_t)(slash - text->p) : 0, name_at = slash ? ns_n + 1 : 0;
        out->ns = (struct mst_str){ text->p, ns_n };
        out->name = (struct mst_str){ text->p + name_at, key.n - name_at };
        out->uid = (struct mst_str){ text->p + key.n, text->n - key.n };
        return true;
    }
    return false;
}
