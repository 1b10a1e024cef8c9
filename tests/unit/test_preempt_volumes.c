/*
 * test_preempt_volumes.c - volumes between the members of one group: what one is given is not there
 * for the next, in an attempt, in a search for victims, and in an explanation.
 */
#include "cluster/volumes.h"
#include "tap.h"
#include "volume_world.h"

#define CLASSES                                                                                    \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: made}\n"                  \
    "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer\n---\n"                               \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: local}\n"                 \
    "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n"

/* A volume that only pods on the node can use, for whoever comes first. */
static void local_volume(struct host *h, const char *name, const char *node)
{
    host_apply(h, mst_arena_printf(
                      &h->arena,
                      "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: %s}\nspec: "
                      "{storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: "
                      "1Gi}, local: {path: /d}, nodeAffinity: {required: {nodeSelectorTerms: "
                      "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: "
                      "[%s]}]}]}}}\nstatus: {phase: Available}\n",
                      name, node)
                      .p);
}

static void claim(struct host *h, const char *name, const char *class, const char *mode)
{
    host_apply(h, mst_arena_printf(&h->arena,
                                   "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: "
                                   "%s, namespace: default}\nspec: {storageClassName: %s, "
                                   "accessModes: [%s], resources: {requests: {storage: 1Gi}}}\n",
                                   name, class, mode)
                      .p);
}

/* What the members want, and what there is. */
struct world {
    const char *name;
    const char *class, *mode; /* of the members' claims */
    bool shared;              /* both members use one claim */
    int local_n1, local_n2;   /* local volumes on the nodes */
    int limit;                /* attachments of a node, 0: nobody says */
    bool fits;
    int would_fit;
};

static const struct world worlds[] = {
    { "a local volume each", "local", "ReadWriteOnce", false, 1, 1, 0, true, 2 },
    { "two on one node", "local", "ReadWriteOnce", false, 2, 0, 0, true, 2 },
    { "one volume for two", "local", "ReadWriteOnce", false, 1, 0, 0, false, 1 },
    { "no volume", "local", "ReadWriteOnce", false, 0, 0, 0, false, 0 },
    { "made, one a node", "made", "ReadWriteOnce", false, 0, 0, 1, true, 2 },
    { "a claim for both", "made", "ReadWriteOnce", true, 0, 0, 1, true, 2 },
    { "a claim for one pod at a time", "made", "ReadWriteOncePod", true, 0, 0, 0, false, 1 },
};

/* Two nodes for two members; `cpu` is what is taken away by less important pods. */
static struct host *build(const struct world *w, bool taken)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 2", NULL);
    host_node(h, "n2", "cpu: 2", NULL);
    host_apply(h, CLASSES);
    if (w->limit) {
        volume_limit(h, "n1", w->limit);
        volume_limit(h, "n2", w->limit);
    }
    static const char *const on_n1[] = { "x1", "x2" }, *const on_n2[] = { "y1", "y2" };
    for (int i = 0; i < w->local_n1; i++)
        local_volume(h, on_n1[i], "n1");
    for (int i = 0; i < w->local_n2; i++)
        local_volume(h, on_n2[i], "n2");
    claim(h, "ca", w->class, w->mode);
    claim(h, "cb", w->class, w->mode);
    for (int i = 0; i < 4 && taken; i++)
        host_add(h, (struct host_pod_spec){ .name = mst_arena_printf(&h->arena, "low%d", i).p,
                                            .priority = 1,
                                            .more = i % 2 ? "nodeName: n1" : "nodeName: n2" });
    host_gang(h, "g", 2, "priorityClassName: p9");
    host_add(h, (struct host_pod_spec){
                    .name = "a", .group = "g", .priority = 9, .more = VOLUME_OF("ca") });
    host_add(h, (struct host_pod_spec){ .name = "b",
                                        .group = "g",
                                        .priority = 9,
                                        .more = w->shared ? VOLUME_OF("ca") : VOLUME_OF("cb") });
    return h;
}

/* Nothing is left of assumptions when the members do not run. */
static bool nothing_assumed(struct host *h)
{
    const struct mst_cluster *c = mst_engine_cluster(h->engine);
    for (int kind = MST_VOL_PV; kind <= MST_VOL_PVC; kind++)
        for (uint32_t i = 0; i < mst_volumes_count(c, (mst_vol_kind)kind); i++)
            if (mst_volumes_at(c, (mst_vol_kind)kind, i)->assumption.on)
                return false;
    return true;
}

static bool is_assumed(struct host *h, const char *pod)
{
    return mst_engine_cluster(h->engine)->pods.v[host_pod(h, pod)].assumed;
}

static void test_an_attempt(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worlds); i++) {
        struct host *h = build(&worlds[i], false);
        t_case(t, worlds[i].name);
        (void)host_step(h);
        t_bool(t, is_assumed(h, "a") && is_assumed(h, "b"), worlds[i].fits);
        t_bool(t, is_assumed(h, "a") || is_assumed(h, "b"), worlds[i].fits);
        t_bool(t, nothing_assumed(h), !worlds[i].fits);
        host_free(h);
    }
}

/* Evicting helps only where the volumes would do; `improve` looks for other ways in vain, too. */
static void test_a_search_for_victims(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worlds); i++) {
        struct host *h = build(&worlds[i], true);
        t_case(t, worlds[i].name);
        host_run(h);
        t_bool(t, host_saw(h, "evict*"), worlds[i].fits);
        t_bool(t, nothing_assumed(h), true);
        host_free(h);
    }
}

static void test_an_explanation(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worlds); i++) {
        struct host *h = build(&worlds[i], false);
        MST_AUTO(mst_arena) arena = { 0 };
        struct mst_explanation out;
        struct mst_effects calls = { 0 };
        t_case(t, worlds[i].name);
        t_ok(t, mst_explain(h->engine, true, host_group(h, "g"), h->now, &arena, &out, &calls));
        t_int(t, out.would_fit, worlds[i].would_fit);
        t_bool(t, out.feasible, worlds[i].fits);
        t_bool(t, nothing_assumed(h), true);
        mst_effects_done(&calls);
        host_free(h);
    }
}

/* ---- limits of attachments ---- */

/* n1 has room for two volumes and holds two of victims: both have to go for two members. */
static void test_both_victims_go_for_two_members(struct mst_test *t)
{
    static const struct {
        int members;
        bool both;
    } cases[] = { { 1, false }, { 2, true } };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct host *h = host_new(false);
        host_node(h, "n1", "cpu: 100", NULL);
        volume_limit(h, "n1", 2);
        static const char *const names[] = { "va", "vb", "pa", "pb" };
        for (size_t k = 0; k < MST_COUNT(names); k++)
            volume_add(h, names[k]);
        host_add(h, (struct host_pod_spec){ .name = "v1", .priority = 1, .more = ON("n1", "va") });
        host_add(h, (struct host_pod_spec){ .name = "v2", .priority = 2, .more = ON("n1", "vb") });
        volume_attach(h, "va", "n1");
        volume_attach(h, "vb", "n1");
        host_gang(h, "g", cases[i].members, "priorityClassName: p9");
        for (int k = 0; k < cases[i].members; k++)
            host_add(h, (struct host_pod_spec){ .name = k ? "b" : "a",
                                                .group = "g",
                                                .priority = 9,
                                                .more = k ? VOLUME_OF("pb") : VOLUME_OF("pa") });
        host_run(h);
        t_case(t, cases[i].both ? "two members" : "one member");
        t_ok(t, host_saw(h, "evict default/v1*"));
        host_remove(h, MST_KIND_POD, "v1");
        host_run(h);
        t_bool(t, host_saw(h, "evict default/v2*"), cases[i].both);
        host_free(h);
    }
}

/* ---- an assumption of somebody who is being bound ---- */

/*
 * Another pod's claim is being made on n2. A group that shares the claim looks for victims: in vain
 * on n1, whatever is asked there, and the assumption stands afterwards.
 */
static void test_a_search_keeps_what_others_assumed(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 2", NULL);
    host_node(h, "n2", "cpu: 3", NULL);
    host_apply(h, CLASSES);
    claim(h, "shared", "made", "ReadWriteMany");
    host_add(h, (struct host_pod_spec){
                    .name = "first",
                    .priority = 200,
                    .more = "nodeSelector: {kubernetes.io/hostname: n2}, " VOLUME_OF("shared") });
    (void)host_step(h); /* placed; the write of its claim is on its way */
    t_bool(t, is_assumed(h, "first"), true);
    for (int i = 0; i < 4; i++)
        host_add(h, (struct host_pod_spec){ .name = mst_arena_printf(&h->arena, "low%d", i).p,
                                            .priority = 1,
                                            .more = i % 2 ? "nodeName: n1" : "nodeName: n2" });
    host_gang(h, "g", 2, "priorityClassName: p9");
    for (int k = 0; k < 2; k++)
        host_add(h, (struct host_pod_spec){ .name = k ? "b" : "a",
                                            .group = "g",
                                            .priority = 9,
                                            .more = VOLUME_OF("shared") });
    (void)host_step(h);
    (void)host_step(h);
    t_ok(t, host_saw(h, "evict*"));
    for (int i = 1; i < 4; i += 2) /* nobody on n1 */
        t_bool(t, host_saw(h, mst_arena_printf(&h->arena, "evict default/low%d*", i).p), false);
    const struct mst_stored *stored =
        mst_volumes_get(mst_engine_cluster(h->engine), MST_VOL_PVC, MST_STR("default/shared"));
    t_str(t, mst_sym_str(h->syms, mst_pvc_selected_node(mst_engine_cluster(h->engine), stored)),
          "n2");
    host_free(h);
}

MST_TEST_MAIN(T(test_an_attempt), T(test_a_search_for_victims), T(test_an_explanation),
              T(test_both_victims_go_for_two_members), T(test_a_search_keeps_what_others_assumed))
