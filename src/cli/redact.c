/*
 * redact.c - takes out of an object what no scheduling decision reads.
 */
#include "cli/redact.h"

/* "a.b[].c": member c of every element of list b of a. */
static const char *const secrets[] = {
    "spec.containers[].args",
    "spec.containers[].command",
    "spec.containers[].env",
    "spec.containers[].envFrom",
    "spec.containers[].lifecycle",
    "spec.containers[].livenessProbe",
    "spec.containers[].readinessProbe",
    "spec.containers[].startupProbe",
    "spec.containers[].securityContext",
    "spec.containers[].workingDir",
    "spec.initContainers[].args",
    "spec.initContainers[].command",
    "spec.initContainers[].env",
    "spec.initContainers[].envFrom",
    "spec.initContainers[].lifecycle",
    "spec.initContainers[].livenessProbe",
    "spec.initContainers[].readinessProbe",
    "spec.initContainers[].startupProbe",
    "spec.initContainers[].securityContext",
    "spec.initContainers[].workingDir",
    "spec.ephemeralContainers",
    "spec.dnsConfig",
    "spec.hostAliases",
    "spec.hostname",
    "spec.subdomain",
    "spec.imagePullSecrets",
    "spec.securityContext",
    "spec.serviceAccount",
    "spec.serviceAccountName",
    "spec.volumes[].csi.nodePublishSecretRef",
    "spec.volumes[].csi.volumeAttributes",
    "status.message",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    "status.containerStatuses[].containerID",
    "status.containerStatuses[].lastState",
    "status.containerStatuses[].state",
    "status.initContainerStatuses[].containerID",
    "status.initContainerStatuses[].lastState",
    "status.initContainerStatuses[].state",
    "status.ephemeralContainerStatuses",
    /* nodes */
    "spec.podCIDR",
    "spec.podCIDRs",
    "spec.providerID",
    "status.addresses",
    "status.daemonEndpoints",
    "status.nodeInfo",
    "status.config",
    /* services */
    "spec.clusterIP",
    "spec.clusterIPs",
    "spec.externalIPs",
    "spec.externalName",
    "spec.loadBalancerIP",
    "spec.loadBalancerSourceRanges",
    "spec.ports",
    "status.loadBalancer",
    /* what makes pods */
    "spec.template",
    "spec.volumeClaimTemplates",
    /* storage */
    "parameters",
    "mountOptions",
    "spec.mountOptions",
    "spec.csi.volumeAttributes",
    "spec.csi.controllerPublishSecretRef",
    "spec.csi.controllerExpandSecretRef",
    "spec.csi.nodePublishSecretRef",
    "spec.csi.nodeStageSecretRef",
    "spec.csi.nodeExpandSecretRef",
    "status.attachmentMetadata",
    /* priority classes */
    "description",
};

/* Annotations that scheduling or a scenario reads, by prefix. */
static const char *const kept_annotations[] = {
    "simulate.muster/",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "storage.alpha.kubernetes.io/migrated-plugins",
    "storageclass.kubernetes.io/",
    "storageclass.beta.kubernetes.io/",
};

enum { FANNED_MAX = 2 }; /* lists along a path */

/* Removes what one path names. */
static void cut(struct mst_doc *object, const char *path)
{
    struct mst_doc *next[FANNED_MAX]; /* elements of the lists on the way that are still to come */
    const char *resume[FANNED_MAX];
    uint32_t depth = 0;
    struct mst_doc *at = object;
    for (;;) {
        const size_t n = strcspn(path, ".[");
        char name[64];
        mst_assert(n < sizeof(name));
        memcpy(name, path, n);
        name[n] = 0;
        if (at && !path[n]) {
            if (at->type == MST_OBJECT)
                mst_doc_remove(at, name);
            at = NULL;
        } else if (at) {
            at = mst_doc_get(at, name);
            if (path[n] == '.') {
                path += n + 1;
            } else if (at && at->type == MST_ARRAY) {
                mst_assert(depth < FANNED_MAX);
                path += n + sizeof("[].") - 1;
                resume[depth] = path;
                at = at->first;
                next[depth++] = at ? at->next : NULL;
            } else {
                at = NULL;
            }
        }
        if (at)
            continue;
        while (depth && !next[depth - 1])
            depth--;
        if (!depth)
            return;
        at = next[depth - 1];
        next[depth - 1] = at->next;
        path = resume[depth - 1];
    }
}

static bool is_kept(struct mst_str key)
{
    for (size_t i = 0; i < MST_COUNT(kept_annotations); i++)
        if (mst_str_has_prefix(key, kept_annotations[i]))
            return true;
    return false;
}

static void cut_annotations(struct mst_doc *object)
{
    struct mst_doc *metadata = mst_doc_get(object, "metadata");
    struct mst_doc *annotations = mst_doc_get(metadata, "annotations");
    if (!annotations || annotations->type != MST_OBJECT)
        return;
    struct mst_doc *kept = annotations->first;
    mst_doc_clear(annotations);
    while (kept) {
        struct mst_doc *next = kept->next;
        kept->next = NULL;
        if (is_kept(kept->key)) {
            if (annotations->last)
                annotations->last->next = kept;
            else
                annotations->first = kept;
            annotations->last = kept;
        }
        kept = next;
    }
    if (!annotations->first)
        mst_doc_remove(metadata, "annotations");
}

void mst_redact_noise(struct mst_doc *object)
{
    cut(object, "metadata.managedFields");
}

void mst_redact(struct mst_doc *object)
{
    for (size_t i = 0; i < MST_COUNT(secrets); i++)
        cut(object, secrets[i]);
    cut_annotations(object);
}
