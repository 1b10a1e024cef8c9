/*
 * config_plugins.c - from the plugin sets of a profile to what runs at each point: merge with the
 * default set, expansion of multiPoint, final checks.
 *
 * Owns:       the table of upstream's in-tree plugins.
 * Invariants: names resolve against that table first, then against the registry, so a plugin that
 *             this version lacks is known but not run, and a plugin of an embedder needs no row
 *             here.
 * Source:     spec/plugins.md 1, 6.3; kubernetes v1.37
 *             pkg/scheduler/apis/config/v1/default_plugins.go,
 *             pkg/scheduler/framework/runtime/framework.go.
 */
#include "framework/config_internal.h"

/* ---- points ---- */

static const struct {
    const char *key;  /* in the document */
    const char *type; /* in error messages */
} points[] = {
    [MST_CFG_PRE_ENQUEUE] = { "preEnqueue", "PreEnqueuePlugin" },
    [MST_CFG_QUEUE_SORT] = { "queueSort", "QueueSortPlugin" },
    [MST_CFG_PRE_FILTER] = { "preFilter", "PreFilterPlugin" },
    [MST_CFG_FILTER] = { "filter", "FilterPlugin" },
    [MST_CFG_POST_FILTER] = { "postFilter", "PostFilterPlugin" },
    [MST_CFG_PRE_SCORE] = { "preScore", "PreScorePlugin" },
    [MST_CFG_SCORE] = { "score", "ScorePlugin" },
    [MST_CFG_RESERVE] = { "reserve", "ReservePlugin" },
    [MST_CFG_PERMIT] = { "permit", "PermitPlugin" },
    [MST_CFG_PRE_BIND] = { "preBind", "PreBindPlugin" },
    [MST_CFG_BIND] = { "bind", "BindPlugin" },
    [MST_CFG_POST_BIND] = { "postBind", "PostBindPlugin" },
    [MST_CFG_PLACEMENT_GENERATE] = { "placementGenerate", "PlacementGeneratePlugin" },
    [MST_CFG_PLACEMENT_SCORE] = { "placementScore", "PlacementScorePlugin" },
    [MST_CFG_POD_GROUP_POST_FILTER] = { "podGroupPostFilter", "PodGroupPostFilterPlugin" },
    [MST_CFG_MULTI_POINT] = { "multiPoint", "" },
};
_Static_assert(MST_COUNT(points) == MST_CFG_SET_COUNT, "a row for every set");

/* The order in which upstream looks at them: it decides which error is seen first. */
static const mst_cfg_point checked_order[] = {
    MST_CFG_PRE_FILTER,
    MST_CFG_FILTER,
    MST_CFG_POST_FILTER,
    MST_CFG_RESERVE,
    MST_CFG_PRE_SCORE,
    MST_CFG_SCORE,
    MST_CFG_PRE_BIND,
    MST_CFG_BIND,
    MST_CFG_POST_BIND,
    MST_CFG_PERMIT,
    MST_CFG_PRE_ENQUEUE,
    MST_CFG_QUEUE_SORT,
    MST_CFG_PLACEMENT_GENERATE,
    MST_CFG_PLACEMENT_SCORE,
    MST_CFG_POD_GROUP_POST_FILTER,
};
_Static_assert(MST_COUNT(checked_order) == MST_CFG_POINT_COUNT, "every point once");

const char *mst_cfg_set_key(uint32_t set)
{
    mst_assert(set < MST_CFG_SET_COUNT);
    return points[set].key;
}

const char *mst_cfg_point_key(mst_cfg_point point)
{
    mst_assert((uint32_t)point < MST_CFG_POINT_COUNT);
    return points[point].key;
}

/* ---- names ---- */

enum {
    PRE_ENQUEUE = 1 << MST_CFG_PRE_ENQUEUE,
    QUEUE_SORT = 1 << MST_CFG_QUEUE_SORT,
    PRE_FILTER = 1 << MST_CFG_PRE_FILTER,
    FILTER = 1 << MST_CFG_FILTER,
    POST_FILTER = 1 << MST_CFG_POST_FILTER,
    PRE_SCORE = 1 << MST_CFG_PRE_SCORE,
    SCORE = 1 << MST_CFG_SCORE,
    RESERVE = 1 << MST_CFG_RESERVE,
    PERMIT = 1 << MST_CFG_PERMIT,
    PRE_BIND = 1 << MST_CFG_PRE_BIND,
    BIND = 1 << MST_CFG_BIND,
    POST_BIND = 1 << MST_CFG_POST_BIND,
    PLACEMENT_GENERATE = 1 << MST_CFG_PLACEMENT_GENERATE,
    PLACEMENT_SCORE = 1 << MST_CFG_PLACEMENT_SCORE,
    GROUP_POST_FILTER = 1 << MST_CFG_POD_GROUP_POST_FILTER,

    FILTERS = PRE_FILTER | FILTER,
    SCORES = PRE_SCORE | SCORE,
    /* where a plugin can keep a pod or a group from running on a node */
    JUDGES = PRE_ENQUEUE | FILTERS | RESERVE | PRE_BIND | PLACEMENT_GENERATE,
};

enum { NO_GATE = MST_GATE_COUNT };

struct known_plugin {
    const char *name;
    uint32_t points;
    int64_t weight; /* in the default set; 0: none written */
    int gate;
    uint32_t needs; /* MST_NEEDS_* that it judges */
};

/* The default set in its order. Upstream implements each plugin at exactly these points. */
static const struct known_plugin in_tree[] = {
    { "SchedulingGates", PRE_ENQUEUE, 0, NO_GATE, 0 },
    { "PrioritySort", QUEUE_SORT, 0, NO_GATE, 0 },
    { "NodeName", FILTERS, 0, NO_GATE, 0 },
    { "NodeUnschedulable", FILTERS, 0, NO_GATE, 0 },
    { "TaintToleration", FILTERS | SCORES, 3, NO_GATE, 0 },
    { "NodeAffinity", FILTERS | SCORES, 2, NO_GATE, 0 },
    { "NodePorts", FILTERS, 0, NO_GATE, 0 },
    { "DeferredPodScheduling", FILTERS | PERMIT, 0,
      MST_GATE_InPlacePodVerticalScalingSchedulerPreemption, 0 },
    { "NodeResourcesFit", FILTERS | SCORES | PLACEMENT_SCORE, 1, NO_GATE, 0 },
    { "VolumeRestrictions", FILTERS, 0, NO_GATE, MST_NEEDS_VOLUMES },
    { "NodeVolumeLimits", FILTERS, 0, NO_GATE, MST_NEEDS_VOLUMES },
    { "VolumeBinding", FILTERS | SCORES | RESERVE | PRE_BIND, 0, NO_GATE, MST_NEEDS_VOLUMES },
    { "VolumeZone", FILTERS, 0, NO_GATE, MST_NEEDS_VOLUMES },
    { "PodTopologySpread", FILTERS | SCORES, 2, NO_GATE, MST_NEEDS_SPREAD },
    { "InterPodAffinity", FILTERS | SCORES, 2, NO_GATE, MST_NEEDS_POD_AFFINITY },
    { "DynamicResources",
      PRE_ENQUEUE | FILTERS | POST_FILTER | GROUP_POST_FILTER | SCORE | RESERVE | PRE_BIND, 2,
      MST_GATE_DynamicResourceAllocation, MST_NEEDS_CLAIMS },
    { "DefaultPreemption", PRE_ENQUEUE | POST_FILTER | GROUP_POST_FILTER, 0, NO_GATE, 0 },
    { "NodeResourcesBalancedAllocation", SCORES, 1, NO_GATE, 0 },
    { "ImageLocality", SCORE, 1, NO_GATE, 0 },
    { "DefaultBinder", BIND, 0, NO_GATE, 0 },
    { "NodeDeclaredFeatures", FILTERS, 0, MST_GATE_NodeDeclaredFeatures, MST_NEEDS_FEATURES },
    { "GangScheduling", PRE_ENQUEUE | PERMIT, 0, MST_GATE_GenericWorkload, 0 },
    { "TopologyPlacementGenerator", PLACEMENT_GENERATE, 0, MST_GATE_TopologyAwareWorkloadScheduling,
      MST_NEEDS_TOPOLOGY },
    { "PodGroupPodsCount", PLACEMENT_SCORE, 1, MST_GATE_TopologyAwareWorkloadScheduling, 0 },
};

static const struct known_plugin *find_in_tree(struct mst_str name)
{
    for (size_t i = 0; i < MST_COUNT(in_tree); i++)
        if (mst_str_is(name, in_tree[i].name))
            return &in_tree[i];
    return NULL;
}

static const struct mst_plugin *find_linked(const struct mst_registry *registry,
                                            struct mst_str name)
{
    for (uint32_t i = 0; i < registry->n; i++)
        if (mst_str_is(name, registry->v[i]->name))
            return registry->v[i];
    return NULL;
}

bool mst_cfg_plugin_known(const struct mst_registry *registry, struct mst_str name)
{
    return find_in_tree(name) || find_linked(registry, name);
}

bool mst_cfg_plugin_removed(struct mst_str name)
{
    static const char *const removed[] = { "AzureDiskLimits", "CinderLimits", "EBSLimits",
                                           "GCEPDLimits" };
    for (size_t i = 0; i < MST_COUNT(removed); i++)
        if (mst_str_is(name, removed[i]))
            return true;
    return false;
}

/* Where a plugin without a row in the table can run. */
static uint32_t points_of_linked(const struct mst_plugin *p)
{
    static const struct {
        uint32_t bit, points;
    } bits[] = {
        { MST_POINT_QUEUE_SORT, QUEUE_SORT },
        { MST_POINT_RESERVE, RESERVE },
        { MST_POINT_PERMIT, PERMIT },
        { MST_POINT_PRE_BIND, PRE_BIND },
        { MST_POINT_BIND, BIND },
        { MST_POINT_POST_BIND, POST_BIND },
        { MST_POINT_POST_FILTER, POST_FILTER },
        { MST_POINT_POD_GROUP_POST_FILTER, GROUP_POST_FILTER },
        { MST_POINT_PLACEMENT_GENERATE, PLACEMENT_GENERATE },
        { MST_POINT_PLACEMENT_SCORE, PLACEMENT_SCORE },
    };
    uint32_t at = (p->pre_enqueue ? PRE_ENQUEUE : 0) | (p->pre_filter ? PRE_FILTER : 0) |
                  (p->filter ? FILTER : 0) | (p->pre_score ? PRE_SCORE : 0) |
                  (p->score ? SCORE : 0);
    for (size_t i = 0; i < MST_COUNT(bits); i++)
        if (p->points & bits[i].bit)
            at |= bits[i].points;
    return at;
}

static bool gate_is_on(const struct mst_gates *gates, const char *name)
{
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++)
        if (strcmp(mst_gate_name((mst_gate)i), name) == 0)
            return gates->on[i];
    return false;
}

/* ---- step 1: merge ---- */

static void push(struct mst_cfg_set *set, struct mst_cfg_entry entry)
{
    set->enabled.v[set->enabled.n++] = entry;
}

/* The default set of multiPoint under the gates; every other point's is empty. */
static void default_set(const struct mst_config *config, const struct mst_registry *registry,
                        struct mst_arena *arena, struct mst_cfg_set *out)
{
    *out = (struct mst_cfg_set){ 0 };
    out->enabled.v = MST_NEW_N(arena, struct mst_cfg_entry, MST_COUNT(in_tree) + registry->n);
    for (size_t i = 0; i < MST_COUNT(in_tree); i++)
        if (in_tree[i].gate == NO_GATE || config->gates.on[in_tree[i].gate])
            push(out,
                 (struct mst_cfg_entry){ mst_str_of(in_tree[i].name), in_tree[i].weight, NULL });
    for (uint32_t i = 0; i < registry->n; i++) {
        const struct mst_plugin *p = registry->v[i];
        const struct mst_str name = mst_str_of(p->name);
        if (!find_in_tree(name) && (!p->gate || gate_is_on(&config->gates, p->gate)))
            push(out, (struct mst_cfg_entry){ name, p->default_weight, NULL });
    }
}

static bool has_entry(const struct mst_cfg_entry *v, uint32_t n, struct mst_str name)
{
    for (uint32_t i = 0; i < n; i++)
        if (mst_str_eq(v[i].name, name))
            return true;
    return false;
}

/* The last entry of that name, as upstream's map keeps it, or UINT32_MAX. */
static uint32_t last_entry(const struct mst_cfg_set *set, struct mst_str name)
{
    for (uint32_t i = set->enabled.n; i-- > 0;)
        if (mst_str_eq(set->enabled.v[i].name, name))
            return i;
    return UINT32_MAX;
}

void mst_cfg_merge(const struct mst_config *config, const struct mst_registry *registry,
                   struct mst_arena *arena, struct mst_cfg_raw *raw)
{
    struct mst_cfg_set defaults;
    struct mst_cfg_set *custom = &raw->sets[MST_CFG_MULTI_POINT];
    default_set(config, registry, arena, &defaults);
    struct mst_cfg_set out = { .disabled = { custom->disabled.v, custom->disabled.n } };
    out.enabled.v = MST_NEW_N(arena, struct mst_cfg_entry, defaults.enabled.n + custom->enabled.n);
    bool *replaced = MST_NEW_N(arena, bool, custom->enabled.n);
    if (!has_entry(custom->disabled.v, custom->disabled.n, MST_STR("*"))) {
        for (uint32_t i = 0; i < defaults.enabled.n; i++) {
            const struct mst_cfg_entry *entry = &defaults.enabled.v[i];
            if (has_entry(custom->disabled.v, custom->disabled.n, entry->name))
                continue;
            const uint32_t own = last_entry(custom, entry->name);
            if (own != UINT32_MAX)
                replaced[own] = true;
            push(&out, own == UINT32_MAX ? *entry : custom->enabled.v[own]);
        }
    }
    for (uint32_t i = 0; i < custom->enabled.n; i++)
        if (!replaced[i])
            push(&out, custom->enabled.v[i]);
    *custom = out;
}

/* ---- steps 2 and 3: resolve and expand ---- */

struct expansion {
    const struct mst_reading *rd;
    const struct mst_registry *registry;
    const struct mst_cfg_raw *raw;
    struct mst_cfg_profile *out;
};

static void profile_error(const struct expansion *x, const struct mst_value *at, const char *text)
{
    mst_cfg_error(x->rd, at ? at : x->raw->at, "creating profile for scheduler name %.*s: %s",
                  MST_ARG(x->out->scheduler_name), text);
}

/* Points of a name; 0 when nobody knows it. */
static uint32_t points_of(const struct expansion *x, struct mst_str name)
{
    const struct known_plugin *known = find_in_tree(name);
    if (known)
        return known->points;
    const struct mst_plugin *linked = find_linked(x->registry, name);
    return linked ? points_of_linked(linked) : 0;
}

/* What is wrong with a point's own list: unknown names, wrong points, repeats. */
static void check_own(const struct expansion *x, mst_cfg_point point)
{
    const struct mst_cfg_set *set = &x->raw->sets[point];
    for (uint32_t i = 0; i < set->enabled.n; i++) {
        const struct mst_cfg_entry *e = &set->enabled.v[i];
        const uint32_t at = points_of(x, e->name);
        struct mst_str text = MST_STR_NONE;
        if (!at)
            text = mst_arena_printf(x->rd->arena, "%s \"%.*s\" does not exist", points[point].type,
                                    MST_ARG(e->name));
        else if (!(at >> point & 1))
            text = mst_arena_printf(x->rd->arena, "plugin \"%.*s\" does not extend %s plugin",
                                    MST_ARG(e->name), points[point].type);
        else if (has_entry(set->enabled.v, i, e->name))
            text = mst_arena_printf(x->rd->arena, "plugin \"%.*s\" already registered as \"%s\"",
                                    MST_ARG(e->name), points[point].type);
        if (text.p)
            profile_error(x, e->at, text.p);
    }
}

static bool point_expands(const struct expansion *x, mst_cfg_point point)
{
    const struct mst_cfg_set *own = &x->raw->sets[point];
    return !has_entry(own->disabled.v, own->disabled.n, MST_STR("*"));
}

/* The first point at which the entry is expanded and (if `points_mask`) implemented, or -1. */
static int first_point(const struct expansion *x, struct mst_str name, uint32_t points_mask)
{
    for (size_t k = 0; k < MST_COUNT(checked_order); k++) {
        const mst_cfg_point point = checked_order[k];
        const struct mst_cfg_set *own = &x->raw->sets[point];
        if (point_expands(x, point) && (points_mask >> point & 1) &&
            !has_entry(own->disabled.v, own->disabled.n, name) &&
            !has_entry(own->enabled.v, own->enabled.n, name))
            return (int)point;
    }
    return -1;
}

/* Upstream stops at the first point that meets such a name; here each name is told once. */
static void check_multi_point(const struct expansion *x)
{
    const struct mst_cfg_set *multi = &x->raw->sets[MST_CFG_MULTI_POINT];
    for (uint32_t i = 0; i < multi->enabled.n; i++) {
        const struct mst_cfg_entry *e = &multi->enabled.v[i];
        const uint32_t at = points_of(x, e->name);
        struct mst_str text = MST_STR_NONE;
        if (!at) {
            int point = -1;
            for (size_t k = 0; k < MST_COUNT(checked_order) && point < 0; k++)
                point = point_expands(x, checked_order[k]) ? (int)checked_order[k] : -1;
            if (point >= 0)
                text = mst_arena_printf(x->rd->arena, "%s \"%.*s\" does not exist",
                                        points[point].type, MST_ARG(e->name));
        } else if (has_entry(multi->enabled.v, i, e->name)) {
            const int point = first_point(x, e->name, at);
            if (point >= 0)
                text =
                    mst_arena_printf(x->rd->arena, "plugin \"%.*s\" already registered as \"%s\"",
                                     MST_ARG(e->name), points[point].type);
        }
        if (text.p)
            profile_error(x, e->at, text.p);
    }
}

/* The point's own entry wins, the first one of a name counts, 0 means 1. */
static int64_t weight_of(const struct expansion *x, mst_cfg_point point, struct mst_str name)
{
    const struct mst_cfg_set *sets[] = { &x->raw->sets[point], &x->raw->sets[MST_CFG_MULTI_POINT] };
    for (size_t s = 0; s < MST_COUNT(sets); s++)
        for (uint32_t i = 0; i < sets[s]->enabled.n; i++)
            if (mst_str_eq(sets[s]->enabled.v[i].name, name))
                return sets[s]->enabled.v[i].weight ? sets[s]->enabled.v[i].weight : 1;
    return 1;
}

/* Runs a resolved name at a point, or notes what will not be judged. */
static void run_at(const struct expansion *x, mst_cfg_point point, struct mst_str name)
{
    const struct mst_plugin *linked = find_linked(x->registry, name);
    const struct known_plugin *known = find_in_tree(name);
    x->out->named[point].v[x->out->named[point].n++] =
        (struct mst_cfg_named){ name, weight_of(x, point, name) };
    if (linked)
        mst_vec_push(&x->out->points[point],
                     (struct mst_cfg_enabled){ linked, weight_of(x, point, name) });
    else if (known && (JUDGES >> point & 1))
        x->out->missing |= known->needs;
}

/* How many plugins run at the point, linked in or not. */
static uint32_t expand_point(const struct expansion *x, mst_cfg_point point)
{
    const struct mst_cfg_set *own = &x->raw->sets[point];
    const struct mst_cfg_set *multi = &x->raw->sets[MST_CFG_MULTI_POINT];
    const bool expands = point_expands(x, point);
    const uint32_t own_n = own->enabled.n;
    bool *done = MST_NEW_N(x->rd->arena, bool, own_n);
    uint32_t count = 0;
    x->out->named[point].v =
        MST_NEW_N(x->rd->arena, struct mst_cfg_named, own_n + multi->enabled.n);
    /* Overrides of multiPoint, in the point's own order. */
    for (uint32_t i = 0; i < own_n; i++) {
        const struct mst_str name = own->enabled.v[i].name;
        done[i] = !(points_of(x, name) >> point & 1) || has_entry(own->enabled.v, i, name);
        if (done[i] || !expands || has_entry(own->disabled.v, own->disabled.n, name) ||
            !has_entry(multi->enabled.v, multi->enabled.n, name))
            continue;
        run_at(x, point, name);
        done[i] = true;
        count++;
    }
    for (uint32_t i = 0; expands && i < multi->enabled.n; i++) {
        const struct mst_str name = multi->enabled.v[i].name;
        if (!(points_of(x, name) >> point & 1) || has_entry(multi->enabled.v, i, name) ||
            has_entry(own->disabled.v, own->disabled.n, name) ||
            has_entry(own->enabled.v, own_n, name))
            continue;
        run_at(x, point, name);
        count++;
    }
    for (uint32_t i = 0; i < own_n; i++) {
        if (done[i])
            continue;
        run_at(x, point, own->enabled.v[i].name);
        count++;
    }
    return count;
}

/*
 * A plugin of ours makes in its first step what the second one reads, so the first goes with the
 * second even where the configuration or upstream has no such step.
 *
 * Differs: upstream computes the state on the spot (NodeAffinity, NodeResourcesFit's score), does
 *          without
 * (NodeName, ImageLocality), or answers every pod with an error (NodeResourcesFit, NodePorts).
 */
static void complete(const struct expansion *x, mst_cfg_point second, mst_cfg_point first)
{
    for (uint32_t i = 0; i < x->out->points[second].n; i++) {
        const struct mst_plugin *p = x->out->points[second].v[i].plugin;
        bool there = !(second == MST_CFG_FILTER ? p->pre_filter != NULL : p->pre_score != NULL);
        for (uint32_t k = 0; k < x->out->points[first].n && !there; k++)
            there = x->out->points[first].v[k].plugin == p;
        if (!there)
            mst_vec_push(&x->out->points[first], (struct mst_cfg_enabled){ p, 1 });
    }
}

/* Every plugin that some list enables is built, even if no point runs it in the end. */
static void collect_plugins(const struct expansion *x)
{
    for (uint32_t i = 0; i < x->registry->n; i++) {
        const struct mst_str name = mst_str_of(x->registry->v[i]->name);
        bool needed = false;
        for (uint32_t s = 0; s < MST_CFG_SET_COUNT && !needed; s++)
            needed = has_entry(x->raw->sets[s].enabled.v, x->raw->sets[s].enabled.n, name);
        if (!needed)
            continue;
        mst_assert(x->out->plugin_count < MST_SLOTS_MAX);
        const uint32_t at = x->out->plugin_count++;
        x->out->plugins[at].plugin = x->registry->v[i];
        x->out->plugins[at].args = NULL;
        for (uint32_t k = 0; k < x->raw->args.n; k++)
            if (mst_str_eq(x->raw->args.v[k].name, name) && x->registry->v[i]->init)
                x->out->plugins[at].args = x->raw->args.v[k].args;
    }
}

static const struct mst_value *args_of(const struct mst_cfg_raw *raw, struct mst_str name)
{
    for (uint32_t i = 0; i < raw->args.n; i++)
        if (mst_str_eq(raw->args.v[i].name, name))
            return raw->args.v[i].args;
    return NULL;
}

/* Every name of a list once: those of multiPoint, then the others by point. */
static void collect_names(const struct expansion *x)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < MST_CFG_SET_COUNT; s++)
        most += x->raw->sets[s].enabled.n;
    x->out->used.v = MST_NEW_N(x->rd->arena, struct mst_cfg_used, most);
    MST_AUTO(mst_map) seen = { 0 };
    for (uint32_t k = 0; k < MST_CFG_SET_COUNT; k++) {
        const uint32_t s = k == 0 ? (uint32_t)MST_CFG_MULTI_POINT : k - 1;
        const struct mst_cfg_set *set = &x->raw->sets[s];
        for (uint32_t i = 0; i < set->enabled.n; i++) {
            const struct mst_str name = set->enabled.v[i].name;
            if (points_of(x, name) && mst_map_set(&seen, name, 1))
                x->out->used.v[x->out->used.n++] =
                    (struct mst_cfg_used){ name, find_linked(x->registry, name),
                                           args_of(x->raw, name) };
        }
    }
}

static void final_checks(const struct expansion *x, const uint32_t *counts)
{
    struct mst_arena *arena = x->rd->arena;
    const struct mst_str name = x->out->scheduler_name;
    if (counts[MST_CFG_QUEUE_SORT] != 1)
        profile_error(x, NULL,
                      mst_arena_printf(arena,
                                       "only one queue sort plugin required for profile with "
                                       "scheduler name \"%.*s\", but got %u",
                                       MST_ARG(name), counts[MST_CFG_QUEUE_SORT])
                          .p);
    if (counts[MST_CFG_BIND] == 0)
        profile_error(x, NULL,
                      mst_arena_printf(arena,
                                       "at least one bind plugin is needed for profile with "
                                       "scheduler name \"%.*s\"",
                                       MST_ARG(name))
                          .p);
    if (counts[MST_CFG_PLACEMENT_GENERATE] > 1)
        profile_error(x, NULL,
                      mst_arena_printf(arena,
                                       "at most one placement generate plugin is allowed for "
                                       "profile with scheduler name \"%.*s\"",
                                       MST_ARG(name))
                          .p);
}

/* Total scores must fit int64: sum of weight * 100. */
static void check_weights(const struct expansion *x, mst_cfg_point point, const char *prefix)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < x->out->points[point].n; i++) {
        int64_t most;
        if (!__builtin_mul_overflow(x->out->points[point].v[i].weight, (int64_t)100, &most) &&
            !__builtin_add_overflow(total, most, &total))
            continue;
        const struct mst_str text =
            mst_arena_printf(x->rd->arena, "%s: total score of Score plugins could overflow",
                             prefix);
        profile_error(x, NULL, text.p);
        return;
    }
}

void mst_cfg_expand(const struct mst_reading *rd, const struct mst_registry *registry,
                    const struct mst_cfg_raw *raw, struct mst_cfg_profile *out)
{
    const struct expansion x = { rd, registry, raw, out };
    uint32_t counts[MST_CFG_POINT_COUNT];
    const uint32_t errors = rd->diags->error_count;
    for (size_t k = 0; k < MST_COUNT(checked_order); k++)
        check_own(&x, checked_order[k]);
    check_multi_point(&x);
    for (uint32_t point = 0; point < MST_CFG_POINT_COUNT; point++)
        counts[point] = expand_point(&x, (mst_cfg_point)point);
    complete(&x, MST_CFG_FILTER, MST_CFG_PRE_FILTER);
    complete(&x, MST_CFG_SCORE, MST_CFG_PRE_SCORE);
    collect_plugins(&x);
    collect_names(&x);
    if (rd->diags->error_count != errors)
        return; /* the counts would only repeat what is wrong already */
    final_checks(&x, counts);
    check_weights(&x, MST_CFG_SCORE, "score plugins");
    check_weights(&x, MST_CFG_PLACEMENT_SCORE, "placement score plugins");
}
