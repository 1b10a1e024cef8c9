/* Rows of pod groups: members before their group and after it, counts, the life of a row. */
#include "cluster_rows.h"
#include "tap.h"

static void pod(struct rows *r, const char *name, const char *group, const char *more)
{
    rows_apply(r,
               mst_arena_printf(&r->arena,
                                "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: "
                                "{schedulingGroup: {podGroupName: %s}, containers: [{name: c}]%s}}",
                                name, group, more)
                   .p);
}

static void group(struct rows *r, const char *name, const char *spec)
{
    rows_apply(r,
               mst_arena_printf(&r->arena,
                                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: "
                                "{name: %s}, spec: {%s}}",
                                name, spec)
                   .p);
}

static const struct mst_group_row *row(struct rows *r, const char *name)
{
    mst_assert(rows_group(r, name) != MST_ROW_NONE);
    return &r->cluster.groups.v[rows_group(r, name)];
}

static void test_groups_members_first(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", "g", "");
    pod(r, "b", "g", ", nodeName: n1");
    t_bool(t, row(r, "g")->known, false);
    t_int(t, row(r, "g")->all_count, 2);
    t_int(t, row(r, "g")->scheduled_count, 1);
    uint32_t id = rows_group(r, "g");
    group(r, "g",
          "schedulingPolicy: {gang: {minCount: 7}}, schedulingConstraints: {topology: [{key: "
          "rack}]}");
    t_int(t, rows_group(r, "g"), id);
    t_bool(t, row(r, "g")->known, true);
    t_int(t, row(r, "g")->min_count, 7);
    t_int(t, row(r, "g")->policy, MST_POLICY_GANG);
    t_int(t, row(r, "g")->topology_keys.n, 1);
    t_int(t, row(r, "g")->first_pod, rows_pod(r, "a")); /* in order of arrival */
    t_int(t, row(r, "g")->last_pod, rows_pod(r, "b"));
    rows_free(r);
}

static void test_groups_row_lives_while_anybody_needs_it(struct mst_test *t)
{
    struct rows *r = rows_new("");
    group(r, "g", "schedulingPolicy: {basic: {}}");
    t_int(t, row(r, "g")->min_count, 1);
    pod(r, "a", "g", "");
    mst_cluster_group_remove(&r->cluster, rows_group(r, "g"));
    t_bool(t, row(r, "g")->known, false);
    t_int(t, row(r, "g")->all_count, 1);
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "a"));
    t_int(t, rows_group(r, "g"), MST_ROW_NONE);
    /* The other way round. */
    pod(r, "a", "g", "");
    group(r, "g", "schedulingPolicy: {gang: {minCount: 2}}");
    mst_cluster_pod_remove(&r->cluster, rows_pod(r, "a"));
    t_bool(t, row(r, "g")->known, true);
    t_int(t, row(r, "g")->first_pod, MST_ROW_NONE);
    mst_cluster_group_remove(&r->cluster, rows_group(r, "g"));
    t_int(t, rows_group(r, "g"), MST_ROW_NONE);
    rows_free(r);
}

static void test_groups_leaving_from_every_place(struct mst_test *t)
{
    static const char *const orders[] = { "abc", "acb", "bac", "bca", "cab", "cba" };
    for (size_t i = 0; i < MST_COUNT(orders); i++) {
        struct rows *r = rows_new("");
        t_case(t, orders[i]);
        pod(r, "a", "g", "");
        pod(r, "b", "g", ", nodeName: n1");
        pod(r, "c", "g", "");
        for (uint32_t k = 0; k < 3; k++) {
            const char name[] = { orders[i][k], '\0' };
            mst_cluster_pod_remove(&r->cluster, rows_pod(r, name));
            mst_cluster_check(&r->cluster);
            t_int(t, rows_group(r, "g") == MST_ROW_NONE, k == 2);
        }
        rows_free(r);
    }
}

/* Namespaces keep groups apart; without the gate nobody is a member. */
static void test_groups_membership(struct mst_test *t)
{
    struct rows *r = rows_new("");
    pod(r, "a", "g", "");
    rows_apply(r, "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: other}, spec: "
                  "{schedulingGroup: {podGroupName: g}, containers: [{name: c}]}}");
    t_int(t, row(r, "g")->all_count, 1);
    t_int(t, mst_cluster_group(&r->cluster, rows_sym(r, "other"), MST_STR("g")) != MST_ROW_NONE, 1);
    r->cluster.groups_enabled = false;
    pod(r, "b", "g", "");
    t_int(t, rows_pod_row(r, "b")->group, MST_ROW_NONE);
    t_int(t, row(r, "g")->all_count, 1);
    rows_free(r);
}

static void test_groups_counts_follow_assumptions(struct mst_test *t)
{
    struct rows *r = rows_new("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
    pod(r, "a", "g", "");
    uint32_t a = rows_pod(r, "a");
    mst_cluster_place(&r->cluster, a, 0);
    t_int(t, row(r, "g")->scheduled_count, 0); /* tentative */
    mst_cluster_assume(&r->cluster, a);
    t_int(t, row(r, "g")->scheduled_count, 1);
    mst_cluster_forget(&r->cluster, a);
    t_int(t, row(r, "g")->scheduled_count, 0);
    mst_cluster_place(&r->cluster, a, 0);
    mst_cluster_assume(&r->cluster, a);
    pod(r, "a", "g", ", nodeName: n1"); /* confirmed: counted once */
    t_int(t, row(r, "g")->scheduled_count, 1);
    mst_cluster_pod_remove(&r->cluster, a);
    t_int(t, rows_group(r, "g"), MST_ROW_NONE);
    rows_free(r);
}

MST_TEST_MAIN(T(test_groups_members_first), T(test_groups_row_lives_while_anybody_needs_it),
              T(test_groups_leaving_from_every_place), T(test_groups_membership),
              T(test_groups_counts_follow_assumptions))
