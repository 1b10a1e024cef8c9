/*
 * test_validate.c - what the golden samples cannot show: gates that are off, places of errors, each
 * text once. The rules themselves: tests/golden/test_validate_golden.c.
 */
#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

struct setup {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_api api;
    bool ok;
};

static bool validate(void *ctx, struct mst_object *object)
{
    struct setup *s = ctx;
    mst_api_default(&s->api, object);
    object->u.meta.namespace_ = mst_sym_of_text(s->api.syms, "default");
    s->ok = mst_api_validate(&s->api, object);
    return true;
}

static void setup(struct mst_test *t, struct setup *s, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    s->api.syms = mst_syms_new();
    s->api.arena = &s->arena;
    s->api.diags = &s->diags;
    mst_yaml_init(&reader, mst_str_of(yaml));
    t_int(t, mst_yaml_next(&reader, &s->arena, &s->diags, &doc), MST_OK);
    t_int(t, mst_api_decode(&s->api, doc, validate, s), 1);
    t_bool(t, s->ok, s->diags.error_count == 0);
}

static void done(struct setup *s)
{
    mst_syms_free(s->api.syms);
    mst_diags_done(&s->diags);
    mst_arena_done(&s->arena);
}

static void test_validate_gates_off(struct mst_test *t)
{
    static const struct {
        const char *yaml, *text;
    } cases[] = {
        { "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: "
          "{schedulingPolicy: {basic: {}}, schedulingConstraints: {topology: [{}, {}]}}}",
          "spec.schedulingConstraints: Forbidden" },
        { "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: "
          "{schedulingPolicy: {basic: {}}, preemptionPolicy: Other}}",
          "spec.preemptionPolicy: Forbidden" },
        { "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: "
          "{schedulingPolicy: {basic: {}}, parentCompositePodGroupName: A, workloadRef: "
          "{workloadName: "
          "w, templateName: t}}}",
          "spec.parentCompositePodGroupName: Forbidden" },
        { "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: "
          "{compositePodGroupTemplates: [{name: A, podGroupTemplates: [{name: B}]}]}}",
          "spec.compositePodGroupTemplates: Forbidden" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s = { 0 };
        t_case(t, cases[i].text);
        setup(t, &s, cases[i].yaml);
        t_int(t, s.diags.list.n, 1);
        t_str(t, s.diags.list.v[0].text, cases[i].text);
        done(&s);
    }
}

static void test_validate_says_where(struct mst_test *t)
{
    struct setup s = { 0 };
    setup(t, &s,
          "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: a\n"
          "    image: i\n    ports:\n    - containerPort: 1\n    - containerPort: 70000\n");
    t_int(t, s.diags.list.n, 1);
    t_str(t, s.diags.list.v[0].object, "Pod default/p");
    t_int(t, s.diags.list.v[0].line, 11);
    t_int(t, s.diags.list.v[0].col, 22);
    done(&s);
}

static void test_validate_says_each_text_once(struct mst_test *t)
{
    struct setup s = { 0 };
    setup(t, &s,
          "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: '-', b: '-'}}, spec: "
          "{containers: [{name: a, image: i}]}}");
    t_int(t, s.diags.error_count, 1);
    done(&s);
}

static void test_validate_accepts(struct mst_test *t)
{
    static const char *const fine[] = {
        "{apiVersion: v1, kind: Pod, metadata: {generateName: p-}, spec: {schedulingGroup: "
        "{podGroupName: g}, containers: [{name: a, image: i, resources: {limits: {nvidia.com/gpu: "
        "8, "
        "hugepages-2Mi: 4Mi, cpu: 1}}}], tolerations: [{operator: Exists}]}}",
        "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: "
        "{podGroupTemplates: [{name: a, schedulingPolicy: {gang: {minCount: 1}}}]}}",
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: Any_Name}, spec: "
        "{minAvailable: 100%}}",
    };
    for (size_t i = 0; i < MST_COUNT(fine); i++) {
        struct setup s = { 0 };
        t_case(t, fine[i]);
        setup(t, &s, fine[i]);
        for (uint32_t k = 0; k < s.diags.list.n; k++)
            t_fail(t, "%.*s", MST_ARG(s.diags.list.v[k].text));
        done(&s);
    }
}

MST_TEST_MAIN(T(test_validate_gates_off), T(test_validate_says_where),
              T(test_validate_says_each_text_once), T(test_validate_accepts))
