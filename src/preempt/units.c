/*
 * units.c - what is evicted as one: who belongs together, who matters more, what budgets say.
 *
 * Invariants: units are found in upstream's order of enumeration, nodes in list order and pods as
 *             NodeInfo has them; it decides between units that nothing else tells apart.
 * Differs:    profile muster: see mst_manner (spec/preemption.md 14).
 * Source:     spec/preemption.md 2, 4; kubernetes v1.37 pkg/scheduler/framework/preemption
 *             (types.go, util.go).
 */
#include "base/sort.h"
#include "cluster/budgets.h"
#include "preempt/preempt_internal.h"

#define NS_PER_S INT64_C(1000000000)

/* The group whose running pods go together with this one, or MST_ROW_NONE. */
static uint32_t whole_group(const struct mst_cluster *c, uint32_t pod)
{
    uint32_t group = c->pods.v[pod].group;
    bool whole =
        group != MST_ROW_NONE && c->groups.v[group].known && c->groups.v[group].disrupted_whole;
    return whole ? group : (uint32_t)MST_ROW_NONE;
}

int32_t mst_unit_priority(const struct mst_cluster *c, uint32_t pod)
{
    const struct mst_pod_row *p = &c->pods.v[pod];
    bool grouped = p->group != MST_ROW_NONE && c->groups.v[p->group].known;
    return grouped ? c->groups.v[p->group].priority : p->priority;
}

int64_t mst_start_ns(const struct mst_preempt *x, uint32_t pod)
{
    struct mst_time t = x->fw->view.cluster->pods.v[pod].start_time;
    if (!t.set)
        return x->now_ns;
    if (t.unix_s > INT64_MAX / NS_PER_S - 1)
        return INT64_MAX;
    if (t.unix_s < INT64_MIN / NS_PER_S + 1)
        return INT64_MIN;
    return t.unix_s * NS_PER_S + t.nanos;
}

/* ---- finding them ---- */

static int compare_names(const void *a, const void *b, void *ctx)
{
    const struct mst_cluster *c = ctx;
    return mst_str_cmp(c->pods.v[*(const uint32_t *)a].name, c->pods.v[*(const uint32_t *)b].name);
}

static bool is_running(const struct mst_pod_row *p)
{
    return p->assigned || p->assumed;
}

/* The running pods of the unit that the pod stands for, by name. */
static void collect_pods(const struct mst_preempt *x, uint32_t pod, struct mst_unit *unit)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    uint32_t room = unit->group == MST_ROW_NONE ? 1 : c->groups.v[unit->group].scheduled_count;
    unit->pods = mst_arena_alloc(x->arena, room * sizeof(uint32_t));
    unit->rows = mst_arena_alloc(x->arena, room * sizeof(uint32_t));
    if (unit->group == MST_ROW_NONE) {
        unit->pods[unit->n++] = pod;
    } else {
        uint32_t at = c->groups.v[unit->group].first_pod;
        for (; at != MST_ROW_NONE; at = c->pods.v[at].group_next)
            if (is_running(&c->pods.v[at]))
                unit->pods[unit->n++] = at;
        mst_sort(unit->pods, unit->n, sizeof(uint32_t), compare_names, (void *)c);
    }
    for (uint32_t i = 0; i < unit->n; i++)
        unit->rows[i] = c->pods.v[unit->pods[i]].node;
}

/* Its mates that run count as one with it: they matter as much as the oldest of them. */
static void find_gang(const struct mst_preempt *x, uint32_t pod, struct mst_unit *unit)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    uint32_t group = c->pods.v[pod].group;
    unit->gang = MST_ROW_NONE;
    unit->gang_start_ns = unit->start_ns;
    if (!x->fw->preemption.gang_first || unit->group != MST_ROW_NONE || group == MST_ROW_NONE ||
        !c->groups.v[group].known || c->groups.v[group].policy != MST_POLICY_GANG)
        return;
    unit->gang = group;
    uint32_t at = c->groups.v[group].first_pod;
    for (; at != MST_ROW_NONE; at = c->pods.v[at].group_next) {
        int64_t start_ns = is_running(&c->pods.v[at]) ? mst_start_ns(x, at) : INT64_MAX;
        unit->gang_start_ns = MST_MIN(unit->gang_start_ns, start_ns);
    }
}

static struct mst_unit unit_of(const struct mst_preempt *x, uint32_t pod)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    struct mst_unit unit = {
        .priority = mst_unit_priority(c, pod),
        .group = whole_group(c, pod),
        .start_ns = INT64_MAX,
    };
    unit.rank = unit.group != MST_ROW_NONE ? MST_UNIT_GROUP : MST_UNIT_POD;
    unit.upstream_rank = c->pods.v[pod].group != MST_ROW_NONE ? MST_UNIT_GROUP : MST_UNIT_POD;
    collect_pods(x, pod, &unit);
    for (uint32_t i = 0; i < unit.n; i++) {
        int64_t start_ns = mst_start_ns(x, unit.pods[i]);
        unit.start_ns = MST_MIN(unit.start_ns, start_ns);
    }
    find_gang(x, pod, &unit);
    return unit;
}

/* What one enumeration has seen. */
struct finding {
    const struct mst_preempt *x;
    int32_t below;
    MST_VEC(struct mst_unit) list;
    MST_VEC(uint32_t) groups; /* whole groups met, when only one row is looked at */
    uint8_t *met;             /* [group], when all rows are */
    mst_sym unknown_node;
    bool lasting;
};

/* True the first time that the group is met. */
static bool meet(struct finding *f, uint32_t group)
{
    if (f->met) {
        bool first = !f->met[group];
        f->met[group] = 1;
        return first;
    }
    for (uint32_t i = 0; i < f->groups.n; i++)
        if (f->groups.v[i] == group)
            return false;
    mst_vec_push(&f->groups, group);
    return true;
}

static void note_unknown(struct finding *f, const struct mst_unit *unit)
{
    for (uint32_t i = 0; i < unit->n && f->unknown_node == MST_SYM_NONE; i++)
        if (unit->rows[i] == MST_ROW_NONE)
            f->unknown_node = f->x->fw->view.cluster->pods.v[unit->pods[i]].node_name;
}

static void find_on_row(struct finding *f, uint32_t row)
{
    const struct mst_cluster *c = f->x->fw->view.cluster;
    uint32_t pod = c->nodes.first_pod[row];
    while (pod != MST_ROW_NONE && c->pods.v[pod].node_next != MST_ROW_NONE)
        pod = c->pods.v[pod].node_next;
    for (; pod != MST_ROW_NONE; pod = c->pods.v[pod].node_prev) {
        uint32_t group = whole_group(c, pod);
        f->lasting &= c->pods.v[pod].group == MST_ROW_NONE && c->pods.v[pod].start_time.set;
        bool low = mst_unit_priority(c, pod) < f->below;
        if (!is_running(&c->pods.v[pod]) || (group == MST_ROW_NONE && !low))
            continue; /* placed by the transaction at hand, or too important */
        if (group != MST_ROW_NONE && !meet(f, group))
            continue;
        struct mst_unit unit = unit_of(f->x, pod);
        note_unknown(f, &unit);
        if (low)
            mst_vec_push(&f->list, unit);
    }
}

void mst_units_find(const struct mst_preempt *x, uint32_t row, int32_t below, struct mst_units *out)
{
    struct mst_cluster *c = x->fw->view.cluster;
    struct finding f = { .x = x, .below = below, .unknown_node = MST_SYM_NONE, .lasting = true };
    if (row != MST_ROW_NONE) {
        find_on_row(&f, row);
    } else {
        f.met = mst_arena_zalloc(x->arena, c->groups.n, 1);
        uint32_t *order = mst_arena_alloc(x->arena, c->nodes.count * sizeof(*order));
        mst_nodes_list_order(&c->nodes, order);
        for (uint32_t i = 0; i < c->nodes.count; i++)
            find_on_row(&f, order[i]);
    }
    out->n = f.list.n;
    out->v = MST_NEW_N(x->arena, struct mst_unit, f.list.n);
    if (f.list.n)
        memcpy(out->v, f.list.v, f.list.n * sizeof(*out->v));
    out->unknown_node = f.unknown_node;
    out->lasting = f.lasting;
    mst_vec_done(&f.list);
    mst_vec_done(&f.groups);
}

/* ---- importance ---- */

struct mst_str mst_unit_uid(const struct mst_preempt *x, const struct mst_unit *unit)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    struct mst_str least = c->pods.v[unit->pods[0]].uid;
    for (uint32_t i = 1; i < unit->n; i++)
        if (mst_str_cmp(c->pods.v[unit->pods[i]].uid, least) < 0)
            least = c->pods.v[unit->pods[i]].uid;
    return least;
}

/* 0 for pods of one gang, and for two without one that started together. */
static int compare_gangs(const struct mst_cluster *c, const struct mst_unit *u,
                         const struct mst_unit *v)
{
    if (u->gang_start_ns != v->gang_start_ns)
        return u->gang_start_ns < v->gang_start_ns ? -1 : 1;
    if (u->gang == v->gang)
        return 0;
    if (u->gang == MST_ROW_NONE || v->gang == MST_ROW_NONE)
        return u->gang != MST_ROW_NONE ? -1 : 1;
    return mst_str_cmp(c->groups.v[u->gang].uid, c->groups.v[v->gang].uid);
}

int mst_unit_compare(const struct mst_preempt *x, mst_manner manner, const struct mst_unit *u,
                     const struct mst_unit *v)
{
    bool upstream = manner == MST_AS_UPSTREAM;
    mst_unit_rank a = upstream ? u->upstream_rank : u->rank;
    mst_unit_rank b = upstream ? v->upstream_rank : v->rank;
    if (u->priority != v->priority)
        return u->priority > v->priority ? -1 : 1;
    if (a != b)
        return a > b ? -1 : 1;
    if (u->n != v->n)
        return u->n > v->n ? -1 : 1;
    int gangs = upstream ? 0 : compare_gangs(x->fw->view.cluster, u, v);
    if (gangs)
        return gangs;
    if (u->start_ns != v->start_ns)
        return u->start_ns < v->start_ns ? -1 : 1;
    return upstream ? 0 : mst_str_cmp(mst_unit_uid(x, u), mst_unit_uid(x, v));
}

struct sorting {
    const struct mst_preempt *x;
    mst_manner manner;
};

static int compare_units(const void *a, const void *b, void *ctx)
{
    const struct sorting *sorting = ctx;
    return mst_unit_compare(sorting->x, sorting->manner, a, b);
}

void mst_units_sort(const struct mst_preempt *x, mst_manner manner, struct mst_unit *v, uint32_t n)
{
    struct sorting sorting = { x, manner };
    mst_sort(v, n, sizeof(*v), compare_units, &sorting);
}

/* ---- disruption budgets ---- */

bool mst_budgets_charge(const struct mst_preempt *x, mst_manner manner, uint32_t pod, int64_t *left)
{
    const struct mst_cluster *c = x->fw->view.cluster;
    for (uint32_t i = 0; i < c->budgets->list.n; i++)
        if (mst_budget_covers(c, &c->budgets->list.v[i], pod, manner == MST_AS_MUSTER) &&
            --left[i] < 0)
            return true;
    return false;
}

uint32_t mst_units_charge(const struct mst_preempt *x, mst_manner manner, struct mst_units *units)
{
    const struct mst_budgets *budgets = x->fw->view.cluster->budgets;
    if (!budgets || !budgets->list.n)
        return 0;
    int64_t *left = MST_NEW_N(x->arena, int64_t, budgets->list.n);
    for (uint32_t i = 0; i < budgets->list.n; i++)
        left[i] = budgets->list.v[i].allowed;
    struct mst_unit *sorted = MST_NEW_N(x->arena, struct mst_unit, units->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < units->n; i++) {
        struct mst_unit *unit = &units->v[i];
        unit->violations = 0;
        for (uint32_t k = 0; k < unit->n; k++)
            unit->violations += mst_budgets_charge(x, manner, unit->pods[k], left);
        if (unit->violations)
            sorted[n++] = *unit;
    }
    uint32_t violating = n;
    for (uint32_t i = 0; i < units->n; i++)
        if (!units->v[i].violations)
            sorted[n++] = units->v[i];
    units->v = sorted;
    return violating;
}

/* ---- moving them ---- */

void mst_unit_take(const struct mst_preempt *x, struct mst_eval *eval, const struct mst_unit *unit)
{
    struct mst_cluster *c = x->fw->view.cluster;
    for (uint32_t i = 0; i < unit->n; i++) {
        if (unit->rows[i] == MST_ROW_NONE)
            continue;
        mst_cluster_unplace(c, unit->pods[i]);
        if (eval)
            mst_eval_dry_row_changed(eval, unit->rows[i]);
    }
}

void mst_unit_give_back(const struct mst_preempt *x, struct mst_eval *eval,
                        const struct mst_unit *unit)
{
    struct mst_cluster *c = x->fw->view.cluster;
    for (uint32_t i = 0; i < unit->n; i++) {
        if (unit->rows[i] == MST_ROW_NONE)
            continue;
        mst_cluster_place(c, unit->pods[i], unit->rows[i]);
        if (eval)
            mst_eval_dry_row_changed(eval, unit->rows[i]);
    }
}

void mst_units_victims(const struct mst_preempt *x, const struct mst_unit *v, uint32_t n,
                       uint32_t node, struct mst_victims *out)
{
    *out = (struct mst_victims){ .node = node };
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += v[i].n;
    uint32_t *pods = mst_arena_alloc(x->arena, all * sizeof(*pods));
    for (uint32_t i = 0; i < n; i++) {
        memcpy(pods + out->n, v[i].pods, v[i].n * sizeof(*pods));
        out->n += v[i].n;
        out->violations += v[i].violations;
        mst_unit_rank rank = mst_manner_of(x) == MST_AS_UPSTREAM ? v[i].upstream_rank : v[i].rank;
        out->group_disruptions += rank == MST_UNIT_GROUP;
    }
    out->pods = pods;
}
