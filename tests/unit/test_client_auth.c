/* Who we are to the server: headers, tokens that are renewed, plug-ins, certificates. */
#include "client_rig.h"

#include "client/exec_plugin.h"
#include "tls_server.h"

#include <fcntl.h>
#include <stdlib.h>

static const struct rig_answer answers[] = {
    { "/echo", NULL, RIG_ECHO },
    { "/401", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", RIG_KEEP },
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    mst_assert(file);
    fputs(text, file);
    fclose(file);
}

/* A name for a file of the test, which does not exist yet. */
static void temporary(char *path, size_t size)
{
    snprintf(path, size, "/tmp/muster-auth-XXXXXX");
    const int fd = mkstemp(path);
    mst_assert(fd >= 0);
    close(fd);
    unlink(path);
}

static void expect_echo(struct mst_test *t, struct rig *rig, const char *has)
{
    struct rig_reply r = { 0 };
    rig_get(rig, "/echo", &r);
    t_int(t, r.status, 200);
    t_ok(t, rig_has(&r.body, has));
    rig_reply_done(&r);
}

static void test_auth_headers(struct mst_test *t)
{
    static const struct mst_str groups[] = { { "g 1", 3 }, { "g2", 2 } };
    static const struct mst_str extra[] = { { "a%2Fb=v=1", 9 }, { "k=", 2 } };
    static const char *const lines[] = {
        "\r\nAuthorization: Bearer abc\r\n", "\r\nImpersonate-User: who\r\n",
        "\r\nImpersonate-Uid: 7\r\n",        "\r\nImpersonate-Group: g 1\r\n",
        "\r\nImpersonate-Group: g2\r\n",     "\r\nImpersonate-Extra-a%2Fb: v=1\r\n",
    };
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.connection.token = MST_STR("abc");
    rig.connection.impersonate_user = MST_STR("who");
    rig.connection.impersonate_uid = MST_STR("7");
    rig.connection.impersonate_groups.v = (struct mst_str *)groups;
    rig.connection.impersonate_groups.n = 2;
    rig.connection.impersonate_extra.v = (struct mst_str *)extra;
    rig.connection.impersonate_extra.n = 2;
    rig_client(&rig);
    for (size_t i = 0; i < MST_COUNT(lines); i++)
        expect_echo(t, &rig, lines[i]);
    rig_end(&rig);
}

/* ---- the token file ---- */

static void test_auth_token_file(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r = { 0 };
    char path[40];
    temporary(path, sizeof(path));
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.connection.token_file = mst_str_of(path);
    rig_client(&rig);
    t_case(t, "no file");
    rig_get(&rig, "/echo", &r);
    t_int(t, r.net, MST_NET_AUTH);
    t_ok(t, rig_has(&r.problem, "No such file or directory"));
    rig_reply_done(&r);
    t_case(t, "empty");
    write_file(path, " \n");
    rig_get(&rig, "/echo", &r);
    t_int(t, r.net, MST_NET_AUTH);
    t_ok(t, rig_has(&r.problem, "is empty"));
    rig_reply_done(&r);
    t_case(t, "two lines");
    write_file(path, "a\nb");
    rig_get(&rig, "/echo", &r);
    t_int(t, r.net, MST_NET_AUTH);
    rig_reply_done(&r);
    t_int(t, rig.requests, 0);
    t_case(t, "there it is");
    write_file(path, "one\n");
    expect_echo(t, &rig, "Authorization: Bearer one\r\n");
    t_case(t, "not read with every request");
    write_file(path, "two\n");
    expect_echo(t, &rig, "Authorization: Bearer one\r\n");
    t_case(t, "read when it is refused");
    rig_get(&rig, "/401", &r);
    t_int(t, r.status, 401);
    rig_reply_done(&r);
    expect_echo(t, &rig, "Authorization: Bearer two\r\n");
    t_case(t, "the old one does while there is none");
    unlink(path);
    rig_get(&rig, "/401", &r);
    rig_reply_done(&r);
    expect_echo(t, &rig, "Authorization: Bearer two\r\n");
    rig_end(&rig);
}

/* ---- plug-ins ---- */

#define VERSION "client.authentication.k8s.io/v1"

struct plugin {
    struct rig rig;
    struct mst_str args[2];
    char runs[40]; /* a file: one byte for each run */
    struct mst_buf seen;
};

static void note_end(void *ctx, const struct mst_exec_end *end)
{
    struct plugin *p = ctx;
    mst_buf_printf(&p->seen, "%s %d\n", end->status, end->code);
}

static void note_seen(void *ctx, const struct mst_request_seen *seen)
{
    struct plugin *p = ctx;
    mst_buf_printf(&p->seen, "%s %d\n", seen->method, seen->status);
}

static void plugin_begin(struct plugin *p, const char *script)
{
    temporary(p->runs, sizeof(p->runs));
    setenv("RUNS", p->runs, 1);
    setenv("STATUS", "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" VERSION "\",\"status\":", 1);
    rig_begin(&p->rig, answers, MST_COUNT(answers));
    p->args[0] = MST_STR("-c");
    p->args[1] = mst_str_of(script);
    p->rig.connection.exec = (struct mst_exec_plugin){ .command = MST_STR("sh"),
                                                       .api_version = MST_STR(VERSION),
                                                       .args = { .v = p->args, .n = 2 } };
    p->seen = (struct mst_buf){ 0 };
    p->rig.options.seen = note_seen;
    p->rig.options.plugin_ended = note_end;
    p->rig.options.seen_ctx = p;
    rig_client(&p->rig);
}

static long plugin_end(struct plugin *p)
{
    rig_end(&p->rig);
    mst_buf_done(&p->seen);
    FILE *file = fopen(p->runs, "r");
    long count = 0;
    while (file && fgetc(file) != EOF)
        count++;
    if (file)
        fclose(file);
    unlink(p->runs);
    return count;
}

#define RUN "printf x >>$RUNS; n=$(wc -c <$RUNS); "

static void test_auth_plugin(struct mst_test *t)
{
    struct plugin p;
    struct rig_reply r[5] = { 0 };
    plugin_begin(&p, RUN "echo \"$STATUS{\\\"token\\\":\\\"t$((n))\\\"}}\"");
    /* All that wait, wait for one run. */
    for (int i = 0; i < 5; i++) {
        const struct mst_request_spec spec = { .path = MST_STR("/echo"),
                                               .done = rig_done,
                                               .ctx = &r[i] };
        mst_client_send(p.rig.client, &spec);
    }
    rig_run(&p.rig, 0);
    for (int i = 0; i < 5; i++) {
        t_ok(t, rig_has(&r[i].body, "Authorization: Bearer t1\r\n"));
        rig_reply_done(&r[i]);
    }
    expect_echo(t, &p.rig, "Authorization: Bearer t1\r\n");
    rig_get(&p.rig, "/401", &r[0]);
    rig_reply_done(&r[0]);
    expect_echo(t, &p.rig, "Authorization: Bearer t2\r\n");
    t_int(t, plugin_end(&p), 2);
}

static void test_auth_plugin_expires(struct mst_test *t)
{
    struct plugin p;
    plugin_begin(&p, RUN "echo \"$STATUS{\\\"token\\\":\\\"t$((n))\\\","
                         "\\\"expirationTimestamp\\\":\\\"2020-01-01T00:00:00Z\\\"}}\"");
    /* Used though it has expired when it comes, but once. */
    expect_echo(t, &p.rig, "Authorization: Bearer t1\r\n");
    expect_echo(t, &p.rig, "Authorization: Bearer t2\r\n");
    t_int(t, plugin_end(&p), 2);
}

static void test_auth_plugin_fails(struct mst_test *t)
{
    struct plugin p;
    struct rig_reply r[3] = { 0 };
    plugin_begin(&p, RUN "[ $n -gt 1 ] || { echo no login >&2; exit 1; }; "
                         "echo \"$STATUS{\\\"token\\\":\\\"t$((n))\\\"}}\"");
    for (int i = 0; i < 3; i++) {
        const struct mst_request_spec spec = {
            .path = MST_STR("/echo"), .done = rig_done, .ctx = &r[i], .urgent = i == 2
        };
        mst_client_send(p.rig.client, &spec);
    }
    rig_run(&p.rig, 0);
    for (int i = 0; i < 3; i++) {
        t_int(t, r[i].told, 1);
        t_int(t, r[i].net, MST_NET_AUTH);
        t_ok(t, rig_has(&r[i].problem, "exec plug-in \"sh\": failed with exit code 1; it says: no "
                                       "login"));
        rig_reply_done(&r[i]);
    }
    expect_echo(t, &p.rig, "Authorization: Bearer t2\r\n");
    t_str(t, mst_buf_span(&p.seen),
          "plugin_execution_error 1\nGET 0\nGET 0\nGET 0\nno_error 0\nGET 200\n");
    t_int(t, plugin_end(&p), 2);
}

static void test_auth_plugin_given_up(struct mst_test *t)
{
    struct plugin p;
    struct rig_reply r[2] = { 0 };
    plugin_begin(&p, "sleep 600");
    struct mst_request_handle *handles[2];
    for (int i = 0; i < 2; i++) {
        const struct mst_request_spec spec = { .path = MST_STR("/echo"),
                                               .done = rig_done,
                                               .ctx = &r[i] };
        handles[i] = mst_client_send(p.rig.client, &spec);
    }
    rig_run(&p.rig, 10);
    t_int(t, mst_client_pending(p.rig.client), 2);
    mst_client_cancel(p.rig.client, handles[0]);
    t_int(t, mst_client_pending(p.rig.client), 1);
    plugin_end(&p); /* with one that waits */
    t_int(t, r[0].told + r[1].told, 0);
}

/* ---- certificates ---- */

static void test_auth_tls(struct mst_test *t)
{
    struct certificate ca, other, server_cert, user;
    struct tls_server server;
    certificate_make(&ca, "ca", NULL, NULL);
    certificate_make(&other, "other", NULL, NULL);
    certificate_make(&server_cert, "server", &ca, "DNS:api.example,IP:127.0.0.1");
    certificate_make(&user, "alice", &ca, NULL);
    tls_server_begin(&server, &server_cert);
    const struct mst_str right = mst_buf_span(&ca.cert_pem), wrong = mst_buf_span(&other.cert_pem);
    const struct {
        const char *name, *host, *server_name;
        struct mst_str ca;
        bool insecure, user;
        mst_net net;
        const char *body; /* NULL: none */
    } cases[] = {
        { "by address", "127.0.0.1", NULL, right, false, false, MST_NET_OK, "- - 127.0.0.1" },
        { "with a certificate", "127.0.0.1", NULL, right, false, true, MST_NET_OK,
          "alice - 127.0.0.1" },
        { "under a name", "127.0.0.1", "api.example", right, false, true, MST_NET_OK,
          "alice api.example 127.0.0.1" },
        { "wrong authority", "127.0.0.1", NULL, wrong, false, false, MST_NET_TLS, NULL },
        { "the system's authorities", "127.0.0.1", NULL, MST_STR_NONE, false, false, MST_NET_TLS,
          NULL },
        { "wrong name", "localhost", NULL, right, false, false, MST_NET_TLS, NULL },
        { "wrong server name", "127.0.0.1", "x.example", right, false, false, MST_NET_TLS, NULL },
        { "unchecked", "localhost", NULL, MST_STR_NONE, true, true, MST_NET_OK,
          "alice localhost localhost" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        struct rig_reply r = { 0 };
        t_case(t, cases[i].name);
        rig_begin(&rig, NULL, 0);
        snprintf(rig.url, sizeof(rig.url), "https://%s:%u", cases[i].host, server.port);
        rig.connection.server = mst_str_of(rig.url);
        rig.connection.tls_server_name = mst_str_of(cases[i].server_name);
        rig.connection.ca_pem = cases[i].ca;
        rig.connection.insecure = cases[i].insecure;
        if (cases[i].user) {
            rig.connection.cert_pem = mst_buf_span(&user.cert_pem);
            rig.connection.key_pem = mst_buf_span(&user.key_pem);
        }
        rig_client(&rig);
        rig_get(&rig, "/x", &r);
        t_int(t, r.net, cases[i].net);
        if (cases[i].body)
            t_str(t, mst_buf_span(&r.body), cases[i].body);
        else
            t_ok(t, rig_has(&r.problem, "(check certificate-authority, "));
        rig_reply_done(&r);
        rig_end(&rig);
    }
    tls_server_end(&server);
    certificate_done(&ca);
    certificate_done(&other);
    certificate_done(&server_cert);
    certificate_done(&user);
}

/* Certificates of a plug-in; a new one makes a new connection. */
static void test_auth_tls_plugin(struct mst_test *t)
{
    struct certificate ca, server_cert, users[2];
    struct tls_server server;
    struct plugin p;
    certificate_make(&ca, "ca", NULL, NULL);
    certificate_make(&server_cert, "server", &ca, "IP:127.0.0.1");
    certificate_make(&users[0], "first", &ca, NULL);
    certificate_make(&users[1], "second", &ca, NULL);
    tls_server_begin(&server, &server_cert);
    for (int i = 0; i < 2; i++) {
        setenv(i ? "CERT2" : "CERT1", users[i].cert_pem.p, 1);
        setenv(i ? "KEY2" : "KEY1", users[i].key_pem.p, 1);
    }
    plugin_begin(&p, RUN "eval \"c=\\$CERT$((n)) k=\\$KEY$((n))\"; lines() { echo \"$1\" | "
                         "awk '{printf \"%s\\\\n\", $0}'; }; "
                         "printf '%s{\"clientCertificateData\":\"%s\",\"clientKeyData\":\"%s\","
                         "\"expirationTimestamp\":\"2020-01-01T00:00:00Z\"}}' "
                         "\"$STATUS\" \"$(lines \"$c\")\" \"$(lines \"$k\")\"");
    mst_client_free(p.rig.client);
    snprintf(p.rig.url, sizeof(p.rig.url), "https://127.0.0.1:%u", server.port);
    p.rig.connection.server = mst_str_of(p.rig.url);
    p.rig.connection.ca_pem = mst_buf_span(&ca.cert_pem);
    rig_client(&p.rig);
    for (int i = 0; i < 2; i++) {
        struct rig_reply r = { 0 };
        rig_get(&p.rig, "/x", &r);
        t_str(t, mst_buf_span(&r.problem), "");
        t_str(t, mst_buf_span(&r.body), i ? "second - 127.0.0.1" : "first - 127.0.0.1");
        rig_reply_done(&r);
    }
    t_int(t, plugin_end(&p), 2);
    tls_server_end(&server);
    certificate_done(&ca);
    certificate_done(&server_cert);
    certificate_done(&users[0]);
    certificate_done(&users[1]);
}

MST_TEST_MAIN(T(test_auth_headers), T(test_auth_token_file), T(test_auth_plugin),
              T(test_auth_plugin_expires), T(test_auth_plugin_fails), T(test_auth_plugin_given_up),
              T(test_auth_tls), T(test_auth_tls_plugin))
