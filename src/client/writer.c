/*
 * writer.c - effects of one object in their order, and the requests that carry them out.
 *
 * Owns:       what the effects of each object become, their timers, requests under way.
 * Invariants: a queue exists while it has work; it is in a line (READY), or its first work is under
 *             way, or it waits for its timer. The first work of a queue that is not ready is never
 *             replaced.
 * Not here:   which object's turn it is (writer_queues.c), what requests look like
 *             (writer_requests.c), what answers mean (writer_answers.c), Events (writer_events.c).
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
    GROUP_PAUSE_MS = 30000,
};

struct mst_writer {
    struct mst_writer_options options;
    struct mst_queues queues;
    struct event *patch_due; /* a patch that waits may go */
    uint32_t pending, status_pending;
    struct mst_rng rng;
    struct mst_writer_request request;
    struct mst_event_recorder *recorder;
    struct mst_writer_stats stats;
};

static void on_patch_due(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    mst_writer_pump(ctx);
}

struct mst_writer *mst_writer_new(const struct mst_writer_options *options)
{
    struct mst_writer *writer = mst_calloc(1, sizeof(*writer));
    writer->options = *options;
    struct mst_writer_options *o = &writer->options;
    o->parallel = o->parallel ? o->parallel : PARALLEL;
    o->tries_max = o->tries_max ? o->tries_max : TRIES_MAX;
    o->retry_min_ms = o->retry_min_ms ? o->retry_min_ms : RETRY_MIN_MS;
    o->retry_max_ms = o->retry_max_ms ? o->retry_max_ms : RETRY_MAX_MS;
    o->group_pause_ms = o->group_pause_ms ? o->group_pause_ms : GROUP_PAUSE_MS;
    mst_queues_init(&writer->queues, o);
    writer->patch_due = evtimer_new(o->loop, on_patch_due, writer);
    mst_assert(writer->patch_due);
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

void mst_writer_free(struct mst_writer *writer)
{
    if (!writer)
        return;
    uint32_t i = 0;
    for (struct mst_queue *queue; (queue = mst_queues_next(&writer->queues, &i));) {
        if (queue->handle)
            mst_client_cancel(writer->options.client, queue->handle);
        if (queue->timer)
            event_free(queue->timer);
        for (struct mst_work *work = queue->first, *next; work; work = next) {
            next = work->next;
            mst_work_free(work);
        }
    }
    mst_queues_done(&writer->queues);
    mst_event_recorder_free(writer->recorder);
    event_free(writer->patch_due);
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
static struct mst_work **first_untouched(struct mst_queue *queue)
{
    const bool sent = queue->state == MST_QUEUE_UNDER_WAY || queue->state == MST_QUEUE_PAUSED;
    return sent ? &queue->first->next : &queue->first;
}

static void drop_patches(struct mst_queue *queue, const struct mst_effect *effect)
{
    struct mst_work **at = first_untouched(queue);
    queue->last = at == &queue->first ? NULL : queue->first;
    while (*at) {
        struct mst_work *work = *at;
        if (!mst_work_is_status(work) || !same_uid(work, effect)) {
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

static bool has_bind(const struct mst_queue *queue, const struct mst_effect *effect)
{
    for (const struct mst_work *work = queue->first; work; work = work->next)
        if (work->effect.kind == MST_EFFECT_BIND && same_uid(work, effect))
            return true;
    return false;
}

/* The last patch that waits takes the new one in: what both set is as the new one says. */
static bool merge(struct mst_queue *queue, const struct mst_effect *effect)
{
    struct mst_work **at = first_untouched(queue);
    while (*at && (*at)->next)
        at = &(*at)->next;
    struct mst_work *old = *at;
    if (!old || !mst_work_is_status(old) || !same_uid(old, effect))
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
    if (queue->state == MST_QUEUE_READY)
        mst_queues_line_up(&queue->writer->queues, queue); /* a failure may be a success now */
    return true;
}

static void append(struct mst_queue *queue, struct mst_work *work)
{
    if (queue->first)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    queue->writer->pending++;
    queue->writer->status_pending += mst_work_is_status(work);
    /* READY: a patch may have been dropped for what stands first now. */
    if (queue->state == MST_QUEUE_IDLE || queue->state == MST_QUEUE_READY)
        mst_queues_line_up(&queue->writer->queues, queue);
}

/* ---- requests ---- */

static void send_request(struct mst_queue *queue);

void mst_arm(struct event *timer, int64_t ms)
{
    const struct timeval tv = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    mst_assert(!evtimer_add(timer, &tv));
}

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
    for (struct mst_queue *queue; (queue = mst_queues_take(&writer->queues));)
        send_request(queue);
    const int64_t patch_ms = mst_queues_patch_wait_ms(&writer->queues);
    if (patch_ms > 0 && !evtimer_pending(writer->patch_due, NULL))
        mst_arm(writer->patch_due, patch_ms);
    mst_event_recorder_pump(writer->recorder, mst_queues_under_way(&writer->queues),
                            mst_queues_wait(&writer->queues));
}

/* The queue's first work is over. The queue may be freed. */
static void finish(struct mst_queue *queue, const struct mst_work_verdict *verdict)
{
    struct mst_writer *writer = queue->writer;
    struct mst_work *work = queue->first;
    const bool is_done = verdict->fate == MST_WORK_DONE;
    queue->first = work->next;
    writer->pending--;
    writer->status_pending -= mst_work_is_status(work);
    if (queue->first) {
        mst_queues_line_up(&writer->queues, queue);
    } else {
        if (queue->timer)
            event_free(queue->timer);
        mst_queues_forget(&writer->queues, queue);
    }
    count(&writer->stats, work, is_done);
    if (!mst_work_is_status(work))
        answer(writer, work, verdict);
    else if (!is_done)
        log_failed_patch(writer, work, verdict->problem);
    mst_work_free(work);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_queue *queue = ctx;
    (void)fd;
    (void)what;
    mst_assert(queue->state == MST_QUEUE_PAUSED);
    mst_queues_line_up(&queue->writer->queues, queue);
    mst_writer_pump(queue->writer);
}

static void pause_queue(struct mst_queue *queue, int64_t ms)
{
    if (!queue->timer) {
        queue->timer = evtimer_new(queue->writer->options.loop, on_timer, queue);
        mst_assert(queue->timer);
    }
    queue->state = MST_QUEUE_PAUSED;
    mst_arm(queue->timer, ms);
}

/*
 * A group that was scheduled is attempted no more, so nobody would write its status again: that is
 * tried until the server says yes or no, after the usual tries with long pauses.
 */
static bool goes_on(const struct mst_writer *writer, const struct mst_work *work,
                    const struct mst_reply *reply)
{
    bool lost;
    return work->tries < writer->options.tries_max ||
           (work->effect.kind == MST_EFFECT_GROUP_STATUS && mst_reply_is_retriable(reply, &lost));
}

static int64_t pause_ms(struct mst_writer *writer, const struct mst_work *work,
                        const struct mst_reply *reply)
{
    return work->tries < writer->options.tries_max
               ? mst_retry_delay_ms(&writer->options, &writer->rng, work->tries, reply)
               : writer->options.group_pause_ms;
}

static void on_reply(void *ctx, const struct mst_reply *reply)
{
    struct mst_queue *queue = ctx;
    struct mst_writer *writer = queue->writer;
    struct mst_work *work = queue->first;
    queue->handle = NULL;
    struct mst_work_verdict verdict = mst_work_judge(work, reply);
    if (verdict.fate == MST_WORK_AGAIN) {
        work->tries++;
        if (!goes_on(writer, work, reply))
            verdict.fate = MST_WORK_FAILED;
        else if (work->tries == writer->options.tries_max)
            log_failed_patch(writer, work, verdict.problem);
    }
    if (verdict.fate != MST_WORK_NEXT)
        mst_queues_came_back(&writer->queues, queue);
    switch (verdict.fate) {
    case MST_WORK_NEXT: send_request(queue); break;
    case MST_WORK_AGAIN:
        writer->stats.retries++;
        pause_queue(queue, pause_ms(writer, work, reply));
        break;
    case MST_WORK_DONE:
    case MST_WORK_FAILED: finish(queue, &verdict); break;
    }
    mst_writer_pump(writer);
}

static void send_request(struct mst_queue *queue)
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
    struct mst_queue *queue = mst_queues_find(&writer->queues, effect);
    queue->writer = writer;
    if (effect->kind == MST_EFFECT_BIND || effect->kind == MST_EFFECT_EVICT)
        drop_patches(queue, effect);
    else if (effect->kind == MST_EFFECT_POD_STATUS && has_bind(queue, effect))
        return; /* a binding says more than any patch */
    else if ((effect->kind == MST_EFFECT_POD_STATUS || effect->kind == MST_EFFECT_GROUP_STATUS) &&
             merge(queue, effect))
        return;
    append(queue, mst_work_new(&writer->options, effect));
    mst_writer_pump(writer);
}

const struct mst_object *mst_writer_overlay(struct mst_writer *writer, struct mst_syms *syms,
                                            const struct mst_object *object,
                                            struct mst_object *room, struct mst_arena *arena)
{
    return writer->status_pending ? mst_queues_overlay(&writer->queues, syms, object, room, arena)
                                  : object;
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
