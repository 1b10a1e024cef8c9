/* Certificates and keys that can be used, and what is said of those that cannot. */
#include "certificates.h"
#include "client/pem.h"
#include "tap.h"

#include <openssl/err.h>

static void test_pem_authority(struct mst_test *t)
{
    struct certificate ca;
    struct mst_err err = { 0 };
    certificate_make(&ca, "ca", NULL, NULL);
    t_int(t, mst_pem_check_authority(mst_buf_span(&ca.cert_pem), &err), MST_OK);
    t_int(t, mst_pem_check_authority(MST_STR(""), &err), MST_EINVAL);
    t_int(t, mst_pem_check_authority(mst_buf_span(&ca.key_pem), &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "certificate-authority: no certificate in it"));
    /* Comments around it are passed over. */
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_text(&text, "# of the test\n");
    mst_buf_str(&text, mst_buf_span(&ca.cert_pem));
    t_int(t, mst_pem_check_authority(mst_buf_span(&text), &err), MST_OK);
    const size_t whole = text.n;
    text.n -= 40; /* truncated */
    t_int(t, mst_pem_check_authority(mst_buf_span(&text), &err), MST_EINVAL);
    /* Several, with something else in between; then the last one truncated, as libcurl minds. */
    text.n = whole;
    mst_buf_str(&text, mst_buf_span(&ca.key_pem));
    mst_buf_str(&text, mst_buf_span(&ca.cert_pem));
    mst_buf_text(&text, "# its end\n");
    t_int(t, mst_pem_check_authority(mst_buf_span(&text), &err), MST_OK);
    text.n -= 40;
    t_int(t, mst_pem_check_authority(mst_buf_span(&text), &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "certificate-authority: certificate 2 in it is damaged or cut off"));
    t_int(t, ERR_peek_error(), 0);
    certificate_done(&ca);
}

static void test_pem_pair(struct mst_test *t)
{
    struct certificate a, b;
    struct mst_err err = { 0 };
    certificate_make(&a, "a", NULL, NULL);
    certificate_make(&b, "b", NULL, NULL);
    const struct mst_str cert = mst_buf_span(&a.cert_pem), key = mst_buf_span(&a.key_pem);
    t_int(t, mst_pem_check_pair(cert, key, &err), MST_OK);
    t_int(t, mst_pem_check_pair(cert, mst_buf_span(&b.key_pem), &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "is not the key of client-certificate"));
    t_int(t, mst_pem_check_pair(key, key, &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "client-certificate: no certificate"));
    t_int(t, mst_pem_check_pair(cert, cert, &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "client-key: no private key"));
    /* A chain, whole and truncated. */
    MST_AUTO(mst_buf) chain = { 0 };
    mst_buf_str(&chain, cert);
    mst_buf_str(&chain, mst_buf_span(&b.cert_pem));
    t_int(t, mst_pem_check_pair(mst_buf_span(&chain), key, &err), MST_OK);
    chain.n -= 40;
    t_int(t, mst_pem_check_pair(mst_buf_span(&chain), key, &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "client-certificate: certificate 2 in it is damaged"));
    /* A key with a pass phrase is refused; nobody is asked. */
    MST_AUTO(mst_buf) locked = { 0 };
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PKCS8PrivateKey(bio, a.key, EVP_aes_128_cbc(), "pass", 4, NULL, NULL);
    certificate_text(bio, &locked);
    t_int(t, mst_pem_check_pair(cert, mst_buf_span(&locked), &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "without a pass phrase"));
    t_int(t, ERR_peek_error(), 0);
    certificate_done(&a);
    certificate_done(&b);
}

MST_TEST_MAIN(T(test_pem_authority), T(test_pem_pair))
