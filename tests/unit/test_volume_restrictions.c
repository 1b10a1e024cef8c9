/* VolumeRestrictions: disks that two pods may not share, claims that only one pod may use. */
#include "plugins/registry.h"
#include "storage_helper.h"
#include "tap.h"

#define DISK "U: node(s) had no available disk"
#define IN_USE                                                                                     \
    "U: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "       \
    "already "                                                                                     \
    "in-use by another pod"

/* clang-format off */
static const char cluster[] =
    NODE("n1", "") NODE("n2", "")
    PVC("once", "accessModes: [ReadWriteOncePod]", "")
    PVC("free", "accessModes: [ReadWriteOncePod]", "")
    PVC("many", "accessModes: [ReadWriteMany]", "")
    POD_ON("gce", "n1", "{name: v, gcePersistentDisk: {pdName: d, readOnly: true}}")
    POD_ON("aws", "n1", "{name: v, awsElasticBlockStore: {volumeID: e, readOnly: true}}")
    POD_ON("iscsi", "n1", "{name: v, iscsi: {targetPortal: p, iqn: q, lun: 0}}")
    POD_ON("rbd", "n1", "{name: v, rbd: {monitors: [a, b], pool: p, image: i}}")
    POD_ON("holder", "n2", "{name: v, persistentVolumeClaim: {claimName: once}}")
    POD("none", "")
    POD("plain", "{name: v, emptyDir: {}}")
    POD("gce-ro", "{name: v, gcePersistentDisk: {pdName: d, readOnly: true}}")
    POD("gce-rw", "{name: v, gcePersistentDisk: {pdName: d}}")
    POD("gce-other", "{name: v, gcePersistentDisk: {pdName: z}}")
    POD("aws-ro", "{name: v, awsElasticBlockStore: {volumeID: e, readOnly: true}}")
    POD("iscsi-ro", "{name: v, iscsi: {targetPortal: o, iqn: q, lun: 1, readOnly: true}}")
    POD("rbd-monitor", "{name: v, rbd: {monitors: [c, b], pool: p, image: i}}")
    POD("rbd-apart", "{name: v, rbd: {monitors: [c], pool: p, image: i}}")
    POD("rbd-pool", "{name: v, rbd: {monitors: [a], pool: o, image: i}}")
    POD("wants-once", "{name: v, persistentVolumeClaim: {claimName: once}}")
    POD("wants-free", "{name: v, persistentVolumeClaim: {claimName: free}}")
    POD("wants-many", "{name: v, persistentVolumeClaim: {claimName: many}}")
    POD("lost", "{name: v, persistentVolumeClaim: {claimName: gone}}")
    POD("both", "{name: v, gcePersistentDisk: {pdName: d}}, "
                "{name: w, persistentVolumeClaim: {claimName: once}}");
/* clang-format on */

static const struct {
    const char *pod, *n1, *n2;
} cases[] = {
    { "none", "Skip", "Skip" },
    { "plain", "Skip", "Skip" },
    { "gce-ro", "Success", "Success" },
    { "gce-rw", DISK, "Success" },
    { "gce-other", "Success", "Success" },
    { "aws-ro", DISK, "Success" },
    { "iscsi-ro", DISK, "Success" },
    { "rbd-monitor", DISK, "Success" },
    { "rbd-apart", "Success", "Success" },
    { "rbd-pool", "Success", "Success" },
    { "wants-once", IN_USE, IN_USE },
    { "wants-free", "Success", "Success" },
    { "wants-many", "Skip", "Skip" },
    { "lost", "PreFilter UaU: persistentvolumeclaim \"gone\" not found",
      "PreFilter UaU: persistentvolumeclaim \"gone\" not found" },
    { "both", DISK, IN_USE },
};

static void test_restrictions_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_restrictions, NULL);
    storage_apply(f, cluster);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "n1"), cases[i].n1);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "n2"), cases[i].n2);
    }
    f->view.upstream = true; /* an unused claim is not even asked about */
    t_str(t, fixture_verdict(f, &p, "wants-free", "n1"), "Skip");
    t_str(t, fixture_verdict(f, &p, "wants-once", "n1"), IN_USE);
    mst_cluster_check(&f->cluster);
    fixture_free(f);
}

/* Profile upstream: a nominated pod counts by the bare name of its claims, of any namespace. */
static void test_restrictions_nominated_namesake(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_restrictions, NULL);
    storage_apply(f, cluster);
    storage_apply(
        f,
        POD("disk-and-free", "{name: v, gcePersistentDisk: {pdName: z}}, "
                             "{name: w, persistentVolumeClaim: {claimName: free}}")
            POD("no-volumes",
                "") "---\nkind: Pod\napiVersion: v1\nmetadata: {name: namesake, namespace: other}\n"
                    "spec: {containers: [{name: c, image: i}], volumes: [{name: u, emptyDir: {}}, "
                    "{name: v, persistentVolumeClaim: {claimName: free}}]}\n");
    const uint32_t other = fixture_pod(f, "other/namesake"), n1 = fixture_node(f, "n1");
    mst_cluster_nominate(&f->cluster, other, mst_sym_of_text(f->syms, "n1"));
    mst_cluster_nominate(&f->cluster, fixture_pod(f, "no-volumes"), mst_sym_of_text(f->syms, "n1"));
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_place(&f->cluster, fixture_pod(f, "no-volumes"), n1);
    f->view.upstream = true;
    t_str(t, fixture_verdict(f, &p, "disk-and-free", "n1"), "Success");
    mst_cluster_place(&f->cluster, other, n1);
    t_str(t, fixture_verdict(f, &p, "disk-and-free", "n1"), IN_USE);
    t_str(t, fixture_verdict(f, &p, "disk-and-free", "n2"), "Success");
    t_str(t, fixture_verdict(f, &p, "gce-rw", "n2"), "Success"); /* names no such claim */
    t_case(t, "profile muster compares namespaces");
    f->view.upstream = false;
    t_str(t, fixture_verdict(f, &p, "disk-and-free", "n1"), "Success");
    mst_txn_rollback(&f->cluster, mark);
    fixture_free(f);
}

static void test_restrictions_follow_tentative_pods(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_restrictions, NULL);
    storage_apply(f, cluster);
    const struct mst_class *class = fixture_class(f, "wants-free");
    const uint64_t before = p.plugin->generation(&f->view, class);
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_place(&f->cluster, fixture_pod(f, "wants-free"), fixture_node(f, "n2"));
    t_bool(t, p.plugin->generation(&f->view, class) != before, true);
    t_str(t, fixture_verdict(f, &p, "wants-free", "n1"), IN_USE);
    mst_txn_rollback(&f->cluster, mark);
    t_bool(t, p.plugin->generation(&f->view, class) == before, true);
    t_str(t, fixture_verdict(f, &p, "wants-free", "n1"), "Success");
    t_int(t, (int64_t)p.plugin->generation(&f->view, fixture_class(f, "none")), 0);
    fixture_free(f);
}

static void test_restrictions_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_restrictions, NULL);
    storage_apply(f, cluster);
    struct mst_cluster_event e = { .resource = MST_ON_ASSIGNED_POD, .actions = MST_ACT_DELETE };
    e.pod = fixture_pod(f, "holder");
    t_int(t, fixture_hint(f, &p, "wants-once", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "wants-free", &e), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "none", &e), MST_HINT_SKIP);
    e.pod = fixture_pod(f, "gce");
    t_int(t, fixture_hint(f, &p, "gce-rw", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "gce-ro", &e), MST_HINT_SKIP);
    storage_apply(f, "---\nkind: Pod\napiVersion: v1\nmetadata: {name: far, namespace: other}\n"
                     "spec: {nodeName: n2, containers: [{name: c, image: i}], volumes: "
                     "[{name: v, persistentVolumeClaim: {claimName: once}}]}\n");
    e.pod = fixture_pod(f, "other/far"); /* another claim of that name */
    t_int(t, fixture_hint(f, &p, "wants-once", &e), MST_HINT_SKIP);
    struct mst_cluster_event added = { .resource = MST_ON_PVC, .actions = MST_ACT_ADD };
    added.object = storage_object(f, MST_VOL_PVC, "default/once");
    t_int(t, fixture_hint(f, &p, "wants-once", &added), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "wants-free", &added), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "gce-rw", &added), MST_HINT_SKIP);
    t_int(t, fixture_hint(f, &p, "none", &added), MST_HINT_SKIP);
    storage_apply(f, "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: once, "
                     "namespace: other}\nspec: {accessModes: [ReadWriteOncePod]}\n");
    added.object = storage_object(f, MST_VOL_PVC, "other/once");
    t_int(t, fixture_hint(f, &p, "wants-once", &added), MST_HINT_SKIP);
    const struct mst_cluster_event node = { .resource = MST_ON_NODE, .actions = MST_ACT_ADD };
    t_int(t, fixture_hint(f, &p, "none", &node), MST_HINT_QUEUE);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_restrictions_verdicts), T(test_restrictions_nominated_namesake),
              T(test_restrictions_follow_tentative_pods), T(test_restrictions_hints))
