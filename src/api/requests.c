/*
 * requests.c - what a pod asks of a node, in all the variants the scheduler needs.
 *
 * Invariants: sums are exact quantities and are rounded once, at the end; upstream's maps become
 *             small lists searched linearly, since a pod names a handful of resources.
 * Source:     spec/plugins.md 3.1-3.3; kubernetes v1.37 component-helpers resource/helpers.go.
 */
#include "api/api_internal.h"
#include "api/names.h"
#include "base/sort.h"

enum { CPU_DEFAULT_MILLI = 100, MEMORY_DEFAULT_BYTES = 200 * 1024 * 1024 };

mst_resource_class mst_resource_classify(struct mst_str name)
{
    static const struct {
        const char *name;
        mst_resource_class class;
    } natives[] = {
        { "cpu", MST_RESOURCE_CPU },
        { "memory", MST_RESOURCE_MEMORY },
        { "ephemeral-storage", MST_RESOURCE_EPHEMERAL },
        { "pods", MST_RESOURCE_PODS },
    };
    for (size_t i = 0; i < MST_COUNT(natives); i++)
        if (mst_str_is(name, natives[i].name))
            return natives[i].class;
    if (mst_name_is_extended(name))
        return MST_RESOURCE_EXTENDED;
    bool native = name.n && memmem(name.p, name.n, "kubernetes.io/", strlen("kubernetes.io/"));
    if (native || mst_str_has_prefix(name, "hugepages-") ||
        mst_str_has_prefix(name, "attachable-volumes-"))
        return MST_RESOURCE_OTHER_SCALAR;
    return MST_RESOURCE_DROPPED;
}

/* A resource list that grows in an arena. */
struct amounts {
    struct mst_resource *v;
    uint32_t n, cap;
    struct mst_arena *arena;
};

struct context {
    const struct mst_pod *pod;
    struct mst_arena *arena;
    mst_sym cpu, memory;
    bool with_status;
    bool infeasible; /* the node cannot carry out a requested resize */
    bool cpu_default, memory_default;
};

static struct mst_resource *find(const struct amounts *list, mst_sym name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].name == name)
            return &list->v[i];
    return NULL;
}

static void append(struct amounts *list, mst_sym name, const struct mst_quantity *q)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 8;
        struct mst_resource *v = MST_NEW_N(list->arena, struct mst_resource, cap);
        if (list->n)
            memcpy(v, list->v, list->n * sizeof(*v));
        list->v = v;
        list->cap = cap;
    }
    list->v[list->n++] = (struct mst_resource){ name, *q };
}

static void add_one(struct amounts *list, mst_sym name, const struct mst_quantity *q)
{
    struct mst_resource *old = find(list, name);
    if (old)
        mst_quantity_add(&old->quantity, q);
    else
        append(list, name, q);
}

static void add_all(struct amounts *list, const mst_resources *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        add_one(list, more->v[i].name, &more->v[i].quantity);
}

static void max_all(struct amounts *list, const struct mst_resource *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mst_resource *old = find(list, v[i].name);
        if (!old)
            append(list, v[i].name, &v[i].quantity);
        else if (mst_quantity_cmp(&v[i].quantity, &old->quantity) > 0)
            old->quantity = v[i].quantity;
    }
}

/* ---- one container ---- */

typedef enum { FROM_SPEC, FROM_LIMITS, FROM_ALLOCATED, FROM_ACTUATED } source;

static const struct mst_container_status *find_status(const struct mst_pod *pod,
                                                      struct mst_str name)
{
    const struct mst_pod_status *status = &pod->status;
    for (uint32_t i = 0; i < status->container_statuses.n; i++)
        if (mst_str_eq(status->container_statuses.v[i].name, name))
            return &status->container_statuses.v[i];
    for (uint32_t i = 0; i < status->init_container_statuses.n; i++)
        if (mst_str_eq(status->init_container_statuses.v[i].name, name))
            return &status->init_container_statuses.v[i];
    return NULL;
}

static const mst_resources *container_requests(const struct context *c,
                                               const struct mst_container *container, source from)
{
    static const mst_resources nothing = { NULL, 0 };
    if (from == FROM_SPEC)
        return &container->resources.requests;
    if (from == FROM_LIMITS)
        return &container->resources.limits;
    const struct mst_container_status *status = find_status(c->pod, container->name);
    if (status && from == FROM_ACTUATED && status->resources_set && status->resources.requests.v)
        return &status->resources.requests;
    if (status && status->allocated_set)
        return &status->allocated;
    return c->infeasible ? &nothing : &container->resources.requests;
}

static bool has(const mst_resources *list, mst_sym name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].name == name)
            return true;
    return false;
}

/* Adds a container's requests, with the defaults for what it does not name. */
static void add_container(const struct context *c, const struct mst_container *container,
                          source from, struct amounts *list)
{
    const mst_resources *requests = container_requests(c, container, from);
    add_all(list, requests);
    if (c->cpu_default && !has(requests, c->cpu))
        add_one(list, c->cpu,
                &(struct mst_quantity){ .nano = (mst_nano)CPU_DEFAULT_MILLI * 1000000 });
    if (c->memory_default && !has(requests, c->memory))
        add_one(list, c->memory,
                &(struct mst_quantity){ .nano = (mst_nano)MEMORY_DEFAULT_BYTES * 1000000000 });
}

/* ---- the pod ---- */

/* Sum of the containers and sidecars, or the dearest moment of initialisation if that is more. */
static struct amounts aggregate(const struct context *c, source from, mst_sym always)
{
    const struct mst_pod_spec *spec = &c->pod->spec;
    struct amounts sum = { .arena = c->arena }, side = sum, peak = sum;
    for (uint32_t i = 0; i < spec->containers.n; i++)
        add_container(c, &spec->containers.v[i], from, &sum);
    for (uint32_t i = 0; i < spec->init_containers.n; i++) {
        const struct mst_container *container = &spec->init_containers.v[i];
        if (container->restart_policy != MST_SYM_NONE && container->restart_policy == always) {
            add_container(c, container, from, &sum);
            add_container(c, container, from, &side);
            max_all(&peak, side.v, side.n);
        } else {
            struct amounts both = { .arena = c->arena };
            add_container(c, container, from, &both);
            add_all(&both, &(mst_resources){ side.v, side.n });
            max_all(&peak, both.v, both.n);
        }
    }
    max_all(&sum, peak.v, peak.n);
    return sum;
}

static struct amounts aggregate_status(const struct context *c, mst_sym always)
{
    const struct mst_pod_status *status = &c->pod->status;
    struct amounts result = { .arena = c->arena };
    if (!c->infeasible)
        result = aggregate(c, FROM_SPEC, always);
    if (status->allocated_set && status->resources_set && status->resources.requests.v) {
        max_all(&result, status->resources.requests.v, status->resources.requests.n);
        max_all(&result, status->allocated.v, status->allocated.n);
        return result;
    }
    struct amounts actuated = aggregate(c, FROM_ACTUATED, always);
    struct amounts allocated = aggregate(c, FROM_ALLOCATED, always);
    max_all(&result, actuated.v, actuated.n);
    max_all(&result, allocated.v, allocated.n);
    return result;
}

bool mst_resource_is_pod_level(struct mst_str name)
{
    return mst_str_is(name, "cpu") || mst_str_is(name, "memory") ||
           mst_str_has_prefix(name, "hugepages-");
}

static bool has_pod_level_requests(struct mst_syms *syms, const struct mst_pod *pod)
{
    const mst_resources *requests = &pod->spec.resources.requests;
    for (uint32_t i = 0; i < requests->n; i++)
        if (mst_resource_is_pod_level(mst_sym_str(syms, requests->v[i].name)))
            return true;
    return false;
}

static void set_pod_level(struct mst_syms *syms, struct amounts *list, const struct mst_resource *v,
                          uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!mst_resource_is_pod_level(mst_sym_str(syms, v[i].name)))
            continue;
        struct mst_resource *old = find(list, v[i].name);
        if (old)
            old->quantity = v[i].quantity;
        else
            append(list, v[i].name, &v[i].quantity);
    }
}

/* Pod-level requests replace what the containers add up to. */
static void override_pod_level(struct mst_syms *syms, const struct context *c, struct amounts *list)
{
    const struct mst_pod *pod = c->pod;
    struct amounts level = { .arena = c->arena };
    bool by_status = c->with_status && pod->status.resources_set;
    if (!by_status || !c->infeasible)
        max_all(&level, pod->spec.resources.requests.v, pod->spec.resources.requests.n);
    if (by_status) {
        max_all(&level, pod->status.resources.requests.v, pod->status.resources.requests.n);
        max_all(&level, pod->status.allocated.v, pod->status.allocated.n);
    }
    set_pod_level(syms, list, level.v, level.n);
}

/* The first PodResizePending condition decides. */
static bool is_resize_infeasible(const struct mst_pod *pod)
{
    for (uint32_t i = 0; i < pod->status.conditions.n; i++)
        if (mst_str_is(pod->status.conditions.v[i].type, "PodResizePending"))
            return mst_str_is(pod->status.conditions.v[i].reason, "Infeasible");
    return false;
}

static struct amounts exact_requests(struct mst_syms *syms, struct context *c, bool pod_level)
{
    mst_sym always = mst_sym_find(syms, MST_STR("Always"));
    c->infeasible = c->with_status && is_resize_infeasible(c->pod);
    struct amounts list =
        c->with_status ? aggregate_status(c, always) : aggregate(c, FROM_SPEC, always);
    if (pod_level && has_pod_level_requests(syms, c->pod))
        override_pod_level(syms, c, &list);
    add_all(&list, &c->pod->spec.overhead);
    return list;
}

static struct context context_of(struct mst_syms *syms, const struct mst_pod *pod,
                                 struct mst_arena *arena)
{
    return (struct context){ .pod = pod,
                             .arena = arena,
                             .cpu = mst_sym_of(syms, MST_STR("cpu")),
                             .memory = mst_sym_of(syms, MST_STR("memory")) };
}

mst_resources mst_pod_aggregate(struct mst_syms *syms, const struct mst_pod *pod, bool limits,
                                struct mst_arena *arena)
{
    struct context c = context_of(syms, pod, arena);
    struct amounts list =
        aggregate(&c, limits ? FROM_LIMITS : FROM_SPEC, mst_sym_find(syms, MST_STR("Always")));
    return (mst_resources){ list.v, list.n };
}

/* Overhead comes on top of limits that there are; it makes none. */
static struct amounts exact_limits(struct mst_syms *syms, const struct context *c)
{
    const struct mst_pod_spec *spec = &c->pod->spec;
    struct amounts list = aggregate(c, FROM_LIMITS, mst_sym_find(syms, MST_STR("Always")));
    set_pod_level(syms, &list, spec->resources.limits.v, spec->resources.limits.n);
    for (uint32_t i = 0; i < spec->overhead.n; i++) {
        struct mst_resource *limit = find(&list, spec->overhead.v[i].name);
        if (limit && mst_quantity_sign(&limit->quantity))
            mst_quantity_add(&limit->quantity, &spec->overhead.v[i].quantity);
    }
    return list;
}

mst_resources mst_pod_exact(struct mst_syms *syms, const struct mst_pod *pod, bool limits,
                            struct mst_arena *arena)
{
    struct context c = context_of(syms, pod, arena);
    const struct amounts list = limits ? exact_limits(syms, &c) : exact_requests(syms, &c, true);
    return (mst_resources){ list.v, list.n };
}

static int compare_names(const void *a, const void *b, void *ctx)
{
    return mst_str_cmp(mst_sym_str(ctx, ((const struct mst_request *)a)->name),
                       mst_sym_str(ctx, ((const struct mst_request *)b)->name));
}

void mst_pod_requests(struct mst_syms *syms, const struct mst_pod *pod, uint32_t mode,
                      struct mst_arena *arena, mst_requests *out)
{
    struct context c = context_of(syms, pod, arena);
    c.with_status = (mode & MST_REQUEST_STATUS) != 0;
    c.cpu_default = c.memory_default = (mode & MST_REQUEST_DEFAULTS) != 0;
    struct amounts exact = exact_requests(syms, &c, (mode & MST_REQUEST_POD_LEVEL) != 0);
    mst_requests list = { MST_NEW_N(arena, struct mst_request, exact.n), 0 };
    for (uint32_t i = 0; i < exact.n; i++) {
        mst_resource_class class = mst_resource_classify(mst_sym_str(syms, exact.v[i].name));
        if (class == MST_RESOURCE_DROPPED || class == MST_RESOURCE_PODS)
            continue;
        const struct mst_quantity *q = &exact.v[i].quantity;
        list.v[list.n++] = (struct mst_request){ exact.v[i].name, class == MST_RESOURCE_CPU
                                                                      ? mst_quantity_milli(q)
                                                                      : mst_quantity_value(q) };
    }
    mst_sort(list.v, list.n, sizeof(*list.v), compare_names, syms);
    *out = list;
}

void mst_pod_nonzero(struct mst_syms *syms, const struct mst_pod *pod, int64_t *ret_cpu_milli,
                     int64_t *ret_memory)
{
    struct mst_arena scratch = { 0 };
    struct context c = context_of(syms, pod, &scratch);
    c.with_status = true;
    c.cpu_default = c.memory_default = true;
    if (has_pod_level_requests(syms, pod)) {
        struct context plain = context_of(syms, pod, &scratch);
        plain.with_status = true;
        struct amounts requests = exact_requests(syms, &plain, true);
        c.cpu_default = !find(&requests, c.cpu);
        c.memory_default = !find(&requests, c.memory);
    }
    struct amounts list = exact_requests(syms, &c, true);
    const struct mst_resource *cpu = find(&list, c.cpu), *memory = find(&list, c.memory);
    *ret_cpu_milli = cpu ? mst_quantity_milli(&cpu->quantity) : 0;
    *ret_memory = memory ? mst_quantity_value(&memory->quantity) : 0;
    mst_arena_done(&scratch);
}
