/*
 * reflector.c - asks for lists and watches, one request at a time, and decides what comes next.
 *
 * Invariants: there is a request under way or the timer is set, never both, but for a STREAM, whose
 *             timer looks whether anything comes; every failure waits before the next request, so
 *             that no server, however broken, is asked in a loop without rest.
 * Differs:    client-go lists again when a watch breaks or cannot be opened (other than refused
 *             connections and 429); here every failure of the network and of the server (5xx) keeps
 *             the version and watches again, since a version that has become too old is answered
 *             with 410 anyway; and that answer does not wait for a backoff that has grown while the
 *             server was away. A refused connection, which costs nobody anything, is tried again
 *             after 5 s at most. Items are told as a list comes, not when it is complete.
 * Source:     kubernetes v1.37 client-go tools/cache/reflector.go, tools/pager.
 */
#include "client/reflector.h"

#include <event2/event.h>

#include "client/reflector_internal.h"

enum {
    PAGE_DEFAULT = 500,
    BACKOFF_MIN_MS = 800,
    BACKOFF_MAX_MS = 30000,
    BACKOFF_RESET_MS = 120000,
    REFUSED_MAX_MS = 5000,  /* between tries while nobody listens */
    ABSENT_FACTOR_MAX = 10, /* waits for an absent resource: the longest backoff, to ten of it */
    WATCH_MIN_S = 300,      /* how long the server may keep a watch: up to twice as long */
    WATCH_MARGIN_S = 30,
    LIST_IDLE_MS = 90000,
    STREAM_IDLE_MS = 60000,
    SHORT_WATCH_MS = 1000,
    RETRY_AFTER_MAX_S = 300,
};

static void on_timer(evutil_socket_t fd, short what, void *ctx);

/* ---- life ---- */

/* "v1" of "/api/v1/pods", "policy/v1" of "/apis/policy/v1/poddisruptionbudgets". */
static void set_api_version(struct mst_reflector *r, const char *path)
{
    const char *at = NULL, *end = NULL;
    if (strncmp(path, "/api/", 5) == 0) {
        at = path + 5;
        end = strchr(at, '/');
    } else if (strncmp(path, "/apis/", 6) == 0) {
        at = path + 6;
        end = strchr(at, '/');
        end = end ? strchr(end + 1, '/') : NULL;
    }
    mst_assert(at && end);
    mst_buf_add(&r->api_version, at, (size_t)(end - at));
}

static void schedule(struct mst_reflector *r, int64_t delay_ms)
{
    const struct timeval delay = { .tv_sec = delay_ms / 1000, .tv_usec = delay_ms % 1000 * 1000 };
    const int rc = event_add(r->timer, &delay);
    mst_assert(rc == 0);
}

/* The next step is to find out what there is. */
static void start_over(struct mst_reflector *r)
{
    const bool stream = r->options.watch_list && !r->stream_refused;
    r->step = stream ? MST_REFLECT_STREAM : MST_REFLECT_LIST;
    r->next_page.n = 0;
}

struct mst_reflector *mst_reflector_new(const struct mst_reflector_options *options)
{
    mst_assert(options->loop && options->client && options->api && options->path);
    mst_assert(options->set && options->gone && options->synced);
    struct mst_reflector *r = mst_calloc(1, sizeof(*r));
    r->options = *options;
    mst_buf_text(&r->path, options->path);
    if (options->query)
        mst_buf_text(&r->query, options->query);
    set_api_version(r, options->path);
    if (!r->options.page)
        r->options.page = PAGE_DEFAULT;
    r->backoff.min_ms = options->backoff_min_ms > 0 ? options->backoff_min_ms : BACKOFF_MIN_MS;
    r->backoff.max_ms = options->backoff_max_ms > 0 ? options->backoff_max_ms : BACKOFF_MAX_MS;
    r->backoff.max_ms = MST_MAX(r->backoff.max_ms, r->backoff.min_ms);
    r->backoff.reset_ms = BACKOFF_RESET_MS;
    mst_rng_init(&r->rng, options->seed);
    mst_intake_init(&r->intake, &(struct mst_intake_options){
                                    .api = options->api,
                                    .kind = options->kind,
                                    .api_version = mst_buf_span(&r->api_version),
                                    .item = mst_reflector_item,
                                    .ctx = r,
                                });
    r->timer = evtimer_new(options->loop, on_timer, r);
    mst_assert(r->timer);
    start_over(r);
    schedule(r, 0);
    return r;
}

void mst_reflector_free(struct mst_reflector *r)
{
    if (!r)
        return;
    if (r->request)
        mst_client_cancel(r->options.client, r->request);
    event_free(r->timer);
    mst_intake_done(&r->intake);
    mst_known_done(&r->known);
    struct mst_buf *const bufs[] = { &r->path,    &r->query,     &r->api_version,  &r->url,
                                     &r->version, &r->next_page, &r->list_version, &r->scratch };
    for (size_t i = 0; i < MST_COUNT(bufs); i++)
        mst_buf_done(bufs[i]);
    mst_free(r);
}

bool mst_reflector_has_synced(const struct mst_reflector *r)
{
    return r->synced;
}

bool mst_reflector_served(const struct mst_reflector *r)
{
    return r->served;
}

uint32_t mst_reflector_count(const struct mst_reflector *r)
{
    return mst_known_count(&r->known);
}

struct mst_reflector_stats mst_reflector_stats_of(const struct mst_reflector *r)
{
    return r->stats;
}

/* ---- requests ---- */

/* A value of a query: what is not plain is percent-encoded. */
static void add_parameter(struct mst_buf *url, const char *name, struct mst_str value)
{
    mst_buf_char(url, memchr(url->p, '?', url->n) ? '&' : '?');
    mst_buf_text(url, name);
    mst_buf_char(url, '=');
    for (size_t i = 0; i < value.n; i++) {
        const unsigned char c = (unsigned char)value.p[i];
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || memchr("-._~", c, 4);
        if (plain)
            mst_buf_char(url, (char)c);
        else
            mst_buf_printf(url, "%%%02X", c);
    }
}

static void add_number(struct mst_buf *url, const char *name, uint64_t value)
{
    mst_buf_printf(url, "%c%s=%llu", memchr(url->p, '?', url->n) ? '&' : '?', name,
                   (unsigned long long)value);
}

/* The version that a list must not be older than; "" asks for the newest. */
static struct mst_str version_wanted(const struct mst_reflector *r, struct mst_str at_first)
{
    if (r->version_lost)
        return MST_STR("");
    return r->version.n ? mst_buf_span(&r->version) : at_first;
}

/*
 * A list again, at a version, is asked for without pages: that is how it comes from the server's
 * cache instead of etcd. The first is asked for in pages, from whatever the cache has.
 */
static void add_list_query(struct mst_reflector *r)
{
    const struct mst_str version = version_wanted(r, MST_STR("0"));
    if (r->next_page.n) {
        add_number(&r->url, "limit", r->options.page);
        add_parameter(&r->url, "continue", mst_buf_span(&r->next_page));
        return;
    }
    if (!r->whole && (!version.n || mst_str_is(version, "0")))
        add_number(&r->url, "limit", r->options.page);
    if (version.n)
        add_parameter(&r->url, "resourceVersion", version);
}

static void add_watch_query(struct mst_reflector *r, uint64_t timeout_s)
{
    const struct mst_str version = version_wanted(r, MST_STR(""));
    add_number(&r->url, "watch", 1);
    if (version.n)
        add_parameter(&r->url, "resourceVersion", version);
    if (r->step == MST_REFLECT_STREAM) {
        add_parameter(&r->url, "resourceVersionMatch", MST_STR("NotOlderThan"));
        add_parameter(&r->url, "sendInitialEvents", MST_STR("true"));
    }
    add_parameter(&r->url, "allowWatchBookmarks", MST_STR("true"));
    add_number(&r->url, "timeoutSeconds", timeout_s);
}

static bool on_data(void *ctx, struct mst_str bytes);
static void on_done(void *ctx, const struct mst_reply *reply);

static void ask(struct mst_reflector *r)
{
    struct mst_request_spec spec = { .method = MST_GET,
                                     .accept =
                                         r->options.protobuf ? MST_ACCEPT_PROTO : MST_ACCEPT_JSON,
                                     .timeout_ms = -1,
                                     .idle_ms = LIST_IDLE_MS,
                                     .data = on_data,
                                     .done = on_done,
                                     .ctx = r };
    r->url.n = 0;
    mst_buf_str(&r->url, mst_buf_span(&r->path));
    if (r->step == MST_REFLECT_LIST) {
        r->stats.lists++;
        add_list_query(r);
    } else {
        const uint64_t timeout_s = WATCH_MIN_S + mst_rng_below(&r->rng, WATCH_MIN_S + 1);
        r->stats.watches++;
        add_watch_query(r, timeout_s);
        spec.endless = true;
        spec.idle_ms = (int64_t)(timeout_s + WATCH_MARGIN_S) * 1000;
    }
    if (r->query.n)
        mst_buf_printf(&r->url, "&%.*s", MST_ARG(mst_buf_span(&r->query)));
    if (r->step == MST_REFLECT_STREAM || (r->step == MST_REFLECT_LIST && !r->next_page.n))
        mst_known_round(&r->known);
    r->bytes = r->bytes_seen = 0;
    r->progress = false;
    r->verdict = MST_BODY_FINE;
    r->retry_after_s = -1;
    r->sent_ms = mst_monotonic_ms();
    mst_intake_begin(&r->intake, r->step == MST_REFLECT_LIST);
    spec.path = mst_buf_span(&r->url);
    r->request = mst_client_send(r->options.client, &spec);
    if (r->step == MST_REFLECT_STREAM)
        schedule(r, STREAM_IDLE_MS);
}

/*
 * Servers that do not know initial streams take the request for a plain watch, and the end of the
 * stream never comes.
 */
static void look_after_stream(struct mst_reflector *r)
{
    if (r->step != MST_REFLECT_STREAM)
        return;
    if (r->bytes != r->bytes_seen) {
        r->bytes_seen = r->bytes;
        schedule(r, STREAM_IDLE_MS);
        return;
    }
    mst_client_cancel(r->options.client, r->request);
    r->request = NULL;
    mst_reflector_log(r, MST_LOG_WARNING, "Initial stream stands still, listing instead",
                      "nothing came for 60 s");
    r->stream_refused = true;
    start_over(r);
    schedule(r, 0);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_reflector *r = ctx;
    (void)fd;
    (void)what;
    if (r->request)
        look_after_stream(r);
    else
        ask(r);
}

static bool on_data(void *ctx, struct mst_str bytes)
{
    struct mst_reflector *r = ctx;
    bool more = false;
    r->bytes += bytes.n;
    r->stats.bytes += bytes.n;
    if (mst_intake_feed(&r->intake, bytes, &more, &r->problem))
        r->verdict = MST_BODY_BAD;
    return more;
}

/* ---- what comes next ---- */

/* What went wrong, whether an answer or an event of a watch said so. */
struct failure {
    int64_t code; /* HTTP status; 0: none */
    int64_t retry_after_s;
    mst_net net;
    const char *text;
};

static int64_t backoff(struct mst_reflector *r, mst_net net)
{
    const int64_t now_ms = mst_monotonic_ms();
    if (net == MST_NET_REFUSED)
        return mst_backoff_short(&r->backoff, &r->rng, now_ms, REFUSED_MAX_MS);
    return mst_backoff_next(&r->backoff, &r->rng, now_ms);
}

/* As long as the server asks for, and no shorter than what we would wait. */
static void wait_as_asked(struct mst_reflector *r, const struct failure *f)
{
    const int64_t asked_ms = MST_MIN(f->retry_after_s, (int64_t)RETRY_AFTER_MAX_S) * 1000;
    const int64_t delay_ms = backoff(r, f->net);
    schedule(r, MST_MAX(delay_ms, asked_ms));
}

static bool is_too_new(const struct failure *f)
{
    return f->code == 504 && strstr(f->text, "Too large resource version");
}

/* Asking at our version is of no use: ask for the newest, at once unless that is what failed. */
static void lose_version(struct mst_reflector *r)
{
    const bool again = r->version_lost || !r->version.n;
    r->version_lost = true;
    start_over(r);
    schedule(r, again ? backoff(r, MST_NET_OK) : 0);
}

/* Who may not look now may soon: a server that starts refuses before it has read its roles. */
static void wait_for_resource(struct mst_reflector *r, const struct failure *f)
{
    mst_log(r->options.log, r->synced && !r->served ? 4 : 2, "Resource is not served",
            MST_KSTR("path", mst_buf_span(&r->path)), MST_KSTR("err", mst_str_of(f->text)));
    mst_reflector_absent(r);
    start_over(r);
    const int64_t longest_ms = r->backoff.max_ms * ABSENT_FACTOR_MAX;
    const int64_t first_ms = f->code == 403 ? r->backoff.min_ms : r->backoff.max_ms;
    r->absent_ms = r->absent_ms ? MST_MIN(r->absent_ms * 2, longest_ms) : first_ms;
    schedule(r, r->absent_ms + (int64_t)mst_rng_below(&r->rng, (uint64_t)r->absent_ms / 10 + 1));
}

static const char *advice(int64_t code)
{
    switch (code) {
    case 401: return "Failed to list or watch: the API server does not accept our credentials";
    case 403:
        return "Failed to list or watch: grant the verbs list and watch on this resource (RBAC)";
    case 404: return "Failed to list or watch: the API server does not serve this resource";
    default: return "Failed to list or watch";
    }
}

static void list_failed(struct mst_reflector *r, const struct failure *f)
{
    if (f->code == 410 && r->next_page.n) {
        r->whole = true;
        start_over(r);
        r->step = MST_REFLECT_LIST;
        schedule(r, 0);
        return;
    }
    if (f->code == 410 || is_too_new(f)) {
        lose_version(r);
        return;
    }
    if ((f->code == 404 || f->code == 403) && r->options.optional) {
        wait_for_resource(r, f);
        return;
    }
    mst_reflector_log(r, f->code == 429 ? MST_LOG_WARNING : MST_LOG_ERROR, advice(f->code),
                      f->text);
    /* A page is asked for again, unless the server, not the network, is what failed. */
    if (f->code && f->code != 429)
        r->next_page.n = 0;
    wait_as_asked(r, f);
}

/* The initial stream: without it there is still the list, which then says what is wrong. */
static void stream_failed(struct mst_reflector *r, const struct failure *f)
{
    if (f->code == 410 || is_too_new(f)) {
        lose_version(r);
        return;
    }
    mst_log(r->options.log, 4, "Initial stream failed", MST_KSTR("path", mst_buf_span(&r->path)),
            MST_KSTR("err", mst_str_of(f->text)));
    if (f->code == 429) {
        wait_as_asked(r, f);
        return;
    }
    if (!f->code) {
        mst_reflector_log(r, MST_LOG_WARNING, advice(0), f->text);
        schedule(r, backoff(r, f->net));
        return;
    }
    r->stream_refused = true;
    start_over(r);
    schedule(r, 0);
}

/*
 * A version has become too old. That is no sign of a server in trouble, whose restart is a usual
 * reason, so what failed before does not count, unless lists become too old as soon as they come.
 */
static void list_again(struct mst_reflector *r)
{
    const int64_t age_ms = mst_monotonic_ms() - r->complete_ms;
    start_over(r);
    if (age_ms > r->backoff.max_ms)
        schedule(r, (int64_t)mst_rng_below(&r->rng, (uint64_t)r->backoff.min_ms));
    else
        schedule(r, backoff(r, MST_NET_OK));
}

/* `opened`: the server had agreed to the watch. */
static void watch_failed(struct mst_reflector *r, const struct failure *f, bool opened)
{
    const bool server = f->code >= 500 && !opened && !is_too_new(f);
    if (f->code == 410 || f->code == 429)
        mst_log(r->options.log, 4, "Watch closed", MST_KSTR("path", mst_buf_span(&r->path)),
                MST_KSTR("err", mst_str_of(f->text)));
    else
        mst_reflector_log(r, MST_LOG_WARNING, advice(f->code), f->text);
    if (f->code == 410) {
        list_again(r);
        return;
    }
    if (f->code && f->code != 429 && !server)
        start_over(r);
    if (is_too_new(f))
        r->version_lost = true;
    wait_as_asked(r, f);
}

/* The watch ended without anybody saying that something is wrong. */
static void watch_ended(struct mst_reflector *r, const struct mst_reply *reply)
{
    const int64_t lived_ms = mst_monotonic_ms() - r->sent_ms;
    const bool opened = reply->net == MST_NET_OK || r->bytes;
    if (r->progress || (opened && lived_ms >= SHORT_WATCH_MS)) {
        mst_log(r->options.log, 4, "Watch closed", MST_KSTR("path", mst_buf_span(&r->path)));
        schedule(r, 0);
        return;
    }
    MST_AUTO(mst_buf) text = { 0 };
    if (reply->net == MST_NET_OK)
        mst_buf_text(&text, "the watch was closed at once, without events");
    else
        mst_buf_str(&text, reply->problem);
    mst_buf_char(&text, '\0');
    mst_reflector_log(r, MST_LOG_WARNING, advice(0), text.p);
    schedule(r, backoff(r, reply->net));
}

static void list_ended(struct mst_reflector *r)
{
    struct mst_list_head head;
    struct mst_err err;
    if (mst_intake_end(&r->intake, &head, &err)) {
        list_failed(r, &(struct failure){ .code = 200, .retry_after_s = -1, .text = err.text });
        return;
    }
    if (!r->next_page.n) {
        r->list_version.n = 0;
        mst_buf_str(&r->list_version, head.version);
    }
    r->next_page.n = 0;
    mst_buf_str(&r->next_page, head.next);
    if (!head.next.n)
        mst_reflector_complete(r, mst_buf_span(&r->list_version));
    schedule(r, 0);
}

static void failed(struct mst_reflector *r, const struct failure *f, bool opened)
{
    switch (r->step) {
    case MST_REFLECT_LIST: list_failed(r, f); break;
    case MST_REFLECT_STREAM: stream_failed(r, f); break;
    case MST_REFLECT_WATCH: watch_failed(r, f, opened); break;
    }
}

/* A body that was given up, or that ended; a stream that ended early is no stream. */
static void on_body(struct mst_reflector *r, const struct mst_reply *reply)
{
    struct failure f = { .code = 200, .retry_after_s = -1, .text = r->problem.text };
    if (r->verdict == MST_BODY_ERROR) {
        f.code = r->code;
        f.retry_after_s = r->retry_after_s;
    }
    if (r->verdict != MST_BODY_FINE) {
        failed(r, &f, true);
    } else if (r->step == MST_REFLECT_WATCH) {
        watch_ended(r, reply);
    } else if (r->step == MST_REFLECT_LIST) {
        list_ended(r);
    } else {
        f.text = "the watch ended before the initial events did";
        stream_failed(r, &f);
    }
}

static void on_done(void *ctx, const struct mst_reply *reply)
{
    struct mst_reflector *r = ctx;
    r->request = NULL;
    evtimer_del(r->timer);
    const bool cut = reply->net != MST_NET_OK;
    if (r->verdict != MST_BODY_FINE || (!cut && reply->status == 200) ||
        (cut && r->step == MST_REFLECT_WATCH)) {
        on_body(r, reply);
        return;
    }
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_str(&text, reply->problem);
    mst_buf_char(&text, '\0');
    const struct failure f = { .code = cut ? 0 : reply->status,
                               .retry_after_s = reply->retry_after_s,
                               .net = reply->net,
                               .text = text.p };
    failed(r, &f, false);
}
