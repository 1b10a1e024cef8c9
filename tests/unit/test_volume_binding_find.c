/* VolumeBinding: which volumes fit a claim, what can be provisioned where, and the scores of it. */
#include "binding_world.h"
#include "tap.h"

#define EBS_ZONE "topology.ebs.csi.aws.com/zone"
#define EBS(id)                                                                                    \
    "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, awsElasticBlockStore: {volumeID: "    \
    "'" id "'}, "
#define AFFINITY_TERMS(terms) "nodeAffinity: {required: {nodeSelectorTerms: [" terms "]}}, "
#define LATE "\nvolumeBindingMode: WaitForFirstConsumer"
#define DRIVER(name, spec)                                                                         \
    "---\nkind: CSIDriver\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name                  \
    "}\nspec: {" spec "}\n"
#define POOL(name, class, rest)                                                                    \
    "---\nkind: CSIStorageCapacity\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name         \
    ", namespace: default}\nstorageClassName: " class "\n" rest "\n"
#define NEEDS(class) WANTS("1Gi") "storageClassName: " class ", "
#define OFFERS(class) HAS("1Gi") "storageClassName: " class ", "

/* A class with one volume each, a claim of that class, and a pod with the claim. */
#define ONE(name, pv, pvc)                                                                         \
    CLASS(name, "provisioner: kubernetes.io/no-provisioner" LATE)                                  \
    PV("pv-" name, OFFERS(name) pv, "") PVC(name, NEEDS(name) pvc, "") POD(name, CLAIM(name))

/* clang-format off */
static const char nodes[] =
    NODE("a", ZONE ": a, disk: '7'") NODE("b", ZONE ": b, " EBS_ZONE ": a")
    "---\nkind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: b, annotations: "
    "{storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs}}\n";

static const char volumes[] =
    ONE("any", "", "")
    ONE("terms", AFFINITY_TERMS("{matchExpressions: [{key: " ZONE ", operator: In, values: [x]}]}, "
        "{matchExpressions: [{key: disk, operator: Exists}, {key: " ZONE ", operator: NotIn, "
        "values: [b]}]}"), "")
    ONE("two-values", AFFINITY_TERMS("{matchExpressions: [{key: " ZONE ", operator: In, "
        "values: [x, b]}]}"), "")
    ONE("bad-term", AFFINITY_TERMS("{matchExpressions: [{key: disk, operator: Gt, values: ['1', "
        "'2']}]}, {}"), "")
    ONE("fields", AFFINITY_TERMS("{matchFields: [{key: metadata.name, operator: In, "
        "values: [x]}]}"), "")
    ONE("modes", "accessModes: [ReadOnlyMany, ReadWriteOnce], ", "")
    ONE("uid", "claimRef: {namespace: default, name: uid, uid: c-uid}, ", "")
    ONE("other-uid", "claimRef: {namespace: default, name: other-uid, uid: x}, ", "")
    ONE("other-ns", "claimRef: {namespace: other, name: other-ns}, ", "")
    ONE("other-name", "claimRef: {namespace: default, name: x}, ", "")
    ONE("gold", "volumeAttributesClassName: gold, ", "volumeAttributesClassName: gold")
    ONE("gold-asked", "", "volumeAttributesClassName: gold")
    ONE("gold-given", "volumeAttributesClassName: gold, ", "")
    ONE("gold-lead", "volumeAttributesClassName: gold, ", "volumeAttributesClassName: lead")
    ONE("gold-empty", "volumeAttributesClassName: '', ", "")
    ONE("filesystem", "volumeMode: Filesystem, ", "")
    ONE("block", "", "volumeMode: Block")
    CLASS("dying", "provisioner: kubernetes.io/no-provisioner" LATE)
    PV("pv-dying", OFFERS("dying"), "deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x/y]")
    PVC("dying", NEEDS("dying"), "") POD("dying", CLAIM("dying"))
    CLASS("released", "provisioner: kubernetes.io/no-provisioner" LATE)
    "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: pv-released}\nspec: {"
        OFFERS("released") "}\n"
    "status: {phase: Released}\n" PVC("released", NEEDS("released"), "") POD("released",
        CLAIM("released"))
    /* volumes of AWS EBS: node b has handed them over */
    PV("ebs", EBS("vol-1") AFFINITY_TERMS("{matchExpressions: [{key: " ZONE ", operator: In, "
        "values: [a]}]}"), "")
    PV("ebs-bad", EBS("aws://z/x"), "")
    PVC("ebs", WANTS("1Gi") "volumeName: ebs", BOUND) PVC("ebs-bad", WANTS("1Gi")
        "volumeName: ebs-bad", BOUND)
    POD("ebs", CLAIM("ebs")) POD("ebs-bad", CLAIM("ebs-bad"));
/* clang-format on */

static const struct {
    const char *pod, *a, *b;
} cases[] = {
    { "any", "Success", "Success" },
    { "terms", "Success", "UaU: " NO_VOLUME },
    { "two-values", "UaU: " NO_VOLUME, "Success" },
    { "bad-term", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME }, /* terms in error match nothing */
    { "fields", "Success", "Success" },                   /* nobody says what the node's name is */
    { "modes", "Success", "Success" },
    { "uid", "Success", "Success" },
    { "other-uid", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "other-ns", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "other-name", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "gold", "Success", "Success" },
    { "gold-asked", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "gold-given", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "gold-lead", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "gold-empty", "Success", "Success" },
    { "filesystem", "Success", "Success" },
    { "block", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "dying", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "released", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "ebs", "Success", "Success" }, /* by the zone, by the driver's zone */
    { "ebs-bad", "Success",
      "Error: could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid "
      "format for AWS volume (aws://z/x)" },
};

static void test_find_volumes(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, nodes);
    storage_apply(f, volumes);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "a"), cases[i].a);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "b"), cases[i].b);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* ---- provisioning ---- */

/* A class of a driver that tracks its capacity, with one pool. */
#define POOLED(name, pool)                                                                         \
    CLASS(name, "provisioner: tracked" LATE)                                                       \
    POOL("p-" name, name, pool)                                                                    \
    PVC(name, WANTS("2Gi") "storageClassName: " name, "") POD(name, CLAIM(name))
#define ALL_NODES "nodeTopology: {}\n"
/* clang-format off */
static const char pools[] =
    DRIVER("tracked", "storageCapacity: true") DRIVER("untracked", "storageCapacity: false")
    DRIVER("unset", "podInfoOnMount: true")
    POOLED("nowhere", "capacity: 4Gi") POOLED("everywhere", ALL_NODES "capacity: 4Gi")
    POOLED("unknown", ALL_NODES) POOLED("small", ALL_NODES "capacity: 1Gi")
    POOLED("largest", ALL_NODES "maximumVolumeSize: 2Gi")
    POOLED("pieces", ALL_NODES "capacity: 9Gi\nmaximumVolumeSize: 1Gi")
    POOLED("expressions", "nodeTopology: {matchLabels: {" ZONE ": a}, matchExpressions: "
           "[{key: disk, operator: In, values: ['7', '8']}]}\ncapacity: 4Gi")
    POOLED("not-b", "nodeTopology: {matchExpressions: [{key: " ZONE ", operator: NotIn, "
        "values: [b]}]}\ncapacity: 4Gi")
    CLASS("fraction", "provisioner: tracked" LATE) POOL("p-fraction", "fraction", ALL_NODES
        "capacity: 1500m")
    PVC("fraction", WANTS("'2'") "storageClassName: fraction", "") POD("fraction",
        CLAIM("fraction"))
    CLASS("untracked", "provisioner: untracked" LATE) PVC("untracked", NEEDS("untracked"), "")
        POD("untracked", CLAIM("untracked"))
    CLASS("unset", "provisioner: unset" LATE) PVC("unset", NEEDS("unset"), "") POD("unset",
        CLAIM("unset"))
    CLASS("zones", "provisioner: untracked" LATE "\nallowedTopologies: "
          "[{matchLabelExpressions: [{key: " ZONE ", values: [x, z]}]}, "
          "{matchLabelExpressions: [{key: " ZONE ", values: [b]}]}]")
    PVC("zones", NEEDS("zones"), "") POD("zones", CLAIM("zones"))
    PVC("on-a", NEEDS("zones"), "annotations: {volume.kubernetes.io/selected-node: a}")
    PVC("on-b", NEEDS("zones"), "annotations: {volume.kubernetes.io/selected-node: b}")
    POD("selected-b", CLAIM("on-b")) POD("selected-a", CLAIM("on-a")) POD("selected-both",
        CLAIM("on-a") ", " CLAIM("on-b"))
    POD("first-no", CLAIM("small") ", " CLAIM("zones"))
    POD("two-pools", CLAIM("everywhere") ", " CLAIM("largest"))
    PVC("everywhere2", WANTS("1Gi") "storageClassName: everywhere", "")
    POD("one-pool", CLAIM("everywhere") ", " CLAIM("everywhere2") ", " CLAIM("untracked"));
/* clang-format on */

static const struct {
    const char *pod, *a, *b;
    int64_t score_a;
} provisions[] = {
    { "nowhere", "UaU: " NO_SPACE, "UaU: " NO_SPACE, 0 },
    { "everywhere", "Success", "Success", 50 }, /* 2Gi of 4Gi */
    { "unknown", "UaU: " NO_SPACE, "UaU: " NO_SPACE, 0 },
    { "small", "UaU: " NO_SPACE, "UaU: " NO_SPACE, 0 },
    { "largest", "Success", "Success", 0 }, /* all of it; upstream ends in a panic */
    { "pieces", "UaU: " NO_SPACE, "UaU: " NO_SPACE, 0 },
    { "expressions", "Success", "UaU: " NO_SPACE, 50 },
    { "not-b", "Success", "UaU: " NO_SPACE, 50 },
    { "fraction", "UaU: " NO_SPACE, "UaU: " NO_SPACE, 0 },
    { "untracked", "Success", "Success", 0 },
    { "unset", "Success", "Success", 0 },
    { "zones", "UaU: " NO_VOLUME, "Success", 0 },
    { "selected-a", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME, 0 },
    { "selected-b", "UaU: " NO_VOLUME, "Success", 0 },
    { "selected-both", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME, 0 },
    { "first-no", "UaU: " NO_VOLUME, "UaU: " NO_SPACE, 0 }, /* by size: the smaller claim first */
    { "two-pools", "Success", "Success", 25 },              /* the mean of 50 and 0 */
    { "one-pool", "Success", "Success", 25 },               /* 3Gi of 4Gi, not of 8Gi */
};

static void test_find_provisions(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, nodes);
    storage_apply(f, pools);
    for (size_t i = 0; i < MST_COUNT(provisions); i++) {
        t_case(t, provisions[i].pod);
        const struct mst_str a = fixture_verdict(f, &p, provisions[i].pod, "a");
        t_str(t, a, provisions[i].a);
        t_str(t, fixture_verdict(f, &p, provisions[i].pod, "b"), provisions[i].b);
        if (mst_str_is(a, "Success"))
            t_int(t, fixture_score(f, &p, provisions[i].pod, "a"), provisions[i].score_a);
    }
    f->view.upstream = true;
    t_case(t, "profile upstream rounds up");
    t_str(t, fixture_verdict(f, &p, "fraction", "a"), "Success");
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* The score is the mean over the classes, however many they are. */
static void test_find_scores_of_many_classes(struct mst_test *t)
{
    enum { CLASSES = 70 };
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    MST_AUTO(mst_buf) claims = { 0 };
    storage_apply(f, nodes);
    for (int i = 0; i < CLASSES; i++) { /* the last four are full, the others use half */
        storage_apply(f,
                      mst_arena_printf(&f->arena,
                                       CLASS("k%d",
                                             "provisioner: kubernetes.io/no-provisioner" LATE)
                                           PV("k%d", HAS("%dGi") "storageClassName: k%d", "")
                                               PVC("k%d", WANTS("1Gi") "storageClassName: k%d", ""),
                                       i, i, i >= CLASSES - 4 ? 1 : 2, i, i, i, i)
                          .p);
        mst_buf_printf(&claims, "%s" CLAIM("k%d"), i ? ", " : "", i, i);
    }
    storage_apply(f, mst_arena_printf(&f->arena, POD("many", "%.*s"), (int)claims.n, claims.p).p);
    t_str(t, fixture_verdict(f, &p, "many", "a"), "Success");
    t_int(t, fixture_score(f, &p, "many", "a"), 47); /* 66 * 50 / 70 = 47.14 */
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* Two claims of one class count together; more than there is counts as full; so does nothing. */
static void test_find_scores_at_the_edges(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, nodes);
    storage_apply(f, CLASS("l", "provisioner: kubernetes.io/no-provisioner" LATE)
                         PV("one", HAS("1Gi") "storageClassName: l", "")
                             PV("three", HAS("3Gi") "storageClassName: l", "")
                                 PVC("c1", NEEDS("l"), "") PVC("c2", NEEDS("l"), "")
                                     POD("both", CLAIM("c1") ", " CLAIM("c2")));
    t_int(t, fixture_score(f, &p, "both", "a"), 50); /* 2Gi of 4Gi */
    storage_apply(f, CLASS("tracked", "provisioner: t" LATE) DRIVER("t", "storageCapacity: true")
                         POOL("pool", "tracked", ALL_NODES "capacity: 2Gi")
                             PVC("t1", WANTS("2Gi") "storageClassName: tracked", "")
                                 PVC("t2", WANTS("2Gi") "storageClassName: tracked", "")
                                     POD("over", CLAIM("t1") ", " CLAIM("t2"))
                                         CLASS("free", "provisioner: t" LATE)
                                             POOL("none", "free", ALL_NODES "capacity: '0'")
                                                 PVC("f", WANTS("'0'") "storageClassName: free", "")
                                                     POD("nothing", CLAIM("f")));
    t_int(t, fixture_score(f, &p, "over", "a"), 0);    /* 4Gi of 2Gi */
    t_int(t, fixture_score(f, &p, "nothing", "a"), 0); /* 0 of 0 */
    fixture_plugin_done(&p);
    t_case(t, "a shape that ends before 100 stays where it ended");
    p = fixture_plugin(f, &mst_plugin_volume_binding,
                       "shape: [{utilization: 0, score: 10}, {utilization: 40, score: 3}]");
    t_int(t, fixture_score(f, &p, "both", "a"), 30);
    fixture_plugin_done(&p);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_find_volumes), T(test_find_provisions), T(test_find_scores_of_many_classes),
              T(test_find_scores_at_the_edges))
