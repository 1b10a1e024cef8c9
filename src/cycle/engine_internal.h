/*
 * engine_internal.h - what the files of the engine share.
 */
#ifndef MST_ENGINE_INTERNAL_H
#define MST_ENGINE_INTERNAL_H

#include "cycle/stats.h"
#include "framework/batch.h"
#include "framework/extender.h"
#include "preempt/preempt.h"

/* A bind that was sent; once answered, pod is MST_ROW_NONE. */
struct mst_bind {
    uint64_t effect_id;
    uint32_t pod;
    uint32_t profile;
    uint32_t extender;  /* who carries it out, UINT32_MAX: the API server */
    struct mst_str uid; /* heap: the row may be somebody else's by then */
};

/* What kube-scheduler would call an event that it is told: often one label, at most a few. */
enum { MST_EVENT_LABELS_MAX = 8 };
struct mst_event_labels {
    const char *v[MST_EVENT_LABELS_MAX];
    uint32_t n;
};

/* What a plugin set aside for a pod that is placed but not bound (bind_volumes.c). */
struct mst_held_volumes {
    uint32_t pod;
    uint32_t slot; /* of the profile's framework */
    uint32_t profile;
    struct mst_reservation *reservation;
    bool waits;                       /* the writes are out, the bind is not */
    uint64_t first_write, last_write; /* effect ids */
    int64_t poll_ns, deadline_ns;
};

struct mst_engine {
    const struct mst_config *config;
    struct mst_syms *syms;
    const struct mst_log *log;
    struct mst_stats *stats;         /* NULL: nothing is counted */
    const struct mst_marks *marks;   /* NULL: nobody measures */
    struct mst_event_labels handled; /* for marks: of the event at hand */
    struct mst_cluster cluster;
    struct mst_framework *frameworks; /* by profile index */
    uint32_t framework_count;
    struct mst_queue *queue;
    struct mst_evals evals;
    struct mst_dry_cache *dry_cache;
    struct mst_batch *batches;                /* by profile index; NULL: no batching (batching.c) */
    MST_VEC(struct mst_signature) signatures; /* by row of the pod */
    struct mst_asks asks;
    struct mst_rng rng;
    bool random_ties;
    int64_t now_ns;
    bool begun;                     /* there was a step */
    uint32_t cycle;                 /* attempts so far */
    uint64_t effect_count;          /* ids given */
    struct mst_effects left;        /* made by events, handed out with the next step */
    struct mst_effects *out;        /* where effects go now: `left`, or the step's */
    struct mst_arena arena;         /* reset when a cycle ends */
    MST_VEC(struct mst_bind) binds; /* ascending by effect id */
    uint32_t binds_begin;           /* the ones before are answered */
    MST_VEC(struct mst_held_volumes) held;
    int64_t held_poll_ns;                     /* the next time some of them has to be looked at */
    MST_VEC(struct mst_eviction *) evictions; /* under way, oldest first (evict.c) */
    MST_VEC(uint32_t) freed; /* pods whose nomination this cycle cleared in the API */
};

/* ---- a member or lone pod that was not placed (scheduling.md 4.3) ---- */

typedef enum {
    MST_NNN_KEEP,
    MST_NNN_CLEAR,
    MST_NNN_SET,
} mst_nnn;

struct mst_failure {
    bool error;             /* reason SchedulerError instead of Unschedulable */
    struct mst_str message; /* condition and event */
    uint64_t slots;         /* who rejected it */
    mst_nnn nominated;
    mst_sym node; /* with MST_NNN_SET */
};

/* The failure handler: back to the queue, nomination, event, patch. */
void mst_engine_fail_pod(struct mst_engine *engine, uint32_t pod, bool member,
                         const struct mst_failure *failure);

/* ---- marks (engine_marks.c); nothing when nobody measures ---- */

/* The event at hand is one of these; for its duration alone. */
static inline void mst_engine_handles(struct mst_engine *engine, const char *label)
{
    if (engine->marks && engine->handled.n < MST_EVENT_LABELS_MAX)
        engine->handled.v[engine->handled.n++] = label;
}
/* Single plugins are measured in the attempt at hand. */
static inline bool mst_engine_plugins_turn(const struct mst_engine *engine)
{
    return engine->cycle % MST_MARK_PLUGINS_EVERY == 0;
}
/* For single plugins, in such attempts; else NULL. */
static inline const struct mst_marks *mst_engine_plugin_marks(const struct mst_engine *engine)
{
    return engine->marks && mst_engine_plugins_turn(engine) ? engine->marks : NULL;
}
void mst_engine_sample_point(const struct mst_engine *engine, mst_part point, uint32_t profile,
                             mst_code code, const char *plugin);
/* The point's stopwatch is read. `plugin`: it did all of it; NULL: it is not told apart. */
static inline void mst_engine_mark(const struct mst_engine *engine, mst_part point,
                                   const struct mst_framework *fw, mst_code code,
                                   const char *plugin)
{
    if (engine->marks)
        mst_engine_sample_point(engine, point, fw->profile, code, plugin);
}
/* A point at which nothing is done. */
static inline void mst_engine_mark_idle(const struct mst_engine *engine, mst_part point,
                                        uint32_t profile, mst_code code)
{
    if (!engine->marks)
        return;
    mst_mark_zero(engine->marks, UINT32_C(1) << point);
    mst_engine_sample_point(engine, point, profile, code, NULL);
}
void mst_engine_mark_preemption(const struct mst_engine *engine, bool group, mst_code code);
/* What was told of the event at hand since its stopwatch began: its samples. */
void mst_engine_mark_handled(struct mst_engine *engine);

/* ---- effects (effects.c) ---- */

struct mst_effect *mst_effect_add(struct mst_engine *engine, mst_effect_kind kind,
                                  mst_kind object_kind, uint32_t row);
void mst_effect_event(struct mst_engine *engine, uint32_t pod, bool warning, const char *reason,
                      const char *action, struct mst_str note);
/*
 * Patches PodScheduled and / or the nomination, and takes both over; nothing when nothing changes.
 */
void mst_effect_pod_status(struct mst_engine *engine, uint32_t pod, const char *reason,
                           struct mst_str message, mst_nnn nominated, mst_sym node);
/* The condition with its texts kept for the effect; absent when there is no such condition. */
struct mst_condition mst_effect_condition(struct mst_engine *engine, const char *type,
                                          const struct mst_cond *cond);
/* The time of a transition that happens now. */
struct mst_time mst_effect_time(const struct mst_engine *engine);
void mst_effect_nominate(struct mst_engine *engine, uint32_t pod, mst_sym node);
/* Patches PodGroupInitiallyScheduled; True is never overwritten. */
void mst_effect_group_status(struct mst_engine *engine, uint32_t group, bool scheduled,
                             const char *reason, struct mst_str message);
/*
 * Profile muster: the group goes as a whole, its object says so (DisruptionTarget); once it runs
 * again, no longer.
 */
void mst_effect_group_disrupted(struct mst_engine *engine, uint32_t group, struct mst_str why);
void mst_effect_group_runs_again(struct mst_engine *engine, uint32_t group);
/* Starts the binding of a placed pod: assumes it and emits the bind. */
void mst_engine_bind(struct mst_engine *engine, uint32_t pod);

/* ---- batching.c ---- */

/* Profile upstream with the gate on: the pods of some profile may have signatures. */
void mst_engine_batches_init(struct mst_engine *engine);
void mst_engine_batches_done(struct mst_engine *engine);
/* A waiting pod is new or has changed: its signature. */
void mst_engine_sign(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod);
/* Finds the pod a node, as a part of its profile's batch if it has one. */
void mst_engine_pick(struct mst_engine *engine, const struct mst_framework *fw, uint32_t pod,
                     struct mst_pick *out);

/* EFFECT_DONE or EFFECT_FAILED (answers.c). */
void mst_engine_answer(struct mst_engine *engine, const struct mst_event *event);

/* ---- cycles ---- */

/* False: extenders have to answer first, and nothing has happened yet. */
bool mst_engine_pod_cycle(struct mst_engine *engine, const struct mst_popped *popped);
bool mst_engine_group_cycle(struct mst_engine *engine, const struct mst_popped *popped);
/*
 * Profile upstream: kube-scheduler looks a nominated pod up in its queue. A member of the group at
 * hand is not there, and an empty pod of priority 0 is added in its place.
 */
void mst_engine_find_ghosts(struct mst_engine *engine);
void mst_engine_nomination_freed(struct mst_engine *engine, uint32_t pod);
/* An event about an assigned pod, with the label of its action. */
void mst_engine_assigned_event(struct mst_engine *engine, uint32_t pod, uint32_t action);
/* True if the pod's object is being deleted: says so, and the pod is done (2.1 step 2). */
bool mst_engine_skip_deleting(struct mst_engine *engine, uint32_t pod);
/* "ns/name" in the arena. */
struct mst_str mst_engine_pod_key(const struct mst_engine *engine, struct mst_arena *arena,
                                  uint32_t pod);
struct mst_rng *mst_engine_ties(struct mst_engine *engine);

/* ---- group algorithm (group_try.c), also for looking without acting (explain.c) ---- */

typedef enum { MST_MEMBER_UNTRIED, MST_MEMBER_PLACED, MST_MEMBER_REJECTED } mst_member_state;

struct mst_member {
    uint32_t pod;
    mst_member_state state;
    struct mst_pick pick; /* when rejected: message and slots */
    mst_nnn nominated;    /* what becomes of its nomination when the group is not placed */
    mst_sym seat;         /* with MST_NNN_SET */
};

struct mst_group_try {
    uint32_t group;
    const struct mst_framework *fw;
    struct mst_member *members;
    uint32_t member_count;
    uint32_t scheduled_before; /* S of the snapshot */
    uint32_t placed;
    bool refused_early;  /* before the first pod */
    bool nothing_new;    /* feasible, but no pod was placed */
    bool waits;          /* extenders have to answer first: nothing below means anything */
    mst_code code;       /* MST_SUCCESS, MST_UNSCHEDULABLE, MST_ERROR */
    struct mst_str text; /* PlacementFeasible's, or the error's */
    bool evicting;       /* victims make room for it */
    struct mst_str post; /* what PodGroupPostFilter said, empty: nothing */
    bool asks_what_if;   /* in: look for victims as if its policy allowed it */
};

/*
 * Places the members in order on the open transaction (scheduling.md 2.4). `out->members` is filled
 * by the caller with the pods. The caller commits or rolls back.
 */
void mst_group_try(struct mst_engine *engine, struct mst_group_try *out);
/* An attempt for what was popped, in the engine's arena: nothing is tried yet. */
struct mst_group_try mst_group_try_of(struct mst_engine *engine, const struct mst_popped *popped);
/* Members that are being deleted take no part. */
void mst_group_leave_out_deleting(const struct mst_engine *engine, struct mst_group_try *t);

/*
 * Why the members are not even tried, in the engine's arena, or an absent span: the first rule that
 * they break (scheduling.md 2.2), which is an error, or something that nobody here can judge.
 */
struct mst_str mst_group_refusal(struct mst_engine *engine, const struct mst_group_try *t,
                                 bool *ret_error);

/* What becomes of the members' nominations when nobody makes room. */
void mst_group_nominations(const struct mst_engine *engine, struct mst_group_try *t);
/* The group may not preempt: its own policy, or some member's. */
bool mst_group_never_preempts(const struct mst_engine *engine, const struct mst_group_try *t);
/*
 * PodGroupPostFilter of a group that was rejected (group_preempt_cycle.c): fills in `post`, `waits`
 * and the members' nominations; an error becomes the group's.
 */
void mst_group_look_for_victims(struct mst_engine *engine, struct mst_group_try *t,
                                struct mst_preemption *out);

/* The texts of scheduling.md 4.2. */
struct mst_group_texts {
    struct mst_str condition, untried, placed;
};
void mst_group_texts_of(const struct mst_engine *engine, const struct mst_group_try *t,
                        struct mst_arena *arena, struct mst_group_texts *out);

/* What a member is told that was not placed, or whose group was not. */
struct mst_failure mst_group_failure_of(const struct mst_group_try *t, const struct mst_member *m,
                                        const struct mst_group_texts *texts);

/* The bind itself, once nothing has to be waited for; an extender that binds goes first. */
struct mst_effect *mst_engine_send_bind(struct mst_engine *engine, uint32_t pod);
/* The same by the API server, whatever extenders there are. */
struct mst_effect *mst_engine_send_plain_bind(struct mst_engine *engine, uint32_t pod);

/* ---- extenders (extender_calls.c) ---- */

/* An attempt of the popped entity begins: it may ask. `look`: it is only looked at (explain.c). */
void mst_engine_begin_asks(struct mst_engine *engine, bool group, uint32_t id, uint32_t pod_count,
                           bool look);
/* Sends what was noted. */
void mst_engine_send_asks(struct mst_engine *engine);
/* A look at something (explain.c) begins and ends; true: it has all the answers it needs. */
void mst_engine_look(struct mst_engine *engine, bool group, uint32_t id, uint32_t pod_count);
bool mst_engine_looked(struct mst_engine *engine, struct mst_effects *calls);
/* The answer to a bind of an extender: empty, or why it failed; in the engine's arena. */
struct mst_str mst_engine_bound_by_extender(struct mst_engine *engine, const struct mst_bind *bind,
                                            const struct mst_event *event);
/* Makes the bind effect one of an extender's. */
void mst_engine_bind_by_extender(struct mst_engine *engine, uint32_t pod, uint32_t extender,
                                 struct mst_effect *effect);
/* The pod was seen: who cares for it. */
void mst_engine_find_extenders(struct mst_engine *engine, uint32_t row, const struct mst_pod *pod);

/* ---- volumes between placing and binding (bind_volumes.c) ---- */

/* The pod was placed: sets aside what else it needs there. */
void mst_engine_reserve(struct mst_engine *engine, const struct mst_framework *fw, uint32_t pod);
/* The pod is bound, or (`revert`) does not run where it was placed. Nothing when nothing is held.
 */
void mst_engine_unreserve(struct mst_engine *engine, uint32_t pod, bool revert);
/* Sends the writes that must come before the bind; false when there are none. */
bool mst_engine_pre_bind(struct mst_engine *engine, uint32_t pod);
/* Binds the pods whose writes have come true; gives up those that cannot or whose time is up. */
void mst_engine_poll_held(struct mst_engine *engine);
/* A write failed. False: it is none of these. */
bool mst_engine_write_failed(struct mst_engine *engine, uint64_t effect_id, struct mst_str reason);
/* An assumed pod will not run: off the node, back to the queue, with these words. */
void mst_engine_bind_failed(struct mst_engine *engine, uint32_t pod, struct mst_str message);

/* ---- preemption ---- */

/* What becomes of a lone pod that fits nowhere. */
struct mst_pod_no {
    struct mst_failure failure;
    bool asked; /* somebody looked for victims */
    struct mst_preemption preemption;
    mst_preempt_trials *trials; /* see mst_preempt_pod */
};
/* Looks for victims and acts on nothing (pod_cycle.c). */
void mst_pod_no_of(struct mst_engine *engine, uint32_t pod, const struct mst_framework *fw,
                   const struct mst_pick *pick, mst_preempt_trials *trials, struct mst_pod_no *out);

/* What a search for victims works with, in the engine's arena (pod_cycle.c). */
struct mst_preempt mst_engine_preempt(struct mst_engine *engine, const struct mst_framework *fw);

/* How a group's pods are placed on a trial (group_preempt_cycle.c). */
struct mst_placing {
    struct mst_engine *engine;
    const struct mst_framework *fw;
    const struct mst_group_try *t; /* NULL: `place` will not be asked for */
};
struct mst_group_placer mst_engine_placer(struct mst_placing *placing);

/* ---- counting (stats.c); nothing without stats ---- */

/* An attempt is over (not: it has to wait for extenders). */
void mst_count_cycle(struct mst_engine *engine, bool group);
/* The failure handler has the pod; `late`: after it was placed. */
void mst_count_failed(struct mst_engine *engine, uint32_t pod, bool error, bool late);
/* The pod has its place and is about to be bound; it is still popped. */
void mst_count_placed(struct mst_engine *engine, uint32_t pod);
/* PreBind is over; `plugin` wrote something, or NULL. */
void mst_count_pre_bound(struct mst_engine *engine, uint32_t pod, mst_code code,
                         const char *plugin);
void mst_count_bind_sent(struct mst_engine *engine, uint32_t pod);
/* By the API server. */
void mst_count_bind_answered(struct mst_engine *engine, uint32_t pod, uint32_t profile,
                             mst_code code);
void mst_count_bound(struct mst_engine *engine, uint32_t pod, uint32_t profile);
void mst_count_group(struct mst_engine *engine, uint32_t profile, mst_result result);
/* Somebody looked for victims: how that ended. */
void mst_count_preemption(struct mst_engine *engine, bool group, mst_code code);
void mst_count_victims(struct mst_engine *engine, bool group, const struct mst_victims *victims);
void mst_count_eviction(struct mst_engine *engine, bool group, bool failed, int64_t began_ns);

/* ---- evictions (evict.c) ---- */

struct mst_eviction;
/* Who needs the room. */
struct mst_preemptor {
    bool group;
    uint32_t row; /* of the pod or the group */
    const struct mst_framework *fw;
    struct mst_str fit_text; /* of a lone pod: why it fits nowhere */
};
/*
 * Carries out what was decided, after the preemptor was handed back to the queue. Lower nominations
 * on the nodes go; the preemptor stays out of the queue until the last eviction is on its way.
 */
void mst_engine_evict(struct mst_engine *engine, const struct mst_preemptor *preemptor,
                      const struct mst_preemption *preemption);
/*
 * To be called before the preemptor is handed back: from now on PreEnqueue holds it. With gate
 * SchedulerAsyncPreemption off the evictions are sent here.
 */
void mst_engine_evict_begin(struct mst_engine *engine, const struct mst_preemptor *preemptor,
                            const struct mst_preemption *preemption);
/* An eviction was answered. False: the effect is none. */
bool mst_engine_evict_answered(struct mst_engine *engine, const struct mst_event *event);
void mst_evictions_done(struct mst_engine *engine);
/* Profile muster: tries what is left of half-evicted units again, when it is time. */
void mst_evictions_retry(struct mst_engine *engine);
/* When that is; INT64_MAX: nothing is left. */
int64_t mst_evictions_deadline(const struct mst_engine *engine);
/* The pod is placed and waits for volumes: it is given up. False: it does not. */
bool mst_engine_cancel_bind(struct mst_engine *engine, uint32_t pod, struct mst_str reason);
bool mst_engine_may_cancel_bind(struct mst_engine *engine, uint32_t pod);

/* Profile muster, before the first attempt: goes on with what another process began. */
void mst_engine_take_over(struct mst_engine *engine); /* takeover.c */

/* ---- volumes that victims leave attached (evict_awaited.c) ---- */

/* A preemption is decided: what its preemptor has to wait for. */
void mst_eviction_await(struct mst_engine *engine, const struct mst_preemptor *preemptor,
                        const struct mst_preemption *preemption);
/* Pods or storage objects have changed: waits that are over end. Nothing when nobody waits. */
void mst_awaited_changed(struct mst_engine *engine);
/* Gives up waits whose time is up; when that will be. */
void mst_awaited_poll(struct mst_engine *engine);
int64_t mst_awaited_deadline(const struct mst_engine *engine);

/* storage_events.c */
void mst_engine_storage_set(struct mst_engine *engine, const struct mst_object *object);
void mst_engine_storage_removed(struct mst_engine *engine, const struct mst_object *object);

#endif
