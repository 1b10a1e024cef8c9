/*
 * nodes_sets.c - taint sets and label sets, each stored once, and label keys as columns.
 *
 * Owns:       set_arena, the two id maps, the label columns.
 * Invariants: a set's id never changes its meaning; a label column has a value for every row.
 */
#include "cluster/nodes_internal.h"

#include "base/sort.h"

/* Both element types are plain symbols without padding, so their bytes are their identity. */
_Static_assert(sizeof(struct mst_taint) == 3 * sizeof(mst_sym), "taints have padding");
_Static_assert(sizeof(struct mst_label) == 2 * sizeof(mst_sym), "labels have padding");

static void *keep(struct mst_nodes *nodes, const void *bytes, size_t n)
{
    void *copy = mst_arena_alloc(&nodes->set_arena, n);
    if (n)
        memcpy(copy, bytes, n);
    return copy;
}

uint32_t mst_nodes_intern_taints(struct mst_nodes *nodes, const struct mst_taint *v, uint32_t n)
{
    struct mst_str key = { n ? (const char *)v : "", n * sizeof(*v) };
    uint64_t id;
    if (mst_map_get(&nodes->taint_set_ids, key, &id))
        return (uint32_t)id;
    id = nodes->taint_sets.n;
    mst_map_set(&nodes->taint_set_ids, key, id);
    const struct mst_taint *copy = keep(nodes, v, key.n);
    mst_vec_push(&nodes->taint_sets, (struct mst_taint_set){ copy, n });
    return (uint32_t)id;
}

static uint32_t known_features(const struct mst_nodes *nodes, const mst_sym_list *features)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } known[] = {
        { "RestartAllContainersOnContainerExits", MST_FEATURE_RESTART_ALL },
        { "UserNamespacesHostNetworkSupport", MST_FEATURE_USERNS_HOST_NET },
        { "VolumeBindMountOptions", MST_FEATURE_BIND_MOUNT },
    };
    uint32_t bits = 0;
    for (uint32_t i = 0; i < features->n; i++)
        for (size_t k = 0; k < MST_COUNT(known); k++)
            if (mst_str_is(mst_sym_str(nodes->syms, features->v[i]), known[k].name))
                bits |= known[k].bit;
    return bits;
}

uint32_t mst_nodes_intern_features(struct mst_nodes *nodes, const mst_sym_list *features)
{
    struct mst_str key = { features->n ? (const char *)features->v : "",
                           features->n * sizeof(*features->v) };
    uint64_t id;
    if (mst_map_get(&nodes->feature_set_ids, key, &id))
        return (uint32_t)id;
    id = nodes->feature_sets.n;
    mst_map_set(&nodes->feature_set_ids, key, id);
    const mst_sym *copy = keep(nodes, features->v, key.n);
    mst_vec_push(&nodes->feature_sets,
                 (struct mst_feature_set){ copy, features->n, known_features(nodes, features) });
    return (uint32_t)id;
}

static int compare_labels(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    mst_sym x = ((const struct mst_label *)a)->key, y = ((const struct mst_label *)b)->key;
    return (x > y) - (x < y);
}

static uint32_t intern_labels(struct mst_nodes *nodes, const mst_labels *labels)
{
    size_t bytes = labels->n * sizeof(struct mst_label);
    struct mst_label *sorted = mst_calloc(MST_MAX(1u, labels->n), sizeof(*sorted));
    if (bytes)
        memcpy(sorted, labels->v, bytes);
    mst_sort(sorted, labels->n, sizeof(*sorted), compare_labels, NULL);
    struct mst_str key = { (const char *)sorted, bytes };
    uint64_t id;
    if (!mst_map_get(&nodes->label_set_ids, key, &id)) {
        id = nodes->label_sets.n;
        mst_map_set(&nodes->label_set_ids, key, id);
        const struct mst_label *copy = keep(nodes, sorted, bytes);
        mst_vec_push(&nodes->label_sets, (struct mst_label_set){ copy, labels->n });
    }
    mst_free(sorted);
    return (uint32_t)id;
}

static mst_sym find_label(const struct mst_label_set *set, mst_sym key)
{
    uint32_t lo = 0, hi = set->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (set->v[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < set->n && set->v[lo].key == key ? set->v[lo].value : MST_SYM_NONE;
}

mst_sym mst_nodes_label_of(const struct mst_nodes *nodes, uint32_t row, mst_sym key)
{
    return find_label(&nodes->label_sets.v[nodes->label_set[row]], key);
}

void mst_nodes_set_labels(struct mst_nodes *nodes, uint32_t row, const mst_labels *labels)
{
    uint32_t set = intern_labels(nodes, labels);
    if (nodes->label_set[row] == set)
        return;
    nodes->label_set[row] = set;
    nodes->label_generation++;
    for (uint32_t i = 0; i < nodes->label_columns.n; i++)
        nodes->label_columns.v[i].value[row] =
            find_label(&nodes->label_sets.v[set], nodes->label_columns.v[i].key);
}

const mst_sym *mst_nodes_label(struct mst_nodes *nodes, mst_sym key)
{
    for (uint32_t i = 0; i < nodes->label_columns.n; i++)
        if (nodes->label_columns.v[i].key == key)
            return nodes->label_columns.v[i].value;
    struct mst_label_column column = { key, mst_calloc(MST_MAX(1u, nodes->cap), sizeof(mst_sym)) };
    for (uint32_t row = 0; row < nodes->count; row++)
        column.value[row] = mst_nodes_label_of(nodes, row, key);
    mst_vec_push(&nodes->label_columns, column);
    return column.value;
}

void mst_nodes_sets_done(struct mst_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->label_columns.n; i++)
        mst_free(nodes->label_columns.v[i].value);
    mst_vec_done(&nodes->label_columns);
    mst_vec_done(&nodes->taint_sets);
    mst_vec_done(&nodes->label_sets);
    mst_vec_done(&nodes->feature_sets);
    mst_map_done(&nodes->feature_set_ids);
    mst_map_done(&nodes->taint_set_ids);
    mst_map_done(&nodes->label_set_ids);
    mst_arena_done(&nodes->set_arena);
}
