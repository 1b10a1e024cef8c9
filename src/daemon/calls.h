/*
 * calls.h - calls to HTTP extenders beside the event loop: sent one after another by a thread of
 * their own, answered on the loop.
 *
 * Owns:       the thread, the calls that wait.
 * Invariants: calls are sent in order; each is answered exactly once, from the loop; freeing waits
 *             for the call under way, which its timeout bounds.
 */
#ifndef MST_CALLS_H
#define MST_CALLS_H

#include "base/log.h"
#include "cycle/engine.h"

struct event_base;
struct mst_calls;

struct mst_calls_options {
    struct event_base *loop;
    const struct mst_config *config;
    struct mst_extender_objects objects; /* what bodies are made of, on the loop's thread */
    void (*answer)(void *ctx, const struct mst_event *event);
    void *ctx;
};

/* Errors: what mst_extender_client_new finds wrong with TLS files. */
mst_rc mst_calls_new(const struct mst_calls_options *options, struct mst_calls **out,
                     struct mst_err *err) MST_WARN_UNUSED;
void mst_calls_free(struct mst_calls *calls);
/* An effect with a call; copied. */
void mst_calls_effect(struct mst_calls *calls, const struct mst_effect *effect);
/* Not answered yet. */
uint32_t mst_calls_pending(const struct mst_calls *calls);

#endif
