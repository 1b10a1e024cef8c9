/* What nodes have to give, what is taken of it, and by which groups. */
#include "cli/top.h"

#include "report_fixture.h"

#define GPU_NODE(name, more)                                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" more                                \
    "status: {allocatable: {cpu: \"8\", memory: 16Gi, pods: \"10\", example.com/gpu: "             \
    "\"8\"}}\n---\n"
#define GPU_POD(name, group, node, gpus)                                                           \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\n"                                      \
    "spec: {schedulingGroup: {podGroupName: " group "}, " node                                     \
    "containers: [{name: main, image: i, resources: {requests: {cpu: \"2\", "                      \
    "example.com/gpu: \"" gpus "\"}, limits: {example.com/gpu: \"" gpus "\"}}}]}\n---\n"

/* Two groups, one of them half placed; a cordoned node; a node without GPUs. */
#define WORLD                                                                                      \
    GPU_NODE("g2", "")                                                                             \
    GPU_NODE("g1", "")                                                                             \
    GPU_NODE("g3", "spec: {unschedulable: true}\n")                                                \
    NODE("plain", "4")                                                                             \
    GANG("big", "2")                                                                               \
    GANG("small", "1")                                                                             \
    GPU_POD("b1", "big", "nodeName: g1, ", "6")                                                    \
    GPU_POD("b2", "big", "", "6")                                                                  \
    GPU_POD("s1", "small", "nodeName: g2, ", "3") POD("lone", "", "nodeName: plain, ", "4")

struct shown {
    struct fixture f;
    struct mst_run run;
    struct mst_top top;
    struct mst_buf out;
};

static void shown_init(struct shown *s, const char *text, bool groups)
{
    const struct mst_scope scope = { .all = true };
    struct mst_err err;
    *s = (struct shown){ .top = { .groups = groups } };
    fixture_init(&s->f, ".yaml", text);
    mst_assert(s->f.loaded);
    const struct mst_run_options options = fixture_options(&s->f);
    const mst_rc rc = mst_run_init(&s->run, &options, &err);
    mst_assert(rc == MST_OK);
    mst_run_load(&s->run);
    if (groups)
        mst_top_groups(&s->top, mst_engine_cluster(s->run.engine), &scope);
    else
        mst_top_nodes(&s->top, mst_engine_cluster(s->run.engine));
}

static void shown_done(struct shown *s)
{
    mst_top_done(&s->top);
    mst_run_done(&s->run);
    fixture_done(&s->f);
    mst_buf_done(&s->out);
}

static void test_top_nodes(struct mst_test *t)
{
    struct shown s;
    shown_init(&s, WORLD, false);
    mst_top_print(&s.top, false, &s.out);
    t_str(t, mst_buf_span(&s.out),
          "NODE             PODS     %    CPU      %   MEMORY    %   example.com/gpu     %\n"
          "g1               1/10   10%    2/8    25%   0/16Gi   0%               6/8   75%\n"
          "g2               1/10   10%    2/8    25%   0/16Gi   0%               3/8   37%\n"
          "g3 (cordoned)    0/10    0%    0/8     0%   0/16Gi   0%               0/8    0%\n"
          "plain           1/110    0%    4/4   100%    0/8Gi   0%                 -     -\n"
          "(all 4)         3/140    2%   8/28    28%   0/56Gi   0%              9/24   37%\n"
          "\n"
          "example.com/gpu: 7 free on 2 nodes, at most 5 on one (g2)\n");
    shown_done(&s);
}

static void test_top_groups(struct mst_test *t)
{
    struct shown s;
    shown_init(&s, WORLD, true);
    t_ok(t, mst_top_sort(&s.top, "example.com/gpu"));
    mst_top_print(&s.top, false, &s.out);
    t_str(
        t, mst_buf_span(&s.out),
        "NAMESPACE   NAME    NODES   PODS    %   CPU    %   MEMORY   %   example.com/gpu     %\n"
        "default     big         1    1/2   0%   2/4   7%        -   -              6/12   25%\n"
        "default     small       1    1/1   0%   2/2   7%        -   -               3/3   12%\n");
    shown_done(&s);
}

static void test_top_sorts(struct mst_test *t)
{
    static const struct {
        const char *by, *first, *last;
    } cases[] = {
        { "name", "g1", "plain" },
        { "cpu", "plain", "g3" },
        { "pods", "g1", "g3" },
        { "example.com/gpu", "g1", "plain" }, /* nothing of nothing comes last */
    };
    struct shown s;
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        shown_init(&s, WORLD, false);
        t_case(t, cases[i].by);
        t_ok(t, mst_top_sort(&s.top, cases[i].by));
        t_str(t, s.top.rows.v[0].name, cases[i].first);
        t_str(t, s.top.rows.v[3].name, cases[i].last);
        shown_done(&s);
    }
    shown_init(&s, WORLD, false);
    t_ok(t, !mst_top_sort(&s.top, "gpu"));
    shown_done(&s);
}

static void test_top_json(struct mst_test *t)
{
    struct shown s;
    shown_init(&s, GPU_NODE("g1", ""), false);
    mst_top_json(&s.top, &s.out);
    t_str(
        t, mst_buf_span(&s.out),
        "{\n  \"nodes\": [\n    {\n      \"name\": \"g1\",\n      \"unschedulable\": false,\n"
        "      \"resources\": {\n"
        "        \"pods\": {\n          \"requested\": 0,\n          \"allocatable\": 10,\n"
        "          \"percent\": 0\n        },\n"
        "        \"cpuMilli\": {\n          \"requested\": 0,\n          \"allocatable\": 8000,\n"
        "          \"percent\": 0\n        },\n"
        "        \"memory\": {\n          \"requested\": 0,\n"
        "          \"allocatable\": 17179869184,\n          \"percent\": 0\n        },\n"
        "        \"example.com/gpu\": {\n          \"requested\": 0,\n"
        "          \"allocatable\": 8,\n          \"percent\": 0\n        }\n      }\n    }\n  ],\n"
        "  \"free\": [\n    {\n      \"resource\": \"example.com/gpu\",\n      \"free\": 8,\n"
        "      \"nodes\": 1,\n      \"largest\": 8,\n      \"largestOn\": \"g1\"\n    }\n  ]\n"
        "}\n");
    shown_done(&s);
}

static void test_top_of_nothing(struct mst_test *t)
{
    struct shown s;
    shown_init(&s, POD("a", "", "", "1"), false);
    mst_top_print(&s.top, false, &s.out);
    t_str(t, mst_buf_span(&s.out), "no nodes\n");
    shown_done(&s);
    shown_init(&s, GPU_NODE("g1", "") GPU_POD("a", "gone", "nodeName: g1, ", "8"), false);
    mst_top_print(&s.top, false, &s.out);
    mst_buf_char(&s.out, 0);
    t_ok(t, strstr(s.out.p, "example.com/gpu: nothing is free\n"));
    shown_done(&s);
}

MST_TEST_MAIN(T(test_top_nodes), T(test_top_groups), T(test_top_sorts), T(test_top_json),
              T(test_top_of_nothing))
