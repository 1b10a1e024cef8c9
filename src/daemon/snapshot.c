/*
 * snapshot.c - the objects of a cluster that scheduling depends on, listed once.
 *
 * Every kind is a list of its own, some at a time, page by page. A list whose continuation expired
 * (410) begins again. What the server refuses for good, or does not answer after some tries, ends
 * everything; optional kinds that are not served or not allowed count as empty.
 */
#include "daemon/snapshot.h"

#include <event2/event.h>

#include "codec/json.h"
#include "daemon/followed.h"

enum {
    AT_ONCE = 4,      /* lists under way */
    PAGE = 500,       /* objects */
    TRIES_MAX = 4,    /* of one page, where nobody said no */
    RESTARTS_MAX = 5, /* of one kind, because of 410 */
    RETRY_MIN_MS = 500,
    TIMEOUT_MS = 60000,
};

typedef enum { LIST_WAITS, LIST_ASKS, LIST_SLEEPS, LIST_DONE } list_state;

/* One kind. */
struct list {
    struct mst_snapshot *snapshot;
    /* Where it may be: the first that is served counts. */
    const struct mst_followed *places;
    uint32_t place_count, place;
    list_state state;
    uint32_t tries, restarts;
    struct mst_request_handle *request;
    struct event *timer;
    struct mst_buf next; /* `continue`; empty: the first page */
    MST_VEC(struct mst_buf) pages;
    uint64_t objects;
};

struct mst_snapshot {
    struct mst_snapshot_options options;
    MST_VEC(struct list) lists;
    struct event *begin; /* so that nothing is told from within mst_snapshot_new */
    struct mst_arena arena;
    MST_VEC(struct mst_snapshot_document) documents;
    MST_VEC(struct mst_str) notes;
    struct mst_snapshot_stats stats;
    bool over;
};

static void start_some(struct mst_snapshot *s);

static const struct mst_followed *place_of(const struct list *list)
{
    return &list->places[list->place];
}

/* ---- the end ---- */

static void stop_list(struct list *list)
{
    if (list->request)
        mst_client_cancel(list->snapshot->options.client, list->request);
    list->request = NULL;
    evtimer_del(list->timer);
    list->state = LIST_DONE;
}

static void end(struct mst_snapshot *s, const struct mst_err *err)
{
    mst_assert(!s->over);
    s->over = true;
    for (uint32_t i = 0; i < s->lists.n; i++)
        stop_list(&s->lists.v[i]);
    s->options.done(s->options.ctx, err);
}

static void hand_out(struct mst_snapshot *s)
{
    for (uint32_t i = 0; i < s->lists.n; i++) {
        const struct list *list = &s->lists.v[i];
        for (uint32_t k = 0; k < list->pages.n; k++) {
            struct mst_str label =
                mst_arena_printf(&s->arena, "cluster/%s", place_of(list)->resource);
            if (k)
                label = mst_arena_printf(&s->arena, "%.*s#%u", MST_ARG(label), k + 1);
            mst_vec_push(&s->documents,
                         (struct mst_snapshot_document){ label, mst_buf_span(&list->pages.v[k]) });
        }
    }
    end(s, NULL);
}

/* ---- what went wrong ---- */

/* Why the list is not to be had, with what helps. */
static void explain(const struct list *list, const struct mst_reply *reply, struct mst_err *err)
{
    const struct mst_followed *f = place_of(list);
    const struct mst_str why = reply->problem;
    if (reply->net == MST_NET_OK && reply->status == 401)
        mst_fail(err, MST_EIO,
                 "list %s: 401 Unauthorized: %.*s; the server does not know who this is: look at "
                 "the user of the kubeconfig's context",
                 f->resource, MST_ARG(why));
    else if (reply->net == MST_NET_OK && reply->status == 403)
        mst_fail(err, MST_EIO,
                 "list %s: 403 Forbidden: %.*s; a ClusterRole that allows it has the rule "
                 "apiGroups: [\"%s\"], resources: [\"%s\"], verbs: [\"list\"]",
                 f->resource, MST_ARG(why), f->group, f->resource);
    else if (reply->net == MST_NET_OK)
        mst_fail(err, MST_EIO, "list %s: the server answers %d: %.*s", f->resource, reply->status,
                 MST_ARG(why));
    else
        mst_fail(err, MST_EIO, "list %s: %.*s", f->resource, MST_ARG(why));
}

static void note_refusal(struct list *list)
{
    struct mst_snapshot *s = list->snapshot;
    const struct mst_followed *f = place_of(list);
    mst_vec_push(&s->notes,
                 mst_arena_printf(&s->arena,
                                  "%s may not be listed (403 Forbidden) and count as absent; a "
                                  "ClusterRole that allows it has the rule apiGroups: [\"%s\"], "
                                  "resources: [\"%s\"], verbs: [\"list\"]",
                                  f->resource, f->group, f->resource));
}

/* ---- pages ---- */

static void drop_pages(struct list *list)
{
    struct mst_snapshot *s = list->snapshot;
    for (uint32_t i = 0; i < list->pages.n; i++) {
        s->stats.bytes -= list->pages.v[i].n;
        mst_buf_done(&list->pages.v[i]);
    }
    list->pages.n = 0;
    s->stats.objects -= list->objects;
    list->objects = 0;
    list->next.n = 0;
}

static void ask(struct list *list);

static void list_is_done(struct list *list)
{
    struct mst_snapshot *s = list->snapshot;
    list->state = LIST_DONE;
    s->stats.kinds_done++;
    if (s->options.progress)
        s->options.progress(s->options.ctx);
    if (s->stats.kinds_done == s->stats.kinds)
        hand_out(s);
    else
        start_some(s);
}

/* Counts the elements of an array whose beginning was read. */
static bool count_items(struct mst_json *js, uint64_t *count)
{
    for (;;) {
        switch (mst_json_next(js)) {
        case MST_TOKEN_ARRAY_END: return true;
        case MST_TOKEN_OBJECT_BEGIN:
            ++*count;
            if (!mst_json_skip(js))
                return false;
            break;
        case MST_TOKEN_END:
        case MST_TOKEN_ERROR:
        case MST_TOKEN_OBJECT_END:
        case MST_TOKEN_ARRAY_BEGIN:
        case MST_TOKEN_KEY:
        case MST_TOKEN_STRING:
        case MST_TOKEN_NUMBER:
        case MST_TOKEN_TRUE:
        case MST_TOKEN_FALSE:
        case MST_TOKEN_NULL: return false;
        }
    }
}

/* What the list says of itself. `next` lives in the arena. False: this is no list. */
static bool read_page(struct mst_str body, struct mst_arena *arena, struct mst_str *next,
                      uint64_t *count)
{
    struct mst_json js;
    struct mst_err err;
    const struct mst_value *metadata;
    bool items = false;
    mst_json_init(&js, body, arena);
    if (mst_json_next(&js) != MST_TOKEN_OBJECT_BEGIN)
        return false;
    for (mst_token token; (token = mst_json_next(&js)) != MST_TOKEN_OBJECT_END;) {
        if (token != MST_TOKEN_KEY)
            return false;
        if (mst_str_is(js.text, "metadata")) {
            if (mst_json_value(&js, arena, NULL, &metadata, &err))
                return false;
            const struct mst_value *v = mst_value_get(metadata, "continue");
            if (v && v->type == MST_STRING)
                *next = mst_value_str(v);
        } else if (mst_str_is(js.text, "items")) {
            token = mst_json_next(&js);
            items = token == MST_TOKEN_NULL ||
                    (token == MST_TOKEN_ARRAY_BEGIN && count_items(&js, count));
            if (!items)
                return false;
        } else if (!mst_json_skip(&js)) {
            return false;
        }
    }
    return items;
}

static void take_page(struct list *list, struct mst_str body)
{
    struct mst_snapshot *s = list->snapshot;
    struct mst_arena arena = { 0 };
    struct mst_str next = MST_STR_NONE;
    uint64_t count = 0;
    const bool good = read_page(body, &arena, &next, &count);
    list->next.n = 0;
    mst_buf_str(&list->next, next);
    mst_arena_done(&arena);
    if (!good) {
        struct mst_err err;
        mst_fail(&err, MST_EDECODE,
                 "list %s: the answer is no list in JSON; is this a Kubernetes API server?",
                 place_of(list)->resource);
        end(s, &err);
        return;
    }
    struct mst_buf page = { 0 };
    mst_buf_str(&page, body);
    mst_vec_push(&list->pages, page);
    list->objects += count;
    s->stats.objects += count;
    s->stats.bytes += body.n;
    list->tries = 0;
    if (!list->next.n) {
        list_is_done(list);
        return;
    }
    if (s->options.progress)
        s->options.progress(s->options.ctx);
    ask(list);
}

/* ---- questions ---- */

static bool may_ask_again(const struct mst_reply *reply)
{
    switch (reply->net) {
    case MST_NET_OK: return reply->status == 429 || reply->status >= 500;
    case MST_NET_TIMEOUT:
    case MST_NET_BROKEN: return true;
    case MST_NET_REFUSED:
    case MST_NET_TLS:
    case MST_NET_AUTH: return false;
    }
    return false;
}

static void ask_later(struct list *list, const struct mst_reply *reply)
{
    const int64_t min_ms = list->snapshot->options.retry_min_ms;
    int64_t ms = (min_ms ? min_ms : RETRY_MIN_MS) << list->tries;
    if (reply->retry_after_s > 0)
        ms = MST_MAX(ms, MST_MIN(reply->retry_after_s, (int64_t)10) * 1000);
    const struct timeval after = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    list->tries++;
    list->state = LIST_SLEEPS;
    evtimer_add(list->timer, &after);
}

/* The list cannot be had from this place. */
static void refused(struct list *list, const struct mst_reply *reply)
{
    struct mst_err err;
    const bool absent = reply->status == 404, denied = reply->status == 403;
    if (!place_of(list)->optional || (!absent && !denied)) {
        explain(list, reply, &err);
        end(list->snapshot, &err);
        return;
    }
    if (list->place + 1 < list->place_count) {
        list->place++;
        ask(list);
        return;
    }
    if (denied)
        note_refusal(list);
    list_is_done(list);
}

static void answered(void *ctx, const struct mst_reply *reply)
{
    struct list *list = ctx;
    list->request = NULL;
    if (reply->net == MST_NET_OK && reply->status == 200) {
        take_page(list, reply->body);
    } else if (reply->net == MST_NET_OK && reply->status == 410 && list->restarts < RESTARTS_MAX) {
        list->restarts++;
        drop_pages(list);
        ask(list);
    } else if (may_ask_again(reply) && list->tries + 1 < TRIES_MAX) {
        ask_later(list, reply);
    } else {
        refused(list, reply);
    }
}

/* Tokens are opaque: what is no letter or digit is escaped. */
static void add_escaped(struct mst_buf *out, struct mst_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.p[i];
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                           (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
        if (plain)
            mst_buf_char(out, (char)c);
        else
            mst_buf_printf(out, "%%%02X", c);
    }
}

static void ask(struct list *list)
{
    const struct mst_followed *f = place_of(list);
    MST_AUTO(mst_buf) path = { 0 };
    mst_buf_printf(&path, "%s?limit=%d", f->path, PAGE);
    if (f->query)
        mst_buf_printf(&path, "&%s", f->query);
    if (list->next.n) {
        mst_buf_text(&path, "&continue=");
        add_escaped(&path, mst_buf_span(&list->next));
    }
    const struct mst_request_spec spec = {
        .method = MST_GET,
        .path = mst_buf_span(&path),
        .timeout_ms = TIMEOUT_MS,
        .done = answered,
        .ctx = list,
    };
    list->state = LIST_ASKS;
    list->request = mst_client_send(list->snapshot->options.client, &spec);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    ask(ctx);
}

static void start_some(struct mst_snapshot *s)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < s->lists.n; i++)
        busy += s->lists.v[i].state == LIST_ASKS || s->lists.v[i].state == LIST_SLEEPS;
    for (uint32_t i = 0; i < s->lists.n && busy < AT_ONCE; i++) {
        if (s->lists.v[i].state != LIST_WAITS)
            continue;
        ask(&s->lists.v[i]);
        busy++;
    }
}

static void on_begin(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    start_some(ctx);
}

/* ---- life ---- */

static void add_list(struct mst_snapshot *s, const struct mst_followed *places, uint32_t count)
{
    mst_vec_push(&s->lists, (struct list){ .snapshot = s, .places = places, .place_count = count });
}

struct mst_snapshot *mst_snapshot_new(const struct mst_snapshot_options *options)
{
    struct mst_snapshot *s = mst_calloc(1, sizeof(*s));
    uint32_t count;
    s->options = *options;
    const struct mst_followed *fixed = mst_followed_fixed(&count);
    for (uint32_t i = 0; i < count; i++)
        add_list(s, &fixed[i], 1);
    const struct mst_followed *groups = mst_followed_groups(&count);
    add_list(s, groups, count);
    add_list(s, mst_followed_composites(), 1);
    add_list(s, mst_followed_classes(), 1);
    /* Lists are borrowed by timers and requests: the vector does not grow from here on. */
    for (uint32_t i = 0; i < s->lists.n; i++) {
        s->lists.v[i].timer = evtimer_new(options->loop, on_timer, &s->lists.v[i]);
        mst_assert(s->lists.v[i].timer);
    }
    s->stats.kinds = s->lists.n;
    s->begin = evtimer_new(options->loop, on_begin, s);
    mst_assert(s->begin);
    evtimer_add(s->begin, &(struct timeval){ 0 });
    return s;
}

void mst_snapshot_free(struct mst_snapshot *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->lists.n; i++) {
        struct list *list = &s->lists.v[i];
        stop_list(list);
        event_free(list->timer);
        drop_pages(list);
        mst_vec_done(&list->pages);
        mst_buf_done(&list->next);
    }
    mst_vec_done(&s->lists);
    event_free(s->begin);
    mst_vec_done(&s->documents);
    mst_vec_done(&s->notes);
    mst_arena_done(&s->arena);
    mst_free(s);
}

const struct mst_snapshot_document *mst_snapshot_documents(const struct mst_snapshot *s,
                                                           uint32_t *ret_count)
{
    *ret_count = s->documents.n;
    return s->documents.v;
}

const struct mst_str *mst_snapshot_notes(const struct mst_snapshot *s, uint32_t *ret_count)
{
    *ret_count = s->notes.n;
    return s->notes.v;
}

struct mst_snapshot_stats mst_snapshot_stats_of(const struct mst_snapshot *s)
{
    return s->stats;
}
