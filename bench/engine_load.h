/*
 * engine_load.h - clusters and workloads for the engine's benchmarks: nodes, pods and groups as a
 * real cluster has them, made one at a time.
 *
 * Owns:       the texts and lists of the object made last.
 * Borrows:    the symbols.
 * Invariants: the object number i of a kind is the same on every run and machine.
 */
#ifndef MST_BENCH_ENGINE_LOAD_H
#define MST_BENCH_ENGINE_LOAD_H

#include "api/types.h"

/* How much of what. Pods are numbered through: first those of group 0, then of group 1, ... */
struct mst_load_shape {
    uint32_t node_count;
    uint32_t pod_count;
    uint32_t gang_size;   /* 0: no groups; else divides pod_count */
    uint32_t class_count; /* kinds of pods; members of a gang are of one kind */
    bool distinct;        /* no two pods are alike; class_count does not count */
    bool gpu;             /* every pod asks for one GPU */
};

enum { MST_LOAD_TEXT = 64, MST_LOAD_LISTS = 8 };

struct mst_load {
    struct mst_load_shape shape;
    struct mst_syms *syms;
    mst_sym scheduler_name; /* set by the user before the first pod */
    struct mst_object object;
    char name[MST_LOAD_TEXT], uid[MST_LOAD_TEXT], group[MST_LOAD_TEXT];
    struct mst_label labels[MST_LOAD_LISTS], selector[1];
    struct mst_taint taints[1];
    struct mst_toleration tolerations[1];
    struct mst_resource resources[MST_LOAD_LISTS];
    struct mst_image images[3];
    mst_sym image_names[6];
    struct mst_container containers[1];
};

void mst_load_init(struct mst_load *load, struct mst_syms *syms,
                   const struct mst_load_shape *shape);

/* Each object is good until the next call. */
const struct mst_object *mst_load_node(struct mst_load *load, uint32_t i);
const struct mst_object *mst_load_group(struct mst_load *load, uint32_t i);
const struct mst_object *mst_load_pod(struct mst_load *load, uint32_t i);
static inline uint32_t mst_load_group_count(const struct mst_load *load)
{
    return load->shape.gang_size ? load->shape.pod_count / load->shape.gang_size : 0;
}

#endif
