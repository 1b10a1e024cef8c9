/*
 * Random effects against a small API server that is moody: it answers late and in any order, says
 * 429 and 500, loses answers of what it did, loses requests, deletes and recreates pods meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "writer_helper.h"

enum { PODS = 12, STEPS = 1500, EFFECTS_MAX = STEPS + 1, NODES = 3, PARALLEL = 5 };

#define ASSIGNED "pod is already assigned to a node"

/* A pod of the server. */
struct served {
    bool live;
    uint32_t generation; /* the UID is "u<generation>" */
    int node;            /* -1: none */
    int message;         /* of its condition; -1: none */
    uint32_t binds;      /* that took effect on this generation */
};

struct wish {
    mst_effect_kind kind;
    uint32_t pod, generation;
    int node, message;
    uint32_t answers;
    bool done, gone, took_effect;
};

struct world {
    struct rig rig;
    struct mst_test *t;
    struct mst_rng rng;
    struct served pods[PODS];
    struct wish wishes[EFFECTS_MAX];
    uint32_t wish_count;
    uint32_t failures; /* moods so far */
    bool calm;         /* no moods any more */
};

static uint64_t draw(struct world *w, uint64_t below)
{
    return mst_rng_below(&w->rng, below);
}

static void take_answer(void *ctx, const struct mst_event *event)
{
    struct world *w = ctx;
    mst_assert(!w->rig.inside);
    t_ok(w->t, event->effect_id < w->wish_count);
    struct wish *wish = &w->wishes[event->effect_id];
    wish->answers++;
    wish->done = event->kind == MST_EVENT_EFFECT_DONE;
    wish->gone = event->gone;
    t_ok(w->t, wish->done || event->reason.n);
    const struct served *pod = &w->pods[wish->pod];
    if (mst_str_is(event->reason, ASSIGNED) && pod->live && pod->generation == wish->generation)
        t_ok(w->t, !wish->took_effect); /* it was us who assigned it */
}

static const char *find(const struct mst_request_handle *h, const char *key)
{
    const char *at = strstr(h->text.p, key);
    return at ? at + strlen(key) : NULL;
}

/* "pod-7" below pods/ */
static uint32_t pod_of(const struct mst_request_handle *h)
{
    const char *at = find(h, "/pods/pod-");
    mst_assert(at);
    return (uint32_t)strtoul(at, NULL, 10);
}

static bool right_uid(const struct world *w, const struct mst_request_handle *h)
{
    const char *at = find(h, "\"uid\":\"u");
    mst_assert(at);
    return (uint32_t)strtoul(at, NULL, 10) == w->pods[pod_of(h)].generation;
}

/* ---- the server ---- */

/* The earliest wish for the pod that is not answered: no other may be worked on. */
static struct wish *wish_of(struct world *w, mst_effect_kind kind, uint32_t pod)
{
    for (uint32_t i = 1; i < w->wish_count; i++) {
        struct wish *wish = &w->wishes[i];
        if (wish->kind == MST_EFFECT_POD_STATUS || wish->pod != pod || wish->answers)
            continue;
        t_int(w->t, wish->kind, kind);
        return wish;
    }
    t_fail(w->t, "a request that nobody wants");
    return &w->wishes[0];
}

static struct mst_reply serve_bind(struct world *w, const struct mst_request_handle *h)
{
    struct served *pod = &w->pods[pod_of(h)];
    struct wish *wish = wish_of(w, MST_EFFECT_BIND, pod_of(h));
    const int node = (int)strtol(find(h, "\"name\":\"node-"), NULL, 10);
    t_int(w->t, wish->node, node);
    if (!right_uid(w, h))
        return rig_status(409, "Precondition failed: UID in precondition: x");
    if (pod->node >= 0)
        return rig_status(409, ASSIGNED);
    pod->node = node;
    pod->binds++;
    wish->took_effect = true;
    return rig_status(201, NULL);
}

static struct mst_reply serve_get(const struct world *w, const struct mst_request_handle *h,
                                  struct mst_buf *body)
{
    const struct served *pod = &w->pods[pod_of(h)];
    mst_buf_printf(body, "{\"metadata\":{\"uid\":\"u%u\"},\"spec\":{", pod->generation);
    if (pod->node >= 0)
        mst_buf_printf(body, "\"nodeName\":\"node-%d\"", pod->node);
    mst_buf_text(body, "}}");
    struct mst_reply reply = rig_status(200, NULL);
    reply.body = mst_buf_span(body);
    return reply;
}

static struct mst_reply serve_patch(struct world *w, const struct mst_request_handle *h)
{
    struct served *pod = &w->pods[pod_of(h)];
    if (!right_uid(w, h))
        return rig_status(422, "Pod is invalid: metadata.uid: Invalid value: field is immutable");
    const char *message = find(h, "\"message\":\"m");
    mst_assert(message);
    const int number = (int)strtol(message, NULL, 10);
    t_ok(w->t, number >= pod->message); /* messages only grow; a repetition says the same */
    pod->message = number;
    return rig_status(200, NULL);
}

static struct mst_reply serve_delete(struct world *w, const struct mst_request_handle *h)
{
    struct served *pod = &w->pods[pod_of(h)];
    struct wish *wish = wish_of(w, MST_EFFECT_EVICT, pod_of(h));
    if (!right_uid(w, h))
        return rig_status(409, "the UID in the precondition (x) does not match");
    pod->live = false;
    wish->took_effect = true;
    return rig_status(200, NULL);
}

static struct mst_reply serve(struct world *w, const struct mst_request_handle *h,
                              struct mst_buf *body)
{
    if (!w->pods[pod_of(h)].live)
        return rig_status(404, "pods \"x\" not found");
    switch (h->spec.method) {
    case MST_GET: return serve_get(w, h, body);
    case MST_POST: return serve_bind(w, h);
    case MST_PATCH: return serve_patch(w, h);
    case MST_DELETE: return serve_delete(w, h);
    case MST_PUT: break;
    }
    mst_assert(!"a method that the writer uses");
    return rig_status(500, NULL);
}

/* Answers one request that is open, drawn among them. */
static void answer_one(struct world *w)
{
    const uint32_t n = w->rig.client.sent.n;
    uint32_t nth = (uint32_t)draw(w, w->rig.client.open), at = n;
    while (at--)
        if (w->rig.client.sent.v[at]->open && nth-- == 0)
            break;
    MST_AUTO(mst_buf) body = { 0 };
    const bool reads = w->rig.client.sent.v[at]->spec.method == MST_GET; /* always served */
    const uint64_t mood = w->calm || reads ? 9 : draw(w, 10);
    struct mst_reply reply;
    w->failures += mood < 5;
    if (mood >= 5 || mood == 0)
        reply = serve(w, w->rig.client.sent.v[at], &body);
    if (mood == 0) /* done, and the answer is lost */
        reply = rig_net(draw(w, 2) ? MST_NET_BROKEN : MST_NET_TIMEOUT);
    else if (mood == 1) /* the request is lost, and nobody knows */
        reply = rig_net(MST_NET_BROKEN);
    else if (mood < 5)
        reply = mood == 2   ? rig_net(MST_NET_REFUSED)
                : mood == 3 ? rig_status(429, "busy")
                            : rig_status(500, "error");
    rig_answer(&w->rig, at, &reply);
}

/* Requests that are open belong to different pods, and there are no more than allowed. */
static void check_open(struct world *w)
{
    uint32_t seen = 0;
    t_ok(w->t, w->rig.client.open <= PARALLEL);
    for (uint32_t i = w->rig.client.sent.n, left = w->rig.client.open; left && i--;) {
        const struct mst_request_handle *h = w->rig.client.sent.v[i];
        if (!h->open)
            continue;
        left--;
        t_ok(w->t, !(seen & 1u << pod_of(h)));
        seen |= 1u << pod_of(h);
    }
}

/* ---- what is wanted ---- */

static void want_one(struct world *w)
{
    const uint32_t pod = (uint32_t)draw(w, PODS), id = w->wish_count++;
    struct served *served = &w->pods[pod];
    MST_AUTO(mst_buf) texts = { 0 };
    mst_buf_printf(&texts, "pod-%u", pod);
    const size_t name_n = texts.n;
    mst_buf_printf(&texts, "u%u", served->generation);
    const size_t uid_n = texts.n - name_n;
    struct mst_effect e = rig_message(id, "", "");
    e.name = (struct mst_str){ texts.p, name_n };
    e.uid = (struct mst_str){ texts.p + name_n, uid_n };
    char message[24], node[24];
    snprintf(message, sizeof(message), "m%u", id);
    const int on = (int)draw(w, NODES);
    snprintf(node, sizeof(node), "node-%d", on);
    e.condition.message = mst_str_of(message);
    const uint64_t which = draw(w, 10);
    if (which < 5) {
        e.kind = MST_EFFECT_BIND;
        e.condition_set = false;
        e.node = mst_str_of(node);
    } else if (which == 5) {
        e.kind = MST_EFFECT_EVICT;
        e.condition_set = draw(w, 2);
    }
    w->wishes[id] = (struct wish){
        .kind = e.kind, .pod = pod, .generation = served->generation, .node = on, .message = (int)id
    };
    rig_want(&w->rig, e);
}

/* Others do things, too: a pod is deleted, or there is a new one of its name. */
static void meddle(struct world *w)
{
    struct served *pod = &w->pods[draw(w, PODS)];
    if (pod->live) {
        pod->live = draw(w, 3) != 0;
        return;
    }
    *pod = (struct served){
        .live = true, .generation = pod->generation + 1, .node = -1, .message = -1
    };
}

/* The pod was on the node that the wish names, by that wish or by one before it. */
static bool was_bound(const struct world *w, const struct wish *wish)
{
    for (const struct wish *before = w->wishes; before <= wish; before++)
        if (before->kind == MST_EFFECT_BIND && before->took_effect && before->pod == wish->pod &&
            before->generation == wish->generation && before->node == wish->node)
            return true;
    return false;
}

static void check_end(struct world *w)
{
    for (uint32_t i = 1; i < w->wish_count; i++) {
        const struct wish *wish = &w->wishes[i];
        const bool answered = wish->kind != MST_EFFECT_POD_STATUS;
        t_int(w->t, wish->answers, answered);
        if (wish->kind == MST_EFFECT_BIND && wish->done)
            t_ok(w->t, was_bound(w, wish));
        if (wish->kind == MST_EFFECT_EVICT && wish->took_effect && wish->done)
            t_ok(w->t, !wish->gone);
    }
    for (uint32_t i = 0; i < PODS; i++)
        t_ok(w->t, w->pods[i].binds <= 1);
}

static void run_seed(struct mst_test *t, uint64_t seed)
{
    struct world *w = mst_calloc(1, sizeof(*w));
    w->t = t;
    mst_rng_init(&w->rng, seed);
    rig_start(&w->rig, (struct mst_writer_options){ .parallel = PARALLEL,
                                                    .tries_max = 6,
                                                    .retry_min_ms = -1,
                                                    .answer = take_answer });
    for (uint32_t i = 0; i < PODS; i++)
        w->pods[i] = (struct served){ .live = true, .generation = 1, .node = -1, .message = -1 };
    w->wish_count = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint64_t which = draw(w, 10);
        if (which < 4)
            want_one(w);
        else if (which == 4)
            meddle(w);
        else if (w->rig.client.open)
            answer_one(w);
        else
            mst_assert(event_base_loop(w->rig.loop, EVLOOP_NONBLOCK) >= 0);
        check_open(w);
    }
    w->calm = true;
    while (mst_writer_pending(w->rig.writer)) {
        if (w->rig.client.open)
            answer_one(w);
        else
            mst_assert(event_base_loop(w->rig.loop, EVLOOP_ONCE) == 0);
    }
    check_end(w);
    t_ok(t, w->failures > 50 && mst_writer_stats_of(w->rig.writer).retries > 50);
    rig_stop(&w->rig, t);
    mst_free(w);
}

static void test_random_moody_server(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        char name[32];
        snprintf(name, sizeof(name), "seed %d", (int)seed);
        t_case(t, name);
        run_seed(t, seed);
    }
}

MST_TEST_MAIN(T(test_random_moody_server))
