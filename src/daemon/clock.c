/*
 * clock.c - the time that the engine is told, and the wall's.
 */
#include "daemon/clock.h"

#include <time.h>

#include "base/base.h"

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    const int rc = clock_gettime(id, &t);
    mst_assert(rc == 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t mst_wall_now(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t mst_mono_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void mst_daemon_clock_init(struct mst_daemon_clock *clock)
{
    clock->start_unix_ns = mst_wall_now();
    clock->start_mono_ns = mst_mono_now();
}

int64_t mst_daemon_now(const struct mst_daemon_clock *clock)
{
    return clock->start_unix_ns + (mst_mono_now() - clock->start_mono_ns);
}
