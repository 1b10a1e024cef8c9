/*
 * What earlier searches found out changes nothing: on a random cluster that keeps changing, a
 * search with everything kept and one that begins anew choose the same victims with the same words.
 */
#include "base/rng.h"
#include "preempt_helper.h"
#include "tap.h"

enum { NODES = 12, CPU = 10, ROUNDS = 400, NOMINEES_MANY = 24, PODS_MAX = 1000 };

struct changing {
    struct eviction_world w;
    struct mst_rng rng;
    struct mst_dry_cache *cache;
    uint32_t pods[PODS_MAX], pod_count, made; /* that may go or move */
    uint32_t helped, refused;
};

static uint32_t below(struct changing *c, uint32_t n)
{
    return (uint32_t)mst_rng_below(&c->rng, n);
}

static const char *node_name(struct changing *c, uint32_t i)
{
    return mst_arena_printf(&c->w.arena, "n%02u", i).p;
}

static uint32_t add_pod(struct changing *c, const char *node, int64_t cpu, int64_t priority)
{
    const char *name = mst_arena_printf(&c->w.arena, "p%04u", c->made++).p;
    c->w.pending_count = 0;
    return world_pod(&c->w, &(struct world_pod){ .name = name,
                                                 .node = node,
                                                 .cpu = cpu,
                                                 .priority = priority,
                                                 .start = 1 + below(c, 9),
                                                 .app = below(c, 2) ? "x" : "y" });
}

static void keep(struct changing *c, uint32_t row)
{
    if (c->pod_count < PODS_MAX)
        c->pods[c->pod_count++] = row;
}

/* Somebody comes, goes, is promised a node or loses the promise; a budget moves. */
static void change(struct changing *c)
{
    struct mst_cluster *cluster = &c->w.cluster;
    uint32_t what = below(c, 10);
    if (what < 4) {
        keep(c, add_pod(c, node_name(c, below(c, NODES)), 1 + below(c, 3), below(c, 4)));
    } else if (what < 6 && c->pod_count) {
        uint32_t at = below(c, c->pod_count);
        mst_cluster_pod_remove(cluster, c->pods[at]);
        c->pods[at] = c->pods[--c->pod_count];
    } else if (what < 7) {
        world_budget(&c->w, "budget", below(c, 2) ? "x" : "y", below(c, 3));
    } else {
        uint32_t row = add_pod(c, NULL, 1 + below(c, 4), below(c, 2) ? 10 : 3);
        mst_cluster_nominate(cluster, row, world_sym(&c->w, node_name(c, below(c, NODES))));
        keep(c, row);
    }
}

static struct mst_preemption search(struct changing *c, uint32_t pod, struct mst_evals *evals,
                                    struct mst_dry_cache *cache)
{
    struct mst_preempt x = { .evals = evals,
                             .fw = &c->w.fw,
                             .now_ns = INT64_C(1000000000000),
                             .arena = &c->w.arena,
                             .cache = cache };
    struct mst_pick pick;
    struct mst_preemption out = { .code = MST_SUCCESS, .message = MST_STR("it fits") };
    mst_eval_pick(evals, x.fw, pod, NULL, &c->w.arena, &pick);
    if (pick.code != MST_SUCCESS)
        mst_preempt_pod(&x, pod, &pick, NULL, &out);
    else
        out.victims.node = pick.node;
    if (pick.code != MST_SUCCESS)
        out.message = mst_arena_printf(&c->w.arena, "%.*s / %.*s", MST_ARG(pick.message),
                                       MST_ARG(out.message));
    return out;
}

static const char *victims(struct changing *c, const struct mst_preemption *p)
{
    return world_victims(&c->w, p);
}

static void ask(struct mst_test *t, struct changing *c, uint32_t pod)
{
    struct mst_preemption kept = search(c, pod, &c->w.evals, c->cache);
    const char *kept_victims = victims(c, &kept);
    struct mst_evals anew;
    mst_evals_init(&anew, 1);
    struct mst_preemption fresh = search(c, pod, &anew, NULL);
    mst_evals_done(&anew);
    t_int(t, kept.code, fresh.code);
    t_int(t, kept.victims.node, fresh.victims.node);
    t_int(t, kept.victims.violations, fresh.victims.violations);
    t_str(t, kept.message, fresh.message.p);
    t_str(t, mst_str_of(kept_victims), victims(c, &fresh));
    c->helped += kept.victims.n > 0;
    c->refused += kept.code == MST_UNSCHEDULABLE;
}

/* Alike pods ask again and again, some with a promise of their own, one of lower priority. */
static void run(struct mst_test *t, bool upstream, const char *config, uint64_t seed)
{
    struct changing c = { .cache = mst_dry_cache_new() };
    mst_rng_init(&c.rng, seed);
    world_start(&c.w, upstream, config);
    for (uint32_t i = 0; i < NODES; i++)
        world_node(&c.w, node_name(&c, i), CPU);
    uint32_t ask_rows[] = { add_pod(&c, NULL, 9, 10), add_pod(&c, NULL, 9, 10),
                            add_pod(&c, NULL, 9, 2), add_pod(&c, NULL, 3, 10),
                            add_pod(&c, NULL, 3, 10) };
    for (uint32_t i = 0; i < NODES * 4; i++)
        keep(&c, add_pod(&c, node_name(&c, i % NODES), 2, below(&c, 4)));
    for (uint32_t i = 0; i < NOMINEES_MANY; i++) {
        uint32_t row = add_pod(&c, NULL, 1, 10);
        mst_cluster_nominate(&c.w.cluster, row, world_sym(&c.w, node_name(&c, i % 3)));
    }
    mst_cluster_nominate(&c.w.cluster, ask_rows[1], world_sym(&c.w, "n05"));
    mst_cluster_nominate(&c.w.cluster, ask_rows[4], world_sym(&c.w, "n07"));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        t_case(t, mst_arena_printf(&c.w.arena, "round %u", i).p);
        change(&c);
        ask(t, &c, ask_rows[below(&c, MST_COUNT(ask_rows))]);
        ask(t, &c, ask_rows[0]);
    }
    t_ok(t, c.helped > ROUNDS / 4); /* the cases that matter came up */
    mst_dry_cache_free(c.cache);
    world_stop(&c.w);
}

static void test_kept_answers_change_nothing(struct mst_test *t)
{
    run(t, false, NULL, 1);
    run(t, false, WORLD_CONFIG("victimPolicy: Smallest"), 2);
    run(t, false, WORLD_CONFIG("improve: false"), 3);
    run(t, true, NULL, 4);
}

/* Few candidates are enough: which ones they are must not depend on what is kept. */
static void test_few_candidates(struct mst_test *t)
{
    run(t, false, WORLD_CONFIG("minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 2"), 5);
    run(t, true, WORLD_CONFIG("minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 2"), 6);
}

MST_TEST_MAIN(T(test_kept_answers_change_nothing), T(test_few_candidates))
