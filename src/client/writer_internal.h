/*
 * writer_internal.h - what the files of the writer share: one piece of work, the requests that
 * carry it out, what an answer means for it, and the Events.
 */
#ifndef MST_WRITER_INTERNAL_H
#define MST_WRITER_INTERNAL_H

#include "base/map.h"
#include "base/rng.h"
#include "client/rate.h"
#include "client/writer.h"

/* Content types other than JSON. */
#define MST_TYPE_PROTO "application/vnd.kubernetes.protobuf"
#define MST_TYPE_STRATEGIC "application/strategic-merge-patch+json"
#define MST_TYPE_MERGE "application/merge-patch+json"

/* How far the work on one effect is. */
typedef enum {
    MST_STAGE_MARK,  /* evictions: the condition */
    MST_STAGE_MAIN,  /* the request that the effect is about */
    MST_STAGE_CHECK, /* was it an earlier request of ours that a conflict speaks of? */
} mst_work_stage;

/* One effect. Its texts lie behind the struct, in the same block. */
struct mst_work {
    struct mst_work *next;
    struct mst_effect effect;                       /* without the lists and what is for Events */
    struct mst_str resource_version, claim_version; /* as known when the effect came */
    mst_work_stage stage;
    uint32_t tries;         /* requests of this stage that ended without a decision */
    bool lost;              /* one of them may have been carried out all the same */
    struct mst_buf problem; /* CHECK: what the conflict said */
};

/* ---- writer_work.c ---- */

/* `lookup` of the options tells the resourceVersions that updates are made under. */
struct mst_work *mst_work_new(const struct mst_writer_options *options,
                              const struct mst_effect *effect);
void mst_work_free(struct mst_work *work);

/* ---- writer_requests.c ---- */

/* A request as it is sent; its buffers are printed over for each. */
struct mst_writer_request {
    mst_method method;
    const char *type; /* of the body */
    struct mst_buf path, body;
};

/* The request of the work's stage. `group_version` is the PodGroups'. */
void mst_work_print(const struct mst_work *work, const char *group_version,
                    struct mst_writer_request *out);

/* ---- writer_answers.c ---- */

typedef enum {
    MST_WORK_DONE,
    MST_WORK_FAILED, /* for good; `problem` says why */
    MST_WORK_NEXT,   /* the stage has changed: send its request at once */
    MST_WORK_AGAIN,  /* the same request, later */
} mst_work_fate;

struct mst_work_verdict {
    mst_work_fate fate;
    bool gone;              /* DONE: the object was not there */
    struct mst_str problem; /* borrowed from the reply or the work */
};

/* What a reply means for the work; changes its stage, `lost` and `problem`, not its tries. */
struct mst_work_verdict mst_work_judge(struct mst_work *work, const struct mst_reply *reply);
/* The request may be sent again: nobody said no. `ret_lost`: it may have been carried out. */
bool mst_reply_is_retriable(const struct mst_reply *reply, bool *ret_lost);

/* ---- writer_queues.c ---- */

/* By what the queue's first work is, the more urgent first. */
typedef enum {
    MST_LINE_WORK,
    MST_LINE_STATUS,
    MST_LINE_SUCCESS, /* patches that say that a group was scheduled */
    MST_LINE_COUNT,
} mst_queue_line;

typedef enum {
    MST_QUEUE_IDLE,
    MST_QUEUE_READY, /* in its line */
    MST_QUEUE_UNDER_WAY,
    MST_QUEUE_PAUSED, /* until another try */
} mst_queue_state;

/* The work on one object. */
struct mst_queue {
    struct mst_writer *writer;
    struct mst_str key; /* behind the struct */
    struct mst_work *first, *last;
    struct mst_queue *before, *next; /* in its line, READY */
    mst_queue_line line;             /* READY, UNDER_WAY */
    mst_queue_state state;
    int64_t ready_ms;                  /* READY: since when, monotonic */
    struct mst_request_handle *handle; /* UNDER_WAY */
    struct event *timer;               /* made for the first pause */
};

struct mst_queues {
    struct mst_map by_object; /* "kind ns/name" -> struct mst_queue * */
    struct {
        struct mst_queue *first, *last;
    } lines[MST_LINE_COUNT];
    uint32_t under_way[MST_LINE_COUNT];
    uint32_t parallel;
    int64_t wait_ms[MST_LINE_COUNT]; /* at most, behind LINE_WORK */
    struct mst_rate success_rate;    /* of patches beside LINE_WORK */
    int64_t work_ms;                 /* when work was answered last */
    bool patch_went;                 /* the last turn was a patch's */
    struct mst_buf key;
};

bool mst_work_is_status(const struct mst_work *work);
/* `queues` is zeroed. */
void mst_queues_init(struct mst_queues *queues, const struct mst_writer_options *options);
/* The queue of the object, NULL if it has no work. */
struct mst_queue *mst_queues_get(struct mst_queues *queues, mst_kind kind, struct mst_str ns,
                                 struct mst_str name);
/* That of the effect's object, a new one that is IDLE and empty if there is none. */
struct mst_queue *mst_queues_find(struct mst_queues *queues, const struct mst_effect *effect);
/* Its work, handle and timer are the caller's to end. */
void mst_queues_forget(struct mst_queues *queues, struct mst_queue *queue);
/* Walks all queues from *i = 0 on; NULL: that was the last one. */
struct mst_queue *mst_queues_next(const struct mst_queues *queues, uint32_t *i);
void mst_queues_done(struct mst_queues *queues);
/* The queue has a first work that nothing was sent for, or that is to be sent again. */
void mst_queues_line_up(struct mst_queues *queues, struct mst_queue *queue);
/* The queue whose turn it is, UNDER_WAY now; NULL: none may go. */
struct mst_queue *mst_queues_take(struct mst_queues *queues);
/* The queue's request was answered. */
void mst_queues_came_back(struct mst_queues *queues, struct mst_queue *queue);
/* When the first patch may go if nothing else happens; -1: none waits. */
int64_t mst_queues_patch_wait_ms(const struct mst_queues *queues);
uint32_t mst_queues_under_way(const struct mst_queues *queues);
/* Is there a queue in a line? */
bool mst_queues_wait(const struct mst_queues *queues);

/* ---- writer_overlay.c ---- */

/* See mst_writer_overlay. */
const struct mst_object *mst_queues_overlay(struct mst_queues *queues, struct mst_syms *syms,
                                            const struct mst_object *object,
                                            struct mst_object *room, struct mst_arena *arena);

/* ---- writer.c ---- */

/* The wait before the next try: doubled after each, partly drawn, no less than the server says. */
int64_t mst_retry_delay_ms(const struct mst_writer_options *options, struct mst_rng *rng,
                           uint32_t tries, const struct mst_reply *reply);
void mst_arm(struct event *timer, int64_t ms);
/* Sends what may be sent now, Events last. */
void mst_writer_pump(struct mst_writer *writer);

/* ---- writer_event_text.c ---- */

struct mst_event_recorder;

struct mst_record_list {
    struct mst_record *first, *last;
    uint32_t n;
};

/* One Event, and how often it was wanted. */
struct mst_record {
    struct mst_record *next, *before;
    struct mst_record_list *list;
    struct mst_event_recorder *recorder;
    uint64_t key[2];
    mst_kind kind;
    /* behind the struct */
    struct mst_str ns, object, uid, controller, type, reason, action, note, related, name;
    int64_t first_ns, last_ns, told_ns;
    uint32_t count, told, sending; /* occurrences: in all, known to the server, under way */
    uint32_t tries;
    bool created;
    struct mst_request_handle *handle;
};

/* A record of one occurrence; its owner fills in the rest. `rng` draws a part of its name. */
struct mst_record *mst_record_new(struct mst_rng *rng, const struct mst_effect *effect,
                                  struct mst_str controller, int64_t now_ns);
/* The request that makes the server know the Event as it is now. */
void mst_record_print(const struct mst_record *record, const struct mst_writer_options *options,
                      struct mst_writer_request *out);

/* ---- writer_events.c ---- */

/* `options`, with its defaults filled in, and `stats` are the writer's. */
struct mst_event_recorder *mst_event_recorder_new(struct mst_writer *writer,
                                                  const struct mst_writer_options *options,
                                                  struct mst_writer_stats *stats);
void mst_event_recorder_free(struct mst_event_recorder *recorder);
void mst_event_recorder_take(struct mst_event_recorder *recorder, const struct mst_effect *effect,
                             struct mst_str scheduler_name);
/* Sends what may be sent beside `busy` other requests, of which more wait or not. */
void mst_event_recorder_pump(struct mst_event_recorder *recorder, uint32_t busy, bool more_wait);
/* Events that wait. */
uint32_t mst_event_recorder_pending(const struct mst_event_recorder *recorder);

#endif
