/*
 * extender.h - questions to HTTP extenders, and their answers, for the attempt at hand.
 *
 * Nothing here waits: whoever needs an answer looks it up. If it is not there the question is noted
 * and the attempt is taken back without a trace; the engine sends the noted questions as effects,
 * and when they are answered the attempt runs again from its beginning. Same question, same answer;
 * a question that is another one because the cluster changed meanwhile is asked anew, a bounded
 * number of times.
 *
 * Owns:       questions and answers of one entity's attempt. Borrows the configuration.
 * Invariants: `open` counts the questions that were sent or noted and have no answer.
 */
#ifndef MST_EXTENDER_H
#define MST_EXTENDER_H

#include "framework/extender_call.h"

struct mst_ask {
    uint64_t id; /* of the effect; 0: noted, not sent */
    bool answered;
    struct mst_extender_call call; /* texts in the arena */
    struct mst_extender_answer answer;
    struct mst_arena arena;
};

struct mst_asks {
    const struct mst_config *config;
    MST_VEC(struct mst_ask *) list;
    struct mst_map by_key; /* the question -> index into list */
    uint64_t owner;        /* whose attempt; 0: nobody's */
    uint32_t open;
    uint32_t made, made_max;
    struct mst_extender_answer refusal; /* what is answered when too many were asked */
};

/* Questions of one attempt beyond those that it would need if nothing changed meanwhile. */
enum { MST_ASKS_RESTARTS_MAX = 8 };

void mst_asks_init(struct mst_asks *asks, const struct mst_config *config);
void mst_asks_done(struct mst_asks *asks);

/* An attempt for an entity (`owner`, not 0) of so many pods begins: answers of others are gone. */
void mst_asks_begin(struct mst_asks *asks, uint64_t owner, uint32_t pod_count);
/* It ended: the next one asks anew. */
void mst_asks_end(struct mst_asks *asks);

/*
 * The answer to a question, or NULL: it is not there yet, and the attempt must end without a trace.
 * The call is copied.
 */
const struct mst_extender_answer *mst_asks_get(struct mst_asks *asks,
                                               const struct mst_extender_call *call);
/* A question that was noted and not sent, or NULL. Set its id when it is. */
struct mst_ask *mst_asks_unsent(struct mst_asks *asks);
/* The effect was answered: with a body, or (`failed`) with why it could not be. False: not ours. */
bool mst_asks_answer(struct mst_asks *asks, uint64_t id, bool failed, struct mst_str text);
/* The pod is another one now, or gone: what was asked about it does not count. */
void mst_asks_pod_changed(struct mst_asks *asks, struct mst_str uid);

/* Which extenders of the configuration care for the pod: a bit each. */
uint64_t mst_extenders_of(const struct mst_config *config, const struct mst_syms *syms,
                          const struct mst_pod *pod);
/* The one that binds, among those of a mask; UINT32_MAX: none. */
uint32_t mst_extender_binder(const struct mst_config *config, uint64_t mask);

/* The pseudo plugin that a pod carries when an extender rejected nodes (scheduling.md 1.7). */
extern const struct mst_plugin mst_extender_plugin;
/* Its state during a pick: text by detail - 1 of a verdict; detail 0: no words. */
struct mst_extender_texts {
    MST_VEC(struct mst_str) list;
};

#endif
