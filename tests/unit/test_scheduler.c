/* The engine on a loop: when it attempts, what it is told, how it ends. */
#include "scheduler_rig.h"
#include "tap.h"

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

/* Pods and nodes as streams, if the gate says so; never what there are few of. */
static void test_streams_by_gate(struct mst_test *t)
{
    for (int on = 0; on < 2; on++) {
        struct rig rig;
        t_case(t, on ? "on" : "off");
        rig_init(&rig, NULL, false);
        t_bool(t, rig.config.gates.on[MST_GATE_WatchListClient], false);
        struct mst_gates gates = rig.config.gates;
        gates.on[MST_GATE_WatchListClient] = on;
        feeds.n = 0;
        const struct mst_feeds_options options = { .loop = rig.loop,
                                                   .syms = rig.syms,
                                                   .gates = &gates };
        struct mst_feeds *others = mst_feeds_new(&options);
        t_bool(t, feed_of(MST_KIND_POD)->options.watch_list, on);
        t_bool(t, feed_of(MST_KIND_NODE)->options.watch_list, on);
        t_bool(t, feed_of(MST_KIND_PVC)->options.watch_list, false);
        mst_feeds_free(others);
        rig_done(&rig);
    }
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

/* Decisions wait for bindings that wait, but for status patches only when they are very many. */
static void test_backlog(struct mst_test *t)
{
    static const struct {
        const char *name;
        uint32_t work, status;
        bool attempts;
    } cases[] = {
        { "little work", 2047, 0, true },
        { "much work", 2048, 0, false },
        { "many patches", 0, 30000, true },
        { "too many patches", 0, 32768, false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        t_case(t, cases[i].name);
        rig_init(&rig, NULL, false);
        apply(&rig, NODE POD("a"));
        sync_all();
        the_writer->other_work = cases[i].work;
        the_writer->other_pending = cases[i].status;
        mst_scheduler_lead(rig.scheduler);
        turn(&rig);
        t_bool(t, saw("bind default/a n1"), cases[i].attempts);
        rig_done(&rig);
    }
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

/* Objects come to the engine as they will be. */
static void test_overlays(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, NULL, false);
    apply(&rig, NODE POD("nominated") POD("other"));
    const struct mst_cluster *c = mst_engine_cluster(mst_scheduler_engine(rig.scheduler));
    t_int(t, c->nominated_pod_count, 1);
    t_int(t, c->pods.v[0].nominated, mst_sym_of_text(rig.syms, "n1"));
    rig_done(&rig);
}

#define SIZED(uid, generation, cpu)                                                                \
    "{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: default, uid: " uid                \
    ", generation: " generation                                                                    \
    "}, spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}"

/* Taken anew when the spec changed, or when it is another pod; only those of the generation. */
static void test_amounts(struct mst_test *t)
{
    static const struct {
        const char *pod, *shown;
    } cases[] = {
        { SIZED("u1", "1", "1"), "} 1\n" },      { SIZED("u1", "2", "2"), "} 2\n" },
        { SIZED("u1", "2", "3"), "} 2\n" },      { SIZED("u2", "2", "4"), "} 4\n" },
        { SIZED("u2", "0", "500m"), "} 0.5\n" }, { SIZED("u2", "0", "6"), "} 6\n" },
    };
    struct rig rig;
    rig_init(&rig, NULL, false);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) page = { 0 };
        apply(&rig, cases[i].pod);
        mst_pod_amounts_print(mst_scheduler_amounts(rig.scheduler),
                              mst_engine_cluster(mst_scheduler_engine(rig.scheduler)), &page);
        t_case(t, cases[i].pod);
        t_ok(t, page.n && memmem(page.p, page.n, cases[i].shown, strlen(cases[i].shown)));
        t_int(t, mst_pod_amounts_count(mst_scheduler_amounts(rig.scheduler)), 1);
    }
    rig_done(&rig);
}

MST_TEST_MAIN(T(test_follows_what_is_served), T(test_streams_by_gate),
              T(test_waits_for_lists_and_lead), T(test_missing_lists_are_named),
              T(test_events_name_the_profile), T(test_backlog), T(test_drains),
              T(test_drains_at_once), T(test_dry_run_writes_nothing), T(test_looks_up_volumes),
              T(test_overlays), T(test_amounts))
