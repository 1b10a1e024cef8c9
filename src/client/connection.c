/*
 * connection.c - where the API server is: by kubeconfig, by --master alone, or from within a pod.
 *
 * Source: kubernetes v1.37 client-go rest (InClusterConfig), tools/clientcmd
 *         (BuildConfigFromFlags).
 */
#include "client/connection.h"

#include <stdlib.h>
#include <unistd.h>

#include "client/connection_internal.h"
#include "client/small_file.h"

#define SERVICE_ACCOUNT_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

/* Trimmed; absent when there is no such file. */
static struct mst_str read_namespace(struct mst_arena *arena, struct mst_str path)
{
    MST_AUTO(mst_buf) bytes = { 0 };
    struct mst_err ignored; /* there is a default */
    if (mst_small_file_read(path, &bytes, &ignored))
        return MST_STR_NONE;
    while (bytes.n && (unsigned char)bytes.p[bytes.n - 1] <= ' ')
        bytes.n--;
    return mst_arena_str(arena, mst_buf_span(&bytes));
}

static mst_rc load_in_cluster(const struct mst_connection_options *options,
                              struct mst_connection *out, struct mst_err *err)
{
    MST_AUTO(mst_buf) ca = { 0 };
    MST_AUTO(mst_buf) token = { 0 };
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    const char *dir =
        options->service_account_dir ? options->service_account_dir : SERVICE_ACCOUNT_DIR;
    if (!host || !*host || !port || !*port)
        return mst_fail(err, MST_EINVAL,
                        "no kubeconfig, and this is no pod: KUBERNETES_SERVICE_HOST and "
                        "KUBERNETES_SERVICE_PORT are not set; give --kubeconfig");
    out->token_file = mst_arena_printf(&out->arena, "%s/token", dir);
    mst_rc rc = mst_small_file_read(out->token_file, &token, err);
    out->ca_file = mst_arena_printf(&out->arena, "%s/ca.crt", dir);
    if (!rc)
        rc = mst_small_file_read(out->ca_file, &ca, err);
    if (rc)
        return mst_wrap(err, "service account of this pod (is automountServiceAccountToken off?)");
    out->server =
        mst_arena_printf(&out->arena, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host,
                         port);
    out->ca_pem = mst_arena_str(&out->arena, mst_buf_span(&ca));
    const struct mst_str ns =
        read_namespace(&out->arena, mst_arena_printf(&out->arena, "%s/namespace", dir));
    out->namespace_ = ns.n ? ns : MST_STR("default");
    return MST_OK;
}

static mst_rc load_master(const struct mst_connection_options *options, struct mst_connection *out,
                          struct mst_err *err)
{
    const struct mst_kube_entry flag = { .path = MST_STR("--master"), .arena = &out->arena };
    out->namespace_ = MST_STR("default");
    return mst_kube_server(&flag, mst_str_of(options->master), "server", out, err);
}

/* Credentials do not travel in the clear. */
static void forget_user(struct mst_connection *c)
{
    c->cert_pem = c->key_pem = c->cert_file = c->key_file = MST_STR_NONE;
    c->token = c->token_file = MST_STR_NONE;
    c->username = c->password = MST_STR_NONE;
    c->exec = (struct mst_exec_plugin){ 0 };
}

mst_rc mst_connection_load(const struct mst_connection_options *options, struct mst_connection *out,
                           struct mst_err *err)
{
    struct mst_connection loaded = { 0 };
    mst_rc rc;
    if ((options->kubeconfig && *options->kubeconfig) ||
        (options->kubeconfig_list && *options->kubeconfig_list))
        rc = mst_kube_load(options, &loaded, err);
    else if (options->master && *options->master)
        rc = load_master(options, &loaded, err);
    else
        rc = load_in_cluster(options, &loaded, err);
    if (rc) {
        mst_connection_done(&loaded);
        return rc;
    }
    if (mst_str_has_prefix(loaded.server, "http://"))
        forget_user(&loaded);
    *out = loaded;
    return MST_OK;
}

void mst_connection_done(struct mst_connection *connection)
{
    mst_arena_done(&connection->arena);
    *connection = (struct mst_connection){ 0 };
}

bool mst_connection_default_list(struct mst_buf *out)
{
    const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
    const bool named = list && list[strspn(list, ":")];
    const size_t begin = out->n;
    if (named)
        mst_buf_text(out, list);
    else if (home && *home)
        mst_buf_printf(out, "%s/.kube/config", home);
    else
        return false;
    mst_buf_char(out, '\0');
    out->n--;
    /* One that was named and is not there is an error, said when it is read. */
    if (named || access(out->p + begin, F_OK) == 0)
        return true;
    out->n = begin;
    return false;
}
