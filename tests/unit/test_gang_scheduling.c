/* GangScheduling: who may enter the queue, when a placement is enough, hints. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define GROUP(name, policy)                                                                        \
    "---\nkind: PodGroup\napiVersion: scheduling.k8s.io/v1beta1\nmetadata: {name: " name           \
    "}\nspec: {schedulingPolicy: {" policy "}}\n"
#define POD(name, group)                                                                           \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name "}\nspec: {schedulingGroup: "         \
    "{podGroupName: " group "}, containers: [{name: c, image: i}]}\n"

/* clang-format off */
static const char cluster[] =
    GROUP("gang", "gang: {minCount: 3}")
    GROUP("basic", "basic: {}")
    POD("g1", "gang")
    POD("g2", "gang")
    POD("b1", "basic")
    POD("orphan", "lost")
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: lone}\nspec: {containers: [{name: c, image: "
    "i}]}\n";
/* clang-format on */

static struct mst_str enqueued(struct mst_fixture *f, const char *pod)
{
    struct mst_status status;
    mst_plugin_gang_scheduling.pre_enqueue(&f->view, NULL, fixture_pod(f, pod), &f->arena, &status);
    if (status.code == MST_SUCCESS)
        return MST_STR("Success");
    return mst_arena_printf(&f->arena, "%s: %.*s", status.code == MST_UNRESOLVABLE ? "UaU" : "?",
                            MST_ARG(status.reason));
}

static void test_gang_pre_enqueue(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    t_str(t, enqueued(f, "lone"), "Success");
    t_str(t, enqueued(f, "b1"), "Success");
    t_str(t, enqueued(f, "orphan"),
          "UaU: waiting for pods's pod group \"lost\" to appear in scheduling queue");
    t_str(t, enqueued(f, "g1"),
          "UaU: waiting for minCount pods from a gang to appear in scheduling queue");
    fixture_apply(f, POD("g3", "gang"));
    t_str(t, enqueued(f, "g1"), "Success");
    fixture_free(f);
}

static void test_gang_placement_feasible(struct mst_test *t)
{
    static const struct {
        const char *group;
        struct mst_progress progress;
        mst_code code;
        const char *text;
    } cases[] = {
        { "gang",
          { 0, 2 },
          MST_UNSCHEDULABLE,
          "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining" },
        { "gang",
          { 0, 3 },
          MST_WAIT,
          "minCount (3) is not yet satisfied: 0 scheduled, 3 remaining" },
        { "gang",
          { 2, 1 },
          MST_WAIT,
          "minCount (3) is not yet satisfied: 2 scheduled, 1 remaining" },
        { "gang",
          { 2, 0 },
          MST_UNSCHEDULABLE,
          "minCount (3) cannot be satisfied: 2 scheduled, 0 remaining" },
        { "gang", { 3, 0 }, MST_SUCCESS, "" },
        { "gang", { 5, 9 }, MST_SUCCESS, "" },
        { "basic",
          { 0, 1 },
          MST_WAIT,
          "minCount (1) is not yet satisfied: 0 scheduled, 1 remaining" },
        { "basic",
          { 0, 0 },
          MST_UNSCHEDULABLE,
          "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining" },
        { "basic", { 1, 4 }, MST_SUCCESS, "" },
    };
    struct mst_fixture *f = fixture_new(cluster);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_status status;
        t_case(t, cases[i].text);
        mst_plugin_gang_scheduling.placement_feasible(&f->view, NULL,
                                                      fixture_group(f, cases[i].group),
                                                      cases[i].progress, &f->arena, &status);
        t_int(t, status.code, cases[i].code);
        if (cases[i].code == MST_SUCCESS)
            t_ok(t, status.reason.n == 0);
        else
            t_str(t, status.reason, cases[i].text);
    }
    fixture_free(f);
}

static void test_gang_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_gang_scheduling, NULL);
    struct mst_cluster_event e = { .resource = MST_ON_UNSCHEDULED_POD, .actions = MST_ACT_ADD };
    e.pod = fixture_pod(f, "g2");
    t_int(t, fixture_hint(f, &p, "g1", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "b1", &e), MST_HINT_SKIP);
    e.resource = MST_ON_ASSIGNED_POD;
    t_int(t, fixture_hint(f, &p, "g1", &e), MST_HINT_QUEUE);
    e.pod = fixture_pod(f, "lone"); /* no group is no common group */
    t_int(t, fixture_hint(f, &p, "lone", &e), MST_HINT_SKIP);
    e.resource = MST_ON_POD_GROUP;
    e.group = fixture_group(f, "gang");
    t_int(t, fixture_hint(f, &p, "g1", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "b1", &e), MST_HINT_SKIP);
    fixture_free(f);
}

static void test_gang_hint_when_min_count_falls(struct mst_test *t)
{
    static const struct {
        int64_t from, to;
        mst_hint hint;
    } cases[] = {
        { 3, 2, MST_HINT_QUEUE }, { 3, 3, MST_HINT_SKIP },  { 2, 3, MST_HINT_SKIP },
        { 3, -1, MST_HINT_SKIP }, { -1, 1, MST_HINT_SKIP },
    };
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_gang_scheduling, NULL);
    struct mst_cluster_event e = { .resource = MST_ON_POD_GROUP, .actions = MST_ACT_UPDATE };
    e.group = fixture_group(f, "gang");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        e.old_min_count = cases[i].from;
        e.new_min_count = cases[i].to;
        t_int(t, fixture_hint(f, &p, "g1", &e), cases[i].hint);
        t_int(t, fixture_hint(f, &p, "b1", &e), MST_HINT_SKIP);
    }
    fixture_free(f);
}

MST_TEST_MAIN(T(test_gang_pre_enqueue), T(test_gang_placement_feasible), T(test_gang_hints),
              T(test_gang_hint_when_min_count_falls))
