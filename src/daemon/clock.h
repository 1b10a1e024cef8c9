/*
 * clock.h - the time that the engine is told, and the wall's.
 *
 * The engine's time never goes back and does not jump when the wall clock is set: it is the wall
 * clock as it was at the start, moved on by the monotonic clock.
 */
#ifndef MST_DAEMON_CLOCK_H
#define MST_DAEMON_CLOCK_H

#include <stdint.h>

struct mst_daemon_clock {
    int64_t start_unix_ns, start_mono_ns;
};

void mst_daemon_clock_init(struct mst_daemon_clock *clock);
/* Unix time in ns; never less than before. */
int64_t mst_daemon_now(const struct mst_daemon_clock *clock);
/* What the wall clock says now, in Unix ns: for texts that others compare with their own. */
int64_t mst_wall_now(void);
/* Nanoseconds of the monotonic clock, for durations. */
int64_t mst_mono_now(void);

#endif
