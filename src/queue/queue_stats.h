/*
 * queue_stats.h - what the queue counts for metrics: what came into which store, and why.
 *
 * Only counting: nothing here is ever read by a decision, and without a place to count in
 * (queue_options.stats NULL) nothing is done.
 *
 * Source: kubernetes v1.37 pkg/scheduler/backend/queue (recordIncomingEntitiesMetrics);
 *         spec/scheduling.md 5.
 */
#ifndef MST_QUEUE_STATS_H
#define MST_QUEUE_STATS_H

#include "queue/queue.h"

/* Arrivals in a store because of an event. */
struct mst_queue_incoming {
    const char *event; /* "NodeAdd", "BackoffComplete", ...; static text */
    mst_store store;   /* active, backoff, unschedulable (gated or not) */
    uint64_t pods;
    uint64_t entities[2]; /* lone pods, groups */
};

/* Zero-initialised is valid and empty. */
struct mst_queue_stats {
    MST_VEC(struct mst_queue_incoming) incoming;
    uint32_t last; /* the entry counted in last: most often the next one too */
};

void mst_queue_stats_done(struct mst_queue_stats *stats);
void mst_queue_stats_reset(struct mst_queue_stats *stats);
/* `pods` of one entity came in; it counts as moved when `moved`. */
void mst_queue_stats_add(struct mst_queue_stats *stats, const char *event, mst_store store,
                         uint64_t pods, bool group, bool moved);

typedef enum {
    MST_DEPTH_ACTIVE,
    MST_DEPTH_BACKOFF,
    MST_DEPTH_UNSCHEDULABLE,
    MST_DEPTH_GATED,
    MST_DEPTH_INCOMPLETE, /* members only, as is the next */
    MST_DEPTH_PENDING,
    MST_DEPTH_COUNT,
} mst_depth;

/* How many wait where. */
struct mst_queue_depths {
    uint64_t pods[MST_DEPTH_COUNT];
    uint64_t entities[MST_DEPTH_COUNT][2]; /* lone pods, groups; none in the last two */
};
/* O(pods and groups). */
void mst_queue_depths_of(const struct mst_queue *queue, struct mst_queue_depths *out);
/*
 * Adds, for each waiting pod and each plugin that rejected or gated it, 1 to
 * counts[profile * MST_SLOTS_MAX + slot].
 */
void mst_queue_count_rejected(const struct mst_queue *queue, uint64_t *counts);

#endif
