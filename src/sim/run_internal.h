/*
 * run_internal.h - what run.c and run_calls.c share.
 */
#ifndef MST_RUN_INTERNAL_H
#define MST_RUN_INTERNAL_H

#include "sim/run.h"

/*
 * Carries out the call of an effect and answers it through `watcher`. An extender that says it
 * bound a pod is believed: the binding is made in its place, since it cannot reach this API server.
 *
 * ret_error   why it failed; absent when it did not. In the API server's arena.
 */
void mst_run_call(struct mst_run *run, const struct mst_effect *effect, mst_watcher *watcher,
                  struct mst_str *ret_error);

#endif
