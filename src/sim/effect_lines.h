/*
 * effect_lines.h - effects as JSON lines, in the format of the reference program's mode `cycle`.
 *
 * Within a cycle, writes are sorted by object and events after them; per object the order is as it
 * happened. So two schedulers that do the same in another order of goroutines print the same.
 */
#ifndef MST_EFFECT_LINES_H
#define MST_EFFECT_LINES_H

#include "cycle/engine.h"

/* Lines of the cycles that are not complete yet. Zero-initialised is valid and empty. */
struct mst_effect_line {
    uint32_t cycle;
    struct mst_str rank, line;
};
struct mst_effect_lines {
    struct mst_arena arena;
    MST_VEC(struct mst_effect_line) list;
};

/* `at_ns`: since the start. `error`: why the API server refused it, or absent. */
void mst_effect_lines_add(struct mst_effect_lines *lines, const struct mst_effect *effect,
                          int64_t at_ns, struct mst_str error);
/* Appends what was added, in order, to `out` and forgets it. */
void mst_effect_lines_flush(struct mst_effect_lines *lines, struct mst_buf *out);
void mst_effect_lines_done(struct mst_effect_lines *lines);

/* One effect as one JSON object without a line end. `with_id` adds what only recordings need. */
void mst_effect_print(const struct mst_effect *effect, int64_t at_ns, struct mst_str error,
                      bool with_id, struct mst_buf *out);

/* The pods that remain in the queue, and where; names "ns/name", ascending. */
struct mst_leftovers {
    MST_VEC(struct mst_str) gated, unschedulable, backoff, incomplete;
    struct mst_arena arena;
};
void mst_leftovers_collect(struct mst_engine *engine, struct mst_leftovers *out);
void mst_leftovers_done(struct mst_leftovers *leftovers);
/* The last line of a run. */
void mst_effects_end_print(uint32_t cycle, int64_t at_ns, const struct mst_leftovers *leftovers,
                           struct mst_buf *out);

#endif
