/*
 * feeds.c - everything that the engine follows at the API server: one reflector per kind.
 *
 * Source: kubernetes v1.37 pkg/scheduler/eventhandlers.go, scheduler.go (the informer of pods leaves
 * finished ones out).
 */
#include "daemon/feeds.h"

#include <stdio.h>

struct feed {
    mst_kind kind;
    const char *path;
    const char *query;
    bool optional; /* clusters without it, or without the right to it, can be scheduled */
    bool stream;   /* many objects: the first list as a stream */
};

#define LIVE_PODS "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"

/* Nodes and namespaces first: most of what pods refer to is known when they come. */
static const struct feed fixed[] = {
    { MST_KIND_NODE, "/api/v1/nodes", NULL, false, true },
    { MST_KIND_NAMESPACE, "/api/v1/namespaces", NULL, false, false },
    { MST_KIND_POD, "/api/v1/pods", LIVE_PODS, false, true },
    { MST_KIND_PV, "/api/v1/persistentvolumes", NULL, false, false },
    { MST_KIND_PVC, "/api/v1/persistentvolumeclaims", NULL, false, false },
    { MST_KIND_SERVICE, "/api/v1/services", NULL, false, false },
    { MST_KIND_REPLICATION_CONTROLLER, "/api/v1/replicationcontrollers", NULL, false, false },
    { MST_KIND_REPLICA_SET, "/apis/apps/v1/replicasets", NULL, false, false },
    { MST_KIND_STATEFUL_SET, "/apis/apps/v1/statefulsets", NULL, false, false },
    { MST_KIND_PDB, "/apis/policy/v1/poddisruptionbudgets", NULL, false, false },
    { MST_KIND_STORAGE_CLASS, "/apis/storage.k8s.io/v1/storageclasses", NULL, false, false },
    { MST_KIND_CSI_NODE, "/apis/storage.k8s.io/v1/csinodes", NULL, false, false },
    { MST_KIND_CSI_DRIVER, "/apis/storage.k8s.io/v1/csidrivers", NULL, false, false },
    { MST_KIND_CSI_STORAGE_CAPACITY, "/apis/storage.k8s.io/v1/csistoragecapacities", NULL, false,
      false },
    { MST_KIND_VOLUME_ATTACHMENT, "/apis/storage.k8s.io/v1/volumeattachments", NULL, false, false },
};
enum { FEEDS_MAX = MST_COUNT(fixed) + 2 };

struct one {
    struct mst_feeds *feeds;
    struct mst_reflector *reflector;
    mst_kind kind;
    bool synced;
    char path[96];
};

struct mst_feeds {
    struct mst_feeds_options options;
    struct mst_api api;
    struct one list[FEEDS_MAX];
    uint32_t count, synced_count;
    bool all_started;
};

static void on_set(void *ctx, const struct mst_object *object)
{
    const struct one *one = ctx;
    one->feeds->options.set(one->feeds->options.ctx, object);
}

static void on_gone(void *ctx, const struct mst_object *object)
{
    const struct one *one = ctx;
    one->feeds->options.gone(one->feeds->options.ctx, object);
}

static void on_synced(void *ctx)
{
    struct one *one = ctx;
    struct mst_feeds *feeds = one->feeds;
    mst_assert(!one->synced);
    one->synced = true;
    feeds->synced_count++;
    if (mst_feeds_synced(feeds))
        feeds->options.synced(feeds->options.ctx);
}

static void start(struct mst_feeds *feeds, const struct feed *feed)
{
    mst_assert(feeds->count < FEEDS_MAX);
    const struct mst_feeds_options *o = &feeds->options;
    struct one *one = &feeds->list[feeds->count++];
    *one = (struct one){ .feeds = feeds, .kind = feed->kind };
    mst_assert(strlen(feed->path) < sizeof(one->path));
    memcpy(one->path, feed->path, strlen(feed->path) + 1);
    const struct mst_reflector_options options = {
        .loop = o->loop,
        .client = o->client,
        .api = &feeds->api,
        .log = o->log,
        .kind = feed->kind,
        .path = one->path,
        .query = feed->query,
        .protobuf = !o->whole,
        .optional = feed->optional,
        .watch_list = feed->stream,
        .seed = o->seed + feeds->count,
        .set = on_set,
        .gone = on_gone,
        .synced = on_synced,
        .ctx = one,
    };
    one->reflector = mst_reflector_new(&options);
}

/* Groups, in the version that is served. */
static void start_groups(struct mst_feeds *feeds)
{
    const struct mst_feeds_options *o = &feeds->options;
    if (!o->gates->on[MST_GATE_GenericWorkload] || !o->served.group_version)
        return;
    char path[96];
    struct feed feed = { .kind = MST_KIND_POD_GROUP, .path = path, .optional = true };
    const int n = snprintf(path, sizeof(path), "/apis/scheduling.k8s.io/%s/podgroups",
                           o->served.group_version);
    mst_assert(n > 0 && (size_t)n < sizeof(path));
    start(feeds, &feed);
    if (!o->gates->on[MST_GATE_CompositePodGroup] || !o->served.composites)
        return;
    feed = (struct feed){ .kind = MST_KIND_COMPOSITE_POD_GROUP,
                          .path = "/apis/scheduling.k8s.io/v1alpha3/compositepodgroups",
                          .optional = true };
    start(feeds, &feed);
}

struct mst_feeds *mst_feeds_new(const struct mst_feeds_options *options)
{
    const bool *on = options->gates->on;
    struct mst_feeds *feeds = mst_calloc(1, sizeof(*feeds));
    feeds->options = *options;
    feeds->api = (struct mst_api){
        .syms = options->syms,
        .composite = on[MST_GATE_CompositePodGroup],
        .topology = on[MST_GATE_TopologyAwareWorkloadScheduling],
        .preemption_policy = on[MST_GATE_PodGroupPreemptionPolicy],
        .claims = on[MST_GATE_DRAWorkloadResourceClaims],
        .comparison = on[MST_GATE_TaintTolerationComparisonOperators],
        .upstream = options->upstream,
    };
    for (size_t i = 0; i < MST_COUNT(fixed); i++)
        start(feeds, &fixed[i]);
    start_groups(feeds);
    feeds->all_started = true;
    return feeds;
}

void mst_feeds_free(struct mst_feeds *feeds)
{
    if (!feeds)
        return;
    for (uint32_t i = 0; i < feeds->count; i++)
        mst_reflector_free(feeds->list[i].reflector);
    mst_free(feeds);
}

bool mst_feeds_synced(const struct mst_feeds *feeds)
{
    return feeds->all_started && feeds->synced_count == feeds->count;
}

void mst_feeds_missing(const struct mst_feeds *feeds, struct mst_buf *out)
{
    const char *between = "";
    for (uint32_t i = 0; i < feeds->count; i++) {
        if (feeds->list[i].synced)
            continue;
        mst_buf_printf(out, "%s%s", between, mst_kind_name(feeds->list[i].kind));
        between = ", ";
    }
}

struct mst_reflector_stats mst_feeds_stats(const struct mst_feeds *feeds)
{
    struct mst_reflector_stats sum = { 0 };
    for (uint32_t i = 0; i < feeds->count; i++) {
        const struct mst_reflector_stats one = mst_reflector_stats_of(feeds->list[i].reflector);
        sum.lists += one.lists;
        sum.watches += one.watches;
        sum.events += one.events;
        sum.bookmarks += one.bookmarks;
        sum.bytes += one.bytes;
        sum.bad_objects += one.bad_objects;
    }
    return sum;
}
