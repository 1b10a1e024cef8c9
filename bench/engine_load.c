/*
 * engine_load.c - objects as structs, without a decoder in between.
 *
 * Nodes: eight machine types of 64 to 256 CPUs in 16 zones, a quarter of them with eight GPUs; one
 * in 50 is reserved by a taint, one in 100 about to be drained (PreferNoSchedule); one in five
 * holds images.
 */
#include "engine_load.h"

enum { ZONES = 16, IMAGES = 12, TEAMS = 8, MIB = 1 << 20 };

static const struct {
    const char *name;
    int64_t cpu, memory_gib, gpu;
} machines[] = {
    { "c-64", 64, 256, 0 },    { "c-96", 96, 384, 0 },    { "g-96", 96, 1024, 8 },
    { "m-128", 128, 1024, 0 }, { "c-192", 192, 768, 0 },  { "g-192", 192, 2048, 8 },
    { "c-256", 256, 1024, 0 }, { "m-256", 256, 2048, 0 },
};

/* What the pods of a class ask for. */
static const struct {
    int64_t cpu_milli, memory_mib;
} requests[] = {
    { 1000, 2048 }, { 500, 1024 },  { 2000, 8192 },  { 250, 512 },
    { 4000, 8192 }, { 1500, 3072 }, { 3000, 12288 }, { 100, 256 },
};

void mst_load_init(struct mst_load *load, struct mst_syms *syms, const struct mst_load_shape *shape)
{
    mst_assert(shape->gang_size == 0 || shape->pod_count % shape->gang_size == 0);
    mst_assert(shape->distinct ||
               (shape->class_count > 0 && shape->class_count <= MST_COUNT(requests)));
    *load = (struct mst_load){ .shape = *shape, .syms = syms };
}

static mst_sym sym(struct mst_load *load, const char *text)
{
    return mst_sym_of_text(load->syms, text);
}

/* "<prefix><number>" with at least `digits` digits, into a text of MST_LOAD_TEXT bytes. */
static struct mst_str numbered(char *text, const char *prefix, uint32_t number, uint32_t digits)
{
    size_t prefix_n = strlen(prefix), n = prefix_n + 1;
    for (uint32_t rest = number / 10; rest > 0 || n < prefix_n + digits; rest /= 10)
        n++;
    mst_assert(n < MST_LOAD_TEXT);
    memcpy(text, prefix, prefix_n);
    text[n] = '\0';
    for (size_t at = n; at > prefix_n; number /= 10)
        text[--at] = (char)('0' + number % 10);
    return (struct mst_str){ text, n };
}

static mst_sym numbered_sym(struct mst_load *load, const char *prefix, uint32_t number)
{
    char text[MST_LOAD_TEXT];
    return mst_sym_of(load->syms, numbered(text, prefix, number, 1));
}

/* A UID of the usual length that tells kinds and numbers apart. */
static struct mst_str uid(struct mst_load *load, uint32_t kind, uint32_t number)
{
    static const char hex[] = "0123456789abcdef";
    char *text = load->uid;
    memcpy(text, "00000000-7a51-4f0e-9c1d-0123456789ab", 37);
    for (uint32_t i = 0; i < 8; i++)
        text[7 - i] = hex[number >> 4 * i & 15];
    text[14] = hex[kind & 15];
    return (struct mst_str){ text, 36 };
}

static struct mst_resource amount(mst_sym name, int64_t units, int64_t nano_per_unit)
{
    return (struct mst_resource){ name, { .nano = (mst_nano)units * nano_per_unit } };
}

#define WHOLE INT64_C(1000000000)
#define MILLI INT64_C(1000000)

/* ---- nodes ---- */

static void set_images(struct mst_load *load, struct mst_node *node, uint32_t i)
{
    if (i % 5 != 0)
        return;
    for (uint32_t k = 0; k < MST_COUNT(load->images); k++) {
        uint32_t which = (i / 5 + k * 5) % IMAGES;
        load->image_names[k] = numbered_sym(load, "registry.test/app:v", which);
        load->images[k] =
            (struct mst_image){ { &load->image_names[k], 1 }, (int64_t)(100 + 150 * which) * MIB };
    }
    node->images.v = load->images;
    node->images.n = MST_COUNT(load->images);
}

static void set_taints(struct mst_load *load, struct mst_node *node, uint32_t i)
{
    bool reserved = i % 50 == 7, draining = i % 100 == 3;
    if (!reserved && !draining)
        return;
    load->taints[0] = (struct mst_taint){
        .key = sym(load, reserved ? "dedicated" : "maintenance"),
        .value = sym(load, reserved ? "infra" : "planned"),
        .effect = sym(load, reserved ? "NoSchedule" : "PreferNoSchedule"),
    };
    node->taints.v = load->taints;
    node->taints.n = 1;
}

const struct mst_object *mst_load_node(struct mst_load *load, uint32_t i)
{
    uint32_t type = i % MST_COUNT(machines);
    load->object = (struct mst_object){ .kind = MST_KIND_NODE };
    struct mst_node *node = &load->object.u.node;
    node->meta.name = numbered(load->name, "node-", i, 6);
    node->meta.uid = uid(load, 1, i);
    mst_sym hostname = mst_sym_of(load->syms, node->meta.name);
    struct mst_label labels[] = {
        { sym(load, "kubernetes.io/hostname"), hostname },
        { sym(load, "kubernetes.io/os"), sym(load, "linux") },
        { sym(load, "kubernetes.io/arch"), sym(load, "amd64") },
        { sym(load, "topology.kubernetes.io/region"), sym(load, "region-1") },
        { sym(load, "topology.kubernetes.io/zone"), numbered_sym(load, "zone-", i / 8 % ZONES) },
        { sym(load, "node.kubernetes.io/instance-type"), sym(load, machines[type].name) },
    };
    _Static_assert(MST_COUNT(labels) <= MST_LOAD_LISTS, "they fit");
    memcpy(load->labels, labels, sizeof(labels));
    node->meta.labels = (mst_labels){ load->labels, MST_COUNT(labels) };
    struct mst_resource *r = load->resources;
    r[0] = amount(sym(load, "cpu"), machines[type].cpu * 1000 - 120, MILLI);
    r[1] = amount(sym(load, "memory"), (machines[type].memory_gib << 10) - 1500, WHOLE * MIB);
    r[2] = amount(sym(load, "ephemeral-storage"), 900 << 10, WHOLE * MIB);
    r[3] = amount(sym(load, "pods"), 250, WHOLE);
    r[4] = amount(sym(load, "nvidia.com/gpu"), machines[type].gpu, WHOLE);
    node->allocatable_set = true;
    node->allocatable = node->capacity = (mst_resources){ r, machines[type].gpu ? 5 : 4 };
    set_taints(load, node, i);
    set_images(load, node, i);
    return &load->object;
}

/* ---- groups and pods ---- */

static mst_sym team(struct mst_load *load, uint32_t group)
{
    return numbered_sym(load, "team-", group % TEAMS);
}

const struct mst_object *mst_load_group(struct mst_load *load, uint32_t i)
{
    load->object = (struct mst_object){ .kind = MST_KIND_POD_GROUP };
    struct mst_pod_group *group = &load->object.u.group;
    group->meta.name = numbered(load->name, "job-", i, 5);
    group->meta.uid = uid(load, 2, i);
    group->meta.namespace_ = team(load, i);
    group->meta.generation = 1;
    group->spec.policy_set = true;
    group->spec.policy = MST_POLICY_GANG;
    group->spec.min_count = load->shape.gang_size;
    return &load->object;
}

/* Every 4th tolerates the reserved nodes, every 5th wants a certain zone, sizes differ by pod. */
static void make_distinct(struct mst_load *load, struct mst_pod_spec *spec, uint32_t i)
{
    load->resources[0].quantity.nano = (mst_nano)(100 + i % 5000) * MILLI;
    load->resources[1].quantity.nano = (mst_nano)(128 + i) * WHOLE * MIB;
    if (i % 4 == 0) {
        load->tolerations[0] = (struct mst_toleration){
            .key = sym(load, "dedicated"),
            .op = sym(load, "Equal"),
            .value = sym(load, "infra"),
            .effect = sym(load, "NoSchedule"),
        };
        spec->tolerations.v = load->tolerations;
        spec->tolerations.n = 1;
    }
    if (i % 5 == 0) {
        load->selector[0] = (struct mst_label){ sym(load, "topology.kubernetes.io/zone"),
                                                numbered_sym(load, "zone-", i / 5 % ZONES) };
        spec->node_selector_set = true;
        spec->node_selector = (mst_labels){ load->selector, 1 };
    }
}

static void set_container(struct mst_load *load, struct mst_pod_spec *spec, uint32_t class)
{
    struct mst_resource *r = load->resources;
    r[0] = amount(sym(load, "cpu"), requests[class].cpu_milli, MILLI);
    r[1] = amount(sym(load, "memory"), requests[class].memory_mib, WHOLE * MIB);
    r[2] = amount(sym(load, "nvidia.com/gpu"), 1, WHOLE);
    load->containers[0] = (struct mst_container){
        .name = MST_STR("main"),
        .image = numbered_sym(load, "registry.test/app:v", class),
        .resources = { .set = true, .requests = { r, load->shape.gpu ? 3 : 2 } },
    };
    spec->containers.v = load->containers;
    spec->containers.n = 1;
}

const struct mst_object *mst_load_pod(struct mst_load *load, uint32_t i)
{
    uint32_t group = load->shape.gang_size ? i / load->shape.gang_size : i;
    load->object = (struct mst_object){ .kind = MST_KIND_POD };
    struct mst_pod *pod = &load->object.u.pod;
    pod->meta.name = numbered(load->name, "worker-6d4cf56db6-", i, 7);
    pod->meta.uid = uid(load, 3, i);
    pod->meta.namespace_ = team(load, group);
    pod->meta.generation = 1;
    load->labels[0] = (struct mst_label){ sym(load, "app"), sym(load, "worker") };
    pod->meta.labels = (mst_labels){ load->labels, 1 };
    pod->status.phase = sym(load, "Pending");
    struct mst_pod_spec *spec = &pod->spec;
    spec->scheduler_name = load->scheduler_name;
    spec->restart_policy = sym(load, "Never");
    spec->preemption_policy = sym(load, "PreemptLowerPriority");
    spec->priority = (struct mst_opt_int){ .value = 0, .set = true };
    set_container(load, spec,
                  load->shape.distinct ? i % MST_COUNT(requests) : group % load->shape.class_count);
    if (load->shape.distinct)
        make_distinct(load, spec, i);
    if (load->shape.gang_size) {
        spec->group_set = true;
        spec->group_name = numbered(load->group, "job-", group, 5);
    }
    return &load->object;
}
