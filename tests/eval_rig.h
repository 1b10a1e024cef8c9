/*
 * eval_rig.h - random clusters with the real plugins: nodes, pods and what they wish, drawn from a
 * seed, and the verdict cache that is to be compared (eval_twin.h).
 */
#ifndef MST_EVAL_RIG_H
#define MST_EVAL_RIG_H

#include <stdio.h>

#include "base/rng.h"
#include "base/sort.h"
#include "cluster/affinity.h"
#include "framework/eval.h"
#include "plugins/registry.h"

enum { EVAL_KINDS = 10, EVAL_PODS = 60, EVAL_ZONES = 3 };

struct rig {
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_cluster cluster;
    struct mst_framework fw;
    struct mst_evals evals;
    struct mst_rng rng;
    struct mst_arena arena;    /* objects, answers: reset by whoever makes many */
    uint32_t node_max;         /* nodes are n0 .. */
    uint32_t pods[EVAL_PODS];  /* row or MST_ROW_NONE */
    uint32_t names[EVAL_PODS]; /* their numbers */
    bool nominates;            /* pods may be nominated */
    bool domains;              /* pods speak about pods */
    uint32_t pod_count;        /* ever made */
    uint32_t next_start;       /* the naive rotation */
};

static inline uint32_t draw(struct rig *r, uint32_t below)
{
    return (uint32_t)mst_rng_below(&r->rng, below);
}

static inline mst_sym sym(struct rig *r, const char *text)
{
    return mst_sym_of_text(r->syms, text);
}

static inline mst_sym numbered(struct rig *r, const char *prefix, uint32_t i)
{
    return mst_sym_of(r->syms, mst_arena_printf(&r->arena, "%s%u", prefix, i));
}

static inline struct mst_resource amount(struct rig *r, const char *name, int64_t milli)
{
    return (struct mst_resource){ sym(r, name), { .nano = (mst_nano)milli * 1000000 } };
}

/* ---- life ---- */

/* `config` NULL: the default one. */
static inline void rig_start(struct rig *r, uint64_t seed, bool upstream, const char *config)
{
    *r = (struct rig){ .syms = mst_syms_new(), .registry = mst_plugins_registry() };
    mst_rng_init(&r->rng, seed);
    r->nominates = seed % 2;
    r->config.upstream = upstream;
    mst_gates_default(&r->config.gates, upstream);
    struct mst_diags diags = { 0 };
    if (config)
        mst_assert(mst_config_read(&r->config, &r->registry, r->syms, mst_str_of(config), &diags));
    else
        mst_config_default(&r->config, &r->registry);
    mst_diags_done(&diags);
    mst_cluster_init(&r->cluster, r->syms);
    struct mst_err err;
    mst_rc rc = mst_framework_init(&r->fw, &r->cluster, &r->config, 0, &err);
    mst_assert(rc == MST_OK);
    /* The smallest budget: classes fight for two places; or plenty, and all stay warm. */
    mst_evals_init(&r->evals, seed % 3 == 0 ? 1 : MST_EVAL_BUDGET);
    for (uint32_t i = 0; i < EVAL_PODS; i++)
        r->pods[i] = MST_ROW_NONE;
}

static inline void rig_stop(struct rig *r)
{
    mst_evals_done(&r->evals);
    mst_framework_done(&r->fw);
    mst_cluster_done(&r->cluster);
    mst_config_done(&r->config);
    mst_arena_done(&r->arena);
    mst_syms_free(r->syms);
}

/* ---- a world at random ---- */

static inline void set_node(struct rig *r, uint32_t i)
{
    static const char *const images[] = { "a:1", "b:1", "c:latest" };
    struct mst_node node = { .allocatable_set = true, .unschedulable = draw(r, 8) == 0 };
    struct mst_resource given[] = { amount(r, "cpu", 1000 * (1 + draw(r, 6))),
                                    amount(r, "memory", INT64_C(1000000000) * (1 + draw(r, 6))),
                                    amount(r, "pods", 1000 * (draw(r, 6) ? 20 : draw(r, 3))),
                                    amount(r, "example.com/gpu", 1000 * draw(r, 3)) };
    struct mst_label labels[4] = { { sym(r, "zone"), numbered(r, "z", draw(r, EVAL_ZONES)) },
                                   { sym(r, "size"), numbered(r, "", draw(r, 4)) },
                                   { sym(r, "topology.kubernetes.io/zone"),
                                     numbered(r, "z", draw(r, EVAL_ZONES)) } };
    struct mst_taint taints[] = { { sym(r, "a"), MST_SYM_EMPTY, sym(r, "NoSchedule") },
                                  { sym(r, "b"), MST_SYM_EMPTY, sym(r, "PreferNoSchedule") },
                                  { sym(r, "c"), MST_SYM_EMPTY, sym(r, "PreferNoSchedule") } };
    mst_sym name = sym(r, images[draw(r, 3)]);
    struct mst_image image = { { &name, 1 }, INT64_C(50000000) * (1 + draw(r, 20)) };
    uint32_t from = draw(r, 4);
    node.meta.name = mst_sym_str(r->syms, numbered(r, "n", i));
    node.meta.labels.v = labels;
    node.meta.labels.n = 1 + draw(r, 3);
    if (r->domains && draw(r, 8))
        labels[node.meta.labels.n++] =
            (struct mst_label){ sym(r, "kubernetes.io/hostname"), numbered(r, "n", i) };
    node.allocatable.v = given;
    node.allocatable.n = 3 + draw(r, 2);
    node.taints.v = taints + MST_MIN(from, 2u);
    node.taints.n = from == 3 ? 0 : draw(r, 4 - from);
    node.images.v = &image;
    node.images.n = draw(r, 2);
    (void)mst_cluster_node_set(&r->cluster, &node);
}

/* A few kinds of pods, so that classes are shared, and some that nobody else is like. */
struct wishes {
    struct mst_resource requests[3];
    struct mst_toleration toleration;
    struct mst_label selector;
    mst_sym zone, node;
    struct mst_requirement in_zone, on_node;
    struct mst_node_selector_term required[2];
    struct mst_preferred_node preferred[2];
    struct mst_container_port port;
    struct mst_container container;
    struct mst_label labels[2], like, team;
    mst_sym namespaces[2];
    struct mst_pod_affinity_term term;
    struct mst_weighted_pod_affinity_term soft[2];
    struct mst_spread_constraint spread[2];
};

static inline void wish_affinity(struct rig *r, struct wishes *w, uint32_t kind,
                                 struct mst_pod *pod)
{
    struct mst_node_affinity *a = &pod->spec.node_affinity;
    w->zone = numbered(r, "z", kind % EVAL_ZONES);
    w->node = numbered(r, "n", kind % 5);
    w->in_zone = (struct mst_requirement){
        .key = sym(r, "zone"), .op = MST_OP_IN, .op_text = MST_STR("In"), .values = { &w->zone, 1 }
    };
    w->on_node = (struct mst_requirement){ .key = sym(r, "metadata.name"),
                                           .op = MST_OP_IN,
                                           .op_text = MST_STR("In"),
                                           .values = { &w->node, 1 } };
    w->preferred[0].weight = 10;
    w->preferred[0].preference.match_expressions.v = &w->in_zone;
    w->preferred[0].preference.match_expressions.n = 1;
    if (kind % 5 == 3) {
        pod->spec.affinity_set = a->set = a->preferred_set = true;
        a->preferred.v = w->preferred;
        a->preferred.n = 1;
    }
    if (kind % 5 == 4) { /* PreFilter names the node */
        pod->spec.affinity_set = a->set = a->required.set = true;
        w->required[0].match_fields.v = &w->on_node;
        w->required[0].match_fields.n = 1;
        a->required.terms.v = w->required;
        a->required.terms.n = 1;
    }
}

/* ---- what pods say about pods ---- */

static inline const char *topology_key(uint32_t i)
{
    static const char *const keys[] = { "kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                        "zone" };
    return keys[i % MST_COUNT(keys)];
}

static inline struct mst_pod_affinity_term wish_term(struct rig *r, struct wishes *w, uint32_t kind,
                                                     uint32_t key)
{
    struct mst_pod_affinity_term term = {
        .label_selector = { .set = true, .match_labels = { &w->like, 1 } },
        .topology_key = sym(r, topology_key(key)),
    };
    if (kind % 3 == 1)
        term.namespace_selector =
            (struct mst_label_selector){ .set = true, .match_labels = { &w->team, 1 } };
    if (kind % 3 == 2)
        term.namespaces = (mst_sym_list){ w->namespaces, 2 };
    return term;
}

static inline void wish_spread(struct rig *r, struct wishes *w, uint32_t kind, struct mst_pod *pod)
{
    for (uint32_t i = 0; i < 2; i++)
        w->spread[i] = (struct mst_spread_constraint){
            .max_skew = 1 + kind / 7 % 3,
            .topology_key = sym(r, topology_key(kind / 5 + i)),
            .when_unsatisfiable = sym(r, (kind / 10 + i) % 2 ? "ScheduleAnyway" : "DoNotSchedule"),
            .label_selector = { .set = true, .match_labels = { &w->like, 1 } },
            .min_domains = { 3, kind % 20 == 3 && (kind / 10 + i) % 2 == 0 },
            .node_taints_policy = kind / 3 % 2 ? sym(r, "Honor") : (mst_sym)MST_SYM_NONE,
        };
    pod->spec.spread.v = w->spread;
    pod->spec.spread.n = 1 + kind / 10 % 2;
}

static inline void wish_domains(struct rig *r, struct wishes *w, uint32_t kind, struct mst_pod *pod)
{
    w->labels[0] = (struct mst_label){ sym(r, "app"), numbered(r, "a", kind % 4) };
    w->labels[1] = (struct mst_label){ sym(r, "tier"), numbered(r, "t", kind % 2) };
    w->like = w->labels[kind / 4 % 2];
    w->team = (struct mst_label){ sym(r, "team"), sym(r, "red") };
    w->namespaces[0] = sym(r, "default");
    w->namespaces[1] = sym(r, "other");
    pod->meta.labels = (mst_labels){ w->labels, 2 };
    pod->meta.namespace_ = w->namespaces[kind / 3 % 2];
    struct mst_pod_affinity *to = &pod->spec.pod_affinity, *from = &pod->spec.pod_anti_affinity;
    w->term = wish_term(r, w, kind, kind / 2);
    w->soft[0].weight = 1 + kind % 9;
    w->soft[0].term = w->term;
    w->soft[1].weight = 40;
    w->soft[1].term = wish_term(r, w, kind + 1, kind / 2 + 1);
    if (kind % 5 < 2) {
        struct mst_pod_affinity *which = kind % 5 ? to : from;
        pod->spec.affinity_set = which->set = true;
        which->required.v = &w->term;
        which->required.n = 1;
    }
    if (kind % 5 == 2 || kind % 8 == 1) {
        struct mst_pod_affinity *which = kind / 5 % 2 ? to : from;
        pod->spec.affinity_set = which->set = true;
        which->preferred.v = w->soft;
        which->preferred.n = 1 + kind / 2 % 2;
    }
    if (kind % 5 == 3 || kind % 7 == 1)
        wish_spread(r, w, kind, pod);
}

static inline void describe_pod(struct rig *r, struct wishes *w, uint32_t kind, struct mst_pod *pod)
{
    static const char *const images[] = { "a:1", "b:1", "c" };
    *w = (struct wishes){ 0 };
    *pod = (struct mst_pod){ 0 };
    int64_t odd = kind >= EVAL_KINDS ? kind : 0; /* makes a class of its own */
    w->requests[0] = amount(r, "cpu", 300 * (int64_t)(kind % 4) + odd);
    w->requests[1] = amount(r, "memory", INT64_C(400000000) * (kind % 3));
    w->requests[2] = amount(r, "example.com/gpu", 1000);
    w->container =
        (struct mst_container){ .name = MST_STR("c"), .image = sym(r, images[kind % 3]) };
    w->container.resources.set = true;
    w->container.resources.requests.v = w->requests;
    w->container.resources.requests.n = kind % 4 == 3 ? 3 : 2;
    if (kind % 6 == 5) {
        w->port = (struct mst_container_port){ .host_port = 80,
                                               .protocol = MST_SYM_EMPTY,
                                               .host_ip = MST_SYM_EMPTY };
        w->container.ports.v = &w->port;
        w->container.ports.n = 1;
    }
    pod->spec.containers.v = &w->container;
    pod->spec.containers.n = 1;
    if (kind % 2) {
        w->toleration = (struct mst_toleration){ .key = sym(r, kind % 4 == 1 ? "a" : "b"),
                                                 .op = sym(r, "Exists"),
                                                 .value = MST_SYM_EMPTY,
                                                 .effect = MST_SYM_EMPTY };
        pod->spec.tolerations.v = &w->toleration;
        pod->spec.tolerations.n = 1;
    }
    if (kind % 7 == 2) {
        w->selector = (struct mst_label){ sym(r, "zone"), numbered(r, "z", kind % EVAL_ZONES) };
        pod->spec.node_selector_set = true;
        pod->spec.node_selector.v = &w->selector;
        pod->spec.node_selector.n = 1;
    }
    wish_affinity(r, w, kind, pod);
    pod->meta.namespace_ = sym(r, "default");
    pod->spec.scheduler_name = sym(r, "default-scheduler");
    if (r->domains)
        wish_domains(r, w, kind, pod);
}

static inline void add_pod(struct rig *r, uint32_t i, uint32_t kind)
{
    struct wishes w;
    struct mst_pod pod;
    describe_pod(r, &w, kind, &pod);
    pod.meta.name = pod.meta.uid = mst_arena_printf(&r->arena, "p%u", r->pod_count++);
    pod.spec.priority = (struct mst_opt_int){ draw(r, 3), true };
    if (r->nominates && draw(r, 6) == 0)
        pod.status.nominated_node_name = numbered(r, "n", draw(r, r->node_max));
    r->pods[i] = mst_cluster_pod_add(&r->cluster, &pod, 0);
    r->names[i] = r->pod_count - 1;
}

/* The same pod, described as another kind. */
static inline void change_pod(struct rig *r, uint32_t i, uint32_t kind, bool deleting)
{
    struct wishes w;
    struct mst_pod pod;
    const struct mst_pod_row *row = &r->cluster.pods.v[r->pods[i]];
    mst_sym ns = row->ns;
    describe_pod(r, &w, kind, &pod);
    pod.meta.namespace_ = ns;
    pod.meta.name = pod.meta.uid = mst_arena_printf(&r->arena, "p%u", r->names[i]);
    pod.meta.deleted = (struct mst_time){ .unix_s = 1, .set = deleting };
    pod.spec.priority = (struct mst_opt_int){ row->priority, true };
    pod.status.nominated_node_name = row->status_nominated;
    mst_cluster_pod_update(&r->cluster, r->pods[i], &pod);
}

#endif
