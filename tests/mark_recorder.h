/*
 * mark_recorder.h - marks (framework/marks.h) written down: one line for each sample, and whether
 * its stopwatch ran since it was set to zero. Asserts what every host may rely on: no stopwatch is
 * started twice.
 *
 *     filter Success ran            plugin filter NodeName Success ran
 *     hint NodeResourcesFit NodeAdd yes ran         event NodeAdd ran
 *     preemption pod Success ran    node-hint no ran
 */
#ifndef MST_MARK_RECORDER_H
#define MST_MARK_RECORDER_H

#include "framework/marks.h"

struct mark_recorder {
    struct mst_marks marks;
    bool goes[MST_PART_COUNT], ran[MST_PART_COUNT];
    struct mst_buf log;
};

static const char *const mark_names[MST_PART_COUNT] = {
    [MST_PART_PRE_ENQUEUE] = "pre-enqueue",
    [MST_PART_PRE_FILTER] = "pre-filter",
    [MST_PART_FILTER] = "filter",
    [MST_PART_POST_FILTER] = "post-filter",
    [MST_PART_PRE_SCORE] = "pre-score",
    [MST_PART_SCORE] = "score",
    [MST_PART_NORMALIZE] = "normalize",
    [MST_PART_RESERVE] = "reserve",
    [MST_PART_UNRESERVE] = "unreserve",
    [MST_PART_PERMIT] = "permit",
    [MST_PART_PRE_FLIGHT] = "pre-flight",
    [MST_PART_PRE_BIND] = "pre-bind",
    [MST_PART_BIND] = "bind",
    [MST_PART_POST_BIND] = "post-bind",
    [MST_PART_SIGN] = "sign",
    [MST_PART_PLACEMENT_FEASIBLE] = "feasible",
    [MST_PART_GROUP_POST_FILTER] = "group-post-filter",
    [MST_PART_PLUGIN] = "plugin",
    [MST_PART_QUEUE_HINT] = "hint",
    [MST_PART_EVENT] = "event",
    [MST_PART_PREEMPTION] = "preemption",
    [MST_PART_NODE_HINT] = "node-hint",
    [MST_PART_RESCORE] = "rescore",
    [MST_PART_STORE] = "store",
};

static inline void mark_zero(void *ctx, uint32_t parts)
{
    struct mark_recorder *r = ctx;
    for (uint32_t i = 0; i < MST_PART_COUNT; i++)
        if (parts >> i & 1)
            r->goes[i] = r->ran[i] = false;
}

static inline void mark_go(void *ctx, mst_part part)
{
    struct mark_recorder *r = ctx;
    mst_assert(!r->goes[part]);
    r->goes[part] = r->ran[part] = true;
}

static inline void mark_halt(void *ctx, mst_part part)
{
    struct mark_recorder *r = ctx;
    r->goes[part] = false;
}

static inline void mark_sample(void *ctx, mst_part part, const struct mst_sample *s)
{
    struct mark_recorder *r = ctx;
    struct mst_buf *b = &r->log;
    mark_halt(ctx, part);
    mst_buf_text(b, mark_names[part]);
    if (part == MST_PART_PLUGIN)
        mst_buf_printf(b, " %s", mark_names[s->point]);
    if (part == MST_PART_PREEMPTION)
        mst_buf_text(b, s->group ? " group" : " pod");
    if (s->plugin)
        mst_buf_printf(b, " %s", s->plugin);
    if (s->event)
        mst_buf_printf(b, " %s", s->event);
    if (part <= MST_PART_PLUGIN || part == MST_PART_PREEMPTION)
        mst_buf_printf(b, " %s", mst_code_name(s->code));
    if (part == MST_PART_QUEUE_HINT || part == MST_PART_NODE_HINT)
        mst_buf_text(b, s->yes ? " yes" : " no");
    mst_buf_text(b, r->ran[part] ? " ran\n" : "\n");
}

static inline void mark_recorder_init(struct mark_recorder *r)
{
    *r = (struct mark_recorder){ .marks = { .ctx = r,
                                            .zero = mark_zero,
                                            .go = mark_go,
                                            .halt = mark_halt,
                                            .sample = mark_sample } };
}

static inline void mark_recorder_done(struct mark_recorder *r)
{
    mst_buf_done(&r->log);
}

/* How many lines begin with these words. */
static inline uint32_t mark_count(const struct mark_recorder *r, const char *words)
{
    const size_t n = strlen(words);
    uint32_t count = 0;
    for (size_t at = 0; at < r->log.n;) {
        const char *line = r->log.p + at;
        const size_t length = (size_t)((const char *)memchr(line, '\n', r->log.n - at) - line);
        count += length >= n && memcmp(line, words, n) == 0 && (length == n || line[n] == ' ');
        at += length + 1;
    }
    return count;
}

#endif
