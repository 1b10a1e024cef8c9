/*
 * volume_binding_score.c - how well a pod's volumes would fill what a node has for them.
 *
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding/scorer.go,
 *         volume_binding.go
 */
#include <math.h>

#include "plugins/shape.h"
#include "plugins/volume_binding_internal.h"

/* Amounts of one storage class. */
struct class_sum {
    mst_sym class;
    int64_t requested, capacity;
};

enum { CLASSES_MAX = 64 };
struct class_sums {
    struct class_sum v[CLASSES_MAX];
    uint32_t n;
};

static struct class_sum *sum_of(struct class_sums *sums, mst_sym class)
{
    for (uint32_t i = 0; i < sums->n; i++)
        if (sums->v[i].class == class)
            return &sums->v[i];
    if (sums->n == CLASSES_MAX)
        return NULL; /* more classes in one pod than anybody has */
    sums->v[sums->n] = (struct class_sum){ .class = class };
    return &sums->v[sums->n++];
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t storage_of(const struct mst_view *view, const mst_resources *list)
{
    const struct mst_quantity q = mst_storage_amount(view->cluster, list, NULL);
    return mst_quantity_value(&q);
}

static void sum_bindings(const struct mst_view *view, const struct mst_node_volumes *found,
                         struct class_sums *sums)
{
    for (uint32_t i = 0; i < found->bindings.n; i++) {
        const struct mst_pv *pv = &found->bindings.v[i].pv->object.u.pv;
        struct class_sum *sum = sum_of(sums, pv->class_name);
        if (!sum)
            continue;
        sum->requested =
            add(sum->requested, storage_of(view, &found->bindings.v[i].pvc->object.u.pvc.requests));
        sum->capacity = add(sum->capacity, storage_of(view, &pv->capacity));
    }
}

static void sum_provisions(const struct mst_view *view, const struct mst_node_volumes *found,
                           struct class_sums *sums)
{
    for (uint32_t i = 0; i < found->provisions.n; i++) {
        const struct mst_csi_storage_capacity *c = found->provisions.v[i].capacity;
        const struct mst_pvc *pvc = &found->provisions.v[i].pvc->object.u.pvc;
        struct class_sum *sum = c ? sum_of(sums, mst_pvc_class(view->cluster, pvc)) : NULL;
        if (!sum)
            continue;
        /* Not added up: two claims of one class share the pool. */
        sum->capacity =
            mst_quantity_value(c->capacity.set ? &c->capacity.value : &c->maximum.value);
        sum->requested = add(sum->requested, storage_of(view, &pvc->requests));
    }
}

static int64_t class_score(const mst_shape *shape, const struct class_sum *sum)
{
    if (sum->capacity == 0 || sum->requested > sum->capacity)
        return mst_shape_at(shape, 100);
    return mst_shape_at(shape, (int64_t)((uint64_t)sum->requested * 100) / sum->capacity);
}

int64_t mst_binding_score(const struct mst_view *view, const struct mst_binding_instance *instance,
                          const struct mst_node_volumes *found)
{
    struct class_sums sums;
    sums.n = 0;
    if (found->bindings.n)
        sum_bindings(view, found, &sums);
    else
        sum_provisions(view, found, &sums);
    int64_t total = 0;
    for (uint32_t i = 0; i < sums.n; i++)
        total += class_score(&instance->args.shape, &sums.v[i]);
    return sums.n ? (int64_t)round((double)total / (double)sums.n) : 0;
}
