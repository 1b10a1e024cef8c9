/*
 * preempt_helper.h - small worlds for who has to go: nodes and pods in a line of text each, one
 * resource (cpu), a preemptor, and the victims as names.
 *
 *     struct eviction_world w;
 *     world_start(&w, upstream, NULL);
 *     world_node(&w, "n1", 10);
 *     world_pod(&w, &(struct world_pod){ .name = "a", .cpu = 5, .priority = 5, .start = 1,
 *                                        .node = "n1" });
 *     world_text(world_preempt(&w, NULL, 1))
 *     world_stop(&w);
 *
 * Amounts are whole cores. Groups are made by world_group; members follow.
 */
#ifndef MST_PREEMPT_HELPER_H
#define MST_PREEMPT_HELPER_H

#include <stdio.h>

#include "base/sort.h"
#include "cluster/budgets.h"
#include "plugins/registry.h"
#include "preempt/preempt.h"

struct world_pod {
    const char *name, *node, *group,
        *only; /* node NULL: pending; only: the node that it asks for */
    int64_t cpu, priority, start;
    bool leaving;    /* being deleted because of a preemption */
    const char *app; /* label, NULL: none */
};

enum { WORLD_PENDING_MAX = 16 };

struct eviction_world {
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_cluster cluster;
    struct mst_framework fw;
    struct mst_evals evals;
    struct mst_arena arena;
    uint32_t pending[WORLD_PENDING_MAX], pending_count;
    uint32_t need; /* of the preempting group: members that must be placed */
};

/* The rule of the examples: the largest share of free cpu after placing, ties by lowest name. */
#define WORLD_CONFIG(args)                                                                         \
    "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: "    \
    "[{schedulerName: default-scheduler, pluginConfig: [{name: DefaultPreemption, args: {" args    \
    "}}, {name: NodeResourcesFit, args: {scoringStrategy: {type: LeastAllocated, resources: "      \
    "[{name: cpu, weight: 1}]}}}], plugins: {multiPoint: {disabled: [{name: '*'}], enabled: "      \
    "[{name: PrioritySort}, {name: NodeAffinity}, {name: NodeResourcesFit}, {name: "               \
    "DefaultBinder}, {name: DefaultPreemption}]}}}]}"

static inline mst_sym world_sym(struct eviction_world *w, const char *text)
{
    return mst_sym_of_text(w->syms, text);
}

/* `args`: of DefaultPreemption, for a whole configuration see WORLD_CONFIG. NULL: none. */
static inline void world_start(struct eviction_world *w, bool upstream, const char *config)
{
    *w = (struct eviction_world){ .syms = mst_syms_new(), .registry = mst_plugins_registry() };
    w->config.upstream = upstream;
    mst_gates_default(&w->config.gates, upstream);
    w->config.gates.on[MST_GATE_GenericWorkload] = true;
    struct mst_diags diags = { 0 };
    bool read = mst_config_read(&w->config, &w->registry, w->syms,
                                mst_str_of(config ? config : WORLD_CONFIG("")), &diags);
    for (uint32_t i = 0; i < diags.list.n; i++)
        fprintf(stderr, "%.*s\n", MST_ARG(diags.list.v[i].text));
    mst_assert(read);
    mst_diags_done(&diags);
    mst_cluster_init(&w->cluster, w->syms);
    w->cluster.groups_enabled = true;
    struct mst_err err;
    mst_rc rc = mst_framework_init(&w->fw, &w->cluster, &w->config, 0, &err);
    mst_assert(rc == MST_OK);
    mst_evals_init(&w->evals, MST_EVAL_BUDGET);
}

static inline void world_stop(struct eviction_world *w)
{
    mst_cluster_check(&w->cluster);
    mst_evals_done(&w->evals);
    mst_framework_done(&w->fw);
    mst_cluster_done(&w->cluster);
    mst_config_done(&w->config);
    mst_arena_done(&w->arena);
    mst_syms_free(w->syms);
}

static inline void world_node(struct eviction_world *w, const char *name, int64_t cpu)
{
    struct mst_resource given[] = {
        { world_sym(w, "cpu"), { .nano = (mst_nano)cpu * 1000000000 } },
        { world_sym(w, "memory"), { .nano = (mst_nano)1000000000 * 1000000000 } },
        { world_sym(w, "pods"), { .nano = (mst_nano)110 * 1000000000 } },
    };
    struct mst_node node = { .allocatable_set = true };
    struct mst_label label = { world_sym(w, "name"), world_sym(w, name) };
    node.meta.name = mst_str_of(name);
    node.meta.labels.v = &label;
    node.meta.labels.n = 1;
    node.allocatable.v = given;
    node.allocatable.n = MST_COUNT(given);
    (void)mst_cluster_node_set(&w->cluster, &node);
}

static inline void world_group(struct eviction_world *w, const char *name, int64_t priority,
                               bool whole, int64_t min_count)
{
    struct mst_pod_group group = { .spec = { .policy = MST_POLICY_GANG,
                                             .min_count = min_count,
                                             .priority = { .value = priority, .set = true },
                                             .disruption =
                                                 whole ? MST_DISRUPT_ALL : MST_DISRUPT_SINGLE } };
    group.meta.namespace_ = world_sym(w, "default");
    group.meta.name = mst_str_of(name);
    group.meta.uid = mst_str_of(name);
    (void)mst_cluster_group_set(&w->cluster, &group);
}

static inline void world_budget(struct eviction_world *w, const char *name, const char *app,
                                int64_t allowed)
{
    struct mst_label label = { world_sym(w, "app"), world_sym(w, app) };
    struct mst_pdb pdb = { .selector = { .set = true, .match_labels = { &label, 1 } },
                           .disruptions_allowed = allowed };
    pdb.meta.namespace_ = world_sym(w, "default");
    pdb.meta.name = mst_str_of(name);
    mst_cluster_budget_set(&w->cluster, &pdb);
}

static inline uint32_t world_pod(struct eviction_world *w, const struct world_pod *p)
{
    struct mst_resource request = { world_sym(w, "cpu"),
                                    { .nano = (mst_nano)p->cpu * 1000000000 } };
    struct mst_container container = { .name = MST_STR("c") };
    container.resources.requests.v = &request;
    container.resources.requests.n = 1;
    struct mst_label label = { world_sym(w, "app"), world_sym(w, p->app ? p->app : "none") };
    struct mst_label only = { world_sym(w, "name"), world_sym(w, p->only ? p->only : "") };
    struct mst_condition leaving = { .type = MST_STR("DisruptionTarget"),
                                     .status = MST_STR("True"),
                                     .reason = MST_STR("PreemptionByScheduler") };
    struct mst_pod pod = { 0 };
    pod.meta.namespace_ = world_sym(w, "default");
    pod.meta.name = mst_str_of(p->name);
    pod.meta.uid = mst_str_of(p->name);
    pod.meta.labels.v = &label;
    pod.meta.labels.n = p->app != NULL;
    pod.meta.deleted.set = p->leaving;
    pod.spec.containers.v = &container;
    pod.spec.containers.n = 1;
    pod.spec.priority = (struct mst_opt_int){ .value = p->priority, .set = true };
    pod.spec.node_name = p->node ? world_sym(w, p->node) : (mst_sym)MST_SYM_NONE;
    pod.spec.group_set = p->group != NULL;
    pod.spec.group_name = mst_str_of(p->group);
    pod.spec.node_selector.v = &only;
    pod.spec.node_selector_set = true;
    pod.spec.node_selector.n = p->only != NULL;
    pod.status.start_time = (struct mst_time){ .unix_s = p->start, .set = p->start != 0 };
    pod.status.conditions.v = &leaving;
    pod.status.conditions.n = p->leaving;
    uint32_t row = mst_cluster_pod_add(&w->cluster, &pod, 0);
    if (!p->node)
        w->pending[w->pending_count++] = row;
    return row;
}

/* ---- asking ---- */

static inline void world_place(void *ctx, struct mst_trial_placement *out)
{
    struct eviction_world *w = ctx;
    *out = (struct mst_trial_placement){ .code = MST_UNSCHEDULABLE, .text = MST_STR("no room") };
    out->v = MST_NEW_N(&w->arena, struct mst_assignment, w->pending_count);
    for (uint32_t i = 0; i < w->pending_count; i++) {
        struct mst_pick pick;
        mst_eval_pick(&w->evals, &w->fw, w->pending[i], NULL, &w->arena, &pick);
        if (pick.code != MST_SUCCESS)
            continue;
        mst_cluster_place(&w->cluster, w->pending[i], pick.node);
        if (w->evals.ranker)
            w->evals.ranker->placed(w->evals.ranker->ctx, pick.node);
        out->v[out->n++] = (struct mst_assignment){ w->pending[i], pick.node, pick.skips };
    }
    if (out->n >= w->need)
        out->code = MST_SUCCESS;
}

static inline void world_nothing(void *ctx, uint32_t pod)
{
    (void)ctx;
    (void)pod;
}

/* Victims for the pending pods: of the group, or of the only one. */
static inline struct mst_preemption world_preempt(struct eviction_world *w, const char *group)
{
    struct mst_preempt x = {
        .evals = &w->evals, .fw = &w->fw, .now_ns = INT64_C(1000000000000), .arena = &w->arena
    };
    struct mst_preemption out;
    MST_AUTO(mst_buf) before = { 0 };
    MST_AUTO(mst_buf) after = { 0 };
    mst_cluster_dump(&w->cluster, &before);
    if (group) {
        const struct mst_group_placer placer = {
            .ctx = w, .place = world_place, .reserve = world_nothing, .unreserve = world_nothing
        };
        const struct mst_preempting_group g = {
            .group = mst_cluster_group(&w->cluster, world_sym(w, "default"), mst_str_of(group)),
            .pods = w->pending,
            .pod_count = w->pending_count,
            .placer = &placer,
        };
        mst_preempt_group(&x, &g, &out);
    } else {
        struct mst_pick pick;
        mst_eval_pick(&w->evals, &w->fw, w->pending[0], NULL, &w->arena, &pick);
        mst_assert(pick.code == MST_UNSCHEDULABLE);
        mst_preempt_pod(&x, w->pending[0], &pick, NULL, &out);
    }
    mst_cluster_dump(&w->cluster, &after);
    mst_assert(mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
    return out;
}

static inline int world_compare(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

/* "a b", the victims' names in bytewise order; "none" when preemption does not help. */
static inline const char *world_victims(struct eviction_world *w, const struct mst_preemption *p)
{
    if (p->code != MST_SUCCESS)
        return "none";
    struct mst_str *names = MST_NEW_N(&w->arena, struct mst_str, p->victims.n);
    for (uint32_t i = 0; i < p->victims.n; i++)
        names[i] = w->cluster.pods.v[p->victims.pods[i]].name;
    mst_sort(names, p->victims.n, sizeof(*names), world_compare, NULL);
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < p->victims.n; i++)
        text = mst_arena_printf(&w->arena, "%.*s%s%.*s", MST_ARG(text), i ? " " : "",
                                MST_ARG(names[i]));
    return text.p;
}

#endif
