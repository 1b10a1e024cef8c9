/*
 * extender_client.c - calls to HTTP extenders, carried out with libcurl.
 *
 * Owns:       one handle per extender, so that connections are kept; decoded TLS data.
 * Invariants: a handle is set up once with everything that does not change between calls.
 */
#include "client/extender_client.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/curl_help.h"
#include "codec/base64.h"

enum { REDIRECTS_MAX = 10 };
#define RESPONSE_BYTES_MAX MST_DOCUMENT_BYTES_MAX

struct peer {
    CURL *curl;
    struct curl_slist *headers, *connect_to;
};

struct mst_extender_client {
    const struct mst_config *config;
    struct peer *peers; /* by index of the extender */
};

/* ---- set-up ---- */

/* As Go says it. */
static mst_rc check_readable(struct mst_str path, struct mst_err *err)
{
    char text[128];
    MST_AUTO(mst_buf) name = { 0 };
    mst_buf_str(&name, path);
    mst_buf_char(&name, '\0');
    const int fd = open(name.p, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return MST_OK;
    }
    const char *why = strerror_r(errno, text, sizeof(text));
    return mst_fail(err, MST_EIO, "couldn't build extenders: open %.*s: %c%s", MST_ARG(path),
                    why[0] | ('a' ^ 'A'), why[0] ? why + 1 : "");
}

/* Data goes before a file. */
static mst_rc set_tls_part(CURL *curl, struct mst_str data, struct mst_str file,
                           CURLoption blob_option, CURLoption file_option, struct mst_err *err)
{
    if (data.n) {
        MST_AUTO(mst_buf) decoded = { 0 };
        size_t at;
        const bool ok = mst_base64_decode(data, &decoded, &at);
        mst_assert(ok); /* the configuration was checked */
        mst_curl_set_blob(curl, blob_option, mst_buf_span(&decoded));
        return MST_OK;
    }
    if (!file.n)
        return MST_OK;
    mst_rc rc = check_readable(file, err);
    if (rc)
        return rc;
    mst_curl_set_text(curl, file_option, file);
    return MST_OK;
}

static mst_rc set_tls(struct peer *peer, const struct mst_cfg_extender *e, struct mst_err *err)
{
    const struct mst_cfg_tls *tls = &e->tls;
    CURL *curl = peer->curl;
    const bool has_ca = tls->ca_file.n || tls->ca_data.n;
    const long verify = !(tls->insecure || (e->https && !has_ca));
    MST_CURL_SET(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    MST_CURL_SET(curl, CURLOPT_SSL_VERIFYPEER, verify);
    MST_CURL_SET(curl, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
    if (has_ca)
        mst_curl_only_given_authority(curl);
    mst_rc rc =
        set_tls_part(curl, tls->ca_data, tls->ca_file, CURLOPT_CAINFO_BLOB, CURLOPT_CAINFO, err);
    if (!rc)
        rc = set_tls_part(curl, tls->cert_data, tls->cert_file, CURLOPT_SSLCERT_BLOB,
                          CURLOPT_SSLCERT, err);
    if (!rc)
        rc = set_tls_part(curl, tls->key_data, tls->key_file, CURLOPT_SSLKEY_BLOB, CURLOPT_SSLKEY,
                          err);
    return rc;
}

static mst_rc set_up(struct peer *peer, const struct mst_cfg_extender *e, struct mst_err *err)
{
    peer->curl = curl_easy_init();
    mst_assert(peer->curl);
    CURL *curl = peer->curl;
    mst_curl_add_line(&peer->headers, MST_STR("Content-Type: application/json"));
    mst_curl_add_line(&peer->headers, MST_STR("Expect:")); /* the body follows at once */
    MST_CURL_SET(curl, CURLOPT_NOSIGNAL, 1L);
    MST_CURL_SET(curl, CURLOPT_USERAGENT, "muster");
    MST_CURL_SET(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    MST_CURL_SET(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    MST_CURL_SET(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    MST_CURL_SET(curl, CURLOPT_FOLLOWLOCATION, 1L);
    MST_CURL_SET(curl, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    MST_CURL_SET(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
    MST_CURL_SET(curl, CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
    if (e->timeout_ns > 0)
        MST_CURL_SET(curl, CURLOPT_TIMEOUT_MS, (long)MST_MAX(e->timeout_ns / 1000000, INT64_C(1)));
    return set_tls(peer, e, err);
}

static void peer_done(struct peer *peer)
{
    curl_easy_cleanup(peer->curl);
    curl_slist_free_all(peer->headers);
    curl_slist_free_all(peer->connect_to);
}

mst_rc mst_extender_client_new(const struct mst_config *config, struct mst_extender_client **out,
                               struct mst_err *err)
{
    struct mst_extender_client *client = mst_calloc(1, sizeof(*client));
    client->config = config;
    client->peers = mst_calloc(config->extenders.n + 1, sizeof(*client->peers));
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    mst_assert(code == CURLE_OK);
    for (uint32_t i = 0; i < config->extenders.n; i++) {
        const mst_rc rc = set_up(&client->peers[i], &config->extenders.v[i], err);
        if (rc) {
            mst_extender_client_free(client);
            return rc;
        }
    }
    *out = client;
    return MST_OK;
}

void mst_extender_client_free(struct mst_extender_client *client)
{
    if (!client)
        return;
    for (uint32_t i = 0; i < client->config->extenders.n; i++)
        peer_done(&client->peers[i]);
    mst_free(client->peers);
    mst_free(client);
    curl_global_cleanup();
}

/* ---- errors, as Go's client words them ---- */

struct sending {
    struct peer *peer;
    const struct mst_extender_call *call;
    struct mst_str url;
    struct mst_url *parts; /* of the URL */
    struct mst_buf *text;
};

static bool post_error(const struct sending *s, const char *what)
{
    s->text->n = 0;
    mst_buf_printf(s->text, "Post \"%.*s\": %s", MST_ARG(s->url), what);
    return false;
}

static bool connect_error(const struct sending *s)
{
    long number = 0;
    char buffer[128], what[512];
    (void)curl_easy_getinfo(s->peer->curl, CURLINFO_OS_ERRNO, &number);
    const char *why = number ? strerror_r((int)number, buffer, sizeof(buffer)) : "Cannot connect";
    snprintf(what, sizeof(what), "dial tcp %s:%s: connect: %c%s", s->parts->host, s->parts->port,
             why[0] | ('a' ^ 'A'), why[0] ? why + 1 : "");
    return post_error(s, what);
}

static bool resolve_error(const struct sending *s)
{
    char what[512];
    snprintf(what, sizeof(what), "dial tcp: lookup %s: no such host", s->parts->host);
    return post_error(s, what);
}

static bool timeout_error(const struct sending *s, long status)
{
    if (!status)
        return post_error(s, "context deadline exceeded (Client.Timeout exceeded while awaiting "
                             "headers)");
    s->text->n = 0;
    mst_buf_text(s->text, "context deadline exceeded (Client.Timeout or context cancellation while "
                          "reading body)");
    return false;
}

static bool status_error(const struct sending *s, long status)
{
    s->text->n = 0;
    mst_buf_printf(s->text, "failed %.*s with extender at URL %.*s, code %ld",
                   MST_ARG(s->call->extender->verbs[s->call->verb]), MST_ARG(s->url), status);
    return false;
}

/* What became of the transfer. */
static bool finish(const struct sending *s, CURLcode code)
{
    long status = 0;
    (void)curl_easy_getinfo(s->peer->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_PARTIAL_FILE)
        code = CURLE_OK; /* the reader of the body will say what is missing */
    if (code == CURLE_OK)
        return status == 200 ? true : status_error(s, status);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return timeout_error(s, status);
    if (code == CURLE_COULDNT_CONNECT)
        return connect_error(s);
    if (code == CURLE_COULDNT_RESOLVE_HOST)
        return resolve_error(s);
    if (code == CURLE_GOT_NOTHING)
        return post_error(s, "EOF");
    if (code == CURLE_TOO_MANY_REDIRECTS)
        return post_error(s, "stopped after 10 redirects");
    if (code == CURLE_WRITE_ERROR)
        return post_error(s, "the response is too large");
    return post_error(s, curl_easy_strerror(code));
}

/* ---- one call ---- */

static size_t take_bytes(char *bytes, size_t size, size_t n, void *ctx)
{
    struct mst_buf *text = ctx;
    const size_t count = size * n;
    if (text->n + count > RESPONSE_BYTES_MAX)
        return 0;
    mst_buf_add(text, bytes, count);
    return count;
}

/* The connection goes where the URL says, the certificate is that of serverName. */
static void detour(struct peer *peer, const struct mst_cfg_tls *tls, const struct mst_url *parts)
{
    MST_AUTO(mst_buf) url = { 0 };
    MST_AUTO(mst_buf) header = { 0 };
    struct curl_slist *connect_to = NULL;
    mst_curl_detour(parts, tls->server_name, &url, &connect_to, &header);
    if (peer->connect_to) {
        curl_slist_free_all(connect_to); /* as the one before: the host stays */
    } else {
        peer->connect_to = connect_to;
        mst_curl_add_line(&peer->headers, mst_buf_span(&header));
    }
    MST_CURL_SET(peer->curl, CURLOPT_CONNECT_TO, peer->connect_to);
    mst_buf_text(&url, parts->path);
    mst_curl_set_text(peer->curl, CURLOPT_URL, mst_buf_span(&url));
}

/* The URL and what depends on it. False: it is none that can be used, and the text says so. */
static bool set_url(const struct sending *s)
{
    const struct mst_cfg_tls *tls = &s->call->extender->tls;
    const char *colon = s->url.n ? memmem(s->url.p, s->url.n, "://", 3) : NULL;
    if (!colon ||
        !(mst_str_has_prefix(s->url, "http://") || mst_str_has_prefix(s->url, "https://"))) {
        char what[256];
        const size_t n = colon ? (size_t)(colon - s->url.p) : 0;
        snprintf(what, sizeof(what), "unsupported protocol scheme \"%.*s\"", (int)MST_MIN(n, 100u),
                 s->url.p);
        return post_error(s, what);
    }
    if (!mst_url_split(s->url, s->parts))
        return post_error(s, "the URL is not valid");
    /* Go never sends what is for this machine to a proxy. */
    if (mst_host_is_loopback(s->parts->host))
        MST_CURL_SET(s->peer->curl, CURLOPT_NOPROXY, "*");
    if (tls->server_name.n && strcmp(s->parts->scheme, "https") == 0)
        detour(s->peer, tls, s->parts);
    else
        mst_curl_set_text(s->peer->curl, CURLOPT_URL, s->url);
    return true;
}

bool mst_extender_client_send(struct mst_extender_client *client,
                              const struct mst_extender_call *call, struct mst_str url,
                              struct mst_str body, struct mst_buf *ret_text)
{
    mst_assert(call->extender_i < client->config->extenders.n);
    struct peer *peer = &client->peers[call->extender_i];
    MST_AUTO(mst_url) parts = { 0 };
    const struct sending s = { peer, call, url, &parts, ret_text };
    ret_text->n = 0;
    if (!set_url(&s))
        return false;
    MST_CURL_SET(peer->curl, CURLOPT_HTTPHEADER, peer->headers);
    MST_CURL_SET(peer->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    MST_CURL_SET(peer->curl, CURLOPT_POSTFIELDS, body.n ? body.p : "");
    MST_CURL_SET(peer->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    MST_CURL_SET(peer->curl, CURLOPT_WRITEDATA, ret_text);
    MST_AUTO(mst_buf) raw = { 0 };
    const bool ok = finish(&s, curl_easy_perform(peer->curl));
    raw = *ret_text;
    *ret_text = (struct mst_buf){ 0 };
    mst_utf8_clean(mst_buf_span(&raw), ret_text);
    return ok;
}
