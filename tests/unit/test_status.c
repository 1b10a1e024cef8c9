/* How groups and lone pods stand, counted from what the objects say. */
#include "cli/status.h"

#include "sim_fixture.h"

#define CONDITION(type, reason, message)                                                           \
    "status: {conditions: [{type: " type ", status: \"False\", reason: " reason                    \
    ", message: \"" message "\", lastTransitionTime: 2026-05-31T00:00:00Z}]}\n---\n"
#define GROUP_AT(ns, name, min, more)                                                              \
    "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"                                      \
    "metadata: {name: " name ", namespace: " ns ", creationTimestamp: 2026-05-31T21:00:00Z" more   \
    "}\nspec: {schedulingPolicy: {gang: {minCount: " min "}}}\n"
#define IN(ns, name, group, spec, status)                                                          \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: " ns "}\n"                   \
    "spec: {schedulingGroup: {podGroupName: " group "}, " spec                                     \
    "containers: [{name: main, image: i}]}\n" status "---\n"
#define ON(node) "nodeName: " node ", "
#define RUNS "status: {phase: Running}\n"
#define GATED "schedulingGates: [{name: x/y}], "

static void collect(struct fixture *f, struct mst_status_list *list, const char *ns,
                    const char *text)
{
    const struct mst_scope scope = { .all = !ns, .ns = mst_str_of(ns ? ns : "") };
    fixture_init(f, ".yaml", text);
    if (!f->loaded) {
        MST_AUTO(mst_buf) diags = { 0 };
        fixture_diags(f, &diags);
        fprintf(stderr, "%.*s", MST_ARG(mst_buf_span(&diags)));
    }
    mst_assert(f->loaded);
    *list = (struct mst_status_list){ 0 };
    mst_status_collect(list, &f->scenario, &scope);
}

static void test_status_words(struct mst_test *t)
{
    static const struct {
        const char *state, *message, *text;
    } cases[] = {
        { "Running", "",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", ON("n1"), RUNS)
              IN("a", "q", "g", ON("n2"), RUNS) },
        { "Scheduled", "",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", ON("n1"), RUNS)
              IN("a", "q", "g", ON("n2"), "") },
        { "Partial", "",
          GROUP_AT("a", "g", "1", "") "---\n" IN("a", "p", "g", ON("n1"), RUNS)
              IN("a", "q", "g", "", "") },
        { "Degraded", "",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", ON("n1"), RUNS)
              IN("a", "q", "g", "", "") },
        { "Degraded", "1 of at least 2 members are left",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", ON("n1"), RUNS) },
        { "Incomplete", "1 of at least 2 members are there",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", "", "") },
        { "Gated", "scheduling gates hold every member",
          GROUP_AT("a", "g", "2", "") "---\n" IN("a", "p", "g", GATED, "") },
        { "Pending", "not attempted yet",
          GROUP_AT("a", "g", "1", "") "---\n" IN("a", "p", "g", "", "") },
        { "Unschedulable", "no room",
          GROUP_AT("a", "g", "1", "") CONDITION("PodGroupInitiallyScheduled", "Unschedulable",
                                                "no room") IN("a", "p", "g", "", "") },
        { "Error", "oops",
          GROUP_AT("a", "g", "1", "") CONDITION("PodGroupInitiallyScheduled", "SchedulerError",
                                                "oops") IN("a", "p", "g", "", "") },
        /* Without a condition of the group the first waiting member's counts. */
        { "Unschedulable", "says the pod",
          GROUP_AT("a", "g", "1",
                   "") "---\n" IN("a", "p", "g", "",
                                  CONDITION("PodScheduled", "Unschedulable", "says the pod")) },
        { "Empty", "no pod names it", GROUP_AT("a", "g", "1", "") },
        { "Missing", "there is no PodGroup of this name", IN("a", "p", "g", "", "") },
        /* Members that ran to their end do not count. */
        { "Empty", "no pod names it",
          GROUP_AT("a", "g", "1", "") "---\n" IN("a", "p", "g", ON("n1"),
                                                 "status: {phase: Succeeded}\n") },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct fixture f;
        struct mst_status_list list;
        t_case(t, cases[i].state);
        collect(&f, &list, NULL, cases[i].text);
        t_int(t, list.groups.n, 1);
        t_text(t, list.groups.v[0].state, cases[i].state);
        t_str(t, list.groups.v[0].message.n ? list.groups.v[0].message : MST_STR(""),
              cases[i].message);
        mst_status_done(&list);
        fixture_done(&f);
    }
}

#define WORLD                                                                                      \
    GROUP_AT("b", "two", "2", "")                                                                  \
    "---\n" IN("b", "p1", "two", ON("n2"), RUNS) IN("b", "p2", "two", ON("n1"), "")                \
        IN("b", "p3", "two", ON("n2"), RUNS) IN("b", "p4", "two", "", "")                          \
            GROUP_AT("a", "one", "1", "") "---\n" IN("a", "q", "one", GATED, "")                   \
                POD("l1", "", "", "1") POD("l2", "", GATED, "1")                                   \
                    POD("l3", "", ON("n1"),                                                        \
                        "1") "apiVersion: v1\nkind: Pod\nmetadata: {name: l4, annotations: "       \
                             "{simulate.muster/arrive-at: 9s}}\n"                                  \
                             "spec: {containers: [{name: main, image: i}]}\n"

static void test_status_counts(struct mst_test *t)
{
    struct fixture f;
    struct mst_status_list list;
    collect(&f, &list, NULL, WORLD);
    t_int(t, list.groups.n, 2);
    t_str(t, list.groups.v[0].name, "one");
    const struct mst_group_status *two = &list.groups.v[1];
    t_str(t, two->ns, "b");
    t_int(t, two->members, 4);
    t_int(t, two->bound, 3);
    t_int(t, two->running, 2);
    t_int(t, two->pending, 1);
    t_int(t, two->nodes.n, 2);
    t_str(t, mst_sym_str(f.syms, two->nodes.v[0]), "n1");
    t_int(t, list.lone_gated, 1);
    t_int(t, list.lone_untried, 1); /* l4 is not there yet */
    t_int(t, list.lone_unschedulable, 0);
    t_int(t, list.pending, 4);
    mst_status_done(&list);
    fixture_done(&f);
    collect(&f, &list, "a", WORLD);
    t_int(t, list.groups.n, 1);
    t_int(t, list.pending, 1);
    mst_status_done(&list);
    fixture_done(&f);
}

static void test_status_prints(struct mst_test *t)
{
    struct fixture f;
    struct mst_status_list list;
    MST_AUTO(mst_buf) out = { 0 };
    collect(&f, &list, NULL, WORLD);
    mst_status_print(&list, MST_SIM_START_S, false, false, &out);
    t_str(t, mst_buf_span(&out),
          "NAMESPACE   NAME   POLICY   MIN   MEMBERS   BOUND   RUNNING   PENDING   STATE     AGE   "
          "MESSAGE\n"
          "a           one    gang       1         1       0         0         1   Gated      3h   "
          "scheduling gates hold every member\n"
          "b           two    gang       2         4       3         2         1   Partial    3h   "
          "-\n"
          "\n"
          "2 pods without a group wait for a node: 1 held by scheduling gates, 1 not attempted "
          "yet\n");
    out.n = 0;
    mst_status_print(&list, MST_SIM_START_S, true, false, &out);
    mst_buf_char(&out, 0);
    t_ok(t, strstr(out.p, "3h          0   -          n1,n2"));
    mst_status_done(&list);
    fixture_done(&f);
}

static void test_status_json(struct mst_test *t)
{
    struct fixture f;
    struct mst_status_list list;
    MST_AUTO(mst_buf) out = { 0 };
    collect(&f, &list, "a", WORLD);
    mst_status_json(&list, MST_SIM_START_S, &out);
    t_str(t, mst_buf_span(&out),
          "{\n  \"groups\": [\n    {\n      \"namespace\": \"a\",\n      \"name\": \"one\",\n"
          "      \"state\": \"Gated\",\n"
          "      \"message\": \"scheduling gates hold every member\",\n"
          "      \"policy\": \"gang\",\n      \"minCount\": 1,\n      \"priority\": 0,\n"
          "      \"ageSeconds\": 10800,\n      \"members\": 1,\n      \"bound\": 0,\n"
          "      \"running\": 0,\n      \"pending\": 1,\n      \"gated\": 1,\n"
          "      \"nodes\": []\n    }\n  ],\n"
          "  \"podsWithoutGroup\": {\n    \"unschedulable\": 0,\n    \"gated\": 0,\n"
          "    \"untried\": 0\n  },\n  \"pending\": 1\n}\n");
    mst_status_done(&list);
    fixture_done(&f);
}

MST_TEST_MAIN(T(test_status_words), T(test_status_counts), T(test_status_prints),
              T(test_status_json))
