/* What the scheduler wants done: bindings with the server's rules, status patches. */
#include "sim_fixture.h"

struct answers {
    uint32_t set, done, failed;
    char reason[256];
};

static void watch(void *ctx, const struct mst_event *event)
{
    struct answers *a = ctx;
    a->set += event->kind == MST_EVENT_SET;
    a->done += event->kind == MST_EVENT_EFFECT_DONE;
    if (event->kind == MST_EVENT_EFFECT_FAILED) {
        a->failed++;
        snprintf(a->reason, sizeof(a->reason), "%.*s", MST_ARG(event->reason));
    }
}

struct server_fixture {
    struct fixture f;
    struct mst_clock clock;
    struct mst_apiserver server;
    struct answers answers;
};

static void init(struct server_fixture *s, const char *text)
{
    fixture_init(&s->f, ".yaml", text);
    mst_assert(s->f.loaded);
    mst_clock_init(&s->clock);
    mst_apiserver_init(&s->server, &s->f.scenario, &s->clock, watch, &s->answers);
    while (mst_apiserver_step(&s->server, MST_SIM_START_NS))
        continue;
    s->answers = (struct answers){ 0 };
}

static void done(struct server_fixture *s)
{
    mst_apiserver_done(&s->server);
    fixture_done(&s->f);
}

static struct mst_str bind(struct server_fixture *s, const char *name, const char *uid)
{
    struct mst_effect effect = { .id = 1,
                                 .kind = MST_EFFECT_BIND,
                                 .object_kind = MST_KIND_POD,
                                 .ns = MST_STR("default"),
                                 .name = mst_str_of(name),
                                 .uid = mst_str_of(uid),
                                 .node = MST_STR("n1") };
    struct mst_str error;
    mst_apiserver_effect(&s->server, &effect, &error);
    return error;
}

static const struct mst_pod *pod(struct server_fixture *s, const char *name)
{
    return &mst_apiserver_find(&s->server, MST_KIND_POD, MST_STR("default"), mst_str_of(name))
                ->object.u.pod;
}

static void test_bind_sets_node_and_condition(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
             "spec: {containers: [{name: main, image: i}]}\n"
             "status: {nominatedNodeName: n9, conditions: [{type: PodScheduled, status: \"False\", "
             "reason: Unschedulable}, {type: Other, status: \"True\"}]}\n");
    t_ok(t, !bind(&s, "a", "pod-default-a").n);
    t_str(t, mst_sym_str(s.f.syms, pod(&s, "a")->spec.node_name), "n1");
    t_int(t, pod(&s, "a")->status.nominated_node_name, MST_SYM_NONE);
    t_int(t, pod(&s, "a")->status.conditions.n, 2);
    t_str(t, pod(&s, "a")->status.conditions.v[0].type, "Other");
    t_str(t, pod(&s, "a")->status.conditions.v[1].status, "True");
    t_ok(t, !pod(&s, "a")->status.conditions.v[1].reason.n);
    t_int(t, s.answers.set, 1);
    t_int(t, s.answers.done, 1);
    done(&s);
}

static void test_bind_refused(struct mst_test *t)
{
    static const struct {
        const char *name, *uid, *why;
    } cases[] = {
        { "absent", "x", "pods \"absent\" not found" },
        { "bound", "pod-default-bound",
          "Operation cannot be fulfilled on pods/binding \"bound\": pod bound cannot be bound" },
        { "gated", "pod-default-gated",
          "Operation cannot be fulfilled on pods/binding \"gated\": pod gated cannot be bound" },
        { "free", "other",
          "Operation cannot be fulfilled on pods/binding \"free\": Precondition failed: UID in "
          "precondition: other, UID in object meta: pod-default-free" },
    };
    struct server_fixture s;
    init(&s, POD("bound", "", "nodeName: n2, ", "1")
                 POD("gated", "", "schedulingGates: [{name: example.com/x}], ", "1")
                     POD("free", "", "", "1"));
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        t_str(t, bind(&s, cases[i].name, cases[i].uid), cases[i].why);
        t_int(t, s.answers.failed, i + 1);
        t_text(t, s.answers.reason, cases[i].why);
    }
    t_int(t, s.answers.set, 0);
    t_int(t, s.answers.done, 0);
    done(&s);
}

static void test_bind_fails_n_times(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, POD("a", "simulate.muster/fail-bind: \"2\"", "", "1"));
    t_str(t, bind(&s, "a", ""), "simulated failure 1 of 2 of binding pod \"a\"");
    t_str(t, bind(&s, "a", ""), "simulated failure 2 of 2 of binding pod \"a\"");
    t_ok(t, !bind(&s, "a", "").n);
    t_int(t, s.answers.failed, 2);
    t_int(t, s.answers.done, 1);
    done(&s);
}

static void test_patch_conditions_and_nomination(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, POD("a", "", "", "1") GANG("g", "1"));
    struct mst_effect effect = {
        .kind = MST_EFFECT_POD_STATUS,
        .object_kind = MST_KIND_POD,
        .ns = MST_STR("default"),
        .name = MST_STR("a"),
        .condition_set = true,
        .condition = { .type = MST_STR("PodScheduled"),
                       .status = MST_STR("False"),
                       .reason = MST_STR("Unschedulable"),
                       .message = MST_STR("no room"),
                       .observed_generation = 1 },
        .nominated_set = true,
        .nominated = MST_STR("n1"),
    };
    struct mst_str error;
    mst_apiserver_effect(&s.server, &effect, &error);
    effect.condition.message = MST_STR("still no room");
    effect.nominated = MST_STR("");
    mst_apiserver_effect(&s.server, &effect, &error);
    t_ok(t, !error.n);
    t_int(t, pod(&s, "a")->status.conditions.n, 1);
    t_str(t, pod(&s, "a")->status.conditions.v[0].message, "still no room");
    t_int(t, pod(&s, "a")->status.nominated_node_name, MST_SYM_NONE);
    t_int(t, s.answers.set, 2);
    effect.kind = MST_EFFECT_GROUP_STATUS;
    effect.object_kind = MST_KIND_POD_GROUP;
    effect.name = MST_STR("g");
    effect.nominated_set = false;
    effect.condition.type = MST_STR("PodGroupInitiallyScheduled");
    mst_apiserver_effect(&s.server, &effect, &error);
    t_int(t,
          mst_apiserver_find(&s.server, MST_KIND_POD_GROUP, MST_STR("default"), MST_STR("g"))
              ->object.u.group.conditions.n,
          1);
    effect.name = MST_STR("absent");
    mst_apiserver_effect(&s.server, &effect, &error);
    t_str(t, error, "not found");
    t_int(t, s.answers.set, 3);
    done(&s);
}

MST_TEST_MAIN(T(test_bind_sets_node_and_condition), T(test_bind_refused),
              T(test_bind_fails_n_times), T(test_patch_conditions_and_nomination))
