/* Events: series, budget, yielding, dropping. */
#include "writer_helper.h"

#define MINUTE INT64_C(60000000000)
#define STRATEGIC "application/strategic-merge-patch+json"

static void test_events_series(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_event("p", "m"));
    rig_reply(&r, 0, 201, NULL);
    r.now_ns += MINUTE;
    rig_want(&r, rig_event("p", "m"));
    t_int(t, r.client.sent.n, 2);
    rig_mask_name(&r, 1, "/events/p.");
    t_sent(t, &r, 1,
           "PATCH /apis/events.k8s.io/v1/namespaces/ns/events/p.N " STRATEGIC
           " {\"series\":{\"count\":2,\"lastObservedTime\":\"2026-06-01T00:01:00.123456Z\"}}");
    rig_reply(&r, 1, 200, NULL);
    for (int i = 0; i < 3; i++)
        rig_want(&r, rig_event("p", "m")); /* counted, not told */
    t_int(t, r.client.sent.n, 2);
    rig_want(&r, rig_event("p", "another reason"));
    t_int(t, r.client.sent.n, 3);
    rig_reply(&r, 2, 201, NULL);
    /* Nothing more comes: what was counted is told at the end. */
    r.now_ns += 7 * MINUTE;
    rig_want(&r, rig_event("q", "m"));
    t_int(t, r.client.sent.n, 5);
    t_has(t, &r, 3,
          "{\"series\":{\"count\":5,\"lastObservedTime\":\"2026-06-01T00:01:00.123456Z\"}}");
    rig_reply(&r, 3, 200, NULL);
    rig_reply(&r, 4, 201, NULL);
    r.now_ns += 2 * MINUTE;
    rig_want(&r, rig_event("p", "m"));
    t_ok(t, !memcmp(r.client.sent.v[5]->text.p, "POST ", 5)); /* a new one */
    t_int(t, mst_writer_stats_of(r.writer).events_merged, 4);
    rig_stop(&r, t);
}

/* A series that goes on is told of every half hour. */
static void test_events_series_refresh(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_event("p", "m"));
    rig_reply(&r, 0, 201, NULL);
    for (int i = 1; i <= 30; i++) {
        r.now_ns += MINUTE + 1;
        rig_want(&r, rig_event("p", "m"));
        if (i == 1)
            rig_reply(&r, 1, 200, NULL);
    }
    t_int(t, r.client.sent.n, 2);
    r.now_ns += MINUTE + 1;
    rig_want(&r, rig_event("p", "m"));
    t_int(t, r.client.sent.n, 3);
    t_has(t, &r, 2, "{\"series\":{\"count\":32,");
    rig_stop(&r, t);
}

/* Repeated before it was sent at all: one request says both. */
static void test_events_series_before_sent(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
    rig_want(&r, rig_bind(1, "b", "n"));
    rig_want(&r, rig_event("p", "m"));
    rig_want(&r, rig_event("p", "m"));
    t_int(t, mst_writer_events_pending(r.writer), 1);
    rig_reply(&r, 0, 201, NULL);
    t_int(t, r.client.sent.n, 2);
    t_has(t, &r, 1, "\"series\":{\"count\":2,");
    rig_want(&r, rig_event("p", "m")); /* while it is under way */
    rig_reply(&r, 1, 201, NULL);
    t_int(t, r.client.sent.n, 2);
    rig_stop(&r, t);
}

/* Repeated while its first request is under way: the repetition is told right after. */
static void test_events_series_under_way(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_event("p", "m"));
    rig_want(&r, rig_event("p", "m"));
    t_int(t, r.client.sent.n, 1);
    rig_reply(&r, 0, 201, NULL);
    t_int(t, r.client.sent.n, 2);
    t_has(t, &r, 1, "{\"series\":{\"count\":2,");
    rig_reply(&r, 1, 200, NULL);
    t_int(t, r.client.sent.n, 2);
    rig_stop(&r, t);
}

static void test_events_yield(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 8 });
    rig_want(&r, rig_bind(1, "a", "n"));
    rig_want(&r, rig_bind(2, "b", "n"));
    rig_want(&r, rig_bind(3, "c", "n"));
    rig_want(&r, rig_event("p", "m"));
    t_int(t, r.client.sent.n, 3);
    rig_reply(&r, 0, 201, NULL);
    t_int(t, r.client.sent.n, 4); /* 2 of 8 are busy */
    for (int i = 0; i < 9; i++) {
        const char name[] = { (char)('q' + i), '\0' };
        rig_want(&r, rig_event(name, "m"));
    }
    t_int(t, r.client.sent.n, 7); /* four of them at most */
    t_int(t, mst_writer_events_pending(r.writer), 6);
    t_int(t, mst_writer_pending(r.writer), 2);
    rig_reply(&r, 4, 201, NULL);
    t_int(t, r.client.sent.n, 8);
    rig_stop(&r, t);
}

static void test_events_budget(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .events_qps = 20 });
    for (int i = 0; i < 26; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        rig_want(&r, rig_event(name, "m"));
        if (r.client.sent.n > (uint32_t)i)
            rig_reply(&r, (uint32_t)i, 201, NULL);
    }
    t_int(t, r.client.sent.n, 20); /* a second's worth at once, then with time */
    rig_wait(&r, 22);
    t_int(t, r.client.sent.n, 22);
    rig_stop(&r, t);
    rig_start(&r, (struct mst_writer_options){ .events_qps = -1 });
    rig_want(&r, rig_event("p", "m"));
    t_int(t, r.client.sent.n, 0);
    t_int(t, mst_writer_events_pending(r.writer), 0);
    rig_stop(&r, t);
}

static void test_events_oldest_dropped(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1, .events_max = 2 });
    rig_want(&r, rig_event("a", "m"));
    rig_reply(&r, 0, 201, NULL);
    rig_want(&r, rig_bind(1, "x", "n"));
    rig_want(&r, rig_event("b", "m"));
    rig_want(&r, rig_event("a", "m")); /* its series */
    rig_want(&r, rig_event("c", "m")); /* costs b */
    rig_want(&r, rig_event("d", "m")); /* costs what is to be said of a */
    t_int(t, mst_writer_stats_of(r.writer).events_dropped, 2);
    t_int(t, mst_writer_events_pending(r.writer), 2);
    rig_reply(&r, 1, 201, NULL);
    t_int(t, r.client.sent.n, 4);
    t_has(t, &r, 2, "\"name\":\"c.");
    t_has(t, &r, 3, "\"name\":\"d.");
    rig_reply(&r, 2, 201, NULL);
    rig_reply(&r, 3, 201, NULL);
    /* Two are remembered; the one that was told longest ago is new again. */
    rig_want(&r, rig_event("a", "m"));
    t_ok(t, !memcmp(r.client.sent.v[4]->text.p, "POST ", 5));
    rig_want(&r, rig_event("d", "m"));
    t_ok(t, !memcmp(r.client.sent.v[5]->text.p, "PATCH ", 6));
    rig_stop(&r, t);
}

static void test_events_failures(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_event("p", "m"));
    rig_want(&r, rig_event("q", "m"));
    rig_lose(&r, 0, MST_NET_BROKEN);
    rig_want(&r, rig_event("x", "m")); /* waits with it */
    t_int(t, r.client.sent.n, 2);
    rig_wait(&r, 4);
    t_has(t, &r, 2, "\"name\":\"p.");
    rig_reply(&r, 2, 409, "events.events.k8s.io \"p\" already exists"); /* it was us */
    rig_reply(&r, 1, 403, "the namespace is being terminated");
    t_int(t, mst_writer_stats_of(r.writer).events_dropped, 1);
    rig_want(&r, rig_event("p", "m"));
    t_has(t, &r, 4, "/events/p.");
    rig_reply(&r, 4, 404, "not found"); /* expired on the server: made anew */
    t_int(t, r.client.sent.n, 6);
    t_has(t, &r, 5, "\"series\":{\"count\":2,");
    rig_reply(&r, 5, 201, NULL);
    for (uint32_t i = 0, at = 3; i < 3; i++) { /* x is given up after three tries */
        rig_wait(&r, at + 1);
        rig_reply(&r, at, 500, "error");
        at = 6 + i;
    }
    t_int(t, mst_writer_stats_of(r.writer).events_dropped, 2);
    t_int(t, mst_writer_events_pending(r.writer), 0);
    rig_stop(&r, t);
}

MST_TEST_MAIN(T(test_events_series), T(test_events_series_refresh),
              T(test_events_series_before_sent), T(test_events_series_under_way),
              T(test_events_yield), T(test_events_budget), T(test_events_oldest_dropped),
              T(test_events_failures))
