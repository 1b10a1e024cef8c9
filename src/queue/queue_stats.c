/*
 * queue_stats.c - counters of arrivals, and a census of who waits.
 */
#include "queue/queue_stats.h"

#include "queue/queue_internal.h"

void mst_queue_stats_done(struct mst_queue_stats *stats)
{
    mst_vec_done(&stats->incoming);
    stats->last = 0;
}

void mst_queue_stats_reset(struct mst_queue_stats *stats)
{
    stats->incoming.n = stats->last = 0;
}

static bool is(const struct mst_queue_incoming *in, const char *event, mst_store store)
{
    return in->store == store && (in->event == event || strcmp(in->event, event) == 0);
}

static struct mst_queue_incoming *find(struct mst_queue_stats *stats, const char *event,
                                       mst_store store)
{
    if (stats->last < stats->incoming.n && is(&stats->incoming.v[stats->last], event, store))
        return &stats->incoming.v[stats->last];
    uint32_t i = 0;
    while (i < stats->incoming.n && !is(&stats->incoming.v[i], event, store))
        i++;
    if (i == stats->incoming.n)
        mst_vec_push(&stats->incoming,
                     (struct mst_queue_incoming){ .event = event, .store = store });
    stats->last = i;
    return &stats->incoming.v[i];
}

void mst_queue_stats_add(struct mst_queue_stats *stats, const char *event, mst_store store,
                         uint64_t pods, bool group, bool moved)
{
    struct mst_queue_incoming *in =
        find(stats, event, store == MST_STORE_ERROR_BACKOFF ? MST_STORE_BACKOFF : store);
    in->pods += pods;
    in->entities[group] += moved;
}

uint32_t mst_queue_tries(const struct mst_queue *queue, uint32_t pod, bool *ret_after_flush)
{
    const struct mst_entity *e = mst_q_entity(queue, mst_q_id_of(queue, pod));
    *ret_after_flush = e->flush_ns != MST_Q_NEVER;
    return e->attempts;
}

/* ---- census ---- */

/* MST_DEPTH_COUNT: in no store. */
static mst_depth depth_of(const struct mst_entity *e)
{
    switch ((mst_store)e->store) {
    case MST_STORE_ACTIVE: return MST_DEPTH_ACTIVE;
    case MST_STORE_BACKOFF:
    case MST_STORE_ERROR_BACKOFF: return MST_DEPTH_BACKOFF;
    case MST_STORE_UNSCHEDULABLE: return e->gated ? MST_DEPTH_GATED : MST_DEPTH_UNSCHEDULABLE;
    case MST_STORE_NONE:
    case MST_STORE_INCOMPLETE:
    case MST_STORE_PENDING:
    case MST_STORE_POPPED: break;
    }
    return MST_DEPTH_COUNT;
}

void mst_queue_depths_of(const struct mst_queue *queue, struct mst_queue_depths *out)
{
    *out = (struct mst_queue_depths){ 0 };
    for (uint32_t i = 0; i < queue->pods.n; i++) {
        const struct mst_q_pod *p = &queue->pods.v[i];
        const mst_depth depth = depth_of(&p->e);
        if (p->group != MST_ROW_NONE || p->at != MST_AT_ENTITY || depth == MST_DEPTH_COUNT)
            continue;
        out->pods[depth]++;
        out->entities[depth][false]++;
    }
    for (uint32_t i = 0; i < queue->groups.n; i++) {
        const struct mst_q_group *g = &queue->groups.v[i];
        const mst_depth depth = depth_of(&g->e);
        out->pods[MST_DEPTH_INCOMPLETE] += g->incomplete.n;
        out->pods[MST_DEPTH_PENDING] += g->pending.n;
        if (depth == MST_DEPTH_COUNT)
            continue;
        out->pods[depth] += g->members.n;
        out->entities[depth][true]++;
    }
}

void mst_queue_count_rejected(const struct mst_queue *queue, uint64_t *counts)
{
    for (uint32_t i = 0; i < queue->pods.n; i++) {
        const struct mst_q_pod *p = &queue->pods.v[i];
        if (p->at == MST_AT_NONE || p->at == MST_AT_POPPED)
            continue;
        uint64_t slots = p->e.unschedulable | p->e.pending;
        for (; slots; slots &= slots - 1)
            counts[mst_q_row(queue, i)->profile * MST_SLOTS_MAX +
                   (uint32_t)__builtin_ctzll(slots)]++;
    }
}
