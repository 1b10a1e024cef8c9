/*
 * extender_client.h - calls to HTTP extenders, carried out: POST over HTTP/1.1, plain or with TLS.
 *
 * Blocks until the answer is there or the extender's timeout is over. What goes wrong is said in
 * upstream's words, since it ends in conditions of pods.
 *
 * Source: kubernetes v1.37 pkg/scheduler/extender.go (makeTransport, send).
 */
#ifndef MST_EXTENDER_CLIENT_H
#define MST_EXTENDER_CLIENT_H

#include "base/err.h"
#include "framework/extender_call.h"

struct mst_extender_client;

/*
 * A client for the extenders of a configuration, which must outlive it. One thread at a time.
 *
 * Errors    a file of a tlsConfig cannot be read; data in it that is not base64 cannot be: it was
 *           checked with the configuration.
 */
mst_rc mst_extender_client_new(const struct mst_config *config, struct mst_extender_client **out,
                               struct mst_err *err) MST_WARN_UNUSED;
void mst_extender_client_free(struct mst_extender_client *client);

/*
 * Sends one call.
 *
 * ret_text  emptied, then, as valid UTF-8, the body of the response, or, when false is returned,
 *           what went wrong.
 */
bool mst_extender_client_send(struct mst_extender_client *client,
                              const struct mst_extender_call *call, struct mst_str url,
                              struct mst_str body, struct mst_buf *ret_text);

#endif
