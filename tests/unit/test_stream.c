/*
 * test_stream.c - lists item by item, documents and Status answers, in both encodings.
 */
#include "api/stream.h"

#include "proto_vectors.h"
#include "same_object.h"
#include "tap.h"

struct world {
    struct mst_arena arena, keep;
    struct mst_diags diags;
    struct mst_api api;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    w->api = (struct mst_api){ .syms = mst_syms_new(), .arena = &w->arena, .diags = &w->diags };
}

static void world_done(struct world *w)
{
    mst_syms_free(w->api.syms);
    mst_diags_done(&w->diags);
    mst_arena_done(&w->arena);
    mst_arena_done(&w->keep);
}

static void test_content_types(struct mst_test *t)
{
    mst_encoding encoding = MST_ENCODING_PROTO;
    t_ok(t, mst_encoding_of(MST_STR("application/json"), &encoding));
    t_int(t, encoding, MST_ENCODING_JSON);
    t_ok(t,
         mst_encoding_of(MST_STR("application/vnd.kubernetes.protobuf;stream=watch"), &encoding));
    t_int(t, encoding, MST_ENCODING_PROTO);
    t_ok(t, mst_encoding_of(MST_STR("application/json ; charset=utf-8"), &encoding));
    t_int(t, encoding, MST_ENCODING_JSON);
    t_ok(t, !mst_encoding_of(MST_STR("text/plain; charset=utf-8"), &encoding));
    t_ok(t, !mst_encoding_of(MST_STR_NONE, &encoding));
}

static void test_lists_of_both_encodings_are_equal(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    struct proto_vectors vectors;
    mst_assert(proto_vectors_load(&vectors));
    const struct proto_vector *v = proto_vectors_get(&vectors, "list/typical");
    struct mst_list_reader json, proto;
    struct mst_err err = { 0 };
    t_int(t, mst_list_open(&json, MST_ENCODING_JSON, v->json, &w.keep, &err), MST_OK);
    t_int(t, mst_list_open(&proto, MST_ENCODING_PROTO, v->proto, &w.keep, &err), MST_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mst_list_reader *list = i ? &proto : &json;
        t_case(t, i ? "protobuf" : "JSON");
        t_str(t, list->resource_version, "90210");
        t_str(t, list->continue_, "to=ken");
        t_int(t, list->remaining, 4711);
        t_str(t, list->api_version, "v1");
        t_str(t, list->kind, "Pod");
    }
    mst_rc json_rc, proto_rc;
    struct mst_list_item a, b;
    while ((json_rc = mst_list_next(&json, &w.api, &a, &err)) == MST_OK &&
           (proto_rc = mst_list_next(&proto, &w.api, &b, &err)) == MST_OK) {
        MST_AUTO(mst_buf) path = { 0 };
        t_ok(t, a.object && b.object && same_object(a.object, b.object, &path));
        t_str(t, mst_buf_span(&path), "");
        mst_arena_reset(&w.arena);
    }
    proto_rc = mst_list_next(&proto, &w.api, &b, &err);
    t_int(t, json_rc, MST_ENOTFOUND);
    t_int(t, proto_rc, MST_ENOTFOUND);
    t_int(t, json.item_count, 16);
    t_int(t, proto.item_count, 16);
    t_int(t, w.diags.list.n, 0);
    t_int(t, mst_list_next(&json, &w.api, &a, &err), MST_ENOTFOUND);
    proto_vectors_done(&vectors);
    world_done(&w);
}

static void test_empty_lists(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    struct proto_vectors vectors;
    mst_assert(proto_vectors_load(&vectors));
    const struct proto_vector *v = proto_vectors_get(&vectors, "list/empty");
    const struct mst_str none = MST_STR("{\"kind\":\"PodList\",\"apiVersion\":\"v1\"}");
    struct mst_list_reader list;
    struct mst_list_item item;
    t_int(t, mst_list_open(&list, MST_ENCODING_JSON, v->json, &w.keep, NULL), MST_OK);
    t_int(t, mst_list_next(&list, &w.api, &item, NULL), MST_ENOTFOUND);
    t_int(t, mst_list_open(&list, MST_ENCODING_PROTO, v->proto, &w.keep, NULL), MST_OK);
    t_int(t, mst_list_next(&list, &w.api, &item, NULL), MST_ENOTFOUND);
    t_ok(t, !list.resource_version.p && !list.continue_.p && list.remaining == -1);
    t_int(t, mst_list_open(&list, MST_ENCODING_JSON, none, &w.keep, NULL), MST_OK);
    t_int(t, mst_list_next(&list, &w.api, &item, NULL), MST_ENOTFOUND);
    proto_vectors_done(&vectors);
    world_done(&w);
}

/* As servers print that keep no order of their own: metadata and kind behind the items. */
static void test_json_members_in_any_order(struct mst_test *t)
{
    const struct mst_str body =
        MST_STR("{ \"apiVersion\": \"v1\", \"x\": [{}], \"items\": [\n"
                "  {\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}} ,\n"
                "  {\"kind\":\"Node\",\"metadata\":{\"name\":\"\\u0062\"}}\n],\n"
                "\"kind\": \"NodeList\", \"metadata\": {\"resourceVersion\":\"7\"} }\n");
    struct world w;
    world_init(&w);
    struct mst_list_reader list;
    struct mst_list_item item;
    struct mst_err err = { 0 };
    t_int(t, mst_list_open(&list, MST_ENCODING_JSON, body, &w.keep, &err), MST_OK);
    t_int(t, mst_list_next(&list, &w.api, &item, &err), MST_OK);
    t_str(t, item.object->u.meta.name, "a");
    t_int(t, item.tape->line, 2);
    t_int(t, mst_list_next(&list, &w.api, &item, &err), MST_OK);
    t_str(t, item.object->u.meta.name, "b");
    t_int(t, item.tape->line, 3);
    t_int(t, mst_list_next(&list, &w.api, &item, &err), MST_ENOTFOUND);
    t_str(t, list.resource_version, "7");
    t_int(t, w.diags.list.n, 0);
    world_done(&w);
}

static void test_a_bad_item_costs_itself(struct mst_test *t)
{
    const struct mst_str body =
        MST_STR("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":["
                "{\"metadata\":{\"name\":\"bad\",\"uid\":\"u\"},\"spec\":{\"priority\":\"x\"}},"
                "{\"metadata\":{\"name\":\"good\"}}]}");
    struct world w;
    world_init(&w);
    struct mst_list_reader list;
    struct mst_list_item item;
    t_int(t, mst_list_open(&list, MST_ENCODING_JSON, body, &w.keep, NULL), MST_OK);
    t_int(t, mst_list_next(&list, &w.api, &item, NULL), MST_OK);
    t_ok(t, !item.object);
    t_str(t, mst_value_str(mst_value_get(mst_value_get(item.tape, "metadata"), "uid")), "u");
    t_int(t, w.diags.error_count, 1);
    t_str(t, w.diags.list.v[0].object, "Pod bad");
    t_int(t, mst_list_next(&list, &w.api, &item, NULL), MST_OK);
    t_str(t, item.object->u.meta.name, "good");
    world_done(&w);
}

static void test_json_that_is_no_list(struct mst_test *t)
{
    static const struct {
        const char *name, *body, *text;
        uint32_t items; /* that can be read before */
    } cases[] = {
        { "nothing", "", "line 1, column 1: expected a value, found the end of the text", 0 },
        { "an array", "[]", "line 1, column 1: expected a list", 0 },
        { "an empty object", "{}", "expected a list, got nothing", 0 },
        { "an object", "{\"kind\":\"Pod\"}", "expected a list, got Pod", 0 },
        { "a refusal", "{\"kind\":\"Status\",\"code\":403}", "expected a list, got Status", 0 },
        { "cut off", "{\"kind\":\"PodList\"",
          "line 1, column 18: expected ',' or '}', found the end of the text", 0 },
        { "text behind it", "{\"kind\":\"PodList\"} x",
          "line 1, column 20: expected the end of the text, found 'x'", 0 },
        { "items of another type", "{\"kind\":\"PodList\",\"items\":1}",
          "line 1, column 27: expected the array of items", 0 },
        { "a kind of another type", "{\"kind\":1}", "line 1, column 9: expected a string", 0 },
        { "an item of another type", "{\"kind\":\"PodList\",\"items\":[1]}",
          "line 1, column 28: expected an item", 0 },
        { "items twice", "{\"kind\":\"PodList\",\"items\":[],\"items\":[]}",
          "line 1, column 38: a list has its items once", 0 },
        { "cut off in an item",
          "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{}},{\"a\":",
          "line 1, column 67: expected a value, found the end of the text", 1 },
        { "cut off between items",
          "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{}}",
          "line 1, column 61: expected ',' or ']', found the end of the text", 1 },
    };
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_list_reader list;
        struct mst_list_item item;
        struct mst_err err = { 0 };
        t_case(t, cases[i].name);
        mst_rc rc =
            mst_list_open(&list, MST_ENCODING_JSON, mst_str_of(cases[i].body), &w.keep, &err);
        uint32_t items = 0;
        while (rc == MST_OK && (rc = mst_list_next(&list, &w.api, &item, &err)) == MST_OK)
            items++;
        t_int(t, rc, MST_EDECODE);
        t_text(t, err.text, cases[i].text);
        t_int(t, items, cases[i].items);
        t_int(t, mst_list_next(&list, &w.api, &item, &err), MST_EDECODE);
    }
    world_done(&w);
}

static void test_protobuf_lists_cut_off_are_refused(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    struct proto_vectors vectors;
    mst_assert(proto_vectors_load(&vectors));
    struct mst_str whole = proto_vectors_get(&vectors, "list/typical")->proto;
    for (size_t n = 0; n + 4 < whole.n; n += n < 64 ? 1 : 97) {
        struct mst_list_reader list;
        struct mst_err err = { 0 };
        struct mst_str part = { whole.p, n };
        t_int(t, mst_list_open(&list, MST_ENCODING_PROTO, part, &w.keep, &err), MST_EDECODE);
        t_ok(t, err.text[0]);
    }
    struct mst_list_reader list;
    struct mst_str pod = proto_vectors_get(&vectors, "zero/Pod")->proto;
    struct mst_err err = { 0 };
    t_int(t, mst_list_open(&list, MST_ENCODING_PROTO, pod, &w.keep, &err), MST_EDECODE);
    t_text(t, err.text, "expected a list, got v1 Pod");
    proto_vectors_done(&vectors);
    world_done(&w);
}

static void test_status_answers(struct mst_test *t)
{
    static const struct {
        const char *name, *body;
        int64_t code, retry_after_s;
        const char *reason;
    } cases[] = {
        { "too many requests",
          "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"TooManyRequests\","
          "\"message\":\"m\",\"details\":{\"retryAfterSeconds\":7},\"code\":429}",
          429, 7, "TooManyRequests" },
        { "says nothing", "{\"kind\":\"Status\"}", 0, 0, NULL },
    };
    struct mst_arena arena = { 0 };
    const struct mst_value *tape;
    struct mst_status_answer answer;
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        t_int(t,
              mst_document_parse(MST_ENCODING_JSON, mst_str_of(cases[i].body), &arena, &tape, NULL),
              MST_OK);
        t_ok(t, mst_status_answer_of(tape, &answer));
        t_int(t, answer.code, cases[i].code);
        t_int(t, answer.retry_after_s, cases[i].retry_after_s);
        t_ok(t, cases[i].reason ? mst_str_is(answer.reason, cases[i].reason) : !answer.reason.p);
    }
    t_int(t,
          mst_document_parse(MST_ENCODING_JSON, MST_STR("{\"kind\":\"Pod\"}"), &arena, &tape, NULL),
          MST_OK);
    t_ok(t, !mst_status_answer_of(tape, &answer));
    /* what kube-apiserver v1.37.2 sent for a pod that is not there */
    const struct mst_str gone = {
        "k8s\0\x0a\x0c\x0a\x02v1\x12\x06Status\x12\x49\x0a\x06\x0a\0\x12\0\x1a\0\x12\x07"
        "Failure\x1a\x15pods \"nope\" not found\"\x08NotFound*\x12\x0a\x04nope\x12\0\x1a\x04pods(\0"
        "2\0\x30\x94\x03\x1a\0\"\0",
        97
    };
    t_case(t, "protobuf");
    t_int(t, mst_document_parse(MST_ENCODING_PROTO, gone, &arena, &tape, NULL), MST_OK);
    t_ok(t, mst_status_answer_of(tape, &answer));
    t_int(t, answer.code, 404);
    t_str(t, answer.message, "pods \"nope\" not found");
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_content_types), T(test_lists_of_both_encodings_are_equal), T(test_empty_lists),
              T(test_json_members_in_any_order), T(test_a_bad_item_costs_itself),
              T(test_json_that_is_no_list), T(test_protobuf_lists_cut_off_are_refused),
              T(test_status_answers))
