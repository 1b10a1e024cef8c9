/*
 * tls.c - contexts made from files, and made again when the files change.
 *
 * Client certificates are asked for, and whatever comes is let in; whether it counts is found out
 * for each request, so that one that is not good is an answer of 401 or 403 that says so, not a
 * broken connection, and so that two CAs (of clients, of front proxies) tell two things.
 *
 * Source: kubernetes v1.37 apiserver pkg/server/secure_serving.go, dynamiccertificates.
 */
#include "server/tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "server/certificate.h"

/* A list of CAs: a file's, and what the cluster says. */
struct trust {
    char *file;               /* or NULL */
    struct mst_buf file_pem;  /* as last read and found good */
    struct mst_buf other_pem; /* of mst_tls_set_cas */
    X509_STORE *store;        /* NULL: nobody is trusted */
};

struct mst_tls {
    char *cert_file, *key_file; /* or NULL: self-signed */
    X509 *own_cert;
    EVP_PKEY *own_key;
    struct mst_buf cert_pem, key_pem; /* as last read and found good */
    int min_version;
    char *ciphers;
    SSL_CTX *context;
    struct trust clients, proxies;
};

static char *copy_of(const char *text)
{
    if (!text)
        return NULL;
    const size_t n = strlen(text) + 1;
    return memcpy(mst_calloc(n, 1), text, n);
}

/* ---- contexts ---- */

static int accept_any(int ok, X509_STORE_CTX *context)
{
    (void)ok, (void)context;
    return 1;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_n,
                           const unsigned char *in, unsigned in_n, void *ctx)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl, (void)ctx;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, out_n, ours, sizeof(ours) - 1, in, in_n) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static void ask_for_certificates(SSL_CTX *context, const struct mst_tls *tls)
{
    const bool ask = tls->clients.store || tls->proxies.store;
    SSL_CTX_set_verify(context, ask ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, accept_any);
}

static mst_rc make_context(const struct mst_tls *tls, struct mst_str cert, struct mst_str key,
                           SSL_CTX **out, struct mst_err *err)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    mst_assert(context);
    mst_rc rc = MST_OK;
    SSL_CTX_set_min_proto_version(context, tls->min_version);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                     SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    /* A resumed session would not bring all of the client's chain. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    ask_for_certificates(context, tls);
    ERR_clear_error();
    if (tls->ciphers && !SSL_CTX_set_cipher_list(context, tls->ciphers))
        rc = mst_tls_fail(err, "the list of TLS ciphers");
    else if (tls->cert_file)
        rc = mst_certificate_use(context, cert, key, err);
    else if (!SSL_CTX_use_certificate(context, tls->own_cert) ||
             !SSL_CTX_use_PrivateKey(context, tls->own_key))
        rc = mst_tls_fail(err, "use the certificate for localhost");
    if (rc) {
        SSL_CTX_free(context);
        return rc;
    }
    *out = context;
    return MST_OK;
}

static bool same(const struct mst_buf *a, const struct mst_buf *b)
{
    return mst_str_eq(mst_buf_span(a), mst_buf_span(b));
}

static void replace(struct mst_buf *kept, struct mst_buf *fresh)
{
    mst_buf_done(kept);
    *kept = *fresh;
    *fresh = (struct mst_buf){ 0 };
}

/* Reads certificate and key again and makes a new context when they are others. */
static mst_rc load_certificate(struct mst_tls *tls, struct mst_err *err)
{
    MST_AUTO(mst_buf) cert = { 0 };
    MST_AUTO(mst_buf) key = { 0 };
    if (tls->cert_file) {
        mst_rc rc = mst_pem_read(tls->cert_file, &cert, err);
        if (!rc)
            rc = mst_pem_read(tls->key_file, &key, err);
        if (rc)
            return rc;
    }
    if (tls->context && same(&cert, &tls->cert_pem) && same(&key, &tls->key_pem))
        return MST_OK;
    SSL_CTX *context;
    const mst_rc rc = make_context(tls, mst_buf_span(&cert), mst_buf_span(&key), &context, err);
    if (rc)
        return tls->cert_file
                   ? mst_wrap(err, "certificate '%s', key '%s'", tls->cert_file, tls->key_file)
                   : rc;
    SSL_CTX_free(tls->context);
    tls->context = context;
    replace(&tls->cert_pem, &cert);
    replace(&tls->key_pem, &key);
    return MST_OK;
}

/* ---- CAs ---- */

/* A store of the two texts; NULL when both are empty. */
static mst_rc make_store(struct mst_str a, struct mst_str b, X509_STORE **out, struct mst_err *err)
{
    *out = NULL;
    if (!a.n && !b.n)
        return MST_OK;
    X509_STORE *store = X509_STORE_new();
    mst_assert(store);
    mst_rc rc = a.n ? mst_certificate_trust(store, a, err) : MST_OK;
    if (!rc && b.n)
        rc = mst_certificate_trust(store, b, err);
    if (rc)
        X509_STORE_free(store);
    else
        *out = store;
    return rc;
}

static mst_rc load_trust(struct trust *trust, struct mst_err *err)
{
    if (!trust->file)
        return MST_OK;
    MST_AUTO(mst_buf) pem = { 0 };
    mst_rc rc = mst_pem_read(trust->file, &pem, err);
    if (rc || (trust->store && same(&pem, &trust->file_pem)))
        return rc;
    if (!pem.n)
        return mst_fail(err, MST_EINVAL, "CA file '%s': it is empty", trust->file);
    X509_STORE *store;
    rc = make_store(mst_buf_span(&pem), mst_buf_span(&trust->other_pem), &store, err);
    if (rc)
        return mst_wrap(err, "CA file '%s'", trust->file);
    X509_STORE_free(trust->store);
    trust->store = store;
    replace(&trust->file_pem, &pem);
    return MST_OK;
}

static mst_rc set_other(struct trust *trust, struct mst_str pem, struct mst_err *err)
{
    if (!pem.p)
        return MST_OK;
    if (pem.n > MST_PEM_BYTES_MAX)
        return mst_fail(err, MST_ELIMIT, "more than %d bytes of CAs", MST_PEM_BYTES_MAX);
    X509_STORE *store;
    const mst_rc rc = make_store(mst_buf_span(&trust->file_pem), pem, &store, err);
    if (rc)
        return rc;
    X509_STORE_free(trust->store);
    trust->store = store;
    trust->other_pem.n = 0;
    mst_buf_str(&trust->other_pem, pem);
    return MST_OK;
}

mst_rc mst_tls_set_cas(struct mst_tls *tls, struct mst_str client_pem, struct mst_str proxy_pem,
                       struct mst_err *err)
{
    mst_rc rc = set_other(&tls->clients, client_pem, err);
    if (!rc)
        rc = set_other(&tls->proxies, proxy_pem, err);
    ask_for_certificates(tls->context, tls);
    return rc;
}

/* ---- life ---- */

mst_rc mst_tls_reload(struct mst_tls *tls, struct mst_err *err)
{
    struct mst_err first = { 0 };
    mst_rc rc = load_trust(&tls->clients, &first);
    const mst_rc second = load_trust(&tls->proxies, rc ? NULL : &first);
    const mst_rc third = load_certificate(tls, rc || second ? NULL : &first);
    if (tls->context)
        ask_for_certificates(tls->context, tls);
    rc = rc ? rc : second ? second : third;
    if (rc && err)
        *err = first;
    return rc;
}

static mst_rc set_version(struct mst_tls *tls, const char *name, struct mst_err *err)
{
    tls->min_version = TLS1_2_VERSION;
    if (!name || !name[0] || strcmp(name, "VersionTLS12") == 0)
        return MST_OK;
    tls->min_version = TLS1_3_VERSION;
    if (strcmp(name, "VersionTLS13") == 0)
        return MST_OK;
    return mst_fail(err, MST_EINVAL, "minimum TLS version '%s': use VersionTLS12 or VersionTLS13",
                    name);
}

mst_rc mst_tls_new(const struct mst_https_options *options, struct mst_tls **out,
                   struct mst_err *err)
{
    if (!options->cert_file != !options->key_file)
        return mst_fail(err, MST_EINVAL, "'%s': a certificate and its key go together, give both",
                        options->cert_file ? options->cert_file : options->key_file);
    struct mst_tls *tls = mst_calloc(1, sizeof(*tls));
    tls->cert_file = copy_of(options->cert_file);
    tls->key_file = copy_of(options->key_file);
    tls->ciphers = copy_of(options->ciphers);
    tls->clients.file = copy_of(options->client_ca_file);
    tls->proxies.file = copy_of(options->proxy_ca_file);
    mst_rc rc = set_version(tls, options->min_version, err);
    if (!rc && !tls->cert_file)
        rc = mst_certificate_self_signed(&tls->own_cert, &tls->own_key, err);
    if (!rc)
        rc = mst_tls_reload(tls, err);
    if (rc)
        mst_tls_free(tls);
    else
        *out = tls;
    return rc;
}

static void trust_done(struct trust *trust)
{
    mst_free(trust->file);
    mst_buf_done(&trust->file_pem);
    mst_buf_done(&trust->other_pem);
    X509_STORE_free(trust->store);
}

void mst_tls_free(struct mst_tls *tls)
{
    if (!tls)
        return;
    mst_free(tls->cert_file);
    mst_free(tls->key_file);
    mst_free(tls->ciphers);
    X509_free(tls->own_cert);
    EVP_PKEY_free(tls->own_key);
    mst_buf_done(&tls->cert_pem);
    mst_buf_done(&tls->key_pem);
    SSL_CTX_free(tls->context);
    trust_done(&tls->clients);
    trust_done(&tls->proxies);
    mst_free(tls);
}

/* ---- connections ---- */

SSL *mst_tls_accept(struct mst_tls *tls)
{
    SSL *ssl = SSL_new(tls->context);
    mst_assert(ssl);
    return ssl;
}

/* Did one of these CAs sign the certificate, for a client? */
static bool verify(const struct trust *trust, X509 *cert, STACK_OF(X509) * chain)
{
    if (!trust->store)
        return false;
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    mst_assert(context);
    const bool ok = X509_STORE_CTX_init(context, trust->store, cert, chain) &&
                    X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT) &&
                    X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    ERR_clear_error();
    return ok;
}

/* The entry's text; absent when it is none or has a NUL in it, which hides what follows. */
static struct mst_str entry_text(X509_NAME *name, int at, struct mst_arena *arena)
{
    unsigned char *text = NULL;
    const int n =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    struct mst_str s = MST_STR_NONE;
    if (n >= 0 && !memchr(text, '\0', (size_t)n))
        s = mst_arena_str(arena, (struct mst_str){ (const char *)text, (size_t)n });
    OPENSSL_free(text);
    return s;
}

/* As Go reads a name: the last CN counts. */
static struct mst_str common_name(X509_NAME *name, struct mst_arena *arena)
{
    int at = -1, last = -1;
    while ((at = X509_NAME_get_index_by_NID(name, NID_commonName, at)) >= 0)
        last = at;
    return last < 0 ? MST_STR_NONE : entry_text(name, last, arena);
}

static mst_strs organizations(X509_NAME *name, struct mst_arena *arena)
{
    const int count = X509_NAME_entry_count(name);
    struct mst_str *v = mst_arena_zalloc(arena, (size_t)MST_MAX(count, 1), sizeof(*v));
    mst_strs groups = { .v = v };
    int at = -1;
    while ((at = X509_NAME_get_index_by_NID(name, NID_organizationName, at)) >= 0) {
        const struct mst_str group = entry_text(name, at, arena);
        if (group.p)
            v[groups.n++] = group;
    }
    return groups;
}

void mst_tls_peer_of(const struct mst_tls *tls, const SSL *ssl, struct mst_arena *arena,
                     struct mst_tls_peer *out)
{
    *out = (struct mst_tls_peer){ 0 };
    X509 *cert = SSL_get1_peer_certificate(ssl);
    if (!cert)
        return;
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
    X509_NAME *name = X509_get_subject_name(cert);
    out->has_certificate = true;
    if (verify(&tls->clients, cert, chain)) {
        out->name = common_name(name, arena);
        out->groups = organizations(name, arena);
    }
    if (verify(&tls->proxies, cert, chain))
        out->proxy_name = common_name(name, arena);
    X509_free(cert);
}
