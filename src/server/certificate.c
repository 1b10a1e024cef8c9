/*
 * certificate.c - making a certificate, reading certificates and keys from PEM.
 *
 * Source: kubernetes v1.37 client-go util/cert (GenerateSelfSignedCertKey) for what goes into it.
 */
#include "server/certificate.h"

#include <errno.h>
#include <stdio.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

mst_rc mst_tls_fail(struct mst_err *err, const char *what)
{
    char why[256] = "no reason given";
    const unsigned long code = ERR_get_error();
    if (code)
        ERR_error_string_n(code, why, sizeof(why));
    ERR_clear_error();
    return mst_fail(err, MST_EINVAL, "%s: %s", what, why);
}

static bool add_extension(X509 *cert, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, cert, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    const bool ok = extension && X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
    return ok;
}

static bool fill_in(X509 *cert, EVP_PKEY *key)
{
    enum { HOUR_S = 3600, YEAR_S = 365 * 24 * HOUR_S };
    BIGNUM *serial = BN_new();
    X509_NAME *name = X509_get_subject_name(cert);
    const bool ok =
        serial && BN_rand(serial, 120, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) &&
        BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert)) && X509_set_version(cert, 2) &&
        X509_gmtime_adj(X509_getm_notBefore(cert), -HOUR_S) &&
        X509_gmtime_adj(X509_getm_notAfter(cert), YEAR_S) &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)"localhost",
                                   -1, -1, 0) &&
        X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key) &&
        add_extension(cert, NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(cert, NID_key_usage,
                      "critical,digitalSignature,keyEncipherment,keyCertSign") &&
        add_extension(cert, NID_ext_key_usage, "serverAuth") &&
        add_extension(cert, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
        X509_sign(cert, key, EVP_sha256());
    BN_free(serial);
    return ok;
}

mst_rc mst_certificate_self_signed(X509 **ret_cert, EVP_PKEY **ret_key, struct mst_err *err)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    if (!key || !cert || !fill_in(cert, key)) {
        EVP_PKEY_free(key);
        X509_free(cert);
        return mst_tls_fail(err, "make a certificate for localhost");
    }
    *ret_cert = cert;
    *ret_key = key;
    return MST_OK;
}

/* Nobody sits at a terminal to be asked. */
static int no_password(char *buffer, int size, int writing, void *ctx)
{
    (void)buffer, (void)size, (void)writing, (void)ctx;
    return 0;
}

static BIO *bio_of(struct mst_str text)
{
    mst_assert(text.n <= MST_PEM_BYTES_MAX);
    BIO *bio = BIO_new_mem_buf(text.n ? text.p : "", (int)text.n);
    mst_assert(bio);
    return bio;
}

/* The end of PEM text is told as an error of its own. */
static bool at_end(void)
{
    const unsigned long code = ERR_peek_last_error();
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

mst_rc mst_certificate_use(SSL_CTX *context, struct mst_str cert_pem, struct mst_str key_pem,
                           struct mst_err *err)
{
    mst_rc rc = MST_OK;
    BIO *certs = bio_of(cert_pem), *keys = bio_of(key_pem);
    X509 *cert = PEM_read_bio_X509(certs, NULL, no_password, NULL);
    EVP_PKEY *key = NULL;
    if (!cert || !SSL_CTX_use_certificate(context, cert))
        rc = mst_tls_fail(err, "no certificate that can be used");
    while (!rc) {
        X509 *issuer = PEM_read_bio_X509(certs, NULL, no_password, NULL);
        if (!issuer)
            break;
        if (!SSL_CTX_add0_chain_cert(context, issuer)) {
            X509_free(issuer);
            rc = mst_tls_fail(err, "the certificate's chain");
        }
    }
    if (!rc && !at_end())
        rc = mst_tls_fail(err, "the certificate's chain");
    ERR_clear_error();
    if (!rc && !(key = PEM_read_bio_PrivateKey(keys, NULL, no_password, NULL)))
        rc = mst_tls_fail(err, "no private key that can be used (it must not be encrypted)");
    if (!rc && (!SSL_CTX_use_PrivateKey(context, key) || !SSL_CTX_check_private_key(context)))
        rc = mst_tls_fail(err, "the private key does not belong to the certificate");
    EVP_PKEY_free(key);
    X509_free(cert);
    BIO_free(certs);
    BIO_free(keys);
    return rc;
}

mst_rc mst_certificate_trust(X509_STORE *store, struct mst_str pem, struct mst_err *err)
{
    BIO *bio = bio_of(pem);
    uint32_t count = 0;
    X509 *cert;
    ERR_clear_error();
    while ((cert = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        const bool ok = X509_STORE_add_cert(store, cert); /* the same twice is fine */
        X509_free(cert);
        if (!ok)
            break;
        count++;
    }
    const bool whole = !cert && at_end();
    BIO_free(bio);
    if (!whole || !count)
        return mst_tls_fail(err, "no list of certificates in PEM");
    ERR_clear_error();
    return MST_OK;
}

mst_rc mst_pem_read(const char *path, struct mst_buf *out, struct mst_err *err)
{
    char why[128];
    FILE *file = fopen(path, "re");
    if (!file)
        return mst_fail(err, MST_EIO, "open '%s': %s", path, strerror_r(errno, why, sizeof(why)));
    size_t n = 1;
    while (n && out->n <= MST_PEM_BYTES_MAX) {
        mst_buf_reserve(out, 4096);
        n = fread(out->p + out->n, 1, 4096, file);
        out->n += n;
    }
    const bool failed = ferror(file);
    fclose(file);
    if (failed)
        return mst_fail(err, MST_EIO, "read '%s': it is no file that can be read", path);
    if (out->n > MST_PEM_BYTES_MAX)
        return mst_fail(err, MST_ELIMIT, "read '%s': more than %d bytes", path, MST_PEM_BYTES_MAX);
    return MST_OK;
}
