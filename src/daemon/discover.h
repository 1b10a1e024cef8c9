/*
 * discover.h - what the API server serves of what we would use: asked once, before anything else.
 *
 * Invariants: goes on asking until the server answers; `done` is told once, from the loop.
 */
#ifndef MST_DISCOVER_H
#define MST_DISCOVER_H

#include "client/client.h"

struct mst_discovery;

/* What is served. */
struct mst_served_apis {
    /* newest version of PodGroups that we know: "v1beta1", "v1alpha3"; NULL: none is served */
    const char *group_version;
    bool composites; /* CompositePodGroups of v1alpha3 */
};

struct mst_discovery_options {
    struct event_base *loop;
    struct mst_client *client;
    const struct mst_log *log;
    void (*done)(void *ctx, const struct mst_served_apis *served);
    void *ctx;
};

struct mst_discovery *mst_discovery_new(const struct mst_discovery_options *options);
void mst_discovery_free(struct mst_discovery *discovery);

#endif
