/*
 * pem.c - certificates and keys in PEM, checked by OpenSSL.
 *
 * Invariants: leaves nothing in OpenSSL's queue of errors; never asks anybody for a pass phrase.
 */
#include "client/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/* Instead of the terminal. */
static int no_pass_phrase(char *buffer, int size, int writing, void *ctx)
{
    (void)buffer, (void)size, (void)writing, (void)ctx;
    return -1;
}

static BIO *open_text(struct mst_str pem)
{
    BIO *bio = pem.n <= INT32_MAX ? BIO_new_mem_buf(pem.p ? pem.p : "", (int)pem.n) : NULL;
    mst_assert(bio);
    return bio;
}

mst_rc mst_pem_check_authority(struct mst_str pem, struct mst_err *err)
{
    BIO *bio = open_text(pem);
    X509 *cert = PEM_read_bio_X509(bio, NULL, no_pass_phrase, NULL);
    const bool ok = cert != NULL;
    X509_free(cert);
    BIO_free(bio);
    ERR_clear_error();
    return ok ? MST_OK
              : mst_fail(err, MST_EINVAL,
                         "certificate-authority: no certificate in it; want PEM text (-----BEGIN "
                         "CERTIFICATE-----)");
}

mst_rc mst_pem_check_pair(struct mst_str cert_pem, struct mst_str key_pem, struct mst_err *err)
{
    BIO *cert_bio = open_text(cert_pem), *key_bio = open_text(key_pem);
    X509 *cert = PEM_read_bio_X509(cert_bio, NULL, no_pass_phrase, NULL);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(key_bio, NULL, no_pass_phrase, NULL);
    mst_rc rc = MST_OK;
    if (!cert)
        rc = mst_fail(err, MST_EINVAL,
                      "client-certificate: no certificate in it; want PEM text (-----BEGIN "
                      "CERTIFICATE-----)");
    else if (!key)
        rc = mst_fail(err, MST_EINVAL,
                      "client-key: no private key in it; want PEM text without a pass phrase");
    else if (X509_check_private_key(cert, key) != 1)
        rc = mst_fail(err, MST_EINVAL,
                      "client-key: is not the key of client-certificate; give the two of one pair");
    X509_free(cert);
    EVP_PKEY_free(key);
    BIO_free(cert_bio);
    BIO_free(key_bio);
    ERR_clear_error();
    return rc;
}
