/*
 * shadow.h - `--dry-run`: what the engine wants is not done but compared with what another
 * scheduler does.
 *
 * A binding is not answered until the pod is seen on a node: on ours, it is done; on another one it
 * failed, as it does when somebody else was faster; after a while without either it failed, too. So
 * the engine's view follows the cluster and no decision builds on one that was never carried out.
 *
 * Owns:       the pods that wait, and what was decided for them.
 * Invariants: every bind, eviction and volume update is answered exactly once.
 */
#ifndef MST_SHADOW_H
#define MST_SHADOW_H

#include "base/log.h"
#include "cycle/engine.h"

struct event_base;
struct mst_shadow;

struct mst_shadow_options {
    struct event_base *loop;
    const struct mst_log *log;
    struct mst_syms *syms;
    int64_t patience_ms; /* how long a decision waits for the other scheduler's; 0: 30 s */
    void (*answer)(void *ctx, const struct mst_event *event);
    void *ctx;
};

struct mst_shadow *mst_shadow_new(const struct mst_shadow_options *options);
void mst_shadow_free(struct mst_shadow *shadow);

/* An effect that would have been carried out; ATTEMPT and EXTENDER are not (asserted). */
void mst_shadow_effect(struct mst_shadow *shadow, const struct mst_effect *effect);
/* A pod as the API server has it, told before the engine is; `ours`: it names a profile of ours. */
void mst_shadow_pod(struct mst_shadow *shadow, const struct mst_pod *pod, bool ours);
void mst_shadow_pod_gone(struct mst_shadow *shadow, struct mst_str uid);

struct mst_shadow_stats {
    uint64_t same;       /* both chose the same node */
    uint64_t other_node; /* both placed the pod, on different nodes */
    uint64_t only_there; /* the other one placed it, we had not (yet) */
    uint64_t only_here;  /* we placed it, the other one did not in time */
    uint64_t evictions;  /* that we would have made */
};
/* Since the start. */
struct mst_shadow_stats mst_shadow_stats_of(const struct mst_shadow *shadow);

#endif
