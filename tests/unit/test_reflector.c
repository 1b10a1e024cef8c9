/* A reflector against a server of a few words: what it asks for, and what it makes of answers. */
#include "client/reflector.h"

#include <stdio.h>

#include "client/backoff.h"
#include "fake_client.h"
#include "tap.h"

enum { SOON_MS = 2000, NOT_MS = 30 };

#define NODE(name, uid, version)                                                                   \
    "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"" \
    "}}"
#define NODE_EVENT(type, name, uid, version)                                                       \
    "{\"type\":\"" type "\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"    \
    "\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"}}}\n"
#define BOOKMARK(version, notes)                                                                   \
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"    \
    "\"resourceVersion\":\"" version "\",\"annotations\":{" notes "}}}}\n"
#define INITIAL_END "\"k8s.io/initial-events-end\":\"true\""
#define NODE_LIST(version, more, items)                                                            \
    "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version    \
    "\"" more "},\"items\":[" items "]}\n"
#define ERROR_EVENT(code, reason, details)                                                         \
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":"        \
    "\"Failure\",\"message\":\"said so\",\"reason\":\"" reason "\",\"code\":" code details "}}\n"

/* What was told, as text: "+a@1 -a#u1 ." (a full stop is `synced`). */
struct rig {
    struct mst_client client;
    struct mst_syms *syms;
    struct mst_api api;
    struct mst_log log;
    struct mst_buf log_text, told;
    struct mst_reflector *reflector;
};

static void on_set(void *ctx, const struct mst_object *object)
{
    struct rig *rig = ctx;
    const struct mst_meta *meta = &object->u.meta;
    mst_buf_printf(&rig->told, "+%.*s@%.*s ", MST_ARG(meta->name), MST_ARG(meta->resource_version));
}

static void on_gone(void *ctx, const struct mst_object *object)
{
    struct rig *rig = ctx;
    const struct mst_meta *meta = &object->u.meta;
    const struct mst_str ns = mst_sym_str(rig->syms, meta->namespace_);
    mst_buf_printf(&rig->told, "-%.*s%s%.*s#%.*s ", MST_ARG(ns), ns.n ? "/" : "",
                   MST_ARG(meta->name), MST_ARG(meta->uid));
}

static void on_synced(void *ctx)
{
    struct rig *rig = ctx;
    mst_buf_text(&rig->told, ". ");
}

static void write_log(void *ctx, const char *line, size_t n)
{
    struct rig *rig = ctx;
    mst_buf_add(&rig->log_text, line, n);
}

static int64_t no_clock(void *ctx)
{
    (void)ctx;
    return 0;
}

static struct mst_reflector_options plain(struct rig *rig)
{
    return (struct mst_reflector_options){ .loop = rig->client.loop,
                                           .client = &rig->client,
                                           .api = &rig->api,
                                           .log = &rig->log,
                                           .kind = MST_KIND_NODE,
                                           .path = "/api/v1/nodes",
                                           .backoff_min_ms = 1,
                                           .backoff_max_ms = 4,
                                           .seed = 7,
                                           .set = on_set,
                                           .gone = on_gone,
                                           .synced = on_synced,
                                           .ctx = rig };
}

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){ .syms = mst_syms_new(), .log = { .level = 4 } };
    rig->log.write = write_log;
    rig->log.clock = no_clock;
    rig->log.ctx = rig;
    rig->api.syms = rig->syms;
    fake_init(&rig->client);
}

static void rig_done(struct rig *rig)
{
    mst_reflector_free(rig->reflector);
    fake_done(&rig->client);
    mst_syms_free(rig->syms);
    mst_buf_done(&rig->log_text);
    mst_buf_done(&rig->told);
}

/* The next request; checks how its path begins. */
static struct mst_request_handle *next(struct mst_test *t, struct rig *rig, const char *path)
{
    struct mst_request_handle *h = fake_next(&rig->client, SOON_MS);
    t_ok(t, h != NULL);
    mst_assert(h);
    if (!mst_str_has_prefix(mst_buf_span(&h->path), path))
        t_text(t, h->path.p, path);
    return h;
}

static void told(struct mst_test *t, struct rig *rig, const char *want)
{
    t_str(t, mst_buf_span(&rig->told), want);
    rig->told.n = 0;
}

static bool logged(struct rig *rig, const char *text)
{
    const bool found =
        rig->log_text.n && memmem(rig->log_text.p, rig->log_text.n, text, strlen(text));
    rig->log_text.n = 0;
    return found;
}

/* Lists nodes a and b at version 10; the watch is returned. */
static struct mst_request_handle *start(struct mst_test *t, struct rig *rig,
                                        const struct mst_reflector_options *options)
{
    rig->reflector = mst_reflector_new(options);
    fake_body(next(t, rig, "/api/v1/nodes?limit=500&resourceVersion=0"),
              NODE_LIST("10", "", NODE("a", "u1", "3") "," NODE("b", "u2", "10")));
    told(t, rig, "+a@3 +b@10 . ");
    return next(t, rig,
                "/api/v1/nodes?watch=1&resourceVersion=10&allowWatchBookmarks=true&"
                "timeoutSeconds=");
}

/* ---- what is told ---- */

static void test_reflector_list_and_watch(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    t_ok(t, mst_reflector_has_synced(rig.reflector) && mst_reflector_served(rig.reflector));
    fake_text(h, NODE_EVENT("ADDED", "c", "u3", "11") NODE_EVENT("MODIFIED", "a", "u1", "12"));
    fake_text(h, NODE_EVENT("DELETED", "b", "u2", "13"));
    told(t, &rig, "+c@11 +a@12 -b#u2 ");
    t_int(t, mst_reflector_count(rig.reflector), 2);
    fake_text(h, BOOKMARK("20", ""));
    fake_answer(h, 200, "");
    h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=20&");
    t_int(t, h->spec.timeout_ms, -1);
    t_ok(t, h->spec.idle_ms >= 330000 && h->spec.idle_ms <= 630000);
    told(t, &rig, "");
    const struct mst_reflector_stats stats = mst_reflector_stats_of(rig.reflector);
    t_int(t, stats.lists, 1);
    t_int(t, stats.watches, 2);
    t_int(t, stats.events, 4);
    t_int(t, stats.bookmarks, 1);
    rig_done(&rig);
    t_int(t, rig.client.cancelled, 1);
}

/* Pages, each cut at every byte in turn. */
static void test_reflector_pages(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    struct mst_reflector_options options = plain(&rig);
    options.page = 2;
    options.query = "fieldSelector=x";
    rig.reflector = mst_reflector_new(&options);
    struct mst_request_handle *h =
        next(t, &rig, "/api/v1/nodes?limit=2&resourceVersion=0&fieldSelector=x");
    static const char first[] = NODE_LIST("10", ",\"continue\":\"a/+=\"",
                                          NODE("a\\\"]}", "u1", "3") ",\n " NODE("b", "u2", "10"));
    for (size_t i = 0; i + 1 < sizeof(first); i++)
        fake_bytes(h, (struct mst_str){ first + i, 1 });
    fake_answer(h, 200, "");
    told(t, &rig, "+a\"]}@3 +b@10 ");
    t_ok(t, !mst_reflector_has_synced(rig.reflector));
    h = next(t, &rig, "/api/v1/nodes?limit=2&continue=a%2F%2B%3D&fieldSelector=x");
    fake_fail(h, MST_NET_BROKEN);
    h = next(t, &rig, "/api/v1/nodes?limit=2&continue=a%2F%2B%3D&fieldSelector=x");
    fake_body(h, NODE_LIST("10", "", NODE("c", "u3", "4")));
    told(t, &rig, "+c@4 . ");
    next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=10&");
    rig_done(&rig);
}

/* The list begins again without pages; what the first pages had and it has not is gone. */
static void test_reflector_continuation_expires(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    rig.reflector = mst_reflector_new(&options);
    fake_body(next(t, &rig, "/api/v1/nodes?limit=500&resourceVersion=0"),
              NODE_LIST("10", ",\"continue\":\"x\"",
                        NODE("a", "u1", "3") "," NODE("b", "u2", "4")));
    fake_answer(next(t, &rig, "/api/v1/nodes?limit=500&continue=x"), 410, "expired");
    struct mst_request_handle *h = next(t, &rig, "/api/v1/nodes?resourceVersion=0");
    t_text(t, h->path.p, "/api/v1/nodes?resourceVersion=0");
    fake_body(h, NODE_LIST("12", "", NODE("b", "u2", "4") "," NODE("c", "u3", "11")));
    told(t, &rig, "+a@3 +b@4 +c@11 -a#u1 . ");
    next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=12&");
    rig_done(&rig);
}

static void test_reflector_relist_tells_the_difference(struct mst_test *t)
{
    static const char uid[] = "0f3ad2c4-7c5e-4d1b-9a60-5be4e1a2c3d4";
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    fake_text(h, NODE_EVENT("ADDED", "c", "0f3ad2c4-7c5e-4d1b-9a60-5be4e1a2c3d4", "11"));
    told(t, &rig, "+c@11 ");
    fake_text(h, ERROR_EVENT("410", "Expired", ""));
    h = next(t, &rig, "/api/v1/nodes?resourceVersion=11");
    t_text(t, h->path.p, "/api/v1/nodes?resourceVersion=11");
    fake_body(h, NODE_LIST("30", "", NODE("a", "u1", "3") "," NODE("b", "u9", "20")));
    MST_AUTO(mst_buf) want = { 0 };
    mst_buf_printf(&want, "-b#u2 +b@20 -c#%s ", uid);
    mst_buf_char(&want, '\0');
    told(t, &rig, want.p);
    next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=30&");
    rig_done(&rig);
}

/* A deletion that is late says nothing about the object that has the name now. */
static void test_reflector_late_deletion(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    fake_text(h, NODE_EVENT("DELETED", "a", "u0", "11") NODE_EVENT("DELETED", "z", "u0", "12"));
    told(t, &rig, "");
    fake_text(h, NODE_EVENT("MODIFIED", "a", "u1", "13") NODE_EVENT("MODIFIED", "a", "u1", "13"));
    told(t, &rig, "+a@13 ");
    rig_done(&rig);
}

/* ---- initial streams ---- */

static void test_reflector_initial_stream(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    struct mst_reflector_options options = plain(&rig);
    options.watch_list = true;
    rig.reflector = mst_reflector_new(&options);
    struct mst_request_handle *h =
        next(t, &rig,
             "/api/v1/nodes?watch=1&resourceVersionMatch=NotOlderThan&"
             "sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=");
    fake_text(h, NODE_EVENT("ADDED", "a", "u1", "9") NODE_EVENT("ADDED", "b", "u2", "4"));
    fake_text(h, BOOKMARK("5", ""));
    fake_fail(h, MST_NET_BROKEN);
    told(t, &rig, "+a@9 +b@4 ");
    h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersionMatch=NotOlderThan&send");
    fake_text(h, NODE_EVENT("ADDED", "b", "u2", "4") BOOKMARK("10", INITIAL_END));
    told(t, &rig, "-a#u1 . ");
    fake_text(h, NODE_EVENT("ADDED", "c", "u3", "11"));
    told(t, &rig, "+c@11 ");
    fake_fail(h, MST_NET_BROKEN);
    h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=11&allow");
    fake_text(h, ERROR_EVENT("410", "Expired", ""));
    next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=11&resourceVersionMatch=NotOlderThan&");
    rig_done(&rig);
}

static void test_reflector_initial_stream_refused(struct mst_test *t)
{
    static const int statuses[] = { 400, 422, 403, 404, 500 };
    for (size_t i = 0; i <= MST_COUNT(statuses); i++) {
        struct rig rig;
        rig_init(&rig);
        struct mst_reflector_options options = plain(&rig);
        options.watch_list = true;
        rig.reflector = mst_reflector_new(&options);
        struct mst_request_handle *h =
            next(t, &rig, "/api/v1/nodes?watch=1&resourceVersionMatch=NotOlderThan&");
        if (i < MST_COUNT(statuses))
            fake_answer(h, statuses[i], "sendInitialEvents is forbidden");
        else
            fake_answer(h, 200, ""); /* it ends before the initial events do */
        fake_body(next(t, &rig, "/api/v1/nodes?limit=500&resourceVersion=0"),
                  NODE_LIST("10", "", NODE("a", "u1", "3")));
        told(t, &rig, "+a@3 . ");
        next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=10&allow");
        rig_done(&rig);
    }
}

/* ---- failures ---- */

/* A version that the server does not have yet, or no longer. */
static void test_reflector_version_is_lost(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    fake_answer(h, 504, "Too large resource version: 10, current: 2");
    fake_body(next(t, &rig, "/api/v1/nodes?limit=500"), NODE_LIST("2", "", NODE("a", "u1", "1")));
    told(t, &rig, "+a@1 -b#u2 ");
    h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=2&");
    fake_answer(h, 410, "too old");
    h = next(t, &rig, "/api/v1/nodes?resourceVersion=2");
    fake_answer(h, 410, "too old");
    h = next(t, &rig, "/api/v1/nodes?limit=500");
    t_text(t, h->path.p, "/api/v1/nodes?limit=500");
    fake_answer(h, 410, "too old");
    next(t, &rig, "/api/v1/nodes?limit=500");
    rig_done(&rig);
}

/* What keeps the version and watches again, and what lists again. */
static void test_reflector_watch_failures(struct mst_test *t)
{
    static const struct {
        const char *name;
        mst_net net;
        int status;
        const char *event;
        const char *then;
    } cases[] = {
        { "refused", MST_NET_REFUSED, 0, NULL, "watch=1&resourceVersion=10&" },
        { "broken", MST_NET_BROKEN, 0, NULL, "watch=1&resourceVersion=10&" },
        { "timeout", MST_NET_TIMEOUT, 0, NULL, "watch=1&resourceVersion=10&" },
        { "TLS", MST_NET_TLS, 0, NULL, "watch=1&resourceVersion=10&" },
        { "credentials", MST_NET_AUTH, 0, NULL, "watch=1&resourceVersion=10&" },
        { "429", MST_NET_OK, 429, NULL, "watch=1&resourceVersion=10&" },
        { "500", MST_NET_OK, 500, NULL, "watch=1&resourceVersion=10&" },
        { "503", MST_NET_OK, 503, NULL, "watch=1&resourceVersion=10&" },
        { "closed at once", MST_NET_OK, 200, NULL, "watch=1&resourceVersion=10&" },
        { "400", MST_NET_OK, 400, NULL, "resourceVersion=10" },
        { "403", MST_NET_OK, 403, NULL, "resourceVersion=10" },
        { "404", MST_NET_OK, 404, NULL, "resourceVersion=10" },
        { "410", MST_NET_OK, 410, NULL, "resourceVersion=10" },
        { "event 410", MST_NET_OK, 200, ERROR_EVENT("410", "Gone", ""), "resourceVersion=10" },
        { "event 500", MST_NET_OK, 200, ERROR_EVENT("500", "Oh", ""), "resourceVersion=10" },
        { "event 429", MST_NET_OK, 200, ERROR_EVENT("429", "TooManyRequests", ""),
          "watch=1&resourceVersion=10&" },
        { "no JSON", MST_NET_OK, 200, "{\"type\":\"ADDED\",\"object\":}\n", "resourceVersion=10" },
        { "no object", MST_NET_OK, 200, "{\"type\":\"ADDED\"}\n", "resourceVersion=10" },
        { "no event", MST_NET_OK, 200, "[]\n", "resourceVersion=10" },
        { "unknown event", MST_NET_OK, 200,
          "{\"type\":\"RENAMED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n",
          "resourceVersion=10" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        char path[100];
        t_case(t, cases[i].name);
        rig_init(&rig);
        const struct mst_reflector_options options = plain(&rig);
        struct mst_request_handle *h = start(t, &rig, &options);
        if (cases[i].event)
            t_ok(t, !fake_text(h, cases[i].event));
        else if (cases[i].net)
            fake_fail(h, cases[i].net);
        else
            fake_answer(h, cases[i].status, cases[i].status == 200 ? "" : "no");
        t_int(t, rig.client.n, 0); /* never at once */
        snprintf(path, sizeof(path), "/api/v1/nodes?%s", cases[i].then);
        next(t, &rig, path);
        told(t, &rig, "");
        rig_done(&rig);
    }
}

static void test_reflector_list_failures(struct mst_test *t)
{
    static const struct {
        const char *name, *body, *line;
        mst_net net;
        int status;
    } cases[] = {
        { "refused", "", "Failed to list or watch", MST_NET_REFUSED, 0 },
        { "401", "no", "does not accept our credentials", MST_NET_OK, 401 },
        { "403", "no", "grant the verbs list and watch on this resource (RBAC)", MST_NET_OK, 403 },
        { "404", "no", "does not serve this resource", MST_NET_OK, 404 },
        { "500", "no", "Failed to list or watch", MST_NET_OK, 500 },
        { "429", "no", "Failed to list or watch", MST_NET_OK, 429 },
        { "cut", "{\"items\":[{", "Failed to list", MST_NET_OK, 200 },
        { "no version", "{\"items\":[]}", "without metadata.resourceVersion", MST_NET_OK, 200 },
        { "an item is no JSON", "{\"items\":[{]}", "item of a list", MST_NET_OK, 200 },
        { "no list", "hello", "Failed to list", MST_NET_OK, 200 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        t_case(t, cases[i].name);
        rig_init(&rig);
        const struct mst_reflector_options options = plain(&rig);
        rig.reflector = mst_reflector_new(&options);
        struct mst_request_handle *h = next(t, &rig, "/api/v1/nodes?limit=500&resourceVersion=0");
        if (cases[i].net)
            fake_fail(h, cases[i].net);
        else if (cases[i].status == 200)
            fake_body(h, cases[i].body);
        else
            fake_answer(h, cases[i].status, cases[i].body);
        t_int(t, rig.client.n, 0);
        t_ok(t, logged(&rig, cases[i].line));
        next(t, &rig, "/api/v1/nodes?limit=500&resourceVersion=0");
        told(t, &rig, "");
        rig_done(&rig);
    }
}

/* A version that is too old is listed anew at once, however long the server was away before. */
static void test_reflector_expiry_after_failures(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    struct mst_reflector_options options = plain(&rig);
    options.backoff_max_ms = 512;
    struct mst_request_handle *h = start(t, &rig, &options);
    for (int i = 0; i < 9; i++) {
        fake_fail(h, MST_NET_REFUSED);
        h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=10&");
    }
    const int64_t begin_ms = mst_monotonic_ms();
    fake_text(h, ERROR_EVENT("410", "Expired", ""));
    next(t, &rig, "/api/v1/nodes?resourceVersion=10");
    t_ok(t, mst_monotonic_ms() - begin_ms < 450);
    rig_done(&rig);
}

/* Retry-After counts in whole seconds, so this takes one. */
static void test_reflector_retry_after(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    const int64_t begin_ms = mst_monotonic_ms();
    fake_text(h, ERROR_EVENT("429", "TooManyRequests", ",\"details\":{\"retryAfterSeconds\":1}"));
    next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=10&");
    t_ok(t, mst_monotonic_ms() - begin_ms >= 990);
    rig_done(&rig);
}

/* Half an event at the end of a stream is dropped and comes again. */
static void test_reflector_cut_frame(struct mst_test *t)
{
    static const char event[] = NODE_EVENT("ADDED", "c", "u3", "11");
    for (size_t cut = 0; cut + 1 < sizeof(event); cut += 7) {
        struct rig rig;
        rig_init(&rig);
        const struct mst_reflector_options options = plain(&rig);
        struct mst_request_handle *h = start(t, &rig, &options);
        fake_bytes(h, (struct mst_str){ event, cut });
        fake_fail(h, MST_NET_BROKEN);
        told(t, &rig, "");
        h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=10&");
        fake_text(h, event);
        told(t, &rig, "+c@11 ");
        rig_done(&rig);
    }
}

/* ---- resources that may be missing ---- */

static void test_reflector_optional(struct mst_test *t)
{
    static const int statuses[] = { 404, 403 };
    for (size_t i = 0; i < MST_COUNT(statuses); i++) {
        struct rig rig;
        rig_init(&rig);
        struct mst_reflector_options options = plain(&rig);
        options.optional = true;
        if (statuses[i] == 403)
            options.backoff_max_ms = 60000; /* what is refused is looked for again before that */
        rig.reflector = mst_reflector_new(&options);
        fake_answer(next(t, &rig, "/api/v1/nodes?limit"), statuses[i], "not found");
        told(t, &rig, ". ");
        t_ok(t, mst_reflector_has_synced(rig.reflector));
        t_ok(t, !mst_reflector_served(rig.reflector));
        fake_body(next(t, &rig, "/api/v1/nodes?limit"), NODE_LIST("10", "", NODE("a", "u1", "3")));
        told(t, &rig, "+a@3 ");
        t_ok(t, mst_reflector_served(rig.reflector));
        fake_answer(next(t, &rig, "/api/v1/nodes?watch=1"), statuses[i], "not found");
        fake_answer(next(t, &rig, "/api/v1/nodes?resourceVersion=10"), statuses[i], "not found");
        told(t, &rig, "-a#u1 ");
        t_ok(t, !mst_reflector_served(rig.reflector));
        next(t, &rig, "/api/v1/nodes?limit=500&resourceVersion=0");
        rig_done(&rig);
    }
}

/* ---- objects that cannot be read ---- */

#define BAD_NODE(uid, version)                                                                     \
    "{\"metadata\":{\"name\":\"a\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version             \
    "\"},\"spec\":{\"unschedulable\":3}}"
#define BAD_EVENT(uid, version)                                                                    \
    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"    \
    "\"name\":\"a\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version                            \
    "\"},\"spec\":{\"unschedulable\":3}}}\n"

static void test_reflector_bad_object_in_a_list(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    rig.reflector = mst_reflector_new(&options);
    fake_body(next(t, &rig, "/api/v1/nodes?limit"),
              NODE_LIST("10", "", BAD_NODE("u1", "3") "," NODE("b", "u2", "10")));
    told(t, &rig, "+b@10 . ");
    t_ok(t, logged(&rig, "spec.unschedulable"));
    t_int(t, mst_reflector_stats_of(rig.reflector).bad_objects, 1);
    struct mst_request_handle *h = next(t, &rig, "/api/v1/nodes?watch=1");
    fake_text(h, NODE_EVENT("DELETED", "a", "u1", "11")); /* it was never told */
    told(t, &rig, "");
    rig_done(&rig);
}

static void test_reflector_bad_object_that_was_good(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    fake_text(h, BAD_EVENT("u1", "11"));
    told(t, &rig, "");
    fake_text(h, ERROR_EVENT("410", "Expired", ""));
    fake_body(next(t, &rig, "/api/v1/nodes?resourceVersion=11"),
              NODE_LIST("12", "", BAD_NODE("u1", "11") "," NODE("b", "u2", "10")));
    told(t, &rig, ""); /* it is there, as it was */
    h = next(t, &rig, "/api/v1/nodes?watch=1&resourceVersion=12&");
    fake_text(h, BAD_EVENT("u7", "13"));
    told(t, &rig, "-a#u1 "); /* another one, which cannot be read */
    fake_text(h, NODE_EVENT("MODIFIED", "a", "u7", "14"));
    told(t, &rig, "+a@14 ");
    t_int(t, mst_reflector_stats_of(rig.reflector).bad_objects, 3);
    rig_done(&rig);
}

static void test_reflector_odd_events(struct mst_test *t)
{
    static const char *const events[] = {
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\"}}\n",
        ("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":"
         "{\"name\":\"p\",\"uid\":\"u\",\"resourceVersion\":\"11\"}}}\n"),
        "{\"type\":\"DELETED\",\"object\":{\"metadata\":5}}\n",
    };
    struct rig rig;
    rig_init(&rig);
    const struct mst_reflector_options options = plain(&rig);
    struct mst_request_handle *h = start(t, &rig, &options);
    for (size_t i = 0; i < MST_COUNT(events); i++) {
        t_ok(t, fake_text(h, events[i]));
        t_int(t, mst_reflector_stats_of(rig.reflector).bad_objects, i + 1);
    }
    t_ok(t, fake_text(h, "\n \r\n"));
    told(t, &rig, "");
    rig_done(&rig);
}

/* Before its first step, while it waits, and (everywhere else here) with a request under way. */
static void test_reflector_free(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    struct mst_reflector_options options = plain(&rig);
    options.backoff_min_ms = options.backoff_max_ms = 60000;
    mst_reflector_free(NULL);
    mst_reflector_free(mst_reflector_new(&options));
    rig.reflector = mst_reflector_new(&options);
    fake_answer(next(t, &rig, "/api/v1/nodes?limit"), 500, "no");
    t_ok(t, fake_next(&rig.client, NOT_MS) == NULL);
    rig_done(&rig);
}

MST_TEST_MAIN(T(test_reflector_list_and_watch), T(test_reflector_pages),
              T(test_reflector_continuation_expires), T(test_reflector_relist_tells_the_difference),
              T(test_reflector_late_deletion), T(test_reflector_initial_stream),
              T(test_reflector_initial_stream_refused), T(test_reflector_version_is_lost),
              T(test_reflector_watch_failures), T(test_reflector_list_failures),
              T(test_reflector_expiry_after_failures), T(test_reflector_retry_after),
              T(test_reflector_cut_frame), T(test_reflector_optional),
              T(test_reflector_bad_object_in_a_list), T(test_reflector_bad_object_that_was_good),
              T(test_reflector_odd_events), T(test_reflector_free))
