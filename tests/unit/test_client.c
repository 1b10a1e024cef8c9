/* Many requests: their order, the rate, cancelling, what is given back. */
#include "client/client_internal.h"
#include "client_rig.h"

static const struct rig_answer answers[] = {
    { "/ok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", RIG_KEEP },
    { "/hang", NULL, RIG_HANG },
    { "/nothing", NULL, RIG_CLOSE },
    { "/half", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", RIG_CLOSE },
    { "/gone", "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", RIG_KEEP },
    { "/stream", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n", RIG_HANG },
};

static struct mst_request_handle *send_to(struct rig *rig, const char *path, struct rig_reply *kept)
{
    const struct mst_request_spec spec = { .path = mst_str_of(path),
                                           .done = rig_done,
                                           .ctx = kept };
    return mst_client_send(rig->client, &spec);
}

static void test_client_counts(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r[3] = { 0 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    t_int(t, mst_client_pending(rig.client), 0);
    for (int i = 0; i < 3; i++)
        send_to(&rig, "/ok", &r[i]);
    t_int(t, mst_client_pending(rig.client), 3);
    t_int(t, r[0].told + r[1].told + r[2].told, 0);
    rig_run(&rig, 0);
    t_int(t, mst_client_pending(rig.client), 0);
    for (int i = 0; i < 3; i++) {
        t_int(t, r[i].told, 1);
        t_int(t, r[i].status, 200);
        rig_reply_done(&r[i]);
    }
    rig_end(&rig);
}

/* ---- many ---- */

struct flow {
    struct rig *rig;
    uint32_t left, ok, wrong;
};

static void flow_done(void *ctx, const struct mst_reply *reply)
{
    struct flow *flow = ctx;
    *(reply->status == 200 && mst_str_is(reply->body, "{}") ? &flow->ok : &flow->wrong) += 1;
    if (!flow->left)
        return;
    flow->left--;
    const struct mst_request_spec spec = { .path = MST_STR("/ok"), .done = flow_done, .ctx = ctx };
    mst_client_send(flow->rig->client, &spec);
}

static void test_client_many(struct mst_test *t)
{
    struct rig rig;
    struct flow flow = { .rig = &rig, .left = 2000 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    const struct mst_request_spec spec = { .path = MST_STR("/ok"),
                                           .done = flow_done,
                                           .ctx = &flow };
    for (int i = 0; i < 20; i++)
        mst_client_send(rig.client, &spec);
    rig_run(&rig, 0);
    t_int(t, flow.ok, 2020);
    t_int(t, flow.wrong, 0);
    t_ok(t, rig.connections <= 20); /* kept */
    t_int(t, rig.client->answers_due, 0);
    rig_end(&rig);
}

/* More than libcurl is given at once, and more than the pool keeps. */
static void test_client_crowd(struct mst_test *t)
{
    struct rig rig;
    struct flow flow = { .rig = &rig };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    const struct mst_request_spec spec = { .path = MST_STR("/ok"),
                                           .done = flow_done,
                                           .ctx = &flow };
    for (int i = 0; i < 1500; i++)
        mst_client_send(rig.client, &spec);
    rig_run(&rig, 0);
    t_int(t, flow.ok + flow.wrong, 1500);
    t_int(t, mst_client_pending(rig.client), 0);
    rig_end(&rig);
}

/* ---- the rate ---- */

static void test_client_rate(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r[5] = { 0 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.options.qps = 0.001; /* the next one comes after the test */
    rig.options.burst = 2;
    rig_client(&rig);
    struct mst_request_handle *held = NULL;
    for (int i = 0; i < 4; i++)
        held = send_to(&rig, "/ok", &r[i]);
    const struct mst_request_spec urgent = {
        .path = MST_STR("/ok"), .urgent = true, .done = rig_done, .ctx = &r[4]
    };
    mst_client_send(rig.client, &urgent);
    while (r[0].told + r[1].told + r[4].told < 3)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    t_int(t, r[0].told, 1);
    t_int(t, r[1].told, 1);
    t_int(t, r[2].told, 0);
    t_int(t, r[3].told, 0);
    t_int(t, r[4].told, 1);
    t_int(t, mst_client_pending(rig.client), 2);
    mst_client_cancel(rig.client, held);
    t_int(t, mst_client_pending(rig.client), 1);
    for (int i = 0; i < 5; i++)
        rig_reply_done(&r[i]);
    rig_end(&rig);
}

static void test_client_rate_goes_on(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r[4] = { 0 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.options.qps = 200;
    rig.options.burst = 1;
    rig_client(&rig);
    for (int i = 0; i < 4; i++)
        send_to(&rig, "/ok", &r[i]);
    rig_run(&rig, 0);
    for (int i = 0; i < 4; i++) {
        t_int(t, r[i].status, 200);
        rig_reply_done(&r[i]);
    }
    rig_end(&rig);
}

/* ---- what is seen ---- */

static void note_seen(void *ctx, const struct mst_request_seen *seen)
{
    struct mst_buf *out = ctx;
    mst_buf_printf(out, "%s %d%s%s %llu %llu\n", seen->method, seen->status,
                   seen->limited_ns < 0 ? "" : " limited", seen->took_ns < 0 ? " endless" : "",
                   (unsigned long long)seen->sent_bytes, (unsigned long long)seen->got_bytes);
    mst_assert(seen->server.n && seen->took_ns < INT64_C(60) * 1000000000);
}

static void test_client_seen(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r = { 0 }, watch = { 0 };
    MST_AUTO(mst_buf) seen = { 0 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.options.qps = 1000;
    rig.options.burst = 10;
    rig.options.seen = note_seen;
    rig.options.seen_ctx = &seen;
    rig_client(&rig);
    const struct mst_request_spec specs[] = {
        { .method = MST_POST, .path = MST_STR("/ok"), .body = MST_STR("12345") },
        { .path = MST_STR("/ok"), .urgent = true },
        { .path = MST_STR("/nothing"), .urgent = true },
        { .path = MST_STR("/half"), .urgent = true },
        { .path = MST_STR("/ok"), .urgent = true, .endless = true },
        { .path = MST_STR("/gone"), .urgent = true, .endless = true },
    };
    for (size_t i = 0; i < MST_COUNT(specs); i++) {
        rig_ask(&rig, specs[i], &r);
        rig_reply_done(&r);
    }
    t_str(t, mst_buf_span(&seen),
          "POST 200 limited 5 2\nGET 200 0 2\nGET 0 0 0\nGET 200 0 3\n"
          "GET 200 endless 0 0\nGET 410 endless 0 0\n");
    /* A watch is seen when it begins; one that is cancelled after that, or before, not again. */
    seen.n = 0;
    const struct mst_request_spec stream = { .path = MST_STR("/stream"),
                                             .urgent = true,
                                             .endless = true,
                                             .data = rig_data,
                                             .done = rig_done,
                                             .ctx = &watch };
    struct mst_request_handle *under_way = mst_client_send(rig.client, &stream);
    while (!watch.data.n)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    mst_client_cancel(rig.client, under_way);
    mst_client_cancel(rig.client, send_to(&rig, "/ok", &watch));
    t_str(t, mst_buf_span(&seen), "GET 200 endless 0 0\n");
    rig_reply_done(&watch);
    rig_end(&rig);
}

/* ---- cancelling ---- */

static void test_client_cancel(struct mst_test *t)
{
    struct rig rig;
    struct rig_reply r[3] = { 0 };
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    /* Before it started, then on its way. */
    mst_client_cancel(rig.client, send_to(&rig, "/ok", &r[0]));
    t_int(t, mst_client_pending(rig.client), 0);
    struct mst_request_handle *slow = send_to(&rig, "/hang", &r[1]);
    while (!rig.requests)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    t_int(t, mst_client_pending(rig.client), 1);
    t_int(t, rig.client->answers_due, 1);
    mst_client_cancel(rig.client, slow);
    t_int(t, mst_client_pending(rig.client), 0);
    t_int(t, rig.client->answers_due, 0);
    send_to(&rig, "/ok", &r[2]);
    rig_run(&rig, 0);
    t_int(t, r[0].told, 0);
    t_int(t, r[1].told, 0);
    t_int(t, r[2].status, 200);
    rig_reply_done(&r[2]);
    rig_end(&rig);
}

struct canceller {
    struct rig *rig;
    struct mst_request_handle *victims[2];
    uint32_t told, pieces;
    bool go_on;
};

static void cancel_all(struct canceller *c)
{
    for (size_t i = 0; i < MST_COUNT(c->victims); i++)
        if (c->victims[i])
            mst_client_cancel(c->rig->client, c->victims[i]);
    memset(c->victims, 0, sizeof(c->victims));
}

static void cancelling_done(void *ctx, const struct mst_reply *reply)
{
    (void)reply;
    struct canceller *c = ctx;
    c->told++;
    cancel_all(c);
}

static bool cancelling_data(void *ctx, struct mst_str bytes)
{
    (void)bytes;
    struct canceller *c = ctx;
    c->pieces++;
    cancel_all(c);
    return c->go_on;
}

static void unexpected(void *ctx, const struct mst_reply *reply)
{
    (void)ctx, (void)reply;
    mst_assert(!"a cancelled request is told of");
}

static void test_client_cancel_from_done(struct mst_test *t)
{
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig_client(&rig);
    struct canceller c = { .rig = &rig };
    const struct mst_request_spec first = { .path = MST_STR("/ok"),
                                            .done = cancelling_done,
                                            .ctx = &c };
    const struct mst_request_spec other = { .path = MST_STR("/hang"), .done = unexpected };
    mst_client_send(rig.client, &first);
    c.victims[0] = mst_client_send(rig.client, &other);
    c.victims[1] = mst_client_send(rig.client, &other);
    rig_run(&rig, 0);
    t_int(t, c.told, 1);
    t_int(t, mst_client_pending(rig.client), 0);
    rig_end(&rig);
}

/* From within libcurl: the request itself, others, both; whatever `data` answers then. */
static void test_client_cancel_from_data(struct mst_test *t)
{
    for (int round = 0; round < 8; round++) {
        struct rig rig;
        rig_begin(&rig, answers, MST_COUNT(answers));
        rig_client(&rig);
        const bool itself = round & 1, other_too = round & 2;
        struct canceller c = { .rig = &rig, .go_on = round & 4 };
        struct rig_reply after = { 0 };
        const struct mst_request_spec stream = { .path = MST_STR("/stream"),
                                                 .timeout_ms = -1,
                                                 .data = cancelling_data,
                                                 .done = itself ? unexpected : cancelling_done,
                                                 .ctx = &c };
        const struct mst_request_spec other = { .path = MST_STR("/hang"), .done = unexpected };
        struct mst_request_handle *handle = mst_client_send(rig.client, &stream);
        c.victims[0] = itself ? handle : NULL;
        c.victims[1] = other_too ? mst_client_send(rig.client, &other) : NULL;
        while (!c.pieces)
            event_base_loop(rig.loop, EVLOOP_ONCE);
        if (!itself && c.go_on)
            mst_client_cancel(rig.client, handle);
        send_to(&rig, "/ok", &after);
        rig_run(&rig, 0);
        t_int(t, c.pieces, 1);
        t_int(t, c.told, !itself && !c.go_on);
        t_int(t, after.status, 200);
        t_int(t, mst_client_pending(rig.client), 0);
        rig_reply_done(&after);
        rig_end(&rig);
    }
}

/* With requests in every state; nobody is told. */
static void test_client_free_while_busy(struct mst_test *t)
{
    struct rig rig;
    rig_begin(&rig, answers, MST_COUNT(answers));
    rig.options.qps = 0.001;
    rig.options.burst = 1;
    rig_client(&rig);
    const struct mst_request_spec slow = { .path = MST_STR("/hang"), .done = unexpected };
    mst_client_send(rig.client, &slow);
    while (!rig.requests)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    mst_client_send(rig.client, &slow);
    rig_run(&rig, 5);
    t_int(t, mst_client_pending(rig.client), 2);
    mst_client_send(rig.client, &slow);
    rig_end(&rig);
    mst_client_free(NULL);
}

static void test_client_refuses_to_start(struct mst_test *t)
{
    static const struct {
        struct mst_connection connection;
        const char *error;
    } cases[] = {
        { { .server = { "", 0 } }, "is no URL; want https://HOST:PORT" },
        { { .server = { "ftp://h", 7 } }, "is no URL" },
        { { .server = { "https://h:x", 11 } }, "is no URL" },
        { { .server = { "https://h", 9 }, .ca_pem = { "x", 1 } }, "certificate-authority: no" },
        { { .server = { "https://h", 9 }, .cert_pem = { "x", 1 } }, "client-certificate: no" },
        { { .server = { "https://h", 9 }, .token = { "a\nb", 3 } }, "token: has a control" },
        { { .server = { "https://h", 9 }, .impersonate_user = { "a\rb", 3 } },
          "as: has a control" },
    };
    struct event_base *loop = event_base_new();
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_client *client = NULL;
        struct mst_err err = { 0 };
        const struct mst_client_options options = { .loop = loop,
                                                    .connection = &cases[i].connection };
        t_case(t, cases[i].error);
        t_int(t, mst_client_new(&options, &client, &err), MST_EINVAL);
        t_ok(t, strstr(err.text, cases[i].error));
        t_ok(t, !client);
    }
    event_base_free(loop);
}

MST_TEST_MAIN(T(test_client_counts), T(test_client_many), T(test_client_crowd), T(test_client_rate),
              T(test_client_rate_goes_on), T(test_client_seen), T(test_client_cancel),
              T(test_client_cancel_from_done), T(test_client_cancel_from_data),
              T(test_client_free_while_busy), T(test_client_refuses_to_start))
