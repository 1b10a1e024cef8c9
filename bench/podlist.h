/*
 * podlist.h - a PodList as an API server returns it, for benchmarks: fixed seed, any size.
 */
#ifndef MST_BENCH_PODLIST_H
#define MST_BENCH_PODLIST_H

#include "base/mem.h"

/* Appends one compact JSON PodList of at least `bytes` bytes; the same for the same arguments. */
void mst_podlist_make(struct mst_buf *out, size_t bytes, uint64_t seed);

#endif
