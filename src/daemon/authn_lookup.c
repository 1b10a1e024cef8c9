/*
 * authn_lookup.c - the CAs of clients and front proxies that the cluster publishes for servers like
 * this one: ConfigMap kube-system/extension-apiserver-authentication, looked at every minute.
 *
 * What cannot be had or read leaves what was there.
 */
#include <event2/event.h>

#include "daemon/authn_internal.h"

static struct mst_str text_in(const struct mst_value *data, const char *key)
{
    const struct mst_value *v = mst_value_get(data, key);
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

/* A list of strings, written as JSON within a string. */
static bool list_in(const struct mst_value *data, const char *key, struct mst_arena *arena,
                    mst_strs *out, struct mst_err *err)
{
    const struct mst_str text = mst_arena_str(arena, text_in(data, key));
    const struct mst_value *list;
    *out = (mst_strs){ 0 };
    if (!text.n)
        return true;
    if (mst_json_parse(text, NULL, arena, NULL, &list, err))
        return false;
    if (list->type == MST_NULL)
        return true;
    if (list->type != MST_ARRAY)
        return (void)mst_fail(err, MST_EDECODE, "%s: expected a list", key), false;
    struct mst_str *v = MST_NEW_N(arena, struct mst_str, list->n + 1);
    out->v = v;
    MST_EACH_ELEMENT (element, list) {
        if (element->type != MST_STRING)
            return (void)mst_fail(err, MST_EDECODE, "%s: expected strings", key), false;
        v[out->n++] = mst_value_str(element);
    }
    return true;
}

static bool take_proxy(struct mst_access *access, const struct mst_value *data,
                       struct mst_arena *arena, struct mst_err *err)
{
    struct mst_front_proxy proxy;
    if (!list_in(data, "requestheader-username-headers", arena, &proxy.user_headers, err) ||
        !list_in(data, "requestheader-uid-headers", arena, &proxy.uid_headers, err) ||
        !list_in(data, "requestheader-group-headers", arena, &proxy.group_headers, err) ||
        !list_in(data, "requestheader-extra-headers-prefix", arena, &proxy.extra_prefixes, err) ||
        !list_in(data, "requestheader-allowed-names", arena, &proxy.allowed_names, err))
        return false;
    const struct mst_str pem = text_in(data, "requestheader-client-ca-file");
    if (!pem.n)
        return (void)mst_fail(err, MST_EINVAL, "requestheader-client-ca-file: there is none"),
               false;
    if (access->o.server && mst_https_set_cas(access->o.server, MST_STR_NONE, pem, err))
        return false;
    access->proxy = proxy;
    access->trusts_proxies = true;
    return true;
}

static bool take(struct mst_access *access, struct mst_str body, struct mst_err *err)
{
    struct mst_arena arena = { 0 };
    const struct mst_value *root;
    const struct mst_str kept = mst_arena_str(&arena, body);
    bool ok = !mst_json_parse(kept, NULL, &arena, NULL, &root, err);
    const struct mst_value *data = ok ? mst_value_get(root, "data") : NULL;
    if (ok && !access->o.has_client_ca) {
        const struct mst_str pem = text_in(data, "client-ca-file");
        ok = !pem.n || !access->o.server ||
             !mst_https_set_cas(access->o.server, pem, MST_STR_NONE, err);
    }
    if (ok && !access->o.has_proxy_ca)
        ok = take_proxy(access, data, &arena, err);
    if (ok && !access->o.has_proxy_ca) { /* the lists live there */
        mst_arena_done(&access->lookup.arena);
        access->lookup.arena = arena;
    } else {
        mst_arena_done(&arena);
    }
    return ok;
}

static void over(void *ctx, const struct mst_reply *reply)
{
    struct mst_access *access = ctx;
    struct mst_err err = { 0 };
    access->lookup.asking = NULL;
    struct mst_str problem = MST_STR_NONE;
    if (reply->net != MST_NET_OK || reply->status != 200)
        problem = reply->problem.n ? reply->problem : MST_STR("no answer that can be used");
    else if (!take(access, reply->body, &err))
        problem = mst_str_of(err.text);
    if (problem.p)
        mst_log(access->o.log, 2,
                "Cannot read the cluster's authentication configuration (ConfigMap "
                "kube-system/extension-apiserver-authentication)",
                MST_KSTR("err", problem));
    const struct timeval period = { .tv_sec = MST_LOOKUP_PERIOD_S };
    event_add(access->lookup.timer, &period);
    if (access->lookup.told)
        return;
    access->lookup.told = true;
    if (access->o.looked_up)
        access->o.looked_up(access->o.ctx, problem);
}

static void ask(evutil_socket_t fd, short events, void *ctx)
{
    struct mst_access *access = ctx;
    (void)fd, (void)events;
    const struct mst_request_spec spec = {
        .method = MST_GET,
        .path = MST_STR("/api/v1/namespaces/kube-system/configmaps/"
                        "extension-apiserver-authentication"),
        .timeout_ms = MST_REVIEW_TIMEOUT_MS,
        .urgent = true,
        .done = over,
        .ctx = access,
    };
    access->lookup.asking = mst_client_send(access->o.client, &spec);
}

void mst_lookup_start(struct mst_access *access)
{
    const struct mst_access_options *o = &access->o;
    if (o->skip_lookup || !o->client || (o->has_client_ca && o->has_proxy_ca))
        return;
    access->lookup.timer = event_new(o->loop, -1, 0, ask, access);
    mst_assert(access->lookup.timer);
    ask(-1, 0, access);
}

void mst_lookup_done(struct mst_access *access)
{
    if (access->lookup.asking)
        mst_client_cancel(access->o.client, access->lookup.asking);
    if (access->lookup.timer)
        event_free(access->lookup.timer);
    mst_arena_done(&access->lookup.arena);
}
