/*
 * table.c - columns of text as kubectl lays them out, and colours where a person looks.
 */
#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool mst_colours_wanted(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static const char *code_of(mst_style style)
{
    switch (style) {
    case MST_STYLE_PLAIN: return NULL;
    case MST_STYLE_GOOD: return "32";
    case MST_STYLE_BAD: return "31";
    case MST_STYLE_DIM: return "2";
    case MST_STYLE_BOLD: return "1";
    }
    return NULL;
}

/* Text of manifests must not steer the terminal. */
static void add_clean(struct mst_buf *out, struct mst_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        mst_buf_char(out, (char)(c < 0x20 || c == 0x7f ? '?' : c));
    }
}

void mst_styled(struct mst_buf *out, bool colours, mst_style style, struct mst_str text)
{
    const char *code = colours ? code_of(style) : NULL;
    if (code)
        mst_buf_printf(out, "\033[%sm", code);
    add_clean(out, text);
    if (code)
        mst_buf_text(out, "\033[0m");
}

/* Characters, not bytes. */
static uint32_t width_of(struct mst_str text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += (text.p[i] & 0xc0) != 0x80;
    return n;
}

/* At most `max` characters, the end marked. */
static struct mst_str cut(struct mst_arena *arena, struct mst_str text, uint32_t max)
{
    if (!max || width_of(text) <= max)
        return text;
    size_t i = 0;
    for (uint32_t n = 0; i < text.n; i++) {
        n += (text.p[i] & 0xc0) != 0x80;
        if (n > max - 3)
            break;
    }
    return mst_arena_printf(arena, "%.*s...", (int)i, text.p);
}

void mst_table_add(struct mst_table *table, mst_style style, struct mst_str text)
{
    uint32_t column = table->cells.n % table->column_count;
    struct mst_str kept = text.n ? mst_arena_str(&table->arena, text) : MST_STR("-");
    mst_vec_push(&table->cells,
                 (struct mst_cell){ .text = cut(&table->arena, kept, table->columns[column].max),
                                    .style = style });
}

void mst_table_addf(struct mst_table *table, mst_style style, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mst_assert(n >= 0);
    mst_table_add(table, style, (struct mst_str){ text, MST_MIN((size_t)n, sizeof(text) - 1) });
}

struct layout {
    const struct mst_table *table;
    uint32_t *widths;
    bool colours;
};

static void print_cell(const struct layout *layout, uint32_t column, const struct mst_cell *cell,
                       struct mst_buf *out)
{
    bool last = column + 1 == layout->table->column_count;
    uint32_t pad = layout->widths[column] - width_of(cell->text);
    bool right = layout->table->columns[column].right;
    if (right)
        mst_buf_printf(out, "%*s", (int)pad, "");
    mst_styled(out, layout->colours, cell->style, cell->text);
    if (!last)
        mst_buf_printf(out, "%*s", (int)((right ? 0 : pad) + 3), "");
    else
        mst_buf_char(out, '\n');
}

void mst_table_print(const struct mst_table *table, bool colours, struct mst_buf *out)
{
    uint32_t columns = table->column_count;
    mst_assert(columns && table->cells.n % columns == 0);
    struct layout layout = { .table = table,
                             .colours = colours,
                             .widths = mst_calloc(columns, sizeof(uint32_t)) };
    for (uint32_t i = 0; i < columns; i++)
        layout.widths[i] = width_of(mst_str_of(table->columns[i].title));
    for (uint32_t i = 0; i < table->cells.n; i++)
        layout.widths[i % columns] =
            MST_MAX(layout.widths[i % columns], width_of(table->cells.v[i].text));
    for (uint32_t i = 0; i < columns; i++)
        print_cell(&layout, i,
                   &(struct mst_cell){ mst_str_of(table->columns[i].title), MST_STYLE_BOLD }, out);
    for (uint32_t i = 0; i < table->cells.n; i++)
        print_cell(&layout, i % columns, &table->cells.v[i], out);
    mst_free(layout.widths);
}

void mst_table_done(struct mst_table *table)
{
    mst_vec_done(&table->cells);
    mst_arena_done(&table->arena);
}
