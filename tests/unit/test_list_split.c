/* Lists cut into items, in both encodings, in pieces of any size, cut off anywhere, and damaged. */
#include "client/list_split.h"

#include "base/rng.h"
#include "proto_vectors.h"
#include "same_object.h"
#include "tap.h"

struct world {
    struct mst_arena arena, whole_arena;
    struct mst_diags diags;
    struct mst_api api, whole_api;
    struct proto_vectors vectors;
    struct mst_list_split split;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    w->api = (struct mst_api){ .syms = mst_syms_new(), .arena = &w->arena, .diags = &w->diags };
    w->whole_api = w->api;
    w->whole_api.arena = &w->whole_arena;
    const bool ok = proto_vectors_load(&w->vectors);
    mst_assert(ok);
}

static void world_done(struct world *w)
{
    mst_list_split_done(&w->split);
    mst_syms_free(w->api.syms);
    mst_diags_done(&w->diags);
    mst_arena_done(&w->arena);
    mst_arena_done(&w->whole_arena);
    proto_vectors_done(&w->vectors);
}

/* Each item in a list of its own is the item in the list of all. */
static void compare(struct mst_test *t, struct world *w, struct mst_str body, size_t piece,
                    mst_encoding encoding)
{
    struct mst_list_reader all, one;
    struct mst_list_item want, got;
    struct mst_err err = { 0 };
    struct mst_arena keep = { 0 };
    uint32_t items = 0;
    t_int(t, mst_list_open(&all, encoding, body, &keep, &err), MST_OK);
    mst_list_split_begin(&w->split, "Pod", MST_STR("v1"));
    for (size_t at = 0; at < body.n; at += piece) {
        struct mst_str bytes = { body.p + at, MST_MIN(piece, body.n - at) }, doc;
        while (mst_list_split_next(&w->split, &bytes, &doc, &err) == MST_OK && doc.p) {
            MST_AUTO(mst_buf) path = { 0 };
            t_int(t, mst_list_next(&all, &w->whole_api, &want, &err), MST_OK);
            t_int(t, mst_list_open(&one, encoding, doc, &w->arena, &err), MST_OK);
            t_int(t, mst_list_next(&one, &w->api, &got, &err), MST_OK);
            t_ok(t, got.object && same_object(want.object, got.object, &path));
            t_int(t, mst_list_next(&one, &w->api, &got, &err), MST_ENOTFOUND);
            mst_arena_reset(&w->arena);
            mst_arena_reset(&w->whole_arena);
            items++;
        }
        t_int(t, bytes.n, 0);
    }
    t_int(t, mst_list_next(&all, &w->whole_api, &want, &err), MST_ENOTFOUND);
    t_int(t, items, all.item_count);
    struct mst_str envelope;
    t_int(t, mst_list_split_end(&w->split, &envelope, &err), MST_OK);
    t_int(t, mst_list_open(&one, encoding, envelope, &w->arena, &err), MST_OK);
    t_int(t, mst_list_next(&one, &w->api, &got, &err), MST_ENOTFOUND);
    t_ok(t, mst_str_eq(one.resource_version, all.resource_version));
    t_ok(t, mst_str_eq(one.continue_, all.continue_));
    t_int(t, w->split.encoding, encoding);
    mst_arena_reset(&w->arena);
    mst_arena_done(&keep);
}

static void test_split_pieces(struct mst_test *t)
{
    static const char *const names[] = { "list/typical", "list/empty" };
    static const size_t pieces[] = { 1, 2, 3, 7, 64, 1000, 4096, 1 << 20 };
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < MST_COUNT(names); i++) {
        const struct proto_vector *v = proto_vectors_get(&w.vectors, names[i]);
        t_case(t, names[i]);
        for (size_t k = 0; k < MST_COUNT(pieces); k++) {
            compare(t, &w, v->json, pieces[k], MST_ENCODING_JSON);
            compare(t, &w, v->proto, pieces[k], MST_ENCODING_PROTO);
        }
    }
    world_done(&w);
}

/* Reads all there is; MST_OK when it is a list to its end. */
static mst_rc read_all(struct world *w, struct mst_str body, struct mst_err *err)
{
    struct mst_str doc = MST_STR(""), bytes = body, envelope;
    mst_list_split_begin(&w->split, "Pod", MST_STR("v1"));
    mst_rc rc = MST_OK;
    while (rc == MST_OK && doc.p) {
        rc = mst_list_split_next(&w->split, &bytes, &doc, err);
        if (rc || !doc.p)
            break;
        struct mst_list_reader list;
        struct mst_list_item item;
        rc = mst_list_open(&list, w->split.encoding, doc, &w->arena, err);
        if (rc == MST_OK)
            rc = mst_list_next(&list, &w->api, &item, err);
        mst_arena_reset(&w->arena);
        w->diags.list.n = 0;
    }
    if (rc == MST_OK)
        rc = mst_list_split_end(&w->split, &envelope, err);
    struct mst_list_reader list;
    struct mst_list_item none;
    if (rc == MST_OK)
        rc = mst_list_open(&list, w->split.encoding, envelope, &w->arena, err);
    if (rc == MST_OK)
        rc = mst_list_next(&list, &w->api, &none, err);
    mst_arena_reset(&w->arena);
    return rc == MST_ENOTFOUND ? MST_OK : rc ? rc : MST_EDECODE;
}

static void test_split_cut_off(struct mst_test *t)
{
    struct world w;
    world_init(&w);
    const struct proto_vector *v = proto_vectors_get(&w.vectors, "list/typical");
    const struct mst_str bodies[] = { v->json, v->proto };
    for (size_t i = 0; i < 2; i++) {
        t_case(t, i ? "protobuf" : "JSON");
        struct mst_err err = { 0 };
        t_int(t, read_all(&w, bodies[i], &err), MST_OK);
        size_t end = bodies[i].n;
        /* What is behind the list matters little: content type and encoding, or a line's end. */
        if (i)
            end -= 16;
        for (size_t n = 0; n < end; n += n < 300 ? 1 : 97)
            t_ok(t, read_all(&w, (struct mst_str){ bodies[i].p, n }, &err) != MST_OK);
    }
    world_done(&w);
}

/* Nothing that comes over the wire may do more than fail. */
static void test_split_damaged(struct mst_test *t)
{
    enum { ROUNDS = 400 };
    struct world w;
    world_init(&w);
    const struct proto_vector *v = proto_vectors_get(&w.vectors, "list/typical");
    const struct mst_str bodies[] = { v->json, v->proto };
    struct mst_rng rng;
    mst_rng_init(&rng, 5);
    uint32_t failed = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        MST_AUTO(mst_buf) body = { 0 };
        struct mst_err err = { 0 };
        mst_buf_str(&body, bodies[i % 2]);
        for (uint64_t k = mst_rng_below(&rng, 5) + 1; k > 0; k--)
            body.p[mst_rng_below(&rng, i % 3 ? body.n : 40)] = (char)mst_rng_below(&rng, 256);
        const mst_rc rc = read_all(&w, mst_buf_span(&body), &err);
        t_ok(t, rc == MST_OK || err.text[0]);
        failed += rc != MST_OK;
    }
    t_ok(t, failed > ROUNDS / 4 && failed < ROUNDS);
    world_done(&w);
}

static void test_split_refuses(struct mst_test *t)
{
    static const struct {
        const char *name;
        struct mst_str body;
        const char *error;
    } cases[] = {
        { "no list", { "k8x\0\0\0", 6 }, "list: neither JSON nor protobuf" },
        { "raw before typeMeta", { "k8s\0\x12\x02\x0a", 7 }, "no order" },
        { "a number", { "k8s\0\x08\x01", 6 }, "a field has no length" },
        { "a long varint", { "k8s\0\x8a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 15 }, "varint" },
        { "an item beyond the list",
          { "k8s\0\x0a\x02\x0a\x00\x12\x02\x12\x05", 12 },
          "a field is longer than the list" },
        { "a tag at the end",
          { "k8s\0\x0a\x02\x0a\x00\x12\x01\x12\x05", 12 },
          "a field is cut off at the end of the list" },
        { "a huge item",
          { "k8s\0\x0a\x02\x0a\x00\x12\xff\xff\xff\xff\x0f\x12\xff\xff\xff\x7f", 19 },
          "an item of more than 16777216 bytes" },
        { "huge metadata of a type", { "k8s\0\x0a\xff\xff\xff\x7f", 9 }, "cut off" },
    };
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_err err = { 0 };
        t_case(t, cases[i].name);
        t_ok(t, read_all(&w, cases[i].body, &err) != MST_OK);
        t_ok(t, strstr(err.text, cases[i].error) != NULL);
        if (!strstr(err.text, cases[i].error))
            t_text(t, err.text, cases[i].error);
    }
    world_done(&w);
}

/* Bounded, whatever is sent. */
static void test_split_limits(struct mst_test *t)
{
    static const char *const begins[] = { "{\"x\":\"", "{\"items\":[{\"x\":\"" };
    struct world w;
    world_init(&w);
    struct mst_buf much = { 0 };
    for (int i = 0; i < 1 << 20; i++)
        mst_buf_char(&much, 'x');
    for (size_t i = 0; i < 2; i++) {
        struct mst_str bytes = mst_str_of(begins[i]), doc;
        struct mst_err err = { 0 };
        mst_list_split_begin(&w.split, "Pod", MST_STR("v1"));
        mst_rc rc = mst_list_split_next(&w.split, &bytes, &doc, &err);
        int rounds = 0;
        for (; rc == MST_OK && rounds < 20; rounds++) {
            bytes = mst_buf_span(&much);
            rc = mst_list_split_next(&w.split, &bytes, &doc, &err);
        }
        t_int(t, rc, MST_ELIMIT);
        t_int(t, rounds, i ? 16 : 1);
        t_ok(t, strstr(err.text, i ? "an item of more than" : "metadata of more than") != NULL);
    }
    mst_buf_done(&much);
    world_done(&w);
}

MST_TEST_MAIN(T(test_split_pieces), T(test_split_cut_off), T(test_split_damaged),
              T(test_split_refuses), T(test_split_limits))
