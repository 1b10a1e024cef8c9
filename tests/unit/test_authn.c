/*
 * Authentication and authorisation, over loopback, with a client that is a script: this file
 * defines mst_client_send and mst_client_cancel itself.
 */
#include "daemon/authn.h"

#include "https_client.h"
#include "tap.h"

enum { REPLIES_MAX = 16 };

/* What the API server answers, in order, and what it was asked. */
struct mst_request_handle {
    struct mst_client *client;
    struct mst_request_spec spec;
    struct event *timer;
    const struct mst_reply *reply;
};

struct mst_client {
    struct event_base *loop;
    struct mst_reply replies[REPLIES_MAX];
    uint32_t reply_count, sent;
    struct mst_buf asked; /* "POST PATH BODY\n" */
    uint32_t cancelled;
};

static void reply_now(evutil_socket_t fd, short events, void *ctx)
{
    struct mst_request_handle *handle = ctx;
    const struct mst_request_handle copy = *handle;
    (void)fd, (void)events;
    event_free(handle->timer);
    mst_free(handle);
    copy.spec.done(copy.spec.ctx, copy.reply);
}

struct mst_request_handle *mst_client_send(struct mst_client *client,
                                           const struct mst_request_spec *spec)
{
    const struct timeval now = { 0 };
    struct mst_request_handle *handle = mst_calloc(1, sizeof(*handle));
    const char *path = memrchr(spec->path.p, '/', spec->path.n);
    mst_buf_printf(&client->asked, "%s %.*s\n", path + 1, MST_ARG(spec->body));
    handle->client = client;
    handle->spec = *spec;
    handle->timer = event_new(client->loop, -1, 0, reply_now, handle);
    if (client->sent < client->reply_count) { /* otherwise it never answers */
        handle->reply = &client->replies[client->sent];
        event_add(handle->timer, &now);
    }
    client->sent++;
    return handle;
}

void mst_client_cancel(struct mst_client *client, struct mst_request_handle *handle)
{
    client->cancelled++;
    event_free(handle->timer);
    mst_free(handle);
}

/* ---- the world ---- */

struct world {
    struct event_base *loop;
    struct mst_client client;
    struct mst_https *server;
    struct mst_access *access;
    int64_t now_ms;
    struct mst_buf told; /* by looked_up */
    char dir[64], ca[96], proxy_ca[96];
};

static void allowed(void *ctx, struct mst_https_request *request)
{
    (void)ctx;
    mst_https_answer(request, 200, "text/plain", MST_STR("in\n"));
}

static void handle(void *ctx, struct mst_https_request *request)
{
    struct world *w = ctx;
    mst_access_check(w->access, request, allowed, w);
}

static int64_t clock_of(void *ctx)
{
    const struct world *w = ctx;
    return w->now_ms;
}

static void looked_up(void *ctx, struct mst_str problem)
{
    struct world *w = ctx;
    mst_buf_printf(&w->told, "told%s%.*s\n", problem.p ? ": " : "", MST_ARG(problem));
}

static struct mst_str open_paths[] = { { "/healthz", 8 }, { "open/*", 6 } };

static void start(struct mst_test *t, struct world *w, struct mst_https_options https,
                  struct mst_access_options access)
{
    struct mst_err err = { 0 };
    if (!w->loop)
        w->loop = event_base_new();
    w->client.loop = w->loop;
    https.loop = w->loop;
    https.address = "127.0.0.1";
    https.handle = handle;
    https.ctx = w;
    t_int(t, mst_https_new(&https, &w->server, &err), MST_OK);
    access.loop = w->loop;
    access.client = &w->client;
    access.server = w->server;
    access.always_allow_paths = (mst_strs){ open_paths, MST_COUNT(open_paths) };
    access.now_ms = clock_of;
    access.looked_up = looked_up;
    access.ctx = w;
    t_int(t, mst_access_new(&access, &w->access, &err), MST_OK);
}

static void start_plain(struct mst_test *t, struct world *w)
{
    *w = (struct world){ 0 };
    start(t, w, (struct mst_https_options){ .plain = true },
          (struct mst_access_options){ .skip_lookup = true });
}

static void stop(struct world *w)
{
    mst_access_free(w->access);
    mst_https_free(w->server);
    event_base_free(w->loop);
    mst_buf_done(&w->client.asked);
    mst_buf_done(&w->told);
    unlink(w->ca);
    unlink(w->proxy_ca);
    rmdir(w->dir);
}

static void script(struct world *w, const char *body)
{
    w->client.replies[w->client.reply_count++] =
        (struct mst_reply){ .net = MST_NET_OK, .status = 201, .body = mst_str_of(body) };
}

static void script_net(struct world *w, mst_net net, int status)
{
    w->client.replies[w->client.reply_count++] =
        (struct mst_reply){ .net = net, .status = status, .problem = MST_STR("no <luck>") };
}

#define YES "{\"status\":{\"allowed\":true}}"
#define NO "{\"status\":{\"allowed\":false,\"reason\":\"no role\"}}"
#define IS(user) "{\"status\":{\"authenticated\":true,\"user\":{" user "}}}"
#define ALICE IS("\"username\":\"alice\",\"uid\":\"u1\",\"groups\":[\"dev\"]")

/* Asks for a path with more headers; the answer must begin its status line so, and end so. */
static void ask_as(struct mst_test *t, struct world *w, const char *path, const char *headers,
                   const struct test_cert *cert, const char *status, const char *end)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, headers);
    struct test_client c = { .plain = !w->dir[0],
                             .port = mst_https_port(w->server),
                             .send = mst_buf_span(&text),
                             .cert = cert,
                             .answers = 1 };
    test_client_run(&c, w->loop);
    t_case(t, path);
    const size_t n = strlen(end);
    if (!test_got(&c, status) || c.got.n < n || memcmp(c.got.p + c.got.n - n, end, n) != 0)
        t_fail(t, "got %.*s", (int)c.got.n, c.got.p ? c.got.p : "");
    else
        t_ok(t, true);
    mst_buf_done(&c.got);
}

static void ask(struct mst_test *t, struct world *w, const char *path, const char *headers,
                const char *status, const char *end)
{
    ask_as(t, w, path, headers, NULL, status, end);
}

static void asked(struct mst_test *t, struct world *w, const char *want)
{
    t_str(t, mst_buf_span(&w->client.asked), want);
    w->client.asked.n = 0;
}

#define IN " 200 OK", "\r\n\r\nin\n"
#define STRANGER                                                                                   \
    " 401 ",                                                                                       \
        "\r\n\r\n{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"           \
        "\"Failure\",\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}\n"
#define FORBIDDEN(what)                                                                            \
    " 403 ", "\r\n\r\n{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"      \
             "\"Failure\",\"message\":\"forbidden: " what                                          \
             "\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}\n"
#define ACCESS(path, who)                                                                          \
    "subjectaccessreviews {\"kind\":\"SubjectAccessReview\",\"apiVersion\":"                       \
    "\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{\"nonResourceAttributes\":{\"path\":"   \
    "\"" path "\",\"verb\":\"get\"}," who "}}\n"
#define TOKEN(token)                                                                               \
    "tokenreviews {\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\","          \
    "\"metadata\":{},\"spec\":{\"token\":\"" token "\"}}\n"
#define OF_ALICE "\"user\":\"alice\",\"uid\":\"u1\",\"groups\":[\"dev\",\"system:authenticated\"]"
#define OF_NOBODY "\"user\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]"

static void test_open_paths(struct mst_test *t)
{
    struct world w;
    start_plain(t, &w);
    ask(t, &w, "/healthz", "", IN);
    ask(t, &w, "/open/a/b", "", IN);
    asked(t, &w, "");
    script(&w, NO);
    ask(t, &w, "/healthz/ping", "",
        FORBIDDEN("User \\\"system:anonymous\\\" cannot get path \\\"/healthz/ping\\\": no role"));
    asked(t, &w, ACCESS("/healthz/ping", OF_NOBODY));
    stop(&w);
}

static void test_tokens(struct mst_test *t)
{
    struct world w;
    start_plain(t, &w);
    script(&w, ALICE);
    script(&w, YES);
    ask(t, &w, "/metrics", "Authorization: Bearer t1\r\n", IN);
    asked(t, &w, TOKEN("t1") ACCESS("/metrics", OF_ALICE));
    ask(t, &w, "/metrics", "authorization:   bearer t1  \r\n", IN);
    asked(t, &w, ""); /* known for a while */
    script(&w, NO);
    ask(t, &w, "/configz", "Authorization: Bearer t1\r\n",
        FORBIDDEN("User \\\"alice\\\" cannot get path \\\"/configz\\\": no role"));
    asked(t, &w, ACCESS("/configz", OF_ALICE));
    ask(t, &w, "/configz", "Authorization: Bearer t1\r\n",
        FORBIDDEN("User \\\"alice\\\" cannot get path \\\"/configz\\\": no role"));
    asked(t, &w, "");
    w.now_ms += 10000;
    script(&w, ALICE);
    script(&w, NO);
    ask(t, &w, "/metrics", "Authorization: Bearer t1\r\n",
        FORBIDDEN("User \\\"alice\\\" cannot get path \\\"/metrics\\\": no role"));
    asked(t, &w, TOKEN("t1") ACCESS("/metrics", OF_ALICE));
    stop(&w);
}

static void test_bad_tokens(struct mst_test *t)
{
    static const char *const answers[] = {
        "{\"status\":{\"authenticated\":false,\"error\":\"expired\"}}",
        "{\"status\":{\"authenticated\":true}}",
        "{\"status\":{\"authenticated\":\"true\",\"user\":{\"username\":\"alice\"}}}",
        "{\"status\":{}}",
        "{}",
        "[]",
        "not JSON",
        "",
    };
    for (size_t i = 0; i < MST_COUNT(answers); i++) {
        struct world w;
        start_plain(t, &w);
        script(&w, answers[i]);
        ask(t, &w, "/healthz", "Authorization: Bearer t\r\n", STRANGER); /* though it is open */
        asked(t, &w, TOKEN("t"));
        stop(&w);
    }
    struct world w;
    start_plain(t, &w);
    script(&w, answers[0]);
    ask(t, &w, "/metrics", "Authorization: Bearer t\"<\r\n", STRANGER);
    ask(t, &w, "/metrics", "Authorization: Bearer t\"<\r\n", STRANGER);
    asked(t, &w, TOKEN("t\\\"<")); /* once */
    ask(t, &w, "/healthz", "Authorization: Basic dDp0\r\n", IN);
    ask(t, &w, "/healthz", "Authorization: Bearer \r\n", IN);
    asked(t, &w, "");
    stop(&w);
}

static void test_masters_are_not_asked_about(struct mst_test *t)
{
    struct world w;
    start_plain(t, &w);
    script(&w, IS("\"username\":\"root\",\"groups\":[\"a\",\"system:masters\"]"));
    ask(t, &w, "/metrics", "Authorization: Bearer t\r\n", IN);
    asked(t, &w, TOKEN("t"));
    stop(&w);
}

static void test_reviews_that_fail(struct mst_test *t)
{
    struct world w;
    start_plain(t, &w);
    script_net(&w, MST_NET_REFUSED, 0);
    ask(t, &w, "/metrics", "Authorization: Bearer t\r\n", STRANGER);
    asked(t, &w, TOKEN("t"));
    script_net(&w, MST_NET_BROKEN, 0); /* asked again, and not remembered */
    script(&w, ALICE);
    script_net(&w, MST_NET_BROKEN, 0);
    script(&w, YES);
    ask(t, &w, "/metrics", "Authorization: Bearer t\r\n", IN);
    asked(t, &w, TOKEN("t") TOKEN("t") ACCESS("/metrics", OF_ALICE) ACCESS("/metrics", OF_ALICE));
    script_net(&w, MST_NET_OK, 500);
    ask(t, &w, "/a", "Authorization: Bearer t\r\n", " 500 ",
        "\r\n\r\nInternal Server Error: \"/a\": no &lt;luck&gt;\n");
    script(&w, "{\"kind\":\"SubjectAccessReview\"}");
    ask(t, &w, "/a", "Authorization: Bearer t\r\n", " 500 ", "has no status\n");
    script(&w, "{\"status\":{\"allowed\":true,\"denied\":true}}");
    ask(t, &w, "/a", "Authorization: Bearer t\r\n",
        FORBIDDEN("User \\\"alice\\\" cannot get path \\\"/a\\\""));
    stop(&w);
}

static void test_the_end_while_a_review_is_under_way(struct mst_test *t)
{
    struct world w;
    start_plain(t, &w);
    struct test_client c = { .plain = true,
                             .port = mst_https_port(w.server),
                             .send = MST_STR("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
                             .close_early = true };
    test_client_run(&c, w.loop);
    for (int turn = 0; turn < 1000 && !w.client.sent; turn++)
        event_base_loop(w.loop, EVLOOP_ONCE);
    asked(t, &w, ACCESS("/metrics", OF_NOBODY));
    mst_access_free(w.access);
    w.access = NULL;
    t_int(t, w.client.cancelled, 1);
    stop(&w);
}

static void test_bad_options(struct mst_test *t)
{
    struct mst_access *access;
    struct mst_err err;
    struct mst_str path = MST_STR("/a*b");
    const struct mst_access_options options = { .always_allow_paths = { &path, 1 } };
    t_int(t, mst_access_new(&options, &access, &err), MST_EINVAL);
    t_text(t, err.text, "always allowed path '/a*b': a '*' must be the last character");
}

/* ---- certificates ---- */

struct certs {
    struct test_cert ca, proxy_ca, alice, root, stranger, proxy, other_proxy;
};

static void certs_init(struct certs *c)
{
    c->ca = test_cert_make("ca", NULL, NULL);
    c->proxy_ca = test_cert_make("proxies", NULL, NULL);
    c->stranger = test_cert_make("alice", NULL, NULL);
    c->alice = test_cert_make("alice", (const char *const[]){ "dev", NULL }, &c->ca);
    c->root = test_cert_make("root", (const char *const[]){ "system:masters", NULL }, &c->ca);
    c->proxy = test_cert_make("front", NULL, &c->proxy_ca);
    c->other_proxy = test_cert_make("other", NULL, &c->proxy_ca);
}

static void certs_done(struct certs *c)
{
    struct test_cert *all[] = { &c->ca,       &c->proxy_ca, &c->alice,      &c->root,
                                &c->stranger, &c->proxy,    &c->other_proxy };
    for (size_t i = 0; i < MST_COUNT(all); i++)
        test_cert_done(all[i]);
}

static struct mst_str USER_HEADERS[] = { { "X-Remote-User", 13 } };
static struct mst_str UID_HEADERS[] = { { "X-Remote-Uid", 12 } };
static struct mst_str GROUP_HEADERS[] = { { "X-Remote-Group", 14 } };
static struct mst_str EXTRA_PREFIXES[] = { { "X-Remote-Extra-", 15 } };
static struct mst_str NAMES[] = { { "front", 5 } };

static void start_tls(struct mst_test *t, struct world *w, const struct certs *c)
{
    *w = (struct world){ 0 };
    snprintf(w->dir, sizeof(w->dir), "/tmp/mst-authn-XXXXXX");
    if (!mkdtemp(w->dir))
        abort();
    snprintf(w->ca, sizeof(w->ca), "%s/ca.pem", w->dir);
    snprintf(w->proxy_ca, sizeof(w->proxy_ca), "%s/proxy-ca.pem", w->dir);
    test_cert_write(&c->ca, w->ca, NULL);
    test_cert_write(&c->proxy_ca, w->proxy_ca, NULL);
    start(t, w, (struct mst_https_options){ .client_ca_file = w->ca, .proxy_ca_file = w->proxy_ca },
          (struct mst_access_options){ .has_client_ca = true,
                                       .has_proxy_ca = true,
                                       .proxy = { .user_headers = { USER_HEADERS, 1 },
                                                  .uid_headers = { UID_HEADERS, 1 },
                                                  .group_headers = { GROUP_HEADERS, 1 },
                                                  .extra_prefixes = { EXTRA_PREFIXES, 1 },
                                                  .allowed_names = { NAMES, 1 } } });
}

static void test_certificates(struct mst_test *t)
{
    struct certs c;
    struct world w;
    certs_init(&c);
    start_tls(t, &w, &c);
    script(&w, YES);
    ask_as(t, &w, "/metrics", "", &c.alice, IN);
    asked(t, &w,
          ACCESS("/metrics", "\"user\":\"alice\",\"groups\":[\"dev\",\"system:authenticated\"]"));
    ask_as(t, &w, "/metrics", "", &c.root, IN);
    ask_as(t, &w, "/healthz", "", &c.stranger, STRANGER);
    ask_as(t, &w, "/healthz", "", NULL, IN);
    /* Headers of a front proxy mean nothing from anybody else. */
    ask_as(t, &w, "/healthz", "X-Remote-User: root\r\n", &c.stranger, STRANGER);
    asked(t, &w, "");
    script(&w, NO);
    ask_as(t, &w, "/a", "X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n", &c.alice,
           FORBIDDEN("User \\\"alice\\\" cannot get path \\\"/a\\\": no role"));
    script(&w, NO);
    ask_as(t, &w, "/a", "X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n", NULL,
           FORBIDDEN("User \\\"system:anonymous\\\" cannot get path \\\"/a\\\": no role"));
    /* A token counts where the certificate does not. */
    script(&w, ALICE);
    ask_as(t, &w, "/healthz", "Authorization: Bearer t\r\n", &c.stranger, IN);
    stop(&w);
    certs_done(&c);
}

static void test_front_proxies(struct mst_test *t)
{
    struct certs c;
    struct world w;
    certs_init(&c);
    start_tls(t, &w, &c);
    script(&w, YES);
    ask_as(t, &w, "/metrics",
           "x-remote-user: bob\r\nX-Remote-Uid: 7\r\nX-Remote-Group: a\r\nX-Remote-Group: b\r\n"
           "X-Remote-Extra-Example.com%2fScope: s1\r\nX-Remote-Extra-example.com%2fscope: s2\r\n",
           &c.proxy, IN);
    asked(t, &w,
          ACCESS("/metrics", "\"user\":\"bob\",\"uid\":\"7\",\"groups\":[\"a\",\"b\","
                             "\"system:authenticated\"],\"extra\":{\"example.com/scope\":"
                             "[\"s1\",\"s2\"]}"));
    ask_as(t, &w, "/healthz", "X-Remote-User: bob\r\n", &c.other_proxy, STRANGER);
    ask_as(t, &w, "/healthz", "X-Remote-Group: a\r\n", &c.proxy, STRANGER); /* names nobody */
    asked(t, &w, "");
    stop(&w);
    certs_done(&c);
}

/* ---- the cluster's ConfigMap ---- */

static void add_pem(struct mst_buf *out, const struct test_cert *cert)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    PEM_write_bio_X509(bio, cert->cert);
    const long n = BIO_get_mem_data(bio, &text);
    for (long i = 0; i < n; i++)
        if (text[i] == '\n')
            mst_buf_text(out, "\\n");
        else
            mst_buf_char(out, text[i]);
    BIO_free(bio);
}

static void test_lookup(struct mst_test *t)
{
    struct certs c;
    struct world w = { 0 };
    MST_AUTO(mst_buf) map = { 0 };
    certs_init(&c);
    mst_buf_text(&map, "{\"data\":{\"client-ca-file\":\"");
    add_pem(&map, &c.ca);
    mst_buf_text(&map, "\",\"requestheader-client-ca-file\":\"");
    add_pem(&map, &c.proxy_ca);
    mst_buf_text(&map, "\",\"requestheader-allowed-names\":\"[\\\"front\\\"]\","
                       "\"requestheader-username-headers\":\"[\\\"X-Remote-User\\\"]\","
                       "\"requestheader-group-headers\":\"[\\\"X-Remote-Group\\\"]\"}}");
    mst_buf_char(&map, '\0');
    w.loop = event_base_new();
    script(&w, map.p);
    w.client.replies[0].status = 200;
    start(t, &w, (struct mst_https_options){ 0 }, (struct mst_access_options){ 0 });
    w.dir[0] = '-'; /* TLS */
    event_base_loop(w.loop, EVLOOP_ONCE);
    t_str(t, mst_buf_span(&w.told), "told\n");
    asked(t, &w, "extension-apiserver-authentication \n");
    ask_as(t, &w, "/metrics", "", &c.root, IN);
    ask_as(t, &w, "/metrics", "X-Remote-User: r\r\nX-Remote-Group: system:masters\r\n", &c.proxy,
           IN);
    ask_as(t, &w, "/healthz", "X-Remote-User: r\r\n", &c.other_proxy, STRANGER);
    ask_as(t, &w, "/healthz", "", &c.stranger, STRANGER);
    asked(t, &w, "");
    stop(&w);
    certs_done(&c);
}

static void test_lookup_that_fails(struct mst_test *t)
{
    static const struct {
        const char *body, *told;
    } cases[] = {
        { "{}", "told: requestheader-client-ca-file: there is none\n" },
        { "{\"data\":{\"client-ca-file\":\"nonsense\"}}",
          "told: no list of certificates in PEM: " },
        { "{\"data\":{\"requestheader-username-headers\":\"{}\"}}",
          "told: requestheader-username-headers: expected a list\n" },
        { "{\"data\":{\"requestheader-group-headers\":\"[1]\"}}",
          "told: requestheader-group-headers: expected strings\n" },
        { "nonsense", "told: line 1" },
        { NULL, "told: no <luck>\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w = { .loop = event_base_new() };
        if (cases[i].body)
            script(&w, cases[i].body);
        else
            script_net(&w, MST_NET_OK, 403);
        if (cases[i].body)
            w.client.replies[0].status = 200;
        start(t, &w, (struct mst_https_options){ 0 }, (struct mst_access_options){ 0 });
        w.dir[0] = '-';
        event_base_loop(w.loop, EVLOOP_ONCE);
        t_case(t, cases[i].told);
        if (!mst_str_has_prefix(mst_buf_span(&w.told), cases[i].told))
            t_str(t, mst_buf_span(&w.told), cases[i].told);
        w.client.asked.n = 0;
        script(&w, NO);
        ask(t, &w, "/metrics", "X-Remote-User: root\r\n",
            FORBIDDEN("User \\\"system:anonymous\\\" cannot get path \\\"/metrics\\\": no role"));
        stop(&w);
    }
}

MST_TEST_MAIN(T(test_open_paths), T(test_tokens), T(test_bad_tokens),
              T(test_masters_are_not_asked_about), T(test_reviews_that_fail),
              T(test_the_end_while_a_review_is_under_way), T(test_bad_options),
              T(test_certificates), T(test_front_proxies), T(test_lookup),
              T(test_lookup_that_fails))
