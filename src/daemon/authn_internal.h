/*
 * authn_internal.h - what the files of authentication share: callers, reviews, what is remembered.
 */
#ifndef MST_AUTHN_INTERNAL_H
#define MST_AUTHN_INTERNAL_H

#include "base/map.h"
#include "codec/json.h"
#include "daemon/authn.h"

struct event;

enum {
    MST_REVIEWS_KEPT_MAX = 4096,
    MST_REVIEW_TIMEOUT_MS = 10000,
    MST_LOOKUP_PERIOD_S = 60,
};

/* ---- what is remembered (authn_cache.c) ---- */

struct mst_review_entry {
    int64_t expires_ms;
    bool yes;
    struct mst_str text; /* heap: of a token, the user in JSON; of an access, the reason */
};

/* Zero-initialised is valid and empty. */
struct mst_review_cache {
    struct mst_map by_key; /* to struct mst_review_entry * */
};

void mst_review_cache_done(struct mst_review_cache *cache);
/* NULL: not known, or too old. Valid until the next put. */
const struct mst_review_entry *mst_review_cache_get(struct mst_review_cache *cache,
                                                    struct mst_str key, int64_t now_ms);
/* When it is full, everything is forgotten: it only costs asking again. */
void mst_review_cache_put(struct mst_review_cache *cache, struct mst_str key, bool yes,
                          struct mst_str text, int64_t expires_ms);

/* ---- callers (authn_caller.c) ---- */

struct mst_extra {
    struct mst_str key, value;
};

struct mst_caller {
    struct mst_str name, uid;
    MST_VEC(struct mst_str) groups;
    MST_VEC(struct mst_extra) extra;
};

void mst_caller_done(struct mst_caller *caller);
bool mst_caller_in(const struct mst_caller *caller, const char *group);
/* By the headers of a front proxy; false: they name nobody. */
bool mst_caller_of_headers(const struct mst_front_proxy *proxy,
                           const struct mst_https_request *request, struct mst_arena *arena,
                           struct mst_caller *out);
/* By status.user of a TokenReview. */
void mst_caller_of_user(const struct mst_value *user, struct mst_caller *out);
/* The SubjectAccessReview's spec: also the key by which the answer is remembered. */
void mst_caller_write_spec(const struct mst_caller *caller, struct mst_str verb,
                           struct mst_str path, struct mst_buf *out);

/* ---- the cluster's CAs and headers (authn_lookup.c) ---- */

struct mst_lookup {
    struct mst_access *access;
    struct event *timer;
    struct mst_request_handle *asking;
    bool told; /* looked_up */
    struct mst_arena arena;
};

void mst_lookup_start(struct mst_access *access);
void mst_lookup_done(struct mst_access *access);

/* ---- the whole ---- */

/* A request whose caller is being looked into. */
struct mst_check {
    struct mst_access *access;
    struct mst_check *next, *prev;
    struct mst_https_request *request;
    mst_access_fn *allowed;
    void *ctx;
    struct mst_arena arena;
    struct mst_caller caller;
    struct mst_str key; /* of the review under way */
    struct mst_buf body;
    struct mst_request_handle *asking;
    bool again; /* it was asked a second time */
};

struct mst_access {
    struct mst_access_options o;
    struct mst_arena arena;       /* paths and lists of the options */
    struct mst_front_proxy proxy; /* in use: the options' or the cluster's (lookup.arena) */
    bool trusts_proxies;
    struct mst_review_cache tokens; /* by SHA-256 */
    struct mst_review_cache accesses;
    struct mst_check *checks;
    struct mst_lookup lookup;
};

#endif
