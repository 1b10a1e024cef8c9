/* NodeUnschedulable: cordoned nodes, the toleration that goes with them, hints. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, cordoned)                                                                       \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nspec: {unschedulable: " cordoned \
    "}\n"
#define POD(name, tolerations)                                                                     \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name                                       \
    "}\nspec: {containers: [{name: c, image: i}], tolerations: [" tolerations "]}\n"
#define KEY "key: node.kubernetes.io/unschedulable"

/* clang-format off */
static const char cluster[] =
    NODE("open", "false")
    NODE("shut", "true")
    POD("none", "")
    POD("all", "{operator: Exists}")
    POD("key", "{" KEY ", operator: Exists, effect: NoSchedule}")
    POD("empty", "{" KEY "}")
    POD("exec", "{" KEY ", operator: Exists, effect: NoExecute}");
/* clang-format on */

static void test_unschedulable_verdicts(struct mst_test *t)
{
    static const struct {
        const char *pod, *node, *verdict;
    } cases[] = {
        { "none", "open", "Success" },  { "none", "shut", "UaU: node(s) were unschedulable" },
        { "all", "shut", "Success" },   { "key", "shut", "Success" },
        { "empty", "shut", "Success" }, { "exec", "shut", "UaU: node(s) were unschedulable" },
    };
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_unschedulable, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, cases[i].node), cases[i].verdict);
    }
    fixture_free(f);
}

static void test_unschedulable_hints(struct mst_test *t)
{
    static const struct {
        const char *name, *node, *yaml;
        uint32_t action;
        mst_hint hint;
    } cases[] = {
        { "new and open", "x", NODE("x", "false"), MST_ACT_ADD, MST_HINT_QUEUE },
        { "new and shut", "x", NODE("x", "true"), MST_ACT_ADD, MST_HINT_SKIP },
        { "opened", "shut", NODE("shut", "false"), MST_ACT_UPDATE_NODE_TAINT, MST_HINT_QUEUE },
        { "was open", "open", NODE("open", "false"), MST_ACT_UPDATE_NODE_TAINT, MST_HINT_SKIP },
        { "shut now", "open", NODE("open", "true"), MST_ACT_UPDATE_NODE_TAINT, MST_HINT_SKIP },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_unschedulable, NULL);
        t_case(t, cases[i].name);
        t_int(t, fixture_node_hint(f, &p, "none", cases[i].node, cases[i].yaml, cases[i].action),
              cases[i].hint);
        fixture_free(f);
    }
}

static void test_unschedulable_toleration_hint(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_unschedulable, NULL);
    const struct mst_cluster_event e = { .resource = MST_ON_TARGET_POD,
                                         .actions = MST_ACT_UPDATE_POD_TOLERATION };
    t_int(t, fixture_hint(f, &p, "key", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "exec", &e), MST_HINT_SKIP);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_unschedulable_verdicts), T(test_unschedulable_hints),
              T(test_unschedulable_toleration_hint))
