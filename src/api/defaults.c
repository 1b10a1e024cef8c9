/*
 * defaults.c - what the API server fills in while it decodes.
 *
 * Only what muster models; a host that prints whole objects fills in the rest on the document.
 * Source: spec/api.md 5.1, 10.1, 12.1, 13; kubernetes v1.37 pkg/apis/core/v1/defaults.go,
 *         pkg/api/pod/util.go (DefaultPodLevelResources).
 */
#include "api/api_internal.h"

enum { TERMINATION_GRACE_S = 30 };
#define MILLI ((mst_nano)1000000)

/* Upstream rounds every amount of a resource list up to thousandths. */
static void round_resources(mst_resources *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        struct mst_quantity *q = &list->v[i].quantity;
        mst_nano rest = q->nano % MILLI;
        if (rest == 0 || q->saturated)
            continue;
        q->nano += (q->nano > 0 ? MILLI : -MILLI) - rest;
        q->kept = MST_STR_NONE;
    }
}

static void round_requirements(struct mst_requirements_resources *resources)
{
    round_resources(&resources->limits);
    round_resources(&resources->requests);
}

static bool has(const mst_resources *list, mst_sym name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].name == name)
            return true;
    return false;
}

/* Appends those of `from` that `list` does not name and `wanted` (may be NULL) approves of. */
static void add_missing(struct mst_api *api, mst_resources *list, const mst_resources *from,
                        bool (*wanted)(struct mst_str name))
{
    struct mst_resource *v = MST_NEW_N(api->arena, struct mst_resource, list->n + from->n);
    if (list->n)
        memcpy(v, list->v, list->n * sizeof(*v));
    mst_resources result = { v, list->n };
    for (uint32_t i = 0; i < from->n; i++)
        if (!has(list, from->v[i].name) &&
            (!wanted || wanted(mst_sym_str(api->syms, from->v[i].name))))
            v[result.n++] = from->v[i];
    if (result.n > list->n || list->v)
        *list = result;
}

static void default_container(struct mst_api *api, struct mst_container *container,
                              bool host_network)
{
    struct mst_requirements_resources *resources = &container->resources;
    round_requirements(resources);
    if (resources->limits.n > 0)
        add_missing(api, &resources->requests, &resources->limits, NULL);
    for (uint32_t i = 0; i < container->ports.n; i++) {
        struct mst_container_port *port = &container->ports.v[i];
        if (port->protocol == MST_SYM_EMPTY)
            port->protocol = mst_sym_of(api->syms, MST_STR("TCP"));
        if (host_network && port->host_port == 0)
            port->host_port = port->container_port;
    }
}

static bool is_hugepages(struct mst_str name)
{
    return mst_str_has_prefix(name, "hugepages-");
}

static bool is_shareable_pod_level(struct mst_str name)
{
    return mst_resource_is_pod_level(name) && !is_hugepages(name);
}

static bool every_container_limits(const struct mst_pod_spec *spec, mst_sym name)
{
    for (uint32_t i = 0; i < spec->containers.n; i++)
        if (!has(&spec->containers.v[i].resources.limits, name))
            return false;
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        if (!has(&spec->init_containers.v[i].resources.limits, name))
            return false;
    return true;
}

/* A limit for what the pod requests and all containers limit: their sum, the request if more. */
static void default_pod_limits(struct mst_api *api, struct mst_pod_spec *spec,
                               const mst_resources *of_containers)
{
    const mst_resources *requests = &spec->resources.requests;
    mst_resources missing = { MST_NEW_N(api->arena, struct mst_resource, requests->n), 0 };
    for (uint32_t i = 0; i < requests->n; i++) {
        const struct mst_resource *request = &requests->v[i];
        if (!every_container_limits(spec, request->name))
            continue;
        for (uint32_t k = 0; k < of_containers->n; k++)
            if (of_containers->v[k].name == request->name)
                missing.v[missing.n++] =
                    mst_quantity_cmp(&request->quantity, &of_containers->v[k].quantity) > 0
                        ? *request
                        : of_containers->v[k];
    }
    add_missing(api, &spec->resources.limits, &missing, mst_resource_is_pod_level);
}

/*
 * Pod-level resources that are partly given are completed from the containers, as v1.37 does on
 * creation (gate PodLevelResourcesFixDefaulting).
 */
static void default_pod_level(struct mst_api *api, struct mst_pod *pod)
{
    struct mst_requirements_resources *resources = &pod->spec.resources;
    if (!resources->set || resources->limits.n + resources->requests.n == 0)
        return;
    mst_resources limits = mst_pod_aggregate(api->syms, pod, true, api->arena);
    mst_resources pages = { MST_NEW_N(api->arena, struct mst_resource, limits.n), 0 };
    for (uint32_t i = 0; i < limits.n; i++)
        if (!has(&resources->requests, limits.v[i].name))
            pages.v[pages.n++] = limits.v[i];
    add_missing(api, &resources->limits, &pages, is_hugepages);
    mst_resources requests = mst_pod_aggregate(api->syms, pod, false, api->arena);
    add_missing(api, &resources->requests, &requests, is_shareable_pod_level);
    add_missing(api, &resources->requests, &resources->limits, mst_resource_is_pod_level);
    default_pod_limits(api, &pod->spec, &limits);
}

static void default_status(struct mst_pod_status *status)
{
    for (uint32_t i = 0; i < status->container_statuses.n; i++) {
        round_resources(&status->container_statuses.v[i].allocated);
        round_requirements(&status->container_statuses.v[i].resources);
    }
    for (uint32_t i = 0; i < status->init_container_statuses.n; i++) {
        round_resources(&status->init_container_statuses.v[i].allocated);
        round_requirements(&status->init_container_statuses.v[i].resources);
    }
    round_resources(&status->allocated);
    round_requirements(&status->resources);
}

static void default_pod(struct mst_api *api, struct mst_pod *pod)
{
    struct mst_pod_spec *spec = &pod->spec;
    if (spec->restart_policy == MST_SYM_NONE)
        spec->restart_policy = mst_sym_of(api->syms, MST_STR("Always"));
    if (spec->scheduler_name == MST_SYM_NONE)
        spec->scheduler_name = mst_sym_of(api->syms, MST_STR("default-scheduler"));
    if (!spec->termination_grace_s.set)
        spec->termination_grace_s = (struct mst_opt_int){ TERMINATION_GRACE_S, true };
    else if (spec->termination_grace_s.value < 0)
        spec->termination_grace_s.value = 1;
    for (uint32_t i = 0; i < spec->containers.n; i++)
        default_container(api, &spec->containers.v[i], spec->host_network);
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        default_container(api, &spec->init_containers.v[i], spec->host_network);
    for (uint32_t i = 0; i < spec->volumes.n; i++)
        if (spec->volumes.v[i].source_count == 0)
            spec->volumes.v[i].source_count = 1; /* an emptyDir */
    round_resources(&spec->overhead);
    round_requirements(&spec->resources);
    default_pod_level(api, pod);
    default_status(&pod->status);
}

static void default_node(struct mst_node *node)
{
    round_resources(&node->capacity);
    round_resources(&node->allocatable);
    if (!node->allocatable_set && node->capacity.v) {
        node->allocatable = node->capacity;
        node->allocatable_set = true;
    }
}

static void default_group(struct mst_api *api, struct mst_pod_group *group)
{
    if (group->spec.disruption == MST_DISRUPT_NIL)
        group->spec.disruption = MST_DISRUPT_SINGLE;
    if (api->upstream && api->preemption_policy && group->spec.preemption_policy == MST_SYM_NONE)
        group->spec.preemption_policy = mst_sym_of(api->syms, MST_STR("PreemptLowerPriority"));
}

static void default_sym(struct mst_api *api, mst_sym *field, const char *value)
{
    if (*field == MST_SYM_NONE)
        *field = mst_sym_of_text(api->syms, value);
}

static void default_pv(struct mst_api *api, struct mst_pv *pv)
{
    round_resources(&pv->capacity);
    default_sym(api, &pv->phase, "Pending");
    default_sym(api, &pv->volume_mode, "Filesystem");
}

static void default_pvc(struct mst_api *api, struct mst_pvc *pvc)
{
    round_resources(&pvc->requests);
    default_sym(api, &pvc->phase, "Pending");
    default_sym(api, &pvc->volume_mode, "Filesystem");
}

static void default_csi_driver(struct mst_csi_driver *driver)
{
    if (!driver->storage_capacity.set)
        driver->storage_capacity = (struct mst_opt_bool){ .value = false, .set = true };
}

void mst_api_default(struct mst_api *api, struct mst_object *object)
{
    switch (object->kind) {
    case MST_KIND_POD: default_pod(api, &object->u.pod); break;
    case MST_KIND_NODE: default_node(&object->u.node); break;
    case MST_KIND_POD_GROUP:
    case MST_KIND_COMPOSITE_POD_GROUP: default_group(api, &object->u.group); break;
    case MST_KIND_PRIORITY_CLASS:
        if (object->u.priority_class.preemption_policy == MST_SYM_NONE)
            object->u.priority_class.preemption_policy =
                mst_sym_of(api->syms, MST_STR("PreemptLowerPriority"));
        break;
    case MST_KIND_PV: default_pv(api, &object->u.pv); break;
    case MST_KIND_PVC: default_pvc(api, &object->u.pvc); break;
    case MST_KIND_STORAGE_CLASS:
        default_sym(api, &object->u.storage_class.binding_mode, "Immediate");
        break;
    case MST_KIND_CSI_DRIVER: default_csi_driver(&object->u.csi_driver); break;
    case MST_KIND_NAMESPACE:
    case MST_KIND_WORKLOAD:
    case MST_KIND_PDB:
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT:
    case MST_KIND_UNKNOWN:
    case MST_KIND_COUNT: break;
    }
}
