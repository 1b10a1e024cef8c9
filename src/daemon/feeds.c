/*
 * feeds.c - everything that the engine follows at the API server: one reflector per kind.
 */
#include "daemon/feeds.h"

#include "daemon/followed.h"
#include "sim/scenario.h"

enum { FEEDS_MAX = 24 };

struct one {
    struct mst_feeds *feeds;
    struct mst_reflector *reflector;
    mst_kind kind;
    bool synced;
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

static void start(struct mst_feeds *feeds, const struct mst_followed *feed)
{
    mst_assert(feeds->count < FEEDS_MAX);
    const struct mst_feeds_options *o = &feeds->options;
    struct one *one = &feeds->list[feeds->count++];
    *one = (struct one){ .feeds = feeds, .kind = feed->kind };
    const struct mst_reflector_options options = {
        .loop = o->loop,
        .client = o->client,
        .api = &feeds->api,
        .log = o->log,
        .kind = feed->kind,
        .path = feed->path,
        .query = feed->query,
        .protobuf = !o->whole,
        .optional = feed->optional,
        .watch_list = feed->stream && o->gates->on[MST_GATE_WatchListClient],
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
    uint32_t count;
    const struct mst_followed *groups = mst_followed_groups(&count);
    for (uint32_t i = 0; i < count; i++)
        if (mst_str_is(mst_followed_version(&groups[i]), o->served.group_version))
            start(feeds, &groups[i]);
    if (o->gates->on[MST_GATE_CompositePodGroup] && o->served.composites)
        start(feeds, mst_followed_composites());
}

struct mst_feeds *mst_feeds_new(const struct mst_feeds_options *options)
{
    struct mst_feeds *feeds = mst_calloc(1, sizeof(*feeds));
    feeds->options = *options;
    feeds->api = mst_scenario_api(options->syms, options->gates, options->upstream, NULL, NULL);
    uint32_t count;
    const struct mst_followed *fixed = mst_followed_fixed(&count);
    for (uint32_t i = 0; i < count; i++)
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

struct mst_feeds_size mst_feeds_size_of(const struct mst_feeds *feeds)
{
    struct mst_feeds_size sum = { 0 };
    for (uint32_t i = 0; i < feeds->count; i++) {
        sum.objects += mst_reflector_count(feeds->list[i].reflector);
        sum.bytes += mst_reflector_stats_of(feeds->list[i].reflector).bytes;
    }
    return sum;
}
