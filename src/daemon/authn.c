/*
 * authn.c - a request's way from "who?" to "may they?".
 *
 * identify -> (TokenReview) -> authorize -> (SubjectAccessReview) -> allowed, or an answer.
 *
 * A review whose connection broke is asked once more; reviews change nothing.
 */
#include "daemon/authn.h"

#include <stdio.h>
#include <strings.h>

#include <openssl/evp.h>

#include "daemon/authn_internal.h"
#include "daemon/clock.h"

enum { TTL_MS = 10000 };

static int64_t now_ms(const struct mst_access *access)
{
    if (access->o.now_ms)
        return access->o.now_ms(access->o.ctx);
    return mst_mono_now() / MST_NS_PER_MS;
}

/* ---- the end of a check ---- */

static void check_free(struct mst_check *check)
{
    struct mst_access *access = check->access;
    if (check->prev)
        check->prev->next = check->next;
    else
        access->checks = check->next;
    if (check->next)
        check->next->prev = check->prev;
    mst_caller_done(&check->caller);
    mst_buf_done(&check->body);
    mst_arena_done(&check->arena);
    mst_free(check);
}

static void answer(struct mst_check *check, int status, const char *type, struct mst_str body)
{
    struct mst_https_request *request = check->request;
    mst_https_add_header(request, "X-Content-Type-Options", "nosniff");
    mst_https_add_header(request, "Cache-Control", "no-cache, private");
    mst_https_answer(request, status, type, body);
    check_free(check);
}

/* A metav1.Status. */
static void refuse(struct mst_check *check, int code, const char *reason, struct mst_str message)
{
    MST_AUTO(mst_buf) body = { 0 };
    struct mst_json_writer w = { .out = &body };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "kind");
    mst_jw_text(&w, "Status");
    mst_jw_key(&w, "apiVersion");
    mst_jw_text(&w, "v1");
    mst_jw_key(&w, "metadata");
    mst_jw_object_begin(&w);
    mst_jw_object_end(&w);
    mst_jw_key(&w, "status");
    mst_jw_text(&w, "Failure");
    mst_jw_key(&w, "message");
    mst_jw_str(&w, message);
    mst_jw_key(&w, "reason");
    mst_jw_text(&w, reason);
    if (code == 403) {
        mst_jw_key(&w, "details");
        mst_jw_object_begin(&w);
        mst_jw_object_end(&w);
    }
    mst_jw_key(&w, "code");
    mst_jw_int(&w, code);
    mst_jw_object_end(&w);
    mst_buf_char(&body, '\n');
    answer(check, code, "application/json", mst_buf_span(&body));
}

static void refuse_stranger(struct mst_check *check, struct mst_str why)
{
    mst_log(check->access->o.log, 2, "Unable to authenticate the request",
            MST_KSTR("path", mst_https_path(check->request)), MST_KSTR("err", why));
    refuse(check, 401, "Unauthorized", MST_STR("Unauthorized"));
}

/* So that no browser takes it for a page. */
static void add_sanitized(struct mst_buf *out, struct mst_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (c == '&' || c == '<' || c == '>')
            mst_buf_text(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
        else
            mst_buf_char(out, c);
    }
}

static struct mst_str verb_of(struct mst_check *check)
{
    const struct mst_str method = mst_arena_str(&check->arena, mst_https_method(check->request));
    for (size_t i = 0; i < method.n; i++)
        ((char *)(uintptr_t)method.p)[i] |= 0x20; /* letters only */
    return method;
}

static void forbid(struct mst_check *check, struct mst_str reason)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_text(&text, "forbidden: User \"");
    add_sanitized(&text, check->caller.name);
    mst_buf_printf(&text, "\" cannot %.*s path \"", MST_ARG(verb_of(check)));
    add_sanitized(&text, mst_https_path(check->request));
    mst_buf_char(&text, '"');
    if (reason.n) {
        mst_buf_text(&text, ": ");
        mst_buf_str(&text, reason);
    }
    refuse(check, 403, "Forbidden", mst_buf_span(&text));
}

static void fail(struct mst_check *check, struct mst_str why)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_log(check->access->o.log, 2, "Unable to authorize the request",
            MST_KSTR("path", mst_https_path(check->request)), MST_KSTR("err", why));
    mst_buf_text(&text, "Internal Server Error: \"");
    add_sanitized(&text, mst_https_path(check->request));
    mst_buf_text(&text, "\": ");
    add_sanitized(&text, why);
    mst_buf_char(&text, '\n');
    answer(check, 500, "text/plain; charset=utf-8", mst_buf_span(&text));
}

static void let_in(struct mst_check *check)
{
    struct mst_https_request *request = check->request;
    mst_access_fn *allowed = check->allowed;
    void *ctx = check->ctx;
    check_free(check);
    allowed(ctx, request);
}

/* ---- asking the API server ---- */

static void ask(struct mst_check *check, const char *path,
                void (*done)(void *ctx, const struct mst_reply *))
{
    const struct mst_request_spec spec = {
        .method = MST_POST,
        .path = mst_str_of(path),
        .body = mst_buf_span(&check->body),
        .timeout_ms = MST_REVIEW_TIMEOUT_MS,
        .urgent = true,
        .done = done,
        .ctx = check,
    };
    check->asking = mst_client_send(check->access->o.client, &spec);
}

/* The status of the review in the answer, or NULL and why. */
static const struct mst_value *status_of(struct mst_check *check, const struct mst_reply *reply,
                                         struct mst_str *ret_why)
{
    struct mst_err err;
    const struct mst_value *root, *status = NULL;
    if (reply->net != MST_NET_OK || reply->status < 200 || reply->status > 299) {
        *ret_why = mst_arena_str(&check->arena,
                                 reply->problem.n ? reply->problem : MST_STR("the review failed"));
        return NULL;
    }
    const struct mst_str body = mst_arena_str(&check->arena, reply->body);
    if (mst_json_parse(body, NULL, &check->arena, NULL, &root, &err))
        *ret_why = mst_arena_printf(&check->arena, "the answer to a review: %s", err.text);
    else if (!(status = mst_value_get(root, "status")))
        *ret_why = MST_STR("the answer to a review has no status");
    return status;
}

static bool is_true(const struct mst_value *status, const char *key)
{
    const struct mst_value *v = mst_value_get(status, key);
    return v && v->type == MST_TRUE;
}

static bool worth_asking_again(struct mst_check *check, const struct mst_reply *reply)
{
    check->asking = NULL;
    if (reply->net != MST_NET_BROKEN || check->again)
        return false;
    check->again = true;
    return true;
}

static int64_t expiry(const struct mst_access *access, int64_t ttl_ms)
{
    return now_ms(access) + (ttl_ms ? ttl_ms : TTL_MS);
}

/* ---- may they? ---- */

#define ACCESS_PATH "/apis/authorization.k8s.io/v1/subjectaccessreviews"

static void decide(struct mst_check *check, bool yes, struct mst_str reason)
{
    if (yes)
        let_in(check);
    else
        forbid(check, reason);
}

static void access_reviewed(void *ctx, const struct mst_reply *reply)
{
    struct mst_check *check = ctx;
    struct mst_access *access = check->access;
    struct mst_str why;
    if (worth_asking_again(check, reply)) {
        ask(check, ACCESS_PATH, access_reviewed);
        return;
    }
    const struct mst_value *status = status_of(check, reply, &why);
    if (!status) {
        fail(check, why);
        return;
    }
    const bool yes = is_true(status, "allowed") && !is_true(status, "denied");
    const struct mst_value *said = mst_value_get(status, "reason");
    const struct mst_str reason =
        said && said->type == MST_STRING ? mst_value_str(said) : MST_STR("");
    mst_review_cache_put(&access->accesses, check->key, yes, reason,
                         expiry(access, yes ? access->o.allowed_ttl_ms : access->o.denied_ttl_ms));
    decide(check, yes, reason);
}

/* As upstream: a slash at the beginning does not count. */
static struct mst_str without_slash(struct mst_str path)
{
    return path.n && path.p[0] == '/' ? (struct mst_str){ path.p + 1, path.n - 1 } : path;
}

static bool is_open_to_all(const struct mst_access *access, struct mst_str path)
{
    path = without_slash(path);
    for (uint32_t i = 0; i < access->o.always_allow_paths.n; i++) {
        struct mst_str open = access->o.always_allow_paths.v[i];
        const bool prefix = open.n && open.p[open.n - 1] == '*';
        open.n -= prefix;
        if (prefix ? path.n >= open.n && memcmp(path.p, open.p, open.n) == 0
                   : mst_str_eq(path, open))
            return true;
    }
    return false;
}

static void authorize(struct mst_check *check)
{
    struct mst_access *access = check->access;
    if (mst_caller_in(&check->caller, "system:masters") ||
        is_open_to_all(access, mst_https_path(check->request))) {
        let_in(check);
        return;
    }
    if (!access->o.client) {
        forbid(check, MST_STR(""));
        return;
    }
    MST_AUTO(mst_buf) spec = { 0 };
    mst_caller_write_spec(&check->caller, verb_of(check), mst_https_path(check->request), &spec);
    check->key = mst_arena_str(&check->arena, mst_buf_span(&spec));
    const struct mst_review_entry *known =
        mst_review_cache_get(&access->accesses, check->key, now_ms(access));
    if (known) {
        decide(check, known->yes, known->text);
        return;
    }
    check->body.n = 0;
    check->again = false;
    mst_buf_printf(&check->body,
                   "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\","
                   "\"metadata\":{},\"spec\":%.*s}",
                   MST_ARG(check->key));
    ask(check, ACCESS_PATH, access_reviewed);
}

/* ---- who? ---- */

#define TOKEN_PATH "/apis/authentication.k8s.io/v1/tokenreviews"

static void authorize_known(struct mst_check *check)
{
    if (!mst_caller_in(&check->caller, "system:authenticated"))
        mst_vec_push(&check->caller.groups, MST_STR("system:authenticated"));
    authorize(check);
}

/* The user of a review, as JSON. */
static void take_user(struct mst_check *check, bool yes, struct mst_str user)
{
    struct mst_err err;
    const struct mst_value *value;
    const struct mst_str kept = mst_arena_str(&check->arena, user);
    if (!yes || mst_json_parse(kept, NULL, &check->arena, NULL, &value, &err)) {
        refuse_stranger(check, MST_STR("invalid bearer token"));
        return;
    }
    mst_caller_of_user(value, &check->caller);
    authorize_known(check);
}

static void token_reviewed(void *ctx, const struct mst_reply *reply)
{
    struct mst_check *check = ctx;
    struct mst_access *access = check->access;
    MST_AUTO(mst_buf) user = { 0 };
    struct mst_json_writer w = { .out = &user };
    struct mst_str why;
    if (worth_asking_again(check, reply)) {
        ask(check, TOKEN_PATH, token_reviewed);
        return;
    }
    const struct mst_value *status = status_of(check, reply, &why);
    if (!status) {
        refuse_stranger(check, why);
        return;
    }
    const struct mst_value *said = mst_value_get(status, "user");
    const bool yes = is_true(status, "authenticated") && said && said->type == MST_OBJECT;
    if (yes)
        mst_jw_value(&w, said);
    mst_review_cache_put(&access->tokens, check->key, yes, mst_buf_span(&user),
                         expiry(access, access->o.token_ttl_ms));
    take_user(check, yes, mst_buf_span(&user));
}

/* What follows "Bearer", or an absent span. */
static struct mst_str token_of(const struct mst_https_request *request)
{
    struct mst_str header = mst_https_header(request, "Authorization");
    while (header.n && (header.p[0] == ' ' || header.p[0] == '\t'))
        header = (struct mst_str){ header.p + 1, header.n - 1 };
    if (header.n < 8 || strncasecmp(header.p, "bearer ", 7) != 0)
        return MST_STR_NONE;
    const struct mst_str rest = { header.p + 7, header.n - 7 };
    const char *end = memchr(rest.p, ' ', rest.n);
    const size_t n = end ? (size_t)(end - rest.p) : rest.n;
    return n ? (struct mst_str){ rest.p, n } : MST_STR_NONE;
}

static void review_token(struct mst_check *check, struct mst_str token)
{
    struct mst_access *access = check->access;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    const int ok = EVP_Digest(token.p, token.n, digest, &n, EVP_sha256(), NULL);
    mst_assert(ok);
    check->key = mst_arena_str(&check->arena, (struct mst_str){ (const char *)digest, n });
    const struct mst_review_entry *known =
        mst_review_cache_get(&access->tokens, check->key, now_ms(access));
    if (known) {
        take_user(check, known->yes, known->text);
        return;
    }
    struct mst_json_writer w = { .out = &check->body };
    mst_buf_text(&check->body,
                 "{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\","
                 "\"metadata\":{},\"spec\":{\"token\":");
    mst_jw_str(&w, token);
    mst_buf_text(&check->body, "}}");
    ask(check, TOKEN_PATH, token_reviewed);
}

static bool is_front_proxy(const struct mst_access *access, struct mst_str name)
{
    const mst_strs names = access->proxy.allowed_names;
    if (!access->trusts_proxies || !name.p)
        return false;
    for (uint32_t i = 0; i < names.n; i++)
        if (mst_str_eq(names.v[i], name))
            return true;
    return names.n == 0;
}

static void identify(struct mst_check *check)
{
    struct mst_access *access = check->access;
    const struct mst_https_request *request = check->request;
    if (is_front_proxy(access, mst_https_proxy_name(request)) &&
        mst_caller_of_headers(&access->proxy, request, &check->arena, &check->caller)) {
        authorize_known(check);
        return;
    }
    const struct mst_str name = mst_https_peer_name(request);
    if (name.n) {
        const mst_strs groups = mst_https_peer_groups(request);
        check->caller.name = name;
        for (uint32_t i = 0; i < groups.n; i++)
            mst_vec_push(&check->caller.groups, groups.v[i]);
        authorize_known(check);
        return;
    }
    const struct mst_str token = token_of(request);
    if (token.n && access->o.client) {
        review_token(check, token);
    } else if (mst_https_has_certificate(request) && !name.p) {
        refuse_stranger(check, MST_STR("no CA that is known signed the client certificate"));
    } else {
        check->caller.name = MST_STR("system:anonymous");
        mst_vec_push(&check->caller.groups, MST_STR("system:unauthenticated"));
        authorize(check);
    }
}

void mst_access_check(struct mst_access *access, struct mst_https_request *request,
                      mst_access_fn *allowed, void *ctx)
{
    struct mst_check *check = mst_calloc(1, sizeof(*check));
    check->access = access;
    check->request = request;
    check->allowed = allowed;
    check->ctx = ctx;
    check->next = access->checks;
    if (check->next)
        check->next->prev = check;
    access->checks = check;
    identify(check);
}

/* ---- life ---- */

static mst_strs copy_of(struct mst_arena *arena, mst_strs list)
{
    struct mst_str *v = MST_NEW_N(arena, struct mst_str, list.n + 1);
    for (uint32_t i = 0; i < list.n; i++)
        v[i] = mst_arena_str(arena, list.v[i]);
    return (mst_strs){ v, list.n };
}

static mst_rc check_path(struct mst_str path, struct mst_err *err)
{
    const char *star = path.n ? memchr(path.p, '*', path.n) : NULL;
    if (star && star != path.p + path.n - 1)
        return mst_fail(err, MST_EINVAL,
                        "always allowed path '%.*s': a '*' must be the last character",
                        MST_ARG(path));
    return MST_OK;
}

mst_rc mst_access_new(const struct mst_access_options *options, struct mst_access **out,
                      struct mst_err *err)
{
    for (uint32_t i = 0; i < options->always_allow_paths.n; i++) {
        const mst_rc rc = check_path(options->always_allow_paths.v[i], err);
        if (rc)
            return rc;
    }
    struct mst_access *access = mst_calloc(1, sizeof(*access));
    struct mst_arena *arena = &access->arena;
    access->o = *options;
    access->o.always_allow_paths = copy_of(arena, options->always_allow_paths);
    for (uint32_t i = 0; i < options->always_allow_paths.n; i++)
        access->o.always_allow_paths.v[i] = without_slash(access->o.always_allow_paths.v[i]);
    access->trusts_proxies = options->has_proxy_ca;
    if (options->has_proxy_ca)
        access->proxy = (struct mst_front_proxy){
            .user_headers = copy_of(arena, options->proxy.user_headers),
            .uid_headers = copy_of(arena, options->proxy.uid_headers),
            .group_headers = copy_of(arena, options->proxy.group_headers),
            .extra_prefixes = copy_of(arena, options->proxy.extra_prefixes),
            .allowed_names = copy_of(arena, options->proxy.allowed_names),
        };
    mst_lookup_start(access);
    *out = access;
    return MST_OK;
}

void mst_access_free(struct mst_access *access)
{
    if (!access)
        return;
    mst_lookup_done(access);
    while (access->checks) {
        struct mst_check *check = access->checks;
        if (check->asking)
            mst_client_cancel(access->o.client, check->asking);
        answer(check, 503, "text/plain; charset=utf-8", MST_STR("shutting down\n"));
    }
    mst_review_cache_done(&access->tokens);
    mst_review_cache_done(&access->accesses);
    mst_arena_done(&access->arena);
    mst_free(access);
}
