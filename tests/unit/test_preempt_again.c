/* What comes after a search for victims: the next attempt, old seats of a group, ended budgets. */
#include "engine_helper.h"
#include "tap.h"

/* A small member that takes the big node, and a big one; one victim where the small one fits. */
static struct host *swapped(bool upstream)
{
    struct host *h = host_new(upstream);
    host_node(h, "n1", "cpu: 4", NULL);
    host_node(h, "n2", "cpu: 3", NULL);
    host_add(h, (struct host_pod_spec){ .name = "v", .more = "nodeName: n2", .priority = 1 });
    host_gang(h, "g", 2, "priorityClassName: p9");
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "2", .group = "g", .priority = 9 });
    host_add(h, (struct host_pod_spec){ .name = "b", .cpu = "4", .group = "g", .priority = 9 });
    return h;
}

/* Another way to place the group needs no victim: it is gone at once, without a backoff. */
static void test_room_without_victims_is_used_at_once(struct mst_test *t)
{
    struct host *h = swapped(false);
    const int64_t before = h->now;
    host_run(h);
    t_int(t, h->now, before);
    t_ok(t, host_saw(h, "bind default/a n2"));
    t_ok(t, host_saw(h, "bind default/b n1"));
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

/* Upstream finds no other way. */
static void test_upstream_keeps_its_way(struct mst_test *t)
{
    struct host *h = swapped(true);
    host_wait(h, 60);
    t_bool(t, host_saw(h, "bind *"), false);
    t_bool(t, host_saw(h, "evict *"), false);
    host_free(h);
}

/* b was promised n1, which only a may use now: a promise within the group holds nobody up. */
static void test_seats_of_the_own_group_do_not_count(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_node(h, "n2", "cpu: 1", NULL);
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a",
                                        .group = "g",
                                        .more = "nodeSelector: {kubernetes.io/hostname: n1}" });
    host_add(h, (struct host_pod_spec){
                    .name = "b", .group = "g", .status = "nominatedNodeName: n1" });
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1"));
    t_ok(t, host_saw(h, "bind default/b n2"));
    host_free(h);
}

/* The same promise to a stranger does. */
static void test_seats_of_others_count(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_node(h, "n2", "cpu: 0", NULL);
    host_add(h, (struct host_pod_spec){ .name = "b",
                                        .cpu = "1",
                                        .priority = 5,
                                        .status = "nominatedNodeName: n1",
                                        .more = "schedulingGates: [{name: x}]" });
    host_gang(h, "g", 1, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a",
                                        .group = "g",
                                        .more = "nodeSelector: {kubernetes.io/hostname: n1}" });
    host_run(h);
    t_bool(t, host_saw(h, "bind *"), false);
    host_free(h);
}

#define BUDGET                                                                                     \
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"               \
    "profiles:\n- pluginConfig:\n  - name: DefaultPreemption\n"                                    \
    "    args: {searchBudget: 1}\n"

/* Two pods displace four of six; one step is not enough to look at all other choices. */
static void test_an_ended_budget_is_said(struct mst_test *t)
{
    struct host *h = host_with(false, BUDGET, NULL);
    host_node(h, "n1", "cpu: 3", NULL);
    host_node(h, "n2", "cpu: 3", NULL);
    for (int i = 0; i < 6; i++)
        host_add(h, (struct host_pod_spec){ .name = mst_arena_printf(&h->arena, "v%d", i).p,
                                            .more = i % 2 ? "nodeName: n1" : "nodeName: n2",
                                            .priority = 1 + i % 2 });
    host_gang(h, "g", 2, "priorityClassName: p9");
    for (int i = 0; i < 2; i++)
        host_add(h, (struct host_pod_spec){
                        .name = i ? "b" : "a", .cpu = "2", .group = "g", .priority = 9 });
    host_step(h);
    t_ok(t,
         host_saw(h, "group default/g False Unschedulable: pod group is unschedulable, 0/1 "
                     "placements are available, first placement status: minCount (2) cannot be "
                     "satisfied: 0 scheduled, 1 remaining, pod group preemption: found a placement "
                     "for podgroup, preempting 4 victims (the best that was found within the "
                     "search budget)"));
    t_ok(t, host_saw(h, "evict *"));
    host_free(h);
}

MST_TEST_MAIN(T(test_room_without_victims_is_used_at_once), T(test_upstream_keeps_its_way),
              T(test_seats_of_the_own_group_do_not_count), T(test_seats_of_others_count),
              T(test_an_ended_budget_is_said))
