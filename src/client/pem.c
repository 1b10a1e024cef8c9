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

/* The first certificate. All are read: libcurl takes a text as a whole or not at all. */
static mst_rc read_certificates(struct mst_str pem, const char *field, X509 **out,
                                struct mst_err *err)
{
    BIO *bio = open_text(pem);
    X509 *first = NULL, *next;
    uint32_t count = 0;
    while ((next = PEM_read_bio_X509(bio, NULL, no_pass_phrase, NULL))) {
        if (!count++)
            first = next;
        else
            X509_free(next);
    }
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(bio);
    ERR_clear_error();
    if (first && at_end) {
        *out = first;
        return MST_OK;
    }
    X509_free(first);
    if (first)
        return mst_fail(err, MST_EINVAL,
                        "%s: certificate %u in it is damaged or cut off; write the whole file "
                        "again",
                        field, count + 1);
    return mst_fail(err, MST_EINVAL,
                    "%s: no certificate in it; want PEM text (-----BEGIN CERTIFICATE-----)", field);
}

mst_rc mst_pem_check_authority(struct mst_str pem, struct mst_err *err)
{
    X509 *cert = NULL;
    const mst_rc rc = read_certificates(pem, "certificate-authority", &cert, err);
    X509_free(cert);
    return rc;
}

mst_rc mst_pem_check_pair(struct mst_str cert_pem, struct mst_str key_pem, struct mst_err *err)
{
    X509 *cert = NULL;
    mst_rc rc = read_certificates(cert_pem, "client-certificate", &cert, err);
    if (rc)
        return rc;
    BIO *key_bio = open_text(key_pem);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(key_bio, NULL, no_pass_phrase, NULL);
    if (!key)
        rc = mst_fail(err, MST_EINVAL,
                      "client-key: no private key in it; want PEM text without a pass phrase");
    else if (X509_check_private_key(cert, key) != 1)
        rc = mst_fail(err, MST_EINVAL,
                      "client-key: is not the key of client-certificate; give the two of one pair");
    X509_free(cert);
    EVP_PKEY_free(key);
    BIO_free(key_bio);
    ERR_clear_error();
    return rc;
}
