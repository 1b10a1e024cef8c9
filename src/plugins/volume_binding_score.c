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
    int64_t requested, capacity;
};

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t storage_of(const struct mst_view *view, const mst_resources *list)
{
    const struct mst_quantity q = mst_storage_amount(view->cluster, list, NULL);
    return mst_quantity_value(&q);
}

static mst_sym class_of_binding(const struct mst_node_volumes *found, uint32_t i)
{
    return found->bindings.v[i].pv->object.u.pv.class_name;
}

/* Of the class of binding `i`; false when an earlier binding is of that class. */
static bool sum_bindings(const struct mst_view *view, const struct mst_node_volumes *found,
                         uint32_t i, struct class_sum *out)
{
    const mst_sym class = class_of_binding(found, i);
    *out = (struct class_sum){ 0 };
    for (uint32_t k = 0; k < found->bindings.n; k++) {
        if (class_of_binding(found, k) != class)
            continue;
        if (k < i)
            return false;
        const struct mst_static_binding *b = &found->bindings.v[k];
        out->requested = add(out->requested, storage_of(view, &b->pvc->object.u.pvc.requests));
        out->capacity = add(out->capacity, storage_of(view, &b->pv->object.u.pv.capacity));
    }
    return true;
}

/* Of the class of provision `i`; false when it is not checked or an earlier one has that class. */
static bool sum_provisions(const struct mst_view *view, const struct mst_node_volumes *found,
                           uint32_t i, struct class_sum *out)
{
    if (!found->provisions.v[i].capacity)
        return false;
    const mst_sym class = mst_pvc_class(view->cluster, &found->provisions.v[i].pvc->object.u.pvc);
    *out = (struct class_sum){ 0 };
    for (uint32_t k = 0; k < found->provisions.n; k++) {
        const struct mst_csi_storage_capacity *c = found->provisions.v[k].capacity;
        const struct mst_pvc *pvc = &found->provisions.v[k].pvc->object.u.pvc;
        if (!c || mst_pvc_class(view->cluster, pvc) != class)
            continue;
        if (k < i)
            return false;
        /* Not added up: two claims of one class share the pool. */
        out->capacity =
            mst_quantity_value(c->capacity.set ? &c->capacity.value : &c->maximum.value);
        out->requested = add(out->requested, storage_of(view, &pvc->requests));
    }
    return true;
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
    const bool bound = found->bindings.n > 0;
    int64_t total = 0;
    uint32_t classes = 0;
    for (uint32_t i = 0; i < (bound ? found->bindings.n : found->provisions.n); i++) {
        struct class_sum sum;
        if (!(bound ? sum_bindings(view, found, i, &sum) : sum_provisions(view, found, i, &sum)))
            continue;
        total += class_score(&instance->args.shape, &sum);
        classes++;
    }
    return classes ? (int64_t)round((double)total / (double)classes) : 0;
}
