/* Events as the server is told of them: fields, references, limits. */
#include "writer_helper.h"

static void test_events_body(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_event("p", "0/1 nodes are available"));
    t_int(t, r.client.sent.n, 1);
    rig_mask_name(&r, 0, "\"name\":\"p.");
    t_sent(t, &r, 0,
           "POST /apis/events.k8s.io/v1/namespaces/ns/events {\"kind\":\"Event\","
           "\"apiVersion\":\"events.k8s.io/v1\",\"metadata\":{\"name\":\"p.N\","
           "\"namespace\":\"ns\"},\"eventTime\":\"2026-06-01T00:00:00.123456Z\","
           "\"reportingController\":\"s\",\"reportingInstance\":\"s-host\","
           "\"action\":\"Scheduling\",\"reason\":\"FailedScheduling\","
           "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\","
           "\"namespace\":\"ns\",\"uid\":\"u\"},\"note\":\"0/1 nodes are available\","
           "\"type\":\"Warning\"}");
    rig_reply(&r, 0, 201, NULL);
    t_int(t, mst_writer_stats_of(r.writer).events_sent, 1);
    t_answers(t, &r, "");
    rig_stop(&r, t);
}

static void test_events_references(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    struct mst_effect e = rig_event("p", "m");
    e.related = MST_STR("PodGroup ns/g");
    rig_want(&r, e);
    t_has(t, &r, 0,
          "\"related\":{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\","
          "\"name\":\"g\",\"namespace\":\"ns\"},");
    e.related = MST_STR("CompositePodGroup ns/g");
    rig_want(&r, e);
    t_has(t, &r, 1,
          "{\"apiVersion\":\"scheduling.k8s.io/v1alpha3\",\"kind\":\"CompositePodGroup\"");
    e.related = MST_STR("PersistentVolumeClaim ns/c");
    r.pvc.u.pvc.meta = (struct mst_meta){ .name = MST_STR("c"), .uid = MST_STR("cu") };
    rig_want(&r, e);
    t_has(t, &r, 2,
          "\"related\":{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"name\":\"c\","
          "\"namespace\":\"ns\",\"uid\":\"cu\"}");
    e = rig_event("v", "m");
    e.object_kind = MST_KIND_PV;
    e.ns = MST_STR("");
    rig_want(&r, e);
    t_has(t, &r, 3, "POST /apis/events.k8s.io/v1/namespaces/default/events ");
    t_has(t, &r, 3,
          "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\","
          "\"name\":\"v\",\"uid\":\"u\"},");
    rig_stop(&r, t);
}

static void test_events_limits(struct mst_test *t)
{
    MST_AUTO(mst_buf) long_name = { 0 };
    MST_AUTO(mst_buf) note = { 0 };
    for (int i = 0; i < 253; i++)
        mst_buf_char(&long_name, i == 235 ? '.' : 'a');
    for (int i = 0; i < 600; i++)
        mst_buf_text(&note, "\xc3\xa9"); /* 1,200 bytes */
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    struct mst_effect e = rig_event("p", "");
    e.name = mst_buf_span(&long_name);
    e.note = mst_buf_span(&note);
    rig_want(&r, e);
    const char *name = rig_after(&r, 0, "\"name\":\"");
    t_int(t, strcspn(name, "\"") <= 253, 1);
    t_ok(t, name[234] == 'a' && name[235] == '.' && name[236] != '.');
    const char *sent = rig_after(&r, 0, "\"note\":\"");
    t_int(t, strcspn(sent, "\""), 1024);
    t_ok(t, !memcmp(sent + 1018, "\xc3\xa9 ...", 6));
    /* The same one byte further on, so that the limit is in the middle of a letter. */
    note.p[0] = note.p[1] = 'x';
    e.note = (struct mst_str){ note.p + 1, note.n - 1 };
    rig_want(&r, e);
    sent = rig_after(&r, 1, "\"note\":\"");
    t_int(t, strcspn(sent, "\""), 1023);
    t_ok(t, !memcmp(sent + 1017, "\xc3\xa9 ...", 6));
    /* One byte more than there may be, and it is in the middle of a letter. */
    note.n = 1023;
    mst_buf_text(&note, "\xc3");
    e.note = mst_buf_span(&note);
    rig_want(&r, e);
    t_ok(t, strcspn(rig_after(&r, 2, "\"note\":\""), "\"") <= 1024);
    rig_stop(&r, t);
}

MST_TEST_MAIN(T(test_events_body), T(test_events_references), T(test_events_limits))
