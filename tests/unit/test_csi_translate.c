/* Volumes of former in-tree drivers: handles and topology as their CSI drivers see them. */
#include "plugins/csi_translate.h"
#include "storage_helper.h"
#include "tap.h"

#define ZONE "topology.kubernetes.io/zone"
#define BETA "failure-domain.beta.kubernetes.io/zone"

static const struct {
    const char *spec, *meta, *handle; /* NULL: cannot be translated */
} handles[] = {
    { "awsElasticBlockStore: {volumeID: vol-1}", "", "vol-1" },
    { "awsElasticBlockStore: {volumeID: 'aws://us-east-1a/vol-2'}", "", "vol-2" },
    { "awsElasticBlockStore: {volumeID: 'aws:///vol-3/'}", "", "vol-3" },
    { "awsElasticBlockStore: {volumeID: 'aws://z/other'}", "", NULL },
    { "awsElasticBlockStore: {volumeID: 'aws://'}", "", NULL },
    { "gcePersistentDisk: {pdName: d}", "", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d" },
    { "gcePersistentDisk: {pdName: d}", "labels: {" ZONE ": e-1-b}",
      "projects/UNSPECIFIED/zones/e-1-b/disks/d" },
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": e-1-b__e-1-c}",
      "projects/UNSPECIFIED/regions/e-1/disks/d" },
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": e-1-b__f-1-c}", NULL },
    /* zones are LOCALE-REGION-ZONE when there are several, and all of one region */
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": e-b__e-c}", NULL },
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": e-1-x-b__e-1-x-c}", NULL },
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": e_1__e_2}", NULL },
    { "gcePersistentDisk: {pdName: d}", "labels: {" BETA ": '', " ZONE ": e-1-b}",
      "projects/UNSPECIFIED/zones/e-1-b/disks/d" },
    { "azureDisk: {diskName: n, diskURI: u, kind: Managed}", "", "u" },
    { "azureDisk: {diskName: n, diskURI: u, kind: Manager}", "", NULL },
    { "awsElasticBlockStore: {volumeID: 'aws://z/vol-1/x'}", "", NULL },
    { "azureDisk: {diskName: n, diskURI: u, kind: Shared}", "", NULL },
    { "azureDisk: {diskName: n, diskURI: u}", "", NULL },
    { "cinder: {volumeID: c}", "", "c" },
    { "portworxVolume: {volumeID: p}", "", "p" },
};

static void test_translate_handles(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(handles); i++) {
        struct mst_fixture *f = fixture_new("");
        storage_apply(
            f, mst_arena_printf(&f->arena,
                                "kind: PersistentVolume\napiVersion: v1\nmetadata: {name: v, "
                                "%s}\nspec: {%s}\n",
                                handles[i].meta, handles[i].spec)
                   .p);
        const struct mst_pv *pv = &storage_object(f, MST_VOL_PV, "v")->u.pv;
        const struct mst_str got = mst_migrated_pv_handle(f->syms, pv, &f->arena);
        t_case(t, handles[i].spec);
        if (handles[i].handle)
            t_str(t, got, handles[i].handle);
        else
            t_bool(t, got.p == NULL, true);
        fixture_free(f);
    }
}

static const struct {
    const char *volume, *handle;
} inline_handles[] = {
    { "awsElasticBlockStore: {volumeID: 'aws://z/vol-1'}", "vol-1" },
    { "gcePersistentDisk: {pdName: d}", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d" },
    { "azureDisk: {diskName: n, diskURI: u, kind: Managed}", "u" },
    { "azureDisk: {diskName: n, diskURI: u, kind: Dedicated}", NULL },
    { "cinder: {volumeID: c}", "c" },
};

static void test_translate_inline_handles(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(inline_handles); i++) {
        struct mst_fixture *f = fixture_new("");
        t_case(t, inline_handles[i].volume);
        fixture_apply(f, mst_arena_printf(&f->arena,
                                          "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: "
                                          "{containers: [{name: c, image: i}], volumes: [{name: v, "
                                          "%s}]}\n",
                                          inline_handles[i].volume)
                             .p);
        const struct mst_pod_volumes *volumes =
            mst_cluster_volumes(&f->cluster, fixture_class(f, "p")->volumes);
        const struct mst_str got =
            mst_migrated_inline_handle(f->syms, &volumes->list.v[0], &f->arena);
        if (inline_handles[i].handle)
            t_str(t, got, inline_handles[i].handle);
        else
            t_bool(t, got.p == NULL, true);
        fixture_free(f);
    }
}

static const struct {
    const char *spec, *meta, *keys; /* of all expressions, in order */
} affinities[] = {
    { "", "", "" },
    { "", "labels: {" ZONE ": a__b}", "topology.ebs.csi.aws.com/zone=2" },
    { ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " ZONE
      ", operator: In, values: [a]}]}]}}",
      "labels: {" ZONE ": b}", "topology.ebs.csi.aws.com/zone=1" },
    { ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " BETA
      ", operator: In, values: [a]}, {key: failure-domain.beta.kubernetes.io/region, operator: In, "
      "values: [r]}]}]}}",
      "", "topology.ebs.csi.aws.com/zone=1topology.kubernetes.io/region=1" },
    { ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: "
      "Exists}]}]}}",
      "labels: {" BETA ": a}", "disk=0topology.ebs.csi.aws.com/zone=1" },
    /* a key without values is no topology: the label counts, and no zone is none */
    { ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " ZONE
      ", operator: Exists}]}]}}",
      "labels: {" ZONE ": b}", ZONE "=0topology.ebs.csi.aws.com/zone=1" },
    { "", "labels: {" ZONE ": ''}", "" },
    { "", "labels: {" ZONE ": a____b}", "topology.ebs.csi.aws.com/zone=2" },
    { ", nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
      "operator: In, values: [n1]}]}]}}",
      "labels: {" ZONE ": b}", "topology.ebs.csi.aws.com/zone=1" },
};

static void test_translate_affinity(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(affinities); i++) {
        struct mst_fixture *f = fixture_new("");
        storage_apply(
            f, mst_arena_printf(&f->arena,
                                "kind: PersistentVolume\napiVersion: v1\nmetadata: {name: v, "
                                "%s}\nspec: {awsElasticBlockStore: {volumeID: v}%s}\n",
                                affinities[i].meta, affinities[i].spec)
                   .p);
        const struct mst_node_selector s =
            mst_migrated_affinity(f->syms, &storage_object(f, MST_VOL_PV, "v")->u.pv, &f->arena);
        struct mst_str text = MST_STR("");
        for (uint32_t k = 0; k < s.terms.n; k++)
            for (uint32_t e = 0; e < s.terms.v[k].match_expressions.n; e++) {
                const struct mst_requirement *r = &s.terms.v[k].match_expressions.v[e];
                text = mst_arena_printf(&f->arena, "%.*s%.*s=%u", MST_ARG(text),
                                        MST_ARG(mst_sym_str(f->syms, r->key)), r->values.n);
            }
        t_case(t, affinities[i].meta);
        t_str(t, text, affinities[i].keys);
        fixture_free(f);
    }
}

static void test_translate_asks_the_node(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f,
                  "kind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: n1, annotations: "
                  "{storage.alpha.kubernetes.io/migrated-plugins: "
                  "'kubernetes.io/gce-pd,kubernetes.io/aws-ebs,kubernetes.io/azure-file'}}\n");
    const struct mst_csi_node *n = &storage_object(f, MST_VOL_CSI_NODE, "n1")->u.csi_node;
    t_bool(t, mst_migrated_on_node(n, mst_migrated_inline(MST_VOLUME_AWS_EBS)), true);
    t_bool(t, mst_migrated_on_node(n, mst_migrated_inline(MST_VOLUME_CINDER)), false);
    t_bool(t, mst_migrated_on_node(n, mst_migrated_name(MST_STR("kubernetes.io/azure-file"))),
           false);
    t_bool(t, mst_migrated_on_node(NULL, mst_migrated_inline(MST_VOLUME_AWS_EBS)), false);
    t_bool(t, mst_migrated_inline(MST_VOLUME_OTHER) == NULL, true);
    t_bool(t, mst_migrated_name(MST_STR("kubernetes.io/nfs")) == NULL, true);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_translate_handles), T(test_translate_inline_handles),
              T(test_translate_affinity), T(test_translate_asks_the_node))
