/* What tells the sources of two volumes apart, and what does not. */
#include "api/api.h"
#include "codec/json.h"
#include "tap.h"

static uint64_t hash_of(const char *name, const char *json)
{
    struct mst_arena arena = { 0 };
    struct mst_diags diags = { 0 };
    struct mst_err err;
    const struct mst_value *value = NULL;
    mst_rc rc = mst_json_parse(mst_str_of(json), NULL, &arena, &diags, &value, &err);
    mst_assert(rc == MST_OK);
    uint64_t hash = mst_source_hash(name, value);
    mst_diags_done(&diags);
    mst_arena_done(&arena);
    return hash;
}

static const struct {
    const char *name;
    const char *field_a, *a, *field_b, *b;
    bool same;
} cases[] = {
    { "order of members", "nfs", "{\"server\": \"s\", \"path\": \"/p\"}", "nfs",
      "{\"path\": \"/p\", \"server\": \"s\"}", true },
    { "empty, null and false are absent", "nfs", "{\"server\": \"s\"}", "nfs",
      "{\"server\": \"s\", \"path\": \"\", \"readOnly\": false, \"x\": null}", true },
    { "a default that is spelled out", "projected", "{\"sources\": [], \"defaultMode\": 420}",
      "projected", "{}", true },
    { "another mode", "projected", "{\"defaultMode\": 384}", "projected", "{}", false },
    { "a false that is a pointer", "projected",
      "{\"sources\": [{\"configMap\": {\"optional\": false}}]}", "projected",
      "{\"sources\": [{\"configMap\": {}}]}", false },
    { "another value", "nfs", "{\"server\": \"s\"}", "nfs", "{\"server\": \"t\"}", false },
    { "values change places", "nfs", "{\"server\": \"a\", \"path\": \"b\"}", "nfs",
      "{\"server\": \"b\", \"path\": \"a\"}", false },
    { "a string and a number", "x", "{\"a\": \"1\"}", "x", "{\"a\": 1}", false },
    { "true", "nfs", "{\"readOnly\": true}", "nfs", "{}", false },
    { "another kind of source", "emptyDir", "{}", "hostPath", "{}", false },
    { "order of elements", "x", "{\"a\": [\"1\", \"2\"]}", "x", "{\"a\": [\"2\", \"1\"]}", false },
    { "deep down", "projected",
      "{\"sources\": [{\"serviceAccountToken\": {\"path\": \"a\"}}, {\"secret\": {\"name\": "
      "\"s\"}}]}",
      "projected",
      "{\"sources\": [{\"serviceAccountToken\": {\"path\": \"b\"}}, {\"secret\": {\"name\": "
      "\"s\"}}]}",
      false },
    { "depth counts", "x", "{\"a\": {\"b\": \"c\"}}", "x", "{\"b\": \"c\"}", false },
    { "of a wrong type", "emptyDir", "[1, 2]", "emptyDir", "3", true },
};

static void test_source_hash_of_two(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        t_bool(t, hash_of(cases[i].field_a, cases[i].a) == hash_of(cases[i].field_b, cases[i].b),
               cases[i].same);
    }
}

MST_TEST_MAIN(T(test_source_hash_of_two))
