/* Objects as the API server shows them, and that reading them back changes nothing. */
#include "sim/show.h"

#include "sim_fixture.h"

static void show(struct fixture *f, uint32_t i, struct mst_buf *out)
{
    struct mst_arena arena = { 0 };
    struct mst_json_writer w = { .out = out };
    mst_doc_write(mst_show_object(f->syms, &f->scenario.docs.v[i].object, &arena), &w);
    mst_arena_done(&arena);
}

static void test_show_pod_with_defaults(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) out = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {x: z}}\n"
                 "spec: {unmodelled: [1.50, null], containers: [{name: c, image: i, "
                 "resources: {limits: {cpu: 500m}}}]}\n");
    show(&f, 0, &out);
    t_str(
        t, mst_buf_span(&out),
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":"
        "\"z\"},\"namespace\":\"default\",\"uid\":\"pod-default-a\",\"generation\":1,"
        "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"unmodelled\":[1.5,null],"
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":"
        "\"500m\"},\"requests\":{\"cpu\":\"500m\"}}}],\"restartPolicy\":\"Always\","
        "\"schedulerName\":\"default-scheduler\",\"preemptionPolicy\":\"PreemptLowerPriority\","
        "\"priority\":0,\"terminationGracePeriodSeconds\":30},\"status\":{\"phase\":\"Pending\"}}");
    fixture_done(&f);
}

static void test_show_group_and_member_of_typed_list(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) out = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroupList\nitems:\n"
                 "- metadata: {name: g, uid: u, creationTimestamp: 2020-01-01T00:00:00Z}\n"
                 "  spec: {schedulingPolicy: {gang: {minCount: 2}}}\n");
    t_ok(t, f.loaded);
    show(&f, 0, &out);
    mst_buf_char(&out, 0);
    t_ok(t, mst_str_has_prefix(mst_buf_span(&out), "{\"apiVersion\":\"scheduling.k8s.io/v1beta1\","
                                                   "\"kind\":\"PodGroup\",\"metadata\":"));
    t_ok(t, strstr(out.p, "\"finalizers\":[\"scheduling.k8s.io/podgroup-protection\"]") != NULL);
    t_ok(t, strstr(out.p, "\"disruptionMode\":{\"single\":{}}") != NULL);
    t_ok(t, strstr(out.p, "\"priority\":0") != NULL);
    fixture_done(&f);
}

/* Recordings rely on it: what is shown, read again, shows the same. */
static void test_show_read_show_is_stable(struct mst_test *t)
{
    static const char *const texts[] = {
        NODE("n0", "4"),
        GANG("g", "2"),
        POD("a", "",
            "nodeName: n0, initContainers: [{name: i, image: i, ports: [{containerPort: 1}]}], ",
            "250m"),
        "apiVersion: v1\nkind: Node\nmetadata: {name: n0}\nstatus: {capacity: {cpu: \"4\"}}\n",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n",
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}\nvalue: 3\n",
    };
    for (size_t i = 0; i < MST_COUNT(texts); i++) {
        struct fixture f, g;
        MST_AUTO(mst_buf) first = { 0 };
        MST_AUTO(mst_buf) second = { 0 };
        t_case(t, texts[i]);
        fixture_init(&f, ".yaml", texts[i]);
        t_ok(t, f.loaded);
        show(&f, 0, &first);
        mst_buf_char(&first, 0);
        fixture_init(&g, ".json", first.p);
        t_ok(t, g.loaded);
        show(&g, 0, &second);
        t_str(t, mst_buf_span(&second), first.p);
        fixture_done(&g);
        fixture_done(&f);
    }
}

MST_TEST_MAIN(T(test_show_pod_with_defaults), T(test_show_group_and_member_of_typed_list),
              T(test_show_read_show_is_stable))
