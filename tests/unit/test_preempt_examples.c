/*
 * test_preempt_examples.c - the worked examples of spec/preemption.md 12.2 in both profiles. The
 * ones about trees of groups (E7) and devices (E10) wait for those.
 */
#include "preempt_helper.h"
#include "tap.h"

enum { NODES_MAX = 6, PODS_MAX = 16, GROUPS_MAX = 2, WAITING_MAX = 4 };

static const struct {
    const char *name;
    struct {
        const char *name;
        int64_t cpu;
    } nodes[NODES_MAX];
    struct {
        const char *name;
        int64_t priority;
        bool whole;
    } groups[GROUPS_MAX];
    struct {
        const char *app;
        int64_t allowed;
    } budget;
    struct world_pod pods[PODS_MAX];
    int64_t waiting[WAITING_MAX]; /* cpu of each pending pod */
    bool gang;
    const char *only;
    const char *upstream, *muster, *smallest;
} cases[] = {
    { .name = "E1",
      .nodes = { { "n1", 10 } },
      .pods = { { .name = "a", .node = "n1", .cpu = 5, .priority = 5, .start = 1 },
                { .name = "b", .node = "n1", .cpu = 3, .priority = 5, .start = 2 },
                { .name = "c", .node = "n1", .cpu = 2, .priority = 5, .start = 3 } },
      .waiting = { 5 },
      .upstream = "b c",
      .muster = "b c",
      .smallest = "a" },
    { .name = "E2a",
      .nodes = { { "n1", 3 } },
      .budget = { "x", 1 },
      .pods = { { .name = "a", .node = "n1", .cpu = 1, .priority = 10, .start = 1, .app = "x" },
                { .name = "b", .node = "n1", .cpu = 1, .priority = 5, .start = 2, .app = "x" },
                { .name = "c", .node = "n1", .cpu = 1, .priority = 5, .start = 3, .app = "x" } },
      .waiting = { 1 },
      .upstream = "a",
      .muster = "c",
      .smallest = "c" },
    { .name = "E2b",
      .nodes = { { "n1", 6 } },
      .groups = { { "A", 1, true } },
      .budget = { "x", 2 },
      .pods = { { .name = "A1", .node = "n1", .group = "A", .cpu = 1, .start = 1, .app = "x" },
                { .name = "A2", .node = "n1", .group = "A", .cpu = 1, .start = 2, .app = "x" },
                { .name = "A3", .node = "n1", .group = "A", .cpu = 1, .start = 3, .app = "x" },
                { .name = "h1", .node = "n1", .cpu = 1, .priority = 50, .start = 4 },
                { .name = "h2", .node = "n1", .cpu = 1, .priority = 50, .start = 5 },
                { .name = "h3", .node = "n1", .cpu = 1, .priority = 50, .start = 6 } },
      .waiting = { 1, 1, 1 },
      .gang = true,
      .upstream = "h1 h2 h3",
      .muster = "h1 h2 h3",
      .smallest = "h1 h2 h3" },
    { .name = "E2c",
      .nodes = { { "n1", 6 } },
      .groups = { { "A", 1, true } },
      .pods = { { .name = "A1", .node = "n1", .group = "A", .cpu = 1, .start = 1 },
                { .name = "A2", .node = "n1", .group = "A", .cpu = 1, .start = 2 },
                { .name = "A3", .node = "n1", .group = "A", .cpu = 1, .start = 3 },
                { .name = "h1", .node = "n1", .cpu = 1, .priority = 50, .start = 4 },
                { .name = "h2", .node = "n1", .cpu = 1, .priority = 50, .start = 5 },
                { .name = "h3", .node = "n1", .cpu = 1, .priority = 50, .start = 6 } },
      .waiting = { 1, 1, 1 },
      .gang = true,
      .upstream = "A1 A2 A3",
      .muster = "A1 A2 A3",
      .smallest = "A1 A2 A3" },
    { .name = "E3",
      .nodes = { { "n1", 2 }, { "n2", 2 }, { "n3", 2 }, { "n4", 2 }, { "n5", 2 } },
      .budget = { "x", 0 },
      .pods = { { .name = "a", .node = "n1", .cpu = 2, .priority = 10, .start = 9 },
                { .name = "b1", .node = "n2", .cpu = 1, .priority = 5, .start = 1 },
                { .name = "b2", .node = "n2", .cpu = 1, .priority = 5, .start = 2 },
                { .name = "c", .node = "n3", .cpu = 2, .priority = 5, .start = 3 },
                { .name = "d", .node = "n4", .cpu = 2, .priority = 1, .start = 4, .app = "x" },
                { .name = "e", .node = "n5", .cpu = 2, .priority = 5, .start = 7 } },
      .waiting = { 2 },
      .upstream = "e",
      .muster = "e",
      .smallest = "e" },
    { .name = "E4a",
      .nodes = { { "n1", 8 }, { "n2", 4 } },
      .pods = { { .name = "x", .node = "n1", .cpu = 8, .priority = 50, .start = 1 },
                { .name = "y", .node = "n2", .cpu = 4, .priority = 1, .start = 2 } },
      .waiting = { 4 },
      .gang = true,
      .upstream = "x",
      .muster = "y",
      .smallest = "y" },
    { .name = "E4b",
      .nodes = { { "n1", 4 }, { "n2", 4 }, { "n3", 4 } },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 30, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 4, .priority = 20, .start = 2 },
                { .name = "c", .node = "n3", .cpu = 2, .priority = 1, .start = 3 },
                { .name = "d", .node = "n3", .cpu = 2, .priority = 1, .start = 4 } },
      .waiting = { 2, 2 },
      .gang = true,
      .upstream = "a b",
      .muster = "c d",
      .smallest = "c d" },
    { .name = "E5",
      .nodes = { { "n1", 8 } },
      .groups = { { "A", 5, true } },
      .pods = { { .name = "A1", .node = "n1", .group = "A", .cpu = 2, .start = 5 },
                { .name = "A2", .node = "n1", .group = "A", .cpu = 2, .start = 6 },
                { .name = "s1", .node = "n1", .cpu = 1, .priority = 5, .start = 1 },
                { .name = "s2", .node = "n1", .cpu = 1, .priority = 5, .start = 2 },
                { .name = "s3", .node = "n1", .cpu = 1, .priority = 5, .start = 3 },
                { .name = "s4", .node = "n1", .cpu = 1, .priority = 5, .start = 4 } },
      .waiting = { 2, 2 },
      .gang = true,
      .upstream = "s1 s2 s3 s4",
      .muster = "s1 s2 s3 s4",
      .smallest = "A1 A2" },
    { .name = "E6a",
      .nodes = { { "n1", 2 }, { "n2", 2 } },
      .groups = { { "L", 1, false } },
      .pods = { { .name = "L1", .node = "n1", .group = "L", .cpu = 1, .start = 1 },
                { .name = "L2", .node = "n1", .group = "L", .cpu = 1, .start = 2 },
                { .name = "L3", .node = "n2", .group = "L", .cpu = 1, .start = 3 },
                { .name = "L4", .node = "n2", .group = "L", .cpu = 1, .start = 4 } },
      .waiting = { 1, 1 },
      .gang = true,
      .upstream = "L2 L4",
      .muster = "L3 L4",
      .smallest = "L3 L4" },
    { .name = "E6b",
      .nodes = { { "n1", 2 }, { "n2", 2 } },
      .groups = { { "L", 1, true } },
      .pods = { { .name = "L1", .node = "n1", .group = "L", .cpu = 1, .start = 1 },
                { .name = "L2", .node = "n1", .group = "L", .cpu = 1, .start = 2 },
                { .name = "L3", .node = "n2", .group = "L", .cpu = 1, .start = 3 },
                { .name = "L4", .node = "n2", .group = "L", .cpu = 1, .start = 4 } },
      .waiting = { 1, 1 },
      .gang = true,
      .upstream = "L1 L2 L3 L4",
      .muster = "L1 L2 L3 L4",
      .smallest = "L1 L2 L3 L4" },
    { .name = "E6c",
      .nodes = { { "n1", 2 }, { "n2", 2 }, { "n3", 2 } },
      .groups = { { "B", 5, true } },
      .pods = { { .name = "B1", .node = "n1", .group = "B", .cpu = 1, .start = 1 },
                { .name = "B2", .node = "n2", .group = "B", .cpu = 1, .start = 2 },
                { .name = "B3", .node = "n3", .group = "B", .cpu = 1, .start = 3 },
                { .name = "s", .node = "n1", .cpu = 1, .priority = 7, .start = 4 },
                { .name = "t", .node = "n2", .cpu = 1, .priority = 9, .start = 5 },
                { .name = "u", .node = "n3", .cpu = 1, .priority = 9, .start = 6 } },
      .waiting = { 1 },
      .only = "n1",
      .upstream = "B1 B2 B3",
      .muster = "B1 B2 B3",
      .smallest = "B1 B2 B3" },
    { .name = "E8",
      .nodes = { { "n1", 4 }, { "n2", 2 } },
      .pods = { { .name = "a", .node = "n1", .cpu = 4, .priority = 1, .start = 1 },
                { .name = "b", .node = "n2", .cpu = 2, .priority = 1, .start = 2 } },
      .waiting = { 2, 4 },
      .gang = true,
      .upstream = "none",
      .muster = "a b",
      .smallest = "a b" },
    { .name = "E9",
      .nodes = { { "n1", 2 }, { "n2", 2 } },
      .pods = { { .name = "a", .node = "n1", .cpu = 1, .priority = 5, .start = 1 },
                { .name = "b", .node = "n1", .cpu = 1, .priority = 5, .start = 2 },
                { .name = "c", .node = "n2", .cpu = 1, .priority = 5, .start = 3 },
                { .name = "d", .node = "n2", .cpu = 1, .priority = 5, .start = 4 } },
      .waiting = { 1, 1, 1, 1 },
      .gang = true,
      .upstream = "a b c d",
      .muster = "a b c d",
      .smallest = "a b c d" },
    { .name = "E11",
      .nodes = { { "n1", 4 } },
      .pods = { { .name = "t",
                  .node = "n1",
                  .cpu = 2,
                  .priority = 50,
                  .start = 1,
                  .leaving = true },
                { .name = "l", .node = "n1", .cpu = 2, .priority = 5, .start = 2 } },
      .waiting = { 2 },
      .upstream = "l",
      .muster = "t",
      .smallest = "t" },
};

static const char *victims_of(struct eviction_world *w, size_t i)
{
    const char *group = cases[i].gang ? "preemptor" : NULL;
    for (uint32_t k = 0; k < NODES_MAX && cases[i].nodes[k].name; k++)
        world_node(w, cases[i].nodes[k].name, cases[i].nodes[k].cpu);
    for (uint32_t k = 0; k < GROUPS_MAX && cases[i].groups[k].name; k++)
        world_group(w, cases[i].groups[k].name, cases[i].groups[k].priority,
                    cases[i].groups[k].whole, 1);
    if (cases[i].budget.app)
        world_budget(w, "budget", cases[i].budget.app, cases[i].budget.allowed);
    for (uint32_t k = 0; k < PODS_MAX && cases[i].pods[k].name; k++)
        (void)world_pod(w, &cases[i].pods[k]);
    uint32_t n = 0;
    while (n < WAITING_MAX && cases[i].waiting[n])
        n++;
    if (group)
        world_group(w, group, 100, false, n);
    w->need = strcmp(cases[i].name, "E9") == 0 ? 2 : n;
    static const char *const names[WAITING_MAX] = { "p1", "p2", "p3", "p4" };
    for (uint32_t k = 0; k < n; k++)
        (void)world_pod(w, &(struct world_pod){ .name = names[k],
                                                .cpu = cases[i].waiting[k],
                                                .priority = 100,
                                                .group = group,
                                                .only = cases[i].only });
    struct mst_preemption out = world_preempt(w, group);
    return world_victims(w, &out);
}

static void test_upstream(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct eviction_world w;
        t_case(t, cases[i].name);
        world_start(&w, true, NULL);
        t_text(t, victims_of(&w, i), cases[i].upstream);
        world_stop(&w);
    }
}

static void test_muster(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct eviction_world w;
        t_case(t, cases[i].name);
        world_start(&w, false, NULL);
        t_text(t, victims_of(&w, i), cases[i].muster);
        world_stop(&w);
    }
}

static void test_muster_smallest(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct eviction_world w;
        t_case(t, cases[i].name);
        world_start(&w, false, WORLD_CONFIG("victimPolicy: Smallest"));
        t_text(t, victims_of(&w, i), cases[i].smallest);
        world_stop(&w);
    }
}

/* ---- gangFirst ---- */

/*
 * Two gangs whose pods may go one by one, a pod of each on both nodes. By start b1 and a2 matter
 * least, which breaks both gangs; a ran first, so with gangFirst both pods of b go.
 */
static void two_gangs(struct eviction_world *w)
{
    world_node(w, "n1", 2);
    world_node(w, "n2", 2);
    world_group(w, "a", 5, false, 2);
    world_group(w, "b", 5, false, 2);
    static const struct world_pod pods[] = {
        { .name = "a1", .node = "n1", .group = "a", .cpu = 1, .priority = 5, .start = 1 },
        { .name = "b1", .node = "n1", .group = "b", .cpu = 1, .priority = 5, .start = 2 },
        { .name = "a2", .node = "n2", .group = "a", .cpu = 1, .priority = 5, .start = 4 },
        { .name = "b2", .node = "n2", .group = "b", .cpu = 1, .priority = 5, .start = 3 },
    };
    for (size_t i = 0; i < MST_COUNT(pods); i++)
        (void)world_pod(w, &pods[i]);
}

static const char *victims_of_gangs(bool upstream, const char *config, uint32_t wanted,
                                    struct eviction_world *w)
{
    world_start(w, upstream, config);
    two_gangs(w);
    world_group(w, "high", 9, false, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        (void)world_pod(w, &(struct world_pod){
                               .name = i ? "h1" : "h0", .group = "high", .cpu = 1, .priority = 9 });
    w->need = wanted;
    struct mst_preemption p = world_preempt(w, "high");
    return world_victims(w, &p);
}

static void test_gang_first(struct mst_test *t)
{
    struct eviction_world w;
    const char *on = WORLD_CONFIG("gangFirst: true");
    t_text(t, victims_of_gangs(false, on, 2, &w), "b1 b2");
    world_stop(&w);
    t_text(t, victims_of_gangs(false, on, 1, &w), "b2"); /* of b the last to start */
    world_stop(&w);
}

/* A lone pod's node is the one where the gang goes that matters least. */
static void test_gang_first_chooses_the_node(struct mst_test *t)
{
    for (int on = 0; on < 2; on++) {
        struct eviction_world w;
        world_start(&w, false, on ? WORLD_CONFIG("gangFirst: true") : NULL);
        world_node(&w, "n1", 1);
        world_node(&w, "n2", 1);
        world_node(&w, "n3", 1);
        world_group(&w, "a", 5, false, 2);
        static const struct world_pod pods[] = {
            { .name = "a1", .node = "n1", .group = "a", .cpu = 1, .priority = 5, .start = 1 },
            { .name = "a2", .node = "n2", .group = "a", .cpu = 1, .priority = 5, .start = 9 },
            { .name = "lone", .node = "n3", .cpu = 1, .priority = 5, .start = 5 },
            { .name = "high", .cpu = 1, .priority = 9 },
        };
        for (size_t i = 0; i < MST_COUNT(pods); i++)
            (void)world_pod(&w, &pods[i]);
        struct mst_preemption p = world_preempt(&w, NULL);
        t_text(t, world_victims(&w, &p), on ? "lone" : "a2");
        world_stop(&w);
    }
}

MST_TEST_MAIN(T(test_upstream), T(test_muster), T(test_muster_smallest), T(test_gang_first),
              T(test_gang_first_chooses_the_node))
