/*
 * nodes_order.c - what is derived from the set of nodes: ranks by name, list order.
 *
 * Owns:       rank, rebuilt when asked for after the set changed.
 */
#include "cluster/nodes_internal.h"

#include "base/sort.h"

static int compare_names(const void *a, const void *b, void *ctx)
{
    const struct mst_nodes *nodes = ctx;
    return mst_str_cmp(mst_sym_str(nodes->syms, nodes->name[*(const uint32_t *)a]),
                       mst_sym_str(nodes->syms, nodes->name[*(const uint32_t *)b]));
}

const uint32_t *mst_nodes_rank(struct mst_nodes *nodes)
{
    if (nodes->rank && nodes->rank_generation == nodes->set_generation)
        return nodes->rank;
    uint32_t *rows = mst_calloc(MST_MAX(1u, nodes->count), sizeof(*rows));
    for (uint32_t row = 0; row < nodes->count; row++)
        rows[row] = row;
    mst_sort(rows, nodes->count, sizeof(*rows), compare_names, nodes);
    nodes->rank = mst_realloc(nodes->rank, MST_MAX(1u, nodes->count), sizeof(*nodes->rank));
    for (uint32_t i = 0; i < nodes->count; i++)
        nodes->rank[rows[i]] = i;
    mst_free(rows);
    nodes->rank_generation = nodes->set_generation;
    return nodes->rank;
}

struct zone_slot {
    mst_sym region, zone;
    uint32_t index; /* of the node within its zone */
    uint32_t zone_i;
    uint64_t arrival;
    uint32_t row;
};

static int compare_arrival(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    uint64_t x = ((const struct zone_slot *)a)->arrival, y = ((const struct zone_slot *)b)->arrival;
    return (x > y) - (x < y);
}

static int compare_rounds(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    const struct zone_slot *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->zone_i > y->zone_i) - (x->zone_i < y->zone_i);
}

static mst_sym label_or(const struct mst_nodes *nodes, uint32_t row, mst_sym key, mst_sym old_key)
{
    mst_sym value = mst_nodes_label_of(nodes, row, key);
    return value != MST_SYM_NONE ? value : mst_nodes_label_of(nodes, row, old_key);
}

void mst_nodes_list_order(struct mst_nodes *nodes, uint32_t *out)
{
    mst_sym region = mst_sym_of_text(nodes->syms, "topology.kubernetes.io/region");
    mst_sym zone = mst_sym_of_text(nodes->syms, "topology.kubernetes.io/zone");
    mst_sym old_region = mst_sym_of_text(nodes->syms, "failure-domain.beta.kubernetes.io/region");
    mst_sym old_zone = mst_sym_of_text(nodes->syms, "failure-domain.beta.kubernetes.io/zone");
    struct zone_slot *slots = mst_calloc(MST_MAX(1u, nodes->count), sizeof(*slots));
    for (uint32_t row = 0; row < nodes->count; row++)
        slots[row] = (struct zone_slot){ .region = label_or(nodes, row, region, old_region),
                                         .zone = label_or(nodes, row, zone, old_zone),
                                         .arrival = nodes->arrival[row],
                                         .row = row };
    mst_sort(slots, nodes->count, sizeof(*slots), compare_arrival, NULL);
    struct mst_map zones = { 0 }; /* (region, zone) -> index << 32 | nodes so far */
    for (uint32_t i = 0; i < nodes->count; i++) {
        mst_sym pair[2] = { slots[i].region, slots[i].zone };
        struct mst_str key = { (const char *)pair, sizeof(pair) };
        uint64_t at = (uint64_t)mst_map_count(&zones) << 32;
        (void)mst_map_get(&zones, key, &at);
        slots[i].zone_i = (uint32_t)(at >> 32);
        slots[i].index = (uint32_t)at;
        mst_map_set(&zones, key, at + 1);
    }
    mst_map_done(&zones);
    mst_sort(slots, nodes->count, sizeof(*slots), compare_rounds, NULL);
    for (uint32_t i = 0; i < nodes->count; i++)
        out[i] = slots[i].row;
    mst_free(slots);
}

void mst_nodes_order_done(struct mst_nodes *nodes)
{
    mst_free(nodes->rank);
}
