/* Which nodes a group is placed on when others have to go: the order of the sets, step by step. */
#include "preempt_helper.h"
#include "tap.h"

#define PLAIN WORLD_CONFIG("improve: false")

enum { NODES_MAX = 3, PODS_MAX = 6, WAITING_MAX = 2 };

static const struct {
    const char *name;
    int64_t cpu[NODES_MAX]; /* n1, n2, n3 */
    struct world_pod pods[PODS_MAX];
    const char *budget; /* app without a disruption to spare, NULL: none */
    int64_t waiting[WAITING_MAX];
    const char *victims;
} cases[] = {
    { .name = "E4a",
      .cpu = { 8, 4 },
      .pods = { { .name = "x", .node = "n1", .cpu = 8, .priority = 50, .start = 1 },
                { .name = "y", .node = "n2", .cpu = 4, .priority = 1, .start = 2 } },
      .waiting = { 4 },
      .victims = "y" },
    { .name = "E4b",
      .cpu = { 4, 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 30, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 4, .priority = 20, .start = 2 },
                { .name = "c", .node = "n3", .cpu = 2, .priority = 1, .start = 3 },
                { .name = "d", .node = "n3", .cpu = 2, .priority = 1, .start = 4 } },
      .waiting = { 2, 2 },
      .victims = "c d" },
    { .name = "E6a",
      .cpu = { 2, 2 },
      .pods = { { .name = "L1", .node = "n1", .group = "L", .cpu = 1, .start = 1 },
                { .name = "L2", .node = "n1", .group = "L", .cpu = 1, .start = 2 },
                { .name = "L3", .node = "n2", .group = "L", .cpu = 1, .start = 3 },
                { .name = "L4", .node = "n2", .group = "L", .cpu = 1, .start = 4 } },
      .waiting = { 1, 1 },
      .victims = "L1 L2" },
    { .name = "a node without victims costs nothing, however full it is",
      .cpu = { 9, 2 },
      .pods = { { .name = "a", .node = "n1", .cpu = 1, .priority = 1, .start = 1 },
                { .name = "b", .node = "n1", .cpu = 8, .priority = 1, .start = 1 },
                { .name = "h", .node = "n2", .cpu = 1, .priority = 200, .start = 1 } },
      .waiting = { 1 },
      .victims = "" },
    { .name = "budgets before priorities",
      .cpu = { 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 1, .start = 1, .app = "x" },
                { .name = "b", .node = "n2", .cpu = 4, .priority = 50, .start = 1 } },
      .budget = "x",
      .waiting = { 4 },
      .victims = "b" },
    { .name = "the lower level, though more pods are on it",
      .cpu = { 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 6, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 2, .priority = 5, .start = 1 },
                { .name = "c", .node = "n2", .cpu = 2, .priority = 5, .start = 1 } },
      .waiting = { 4 },
      .victims = "b c" },
    { .name = "fewer pods on the level",
      .cpu = { 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 2, .priority = 5, .start = 1 },
                { .name = "b", .node = "n1", .cpu = 2, .priority = 5, .start = 1 },
                { .name = "c", .node = "n2", .cpu = 4, .priority = 5, .start = 1 } },
      .waiting = { 4 },
      .victims = "c" },
    { .name = "the next level decides",
      .cpu = { 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 2, .priority = 5, .start = 1 },
                { .name = "b", .node = "n1", .cpu = 2, .priority = 4, .start = 1 },
                { .name = "c", .node = "n2", .cpu = 2, .priority = 5, .start = 1 },
                { .name = "d", .node = "n2", .cpu = 2, .priority = 3, .start = 1 } },
      .waiting = { 4 },
      .victims = "c d" },
    { .name = "a pod goes rather than a group of one",
      .cpu = { 4, 4 },
      .pods = { { .name = "g", .node = "n1", .group = "W", .cpu = 4, .priority = 5, .start = 1 },
                { .name = "p", .node = "n2", .cpu = 4, .priority = 5, .start = 1 } },
      .waiting = { 4 },
      .victims = "p" },
    { .name = "who leaves anyway costs nothing",
      .cpu = { 4, 4 },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 1, .start = 1 },
                { .name = "t",
                  .node = "n2",
                  .cpu = 4,
                  .priority = 50,
                  .start = 1,
                  .leaving = true } },
      .waiting = { 4 },
      .victims = "t" },
    { .name = "a condemned group costs nothing elsewhere",
      .cpu = { 2, 2, 2 },
      .pods = { { .name = "w1", .node = "n1", .group = "W", .cpu = 2, .start = 1 },
                { .name = "w2", .node = "n3", .group = "W", .cpu = 2, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 2, .priority = 7, .start = 1 } },
      .waiting = { 2, 2 },
      .victims = "w1 w2" },
    { .name = "where ranking leaves no room for all, scores decide alone",
      .cpu = { 16, 3 },
      .pods = { { .name = "h", .node = "n1", .cpu = 12, .priority = 200, .start = 1 },
                { .name = "a", .node = "n1", .cpu = 4, .priority = 1, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 3, .priority = 2, .start = 1 } },
      .waiting = { 2, 4 },
      .victims = "a b" },
};

static const char *victims_of(struct eviction_world *w, size_t i)
{
    static const char *const nodes[NODES_MAX] = { "n1", "n2", "n3" };
    for (uint32_t k = 0; k < NODES_MAX && cases[i].cpu[k]; k++)
        world_node(w, nodes[k], cases[i].cpu[k]);
    world_group(w, "L", 1, false, 1);
    world_group(w, "W", 5, true, 1);
    if (cases[i].budget)
        world_budget(w, "budget", cases[i].budget, 0);
    for (uint32_t k = 0; k < PODS_MAX && cases[i].pods[k].name; k++)
        (void)world_pod(w, &cases[i].pods[k]);
    while (w->need < WAITING_MAX && cases[i].waiting[w->need])
        w->need++;
    world_group(w, "preemptor", 100, false, w->need);
    for (uint32_t k = 0; k < w->need; k++)
        (void)world_pod(w, &(struct world_pod){ .name = k ? "p2" : "p1",
                                                .cpu = cases[i].waiting[k],
                                                .priority = 100,
                                                .group = "preemptor" });
    const struct mst_preemption out = world_preempt(w, "preemptor");
    return world_victims(w, &out);
}

static void test_ranking_chooses_the_nodes(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct eviction_world w;
        t_case(t, cases[i].name);
        world_start(&w, false, PLAIN);
        t_text(t, victims_of(&w, i), cases[i].victims);
        world_stop(&w);
    }
}

/* What a member was promised before holds, whoever runs there. */
static void test_a_nominated_node_is_not_compared(struct mst_test *t)
{
    for (int nominated = 0; nominated < 2; nominated++) {
        struct eviction_world w;
        world_start(&w, false, PLAIN);
        world_node(&w, "n1", 4);
        world_node(&w, "n2", 4);
        static const struct world_pod pods[] = {
            { .name = "a", .node = "n1", .cpu = 4, .priority = 1, .start = 1 },
            { .name = "b", .node = "n2", .cpu = 4, .priority = 50, .start = 1 },
        };
        for (size_t i = 0; i < MST_COUNT(pods); i++)
            (void)world_pod(&w, &pods[i]);
        w.need = 1;
        world_group(&w, "g", 100, false, 1);
        const uint32_t pod =
            world_pod(&w,
                      &(struct world_pod){ .name = "p", .cpu = 4, .priority = 100, .group = "g" });
        if (nominated)
            w.cluster.pods.v[pod].status_nominated = world_sym(&w, "n2");
        const struct mst_preemption out = world_preempt(&w, "g");
        t_text(t, world_victims(&w, &out), nominated ? "b" : "a");
        world_stop(&w);
    }
}

/* A search without steps begins from both placements, and takes what is better. */
static void test_a_search_without_proof_begins_twice(struct mst_test *t)
{
    for (size_t i = 0; i < 2; i++) {
        struct eviction_world w;
        t_case(t, cases[i].name);
        world_start(&w, false, WORLD_CONFIG("searchBudget: 1"));
        t_text(t, victims_of(&w, i), cases[i].victims);
        world_stop(&w);
    }
}

/* Profile upstream places by scores alone. */
static void test_upstream_does_not_rank(struct mst_test *t)
{
    struct eviction_world w;
    world_start(&w, true, NULL);
    t_text(t, victims_of(&w, 0), "x");
    world_stop(&w);
}

MST_TEST_MAIN(T(test_ranking_chooses_the_nodes), T(test_a_nominated_node_is_not_compared),
              T(test_a_search_without_proof_begins_twice), T(test_upstream_does_not_rank))
