/*
 * metrics_scheduler.h - kube-scheduler's own metrics, made of what the engine counted and what its
 * host measured.
 *
 * Families whose feature gate is off are not there, as upstream.
 *
 * Owns:    the registry. Borrows: the configuration.
 * Source:  spec/scheduling.md 5; kubernetes v1.37 pkg/scheduler/metrics.
 */
#ifndef MST_METRICS_SCHEDULER_H
#define MST_METRICS_SCHEDULER_H

#include "cycle/stats.h"
#include "server/metrics.h"

struct mst_sched_metrics;

/* The gates of the configuration, which is borrowed, say which families there are. */
struct mst_sched_metrics *mst_sched_metrics_new(const struct mst_config *config);
void mst_sched_metrics_free(struct mst_sched_metrics *m);

/*
 * Takes over and resets what the engine counted in a call: a step, a flush, an event.
 *
 * step_s   what the call took, in seconds: the duration of attempts that ended within it.
 */
void mst_sched_metrics_take(struct mst_sched_metrics *m, const struct mst_engine *engine,
                            struct mst_stats *stats, double step_s);
/* The clock of what the engine marks, for mst_engine_options; lives as long as `m`. */
const struct mst_marks *mst_sched_metrics_marks(const struct mst_sched_metrics *m);
/* Another clock than the monotonic one, for tests. */
void mst_sched_metrics_set_clock(struct mst_sched_metrics *m, int64_t (*now_ns)(void *ctx),
                                 void *ctx);
/* Looks at the engine for the gauges and prints all. O(pods and groups). */
void mst_sched_metrics_print(struct mst_sched_metrics *m, struct mst_engine *engine,
                             struct mst_buf *out);
/* DELETE /metrics. */
void mst_sched_metrics_reset(struct mst_sched_metrics *m);

#endif
