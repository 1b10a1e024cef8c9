/* Extenders that preempt: what they are asked, what their answers change, what goes wrong. */
#include "engine_helper.h"
#include "tap.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define MAP(nodes) "{\"NodeNameToMetaVictims\":{" nodes "}}"
#define POD(uid) "{\"UID\":\"" uid "\"}"
#define NODE(name, pods) "\"" name "\":{\"Pods\":[" pods "]}"
#define DEAR(name, pods) "\"" name "\":{\"Pods\":[" pods "],\"NumPDBViolations\":2}"

/* Bodies by extender; NULL: no answer yet. Filters let everything pass but `refused`. */
struct script {
    const char *first, *second, *refused;
    uint32_t calls; /* about victims */
};

static const char *filter(struct host *h, const struct mst_effect *e, const char *refused)
{
    struct mst_str names = MST_STR("");
    for (uint32_t i = 0; i < e->call->nodes.n; i++)
        if (!mst_str_is(e->call->nodes.v[i], refused))
            names = mst_arena_printf(&h->arena, "%.*s%s\"%.*s\"", MST_ARG(names),
                                     names.n ? "," : "", MST_ARG(e->call->nodes.v[i]));
    return mst_arena_printf(&h->arena, "{\"NodeNames\":[%.*s],\"FailedNodes\":{\"%s\":\"full\"}}",
                            MST_ARG(names), refused)
        .p;
}

static const char *play(struct host *h, const struct mst_effect *e)
{
    struct script *s = h->extend_ctx;
    if (e->call->verb == MST_VERB_FILTER)
        return filter(h, e, s->refused);
    s->calls++;
    return e->call->extender_i == 1 ? s->second : s->first;
}

static void add_node(struct host *h, const char *name, const char *pool)
{
    host_apply(h,
               mst_arena_printf(&h->arena,
                                "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {pool: "
                                "%s}}\nstatus: {allocatable: {pods: 110, cpu: 4}}\n",
                                name, pool)
                   .p);
}

/* n1: a1 (5), a2 (1); n2: b1 (3); n3, of another pool, has room beside d1 (1) and d9 (99). */
static struct host *start(struct script *s, bool upstream, const char *more)
{
    static const struct {
        const char *name, *node, *cpu;
        int priority;
    } pods[] = { { "a1", "n1", "2", 5 },
                 { "a2", "n1", "2", 1 },
                 { "b1", "n2", "4", 3 },
                 { "d1", "n3", "1", 1 },
                 { "d9", "n3", "1", 99 } };
    MST_AUTO(mst_buf) config = { 0 };
    mst_buf_printf(&config,
                   HEAD "extenders:\n- {urlPrefix: 'http://x/', preemptVerb: preempt, "
                        "nodeCacheCapable: true%s%s%s}\n",
                   s->refused ? ", filterVerb: filter" : "", more[0] ? ", " : "", more);
    if (s->second)
        mst_buf_text(&config, "- {urlPrefix: 'http://y', preemptVerb: p}\n");
    mst_buf_char(&config, '\0');
    struct host *h = host_with(upstream, config.p, NULL);
    h->extend = play;
    h->extend_ctx = s;
    add_node(h, "n1", "full");
    add_node(h, "n2", "full");
    add_node(h, "n3", "spare");
    for (size_t i = 0; i < MST_COUNT(pods); i++)
        host_add(h, (struct host_pod_spec){
                        .name = pods[i].name,
                        .uid = pods[i].name,
                        .cpu = pods[i].cpu,
                        .priority = pods[i].priority,
                        .more = mst_arena_printf(&h->arena, "nodeName: %s", pods[i].node).p });
    return h;
}

static void add_vip(struct host *h, const char *pool)
{
    host_add(h, (struct host_pod_spec){
                    .name = "vip",
                    .cpu = "2",
                    .priority = 50,
                    .more = mst_arena_printf(&h->arena, "nodeSelector: {pool: %s}", pool).p });
    host_run(h);
}

/* Nobody goes, for this reason. */
static bool refused(struct host *h, const char *why)
{
    return host_saw(h, mst_arena_printf(&h->arena,
                                        "event default/vip FailedScheduling: 0/3 nodes are "
                                        "available: 1 node(s) didn't match Pod's node "
                                        "affinity/selector, 2 Insufficient cpu. preemption: %s",
                                        why)
                           .p) &&
           !host_saw(h, "evict *");
}

/* ---- answers ---- */

#define AS_FOUND MAP(NODE("n1", POD("a2")) "," NODE("n2", POD("b1")))

static const struct {
    const char *name, *more, *answer;
    const char *evicts[2], *why[2]; /* profile muster, upstream; NULL evicts: nobody, because */
} answers[] = {
    { "as it was", "", AS_FOUND, { "a2", "a2" }, { 0 } },
    { "a node less", "", MAP(NODE("n2", POD("b1"))), { "b1", "b1" }, { 0 } },
    { "another victim", "", MAP(NODE("n1", POD("a1"))), { "a1", "a1" }, { 0 } },
    { "the other one is better now",
      "",
      MAP(NODE("n1", POD("a1")) "," NODE("n2", POD("b1"))),
      { "b1", "b1" },
      { 0 } },
    { "fields in any case",
      "",
      "{\"nodenametometavictims\":{\"n2\":{\"pods\":[{\"uid\":\"b1\"}]}}}",
      { "b1", "b1" },
      { 0 } },
    { "budgets decide first",
      "",
      MAP(DEAR("n1", POD("a2")) "," NODE("n2", POD("b1"))),
      { "b1", "b1" },
      { 0 } },
    { "below zero is none",
      "",
      MAP("\"n1\":{\"Pods\":[" POD("a2") "],\"NumPDBViolations\":-1}," NODE("n2", POD("b1"))),
      { "a2", "a2" },
      { 0 } },
    { "the last word on a node",
      "",
      MAP(NODE("n1", POD("a2")) "," NODE("n1", POD("a1"))),
      { "a1", "a1" },
      { 0 } },
    { "a pod that it names twice",
      "",
      MAP(NODE("n1", POD("a1") "," POD("a1"))),
      { "a1", "a1" },
      { 0 } },
    { "a node that nobody tried",
      "",
      MAP(NODE("n3", POD("d1"))),
      { NULL, "d1" },
      { "extender: http://x/ claims that the pod fits on node: n3 without its victims, but it does "
        "not",
        NULL } },
    { "a pod of another node",
      "",
      MAP(NODE("n1", POD("b1"))),
      { NULL, NULL },
      { "extender: http://x/ claims that the pod fits on node: n1 without its victims, but it does "
        "not",
        "extender: http://x/ claims to preempt pod (UID: &{b1}) on node: n1, but the pod is not "
        "found on that node" } },
    { "a pod that nobody knows",
      "",
      MAP(NODE("n1", POD("a2") "," POD("zz"))),
      { NULL, NULL },
      { "extender: http://x/ claims to preempt pod (UID: &{zz}) on node: n1, but the pod is not "
        "found on any node",
        "extender: http://x/ claims to preempt pod (UID: &{zz}) on node: n1, but the pod is not "
        "found on that node" } },
    { "no pod",
      "",
      MAP(NODE("n1", "null")),
      { NULL, NULL },
      { "extender: http://x/ claims to preempt pod (UID: &{}) on node: n1, but the pod is not "
        "found on any node",
        "extender: http://x/ claims to preempt pod (UID: &{}) on node: n1, but the pod is not "
        "found on that node" } },
    { "a pod that matters more",
      "",
      MAP(NODE("n3", POD("d9"))),
      { NULL, "d9" },
      { "extender: http://x/ claims to preempt pod (UID: &{d9}) on node: n3, but its priority is "
        "not lower",
        NULL } },
    { "a node that nobody knows",
      "",
      MAP(NODE("n7", POD("a2"))),
      { NULL, NULL },
      { "nodeinfo not found for node name \"n7\"", "nodeinfo not found for node name \"n7\"" } },
    { "nobody goes",
      "",
      MAP(NODE("n1", POD("a2")) "," NODE("n2", "")),
      { NULL, NULL },
      { "expected at least one victim pod on node \"n2\"",
        "expected at least one victim pod on node \"n2\"" } },
    { "null for a node",
      "",
      MAP("\"n1\":null"),
      { NULL, NULL },
      { "expected at least one victim pod on node \"n1\"",
        "expected at least one victim pod on node \"n1\"" } },
    { "no nodes",
      "",
      MAP(""),
      { NULL, NULL },
      { "no candidate node for preemption", "no candidate node for preemption" } },
    { "no map",
      "",
      "{}",
      { NULL, NULL },
      { "no candidate node for preemption", "no candidate node for preemption" } },
    { "transport",
      "",
      "!Post \"http://x/preempt\": EOF",
      { NULL, NULL },
      { "Post \"http://x/preempt\": EOF", "Post \"http://x/preempt\": EOF" } },
    { "a wrong type",
      "",
      "[]",
      { NULL, NULL },
      { "json: cannot unmarshal array into Go value of type v1.ExtenderPreemptionResult",
        "json: cannot unmarshal array into Go value of type v1.ExtenderPreemptionResult" } },
    { "ignorable, transport", "ignorable: true", "!no", { "a2", "a2" }, { 0 } },
    { "ignorable, a pod that nobody knows",
      "ignorable: true",
      MAP(NODE("n2", POD("zz"))),
      { "a2", "a2" },
      { 0 } },
    { "ignorable, nobody goes",
      "ignorable: true",
      MAP(NODE("n1", "") "," NODE("n2", POD("b1"))),
      { "b1", "b1" },
      { 0 } },
    { "not its resources",
      "managedResources: [{name: a.b/c}]",
      "!must not be asked",
      { "a2", "a2" },
      { 0 } },
};

static void test_preempt_extender_answers(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++)
        for (size_t i = 0; i < MST_COUNT(answers); i++) {
            t_case(t, answers[i].name);
            struct script s = { .first = answers[i].answer };
            struct host *h = start(&s, upstream, answers[i].more);
            add_vip(h, "full");
            const char *victim = answers[i].evicts[upstream];
            bool good =
                victim ? host_saw(h, mst_arena_printf(&h->arena, "evict default/%s *", victim).p)
                       : refused(h, answers[i].why[upstream]);
            t_ok(t, good);
            if (!good)
                t_fail(t, "profile %d:\n%.*s", upstream, MST_ARG(host_log(h)));
            host_free(h);
        }
}

static void test_preempt_extender_question(struct mst_test *t)
{
    struct script s = { .first = MAP(NODE("n1", POD("a1")) "," NODE("n2", POD("b1"))),
                        .second = AS_FOUND };
    struct host *h = start(&s, false, "");
    add_vip(h, "full");
    t_ok(t, host_saw(h, "call http://x/preempt default/vip: n1(a2) n2(b1)"));
    t_ok(t, host_saw(h, "call http://y/p default/vip: n1(a1) n2(b1)"));
    t_ok(t, host_saw(h, "evict default/a2 *"));
    t_int(t, s.calls, 2);
    host_free(h);
    s = (struct script){ .first = MAP(""), .second = AS_FOUND };
    h = start(&s, true, "");
    add_vip(h, "full");
    t_int(t, s.calls, 1); /* there is nothing left to judge */
    t_ok(t, refused(h, "no candidate node for preemption"));
    host_free(h);
}

/* ---- a node that needs no victims ---- */

#define NOT_FOUND                                                                                  \
    "event default/vip FailedScheduling: 0/3 nodes are available: 1 full, 2 node(s) didn't match " \
    "Pod's node affinity/selector. preemption: "

static void test_preempt_extender_no_victims(struct mst_test *t)
{
    static const struct {
        const char *name, *more, *first, *second, *saw;
    } cases[] = {
        { "it says who goes", "", MAP(NODE("n3", POD("d1"))), NULL, "evict default/d1 *" },
        { "nobody says who goes", "", MAP(NODE("n3", "")), NULL,
          NOT_FOUND "no candidate node for preemption" },
        { "the second one says it", "", MAP(NODE("n3", "")), MAP(NODE("n3", POD("d1"))),
          "evict default/d1 *" },
        { "skipped", "ignorable: true", "!no", NULL, NOT_FOUND "no candidate node for preemption" },
        { "not asked", "managedResources: [{name: a.b/c}]", "!no", NULL, "bind default/vip n3" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct script s = { cases[i].first, cases[i].second, "n3", 0 };
        struct host *h = start(&s, false, cases[i].more);
        add_vip(h, "spare");
        t_ok(t, host_saw(h, cases[i].saw));
        if (!host_saw(h, cases[i].saw))
            t_fail(t, "%.*s", MST_ARG(host_log(h)));
        host_free(h);
    }
    struct script s = { .first = MAP(NODE("n3", POD("d1"))), .refused = "n3" };
    struct host *h = start(&s, true, "");
    add_vip(h, "spare");
    t_ok(t, host_saw(h, NOT_FOUND "expected at least one victim pod on node \"n3\""));
    t_int(t, s.calls, 0);
    host_free(h);
}

/* ---- groups ---- */

/* A group that goes as a whole has a pod on both nodes; the answer names one of them. */
static void test_preempt_extender_completes_units(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct script s = { .first = MAP(NODE("n4", POD("g1"))) };
        struct host *h = start(&s, upstream, "");
        add_node(h, "n4", "team");
        add_node(h, "n5", "team");
        host_gang(h, "g", 2, "disruptionMode: {all: {}}");
        host_add(h,
                 (struct host_pod_spec){
                     .name = "g1", .uid = "g1", .cpu = "4", .group = "g", .more = "nodeName: n4" });
        host_add(h,
                 (struct host_pod_spec){
                     .name = "g2", .uid = "g2", .cpu = "4", .group = "g", .more = "nodeName: n5" });
        add_vip(h, "team");
        t_ok(t, host_saw(h, "call http://x/preempt default/vip: n4(g1 g2) n5(g1 g2)"));
        t_ok(t, host_saw(h, "evict default/g1 *"));
        t_ok(t, host_saw(h, mst_arena_printf(&h->arena,
                                             "event default/vip FailedScheduling: 0/5 nodes are "
                                             "available: 2 Insufficient cpu, 3 node(s) didn't "
                                             "match Pod's node affinity/selector. preemption: "
                                             "found a potential placement for pod on node n4, "
                                             "preempting %d victims",
                                             upstream ? 1 : 2)
                                .p));
        host_free(h);
    }
}

/* ---- while a question is open ---- */

static void test_preempt_extender_waits(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct script s = { 0 };
        struct host *h = start(&s, upstream, "");
        MST_AUTO(mst_buf) before = { 0 }, after = { 0 };
        host_forget(h);
        host_add(h, (struct host_pod_spec){ .name = "vip",
                                            .cpu = "2",
                                            .priority = 50,
                                            .more = "nodeSelector: {pool: full}" });
        mst_cluster_dump(mst_engine_cluster(h->engine), &before);
        host_run(h);
        mst_cluster_dump(mst_engine_cluster(h->engine), &after);
        t_str(t, host_log(h), "call http://x/preempt default/vip: n1(a2) n2(b1)\n");
        t_ok(t, mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
        t_ok(t, mst_engine_waits(h->engine));
        t_int(t, mst_engine_cycles(h->engine), 0);
        host_answer_call(h, 1, MAP(NODE("n2", POD("b1"))));
        host_run(h);
        t_ok(t, host_saw(h, "try default/vip #1"));
        t_ok(t, host_saw(h, "evict default/b1 *"));
        t_int(t, s.calls, 1);
        t_int(t, mst_engine_cycles(h->engine), 1);
        host_free(h);
    }
}

/* Who would have to go is another matter now: the question is asked anew, or not at all. */
static void test_preempt_extender_victims_change(struct mst_test *t)
{
    struct script s = { 0 };
    struct host *h = start(&s, false, "");
    add_vip(h, "full");
    host_remove(h, MST_KIND_POD, "a2");
    host_add(h, (struct host_pod_spec){
                    .name = "a3", .uid = "a3", .cpu = "2", .priority = 2, .more = "nodeName: n1" });
    host_answer_call(h, 1, AS_FOUND);
    s.first = MAP(NODE("n1", POD("a3")));
    host_run(h);
    t_ok(t, host_saw(h, "call http://x/preempt default/vip: n1(a3) n2(b1)"));
    t_ok(t, host_saw(h, "evict default/a3 *"));
    host_free(h);
    s.first = NULL;
    h = start(&s, false, "");
    add_vip(h, "full");
    host_remove(h, MST_KIND_POD, "b1");
    host_answer_call(h, 1, AS_FOUND);
    host_run(h);
    t_ok(t, host_saw(h, "bind default/vip n2"));
    t_ok(t, !host_saw(h, "evict *"));
    host_free(h);
}

MST_TEST_MAIN(T(test_preempt_extender_answers), T(test_preempt_extender_question),
              T(test_preempt_extender_no_victims), T(test_preempt_extender_completes_units),
              T(test_preempt_extender_waits), T(test_preempt_extender_victims_change))
