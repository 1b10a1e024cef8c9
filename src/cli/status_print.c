/*
 * status_print.c - how PodGroups and lone pods stand, as a table and as JSON.
 */
#include "cli/output.h"
#include "cli/report_internal.h"
#include "cli/status.h"
#include "codec/json.h"

static const char *policy_of(const struct mst_group_status *group)
{
    if (!group->object)
        return "";
    switch (group->object->u.group.spec.policy) {
    case MST_POLICY_BASIC: return "basic";
    case MST_POLICY_GANG: return "gang";
    case MST_POLICY_UNSET:
    case MST_POLICY_BOTH: break;
    }
    return "";
}

static int64_t age_of(const struct mst_group_status *group, int64_t now_s)
{
    const struct mst_time *created = &group->object->u.meta.created;
    return created->set ? now_s - created->unix_s : 0;
}

/* ---- the table ---- */

static void add_age(struct mst_table *table, const struct mst_group_status *group, int64_t now_s)
{
    MST_AUTO(mst_buf) age = { 0 };
    if (group->object)
        mst_output_age(age_of(group, now_s), &age);
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&age));
}

static void add_wide(struct mst_status_list *list, const struct mst_group_status *group,
                     struct mst_table *table)
{
    const struct mst_group_spec *spec = group->object ? &group->object->u.group.spec : NULL;
    MST_AUTO(mst_buf) from = { 0 };
    MST_AUTO(mst_buf) nodes = { 0 };
    if (spec && spec->priority.set)
        mst_table_addf(table, MST_STYLE_PLAIN, "%lld", (long long)spec->priority.value);
    else
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
    if (spec && spec->workload_ref_set)
        mst_buf_printf(&from, "%.*s/%.*s", MST_ARG(spec->workload_name),
                       MST_ARG(spec->workload_template));
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&from));
    for (uint32_t i = 0; i < group->nodes.n; i++)
        mst_buf_printf(&nodes, "%s%.*s", i ? "," : "",
                       MST_ARG(mst_sym_str(list->syms, group->nodes.v[i])));
    mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&nodes));
}

static void add_group(struct mst_status_list *list, const struct mst_group_status *group,
                      int64_t now_s, bool wide, struct mst_table *table)
{
    const bool gang = group->object && group->object->u.group.spec.policy == MST_POLICY_GANG;
    mst_table_add(table, MST_STYLE_PLAIN, group->ns);
    mst_table_add(table, MST_STYLE_PLAIN, group->name);
    mst_table_add(table, MST_STYLE_PLAIN, mst_str_of(policy_of(group)));
    if (gang)
        mst_table_addf(table, MST_STYLE_PLAIN, "%lld",
                       (long long)group->object->u.group.spec.min_count);
    else
        mst_table_add(table, MST_STYLE_PLAIN, MST_STR(""));
    mst_table_addf(table, MST_STYLE_PLAIN, "%u", group->members);
    mst_table_addf(table, MST_STYLE_PLAIN, "%u", group->bound);
    mst_table_addf(table, MST_STYLE_PLAIN, "%u", group->running);
    mst_table_addf(table, MST_STYLE_PLAIN, "%u", group->pending);
    mst_table_add(table, group->style, mst_str_of(group->state));
    add_age(table, group, now_s);
    if (wide)
        add_wide(list, group, table);
    mst_table_add(table, MST_STYLE_PLAIN, wide ? group->message : mst_report_short(group->message));
}

static void print_groups(struct mst_status_list *list, int64_t now_s, bool wide, bool colours,
                         struct mst_buf *out)
{
    static const struct mst_column narrow[] = {
        { "NAMESPACE", false, 0 }, { "NAME", false, 0 },     { "POLICY", false, 0 },
        { "MIN", true, 0 },        { "MEMBERS", true, 0 },   { "BOUND", true, 0 },
        { "RUNNING", true, 0 },    { "PENDING", true, 0 },   { "STATE", false, 0 },
        { "AGE", true, 0 },        { "MESSAGE", false, 80 },
    };
    static const struct mst_column all[] = {
        { "NAMESPACE", false, 0 }, { "NAME", false, 0 },    { "POLICY", false, 0 },
        { "MIN", true, 0 },        { "MEMBERS", true, 0 },  { "BOUND", true, 0 },
        { "RUNNING", true, 0 },    { "PENDING", true, 0 },  { "STATE", false, 0 },
        { "AGE", true, 0 },        { "PRIORITY", true, 0 }, { "WORKLOAD", false, 0 },
        { "NODES", false, 60 },    { "MESSAGE", false, 0 },
    };
    struct mst_table table = { .columns = wide ? all : narrow,
                               .column_count = wide ? MST_COUNT(all) : MST_COUNT(narrow) };
    for (uint32_t i = 0; i < list->groups.n; i++)
        add_group(list, &list->groups.v[i], now_s, wide, &table);
    if (list->groups.n)
        mst_table_print(&table, colours, out);
    else
        mst_buf_text(out, "no PodGroups\n");
    mst_table_done(&table);
}

static void print_lone(const struct mst_status_list *list, struct mst_buf *out)
{
    const struct {
        uint32_t n;
        const char *what;
    } parts[] = { { list->lone_unschedulable, "found unschedulable" },
                  { list->lone_gated, "held by scheduling gates" },
                  { list->lone_untried, "not attempted yet" } };
    const uint32_t n = parts[0].n + parts[1].n + parts[2].n;
    const char *between = ": ";
    if (!n)
        return;
    mst_buf_printf(out, "\n%u pod%s without a group wait%s for a node", n, n == 1 ? "" : "s",
                   n == 1 ? "s" : "");
    for (size_t i = 0; i < MST_COUNT(parts); i++) {
        if (!parts[i].n)
            continue;
        mst_buf_printf(out, "%s%u %s", between, parts[i].n, parts[i].what);
        between = ", ";
    }
    mst_buf_char(out, '\n');
}

void mst_status_print(struct mst_status_list *list, int64_t now_s, bool wide, bool colours,
                      struct mst_buf *out)
{
    print_groups(list, now_s, wide, colours, out);
    print_lone(list, out);
}

/* ---- JSON ---- */

static void key_int(struct mst_json_writer *w, const char *key, int64_t value)
{
    mst_jw_key(w, key);
    mst_jw_int(w, value);
}

static void key_str(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    if (!value.n)
        return;
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

static void spec_json(const struct mst_group_spec *spec, struct mst_json_writer *w)
{
    if (spec->policy == MST_POLICY_GANG)
        key_int(w, "minCount", spec->min_count);
    if (spec->priority.set)
        key_int(w, "priority", spec->priority.value);
    if (!spec->workload_ref_set)
        return;
    key_str(w, "workload", spec->workload_name);
    key_str(w, "template", spec->workload_template);
}

static void group_json(struct mst_status_list *list, const struct mst_group_status *group,
                       int64_t now_s, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    key_str(w, "namespace", group->ns);
    key_str(w, "name", group->name);
    key_str(w, "state", mst_str_of(group->state));
    key_str(w, "message", group->message);
    key_str(w, "policy", mst_str_of(policy_of(group)));
    if (group->object) {
        spec_json(&group->object->u.group.spec, w);
        key_int(w, "ageSeconds", MST_MAX(age_of(group, now_s), (int64_t)0));
    }
    key_int(w, "members", group->members);
    key_int(w, "bound", group->bound);
    key_int(w, "running", group->running);
    key_int(w, "pending", group->pending);
    key_int(w, "gated", group->gated);
    mst_jw_key(w, "nodes");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < group->nodes.n; i++)
        mst_jw_str(w, mst_sym_str(list->syms, group->nodes.v[i]));
    mst_jw_array_end(w);
    mst_jw_object_end(w);
}

void mst_status_json(struct mst_status_list *list, int64_t now_s, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out, .indent = 2 };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "groups");
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < list->groups.n; i++)
        group_json(list, &list->groups.v[i], now_s, &w);
    mst_jw_array_end(&w);
    mst_jw_key(&w, "podsWithoutGroup");
    mst_jw_object_begin(&w);
    key_int(&w, "unschedulable", list->lone_unschedulable);
    key_int(&w, "gated", list->lone_gated);
    key_int(&w, "untried", list->lone_untried);
    mst_jw_object_end(&w);
    key_int(&w, "pending", list->pending);
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}
