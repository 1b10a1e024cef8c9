/* The report: standing of each pod, explanations, objects as a list. */
#include "report_fixture.h"

static const char *const mixed = NODE("node-a", "2") POD("bound", "", "", "1")
    POD("big", "", "", "9") POD("gated", "", "schedulingGates: [{name: example.com/hold}], ",
                                "1") POD("foreign", "", "schedulerName: other, ",
                                         "1") POD("ended", "simulate.muster/run-for: 5s", "", "1")
        POD("gone", "simulate.muster/delete-at: 5s", "schedulingGates: [{name: a.b/c}], ", "1")
            MEMBER("lonely", "absent",
                   "1") "apiVersion: v1\nkind: Pod\nmetadata: {name: other-ns, namespace: blue}\n"
                        "spec: {nodeName: elsewhere, containers: [{name: main, image: i}]}\n";

static void test_report_standing_of_pods(struct mst_test *t)
{
    static const struct {
        const char *pod, *status;
    } cases[] = {
        { "bound", " node-a " },
        { "bound", " Bound " },
        { "big", " Unschedulable " },
        { "gated", " Gated " },
        { "foreign", " Ignored " },
        { "ended", " Succeeded " },
        { "gone", " Deleted " },
        { "lonely", " Waiting " },
        { "blue/other-ns", " elsewhere " },
        { "big", "1 Insufficient cpu" },
    };
    struct reported r;
    report_init(&r, mixed);
    report_print(&r, false, false);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_str line = report_line(&r, cases[i].pod);
        t_case(t, cases[i].pod);
        t_check_(t, memmem(line.p, line.n, cases[i].status, strlen(cases[i].status)) != NULL,
                 __FILE__, __LINE__, "no \"%s\" in: %.*s", cases[i].status, MST_ARG(line));
    }
    report_done(&r);
}

/* Gated pods, pods of others and those that ended do not count. */
static void test_report_unplaced(struct mst_test *t)
{
    struct reported r;
    report_init(&r, mixed);
    t_int(t, mst_report_unplaced(&r.run), 2);
    report_done(&r);
    report_init(&r, NODE("node-a", "2") POD("bound", "", "", "1"));
    t_int(t, mst_report_unplaced(&r.run), 0);
    report_done(&r);
}

static void test_report_explains_what_waits(struct mst_test *t)
{
    struct reported r;
    report_init(&r, NODE("node-a", "2") POD("big", "", "", "9") GANG("g", "3")
                        MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1") MEMBER("m-2", "g", "1"));
    report_print(&r, false, true);
    mst_buf_char(&r.out, 0);
    t_ok(t, strstr(r.out.p, "PodGroup default/g (gang, minCount 3): unschedulable") != NULL);
    t_ok(t, strstr(r.out.p, "lower minCount from 3 to 2") != NULL);
    t_ok(t, strstr(r.out.p, "Pod default/big: ") != NULL);
    t_ok(t, strstr(r.out.p, "Pod default/m-0: ") == NULL); /* its group speaks for it */
    report_done(&r);
}

static void test_report_objects_in_document_order(struct mst_test *t)
{
    struct reported r;
    MST_AUTO(mst_buf) json = { 0 };
    MST_AUTO(mst_buf) yaml = { 0 };
    struct mst_err err;
    report_init(&r, POD("z-first", "", "", "1")
                        POD("dead", "simulate.muster/delete-at: 1s", "", "1") NODE("a-last", "1"));
    mst_report_objects_json(&r.run, &json);
    mst_buf_char(&json, 0);
    const char *first = strstr(json.p, "\"z-first\""), *last = strstr(json.p, "\"a-last\"");
    t_ok(t, first && last && first < last);
    t_ok(t, strstr(json.p, "\"dead\"") == NULL);
    t_ok(t, strstr(json.p, "\"nodeName\": \"a-last\"") != NULL);
    t_int(t, mst_report_objects_yaml(&r.run, &yaml, &err), MST_OK);
    mst_buf_char(&yaml, 0);
    t_ok(t, strstr(yaml.p, "nodeName: a-last") != NULL);
    report_done(&r);
}

static void test_report_short_reason(struct mst_test *t)
{
    struct reported r;
    report_init(&r,
                NODE("node-a", "1") GANG("g", "2") MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1"));
    report_print(&r, false, false);
    struct mst_str line = report_line(&r, "g");
    t_ok(t, memmem(line.p, line.n, "   minCount (2) cannot be satisfied", 34) != NULL);
    report_print(&r, true, false);
    line = report_line(&r, "g");
    t_ok(t, memmem(line.p, line.n, "first placement status: minCount", 32) != NULL);
    report_done(&r);
}

MST_TEST_MAIN(T(test_report_standing_of_pods), T(test_report_unplaced),
              T(test_report_explains_what_waits), T(test_report_objects_in_document_order),
              T(test_report_short_reason))
