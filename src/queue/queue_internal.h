/*
 * queue_internal.h - what the files of the queue share: its data, and moves between the stores.
 *
 * An entity has an id: twice the row, plus 1 for a group. Everything is kept by row of the cluster,
 * so that finding it costs nothing; a row that is reused starts afresh with mst_queue_pod_added.
 *
 * There is no list of in-flight events as upstream has it (scheduling.md 1.8): upstream needs one
 * because informers run beside its scheduling thread. Here a cycle is atomic between two events, so
 * nothing can happen while an entity is out, and what the cycle itself did reaches the queue as
 * events only after its pods were handed back. Being popped is a state all the same: members come
 * back one by one before the cycle of their group is over.
 */
#ifndef MST_QUEUE_INTERNAL_H
#define MST_QUEUE_INTERNAL_H

#include "queue/queue_stats.h"

enum {
    MST_Q_NONE = UINT32_MAX, /* no entity, no row */
    MST_Q_NO_SLOT = UINT8_MAX,
    MST_Q_FLUSH_S = 30, /* period of the unschedulable flush */
};
#define MST_Q_SECOND INT64_C(1000000000)
#define MST_Q_NEVER INT64_MIN /* a time that has not been set */

/*
 * Queueing data of a lone pod, of a group, or of a member (which uses the first part only).
 * Times are pairs (ns, serial): many things happen in one virtual instant and keep their order.
 */
struct mst_entity {
    int64_t since_ns; /* upstream's Timestamp */
    uint64_t since_serial;
    int64_t initial_ns;              /* first entry to the active store */
    uint64_t unschedulable, pending; /* slots that rejected a pod; groups: always 0 (1.1) */
    uint32_t attempts, unschedulable_count, errors_count;
    int32_t priority;  /* copy of the row's: the key of the heaps must not move by itself */
    uint8_t gate_slot; /* who gated it last, MST_Q_NO_SLOT: nobody; of a pod: asked first */

    uint8_t store; /* mst_store of the entity */
    bool gated;
    bool passed;                     /* in a heap: PreEnqueue said yes for every member */
    uint32_t gate_pod, gate_profile; /* the member that gates, and the profile of gate_slot */
    int64_t backoff_ns;              /* BackoffExpiration, MST_Q_NEVER: not computed */
    int64_t flush_ns;                /* FlushTimestamp */
    uint32_t next, prev;             /* neighbours in the unschedulable store */
};

typedef enum {
    MST_AT_NONE,
    MST_AT_ENTITY, /* in its own or its group's entity, in whatever store that is */
    MST_AT_INCOMPLETE,
    MST_AT_PENDING,
    MST_AT_POPPED,
} mst_q_at;

/* What became of the notice that a member is held. */
typedef enum { MST_NOTICE_NONE, MST_NOTICE_WAITS, MST_NOTICE_DONE, MST_NOTICE_AGAIN } mst_q_notice;

struct mst_q_pod {
    struct mst_entity e;
    uint32_t group;  /* row, MST_ROW_NONE: lone */
    uint32_t list_i; /* place in its group's incomplete or pending list */
    uint8_t at;      /* mst_q_at */
    uint8_t notice;  /* mst_q_notice */
    bool returned;   /* pending, and a popped member of the cycle at hand */
    int64_t hold_ns; /* held since, MST_Q_NEVER: not held */
    uint64_t told;   /* hash of the text last told, 0: none */
};

/* Members in scheduling order: v[begin .. begin + n), with room at both ends. */
struct mst_q_members {
    uint32_t *v;
    uint32_t begin, n, cap;
};

struct mst_q_group {
    struct mst_entity e;
    struct mst_q_members members;
    MST_VEC(uint32_t) incomplete, pending; /* in no order */
    /* supersets of what the members' own slots are, by all profiles: to pass over groups quickly */
    uint64_t any_unschedulable, any_pending;
};

struct mst_q_hold {
    uint32_t pod;
    int64_t hold_ns; /* tells an old hold of the same row from the present one */
};

/* What a pop changes, as it was. */
struct mst_q_popped {
    uint8_t store;
    struct mst_entity e;
    uint64_t any_unschedulable, any_pending;
    MST_VEC(struct mst_q_pod) members; /* or the lone pod, in order */
};

struct mst_queue {
    struct mst_queue_options o;
    const char *cause;     /* for stats: the event that what happens now follows from; NULL: none */
    uint8_t named;         /* for stats: the store that a hint named, MST_STORE_NONE: no hint did */
    uint32_t pre_enqueues; /* for marks: how often PreEnqueue was asked with them */
    MST_VEC(struct mst_q_pod) pods;
    MST_VEC(struct mst_q_group) groups;
    uint64_t serial;
    struct mst_heap active, backoff, error_backoff;
    uint32_t unschedulable_head, unschedulable_tail, unschedulable_count;
    int64_t unschedulable_oldest_ns; /* not later than the oldest there; INT64_MAX: none */
    int64_t start_ns;                /* first use: origin of the unschedulable flush */
    int64_t next_flush_ns;
    uint32_t popped;                  /* entity id: upstream's last popped entity */
    struct mst_q_popped before;       /* of the last pop, when unpops is set */
    uint32_t popped_pod;              /* what mst_popped.pods points to for a lone pod */
    MST_VEC(struct mst_q_hold) holds; /* by time, from hold_i on */
    uint32_t hold_i;
    MST_VEC(uint32_t) again; /* held members whose text may have changed, from again_i on */
    uint32_t again_i;
    MST_VEC(uint32_t) scratch_ids;
    MST_VEC(uint64_t) listening; /* by profile: the slots that registered for the event at hand */
    struct mst_arena scratch;
};

/* What a hint makes of an entity; later ones win. */
typedef enum { MST_REQUEUE_SKIP, MST_REQUEUE_AFTER_BACKOFF, MST_REQUEUE_NOW } mst_requeue;

static inline uint32_t mst_q_pod_id(uint32_t row)
{
    return 2 * row;
}
static inline uint32_t mst_q_group_id(uint32_t row)
{
    return 2 * row + 1;
}
static inline bool mst_q_is_group(uint32_t id)
{
    return id & 1;
}
static inline struct mst_entity *mst_q_entity(const struct mst_queue *queue, uint32_t id)
{
    return mst_q_is_group(id) ? &queue->groups.v[id / 2].e : &queue->pods.v[id / 2].e;
}
static inline const struct mst_pod_row *mst_q_row(const struct mst_queue *queue, uint32_t pod)
{
    return &queue->o.cluster->pods.v[pod];
}
static inline const struct mst_framework *mst_q_framework(const struct mst_queue *queue,
                                                          uint32_t pod)
{
    return &queue->o.frameworks[mst_q_row(queue, pod)->profile];
}
static inline bool mst_q_pops_backoff(const struct mst_queue *queue)
{
    return queue->o.config->gates.on[MST_GATE_SchedulerPopFromBackoffQ];
}
/* The id of the entity that the pod belongs to, or would belong to. */
static inline uint32_t mst_q_id_of(const struct mst_queue *queue, uint32_t pod)
{
    uint32_t group = queue->pods.v[pod].group;
    return group == MST_ROW_NONE ? mst_q_pod_id(pod) : mst_q_group_id(group);
}
/* Down to the whole second since 1970, also before it. */
static inline int64_t mst_q_floor_second(int64_t ns)
{
    int64_t rest = ns % MST_Q_SECOND;
    return ns - rest - (rest < 0 ? MST_Q_SECOND : 0);
}
/* Sets a time to now, after everything that was set before. */
static inline void mst_q_stamp(struct mst_queue *queue, struct mst_entity *e, int64_t now_ns)
{
    e->since_ns = now_ns;
    e->since_serial = ++queue->serial;
}

/* ---- stats ---- */

static inline void mst_q_cause(struct mst_queue *queue, const char *event)
{
    queue->cause = event;
}
/* The entity came into the store, or counts as if it did. */
static inline void mst_q_count(struct mst_queue *queue, uint32_t id, mst_store store)
{
    if (!queue->o.stats || !queue->cause)
        return;
    const bool group = mst_q_is_group(id);
    const mst_store queue_of = store == MST_STORE_ERROR_BACKOFF ? MST_STORE_BACKOFF : store;
    const bool moved = queue->named == MST_STORE_NONE || queue->named != queue_of;
    mst_queue_stats_add(queue->o.stats, queue->cause, store,
                        group ? queue->groups.v[id / 2].members.n : 1, group, moved);
}

/* ---- queue_members.c ---- */

bool mst_q_member_before(const struct mst_queue *queue, uint32_t a, uint32_t b);
void mst_q_members_insert(struct mst_queue *queue, struct mst_q_members *members, uint32_t pod);
/* The pod must be among them, with the key it was inserted with (asserted). */
void mst_q_members_remove(struct mst_queue *queue, struct mst_q_members *members, uint32_t pod);
/* Replaces the members by n pods in any order. O(n log n), O(n) if they are in order. */
void mst_q_members_fill(struct mst_queue *queue, struct mst_q_members *members,
                        const uint32_t *pods, uint32_t n);
void mst_q_members_done(struct mst_q_members *members);
static inline uint32_t mst_q_member(const struct mst_q_members *members, uint32_t i)
{
    return members->v[members->begin + i];
}

/* ---- queue_store.c ---- */

mst_heap_before mst_q_active_before;
mst_heap_before mst_q_backoff_before;
/* Computes the expiration when it is not cached (1.5). */
bool mst_q_backing_off(struct mst_queue *queue, uint32_t id, int64_t now_ns);
/* Out of its store, into none. Gating and times stay. */
void mst_q_leave(struct mst_queue *queue, uint32_t id);
/* Into the active store if PreEnqueue allows (asked only with `ask`), else it is gated. */
void mst_q_enter_active(struct mst_queue *queue, uint32_t id, bool ask, int64_t now_ns);
/* Into one of the heaps, as it is: PreEnqueue is not asked. */
void mst_q_enter_heap(struct mst_queue *queue, uint32_t id, mst_store store);
/* As a hint or a failure says (1.7 step 6): active or backoff, through PreEnqueue. */
void mst_q_requeue(struct mst_queue *queue, uint32_t id, mst_requeue how, int64_t now_ns);
/* The same for what a hint or a failure decided: an arrival where it said is no move (stats). */
void mst_q_requeue_as(struct mst_queue *queue, uint32_t id, mst_requeue how, int64_t now_ns);
/* Into the unschedulable store, not gated. */
void mst_q_enter_unschedulable(struct mst_queue *queue, uint32_t id);
/*
 * A queued group entity got (`joined`) or lost (MST_ROW_NONE) a member: 1.2 step 3. Members that
 * passed PreEnqueue are not asked again one by one (that would be quadratic for a big group): what
 * can have changed for them is the state of the group, and the first member is asked for all. So a
 * plugin's "no" at PreEnqueue must follow from the pod's object or from its group.
 */
void mst_q_put_back(struct mst_queue *queue, uint32_t group, uint32_t joined, int64_t now_ns);

/* ---- queue.c ---- */

/* Starts the clock of the unschedulable flush, once. */
void mst_q_first_use(struct mst_queue *queue, int64_t now_ns);
/* The pod's object was replaced: keys of orders are refreshed, nothing moves. */
void mst_q_pod_changed(struct mst_queue *queue, uint32_t pod, int64_t now_ns);

/* A member enters by the rules of 1.2. Its place must be MST_AT_NONE. */
void mst_q_add_member(struct mst_queue *queue, uint32_t pod, int64_t now_ns);
/* The group's object is there and this version can schedule it: members may form an entity. */
bool mst_q_resolvable(const struct mst_queue *queue, uint32_t group);
void mst_q_to_incomplete(struct mst_queue *queue, uint32_t pod, int64_t now_ns);
void mst_q_to_pending(struct mst_queue *queue, uint32_t pod);
/*
 * A fresh group entity in no store and without members, counters 0, with the time of the pod.
 */
void mst_q_new_group_entity(struct mst_queue *queue, uint32_t group, uint32_t pod);
/* The entity has no members any more: out of its store, forgotten. */
void mst_q_drop_group_entity(struct mst_queue *queue, uint32_t group);
/* Adds the pod to the members of the entity and to what is known of all of them. */
void mst_q_join(struct mst_queue *queue, uint32_t group, uint32_t pod);

/* ---- queue_held.c ---- */

/* The member is held from now on (no effect if it was already). Profile muster only. */
void mst_q_hold(struct mst_queue *queue, uint32_t pod, int64_t now_ns);
void mst_q_unhold(struct mst_queue *queue, uint32_t pod);
/* The text for a held member may have changed. */
void mst_q_hold_changed(struct mst_queue *queue, uint32_t pod);
int64_t mst_q_hold_deadline(const struct mst_queue *queue, int64_t now_ns);

#endif
