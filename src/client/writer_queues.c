/*
 * writer_queues.c - a queue for each object that has work, and whose turn it is.
 *
 * Invariants: a queue that is READY is in the line of its first work. What makes pods run goes
 *             first. Patches, which are for people and autoscalers, go when few of those requests
 *             are under way and none waits, and no later than wait_ms: then they take every other
 *             turn. That a group was scheduled is no news to those who see its pods run: beside
 *             other work so many of these patches go each second, the others when it is quiet.
 */
#include "client/backoff.h"
#include "client/writer_internal.h"

enum {
    BUSY_PART = 4, /* few: no more than this part of `parallel` */
    STATUS_WAIT_MS = 5000,
    SUCCESS_WAIT_MS = 30000,
    SUCCESS_QPS = 50, /* as Events */
    QUIET_MS = 250,   /* since the last answer to work */
};

void mst_queues_init(struct mst_queues *queues, const struct mst_writer_options *o)
{
    queues->parallel = o->parallel;
    queues->wait_ms[MST_LINE_STATUS] = o->status_wait_ms ? o->status_wait_ms : STATUS_WAIT_MS;
    queues->wait_ms[MST_LINE_SUCCESS] = o->success_wait_ms ? o->success_wait_ms : SUCCESS_WAIT_MS;
    queues->work_ms = mst_monotonic_ms() - QUIET_MS;
    const double qps = o->success_qps > 0 ? o->success_qps : SUCCESS_QPS;
    mst_rate_init(&queues->success_rate, qps, (int32_t)qps, mst_monotonic_ms() * MST_NS_PER_MS);
}

bool mst_work_is_status(const struct mst_work *work)
{
    return work->effect.kind == MST_EFFECT_POD_STATUS ||
           work->effect.kind == MST_EFFECT_GROUP_STATUS;
}

static mst_queue_line line_of(const struct mst_work *work)
{
    const struct mst_effect *e = &work->effect;
    if (!mst_work_is_status(work))
        return MST_LINE_WORK;
    const bool is_success = mst_str_eq(e->condition.type, MST_STR("PodGroupInitiallyScheduled")) &&
                            mst_str_eq(e->condition.status, MST_STR("True"));
    return is_success ? MST_LINE_SUCCESS : MST_LINE_STATUS;
}

static struct mst_str key_of(struct mst_queues *queues, mst_kind kind, struct mst_str ns,
                             struct mst_str name)
{
    queues->key.n = 0;
    mst_buf_char(&queues->key, (char)('a' + kind));
    mst_buf_str(&queues->key, ns);
    mst_buf_char(&queues->key, '/');
    mst_buf_str(&queues->key, name);
    return mst_buf_span(&queues->key);
}

static struct mst_queue *queue_at(uint64_t value)
{
    return (struct mst_queue *)(uintptr_t)value;
}

struct mst_queue *mst_queues_get(struct mst_queues *queues, mst_kind kind, struct mst_str ns,
                                 struct mst_str name)
{
    uint64_t value;
    return mst_map_get(&queues->by_object, key_of(queues, kind, ns, name), &value) ? queue_at(value)
                                                                                   : NULL;
}

struct mst_queue *mst_queues_find(struct mst_queues *queues, const struct mst_effect *effect)
{
    struct mst_queue *queue = mst_queues_get(queues, effect->object_kind, effect->ns, effect->name);
    if (queue)
        return queue;
    const struct mst_str key = mst_buf_span(&queues->key); /* as looked for */
    queue = mst_calloc(1, sizeof(*queue) + key.n);
    char *text = (char *)(queue + 1);
    memcpy(text, key.p, key.n);
    queue->key = (struct mst_str){ text, key.n };
    mst_map_set(&queues->by_object, key, (uint64_t)(uintptr_t)queue);
    return queue;
}

void mst_queues_forget(struct mst_queues *queues, struct mst_queue *queue)
{
    mst_map_delete(&queues->by_object, queue->key);
    mst_free(queue);
}

struct mst_queue *mst_queues_next(const struct mst_queues *queues, uint32_t *i)
{
    const struct mst_map_entry *e;
    return mst_map_next(&queues->by_object, i, &e) ? queue_at(e->value) : NULL;
}

void mst_queues_done(struct mst_queues *queues)
{
    uint32_t i = 0;
    for (struct mst_queue *queue; (queue = mst_queues_next(queues, &i));)
        mst_free(queue);
    mst_map_done(&queues->by_object);
    mst_buf_done(&queues->key);
}

/* ---- lines ---- */

static void leave_line(struct mst_queues *queues, struct mst_queue *queue)
{
    *(queue->before ? &queue->before->next : &queues->lines[queue->line].first) = queue->next;
    *(queue->next ? &queue->next->before : &queues->lines[queue->line].last) = queue->before;
}

void mst_queues_line_up(struct mst_queues *queues, struct mst_queue *queue)
{
    const mst_queue_line line = line_of(queue->first);
    if (queue->state == MST_QUEUE_READY) {
        if (queue->line == line)
            return;
        leave_line(queues, queue);
    }
    queue->state = MST_QUEUE_READY;
    queue->line = line;
    queue->ready_ms = mst_monotonic_ms();
    queue->next = NULL;
    queue->before = queues->lines[line].last;
    *(queue->before ? &queue->before->next : &queues->lines[line].first) = queue;
    queues->lines[line].last = queue;
}

/* Of a patch line; INT64_MAX: none waits there. */
static int64_t wait_of(const struct mst_queues *queues, mst_queue_line line, int64_t now_ms)
{
    const struct mst_queue *first = queues->lines[line].first;
    if (!first)
        return INT64_MAX;
    const uint32_t work = queues->under_way[MST_LINE_WORK];
    int64_t wait_ms = first->ready_ms + queues->wait_ms[line] - now_ms;
    if (!queues->lines[MST_LINE_WORK].first && work <= queues->parallel / BUSY_PART) {
        const int64_t rate_ns = line == MST_LINE_SUCCESS
                                    ? mst_rate_wait(&queues->success_rate, now_ms * MST_NS_PER_MS)
                                    : 0;
        wait_ms = MST_MIN(wait_ms, (rate_ns + MST_NS_PER_MS - 1) / MST_NS_PER_MS);
        if (!work)
            wait_ms = MST_MIN(wait_ms, queues->work_ms + QUIET_MS - now_ms);
    }
    return MST_MAX(wait_ms, (int64_t)0);
}

int64_t mst_queues_patch_wait_ms(const struct mst_queues *queues)
{
    const int64_t now_ms = mst_monotonic_ms();
    const int64_t wait_ms = MST_MIN(wait_of(queues, MST_LINE_STATUS, now_ms),
                                    wait_of(queues, MST_LINE_SUCCESS, now_ms));
    return wait_ms == INT64_MAX ? -1 : wait_ms;
}

/* NULL: none may go. */
static struct mst_queue *first_patch(const struct mst_queues *queues, int64_t now_ms)
{
    for (mst_queue_line line = MST_LINE_STATUS; line < MST_LINE_COUNT; line++)
        if (wait_of(queues, line, now_ms) == 0)
            return queues->lines[line].first;
    return NULL;
}

struct mst_queue *mst_queues_take(struct mst_queues *queues)
{
    if (mst_queues_under_way(queues) >= queues->parallel)
        return NULL;
    const int64_t now_ms = mst_monotonic_ms();
    struct mst_queue *queue = queues->lines[MST_LINE_WORK].first;
    struct mst_queue *patch = queue && queues->patch_went ? NULL : first_patch(queues, now_ms);
    queue = patch ? patch : queue;
    if (!queue)
        return NULL;
    leave_line(queues, queue);
    queue->state = MST_QUEUE_UNDER_WAY;
    queues->under_way[queue->line]++;
    queues->patch_went = queue->line != MST_LINE_WORK;
    if (queue->line == MST_LINE_SUCCESS)
        mst_rate_take(&queues->success_rate, now_ms * MST_NS_PER_MS);
    return queue;
}

void mst_queues_came_back(struct mst_queues *queues, struct mst_queue *queue)
{
    mst_assert(queue->state == MST_QUEUE_UNDER_WAY);
    queue->state = MST_QUEUE_IDLE;
    queues->under_way[queue->line]--;
    if (queue->line == MST_LINE_WORK)
        queues->work_ms = mst_monotonic_ms();
}

uint32_t mst_queues_under_way(const struct mst_queues *queues)
{
    uint32_t n = 0;
    for (size_t i = 0; i < MST_LINE_COUNT; i++)
        n += queues->under_way[i];
    return n;
}

bool mst_queues_wait(const struct mst_queues *queues)
{
    for (size_t i = 0; i < MST_LINE_COUNT; i++)
        if (queues->lines[i].first)
            return true;
    return false;
}
