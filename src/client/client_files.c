/*
 * client_files.c - authorities and client certificates that are renewed in their files.
 *
 * Owns:       what the files had when they were last in order, and what is wrong with them now.
 * Invariants: what is in use was whole when it was read, and the key belongs to the certificate. A
 *             problem changes nothing and is said once, until it is another one. A client that
 *             asks for nothing reads nothing.
 * Not here:   how new ones get into use: they count as a new version of the client's certificates,
 *             as those of plug-ins do (client_auth.c). libcurl uses a connection again only for
 *             what it was made with, so every later request goes over a new one, while those under
 *             way, watches among them, keep theirs to their end.
 * Source:     kubernetes v1.37 client-go transport (cert_rotation.go, ca_rotation.go,
 *             transport.go: loadTLSFiles).
 * Differs:    looks every minute, not every five, and after a failure that renewed files may cure
 *             (client-go: with every new connection, certificates only). Ends no watch when the
 *             certificate changes: the server checked it when the watch began, and watches end by
 *             themselves within ten minutes.
 */
#include "client/client_internal.h"
#include "client/pem.h"
#include "client/small_file.h"

enum { LOOK_MS = 60000 };

static void replace(struct mst_buf *buf, const struct mst_buf *with)
{
    buf->n = 0;
    mst_buf_str(buf, mst_buf_span(with));
}

static mst_rc read_file(const char *field, struct mst_str path, struct mst_buf *out,
                        struct mst_err *err)
{
    struct mst_err why;
    const mst_rc rc = mst_small_file_read(path, out, &why);
    return rc ? mst_fail(err, rc, "%s: cannot read %s; put a file there that can be read", field,
                         why.text)
              : MST_OK;
}

/* Whether this is news. */
static bool note(struct mst_buf *problem, const struct mst_err *err)
{
    if (mst_str_eq(mst_buf_span(problem), mst_str_of(err->text)))
        return false;
    problem->n = 0;
    mst_buf_text(problem, err->text);
    return true;
}

/* ---- the authority ---- */

static mst_rc read_authority(const struct mst_client *client, struct mst_buf *out,
                             struct mst_err *err)
{
    const struct mst_str path = client->options.connection->ca_file;
    const mst_rc rc = read_file("certificate-authority", path, out, err);
    return rc ? rc : mst_pem_check_authority(mst_buf_span(out), err);
}

static void look_at_authority(struct mst_client *client)
{
    struct mst_auth *auth = &client->auth;
    const struct mst_str path = client->options.connection->ca_file;
    const struct mst_log *log = client->options.log;
    MST_AUTO(mst_buf) ca = { 0 };
    struct mst_err err;
    if (read_authority(client, &ca, &err)) {
        if (note(&auth->files.ca_problem, &err))
            mst_log(log, 0, "Cannot use the file of the certificate authority, the old one is kept",
                    MST_KSTR("file", path), MST_KSTR("err", mst_str_of(err.text)));
        return;
    }
    auth->files.ca_problem.n = 0;
    if (mst_str_eq(mst_buf_span(&ca), mst_auth_tls(client).ca))
        return;
    replace(&auth->files.ca, &ca);
    auth->tls_version++;
    mst_log(log, 2, "The certificate authority was renewed, new connections use it",
            MST_KSTR("file", path));
}

/* ---- the pair ---- */

static mst_rc read_pair(const struct mst_client *client, struct mst_buf *cert, struct mst_buf *key,
                        struct mst_err *err)
{
    const struct mst_connection *c = client->options.connection;
    mst_rc rc = read_file("client-certificate", c->cert_file, cert, err);
    if (!rc)
        rc = read_file("client-key", c->key_file, key, err);
    return rc ? rc : mst_pem_check_pair(mst_buf_span(cert), mst_buf_span(key), err);
}

static void look_at_pair(struct mst_client *client)
{
    struct mst_auth *auth = &client->auth;
    const struct mst_connection *c = client->options.connection;
    const struct mst_log *log = client->options.log;
    MST_AUTO(mst_buf) cert = { 0 };
    MST_AUTO(mst_buf) key = { 0 };
    struct mst_err err;
    if (read_pair(client, &cert, &key, &err)) {
        if (note(&auth->files.pair_problem, &err))
            mst_log(log, 0, "Cannot use the files of the client certificate, the old one is kept",
                    MST_KSTR("certificate", c->cert_file), MST_KSTR("key", c->key_file),
                    MST_KSTR("err", mst_str_of(err.text)));
        return;
    }
    auth->files.pair_problem.n = 0;
    const struct mst_buf *old_cert = &auth->files.cert, *old_key = &auth->files.key;
    const bool renewed = old_cert->n > 0;
    if (mst_str_eq(mst_buf_span(&cert), renewed ? mst_buf_span(old_cert) : c->cert_pem) &&
        mst_str_eq(mst_buf_span(&key), renewed ? mst_buf_span(old_key) : c->key_pem))
        return;
    replace(&auth->files.cert, &cert);
    replace(&auth->files.key, &key);
    auth->tls_version++;
    mst_auth_changed(auth);
    mst_log(log, 2, "The client certificate was renewed, new connections use it",
            MST_KSTR("certificate", c->cert_file), MST_KSTR("key", c->key_file));
}

/* ---- both ---- */

void mst_cert_files_look(struct mst_client *client)
{
    struct mst_cert_files *files = &client->auth.files;
    const struct mst_connection *c = client->options.connection;
    /* A pair of which one half is in the kubeconfig cannot be renewed in the other alone. */
    const bool pair = c->cert_file.n && c->key_file.n, ca = c->ca_file.n > 0;
    if (!client->tls || (!pair && !ca))
        return;
    const int64_t now_ns = mst_client_now_ns();
    const int64_t every_ms = client->options.files_ms ? client->options.files_ms : LOOK_MS;
    if (!files->suspect && now_ns - files->looked_ns < every_ms * 1000000)
        return;
    files->suspect = false;
    files->looked_ns = now_ns;
    if (ca)
        look_at_authority(client);
    if (pair)
        look_at_pair(client);
}

void mst_cert_files_suspect(struct mst_client *client, uint64_t tls_version)
{
    if (tls_version == client->auth.tls_version)
        client->auth.files.suspect = true;
}

void mst_cert_files_init(struct mst_client *client)
{
    client->auth.files.looked_ns = mst_client_now_ns();
}

void mst_cert_files_done(struct mst_client *client)
{
    struct mst_cert_files *files = &client->auth.files;
    mst_buf_done(&files->ca);
    mst_buf_done(&files->cert);
    mst_buf_done(&files->key);
    mst_buf_done(&files->ca_problem);
    mst_buf_done(&files->pair_problem);
}
