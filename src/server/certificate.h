/*
 * certificate.h - a certificate that a server makes for itself, and certificates in PEM.
 */
#ifndef MST_CERTIFICATE_H
#define MST_CERTIFICATE_H

#include <openssl/ssl.h>

#include "base/err.h"
#include "base/mem.h"

enum { MST_PEM_BYTES_MAX = 4 << 20 };

/*
 * A P-256 key and a certificate for localhost, 127.0.0.1 and ::1 that it signs itself, good for a
 * year. Lives in memory only.
 */
mst_rc mst_certificate_self_signed(X509 **ret_cert, EVP_PKEY **ret_key, struct mst_err *err)
    MST_WARN_UNUSED;
/* The context serves this chain (leaf first) with this key. Encrypted keys are refused. */
mst_rc mst_certificate_use(SSL_CTX *context, struct mst_str cert_pem, struct mst_str key_pem,
                           struct mst_err *err) MST_WARN_UNUSED;
/* Adds every certificate of the text to those that are trusted. At least one. */
mst_rc mst_certificate_trust(X509_STORE *store, struct mst_str pem, struct mst_err *err)
    MST_WARN_UNUSED;
/* A file of PEM text, whole. */
mst_rc mst_pem_read(const char *path, struct mst_buf *out, struct mst_err *err) MST_WARN_UNUSED;
/* Sets err to `what` and OpenSSL's first complaint, and forgets all of them. */
mst_rc mst_tls_fail(struct mst_err *err, const char *what);

#endif
