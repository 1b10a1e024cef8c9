/*
 * scheduler_flags.h - the flags of `muster scheduler`: kube-scheduler's, and a few of muster's own.
 */
#ifndef MST_SCHEDULER_FLAGS_H
#define MST_SCHEDULER_FLAGS_H

#include "cli/command.h"

extern const struct mst_flag mst_scheduler_flags[];
enum { MST_SCHEDULER_FLAG_COUNT = 59 };

/* Says on standard error which of the given flags have no effect here, and why. */
void mst_scheduler_flags_warn(const struct mst_args *args);

#endif
