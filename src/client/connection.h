/*
 * connection.h - where the API server is and who we are to it: what a kubeconfig, the command line
 * or a pod's service account say, as plain data.
 *
 * Source: kubernetes v1.37 client-go tools/clientcmd (loader, client_config, overrides), rest
 * (InClusterConfig); spec/plugins.md 7.
 */
#ifndef MST_CONNECTION_H
#define MST_CONNECTION_H

#include "api/types.h"
#include "base/err.h"
#include "base/mem.h"

/* A plug-in program that prints credentials (client.authentication.k8s.io). */
struct mst_exec_plugin {
    struct mst_str command; /* absent: none */
    mst_strs args;
    mst_strs env; /* "NAME=value" */
    struct mst_str api_version;
    struct mst_str install_hint;
    bool provide_cluster_info;
    struct mst_str cluster_config; /* JSON of the cluster's extension for plug-ins; absent: none */
};

/* Text lives in `arena`; absent text means not given. Zero-initialised is valid and empty. */
struct mst_connection {
    struct mst_arena arena;
    struct mst_str server; /* "https://host:port/prefix", without a slash at the end */
    struct mst_str proxy_url;
    struct mst_str namespace_; /* of the context; "default" without one */
    /* TLS: PEM text, files read already; which, to read them again; absent: it was no file */
    struct mst_str ca_pem, cert_pem, key_pem;
    struct mst_str ca_file, cert_file, key_file;
    struct mst_str tls_server_name;
    bool insecure; /* insecure-skip-tls-verify */
    bool compression_off;
    /* who we are */
    struct mst_str token, token_file; /* the file wins and is read again every minute */
    struct mst_str username, password;
    struct mst_str impersonate_user, impersonate_uid;
    mst_strs impersonate_groups;
    mst_strs impersonate_extra; /* "key=value", the key escaped as headers want it */
    struct mst_exec_plugin exec;
};

struct mst_connection_options {
    const char *kubeconfig; /* path; NULL: the list */
    /*
     * Paths with ':' between them, as $KUBECONFIG has them: read as one, the first that has an
     * entry or a current-context wins, missing ones are passed over. NULL: in-cluster (or `master`
     * alone).
     */
    const char *kubeconfig_list;
    const char *context; /* NULL: current-context */
    const char *master;  /* NULL: the kubeconfig's */
    /* In-cluster: where token, ca.crt and namespace are; NULL: where the kubelet puts them. */
    const char *service_account_dir;
};

/*
 * Reads what is needed to connect. As client-go does, leaves out who we are when the server is
 * plain http://: credentials do not travel in the clear.
 *
 * out      untouched on failure.
 * Errors   MST_EIO, MST_EDECODE, MST_EINVAL, each with the file, the field and the remedy.
 */
mst_rc mst_connection_load(const struct mst_connection_options *options, struct mst_connection *out,
                           struct mst_err *err) MST_WARN_UNUSED;
void mst_connection_done(struct mst_connection *connection);

/*
 * The kubeconfigs that kubectl would use, as a list: what $KUBECONFIG names, else ~/.kube/config if
 * it is there. Appended to `out` with a terminating NUL that is not counted. False: there are none.
 */
bool mst_connection_default_list(struct mst_buf *out);

#endif
