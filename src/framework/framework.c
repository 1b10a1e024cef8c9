/*
 * framework.c - one scheduler profile at work: instances, order of plugins, hints.
 */
#include "framework/framework.h"
#include "framework/extender.h"

const char *mst_code_name(mst_code code)
{
    switch (code) {
    case MST_SUCCESS: return "Success";
    case MST_ERROR: return "Error";
    case MST_UNSCHEDULABLE: return "Unschedulable";
    case MST_UNRESOLVABLE: return "UnschedulableAndUnresolvable";
    case MST_WAIT: return "Wait";
    case MST_SKIP: return "Skip";
    case MST_PENDING: return "Pending";
    }
    return "?";
}

static uint32_t slot_of(const struct mst_framework *fw, const struct mst_plugin *plugin)
{
    for (uint32_t i = 0; i < fw->slot_count; i++)
        if (fw->slots[i].plugin == plugin)
            return i;
    return MST_ROW_NONE;
}

typedef bool has_point(const struct mst_plugin *plugin);

static bool has_pre_enqueue(const struct mst_plugin *p)
{
    return p->pre_enqueue != NULL;
}
static bool has_pre_filter(const struct mst_plugin *p)
{
    return p->pre_filter != NULL;
}
static bool has_filter(const struct mst_plugin *p)
{
    return p->filter != NULL;
}
static bool has_pre_score(const struct mst_plugin *p)
{
    return p->pre_score != NULL;
}
static bool has_score(const struct mst_plugin *p)
{
    return p->score != NULL;
}

/* The slots enabled at a configured point, in its order. */
static uint32_t order_of(const struct mst_framework *fw, const struct mst_cfg_profile *profile,
                         mst_cfg_point point, has_point *has, uint8_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < profile->points[point].n; i++) {
        const struct mst_plugin *plugin = profile->points[point].v[i].plugin;
        if (has(plugin))
            out[n++] = (uint8_t)slot_of(fw, plugin);
    }
    return n;
}

static mst_rc make_slots(struct mst_framework *fw, const struct mst_cfg_profile *profile,
                         struct mst_err *err)
{
    mst_assert(profile->plugin_count <= MST_SLOTS_MAX);
    for (uint32_t i = 0; i < profile->plugin_count; i++) {
        struct mst_slot *slot = &fw->slots[fw->slot_count];
        *slot = (struct mst_slot){ .plugin = profile->plugins[i].plugin };
        if (slot->plugin->init &&
            slot->plugin->init(&fw->view, profile->plugins[i].args, &slot->instance, err))
            return mst_wrap(err, "initializing plugin \"%s\"", slot->plugin->name);
        if (slot->plugin->generation)
            fw->generation[fw->generation_count++] = (uint8_t)fw->slot_count;
        fw->slot_count++;
    }
    return MST_OK;
}

static void find_gang(struct mst_framework *fw, const struct mst_cfg_profile *profile)
{
    fw->gang_slot = MST_ROW_NONE;
    for (uint32_t i = 0; i < fw->slot_count; i++)
        if (fw->slots[i].plugin->placement_feasible)
            fw->gang_slot = i;
    for (uint32_t i = 0; i < profile->points[MST_CFG_PERMIT].n; i++)
        if (profile->points[MST_CFG_PERMIT].v[i].plugin->placement_feasible)
            fw->has_permit = true;
}

static uint32_t preempting_slot(const struct mst_framework *fw,
                                const struct mst_cfg_profile *profile, mst_cfg_point point)
{
    for (uint32_t i = 0; i < profile->points[point].n; i++)
        if (profile->points[point].v[i].plugin->preemption)
            return slot_of(fw, profile->points[point].v[i].plugin);
    return MST_ROW_NONE;
}

static void find_preemption(struct mst_framework *fw, const struct mst_cfg_profile *profile)
{
    fw->preempts_pods = preempting_slot(fw, profile, MST_CFG_POST_FILTER);
    fw->preempts_groups = preempting_slot(fw, profile, MST_CFG_POD_GROUP_POST_FILTER);
    uint32_t slot = fw->preempts_pods != MST_ROW_NONE ? fw->preempts_pods : fw->preempts_groups;
    if (slot != MST_ROW_NONE)
        fw->slots[slot].plugin->preemption(fw->slots[slot].instance, &fw->preemption);
}

/*
 * Who signs: every plugin at PreFilter, Filter, PreScore or Score, and each must be able to. Of the
 * plugins that this version lacks DynamicResources signs; it refuses pods with claims. Extenders
 * turn signatures off as well.
 */
static void find_signers(struct mst_framework *fw, const struct mst_config *config,
                         const struct mst_cfg_profile *profile)
{
    static const mst_cfg_point points[] = { MST_CFG_PRE_FILTER, MST_CFG_FILTER, MST_CFG_PRE_SCORE,
                                            MST_CFG_SCORE };
    fw->signs = config->gates.on[MST_GATE_OpportunisticBatching] && !config->extenders.n;
    for (size_t p = 0; p < MST_COUNT(points); p++) {
        for (uint32_t i = 0; i < profile->named[points[p]].n; i++) {
            struct mst_str name = profile->named[points[p]].v[i].name;
            uint32_t slot = 0;
            while (slot < fw->slot_count && !mst_str_is(name, fw->slots[slot].plugin->name))
                slot++;
            if (slot < fw->slot_count && fw->slots[slot].plugin->signs)
                fw->signing |= (uint64_t)1 << slot;
            else if (slot == fw->slot_count && mst_str_is(name, "DynamicResources"))
                fw->refuses_claims = true;
            else
                fw->signs = false;
        }
    }
}

static void add_extenders(struct mst_framework *fw, const struct mst_config *config)
{
    fw->extender_slot = MST_ROW_NONE;
    for (uint32_t i = 0; i < config->extenders.n; i++)
        fw->extenders_choose |= config->extenders.v[i].verbs[MST_VERB_FILTER].n ||
                                config->extenders.v[i].verbs[MST_VERB_PRIORITIZE].n;
    if (!config->extenders.n)
        return;
    mst_assert(fw->slot_count < MST_SLOTS_MAX);
    fw->extender_slot = fw->slot_count++;
    fw->slots[fw->extender_slot] = (struct mst_slot){ .plugin = &mst_extender_plugin };
}

mst_rc mst_framework_init(struct mst_framework *fw, struct mst_cluster *cluster,
                          const struct mst_config *config, uint32_t profile_i, struct mst_err *err)
{
    const struct mst_cfg_profile *profile = &config->profiles.v[profile_i];
    *fw = (struct mst_framework){
        .view = { .cluster = cluster,
                  .nodes = &cluster->nodes,
                  .syms = cluster->syms,
                  .gates = &config->gates,
                  .upstream = config->upstream },
        .scheduler_name = profile->scheduler_name,
        .profile = profile_i,
        .missing = profile->missing,
        .percentage_of_nodes = profile->percentage_of_nodes.set ? profile->percentage_of_nodes.value
                                                                : config->percentage_of_nodes.value,
    };
    mst_rc rc = make_slots(fw, profile, err);
    if (rc) {
        mst_framework_done(fw);
        return mst_wrap(err, "creating profile for scheduler name %.*s",
                        MST_ARG(profile->scheduler_name));
    }
    fw->pre_enqueue_count =
        order_of(fw, profile, MST_CFG_PRE_ENQUEUE, has_pre_enqueue, fw->pre_enqueue);
    fw->pre_filter_count =
        order_of(fw, profile, MST_CFG_PRE_FILTER, has_pre_filter, fw->pre_filter);
    fw->filter_count = order_of(fw, profile, MST_CFG_FILTER, has_filter, fw->filter);
    fw->pre_score_count = order_of(fw, profile, MST_CFG_PRE_SCORE, has_pre_score, fw->pre_score);
    fw->score_count = order_of(fw, profile, MST_CFG_SCORE, has_score, fw->score);
    for (uint32_t i = 0; i < profile->points[MST_CFG_SCORE].n; i++) {
        uint32_t slot = slot_of(fw, profile->points[MST_CFG_SCORE].v[i].plugin);
        fw->slots[slot].weight = profile->points[MST_CFG_SCORE].v[i].weight;
    }
    find_gang(fw, profile);
    find_preemption(fw, profile);
    find_signers(fw, config, profile);
    add_extenders(fw, config);
    return MST_OK;
}

void mst_framework_done(struct mst_framework *fw)
{
    for (uint32_t i = 0; i < fw->slot_count; i++)
        if (fw->slots[i].plugin->done)
            fw->slots[i].plugin->done(fw->slots[i].instance);
    fw->slot_count = 0;
}

uint32_t mst_framework_slot(const struct mst_framework *fw, const char *name)
{
    for (uint32_t i = 0; i < fw->slot_count; i++)
        if (strcmp(fw->slots[i].plugin->name, name) == 0)
            return i;
    return MST_ROW_NONE;
}

const char *mst_framework_slot_name(const struct mst_framework *fw, uint32_t slot)
{
    mst_assert(slot < fw->slot_count);
    return fw->slots[slot].plugin->name;
}

static bool gated_by(const struct mst_framework *fw, uint32_t slot, uint32_t pod,
                     const struct mst_marks *marks, struct mst_arena *arena, struct mst_status *out)
{
    const struct mst_slot *s = &fw->slots[slot];
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    mst_mark_begin(marks, MST_PART_PLUGIN);
    s->plugin->pre_enqueue(&fw->view, s->instance, pod, arena, out);
    mst_mark_plugin(marks, MST_PART_PRE_ENQUEUE, s->plugin->name, out->code);
    if (out->code == MST_SUCCESS)
        return false;
    out->plugin = slot;
    return true;
}

void mst_framework_pre_enqueue(const struct mst_framework *fw, uint32_t pod, uint32_t first_slot,
                               const struct mst_marks *marks, struct mst_arena *arena,
                               struct mst_status *out)
{
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    if (first_slot != MST_ROW_NONE && gated_by(fw, first_slot, pod, marks, arena, out))
        return;
    for (uint32_t i = 0; i < fw->pre_enqueue_count; i++)
        if (fw->pre_enqueue[i] != first_slot &&
            gated_by(fw, fw->pre_enqueue[i], pod, marks, arena, out))
            return;
}

/*
 * Resources are equal (or the event is the wildcard), some action is registered, and no action of
 * the event is beyond what was registered: a general update reaches only plugins that asked for it.
 */
static bool matches(const struct mst_event_registration *r, const struct mst_cluster_event *event)
{
    return (r->resource == event->resource || r->resource == MST_ON_WILDCARD) &&
           (r->actions & event->actions) && event->actions <= r->actions;
}

static const struct mst_event_registration *registration(const struct mst_framework *fw,
                                                         uint32_t slot,
                                                         const struct mst_cluster_event *event)
{
    const struct mst_plugin *plugin = fw->slots[slot].plugin;
    for (uint32_t i = 0; i < plugin->event_count; i++)
        if (matches(&plugin->events[i], event))
            return &plugin->events[i];
    return NULL;
}

bool mst_framework_listens(const struct mst_framework *fw, uint32_t slot,
                           const struct mst_cluster_event *event)
{
    return event->resource == MST_ON_WILDCARD || registration(fw, slot, event) != NULL;
}

mst_hint mst_framework_hint(const struct mst_framework *fw, uint32_t slot, uint32_t pod,
                            const struct mst_cluster_event *event)
{
    if (event->resource == MST_ON_WILDCARD)
        return MST_HINT_QUEUE;
    const struct mst_event_registration *r = registration(fw, slot, event);
    if (!r)
        return MST_HINT_SKIP;
    if (!r->hint)
        return MST_HINT_QUEUE;
    uint32_t class_id = fw->view.cluster->pods.v[pod].class_id;
    mst_assert(class_id != UINT32_MAX);
    return r->hint(&fw->view, fw->slots[slot].instance, pod,
                   mst_cluster_class(fw->view.cluster, class_id), event);
}

void mst_framework_feasible(const struct mst_framework *fw, uint32_t group,
                            struct mst_progress progress, struct mst_arena *arena,
                            struct mst_status *out)
{
    *out = (struct mst_status){ .code = MST_SUCCESS, .plugin = MST_ROW_NONE };
    if (fw->gang_slot == MST_ROW_NONE)
        return;
    const struct mst_slot *s = &fw->slots[fw->gang_slot];
    s->plugin->placement_feasible(&fw->view, s->instance, group, progress, arena, out);
    out->plugin = fw->gang_slot;
}
