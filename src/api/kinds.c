/*
 * kinds.c - the kinds muster models, the versions they come in, and what to say about all others.
 *
 * Source: spec/api.md 1, 3; KEP-4671 history for the versions that are gone.
 */
#include "api/api_internal.h"

struct kind {
    const char *name;
    const char *group; /* "" is core */
    const char *versions[2];
    bool namespaced;
};

static const struct kind kinds[MST_KIND_COUNT] = {
    [MST_KIND_UNKNOWN] = { "", "", { NULL, NULL }, false },
    [MST_KIND_POD] = { "Pod", "", { "v1", NULL }, true },
    [MST_KIND_NODE] = { "Node", "", { "v1", NULL }, false },
    [MST_KIND_NAMESPACE] = { "Namespace", "", { "v1", NULL }, false },
    [MST_KIND_POD_GROUP] = { "PodGroup", "scheduling.k8s.io", { "v1beta1", "v1alpha3" }, true },
    [MST_KIND_COMPOSITE_POD_GROUP] = { "CompositePodGroup",
                                       "scheduling.k8s.io",
                                       { "v1alpha3", NULL },
                                       true },
    [MST_KIND_WORKLOAD] = { "Workload", "scheduling.k8s.io", { "v1beta1", "v1alpha3" }, true },
    [MST_KIND_PRIORITY_CLASS] = { "PriorityClass", "scheduling.k8s.io", { "v1", NULL }, false },
    [MST_KIND_PV] = { "PersistentVolume", "", { "v1", NULL }, false },
    [MST_KIND_PVC] = { "PersistentVolumeClaim", "", { "v1", NULL }, true },
    [MST_KIND_STORAGE_CLASS] = { "StorageClass", "storage.k8s.io", { "v1", NULL }, false },
    [MST_KIND_CSI_NODE] = { "CSINode", "storage.k8s.io", { "v1", NULL }, false },
    [MST_KIND_CSI_DRIVER] = { "CSIDriver", "storage.k8s.io", { "v1", NULL }, false },
    [MST_KIND_CSI_STORAGE_CAPACITY] = { "CSIStorageCapacity",
                                        "storage.k8s.io",
                                        { "v1", NULL },
                                        true },
    [MST_KIND_VOLUME_ATTACHMENT] = { "VolumeAttachment", "storage.k8s.io", { "v1", NULL }, false },
    [MST_KIND_PDB] = { "PodDisruptionBudget", "policy", { "v1", NULL }, true },
    [MST_KIND_SERVICE] = { "Service", "", { "v1", NULL }, true },
    [MST_KIND_REPLICATION_CONTROLLER] = { "ReplicationController", "", { "v1", NULL }, true },
    [MST_KIND_REPLICA_SET] = { "ReplicaSet", "apps", { "v1", NULL }, true },
    [MST_KIND_STATEFUL_SET] = { "StatefulSet", "apps", { "v1", NULL }, true },
};

/* Kubernetes has them, muster does not look at them. */
static const char *const ignored[] = {
    "APIService",
    "Binding",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "ComponentStatus",
    "ConfigMap",
    "ControllerRevision",
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "DeviceClass",
    "DeviceTaintRule",
    "Endpoints",
    "EndpointSlice",
    "Event",
    "FlowSchema",
    "HorizontalPodAutoscaler",
    "IPAddress",
    "Ingress",
    "IngressClass",
    "Job",
    "Kustomization",
    "Lease",
    "LimitRange",
    "LocalSubjectAccessReview",
    "MutatingAdmissionPolicy",
    "MutatingWebhookConfiguration",
    "NetworkPolicy",
    "PodTemplate",
    "PriorityLevelConfiguration",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceQuota",
    "ResourceSlice",
    "Role",
    "RoleBinding",
    "RuntimeClass",
    "Secret",
    "ServiceAccount",
    "ServiceCIDR",
    "StorageVersion",
    "StorageVersionMigration",
    "SubjectAccessReview",
    "TokenReview",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttributesClass",
};

const char *mst_kind_name(mst_kind kind)
{
    mst_assert((uint32_t)kind < MST_KIND_COUNT);
    return kinds[kind].name;
}

bool mst_kind_namespaced(mst_kind kind)
{
    mst_assert((uint32_t)kind < MST_KIND_COUNT);
    return kinds[kind].namespaced;
}

/* A group of a custom resource, which may well reuse one of our names. */
static bool is_foreign_group(struct mst_str group)
{
    static const char own[] = ".k8s.io", extended[] = "x-k8s.io";
    if (!group.n || !memchr(group.p, '.', group.n))
        return false;
    if (group.n >= sizeof(extended) - 1 &&
        memcmp(group.p + group.n - (sizeof(extended) - 1), extended, sizeof(extended) - 1) == 0)
        return true;
    return group.n < sizeof(own) - 1 ||
           memcmp(group.p + group.n - (sizeof(own) - 1), own, sizeof(own) - 1) != 0;
}

/* What became of the group API's early versions, and what to write instead. */
static struct mst_str advice(mst_kind kind, struct mst_str api_version, struct mst_arena *arena)
{
    bool group_kind = kind == MST_KIND_POD_GROUP || kind == MST_KIND_COMPOSITE_POD_GROUP ||
                      kind == MST_KIND_WORKLOAD;
    const char *now = kind == MST_KIND_COMPOSITE_POD_GROUP ? "v1alpha3" : "v1beta1";
    if (group_kind && mst_str_is(api_version, "scheduling.k8s.io/v1alpha2"))
        return mst_arena_printf(
            arena,
            "apiVersion \"scheduling.k8s.io/v1alpha2\" was removed in Kubernetes v1.37 and is not "
            "converted; write \"scheduling.k8s.io/%s\", with spec.workloadRef {workloadName, "
            "templateName} instead of spec.podGroupTemplateRef, and disruptionMode {single: {}} or "
            "{all: {}} instead of \"Pod\" or \"PodGroup\"",
            now);
    if (group_kind && mst_str_is(api_version, "scheduling.k8s.io/v1alpha1"))
        return mst_arena_printf(
            arena,
            "apiVersion \"scheduling.k8s.io/v1alpha1\" was removed in Kubernetes v1.36 and is not "
            "converted; write \"scheduling.k8s.io/%s\", with "
            "spec.podGroupTemplates[].schedulingPolicy "
            "instead of spec.podGroups[].policy, a PodGroup object per group, and "
            "spec.schedulingGroup.podGroupName instead of spec.workloadRef in pods",
            now);
    if (kind == MST_KIND_COMPOSITE_POD_GROUP &&
        mst_str_is(api_version, "scheduling.k8s.io/v1beta1"))
        return mst_arena_printf(arena,
                                "CompositePodGroup exists only in \"scheduling.k8s.io/v1alpha3\", "
                                "not in \"scheduling.k8s.io/v1beta1\"");
    return MST_STR_NONE;
}

static struct mst_str wrong_version(mst_kind kind, struct mst_str api_version,
                                    struct mst_arena *arena)
{
    const struct kind *k = &kinds[kind];
    struct mst_str text = advice(kind, api_version, arena);
    if (text.p)
        return text;
    const char *slash = *k->group ? "/" : "";
    struct mst_str second =
        k->versions[1] ? mst_arena_printf(arena, " or \"%s%s%s\"", k->group, slash, k->versions[1])
                       : MST_STR("");
    return mst_arena_printf(arena,
                            "apiVersion %.*s is not known for kind %s, expected \"%s%s%s\"%.*s",
                            MST_ARG(mst_go_quote(arena, api_version)), k->name, k->group, slash,
                            k->versions[0], MST_ARG(second));
}

/* A modelled kind that the unknown one may have been meant for. */
static const char *similar_kind(struct mst_str kind)
{
    const char *best = NULL;
    uint32_t best_distance = 3;
    for (uint32_t i = MST_KIND_POD; i < MST_KIND_COUNT; i++) {
        struct mst_str name = mst_str_of(kinds[i].name);
        uint32_t max = name.n >= 8 ? 2 : 1;
        uint32_t distance = mst_edit_distance(kind, name, max);
        if (distance <= max && distance < best_distance) {
            best = kinds[i].name;
            best_distance = distance;
        }
    }
    return best;
}

static mst_kind find_kind(struct mst_str name)
{
    for (uint32_t i = MST_KIND_POD; i < MST_KIND_COUNT; i++)
        if (mst_str_is(name, kinds[i].name))
            return (mst_kind)i;
    return MST_KIND_UNKNOWN;
}

static struct mst_str ignored_text(struct mst_str api_version, struct mst_str kind, bool known,
                                   struct mst_arena *arena)
{
    for (size_t i = 0; i < MST_COUNT(ignored) && !known; i++)
        known = mst_str_is(kind, ignored[i]);
    if (known)
        return mst_arena_printf(arena, "kind %.*s (%.*s) is ignored", MST_ARG(kind),
                                MST_ARG(api_version));
    const char *similar = similar_kind(kind);
    return mst_arena_printf(arena, "kind %.*s is not known and ignored%s%s%s",
                            MST_ARG(mst_go_quote(arena, kind)), similar ? "; did you mean \"" : "",
                            similar ? similar : "", similar ? "\"?" : "");
}

mst_version_verdict mst_kind_of(struct mst_str api_version, struct mst_str kind,
                                struct mst_arena *arena, mst_kind *ret_kind,
                                struct mst_str *ret_text)
{
    mst_kind found = find_kind(kind);
    const char *slash = api_version.n ? memchr(api_version.p, '/', api_version.n) : NULL;
    struct mst_str group = { api_version.p, slash ? (size_t)(slash - api_version.p) : 0 };
    struct mst_str version =
        slash ? (struct mst_str){ slash + 1, api_version.n - group.n - 1 } : api_version;
    if (found == MST_KIND_UNKNOWN || is_foreign_group(group)) {
        *ret_text = ignored_text(api_version, kind, found != MST_KIND_UNKNOWN, arena);
        return MST_VERSION_IGNORED;
    }
    for (size_t i = 0; i < MST_COUNT(kinds[found].versions); i++) {
        const char *known = kinds[found].versions[i];
        if (known && mst_str_is(version, known) && mst_str_is(group, kinds[found].group)) {
            *ret_kind = found;
            return MST_VERSION_OK;
        }
    }
    *ret_text = wrong_version(found, api_version, arena);
    return MST_VERSION_WRONG;
}

struct mst_str mst_meta_key(const struct mst_api *api, const struct mst_meta *meta)
{
    if (meta->namespace_ == MST_SYM_NONE)
        return mst_arena_str(api->arena, meta->name.p ? meta->name : MST_STR(""));
    return mst_arena_printf(api->arena, "%.*s/%.*s",
                            MST_ARG(mst_sym_str(api->syms, meta->namespace_)), MST_ARG(meta->name));
}
