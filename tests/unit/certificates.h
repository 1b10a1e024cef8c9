/*
 * certificates.h - certificates for tests, made on the spot: an authority and what it signs.
 */
#ifndef MST_CERTIFICATES_H
#define MST_CERTIFICATES_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/mem.h"

struct certificate {
    X509 *cert;
    EVP_PKEY *key;
    struct mst_buf cert_pem, key_pem;
};

static inline void certificate_extension(X509 *cert, int kind, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &ctx, kind, value);
    mst_assert(extension);
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
}

static inline void certificate_text(BIO *bio, struct mst_buf *out)
{
    char *bytes;
    const long n = BIO_get_mem_data(bio, &bytes);
    mst_buf_add(out, bytes, (size_t)n);
    mst_buf_char(out, '\0');
    out->n--;
    BIO_free(bio);
}

/*
 * signer   NULL: it signs itself and is an authority.
 * names    "DNS:a,IP:127.0.0.1"; NULL: none.
 */
static inline void certificate_make(struct certificate *out, const char *common_name,
                                    const struct certificate *signer, const char *names)
{
    *out = (struct certificate){ .key = EVP_EC_gen("P-256"), .cert = X509_new() };
    mst_assert(out->key && out->cert);
    X509_set_version(out->cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out->cert), signer ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(out->cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(out->cert), 3600);
    X509_set_pubkey(out->cert, out->key);
    X509_NAME *name = X509_get_subject_name(out->cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1, -1,
                               0);
    X509_set_issuer_name(out->cert, signer ? X509_get_subject_name(signer->cert) : name);
    certificate_extension(out->cert, NID_basic_constraints, signer ? "CA:FALSE" : "CA:TRUE");
    if (names)
        certificate_extension(out->cert, NID_subject_alt_name, names);
    X509_sign(out->cert, signer ? signer->key : out->key, EVP_sha256());
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, out->cert);
    certificate_text(bio, &out->cert_pem);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, out->key, NULL, NULL, 0, NULL, NULL);
    certificate_text(bio, &out->key_pem);
}

static inline void certificate_done(struct certificate *c)
{
    X509_free(c->cert);
    EVP_PKEY_free(c->key);
    mst_buf_done(&c->cert_pem);
    mst_buf_done(&c->key_pem);
}

#endif
