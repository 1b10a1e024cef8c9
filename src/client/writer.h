/*
 * writer.h - carries out what the engine wants at the API server: bindings, status patches,
 * evictions, volume updates, Events; each answered with an event for the engine.
 *
 * Owns:       effects that wait, are under way, or wait to be tried again; the Events that people
 *             read, aggregated and rate-limited.
 * Invariants: effects of one object are carried out in their order, one at a time; effects of
 *             different objects at most `parallel` at a time; Events go after everything else and
 *             are the first to be dropped. Every bind, eviction and volume update is answered
 *             exactly once, unless the writer is freed.
 * Source:     spec/scheduling.md 2.7, 4.4-4.7; spec/preemption.md 8; kubernetes v1.37
 *             pkg/scheduler/util, client-go tools/events.
 */
#ifndef MST_WRITER_H
#define MST_WRITER_H

#include "client/client.h"
#include "cycle/engine.h"

struct mst_writer;

struct mst_writer_options {
    struct event_base *loop;
    struct mst_client *client;
    const struct mst_log *log;
    uint32_t parallel;         /* requests at a time; 0: 64 */
    int64_t status_wait_ms;    /* at most, of a status patch behind bindings; 0: 5,000 */
    int64_t success_wait_ms;   /* the same where it says that a group was scheduled; 0: 30,000 */
    double success_qps;        /* of those patches beside bindings; 0: 50 */
    uint32_t events_max;       /* Events that wait; more are dropped, oldest first; 0: 10,000 */
    double events_qps;         /* 0: 50; < 0: none are sent */
    const char *instance;      /* reportingInstance, "<scheduler>-<hostname>" */
    const char *group_version; /* of PodGroups: "v1beta1" or "v1alpha3" */
    uint64_t seed;             /* of jitter and names of Events */
    int64_t
        retry_min_ms; /* before the second try, doubled for each after it; 0: 50; < 0: no wait */
    int64_t retry_max_ms;              /* 0: 5,000 */
    uint32_t tries_max;                /* of one request; 0: 10 */
    int64_t group_pause_ms;            /* between later tries of PodGroup patches; 0: 30,000 */
    int64_t (*now_unix_ns)(void *ctx); /* wall clock, for Events */
    /*
     * The newest object known, or NULL: for the whole-object updates of volumes and the base of
     * patches. Borrowed until the loop goes on.
     */
    const struct mst_object *(*lookup)(void *ctx, mst_kind kind, struct mst_str ns,
                                       struct mst_str name);
    void (*answer)(void *ctx, const struct mst_event *event); /* EFFECT_DONE, EFFECT_FAILED */
    void *ctx;
};

struct mst_writer *mst_writer_new(const struct mst_writer_options *options);
void mst_writer_free(struct mst_writer *writer);

/*
 * Takes one effect; text is copied. ATTEMPT and EXTENDER are not for the writer (asserted).
 * `scheduler_name` reports: reportingController of Events.
 */
void mst_writer_effect(struct mst_writer *writer, const struct mst_effect *effect,
                       struct mst_str scheduler_name);

/*
 * The object with the status patches that are not answered yet, since an update of it may be older
 * than those.
 *
 * object   a pod without a node or a PodGroup; others have no such patches.
 * Returns  `object` itself where no patch is about it; else *room, with lists in the arena and text
 *          that is borrowed until the loop goes on.
 */
const struct mst_object *mst_writer_overlay(struct mst_writer *writer, struct mst_syms *syms,
                                            const struct mst_object *object,
                                            struct mst_object *room, struct mst_arena *arena);

/* Effects that are not answered or carried out yet, without Events; and Events that wait. */
uint32_t mst_writer_pending(const struct mst_writer *writer);
/* Of the pending ones, those that are no status patches: what decisions wait for. */
uint32_t mst_writer_work_pending(const struct mst_writer *writer);
uint32_t mst_writer_events_pending(const struct mst_writer *writer);

/* Effects by how they ended; updates of volumes count as patches. */
struct mst_writer_stats {
    uint64_t binds, bind_errors, patches, patch_errors, evictions, eviction_errors;
    uint64_t retries, events_sent, events_dropped, events_merged;
};
/* The counts since the writer was made. */
struct mst_writer_stats mst_writer_stats_of(const struct mst_writer *writer);

#endif
