/* Who would have to go, as text and as JSON lines. */
#include <stdio.h>

#include "cli/explain_print.h"
#include "tap.h"

static struct mst_evictee gone[] = {
    { .pod = MST_STR("d/a"), .node = MST_STR("n1"), .priority = 5 },
    { .pod = MST_STR("d/b"),
      .node = MST_STR("n2"),
      .unit = MST_STR("d/job"),
      .priority = 1,
      .leaving = true },
};
static struct mst_seat seat = { MST_STR("d/p"), MST_STR("n1") };

static void expect(struct mst_test *t, const struct mst_preempt_answer *a, const char *json,
                   const char *text)
{
    MST_AUTO(mst_buf) line = { 0 };
    MST_AUTO(mst_buf) lines = { 0 };
    mst_preempt_json(a, &line);
    t_str(t, mst_buf_span(&line), json);
    mst_preempt_print(a, false, &lines);
    t_str(t, mst_buf_span(&lines), text);
}

static void test_a_lone_pod(struct mst_test *t)
{
    struct mst_eviction_plan plans[] = {
        { .node = MST_STR("n1"), .pods = { gone, 1 } },
        { .node = MST_STR("n2"), .pods = { gone + 1, 1 }, .violations = 2 },
    };
    struct mst_preempt_refusal rejected[] = {
        { MST_STR("n3"), MST_STR("No room") },
        { MST_STR("n4"), MST_STR("Other") },
        { MST_STR("n5"), MST_STR("No room") },
    };
    struct mst_preempt_refusal hopeless = { MST_STR("n6"), MST_STR("Cordoned") };
    expect(t,
           &(struct mst_preempt_answer){ .ns = MST_STR("d"),
                                         .name = MST_STR("p"),
                                         .priority = 9,
                                         .result = MST_PREEMPT_PREEMPTING,
                                         .candidates = { plans, 2 },
                                         .chosen = plans[0],
                                         .rejected = { rejected, 3 },
                                         .hopeless = { &hopeless, 1 },
                                         .nominated = { &seat, 1 },
                                         .message = MST_STR("m") },
           "{\"entity\":\"Pod d/p\",\"priority\":9,\"result\":\"preempting\",\"candidates\":[{"
           "\"node\":\"n1\",\"victims\":[\"d/a\"],\"pdbViolations\":0},{\"node\":\"n2\","
           "\"victims\":[\"d/b\"],\"pdbViolations\":2}],\"rejected\":{\"n3\":\"No room\",\"n4\":"
           "\"Other\",\"n5\":\"No room\"},\"chosen\":{\"node\":\"n1\",\"victims\":[\"d/a\"],"
           "\"pdbViolations\":0},\"nominated\":{\"d/p\":\"n1\"},\"message\":\"m\"}\n",
           "Pod d/p (priority 9): 1 pod would have to go\n"
           "  why      m\n"
           "  goes     on n1: d/a (priority 5)\n"
           "  fewer    no: with any of these back, the pod does not fit where it is placed\n"
           "  instead  on n2: d/b (priority 1, with all of PodGroup d/job, leaving already); 2 "
           "beyond what a PodDisruptionBudget allows\n"
           "  seats    d/p on n1\n"
           "  no help  evictions do not make room here:\n"
           "           NODES   WHEN                       REASON     WHICH\n"
           "               2   with all lower pods gone   No room    n3, n5\n"
           "               1   with all lower pods gone   Other      n4\n"
           "               1   whoever goes               Cordoned   n6\n");
}

static void test_a_group(struct mst_test *t)
{
    expect(t,
           &(struct mst_preempt_answer){ .group = true,
                                         .ns = MST_STR("d"),
                                         .name = MST_STR("g"),
                                         .result = MST_PREEMPT_PREEMPTING,
                                         .chosen = { .node = MST_STR("cluster"),
                                                     .pods = { gone, 2 },
                                                     .group_disruptions = 1 },
                                         .nominated = { &seat, 1 } },
           "{\"entity\":\"PodGroup d/g\",\"priority\":0,\"result\":\"preempting\",\"chosen\":{"
           "\"node\":\"cluster\",\"victims\":[\"d/a\",\"d/b\"],\"pdbViolations\":0,"
           "\"podGroupDisruptions\":1},\"nominated\":{\"d/p\":\"n1\"}}\n",
           "PodGroup d/g (priority 0): 2 pods would have to go\n"
           "  goes     d/a (priority 5, on n1), d/b (priority 1, on n2, with all of PodGroup "
           "d/job, leaving already)\n"
           "  fewer    no: with any of these back, the group does not fit where it is placed\n"
           "  seats    d/p on n1\n");
}

static void test_other_results(struct mst_test *t)
{
    struct mst_preempt_refusal never = { MST_STR("*"), MST_STR("Never.") };
    struct mst_preempt_answer a = { .ns = MST_STR("d"),
                                    .name = MST_STR("p"),
                                    .result = MST_PREEMPT_SCHEDULED,
                                    .binds = { &seat, 1 } };
    expect(t, &a,
           "{\"entity\":\"Pod d/p\",\"priority\":0,\"result\":\"scheduled\",\"binds\":{\"d/p\":"
           "\"n1\"}}\n",
           "Pod d/p (priority 0): fits as it is, nobody has to go\n"
           "  binds    d/p on n1\n");
    a.binds.n = 0;
    a.result = MST_PREEMPT_GATED;
    a.message = MST_STR("waiting");
    expect(t, &a, "{\"entity\":\"Pod d/p\",\"priority\":0,\"result\":\"gated\"}\n",
           "Pod d/p (priority 0): held back\n"
           "  why      waiting\n");
    a.result = MST_PREEMPT_UNSCHEDULABLE;
    expect(t, &a,
           "{\"entity\":\"Pod d/p\",\"priority\":0,\"result\":\"unschedulable\",\"message\":"
           "\"waiting\"}\n",
           "Pod d/p (priority 0): does not fit, and nobody would be evicted\n"
           "  why      waiting\n");
    a.message = MST_STR("");
    a.never = true;
    a.rejected.v = &never;
    a.rejected.n = 1;
    expect(t, &a,
           "{\"entity\":\"Pod d/p\",\"priority\":0,\"result\":\"unschedulable\",\"rejected\":{"
           "\"*\":\"Never.\"}}\n",
           "Pod d/p (priority 0): does not fit, and its preemptionPolicy is Never\n"
           "  else     another preemptionPolicy would not help: no evictions make room\n");
    a.what_if = true;
    a.allowed = (struct mst_eviction_plan){ .node = MST_STR("n1"), .pods = { gone, 1 } };
    expect(t, &a,
           "{\"entity\":\"Pod d/p\",\"priority\":0,\"result\":\"unschedulable\",\"rejected\":{"
           "\"*\":\"Never.\"}}\n",
           "Pod d/p (priority 0): does not fit, and its preemptionPolicy is Never\n"
           "  else     with preemptionPolicy PreemptLowerPriority, from n1: d/a (priority 5)\n");
}

/* Long lists are cut, and say how much is missing. */
static void test_long_lists(struct mst_test *t)
{
    enum { MANY = 12 };
    struct mst_evictee pods[MANY];
    struct mst_eviction_plan plans[MANY];
    char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "n%02d", i);
        pods[i] = (struct mst_evictee){ .pod = MST_STR("d/v"), .node = MST_STR("n00") };
        plans[i] = (struct mst_eviction_plan){ .node = mst_str_of(names[i]), .pods = { pods, 1 } };
    }
    MST_AUTO(mst_buf) out = { 0 };
    mst_preempt_print(&(struct mst_preempt_answer){ .ns = MST_STR("d"),
                                                    .name = MST_STR("p"),
                                                    .result = MST_PREEMPT_PREEMPTING,
                                                    .candidates = { plans, MANY },
                                                    .chosen = { .node = MST_STR("n00"),
                                                                .pods = { pods, MANY } } },
                      false, &out);
    mst_buf_char(&out, 0);
    t_ok(t, strstr(out.p, "d/v (priority 0) and 6 more\n") != NULL);
    t_ok(t, strstr(out.p, "on n05: ") != NULL);
    t_ok(t, strstr(out.p, "on n06: ") == NULL);
    t_ok(t, strstr(out.p, "           and on 6 more nodes\n") != NULL);
}

MST_TEST_MAIN(T(test_a_lone_pod), T(test_a_group), T(test_other_results), T(test_long_lists))
