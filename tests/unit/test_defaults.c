/* test_defaults.c - what decoding fills in. */
#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

#include "unit/quantity_vectors.h"

struct setup {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_api api;
    struct mst_object *object;
};

static bool keep(void *ctx, struct mst_object *object)
{
    ((struct setup *)ctx)->object = object;
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
    if (mst_yaml_next(&reader, &s->arena, &s->diags, &doc) == MST_OK)
        mst_api_decode(&s->api, doc, keep, s);
    t_int(t, s->diags.list.n, 0);
    if (!s->object)
        s->object = MST_NEW(&s->arena, struct mst_object);
    mst_api_default(&s->api, s->object);
}

static void done(struct setup *s)
{
    mst_syms_free(s->api.syms);
    mst_diags_done(&s->diags);
    mst_arena_done(&s->arena);
}

/* "cpu=1 memory=2Gi" */
static struct mst_str shown(struct setup *s, const mst_resources *list)
{
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < list->n; i++)
        text = mst_arena_printf(&s->arena, "%.*s%s%.*s=%.*s", MST_ARG(text), i ? " " : "",
                                MST_ARG(mst_sym_str(s->api.syms, list->v[i].name)),
                                MST_ARG(mst_quantity_text(&list->v[i].quantity, &s->arena)));
    return text;
}

static void test_defaults_pod(struct mst_test *t)
{
    struct setup s = { 0 };
    setup(
        t, &s,
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {hostNetwork: true, "
        "volumes: [{name: v}], containers: [{name: c, ports: [{containerPort: 80}, {containerPort: "
        "1, "
        "hostPort: 2, protocol: UDP}], resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: "
        "100u}}}]}}");
    const struct mst_pod_spec *spec = &s.object->u.pod.spec;
    t_str(t, mst_sym_str(s.api.syms, spec->restart_policy), "Always");
    t_str(t, mst_sym_str(s.api.syms, spec->scheduler_name), "default-scheduler");
    t_int(t, spec->termination_grace_s.value, 30);
    t_int(t, spec->volumes.v[0].source_count, 1);
    const struct mst_container *c = &spec->containers.v[0];
    t_int(t, c->ports.v[0].host_port, 80);
    t_str(t, mst_sym_str(s.api.syms, c->ports.v[0].protocol), "TCP");
    t_int(t, c->ports.v[1].host_port, 2);
    t_str(t, mst_sym_str(s.api.syms, c->ports.v[1].protocol), "UDP");
    t_str(t, shown(&s, &c->resources.requests), "cpu=1m memory=1Gi");
    done(&s);
}

static void test_defaults_keep_what_is_there(struct mst_test *t)
{
    struct setup s = { 0 };
    setup(t, &s,
          "{apiVersion: v1, kind: Pod, spec: {restartPolicy: Never, schedulerName: x, "
          "terminationGracePeriodSeconds: -5, containers: [{name: c, ports: [{containerPort: "
          "80}]}]}}");
    const struct mst_pod_spec *spec = &s.object->u.pod.spec;
    t_str(t, mst_sym_str(s.api.syms, spec->restart_policy), "Never");
    t_str(t, mst_sym_str(s.api.syms, spec->scheduler_name), "x");
    t_int(t, spec->termination_grace_s.value, 1);
    t_int(t, spec->containers.v[0].ports.v[0].host_port, 0);
    t_ok(t, spec->containers.v[0].resources.requests.v == NULL);
    done(&s);
}

static void test_defaults_pod_level(struct mst_test *t)
{
    static const struct {
        const char *resources, *limits, *requests;
    } cases[] = {
        { "{}", "", "" },
        { "{requests: {cpu: 3}}", "hugepages-2Mi=4Mi", "cpu=3 memory=1Gi hugepages-2Mi=4Mi" },
        { "{limits: {cpu: 3}}", "cpu=3 hugepages-2Mi=4Mi", "cpu=1 memory=1Gi hugepages-2Mi=4Mi" },
        { "{limits: {memory: 9Gi}, requests: {hugepages-2Mi: 8Mi}}", "memory=9Gi hugepages-2Mi=8Mi",
          "hugepages-2Mi=8Mi cpu=1 memory=1Gi" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s = { 0 };
        MST_AUTO(mst_buf) yaml = { 0 };
        t_case(t, cases[i].resources);
        mst_buf_printf(&yaml,
                       "{apiVersion: v1, kind: Pod, spec: {resources: %s, containers: [{name: c, "
                       "resources: {requests: {cpu: 1, memory: 1Gi}, limits: {hugepages-2Mi: "
                       "4Mi}}}]}}%c",
                       cases[i].resources, 0);
        setup(t, &s, yaml.p);
        const struct mst_requirements_resources *r = &s.object->u.pod.spec.resources;
        t_str(t, shown(&s, &r->limits), cases[i].limits);
        t_str(t, shown(&s, &r->requests), cases[i].requests);
        done(&s);
    }
}

static void test_defaults_round_to_thousandths(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(vectors); i++) {
        struct setup s = { 0 };
        MST_AUTO(mst_buf) yaml = { 0 };
        if (vectors[i].error)
            continue;
        t_case(t, vectors[i].in);
        mst_buf_printf(&yaml, "{apiVersion: v1, kind: Node, status: {capacity: {cpu: '%s'}}}%c",
                       vectors[i].in, 0);
        setup(t, &s, yaml.p);
        const struct mst_node *node = &s.object->u.node;
        t_int(t, node->capacity.n, 1);
        if (node->capacity.n == 1)
            t_str(t, mst_quantity_text(&node->capacity.v[0].quantity, &s.arena),
                  vectors[i].rounded);
        t_ok(t, node->allocatable.n == 1 && node->allocatable_set);
        done(&s);
    }
}

static void test_defaults_groups(struct mst_test *t)
{
    static const struct {
        const char *mode;
        bool upstream, gate;
        mst_disruption disruption;
        bool policy;
    } cases[] = {
        { "null", false, true, MST_DISRUPT_SINGLE, false },
        { "{}", false, false, MST_DISRUPT_EMPTY, false },
        { "{all: {}}", true, false, MST_DISRUPT_ALL, false },
        { "{single: null}", true, true, MST_DISRUPT_EMPTY, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct setup s = { .api = { .upstream = cases[i].upstream,
                                    .preemption_policy = cases[i].gate } };
        MST_AUTO(mst_buf) yaml = { 0 };
        t_case(t, cases[i].mode);
        mst_buf_printf(&yaml,
                       "{apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, "
                       "spec: {disruptionMode: %s}}%c",
                       cases[i].mode, 0);
        setup(t, &s, yaml.p);
        t_int(t, s.object->u.group.spec.disruption, cases[i].disruption);
        t_bool(t, s.object->u.group.spec.preemption_policy != MST_SYM_NONE, cases[i].policy);
        done(&s);
    }
}

MST_TEST_MAIN(T(test_defaults_pod), T(test_defaults_keep_what_is_there), T(test_defaults_pod_level),
              T(test_defaults_round_to_thousandths), T(test_defaults_groups))
