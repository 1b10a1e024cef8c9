/*
 * text.c - text for reports: field paths, Go's quoting, the distance between two names.
 */
#include "api/api_internal.h"

struct mst_str mst_path_text(struct mst_arena *arena, const struct mst_path *path)
{
    enum { STEPS_MAX = MST_DEPTH_MAX + 8 };
    const struct mst_path *steps[STEPS_MAX];
    uint32_t n = 0;
    for (; path; path = path->up) {
        mst_assert(n < STEPS_MAX); /* paths follow schemas, which are far less deep */
        steps[n++] = path;
    }
    MST_AUTO(mst_buf) buf = { 0 };
    while (n > 0) {
        const struct mst_path *step = steps[--n];
        if (step->name)
            mst_buf_printf(&buf, "%s%s", buf.n ? "." : "", step->name);
        else if (step->key.p)
            mst_buf_printf(&buf, "[%.*s]", MST_ARG(step->key));
        else
            mst_buf_printf(&buf, "[%u]", step->index);
    }
    return mst_arena_str(arena, mst_buf_span(&buf));
}

/* Length of the UTF-8 sequence at p, 0 when it is not valid. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t want = p[0] < 0x80   ? 1
                  : p[0] < 0xc2 ? 0
                  : p[0] < 0xe0 ? 2
                  : p[0] < 0xf0 ? 3
                  : p[0] < 0xf5 ? 4
                                : 0;
    if (want == 0 || want > n)
        return 0;
    for (size_t i = 1; i < want; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return want;
}

static void quote_ascii(struct mst_buf *buf, unsigned char c)
{
    static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
    const char *escape = c ? strchr(from, c) : NULL;
    if (escape)
        mst_buf_printf(buf, "\\%c", to[escape - from]);
    else if (c < 0x20 || c == 0x7f)
        mst_buf_printf(buf, "\\x%02x", c);
    else
        mst_buf_char(buf, (char)c);
}

struct mst_str mst_go_quote(struct mst_arena *arena, struct mst_str text)
{
    MST_AUTO(mst_buf) buf = { 0 };
    mst_buf_char(&buf, '"');
    for (size_t i = 0; i < text.n;) {
        const unsigned char *p = (const unsigned char *)text.p + i;
        size_t n = utf8_length(p, text.n - i);
        if (n == 0) {
            mst_buf_printf(&buf, "\\x%02x", *p);
            n = 1;
        } else if (n == 1) {
            quote_ascii(&buf, *p);
        } else if (n == 2 && p[0] == 0xc2 && p[1] < 0xa1) {
            mst_buf_printf(&buf, "\\u%04x", p[1]); /* control characters and the hard space */
        } else {
            mst_buf_add(&buf, p, n);
        }
        i += n;
    }
    mst_buf_char(&buf, '"');
    return mst_arena_str(arena, mst_buf_span(&buf));
}

uint32_t mst_edit_distance(struct mst_str a, struct mst_str b, uint32_t max)
{
    enum { LENGTH_MAX = 63 };
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > max || a.n > LENGTH_MAX || b.n > LENGTH_MAX)
        return max + 1;
    uint32_t rows[3][LENGTH_MAX + 1]; /* the last three rows of the usual table */
    for (uint32_t j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a.n; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b.n; j++) {
            uint32_t replaced = above[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            uint32_t shorter = MST_MIN(above[j], row[j - 1]) + 1;
            row[j] = MST_MIN(replaced, shorter);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                row[j] = MST_MIN(row[j], above2[j - 2] + 1);
        }
    }
    return MST_MIN(rows[a.n % 3][b.n], max + 1);
}

void mst_api_name_object(struct mst_api *api, const struct mst_object *object)
{
    const struct mst_meta *meta = &object->u.meta;
    struct mst_str name = meta->name.n ? meta->name : meta->generate_name;
    struct mst_str ns = mst_sym_str(api->syms, meta->namespace_);
    api->diags->object =
        mst_arena_printf(&api->diags->arena, "%s %.*s%s%.*s", mst_kind_name(object->kind),
                         MST_ARG(ns), ns.n ? "/" : "", MST_ARG(name));
}
