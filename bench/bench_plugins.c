/*
 * bench_plugins.c - what it costs to ask the node-local plugins about 5,000 nodes for a class that
 * is seen for the first time.
 *
 * fit-scan-5k       filter and score of NodeResourcesFit, beside a loop over rows with 64-bit
 * division. balanced-scan-5k  the score of NodeResourcesBalancedAllocation, beside upstream's steps
 * row by row. plugin-scan-5k    all filters and scores of the default set, compiling the class
 * included.
 */
#include <math.h>

#include "base/rng.h"
#include "bench.h"
#include "cluster/cluster.h"
#include "plugins/registry.h"

enum { NODES = 5000, CALLS = 200 };

struct scan {
    struct mst_syms *syms;
    struct mst_cluster cluster;
    struct mst_gates gates;
    struct mst_view view;
    struct mst_arena objects, states;
    const struct mst_class *klass;
    const struct mst_plugin *plugins[MST_SLOTS_MAX];
    void *instances[MST_SLOTS_MAX];
    uint32_t plugin_count;
    mst_verdict verdict[NODES];
    int64_t raw[NODES];
    int64_t sum; /* of what was computed, so that nothing is left out */
};

static struct mst_quantity whole(int64_t units)
{
    return (struct mst_quantity){ .nano = (mst_nano)units * 1000000000 };
}

static void add_node(struct scan *s, struct mst_rng *rng, uint32_t i)
{
    static const int64_t cores[] = { 16, 32, 64, 96 };
    struct mst_node node = { 0 };
    struct mst_resource *r = MST_NEW_N(&s->objects, struct mst_resource, 3);
    const int64_t size = cores[mst_rng_below(rng, MST_COUNT(cores))];
    r[0] = (struct mst_resource){ mst_sym_of_text(s->syms, "cpu"), whole(size) };
    r[1] = (struct mst_resource){ mst_sym_of_text(s->syms, "memory"), whole(size << 32) };
    r[2] = (struct mst_resource){ mst_sym_of_text(s->syms, "pods"), whole(110) };
    node.meta.name = mst_arena_printf(&s->objects, "node-%u", i);
    node.allocatable_set = true;
    node.allocatable.v = r;
    node.allocatable.n = 3;
    const uint32_t row = mst_cluster_node_set(&s->cluster, &node);
    struct mst_nodes *nodes = &s->cluster.nodes;
    for (uint32_t k = 0; k < 2; k++)
        nodes->requested[k][row] =
            (int64_t)mst_rng_below(rng, (uint64_t)nodes->allocatable[k][row]);
    nodes->nonzero_cpu[row] = nodes->requested[MST_RES_CPU][row];
    nodes->nonzero_memory[row] = nodes->requested[MST_RES_MEMORY][row];
}

static void add_pod(struct scan *s)
{
    struct mst_container *c = MST_NEW(&s->objects, struct mst_container);
    struct mst_pod pod = { 0 };
    struct mst_resource *r = MST_NEW_N(&s->objects, struct mst_resource, 2);
    r[0] = (struct mst_resource){ mst_sym_of_text(s->syms, "cpu"), whole(2) };
    r[1] = (struct mst_resource){ mst_sym_of_text(s->syms, "memory"), whole((int64_t)3 << 30) };
    c->image = mst_sym_of_text(s->syms, "image:1");
    c->resources.set = true;
    c->resources.requests.v = r;
    c->resources.requests.n = 2;
    pod.meta.name = MST_STR("pod");
    pod.meta.namespace_ = mst_sym_of_text(s->syms, "default");
    pod.spec.containers.v = c;
    pod.spec.containers.n = 1;
    const uint32_t row = mst_cluster_pod_add(&s->cluster, &pod, 0);
    s->klass = mst_cluster_class(&s->cluster, s->cluster.pods.v[row].class_id);
}

static void add_plugin(struct scan *s, const struct mst_plugin *plugin)
{
    struct mst_err err;
    const uint32_t i = s->plugin_count++;
    s->plugins[i] = plugin;
    s->instances[i] = NULL;
    if (plugin->init)
        mst_assert(plugin->init(&s->view, NULL, &s->instances[i], &err) == MST_OK);
}

static struct scan *scan_new(const struct mst_plugin *only)
{
    struct scan *s = mst_calloc(1, sizeof(*s));
    struct mst_rng rng;
    mst_rng_init(&rng, 1);
    s->syms = mst_syms_new();
    mst_cluster_init(&s->cluster, s->syms);
    mst_gates_default(&s->gates, false);
    s->view = (struct mst_view){ &s->cluster, &s->cluster.nodes, s->syms, &s->gates, false };
    for (uint32_t i = 0; i < NODES; i++)
        add_node(s, &rng, i);
    add_pod(s);
    const struct mst_registry registry = mst_plugins_registry();
    for (uint32_t i = 0; i < registry.n; i++)
        if (!only || registry.v[i] == only)
            add_plugin(s, registry.v[i]);
    return s;
}

static void scan_free(struct scan *s)
{
    for (uint32_t i = 0; i < s->plugin_count; i++)
        if (s->plugins[i]->done)
            s->plugins[i]->done(s->instances[i]);
    mst_cluster_done(&s->cluster);
    mst_arena_done(&s->objects);
    mst_arena_done(&s->states);
    mst_syms_free(s->syms);
    mst_free(s);
}

static void filter_with(struct scan *s, uint32_t i)
{
    struct mst_pre_filter pre = { .code = MST_SUCCESS };
    if (!s->plugins[i]->filter)
        return;
    s->plugins[i]->pre_filter(&s->view, s->instances[i], s->klass, &s->states, &pre);
    if (pre.code == MST_SUCCESS)
        s->plugins[i]->filter(&s->view, s->instances[i], pre.state, 0, NODES,
                              (i + 1) << MST_VERDICT_SLOT_SHIFT, s->verdict);
}

static void score_with(struct scan *s, uint32_t i)
{
    struct mst_pre_score pre = { .code = MST_SUCCESS };
    if (!s->plugins[i]->score)
        return;
    s->plugins[i]->pre_score(&s->view, s->instances[i], s->klass, &s->states, &pre);
    if (pre.code != MST_SUCCESS || pre.uniform)
        return;
    s->plugins[i]->score(&s->view, s->instances[i], pre.state, 0, NODES, s->raw);
    s->sum += s->raw[s->sum & 1023];
}

static void run(void *ctx)
{
    struct scan *s = ctx;
    for (uint32_t call = 0; call < CALLS; call++) {
        memset(s->verdict, 0, sizeof(s->verdict));
        mst_arena_reset(&s->states);
        for (uint32_t i = 0; i < s->plugin_count; i++)
            filter_with(s, i);
        for (uint32_t i = 0; i < s->plugin_count; i++)
            score_with(s, i);
    }
}

/* ---- the peers ---- */

static int64_t least_of(int64_t alloc, int64_t want)
{
    return want > alloc ? 0 : (alloc - want) * 100 / alloc;
}

static void naive_fit(void *ctx)
{
    struct scan *s = ctx;
    const struct mst_nodes *n = &s->cluster.nodes;
    const struct mst_usage *u = mst_cluster_usage(&s->cluster, s->klass->usage);
    for (uint32_t call = 0; call < CALLS; call++) {
        for (uint32_t i = 0; i < NODES; i++) {
            uint32_t bits = n->pod_count[i] + INT64_C(1) > n->pods_allowed[i];
            for (uint32_t k = 0; k < u->amounts.n; k++) {
                const uint32_t r = u->amounts.v[k].resource;
                if (u->amounts.v[k].amount > n->allocatable[r][i] - n->requested[r][i])
                    bits |= 2u << r;
                if (u->amounts.v[k].amount > n->allocatable[r][i])
                    bits |= MST_VERDICT_UNRESOLVABLE;
            }
            s->verdict[i] = bits;
            s->raw[i] =
                (least_of(n->allocatable[0][i], n->nonzero_cpu[i] + 2000) +
                 least_of(n->allocatable[1][i], n->nonzero_memory[i] + (INT64_C(3) << 30))) /
                2;
        }
        s->sum += s->raw[s->sum & 1023];
    }
}

static int64_t balance_of(const struct mst_nodes *n, uint32_t i, int64_t cpu, int64_t memory)
{
    double a = (double)(n->requested[0][i] + cpu) / (double)n->allocatable[0][i];
    double b = (double)(n->requested[1][i] + memory) / (double)n->allocatable[1][i];
    a = a > 1 ? 1 : a;
    b = b > 1 ? 1 : b;
    return (int64_t)((1 - fabs((a - b) / 2)) * 100);
}

static void naive_balanced(void *ctx)
{
    struct scan *s = ctx;
    for (uint32_t call = 0; call < CALLS; call++) {
        for (uint32_t i = 0; i < NODES; i++)
            s->raw[i] = 50 + (50 + balance_of(&s->cluster.nodes, i, 2000, INT64_C(3) << 30) -
                              balance_of(&s->cluster.nodes, i, 0, 0)) /
                                 2;
        s->sum += s->raw[s->sum & 1023];
    }
}

static void measure(const char *name, const struct mst_plugin *only, const char *peer,
                    mst_bench_fn *peer_run)
{
    struct scan *s = scan_new(only);
    const struct mst_bench_case c = {
        .name = name,
        .unit = "ns/node",
        .kind = MST_BENCH_TIME,
        .amount = (double)NODES * CALLS,
        .run = run,
        .peer = peer,
        .peer_run = peer_run,
        .ctx = s,
    };
    mst_bench_measure(&c);
    scan_free(s);
}

static void bench_fit(void)
{
    measure("fit-scan-5k", &mst_plugin_node_resources_fit, "row by row", naive_fit);
}

static void bench_balanced(void)
{
    measure("balanced-scan-5k", &mst_plugin_node_resources_balanced_allocation, "row by row",
            naive_balanced);
}

static void bench_all(void)
{
    measure("plugin-scan-5k", NULL, NULL, NULL);
}

MST_BENCH_MAIN(B("fit-scan-5k", bench_fit), B("balanced-scan-5k", bench_balanced),
               B("plugin-scan-5k", bench_all))
