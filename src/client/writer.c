/*
 * writer.c - queues of effects, one for each object, and the requests that carry them out.
 *
 * Owns:       the queues, their timers, requests under way.
 * Invariants: a queue exists while it has work; it is in the line of those that are ready, or its
 *             first work is under way, or it waits for its timer. The first work of a queue that
 *             is not ready is never replaced. Bindings and evictions go before status patches,
 *             which still get every STATUS_EVERY-th request.
 * Not here:   what requests look like (writer_requests.c), what answers mean (writer_answers.c),
 *             Events (writer_events.c).
 * Source:     spec/scheduling.md 4.7: a binding makes status patches of the pod pointless, and so
 *             does an eviction; patches that wait become one.
 */
#include <event2/event.h>

#include "client/writer_internal.h"

enum {
    PARALLEL = 64,
    TRIES_MAX = 10,
    RETRY_MIN_MS = 50,
    RETRY_MAX_MS = 5000,
    RETRY_AFTER_MAX_S = 30,
    STATUS_EVERY = 256, /* while others wait, every so many requests is a status patch */
};

/* Status is for people; what makes pods run goes first. */
typedef enum { LINE_WORK, LINE_STATUS, LINE_COUNT } queue_line;

typedef enum { QUEUE_IDLE, QUEUE_READY, QUEUE_UNDER_WAY, QUEUE_PAUSED } queue_state;

struct queue {
    struct mst_writer *writer;
    struct mst_str key; /* of the map; behind the struct */
    struct mst_work *first, *last;
    struct queue *before, *next; /* in its line, READY */
    queue_line line;
    struct mst_request_handle *handle; /* UNDER_WAY */
    struct event *timer;               /* made for the first pause */
    queue_state state;
};

struct mst_writer {
    struct mst_writer_options options;
    struct mst_map queues; /* "kind ns/name" -> struct queue * */
    struct {
        struct queue *first, *last;
    } lines[LINE_COUNT]; /* those that are ready */
    uint32_t work_sent;  /* since the last status patch */
    uint32_t under_way, pending, status_pending;
    struct mst_rng rng;
    struct mst_buf key;
    struct mst_writer_request request;
    struct mst_event_recorder *recorder;
    struct mst_writer_stats stats;
};

struct mst_writer *mst_writer_new(const struct mst_writer_options *options)
{
    struct mst_writer *writer = mst_calloc(1, sizeof(*writer));
    writer->options = *options;
    struct mst_writer_options *o = &writer->options;
    o->parallel = o->parallel ? o->parallel : PARALLEL;
    o->tries_max = o->tries_max ? o->tries_max : TRIES_MAX;
    o->retry_min_ms = o->retry_min_ms ? o->retry_min_ms : RETRY_MIN_MS;
    o->retry_max_ms = o->retry_max_ms ? o->retry_max_ms : RETRY_MAX_MS;
    mst_rng_init(&writer->rng, o->seed);
    writer->recorder = mst_event_recorder_new(writer, o, &writer->stats);
    return writer;
}

int64_t mst_retry_delay_ms(const struct mst_writer_options *o, struct mst_rng *rng, uint32_t tries,
                           const struct mst_reply *reply)
{
    int64_t ms = MST_MAX(o->retry_min_ms, 0);
    for (uint32_t i = 1; i < tries && ms < o->retry_max_ms; i++)
        ms *= 2;
    ms = MST_MIN(ms, o->retry_max_ms);
    ms = MST_MAX(ms, MST_MIN(reply->retry_after_s, (int64_t)RETRY_AFTER_MAX_S) * 1000);
    return ms + (int64_t)mst_rng_below(rng, (uint64_t)ms / 4 + 1);
}

/* ---- queues ---- */

static bool is_status(const struct mst_work *work)
{
    return work->effect.kind == MST_EFFECT_POD_STATUS ||
           work->effect.kind == MST_EFFECT_GROUP_STATUS;
}

static queue_line line_of(const struct queue *queue)
{
    return is_status(queue->first) ? LINE_STATUS : LINE_WORK;
}

static void make_ready(struct queue *queue)
{
    struct mst_writer *writer = queue->writer;
    queue->state = QUEUE_READY;
    queue->line = line_of(queue);
    queue->next = NULL;
    queue->before = writer->lines[queue->line].last;
    *(queue->before ? &queue->before->next : &writer->lines[queue->line].first) = queue;
    writer->lines[queue->line].last = queue;
}

static void leave_line(struct queue *queue)
{
    struct mst_writer *writer = queue->writer;
    *(queue->before ? &queue->before->next : &writer->lines[queue->line].first) = queue->next;
    *(queue->next ? &queue->next->before : &writer->lines[queue->line].last) = queue->before;
}

/* NULL: none is ready. */
static struct queue *take_ready(struct mst_writer *writer)
{
    struct queue *work = writer->lines[LINE_WORK].first;
    struct queue *status = writer->lines[LINE_STATUS].first;
    struct queue *queue = work && status && writer->work_sent < STATUS_EVERY ? work
                          : status                                           ? status
                                                                             : work;
    if (!queue)
        return NULL;
    writer->work_sent = queue->line == LINE_WORK ? writer->work_sent + 1 : 0;
    leave_line(queue);
    return queue;
}

static struct mst_str key_of(struct mst_writer *writer, const struct mst_effect *effect)
{
    writer->key.n = 0;
    mst_buf_char(&writer->key, (char)('a' + effect->object_kind));
    mst_buf_str(&writer->key, effect->ns);
    mst_buf_char(&writer->key, '/');
    mst_buf_str(&writer->key, effect->name);
    return mst_buf_span(&writer->key);
}

static struct queue *queue_at(uint64_t value)
{
    return (struct queue *)(uintptr_t)value;
}

static struct queue *find_queue(struct mst_writer *writer, const struct mst_effect *effect)
{
    const struct mst_str key = key_of(writer, effect);
    uint64_t value;
    if (mst_map_get(&writer->queues, key, &value))
        return queue_at(value);
    struct queue *queue = mst_calloc(1, sizeof(*queue) + key.n);
    char *text = (char *)(queue + 1);
    memcpy(text, key.p, key.n);
    queue->writer = writer;
    queue->key = (struct mst_str){ text, key.n };
    mst_map_set(&writer->queues, key, (uint64_t)(uintptr_t)queue);
    return queue;
}

static void free_queue(struct queue *queue)
{
    if (queue->timer)
        event_free(queue->timer);
    mst_free(queue);
}

void mst_writer_free(struct mst_writer *writer)
{
    if (!writer)
        return;
    const struct mst_map_entry *e;
    for (uint32_t i = 0; mst_map_next(&writer->queues, &i, &e);) {
        struct queue *queue = queue_at(e->value);
        if (queue->handle)
            mst_client_cancel(writer->options.client, queue->handle);
        for (struct mst_work *work = queue->first, *next; work; work = next) {
            next = work->next;
            mst_work_free(work);
        }
        free_queue(queue);
    }
    mst_map_done(&writer->queues);
    mst_event_recorder_free(writer->recorder);
    mst_buf_done(&writer->key);
    mst_buf_done(&writer->request.path);
    mst_buf_done(&writer->request.body);
    mst_free(writer);
}

/* ---- what waits and what comes ---- */

static bool same_uid(const struct mst_work *work, const struct mst_effect *effect)
{
    return mst_str_eq(work->effect.uid, effect->uid);
}

/* The first work that nothing was sent for yet. */
static struct mst_work **first_untouched(struct queue *queue)
{
    const bool sent = queue->state == QUEUE_UNDER_WAY || queue->state == QUEUE_PAUSED;
    return sent ? &queue->first->next : &queue->first;
}

static void drop_patches(struct queue *queue, const struct mst_effect *effect)
{
    struct mst_work **at = first_untouched(queue);
    queue->last = at == &queue->first ? NULL : queue->first;
    while (*at) {
        struct mst_work *work = *at;
        if (!is_status(work) || !same_uid(work, effect)) {
            queue->last = work;
            at = &work->next;
            continue;
        }
        *at = work->next;
        mst_work_free(work);
        queue->writer->pending--;
        queue->writer->status_pending--;
    }
}

static bool has_bind(const struct queue *queue, const struct mst_effect *effect)
{
    for (const struct mst_work *work = queue->first; work; work = work->next)
        if (work->effect.kind == MST_EFFECT_BIND && same_uid(work, effect))
            return true;
    return false;
}

/* The last patch that waits takes the new one in: what both set is as the new one says. */
static bool merge(struct queue *queue, const struct mst_effect *effect)
{
    struct mst_work **at = first_untouched(queue);
    while (*at && (*at)->next)
        at = &(*at)->next;
    struct mst_work *old = *at;
    if (!old || !is_status(old) || !same_uid(old, effect))
        return false;
    struct mst_effect both = old->effect;
    if (effect->condition_set) {
        if (both.condition_set && !mst_str_eq(both.condition.type, effect->condition.type))
            return false;
        both.condition_set = true;
        both.condition = effect->condition;
    }
    if (effect->nominated_set) {
        both.nominated_set = true;
        both.nominated = effect->nominated;
    }
    *at = queue->last = mst_work_new(&queue->writer->options, &both);
    mst_work_free(old);
    return true;
}

static void append(struct queue *queue, struct mst_work *work)
{
    if (queue->first)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    queue->writer->pending++;
    queue->writer->status_pending += is_status(work);
    if (queue->state == QUEUE_IDLE)
        make_ready(queue);
}

/* ---- requests ---- */

static void send_request(struct queue *queue);

static void answer(const struct mst_writer *writer, const struct mst_work *work,
                   const struct mst_work_verdict *verdict)
{
    const bool is_done = verdict->fate == MST_WORK_DONE;
    const struct mst_event event = {
        .kind = is_done ? MST_EVENT_EFFECT_DONE : MST_EVENT_EFFECT_FAILED,
        .effect_id = work->effect.id,
        .gone = verdict->gone,
        .reason = is_done ? MST_STR_NONE : verdict->problem,
    };
    writer->options.answer(writer->options.ctx, &event);
}

static void count(struct mst_writer_stats *stats, const struct mst_work *work, bool is_done)
{
    switch (work->effect.kind) {
    case MST_EFFECT_BIND: *(is_done ? &stats->binds : &stats->bind_errors) += 1; break;
    case MST_EFFECT_EVICT: *(is_done ? &stats->evictions : &stats->eviction_errors) += 1; break;
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS:
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: *(is_done ? &stats->patches : &stats->patch_errors) += 1; break;
    case MST_EFFECT_ATTEMPT:
    case MST_EFFECT_EXTENDER:
    case MST_EFFECT_EVENT: break;
    }
}

static void log_failed_patch(const struct mst_writer *writer, const struct mst_work *work,
                             struct mst_str problem)
{
    const struct mst_log_pair pairs[] = {
        MST_KSTR("kind", mst_str_of(mst_kind_name(work->effect.object_kind))),
        MST_KSTR("namespace", work->effect.ns),
        MST_KSTR("name", work->effect.name),
        MST_KSTR("err", problem),
    };
    if (writer->options.log)
        mst_log_line(writer->options.log, MST_LOG_ERROR, __FILE__, __LINE__,
                     "Failed to patch status", pairs, MST_COUNT(pairs));
}

void mst_writer_pump(struct mst_writer *writer)
{
    while (writer->under_way < writer->options.parallel) {
        struct queue *queue = take_ready(writer);
        if (!queue)
            break;
        send_request(queue);
    }
    mst_event_recorder_pump(writer->recorder, writer->under_way,
                            writer->lines[LINE_WORK].first || writer->lines[LINE_STATUS].first);
}

/* The queue's first work is over. The queue may be freed. */
static void finish(struct queue *queue, const struct mst_work_verdict *verdict)
{
    struct mst_writer *writer = queue->writer;
    struct mst_work *work = queue->first;
    const bool is_done = verdict->fate == MST_WORK_DONE;
    queue->first = work->next;
    writer->pending--;
    writer->status_pending -= is_status(work);
    if (queue->first) {
        make_ready(queue);
    } else {
        mst_map_delete(&writer->queues, queue->key);
        free_queue(queue);
    }
    count(&writer->stats, work, is_done);
    if (!is_status(work))
        answer(writer, work, verdict);
    else if (!is_done)
        log_failed_patch(writer, work, verdict->problem);
    mst_work_free(work);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct queue *queue = ctx;
    (void)fd;
    (void)what;
    mst_assert(queue->state == QUEUE_PAUSED);
    make_ready(queue);
    mst_writer_pump(queue->writer);
}

static void pause_queue(struct queue *queue, int64_t ms)
{
    if (!queue->timer) {
        queue->timer = evtimer_new(queue->writer->options.loop, on_timer, queue);
        mst_assert(queue->timer);
    }
    const struct timeval tv = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    queue->state = QUEUE_PAUSED;
    mst_assert(!evtimer_add(queue->timer, &tv));
}

static void on_reply(void *ctx, const struct mst_reply *reply)
{
    struct queue *queue = ctx;
    struct mst_writer *writer = queue->writer;
    struct mst_work *work = queue->first;
    mst_assert(queue->state == QUEUE_UNDER_WAY);
    queue->handle = NULL;
    writer->under_way--;
    struct mst_work_verdict verdict = mst_work_judge(work, reply);
    if (verdict.fate == MST_WORK_AGAIN && ++work->tries >= writer->options.tries_max)
        verdict.fate = MST_WORK_FAILED;
    switch (verdict.fate) {
    case MST_WORK_NEXT: send_request(queue); break;
    case MST_WORK_AGAIN:
        writer->stats.retries++;
        pause_queue(queue, mst_retry_delay_ms(&writer->options, &writer->rng, work->tries, reply));
        break;
    case MST_WORK_DONE:
    case MST_WORK_FAILED: finish(queue, &verdict); break;
    }
    mst_writer_pump(writer);
}

static void send_request(struct queue *queue)
{
    struct mst_writer *writer = queue->writer;
    struct mst_writer_request *request = &writer->request;
    mst_work_print(queue->first, writer->options.group_version, request);
    const struct mst_request_spec spec = {
        .method = request->method,
        .path = mst_buf_span(&request->path),
        .type = request->type,
        .body = mst_buf_span(&request->body),
        .done = on_reply,
        .ctx = queue,
    };
    queue->state = QUEUE_UNDER_WAY;
    writer->under_way++;
    queue->handle = mst_client_send(writer->options.client, &spec);
}

/* ---- the door ---- */

void mst_writer_effect(struct mst_writer *writer, const struct mst_effect *effect,
                       struct mst_str scheduler_name)
{
    mst_assert(effect->kind != MST_EFFECT_ATTEMPT && effect->kind != MST_EFFECT_EXTENDER);
    mst_assert(!effect->call); /* a bind that an extender carries out is not ours */
    if (effect->kind == MST_EFFECT_EVENT) {
        mst_event_recorder_take(writer->recorder, effect, scheduler_name);
        mst_writer_pump(writer);
        return;
    }
    struct queue *queue = find_queue(writer, effect);
    if (effect->kind == MST_EFFECT_BIND || effect->kind == MST_EFFECT_EVICT)
        drop_patches(queue, effect);
    else if (effect->kind == MST_EFFECT_POD_STATUS && has_bind(queue, effect))
        return; /* a binding says more than any patch */
    else if ((effect->kind == MST_EFFECT_POD_STATUS || effect->kind == MST_EFFECT_GROUP_STATUS) &&
             merge(queue, effect))
        return;
    append(queue, mst_work_new(&writer->options, effect));
    if (queue->state == QUEUE_READY && queue->line != line_of(queue)) {
        leave_line(queue); /* a patch was dropped for what stands first now */
        make_ready(queue);
    }
    mst_writer_pump(writer);
}

uint32_t mst_writer_pending(const struct mst_writer *writer)
{
    return writer->pending;
}

uint32_t mst_writer_work_pending(const struct mst_writer *writer)
{
    return writer->pending - writer->status_pending;
}

uint32_t mst_writer_events_pending(const struct mst_writer *writer)
{
    return mst_event_recorder_pending(writer->recorder);
}

struct mst_writer_stats mst_writer_stats_of(const struct mst_writer *writer)
{
    return writer->stats;
}
