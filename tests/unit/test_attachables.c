/*
 * test_attachables.c - what is attached to a node while pods are taken off it in a simulation,
 * against a fresh cluster without those pods and without the attachments that go with them.
 */
#include "base/rng.h"
#include "plugins/attachables.h"
#include "plugins/registry.h"
#include "storage_helper.h"
#include "tap.h"

enum { VOLUMES = 11, OWN = 2, PODS = 4, USES = 2, WORLDS = 120, MOVES = 12 };

/* What a volume is, and how a pod names it. */
static const struct {
    const char *objects;  /* claims and volumes */
    const char *use;      /* in a pod's list of volumes */
    const char *attached; /* the PersistentVolume that can be attached, NULL: none */
    const char *driver;
    uint32_t same; /* as which volume it counts */
} volumes[VOLUMES] = {
#define CSI(n, driver_)                                                                            \
    {                                                                                              \
        PV("pv-" #n, "csi: {driver: " driver_ ", volumeHandle: h" #n "}", "")                      \
        PVC("c" #n, "volumeName: pv-" #n, BOUND), CLAIM("c" #n), "pv-" #n, driver_, n              \
    }
    CSI(0, "d"),
    CSI(1, "d"),
    CSI(2, "d"),
    CSI(3, "other"),
    /* another claim and volume with the handle of 0 */
    { PV("pv-4", "csi: {driver: d, volumeHandle: h0}", "") PVC("c4", "volumeName: pv-4", BOUND),
      CLAIM("c4"), "pv-4", "d", 0 },
    /* not bound yet */
    { PVC("c5", "storageClassName: late", ""), CLAIM("c5"), NULL, "d", 5 },
    /* by its CSI driver, in the old way within the pod, and in the old way by a claim */
    { PV("pv-6", "csi: {driver: ebs.csi.aws.com, volumeHandle: vol-6}", "")
          PVC("c6", "volumeName: pv-6", BOUND),
      CLAIM("c6"), "pv-6", "ebs.csi.aws.com", 6 },
    { "", "{name: v7, awsElasticBlockStore: {volumeID: vol-6}}", NULL, "ebs.csi.aws.com", 6 },
    { PV("pv-8", "awsElasticBlockStore: {volumeID: vol-6}", "")
          PVC("c8", "volumeName: pv-8", BOUND),
      CLAIM("c8"), "pv-8", NULL, 6 },
    /* what only the pod that asks uses, most of the time */
    CSI(9, "d"),
    CSI(10, "ebs.csi.aws.com"),
};

struct model {
    int64_t limit;
    uint32_t uses[PODS + 1][USES]; /* the last one asks */
    bool attached[VOLUMES];
};

static void put(struct mst_buf *out, const char *text)
{
    mst_buf_str(out, mst_str_of(text));
}

static void put_pod(struct mst_buf *out, const struct model *m, uint32_t pod)
{
    mst_buf_printf(out, "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p%u, uid: u%u}\nspec: {",
                   pod, pod);
    if (pod < PODS)
        put(out, "nodeName: node, ");
    put(out, "containers: [{name: c, image: i}], volumes: [");
    put(out, volumes[m->uses[pod][0]].use);
    if (m->uses[pod][1] != m->uses[pod][0]) {
        put(out, ", ");
        put(out, volumes[m->uses[pod][1]].use);
    }
    put(out, "]}\n");
}

static bool uses(const struct model *m, uint32_t pod, uint32_t volume)
{
    for (uint32_t i = 0; i < USES; i++)
        if (volumes[m->uses[pod][i]].same == volumes[volume].same)
            return true;
    return false;
}

/* The attachment goes with the pods that are away: one of them uses it, and nobody else there. */
static bool goes(const struct model *m, const bool *away, uint32_t volume)
{
    bool by_away = false, by_others = false;
    for (uint32_t pod = 0; pod < PODS; pod++) {
        by_away |= away[pod] && uses(m, pod, volume);
        by_others |= !away[pod] && uses(m, pod, volume);
    }
    return by_away && !by_others;
}

/* The cluster without the pods that are away (NULL: with all pods) and what goes with them. */
static struct mst_fixture *build(const struct model *m, const bool *away)
{
    struct mst_fixture *f = fixture_new("");
    MST_AUTO(mst_buf) out = { 0 };
    put(&out,
        NODE("node", "") "---\nkind: CSINode\napiVersion: storage.k8s.io/v1\nmetadata: {name: "
                         "node}\nspec: {drivers: [");
    static const char *const drivers[] = { "d", "other", "ebs.csi.aws.com" };
    for (size_t i = 0; i < MST_COUNT(drivers); i++)
        mst_buf_printf(&out, "%s{name: %s, nodeID: n, allocatable: {count: %lld}}", i ? ", " : "",
                       drivers[i], (long long)m->limit);
    put(&out, "]}\n" CLASS("late", "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer"));
    for (uint32_t i = 0; i < VOLUMES; i++) {
        put(&out, volumes[i].objects);
        if (m->attached[i] && volumes[i].attached && !(away && goes(m, away, i)))
            mst_buf_printf(&out,
                           "---\nkind: VolumeAttachment\napiVersion: storage.k8s.io/v1\nmetadata: "
                           "{name: va%u}\nspec: {attacher: %s, nodeName: node, source: "
                           "{persistentVolumeName: %s}}\n",
                           i, volumes[i].driver ? volumes[i].driver : "ebs.csi.aws.com",
                           volumes[i].attached);
    }
    for (uint32_t pod = 0; pod <= PODS; pod++)
        if (pod == PODS || !away || !away[pod])
            put_pod(&out, m, pod);
    storage_apply(f, mst_arena_str(&f->arena, mst_buf_span(&out)).p);
    return f;
}

static struct mst_str verdict(struct mst_fixture *f, bool upstream)
{
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_volume_limits, NULL);
    f->view.upstream = upstream;
    return fixture_verdict(f, &p, "p4", "node");
}

static const char *const pod_names[PODS] = { "p0", "p1", "p2", "p3" };

/* Takes pods off and puts them back at random, in transactions within transactions. */
static void walk(struct mst_test *t, struct mst_rng *rng, const struct model *m,
                 struct mst_fixture *f)
{
    bool away[PODS] = { false };
    struct {
        uint32_t mark;
        bool away[PODS];
    } open[MOVES + 1];
    uint32_t depth = 0;
    open[depth++].mark = mst_txn_begin(&f->cluster);
    memcpy(open[0].away, away, sizeof(away));
    for (uint32_t i = 0; i < MOVES; i++) {
        const uint32_t what = (uint32_t)mst_rng_below(rng, 4);
        const uint32_t pod = (uint32_t)mst_rng_below(rng, PODS);
        if (what == 0) {
            open[depth].mark = mst_txn_begin(&f->cluster);
            memcpy(open[depth++].away, away, sizeof(away));
        } else if (what == 1 && depth > 1) {
            memcpy(away, open[--depth].away, sizeof(away));
            mst_txn_rollback(&f->cluster, open[depth].mark);
        } else {
            const uint32_t row = fixture_pod(f, pod_names[pod]);
            if (away[pod])
                mst_cluster_place(&f->cluster, row, fixture_node(f, "node"));
            else
                mst_cluster_unplace(&f->cluster, row);
            away[pod] = !away[pod];
        }
        mst_cluster_check(&f->cluster);
        struct mst_fixture *fresh = build(m, away);
        t_str(t, verdict(f, false), mst_arena_str(&f->arena, verdict(fresh, false)).p);
        fixture_free(fresh);
    }
    while (depth > 0)
        mst_txn_rollback(&f->cluster, open[--depth].mark);
}

static void test_overlay_is_a_fresh_cluster(struct mst_test *t)
{
    uint32_t full = 0, free_ = 0;
    for (uint32_t seed = 0; seed < WORLDS; seed++) {
        struct mst_rng rng;
        struct model m = { 0 };
        mst_rng_init(&rng, seed);
        m.limit = 1 + (int64_t)mst_rng_below(&rng, 3);
        for (uint32_t pod = 0; pod < PODS; pod++)
            for (uint32_t i = 0; i < USES; i++)
                m.uses[pod][i] = (uint32_t)mst_rng_below(&rng, VOLUMES - OWN);
        m.uses[PODS][0] = (uint32_t)mst_rng_below(&rng, VOLUMES);
        m.uses[PODS][1] = VOLUMES - 1 - (uint32_t)mst_rng_below(&rng, OWN);
        for (uint32_t i = 0; i < VOLUMES; i++)
            m.attached[i] = mst_rng_below(&rng, 3) > 0;
        struct mst_fixture *f = build(&m, NULL);
        t_case(t, mst_arena_printf(&f->arena, "seed %u", seed).p);
        MST_AUTO(mst_buf) before = { 0 };
        MST_AUTO(mst_buf) after = { 0 };
        mst_cluster_dump(&f->cluster, &before);
        const struct mst_str first = verdict(f, false);
        full += first.p[0] == 'U';
        free_ += first.p[0] == 'S';
        walk(t, &rng, &m, f);
        mst_cluster_dump(&f->cluster, &after);
        t_bool(t, mst_str_eq(mst_buf_span(&before), mst_buf_span(&after)), true);
        t_str(t, verdict(f, false), first.p);
        fixture_free(f);
    }
    t_ok(t, full > WORLDS / 10);
    t_ok(t, free_ > WORLDS / 10);
}

/* ---- by hand ---- */

/* p0 alone uses the volume that fills the node. */
static struct mst_fixture *one_holder(struct model *m)
{
    *m = (struct model){ .limit = 1 };
    for (uint32_t pod = 0; pod < PODS; pod++)
        m->uses[pod][0] = m->uses[pod][1] = 3; /* of another driver */
    m->uses[0][0] = m->uses[0][1] = 0;
    m->uses[PODS][0] = m->uses[PODS][1] = 1;
    m->attached[0] = true;
    return build(m, NULL);
}

#define FULL "U: node(s) exceed max volume count"

static void test_profile_upstream_counts_on(struct mst_test *t)
{
    struct model m;
    struct mst_fixture *f = one_holder(&m);
    t_str(t, verdict(f, false), FULL);
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_unplace(&f->cluster, fixture_pod(f, "p0"));
    t_str(t, verdict(f, false), "Success");
    t_str(t, verdict(f, true), FULL);
    mst_txn_rollback(&f->cluster, mark);
    t_str(t, verdict(f, false), FULL);
    fixture_free(f);
}

/* On its way out is not out: as long as the pod is there its volume counts. */
static void test_a_terminating_pod_counts(struct mst_test *t)
{
    struct model m;
    struct mst_fixture *f = one_holder(&m);
    f->cluster.pods.v[fixture_pod(f, "p0")].deleting = true;
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_unplace(&f->cluster, fixture_pod(f, "p1"));
    t_str(t, verdict(f, false), FULL);
    mst_txn_rollback(&f->cluster, mark);
    fixture_free(f);
}

/* Taken off for good, nobody knows any more whose the attachment was. */
static void test_a_committed_removal_is_no_simulation(struct mst_test *t)
{
    struct model m;
    struct mst_fixture *f = one_holder(&m);
    const uint32_t mark = mst_txn_begin(&f->cluster);
    mst_cluster_unplace(&f->cluster, fixture_pod(f, "p0"));
    mst_txn_commit(&f->cluster, mark);
    t_str(t, verdict(f, false), FULL);
    t_int(t, f->cluster.nodes.first_away[fixture_node(f, "node")], MST_ROW_NONE);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_overlay_is_a_fresh_cluster), T(test_profile_upstream_counts_on),
              T(test_a_terminating_pod_counts), T(test_a_committed_removal_is_no_simulation))
