/*
 * metrics_scheduler.c - from counts to series.
 */
#include "daemon/metrics_scheduler.h"

#include <stdio.h>

#include "daemon/metrics_families.h"
#include "daemon/metrics_marks.h"

enum { ATTEMPTS_LABEL_MAX = 15 };

struct mst_sched_metrics {
    struct mst_metric_family *families; /* those that are there */
    uint32_t index[MST_FAM_COUNT];      /* among them; UINT32_MAX: not there */
    struct mst_metrics *registry;
    struct mst_mark_metrics *marks;
    uint32_t profile_count;
    struct mst_batch_counts *batches; /* by profile: as last taken over */
    uint64_t *rejected;               /* [profile * MST_SLOTS_MAX + slot] */
    bool *rejected_before;            /* there is a series, also when it is 0 now */
};

struct mst_sched_metrics *mst_sched_metrics_new(const struct mst_config *config)
{
    struct mst_sched_metrics *m = mst_calloc(1, sizeof(*m));
    uint32_t n = 0;
    m->families = mst_calloc(MST_FAM_COUNT, sizeof(*m->families));
    for (uint32_t i = 0; i < MST_FAM_COUNT; i++) {
        const mst_gate gate = mst_family_gate((mst_fam)i);
        const bool there = gate == MST_GATE_COUNT || config->gates.on[gate];
        m->index[i] = there ? n : UINT32_MAX;
        if (there)
            m->families[n++] = mst_families[i];
    }
    m->registry = mst_metrics_new(m->families, n);
    m->marks = mst_mark_metrics_new(m->registry, m->index, config);
    m->profile_count = config->profiles.n;
    m->batches = mst_calloc(m->profile_count + 1, sizeof(*m->batches));
    m->rejected = mst_calloc((size_t)m->profile_count + 1, MST_SLOTS_MAX * sizeof(*m->rejected));
    m->rejected_before =
        mst_calloc((size_t)m->profile_count + 1, MST_SLOTS_MAX * sizeof(*m->rejected_before));
    return m;
}

void mst_sched_metrics_free(struct mst_sched_metrics *m)
{
    if (!m)
        return;
    mst_mark_metrics_free(m->marks);
    mst_metrics_free(m->registry);
    mst_free(m->families);
    mst_free(m->batches);
    mst_free(m->rejected);
    mst_free(m->rejected_before);
    mst_free(m);
}

const struct mst_marks *mst_sched_metrics_marks(const struct mst_sched_metrics *m)
{
    return mst_mark_metrics_marks(m->marks);
}

void mst_sched_metrics_set_clock(struct mst_sched_metrics *m, int64_t (*now_ns)(void *ctx),
                                 void *ctx)
{
    mst_mark_metrics_set_clock(m->marks, now_ns, ctx);
}

/* ---- series ---- */

static void add(struct mst_sched_metrics *m, mst_fam family, struct mst_label_values labels,
                double delta)
{
    if (m->index[family] != UINT32_MAX)
        mst_series_add(mst_metrics_series(m->registry, m->index[family], labels.v), delta);
}

static void set(struct mst_sched_metrics *m, mst_fam family, struct mst_label_values labels,
                double value)
{
    mst_series_set(mst_metrics_series(m->registry, m->index[family], labels.v), value);
}

static void observe(struct mst_sched_metrics *m, mst_fam family, struct mst_label_values labels,
                    double value, uint64_t times)
{
    if (times && m->index[family] != UINT32_MAX)
        mst_series_observe_n(mst_metrics_series(m->registry, m->index[family], labels.v), value,
                             times);
}

static struct mst_str profile_name(const struct mst_engine *engine, uint32_t profile)
{
    return mst_engine_framework(engine, profile)->scheduler_name;
}

static struct mst_str result_name(mst_result result)
{
    switch (result) {
    case MST_RESULT_SCHEDULED: return MST_STR("scheduled");
    case MST_RESULT_UNSCHEDULABLE: return MST_STR("unschedulable");
    case MST_RESULT_WAITING: return MST_STR("waiting_on_preemption");
    case MST_RESULT_ERROR: return MST_STR("error");
    case MST_RESULT_COUNT: break;
    }
    mst_assert(!"no result");
    return MST_STR_NONE;
}

static struct mst_str preemptor_name(bool group)
{
    return group ? MST_STR("podgroup") : MST_STR("pod");
}

/* ---- taking over ---- */

static void take_attempts(struct mst_sched_metrics *m, const struct mst_engine *engine,
                          const struct mst_stats *stats, double step_s)
{
    for (uint32_t i = 0; i < stats->pods.n; i++) {
        const struct mst_stat_attempt *a = &stats->pods.v[i];
        const struct mst_label_values labels =
            MST_LABEL_VALUES(result_name(a->result), profile_name(engine, a->profile));
        add(m, MST_FAM_SCHEDULE_ATTEMPTS, labels, 1);
        observe(m, MST_FAM_ATTEMPT_DURATION, labels, a->ns ? (double)a->ns * 1e-9 : step_s, 1);
    }
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct mst_stat_attempt *a = &stats->groups.v[i];
        const struct mst_label_values labels =
            MST_LABEL_VALUES(result_name(a->result), profile_name(engine, a->profile));
        add(m, MST_FAM_GROUP_ATTEMPTS, labels, 1);
        observe(m, MST_FAM_GROUP_DURATION, labels, step_s, 1);
    }
    observe(m, MST_FAM_ALGORITHM_DURATION, MST_LABEL_VALUES(MST_STR_NONE), step_s,
            stats->pod_cycles);
    observe(m, MST_FAM_GROUP_ALGORITHM, MST_LABEL_VALUES(MST_STR_NONE), step_s,
            stats->group_cycles);
}

static void take_bound(struct mst_sched_metrics *m, const struct mst_stats *stats)
{
    for (uint32_t i = 0; i < stats->bound.n; i++) {
        const struct mst_stat_bound *b = &stats->bound.v[i];
        char attempts[16];
        snprintf(attempts, sizeof(attempts), "%u%s", MST_MIN(b->attempts, ATTEMPTS_LABEL_MAX + 0u),
                 b->attempts >= ATTEMPTS_LABEL_MAX ? "+" : "");
        observe(m, MST_FAM_POD_ATTEMPTS, MST_LABEL_VALUES(MST_STR_NONE), b->attempts, 1);
        if (b->sli_ns >= 0)
            observe(m, MST_FAM_SLI_DURATION, MST_LABEL_VALUES(mst_str_of(attempts)),
                    (double)b->sli_ns * 1e-9, 1);
        if (b->after_flush)
            add(m, MST_FAM_AFTER_FLUSH, MST_LABEL_VALUES(MST_STR_NONE), 1);
    }
}

static void take_points(struct mst_sched_metrics *m, const struct mst_stats *stats)
{
    for (uint32_t i = 0; i < stats->points.n; i++) {
        const struct mst_stat_point *p = &stats->points.v[i];
        mst_mark_metrics_observe(m->marks, p->point,
                                 &(struct mst_sample){
                                     .profile = p->profile, .code = p->code, .plugin = p->plugin },
                                 (double)p->ns * 1e-9);
    }
}

static void take_preemptions(struct mst_sched_metrics *m, const struct mst_stats *stats)
{
    add(m, MST_FAM_PREEMPTION_ATTEMPTS, MST_LABEL_VALUES(MST_STR_NONE), stats->preemption_attempts);
    for (uint32_t i = 0; i < stats->group_preemptions.n; i++)
        add(m, MST_FAM_GROUP_PREEMPTIONS,
            MST_LABEL_VALUES(mst_str_of(mst_code_name(stats->group_preemptions.v[i]))), 1);
    for (uint32_t i = 0; i < stats->victims.n; i++) {
        const struct mst_stat_victims *v = &stats->victims.v[i];
        const struct mst_label_values preemptor = MST_LABEL_VALUES(preemptor_name(v->group));
        observe(m, v->group ? MST_FAM_GROUP_VICTIMS : MST_FAM_PREEMPTION_VICTIMS,
                MST_LABEL_VALUES(MST_STR_NONE), v->victims, 1);
        observe(m, MST_FAM_GROUP_DISRUPTIONS, preemptor, v->group_disruptions,
                v->group_disruptions > 0);
        if (v->violations)
            add(m, MST_FAM_PDB_VIOLATIONS, preemptor, v->violations);
    }
    for (uint32_t i = 0; i < stats->evictions.n; i++) {
        const struct mst_stat_eviction *e = &stats->evictions.v[i];
        const struct mst_str result = e->failed ? MST_STR("error") : MST_STR("success");
        const double seconds = (double)e->ns * 1e-9;
        add(m, MST_FAM_EVICTIONS, MST_LABEL_VALUES(result), 1);
        observe(m, MST_FAM_EVICTION_DURATION, MST_LABEL_VALUES(result), seconds, 1);
        observe(m, MST_FAM_PREEMPTION_EXECUTION, MST_LABEL_VALUES(preemptor_name(e->group), result),
                seconds, 1);
    }
}

static void take_queue(struct mst_sched_metrics *m, const struct mst_queue_stats *stats)
{
    for (uint32_t i = 0; i < stats->incoming.n; i++) {
        const struct mst_queue_incoming *in = &stats->incoming.v[i];
        const struct mst_str event = mst_str_of(in->event);
        const struct mst_str queue = in->store == MST_STORE_ACTIVE    ? MST_STR("active")
                                     : in->store == MST_STORE_BACKOFF ? MST_STR("backoff")
                                                                      : MST_STR("unschedulable");
        add(m, MST_FAM_INCOMING_PODS, MST_LABEL_VALUES(queue, event), (double)in->pods);
        for (int group = 0; group < 2; group++)
            if (in->entities[group])
                add(m, MST_FAM_INCOMING_ENTITIES,
                    MST_LABEL_VALUES(queue, event, preemptor_name(group)),
                    (double)in->entities[group]);
    }
}

void mst_sched_metrics_take(struct mst_sched_metrics *m, const struct mst_engine *engine,
                            struct mst_stats *stats, double step_s)
{
    take_attempts(m, engine, stats, step_s);
    take_bound(m, stats);
    take_points(m, stats);
    take_preemptions(m, stats);
    take_queue(m, &stats->queue);
    mst_stats_reset(stats);
}

/* ---- gauges, and counters that are kept elsewhere ---- */

static const struct mst_str DEPTHS[MST_DEPTH_COUNT] = {
    [MST_DEPTH_ACTIVE] = { "active", 6 },
    [MST_DEPTH_BACKOFF] = { "backoff", 7 },
    [MST_DEPTH_UNSCHEDULABLE] = { "unschedulable", 13 },
    [MST_DEPTH_GATED] = { "gated", 5 },
    [MST_DEPTH_INCOMPLETE] = { "incomplete", 10 },
    [MST_DEPTH_PENDING] = { "pending", 7 },
};

static void look(struct mst_sched_metrics *m, struct mst_engine *engine)
{
    struct mst_census census;
    mst_census_of(engine, &census);
    for (uint32_t i = 0; i < MST_DEPTH_COUNT; i++) {
        set(m, MST_FAM_PENDING_PODS, MST_LABEL_VALUES(DEPTHS[i]), (double)census.queue.pods[i]);
        for (int group = 0; group < 2 && i < MST_DEPTH_INCOMPLETE; group++)
            set(m, MST_FAM_QUEUED_ENTITIES, MST_LABEL_VALUES(DEPTHS[i], preemptor_name(group)),
                (double)census.queue.entities[i][group]);
    }
    set(m, MST_FAM_CACHE_SIZE, MST_LABEL_VALUES(MST_STR("nodes")), (double)census.nodes);
    set(m, MST_FAM_CACHE_SIZE, MST_LABEL_VALUES(MST_STR("pods")), (double)census.pods);
    set(m, MST_FAM_CACHE_SIZE, MST_LABEL_VALUES(MST_STR("assumed_pods")),
        (double)census.assumed_pods);
    set(m, MST_FAM_GOROUTINES, MST_LABEL_VALUES(MST_STR("binding")), (double)census.binding);
}

static void look_at_rejected(struct mst_sched_metrics *m, struct mst_engine *engine)
{
    const uint32_t n = m->profile_count * MST_SLOTS_MAX;
    memset(m->rejected, 0, n * sizeof(*m->rejected));
    mst_queue_count_rejected(mst_engine_queue(engine), m->rejected);
    for (uint32_t i = 0; i < n; i++) {
        if (!m->rejected[i] && !m->rejected_before[i])
            continue;
        m->rejected_before[i] = true;
        const struct mst_framework *fw = mst_engine_framework(engine, i / MST_SLOTS_MAX);
        const struct mst_str plugin = mst_str_of(mst_framework_slot_name(fw, i % MST_SLOTS_MAX));
        set(m, MST_FAM_UNSCHEDULABLE_PODS, MST_LABEL_VALUES(plugin, fw->scheduler_name),
            (double)m->rejected[i]);
    }
}

static const struct mst_str FLUSHES[MST_BATCH_FLUSH_COUNT] = {
    [MST_BATCH_POD_FAILED] = { "pod_failed", 10 },
    [MST_BATCH_POD_SKIPPED] = { "pod_skipped", 11 },
    [MST_BATCH_POD_NOMINATED] = { "pod_nominated", 13 },
    [MST_BATCH_NODE_MISSING] = { "node_missing", 12 },
    [MST_BATCH_EMPTY_LIST] = { "empty_list", 10 },
    [MST_BATCH_EXPIRED] = { "expired", 7 },
    [MST_BATCH_POD_INCOMPATIBLE] = { "pod_incompatible", 16 },
    [MST_BATCH_POD_NOT_BATCHABLE] = { "pod_not_batchable", 17 },
};

static void add_more(struct mst_sched_metrics *m, mst_fam family, struct mst_label_values labels,
                     uint64_t now, uint64_t before)
{
    if (now > before)
        add(m, family, labels, (double)(now - before));
}

static void look_at_batches(struct mst_sched_metrics *m, struct mst_engine *engine)
{
    for (uint32_t i = 0; i < m->profile_count; i++) {
        const struct mst_batch_counts now = mst_engine_batch_counts(engine, i);
        const struct mst_batch_counts *before = &m->batches[i];
        const struct mst_str profile = profile_name(engine, i);
        add_more(m, MST_FAM_BATCH_ATTEMPTS, MST_LABEL_VALUES(profile, MST_STR("no_hint")),
                 now.no_hint, before->no_hint);
        add_more(m, MST_FAM_BATCH_ATTEMPTS, MST_LABEL_VALUES(profile, MST_STR("hint_used")),
                 now.hint_used, before->hint_used);
        add_more(m, MST_FAM_BATCH_ATTEMPTS, MST_LABEL_VALUES(profile, MST_STR("hint_not_used")),
                 now.hint_not_used, before->hint_not_used);
        add_more(m, MST_FAM_BATCH_RESCORES, MST_LABEL_VALUES(profile), now.rescores,
                 before->rescores);
        for (uint32_t k = MST_BATCH_USABLE + 1; k < MST_BATCH_FLUSH_COUNT; k++)
            add_more(m, MST_FAM_BATCH_FLUSHED, MST_LABEL_VALUES(profile, FLUSHES[k]),
                     now.flushed[k], before->flushed[k]);
        m->batches[i] = now;
    }
}

void mst_sched_metrics_print(struct mst_sched_metrics *m, struct mst_engine *engine,
                             struct mst_buf *out)
{
    look(m, engine);
    look_at_rejected(m, engine);
    look_at_batches(m, engine);
    mst_metrics_print(m->registry, out);
}

void mst_sched_metrics_reset(struct mst_sched_metrics *m)
{
    mst_metrics_reset(m->registry);
    mst_mark_metrics_forget(m->marks);
    memset(m->rejected_before, 0, m->profile_count * MST_SLOTS_MAX * sizeof(*m->rejected_before));
}
