/* TaintToleration: what is tolerated, counts, taint sets that appear later, hints. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, taints)                                                                         \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nspec: {taints: [" taints "]}\n"
#define POD(name, tolerations)                                                                     \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name                                       \
    "}\nspec: {containers: [{name: c, image: i}], tolerations: [" tolerations "]}\n"
#define NO "effect: NoSchedule"
#define EXEC "effect: NoExecute"
#define PREFER "effect: PreferNoSchedule"

/* clang-format off */
static const char cluster[] =
    NODE("clean", "")
    NODE("hard", "{key: a, value: x, " NO "}")
    NODE("exec", "{key: a, value: x, " EXEC "}")
    NODE("soft", "{key: a, value: x, " PREFER "}")
    NODE("three", "{key: a, " PREFER "}, {key: b, " PREFER "}, {key: c, " PREFER "}, {key: d, " NO
                  "}")
    POD("none", "")
    POD("all", "{operator: Exists}")
    POD("key", "{key: a, operator: Exists}")
    POD("equal", "{key: a, value: x, " NO "}")
    POD("wrong", "{key: a, value: z}")
    POD("soft", "{key: b, operator: Exists, " PREFER "}, {key: c, operator: Exists, " NO "}");
/* clang-format on */

#define KEPT_AWAY "UaU: node(s) had untolerated taint(s)"
static const struct {
    const char *pod, *node, *verdict;
    int64_t count; /* PreferNoSchedule taints that bite */
} cases[] = {
    { "none", "clean", "Success", 0 }, { "none", "hard", KEPT_AWAY, 0 },
    { "none", "exec", KEPT_AWAY, 0 },  { "none", "soft", "Success", 1 },
    { "none", "three", KEPT_AWAY, 3 }, { "all", "three", "Success", 0 },
    { "key", "hard", "Success", 0 },   { "key", "exec", "Success", 0 },
    { "key", "soft", "Success", 0 },   { "equal", "hard", "Success", 0 },
    { "equal", "exec", KEPT_AWAY, 0 }, { "equal", "soft", "Success", 1 },
    { "wrong", "hard", KEPT_AWAY, 0 }, { "wrong", "soft", "Success", 1 },
    { "soft", "three", KEPT_AWAY, 2 }, /* a toleration for NoSchedule is no help here */
};

static void test_taint_verdicts_and_counts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_taint_toleration, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, cases[i].node), cases[i].verdict);
        t_int(t, fixture_score(f, &p, cases[i].pod, cases[i].node), cases[i].count);
    }
    fixture_free(f);
}

static void test_taint_uniform_until_a_taint_bites(struct mst_test *t)
{
    struct mst_fixture *f =
        fixture_new(NODE("clean", "") NODE("hard", "{key: a, " NO "}") POD("none", ""));
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_taint_toleration, NULL);
    struct mst_pre_score pre;
    (void)fixture_scores(f, &p, "none", &pre);
    t_bool(t, pre.uniform, true);
    fixture_apply(f, NODE("soft", "{key: b, " PREFER "}"));
    (void)fixture_scores(f, &p, "none", &pre);
    t_bool(t, pre.uniform, false);
    fixture_free(f);
}

/* A state made before a taint set was seen judges it all the same, be they few or many. */
static void judge_later_sets(struct mst_test *t, uint32_t set_count)
{
    struct mst_fixture *f = fixture_new(NODE("clean", "") POD("none", ""));
    const struct mst_plugin *p = &mst_plugin_taint_toleration;
    struct mst_pre_filter pre = { 0 };
    struct mst_pre_score score = { 0 };
    mst_verdict verdict[80] = { 0 };
    int64_t raw[80];
    p->pre_filter(&f->view, NULL, fixture_class(f, "none"), &f->arena, &pre);
    p->pre_score(&f->view, NULL, fixture_class(f, "none"), &f->arena, &score);
    for (uint32_t i = 0; i < set_count; i++) {
        const struct mst_str yaml = mst_arena_printf(
            &f->arena,
            "kind: Node\napiVersion: v1\nmetadata: {name: t%u}\nspec: {taints: [{key: k%u, "
            "effect: %s}]}\n",
            i, i, i % 2 ? "NoSchedule" : "PreferNoSchedule");
        fixture_apply(f, yaml.p);
    }
    const uint32_t n = f->cluster.nodes.count;
    p->filter(&f->view, NULL, pre.state, 0, n, FIXTURE_REJECT, verdict);
    p->score(&f->view, NULL, score.state, 0, n, raw);
    for (uint32_t i = 0; i < set_count; i++) {
        const uint32_t row = fixture_node(f, mst_arena_printf(&f->arena, "t%u", i).p);
        t_bool(t, verdict[row] != 0, i % 2);
        t_int(t, raw[row], i % 2 ? 0 : 1);
    }
    t_int(t, verdict[fixture_node(f, "clean")], 0);
    t_int(t, raw[fixture_node(f, "clean")], 0);
    fixture_free(f);
}

static void test_taint_sets_that_come_later(struct mst_test *t)
{
    for (uint32_t set_count = 29; set_count <= 35; set_count++) /* around a word of bits */
        judge_later_sets(t, set_count);
    judge_later_sets(t, 79);
}

static void test_taint_hints(struct mst_test *t)
{
    static const struct {
        const char *name, *node, *yaml;
        uint32_t action;
        mst_hint hint;
    } hints[] = {
        { "new and clean", "x", NODE("x", ""), MST_ACT_ADD, MST_HINT_QUEUE },
        { "new and tainted", "x", NODE("x", "{key: z, " NO "}"), MST_ACT_ADD, MST_HINT_SKIP },
        { "taint gone", "hard", NODE("hard", ""), MST_ACT_UPDATE_NODE_TAINT, MST_HINT_QUEUE },
        { "another taint", "hard", NODE("hard", "{key: z, " NO "}"), MST_ACT_UPDATE_NODE_TAINT,
          MST_HINT_SKIP },
        { "was fine before", "soft", NODE("soft", ""), MST_ACT_UPDATE_NODE_TAINT, MST_HINT_SKIP },
    };
    for (size_t i = 0; i < MST_COUNT(hints); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_taint_toleration, NULL);
        t_case(t, hints[i].name);
        t_int(t, fixture_node_hint(f, &p, "none", hints[i].node, hints[i].yaml, hints[i].action),
              hints[i].hint);
        const struct mst_cluster_event own = { .resource = MST_ON_TARGET_POD,
                                               .actions = MST_ACT_UPDATE_POD_TOLERATION };
        t_int(t, fixture_hint(f, &p, "none", &own), MST_HINT_QUEUE);
        fixture_free(f);
    }
}

MST_TEST_MAIN(T(test_taint_verdicts_and_counts), T(test_taint_uniform_until_a_taint_bites),
              T(test_taint_sets_that_come_later), T(test_taint_hints))
