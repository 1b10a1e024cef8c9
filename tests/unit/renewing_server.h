/*
 * renewing_server.h - an HTTPS server that keeps connections open, with a thread for each, and
 * whose identity can be replaced while it serves.
 *
 * Answers "NAME NUMBER": the name in the client's certificate ("-" without one), and which of its
 * connections it is, from 1. A GET of /watch gets "one\n" and, once it is told to go on, "two\n".
 */
#ifndef MST_RENEWING_SERVER_H
#define MST_RENEWING_SERVER_H

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "certificates.h"

enum { RENEWING_CONNECTIONS_MAX = 128 };

/* What becomes of requests of whom the server does not like. */
typedef enum { REFUSE_401, REFUSE_HANG_UP } refusal;

struct renewing_server;

struct renewing_connection {
    struct renewing_server *server;
    SSL_CTX *ctx;
    int fd;
    uint32_t number;
    pthread_t thread;
};

struct renewing_server {
    int fd;
    uint32_t port;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t more;
    SSL_CTX *ctx;
    const char *refused; /* a name; NULL: nobody's */
    refusal how;
    bool go_on;
    struct renewing_connection connections[RENEWING_CONNECTIONS_MAX];
    uint32_t count;
};

static inline void renewing_say(SSL *ssl, const char *status, const char *body)
{
    char answer[512];
    const int n = snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s",
                           status, strlen(body), body);
    SSL_write(ssl, answer, n);
}

static inline void renewing_watch(struct renewing_server *server, SSL *ssl)
{
    static const char begin[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "4\r\none\n\r\n";
    static const char end[] = "4\r\ntwo\n\r\n0\r\n\r\n";
    SSL_write(ssl, begin, sizeof(begin) - 1);
    pthread_mutex_lock(&server->lock);
    while (!server->go_on)
        pthread_cond_wait(&server->more, &server->lock);
    pthread_mutex_unlock(&server->lock);
    SSL_write(ssl, end, sizeof(end) - 1);
}

/* False: the connection is over. */
static inline bool renewing_answer(struct renewing_connection *c, SSL *ssl)
{
    struct renewing_server *server = c->server;
    char request[8192], name[128] = "-", body[256];
    int n = 0;
    do {
        const int more = SSL_read(ssl, request + n, (int)sizeof(request) - 1 - n);
        if (more <= 0)
            return false;
        n += more;
    } while (!memmem(request, (size_t)n, "\r\n\r\n", 4));
    X509 *peer = SSL_get1_peer_certificate(ssl);
    if (peer)
        X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, name, sizeof(name));
    X509_free(peer);
    pthread_mutex_lock(&server->lock);
    const bool refused = server->refused && strcmp(server->refused, name) == 0;
    const refusal how = server->how;
    pthread_mutex_unlock(&server->lock);
    if (refused && how == REFUSE_HANG_UP)
        return false;
    snprintf(body, sizeof(body), "%s %u", name, c->number);
    if (memcmp(request, "GET /watch", 10) == 0)
        renewing_watch(server, ssl);
    else
        renewing_say(ssl, refused ? "401 Unauthorized" : "200 OK", body);
    return true;
}

static inline void *renewing_connection_run(void *ctx)
{
    struct renewing_connection *c = ctx;
    SSL *ssl = SSL_new(c->ctx);
    SSL_set_fd(ssl, c->fd);
    if (SSL_accept(ssl) == 1)
        while (renewing_answer(c, ssl))
            ;
    SSL_free(ssl);
    SSL_CTX_free(c->ctx);
    shutdown(c->fd, SHUT_RDWR); /* closed when the server ends */
    return NULL;
}

static inline void *renewing_accept(void *ctx)
{
    struct renewing_server *server = ctx;
    for (;;) {
        const int fd = accept(server->fd, NULL, NULL);
        if (fd < 0)
            return NULL; /* shut down */
        pthread_mutex_lock(&server->lock);
        mst_assert(server->count < RENEWING_CONNECTIONS_MAX);
        struct renewing_connection *c = &server->connections[server->count++];
        *c = (struct renewing_connection){ server, server->ctx, fd, server->count, 0 };
        SSL_CTX_up_ref(c->ctx);
        const int error = pthread_create(&c->thread, NULL, renewing_connection_run, c);
        mst_assert(!error);
        pthread_mutex_unlock(&server->lock);
    }
}

static inline int renewing_accept_any(int ok, X509_STORE_CTX *ctx)
{
    (void)ok, (void)ctx;
    return 1;
}

/* New connections are served with this; those that are open stay as they are. */
static inline void renewing_identity(struct renewing_server *server, const struct certificate *c)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(ctx, c->cert);
    SSL_CTX_use_PrivateKey(ctx, c->key);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, renewing_accept_any);
    SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"test", 4);
    pthread_mutex_lock(&server->lock);
    SSL_CTX_free(server->ctx);
    server->ctx = ctx;
    pthread_mutex_unlock(&server->lock);
}

static inline void renewing_refuse(struct renewing_server *server, const char *name, refusal how)
{
    pthread_mutex_lock(&server->lock);
    server->refused = name;
    server->how = how;
    pthread_mutex_unlock(&server->lock);
}

static inline void renewing_go_on(struct renewing_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->go_on = true;
    pthread_cond_broadcast(&server->more);
    pthread_mutex_unlock(&server->lock);
}

/* Ends what is open: the next request needs a new connection. */
static inline void renewing_hang_up(struct renewing_server *server)
{
    pthread_mutex_lock(&server->lock);
    for (uint32_t i = 0; i < server->count; i++)
        shutdown(server->connections[i].fd, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
}

static inline uint32_t renewing_count(struct renewing_server *server)
{
    pthread_mutex_lock(&server->lock);
    const uint32_t count = server->count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

static inline void renewing_begin(struct renewing_server *server, const struct certificate *c)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t n = sizeof(address);
    *server = (struct renewing_server){ .fd = socket(AF_INET, SOCK_STREAM, 0) };
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->more, NULL);
    renewing_identity(server, c);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bad = bind(server->fd, (struct sockaddr *)&address, sizeof(address)) ||
                     listen(server->fd, 64) ||
                     getsockname(server->fd, (struct sockaddr *)&address, &n);
    mst_assert(!bad);
    server->port = ntohs(address.sin_port);
    const int error = pthread_create(&server->thread, NULL, renewing_accept, server);
    mst_assert(!error);
}

static inline void renewing_end(struct renewing_server *server)
{
    shutdown(server->fd, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->fd);
    renewing_go_on(server);
    renewing_hang_up(server);
    for (uint32_t i = 0; i < server->count; i++) {
        pthread_join(server->connections[i].thread, NULL);
        close(server->connections[i].fd);
    }
    SSL_CTX_free(server->ctx);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->more);
}

#endif
