/*
 * tls_server.h - an HTTPS server in a thread: answers every request with the name in the client's
 * certificate ("-" without one) and the server name that was asked for, then closes.
 */
#ifndef MST_TLS_SERVER_H
#define MST_TLS_SERVER_H

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "certificates.h"

struct tls_server {
    SSL_CTX *ctx;
    int fd;
    uint32_t port;
    pthread_t thread;
};

static inline void tls_answer(SSL *ssl)
{
    char request[8192], subject[128] = "-", body[300], answer[512];
    int n = 0;
    while (n < (int)sizeof(request) - 1) {
        const int more = SSL_read(ssl, request + n, (int)sizeof(request) - 1 - n);
        if (more <= 0)
            return;
        n += more;
        if (memmem(request, (size_t)n, "\r\n\r\n", 4))
            break;
    }
    X509 *peer = SSL_get1_peer_certificate(ssl);
    if (peer)
        X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, subject,
                                  sizeof(subject));
    X509_free(peer);
    request[n] = '\0';
    const char *host = strstr(request, "Host: ");
    const char *asked = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    snprintf(body, sizeof(body), "%s %s %.*s", subject, asked ? asked : "-",
             host ? (int)strcspn(host + 6, ":\r") : 0, host ? host + 6 : "");
    const int size =
        snprintf(answer, sizeof(answer),
                 "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                 strlen(body), body);
    SSL_write(ssl, answer, size);
    SSL_shutdown(ssl);
}

static inline void *tls_serve(void *ctx)
{
    struct tls_server *server = ctx;
    for (;;) {
        const int fd = accept(server->fd, NULL, NULL);
        if (fd < 0)
            return NULL; /* shut down */
        SSL *ssl = SSL_new(server->ctx);
        SSL_set_fd(ssl, fd);
        if (SSL_accept(ssl) == 1)
            tls_answer(ssl);
        SSL_free(ssl);
        close(fd);
    }
}

static inline int tls_accept_any(int ok, X509_STORE_CTX *ctx)
{
    (void)ok, (void)ctx;
    return 1;
}

static inline void tls_server_begin(struct tls_server *server, const struct certificate *identity)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t n = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->ctx = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(server->ctx, identity->cert);
    SSL_CTX_use_PrivateKey(server->ctx, identity->key);
    SSL_CTX_set_verify(server->ctx, SSL_VERIFY_PEER, tls_accept_any);
    server->fd = socket(AF_INET, SOCK_STREAM, 0);
    const bool bad = bind(server->fd, (struct sockaddr *)&address, sizeof(address)) ||
                     listen(server->fd, 16) ||
                     getsockname(server->fd, (struct sockaddr *)&address, &n);
    mst_assert(!bad);
    server->port = ntohs(address.sin_port);
    const int error = pthread_create(&server->thread, NULL, tls_serve, server);
    mst_assert(!error);
}

static inline void tls_server_end(struct tls_server *server)
{
    shutdown(server->fd, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->fd);
    SSL_CTX_free(server->ctx);
}

#endif
