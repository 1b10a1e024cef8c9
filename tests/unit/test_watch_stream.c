/*
 * test_watch_stream.c - the events of a watch, however the bytes come, in both encodings.
 */
#include "api/stream.h"

#include "proto_vectors.h"
#include "same_object.h"
#include "tap.h"

struct world {
    struct mst_arena arena;
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
}

static const struct {
    mst_watch_type type;
    const char *name, *version;
} wanted[] = {
    { MST_WATCH_ADDED, "web-6d4cf56db6-00001", "7919" },
    { MST_WATCH_MODIFIED, "web-6d4cf56db6-00002", "15838" },
    { MST_WATCH_BOOKMARK, NULL, "90300" },
    { MST_WATCH_DELETED, "web-6d4cf56db6-00001", "7919" },
    { MST_WATCH_ERROR, NULL, NULL },
};

static void check_event(struct mst_test *t, const struct mst_watch_event *event, uint32_t i)
{
    mst_assert(i < MST_COUNT(wanted));
    t_int(t, event->type, wanted[i].type);
    t_bool(t, event->object != NULL, wanted[i].name != NULL);
    if (event->object && wanted[i].name)
        t_str(t, event->object->u.meta.name, wanted[i].name);
    t_ok(t, wanted[i].version ? mst_str_is(event->resource_version, wanted[i].version)
                              : !event->resource_version.p);
    t_bool(t, event->initial_end, event->type == MST_WATCH_BOOKMARK);
    t_int(t, event->answer.code, event->type == MST_WATCH_ERROR ? 410 : 0);
    t_int(t, event->answer.retry_after_s, event->type == MST_WATCH_ERROR ? 3 : 0);
}

/* Feeds `step` bytes at a time; every event must be there as soon as its last byte is. */
static void run(struct mst_test *t, mst_encoding encoding, struct mst_str stream, size_t step)
{
    struct world w;
    world_init(&w);
    struct mst_watch_reader watch;
    mst_watch_init(&watch, encoding);
    struct mst_watch_event event;
    struct mst_err err = { 0 };
    mst_rc rc = MST_ENOTFOUND;
    uint32_t count = 0;
    for (size_t at = 0; at < stream.n; at += step) {
        mst_watch_feed(&watch, (struct mst_str){ stream.p + at, MST_MIN(step, stream.n - at) });
        while ((rc = mst_watch_next(&watch, &w.api, &event, &err)) == MST_OK) {
            check_event(t, &event, count++);
            mst_arena_reset(&w.arena);
        }
        if (rc != MST_ENOTFOUND)
            break;
    }
    t_int(t, rc, MST_ENOTFOUND);
    t_text(t, err.text, "");
    t_int(t, count, MST_COUNT(wanted));
    t_int(t, mst_watch_pending(&watch), 0);
    t_int(t, w.diags.list.n, 0);
    mst_watch_done(&watch);
    world_done(&w);
}

static void test_events_in_pieces_of_any_size(struct mst_test *t)
{
    static const size_t steps[] = { 1, 2, 3, 7, 64, 1000, 4096, 1 << 20 };
    struct proto_vectors vectors;
    mst_assert(proto_vectors_load(&vectors));
    const struct proto_vector *v = proto_vectors_get(&vectors, "watch/pods");
    for (size_t i = 0; i < MST_COUNT(steps); i++) {
        t_case(t, "JSON");
        run(t, MST_ENCODING_JSON, v->json, steps[i]);
        t_case(t, "protobuf");
        run(t, MST_ENCODING_PROTO, v->proto, steps[i]);
    }
    proto_vectors_done(&vectors);
}

static void test_both_encodings_give_equal_objects(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    struct proto_vectors vectors;
    mst_assert(proto_vectors_load(&vectors));
    const struct proto_vector *v = proto_vectors_get(&vectors, "watch/pods");
    struct mst_watch_reader json, proto;
    mst_watch_init(&json, MST_ENCODING_JSON);
    mst_watch_init(&proto, MST_ENCODING_PROTO);
    mst_watch_feed(&json, v->json);
    mst_watch_feed(&proto, v->proto);
    struct mst_watch_event a, b;
    uint32_t objects = 0;
    while (mst_watch_next(&json, &w.api, &a, NULL) == MST_OK &&
           mst_watch_next(&proto, &w.api, &b, NULL) == MST_OK) {
        MST_AUTO(mst_buf) path = { 0 };
        t_bool(t, a.object != NULL, b.object != NULL);
        t_ok(t, !a.object || !b.object || same_object(a.object, b.object, &path));
        t_ok(t, mst_str_eq(a.answer.message, b.answer.message));
        objects += a.object != NULL;
    }
    t_int(t, objects, 3);
    mst_watch_done(&json);
    mst_watch_done(&proto);
    proto_vectors_done(&vectors);
    world_done(&w);
}

static void test_json_frames_end_where_brackets_close(struct mst_test *t)
{
    const struct mst_str stream = MST_STR(
        "\n {\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
        "\"name\":\"a}]{\\\"\\\\\",\"resourceVersion\":\"1\"}}}\r\n"
        "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
        "\"name\":\"b\"},\"spec\":{\"taints\":[{\"key\":\"]\"}]}}}\n\n");
    struct world w;
    world_init(&w);
    struct mst_watch_reader watch;
    struct mst_watch_event event;
    mst_watch_init(&watch, MST_ENCODING_JSON);
    mst_watch_feed(&watch, stream);
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_OK);
    t_str(t, event.object->u.meta.name, "a}]{\"\\");
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_OK);
    t_str(t, event.object->u.meta.name, "b");
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_ENOTFOUND);
    t_int(t, mst_watch_pending(&watch), 0);
    mst_watch_feed(&watch, MST_STR("{\"type\":"));
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_ENOTFOUND);
    t_int(t, mst_watch_pending(&watch), 8);
    mst_watch_done(&watch);
    world_done(&w);
}

static void test_a_bad_object_costs_itself(struct mst_test *t)
{
    const struct mst_str stream = MST_STR(
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
        "\"name\":\"a\",\"resourceVersion\":\"5\"},\"spec\":{\"priority\":{}}}}\n"
        "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}\n");
    struct world w;
    world_init(&w);
    struct mst_watch_reader watch;
    struct mst_watch_event event;
    mst_watch_init(&watch, MST_ENCODING_JSON);
    mst_watch_feed(&watch, stream);
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_OK);
    t_ok(t, !event.object && event.tape);
    t_str(t, event.resource_version, "5");
    t_int(t, w.diags.error_count, 1);
    t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), MST_OK);
    t_ok(t, event.object);
    mst_watch_done(&watch);
    world_done(&w);
}

static const struct {
    const char *name;
    mst_encoding encoding;
    struct mst_str bytes;
    mst_rc rc;
    const char *text;
} broken[] = {
    { "text",
      MST_ENCODING_JSON,
      { "Forbidden\n", 10 },
      MST_EDECODE,
      "expected an event, found byte 0x46" },
    { "no type",
      MST_ENCODING_JSON,
      { "{\"object\":{}}", 13 },
      MST_EDECODE,
      "WatchEvent: it has no type or no object" },
    { "no object",
      MST_ENCODING_JSON,
      { "{\"type\":\"ADDED\"}", 16 },
      MST_EDECODE,
      "WatchEvent: it has no type or no object" },
    { "another type",
      MST_ENCODING_JSON,
      { "{\"type\":\"PURGED\",\"object\":{}}", 29 },
      MST_EDECODE,
      "WatchEvent: type \"PURGED\" is not known" },
    { "no JSON",
      MST_ENCODING_JSON,
      { "{]", 2 },
      MST_EDECODE,
      "line 1, column 2: expected a key in double quotes, found ']'" },
    { "an error without a Status",
      MST_ENCODING_JSON,
      { "{\"type\":\"ERROR\",\"object\":{}}", 28 },
      MST_EDECODE,
      "WatchEvent: the object of an ERROR is no Status" },
    { "a giant frame",
      MST_ENCODING_PROTO,
      { "\x01\0\0\x01", 4 },
      MST_ELIMIT,
      "an event is larger than 16 MiB" },
    { "an empty frame",
      MST_ENCODING_PROTO,
      { "\0\0\0\0", 4 },
      MST_EDECODE,
      "WatchEvent: it has no type or no object" },
    { "JSON where frames should be",
      MST_ENCODING_PROTO,
      { "{\"type\"", 7 },
      MST_ELIMIT,
      "an event is larger than 16 MiB" },
    { "a broken frame",
      MST_ENCODING_PROTO,
      { "\0\0\0\1\x0a", 5 },
      MST_EDECODE,
      "WatchEvent: a number that is cut off or too long" },
    { "an object without its envelope",
      MST_ENCODING_PROTO,
      { "\0\0\0\x0c\x0a\x05"
        "ADDED\x12\x03\x0a\x01x",
        16 },
      MST_EDECODE,
      "not a protobuf document of Kubernetes: it does not begin with \"k8s\" and a zero byte" },
};

static void test_streams_that_break(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < MST_COUNT(broken); i++) {
        struct mst_watch_reader watch;
        struct mst_watch_event event;
        struct mst_err err = { 0 };
        t_case(t, broken[i].name);
        mst_watch_init(&watch, broken[i].encoding);
        mst_watch_feed(&watch, broken[i].bytes);
        t_int(t, mst_watch_next(&watch, &w.api, &event, &err), broken[i].rc);
        t_text(t, err.text, broken[i].text);
        mst_watch_feed(&watch, MST_STR("{}"));
        t_int(t, mst_watch_next(&watch, &w.api, &event, NULL), broken[i].rc);
        mst_watch_done(&watch);
    }
    world_done(&w);
}

static void test_giant_json_events_are_refused(struct mst_test *t)
{
    static const char chunk[1 << 16];
    struct world w;
    world_init(&w);
    struct mst_watch_reader watch;
    struct mst_watch_event event;
    struct mst_err err = { 0 };
    mst_watch_init(&watch, MST_ENCODING_JSON);
    mst_watch_feed(&watch, MST_STR("{\""));
    mst_rc rc = MST_ENOTFOUND;
    size_t fed = 0;
    while (rc == MST_ENOTFOUND && fed < 2 * (size_t)MST_WATCH_EVENT_BYTES_MAX) {
        mst_watch_feed(&watch, (struct mst_str){ chunk, sizeof(chunk) });
        fed += sizeof(chunk);
        rc = mst_watch_next(&watch, &w.api, &event, &err);
    }
    t_int(t, rc, MST_ELIMIT);
    t_int(t, fed, MST_WATCH_EVENT_BYTES_MAX);
    t_text(t, err.text, "an event is larger than 16 MiB");
    mst_watch_done(&watch);
    world_done(&w);
}

MST_TEST_MAIN(T(test_events_in_pieces_of_any_size), T(test_both_encodings_give_equal_objects),
              T(test_json_frames_end_where_brackets_close), T(test_a_bad_object_costs_itself),
              T(test_streams_that_break), T(test_giant_json_events_are_refused))
