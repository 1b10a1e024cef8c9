/*
 * test_inter_pod_affinity_hint.c - which events wake a pod with (anti-)affinity (upstream's
 * plugin_test.go, re-expressed).
 */
#include "domain_run.h"
#include "plugins/registry.h"
#include "tap.h"

#define POD(name, ns, labels, spec)                                                                \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", namespace: " ns                    \
    ", labels: {" labels "}}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define TERMS(kind, labels, more)                                                                  \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "  \
    "labelSelector: {matchLabels: {" labels "}}" more "}]}}"

/* clang-format off */
static const char cluster[] =
    "kind: Node\napiVersion: v1\nmetadata: {name: n1, labels: {zone: a}}\n"
    "---\nkind: Namespace\napiVersion: v1\nmetadata: {name: other, labels: {team: blue}}\n"
    POD("plain", "default", "app: x", "")
    POD("likes", "default", "app: x", TERMS("podAffinity", "app: web", ""))
    POD("hates", "default", "app: x", TERMS("podAntiAffinity", "app: web", ""))
    POD("blues", "default", "app: x",
        TERMS("podAffinity", "app: web", ", namespaceSelector: {matchLabels: {team: blue}}"))
    POD("lonely", "default", "app: x",
        TERMS("podAntiAffinity", "app: web", ", namespaceSelector: {matchLabels: {team: blue}}"))
    POD("web", "default", "app: web", "nodeName: n1")
    POD("db", "default", "app: db", "nodeName: n1")
    POD("hater", "default", "app: db", "nodeName: n1, " TERMS("podAntiAffinity", "app: x", ""))
    POD("blueweb", "other", "app: web", "nodeName: n1")
    POD("lostweb", "lost", "app: web", "nodeName: n1");
/* clang-format on */

enum { ADD = MST_ACT_ADD, DELETE = MST_ACT_DELETE };
static const struct {
    const char *pod, *other;
    uint32_t action;
    mst_hint upstream, muster;
} pod_cases[] = {
    { "plain", "web", ADD, MST_HINT_SKIP, MST_HINT_SKIP },
    { "likes", "web", ADD, MST_HINT_QUEUE, MST_HINT_QUEUE },
    { "likes", "db", ADD, MST_HINT_SKIP, MST_HINT_SKIP },
    { "likes", "blueweb", ADD, MST_HINT_SKIP, MST_HINT_SKIP },
    { "likes", "web", DELETE, MST_HINT_SKIP, MST_HINT_SKIP },
    { "hates", "web", ADD, MST_HINT_SKIP, MST_HINT_SKIP },
    { "hates", "web", DELETE, MST_HINT_QUEUE, MST_HINT_QUEUE },
    { "hates", "db", DELETE, MST_HINT_SKIP, MST_HINT_SKIP },
    { "plain", "hater", DELETE, MST_HINT_QUEUE, MST_HINT_QUEUE },
    { "plain", "hater", ADD, MST_HINT_SKIP, MST_HINT_SKIP },
    { "blues", "blueweb", ADD, MST_HINT_SKIP, MST_HINT_QUEUE }, /* labels of the namespace */
    { "blues", "web", ADD, MST_HINT_SKIP, MST_HINT_QUEUE },     /* no object: not known */
    { "blues", "lostweb", ADD, MST_HINT_SKIP, MST_HINT_QUEUE },
    { "lonely", "blueweb", DELETE, MST_HINT_SKIP, MST_HINT_QUEUE },
    { "lonely", "lostweb", DELETE, MST_HINT_SKIP, MST_HINT_QUEUE },
};

static void test_hint_of_pods_that_come_and_go(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    for (size_t i = 0; i < MST_COUNT(pod_cases); i++) {
        t_case(t, mst_arena_printf(&f->arena, "%s, %s", pod_cases[i].pod, pod_cases[i].other).p);
        const struct mst_cluster_event event = {
            .resource = MST_ON_ASSIGNED_POD,
            .actions = pod_cases[i].action,
            .pod =
                fixture_pod(f, strcmp(pod_cases[i].other, "blueweb") == 0   ? "other/blueweb"
                               : strcmp(pod_cases[i].other, "lostweb") == 0 ? "lost/lostweb"
                                                                            : pod_cases[i].other),
        };
        f->view.upstream = true;
        t_int(t, fixture_hint(f, &p, pod_cases[i].pod, &event), pod_cases[i].upstream);
        f->view.upstream = false;
        t_int(t, fixture_hint(f, &p, pod_cases[i].pod, &event), pod_cases[i].muster);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_hint_of_new_labels(struct mst_test *t)
{
    static const struct {
        const char *pod, *from, *to;
        mst_hint want;
    } label_cases[] = {
        { "likes", "db", "web", MST_HINT_QUEUE }, { "likes", "web", "db", MST_HINT_SKIP },
        { "likes", "web", "web", MST_HINT_SKIP }, { "hates", "web", "db", MST_HINT_QUEUE },
        { "hates", "db", "web", MST_HINT_SKIP },  { "plain", "db", "web", MST_HINT_SKIP },
    };
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    for (size_t i = 0; i < MST_COUNT(label_cases); i++) {
        const struct mst_cluster_event event = {
            .resource = MST_ON_ASSIGNED_POD,
            .actions = MST_ACT_UPDATE_POD_LABEL,
            .pod = fixture_pod(f, "web"),
            .old_labels = f->cluster.pods.v[fixture_pod(f, label_cases[i].from)].labels,
            .new_labels = f->cluster.pods.v[fixture_pod(f, label_cases[i].to)].labels,
        };
        t_int(t, fixture_hint(f, &p, label_cases[i].pod, &event), label_cases[i].want);
    }
    const struct mst_cluster_event own = { .resource = MST_ON_TARGET_POD,
                                           .actions = MST_ACT_UPDATE_POD_LABEL };
    t_int(t, fixture_hint(f, &p, "plain", &own), MST_HINT_QUEUE);
    fixture_plugin_done(&p);
    fixture_free(f);
}

#define NODE(labels) "kind: Node\napiVersion: v1\nmetadata: {name: x, labels: {" labels "}}\n"

static void test_hint_of_nodes(struct mst_test *t)
{
    static const struct {
        const char *pod, *from, *to; /* from NULL: added */
        mst_hint want;
    } node_cases[] = {
        { "likes", NULL, NODE("zone: a"), MST_HINT_QUEUE },
        { "likes", NULL, NODE("rack: a"), MST_HINT_SKIP },
        { "likes", NODE("rack: a"), NODE("zone: a"), MST_HINT_QUEUE },
        { "likes", NODE("zone: b"), NODE("zone: a"), MST_HINT_QUEUE },
        { "likes", NODE("zone: b"), NODE("zone: b, rack: c"), MST_HINT_SKIP },
        { "likes", NODE("zone: b"), NODE("rack: c"), MST_HINT_SKIP },
        { "hates", NULL, NODE("rack: a"), MST_HINT_QUEUE },
        { "hates", NODE("zone: b"), NODE("rack: c"), MST_HINT_QUEUE },
        { "hates", NODE("zone: b"), NODE("zone: c"), MST_HINT_QUEUE },
        { "hates", NODE("rack: b"), NODE("zone: c"), MST_HINT_SKIP },
        { "hates", NODE("zone: b"), NODE("zone: b, rack: c"), MST_HINT_SKIP },
        { "plain", NULL, NODE("zone: a"), MST_HINT_SKIP },
    };
    for (size_t i = 0; i < MST_COUNT(node_cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
        if (node_cases[i].from)
            fixture_apply(f, node_cases[i].from);
        t_case(t, node_cases[i].to);
        t_int(t,
              fixture_node_hint(f, &p, node_cases[i].pod, "x", node_cases[i].to,
                                node_cases[i].from ? MST_ACT_UPDATE_NODE_LABEL : MST_ACT_ADD),
              node_cases[i].want);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

MST_TEST_MAIN(T(test_hint_of_pods_that_come_and_go), T(test_hint_of_new_labels),
              T(test_hint_of_nodes))
