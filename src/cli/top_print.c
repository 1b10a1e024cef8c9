/*
 * top_print.c - the use of nodes and groups as a table and as JSON.
 */
#include "cli/report_internal.h"
#include "cli/top.h"
#include "codec/json.h"

enum { FULL_PERCENT = 90 };

/* -1: of nothing. */
static int64_t percent(int64_t used, int64_t of)
{
    return of > 0 ? (int64_t)((__int128)used * 100 / of) : -1;
}

/* What a share is of: the node's room; for a group, the cluster's. */
static int64_t share_of(const struct mst_top *top, const struct mst_top_amount *amount,
                        uint32_t column)
{
    return percent(amount->used, top->groups ? top->allocatable.v[column] : amount->of);
}

static void add_amount(struct mst_top *top, const struct mst_top_amount *amount, uint32_t column,
                       struct mst_table *table)
{
    const struct mst_str name = top->names.v[column];
    const int64_t share = share_of(top, amount, column);
    const bool nothing = !amount->used && !amount->of;
    MST_AUTO(mst_buf) text = { 0 };
    if (!nothing)
        mst_buf_printf(&text, "%.*s/%.*s",
                       MST_ARG(mst_report_amount(&top->arena, name, amount->used)),
                       MST_ARG(mst_report_amount(&top->arena, name, amount->of)));
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&text));
    if (nothing || share < 0)
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
    else
        mst_table_addf(table,
                       !top->groups && share >= FULL_PERCENT ? MST_STYLE_BAD : MST_STYLE_PLAIN,
                       "%lld%%", (long long)share);
}

static void add_row(struct mst_top *top, const struct mst_top_row *row, struct mst_table *table)
{
    if (top->groups) {
        mst_table_add(table, MST_STYLE_PLAIN, row->ns);
        mst_table_add(table, MST_STYLE_PLAIN, row->name);
        mst_table_addf(table, MST_STYLE_PLAIN, "%u", row->nodes);
    } else {
        mst_table_addf(table, row->cordoned ? MST_STYLE_DIM : MST_STYLE_PLAIN, "%.*s%s",
                       MST_ARG(row->name), row->cordoned ? " (cordoned)" : "");
    }
    for (uint32_t c = 0; c < top->resources.n; c++)
        add_amount(top, &row->amounts[c], c, table);
}

/* The sum of all nodes, as the last row. */
static void add_sum(struct mst_top *top, struct mst_table *table)
{
    mst_table_addf(table, MST_STYLE_BOLD, "(all %u)", top->rows.n);
    for (uint32_t c = 0; c < top->resources.n; c++) {
        struct mst_top_amount sum = { .of = top->allocatable.v[c] };
        for (uint32_t i = 0; i < top->rows.n; i++) {
            const int64_t used = top->rows.v[i].amounts[c].used;
            sum.used = used > INT64_MAX - sum.used ? INT64_MAX : sum.used + used;
        }
        add_amount(top, &sum, c, table);
    }
}

static const char *title_of(struct mst_top *top, uint32_t column)
{
    switch (top->resources.v[column]) {
    case MST_RES_CPU: return "CPU";
    case MST_RES_MEMORY: return "MEMORY";
    case MST_TOP_PODS: return "PODS";
    default: return mst_arena_str(&top->arena, top->names.v[column]).p;
    }
}

static void print_blocks(struct mst_top *top, struct mst_buf *out)
{
    if (top->blocks.n)
        mst_buf_char(out, '\n');
    for (uint32_t i = 0; i < top->blocks.n; i++) {
        const struct mst_top_block *block = &top->blocks.v[i];
        const struct mst_str name = top->names.v[block->column];
        mst_buf_printf(out, "%.*s: ", MST_ARG(name));
        if (!block->node_count) {
            mst_buf_text(out, "nothing is free\n");
            continue;
        }
        mst_buf_printf(out, "%lld free on %u node%s, at most %lld on one (%.*s)\n",
                       (long long)block->free, block->node_count, block->node_count == 1 ? "" : "s",
                       (long long)block->largest, MST_ARG(block->on_node));
    }
}

void mst_top_print(struct mst_top *top, bool colours, struct mst_buf *out)
{
    MST_VEC(struct mst_column) columns = { 0 };
    if (!top->rows.n) {
        mst_buf_text(out, top->groups ? "no PodGroups\n" : "no nodes\n");
        return;
    }
    if (top->groups) {
        mst_vec_push(&columns, (struct mst_column){ "NAMESPACE", false, 0 });
        mst_vec_push(&columns, (struct mst_column){ "NAME", false, 0 });
        mst_vec_push(&columns, (struct mst_column){ "NODES", true, 0 });
    } else {
        mst_vec_push(&columns, (struct mst_column){ "NODE", false, 0 });
    }
    for (uint32_t c = 0; c < top->resources.n; c++) {
        mst_vec_push(&columns, (struct mst_column){ title_of(top, c), true, 0 });
        mst_vec_push(&columns, (struct mst_column){ "%", true, 0 });
    }
    struct mst_table table = { .columns = columns.v, .column_count = columns.n };
    for (uint32_t i = 0; i < top->rows.n; i++)
        add_row(top, &top->rows.v[i], &table);
    if (!top->groups)
        add_sum(top, &table);
    mst_table_print(&table, colours, out);
    mst_table_done(&table);
    mst_vec_done(&columns);
    print_blocks(top, out);
}

/* ---- JSON ---- */

static void key_str(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

/* Whole units: CPU in milli-cores, memory in bytes. */
static void amounts_json(const struct mst_top *top, const struct mst_top_row *row,
                         struct mst_json_writer *w)
{
    mst_jw_key(w, "resources");
    mst_jw_object_begin(w);
    for (uint32_t c = 0; c < top->resources.n; c++) {
        const struct mst_top_amount *amount = &row->amounts[c];
        const int64_t share = share_of(top, amount, c);
        if (top->resources.v[c] == MST_RES_CPU)
            mst_jw_key(w, "cpuMilli");
        else
            mst_jw_key_str(w, top->names.v[c]);
        mst_jw_object_begin(w);
        mst_jw_key(w, top->groups ? "bound" : "requested");
        mst_jw_int(w, amount->used);
        mst_jw_key(w, top->groups ? "requested" : "allocatable");
        mst_jw_int(w, amount->of);
        if (share >= 0) {
            mst_jw_key(w, "percent");
            mst_jw_int(w, share);
        }
        mst_jw_object_end(w);
    }
    mst_jw_object_end(w);
}

static void row_json(const struct mst_top *top, const struct mst_top_row *row,
                     struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    if (top->groups)
        key_str(w, "namespace", row->ns);
    key_str(w, "name", row->name);
    if (top->groups) {
        mst_jw_key(w, "nodes");
        mst_jw_int(w, row->nodes);
    } else {
        mst_jw_key(w, "unschedulable");
        mst_jw_bool(w, row->cordoned);
    }
    amounts_json(top, row, w);
    mst_jw_object_end(w);
}

static void blocks_json(const struct mst_top *top, struct mst_json_writer *w)
{
    mst_jw_key(w, "free");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < top->blocks.n; i++) {
        const struct mst_top_block *block = &top->blocks.v[i];
        mst_jw_object_begin(w);
        key_str(w, "resource", top->names.v[block->column]);
        mst_jw_key(w, "free");
        mst_jw_int(w, block->free);
        mst_jw_key(w, "nodes");
        mst_jw_int(w, block->node_count);
        mst_jw_key(w, "largest");
        mst_jw_int(w, block->largest);
        if (block->on_node.n)
            key_str(w, "largestOn", block->on_node);
        mst_jw_object_end(w);
    }
    mst_jw_array_end(w);
}

void mst_top_json(struct mst_top *top, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out, .indent = 2 };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, top->groups ? "groups" : "nodes");
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < top->rows.n; i++)
        row_json(top, &top->rows.v[i], &w);
    mst_jw_array_end(&w);
    if (!top->groups)
        blocks_json(top, &w);
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}
