/*
 * shape.h - the broken line that a shape of the configuration draws: NodeResourcesFit scores
 * nodes by it under RequestedToCapacityRatio, VolumeBinding storage capacities.
 */
#ifndef MST_PLUGINS_SHAPE_H
#define MST_PLUGINS_SHAPE_H

#include "framework/plugin_args.h"

/*
 * The line's height at a utilization in percent, times 10: 0..100 for a checked shape, which has a
 * point and ascending utilizations. Level outside of the first and last point; the division goes
 * towards 0. O(points).
 */
static inline int64_t mst_shape_at(const mst_shape *shape, int64_t utilization)
{
    for (uint32_t i = 0; i < shape->n; i++) {
        const struct mst_shape_point *p = &shape->v[i];
        if (utilization > p->utilization)
            continue;
        if (i == 0)
            return p->score * 10;
        const struct mst_shape_point *q = &shape->v[i - 1];
        return q->score * 10 + (p->score - q->score) * 10 * (utilization - q->utilization) /
                                   (p->utilization - q->utilization);
    }
    return shape->v[shape->n - 1].score * 10;
}

#endif
