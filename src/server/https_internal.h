/*
 * https_internal.h - what the files of the HTTPS server share: the server and its requests.
 */
#ifndef MST_HTTPS_INTERNAL_H
#define MST_HTTPS_INTERNAL_H

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#include "server/https.h"
#include "server/tls.h"

/*
 * A TLS connection, from its acceptance on. It ends with its SSL object, whose owner is libevent;
 * that is how we learn of it.
 */
struct mst_https_peer {
    struct mst_https *server;
    struct mst_https_peer *next, *prev;
    struct bufferevent *bev;
    SSL *ssl;
    int64_t deadline_ms; /* for the request that comes; INT64_MAX: we have to answer one */
};

struct mst_https_pair {
    struct mst_str name, value;
};

struct mst_https_request {
    struct mst_https *server;    /* NULL: freed in between */
    struct evhttp_request *http; /* NULL: the peer is gone */
    struct mst_https_peer *peer; /* with `http`, for TLS */
    struct mst_https_request *next, *prev;
    struct mst_arena arena;
    bool head;
    struct mst_str method, path, body;
    MST_LIST(struct mst_https_pair) headers;
    MST_LIST(struct mst_https_pair) query;
    struct mst_tls_peer who;
};

struct mst_https {
    struct mst_https_options options; /* texts are not kept */
    struct evhttp *http;
    struct evconnlistener *listener; /* of `http` */
    struct mst_tls *tls;             /* NULL: plain */
    int ssl_index;                   /* where an SSL object keeps its peer */
    struct mst_https_peer *peers;
    uint32_t peer_count;
    struct mst_https_request *requests; /* not answered */
    struct event *sweep, *reload;
};

/* Takes over what was asked. False: it is not understood (an escape that is none). */
bool mst_https_request_parse(struct mst_https_request *request, struct evhttp_request *http);

#endif
