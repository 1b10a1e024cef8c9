/* NodeDeclaredFeatures: what a pod needs of a kubelet, and who declares it. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, features)                                                                       \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name                                      \
    "}\nstatus: {declaredFeatures: [" features "]}\n"
#define POD(name, spec, container)                                                                 \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name "}\nspec: {" spec                     \
    "containers: [{name: c, image: i" container "}]}\n"
#define NO "UaU: node(s) didn't match Pod's required features"

/* clang-format off */
static const char cluster[] =
    NODE("all", "Other, RestartAllContainersOnContainerExits, UserNamespacesHostNetworkSupport")
    NODE("restart", "RestartAllContainersOnContainerExits") NODE("none", "")
    POD("plain", "", "") POD("host", "hostNetwork: true, hostUsers: false, ", "")
    POD("host-users", "hostNetwork: true, hostUsers: true, ", "")
    POD("restart", "", ", restartPolicy: Never, restartPolicyRules: [{"
        "action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}]")
    POD("both", "hostNetwork: true, hostUsers: false, ", ", restartPolicy: Never, "
        "restartPolicyRules: [{action: RestartAllContainers, "
        "exitCodes: {operator: In, values: [1]}}]");
/* clang-format on */

static const struct {
    const char *pod, *all, *restart, *none;
} cases[] = {
    { "plain", "Skip", "Skip", "Skip" }, { "host-users", "Skip", "Skip", "Skip" },
    { "host", "Success", NO, NO },       { "restart", "Success", "Success", NO },
    { "both", "Success", NO, NO },
};

static void test_features_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_declared_features, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "all"), cases[i].all);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "restart"), cases[i].restart);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "none"), cases[i].none);
    }
    fixture_free(f);
}

static void test_features_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_declared_features, NULL);
    const uint32_t changed = MST_ACT_UPDATE_NODE_DECLARED_FEATURE;
    t_int(t, fixture_node_hint(f, &p, "host", "none", NODE("none", "Other"), changed),
          MST_HINT_QUEUE);
    t_int(t, fixture_node_hint(f, &p, "host", "none", NODE("none", "Other"), changed),
          MST_HINT_SKIP);
    t_int(t, fixture_node_hint(f, &p, "host", "new", NODE("new", ""), MST_ACT_ADD), MST_HINT_QUEUE);
    struct mst_cluster_event e = { .resource = MST_ON_TARGET_POD, .actions = MST_ACT_UPDATE };
    e.old_features = MST_FEATURE_USERNS_HOST_NET;
    t_int(t, fixture_hint(f, &p, "host", &e), MST_HINT_SKIP);
    e.old_features |= MST_FEATURE_BIND_MOUNT;
    t_int(t, fixture_hint(f, &p, "host", &e), MST_HINT_QUEUE);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_features_verdicts), T(test_features_hints))
