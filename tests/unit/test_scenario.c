/* Manifests become documents: filled in, admitted, chained; errors never hide each other. */
#include "sim_fixture.h"

static void test_scenario_fills_in(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 NODE("n1", "4") POD("a", "", "", "1")
                     POD("b", "simulate.muster/arrive-at: 90s", "",
                         "1") "apiVersion: v1\nkind: Pod\nmetadata: {generateName: job-, uid: own, "
                              "creationTimestamp: 2020-01-01T00:00:00Z}\n"
                              "spec: {nodeName: n1, containers: [{name: main, image: i}]}\n");
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.n, 5); /* the namespace, too */
    const struct mst_meta *node = &f.scenario.docs.v[0].object.u.meta;
    const struct mst_meta *a = &f.scenario.docs.v[1].object.u.meta;
    const struct mst_meta *b = &f.scenario.docs.v[2].object.u.meta;
    const struct mst_pod *made = &f.scenario.docs.v[3].object.u.pod;
    t_str(t, node->uid, "node--n1");
    t_int(t, node->namespace_, MST_SYM_NONE);
    t_int(t, node->created.unix_s, 1767225600);
    t_str(t, a->uid, "pod-default-a");
    t_str(t, mst_sym_str(f.syms, a->namespace_), "default");
    t_int(t, a->created.unix_s, 1767225601);
    t_int(t, b->created.unix_s, MST_SIM_START_S + 90);
    t_str(t, made->meta.uid, "own");
    t_str(t, made->meta.name, "job-bbbbf");
    t_int(t, made->meta.created.unix_s, 1577836800);
    t_int(t, made->status.conditions.n, 1);
    t_str(t, made->status.conditions.v[0].status, "True");
    fixture_done(&f);
}

/* A namespace is there from the start, unless a document says when it comes. */
static void test_scenario_implies_namespaces(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 POD("a", "", "", "1")
                     POD("b", "", "",
                         "1") "apiVersion: v1\nkind: Pod\n"
                              "metadata: {name: c, namespace: late}\n"
                              "spec: {containers: [{name: main, image: i}]}\n---\n"
                              "apiVersion: v1\nkind: Namespace\nmetadata: {name: late, "
                              "annotations: {simulate.muster/arrive-at: 5s}}\n");
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.n, 5);
    const struct mst_scenario_doc *doc = &f.scenario.docs.v[4];
    t_ok(t, doc->implied && !f.scenario.docs.v[3].implied);
    t_str(t, doc->object.u.meta.name, "default");
    t_int(t, doc->object.kind, MST_KIND_NAMESPACE);
    t_int(t, doc->object.u.meta.labels.n, 1);
    t_str(t, mst_sym_str(f.syms, doc->object.u.meta.labels.v[0].value), "default");
    fixture_done(&f);
}

static void test_scenario_chains_updates(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 NODE("n1",
                      "4") "apiVersion: v1\nkind: Node\n"
                           "metadata: {name: n1, annotations: {simulate.muster/arrive-at: 5s}}\n"
                           "status: {allocatable: {cpu: \"8\"}}\n");
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.v[0].next, 1);
    t_ok(t, !f.scenario.docs.v[0].update);
    t_int(t, f.scenario.docs.v[1].next, UINT32_MAX);
    t_ok(t, f.scenario.docs.v[1].update);
    fixture_done(&f);
}

static void test_scenario_duplicates(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) said = { 0 };
    fixture_init(&f, ".yaml",
                 POD("a", "simulate.muster/arrive-at: 10s", "", "1")
                     POD("a", "simulate.muster/arrive-at: 9s", "", "1") POD("b", "", "", "1"));
    fixture_diags(&f, &said);
    mst_buf_char(&said, 0);
    t_ok(t, !f.loaded);
    t_int(t, f.diags.error_count, 1);
    t_ok(t,
         strstr(said.p, "FILE:6:1: error: Pod default/a: metadata.name: Duplicate value: \"a\"") !=
             NULL);
    t_ok(t, strstr(said.p, "with a time later than 10s") != NULL);
    fixture_done(&f);
}

static void test_scenario_same_name_elsewhere_is_fine(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 POD("a", "", "", "1")
                     NODE("a",
                          "1") "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: other}\n"
                               "spec: {containers: [{name: main, image: i}]}\n");
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.n, 5); /* and their namespaces */
    fixture_done(&f);
}

static void test_scenario_errors_do_not_hide_each_other(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) said = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priority: x}\n---\n"
                 "kind: [\n---\n" POD("b", "simulate.muster/run-for: soon", "", "-1")
                     POD("c", "", "", "1"));
    fixture_diags(&f, &said);
    mst_buf_char(&said, 0);
    t_ok(t, !f.loaded);
    t_ok(t, strstr(said.p, "FILE:4:") != NULL);
    t_ok(t, strstr(said.p, "spec.priority") != NULL);
    t_ok(t, strstr(said.p, "FILE:7:") != NULL || strstr(said.p, "FILE:6:") != NULL);
    t_ok(t, strstr(said.p, "simulate.muster/run-for") != NULL);
    t_ok(t, strstr(said.p, "must be greater than or equal to 0") != NULL);
    t_ok(t, strstr(said.p, "default/c") == NULL);
    fixture_done(&f);
}

static void test_scenario_json_errors_have_a_place(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) said = { 0 };
    fixture_init(&f, ".json", "{\n  \"kind\": }");
    fixture_diags(&f, &said);
    mst_buf_char(&said, 0);
    t_ok(t, !f.loaded);
    t_ok(t, strncmp(said.p, "FILE:2:11: error: ", 18) == 0);
    fixture_done(&f);
}

static void test_scenario_priority_classes(struct mst_test *t)
{
    static const char *const base =
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 7\n"
        "---\n" POD("a", "", "priorityClassName: high, ", "1");
    struct fixture f;
    fixture_init(&f, ".yaml", base);
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.v[1].object.u.pod.spec.priority.value, 7);
    fixture_done(&f);
    fixture_init(&f, ".yaml", POD("a", "", "priorityClassName: absent, ", "1"));
    t_ok(t, !f.loaded);
    fixture_done(&f);
    MST_AUTO(mst_buf) said = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: px}\n"
                 "value: 1\nglobalDefault: true\n---\n"
                 "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: py}\n"
                 "value: 1\nglobalDefault: true\n");
    fixture_diags(&f, &said);
    mst_buf_char(&said, 0);
    t_ok(t, strstr(said.p, "PriorityClass px is already marked as default") != NULL);
    fixture_done(&f);
}

#define STORED "uid: u1, resourceVersion: \"7\""

/* Objects of a server were admitted when they were made: by classes that may be gone. */
static void test_scenario_takes_stored_objects(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) text = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: a, " STORED "}\n"
                 "spec: {priorityClassName: gone, priority: 7, "
                 "containers: [{name: main, image: i}]}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: b, " STORED "}\n"
                 "spec: {containers: []}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: c, uid: u2}\n"
                 "spec: {priority: 7, containers: [{name: main, image: i}]}\n");
    fixture_diags(&f, &text);
    mst_buf_char(&text, 0);
    t_ok(t, !f.loaded);
    t_int(t, f.diags.error_count, 1); /* c was written by a person */
    t_ok(t, strstr(text.p, "error: Pod default/c: the integer value of priority"));
    t_ok(t, strstr(text.p, "warning: Pod default/b: spec.containers: Required value"));
    t_int(t, f.scenario.docs.v[0].object.u.pod.spec.priority.value, 7);
    t_int(t, f.scenario.docs.v[0].origin, MST_DOC_STORED);
    t_int(t, f.scenario.docs.v[2].origin, MST_DOC_WRITTEN);
    fixture_done(&f);
}

#define LISTED(items) "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[" items "]}"
#define LISTED_POD(name, more)                                                                     \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\",\"uid\":\"" name               \
    "\",\"annotations\":{\"simulate.muster/typo\":\"x\"}},\"spec\":{\"newer\":1,"                  \
    "\"containers\":[{\"name\":\"m\"" more "}]}}"

/* What a server lists is taken as it is; what cannot be read costs itself. */
static void test_scenario_takes_lists(struct mst_test *t)
{
    struct fixture f = { .syms = mst_syms_new() };
    MST_AUTO(mst_buf) text = { 0 };
    mst_gates_default(&f.config.gates, false);
    mst_files_add_served(&f.scenario.files, MST_STR("cluster/pods"),
                         MST_STR(LISTED(LISTED_POD("a", "") "," LISTED_POD("", "") "," LISTED_POD(
                             "b", ",\"image\":7"))));
    mst_files_add_served(&f.scenario.files, MST_STR("cluster/nodes"), MST_STR(LISTED("")));
    t_ok(t, mst_scenario_load(&f.scenario, f.syms, &f.config.gates, false, NULL, 0, &f.diags));
    fixture_diags(&f, &text);
    mst_buf_char(&text, 0);
    /* Unknown fields, empty lists and other people's annotations are no news. */
    t_int(t, f.diags.list.n, 2);
    t_ok(t, strstr(text.p, "metadata.name: Required value"));
    t_ok(t, strstr(text.p, "warning: Pod default/b: "));
    t_int(t, f.scenario.docs.n, 2); /* the namespace, too */
    t_str(t, f.scenario.docs.v[0].object.u.meta.name, "a");
    t_int(t, f.scenario.docs.v[0].origin, MST_DOC_LISTED);
    fixture_done(&f);
}

/* A person's manifest is worth more than a file of a server's object, and that more than a list. */
static void test_scenario_replaces(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: a, " STORED "}\n"
                 "spec: {containers: [{name: main, image: old}]}\n---\n" POD(
                     "a", "", "", "1") "apiVersion: v1\nkind: Pod\nmetadata: {name: b, " STORED
                                       "}\n"
                                       "spec: {containers: [{name: main, image: old}]}\n---\n" POD(
                                           "b", "simulate.muster/arrive-at: 5s", "", "1"));
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.n, 4);
    t_int(t, f.scenario.docs.v[0].origin, MST_DOC_WRITTEN);
    t_ok(t, !f.scenario.docs.v[0].update);
    /* b is there as stored first, and changes later. */
    t_int(t, f.scenario.docs.v[1].origin, MST_DOC_STORED);
    t_ok(t, f.scenario.docs.v[2].update);
    fixture_done(&f);
}

MST_TEST_MAIN(T(test_scenario_takes_stored_objects), T(test_scenario_takes_lists),
              T(test_scenario_replaces), T(test_scenario_fills_in),
              T(test_scenario_implies_namespaces), T(test_scenario_chains_updates),
              T(test_scenario_duplicates), T(test_scenario_same_name_elsewhere_is_fine),
              T(test_scenario_errors_do_not_hide_each_other),
              T(test_scenario_json_errors_have_a_place), T(test_scenario_priority_classes))
