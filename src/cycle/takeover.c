/*
 * takeover.c - what the process before this one began and did not finish, as its traces in the
 * objects tell.
 *
 * - A group has the members that it needs, and its object does not say so: the process was killed
 *   before the patch was sent.
 * - A group that goes as a whole is half evicted. Its other pods follow (evict_rest.c).
 *
 * Invariants: profile muster alone, once, before the first attempt; only what this scheduler's
 *             profiles began, never another scheduler's work.
 * Source:     spec/scheduling.md 4.4, spec/preemption.md 8.
 */
#include "cycle/evict_internal.h"

static bool runs(const struct mst_pod_row *pod)
{
    return pod->assigned && !pod->deleting;
}

/* ---- groups that are scheduled ---- */

static bool has_member_of_ours(const struct mst_cluster *c, const struct mst_group_row *g)
{
    for (uint32_t pod = g->first_pod; pod != MST_ROW_NONE; pod = c->pods.v[pod].group_next)
        if (runs(&c->pods.v[pod]) && c->pods.v[pod].known_profile)
            return true;
    return false;
}

static void tell_scheduled(struct mst_engine *engine, uint32_t group)
{
    const struct mst_group_row *g = &engine->cluster.groups.v[group];
    if (g->policy != MST_POLICY_UNSET && !g->parent.n && g->scheduled_count >= g->min_count &&
        has_member_of_ours(&engine->cluster, g))
        mst_effect_group_status(engine, group, true, "Scheduled", MST_STR(""));
}

/* ---- groups that are half evicted ---- */

/* The traces of an eviction: when it was, and the words that its victims got. */
struct trace {
    int64_t since_s;
    struct mst_str why; /* "default-scheduler: preempting to ..." */
};

/* The condition is of a preemption that one of our profiles decided. */
static bool is_ours(const struct mst_engine *engine, const struct mst_cond *disruption,
                    struct trace *ret_trace)
{
    const struct mst_str why = disruption->message;
    if (!mst_str_is(disruption->status, "True") ||
        !mst_str_is(disruption->reason, "PreemptionByScheduler"))
        return false;
    for (uint32_t i = 0; i < engine->framework_count; i++) {
        const struct mst_str name = engine->frameworks[i].scheduler_name;
        if (why.n > name.n && why.p[name.n] == ':' &&
            mst_str_eq((struct mst_str){ why.p, name.n }, name)) {
            *ret_trace = (struct trace){ disruption->last_transition.unix_s, why };
            return true;
        }
    }
    return false;
}

/* It ran when the others were evicted. Pods that came later are not what was meant then. */
static bool is_left(const struct mst_pod_row *pod, const struct trace *trace)
{
    return runs(pod) && pod->created.unix_s < trace->since_s &&
           (!pod->start_time.set || pod->start_time.unix_s < trace->since_s);
}

static uint32_t left_count(const struct mst_cluster *c, const struct mst_group_row *g,
                           const struct trace *trace)
{
    uint32_t n = 0;
    for (uint32_t pod = g->first_pod; pod != MST_ROW_NONE; pod = c->pods.v[pod].group_next)
        n += is_left(&c->pods.v[pod], trace);
    return n;
}

/* The latest eviction of members that are on their way out. False: there are none. */
static bool some_go(const struct mst_engine *engine, const struct mst_group_row *g,
                    struct trace *ret_trace)
{
    const struct mst_cluster *c = &engine->cluster;
    struct trace trace;
    bool any = false;
    for (uint32_t pod = g->first_pod; pod != MST_ROW_NONE; pod = c->pods.v[pod].group_next) {
        const struct mst_pod_row *p = &c->pods.v[pod];
        if (!mst_pod_preempted(p) || !is_ours(engine, &p->disruption, &trace))
            continue;
        if (!any || trace.since_s > ret_trace->since_s)
            *ret_trace = trace;
        any = true;
    }
    return any;
}

/*
 * Of members that are gone only the group's own condition tells. That is also there before the
 * first eviction, so it counts that fewer are left than the gang needs.
 */
static void evict_left(struct mst_engine *engine, uint32_t group)
{
    const struct mst_cluster *c = &engine->cluster;
    const struct mst_group_row *g = &c->groups.v[group];
    struct trace trace;
    if (!g->disrupted_whole)
        return;
    const bool going = some_go(engine, g, &trace);
    if (!going && (g->policy != MST_POLICY_GANG || !is_ours(engine, &g->disruption, &trace)))
        return;
    const uint32_t n = left_count(c, g, &trace);
    if (!n || (!going && n >= g->min_count))
        return;
    mst_effect_group_disrupted(engine, group, trace.why);
    struct mst_eviction *e = mst_eviction_rest_new(engine, trace.why, n);
    for (uint32_t pod = g->first_pod; pod != MST_ROW_NONE; pod = c->pods.v[pod].group_next)
        if (is_left(&c->pods.v[pod], &trace))
            e->victims[e->n++] = mst_eviction_victim_of(engine, e, pod);
}

void mst_engine_take_over(struct mst_engine *engine)
{
    for (uint32_t i = 0; i < engine->cluster.groups.n; i++) {
        if (!engine->cluster.groups.v[i].known)
            continue;
        tell_scheduled(engine, i);
        evict_left(engine, i);
    }
}
