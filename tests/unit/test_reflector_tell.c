/*
 * What a reflector tells while its server misbehaves in every way that servers do: in the end what
 * was told is what there is, and on the way every single thing told was possible.
 *
 * The server is a few pods, their whole history, and a version before which it has forgotten.
 * Replies come in pieces of any size, are cut anywhere, or do not come.
 */
#include <stdio.h>

#include "base/rng.h"
#include "client/reflector.h"
#include "fake_client.h"
#include "tap.h"

enum { NAMES = 12, STEPS = 3000, SEEDS = 12, PAGE = 3, SOON_MS = 2000 };

/* One version of one pod; `uid` 0: it was deleted, or never there. */
struct change {
    uint32_t name, uid, uid_before;
};

struct told {
    uint32_t uid;
    uint64_t version;
};

struct world {
    struct mst_test *t;
    struct mst_client client;
    struct mst_rng rng;
    MST_VEC(struct change) history; /* version v is history.v[v - 1] */
    uint32_t uids;
    uint64_t forgotten; /* versions up to this one cannot be watched from, or listed at */
    uint64_t cache;     /* lists are no older than this */
    bool calm;          /* no more changes or faults */
    bool optional;      /* 403 and 404 mean that there is nothing */

    /* the reply under way */
    struct mst_request_handle *request;
    struct mst_buf out; /* what it has still to say, from `out_at` */
    size_t out_at;
    uint64_t watched; /* versions up to this one are in `out`; for watches */
    bool is_watch;

    struct mst_syms *syms;
    struct mst_api api;
    struct told told[NAMES];
    uint32_t sets, gones, syncs;
};

static uint32_t below(struct world *w, uint32_t bound)
{
    return (uint32_t)mst_rng_below(&w->rng, bound);
}

static bool chance(struct world *w, uint32_t percent)
{
    return !w->calm && below(w, 100) < percent;
}

static uint64_t now(const struct world *w)
{
    return w->history.n;
}

/* ---- the server's state ---- */

/* The pod's UID and version at a version of the server; UID 0: there is none. */
static struct told at(const struct world *w, uint32_t name, uint64_t version)
{
    for (uint64_t v = version; v > 0; v--)
        if (w->history.v[v - 1].name == name)
            return (struct told){ w->history.v[v - 1].uid, v };
    return (struct told){ 0 };
}

static void change(struct world *w)
{
    const uint32_t name = below(w, NAMES);
    const uint32_t before = at(w, name, now(w)).uid;
    uint32_t uid = before;
    if (!before)
        uid = ++w->uids;
    else if (below(w, 3) == 0)
        uid = 0;
    mst_vec_push(&w->history, (struct change){ name, uid, before });
}

static void forget(struct world *w)
{
    w->forgotten += mst_rng_below(&w->rng, now(w) - w->forgotten + 1);
    w->cache = MST_MAX(w->cache, w->forgotten);
}

/* ---- what is told ---- */

static uint32_t number_of(struct mst_str s)
{
    uint32_t x = 0;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] >= '0' && s.p[i] <= '9')
            x = x * 10 + (uint32_t)(s.p[i] - '0');
    return x;
}

static void check_place(struct world *w, const struct mst_object *object, uint32_t name)
{
    char ns[16];
    snprintf(ns, sizeof(ns), "ns%u", name % 3);
    t_int(w->t, object->kind, MST_KIND_POD);
    t_str(w->t, mst_sym_str(w->syms, object->u.meta.namespace_), ns);
    t_ok(w->t, name < NAMES);
}

static void on_set(void *ctx, const struct mst_object *object)
{
    struct world *w = ctx;
    const uint32_t name = number_of(object->u.meta.name), uid = number_of(object->u.meta.uid);
    const uint64_t version = number_of(object->u.meta.resource_version);
    check_place(w, object, name);
    struct told *told = &w->told[name % NAMES];
    t_ok(w->t, told->uid == 0 || told->uid == uid);
    t_ok(w->t, version > told->version);
    const struct told real = at(w, name, version);
    t_ok(w->t, real.uid == uid && real.version == version);
    *told = real;
    w->sets++;
}

static void on_gone(void *ctx, const struct mst_object *object)
{
    struct world *w = ctx;
    const uint32_t name = number_of(object->u.meta.name), uid = number_of(object->u.meta.uid);
    check_place(w, object, name);
    struct told *told = &w->told[name % NAMES];
    t_ok(w->t, told->uid && told->uid == uid);
    const struct told real = at(w, name, now(w));
    t_ok(w->t, real.uid != uid || w->optional); /* it is gone indeed */
    told->uid = 0;
    if (w->optional)
        told->version = 0;
    w->gones++;
}

static void on_synced(void *ctx)
{
    struct world *w = ctx;
    w->syncs++;
}

/* ---- replies ---- */

static void add_meta(struct world *w, uint32_t name, uint32_t uid, uint64_t version)
{
    /* UIDs that are written as usual, and others */
    mst_buf_printf(&w->out,
                   uid % 2 ? "\"metadata\":{\"name\":\"p%u\",\"namespace\":\"ns%u\",\"uid\":"
                             "\"00000000-0000-0000-0000-00000000%04u\","
                             "\"resourceVersion\":\"%llu\",\"labels\":{\"a\":\"]}\\\"{[\"}}"
                           : "\"metadata\":{\"resourceVersion\":\"%4$llu\",\"uid\":\"u%3$u\","
                             "\"namespace\":\"ns%2$u\",\"name\":\"p%1$u\"}",
                   name, name % 3, uid, (unsigned long long)version);
}

static void add_event(struct world *w, const char *type, uint32_t name, uint32_t uid,
                      uint64_t version)
{
    mst_buf_printf(&w->out, "{\"type\":\"%s\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",",
                   type);
    add_meta(w, name, uid, version);
    mst_buf_text(&w->out, "}}\n");
}

static void add_bookmark(struct world *w, uint64_t version, bool end)
{
    mst_buf_text(&w->out, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":"
                          "\"v1\",\"metadata\":{");
    if (end)
        mst_buf_text(&w->out, "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},");
    mst_buf_printf(&w->out, "\"resourceVersion\":\"%llu\"}}}\n", (unsigned long long)version);
}

static void add_error(struct world *w, int code)
{
    mst_buf_printf(&w->out,
                   "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":%d,\"message\":"
                   "\"no\",\"reason\":\"Because\"}}\n",
                   code);
}

static void add_changes(struct world *w)
{
    while (w->watched < now(w)) {
        const struct change *c = &w->history.v[w->watched++];
        const char *type = !c->uid ? "DELETED" : c->uid_before ? "MODIFIED" : "ADDED";
        add_event(w, type, c->name, c->uid ? c->uid : c->uid_before, w->watched);
        if (chance(w, 10))
            add_bookmark(w, w->watched, false);
    }
}

static bool query(const struct mst_request_handle *h, const char *name, struct mst_str *out)
{
    char pattern[40];
    snprintf(pattern, sizeof(pattern), "%s=", name);
    const char *p = strstr(h->path.p, pattern);
    if (!p)
        return false;
    p += strlen(pattern);
    *out = (struct mst_str){ p, strcspn(p, "&") };
    return true;
}

/* Pods of one version, from the `from`th name on, at most `limit`. */
static void add_list(struct world *w, uint64_t version, uint32_t from, uint32_t limit)
{
    uint32_t count = 0, name = from;
    mst_buf_text(&w->out, "{\"kind\":\"PodList\",\"items\":[");
    for (; name < NAMES && count < limit; name++) {
        const struct told pod = at(w, name, version);
        if (!pod.uid)
            continue;
        mst_buf_text(&w->out, count++ ? ", {" : "{");
        add_meta(w, name, pod.uid, pod.version);
        mst_buf_text(&w->out, ",\"spec\":{}}");
    }
    mst_buf_printf(&w->out, "],\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%llu\"",
                   (unsigned long long)version);
    if (name < NAMES)
        mst_buf_printf(&w->out, ",\"continue\":\"%llu-%u\"", (unsigned long long)version, name);
    mst_buf_text(&w->out, "}}\n");
}

static uint64_t some_version(struct world *w, uint64_t least)
{
    w->cache = MST_MAX(w->cache, least);
    if (!w->calm)
        w->cache += mst_rng_below(&w->rng, now(w) - w->cache + 1);
    w->cache = MST_MAX(w->cache, UINT64_C(1)); /* 0 is no version */
    return w->cache;
}

/* False: the answer is 410. */
static bool begin_list(struct world *w, const struct mst_request_handle *h)
{
    struct mst_str text, limit_text;
    const bool paged = query(h, "limit", &limit_text);
    const uint32_t limit = paged && below(w, 8) ? number_of(limit_text) : NAMES;
    if (query(h, "continue", &text)) {
        const char *dash = memchr(text.p, '-', text.n);
        const uint64_t version = number_of((struct mst_str){ text.p, (size_t)(dash - text.p) });
        if (version < w->forgotten)
            return false;
        add_list(w, version, number_of((struct mst_str){ dash + 1, 2 }), limit);
        return true;
    }
    const uint64_t least = query(h, "resourceVersion", &text) ? number_of(text) : now(w);
    add_list(w, some_version(w, least), 0, limit);
    return true;
}

static bool begin_watch(struct world *w, const struct mst_request_handle *h)
{
    struct mst_str text;
    const uint64_t from = query(h, "resourceVersion", &text) ? number_of(text) : now(w);
    w->is_watch = true;
    if (query(h, "sendInitialEvents", &text)) {
        w->watched = some_version(w, from);
        for (uint32_t name = 0; name < NAMES; name++) {
            const struct told pod = at(w, name, w->watched);
            if (pod.uid)
                add_event(w, "ADDED", name, pod.uid, pod.version);
        }
        add_bookmark(w, w->watched, true);
        return true;
    }
    if (from < w->forgotten && below(w, 2))
        return false;
    if (from < w->forgotten)
        add_error(w, 410);
    w->watched = from < w->forgotten ? now(w) : from;
    return true;
}

/* An answer without a body, to begin with. */
static bool refuse(struct world *w, struct mst_request_handle *h)
{
    static const int statuses[] = { 429, 500, 503, 504, 504, 504, 410, 400, 401, 403, 404 };
    static const mst_net nets[] = { MST_NET_REFUSED, MST_NET_TIMEOUT, MST_NET_BROKEN, MST_NET_TLS,
                                    MST_NET_AUTH };
    if (chance(w, 10))
        fake_fail(h, nets[below(w, MST_COUNT(nets))]);
    else if (chance(w, 10))
        fake_answer(h, statuses[below(w, MST_COUNT(statuses))], "Too large resource version: 9");
    else
        return false;
    return true;
}

static void begin(struct world *w, struct mst_request_handle *h)
{
    struct mst_str text;
    if (refuse(w, h))
        return;
    w->out.n = w->out_at = 0;
    w->is_watch = false;
    const bool ok = query(h, "watch", &text) ? begin_watch(w, h) : begin_list(w, h);
    if (!ok)
        fake_answer(h, 410, "too old");
    else
        w->request = h;
}

/* ---- a step of the server ---- */

static void deliver(struct world *w)
{
    const size_t left = w->out.n - w->out_at;
    const size_t piece = 1 + below(w, chance(w, 50) ? 20 : 2000);
    const size_t n = MST_MIN(left, piece);
    if (chance(w, 3)) { /* cut, wherever it is */
        struct mst_request_handle *h = w->request;
        w->request = NULL;
        if (chance(w, 50))
            fake_fail(h, MST_NET_BROKEN);
        else
            fake_answer(h, 200, "");
        return;
    }
    if (n && !fake_bytes(w->request, (struct mst_str){ w->out.p + w->out_at, n })) {
        w->request = NULL;
        return;
    }
    w->out_at += n;
    if (w->out_at < w->out.n)
        return;
    if (!w->is_watch) {
        struct mst_request_handle *h = w->request;
        w->request = NULL;
        fake_answer(h, 200, "");
    } else if (chance(w, 4)) {
        static const int codes[] = { 410, 429, 500, 503, 0 };
        add_error(w, codes[below(w, MST_COUNT(codes))]);
    } else if (chance(w, 2)) {
        mst_buf_text(&w->out, "{\"type\":\"ADDED\",\"obj}\"}\n");
    } else {
        add_changes(w);
    }
}

static void step(struct world *w)
{
    if (chance(w, 20))
        change(w);
    if (chance(w, 5))
        forget(w);
    if (!w->request) {
        struct mst_request_handle *h = fake_next(&w->client, SOON_MS);
        mst_assert(h);
        begin(w, h);
    } else {
        deliver(w);
    }
}

static bool at_rest(const struct world *w)
{
    return w->request && w->is_watch && w->watched == now(w) && w->out_at == w->out.n;
}

static void run(struct mst_test *t, uint64_t seed, bool watch_list)
{
    struct world w = { .t = t, .syms = mst_syms_new(), .optional = seed % 3 == 0 };
    mst_rng_init(&w.rng, seed);
    fake_init(&w.client);
    w.api.syms = w.syms;
    change(&w);
    struct mst_reflector *r =
        mst_reflector_new(&(struct mst_reflector_options){ .loop = w.client.loop,
                                                           .client = &w.client,
                                                           .api = &w.api,
                                                           .kind = MST_KIND_POD,
                                                           .path = "/api/v1/pods",
                                                           .page = PAGE,
                                                           .watch_list = watch_list,
                                                           .optional = w.optional,
                                                           .backoff_min_ms = 1,
                                                           .backoff_max_ms = 1,
                                                           .seed = seed,
                                                           .set = on_set,
                                                           .gone = on_gone,
                                                           .synced = on_synced,
                                                           .ctx = &w });
    for (uint32_t i = 0; i < STEPS; i++)
        step(&w);
    w.calm = true;
    for (uint32_t i = 0; i < STEPS && !at_rest(&w); i++)
        step(&w);
    t_ok(t, at_rest(&w));
    uint32_t count = 0;
    for (uint32_t name = 0; name < NAMES; name++) {
        const struct told real = at(&w, name, now(&w));
        t_int(t, w.told[name].uid, real.uid);
        if (real.uid)
            t_int(t, w.told[name].version, real.version);
        count += real.uid != 0;
    }
    t_int(t, mst_reflector_count(r), count);
    t_int(t, w.syncs, 1);
    t_ok(t, w.sets > 50 && w.gones > 5);
    const struct mst_reflector_stats stats = mst_reflector_stats_of(r);
    t_ok(t, stats.lists > 3 || watch_list);
    t_ok(t, stats.watches > 3);
    mst_reflector_free(r);
    fake_done(&w.client);
    mst_syms_free(w.syms);
    mst_vec_done(&w.history);
    mst_buf_done(&w.out);
}

static void test_tell_faults(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char name[40];
        snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
        t_case(t, name);
        run(t, seed, seed % 2 == 0);
    }
}

MST_TEST_MAIN(T(test_tell_faults))
