/*
 * signature.h - when two pods are interchangeable to the plugins of a profile (KEP-5598).
 *
 * A signature is finer than a class where upstream's is: all labels count, not only those that some
 * selector mentions, and every volume but ConfigMaps and Secrets. It is coarser elsewhere (ports
 * without protocol, totals of requests). So it is made from the pod, not from its class.
 *
 * Invariants: two pods have equal signatures exactly if v1.37.2 would print the same bytes for
 *             them, but for the spelling of quantities inside of volumes.
 * Source:     spec/plugins.md 5; kubernetes v1.37 pkg/scheduler/framework/runtime/framework.go,
 *             SignPod; staging kube-scheduler framework/signers.go.
 */
#ifndef MST_SIGNATURE_H
#define MST_SIGNATURE_H

#include "framework/framework.h"

/* A digest of the canonical bytes. All zero: the pod has no signature. */
struct mst_signature {
    uint64_t half[2];
};

static inline bool mst_signature_set(struct mst_signature s)
{
    return s.half[0] || s.half[1];
}
static inline bool mst_signature_eq(struct mst_signature a, struct mst_signature b)
{
    return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}

/* The signature of the pod in `row`, whose object is `pod`; unset when some plugin refuses. */
struct mst_signature mst_sign_pod(const struct mst_framework *fw, uint32_t row,
                                  const struct mst_pod *pod, struct mst_arena *arena);

#endif
