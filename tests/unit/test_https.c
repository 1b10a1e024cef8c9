/*
 * The HTTPS server: requests over real loopback connections, answers at once and later, peers that
 * are gone, slow or talk nonsense, certificates on both sides.
 */
#include "server/https.h"

#include "https_client.h"
#include "tap.h"

struct world {
    struct event_base *loop;
    struct mst_https *server;
    struct mst_buf seen;               /* what the handler was asked, one line each */
    bool hold;                         /* the handler keeps requests */
    struct mst_https_request *held[8]; /* not answered */
    uint32_t held_count;
};

static void note(struct world *w, const char *name, struct mst_str value)
{
    if (value.p)
        mst_buf_printf(&w->seen, " %s=%.*s", name, MST_ARG(value));
}

static void note_all(struct world *w, const char *name, mst_strs values)
{
    for (uint32_t i = 0; i < values.n; i++)
        note(w, name, values.v[i]);
}

static void handle(void *ctx, struct mst_https_request *request)
{
    struct world *w = ctx;
    const struct mst_str method = mst_https_method(request), path = mst_https_path(request);
    const struct mst_str body = mst_https_body(request);
    mst_buf_printf(&w->seen, "%.*s %.*s", MST_ARG(method), MST_ARG(path));
    note(w, "q", mst_https_query(request, "q"));
    note_all(w, "many", mst_https_queries(request, "many"));
    note(w, "x-one", mst_https_header(request, "x-one"));
    note_all(w, "x-two", mst_https_headers(request, "X-Two"));
    note(w, "cn", mst_https_peer_name(request));
    note_all(w, "o", mst_https_peer_groups(request));
    note(w, "proxy", mst_https_proxy_name(request));
    if (mst_https_has_certificate(request))
        mst_buf_text(&w->seen, " cert");
    if (body.n)
        mst_buf_printf(&w->seen, " body=%zu", body.n);
    mst_buf_char(&w->seen, '\n');
    if (w->hold) {
        w->held[w->held_count++] = request;
        return;
    }
    mst_https_add_header(request, "X-Content-Type-Options", "nosniff");
    mst_https_answer(request, mst_str_is(path, "/missing") ? 404 : 200, "text/plain",
                     MST_STR("hello\n"));
}

static void start(struct mst_test *t, struct world *w, struct mst_https_options options)
{
    struct mst_err err = { 0 };
    *w = (struct world){ .loop = event_base_new() };
    options.loop = w->loop;
    options.address = options.address ? options.address : "127.0.0.1";
    options.handle = handle;
    options.ctx = w;
    const mst_rc rc = mst_https_new(&options, &w->server, &err);
    t_text(t, err.text, "");
    t_int(t, rc, MST_OK);
}

static void stop(struct world *w)
{
    mst_https_free(w->server);
    event_base_free(w->loop);
    mst_buf_done(&w->seen);
}

static void ask(struct world *w, struct test_client *c)
{
    c->port = mst_https_port(w->server);
    test_client_run(c, w->loop);
}

/* What the handler saw since the last look. */
static void saw(struct mst_test *t, struct world *w, const char *want)
{
    t_str(t, mst_buf_span(&w->seen), want);
    w->seen.n = 0;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_tls_keep_alive(struct mst_test *t)
{
    struct world w;
    start(t, &w, (struct mst_https_options){ 0 });
    struct test_client c = { .send = MST_STR(GET("/healthz") GET("/missing")), .answers = 2 };
    ask(&w, &c);
    t_text(t, c.served, "localhost");
    t_int(t, test_count_answers(&c.got), 2);
    t_ok(t, test_got(&c, "HTTP/1.1 200 OK\r\n"));
    t_ok(t, test_got(&c, "HTTP/1.1 404 Not Found\r\n"));
    t_ok(t, test_got(&c, "Content-Type: text/plain\r\n"));
    t_ok(t, test_got(&c, "X-Content-Type-Options: nosniff\r\n"));
    t_ok(t, test_got(&c, "\r\n\r\nhello\n"));
    saw(t, &w, "GET /healthz\nGET /missing\n");
    mst_buf_done(&c.got);
    stop(&w);
}

static void test_parts_of_a_request(struct mst_test *t)
{
    static const struct {
        const char *name, *send, *want;
    } cases[] = {
        { "escapes", GET("/a%20b%2Fc?q=x%26y+z&q=2"), "GET /a b/c q=x&y z\n" },
        { "a list", GET("/?many=1&many&many=3"), "GET / many=1 many= many=3\n" },
        { "a bad parameter goes, others stay", GET("/p?a=%zz&q=1"), "GET /p q=1\n" },
        { "headers", "GET /h HTTP/1.1\r\nHost: x\r\nX-One: 1\r\nx-two: a\r\nX-TWO: b\r\n\r\n",
          "GET /h x-one=1 x-two=a x-two=b\n" },
        { "post", "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
          "POST /p body=3\n" },
        { "chunks",
          "PUT /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
          "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
          "PUT /p body=3\n" },
        { "delete", "DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /metrics\n" },
        { "whole URL", GET("http://x/abc"), "GET /abc\n" },
    };
    struct world w;
    start(t, &w, (struct mst_https_options){ .plain = true });
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct test_client c = { .plain = true, .send = mst_str_of(cases[i].send), .answers = 1 };
        ask(&w, &c);
        saw(t, &w, cases[i].want);
        t_ok(t, test_got(&c, "200 OK"));
        mst_buf_done(&c.got);
    }
    stop(&w);
}

static void test_head_has_no_body(struct mst_test *t)
{
    struct world w;
    start(t, &w, (struct mst_https_options){ .plain = true });
    struct test_client c = { .plain = true,
                             .send = MST_STR("HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n") };
    ask(&w, &c);
    saw(t, &w, "HEAD /x\n");
    t_ok(t, test_got(&c, "Content-Length: 6\r\n"));
    t_ok(t, !test_got(&c, "hello"));
    mst_buf_done(&c.got);
    stop(&w);
}

static void test_bad_requests(struct mst_test *t)
{
    static const struct {
        const char *name, *send, *status;
    } cases[] = {
        { "nonsense", "\x01\x02garbage\r\n\r\n", "400" },
        { "no escape", GET("/a%zz"), "400" },
        { "half an escape", GET("/a%4"), "400" },
        { "NUL", GET("/a%00b"), "400" },
        { "method", "PATCH /x HTTP/1.1\r\nHost: x\r\n\r\n", "501" },
        { "unknown method", "BREW /x HTTP/1.1\r\nHost: x\r\n\r\n", "501" },
        { "no line", "GET\r\n\r\n", "400" },
        { "length", "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "400" },
        { "chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "413" },
        { "too large", "POST / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\nabc", "413" },
        { "header", "GET / HTTP/1.1\r\nno colon here\r\n\r\n", "400" },
    };
    struct world w;
    start(t, &w, (struct mst_https_options){ .plain = true });
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct test_client c = { .plain = true, .send = mst_str_of(cases[i].send), .answers = 1 };
        ask(&w, &c);
        t_ok(t, test_got(&c, cases[i].status));
        saw(t, &w, "");
        mst_buf_done(&c.got);
    }
    t_case(t, "good ones are answered after all that");
    struct test_client c = { .plain = true, .send = MST_STR(GET("/good")), .answers = 1 };
    ask(&w, &c);
    t_ok(t, test_got(&c, "200 OK"));
    mst_buf_done(&c.got);
    stop(&w);
}

static void test_limits(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    struct world w;
    start(t, &w, (struct mst_https_options){ .plain = true });
    t_case(t, "headers");
    mst_buf_text(&text, "GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 70000; i++)
        mst_buf_char(&text, 'x');
    mst_buf_text(&text, "\r\n\r\n");
    struct test_client c = { .plain = true, .send = mst_buf_span(&text), .answers = 1 };
    ask(&w, &c);
    t_ok(t, !test_got(&c, "200 OK"));
    mst_buf_done(&c.got);
    t_case(t, "chunks that add up");
    text.n = 0;
    mst_buf_text(&text, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 300; i++) {
        mst_buf_text(&text, "1000\r\n");
        for (int k = 0; k < 4096; k++)
            mst_buf_char(&text, 'x');
        mst_buf_text(&text, "\r\n");
    }
    mst_buf_text(&text, "0\r\n\r\n");
    c = (struct test_client){ .plain = true, .send = mst_buf_span(&text), .answers = 1 };
    ask(&w, &c);
    t_ok(t, !test_got(&c, "200 OK"));
    saw(t, &w, "");
    mst_buf_done(&c.got);
    stop(&w);
}

static void test_garbage_instead_of_tls(struct mst_test *t)
{
    struct world w;
    start(t, &w, (struct mst_https_options){ 0 });
    struct test_client c = { .garbage = true, .send = MST_STR(GET("/healthz")) };
    ask(&w, &c);
    t_ok(t, !test_got(&c, "200 OK"));
    saw(t, &w, "");
    mst_buf_done(&c.got);
    c = (struct test_client){ .send = MST_STR(GET("/healthz")), .answers = 1 };
    ask(&w, &c);
    t_ok(t, test_got(&c, "200 OK"));
    mst_buf_done(&c.got);
    stop(&w);
}

/* The peer never finishes; without the deadline the client would wait for ever. */
static void test_slow_peers(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct test_client client;
    } cases[] = {
        { "no handshake", { .garbage = true } },
        { "no request", { 0 } },
        { "half a request", { .send = { "GET / HTTP/1.1\r\nHost:", 21 } } },
        { "half a body", { .send = { "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", 41 } } },
    };
    struct world w;
    start(t, &w, (struct mst_https_options){ .request_ms = 60, .idle_ms = 10000 });
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct test_client c = cases[i].client;
        ask(&w, &c);
        t_int(t, c.got.n, 0);
        saw(t, &w, "");
        mst_buf_done(&c.got);
    }
    stop(&w);
}

static void test_idle_peers(struct mst_test *t)
{
    struct world w;
    start(t, &w, (struct mst_https_options){ .request_ms = 20000, .idle_ms = 1000 });
    struct test_client c = { .send = MST_STR(GET("/x")) }; /* and waits for the end */
    ask(&w, &c);
    t_ok(t, test_got(&c, "200 OK"));
    mst_buf_done(&c.got);
    stop(&w);
}

static void answer_later(evutil_socket_t fd, short events, void *ctx)
{
    struct world *w = ctx;
    (void)fd, (void)events;
    for (uint32_t i = 0; i < w->held_count; i++)
        mst_https_answer(w->held[i], 200, "text/plain", MST_STR("late\n"));
    w->held_count = 0;
}

static void test_later_answer(struct mst_test *t)
{
    const struct timeval soon = { .tv_usec = 5000 };
    struct world w;
    start(t, &w, (struct mst_https_options){ 0 });
    w.hold = true;
    struct event *timer = event_new(w.loop, -1, EV_PERSIST, answer_later, &w);
    event_add(timer, &soon);
    struct test_client c = { .send = MST_STR(GET("/a")), .answers = 1 };
    ask(&w, &c);
    t_ok(t, test_got(&c, "late"));
    mst_buf_done(&c.got);
    event_free(timer);
    stop(&w);
}

static void test_answer_to_nobody(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool plain, free_first;
    } cases[] = {
        { "TLS", false, false },
        { "plain", true, false },
        { "TLS, the server is gone too", false, true },
        { "plain, the server is gone too", true, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct world w;
        start(t, &w, (struct mst_https_options){ .plain = cases[i].plain });
        w.hold = true;
        struct test_client c = { .plain = cases[i].plain,
                                 .send = MST_STR("POST /a HTTP/1.1\r\nHost: x\r\n"
                                                 "Content-Length: 3\r\n\r\nabc"),
                                 .close_early = true };
        ask(&w, &c);
        for (int turn = 0; turn < 1000 && !w.held_count; turn++)
            event_base_loop(w.loop, EVLOOP_ONCE);
        t_int(t, w.held_count, 1);
        mst_buf_done(&c.got);
        if (cases[i].free_first) {
            mst_https_free(w.server);
            w.server = NULL;
        }
        t_str(t, mst_https_path(w.held[0]), "/a"); /* what was asked is still there */
        t_str(t, mst_https_body(w.held[0]), "abc");
        answer_later(-1, 0, &w);
        if (!cases[i].free_first) {
            w.hold = false;
            c = (struct test_client){ .plain = cases[i].plain,
                                      .send = MST_STR(GET("/b")),
                                      .answers = 1 };
            ask(&w, &c);
            t_ok(t, test_got(&c, "hello"));
            mst_buf_done(&c.got);
        }
        stop(&w);
    }
}

/* ---- certificates ---- */

struct files {
    char dir[64], cert[96], key[96], ca[96], proxy_ca[96];
};

static void files_init(struct files *f)
{
    snprintf(f->dir, sizeof(f->dir), "/tmp/mst-https-XXXXXX");
    if (!mkdtemp(f->dir))
        abort();
    snprintf(f->cert, sizeof(f->cert), "%s/cert.pem", f->dir);
    snprintf(f->key, sizeof(f->key), "%s/key.pem", f->dir);
    snprintf(f->ca, sizeof(f->ca), "%s/ca.pem", f->dir);
    snprintf(f->proxy_ca, sizeof(f->proxy_ca), "%s/proxy-ca.pem", f->dir);
}

static void files_done(struct files *f)
{
    unlink(f->cert);
    unlink(f->key);
    unlink(f->ca);
    unlink(f->proxy_ca);
    rmdir(f->dir);
}

static void test_client_certificates(struct mst_test *t)
{
    struct files f;
    files_init(&f);
    struct test_cert ca = test_cert_make("ca", NULL, NULL);
    struct test_cert proxy_ca = test_cert_make("proxies", NULL, NULL);
    struct test_cert stranger = test_cert_make("stranger", NULL, NULL);
    struct test_cert alice =
        test_cert_make("alice", (const char *const[]){ "system:masters", "dev", NULL }, &ca);
    struct test_cert proxy = test_cert_make("front", NULL, &proxy_ca);
    test_cert_write(&ca, f.ca, NULL);
    test_cert_write(&proxy_ca, f.proxy_ca, NULL);
    const struct {
        const char *name;
        const struct test_cert *cert;
        const char *want;
    } cases[] = {
        { "none", NULL, "GET /\n" },
        { "good", &alice, "GET / cn=alice o=system:masters o=dev cert\n" },
        { "of somebody else", &stranger, "GET / cert\n" },
        { "a front proxy", &proxy, "GET / proxy=front cert\n" },
    };
    struct world w;
    start(t, &w, (struct mst_https_options){ .client_ca_file = f.ca, .proxy_ca_file = f.proxy_ca });
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct test_client c = { .cert = cases[i].cert, .send = MST_STR(GET("/")), .answers = 1 };
        ask(&w, &c);
        saw(t, &w, cases[i].want);
        mst_buf_done(&c.got);
    }
    stop(&w);
    test_cert_done(&ca);
    test_cert_done(&proxy_ca);
    test_cert_done(&stranger);
    test_cert_done(&alice);
    test_cert_done(&proxy);
    files_done(&f);
}

static void test_cas_of_the_cluster(struct mst_test *t)
{
    struct mst_err err;
    struct test_cert ca = test_cert_make("ca", NULL, NULL);
    struct test_cert bob = test_cert_make("bob", NULL, &ca);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    PEM_write_bio_X509(bio, ca.cert);
    const size_t n = (size_t)BIO_get_mem_data(bio, &text);
    const struct mst_str pem = { text, n };
    struct world w;
    start(t, &w, (struct mst_https_options){ 0 });
    t_case(t, "not asked for");
    struct test_client c = { .cert = &bob, .send = MST_STR(GET("/")), .answers = 1 };
    ask(&w, &c);
    saw(t, &w, "GET /\n");
    mst_buf_done(&c.got);
    t_case(t, "no PEM");
    t_int(t, mst_https_set_cas(w.server, MST_STR("nonsense"), MST_STR_NONE, &err), MST_EINVAL);
    t_case(t, "known now");
    t_int(t, mst_https_set_cas(w.server, pem, MST_STR_NONE, &err), MST_OK);
    c = (struct test_client){ .cert = &bob, .send = MST_STR(GET("/")), .answers = 1 };
    ask(&w, &c);
    saw(t, &w, "GET / cn=bob cert\n");
    mst_buf_done(&c.got);
    BIO_free(bio);
    test_cert_done(&ca);
    test_cert_done(&bob);
    stop(&w);
}

static void served(struct mst_test *t, struct world *w, const char *want)
{
    struct test_client c = { .send = MST_STR(GET("/")), .answers = 1 };
    ask(w, &c);
    t_text(t, c.served, want);
    mst_buf_done(&c.got);
}

static void test_files_are_read_again(struct mst_test *t)
{
    struct files f;
    files_init(&f);
    struct test_cert one = test_cert_make("one", NULL, NULL);
    struct test_cert two = test_cert_make("two", NULL, NULL);
    test_cert_write(&one, f.cert, f.key);
    struct world w;
    start(t, &w, (struct mst_https_options){ .cert_file = f.cert, .key_file = f.key });
    served(t, &w, "one");
    t_case(t, "a certificate without its key is not taken");
    test_cert_write(&two, f.cert, NULL);
    mst_https_reload(w.server);
    served(t, &w, "one");
    t_case(t, "both");
    test_cert_write(&two, f.cert, f.key);
    mst_https_reload(w.server);
    served(t, &w, "two");
    t_case(t, "gone");
    unlink(f.cert);
    mst_https_reload(w.server);
    served(t, &w, "two");
    stop(&w);
    test_cert_done(&one);
    test_cert_done(&two);
    files_done(&f);
}

/* ---- set-up ---- */

static void test_address_of_version_6(struct mst_test *t)
{
    struct world w;
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
    const bool there = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    if (fd >= 0)
        close(fd);
    if (!there)
        return; /* a machine without it */
    start(t, &w, (struct mst_https_options){ .address = "::1" });
    struct test_client c = { .family = AF_INET6, .send = MST_STR(GET("/six")), .answers = 1 };
    ask(&w, &c);
    saw(t, &w, "GET /six\n");
    mst_buf_done(&c.got);
    stop(&w);
}

static void test_bad_options(struct mst_test *t)
{
    struct world w;
    start(t, &w, (struct mst_https_options){ .plain = true });
    const struct {
        const char *name;
        struct mst_https_options options;
        const char *text;
    } cases[] = {
        { "address", { .address = "localhost" }, "it is no IPv4 or IPv6 address" },
        { "port", { .address = "127.0.0.1", .port = 70000 }, "port 70000" },
        { "taken",
          { .address = "127.0.0.1", .port = mst_https_port(w.server) },
          "Address already" },
        { "no key", { .address = "127.0.0.1", .cert_file = "c" }, "give both" },
        { "no file",
          { .address = "127.0.0.1", .cert_file = "/no/c", .key_file = "/no/k" },
          "/no/c" },
        { "no CA", { .address = "127.0.0.1", .client_ca_file = "/no/ca" }, "/no/ca" },
        { "CA", { .address = "127.0.0.1", .client_ca_file = "/dev/null" }, "it is empty" },
        { "directory", { .address = "127.0.0.1", .client_ca_file = "/tmp" }, "no file" },
        { "version", { .address = "127.0.0.1", .min_version = "TLS9" }, "use VersionTLS12" },
        { "ciphers", { .address = "127.0.0.1", .ciphers = "nonsense" }, "list of TLS ciphers" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_https_options options = cases[i].options;
        struct mst_https *server = NULL;
        struct mst_err err = { 0 };
        options.loop = w.loop;
        options.handle = handle;
        t_ok(t, mst_https_new(&options, &server, &err) != MST_OK);
        if (!strstr(err.text, cases[i].text))
            t_fail(t, "got '%s'", err.text);
    }
    stop(&w);
}

static void test_version_13_only(struct mst_test *t)
{
    struct world w;
    start(t, &w,
          (struct mst_https_options){ .min_version = "VersionTLS13",
                                      .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256" });
    served(t, &w, "localhost");
    stop(&w);
}

MST_TEST_MAIN(T(test_tls_keep_alive), T(test_parts_of_a_request), T(test_head_has_no_body),
              T(test_bad_requests), T(test_limits), T(test_garbage_instead_of_tls),
              T(test_slow_peers), T(test_idle_peers), T(test_later_answer),
              T(test_answer_to_nobody), T(test_client_certificates), T(test_cas_of_the_cluster),
              T(test_files_are_read_again), T(test_address_of_version_6), T(test_bad_options),
              T(test_version_13_only))
