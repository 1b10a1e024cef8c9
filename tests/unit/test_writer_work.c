/* What is kept of an effect while it waits. */
#include "writer_helper.h"

static struct mst_effect pv_update(void)
{
    return (struct mst_effect){ .id = 1,
                                .kind = MST_EFFECT_PV_UPDATE,
                                .object_kind = MST_KIND_PV,
                                .name = MST_STR("v"),
                                .uid = MST_STR("u"),
                                .claim_ns = MST_STR("ns"),
                                .claim_name = MST_STR("c"),
                                .claim_uid = MST_STR("cu") };
}

/* What changes between the decision and the request is a conflict, as with upstream's update. */
static void test_work_version_of_decision(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
    r.pv.u.pv = (struct mst_pv){
        .meta = { .name = MST_STR("v"), .uid = MST_STR("u"), .resource_version = MST_STR("17") }
    };
    rig_want(&r, rig_bind(9, "other", "n"));
    rig_want(&r, pv_update());
    r.pv.u.pv.meta.resource_version = MST_STR("99");
    rig_reply(&r, 0, 201, NULL);
    t_sent(t, &r, 1,
           "PATCH /api/v1/persistentvolumes/v application/merge-patch+json"
           " {\"metadata\":{\"resourceVersion\":\"17\",\"uid\":\"u\"}}");
    rig_stop(&r, t);
}

/* The engine's text is gone when the effect's turn comes. */
static void test_work_keeps_text(struct mst_test *t)
{
    char node[] = "n1", name[] = "p";
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
    rig_want(&r, rig_bind(1, "first", "n"));
    rig_want(&r, rig_bind(2, name, node));
    node[1] = name[0] = 'x';
    rig_reply(&r, 0, 201, NULL);
    t_has(t, &r, 1, "POST /api/v1/namespaces/ns/pods/p/binding ");
    t_has(t, &r, 1, "\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}");
    rig_stop(&r, t);
}

MST_TEST_MAIN(T(test_work_version_of_decision), T(test_work_keeps_text))
