/*
 * clock.h - virtual time: where it starts, how it moves, how durations are read and shown.
 */
#ifndef MST_CLOCK_H
#define MST_CLOCK_H

#include "base/err.h"
#include "base/mem.h"

/* Every run begins on 2026-06-01T00:00:00Z, so that two runs of one scenario are the same bytes. */
#define MST_SIM_START_S 1780272000LL
#define MST_SIM_START_NS (MST_SIM_START_S * MST_NS_PER_S)
/* Every event and every attempt takes this long: no two things happen at the same time. */
#define MST_SIM_TICK_NS 1000LL
/* Longer durations are refused: a hundred years, far from the end of int64. */
#define MST_DURATION_MAX_NS (100LL * 366 * 86400 * MST_NS_PER_S)

struct mst_clock {
    int64_t now_ns; /* Unix time; never goes back */
};

void mst_clock_init(struct mst_clock *clock);
/* To `at_ns`, or not at all when that is in the past. */
void mst_clock_advance(struct mst_clock *clock, int64_t at_ns);
/* One tick on. */
void mst_clock_tick(struct mst_clock *clock);

/*
 * A duration as Go writes it: "1h30m", "1.5s", "250ms", "0".
 *
 * Errors   MST_EINVAL: not a duration, negative, or longer than MST_DURATION_MAX_NS.
 */
mst_rc mst_duration_parse(struct mst_str text, int64_t *ret_ns, struct mst_err *err)
    MST_WARN_UNUSED;
/* As Go prints it: "1h30m0s", "1.5s", "250ms", "0s". */
void mst_duration_print(int64_t ns, struct mst_buf *out);
/* For people: two units at most, nothing below a millisecond: "1h30m", "36s", "1.5s", "0s". */
void mst_duration_print_short(int64_t ns, struct mst_buf *out);

#endif
