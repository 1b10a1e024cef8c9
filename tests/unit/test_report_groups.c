/* The table of groups: counts, standing, waiting times. */
#include "report_fixture.h"

static void expect(struct mst_test *t, const char *text, const char *group, const char *want)
{
    struct reported r;
    report_init(&r, text);
    report_print(&r, false, false);
    struct mst_str line = report_line(&r, group);
    t_case(t, want);
    t_check_(t, memmem(line.p, line.n, want, strlen(want)) != NULL, __FILE__, __LINE__, "got: %.*s",
             MST_ARG(line));
    report_done(&r);
}

#define BASIC(name)                                                                                \
    "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: " name "}\n"          \
    "spec: {schedulingPolicy: {basic: {}}}\n---\n"
#define LATER(name, group, at)                                                                     \
    POD(name, "simulate.muster/arrive-at: " at, "schedulingGroup: {podGroupName: " group "}, ", "1")

static void test_groups_standing(struct mst_test *t)
{
    expect(t, NODE("node-a", "2") GANG("g", "2") MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1"),
           "g", "2/2   Scheduled");
    expect(t, NODE("node-a", "1") GANG("g", "2") MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1"),
           "g", "0/2   Unschedulable");
    expect(t, NODE("node-a", "1") BASIC("g") MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1"), "g",
           "1/2   Partial   0/1 nodes are available");
    expect(t, NODE("node-a", "1") GANG("g", "2") MEMBER("m-0", "g", "1"), "g", "0/1   Waiting");
    expect(t, NODE("node-a", "1") GANG("g", "2"), "g", "0/0   Waiting   no pod belongs to it");
    expect(t,
           NODE("node-a", "1") GANG("g", "1") POD("m-0", "simulate.muster/delete-at: 5s",
                                                  "schedulingGroup: {podGroupName: g}, ", "1"),
           "g", "0/0   Waiting   no pod belongs to it");
    expect(t,
           NODE("node-a", "1") GANG("g", "1") POD("m-0", "simulate.muster/run-for: 5s",
                                                  "schedulingGroup: {podGroupName: g}, ", "1"),
           "g", "1/1   Finished");
    expect(t,
           NODE("node-a", "1") "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
                               "metadata: {name: g, annotations: {simulate.muster/delete-at: 5s}}\n"
                               "spec: {schedulingPolicy: {basic: {}}}\n",
           "g", "0/0   Deleted");
}

/* From when the group and a member were there until minCount members had a node. */
static void test_groups_waited(struct mst_test *t)
{
    expect(t, NODE("node-a", "3") GANG("g", "2") LATER("m-0", "g", "10s") LATER("m-1", "g", "25s"),
           "g", "15s");
    expect(t,
           NODE("node-a", "3") GANG("g", "2") MEMBER("m-0", "g", "1") MEMBER("m-1", "g", "1")
               LATER("m-2", "g", "1m"),
           "g", "3/3   Scheduled   -            0s");
}

MST_TEST_MAIN(T(test_groups_standing), T(test_groups_waited))
