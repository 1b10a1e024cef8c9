/*
 * report_summary.c - how full the cluster is in the end, and what the run came to.
 */
#include "cli/report_internal.h"

struct mst_str mst_report_amount(struct mst_arena *arena, struct mst_str name, int64_t amount)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {
        { "Ti", 1LL << 40 }, { "Gi", 1LL << 30 }, { "Mi", 1LL << 20 }, { "Ki", 1LL << 10 }
    };
    if (mst_str_is(name, "cpu")) {
        if (amount % 1000 == 0)
            return mst_arena_printf(arena, "%lld", (long long)(amount / 1000));
        return mst_arena_printf(arena, "%lldm", (long long)amount);
    }
    if (!mst_str_is(name, "memory") && !mst_str_is(name, "ephemeral-storage") &&
        !mst_str_has_prefix(name, "hugepages-"))
        return mst_arena_printf(arena, "%lld", (long long)amount);
    for (size_t i = 0; i < MST_COUNT(units); i++) {
        if (amount < units[i].bytes)
            continue;
        int64_t tenths = (int64_t)((__int128)amount * 10 / units[i].bytes);
        if (tenths % 10 == 0)
            return mst_arena_printf(arena, "%lld%s", (long long)(tenths / 10), units[i].name);
        return mst_arena_printf(arena, "%lld.%lld%s", (long long)(tenths / 10),
                                (long long)(tenths % 10), units[i].name);
    }
    return mst_arena_printf(arena, "%lld", (long long)amount);
}

static struct mst_str resource_name(struct mst_reporting *r, const struct mst_nodes *nodes,
                                    uint32_t resource)
{
    switch (resource) {
    case MST_RES_CPU: return MST_STR("cpu");
    case MST_RES_MEMORY: return MST_STR("memory");
    case MST_RES_EPHEMERAL: return MST_STR("ephemeral-storage");
    case MST_USE_PODS: return MST_STR("pods");
    default: return mst_sym_str(r->run->server.syms, nodes->resource_name[resource]);
    }
}

static void add_share(struct mst_table *table, __int128 used, __int128 of)
{
    if (of > 0)
        mst_table_addf(table, MST_STYLE_PLAIN, "%lld%%", (long long)(used * 100 / of));
    else
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
}

static void add_resource(struct mst_reporting *r, struct mst_table *table, uint32_t resource)
{
    const struct mst_use *use = &r->run->uses.v[resource];
    struct mst_str name = resource_name(r, &mst_engine_cluster(r->run->engine)->nodes, resource);
    if (!use->of && !use->used && !use->peak && !use->of_time)
        return;
    mst_table_add(table, MST_STYLE_PLAIN, name);
    mst_table_add(table, MST_STYLE_PLAIN, mst_report_amount(&r->arena, name, use->used));
    mst_table_add(table, MST_STYLE_PLAIN, mst_report_amount(&r->arena, name, use->of));
    add_share(table, use->used, use->of);
    if (table->column_count > 4)
        add_share(table, use->used_time, use->of_time);
}

/* The mean over time is worth a column only where time passed. */
static void print_resources(struct mst_reporting *r, struct mst_buf *out)
{
    static const struct mst_column columns[] = {
        { "RESOURCE", false, 0 }, { "USED", true, 0 }, { "OF", true, 0 },
        { "SHARE", true, 0 },     { "MEAN", true, 0 },
    };
    bool passed = mst_run_elapsed(r->run) >= MST_NS_PER_S;
    struct mst_table table = { .columns = columns,
                               .column_count = MST_COUNT(columns) - (passed ? 0 : 1) };
    const struct mst_nodes *nodes = &mst_engine_cluster(r->run->engine)->nodes;
    for (uint32_t i = 0; i < nodes->resource_count; i++)
        add_resource(r, &table, i);
    add_resource(r, &table, MST_USE_PODS);
    if (table.cells.n) {
        mst_table_print(&table, r->options->colours, out);
        mst_buf_char(out, '\n');
    }
    mst_table_done(&table);
}

static void print_nodes(struct mst_reporting *r, struct mst_buf *out)
{
    static const struct mst_column columns[] = { { "NODE", false, 0 },
                                                 { "PODS", true, 0 },
                                                 { "USED", false, 0 } };
    struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
    const struct mst_nodes *nodes = &mst_engine_cluster(r->run->engine)->nodes;
    const struct mst_apiserver *server = &r->run->server;
    for (uint32_t i = 0; i < server->served.n; i++) {
        const struct mst_served *node = &server->served.v[r->order[i]];
        if (node->object.kind != MST_KIND_NODE || !node->live)
            continue;
        uint32_t row = mst_nodes_row(nodes, mst_sym_find(server->syms, node->object.u.meta.name));
        if (row == MST_ROW_NONE)
            continue;
        MST_AUTO(mst_buf) used = { 0 };
        for (uint32_t res = 0; res < nodes->resource_count; res++) {
            struct mst_use use = mst_use_of_row(nodes, res, row);
            if (!use.of && !use.used)
                continue;
            struct mst_str name = resource_name(r, nodes, res);
            struct mst_str a = mst_report_amount(&r->arena, name, use.used);
            struct mst_str b = mst_report_amount(&r->arena, name, use.of);
            mst_buf_printf(&used, "%s%.*s %.*s/%.*s", used.n ? ", " : "", MST_ARG(name), MST_ARG(a),
                           MST_ARG(b));
        }
        mst_table_add(&table, MST_STYLE_PLAIN, node->object.u.meta.name);
        mst_table_addf(&table, MST_STYLE_PLAIN, "%u", nodes->pod_count[row]);
        mst_table_add(&table, MST_STYLE_PLAIN, mst_buf_span(&used));
    }
    if (table.cells.n) {
        mst_table_print(&table, r->options->colours, out);
        mst_buf_char(out, '\n');
    }
    mst_table_done(&table);
}

struct counts {
    uint32_t bound, pending, finished, deleted;
};

static struct counts count_pods(const struct mst_apiserver *server)
{
    struct counts n = { 0 };
    for (uint32_t i = 0; i < server->served.n; i++) {
        const struct mst_served *pod = &server->served.v[i];
        if (pod->object.kind != MST_KIND_POD)
            continue;
        if (!pod->live)
            n.deleted++;
        else if (mst_served_finished(server, pod))
            n.finished++;
        else if (pod->bound_ns != MST_NEVER)
            n.bound++;
        else
            n.pending++;
    }
    return n;
}

static const char *end_text(const struct mst_run *run)
{
    switch (run->end) {
    case MST_RUN_SETTLED: return "nothing more can change";
    case MST_RUN_UNTIL: return "stopped by --until";
    case MST_RUN_ATTEMPTS: return "stopped by --max-attempts";
    }
    return "";
}

void mst_report_summary_print(struct mst_reporting *r, struct mst_buf *out)
{
    const struct mst_run *run = r->run;
    struct counts n = count_pods(&run->server);
    print_resources(r, out);
    if (r->options->wide)
        print_nodes(r, out);
    mst_buf_printf(out, "pods: %u bound, %u pending", n.bound, n.pending);
    if (n.finished)
        mst_buf_printf(out, ", %u finished", n.finished);
    if (n.deleted)
        mst_buf_printf(out, ", %u deleted", n.deleted);
    mst_buf_char(out, '\n');
    if (r->groups.n) {
        uint32_t scheduled = 0, partial = 0, living = 0;
        for (uint32_t i = 0; i < r->groups.n; i++) {
            if (!run->server.served.v[r->groups.v[i].served].live)
                continue;
            living++;
            scheduled += mst_report_group_scheduled(r, &r->groups.v[i]);
            partial += mst_report_group_partial(r, &r->groups.v[i]);
        }
        mst_buf_printf(out, "groups: %u of %u scheduled", scheduled, living);
        if (partial)
            mst_buf_printf(out, ", %u in part", partial);
        mst_buf_char(out, '\n');
    }
    mst_buf_printf(out, "attempts: %u", run->attempt_count);
    if (run->bind_failed_count)
        mst_buf_printf(out, ", failed bindings: %u", run->bind_failed_count);
    mst_buf_text(out, "\nvirtual time: ");
    mst_report_span(mst_run_elapsed(run), out);
    mst_buf_printf(out, ", %s\n", end_text(run));
}
