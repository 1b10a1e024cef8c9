/* Electors against a server that keeps one Lease, loses answers, and does not hear everybody. */
#include "client/lease.h"

#include <stdio.h>

#include "base/rng.h"
#include "client/backoff.h"
#include "client/lease_record.h"
#include "fake_client.h"
#include "tap.h"

enum { ELECTORS = 3 };

/* What the server has, and how it behaves. */
struct server {
    struct mst_buf spec, notes; /* JSON of `spec`, and of the annotations */
    bool exists;
    uint32_t version;
    uint32_t writes, conflicts;
};

struct world;

struct elector {
    struct world *world;
    struct mst_client client;
    struct mst_lease *lease;
    bool cut_off;      /* its requests are not heard */
    bool answers_lost; /* they are carried out, but the connection breaks */
    int64_t wall_ns;   /* its wall clock, beside the truth */
    int64_t tick_ns;   /* what a look at it adds */
    int started, stopped, released;
    int64_t started_ms, stopped_ms;
    struct mst_buf leaders;
};

struct world {
    struct mst_test *t;
    struct event_base *loop;
    struct server server;
    struct elector electors[ELECTORS];
    struct mst_log log;
    struct mst_buf log_text;
    struct mst_rng rng;
    bool random;
};

/* ---- the server ---- */

static void show(const struct server *s, struct mst_buf *out)
{
    mst_buf_printf(out,
                   "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{"
                   "\"name\":\"muster\",\"namespace\":\"kube-system\",\"uid\":\"u\","
                   "\"resourceVersion\":\"%u\",\"annotations\":{%.*s}},\"spec\":%.*s}",
                   s->version, MST_ARG(mst_buf_span(&s->notes)), MST_ARG(mst_buf_span(&s->spec)));
}

static int take_write(struct server *s, const struct mst_request_handle *h)
{
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *doc;
    int status = 200;
    mst_rc rc = mst_json_parse(mst_buf_span(&h->body), NULL, &arena, NULL, &doc, &err);
    mst_assert(!rc);
    const struct mst_value *meta = mst_value_get(doc, "metadata");
    const struct mst_value *version = mst_value_get(meta, "resourceVersion");
    const struct mst_value *notes = mst_value_get(meta, "annotations");
    char now[16];
    snprintf(now, sizeof(now), "%u", s->version);
    if (h->spec.method == MST_POST)
        status = s->exists ? 409 : 201;
    else if (!s->exists)
        status = 404;
    else if (!version || !mst_str_is(mst_value_str(version), now))
        status = 409;
    s->conflicts += status == 409;
    if (status < 300) {
        struct mst_json_writer w = { .out = &s->spec };
        s->spec.n = 0;
        mst_jw_value(&w, mst_value_get(doc, "spec"));
        s->exists = true;
        s->version++;
        s->writes++;
        if (!notes)
            s->notes.n = 0;
    }
    mst_arena_done(&arena);
    return status;
}

static void serve(struct elector *e, struct mst_request_handle *h)
{
    struct server *s = &e->world->server;
    MST_AUTO(mst_buf) body = { 0 };
    int status = s->exists ? 200 : 404;
    t_ok(e->world->t, h->spec.urgent && h->spec.timeout_ms > 0);
    t_ok(e->world->t, mst_str_has_prefix(mst_buf_span(&h->path),
                                         "/apis/coordination.k8s.io/v1/namespaces/kube-system/"
                                         "leases"));
    if (h->spec.method != MST_GET)
        status = take_write(s, h);
    if (status < 300)
        show(s, &body);
    mst_buf_char(&body, '\0');
    if (e->answers_lost)
        fake_fail(h, MST_NET_BROKEN);
    else
        fake_answer(h, status, body.p);
}

/* ---- the world ---- */

static void on_started(void *ctx)
{
    struct elector *e = ctx;
    e->started++;
    e->started_ms = mst_monotonic_ms();
}

static void on_stopped(void *ctx)
{
    struct elector *e = ctx;
    e->stopped++;
    e->stopped_ms = mst_monotonic_ms();
    t_ok(e->world->t, e->started == 1 && !mst_lease_leads(e->lease));
}

static void on_released(void *ctx)
{
    struct elector *e = ctx;
    e->released++;
}

static void on_leader(void *ctx, struct mst_str identity)
{
    struct elector *e = ctx;
    mst_buf_printf(&e->leaders, "%.*s ", MST_ARG(identity));
}

static int64_t wall(void *ctx)
{
    struct elector *e = ctx;
    e->wall_ns += e->tick_ns;
    return INT64_C(1796040000123456789) + e->wall_ns;
}

static void write_log(void *ctx, const char *line, size_t n)
{
    struct world *w = ctx;
    mst_buf_add(&w->log_text, line, n);
}

static int64_t no_clock(void *ctx)
{
    (void)ctx;
    return 0;
}

static bool logged(struct world *w, const char *text)
{
    return w->log_text.n && memmem(w->log_text.p, w->log_text.n, text, strlen(text));
}

static void world_init(struct world *w, struct mst_test *t)
{
    *w = (struct world){ .t = t, .log = { .level = 5 } };
    w->log.write = write_log;
    w->log.clock = no_clock;
    w->log.ctx = w;
    for (int i = 0; i < ELECTORS; i++) {
        w->electors[i].world = w;
        if (i == 0)
            fake_init(&w->electors[i].client);
        else
            w->electors[i].client.loop = w->electors[0].client.loop;
    }
    w->loop = w->electors[0].client.loop;
}

static void world_done(struct world *w)
{
    for (int i = 0; i < ELECTORS; i++) {
        mst_lease_free(w->electors[i].lease);
        mst_assert(w->electors[i].client.n == 0);
        mst_buf_done(&w->electors[i].leaders);
    }
    fake_done(&w->electors[0].client);
    mst_buf_done(&w->server.spec);
    mst_buf_done(&w->server.notes);
    mst_buf_done(&w->log_text);
}

/* Times that are long enough for a slow machine, or short enough to see them pass. */
static struct elector *elect(struct world *w, int i, bool quick)
{
    struct elector *e = &w->electors[i];
    static const char names[] = "ABC";
    e->tick_ns = quick ? 1000 : 0;
    e->lease = mst_lease_new(&(struct mst_lease_options){
        .loop = w->loop,
        .client = &e->client,
        .log = &w->log,
        .ns = MST_STR("kube-system"),
        .name = MST_STR("muster"),
        .identity = { names + i, 1 },
        .lease_ms = quick ? 1000 : 15000,
        .renew_deadline_ms = quick ? 600 : 10000,
        .retry_ms = quick ? 50 : 5,
        .seed = (uint64_t)i,
        .now_unix_ns = wall,
        .started = on_started,
        .stopped = on_stopped,
        .leader = on_leader,
        .ctx = e,
    });
    return e;
}

/* One turn of the loop; then the server answers whom it hears. At most one leads at any time. */
static void turn(struct world *w)
{
    int leaders = 0;
    bool heard = false;
    for (int i = 0; i < ELECTORS; i++)
        heard |= !w->electors[i].cut_off && w->electors[i].client.n;
    event_base_loop(w->loop, heard ? EVLOOP_NONBLOCK : EVLOOP_ONCE);
    for (int i = 0; i < ELECTORS; i++) {
        struct elector *e = &w->electors[i];
        while (!e->cut_off && e->client.n)
            serve(e, e->client.pending[0]);
    }
    for (int i = 0; i < ELECTORS; i++)
        leaders += w->electors[i].lease && mst_lease_leads(w->electors[i].lease);
    t_ok(w->t, leaders <= 1);
}

/* Until `*counter` reaches `want`, for at most five seconds. */
static void run_until(struct world *w, const int *counter, int want)
{
    const int64_t end_ms = mst_monotonic_ms() + 5000;
    while (*counter < want && mst_monotonic_ms() < end_ms)
        turn(w);
    t_int(w->t, *counter, want);
}

static void run_writes(struct world *w, uint32_t more)
{
    const int64_t end_ms = mst_monotonic_ms() + 5000;
    const uint32_t want = w->server.writes + more;
    while (w->server.writes < want && mst_monotonic_ms() < end_ms)
        turn(w);
    t_ok(w->t, w->server.writes >= want);
}

static void set_spec(struct world *w, const char *spec)
{
    w->server.exists = true;
    w->server.version++;
    w->server.spec.n = 0;
    mst_buf_text(&w->server.spec, spec);
}

/* ---- one elector ---- */

static void test_lease_creates_and_renews(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, false);
    t_ok(t, !mst_lease_leads(a->lease) && mst_lease_healthy(a->lease, 0));
    run_until(&w, &a->started, 1);
    t_str(t, mst_buf_span(&w.server.spec),
          "{\"holderIdentity\":\"A\",\"leaseDurationSeconds\":15,"
          "\"acquireTime\":\"2026-11-30T12:00:00.123456Z\","
          "\"renewTime\":\"2026-11-30T12:00:00.123456Z\",\"leaseTransitions\":0}");
    t_ok(t, mst_lease_leads(a->lease) && mst_lease_healthy(a->lease, 0));
    mst_buf_text(&w.server.notes, "\"kept\":\"yes\"");
    a->wall_ns = INT64_C(1000000000);
    run_writes(&w, 3);
    t_str(t, mst_buf_span(&w.server.spec),
          "{\"holderIdentity\":\"A\",\"leaseDurationSeconds\":15,"
          "\"acquireTime\":\"2026-11-30T12:00:00.123456Z\","
          "\"renewTime\":\"2026-11-30T12:00:01.123456Z\",\"leaseTransitions\":0}");
    t_ok(t, w.server.notes.n > 0);
    t_str(t, mst_buf_span(&a->leaders), "A ");
    t_int(t, a->started, 1);
    t_int(t, mst_lease_slow_renewals(a->lease), 0);
    world_done(&w);
}

static void test_lease_conflicting_update(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, false);
    run_until(&w, &a->started, 1);
    w.server.version++; /* somebody has changed a label */
    run_writes(&w, 3);
    t_int(t, w.server.conflicts, 1);
    t_int(t, mst_lease_slow_renewals(a->lease), 1);
    t_ok(t, mst_lease_leads(a->lease) && a->started == 1 && a->stopped == 0);
    world_done(&w);
}

static void test_lease_stolen(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, false);
    run_until(&w, &a->started, 1);
    set_spec(&w, "{\"holderIdentity\":\"X\",\"leaseDurationSeconds\":15,\"leaseTransitions\":4}");
    const uint32_t writes = w.server.writes;
    run_until(&w, &a->stopped, 1);
    t_int(t, w.server.writes, writes);
    t_ok(t, logged(&w, "another holds the lease"));
    t_str(t, mst_buf_span(&a->leaders), "A X ");
    world_done(&w);
}

/* An answer that is lost leaves open whether we lead, and the next look tells. */
static void test_lease_lost_answers(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    set_spec(&w, "{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,\"leaseTransitions\":4}");
    struct elector *a = elect(&w, 0, false);
    a->cut_off = true;
    while (!a->client.n)
        turn(&w);
    serve(a, a->client.pending[0]); /* it reads */
    a->answers_lost = true;
    serve(a, a->client.pending[0]); /* it writes */
    t_int(t, w.server.writes, 1);
    t_int(t, a->started, 0);
    a->cut_off = a->answers_lost = false;
    run_until(&w, &a->started, 1);
    t_ok(t, memmem(w.server.spec.p, w.server.spec.n, "\"leaseTransitions\":5", 20) != NULL);
    a->answers_lost = true;
    run_writes(&w, 1);
    a->answers_lost = false;
    run_writes(&w, 2);
    t_int(t, a->stopped, 0);
    world_done(&w);
}

static void test_lease_refusals(struct mst_test *t)
{
    static const struct {
        int status;
        const char *body, *line;
    } cases[] = {
        { 403, "no", "grant get, create and update on leases (RBAC)" },
        { 500, "no", "Error retrieving lease" },
        { 200, "{", "Lease: line 1" },
        { 200, "{\"metadata\":3}", "metadata is no object" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w;
        world_init(&w, t);
        struct elector *a = elect(&w, 0, false);
        a->cut_off = true;
        while (!a->client.n)
            turn(&w);
        fake_answer(a->client.pending[0], cases[i].status, cases[i].body);
        t_ok(t, logged(&w, cases[i].line));
        t_int(t, a->client.n, 0);
        while (!a->client.n)
            turn(&w);
        serve(a, a->client.pending[0]); /* there is none */
        t_int(t, a->client.pending[0]->spec.method, MST_POST);
        fake_answer(a->client.pending[0], 403, "no");
        t_ok(t, logged(&w, "Failed to update lease: grant"));
        a->cut_off = false;
        run_until(&w, &a->started, 1);
        world_done(&w);
    }
}

/* An acknowledgement that comes when we could no longer lead on it. */
static void test_lease_late_answer(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, true);
    a->cut_off = true;
    while (!a->client.n)
        turn(&w);
    serve(a, a->client.pending[0]);
    const int64_t begin_ms = mst_monotonic_ms();
    elect(&w, 1, true); /* keeps the loop turning */
    w.electors[1].cut_off = true;
    struct event *tick = evtimer_new(w.loop, fake_over, &(bool){ false });
    while (mst_monotonic_ms() - begin_ms < 610) {
        evtimer_add(tick, &(struct timeval){ .tv_usec = 20000 });
        turn(&w);
    }
    event_free(tick);
    serve(a, a->client.pending[0]);
    t_int(t, a->started, 0);
    a->cut_off = false;
    run_until(&w, &a->started, 1);
    world_done(&w);
}

/* ---- several ---- */

static void test_lease_takes_over(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, true);
    run_until(&w, &a->started, 1);
    struct elector *b = elect(&w, 1, true);
    run_writes(&w, 4);
    t_int(t, b->started, 0);
    a->cut_off = true;
    run_until(&w, &a->stopped, 1);
    t_int(t, b->started, 0);
    t_ok(t, logged(&w, "no renewal was acknowledged before the renew deadline"));
    run_until(&w, &b->started, 1);
    t_ok(t, b->started_ms - a->stopped_ms >= 200);
    t_ok(t, memmem(w.server.spec.p, w.server.spec.n, "\"leaseTransitions\":1", 20) != NULL);
    t_str(t, mst_buf_span(&b->leaders), "A B ");
    world_done(&w);
}

/* Clocks on the wall that are hours apart, and jump, change nothing. */
static void test_lease_wall_clock_steps(struct mst_test *t)
{
    const int64_t hour_ns = INT64_C(3600000000000);
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, false), *b = elect(&w, 1, false);
    b->wall_ns = 10 * hour_ns;
    a->wall_ns = 11 * hour_ns;
    run_writes(&w, 1);
    struct elector *leader = a->started ? a : b, *other = a->started ? b : a;
    for (int i = 0; i < 10; i++) {
        leader->wall_ns -= hour_ns;
        other->wall_ns += 5 * hour_ns;
        run_writes(&w, 1);
    }
    t_int(t, leader->stopped, 0);
    t_int(t, other->started, 0);
    world_done(&w);
}

static void test_lease_release(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, false);
    run_until(&w, &a->started, 1);
    struct elector *b = elect(&w, 1, false);
    run_writes(&w, 2);
    w.server.version++; /* even if it must look again */
    const int64_t begin_ms = mst_monotonic_ms();
    mst_lease_release(a->lease, on_released, a);
    t_ok(t, !mst_lease_leads(a->lease));
    t_int(t, a->released, 0);
    run_until(&w, &a->released, 1);
    if (!b->started)
        t_str(t, mst_buf_span(&w.server.spec),
              "{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,"
              "\"acquireTime\":\"2026-11-30T12:00:00.123456Z\","
              "\"renewTime\":\"2026-11-30T12:00:00.123456Z\",\"leaseTransitions\":0}");
    run_until(&w, &b->started, 1);
    t_ok(t, mst_monotonic_ms() - begin_ms < 5000); /* not the lease's fifteen seconds */
    run_writes(&w, 2);
    t_int(t, a->stopped, 0);
    world_done(&w);
}

/* Who does not lead gives nothing back, and who cannot says so when the time is over. */
static void test_lease_release_without(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    struct elector *a = elect(&w, 0, true);
    run_until(&w, &a->started, 1);
    struct elector *b = elect(&w, 1, false);
    run_writes(&w, 2);
    mst_lease_release(b->lease, on_released, b);
    run_until(&w, &b->released, 1);
    t_int(t, b->started, 0);
    a->cut_off = true;
    const int64_t begin_ms = mst_monotonic_ms();
    mst_lease_release(a->lease, on_released, a);
    run_until(&w, &a->released, 1);
    t_ok(t, mst_monotonic_ms() - begin_ms >= 590);
    t_ok(t, logged(&w, "Failed to release lease"));
    world_done(&w);
}

/* The write that makes the lease ours is under way when we give up. */
static void test_lease_release_while_acquiring(struct mst_test *t)
{
    for (int lost = 0; lost < 2; lost++) {
        struct world w;
        world_init(&w, t);
        struct elector *a = elect(&w, 0, false);
        a->cut_off = true;
        while (!a->client.n)
            turn(&w);
        serve(a, a->client.pending[0]);
        mst_lease_release(a->lease, on_released, a);
        a->answers_lost = lost;
        serve(a, a->client.pending[0]);
        a->answers_lost = a->cut_off = false;
        t_int(t, w.server.writes, 1);
        run_until(&w, &a->released, 1);
        t_ok(t, memmem(w.server.spec.p, w.server.spec.n, "\"holderIdentity\":\"\"", 19) != NULL);
        t_int(t, a->started, 0);
        world_done(&w);
    }
}

/* Three electors, of whom each is cut off at times: never two lead (see turn), but others do. */
static void test_lease_random(struct mst_test *t)
{
    struct world w;
    world_init(&w, t);
    mst_rng_init(&w.rng, 11);
    t_case(t, "seed 11");
    for (int i = 0; i < ELECTORS; i++)
        elect(&w, i, true);
    int started = 0;
    const int64_t end_ms = mst_monotonic_ms() + 10000;
    while (mst_monotonic_ms() < end_ms && started < 2) {
        struct elector *e = &w.electors[mst_rng_below(&w.rng, ELECTORS)];
        if (mst_rng_below(&w.rng, 20) == 0)
            e->cut_off = true;
        else if (mst_rng_below(&w.rng, 20) == 0 && !mst_lease_leads(e->lease))
            e->cut_off = false; /* who leads stays cut off, so that another gets its turn */
        e->answers_lost = mst_rng_below(&w.rng, 4) == 0;
        turn(&w);
        started = 0;
        for (int i = 0; i < ELECTORS; i++)
            started += w.electors[i].started;
    }
    t_ok(t, started >= 2);
    world_done(&w);
}

MST_TEST_MAIN(T(test_lease_creates_and_renews), T(test_lease_conflicting_update),
              T(test_lease_stolen), T(test_lease_lost_answers), T(test_lease_refusals),
              T(test_lease_late_answer), T(test_lease_takes_over), T(test_lease_wall_clock_steps),
              T(test_lease_release), T(test_lease_release_without),
              T(test_lease_release_while_acquiring), T(test_lease_random))
