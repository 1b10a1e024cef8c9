/* Single requests: what is sent, what comes back, what goes wrong on the way. */
#include "client_rig.h"

#include <stdlib.h>

#define OK "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static const struct rig_answer answers[] = {
    { "/ok", OK "2\r\n\r\n{}", RIG_KEEP },
    { "/echo", NULL, RIG_ECHO },
    { "/created", "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", RIG_KEEP },
    { "/empty", "HTTP/1.1 204 No Content\r\n\r\n", RIG_KEEP },
    { "/404",
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 57\r\n\r\n"
      "{\"kind\":\"Status\",\"message\":\"no such\",\"reason\":\"NotFound\"}",
      RIG_KEEP },
    { "/429", "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 5\r\n\r\nslow\n", RIG_KEEP },
    { "/429zero", "HTTP/1.1 429 Slow\r\nretry-after: 0\r\nContent-Length: 0\r\n\r\n", RIG_KEEP },
    { "/500", "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", RIG_KEEP },
    { "/500bad", "HTTP/1.1 500 Oh\r\nContent-Length: 16\r\n\r\n{\"kind\":\"Status\"", RIG_KEEP },
    { "/301", "HTTP/1.1 301 Moved\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n", RIG_KEEP },
    { "/hang", NULL, RIG_HANG },
    { "/hang-body", OK "9\r\n\r\nabc", RIG_HANG },
    { "/nothing", NULL, RIG_CLOSE },
    { "/half", OK "9\r\n\r\nabc", RIG_CLOSE },
    { "/half-head", "HTTP/1.1 200 OK\r\nContent-", RIG_CLOSE },
    { "/rubbish", "what is this\r\n\r\n", RIG_CLOSE },
    { "/flood", "HTTP/1.1 200 OK\r\n", RIG_FLOOD },
    { "/stream", CHUNKED "4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n", RIG_KEEP },
    { "/stream-on", CHUNKED "4\r\none\n\r\n", RIG_HANG },
    { "/stream-half", CHUNKED "4\r\none\n\r\n9\r\ntw", RIG_CLOSE },
    { "/stream-close", "HTTP/1.1 200 OK\r\n\r\none\n", RIG_CLOSE },
};

static void test_transfer_ok(struct mst_test *t)
{
    static const struct {
        const char *path, *body, *type;
        int status;
    } cases[] = {
        { "/ok", "{}", "application/json", 200 },
        { "/ok?limit=500", "{}", "application/json", 200 },
        { "/created", "x", "", 201 },
        { "/empty", "", "", 204 },
    };
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig_reply r = { 0 };
        t_case(t, cases[i].path);
        rig_get(&rig, cases[i].path, &r);
        t_int(t, r.told, 1);
        t_int(t, r.net, MST_NET_OK);
        t_int(t, r.status, cases[i].status);
        t_str(t, mst_buf_span(&r.body), cases[i].body);
        t_str(t, mst_buf_span(&r.type), cases[i].type);
        t_int(t, r.problem.n, 0);
        t_int(t, r.retry_after_s, -1);
        rig_reply_done(&r);
    }
    t_int(t, rig.connections, 1); /* kept */
    rig_end(&rig);
}

static void test_transfer_sends(struct mst_test *t)
{
    static const struct {
        mst_method method;
        const char *type, *body, *line, *has, *has_not;
    } cases[] = {
        { MST_GET, NULL, NULL, "GET /p/echo?a=b HTTP/1.1\r\n", "Accept: application/json\r\n",
          "Content-" },
        { MST_POST, NULL, "{\"a\":1}", "POST /p/echo?a=b HTTP/1.1\r\n",
          "Content-Type: application/json\r\n", "Expect" },
        { MST_POST, NULL, "{\"a\":1}", "POST /p/echo?a=b HTTP/1.1\r\n", "\r\n\r\n{\"a\":1}",
          "Transfer-Encoding" },
        { MST_POST, NULL, NULL, "POST /p/echo?a=b HTTP/1.1\r\n", "Content-Length: 0\r\n",
          "Expect" },
        { MST_PUT, NULL, "x", "PUT /p/echo?a=b HTTP/1.1\r\n", "Content-Length: 1\r\n", "Expect" },
        { MST_PATCH, "application/strategic-merge-patch+json", "x",
          "PATCH /p/echo?a=b HTTP/1.1\r\n",
          "Content-Type: application/strategic-merge-patch+json\r\n", "Expect" },
        { MST_DELETE, NULL, NULL, "DELETE /p/echo?a=b HTTP/1.1\r\n", "User-Agent: rig/1\r\n",
          "Content-" },
        { MST_DELETE, NULL, "{}", "DELETE /p/echo?a=b HTTP/1.1\r\n", "\r\n\r\n{}", "Expect" },
        { MST_GET, NULL, NULL, "GET /p/echo?a=b HTTP/1.1\r\n",
          "Host: 127.0.0.1:", "Accept-Encoding" },
    };
    static const struct rig_answer echo[] = { { "/p/echo", NULL, RIG_ECHO } };
    struct rig rig;
    rig_begin(&rig, echo, 1);
    char prefixed[80];
    snprintf(prefixed, sizeof(prefixed), "%s/p", rig.url);
    rig.connection.server = mst_str_of(prefixed);
    rig_client(&rig);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig_reply r = { 0 };
        t_case(t, cases[i].line);
        rig_ask(&rig,
                (struct mst_request_spec){ .method = cases[i].method,
                                           .path = MST_STR("/echo?a=b"),
                                           .type = cases[i].type,
                                           .body = mst_str_of(cases[i].body) },
                &r);
        t_int(t, r.status, 200);
        t_ok(t, rig_has(&r.body, cases[i].line));
        t_ok(t, rig_has(&r.body, cases[i].has));
        t_ok(t, !rig_has(&r.body, cases[i].has_not));
        rig_reply_done(&r);
    }
    rig_end(&rig);
}

static void test_transfer_large_body(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r = { 0 };
    MST_AUTO(mst_buf) body = { 0 };
    for (int i = 0; i < 3000000; i++)
        mst_buf_char(&body, (char)('a' + i % 26));
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    rig_ask(&rig,
            (struct mst_request_spec){
                .method = MST_POST, .path = MST_STR("/echo"), .body = mst_buf_span(&body) },
            &r);
    t_int(t, r.status, 200);
    t_ok(t, r.body.n > body.n && memcmp(r.body.p + r.body.n - body.n, body.p, body.n) == 0);
    rig_reply_done(&r);
    rig_end(&rig);
}

static void test_transfer_refusals(struct mst_test *t)
{
    static const struct {
        const char *path, *problem, *reason;
        int status;
        int64_t retry_after_s;
    } cases[] = {
        { "/404", "no such", "NotFound", 404, -1 },
        { "/429", "slow", "", 429, 3 },
        { "/429zero", "the server answered with HTTP status 429", "", 429, 0 },
        { "/500", "the server answered with HTTP status 500", "", 500, -1 },
        { "/500bad", "{\"kind\":\"Status\"", "", 500, -1 },
        { "/301", "the server answered with HTTP status 301", "", 301, -1 },
    };
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    for (int stream = 0; stream < 2; stream++) {
        for (size_t i = 0; i < MST_COUNT(cases); i++) {
            struct rig_reply r = { 0 };
            t_case(t, cases[i].path);
            rig_ask(&rig,
                    (struct mst_request_spec){ .path = mst_str_of(cases[i].path),
                                               .data = stream ? rig_data : NULL },
                    &r);
            t_int(t, r.net, MST_NET_OK);
            t_int(t, r.status, cases[i].status);
            t_str(t, mst_buf_span(&r.problem), cases[i].problem);
            t_str(t, mst_buf_span(&r.reason), cases[i].reason);
            t_int(t, r.retry_after_s, cases[i].retry_after_s);
            t_int(t, r.data.n, 0);
            rig_reply_done(&r);
        }
    }
    rig_end(&rig);
}

static void test_transfer_breaks(struct mst_test *t)
{
    static const struct {
        const char *path;
        mst_net net;
        const char *problem; /* a part of it */
    } cases[] = {
        { "/hang", MST_NET_TIMEOUT, "imed out" },
        { "/hang-body", MST_NET_TIMEOUT, "imed out" },
        { "/nothing", MST_NET_BROKEN, "GET http:" },
        { "/half", MST_NET_BROKEN, "GET http:" },
        { "/half-head", MST_NET_BROKEN, "within its head" },
        { "/rubbish", MST_NET_BROKEN, "" },
        { "/flood", MST_NET_BROKEN, "oo large" },
    };
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig_reply r = { 0 };
        t_case(t, cases[i].path);
        rig_ask(&rig,
                (struct mst_request_spec){ .path = mst_str_of(cases[i].path),
                                           .timeout_ms =
                                               cases[i].net == MST_NET_TIMEOUT ? 50 : 20000 },
                &r);
        t_int(t, r.told, 1);
        t_int(t, r.net, cases[i].net);
        t_int(t, r.status, 0);
        t_ok(t, rig_has(&r.problem, cases[i].problem));
        t_int(t, r.body.n, 0);
        rig_reply_done(&r);
        /* The next request does not suffer. */
        rig_get(&rig, "/ok", &r);
        t_int(t, r.status, 200);
        rig_reply_done(&r);
    }
    rig_end(&rig);
}

static void test_transfer_nobody_listens(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r = { 0 };
    unsetenv("http_proxy");
    unsetenv("HTTP_PROXY");
    rig_begin(&rig, answers, MST_COUNT(answers));
    evconnlistener_free(rig.listener);
    rig_client(&rig);
    rig_get(&rig, "/ok", &r);
    t_int(t, r.net, MST_NET_REFUSED);
    t_ok(t, rig_has(&r.problem, "GET http://127.0.0.1:"));
    rig_reply_done(&r);
    mst_client_free(rig.client);
    /* No name that anybody would be asked for. */
    rig.connection.server =
        MST_STR("http://a-label-of-more-than-sixty-three-characters-is-no-name-to-a-"
                "resolver.invalid:1");
    rig_client(&rig);
    rig_get(&rig, "/ok", &r);
    t_int(t, r.net, MST_NET_REFUSED);
    rig_reply_done(&r);
    mst_client_free(rig.client);
    event_base_free(rig.loop);
}

static void close_at_once(struct evconnlistener *listener, evutil_socket_t fd,
                          struct sockaddr *address, int n, void *ctx)
{
    (void)listener, (void)address, (void)n;
    if (ctx) {
        /* With what came unread, the end is a reset. */
        const struct linger none = { .l_onoff = 1 };
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    }
    evutil_closesocket(fd);
}

/* A server that stops while TLS is set up: nothing was carried out, no certificate is wrong. */
static void test_transfer_stops_at_handshake(struct mst_test *t)
{
    for (int reset = 0; reset < 2; reset++) {
        struct rig rig;
        struct rig_reply r = { 0 };
        rig_begin(&rig, answers, MST_COUNT(answers));
        memmove(rig.url + 5, rig.url + 4, strlen(rig.url + 4) + 1);
        rig.url[4] = 's';
        rig.connection.server = mst_str_of(rig.url);
        evconnlistener_set_cb(rig.listener, close_at_once, reset ? &rig : NULL);
        rig_client(&rig);
        rig_get(&rig, "/ok", &r);
        t_int(t, r.net, MST_NET_REFUSED);
        t_ok(t, !rig_has(&r.problem, "certificate"));
        rig_reply_done(&r);
        rig_end(&rig);
    }
}

static void test_transfer_streams(struct mst_test *t)
{
    static const struct {
        const char *path, *data;
        uint32_t enough_after;
        int64_t idle_ms;
        mst_net net;
        int status;
    } cases[] = {
        { "/stream", "one\ntwo\n", 0, 0, MST_NET_OK, 200 },
        { "/stream-close", "one\n", 0, 0, MST_NET_OK, 200 },
        { "/stream-on", "one\n", 1, 0, MST_NET_OK, 200 },
        { "/stream-on", "one\n", 0, 300, MST_NET_TIMEOUT, 0 },
        { "/hang", "", 0, 300, MST_NET_TIMEOUT, 0 },
        { "/stream-half", "one\ntw", 0, 0, MST_NET_BROKEN, 0 },
    };
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig_reply r = { .enough_after = cases[i].enough_after };
        t_case(t, cases[i].path);
        rig_ask(&rig,
                (struct mst_request_spec){ .path = mst_str_of(cases[i].path),
                                           .data = rig_data,
                                           .timeout_ms = -1,
                                           .idle_ms = cases[i].idle_ms },
                &r);
        t_int(t, r.told, 1);
        t_int(t, r.net, cases[i].net);
        t_int(t, r.status, cases[i].status);
        t_str(t, mst_buf_span(&r.data), cases[i].data);
        t_int(t, r.body.n, 0);
        rig_reply_done(&r);
    }
    rig_end(&rig);
}

/*
 * A kept connection that the server closes as the next request comes: what may have been carried
 * out is not sent again by itself, what only reads is.
 */
static void test_transfer_sends_once(struct mst_test *t)
{
    static const struct {
        mst_method method;
        const char *body;
        bool again;
    } cases[] = { { MST_GET, NULL, true }, { MST_POST, "{}", false }, { MST_PATCH, "{}", false } };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        struct rig_reply r = { 0 };
        rig_begin(&rig, answers, MST_COUNT(answers));
        rig_client(&rig);
        rig_get(&rig, "/ok", &r);
        rig_reply_done(&r);
        rig_ask(&rig,
                (struct mst_request_spec){ .method = cases[i].method,
                                           .path = MST_STR("/nothing"),
                                           .body = mst_str_of(cases[i].body) },
                &r);
        t_int(t, r.net, MST_NET_BROKEN);
        t_int(t, rig.requests - 1, cases[i].again ? 2 : 1);
        rig_reply_done(&r);
        rig_end(&rig);
    }
}

static void test_transfer_through_proxy(struct mst_test *t)
{
    static const struct rig_answer via[] = { { "http://example.invalid:8080/x", NULL, RIG_ECHO } };
    struct rig rig;
    struct rig_reply r = { 0 };
    rig_begin(&rig, via, 1);
    rig.connection.proxy_url = rig.connection.server;
    rig.connection.server = MST_STR("http://example.invalid:8080");
    rig_client(&rig);
    rig_get(&rig, "/x", &r);
    t_int(t, r.status, 200);
    t_ok(t, rig_has(&r.body, "Host: example.invalid:8080\r\n"));
    t_ok(t, rig_has(&r.body, "Accept-Encoding: gzip\r\n")); /* not this machine */
    rig_reply_done(&r);
    rig_end(&rig);
}

MST_TEST_MAIN(T(test_transfer_ok), T(test_transfer_sends), T(test_transfer_large_body),
              T(test_transfer_refusals), T(test_transfer_breaks), T(test_transfer_nobody_listens),
              T(test_transfer_stops_at_handshake), T(test_transfer_streams),
              T(test_transfer_sends_once), T(test_transfer_through_proxy))
