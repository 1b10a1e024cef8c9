/* What /metrics/resources says of pods: families, units, labels, sharing, rows that come and go. */
#include "daemon/pod_amounts.h"

#include "cluster_helper.h"
#include "tap.h"

struct world {
    struct mst_fixture *f;
    struct mst_pod_amounts *amounts;
    struct mst_buf page;
};

static bool keep(void *ctx, struct mst_object *object)
{
    struct world *w = ctx;
    (void)fixture_object(w->f, object);
    if (object->kind == MST_KIND_POD) {
        const struct mst_meta *meta = &object->u.meta;
        mst_pod_amounts_set(w->amounts,
                            mst_cluster_pod(&w->f->cluster, meta->namespace_, meta->name),
                            &object->u.pod);
    }
    return true;
}

static void apply(struct world *w, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_yaml_init(&reader, mst_str_of(yaml));
    while (mst_yaml_next(&reader, &w->f->arena, &w->f->diags, &doc) == MST_OK)
        mst_api_decode(&w->f->api, doc, keep, w);
    if (w->f->diags.error_count)
        fixture_die(w->f, "not decoded");
}

static void start(struct world *w)
{
    *w = (struct world){ .f = fixture_new("{kind: Node, apiVersion: v1, metadata: {name: n1}}") };
    w->amounts = mst_pod_amounts_new(w->f->syms);
}

static void stop(struct world *w)
{
    mst_pod_amounts_free(w->amounts);
    mst_pod_amounts_free(NULL);
    fixture_free(w->f);
    mst_buf_done(&w->page);
}

static struct mst_str page(struct world *w)
{
    w->page.n = 0;
    mst_pod_amounts_print(w->amounts, &w->f->cluster, &w->page);
    return mst_buf_span(&w->page);
}

#define LIMIT                                                                                      \
    "# HELP kube_pod_resource_limit [STABLE] What a pod may use at most, by resource, in its "     \
    "unit if it has one.\n# TYPE kube_pod_resource_limit gauge\n"
#define REQUEST                                                                                    \
    "# HELP kube_pod_resource_request [STABLE] What a pod asks for, by resource, in its unit if "  \
    "it has one.\n# TYPE kube_pod_resource_request gauge\n"
#define POD(name, spec)                                                                            \
    "{kind: Pod, apiVersion: v1, metadata: {name: " name "}, spec: {" spec "}}\n---\n"

static void test_units_and_labels(struct mst_test *t)
{
    struct world w;
    start(&w);
    t_str(t, page(&w), "");
    apply(&w, POD("a", "nodeName: n1, schedulerName: mine, priorityClassName: "
                       "system-node-critical, containers: [{name: c, "
                       "image: x, resources: {requests: {memory: 100M, cpu: 9m, "
                       "hugepages-2Mi: 4Mi, ephemeral-storage: 1k, "
                       "attachable-volumes-x: 3, example.com/gpu: 2, "
                       "zero.example.com/x: 0}, limits: {hugepages-2Mi: 4Mi, cpu: 1500m, "
                       "example.com/gpu: 2, zero.example.com/x: 0}}}]"));
    static const struct {
        const char *family, *resource, *unit, *value;
    } rows[] = {
        { "limit", "cpu", "cores", "1.5" },
        { "limit", "example.com/gpu", "", "2" },
        { "limit", "hugepages-2Mi", "bytes", "4.194304e+06" },
        { "request", "attachable-volumes-x", "integer", "3" },
        { "request", "cpu", "cores", "0.009000000000000001" },
        { "request", "ephemeral-storage", "bytes", "1000" },
        { "request", "example.com/gpu", "", "2" },
        { "request", "hugepages-2Mi", "bytes", "4.194304e+06" },
        { "request", "memory", "bytes", "1e+08" },
    };
    MST_AUTO(mst_buf) want = { 0 };
    mst_buf_text(&want, LIMIT);
    for (size_t i = 0; i < MST_COUNT(rows); i++) {
        if (i == 3)
            mst_buf_text(&want, REQUEST);
        mst_buf_printf(&want,
                       "kube_pod_resource_%s{namespace=\"default\",node=\"n1\",pod=\"a\","
                       "priority=\"2000001000\",resource=\"%s\",scheduler=\"mine\","
                       "unit=\"%s\"} %s\n",
                       rows[i].family, rows[i].resource, rows[i].unit, rows[i].value);
    }
    mst_buf_char(&want, '\0');
    t_str(t, page(&w), want.p);
    stop(&w);
}

#define SMALL(more) more "containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]"
#define LINE(name, node, value)                                                                    \
    "kube_pod_resource_request{namespace=\"default\",node=\"" node "\",pod=\"" name                \
    "\",priority=\"0\",resource=\"cpu\",scheduler=\"default-scheduler\",unit=\"cores\"} " value    \
    "\n"

static void test_rows_come_and_go(struct mst_test *t)
{
    struct world w;
    start(&w);
    apply(&w, POD("a", SMALL("nodeName: n1, ")) POD("b", SMALL(""))
                  POD("none", "containers: [{name: c, image: x}]"));
    t_int(t, mst_pod_amounts_count(w.amounts), 1); /* both are alike */
    t_str(t, page(&w), REQUEST LINE("a", "n1", "1") LINE("b", "", "1"));
    /* Decided, and not confirmed: the API does not know of it. */
    const uint32_t b = fixture_pod(w.f, "b");
    mst_cluster_place(&w.f->cluster, b, fixture_node(w.f, "n1"));
    mst_cluster_assume(&w.f->cluster, b);
    t_str(t, page(&w), REQUEST LINE("a", "n1", "1") LINE("b", "", "1"));
    mst_cluster_forget(&w.f->cluster, b);
    /* Resized. */
    apply(&w, POD("b", "containers: [{name: c, image: x, resources: {requests: {cpu: 250m}}}]"));
    t_int(t, mst_pod_amounts_count(w.amounts), 2);
    t_str(t, page(&w), REQUEST LINE("a", "n1", "1") LINE("b", "", "0.25"));
    mst_cluster_pod_remove(&w.f->cluster, fixture_pod(w.f, "a"));
    t_str(t, page(&w), REQUEST LINE("b", "", "0.25"));
    /* The row is another pod's now, which asks for nothing. */
    apply(&w, POD("c", "containers: [{name: c, image: x}]"));
    t_str(t, page(&w), REQUEST LINE("b", "", "0.25"));
    t_int(t, mst_pod_amounts_count(w.amounts), 1);
    mst_cluster_pod_remove(&w.f->cluster, fixture_pod(w.f, "b"));
    t_str(t, page(&w), "");
    stop(&w);
}

static void test_names_are_escaped(struct mst_test *t)
{
    struct world w;
    start(&w);
    apply(&w, POD("a", "schedulerName: 'x\"y\\z', containers: [{name: c, image: x, resources: "
                       "{requests: {cpu: 1}}}]"));
    const struct mst_str text = page(&w);
    t_ok(t, memmem(text.p, text.n, "scheduler=\"x\\\"y\\\\z\",unit", 24));
    stop(&w);
}

MST_TEST_MAIN(T(test_units_and_labels), T(test_rows_come_and_go), T(test_names_are_escaped))
