/*
 * evict_awaited.c - what victims leave attached: noted with the eviction, waited for, given up.
 *
 * The wait is over when the volumes are detached, when somebody else keeps them attached, when the
 * preemptor goes, runs or is nominated elsewhere, and in any case six minutes after the last victim
 * that is on its way out has gone: by then Kubernetes' attach controller detaches by force. The
 * preemptor is tried again then as if nobody had been evicted for it, and volumes that are still
 * attached count like any others that no known pod uses. A victim that is not on its way out (its
 * eviction failed) is waited for no longer than that either.
 *
 * Invariants: profile muster alone. A restart of the process ends all waits.
 * Source:     spec/preemption.md 11 (After eviction).
 */
#include "cycle/evict_internal.h"
#include "plugins/attachables.h"

#define WAIT_MAX_NS (INT64_C(360) * 1000000000)

/* ---- what to wait for ---- */

struct noting {
    struct mst_engine *engine;
    const struct mst_view *view;
    const struct mst_preemption *preemption;
    struct mst_awaited *awaited;
};

static bool is_victim(const struct noting *n, uint32_t pod)
{
    for (uint32_t i = 0; i < n->preemption->victims.n; i++)
        if (n->preemption->victims.pods[i] == pod)
            return true;
    return false;
}

/* Volumes of the row that victims alone use. */
static void note_row(const struct noting *n, uint32_t row)
{
    struct mst_cluster *c = &n->engine->cluster;
    struct mst_arena *arena = &n->engine->arena;
    struct mst_attachables gone = { .arena = arena }, kept = { .arena = arena };
    for (uint32_t pod = c->nodes.first_pod[row]; pod != MST_ROW_NONE;
         pod = c->pods.v[pod].node_next) {
        const bool goes = c->pods.v[pod].deleting || is_victim(n, pod);
        (void)mst_attachables_of_pod(n->view, pod, arena, goes ? &gone : &kept);
        if (goes && c->pods.v[pod].volumes)
            mst_awaited_add_victim(c, n->awaited, pod);
    }
    for (uint32_t i = 0; i < gone.n; i++)
        if (!gone.v[i].unbound && !mst_attachables_have(&kept, &gone.v[i]))
            mst_awaited_add_volume(c, n->awaited, c->nodes.name[row], gone.v[i].driver,
                                   gone.v[i].handle);
}

static bool wants_attaching(const struct mst_view *view, uint32_t pod)
{
    const struct mst_pod_volumes *volumes =
        mst_cluster_volumes(view->cluster, view->cluster->pods.v[pod].volumes);
    for (uint32_t i = 0; volumes && i < volumes->list.n; i++)
        if (mst_is_attachable(&volumes->list.v[i]))
            return true;
    return false;
}

/* The promised row, once each, of pods that have volumes to attach. */
static void note_seat(const struct noting *n, uint32_t pod, uint32_t row, uint8_t *seen)
{
    if (row == MST_ROW_NONE || seen[row] || !wants_attaching(n->view, pod))
        return;
    seen[row] = 1;
    note_row(n, row);
}

void mst_eviction_await(struct mst_engine *engine, const struct mst_preemptor *p,
                        const struct mst_preemption *preemption)
{
    if (engine->config->upstream || !preemption->victims.n ||
        mst_framework_slot(p->fw, "NodeVolumeLimits") == MST_ROW_NONE)
        return;
    struct mst_cluster *c = &engine->cluster;
    uint8_t *seen = mst_arena_zalloc(&engine->arena, c->nodes.count, 1);
    const struct noting n = { .engine = engine,
                              .view = &p->fw->view,
                              .preemption = preemption,
                              .awaited = mst_awaited_begin(c, p->group, p->row) };
    if (!p->group)
        note_seat(&n, p->row, preemption->victims.node, seen);
    for (uint32_t i = 0; i < preemption->nomination_count; i++)
        note_seat(&n, preemption->nominations[i].pod, preemption->nominations[i].node, seen);
    n.awaited->leaving = mst_awaited_has_victims(c, n.awaited, true);
    n.awaited->deadline_ns = engine->now_ns + WAIT_MAX_NS;
    if (!n.awaited->volumes.n)
        mst_awaited_end(c, n.awaited->uid);
}

/* ---- until when ---- */

/* Or to no node: what the API server knows may be older than the decision. */
static bool may_be_nominated(const struct mst_cluster *c, uint32_t pod, mst_sym node)
{
    const mst_sym nominated = c->pods.v[pod].status_nominated;
    return (nominated == node || nominated == MST_SYM_NONE) && c->pods.v[pod].node == MST_ROW_NONE;
}

static bool is_nominated(const struct mst_cluster *c, const struct mst_awaited *a, mst_sym node)
{
    if (!a->group)
        return may_be_nominated(c, a->row, node);
    for (uint32_t pod = c->groups.v[a->row].first_pod; pod != MST_ROW_NONE;
         pod = c->pods.v[pod].group_next)
        if (may_be_nominated(c, pod, node))
            return true;
    return false;
}

static bool is_waiting(const struct mst_cluster *c, const struct mst_awaited *a)
{
    if (a->group)
        return a->row < c->groups.n && c->groups.v[a->row].live && c->groups.v[a->row].known &&
               mst_str_eq(c->groups.v[a->row].uid, a->uid);
    return c->pods.v[a->row].live && c->pods.v[a->row].node == MST_ROW_NONE &&
           mst_str_eq(c->pods.v[a->row].uid, a->uid);
}

/* There is still something to wait for. */
static bool is_open(const struct mst_engine *engine, const struct mst_awaited *a, bool victims)
{
    const struct mst_cluster *c = &engine->cluster;
    if (!is_waiting(c, a))
        return false;
    for (uint32_t i = 0; i < a->volumes.n; i++)
        if (is_nominated(c, a, a->volumes.v[i].node) &&
            (victims || mst_awaited_is_attached(&engine->frameworks[0].view, &a->volumes.v[i])))
            return true;
    return false;
}

void mst_awaited_changed(struct mst_engine *engine)
{
    struct mst_cluster *c = &engine->cluster;
    for (uint32_t i = 0; c->awaited && i < c->awaited->list.n;) {
        struct mst_awaited *a = c->awaited->list.v[i];
        if (!is_open(engine, a, mst_awaited_has_victims(c, a, false))) {
            mst_awaited_end(c, a->uid);
            continue;
        }
        const bool leaving = mst_awaited_has_victims(c, a, true);
        if (a->leaving && !leaving)
            a->deadline_ns = engine->now_ns + WAIT_MAX_NS;
        a->leaving = leaving;
        i++;
    }
}

int64_t mst_awaited_deadline(const struct mst_engine *engine)
{
    const struct mst_awaits *all = engine->cluster.awaited;
    int64_t deadline_ns = INT64_MAX;
    for (uint32_t i = 0; all && i < all->list.n; i++)
        if (!all->list.v[i]->leaving)
            deadline_ns = MST_MIN(deadline_ns, all->list.v[i]->deadline_ns);
    return deadline_ns;
}

void mst_awaited_poll(struct mst_engine *engine)
{
    struct mst_cluster *c = &engine->cluster;
    for (uint32_t i = 0; c->awaited && i < c->awaited->list.n;) {
        const struct mst_awaited *a = c->awaited->list.v[i];
        if (a->leaving || a->deadline_ns > engine->now_ns) {
            i++;
            continue;
        }
        if (is_waiting(c, a))
            mst_queue_activate(engine->queue, a->group, a->row, engine->now_ns);
        mst_awaited_end(c, a->uid);
    }
}
