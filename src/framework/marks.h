/*
 * marks.h - where the work is, told to a host that has a clock.
 *
 * The core reads no clock. It says which part of the work goes on, stands still and is over; what
 * that took is for the host to measure. Nothing comes back, so marks change no decision, and
 * without them (NULL) a mark is a branch.
 *
 * Every part has a stopwatch of its own at the host. They may run at the same time: a search for
 * victims of a group contains whole picks.
 *
 * Source: spec/scheduling.md 5.
 */
#ifndef MST_MARKS_H
#define MST_MARKS_H

#include "framework/plugin.h"

typedef enum {
    /* extension points */
    MST_PART_PRE_ENQUEUE,
    MST_PART_PRE_FILTER,
    MST_PART_FILTER,
    MST_PART_POST_FILTER,
    MST_PART_PRE_SCORE,
    MST_PART_SCORE,
    MST_PART_NORMALIZE, /* of plugins only */
    MST_PART_RESERVE,
    MST_PART_UNRESERVE,
    MST_PART_PERMIT,
    MST_PART_PRE_FLIGHT,
    MST_PART_PRE_BIND,
    MST_PART_BIND,
    MST_PART_POST_BIND,
    MST_PART_SIGN,
    MST_PART_PLACEMENT_FEASIBLE,
    MST_PART_GROUP_POST_FILTER,
    MST_PART_POINTS, /* how many these are */
    /* others */
    MST_PART_PLUGIN = MST_PART_POINTS, /* one plugin at one point */
    MST_PART_QUEUE_HINT,
    MST_PART_EVENT,
    MST_PART_PREEMPTION, /* who would have to go, without the evictions */
    MST_PART_NODE_HINT,  /* batching (batch.h): asking for a hint, its rescoring, storing */
    MST_PART_RESCORE,
    MST_PART_STORE,
    MST_PART_COUNT,
} mst_part;

/* What a sample is labelled with: of these what its part has. */
struct mst_sample {
    uint32_t profile;   /* points, batching */
    mst_code code;      /* points, plugins, preemption */
    mst_part point;     /* plugins: where */
    const char *plugin; /* plugins, queueing hints; a point: one plugin did all of it */
    const char *event;  /* queueing hints, events: the label */
    bool group;         /* preemption: for a group */
    bool yes;           /* a queueing hint says Queue; there is a node hint */
};

struct mst_marks {
    void *ctx;
    void (*zero)(void *ctx, uint32_t parts); /* a set of bits: their stopwatches say 0 */
    void (*go)(void *ctx, mst_part part);
    void (*halt)(void *ctx, mst_part part); /* nothing if it does not run */
    /* It stands still, and what it shows is a sample. It goes on showing that. */
    void (*sample)(void *ctx, mst_part part, const struct mst_sample *labels);
};

/* One attempt in so many has samples of single plugins. */
enum { MST_MARK_PLUGINS_EVERY = 10 };

static inline void mst_mark_zero(const struct mst_marks *marks, uint32_t parts)
{
    if (marks)
        marks->zero(marks->ctx, parts);
}

static inline void mst_mark_go(const struct mst_marks *marks, mst_part part)
{
    if (marks)
        marks->go(marks->ctx, part);
}

/* From zero. */
static inline void mst_mark_begin(const struct mst_marks *marks, mst_part part)
{
    if (!marks)
        return;
    marks->zero(marks->ctx, UINT32_C(1) << part);
    marks->go(marks->ctx, part);
}

static inline void mst_mark_halt(const struct mst_marks *marks, mst_part part)
{
    if (marks)
        marks->halt(marks->ctx, part);
}

static inline void mst_mark_sample(const struct mst_marks *marks, mst_part part,
                                   const struct mst_sample *labels)
{
    if (marks)
        marks->sample(marks->ctx, part, labels);
}

/* The end of one plugin's work at a point. */
static inline void mst_mark_plugin(const struct mst_marks *marks, mst_part point,
                                   const char *plugin, mst_code code)
{
    if (marks)
        marks->sample(marks->ctx, MST_PART_PLUGIN,
                      &(struct mst_sample){ .point = point, .plugin = plugin, .code = code });
}

#endif
