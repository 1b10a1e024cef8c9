/* NodeAffinity: required, preferred and enforced terms, restriction by name, hints. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, labels)                                                                         \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define POD(name, spec)                                                                            \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name                                       \
    "}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define REQUIRED(terms)                                                                            \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "                   \
    "{nodeSelectorTerms: [" terms "]}}}"
#define PREFERRED(terms)                                                                           \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}}"
#define EXPR(text) "{matchExpressions: [{" text "}]}"
#define FIELDS(text) "{matchFields: [{key: metadata.name, " text "}]}"

/* clang-format off */
static const char cluster[] =
    NODE("n1", "zone: a, disk: ssd, gen: '7'")
    NODE("n2", "zone: b, gen: '10'")
    NODE("n3", "gen: x, empty: ''")
    POD("free", "tolerations: []")
    POD("selector", "nodeSelector: {zone: a, disk: ssd}")
    POD("empty-selector", "nodeSelector: {}")
    POD("in", REQUIRED(EXPR("key: zone, operator: In, values: [b, c]")))
    POD("notin", REQUIRED(EXPR("key: zone, operator: NotIn, values: [a]")))
    POD("exists", REQUIRED(EXPR("key: empty, operator: Exists")))
    POD("absent", REQUIRED(EXPR("key: disk, operator: DoesNotExist")))
    POD("gt", REQUIRED(EXPR("key: gen, operator: Gt, values: ['7']")))
    POD("lt", REQUIRED(EXPR("key: gen, operator: Lt, values: ['10']")))
    POD("or", REQUIRED(EXPR("key: zone, operator: In, values: [a]") ", "
                       EXPR("key: empty, operator: Exists")))
    POD("and", REQUIRED("{matchExpressions: [{key: zone, operator: Exists}, {key: gen, operator: "
                        "In, values: ['10']}]}"))
    POD("no-terms", REQUIRED(""))
    POD("empty-term", REQUIRED("{}"))
    POD("bad-term", REQUIRED(EXPR("key: zone, operator: Near") ", "
                             EXPR("key: zone, operator: In, values: [b]")))
    POD("both", "nodeSelector: {zone: b}, " REQUIRED(EXPR("key: gen, operator: Exists")))
    POD("name", REQUIRED(FIELDS("operator: In, values: [n2]")))
    POD("not-name", REQUIRED(FIELDS("operator: NotIn, values: [n2]")))
    POD("two-names", REQUIRED(FIELDS("operator: In, values: [n2, n1]")))
    POD("names-or", REQUIRED(FIELDS("operator: In, values: [n2]") ", "
                             FIELDS("operator: In, values: [n3]")))
    POD("names-or-any", REQUIRED(FIELDS("operator: In, values: [n2]") ", "
                                 EXPR("key: zone, operator: Exists")))
    POD("conflict", REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: [n1]}, "
                             "{key: metadata.name, operator: In, values: [n2]}]}"))
    POD("same-name-twice", REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: "
                                    "[n2]}, {key: metadata.name, operator: In, values: [n2]}]}"))
    POD("common-name", REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: [n2, "
                                "n3]}, {key: metadata.name, operator: In, values: [n1, n3]}]}"))
    POD("likes", PREFERRED("{weight: 3, preference: " EXPR("key: zone, operator: In, values: [a]")
                           "}, {weight: 5, preference: " EXPR("key: gen, operator: Exists")
                           "}, {weight: 9, preference: {}}"))
    POD("likes-nothing", PREFERRED(""))
    POD("likes-badly", PREFERRED("{weight: 1, preference: " EXPR("key: zone, operator: Near") "}"));
/* clang-format on */

#define POD_NO "UaU: node(s) didn't match Pod's node affinity/selector"
#define OK "Success"
static const struct {
    const char *pod, *n1, *n2, *n3;
} verdicts[] = {
    { "free", "Skip", "Skip", "Skip" },
    { "selector", OK, POD_NO, POD_NO },
    { "empty-selector", OK, OK, OK },
    { "in", POD_NO, OK, POD_NO },
    { "notin", POD_NO, OK, OK },
    { "exists", POD_NO, POD_NO, OK },
    { "absent", POD_NO, OK, OK },
    { "gt", POD_NO, OK, POD_NO }, /* a label that is no number never matches */
    { "lt", OK, POD_NO, POD_NO },
    { "or", OK, POD_NO, OK },
    { "and", POD_NO, OK, POD_NO },
    { "no-terms", POD_NO, POD_NO, POD_NO },
    { "empty-term", POD_NO, POD_NO, POD_NO },
    { "bad-term", POD_NO, OK, POD_NO },
    { "both", POD_NO, OK, POD_NO },
    { "name", POD_NO, OK, POD_NO },
    { "not-name", OK, POD_NO, OK },
    { "same-name-twice", POD_NO, OK, POD_NO },
    { "common-name", POD_NO, POD_NO, POD_NO }, /* restricts to n3 and does not match it */
    { "two-names", POD_NO, POD_NO, POD_NO },   /* restricts to both and matches neither */
    { "names-or", POD_NO, OK, OK },
    { "conflict", "PreFilter UaU: pod affinity terms conflict",
      "PreFilter UaU: pod affinity terms conflict", "PreFilter UaU: pod affinity terms conflict" },
};

static void test_affinity_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, NULL);
    for (size_t i = 0; i < MST_COUNT(verdicts); i++) {
        t_case(t, verdicts[i].pod);
        t_str(t, fixture_verdict(f, &p, verdicts[i].pod, "n1"), verdicts[i].n1);
        t_str(t, fixture_verdict(f, &p, verdicts[i].pod, "n2"), verdicts[i].n2);
        t_str(t, fixture_verdict(f, &p, verdicts[i].pod, "n3"), verdicts[i].n3);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_affinity_restricts_names(struct mst_test *t)
{
    static const struct {
        const char *pod, *names; /* NULL: any */
    } cases[] = {
        { "selector", NULL }, { "name", "n2 " },        { "two-names", "n1 n2 " },
        { "not-name", NULL }, { "names-or", "n2 n3 " }, { "names-or-any", NULL },
        { "no-terms", NULL }, { "common-name", "n3 " }, { "same-name-twice", "n2 " },
    };
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_pre_filter pre;
        struct mst_str names = MST_STR("");
        (void)fixture_filter(f, &p, cases[i].pod, &pre);
        t_case(t, cases[i].pod);
        t_int(t, pre.code, MST_SUCCESS);
        t_bool(t, pre.restrict_names, cases[i].names != NULL);
        for (uint32_t row = 0; row < f->cluster.nodes.count; row++)
            for (uint32_t k = 0; pre.restrict_names && k < pre.names.n; k++)
                if (f->cluster.nodes.name[row] == pre.names.v[k])
                    names = mst_arena_printf(&f->arena, "%.*s%.*s ", MST_ARG(names),
                                             MST_ARG(mst_sym_str(f->syms, pre.names.v[k])));
        t_str(t, names, cases[i].names ? cases[i].names : "");
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_affinity_scores(struct mst_test *t)
{
    static const struct {
        const char *args, *pod;
        int64_t n1, n2, n3;
    } cases[] = {
        { NULL, "likes", 8, 5, 5 },
        { NULL, "free", FIXTURE_SKIPPED, FIXTURE_SKIPPED, FIXTURE_SKIPPED },
        { NULL, "likes-nothing", 0, 0, 0 },
        { NULL, "likes-badly", FIXTURE_FAILED, FIXTURE_FAILED, FIXTURE_FAILED },
        { "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, "
          "preference: "
          "{matchExpressions: [{key: zone, operator: Exists}]}}]}}",
          "likes", 15, 12, 5 },
        { "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, "
          "preference: "
          "{matchExpressions: [{key: zone, operator: Exists}]}}]}}",
          "free", 7, 7, 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, cases[i].args);
        t_case(t, cases[i].pod);
        t_int(t, fixture_score(f, &p, cases[i].pod, "n1"), cases[i].n1);
        t_int(t, fixture_score(f, &p, cases[i].pod, "n2"), cases[i].n2);
        t_int(t, fixture_score(f, &p, cases[i].pod, "n3"), cases[i].n3);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

#define ADDED_ZONE_B                                                                               \
    "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "        \
    "[{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}}"

static void test_affinity_enforced_terms_come_first(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, ADDED_ZONE_B);
    t_str(t, fixture_verdict(f, &p, "free", "n1"),
          "UaU: node(s) didn't match scheduler-enforced node affinity");
    t_str(t, fixture_verdict(f, &p, "free", "n2"), OK);
    t_str(t, fixture_verdict(f, &p, "in", "n3"),
          "UaU: node(s) didn't match scheduler-enforced node affinity");
    t_str(t, fixture_verdict(f, &p, "selector", "n2"), POD_NO);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_affinity_hints(struct mst_test *t)
{
    static const struct {
        const char *name, *args, *pod, *node, *yaml;
        uint32_t action;
        mst_hint hint;
    } cases[] = {
        { "new and right", NULL, "in", "x", NODE("x", "zone: b"), MST_ACT_ADD, MST_HINT_QUEUE },
        { "new and wrong", NULL, "in", "x", NODE("x", "zone: a"), MST_ACT_ADD, MST_HINT_SKIP },
        { "now right", NULL, "in", "n1", NODE("n1", "zone: b"), MST_ACT_UPDATE_NODE_LABEL,
          MST_HINT_QUEUE },
        { "right before", NULL, "in", "n2", NODE("n2", "zone: c"), MST_ACT_UPDATE_NODE_LABEL,
          MST_HINT_SKIP },
        { "selector now right", NULL, "selector", "n2", NODE("n2", "zone: a, disk: ssd"),
          MST_ACT_UPDATE_NODE_LABEL, MST_HINT_QUEUE },
        { "enforced terms fail", ADDED_ZONE_B, "selector", "n2", NODE("n2", "zone: a, disk: ssd"),
          MST_ACT_UPDATE_NODE_LABEL, MST_HINT_SKIP },
        { "enforced terms hold", ADDED_ZONE_B, "in", "n1", NODE("n1", "zone: b"),
          MST_ACT_UPDATE_NODE_LABEL, MST_HINT_QUEUE },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, cases[i].args);
        t_case(t, cases[i].name);
        t_int(t,
              fixture_node_hint(f, &p, cases[i].pod, cases[i].node, cases[i].yaml, cases[i].action),
              cases[i].hint);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* Nodes and label keys that come after the state was made. */
static void test_affinity_nodes_that_come_later(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(
        NODE("n1", "zone: a") POD("in", REQUIRED(EXPR("key: zone, operator: In, values: [b]"))));
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_affinity, NULL);
    struct mst_pre_filter pre = { 0 };
    mst_verdict verdict[100] = { 0 };
    p.plugin->pre_filter(&f->view, p.instance, fixture_class(f, "in"), &f->arena, &pre);
    for (uint32_t i = 0; i < 90; i++)
        fixture_apply(f, mst_arena_printf(&f->arena,
                                          "kind: Node\napiVersion: v1\nmetadata: {name: "
                                          "m%u, labels: {zone: %s}}\n",
                                          i, i % 3 ? "a" : "b")
                             .p);
    const uint32_t n = f->cluster.nodes.count;
    p.plugin->filter(&f->view, p.instance, pre.state, 0, n, FIXTURE_REJECT, verdict);
    for (uint32_t i = 0; i < 90; i++)
        t_bool(t, verdict[fixture_node(f, mst_arena_printf(&f->arena, "m%u", i).p)] == 0,
               i % 3 == 0);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_affinity_bad_args_are_errors(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_err err = { 0 };
    const struct fixture_plugin p = fixture_plugin_try(
        f, &mst_plugin_node_affinity,
        "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: zone, operator: In}]}]}}}",
        &err);
    t_ok(t, p.instance == NULL);
    t_ok(t, mst_str_has_prefix(mst_str_of(err.text),
                               "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                               "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: "));
    fixture_free(f);
}

MST_TEST_MAIN(T(test_affinity_verdicts), T(test_affinity_restricts_names), T(test_affinity_scores),
              T(test_affinity_enforced_terms_come_first), T(test_affinity_hints),
              T(test_affinity_nodes_that_come_later), T(test_affinity_bad_args_are_errors))
