/*
 * validate_pod.c - pods: the parts of core validation that say something about placement.
 *
 * Not here:   probes, environment, mounts, security: what muster does not model it does not judge.
 * Source:     spec/api.md 4.4 rule 20, 8; kubernetes v1.37 pkg/apis/core/validation/validation.go,
 *             ValidatePodCreate, in its order.
 */
#include "api/validate_internal.h"

enum { PORT_MIN = 1, PORT_MAX = 65535 };

/* ---- volumes and claims ---- */

static void validate_volumes(struct mst_validator *v, const struct mst_path *path,
                             const struct mst_pod_spec *spec)
{
    struct mst_map names = { 0 };
    for (uint32_t i = 0; i < spec->volumes.n; i++) {
        const struct mst_volume *volume = &spec->volumes.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        uint32_t errors = v->error_count;
        if (volume->source_count == 0)
            mst_v_required(v, &at, "must specify a volume type");
        if (volume->name.n == 0)
            mst_v_required(v, &MST_AT(&at, "name"), NULL);
        else
            mst_v_name(v, &MST_AT(&at, "name"), MST_NAME_LABEL, MST_LENGTH_IN_CHARACTERS,
                       volume->name);
        if (volume->name.n > 0 && mst_map_has(&names, volume->name))
            mst_v_duplicate_str(v, &MST_AT(&at, "name"), volume->name);
        if (v->error_count == errors)
            mst_map_set(&names, volume->name, 0);
    }
    mst_map_done(&names);
}

static struct mst_str claim_json(struct mst_validator *v, const struct mst_pod_claim *claim)
{
    const struct {
        const char *name;
        struct mst_str value;
    } refs[] = { { "ResourceClaimName", claim->resource_claim_name },
                 { "ResourceClaimTemplateName", claim->resource_claim_template_name } };
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "Name");
    mst_jw_str(&w, claim->name.p ? claim->name : MST_STR(""));
    for (size_t i = 0; i < MST_COUNT(refs); i++) {
        mst_jw_key(&w, refs[i].name);
        if (refs[i].value.p)
            mst_jw_str(&w, refs[i].value);
        else
            mst_jw_null(&w);
    }
    mst_jw_object_end(&w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static void validate_claim_refs(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_pod_claim *claim)
{
    struct mst_str name = claim->resource_claim_name,
                   template = claim->resource_claim_template_name;
    if (name.p && template.p)
        mst_v_invalid(v, path, claim_json(v, claim),
                      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                      "specified");
    if (!name.p && !template.p)
        mst_v_invalid(v, path, claim_json(v, claim),
                      "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    if (name.p)
        mst_v_name(v, &MST_AT(path, "resourceClaimName"), MST_NAME_SUBDOMAIN,
                   MST_LENGTH_IN_CHARACTERS, name);
    if (template.p)
        mst_v_name(v, &MST_AT(path, "resourceClaimTemplateName"), MST_NAME_SUBDOMAIN,
                   MST_LENGTH_IN_CHARACTERS, template);
}

static void validate_claims(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_pod_spec *spec)
{
    struct mst_map names = { 0 };
    for (uint32_t i = 0; i < spec->claims.n; i++) {
        const struct mst_pod_claim *claim = &spec->claims.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        const struct mst_path name = MST_AT(&at, "name");
        if (claim->name.n == 0) {
            mst_v_required(v, &name, NULL);
        } else if (mst_map_has(&names, claim->name)) {
            mst_v_duplicate_str(v, &name, claim->name);
        } else {
            mst_v_name(v, &name, MST_NAME_LABEL, MST_LENGTH_IN_CHARACTERS, claim->name);
            mst_map_set(&names, claim->name, 0);
        }
        validate_claim_refs(v, &at, claim);
    }
    mst_map_done(&names);
}

/* ---- containers ---- */

static void validate_port_number(struct mst_validator *v, const struct mst_path *path, int64_t port)
{
    if (port < PORT_MIN || port > PORT_MAX)
        mst_v_invalid_int(v, path, port, "must be between 1 and 65535, inclusive");
}

static void validate_port_name(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_container *container, uint32_t i)
{
    struct mst_str name = container->ports.v[i].name;
    if (name.n == 0 || !mst_v_name(v, path, MST_NAME_PORT, MST_LENGTH_IN_CHARACTERS, name))
        return;
    for (uint32_t k = 0; k < i; k++) {
        if (mst_str_eq(container->ports.v[k].name, name)) {
            mst_v_duplicate_str(v, path, name);
            return;
        }
    }
}

static void validate_ports(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_container *container)
{
    for (uint32_t i = 0; i < container->ports.n; i++) {
        const struct mst_container_port *port = &container->ports.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        struct mst_str protocol = mst_v_sym(v, port->protocol);
        validate_port_name(v, &MST_AT(&at, "name"), container, i);
        if (port->container_port == 0)
            mst_v_required(v, &MST_AT(&at, "containerPort"), NULL);
        else
            validate_port_number(v, &MST_AT(&at, "containerPort"), port->container_port);
        if (port->host_port != 0)
            validate_port_number(v, &MST_AT(&at, "hostPort"), port->host_port);
        if (protocol.n == 0)
            mst_v_required(v, &MST_AT(&at, "protocol"), NULL);
        else if (!mst_str_is(protocol, "TCP") && !mst_str_is(protocol, "UDP") &&
                 !mst_str_is(protocol, "SCTP"))
            mst_v_unsupported(v, &MST_AT(&at, "protocol"), protocol, "\"SCTP\", \"TCP\", \"UDP\"");
    }
}

static void validate_container(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_container *container,
                               const struct mst_pod_spec *spec)
{
    if (container->name.n == 0)
        mst_v_required(v, &MST_AT(path, "name"), NULL);
    else
        mst_v_name(v, &MST_AT(path, "name"), MST_NAME_LABEL, MST_LENGTH_IN_CHARACTERS,
                   container->name);
    if (container->image == MST_SYM_NONE)
        mst_v_required(v, &MST_AT(path, "image"), NULL);
    validate_ports(v, &MST_AT(path, "ports"), container);
    mst_validate_container_resources(v, &MST_AT(path, "resources"), &container->resources, spec);
}

static void validate_restart_policy(struct mst_validator *v, const struct mst_path *path,
                                    mst_sym policy)
{
    struct mst_str text = mst_v_sym(v, policy);
    if (policy != MST_SYM_NONE && !mst_str_is(text, "Always") && !mst_str_is(text, "Never") &&
        !mst_str_is(text, "OnFailure"))
        mst_v_unsupported(v, &MST_AT(path, "restartPolicy"), text,
                          "\"Always\", \"Never\", \"OnFailure\"");
}

/*
 * Host ports that a container opens and another has opened already (`open` has "protocol/ip/port").
 * Upstream counts an init container as the list's first: see `ordinal`.
 */
static void validate_host_ports(struct mst_validator *v, const struct mst_path *list,
                                const struct mst_container *container, uint32_t ordinal,
                                struct mst_map *open)
{
    const struct mst_path at = MST_AT_I(list, ordinal);
    const struct mst_path ports = MST_AT(&at, "ports");
    for (uint32_t i = 0; i < container->ports.n; i++) {
        const struct mst_container_port *port = &container->ports.v[i];
        if (port->host_port == 0)
            continue;
        struct mst_str key =
            mst_arena_printf(v->api->arena, "%.*s/%.*s/%lld", MST_ARG(mst_v_sym(v, port->protocol)),
                             MST_ARG(mst_v_sym(v, port->host_ip)), (long long)port->host_port);
        const struct mst_path port_at = MST_AT_I(&ports, i);
        if (!mst_map_set(open, key, 0))
            mst_v_duplicate_str(v, &MST_AT(&port_at, "hostPort"), key);
    }
}

static void validate_containers(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_pod_spec *spec, struct mst_map *names)
{
    struct mst_map open = { 0 };
    if (spec->containers.n == 0)
        mst_v_required(v, path, NULL);
    for (uint32_t i = 0; i < spec->containers.n; i++) {
        const struct mst_container *container = &spec->containers.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        validate_container(v, &at, container, spec);
        struct mst_str name = container->name.p ? container->name : MST_STR("");
        if (!mst_map_set(names, name, 0))
            mst_v_duplicate_str(v, &MST_AT(&at, "name"), name);
        validate_restart_policy(v, &at, container->restart_policy);
    }
    for (uint32_t i = 0; i < spec->containers.n; i++)
        validate_host_ports(v, path, &spec->containers.v[i], i, &open);
    mst_map_done(&open);
}

static void validate_init_containers(struct mst_validator *v, const struct mst_path *path,
                                     const struct mst_pod_spec *spec, struct mst_map *names)
{
    for (uint32_t i = 0; i < spec->init_containers.n; i++) {
        const struct mst_container *container = &spec->init_containers.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        struct mst_map open = { 0 };
        validate_container(v, &at, container, spec);
        validate_restart_policy(v, &at, container->restart_policy);
        struct mst_str name = container->name.p ? container->name : MST_STR("");
        if (mst_map_has(names, name))
            mst_v_duplicate_str(v, &MST_AT(&at, "name"), name);
        else if (name.n > 0)
            mst_map_set(names, name, 0);
        validate_host_ports(v, path, container, 0, &open);
        mst_map_done(&open);
    }
}

static void validate_host_network(struct mst_validator *v, const struct mst_path *path,
                                  const struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < spec->containers.n && spec->host_network; i++) {
        const struct mst_container *container = &spec->containers.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        const struct mst_path ports = MST_AT(&at, "ports");
        for (uint32_t k = 0; k < container->ports.n; k++) {
            const struct mst_container_port *port = &container->ports.v[k];
            const struct mst_path port_at = MST_AT_I(&ports, k);
            if (port->host_port != port->container_port)
                mst_v_invalid_int(v, &MST_AT(&port_at, "hostPort"), port->host_port,
                                  "must match `containerPort` when `hostNetwork` is true");
        }
    }
}

static void validate_image_spaces(struct mst_validator *v, const struct mst_path *path,
                                  const struct mst_container *container)
{
    struct mst_str image = mst_v_sym(v, container->image);
    static const char spaces[] = " \t\n\v\f\r";
    if (image.n > 0 && (memchr(spaces, image.p[0], sizeof(spaces) - 1) ||
                        memchr(spaces, image.p[image.n - 1], sizeof(spaces) - 1)))
        mst_v_invalid_str(v, &MST_AT(path, "image"), image,
                          "must not have leading or trailing whitespace");
}

/* ---- the pod ---- */

static void validate_gates(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < spec->scheduling_gates.n; i++) {
        struct mst_str name = spec->scheduling_gates.v[i];
        bool again = false;
        mst_v_name(v, &MST_AT_I(path, i), MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, name);
        for (uint32_t k = 0; k < i && !again; k++)
            again = mst_str_eq(spec->scheduling_gates.v[k], name);
        if (again)
            mst_v_duplicate_str(v, &MST_AT_I(path, i), name);
    }
}

static void validate_pod_restart_policy(struct mst_validator *v, const struct mst_path *path,
                                        mst_sym policy)
{
    struct mst_str text = mst_v_sym(v, policy);
    if (text.n == 0)
        mst_v_required(v, path, NULL);
    else if (!mst_str_is(text, "Always") && !mst_str_is(text, "OnFailure") &&
             !mst_str_is(text, "Never"))
        mst_v_unsupported(v, path, text, "\"Always\", \"OnFailure\", \"Never\"");
}

void mst_validate_preemption_policy(struct mst_validator *v, const struct mst_path *path,
                                    mst_sym policy)
{
    struct mst_str text = mst_v_sym(v, policy);
    if (policy == MST_SYM_NONE)
        return;
    if (text.n == 0)
        mst_v_required(v, path, NULL);
    else if (!mst_str_is(text, "PreemptLowerPriority") && !mst_str_is(text, "Never"))
        mst_v_unsupported(v, path, text, "\"PreemptLowerPriority\", \"Never\"");
}

static void validate_group_ref(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_pod_spec *spec)
{
    const struct mst_path name = MST_AT(path, "podGroupName");
    if (!spec->group_set)
        return;
    if (!spec->group_name.p)
        mst_v_invalid(v, &name, MST_STR("null"), "must specify one of: `podGroupName`");
    else
        mst_v_name(v, &name, MST_NAME_SUBDOMAIN, MST_LENGTH_IN_CHARACTERS, spec->group_name);
}

/* The scheduling half of a pod's spec, from nodeName on. */
static void validate_placement(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_pod_spec *spec)
{
    const struct mst_requirements_resources overhead = { .limits = spec->overhead };
    if (spec->node_name != MST_SYM_NONE)
        mst_v_name(v, &MST_AT(path, "nodeName"), MST_NAME_SUBDOMAIN, MST_LENGTH_IN_CHARACTERS,
                   mst_v_sym(v, spec->node_name));
    mst_validate_tolerations(v, &MST_AT(path, "tolerations"), spec);
    if (spec->priority_class_name.n > 0)
        mst_v_name(v, &MST_AT(path, "priorityClassName"), MST_NAME_SUBDOMAIN,
                   MST_LENGTH_IN_CHARACTERS, spec->priority_class_name);
    mst_validate_preemption_policy(v, &MST_AT(path, "preemptionPolicy"), spec->preemption_policy);
    mst_validate_container_resources(v, &MST_AT(path, "overhead"), &overhead, spec);
    validate_group_ref(v, &MST_AT(path, "schedulingGroup"), spec);
}

static void validate_spec(struct mst_validator *v, const struct mst_path *path,
                          const struct mst_pod *pod)
{
    const struct mst_pod_spec *spec = &pod->spec;
    struct mst_map names = { 0 };
    validate_volumes(v, &MST_AT(path, "volumes"), spec);
    validate_claims(v, &MST_AT(path, "resourceClaims"), spec);
    validate_containers(v, &MST_AT(path, "containers"), spec, &names);
    validate_init_containers(v, &MST_AT(path, "initContainers"), spec, &names);
    mst_map_done(&names);
    mst_validate_pod_resources(v, &MST_AT(path, "resources"), pod);
    validate_host_network(v, &MST_AT(path, "containers"), spec);
    validate_pod_restart_policy(v, &MST_AT(path, "restartPolicy"), spec->restart_policy);
    mst_validate_labels(v, &MST_AT(path, "nodeSelector"), spec->node_selector);
    mst_validate_affinity(v, &MST_AT(path, "affinity"), spec);
    validate_gates(v, &MST_AT(path, "schedulingGates"), spec);
    mst_validate_spread(v, &MST_AT(path, "topologySpreadConstraints"), spec);
    validate_placement(v, path, spec);
}

void mst_validate_pod(struct mst_validator *v, const struct mst_pod *pod)
{
    const struct mst_path path = MST_AT(NULL, "spec");
    const struct mst_path containers = MST_AT(&path, "containers");
    const struct mst_path init_containers = MST_AT(&path, "initContainers");
    const struct mst_pod_spec *spec = &pod->spec;
    mst_validate_meta(v, &pod->meta, MST_NAME_SUBDOMAIN, true);
    validate_spec(v, &path, pod);
    if (spec->termination_grace_s.set && spec->termination_grace_s.value < 0)
        mst_v_invalid_int(v, &MST_AT(&path, "terminationGracePeriodSeconds"),
                          spec->termination_grace_s.value, "must be greater than or equal to 0");
    for (uint32_t i = 0; i < spec->containers.n; i++)
        validate_image_spaces(v, &MST_AT_I(&containers, i), &spec->containers.v[i]);
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        validate_image_spaces(v, &MST_AT_I(&init_containers, i), &spec->init_containers.v[i]);
    if (spec->node_name != MST_SYM_NONE && spec->scheduling_gates.n > 0)
        mst_v_forbidden(v, &MST_AT(&path, "nodeName"),
                        "cannot be set until all schedulingGates have been cleared");
}
