/*
 * https_client.h - for tests: a blocking client in a thread of its own, while the loop of the
 * server under test turns; and certificates to show.
 */
#ifndef MST_TEST_HTTPS_CLIENT_H
#define MST_TEST_HTTPS_CLIENT_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "server/https.h"

struct test_cert {
    X509 *cert;
    EVP_PKEY *key;
};

/* Signed by `issuer`, or by itself. `groups` end with NULL. */
static inline struct test_cert test_cert_make(const char *cn, const char *const *groups,
                                              const struct test_cert *issuer)
{
    struct test_cert c = { X509_new(), EVP_EC_gen("P-256") };
    X509_NAME *name = X509_get_subject_name(c.cert);
    X509_set_version(c.cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(c.cert), issuer ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(c.cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(c.cert), 86400);
    for (; groups && *groups; groups++)
        X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, (const unsigned char *)*groups, -1, -1,
                                   0);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)cn, -1, -1, 0);
    X509_set_issuer_name(c.cert, issuer ? X509_get_subject_name(issuer->cert) : name);
    X509_set_pubkey(c.cert, c.key);
    if (!issuer) {
        X509_EXTENSION *ca =
            X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, "critical,CA:TRUE");
        X509_add_ext(c.cert, ca, -1);
        X509_EXTENSION_free(ca);
    }
    X509_sign(c.cert, issuer ? issuer->key : c.key, EVP_sha256());
    return c;
}

static inline void test_cert_done(struct test_cert *c)
{
    X509_free(c->cert);
    EVP_PKEY_free(c->key);
}

static inline void test_cert_write(const struct test_cert *c, const char *cert_file,
                                   const char *key_file)
{
    FILE *f = fopen(cert_file, "w");
    PEM_write_X509(f, c->cert);
    fclose(f);
    if (key_file) {
        f = fopen(key_file, "w");
        PEM_write_PrivateKey(f, c->key, NULL, NULL, 0, NULL, NULL);
        fclose(f);
    }
}

/* One connection: sends, then reads until the server closes or `answers` answers are there. */
struct test_client {
    int port, family; /* family 0: IPv4 */
    bool plain, garbage, close_early;
    struct mst_str send;
    int answers; /* 0: until the end */
    const struct test_cert *cert;
    /* results */
    struct mst_buf got;
    char served[128]; /* CN of the server's certificate */
    bool handshake_failed;
    /* inside */
    struct event_base *loop;
    int done_pipe[2];
};

/* How many whole answers, by their Content-Length; an answer to HEAD must come alone. */
static inline int test_count_answers(const struct mst_buf *got)
{
    int count = 0;
    size_t at = 0;
    while (at < got->n) {
        const char *end = memmem(got->p + at, got->n - at, "\r\n\r\n", 4);
        const char *length = memmem(got->p + at, got->n - at, "Content-Length: ", 16);
        if (!end)
            break;
        at = (size_t)(end + 4 - got->p) +
             (length && length < end ? (size_t)strtoul(length + 16, NULL, 10) : 0);
        count += at <= got->n;
    }
    return count;
}

static inline int test_connect(const struct test_client *c)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)c->port) };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)c->port) };
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in6.sin6_addr = in6addr_loopback;
    const bool six = c->family == AF_INET6;
    const int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval limit = { .tv_sec = 20 };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (connect(fd, six ? (struct sockaddr *)&in6 : (struct sockaddr *)&in,
                six ? sizeof(in6) : sizeof(in)) == 0)
        return fd;
    close(fd);
    return -1;
}

static inline void test_talk(struct test_client *c, int fd, SSL *ssl)
{
    size_t sent = 0;
    char bytes[4096];
    while (sent < c->send.n) {
        const ssize_t n = ssl ? SSL_write(ssl, c->send.p + sent, (int)(c->send.n - sent))
                              : send(fd, c->send.p + sent, c->send.n - sent, MSG_NOSIGNAL);
        if (n <= 0)
            break; /* there may be an answer all the same */
        sent += (size_t)n;
    }
    while (!c->close_early && !(c->answers && test_count_answers(&c->got) >= c->answers)) {
        const ssize_t n =
            ssl ? SSL_read(ssl, bytes, sizeof(bytes)) : recv(fd, bytes, sizeof(bytes), 0);
        if (n <= 0)
            break;
        mst_buf_add(&c->got, bytes, (size_t)n);
    }
}

static inline void test_talk_tls(struct test_client *c, int fd)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    if (c->cert) {
        SSL_CTX_use_certificate(ctx, c->cert->cert);
        SSL_CTX_use_PrivateKey(ctx, c->cert->key);
    }
    SSL *ssl = SSL_new(ctx);
    SSL_set_fd(ssl, fd);
    if (SSL_connect(ssl) == 1) {
        X509 *cert = SSL_get1_peer_certificate(ssl);
        X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, c->served,
                                  sizeof(c->served));
        X509_free(cert);
        test_talk(c, fd, ssl);
        if (!c->close_early)
            SSL_shutdown(ssl);
    } else {
        c->handshake_failed = true;
    }
    SSL_free(ssl);
    SSL_CTX_free(ctx);
}

static inline void *test_client_main(void *arg)
{
    struct test_client *c = arg;
    const int fd = test_connect(c);
    if (fd < 0)
        c->handshake_failed = true;
    else if (c->plain || c->garbage)
        test_talk(c, fd, NULL);
    else
        test_talk_tls(c, fd);
    if (fd >= 0)
        close(fd);
    const ssize_t n = write(c->done_pipe[1], "", 1);
    (void)n;
    return NULL;
}

static inline void test_client_over(evutil_socket_t fd, short events, void *arg)
{
    (void)fd, (void)events;
    event_base_loopbreak(arg);
}

/* Runs the client to its end while the loop turns. The result is to be given to mst_buf_done. */
static inline void test_client_run(struct test_client *c, struct event_base *loop)
{
    pthread_t thread;
    const struct timeval moment = { .tv_usec = 1000 };
    c->loop = loop;
    if (pipe(c->done_pipe))
        abort();
    struct event *over = event_new(loop, c->done_pipe[0], EV_READ, test_client_over, loop);
    event_add(over, NULL);
    if (pthread_create(&thread, NULL, test_client_main, c))
        abort();
    event_base_dispatch(loop);
    pthread_join(thread, NULL);
    event_free(over);
    close(c->done_pipe[0]);
    close(c->done_pipe[1]);
    event_base_loopexit(loop, &moment); /* what the end of the connection brings */
    event_base_dispatch(loop);
}

static inline bool test_got(const struct test_client *c, const char *text)
{
    return c->got.n && memmem(c->got.p, c->got.n, text, strlen(text));
}

#endif
