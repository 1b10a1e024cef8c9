/* Changeable JSON values: copied from a tape, changed, written. */
#include "sim/doc.h"

#include "tap.h"

struct world {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_buf out;
};

static void done(struct world *w)
{
    mst_arena_done(&w->arena);
    mst_diags_done(&w->diags);
    mst_buf_done(&w->out);
}

static struct mst_doc *read(struct world *w, const char *text)
{
    const struct mst_value *value;
    struct mst_err err;
    mst_rc rc = mst_json_parse(mst_str_of(text), NULL, &w->arena, &w->diags, &value, &err);
    mst_assert(rc == MST_OK);
    return mst_doc_of(&w->arena, value);
}

static struct mst_str written(struct world *w, const struct mst_doc *doc)
{
    struct mst_json_writer writer = { .out = &w->out };
    w->out.n = 0;
    mst_doc_write(doc, &writer);
    return mst_buf_span(&w->out);
}

static void test_doc_copy_is_the_same(struct mst_test *t)
{
    static const char *const cases[] = {
        "null",
        "true",
        "false",
        "1.50e3",
        "\"a\\n\\u00e9\"",
        "[]",
        "{}",
        "[[],{},[{}]]",
        "{\"a\":{\"b\":[1,2,{\"c\":null}],\"d\":\"\"},\"e\":[[[0]]]}",
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w = { 0 };
        t_case(t, cases[i]);
        const char *want = strcmp(cases[i], "\"a\\n\\u00e9\"") == 0 ? "\"a\\n\xc3\xa9\"" : cases[i];
        t_str(t, written(&w, read(&w, cases[i])), want);
        done(&w);
    }
}

static void test_doc_deep_is_copied(struct mst_test *t)
{
    char text[2 * MST_DEPTH_MAX + 1];
    memset(text, '[', MST_DEPTH_MAX);
    memset(text + MST_DEPTH_MAX, ']', MST_DEPTH_MAX);
    text[2 * MST_DEPTH_MAX] = 0;
    struct world w = { 0 };
    t_str(t, written(&w, read(&w, text)), text);
    done(&w);
}

static void test_doc_members_change(struct mst_test *t)
{
    struct world w = { 0 };
    struct mst_doc *doc = read(&w, "{\"a\":1,\"b\":{\"c\":2},\"d\":[3]}");
    mst_doc_set_int(&w.arena, doc, "a", -5);
    mst_doc_set_str(&w.arena, mst_doc_get(doc, "b"), "e", MST_STR("x"));
    t_str(t, written(&w, doc), "{\"a\":-5,\"b\":{\"c\":2,\"e\":\"x\"},\"d\":[3]}");
    /* A member of another type is replaced in its place. */
    mst_doc_make(&w.arena, doc, MST_STR("b"), MST_ARRAY);
    mst_doc_append(&w.arena, mst_doc_get(doc, "d"), MST_TRUE);
    t_str(t, written(&w, doc), "{\"a\":-5,\"b\":[],\"d\":[3,true]}");
    mst_doc_clear(mst_doc_get(doc, "d"));
    mst_doc_remove(doc, "a");
    t_str(t, written(&w, doc), "{\"b\":[],\"d\":[]}");
    mst_doc_remove(doc, "d");
    mst_doc_remove(doc, "absent");
    mst_doc_set_int(&w.arena, doc, "z", 1);
    t_str(t, written(&w, doc), "{\"b\":[],\"z\":1}");
    t_ok(t, mst_doc_get(doc, "d") == NULL);
    t_ok(t, mst_doc_get(mst_doc_get(doc, "z"), "x") == NULL);
    t_ok(t, mst_doc_get(NULL, "x") == NULL);
    done(&w);
}

MST_TEST_MAIN(T(test_doc_copy_is_the_same), T(test_doc_deep_is_copied), T(test_doc_members_change))
