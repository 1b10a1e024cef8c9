/*
 * sim_world.h - the world of the engine simulation: what an API server would know, made up from a
 * seed.
 *
 * The world is plain data of its own, so that checks compare the engine with something that shares
 * no code with it. Objects are built anew for each event, from the truth as it is then: a watch may
 * be late, never wrong.
 */
#ifndef MST_SIM_WORLD_H
#define MST_SIM_WORLD_H

#include "api/api.h"
#include "base/rng.h"

enum {
    SIM_NODES = 8,
    SIM_PODS = 48,
    SIM_GROUPS = 6,
    SIM_ZONES = 3,
    SIM_NONE = -1,
};

struct sim_node {
    bool live, unschedulable, tainted;
    int64_t cpu, memory, pods; /* milli, bytes */
    int zone;
};

struct sim_cond {
    bool set;
    struct mst_condition c; /* texts in the world's arena */
};

/* What a pod says about others, all of it hard. */
enum sim_wish { SIM_NO_WISH, SIM_APART, SIM_SPREAD };
enum { SIM_APPS = 3 };

struct sim_pod {
    enum sim_wish wish;
    bool by_zone;  /* SIM_APART: the domain is the zone, not the node */
    int app, from; /* label; SIM_APART: of the pods to stay away from */
    int skew;      /* SIM_SPREAD, over zones, of pods with its own label */
    bool live, gated, other_scheduler, deleting, dirty, tolerates, never;
    uint32_t uid;
    int group; /* SIM_NONE: lone */
    int priority, zone;
    int64_t cpu, memory, port;
    int64_t allocated;   /* milli of a resized container, 0: as the spec says */
    int node, nominated; /* index or SIM_NONE */
    struct sim_cond cond;
    int64_t created_s;
    bool disrupted; /* a preemption marked it and then deleted it */
    int64_t disrupted_s;
};

struct sim_group {
    bool live, gang, dirty;
    bool whole;    /* its running pods go together or not at all */
    bool was_true; /* this life's condition was True */
    uint32_t uid;
    int min, priority;
    /* what its members look like, so that any greedy order places as many */
    int zone;
    bool tolerates;
    int64_t cpu, memory;
    enum sim_wish wish;
    int app;
    struct sim_cond cond, disruption;
};

struct sim_world {
    struct mst_syms *syms;
    struct mst_arena arena; /* what lives as long as the world */
    struct mst_arena event; /* what lives for one event */
    struct mst_rng rng;
    uint32_t uids;
    bool domains;  /* pods speak about pods */
    bool restarts; /* the process dies at times */
    struct sim_node nodes[SIM_NODES];
    struct sim_pod pods[SIM_PODS];
    struct sim_group groups[SIM_GROUPS];
};

static inline int sim_draw(struct sim_world *w, int below)
{
    return (int)mst_rng_below(&w->rng, (uint64_t)below);
}

static inline bool sim_chance(struct sim_world *w, int percent)
{
    return sim_draw(w, 100) < percent;
}

/* ---- names ---- */

static inline struct mst_str sim_name(struct mst_arena *arena, char kind, int i)
{
    return mst_arena_printf(arena, "%c%d", kind, i);
}

static inline mst_sym sim_sym(struct sim_world *w, const char *text)
{
    return mst_sym_of_text(w->syms, text);
}

static inline mst_sym sim_node_sym(struct sim_world *w, int node)
{
    return mst_sym_of(w->syms, sim_name(&w->event, 'n', node));
}

static inline struct mst_str sim_uid(struct mst_arena *arena, uint32_t uid)
{
    return mst_arena_printf(arena, "u%u", uid);
}

/* The index behind "p12". */
static inline int sim_index(struct mst_str name)
{
    int i = 0;
    for (size_t k = 1; k < name.n; k++)
        i = i * 10 + (name.p[k] - '0');
    return i;
}

/* ---- objects ---- */

static inline struct mst_resource sim_amount(struct sim_world *w, const char *name, int64_t milli)
{
    return (struct mst_resource){ sim_sym(w, name),
                                  { .nano = (mst_nano)milli * 1000000, .format = MST_DECIMAL_SI } };
}

static inline mst_resources sim_requests(struct sim_world *w, int64_t cpu, int64_t memory)
{
    struct mst_resource *v = MST_NEW_N(&w->event, struct mst_resource, 2);
    v[0] = sim_amount(w, "cpu", cpu);
    v[1] = sim_amount(w, "memory", memory * 1000);
    return (mst_resources){ v, 2 };
}

static inline struct mst_object *sim_node_object(struct sim_world *w, int i)
{
    const struct sim_node *n = &w->nodes[i];
    struct mst_object *o = MST_NEW(&w->event, struct mst_object);
    o->kind = MST_KIND_NODE;
    struct mst_node *node = &o->u.node;
    node->meta.name = sim_name(&w->event, 'n', i);
    node->meta.uid = node->meta.name;
    node->meta.labels.v = MST_NEW_N(&w->event, struct mst_label, 2);
    node->meta.labels.v[0] =
        (struct mst_label){ sim_sym(w, "zone"),
                            mst_sym_of(w->syms, sim_name(&w->event, 'z', n->zone)) };
    node->meta.labels.v[1] = (struct mst_label){ sim_sym(w, "host"), sim_node_sym(w, i) };
    node->meta.labels.n = 2;
    node->unschedulable = n->unschedulable;
    if (n->tainted) {
        node->taints.v = MST_NEW_N(&w->event, struct mst_taint, 1);
        node->taints.v[0] =
            (struct mst_taint){ sim_sym(w, "dedicated"), MST_SYM_EMPTY, sim_sym(w, "NoSchedule") };
        node->taints.n = 1;
    }
    node->allocatable_set = true;
    node->allocatable.v = MST_NEW_N(&w->event, struct mst_resource, 3);
    node->allocatable.v[0] = sim_amount(w, "cpu", n->cpu);
    node->allocatable.v[1] = sim_amount(w, "memory", n->memory * 1000);
    node->allocatable.v[2] = sim_amount(w, "pods", n->pods * 1000);
    node->allocatable.n = 3;
    return o;
}

static inline void sim_pod_wishes(struct sim_world *w, const struct sim_pod *p,
                                  struct mst_pod_spec *spec)
{
    if (p->tolerates) {
        spec->tolerations.v = MST_NEW_N(&w->event, struct mst_toleration, 1);
        spec->tolerations.v[0] = (struct mst_toleration){ .key = sim_sym(w, "dedicated"),
                                                          .op = sim_sym(w, "Exists"),
                                                          .value = MST_SYM_EMPTY,
                                                          .effect = MST_SYM_EMPTY };
        spec->tolerations.n = 1;
    }
    if (p->zone != SIM_NONE) {
        spec->node_selector_set = true;
        spec->node_selector.v = MST_NEW_N(&w->event, struct mst_label, 1);
        spec->node_selector.v[0] =
            (struct mst_label){ sim_sym(w, "zone"),
                                mst_sym_of(w->syms, sim_name(&w->event, 'z', p->zone)) };
        spec->node_selector.n = 1;
    }
    if (p->gated) {
        spec->scheduling_gates.v = MST_NEW_N(&w->event, struct mst_str, 1);
        spec->scheduling_gates.v[0] = MST_STR("wait");
        spec->scheduling_gates.n = 1;
    }
}

static inline struct mst_label_selector sim_selects(struct sim_world *w, int app)
{
    struct mst_label *label = MST_NEW(&w->event, struct mst_label);
    *label =
        (struct mst_label){ sim_sym(w, "app"), mst_sym_of(w->syms, sim_name(&w->event, 'a', app)) };
    return (struct mst_label_selector){ .set = true, .match_labels = { label, 1 } };
}

static inline void sim_pod_domains(struct sim_world *w, const struct sim_pod *p,
                                   struct mst_pod *pod)
{
    pod->meta.labels = sim_selects(w, p->app).match_labels;
    struct mst_pod_affinity *apart = &pod->spec.pod_anti_affinity;
    switch (p->wish) {
    case SIM_NO_WISH: break;
    case SIM_APART:
        pod->spec.affinity_set = apart->set = true;
        apart->required.v = MST_NEW(&w->event, struct mst_pod_affinity_term);
        apart->required.n = 1;
        apart->required.v[0].label_selector = sim_selects(w, p->from);
        apart->required.v[0].topology_key = sim_sym(w, p->by_zone ? "zone" : "host");
        break;
    case SIM_SPREAD:
        pod->spec.spread.v = MST_NEW(&w->event, struct mst_spread_constraint);
        pod->spec.spread.n = 1;
        pod->spec.spread.v[0] = (struct mst_spread_constraint){
            .max_skew = p->skew,
            .topology_key = sim_sym(w, "zone"),
            .when_unsatisfiable = sim_sym(w, "DoNotSchedule"),
            .label_selector = sim_selects(w, p->app),
        };
        break;
    }
}

/* Its pods are spread by default: a matter of scores. */
static inline struct mst_object *sim_service_object(struct sim_world *w, int app)
{
    struct mst_object *o = MST_NEW(&w->event, struct mst_object);
    o->kind = MST_KIND_SERVICE;
    o->u.selector.meta.name = sim_name(&w->event, 's', app);
    o->u.selector.meta.uid = o->u.selector.meta.name;
    o->u.selector.meta.namespace_ = sim_sym(w, "default");
    o->u.selector.selector = sim_selects(w, app);
    return o;
}

static inline void sim_pod_status(struct sim_world *w, const struct sim_pod *p,
                                  struct mst_pod_status *status)
{
    status->phase = sim_sym(w, "Pending");
    if (p->nominated != SIM_NONE)
        status->nominated_node_name = sim_node_sym(w, p->nominated);
    status->conditions.v = MST_NEW_N(&w->event, struct mst_condition, 2);
    if (p->cond.set)
        status->conditions.v[status->conditions.n++] = p->cond.c;
    if (p->disrupted)
        status->conditions.v[status->conditions.n++] =
            (struct mst_condition){ .type = MST_STR("DisruptionTarget"),
                                    .status = MST_STR("True"),
                                    .reason = MST_STR("PreemptionByScheduler"),
                                    .message = MST_STR("default-scheduler: preempting"),
                                    .last_transition = { .unix_s = p->disrupted_s, .set = true } };
    if (p->allocated) {
        status->container_statuses.v = MST_NEW_N(&w->event, struct mst_container_status, 1);
        status->container_statuses.v[0] =
            (struct mst_container_status){ .name = MST_STR("c"),
                                           .allocated_set = true,
                                           .allocated = sim_requests(w, p->allocated, p->memory) };
        status->container_statuses.n = 1;
    }
}

static inline struct mst_object *sim_pod_object(struct sim_world *w, int i)
{
    const struct sim_pod *p = &w->pods[i];
    struct mst_object *o = MST_NEW(&w->event, struct mst_object);
    o->kind = MST_KIND_POD;
    struct mst_pod *pod = &o->u.pod;
    pod->meta.name = sim_name(&w->event, 'p', i);
    pod->meta.uid = sim_uid(&w->event, p->uid);
    pod->meta.namespace_ = sim_sym(w, "default");
    pod->meta.created = (struct mst_time){ .unix_s = p->created_s, .set = true };
    pod->meta.deleted.set = p->deleting;
    struct mst_pod_spec *spec = &pod->spec;
    spec->containers.v = MST_NEW_N(&w->event, struct mst_container, 1);
    spec->containers.n = 1;
    struct mst_container *c = &spec->containers.v[0];
    *c = (struct mst_container){ .name = MST_STR("c"),
                                 .image = sim_sym(w, "i:1"),
                                 .resources = { .set = true,
                                                .requests = sim_requests(w, p->cpu, p->memory) } };
    if (p->port) {
        c->ports.v = MST_NEW_N(&w->event, struct mst_container_port, 1);
        c->ports.v[0] = (struct mst_container_port){ .host_port = p->port,
                                                     .container_port = p->port,
                                                     .protocol = sim_sym(w, "TCP"),
                                                     .host_ip = MST_SYM_EMPTY };
        c->ports.n = 1;
    }
    spec->scheduler_name = sim_sym(w, p->other_scheduler ? "other" : "default-scheduler");
    spec->priority = (struct mst_opt_int){ p->priority, true };
    if (p->never)
        spec->preemption_policy = sim_sym(w, "Never");
    sim_pod_wishes(w, p, spec);
    if (w->domains)
        sim_pod_domains(w, p, pod);
    if (p->node != SIM_NONE)
        spec->node_name = sim_node_sym(w, p->node);
    if (p->group != SIM_NONE) {
        spec->group_set = true;
        spec->group_name = sim_name(&w->event, 'g', p->group);
    }
    sim_pod_status(w, p, &pod->status);
    return o;
}

static inline struct mst_object *sim_group_object(struct sim_world *w, int i)
{
    const struct sim_group *g = &w->groups[i];
    struct mst_object *o = MST_NEW(&w->event, struct mst_object);
    o->kind = MST_KIND_POD_GROUP;
    struct mst_pod_group *group = &o->u.group;
    group->meta.name = sim_name(&w->event, 'g', i);
    group->meta.uid = sim_uid(&w->event, g->uid);
    group->meta.namespace_ = sim_sym(w, "default");
    group->spec.policy_set = true;
    group->spec.policy = g->gang ? MST_POLICY_GANG : MST_POLICY_BASIC;
    group->spec.min_count = g->min;
    group->spec.priority = (struct mst_opt_int){ g->priority, true };
    group->spec.disruption = g->whole ? MST_DISRUPT_ALL : MST_DISRUPT_SINGLE;
    group->conditions.v = MST_NEW_N(&w->event, struct mst_condition, 2);
    if (g->cond.set)
        group->conditions.v[group->conditions.n++] = g->cond.c;
    if (g->disruption.set)
        group->conditions.v[group->conditions.n++] = g->disruption.c;
    return o;
}

/* ---- truth, naively ---- */

static inline int64_t sim_used_cpu(const struct sim_pod *p)
{
    return p->allocated > p->cpu ? p->allocated : p->cpu;
}

/* All but resources and ports. */
static inline bool sim_welcome(const struct sim_world *w, const struct sim_pod *p, int node)
{
    const struct sim_node *n = &w->nodes[node];
    return n->live && !n->unschedulable && (!n->tainted || p->tolerates) &&
           (p->zone == SIM_NONE || p->zone == n->zone);
}

/* One of them wants to be away from the other's label. */
static inline bool sim_apart(const struct sim_world *w, const struct sim_pod *p, int p_node,
                             const struct sim_pod *o, int o_node)
{
    bool host = p_node == o_node, zone = w->nodes[p_node].zone == w->nodes[o_node].zone;
    return (p->wish == SIM_APART && o->app == p->from && (p->by_zone ? zone : host)) ||
           (o->wish == SIM_APART && p->app == o->from && (o->by_zone ? zone : host));
}

/* at[i]: where pod i is, or SIM_NONE. The first pod that cannot be there together with `self`. */
static inline int sim_excluded(const struct sim_world *w, int self, int node, const int *at)
{
    for (int i = 0; i < SIM_PODS; i++)
        if (i != self && at[i] != SIM_NONE && w->nodes[at[i]].live &&
            sim_apart(w, &w->pods[self], node, &w->pods[i], at[i]))
            return i;
    return SIM_NONE;
}

/* Would the pod's constraint be broken on the node? Only nodes that its selector means count. */
static inline bool sim_skewed(const struct sim_world *w, int self, int node, const int *at)
{
    const struct sim_pod *p = &w->pods[self];
    int count[SIM_ZONES] = { 0 }, min = INT32_MAX;
    bool there[SIM_ZONES] = { false };
    if (p->wish != SIM_SPREAD)
        return false;
    for (int n = 0; n < SIM_NODES; n++)
        if (w->nodes[n].live && (p->zone == SIM_NONE || p->zone == w->nodes[n].zone))
            there[w->nodes[n].zone] = true;
    for (int i = 0; i < SIM_PODS; i++)
        if (i != self && at[i] != SIM_NONE && w->nodes[at[i]].live && w->pods[i].app == p->app &&
            !w->pods[i].deleting)
            count[w->nodes[at[i]].zone]++;
    for (int z = 0; z < SIM_ZONES; z++)
        if (there[z])
            min = MST_MIN(min, count[z]);
    return count[w->nodes[node].zone] + 1 - min > p->skew;
}

/* Other pods forbid the node. Nominated ones count as there or not, what is worse. */
static inline bool sim_forbidden(const struct sim_world *w, int self, int node)
{
    int bound[SIM_PODS], with[SIM_PODS];
    bool nominated = false;
    if (!w->domains)
        return false;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *o = &w->pods[i];
        bound[i] = with[i] = o->live ? o->node : SIM_NONE;
        if (o->live && o->node == SIM_NONE && i != self && o->nominated != SIM_NONE) {
            with[i] = o->nominated;
            nominated = true;
        }
    }
    return sim_excluded(w, self, node, with) != SIM_NONE || sim_skewed(w, self, node, bound) ||
           (nominated && w->pods[self].wish == SIM_SPREAD);
}

/* How many more pods like `p` (index `self`) the node takes, with every nomination respected. */
static inline int64_t sim_room(const struct sim_world *w, int self, int node)
{
    const struct sim_pod *p = &w->pods[self];
    const struct sim_node *n = &w->nodes[node];
    if (!sim_welcome(w, p, node) || sim_forbidden(w, self, node))
        return 0;
    int64_t cpu = n->cpu, memory = n->memory, room = n->pods;
    bool port_taken = false;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *o = &w->pods[i];
        bool holds = o->live && (o->node == node ||
                                 (o->node == SIM_NONE && i != self && o->nominated == node));
        if (!holds)
            continue;
        cpu -= sim_used_cpu(o);
        memory -= o->memory;
        room--;
        port_taken |= p->port && o->port == p->port;
    }
    if (port_taken)
        return 0;
    room = MST_MIN(room, cpu / sim_used_cpu(p));
    room = MST_MIN(room, memory / p->memory);
    if (p->port)
        room = MST_MIN(room, 1);
    return MST_MAX(room, 0);
}

#endif
