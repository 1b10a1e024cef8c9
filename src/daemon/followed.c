/*
 * followed.c - which resources of an API server scheduling depends on, and where they are.
 */
#include "daemon/followed.h"

#define LIVE_PODS "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"
#define STORAGE "storage.k8s.io"
#define SCHEDULING "scheduling.k8s.io"

static const struct mst_followed fixed[] = {
    { MST_KIND_NODE, "/api/v1/nodes", NULL, "nodes", "", false, true },
    { MST_KIND_NAMESPACE, "/api/v1/namespaces", NULL, "namespaces", "", false, false },
    { MST_KIND_POD, "/api/v1/pods", LIVE_PODS, "pods", "", false, true },
    { MST_KIND_PV, "/api/v1/persistentvolumes", NULL, "persistentvolumes", "", false, false },
    { MST_KIND_PVC, "/api/v1/persistentvolumeclaims", NULL, "persistentvolumeclaims", "", false,
      false },
    { MST_KIND_SERVICE, "/api/v1/services", NULL, "services", "", false, false },
    { MST_KIND_REPLICATION_CONTROLLER, "/api/v1/replicationcontrollers", NULL,
      "replicationcontrollers", "", false, false },
    { MST_KIND_REPLICA_SET, "/apis/apps/v1/replicasets", NULL, "replicasets", "apps", false,
      false },
    { MST_KIND_STATEFUL_SET, "/apis/apps/v1/statefulsets", NULL, "statefulsets", "apps", false,
      false },
    { MST_KIND_PDB, "/apis/policy/v1/poddisruptionbudgets", NULL, "poddisruptionbudgets", "policy",
      false, false },
    { MST_KIND_STORAGE_CLASS, "/apis/storage.k8s.io/v1/storageclasses", NULL, "storageclasses",
      STORAGE, false, false },
    { MST_KIND_CSI_NODE, "/apis/storage.k8s.io/v1/csinodes", NULL, "csinodes", STORAGE, false,
      false },
    { MST_KIND_CSI_DRIVER, "/apis/storage.k8s.io/v1/csidrivers", NULL, "csidrivers", STORAGE, false,
      false },
    { MST_KIND_CSI_STORAGE_CAPACITY, "/apis/storage.k8s.io/v1/csistoragecapacities", NULL,
      "csistoragecapacities", STORAGE, false, false },
    { MST_KIND_VOLUME_ATTACHMENT, "/apis/storage.k8s.io/v1/volumeattachments", NULL,
      "volumeattachments", STORAGE, false, false },
};

static const struct mst_followed groups[] = {
    { MST_KIND_POD_GROUP, "/apis/scheduling.k8s.io/v1beta1/podgroups", NULL, "podgroups",
      SCHEDULING, true, false },
    { MST_KIND_POD_GROUP, "/apis/scheduling.k8s.io/v1alpha3/podgroups", NULL, "podgroups",
      SCHEDULING, true, false },
};

static const struct mst_followed composites = {
    MST_KIND_COMPOSITE_POD_GROUP,
    "/apis/scheduling.k8s.io/v1alpha3/compositepodgroups",
    NULL,
    "compositepodgroups",
    SCHEDULING,
    true,
    false,
};

static const struct mst_followed classes = {
    MST_KIND_PRIORITY_CLASS,
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    NULL,
    "priorityclasses",
    SCHEDULING,
    true,
    false,
};

const struct mst_followed *mst_followed_fixed(uint32_t *ret_count)
{
    *ret_count = MST_COUNT(fixed);
    return fixed;
}

const struct mst_followed *mst_followed_groups(uint32_t *ret_count)
{
    *ret_count = MST_COUNT(groups);
    return groups;
}

const struct mst_followed *mst_followed_composites(void)
{
    return &composites;
}

const struct mst_followed *mst_followed_classes(void)
{
    return &classes;
}

struct mst_str mst_followed_version(const struct mst_followed *followed)
{
    static const char prefix[] = "/apis/scheduling.k8s.io/";
    mst_assert(strncmp(followed->path, prefix, sizeof(prefix) - 1) == 0);
    const char *version = followed->path + sizeof(prefix) - 1;
    return (struct mst_str){ version, strcspn(version, "/") };
}
