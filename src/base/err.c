/*
 * err.c - errors with text, formatted into the caller's struct.
 *
 * Invariants: the text is terminated, never ends inside a UTF-8 sequence, and ends in "..." if and
 *             only if something was cut off (or the message itself ends so).
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_BYTES = sizeof(((struct mst_err *)0)->text) };

/* Ends text, which was cut at `size` - 1 bytes, in "...", at a character's boundary. */
static void mark_cut(char *text, size_t size)
{
    size_t at = size - sizeof("...");
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, "...", sizeof("..."));
}

/* Formats into text; a format that vsnprintf refuses is shown as it stands. */
static void format_text(char text[TEXT_BYTES], const char *format, va_list args)
{
    int n = vsnprintf(text, TEXT_BYTES, format, args);
    if (n < 0)
        n = snprintf(text, TEXT_BYTES, "%s", format);
    if (n >= (int)TEXT_BYTES)
        mark_cut(text, TEXT_BYTES);
}

mst_rc mst_fail(struct mst_err *err, mst_rc rc, const char *format, ...)
{
    mst_assert(rc != MST_OK);
    if (!err)
        return rc;
    /* Into a buffer of its own first: an argument may point into err->text. */
    char text[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    err->rc = rc;
    memcpy(err->text, text, strlen(text) + 1);
    return rc;
}

mst_rc mst_wrap(struct mst_err *err, const char *format, ...)
{
    if (!err)
        return MST_EINVAL;
    mst_assert(err->rc != MST_OK);
    char prefix[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    format_text(prefix, format, args);
    va_end(args);
    char text[2 * TEXT_BYTES + sizeof(": ")];
    int n = snprintf(text, sizeof(text), "%s: %s", prefix, err->text);
    if (n >= (int)TEXT_BYTES)
        mark_cut(text, TEXT_BYTES);
    memcpy(err->text, text, strlen(text) + 1);
    return err->rc;
}
