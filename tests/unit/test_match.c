/* test_match.c - selectors and tolerations, case by case. */
#include <stdio.h>

#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

struct setup {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_syms *syms;
    struct mst_pod *pod;
};

static bool keep(void *ctx, struct mst_object *object)
{
    ((struct setup *)ctx)->pod = &object->u.pod;
    return true;
}

/* The pod of a YAML flow mapping; an empty one when it does not decode. */
static void setup(struct mst_test *t, struct setup *s, const char *metadata, const char *spec)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    *s = (struct setup){ .syms = mst_syms_new() };
    struct mst_api api = { .syms = s->syms, .arena = &s->arena, .diags = &s->diags };
    mst_yaml_init(&reader, mst_arena_printf(&s->arena,
                                            "{apiVersion: v1, kind: Pod, metadata: %s, "
                                            "spec: %s}",
                                            metadata, spec));
    if (mst_yaml_next(&reader, &s->arena, &s->diags, &doc) == MST_OK)
        mst_api_decode(&api, doc, keep, s);
    t_int(t, s->diags.list.n, 0);
    if (!s->pod)
        s->pod = MST_NEW(&s->arena, struct mst_pod);
}

static void done(struct setup *s)
{
    mst_diags_done(&s->diags);
    mst_arena_done(&s->arena);
    mst_syms_free(s->syms);
}

static void test_label_selector(struct mst_test *t)
{
    static const struct {
        const char *selector;
        bool matches, bad;
    } cases[] = {
        /* against {a: x, b: ""} */
        { "null", false, false },
        { "{}", true, false },
        { "{matchLabels: {a: x}}", true, false },
        { "{matchLabels: {a: x, b: ''}}", true, false },
        { "{matchLabels: {a: z}}", false, false },
        { "{matchLabels: {c: ''}}", false, false },
        { "{matchExpressions: [{key: a, operator: In, values: [w, x]}]}", true, false },
        { "{matchExpressions: [{key: c, operator: In, values: ['']}]}", false, false },
        { "{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}", false, false },
        { "{matchExpressions: [{key: c, operator: NotIn, values: [x]}]}", true, false },
        { "{matchExpressions: [{key: b, operator: Exists}]}", true, false },
        { "{matchExpressions: [{key: c, operator: Exists}]}", false, false },
        { "{matchExpressions: [{key: c, operator: DoesNotExist}]}", true, false },
        { "{matchExpressions: [{key: b, operator: DoesNotExist}]}", false, false },
        { "{matchLabels: {a: x}, matchExpressions: [{key: b, operator: NotIn, values: ['']}]}",
          false, false },
        { "{matchExpressions: [{key: a, operator: In}]}", false, true },
        { "{matchExpressions: [{key: a, operator: Exists, values: [x]}]}", false, true },
        { "{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}", false, true },
        { "{matchExpressions: [{key: a, operator: in, values: [x]}]}", false, true },
        /* an invalid requirement spoils the selector even where another one decides */
        { "{matchLabels: {a: z}, matchExpressions: [{key: a, operator: In}]}", false, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s;
        char spec[300];
        t_case(t, cases[i].selector);
        snprintf(spec, sizeof(spec), "{topologySpreadConstraints: [{labelSelector: %s}]}",
                 cases[i].selector);
        setup(t, &s, "{labels: {a: x, b: ''}}", spec);
        bool bad;
        t_int(t, s.pod->spec.spread.n, 1);
        t_bool(t,
               mst_label_selector_matches(&s.pod->spec.spread.v[0].label_selector,
                                          s.pod->meta.labels, &bad),
               cases[i].matches);
        t_bool(t, bad, cases[i].bad);
        done(&s);
    }
}

#define KEY_TEXT                                                                                   \
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "  \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static const struct {
    const char *term;
    bool matches;
    const char *error; /* NULL: none */
} node_terms[] = {
    /* against labels {a: x, num: "5", neg: "-3"}, name node-1 */
    { "{}", false, NULL },
    { "{matchExpressions: [{key: a, operator: In, values: [x]}]}", true, NULL },
    { "{matchExpressions: [{key: num, operator: Gt, values: ['4']}]}", true, NULL },
    { "{matchExpressions: [{key: num, operator: Gt, values: ['5']}]}", false, NULL },
    { "{matchExpressions: [{key: num, operator: Lt, values: ['6']}]}", true, NULL },
    { "{matchExpressions: [{key: a, operator: Lt, values: ['6']}]}", false, NULL },
    { "{matchExpressions: [{key: none, operator: Lt, values: ['6']}]}", false, NULL },
    { "{matchExpressions: [{key: num, operator: Gt, values: ['x']}]}", false,
      "matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the "
      "value must "
      "be an integer" },
    { "{matchExpressions: [{key: num, operator: Gt, values: ['1', '2']}]}", false,
      "matchExpressions[0].values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, "
      "exactly "
      "one value is required" },
    { "{matchExpressions: [{key: a, operator: In}]}", false,
      "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values "
      "set "
      "can't be empty" },
    { "{matchExpressions: [{key: a, operator: Near}]}", false,
      "matchExpressions[0].operator: Unsupported value: \"Near\": supported values: "
      "\"DoesNotExist\", \"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"" },
    { "{matchExpressions: [{key: 'a b', operator: Exists}]}", false,
      "matchExpressions[0].key: Invalid value: \"a b\": " KEY_TEXT },
    { "{matchFields: [{key: metadata.name, operator: In, values: [node-1]}]}", true, NULL },
    { "{matchFields: [{key: metadata.name, operator: NotIn, values: [node-1]}]}", false, NULL },
    { "{matchFields: [{key: metadata.name, operator: NotIn, values: [node-2]}]}", true, NULL },
    { "{matchFields: [{key: metadata.uid, operator: In, values: [node-1]}]}", false, NULL },
    { "{matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}", false,
      "matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one element" },
    { "{matchFields: [{key: metadata.name, operator: Exists}]}", false,
      "matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", "
      "\"NotIn\"" },
    { "{matchExpressions: [{key: a, operator: In}], matchFields: [{key: metadata.name, "
      "operator: "
      "Exists}]}",
      false,
      "[matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values "
      "set "
      "can't be empty, matchFields[0].operator: Unsupported value: \"Exists\": supported "
      "values: "
      "\"In\", \"NotIn\"]" },
};

static void test_node_term(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(node_terms); i++) {
        struct setup s;
        char spec[500];
        t_case(t, node_terms[i].term);
        snprintf(spec, sizeof(spec),
                 "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: [%s]}}}}",
                 node_terms[i].term);
        setup(t, &s, "{labels: {a: x, num: '5', neg: '-3'}}", spec);
        t_int(t, s.pod->spec.node_affinity.required.terms.n, 1);
        const struct mst_node_selector_term *term = s.pod->spec.node_affinity.required.terms.v;
        mst_sym name = mst_sym_of_text(s.syms, "node-1");
        t_bool(t, mst_node_term_matches(s.syms, term, s.pod->meta.labels, name),
               node_terms[i].matches);
        struct mst_str error = mst_node_term_error(s.syms, term, &s.arena);
        t_bool(t, error.p != NULL, node_terms[i].error != NULL);
        if (error.p && node_terms[i].error)
            t_str(t, error, node_terms[i].error);
        done(&s);
    }
}

/* Lt and Gt compare numbers, with the gate. */
static void test_toleration_comparison(struct mst_test *t)
{
    static const struct {
        const char *op, *value, *taint;
        bool tolerates;
    } cases[] = {
        { "Lt", "7", "5", true },     { "Lt", "5", "5", false },
        { "Gt", "5", "7", true },     { "Gt", "7", "5", false },
        { "Gt", "-3", "0", true },    { "Lt", "7", "05", false },
        { "Lt", "7", "", false },     { "Lt", "x", "5", false },
        { "Lt", "7", "five", false }, { "Lt", "9223372036854775808", "1", false },
        { "Lt", "7", "-0", false },   { "Gt", "-9223372036854775808", "9223372036854775807", true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s;
        char spec[200];
        t_case(t, cases[i].taint);
        snprintf(spec, sizeof(spec), "{tolerations: [{key: k, operator: %s, value: '%s'}]}",
                 cases[i].op, cases[i].value);
        setup(t, &s, "{}", spec);
        struct mst_taint taint = { mst_sym_of_text(s.syms, "k"),
                                   mst_sym_of_text(s.syms, cases[i].taint),
                                   mst_sym_of_text(s.syms, "NoSchedule") };
        const struct mst_toleration *toleration = s.pod->spec.tolerations.v;
        t_bool(t, mst_toleration_tolerates(s.syms, toleration, &taint, true), cases[i].tolerates);
        t_bool(t, mst_toleration_tolerates(s.syms, toleration, &taint, false), false);
        done(&s);
    }
}

static void test_toleration(struct mst_test *t)
{
    static const struct {
        const char *toleration;
        bool tolerates; /* k=v:NoSchedule */
    } cases[] = {
        { "{}", false },
        { "{value: v}", true },
        { "{operator: Exists}", true },
        { "{key: k, operator: Exists}", true },
        { "{key: j, operator: Exists}", false },
        { "{key: k, value: v}", true },
        { "{key: k, operator: Equal, value: v}", true },
        { "{key: k, operator: Equal, value: w}", false },
        { "{key: k, operator: Exists, effect: NoSchedule}", true },
        { "{key: k, operator: Exists, effect: NoExecute}", false },
        { "{key: k, operator: Lt, value: v}", false },
        { "{key: k, operator: Other, value: v}", false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s;
        char spec[200];
        t_case(t, cases[i].toleration);
        snprintf(spec, sizeof(spec), "{tolerations: [%s]}", cases[i].toleration);
        setup(t, &s, "{}", spec);
        struct mst_taint taint = { mst_sym_of_text(s.syms, "k"), mst_sym_of_text(s.syms, "v"),
                                   mst_sym_of_text(s.syms, "NoSchedule") };
        t_int(t, s.pod->spec.tolerations.n, 1);
        t_bool(t, mst_toleration_tolerates(s.syms, s.pod->spec.tolerations.v, &taint, false),
               cases[i].tolerates);
        done(&s);
    }
}

MST_TEST_MAIN(T(test_label_selector), T(test_node_term), T(test_toleration),
              T(test_toleration_comparison))
