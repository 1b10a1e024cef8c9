/*
 * copy.h - deep copies of what pods say about nodes and pods, and the bytes that tell two apart.
 *
 * Owns:       nothing: copies live in the arena that they are given.
 * Invariants: two values put the same bytes exactly if every field that decides is equal; whatever
 *             is put begins with its length, so values in a row cannot run into each other.
 */
#ifndef MST_COPY_H
#define MST_COPY_H

#include "api/types.h"
#include "base/mem.h"

/* ---- copies ---- */

void *mst_copy_bytes(struct mst_arena *arena, const void *from, size_t bytes);
mst_sym_list mst_copy_syms(struct mst_arena *arena, mst_sym_list from);
mst_labels mst_copy_labels(struct mst_arena *arena, mst_labels from);
mst_requirements mst_copy_requirements(struct mst_arena *arena, mst_requirements from);
struct mst_label_selector mst_copy_selector(struct mst_arena *arena,
                                            const struct mst_label_selector *from);
struct mst_node_affinity mst_copy_node_affinity(struct mst_arena *arena,
                                                const struct mst_node_affinity *from);
struct mst_pod_affinity mst_copy_pod_affinity(struct mst_arena *arena,
                                              const struct mst_pod_affinity *from);
struct mst_spread_constraint *mst_copy_spread(struct mst_arena *arena,
                                              const struct mst_spread_constraint *from, uint32_t n);

/* ---- keys ---- */

void mst_put_u32(struct mst_buf *key, uint32_t v);
void mst_put_i64(struct mst_buf *key, int64_t v);
void mst_put_syms(struct mst_buf *key, mst_sym_list list);
void mst_put_labels(struct mst_buf *key, mst_labels labels);
void mst_put_selector(struct mst_buf *key, const struct mst_label_selector *selector);
void mst_put_node_affinity(struct mst_buf *key, const struct mst_node_affinity *affinity);
void mst_put_pod_affinity(struct mst_buf *key, const struct mst_pod_affinity *affinity);
void mst_put_spread(struct mst_buf *key, const struct mst_spread_constraint *v, uint32_t n);

#endif
