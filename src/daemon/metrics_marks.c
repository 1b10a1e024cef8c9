/*
 * metrics_marks.c - the clock behind the engine's marks.
 *
 * Series of extension points are found by number and the last queueing hint's is kept: they are
 * observed for every pod.
 */
#include "daemon/metrics_marks.h"

#include "daemon/clock.h"

enum { CODES = MST_PENDING + 1 };

struct watch {
    int64_t shown_ns, since_ns;
    bool goes;
};

struct mst_mark_metrics {
    struct mst_marks marks;
    int64_t (*now_ns)(void *ctx);
    void *ctx;
    struct mst_metrics *registry;
    const uint32_t *index;
    const struct mst_config *config;
    struct watch watches[MST_PART_COUNT];
    struct mst_series **points; /* [(profile * MST_PART_POINTS + part) * CODES + code], or NULL */
    struct mst_sample hint;     /* the last one */
    struct mst_series *hint_series;
};

static const char *const point_names[MST_PART_POINTS] = {
    [MST_PART_PRE_ENQUEUE] = "PreEnqueue",
    [MST_PART_PRE_FILTER] = "PreFilter",
    [MST_PART_FILTER] = "Filter",
    [MST_PART_POST_FILTER] = "PostFilter",
    [MST_PART_PRE_SCORE] = "PreScore",
    [MST_PART_SCORE] = "Score",
    [MST_PART_NORMALIZE] = "ScoreExtensionNormalize",
    [MST_PART_RESERVE] = "Reserve",
    [MST_PART_UNRESERVE] = "Unreserve",
    [MST_PART_PERMIT] = "Permit",
    [MST_PART_PRE_FLIGHT] = "PreBindPreFlight",
    [MST_PART_PRE_BIND] = "PreBind",
    [MST_PART_BIND] = "Bind",
    [MST_PART_POST_BIND] = "PostBind",
    [MST_PART_SIGN] = "Sign",
    [MST_PART_PLACEMENT_FEASIBLE] = "PlacementFeasible",
    [MST_PART_GROUP_POST_FILTER] = "PodGroupPostFilter",
};

/* ---- stopwatches ---- */

static void zero(void *ctx, uint32_t parts)
{
    struct mst_mark_metrics *m = ctx;
    for (; parts; parts &= parts - 1)
        m->watches[__builtin_ctz(parts)] = (struct watch){ 0 };
}

static void go(void *ctx, mst_part part)
{
    struct mst_mark_metrics *m = ctx;
    mst_assert(!m->watches[part].goes);
    m->watches[part].goes = true;
    m->watches[part].since_ns = m->now_ns(m->ctx); /* last: our own work is not the engine's */
}

static void halt(void *ctx, mst_part part)
{
    struct mst_mark_metrics *m = ctx;
    struct watch *w = &m->watches[part];
    if (w->goes)
        w->shown_ns += m->now_ns(m->ctx) - w->since_ns;
    w->goes = false;
}

static void sample(void *ctx, mst_part part, const struct mst_sample *labels)
{
    struct mst_mark_metrics *m = ctx;
    halt(m, part);
    mst_mark_metrics_observe(m, part, labels, (double)m->watches[part].shown_ns * 1e-9);
}

/* ---- series ---- */

/* NULL: there is no such family. */
static struct mst_series *series_of(const struct mst_mark_metrics *m, mst_fam family,
                                    struct mst_label_values labels)
{
    if (m->index[family] == UINT32_MAX)
        return NULL;
    return mst_metrics_series(m->registry, m->index[family], labels.v);
}

static struct mst_str profile_of(const struct mst_mark_metrics *m, const struct mst_sample *labels)
{
    mst_assert(labels->profile < m->config->profiles.n);
    return m->config->profiles.v[labels->profile].scheduler_name;
}

static struct mst_str code_of(const struct mst_sample *labels)
{
    return mst_str_of(mst_code_name(labels->code));
}

static struct mst_series *point_series(struct mst_mark_metrics *m, mst_part part,
                                       const struct mst_sample *labels)
{
    const struct mst_str profile = profile_of(m, labels);
    struct mst_series **found =
        &m->points[(labels->profile * MST_PART_POINTS + part) * CODES + labels->code];
    if (!*found)
        *found =
            series_of(m, MST_FAM_POINT_DURATION,
                      MST_LABEL_VALUES(mst_str_of(point_names[part]), code_of(labels), profile));
    return *found;
}

static struct mst_series *plugin_series(const struct mst_mark_metrics *m, mst_part point,
                                        const struct mst_sample *labels)
{
    return series_of(m, MST_FAM_PLUGIN_DURATION,
                     MST_LABEL_VALUES(mst_str_of(labels->plugin), mst_str_of(point_names[point]),
                                      code_of(labels)));
}

static struct mst_series *hint_series(struct mst_mark_metrics *m, const struct mst_sample *labels)
{
    const struct mst_sample *last = &m->hint;
    if (m->hint_series && last->plugin == labels->plugin && last->event == labels->event &&
        last->yes == labels->yes)
        return m->hint_series;
    m->hint = *labels;
    m->hint_series =
        series_of(m, MST_FAM_HINT_DURATION,
                  MST_LABEL_VALUES(mst_str_of(labels->plugin), mst_str_of(labels->event),
                                   labels->yes ? MST_STR("Queue") : MST_STR("QueueSkip")));
    return m->hint_series;
}

static struct mst_series *preemption_series(const struct mst_mark_metrics *m,
                                            const struct mst_sample *labels)
{
    return series_of(m, MST_FAM_PREEMPTION_EVALUATION,
                     MST_LABEL_VALUES(labels->group ? MST_STR("podgroup") : MST_STR("pod"),
                                      code_of(labels)));
}

static struct mst_series *part_series(struct mst_mark_metrics *m, mst_part part,
                                      const struct mst_sample *labels)
{
    if (part < MST_PART_POINTS)
        return point_series(m, part, labels);
    if (part == MST_PART_PLUGIN)
        return plugin_series(m, labels->point, labels);
    if (part == MST_PART_QUEUE_HINT)
        return hint_series(m, labels);
    if (part == MST_PART_EVENT)
        return series_of(m, MST_FAM_EVENT_DURATION, MST_LABEL_VALUES(mst_str_of(labels->event)));
    if (part == MST_PART_PREEMPTION)
        return preemption_series(m, labels);
    const struct mst_str profile = profile_of(m, labels);
    if (part == MST_PART_NODE_HINT)
        return series_of(m, MST_FAM_NODE_HINT_DURATION,
                         MST_LABEL_VALUES(labels->yes ? MST_STR("hint") : MST_STR("no_hint"),
                                          profile));
    return series_of(m,
                     part == MST_PART_RESCORE ? MST_FAM_RESCORE_DURATION : MST_FAM_STORE_DURATION,
                     MST_LABEL_VALUES(profile));
}

void mst_mark_metrics_observe(struct mst_mark_metrics *m, mst_part part,
                              const struct mst_sample *labels, double seconds)
{
    struct mst_series *series = part_series(m, part, labels);
    if (series)
        mst_series_observe(series, seconds);
    if (part < MST_PART_POINTS && labels->plugin)
        mst_series_observe(plugin_series(m, part, labels), seconds);
}

/* ---- life ---- */

static int64_t mono(void *ctx)
{
    (void)ctx;
    return mst_mono_now();
}

static size_t point_count(const struct mst_mark_metrics *m)
{
    return (size_t)m->config->profiles.n * MST_PART_POINTS * CODES;
}

struct mst_mark_metrics *mst_mark_metrics_new(struct mst_metrics *registry, const uint32_t *index,
                                              const struct mst_config *config)
{
    struct mst_mark_metrics *m = mst_calloc(1, sizeof(*m));
    *m = (struct mst_mark_metrics){
        .marks = { .ctx = m, .zero = zero, .go = go, .halt = halt, .sample = sample },
        .now_ns = mono,
        .registry = registry,
        .index = index,
        .config = config,
    };
    m->points = mst_calloc(point_count(m) + 1, sizeof(*m->points));
    return m;
}

void mst_mark_metrics_free(struct mst_mark_metrics *m)
{
    if (!m)
        return;
    mst_free(m->points);
    mst_free(m);
}

const struct mst_marks *mst_mark_metrics_marks(const struct mst_mark_metrics *m)
{
    return &m->marks;
}

void mst_mark_metrics_set_clock(struct mst_mark_metrics *m, int64_t (*now_ns)(void *ctx), void *ctx)
{
    m->now_ns = now_ns;
    m->ctx = ctx;
}

void mst_mark_metrics_forget(struct mst_mark_metrics *m)
{
    memset(m->points, 0, point_count(m) * sizeof(*m->points));
    m->hint_series = NULL;
}
