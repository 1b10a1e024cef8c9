/* HTTP extenders in attempts: filter, prioritize, bind, what is asked again and what is not. */
#include "engine_helper.h"
#include "tap.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
/* Without scores ties go to the lowest name. */
#define FLAT                                                                                       \
    "profiles: [{plugins: {score: {disabled: [{name: '*'}]}, preScore: {disabled: [{name: "        \
    "'*'}]}}}]\n"

/* What each verb is answered; a NULL verb is not configured. */
struct script {
    const char *filter, *prioritize, *bind;
    const char *second; /* a second extender's filter */
    const char *except; /* the filter lets everything pass but this node */
    uint32_t calls;
};

static const char *all_but(struct host *h, const struct mst_effect *e, const char *except)
{
    struct mst_str names = MST_STR("");
    for (uint32_t i = 0; i < e->call->nodes.n; i++)
        if (!mst_str_is(e->call->nodes.v[i], except))
            names = mst_arena_printf(&h->arena, "%.*s%s\"%.*s\"", MST_ARG(names),
                                     names.n ? "," : "", MST_ARG(e->call->nodes.v[i]));
    return mst_arena_printf(&h->arena, "{\"NodeNames\":[%.*s]}", MST_ARG(names)).p;
}

static const char *play(struct host *h, const struct mst_effect *e)
{
    struct script *s = h->extend_ctx;
    s->calls++;
    if (e->call->extender_i == 1)
        return s->second;
    switch (e->call->verb) {
    case MST_VERB_FILTER: return s->except ? all_but(h, e, s->except) : s->filter;
    case MST_VERB_PRIORITIZE: return s->prioritize;
    case MST_VERB_BIND: return s->bind;
    case MST_VERB_PREEMPT:
    case MST_VERB_COUNT: break;
    }
    return NULL;
}

/* A host whose one extender has the verbs of the script; `more` is appended to it. */
static struct host *start(struct script *s, bool upstream, const char *more)
{
    MST_AUTO(mst_buf) config = { 0 };
    mst_buf_text(&config, HEAD FLAT "extenders:\n- {urlPrefix: 'http://x/'");
    if (s->filter)
        mst_buf_text(&config, ", filterVerb: filter");
    if (s->prioritize)
        mst_buf_text(&config, ", prioritizeVerb: prioritize, weight: 2");
    if (s->bind)
        mst_buf_text(&config, ", bindVerb: bind");
    mst_buf_printf(&config, "%s%s}\n", more[0] ? ", " : "", more);
    if (s->second)
        mst_buf_text(&config, "- {urlPrefix: 'http://y', filterVerb: f, nodeCacheCapable: true}\n");
    mst_buf_char(&config, '\0');
    struct host *h = host_with(upstream, config.p, NULL);
    h->extend = play;
    h->extend_ctx = s;
    return h;
}

static void three_nodes(struct host *h)
{
    host_node(h, "n1", "cpu: 4", NULL);
    host_node(h, "n2", "cpu: 4", NULL);
    host_node(h, "n3", "cpu: 4", NULL);
}

/* ---- filter ---- */

static const struct {
    const char *name, *more, *answer, *second, *saw;
} filters[] = {
    { "names", "nodeCacheCapable: true", "{\"NodeNames\":[\"n2\"]}", NULL, "bind default/a n2" },
    { "fields in any case", "nodeCacheCapable: true", "{\"nodenames\":[\"n3\"]}", NULL,
      "bind default/a n3" },
    { "node objects", "", "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n3\"}}]}}", NULL,
      "bind default/a n3" },
    { "names are for those with a cache only", "", "{\"NodeNames\":[\"n2\"]}", NULL,
      "pod default/a Unschedulable: 0/3 nodes are available:"
      " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling." },
    { "objects do where names are missing", "nodeCacheCapable: true",
      "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n3\"}}]}}", NULL, "bind default/a n3" },
    { "no words", "", "{}", NULL,
      "pod default/a Unschedulable: 0/3 nodes are available:"
      " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling." },
    { "words", "",
      "{\"FailedNodes\":{\"n1\":\"no gas\",\"n2\":\"no gas\"},"
      "\"FailedAndUnresolvableNodes\":{\"n3\":\"no engine\"}}",
      NULL,
      "pod default/a Unschedulable: 0/3 nodes are available: 1 no engine, 2 no gas."
      " preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No "
      "preemption victims found for incoming pod." },
    { "in both maps", "",
      "{\"FailedNodes\":{\"n1\":\"a\"},\"FailedAndUnresolvableNodes\":{\"n1\":\"b\"}}", NULL,
      "pod default/a Unschedulable: 0/3 nodes are available: 1 b."
      " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling." },
    { "a node that nobody knows", "", "{\"FailedNodes\":{\"n9\":\"far away\",\"n1\":\"near\"}}",
      NULL,
      "pod default/a Unschedulable: 0/3 nodes are available: 1 far away, 1 near."
      " preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 "
      "Preemption is not helpful for scheduling." },
    { "rejected but let pass", "nodeCacheCapable: true",
      "{\"NodeNames\":[\"n1\"],\"FailedNodes\":{\"n1\":\"a\"}}", NULL, "bind default/a n1" },
    { "repeated", "nodeCacheCapable: true", "{\"NodeNames\":[\"n2\",\"n2\"]}", NULL,
      "bind default/a n2" },
    { "an error of its own", "", "{\"Error\":\"out of order\"}", NULL,
      "pod default/a SchedulerError: out of order" },
    { "transport", "", "!Post \"http://x/filter\": EOF", NULL,
      "pod default/a SchedulerError: Post \"http://x/filter\": EOF" },
    { "no JSON", "", "<html>", NULL,
      "pod default/a SchedulerError: invalid character '<' looking for beginning of value" },
    { "nothing", "", "", NULL, "pod default/a SchedulerError: EOF" },
    { "a node that was not sent", "nodeCacheCapable: true", "{\"NodeNames\":[\"n7\"]}", NULL,
      "pod default/a SchedulerError: extender \"http://x/\" claims a filtered node \"n7\" which is "
      "not found in the input node list" },
    { "ignorable", "ignorable: true", "!no", NULL, "bind default/a n1" },
    { "ignorable, a node that was not sent", "ignorable: true, nodeCacheCapable: true",
      "{\"NodeNames\":[\"n7\"]}", NULL, "bind default/a n1" },
    { "the second one gets what the first left", "nodeCacheCapable: true",
      "{\"NodeNames\":[\"n3\",\"n2\"]}", "{\"NodeNames\":[\"n2\"]}",
      "call http://y/f default/a: n3 n2" },
    { "words of the first stay", "nodeCacheCapable: true",
      "{\"NodeNames\":[\"n1\",\"n2\"],\"FailedNodes\":{\"n3\":\"a\",\"n1\":\"old\"}}",
      "{\"NodeNames\":[],\"FailedNodes\":{\"n1\":\"b\"}}",
      "pod default/a Unschedulable: 0/3 nodes are available: 1 a, 1 b."
      " preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No "
      "preemption victims found for incoming pod." },
    { "the second one is not asked about nothing", "", "{\"FailedNodes\":{\"n1\":\"a\"}}", "!no",
      "pod default/a Unschedulable: 0/3 nodes are available: 1 a."
      " preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 "
      "Preemption is not helpful for scheduling." },
};

static void test_extender_filter(struct mst_test *t)
{
    for (int upstream = 0; upstream < 2; upstream++)
        for (size_t i = 0; i < MST_COUNT(filters); i++) {
            t_case(t, filters[i].name);
            struct script s = { .filter = filters[i].answer, .second = filters[i].second };
            struct host *h = start(&s, upstream, filters[i].more);
            three_nodes(h);
            host_add(h, (struct host_pod_spec){ .name = "a" });
            host_run(h);
            t_ok(t, host_saw(h, filters[i].saw));
            if (!host_saw(h, filters[i].saw))
                t_fail(t, "want %s in:\n%.*s", filters[i].saw, MST_ARG(host_log(h)));
            host_free(h);
        }
}

/* Nodes that plugins rejected keep the latest words; those not mentioned keep the plugin's. */
static void test_extender_with_plugins(struct mst_test *t)
{
    struct script s = { .filter = "{\"FailedNodes\":{\"n1\":\"a\",\"n2\":\"b\"}}" };
    struct host *h = start(&s, true, "");
    three_nodes(h);
    host_node(h, "n4", "cpu: 1", NULL);
    host_node(h, "n2", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "2" });
    host_run(h);
    t_ok(t, host_saw(h, "call http://x/filter default/a: n1 n3"));
    t_ok(t, host_saw(h, "pod default/a Unschedulable: 0/4 nodes are available: 1 Insufficient cpu, "
                        "1 a, 1 b. preemption: 0/4 nodes are available: 2 No preemption victims "
                        "found for incoming pod, 2 Preemption is not helpful for scheduling."));
    host_free(h);
}

/* ---- prioritize ---- */

static void test_extender_prioritize(struct mst_test *t)
{
    static const struct {
        const char *name, *answer, *saw;
    } cases[] = {
        { "the highest", "[{\"Host\":\"n1\",\"Score\":1},{\"host\":\"n3\",\"score\":3}]",
          "bind default/a n3" },
        { "added up",
          "[{\"Host\":\"n2\",\"Score\":2},{\"Host\":\"n3\",\"Score\":3},"
          "{\"Host\":\"n2\",\"Score\":2}]",
          "bind default/a n2" },
        { "below zero", "[{\"Host\":\"n1\",\"Score\":-1}]", "bind default/a n2" },
        { "unknown nodes", "[{\"Host\":\"n9\",\"Score\":10}]", "bind default/a n1" },
        { "errors count for nothing", "!no", "bind default/a n1" },
        { "of a wrong type", "[{\"Host\":\"n3\",\"Score\":\"10\"}]", "bind default/a n1" },
        { "nothing", "null", "bind default/a n1" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct script s = { .prioritize = cases[i].answer };
        struct host *h = start(&s, i % 2, "");
        three_nodes(h);
        host_add(h, (struct host_pod_spec){ .name = "a" });
        host_run(h);
        t_ok(t, host_saw(h, "call http://x/prioritize default/a: n1 n2 n3"));
        t_ok(t, host_saw(h, cases[i].saw));
        host_free(h);
    }
}

static void test_extender_one_node_is_not_scored(struct mst_test *t)
{
    struct script s = { .prioritize = "[]" };
    struct host *h = start(&s, false, "");
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_int(t, s.calls, 0);
    t_ok(t, host_saw(h, "bind default/a n1"));
    host_free(h);
}

/* ---- bind ---- */

static void test_extender_bind(struct mst_test *t)
{
    struct script s = { .bind = "{}" };
    struct host *h = start(&s, false, "");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1 by http://x/bind"));
    t_ok(t, host_saw(h, "event default/a Scheduled: Successfully assigned default/a to n1"));
    host_free(h);
}

static void test_extender_bind_fails(struct mst_test *t)
{
    struct script s = { .bind = "{\"error\":\"no\"}" };
    struct host *h = start(&s, false, "");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_ok(t, host_saw(h, "pod default/a SchedulerError: no"));
    t_int(t, mst_engine_cluster(h->engine)->nodes.pod_count[0], 0);
    host_free(h);
    s.bind = "!gone";
    h = start(&s, true, "ignorable: true");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1 by http://x/bind"));
    t_ok(t, host_saw(h, "bind default/a n1")); /* by the API server */
    t_ok(t, host_saw(h, "event default/a Scheduled: *"));
    host_free(h);
}

/* ---- who is asked ---- */

static void test_extender_managed_resources(struct mst_test *t)
{
    struct script s = { .filter = "!must not be asked" };
    struct host *h = start(&s, false, "managedResources: [{name: a.b/c}]");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_int(t, s.calls, 0);
    t_ok(t, host_saw(h, "bind default/a n1"));
    host_apply(h, "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: default}\nspec: "
                  "{containers: [{name: c, image: i, resources: {limits: {a.b/c: 0}}}]}\n");
    host_run(h);
    t_int(t, s.calls, 1); /* an amount of 0 is a request */
    host_free(h);
}

/* NodeResourcesFit leaves the resource to the extender, in place of what its args say. */
static void test_extender_ignored_resource(struct mst_test *t)
{
    static const char *const pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: default}\nspec: {containers: "
        "[{name: c, image: i, resources: {limits: {a.b/c: 5, d.e/f: %d}}}]}\n";
    for (int other = 0; other < 2; other++) {
        struct script s = { .filter = "{\"NodeNames\":[\"n2\"]}" };
        struct host *h = start(&s, false,
                               "nodeCacheCapable: true, managedResources: [{name: a.b/c, "
                               "ignoredByScheduler: true}]");
        three_nodes(h);
        host_apply(h, mst_arena_printf(&h->arena, pod, other).p);
        host_run(h);
        t_bool(t, host_saw(h, "bind default/b n2"), !other);
        t_bool(t,
               host_saw(h, "pod default/b Unschedulable: 0/3 nodes are available: 3 "
                           "Insufficient d.e/f. preemption: 0/3 nodes are available: 3 "
                           "Preemption is not helpful for scheduling."),
               other);
        host_free(h);
    }
}

static void test_extender_rejection_is_requeued(struct mst_test *t)
{
    struct script s = { .filter = "{\"FailedNodes\":{\"n1\":\"a\",\"n2\":\"a\",\"n3\":\"a\"}}" };
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    bool gated;
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    t_int(t, host_store(h, "a", &gated), MST_STORE_UNSCHEDULABLE);
    s.filter = "{\"NodeNames\":[\"n2\"]}";
    host_node(h, "n4", "cpu: 1", NULL); /* any event will do */
    host_wait(h, 5);
    t_ok(t, host_saw(h, "bind default/a n2"));
    host_free(h);
}

/* ---- groups ---- */

static void test_extender_group(struct mst_test *t)
{
    struct script s = { .filter = "",
                        .except = "n1",
                        .prioritize = "[{\"Host\":\"n3\",\"Score\":5}]" };
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    three_nodes(h);
    host_gang(h, "g", 3, NULL);
    for (int i = 0; i < 3; i++) {
        char name[] = { 'a', (char)('0' + i), '\0' };
        host_add(h, (struct host_pod_spec){ .name = name, .cpu = "2", .group = "g" });
    }
    host_run(h);
    t_ok(t, host_saw(h, "try default/g #1: default/a0 default/a1 default/a2"));
    t_ok(t, !host_saw(h, "try default/g #2*"));
    t_ok(t, host_saw(h, "call http://x/filter default/a0: n1 n2 n3"));
    t_ok(t, host_saw(h, "bind default/a0 n3"));
    t_ok(t, host_saw(h, "bind default/a1 n3"));
    t_ok(t, host_saw(h, "bind default/a2 n2"));
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    t_int(t, mst_engine_cycles(h->engine), 1);
    host_free(h);
}

static void test_extender_group_error(struct mst_test *t)
{
    struct script s = { .filter = "!broken" };
    struct host *h = start(&s, false, "");
    three_nodes(h);
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    host_run(h);
    t_ok(t, host_saw(h, "group default/g False SchedulerError: failed to schedule other pod from a "
                        "pod group: broken"));
    t_ok(t, host_saw(h, "pod default/a SchedulerError: broken"));
    host_free(h);
}

/* ---- while a question is open ---- */

static void test_extender_waits(struct mst_test *t)
{
    struct script s = { .filter = NULL };
    s.filter = "";
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    s.filter = NULL; /* the verb is configured; nobody answers */
    MST_AUTO(mst_buf) before = { 0 }, after = { 0 };
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    mst_cluster_dump(mst_engine_cluster(h->engine), &before);
    host_run(h);
    mst_cluster_dump(mst_engine_cluster(h->engine), &after);
    t_str(t, host_log(h), "call http://x/filter default/a: n1 n2 n3\n");
    t_ok(t, mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)));
    t_ok(t, mst_engine_waits(h->engine));
    t_int(t, mst_engine_cycles(h->engine), 0);
    bool gated;
    t_int(t, mst_queue_attempts(mst_engine_queue(h->engine), false, host_pod(h, "a")), 0);
    t_int(t, host_store(h, "a", &gated), MST_STORE_ACTIVE);
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_run(h);
    t_int(t, s.calls, 1); /* nothing else is attempted meanwhile */
    host_answer_call(h, 1, "{\"NodeNames\":[\"n2\"]}");
    s.filter = "{\"NodeNames\":[\"n3\"]}";
    host_run(h);
    t_ok(t, host_saw(h, "try default/a #1"));
    t_ok(t, host_saw(h, "bind default/a n2"));
    t_ok(t, host_saw(h, "bind default/b n3"));
    host_free(h);
}

/* The cluster changes: the question is another one and is asked anew. */
static void test_extender_asks_again(struct mst_test *t)
{
    struct script s = { .filter = "" };
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    s.filter = NULL;
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    host_node(h, "n4", "cpu: 4", NULL);
    s.filter = "{\"NodeNames\":[\"n4\"]}";
    host_answer_call(h, 1, "{\"NodeNames\":[\"n2\"]}");
    host_run(h);
    t_ok(t, host_saw(h, "call http://x/filter default/a: n1 n2 n3 n4"));
    t_ok(t, host_saw(h, "bind default/a n4"));
    t_int(t, s.calls, 2);
    host_free(h);
}

static void test_extender_gives_up(struct mst_test *t)
{
    struct script s = { .filter = "" };
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    s.filter = NULL;
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    uint32_t rounds = 0;
    for (; rounds < 100 && !host_saw(h, "try *"); rounds++) {
        host_run(h);
        char name[] = { 'm', (char)('0' + rounds / 10), (char)('0' + rounds % 10), '\0' };
        host_node(h, name, "cpu: 4", NULL);
        if (mst_engine_waits(h->engine))
            host_answer_call(h, rounds + 1, "{\"NodeNames\":[\"n1\"]}");
    }
    t_ok(t, rounds > 10);
    t_ok(t, rounds < 100);
    t_ok(t, host_saw(h, "pod default/a SchedulerError: extenders were not asked any more: the "
                        "cluster changed each time before they answered"));
    host_free(h);
}

static void test_extender_pod_goes_meanwhile(struct mst_test *t)
{
    struct script s = { .filter = "" };
    struct host *h = start(&s, false, "nodeCacheCapable: true");
    s.filter = NULL;
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_run(h);
    host_remove(h, MST_KIND_POD, "a");
    t_ok(t, !mst_engine_waits(h->engine));
    s.filter = "{\"NodeNames\":[\"n3\"]}";
    host_run(h);
    t_ok(t, host_saw(h, "bind default/b n3"));
    host_answer_call(h, 1, "{\"NodeNames\":[\"n2\"]}"); /* too late: nobody cares */
    host_run(h);
    t_ok(t, !host_saw(h, "bind default/a*"));
    host_free(h);
}

/* The nominated node is tried alone first; an error there is not the pod's. */
static void test_extender_nominated_node(struct mst_test *t)
{
    struct script s = { .filter = "{\"NodeNames\":[\"n2\"]}" };
    struct host *h = start(&s, true, "nodeCacheCapable: true");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a", .status = "nominatedNodeName: n2" });
    host_run(h);
    t_ok(t, host_saw(h, "call http://x/filter default/a: n2"));
    t_ok(t, host_saw(h, "bind default/a n2"));
    t_int(t, s.calls, 1);
    host_add(h, (struct host_pod_spec){ .name = "b", .status = "nominatedNodeName: n1" });
    host_run(h);
    t_ok(t, host_saw(h, "call http://x/filter default/b: n1"));
    t_ok(t, host_saw(h, "call http://x/filter default/b: n1 n2 n3"));
    t_ok(t, host_saw(h, "bind default/b n2"));
    host_free(h);
}

static void test_extender_explain(struct mst_test *t)
{
    struct script s = { .filter = "{\"FailedNodes\":{\"n1\":\"a\",\"n2\":\"a\",\"n3\":\"a\"}}" };
    struct host *h = start(&s, false, "");
    three_nodes(h);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    struct mst_explanation e;
    struct mst_effects calls = { 0 };
    t_ok(t, !mst_explain(h->engine, false, host_pod(h, "a"), h->now, &h->arena, &e, &calls));
    t_int(t, calls.list.n, 1);
    host_answer_call(h, calls.list.v[0].id, s.filter);
    t_ok(t, mst_explain(h->engine, false, host_pod(h, "a"), h->now, &h->arena, &e, &calls));
    t_str(t, e.classes.v[0].message, "0/3 nodes are available: 3 a.");
    t_int(t, e.classes.v[0].feasible, 0);
    t_int(t, e.classes.v[0].reasons.n, 1);
    t_str(t, e.classes.v[0].reasons.v[0].plugin, "Extender");
    t_int(t, e.classes.v[0].reasons.v[0].nodes.n, 3);
    t_int(t, e.fixes.n, 0); /* who knows what it would say of another node */
    struct mst_pod_answer answer;
    t_ok(t, !mst_explain_scores(h->engine, host_pod(h, "a"), false, &h->arena, &answer, &calls));
    host_answer_call(h, calls.list.v[0].id,
                     "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":"
                     "\"n2\"}}]}}");
    t_ok(t, mst_explain_scores(h->engine, host_pod(h, "a"), false, &h->arena, &answer, &calls));
    t_str(t, answer.host, "n2");
    mst_effects_done(&calls);
    host_free(h);
}

MST_TEST_MAIN(T(test_extender_filter), T(test_extender_with_plugins), T(test_extender_prioritize),
              T(test_extender_one_node_is_not_scored), T(test_extender_bind),
              T(test_extender_bind_fails), T(test_extender_managed_resources),
              T(test_extender_ignored_resource), T(test_extender_rejection_is_requeued),
              T(test_extender_group), T(test_extender_group_error), T(test_extender_waits),
              T(test_extender_asks_again), T(test_extender_gives_up),
              T(test_extender_pod_goes_meanwhile), T(test_extender_nominated_node),
              T(test_extender_explain))
