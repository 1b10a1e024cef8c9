/* test_preemptors.c - who waits while its victims are being evicted. */
#include "cluster/preemptors.h"
#include "cluster_objects.h"
#include "tap.h"

#define POD(name, more)                                                                            \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name more                                      \
    "}, spec: {nodeName: n1, containers: [{name: c}]}}\n---\n"

static void test_waits_until_the_end(struct mst_test *t)
{
    struct mst_objects *o = objects_new(POD("v", ""));
    struct mst_cluster *c = &o->cluster;
    t_bool(t, mst_preemptor_waits(c, MST_STR("u1")), false);
    mst_preemptor_begin(c, MST_STR("u1"));
    mst_preemptor_begin(c, MST_STR("u1"));
    mst_preemptor_begin(c, MST_STR("u2"));
    t_bool(t, mst_preemptor_waits(c, MST_STR("u1")), true);
    t_bool(t, mst_preemptor_waits(c, MST_STR("u3")), false);
    mst_preemptor_end(c, MST_STR("u1"));
    mst_preemptor_end(c, MST_STR("u1"));
    t_bool(t, mst_preemptor_waits(c, MST_STR("u1")), false);
    t_bool(t, mst_preemptor_waits(c, MST_STR("u2")), true);
    mst_preemptor_begin(c, MST_STR("u4")); /* in the place of u1, which knew no last victim */
    t_bool(t, mst_preemptor_waits(c, MST_STR("u4")), true);
    objects_free(o);
}

static void test_last_victim_on_its_way_ends_the_wait(struct mst_test *t)
{
    struct mst_objects *o = objects_new(POD("v", "") POD("w", ""));
    struct mst_cluster *c = &o->cluster;
    mst_sym ns = mst_sym_of_text(o->syms, "default");
    mst_preemptor_begin(c, MST_STR("u1"));
    mst_preemptor_last(c, MST_STR("u1"), ns, MST_STR("v"));
    mst_preemptor_last(c, MST_STR("unknown"), ns, MST_STR("v"));
    t_bool(t, mst_preemptor_waits(c, MST_STR("u1")), true);
    objects_apply(o, POD("v", ", deletionTimestamp: '2026-01-01T00:00:00Z'"));
    t_bool(t, mst_preemptor_waits(c, MST_STR("u1")), false);
    mst_preemptor_begin(c, MST_STR("u2"));
    mst_preemptor_last(c, MST_STR("u2"), ns, MST_STR("w"));
    mst_cluster_pod_remove(c, objects_row(o, "w"));
    t_bool(t, mst_preemptor_waits(c, MST_STR("u2")), false);
    mst_preemptor_end(c, MST_STR("u2"));
    mst_preemptor_begin(c, MST_STR("u5")); /* the old name is forgotten with the record */
    t_bool(t, mst_preemptor_waits(c, MST_STR("u5")), true);
    objects_free(o);
}

MST_TEST_MAIN(T(test_waits_until_the_end), T(test_last_victim_on_its_way_ends_the_wait))
