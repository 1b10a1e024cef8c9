/*
 * report.c - what became of a run: groups, pods, summary, for people; the objects, for programs.
 *
 * Not here: the table of groups (report_groups.c), the summary (report_summary.c).
 */
#include "cli/report.h"

#include "cli/explain_print.h"
#include "cli/output.h"
#include "cli/report_internal.h"
#include "sim/show.h"

/* ---- shared ---- */

struct mst_str mst_report_name(struct mst_reporting *r, const struct mst_object *object)
{
    struct mst_str ns = mst_sym_str(r->run->server.syms, object->u.meta.namespace_);
    if (mst_str_is(ns, "default") || !ns.n)
        return object->u.meta.name;
    return mst_arena_printf(&r->arena, "%.*s/%.*s", MST_ARG(ns), MST_ARG(object->u.meta.name));
}

const struct mst_condition *mst_report_condition(const mst_conditions *list, const char *type)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (mst_str_is(list->v[i].type, type))
            return &list->v[i];
    return NULL;
}

void mst_report_span(int64_t ns, struct mst_buf *out)
{
    mst_duration_print_short((ns + 500000) / 1000000 * 1000000, out);
}

struct mst_str mst_report_short(struct mst_str reason)
{
    static const char mark[] = "first placement status: ";
    const char *at = reason.n ? memmem(reason.p, reason.n, mark, sizeof(mark) - 1) : NULL;
    if (!at)
        return reason;
    size_t skip = (size_t)(at - reason.p) + sizeof(mark) - 1;
    return (struct mst_str){ reason.p + skip, reason.n - skip };
}

static uint32_t row_of(struct mst_reporting *r, const struct mst_served *pod)
{
    return mst_cluster_pod(mst_engine_cluster(r->run->engine), pod->object.u.meta.namespace_,
                           pod->object.u.meta.name);
}

/* Why the queue holds the pod back, or an absent span. */
static struct mst_str gate_text(struct mst_reporting *r, const struct mst_served *pod)
{
    uint32_t row = row_of(r, pod);
    if (row == MST_ROW_NONE)
        return MST_STR_NONE;
    return mst_queue_gate_text(mst_engine_queue(r->run->engine), row, &r->arena);
}

static bool is_foreign(struct mst_reporting *r, const struct mst_served *pod)
{
    const struct mst_config *config = r->run->options.config;
    struct mst_str name = mst_sym_str(r->run->server.syms, pod->object.u.pod.spec.scheduler_name);
    for (uint32_t i = 0; i < config->profiles.n; i++)
        if (mst_str_eq(config->profiles.v[i].scheduler_name, name))
            return false;
    return true;
}

static struct mst_standing pending_standing(struct mst_reporting *r, const struct mst_served *pod)
{
    const struct mst_pod *p = &pod->object.u.pod;
    const struct mst_condition *c = mst_report_condition(&p->status.conditions, "PodScheduled");
    bool is_false = c && mst_str_is(c->status, "False");
    struct mst_str gate;
    if (is_foreign(r, pod))
        return (struct mst_standing){ "Ignored", MST_STYLE_DIM,
                                      MST_STR("spec.schedulerName asks for another scheduler") };
    if (p->spec.scheduling_gates.n)
        return (struct mst_standing){ "Gated", MST_STYLE_DIM, gate_text(r, pod) };
    gate = gate_text(r, pod);
    if (gate.n && !(is_false && mst_str_is(c->reason, "Unschedulable")))
        return (struct mst_standing){ "Waiting", MST_STYLE_BAD, gate };
    if (is_false && mst_str_is(c->reason, "SchedulerError"))
        return (struct mst_standing){ "Error", MST_STYLE_BAD, c->message };
    if (is_false)
        return (struct mst_standing){ "Unschedulable", MST_STYLE_BAD, c->message };
    return (struct mst_standing){ "Pending", MST_STYLE_PLAIN, MST_STR_NONE };
}

struct mst_standing mst_report_pod_standing(struct mst_reporting *r, const struct mst_served *pod)
{
    if (!pod->live)
        return (struct mst_standing){ "Deleted", MST_STYLE_DIM, MST_STR_NONE };
    if (mst_served_finished(&r->run->server, pod)) {
        struct mst_str phase = mst_sym_str(r->run->server.syms, pod->object.u.pod.status.phase);
        return (struct mst_standing){ phase.p, MST_STYLE_DIM, MST_STR_NONE };
    }
    if (pod->deleting)
        return (struct mst_standing){ "Terminating", MST_STYLE_DIM, MST_STR_NONE };
    if (pod->bound_ns != MST_NEVER)
        return (struct mst_standing){ "Bound", MST_STYLE_GOOD, MST_STR_NONE };
    return pending_standing(r, pod);
}

uint32_t mst_report_unplaced(struct mst_run *run)
{
    struct mst_report_options options = { 0 };
    struct mst_reporting r = { .run = run, .options = &options };
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->server.served.n; i++) {
        const struct mst_served *pod = &run->server.served.v[i];
        if (pod->object.kind != MST_KIND_POD || !pod->live || pod->bound_ns != MST_NEVER ||
            mst_served_finished(&run->server, pod) || is_foreign(&r, pod))
            continue;
        n += pod->object.u.pod.spec.scheduling_gates.n == 0;
    }
    mst_arena_done(&r.arena);
    return n;
}

/* ---- pods ---- */

/* How long the pod waited for its node, or has waited so far. Pods that came with one did not. */
static void add_waited(struct mst_reporting *r, const struct mst_served *pod,
                       struct mst_table *table)
{
    MST_AUTO(mst_buf) text = { 0 };
    int64_t to_ns = pod->bound_ns != MST_NEVER   ? pod->bound_ns
                    : pod->ended_ns != MST_NEVER ? pod->ended_ns
                                                 : r->run->end_ns;
    if (!pod->came_bound)
        mst_report_span(MST_MAX(to_ns - pod->arrived_ns, (int64_t)0), &text);
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&text));
}

static void add_pod(struct mst_reporting *r, const struct mst_served *pod, struct mst_table *table)
{
    const struct mst_pod *p = &pod->object.u.pod;
    struct mst_standing standing = mst_report_pod_standing(r, pod);
    struct mst_syms *syms = r->run->server.syms;
    mst_table_add(table, MST_STYLE_PLAIN, mst_report_name(r, &pod->object));
    mst_table_add(table, MST_STYLE_PLAIN, p->spec.group_set ? p->spec.group_name : MST_STR(""));
    mst_table_add(table, MST_STYLE_PLAIN, mst_sym_str(syms, p->spec.node_name));
    mst_table_add(table, standing.style, mst_str_of(standing.word));
    if (r->options->wide) {
        mst_table_addf(table, MST_STYLE_PLAIN, "%lld", (long long)p->spec.priority.value);
        mst_table_addf(table, MST_STYLE_PLAIN, "%u", pod->attempts);
        add_waited(r, pod, table);
        mst_table_add(table, MST_STYLE_PLAIN, mst_sym_str(syms, p->status.nominated_node_name));
    }
    mst_table_add(table, MST_STYLE_PLAIN,
                  r->options->wide ? standing.reason : mst_report_short(standing.reason));
}

static void print_pods(struct mst_reporting *r, struct mst_buf *out)
{
    static const struct mst_column narrow[] = {
        { "NAME", false, 0 },   { "GROUP", false, 0 },   { "NODE", false, 0 },
        { "STATUS", false, 0 }, { "REASON", false, 96 },
    };
    static const struct mst_column wide[] = {
        { "NAME", false, 0 },   { "GROUP", false, 0 },     { "NODE", false, 0 },
        { "STATUS", false, 0 }, { "PRIORITY", true, 0 },   { "ATTEMPTS", true, 0 },
        { "WAITED", true, 0 },  { "NOMINATED", false, 0 }, { "REASON", false, 0 },
    };
    struct mst_table table = { .columns = narrow, .column_count = MST_COUNT(narrow) };
    if (r->options->wide) {
        table.columns = wide;
        table.column_count = MST_COUNT(wide);
    }
    const struct mst_apiserver *server = &r->run->server;
    for (uint32_t i = 0; i < server->served.n; i++) {
        const struct mst_served *served = &server->served.v[r->order[i]];
        if (served->object.kind == MST_KIND_POD)
            add_pod(r, served, &table);
    }
    if (table.cells.n) {
        mst_table_print(&table, r->options->colours, out);
        mst_buf_char(out, '\n');
    }
    mst_table_done(&table);
}

/* ---- explanations ---- */

static void explain_row(struct mst_reporting *r, bool group, uint32_t row, struct mst_buf *out)
{
    struct mst_arena arena = { 0 };
    struct mst_explanation e = { 0 };
    mst_run_explain(r->run, group, row, &arena, &e);
    mst_explanation_print(&e, r->options->colours, out);
    mst_buf_char(out, '\n');
    mst_arena_done(&arena);
}

/* Every group that is not scheduled, then every lone pod that is not. */
static void print_explanations(struct mst_reporting *r, struct mst_buf *out)
{
    struct mst_apiserver *server = &r->run->server;
    struct mst_cluster *cluster = mst_engine_cluster(r->run->engine);
    for (uint32_t i = 0; i < r->groups.n; i++) {
        const struct mst_served *group = &server->served.v[r->groups.v[i].served];
        uint32_t row =
            mst_cluster_group(cluster, group->object.u.meta.namespace_, group->object.u.meta.name);
        bool waits = r->groups.v[i].pending_pod != UINT32_MAX || !r->groups.v[i].members;
        if (group->live && waits && row != MST_ROW_NONE)
            explain_row(r, true, row, out);
    }
    for (uint32_t i = 0; i < server->served.n; i++) {
        const struct mst_served *pod = &server->served.v[r->order[i]];
        if (pod->object.kind != MST_KIND_POD || !pod->live || pod->bound_ns != MST_NEVER ||
            mst_served_finished(server, pod) || is_foreign(r, pod))
            continue;
        struct mst_str key = mst_served_group(server, pod);
        uint32_t row = row_of(r, pod);
        if (row != MST_ROW_NONE && !(key.n && mst_map_has(&r->group_ids, key)))
            explain_row(r, false, row, out);
    }
}

void mst_report_print(struct mst_run *run, const struct mst_report_options *options,
                      struct mst_buf *out)
{
    struct mst_reporting r = { .run = run, .options = options };
    r.order = mst_apiserver_order(&run->server, &r.arena);
    mst_report_groups_collect(&r);
    mst_report_groups_print(&r, out);
    print_pods(&r, out);
    if (options->explain)
        print_explanations(&r, out);
    mst_report_summary_print(&r, out);
    mst_report_groups_done(&r);
    mst_arena_done(&r.arena);
}

/* ---- objects ---- */

static void print_list(struct mst_run *run, uint32_t indent, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out, .indent = indent };
    struct mst_arena arena = { 0 }, order_arena = { 0 };
    const uint32_t *order = mst_apiserver_order(&run->server, &order_arena);
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "apiVersion");
    mst_jw_text(&w, "v1");
    mst_jw_key(&w, "kind");
    mst_jw_text(&w, "List");
    mst_jw_key(&w, "items");
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < run->server.served.n; i++) {
        const struct mst_served *served = &run->server.served.v[order[i]];
        if (!served->live || run->server.scenario->docs.v[served->doc].implied)
            continue;
        mst_doc_write(mst_show_object(run->server.syms, &served->object, &arena), &w);
        mst_arena_reset(&arena);
    }
    mst_jw_array_end(&w);
    mst_jw_object_end(&w);
    mst_arena_done(&order_arena);
    mst_arena_done(&arena);
}

void mst_report_objects_json(struct mst_run *run, struct mst_buf *out)
{
    print_list(run, 2, out);
    mst_buf_char(out, '\n');
}

mst_rc mst_report_objects_yaml(struct mst_run *run, struct mst_buf *out, struct mst_err *err)
{
    MST_AUTO(mst_buf) json = { 0 };
    print_list(run, 0, &json);
    return mst_output_yaml(mst_buf_span(&json), out, err);
}
