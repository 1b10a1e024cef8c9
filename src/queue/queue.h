/*
 * queue.h - who waits to be scheduled, why, until when, and what wakes them.
 *
 * An entity is a lone pod or a PodGroup with its queued members. It is in exactly one store:
 * active, backoff, error backoff, unschedulable (rejected and waiting for an event, or gated), or
 * it was popped and not yet handed back. Members whose group is not known wait in `incomplete`;
 * members that arrive while their group is the last one popped wait in `pending`.
 *
 * A cycle is atomic between two events, so there is no list of in-flight events as upstream has it:
 * nothing can arrive while an entity is out, and what the cycle did itself is sent as events only
 * after its pods were handed back.
 *
 * Owns:       queueing data of pods and groups, by row of the cluster.
 * Borrows:    the cluster and the frameworks. Of plugins it demands: PreEnqueue's answer follows
 *             from the pod's object or from its group, a hint's from the pod's class and group
 *             (but for TargetPod events); then equal members of a group need not all be asked.
 * Invariants: a pod is in exactly one place; the order of every heap is total (a serial number
 *             breaks ties of time), so it is the same on every run.
 * Not here:   deciding (cycle/); which event helps (plugins' hints).
 * Source:     spec/scheduling.md 1; kubernetes v1.37 pkg/scheduler/backend/queue.
 */
#ifndef MST_QUEUE_H
#define MST_QUEUE_H

#include "base/heap.h"
#include "framework/framework.h"

typedef enum {
    MST_STORE_NONE, /* unknown to the queue: bound, gone, never added */
    MST_STORE_ACTIVE,
    MST_STORE_BACKOFF,
    MST_STORE_ERROR_BACKOFF,
    MST_STORE_UNSCHEDULABLE, /* rejected; with `gated`: held by PreEnqueue */
    MST_STORE_INCOMPLETE,    /* members only */
    MST_STORE_PENDING,       /* members only */
    MST_STORE_POPPED,        /* in the cycle at hand */
} mst_store;

/* How a group's cycle ended: the root's status before PostFilter. */
typedef enum { MST_GROUP_SUCCESS, MST_GROUP_REJECTED, MST_GROUP_ERROR } mst_group_end;

struct mst_popped {
    bool group;
    uint32_t id;      /* row of the pod or of the group */
    uint32_t attempt; /* 1 for the first */
    const uint32_t
        *pods; /* members in scheduling order, or the pod itself; valid until handed back */
    uint32_t pod_count;
};

/* A member that has been held for MST_HELD_NS by anything but its own scheduling gates. */
struct mst_held {
    uint32_t pod;
    struct mst_str text; /* in the arena given */
};
enum { MST_HELD_S = 10 };

struct mst_queue_stats;

struct mst_queue_options {
    struct mst_cluster *cluster;
    const struct mst_framework *frameworks; /* by profile index */
    uint32_t framework_count;
    const struct mst_config *config; /* profile, gates, backoffs, timeout */
    bool unpops;                   /* mst_queue_unpop will be called: a pop keeps what it changes */
    struct mst_queue_stats *stats; /* counted in, never read (queue_stats.h); NULL: not counted */
    const struct mst_marks *marks; /* NULL: nobody measures */
};

struct mst_queue; /* queue_internal.h */

struct mst_queue *mst_queue_new(const struct mst_queue_options *options);
void mst_queue_free(struct mst_queue *queue);

/* ---- what happens in the cluster; each after the cluster took it, unless said otherwise ---- */

/* An unscheduled pod of a known profile appeared (1.2). */
void mst_queue_pod_added(struct mst_queue *queue, uint32_t pod, int64_t now_ns);
/*
 * The object of a pod in the queue changed. `events` are what the update means for the pod itself
 * (TargetPod events, split as 1.7 says); none: nothing that matters.
 */
void mst_queue_pod_updated(struct mst_queue *queue, uint32_t pod,
                           const struct mst_cluster_event *events, uint32_t event_count,
                           int64_t now_ns);
/*
 * The pod is gone, or it got a node: out of every store. Call BEFORE the cluster forgets the row.
 */
void mst_queue_pod_removed(struct mst_queue *queue, uint32_t pod, int64_t now_ns);
/* The group's object appeared: its incomplete members enter, all at once. */
void mst_queue_group_added(struct mst_queue *queue, uint32_t group, int64_t now_ns);
/*
 * The object changed: the order of stores is refreshed, nothing moves, unless the group becomes or
 * ceases to be one that this version can schedule (as if added or removed).
 */
void mst_queue_group_updated(struct mst_queue *queue, uint32_t group, int64_t now_ns);
/*
 * The object is gone: queued and pending members go to incomplete. Call after the cluster took
 * it.
 */
void mst_queue_group_removed(struct mst_queue *queue, uint32_t group, int64_t now_ns);
/* An event that may help somebody: hints, moves (1.7). */
void mst_queue_event(struct mst_queue *queue, const struct mst_cluster_event *event,
                     int64_t now_ns);
/*
 * The entity of a pod or group is tried again at once, if it waits or backs off: what it waited for
 * sends no event.
 */
void mst_queue_activate(struct mst_queue *queue, bool group, uint32_t id, int64_t now_ns);
/* Timers (1.6): backoff flush on each whole second, unschedulable flush every 30 s. */
void mst_queue_tick(struct mst_queue *queue, int64_t now_ns);
/* When mst_queue_tick or mst_queue_held next has something to do; INT64_MAX: never. */
int64_t mst_queue_deadline(const struct mst_queue *queue, int64_t now_ns);

/* ---- cycles ---- */

/* The next entity, or false when nothing is ready (1.4). At most one entity is out at a time. */
bool mst_queue_pop(struct mst_queue *queue, int64_t now_ns, struct mst_popped *out);
/*
 * Takes the last pop back: the entity is where it was, as it was. Nothing else must have been
 * called since; queue_options.unpops must be set.
 */
void mst_queue_unpop(struct mst_queue *queue);
/*
 * A popped lone pod, or one whose binding failed later, comes back, with the slots that rejected it
 * (both 0: error, or nobody named). Either of the two functions may be called for either kind.
 */
void mst_queue_pod_failed(struct mst_queue *queue, uint32_t pod, uint64_t unschedulable_slots,
                          uint64_t pending_slots, int64_t now_ns);
/* A popped member, or a pod whose binding failed later, comes back (1.8 "Group member"). */
void mst_queue_member_failed(struct mst_queue *queue, uint32_t pod, uint64_t unschedulable_slots,
                             uint64_t pending_slots, int64_t now_ns);
/* A popped pod is decided or given up, and leaves for good, unless its binding fails. */
void mst_queue_pod_scheduled(struct mst_queue *queue, uint32_t pod);
/*
 * The cycle of the popped group is over; every popped member was handed back or scheduled before.
 */
void mst_queue_group_done(struct mst_queue *queue, uint32_t group, mst_group_end end,
                          int64_t now_ns);

/* ---- views ---- */

struct mst_waiting {
    bool group;
    uint32_t id;
};
/* The entities that are ready, in the order in which they would be popped; how many. */
uint32_t mst_queue_ready(const struct mst_queue *queue, struct mst_arena *arena,
                         struct mst_waiting **out);
/*
 * What mst_queue_pop would hand out for this entity, without taking it out (`attempt` is that of
 * the next one). False: nothing of it is queued. `out->pods` is valid until the queue changes; a
 * lone pod's points to `*id`.
 */
bool mst_queue_look(const struct mst_queue *queue, bool group, const uint32_t *id,
                    struct mst_popped *out);
mst_store mst_queue_store_of(const struct mst_queue *queue, uint32_t pod, bool *ret_gated);
/*
 * When the pod first entered the active store (upstream's InitialAttemptTimestamp: gated time
 * before does not count); INT64_MIN when never.
 */
int64_t mst_queue_since(const struct mst_queue *queue, uint32_t pod);
/* Attempts of the entity that a popped pod belongs to; and whether the unschedulable timeout was
 * the last to wake it. */
uint32_t mst_queue_tries(const struct mst_queue *queue, uint32_t pod, bool *ret_after_flush);
uint32_t mst_queue_attempts(const struct mst_queue *queue, bool group, uint32_t id);
/*
 * When mst_queue_tick moves the entity of the pod out of backoff: the first whole second after its
 * expiration. INT64_MAX when it is not in a backoff store.
 */
int64_t mst_queue_backoff_end(const struct mst_queue *queue, uint32_t pod);
/*
 * Members that have been held for 10 s or longer and whose text is new since the last call
 * (profile muster, scheduling.md 1.3): writes up to `max` into out, returns how many.
 */
uint32_t mst_queue_held(struct mst_queue *queue, int64_t now_ns, struct mst_arena *arena,
                        struct mst_held *out, uint32_t max);
/*
 * Why the pod is held, or an absent span: what the gating plugin says of it, or of the member that
 * gates the whole group; in `arena` or static.
 */
struct mst_str mst_queue_gate_text(struct mst_queue *queue, uint32_t pod, struct mst_arena *arena);

/* Asserts the invariants. O(everything); tests and simulation. */
void mst_queue_check(const struct mst_queue *queue);

#endif
