/*
 * domain_load.c - objects as structs, without a decoder in between.
 *
 * Nodes have 4 CPUs, 32 GiB and room for 110 pods, as those of scheduler_perf; pods ask for 100m
 * and 500Mi. The pods before live in namespaces of their own and, where constraints over zones are
 * measured, say nothing about others.
 *
 * Source: kubernetes v1.37 test/integration/scheduler_perf, affinity and topology_spreading.
 */
#include "domain_load.h"

#include <stdio.h>

enum { MIB = 1 << 20 };
#define WHOLE INT64_C(1000000000)
#define MILLI INT64_C(1000000)

void mst_domain_load_init(struct mst_domain_load *load, struct mst_syms *syms,
                          const struct mst_domain_shape *shape)
{
    mst_assert(shape->namespace_count > 0);
    *load = (struct mst_domain_load){ .shape = *shape, .syms = syms };
}

static mst_sym sym(struct mst_domain_load *load, const char *text)
{
    return mst_sym_of_text(load->syms, text);
}

/* Into a text of MST_DOMAIN_TEXT bytes. */
static struct mst_str numbered(char *text, const char *format, uint32_t number)
{
    int n = snprintf(text, MST_DOMAIN_TEXT, format, number);
    mst_assert(n > 0 && n < MST_DOMAIN_TEXT);
    return (struct mst_str){ text, (size_t)n };
}

static mst_sym numbered_sym(struct mst_domain_load *load, const char *format, uint32_t number)
{
    char text[MST_DOMAIN_TEXT];
    return mst_sym_of(load->syms, numbered(text, format, number));
}

static struct mst_resource amount(struct mst_domain_load *load, const char *name, int64_t nano)
{
    return (struct mst_resource){ sym(load, name), { .nano = nano } };
}

static void begin(struct mst_domain_load *load, mst_kind kind)
{
    load->object = (struct mst_object){ .kind = kind };
}

const struct mst_object *mst_domain_namespace(struct mst_domain_load *load, uint32_t i)
{
    begin(load, MST_KIND_NAMESPACE);
    struct mst_meta *meta = &load->object.u.ns.meta;
    meta->name = numbered(load->name, "sched-%u", i);
    meta->uid = numbered(load->uid, "ns-%08x", i);
    load->labels[0] = (struct mst_label){ sym(load, "team"), sym(load, "devops") };
    meta->labels = (mst_labels){ load->labels, 1 };
    return &load->object;
}

const struct mst_object *mst_domain_node(struct mst_domain_load *load, uint32_t i)
{
    begin(load, MST_KIND_NODE);
    struct mst_node *node = &load->object.u.node;
    node->meta.name = numbered(load->name, "scheduler-perf-%u", i);
    node->meta.uid = numbered(load->uid, "node-%08x", i);
    uint32_t zone = i % load->shape.zone_count;
    load->labels[0] = (struct mst_label){ sym(load, "kubernetes.io/hostname"),
                                          mst_sym_of(load->syms, node->meta.name) };
    load->labels[1] = (struct mst_label){ sym(load, "topology.kubernetes.io/zone"),
                                          numbered_sym(load, "moon-%u", zone) };
    node->meta.labels = (mst_labels){ load->labels, 2 };
    load->resources[0] = amount(load, "cpu", 4 * WHOLE);
    load->resources[1].name = sym(load, "memory");
    load->resources[1].quantity.nano = (mst_nano)32 * 1024 * MIB * WHOLE;
    load->resources[2] = amount(load, "pods", 110 * WHOLE);
    node->allocatable_set = true;
    node->allocatable = node->capacity = (mst_resources){ load->resources, 3 };
    return &load->object;
}

const struct mst_object *mst_domain_service(struct mst_domain_load *load)
{
    begin(load, MST_KIND_SERVICE);
    struct mst_workload_selector *service = &load->object.u.selector;
    service->meta.name = MST_STR("web");
    service->meta.uid = MST_STR("service-1");
    service->meta.namespace_ = numbered_sym(load, "sched-%u", load->shape.namespace_count);
    load->labels[0] = (struct mst_label){ sym(load, "color"), sym(load, "blue") };
    service->selector.set = true;
    service->selector.match_labels = (mst_labels){ load->labels, 1 };
    return &load->object;
}

/* ---- pods ---- */

static struct mst_label_selector selects(struct mst_label *label)
{
    return (struct mst_label_selector){ .set = true, .match_labels = { label, 1 } };
}

/* The term that means pods of the same colour, by `key`, in both namespaces. */
static void make_term(struct mst_domain_load *load, const char *key)
{
    load->namespaces[0] = numbered_sym(load, "sched-%u", 1);
    load->namespaces[1] = numbered_sym(load, "sched-%u", 0);
    load->term = (struct mst_weighted_pod_affinity_term){
        .weight = 1,
        .term = { .label_selector = selects(load->like),
                  .namespaces = { load->namespaces, 2 },
                  .topology_key = sym(load, key) },
    };
}

static void require(struct mst_domain_load *load, struct mst_pod_affinity *out)
{
    out->set = true;
    out->required.v = &load->term.term;
    out->required.n = 1;
}

static void set_spread(struct mst_domain_load *load, struct mst_pod_spec *spec, const char *action)
{
    load->spread = (struct mst_spread_constraint){
        .max_skew = 5,
        .topology_key = sym(load, "topology.kubernetes.io/zone"),
        .when_unsatisfiable = sym(load, action),
        .label_selector = selects(load->like),
    };
    spec->spread.v = &load->spread;
    spec->spread.n = 1;
}

/* What the pod says about others. */
static void set_wishes(struct mst_domain_load *load, struct mst_pod_spec *spec, uint32_t i)
{
    bool before = i < load->shape.before_count;
    switch (load->shape.kind) {
    case MST_DOMAIN_ANTI:
        make_term(load, "kubernetes.io/hostname");
        require(load, &spec->pod_anti_affinity);
        break;
    case MST_DOMAIN_AFFINITY:
        make_term(load, "topology.kubernetes.io/zone");
        require(load, &spec->pod_affinity);
        break;
    case MST_DOMAIN_PREFERRED: {
        make_term(load, "kubernetes.io/hostname");
        struct mst_pod_affinity *to = i % 2 ? &spec->pod_anti_affinity : &spec->pod_affinity;
        to->set = true;
        to->preferred.v = &load->term;
        to->preferred.n = 1;
        break;
    }
    case MST_DOMAIN_SPREAD:
        if (!before)
            set_spread(load, spec, "DoNotSchedule");
        break;
    case MST_DOMAIN_SPREAD_SOFT:
        if (!before)
            set_spread(load, spec, "ScheduleAnyway");
        break;
    case MST_DOMAIN_SPREAD_LISTS: break;
    case MST_DOMAIN_NS_SELECTOR:
        make_term(load, "kubernetes.io/hostname");
        load->team[0] = (struct mst_label){ sym(load, "team"), sym(load, "devops") };
        load->term.term.namespaces.n = 0;
        load->term.term.namespace_selector = selects(load->team);
        require(load, &spec->pod_anti_affinity);
        break;
    }
    spec->affinity_set = spec->pod_affinity.set || spec->pod_anti_affinity.set;
}

static const char *color(const struct mst_domain_load *load, uint32_t i)
{
    switch (load->shape.kind) {
    case MST_DOMAIN_ANTI:
    case MST_DOMAIN_NS_SELECTOR: return "green";
    case MST_DOMAIN_PREFERRED: return i % 2 ? "yellow" : "red";
    case MST_DOMAIN_AFFINITY:
    case MST_DOMAIN_SPREAD:
    case MST_DOMAIN_SPREAD_SOFT:
    case MST_DOMAIN_SPREAD_LISTS: break;
    }
    return "blue";
}

static void set_container(struct mst_domain_load *load, struct mst_pod_spec *spec)
{
    load->resources[0] = amount(load, "cpu", 100 * MILLI);
    load->resources[1].name = sym(load, "memory");
    load->resources[1].quantity.nano = (mst_nano)500 * MIB * WHOLE;
    mst_resources both = { load->resources, 2 };
    load->container = (struct mst_container){
        .name = MST_STR("pause"),
        .image = sym(load, "registry.test/pause:3"),
        .resources = { .set = true, .requests = both, .limits = both },
    };
    spec->containers.v = &load->container;
    spec->containers.n = 1;
}

const struct mst_object *mst_domain_pod(struct mst_domain_load *load, uint32_t i)
{
    const struct mst_domain_shape *shape = &load->shape;
    uint32_t in = i < shape->before_count ? i % shape->namespace_count : shape->namespace_count;
    begin(load, MST_KIND_POD);
    struct mst_pod *pod = &load->object.u.pod;
    pod->meta.name = numbered(load->name, "pod-%07u", i);
    pod->meta.uid = numbered(load->uid, "pod-%08x", i);
    pod->meta.namespace_ = numbered_sym(load, "sched-%u", in);
    pod->meta.generation = 1;
    load->like[0] = (struct mst_label){ sym(load, "color"), sym(load, color(load, i)) };
    load->labels[0] = load->like[0];
    pod->meta.labels = (mst_labels){ load->labels, 1 };
    pod->status.phase = sym(load, "Pending");
    struct mst_pod_spec *spec = &pod->spec;
    spec->scheduler_name = load->scheduler_name;
    spec->restart_policy = sym(load, "Always");
    spec->preemption_policy = sym(load, "PreemptLowerPriority");
    spec->priority = (struct mst_opt_int){ .value = 0, .set = true };
    set_container(load, spec);
    set_wishes(load, spec, i);
    return &load->object;
}
