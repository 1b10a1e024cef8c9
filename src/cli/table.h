/*
 * table.h - columns of text as kubectl lays them out, and colours where a person looks.
 */
#ifndef MST_TABLE_H
#define MST_TABLE_H

#include "base/mem.h"

typedef enum {
    MST_STYLE_PLAIN,
    MST_STYLE_GOOD,
    MST_STYLE_BAD,
    MST_STYLE_DIM,
    MST_STYLE_BOLD
} mst_style;

/* True when standard output is a terminal that may be coloured (NO_COLOR, TERM=dumb). */
bool mst_colours_wanted(void);
/* The text with the style around it, if `colours`. Control characters become '?'. */
void mst_styled(struct mst_buf *out, bool colours, mst_style style, struct mst_str text);

struct mst_column {
    const char *title;
    bool right;   /* numbers */
    uint32_t max; /* longest text shown, cut with "..."; 0: all of it */
};

struct mst_cell {
    struct mst_str text;
    mst_style style;
};

/* Zero-initialise, set columns, add cells row by row; every row has column_count cells. */
struct mst_table {
    const struct mst_column *columns;
    uint32_t column_count;
    struct mst_arena arena;
    MST_VEC(struct mst_cell) cells;
};

/* An empty text is shown as "-". */
void mst_table_add(struct mst_table *table, mst_style style, struct mst_str text);
void mst_table_addf(struct mst_table *table, mst_style style, const char *format, ...)
    MST_PRINTF(3, 4);
/*
 * Titles and rows; columns as wide as their widest cell, three spaces between, no trailing space.
 */
void mst_table_print(const struct mst_table *table, bool colours, struct mst_buf *out);
void mst_table_done(struct mst_table *table);

#endif
