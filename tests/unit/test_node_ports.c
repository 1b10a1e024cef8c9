/* NodePorts: which host ports collide, and whose end frees one. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define POD(name, spec, ports)                                                                     \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name "}\nspec: {" spec                     \
    "containers: [{name: c, image: i, ports: [" ports "]}]}\n"
#define PORT "containerPort: 80, hostPort: "

/* clang-format off */
static const char cluster[] =
    "kind: Node\napiVersion: v1\nmetadata: {name: n1}\n---\n"
    "kind: Node\napiVersion: v1\nmetadata: {name: n2}\n"
    POD("any", "nodeName: n1, ", "{" PORT "8080}")
    POD("ip", "nodeName: n1, ", "{" PORT "9090, hostIP: 10.0.0.1, protocol: UDP}")
    POD("plain", "nodeName: n1, ", "")
    POD("none", "", "{containerPort: 8080}")
    POD("same", "", "{" PORT "8080}")
    POD("same-ip", "", "{" PORT "8080, hostIP: 10.0.0.9}")
    POD("udp", "", "{" PORT "8080, protocol: UDP}")
    POD("wild", "", "{" PORT "9090, protocol: UDP}")
    POD("other-ip", "", "{" PORT "9090, hostIP: 10.0.0.2, protocol: UDP}")
    POD("equal-ip", "", "{" PORT "9090, hostIP: 10.0.0.1, protocol: UDP}")
    POD("six", "", "{" PORT "9090, hostIP: '::', protocol: UDP}")
    POD("itself", "", "{" PORT "7000}, {" PORT "7000, hostIP: 10.0.0.1}")
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: sidecar}\nspec: {initContainers: [{name: s, "
    "image: i, restartPolicy: Always, ports: [{" PORT "8080}]}], containers: [{name: c, image: "
    "i}]}\n"
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: init}\nspec: {initContainers: [{name: s, "
    "image: i, ports: [{" PORT "8080}]}], containers: [{name: c, image: i}]}\n";
/* clang-format on */

#define TAKEN "U: node(s) didn't have free ports for the requested pod ports"
static const struct {
    const char *pod, *n1;
} cases[] = {
    { "none", "Skip" },      { "same", TAKEN },         { "same-ip", TAKEN },  { "udp", "Success" },
    { "wild", TAKEN },       { "other-ip", "Success" }, { "equal-ip", TAKEN }, { "six", "Success" },
    { "itself", "Success" }, { "sidecar", TAKEN },      { "init", "Skip" },
};

static void test_ports_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_ports, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "n1"), cases[i].n1);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "n2"),
              strcmp(cases[i].n1, "Skip") == 0 ? "Skip" : "Success");
    }
    fixture_free(f);
}

static void test_ports_of_a_tentative_pod_count(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_ports, NULL);
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_place(&f->cluster, fixture_pod(f, "itself"), fixture_node(f, "n2"));
    t_str(t, fixture_verdict(f, &p, "itself", "n2"), TAKEN);
    mst_txn_rollback(&f->cluster, mark);
    t_str(t, fixture_verdict(f, &p, "itself", "n2"), "Success");
    fixture_free(f);
}

static void test_ports_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_ports, NULL);
    struct mst_cluster_event e = { .resource = MST_ON_ASSIGNED_POD, .actions = MST_ACT_DELETE };
    e.pod = fixture_pod(f, "any");
    t_int(t, fixture_hint(f, &p, "same", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "wild", &e), MST_HINT_SKIP);
    e.pod = fixture_pod(f, "plain");
    t_int(t, fixture_hint(f, &p, "same", &e), MST_HINT_SKIP);
    e.pod = fixture_pod(f, "sidecar"); /* gives up a promised seat: the event says so */
    t_int(t, fixture_hint(f, &p, "same", &e), MST_HINT_QUEUE);
    const struct mst_cluster_event added = { .resource = MST_ON_NODE, .actions = MST_ACT_ADD };
    t_int(t, fixture_hint(f, &p, "same", &added), MST_HINT_QUEUE);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_ports_verdicts), T(test_ports_of_a_tentative_pod_count), T(test_ports_hints))
