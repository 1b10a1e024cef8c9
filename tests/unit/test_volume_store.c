/* The tables of storage objects: order, versions, assumptions, attachments, volumes of pods. */
#include "base/rng.h"
#include "cluster/volumes.h"
#include "storage_helper.h"
#include "tap.h"

static void test_volumes_are_sorted_by_key(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, PV("c", "", "") PV("a", "", "") PV("b", "", "") PV("a", "", "uid: x"));
    t_int(t, mst_volumes_count(&f->cluster, MST_VOL_PV), 3);
    static const char *const order[] = { "a", "b", "c" };
    for (uint32_t i = 0; i < MST_COUNT(order); i++)
        t_str(t, mst_volumes_at(&f->cluster, MST_VOL_PV, i)->key, order[i]);
    t_str(t, storage_object(f, MST_VOL_PV, "a")->u.meta.uid, "x");
    t_bool(t, mst_volumes_get(&f->cluster, MST_VOL_PV, MST_STR("d")) == NULL, true);
    t_bool(t, mst_volumes_get(&f->cluster, MST_VOL_PVC, MST_STR("a")) == NULL, true);
    fixture_free(f);
}

static void test_volumes_keep_the_version_before(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, CLASS("s", "provisioner: one"));
    struct mst_object next = { .kind = MST_KIND_STORAGE_CLASS };
    next.u.storage_class.meta.name = MST_STR("s");
    next.u.storage_class.provisioner = mst_sym_of_text(f->syms, "two");
    const uint64_t before = mst_volumes_generation(&f->cluster);
    const struct mst_object *old;
    const struct mst_stored *now = mst_volumes_set(&f->cluster, &next, &old);
    t_bool(t, mst_volumes_generation(&f->cluster) > before, true);
    t_str(t, mst_sym_str(f->syms, old->u.storage_class.provisioner), "one");
    t_str(t, mst_sym_str(f->syms, now->object.u.storage_class.provisioner), "two");
    old = mst_volumes_remove(&f->cluster, &next);
    t_str(t, mst_sym_str(f->syms, old->u.storage_class.provisioner), "two");
    t_bool(t, mst_volumes_remove(&f->cluster, &next) == NULL, true);
    t_int(t, mst_volumes_count(&f->cluster, MST_VOL_CLASS), 0);
    fixture_free(f);
}

static void test_volumes_copy_everything_that_is_read(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(
        f, PV("v",
              "capacity: {storage: 1500m}, accessModes: [ReadWriteOnce, ReadOnlyMany], "
              "csi: {driver: d, volumeHandle: h}, claimRef: {namespace: ns, name: c, uid: u}, "
              "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, "
              "operator: In, values: [x1, x2]}], matchFields: [{key: metadata.name, operator: "
              "In, values: [z]}]}]}}",
              "labels: {l: v}, annotations: {note: long, "
              "volume.beta.kubernetes.io/storage-class: beta}, "
              "ownerReferences: [{apiVersion: v1, kind: K, name: o, uid: ou}]"));
    const struct mst_pv *pv = &storage_object(f, MST_VOL_PV, "v")->u.pv;
    t_int(t, pv->sources, MST_PV_CSI);
    t_str(t, pv->handle, "h");
    t_str(t, pv->claim_uid, "u");
    t_int(t, pv->access_modes.n, 2);
    t_int(t, pv->required.terms.n, 1);
    t_int(t, pv->required.terms.v[0].match_expressions.v[0].values.n, 2);
    t_int(t, pv->required.terms.v[0].match_fields.n, 1);
    t_int(t, pv->meta.annotations.n, 1); /* the note is nobody's business */
    t_str(t, mst_sym_str(f->syms, mst_pv_class(&f->cluster, pv)), "beta");
    t_str(t, pv->meta.owners.v[0].uid, "ou");
    const struct mst_quantity q = mst_storage_amount(&f->cluster, &pv->capacity, NULL);
    t_int(t, mst_quantity_value(&q), 2);
    bool set;
    (void)mst_storage_amount(&f->cluster, &(mst_resources){ 0 }, &set);
    t_bool(t, set, false);
    fixture_free(f);
}

static void test_volumes_assumptions_end_with_a_new_version(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, PV("v", "", "resourceVersion: '1'") PVC("c", "", "resourceVersion: '1'"));
    const struct mst_stored *pv = mst_volumes_get(&f->cluster, MST_VOL_PV, MST_STR("v"));
    const struct mst_stored *pvc = mst_volumes_get(&f->cluster, MST_VOL_PVC, MST_STR("default/c"));
    t_bool(t, mst_pv_claim(pv).set, false);
    mst_volumes_assume_claim(&f->cluster, pv, pvc, true);
    mst_volumes_assume_node(&f->cluster, pvc, mst_sym_of_text(f->syms, "n"));
    t_str(t, mst_pv_claim(pv).name, "c");
    t_str(t, mst_sym_str(f->syms, mst_pvc_selected_node(&f->cluster, pvc)), "n");
    storage_apply(f, PV("v", "", "resourceVersion: '1'")); /* told again: nothing new */
    pv = mst_volumes_get(&f->cluster, MST_VOL_PV, MST_STR("v"));
    t_bool(t, pv->assumption.on && mst_pv_claim(pv).set, true);
    storage_apply(f, PV("v", "", "resourceVersion: '2'"));
    pv = mst_volumes_get(&f->cluster, MST_VOL_PV, MST_STR("v"));
    t_bool(t, pv->assumption.on || mst_pv_claim(pv).set, false);
    mst_volumes_restore(&f->cluster, MST_VOL_PVC, MST_STR("default/c"));
    t_int(t, mst_pvc_selected_node(&f->cluster, pvc), MST_SYM_NONE);
    const uint64_t still = mst_volumes_generation(&f->cluster);
    mst_volumes_restore(&f->cluster, MST_VOL_PVC, MST_STR("default/c"));
    mst_volumes_restore(&f->cluster, MST_VOL_PVC, MST_STR("default/unknown"));
    t_bool(t, mst_volumes_generation(&f->cluster) == still, true);
    fixture_free(f);
}

#define ATTACHMENT(name, node)                                                                     \
    "---\nkind: VolumeAttachment\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name           \
    "}\nspec: {attacher: d, nodeName: " node ", source: {persistentVolumeName: v}}\n"

static uint32_t attached(struct mst_fixture *f, const char *node)
{
    uint32_t n = 0;
    const struct mst_stored *s = mst_volumes_attached(&f->cluster, mst_sym_of_text(f->syms, node));
    for (; s; s = s->next_of_node)
        n++;
    return n;
}

static void test_volumes_attachments_by_node(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, ATTACHMENT("va1", "a") ATTACHMENT("va2", "a") ATTACHMENT("va3", "a"));
    t_int(t, attached(f, "a"), 3);
    t_int(t, attached(f, "b"), 0);
    storage_apply(f, ATTACHMENT("va2", "b"));
    t_int(t, attached(f, "a"), 2);
    t_int(t, attached(f, "b"), 1);
    for (const char *const *name = (const char *const[]){ "va1", "va3", "va2", NULL }; *name;
         name++) {
        struct mst_object gone = { .kind = MST_KIND_VOLUME_ATTACHMENT };
        gone.u.meta.name = mst_str_of(*name);
        t_bool(t, mst_volumes_remove(&f->cluster, &gone) != NULL, true);
    }
    t_int(t, attached(f, "a") + attached(f, "b"), 0);
    fixture_free(f);
}

/* Random sets and removals beside a plain list of names. */
static void test_volumes_twin(struct mst_test *t)
{
    enum { NAMES = 20, STEPS = 2000 };
    struct mst_fixture *f = fixture_new("");
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    bool there[NAMES] = { 0 };
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t i = (uint32_t)mst_rng_below(&rng, NAMES);
        struct mst_object o = { .kind = MST_KIND_PV };
        o.u.meta.name = mst_arena_printf(&f->arena, "pv-%u", i);
        const struct mst_object *old;
        if (mst_rng_below(&rng, 2)) {
            (void)mst_volumes_set(&f->cluster, &o, &old);
            mst_assert((old != NULL) == there[i]);
            there[i] = true;
        } else {
            mst_assert((mst_volumes_remove(&f->cluster, &o) != NULL) == there[i]);
            there[i] = false;
        }
        const uint32_t n = mst_volumes_count(&f->cluster, MST_VOL_PV);
        uint32_t want = 0;
        for (uint32_t k = 0; k < NAMES; k++)
            want += there[k];
        mst_assert(n == want);
        for (uint32_t k = 1; k < n; k++)
            mst_assert(mst_str_cmp(mst_volumes_at(&f->cluster, MST_VOL_PV, k - 1)->key,
                                   mst_volumes_at(&f->cluster, MST_VOL_PV, k)->key) < 0);
    }
    t_bool(t, true, true);
    fixture_free(f);
}

static void test_volumes_of_pods_are_shared(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f,
                  NODE("n1", "") POD("a", CLAIM("c")) POD("b", CLAIM("c")) POD("d", CLAIM("e"))
                      POD("none", "{name: v, emptyDir: {}}")
                          POD("x", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}")
                              POD("z", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}"));
    const uint32_t a = f->cluster.pods.v[fixture_pod(f, "a")].volumes;
    t_bool(t, a != 0 && a == f->cluster.pods.v[fixture_pod(f, "b")].volumes, true);
    t_bool(t, a != f->cluster.pods.v[fixture_pod(f, "d")].volumes, true);
    t_int(t, f->cluster.pods.v[fixture_pod(f, "none")].volumes, 0);
    t_int(t, fixture_class(f, "a")->id, fixture_class(f, "b")->id);
    t_bool(t, fixture_class(f, "x")->id != fixture_class(f, "z")->id, true);
    const struct mst_pod_volumes *x =
        mst_cluster_volumes(&f->cluster, fixture_class(f, "x")->volumes);
    t_str(t, x->list.v[0].claim_key, "default/x-v");
    t_str(t, x->list.v[0].claim_name, "x-v");
    t_str(t, x->owner_uid, "u-x");
    t_case(t, "uses of a claim follow the pods");
    t_int(t, mst_claim_uses(&f->cluster, MST_STR("default/c")), 0);
    mst_cluster_place(&f->cluster, fixture_pod(f, "a"), 0);
    mst_cluster_place(&f->cluster, fixture_pod(f, "b"), 0);
    t_int(t, mst_claim_uses(&f->cluster, MST_STR("default/c")), 2);
    t_int(t, f->cluster.nodes.volume_pod_count[0], 2);
    mst_cluster_check(&f->cluster);
    mst_cluster_unplace(&f->cluster, fixture_pod(f, "a"));
    mst_cluster_pod_remove(&f->cluster, fixture_pod(f, "b"));
    t_int(t, mst_claim_uses(&f->cluster, MST_STR("default/c")), 0);
    mst_cluster_check(&f->cluster);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_volumes_are_sorted_by_key), T(test_volumes_keep_the_version_before),
              T(test_volumes_copy_everything_that_is_read),
              T(test_volumes_assumptions_end_with_a_new_version),
              T(test_volumes_attachments_by_node), T(test_volumes_twin),
              T(test_volumes_of_pods_are_shared))
