/*
 * client.h - requests to one API server over HTTP/2 (HTTP/1.1 where it speaks nothing else), many
 * at a time, on an event loop.
 *
 * Owns:       connections, credentials and their renewal, the rate limit, requests under way.
 * Invariants: callbacks come from the loop, never from within mst_client_send; a request that is
 *             cancelled gets no further callback. Callbacks may send and cancel, themselves
 *             included. One thread. No body is sent twice: a connection that ends on the way is
 *             MST_NET_BROKEN (a GET or DELETE without a body may be, on a new connection).
 * Not here:   retries (who asks knows whether asking again is safe), what requests mean. Redirects
 *             are answers like others. Credentials that the server refuses (401) are renewed for
 *             the requests to come, as are certificates and authorities whose files were.
 *
 * Over TLS all requests share one connection if the server speaks HTTP/2. gzip is accepted for
 * whole answers to GET (the server does not compress streams), unless the connection turns it off
 * or leads to this machine, where it would cost both ends more than it saves.
 */
#ifndef MST_CLIENT_H
#define MST_CLIENT_H

#include "base/log.h"
#include "client/connection.h"

struct event_base;
struct mst_client;
struct mst_exec_end;
struct mst_request_handle;

/*
 * What became of a request, for metrics. `limited_ns` is what the rate held it back for, -1 when it
 * was not asked; `took_ns` counts from mst_client_send, and is -1 for what is `endless`.
 */
struct mst_request_seen {
    struct mst_str server; /* the connection's */
    const char *method;
    int status; /* 0: no answer */
    int64_t limited_ns, took_ns;
    uint64_t sent_bytes, got_bytes; /* of the bodies, unpacked */
};

struct mst_client_options {
    struct event_base *loop;                 /* borrowed, outlives the client */
    const struct mst_connection *connection; /* borrowed, outlives the client */
    const struct mst_log *log;               /* NULL: silent */
    const char *user_agent;
    double qps;    /* requests a second in the long run; <= 0: unlimited */
    int32_t burst; /* requests at once */
    /* How often files of certificates are looked at; 0: every minute; < 0: for each request. */
    int64_t files_ms;
    /*
     * Each request that was tried and not cancelled, before its `done`; an endless one when the
     * head of its answer is there. Must not call the client. May be NULL.
     */
    void (*seen)(void *ctx, const struct mst_request_seen *seen);
    /* Each run of the connection's exec plug-in. Must not call the client. May be NULL. */
    void (*plugin_ended)(void *ctx, const struct mst_exec_end *end);
    void *seen_ctx;
};

typedef enum { MST_GET, MST_POST, MST_PUT, MST_PATCH, MST_DELETE } mst_method;

/* How a request ended without an answer. */
typedef enum {
    MST_NET_OK,      /* there is an answer: look at the status */
    MST_NET_REFUSED, /* nobody listens, or the name is unknown: the request was not carried out */
    MST_NET_TIMEOUT,
    MST_NET_BROKEN, /* the connection ended early: the request may have been carried out */
    MST_NET_TLS,    /* certificates, names, protocol */
    MST_NET_AUTH,   /* credentials could not be had (exec plug-in, token file) */
} mst_net;

/* What came back. Text is borrowed for the callback. */
struct mst_reply {
    mst_net net;
    int status;             /* HTTP status; 0 without an answer */
    struct mst_str type;    /* Content-Type without parameters */
    struct mst_str body;    /* empty for streams, but for an answer that is no 200 */
    int64_t retry_after_s;  /* -1: not given */
    struct mst_str problem; /* for people, when net is not OK or status is no 2xx: a Status
                                object's message, or what the body or the network says */
    struct mst_str reason;  /* of a Status object: "NotFound", "Conflict", ... */
};

struct mst_request_spec {
    mst_method method;
    struct mst_str path; /* "/api/v1/pods?limit=500", after the server's prefix; copied */
    const char *accept;  /* NULL: application/json; static text */
    const char *type;    /* of the body; NULL: application/json; static text */
    struct mst_str body; /* copied */
    int64_t timeout_ms;  /* 0: 30 s; < 0: none */
    int64_t idle_ms;     /* streams: broken when nothing comes for so long; 0: never */
    bool urgent;         /* not held back by the rate limit (leases, Events) */
    bool endless;        /* a watch: how long it takes says nothing about the server */
    /*
     * Streams: bytes of a 200's body as they come. False: enough, the request ends and `done`
     * is told MST_NET_OK with status 200. NULL: the body is collected for `done`.
     */
    bool (*data)(void *ctx, struct mst_str bytes);
    void (*done)(void *ctx, const struct mst_reply *reply); /* exactly once, unless cancelled */
    void *ctx;
};

/*
 * Errors of the set-up only: bad PEM, a URL that is none. Connects with the first request. Makes
 * the process ignore SIGPIPE, unless it handles it: sockets that are gone are errors like others.
 */
mst_rc mst_client_new(const struct mst_client_options *options, struct mst_client **out,
                      struct mst_err *err) MST_WARN_UNUSED;
/* Cancels what is under way, without callbacks. Not from within a callback (asserted). */
void mst_client_free(struct mst_client *client);

/* Starts, or queues behind the rate limit. The handle is valid until `done` or cancellation. */
struct mst_request_handle *mst_client_send(struct mst_client *client,
                                           const struct mst_request_spec *spec);
void mst_client_cancel(struct mst_client *client, struct mst_request_handle *handle);

/* Requests that are sent or wait to be. */
uint32_t mst_client_pending(const struct mst_client *client);

#endif
