/*
 * The engine on a loop, between reflectors and a writer that are the test's own: when it attempts,
 * what it is told, how it ends.
 */
#include "daemon/scheduler.h"

#include <event2/event.h>

#include "codec/yaml.h"
#include "plugins/registry.h"
#include "tap.h"

/* ---- reflectors and writer, in place of those of the library ---- */

struct mst_reflector {
    struct mst_reflector_options options;
    char path[96];
};

static struct {
    struct mst_reflector *list[32];
    uint32_t n;
} feeds; /* of the scheduler under test */

struct mst_reflector *mst_reflector_new(const struct mst_reflector_options *options)
{
    struct mst_reflector *r = mst_calloc(1, sizeof(*r));
    r->options = *options;
    mst_assert(strlen(options->path) < sizeof(r->path));
    memcpy(r->path, options->path, strlen(options->path) + 1);
    mst_assert(feeds.n < MST_COUNT(feeds.list));
    return feeds.list[feeds.n++] = r;
}

void mst_reflector_free(struct mst_reflector *r)
{
    mst_free(r);
}

struct mst_reflector_stats mst_reflector_stats_of(const struct mst_reflector *r)
{
    (void)r;
    return (struct mst_reflector_stats){ .events = 1 };
}

struct mst_writer {
    struct mst_writer_options options;
    struct mst_buf seen; /* "bind default/a n1\n" */
    uint64_t binds[64];
    uint32_t pending;
};

static struct mst_writer *the_writer;

struct mst_writer *mst_writer_new(const struct mst_writer_options *options)
{
    the_writer = mst_calloc(1, sizeof(*the_writer));
    the_writer->options = *options;
    return the_writer;
}

void mst_writer_free(struct mst_writer *writer)
{
    if (writer)
        mst_buf_done(&writer->seen);
    mst_free(writer);
}

void mst_writer_effect(struct mst_writer *w, const struct mst_effect *e,
                       struct mst_str scheduler_name)
{
    if (e->kind == MST_EFFECT_BIND) {
        mst_buf_printf(&w->seen, "bind %.*s/%.*s %.*s\n", MST_ARG(e->ns), MST_ARG(e->name),
                       MST_ARG(e->node));
        mst_assert(w->pending < MST_COUNT(w->binds));
        w->binds[w->pending++] = e->id;
    } else if (e->kind == MST_EFFECT_EVENT) {
        mst_buf_printf(&w->seen, "event by %.*s\n", MST_ARG(scheduler_name));
    }
}

uint32_t mst_writer_pending(const struct mst_writer *writer)
{
    return writer->pending;
}

/* ---- the rig ---- */

struct rig {
    struct event_base *loop;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_scheduler *scheduler;
    struct mst_arena arena;
    struct mst_diags diags;
    uint32_t synced, drained, steps;
};

static void on_synced(void *ctx)
{
    ((struct rig *)ctx)->synced++;
}

static void on_drained(void *ctx)
{
    ((struct rig *)ctx)->drained++;
}

static void on_stepped(void *ctx, const struct mst_effects *effects, int64_t took_ns)
{
    (void)effects;
    ((struct rig *)ctx)->steps += took_ns >= 0;
}

static void rig_init(struct rig *rig, const char *config, bool dry_run)
{
    struct mst_err err;
    *rig = (struct rig){ .loop = event_base_new(), .syms = mst_syms_new() };
    rig->registry = mst_plugins_registry();
    mst_gates_default(&rig->config.gates, false);
    if (config)
        (void)mst_config_read(&rig->config, &rig->registry, rig->syms, mst_str_of(config),
                              &rig->diags);
    else
        mst_config_default(&rig->config, &rig->registry);
    mst_assert(!rig->diags.error_count);
    feeds.n = 0;
    the_writer = NULL;
    const struct mst_scheduler_options options = {
        .loop = rig->loop,
        .syms = rig->syms,
        .config = &rig->config,
        .registry = &rig->registry,
        .served = { .group_version = "v1beta1", .composites = true },
        .hostname = "here",
        .dry_run = dry_run,
        .synced = on_synced,
        .drained = on_drained,
        .stepped = on_stepped,
        .ctx = rig,
    };
    const mst_rc rc = mst_scheduler_new(&options, &rig->scheduler, &err);
    mst_assert(rc == MST_OK);
}

static void rig_done(struct rig *rig)
{
    mst_engine_check(mst_scheduler_engine(rig->scheduler));
    mst_scheduler_free(rig->scheduler);
    mst_config_done(&rig->config);
    mst_diags_done(&rig->diags);
    mst_arena_done(&rig->arena);
    mst_syms_free(rig->syms);
    event_base_free(rig->loop);
}

static struct mst_reflector *feed_of(mst_kind kind)
{
    for (uint32_t i = 0; i < feeds.n; i++)
        if (feeds.list[i]->options.kind == kind)
            return feeds.list[i];
    mst_assert(!"no reflector of this kind");
    return NULL;
}

static bool tell(void *ctx, struct mst_object *object)
{
    const struct rig *rig = ctx;
    struct mst_reflector *r = feed_of(object->kind);
    struct mst_api api = { .syms = rig->syms, .arena = (struct mst_arena *)&rig->arena };
    mst_api_default(&api, object);
    r->options.set(r->options.ctx, object);
    return true;
}

/* Manifests as the reflectors of their kinds would tell them. */
static void apply(struct rig *rig, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    struct mst_api api = { .syms = rig->syms, .arena = &rig->arena, .diags = &rig->diags };
    mst_yaml_init(&reader, mst_str_of(yaml));
    while (mst_yaml_next(&reader, &rig->arena, &rig->diags, &doc) == MST_OK)
        mst_api_decode(&api, doc, tell, rig);
    mst_assert(!rig->diags.error_count);
}

static void sync_all(void)
{
    for (uint32_t i = 0; i < feeds.n; i++)
        feeds.list[i]->options.synced(feeds.list[i]->options.ctx);
}

/* Everything that is due, and no waiting for what is not. */
static void turn(struct rig *rig)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(rig->loop, EVLOOP_NONBLOCK);
}

static void answer_binds(void)
{
    while (the_writer->pending) {
        const struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                                         .effect_id = the_writer->binds[--the_writer->pending] };
        the_writer->options.answer(the_writer->options.ctx, &event);
    }
}

#define NODE                                                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"                                           \
    "status: {allocatable: {cpu: 4, pods: 10}}\n---\n"
#define POD_OF(name, scheduler)                                                                    \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: default, uid: u-" name "}\n" \
    "spec: {schedulerName: " scheduler ", containers: [{name: c, image: i, resources:"             \
    " {requests: {cpu: 1}}}]}\n---\n"
#define POD(name) POD_OF(name, "default-scheduler")

/* ---- tests ---- */

static bool saw(const char *text)
{
    const struct mst_str seen = mst_buf_span(&the_writer->seen);
    return memmem(seen.p, seen.n, text, strlen(text)) != NULL;
}

static void test_follows_what_is_served(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, false);
    t_text(t, feed_of(MST_KIND_POD)->path, "/api/v1/pods");
    t_text(t, feed_of(MST_KIND_POD_GROUP)->path, "/apis/scheduling.k8s.io/v1beta1/podgroups");
    t_ok(t, feed_of(MST_KIND_POD_GROUP)->options.optional);
    t_ok(t, !feed_of(MST_KIND_POD)->options.optional);
    t_ok(t, feed_of(MST_KIND_POD)->options.protobuf);
    t_text(t, feed_of(MST_KIND_COMPOSITE_POD_GROUP)->path,
           "/apis/scheduling.k8s.io/v1alpha3/compositepodgroups");
    rig_done(&rig);
}

/* Both must be: everything listed, and ours to schedule. */
static void test_waits_for_lists_and_lead(struct mst_test *t)
{
    for (int lead_first = 0; lead_first < 2; lead_first++) {
        struct rig rig;
        t_case(t, lead_first ? "lead first" : "lists first");
        rig_init(&rig, NULL, false);
        apply(&rig, NODE POD("a"));
        turn(&rig);
        if (lead_first)
            mst_scheduler_lead(rig.scheduler);
        else
            sync_all();
        turn(&rig);
        t_int(t, the_writer->seen.n, 0);
        t_int(t, rig.synced, !lead_first);
        if (lead_first)
            sync_all();
        else
            mst_scheduler_lead(rig.scheduler);
        turn(&rig);
        t_str(t, mst_buf_span(&the_writer->seen), "bind default/a n1\n");
        t_int(t, rig.synced, 1);
        t_ok(t, rig.steps > 0);
        answer_binds();
        turn(&rig);
        t_ok(t, saw("event by default-scheduler"));
        rig_done(&rig);
    }
}

static void test_missing_lists_are_named(struct mst_test *t)
{
    struct rig rig;
    MST_AUTO(mst_buf) missing = { 0 };
    rig_init(&rig, NULL, false);
    for (uint32_t i = 0; i < feeds.n; i++)
        if (feeds.list[i]->options.kind != MST_KIND_PDB &&
            feeds.list[i]->options.kind != MST_KIND_NODE)
            feeds.list[i]->options.synced(feeds.list[i]->options.ctx);
    mst_feeds_missing(mst_scheduler_feeds(rig.scheduler), &missing);
    t_str(t, mst_buf_span(&missing), "Node, PodDisruptionBudget");
    t_bool(t, mst_scheduler_synced(rig.scheduler), false);
    rig_done(&rig);
}

static const char two_profiles[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles: [{schedulerName: default-scheduler}, {schedulerName: other}]\n";

static void test_events_name_the_profile(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, two_profiles, false);
    apply(&rig, NODE POD_OF("a", "other") POD_OF("b", "foreign"));
    sync_all();
    mst_scheduler_lead(rig.scheduler);
    turn(&rig);
    answer_binds();
    turn(&rig);
    t_str(t, mst_buf_span(&the_writer->seen), "bind default/a n1\nevent by other\n");
    rig_done(&rig);
}

static void test_drains(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, false);
    apply(&rig, NODE POD("a"));
    sync_all();
    mst_scheduler_lead(rig.scheduler);
    turn(&rig);
    mst_scheduler_drain(rig.scheduler);
    apply(&rig, POD("late"));
    turn(&rig);
    t_int(t, rig.drained, 0); /* the bind is not answered yet */
    answer_binds();
    turn(&rig);
    t_int(t, rig.drained, 1);
    t_ok(t, !saw("late"));
    rig_done(&rig);
}

static void test_drains_at_once(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, false);
    mst_scheduler_drain(rig.scheduler);
    turn(&rig);
    t_int(t, rig.drained, 1);
    rig_done(&rig);
}

static void test_dry_run_writes_nothing(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, true);
    apply(&rig, NODE POD("a"));
    sync_all();
    mst_scheduler_lead(rig.scheduler);
    turn(&rig);
    t_ok(t, !the_writer && !mst_scheduler_writer(rig.scheduler));
    apply(&rig, "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default, uid: u-a}\n"
                "spec: {nodeName: n1, schedulerName: default-scheduler, containers:"
                " [{name: c, image: i, resources: {requests: {cpu: 1}}}]}\n");
    turn(&rig);
    t_int(t, mst_shadow_stats_of(mst_scheduler_shadow(rig.scheduler)).same, 1);
    rig_done(&rig);
}

/* The newest version of a volume, for whole updates; nothing else is looked up. */
static void test_looks_up_volumes(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, false);
    apply(&rig, "apiVersion: v1\nkind: PersistentVolumeClaim\n"
                "metadata: {name: c, namespace: ns, resourceVersion: '7'}\n---\n" NODE);
    const struct mst_writer_options *o = &the_writer->options;
    const struct mst_object *found = o->lookup(o->ctx, MST_KIND_PVC, MST_STR("ns"), MST_STR("c"));
    t_ok(t, found);
    t_str(t, found ? found->u.meta.resource_version : MST_STR_NONE, "7");
    t_ok(t, !o->lookup(o->ctx, MST_KIND_PVC, MST_STR("ns"), MST_STR("d")));
    t_ok(t, !o->lookup(o->ctx, MST_KIND_NODE, MST_STR(""), MST_STR("n1")));
    t_ok(t, o->now_unix_ns(o->ctx) > 0);
    rig_done(&rig);
}

MST_TEST_MAIN(T(test_follows_what_is_served), T(test_waits_for_lists_and_lead),
              T(test_missing_lists_are_named), T(test_events_name_the_profile), T(test_drains),
              T(test_drains_at_once), T(test_dry_run_writes_nothing), T(test_looks_up_volumes))
