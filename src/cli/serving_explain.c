/*
 * serving_explain.c - /debug/explain: `muster explain`, of the scheduler that runs.
 */
#include "cli/explain_print.h"
#include "cli/serving_flags.h"

/* Row of the group or the pod of that name, or MST_ROW_NONE. */
static uint32_t find(const struct mst_cluster *cluster, bool group, mst_sym ns, struct mst_str name)
{
    if (!group)
        return mst_cluster_pod(cluster, ns, name);
    for (uint32_t row = 0; row < cluster->groups.n; row++) {
        const struct mst_group_row *g = &cluster->groups.v[row];
        if (g->live && g->known && g->ns == ns && mst_str_eq(g->name, name))
            return row;
    }
    return MST_ROW_NONE;
}

static int explain_row(struct mst_engine *engine, int64_t now_ns, bool group, uint32_t row,
                       bool json, struct mst_buf *out)
{
    struct mst_arena arena = { 0 };
    struct mst_effects calls = { 0 };
    struct mst_explanation e = { 0 };
    const bool told = mst_explain(engine, group, row, now_ns, &arena, &e, &calls);
    if (!told) {
        mst_buf_text(out, "extenders would have to be asked, which this page does not do\n");
    } else if (json) {
        struct mst_json_writer w = { .out = out };
        mst_explanation_json(&e, &w);
        mst_buf_char(out, '\n');
    } else {
        mst_explanation_print(&e, false, out);
    }
    mst_effects_done(&calls);
    mst_arena_done(&arena);
    return told ? 200 : 501;
}

int mst_serving_explain(void *ctx, struct mst_engine *engine, int64_t now_ns, struct mst_str kind,
                        struct mst_str ns, struct mst_str name, bool json, struct mst_buf *out)
{
    const struct mst_cluster *cluster = mst_engine_cluster(engine);
    const mst_sym sym = mst_sym_find(cluster->syms, ns);
    (void)ctx;
    for (int group = 1; group >= 0; group--) {
        if (kind.p && mst_str_is(kind, "podgroups") != (group == 1))
            continue;
        const uint32_t row = find(cluster, group == 1, sym, name);
        if (row != MST_ROW_NONE)
            return explain_row(engine, now_ns, group == 1, row, json, out);
    }
    mst_buf_printf(out, "no %s \"%.*s\" in namespace \"%.*s\"\n",
                   kind.p ? mst_str_is(kind, "pods") ? "pod" : "pod group" : "pod or pod group",
                   MST_ARG(name), MST_ARG(ns));
    return 404;
}
