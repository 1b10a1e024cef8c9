/*
 * stats.c - counting in the engine; all of it may be called without anything to count in.
 */
#include "cycle/stats.h"

#include "cycle/engine_internal.h"

void mst_stats_done(struct mst_stats *stats)
{
    mst_queue_stats_done(&stats->queue);
    mst_vec_done(&stats->pods);
    mst_vec_done(&stats->groups);
    mst_vec_done(&stats->bound);
    mst_vec_done(&stats->points);
    mst_vec_done(&stats->group_preemptions);
    mst_vec_done(&stats->victims);
    mst_vec_done(&stats->evictions);
    mst_vec_done(&stats->begun);
}

void mst_stats_reset(struct mst_stats *stats)
{
    mst_queue_stats_reset(&stats->queue);
    stats->pod_cycles = stats->group_cycles = stats->preemption_attempts = 0;
    stats->pods.n = stats->groups.n = stats->bound.n = stats->points.n = 0;
    stats->group_preemptions.n = stats->victims.n = stats->evictions.n = 0;
}

void mst_count_cycle(struct mst_engine *engine, bool group)
{
    if (engine->stats) {
        engine->stats->pod_cycles += !group;
        engine->stats->group_cycles += group;
    }
}

void mst_count_failed(struct mst_engine *engine, uint32_t pod, bool error, bool late)
{
    struct mst_stats *stats = engine->stats;
    if (!stats)
        return;
    const bool known = late && pod < stats->begun.n;
    mst_vec_push(&stats->pods,
                 (struct mst_stat_attempt){
                     .profile = engine->cluster.pods.v[pod].profile,
                     .result = error ? MST_RESULT_ERROR : MST_RESULT_UNSCHEDULABLE,
                     .ns = known ? engine->now_ns - stats->begun.v[pod].start_ns : 0 });
}

void mst_count_placed(struct mst_engine *engine, uint32_t pod)
{
    struct mst_stats *stats = engine->stats;
    if (!stats)
        return;
    while (stats->begun.n <= pod)
        mst_vec_push(&stats->begun, (struct mst_stat_begun){ 0 });
    struct mst_stat_begun *begun = &stats->begun.v[pod];
    *begun = (struct mst_stat_begun){ .start_ns = engine->now_ns,
                                      .initial_ns = mst_queue_since(engine->queue, pod),
                                      .plugins = mst_engine_plugins_turn(engine) };
    begun->attempts = mst_queue_tries(engine->queue, pod, &begun->after_flush);
}

/* `since_ns`: of what was begun for the pod. */
static void count_point(struct mst_engine *engine, uint32_t pod, struct mst_stat_point point,
                        int64_t since_ns)
{
    point.plugin = engine->stats->begun.v[pod].plugins ? point.plugin : NULL;
    point.ns = engine->now_ns - since_ns;
    mst_vec_push(&engine->stats->points, point);
}

void mst_count_pre_bound(struct mst_engine *engine, uint32_t pod, mst_code code, const char *plugin)
{
    if (engine->stats && pod < engine->stats->begun.n)
        count_point(engine, pod,
                    (struct mst_stat_point){ .profile = engine->cluster.pods.v[pod].profile,
                                             .point = MST_PART_PRE_BIND,
                                             .code = code,
                                             .plugin = plugin },
                    engine->stats->begun.v[pod].start_ns);
}

void mst_count_bind_sent(struct mst_engine *engine, uint32_t pod)
{
    if (engine->stats && pod < engine->stats->begun.n)
        engine->stats->begun.v[pod].sent_ns = engine->now_ns;
}

void mst_count_bind_answered(struct mst_engine *engine, uint32_t pod, uint32_t profile,
                             mst_code code)
{
    if (engine->stats && pod < engine->stats->begun.n)
        count_point(engine, pod,
                    (struct mst_stat_point){ .profile = profile,
                                             .point = MST_PART_BIND,
                                             .code = code,
                                             .plugin = "DefaultBinder" },
                    engine->stats->begun.v[pod].sent_ns);
}

void mst_count_bound(struct mst_engine *engine, uint32_t pod, uint32_t profile)
{
    struct mst_stats *stats = engine->stats;
    if (!stats || pod >= stats->begun.n)
        return;
    const struct mst_stat_begun *begun = &stats->begun.v[pod];
    mst_vec_push(&stats->pods, (struct mst_stat_attempt){ .profile = profile,
                                                          .result = MST_RESULT_SCHEDULED,
                                                          .ns = engine->now_ns - begun->start_ns });
    mst_vec_push(&stats->bound,
                 (struct mst_stat_bound){
                     .attempts = begun->attempts,
                     .sli_ns =
                         begun->initial_ns == INT64_MIN ? -1 : engine->now_ns - begun->initial_ns,
                     .after_flush = begun->after_flush,
                 });
}

void mst_count_group(struct mst_engine *engine, uint32_t profile, mst_result result)
{
    if (engine->stats)
        mst_vec_push(&engine->stats->groups,
                     (struct mst_stat_attempt){ .profile = profile, .result = result });
}

void mst_count_preemption(struct mst_engine *engine, bool group, mst_code code)
{
    if (!engine->stats)
        return;
    engine->stats->preemption_attempts += !group;
    if (group)
        mst_vec_push(&engine->stats->group_preemptions, code);
}

void mst_count_victims(struct mst_engine *engine, bool group, const struct mst_victims *victims)
{
    if (engine->stats)
        mst_vec_push(&engine->stats->victims,
                     (struct mst_stat_victims){ .group = group,
                                                .victims = victims->n,
                                                .violations = victims->violations,
                                                .group_disruptions = victims->group_disruptions });
}

void mst_count_eviction(struct mst_engine *engine, bool group, bool failed, int64_t began_ns)
{
    if (engine->stats)
        mst_vec_push(&engine->stats->evictions,
                     (struct mst_stat_eviction){
                         .group = group, .failed = failed, .ns = engine->now_ns - began_ns });
}

/* ---- what is ---- */

void mst_census_of(struct mst_engine *engine, struct mst_census *out)
{
    const struct mst_cluster *c = &engine->cluster;
    *out = (struct mst_census){ .nodes = c->nodes.count };
    mst_queue_depths_of(engine->queue, &out->queue);
    for (uint32_t i = engine->binds_begin; i < engine->binds.n; i++)
        out->binding += engine->binds.v[i].pod != MST_ROW_NONE;
    for (uint32_t i = 0; i < engine->held.n; i++)
        out->binding += engine->held.v[i].waits;
    for (uint32_t i = 0; i < c->pods.n; i++) {
        const struct mst_pod_row *p = &c->pods.v[i];
        if (!p->live)
            continue;
        out->pods += p->assigned || p->assumed;
        out->assumed_pods += p->assumed && !p->assigned;
    }
}

struct mst_batch_counts mst_engine_batch_counts(const struct mst_engine *engine, uint32_t profile)
{
    mst_assert(profile < engine->framework_count);
    return engine->batches ? engine->batches[profile].counts : (struct mst_batch_counts){ 0 };
}
