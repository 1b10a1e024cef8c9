/* VolumeBinding: what is written for a pod's claims, and what is said while that is waited for. */
#include "binding_world.h"
#include "tap.h"

/* clang-format off */
static const char cluster[] =
    NODE("a", ZONE ": a") NODE("b", ZONE ": b")
    CLASS("local", "provisioner: kubernetes.io/no-provisioner\n"
          "volumeBindingMode: WaitForFirstConsumer")
    CLASS("made", "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer")
    PV("disk", HAS("1Gi") IN_ZONE("a") "storageClassName: local", "")
    PV("mine", HAS("1Gi") IN_ZONE("b") "storageClassName: local, claimRef: "
       "{namespace: default, name: prebound}",
       "annotations: {pv.kubernetes.io/bound-by-controller: 'yes'}")
    PVC("open", WANTS("1Gi") "storageClassName: local", "")
    PVC("prebound", WANTS("1Gi") "storageClassName: local", "")
    PVC("made", WANTS("1Gi") "storageClassName: made", "")
    POD("open", CLAIM("open")) POD("prebound", CLAIM("prebound")) POD("made", CLAIM("made"))
    POD("twice", CLAIM("made") ", {name: again, persistentVolumeClaim: {claimName: made}}")
    POD("none", "");
/* clang-format on */

struct held {
    struct mst_fixture *f;
    struct fixture_plugin p;
    uint32_t pod;
    struct mst_reservation *reservation;
    struct mst_str reason;
};

/* The pod has its place on the node and is assumed, as when its writes are on their way. */
static struct held hold(const char *pod, const char *node, const char *args)
{
    struct held h = { .f = fixture_new("") };
    h.p = fixture_plugin(h.f, &mst_plugin_volume_binding, args);
    storage_apply(h.f, cluster);
    h.pod = fixture_pod(h.f, pod);
    const uint32_t row = fixture_node(h.f, node);
    mst_cluster_place(&h.f->cluster, h.pod, row);
    h.reservation = h.p.plugin->reserve(&h.f->view, h.p.instance, h.pod, row, &h.f->arena);
    mst_cluster_assume(&h.f->cluster, h.pod);
    return h;
}

static mst_code look(struct held *h)
{
    h->reason = MST_STR("");
    return h->p.plugin->pre_bind_done(&h->f->view, h->p.instance, h->reservation, h->pod,
                                      &h->f->arena, &h->reason);
}

static void let_go(struct held *h)
{
    if (h->reservation)
        h->p.plugin->unreserve(&h->f->view, h->p.instance, h->reservation, false);
    fixture_plugin_done(&h->p);
    fixture_free(h->f);
}

static void forget_object(struct held *h, mst_vol_kind kind, const char *key)
{
    const struct mst_object object = storage_copy(h->f, kind, key);
    (void)mst_volumes_remove(&h->f->cluster, &object);
}

static void test_reserve_writes(struct mst_test *t)
{
    struct held h = hold("prebound", "b", NULL);
    t_int(t, h.reservation->writes.n, 1);
    t_str(t, h.reservation->writes.v[0].key, "mine");
    t_str(t, h.reservation->writes.v[0].claim_uid, "c-prebound");
    t_bool(t, h.reservation->writes.v[0].claim_new, false);
    t_bool(t, h.reservation->writes.v[0].by_controller, false);
    let_go(&h);
    t_case(t, "one claim behind two volumes is written once");
    h = hold("twice", "a", "bindTimeoutSeconds: 9223372036854775807");
    t_int(t, h.reservation->writes.n, 1);
    t_str(t, h.reservation->writes.v[0].key, "default/made");
    t_str(t, mst_sym_str(h.f->syms, h.reservation->writes.v[0].node), "a");
    t_int(t, h.reservation->timeout_ns, INT64_MAX);
    let_go(&h);
    t_case(t, "no claims");
    h = hold("none", "a", NULL);
    t_bool(t, h.reservation == NULL, true);
    let_go(&h);
    t_case(t, "a node that has nothing: Filter was not asked");
    h = hold("open", "b", NULL);
    t_bool(t, h.reservation == NULL, true);
    let_go(&h);
}

static void test_reserve_waits_for_a_volume(struct mst_test *t)
{
    struct held h = hold("open", "a", NULL);
    t_int(t, look(&h), MST_WAIT);
    forget_object(&h, MST_VOL_PVC, "default/open");
    t_int(t, look(&h), MST_ERROR);
    t_str(t, h.reason,
          "failed to check binding: persistentvolumeclaims \"default/open\" not found");
    forget_object(&h, MST_VOL_PV, "disk");
    t_int(t, look(&h), MST_ERROR);
    t_str(t, h.reason, "failed to check binding: persistentvolumes \"disk\" not found");
    let_go(&h);
    t_case(t, "a reference without a UID");
    h = hold("prebound", "b", NULL);
    storage_apply(h.f, PV("mine",
                          HAS("1Gi") IN_ZONE("b") "storageClassName: local, claimRef: "
                                                  "{namespace: default, name: prebound}",
                          "resourceVersion: '2'"));
    t_int(t, look(&h), MST_ERROR);
    t_str(t, h.reason, "ClaimRef got reset for pv \"mine\"");
    mst_cluster_forget(&h.f->cluster, h.pod);
    t_int(t, look(&h), MST_ERROR);
    t_str(t, h.reason, "failed to get node \"\": node \"\" not found");
    let_go(&h);
}

#define SELECTED(node) "annotations: {volume.kubernetes.io/selected-node: " node "}"
#define IS_BOUND(node)                                                                             \
    "annotations: {volume.kubernetes.io/selected-node: " node                                      \
    ", pv.kubernetes.io/bind-completed: 'yes'}"
#define MADE(spec, meta)                                                                           \
    PVC("made", WANTS("1Gi") "storageClassName: made, " spec, "resourceVersion: '2', " meta)

/* Steps of a provisioned claim; each is a new version of it. */
static const struct {
    const char *name, *objects;
    mst_code code;
    const char *reason;
} steps[] = {
    { "our write is not back", "", MST_WAIT, "" },
    { "not made yet", MADE("", SELECTED("a")), MST_WAIT, "" },
    { "the provisioner gives up", MADE("", "annotations: {x: z}"), MST_ERROR,
      "provisioning failed for PVC \"made\"" },
    { "another node", MADE("", SELECTED("b")), MST_ERROR, "provisioning failed for PVC \"made\"" },
    { "its volume is not known yet", MADE("volumeName: new", IS_BOUND("a")), MST_WAIT, "" },
    { "its volume is elsewhere", PV("new", HAS("1Gi") IN_ZONE("b"), ""), MST_ERROR,
      "pv \"new\" node affinity doesn't match node \"a\": no matching NodeSelectorTerms" },
    { "its volume is here", PV("new", HAS("1Gi") IN_ZONE("a"), ""), MST_SUCCESS, "" },
    { "bound only by half", MADE("volumeName: new", SELECTED("a")), MST_WAIT, "" },
    { "an EBS volume, reached by its old zone",
      PV("new",
         "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, awsElasticBlockStore: "
         "{volumeID: v}, " IN_ZONE("b"),
         "") MADE("volumeName: new", IS_BOUND("a")),
      MST_ERROR,
      "pv \"new\" node affinity doesn't match node \"a\": no matching NodeSelectorTerms" },
    { "handed over to the driver, whose zone the node is in",
      "---\nkind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: a, annotations: "
      "{storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs}}\n" NODE(
          "a", "topology.ebs.csi.aws.com/zone: b"),
      MST_SUCCESS, "" },
};

static void test_reserve_waits_for_provisioning(struct mst_test *t)
{
    struct held h = hold("made", "a", NULL);
    for (size_t i = 0; i < MST_COUNT(steps); i++) {
        t_case(t, steps[i].name);
        storage_apply(h.f, steps[i].objects);
        t_int(t, look(&h), steps[i].code);
        t_str(t, h.reason, steps[i].reason);
    }
    forget_object(&h, MST_VOL_PVC, "default/made");
    t_case(t, "the claim is deleted");
    t_int(t, look(&h), MST_ERROR);
    t_str(t, h.reason,
          "failed to check provisioning pvc: persistentvolumeclaims \"default/made\" not found");
    let_go(&h);
}

MST_TEST_MAIN(T(test_reserve_writes), T(test_reserve_waits_for_a_volume),
              T(test_reserve_waits_for_provisioning))
