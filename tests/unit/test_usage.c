/* What pods take from their nodes: amounts, ports, sharing. */
#include "cluster_rows.h"
#include "tap.h"

static void pod(struct rows *r, const char *name, const char *spec, const char *status)
{
    rows_apply(r, mst_arena_printf(&r->arena,
                                   "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {%s}, "
                                   "status: {%s}}",
                                   name, spec, status ? status : "")
                      .p);
}

static struct mst_str amounts(struct rows *r, const char *name)
{
    const struct mst_usage *u = rows_usage(r, name);
    return rows_amounts(r, u->amounts.v, u->amounts.n);
}

static void test_usage_amounts(struct mst_test *t)
{
    static const struct {
        const char *name, *spec, *amounts;
        int64_t cpu, memory; /* non-zero */
    } cases[] = {
        { "nothing", "containers: [{name: c}]", "", 100, 200 << 20 },
        { "two containers",
          "containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Ki}}}, {name: d, "
          "resources: "
          "{requests: {cpu: 500m}}}]",
          "cpu 1500, memory 1024", 1500, (200 << 20) + 1024 },
        { "a large init container",
          "initContainers: [{name: i, resources: {requests: {cpu: 4}}}], containers: [{name: c, "
          "resources: {requests: {cpu: 1}}}]",
          "cpu 4000", 4000, 200 << 20 },
        { "zero is left out",
          "containers: [{name: c, resources: {requests: {cpu: 0, example.com/gpu: 2}}}]",
          "example.com/gpu 2", 0, 200 << 20 },
        { "assigned", "nodeName: n1, containers: [{name: c, resources: {requests: {memory: 5}}}]",
          "memory 5", 100, 5 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rows *r = rows_new("");
        t_case(t, cases[i].name);
        pod(r, "p", cases[i].spec, NULL);
        t_str(t, amounts(r, "p"), cases[i].amounts);
        t_int(t, rows_usage(r, "p")->nonzero_cpu, cases[i].cpu);
        t_int(t, rows_usage(r, "p")->nonzero_memory, cases[i].memory);
        rows_free(r);
    }
}

/* Columns are in order of first sight, amounts ascend by column. */
static void test_usage_is_sorted_by_column(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "first", "containers: [{name: c, resources: {requests: {z.com/z: 1}}}]", NULL);
    pod(r, "p", "containers: [{name: c, resources: {requests: {a.com/a: 2, z.com/z: 3, cpu: 1}}}]",
        NULL);
    t_str(t, amounts(r, "p"), "cpu 1000, z.com/z 3, a.com/a 2");
    rows_free(r);
}

static void test_usage_ports(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "p",
        "containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}, {containerPort: 2}, "
        "{containerPort: 3, hostPort: 81, protocol: UDP, hostIP: 10.0.0.1}]}], initContainers: "
        "[{name: i, "
        "ports: [{containerPort: 4, hostPort: 82}]}, {name: s, restartPolicy: Always, ports: "
        "[{containerPort: 5, hostPort: 83}]}]",
        NULL);
    const struct mst_usage *u = rows_usage(r, "p");
    t_int(t, u->ports.n, 3); /* the ordinary init container is gone when the pod runs */
    t_int(t, u->ports.v[0].port, 80);
    t_str(t, mst_sym_str(r->syms, u->ports.v[0].protocol), "TCP");
    t_str(t, mst_sym_str(r->syms, u->ports.v[0].ip), "0.0.0.0");
    t_int(t, u->ports.v[1].port, 81);
    t_str(t, mst_sym_str(r->syms, u->ports.v[1].protocol), "UDP");
    t_str(t, mst_sym_str(r->syms, u->ports.v[1].ip), "10.0.0.1");
    t_int(t, u->ports.v[2].port, 83);
    rows_free(r);
}

static void test_usage_is_shared_and_freed(struct mst_test *t)
{
    struct rows *r = rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
    const char *spec = "nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]";
    pod(r, "a", spec, NULL);
    pod(r, "b", spec, NULL);
    uint32_t id = rows_pod_row(r, "a")->usage;
    t_int(t, rows_pod_row(r, "b")->usage, id);
    t_int(t, rows_usage(r, "a")->refs, 2);
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "a"));
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "b"));
    t_ok(t, r->cluster.usages.v[id] == NULL);
    pod(r, "c", "nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 2}}}]", NULL);
    t_int(t, rows_pod_row(r, "c")->usage, id); /* the id is used again */
    t_str(t, amounts(r, "c"), "cpu 2000");
    rows_free(r);
}

/* A pod resized in place: what is allocated counts until the node has let go of it. */
static void test_usage_in_place_resize(struct mst_test *t)
{
    struct rows *r = rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
    const char *small = "nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]";
    const char *large = "nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 3}}}]";
    const char *holds = "containerStatuses: [{name: c, allocatedResources: {cpu: 3}, resources: "
                        "{requests: {cpu: 3}}}]";
    const int64_t *used = &r->cluster.nodes.requested[MST_RES_CPU][0];
    pod(r, "p", small, NULL);
    t_int(t, *used, 1000);
    pod(r, "p", large, "containerStatuses: [{name: c, allocatedResources: {cpu: 1}}]");
    t_int(t, *used, 3000);
    pod(r, "p", small, holds); /* asked to shrink, not done yet */
    t_int(t, *used, 3000);
    pod(r, "p", small,
        "containerStatuses: [{name: c, allocatedResources: {cpu: 1}, resources: "
        "{requests: {cpu: 1}}}]");
    t_int(t, *used, 1000);
    rows_free(r);
}

MST_TEST_MAIN(T(test_usage_amounts), T(test_usage_is_sorted_by_column), T(test_usage_ports),
              T(test_usage_is_shared_and_freed), T(test_usage_in_place_resize))
