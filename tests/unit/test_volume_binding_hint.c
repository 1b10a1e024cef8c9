/* VolumeBinding: which changes of storage objects wake a pod. */
#include "binding_world.h"
#include "tap.h"

#define CSI_NODE(name, plugins)                                                                    \
    "---\nkind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name                    \
    ", annotations: {storage.alpha.kubernetes.io/migrated-plugins: '" plugins "'}}\n"
#define DRIVER(name, spec)                                                                         \
    "---\nkind: CSIDriver\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name                  \
    "}\nspec: {" spec "}\n"
#define POOL(name, amounts)                                                                        \
    "---\nkind: CSIStorageCapacity\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name         \
    ", namespace: default}\nstorageClassName: pool\n" amounts "\n"
#define TOPOLOGY(name, terms)                                                                      \
    CLASS(name, "provisioner: d\nallowedTopologies: [{matchLabelExpressions: [" terms "]}]")

/* clang-format off */
static const char cluster[] =
    TOPOLOGY("a", "{key: k, values: [a]}") TOPOLOGY("a-too", "{key: k, values: [a]}")
    TOPOLOGY("b", "{key: k, values: [b]}") TOPOLOGY("ab", "{key: k, values: [a, b]}")
    TOPOLOGY("other-key", "{key: l, values: [a]}")
    TOPOLOGY("two", "{key: k, values: [a]}, {key: l, values: [a]}")
    CLASS("none", "provisioner: d")
    CSI_NODE("plain", "") CSI_NODE("ebs", "kubernetes.io/aws-ebs")
    DRIVER("d", "storageCapacity: true") DRIVER("d-off", "storageCapacity: false")
    DRIVER("d-unset", "podInfoOnMount: true") DRIVER("e", "storageCapacity: false")
    POOL("unknown", "") POOL("two", "capacity: 2Gi") POOL("three", "capacity: 3Gi")
    POOL("three-but-one", "capacity: 3Gi\nmaximumVolumeSize: 1Gi")
    POOL("milli", "capacity: 2000m") POOL("one-and-a-half", "capacity: 1500m")
    PVC("open", "accessModes: [ReadWriteOnce]", "") PVC("eph-v", "accessModes: [ReadWriteOnce]", "")
    POD("none", "") POD("open", "{name: s, emptyDir: {}}, " CLAIM("open"))
    POD("eph", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
    POD("inline", "{name: w, csi: {driver: x}}, {name: v, csi: {driver: d}}");
/* clang-format on */

static mst_hint hint(struct mst_fixture *f, const struct fixture_plugin *p, const char *pod,
                     mst_event_resource resource, const struct mst_object *old,
                     const struct mst_object *now)
{
    const struct mst_cluster_event event = {
        .resource = resource,
        .actions = old ? MST_ACT_UPDATE : MST_ACT_ADD,
        .old_object = old,
        .object = now,
    };
    return fixture_hint(f, p, pod, &event);
}

/* The object "was" becomes the object "now", whatever their names; was NULL: added. */
static const struct {
    mst_event_resource resource;
    mst_vol_kind kind;
    const char *was, *now;
    mst_hint want;
} changes[] = {
    /* upstream TestIsSchedulableAfterStorageClassChange */
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, NULL, "a", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "a-too", MST_HINT_SKIP },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "none", "a", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "none", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "b", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "ab", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "other-key", MST_HINT_QUEUE },
    { MST_ON_STORAGE_CLASS, MST_VOL_CLASS, "a", "two", MST_HINT_QUEUE },
    /* upstream TestIsSchedulableAfterCSINodeChange */
    { MST_ON_CSI_NODE, MST_VOL_CSI_NODE, NULL, "plain", MST_HINT_QUEUE },
    { MST_ON_CSI_NODE, MST_VOL_CSI_NODE, "plain", "ebs", MST_HINT_QUEUE },
    { MST_ON_CSI_NODE, MST_VOL_CSI_NODE, "ebs", "ebs", MST_HINT_SKIP },
    /* upstream TestIsSchedulableAfterCSIStorageCapacityChange */
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, NULL, "default/unknown", MST_HINT_QUEUE },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, "default/unknown", "default/two",
      MST_HINT_QUEUE },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, "default/two", "default/unknown",
      MST_HINT_SKIP },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, "default/two", "default/three",
      MST_HINT_QUEUE },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, "default/three", "default/two",
      MST_HINT_SKIP },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_VOL_CAPACITY, "default/two", "default/three-but-one",
      MST_HINT_SKIP },
};

static void test_binding_hints_of_changes(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    for (size_t i = 0; i < MST_COUNT(changes); i++) {
        t_case(t, mst_arena_printf(&f->arena, "%s -> %s",
                                   changes[i].was ? changes[i].was : "(none)", changes[i].now)
                      .p);
        t_int(t,
              hint(f, &p, "open", changes[i].resource,
                   changes[i].was ? storage_object(f, changes[i].kind, changes[i].was) : NULL,
                   storage_object(f, changes[i].kind, changes[i].now)),
              changes[i].want);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* Profile upstream compares whole units, rounded up: 1.5 bytes and 2 bytes are the same. */
static void test_binding_hint_of_a_fraction(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    const struct mst_object *less = storage_object(f, MST_VOL_CAPACITY, "default/one-and-a-half");
    const struct mst_object *more = storage_object(f, MST_VOL_CAPACITY, "default/milli");
    t_int(t, hint(f, &p, "open", MST_ON_CSI_STORAGE_CAPACITY, less, more), MST_HINT_QUEUE);
    f->view.upstream = true;
    t_int(t, hint(f, &p, "open", MST_ON_CSI_STORAGE_CAPACITY, less, more), MST_HINT_SKIP);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_binding_hint_of_a_claim(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    storage_apply(f, "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: open, "
                     "namespace: other}\nspec: {accessModes: [ReadWriteOnce]}\n");
    const struct mst_object *open = storage_object(f, MST_VOL_PVC, "default/open");
    const struct mst_object *made = storage_object(f, MST_VOL_PVC, "default/eph-v");
    t_int(t, hint(f, &p, "open", MST_ON_PVC, NULL, open), MST_HINT_QUEUE);
    t_int(t, hint(f, &p, "open", MST_ON_PVC, open, open), MST_HINT_QUEUE);
    t_int(t, hint(f, &p, "open", MST_ON_PVC, NULL, made), MST_HINT_SKIP);
    t_int(t, hint(f, &p, "eph", MST_ON_PVC, NULL, made), MST_HINT_QUEUE);
    t_int(t, hint(f, &p, "none", MST_ON_PVC, NULL, open), MST_HINT_SKIP);
    t_case(t, "of another namespace");
    t_int(t, hint(f, &p, "open", MST_ON_PVC, NULL, storage_object(f, MST_VOL_PVC, "other/open")),
          MST_HINT_SKIP);
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* Upstream looks at inline CSI volumes only, which no capacity is asked about; we do the same. */
static void test_binding_hint_of_a_driver(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    const struct mst_object was = storage_copy(f, MST_VOL_CSI_DRIVER, "d");
    struct mst_object off = storage_copy(f, MST_VOL_CSI_DRIVER, "d-off");
    struct mst_object unset = storage_copy(f, MST_VOL_CSI_DRIVER, "d-unset");
    off.u.meta.name = unset.u.meta.name = was.u.meta.name;
    t_int(t, hint(f, &p, "inline", MST_ON_CSI_DRIVER, &was, &off), MST_HINT_QUEUE);
    unset.u.csi_driver.storage_capacity.set = false;
    t_int(t, hint(f, &p, "inline", MST_ON_CSI_DRIVER, &was, &unset), MST_HINT_QUEUE);
    t_int(t, hint(f, &p, "inline", MST_ON_CSI_DRIVER, &was, &was), MST_HINT_SKIP);
    t_int(t, hint(f, &p, "inline", MST_ON_CSI_DRIVER, &off, &off), MST_HINT_SKIP);
    t_int(t, hint(f, &p, "inline", MST_ON_CSI_DRIVER, &unset, &off), MST_HINT_SKIP);
    t_int(t, hint(f, &p, "open", MST_ON_CSI_DRIVER, &was, &off), MST_HINT_SKIP);
    t_int(t, hint(f, &p, "none", MST_ON_CSI_DRIVER, &was, &off), MST_HINT_SKIP);
    t_case(t, "another driver");
    t_int(t,
          hint(f, &p, "inline", MST_ON_CSI_DRIVER, &was,
               storage_object(f, MST_VOL_CSI_DRIVER, "e")),
          MST_HINT_SKIP);
    fixture_plugin_done(&p);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_binding_hints_of_changes), T(test_binding_hint_of_a_fraction),
              T(test_binding_hint_of_a_claim), T(test_binding_hint_of_a_driver))
