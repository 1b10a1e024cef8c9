/* test_budgets.c - PodDisruptionBudgets: order, replacement, whom they cover in both meanings. */
#include "cluster_objects.h"
#include "tap.h"

#define POD(name, labels)                                                                          \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels                      \
    "}}, spec: {nodeName: n1, containers: [{name: c}]}}\n---\n"
#define PDB(ns, name, selector, status)                                                            \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name ", namespace: " ns \
    "}, spec: {" selector "}, status: {" status "}}\n---\n"

static void test_order_and_life(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(PDB("default", "b", "selector: {}", "disruptionsAllowed: 2")
                        PDB("a", "z", "", "") PDB("default", "a", "selector: {}", ""));
    const struct mst_budgets *b = o->cluster.budgets;
    t_int(t, b->list.n, 3);
    t_text(t, b->list.v[0].name.p, "z");
    t_text(t, b->list.v[1].name.p, "a");
    t_text(t, b->list.v[2].name.p, "b");
    t_int(t, b->list.v[2].allowed, 2);
    uint64_t generation = b->generation;
    objects_apply(o, PDB("default", "b", "selector: {}", "disruptionsAllowed: 5"));
    t_int(t, b->list.n, 3);
    t_int(t, b->list.v[2].allowed, 5);
    t_ok(t, b->generation > generation);
    mst_cluster_budget_remove(&o->cluster, mst_sym_of_text(o->syms, "default"), MST_STR("a"));
    mst_cluster_budget_remove(&o->cluster, mst_sym_of_text(o->syms, "default"), MST_STR("none"));
    t_int(t, b->list.n, 2);
    t_text(t, b->list.v[1].name.p, "b");
    objects_free(o);
}

static void test_nothing_to_remove(struct mst_test *t)
{
    struct mst_objects *o = objects_new(POD("p", "a: x"));
    mst_cluster_budget_remove(&o->cluster, mst_sym_of_text(o->syms, "default"), MST_STR("a"));
    t_ok(t, !o->cluster.budgets);
    objects_free(o);
}

static void test_who_is_covered(struct mst_test *t)
{
    static const struct {
        const char *name, *selector, *pod;
        bool upstream, api;
    } cases[] = {
        { "labels match", "selector: {matchLabels: {app: x}}", "app: x", true, true },
        { "labels differ", "selector: {matchLabels: {app: x}}", "app: other", false, false },
        { "an empty selector", "selector: {}", "app: x", false, true },
        { "no selector", "minAvailable: 1", "app: x", false, false },
        { "a pod without labels", "selector: {}", "", false, true },
        { "no labels, a key that must be absent",
          "selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}", "", false, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        char text[1000];
        snprintf(text, sizeof(text), PDB("default", "b", "%s", "") POD("p", "%s"),
                 cases[i].selector, cases[i].pod);
        struct mst_objects *o = objects_new(text);
        const struct mst_budget *b = &o->cluster.budgets->list.v[0];
        uint32_t pod = objects_row(o, "p");
        t_bool(t, mst_budget_covers(&o->cluster, b, pod, false), cases[i].upstream);
        t_bool(t, mst_budget_covers(&o->cluster, b, pod, true), cases[i].api);
        objects_free(o);
    }
}

static void test_others_are_not_covered(struct mst_test *t)
{
    struct mst_objects *o = objects_new(PDB("other", "b", "selector: {matchLabels: {app: x}}", "")
                                            PDB("default", "c", "selector: {matchLabels: {app: x}}",
                                                "disruptedPods: {p: '2026-01-01T00:00:00Z'}")
                                                POD("p", "app: x") POD("q", "app: x"));
    const struct mst_budget *b = o->cluster.budgets->list.v;
    t_text(t, b[0].name.p, "c");
    t_bool(t, mst_budget_covers(&o->cluster, &b[0], objects_row(o, "p"), true), false);
    t_bool(t, mst_budget_covers(&o->cluster, &b[0], objects_row(o, "q"), true), true);
    t_bool(t, mst_budget_covers(&o->cluster, &b[1], objects_row(o, "q"), true), false);
    objects_free(o);
}

MST_TEST_MAIN(T(test_order_and_life), T(test_nothing_to_remove), T(test_who_is_covered),
              T(test_others_are_not_covered))
