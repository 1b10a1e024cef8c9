/*
 * https.c - connections and answers, on libevent's HTTP server.
 *
 * libevent's timeouts are about silence: a peer that sends a byte now and then would keep its
 * connection for ever. So each TLS connection has a deadline for its next whole request, and when
 * it passes, its socket is shut down; libevent sees the end of the stream and cleans up. Making an
 * answer takes as long as it takes; sending it counts towards the next request.
 *
 * A request that is not answered may lose its connection: libevent then tells us (on_close), the
 * request becomes an orphan, and its answer goes nowhere.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include <event2/bufferevent_ssl.h>

#include "server/https_internal.h"

enum {
    REQUEST_MS = 32000, /* as kube-scheduler's read header timeout */
    IDLE_MS = 90000,
    RELOAD_S = 60,
    BACKLOG = 128,
    SWEEPS = 8, /* per request_ms: how far a deadline may be missed */
    SWEEP_MS_MAX = 4000,
    /* Unparsed input of one connection: a chunk of a body comes as a whole. */
    INPUT_BYTES_MAX = MST_HTTPS_BODY_BYTES_MAX + MST_HTTPS_HEADERS_BYTES_MAX,
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void complain(const struct mst_https *server, const char *what, const char *why)
{
    const struct mst_log_pair pairs[] = { MST_KSTR("err", mst_str_of(why)) };
    if (server->options.log)
        mst_log_line(server->options.log, MST_LOG_ERROR, __FILE__, __LINE__, what, pairs, 1);
}

/* ---- connections ---- */

static void peer_gone(void *ssl, void *ptr, CRYPTO_EX_DATA *data, int index, long argl, void *argp)
{
    struct mst_https_peer *peer = ptr;
    (void)ssl, (void)data, (void)index, (void)argl, (void)argp;
    if (!peer)
        return;
    struct mst_https *server = peer->server;
    if (peer->prev)
        peer->prev->next = peer->next;
    else
        server->peers = peer->next;
    if (peer->next)
        peer->next->prev = peer->prev;
    mst_free(peer);
    if (server->peer_count-- == MST_HTTPS_CONNECTIONS_MAX && server->listener)
        evconnlistener_enable(server->listener);
}

static struct bufferevent *new_connection(struct event_base *loop, void *ctx)
{
    struct mst_https *server = ctx;
    struct bufferevent *bev;
    if (!server->tls) {
        bev = bufferevent_socket_new(loop, -1, BEV_OPT_CLOSE_ON_FREE);
        mst_assert(bev);
        bufferevent_setwatermark(bev, EV_READ, 0, INPUT_BYTES_MAX);
        return bev;
    }
    SSL *ssl = mst_tls_accept(server->tls);
    bev = bufferevent_openssl_socket_new(loop, -1, ssl, BUFFEREVENT_SSL_ACCEPTING,
                                         BEV_OPT_CLOSE_ON_FREE);
    mst_assert(bev);
    bufferevent_openssl_set_allow_dirty_shutdown(bev, 1);
    bufferevent_setwatermark(bev, EV_READ, 0, INPUT_BYTES_MAX);
    struct mst_https_peer *peer = mst_calloc(1, sizeof(*peer));
    *peer = (struct mst_https_peer){ .server = server,
                                     .next = server->peers,
                                     .bev = bev,
                                     .ssl = ssl,
                                     .deadline_ms = now_ms() + server->options.request_ms };
    if (peer->next)
        peer->next->prev = peer;
    server->peers = peer;
    const int ok = SSL_set_ex_data(ssl, server->ssl_index, peer);
    mst_assert(ok);
    if (++server->peer_count == MST_HTTPS_CONNECTIONS_MAX)
        evconnlistener_disable(server->listener);
    return bev;
}

static void sweep(evutil_socket_t fd, short events, void *ctx)
{
    struct mst_https *server = ctx;
    const int64_t now = now_ms();
    (void)fd, (void)events;
    for (struct mst_https_peer *peer = server->peers; peer; peer = peer->next)
        if (peer->deadline_ms <= now)
            shutdown(bufferevent_getfd(peer->bev), SHUT_RDWR);
}

/* ---- requests ---- */

static void unlink_request(struct mst_https_request *request)
{
    struct mst_https *server = request->server;
    if (!server)
        return;
    if (request->prev)
        request->prev->next = request->next;
    else
        server->requests = request->next;
    if (request->next)
        request->next->prev = request->prev;
    request->next = request->prev = NULL;
}

static void request_free(struct mst_https_request *request)
{
    unlink_request(request);
    mst_arena_done(&request->arena);
    mst_free(request);
}

static void on_close(struct evhttp_connection *connection, void *ctx)
{
    struct mst_https *server = ctx;
    for (struct mst_https_request *request = server->requests; request; request = request->next) {
        if (!request->http)
            continue;
        struct evhttp_connection *its = evhttp_request_get_connection(request->http);
        if (its && its != connection)
            continue;
        if (!its)
            evhttp_request_free(request->http); /* was left to us; the others go with theirs */
        request->http = NULL;
    }
}

static void on_request(struct evhttp_request *http, void *ctx)
{
    struct mst_https *server = ctx;
    struct evhttp_connection *connection = evhttp_request_get_connection(http);
    struct mst_https_request *request = mst_calloc(1, sizeof(*request));
    request->server = server;
    request->http = http;
    request->next = server->requests;
    if (request->next)
        request->next->prev = request;
    server->requests = request;
    evhttp_connection_set_closecb(connection, on_close, server);
    if (server->tls) {
        SSL *ssl = bufferevent_openssl_get_ssl(evhttp_connection_get_bufferevent(connection));
        request->peer = SSL_get_ex_data(ssl, server->ssl_index);
        request->peer->deadline_ms = INT64_MAX;
        mst_tls_peer_of(server->tls, ssl, &request->arena, &request->who);
    }
    if (mst_https_request_parse(request, http))
        server->options.handle(server->options.ctx, request);
    else
        mst_https_answer(request, 400, "text/plain; charset=utf-8", MST_STR("400 Bad Request\n"));
}

void mst_https_add_header(struct mst_https_request *request, const char *name, const char *value)
{
    if (request->http)
        evhttp_add_header(evhttp_request_get_output_headers(request->http), name, value);
}

static void send_answer(struct mst_https_request *request, int status, const char *type,
                        struct mst_str body)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request->http);
    struct evbuffer *bytes = evbuffer_new();
    char count[32];
    mst_assert(bytes);
    if (type)
        evhttp_add_header(headers, "Content-Type", type);
    snprintf(count, sizeof(count), "%zu", body.n);
    evhttp_add_header(headers, "Content-Length", count);
    if (!request->head)
        evbuffer_add(bytes, body.n ? body.p : "", body.n);
    if (request->peer)
        request->peer->deadline_ms =
            now_ms() + request->server->options.idle_ms + request->server->options.request_ms;
    evhttp_send_reply(request->http, status, NULL, bytes);
    evbuffer_free(bytes);
}

void mst_https_answer(struct mst_https_request *request, int status, const char *type,
                      struct mst_str body)
{
    /* What happens while the answer is sent is none of the request's business any more. */
    struct mst_https_request copy = *request;
    unlink_request(request);
    if (copy.http)
        send_answer(&copy, status, type, body);
    request->server = NULL;
    request_free(request);
}

/* ---- life ---- */

static mst_rc bind_address(struct mst_https *server, struct mst_err *err)
{
    const struct mst_https_options *o = &server->options;
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)o->port) };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)o->port) };
    const struct sockaddr *address = (const struct sockaddr *)&in;
    int n = sizeof(in);
    char why[128];
    if (o->port < 0 || o->port > UINT16_MAX)
        return mst_fail(err, MST_EINVAL, "port %d: it must be at least 0 and at most 65535",
                        o->port);
    if (inet_pton(AF_INET6, o->address, &in6.sin6_addr) == 1) {
        address = (const struct sockaddr *)&in6;
        n = sizeof(in6);
    } else if (inet_pton(AF_INET, o->address, &in.sin_addr) != 1) {
        return mst_fail(err, MST_EINVAL, "address '%s': it is no IPv4 or IPv6 address", o->address);
    }
    server->listener =
        evconnlistener_new_bind(o->loop, NULL, NULL,
                                LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
                                BACKLOG, address, n);
    if (!server->listener)
        return mst_fail(err, MST_EIO, "listen on %s, port %d: %s; choose another address or port",
                        o->address, o->port, strerror_r(errno, why, sizeof(why)));
    /* Connections inherit it. */
    const int on = 1;
    (void)setsockopt(evconnlistener_get_fd(server->listener), IPPROTO_TCP, TCP_NODELAY, &on,
                     sizeof(on));
    return MST_OK;
}

void mst_https_reload(struct mst_https *server)
{
    struct mst_err err;
    if (server->tls && mst_tls_reload(server->tls, &err))
        complain(server, "Cannot load the certificates again, going on with those at hand",
                 err.text);
}

static void reload(evutil_socket_t fd, short events, void *ctx)
{
    (void)fd, (void)events;
    mst_https_reload(ctx);
}

static struct event *start_timer(struct mst_https *server, event_callback_fn fn, int64_t ms)
{
    const struct timeval period = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    struct event *timer = event_new(server->options.loop, -1, EV_PERSIST, fn, server);
    mst_assert(timer);
    event_add(timer, &period);
    return timer;
}

static void start_http(struct mst_https *server)
{
    const struct mst_https_options *o = &server->options;
    const struct timeval idle = { .tv_sec = o->idle_ms / 1000,
                                  .tv_usec = o->idle_ms % 1000 * 1000 };
    server->http = evhttp_new(o->loop);
    mst_assert(server->http);
    evhttp_set_max_headers_size(server->http, MST_HTTPS_HEADERS_BYTES_MAX);
    evhttp_set_max_body_size(server->http, MST_HTTPS_BODY_BYTES_MAX);
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_DELETE |
                                                 EVHTTP_REQ_PUT | EVHTTP_REQ_HEAD);
    evhttp_set_timeout_tv(server->http, &idle);
    evhttp_set_bevcb(server->http, new_connection, server);
    evhttp_set_gencb(server->http, on_request, server);
    evhttp_bind_listener(server->http, server->listener);
}

static void ignore_sigpipe(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
}

mst_rc mst_https_new(const struct mst_https_options *options, struct mst_https **out,
                     struct mst_err *err)
{
    struct mst_https *server = mst_calloc(1, sizeof(*server));
    struct mst_https_options *o = &server->options;
    *o = *options;
    o->request_ms = o->request_ms > 0 ? o->request_ms : REQUEST_MS;
    o->idle_ms = o->idle_ms > 0 ? o->idle_ms : IDLE_MS;
    mst_rc rc = options->plain ? MST_OK : mst_tls_new(options, &server->tls, err);
    if (!rc)
        rc = bind_address(server, err);
    if (rc) {
        mst_tls_free(server->tls);
        mst_free(server);
        return rc;
    }
    ignore_sigpipe();
    start_http(server);
    if (server->tls) {
        server->ssl_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, peer_gone);
        mst_assert(server->ssl_index >= 0);
        const int64_t ms = MST_MAX(o->request_ms / SWEEPS, INT64_C(1));
        server->sweep = start_timer(server, sweep, MST_MIN(ms, (int64_t)SWEEP_MS_MAX));
        server->reload = start_timer(server, reload, INT64_C(1000) * RELOAD_S);
    }
    o->address = o->cert_file = o->key_file = o->client_ca_file = o->proxy_ca_file = NULL;
    o->min_version = o->ciphers = NULL;
    *out = server;
    return MST_OK;
}

/* libevent frees what it closed, with its SSL object, when the loop goes on. */
static void forget_peers(struct mst_https *server)
{
    while (server->peers) {
        struct mst_https_peer *peer = server->peers;
        SSL_set_ex_data(peer->ssl, server->ssl_index, NULL);
        server->peers = peer->next;
        mst_free(peer);
    }
}

void mst_https_free(struct mst_https *server)
{
    if (!server)
        return;
    server->listener = NULL; /* goes first of all */
    evhttp_free(server->http);
    while (server->requests) {
        struct mst_https_request *request = server->requests;
        mst_assert(!request->http);
        unlink_request(request);
        request->server = NULL;
    }
    if (server->tls) {
        forget_peers(server);
        event_free(server->sweep);
        event_free(server->reload);
        CRYPTO_free_ex_index(CRYPTO_EX_INDEX_SSL, server->ssl_index);
    }
    mst_tls_free(server->tls);
    mst_free(server);
}

int mst_https_port(const struct mst_https *server)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } address;
    socklen_t n = sizeof(address);
    memset(&address, 0, sizeof(address));
    const int failed = getsockname(evconnlistener_get_fd(server->listener), &address.any, &n);
    mst_assert(!failed);
    return ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port : address.in.sin_port);
}

mst_rc mst_https_set_cas(struct mst_https *server, struct mst_str client_pem,
                         struct mst_str proxy_pem, struct mst_err *err)
{
    return server->tls ? mst_tls_set_cas(server->tls, client_pem, proxy_pem, err) : MST_OK;
}
