/*
 * stats.h - what the engine counts for metrics, to be read and reset by its host after each call.
 *
 * The engine knows no clock: durations here are differences of the times it was given. What a step
 * took is for the host to measure. Nothing here is ever read by a decision, and with
 * mst_engine_options.stats NULL nothing is counted.
 *
 * Owns:   its lists. Zero-initialised is valid and empty.
 * Source: spec/scheduling.md 5.
 */
#ifndef MST_STATS_H
#define MST_STATS_H

#include "cycle/engine.h"
#include "framework/batch.h"
#include "framework/marks.h"
#include "queue/queue_stats.h"

typedef enum {
    MST_RESULT_SCHEDULED, /* of a pod: bound */
    MST_RESULT_UNSCHEDULABLE,
    MST_RESULT_WAITING, /* of a group: on victims */
    MST_RESULT_ERROR,
    MST_RESULT_COUNT,
} mst_result;

/* The end of an attempt for one pod, or for one group. */
struct mst_stat_attempt {
    uint32_t profile;
    mst_result result;
    int64_t ns; /* from the attempt's step to the answer of the bind; 0: ended within its step */
};

/* A pod that was bound. */
struct mst_stat_bound {
    uint32_t attempts;
    int64_t sli_ns;   /* since it could first be tried; -1: not known */
    bool after_flush; /* nothing but the unschedulable timeout had woken it */
};

/* Victims chosen for somebody. */
struct mst_stat_victims {
    bool group;
    uint32_t victims, violations, group_disruptions;
};

/* Evictions for somebody, from the first to the last answer. */
struct mst_stat_eviction {
    bool group, failed;
    int64_t ns;
};

/* An extension point that ended with the answer of the API server: PreBind, Bind. */
struct mst_stat_point {
    uint32_t profile;
    mst_part point;
    mst_code code;
    const char *plugin; /* as mst_sample.plugin */
    int64_t ns;
};

/* A pod between its placing and the answer of its bind; by row, not reset. */
struct mst_stat_begun {
    int64_t start_ns, initial_ns;
    int64_t sent_ns; /* of the bind */
    uint32_t attempts;
    bool after_flush;
    bool plugins; /* single plugins are measured in its attempt */
};

struct mst_stats {
    struct mst_queue_stats queue;
    uint32_t pod_cycles, group_cycles; /* attempts that ended in this step */
    MST_VEC(struct mst_stat_attempt) pods;
    MST_VEC(struct mst_stat_attempt) groups;
    MST_VEC(struct mst_stat_bound) bound;
    MST_VEC(struct mst_stat_point) points;
    uint32_t preemption_attempts;
    MST_VEC(mst_code) group_preemptions; /* how each search for a group ended */
    MST_VEC(struct mst_stat_victims) victims;
    MST_VEC(struct mst_stat_eviction) evictions;
    MST_VEC(struct mst_stat_begun) begun;
};

void mst_stats_done(struct mst_stats *stats);
/* Forgets what was counted; pods that are being bound stay known. */
void mst_stats_reset(struct mst_stats *stats);

/* What is, for gauges. O(pods and groups). */
struct mst_census {
    struct mst_queue_depths queue;
    uint64_t nodes, pods, assumed_pods; /* of the cache: pods with a node */
    uint64_t binding;                   /* pods that wait for a write or for the answer of a bind */
};
void mst_census_of(struct mst_engine *engine, struct mst_census *out);

/* What the profile's batching has counted since the engine began; zero without batching. */
struct mst_batch_counts mst_engine_batch_counts(const struct mst_engine *engine, uint32_t profile);

#endif
