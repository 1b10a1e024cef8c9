/*
 * writer_requests.c - effects as requests: method, path and body.
 *
 * Differs:    a condition is sent whole where upstream sends the fields that change against the
 *             object it knows: a patch that was given up would otherwise leave a mix of two
 *             conditions behind. Volumes and claims are patched under the resourceVersion that was
 *             known when the effect came where upstream sends the whole object: we do not keep all
 *             of its fields. Every patch names the UID, so that a namesake is not touched.
 * Source:     kubernetes v1.37 pkg/scheduler/util (PatchPodStatus, PatchPodGroupStatus),
 *             plugins/defaultbinder, component-helpers storage/volume (GetBindVolumeToClaim).
 */
#include "base/time_text.h"
#include "client/writer_internal.h"
#include "codec/json.h"
#include "codec/proto_writer.h"

#define BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define SELECTED_NODE "volume.kubernetes.io/selected-node"

static void member(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

static void text_member(struct mst_json_writer *w, const char *key, const char *value)
{
    member(w, key, mst_str_of(value));
}

static void open(struct mst_json_writer *w, const char *key)
{
    mst_jw_key(w, key);
    mst_jw_object_begin(w);
}

/* ---- paths ---- */

static const char *resource_of(mst_kind kind)
{
    if (kind == MST_KIND_POD)
        return "pods";
    if (kind == MST_KIND_POD_GROUP)
        return "podgroups";
    if (kind == MST_KIND_PVC)
        return "persistentvolumeclaims";
    mst_assert(kind == MST_KIND_PV);
    return "persistentvolumes";
}

static void path_of(const struct mst_effect *e, const char *group_version, struct mst_buf *out)
{
    if (e->object_kind == MST_KIND_POD_GROUP) {
        mst_buf_text(out, "/apis/scheduling.k8s.io/");
        mst_buf_text(out, group_version);
    } else {
        mst_buf_text(out, "/api/v1");
    }
    if (e->object_kind != MST_KIND_PV) {
        mst_buf_text(out, "/namespaces/");
        mst_buf_str(out, e->ns);
    }
    mst_buf_char(out, '/');
    mst_buf_text(out, resource_of(e->object_kind));
    mst_buf_char(out, '/');
    mst_buf_str(out, e->name);
}

/* ---- bodies ---- */

/* As protobuf, which the server reads for less than half of what JSON costs it. */
static void print_binding(const struct mst_effect *e, struct mst_buf *out)
{
    enum { UNKNOWN_TYPE = 1, UNKNOWN_RAW = 2, API_VERSION = 1, KIND = 2 };
    enum { METADATA = 1, META_NAME = 1, META_NAMESPACE = 3, META_UID = 5 };
    enum { TARGET = 2, TARGET_KIND = 1, TARGET_NAME = 3 };
    mst_buf_add(out, "k8s", 4); /* with its zero byte */
    const size_t type = mst_proto_begin(out, UNKNOWN_TYPE);
    mst_proto_put_str(out, API_VERSION, MST_STR("v1"));
    mst_proto_put_str(out, KIND, MST_STR("Binding"));
    mst_proto_end(out, type);
    const size_t raw = mst_proto_begin(out, UNKNOWN_RAW);
    const size_t metadata = mst_proto_begin(out, METADATA);
    mst_proto_put_str(out, META_NAME, e->name);
    mst_proto_put_str(out, META_NAMESPACE, e->ns);
    mst_proto_put_str(out, META_UID, e->uid);
    mst_proto_end(out, metadata);
    const size_t target = mst_proto_begin(out, TARGET);
    mst_proto_put_str(out, TARGET_KIND, MST_STR("Node"));
    mst_proto_put_str(out, TARGET_NAME, e->node);
    mst_proto_end(out, target);
    mst_proto_end(out, raw);
}

/* Pods' conditions leave out what is empty, PodGroups' say it. */
static void condition_text(struct mst_json_writer *w, const char *key, struct mst_str value,
                           bool pod)
{
    if (value.n || !pod) {
        member(w, key, value);
        return;
    }
    mst_jw_key(w, key);
    mst_jw_null(w);
}

static void print_condition(const struct mst_condition *c, bool pod, struct mst_json_writer *w)
{
    mst_jw_key(w, "conditions");
    mst_jw_array_begin(w);
    mst_jw_object_begin(w);
    if (pod) {
        mst_jw_key(w, "lastProbeTime");
        mst_jw_null(w);
    }
    mst_jw_key(w, "lastTransitionTime");
    if (c->last_transition.set) {
        MST_AUTO(mst_buf) time = { 0 };
        mst_time_print(c->last_transition.unix_s, 0, &time);
        mst_jw_str(w, mst_buf_span(&time));
    } else {
        mst_jw_null(w);
    }
    condition_text(w, "message", c->message, pod);
    if (c->observed_generation) {
        mst_jw_key(w, "observedGeneration");
        mst_jw_int(w, c->observed_generation);
    }
    condition_text(w, "reason", c->reason, pod);
    member(w, "status", c->status);
    member(w, "type", c->type);
    mst_jw_object_end(w);
    mst_jw_array_end(w);
}

static void print_uid(const struct mst_effect *e, struct mst_json_writer *w)
{
    if (!e->uid.n)
        return;
    open(w, "metadata");
    member(w, "uid", e->uid);
    mst_jw_object_end(w);
}

static void print_status(const struct mst_effect *e, struct mst_json_writer *w)
{
    const bool pod = e->object_kind == MST_KIND_POD;
    mst_jw_object_begin(w);
    print_uid(e, w);
    open(w, "status");
    if (e->condition_set)
        print_condition(&e->condition, pod, w);
    if (e->nominated_set) {
        mst_jw_key(w, "nominatedNodeName");
        if (e->nominated.n)
            mst_jw_str(w, e->nominated);
        else
            mst_jw_null(w);
    }
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

static void print_delete(const struct mst_effect *e, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    text_member(w, "kind", "DeleteOptions");
    text_member(w, "apiVersion", "v1");
    open(w, "preconditions");
    member(w, "uid", e->uid);
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

static void print_precondition(const struct mst_work *work, struct mst_json_writer *w)
{
    if (work->resource_version.n)
        member(w, "resourceVersion", work->resource_version);
    if (work->effect.uid.n)
        member(w, "uid", work->effect.uid);
}

static void print_annotation(const char *key, struct mst_str value, struct mst_json_writer *w)
{
    open(w, "annotations");
    member(w, key, value);
    mst_jw_object_end(w);
}

/* A claimRef that replaces whatever was there, as a merge patch: what it does not have is null. */
static void print_claim_ref(const struct mst_work *work, struct mst_json_writer *w)
{
    const struct mst_effect *e = &work->effect;
    open(w, "claimRef");
    text_member(w, "apiVersion", "v1");
    mst_jw_key(w, "fieldPath");
    mst_jw_null(w);
    text_member(w, "kind", "PersistentVolumeClaim");
    member(w, "name", e->claim_name);
    member(w, "namespace", e->claim_ns);
    mst_jw_key(w, "resourceVersion");
    if (work->claim_version.n)
        mst_jw_str(w, work->claim_version);
    else
        mst_jw_null(w);
    member(w, "uid", e->claim_uid);
    mst_jw_object_end(w);
}

static void print_volume(const struct mst_work *work, struct mst_json_writer *w)
{
    const struct mst_effect *e = &work->effect;
    mst_jw_object_begin(w);
    open(w, "metadata");
    if (e->by_controller)
        print_annotation(BOUND_BY_CONTROLLER, MST_STR("yes"), w);
    print_precondition(work, w);
    mst_jw_object_end(w);
    if (e->claim_ref) {
        open(w, "spec");
        print_claim_ref(work, w);
        mst_jw_object_end(w);
    }
    mst_jw_object_end(w);
}

static void print_claim(const struct mst_work *work, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    open(w, "metadata");
    print_annotation(SELECTED_NODE, work->effect.node, w);
    print_precondition(work, w);
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

/* ---- requests ---- */

static void patch_status(const struct mst_effect *e, struct mst_writer_request *out)
{
    struct mst_json_writer w = { .out = &out->body };
    out->method = MST_PATCH;
    out->type = MST_TYPE_STRATEGIC;
    mst_buf_text(&out->path, "/status");
    print_status(e, &w);
}

static void print_main(const struct mst_work *work, struct mst_writer_request *out)
{
    const struct mst_effect *e = &work->effect;
    struct mst_json_writer w = { .out = &out->body };
    switch (e->kind) {
    case MST_EFFECT_BIND:
        out->method = MST_POST;
        out->type = MST_TYPE_PROTO;
        mst_buf_text(&out->path, "/binding");
        print_binding(e, &out->body);
        return;
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS: patch_status(e, out); return;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE:
        out->method = MST_PATCH;
        out->type = MST_TYPE_MERGE;
        if (e->kind == MST_EFFECT_PV_UPDATE)
            print_volume(work, &w);
        else
            print_claim(work, &w);
        return;
    case MST_EFFECT_EVICT:
        out->method = MST_DELETE;
        print_delete(e, &w);
        return;
    case MST_EFFECT_ATTEMPT:
    case MST_EFFECT_EXTENDER:
    case MST_EFFECT_EVENT: mst_assert(!"an effect on one object's queue");
    }
}

void mst_work_print(const struct mst_work *work, const char *group_version,
                    struct mst_writer_request *out)
{
    out->path.n = out->body.n = 0;
    out->type = NULL;
    path_of(&work->effect, group_version, &out->path);
    switch (work->stage) {
    case MST_STAGE_MARK: patch_status(&work->effect, out); break;
    case MST_STAGE_MAIN: print_main(work, out); break;
    case MST_STAGE_CHECK: out->method = MST_GET; break;
    }
}
