/* Method, path, content type and body of every kind of effect. */
#include "writer_helper.h"

#define STRATEGIC "application/strategic-merge-patch+json"
#define MERGE "application/merge-patch+json"

static void check(struct mst_test *t, const char *name, struct mst_effect effect, const char *want)
{
    struct rig r;
    t_case(t, name);
    rig_start(&r, (struct mst_writer_options){ 0 });
    r.pv.u.pv = (struct mst_pv){
        .meta = { .name = MST_STR("v"), .uid = MST_STR("u"), .resource_version = MST_STR("17") }
    };
    r.pvc.u.pvc = (struct mst_pvc){
        .meta = { .name = MST_STR("c"), .uid = MST_STR("cu"), .resource_version = MST_STR("18") }
    };
    rig_want(&r, effect);
    t_int(t, r.client.sent.n, 1);
    t_sent(t, &r, 0, want);
    rig_stop(&r, t);
}

static void test_requests_bind(struct mst_test *t)
{
    check(t, "bind", rig_bind(1, "p", "n1"),
          "POST /api/v1/namespaces/ns/pods/p/binding application/vnd.kubernetes.protobuf "
          "{\"kind\":\"Binding\",\"apiVersion\":\"v1\","
          "\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u\"},"
          "\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}");
}

/* Byte for byte. k8s.io/api v0.37.2 reads it so; its own marshaller adds fields that are empty. */
static void test_requests_bind_bytes(struct mst_test *t)
{
    static const char want[] = "k8s\0"
                               "\x0a\x0d\x0a\x02v1\x12\x07\x42inding"
                               "\x12\x18\x0a\x0a\x0a\x01p\x1a\x02ns\x2a\x01u"
                               "\x12\x0a\x0a\x04Node\x1a\x02n1";
    struct mst_effect effect = rig_bind(1, "p", "n1");
    effect.ns = MST_STR("ns");
    struct mst_work *work = mst_work_new(&(struct mst_writer_options){ 0 }, &effect);
    struct mst_writer_request request = { 0 };
    work->stage = MST_STAGE_MAIN;
    mst_work_print(work, "v1beta1", &request);
    t_ok(t, mst_str_eq(mst_buf_span(&request.body), (struct mst_str){ want, sizeof(want) - 1 }));
    mst_work_free(work);
    mst_buf_done(&request.path);
    mst_buf_done(&request.body);
}

static void test_requests_pod_status(struct mst_test *t)
{
    check(t, "condition", rig_message(1, "p", "0/1 \"nodes\""),
          "PATCH /api/v1/namespaces/ns/pods/p/status " STRATEGIC " {\"metadata\":{\"uid\":\"u\"},"
          "\"status\":{\"conditions\":[{\"lastProbeTime\":null,"
          "\"lastTransitionTime\":\"2026-06-01T00:00:00Z\",\"message\":\"0/1 \\\"nodes\\\"\","
          "\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","
          "\"type\":\"PodScheduled\"}]}}");
    check(t, "nominated", rig_nominate(1, "p", "n1"),
          "PATCH /api/v1/namespaces/ns/pods/p/status " STRATEGIC " {\"metadata\":{\"uid\":\"u\"},"
          "\"status\":{\"nominatedNodeName\":\"n1\"}}");
    check(t, "nominated no more", rig_nominate(1, "p", ""),
          "PATCH /api/v1/namespaces/ns/pods/p/status " STRATEGIC " {\"metadata\":{\"uid\":\"u\"},"
          "\"status\":{\"nominatedNodeName\":null}}");
    struct mst_effect both = rig_message(1, "p", "");
    both.condition.observed_generation = 0;
    both.condition.reason = MST_STR_NONE;
    both.condition.last_transition.set = false;
    both.nominated_set = true;
    both.uid = MST_STR_NONE;
    check(t, "both, and as little as there can be", both,
          "PATCH /api/v1/namespaces/ns/pods/p/status " STRATEGIC " {\"status\":{\"conditions\":["
          "{\"lastProbeTime\":null,\"lastTransitionTime\":null,\"message\":null,\"reason\":null,"
          "\"status\":\"False\",\"type\":\"PodScheduled\"}],\"nominatedNodeName\":null}}");
}

static void test_requests_group_status(struct mst_test *t)
{
    struct mst_effect e = rig_message(1, "g", "");
    e.kind = MST_EFFECT_GROUP_STATUS;
    e.object_kind = MST_KIND_POD_GROUP;
    e.condition.type = MST_STR("PodGroupInitiallyScheduled");
    e.condition.status = MST_STR("True");
    e.condition.reason = MST_STR("Scheduled");
    check(t, "group", e,
          "PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups/g/status " STRATEGIC
          " {\"metadata\":{\"uid\":\"u\"},\"status\":{\"conditions\":[{"
          "\"lastTransitionTime\":\"2026-06-01T00:00:00Z\",\"message\":\"\","
          "\"observedGeneration\":1,\"reason\":\"Scheduled\",\"status\":\"True\","
          "\"type\":\"PodGroupInitiallyScheduled\"}]}}");
}

static void test_requests_evict(struct mst_test *t)
{
    check(t, "without a condition", rig_evict(1, "p", NULL),
          "DELETE /api/v1/namespaces/ns/pods/p {\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
          "\"preconditions\":{\"uid\":\"u\"}}");
    check(t, "with one", rig_evict(1, "p", "s: preempting"),
          "PATCH /api/v1/namespaces/ns/pods/p/status " STRATEGIC " {\"metadata\":{\"uid\":\"u\"},"
          "\"status\":{\"conditions\":[{\"lastProbeTime\":null,"
          "\"lastTransitionTime\":\"2026-06-01T00:00:00Z\",\"message\":\"s: preempting\","
          "\"observedGeneration\":1,\"reason\":\"PreemptionByScheduler\",\"status\":\"True\","
          "\"type\":\"DisruptionTarget\"}]}}");
}

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

static void test_requests_volumes(struct mst_test *t)
{
    struct mst_effect e = pv_update();
    check(t, "nothing but the precondition", e,
          "PATCH /api/v1/persistentvolumes/v " MERGE
          " {\"metadata\":{\"resourceVersion\":\"17\",\"uid\":\"u\"}}");
    e.claim_ref = e.by_controller = true;
    check(t, "all of it", e,
          "PATCH /api/v1/persistentvolumes/v " MERGE " {\"metadata\":{\"annotations\":{"
          "\"pv.kubernetes.io/bound-by-controller\":\"yes\"},\"resourceVersion\":\"17\","
          "\"uid\":\"u\"},\"spec\":{\"claimRef\":{\"apiVersion\":\"v1\",\"fieldPath\":null,"
          "\"kind\":\"PersistentVolumeClaim\",\"name\":\"c\",\"namespace\":\"ns\","
          "\"resourceVersion\":\"18\",\"uid\":\"cu\"}}}");
    e.by_controller = false;
    e.uid = MST_STR("another");
    e.claim_uid = MST_STR("another");
    check(t, "what is known are namesakes", e,
          "PATCH /api/v1/persistentvolumes/v " MERGE " {\"metadata\":{\"uid\":\"another\"},"
          "\"spec\":{\"claimRef\":{\"apiVersion\":\"v1\",\"fieldPath\":null,"
          "\"kind\":\"PersistentVolumeClaim\",\"name\":\"c\",\"namespace\":\"ns\","
          "\"resourceVersion\":null,\"uid\":\"another\"}}}");
    check(t, "a claim",
          (struct mst_effect){ .kind = MST_EFFECT_PVC_UPDATE,
                               .object_kind = MST_KIND_PVC,
                               .name = MST_STR("c"),
                               .uid = MST_STR("cu"),
                               .node = MST_STR("n1"),
                               .node_new = true },
          "PATCH /api/v1/namespaces/ns/persistentvolumeclaims/c " MERGE
          " {\"metadata\":{\"annotations\":{\"volume.kubernetes.io/selected-node\":\"n1\"},"
          "\"resourceVersion\":\"18\",\"uid\":\"cu\"}}");
}

MST_TEST_MAIN(T(test_requests_bind), T(test_requests_bind_bytes), T(test_requests_pod_status),
              T(test_requests_group_status), T(test_requests_evict), T(test_requests_volumes))
