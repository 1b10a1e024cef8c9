/*
 * client_auth.c - who we are to the server: tokens that are renewed in their file, plug-ins that
 * are run again, and the lines of a request's head that say so.
 *
 * Invariants: lines of requests under way stay as they were sent; new ones have the newest
 *             credentials. A 401 costs at most one renewal per version of the credentials.
 * Source:     kubernetes v1.37 client-go transport (token_source.go, round_trippers.go),
 *             plugin/pkg/client/auth/exec (exec.go).
 */
#include <time.h>

#include "client/client_internal.h"
#include "client/curl_help.h"
#include "client/pem.h"
#include "client/small_file.h"

enum { EXEC_TIMEOUT_MS = 60000 };
#define TOKEN_AGE_NS (INT64_C(60) * 1000000000)

static int64_t now_unix_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

/* ---- lines ---- */

void mst_headers_unref(struct mst_headers *headers)
{
    if (!headers || --headers->refs)
        return;
    curl_slist_free_all(headers->lines);
    mst_free(headers);
}

static void forget_headers(struct mst_auth *auth)
{
    while (auth->headers) {
        struct mst_headers *headers = auth->headers;
        auth->headers = headers->next;
        mst_headers_unref(headers);
    }
}

void mst_auth_changed(struct mst_auth *auth)
{
    auth->version++;
    forget_headers(auth);
}

static void add_line(struct mst_headers *headers, struct mst_buf *line, const char *name,
                     struct mst_str value)
{
    line->n = 0;
    mst_buf_printf(line, "%s: %.*s", name, MST_ARG(value));
    mst_curl_add_line(&headers->lines, mst_buf_span(line));
}

static void add_user(const struct mst_client *client, struct mst_headers *headers,
                     struct mst_buf *line)
{
    const struct mst_connection *c = client->options.connection;
    const struct mst_buf *token = &client->auth.token;
    if (token->n) {
        line->n = 0;
        mst_buf_printf(line, "Authorization: Bearer %.*s", MST_ARG(mst_buf_span(token)));
        mst_curl_add_line(&headers->lines, mst_buf_span(line));
    }
    if (!c->impersonate_user.n)
        return;
    add_line(headers, line, "Impersonate-User", c->impersonate_user);
    if (c->impersonate_uid.n)
        add_line(headers, line, "Impersonate-Uid", c->impersonate_uid);
    for (uint32_t i = 0; i < c->impersonate_groups.n; i++)
        add_line(headers, line, "Impersonate-Group", c->impersonate_groups.v[i]);
    for (uint32_t i = 0; i < c->impersonate_extra.n; i++) {
        const struct mst_str extra = c->impersonate_extra.v[i];
        const char *equals = memchr(extra.p, '=', extra.n);
        const size_t key_n = equals ? (size_t)(equals - extra.p) : extra.n;
        line->n = 0;
        mst_buf_printf(line, "Impersonate-Extra-%.*s: %.*s", (int)key_n, extra.p,
                       (int)(extra.n - key_n - !!equals), equals ? equals + 1 : "");
        mst_curl_add_line(&headers->lines, mst_buf_span(line));
    }
}

struct mst_headers *mst_auth_headers(struct mst_client *client, const char *accept,
                                     const char *type)
{
    struct mst_headers *headers = client->auth.headers;
    while (headers && (headers->accept != accept || headers->type != type))
        headers = headers->next;
    if (headers) {
        headers->refs++;
        return headers;
    }
    MST_AUTO(mst_buf) line = { 0 };
    headers = mst_calloc(1, sizeof(*headers));
    headers->accept = accept;
    headers->type = type;
    headers->refs = 2; /* the list's and the caller's */
    headers->next = client->auth.headers;
    client->auth.headers = headers;
    add_line(headers, &line, "Accept", mst_str_of(accept));
    if (type) {
        add_line(headers, &line, "Content-Type", mst_str_of(type));
        mst_curl_add_line(&headers->lines, MST_STR("Expect:")); /* the body follows at once */
    }
    if (client->host_header.n)
        mst_curl_add_line(&headers->lines, mst_buf_span(&client->host_header));
    add_user(client, headers, &line);
    return headers;
}

/* ---- tokens ---- */

/* A line of a head must stay one line. */
static mst_rc check_line(struct mst_str text, const char *what, struct mst_err *err)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == '\x7f')
            return mst_fail(err, MST_EINVAL, "%s: has a control character at byte %zu", what, i);
    return MST_OK;
}

static mst_rc read_token(struct mst_client *client, struct mst_err *err)
{
    const struct mst_str path = client->options.connection->token_file;
    struct mst_auth *auth = &client->auth;
    MST_AUTO(mst_buf) bytes = { 0 };
    mst_rc rc = mst_small_file_read(path, &bytes, err);
    if (rc)
        return mst_wrap(err, "token file");
    struct mst_str text = mst_buf_span(&bytes);
    while (text.n && (unsigned char)*text.p <= ' ')
        text.p++, text.n--;
    while (text.n && (unsigned char)text.p[text.n - 1] <= ' ')
        text.n--;
    if (!text.n)
        return mst_fail(err, MST_EINVAL, "token file: %.*s: is empty", MST_ARG(path));
    rc = check_line(text, "token", err);
    if (rc)
        return mst_wrap(err, "token file: %.*s", MST_ARG(path));
    if (!mst_str_eq(text, mst_buf_span(&auth->token))) {
        auth->token.n = 0;
        mst_buf_str(&auth->token, text);
        mst_auth_changed(auth);
    }
    return MST_OK;
}

static mst_auth_state token_ready(struct mst_client *client)
{
    struct mst_auth *auth = &client->auth;
    struct mst_err err;
    const int64_t now_ns = mst_client_now_ns();
    if (auth->read_ns && now_ns - auth->read_ns < TOKEN_AGE_NS)
        return MST_AUTH_READY;
    if (!read_token(client, &err)) {
        auth->read_ns = now_ns;
        return MST_AUTH_READY;
    }
    auth->problem.n = 0;
    mst_buf_text(&auth->problem, err.text);
    if (!auth->token.n)
        return MST_AUTH_FAILED;
    /* The old one may still do: it is in the middle of being replaced, say. */
    auth->read_ns = now_ns;
    mst_log(client->options.log, 0, "Cannot read the token again, the old one is used",
            MST_KSTR("err", mst_str_of(err.text)));
    return MST_AUTH_READY;
}

/* ---- plug-ins ---- */

static void replace(struct mst_buf *buf, struct mst_str text)
{
    buf->n = 0;
    mst_buf_str(buf, text);
}

static void on_credentials(void *ctx, const struct mst_exec_end *end,
                           const struct mst_exec_credentials *credentials, struct mst_str problem)
{
    struct mst_client *client = ctx;
    struct mst_auth *auth = &client->auth;
    if (client->options.plugin_ended)
        client->options.plugin_ended(client->options.seen_ctx, end);
    auth->run = NULL;
    replace(&auth->problem, problem);
    auth->have = credentials != NULL;
    if (credentials) {
        auth->expires_unix_s = credentials->expires_unix_s;
        replace(&auth->token, credentials->token);
        if (!mst_str_eq(mst_buf_span(&auth->cert), credentials->cert_pem) ||
            !mst_str_eq(mst_buf_span(&auth->key), credentials->key_pem)) {
            replace(&auth->cert, credentials->cert_pem);
            replace(&auth->key, credentials->key_pem);
            auth->tls_version++;
        }
        mst_auth_changed(auth);
    }
    mst_client_credentials(client, credentials != NULL);
}

static mst_auth_state exec_ready(struct mst_client *client)
{
    struct mst_auth *auth = &client->auth;
    if (auth->run)
        return MST_AUTH_WAIT;
    if (auth->have && now_unix_s() <= auth->expires_unix_s)
        return MST_AUTH_READY;
    auth->run = mst_exec_start(client->options.loop, client->options.connection, EXEC_TIMEOUT_MS,
                               on_credentials, client);
    return MST_AUTH_WAIT;
}

/* ---- all of them ---- */

struct mst_tls_texts mst_auth_tls(const struct mst_client *client)
{
    const struct mst_auth *auth = &client->auth;
    const struct mst_connection *c = client->options.connection;
    struct mst_tls_texts texts = { .ca = c->ca_pem, .cert = c->cert_pem, .key = c->key_pem };
    if (auth->files.ca.n)
        texts.ca = mst_buf_span(&auth->files.ca);
    const struct mst_buf *cert = auth->cert.n ? &auth->cert : &auth->files.cert;
    if (cert->n) {
        texts.cert = mst_buf_span(cert);
        texts.key = mst_buf_span(auth->cert.n ? &auth->key : &auth->files.key);
    }
    return texts;
}

mst_auth_state mst_auth_ready(struct mst_client *client)
{
    const struct mst_connection *c = client->options.connection;
    mst_cert_files_look(client);
    if (c->exec.command.n)
        return exec_ready(client);
    return c->token_file.n ? token_ready(client) : MST_AUTH_READY;
}

void mst_auth_refused(struct mst_client *client, uint64_t version)
{
    struct mst_auth *auth = &client->auth;
    if (version != auth->version)
        return;
    auth->have = false;
    auth->read_ns = 0;
    mst_cert_files_suspect(client, auth->tls_version);
}

mst_rc mst_auth_init(struct mst_client *client, struct mst_err *err)
{
    const struct mst_connection *c = client->options.connection;
    mst_rc rc = check_line(c->token, "token", err);
    if (!rc)
        rc = check_line(c->impersonate_user, "as", err);
    if (!rc)
        rc = check_line(c->impersonate_uid, "as-uid", err);
    for (uint32_t i = 0; !rc && i < c->impersonate_groups.n; i++)
        rc = check_line(c->impersonate_groups.v[i], "as-groups", err);
    for (uint32_t i = 0; !rc && i < c->impersonate_extra.n; i++)
        rc = check_line(c->impersonate_extra.v[i], "as-user-extra", err);
    if (!rc && client->tls && c->ca_pem.n)
        rc = mst_pem_check_authority(c->ca_pem, err);
    if (!rc && client->tls && c->cert_pem.n)
        rc = mst_pem_check_pair(c->cert_pem, c->key_pem, err);
    mst_buf_str(&client->auth.token, c->token);
    client->auth.version = client->auth.tls_version = 1;
    mst_cert_files_init(client);
    return rc;
}

void mst_auth_done(struct mst_client *client)
{
    struct mst_auth *auth = &client->auth;
    mst_exec_cancel(auth->run);
    forget_headers(auth);
    mst_cert_files_done(client);
    mst_buf_done(&auth->token);
    mst_buf_done(&auth->cert);
    mst_buf_done(&auth->key);
    mst_buf_done(&auth->problem);
}
