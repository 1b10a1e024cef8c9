/*
 * https.h - an HTTP/1.1 server with TLS on an event loop: routes, requests, answers.
 *
 * Owns:       the listening socket, its certificate, connections.
 * Invariants: every request is answered exactly once, at once or later (authentication asks the
 *             API server in between), also when its peer or the server is gone by then. A bad
 *             request costs its connection at most. A peer that is slow to say what it wants, or to
 *             take its answer, loses its connection (with TLS: at most idle_ms + request_ms after
 *             the last request was answered); more than MST_HTTPS_CONNECTIONS_MAX wait outside.
 * Not here:   what the paths mean (daemon/endpoints.c), who may ask (daemon/authn.c).
 */
#ifndef MST_HTTPS_H
#define MST_HTTPS_H

#include "api/types.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"

struct event_base;
struct mst_https;
struct mst_https_request;

enum {
    MST_HTTPS_CONNECTIONS_MAX = 1000,
    MST_HTTPS_BODY_BYTES_MAX = 1 << 20,
    MST_HTTPS_HEADERS_BYTES_MAX = 64 << 10,
};

/* Texts are copied. */
struct mst_https_options {
    struct event_base *loop;
    const struct mst_log *log;
    const char *address;              /* "0.0.0.0", "::", "127.0.0.1" */
    int port;                         /* 0: any, see mst_https_port */
    const char *cert_file, *key_file; /* NULL: a certificate made for localhost, in memory */
    const char *client_ca_file;       /* NULL: client certificates are not asked for */
    const char *min_version;          /* "VersionTLS12" (default), "VersionTLS13" */
    const char *ciphers;              /* OpenSSL's list, or NULL */
    bool plain;                /* no TLS: tests; slow peers are told from idle ones less well */
    int64_t request_ms;        /* for a handshake and a whole request; 0: 32 s */
    int64_t idle_ms;           /* between two requests; 0: 90 s */
    const char *proxy_ca_file; /* signs front proxies; NULL: none */
    /* Called for every request; answers now or later with mst_https_answer. */
    void (*handle)(void *ctx, struct mst_https_request *request);
    void *ctx;
};

/*
 * Listens and serves from the loop. Files of certificates are read again every minute; one that
 * cannot be used is logged, and what was there stays.
 *
 * Signals   SIGPIPE is ignored from now on, unless the process handles it.
 * Errors    MST_EIO, MST_EINVAL: the address, the port, or a file, with the remedy.
 */
mst_rc mst_https_new(const struct mst_https_options *options, struct mst_https **out,
                     struct mst_err *err) MST_WARN_UNUSED;
/* Requests that are not answered yet stay valid, and their answers go nowhere. */
void mst_https_free(struct mst_https *server);
int mst_https_port(const struct mst_https *server);
/* Reads the files of certificates again, now. */
void mst_https_reload(struct mst_https *server);
/*
 * Replaces the CAs of client certificates that come from no file (the cluster's, in PEM); an absent
 * text changes nothing. They count besides those of the files.
 */
mst_rc mst_https_set_cas(struct mst_https *server, struct mst_str client_pem,
                         struct mst_str proxy_pem, struct mst_err *err) MST_WARN_UNUSED;

/* What was asked; text lives until the request is answered. Absent where there is none. */
struct mst_str mst_https_method(const struct mst_https_request *request);
struct mst_str mst_https_path(const struct mst_https_request *request); /* decoded, no query */
struct mst_str mst_https_query(const struct mst_https_request *request, const char *name);
/* Each value of a parameter or header that is given more than once; in order. */
mst_strs mst_https_queries(const struct mst_https_request *request, const char *name);
mst_strs mst_https_headers(const struct mst_https_request *request, const char *name);
/* The header with its number, for those whose names are not known before; false: no more. */
bool mst_https_header_at(const struct mst_https_request *request, uint32_t i,
                         struct mst_str *ret_name, struct mst_str *ret_value);
struct mst_str mst_https_header(const struct mst_https_request *request, const char *name);
struct mst_str mst_https_body(const struct mst_https_request *request);
/* Subject of a verified client certificate: CN and each O; absent and empty without one. */
struct mst_str mst_https_peer_name(const struct mst_https_request *request);
mst_strs mst_https_peer_groups(const struct mst_https_request *request);
/* CN of a client certificate that one of the CAs of front proxies signed, or absent. */
struct mst_str mst_https_proxy_name(const struct mst_https_request *request);
/* There is a client certificate, verified or not. */
bool mst_https_has_certificate(const struct mst_https_request *request);

/* A header of the answer; before the answer. */
void mst_https_add_header(struct mst_https_request *request, const char *name, const char *value);
/* Answers, and the request is gone. To HEAD, the body is counted and not sent. */

void mst_https_answer(struct mst_https_request *request, int status, const char *type,
                      struct mst_str body);

#endif
