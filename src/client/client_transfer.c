/*
 * client_transfer.c - one request at libcurl: what it is told, what comes back.
 *
 * Invariants: a handle is set up once with everything that does not change between requests. A
 *             body is sent through a callback that cannot go back: when a kept connection turns out
 *             to be closed, libcurl may send a request once more on a new one only if none of its
 *             body was sent (a POST that may have been carried out is not repeated; Go has the same
 *             rule).
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "client/answer.h"
#include "client/client_internal.h"
#include "client/curl_help.h"

enum {
    TIMEOUT_MS = 30000,         /* of a request that does not say */
    CONNECT_TIMEOUT_MS = 30000, /* of one that waits for ever */
    STREAM_BUFFER_BYTES = 512 << 10,
    BUFFER_BYTES = 64 << 10,
    HEADER_BYTES_MAX = 1 << 20,
    REFUSAL_BYTES_MAX = 1 << 20, /* of an answer that is no 2xx, what is kept */
    /* A peer that is gone is noticed within about 45 s, as by Go's client. */
    KEEPALIVE_IDLE_S = 30,
    KEEPALIVE_EVERY_S = 5,
    KEEPALIVE_TRIES = 3,
    UNACKNOWLEDGED_MS = 45000,
};
#define BODY_BYTES_MAX ((size_t)256 << 20)

/* ---- callbacks of libcurl ---- */

static long status_of(const struct mst_request_handle *r)
{
    long status = 0;
    (void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static size_t take_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct mst_request_handle *r = ctx;
    const size_t count = size * n;
    if (r->state == MST_REQ_DOOMED || r->enough)
        return 0;
    const long status = status_of(r);
    r->got_bytes += count;
    r->last_ns = r->spec.idle_ms > 0 ? mst_client_now_ns() : 0;
    if (r->spec.data && status == 200) {
        r->enough = !r->spec.data(r->spec.ctx, (struct mst_str){ bytes, count });
        return r->enough || r->state == MST_REQ_DOOMED ? 0 : count;
    }
    if (status >= 200 && status < 300 && r->body.n + count > BODY_BYTES_MAX) {
        r->too_large = true;
        return 0;
    }
    if ((status >= 200 && status < 300) || r->body.n + count <= REFUSAL_BYTES_MAX)
        mst_buf_add(&r->body, bytes, count);
    return count;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *ctx)
{
    struct mst_request_handle *r = ctx;
    const size_t count = size * n;
    r->header_bytes += count;
    if (r->header_bytes > HEADER_BYTES_MAX) {
        r->too_large = true;
        return 0;
    }
    /* The line that ends a head is empty; another head may follow (100 Continue). */
    if (count <= 2) {
        r->head_whole = true;
        if (r->spec.endless && status_of(r) == 200)
            mst_request_see(r, 200);
    } else if (count > 5 && memcmp(bytes, "HTTP/", 5) == 0) {
        r->head_whole = false;
    }
    if (count > 12 && (bytes[0] == 'R' || bytes[0] == 'r') &&
        strncasecmp(bytes, "retry-after:", 12) == 0)
        r->retry_after = true;
    if (r->spec.idle_ms > 0)
        r->last_ns = mst_client_now_ns();
    return count;
}

static size_t give_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct mst_request_handle *r = ctx;
    const size_t count = MST_MIN(size * n, r->upload.n - r->uploaded);
    if (count)
        memcpy(bytes, r->upload.p + r->uploaded, count);
    r->uploaded += count;
    return count;
}

static int set_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    (void)ctx;
    const int on = 1, idle = KEEPALIVE_IDLE_S, every = KEEPALIVE_EVERY_S, tries = KEEPALIVE_TRIES;
    const unsigned int unacknowledged = UNACKNOWLEDGED_MS;
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    /* Without them a dead peer is noticed later; that is all. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged, sizeof(unacknowledged));
    return CURL_SOCKOPT_OK;
}

/* ---- set-up ---- */

static void init_tls(struct mst_request_handle *r)
{
    const struct mst_connection *c = r->client->options.connection;
    CURL *easy = r->easy;
    MST_CURL_SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    MST_CURL_SET(easy, CURLOPT_SSL_VERIFYPEER, c->insecure ? 0L : 1L);
    MST_CURL_SET(easy, CURLOPT_SSL_VERIFYHOST, c->insecure ? 0L : 2L);
    if (r->client->connect_to)
        MST_CURL_SET(easy, CURLOPT_CONNECT_TO, r->client->connect_to);
    if (c->username.n || c->password.n) {
        MST_CURL_SET(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        mst_curl_set_text(easy, CURLOPT_USERNAME, c->username);
        mst_curl_set_text(easy, CURLOPT_PASSWORD, c->password.p ? c->password : MST_STR(""));
    }
}

void mst_transfer_init(struct mst_request_handle *r)
{
    const struct mst_client *client = r->client;
    r->easy = curl_easy_init();
    mst_assert(r->easy);
    CURL *easy = r->easy;
    MST_CURL_SET(easy, CURLOPT_PRIVATE, r);
    MST_CURL_SET(easy, CURLOPT_ERRORBUFFER, r->error);
    MST_CURL_SET(easy, CURLOPT_NOSIGNAL, 1L);
    MST_CURL_SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    MST_CURL_SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    /* Rather wait for the first connection than open one each: it may be shared. */
    MST_CURL_SET(easy, CURLOPT_PIPEWAIT, client->tls ? 1L : 0L);
    MST_CURL_SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    MST_CURL_SET(easy, CURLOPT_SOCKOPTFUNCTION, set_socket);
    mst_curl_set_text(easy, CURLOPT_USERAGENT, mst_buf_span(&client->user_agent));
    /* "" also keeps libcurl from looking at the environment: proxy.c did, as Go does. */
    mst_curl_set_text(easy, CURLOPT_PROXY, mst_buf_span(&client->proxy));
    MST_CURL_SET(easy, CURLOPT_NOPROXY, "");
    MST_CURL_SET(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    MST_CURL_SET(easy, CURLOPT_BUFFERSIZE, (long)(r->stream ? STREAM_BUFFER_BYTES : BUFFER_BYTES));
    MST_CURL_SET(easy, CURLOPT_WRITEFUNCTION, take_body);
    MST_CURL_SET(easy, CURLOPT_WRITEDATA, r);
    MST_CURL_SET(easy, CURLOPT_HEADERFUNCTION, take_header);
    MST_CURL_SET(easy, CURLOPT_HEADERDATA, r);
    MST_CURL_SET(easy, CURLOPT_READFUNCTION, give_body);
    MST_CURL_SET(easy, CURLOPT_READDATA, r);
    if (client->tls)
        init_tls(r);
}

/* libcurl takes no connection for a request that was made with other certificates. */
static void set_certificates(struct mst_request_handle *r)
{
    const struct mst_tls_texts texts = mst_auth_tls(r->client);
    if (!r->client->tls || r->tls_version == r->client->auth.tls_version)
        return;
    r->tls_version = r->client->auth.tls_version;
    if (texts.ca.n) {
        mst_curl_only_given_authority(r->easy);
        mst_curl_set_blob(r->easy, CURLOPT_CAINFO_BLOB, texts.ca);
    }
    mst_curl_set_blob(r->easy, CURLOPT_SSLCERT_BLOB, texts.cert);
    mst_curl_set_blob(r->easy, CURLOPT_SSLKEY_BLOB, texts.key);
}

const char *mst_method_name(mst_method method)
{
    static const char *const names[] = { [MST_GET] = "GET",
                                         [MST_POST] = "POST",
                                         [MST_PUT] = "PUT",
                                         [MST_PATCH] = "PATCH",
                                         [MST_DELETE] = "DELETE" };
    return names[method];
}

/* libcurl has its own ideas about PUT and DELETE; to it, all that has a body is a POST. */
static bool has_body(const struct mst_request_handle *r)
{
    return r->upload.n || (r->spec.method != MST_GET && r->spec.method != MST_DELETE);
}

static void set_method(struct mst_request_handle *r)
{
    CURL *easy = r->easy;
    if (has_body(r)) {
        MST_CURL_SET(easy, CURLOPT_POST, 1L);
        MST_CURL_SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->upload.n);
    } else {
        MST_CURL_SET(easy, CURLOPT_HTTPGET, 1L);
    }
    MST_CURL_SET(easy, CURLOPT_CUSTOMREQUEST,
                 r->spec.method == MST_GET ? NULL : mst_method_name(r->spec.method));
}

/* ---- streams that fall silent ---- */

static void arm_idle(struct mst_request_handle *r, int64_t wait_ms)
{
    const struct timeval wait = { .tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000 };
    evtimer_add(&r->idle, &wait);
}

static void on_idle(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct mst_request_handle *r = ctx;
    mst_assert(r->state == MST_REQ_RUNNING && !r->client->in_curl);
    const int64_t silent_ms = (mst_client_now_ns() - r->last_ns) / 1000000;
    if (silent_ms < r->spec.idle_ms) {
        arm_idle(r, r->spec.idle_ms - silent_ms);
        return;
    }
    struct mst_client *client = r->client;
    r->idle_too_long = true;
    curl_multi_remove_handle(client->multi, r->easy);
    mst_transfer_finish(r, CURLE_OPERATION_TIMEDOUT);
    if (client->lists[MST_REQ_QUEUED].first)
        mst_client_kick(client);
}

/* ---- start ---- */

void mst_transfer_start(struct mst_request_handle *r)
{
    struct mst_client *client = r->client;
    const struct mst_request_spec *spec = &r->spec;
    CURL *easy = r->easy;
    r->uploaded = r->header_bytes = 0;
    r->head_whole = r->retry_after = r->enough = r->too_large = r->idle_too_long = false;
    r->error[0] = '\0';
    r->auth_version = client->auth.version;
    r->headers = mst_auth_headers(client, spec->accept ? spec->accept : "application/json",
                                  !has_body(r) ? NULL
                                  : spec->type ? spec->type
                                               : "application/json");
    MST_CURL_SET(easy, CURLOPT_URL, r->url.p);
    MST_CURL_SET(easy, CURLOPT_HTTPHEADER, r->headers->lines);
    set_method(r);
    set_certificates(r);
    const int64_t timeout_ms = spec->timeout_ms ? spec->timeout_ms : TIMEOUT_MS;
    MST_CURL_SET(easy, CURLOPT_TIMEOUT_MS, (long)MST_MAX(timeout_ms, INT64_C(0)));
    /* Whole lists only: the server does not compress what it streams. */
    MST_CURL_SET(easy, CURLOPT_ACCEPT_ENCODING,
                 client->gzip && spec->method == MST_GET && !spec->data ? "gzip" : NULL);
    if (spec->idle_ms > 0) {
        r->last_ns = mst_client_now_ns();
        evtimer_assign(&r->idle, client->options.loop, on_idle, r);
        arm_idle(r, spec->idle_ms);
    }
    const CURLMcode code = curl_multi_add_handle(client->multi, easy);
    mst_assert(code == CURLM_OK);
}

/* ---- end ---- */

static mst_net net_of(CURLcode code)
{
    switch ((int)code) {
    case CURLE_OK: return MST_NET_OK;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_URL_MALFORMAT: return MST_NET_REFUSED;
    case CURLE_OPERATION_TIMEDOUT: return MST_NET_TIMEOUT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_USE_SSL_FAILED: return MST_NET_TLS;
    default: return MST_NET_BROKEN;
    }
}

/*
 * What became of a transfer. A connection that ends while TLS is set up has not carried anything
 * out, and has nothing wrong with its certificates: a server that starts or stops does that.
 */
static mst_net net_of_transfer(const struct mst_request_handle *r, CURLcode code)
{
    long os_error = 0;
    (void)curl_easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &os_error);
    if (code == CURLE_SSL_CONNECT_ERROR &&
        (os_error || strstr(r->error, "SSL_ERROR_SYSCALL") || strstr(r->error, "unexpected eof")))
        return MST_NET_REFUSED;
    return net_of(code);
}

static struct mst_str net_problem(struct mst_request_handle *r, CURLcode code, mst_net net)
{
    const struct mst_str server = r->client->options.connection->server;
    const char *what = r->error[0] ? r->error : curl_easy_strerror(code), *hint = "";
    if (r->idle_too_long)
        what = "nothing came for too long";
    else if (code == CURLE_PARTIAL_FILE && !r->head_whole)
        what = r->header_bytes ? "the answer ended within its head"
                               : "the connection ended before the answer came";
    if (r->too_large)
        what = "the answer is too large";
    if (net == MST_NET_TLS)
        hint = " (check certificate-authority, tls-server-name and the client certificate)";
    return mst_arena_printf(&r->client->scratch, "%s %.*s: %s%s", mst_method_name(r->spec.method),
                            MST_ARG(server), what, hint);
}

static void read_refusal(struct mst_request_handle *r, struct mst_reply *reply)
{
    struct mst_answer answer;
    mst_answer_read(reply->status, reply->body, &r->client->scratch, &answer);
    reply->problem = answer.message;
    reply->reason = answer.reason;
    if (reply->retry_after_s < 0)
        reply->retry_after_s = answer.retry_after_s;
    if (reply->status == 401)
        mst_auth_refused(r->client, r->auth_version);
}

static struct mst_str type_of(const struct mst_request_handle *r)
{
    char *text = NULL;
    (void)curl_easy_getinfo(r->easy, CURLINFO_CONTENT_TYPE, &text);
    struct mst_str type = mst_str_of(text);
    const char *end = text ? strchr(text, ';') : NULL;
    if (end)
        type.n = (size_t)(end - text);
    while (type.n && type.p[type.n - 1] == ' ')
        type.n--;
    return type;
}

void mst_transfer_finish(struct mst_request_handle *r, CURLcode code)
{
    struct mst_reply reply = { .retry_after_s = -1 };
    curl_off_t seconds = 0;
    if (code == CURLE_WRITE_ERROR && r->enough)
        code = CURLE_OK;
    /* libcurl takes what there is of a head for all of it. */
    if (code == CURLE_OK && !r->head_whole)
        code = CURLE_PARTIAL_FILE;
    mst_arena_reset(&r->client->scratch);
    reply.net = net_of_transfer(r, code);
    if (reply.net == MST_NET_OK) {
        reply.status = (int)status_of(r);
        reply.type = type_of(r);
        reply.body = mst_buf_span(&r->body);
        if (r->retry_after &&
            curl_easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
            reply.retry_after_s = seconds;
        if (reply.status < 200 || reply.status > 299)
            read_refusal(r, &reply);
    } else {
        reply.problem = net_problem(r, code, reply.net);
        /* A server may refuse a certificate after it let the connection come about. */
        if (reply.net == MST_NET_TLS || (reply.net == MST_NET_BROKEN && !r->header_bytes))
            mst_cert_files_suspect(r->client, r->tls_version);
    }
    /* An answer that ends too soon was one all the same. */
    mst_request_see(r, r->head_whole ? (int)status_of(r) : 0);
    mst_request_end(r, &reply);
}
