/*
 * reflector_internal.h - a reflector's state, shared by the files that ask and that tell.
 */
#ifndef MST_REFLECTOR_INTERNAL_H
#define MST_REFLECTOR_INTERNAL_H

#include "client/backoff.h"
#include "client/intake.h"
#include "client/reflector.h"

struct event;

/* What is done next, or under way. */
typedef enum {
    MST_REFLECT_LIST,   /* a page, or all at once */
    MST_REFLECT_STREAM, /* a watch that begins with what there is; one goes on as a WATCH */
    MST_REFLECT_WATCH,
} mst_reflect_step;

/* Why a body was given up: what an ERROR event said, or that it cannot be read. */
typedef enum { MST_BODY_FINE, MST_BODY_ERROR, MST_BODY_BAD } mst_body_verdict;

struct mst_reflector {
    struct mst_reflector_options options; /* path and query are the copies below */
    struct mst_buf path, query, api_version, url;
    struct event *timer; /* the next step; in a STREAM: whether anything still comes */
    struct mst_request_handle *request;
    struct mst_rng rng;
    struct mst_backoff backoff;
    int64_t absent_ms; /* the last wait for a resource that is not served; 0: none */

    struct mst_known known;
    struct mst_intake intake;
    struct mst_buf version;      /* where a watch goes on; empty: nothing is known */
    bool version_lost;           /* the server no longer has it, or not yet: ask for the newest */
    struct mst_buf next_page;    /* `continue`; empty: the list begins */
    struct mst_buf list_version; /* of the first page */
    bool whole;                  /* list without pages: a continuation has expired */
    bool stream_refused;         /* until the next list is told */
    mst_reflect_step step;
    int64_t complete_ms; /* when a list or an initial stream was told whole, monotonic */

    /* the request under way */
    int64_t sent_ms;
    uint64_t bytes_seen; /* at the last look of the timer */
    uint64_t bytes;      /* of its body */
    bool progress;       /* its events moved `version` */
    mst_body_verdict verdict;
    int64_t code, retry_after_s;
    struct mst_err problem;

    struct mst_buf scratch;
    bool synced, served;
    struct mst_reflector_stats stats;
};

/* One item of a body: told, or not; false when the body is of no more use. */
bool mst_reflector_item(void *ctx, const struct mst_item *item);
/* The list or initial stream is complete at `version`: what it did not have is gone. */
void mst_reflector_complete(struct mst_reflector *r, struct mst_str version);
/* There is no such resource: all of it is gone. */
void mst_reflector_absent(struct mst_reflector *r);
/* A line about the resource; `more` goes between its path and what is wrong. */
void mst_reflector_log(const struct mst_reflector *r, mst_severity severity, const char *message,
                       const char *problem);

#endif
