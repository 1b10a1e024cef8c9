/*
 * exec_plugin.h - runs a program that prints credentials, without waiting for it.
 *
 * Owns:       the child process, its pipes, what it prints.
 * Invariants: `done` is told once, from the loop; after mst_exec_cancel nothing is told and no
 *             child is left.
 * Source:     kubernetes v1.37 client-go plugin/pkg/client/auth/exec (exec.go),
 *             pkg/apis/clientauthentication.
 */
#ifndef MST_EXEC_PLUGIN_H
#define MST_EXEC_PLUGIN_H

#include "client/connection.h"

struct event_base;
struct mst_exec;

/* What the program printed, checked. Text is borrowed for the callback. */
struct mst_exec_credentials {
    struct mst_str token;             /* absent: none */
    struct mst_str cert_pem, key_pem; /* both or none */
    int64_t expires_unix_s;           /* INT64_MAX: never */
};

/* How the program ended, in client-go's words, whatever it printed. */
struct mst_exec_end {
    /* "no_error", "plugin_execution_error", "plugin_not_found_error", "client_internal_error" */
    const char *status;
    int code; /* its exit code; -1: killed; 1: it did not start */
};

/* `credentials` is NULL when there are none: then `problem` says why, with the remedy. */
typedef void mst_exec_done_fn(void *ctx, const struct mst_exec_end *end,
                              const struct mst_exec_credentials *credentials,
                              struct mst_str problem);

/*
 * Starts the connection's program, which must outlive the run.
 *
 * timeout_ms  after which the program and what it started are killed.
 */
struct mst_exec *mst_exec_start(struct event_base *loop, const struct mst_connection *connection,
                                int64_t timeout_ms, mst_exec_done_fn *done, void *ctx);
void mst_exec_cancel(struct mst_exec *exec);

/*
 * Reads what such a program printed: an ExecCredential of this version.
 *
 * out      text is in `arena`.
 * Errors   MST_EDECODE, MST_EINVAL.
 */
mst_rc mst_exec_read(struct mst_str text, struct mst_str api_version, struct mst_arena *arena,
                     struct mst_exec_credentials *out, struct mst_err *err) MST_WARN_UNUSED;
/* The value of KUBERNETES_EXEC_INFO: an ExecCredential that says who asks. */
void mst_exec_info(const struct mst_connection *connection, struct mst_buf *out);

#endif
