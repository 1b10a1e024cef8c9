/* Authorities and client certificates that are renewed in their files while requests go on. */
#include "client_rig.h"
#include "renewing_server.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { EVERY_REQUEST = -1, NEVER_MS = 3600 * 1000, CROWD = 8 };

struct world {
    struct rig rig;
    struct renewing_server server;
    struct certificate ca[2], server_cert[2], user[2]; /* the old ones and the new ones */
    struct mst_log log;
    struct mst_buf lines;
    char dir[40], ca_path[64], cert_path[64], key_path[64];
};

static void write_log(void *ctx, const char *line, size_t n)
{
    mst_buf_add(ctx, line, n);
}

static int64_t no_clock(void *ctx)
{
    (void)ctx;
    return 0;
}

static void write_file(const char *path, struct mst_str text)
{
    FILE *file = fopen(path, "w");
    mst_assert(file);
    if (text.n)
        fwrite(text.p, 1, text.n, file);
    fclose(file);
}

static struct mst_str cert_of(const struct certificate *c)
{
    return mst_buf_span(&c->cert_pem);
}

static void write_pair(const struct world *w, const struct certificate *cert,
                       const struct certificate *key)
{
    write_file(w->cert_path, cert_of(cert));
    write_file(w->key_path, mst_buf_span(&key->key_pem));
}

/* A client that trusts ca[0] and is user[0] at a server of ca[0], by files. */
static void world_begin(struct world *w, int64_t files_ms)
{
    *w = (struct world){ 0 };
    snprintf(w->dir, sizeof(w->dir), "/tmp/muster-files-XXXXXX");
    const char *made = mkdtemp(w->dir);
    mst_assert(made);
    snprintf(w->ca_path, sizeof(w->ca_path), "%s/ca.crt", w->dir);
    snprintf(w->cert_path, sizeof(w->cert_path), "%s/user.crt", w->dir);
    snprintf(w->key_path, sizeof(w->key_path), "%s/user.key", w->dir);
    for (int i = 0; i < 2; i++) {
        certificate_make(&w->ca[i], i ? "new ca" : "ca", NULL, NULL);
        certificate_make(&w->server_cert[i], "server", &w->ca[i], "IP:127.0.0.1");
        certificate_make(&w->user[i], i ? "new" : "old", &w->ca[i], NULL);
    }
    write_file(w->ca_path, cert_of(&w->ca[0]));
    write_pair(w, &w->user[0], &w->user[0]);
    renewing_begin(&w->server, &w->server_cert[0]);
    rig_begin(&w->rig, NULL, 0);
    snprintf(w->rig.url, sizeof(w->rig.url), "https://127.0.0.1:%u", w->server.port);
    struct mst_connection *c = &w->rig.connection;
    c->server = mst_str_of(w->rig.url);
    c->ca_pem = cert_of(&w->ca[0]);
    c->cert_pem = cert_of(&w->user[0]);
    c->key_pem = mst_buf_span(&w->user[0].key_pem);
    c->ca_file = mst_str_of(w->ca_path);
    c->cert_file = mst_str_of(w->cert_path);
    c->key_file = mst_str_of(w->key_path);
    w->log = (struct mst_log){ .level = 2, .write = write_log, .clock = no_clock };
    w->log.ctx = &w->lines;
    w->rig.options.log = &w->log;
    w->rig.options.files_ms = files_ms;
}

static void world_end(struct world *w)
{
    rig_end(&w->rig);
    renewing_end(&w->server);
    for (int i = 0; i < 2; i++) {
        certificate_done(&w->ca[i]);
        certificate_done(&w->server_cert[i]);
        certificate_done(&w->user[i]);
    }
    mst_buf_done(&w->lines);
    unlink(w->ca_path);
    rmdir(w->ca_path);
    unlink(w->cert_path);
    unlink(w->key_path);
    rmdir(w->dir);
}

/* One request; `body`: who we were and over which connection. */
static void expect(struct mst_test *t, struct world *w, const char *body)
{
    struct rig_reply r = { 0 };
    rig_get(&w->rig, "/x", &r);
    t_int(t, r.status, 200);
    t_str(t, mst_buf_span(&r.body), body);
    rig_reply_done(&r);
}

/* One request, whoever answers. */
static void expect_end(struct mst_test *t, struct world *w, mst_net net, int status)
{
    struct rig_reply r = { 0 };
    rig_get(&w->rig, "/x", &r);
    t_int(t, r.net, net);
    t_int(t, r.status, status);
    rig_reply_done(&r);
}

/* Many requests at once; all must be answered, as whom and over however many connections. */
static void expect_crowd(struct mst_test *t, struct world *w, const char *name)
{
    struct rig_reply r[CROWD] = { 0 };
    for (int i = 0; i < CROWD; i++) {
        const struct mst_request_spec spec = { .path = MST_STR("/x"),
                                               .done = rig_done,
                                               .ctx = &r[i] };
        mst_client_send(w->rig.client, &spec);
    }
    rig_run(&w->rig, 0);
    for (int i = 0; i < CROWD; i++) {
        t_int(t, r[i].status, 200);
        t_ok(t, rig_has(&r[i].body, name));
        rig_reply_done(&r[i]);
    }
}

/* The lines that were logged since the last time. */
static void expect_lines(struct mst_test *t, struct world *w, int count, const char *has)
{
    int lines = 0;
    for (size_t i = 0; i < w->lines.n; i++)
        lines += w->lines.p[i] == '\n';
    t_int(t, lines, count);
    if (has && !rig_has(&w->lines, has))
        t_str(t, mst_buf_span(&w->lines), has);
    w->lines.n = 0;
}

/* ---- as it should be done ---- */

static void test_files_renewed(struct mst_test *t)
{
    struct world w;
    MST_AUTO(mst_buf) both = { 0 };
    world_begin(&w, EVERY_REQUEST);
    rig_client(&w.rig);
    expect(t, &w, "old 1");
    expect(t, &w, "old 1");
    expect_lines(t, &w, 0, NULL);
    t_case(t, "both authorities");
    mst_buf_str(&both, cert_of(&w.ca[0]));
    mst_buf_str(&both, cert_of(&w.ca[1]));
    write_file(w.ca_path, mst_buf_span(&both));
    expect(t, &w, "old 2");
    expect(t, &w, "old 2");
    expect_lines(t, &w, 1, "The certificate authority was renewed");
    expect_crowd(t, &w, "old ");
    t_case(t, "the server's certificate");
    renewing_identity(&w.server, &w.server_cert[1]);
    expect_crowd(t, &w, "old ");
    t_case(t, "the new authority alone");
    write_file(w.ca_path, cert_of(&w.ca[1]));
    expect_crowd(t, &w, "old ");
    expect_lines(t, &w, 1, "ca.crt");
    t_case(t, "the client's certificate");
    write_pair(&w, &w.user[1], &w.user[1]);
    expect_crowd(t, &w, "new ");
    expect_lines(t, &w, 1, "The client certificate was renewed");
    t_case(t, "nothing changes");
    const uint32_t connections = renewing_count(&w.server);
    expect_end(t, &w, MST_NET_OK, 200);
    t_int(t, renewing_count(&w.server), connections);
    world_end(&w);
}

/* A watch stays where it is; what is asked meanwhile goes over a new connection. */
static void test_files_watch(struct mst_test *t)
{
    struct world w;
    struct rig_reply watch = { 0 };
    world_begin(&w, EVERY_REQUEST);
    rig_client(&w.rig);
    const struct mst_request_spec spec = { .path = MST_STR("/watch"),
                                           .timeout_ms = -1,
                                           .data = rig_data,
                                           .done = rig_done,
                                           .ctx = &watch };
    mst_client_send(w.rig.client, &spec);
    while (!watch.pieces)
        event_base_loop(w.rig.loop, EVLOOP_ONCE);
    write_pair(&w, &w.user[1], &w.user[1]);
    renewing_identity(&w.server, &w.server_cert[1]);
    write_file(w.ca_path, cert_of(&w.ca[1]));
    struct rig_reply r = { 0 };
    const struct mst_request_spec other = { .path = MST_STR("/x"), .done = rig_done, .ctx = &r };
    mst_client_send(w.rig.client, &other);
    while (!r.told)
        event_base_loop(w.rig.loop, EVLOOP_ONCE);
    t_str(t, mst_buf_span(&r.body), "new 2");
    t_int(t, watch.told, 0);
    renewing_go_on(&w.server);
    rig_run(&w.rig, 0);
    t_int(t, watch.net, MST_NET_OK);
    t_str(t, mst_buf_span(&watch.data), "one\ntwo\n");
    /* Its connection is free now, and not for us. */
    expect(t, &w, "new 2");
    rig_reply_done(&watch);
    rig_reply_done(&r);
    world_end(&w);
}

/* ---- as it should not ---- */

static void mend(const struct world *w)
{
    rmdir(w->ca_path);
    write_file(w->ca_path, cert_of(&w->ca[0]));
    write_pair(w, &w->user[0], &w->user[0]);
}

static void break_pair(const struct world *w)
{
    write_pair(w, &w->user[1], &w->user[0]);
}

static void cut_certificate(const struct world *w)
{
    struct mst_str text = cert_of(&w->user[1]);
    text.n /= 2;
    write_file(w->cert_path, text);
}

static void cut_second_authority(const struct world *w)
{
    MST_AUTO(mst_buf) both = { 0 };
    mst_buf_str(&both, cert_of(&w->ca[1]));
    mst_buf_str(&both, cert_of(&w->ca[0]));
    both.n -= 40;
    write_file(w->ca_path, mst_buf_span(&both));
}

static void empty_key(const struct world *w)
{
    write_file(w->key_path, MST_STR_NONE);
}

static void remove_key(const struct world *w)
{
    unlink(w->key_path);
}

static void remove_authority(const struct world *w)
{
    unlink(w->ca_path);
}

static void make_directory(const struct world *w)
{
    unlink(w->ca_path);
    const int rc = mkdir(w->ca_path, 0700);
    mst_assert(!rc);
}

static void test_files_broken(struct mst_test *t)
{
    static const struct {
        const char *name, *says, *path;
        void (*act)(const struct world *w);
    } cases[] = {
        { "not a pair", "client-key: is not the key of client-certificate; give the two of one",
          "/user.key", break_pair },
        { "half a certificate", "client-certificate: no certificate in it; want PEM", "/user.crt",
          cut_certificate },
        { "no key in it", "client-key: no private key in it; want PEM", "/user.key", empty_key },
        { "no key", "/user.key: No such file or directory; put a file there that can be read",
          "/user.key", remove_key },
        { "half an authority",
          "certificate-authority: certificate 2 in it is damaged or cut off; write the whole file",
          "/ca.crt", cut_second_authority },
        { "no authority", "/ca.crt: No such file or directory; put a file", "/ca.crt",
          remove_authority },
        { "a directory", "/ca.crt: not a regular file; put a file", "/ca.crt", make_directory },
    };
    struct world w;
    world_begin(&w, EVERY_REQUEST);
    rig_client(&w.rig);
    expect(t, &w, "old 1");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        cases[i].act(&w);
        expect(t, &w, "old 1");
        t_ok(t, rig_has(&w.lines, cases[i].path));
        t_ok(t, rig_has(&w.lines, "the old one is kept"));
        expect_lines(t, &w, 1, cases[i].says);
        /* Said once. */
        expect(t, &w, "old 1");
        expect_lines(t, &w, 0, NULL);
        /* As it was: nothing to say, nothing to do. And the next time it is news again. */
        mend(&w);
        expect(t, &w, "old 1");
        expect_lines(t, &w, 0, NULL);
        if (i % 2)
            continue;
        cases[i].act(&w);
        expect(t, &w, "old 1");
        expect_lines(t, &w, 1, cases[i].says);
        mend(&w);
        expect(t, &w, "old 1");
    }
    t_case(t, "one problem after the other, then a good pair");
    break_pair(&w);
    expect(t, &w, "old 1");
    expect_lines(t, &w, 1, "is not the key");
    remove_key(&w);
    expect(t, &w, "old 1");
    expect_lines(t, &w, 1, "No such file");
    write_pair(&w, &w.user[1], &w.user[1]);
    expect(t, &w, "new 2");
    expect_lines(t, &w, 1, "was renewed");
    t_case(t, "a broken authority keeps nobody from a good pair");
    remove_authority(&w);
    write_pair(&w, &w.user[0], &w.user[0]);
    expect(t, &w, "old 1"); /* the first connection is one of this certificate */
    expect_lines(t, &w, 2, "ca.crt: No such file");
    world_end(&w);
}

/* ---- when they are looked at ---- */

static void test_files_after_failure(struct mst_test *t)
{
    struct world w;
    world_begin(&w, NEVER_MS);
    rig_client(&w.rig);
    expect(t, &w, "old 1");
    t_case(t, "not with every request");
    write_pair(&w, &w.user[1], &w.user[1]);
    expect(t, &w, "old 1");
    t_case(t, "after a 401");
    renewing_refuse(&w.server, "old", REFUSE_401);
    expect_end(t, &w, MST_NET_OK, 401);
    expect(t, &w, "new 2");
    t_case(t, "after it was hung up on");
    write_pair(&w, &w.user[0], &w.user[0]);
    renewing_refuse(&w.server, "new", REFUSE_HANG_UP);
    expect_end(t, &w, MST_NET_BROKEN, 0);
    expect(t, &w, "old 1");
    t_case(t, "after a server that is not believed");
    renewing_identity(&w.server, &w.server_cert[1]);
    renewing_hang_up(&w.server);
    expect_end(t, &w, MST_NET_TLS, 0);
    expect_end(t, &w, MST_NET_TLS, 0);
    write_file(w.ca_path, cert_of(&w.ca[1]));
    expect_end(t, &w, MST_NET_OK, 200); /* looked at because of the one before */
    world_end(&w);
}

/* Half of a pair in a file, or none at all: nothing is looked at. */
static void test_files_not_looked_at(struct mst_test *t)
{
    for (int i = 0; i < 2; i++) {
        struct world w;
        t_case(t, i ? "no files" : "half a pair");
        world_begin(&w, EVERY_REQUEST);
        w.rig.connection.key_file = w.rig.connection.ca_file = MST_STR_NONE;
        if (i)
            w.rig.connection.cert_file = MST_STR_NONE;
        rig_client(&w.rig);
        write_pair(&w, &w.user[1], &w.user[1]);
        remove_authority(&w);
        expect(t, &w, "old 1");
        expect(t, &w, "old 1");
        expect_lines(t, &w, 0, NULL);
        world_end(&w);
    }
}

MST_TEST_MAIN(T(test_files_renewed), T(test_files_watch), T(test_files_broken),
              T(test_files_after_failure), T(test_files_not_looked_at))
