/*
 * calls.c - calls to HTTP extenders beside the event loop.
 *
 * Owns:       two queues under one lock: calls to send, calls that came back. The pipe wakes the
 *             loop, the condition wakes the thread.
 * Invariants: a call is in one of the queues or in the hands of one thread.
 */
#include "daemon/calls.h"

#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "client/extender_client.h"

struct call {
    struct call *next;
    struct mst_arena arena;
    struct mst_extender_call call;
    struct mst_str url;
    uint64_t effect_id;
    struct mst_buf body, text;
    bool ok;
};

struct queue {
    struct call *first, **end;
};

struct mst_calls {
    struct mst_calls_options options;
    struct mst_extender_client *client;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct queue to_send, back; /* under `lock` */
    bool stop;                  /* under `lock` */
    int pipe[2];
    struct event *readable;
    uint32_t pending;
};

static void put(struct queue *queue, struct call *call)
{
    call->next = NULL;
    *queue->end = call;
    queue->end = &call->next;
}

static struct call *take(struct queue *queue)
{
    struct call *call = queue->first;
    if (call) {
        queue->first = call->next;
        if (!queue->first)
            queue->end = &queue->first;
    }
    return call;
}

static void call_free(struct call *call)
{
    mst_buf_done(&call->body);
    mst_buf_done(&call->text);
    mst_arena_done(&call->arena);
    mst_free(call);
}

/* ---- the thread ---- */

static struct call *wait_for_call(struct mst_calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    while (!calls->stop && !calls->to_send.first)
        pthread_cond_wait(&calls->wake, &calls->lock);
    struct call *call = calls->stop ? NULL : take(&calls->to_send);
    pthread_mutex_unlock(&calls->lock);
    return call;
}

static void *send_all(void *ctx)
{
    struct mst_calls *calls = ctx;
    for (struct call *call; (call = wait_for_call(calls));) {
        call->ok = mst_extender_client_send(calls->client, &call->call, call->url,
                                            mst_buf_span(&call->body), &call->text);
        pthread_mutex_lock(&calls->lock);
        put(&calls->back, call);
        pthread_mutex_unlock(&calls->lock);
        /* A full pipe wakes the loop as well as one more byte would. */
        const ssize_t n = write(calls->pipe[1], "", 1);
        (void)n;
    }
    return NULL;
}

/* ---- the loop ---- */

static void answer(struct mst_calls *calls, struct call *call)
{
    const struct mst_str text = mst_buf_span(&call->text);
    struct mst_event event = { .effect_id = call->effect_id };
    event.kind = call->ok ? MST_EVENT_EFFECT_DONE : MST_EVENT_EFFECT_FAILED;
    if (call->ok)
        event.body = text;
    else
        event.reason = text;
    calls->pending--;
    calls->options.answer(calls->options.ctx, &event);
    call_free(call);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_calls *calls = ctx;
    char bytes[64];
    (void)what;
    while (read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
        continue;
    for (;;) {
        pthread_mutex_lock(&calls->lock);
        struct call *call = take(&calls->back);
        pthread_mutex_unlock(&calls->lock);
        if (!call)
            break;
        answer(calls, call);
    }
}

void mst_calls_effect(struct mst_calls *calls, const struct mst_effect *effect)
{
    mst_assert(effect->call);
    struct call *call = mst_calloc(1, sizeof(*call));
    call->effect_id = effect->id;
    call->url = mst_arena_str(&call->arena, effect->url);
    mst_extender_call_copy(&call->arena, effect->call, &call->call);
    mst_extender_body(&call->call, &calls->options.objects, &call->body);
    calls->pending++;
    pthread_mutex_lock(&calls->lock);
    put(&calls->to_send, call);
    pthread_cond_signal(&calls->wake);
    pthread_mutex_unlock(&calls->lock);
}

uint32_t mst_calls_pending(const struct mst_calls *calls)
{
    return calls->pending;
}

/* ---- lifecycle ---- */

mst_rc mst_calls_new(const struct mst_calls_options *options, struct mst_calls **out,
                     struct mst_err *err)
{
    struct mst_extender_client *client;
    const mst_rc rc = mst_extender_client_new(options->config, &client, err);
    if (rc)
        return rc;
    struct mst_calls *calls = mst_calloc(1, sizeof(*calls));
    *calls = (struct mst_calls){ .options = *options, .client = client };
    calls->to_send.end = &calls->to_send.first;
    calls->back.end = &calls->back.first;
    bool ok = pipe2(calls->pipe, O_CLOEXEC | O_NONBLOCK) == 0;
    mst_assert(ok);
    calls->readable =
        event_new(options->loop, calls->pipe[0], EV_READ | EV_PERSIST, on_readable, calls);
    ok = calls->readable && event_add(calls->readable, NULL) == 0;
    mst_assert(ok);
    pthread_mutex_init(&calls->lock, NULL);
    pthread_cond_init(&calls->wake, NULL);
    ok = pthread_create(&calls->thread, NULL, send_all, calls) == 0;
    mst_assert(ok);
    *out = calls;
    return MST_OK;
}

void mst_calls_free(struct mst_calls *calls)
{
    if (!calls)
        return;
    pthread_mutex_lock(&calls->lock);
    calls->stop = true;
    pthread_cond_signal(&calls->wake);
    pthread_mutex_unlock(&calls->lock);
    pthread_join(calls->thread, NULL);
    event_free(calls->readable);
    close(calls->pipe[0]);
    close(calls->pipe[1]);
    for (struct call *call; (call = take(&calls->to_send)) || (call = take(&calls->back));)
        call_free(call);
    pthread_cond_destroy(&calls->wake);
    pthread_mutex_destroy(&calls->lock);
    mst_extender_client_free(calls->client);
    mst_free(calls);
}
