/*
 * engine_naive.h - the obvious scheduler: every pod asks every plugin about every node.
 *
 * The same plugin functions as the engine's, without classes, cache, ranges or heap. It stands for
 * how schedulers are usually written, and it checks the engine: both must choose the same nodes.
 */
#ifndef MST_BENCH_ENGINE_NAIVE_H
#define MST_BENCH_ENGINE_NAIVE_H

#include "framework/framework.h"

/*
 * Picks a node for each of the pods in order, placing each before the next one, and takes all of
 * them off again. out[i] is the name of the node of pods[i], MST_SYM_NONE: it fits nowhere.
 */
void mst_naive_schedule(const struct mst_framework *fw, const uint32_t *pods, uint32_t pod_count,
                        mst_sym *out);

#endif
