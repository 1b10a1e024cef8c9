/* VolumeZone: the zones that a bound volume's labels name, and how claims without one are refused.
 */
#include "plugins/registry.h"
#include "storage_helper.h"
#include "tap.h"

#define ZONE "topology.kubernetes.io/zone"
#define BETA "failure-domain.beta.kubernetes.io/zone"
#define NO "UaU: node(s) had no available volume zone"

/* clang-format off */
static const char cluster[] =
    NODE("a", ZONE ": a") NODE("b", ZONE ": b") NODE("beta", BETA ": a") NODE("bare", "x: z")
    CLASS("late", "provisioner: p\nvolumeBindingMode: WaitForFirstConsumer")
    CLASS("now", "provisioner: p")
    PV("pv-a", "storageClassName: now", "labels: {" ZONE ": a}")
    PV("pv-ab", "storageClassName: now", "labels: {" ZONE ": a__b}")
    PV("pv-beta", "storageClassName: now", "labels: {" BETA ": a}")
    PV("pv-none", "storageClassName: now", "labels: {tier: x}")
    PVC("c-a", "volumeName: pv-a", BOUND) PVC("c-ab", "volumeName: pv-ab", BOUND)
    PVC("c-beta", "volumeName: pv-beta", BOUND) PVC("c-none", "volumeName: pv-none", BOUND)
    PVC("c-lost", "volumeName: nowhere", BOUND)
    PVC("c-late", "storageClassName: late", "") PVC("c-now", "storageClassName: now", "")
    PVC("c-noclass", "volumeName: ''", "") PVC("c-badclass", "storageClassName: nope", "")
    POD("a", CLAIM("c-a")) POD("ab", CLAIM("c-ab")) POD("beta", CLAIM("c-beta"))
    POD("none", CLAIM("c-none")) POD("lost", CLAIM("c-lost")) POD("late", CLAIM("c-late"))
    POD("now", CLAIM("c-now")) POD("noclass", CLAIM("c-noclass"))
    POD("badclass", CLAIM("c-badclass")) POD("gone", CLAIM("gone")) POD("plain", "")
    CLASS("modeless", "provisioner: p")
    PV("pv-bad", "storageClassName: now", "labels: {" ZONE ": a____b}")
    PVC("c-bad", "volumeName: pv-bad", BOUND) PVC("c-modeless", "storageClassName: modeless", "")
    POD("bad", CLAIM("c-bad")) POD("modeless", CLAIM("c-modeless"))
    POD("a-and-scratch", "{name: s, emptyDir: {}}, " CLAIM("c-a"))
    POD("two", CLAIM("c-a") ", " CLAIM("c-none"));
/* clang-format on */

static const struct {
    const char *pod, *node, *verdict;
} cases[] = {
    { "a", "a", "Success" },
    { "a", "b", NO },
    { "a", "beta", NO },
    { "a", "bare", "Success" },
    { "ab", "b", "Success" },
    { "beta", "a", "Success" }, /* the successor of the beta key */
    { "beta", "beta", "Success" },
    { "beta", "b", NO },
    { "two", "b", NO },
    { "a-and-scratch", "a", "Success" },
    { "a-and-scratch", "b", NO },
    { "bad", "b", "Skip" }, /* an empty zone between two: the label is no demand */
    { "none", "a", "Skip" },
    { "late", "a", "Skip" },
    { "plain", "a", "Skip" },
    { "lost", "a", "PreFilter UaU: persistentvolume \"nowhere\" not found" },
    { "now", "a", "PreFilter UaU: PersistentVolume had no name" },
    { "modeless", "a", "PreFilter UaU: VolumeBindingMode not set for StorageClass \"modeless\"" },
    { "noclass", "a", "PreFilter UaU: PersistentVolumeClaim had no pv name and storageClass name" },
    { "badclass", "a", "PreFilter UaU: storageclass.storage.k8s.io \"nope\" not found" },
    { "gone", "a", "PreFilter UaU: persistentvolumeclaim \"gone\" not found" },
};

static void test_zone_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_zone, NULL);
    storage_apply(f, cluster);
    storage_class_without_mode(f, "modeless");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, cases[i].node), cases[i].verdict);
    }
    fixture_free(f);
}

static void test_zone_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_zone, NULL);
    storage_apply(f, cluster);
    struct mst_cluster_event e = { .resource = MST_ON_STORAGE_CLASS, .actions = MST_ACT_ADD };
    e.object = storage_object(f, MST_VOL_CLASS, "late");
    t_int(t, fixture_hint(f, &p, "now", &e), MST_HINT_QUEUE);
    e.object = storage_object(f, MST_VOL_CLASS, "now");
    t_int(t, fixture_hint(f, &p, "now", &e), MST_HINT_SKIP);
    e = (struct mst_cluster_event){ .resource = MST_ON_PVC, .actions = MST_ACT_UPDATE };
    e.object = storage_object(f, MST_VOL_PVC, "default/c-a");
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "ab", &e), MST_HINT_SKIP);
    e = (struct mst_cluster_event){ .resource = MST_ON_PV, .actions = MST_ACT_ADD };
    e.object = storage_object(f, MST_VOL_PV, "pv-a");
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_QUEUE);
    e.actions = MST_ACT_UPDATE;
    e.old_object = e.object;
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_SKIP);
    e.old_object = storage_object(f, MST_VOL_PV, "pv-ab");
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_QUEUE);
    e.old_object = storage_object(f, MST_VOL_PV, "pv-none");
    t_int(t, fixture_hint(f, &p, "a", &e), MST_HINT_QUEUE);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_zone_verdicts), T(test_zone_hints))
