/*
 * report_groups.c - the table of groups.
 */
#include "base/sort.h"
#include "cli/report_internal.h"

static struct mst_group_stat *stat_of(struct mst_reporting *r, struct mst_str key)
{
    uint64_t index;
    return mst_map_get(&r->group_ids, key, &index) ? &r->groups.v[index] : NULL;
}

static void count_pod(struct mst_reporting *r, uint32_t served_i)
{
    struct mst_apiserver *server = &r->run->server;
    const struct mst_served *pod = &server->served.v[served_i];
    struct mst_str key = mst_served_group(server, pod);
    struct mst_group_stat *stat = key.n ? stat_of(r, key) : NULL;
    bool finished = mst_served_finished(server, pod);
    if (!stat || (!pod->live && !finished))
        return;
    stat->members++;
    stat->finished += finished;
    stat->first_ns = MST_MIN(stat->first_ns, pod->arrived_ns);
    if (pod->bound_ns != MST_NEVER) {
        stat->bound++;
        mst_vec_push(&stat->bound_ns, pod->bound_ns);
    } else if (!finished && stat->pending_pod == UINT32_MAX) {
        stat->pending_pod = served_i;
    }
}

static int by_time(const void *a, const void *b, void *ctx)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

static int64_t min_count_of(const struct mst_served *group)
{
    const struct mst_group_spec *spec = &group->object.u.group.spec;
    return spec->policy == MST_POLICY_GANG ? MST_MAX(spec->min_count, (int64_t)1) : 1;
}

void mst_report_groups_collect(struct mst_reporting *r)
{
    struct mst_apiserver *server = &r->run->server;
    for (uint32_t n = 0; n < server->served.n; n++) {
        uint32_t i = r->order[n];
        const struct mst_object *object = &server->served.v[i].object;
        if (object->kind != MST_KIND_POD_GROUP)
            continue;
        struct mst_str key = mst_object_key(server->syms, object, &r->arena);
        mst_map_set(&r->group_ids, key, r->groups.n);
        mst_vec_push(&r->groups, (struct mst_group_stat){ .served = i,
                                                          .pending_pod = UINT32_MAX,
                                                          .first_ns = MST_NEVER,
                                                          .quorum_ns = MST_NEVER });
    }
    for (uint32_t i = 0; i < server->served.n; i++)
        if (server->served.v[r->order[i]].object.kind == MST_KIND_POD)
            count_pod(r, r->order[i]);
    for (uint32_t i = 0; i < r->groups.n; i++) {
        struct mst_group_stat *stat = &r->groups.v[i];
        int64_t min = min_count_of(&server->served.v[stat->served]);
        mst_sort(stat->bound_ns.v, stat->bound_ns.n, sizeof(int64_t), by_time, NULL);
        if (stat->bound_ns.n >= min)
            stat->quorum_ns = stat->bound_ns.v[min - 1];
    }
}

bool mst_report_group_partial(struct mst_reporting *r, const struct mst_group_stat *stat)
{
    return stat->bound >= min_count_of(&r->run->server.served.v[stat->served]) &&
           stat->pending_pod != UINT32_MAX;
}

bool mst_report_group_scheduled(struct mst_reporting *r, const struct mst_group_stat *stat)
{
    return stat->bound >= min_count_of(&r->run->server.served.v[stat->served]) &&
           stat->pending_pod == UINT32_MAX;
}

static struct mst_standing standing_of(struct mst_reporting *r, const struct mst_group_stat *stat)
{
    const struct mst_apiserver *server = &r->run->server;
    const struct mst_served *group = &server->served.v[stat->served];
    const struct mst_condition *c =
        mst_report_condition(&group->object.u.group.conditions, "PodGroupInitiallyScheduled");
    struct mst_str pod_reason = MST_STR_NONE;
    if (stat->pending_pod != UINT32_MAX)
        pod_reason = mst_report_pod_standing(r, &server->served.v[stat->pending_pod]).reason;
    if (!group->live)
        return (struct mst_standing){ "Deleted", MST_STYLE_DIM, MST_STR_NONE };
    if (!stat->members)
        return (struct mst_standing){ "Waiting", MST_STYLE_BAD, MST_STR("no pod belongs to it") };
    if (stat->finished == stat->members)
        return (struct mst_standing){ "Finished", MST_STYLE_DIM, MST_STR_NONE };
    if (mst_report_group_scheduled(r, stat))
        return (struct mst_standing){ "Scheduled", MST_STYLE_GOOD, MST_STR_NONE };
    if (stat->bound >= min_count_of(group) || (c && mst_str_is(c->status, "True")))
        return (struct mst_standing){ "Partial", MST_STYLE_BAD, pod_reason };
    if (c && mst_str_is(c->reason, "SchedulerError"))
        return (struct mst_standing){ "Error", MST_STYLE_BAD, c->message };
    if (c)
        return (struct mst_standing){ "Unschedulable", MST_STYLE_BAD, c->message };
    return (struct mst_standing){ "Waiting", MST_STYLE_BAD, pod_reason };
}

static const char *policy_word(const struct mst_served *group)
{
    switch (group->object.u.group.spec.policy) {
    case MST_POLICY_GANG: return "gang";
    case MST_POLICY_BASIC: return "basic";
    case MST_POLICY_UNSET:
    case MST_POLICY_BOTH: break;
    }
    return "";
}

/* From when the group and a member were both there until enough members had a node. */
static void add_waited(struct mst_reporting *r, const struct mst_group_stat *stat,
                       struct mst_table *table)
{
    const struct mst_served *group = &r->run->server.served.v[stat->served];
    int64_t from_ns = MST_MAX(group->arrived_ns, stat->first_ns);
    int64_t to_ns = stat->quorum_ns != MST_NEVER   ? stat->quorum_ns
                    : group->ended_ns != MST_NEVER ? group->ended_ns
                                                   : r->run->end_ns;
    MST_AUTO(mst_buf) text = { 0 };
    if (stat->first_ns != MST_NEVER)
        mst_report_span(MST_MAX(to_ns - from_ns, (int64_t)0), &text);
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&text));
}

static void add_row(struct mst_reporting *r, const struct mst_group_stat *stat,
                    struct mst_table *table)
{
    const struct mst_served *group = &r->run->server.served.v[stat->served];
    struct mst_standing standing = standing_of(r, stat);
    mst_table_add(table, MST_STYLE_PLAIN, mst_report_name(r, &group->object));
    mst_table_add(table, MST_STYLE_PLAIN, mst_str_of(policy_word(group)));
    mst_table_addf(table, MST_STYLE_PLAIN, "%lld", (long long)min_count_of(group));
    mst_table_addf(table, MST_STYLE_PLAIN, "%u/%u", stat->bound, stat->members);
    mst_table_add(table, standing.style, mst_str_of(standing.word));
    if (r->options->wide) {
        struct mst_opt_int priority = group->object.u.group.spec.priority;
        mst_table_addf(table, MST_STYLE_PLAIN, "%lld", (long long)priority.value);
        mst_table_addf(table, MST_STYLE_PLAIN, "%u", group->attempts);
        add_waited(r, stat, table);
        mst_table_add(table, MST_STYLE_PLAIN, standing.reason);
    } else {
        mst_table_add(table, MST_STYLE_PLAIN, mst_report_short(standing.reason));
        add_waited(r, stat, table);
    }
}

void mst_report_groups_print(struct mst_reporting *r, struct mst_buf *out)
{
    static const struct mst_column narrow[] = {
        { "NAME", false, 0 },  { "POLICY", false, 0 }, { "MIN", true, 0 },
        { "BOUND", true, 0 },  { "STATUS", false, 0 }, { "REASON", false, 72 },
        { "WAITED", true, 0 },
    };
    static const struct mst_column wide[] = {
        { "NAME", false, 0 },    { "POLICY", false, 0 }, { "MIN", true, 0 },
        { "BOUND", true, 0 },    { "STATUS", false, 0 }, { "PRIORITY", true, 0 },
        { "ATTEMPTS", true, 0 }, { "WAITED", true, 0 },  { "REASON", false, 0 },
    };
    if (!r->groups.n)
        return;
    struct mst_table table = { .columns = narrow, .column_count = MST_COUNT(narrow) };
    if (r->options->wide) {
        table.columns = wide;
        table.column_count = MST_COUNT(wide);
    }
    for (uint32_t i = 0; i < r->groups.n; i++)
        add_row(r, &r->groups.v[i], &table);
    mst_table_print(&table, r->options->colours, out);
    mst_buf_char(out, '\n');
    mst_table_done(&table);
}

void mst_report_groups_done(struct mst_reporting *r)
{
    for (uint32_t i = 0; i < r->groups.n; i++)
        mst_vec_done(&r->groups.v[i].bound_ns);
    mst_vec_done(&r->groups);
    mst_map_done(&r->group_ids);
}
