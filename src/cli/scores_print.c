/*
 * scores_print.c - what every plugin says of a pod on every node, as JSON lines and as a table.
 *
 * The JSON lines are those of the reference program's mode `plugins`, key by key, so that the two
 * can be compared with diff.
 */
#include "cli/explain_print.h"
#include "cli/table.h"

static void key_str(struct mst_json_writer *w, const char *key, struct mst_str text)
{
    mst_jw_key(w, key);
    mst_jw_str(w, text);
}

static void key_strs(struct mst_json_writer *w, const char *key, const mst_strs *list)
{
    mst_jw_key(w, key);
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < list->n; i++)
        mst_jw_str(w, list->v[i]);
    mst_jw_array_end(w);
}

static void verdict(struct mst_json_writer *w, const struct mst_rejection *r)
{
    mst_jw_object_begin(w);
    if (r->plugin.n && r->code != MST_SUCCESS)
        key_str(w, "plugin", r->plugin);
    key_str(w, "code", mst_str_of(mst_code_name(r->code)));
    if (r->reasons.n)
        key_strs(w, "reasons", &r->reasons);
    mst_jw_object_end(w);
}

static void node_line(struct mst_str pod, const struct mst_node_answer *node, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    key_str(&w, "pod", pod);
    key_str(&w, "node", node->node);
    mst_jw_key(&w, "filter");
    verdict(&w, &node->first);
    if (node->all.n) {
        mst_jw_key(&w, "filters");
        mst_jw_array_begin(&w);
        for (uint32_t i = 0; i < node->all.n; i++)
            verdict(&w, &node->all.v[i]);
        mst_jw_array_end(&w);
    }
    if (node->first.code == MST_SUCCESS) {
        if (node->scores.n) {
            mst_jw_key(&w, "scores");
            mst_jw_object_begin(&w);
            for (uint32_t i = 0; i < node->scores.n; i++) {
                const struct mst_score_entry *s = &node->scores.v[i];
                mst_jw_key_str(&w, s->plugin);
                mst_jw_object_begin(&w);
                mst_jw_key(&w, "raw");
                mst_jw_int(&w, s->raw);
                mst_jw_key(&w, "normalized");
                mst_jw_int(&w, s->normalized);
                mst_jw_key(&w, "weighted");
                mst_jw_int(&w, s->weighted);
                mst_jw_object_end(&w);
            }
            mst_jw_object_end(&w);
        }
        mst_jw_key(&w, "total");
        mst_jw_int(&w, node->total);
    }
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}

static void pre_enqueue(struct mst_json_writer *w, const struct mst_pod_answer *answer)
{
    if (!answer->pre_enqueue_count)
        return;
    mst_jw_key(w, "preEnqueue");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < answer->pre_enqueue_count; i++) {
        struct mst_str reason = answer->pre_enqueue[i].reason;
        struct mst_rejection held = { answer->pre_enqueue[i].code,
                                      answer->pre_enqueue_plugin[i],
                                      { &reason, reason.n ? 1 : 0 } };
        verdict(w, &held);
    }
    mst_jw_array_end(w);
}

void mst_scores_json(struct mst_str pod, struct mst_str group, const struct mst_pod_answer *answer,
                     struct mst_buf *out)
{
    for (uint32_t i = 0; i < answer->nodes.n; i++)
        node_line(pod, &answer->nodes.v[i], out);
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    key_str(&w, "pod", pod);
    mst_jw_key(&w, "summary");
    mst_jw_bool(&w, true);
    if (group.n)
        key_str(&w, "group", group);
    pre_enqueue(&w, answer);
    if (answer->pre_filter != MST_SUCCESS) {
        mst_jw_key(&w, "preFilter");
        struct mst_rejection r = { answer->pre_filter, answer->pre_filter_plugin,
                                   answer->pre_filter_reasons };
        verdict(&w, &r);
    }
    if (answer->skipped_filters.n)
        key_strs(&w, "skippedFilters", &answer->skipped_filters);
    mst_jw_key(&w, "nodes");
    mst_jw_int(&w, answer->nodes.n);
    key_strs(&w, "feasible", &answer->feasible);
    key_strs(&w, "best", &answer->best);
    if (answer->host.n)
        key_str(&w, "host", answer->host);
    if (answer->reason.n)
        key_str(&w, "reason", answer->reason);
    if (answer->message.n)
        key_str(&w, "message", answer->message);
    if (!group.n && mst_str_is(answer->reason, "Unschedulable") && answer->nodes.n) {
        struct mst_str reason = answer->post_reason;
        bool says = reason.n && answer->post_filter != MST_SUCCESS;
        mst_jw_key(&w, "postFilter");
        verdict(&w, &(struct mst_rejection){ .code = answer->post_filter,
                                             .plugin = answer->post_plugin,
                                             .reasons = { &reason, says ? 1 : 0 } });
        if (answer->nominates)
            key_str(&w, "nominated", answer->nominated);
    }
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}

/* ---- text ---- */

static void add_scores(struct mst_buf *out, const struct mst_node_answer *node)
{
    for (uint32_t i = 0; i < node->scores.n; i++) {
        const struct mst_score_entry *s = &node->scores.v[i];
        mst_buf_printf(out, "%s%.*s %lld", i ? ", " : "", MST_ARG(s->plugin),
                       (long long)s->weighted);
    }
}

static void add_rejection(struct mst_table *table, const struct mst_rejection *r)
{
    MST_AUTO(mst_buf) details = { 0 };
    for (uint32_t i = 0; i < r->reasons.n; i++)
        mst_buf_printf(&details, "%s%.*s", i ? ", " : "", MST_ARG(r->reasons.v[i]));
    if (!r->reasons.n)
        mst_buf_text(&details, mst_code_name(r->code));
    mst_table_add(table, MST_STYLE_PLAIN, r->plugin);
    mst_table_add(table, MST_STYLE_BAD, mst_buf_span(&details));
}

/* A row of what decides; a row without a name for each plugin that rejects besides. */
static void add_node(struct mst_table *table, const struct mst_node_answer *node)
{
    mst_table_add(table, MST_STYLE_PLAIN, node->node);
    if (node->first.code == MST_SUCCESS) {
        MST_AUTO(mst_buf) details = { 0 };
        add_scores(&details, node);
        mst_table_addf(table, MST_STYLE_GOOD, "%lld", (long long)node->total);
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
        mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&details));
    } else {
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
        add_rejection(table, &node->first);
    }
    for (uint32_t i = 0; i < node->all.n; i++) {
        if (mst_str_eq(node->all.v[i].plugin, node->first.plugin))
            continue;
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
        add_rejection(table, &node->all.v[i]);
    }
}

void mst_scores_print(struct mst_str pod, const struct mst_pod_answer *answer, bool colours,
                      struct mst_buf *out)
{
    static const struct mst_column columns[] = {
        { "NODE", false, 0 }, { "SCORE", true, 0 }, { "PLUGIN", false, 0 }, { "DETAILS", false, 0 }
    };
    struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
    MST_AUTO(mst_buf) title = { 0 };
    mst_buf_printf(&title, "Pod %.*s", MST_ARG(pod));
    mst_styled(out, colours, MST_STYLE_BOLD, mst_buf_span(&title));
    if (answer->host.n)
        mst_buf_printf(out, ": %u of %u nodes, best %.*s\n", answer->feasible.n, answer->nodes.n,
                       MST_ARG(answer->host));
    else
        mst_buf_printf(out, ": %.*s\n", MST_ARG(answer->message));
    for (uint32_t i = 0; i < answer->pre_enqueue_count; i++)
        mst_buf_printf(out, "held back by %.*s: %.*s\n", MST_ARG(answer->pre_enqueue_plugin[i]),
                       MST_ARG(answer->pre_enqueue[i].reason));
    for (uint32_t i = 0; i < answer->nodes.n; i++)
        add_node(&table, &answer->nodes.v[i]);
    mst_table_print(&table, colours, out);
    mst_table_done(&table);
}
