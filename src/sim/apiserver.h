/*
 * apiserver.h - the part of an API server, its controllers and its kubelets that a scheduler meets.
 *
 * It creates, updates and deletes the scenario's objects at their times, ends pods that ran long
 * enough, lets deleted pods terminate, and carries out what the scheduler wants: bindings (with the
 * rules of the real one) and status patches. Everything that happens is told to a watcher, as a
 * watch would.
 *
 * Owns:       the live objects. Borrows the scenario and its symbols.
 * Invariants: a live object has a resourceVersion of its own; a pod with a node never loses it.
 */
#ifndef MST_APISERVER_H
#define MST_APISERVER_H

#include "base/heap.h"
#include "cycle/engine.h"
#include "sim/clock.h"
#include "sim/scenario.h"

/* An object that exists or existed. Its history is kept for reports. */
struct mst_served {
    struct mst_object object;
    uint32_t doc;       /* the scenario's document that it is now like */
    uint32_t first_doc; /* the one that it first arrived with: the order of reports */
    bool live;
    bool deleting;      /* a deletion is waiting for something: grace, members */
    uint32_t life;      /* bumped at each creation: actions of an earlier life are void */
    int64_t arrived_ns; /* of this life */
    int64_t bound_ns;   /* MST_NEVER: no node */
    bool came_bound;    /* it had a node when it arrived */
    int64_t ended_ns;   /* finished or gone; MST_NEVER: neither */
    uint32_t binds_failed;
    uint32_t attempts; /* by the scheduler, as an entity of its own or as a member */
};

/* What a change of the world is, in the order in which things due at one time happen. */
typedef enum { MST_DUE_FINISH, MST_DUE_GONE, MST_DUE_DELETE, MST_DUE_ARRIVE } mst_due_kind;

struct mst_due {
    int64_t at_ns;
    mst_due_kind kind;
    uint32_t rank; /* arrivals at the start: groups of kinds first, then by name */
    uint32_t serial;
    uint32_t subject; /* ARRIVE: a document; else an index of `served` */
    uint32_t life;
};

typedef void mst_watcher(void *ctx, const struct mst_event *event);

struct mst_apiserver {
    struct mst_scenario *scenario;
    struct mst_syms *syms;
    struct mst_clock *clock;
    mst_watcher *watcher;
    void *watcher_ctx;
    struct mst_arena arena;
    MST_VEC(struct mst_served) served; /* in order of first arrival */
    struct mst_map by_key;             /* mst_object_key -> index into served */
    struct mst_map members;            /* "ns/group" -> living members that have not finished */
    MST_VEC(struct mst_due) dues;
    struct mst_heap due_heap;
    uint64_t resource_version;
    bool ends_at_once;     /* deleted pods go without their grace period */
    uint64_t change_count; /* changes that may matter to a decision: all but status patches */
};

void mst_apiserver_init(struct mst_apiserver *server, struct mst_scenario *scenario,
                        struct mst_clock *clock, mst_watcher *watcher, void *watcher_ctx);
void mst_apiserver_done(struct mst_apiserver *server);

/* When something happens next by itself; MST_NEVER: nothing will. */
int64_t mst_apiserver_next(const struct mst_apiserver *server);
/* Does the first thing that is due at `now`; false when nothing is. One tick of the clock each. */
bool mst_apiserver_step(struct mst_apiserver *server, int64_t now_ns);

/*
 * Carries out one effect of the scheduler and answers it through the watcher.
 *
 * ret_error   why it was refused, absent when it was done.
 */
void mst_apiserver_effect(struct mst_apiserver *server, const struct mst_effect *effect,
                          struct mst_str *ret_error);

/* The binding of a bind effect alone; the scheduler is not answered. */
void mst_apiserver_bind(struct mst_apiserver *server, const struct mst_effect *effect,
                        struct mst_str *ret_error);

/* Indices of all `served`, in the order of the documents; in `arena`, served.n long. */
uint32_t *mst_apiserver_order(const struct mst_apiserver *server, struct mst_arena *arena);

/* The object's record, or NULL. `key` as mst_object_key. */
struct mst_served *mst_apiserver_find(struct mst_apiserver *server, mst_kind kind,
                                      struct mst_str ns, struct mst_str name);

/* A pod that ran to its end (Succeeded, Failed). */
bool mst_served_finished(const struct mst_apiserver *server, const struct mst_served *served);
/* "PodGroup/ns/name" of the pod's group, absent without one. */
struct mst_str mst_served_group(struct mst_apiserver *server, const struct mst_served *served);

#endif
