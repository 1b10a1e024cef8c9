/*
 * top.c - what nodes have to give and what is taken of it; what groups ask for and have.
 */
#include "cli/top.h"

#include "base/sort.h"
#include "sim/use.h"

_Static_assert((int)MST_TOP_PODS == (int)MST_USE_PODS, "one number for the column of pods");

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* ---- columns ---- */

static struct mst_str name_of(const struct mst_nodes *nodes, uint32_t resource)
{
    switch (resource) {
    case MST_RES_CPU: return MST_STR("cpu");
    case MST_RES_MEMORY: return MST_STR("memory");
    case MST_RES_EPHEMERAL: return MST_STR("ephemeral-storage");
    case MST_TOP_PODS: return MST_STR("pods");
    default: return mst_sym_str(nodes->syms, nodes->resource_name[resource]);
    }
}

/* CPU, memory and pods always; disk only when somebody asks for it, as few do. */
static void add_column(struct mst_top *top, const struct mst_nodes *nodes, uint32_t resource)
{
    int64_t used = 0, of = 0;
    for (uint32_t row = 0; row < nodes->count; row++) {
        const struct mst_use use = mst_use_of_row(nodes, resource, row);
        used = add(used, use.used);
        of = add(of, use.of);
    }
    const bool always =
        resource == MST_RES_CPU || resource == MST_RES_MEMORY || resource == MST_TOP_PODS;
    if (!always && !used && (!of || resource == MST_RES_EPHEMERAL))
        return;
    mst_vec_push(&top->resources, resource);
    mst_vec_push(&top->names, name_of(nodes, resource));
    mst_vec_push(&top->allocatable, of);
}

static void add_columns(struct mst_top *top, const struct mst_nodes *nodes)
{
    add_column(top, nodes, MST_TOP_PODS);
    for (uint32_t resource = 0; resource < nodes->resource_count; resource++)
        add_column(top, nodes, resource);
}

static struct mst_top_row *add_row(struct mst_top *top)
{
    mst_vec_push(&top->rows, (struct mst_top_row){ .nodes = 0 });
    struct mst_top_row *row = &top->rows.v[top->rows.n - 1];
    row->amounts = MST_NEW_N(&top->arena, struct mst_top_amount, top->resources.n);
    return row;
}

static int by_name(const void *a, const void *b, void *ctx)
{
    const struct mst_top_row *x = a, *y = b;
    (void)ctx;
    const int order = mst_str_cmp(x->ns, y->ns);
    return order ? order : mst_str_cmp(x->name, y->name);
}

static void sort_by_name(struct mst_top *top)
{
    mst_sort(top->rows.v, top->rows.n, sizeof(*top->rows.v), by_name, NULL);
}

/* ---- nodes ---- */

static void add_block(struct mst_top *top, uint32_t column)
{
    struct mst_top_block block = { .column = column };
    for (uint32_t i = 0; i < top->rows.n; i++) {
        const struct mst_top_row *row = &top->rows.v[i];
        const int64_t free = row->amounts[column].of - row->amounts[column].used;
        if (row->cordoned || free <= 0)
            continue;
        block.free = add(block.free, free);
        block.node_count++;
        if (free <= block.largest)
            continue;
        block.largest = free;
        block.on_node = row->name;
    }
    mst_vec_push(&top->blocks, block);
}

void mst_top_nodes(struct mst_top *top, const struct mst_cluster *cluster)
{
    const struct mst_nodes *nodes = &cluster->nodes;
    add_columns(top, nodes);
    for (uint32_t i = 0; i < nodes->count; i++) {
        struct mst_top_row *row = add_row(top);
        row->name = mst_sym_str(nodes->syms, nodes->name[i]);
        row->cordoned = nodes->unschedulable[i];
        for (uint32_t c = 0; c < top->resources.n; c++) {
            const struct mst_use use = mst_use_of_row(nodes, top->resources.v[c], i);
            row->amounts[c] = (struct mst_top_amount){ .used = use.used, .of = use.of };
        }
    }
    sort_by_name(top);
    for (uint32_t c = 0; c < top->resources.n; c++) {
        const uint32_t resource = top->resources.v[c];
        if (resource != MST_TOP_PODS && nodes->resource_extended[resource] &&
            top->allocatable.v[c] > 0)
            add_block(top, c);
    }
}

/* ---- groups ---- */

static int64_t asks_for(const struct mst_usage *usage, uint32_t resource)
{
    if (resource == MST_TOP_PODS)
        return 1;
    for (uint32_t i = 0; i < usage->amounts.n; i++)
        if (usage->amounts.v[i].resource == resource)
            return usage->amounts.v[i].amount;
    return 0;
}

static int by_symbol(const void *a, const void *b, void *ctx)
{
    const mst_sym x = *(const mst_sym *)a, y = *(const mst_sym *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

static uint32_t count_distinct(mst_sym *nodes, uint32_t n)
{
    uint32_t distinct = 0;
    mst_sort(nodes, n, sizeof(*nodes), by_symbol, NULL);
    for (uint32_t i = 0; i < n; i++)
        distinct += !i || nodes[i] != nodes[i - 1];
    return distinct;
}

static void add_group(struct mst_top *top, const struct mst_cluster *cluster,
                      const struct mst_group_row *group)
{
    struct mst_top_row *row = add_row(top);
    MST_VEC(mst_sym) nodes = { 0 };
    row->ns = mst_sym_str(cluster->syms, group->ns);
    row->name = group->name;
    for (uint32_t p = group->first_pod; p != MST_ROW_NONE; p = cluster->pods.v[p].group_next) {
        const struct mst_pod_row *pod = &cluster->pods.v[p];
        const struct mst_usage *usage = mst_cluster_usage(cluster, pod->usage);
        for (uint32_t c = 0; c < top->resources.n; c++) {
            const int64_t amount = asks_for(usage, top->resources.v[c]);
            row->amounts[c].of = add(row->amounts[c].of, amount);
            if (pod->assigned)
                row->amounts[c].used = add(row->amounts[c].used, amount);
        }
        if (pod->assigned)
            mst_vec_push(&nodes, pod->node_name);
    }
    row->nodes = count_distinct(nodes.v, nodes.n);
    mst_vec_done(&nodes);
}

void mst_top_groups(struct mst_top *top, const struct mst_cluster *cluster,
                    const struct mst_scope *scope)
{
    top->groups = true;
    add_columns(top, &cluster->nodes);
    for (uint32_t i = 0; i < cluster->groups.n; i++) {
        const struct mst_group_row *group = &cluster->groups.v[i];
        if (group->live && !group->composite &&
            mst_scope_has(scope, mst_sym_str(cluster->syms, group->ns)))
            add_group(top, cluster, group);
    }
    sort_by_name(top);
}

/* ---- order ---- */

struct order {
    uint32_t column;
    bool groups;
};

/* Nodes by the share that is taken, groups by the amount that they have. */
static int by_column(const void *a, const void *b, void *ctx)
{
    const struct order *order = ctx;
    const struct mst_top_amount *x = &((const struct mst_top_row *)a)->amounts[order->column];
    const struct mst_top_amount *y = &((const struct mst_top_row *)b)->amounts[order->column];
    __int128 left = x->used, right = y->used;
    if (!order->groups) {
        /* Nothing of nothing is less than nothing of something. */
        left = x->of ? left * MST_MAX(y->of, (int64_t)1) : -1;
        right = y->of ? right * MST_MAX(x->of, (int64_t)1) : -1;
    }
    if (left != right)
        return left > right ? -1 : 1;
    return by_name(a, b, NULL);
}

bool mst_top_sort(struct mst_top *top, const char *by)
{
    struct order order = { .groups = top->groups };
    if (strcmp(by, "name") == 0)
        return true;
    while (order.column < top->names.n && !mst_str_is(top->names.v[order.column], by))
        order.column++;
    if (order.column == top->names.n)
        return false;
    mst_sort(top->rows.v, top->rows.n, sizeof(*top->rows.v), by_column, &order);
    return true;
}

void mst_top_done(struct mst_top *top)
{
    mst_vec_done(&top->resources);
    mst_vec_done(&top->names);
    mst_vec_done(&top->allocatable);
    mst_vec_done(&top->rows);
    mst_vec_done(&top->blocks);
    mst_arena_done(&top->arena);
}
