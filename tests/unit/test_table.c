/* Columns of text: widths, alignment, cuts, colours, nothing that steers a terminal. */
#include "cli/table.h"

#include "tap.h"

static const struct mst_column columns[] = { { "NAME", false, 0 },
                                             { "N", true, 0 },
                                             { "REASON", false, 10 } };

static void expect(struct mst_test *t, const struct mst_table *table, bool colours,
                   const char *want)
{
    MST_AUTO(mst_buf) out = { 0 };
    mst_table_print(table, colours, &out);
    t_str(t, mst_buf_span(&out), want);
}

static void test_table_layout(struct mst_test *t)
{
    struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
    expect(t, &table, false, "NAME   N   REASON\n");
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("a"));
    mst_table_addf(&table, MST_STYLE_PLAIN, "%d", 12345);
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR(""));
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("long-name"));
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("7"));
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("0123456789"));
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("\xc3\xa9\xc3\xa9"));
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR_NONE);
    mst_table_add(&table, MST_STYLE_PLAIN, MST_STR("0123456789x"));
    expect(t, &table, false,
           "NAME            N   REASON\n"
           "a           12345   -\n"
           "long-name       7   0123456789\n"
           "\xc3\xa9\xc3\xa9              -   0123456...\n");
    mst_table_done(&table);
}

static void test_table_colours_and_control_characters(struct mst_test *t)
{
    static const struct mst_column one[] = { { "X", false, 0 } };
    struct mst_table table = { .columns = one, .column_count = 1 };
    mst_table_add(&table, MST_STYLE_BAD, MST_STR("a\033[2Jb\n"));
    expect(t, &table, false, "X\na?[2Jb?\n");
    expect(t, &table, true, "\033[1mX\033[0m\n\033[31ma?[2Jb?\033[0m\n");
    mst_table_done(&table);
}

static void test_table_cut_keeps_characters_whole(struct mst_test *t)
{
    static const struct mst_column one[] = { { "X", false, 5 } };
    struct mst_table table = { .columns = one, .column_count = 1 };
    mst_table_add(&table, MST_STYLE_PLAIN,
                  MST_STR("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                          "\xe2\x82\xac\xe2\x82\xac"));
    expect(t, &table, false, "X\n\xe2\x82\xac\xe2\x82\xac...\n");
    mst_table_done(&table);
}

MST_TEST_MAIN(T(test_table_layout), T(test_table_colours_and_control_characters),
              T(test_table_cut_keeps_characters_whole))
