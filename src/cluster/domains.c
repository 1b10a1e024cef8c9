/*
 * domains.c - the nodes by the value of one label: topology domains.
 */
#include "cluster/cluster_internal.h"

#include "base/sort.h"

struct by_value {
    struct mst_str text;
    mst_sym value;
    uint32_t row;
};

static int compare(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    const struct by_value *x = a, *y = b;
    int c = mst_str_cmp(x->text, y->text);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

void mst_cluster_domains(struct mst_cluster *cluster, mst_sym key, struct mst_arena *arena,
                         struct mst_domains *out)
{
    struct mst_nodes *nodes = &cluster->nodes;
    const mst_sym *column = mst_nodes_label(nodes, key);
    struct by_value *list = MST_NEW_N(arena, struct by_value, nodes->count);
    uint32_t n = 0;
    struct mst_domains d = {
        .key = key,
        .set_generation = nodes->set_generation,
        .change_end = mst_nodes_change_end(nodes),
        .domain_of = MST_NEW_N(arena, uint32_t, nodes->count),
    };
    for (uint32_t row = 0; row < nodes->count; row++) {
        d.domain_of[row] = MST_ROW_NONE;
        if (column[row] != MST_SYM_NONE)
            list[n++] =
                (struct by_value){ mst_sym_str(cluster->syms, column[row]), column[row], row };
    }
    mst_sort(list, n, sizeof(*list), compare, NULL);
    d.value = MST_NEW_N(arena, mst_sym, n);
    d.begin = MST_NEW_N(arena, uint32_t, n + 1);
    d.rows = MST_NEW_N(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || list[i].value != list[i - 1].value) {
            d.value[d.count] = list[i].value;
            d.begin[d.count++] = i;
        }
        d.rows[i] = list[i].row;
        d.domain_of[list[i].row] = d.count - 1;
    }
    d.begin[d.count] = n;
    *out = d;
}
