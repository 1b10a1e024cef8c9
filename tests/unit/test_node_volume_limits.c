/* NodeVolumeLimits: what counts as one volume, and how many a node takes. */
#include "plugins/registry.h"
#include "storage_helper.h"
#include "tap.h"

#define FULL "U: node(s) exceed max volume count"
#define CSINODE(name, drivers)                                                                     \
    "---\nkind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name                    \
    "}\nspec: {drivers: [" drivers "]}\n"
#define DRIVER(name, count) "{name: " name ", nodeID: n, allocatable: {count: " count "}}"
#define CSI_PV(name, driver, handle)                                                               \
    PV("pv-" name, "csi: {driver: " driver ", volumeHandle: " handle "}", "")                      \
    PVC(name, "volumeName: pv-" name, BOUND)

/* clang-format off */
static const char cluster[] =
    NODE("one", "") NODE("two", "") NODE("free", "") NODE("nocsi", "") NODE("held", "")
    NODE("bad", "")
    CSINODE("one", DRIVER("d", "1") ", " DRIVER("ebs.csi.aws.com", "1"))
    CSINODE("two", DRIVER("d", "2")) CSINODE("free", "{name: d, nodeID: n}")
    CSINODE("held", DRIVER("d", "1")) CSINODE("bad", DRIVER("other", "1"))
    PVC("thief-v", "storageClassName: late", "")
    POD_ON("thief", "bad", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
    "---\nkind: CSIDriver\napiVersion: storage.k8s.io/v1\nmetadata: {name: strict}\n"
    "spec: {preventPodSchedulingIfMissing: true}\n"
    CLASS("late", "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer")
    CLASS("tree", "provisioner: kubernetes.io/aws-ebs\nvolumeBindingMode: WaitForFirstConsumer")
    CLASS("file", "provisioner: kubernetes.io/azure-file\nvolumeBindingMode: WaitForFirstConsumer")
    CSI_PV("a", "d", "h1") CSI_PV("b", "d", "h2") CSI_PV("same", "d", "h1")
    CSI_PV("strict", "strict", "h") CSI_PV("held", "d", "h9")
    PV("pv-ebs", "awsElasticBlockStore: {volumeID: 'aws://z/vol-1'}", "")
    PVC("ebs", "volumeName: pv-ebs", BOUND)
    PVC("open", "storageClassName: late", "") PVC("open2", "storageClassName: late", "")
    PVC("tree", "storageClassName: tree", "") PVC("file", "storageClassName: file", "")
    PVC("classless", "storageClassName: nope", "")
    "---\nkind: VolumeAttachment\napiVersion: storage.k8s.io/v1\nmetadata: {name: va}\n"
    "spec: {attacher: d, nodeName: held, source: {persistentVolumeName: pv-held}}\n"
    POD_ON("on-one", "one", CLAIM("a")) POD_ON("on-two", "two", CLAIM("a"))
    POD_ON("ebs-one", "one", "{name: v, awsElasticBlockStore: {volumeID: vol-2}}")
    POD("none", "{name: v, emptyDir: {}}")
    POD("a", CLAIM("a")) POD("b", CLAIM("b")) POD("same", CLAIM("same"))
    POD("ab", CLAIM("a") ", " CLAIM("b")) POD("open", CLAIM("open"))
    POD("open-both", CLAIM("open") ", " CLAIM("open2"))
    POD("strict", CLAIM("strict")) POD("held", CLAIM("held")) POD("ebs", CLAIM("ebs"))
    POD("ebs-inline", "{name: v, awsElasticBlockStore: {volumeID: vol-2}}")
    POD("tree", CLAIM("tree")) POD("file", CLAIM("file")) POD("classless", CLAIM("classless"))
    POD("gone", CLAIM("gone"))
    POD("own", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}");
/* clang-format on */

static const struct {
    const char *pod, *node, *verdict;
} cases[] = {
    { "none", "one", "Skip" },
    { "a", "one", "Success" }, /* attached already */
    { "same", "one", "Success" },
    { "b", "one", FULL },
    /* a failure, whatever driver the node's limit is for */
    { "b", "bad",
      "Error: PVC default/thief-v was not created for pod default/thief (pod is not owner)" },
    { "b", "two", "Success" },
    { "ab", "two", "Success" },
    { "open", "one", FULL },
    { "open", "two", "Success" },
    { "open-both", "two", FULL },
    { "open-both", "free", "Success" },
    { "open-both", "nocsi", "Success" },
    { "strict", "one", "U: strict CSI driver is not installed on the node" },
    { "strict", "nocsi", "U: strict CSI driver is not installed on the node" },
    { "b", "held", FULL }, /* something is attached that no pod uses */
    { "held", "held", "Success" },
    { "ebs", "one", FULL },
    { "ebs", "two", "Success" },
    { "ebs-inline", "one", "Success" },
    { "tree", "one", FULL },
    { "tree", "nocsi", "Success" },
    { "file", "one", "Success" },
    { "classless", "one", "Success" },
    { "gone", "one", "UaU: looking up PVC default/gone: persistentvolumeclaim \"gone\" not found" },
};

static void test_limits_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_volume_limits, NULL);
    storage_apply(f, cluster);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, cases[i].node), cases[i].verdict);
    }
    t_case(t, "profile upstream counts an attached volume twice");
    f->view.upstream = true;
    t_str(t, fixture_verdict(f, &p, "held", "held"), FULL);
    t_case(t, "without the gate nobody asks for drivers");
    f->gates.on[MST_GATE_VolumeLimitScaling] = false;
    t_str(t, fixture_verdict(f, &p, "strict", "one"), "Success");
    fixture_free(f);
}

static void test_limits_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_volume_limits, NULL);
    storage_apply(f, cluster);
    struct mst_cluster_event e = { .resource = MST_ON_ASSIGNED_POD, .actions = MST_ACT_DELETE };
    e.pod = fixture_pod(f, "on-one");
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_QUEUE);
    e.pod = fixture_pod(f, "none");
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_SKIP);
    e = (struct mst_cluster_event){ .resource = MST_ON_CSI_NODE, .actions = MST_ACT_UPDATE };
    e.object = storage_object(f, MST_VOL_CSI_NODE, "two");
    e.old_object = storage_object(f, MST_VOL_CSI_NODE, "one");
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_QUEUE);
    e.old_object = e.object;
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_SKIP);
    e = (struct mst_cluster_event){ .resource = MST_ON_VOLUME_ATTACHMENT,
                                    .actions = MST_ACT_DELETE };
    e.object = storage_object(f, MST_VOL_ATTACHMENT, "va");
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "ebs-inline", &e), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "own", &e), MST_HINT_QUEUE);
    f->view.upstream = true;
    t_int(t, fixture_hint(f, &p, "own", &e), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_QUEUE);
    f->view.upstream = false;
    e = (struct mst_cluster_event){ .resource = MST_ON_PVC, .actions = MST_ACT_ADD };
    e.object = storage_object(f, MST_VOL_PVC, "default/b");
    t_int(t, fixture_hint(f, &p, "b", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_SKIP);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_limits_verdicts), T(test_limits_hints))
