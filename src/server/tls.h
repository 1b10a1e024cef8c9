/*
 * tls.h - a TLS server's certificate, the CAs it trusts, and who a peer is by its certificate.
 *
 * Owns:       OpenSSL's contexts and stores; copies of the names of files.
 * Invariants: connections that exist keep the certificate that they began with; what cannot be
 *             read or used replaces nothing.
 */
#ifndef MST_TLS_H
#define MST_TLS_H

#include <openssl/ssl.h>

#include "base/err.h"
#include "base/mem.h"
#include "server/https.h"

struct mst_tls;

/* Uses the fields of `options` about files, versions and ciphers. */
mst_rc mst_tls_new(const struct mst_https_options *options, struct mst_tls **out,
                   struct mst_err *err) MST_WARN_UNUSED;
void mst_tls_free(struct mst_tls *tls);
/* Reads every file again; the text says the first that failed, all others count. */
mst_rc mst_tls_reload(struct mst_tls *tls, struct mst_err *err) MST_WARN_UNUSED;
/* As mst_https_set_cas. */
mst_rc mst_tls_set_cas(struct mst_tls *tls, struct mst_str client_pem, struct mst_str proxy_pem,
                       struct mst_err *err) MST_WARN_UNUSED;

/* The server's side of a new connection. */
SSL *mst_tls_accept(struct mst_tls *tls);

/* Who a peer is; absent names where its certificate says nothing that counts. */
struct mst_tls_peer {
    bool has_certificate;
    struct mst_str name; /* CN, signed by a CA of clients */
    mst_strs groups;     /* each O, likewise */
    struct mst_str proxy_name;
};
/* Verifies the peer's certificate now. Text goes to the arena. */
void mst_tls_peer_of(const struct mst_tls *tls, const SSL *ssl, struct mst_arena *arena,
                     struct mst_tls_peer *out);

#endif
