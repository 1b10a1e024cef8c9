/*
 * metrics_marks.h - the clock behind the engine's marks (framework/marks.h): from where the work is
 * to histograms of what it took.
 *
 * Owns:    stopwatches. Borrows: the registry, its index of families and the configuration.
 * Source:  kubernetes v1.37 pkg/scheduler/metrics.
 */
#ifndef MST_METRICS_MARKS_H
#define MST_METRICS_MARKS_H

#include "daemon/metrics_families.h"
#include "framework/config.h"
#include "framework/marks.h"

struct mst_mark_metrics;

/* `index`: of each family in the registry, UINT32_MAX: it is not there. */
struct mst_mark_metrics *mst_mark_metrics_new(struct mst_metrics *registry, const uint32_t *index,
                                              const struct mst_config *config);
void mst_mark_metrics_free(struct mst_mark_metrics *m);

/* For mst_engine_options; lives as long as `m`. */
const struct mst_marks *mst_mark_metrics_marks(const struct mst_mark_metrics *m);
/* Another clock than the monotonic one. */
void mst_mark_metrics_set_clock(struct mst_mark_metrics *m, int64_t (*now_ns)(void *ctx),
                                void *ctx);
/* A sample that was measured elsewhere. */
void mst_mark_metrics_observe(struct mst_mark_metrics *m, mst_part part,
                              const struct mst_sample *labels, double seconds);
/* The registry was reset. */
void mst_mark_metrics_forget(struct mst_mark_metrics *m);

#endif
