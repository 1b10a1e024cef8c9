/* Bodies of both encodings through one door: what is told of each item. */
#include "client/intake.h"

#include "proto_vectors.h"
#include "tap.h"

struct world {
    struct mst_api api;
    struct mst_intake intake;
    struct mst_buf told;
    struct proto_vectors vectors;
    uint32_t stop_at, count;
};

static bool on_item(void *ctx, const struct mst_item *item)
{
    static const char *const types[] = { "SET", "DELETED", "BOOKMARK", "ERROR" };
    struct world *w = ctx;
    mst_buf_printf(&w->told, "%s %.*s/%.*s@%.*s%s%s", types[item->type], MST_ARG(item->id.ns),
                   MST_ARG(item->id.name), MST_ARG(item->version), item->object ? " good" : "",
                   item->initial_end ? " end" : "");
    if (item->type == MST_ITEM_ERROR)
        mst_buf_printf(&w->told, " %d %.*s", (int)item->answer.code, MST_ARG(item->answer.reason));
    if (item->problem.n)
        mst_buf_printf(&w->told, " bad: %.*s", MST_ARG(item->problem));
    mst_buf_char(&w->told, '\n');
    return ++w->count != w->stop_at;
}

static void world_init(struct world *w, mst_kind kind)
{
    *w = (struct world){ 0 };
    w->api.syms = mst_syms_new();
    mst_intake_init(&w->intake, &(struct mst_intake_options){ .api = &w->api,
                                                              .kind = kind,
                                                              .api_version = MST_STR("v1"),
                                                              .item = on_item,
                                                              .ctx = w });
    const bool ok = proto_vectors_load(&w->vectors);
    mst_assert(ok);
}

static void world_done(struct world *w)
{
    mst_intake_done(&w->intake);
    mst_syms_free(w->api.syms);
    mst_buf_done(&w->told);
    proto_vectors_done(&w->vectors);
}

/* In pieces; what was told so far is forgotten. */
static mst_rc feed(struct world *w, bool is_list, struct mst_str body, size_t piece,
                   struct mst_err *err)
{
    bool more = true;
    mst_rc rc = MST_OK;
    w->told.n = 0;
    w->count = 0;
    mst_intake_begin(&w->intake, is_list);
    for (size_t at = 0; rc == MST_OK && more && at < body.n; at += piece)
        rc = mst_intake_feed(&w->intake,
                             (struct mst_str){ body.p + at, MST_MIN(piece, body.n - at) }, &more,
                             err);
    return rc;
}

static void test_intake_both_encodings(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool is_list;
    } cases[] = { { "list/typical", true }, { "watch/pods", false } };
    static const size_t pieces[] = { 1, 13, 1 << 20 };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w;
        struct mst_err err;
        struct mst_buf first = { 0 };
        world_init(&w, MST_KIND_POD);
        const struct proto_vector *v = proto_vectors_get(&w.vectors, cases[i].name);
        t_case(t, cases[i].name);
        for (size_t k = 0; k < 2 * MST_COUNT(pieces); k++) {
            t_int(t, feed(&w, cases[i].is_list, k % 2 ? v->json : v->proto, pieces[k / 2], &err),
                  MST_OK);
            if (k == 0)
                mst_buf_str(&first, mst_buf_span(&w.told));
            t_ok(t, w.count > 2 && mst_str_eq(mst_buf_span(&w.told), mst_buf_span(&first)));
            struct mst_list_head head;
            if (!cases[i].is_list)
                continue;
            t_int(t, mst_intake_end(&w.intake, &head, &err), MST_OK);
            t_str(t, head.version, "90210");
            t_str(t, head.next, "to=ken");
        }
        mst_buf_done(&first);
        world_done(&w);
    }
}

static void test_intake_stops(struct mst_test *t)
{
    struct world w;
    struct mst_err err;
    world_init(&w, MST_KIND_POD);
    w.stop_at = 2;
    const struct proto_vector *list = proto_vectors_get(&w.vectors, "list/typical");
    const struct proto_vector *watch = proto_vectors_get(&w.vectors, "watch/pods");
    t_int(t, feed(&w, true, list->proto, 1 << 20, &err), MST_OK);
    t_int(t, w.count, 2);
    t_int(t, feed(&w, false, watch->json, 1 << 20, &err), MST_OK);
    t_int(t, w.count, 2);
    world_done(&w);
}

/* A bad object has its name and what is wrong with it; the others are good. */
static void test_intake_bad_objects(struct mst_test *t)
{
    struct world w;
    struct mst_err err;
    world_init(&w, MST_KIND_NODE);
    t_int(t,
          feed(&w, true,
               MST_STR("{\"items\":[{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}},"
                       "{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"2\"},"
                       "\"spec\":{\"taints\":7}},{\"metadata\":[]},"
                       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"}}]}"),
               5, &err),
          MST_OK);
    t_str(t, mst_buf_span(&w.told),
          "SET /a@1 good\n"
          "SET /b@2 bad: spec.taints: expected array, got number 7\n"
          "SET /@ bad: metadata: expected object, got array\n"
          "SET n/p@ bad: expected kind Node, got Pod\n");
    world_done(&w);
}

static void test_intake_broken(struct mst_test *t)
{
    static const struct {
        bool is_list;
        const char *body, *error;
    } cases[] = {
        { true, "{\"items\":[{]}", "item of a list: " },
        { true, "{\"items\":[{\"a\":1}{\"a\":2}]", "line 1" },
        { true, "{\"kind\":\"PodList\",\"items\":[1],\"metadata\":{\"resourceVersion\":\"1\"}}",
          "expected an item" },
        { true, "{\"kind\":\"PodList\",\"items\":[],\"metadata\":{\"resourceVersion\":\"0\"}}",
          "list without metadata.resourceVersion" },
        { true, "{\"kind\":\"Status\",\"items\":[]}", "expected a list, got Status" },
        { true, "", "line 1" },
        { true, "{\"items\":[{\"a\":", "cut off inside an item" },
        { false, "{\"type\":\"ADDED\"}", "no type or no object" },
        { false, "{]", "line 1" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w;
        struct mst_err err = { 0 };
        struct mst_list_head head;
        world_init(&w, MST_KIND_POD);
        t_case(t, cases[i].body);
        mst_rc rc = feed(&w, cases[i].is_list, mst_str_of(cases[i].body), 100, &err);
        if (rc == MST_OK && cases[i].is_list)
            rc = mst_intake_end(&w.intake, &head, &err);
        t_ok(t, rc != MST_OK);
        if (!strstr(err.text, cases[i].error))
            t_text(t, err.text, cases[i].error);
        world_done(&w);
    }
}

MST_TEST_MAIN(T(test_intake_both_encodings), T(test_intake_stops), T(test_intake_bad_objects),
              T(test_intake_broken))
