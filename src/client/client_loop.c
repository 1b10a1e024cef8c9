/*
 * client_loop.c - libcurl's sockets and timer on libevent's loop.
 *
 * Owns:       the sockets' events. libcurl owns the sockets.
 * Invariants: libcurl is called from the loop only, and what became ready is collected before the
 *             loop goes on.
 *
 * A read makes libcurl turn to every request of its connection, however few of them are answered.
 * Where many answers are due, the first of them waits a moment for more: they are read in one go,
 * and what they make us send goes out in one go. The server does not run dry meanwhile, for it has
 * the other requests; and an answer that comes alone waits for nothing.
 *
 * kube-apiserver has one goroutine that reads and writes all of a connection, which falls behind
 * under load. With a second connection it carries out a fifth more bindings, at the same number of
 * requests under way.
 */
#include "client/client_internal.h"
#include "client/curl_help.h"

enum {
    STREAMS_MAX = 50,       /* requests at once on one connection; the server may want fewer */
    CONNECTIONS_KEPT = 128, /* with HTTP/1.1, one for each request under way */
    MANY_DUE = 16,          /* so many answers due: reads wait for more */
    MORE_MS = 3,            /* so long */
};

/* One of libcurl's sockets. */
struct watched {
    struct mst_client *client;
    struct event ready;
    struct event more; /* the wait for more to read; meanwhile `ready` is off */
};

#define SET(multi, option, value)                                                                  \
    do {                                                                                           \
        const CURLMcode set_code = curl_multi_setopt((multi), (option), (value));                  \
        mst_assert(set_code == CURLM_OK);                                                          \
    } while (0)

void mst_loop_collect(struct mst_client *client)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(client->multi, &left))) {
        struct mst_request_handle *r = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        const CURLcode code = message->data.result;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &r);
        curl_multi_remove_handle(client->multi, r->easy);
        if (r->state == MST_REQ_DOOMED)
            mst_request_drop(r);
        else
            mst_transfer_finish(r, code);
    }
    if (client->lists[MST_REQ_QUEUED].first)
        mst_client_kick(client);
}

static void act(struct mst_client *client, curl_socket_t fd, int what)
{
    int running;
    mst_assert(!client->in_curl);
    client->in_curl = true;
    const CURLMcode code = curl_multi_socket_action(client->multi, fd, what, &running);
    mst_assert(code == CURLM_OK);
    client->in_curl = false;
    mst_loop_collect(client);
}

static void on_ready(evutil_socket_t fd, short what, void *ctx)
{
    static const struct timeval wait = { .tv_usec = MORE_MS * 1000 };
    struct watched *w = ctx;
    if (what == EV_READ && w->client->answers_due >= MANY_DUE) {
        event_del(&w->ready);
        if (!evtimer_pending(&w->more, NULL))
            evtimer_add(&w->more, &wait);
        return;
    }
    act(w->client, fd,
        (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0));
}

static void on_more(evutil_socket_t fd, short what, void *ctx)
{
    struct watched *w = ctx;
    (void)fd, (void)what;
    event_add(&w->ready, NULL);
    act(w->client, event_get_fd(&w->ready), CURL_CSELECT_IN);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    (void)multi;
    struct mst_client *client = ctx;
    if (timeout_ms < 0) {
        evtimer_del(&client->timer);
        return 0;
    }
    const struct timeval wait = { .tv_sec = timeout_ms / 1000,
                                  .tv_usec = timeout_ms % 1000 * 1000 };
    evtimer_add(&client->timer, &wait);
    return 0;
}

static void forget_socket(struct watched *w)
{
    event_del(&w->ready);
    event_del(&w->more);
    mst_free(w);
}

static int set_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    (void)easy;
    struct mst_client *client = ctx;
    struct watched *w = socket_ctx;
    if (what == CURL_POLL_REMOVE) {
        if (w)
            forget_socket(w);
        curl_multi_assign(client->multi, fd, NULL);
        return 0;
    }
    const short kinds = (short)((what & CURL_POLL_IN ? EV_READ : 0) |
                                (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);
    if (w) {
        event_del(&w->ready);
    } else {
        w = mst_calloc(1, sizeof(*w));
        w->client = client;
        evtimer_assign(&w->more, client->options.loop, on_more, w);
        curl_multi_assign(client->multi, fd, w);
    }
    event_assign(&w->ready, client->options.loop, fd, kinds, on_ready, w);
    event_add(&w->ready, NULL);
    return 0;
}

void mst_loop_init(struct mst_client *client)
{
    client->multi = curl_multi_init();
    mst_assert(client->multi);
    evtimer_assign(&client->timer, client->options.loop, on_timer, client);
    SET(client->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    SET(client->multi, CURLMOPT_SOCKETDATA, client);
    SET(client->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    SET(client->multi, CURLMOPT_TIMERDATA, client);
    SET(client->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    SET(client->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_MAX);
    SET(client->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
}

void mst_loop_done(struct mst_client *client)
{
    curl_multi_cleanup(client->multi);
    event_del(&client->timer);
}
