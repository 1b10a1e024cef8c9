/* Effects as JSON lines: fields, patches, order within a cycle, the last line. */
#include "sim/effect_lines.h"

#include "tap.h"

static struct mst_effect effect(mst_effect_kind kind, mst_kind object_kind, const char *name)
{
    return (struct mst_effect){ .id = 9,
                                .cycle = 2,
                                .kind = kind,
                                .object_kind = object_kind,
                                .ns = MST_STR("default"),
                                .name = mst_str_of(name),
                                .uid = MST_STR("u") };
}

static void expect(struct mst_test *t, const struct mst_effect *e, const char *want)
{
    MST_AUTO(mst_buf) out = { 0 };
    mst_effect_print(e, 1499600000, MST_STR_NONE, false, &out);
    t_str(t, mst_buf_span(&out), want);
}

static void test_lines_attempt_bind_event(struct mst_test *t)
{
    struct mst_str pods[] = { MST_STR("default/a"), MST_STR("default/b") };
    struct mst_effect e = effect(MST_EFFECT_ATTEMPT, MST_KIND_POD_GROUP, "g");
    e.attempt = 3;
    e.pods.v = pods;
    e.pods.n = 2;
    expect(t, &e,
           "{\"cycle\":2,\"at\":\"1.500s\",\"op\":\"attempt\",\"kind\":\"PodGroup\",\"object\":"
           "\"default/g\",\"attempt\":3,\"pods\":[\"default/a\",\"default/b\"]}");
    e = effect(MST_EFFECT_BIND, MST_KIND_POD, "a");
    e.node = MST_STR("n1");
    expect(t, &e,
           "{\"cycle\":2,\"at\":\"1.500s\",\"op\":\"bind\",\"kind\":\"Pod\",\"object\":"
           "\"default/a\",\"node\":\"n1\"}");
    MST_AUTO(mst_buf) out = { 0 };
    mst_effect_print(&e, 0, MST_STR("no"), true, &out);
    t_str(t, mst_buf_span(&out),
          "{\"id\":9,\"uid\":\"u\",\"cycle\":2,\"at\":\"0.000s\",\"op\":\"bind\",\"kind\":\"Pod\","
          "\"object\":\"default/a\",\"node\":\"n1\",\"error\":\"no\"}");
    e = effect(MST_EFFECT_EVENT, MST_KIND_POD, "a");
    e.type = MST_STR("Normal");
    e.reason = MST_STR("Scheduled");
    e.action = MST_STR("Binding");
    e.note = MST_STR("a < b");
    expect(t, &e,
           "{\"cycle\":2,\"at\":\"1.500s\",\"op\":\"event\",\"kind\":\"Pod\",\"object\":"
           "\"default/a\",\"type\":\"Normal\",\"reason\":\"Scheduled\",\"action\":\"Binding\","
           "\"note\":\"a < b\"}");
}

#define PATCH_HEAD(kind)                                                                           \
    "{\"cycle\":2,\"at\":\"1.500s\",\"op\":\"patch\",\"kind\":\"" kind                             \
    "\",\"object\":\"default/a\",\"type\":\"status\",\"patch\":{\"status\":"

static void test_lines_patch_is_what_differs(struct mst_test *t)
{
    struct mst_effect e = effect(MST_EFFECT_POD_STATUS, MST_KIND_POD, "a");
    e.condition_set = true;
    e.condition = (struct mst_condition){ .type = MST_STR("PodScheduled"),
                                          .status = MST_STR("False"),
                                          .reason = MST_STR("Unschedulable"),
                                          .message = MST_STR("x > y"),
                                          .observed_generation = 1 };
    expect(t, &e,
           PATCH_HEAD(
               "Pod") "{\"conditions\":[{\"message\":\"x \\u003e y\","
                      "\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","
                      "\"type\":\"PodScheduled\"}]}},\"conditions\":[{\"type\":\"PodScheduled\","
                      "\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"x > y\","
                      "\"observedGeneration\":1}]}");
    e.before = e.condition;
    e.condition.message = MST_STR("z");
    expect(t, &e,
           PATCH_HEAD(
               "Pod") "{\"conditions\":[{\"message\":\"z\",\"type\":\"PodScheduled\"}]}},"
                      "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
                      "\"Unschedulable\",\"message\":\"z\",\"observedGeneration\":1}]}");
    /* What became empty is removed from a pod's condition. */
    e.condition =
        (struct mst_condition){ .type = MST_STR("PodScheduled"), .status = MST_STR("True") };
    expect(t, &e,
           PATCH_HEAD("Pod") "{\"conditions\":[{\"message\":null,\"observedGeneration\":null,"
                             "\"reason\":null,\"status\":\"True\",\"type\":\"PodScheduled\"}]}},"
                             "\"conditions\":[{"
                             "\"type\":\"PodScheduled\",\"status\":\"True\",\"reason\":\"\","
                             "\"message\":\"\"}]}");
}

static void test_lines_patch_of_groups_keeps_empty_texts(struct mst_test *t)
{
    struct mst_effect e = effect(MST_EFFECT_GROUP_STATUS, MST_KIND_POD_GROUP, "a");
    e.condition_set = true;
    e.condition = (struct mst_condition){ .type = MST_STR("T"),
                                          .status = MST_STR("True"),
                                          .reason = MST_STR("Scheduled") };
    expect(t, &e,
           PATCH_HEAD("PodGroup") "{\"conditions\":[{\"message\":\"\",\"reason\":\"Scheduled\","
                                  "\"status\":\"True\",\"type\":\"T\"}]}},\"conditions\":[{"
                                  "\"type\":\"T\",\"status\":"
                                  "\"True\",\"reason\":\"Scheduled\",\"message\":\"\"}]}");
}

static void test_lines_patch_nomination(struct mst_test *t)
{
    struct mst_effect e = effect(MST_EFFECT_POD_STATUS, MST_KIND_POD, "a");
    e.nominated_set = true;
    e.nominated = MST_STR("n1");
    expect(t, &e,
           PATCH_HEAD("Pod") "{\"nominatedNodeName\":\"n1\"}},\"nominatedNodeName\":\"n1\"}");
    e.nominated = MST_STR("");
    expect(t, &e, PATCH_HEAD("Pod") "{\"nominatedNodeName\":null}},\"nominatedNodeName\":\"\"}");
}

/* Writes by object, then events by object; per object as it happened. */
static void test_lines_order_within_a_cycle(struct mst_test *t)
{
    static const struct {
        mst_effect_kind kind;
        mst_kind object_kind;
        const char *name;
    } in[] = {
        { MST_EFFECT_ATTEMPT, MST_KIND_POD_GROUP, "g" },
        { MST_EFFECT_EVENT, MST_KIND_POD, "b" },
        { MST_EFFECT_BIND, MST_KIND_POD, "b" },
        { MST_EFFECT_BIND, MST_KIND_POD, "a" },
        { MST_EFFECT_EVENT, MST_KIND_POD, "a" },
        { MST_EFFECT_GROUP_STATUS, MST_KIND_POD_GROUP, "g" },
    };
    static const char *const want[] = { "attempt",   "PodGroup", "default/a",
                                        "default/b", "event",    "event" };
    struct mst_effect_lines lines = { 0 };
    MST_AUTO(mst_buf) out = { 0 };
    for (size_t i = 0; i < MST_COUNT(in); i++) {
        struct mst_effect e = effect(in[i].kind, in[i].object_kind, in[i].name);
        mst_effect_lines_add(&lines, &e, 0, MST_STR_NONE);
    }
    mst_effect_lines_flush(&lines, &out);
    t_int(t, lines.list.n, 0);
    mst_buf_char(&out, 0);
    char *line = out.p;
    for (size_t i = 0; i < MST_COUNT(want); i++) {
        char *end = strchr(line, '\n');
        t_ok(t, end != NULL);
        if (!end)
            break;
        *end = 0;
        if (!strstr(line, want[i]))
            t_fail(t, "line %zu: %s", i, line);
        line = end + 1;
    }
    t_int(t, *line, 0);
    mst_effect_lines_done(&lines);
}

static void test_lines_end(struct mst_test *t)
{
    struct mst_leftovers leftovers = { 0 };
    MST_AUTO(mst_buf) out = { 0 };
    mst_vec_push(&leftovers.gated, MST_STR("default/a"));
    mst_vec_push(&leftovers.backoff, MST_STR("default/b"));
    mst_vec_push(&leftovers.backoff, MST_STR("default/c"));
    mst_effects_end_print(4, 2000000000, &leftovers, &out);
    t_str(t, mst_buf_span(&out),
          "{\"cycle\":4,\"at\":\"2.000s\",\"op\":\"end\",\"Gated\":[\"default/a\"],"
          "\"Backoff\":[\"default/b\",\"default/c\"]}\n");
    mst_leftovers_done(&leftovers);
}

MST_TEST_MAIN(T(test_lines_attempt_bind_event), T(test_lines_patch_is_what_differs),
              T(test_lines_patch_of_groups_keeps_empty_texts), T(test_lines_patch_nomination),
              T(test_lines_order_within_a_cycle), T(test_lines_end))
