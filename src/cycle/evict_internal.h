/*
 * evict_internal.h - an eviction that is under way, for evict*.c and takeover.c.
 */
#ifndef MST_EVICT_INTERNAL_H
#define MST_EVICT_INTERNAL_H

#include "cycle/engine_internal.h"

struct mst_eviction_victim {
    mst_sym ns;
    struct mst_str name, uid; /* in the eviction's arena: the row may be somebody else's by then */
    uint32_t pod;
    uint32_t unit;      /* row of the group that it goes with, MST_ROW_NONE: it goes alone */
    uint64_t effect_id; /* 0: not sent */
    bool gone;          /* evicted, or needs not be any more */
};

/* Where a pod of the preemptor's shall go. */
struct mst_eviction_promise {
    uint32_t pod;
    mst_sym node;
};

struct mst_eviction {
    int64_t began_ns;
    struct mst_arena arena;
    bool group;
    uint32_t row, profile;
    mst_sym ns;
    struct mst_str name, uid;          /* of the preemptor */
    struct mst_str target;             /* a node, or "cluster" */
    struct mst_str note, related, why; /* of events about victims, and of their condition */
    struct mst_eviction_victim *victims;
    uint32_t n, sent, answered;
    struct mst_eviction_promise *promises;
    uint32_t promise_count;
    bool failed, silent_end;  /* silent: no event tells that the last victim is gone */
    bool sync;                /* it is a part of the attempt (evict_sync.c), and */
    struct mst_str fit_text;  /* why the pod fits nowhere, */
    mst_sym nominated_before; /* where it was nominated to before, */
    struct mst_str error;     /* and what the first failure said */
    bool rest;                /* of units that are half gone (evict_rest.c) */
    int64_t retry_ns, pause_ns;
};

/* ---- evict.c ---- */

/* Makes the record, under way from now on, with every victim that is not leaving already. */
struct mst_eviction *mst_eviction_new(struct mst_engine *engine, const struct mst_preemptor *p,
                                      const struct mst_preemption *preemption);
/* The pod as a victim of the eviction. */
struct mst_eviction_victim mst_eviction_victim_of(const struct mst_engine *engine,
                                                  struct mst_eviction *e, uint32_t pod);
/* The next victim's turn. */
void mst_eviction_send(struct mst_engine *engine, struct mst_eviction *e);
/* Lower nominations on the nodes that are promised now. */
void mst_eviction_clear_lower(struct mst_engine *engine, const struct mst_preemptor *p,
                              const struct mst_preemption *preemption);
/* Ends the eviction if everything sent is answered and nothing more will be sent. */
void mst_eviction_settle(struct mst_engine *engine, struct mst_eviction *e);

/* ---- evict_sync.c ---- */

/* Sends what needs a call, before the preemptor is handed back. */
void mst_eviction_sync_begin(struct mst_engine *engine, const struct mst_preemptor *p,
                             const struct mst_preemption *preemption);
/* Sends the rest after that. */
void mst_eviction_sync_rest(struct mst_engine *engine);
/* It ended with a failure: the attempt did. */
void mst_eviction_sync_failed(struct mst_engine *engine, const struct mst_eviction *e);

/* ---- evict_rest.c ---- */

/*
 * Makes the record of what another process left of a unit, with room for n victims, to be sent at
 * once. `why` is what its other pods were told.
 */
struct mst_eviction *mst_eviction_rest_new(struct mst_engine *engine, struct mst_str why,
                                           uint32_t n);
/* Keeps what is left of units that are half gone, to be tried again. False: nothing is. */
bool mst_eviction_keep_rest(struct mst_engine *engine, struct mst_eviction *e);
/* All that was tried again is answered. False: nothing is left. */
bool mst_eviction_rest_answered(struct mst_engine *engine, struct mst_eviction *e);

/* ---- evict_last.c ---- */

/* The victim is still there, and the same pod. */
bool mst_eviction_same_pod(const struct mst_engine *engine, const struct mst_eviction_victim *v);
bool mst_eviction_preemptor_lives(const struct mst_engine *engine, const struct mst_eviction *e);
/* Keeps what was promised to the preemptor's pods. */
void mst_eviction_promises(const struct mst_engine *engine, struct mst_eviction *e,
                           const struct mst_preemption *preemption);
/*
 * Nobody goes for a preemptor that has gone itself, or that has room without it by now. Upstream
 * goes on in both cases.
 */
bool mst_eviction_spares_last(struct mst_engine *engine, const struct mst_eviction *e);

#endif
