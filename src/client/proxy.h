/*
 * proxy.h - which proxy leads to a server, by the kubeconfig or by the environment as Go reads it.
 *
 * Source: golang.org/x/net/http/httpproxy.
 */
#ifndef MST_PROXY_H
#define MST_PROXY_H

#include "client/curl_help.h"

/* Values of $HTTP_PROXY, $HTTPS_PROXY and $NO_PROXY, or of the names in small letters. */
struct mst_proxy_env {
    const char *http, *https, *none; /* NULL: not set */
};

struct mst_proxy_env mst_proxy_env_read(void);

/*
 * The proxy for a server.
 *
 * configured  the kubeconfig's proxy-url: when it is given, the environment is not looked at.
 * out         what CURLOPT_PROXY wants; empty for none. A name is resolved by a SOCKS proxy, not
 *             here, as Go does.
 */
void mst_proxy_choose(const struct mst_proxy_env *env, const struct mst_url *server,
                      struct mst_str configured, struct mst_buf *out);

#endif
