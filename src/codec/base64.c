/*
 * base64.c - bytes in text, as JSON has them in fields of bytes.
 *
 * Invariants: padding is required and ends the text; bits beyond the last whole byte are ignored,
 *             as Go's decoder does unless told otherwise.
 */
#include "codec/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_of(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

static bool skipped(char c)
{
    return c == '\r' || c == '\n';
}

static size_t skip(struct mst_str text, size_t at)
{
    while (at < text.n && skipped(text.p[at]))
        at++;
    return at;
}

/* At the first '=' of a group with `digits` digits: the rest must be padding and nothing else. */
static bool padding_ends(struct mst_str text, uint32_t digits, size_t *at)
{
    if (digits < 2)
        return false;
    size_t next = skip(text, *at + 1);
    if (digits == 2) {
        if (next >= text.n || text.p[next] != '=') {
            *at = next;
            return false;
        }
        next = skip(text, next + 1);
    }
    *at = next;
    return next == text.n;
}

bool mst_base64_decode(struct mst_str text, struct mst_buf *out, size_t *ret_at)
{
    const size_t begin = out->n;
    uint32_t bits = 0, digits = 0;
    size_t at = skip(text, 0);
    for (; at < text.n; at = skip(text, at + 1)) {
        const int digit = digit_of(text.p[at]);
        if (digit < 0)
            break;
        bits = bits << 6 | (uint32_t)digit;
        if (++digits < 4)
            continue;
        for (int shift = 16; shift >= 0; shift -= 8)
            mst_buf_char(out, (char)(bits >> shift));
        bits = digits = 0;
    }
    bool ok = at == text.n && digits == 0;
    if (at < text.n && text.p[at] == '=') {
        ok = padding_ends(text, digits, &at);
        if (ok && digits == 2)
            mst_buf_char(out, (char)(bits >> 4));
        if (ok && digits == 3) {
            mst_buf_char(out, (char)(bits >> 10));
            mst_buf_char(out, (char)(bits >> 2));
        }
    }
    if (!ok) {
        out->n = begin;
        *ret_at = at;
    }
    return ok;
}

void mst_base64_encode(struct mst_str bytes, struct mst_buf *out)
{
    for (size_t i = 0; i < bytes.n; i += 3) {
        const size_t n = MST_MIN(bytes.n - i, (size_t)3);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            mst_buf_char(out, k <= n ? alphabet[bits >> (18 - 6 * k) & 63] : '=');
    }
}
