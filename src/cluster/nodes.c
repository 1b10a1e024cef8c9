/*
 * nodes.c - rows of nodes: adding, changing and removing them, and the log of changed rows.
 *
 * Owns:       the memory of all columns; growth doubles.
 * Invariants: as in nodes.h. Every function that changes a row's columns ends in mst_nodes_touch.
 * Not here:   the sets behind taint_set and label_set (nodes_sets.c), derived orders
 * (nodes_order.c).
 */
#include "cluster/nodes_internal.h"

#include "api/api.h"
#include "base/vector.h"

enum { CHANGES_MIN = 4096 };

/* Columns with one plain element per row. */
#define PLAIN_COLUMNS(X)                                                                           \
    X(name)                                                                                        \
    X(uid)                                                                                         \
    X(nonzero_cpu)                                                                                 \
    X(nonzero_memory)                                                                              \
    X(percent_unit[0])                                                                             \
    X(percent_unit[1])                                                                             \
    X(percent_free[0])                                                                             \
    X(percent_free[1])                                                                             \
    X(percent_used[0])                                                                             \
    X(percent_used[1])                                                                             \
    X(evenness)                                                                                    \
    X(pods_allowed)                                                                                \
    X(pod_count)                                                                                   \
    X(port_pod_count)                                                                              \
    X(affinity_pod_count)                                                                          \
    X(anti_pod_count)                                                                              \
    X(volume_pod_count)                                                                            \
    X(nominated_count)                                                                             \
    X(unschedulable)                                                                               \
    X(taint_set)                                                                                   \
    X(label_set)                                                                                   \
    X(feature_set)                                                                                 \
    X(first_pod)                                                                                   \
    X(first_away)                                                                                  \
    X(images)                                                                                      \
    X(arrival)                                                                                     \
    X(stamp)

static void grow_column(void **column, uint32_t old_cap, uint32_t cap, size_t size)
{
    *column = mst_realloc(*column, cap, size);
    memset((char *)*column + old_cap * size, 0, (cap - old_cap) * size);
}

static void grow(struct mst_nodes *nodes)
{
    uint32_t old = nodes->cap, cap = MST_MAX(64u, old * 2);
#define X(column) grow_column((void **)&nodes->column, old, cap, sizeof(*nodes->column));
    PLAIN_COLUMNS(X)
#undef X
    for (uint32_t r = 0; r < nodes->resource_count; r++) {
        grow_column((void **)&nodes->allocatable[r], old, cap, sizeof(int64_t));
        grow_column((void **)&nodes->requested[r], old, cap, sizeof(int64_t));
    }
    for (uint32_t i = 0; i < nodes->label_columns.n; i++)
        grow_column((void **)&nodes->label_columns.v[i].value, old, cap, sizeof(mst_sym));
    nodes->cap = cap;
}

static uint32_t add_resource(struct mst_nodes *nodes, mst_sym name, bool extended)
{
    uint32_t r = nodes->resource_count++;
    mst_assert(r < MST_RES_MAX);
    nodes->resource_name[r] = name;
    nodes->resource_extended[r] = extended;
    nodes->allocatable[r] = mst_calloc(MST_MAX(1u, nodes->cap), sizeof(int64_t));
    nodes->requested[r] = mst_calloc(MST_MAX(1u, nodes->cap), sizeof(int64_t));
    return r;
}

void mst_nodes_init(struct mst_nodes *nodes, struct mst_syms *syms)
{
    *nodes = (struct mst_nodes){ .syms = syms, .set_generation = 1, .image_generation = 1 };
    add_resource(nodes, mst_sym_of_text(syms, "cpu"), false);
    add_resource(nodes, mst_sym_of_text(syms, "memory"), false);
    add_resource(nodes, mst_sym_of_text(syms, "ephemeral-storage"), false);
}

void mst_nodes_done(struct mst_nodes *nodes)
{
    for (uint32_t row = 0; row < nodes->count; row++) {
        mst_free((void *)nodes->uid[row].p);
        mst_free(nodes->images[row].v);
    }
#define X(column) mst_free(nodes->column);
    PLAIN_COLUMNS(X)
#undef X
    for (uint32_t r = 0; r < nodes->resource_count; r++) {
        mst_free(nodes->allocatable[r]);
        mst_free(nodes->requested[r]);
    }
    mst_nodes_sets_done(nodes);
    mst_nodes_images_done(nodes);
    mst_nodes_order_done(nodes);
    mst_free(nodes->row_of_sym);
    mst_vec_done(&nodes->changes);
    *nodes = (struct mst_nodes){ 0 };
}

uint32_t mst_nodes_row(const struct mst_nodes *nodes, mst_sym name)
{
    return name < nodes->row_of_sym_cap ? nodes->row_of_sym[name] - 1 : MST_ROW_NONE;
}

static void set_row(struct mst_nodes *nodes, mst_sym name, uint32_t row)
{
    if (name >= nodes->row_of_sym_cap) {
        uint32_t cap = MST_MAX(name + 1, nodes->row_of_sym_cap * 2);
        grow_column((void **)&nodes->row_of_sym, nodes->row_of_sym_cap, cap, sizeof(uint32_t));
        nodes->row_of_sym_cap = cap;
    }
    nodes->row_of_sym[name] = row + 1;
}

uint32_t mst_nodes_resource_find(const struct mst_nodes *nodes, mst_sym name)
{
    for (uint32_t r = 0; r < nodes->resource_count; r++)
        if (nodes->resource_name[r] == name)
            return r;
    return MST_RES_NONE;
}

uint32_t mst_nodes_resource(struct mst_nodes *nodes, mst_sym name)
{
    uint32_t r = mst_nodes_resource_find(nodes, name);
    if (r != MST_RES_NONE)
        return r;
    mst_resource_class class = mst_resource_classify(mst_sym_str(nodes->syms, name));
    if (class == MST_RESOURCE_DROPPED || class == MST_RESOURCE_PODS)
        return MST_RES_NONE;
    if (nodes->resource_count == MST_RES_MAX)
        return MST_RES_MAX - 1;
    bool overflow = nodes->resource_count == MST_RES_MAX - 1;
    return add_resource(nodes, overflow ? MST_SYM_EMPTY : name, class == MST_RESOURCE_EXTENDED);
}

void mst_nodes_touch(struct mst_nodes *nodes, uint32_t row)
{
    mst_nodes_derive(nodes, row);
    mst_nodes_restamp(nodes, row);
    if (nodes->changes.n >= MST_MAX((uint32_t)CHANGES_MIN, nodes->count)) {
        /* Whoever is that far behind recomputes everything, which costs no more than catching up.
         */
        nodes->change_first += nodes->changes.n;
        nodes->changes.n = 0;
    }
    mst_vec_push(&nodes->changes, row);
}

enum { STALE_BLOCK = 64 };

MST_VECTOR
static bool stamps_differ(const uint64_t *a, const uint64_t *b)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < STALE_BLOCK; i++)
        differ |= a[i] ^ b[i];
    return differ != 0;
}

uint32_t mst_nodes_next_stale(const struct mst_nodes *nodes, const uint64_t *seen, uint32_t from)
{
    uint32_t row = from;
    while (row < nodes->count) {
        if (row % STALE_BLOCK == 0 && nodes->count - row >= STALE_BLOCK &&
            !stamps_differ(nodes->stamp + row, seen + row))
            row += STALE_BLOCK;
        else if (nodes->stamp[row] == seen[row])
            row++;
        else
            break;
    }
    return row;
}

void mst_nodes_forget_changes(struct mst_nodes *nodes, uint64_t mark)
{
    mst_assert(mark <= mst_nodes_change_end(nodes));
    if (mark >= nodes->change_first) /* else the log began anew meanwhile: all have to look */
        nodes->changes.n = (uint32_t)(mark - nodes->change_first);
}

void mst_nodes_update(struct mst_nodes *nodes, uint32_t row, const struct mst_node *node)
{
    const mst_resources *given = node->allocatable_set ? &node->allocatable : &node->capacity;
    for (uint32_t r = 0; r < nodes->resource_count; r++)
        nodes->allocatable[r][row] = 0;
    nodes->pods_allowed[row] = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        const struct mst_resource *res = &given->v[i];
        if (mst_str_is(mst_sym_str(nodes->syms, res->name), "pods"))
            nodes->pods_allowed[row] = mst_quantity_value(&res->quantity);
        uint32_t r = mst_nodes_resource(nodes, res->name);
        if (r == MST_RES_NONE || r == MST_RES_MAX - 1)
            continue;
        nodes->allocatable[r][row] = r == MST_RES_CPU ? mst_quantity_milli(&res->quantity)
                                                      : mst_quantity_value(&res->quantity);
    }
    nodes->unschedulable[row] = node->unschedulable;
    nodes->taint_set[row] = mst_nodes_intern_taints(nodes, node->taints.v, node->taints.n);
    nodes->feature_set[row] = mst_nodes_intern_features(nodes, &node->declared_features);
    mst_nodes_set_labels(nodes, row, &node->meta.labels);
    mst_nodes_set_images(nodes, row, node);
    mst_free((void *)nodes->uid[row].p);
    char *uid = mst_calloc(node->meta.uid.n + 1, 1);
    if (node->meta.uid.n)
        memcpy(uid, node->meta.uid.p, node->meta.uid.n);
    nodes->uid[row] = (struct mst_str){ uid, node->meta.uid.n };
    mst_nodes_touch(nodes, row);
}

uint32_t mst_nodes_add(struct mst_nodes *nodes, const struct mst_node *node)
{
    mst_sym name = mst_sym_of(nodes->syms, node->meta.name);
    mst_assert(mst_nodes_row(nodes, name) == MST_ROW_NONE);
    if (nodes->count == nodes->cap)
        grow(nodes);
    uint32_t row = nodes->count++;
    nodes->name[row] = name;
    nodes->first_pod[row] = nodes->first_away[row] = MST_ROW_NONE;
    nodes->arrival[row] = nodes->arrivals++;
    nodes->label_set[row] = UINT32_MAX;
    set_row(nodes, name, row);
    nodes->set_generation++;
    mst_nodes_update(nodes, row, node);
    return row;
}

uint32_t mst_nodes_remove(struct mst_nodes *nodes, uint32_t row)
{
    mst_assert(row < nodes->count);
    mst_assert(nodes->first_pod[row] == MST_ROW_NONE && nodes->pod_count[row] == 0);
    uint32_t last = nodes->count - 1;
    nodes->row_of_sym[nodes->name[row]] = 0;
    mst_free((void *)nodes->uid[row].p);
    mst_nodes_drop_images(nodes, row);
#define X(column)                                                                                  \
    nodes->column[row] = nodes->column[last];                                                      \
    memset(&nodes->column[last], 0, sizeof(*nodes->column));
    PLAIN_COLUMNS(X)
#undef X
    for (uint32_t r = 0; r < nodes->resource_count; r++) {
        nodes->allocatable[r][row] = nodes->allocatable[r][last];
        nodes->requested[r][row] = nodes->requested[r][last];
        nodes->allocatable[r][last] = nodes->requested[r][last] = 0;
    }
    for (uint32_t i = 0; i < nodes->label_columns.n; i++) {
        mst_sym *value = nodes->label_columns.v[i].value;
        value[row] = value[last];
        value[last] = MST_SYM_NONE;
    }
    nodes->count--;
    nodes->set_generation++;
    nodes->image_generation++;
    if (row == last)
        return MST_ROW_NONE;
    set_row(nodes, nodes->name[row], row);
    return last;
}

void mst_nodes_facts(const struct mst_nodes *nodes, uint32_t row, int64_t *allocatable,
                     struct mst_node_facts *out)
{
    for (uint32_t r = 0; r < nodes->resource_count; r++)
        allocatable[r] = nodes->allocatable[r][row];
    *out = (struct mst_node_facts){
        .name = nodes->name[row],
        .labels = nodes->label_sets.v[nodes->label_set[row]],
        .taints = nodes->taint_sets.v[nodes->taint_set[row]],
        .features = nodes->feature_sets.v[nodes->feature_set[row]],
        .unschedulable = nodes->unschedulable[row],
        .pods_allowed = nodes->pods_allowed[row],
        .allocatable = allocatable,
        .resource_count = nodes->resource_count,
    };
}
