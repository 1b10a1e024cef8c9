/*
 * engine.h - the scheduler as a pure state machine: events in, effects out.
 *
 * The host tells what happened (mst_engine_event), lets the engine work one step at a time
 * (mst_engine_step), carries out the effects and reports what became of the binds. The engine knows
 * no clock: time comes with each call and never goes back (asserted).
 *
 * Owns:       cluster, frameworks, queue, caches. Borrows: configuration, registry, symbols, log.
 * Invariants: same events and times, same effects, byte for byte; at every return of a call no node
 * is over-committed by us and a gang that this engine started has 0 or >= minCount members bound or
 * assumed, unless the world took some away.
 */
#ifndef MST_ENGINE_H
#define MST_ENGINE_H

#include "base/log.h"
#include "framework/extender_call.h"
#include "queue/queue.h"

struct mst_engine;
struct mst_marks;
struct mst_stats;

struct mst_engine_options {
    const struct mst_config *config;
    const struct mst_registry *registry;
    struct mst_syms *syms;
    bool random_ties; /* draw ties from a generator seeded with `seed` instead of lowest name */
    uint64_t seed;
    const struct mst_log *log; /* NULL: silent */
    /* Counted in and never read by the engine (stats.h); the host's. NULL: nothing is counted. */
    struct mst_stats *stats;
    /* Told where the work is (framework/marks.h); the host's. NULL: nobody measures. */
    const struct mst_marks *marks;
};

struct mst_engine *mst_engine_new(const struct mst_engine_options *options, struct mst_err *err);
void mst_engine_free(struct mst_engine *engine);

/* ---- events ---- */

typedef enum {
    MST_EVENT_SET,           /* `object` was added or changed: its whole new state */
    MST_EVENT_REMOVE,        /* `object` is gone: its kind, namespace and name count */
    MST_EVENT_EFFECT_DONE,   /* effect_id succeeded; `gone`: its object was not there */
    MST_EVENT_EFFECT_FAILED, /* effect_id failed for good; `reason` says why */
} mst_event_kind;

struct mst_event {
    mst_event_kind kind;
    const struct mst_object *object; /* decoded, defaulted, admitted; borrowed for the call */
    uint64_t effect_id;
    bool gone;
    struct mst_str reason;
    struct mst_str body; /* EFFECT_DONE of a call: the response */
};

/*
 * Takes one event. Kinds that do not concern scheduling are accepted and ignored. Finished pods
 * (Succeeded, Failed) count as removed. An object of another UID than the one known is a removal
 * and an addition. Effects that follow at once come out with the next mst_engine_step or
 * mst_engine_flush.
 */
void mst_engine_event(struct mst_engine *engine, const struct mst_event *event, int64_t now_ns);

/* ---- effects ---- */

typedef enum {
    MST_EFFECT_ATTEMPT,      /* an entity was popped: for people, nothing to carry out */
    MST_EFFECT_BIND,         /* POST binding; answer with EFFECT_DONE or EFFECT_FAILED */
    MST_EFFECT_POD_STATUS,   /* patch condition and / or nominatedNodeName */
    MST_EFFECT_GROUP_STATUS, /* patch the PodGroup's condition */
    /*
     * Update of a PersistentVolume (claim_*, by_controller) or a claim (node). Answered with
     * EFFECT_FAILED when it fails for good; success shows in the object.
     */
    MST_EFFECT_PV_UPDATE,
    MST_EFFECT_PVC_UPDATE,
    /*
     * Eviction of a victim: patch the condition if there is one, then DELETE with the UID as
     * precondition. Answered with EFFECT_DONE (also when the pod is gone) or EFFECT_FAILED.
     */
    MST_EFFECT_EVICT,
    MST_EFFECT_EVENT, /* events.k8s.io/v1 Event about the object */
    /*
     * Ask an extender: POST call's body to `url`. Answer with EFFECT_DONE and the body of the
     * response, or EFFECT_FAILED and why there is none. Until then nothing is attempted.
     */
    MST_EFFECT_EXTENDER,
} mst_effect_kind;

struct mst_effect {
    uint64_t id;    /* counts from 1 */
    uint32_t cycle; /* number of the attempt it belongs to, 0 before the first */
    mst_effect_kind kind;
    mst_kind object_kind; /* Pod, PodGroup, PersistentVolume, PersistentVolumeClaim */
    struct mst_str ns, name, uid;
    /* ATTEMPT */
    uint32_t attempt;
    mst_strs pods; /* "ns/name" of the members in scheduling order; empty for a lone pod */
    /* BIND, PVC_UPDATE: the selected node */
    struct mst_str node;
    /* EXTENDER, and a BIND that an extender carries out, answered as EXTENDER is; else NULL */
    const struct mst_extender_call *call;
    struct mst_str url;
    bool late; /* what waiting for volumes led to: not part of the cycle it is counted in */
    /* PV_UPDATE */
    struct mst_str claim_ns, claim_name, claim_uid;
    /* What changes of the object; the claim's node is in `node`. */
    bool claim_ref;     /* claimRef is replaced */
    bool claim_new;     /* it was empty */
    bool claim_version; /* its apiVersion was another or missing */
    bool claim_kind;    /* its kind was another or missing */
    bool by_controller; /* the annotation pv.kubernetes.io/bound-by-controller is new */
    bool stale;         /* made from the object as it was before an earlier write: a conflict */
    bool node_new;      /* the annotation volume.kubernetes.io/selected-node is new or another */
    /* STATUS, EVICT: the condition as it shall be, and as it was (before.type absent: none) */
    bool condition_set;
    struct mst_condition condition,
        before; /* last_transition: of this change, kept if status stays */
    bool nominated_set;
    struct mst_str nominated; /* empty: cleared */
    /* EVENT */
    struct mst_str type, reason, action, note; /* note at most 1024 bytes */
    struct mst_str related;                    /* "Kind ns/name" of the preemptor, or absent */
};

/* Effects of one step, in order; text and lists live in the arena until the next step. */
struct mst_effects {
    MST_VEC(struct mst_effect) list;
    struct mst_arena arena;
};
void mst_effects_done(struct mst_effects *effects);

/*
 * One step: effects that events left behind, due timers, then at most one attempt.
 *
 * out      emptied first, then filled.
 * Returns  true if anything happened: call again (after answering binds, if the host can). False:
 * there is nothing to do before mst_engine_deadline or the next event.
 */
bool mst_engine_step(struct mst_engine *engine, int64_t now_ns, struct mst_effects *out);
/*
 * A step without the attempt: what is due and what events left behind. Effects as from a step. A
 * host that wants what follows from its answers to belong to the attempt that they answer flushes
 * while something is left.
 */
void mst_engine_flush(struct mst_engine *engine, int64_t now_ns, struct mst_effects *out);
/* Events left effects behind that no step or flush has handed out. */
bool mst_engine_has_left(const struct mst_engine *engine);
/* When to call again if nothing happens; INT64_MAX: never. */
int64_t mst_engine_deadline(const struct mst_engine *engine, int64_t now_ns);
/* Calls to extenders are out: no attempt begins before they are answered. */
bool mst_engine_waits(const struct mst_engine *engine);
/* Attempts so far. */
uint32_t mst_engine_cycles(const struct mst_engine *engine);

/* ---- views, for hosts and tests ---- */

struct mst_cluster *mst_engine_cluster(struct mst_engine *engine);
struct mst_queue *mst_engine_queue(struct mst_engine *engine);
const struct mst_framework *mst_engine_framework(const struct mst_engine *engine, uint32_t profile);
/* Recomputes and asserts every invariant. O(everything). */
void mst_engine_check(struct mst_engine *engine);

#endif
