/*
 * test_pod_topology_spread_hint.c - which events wake a pod with DoNotSchedule constraints
 * (upstream's plugin_test.go, re-expressed).
 */
#include "domain_run.h"
#include "plugins/registry.h"
#include "tap.h"

#define POD(name, ns, labels, spec)                                                                \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", namespace: " ns                    \
    ", labels: {" labels "}}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define HARD(more)                                                                                 \
    "{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: "            \
    "{matchLabels: {app: web}}, " more "}, "
#define SPREAD(list) "topologySpreadConstraints: [" list "]"

/* clang-format off */
static const char cluster[] =
    "kind: Node\napiVersion: v1\nmetadata: {name: n1, labels: {zone: a}}\n"
    POD("w", "default", "app: web", SPREAD(HARD("")))
    POD("taints", "default", "app: web", SPREAD(HARD("nodeTaintsPolicy: Honor")))
    POD("soft", "default", "app: web",
        SPREAD("{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}"))
    POD("web", "default", "app: web", "nodeName: n1")
    POD("db", "default", "app: db", "nodeName: n1")
    POD("web", "other", "app: web", "nodeName: n1");
/* clang-format on */

static void test_hint_of_pods(struct mst_test *t)
{
    static const struct {
        const char *pod, *other;
        uint32_t action;
        mst_hint want;
    } cases[] = {
        { "w", "web", MST_ACT_ADD, MST_HINT_QUEUE },
        { "w", "web", MST_ACT_DELETE, MST_HINT_QUEUE },
        { "w", "db", MST_ACT_ADD, MST_HINT_SKIP },
        { "w", "db", MST_ACT_DELETE, MST_HINT_SKIP },
        { "w", "other/web", MST_ACT_DELETE, MST_HINT_SKIP },
        { "soft", "web", MST_ACT_DELETE, MST_HINT_SKIP },
    };
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].other);
        const struct mst_cluster_event event = { .resource = MST_ON_ASSIGNED_POD,
                                                 .actions = cases[i].action,
                                                 .pod = fixture_pod(f, cases[i].other) };
        t_int(t, fixture_hint(f, &p, cases[i].pod, &event), cases[i].want);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_hint_of_new_labels_and_tolerations(struct mst_test *t)
{
    static const struct {
        const char *pod, *from, *to;
        mst_event_resource resource;
        uint32_t action;
        mst_hint want;
    } cases[] = {
        { "w", "web", "db", MST_ON_ASSIGNED_POD, MST_ACT_UPDATE_POD_LABEL, MST_HINT_QUEUE },
        { "w", "db", "web", MST_ON_ASSIGNED_POD, MST_ACT_UPDATE_POD_LABEL, MST_HINT_QUEUE },
        { "w", "db", "db", MST_ON_ASSIGNED_POD, MST_ACT_UPDATE_POD_LABEL, MST_HINT_SKIP },
        { "w", "web", "db", MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, MST_HINT_QUEUE },
        { "w", "db", "db", MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, MST_HINT_SKIP },
        { "w", "db", "db", MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_TOLERATION, MST_HINT_SKIP },
        { "taints", "db", "db", MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_TOLERATION, MST_HINT_QUEUE },
    };
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        const struct mst_cluster_event event = {
            .resource = cases[i].resource,
            .actions = cases[i].action,
            .pod = fixture_pod(f, "web"),
            .old_labels = f->cluster.pods.v[fixture_pod(f, cases[i].from)].labels,
            .new_labels = f->cluster.pods.v[fixture_pod(f, cases[i].to)].labels,
        };
        t_int(t, fixture_hint(f, &p, cases[i].pod, &event), cases[i].want);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

#define NODE(labels, spec)                                                                         \
    "kind: Node\napiVersion: v1\nmetadata: {name: x, labels: {" labels "}}\nspec: {" spec "}\n"
#define TAINT "taints: [{key: t, effect: NoSchedule}]"

static void test_hint_of_nodes(struct mst_test *t)
{
    static const struct {
        const char *from, *to; /* from NULL: added */
        mst_hint want;
    } cases[] = {
        { NULL, NODE("zone: a", ""), MST_HINT_QUEUE },
        { NULL, NODE("rack: a", ""), MST_HINT_SKIP },
        { NODE("rack: a", ""), NODE("zone: a", ""), MST_HINT_QUEUE },
        { NODE("zone: a", ""), NODE("rack: a", ""), MST_HINT_QUEUE },
        { NODE("zone: a", ""), NODE("zone: b", ""), MST_HINT_QUEUE },
        { NODE("zone: a", ""), NODE("zone: a, rack: b", ""), MST_HINT_SKIP },
        { NODE("zone: a", ""), NODE("zone: a", TAINT), MST_HINT_QUEUE },
        { NODE("zone: a", TAINT), NODE("zone: a", TAINT), MST_HINT_SKIP },
        { NODE("rack: a", ""), NODE("rack: a", TAINT), MST_HINT_SKIP },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
        if (cases[i].from)
            fixture_apply(f, cases[i].from);
        t_int(t,
              fixture_node_hint(f, &p, "w", "x", cases[i].to,
                                cases[i].from ? MST_ACT_UPDATE_NODE_LABEL : MST_ACT_ADD),
              cases[i].want);
        struct mst_cluster_event gone = { .resource = MST_ON_NODE, .actions = MST_ACT_DELETE };
        gone.old_node = fixture_facts(f, "x");
        t_int(t, fixture_hint(f, &p, "w", &gone),
              strstr(cases[i].to, "zone") ? MST_HINT_QUEUE : MST_HINT_SKIP);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

MST_TEST_MAIN(T(test_hint_of_pods), T(test_hint_of_new_labels_and_tolerations),
              T(test_hint_of_nodes))
