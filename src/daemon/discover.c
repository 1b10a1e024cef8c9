/*
 * discover.c - what the API server serves of what we would use: asked once, before anything else.
 *
 * Invariants: a server that does not answer is asked again, ever more slowly, up to RETRY_MAX_MS.
 */
#include "daemon/discover.h"

#include <event2/event.h>

#include "codec/json.h"

enum { RETRY_MIN_MS = 200, RETRY_MAX_MS = 5000 };

/* In the order of preference; both have the same resources but for CompositePodGroups. */
static const char *const versions[] = { "v1beta1", "v1alpha3" };

struct mst_discovery {
    struct mst_discovery_options options;
    struct mst_request_handle *request;
    struct event *timer;
    int64_t retry_ms;
    uint32_t asked; /* index of the version that is being asked for */
    struct mst_served_apis served;
};

static void ask(struct mst_discovery *d);

/* Does the APIResourceList name the resource? */
static bool lists(struct mst_str body, const char *resource)
{
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *root;
    bool found = false;
    if (mst_json_parse(body, NULL, &arena, NULL, &root, &err) == MST_OK) {
        const struct mst_value *list = mst_value_get(root, "resources");
        if (list && list->type == MST_ARRAY) {
            MST_EACH_ELEMENT (each, list) {
                const struct mst_value *name = mst_value_get(each, "name");
                found |=
                    name && name->type == MST_STRING && mst_str_is(mst_value_str(name), resource);
            }
        }
    }
    mst_arena_done(&arena);
    return found;
}

static void answer(struct mst_discovery *d)
{
    d->options.done(d->options.ctx, &d->served);
}

static void retry(struct mst_discovery *d, const struct mst_reply *reply)
{
    mst_log(d->options.log, 0, "Failed to ask the API server what it serves, asking again",
            MST_KSTR("err", reply->problem), MST_KINT("afterMilliseconds", d->retry_ms));
    const struct timeval after = { d->retry_ms / 1000, d->retry_ms % 1000 * 1000 };
    evtimer_add(d->timer, &after);
    d->retry_ms = MST_MIN(d->retry_ms * 2, (int64_t)RETRY_MAX_MS);
}

static void answered(void *ctx, const struct mst_reply *reply)
{
    struct mst_discovery *d = ctx;
    d->request = NULL;
    const bool denied = reply->status == 403, missing = reply->status == 404;
    if (reply->net != MST_NET_OK || (reply->status != 200 && !denied && !missing)) {
        retry(d, reply);
        return;
    }
    /* Who may not look is most likely to find them: the reflectors will say what is wrong. */
    if (!d->served.group_version && (denied || (!missing && lists(reply->body, "podgroups"))))
        d->served.group_version = versions[d->asked];
    if (strcmp(versions[d->asked], "v1alpha3") == 0 && !denied && !missing)
        d->served.composites = lists(reply->body, "compositepodgroups");
    if (++d->asked < MST_COUNT(versions))
        ask(d);
    else
        answer(d);
}

static void ask(struct mst_discovery *d)
{
    MST_AUTO(mst_buf) path = { 0 };
    mst_buf_printf(&path, "/apis/scheduling.k8s.io/%s", versions[d->asked]);
    const struct mst_request_spec spec = {
        .method = MST_GET,
        .path = mst_buf_span(&path),
        .done = answered,
        .ctx = d,
    };
    d->request = mst_client_send(d->options.client, &spec);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    ask(ctx);
}

struct mst_discovery *mst_discovery_new(const struct mst_discovery_options *options)
{
    struct mst_discovery *d = mst_calloc(1, sizeof(*d));
    *d = (struct mst_discovery){ .options = *options, .retry_ms = RETRY_MIN_MS };
    d->timer = evtimer_new(options->loop, on_timer, d);
    mst_assert(d->timer);
    ask(d);
    return d;
}

void mst_discovery_free(struct mst_discovery *d)
{
    if (!d)
        return;
    if (d->request)
        mst_client_cancel(d->options.client, d->request);
    event_free(d->timer);
    mst_free(d);
}
