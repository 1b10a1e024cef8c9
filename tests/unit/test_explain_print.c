/* Explanations and scores as text and as JSON. */
#include "cli/explain_print.h"

#include "tap.h"

static void fill(struct mst_explanation *e, struct mst_class_explanation *c,
                 struct mst_reason_nodes *r, struct mst_str *names, struct mst_fix *fix)
{
    for (int i = 0; i < 7; i++)
        names[i] = (struct mst_str){ &"abcdefg"[i], 1 };
    *r = (struct mst_reason_nodes){ .reason = MST_STR("Insufficient cpu"),
                                    .plugin = MST_STR("NodeResourcesFit"),
                                    .nodes = { names, 7 } };
    *c = (struct mst_class_explanation){ .pods = { names, 5 },
                                         .placed = 2,
                                         .node_count = 7,
                                         .feasible = 0,
                                         .room = 3,
                                         .request = MST_STR("cpu 2"),
                                         .reasons = { r, 1 } };
    *fix = (struct mst_fix){ .kind = MST_FIX_MIN_COUNT,
                             .count = 2,
                             .text = MST_STR("lower minCount from 5 to 2") };
    *e = (struct mst_explanation){ .group = true,
                                   .ns = MST_STR("default"),
                                   .name = MST_STR("g"),
                                   .policy = MST_POLICY_GANG,
                                   .min_count = 5,
                                   .members = 5,
                                   .queued = 5,
                                   .would_fit = 2,
                                   .state = MST_STR("unschedulable"),
                                   .message = MST_STR("no room"),
                                   .classes = { c, 1 },
                                   .fixes = { fix, 1 } };
}

static void test_explanation_text(struct mst_test *t)
{
    struct mst_explanation e;
    struct mst_class_explanation c;
    struct mst_reason_nodes r;
    struct mst_str names[7];
    struct mst_fix fix;
    MST_AUTO(mst_buf) out = { 0 };
    fill(&e, &c, &r, names, &fix);
    mst_explanation_print(&e, false, &out);
    t_str(t, mst_buf_span(&out),
          "PodGroup default/g (gang, minCount 5): unschedulable\n"
          "  why      no room\n"
          "  members  5 known, 0 scheduled, 5 queued; 2 of the queued would fit now\n"
          "  pods     5 x cpu 2: a, b, c, d, e\n"
          "  room     2 of 5 placed; 0 of 7 nodes would take the next one; alone, 3 of them fit\n"
          "           NODES   REASON             WHICH\n"
          "               7   Insufficient cpu   a, b, c, d and 3 more\n"
          "  helps    lower minCount from 5 to 2\n");
}

static void test_explanation_json(struct mst_test *t)
{
    struct mst_explanation e;
    struct mst_class_explanation c;
    struct mst_reason_nodes r;
    struct mst_str names[7];
    struct mst_fix fix;
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_json_writer w = { .out = &out };
    fill(&e, &c, &r, names, &fix);
    c.pods.n = r.nodes.n = 1;
    mst_explanation_json(&e, &w);
    t_str(t, mst_buf_span(&out),
          "{\"kind\":\"PodGroup\",\"namespace\":\"default\",\"name\":\"g\",\"policy\":\"gang\","
          "\"minCount\":5,\"state\":\"unschedulable\",\"message\":\"no room\",\"members\":5,"
          "\"scheduled\":0,\"queued\":5,\"wouldFit\":2,\"feasible\":false,\"classes\":[{\"pods\":["
          "\"a\"],\"request\":\"cpu 2\",\"placed\":2,\"nodes\":7,\"feasible\":0,\"room\":3,"
          "\"reasons\":[{\"reason\":\"Insufficient cpu\",\"plugin\":\"NodeResourcesFit\","
          "\"unresolvable\":false,\"nodes\":[\"a\"]}]}],\"fixes\":[{\"kind\":\"lowerMinCount\","
          "\"count\":2,\"text\":\"lower minCount from 5 to 2\"}]}");
}

static void test_scores_json_lines(struct mst_test *t)
{
    struct mst_score_entry score = { MST_STR("NodeResourcesFit"), 32, 32, 32 };
    struct mst_str reason = MST_STR("Insufficient cpu"), fits = MST_STR("n1");
    struct mst_rejection full = { MST_UNSCHEDULABLE, MST_STR("NodeResourcesFit"), { &reason, 1 } };
    struct mst_node_answer nodes[] = {
        { .node = MST_STR("n1"), .scores = { &score, 1 }, .total = 32 },
        { .node = MST_STR("n2"), .first = full },
    };
    struct mst_pod_answer answer = { .pre_filter = MST_SUCCESS,
                                     .nodes = { nodes, 2 },
                                     .feasible = { &fits, 1 },
                                     .best = { &fits, 1 },
                                     .host = MST_STR("n1") };
    MST_AUTO(mst_buf) out = { 0 };
    mst_scores_json(MST_STR("default/a"), MST_STR("g"), &answer, &out);
    t_str(
        t, mst_buf_span(&out),
        "{\"pod\":\"default/a\",\"node\":\"n1\",\"filter\":{\"code\":\"Success\"},\"scores\":{"
        "\"NodeResourcesFit\":{\"raw\":32,\"normalized\":32,\"weighted\":32}},\"total\":32}\n"
        "{\"pod\":\"default/"
        "a\",\"node\":\"n2\",\"filter\":{\"plugin\":\"NodeResourcesFit\",\"code\":"
        "\"Unschedulable\",\"reasons\":[\"Insufficient cpu\"]}}\n"
        "{\"pod\":\"default/a\",\"summary\":true,\"group\":\"g\",\"nodes\":2,\"feasible\":[\"n1\"],"
        "\"best\":[\"n1\"],\"host\":\"n1\"}\n");
}

static void test_scores_of_a_pod_that_fits_nowhere(struct mst_test *t)
{
    struct mst_str reason = MST_STR("Too many pods");
    struct mst_str ports = MST_STR("no free ports");
    struct mst_rejection all[] = {
        { MST_UNSCHEDULABLE, MST_STR("NodePorts"), { &ports, 1 } },
        { MST_UNSCHEDULABLE, MST_STR("NodeResourcesFit"), { &reason, 1 } },
    };
    struct mst_node_answer node = { .node = MST_STR("n1"), .first = all[1], .all = { all, 2 } };
    struct mst_pod_answer answer = { .nodes = { &node, 1 },
                                     .reason = MST_STR("Unschedulable"),
                                     .message = MST_STR("0/1 nodes"),
                                     .post_filter = MST_UNSCHEDULABLE };
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    mst_scores_json(MST_STR("default/a"), MST_STR_NONE, &answer, &out);
    mst_buf_char(&out, 0);
    t_ok(t, strstr(out.p, "\"filters\":[{\"plugin\":\"NodePorts\",\"code\":\"Unschedulable\","
                          "\"reasons\":[\"no free ports\"]},{\"plugin\":\"NodeRes") != NULL);
    t_ok(t,
         strstr(out.p, "\"feasible\":[],\"best\":[],\"reason\":\"Unschedulable\",\"message\":\"0/1 "
                       "nodes\",\"postFilter\":{\"code\":\"Unschedulable\"}}\n") != NULL);
    static const struct {
        mst_code code;
        const char *reason, *want;
    } post[] = {
        { MST_UNSCHEDULABLE, "preemption: no",
          "\"postFilter\":{\"plugin\":\"P\",\"code\":\"Unschedulable\",\"reasons\":["
          "\"preemption: no\"]},\"nominated\":\"n1\"}\n" },
        { MST_SUCCESS, "preemption: found",
          "\"postFilter\":{\"code\":\"Success\"},\"nominated\":\"n1\"}\n" },
    };
    for (size_t i = 0; i < MST_COUNT(post); i++) {
        MST_AUTO(mst_buf) line = { 0 };
        answer.post_filter = post[i].code;
        answer.post_plugin = MST_STR("P");
        answer.post_reason = mst_str_of(post[i].reason);
        answer.nominates = true;
        answer.nominated = MST_STR("n1");
        mst_scores_json(MST_STR("default/a"), MST_STR_NONE, &answer, &line);
        mst_buf_char(&line, 0);
        t_ok(t, strstr(line.p, post[i].want) != NULL);
    }
    mst_scores_print(MST_STR("default/a"), &answer, false, &text);
    t_str(t, mst_buf_span(&text),
          "Pod default/a: 0/1 nodes\n"
          "NODE   SCORE   PLUGIN             DETAILS\n"
          "n1         -   NodeResourcesFit   Too many pods\n"
          "-          -   NodePorts          no free ports\n");
}

MST_TEST_MAIN(T(test_explanation_text), T(test_explanation_json), T(test_scores_json_lines),
              T(test_scores_of_a_pod_that_fits_nowhere))
