/* SchedulingGates: the text, and the event that lifts it. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

static const char cluster[] =
    "kind: Pod\napiVersion: v1\nmetadata: {name: gated}\nspec: {schedulingGates: [{name: x.y/b}, "
    "{name: a}], containers: [{name: c, image: i}]}\n---\n"
    "kind: Pod\napiVersion: v1\nmetadata: {name: free}\nspec: {containers: [{name: c, image: "
    "i}]}\n";

static void test_gates_hold_a_pod(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_status status;
    const struct mst_plugin *p = &mst_plugin_scheduling_gates;
    p->pre_enqueue(&f->view, NULL, fixture_pod(f, "gated"), &f->arena, &status);
    t_int(t, status.code, MST_UNRESOLVABLE);
    t_str(t, status.reason, "waiting for scheduling gates: [x.y/b a]");
    p->pre_enqueue(&f->view, NULL, fixture_pod(f, "free"), &f->arena, &status);
    t_int(t, status.code, MST_SUCCESS);
    fixture_free(f);
}

static void test_gates_wake_when_eliminated(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_scheduling_gates, NULL);
    struct mst_cluster_event e = { .resource = MST_ON_TARGET_POD,
                                   .actions = MST_ACT_UPDATE_POD_GATES_ELIMINATED };
    t_int(t, fixture_hint(f, &p, "gated", &e), MST_HINT_QUEUE);
    e.actions = MST_ACT_UPDATE_POD_LABEL;
    t_int(t, fixture_hint(f, &p, "gated", &e), MST_HINT_SKIP);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_gates_hold_a_pod), T(test_gates_wake_when_eliminated))
