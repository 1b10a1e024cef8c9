/*
 * connection_internal.h - what the readers of kubeconfigs and of service accounts share.
 */
#ifndef MST_CONNECTION_INTERNAL_H
#define MST_CONNECTION_INTERNAL_H

#include "client/connection.h"
#include "codec/tape.h"

/* A cluster, user or context of a kubeconfig: what errors name, where its fields are. */
struct mst_kube_entry {
    struct mst_str path; /* of the kubeconfig */
    const char *kind;    /* "cluster", "user", "context" */
    struct mst_str name;
    const struct mst_value *value;
    struct mst_arena *arena; /* of what is read */
};

/* "PATH:LINE: KIND "NAME": " goes before the text; `at` may be NULL. */
mst_rc mst_kube_fail(const struct mst_kube_entry *entry, const struct mst_value *at,
                     struct mst_err *err, const char *format, ...) MST_PRINTF(4, 5);
/* The field's text in the entry's arena; absent when it is not there, null or empty. */
mst_rc mst_kube_text(const struct mst_kube_entry *entry, const char *field, struct mst_str *out,
                     struct mst_err *err) MST_WARN_UNUSED;
mst_rc mst_kube_bool(const struct mst_kube_entry *entry, const char *field, bool *out,
                     struct mst_err *err) MST_WARN_UNUSED;
/* A list of strings; absent and null are empty. */
mst_rc mst_kube_list(const struct mst_kube_entry *entry, const char *field, mst_strs *out,
                     struct mst_err *err) MST_WARN_UNUSED;
/* A path as the kubeconfig means it: relative to its own directory. */
struct mst_str mst_kube_path(const struct mst_kube_entry *entry, struct mst_str path);
/*
 * The bytes of FIELD-data, or of the file that FIELD names; both is an error.
 *
 * ret_file   the path of that file; absent without one.
 */
mst_rc mst_kube_bytes(const struct mst_kube_entry *entry, const char *field, struct mst_str *out,
                      struct mst_str *ret_file, struct mst_err *err) MST_WARN_UNUSED;

/* The user's fields; `cluster` brings what plug-ins are told. */
mst_rc mst_kube_user(const struct mst_kube_entry *user, const struct mst_value *cluster,
                     struct mst_connection *out, struct mst_err *err) MST_WARN_UNUSED;
/*
 * Sets out->server. "host:port" alone means http, as DefaultServerURL has it.
 *
 * field    what errors call it.
 */
mst_rc mst_kube_server(const struct mst_kube_entry *from, struct mst_str server, const char *field,
                       struct mst_connection *out, struct mst_err *err) MST_WARN_UNUSED;
/* The kubeconfigs that the options name. `out` must be empty; on failure it is for _done. */
mst_rc mst_kube_load(const struct mst_connection_options *options, struct mst_connection *out,
                     struct mst_err *err) MST_WARN_UNUSED;
/* The same, of a text that was read from there. */
mst_rc mst_kube_load_text(const struct mst_connection_options *options, struct mst_str text,
                          struct mst_connection *out, struct mst_err *err) MST_WARN_UNUSED;

#endif
