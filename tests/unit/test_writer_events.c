/* Events: what they say, series, budget, yielding, dropping. */
#include "writer_helper.h"

#define MINUTE INT64_C(60000000000)
#define STRATEGIC "application/strategic-merge-patch+json"

static struct mst_effect event(const char *name, const char *note)
{
    return (struct mst_effect){ .kind = MST_EFFECT_EVENT,
                                .object_kind = MST_KIND_POD,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .type = MST_STR("Warning"),
                                .reason = MST_STR("FailedScheduling"),
                                .action = MST_STR("Scheduling"),
                                .note = mst_str_of(note) };
}

/* Where the text has `part`, or "" . */
static const char *after(const struct rig *r, uint32_t i, const char *part)
{
    const struct mst_str text = mst_buf_span(&r->client.sent.v[i]->text);
    const char *at = memmem(text.p, text.n, part, strlen(part));
    return at ? at + strlen(part) : "";
}

static bool has(const struct rig *r, uint32_t i, const char *part)
{
    const struct mst_str text = mst_buf_span(&r->client.sent.v[i]->text);
    return memmem(text.p, text.n, part, strlen(part));
}

#define t_has(t, r, i, part) t_ok((t), has((r), (i), (part)))

/* The name has 16 digits that the seed decides on; they are replaced by N to compare. */
static void mask_name(struct rig *r, uint32_t i, const char *before)
{
    char *at = (char *)after(r, i, before);
    mst_assert(*at);
    memmove(at + 1, at + 16,
            (size_t)(r->client.sent.v[i]->text.p + r->client.sent.v[i]->text.n - (at + 16)));
    *at = 'N';
    r->client.sent.v[i]->text.n -= 15;
}

static void test_events_body(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, event("p", "0/1 nodes are available"));
    t_int(t, r.client.sent.n, 1);
    mask_name(&r, 0, "\"name\":\"p.");
    t_sent(t, &r, 0,
           "POST /apis/events.k8s.io/v1/namespaces/ns/events {\"kind\":\"Event\","
           "\"apiVersion\":\"events.k8s.io/v1\",\"metadata\":{\"name\":\"p.N\","
           "\"namespace\":\"ns\"},\"eventTime\":\"2026-06-01T00:00:00.123456Z\","
           "\"reportingController\":\"s\",\"reportingInstance\":\"s-host\","
           "\"action\":\"Scheduling\",\"reason\":\"FailedScheduling\","
           "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\","
           "\"namespace\":\"ns\",\"uid\":\"u\"},\"note\":\"0/1 nodes are available\","
           "\"type\":\"Warning\"}");
    rig_reply(&r, 0, 201, NULL);
    t_int(t, mst_writer_stats_of(r.writer).events_sent, 1);
    t_answers(t, &r, "");
    rig_stop(&r, t);
}

static void test_events_references(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    struct mst_effect e = event("p", "m");
    e.related = MST_STR("PodGroup ns/g");
    rig_want(&r, e);
    t_has(t, &r, 0,
          "\"related\":{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\","
          "\"name\":\"g\",\"namespace\":\"ns\"},");
    e.related = MST_STR("CompositePodGroup ns/g");
    rig_want(&r, e);
    t_has(t, &r, 1,
          "{\"apiVersion\":\"scheduling.k8s.io/v1alpha3\",\"kind\":\"CompositePodGroup\"");
    e.related = MST_STR("PersistentVolumeClaim ns/c");
    r.pvc.u.pvc.meta = (struct mst_meta){ .name = MST_STR("c"), .uid = MST_STR("cu") };
    rig_want(&r, e);
    t_has(t, &r, 2,
          "\"related\":{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"name\":\"c\","
          "\"namespace\":\"ns\",\"uid\":\"cu\"}");
    e = event("v", "m");
    e.object_kind = MST_KIND_PV;
    e.ns = MST_STR("");
    rig_want(&r, e);
    t_has(t, &r, 3, "POST /apis/events.k8s.io/v1/namespaces/default/events ");
    t_has(t, &r, 3,
          "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\","
          "\"name\":\"v\",\"uid\":\"u\"},");
    rig_stop(&r, t);
}

static void test_events_limits(struct mst_test *t)
{
    MST_AUTO(mst_buf) long_name = { 0 };
    MST_AUTO(mst_buf) note = { 0 };
    for (int i = 0; i < 253; i++)
        mst_buf_char(&long_name, i == 235 ? '.' : 'a');
    for (int i = 0; i < 600; i++)
        mst_buf_text(&note, "\xc3\xa9"); /* 1,200 bytes */
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    struct mst_effect e = event("p", "");
    e.name = mst_buf_span(&long_name);
    e.note = mst_buf_span(&note);
    rig_want(&r, e);
    const char *name = after(&r, 0, "\"name\":\"");
    t_int(t, strcspn(name, "\"") <= 253, 1);
    t_ok(t, name[234] == 'a' && name[235] == '.' && name[236] != '.');
    const char *sent = after(&r, 0, "\"note\":\"");
    t_int(t, strcspn(sent, "\""), 1024);
    t_ok(t, !memcmp(sent + 1018, "\xc3\xa9 ...", 6));
    /* One byte more than there may be, and it is in the middle of a letter. */
    note.n = 1023;
    mst_buf_text(&note, "\xc3");
    e.note = mst_buf_span(&note);
    rig_want(&r, e);
    t_ok(t, strcspn(after(&r, 1, "\"note\":\""), "\"") <= 1024);
    rig_stop(&r, t);
}

static void test_events_series(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, event("p", "m"));
    rig_reply(&r, 0, 201, NULL);
    r.now_ns += MINUTE;
    rig_want(&r, event("p", "m"));
    t_int(t, r.client.sent.n, 2);
    mask_name(&r, 1, "/events/p.");
    t_sent(t, &r, 1,
           "PATCH /apis/events.k8s.io/v1/namespaces/ns/events/p.N " STRATEGIC
           " {\"series\":{\"count\":2,\"lastObservedTime\":\"2026-06-01T00:01:00.123456Z\"}}");
    rig_reply(&r, 1, 200, NULL);
    for (int i = 0; i < 3; i++)
        rig_want(&r, event("p", "m")); /* counted, not told */
    t_int(t, r.client.sent.n, 2);
    rig_want(&r, event("p", "another reason"));
    t_int(t, r.client.sent.n, 3);
    rig_reply(&r, 2, 201, NULL);
    /* Nothing more comes: what was counted is told at the end. */
    r.now_ns += 7 * MINUTE;
    rig_want(&r, event("q", "m"));
    t_int(t, r.client.sent.n, 5);
    t_has(t, &r, 3,
          "{\"series\":{\"count\":5,\"lastObservedTime\":\"2026-06-01T00:01:00.123456Z\"}}");
    rig_reply(&r, 3, 200, NULL);
    rig_reply(&r, 4, 201, NULL);
    r.now_ns += 2 * MINUTE;
    rig_want(&r, event("p", "m"));
    t_ok(t, !memcmp(r.client.sent.v[5]->text.p, "POST ", 5)); /* a new one */
    t_int(t, mst_writer_stats_of(r.writer).events_merged, 4);
    rig_stop(&r, t);
}

/* A series that goes on is told of every half hour. */
static void test_events_series_refresh(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, event("p", "m"));
    rig_reply(&r, 0, 201, NULL);
    for (int i = 1; i <= 30; i++) {
        r.now_ns += MINUTE + 1;
        rig_want(&r, event("p", "m"));
        if (i == 1)
            rig_reply(&r, 1, 200, NULL);
    }
    t_int(t, r.client.sent.n, 2);
    r.now_ns += MINUTE + 1;
    rig_want(&r, event("p", "m"));
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
    rig_want(&r, event("p", "m"));
    rig_want(&r, event("p", "m"));
    t_int(t, mst_writer_events_pending(r.writer), 1);
    rig_reply(&r, 0, 201, NULL);
    t_int(t, r.client.sent.n, 2);
    t_has(t, &r, 1, "\"series\":{\"count\":2,");
    rig_want(&r, event("p", "m")); /* while it is under way */
    rig_reply(&r, 1, 201, NULL);
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
    rig_want(&r, event("p", "m"));
    t_int(t, r.client.sent.n, 3);
    rig_reply(&r, 0, 201, NULL);
    t_int(t, r.client.sent.n, 4); /* 2 of 8 are busy */
    for (int i = 0; i < 9; i++) {
        const char name[] = { (char)('q' + i), '\0' };
        rig_want(&r, event(name, "m"));
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
        rig_want(&r, event(name, "m"));
        if (r.client.sent.n > (uint32_t)i)
            rig_reply(&r, (uint32_t)i, 201, NULL);
    }
    t_int(t, r.client.sent.n, 20); /* a second's worth at once, then with time */
    rig_wait(&r, 22);
    t_int(t, r.client.sent.n, 22);
    rig_stop(&r, t);
    rig_start(&r, (struct mst_writer_options){ .events_qps = -1 });
    rig_want(&r, event("p", "m"));
    t_int(t, r.client.sent.n, 0);
    t_int(t, mst_writer_events_pending(r.writer), 0);
    rig_stop(&r, t);
}

static void test_events_oldest_dropped(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1, .events_max = 2 });
    rig_want(&r, event("a", "m"));
    rig_reply(&r, 0, 201, NULL);
    rig_want(&r, rig_bind(1, "x", "n"));
    rig_want(&r, event("b", "m"));
    rig_want(&r, event("a", "m")); /* its series */
    rig_want(&r, event("c", "m")); /* costs b */
    rig_want(&r, event("d", "m")); /* costs what is to be said of a */
    t_int(t, mst_writer_stats_of(r.writer).events_dropped, 2);
    t_int(t, mst_writer_events_pending(r.writer), 2);
    rig_reply(&r, 1, 201, NULL);
    t_int(t, r.client.sent.n, 4);
    t_has(t, &r, 2, "\"name\":\"c.");
    t_has(t, &r, 3, "\"name\":\"d.");
    rig_reply(&r, 2, 201, NULL);
    rig_reply(&r, 3, 201, NULL);
    /* Two are remembered; the one that was told longest ago is new again. */
    rig_want(&r, event("a", "m"));
    t_ok(t, !memcmp(r.client.sent.v[4]->text.p, "POST ", 5));
    rig_want(&r, event("d", "m"));
    t_ok(t, !memcmp(r.client.sent.v[5]->text.p, "PATCH ", 6));
    rig_stop(&r, t);
}

static void test_events_failures(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, event("p", "m"));
    rig_want(&r, event("q", "m"));
    rig_lose(&r, 0, MST_NET_BROKEN);
    rig_want(&r, event("x", "m")); /* waits with it */
    t_int(t, r.client.sent.n, 2);
    rig_wait(&r, 4);
    t_has(t, &r, 2, "\"name\":\"p.");
    rig_reply(&r, 2, 409, "events.events.k8s.io \"p\" already exists"); /* it was us */
    rig_reply(&r, 1, 403, "the namespace is being terminated");
    t_int(t, mst_writer_stats_of(r.writer).events_dropped, 1);
    rig_want(&r, event("p", "m"));
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

MST_TEST_MAIN(T(test_events_body), T(test_events_references), T(test_events_limits),
              T(test_events_series), T(test_events_series_refresh),
              T(test_events_series_before_sent), T(test_events_yield), T(test_events_budget),
              T(test_events_oldest_dropped), T(test_events_failures))
