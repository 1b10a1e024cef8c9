/* VolumeBinding: bound, found and made volumes, scores, hints, what is assumed and waited for. */
#include "binding_world.h"
#include "tap.h"

/* clang-format off */
static const char cluster[] =
    NODE("a", ZONE ": a") NODE("b", ZONE ": b")
    CLASS("local", "provisioner: kubernetes.io/no-provisioner\n"
          "volumeBindingMode: WaitForFirstConsumer")
    CLASS("made", "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer\n"
          "allowedTopologies: [{matchLabelExpressions: [{key: " ZONE ", values: [a]}]}]")
    CLASS("pool", "provisioner: tracked\nvolumeBindingMode: WaitForFirstConsumer")
    CLASS("now", "provisioner: d")
    "---\nkind: CSIDriver\napiVersion: storage.k8s.io/v1\nmetadata: {name: tracked}\n"
    "spec: {storageCapacity: true}\n"
    "---\nkind: CSIStorageCapacity\napiVersion: storage.k8s.io/v1\n"
    "metadata: {name: c1, namespace: default}\nstorageClassName: pool\n"
    "nodeTopology: {matchLabels: {" ZONE ": a}}\ncapacity: 4Gi\nmaximumVolumeSize: 2Gi\n"
    PV("bound-a", HAS("1Gi") IN_ZONE("a") "storageClassName: now", "")
    PV("big", HAS("8Gi") IN_ZONE("a") "storageClassName: local", "labels: {tier: x}")
    PV("small", HAS("2Gi") IN_ZONE("a") "storageClassName: local", "")
    PV("block", HAS("1Gi") IN_ZONE("b") "volumeMode: Block, storageClassName: local", "")
    PV("mine", HAS("9Gi") IN_ZONE("b") "storageClassName: local, claimRef: "
       "{namespace: default, name: prebound}", "")
    PVC("bound", WANTS("1Gi") "volumeName: bound-a", BOUND)
    PVC("lost", WANTS("1Gi") "volumeName: nowhere", BOUND)
    PVC("open", WANTS("1Gi") "storageClassName: local", "")
    PVC("open2", WANTS("1Gi") "storageClassName: local", "")
    PVC("huge", WANTS("1Ti") "storageClassName: local", "")
    PVC("picky", WANTS("1Gi") "storageClassName: local, selector: {matchLabels: {tier: x}}", "")
    PVC("many", "accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, "
        "storageClassName: local", "")
    PVC("prebound", WANTS("1Gi") "storageClassName: local", "")
    PVC("made", WANTS("1Gi") "storageClassName: made", "")
    PVC("chosen", WANTS("1Gi") "storageClassName: made",
        "annotations: {volume.kubernetes.io/selected-node: b}")
    PVC("kept", WANTS("1Gi") "storageClassName: made",
        "annotations: {volume.kubernetes.io/selected-node: a}")
    PVC("pooled", WANTS("2Gi") "storageClassName: pool", "")
    PVC("too-big", WANTS("3Gi") "storageClassName: pool", "")
    PVC("now", WANTS("1Gi") "storageClassName: now", "")
    PVC("dying", WANTS("1Gi") "storageClassName: local",
        "deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x/y]")
    PVC("eph-v", WANTS("1Gi") "storageClassName: local",
        "ownerReferences: [{apiVersion: v1, kind: Pod, name: eph, uid: u-eph, controller: true}]")
    PVC("thief-v", WANTS("1Gi") "storageClassName: local", "")
    POD("none", "") POD("bound", CLAIM("bound")) POD("lost", CLAIM("lost"))
    POD("open", CLAIM("open")) POD("two", CLAIM("open") ", " CLAIM("open2"))
    POD("three", CLAIM("open") ", " CLAIM("open2") ", " CLAIM("picky"))
    POD("huge", CLAIM("huge")) POD("picky", CLAIM("picky")) POD("many", CLAIM("many"))
    POD("prebound", CLAIM("prebound")) POD("made", CLAIM("made")) POD("chosen", CLAIM("chosen"))
    POD("kept", CLAIM("kept"))
    POD("pooled", CLAIM("pooled")) POD("too-big", CLAIM("too-big")) POD("now", CLAIM("now"))
    POD("gone", CLAIM("gone")) POD("dying", CLAIM("dying"))
    POD("mixed", CLAIM("bound") ", " CLAIM("huge"))
    CLASS("modeless", "provisioner: d") PVC("modeless", WANTS("1Gi") "storageClassName: modeless",
        "")
    PVC("classless", WANTS("1Gi") "storageClassName: nope", "")
    PVC("half", WANTS("1Gi") "storageClassName: local, volumeName: small", "")
    PVC("gone-pv", WANTS("1Gi") "volumeName: pv-x", BOUND) "status: {phase: Lost}\n"
    PVC("owned-v", WANTS("1Gi") "storageClassName: local",
        "ownerReferences: [{apiVersion: v1, kind: Pod, name: owned, uid: u-owned, "
        "controller: false}]")
    POD("modeless", CLAIM("modeless")) POD("classless", CLAIM("classless"))
    POD("half", CLAIM("half")) POD("gone-pv", CLAIM("gone-pv"))
    POD("owned", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
    POD("scratch", "{name: s, emptyDir: {}}") POD("scratch-too", "{name: s, emptyDir: {}}, "
        CLAIM("open"))
    POD("twice", CLAIM("prebound") ", {name: again, persistentVolumeClaim: {claimName: prebound}}")
    POD("eph", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
    POD("thief", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
    POD("early", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}");
/* clang-format on */

static const struct {
    const char *pod, *a, *b;
} cases[] = {
    { "none", "Skip", "Skip" },
    { "scratch", "Skip", "Skip" },
    { "scratch-too", "Success", "UaU: " NO_VOLUME },
    { "twice", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME }, /* its only volume is taken */
    { "bound", "Success", "UaU: " AFFINITY },
    { "lost", "UaU: " NO_PV, "UaU: " NO_PV },
    { "open", "Success", "UaU: " NO_VOLUME },
    { "two", "Success", "UaU: " NO_VOLUME },
    { "three", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "huge", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "picky", "Success", "UaU: " NO_VOLUME },
    { "many", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME },
    { "prebound", "UaU: " NO_VOLUME, "Success" },
    { "made", "Success", "UaU: " NO_VOLUME },
    { "chosen", "UaU: " NO_VOLUME, "UaU: " NO_VOLUME }, /* no volume of its class is made there */
    { "kept", "Success", "UaU: " NO_VOLUME },
    { "pooled", "Success", "UaU: " NO_SPACE },
    { "too-big", "UaU: " NO_SPACE, "UaU: " NO_SPACE },
    { "mixed", "UaU: " NO_VOLUME, "UaU: " AFFINITY ", " NO_VOLUME },
    { "eph", "Success", "UaU: " NO_VOLUME },
};
static const struct {
    const char *pod, *why;
} refused[] = {
    { "now", "PreFilter UaU: pod has unbound immediate PersistentVolumeClaims" },
    { "classless", "PreFilter UaU: pod has unbound immediate PersistentVolumeClaims" },
    { "half", "PreFilter UaU: pod has unbound immediate PersistentVolumeClaims" },
    { "modeless", "PreFilter Error: VolumeBindingMode not set for StorageClass \"modeless\"" },
    { "gone-pv", "PreFilter UaU: persistentvolumeclaim \"gone-pv\" bound to non-existent "
                 "persistentvolume \"pv-x\"" },
    { "owned", "PreFilter UaU: PVC default/owned-v was not created for pod default/owned (pod is "
               "not owner)" },
    { "gone", "PreFilter UaU: persistentvolumeclaim \"gone\" not found" },
    { "dying", "PreFilter UaU: persistentvolumeclaim \"dying\" is being deleted" },
    { "early", "PreFilter UaU: waiting for ephemeral volume controller to create the "
               "persistentvolumeclaim \"early-v\"" },
    { "thief", "PreFilter UaU: PVC default/thief-v was not created for pod default/thief (pod is "
               "not owner)" },
};

static void test_binding_verdicts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    storage_class_without_mode(f, "modeless");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "a"), cases[i].a);
        t_str(t, fixture_verdict(f, &p, cases[i].pod, "b"), cases[i].b);
    }
    for (size_t i = 0; i < MST_COUNT(refused); i++) {
        t_case(t, refused[i].pod);
        t_str(t, fixture_verdict(f, &p, refused[i].pod, "a"), refused[i].why);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_binding_scores(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    t_int(t, fixture_score(f, &p, "none", "a"), 0);
    t_int(t, fixture_score(f, &p, "bound", "a"), 0);
    t_int(t, fixture_score(f, &p, "open", "a"), 50); /* 1Gi of 2Gi */
    t_int(t, fixture_score(f, &p, "two", "a"), 80);  /* 2Gi of 10Gi */
    t_int(t, fixture_score(f, &p, "pooled", "a"),
          50);                                      /* 2Gi of 4Gi: what is free, not the largest */
    t_int(t, fixture_score(f, &p, "made", "a"), 0); /* nobody knows how much is free */
    fixture_plugin_done(&p);
    p = fixture_plugin(f, &mst_plugin_volume_binding,
                       "shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]");
    t_int(t, fixture_score(f, &p, "two", "a"), 20);
    fixture_plugin_done(&p);
    struct mst_err err;
    p = fixture_plugin_try(f, &mst_plugin_volume_binding, "bindTimeoutSeconds: -1", &err);
    t_bool(t, p.instance == NULL, true);
    f->gates.on[MST_GATE_StorageCapacityScoring] = false;
    p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    t_int(t, fixture_score(f, &p, "two", "a"), FIXTURE_SKIPPED);
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* An object is written even if it is as wanted already; the write says what changes. */
static void test_binding_writes_say_what_changes(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    static const struct {
        const char *pod, *node;
        bool claim_ref, claim_new, version, kind, by_controller, node_new;
    } writes[] = {
        { "open", "a", true, true, true, true, true, false },
        { "prebound", "b", true, false, true, true, false, false }, /* a reference without uid */
        { "made", "a", false, false, false, false, false, true },
        { "kept", "a", false, false, false, false, false, false },
    };
    for (size_t i = 0; i < MST_COUNT(writes); i++) {
        t_case(t, writes[i].pod);
        struct mst_reservation *r =
            p.plugin->reserve(&f->view, p.instance, fixture_pod(f, writes[i].pod),
                              fixture_node(f, writes[i].node), &f->arena);
        t_int(t, r->writes.n, 1);
        const struct mst_write *w = r->writes.v;
        t_bool(t, w->claim_ref, writes[i].claim_ref);
        t_bool(t, w->claim_new, writes[i].claim_new);
        t_bool(t, w->claim_version, writes[i].version);
        t_bool(t, w->claim_kind, writes[i].kind);
        t_bool(t, w->by_controller, writes[i].by_controller);
        t_bool(t, w->node_new, writes[i].node_new);
        p.plugin->unreserve(&f->view, p.instance, r, true);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_binding_assumes_and_reverts(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    const uint32_t a = fixture_node(f, "a");
    t_bool(t,
           p.plugin->reserve(&f->view, p.instance, fixture_pod(f, "bound"), a, &f->arena) == NULL,
           true);
    struct mst_reservation *two =
        p.plugin->reserve(&f->view, p.instance, fixture_pod(f, "two"), a, &f->arena);
    t_int(t, two->writes.n, 2);
    t_str(t, two->writes.v[0].name, "small");
    t_str(t, two->writes.v[1].name, "big");
    t_bool(t, two->writes.v[0].claim_new && two->writes.v[0].by_controller, true);
    t_case(t, "both volumes are spoken for");
    t_str(t, fixture_verdict(f, &p, "picky", "a"), "UaU: " NO_VOLUME);
    t_str(t, fixture_verdict(f, &p, "open", "a"), "Success"); /* its own */
    struct mst_str reason;
    t_int(t,
          p.plugin->pre_bind_done(&f->view, p.instance, two, fixture_pod(f, "two"), &f->arena,
                                  &reason),
          MST_ERROR); /* the pod has no node */
    p.plugin->unreserve(&f->view, p.instance, two, true);
    t_str(t, fixture_verdict(f, &p, "picky", "a"), "Success");
    struct mst_reservation *made =
        p.plugin->reserve(&f->view, p.instance, fixture_pod(f, "made"), a, &f->arena);
    t_int(t, made->writes.n, 1);
    t_int(t, made->writes.v[0].kind, MST_KIND_PVC);
    t_int(t, made->timeout_ns / 1000000000, 600);
    p.plugin->unreserve(&f->view, p.instance, made, true);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_binding_waits_for_the_claim(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    const uint32_t pod = fixture_pod(f, "open"), a = fixture_node(f, "a");
    mst_cluster_place(&f->cluster, pod, a);
    struct mst_reservation *r = p.plugin->reserve(&f->view, p.instance, pod, a, &f->arena);
    mst_cluster_assume(&f->cluster, pod);
    struct mst_str reason;
#define DONE() p.plugin->pre_bind_done(&f->view, p.instance, r, pod, &f->arena, &reason)
    t_int(t, DONE(), MST_WAIT); /* our write is not back */
    storage_apply(f, PV("small",
                        HAS("2Gi") IN_ZONE("a") "storageClassName: local, claimRef: "
                                                "{namespace: default, name: open, uid: c-open}",
                        "resourceVersion: '2'"));
    t_int(t, DONE(), MST_WAIT); /* the claim does not know yet */
    storage_apply(f, PVC("open", WANTS("1Gi") "storageClassName: local, volumeName: small", BOUND));
    t_int(t, DONE(), MST_SUCCESS);
    storage_apply(f, PV("small", HAS("2Gi") "storageClassName: local", "resourceVersion: '3'"));
    t_int(t, DONE(), MST_ERROR);
    t_str(t, reason, "ClaimRef got reset for pv \"small\"");
    storage_apply(f, PV("small", HAS("2Gi") IN_ZONE("b") "storageClassName: local",
                        "resourceVersion: '4'"));
    t_int(t, DONE(), MST_ERROR);
    t_str(t, reason,
          "pv \"small\" node affinity doesn't match node \"a\": no matching "
          "NodeSelectorTerms");
#undef DONE
    p.plugin->unreserve(&f->view, p.instance, r, false);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_binding_hints(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_volume_binding, NULL);
    storage_apply(f, cluster);
    struct mst_cluster_event e = { .resource = MST_ON_STORAGE_CLASS, .actions = MST_ACT_UPDATE };
    e.object = e.old_object = storage_object(f, MST_VOL_CLASS, "made");
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_SKIP);
    e.old_object = storage_object(f, MST_VOL_CLASS, "pool");
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_QUEUE);
    e.old_object = NULL;
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_QUEUE);
    e = (struct mst_cluster_event){ .resource = MST_ON_PVC, .actions = MST_ACT_UPDATE };
    e.object = storage_object(f, MST_VOL_PVC, "default/open");
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_QUEUE);
    t_int(t, fixture_hint(f, &p, "picky", &e), MST_HINT_SKIP);
    e = (struct mst_cluster_event){ .resource = MST_ON_CSI_STORAGE_CAPACITY,
                                    .actions = MST_ACT_UPDATE };
    e.object = e.old_object = storage_object(f, MST_VOL_CAPACITY, "default/c1");
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_SKIP);
    e.old_object = NULL;
    t_int(t, fixture_hint(f, &p, "open", &e), MST_HINT_QUEUE);
    fixture_plugin_done(&p);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_binding_verdicts), T(test_binding_scores),
              T(test_binding_writes_say_what_changes), T(test_binding_assumes_and_reverts),
              T(test_binding_waits_for_the_claim), T(test_binding_hints))
