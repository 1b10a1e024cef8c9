/* The summary: use of resources in people's units, counts, how the run ended. */
#include "report_fixture.h"

static void test_summary_units_and_counts(struct mst_test *t)
{
    struct reported r;
    report_init(
        &r, "apiVersion: v1\nkind: Node\nmetadata: {name: node-a}\nstatus: {allocatable: {cpu: "
            "3500m, memory: 1536Mi, hugepages-2Mi: 64Mi, example.com/gpu: \"8\", pods: \"4\"}}\n"
            "---\n"
            "apiVersion: v1\nkind: Pod\nmetadata: {name: pod-a}\nspec: {containers: [{name: "
            "main, image: i, resources: {requests: {cpu: \"2\", memory: 512Mi}, limits: "
            "{example.com/gpu: \"2\"}}}]}\n---\n" POD("pod-b", "", "", "9"));
    report_print(&r, false, false);
    t_str(t, report_line(&r, "cpu"), "cpu                   2   3500m     57%");
    t_str(t, report_line(&r, "memory"), "memory            512Mi   1.5Gi     33%");
    t_str(t, report_line(&r, "hugepages-2Mi"), "hugepages-2Mi         0    64Mi      0%");
    t_str(t, report_line(&r, "example.com/gpu"), "example.com/gpu       2       8     25%");
    mst_buf_char(&r.out, 0);
    t_ok(t, strstr(r.out.p,
                   "\npods: 1 bound, 1 pending\nattempts: 2\nvirtual time: 0s, nothing more can "
                   "change\n") != NULL);
    report_done(&r);
}

static void test_summary_mean_where_time_passed(struct mst_test *t)
{
    struct reported r;
    report_init(&r, NODE("node-a", "2") POD("pod-a", "simulate.muster/run-for: 10s", "", "2")
                        POD("pod-b", "simulate.muster/arrive-at: 20s", "", "1"));
    report_print(&r, true, false);
    struct mst_str line = report_line(&r, "cpu");
    t_str(t, line, "cpu           1     2     50%    50%");
    mst_buf_char(&r.out, 0);
    t_ok(t, strstr(r.out.p, "MEAN") != NULL);
    t_ok(t, strstr(r.out.p, "node-a      1   cpu 1/2, memory 0/8Gi") != NULL);
    t_ok(t, strstr(r.out.p, "pods: 1 bound, 0 pending, 1 finished\n") != NULL);
    report_done(&r);
}

static void test_summary_of_nothing(struct mst_test *t)
{
    struct reported r;
    report_init(&r, "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n");
    report_print(&r, true, true);
    t_str(t, mst_buf_span(&r.out),
          "pods: 0 bound, 0 pending\nattempts: 0\nvirtual time: 0s, nothing more can change\n");
    report_done(&r);
}

MST_TEST_MAIN(T(test_summary_units_and_counts), T(test_summary_mean_where_time_passed),
              T(test_summary_of_nothing))
