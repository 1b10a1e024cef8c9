/*
 * process.c - `muster scheduler` from its first moment to its last.
 */
#include "daemon/process.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/rng.h"
#include "client/lease.h"
#include "daemon/clock.h"

enum {
    DRAIN_S = 25, /* a pod is killed 30 s after it was told to end */
    HOSTNAME_BYTES = 256,
};

struct mst_process {
    const struct mst_process_options *options;
    struct event_base *loop;
    struct event *signals[2], *drain_timer;
    struct mst_client *client;
    struct mst_discovery *discovery;
    struct mst_scheduler *scheduler;
    struct mst_lease *lease;
    struct mst_serving *serving;
    struct mst_rng rng;
    char hostname[HOSTNAME_BYTES];
    bool ending;
    int code;
};

static void end(struct mst_process *p, int code)
{
    p->code = code;
    event_base_loopbreak(p->loop);
}

static void fail(struct mst_process *p, const struct mst_err *err)
{
    const struct mst_log_pair why = MST_KSTR("err", mst_str_of(err->text));
    mst_log_line(p->options->log, MST_LOG_ERROR, __FILE__, __LINE__, "Cannot go on", &why, 1);
    end(p, 1);
}

/* ---- leading ---- */

static int64_t wall_now(void *ctx)
{
    (void)ctx;
    return mst_wall_now();
}

static void on_started(void *ctx)
{
    struct mst_process *p = ctx;
    if (!p->ending)
        mst_scheduler_lead(p->scheduler);
}

static void on_stopped(void *ctx)
{
    struct mst_process *p = ctx;
    if (p->ending)
        return;
    struct mst_err err;
    mst_fail(&err, MST_EIO, "leader election lost");
    fail(p, &err);
}

static void on_leader(void *ctx, struct mst_str identity)
{
    struct mst_process *p = ctx;
    mst_log(p->options->log, 0, "New leader elected", MST_KSTR("identity", identity));
}

/* A random UUID, version 4. */
static void print_uuid(struct mst_rng *rng, struct mst_buf *out)
{
    const uint64_t a = mst_rng_next(rng), b = mst_rng_next(rng);
    mst_buf_printf(out, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
                   (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
                   (unsigned)(b >> 48 & 0x3fff) | 0x8000,
                   (unsigned long long)(b & UINT64_C(0xffffffffffff)));
}

static void elect(struct mst_process *p)
{
    const struct mst_cfg_leader_election *election = &p->options->config->leader;
    MST_AUTO(mst_buf) identity = { 0 };
    mst_buf_printf(&identity, "%s_", p->hostname);
    print_uuid(&p->rng, &identity);
    const struct mst_lease_options options = {
        .loop = p->loop,
        .client = p->client,
        .log = p->options->log,
        .ns = election->ns,
        .name = election->name,
        .identity = mst_buf_span(&identity),
        .lease_ms = election->lease_ns / MST_NS_PER_MS,
        .renew_deadline_ms = election->renew_ns / MST_NS_PER_MS,
        .retry_ms = election->retry_ns / MST_NS_PER_MS,
        .seed = mst_rng_next(&p->rng),
        .now_unix_ns = wall_now,
        .started = on_started,
        .stopped = on_stopped,
        .leader = on_leader,
        .ctx = p,
    };
    p->lease = mst_lease_new(&options);
    mst_serving_show(p->serving, p->scheduler, p->lease);
}

/* ---- the end ---- */

static void on_released(void *ctx)
{
    end(ctx, 0);
}

static void on_drained(void *ctx)
{
    struct mst_process *p = ctx;
    const struct mst_writer *writer = mst_scheduler_writer(p->scheduler);
    const struct mst_writer_stats s =
        writer ? mst_writer_stats_of(writer) : (struct mst_writer_stats){ 0 };
    const uint32_t events_left = writer ? mst_writer_events_pending(writer) : 0;
    mst_log(p->options->log, 1, "Everything that was decided is carried out",
            MST_KINT("binds", (int64_t)s.binds), MST_KINT("bindErrors", (int64_t)s.bind_errors),
            MST_KINT("patches", (int64_t)s.patches), MST_KINT("evictions", (int64_t)s.evictions),
            MST_KINT("retries", (int64_t)s.retries), MST_KINT("events", (int64_t)s.events_sent),
            MST_KINT("eventsDropped", (int64_t)s.events_dropped + events_left));
    if (p->lease)
        mst_lease_release(p->lease, on_released, p);
    else
        end(p, 0);
}

static void on_drain_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_process *p = ctx;
    (void)fd;
    (void)what;
    mst_log(p->options->log, 0, "Not everything could be carried out in time, ending anyway");
    end(p, 0);
}

static void on_signal(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_process *p = ctx;
    (void)what;
    if (p->ending || !p->scheduler) {
        end(p, p->ending ? 1 : 0);
        return;
    }
    p->ending = true;
    mst_serving_ending(p->serving);
    mst_log(p->options->log, 0, "Told to end", MST_KINT("signal", fd));
    const struct timeval after = { DRAIN_S, 0 };
    evtimer_add(p->drain_timer, &after);
    mst_scheduler_drain(p->scheduler);
}

/* ---- the beginning ---- */

static void on_synced(void *ctx)
{
    struct mst_process *p = ctx;
    const struct mst_feeds_size size = mst_feeds_size_of(mst_scheduler_feeds(p->scheduler));
    mst_log(p->options->log, 1, "Everything is listed", MST_KINT("objects", (int64_t)size.objects),
            MST_KINT("bytes", (int64_t)size.bytes));
}

static void on_stepped(void *ctx, const struct mst_engine *engine, int64_t took_ns)
{
    struct mst_process *p = ctx;
    mst_serving_stepped(p->serving, engine, took_ns);
}

static void on_served(void *ctx, const struct mst_served_apis *served)
{
    struct mst_process *p = ctx;
    const struct mst_process_options *o = p->options;
    struct mst_err err;
    if (o->config->gates.on[MST_GATE_GenericWorkload] && !served->group_version)
        mst_log(o->log, 0, "The API server serves no PodGroups: pods are scheduled one by one");
    const struct mst_scheduler_options options = {
        .loop = p->loop,
        .client = p->client,
        .syms = o->syms,
        .config = o->config,
        .registry = o->registry,
        .log = o->log,
        .served = *served,
        .hostname = p->hostname,
        .dry_run = o->dry_run,
        .random_ties = o->random_ties,
        .seed = o->seed,
        .events_qps = o->events_qps,
        .recorder = o->recorder,
        .stats = mst_serving_stats(p->serving),
        .marks = mst_serving_marks(p->serving),
        .keep_amounts = mst_serving_port(p->serving) != 0,
        .stepped = on_stepped,
        .synced = on_synced,
        .drained = on_drained,
        .ctx = p,
    };
    if (mst_scheduler_new(&options, &p->scheduler, &err)) {
        fail(p, &err);
        return;
    }
    mst_serving_show(p->serving, p->scheduler, NULL);
    if (o->config->leader.elect && !o->dry_run)
        elect(p);
    else
        mst_scheduler_lead(p->scheduler);
}

static void watch_signals(struct mst_process *p)
{
    static const int numbers[] = { SIGTERM, SIGINT };
    for (size_t i = 0; i < MST_COUNT(numbers); i++) {
        p->signals[i] = evsignal_new(p->loop, numbers[i], on_signal, p);
        const bool ok = p->signals[i] && event_add(p->signals[i], NULL) == 0;
        mst_assert(ok);
    }
    p->drain_timer = evtimer_new(p->loop, on_drain_timer, p);
    mst_assert(p->drain_timer);
}

static void on_seen(void *ctx, const struct mst_request_seen *seen)
{
    struct mst_process *p = ctx;
    if (p->serving)
        mst_serving_seen(p->serving, seen);
}

static void on_plugin_ended(void *ctx, const struct mst_exec_end *end)
{
    struct mst_process *p = ctx;
    if (p->serving)
        mst_serving_plugin_ended(p->serving, end);
}

static mst_rc connect_client(struct mst_process *p, struct mst_err *err)
{
    const struct mst_client_options options = {
        .loop = p->loop,
        .connection = p->options->connection,
        .log = p->options->log,
        .user_agent = "muster/scheduler",
        .qps = p->options->qps,
        .burst = p->options->burst,
        .seen = on_seen,
        .plugin_ended = on_plugin_ended,
        .seen_ctx = p,
    };
    return mst_client_new(&options, &p->client, err);
}

static void on_lookup_failed(void *ctx, struct mst_str problem)
{
    struct mst_err err;
    mst_fail(&err, MST_EIO,
             "the cluster's authentication configuration cannot be read: %.*s; "
             "--authentication-tolerate-lookup-failure=true serves without it",
             MST_ARG(problem));
    fail(ctx, &err);
}

static mst_rc serve(struct mst_process *p, struct mst_err *err)
{
    const struct mst_serving_options options = {
        .loop = p->loop,
        .client = p->client,
        .config = p->options->config,
        .log = p->options->log,
        .flags = p->options->serving,
        .build = p->options->build,
        .explain = p->options->explain,
        .failed = on_lookup_failed,
        .ctx = p,
    };
    return mst_serving_new(&options, &p->serving, err);
}

static void process_done(struct mst_process *p)
{
    mst_discovery_free(p->discovery);
    mst_serving_free(p->serving);
    mst_lease_free(p->lease);
    mst_scheduler_free(p->scheduler);
    mst_client_free(p->client);
    for (size_t i = 0; i < MST_COUNT(p->signals); i++)
        event_free(p->signals[i]);
    event_free(p->drain_timer);
    event_base_free(p->loop);
}

int mst_process_run(const struct mst_process_options *options)
{
    struct mst_process p = { .options = options, .loop = event_base_new() };
    struct mst_err err;
    mst_assert(p.loop);
    if (gethostname(p.hostname, sizeof(p.hostname)) != 0)
        memcpy(p.hostname, "localhost", sizeof("localhost"));
    p.hostname[HOSTNAME_BYTES - 1] = 0;
    /* Two instances must not have one identity, nor the same jitter. */
    mst_rng_init(&p.rng, (uint64_t)mst_wall_now() ^ (uint64_t)getpid() << 32);
    watch_signals(&p);
    if (connect_client(&p, &err) || serve(&p, &err)) {
        fail(&p, &err);
    } else {
        const struct mst_discovery_options discovery = {
            .loop = p.loop, .client = p.client, .log = options->log, .done = on_served, .ctx = &p
        };
        p.discovery = mst_discovery_new(&discovery);
        event_base_dispatch(p.loop);
    }
    process_done(&p);
    return p.code;
}
