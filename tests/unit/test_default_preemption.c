/* Who may enter the queue while its victims are being evicted; arguments; the hint. */
#include "cluster/preemptors.h"
#include "cluster_helper.h"
#include "framework/plugin_args.h"
#include "plugins/registry.h"
#include "tap.h"

#define POD(name, more)                                                                            \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", uid: uid-" name "}\nspec: {" more  \
    "containers: [{name: c, image: i}]}\n"
#define IN(group) "schedulingGroup: {podGroupName: " group "}, "

static const char cluster[] =
    "---\nkind: PodGroup\napiVersion: scheduling.k8s.io/v1beta1\nmetadata: {name: g, uid: uid-g}\n"
    "spec: {schedulingPolicy: {gang: {minCount: 2}}}\n" POD("a", "") POD("b", "nodeName: n1, ")
        POD("member", IN("g")) POD("orphan", IN("lost"));

static const struct mst_plugin *const plugin = &mst_plugin_default_preemption;

static struct mst_str enqueued(struct mst_fixture *f, const char *pod)
{
    struct mst_status status = { .code = MST_ERROR };
    plugin->pre_enqueue(&f->view, NULL, fixture_pod(f, pod), &f->arena, &status);
    if (status.code == MST_SUCCESS)
        return MST_STR("Success");
    return mst_arena_printf(&f->arena, "%s: %.*s", mst_code_name(status.code),
                            MST_ARG(status.reason));
}

#define WAITS "UnschedulableAndUnresolvable: waiting for the preemption for this "

static void test_a_lone_pod_waits(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    t_str(t, enqueued(f, "a"), "Success");
    mst_preemptor_begin(&f->cluster, MST_STR("uid-a"));
    t_str(t, enqueued(f, "a"), WAITS "pod to be finished");
    t_str(t, enqueued(f, "b"), "Success");
    mst_preemptor_end(&f->cluster, MST_STR("uid-a"));
    t_str(t, enqueued(f, "a"), "Success");
    fixture_free(f);
}

/* The group preempts, not the member: only the group's record counts. */
static void test_members_wait_with_their_group(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    mst_preemptor_begin(&f->cluster, MST_STR("uid-member"));
    mst_preemptor_begin(&f->cluster, MST_STR("uid-orphan"));
    t_str(t, enqueued(f, "member"), "Success");
    mst_preemptor_begin(&f->cluster, MST_STR("uid-g"));
    t_str(t, enqueued(f, "member"), WAITS "pod group to be finished");
    t_str(t, enqueued(f, "orphan"), "Success"); /* its group is unknown: somebody else holds it */
    fixture_free(f);
}

static void test_the_last_victim_ends_the_wait(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    mst_preemptor_begin(&f->cluster, MST_STR("uid-a"));
    mst_preemptor_last(&f->cluster, MST_STR("uid-a"), mst_sym_of_text(f->syms, "default"),
                       MST_STR("b"));
    t_str(t, enqueued(f, "a"), WAITS "pod to be finished");
    mst_cluster_pod_remove(&f->cluster, fixture_pod(f, "b"));
    t_str(t, enqueued(f, "a"), "Success");
    fixture_free(f);
}

/* Without asynchronous preemption nothing is under way when the pod comes back. */
static void test_gate_off(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    f->gates.on[MST_GATE_SchedulerAsyncPreemption] = false;
    mst_preemptor_begin(&f->cluster, MST_STR("uid-a"));
    mst_preemptor_begin(&f->cluster, MST_STR("uid-g"));
    t_str(t, enqueued(f, "a"), "Success");
    t_str(t, enqueued(f, "member"), "Success");
    fixture_free(f);
}

/* A gated pod is looked at again only for events of its gating plugin: a victim's going is one. */
static void test_victims_are_listened_for(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct mst_cluster_event event = { .resource = MST_ON_ASSIGNED_POD,
                                             .actions = MST_ACT_DELETE };
    t_int(t, plugin->event_count, 1);
    t_int(t, plugin->events[0].resource, MST_ON_ASSIGNED_POD);
    t_int(t, plugin->events[0].actions, MST_ACT_DELETE);
    t_int(t, plugin->events[0].hint(&f->view, NULL, fixture_pod(f, "a"), NULL, &event),
          MST_HINT_SKIP);
    fixture_free(f);
}

static void test_arguments(struct mst_test *t)
{
    static const struct {
        const char *name, *args;
        int64_t percent, min;
        const char *error; /* NULL: accepted */
    } cases[] = {
        { "none", NULL, 10, 100, NULL },
        { "empty", "{}", 10, 100, NULL },
        { "percent", "{minCandidateNodesPercentage: 25}", 25, 100, NULL },
        { "both", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 3}", 0, 3, NULL },
        { "percent too high", "{minCandidateNodesPercentage: 101}", 0, 0,
          "not in valid range [0, 100]" },
        { "absolute negative", "{minCandidateNodesAbsolute: -1}", 0, 0,
          "not in valid range [0, inf)" },
        { "both zero", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}", 0, 0,
          "cannot be zero at the same time" },
        { "one gang first", "{gangFirst: true}", 10, 100, NULL },
        { "one gang first, fewest pods", "{gangFirst: true, victimPolicy: Smallest}", 0, 0,
          "needs victimPolicy" },
        { "one gang first, no search", "{gangFirst: true, improve: false}", 0, 0, "and improve" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct mst_err err = { 0 };
        t_case(t, cases[i].name);
        struct fixture_plugin p = fixture_plugin_try(f, plugin, cases[i].args, &err);
        t_bool(t, p.instance != NULL, !cases[i].error);
        if (cases[i].error) {
            t_ok(t, strstr(err.text, cases[i].error) != NULL);
        } else {
            struct mst_preemption_args got;
            plugin->preemption(p.instance, &got);
            t_int(t, got.candidates_percent, cases[i].percent);
            t_int(t, got.candidates_min, cases[i].min);
            fixture_plugin_done(&p);
        }
        fixture_free(f);
    }
}

MST_TEST_MAIN(T(test_a_lone_pod_waits), T(test_members_wait_with_their_group),
              T(test_the_last_victim_ends_the_wait), T(test_gate_off),
              T(test_victims_are_listened_for), T(test_arguments))
