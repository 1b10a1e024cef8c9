/*
 * nodes_images.c - which node has which image, and how large images are.
 *
 * Owns:       the rows' lists, the recorded sizes, the index from an image to its rows.
 * Invariants: an image is at most once on a row's list; its state counts the rows that have it, and
 *             the recorded size lives exactly as long as that count is above 0.
 * Source:     kubernetes v1.37 pkg/scheduler/backend/cache/cache.go, addNodeImageStates.
 */
#include "cluster/nodes_internal.h"

static struct mst_str key_of(const mst_sym *name)
{
    return (struct mst_str){ (const char *)name, sizeof(*name) };
}

/* Counts one more row; the first one records its size. Returns the size that counts. */
static int64_t take_state(struct mst_nodes *nodes, mst_sym name, int64_t own_bytes)
{
    uint64_t id;
    if (!mst_map_get(&nodes->image_ids, key_of(&name), &id)) {
        struct mst_image_state fresh = { .bytes = own_bytes };
        if (nodes->free_image_states.n) {
            id = nodes->free_image_states.v[--nodes->free_image_states.n];
            nodes->image_states.v[id] = fresh;
        } else {
            id = nodes->image_states.n;
            mst_vec_push(&nodes->image_states, fresh);
        }
        mst_map_set(&nodes->image_ids, key_of(&name), id);
    }
    nodes->image_states.v[id].node_count++;
    return nodes->image_states.v[id].bytes;
}

static void drop_state(struct mst_nodes *nodes, mst_sym name)
{
    uint64_t id = 0;
    bool known = mst_map_get(&nodes->image_ids, key_of(&name), &id);
    mst_assert(known);
    if (--nodes->image_states.v[id].node_count)
        return;
    mst_map_delete(&nodes->image_ids, key_of(&name));
    mst_vec_push(&nodes->free_image_states, (uint32_t)id);
}

void mst_nodes_drop_images(struct mst_nodes *nodes, uint32_t row)
{
    struct mst_image_list *list = &nodes->images[row];
    for (uint32_t i = 0; i < list->n; i++)
        drop_state(nodes, list->v[i].name);
    mst_free(list->v);
    *list = (struct mst_image_list){ 0 };
}

/* What the node says, each name once. The caller frees it. */
static struct mst_image_list said_by(const struct mst_node *node)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->images.n; i++)
        n += node->images.v[i].names.n;
    struct mst_image_list list = { 0 };
    if (!n)
        return list;
    list.v = mst_calloc(n, sizeof(*list.v));
    struct mst_map seen = { 0 };
    for (uint32_t i = 0; i < node->images.n; i++)
        for (uint32_t k = 0; k < node->images.v[i].names.n; k++) {
            mst_sym name = node->images.v[i].names.v[k];
            if (mst_map_set(&seen, key_of(&name), 0))
                list.v[list.n++] =
                    (struct mst_node_image){ .name = name, .own_bytes = node->images.v[i].bytes };
        }
    mst_map_done(&seen);
    return list;
}

static bool same_images(const struct mst_image_list *a, const struct mst_image_list *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->v[i].name != b->v[i].name || a->v[i].own_bytes != b->v[i].own_bytes)
            return false;
    return true;
}

void mst_nodes_set_images(struct mst_nodes *nodes, uint32_t row, const struct mst_node *node)
{
    struct mst_image_list list = said_by(node);
    if (same_images(&list, &nodes->images[row])) {
        mst_free(list.v);
        return;
    }
    mst_nodes_drop_images(nodes, row);
    for (uint32_t i = 0; i < list.n; i++)
        list.v[i].bytes = take_state(nodes, list.v[i].name, list.v[i].own_bytes);
    nodes->images[row] = list;
    nodes->image_generation++;
}

/* ---- the sparse index ---- */

static void drop_image_index(struct mst_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->image_index.n; i++) {
        mst_vec_done(&nodes->image_index.v[i].rows);
        mst_vec_done(&nodes->image_index.v[i].bytes);
    }
    nodes->image_index.n = 0;
    mst_map_clear(&nodes->image_index_ids);
}

static void index_row(struct mst_nodes *nodes, uint32_t row)
{
    for (uint32_t i = 0; i < nodes->images[row].n; i++) {
        const struct mst_node_image *image = &nodes->images[row].v[i];
        struct mst_str key = { (const char *)&image->name, sizeof(image->name) };
        uint64_t at = nodes->image_index.n;
        if (!mst_map_get(&nodes->image_index_ids, key, &at)) {
            mst_map_set(&nodes->image_index_ids, key, at);
            mst_vec_push(&nodes->image_index, (struct mst_image_rows){ 0 });
        }
        struct mst_image_rows *rows = &nodes->image_index.v[at];
        mst_vec_push(&rows->rows, row);
        mst_vec_push(&rows->bytes, image->bytes);
    }
}

void mst_nodes_hide_images(struct mst_nodes *nodes, bool hidden)
{
    if (nodes->images_hidden == hidden || (hidden && !mst_map_count(&nodes->image_ids)))
        return;
    nodes->images_hidden = hidden;
    nodes->image_generation++;
}

const struct mst_image_rows *mst_nodes_image(struct mst_nodes *nodes, mst_sym image)
{
    if (nodes->images_hidden)
        return NULL;
    if (nodes->image_index_generation != nodes->image_generation ||
        nodes->image_index_set_generation != nodes->set_generation) {
        drop_image_index(nodes);
        for (uint32_t row = 0; row < nodes->count; row++)
            index_row(nodes, row);
        nodes->image_index_generation = nodes->image_generation;
        nodes->image_index_set_generation = nodes->set_generation;
    }
    uint64_t at;
    struct mst_str key = { (const char *)&image, sizeof(image) };
    return mst_map_get(&nodes->image_index_ids, key, &at) ? &nodes->image_index.v[at] : NULL;
}

void mst_nodes_images_done(struct mst_nodes *nodes)
{
    drop_image_index(nodes);
    mst_vec_done(&nodes->image_index);
    mst_map_done(&nodes->image_index_ids);
    mst_map_done(&nodes->image_ids);
    mst_vec_done(&nodes->image_states);
    mst_vec_done(&nodes->free_image_states);
}
