/*
 * eval_helper.h - random clusters with the real plugins, and the single-pod algorithm as plainly as
 * it can be written: every plugin asked for every node, for every pod, every time.
 */
#ifndef MST_EVAL_HELPER_H
#define MST_EVAL_HELPER_H

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

/* ---- the naive algorithm ---- */

#define NAIVE_LEFT_OUT                                                                             \
    (MST_VERDICT_UNRESOLVABLE | (MST_SLOT_PRE_FILTER_RESULT + 1u) << MST_VERDICT_SLOT_SHIFT)

struct naive {
    struct mst_pick pick;
    mst_verdict *verdict;
    int64_t *total;
    bool *feasible; /* after sampling */
    struct mst_pre_filter pre[MST_SLOTS_MAX];
    uint64_t restricting; /* slots that named nodes; and who refused the nominated node then */
    uint64_t skips;       /* slots that count pods and have nothing to say of this cluster */
};

/* Shows the plugin every node, as if it had never seen the cluster. */
static inline void naive_count(struct rig *r, struct naive *n, const struct mst_class *klass,
                               uint32_t slot)
{
    const struct mst_framework *fw = &r->fw;
    const struct mst_slot *s = &fw->slots[slot];
    n->pre[slot] = (struct mst_pre_filter){ .code = MST_SUCCESS };
    s->plugin->pre_filter(&fw->view, s->instance, klass, &r->arena, &n->pre[slot]);
    void *state = n->pre[slot].state;
    if (!s->plugin->row_changed || !state)
        return;
    for (uint32_t row = 0; row < r->cluster.nodes.count; row++)
        (void)s->plugin->row_changed(&fw->view, s->instance, state, row);
    if (s->plugin->begin_pick)
        s->plugin->begin_pick(&fw->view, s->instance, state);
}

/* The state of the cluster as it is now for the plugins that count pods. */
static inline void naive_recount(struct rig *r, struct naive *n, uint32_t pod)
{
    const struct mst_class *klass = mst_cluster_class(&r->cluster, r->cluster.pods.v[pod].class_id);
    for (uint32_t i = 0; i < r->fw.pre_filter_count; i++)
        if (r->fw.slots[r->fw.pre_filter[i]].plugin->row_changed)
            naive_count(r, n, klass, r->fw.pre_filter[i]);
}

/* What the filters say, first "no" first. */
static inline mst_verdict naive_verdict(struct rig *r, const struct naive *n, uint32_t row)
{
    const struct mst_framework *fw = &r->fw;
    mst_verdict *v = MST_NEW_N(&r->arena, mst_verdict, r->cluster.nodes.count);
    for (uint32_t i = 0; i < fw->filter_count && v[row] == MST_VERDICT_OK; i++) {
        uint32_t slot = fw->filter[i];
        const struct mst_slot *s = &fw->slots[slot];
        if ((s->plugin->pre_filter && n->pre[slot].code == MST_SKIP) || (n->skips >> slot & 1))
            continue;
        s->plugin->filter(&fw->view, s->instance, n->pre[slot].state, row, row + 1,
                          (slot + 1) << MST_VERDICT_SLOT_SHIFT, v);
    }
    return v[row];
}

/* True if some PreFilter named nodes, and not this one. */
static inline bool naive_left_out(struct rig *r, const struct naive *n, uint32_t row)
{
    const struct mst_framework *fw = &r->fw;
    for (uint32_t i = 0; i < fw->pre_filter_count; i++) {
        const struct mst_pre_filter *pre = &n->pre[fw->pre_filter[i]];
        bool named = !pre->restrict_names;
        for (uint32_t k = 0; k < pre->names.n; k++)
            named |= pre->names.v[k] == r->cluster.nodes.name[row];
        if (!named)
            return true;
    }
    return false;
}

/* With the nominated pods that count, then without. */
static inline mst_verdict naive_both(struct rig *r, struct naive *n, uint32_t pod, uint32_t row)
{
    struct mst_cluster *c = &r->cluster;
    uint32_t mark = mst_txn_begin(c), placed = 0;
    for (uint32_t i = 0; i < c->pods.n; i++) {
        const struct mst_pod_row *p = &c->pods.v[i];
        if (!p->live || i == pod || p->nominated != c->nodes.name[row] || p->node != MST_ROW_NONE ||
            p->priority < c->pods.v[pod].priority)
            continue;
        mst_cluster_place(c, i, row);
        placed++;
    }
    struct naive then = *n; /* the plugins that count pods count the nominated ones */
    if (placed)
        naive_recount(r, &then, pod);
    if (!r->config.upstream)
        then.skips = 0;
    mst_verdict with = placed ? naive_verdict(r, &then, row) : MST_VERDICT_OK;
    mst_txn_rollback(c, mark);
    return with != MST_VERDICT_OK ? with : naive_verdict(r, n, row);
}

/* A plugin that counts pods: it is shown which nodes are feasible, and normalises by itself. */
static inline void naive_add_counted(struct rig *r, struct naive *n, uint32_t slot)
{
    const struct mst_view *view = &r->fw.view;
    const struct mst_slot *s = &r->fw.slots[slot];
    void *state = n->pre[slot].state;
    uint32_t count = r->cluster.nodes.count, feasible = 0;
    mst_verdict *verdict = MST_NEW_N(&r->arena, mst_verdict, count);
    int64_t *raw = MST_NEW_N(&r->arena, int64_t, count);
    for (uint32_t row = 0; row < count; row++) {
        verdict[row] = n->feasible[row] ? MST_VERDICT_OK : NAIVE_LEFT_OUT;
        feasible += n->feasible[row];
    }
    if (s->plugin->pre_score_pick &&
        s->plugin->pre_score_pick(view, s->instance, state, verdict, feasible) == MST_SKIP)
        return;
    for (uint32_t row = 0; row < count; row++)
        s->plugin->score(view, s->instance, state, row, row + 1, raw);
    if (s->plugin->normalize_pick)
        s->plugin->normalize_pick(view, s->instance, state, verdict, raw);
    for (uint32_t row = 0; row < count; row++)
        n->total[row] += s->weight * raw[row];
}

static inline void naive_add_scores(struct rig *r, struct naive *n, const struct mst_class *klass,
                                    uint32_t slot)
{
    const struct mst_framework *fw = &r->fw;
    const struct mst_slot *s = &fw->slots[slot];
    uint32_t count = r->cluster.nodes.count;
    struct mst_pre_score pre = { .code = MST_SUCCESS };
    if (s->plugin->pre_score)
        s->plugin->pre_score(&fw->view, s->instance, klass, &r->arena, &pre);
    if (pre.code == MST_SKIP)
        return;
    mst_assert(pre.code == MST_SUCCESS);
    if (s->plugin->row_changed && n->pre[slot].state) {
        naive_add_counted(r, n, slot);
        return;
    }
    int64_t *raw = MST_NEW_N(&r->arena, int64_t, count), max = 0;
    for (uint32_t row = 0; row < count; row++) {
        s->plugin->score(&fw->view, s->instance, pre.state, row, row + 1, raw);
        if (n->feasible[row])
            max = MST_MAX(max, raw[row]);
    }
    for (uint32_t row = 0; row < count; row++) {
        int64_t score = raw[row];
        if (s->plugin->normalize != MST_NORMALIZE_NONE)
            score = max ? 100 * score / max : score;
        if (s->plugin->normalize == MST_NORMALIZE_REVERSED)
            score = max ? 100 - score : 100;
        n->total[row] += s->weight * score;
    }
}

static inline void naive_choose(struct rig *r, struct naive *n, const struct mst_class *klass)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    for (uint32_t i = 0; i < r->fw.score_count; i++)
        naive_add_scores(r, n, klass, r->fw.score[i]);
    uint32_t best = MST_ROW_NONE;
    for (uint32_t row = 0; row < nodes->count; row++) {
        if (!n->feasible[row])
            continue;
        n->pick.feasible++;
        bool wins = best == MST_ROW_NONE || n->total[row] > n->total[best] ||
                    (n->total[row] == n->total[best] &&
                     mst_str_cmp(mst_sym_str(r->syms, nodes->name[row]),
                                 mst_sym_str(r->syms, nodes->name[best])) < 0);
        best = wins ? row : best;
    }
    n->pick.node = best;
    n->pick.code = MST_SUCCESS;
}

static inline int naive_compare(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

/* The names of who named nodes, sorted. */
static inline struct mst_str naive_left_out_text(struct rig *r, const struct naive *n)
{
    struct mst_str names[MST_SLOTS_MAX], text = MST_STR("");
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < r->fw.slot_count; slot++)
        if (n->restricting >> slot & 1)
            names[count++] = mst_str_of(mst_framework_slot_name(&r->fw, slot));
    mst_sort(names, count, sizeof(*names), naive_compare, NULL);
    for (uint32_t i = 0; i < count; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s%.*s", MST_ARG(text), i ? " " : "",
                                MST_ARG(names[i]));
    return mst_arena_printf(&r->arena, "node(s) didn't satisfy plugin(s) [%.*s]", MST_ARG(text));
}

/* "0/3 nodes are available: 1 x, 2 y." */
static inline void naive_message(struct rig *r, struct naive *n)
{
    const struct mst_framework *fw = &r->fw;
    uint32_t count = r->cluster.nodes.count, line_count = 0;
    struct mst_str *seen = MST_NEW_N(&r->arena, struct mst_str, (size_t)count * MST_REASONS_MAX);
    uint32_t *times = MST_NEW_N(&r->arena, uint32_t, (size_t)count * MST_REASONS_MAX);
    for (uint32_t row = 0; row < count; row++) {
        struct mst_reasons reasons = { .arena = &r->arena };
        uint32_t slot = mst_verdict_slot(n->verdict[row]);
        if (slot == MST_SLOT_PRE_FILTER_RESULT) {
            mst_reason_add(&reasons, naive_left_out_text(r, n));
        } else {
            n->pick.slots |= UINT64_C(1) << slot;
            fw->slots[slot].plugin->explain(&fw->view, fw->slots[slot].instance, n->pre[slot].state,
                                            row, n->verdict[row], &reasons);
        }
        for (uint32_t i = 0; i < reasons.n; i++) {
            uint32_t k = 0;
            while (k < line_count && !mst_str_eq(seen[k], reasons.v[i]))
                k++;
            seen[k] = reasons.v[i];
            times[k]++;
            line_count = MST_MAX(line_count, k + 1);
        }
    }
    for (uint32_t i = 0; i < line_count; i++)
        seen[i] = mst_arena_printf(&r->arena, "%u %.*s", times[i], MST_ARG(seen[i]));
    mst_sort(seen, line_count, sizeof(*seen), naive_compare, NULL);
    struct mst_str text = mst_arena_printf(&r->arena, "0/%u nodes are available:", count);
    for (uint32_t i = 0; i < line_count; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s %.*s", MST_ARG(text), i ? "," : "",
                                MST_ARG(seen[i]));
    n->pick.message = mst_arena_printf(&r->arena, "%.*s.", MST_ARG(text));
    n->pick.slots |= n->restricting;
    n->pick.code = MST_UNSCHEDULABLE;
}

/* How many feasible nodes are enough for N candidates (scheduling.md 3.3). */
static inline uint32_t naive_enough(const struct rig *r, uint32_t candidates)
{
    int64_t percent = r->fw.percentage_of_nodes;
    if (r->fw.score_count == 0)
        return 1;
    if (candidates < 100 || (percent == 0 && !r->config.upstream))
        return candidates;
    if (percent == 0)
        percent = MST_MAX(50 - (int64_t)candidates / 125, 5);
    return (uint32_t)MST_MAX((int64_t)candidates * percent / 100, 100);
}

/* Only the first so many feasible nodes in list order from the rotation's start are kept. */
static inline void naive_sample(struct rig *r, struct naive *n)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    uint32_t *order = MST_NEW_N(&r->arena, uint32_t, nodes->count), candidates = 0;
    mst_nodes_list_order(nodes, order);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (!naive_left_out(r, n, order[i]))
            order[candidates++] = order[i];
    uint32_t enough = naive_enough(r, candidates), found = 0, looked = 0;
    for (uint32_t i = 0; i < candidates && found < enough; i++, looked++) {
        uint32_t row = order[(r->next_start + i) % candidates]; /* candidates > 0 */
        n->feasible[row] = n->verdict[row] == MST_VERDICT_OK;
        found += n->feasible[row];
    }
    r->next_start = (r->next_start + looked) % nodes->count;
}

static inline void naive_pre_filter(struct rig *r, struct naive *n, const struct mst_class *klass)
{
    const struct mst_framework *fw = &r->fw;
    for (uint32_t i = 0; i < fw->pre_filter_count; i++) {
        uint32_t slot = fw->pre_filter[i];
        const struct mst_slot *s = &fw->slots[slot];
        naive_count(r, n, klass, slot);
        mst_assert(n->pre[slot].code == MST_SUCCESS || n->pre[slot].code == MST_SKIP);
        if (s->plugin->skips_pick && n->pre[slot].state &&
            s->plugin->skips_pick(&fw->view, s->instance, n->pre[slot].state))
            n->skips |= UINT64_C(1) << slot;
        if (n->pre[slot].restrict_names)
            n->restricting |= UINT64_C(1) << slot;
    }
}

static inline void naive_pick(struct rig *r, uint32_t pod, struct naive *n)
{
    struct mst_nodes *nodes = &r->cluster.nodes;
    *n = (struct naive){ .pick = { .node = MST_ROW_NONE } };
    if (!nodes->count) {
        n->pick.code = MST_UNRESOLVABLE;
        n->pick.message = MST_STR("no nodes available to schedule pods");
        return;
    }
    const struct mst_pod_row *p = &r->cluster.pods.v[pod];
    const struct mst_class *klass = mst_cluster_class(&r->cluster, p->class_id);
    naive_pre_filter(r, n, klass);
    n->verdict = MST_NEW_N(&r->arena, mst_verdict, nodes->count);
    n->total = MST_NEW_N(&r->arena, int64_t, nodes->count);
    n->feasible = MST_NEW_N(&r->arena, bool, nodes->count);
    uint32_t first = MST_ROW_NONE; /* the nominated node is asked before all others */
    if (p->status_nominated != MST_SYM_NONE)
        first = mst_nodes_row(nodes, p->status_nominated);
    mst_verdict first_verdict = first == MST_ROW_NONE ? 1 : naive_both(r, n, pod, first);
    if (first_verdict == MST_VERDICT_OK) {
        n->pick = (struct mst_pick){ .code = MST_SUCCESS, .node = first, .feasible = 1 };
        return;
    }
    bool any = false;
    for (uint32_t row = 0; row < nodes->count; row++) {
        n->verdict[row] = row == first                ? first_verdict
                          : naive_left_out(r, n, row) ? NAIVE_LEFT_OUT
                                                      : naive_both(r, n, pod, row);
        any |= n->verdict[row] == MST_VERDICT_OK;
    }
    if (first != MST_ROW_NONE && n->restricting)
        n->restricting |= UINT64_C(1) << mst_verdict_slot(first_verdict);
    naive_sample(r, n);
    if (any)
        naive_choose(r, n, klass);
    else
        naive_message(r, n);
}

#endif
