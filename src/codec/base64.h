/*
 * base64.h - bytes in text, as JSON has them in fields of bytes.
 *
 * Source: RFC 4648 4; line ends are skipped, as Go's decoder does.
 */
#ifndef MST_BASE64_H
#define MST_BASE64_H

#include "base/mem.h"

/*
 * Appends the bytes that `text` stands for to `out`.
 *
 * ret_at    on failure: index of the first byte that is wrong; `out` is as it was.
 * Returns   whether the text is whole and correct.
 */
bool mst_base64_decode(struct mst_str text, struct mst_buf *out, size_t *ret_at);
/* Appends the text that stands for `bytes`: padded, on one line. */
void mst_base64_encode(struct mst_str bytes, struct mst_buf *out);

#endif
