/*
 * metrics_helper.h - an engine that is driven through a scenario (engine_helper.h), and
 * kube-scheduler's metrics of it as they are printed.
 */
#ifndef MST_METRICS_HELPER_H
#define MST_METRICS_HELPER_H

#include "daemon/metrics_scheduler.h"
#include "engine_helper.h"
#include "tap.h"

struct world {
    struct host *h;
    struct mst_stats stats;
    struct mst_sched_metrics *m;
    struct mst_buf text;
    /* for tests of marks: them, and their clock */
    const struct mst_marks *marks;
    int64_t now_ns, tick_ns;
};

/* All but the engine, which host_start begins with what the test adds. */
static inline void world_init(struct world *w, bool upstream, const char *config)
{
    *w = (struct world){ .h = host_with(upstream, config, NULL) };
    mst_engine_free(w->h->engine);
    w->m = mst_sched_metrics_new(&w->h->config);
    w->h->stats = &w->stats;
}

static inline void stop(struct world *w)
{
    host_free(w->h);
    mst_stats_done(&w->stats);
    mst_sched_metrics_free(w->m);
    mst_buf_done(&w->text);
}

/* Takes over with a step of 3 ms and prints. */
static inline void print(struct world *w)
{
    mst_sched_metrics_take(w->m, w->h->engine, &w->stats, 0.003);
    w->text.n = 0;
    mst_sched_metrics_print(w->m, w->h->engine, &w->text);
    mst_buf_char(&w->text, '\0');
}

/* The sample "scheduler_NAME VALUE" is there, as a whole line. */
static inline void want(struct mst_test *t, struct world *w, const char *sample)
{
    char line[300];
    snprintf(line, sizeof(line), "\nscheduler_%s\n", sample);
    if (!strstr(w->text.p, line))
        t_fail(t, "no sample %s in\n%s", sample, w->text.p);
    else
        t_ok(t, true);
}

#endif
