/* NodeName: restriction by PreFilter, and the filter when it is asked directly. */
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

static const char cluster[] = "kind: Node\napiVersion: v1\nmetadata: {name: n1}\n---\n"
                              "kind: Node\napiVersion: v1\nmetadata: {name: n2}\n---\n"
                              "kind: Pod\napiVersion: v1\nmetadata: {name: free}\n"
                              "spec: {containers: [{name: c}]}\n---\n"
                              "kind: Pod\napiVersion: v1\nmetadata: {name: bound}\n"
                              "spec: {nodeName: n2, containers: [{name: c}]}\n";

/* An assigned pod has no class of its own, so one that asks for a node is made here. */
static void ask(struct mst_fixture *f, mst_sym want, struct mst_pre_filter *pre,
                mst_verdict *verdict)
{
    struct mst_class klass = *fixture_class(f, "free");
    const struct mst_plugin *p = &mst_plugin_node_name;
    klass.node_name = want;
    p->pre_filter(&f->view, NULL, &klass, &f->arena, pre);
    p->filter(&f->view, NULL, pre->state, 0, f->cluster.nodes.count, FIXTURE_REJECT, verdict);
}

static void test_node_name_free_pod_fits_everywhere(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_name, NULL);
    t_str(t, fixture_verdict(f, &p, "free", "n1"), "Success");
    t_str(t, fixture_verdict(f, &p, "free", "n2"), "Success");
    struct mst_pre_filter pre;
    (void)fixture_filter(f, &p, "free", &pre);
    t_bool(t, pre.restrict_names, false);
    fixture_free(f);
}

static void test_node_name_restricts_and_rejects(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_pre_filter pre;
    mst_verdict verdict[2] = { 0 };
    const mst_sym n2 = mst_sym_of_text(f->syms, "n2");
    ask(f, n2, &pre, verdict);
    t_int(t, pre.code, MST_SUCCESS);
    t_bool(t, pre.restrict_names, true);
    t_int(t, pre.names.n, 1);
    t_int(t, pre.names.v[0], n2);
    const uint32_t row1 = fixture_node(f, "n1"), row2 = fixture_node(f, "n2");
    t_int(t, verdict[row2], MST_VERDICT_OK);
    t_ok(t, verdict[row1] & MST_VERDICT_UNRESOLVABLE);
    struct mst_reasons reasons = { .arena = &f->arena };
    mst_plugin_node_name.explain(&f->view, NULL, pre.state, row1, verdict[row1], &reasons);
    t_int(t, reasons.n, 1);
    t_str(t, reasons.v[0], "node(s) didn't match the requested node name");
    fixture_free(f);
}

static void test_node_name_keeps_earlier_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct mst_pre_filter pre;
    mst_verdict verdict[2] = { 7, 7 };
    ask(f, mst_sym_of_text(f->syms, "elsewhere"), &pre, verdict);
    t_int(t, verdict[0], 7);
    t_int(t, verdict[1], 7);
    t_int(t, pre.names.n, 1);
    fixture_free(f);
}

static void test_node_name_wakes_on_new_nodes(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_name, NULL);
    const char *yaml = "kind: Node\napiVersion: v1\nmetadata: {name: n3}\n";
    t_int(t, fixture_node_hint(f, &p, "free", "n3", yaml, MST_ACT_ADD), MST_HINT_QUEUE);
    t_int(t, fixture_node_hint(f, &p, "free", "n3", yaml, MST_ACT_UPDATE_NODE_LABEL),
          MST_HINT_SKIP);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_node_name_free_pod_fits_everywhere), T(test_node_name_restricts_and_rejects),
              T(test_node_name_keeps_earlier_verdicts), T(test_node_name_wakes_on_new_nodes))
