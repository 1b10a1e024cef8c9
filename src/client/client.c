/*
 * client.c - requests to one API server: what waits, what is under way, what is given back.
 *
 * Owns:       every request, in exactly one list; a pool of handles for later ones.
 * Invariants: requests are started, and cancelled ones taken from libcurl, by the loop (`kick`) and
 *             never from within a callback of libcurl, which allows neither. Those that the rate
 *             holds back start in the order in which they came.
 * Not here:   what libcurl is told (client_transfer.c), sockets (client_loop.c), credentials
 *             (client_auth.c).
 */
#include <signal.h>
#include <time.h>

#include "client/client_internal.h"
#include "client/curl_help.h"
#include "client/proxy.h"

enum { KEPT_BYTES_MAX = 64 << 10 }; /* of a buffer, between requests */

int64_t mst_client_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- requests ---- */

void mst_request_move(struct mst_request_handle *r, mst_request_state state)
{
    struct mst_request_list *from = &r->client->lists[r->state], *to = &r->client->lists[state];
    *(r->prev ? &r->prev->next : &from->first) = r->next;
    *(r->next ? &r->next->prev : &from->last) = r->prev;
    from->count--;
    r->prev = to->last;
    r->next = NULL;
    *(to->last ? &to->last->next : &to->first) = r;
    to->last = r;
    to->count++;
    if (!r->stream)
        r->client->answers_due += (state == MST_REQ_RUNNING) - (r->state == MST_REQ_RUNNING);
    r->state = state;
}

/* In the list FREE. Streams have handles of their own: libcurl never lets go of their buffers. */
static struct mst_request_handle *take_request(struct mst_client *client, bool stream)
{
    struct mst_request_list *pool = &client->lists[MST_REQ_FREE];
    /* The one that was given back last: its memory is warm. */
    if (pool->last && !stream)
        return pool->last;
    struct mst_request_handle *r = mst_calloc(1, sizeof(*r));
    r->client = client;
    r->stream = stream;
    r->state = MST_REQ_FREE;
    r->prev = pool->last;
    *(pool->last ? &pool->last->next : &pool->first) = r;
    pool->last = r;
    pool->count++;
    mst_transfer_init(r);
    return r;
}

static void free_request(struct mst_request_handle *r)
{
    struct mst_request_list *pool = &r->client->lists[MST_REQ_FREE];
    mst_assert(r->state == MST_REQ_FREE);
    *(r->prev ? &r->prev->next : &pool->first) = r->next;
    *(r->next ? &r->next->prev : &pool->last) = r->prev;
    pool->count--;
    curl_easy_cleanup(r->easy);
    mst_buf_done(&r->url);
    mst_buf_done(&r->upload);
    mst_buf_done(&r->body);
    mst_free(r);
}

static void empty_buffer(struct mst_buf *buf)
{
    buf->n = 0;
    if (buf->cap > KEPT_BYTES_MAX)
        mst_buf_done(buf);
}

void mst_request_drop(struct mst_request_handle *r)
{
    if (event_initialized(&r->idle))
        event_del(&r->idle);
    mst_headers_unref(r->headers);
    r->headers = NULL;
    empty_buffer(&r->upload);
    empty_buffer(&r->body);
    mst_request_move(r, MST_REQ_FREE);
    if (r->stream || r->client->lists[MST_REQ_FREE].count > MST_CLIENT_POOL_MAX)
        free_request(r);
}

void mst_request_see(struct mst_request_handle *r, int status)
{
    const struct mst_client_options *options = &r->client->options;
    if (r->seen || !options->seen)
        return;
    const struct mst_request_seen seen = {
        .server = options->connection->server,
        .method = mst_method_name(r->spec.method),
        .status = status,
        .limited_ns = r->limited_ns,
        .took_ns = r->spec.endless ? -1 : mst_client_now_ns() - r->sent_ns,
        .sent_bytes = r->upload.n,
        .got_bytes = r->got_bytes,
    };
    r->seen = true;
    options->seen(options->seen_ctx, &seen);
}

void mst_request_end(struct mst_request_handle *r, const struct mst_reply *reply)
{
    mst_request_see(r, reply->status);
    r->client->telling = true;
    r->spec.done(r->spec.ctx, reply);
    r->client->telling = false;
    mst_request_drop(r);
}

/* ---- starting ---- */

static void fail_auth(struct mst_request_handle *r)
{
    const struct mst_reply reply = { .net = MST_NET_AUTH,
                                     .retry_after_s = -1,
                                     .problem = mst_buf_span(&r->client->auth.problem) };
    mst_request_end(r, &reply);
}

static void start(struct mst_request_handle *r)
{
    switch (mst_auth_ready(r->client)) {
    case MST_AUTH_READY:
        mst_request_move(r, MST_REQ_RUNNING);
        mst_transfer_start(r);
        break;
    case MST_AUTH_WAIT: mst_request_move(r, MST_REQ_WAITING); break;
    case MST_AUTH_FAILED: fail_auth(r); break;
    }
}

static void start_queued(struct mst_client *client)
{
    const struct mst_request_list *queued = &client->lists[MST_REQ_QUEUED];
    while (queued->first &&
           client->lists[MST_REQ_WAITING].count + client->lists[MST_REQ_RUNNING].count <
               MST_CLIENT_RUNNING_MAX) {
        const int64_t wait_ns = mst_rate_take(&client->rate, mst_client_now_ns());
        if (wait_ns) {
            const struct timeval wait = { .tv_sec = wait_ns / 1000000000,
                                          .tv_usec = wait_ns % 1000000000 / 1000 + 1 };
            event_add(&client->rate_timer, &wait);
            return;
        }
        if (client->options.qps > 0)
            queued->first->limited_ns = mst_client_now_ns() - queued->first->sent_ns;
        start(queued->first);
    }
}

/*
 * What was just had is used without another look, or credentials that expire at once would be asked
 * for for ever.
 */
void mst_client_credentials(struct mst_client *client, bool have)
{
    const struct mst_request_list *waiting = &client->lists[MST_REQ_WAITING];
    for (uint32_t n = waiting->count; n && waiting->first; n--) {
        struct mst_request_handle *r = waiting->first;
        if (!have) {
            fail_auth(r);
            continue;
        }
        mst_request_move(r, MST_REQ_RUNNING);
        mst_transfer_start(r);
    }
    mst_client_kick(client);
}

static void on_kick(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct mst_client *client = ctx;
    struct mst_request_list *lists = client->lists;
    mst_assert(!client->in_curl);
    while (lists[MST_REQ_DOOMED].first) {
        struct mst_request_handle *r = lists[MST_REQ_DOOMED].first;
        curl_multi_remove_handle(client->multi, r->easy);
        mst_request_drop(r);
    }
    /* Those that wait now: whoever is told of a failure may ask again at once. */
    for (uint32_t n = lists[MST_REQ_URGENT].count; n && lists[MST_REQ_URGENT].first; n--)
        start(lists[MST_REQ_URGENT].first);
    start_queued(client);
}

void mst_client_kick(struct mst_client *client)
{
    event_active(&client->kick, EV_TIMEOUT, 0);
}

/* ---- the client ---- */

static mst_rc set_server(struct mst_client *client, struct mst_err *err)
{
    const struct mst_connection *c = client->options.connection;
    struct mst_url url;
    mst_rc rc = MST_OK;
    const bool ok = mst_url_split(c->server, &url) &&
                    (strcmp(url.scheme, "https") == 0 || strcmp(url.scheme, "http") == 0);
    if (!ok) {
        rc = mst_fail(err, MST_EINVAL, "server: \"%.*s\" is no URL; want https://HOST:PORT",
                      MST_ARG(c->server));
    } else {
        const struct mst_proxy_env env = mst_proxy_env_read();
        client->tls = strcmp(url.scheme, "https") == 0;
        client->gzip = !c->compression_off && !mst_host_is_loopback(url.host);
        mst_proxy_choose(&env, &url, c->proxy_url, &client->proxy);
        if (client->tls && c->tls_server_name.n) {
            mst_curl_detour(&url, c->tls_server_name, &client->base_url, &client->connect_to,
                            &client->host_header);
            mst_buf_text(&client->base_url, strcmp(url.path, "/") == 0 ? "" : url.path);
        } else {
            mst_buf_str(&client->base_url, c->server);
        }
    }
    mst_url_done(&url);
    return rc;
}

mst_rc mst_client_new(const struct mst_client_options *options, struct mst_client **out,
                      struct mst_err *err)
{
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    mst_assert(code == CURLE_OK);
    struct mst_client *client = mst_calloc(1, sizeof(*client));
    client->options = *options;
    /* OpenSSL writes to sockets that may be gone; libcurl leaves the signal to us. */
    struct sigaction pipe_action;
    sigaction(SIGPIPE, NULL, &pipe_action);
    if (pipe_action.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
    mst_buf_text(&client->user_agent, options->user_agent ? options->user_agent : "muster");
    mst_rate_init(&client->rate, options->qps, options->burst, mst_client_now_ns());
    evtimer_assign(&client->kick, options->loop, on_kick, client);
    evtimer_assign(&client->rate_timer, options->loop, on_kick, client);
    mst_loop_init(client);
    mst_rc rc = set_server(client, err);
    if (!rc)
        rc = mst_auth_init(client, err);
    if (rc) {
        mst_client_free(client);
        return rc;
    }
    *out = client;
    return MST_OK;
}

void mst_client_free(struct mst_client *client)
{
    if (!client)
        return;
    mst_assert(!client->in_curl && !client->telling);
    for (mst_request_state state = MST_REQ_URGENT; state < MST_REQ_STATES; state++) {
        struct mst_request_list *list = &client->lists[state];
        while (list->first) {
            if (state == MST_REQ_RUNNING || state == MST_REQ_DOOMED)
                curl_multi_remove_handle(client->multi, list->first->easy);
            mst_request_drop(list->first);
        }
    }
    while (client->lists[MST_REQ_FREE].first)
        free_request(client->lists[MST_REQ_FREE].first);
    mst_loop_done(client);
    event_del(&client->kick);
    event_del(&client->rate_timer);
    mst_auth_done(client);
    curl_slist_free_all(client->connect_to);
    mst_arena_done(&client->scratch);
    mst_buf_done(&client->base_url);
    mst_buf_done(&client->host_header);
    mst_buf_done(&client->user_agent);
    mst_buf_done(&client->proxy);
    mst_free(client);
    curl_global_cleanup();
}

struct mst_request_handle *mst_client_send(struct mst_client *client,
                                           const struct mst_request_spec *spec)
{
    mst_assert(spec->done && spec->path.n && spec->path.p[0] == '/');
    struct mst_request_handle *r = take_request(client, spec->data != NULL);
    r->spec = *spec;
    r->url.n = 0;
    mst_buf_str(&r->url, mst_buf_span(&client->base_url));
    mst_buf_str(&r->url, spec->path);
    mst_buf_char(&r->url, '\0');
    mst_buf_str(&r->upload, spec->body);
    r->spec.path = r->spec.body = MST_STR_NONE;
    r->seen = false;
    r->got_bytes = 0;
    r->sent_ns = mst_client_now_ns();
    r->limited_ns = -1;
    mst_request_move(r, spec->urgent ? MST_REQ_URGENT : MST_REQ_QUEUED);
    mst_client_kick(client);
    return r;
}

void mst_client_cancel(struct mst_client *client, struct mst_request_handle *r)
{
    mst_assert(r->client == client && r->state != MST_REQ_FREE && r->state != MST_REQ_DOOMED);
    if (r->state == MST_REQ_RUNNING && client->in_curl) {
        mst_request_move(r, MST_REQ_DOOMED);
        mst_client_kick(client);
        return;
    }
    if (r->state == MST_REQ_RUNNING)
        curl_multi_remove_handle(client->multi, r->easy);
    mst_request_drop(r);
    /* There may be room for one that waits. */
    if (client->lists[MST_REQ_QUEUED].first)
        mst_client_kick(client);
}

uint32_t mst_client_pending(const struct mst_client *client)
{
    uint32_t count = 0;
    for (mst_request_state state = MST_REQ_URGENT; state <= MST_REQ_RUNNING; state++)
        count += client->lists[state].count;
    return count;
}
