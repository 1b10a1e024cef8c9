/*
 * test_proto.c - protobuf as an API server sends it: every vector decodes to the object that its
 * JSON decodes to; what is broken is refused.
 */
#include "api/proto.h"

#include "proto_vectors.h"
#include "same_object.h"
#include "tap.h"

struct world {
    struct proto_vectors vectors;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_api api;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    mst_assert(proto_vectors_load(&w->vectors));
    w->api = (struct mst_api){ .syms = mst_syms_new(), .arena = &w->arena, .diags = &w->diags };
}

static void world_done(struct world *w)
{
    mst_syms_free(w->api.syms);
    mst_diags_done(&w->diags);
    mst_arena_done(&w->arena);
    proto_vectors_done(&w->vectors);
}

enum { OBJECTS_MAX = 64 };
struct objects {
    struct mst_object *v[OBJECTS_MAX];
    uint32_t n;
};

static bool keep(void *ctx, struct mst_object *object)
{
    struct objects *objects = ctx;
    mst_assert(objects->n < OBJECTS_MAX);
    objects->v[objects->n++] = object;
    return true;
}

static void compare(struct mst_test *t, struct world *w, const struct proto_vector *v)
{
    struct objects from_json = { 0 }, from_proto = { 0 };
    const struct mst_value *json = NULL, *proto = NULL;
    struct mst_err err = { 0 };
    mst_diags_done(&w->diags);
    if (mst_json_parse(v->json, NULL, &w->arena, &w->diags, &json, &err)) {
        t_fail(t, "JSON: %s", err.text);
        return;
    }
    if (mst_proto_parse(v->proto, &w->arena, &proto, &err)) {
        t_fail(t, "protobuf: %s", err.text);
        return;
    }
    mst_api_decode(&w->api, json, keep, &from_json);
    mst_api_decode(&w->api, proto, keep, &from_proto);
    for (uint32_t i = 0; i < w->diags.list.n; i++)
        t_fail(t, "%.*s", MST_ARG(w->diags.list.v[i].text));
    t_int(t, from_proto.n, from_json.n);
    for (uint32_t i = 0; i < MST_MIN(from_proto.n, from_json.n); i++) {
        MST_AUTO(mst_buf) path = { 0 };
        if (!same_object(from_proto.v[i], from_json.v[i], &path))
            t_fail(t, "object %u differs at %.*s", i, MST_ARG(mst_buf_span(&path)));
        mst_api_default(&w->api, from_json.v[i]);
        mst_api_default(&w->api, from_proto.v[i]);
        t_ok(t, same_object(from_proto.v[i], from_json.v[i], &path));
    }
}

static void test_vectors_decode_as_their_json(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w.vectors.list.n; i++) {
        const struct proto_vector *v = &w.vectors.list.v[i];
        if (mst_str_has_prefix(v->name, "watch/"))
            continue;
        t_case(t, mst_arena_str(&w.arena, v->name).p);
        compare(t, &w, v);
        count++;
    }
    t_ok(t, count > 100);
    world_done(&w);
}

/* Every beginning of a document is refused, or ends between two of its fields. */
static void test_truncated_documents_are_refused(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    struct mst_str whole = proto_vectors_get(&w.vectors, "full/Pod")->proto;
    for (size_t n = 0; n < whole.n; n++) {
        const struct mst_value *tape = NULL;
        struct mst_err err = { 0 };
        struct mst_str part = { whole.p, n };
        bool ok = mst_proto_parse(part, &w.arena, &tape, &err) == MST_OK;
        /* contentEncoding and contentType, both empty, end the document: two bytes each */
        if (ok != (n + 4 == whole.n || n + 2 == whole.n))
            t_fail(t, "%zu of %zu bytes: %s", n, whole.n, ok ? "accepted" : err.text);
        t_bool(t, ok, tape != NULL);
        mst_arena_reset(&w.arena);
    }
    world_done(&w);
}

static void test_documents_that_are_none(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct mst_str bytes;
        const char *text;
    } cases[] = {
        { "nothing",
          { NULL, 0 },
          "not a protobuf document of Kubernetes: it does not begin with \"k8s\" and a zero byte" },
        { "JSON",
          { "{\"kind\":\"Pod\"}", 14 },
          "not a protobuf document of Kubernetes: it does not begin with \"k8s\" and a zero byte" },
        { "an envelope with nothing inside",
          { "k8s\0", 4 },
          "Unknown: it does not say its kind and apiVersion" },
        { "no kind",
          { "k8s\0\x0a\x04\x0a\x02v1", 10 },
          "Unknown: it does not say its kind and apiVersion" },
        { "JSON inside",
          { "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x22\x10"
            "application/json",
            33 },
          "Unknown: content \"application/json\" \"\" inside of protobuf" },
        { "compressed",
          { "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x1a\x04gzip", 21 },
          "Unknown: content \"\" \"gzip\" inside of protobuf" },
        { "a group", { "k8s\0\x0b", 5 }, "Unknown: a group, which no API server sends" },
        { "metadata of another type",
          { "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x02\x08\x01", 19 },
          "Pod, byte 2: a value of the wrong type" },
        { "spec twice",
          { "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x04\x12\0\x12\0", 21 },
          "Pod, byte 4: a field that was there before" },
    };
    struct mst_arena arena = { 0 };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        const struct mst_value *tape = NULL;
        struct mst_err err = { 0 };
        t_case(t, cases[i].name);
        t_int(t, mst_proto_parse(cases[i].bytes, &arena, &tape, &err), MST_EDECODE);
        t_text(t, err.text, cases[i].text);
        t_ok(t, !tape);
    }
    mst_arena_done(&arena);
}

static void test_kinds_that_are_not_modelled_have_a_name(struct mst_test *t)
{
    /* ConfigMap: metadata {name: "x"}, data {"k": "v"} */
    struct mst_str bytes = { "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
                             "ConfigMap\x12\x0d\x0a\x03\x0a\x01x\x12\x06\x0a\x01k\x12\x01v",
                             36 };
    struct mst_arena arena = { 0 };
    const struct mst_value *tape = NULL;
    struct mst_err err = { 0 };
    t_int(t, mst_proto_parse(bytes, &arena, &tape, &err), MST_OK);
    t_text(t, err.text, "");
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_json_writer w = { .out = &text };
    if (tape)
        mst_jw_value(&w, tape);
    t_str(t, mst_buf_span(&text),
          "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}");
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_vectors_decode_as_their_json), T(test_truncated_documents_are_refused),
              T(test_documents_that_are_none), T(test_kinds_that_are_not_modelled_have_a_name))
