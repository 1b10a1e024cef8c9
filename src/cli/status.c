/*
 * status.c - how PodGroups and lone pods stand: counted. Not here: how it is shown
 * (status_print.c).
 */
#include "cli/status.h"

#include "base/sort.h"
#include "cli/report_internal.h"

struct counting {
    struct mst_status_list *list;
    const struct mst_scope *scope;
    struct mst_map ids; /* "ns/name" -> index of groups */
};

static struct mst_group_status *group_of(struct counting *c, struct mst_str ns, struct mst_str name)
{
    struct mst_status_list *list = c->list;
    MST_AUTO(mst_buf) key = { 0 };
    uint64_t index = list->groups.n;
    mst_buf_printf(&key, "%.*s/%.*s", MST_ARG(ns), MST_ARG(name));
    if (!mst_map_get(&c->ids, mst_buf_span(&key), &index)) {
        mst_map_set(&c->ids, mst_buf_span(&key), index);
        mst_vec_push(&list->groups, (struct mst_group_status){ .ns = ns, .name = name });
    }
    return &list->groups.v[index];
}

static bool has_ended(const struct mst_syms *syms, const struct mst_pod *pod)
{
    const struct mst_str phase = mst_sym_str(syms, pod->status.phase);
    return mst_str_is(phase, "Succeeded") || mst_str_is(phase, "Failed");
}

static const struct mst_condition *refusal_of(const struct mst_pod *pod)
{
    const struct mst_condition *c = mst_report_condition(&pod->status.conditions, "PodScheduled");
    return c && mst_str_is(c->status, "False") ? c : NULL;
}

static void count_lone(struct mst_status_list *list, const struct mst_pod *pod)
{
    const struct mst_condition *refusal = refusal_of(pod);
    if (pod->spec.scheduling_gates.n)
        list->lone_gated++;
    else if (refusal)
        list->lone_unschedulable++;
    else
        list->lone_untried++;
}

static void count_pod(struct counting *c, const struct mst_pod *pod)
{
    struct mst_status_list *list = c->list;
    const struct mst_str ns = mst_sym_str(list->syms, pod->meta.namespace_);
    const bool bound = pod->spec.node_name != MST_SYM_NONE && pod->spec.node_name != MST_SYM_EMPTY;
    if (has_ended(list->syms, pod) || !mst_scope_has(c->scope, ns))
        return;
    list->pending += !bound;
    if (!pod->spec.group_set || !pod->spec.group_name.n) {
        if (!bound)
            count_lone(list, pod);
        return;
    }
    struct mst_group_status *group = group_of(c, ns, pod->spec.group_name);
    group->members++;
    group->bound += bound;
    group->pending += !bound;
    group->running += bound && mst_str_is(mst_sym_str(list->syms, pod->status.phase), "Running");
    group->gated += !bound && pod->spec.scheduling_gates.n;
    if (bound)
        mst_vec_push(&group->nodes, pod->spec.node_name);
    else if (!group->waiter)
        group->waiter = pod;
}

/* ---- one word ---- */

static int64_t minimum_of(const struct mst_group_status *group)
{
    const struct mst_group_spec *spec = &group->object->u.group.spec;
    return spec->policy == MST_POLICY_GANG ? MST_MAX(spec->min_count, (int64_t)1) : 1;
}

static void set_state(struct mst_group_status *group, const char *state, mst_style style,
                      struct mst_str message)
{
    group->state = state;
    group->style = style;
    group->message = message;
}

/* What the scheduler said of the group, or of the first member that waits; may be absent. */
static const struct mst_condition *said_of(const struct mst_group_status *group)
{
    const struct mst_condition *c =
        mst_report_condition(&group->object->u.group.conditions, "PodGroupInitiallyScheduled");
    if (c && mst_str_is(c->status, "False"))
        return c;
    return group->waiter ? refusal_of(group->waiter) : NULL;
}

static void judge_waiting(struct mst_status_list *list, struct mst_group_status *group)
{
    const int64_t minimum = minimum_of(group);
    const struct mst_condition *said = said_of(group);
    const struct mst_str message = said ? said->message : MST_STR_NONE;
    if (group->bound >= minimum)
        set_state(group, "Partial", MST_STYLE_BAD, message);
    else if (group->bound)
        set_state(group, "Degraded", MST_STYLE_BAD, message);
    else if (group->gated == group->pending)
        set_state(group, "Gated", MST_STYLE_DIM, MST_STR("scheduling gates hold every member"));
    else if (group->members < minimum)
        set_state(group, "Incomplete", MST_STYLE_BAD,
                  mst_arena_printf(&list->arena, "%u of at least %lld members are there",
                                   group->members, (long long)minimum));
    else if (said && mst_str_is(said->reason, "SchedulerError"))
        set_state(group, "Error", MST_STYLE_BAD, message);
    else if (said)
        set_state(group, "Unschedulable", MST_STYLE_BAD, message);
    else
        set_state(group, "Pending", MST_STYLE_PLAIN, MST_STR("not attempted yet"));
}

static void judge(struct mst_status_list *list, struct mst_group_status *group)
{
    if (!group->object) {
        set_state(group, "Missing", MST_STYLE_BAD, MST_STR("there is no PodGroup of this name"));
        return;
    }
    const int64_t minimum = minimum_of(group);
    if (group->object->u.meta.deleted.set)
        set_state(group, "Terminating", MST_STYLE_DIM, MST_STR_NONE);
    else if (!group->members)
        set_state(group, "Empty", MST_STYLE_DIM, MST_STR("no pod names it"));
    else if (group->pending)
        judge_waiting(list, group);
    else if (group->bound < minimum)
        set_state(group, "Degraded", MST_STYLE_BAD,
                  mst_arena_printf(&list->arena, "%u of at least %lld members are left",
                                   group->bound, (long long)minimum));
    else if (group->running == group->members)
        set_state(group, "Running", MST_STYLE_GOOD, MST_STR_NONE);
    else
        set_state(group, "Scheduled", MST_STYLE_GOOD, MST_STR_NONE);
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b, void *ctx)
{
    const struct mst_group_status *x = a, *y = b;
    (void)ctx;
    const int order = mst_str_cmp(x->ns, y->ns);
    return order ? order : mst_str_cmp(x->name, y->name);
}

static int by_text(const void *a, const void *b, void *ctx)
{
    const struct mst_syms *syms = ctx;
    return mst_str_cmp(mst_sym_str(syms, *(const mst_sym *)a),
                       mst_sym_str(syms, *(const mst_sym *)b));
}

static void sort_nodes(const struct mst_status_list *list, struct mst_group_status *group)
{
    uint32_t n = 0;
    mst_sort(group->nodes.v, group->nodes.n, sizeof(mst_sym), by_text, list->syms);
    for (uint32_t i = 0; i < group->nodes.n; i++)
        if (!n || group->nodes.v[n - 1] != group->nodes.v[i])
            group->nodes.v[n++] = group->nodes.v[i];
    group->nodes.n = n;
}

void mst_status_collect(struct mst_status_list *list, const struct mst_scenario *scenario,
                        const struct mst_scope *scope)
{
    struct counting c = { .list = list, .scope = scope };
    list->syms = scenario->syms;
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_scenario_doc *doc = &scenario->docs.v[i];
        const struct mst_str ns = mst_sym_str(list->syms, doc->object.u.meta.namespace_);
        if (doc->arrive_ns != 0)
            continue;
        if (doc->object.kind == MST_KIND_POD)
            count_pod(&c, &doc->object.u.pod);
        else if (doc->object.kind == MST_KIND_POD_GROUP && mst_scope_has(scope, ns))
            group_of(&c, ns, doc->object.u.meta.name)->object = &doc->object;
    }
    mst_map_done(&c.ids);
    mst_sort(list->groups.v, list->groups.n, sizeof(*list->groups.v), by_name, NULL);
    for (uint32_t i = 0; i < list->groups.n; i++) {
        sort_nodes(list, &list->groups.v[i]);
        judge(list, &list->groups.v[i]);
    }
}

void mst_status_done(struct mst_status_list *list)
{
    for (uint32_t i = 0; i < list->groups.n; i++)
        mst_vec_done(&list->groups.v[i].nodes);
    mst_vec_done(&list->groups);
    mst_arena_done(&list->arena);
}
