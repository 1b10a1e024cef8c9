/*
 * domain_world.h - random clusters in which pods speak about pods, and random changes to them.
 *
 * Few keys, few values, so that everything meets everything. Labels may be missing or empty.
 */
#ifndef MST_DOMAIN_WORLD_H
#define MST_DOMAIN_WORLD_H

#include "base/rng.h"
#include "domain_run.h"

enum { WORLD_NODES = 9, WORLD_PLACED = 24, WORLD_WAITING = 8 };

struct world {
    struct mst_rng rng;
    struct mst_buf text;
    struct mst_fixture *f;
};

static inline uint32_t world_below(struct world *w, uint32_t n)
{
    return (uint32_t)mst_rng_below(&w->rng, n);
}

/* "key: value, " now and then. */
static inline void world_label(struct world *w, const char *key, uint32_t values)
{
    const uint32_t value = world_below(w, values + 2);
    if (value < values)
        mst_buf_printf(&w->text, "%s: v%u, ", key, value);
    else if (value == values)
        mst_buf_printf(&w->text, "%s: \"\", ", key);
}

static inline void world_node(struct world *w, uint32_t i)
{
    mst_buf_printf(&w->text, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u, labels: {", i);
    if (world_below(w, 6))
        mst_buf_printf(&w->text, "kubernetes.io/hostname: n%u, ", world_below(w, 12) ? i : 0);
    world_label(w, "topology.kubernetes.io/zone", 3);
    world_label(w, "rack", 4);
    mst_buf_printf(&w->text, "}}\nspec: {taints: [");
    if (world_below(w, 5) == 0)
        mst_buf_printf(&w->text, "{key: t, value: x, effect: %s}",
                       world_below(w, 2) ? "NoSchedule" : "PreferNoSchedule");
    mst_buf_text(&w->text, "]}\n");
}

static inline void world_selector(struct world *w)
{
    static const char *const selectors[] = {
        "{matchLabels: {app: v0}}",
        "{matchLabels: {app: v1}}",
        "{matchExpressions: [{key: app, operator: In, values: [v0, v1]}]}",
        "{matchExpressions: [{key: tier, operator: NotIn, values: [v0]}]}",
        "{matchExpressions: [{key: tier, operator: Exists}]}",
        "{matchLabels: {app: v2}, matchExpressions: [{key: tier, operator: DoesNotExist}]}",
        "{}",
    };
    mst_buf_text(&w->text, selectors[world_below(w, MST_COUNT(selectors))]);
}

static inline const char *world_key(struct world *w)
{
    static const char *const keys[] = { "kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                        "rack" };
    return keys[world_below(w, MST_COUNT(keys))];
}

static inline void world_term(struct world *w)
{
    mst_buf_printf(&w->text, "{topologyKey: %s, ", world_key(w));
    if (world_below(w, 8))
        mst_buf_text(&w->text, "labelSelector: "), world_selector(w), mst_buf_text(&w->text, ", ");
    if (world_below(w, 3) == 0)
        mst_buf_printf(&w->text, "namespaces: [%s], ", world_below(w, 2) ? "b" : "a, lost");
    static const char *const by_labels[] = {
        "{}", "{matchLabels: {team: red}}",
        "{matchExpressions: [{key: team, operator: NotIn, values: [red]}]}"
    };
    if (world_below(w, 3) == 0)
        mst_buf_printf(&w->text, "namespaceSelector: %s", by_labels[world_below(w, 3)]);
    mst_buf_text(&w->text, "}, ");
}

static inline void world_terms(struct world *w, const char *kind, bool required)
{
    mst_buf_printf(&w->text, "%s: {", kind);
    const uint32_t hard = required ? world_below(w, 3) : 0, soft = world_below(w, 3);
    mst_buf_text(&w->text, "requiredDuringSchedulingIgnoredDuringExecution: [");
    for (uint32_t i = 0; i < hard; i++)
        world_term(w);
    mst_buf_text(&w->text, "], preferredDuringSchedulingIgnoredDuringExecution: [");
    for (uint32_t i = 0; i < soft; i++) {
        mst_buf_printf(&w->text, "{weight: %u, podAffinityTerm: ", 1 + world_below(w, 100));
        world_term(w);
        mst_buf_text(&w->text, "}, ");
    }
    mst_buf_text(&w->text, "]}, ");
}

static inline void world_spread(struct world *w)
{
    static const char *const policies[] = { "Honor", "Ignore" };
    mst_buf_text(&w->text, "topologySpreadConstraints: [");
    for (uint32_t i = world_below(w, 4); i > 0; i--) {
        const bool hard = world_below(w, 2);
        mst_buf_printf(&w->text, "{topologyKey: %s, maxSkew: %u, whenUnsatisfiable: %s, ",
                       world_key(w), 1 + world_below(w, 3),
                       hard ? "DoNotSchedule" : "ScheduleAnyway");
        if (world_below(w, 9))
            mst_buf_text(&w->text, "labelSelector: "), world_selector(w),
                mst_buf_text(&w->text, ", ");
        if (hard && world_below(w, 3) == 0)
            mst_buf_printf(&w->text, "minDomains: %u, ", 1 + world_below(w, 4));
        if (world_below(w, 3) == 0)
            mst_buf_printf(&w->text, "nodeAffinityPolicy: %s, ", policies[world_below(w, 2)]);
        if (world_below(w, 3) == 0)
            mst_buf_printf(&w->text, "nodeTaintsPolicy: %s, ", policies[world_below(w, 2)]);
        if (world_below(w, 4) == 0)
            mst_buf_text(&w->text, "matchLabelKeys: [tier], ");
        mst_buf_text(&w->text, "}, ");
    }
    mst_buf_text(&w->text, "], ");
}

/* A pod that waits (no node) or is on one. */
static inline void world_pod(struct world *w, const char *name, uint32_t i, bool placed)
{
    static const char *const namespaces[] = { "a", "a", "b", "lost" };
    mst_buf_printf(&w->text,
                   "---\nkind: Pod\napiVersion: v1\nmetadata: {name: %s%u, namespace: %s, ", name,
                   i, namespaces[i % MST_COUNT(namespaces)]);
    if (placed && world_below(w, 8) == 0)
        mst_buf_text(&w->text, "deletionTimestamp: '2026-01-01T00:00:00Z', ");
    mst_buf_text(&w->text, "labels: {");
    world_label(w, "app", 3);
    world_label(w, "tier", 2);
    mst_buf_text(&w->text, "}}\nspec: {containers: [{name: c, image: i}], ");
    if (placed)
        mst_buf_printf(&w->text, "nodeName: n%u, ", i % WORLD_NODES);
    if (world_below(w, 3) == 0)
        mst_buf_text(&w->text, "tolerations: [{key: t, operator: Exists}], ");
    if (world_below(w, 3) == 0)
        mst_buf_text(&w->text, "nodeSelector: {rack: v1}, ");
    if (world_below(w, 3)) {
        mst_buf_text(&w->text, "affinity: {");
        world_terms(w, "podAffinity", true);
        world_terms(w, "podAntiAffinity", world_below(w, 2));
        mst_buf_text(&w->text, "}, ");
    }
    if (world_below(w, 3))
        world_spread(w);
    mst_buf_text(&w->text, "}\n");
}

static inline void world_namespace(struct world *w, const char *name)
{
    mst_buf_printf(&w->text,
                   "---\nkind: Namespace\napiVersion: v1\nmetadata: {name: %s, labels: {%s}}\n",
                   name, world_below(w, 2) ? "team: red" : "team: blue");
}

static inline void world_apply(struct world *w)
{
    mst_buf_char(&w->text, '\0');
    fixture_apply(w->f, w->text.p);
    w->text.n = 0;
}

static inline struct world *world_new(uint64_t seed, bool upstream)
{
    struct world *w = mst_calloc(1, sizeof(*w));
    mst_rng_init(&w->rng, seed);
    w->f = fixture_new("");
    w->f->view.upstream = upstream;
    for (uint32_t i = 0; i < WORLD_NODES; i++)
        world_node(w, i);
    world_namespace(w, "a");
    world_namespace(w, "b");
    for (uint32_t i = 0; i < WORLD_PLACED; i++)
        world_pod(w, "p", i, true);
    for (uint32_t i = 0; i < WORLD_WAITING; i++)
        world_pod(w, "w", i, false);
    mst_buf_text(&w->text, "---\nkind: Service\napiVersion: v1\nmetadata: {name: s, namespace: a}\n"
                           "spec: {selector: {app: v1}}\n");
    world_apply(w);
    return w;
}

static inline void world_free(struct world *w)
{
    fixture_free(w->f);
    mst_buf_done(&w->text);
    mst_free(w);
}

/* The waiting pod's name, "ns/wI". */
static inline const char *world_waiting(struct world *w, uint32_t i)
{
    static const char *const namespaces[] = { "a", "a", "b", "lost" };
    return mst_arena_printf(&w->f->arena, "%s/w%u", namespaces[i % 4], i).p;
}

/* One change: a node's labels, a pod's labels, a waiting pod that comes or goes. */
static inline void world_change(struct world *w, uint32_t keep)
{
    struct mst_cluster *cluster = &w->f->cluster;
    const uint32_t what = world_below(w, 10);
    if (what == 0) {
        world_node(w, world_below(w, WORLD_NODES));
        world_apply(w);
    } else if (what == 1) {
        world_pod(w, "p", world_below(w, WORLD_PLACED), true);
        world_apply(w);
    } else if (what == 2) {
        world_namespace(w, world_below(w, 2) ? "a" : "b");
        world_apply(w);
    } else {
        const uint32_t i = world_below(w, WORLD_WAITING);
        const uint32_t pod = fixture_pod(w->f, world_waiting(w, i));
        if (i == keep)
            return;
        if (cluster->pods.v[pod].node != MST_ROW_NONE)
            mst_cluster_unplace(cluster, pod);
        else
            mst_cluster_place(cluster, pod, world_below(w, WORLD_NODES));
    }
}

#endif
