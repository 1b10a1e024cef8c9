/*
 * domain_run.h - one class of a plugin that counts pods, kept in step as the verdict cache does it:
 * PreFilter once, then the rows that changed, then one pick.
 */
#ifndef MST_DOMAIN_RUN_H
#define MST_DOMAIN_RUN_H

#include "cluster_helper.h"

struct domain_run {
    struct mst_fixture *f;
    const struct fixture_plugin *p;
    struct mst_arena arena;
    struct mst_pre_filter pre;
    struct mst_pre_score score;
    uint64_t change_at;
    mst_verdict *verdict;  /* of the last pick; NULL: PreFilter did not succeed */
    int64_t *raw, *normal; /* NULL: skipped or failed */
    uint32_t feasible;
};

static inline struct domain_run *domain_run_new(struct mst_fixture *f,
                                                const struct fixture_plugin *p, const char *pod)
{
    struct domain_run *run = mst_calloc(1, sizeof(*run));
    const struct mst_class *klass = fixture_class(f, pod);
    run->f = f;
    run->p = p;
    p->plugin->pre_filter(&f->view, p->instance, klass, &run->arena, &run->pre);
    p->plugin->pre_score(&f->view, p->instance, klass, &run->arena, &run->score);
    for (uint32_t row = 0; row < f->cluster.nodes.count; row++)
        (void)p->plugin->row_changed(&f->view, p->instance, run->pre.state, row);
    run->change_at = mst_nodes_change_end(&f->cluster.nodes);
    return run;
}

static inline void domain_run_free(struct domain_run *run)
{
    mst_arena_done(&run->arena);
    mst_free(run);
}

static inline void domain_run_sync(struct domain_run *run)
{
    const struct mst_nodes *nodes = &run->f->cluster.nodes;
    mst_assert(run->change_at >= nodes->change_first);
    for (; run->change_at < mst_nodes_change_end(nodes); run->change_at++)
        (void)run->p->plugin->row_changed(&run->f->view, run->p->instance, run->pre.state,
                                          nodes->changes.v[run->change_at - nodes->change_first]);
}

/*
 * Filter, score, normalise. `hidden` (may be NULL): rows that some other plugin rejects. The texts
 * of explain are checked where they are asked for, with domain_run_verdict.
 */
static inline void domain_run_pick(struct domain_run *run, const bool *hidden)
{
    const struct mst_plugin *plugin = run->p->plugin;
    const struct mst_view *view = &run->f->view;
    const uint32_t n = run->f->cluster.nodes.count;
    domain_run_sync(run);
    run->verdict = MST_NEW_N(&run->f->arena, mst_verdict, n);
    mst_verdict *single = MST_NEW_N(&run->f->arena, mst_verdict, n);
    plugin->begin_pick(view, run->p->instance, run->pre.state);
    if (run->pre.code == MST_SUCCESS) {
        plugin->filter(view, run->p->instance, run->pre.state, 0, n, FIXTURE_REJECT, run->verdict);
        for (uint32_t row = 0; row < n; row++)
            plugin->filter(view, run->p->instance, run->pre.state, row, row + 1, FIXTURE_REJECT,
                           single);
        mst_assert(n == 0 || memcmp(run->verdict, single, n * sizeof(*single)) == 0);
    }
    for (uint32_t row = 0; row < n; row++)
        if (hidden && hidden[row] && run->verdict[row] == MST_VERDICT_OK)
            run->verdict[row] = MST_VERDICT_UNRESOLVABLE | 1u << MST_VERDICT_SLOT_SHIFT;
    run->feasible = 0;
    for (uint32_t row = 0; row < n; row++)
        run->feasible += run->verdict[row] == MST_VERDICT_OK;
    run->raw = run->normal = NULL;
    if (run->score.code != MST_SUCCESS ||
        plugin->pre_score_pick(view, run->p->instance, run->pre.state, run->verdict,
                               run->feasible) == MST_SKIP)
        return;
    run->raw = MST_NEW_N(&run->f->arena, int64_t, n);
    run->normal = MST_NEW_N(&run->f->arena, int64_t, n);
    plugin->score(view, run->p->instance, run->pre.state, 0, n, run->raw);
    for (uint32_t row = 0; row < n; row++) {
        plugin->score(view, run->p->instance, run->pre.state, row, row + 1, run->normal);
        mst_assert(run->normal[row] == run->raw[row]);
    }
    plugin->normalize_pick(view, run->p->instance, run->pre.state, run->verdict, run->normal);
}

/* "Success", "UaU: reason" and so on, of the last pick. */
static inline struct mst_str domain_run_verdict(struct domain_run *run, const char *node)
{
    if (run->pre.code == MST_SKIP)
        return MST_STR("Skip");
    if (run->pre.code != MST_SUCCESS)
        return mst_arena_printf(&run->f->arena, "PreFilter %s: %.*s", mst_code_name(run->pre.code),
                                MST_ARG(run->pre.reason));
    const uint32_t row = fixture_node(run->f, node);
    const mst_verdict v = run->verdict[row];
    if (v == MST_VERDICT_OK)
        return MST_STR("Success");
    struct mst_reasons reasons = { .arena = &run->f->arena };
    run->p->plugin->explain(&run->f->view, run->p->instance, run->pre.state, row, v, &reasons);
    mst_assert(reasons.n == 1);
    return mst_arena_printf(&run->f->arena, "%s: %.*s", v & MST_VERDICT_UNRESOLVABLE ? "UaU" : "U",
                            MST_ARG(reasons.v[0]));
}

#endif
