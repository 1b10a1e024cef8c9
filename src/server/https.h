/*
 * https.h - an HTTP/1.1 server with TLS on an event loop: routes, requests, answers.
 *
 * Owns:       the listening socket, its certificate, connections.
 * Invariants: every request is answered exactly once, at once or later (authentication asks the
 *             API server in between). A bad request costs its connection at most.
 */
#ifndef MST_HTTPS_H
#define MST_HTTPS_H

#include "base/err.h"
#include "base/log.h"
#include "api/types.h"
#include "base/mem.h"

struct event_base;
struct mst_https;
struct mst_https_request;

struct mst_https_options {
    struct event_base *loop;
    const struct mst_log *log;
    const char *address;              /* "0.0.0.0", "::", "127.0.0.1" */
    int port;                         /* 0: any, see mst_https_port */
    const char *cert_file, *key_file; /* NULL: a certificate made for localhost, in memory */
    const char *client_ca_file;       /* NULL: client certificates are not asked for */
    const char *min_version;          /* "VersionTLS12" (default), "VersionTLS13" */
    const char *ciphers;              /* OpenSSL's list, or NULL */
    bool plain;                       /* no TLS: tests */
    /* Called for every request; answers now or later with mst_https_answer. */
    void (*handle)(void *ctx, struct mst_https_request *request);
    void *ctx;
};

mst_rc mst_https_new(const struct mst_https_options *options, struct mst_https **out,
                     struct mst_err *err) MST_WARN_UNUSED;
void mst_https_free(struct mst_https *server);
int mst_https_port(const struct mst_https *server);

struct mst_str mst_https_method(const struct mst_https_request *request);
struct mst_str mst_https_path(const struct mst_https_request *request); /* decoded, no query */
struct mst_str mst_https_query(const struct mst_https_request *request, const char *name);
struct mst_str mst_https_header(const struct mst_https_request *request, const char *name);
struct mst_str mst_https_body(const struct mst_https_request *request);
/* Subject of a verified client certificate: CN and each O; absent and empty without one. */
struct mst_str mst_https_peer_name(const struct mst_https_request *request);
mst_strs mst_https_peer_groups(const struct mst_https_request *request);

void mst_https_answer(struct mst_https_request *request, int status, const char *type,
                      struct mst_str body);

#endif
