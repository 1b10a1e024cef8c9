/*
 * client_rig.h - a client and an HTTP/1.1 server on loopback that answers by path, on one loop.
 *
 * The server keeps connections open, writes down every request as it came, and has no idea of
 * Kubernetes: what it says is in `answers`, by the first part of the path.
 */
#ifndef MST_CLIENT_RIG_H
#define MST_CLIENT_RIG_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdio.h>

#include "client/client.h"
#include "tap.h"

enum { RIG_GUARD_S = 30, RIG_PATH_MAX = 64 };

/* How the server goes on after it said its text. */
typedef enum { RIG_KEEP, RIG_CLOSE, RIG_HANG, RIG_ECHO, RIG_FLOOD } rig_then;

struct rig_answer {
    const char *path, *text;
    rig_then then;
};

struct rig {
    struct event_base *loop;
    struct evconnlistener *listener;
    const struct rig_answer *answers;
    size_t answer_count;
    uint32_t connections, requests; /* so far */
    struct mst_buf log;             /* the requests */
    char url[64];
    struct mst_connection connection;
    struct mst_client_options options;
    struct mst_client *client;
    bool timed_out;
    void *extra; /* of the test */
    MST_VEC(struct bufferevent *) open;
};

/* ---- the server ---- */

static inline void rig_close(struct rig *rig, struct bufferevent *bev)
{
    for (uint32_t i = 0; i < rig->open.n; i++)
        if (rig->open.v[i] == bev)
            rig->open.v[i] = rig->open.v[--rig->open.n];
    bufferevent_free(bev);
}

static inline void rig_event(struct bufferevent *bev, short what, void *ctx)
{
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
        rig_close(ctx, bev);
}

static inline void rig_sent(struct bufferevent *bev, void *ctx)
{
    rig_close(ctx, bev);
}

static inline void rig_echo(struct bufferevent *bev, const char *request, size_t n)
{
    evbuffer_add_printf(
        bufferevent_get_output(bev),
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", n);
    bufferevent_write(bev, request, n);
}

static inline void rig_answer(struct rig *rig, struct bufferevent *bev, const char *request,
                              size_t n)
{
    char path[RIG_PATH_MAX] = "";
    sscanf(request, "%*s %63[^? ]", path);
    const struct rig_answer *answer = NULL;
    for (size_t i = 0; i < rig->answer_count && !answer; i++)
        if (strcmp(rig->answers[i].path, path) == 0)
            answer = &rig->answers[i];
    mst_assert(answer);
    if (answer->text)
        bufferevent_write(bev, answer->text, strlen(answer->text));
    if (answer->then == RIG_ECHO)
        rig_echo(bev, request, n);
    for (int i = 0; answer->then == RIG_FLOOD && i < 40000; i++)
        bufferevent_write(bev, "X-Flood: 0123456789012345678901234567890123456789\r\n", 51);
    if (answer->then == RIG_CLOSE) {
        bufferevent_setcb(bev, NULL, rig_sent, rig_event, rig);
        if (!answer->text)
            rig_close(rig, bev);
    }
}

/* One whole request after the other. */
static inline void rig_read(struct bufferevent *bev, void *ctx)
{
    struct rig *rig = ctx;
    struct evbuffer *in = bufferevent_get_input(bev);
    for (;;) {
        const struct evbuffer_ptr end = evbuffer_search(in, "\r\n\r\n", 4, NULL);
        if (end.pos < 0)
            return;
        const size_t head_n = (size_t)end.pos + 4;
        const char *head = (const char *)evbuffer_pullup(in, (ev_ssize_t)head_n);
        const char *length = memmem(head, head_n, "Content-Length: ", 16);
        unsigned long body_n = 0;
        if (length)
            sscanf(length + 16, "%lu", &body_n);
        if (evbuffer_get_length(in) < head_n + body_n)
            return;
        MST_AUTO(mst_buf) request = { 0 };
        mst_buf_reserve(&request, head_n + body_n + 1);
        evbuffer_remove(in, request.p, head_n + body_n);
        request.n = head_n + body_n;
        request.p[request.n] = '\0';
        rig->requests++;
        mst_buf_str(&rig->log, mst_buf_span(&request));
        const uint32_t open = rig->open.n;
        rig_answer(rig, bev, request.p, request.n);
        if (rig->open.n < open)
            return;
    }
}

static inline void rig_accept(struct evconnlistener *listener, evutil_socket_t fd,
                              struct sockaddr *address, int n, void *ctx)
{
    (void)listener, (void)address, (void)n;
    struct rig *rig = ctx;
    struct bufferevent *bev = bufferevent_socket_new(rig->loop, fd, BEV_OPT_CLOSE_ON_FREE);
    mst_assert(bev);
    bufferevent_setcb(bev, rig_read, NULL, rig_event, rig);
    bufferevent_enable(bev, EV_READ | EV_WRITE);
    mst_vec_push(&rig->open, bev);
    rig->connections++;
}

/* ---- both ---- */

static inline void rig_begin(struct rig *rig, const struct rig_answer *answers, size_t count)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t n = sizeof(address);
    *rig = (struct rig){ .loop = event_base_new(), .answers = answers, .answer_count = count };
    rig->listener = evconnlistener_new_bind(rig->loop, rig_accept, rig, LEV_OPT_CLOSE_ON_FREE, 2000,
                                            (struct sockaddr *)&address, sizeof(address));
    mst_assert(rig->listener);
    getsockname(evconnlistener_get_fd(rig->listener), (struct sockaddr *)&address, &n);
    snprintf(rig->url, sizeof(rig->url), "http://127.0.0.1:%u", ntohs(address.sin_port));
    rig->connection.server = mst_str_of(rig->url);
    rig->options = (struct mst_client_options){ .loop = rig->loop,
                                                .connection = &rig->connection,
                                                .user_agent = "rig/1" };
}

/* After the test has changed what it wants of options and connection. */
static inline void rig_client(struct rig *rig)
{
    struct mst_err err;
    const mst_rc rc = mst_client_new(&rig->options, &rig->client, &err);
    mst_assert(!rc);
}

static inline void rig_end(struct rig *rig)
{
    mst_client_free(rig->client);
    while (rig->open.n)
        rig_close(rig, rig->open.v[0]);
    mst_vec_done(&rig->open);
    evconnlistener_free(rig->listener);
    event_base_free(rig->loop);
    mst_buf_done(&rig->log);
}

static inline void rig_guard(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct rig *rig = ctx;
    rig->timed_out = true;
    event_base_loopbreak(rig->loop);
}

/* Until the client has nothing under way, or for `ms` if that is not 0. */
static inline void rig_run(struct rig *rig, int ms)
{
    const struct timeval wait = { .tv_sec = ms ? ms / 1000 : RIG_GUARD_S,
                                  .tv_usec = ms % 1000 * 1000 };
    struct event *guard = evtimer_new(rig->loop, rig_guard, rig);
    rig->timed_out = false;
    evtimer_add(guard, &wait);
    while (!rig->timed_out && (ms || mst_client_pending(rig->client)))
        event_base_loop(rig->loop, EVLOOP_ONCE);
    event_free(guard);
}

/* ---- replies, kept ---- */

struct rig_reply {
    struct rig *rig;
    uint32_t told;
    mst_net net;
    int status;
    int64_t retry_after_s;
    struct mst_buf type, body, problem, reason, data;
    uint32_t pieces, enough_after; /* of a stream; 0: all of it */
};

static inline void rig_done(void *ctx, const struct mst_reply *reply)
{
    struct rig_reply *kept = ctx;
    kept->told++;
    kept->net = reply->net;
    kept->status = reply->status;
    kept->retry_after_s = reply->retry_after_s;
    mst_buf_str(&kept->type, reply->type);
    mst_buf_str(&kept->body, reply->body);
    mst_buf_str(&kept->problem, reply->problem);
    mst_buf_str(&kept->reason, reply->reason);
}

static inline bool rig_data(void *ctx, struct mst_str bytes)
{
    struct rig_reply *kept = ctx;
    mst_assert(!kept->told);
    mst_buf_str(&kept->data, bytes);
    return ++kept->pieces != kept->enough_after;
}

static inline void rig_reply_done(struct rig_reply *kept)
{
    mst_buf_done(&kept->type);
    mst_buf_done(&kept->body);
    mst_buf_done(&kept->problem);
    mst_buf_done(&kept->reason);
    mst_buf_done(&kept->data);
    *kept = (struct rig_reply){ 0 };
}

/* Sends one request, runs until it is over. */
static inline void rig_ask(struct rig *rig, struct mst_request_spec spec, struct rig_reply *kept)
{
    spec.done = rig_done;
    spec.ctx = kept;
    mst_client_send(rig->client, &spec);
    mst_assert(!kept->told);
    rig_run(rig, 0);
    mst_assert(!rig->timed_out);
}

static inline void rig_get(struct rig *rig, const char *path, struct rig_reply *kept)
{
    rig_ask(rig, (struct mst_request_spec){ .method = MST_GET, .path = mst_str_of(path) }, kept);
}

static inline bool rig_has(const struct mst_buf *buf, const char *text)
{
    return buf->n && memmem(buf->p, buf->n, text, strlen(text));
}

#endif
