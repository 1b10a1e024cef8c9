/* The smallest change that would let something run: each kind, and that it really would help. */
#include "engine_helper.h"
#include "tap.h"

static void explain(struct host *h, const char *pod, const char *group, struct mst_explanation *out)
{
    (void)mst_explain(h->engine, group != NULL, group ? host_group(h, group) : host_pod(h, pod),
                      h->now, &h->arena, out, &h->out);
    mst_engine_check(h->engine);
}

static const struct mst_fix *find(const struct mst_explanation *e, mst_fix_kind kind)
{
    for (uint32_t i = 0; i < e->fixes.n; i++)
        if (e->fixes.v[i].kind == kind)
            return &e->fixes.v[i];
    return NULL;
}

/* Kind and text of every fix, a line each. */
static struct mst_str texts(struct host *h, const struct mst_explanation *e)
{
    struct mst_str all = MST_STR("");
    for (uint32_t i = 0; i < e->fixes.n; i++)
        all = mst_arena_printf(&h->arena, "%.*s%.*s\n", MST_ARG(all), MST_ARG(e->fixes.v[i].text));
    return all;
}

static void gang(struct host *h, int min, uint32_t n, const char *cpu)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    host_gang(h, "g", min, NULL);
    for (uint32_t i = 0; i < n; i++)
        host_add(h, (struct host_pod_spec){ .name = names[i], .group = "g", .cpu = cpu });
}

static void test_explain_fix_free(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_node(h, "n2", "cpu: 8", NULL);
    host_add(h, (struct host_pod_spec){ .name = "x", .cpu = "3" }); /* takes n2, the emptier one */
    host_run(h);
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "6" });
    host_run(h);
    struct mst_explanation e;
    explain(h, "p", NULL, &e);
    const struct mst_fix *fix = find(&e, MST_FIX_FREE);
    t_ok(t, fix != NULL);
    if (fix) {
        t_str(t, fix->node, "n2");
        t_str(t, fix->resource, "cpu");
        t_int(t, fix->amount, 1000);
        t_str(t, fix->text, "free 1 cpu on node n2");
    }
    fix = find(&e, MST_FIX_NODES);
    t_ok(t, fix && fix->count == 1);
    if (fix)
        t_str(t, fix->text, "add 1 node like n2");
    host_free(h);
}

static void test_explain_fix_gang(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    gang(h, 6, 6, "2");
    host_run(h);
    struct mst_explanation e;
    explain(h, NULL, "g", &e);
    t_str(t, texts(h, &e), "lower minCount from 6 to 2\nadd 2 nodes like n1\n");
    t_int(t, find(&e, MST_FIX_MIN_COUNT)->count, 2);
    t_int(t, find(&e, MST_FIX_NODES)->count, 2);
    /* It is true. */
    host_node(h, "n2", "cpu: 4", NULL);
    host_wait(h, 60);
    t_bool(t, host_saw(h, "bind *"), false);
    host_node(h, "n3", "cpu: 4", NULL);
    host_wait(h, 60);
    t_ok(t, host_saw(h, "group default/g True Scheduled: "));
    host_free(h);
}

/* A full node is a shape like an empty one; one that takes nobody, empty or not, is no answer. */
static void test_explain_fix_no_shape_helps(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_node(h, "n2", "cpu: 8", "unschedulable: true");
    gang(h, 2, 2, "2");
    host_run(h);
    struct mst_explanation e;
    explain(h, NULL, "g", &e);
    t_ok(t, find(&e, MST_FIX_NODES) == NULL);
    t_ok(t, find(&e, MST_FIX_MIN_COUNT) == NULL); /* not even one fits */
    host_free(h);
}

static void test_explain_fix_existence_and_gates(struct mst_test *t)
{
    struct host *h = host_new(false);
    struct mst_explanation e;
    host_node(h, "n1", "cpu: 9", NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "a", .group = "g", .more = "schedulingGates: [{name: x}]" });
    explain(h, NULL, "g", &e);
    t_str(t, texts(h, &e),
          "create the PodGroup default/g\nremove the scheduling gates of default/a: x\n");
    host_gang(h, "g", 3, NULL);
    explain(h, NULL, "g", &e);
    t_str(t, texts(h, &e),
          "create 2 more pods of the group (it has 1 of 3)\n"
          "remove the scheduling gates of default/a: x\n");
    t_int(t, find(&e, MST_FIX_MEMBERS)->count, 2);
    host_add(h, (struct host_pod_spec){
                    .name = "b", .group = "g", .more = "schedulingGates: [{name: z}]" });
    explain(h, NULL, "g", &e);
    t_str(t, texts(h, &e),
          "create 1 more pod of the group (it has 2 of 3)\n"
          "remove the scheduling gates of 2 pods (default/a: x, ...)\n");
    host_free(h);
}

/*
 * A lone pod that would need more than any node offers: nothing to free, no node like one we have.
 */
static void test_explain_fix_nothing_helps(struct mst_test *t)
{
    struct host *h = host_new(false);
    struct mst_explanation e;
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "2" });
    host_run(h);
    explain(h, "p", NULL, &e);
    t_ok(t, find(&e, MST_FIX_NODES) == NULL);
    t_ok(t, find(&e, MST_FIX_FREE) == NULL);
    host_free(h);
}

static void test_explain_fix_without_nodes(struct mst_test *t)
{
    struct host *h = host_new(false);
    struct mst_explanation e;
    gang(h, 2, 2, "1");
    host_run(h);
    explain(h, NULL, "g", &e);
    t_bool(t, e.feasible, false);
    t_ok(t, find(&e, MST_FIX_NODES) == NULL);
    host_free(h);
}

MST_TEST_MAIN(T(test_explain_fix_free), T(test_explain_fix_gang),
              T(test_explain_fix_no_shape_helps), T(test_explain_fix_existence_and_gates),
              T(test_explain_fix_nothing_helps), T(test_explain_fix_without_nodes))
