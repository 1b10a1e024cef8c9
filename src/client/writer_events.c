/*
 * writer_events.c - Events, for people: the same one again becomes a series, and all of them yield
 * to everything else.
 *
 * Owns:       the Events that wait or are under way, and those that a later one may be the same as.
 * Invariants: an Event is in one of three lists: waiting, under way, told. At most
 *             events_max wait and as many are remembered; what is dropped is the oldest.
 * Differs:    two Events are the same only if their notes are, and although the object has changed
 *             in between. Upstream compares the object's resourceVersion and no note, which comes
 *             to the same where an Event goes with a status patch, but can hide a new reason
 *             behind an old note.
 * Not here:   what Events look like (writer_event_text.c).
 * Source:     spec/scheduling.md 4.5; kubernetes v1.37 client-go tools/events
 *             (event_broadcaster.go).
 */
#include <event2/event.h>

#include "client/writer_internal.h"

#define SERIES_NS (360 * MST_NS_PER_S)   /* how long after the last one another belongs to it */
#define REFRESH_NS (1800 * MST_NS_PER_S) /* how often the count of a series that goes on is told */
#define SWEEP_NS (60 * MST_NS_PER_S)

enum {
    EVENTS_MAX = 10000,
    EVENTS_QPS = 50,
    UNDER_WAY_MAX = 4,
    BUSY_PART = 4, /* Events go when no more than this part of `parallel` is in use */
    TICK_MS = 100,
};

struct mst_event_recorder {
    struct mst_writer *writer;
    const struct mst_writer_options *options;
    struct mst_writer_stats *stats;
    struct mst_map known; /* key -> struct mst_record * */
    struct mst_record_list waiting, under_way, told;
    uint32_t events_max;
    double qps, tokens;
    int64_t swept_ns;
    struct event *tick, *hold, *sweep;
    bool held; /* the server cannot be reached, or wants to be left alone */
    struct mst_rng rng;
    struct mst_buf key;
    struct mst_writer_request request;
};

/* ---- lists ---- */

static void unlink_record(struct mst_record *r)
{
    struct mst_record_list *list = r->list;
    *(r->before ? &r->before->next : &list->first) = r->next;
    *(r->next ? &r->next->before : &list->last) = r->before;
    list->n--;
    r->list = NULL;
}

static void move_to(struct mst_record *r, struct mst_record_list *list, bool front)
{
    if (r->list)
        unlink_record(r);
    r->list = list;
    r->before = front ? NULL : list->last;
    r->next = front ? list->first : NULL;
    *(r->before ? &r->before->next : &list->first) = r;
    *(r->next ? &r->next->before : &list->last) = r;
    list->n++;
}

static struct mst_str key_of(const struct mst_record *r)
{
    return (struct mst_str){ (const char *)r->key, sizeof(r->key) };
}

static void forget(struct mst_record *r)
{
    unlink_record(r);
    mst_map_delete(&r->recorder->known, key_of(r));
    mst_free(r);
}

/* What waits longest is not told. If it is known to the server, only its count stays behind. */
static void drop_oldest(struct mst_event_recorder *recorder)
{
    struct mst_record *r = recorder->waiting.first;
    recorder->stats->events_dropped++;
    if (r->created)
        move_to(r, &recorder->told, false);
    else
        forget(r);
}

static void put_waiting(struct mst_record *r, bool front)
{
    struct mst_event_recorder *recorder = r->recorder;
    move_to(r, &recorder->waiting, front);
    if (recorder->waiting.n > recorder->events_max)
        drop_oldest(recorder);
}

static void put_told(struct mst_record *r)
{
    struct mst_event_recorder *recorder = r->recorder;
    move_to(r, &recorder->told, false);
    if (recorder->told.n > recorder->events_max)
        forget(recorder->told.first);
}

/* ---- requests ---- */

static void on_reply(void *ctx, const struct mst_reply *reply);

static void send_record(struct mst_record *r)
{
    struct mst_event_recorder *recorder = r->recorder;
    struct mst_writer_request *request = &recorder->request;
    mst_record_print(r, recorder->options, request);
    r->sending = r->count;
    move_to(r, &recorder->under_way, false);
    const struct mst_request_spec spec = {
        .method = request->method,
        .path = mst_buf_span(&request->path),
        .type = request->type,
        .body = mst_buf_span(&request->body),
        .urgent = true, /* they have a budget of their own, as upstream's have a client */
        .done = on_reply,
        .ctx = r,
    };
    r->handle = mst_client_send(recorder->options->client, &spec);
}

void mst_event_recorder_pump(struct mst_event_recorder *recorder, uint32_t busy, bool more_wait)
{
    if (more_wait || busy > recorder->options->parallel / BUSY_PART || recorder->held)
        return;
    while (recorder->waiting.n && recorder->under_way.n < UNDER_WAY_MAX && recorder->tokens >= 1) {
        recorder->tokens -= 1;
        send_record(recorder->waiting.first);
        if (!evtimer_pending(recorder->tick, NULL))
            mst_arm(recorder->tick, TICK_MS);
    }
}

/* The budget grows until a second's worth is saved up. */
static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_event_recorder *recorder = ctx;
    (void)fd;
    (void)what;
    const double full = MST_MAX(recorder->qps, 1.0);
    recorder->tokens = MST_MIN(recorder->tokens + recorder->qps * TICK_MS / 1000, full);
    if (recorder->tokens < full)
        mst_arm(recorder->tick, TICK_MS);
    mst_writer_pump(recorder->writer);
}

static void on_hold_over(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_event_recorder *recorder = ctx;
    (void)fd;
    (void)what;
    recorder->held = false;
    mst_writer_pump(recorder->writer);
}

/* ---- answers ---- */

static void give_up(struct mst_record *r, const struct mst_reply *reply)
{
    struct mst_event_recorder *recorder = r->recorder;
    const struct mst_log_pair pairs[] = {
        MST_KSTR("namespace", r->ns),
        MST_KSTR("name", r->object),
        MST_KSTR("reason", r->reason),
        MST_KSTR("err", reply->problem),
    };
    recorder->stats->events_dropped++;
    if (recorder->options->log)
        mst_log_line(recorder->options->log, MST_LOG_ERROR, __FILE__, __LINE__,
                     "Unable to write event", pairs, MST_COUNT(pairs));
    forget(r);
}

static void try_again(struct mst_record *r, const struct mst_reply *reply)
{
    struct mst_event_recorder *recorder = r->recorder;
    if (++r->tries >= recorder->options->tries_max) {
        give_up(r, reply);
        return;
    }
    recorder->stats->retries++;
    recorder->held = true;
    mst_arm(recorder->hold, mst_retry_delay_ms(recorder->options, &recorder->rng, r->tries, reply));
    put_waiting(r, true);
}

/* The server knows the Event with so many occurrences. The first repetition is told at once. */
static void was_told(struct mst_record *r, uint32_t count)
{
    r->created = true;
    r->told = count;
    r->tries = 0;
    r->told_ns = r->recorder->options->now_unix_ns(r->recorder->options->ctx);
    if (r->count > 1 && r->told < 2)
        put_waiting(r, false);
    else
        put_told(r);
}

static void on_reply(void *ctx, const struct mst_reply *reply)
{
    struct mst_record *r = ctx;
    struct mst_event_recorder *recorder = r->recorder;
    bool lost;
    r->handle = NULL;
    if (mst_reply_is_retriable(reply, &lost)) {
        try_again(r, reply);
    } else if (reply->status >= 200 && reply->status < 300) {
        recorder->stats->events_sent++;
        was_told(r, r->sending);
    } else if (r->created && reply->status == 404) {
        r->created = false; /* it has expired: made anew */
        put_waiting(r, false);
    } else if (!r->created && reply->status == 409) {
        was_told(r, 1); /* an earlier request of ours got through */
    } else {
        give_up(r, reply);
    }
    mst_writer_pump(recorder->writer);
}

/* ---- series ---- */

/* Ends series that nothing was added to for long, and tells the counts of those that go on. */
static void sweep(struct mst_event_recorder *recorder, int64_t now_ns)
{
    recorder->swept_ns = now_ns;
    for (struct mst_record *r = recorder->told.first, *next; r; r = next) {
        next = r->next;
        const bool over = now_ns - r->last_ns > SERIES_NS;
        if (r->count > r->told && (over || now_ns - r->told_ns > REFRESH_NS))
            put_waiting(r, false);
        else if (over)
            forget(r);
    }
}

static void on_sweep(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_event_recorder *recorder = ctx;
    (void)fd;
    (void)what;
    sweep(recorder, recorder->options->now_unix_ns(recorder->options->ctx));
    if (mst_map_count(&recorder->known))
        mst_arm(recorder->sweep, SWEEP_NS / (MST_NS_PER_S / 1000));
    mst_writer_pump(recorder->writer);
}

static void add_field(struct mst_buf *key, struct mst_str field)
{
    mst_buf_str(key, field);
    mst_buf_char(key, '\0');
}

static void make_key(struct mst_event_recorder *recorder, const struct mst_effect *e,
                     struct mst_str controller, uint64_t ret_key[2])
{
    struct mst_buf *key = &recorder->key;
    key->n = 0;
    mst_buf_char(key, (char)e->object_kind);
    const struct mst_str fields[] = { e->ns,     e->name,   e->uid,     controller, e->type,
                                      e->reason, e->action, e->related, e->note };
    for (size_t i = 0; i < MST_COUNT(fields); i++)
        add_field(key, fields[i]);
    mst_hash_wide(key->p, key->n, ret_key);
}

void mst_event_recorder_take(struct mst_event_recorder *recorder, const struct mst_effect *effect,
                             struct mst_str scheduler_name)
{
    if (recorder->qps < 0)
        return;
    const int64_t now_ns = recorder->options->now_unix_ns(recorder->options->ctx);
    if (now_ns - recorder->swept_ns > SWEEP_NS)
        sweep(recorder, now_ns);
    uint64_t key[2], value;
    make_key(recorder, effect, scheduler_name, key);
    const struct mst_str span = { (const char *)key, sizeof(key) };
    if (mst_map_get(&recorder->known, span, &value)) {
        struct mst_record *same = (struct mst_record *)(uintptr_t)value;
        same->count++;
        same->last_ns = now_ns;
        recorder->stats->events_merged++;
        if (same->list == &recorder->told && same->told < 2)
            put_waiting(same, false);
        return;
    }
    struct mst_record *r = mst_record_new(&recorder->rng, effect, scheduler_name, now_ns);
    r->recorder = recorder;
    memcpy(r->key, key, sizeof(key));
    mst_map_set(&recorder->known, span, (uint64_t)(uintptr_t)r);
    put_waiting(r, false);
    if (!evtimer_pending(recorder->sweep, NULL))
        mst_arm(recorder->sweep, SWEEP_NS / (MST_NS_PER_S / 1000));
}

uint32_t mst_event_recorder_pending(const struct mst_event_recorder *recorder)
{
    return recorder->waiting.n;
}

/* ---- beginning and end ---- */

struct mst_event_recorder *mst_event_recorder_new(struct mst_writer *writer,
                                                  const struct mst_writer_options *options,
                                                  struct mst_writer_stats *stats)
{
    struct mst_event_recorder *recorder = mst_calloc(1, sizeof(*recorder));
    recorder->writer = writer;
    recorder->options = options;
    recorder->stats = stats;
    recorder->events_max = options->events_max ? options->events_max : EVENTS_MAX;
    recorder->qps = options->events_qps == 0 ? EVENTS_QPS : options->events_qps;
    recorder->tokens = MST_MAX(recorder->qps, 1.0);
    recorder->swept_ns = options->now_unix_ns ? options->now_unix_ns(options->ctx) : 0;
    mst_rng_init(&recorder->rng, options->seed + 1);
    recorder->tick = evtimer_new(options->loop, on_tick, recorder);
    recorder->hold = evtimer_new(options->loop, on_hold_over, recorder);
    recorder->sweep = evtimer_new(options->loop, on_sweep, recorder);
    mst_assert(recorder->tick && recorder->hold && recorder->sweep);
    return recorder;
}

void mst_event_recorder_free(struct mst_event_recorder *recorder)
{
    struct mst_record_list *const lists[] = { &recorder->waiting, &recorder->under_way,
                                              &recorder->told };
    for (size_t i = 0; i < MST_COUNT(lists); i++)
        while (lists[i]->first) {
            if (lists[i]->first->handle)
                mst_client_cancel(recorder->options->client, lists[i]->first->handle);
            forget(lists[i]->first);
        }
    mst_map_done(&recorder->known);
    event_free(recorder->tick);
    event_free(recorder->hold);
    event_free(recorder->sweep);
    mst_buf_done(&recorder->key);
    mst_buf_done(&recorder->request.path);
    mst_buf_done(&recorder->request.body);
    mst_free(recorder);
}
