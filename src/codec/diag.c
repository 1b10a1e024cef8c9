/*
 * diag.c - what the readers have to say about places in files.
 *
 * Owns:       copies of every text, file and object name, in the list's arena.
 * Invariants: error_count counts every error, also those that are not kept; the list never holds
 *             more than MST_DIAGS_MAX, and when it is full its last entry says so.
 */
#include "codec/tape.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_MAX = 1000 }; /* bytes of one message; longer ones end in "..." */

void mst_diags_done(struct mst_diags *diags)
{
    mst_vec_done(&diags->list);
    mst_arena_done(&diags->arena);
    *diags = (struct mst_diags){ 0 };
}

/* A copy that lives as long as the list; shares the last entry's copy when it is the same text. */
static struct mst_str keep(struct mst_diags *diags, struct mst_str s, struct mst_str last)
{
    if (s.p && last.p && mst_str_eq(s, last))
        return last;
    return mst_arena_str(&diags->arena, s);
}

static struct mst_str format_text(struct mst_diags *diags, const char *format, va_list args)
{
    char text[TEXT_MAX + 1];
    int n = vsnprintf(text, sizeof(text), format, args);
    mst_assert(n >= 0);
    if ((size_t)n >= sizeof(text)) {
        n = TEXT_MAX - 3;
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
            n--;
        memcpy(text + n, "...", 3);
        n += 3;
    }
    return mst_arena_str(&diags->arena, (struct mst_str){ text, (size_t)n });
}

__attribute__((format(printf, 5, 0))) static void add(struct mst_diags *diags, mst_diag_level level,
                                                      uint32_t line, uint32_t col,
                                                      const char *format, va_list args)
{
    if (level == MST_DIAG_ERROR)
        diags->error_count++;
    if (diags->list.n == MST_DIAGS_MAX)
        return;
    struct mst_str last_file = MST_STR_NONE, last_object = MST_STR_NONE;
    if (diags->list.n) {
        last_file = diags->list.v[diags->list.n - 1].file;
        last_object = diags->list.v[diags->list.n - 1].object;
    }
    struct mst_diag diag = {
        .level = level,
        .file = keep(diags, diags->file, last_file),
        .line = line,
        .col = col,
        .object = keep(diags, diags->object, last_object),
    };
    if (diags->list.n == MST_DIAGS_MAX - 1)
        diag.text = MST_STR("too many messages, this one and the rest are not shown");
    else
        diag.text = format_text(diags, format, args);
    mst_vec_push(&diags->list, diag);
}

void mst_diag_add(struct mst_diags *diags, mst_diag_level level, const struct mst_value *at,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diags, level, at ? at->line : 0, at ? at->col : 0, format, args);
    va_end(args);
}

void mst_diag_add_at(struct mst_diags *diags, mst_diag_level level, uint32_t line, uint32_t col,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diags, level, line, col, format, args);
    va_end(args);
}

void mst_diag_print(const struct mst_diag *diag, struct mst_buf *out)
{
    if (diag->file.n) {
        mst_buf_str(out, diag->file);
        mst_buf_char(out, ':');
    }
    if (diag->line) {
        mst_buf_printf(out, "%u:", diag->line);
        if (diag->col)
            mst_buf_printf(out, "%u:", diag->col);
    }
    if (diag->file.n || diag->line)
        mst_buf_char(out, ' ');
    mst_buf_text(out, diag->level == MST_DIAG_ERROR ? "error: " : "warning: ");
    if (diag->object.n) {
        mst_buf_str(out, diag->object);
        mst_buf_text(out, ": ");
    }
    mst_buf_str(out, diag->text);
    mst_buf_char(out, '\n');
}
