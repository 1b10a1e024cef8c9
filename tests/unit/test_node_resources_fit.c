/* NodeResourcesFit: the filter's checks and reasons, ignored resources, hints. */
#include "base/rng.h"
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, alloc)                                                                          \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nstatus: {allocatable: {" alloc   \
    "}}\n"
#define POD(name, spec, requests)                                                                  \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name "}\nspec: {" spec                     \
    "containers: [{name: c, image: i, resources: {requests: {" requests "}}}]}\n"

/* clang-format off */
static const char cluster[] =
    NODE("n1", "cpu: 4, memory: 8Gi, pods: 3, ephemeral-storage: 10Gi, a.b/gpu: 2, "
               "hugepages-2Mi: 4Mi")
    NODE("full", "cpu: 4, memory: 8Gi, pods: 1")
    NODE("bare", "pods: 10")
    POD("used", "nodeName: n1, ", "cpu: 3, memory: 6Gi, a.b/gpu: 1")
    POD("one", "nodeName: full, ", "cpu: 1")
    POD("none", "", "")
    POD("exact", "", "cpu: 1, memory: 2Gi")
    POD("milli", "", "cpu: 1001m")
    POD("huge", "", "cpu: 5")
    POD("many", "", "cpu: 2, memory: 9Gi, ephemeral-storage: 11Gi, a.b/gpu: 2, hugepages-2Mi: 8Mi, "
                    "c.d/x: 1")
    POD("zero", "", "cpu: 0, a.b/gpu: 0")
    POD("gpu", "", "a.b/gpu: 2");
/* clang-format on */

static const struct {
    const char *pod, *node, *verdict;
} verdicts[] = {
    { "none", "n1", "Success" },
    { "none", "full", "U: Too many pods" },
    { "exact", "n1", "Success" },
    { "milli", "n1", "U: Insufficient cpu" },
    { "huge", "n1", "UaU: Insufficient cpu" },
    { "huge", "full", "UaU: Too many pods, Insufficient cpu" },
    { "exact", "full", "U: Too many pods" },
    { "exact", "bare", "UaU: Insufficient cpu, Insufficient memory" },
    { "many", "n1",
      "UaU: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, "
      "Insufficient a.b/gpu, Insufficient c.d/x, Insufficient hugepages-2Mi" },
    { "zero", "bare", "Success" },
    { "gpu", "n1", "U: Insufficient a.b/gpu" },
    { "gpu", "bare", "UaU: Insufficient a.b/gpu" },
};

static void test_fit_verdicts_and_reasons(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, NULL);
    for (size_t i = 0; i < MST_COUNT(verdicts); i++) {
        t_case(t, verdicts[i].pod);
        t_str(t, fixture_verdict(f, &p, verdicts[i].pod, verdicts[i].node), verdicts[i].verdict);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_fit_ignored_resources(struct mst_test *t)
{
    static const struct {
        const char *args, *verdict;
    } cases[] = {
        { "{ignoredResources: [a.b/gpu]}",
          "UaU: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, "
          "Insufficient c.d/x, Insufficient hugepages-2Mi" },
        { "{ignoredResourceGroups: [a.b, c.d]}",
          "UaU: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, "
          "Insufficient hugepages-2Mi" },
        /* only extended resources can be ignored */
        { "{ignoredResources: [cpu, hugepages-2Mi, c.d/x]}",
          "UaU: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, "
          "Insufficient a.b/gpu, Insufficient hugepages-2Mi" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, cases[i].args);
        t_case(t, cases[i].args);
        t_str(t, fixture_verdict(f, &p, "many", "n1"), cases[i].verdict);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* More scalars than a verdict has bits: explain looks again, and says each that is short. */
static void test_fit_more_scalars_than_bits(struct mst_test *t)
{
    MST_AUTO(mst_buf) yaml = { 0 };
    enum { SCALARS = 28 };
    mst_buf_text(&yaml, "kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {allocatable: "
                        "{pods: 5");
    for (uint32_t i = 0; i < SCALARS; i++)
        mst_buf_printf(&yaml, ", x.y/r%02u: %u", i, i == 3 || i == 22 || i == 27 ? 1 : 9);
    mst_buf_text(&yaml, "}}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: "
                        "{containers: [{name: c, image: i, resources: {requests: {cpu: 0");
    for (uint32_t i = 0; i < SCALARS; i++)
        mst_buf_printf(&yaml, ", x.y/r%02u: 2", i);
    mst_buf_text(&yaml, "}}}]}\n");
    mst_buf_char(&yaml, '\0');
    struct mst_fixture *f = fixture_new(yaml.p);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, NULL);
    t_str(t, fixture_verdict(f, &p, "p", "n1"),
          "UaU: Insufficient x.y/r03, Insufficient x.y/r22, Insufficient x.y/r27");
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* ---- the twin: one row, one check at a time ---- */

static mst_verdict naive(const struct mst_nodes *nodes, const struct mst_usage *usage, uint32_t row)
{
    mst_verdict v = 0;
    if (nodes->pod_count[row] + INT64_C(1) > nodes->pods_allowed[row])
        v |= 1;
    for (uint32_t i = 0; i < usage->amounts.n; i++) {
        const struct mst_amount *a = &usage->amounts.v[i];
        const int64_t alloc = nodes->allocatable[a->resource][row];
        /* cpu, memory, ephemeral-storage, then the one scalar of this test */
        const uint32_t bit = a->resource < MST_RES_FIXED ? 1 + a->resource : 4;
        if (a->amount > alloc - nodes->requested[a->resource][row])
            v |= 1u << bit;
        if (a->amount > alloc)
            v |= MST_VERDICT_UNRESOLVABLE;
    }
    return v ? v | FIXTURE_REJECT : 0;
}

static struct mst_fixture *many_nodes(uint32_t n)
{
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < n; i++)
        mst_buf_printf(&yaml,
                       "kind: Node\napiVersion: v1\nmetadata: {name: n%u}\nstatus: {allocatable: "
                       "{cpu: 1, memory: 1, pods: 1, a.b/gpu: 1}}\n---\n",
                       i);
    mst_buf_text(&yaml, POD("p", "", "cpu: 300m, memory: 77, a.b/gpu: 3"));
    mst_buf_char(&yaml, '\0');
    return fixture_new(yaml.p);
}

static void test_fit_agrees_with_naive_twin(struct mst_test *t)
{
    enum { ROWS = 700, ROUNDS = 30 };
    struct mst_fixture *f = many_nodes(ROWS);
    struct mst_nodes *nodes = &f->cluster.nodes;
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, NULL);
    const struct mst_usage *usage = mst_cluster_usage(&f->cluster, fixture_class(f, "p")->usage);
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t row = 0; row < ROWS; row++) {
            for (uint32_t r = 0; r < nodes->resource_count; r++) {
                nodes->allocatable[r][row] = (int64_t)mst_rng_below(&rng, 600);
                nodes->requested[r][row] = (int64_t)mst_rng_below(&rng, 600);
            }
            nodes->pod_count[row] = (uint32_t)mst_rng_below(&rng, 4);
            nodes->pods_allowed[row] = (int64_t)mst_rng_below(&rng, 5);
        }
        struct mst_pre_filter pre;
        const mst_verdict *got = fixture_filter(f, &p, "p", &pre);
        uint32_t wrong = 0;
        for (uint32_t row = 0; row < ROWS; row++)
            wrong += got[row] != naive(nodes, usage, row);
        t_int(t, wrong, 0);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* ---- hints ---- */

static void test_fit_node_hints(struct mst_test *t)
{
    static const struct {
        const char *name, *pod, *yaml;
        uint32_t action;
        mst_hint hint;
    } cases[] = {
        { "new and large enough", "exact", NODE("x", "cpu: 1, memory: 2Gi, pods: 1"), MST_ACT_ADD,
          MST_HINT_QUEUE },
        { "new and too small", "exact", NODE("x", "cpu: 1, memory: 1Gi, pods: 1"), MST_ACT_ADD,
          MST_HINT_SKIP },
        { "new without room for pods", "none", NODE("x", "cpu: 1"), MST_ACT_ADD, MST_HINT_SKIP },
        { "what the pod asks for rose", "milli", NODE("full", "cpu: 5, memory: 8Gi, pods: 1"),
          MST_ACT_UPDATE_NODE_ALLOCATABLE, MST_HINT_QUEUE },
        { "something else rose", "milli", NODE("full", "cpu: 4, memory: 9Gi, pods: 1"),
          MST_ACT_UPDATE_NODE_ALLOCATABLE, MST_HINT_SKIP },
        { "room for pods rose", "milli", NODE("full", "cpu: 4, memory: 8Gi, pods: 2"),
          MST_ACT_UPDATE_NODE_ALLOCATABLE, MST_HINT_QUEUE },
        { "rose, not enough", "huge", NODE("bare", "cpu: 4, pods: 10"),
          MST_ACT_UPDATE_NODE_ALLOCATABLE, MST_HINT_SKIP },
        { "a scalar rose", "gpu", NODE("n1", "pods: 3, a.b/gpu: 3"),
          MST_ACT_UPDATE_NODE_ALLOCATABLE, MST_HINT_QUEUE },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_fixture *f = fixture_new(cluster);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, NULL);
        const char *name = strstr(cases[i].yaml, "{name: ") + strlen("{name: ");
        const char *node = mst_arena_str(&f->arena, (struct mst_str){ name, strcspn(name, "}") }).p;
        t_case(t, cases[i].name);
        t_int(t, fixture_node_hint(f, &p, cases[i].pod, node, cases[i].yaml, cases[i].action),
              cases[i].hint);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

static void test_fit_pod_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_resources_fit, NULL);
    struct mst_cluster_event e = { .resource = MST_ON_ASSIGNED_POD, .actions = MST_ACT_DELETE };
    e.pod = fixture_pod(f, "used");
    t_int(t, fixture_hint(f, &p, "gpu", &e), MST_HINT_QUEUE);
    e.pod = fixture_pod(f, "milli"); /* held a seat, if only a promised one */
    t_int(t, fixture_hint(f, &p, "gpu", &e), MST_HINT_QUEUE);

    e.actions = MST_ACT_UPDATE_POD_SCALE_DOWN;
    e.pod = fixture_pod(f, "used");
    e.old_usage = f->cluster.pods.v[e.pod].usage;
    e.new_usage = fixture_class(f, "gpu")->usage; /* no cpu left, more gpu */
    t_int(t, fixture_hint(f, &p, "milli", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "gpu", &e), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "none", &e), MST_HINT_SKIP);
    e.resource = MST_ON_TARGET_POD;
    t_int(t, fixture_hint(f, &p, "none", &e), MST_HINT_QUEUE);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_fit_bad_args_are_errors(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_err err = { 0 };
    const struct fixture_plugin p = fixture_plugin_try(f, &mst_plugin_node_resources_fit,
                                                       "{scoringStrategy: {type: Best}}", &err);
    t_ok(t, p.instance == NULL);
    t_text(
        t, err.text,
        "scoringStrategy.type: Unsupported value: \"Best\": supported values: \"LeastAllocated\", "
        "\"MostAllocated\", \"RequestedToCapacityRatio\"");
    fixture_free(f);
}

MST_TEST_MAIN(T(test_fit_verdicts_and_reasons), T(test_fit_ignored_resources),
              T(test_fit_more_scalars_than_bits), T(test_fit_agrees_with_naive_twin),
              T(test_fit_node_hints), T(test_fit_pod_hints), T(test_fit_bad_args_are_errors))
