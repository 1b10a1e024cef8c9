/* Transactions: whatever was placed, unplaced and nominated in them comes back byte for byte. */
#include "base/rng.h"
#include "cluster_rows.h"
#include "tap.h"

enum { NODES = 6, PODS = 24, DEPTH_MAX = 5, SEEDS = 3000, OPS = 60 };

struct rig {
    struct mst_syms *syms;
    struct mst_cluster cluster;
    struct mst_rng rng;
    struct mst_arena arena;
    uint32_t mark[DEPTH_MAX];
    struct mst_buf before[DEPTH_MAX]; /* the state when the transaction of this depth began */
    uint32_t depth;
};

static uint32_t draw(struct rig *r, uint32_t below)
{
    return (uint32_t)mst_rng_below(&r->rng, below);
}

static mst_sym node_name(struct rig *r, uint32_t i)
{
    return mst_sym_of(r->syms, mst_arena_printf(&r->arena, "n%u", i));
}

static struct mst_resource resource(struct rig *r, const char *name, int64_t whole)
{
    return (struct mst_resource){ mst_sym_of_text(r->syms, name),
                                  { .nano = (mst_nano)whole * 1000000000 } };
}

static void add_node(struct rig *r, uint32_t i)
{
    struct mst_resource v[] = { resource(r, "cpu", 1 + draw(r, 64)),
                                resource(r, "pods", draw(r, 20)),
                                resource(r, "example.com/gpu", draw(r, 8)) };
    struct mst_node node = { .allocatable_set = true, .allocatable = { v, 1 + draw(r, 3) } };
    node.meta.name = mst_arena_printf(&r->arena, "n%u", i);
    (void)mst_cluster_node_set(&r->cluster, &node);
}

static void add_pod(struct rig *r, uint32_t i)
{
    struct mst_resource v[] = { resource(r, "cpu", draw(r, 3)),
                                resource(r, "memory", draw(r, 1000)),
                                resource(r, "example.com/gpu", draw(r, 3)) };
    struct mst_container_port port = { .host_port = draw(r, 3),
                                       .protocol = MST_SYM_EMPTY,
                                       .host_ip = MST_SYM_EMPTY };
    struct mst_container c = { .name = MST_STR("c"),
                               .image = mst_sym_of_text(r->syms, "i"),
                               .resources = { .set = true, .requests = { v, 3 } },
                               .ports = { &port, 1 } };
    struct mst_pod pod = { .spec = { .containers = { &c, 1 } } };
    pod.meta.name = pod.meta.uid = mst_arena_printf(&r->arena, "p%u", i);
    pod.meta.namespace_ = mst_sym_of_text(r->syms, "default");
    pod.spec.priority = (struct mst_opt_int){ draw(r, 3), true };
    pod.spec.group_set = draw(r, 2);
    pod.spec.group_name = mst_arena_printf(&r->arena, "g%u", draw(r, 3));
    if (draw(r, 3) == 0) /* n6 and n7 are not known */
        pod.spec.node_name = node_name(r, draw(r, NODES + 2));
    else if (draw(r, 3) == 0)
        pod.status.nominated_node_name = node_name(r, draw(r, NODES + 2));
    (void)mst_cluster_pod_add(&r->cluster, &pod, 0);
}

static void start(struct rig *r, uint64_t seed)
{
    *r = (struct rig){ .syms = mst_syms_new() };
    mst_rng_init(&r->rng, seed);
    mst_cluster_init(&r->cluster, r->syms);
    r->cluster.groups_enabled = true;
    /* Pods may be there before their nodes. */
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < PODS; i++) {
        while (nodes < NODES && draw(r, 2))
            add_node(r, nodes++);
        add_pod(r, i);
    }
    while (nodes < NODES)
        add_node(r, nodes++);
}

static void stop(struct rig *r)
{
    mst_cluster_done(&r->cluster);
    mst_syms_free(r->syms);
    mst_arena_done(&r->arena);
}

static void begin(struct rig *r)
{
    if (r->depth == DEPTH_MAX)
        return;
    mst_cluster_dump(&r->cluster, &r->before[r->depth]);
    r->mark[r->depth++] = mst_txn_begin(&r->cluster);
}

static bool same(struct rig *r, struct mst_buf *before)
{
    MST_AUTO(mst_buf) now = { 0 };
    mst_cluster_dump(&r->cluster, &now);
    return mst_str_eq(mst_buf_span(&now), mst_buf_span(before));
}

/* False when the rollback does not restore what was. */
static bool end(struct rig *r, bool commit)
{
    bool ok = true;
    if (!r->depth)
        return true;
    r->depth--;
    if (commit) {
        mst_txn_commit(&r->cluster, r->mark[r->depth]);
    } else {
        mst_txn_rollback(&r->cluster, r->mark[r->depth]);
        ok = same(r, &r->before[r->depth]);
    }
    mst_buf_done(&r->before[r->depth]);
    return ok;
}

static void move(struct rig *r)
{
    uint32_t pod = draw(r, PODS);
    const struct mst_pod_row *p = &r->cluster.pods.v[pod];
    if (draw(r, 3) == 0)
        mst_cluster_nominate(&r->cluster, pod, draw(r, 3) ? node_name(r, draw(r, NODES + 4)) : 0);
    else if (p->node != MST_ROW_NONE)
        mst_cluster_unplace(&r->cluster, pod);
    else if (p->node_name == MST_SYM_NONE ||
             mst_nodes_row(&r->cluster.nodes, p->node_name) != MST_ROW_NONE)
        mst_cluster_place(&r->cluster, pod, draw(r, NODES));
}

static bool run_seed(uint64_t seed)
{
    struct rig r;
    bool ok = true;
    start(&r, seed);
    begin(&r);
    for (uint32_t i = 0; i < OPS && ok; i++) {
        uint32_t what = draw(&r, 10);
        if (what < 2)
            begin(&r);
        else if (what < 4 && r.depth > 1)
            ok = end(&r, draw(&r, 2));
        else
            move(&r);
        if (i % 8 == 0)
            mst_cluster_check(&r.cluster);
    }
    while (r.depth > 1)
        ok &= end(&r, draw(&r, 2));
    ok &= end(&r, false); /* commits inside are taken back with the outermost */
    mst_cluster_check(&r.cluster);
    mst_assert(r.cluster.undo.n == 0 && r.cluster.txn_depth == 0);
    stop(&r);
    return ok;
}

static void test_txn_rollback_restores_every_byte(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        t_check_(t, run_seed(seed), __FILE__, __LINE__, "seed %llu", (unsigned long long)seed);
}

/* ---- by hand ---- */

static const char two_nodes[] =
    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 9}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 4, pods: 9}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, resources: "
    "{requests: {cpu: 1500m, memory: 1Gi}}, ports: [{containerPort: 80, hostPort: 80}]}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c}]}}\n";

static void test_txn_place_counts_and_unplace_takes_back(struct mst_test *t)
{
    struct rows *f = rows_new(two_nodes);
    struct mst_nodes *n = &f->cluster.nodes;
    uint32_t a = rows_pod(f, "a"), b = rows_pod(f, "b"), row = rows_node(f, "n1");
    mst_cluster_place(&f->cluster, a, row);
    mst_cluster_place(&f->cluster, b, row);
    t_int(t, n->requested[MST_RES_CPU][row], 1500);
    t_int(t, n->requested[MST_RES_MEMORY][row], INT64_C(1) << 30);
    t_int(t, n->nonzero_cpu[row], 1600);
    t_int(t, n->nonzero_memory[row], (INT64_C(1) << 30) + INT64_C(200) * 1024 * 1024);
    t_int(t, n->pod_count[row], 2);
    t_int(t, n->port_pod_count[row], 1);
    t_int(t, n->first_pod[row], b); /* the newest first */
    mst_cluster_unplace(&f->cluster, a);
    t_int(t, n->requested[MST_RES_CPU][row], 0);
    t_int(t, n->pod_count[row], 1);
    t_int(t, n->port_pod_count[row], 0);
    mst_cluster_check(&f->cluster);
    rows_free(f);
}

static void test_txn_inner_commit_is_undone_by_the_outer(struct mst_test *t)
{
    struct rows *f = rows_new(two_nodes);
    uint32_t a = rows_pod(f, "a"), row = rows_node(f, "n2");
    uint32_t outer = mst_txn_begin(&f->cluster);
    uint32_t inner = mst_txn_begin(&f->cluster);
    mst_cluster_place(&f->cluster, a, row);
    mst_txn_commit(&f->cluster, inner);
    t_int(t, f->cluster.pods.v[a].node, row);
    mst_txn_rollback(&f->cluster, outer);
    t_int(t, f->cluster.pods.v[a].node, MST_ROW_NONE);
    t_int(t, f->cluster.nodes.pod_count[row], 0);
    rows_free(f);
}

static void test_txn_assume_confirm_and_forget(struct mst_test *t)
{
    struct rows *f = rows_new(two_nodes);
    uint32_t a = rows_pod(f, "a"), row = rows_node(f, "n2");
    const struct mst_pod_row *p = &f->cluster.pods.v[a];
    mst_cluster_nominate(&f->cluster, a, mst_sym_of_text(f->syms, "n1"));
    t_int(t, f->cluster.nodes.nominated_count[rows_node(f, "n1")], 1);
    mst_cluster_place(&f->cluster, a, row);
    mst_cluster_assume(&f->cluster, a);
    t_int(t, f->cluster.nominated_pod_count, 0); /* an assumed pod is nominated nowhere */
    t_str(t, mst_sym_str(f->syms, p->node_name), "n2");
    mst_cluster_forget(&f->cluster, a);
    t_int(t, p->node, MST_ROW_NONE);
    t_int(t, p->node_name, MST_SYM_NONE);
    t_bool(t, p->assumed, false);
    /* The node goes while the binding is under way; then the binding fails. */
    mst_cluster_place(&f->cluster, a, row);
    mst_cluster_assume(&f->cluster, a);
    mst_cluster_node_remove(&f->cluster, mst_sym_of_text(f->syms, "n2"));
    t_int(t, p->node, MST_ROW_NONE);
    t_bool(t, p->assumed, true);
    mst_cluster_check(&f->cluster);
    mst_cluster_forget(&f->cluster, a);
    t_bool(t, p->assumed, false);
    mst_cluster_check(&f->cluster);
    rows_free(f);
}

MST_TEST_MAIN(T(test_txn_rollback_restores_every_byte),
              T(test_txn_place_counts_and_unplace_takes_back),
              T(test_txn_inner_commit_is_undone_by_the_outer),
              T(test_txn_assume_confirm_and_forget))
