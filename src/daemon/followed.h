/*
 * followed.h - which resources of an API server scheduling depends on, and where they are.
 *
 * Invariants: nodes and namespaces come first, so that most of what pods refer to is known when
 * they come; groups come last, once for each version that we know, newest first.
 * Source:     kubernetes v1.37 pkg/scheduler/eventhandlers.go, scheduler.go (the informer of pods
 * leaves finished ones out).
 */
#ifndef MST_FOLLOWED_H
#define MST_FOLLOWED_H

#include "api/types.h"

struct mst_followed {
    mst_kind kind;
    const char *path;     /* "/api/v1/pods" */
    const char *query;    /* further parameters; NULL: none */
    const char *resource; /* "pods": as kubectl and RBAC rules name it */
    const char *group;    /* of the API, for RBAC rules; "": core */
    bool optional;        /* clusters without it, or without the right to it, can be scheduled */
    bool stream;          /* many objects: WatchListClient is about them */
};

/* What every cluster has. */
const struct mst_followed *mst_followed_fixed(uint32_t *ret_count);
/* PodGroups, by version, newest first. */
const struct mst_followed *mst_followed_groups(uint32_t *ret_count);
/* CompositePodGroups, which one version has. */
const struct mst_followed *mst_followed_composites(void);
/* Priority classes: for admission, which the scheduler itself has no use for. */
const struct mst_followed *mst_followed_classes(void);

/* The version in a path of groups: "v1beta1". */
struct mst_str mst_followed_version(const struct mst_followed *followed);

#endif
