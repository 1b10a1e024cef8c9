/* What extenders are sent and what is made of their answers; errors as upstream prints them. */
#include "framework/extender_call.h"
#include "tap.h"

static void write_pod(void *ctx, const struct mst_ext_pod *pod, struct mst_json_writer *w)
{
    (void)ctx;
    mst_jw_object_begin(w);
    mst_jw_key(w, "pod");
    mst_jw_str(w, pod->name);
    mst_jw_object_end(w);
}

static void write_node(void *ctx, struct mst_str name, struct mst_json_writer *w)
{
    (void)ctx;
    mst_jw_object_begin(w);
    mst_jw_key(w, "node");
    mst_jw_str(w, name);
    mst_jw_object_end(w);
}

static const struct mst_extender_objects objects = { write_pod, write_node, NULL };

static struct mst_cfg_extender extender = {
    .url_prefix = { "http://h:1/a//", 14 },
    .verbs = { [MST_VERB_FILTER] = { "filter", 6 },
               [MST_VERB_PRIORITIZE] = { "p", 1 },
               [MST_VERB_BIND] = { "b", 1 },
               [MST_VERB_PREEMPT] = { "v", 1 } },
};

/* Node b before node a: the map that is sent is in order all the same. */
static struct mst_extender_call call_of(mst_extender_verb verb)
{
    static struct mst_str nodes[] = { { "n2", 2 }, { "n1", 2 } };
    static struct mst_ext_pod pods[] = { { { "ns", 2 }, { "x", 1 }, { "ux", 2 } },
                                         { { "ns", 2 }, { "y", 1 }, { "uy", 2 } } };
    static struct mst_ext_victims victims[2] = { { .node = { "b", 1 }, .pdb_violations = 2 },
                                                 { .node = { "a", 1 } } };
    victims[0].pods.v = pods;
    victims[0].pods.n = 2;
    struct mst_extender_call call = { .extender = &extender,
                                      .verb = verb,
                                      .pod = { { "ns", 2 }, { "p", 1 }, { "up", 2 } } };
    call.nodes = (mst_strs){ nodes, verb == MST_VERB_PREEMPT ? 0 : 2 };
    call.victims.v = victims;
    call.victims.n = verb == MST_VERB_PREEMPT ? 2 : 0;
    return call;
}

static void test_call_bodies(struct mst_test *t)
{
    static const struct {
        mst_extender_verb verb;
        bool cache;
        const char *body;
    } cases[] = {
        { MST_VERB_FILTER, true,
          "{\"Pod\":{\"pod\":\"p\"},\"Nodes\":null,\"NodeNames\":[\"n2\",\"n1\"]}" },
        { MST_VERB_PRIORITIZE, false,
          "{\"Pod\":{\"pod\":\"p\"},\"Nodes\":{\"metadata\":{},\"items\":[{\"node\":\"n2\"},{"
          "\"node\":\"n1\"}]},\"NodeNames\":null}" },
        { MST_VERB_BIND, false,
          "{\"PodName\":\"p\",\"PodNamespace\":\"ns\",\"PodUID\":\"up\",\"Node\":\"n2\"}" },
        { MST_VERB_PREEMPT, true,
          "{\"Pod\":{\"pod\":\"p\"},\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"a\":{"
          "\"Pods\":[],\"NumPDBViolations\":0},\"b\":{\"Pods\":[{\"UID\":\"ux\"},{\"UID\":\"uy\"}],"
          "\"NumPDBViolations\":2}}}" },
        { MST_VERB_PREEMPT, false,
          "{\"Pod\":{\"pod\":\"p\"},\"NodeNameToVictims\":{\"a\":{\"Pods\":[],\"NumPDBViolations\":"
          "0},\"b\":{\"Pods\":[{\"pod\":\"x\"},{\"pod\":\"y\"}],\"NumPDBViolations\":2}},"
          "\"NodeNameToMetaVictims\":null}" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) body = { 0 };
        struct mst_arena arena = { 0 };
        const struct mst_extender_call call = call_of(cases[i].verb);
        struct mst_extender_call copy;
        extender.node_cache = cases[i].cache;
        mst_extender_call_copy(&arena, &call, &copy);
        mst_extender_body(&copy, &objects, &body);
        t_str(t, mst_buf_span(&body), cases[i].body);
        mst_arena_done(&arena);
    }
}

static void test_call_url(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    const struct mst_extender_call call = call_of(MST_VERB_FILTER);
    t_str(t, mst_extender_url(&call, &arena), "http://h:1/a/filter");
    mst_arena_done(&arena);
}

static const struct {
    mst_extender_verb verb;
    const char *body, *error; /* NULL: none */
} errors[] = {
    { MST_VERB_FILTER, "[]",
      "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult" },
    { MST_VERB_FILTER, "1",
      "json: cannot unmarshal number into Go value of type v1.ExtenderFilterResult" },
    { MST_VERB_FILTER, "true",
      "json: cannot unmarshal bool into Go value of type v1.ExtenderFilterResult" },
    { MST_VERB_FILTER, "{\"NodeNames\":\"a\"}",
      "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of type "
      "[]string" },
    { MST_VERB_FILTER, "{\"nodenames\":[1]}",
      "json: cannot unmarshal number into Go struct field ExtenderFilterResult.NodeNames of type "
      "string" },
    { MST_VERB_FILTER, "{\"FailedNodes\":[]}",
      "json: cannot unmarshal array into Go struct field ExtenderFilterResult.FailedNodes of type "
      "v1.FailedNodesMap" },
    { MST_VERB_FILTER, "{\"FailedNodes\":{\"a\":1}}",
      "json: cannot unmarshal number into Go struct field ExtenderFilterResult.FailedNodes of type "
      "string" },
    { MST_VERB_FILTER, "{\"error\":1,\"NodeNames\":3}",
      "json: cannot unmarshal number into Go struct field ExtenderFilterResult.Error of type "
      "string" },
    { MST_VERB_FILTER, "{\"Nodes\":[]}",
      "json: cannot unmarshal array into Go struct field ExtenderFilterResult.Nodes of type "
      "v1.NodeList" },
    { MST_VERB_FILTER, "{\"Nodes\":{\"items\":{}}}",
      "json: cannot unmarshal object into Go struct field NodeList.Nodes.items of type []v1.Node" },
    { MST_VERB_FILTER, "{\"Nodes\":{\"items\":[1]}}",
      "json: cannot unmarshal number into Go struct field NodeList.Nodes.items of type v1.Node" },
    { MST_VERB_FILTER, "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":1}}]}}",
      "json: cannot unmarshal number into Go struct field ObjectMeta.Nodes.items.metadata.name of "
      "type string" },
    { MST_VERB_FILTER, "{\"Nodes\":{\"Items\":[{\"metadata\":1}]}}",
      "json: cannot unmarshal number into Go struct field Node.Nodes.items.metadata of type "
      "v1.ObjectMeta" },
    { MST_VERB_FILTER, "null", NULL },
    { MST_VERB_FILTER, "{\"NodeNames\":[null],\"Nodes\":null,\"FailedNodes\":{\"a\":null}}", NULL },
    { MST_VERB_FILTER, "{\"Error\":\"\"}", NULL },
    { MST_VERB_FILTER, "{\"Error\":\"own\"}", "own" },
    { MST_VERB_PRIORITIZE, "{}",
      "json: cannot unmarshal object into Go value of type v1.HostPriorityList" },
    { MST_VERB_PRIORITIZE, "[1]",
      "json: cannot unmarshal number into Go value of type v1.HostPriority" },
    { MST_VERB_PRIORITIZE, "[{\"host\":1}]",
      "json: cannot unmarshal number into Go struct field HostPriority.Host of type string" },
    { MST_VERB_PRIORITIZE, "[{\"Score\":1.5}]",
      "json: cannot unmarshal number 1.5 into Go struct field HostPriority.Score of type int64" },
    { MST_VERB_PRIORITIZE, "[{\"Score\":99999999999999999999}]",
      "json: cannot unmarshal number 99999999999999999999 into Go struct field HostPriority.Score "
      "of type int64" },
    { MST_VERB_BIND, "[]",
      "json: cannot unmarshal array into Go value of type v1.ExtenderBindingResult" },
    { MST_VERB_BIND, "{\"error\":1}",
      "json: cannot unmarshal number into Go struct field ExtenderBindingResult.Error of type "
      "string" },
    { MST_VERB_BIND, "{\"error\":\"busy\"}", "busy" },
    { MST_VERB_BIND, "{}", NULL },
    { MST_VERB_BIND, "", "EOF" },
    { MST_VERB_PREEMPT, "[]",
      "json: cannot unmarshal array into Go value of type v1.ExtenderPreemptionResult" },
    { MST_VERB_PREEMPT, "{\"NodeNameToMetaVictims\":[]}",
      "json: cannot unmarshal array into Go struct field "
      "ExtenderPreemptionResult.NodeNameToMetaVictims of type map[string]*v1.MetaVictims" },
    { MST_VERB_PREEMPT, "{\"NodeNameToMetaVictims\":{\"a\":1}}",
      "json: cannot unmarshal number into Go struct field "
      "ExtenderPreemptionResult.NodeNameToMetaVictims of type v1.MetaVictims" },
    { MST_VERB_PREEMPT, "{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":1}}}",
      "json: cannot unmarshal number into Go struct field MetaVictims.NodeNameToMetaVictims.Pods "
      "of type []*v1.MetaPod" },
    { MST_VERB_PREEMPT, "{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[{\"UID\":1}]}}}",
      "json: cannot unmarshal number into Go struct field MetaPod.NodeNameToMetaVictims.Pods.UID "
      "of type string" },
    { MST_VERB_PREEMPT, "{\"NodeNameToMetaVictims\":{\"a\":{\"NumPDBViolations\":\"x\"}}}",
      "json: cannot unmarshal string into Go struct field "
      "MetaVictims.NodeNameToMetaVictims.NumPDBViolations of type int64" },
};

static void test_call_errors(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(errors); i++) {
        struct mst_arena arena = { 0 };
        struct mst_extender_answer answer;
        const struct mst_extender_call call = call_of(errors[i].verb);
        t_case(t, errors[i].body);
        mst_extender_read(&call, mst_str_of(errors[i].body), &arena, &answer);
        t_bool(t, answer.error.p != NULL, errors[i].error != NULL);
        if (errors[i].error)
            t_str(t, answer.error, errors[i].error);
        mst_arena_done(&arena);
    }
}

static void test_call_victims_kept(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_extender_answer a;
    const struct mst_extender_call call = call_of(MST_VERB_PREEMPT);
    mst_extender_read(&call,
                      MST_STR("{\"nodeNameToMetaVictims\":{\"b\":{\"pods\":[{\"uid\":\"uy\"},null],"
                              "\"numPDBViolations\":1},\"a\":null}}"),
                      &arena, &a);
    t_int(t, a.kept.n, 2);
    t_str(t, a.kept.v[0].node, "b");
    t_int(t, a.kept.v[0].pdb_violations, 1);
    t_int(t, a.kept.v[0].uids.n, 2);
    t_str(t, a.kept.v[0].uids.v[0], "uy");
    t_str(t, a.kept.v[0].uids.v[1], "");
    t_str(t, a.kept.v[1].node, "a");
    t_int(t, a.kept.v[1].uids.n, 0);
    mst_arena_done(&arena);
}

static void test_call_failed_nodes(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_extender_answer a;
    const struct mst_extender_call call = call_of(MST_VERB_FILTER);
    mst_extender_read(&call,
                      MST_STR("{\"failednodes\":{\"x\":\"1\",\"y\":\"2\"},"
                              "\"failedandunresolvablenodes\":{\"y\":\"3\"}}"),
                      &arena, &a);
    t_int(t, a.failed.n, 2);
    t_str(t, a.failed.v[0].node, "y");
    t_str(t, a.failed.v[0].text, "3");
    t_bool(t, a.failed.v[0].unresolvable, true);
    t_str(t, a.failed.v[1].node, "x");
    t_bool(t, a.failed.v[1].unresolvable, false);
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_call_bodies), T(test_call_url), T(test_call_errors), T(test_call_victims_kept),
              T(test_call_failed_nodes))
