/*
 * The verdict cache against the plain algorithm (eval_twin.h): pods that speak about each other,
 * hence plugins that count pods.
 */
#include "eval_twin.h"

enum { SEEDS = 200 };

static void run(struct mst_test *t, uint64_t seed, bool upstream, const char *config,
                uint32_t node_max)
{
    const struct twin twin = {
        .seed = seed, .upstream = upstream, .domains = true, .config = config, .node_max = node_max
    };
    twin_run(t, &twin);
}

/* The plugins that count pods before all others, between them, and in the other order. */
static const char *const orders[] = {
    TWIN_CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: PodTopologySpread}, "
                "{name: InterPodAffinity}]}}\n",
    TWIN_CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: InterPodAffinity}, "
                "{name: TaintToleration}, {name: PodTopologySpread}]}}\n",
    TWIN_CONFIG "profiles:\n- plugins: {filter: {enabled: [{name: NodeUnschedulable}, "
                "{name: InterPodAffinity}, {name: NodeResourcesFit}]}, "
                "score: {disabled: [{name: NodeResourcesFit}]}}\n",
};

static const char weighed[] = TWIN_CONFIG
    "profiles:\n- plugins: {score: {disabled: [{name: ImageLocality}, {name: InterPodAffinity}], "
    "enabled: [{name: InterPodAffinity, weight: 7}]}}\n  pluginConfig:\n"
    "  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 50, "
    "ignorePreferredTermsOfExistingPods: true}}\n"
    "  - {name: PodTopologySpread, args: {defaultingType: List, defaultConstraints: "
    "[{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}, "
    "{topologyKey: kubernetes.io/hostname, maxSkew: 2, whenUnsatisfiable: ScheduleAnyway}]}}\n";
static void test_eval_domain_small_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= SEEDS && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, NULL, 1 + (uint32_t)seed % 30);
}

static void test_eval_domain_order_of_plugins(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 60 && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, orders[seed % MST_COUNT(orders)], 3 + (uint32_t)seed % 20);
}

static void test_eval_domain_arguments(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 40 && !t->failures; seed++)
        run(t, seed, seed / 2 % 2, weighed, 3 + (uint32_t)seed % 20);
}

static void test_eval_domain_without_scores(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 10 && !t->failures; seed++)
        run(t, seed, seed % 2, TWIN_NO_SCORES, 3 + (uint32_t)seed);
}

static void test_eval_domain_sampling(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 2 && !t->failures; seed++) {
        run(t, seed, true, NULL, 260);
        run(t, seed, false, TWIN_HALF, 260);
    }
}

static void test_eval_domain_large_clusters(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 3 && !t->failures; seed++)
        run(t, seed, false, NULL, 200);
}

MST_TEST_MAIN(T(test_eval_domain_small_clusters), T(test_eval_domain_order_of_plugins),
              T(test_eval_domain_arguments), T(test_eval_domain_without_scores),
              T(test_eval_domain_sampling), T(test_eval_domain_large_clusters))
