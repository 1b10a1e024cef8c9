/*
 * queue_held.c - members that are held before they are ever tried, why, and since when.
 *
 * Upstream says nothing to the owner of a pod that waits for its group; profile muster tells after
 * 10 s (PodScheduled=False, NotReadyForScheduling), and again when the reason changes.
 *
 * Owns:       the line of held members by time, and the list of those to be looked at again.
 * Invariants: a held member has one valid entry: in the line (WAITS), in `again` (AGAIN), or none
 *             because it was looked at and nothing changed since (DONE). An entry is stale when the
 *             hold it was made for is over.
 * Source:     spec/scheduling.md 1.3; K-5501.
 */
#include "queue/queue_internal.h"

#define HELD_NS ((int64_t)MST_HELD_S * MST_Q_SECOND)

void mst_q_hold(struct mst_queue *queue, uint32_t pod, int64_t now_ns)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    if (queue->o.config->upstream || p->hold_ns != MST_Q_NEVER)
        return;
    p->hold_ns = now_ns;
    p->notice = MST_NOTICE_WAITS;
    mst_vec_push(&queue->holds, (struct mst_q_hold){ .pod = pod, .hold_ns = now_ns });
}

void mst_q_unhold(struct mst_queue *queue, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    p->hold_ns = MST_Q_NEVER;
    p->notice = MST_NOTICE_NONE;
}

void mst_q_hold_changed(struct mst_queue *queue, uint32_t pod)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    if (p->notice != MST_NOTICE_DONE)
        return;
    p->notice = MST_NOTICE_AGAIN;
    mst_vec_push(&queue->again, pod);
}

int64_t mst_q_hold_deadline(const struct mst_queue *queue, int64_t now_ns)
{
    for (uint32_t i = queue->again_i; i < queue->again.n; i++)
        if (queue->pods.v[queue->again.v[i]].notice == MST_NOTICE_AGAIN)
            return now_ns;
    /* A stale entry at the front makes this early, not wrong; mst_queue_held drops it then. */
    if (queue->hold_i == queue->holds.n)
        return INT64_MAX;
    return MST_MAX(now_ns, queue->holds.v[queue->hold_i].hold_ns + HELD_NS);
}

/* ---- texts ---- */

/*
 * What the plugin that gates the entity has against this pod, or an absent span. Other plugins do
 * not count: what they think can change without the gate being looked at, and then the text that
 * was told would no longer be true.
 */
static struct mst_str own_text(struct mst_queue *queue, const struct mst_entity *e, uint32_t pod,
                               struct mst_arena *arena)
{
    const struct mst_framework *fw = mst_q_framework(queue, pod);
    const struct mst_plugin *gate = queue->o.frameworks[e->gate_profile].slots[e->gate_slot].plugin;
    uint32_t slot = 0;
    while (slot < fw->slot_count && fw->slots[slot].plugin != gate)
        slot++;
    if (slot == fw->slot_count)
        return MST_STR_NONE;
    struct mst_status status = { .plugin = MST_ROW_NONE };
    mst_framework_pre_enqueue(fw, pod, slot, NULL, arena, &status);
    return status.code != MST_SUCCESS && status.plugin == slot ? status.reason : MST_STR_NONE;
}

static struct mst_str incomplete_text(struct mst_queue *queue, uint32_t pod,
                                      struct mst_arena *arena)
{
    const struct mst_group_row *row = &queue->o.cluster->groups.v[queue->pods.v[pod].group];
    if (row->live && row->known)
        return MST_STR("composite pod groups are not supported by this version of muster");
    return mst_arena_printf(arena,
                            "waiting for pods's pod group \"%.*s\" to appear in scheduling queue",
                            MST_ARG(row->name));
}

struct mst_str mst_queue_gate_text(struct mst_queue *queue, uint32_t pod, struct mst_arena *arena)
{
    if (pod >= queue->pods.n)
        return MST_STR_NONE;
    const struct mst_q_pod *p = &queue->pods.v[pod];
    if (p->at == MST_AT_INCOMPLETE)
        return incomplete_text(queue, pod, arena);
    if (p->at != MST_AT_ENTITY)
        return MST_STR_NONE;
    const struct mst_entity *e = mst_q_entity(queue, mst_q_id_of(queue, pod));
    if (!e->gated)
        return MST_STR_NONE;
    struct mst_str text = own_text(queue, e, pod, arena);
    if (text.p || e->gate_pod == MST_ROW_NONE || e->gate_pod == pod)
        return text;
    /* The pod could go, were it not for another member: upstream has no words for that. */
    text = own_text(queue, e, e->gate_pod, arena);
    if (!text.p)
        return MST_STR_NONE;
    return mst_arena_printf(arena, "waiting for pod \"%.*s\" of the pod group: %.*s",
                            MST_ARG(mst_q_row(queue, e->gate_pod)->name), MST_ARG(text));
}

/* ---- notices ---- */

/* Fills in the notice if there is something new to tell. */
static bool tell(struct mst_queue *queue, uint32_t pod, struct mst_arena *arena,
                 struct mst_held *out)
{
    struct mst_q_pod *p = &queue->pods.v[pod];
    p->notice = MST_NOTICE_DONE;
    /* Its own gates are no news: the API server has said so at creation. */
    if (mst_q_row(queue, pod)->gates.n > 0)
        return false;
    struct mst_str text = mst_queue_gate_text(queue, pod, arena);
    if (!text.p)
        return false;
    uint64_t hash = mst_hash(text.p, text.n) | 1;
    if (hash == p->told)
        return false;
    p->told = hash;
    *out = (struct mst_held){ .pod = pod, .text = text };
    return true;
}

/* Forgets the part of the line that was read, once it is the larger part. */
static void compact(struct mst_queue *queue)
{
    if (queue->again_i == queue->again.n)
        queue->again.n = queue->again_i = 0;
    if (queue->hold_i <= queue->holds.n / 2)
        return;
    queue->holds.n -= queue->hold_i;
    memmove(queue->holds.v, queue->holds.v + queue->hold_i,
            queue->holds.n * sizeof(*queue->holds.v));
    queue->hold_i = 0;
}

uint32_t mst_queue_held(struct mst_queue *queue, int64_t now_ns, struct mst_arena *arena,
                        struct mst_held *out, uint32_t max)
{
    uint32_t n = 0;
    for (; n < max && queue->again_i < queue->again.n; queue->again_i++) {
        uint32_t pod = queue->again.v[queue->again_i];
        if (queue->pods.v[pod].notice == MST_NOTICE_AGAIN)
            n += tell(queue, pod, arena, &out[n]);
    }
    for (; n < max && queue->hold_i < queue->holds.n; queue->hold_i++) {
        struct mst_q_hold hold = queue->holds.v[queue->hold_i];
        const struct mst_q_pod *p = &queue->pods.v[hold.pod];
        bool valid = p->notice == MST_NOTICE_WAITS && p->hold_ns == hold.hold_ns;
        if (valid && now_ns - hold.hold_ns < HELD_NS)
            break;
        if (valid)
            n += tell(queue, hold.pod, arena, &out[n]);
    }
    compact(queue);
    return n;
}
