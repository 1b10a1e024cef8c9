/*
 * The endpoints, over a server without TLS on loopback.
 */
#include "daemon/endpoints.h"

#include "https_client.h"
#include "tap.h"

struct world {
    struct event_base *loop;
    struct mst_https *server;
    struct mst_endpoints endpoints;
    bool broken;
    uint32_t resets, slis_resets;
    struct mst_buf checked;
};

static bool check(void *ctx, struct mst_err *why)
{
    const struct world *w = ctx;
    if (w->broken)
        (void)mst_fail(why, MST_EIO, "the lease ran out");
    return !w->broken;
}

static void metrics(void *ctx, struct mst_buf *out)
{
    (void)ctx;
    mst_buf_text(out, "m 1\n");
}

static void metrics_reset(void *ctx)
{
    struct world *w = ctx;
    w->resets++;
}

static void slis(void *ctx, struct mst_buf *out)
{
    const struct world *w = ctx;
    mst_buf_str(out, mst_buf_span(&w->checked));
}

static void resources(void *ctx, struct mst_buf *out)
{
    (void)ctx;
    mst_buf_text(out, "r 1\n");
}

static void slis_reset(void *ctx)
{
    struct world *w = ctx;
    w->slis_resets++;
    w->checked.n = 0;
}

static void checked(void *ctx, const char *name, const char *endpoint, bool healthy)
{
    struct world *w = ctx;
    mst_buf_printf(&w->checked, "%s/%s %d\n", endpoint, name, healthy);
}

static void configz(void *ctx, struct mst_buf *out)
{
    (void)ctx;
    mst_buf_text(out, "{\"componentconfig\":{}}");
}

static void handle(void *ctx, struct mst_https_request *request)
{
    struct world *w = ctx;
    mst_endpoints_answer(&w->endpoints, request);
}

static struct mst_health_check checks[] = { { "ping", mst_health_ping, NULL },
                                            { "leaderElection", check, NULL } };

static void start(struct mst_test *t, struct world *w)
{
    struct mst_err err;
    *w = (struct world){ .loop = event_base_new() };
    checks[1].ctx = w;
    w->endpoints = (struct mst_endpoints){ .healthz = { checks, MST_COUNT(checks) },
                                           .readyz = { checks, MST_COUNT(checks) },
                                           .metrics = { metrics, metrics_reset },
                                           .slis = { slis, slis_reset },
                                           .resources = { resources, metrics_reset },
                                           .checked = checked,
                                           .configz = configz,
                                           .ctx = w };
    const struct mst_https_options options = {
        .loop = w->loop, .address = "127.0.0.1", .plain = true, .handle = handle, .ctx = w
    };
    t_int(t, mst_https_new(&options, &w->server, &err), MST_OK);
}

static void stop(struct world *w)
{
    mst_buf_done(&w->checked);
    mst_https_free(w->server);
    event_base_free(w->loop);
}

/* The status, the type and the body. */
static void ask(struct mst_test *t, struct world *w, const char *what, const char *status,
                const char *type, const char *body)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", what);
    struct test_client c = { .plain = true,
                             .port = mst_https_port(w->server),
                             .send = mst_buf_span(&text) };
    test_client_run(&c, w->loop);
    t_case(t, what);
    t_ok(t, test_got(&c, status));
    t_ok(t, test_got(&c, type));
    t_ok(t, test_got(&c, "X-Content-Type-Options: nosniff\r\n"));
    const char *end = c.got.n ? memmem(c.got.p, c.got.n, "\r\n\r\n", 4) : NULL;
    if (end)
        t_str(t, ((struct mst_str){ end + 4, c.got.n - (size_t)(end + 4 - c.got.p) }), body);
    else
        t_fail(t, "no answer");
    mst_buf_done(&c.got);
}

#define TEXT "Content-Type: text/plain; charset=utf-8\r\n"

static void test_healthy(struct mst_test *t)
{
    struct world w;
    start(t, &w);
    ask(t, &w, "GET /healthz", " 200 ", TEXT, "ok");
    ask(t, &w, "HEAD /healthz", " 200 ", TEXT, "");
    ask(t, &w, "GET /livez", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /livez?verbose", " 200 ", TEXT, "[+]ping ok\nlivez check passed\n");
    ask(t, &w, "GET /readyz?verbose=1", " 200 ", TEXT,
        "[+]ping ok\n[+]leaderElection ok\nreadyz check passed\n");
    ask(t, &w, "GET /healthz/ping", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /healthz/leaderElection", " 200 ", TEXT, "ok");
    stop(&w);
}

static void test_unhealthy(struct mst_test *t)
{
    struct world w;
    start(t, &w);
    w.broken = true;
    ask(t, &w, "GET /healthz", " 500 ", TEXT,
        "[+]ping ok\n[-]leaderElection failed: reason withheld\nhealthz check failed\n");
    ask(t, &w, "GET /healthz/leaderElection", " 500 ", TEXT,
        "internal server error: the lease ran out\n");
    ask(t, &w, "GET /healthz/ping", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /livez", " 200 ", TEXT, "ok");
    stop(&w);
}

static void test_excluded(struct mst_test *t)
{
    struct world w;
    start(t, &w);
    w.broken = true;
    ask(t, &w, "GET /healthz?exclude=leaderElection", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /healthz?exclude=z&exclude=leaderElection&verbose&exclude=b&exclude=z", " 200 ",
        TEXT,
        "[+]ping ok\n[+]leaderElection excluded: ok\n"
        "warn: some health checks cannot be excluded: no matches for \"b\",\"z\"\n"
        "healthz check passed\n");
    stop(&w);
}

static void test_metrics_and_configuration(struct mst_test *t)
{
    struct world w;
    start(t, &w);
    ask(t, &w, "GET /metrics", " 200 ",
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", "m 1\n");
    t_int(t, w.resets, 0);
    ask(t, &w, "DELETE /metrics", " 200 ", TEXT, "metrics reset\n");
    t_int(t, w.resets, 1);
    ask(t, &w, "GET /metrics/resources", " 200 ",
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", "r 1\n");
    ask(t, &w, "GET /configz", " 200 ", "Content-Type: application/json\r\n",
        "{\"componentconfig\":{}}");
    stop(&w);
}

/* Checks of a whole endpoint are told, neither those that are left out nor those of one alone. */
static void test_slis(struct mst_test *t)
{
    static const char type[] = "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n";
    struct world w;
    start(t, &w);
    ask(t, &w, "GET /metrics/slis", " 200 ", type, "");
    ask(t, &w, "GET /healthz", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /livez", " 200 ", TEXT, "ok");
    ask(t, &w, "GET /healthz/leaderElection", " 200 ", TEXT, "ok");
    w.broken = true;
    ask(t, &w, "GET /readyz?exclude=ping", " 500 ", TEXT,
        "[+]ping excluded: ok\n[-]leaderElection failed: reason withheld\nreadyz check failed\n");
    ask(t, &w, "GET /metrics/slis", " 200 ", type,
        "healthz/ping 1\nhealthz/leaderElection 1\nlivez/ping 1\nreadyz/leaderElection 0\n");
    ask(t, &w, "DELETE /metrics/slis", " 200 ", TEXT, "metrics reset\n");
    t_int(t, w.slis_resets, 1);
    t_int(t, w.resets, 0);
    ask(t, &w, "GET /metrics/slis", " 200 ", type, "");
    ask(t, &w, "PUT /metrics/slis", " 405 ", "Allow: GET, HEAD, DELETE\r\n",
        "405 method not allowed\n");
    stop(&w);
}

static void test_wrong_paths_and_methods(struct mst_test *t)
{
    static const char *const paths[] = { "GET /",           "GET /healthz/",
                                         "GET /healthz/no", "GET /healthzz",
                                         "GET /metrics/",   "GET /healthz/pin",
                                         "GET /nothing",    "GET /livez/leaderElection" };
    struct world w;
    start(t, &w);
    for (size_t i = 0; i < MST_COUNT(paths); i++)
        ask(t, &w, paths[i], " 404 ", TEXT, "404 page not found\n");
    ask(t, &w, "POST /healthz", " 405 ", "Allow: GET, HEAD\r\n", "405 method not allowed\n");
    ask(t, &w, "PUT /metrics", " 405 ", "Allow: GET, HEAD, DELETE\r\n", "405 method not allowed\n");
    ask(t, &w, "DELETE /configz", " 405 ", TEXT, "405 method not allowed\n");
    t_int(t, w.resets, 0);
    stop(&w);
}

MST_TEST_MAIN(T(test_healthy), T(test_unhealthy), T(test_excluded),
              T(test_metrics_and_configuration), T(test_slis), T(test_wrong_paths_and_methods))
