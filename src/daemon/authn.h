/*
 * authn.h - who asks, and whether they may: delegated authentication and authorisation of what the
 * HTTPS server is asked.
 *
 * A caller is known by a front proxy's headers, a client certificate, or a bearer token that the
 * API server reviews (TokenReview); without any of them it is system:anonymous. It may ask for a
 * path that is allowed to all, if it is in system:masters, or if the API server says so
 * (SubjectAccessReview). Credentials that are given and not good are an answer of 401, also for
 * paths that are allowed to all.
 *
 * Owns:       requests whose caller is being looked into; caches of reviews; the cluster's lists of
 *             CAs and headers (ConfigMap kube-system/extension-apiserver-authentication).
 * Invariants: every request that is checked is answered here or handed on, exactly once. Nothing
 *             that goes wrong lets somebody in. Tokens are kept as digests only and never logged.
 * Source:     kubernetes v1.37 apiserver pkg/authentication/authenticatorfactory, request/x509,
 *             request/headerrequest, pkg/server/options/{authentication,authorization}.go.
 */
#ifndef MST_AUTHN_H
#define MST_AUTHN_H

#include "server/https.h"

#include "client/client.h"

struct mst_access;

/* A front proxy says in these headers who asks. */
struct mst_front_proxy {
    mst_strs user_headers, uid_headers, group_headers, extra_prefixes;
    mst_strs allowed_names; /* CNs of its certificate; empty: any that the CA signed */
};

struct mst_access_options {
    struct event_base *loop;
    struct mst_client *client;   /* whom to ask; NULL: nobody, so that no review says yes */
    struct mst_https *server;    /* takes the cluster's CAs; NULL: they are not used */
    const struct mst_log *log;   /* or NULL */
    mst_strs always_allow_paths; /* "/healthz", "/debug/ *" (without the blank); copied */
    int64_t token_ttl_ms, allowed_ttl_ms, denied_ttl_ms; /* 0: 10 s; < 0: not kept */
    /* Given on the command line: the cluster's are not taken. Lists are copied. */
    bool has_client_ca, has_proxy_ca;
    struct mst_front_proxy proxy; /* with has_proxy_ca */
    bool skip_lookup;             /* do not ask for the cluster's at all */
    /*
     * The first look at the cluster's CAs is over; once, from the loop; never when there is nothing
     * to look up (skip_lookup, no client, both CAs given).
     * `problem` is absent, or why there are none.
     */
    void (*looked_up)(void *ctx, struct mst_str problem);
    int64_t (*now_ms)(void *ctx); /* monotonic; NULL: the system's */
    void *ctx;
};

/* Errors: MST_EINVAL, a path with a '*' that is not at its end. */
mst_rc mst_access_new(const struct mst_access_options *options, struct mst_access **out,
                      struct mst_err *err) MST_WARN_UNUSED;
/* Requests that are being looked into are answered with 503. */
void mst_access_free(struct mst_access *access);

typedef void mst_access_fn(void *ctx, struct mst_https_request *request);
/*
 * Calls `allowed`, at once or later, when the caller may do what it asks for; answers with 401, 403
 * or 500 otherwise.
 */
void mst_access_check(struct mst_access *access, struct mst_https_request *request,
                      mst_access_fn *allowed, void *ctx);

#endif
