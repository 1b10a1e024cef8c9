/*
 * lease.c - acquires, renews and gives back a Lease, one request at a time.
 *
 * A try is: if we lead, write over the Lease as it was last seen; else, or when that is refused,
 * read it, and write over it if it is ours or has not been renewed for its time. The server takes
 * only what builds on the newest version, so of two who try one wins.
 *
 * Differs: client-go counts the renew deadline from when it begins to renew, up to a retry period
 *          after the last renewal; here it counts from when the last renewal was sent. client-go
 *          goes on trying until the deadline when somebody else holds the lease; here that ends it.
 * Source:  kubernetes v1.37 client-go tools/leaderelection/leaderelection.go.
 */
#include "client/lease.h"

#include <event2/event.h>

#include "client/backoff.h"
#include "client/lease_record.h"

typedef enum {
    WAITING, /* somebody else leads, or nobody yet */
    LEADING,
    RELEASING,
    ENDED,
} lease_state;

typedef enum { NOTHING, READ, CREATE, WRITE } lease_request;

struct mst_lease {
    struct mst_lease_options options; /* with copies of the text */
    struct mst_arena own;
    struct mst_str path, collection;
    struct event *timer;    /* the next try */
    struct event *deadline; /* the end of leading, or of giving back */
    struct mst_request_handle *request;
    lease_request what;
    struct mst_rng rng;
    lease_state state;

    /* The Lease as the server last showed it; `body` is what `doc` and `seen` point into. */
    struct mst_arena arena;
    struct mst_buf body;
    const struct mst_value *doc; /* NULL: read it first */
    struct mst_lease_record seen;
    int64_t seen_ms; /* since when it is as it is */
    struct mst_buf reported;
    bool maybe_ours; /* we wrote, or it said so when it was seen last */

    int64_t sent_ms, renewed_ms; /* monotonic */
    uint64_t slow_renewals;
    void (*released)(void *ctx);
    void *released_ctx;
};

static void on_timer(evutil_socket_t fd, short what, void *ctx);
static void on_deadline(evutil_socket_t fd, short what, void *ctx);

/* ---- life ---- */

static void arm(struct event *timer, int64_t ms)
{
    const struct timeval delay = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    const int rc = event_add(timer, &delay);
    mst_assert(rc == 0);
}

struct mst_lease *mst_lease_new(const struct mst_lease_options *options)
{
    mst_assert(options->loop && options->client && options->now_unix_ns);
    mst_assert(options->started && options->stopped);
    mst_assert(options->retry_ms > 0 && options->lease_ms > options->renew_deadline_ms);
    mst_assert(options->renew_deadline_ms * 10 > options->retry_ms * 12);
    struct mst_lease *lease = mst_calloc(1, sizeof(*lease));
    lease->options = *options;
    lease->options.ns = mst_arena_str(&lease->own, options->ns);
    lease->options.name = mst_arena_str(&lease->own, options->name);
    lease->options.identity = mst_arena_str(&lease->own, options->identity);
    lease->collection =
        mst_arena_printf(&lease->own, "/apis/coordination.k8s.io/v1/namespaces/%.*s/leases",
                         MST_ARG(options->ns));
    lease->path = mst_arena_printf(&lease->own, "%.*s/%.*s", MST_ARG(lease->collection),
                                   MST_ARG(options->name));
    mst_rng_init(&lease->rng, options->seed);
    lease->timer = evtimer_new(options->loop, on_timer, lease);
    lease->deadline = evtimer_new(options->loop, on_deadline, lease);
    mst_assert(lease->timer && lease->deadline);
    mst_log(options->log, 0, "Attempting to acquire leader lease...",
            MST_KSTR("lock", lease->path));
    arm(lease->timer, 0);
    return lease;
}

void mst_lease_free(struct mst_lease *lease)
{
    if (!lease)
        return;
    if (lease->request)
        mst_client_cancel(lease->options.client, lease->request);
    event_free(lease->timer);
    event_free(lease->deadline);
    mst_arena_done(&lease->own);
    mst_arena_done(&lease->arena);
    mst_buf_done(&lease->body);
    mst_buf_done(&lease->reported);
    mst_free(lease);
}

bool mst_lease_leads(const struct mst_lease *lease)
{
    return lease->state == LEADING &&
           mst_monotonic_ms() - lease->renewed_ms < lease->options.renew_deadline_ms;
}

bool mst_lease_healthy(const struct mst_lease *lease, int64_t grace_ms)
{
    return lease->state != LEADING ||
           mst_monotonic_ms() - lease->renewed_ms <= lease->options.lease_ms + grace_ms;
}

uint64_t mst_lease_slow_renewals(const struct mst_lease *lease)
{
    return lease->slow_renewals;
}

/* ---- what is seen ---- */

static void log_problem(const struct mst_lease *lease, const char *message, struct mst_str problem)
{
    const struct mst_log_pair pairs[] = { MST_KSTR("lock", lease->path), MST_KSTR("err", problem) };
    if (lease->options.log)
        mst_log_line(lease->options.log, MST_LOG_ERROR, __FILE__, __LINE__, message, pairs,
                     MST_COUNT(pairs));
}

static bool is_ours(const struct mst_lease *lease)
{
    return mst_str_eq(lease->seen.holder, lease->options.identity);
}

static void report_leader(struct mst_lease *lease)
{
    const struct mst_str holder = lease->seen.holder;
    if (mst_str_eq(mst_buf_span(&lease->reported), holder))
        return;
    lease->reported.n = 0;
    mst_buf_str(&lease->reported, holder);
    if (holder.n && lease->options.leader)
        lease->options.leader(lease->options.ctx, holder);
}

/* Takes in what the server shows. Time counts from when something about it changed. */
static bool see(struct mst_lease *lease, struct mst_str body, struct mst_err *err)
{
    struct mst_arena arena = { 0 };
    struct mst_buf copy = { 0 };
    const struct mst_value *doc;
    struct mst_lease_record record;
    mst_buf_str(&copy, body);
    if (mst_lease_record_read(mst_buf_span(&copy), &arena, &doc, &record, err)) {
        mst_arena_done(&arena);
        mst_buf_done(&copy);
        return false;
    }
    if (!lease->seen_ms || !mst_lease_record_equal(&record, &lease->seen))
        lease->seen_ms = mst_monotonic_ms();
    mst_arena_done(&lease->arena);
    mst_buf_done(&lease->body);
    lease->arena = arena;
    lease->body = copy;
    lease->doc = doc;
    lease->seen = record;
    lease->maybe_ours = is_ours(lease);
    report_leader(lease);
    return true;
}

/* The holder's own word counts for how long it may hold on. */
static bool is_held(const struct mst_lease *lease)
{
    const int64_t ms =
        lease->seen.duration_s > 0 ? lease->seen.duration_s * 1000 : lease->options.lease_ms;
    return lease->seen.holder.n && !is_ours(lease) && mst_monotonic_ms() - lease->seen_ms <= ms;
}

/* ---- requests ---- */

static void on_done(void *ctx, const struct mst_reply *reply);

static void send_request(struct mst_lease *lease, lease_request what, struct mst_str body)
{
    static const mst_method methods[] = {
        [READ] = MST_GET, [CREATE] = MST_POST, [WRITE] = MST_PUT
    };
    const int64_t half_ms = lease->options.renew_deadline_ms / 2;
    mst_assert(!lease->request && what != NOTHING);
    lease->what = what;
    lease->sent_ms = mst_monotonic_ms();
    lease->request = mst_client_send(lease->options.client,
                                     &(struct mst_request_spec){
                                         .method = methods[what],
                                         .path = what == CREATE ? lease->collection : lease->path,
                                         .body = body,
                                         .timeout_ms = MST_MAX(half_ms, INT64_C(1)),
                                         .urgent = true,
                                         .done = on_done,
                                         .ctx = lease });
}

/* Writes over what was seen, or a new one; with us as its holder, or with nobody. */
static void send_record(struct mst_lease *lease, lease_request what, bool give_back)
{
    MST_AUTO(mst_buf) now = { 0 };
    MST_AUTO(mst_buf) body = { 0 };
    const bool keep = what == WRITE && is_ours(lease) && lease->seen.acquire_time.n;
    mst_lease_time(lease->options.now_unix_ns(lease->options.ctx), &now);
    struct mst_lease_record record = {
        .holder = give_back ? MST_STR("") : lease->options.identity,
        .duration_s = give_back ? 1 : MST_MAX(lease->options.lease_ms / 1000, INT64_C(1)),
        .acquire_time = keep && !give_back ? lease->seen.acquire_time : mst_buf_span(&now),
        .renew_time = mst_buf_span(&now),
    };
    if (what == WRITE)
        record.transitions = lease->seen.transitions + !is_ours(lease);
    mst_lease_record_write(what == WRITE ? lease->doc : NULL, lease->options.ns,
                           lease->options.name, &record, &body);
    lease->maybe_ours = true;
    send_request(lease, what, mst_buf_span(&body));
}

static void wait_retry(struct mst_lease *lease, bool jitter)
{
    const int64_t retry_ms = lease->options.retry_ms;
    int64_t delay_ms = retry_ms;
    if (jitter)
        delay_ms += (int64_t)mst_rng_below(&lease->rng, (uint64_t)(retry_ms * 12 / 10) + 1);
    arm(lease->timer, delay_ms);
}

/* ---- states ---- */

static void end(struct mst_lease *lease)
{
    lease->state = ENDED;
    evtimer_del(lease->timer);
    evtimer_del(lease->deadline);
    if (!lease->request)
        return;
    mst_client_cancel(lease->options.client, lease->request);
    lease->request = NULL;
}

static void lose(struct mst_lease *lease, const char *why)
{
    mst_assert(lease->state == LEADING);
    log_problem(lease, "Failed to renew lease, no longer leading", mst_str_of(why));
    end(lease);
    lease->options.stopped(lease->options.ctx);
}

/* `released` may free the lease. */
static void finish_release(struct mst_lease *lease)
{
    end(lease);
    lease->released(lease->released_ctx);
}

static void on_deadline(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_lease *lease = ctx;
    (void)fd;
    (void)what;
    if (lease->state == LEADING) {
        lose(lease, "no renewal was acknowledged before the renew deadline");
    } else if (lease->state == RELEASING) {
        log_problem(lease, "Failed to release lease, it ends by itself",
                    MST_STR("the API server did not answer in time"));
        finish_release(lease);
    }
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_lease *lease = ctx;
    (void)fd;
    (void)what;
    if (lease->request)
        return;
    if (lease->state == RELEASING && !lease->maybe_ours)
        finish_release(lease);
    else if (lease->doc && lease->state != WAITING)
        send_record(lease, WRITE, lease->state == RELEASING);
    else
        send_request(lease, READ, MST_STR(""));
}

/*
 * A write that was acknowledged: we hold the lease since we sent it. An answer that took longer
 * than we may lead on it is of no use.
 */
static void hold(struct mst_lease *lease)
{
    const int64_t left_ms = lease->sent_ms + lease->options.renew_deadline_ms - mst_monotonic_ms();
    if (left_ms <= 0 && lease->state == LEADING) {
        lose(lease, "the renewal was acknowledged after the renew deadline");
        return;
    }
    wait_retry(lease, false);
    if (left_ms <= 0)
        return;
    lease->renewed_ms = lease->sent_ms;
    arm(lease->deadline, left_ms);
    if (lease->state == LEADING) {
        mst_log(lease->options.log, 5, "Successfully renewed lease", MST_KSTR("lock", lease->path));
        return;
    }
    lease->state = LEADING;
    mst_log(lease->options.log, 0, "Successfully acquired lease", MST_KSTR("lock", lease->path));
    lease->options.started(lease->options.ctx);
}

void mst_lease_release(struct mst_lease *lease, void (*released)(void *ctx), void *ctx)
{
    mst_assert(released && !lease->released);
    lease->released = released;
    lease->released_ctx = ctx;
    if (lease->state == ENDED)
        lease->maybe_ours = false; /* who lost it has nothing to give back */
    lease->state = RELEASING;
    arm(lease->deadline, lease->options.renew_deadline_ms);
    /* What is under way may still make the lease ours, so its end is waited for. */
    if (!lease->request)
        arm(lease->timer, 0);
}

/* ---- answers ---- */

static void on_read(struct mst_lease *lease, const struct mst_reply *reply)
{
    struct mst_err err;
    if (reply->net == MST_NET_OK && reply->status == 404 && lease->state == WAITING) {
        send_record(lease, CREATE, false);
        return;
    }
    if (reply->net != MST_NET_OK || reply->status != 200) {
        log_problem(lease,
                    reply->status == 403
                        ? "Error retrieving lease: grant get, create and update on leases (RBAC)"
                        : "Error retrieving lease",
                    reply->problem);
        wait_retry(lease, lease->state == WAITING);
        return;
    }
    if (!see(lease, reply->body, &err)) {
        log_problem(lease, "Error retrieving lease", mst_str_of(err.text));
        wait_retry(lease, lease->state == WAITING);
        return;
    }
    if (lease->state == LEADING && !is_ours(lease)) {
        lose(lease, "another holds the lease");
        return;
    }
    if (is_held(lease)) {
        mst_log(lease->options.log, 4, "Lease is held by and has not yet expired",
                MST_KSTR("lock", lease->path), MST_KSTR("holder", lease->seen.holder));
        wait_retry(lease, true);
        return;
    }
    lease->slow_renewals += lease->state == LEADING;
    send_record(lease, WRITE, false);
}

/* After a refusal the newest Lease is read; after anything else, the next try reads it. */
static void on_write_failed(struct mst_lease *lease, const struct mst_reply *reply)
{
    const bool conflict = reply->net == MST_NET_OK && reply->status == 409;
    const bool optimistic = lease->state == LEADING && lease->what == WRITE && lease->doc;
    lease->doc = NULL;
    if (conflict)
        mst_log(lease->options.log, 4, "Lease was changed by another",
                MST_KSTR("lock", lease->path));
    else
        log_problem(lease,
                    reply->status == 403
                        ? "Failed to update lease: grant get, create and update on leases (RBAC)"
                        : "Failed to update lease",
                    reply->problem);
    if (optimistic)
        send_request(lease, READ, MST_STR(""));
    else
        wait_retry(lease, lease->state == WAITING);
}

/* While giving back: what was under way is over, or the Lease is written without a holder. */
static void on_release_step(struct mst_lease *lease, const struct mst_reply *reply, bool ok)
{
    struct mst_err err;
    const bool wrote = lease->what == WRITE || lease->what == CREATE;
    const bool gone = reply->net == MST_NET_OK && reply->status == 404;
    if (gone) {
        finish_release(lease);
    } else if (ok && see(lease, reply->body, &err)) {
        arm(lease->timer, 0); /* it is ours still, or no longer */
    } else if (ok || wrote) {
        send_request(lease, READ, MST_STR("")); /* who has it now? */
    } else {
        log_problem(lease, "Failed to release lease", reply->problem);
        wait_retry(lease, false);
        lease->doc = NULL;
    }
}

static void on_done(void *ctx, const struct mst_reply *reply)
{
    struct mst_lease *lease = ctx;
    struct mst_err err;
    const bool ok = reply->net == MST_NET_OK && (reply->status == 200 || reply->status == 201);
    lease->request = NULL;
    if (lease->state == RELEASING) {
        on_release_step(lease, reply, ok);
        return;
    }
    if (lease->what == READ) {
        on_read(lease, reply);
        return;
    }
    if (!ok) {
        on_write_failed(lease, reply);
        return;
    }
    if (!see(lease, reply->body, &err))
        lease->doc = NULL; /* it was written all the same; the next try reads it */
    hold(lease);
}
