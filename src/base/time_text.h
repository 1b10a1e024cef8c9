/*
 * time_text.h - points in time as Kubernetes writes them.
 */
#ifndef MST_TIME_TEXT_H
#define MST_TIME_TEXT_H

#include "base/mem.h"

/* Appends RFC 3339 in UTC, with as many digits of the second as needed: "2026-11-30T12:00:00Z". */
void mst_time_print(int64_t unix_s, int32_t nanos, struct mst_buf *out);

#endif
