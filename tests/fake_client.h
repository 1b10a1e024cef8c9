/*
 * fake_client.h - a client whose server is the test: requests wait until the test answers them.
 *
 * Defines mst_client_send and mst_client_cancel, which win over those of the library, so that the
 * code under test talks to the test alone. Answers are given between turns of the loop, as the real
 * client does.
 */
#ifndef MST_FAKE_CLIENT_H
#define MST_FAKE_CLIENT_H

#include <event2/event.h>

#include "base/mem.h"
#include "client/client.h"

enum { FAKE_PENDING_MAX = 16 };

struct mst_request_handle {
    struct mst_request_spec spec; /* text of the copies below */
    struct mst_buf path, body;
    struct mst_client *client;
};

/* One per test: a loop, and the requests that wait, in the order they came. */
struct mst_client {
    struct event_base *loop;
    struct mst_request_handle *pending[FAKE_PENDING_MAX];
    uint32_t n;
    uint32_t sent, cancelled;
};

static struct mst_buf fake_copy(struct mst_str text)
{
    struct mst_buf copy = { 0 };
    mst_buf_str(&copy, text);
    mst_buf_char(&copy, '\0');
    copy.n--;
    return copy;
}

struct mst_request_handle *mst_client_send(struct mst_client *client,
                                           const struct mst_request_spec *spec)
{
    struct mst_request_handle *h = mst_calloc(1, sizeof(*h));
    mst_assert(client->n < FAKE_PENDING_MAX);
    h->spec = *spec;
    h->path = fake_copy(spec->path);
    h->body = fake_copy(spec->body);
    h->client = client;
    client->pending[client->n++] = h;
    client->sent++;
    return h;
}

static void fake_take_out(struct mst_request_handle *h)
{
    struct mst_client *c = h->client;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->pending[i] != h)
            continue;
        memmove(c->pending + i, c->pending + i + 1, (c->n - i - 1) * sizeof(c->pending[0]));
        c->n--;
        return;
    }
    mst_assert(!"no such request");
}

static void fake_forget(struct mst_request_handle *h)
{
    mst_buf_done(&h->path);
    mst_buf_done(&h->body);
    mst_free(h);
}

void mst_client_cancel(struct mst_client *client, struct mst_request_handle *h)
{
    mst_assert(h->client == client);
    client->cancelled++;
    fake_take_out(h);
    fake_forget(h);
}

/* ---- for the test ---- */

/* Ends the request with this answer; the handle is gone. */
static inline void fake_finish(struct mst_request_handle *h, const struct mst_reply *reply)
{
    const struct mst_request_spec spec = h->spec;
    fake_take_out(h);
    spec.done(spec.ctx, reply);
    fake_forget(h);
}

static inline void fake_answer(struct mst_request_handle *h, int status, const char *body)
{
    fake_finish(h, &(struct mst_reply){ .status = status,
                                        .type = MST_STR("application/json"),
                                        .body = mst_str_of(body),
                                        .problem = mst_str_of(status < 300 ? "" : body),
                                        .retry_after_s = -1 });
}

static inline void fake_fail(struct mst_request_handle *h, mst_net net)
{
    fake_finish(h, &(struct mst_reply){
                       .net = net, .problem = MST_STR("no answer"), .retry_after_s = -1 });
}

/* Bytes of a stream. False: the code under test had enough, and the request has ended. */
static inline bool fake_bytes(struct mst_request_handle *h, struct mst_str bytes)
{
    if (h->spec.data(h->spec.ctx, bytes))
        return true;
    fake_answer(h, 200, "");
    return false;
}

static inline bool fake_text(struct mst_request_handle *h, const char *text)
{
    return fake_bytes(h, mst_str_of(text));
}

/* A whole body and its end. */
static inline void fake_body(struct mst_request_handle *h, const char *text)
{
    if (fake_text(h, text))
        fake_answer(h, 200, "");
}

static void fake_over(evutil_socket_t fd, short what, void *ctx)
{
    bool *over = ctx;
    (void)fd;
    (void)what;
    *over = true;
}

/* Runs the loop until a request waits, which is returned; NULL after `ms` without one. */
static inline struct mst_request_handle *fake_next(struct mst_client *c, int64_t ms)
{
    const struct timeval limit = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    bool over = false;
    struct event *timer = evtimer_new(c->loop, fake_over, &over);
    mst_assert(timer);
    evtimer_add(timer, &limit);
    while (!c->n && !over)
        event_base_loop(c->loop, EVLOOP_ONCE);
    event_free(timer);
    return c->n ? c->pending[0] : NULL;
}

/* With exact timers: the coarse ones make a wait of a millisecond take five. */
static inline void fake_init(struct mst_client *c)
{
    struct event_config *config = event_config_new();
    mst_assert(config);
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    *c = (struct mst_client){ .loop = event_base_new_with_config(config) };
    event_config_free(config);
    mst_assert(c->loop);
}

static inline void fake_done(struct mst_client *c)
{
    mst_assert(c->n == 0);
    event_base_free(c->loop);
}

#endif
